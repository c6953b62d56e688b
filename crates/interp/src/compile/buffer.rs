//! Buffers: accesses through a resource, by intrinsics or through pointers that are one.
//!
//! A *fat pointer* (address space 7) is a resource and an offset, a *strided* one (address space 9) has an index besides
//! (guide, "Address Spaces"). As a number, a fat pointer is the resource above the 32 bits of its offset, as LLVM's
//! `AMDGPULowerBufferFatPointers` has it; of a strided one LLVM says no number, here the index stands between the two.
//! Accesses through either are those of the raw or structured intrinsics with that offset and index.

use std::sync::Arc;

use wavemark_ir::inst::{Access as IrAccess, Call, Operand};
use wavemark_ir::opcode::{BinaryOp, Flags, IntPredicate, RmwOp};
use wavemark_ir::types::Type;

use super::Builder;
use crate::Refused;
use crate::lanes::Src;
use crate::meaning::Buffer;
use crate::op::{Atomic, BufferPlace, Op, Typed};
use crate::race::Level;
use crate::shape::{Class, Leaf, image};

/// The bits of the parts of a pointer that is a resource with an offset, the lowest first.
pub(super) fn parts(space: u32) -> Option<&'static [u32]> {
    match space {
        7 => Some(&[32, 64, 64]),
        9 => Some(&[32, 32, 64, 64]),
        _ => None,
    }
}

impl Builder<'_, '_> {
    /// The 128 bits of a buffer resource (manuals, "Buffer Resource Descriptor").
    pub(super) fn resource(&mut self, ty: Type, call: &Call) -> Result<Vec<Src>, Refused> {
        let from = self.arguments(call)?;
        let layout = self.unit.target.facts().buffer_resource;
        let half = |high: bool| {
            move |w: &[u64]| {
                let whole = crate::run::buffer::make_resource(layout, w[0], w[1] as u16, w[2], w[3] as u32);
                ((whole >> if high { 64 } else { 0 }) as u64, false)
            }
        };
        let resource = [self.words(&from, half(false)), self.words(&from, half(true))];
        Ok(self.pointer_to(resource, self.unit.module.types.address_space(ty).unwrap_or(8)))
    }

    /// A resource as a pointer into an address space, with offset and index 0.
    pub(super) fn pointer_to(&mut self, resource: [Src; 2], space: u32) -> Vec<Src> {
        let Some(bits) = parts(space) else { return resource.to_vec() };
        let mut own = vec![self.word(0); bits.len() - 2];
        own.extend(resource);
        self.joined(&own, space)
    }

    /// The parts of a pointer: offset, index if it has one, resource.
    pub(super) fn parted(&mut self, pointer: &[Src], space: u32) -> Vec<Src> {
        let bits = parts(space).unwrap_or(&[64]);
        self.recut(pointer, &limb_bits(bits), bits)
    }

    /// A pointer of its parts.
    pub(super) fn joined(&mut self, own: &[Src], space: u32) -> Vec<Src> {
        let bits = parts(space).unwrap_or(&[64]);
        self.recut(own, bits, &limb_bits(bits))
    }

    /// Where a pointer is in a buffer, if it is a fat or strided one.
    pub(super) fn fat(&mut self, pointer: Operand) -> Result<Option<BufferPlace>, Refused> {
        let space = self.unit.module.types.address_space(self.ty(pointer)).unwrap_or(0);
        if parts(space).is_none() {
            return Ok(None);
        }
        let limbs = self.operand(pointer)?;
        self.place_of(&limbs, space).map(Some)
    }

    /// Where a fat or strided pointer is, whose limbs these are.
    pub(super) fn place_of(&mut self, limbs: &[Src], space: u32) -> Result<BufferPlace, Refused> {
        let own = self.parted(limbs, space);
        let zero = self.word(0);
        Ok(match own[..] {
            [voffset, low, high] => {
                BufferPlace { resource: [low, high], index: None, voffset, soffset: zero, offset: 0 }
            }
            [voffset, index, low, high] => {
                BufferPlace { resource: [low, high], index: Some(index), voffset, soffset: zero, offset: 0 }
            }
            _ => return Err(Refused::new("a pointer into a buffer that is none")),
        })
    }

    /// How an access through such a pointer is atomic. What it would order is not followed.
    fn fat_atomic(&self, access: &IrAccess) -> Result<Option<Atomic>, Refused> {
        let Some(ordering) = access.ordering else { return Ok(None) };
        if ordering.acquires() || ordering.releases() {
            return Err(Refused::new("an acquire or release through a buffer fat pointer"));
        }
        let level = Level::of_scope(self.unit.module.scope(access.scope));
        Ok(Some(Atomic { level, acquires: false, releases: false }))
    }

    /// A load through such a pointer.
    pub(super) fn fat_load(
        &mut self,
        place: BufferPlace,
        access: &IrAccess,
        ty: Type,
    ) -> Result<Vec<Src>, Refused> {
        let image = Arc::new(image(&self.unit.module.types, ty)?);
        let atomic = self.fat_atomic(access)?;
        let count = image.fields.len();
        let to = self.fresh(count);
        self.push(Op::BufferLoad { to, place, image, atomic });
        Ok((0..count as u32).map(|limb| Src::register(to + limb)).collect())
    }

    /// A store through such a pointer.
    pub(super) fn fat_store(
        &mut self,
        place: BufferPlace,
        access: &IrAccess,
        value: Operand,
    ) -> Result<Vec<Src>, Refused> {
        let image = Arc::new(image(&self.unit.module.types, self.ty(value))?);
        let atomic = self.fat_atomic(access)?;
        let value = self.operand(value)?;
        self.push(Op::BufferStore { place, value: value[..].into(), image, atomic });
        Ok(Vec::new())
    }

    /// A read-modify-write through such a pointer.
    pub(super) fn fat_rmw(
        &mut self,
        place: BufferPlace,
        access: &IrAccess,
        op: RmwOp,
        value: Operand,
    ) -> Result<Vec<Src>, Refused> {
        let ty = self.ty(value);
        self.fat_atomic(access)?;
        let image = Arc::new(image(&self.unit.module.types, ty)?);
        let leaves = self.leaves(ty)?;
        let format = match leaves[0].class {
            Class::Float(format) => Some(format),
            _ => None,
        };
        let value = self.operand(value)?;
        let value = self.packed(&leaves, &value)?;
        let to = self.fresh(1);
        self.push(Op::BufferRmw { to, op, format, place, value, expected: None, image });
        Ok(self.unpacked(&leaves, Src::register(to)))
    }

    /// A compare-exchange through such a pointer.
    pub(super) fn fat_exchange(
        &mut self,
        place: BufferPlace,
        access: &IrAccess,
        [expected, replacement]: [Operand; 2],
    ) -> Result<Vec<Src>, Refused> {
        let ty = self.ty(expected);
        self.fat_atomic(access)?;
        let image = Arc::new(image(&self.unit.module.types, ty)?);
        let bits = self.leaves(ty)?[0].bits;
        let (expected, value) = (self.single(expected)?, self.single(replacement)?);
        let to = self.fresh(1);
        let (op, format) = (RmwOp::Xchg, None);
        self.push(Op::BufferRmw { to, op, format, place, value, expected: Some(expected), image });
        let (old, same) = (Src::register(to), self.fresh(1));
        let predicate = IntPredicate::Eq;
        self.push(Op::Compare { predicate, bits, same_sign: false, to: same, a: old, b: expected });
        Ok(vec![old, Src::register(same)])
    }

    /// Whether two values of several limbs are equal, or are not.
    pub(super) fn equal(&mut self, predicate: IntPredicate, a: &[Src], b: &[Src]) -> Src {
        let (flags, bits) = (Flags::empty(), 64);
        let mut differ = self.word(0);
        for (&a, &b) in a.iter().zip(b) {
            let to = self.fresh(2);
            self.push(Op::Int { op: BinaryOp::Xor, flags, bits, to, a, b });
            let (a, b) = (differ, Src::register(to));
            self.push(Op::Int { op: BinaryOp::Or, flags, bits, to: to + 1, a, b });
            differ = Src::register(to + 1);
        }
        let (to, zero) = (self.fresh(1), self.word(0));
        self.push(Op::Compare { predicate, bits, same_sign: false, to, a: differ, b: zero });
        Src::register(to)
    }

    /// A place in a buffer whose operands begin at argument `resource`, with the offsets from argument `at` on.
    pub(super) fn place(
        &mut self,
        call: &Call,
        resource: usize,
        index: Option<usize>,
        at: usize,
        offset: usize,
    ) -> Result<BufferPlace, Refused> {
        let limbs = self.operand(call.args[resource].value)?;
        let &[low, high] = &limbs[..] else { return Err(Refused::new("a resource that is none")) };
        // The copies to LDS have an offset of the instruction; other accesses have none.
        let own =
            if offset < call.args.len() { self.signed_immediate(call.args[offset].value) } else { None };
        Ok(BufferPlace {
            resource: [low, high],
            index: index.map(|index| self.single(call.args[index].value)).transpose()?,
            voffset: self.single(call.args[at].value)?,
            soffset: self.single(call.args[at + 1].value)?,
            offset: own.unwrap_or(0),
        })
    }

    pub(super) fn buffer(
        &mut self,
        access: Buffer,
        indexed: bool,
        ty: Type,
        call: &Call,
    ) -> Result<Vec<Src>, Refused> {
        let values = match access {
            Buffer::Load => 0,
            Buffer::Store | Buffer::Atomic(_) => 1,
            Buffer::CompareSwap => 2,
        };
        let (index, at) = if indexed { (Some(values + 1), values + 2) } else { (None, values + 1) };
        let place = self.place(call, values, index, at, usize::MAX)?;
        let aux = call.args.last().and_then(|argument| self.immediate(argument.value)).unwrap_or(0);
        // Bit 3 swizzles on all generations but the newest, where the resource says it alone.
        if self.unit.target.facts().buffer_resource != wavemark_target::facts::BufferResource::Gfx1250
            && aux & 8 != 0
        {
            return Err(Refused::new("a swizzled access to a buffer"));
        }
        let value_type = if values == 0 { ty } else { self.ty(call.args[0].value) };
        let image = Arc::new(image(&self.unit.module.types, value_type)?);
        match access {
            Buffer::Load => {
                let count = image.fields.len();
                let to = self.fresh(count);
                self.push(Op::BufferLoad { to, place, image, atomic: None });
                Ok((0..count as u32).map(|limb| Src::register(to + limb)).collect())
            }
            Buffer::Store => {
                let value = self.operand(call.args[0].value)?;
                self.push(Op::BufferStore { place, value: value[..].into(), image, atomic: None });
                Ok(Vec::new())
            }
            Buffer::Atomic(_) | Buffer::CompareSwap => {
                let leaves = self.leaves(value_type)?;
                let value = self.operand(call.args[0].value)?;
                let value = self.packed(&leaves, &value)?;
                let (op, expected) = match access {
                    Buffer::CompareSwap => (RmwOp::Xchg, Some(self.single(call.args[1].value)?)),
                    Buffer::Atomic(op) => (op, None),
                    _ => (RmwOp::Xchg, None),
                };
                let format = match leaves[0].class {
                    Class::Float(format) if leaves.len() == 1 || op == RmwOp::FAdd => Some(format),
                    _ => None,
                };
                let to = self.fresh(1);
                self.push(Op::BufferRmw { to, op, format, place, value, expected, image });
                Ok(self.unpacked(&leaves, Src::register(to)))
            }
        }
    }

    /// A load or store of elements that a format converts; `says`: the intrinsic says which, not the resource.
    pub(super) fn typed(
        &mut self,
        store: bool,
        indexed: bool,
        says: bool,
        ty: Type,
        call: &Call,
    ) -> Result<Vec<Src>, Refused> {
        // The value, resource, index, two offsets, the format, the policy.
        let first = usize::from(store);
        let (index, at) = if indexed { (Some(first + 1), first + 2) } else { (None, first + 1) };
        let place = self.place(call, first, index, at, usize::MAX)?;
        let mnemonic = if says { "tbuffer_load_format_x" } else { "buffer_load_format_x" };
        let own = if says { " format:1" } else { "" };
        let text = format!("{mnemonic} v0, v1, s[0:3], 0{own} offen");
        let known =
            |text: &str| wavemark_isa::parse(self.unit.target, text, &wavemark_isa::NoSymbols).is_ok();
        if !known(&text) && !known(&text.replace(", 0 ", ", null ")) {
            return Err(Refused::new(format!(
                "typed buffers: {} has no {mnemonic}",
                self.unit.target.processor
            )));
        }
        let format = match says {
            true => {
                let number = self.immediate(call.args[at + 2].value);
                let number = number.ok_or_else(|| Refused::new("a format that is no constant"))?;
                Some((number & 0x7f) as u8)
            }
            false => None,
        };
        let value_type = if store { self.ty(call.args[0].value) } else { ty };
        let leaves = self.leaves(value_type)?;
        let bits = leaves[0].bits;
        if leaves.len() > 4 || !matches!(bits, 16 | 32) || leaves.iter().any(|leaf| leaf.bits != bits) {
            return Err(Refused::new(
                "an element of a typed buffer of other than one to four words or halves",
            ));
        }
        let typed = Typed { format, components: leaves.len() as u32, d16: bits == 16 };
        if store {
            let value = self.operand(call.args[0].value)?;
            self.push(Op::TypedStore { place, value: value[..].into(), typed });
            return Ok(Vec::new());
        }
        let to = self.fresh(leaves.len());
        self.push(Op::TypedLoad { to, place, typed });
        Ok((0..leaves.len() as u32).map(|limb| Src::register(to + limb)).collect())
    }
}

/// Parts of so many bits as limbs.
fn limb_bits(parts: &[u32]) -> Vec<u32> {
    Leaf { class: Class::Int, bits: parts.iter().sum() }.limb_bits().collect()
}
