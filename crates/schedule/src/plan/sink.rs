//! Buffers that are allocated around a loop but hold nothing from one iteration to the next: TileLang allocates its
//! tiles at the top of a kernel.
//!
//! The pipelining pass gives versions to buffers of the loop only, so such a buffer's allocation moves into the
//! loop. It may where nothing outside touches it and the first statement of an iteration that touches it writes all
//! of it, in whatever order the threads come. That is decided by counting the elements that the stores reach, for
//! constant extents up to [`MOST_POINTS`]; what cannot be decided stays where it is.

use rustc_hash::{FxHashMap, FxHashSet};
use wavemark_tile::{Block, BufferId, Expr, For, ForKind, Function, Range, Region, Stmt, Store, VarId};

use super::access::{Access, Views};
use super::{num_stages, wanted};
use crate::concrete::{Values, value};

/// Stores of one statement to look at, over all its loops and threads.
const MOST_POINTS: u64 = 1 << 22;

/// Moves what may move.
pub fn sink(function: &mut Function) {
    let mut body = std::mem::replace(&mut function.body, Stmt::nop());
    let views = Views::new(function, &body);
    let mut total = FxHashMap::default();
    mentions(&body, &mut total);
    let mut work =
        Sink { function, views, total, threads: Vec::new(), around: Vec::new(), moved: FxHashSet::default() };
    work.walk(&mut body);
    let moved = work.moved;
    if !moved.is_empty() {
        leave(function, &mut body, &moved);
    }
    function.body = body;
}

struct Sink<'f> {
    function: &'f Function,
    views: Views,
    /// How often each buffer is mentioned in the function.
    total: FxHashMap<BufferId, usize>,
    /// Thread variables around, with their extents.
    threads: Vec<(VarId, i64)>,
    /// Buffers allocated around.
    around: Vec<BufferId>,
    /// What has moved; still allocated where it was, too.
    moved: FxHashSet<BufferId>,
}

impl Sink<'_> {
    fn walk(&mut self, stmt: &mut Stmt) {
        let (threads, around) = (self.threads.len(), self.around.len());
        match stmt {
            Stmt::For(node) => {
                if wanted(node).and_then(num_stages).is_some_and(|count| count > 1) {
                    self.sink_into(node);
                }
                if let (ForKind::ThreadBinding(tag), Some(extent)) = (&node.kind, node.extent.as_int())
                    && tag.starts_with("threadIdx")
                {
                    self.threads.push((node.var, extent));
                }
            }
            Stmt::Block(block) => self.around.extend(&block.alloc_buffers),
            _ => {}
        }
        for child in stmt.children_mut() {
            self.walk(child);
        }
        self.threads.truncate(threads);
        self.around.truncate(around);
    }

    fn sink_into(&mut self, node: &mut For) {
        let mut inside = FxHashMap::default();
        mentions(&node.body, &mut inside);
        let first = self.first_touches(&node.body);
        let mut sinking: Vec<BufferId> = Vec::new();
        for &buffer in &self.around {
            let scope = &self.function.buffer(buffer).scope;
            let fast = scope.starts_with("shared") || scope.starts_with("local");
            let only_here = inside.get(&buffer).is_some_and(|count| Some(count) == self.total.get(&buffer));
            if fast
                && only_here
                && !self.moved.contains(&buffer)
                && first.get(&buffer).is_some_and(|first| self.covers(first, buffer))
            {
                sinking.push(buffer);
            }
        }
        if sinking.is_empty() {
            return;
        }
        if !matches!(node.body, Stmt::Block(_)) {
            let body = std::mem::replace(&mut node.body, Stmt::nop());
            node.body = Stmt::Block(Box::new(Block { span: node.span, ..Block::opaque("", body) }));
        }
        if let Stmt::Block(block) = &mut node.body {
            block.alloc_buffers.extend(&sinking);
        }
        self.moved.extend(sinking);
    }

    /// Of each buffer whose first access in an iteration is a write, the statement that makes it.
    fn first_touches<'s>(&self, body: &'s Stmt) -> FxHashMap<BufferId, &'s Stmt> {
        let mut statements = Vec::new();
        opened(body, &mut statements);
        let (mut seen, mut first) = (FxHashSet::default(), FxHashMap::default());
        for stmt in statements {
            let access = Access::of(stmt, &self.views);
            for &buffer in access.writes.difference(&access.reads) {
                if !seen.contains(&buffer) {
                    first.insert(buffer, stmt);
                }
            }
            seen.extend(access.reads);
            seen.extend(access.writes);
        }
        first
    }

    fn covers(&self, stmt: &Stmt, buffer: BufferId) -> bool {
        let shape: Option<Vec<u64>> = self
            .function
            .buffer(buffer)
            .shape
            .iter()
            .map(|extent| extent.as_int().and_then(|extent| u64::try_from(extent).ok()))
            .collect();
        let Some(shape) = shape else { return false };
        let size = shape.iter().try_fold(1u64, |product, extent| product.checked_mul(*extent));
        let Some(size) = size.filter(|&size| size > 0 && size <= MOST_POINTS) else { return false };
        let mut cover =
            Cover { buffer, shape, reached: vec![false; size as usize], points: 0, unsure: false };
        // A thread has its own registers, and the threads of a workgroup share LDS.
        let private = !self.function.buffer(buffer).scope.starts_with("shared");
        let threads = if private { &[][..] } else { &self.threads[..] };
        cover.threads(stmt, threads, &mut Values::default());
        !cover.unsure && cover.reached.iter().all(|&reached| reached)
    }
}

/// The elements of a buffer that a statement's stores reach.
struct Cover {
    buffer: BufferId,
    shape: Vec<u64>,
    reached: Vec<bool>,
    points: u64,
    unsure: bool,
}

impl Cover {
    fn threads(&mut self, stmt: &Stmt, threads: &[(VarId, i64)], values: &mut Values) {
        match threads {
            [] => self.walk(stmt, values),
            [(var, extent), rest @ ..] => {
                for index in 0..*extent {
                    if self.unsure {
                        return;
                    }
                    values.insert(*var, index);
                    self.threads(stmt, rest, values);
                }
            }
        }
    }

    fn walk(&mut self, stmt: &Stmt, values: &mut Values) {
        if self.unsure {
            return;
        }
        match stmt {
            Stmt::Seq(statements) => statements.iter().for_each(|stmt| self.walk(stmt, values)),
            Stmt::For(node) => {
                let bounds = value(&node.min, values).zip(value(&node.extent, values));
                let (Some((min, extent)), None) = (bounds, &node.step) else {
                    self.unsure = true;
                    return;
                };
                for index in min..min.saturating_add(extent) {
                    if self.unsure {
                        return;
                    }
                    values.insert(node.var, index);
                    self.walk(&node.body, values);
                }
            }
            Stmt::Block(block) => {
                // What is not certain to run reaches nothing.
                if value(&block.predicate, values) == Some(1) && block.init.is_none() {
                    for axis in &block.axes {
                        match value(&axis.value, values) {
                            Some(number) => values.insert(axis.var, number),
                            None => values.remove(&axis.var),
                        };
                    }
                    self.walk(&block.body, values);
                }
            }
            Stmt::Attr { body, .. } => self.walk(body, values),
            Stmt::Store(store) if store.buffer == self.buffer => self.store(store, values),
            Stmt::Store(_) | Stmt::If { .. } | Stmt::Let { .. } | Stmt::Evaluate(..) => {}
        }
    }

    fn store(&mut self, store: &Store, values: &Values) {
        self.points += 1;
        if self.points > MOST_POINTS {
            self.unsure = true;
            return;
        }
        let mut place = 0u64;
        for (index, extent) in store.indices.iter().zip(&self.shape) {
            match value(index, values)
                .and_then(|index| u64::try_from(index).ok())
                .filter(|index| index < extent)
            {
                Some(index) => place = place * extent + index,
                None => {
                    self.unsure = true;
                    return;
                }
            }
        }
        if let Some(reached) = self.reached.get_mut(place as usize) {
            *reached = true;
        }
    }
}

/// How often statements, not declared regions, name each buffer.
fn mentions(stmt: &Stmt, counts: &mut FxHashMap<BufferId, usize>) {
    stmt.visit(&mut |stmt| {
        let mut expr = |expr: &Expr| {
            expr.visit(&mut |expr| match expr {
                Expr::Load(load) => *counts.entry(load.buffer).or_insert(0) += 1,
                Expr::Data(buffer) => *counts.entry(*buffer).or_insert(0) += 1,
                _ => {}
            })
        };
        match stmt {
            // Regions hold no loads of the buffers they name.
            Stmt::Block(block) => {
                expr(&block.predicate);
                block.axes.iter().for_each(|axis| expr(&axis.value));
                let sources = block.match_buffers.iter().map(|matched| matched.source.buffer);
                sources.for_each(|buffer| *counts.entry(buffer).or_insert(0) += 1);
                return;
            }
            _ => stmt.own_exprs(&mut expr),
        }
        if let Stmt::Store(store) = stmt {
            *counts.entry(store.buffer).or_insert(0) += 1;
        }
    });
}

/// A block that only puts a sequence together.
fn is_plain(block: &Block) -> bool {
    block.predicate.is_true()
        && block.axes.is_empty()
        && block.init.is_none()
        && matches!(block.body, Stmt::Seq(_) | Stmt::Let { .. })
}

fn reads_memory(expr: &Expr) -> bool {
    let mut reads = false;
    expr.visit(&mut |expr| reads |= matches!(expr, Expr::Load(_) | Expr::Data(_)));
    reads
}

/// The statements that run one after the other whenever `stmt` runs.
fn opened<'s>(stmt: &'s Stmt, statements: &mut Vec<&'s Stmt>) {
    match stmt {
        Stmt::Seq(inner) => inner.iter().for_each(|stmt| opened(stmt, statements)),
        Stmt::Block(block) if is_plain(block) => opened(&block.body, statements),
        Stmt::Let { value, body, .. } if !reads_memory(value) => opened(body, statements),
        _ => statements.push(stmt),
    }
}

/// Removes buffers from the blocks around the loops they have moved into: the innermost allocation stays. Returns
/// those that are allocated in `stmt`.
fn leave(function: &Function, stmt: &mut Stmt, moved: &FxHashSet<BufferId>) -> Vec<BufferId> {
    let mut inside = Vec::new();
    for child in stmt.children_mut() {
        inside.extend(leave(function, child, moved));
    }
    if let Stmt::Block(block) = stmt {
        block.alloc_buffers.retain(|buffer| !inside.contains(buffer));
        inside.extend(block.alloc_buffers.iter().filter(|buffer| moved.contains(buffer)));
        // Neither around nor where they now begin: a block's regions are of what it is given, and say so in terms of
        // what is there.
        if !inside.is_empty() {
            for regions in [&mut block.reads, &mut block.writes] {
                regions.retain(|region| !inside.contains(&region.buffer));
                regions.iter_mut().for_each(|region| widen(function, region, &inside));
            }
        }
    }
    inside
}

/// A range that depends on elements of `buffers` becomes the whole dimension.
fn widen(function: &Function, region: &mut Region, buffers: &[BufferId]) {
    let loads = |expr: &Expr| {
        let mut found = false;
        expr.visit(&mut |expr| found |= matches!(expr, Expr::Load(load) if buffers.contains(&load.buffer)));
        found
    };
    for (range, extent) in region.ranges.iter_mut().zip(&function.buffer(region.buffer).shape) {
        if loads(&range.min) || loads(&range.extent) {
            *range = Range { min: Expr::Int(0, extent.dtype()), extent: extent.clone() };
        }
    }
}
