//! The indices of `getelementptr`, one after the other: each goes to an element, or to a field.

use wavemark_ir::layout::{field_offset, layout};
use wavemark_ir::types::{Type, TypeKind, Types};

use crate::Refused;

/// What an index adds to an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// So many bytes.
    Offset(u64),
    /// So many bytes times the index.
    Scale(u64),
}

/// A walk through a type.
pub struct Walk<'t> {
    types: &'t Types,
    ty: Type,
}

impl<'t> Walk<'t> {
    /// From an array of `source`.
    pub fn new(types: &'t Types, source: Type) -> Walk<'t> {
        Walk { types, ty: source }
    }

    /// The index at `position`; a field's must be known.
    pub fn step(&mut self, position: usize, known: Option<u64>) -> Result<Step, Refused> {
        let stride = |ty| {
            let layout =
                layout(self.types, ty).ok_or_else(|| Refused::new("an address by a type without size"))?;
            Ok(Step::Scale(layout.stride()))
        };
        if position == 0 {
            return stride(self.ty);
        }
        match *self.types.kind(self.ty) {
            TypeKind::Array { element, .. } => {
                self.ty = element;
                stride(element)
            }
            TypeKind::Vector { element, .. } => {
                self.ty = element;
                let bits = wavemark_ir::layout::bits(self.types, element).unwrap_or(8);
                Ok(Step::Scale(bits.div_ceil(8)))
            }
            _ => {
                let found = known.and_then(|index| {
                    Some((field_offset(self.types, self.ty, index)?, self.types.part(self.ty, index)?))
                });
                let Some((offset, part)) = found else {
                    return Err(Refused::new("an address of a field that is no constant"));
                };
                self.ty = part;
                Ok(Step::Offset(offset))
            }
        }
    }
}
