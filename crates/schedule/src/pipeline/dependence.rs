//! What a pipeline must keep: the order of accesses to one buffer, and the completion of asynchronous accesses.
//!
//! A buffer of the iteration's own has `n` versions, used in turn, so that iterations `j` and `j + n` meet in one
//! place. Any other buffer is one place, and two accesses of different iterations meet where their regions may.
//!
//! Promises: a schedule that [`check`] accepts executes any two accesses that may conflict in the order of the
//! source, and [`needs`] has every pair of which the first is asynchronous. Regions are the blocks' declared ones
//! (joined with what the block is seen to touch); two threads are not compared.
//!
//! Takes time linear in the statements, but for pairs that are out of order or that wait for one another: each access
//! is first asked whether the accesses of its buffer have such a partner at all, by their least stages and positions.

use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use wavemark_diag::Diagnostic;
use wavemark_tile::{BufferId, Expr, For, Function, Range, Region, VarId, arith::Analyzer, fold};

use super::annotations::{Request, at};
use super::discover::Statement;
use super::timeline::{Need, Reason};

/// A loop under analysis.
pub struct Loop<'a> {
    /// The function.
    pub function: &'a Function,
    /// The loop variable.
    pub var: VarId,
    /// Its range.
    pub range: Range,
    /// The statements of its body.
    pub statements: &'a [Statement],
    /// What is asked for.
    pub request: &'a Request,
    accesses: Accesses<'a>,
}

/// An access of a statement to a buffer.
#[derive(Clone, Copy)]
pub(super) struct Access<'a> {
    pub(super) statement: usize,
    pub(super) writes: bool,
    pub(super) region: &'a Region,
}

/// The accesses to each buffer, in source order, reads of a statement before its writes; buffers in the order of
/// their first access.
struct Accesses<'a> {
    places: FxHashMap<BufferId, usize>,
    /// A buffer and where its accesses end, in both lists; they begin where those of the buffer before it end.
    buffers: Vec<(BufferId, [usize; 2])>,
    all: Vec<Access<'a>>,
    writes: Vec<Access<'a>>,
}

/// The accesses to one buffer.
#[derive(Clone, Copy)]
pub(super) struct OfBuffer<'a> {
    pub(super) buffer: BufferId,
    pub(super) all: &'a [Access<'a>],
    /// Those of them that write.
    pub(super) writes: &'a [Access<'a>],
}

impl<'a> Accesses<'a> {
    fn of(statements: &'a [Statement]) -> Accesses<'a> {
        let mut places: FxHashMap<BufferId, usize> =
            FxHashMap::with_capacity_and_hasher(2 * statements.len(), FxBuildHasher);
        // First how many there are, then where those of a buffer begin, and in the end where they end.
        let mut buffers: Vec<(BufferId, [usize; 2])> = Vec::new();
        for_each_access(statements, |access| {
            let place = *places.entry(access.region.buffer).or_insert_with(|| {
                buffers.push((access.region.buffer, [0, 0]));
                buffers.len() - 1
            });
            buffers[place].1[0] += 1;
            buffers[place].1[1] += usize::from(access.writes);
        });
        let mut total = [0, 0];
        for (_, counts) in &mut buffers {
            for (count, total) in counts.iter_mut().zip(&mut total) {
                *total += std::mem::replace(count, *total);
            }
        }
        let Some(first) = statements.iter().flat_map(|node| node.reads().iter().chain(node.writes())).next()
        else {
            return Accesses { places, buffers, all: Vec::new(), writes: Vec::new() };
        };
        let nothing = Access { statement: 0, writes: false, region: first };
        let (mut all, mut writes) = (vec![nothing; total[0]], vec![nothing; total[1]]);
        for_each_access(statements, |access| {
            let [next, next_write] = &mut buffers[places[&access.region.buffer]].1;
            all[*next] = access;
            *next += 1;
            if access.writes {
                writes[*next_write] = access;
                *next_write += 1;
            }
        });
        Accesses { places, buffers, all, writes }
    }

    fn at(&self, place: usize) -> OfBuffer<'_> {
        let [start, first_write] = place.checked_sub(1).map_or([0, 0], |before| self.buffers[before].1);
        let (buffer, [end, last_write]) = self.buffers[place];
        OfBuffer { buffer, all: &self.all[start..end], writes: &self.writes[first_write..last_write] }
    }

    fn each(&self) -> impl Iterator<Item = OfBuffer<'_>> {
        (0..self.buffers.len()).map(|place| self.at(place))
    }
}

fn for_each_access<'a>(statements: &'a [Statement], mut visit: impl FnMut(Access<'a>)) {
    for (statement, node) in statements.iter().enumerate() {
        node.reads().iter().for_each(|region| visit(Access { statement, writes: false, region }));
        node.writes().iter().for_each(|region| visit(Access { statement, writes: true, region }));
    }
}

/// Whether the boxes share an element, where constants tell: at any distance.
pub(super) fn overlap_of_constants(a: &Region, b: &Region) -> Option<bool> {
    let mut all = Some(true);
    for (a, b) in a.ranges.iter().zip(&b.ranges) {
        match (a.constants(), b.constants()) {
            (Some(a), Some(b)) if a.1 <= b.0 || b.1 <= a.0 => return Some(false),
            (Some(_), Some(_)) => {}
            _ => all = None,
        }
    }
    all
}

impl<'a> Loop<'a> {
    /// The loop of `node` around `body`.
    pub fn new(
        function: &'a Function,
        node: &For,
        statements: &'a [Statement],
        request: &'a Request,
    ) -> Loop<'a> {
        let range = Range { min: node.min.clone(), extent: node.extent.clone() };
        Loop { function, var: node.var, range, statements, request, accesses: Accesses::of(statements) }
    }

    /// The accesses to `buffer`, if there are any.
    pub(super) fn accesses(&self, buffer: BufferId) -> Option<OfBuffer<'_>> {
        self.accesses.places.get(&buffer).map(|&place| self.accesses.at(place))
    }

    /// The accesses to each buffer, in the order of their first.
    pub(super) fn accesses_by_buffer(&self) -> impl Iterator<Item = OfBuffer<'_>> {
        self.accesses.each()
    }

    fn stage(&self, access: &Access) -> i64 {
        self.request.stages[access.statement]
    }

    /// When it runs in the new order, iteration for iteration.
    fn time(&self, access: &Access) -> (i64, usize) {
        (self.stage(access), self.request.positions[access.statement])
    }

    fn statement(&self, index: usize) -> &Statement {
        &self.statements[index]
    }

    /// In the new order `a` of iteration `i` comes before `b` of iteration `i + distance`.
    fn comes_before(&self, a: usize, b: usize, distance: i64) -> bool {
        let (from, to) = (self.request.stages[a], distance + self.request.stages[b]);
        from < to || from == to && self.request.positions[a] < self.request.positions[b]
    }

    /// The two regions may share an element when `b` is `distance` iterations after `a`.
    fn may_overlap(&self, a: &Region, b: &Region, distance: &Expr, analyzer: &mut Analyzer) -> bool {
        if let Some(overlap) = overlap_of_constants(a, b) {
            return overlap;
        }
        let var = self.function.var_expr(self.var);
        let later = fold::add(var, distance.clone());
        a.ranges.iter().zip(&b.ranges).all(|(a, b)| {
            if a.constants().is_some() && b.constants().is_some() {
                return true;
            }
            let b_min = b.min.substitute(self.var, &later);
            let a_end = fold::add(a.min.clone(), a.extent.clone());
            if analyzer.can_prove(&fold::le(a_end, b_min.clone())) {
                return false;
            }
            let b_end = fold::add(b_min, b.extent.substitute(self.var, &later));
            !analyzer.can_prove(&fold::le(b_end, a.min.clone()))
        })
    }

    /// One that knows the range of the loop variable.
    pub(super) fn analyzer(&self) -> Analyzer {
        let mut analyzer = Analyzer::new();
        analyzer.bind(self.var, &self.range);
        analyzer
    }

    fn name(&self, buffer: BufferId) -> &str {
        &self.function.buffer(buffer).name
    }

    fn out_of_order(&self, first: usize, second: usize, buffer: BufferId, what: &str) -> Diagnostic {
        let (first, second) = (self.statement(first), self.statement(second));
        let schedule = |statement: &Statement| {
            let index = statement.number;
            format!("stage {}, order {}", self.request.stages[index], self.request.positions[index])
        };
        let mut diagnostic = at(
            second.span(),
            format!(
                "the pipeline would run {} ({}) before {} ({}): {what} buffer `{}`",
                second.describe(),
                schedule(second),
                first.describe(),
                schedule(first),
                self.name(buffer)
            ),
        );
        if let Some(span) = first.span() {
            diagnostic = diagnostic.label(span, "this must come first");
        }
        diagnostic
    }
}

/// Refuses a schedule that changes the order of two accesses which depend on one another. `private` are the buffers
/// that every iteration has for itself.
pub fn check(
    pipeline: &Loop,
    private: &FxHashSet<BufferId>,
    analyzer: &mut Analyzer,
) -> Result<(), Diagnostic> {
    let mut soonest = Vec::new();
    for accesses in pipeline.accesses.each().filter(|accesses| !accesses.writes.is_empty()) {
        let OfBuffer { buffer, all, writes } = accesses;
        soonest_after(pipeline, all, &mut soonest);
        for (index, a) in all.iter().enumerate() {
            if pipeline.time(a) < soonest[index].of_interest_to(a) {
                continue;
            }
            for b in &all[index + 1..] {
                same_iteration(pipeline, buffer, a, b, analyzer)?;
            }
        }
        if private.contains(&buffer) {
            continue;
        }
        let least = |accesses: &[Access]| accesses.iter().map(|access| pipeline.stage(access)).min();
        let (any, write) = (least(all), least(writes));
        for a in all {
            if Some(pipeline.stage(a)) <= if a.writes { any } else { write } {
                continue;
            }
            for b in all {
                across_iterations(pipeline, buffer, a, b, analyzer)?;
            }
        }
    }
    Ok(())
}

/// When the first of some accesses runs.
#[derive(Clone, Copy)]
struct Soonest {
    any: (i64, usize),
    write: (i64, usize),
}

impl Soonest {
    /// Of those that may conflict with `access`.
    fn of_interest_to(self, access: &Access) -> (i64, usize) {
        if access.writes { self.any } else { self.write }
    }
}

/// For each access the soonest of those after it, of other statements, in source order. (Those of its own statement
/// run at the same time as it, and count as later.)
fn soonest_after(pipeline: &Loop, accesses: &[Access], into: &mut Vec<Soonest>) {
    const NEVER: (i64, usize) = (i64::MAX, usize::MAX);
    let mut soonest = Soonest { any: NEVER, write: NEVER };
    into.clear();
    into.resize(accesses.len(), soonest);
    let mut end = accesses.len();
    while let Some(last) = accesses[..end].last() {
        let own =
            accesses[..end].iter().rev().take_while(|access| access.statement == last.statement).count();
        let start = end - own;
        into[start..end].fill(soonest);
        let time = pipeline.time(last);
        soonest.any = soonest.any.min(time);
        if accesses[start..end].iter().any(|access| access.writes) {
            soonest.write = soonest.write.min(time);
        }
        end = start;
    }
}

/// `a` is before `b` in the source.
fn same_iteration(
    pipeline: &Loop,
    buffer: BufferId,
    a: &Access,
    b: &Access,
    analyzer: &mut Analyzer,
) -> Result<(), Diagnostic> {
    let conflict = a.writes || b.writes;
    if a.statement == b.statement || !conflict || pipeline.comes_before(a.statement, b.statement, 0) {
        return Ok(());
    }
    // A read after a write is a dependence whatever the regions are: that is the rule which users know.
    if a.writes && !b.writes {
        let (writer, reader) = (pipeline.statement(a.statement), pipeline.statement(b.statement));
        let rule = if pipeline.request.stages[a.statement] > pipeline.request.stages[b.statement] {
            "its stage must be at least that of what it reads"
        } else {
            "in one stage its order must be above that of what it reads"
        };
        let what = format!("{} reads what {} writes in", reader.describe(), writer.describe());
        return Err(pipeline.out_of_order(a.statement, b.statement, buffer, &what).help(rule));
    }
    if pipeline.may_overlap(a.region, b.region, &Expr::int(0), analyzer) {
        let what = if a.writes { "both write" } else { "the first reads what the second overwrites in" };
        return Err(pipeline
            .out_of_order(a.statement, b.statement, buffer, what)
            .help("give the second use a buffer of its own, or raise its stage"));
    }
    Ok(())
}

/// `b` of a later iteration must not come before `a`, when they meet.
fn across_iterations(
    pipeline: &Loop,
    buffer: BufferId,
    a: &Access,
    b: &Access,
    analyzer: &mut Analyzer,
) -> Result<(), Diagnostic> {
    if !(a.writes || b.writes) {
        return Ok(());
    }
    let reach = pipeline.request.stages[a.statement] - pipeline.request.stages[b.statement];
    for distance in 1..=reach {
        if pipeline.comes_before(a.statement, b.statement, distance) {
            continue;
        }
        if pipeline.may_overlap(a.region, b.region, &Expr::int(distance), analyzer) {
            let what = match (a.writes, b.writes) {
                (true, false) => "a later iteration reads what the other writes in",
                (false, true) => "a later iteration overwrites what the other reads in",
                _ => "iterations write the same elements of",
            };
            return Err(pipeline
                .out_of_order(a.statement, b.statement, buffer, what)
                .note(format!("the dependence is from one iteration to the one {distance} later"))
                .help(
                    "put both into one stage, or keep the value in a buffer that the loop body allocates",
                ));
        }
    }
    Ok(())
}

/// The least number of versions of each private buffer with which no iteration overwrites what an earlier one still
/// uses, when everything runs at once.
pub fn least_versions(
    pipeline: &Loop,
    private: &FxHashSet<BufferId>,
    analyzer: &mut Analyzer,
) -> FxHashMap<BufferId, i64> {
    let mut versions = FxHashMap::with_capacity_and_hasher(private.len(), FxBuildHasher);
    for OfBuffer { buffer, all, writes } in pipeline.accesses.each() {
        if !private.contains(&buffer) {
            continue;
        }
        let mut least = 1;
        let first_write = writes.iter().map(|write| pipeline.stage(write)).min();
        for a in all {
            // One more than the gap is the most that any write can want.
            if first_write.is_none_or(|first| pipeline.stage(a) - first < least) {
                continue;
            }
            for b in writes.iter().filter(|b| b.statement != a.statement) {
                let gap = pipeline.stage(a) - pipeline.stage(b);
                let tie = pipeline.request.positions[a.statement] < pipeline.request.positions[b.statement];
                let wanted = gap + i64::from(!tie);
                if wanted > least && meets_from(pipeline, a, b, 1, analyzer) {
                    least = wanted;
                }
            }
        }
        versions.insert(buffer, least);
    }
    versions
}

/// What must have completed before each statement. Private buffers have `versions` (1 where it has no entry).
pub fn needs(
    pipeline: &Loop,
    private: &FxHashSet<BufferId>,
    versions: &FxHashMap<BufferId, i64>,
    analyzer: &mut Analyzer,
) -> Vec<Vec<(BufferId, Need)>> {
    let mut needs: Vec<Vec<(BufferId, Need)>> = vec![Vec::new(); pipeline.statements.len()];
    if pipeline.request.async_stages.is_empty() {
        return needs;
    }
    for OfBuffer { buffer, all, writes } in pipeline.accesses.each() {
        for a in all.iter().filter(|a| pipeline.request.is_async(a.statement)) {
            for b in if a.writes { all } else { writes } {
                let reason = if a.writes && !b.writes { Reason::Flow } else { Reason::Reuse };
                let distance = if private.contains(&buffer) {
                    let distance = private_distance(a, b, versions.get(&buffer).copied().unwrap_or(1));
                    // Flow is believed whatever the regions are, as in the order of statements.
                    distance.filter(|&distance| {
                        let at = Expr::int(distance);
                        reason == Reason::Flow || pipeline.may_overlap(a.region, b.region, &at, analyzer)
                    })
                } else {
                    shared_distance(pipeline, a, b, analyzer)
                };
                if let Some(distance) = distance {
                    needs[b.statement].push((buffer, Need { producer: a.statement, distance, reason }));
                }
            }
        }
    }
    needs
}

fn private_distance(a: &Access, b: &Access, versions: i64) -> Option<i64> {
    if a.statement < b.statement {
        Some(0)
    } else if b.writes {
        Some(versions)
    } else {
        None
    }
}

/// The smallest distance at which `b` may meet what `a` accessed before it. Groups of one queue complete in order,
/// so that the older ones are covered.
fn shared_distance(pipeline: &Loop, a: &Access, b: &Access, analyzer: &mut Analyzer) -> Option<i64> {
    let gap = pipeline.request.stages[a.statement] - pipeline.request.stages[b.statement];
    let same_step = a.statement != b.statement
        && pipeline.request.positions[a.statement] < pipeline.request.positions[b.statement];
    let nearest = (gap + i64::from(!same_step)).max(i64::from(a.statement >= b.statement));
    let looked_at = nearest..nearest + LOOK;
    let near = looked_at
        .clone()
        .find(|&distance| pipeline.may_overlap(a.region, b.region, &Expr::int(distance), analyzer));
    near.or_else(|| meets_from(pipeline, a, b, looked_at.end, analyzer).then_some(looked_at.end))
}

/// Distances that are looked at one by one before all the rest is asked about at once.
const LOOK: i64 = 4;

/// `b` may meet `a` when it is `least` or more iterations after it. `analyzer` is the loop's.
fn meets_from(pipeline: &Loop, a: &Access, b: &Access, least: i64, analyzer: &mut Analyzer) -> bool {
    if let Some(overlap) = overlap_of_constants(a.region, b.region) {
        return overlap;
    }
    // A variable that the function does not have yet: it stands for the distance.
    let fresh = VarId(pipeline.function.vars.len() as u32);
    analyzer.bind(fresh, &Range { min: Expr::int(least), extent: Expr::int(1 << 30) });
    let distance = Expr::Var(fresh, pipeline.function.var(pipeline.var).dtype);
    pipeline.may_overlap(a.region, b.region, &distance, analyzer)
}

/// Refuses a statement that reads what two asynchronous stages produce, as TVM does: it has one wait a statement.
pub fn one_producer_stage(pipeline: &Loop, needs: &[Vec<(BufferId, Need)>]) -> Result<(), Diagnostic> {
    for (index, needs) in needs.iter().enumerate() {
        let mut flow = needs.iter().filter(|(_, need)| need.reason == Reason::Flow && need.distance == 0);
        let Some((first_buffer, first)) = flow.next() else { continue };
        let stage = |need: &Need| pipeline.request.stages[need.producer];
        if let Some((other_buffer, other)) = flow.find(|(_, need)| stage(need) != stage(first)) {
            let statement = pipeline.statement(index);
            let source = |need: &Need, buffer| {
                format!(
                    "`{}` from {} (asynchronous stage {})",
                    pipeline.name(buffer),
                    pipeline.statement(need.producer).describe(),
                    stage(need)
                )
            };
            return Err(at(
                statement.span(),
                format!("{} depends on two asynchronous stages", statement.describe()),
            )
            .note(format!("it reads {} and {}", source(first, *first_buffer), source(other, *other_buffer)))
            .help("put the two producers into one stage, or make one of them synchronous"));
        }
    }
    Ok(())
}
