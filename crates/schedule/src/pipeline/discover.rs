//! The statements of a pipelined loop and the buffers that are private to an iteration.
//!
//! The body of the loop, or of the block that is the body, is a sequence. Each element is a statement of the
//! pipeline, but for a block without predicate around a sequence (an inner pipeline's three sections, or a block of
//! the user's): its elements are statements of their own, one level deep, and its buffers join the others.
//!
//! A predicate of the block under the loop guards each statement by itself, inside the statement, so that a commit
//! around it happens in every iteration. (TVM drops it.)

use rustc_hash::FxHashSet;
use wavemark_diag::{Diagnostic, Span};
use wavemark_tile::{Block, BufferId, Expr, For, Function, Region, Stmt, regions};

use super::annotations::at;
use super::emit::{COMMIT, WAIT};

/// A statement of a pipeline: an opaque block without predicate.
#[derive(Clone, Debug)]
pub struct Statement {
    /// The statement itself.
    pub block: Box<Block>,
    /// Its number in source order, from 0.
    pub number: usize,
    /// What it has inside.
    pub inside: Inside,
}

/// What a statement has inside, seen in one walk.
#[derive(Clone, Copy, Debug)]
pub struct Inside {
    /// Each buffer that loads read and stores write is declared by the statement, but for those that it or an inner block
    /// allocates or matches.
    declares_all: bool,
    /// Something runs under a condition only.
    pub conditional: bool,
    /// Something commits to a queue or waits for one.
    pub queues: bool,
}

impl Statement {
    /// How diagnostics name it: by its block, or the first block inside that has a name.
    pub fn describe(&self) -> String {
        let mut name = &*self.block.name;
        self.block.body.visit(&mut |part| {
            if let (true, Stmt::Block(block)) = (name.is_empty(), part) {
                name = &block.name;
            }
        });
        match name {
            "" => format!("statement {}", self.number),
            name => format!("`{name}` (statement {})", self.number),
        }
    }

    /// Where it was written.
    pub fn span(&self) -> Option<Span> {
        self.block.span.or_else(|| first_span(&self.block.body))
    }

    /// The buffers that the statement reads, with the regions.
    pub fn reads(&self) -> &[Region] {
        &self.block.reads
    }

    /// The buffers that the statement writes, with the regions.
    pub fn writes(&self) -> &[Region] {
        &self.block.writes
    }
}

/// A loop body, taken apart.
#[derive(Clone, Debug)]
pub struct Body {
    /// Buffers that every iteration has for itself, in the order of declaration.
    pub allocs: Vec<BufferId>,
    /// The statements in source order.
    pub statements: Vec<Statement>,
}

/// Takes the body of `node` apart; what is left of it is the loop around nothing.
pub fn discover(function: &Function, node: &mut For) -> Result<Body, Diagnostic> {
    let (mut allocs, body, predicate) = match std::mem::replace(&mut node.body, Stmt::nop()) {
        Stmt::Block(block) => {
            refuse_views(&block)?;
            (block.alloc_buffers, block.body, block.predicate)
        }
        body => (Vec::new(), body, Expr::bool(true)),
    };
    let elements = match body {
        Stmt::Seq(elements) => elements,
        body => {
            return Err(at(
                first_span(&body).or(node.span),
                format!("the pipelined loop `{}` has a body of one statement", function.var(node.var).name),
            )
            .help("a software pipeline needs a sequence of at least two statements in the loop body"));
        }
    };
    let mut statements = Vec::with_capacity(elements.len());
    for element in elements {
        match element {
            Stmt::Block(block) if block.predicate.is_true() && matches!(block.body, Stmt::Seq(_)) => {
                refuse_views(&block)?;
                allocs.extend(&block.alloc_buffers);
                if let Stmt::Seq(inner) = block.body {
                    statements.extend(inner);
                }
            }
            element => statements.push(element),
        }
    }
    let statements = statements
        .into_iter()
        .enumerate()
        .map(|(number, statement)| {
            let block = blockize(function, guard(statement, &predicate));
            let inside = Inside::of(&block);
            Statement { block: with_all_accesses(function, block, inside), number, inside }
        })
        .collect();
    Ok(Body { allocs, statements })
}

fn refuse_views(block: &Block) -> Result<(), Diagnostic> {
    if block.match_buffers.is_empty() {
        return Ok(());
    }
    Err(at(
        block.span,
        format!("unsupported: `T.match_buffer` in block `{}`, which the pipeline takes apart", block.name),
    )
    .help("declare the view inside the statement that uses it"))
}

fn guard(statement: Stmt, predicate: &Expr) -> Stmt {
    if predicate.is_true() {
        return statement;
    }
    Stmt::If { condition: predicate.clone(), then: Box::new(statement), otherwise: None }
}

/// The statement as an opaque block without predicate: itself where it is one, else in a new block without name
/// whose regions are inferred.
pub fn blockize(function: &Function, statement: Stmt) -> Box<Block> {
    match statement {
        Stmt::Block(block) if block.predicate.is_true() && block.axes.is_empty() => block,
        statement => Box::new(make_block(function, statement)),
    }
}

/// A new block without name around `body`, its regions inferred.
pub fn make_block(function: &Function, body: Stmt) -> Block {
    let mut block = Block::opaque("", body);
    (block.reads, block.writes) = regions::detect(function, &block);
    block
}

/// Declared regions are believed, but a block that touches a buffer which it does not declare gets that region too:
/// dependences must not be lost.
fn with_all_accesses(function: &Function, mut block: Box<Block>, inside: Inside) -> Box<Block> {
    if inside.declares_all {
        return block;
    }
    let (reads, writes) = regions::detect(function, &block);
    let add = |declared: &mut Vec<Region>, found: Vec<Region>| {
        let known = Declared::of(declared);
        let more: Vec<Region> = found.into_iter().filter(|region| !known.contains(region.buffer)).collect();
        declared.extend(more);
    };
    add(&mut block.reads, reads);
    add(&mut block.writes, writes);
    block
}

impl Inside {
    fn of(block: &Block) -> Inside {
        let (reads, writes) = (Declared::of(&block.reads), Declared::of(&block.writes));
        let mut own: FxHashSet<BufferId> = block.alloc_buffers.iter().copied().collect();
        let mut inside = Inside { declares_all: true, conditional: false, queues: false };
        block.body.visit(&mut |part| {
            match part {
                Stmt::Block(inner) => {
                    own.extend(&inner.alloc_buffers);
                    own.extend(inner.match_buffers.iter().map(|view| view.buffer));
                    inside.conditional |= !inner.predicate.is_true();
                    return;
                }
                Stmt::Store(store) => {
                    inside.declares_all &= writes.contains(store.buffer) || own.contains(&store.buffer);
                }
                Stmt::If { .. } => inside.conditional = true,
                Stmt::Attr { key, .. } => inside.queues |= key == COMMIT || key == WAIT,
                _ => {}
            }
            part.own_exprs(&mut |expr| {
                expr.visit(&mut |part| {
                    if let Expr::Load(load) = part {
                        inside.declares_all &= reads.contains(load.buffer) || own.contains(&load.buffer);
                    }
                });
            });
        });
        inside
    }
}

/// The buffers of regions: looked through where there are few, else in a table.
struct Declared<'a> {
    regions: &'a [Region],
    table: FxHashSet<BufferId>,
}

impl Declared<'_> {
    const FEW: usize = 12;

    fn of(regions: &[Region]) -> Declared<'_> {
        let many = if regions.len() > Self::FEW { regions } else { &[] };
        Declared { regions, table: many.iter().map(|region| region.buffer).collect() }
    }

    fn contains(&self, buffer: BufferId) -> bool {
        match self.regions.len() > Self::FEW {
            true => self.table.contains(&buffer),
            false => self.regions.iter().any(|region| region.buffer == buffer),
        }
    }
}

fn first_span(statement: &Stmt) -> Option<Span> {
    let mut found = None;
    statement.visit(&mut |part| {
        let span = match part {
            Stmt::For(node) => node.span,
            Stmt::Block(block) => block.span,
            Stmt::Store(store) => store.span,
            Stmt::Evaluate(_, span) => *span,
            _ => None,
        };
        found = found.or(span);
    });
    found
}
