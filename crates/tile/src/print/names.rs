//! Names of variables and buffers in the printed text: hints made into identifiers, unique where they are visible.
//!
//! As TVM's printer does it: a name is taken from where it is defined to the end of the scope that defines it, and
//! a second one with the same hint becomes `i_1`, `i_2`, …; siblings may share a name.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::expr::{BufferId, VarId};

/// What has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Entity {
    /// A variable.
    Var(VarId),
    /// A buffer.
    Buffer(BufferId),
}

/// The names that are visible, by scope.
#[derive(Debug)]
pub(super) struct Names {
    texts: FxHashMap<Entity, String>,
    taken: FxHashSet<String>,
    scopes: Vec<Vec<(Entity, bool)>>,
}

/// Words that no variable may have: Python's keywords and what the text itself uses. (TVM reserves only the
/// prefixes and would print a program that does not parse.)
const RESERVED: [&str; 39] = [
    "I", "T", "R", "range", "False", "None", "True", "and", "as", "assert", "async", "await", "break",
    "class", "continue", "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if",
    "import", "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while",
    "with", "yield",
];

/// `hint` as an identifier; `fallback` when nothing of it is left.
pub(super) fn identifier(hint: &str, fallback: &str) -> String {
    let mut name: String =
        hint.chars().map(|c| if c == '_' || c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if name.is_empty() {
        name = fallback.into();
    }
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        name.insert(0, '_');
    }
    name
}

impl Names {
    /// No names but `module`, which is the class that the functions stand in.
    pub(super) fn new(module: &str) -> Names {
        let taken = RESERVED.iter().copied().chain([module]).map(String::from).collect();
        Names { texts: FxHashMap::default(), taken, scopes: vec![Vec::new()] }
    }

    /// Opens a scope.
    pub(super) fn push(&mut self) {
        self.scopes.push(Vec::new());
    }

    /// Closes the innermost scope: its names are free again.
    pub(super) fn pop(&mut self) {
        for (entity, taken) in self.scopes.pop().unwrap_or_default() {
            if let Some(text) = self.texts.remove(&entity)
                && taken
            {
                self.taken.remove(&text);
            }
        }
    }

    /// The text for an entity that is visible.
    pub(super) fn get(&self, entity: Entity) -> Option<&str> {
        self.texts.get(&entity).map(String::as_str)
    }

    /// Defines an entity in the innermost scope; one that is visible keeps its name.
    pub(super) fn define(&mut self, entity: Entity, hint: &str) -> String {
        self.define_at(self.scopes.len().saturating_sub(1), entity, hint)
    }

    /// Defines an entity in the outermost scope of the function.
    pub(super) fn define_outermost(&mut self, entity: Entity, hint: &str) -> String {
        self.define_at(self.scopes.len().saturating_sub(1).min(1), entity, hint)
    }

    fn define_at(&mut self, scope: usize, entity: Entity, hint: &str) -> String {
        if let Some(text) = self.get(entity) {
            return text.to_string();
        }
        let fallback = if matches!(entity, Entity::Var(_)) { "v" } else { "buffer" };
        let name = self.unique(identifier(hint, fallback));
        self.taken.insert(name.clone());
        self.texts.insert(entity, name.clone());
        if let Some(scope) = self.scopes.get_mut(scope) {
            scope.push((entity, true));
        }
        name
    }

    /// A name for something that is no entity, taken until the function ends.
    pub(super) fn reserve(&mut self, hint: &str) -> String {
        let base = identifier(hint, "v");
        let name = self.unique(base);
        self.taken.insert(name.clone());
        name
    }

    fn unique(&self, base: String) -> String {
        let mut name = base.clone();
        let mut suffix = 0u32;
        while self.taken.contains(&name) {
            suffix += 1;
            name = format!("{base}_{suffix}");
        }
        name
    }

    /// Makes an entity visible as an expression, such as `B.strides[0]`.
    pub(super) fn define_as(&mut self, entity: Entity, text: String) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.push((entity, false));
            self.texts.insert(entity, text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Entity, Names};
    use crate::expr::VarId;

    #[test]
    fn a_name_is_free_again_after_its_scope() {
        let [a, b, c] = [0, 1, 2].map(|id| Entity::Var(VarId(id)));
        let mut names = Names::new("Module");
        names.push();
        assert_eq!(names.define(a, "i"), "i");
        names.push();
        assert_eq!(names.define(b, "i"), "i_1");
        assert_eq!(names.define(a, "i"), "i");
        names.pop();
        names.pop();
        assert_eq!(names.get(a), None);
        assert_eq!(names.define(c, "i"), "i");
        assert_eq!(names.define(b, "T"), "T_1");
        assert_eq!(names.define(a, "0 x"), "_0_x");
    }
}
