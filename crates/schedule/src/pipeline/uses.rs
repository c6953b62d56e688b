//! Which buffers are used outside of a pipelined loop too, asked of the function as it was before the pass.
//!
//! One walk numbers all uses in the order of the text. A loop is a span of numbers, and a buffer is used outside of it
//! if its first or its last use is outside of that span.

use wavemark_tile::{BufferId, Expr, Stmt};

use super::annotations::is_pipeline;

/// The uses of each buffer by loads, stores, addresses and views. (What a block declares to access is not a use.)
#[derive(Debug, Default)]
pub struct Uses {
    /// By buffer: the numbers of its first and last use.
    buffers: Vec<Option<(u32, u32)>>,
    /// The pipelined loops in the order in which they begin, each with its span.
    loops: Vec<std::ops::Range<u32>>,
    count: u32,
}

/// What one pipelined loop leaves to the others.
#[derive(Clone, Copy)]
pub struct Outside<'a> {
    uses: &'a Uses,
    span: (u32, u32),
}

impl Uses {
    /// The uses in `body`.
    pub fn of(body: &Stmt) -> Uses {
        let mut uses = Uses::default();
        uses.walk(body);
        uses
    }

    /// What is outside of the `index`th pipelined loop, counted as they begin.
    pub fn outside(&self, index: usize) -> Outside<'_> {
        let span = self.loops.get(index).map_or((0, 0), |span| (span.start, span.end));
        Outside { uses: self, span }
    }

    fn note(&mut self, buffer: BufferId) {
        let index = buffer.0 as usize;
        if self.buffers.len() <= index {
            self.buffers.resize(index + 1, None);
        }
        let first = self.buffers[index].map_or(self.count, |(first, _)| first);
        self.buffers[index] = Some((first, self.count));
        self.count += 1;
    }

    fn walk(&mut self, stmt: &Stmt) {
        let pipelined = matches!(stmt, Stmt::For(node) if is_pipeline(node).is_ok_and(|is| is));
        let index = self.loops.len();
        if pipelined {
            self.loops.push(self.count..self.count);
        }
        match stmt {
            Stmt::Block(block) => block.match_buffers.iter().for_each(|view| self.note(view.source.buffer)),
            _ => {
                if let Stmt::Store(store) = stmt {
                    self.note(store.buffer);
                }
                stmt.own_exprs(&mut |expr| self.expr(expr));
            }
        }
        stmt.children().for_each(|child| self.walk(child));
        if pipelined {
            self.loops[index].end = self.count;
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Load(load) => self.note(load.buffer),
            Expr::Data(buffer) => self.note(*buffer),
            _ => {}
        }
        expr.children().iter().for_each(|child| self.expr(child));
    }
}

impl Outside<'_> {
    /// Something outside of the loop uses the buffer.
    pub fn contains(self, buffer: BufferId) -> bool {
        let used = self.uses.buffers.get(buffer.0 as usize).copied().flatten();
        used.is_some_and(|(first, last)| first < self.span.0 || last >= self.span.1)
    }
}
