//! What all parts share while a file is read: where it is, what is wrong with it, its dialect and its names for `T`
//! and `I`.

use std::sync::Arc;

use ruff_text_size::{Ranged, TextRange};
use rustc_hash::{FxHashMap, FxHashSet};
use wavemark_diag::{Diagnostic, FileId, Span};
use wavemark_tile::Dialect;

use crate::value::Value;

/// A failure that has been reported: the only way to make one is to report it.
#[derive(Clone, Copy, Debug)]
pub struct Reported(());

/// The result of what reports its own failures.
pub type Parsed<T> = std::result::Result<T, Reported>;

/// More would not be read by anyone.
const MOST_DIAGNOSTICS: usize = 100;

/// What all parts share while a file is read.
pub struct Context {
    file: FileId,
    /// The text of the file.
    pub text: Arc<str>,
    /// What is wrong.
    pub diagnostics: Vec<Diagnostic>,
    /// The spelling of the file.
    pub dialect: Dialect,
    /// What says so, to quote in messages; `None` when nothing does.
    pub dialect_reason: Option<String>,
    /// Names for the script modules (`T`, `I`): from the file's name to `T` or `I`.
    pub aliases: FxHashMap<String, &'static str>,
    /// `n = TypeVar("n")`: an int64 that the shapes of parameters bind.
    pub type_vars: FxHashSet<String>,
    /// Constants of the file: `N = 1024` before the class.
    pub constants: FxHashMap<String, Value>,
}

impl Context {
    /// An empty one.
    pub fn new(file: FileId, text: &str, dialect: Dialect, dialect_reason: Option<String>) -> Context {
        Context {
            file,
            text: text.into(),
            diagnostics: Vec::new(),
            dialect,
            dialect_reason,
            aliases: FxHashMap::default(),
            type_vars: FxHashSet::default(),
            constants: FxHashMap::default(),
        }
    }

    /// The place of a node.
    pub fn span(&self, node: &impl Ranged) -> Span {
        self.range(node.range())
    }

    /// The place of a range.
    pub fn range(&self, range: TextRange) -> Span {
        Span::new(self.file, range.start().to_usize()..range.end().to_usize())
    }

    /// Reports a diagnostic.
    pub fn report(&mut self, diagnostic: Diagnostic) -> Reported {
        if self.diagnostics.len() < MOST_DIAGNOSTICS {
            self.diagnostics.push(diagnostic);
        }
        Reported(())
    }

    /// Reports an error at a place.
    pub fn error(&mut self, span: Span, message: impl Into<String>) -> Reported {
        self.report(Diagnostic::error(message).at(span))
    }

    /// Reports an error at a place, with a remark there.
    pub fn error_with(
        &mut self,
        span: Span,
        message: impl Into<String>,
        remark: impl Into<String>,
    ) -> Reported {
        self.report(Diagnostic::error(message).at_with(span, remark))
    }

    /// For what depends on something that was refused: an error stands in the list already.
    pub fn already_reported(&mut self) -> Reported {
        if self.diagnostics.is_empty() {
            return self.report(Diagnostic::error("refused without a reason (a defect of the front end)"));
        }
        Reported(())
    }
}
