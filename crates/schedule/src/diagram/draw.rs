//! The layout of the picture.
//!
//! Within an iteration each statement has a slot of its own, left to right in the order in which they run, so that
//! what is between two boxes (a commit, a wait) has a place in time and vertical lines cross no box.

use rustc_hash::FxHashMap;

use super::svg::Svg;
use super::walk::{ASSUMED, Group, Section, Timeline};

/// Height of a row, of its box, of a queue's lane and of the strip above the lanes.
const ROW: f64 = 40.0;
const BOX: f64 = 24.0;
const LANE: f64 = 19.0;
const BAR: f64 = 14.0;
const STRIP: f64 = 34.0;
/// Top of the rows.
const TOP: f64 = 82.0;
/// On either side of an iteration.
const PAD: f64 = 6.0;
/// Between boxes: a commit on its left side, a wait on its right.
const GAP: f64 = 11.0;
/// Width of the place of the iterations that are left out.
const CUT: f64 = 70.0;
/// Between lines of the legend.
const LEGEND_LINE: f64 = 22.0;
/// Boxes side by side, about.
const BUDGET: usize = 28;

const INK: &str = "#222222";
const GREY: &str = "#6b6b6b";
const WAIT: &str = "#b32d2d";

/// Stroke, fill, text of the stages in turn.
const COLOURS: [(&str, &str, &str); 6] = [
    ("#2f6fb0", "#dbe9f7", "#1d4670"),
    ("#5a8f3c", "#e3f1da", "#33591d"),
    ("#b9770e", "#fbe8c8", "#6f4600"),
    ("#7a4fb0", "#eadff7", "#4a2a75"),
    ("#1f8a8a", "#d8f0f0", "#0f5252"),
    ("#a8486f", "#f8dfe9", "#6b2442"),
];

/// The columns that are drawn: some from the front, some from the back, and how many iterations lie between.
struct Shown {
    front: usize,
    back: usize,
    hidden: i64,
}

fn slots(timeline: &Timeline) -> Vec<usize> {
    let mut slots = vec![0usize; timeline.columns.len()];
    for instance in &timeline.instances {
        slots[instance.column] += 1;
    }
    slots
}

fn choose(timeline: &Timeline, slots: &[usize]) -> Shown {
    let count = slots.len();
    let skipped: i64 = timeline.columns.iter().map(|column| column.skipped).sum();
    let sum = |front: usize, back: usize| slots[..front].iter().chain(&slots[back..]).sum::<usize>();
    if skipped == 0 && sum(count, count) <= BUDGET {
        return Shown { front: count, back: count, hidden: 0 };
    }
    let of = |section| timeline.columns.iter().filter(|column| column.section == section).count();
    let (prologue, epilogue) = (of(Section::Prologue), of(Section::Epilogue));
    let mut picked = None;
    for extra in (1..=4usize).rev() {
        let (front, back) = (prologue + extra, count.saturating_sub(epilogue + extra.min(2)));
        if front < back && sum(front, back) <= BUDGET {
            picked = Some((front, back));
            break;
        }
    }
    // Even the prologue is long: what fits from both ends.
    let (front, back) = picked.unwrap_or_else(|| {
        let (mut front, mut back) = (0, count);
        while front < back && sum(front, back) < BUDGET {
            if (count - back) * 2 < front { back -= 1 } else { front += 1 }
        }
        (front, back.max(front))
    });
    Shown { front, back, hidden: (back - front) as i64 + skipped }
}

struct Layout<'t> {
    timeline: &'t Timeline,
    shown: Shown,
    /// Left edge of each drawn column.
    left: Vec<Option<f64>>,
    width: Vec<f64>,
    slot: f64,
    /// Where the left-out iterations are.
    cut: Option<f64>,
    right: f64,
    labels: f64,
}

impl<'t> Layout<'t> {
    fn new(timeline: &'t Timeline) -> Layout<'t> {
        let slots = slots(timeline);
        let shown = choose(timeline, &slots);
        let longest = timeline.rows.iter().map(|row| row.name.chars().count().min(26)).max().unwrap_or(0);
        let labels = (longest as f64 * 7.0).max(118.0) + 28.0;
        let box_width = match timeline.rows.len() {
            0..=3 => 27.0,
            _ => 24.0,
        };
        let slot = box_width + GAP;
        let (mut left, mut width) = (vec![None; slots.len()], vec![0.0; slots.len()]);
        let (mut x, mut cut) = (labels, None);
        for column in 0..slots.len() {
            if column >= shown.front && column < shown.back {
                if cut.is_none() {
                    cut = Some(x);
                    x += CUT;
                }
                continue;
            }
            left[column] = Some(x);
            width[column] = slots[column].max(1) as f64 * slot + 2.0 * PAD;
            x += width[column];
        }
        Layout { timeline, shown, left, width, slot, cut, right: x, labels }
    }

    /// The middle of the gap before a slot; `None` in a column that is left out.
    fn moment(&self, at: (usize, usize)) -> Option<f64> {
        Some(self.left.get(at.0).copied().flatten()? + PAD + at.1 as f64 * self.slot)
    }

    fn box_left(&self, column: usize, slot: usize) -> Option<f64> {
        Some(self.moment((column, slot))? + GAP / 2.0)
    }

    fn row_top(&self, row: usize) -> f64 {
        TOP + row as f64 * ROW + (ROW - BOX) / 2.0
    }

    fn colour(&self, row: usize) -> (&'static str, &'static str, &'static str) {
        let mut stages: Vec<usize> = self.timeline.rows.iter().map(|row| row.stage).collect();
        stages.sort_unstable();
        stages.dedup();
        let rank = stages.iter().position(|&stage| stage == self.timeline.rows[row].stage).unwrap_or(0);
        COLOURS[rank % COLOURS.len()]
    }

    fn group_row(&self, group: &Group) -> Option<usize> {
        group.members.first().map(|&member| self.timeline.instances[member].row)
    }
}

/// A bar of a queue.
struct Bar {
    group: usize,
    from: f64,
    to: f64,
    lane: usize,
    starts: bool,
    ends: bool,
}

/// The bars of a queue and how many lanes they need.
fn bars(layout: &Layout, queue: i64) -> (Vec<Bar>, usize) {
    let timeline = layout.timeline;
    let mut bars: Vec<Bar> = Vec::new();
    let mut lanes: Vec<f64> = Vec::new();
    for (index, group) in timeline.groups.iter().enumerate().filter(|(_, group)| group.queue == queue) {
        let start = layout.moment(group.at).map(|x| x - 2.5);
        let forced = group.forced_by.map(|wait| timeline.waits[wait].at);
        let end = forced.and_then(|at| layout.moment(at)).map(|x| x + 2.5);
        let cut = layout.cut.unwrap_or(layout.right);
        let (from, to) = match (start, end) {
            (Some(from), Some(to)) => (from, to),
            (Some(from), None) if forced.is_some() => (from, cut + CUT * 0.28),
            (Some(from), None) => (from, layout.right - 2.0),
            (None, Some(to)) => (cut + CUT * 0.72, to),
            (None, None) if forced.is_none() => (cut + CUT * 0.72, layout.right - 2.0),
            (None, None) => continue,
        };
        let lane = lanes.iter().position(|&end| end <= from + 0.1).unwrap_or(lanes.len());
        if lane == lanes.len() {
            lanes.push(to);
        } else {
            lanes[lane] = to;
        }
        bars.push(Bar { group: index, from, to, lane, starts: start.is_some(), ends: end.is_some() });
    }
    (bars, lanes.len())
}

fn clip(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let head: String = text.chars().take(most.saturating_sub(1)).collect();
    head + "…"
}

/// Draws the timeline.
pub fn draw(timeline: &Timeline) -> String {
    let layout = Layout::new(timeline);
    let mut queues: Vec<i64> = timeline.groups.iter().map(|group| group.queue).collect();
    queues.extend(timeline.waits.iter().map(|wait| wait.queue));
    queues.sort_unstable();
    queues.dedup();
    let mut y = TOP + timeline.rows.len() as f64 * ROW + 6.0;
    let mut areas = Vec::new();
    for &queue in &queues {
        let (bars, lanes) = bars(&layout, queue);
        areas.push((queue, y, bars, lanes));
        y += STRIP + lanes.max(1) as f64 * LANE + 8.0;
    }
    let bottom = y;
    let width = (layout.right + 14.0).max(700.0);
    let lines = if queues.is_empty() || width > 930.0 { 1.0 } else { 2.0 };
    let height = bottom + 22.0 + lines * LEGEND_LINE;

    let title = format!("Software pipeline of {}", timeline.function);
    let mut svg = Svg::new(width, height, &title, &describe(timeline));
    svg.rect(0.0, 0.0, width, height, 6.0, "#ffffff", "none", false);
    svg.styled_text(14.0, 24.0, "start", INK, 14.0, "bold", &title);
    if !timeline.assumed.is_empty() {
        let assumed = format!("drawn for {} = {ASSUMED}", timeline.assumed.join(" = "));
        svg.text(width - 14.0, 24.0, "end", GREY, 12.0, &assumed);
    }
    bands(&mut svg, &layout, bottom);
    rows(&mut svg, &layout);
    for (queue, y, bars, _) in &areas {
        queue_area(&mut svg, &layout, *queue, *y, bars);
    }
    boxes(&mut svg, &layout);
    legend(&mut svg, &layout, bottom + 22.0, width, !queues.is_empty());
    svg.finish()
}

/// The picture in words, for those who cannot see it.
fn describe(timeline: &Timeline) -> String {
    let rows: Vec<String> = timeline
        .rows
        .iter()
        .map(|row| {
            format!("{} (stage {}{})", row.name, row.stage, if row.is_async { ", asynchronous" } else { "" })
        })
        .collect();
    let mut counts: FxHashMap<i64, Vec<String>> = FxHashMap::default();
    for wait in &timeline.waits {
        let count = wait.count.map_or("?".to_owned(), |count| count.to_string());
        let list = counts.entry(wait.queue).or_default();
        if list.last() != Some(&count) {
            list.push(count);
        }
    }
    let mut waits: Vec<String> =
        counts.into_iter().map(|(queue, list)| format!("queue {queue}: {}", list.join(", "))).collect();
    waits.sort();
    let skipped: i64 = timeline.columns.iter().map(|column| column.skipped).sum();
    let waits = if waits.is_empty() { "none".to_owned() } else { waits.join("; ") };
    format!(
        "{} iterations of the pipeline. Statements: {}. Wait counts: {waits}.",
        timeline.columns.len() as i64 + skipped,
        rows.join(", ")
    )
}

fn bands(svg: &mut Svg, layout: &Layout, bottom: f64) {
    let columns = &layout.timeline.columns;
    let named = [(Section::Prologue, "prologue"), (Section::Body, "body"), (Section::Epilogue, "epilogue")];
    for (section, name) in named {
        let drawn: Vec<usize> = (0..columns.len())
            .filter(|&column| columns[column].section == section && layout.left[column].is_some())
            .collect();
        let (Some(&first), Some(&last)) = (drawn.first(), drawn.last()) else { continue };
        let (Some(from), Some(left)) = (layout.left[first], layout.left[last]) else { continue };
        let to = left + layout.width[last];
        let fill = if section == Section::Body { "#eef2f6" } else { "#f8f6f0" };
        svg.rect(from + 1.0, 38.0, to - from - 2.0, bottom - 38.0, 4.0, fill, "none", false);
        let size = ((to - from) / (name.len() as f64 * 0.62)).min(12.0);
        svg.styled_text((from + to) / 2.0, 54.0, "middle", INK, size, "bold", name);
        for column in drawn {
            let Some(left) = layout.left[column] else { continue };
            let middle = left + layout.width[column] / 2.0;
            let label = &columns[column].label;
            let fits = label.chars().count() as f64 * 6.0 <= layout.width[column];
            let label = if fits { label } else { label.rsplit(' ').next().unwrap_or(label) };
            svg.text(middle, 71.0, "middle", GREY, 11.0, label);
            if column != first {
                svg.path(&format!("M{left:.1} 62V{:.1}", bottom - 4.0), "#d9d9d9", 1.0, None, "none");
            }
        }
    }
    if let Some(cut) = layout.cut {
        let middle = cut + CUT / 2.0;
        let count = layout.shown.hidden;
        let rows = TOP + layout.timeline.rows.len() as f64 * ROW / 2.0;
        svg.styled_text(middle, rows - 2.0, "middle", GREY, 20.0, "bold", "⋯");
        svg.text(middle, rows + 14.0, "middle", GREY, 11.0, &format!("{count} more"));
    }
}

fn rows(svg: &mut Svg, layout: &Layout) {
    for (index, row) in layout.timeline.rows.iter().enumerate() {
        let middle = layout.row_top(index) + BOX / 2.0;
        svg.path(
            &format!("M{:.1} {middle:.1}H{:.1}", layout.labels, layout.right),
            "#cfd4da",
            1.0,
            Some("1 3"),
            "none",
        );
        let (stroke, fill, text) = layout.colour(index);
        svg.rect(6.0, layout.row_top(index), 4.0, BOX, 2.0, stroke, "none", false);
        _ = fill;
        svg.styled_text(16.0, middle - 1.0, "start", text, 12.0, "bold", &clip(&row.name, 26));
        let how = if row.is_async { ", asynchronous" } else { "" };
        svg.text(16.0, middle + 12.0, "start", GREY, 10.5, &format!("stage {}{how}", row.stage));
    }
}

fn boxes(svg: &mut Svg, layout: &Layout) {
    for instance in &layout.timeline.instances {
        let Some(x) = layout.box_left(instance.column, instance.slot) else { continue };
        let (stroke, fill, text) = layout.colour(instance.row);
        let (y, width) = (layout.row_top(instance.row), layout.slot - GAP);
        let radius = if layout.timeline.rows[instance.row].is_async { BOX / 2.0 } else { 3.0 };
        svg.rect(x, y, width, BOX, radius, fill, stroke, instance.guarded);
        let label = instance.source.to_string();
        let size = match label.len() {
            0..=2 => 12.0,
            3 => 10.5,
            _ => 8.0,
        };
        svg.text(x + width / 2.0, y + BOX / 2.0 + 4.2, "middle", text, size, &label);
    }
}

/// What a group is called on its bar.
fn group_label(layout: &Layout, group: &Group, mixed: bool, width: f64) -> String {
    let timeline = layout.timeline;
    let mut sources: Vec<String> =
        group.members.iter().map(|&member| timeline.instances[member].source.to_string()).collect();
    sources.dedup();
    let sources = sources.join(",");
    let room = (width / 6.4) as usize;
    let name =
        |&member: &usize| timeline.rows[timeline.instances[member].row].name.trim_start_matches("store to ");
    let mut rows: Vec<&str> = group.members.iter().map(name).collect();
    rows.dedup();
    let named = format!("{} {sources}", rows.join("+"));
    if mixed && named.chars().count() <= room {
        named
    } else if sources.is_empty() {
        clip("empty", room)
    } else {
        clip(&sources, room.max(1))
    }
}

fn queue_area(svg: &mut Svg, layout: &Layout, queue: i64, y: f64, bars: &[Bar]) {
    let timeline = layout.timeline;
    let lanes = y + STRIP;
    svg.path(&format!("M6 {y:.1}H{:.1}", layout.right), "#c4c9cf", 1.0, None, "none");
    svg.styled_text(16.0, y + 17.0, "start", INK, 12.0, "bold", &format!("queue {queue}"));
    svg.text(16.0, y + 31.0, "start", GREY, 10.5, "groups in flight");
    let mixed = {
        let mut rows = bars.iter().map(|bar| {
            let members = timeline.groups[bar.group].members.iter();
            members.map(|&member| timeline.instances[member].row).collect::<Vec<_>>()
        });
        let first = rows.next();
        rows.any(|row| Some(&row) != first.as_ref())
    };
    let colour = |group| layout.group_row(group).map_or((GREY, "#ececec", INK), |row| layout.colour(row));
    let top = |bar: &Bar| lanes + bar.lane as f64 * LANE;
    // All lines first: they pass under the bars.
    for bar in bars.iter().filter(|bar| bar.starts) {
        let group = &timeline.groups[bar.group];
        bracket(svg, layout, group, bar.from, top(bar) + BAR / 2.0, colour(group).0);
    }
    for bar in bars {
        let group = &timeline.groups[bar.group];
        let ((stroke, fill, text), top) = (colour(group), top(bar));
        let guarded = group.members.iter().any(|&member| timeline.instances[member].guarded);
        svg.rect(bar.from, top, bar.to - bar.from, BAR, 3.0, fill, stroke, guarded || !bar.ends);
        let label = group_label(layout, group, mixed, bar.to - bar.from);
        if bar.to - bar.from > 9.0 {
            svg.text((bar.from + bar.to) / 2.0, top + BAR / 2.0 + 3.6, "middle", text, 10.0, &label);
        }
    }
    for (index, wait) in timeline.waits.iter().enumerate().filter(|(_, wait)| wait.queue == queue) {
        let Some(x) = layout.moment(wait.at).map(|x| x + 2.5) else { continue };
        let after = timeline
            .instances
            .iter()
            .find(|instance| (instance.column, instance.slot) == wait.at)
            .map_or(TOP, |instance| layout.row_top(instance.row) - 3.0);
        let pill = y + STRIP / 2.0 - 2.0;
        svg.path(&format!("M{x:.1} {after:.1}V{:.1}", pill - 8.0), WAIT, 1.4, Some("4 2"), "none");
        let forced = bars.iter().find(|bar| {
            wait.forces == Some(bar.group) && timeline.groups[bar.group].forced_by == Some(index) && bar.ends
        });
        let fill = if wait.forces.is_some() { WAIT } else { "#ffffff" };
        if let Some(bar) = forced {
            let tip = lanes + bar.lane as f64 * LANE + BAR / 2.0;
            svg.path(&format!("M{x:.1} {pill:.1}V{tip:.1}"), WAIT, 1.4, None, "none");
            svg.path(&format!("M{x:.1} {tip:.1}l7 -4.2v8.4z"), "none", 0.0, None, WAIT);
        }
        let count = wait.count.map_or("?".to_owned(), |count| count.to_string());
        let half = if count.len() > 1 { 10.0 } else { 8.0 };
        svg.rect(x - half, pill - 8.0, 2.0 * half, 16.0, 8.0, fill, WAIT, false);
        let ink = if wait.forces.is_some() { "#ffffff" } else { WAIT };
        svg.styled_text(x, pill + 4.0, "middle", ink, 11.0, "bold", &count);
    }
}

/// From the members of a group to its bar.
fn bracket(svg: &mut Svg, layout: &Layout, group: &Group, x: f64, to: f64, stroke: &str) {
    let place = |&member: &usize| {
        let instance = &layout.timeline.instances[member];
        layout.box_left(instance.column, instance.slot).map(|x| (x, instance.row))
    };
    let members: Vec<(f64, usize)> = group.members.iter().filter_map(place).collect();
    let Some(lowest) = members.iter().map(|member| member.1).max() else {
        svg.path(&format!("M{x:.1} {:.1}V{to:.1}", to - STRIP), stroke, 1.0, None, "none");
        return;
    };
    let y = layout.row_top(lowest) + BOX + 5.0;
    let middle = (layout.slot - GAP) / 2.0;
    for (left, row) in &members {
        let x = left + middle;
        svg.path(&format!("M{x:.1} {:.1}V{y:.1}", layout.row_top(*row) + BOX), stroke, 1.2, None, "none");
    }
    let left = members.iter().map(|member| member.0 + middle).fold(x, f64::min);
    svg.path(&format!("M{left:.1} {y:.1}H{x:.1}V{to:.1}"), stroke, 1.2, None, "none");
}

/// What the marks mean; as many lines as the width asks for.
fn legend(svg: &mut Svg, layout: &Layout, top: f64, width: f64, queues: bool) {
    let (stroke, fill, text) = COLOURS[0];
    let (mut x, mut y) = (14.0, top);
    let mut item = |svg: &mut Svg, room: f64, words: &str| {
        let needed = room + words.chars().count() as f64 * 5.9;
        if x > 14.0 && x + needed > width {
            (x, y) = (14.0, y + LEGEND_LINE);
        }
        svg.text(x + room, y + 4.0, "start", GREY, 11.0, words);
        let at = (x, y);
        x += needed + 14.0;
        at
    };
    let (x, y) = item(svg, 28.0, "a statement, doing iteration 3");
    svg.rect(x, y - 8.0, 22.0, 16.0, 3.0, fill, stroke, false);
    svg.text(x + 11.0, y + 4.0, "middle", text, 11.0, "3");
    if layout.timeline.rows.iter().any(|row| row.is_async) {
        let (x, y) = item(svg, 28.0, "asynchronous");
        svg.rect(x, y - 8.0, 22.0, 16.0, 8.0, fill, stroke, false);
    }
    if queues {
        let (x, y) = item(svg, 42.0, "a group, from its commit to the wait that forces it");
        svg.path(&format!("M{x:.1} {:.1}v12", y - 8.0), stroke, 1.2, None, "none");
        svg.rect(x, y - 2.0, 36.0, 9.0, 3.0, fill, stroke, false);
        let (x, y) = item(svg, 22.0, "a wait: at most 2 groups stay in flight (filled: it forces some)");
        svg.rect(x, y - 8.0, 16.0, 16.0, 8.0, WAIT, WAIT, false);
        svg.styled_text(x + 8.0, y + 4.0, "middle", "#ffffff", 11.0, "bold", "2");
    }
}
