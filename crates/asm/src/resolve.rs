//! What becomes of one value that waited for symbols: bytes, or a relocation.
//!
//! Follows LLVM's `ELFObjectWriter` and `AMDGPUELFObjectWriter`: a specifier always makes a relocation; a value
//! relative to its own place does not when the symbol is local and in the same section.

use wavemark_codeobj::RelocationKind;
use wavemark_codeobj::elf::Binding;

use crate::assembler::Assembler;
use crate::directive;
use crate::expr::{Binary, Expr, Specifier};
use crate::section::{Fixup, FixupKind, SectionId};
use crate::symbol::Definition;
use crate::value::{Evaluator, Term, Value};

/// What a fixup became.
pub(crate) enum Outcome {
    /// The bytes to write.
    Bytes([u8; 8], usize),
    /// A relocation; the place keeps `bytes`.
    Relocation { kind: RelocationKind, symbol: Option<Term>, addend: i64, bytes: Option<[u8; 2]> },
}

/// Decides one fixup.
pub(crate) struct Resolver<'a, 'm> {
    pub assembler: &'a Assembler<'m>,
    pub section: SectionId,
}

impl Resolver<'_, '_> {
    /// What becomes of `fixup`, or why it has no value.
    pub fn resolve(&self, fixup: &Fixup) -> Result<Outcome, String> {
        let assembler = self.assembler;
        let mut evaluator = Evaluator::new(&assembler.symbols, &assembler.sections, assembler.subtarget);
        evaluator.keep_aliases = true;
        let value = evaluator.value(&fixup.expr)?;
        self.check_temporary(&value)?;
        if let Some(number) = value.absolute() {
            return self.number(fixup, number);
        }
        match fixup.kind {
            FixupKind::Branch => return self.branch(fixup, value, &evaluator),
            FixupKind::Absolute16 => return Err("expected an absolute expression, not an address".to_owned()),
            FixupKind::Data { bytes: 1 | 2 } => {
                return Err("an address does not fit in less than 4 bytes".to_owned());
            }
            _ => {}
        }
        let wide = matches!(fixup.kind, FixupKind::Data { bytes: 8 } | FixupKind::Literal64);
        let literal = matches!(fixup.kind, FixupKind::Literal32 | FixupKind::Literal64);
        let mut relative = literal && needs_own_place(&fixup.expr);
        let mut addend = value.constant;
        if let Some(sub) = value.sub {
            match evaluator.location(sub) {
                Some((section, offset)) if section == self.section => {
                    addend = addend.wrapping_add((fixup.offset as i64).wrapping_sub(offset as i64));
                    relative = true;
                }
                _ => return Err("the difference is not one that a linker can compute".to_owned()),
            }
        }
        let Some(add) = value.add else {
            return Err("a negated address is not something that a linker can compute".to_owned());
        };
        if relative
            && value.specifier.is_none()
            && let Some((section, offset)) = evaluator.location(add)
            && section == self.section
            && !self.is_global(add)
        {
            let distance = (offset as i64).wrapping_add(addend).wrapping_sub(fixup.offset as i64);
            return self.number(fixup, distance);
        }
        let kind = relocation(value.specifier, wide, relative);
        Ok(Outcome::Relocation { kind, symbol: Some(add), addend, bytes: None })
    }

    /// An undefined `.L` name can never be found by a linker.
    fn check_temporary(&self, value: &Value) -> Result<(), String> {
        for term in [value.add, value.sub].into_iter().flatten() {
            let Term::Symbol(symbol) = term else { continue };
            let symbol = self.assembler.symbols.get(symbol);
            if symbol.definition == Definition::Undefined && symbol.is_temporary() {
                return Err(match symbol.name.as_str() {
                    "" => "there is no such numeric label after this".to_owned(),
                    name => format!("undefined label {name}"),
                });
            }
        }
        Ok(())
    }

    fn number(&self, fixup: &Fixup, number: i64) -> Result<Outcome, String> {
        let count = match fixup.kind {
            FixupKind::Data { bytes } => bytes,
            FixupKind::Literal32 => 4,
            FixupKind::Literal64 => 8,
            FixupKind::Absolute16 => 2,
            FixupKind::Branch => return Err("expected a label, not a number".to_owned()),
        };
        if !directive::fits(number, count) {
            return Err(format!(
                "{number} does not fit in {count} byte{}",
                if count == 1 { "" } else { "s" }
            ));
        }
        Ok(Outcome::Bytes(number.to_le_bytes(), usize::from(count)))
    }

    fn branch(&self, fixup: &Fixup, value: Value, evaluator: &Evaluator<'_>) -> Result<Outcome, String> {
        let (Some(add), None, None) = (value.add, value.sub, value.specifier) else {
            return Err("expected a label".to_owned());
        };
        if let Term::Symbol(symbol) = add {
            let symbol = self.assembler.symbols.get(symbol);
            if symbol.definition == Definition::Undefined {
                return Err(format!("undefined label {}", symbol.name));
            }
        }
        match evaluator.location(add) {
            Some((section, offset)) if section == self.section && !self.is_global(add) => {
                let target = (offset as i64).wrapping_add(value.constant);
                let distance = target.wrapping_sub(fixup.offset as i64 + 4);
                let dwords = i16::try_from(distance / 4).ok().filter(|_| distance % 4 == 0);
                let dwords =
                    dwords.ok_or_else(|| format!("the branch distance of {distance} bytes is too far"))?;
                let mut bytes = [0; 8];
                bytes[..2].copy_from_slice(&dwords.to_le_bytes());
                Ok(Outcome::Bytes(bytes, 2))
            }
            _ => Ok(Outcome::Relocation {
                kind: RelocationKind::Rel16,
                symbol: Some(add),
                addend: value.constant,
                bytes: Some([0xff, 0xff]),
            }),
        }
    }

    fn is_global(&self, term: Term) -> bool {
        match term {
            Term::Place(..) => false,
            Term::Symbol(symbol) => {
                let binding = self.assembler.symbols.get(symbol).binding;
                matches!(binding, Some(Binding::Global | Binding::Weak))
            }
        }
    }
}

/// Whether a literal is relative to its own place: LLVM asks whether a symbol without an absolute specifier is
/// in it outside differences.
fn needs_own_place(expr: &Expr) -> bool {
    match expr {
        Expr::Symbol(_, specifier) => {
            !matches!(specifier, Some(Specifier::Abs32Lo | Specifier::Abs32Hi | Specifier::Abs64))
        }
        Expr::Place(..) => true,
        Expr::Binary(Binary::Sub, ..) => false,
        Expr::Binary(_, left, right) => needs_own_place(left) || needs_own_place(right),
        Expr::Unary(_, operand) => needs_own_place(operand),
        Expr::Int(_) | Expr::Call(..) => false,
    }
}

fn relocation(specifier: Option<Specifier>, wide: bool, relative: bool) -> RelocationKind {
    match (specifier, wide, relative) {
        (Some(Specifier::GotPcRel), ..) => RelocationKind::GotPcRel,
        (Some(Specifier::GotPcRel32Lo), ..) => RelocationKind::GotPcRel32Lo,
        (Some(Specifier::GotPcRel32Hi), ..) => RelocationKind::GotPcRel32Hi,
        (Some(Specifier::Rel32Lo), ..) => RelocationKind::Rel32Lo,
        (Some(Specifier::Rel32Hi), ..) => RelocationKind::Rel32Hi,
        (Some(Specifier::Rel64), ..) => RelocationKind::Rel64,
        (Some(Specifier::Abs32Lo), ..) => RelocationKind::Abs32Lo,
        (Some(Specifier::Abs32Hi), ..) => RelocationKind::Abs32Hi,
        (Some(Specifier::Abs64), ..) => RelocationKind::Abs64,
        (None, true, true) => RelocationKind::Rel64,
        (None, true, false) => RelocationKind::Abs64,
        (None, false, true) => RelocationKind::Rel32,
        (None, false, false) => RelocationKind::Abs32,
    }
}
