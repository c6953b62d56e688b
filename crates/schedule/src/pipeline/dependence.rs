//! What a pipeline must keep: the order of accesses to one buffer, and the completion of asynchronous accesses.
//!
//! A buffer of the iteration's own has `n` versions, used in turn, so that iterations `j` and `j + n` meet in one
//! place. Any other buffer is one place, and two accesses of different iterations meet where their regions may.
//!
//! Promises: a schedule that [`check`] accepts executes any two accesses that may conflict in the order of the
//! source, and [`needs`] has every pair of which the first is asynchronous. Regions are the blocks' declared ones
//! (joined with what the block is seen to touch); two threads are not compared.

use rustc_hash::{FxHashMap, FxHashSet};
use wavemark_diag::Diagnostic;
use wavemark_tile::{BufferId, Expr, For, Function, Range, Region, VarId, arith::Analyzer, fold};

use super::annotations::{Request, at};
use super::discover::{Body, Statement};
use super::timeline::{Need, Reason};

/// A loop under analysis.
pub struct Loop<'a> {
    /// The function.
    pub function: &'a Function,
    /// The loop variable.
    pub var: VarId,
    /// Its range.
    pub range: Range,
    /// The body.
    pub body: &'a Body,
    /// What is asked for.
    pub request: &'a Request,
    accesses: Accesses<'a>,
}

/// An access of a statement to a buffer.
#[derive(Clone, Copy)]
struct Access<'a> {
    statement: usize,
    writes: bool,
    region: &'a Region,
}

/// The accesses to each buffer, in source order, reads of a statement before its writes.
type Accesses<'a> = Vec<(BufferId, Vec<Access<'a>>)>;

fn accesses(body: &Body) -> Accesses<'_> {
    let mut index: FxHashMap<BufferId, usize> = FxHashMap::default();
    let mut list: Accesses = Vec::new();
    for (statement, node) in body.statements.iter().enumerate() {
        let reads = node.reads().iter().map(|region| (false, region));
        for (writes, region) in reads.chain(node.writes().iter().map(|region| (true, region))) {
            let slot = *index.entry(region.buffer).or_insert_with(|| {
                list.push((region.buffer, Vec::new()));
                list.len() - 1
            });
            list[slot].1.push(Access { statement, writes, region });
        }
    }
    list
}

/// Whether the boxes share an element, where constants tell: at any distance.
fn overlap_of_constants(a: &Region, b: &Region) -> Option<bool> {
    let mut all = Some(true);
    for (a, b) in a.ranges.iter().zip(&b.ranges) {
        let ends = |range: &Range| {
            let min = range.min.as_int()?;
            Some((min, min.checked_add(range.extent.as_int()?)?))
        };
        match (ends(a), ends(b)) {
            (Some(a), Some(b)) if a.1 <= b.0 || b.1 <= a.0 => return Some(false),
            (Some(_), Some(_)) => {}
            _ => all = None,
        }
    }
    all
}

impl<'a> Loop<'a> {
    /// The loop of `node` around `body`.
    pub fn new(function: &'a Function, node: &For, body: &'a Body, request: &'a Request) -> Loop<'a> {
        let range = Range { min: node.min.clone(), extent: node.extent.clone() };
        Loop { function, var: node.var, range, body, request, accesses: accesses(body) }
    }

    fn statement(&self, index: usize) -> &Statement {
        &self.body.statements[index]
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
            let b_min = b.min.substitute(self.var, &later);
            let b_end = fold::add(b_min.clone(), b.extent.substitute(self.var, &later));
            let a_end = fold::add(a.min.clone(), a.extent.clone());
            !analyzer.can_prove(&fold::le(a_end, b_min))
                && !analyzer.can_prove(&fold::le(b_end, a.min.clone()))
        })
    }

    fn analyzer(&self) -> Analyzer {
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
pub fn check(pipeline: &Loop, private: &FxHashSet<BufferId>) -> Result<(), Diagnostic> {
    let mut analyzer = pipeline.analyzer();
    for (buffer, accesses) in &pipeline.accesses {
        for (index, a) in accesses.iter().enumerate() {
            for b in &accesses[index + 1..] {
                same_iteration(pipeline, *buffer, a, b, &mut analyzer)?;
            }
        }
        if !private.contains(buffer) {
            for a in accesses {
                for b in accesses {
                    across_iterations(pipeline, *buffer, a, b, &mut analyzer)?;
                }
            }
        }
    }
    Ok(())
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
pub fn least_versions(pipeline: &Loop, private: &FxHashSet<BufferId>) -> FxHashMap<BufferId, i64> {
    let mut versions = FxHashMap::default();
    for (buffer, accesses) in &pipeline.accesses {
        if !private.contains(buffer) {
            continue;
        }
        let mut least = 1;
        for a in accesses {
            for b in accesses.iter().filter(|b| b.writes && b.statement != a.statement) {
                let gap = pipeline.request.stages[a.statement] - pipeline.request.stages[b.statement];
                let tie = pipeline.request.positions[a.statement] < pipeline.request.positions[b.statement];
                let wanted = gap + i64::from(!tie);
                if wanted > least && meets_from(pipeline, a, b, 1) {
                    least = wanted;
                }
            }
        }
        versions.insert(*buffer, least);
    }
    versions
}

/// What must have completed before each statement. Private buffers have `versions` (1 where it has no entry).
pub fn needs(
    pipeline: &Loop,
    private: &FxHashSet<BufferId>,
    versions: &FxHashMap<BufferId, i64>,
) -> Vec<Vec<(BufferId, Need)>> {
    let mut needs: Vec<Vec<(BufferId, Need)>> = vec![Vec::new(); pipeline.body.statements.len()];
    if pipeline.request.async_stages.is_empty() {
        return needs;
    }
    let mut analyzer = pipeline.analyzer();
    for (buffer, accesses) in &pipeline.accesses {
        for a in accesses.iter().filter(|a| pipeline.request.is_async(a.statement)) {
            for b in accesses.iter().filter(|b| a.writes || b.writes) {
                let reason = if a.writes && !b.writes { Reason::Flow } else { Reason::Reuse };
                let distance = if private.contains(buffer) {
                    let distance = private_distance(a, b, versions.get(buffer).copied().unwrap_or(1));
                    // Flow is believed whatever the regions are, as in the order of statements.
                    distance.filter(|&distance| {
                        let at = Expr::int(distance);
                        reason == Reason::Flow || pipeline.may_overlap(a.region, b.region, &at, &mut analyzer)
                    })
                } else {
                    shared_distance(pipeline, a, b, &mut analyzer)
                };
                if let Some(distance) = distance {
                    needs[b.statement].push((*buffer, Need { producer: a.statement, distance, reason }));
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
    near.or_else(|| meets_from(pipeline, a, b, looked_at.end).then_some(looked_at.end))
}

/// Distances that are looked at one by one before all the rest is asked about at once.
const LOOK: i64 = 4;

/// `b` may meet `a` when it is `least` or more iterations after it.
fn meets_from(pipeline: &Loop, a: &Access, b: &Access, least: i64) -> bool {
    if let Some(overlap) = overlap_of_constants(a.region, b.region) {
        return overlap;
    }
    // A variable that the function does not have yet: it stands for the distance.
    let fresh = VarId(pipeline.function.vars.len() as u32);
    let mut analyzer = pipeline.analyzer();
    analyzer.bind(fresh, &Range { min: Expr::int(least), extent: Expr::int(1 << 30) });
    let distance = Expr::Var(fresh, pipeline.function.var(pipeline.var).dtype);
    pipeline.may_overlap(a.region, b.region, &distance, &mut analyzer)
}

/// Refuses a statement that reads what two asynchronous stages produce: the stage model has one queue per wait.
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
