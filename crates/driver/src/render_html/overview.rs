//! What a whole run did, added up: counters, hot instructions, LDS, coverage. These are complete for runs of any length.

use maud::{Markup, html};

use super::timeline::px;
use crate::recording::{LDS_CELL, Load, Recording, Seen, channel_name};
use crate::render_text::{SourceLine, coverage_text};
use crate::report::{Coverage, split_source};

/// Instructions listed as hot.
const HOT: usize = 20;
/// Sites shown in the map of LDS.
const LDS_SITES: usize = 24;
/// Columns of the map of LDS.
const LDS_COLUMNS: usize = 160;

/// How full the channels were.
pub fn counters(recording: &Recording) -> Markup {
    if recording.channels.is_empty() {
        return html! {};
    }
    html! {
        h3 { "Operations in flight" }
        figure .counters {
            table {
                tr {
                    th { "channel" } th .number { "operations" } th .number { "most of a wave" }
                    th .number { "mean time" } th { "in flight when one is issued, itself counted" }
                }
                @for (&channel, load) in &recording.channels {
                    tr {
                        td { (channel_name(channel)) }
                        td .number { (load.operations) }
                        td .number { (load.in_flight.len().saturating_sub(1)) }
                        td .number {
                            @if load.completed > 0 { (format!("{:.1}", load.time as f64 / load.completed as f64)) }
                        }
                        td { (levels(load)) }
                    }
                }
            }
            figcaption { "Times are instructions of all waves from issue to completion." }
        }
    }
}

/// Most bars of a histogram; more levels share a bar.
const BARS: usize = 32;

fn levels(load: &Load) -> Markup {
    let levels = load.in_flight.get(1..).unwrap_or_default();
    let width = levels.len().div_ceil(BARS).max(1);
    let bars: Vec<u64> = levels.chunks(width).map(|chunk| chunk.iter().sum()).collect();
    let most = bars.iter().copied().max().unwrap_or(0).max(1);
    html! {
        svg viewBox="0 0 330 28" style="width:330px;background:none" role="img" aria-label="histogram" {
            @for (index, &count) in bars.iter().enumerate() {
                @let height = if count == 0 { 0.0 } else { (count as f64 / most as f64 * 26.0).max(1.5) };
                rect .flight x=(px(index as f64 * 10.0)) y=(px(27.0 - height)) width="8.5" height=(px(height)) {
                    title { (index * width + 1) @if width > 1 { "–" ((index + 1) * width) } " in flight: " (count) " times" }
                }
            }
        }
    }
}

/// The instructions that were executed most.
pub fn hot(recording: &Recording) -> Markup {
    let mut sites: Vec<&Seen> = recording.sites.iter().filter(|site| site.count > 0).collect();
    sites.sort_by_key(|site| (std::cmp::Reverse(site.count), site.at));
    let most = sites.first().map_or(1, |site| site.count);
    html! {
        h3 { "Hot instructions" }
        figure .hot {
            table {
                tr { th .number { "executed" } th {} th { "instruction" } th { "source" } }
                @for site in sites.iter().take(HOT) {
                    tr {
                        td .number { (site.count) }
                        td style="width:9rem" { span .bar style={ "width:" (px(site.count as f64 / most as f64 * 100.0)) "%" } {} }
                        td .mono { (site.text) }
                        td .dim { @if let Some(source) = &site.source { (source) } }
                    }
                }
            }
            @if sites.len() > HOT {
                figcaption { (sites.len() - HOT) " more instructions were executed: see the listing." }
            }
        }
    }
}

/// Who wrote and read which bytes of LDS, over all workgroups.
pub fn lds(recording: &Recording) -> Markup {
    let mut sites: Vec<_> = recording.lds.iter().collect();
    if sites.is_empty() {
        return html! {};
    }
    sites.sort_by_key(|(site, used)| (used.written.is_empty(), recording.site(**site).at));
    let touched = sites.iter().map(|(_, used)| used.written.len().max(used.read.len())).max().unwrap_or(0);
    let cells = touched.max((u64::from(recording.lds_bytes).div_ceil(LDS_CELL)) as usize).max(1);
    let shown = sites.len().min(LDS_SITES);
    let (left, right, row) = (430.0, 1090.0, 18.0);
    let height = 30.0 + shown as f64 * row;
    let columns = cells.min(LDS_COLUMNS);
    let (per, wide) = (cells.div_ceil(columns), (right - left) / cells as f64);
    let runs = |counts: &[u32]| -> Vec<(usize, usize)> {
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for (index, chunk) in counts.chunks(per).enumerate() {
            if chunk.iter().any(|&count| count > 0) {
                let (from, to) = (index * per, (index * per + chunk.len()).min(cells));
                match runs.last_mut() {
                    Some((_, end)) if *end == from => *end = to,
                    _ => runs.push((from, to)),
                }
            }
        }
        runs
    };
    html! {
        h3 { "LDS" }
        figure .lds {
            svg viewBox={ "0 0 1100 " (height) } role="img" aria-label="who touched which bytes of LDS" {
                @for quarter in 0..=4 {
                    @let x = left + (right - left) * f64::from(quarter) / 4.0;
                    line .grid x1=(px(x)) x2=(px(x)) y1="16" y2=(px(height)) {}
                    text .dim x=(px(x)) y="11" text-anchor=(match quarter { 0 => "start", 4 => "end", _ => "middle" }) {
                        (format!("{:#x}", cells as u64 * LDS_CELL * u64::from(quarter as u8) / 4))
                    }
                }
                @for (index, (site, used)) in sites.iter().take(shown).enumerate() {
                    @let y = 22.0 + index as f64 * row;
                    @let seen = recording.site(**site);
                    @let label: String = seen.text.chars().take(54).collect();
                    g {
                        title { (seen.text) @if let Some(source) = &seen.source { "\n" (source) } }
                        text x="6" y=(px(y + 10.0)) { (label) }
                        @for (class, verb, counts) in [("wrote", "writes", &used.written), ("readit", "reads", &used.read)] {
                            @let (offset, tall) = match (used.written.is_empty(), used.read.is_empty(), class) {
                                (false, false, "readit") => (7.0, 6.0),
                                (false, false, _) => (0.0, 6.0),
                                _ => (0.0, 13.0),
                            };
                            @for (from, to) in runs(counts) {
                                rect class=(class) x=(px(left + from as f64 * wide)) y=(px(y + offset)) width=(px(((to - from) as f64 * wide).max(1.0))) height=(px(tall)) {
                                    title {
                                        (verb) " " (format!("{:#x}-{:#x}", from as u64 * LDS_CELL, to as u64 * LDS_CELL))
                                        ", up to " (counts[from..to.min(counts.len())].iter().max().copied().unwrap_or(0)) " times\n"
                                        (seen.text)
                                    }
                                }
                            }
                        }
                    }
                }
            }
            figcaption {
                "Who wrote and read which bytes, all " "workgroups on one another, in pieces of " (per as u64 * LDS_CELL) " bytes."
                span .key { i style="background:#17a589" {} "written" i style="background:#5b8def" {} "read" }
                @if sites.len() > shown { " " (sites.len() - shown) " more instructions touch LDS." }
            }
        }
    }
}

/// How much of the code was executed, and the listing of it.
pub fn coverage(coverage: &Coverage, recording: Option<&Recording>, lines: SourceLine<'_>) -> Markup {
    let executed = coverage.instructions;
    let share = executed.executed as f64 / executed.total.max(1) as f64 * 100.0;
    html! {
        h3 { "Coverage" }
        figure .coverage {
            div .meter { div style={ "width:" (px(share)) "%" } {} }
            figcaption { "executed: " (coverage_text(coverage)) }
        }
        @if let Some(recording) = recording {
            details {
                summary { "listing, with how often each instruction was executed" }
                (listing(recording, lines))
            }
        }
    }
}

/// The instructions by address, each with its count; a source line before the first instruction that is of it.
fn listing(recording: &Recording, lines: SourceLine<'_>) -> Markup {
    let mut sites: Vec<&Seen> = recording.sites.iter().collect();
    sites.sort_by_key(|site| site.at);
    let mut last = None;
    let mut rows = Vec::with_capacity(sites.len());
    for site in sites {
        let place = site.source.as_deref().and_then(split_source).map(|(file, line, _)| (file, line));
        let new = place.filter(|_| place != last && !is_itself(place, site, lines));
        last = place;
        let heading =
            new.map(|(file, line)| format!("{file}:{line} {}", lines(file, line).unwrap_or_default().trim()));
        let count = if site.count == 0 { "never".to_owned() } else { site.count.to_string() };
        rows.push((
            heading,
            site.count == 0,
            format!("{count:>10} {:>8}  {}", site.at.to_string(), site.text),
        ));
    }
    html! {
        pre .listing {
            @for (heading, never, row) in &rows {
                @if let Some(heading) = heading { span .dim { (heading) } "\n" }
                @if *never { span .never { (row) } } @else { (row) }
                "\n"
            }
        }
    }
}

/// Whether the source line is the instruction: of assembly it is.
fn is_itself(place: Option<(&str, u32)>, site: &Seen, lines: SourceLine<'_>) -> bool {
    let text = place.and_then(|(file, line)| lines(file, line));
    let mnemonic = site.text.split_whitespace().next().unwrap_or_default();
    text.is_some_and(|text| text.contains(mnemonic))
}
