//! Vectors in memory of which only some elements are accessed (LLVM Language Reference, "Masked Vector Load and Store
//! Intrinsics", "Masked Vector Gather and Scatter Intrinsics").
//!
//! Each element is an access of its own, in the lanes whose bit is set; what is not read is the element that the call
//! passes through. As LLVM's `ScalarizeMaskedMemIntrin` has it, elements are accessed one after the other.

use std::sync::Arc;

use wavemark_ir::attribute::Attribute;
use wavemark_ir::inst::{Argument, Call};
use wavemark_ir::types::{Type, TypeKind};

use super::Builder;
use super::buffer::parts;
use super::memory::space_of;
use crate::Refused;
use crate::lanes::Src;
use crate::op::{Access, BufferPlace, Op};
use crate::shape::{Leaf, image, mask};

impl Builder<'_, '_> {
    /// Compiles one; `spread`: each element has a pointer.
    pub(super) fn masked(
        &mut self,
        store: bool,
        spread: bool,
        ty: Type,
        call: &Call,
    ) -> Result<Vec<Src>, Refused> {
        let refused = |why: &str| Refused::new(format!("a masked access {why}"));
        let (pointer, rest) = match (store, &call.args[..]) {
            (true, [_, pointer, rest @ ..]) | (false, [pointer, rest @ ..]) => (pointer, rest),
            _ => return Err(refused("of nothing")),
        };
        // LLVM 22 has the alignment behind the pointer.
        let bits = match rest {
            [align, bits, ..] if self.unit.module.types.lanes(align.ty).is_none() => (Some(align), bits),
            [bits, ..] => (None, bits),
            [] => return Err(refused("without a mask")),
        };
        let align = match bits.0 {
            Some(align) => self.immediate(align.value).unwrap_or(1),
            None => self.aligned(pointer),
        };
        let vector = if store { call.args[0].ty } else { ty };
        let types = &self.unit.module.types;
        let TypeKind::Vector { element, count, scalable: false } = *types.kind(vector) else {
            return Err(refused("of what is no vector"));
        };
        let space = types.address_space(pointer.ty).unwrap_or(0);
        let image = Arc::new(image(types, element)?);
        let (limbs, whole) = (image.fields.len(), u64::from(image.bytes));
        let pointers = self.operand(pointer.value)?;
        let chosen = self.operand(bits.1.value)?;
        let given = match (store, call.args.last()) {
            (true, _) => self.operand(call.args[0].value)?,
            (false, Some(through)) => self.operand(through.value)?,
            _ => return Err(refused("of nothing")),
        };
        let pointer_limbs = pointers.len() / if spread { count as usize } else { 1 };
        let mut results = Vec::new();
        for at in 0..count as usize {
            let own = if spread { &pointers[at * pointer_limbs..][..pointer_limbs] } else { &pointers[..] };
            let distance = if spread { 0 } else { at as u64 * whole };
            let values = &given[at * limbs..][..limbs];
            let to = self.fresh(limbs);
            let op = if parts(space).is_some() {
                let place = self.element_place(own, space, distance)?;
                let image = Arc::clone(&image);
                match store {
                    true => Op::BufferStore { place, value: values.into(), image, atomic: None },
                    false => Op::BufferLoad { to, place, image, atomic: None },
                }
            } else {
                let &[pointer] = own else { return Err(refused("by a pointer of several words")) };
                let access = Access {
                    space: space_of(space)?,
                    pointer: self.behind(pointer, space, distance),
                    align: align.min(1 << distance.trailing_zeros().min(32)).max(1),
                    image: Arc::clone(&image),
                    atomic: None,
                };
                match store {
                    true => Op::Store { access, value: values.into() },
                    false => Op::Load { to, access, promise: None },
                }
            };
            self.push(Op::Masked { mask: chosen[at], op: Box::new(op) });
            if store {
                continue;
            }
            for (limb, &other) in values.iter().enumerate() {
                let (read, chosen_limb) = (Src::register(to + limb as u32), self.fresh(1));
                self.push(Op::Select { to: chosen_limb, condition: chosen[at], a: read, b: other });
                results.push(Src::register(chosen_limb));
            }
        }
        Ok(results)
    }

    /// The alignment that is promised of a pointer.
    fn aligned(&self, pointer: &Argument) -> u64 {
        let mut attributes = self.unit.module.attributes(&pointer.attributes);
        let align = attributes.find_map(|attribute| match attribute {
            Attribute::Number("align", bytes) => Some(*bytes),
            _ => None,
        });
        align.unwrap_or(1)
    }

    fn element_place(&mut self, pointer: &[Src], space: u32, distance: u64) -> Result<BufferPlace, Refused> {
        let mut place = self.place_of(pointer, space)?;
        place.offset = distance as i64;
        Ok(place)
    }

    /// A pointer that is so many bytes behind another.
    fn behind(&mut self, pointer: Src, space: u32, distance: u64) -> Src {
        if distance == 0 {
            return pointer;
        }
        let bits = wavemark_ir::layout::pointer_bytes(space) as u32 * 8;
        self.words(&[pointer], move |words| (words[0].wrapping_add(distance) & mask(bits), false))
    }

    /// 0, 1, 2, … as a vector.
    pub(super) fn step_vector(&mut self, ty: Type) -> Result<Vec<Src>, Refused> {
        let leaves = self.leaves(ty)?;
        if leaves.iter().any(|leaf| leaf.limbs() != 1) {
            return Err(Refused::new("a vector of steps of more than 64 bits"));
        }
        let of = |(at, leaf): (usize, &Leaf)| at as u64 & mask(leaf.bits);
        Ok(leaves.iter().enumerate().map(of).map(|word| self.word(word)).collect())
    }
}
