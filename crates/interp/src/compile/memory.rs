//! Instructions that access memory.

use std::sync::Arc;

use wavemark_ir::Module;
use wavemark_ir::inst::{Access as IrAccess, InstData, InstKind, Operand};
use wavemark_ir::layout::layout;
use wavemark_ir::metadata::{Metadata, Node, NodeBody};
use wavemark_ir::module::Scope;
use wavemark_ir::opcode::Ordering;
use wavemark_ir::types::Type;

use super::Builder;
use crate::Refused;
use crate::lanes::{Known, Src};
use crate::op::{Access, Atomic, Op, Promise, Space};
use crate::race::{Level, Spaces};
use crate::shape::{Class, Image, Leaf, image, mask};

/// The memory that an address space is.
pub fn space_of(number: u32) -> Result<Space, Refused> {
    match number {
        0 => Ok(Space::Flat),
        1 | 4 => Ok(Space::Global),
        3 => Ok(Space::Local),
        5 => Ok(Space::Private),
        other => Err(Refused::new(format!("an access to address space {other}"))),
    }
}

impl Builder<'_, '_> {
    /// Compiles an instruction that accesses memory; the limbs of what it gives.
    pub(super) fn memory(&mut self, data: &InstData) -> Result<Vec<Src>, Refused> {
        match &data.kind {
            InstKind::Alloca(alloca) => {
                let whole = layout(&self.unit.module.types, alloca.ty);
                let whole = whole.ok_or_else(|| Refused::new("an alloca without size"))?;
                if alloca.address_space != 5 {
                    return Err(Refused::new(format!("alloca in address space {}", alloca.address_space)));
                }
                let count = alloca.count.map(|count| self.single(count)).transpose()?;
                let to = self.fresh(1);
                let align = alloca.align.unwrap_or(whole.align).max(1);
                self.push(Op::Alloca { to, bytes: whole.stride(), align, count });
                Ok(vec![Src::register(to)])
            }
            InstKind::Load { access, pointer } => {
                if let Some(place) = self.fat(*pointer)? {
                    return self.fat_load(place, access, data.ty);
                }
                let access = self.access(access, *pointer, data.ty)?;
                let promise = self.promise(data.ty);
                let count = access.image.fields.len();
                let to = self.fresh(count);
                self.push(Op::Load { to, access, promise: promise.map(Box::new) });
                Ok((0..count as u32).map(|limb| Src::register(to + limb)).collect())
            }
            InstKind::Store { access, value, pointer } => {
                if let Some(place) = self.fat(*pointer)? {
                    return self.fat_store(place, access, *value);
                }
                let access = self.access(access, *pointer, self.ty(*value))?;
                let value = self.operand(*value)?;
                self.push(Op::Store { access, value: value[..].into() });
                Ok(Vec::new())
            }
            InstKind::Rmw { access, op, pointer, value } => {
                if let Some(place) = self.fat(*pointer)? {
                    return self.fat_rmw(place, access, *op, *value);
                }
                let ty = self.ty(*value);
                let leaves = self.leaves(ty)?;
                let access = self.access(access, *pointer, ty)?;
                let format = match leaves[0].class {
                    Class::Float(format) => Some(format),
                    _ => None,
                };
                let elements = leaves.len() as u32;
                let value = self.operand(*value)?;
                let whole = self.packed(&leaves, &value)?;
                let to = self.fresh(1);
                let access = packed_access(access);
                self.push(Op::Rmw { to, op: *op, format, access, value: whole, elements });
                Ok(self.unpacked(&leaves, Src::register(to)))
            }
            InstKind::CmpXchg(exchange) => {
                if let Some(place) = self.fat(exchange.pointer)? {
                    let values = [exchange.expected, exchange.replacement];
                    return self.fat_exchange(place, &exchange.access, values);
                }
                let ty = self.ty(exchange.expected);
                let access = self.access(&exchange.access, exchange.pointer, ty)?;
                let expected = self.single(exchange.expected)?;
                let replacement = self.single(exchange.replacement)?;
                let to = self.fresh(2);
                self.push(Op::CompareExchange { to, access, expected, replacement });
                Ok(vec![Src::register(to), Src::register(to + 1)])
            }
            other => Err(Refused::new(other.mnemonic().to_owned())),
        }
    }

    fn access(&mut self, access: &IrAccess, pointer: Operand, ty: Type) -> Result<Access, Refused> {
        let types = &self.unit.module.types;
        let number = types.address_space(self.ty(pointer)).unwrap_or(0);
        let image = image(types, ty)?;
        Ok(Access {
            space: space_of(number)?,
            pointer: self.single(pointer)?,
            align: access.align.unwrap_or(image.align).max(1),
            image: Arc::new(image),
            atomic: access.ordering.map(|ordering| self.atomic(ordering, access.scope)),
        })
    }

    /// How an access or a fence orders others.
    fn atomic(&self, ordering: Ordering, scope: Scope) -> Atomic {
        let level = Level::of_scope(self.unit.module.scope(scope));
        Atomic { level, acquires: ordering.acquires(), releases: ordering.releases() }
    }

    /// Compiles a fence: what `!mmra` says of address spaces restricts what it orders (LLVM's "Memory Model Relaxation
    /// Annotations", the tag `amdgpu-synchronize-as`).
    pub(super) fn fence(&mut self, ordering: Ordering, scope: Scope) {
        let mut spaces = Spaces { local: false, global: false };
        let module = self.unit.module;
        for (kind, node) in &self.body.attachments[self.inst] {
            if &*module.metadata.kinds[*kind] == "mmra" {
                mmra(module, *node, &mut spaces);
            }
        }
        let none = !spaces.local && !spaces.global;
        let spaces = if none { Spaces::ALL } else { spaces };
        let atomic = self.atomic(ordering, scope);
        self.push(Op::Fence { atomic, spaces });
    }

    /// A short vector in one word.
    pub(super) fn packed(&mut self, leaves: &[Leaf], value: &[Src]) -> Result<Src, Refused> {
        let bits: Vec<u32> = leaves.iter().map(|leaf| leaf.bits).collect();
        let whole = bits.iter().sum();
        if whole > 64 {
            return Err(Refused::new(format!("an atomic of {whole} bits")));
        }
        Ok(self.recut(value, &bits, &[whole])[0])
    }

    /// The elements of a word.
    pub(super) fn unpacked(&mut self, leaves: &[Leaf], word: Src) -> Vec<Src> {
        let bits: Vec<u32> = leaves.iter().map(|leaf| leaf.bits).collect();
        self.recut(&[word], &[bits.iter().sum()], &bits)
    }

    /// What metadata promise of the value of the instruction that is being compiled.
    fn promise(&self, ty: Type) -> Option<Promise> {
        let module = self.unit.module;
        for (kind, node) in &self.body.attachments[self.inst] {
            match &*module.metadata.kinds[*kind] {
                "noundef" => return Some(Promise::NoUndef),
                "nonnull" => return Some(Promise::NonNull),
                "range" => {
                    let NodeBody::Tuple(parts) = &module.metadata.nodes[*node].body else { continue };
                    let bits = module.types.int_bits(ty).filter(|&bits| bits <= 64)?;
                    let number = |part: &Metadata| match part {
                        Metadata::Const(constant) => module.constants.int(*constant).map(|int| int.low()),
                        _ => None,
                    };
                    let numbers = parts.iter().map(number).collect::<Option<Vec<u64>>>()?;
                    let ranges = numbers.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
                    return Some(Promise::Range(ranges, bits));
                }
                _ => {}
            }
        }
        None
    }

    /// Undefined limbs, for a result that nothing gives.
    pub(super) fn undefined(&mut self, ty: Type) -> Result<Vec<Src>, Refused> {
        let limbs: Vec<u32> = self.leaves(ty)?.into_iter().flat_map(Leaf::limb_bits).collect();
        Ok(limbs.into_iter().map(|bits| self.limb((0, Known::Undef(mask(bits))))).collect())
    }
}

/// What a tag, or a list of tags, says of address spaces.
fn mmra(module: &Module, node: Node, spaces: &mut Spaces) {
    let NodeBody::Tuple(parts) = &module.metadata.nodes[node].body else { return };
    let word = |part: &Metadata| match part {
        Metadata::Text(word) => Some(word.to_vec()),
        _ => None,
    };
    if let [prefix, suffix] = &parts[..]
        && word(prefix).as_deref() == Some(b"amdgpu-synchronize-as")
    {
        match word(suffix).as_deref() {
            Some(b"local") => spaces.local = true,
            Some(b"global") => spaces.global = true,
            _ => *spaces = Spaces::ALL,
        }
        return;
    }
    for part in parts {
        if let Metadata::Node(node) = part {
            mmra(module, *node, spaces);
        }
    }
}

/// The same access for a value in one word.
pub fn packed_access(access: Access) -> Access {
    let bytes = access.image.bytes;
    let field = crate::shape::Field { bit: 0, bits: bytes * 8 };
    Access { image: Arc::new(Image { fields: vec![field], bytes, align: access.image.align }), ..access }
}
