//! What is defined where.

use rustc_hash::FxHashSet;

use crate::expr::{BufferId, VarId};

/// The variables and buffers that are visible, and all that have been.
#[derive(Debug, Default)]
pub(super) struct Scope {
    vars: FxHashSet<VarId>,
    buffers: FxHashSet<BufferId>,
    defined_vars: FxHashSet<VarId>,
    defined_buffers: FxHashSet<BufferId>,
    added: Vec<(Vec<VarId>, Vec<BufferId>)>,
}

impl Scope {
    pub(super) fn push(&mut self) {
        self.added.push(Default::default());
    }

    pub(super) fn pop(&mut self) {
        let (vars, buffers) = self.added.pop().unwrap_or_default();
        for var in vars {
            self.vars.remove(&var);
        }
        for buffer in buffers {
            self.buffers.remove(&buffer);
        }
    }

    pub(super) fn has_var(&self, id: VarId) -> bool {
        self.vars.contains(&id)
    }

    pub(super) fn has_buffer(&self, id: BufferId) -> bool {
        self.buffers.contains(&id)
    }

    /// It has been visible somewhere.
    pub(super) fn had_var(&self, id: VarId) -> bool {
        self.defined_vars.contains(&id)
    }

    /// It has been visible somewhere.
    pub(super) fn had_buffer(&self, id: BufferId) -> bool {
        self.defined_buffers.contains(&id)
    }

    /// Makes a variable visible; false when it has been defined before, anywhere.
    pub(super) fn define_var(&mut self, id: VarId) -> bool {
        if self.vars.insert(id)
            && let Some((vars, _)) = self.added.last_mut()
        {
            vars.push(id);
        }
        self.defined_vars.insert(id)
    }

    /// Makes a buffer visible; false when it has been defined before, anywhere.
    pub(super) fn define_buffer(&mut self, id: BufferId) -> bool {
        if self.buffers.insert(id)
            && let Some((_, buffers)) = self.added.last_mut()
        {
            buffers.push(id);
        }
        self.defined_buffers.insert(id)
    }
}
