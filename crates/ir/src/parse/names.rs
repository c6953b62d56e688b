//! Scopes and calling conventions: words that several constructs share.

use super::{Parser, Result};
use crate::function::{CallingConvention, NamedConvention};
use crate::module::Scope;
use crate::opcode::Ordering;

impl Parser<'_> {
    /// `syncscope("agent")`, or nothing.
    pub(super) fn sync_scope(&mut self) -> Result<Scope> {
        if !self.take_word("syncscope") {
            return Ok(Scope(0));
        }
        self.expect(b'(')?;
        let name = self.utf8()?;
        self.expect(b')')?;
        if name.is_empty() {
            return Ok(Scope(0));
        }
        let scopes = &mut self.module.scopes;
        let index = scopes.iter().position(|known| *known == name).unwrap_or_else(|| {
            scopes.push(name);
            scopes.len() - 1
        });
        Ok(Scope(index as u32 + 1))
    }

    pub(super) fn ordering(&mut self) -> Result<Ordering> {
        match self.take_named(Ordering::named) {
            Some(ordering) => Ok(ordering),
            None => self.expected("an ordering: unordered, monotonic, acquire, release, acq_rel or seq_cst"),
        }
    }

    /// A calling convention, or nothing.
    pub(super) fn convention(&mut self) -> Result<Option<CallingConvention>> {
        let Some(word) = self.word() else { return Ok(None) };
        if let Some(named) = NamedConvention::named(word) {
            self.go_past(word);
            return Ok(Some(CallingConvention::Named(named)));
        }
        if self.take_word("cc") {
            let number = self.u32("the number of a calling convention")?;
            return Ok(Some(CallingConvention::Number(number)));
        }
        match word.len() > 2 && word.ends_with("cc") {
            true => self.unsupported(format!("the calling convention {word}")),
            false => Ok(None),
        }
    }
}
