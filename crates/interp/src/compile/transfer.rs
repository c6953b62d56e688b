//! Intrinsics that move data: to LDS and back, through the tensor unit, transposed, by the byte, element by element.

use std::sync::Arc;

use wavemark_ir::inst::Call;
use wavemark_ir::types::Type;

use super::Builder;
use super::memory::space_of;
use crate::Refused;
use crate::lanes::Src;
use crate::meaning::{DmaSource, Meaning, TransposedLoad};
use crate::op::{DmaFrom, Op};
use crate::shape::image;

impl Builder<'_, '_> {
    /// Compiles an intrinsic that moves data, or tells a barrier in LDS that data have come.
    pub(super) fn transfer(
        &mut self,
        meaning: Meaning,
        name: &str,
        ty: Type,
        call: &Call,
    ) -> Result<Vec<Src>, Refused> {
        let refused = || Refused::new(format!("the intrinsic {name}"));
        let argument = |number: usize| call.args[number].value;
        match meaning {
            Meaning::ToLds { from, asynchronous } => {
                let (from, at) = match from {
                    DmaSource::Buffer(indexed) => {
                        let at = if indexed { 4 } else { 3 };
                        (
                            DmaFrom::Buffer(self.place(
                                call,
                                0,
                                if indexed { Some(3) } else { None },
                                at,
                                at + 2,
                            )?),
                            at + 2,
                        )
                    }
                    DmaSource::Pointer => match self.fat(argument(0))? {
                        Some(place) => (DmaFrom::Buffer(place), 3),
                        None => (DmaFrom::Pointer(self.single(argument(0))?), 3),
                    },
                };
                let bytes = self.immediate(argument(2)).ok_or_else(refused)? as u32;
                let offset = self.signed_immediate(argument(at)).ok_or_else(refused)?;
                let lds = self.single(argument(1))?;
                self.push(Op::ToLds { from, lds, bytes, offset, asynchronous });
                Ok(Vec::new())
            }
            Meaning::Async { bytes, store, cluster } => {
                let (global, lds) = (self.single(argument(0))?, self.single(argument(1))?);
                let offset = self.signed_immediate(argument(2)).ok_or_else(refused)?;
                let workgroups = if cluster { Some(self.single(argument(4))?) } else { None };
                self.push(Op::Async { global, lds, offset, bytes, store, workgroups });
                Ok(Vec::new())
            }
            Meaning::Tensor(store, _) => {
                let mut groups = Vec::new();
                // The last argument is the cache policy.
                for argument in &call.args[..call.args.len() - 1] {
                    groups.extend(self.operand(argument.value)?.iter());
                }
                self.push(Op::Tensor { store, groups: groups.into() });
                Ok(Vec::new())
            }
            Meaning::Transposed(TransposedLoad(transpose)) => {
                let space = self.unit.module.types.address_space(self.ty(argument(0))).unwrap_or(3);
                let image = Arc::new(image(&self.unit.module.types, ty)?);
                let pointer = self.single(argument(0))?;
                let count = image.fields.len();
                let to = self.fresh(count);
                let space = space_of(space)?;
                self.push(Op::Transposed { to, transpose, space, pointer, image });
                Ok((0..count as u32).map(|limb| Src::register(to + limb)).collect())
            }
            Meaning::MemCopy => {
                let types = &self.unit.module.types;
                let spaces = [0, 1].map(|at| types.address_space(self.ty(argument(at))).unwrap_or(0));
                let to = [space_of(spaces[0])?, space_of(spaces[1])?];
                let pointers = [self.single(argument(0))?, self.single(argument(1))?];
                let bits = self.leaves(self.ty(argument(2)))?[0].bits;
                let bytes = self.single(argument(2))?;
                self.push(Op::Copy { to, pointers, bytes, bits });
                Ok(Vec::new())
            }
            Meaning::Masked { store, spread } => self.masked(store, spread, ty, call),
            Meaning::MemSet => {
                let space = self.unit.module.types.address_space(self.ty(argument(0))).unwrap_or(0);
                let (pointer, value, bytes) =
                    (self.single(argument(0))?, self.single(argument(1))?, self.single(argument(2))?);
                self.push(Op::Fill { space: space_of(space)?, pointer, value, bytes });
                Ok(Vec::new())
            }
            Meaning::Arrive(asynchronous) => {
                let pointer = self.single(argument(0))?;
                if asynchronous {
                    self.push(Op::Arrive { to: None, pointer, count: None });
                    return Ok(Vec::new());
                }
                let count = self.single(argument(1))?;
                let to = self.fresh(1);
                self.push(Op::Arrive { to: Some(to), pointer, count: Some(count) });
                Ok(vec![Src::register(to)])
            }
            _ => Err(refused()),
        }
    }
}
