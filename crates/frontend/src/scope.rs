//! Names and what they stand for, in nested scopes. A `with`, a loop, a block and a branch each open one, as in
//! TVM's parser; an inner scope may use a name again, one scope may not.

use rustc_hash::FxHashMap;
use wavemark_diag::Span;

use crate::value::Value;

/// What a name stands for.
#[derive(Clone)]
pub struct Binding {
    /// Its value; `None` when what should have defined it was refused (uses are not reported again).
    pub value: Option<Value>,
    /// Where it was defined.
    pub span: Span,
    /// An assignment to the name stores to the element that it is: a scalar in memory.
    pub assignable: bool,
}

/// The scopes that are open, outermost first.
#[derive(Default)]
pub struct Scopes {
    frames: Vec<FxHashMap<String, Binding>>,
}

impl Scopes {
    /// Opens a scope.
    pub fn push(&mut self) {
        self.frames.push(FxHashMap::default());
    }

    /// Closes the innermost one.
    pub fn pop(&mut self) {
        self.frames.pop();
    }

    /// What the name stands for here.
    pub fn get(&self, name: &str) -> Option<&Binding> {
        self.frames.iter().rev().find_map(|frame| frame.get(name))
    }

    /// What the innermost scope itself says of the name.
    pub fn innermost(&self, name: &str) -> Option<&Binding> {
        self.frames.last().and_then(|frame| frame.get(name))
    }

    /// Defines the name in the innermost scope.
    pub fn define(&mut self, name: &str, binding: Binding) {
        if let Some(frame) = self.frames.last_mut() {
            frame.insert(name.to_owned(), binding);
        }
    }

    /// All names that can be seen here.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.frames.iter().flat_map(|frame| frame.keys().map(String::as_str))
    }
}
