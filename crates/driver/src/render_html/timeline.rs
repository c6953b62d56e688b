//! The picture that makes a race plain: what the waves concerned did, and what they had in flight meanwhile.
//!
//! A column is one instruction of these waves that issues, waits or meets others at a barrier; those between two such
//! share a column. Below a wave's instructions are its operations, each a bar from issue to completion. Of a finding, the operation that begins it and the moment that it hurts are marked: the first time that the
//! second site was executed while an operation of the first was in flight; where there was none, the first time that the
//! second site was executed at all.

use maud::{Markup, PreEscaped, html};
use rustc_hash::FxHashSet;
use wavemark_sim::events::{Channel, Counter};

use crate::recording::{Operation, Recording, What, barrier_name, channel_name};
use crate::report::{Finding, Site};

/// Columns, at most.
const COLUMNS: usize = 150;
/// Of which so many come after the moment that is shown.
const AFTER: usize = 14;
/// Waves, at most.
const WAVES: usize = 6;
/// Bars of a wave, one below the other, at most.
const LANES: usize = 14;

/// Pixels: the picture's width, the labels', a lane's height.
const WIDTH: f64 = 1100.0;
const LEFT: f64 = 150.0;
const LANE: f64 = 17.0;

/// What a picture shows.
pub struct View<'r> {
    recording: &'r Recording,
    waves: Vec<u32>,
    /// By time.
    columns: Vec<Column>,
    /// The operation that is to blame.
    culprit: Option<usize>,
    /// When it hurts, and whom.
    moment: Option<(u64, u32)>,
}

/// One instruction that says something, or a run of those that do not.
struct Column {
    /// Time of the first instruction.
    first: u64,
    /// Time of the last one.
    last: u64,
    /// The waves, each with the site of its first instruction and their number.
    steps: Vec<(u32, u32, u32)>,
}

impl Column {
    fn of(time: u64, wave: u32, site: u32) -> Column {
        Column { first: time, last: time, steps: vec![(wave, site, 1)] }
    }

    fn add(&mut self, time: u64, wave: u32, site: u32) {
        self.last = time;
        match self.steps.iter_mut().find(|step| step.0 == wave) {
            Some((_, _, count)) => *count += 1,
            None => self.steps.push((wave, site, 1)),
        }
    }
}

/// What a wave was waiting for, if that is a barrier.
fn stays(what: &What) -> Option<String> {
    match what {
        What::BarrierWait(id, _) => Some(format!("the {}", barrier_name(*id))),
        What::Stays(words) => Some(words.clone()),
        _ => None,
    }
}

/// The picture of a finding; nothing where the run has nothing to show of it.
pub fn of_finding<'r>(recording: &'r Recording, finding: &Finding) -> Option<View<'r>> {
    let wave_of = |site: &Site| recording.wave(site.workgroup?, site.wave?);
    let waves: Vec<u32> = finding.sites.iter().filter_map(wave_of).collect();
    let (cause, effect) = (finding.sites.first()?, finding.sites.get(1).or(finding.sites.first())?);
    let (by, whom) = (wave_of(cause)?, wave_of(effect)?);
    let begins = |operation: &Operation| operation.wave == by && recording.site(operation.site).is_at(cause);
    let operations: Vec<usize> =
        (0..recording.operations.len()).filter(|&at| begins(&recording.operations[at])).collect();
    let hits = (1..).zip(&recording.steps).filter(|(_, step)| step.0 == whom);
    let mut hits = hits.filter(|(_, step)| recording.site(step.1).is_at(effect)).map(|(time, _)| time);
    let mut first = None;
    let in_flight = |time: u64| {
        operations.iter().copied().rfind(|&at| {
            let one = &recording.operations[at];
            one.issued < time && one.completed.is_none_or(|done| done >= time)
        })
    };
    let both = hits.find_map(|time| {
        first.get_or_insert(time);
        in_flight(time).map(|at| (at, time))
    });
    let time = both.map(|(_, time)| time).or(first)?;
    let culprit = both.map(|(at, _)| at);
    view(recording, &waves, time, culprit, Some((time, whom)))
}

/// The picture of a run that nothing is wrong with: its first waves, from the beginning.
pub fn of_beginning(recording: &Recording) -> Option<View<'_>> {
    let first = recording.waves.first()?.workgroup;
    let numbers = (0..).zip(&recording.waves).filter(|(_, wave)| wave.workgroup == first);
    let waves: Vec<u32> = numbers.map(|(number, _)| number).take(WAVES).collect();
    view(recording, &waves, 0, None, None)
}

/// What is to be seen around `time`.
fn view<'r>(
    recording: &'r Recording,
    waves: &[u32],
    time: u64,
    culprit: Option<usize>,
    moment: Option<(u64, u32)>,
) -> Option<View<'r>> {
    let mut waves = waves.to_vec();
    waves.sort_unstable();
    waves.dedup();
    waves.truncate(WAVES);
    let columns = columns(recording, &waves, moment.map(|(time, _)| time));
    let here = columns.partition_point(|column| column.last < time);
    let end = (here + AFTER).max(COLUMNS).min(columns.len());
    let begin = end.saturating_sub(COLUMNS);
    let columns: Vec<Column> = columns.into_iter().take(end).skip(begin).collect();
    (!columns.is_empty()).then_some(View { recording, waves, columns, culprit, moment })
}

/// The columns of these waves; what is executed at `moment` has one of its own.
fn columns(recording: &Recording, waves: &[u32], moment: Option<u64>) -> Vec<Column> {
    let issued = recording.operations.iter().filter(|one| waves.contains(&one.wave)).map(|one| one.issued);
    let moments = recording.moments.iter().filter(|one| waves.contains(&one.wave));
    let telling: FxHashSet<u64> =
        issued.chain(moments.flat_map(|one| [one.start, one.end])).chain(moment).collect();
    let mut columns: Vec<Column> = Vec::new();
    let mut open = false;
    for (time, &(wave, site)) in (1..).zip(&recording.steps) {
        if !waves.contains(&wave) {
            continue;
        }
        let tells = telling.contains(&time);
        match columns.last_mut() {
            Some(last) if open && !tells => last.add(time, wave, site),
            _ => columns.push(Column::of(time, wave, site)),
        }
        open = !tells;
    }
    columns
}

/// A bar of an operation.
struct Bar<'r> {
    number: usize,
    operation: &'r Operation,
    from: f64,
    to: f64,
    lane: usize,
}

impl View<'_> {
    /// Where a time is, from left to right: behind the columns before it.
    fn x(&self, time: u64) -> f64 {
        let before = self.columns.partition_point(|column| column.first < time);
        LEFT + before as f64 * self.step()
    }

    /// The times that the picture begins and ends with.
    fn span(&self) -> (u64, u64) {
        (
            self.columns.first().map_or(0, |column| column.first),
            self.columns.last().map_or(0, |column| column.last),
        )
    }

    fn step(&self) -> f64 {
        (WIDTH - LEFT - 10.0) / self.columns.len() as f64
    }

    /// The bars of a wave, packed into lanes, and how many did not fit.
    fn bars(&self, wave: u32) -> (Vec<Bar<'_>>, usize) {
        let (first, last) = self.span();
        let mut taken: Vec<f64> = Vec::new();
        let (mut bars, mut more) = (Vec::new(), 0);
        for (number, operation) in self.recording.operations.iter().enumerate() {
            let done = operation.completed.unwrap_or(u64::MAX);
            if operation.wave != wave || operation.issued > last || done < first {
                continue;
            }
            let from = self.x(operation.issued);
            let to = if done >= last { WIDTH - 10.0 } else { self.x(done).max(from + self.step()) };
            let free = taken.iter().position(|&until| until <= from);
            let lane = free.unwrap_or(taken.len());
            if lane >= LANES && self.culprit != Some(number) {
                more += 1;
                continue;
            }
            match taken.get_mut(lane) {
                Some(until) => *until = to + 2.0,
                None => taken.push(to + 2.0),
            }
            bars.push(Bar { number, operation, from, to, lane });
        }
        (bars, more)
    }

    /// As a document of its own.
    pub fn document(&self) -> String {
        self.draw(Some(include_str!("picture.css"))).into_string()
    }

    /// For the page, whose style it has, with a legend.
    pub fn figure(&self) -> Markup {
        let workgroups: std::collections::BTreeSet<[u32; 3]> =
            self.waves.iter().map(|&wave| self.recording.waves[wave as usize].workgroup).collect();
        html! {
            figure .timeline {
                (self.draw(None))
                figcaption {
                    "Each column is one instruction of "
                    (self.waves.len()) @if self.waves.len() == 1 { " wave" } @else { " waves" }
                    " of workgroup "
                    @for (index, [x, y, z]) in workgroups.iter().enumerate() {
                        @if index > 0 { " and " }
                        (x) "," (y) "," (z)
                    }
                    ", or a run of those that neither issue nor wait; a bar is an operation from issue to completion. "
                    @if self.culprit.is_some() {
                        "The red one is still in flight where the line is. "
                    }
                    span .key {
                        i style="background:#5b8def" {} "loads"
                        i style="background:#17a589" {} "asynchronous, tensor"
                        i style="background:#b58900" {} "LDS"
                        i style="background:#a569bd" {} "stores"
                        i style="background:#95a5a6" {} "scalar"
                        i style="background:#d08700" {} "wait"
                        i style="background:#8e44ad" {} "barrier"
                    }
                }
            }
        }
    }

    fn draw(&self, style: Option<&str>) -> Markup {
        let mut top = 26.0;
        let mut rows = Vec::new();
        for &wave in &self.waves {
            let (bars, more) = self.bars(wave);
            let lanes = bars.iter().map(|bar| bar.lane + 1).max().unwrap_or(0);
            rows.push((wave, top, bars, more));
            top += 44.0 + lanes as f64 * LANE;
        }
        let height = top;
        html! {
            svg xmlns="http://www.w3.org/2000/svg" viewBox={ "0 0 " (WIDTH) " " (height) } role="img" aria-label="timeline of the waves" {
                @if let Some(style) = style { style { (PreEscaped(style)) } }
                @for (wave, top, bars, more) in &rows { (self.wave(*wave, *top, bars, *more)) }
                @if let Some((time, _)) = self.moment {
                    @let x = self.x(time) + self.step() / 2.0;
                    line .mark x1=(px(x)) x2=(px(x)) y1="16" y2=(px(height - 4.0)) {}
                    text .marktext x=(px(x)) y="12" text-anchor=(if x > WIDTH * 0.7 { "end" } else { "middle" }) { "here it hurts" }
                }
            }
        }
    }

    fn wave(&self, wave: u32, top: f64, bars: &[Bar<'_>], more: usize) -> Markup {
        let [x, y, z] = self.recording.waves[wave as usize].workgroup;
        let number = self.recording.waves[wave as usize].wave;
        let step = self.step();
        let (first, last) = self.span();
        let moments = self.recording.moments.iter();
        let moments: Vec<_> =
            moments.filter(|one| one.wave == wave && one.end >= first && one.start <= last).collect();
        let issues = self.recording.operations.iter().filter(|one| one.wave == wave).map(|one| one.issued);
        let issues: FxHashSet<u64> = issues.collect();
        let kind = |time: u64| {
            let at = moments.iter().find(|one| one.start == time || one.end == time);
            match at.map(|one| &one.what) {
                Some(What::Wait(_) | What::Awaits(_)) => "wait",
                Some(What::Barrier(..) | What::BarrierWait(..) | What::Stays(_)) => "barrier",
                _ if issues.contains(&time) => "issue",
                _ => "",
            }
        };
        let mut free = 0.0;
        let mut labels = Vec::new();
        for one in &moments {
            let text = match &one.what {
                What::Wait(waits) => {
                    let part = |(counter, most): &(Counter, u32)| format!("{}≤{most}", counter.name());
                    Some(waits.iter().map(part).collect::<Vec<String>>().join(" "))
                }
                What::Awaits(words) => Some(words.clone()),
                _ => None,
            };
            if let Some(text) = text {
                let at = self.x(one.start);
                let until = at + text.chars().count() as f64 * 6.8;
                if at >= free && until < WIDTH && !text.is_empty() {
                    free = until + 8.0;
                    labels.push((at, text));
                }
            }
        }
        html! {
            text x="8" y=(px(top + 22.0)) { "wave " (number) }
            text .dim x="8" y=(px(top + 36.0)) { "wg " (x) "," (y) "," (z) }
            @for (at, text) in &labels { text .dim x=(px(*at)) y=(px(top + 8.0)) style="font-size:10px" { (text) } }
            @for one in &moments {
                @if let Some(whom) = stays(&one.what) {
                    @let from = self.x(one.start.max(first));
                    rect .stay x=(px(from)) y=(px(top + 12.0)) width=(px((self.x(one.end) - from).max(1.0))) height="14" {
                        title { "waits for " (whom) }
                    }
                }
            }
            @for column in &self.columns {
                @for &(_, site, count) in column.steps.iter().filter(|one| one.0 == wave) {
                    @let site = self.recording.site(site);
                    @let class = if count > 1 { "many" } else { kind(column.first) };
                    rect class={ "step " (class) } x=(px(self.x(column.first) + 0.5)) y=(px(top + 12.0)) width=(px((step - 1.0).max(0.8))) height="14" {
                        title {
                            @if count > 1 { (count) " instructions from\n" }
                            (site.text) @if let Some(source) = &site.source { "\n" (source) } "\nat " (site.at.to_string())
                        }
                    }
                }
            }
            @for bar in bars { (self.bar(bar, top + 32.0)) }
            @if more > 0 {
                text .dim x=(px(LEFT)) y=(px(top + 40.0 + LANE * LANES as f64)) { (more) " more in flight are not drawn" }
            }
        }
    }

    fn bar(&self, bar: &Bar<'_>, top: f64) -> Markup {
        let Bar { number, operation, from, to, lane } = *bar;
        let site = self.recording.site(operation.site);
        let culprit = self.culprit == Some(number);
        let kind = match operation.channel {
            _ if culprit => "culprit",
            Channel::Al | Channel::As | Channel::Td => "asynchronous",
            _ if operation.lds_written.is_some() && operation.channel == Channel::Vm => "asynchronous",
            Channel::Ds => "lds",
            Channel::Sm => "scalar",
            Channel::St => "store",
            _ => "load",
        };
        let y = top + lane as f64 * LANE;
        let room = ((to - from - 8.0) / 6.7).max(0.0) as usize;
        let text: String = site.text.chars().take(room).collect();
        html! {
            g {
                rect class={ "flight " (kind) } x=(px(from)) y=(px(y)) width=(px(to - from)) height="13" rx="2" {}
                @if room >= 6 { text x=(px(from + 4.0)) y=(px(y + 10.5)) { (text) } }
                title {
                    (site.text) "\n" (channel_name(operation.channel)) " " (operation.number)
                    @if let Some(source) = &site.source { "\n" (source) }
                    @if let Some((start, end)) = operation.lds_written { "\nwrites LDS " (format!("{start:#x}-{end:#x}")) }
                    @match operation.completed {
                        Some(done) => { "\nin flight for " (done - operation.issued) " instructions of all waves" }
                        None => "\nnever completed",
                    }
                }
            }
        }
    }
}

/// A coordinate with one digit behind the point.
pub fn px(value: f64) -> String {
    format!("{value:.1}")
}
