//! Where the statements of a printed module were written.
//!
//! A door inside of TVM has a module and prints it. What its author knows is the file that the module came from; where
//! TVM remembers it, the door says so line by line, and diagnostics, notes and findings speak of that file. Statements of
//! other lines stay where they are: in the printed text.

use std::collections::BTreeMap;
use std::ops::Range;

use wavemark_diag::{SourceMap, Span};
use wavemark_tile::{Module, Stmt};

/// The origin of a line of the printed text.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The line, from 1.
    pub line: u32,
    /// Index of the file.
    pub file: usize,
    /// Bytes of that file.
    pub bytes: Range<usize>,
}

/// The files that a module came from, and what of it came from where.
#[derive(Clone, Debug, Default)]
pub struct Origins {
    /// Name and text of each file.
    pub files: Vec<(String, String)>,
    /// The lines whose origin is known.
    pub lines: Vec<Origin>,
}

impl Origins {
    /// Adds the files to `sources` and moves the statements of `module` to where they were written.
    pub fn apply(&self, sources: &mut SourceMap, module: &mut Module) {
        let files = self.files.iter().map(|(name, text)| sources.add_text(name, text));
        let files: Vec<_> = files.collect();
        let lines = self.lines.iter().filter_map(|origin| {
            Some((origin.line, Span::new(*files.get(origin.file)?, origin.bytes.clone())))
        });
        let lines: BTreeMap<u32, Span> = lines.collect();
        if lines.is_empty() {
            return;
        }
        let sources = &*sources;
        for function in &mut module.functions {
            each_span(&mut function.body, &mut |span| {
                let line = sources.line_column(*span).map(|place| place.line);
                *span = line.and_then(|line| lines.get(&line)).copied().unwrap_or(*span);
            });
        }
    }
}

fn each_span(stmt: &mut Stmt, change: &mut impl FnMut(&mut Span)) {
    let span = match stmt {
        Stmt::For(node) => node.span.as_mut(),
        Stmt::Block(block) => block.span.as_mut(),
        Stmt::Store(store) => store.span.as_mut(),
        Stmt::Attr { span, .. } | Stmt::Evaluate(_, span) => span.as_mut(),
        Stmt::Seq(_) | Stmt::If { .. } | Stmt::Let { .. } => None,
    };
    if let Some(span) = span {
        change(span);
    }
    stmt.children_mut().for_each(|child| each_span(child, change));
}
