//! Accesses to memory: sizes, alignment, orderings, scopes, address spaces.

use wavemark_target::{AddressSpace, SyncScope};

use super::{Check, Rule};
use crate::function::{Body, Inst};
use crate::inst::{Access, InstKind, Operand};
use crate::layout;
use crate::module::Scope;
use crate::opcode::{Ordering, RmwOp};
use crate::types::{Type, TypeKind};

impl Check<'_> {
    pub(super) fn access(&mut self, body: &Body, inst: Inst) {
        let of = |operand: Operand| operand.ty(body, &self.module.constants);
        let types = self.types();
        match &body.insts[inst].kind {
            InstKind::Alloca(alloca) => {
                self.require(
                    types.is_sized(alloca.ty),
                    inst,
                    Rule::Size,
                    "alloca makes room for a type with a size",
                );
                let count = alloca.count.is_none_or(|count| {
                    of(count).is_some_and(|ty| matches!(types.kind(ty), TypeKind::Int(_)))
                });
                self.require(count, inst, Rule::Operand, "the number of elements of an alloca is an integer");
                let private = alloca.address_space == AddressSpace::Private as u32;
                self.require(
                    private,
                    inst,
                    Rule::AddressSpace,
                    "alloca is in the private address space, addrspace(5)",
                );
            }
            InstKind::Load { access, pointer } => {
                let ty = body.insts[inst].ty;
                self.sized(inst, ty);
                self.pointer(inst, of(*pointer), false);
                let releases = matches!(access.ordering, Some(Ordering::Release | Ordering::AcqRel));
                self.require(!releases, inst, Rule::Atomic, "a load releases nothing");
                self.atomic(inst, access, ty, true);
            }
            InstKind::Store { access, value, pointer } => {
                self.pointer(inst, of(*pointer), true);
                if let Some(ty) = of(*value) {
                    self.sized(inst, ty);
                    self.atomic(inst, access, ty, true);
                }
                let acquires = matches!(access.ordering, Some(Ordering::Acquire | Ordering::AcqRel));
                self.require(!acquires, inst, Rule::Atomic, "a store acquires nothing");
            }
            InstKind::Fence { ordering, scope } => {
                let orders = ordering.acquires() || ordering.releases();
                self.require(orders, inst, Rule::Atomic, "a fence acquires, releases or both");
                self.scope(inst, *scope);
            }
            InstKind::Rmw { access, op, pointer, value } => {
                self.pointer(inst, of(*pointer), true);
                let unordered = access.ordering == Some(Ordering::Unordered);
                self.require(!unordered, inst, Rule::Atomic, "atomicrmw is at least monotonic");
                if let Some(ty) = of(*value) {
                    let fits = match op {
                        RmwOp::Xchg => {
                            types.int_bits(ty).is_some()
                                || types.is_float(ty)
                                || types.address_space(ty).is_some()
                        }
                        _ if op.is_float() => types.is_float(ty),
                        _ => matches!(types.kind(ty), TypeKind::Int(_)),
                    };
                    self.require(fits, inst, Rule::Atomic, format_args!("atomicrmw {op} is of no such type"));
                    self.atomic(inst, access, ty, op.is_float());
                }
            }
            InstKind::CmpXchg(exchange) => {
                self.pointer(inst, of(exchange.pointer), true);
                let known = |ordering| matches!(ordering, Some(ordering) if ordering != Ordering::Unordered);
                let fits = known(exchange.access.ordering)
                    && known(Some(exchange.failure))
                    && !matches!(exchange.failure, Ordering::Release | Ordering::AcqRel);
                self.require(
                    fits,
                    inst,
                    Rule::Atomic,
                    "the orderings of a cmpxchg are monotonic or stronger, and its failure releases nothing",
                );
                if let Some(ty) = of(exchange.expected) {
                    let fits = matches!(types.kind(ty), TypeKind::Int(_) | TypeKind::Pointer(_));
                    self.require(fits, inst, Rule::Atomic, "cmpxchg is of integers or pointers");
                    self.atomic(inst, &exchange.access, ty, false);
                }
            }
            _ => {}
        }
    }

    fn sized(&mut self, inst: Inst, ty: Type) {
        let sized = self.types().is_sized(ty);
        self.require(sized, inst, Rule::Size, "what is loaded or stored has a size");
    }

    /// What an atomic access asks for; `vectors`: whether it may be of vectors and floating-point numbers.
    fn atomic(&mut self, inst: Inst, access: &Access, ty: Type, vectors: bool) {
        if access.ordering.is_none() {
            return;
        }
        self.scope(inst, access.scope);
        let types = self.types();
        let scalar = matches!(types.kind(ty), TypeKind::Int(_) | TypeKind::Pointer(_));
        let fits = scalar || vectors || types.is_float(ty) || types.lanes(ty).is_some();
        self.require(fits, inst, Rule::Atomic, "an atomic access is of numbers or pointers");
        let bits = layout::bits(types, ty).unwrap_or(0);
        let whole = bits >= 8 && bits.is_power_of_two();
        self.require(whole, inst, Rule::Atomic, "an atomic access is of a power of two of bytes");
    }

    fn scope(&mut self, inst: Inst, scope: Scope) {
        let name = self.module.scope(scope);
        if SyncScope::by_name(name).is_none() {
            self.at_inst(inst, Rule::Scope, format!("`{name}` is no synchronisation scope of AMD GPUs"));
        }
    }

    fn pointer(&mut self, inst: Inst, ty: Option<Type>, writes: bool) {
        let types = self.types();
        let Some(&TypeKind::Pointer(number)) = ty.map(|ty| types.kind(ty)) else {
            return self.at_inst(inst, Rule::Operand, "memory is accessed by a pointer");
        };
        let Some(space) = AddressSpace::by_number(number) else {
            return self.at_inst(inst, Rule::AddressSpace, format!("there is no address space {number}"));
        };
        let read_only = matches!(space, AddressSpace::Constant | AddressSpace::Constant32Bit);
        self.require(
            !(read_only && writes),
            inst,
            Rule::AddressSpace,
            format_args!("{space} memory is never written"),
        );
        let resource = space == AddressSpace::BufferResource;
        self.require(
            !resource,
            inst,
            Rule::AddressSpace,
            "a buffer resource is accessed by intrinsics alone",
        );
    }
}
