//! From a pipelined function to what happens in it, iteration by iteration.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use wavemark_tile::{Block, Expr, For, ForKind, Function, Stmt, VarId};

use crate::concrete::{Values, value};
use crate::plan::statement_name;

/// What unknown scalars (dynamic extents) are taken to be.
pub const ASSUMED: i64 = 12;

/// Of a longer loop only the first and last [`SHOWN_OF_LONG`] iterations are walked.
const LONG: i64 = 256;
const SHOWN_OF_LONG: i64 = 48;

/// Iterations of loops inside an iteration that are followed, at most.
const MOST_INNER: i64 = 4096;

/// Which part of a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Section {
    Prologue,
    Body,
    Epilogue,
}

/// One iteration of a section.
#[derive(Clone, Debug)]
pub struct Column {
    /// Where it is.
    pub section: Section,
    /// `i = 3`, or empty where the section is not a loop.
    pub label: String,
    /// Iterations that were left out before this one.
    pub skipped: i64,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its name.
    pub name: String,
    /// The column of its first instance.
    pub stage: usize,
    /// It runs asynchronously.
    pub is_async: bool,
}

/// A run of a statement.
#[derive(Clone, Debug)]
pub struct Instance {
    /// Which statement.
    pub row: usize,
    /// In which column.
    pub column: usize,
    /// The iteration of the source loop.
    pub source: i64,
    /// Whether it runs depends on data.
    pub guarded: bool,
    /// The position among all instances of the column.
    pub slot: usize,
}

/// A committed group.
#[derive(Clone, Debug)]
pub struct Group {
    /// Its queue.
    pub queue: i64,
    /// Its instances, by index.
    pub members: Vec<usize>,
    /// Where it is committed: column, and before which slot.
    pub at: (usize, usize),
    /// The wait that forces it, by index.
    pub forced_by: Option<usize>,
}

/// A wait.
#[derive(Clone, Debug)]
pub struct Wait {
    /// Its queue.
    pub queue: i64,
    /// How many groups may stay in flight.
    pub count: Option<i64>,
    /// Where: column, and before which slot.
    pub at: (usize, usize),
    /// The newest group that it forces, by index.
    pub forces: Option<usize>,
}

/// Everything that happens.
#[derive(Clone, Debug, Default)]
pub struct Timeline {
    /// Name of the function.
    pub function: String,
    /// Iterations in order.
    pub columns: Vec<Column>,
    /// Statements in the order in which an iteration runs them.
    pub rows: Vec<Row>,
    /// Runs of statements in order.
    pub instances: Vec<Instance>,
    /// Groups in order of their commits.
    pub groups: Vec<Group>,
    /// Waits in order.
    pub waits: Vec<Wait>,
    /// Scalars that were taken to be [`ASSUMED`].
    pub assumed: Vec<String>,
}

const COMMIT: &str = "async_commit_queue_scope";
const WAIT: &str = "async_wait_queue_scope";
const COUNT: &str = "async_wait_inflight_count";
const SCOPE: &str = "async_scope";

fn has_async(stmt: &Stmt) -> bool {
    let mut found = false;
    stmt.visit(&mut |stmt| {
        found |= matches!(stmt, Stmt::Attr { key, .. } if [COMMIT, WAIT, SCOPE].contains(&key.as_ref()));
    });
    found
}

fn has_loop(stmt: &Stmt) -> bool {
    let mut found = false;
    stmt.visit(&mut |stmt| found |= matches!(stmt, Stmt::For(_)));
    found
}

/// The block that the pipelining pass makes for a loop: no name, a sequence of sections, and the versioned buffers.
fn pipeline(function: &Function) -> Option<&Block> {
    let mut blocks = Vec::new();
    function.body.visit_blocks(&mut blocks);
    let sequence = |block: &&&Block| matches!(block.body, Stmt::Seq(_)) && block.name.is_empty();
    let versioned = |block: &&&Block| !block.alloc_buffers.is_empty();
    let candidates = || blocks.iter().filter(sequence);
    let found = candidates()
        .filter(versioned)
        .find(|block| has_async(&block.body))
        .or_else(|| candidates().find(|block| has_async(&block.body)))
        .or_else(|| candidates().filter(versioned).find(|block| has_loop(&block.body)));
    // Whatever it is that holds asynchronous work, in a program that somebody else wrote.
    found
        .or_else(|| blocks.iter().rfind(|block| matches!(block.body, Stmt::Seq(_)) && has_async(&block.body)))
        .copied()
}

trait VisitBlocks {
    fn visit_blocks<'s>(&'s self, blocks: &mut Vec<&'s Block>);
}

impl VisitBlocks for Stmt {
    fn visit_blocks<'s>(&'s self, blocks: &mut Vec<&'s Block>) {
        if let Stmt::Block(block) = self {
            blocks.push(block);
        }
        for child in self.children() {
            child.visit_blocks(blocks);
        }
    }
}

/// The loop that a section consists of.
fn section_loop(stmt: &Stmt) -> Option<&For> {
    match stmt {
        Stmt::For(node) => Some(node),
        Stmt::Block(block) if block.name.is_empty() && block.predicate.is_true() => section_loop(&block.body),
        _ => None,
    }
}

/// Walks the first pipeline of `function`.
pub fn walk(function: &Function) -> Result<Timeline, String> {
    let Some(block) = pipeline(function) else {
        return Err(format!(
            "`{}` holds no pipeline: nothing in it is asynchronous or versioned",
            function.name
        ));
    };
    let mut walker = Walker::new(function);
    walker.surroundings(&function.body, block);
    let Stmt::Seq(sections) = &block.body else { return Err("a pipeline without sections".to_owned()) };
    let loops: Vec<Option<&For>> = sections.iter().map(section_loop).collect();
    // The pass leaves three sections, empty ones included; where it has split the body there are more, and the body
    // is the longest.
    let extent =
        |index: usize| loops[index].and_then(|node| value(&node.extent, &walker.values)).unwrap_or(0);
    let serial = |index: usize| loops[index].is_some_and(|node| node.kind != ForKind::Unrolled);
    let steps = |index: usize| loops[index].is_some_and(is_section);
    let body = match sections.len() {
        3 => 1,
        count => (0..count)
            .filter(|&index| steps(index))
            .max_by_key(|&index| (serial(index), extent(index), count - index))
            .unwrap_or(count / 2),
    };
    // A loop that belongs to a statement (over the elements of a tile) has another variable than the sections have.
    let named = |index: usize| loops[index].map(|node| &function.var(node.var).name);
    let others = (0..sections.len()).find(|&index| steps(index) || !serial(index) && loops[index].is_some());
    let name = if steps(body) { named(body) } else { others.and_then(named) };
    let loops: Vec<Option<&For>> = (0..sections.len())
        .map(|index| loops[index].filter(|node| is_serial(node) && named(index) == name))
        .collect();
    if let Some(node) = loops.get(body).copied().flatten() {
        walker.base = value(&node.min, &walker.values).unwrap_or(0);
    }
    for (index, section) in sections.iter().enumerate() {
        let kind = match index.cmp(&body) {
            std::cmp::Ordering::Less => Section::Prologue,
            std::cmp::Ordering::Equal => Section::Body,
            std::cmp::Ordering::Greater => Section::Epilogue,
        };
        match loops[index] {
            Some(node) => walker.iterate(kind, node)?,
            // A single iteration: the section is its statements.
            None => match section {
                Stmt::Block(block) if block.name.is_empty() && block.predicate.is_true() => {
                    walker.once(kind, String::new(), &block.body)?
                }
                _ => walker.once(kind, String::new(), section)?,
            },
        }
    }
    Ok(walker.finish())
}

/// Its iterations come one after the other.
fn is_serial(node: &For) -> bool {
    matches!(node.kind, ForKind::Serial | ForKind::Unrolled)
}

/// A loop over iterations of the pipeline by its looks: it repeats several statements, or asynchronous ones.
fn is_section(node: &For) -> bool {
    let several = match &node.body {
        Stmt::Block(block) => block.name.is_empty(),
        other => matches!(other, Stmt::Seq(_)),
    };
    is_serial(node) && (several || has_async(&node.body))
}

struct Walker<'f> {
    function: &'f Function,
    values: Values,
    timeline: Timeline,
    /// Rows by name, buffers and how often such a one came before in the iteration.
    keys: FxHashMap<(String, Vec<u32>, usize), usize>,
    /// Instances of each row so far.
    counts: Vec<i64>,
    /// Of each row, the position in the fullest iteration.
    positions: Vec<usize>,
    fullest: usize,
    /// How often each kind of statement came in this iteration.
    seen: FxHashMap<(String, Vec<u32>), usize>,
    slot: usize,
    queues: FxHashMap<i64, VecDeque<usize>>,
    base: i64,
    skipped: i64,
    inner: i64,
}

/// What surrounds a statement in its iteration.
#[derive(Clone, Copy, Default)]
struct Around {
    is_async: bool,
    guarded: bool,
}

impl<'f> Walker<'f> {
    fn new(function: &'f Function) -> Walker<'f> {
        Walker {
            function,
            values: Values::default(),
            timeline: Timeline { function: function.name.clone(), ..Timeline::default() },
            keys: FxHashMap::default(),
            counts: Vec::new(),
            positions: Vec::new(),
            fullest: 0,
            seen: FxHashMap::default(),
            slot: 0,
            queues: FxHashMap::default(),
            base: 0,
            skipped: 0,
            inner: 0,
        }
    }

    /// Gives numbers to the variables around the pipeline: loops are at their first iteration, and what nothing
    /// binds is [`ASSUMED`].
    fn surroundings(&mut self, stmt: &Stmt, until: &Block) {
        let mut bound = Vec::new();
        stmt.visit(&mut |stmt| match stmt {
            Stmt::For(node) => bound.push(node.var),
            Stmt::Let { var, .. } => bound.push(*var),
            Stmt::Block(block) => bound.extend(block.axes.iter().map(|axis| axis.var)),
            _ => {}
        });
        for index in 0..self.function.vars.len() {
            let var = VarId(index as u32);
            if self.function.var(var).dtype.is_integer() && !bound.contains(&var) {
                self.values.insert(var, ASSUMED);
            }
        }
        self.descend(stmt, until);
        // Say only those that the picture depends on: extents of its sections.
        let mut named = Vec::new();
        if let Stmt::Seq(sections) = &until.body {
            for node in sections.iter().filter_map(section_loop) {
                for expr in [&node.min, &node.extent] {
                    expr.visit(&mut |expr| {
                        if let Expr::Var(var, _) = expr
                            && !bound.contains(var)
                        {
                            named.push(self.function.var(*var).name.to_string());
                        }
                    });
                }
            }
        }
        named.sort();
        named.dedup();
        self.timeline.assumed = named;
    }

    fn descend(&mut self, stmt: &Stmt, until: &Block) -> bool {
        match stmt {
            Stmt::Block(block) if std::ptr::eq(&**block, until) => {
                self.bind(block);
                return true;
            }
            Stmt::Block(block) => self.bind(block),
            Stmt::For(node) => {
                let first = value(&node.min, &self.values).unwrap_or(0);
                self.values.insert(node.var, first);
            }
            Stmt::Let { var, value: bound, .. } => self.let_be(*var, bound),
            _ => {}
        }
        stmt.children().any(|child| self.descend(child, until))
    }

    fn bind(&mut self, block: &Block) {
        for axis in &block.axes {
            self.let_be(axis.var, &axis.value);
        }
    }

    fn let_be(&mut self, var: VarId, bound: &Expr) {
        match value(bound, &self.values) {
            Some(number) => self.values.insert(var, number),
            None => self.values.remove(&var),
        };
    }

    fn iterate(&mut self, section: Section, node: &For) -> Result<(), String> {
        let name = &self.function.var(node.var).name;
        let step = node.step.as_ref().map_or(Some(1), |step| value(step, &self.values));
        let bounds = (value(&node.min, &self.values), value(&node.extent, &self.values), step);
        let (Some(min), Some(extent), Some(step @ 1..)) = bounds else {
            return Err(format!("the range of loop `{name}` cannot be told: the picture needs numbers"));
        };
        let iterations = extent.max(0).div_euclid(step) + i64::from(extent.max(0) % step != 0);
        let mut at = 0;
        while at < iterations {
            if iterations > LONG && at == SHOWN_OF_LONG {
                let left_out = iterations - 2 * SHOWN_OF_LONG;
                at += left_out;
                self.skipped = left_out;
                self.counts.iter_mut().for_each(|count| *count += left_out);
            }
            let number = min.saturating_add(at.saturating_mul(step));
            self.values.insert(node.var, number);
            self.once(section, format!("{name} = {number}"), &node.body)?;
            at += 1;
        }
        Ok(())
    }

    fn once(&mut self, section: Section, label: String, stmt: &Stmt) -> Result<(), String> {
        let (instances, waits, groups) =
            (self.timeline.instances.len(), self.timeline.waits.len(), self.timeline.groups.len());
        self.timeline.columns.push(Column { section, label, skipped: std::mem::take(&mut self.skipped) });
        self.seen.clear();
        self.slot = 0;
        self.inner = 0;
        match stmt {
            Stmt::Seq(statements) => {
                statements.iter().try_for_each(|stmt| self.run(stmt, Around::default()))?
            }
            _ => self.run(stmt, Around::default())?,
        }
        // An empty section (`T.evaluate(0)`) takes no time.
        let now = (self.timeline.instances.len(), self.timeline.waits.len(), self.timeline.groups.len());
        if now == (instances, waits, groups) {
            let column = self.timeline.columns.pop();
            self.skipped += column.map_or(0, |column| column.skipped);
        } else if self.slot > self.fullest || (self.slot == self.fullest && section == Section::Body) {
            self.fullest = self.slot;
            for instance in &self.timeline.instances[instances..] {
                self.positions[instance.row] = instance.slot;
            }
        }
        Ok(())
    }

    fn here(&self) -> (usize, usize) {
        (self.timeline.columns.len() - 1, self.slot)
    }

    fn run(&mut self, stmt: &Stmt, around: Around) -> Result<(), String> {
        match stmt {
            // Several that nothing asynchronous tells apart are one statement of the pipeline.
            Stmt::Seq(_) if !has_async(stmt) => self.leaf(stmt, around),
            Stmt::Seq(statements) => statements.iter().try_for_each(|stmt| self.run(stmt, around)),
            Stmt::Evaluate(Expr::Int(..), _) => Ok(()),
            Stmt::Block(block) => {
                let around = match value(&block.predicate, &self.values) {
                    Some(0) => return Ok(()),
                    Some(_) => around,
                    None => Around { guarded: true, ..around },
                };
                self.bind(block);
                let opens =
                    has_async(&block.body) || (block.name.is_empty() && matches!(block.body, Stmt::Seq(_)));
                if opens { self.run(&block.body, around) } else { self.leaf(stmt, around) }
            }
            Stmt::Attr { key, value: queue, body, .. } if key == COMMIT => {
                let queue = value(queue, &self.values).unwrap_or(0);
                let first = self.timeline.instances.len();
                self.run(body, around)?;
                let members = (first..self.timeline.instances.len())
                    .filter(|&index| self.timeline.rows[self.timeline.instances[index].row].is_async)
                    .collect();
                let group = self.timeline.groups.len();
                let at = self.here();
                self.timeline.groups.push(Group { queue, members, at, forced_by: None });
                self.queues.entry(queue).or_default().push_back(group);
                Ok(())
            }
            Stmt::Attr { key, value: queue, body, .. } if key == WAIT => {
                let queue = value(queue, &self.values).unwrap_or(0);
                match &**body {
                    Stmt::Attr { key, value: count, body, .. } if key == COUNT => {
                        let count = value(count, &self.values);
                        self.wait(queue, count);
                        self.run(body, around)
                    }
                    other => self.run(other, around),
                }
            }
            Stmt::Attr { key, body, .. } => {
                let around = Around { is_async: around.is_async || key == SCOPE, ..around };
                self.run(body, around)
            }
            Stmt::Let { var, value, body } => {
                self.let_be(*var, value);
                self.run(body, around)
            }
            Stmt::If { condition, then, otherwise } => match value(condition, &self.values) {
                Some(0) => otherwise.iter().try_for_each(|stmt| self.run(stmt, around)),
                Some(_) => self.run(then, around),
                None if has_async(stmt) => self.run(then, Around { guarded: true, ..around }),
                None => self.leaf(stmt, Around { guarded: true, ..around }),
            },
            Stmt::For(node) if has_async(&node.body) => {
                let bounds = value(&node.min, &self.values).zip(value(&node.extent, &self.values));
                let (min, extent) = bounds.ok_or("the range of an inner loop cannot be told")?;
                for index in min..min.saturating_add(extent) {
                    self.inner += 1;
                    if self.inner > MOST_INNER {
                        return Err("too many iterations inside one of the pipeline".to_owned());
                    }
                    self.values.insert(node.var, index);
                    self.run(&node.body, around)?;
                }
                Ok(())
            }
            Stmt::For(_) | Stmt::Store(_) | Stmt::Evaluate(..) => self.leaf(stmt, around),
        }
    }

    fn wait(&mut self, queue: i64, count: Option<i64>) {
        let wait = self.timeline.waits.len();
        let at = self.here();
        let pending = self.queues.entry(queue).or_default();
        let keep = usize::try_from(count.unwrap_or(0)).unwrap_or(0);
        let mut forces = None;
        while pending.len() > keep {
            let Some(group) = pending.pop_front() else { break };
            self.timeline.groups[group].forced_by = Some(wait);
            forces = Some(group);
        }
        self.timeline.waits.push(Wait { queue, count, at, forces });
    }

    fn leaf(&mut self, stmt: &Stmt, around: Around) -> Result<(), String> {
        let name = statement_name(self.function, stmt).unwrap_or_else(|| "statement".to_owned());
        let mut buffers = Vec::new();
        stmt.visit(&mut |stmt| {
            if let Stmt::Store(store) = stmt {
                buffers.push(store.buffer.0);
            }
        });
        let kind = (name.clone(), buffers);
        let seen = self.seen.entry(kind.clone()).or_insert(0);
        let key = (kind.0, kind.1, *seen);
        *seen += 1;
        let row = match self.keys.get(&key) {
            Some(&row) => row,
            None => {
                let row = self.timeline.rows.len();
                let stage = self.timeline.columns.len() - 1;
                self.timeline.rows.push(Row { name, stage, is_async: around.is_async });
                self.counts.push(0);
                self.positions.push(usize::MAX);
                self.keys.insert(key, row);
                row
            }
        };
        let source = self.base + self.counts[row];
        self.counts[row] += 1;
        let (column, slot) = self.here();
        self.timeline.instances.push(Instance { row, column, source, guarded: around.guarded, slot });
        self.slot += 1;
        Ok(())
    }

    /// Rows come in the order of the fullest iteration.
    fn finish(mut self) -> Timeline {
        let mut order: Vec<usize> = (0..self.timeline.rows.len()).collect();
        order.sort_by_key(|&row| (self.positions[row], row));
        let mut place = vec![0; order.len()];
        for (position, &row) in order.iter().enumerate() {
            place[row] = position;
        }
        self.timeline.rows = order.iter().map(|&row| self.timeline.rows[row].clone()).collect();
        self.timeline.instances.iter_mut().for_each(|instance| instance.row = place[instance.row]);
        self.timeline
    }
}
