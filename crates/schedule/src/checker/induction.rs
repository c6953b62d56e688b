//! Symbols: that what is right for one value is right for all that are a multiple of a step away from it, and where
//! something is wrong, that nothing is which has nothing to do with what was found. (Of several operations that access
//! an element one after the other, the walk names one.)
//!
//! Notation. The trace of the value *n* is T₀, that of *n + k·step* is T_k. The loops whose length depends on the symbol
//! are *growing*: a step adds one *period* of iterations to each. A growing loop of T₀ is
//!
//! ```text
//! fill, period 1, …, period m, drain
//! ```
//!
//! where all periods are the same but for the places of their accesses, which move by a constant (*along* the loop)
//! from one to the next. This is looked up in T₀.
//!
//! Structure. T_k is T₀ with k more periods in each growing loop. For this [`Shifts`] goes through the function with the
//! symbol moved by a step: control outside of growing loops stays; that of fill and periods stays with the variable
//! where it was, that of periods and drain with the variable moved by a period; each again and again. So the
//! iterations of T_k+1 are those of T_k, the first ones where they were, the last ones moved. Accesses move by
//! constants: at *rest* when the variable stays, and *moved* when it moves (along = moved - rest).
//!
//! Conflicts. Take periods out from between an operation and an access, and fewer waits with fewer commits before them
//! are left: what is in flight at the access in T_k is in flight at the one that stands for it in T₀. The one that
//! stands for it is as many periods after the operation, or m - 1 if that is less. A conflict in T_k is thus one of a
//! pair of T₀ in flight whose boxes meet when moved by a combination, with coefficients from 0 on, of:
//!
//! * in one execution of a growing loop (operation in period 1): the difference of the two along; that at rest; and the
//!   access's along, for what is further away, if it is in period m;
//! * else, where an operation in a loop is counted from the end of it and an access from the beginning: the
//!   difference of their moves with k; the operation's along if it is in period 1; the access's along if it is in period m.
//!
//! With all coefficients 0 it is the pair of T₀, which the walk has judged; for the rest [`apart`] must hold.
//!
//! What is complete at the access in T₀ is so in T_k, and needs no wait more than there. Where such boxes meet in T_k
//! only, the waits of their queue must stay as they are: the advice of the walked values is not for them.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use wavemark_tile::VarId;

use super::footprint::{self, Bounds};
use super::interval::Interval;
use super::program::{Access, LoopNode, SiteId};
use super::shifts::{Ends, Shift, Shifts, Visitor};
use super::trace::{self, Event, Fate, Touch, Trace};
use super::walk::{Walker, rule};

/// What the walk with `walker`'s constants found holds for `var` moved by `by`, and again, and so on.
pub(super) fn goes_on(walker: &mut Walker<'_>, var: VarId, by: i64) -> bool {
    prove(walker, var, by).is_some()
}

fn prove(walker: &mut Walker<'_>, var: VarId, by: i64) -> Option<()> {
    let mut growing = Growing::default();
    shifts(walker, var, by).node(&walker.program.body, &mut growing)?;
    let places: FxHashSet<SiteId> = growing.periods.keys().copied().collect();
    let (program, shapes) = (walker.program, walker.shapes);
    let trace = trace::trace(program, shapes, &walker.constants, walker.negative, &places)?;
    let fates = trace.fates();
    let iterations = iterations(&trace);
    let stretches = windows(&trace, &iterations, &growing.periods)?;
    let choices = stretches.values().map(Vec::len).max().unwrap_or(1);
    for choice in 0..choices.min(MAX_CHOICES) {
        let chosen = |windows: &Vec<Window>| windows[choice.min(windows.len() - 1)];
        // Few periods, and they are far from where the loop begins; many, and what is far from an operation is complete.
        let mut most = stretches.values().map(|windows| chosen(windows).periods()).max().unwrap_or(2);
        loop {
            let windows =
                stretches.iter().map(|(&place, windows)| (place, chosen(windows).last(most))).collect();
            if let Some(pinned) = with_windows(walker, var, by, &trace, &fates, &iterations, windows) {
                walker.uses.pin(pinned.into_iter());
                return Some(());
            }
            if most <= 2 {
                break;
            }
            most = (most / 2).max(2);
        }
    }
    None
}

/// Stretches of a growing loop that are tried.
const MAX_CHOICES: usize = 4;

fn shifts<'a>(walker: &Walker<'a>, var: VarId, by: i64) -> Shifts<'a> {
    let mut shifts = Shifts::new(walker.program, walker.shapes, walker.constants.clone());
    shifts.vars.insert(var, by);
    shifts.concrete = true;
    shifts
}

/// The growing loops, and by how many iterations they grow.
#[derive(Default)]
struct Growing {
    periods: FxHashMap<SiteId, i64>,
}

impl Visitor for Growing {
    fn access(&mut self, _: &Shifts<'_>, _: &Access, _: Shift) -> Option<()> {
        Some(())
    }

    fn growing(&mut self, _: &mut Shifts<'_>, node: &LoopNode, growth: i64) -> Option<()> {
        self.periods.insert(node.place, growth);
        (growth > 0).then_some(())
    }
}

/// The periods of a growing loop, as values of its variable.
#[derive(Clone, Copy, Debug)]
struct Window {
    start: i64,
    end: i64,
    period: i64,
}

impl Window {
    fn periods(&self) -> i64 {
        (self.end - self.start) / self.period
    }

    /// The last `most` whole periods.
    fn last(&self, most: i64) -> Window {
        Window { start: self.end - self.periods().min(most) * self.period, ..*self }
    }

    fn contains(&self, value: i64) -> bool {
        (self.start..self.end).contains(&value)
    }
}

/// By run: the steps of each iteration.
type Iterations = Vec<Vec<std::ops::Range<usize>>>;

fn iterations(trace: &Trace) -> Iterations {
    let length = |run: &trace::Run| usize::try_from(run.end - run.min).unwrap_or(0);
    let mut iterations: Iterations = trace.runs.iter().map(|run| vec![0..0; length(run)]).collect();
    for (at, step) in trace.steps.iter().enumerate() {
        let Some((run, value)) = step.iteration else { continue };
        let place = &mut iterations[run as usize][(value - trace.runs[run as usize].min) as usize];
        *place = if place.end == 0 { at..at + 1 } else { place.start..at + 1 };
    }
    iterations
}

/// Of each growing loop the stretches, last first, in which iterations are like those a period later: two periods at
/// least. Where conditions flip at some iteration there are several.
fn windows(
    trace: &Trace,
    iterations: &Iterations,
    periods: &FxHashMap<SiteId, i64>,
) -> Option<FxHashMap<SiteId, Vec<Window>>> {
    let mut windows = FxHashMap::default();
    for (&place, &period) in periods {
        let runs: Vec<usize> = (0..trace.runs.len()).filter(|&run| trace.runs[run].place == place).collect();
        // A loop that does not run in the trace has no periods that could be told.
        let trace::Run { min, end, .. } = trace.runs[*runs.first()?];
        runs.iter().all(|&run| (trace.runs[run].min, trace.runs[run].end) == (min, end)).then_some(())?;
        let like_later = |value: i64| {
            let at = (value - min) as usize;
            runs.iter().all(|&run| {
                let (now, later) =
                    (iterations[run][at].clone(), iterations[run][at + period as usize].clone());
                now.len() == later.len() && now.zip(later).all(|(now, later)| alike(trace, now, later))
            })
        };
        let mut found: Vec<Window> = Vec::new();
        let mut start = min;
        for value in min..=end - period {
            if value == end - period || !like_later(value) {
                if value - start >= period {
                    found.push(Window { start, end: value + period, period });
                }
                start = value + 1;
            }
        }
        found.reverse();
        (!found.is_empty()).then_some(())?;
        windows.insert(place, found);
    }
    Some(windows)
}

/// The two steps are the same but for the place of an access.
fn alike(trace: &Trace, now: usize, later: usize) -> bool {
    let queue = |group: u32| trace.queues[group as usize];
    match (&trace.steps[now].event, &trace.steps[later].event) {
        (Event::Touch(a), Event::Touch(b)) => {
            let kind = |touch: &Touch| {
                let footprint = &touch.footprint;
                (footprint.access, footprint.exact, footprint.pattern, touch.group.map(queue))
            };
            kind(a) == kind(b) && a.footprint.bounds.len() == b.footprint.bounds.len()
        }
        (Event::Commit { group: a, surely: c }, Event::Commit { group: b, surely: d }) => {
            queue(*a) == queue(*b) && c == d
        }
        (
            Event::Wait { site: a, queue: q, count: c, surely: s },
            Event::Wait { site: b, queue: r, count: d, surely: t },
        ) => (a, q, c, s) == (b, r, d, t),
        _ => false,
    }
}

/// Where an access is: outside of growing loops or in one of their parts, and how the variable moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Part {
    Outside,
    Fill,
    /// The periods, the variable where it was.
    Rest,
    /// The periods, the variable moved by one.
    Moved,
    Drain,
}

/// How each access moves.
struct Moves {
    windows: FxHashMap<SiteId, Window>,
    part: Part,
    found: FxHashMap<(u32, Part), Shift>,
}

impl Visitor for Moves {
    fn access(&mut self, _: &Shifts<'_>, access: &Access, shift: Shift) -> Option<()> {
        let known = self.found.entry((access.number, self.part)).or_insert_with(|| shift.clone());
        (*known == shift).then_some(())
    }

    fn growing(&mut self, shifts: &mut Shifts<'_>, node: &LoopNode, growth: i64) -> Option<()> {
        let window = *self.windows.get(&node.place)?;
        let (min, extent) =
            (shifts.env.eval(&node.min).as_point()?, shifts.env.eval(&node.extent).as_point()?);
        let plain =
            self.part == Part::Outside && node.step.as_ref().is_none_or(|step| step.as_int() == Some(1));
        (plain && growth == window.period && shifts.expr(&node.min)? == 0).then_some(())?;
        let parts = [
            (Part::Fill, min, window.start, 0),
            (Part::Rest, window.start, window.end, 0),
            (Part::Moved, window.start, window.end, growth),
            (Part::Drain, window.end, min + extent, growth),
        ];
        for (part, start, end, by) in parts {
            if start < end {
                self.part = part;
                shifts.env.set(node.var, Interval::new(start, end - 1));
                shifts.vars.insert(node.var, by);
                shifts.node(&node.body, self)?;
            }
        }
        self.part = Part::Outside;
        Some(())
    }
}

/// An access of T₀ and how those that it stands for lie.
struct Pattern<'a> {
    at: usize,
    touch: &'a Touch,
    /// In the periods of a run: which, and in the first or the last one.
    steady: Option<(u32, bool, bool)>,
    /// By how much it moves with the symbol; in periods, counted from the beginning of the loop.
    rest: Shift,
    /// The same; in periods, counted from the end of the loop.
    moved: Shift,
}

impl Pattern<'_> {
    /// From a period to the next.
    fn along(&self) -> Shift {
        let of = |moved: &Ends, rest: &Ends| Ends {
            lo: moved.lo.saturating_sub(rest.lo),
            hi: moved.hi.saturating_sub(rest.hi),
        };
        self.moved.iter().zip(&self.rest).map(|(moved, rest)| of(moved, rest)).collect()
    }
}

/// How the distance of two boxes changes, a dimension.
#[derive(Clone, Copy, Debug)]
struct Drift {
    /// That from the end of the first to the beginning of the second.
    ahead: i64,
    /// That from the beginning of the first to the end of the second.
    behind: i64,
}

type Drifts = SmallVec<[Drift; 3]>;

/// The second box moves by `second`, and the first by `first`.
fn drifts(first: &Shift, second: &Shift) -> Drifts {
    let of = |first: &Ends, second: &Ends| Drift {
        ahead: second.lo.saturating_sub(first.hi),
        behind: second.hi.saturating_sub(first.lo),
    };
    first.iter().zip(second).map(|(first, second)| of(first, second)).collect()
}

/// The sites of waits that must stay as they are; `None` where there is no proof.
fn with_windows(
    walker: &Walker<'_>,
    var: VarId,
    by: i64,
    trace: &Trace,
    fates: &[Fate],
    iterations: &Iterations,
    windows: FxHashMap<SiteId, Window>,
) -> Option<FxHashSet<u32>> {
    let mut moves = Moves { windows, part: Part::Outside, found: FxHashMap::default() };
    let mut shifts = shifts(walker, var, by);
    shifts.node(&walker.program.body, &mut moves)?;
    (shifts.limit == i64::MAX).then_some(())?;
    let patterns = patterns(trace, &moves)?;
    move_along(trace, iterations, &moves, &patterns).then_some(())?;
    let mut by_buffer: FxHashMap<_, Vec<&Pattern<'_>>> = FxHashMap::default();
    for pattern in patterns.iter().flatten() {
        by_buffer.entry(pattern.touch.footprint.buffer).or_default().push(pattern);
    }
    let mut pinned = FxHashSet::default();
    for patterns in by_buffer.values() {
        for (index, x) in patterns.iter().enumerate() {
            let Some(group) = x.touch.group else { continue };
            for y in &patterns[index + 1..] {
                judge(walker, trace, fates[group as usize], x, y, &mut pinned)?;
            }
        }
    }
    Some(pinned)
}

/// By step: its access; `None` where it is not known how one moves.
fn patterns<'a>(trace: &'a Trace, moves: &Moves) -> Option<Vec<Option<Pattern<'a>>>> {
    let pattern = |(at, step): (usize, &'a trace::Step)| {
        let Event::Touch(touch) = &step.event else { return Some(None) };
        let shift = |part| {
            let shift = moves.found.get(&(touch.footprint.access, part))?.clone();
            (shift.len() == touch.footprint.bounds.len()).then_some(shift)
        };
        let fixed = |part| Some((None, shift(part)?, shift(part)?));
        let (steady, rest, moved) = match step.iteration {
            None => fixed(Part::Outside)?,
            Some((run, value)) => {
                let window = moves.windows.get(&trace.runs[run as usize].place)?;
                if window.contains(value) {
                    let first = value < window.start + window.period;
                    let last = value >= window.end - window.period;
                    (Some((run, first, last)), shift(Part::Rest)?, shift(Part::Moved)?)
                } else if value < window.start {
                    fixed(Part::Fill)?
                } else {
                    fixed(Part::Drain)?
                }
            }
        };
        Some(Some(Pattern { at, touch, steady, rest, moved }))
    };
    trace.steps.iter().enumerate().map(pattern).collect()
}

/// The accesses of each period are those of the one before, moved along.
fn move_along(
    trace: &Trace,
    iterations: &Iterations,
    moves: &Moves,
    patterns: &[Option<Pattern<'_>>],
) -> bool {
    trace.runs.iter().zip(iterations).all(|(run, iterations)| {
        let Some(window) = moves.windows.get(&run.place) else { return false };
        (window.start..window.end - window.period).all(|value| {
            let at = (value - run.min) as usize;
            let steps = iterations[at].clone().zip(iterations[at + window.period as usize].clone());
            steps.into_iter().all(|(now, later)| match (&patterns[now], &patterns[later]) {
                (Some(now), Some(later)) => {
                    let bounds = now.touch.footprint.bounds.iter().zip(now.along());
                    let moved = |bounds: &Interval, along: Ends| {
                        Interval::new(bounds.lo.saturating_add(along.lo), bounds.hi.saturating_add(along.hi))
                    };
                    bounds
                        .zip(&later.touch.footprint.bounds)
                        .all(|((bounds, along), later)| moved(bounds, along) == *later)
                }
                (now, later) => now.is_none() && later.is_none(),
            })
        })
    })
}

/// The moves of `y` against `x` that tell the pairs of all T_k for which this one stands; `None` where another does.
fn moves_apart(x: &Pattern<'_>, y: &Pattern<'_>) -> Option<SmallVec<[Drifts; 3]>> {
    let mut moves: SmallVec<[Drifts; 3]> = SmallVec::new();
    let nothing: Shift = x.rest.iter().map(|_| Ends { lo: 0, hi: 0 }).collect();
    match (x.steady, y.steady) {
        (Some((a, first, _)), Some((b, ..))) if a == b => {
            if !first {
                return None;
            }
            moves.push(drifts(&x.along(), &y.along()));
            moves.push(drifts(&x.rest, &y.rest));
        }
        _ => {
            moves.push(drifts(&x.moved, &y.rest));
            if matches!(x.steady, Some((_, true, _))) {
                // Further back.
                let back = x
                    .along()
                    .iter()
                    .map(|along| Ends { lo: along.lo.saturating_neg(), hi: along.hi.saturating_neg() })
                    .collect();
                moves.push(drifts(&back, &nothing));
            }
        }
    }
    if matches!(y.steady, Some((_, _, true))) {
        moves.push(drifts(&nothing, &y.along()));
    }
    moves.retain(|by| by.iter().any(|by| by.ahead != 0 || by.behind != 0));
    Some(moves)
}

/// Some(()) when the pairs that `x`, an operation with this fate, and the later access `y` stand for are no new conflict.
fn judge(
    walker: &Walker<'_>,
    trace: &Trace,
    fate: Fate,
    x: &Pattern<'_>,
    y: &Pattern<'_>,
    pinned: &mut FxHashSet<u32>,
) -> Option<()> {
    let (a, b) = (&x.touch.footprint, &y.touch.footprint);
    if !(a.write || b.write) || x.touch.execution == y.touch.execution {
        return Some(());
    }
    let Some(moves) = moves_apart(x, y) else { return Some(()) };
    if moves.is_empty() {
        return Some(());
    }
    if fate.complete < y.at {
        if !footprint::overlap(&a.bounds, &b.bounds) && !apart(&a.bounds, &b.bounds, &moves) {
            let queue = trace.queues[x.touch.group? as usize];
            pinned.extend(trace.steps.iter().filter_map(|step| match step.event {
                Event::Wait { site, queue: of, .. } if of == queue => Some(site),
                _ => None,
            }));
        }
        return Some(());
    }
    let queue = |touch: &Touch| touch.group.map(|group| trace.queues[group as usize]);
    let same_queue = fate.committed < y.at && queue(x.touch) == queue(y.touch);
    if same_queue && b.write {
        // The order of completion orders the two.
        return Some(());
    }
    let same_group = x.touch.group == y.touch.group;
    let known = walker.is_known(rule(same_group, a.write, b.write), a.place, b.place);
    (known || apart(&a.bounds, &b.bounds, &moves)).then_some(())
}

/// The boxes do not meet when moved by any combination of `moves` with coefficients from 0 on, not all 0.
fn apart(x: &Bounds, y: &Bounds, moves: &[Drifts]) -> bool {
    if x.len() != y.len() {
        return false;
    }
    // In each dimension: they meet while `ahead <= 0 <= behind`.
    let dims = || x.iter().zip(y).map(|(x, y)| (y.lo - x.hi, y.hi - x.lo)).enumerate();
    if let [by] = moves {
        // The coefficients with which they meet are an interval.
        let (mut first, mut last) = (1, i64::MAX);
        for (dim, (ahead, behind)) in dims() {
            // `value + coefficient * by <= 0` for both.
            for (value, by) in [(ahead, by[dim].ahead), (-behind, by[dim].behind.saturating_neg())] {
                match by {
                    0 if value > 0 => return true,
                    0 => {}
                    _ if by > 0 => last = last.min((-value).div_euclid(by)),
                    _ => first = first.max(-(-value).div_euclid(-by)),
                }
            }
        }
        return first > last;
    }
    // One dimension in which they lie apart and none of the moves brings them nearer.
    dims().any(|(dim, (ahead, behind))| {
        ahead > 0 && moves.iter().all(|by| by[dim].ahead >= 0)
            || behind < 0 && moves.iter().all(|by| by[dim].behind <= 0)
    })
}
