//! How types lie in memory on AMDGPU targets.
//!
//! Follows the data layout that LLVM gives these targets (`p:64:64`, `p3:32:32`, `i64:64`, `v96:128`, …): one for all
//! processors. A module that says another is the verifier's matter.

use wavemark_target::AddressSpace;

use crate::types::{Type, TypeKind, Types};

/// What a type needs in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Bytes that a store writes and the next element begins behind, up to alignment.
    pub size: u64,
    /// Its alignment in bytes.
    pub align: u64,
}

impl Layout {
    /// From one element of an array to the next.
    pub fn stride(self) -> u64 {
        round_up(self.size, self.align)
    }
}

/// `bytes` up to the next multiple of `align`; the greatest number where there is none.
pub fn round_up(bytes: u64, align: u64) -> u64 {
    bytes.checked_next_multiple_of(align).unwrap_or(u64::MAX)
}

/// The layout of a type; `None` for one without a size, of unknown size, or that fits into no memory.
pub fn layout(types: &Types, ty: Type) -> Option<Layout> {
    match types.kind(ty) {
        TypeKind::Int(bits) => {
            let bytes = u64::from(*bits).div_ceil(8);
            Some(Layout { size: bytes, align: bytes.next_power_of_two().min(8) })
        }
        TypeKind::Half | TypeKind::BFloat => Some(Layout { size: 2, align: 2 }),
        TypeKind::Float => Some(Layout { size: 4, align: 4 }),
        TypeKind::Double => Some(Layout { size: 8, align: 8 }),
        TypeKind::Fp128 => Some(Layout { size: 16, align: 16 }),
        TypeKind::Pointer(space) => {
            let bytes = pointer_bytes(*space);
            // Descriptors are aligned to the next power of two: 160 bits to 32 bytes.
            Some(Layout { size: bytes, align: bytes.next_power_of_two() })
        }
        TypeKind::Vector { scalable: true, .. } => None,
        TypeKind::Vector { element, count, .. } => {
            let bits = bits(types, *element)? * u64::from(*count);
            let bytes = bits.div_ceil(8);
            Some(Layout { size: bytes, align: bytes.next_power_of_two() })
        }
        TypeKind::Array { element, count } => {
            let element = layout(types, *element)?;
            Some(Layout { size: element.stride().checked_mul(*count)?, align: element.align })
        }
        TypeKind::Struct { .. } | TypeKind::Named(_) => {
            let (fields, packed) = types.fields(ty)?;
            let (mut size, mut align) = (0u64, 1);
            for &field in fields {
                let field = layout(types, field)?;
                if !packed {
                    size = round_up(size, field.align);
                    align = align.max(field.align);
                }
                size = size.checked_add(field.stride())?;
            }
            Some(Layout { size: round_up(size, align), align })
        }
        TypeKind::Target { name, .. } if &**name == "amdgcn.named.barrier" => {
            Some(Layout { size: 16, align: 16 })
        }
        _ => None,
    }
}

/// Where the field `index` of a structure begins.
pub fn field_offset(types: &Types, ty: Type, index: u64) -> Option<u64> {
    let (fields, packed) = types.fields(ty)?;
    let mut at = 0u64;
    for (number, &field) in (0u64..).zip(fields) {
        let field = layout(types, field)?;
        if !packed {
            at = round_up(at, field.align);
        }
        if number == index {
            return Some(at);
        }
        at = at.checked_add(field.stride())?;
    }
    None
}

/// Bits of a scalar, as it is in a vector.
pub fn bits(types: &Types, ty: Type) -> Option<u64> {
    match types.kind(ty) {
        TypeKind::Int(bits) => Some(u64::from(*bits)),
        TypeKind::Pointer(space) => Some(pointer_bytes(*space) * 8),
        TypeKind::Vector { element, count, scalable: false } => {
            Some(bits(types, *element)? * u64::from(*count))
        }
        _ => types.float_bits(ty).map(u64::from),
    }
}

/// Bytes of a pointer; those of a generic one for address spaces without a number of LLVM's.
pub fn pointer_bytes(space: u32) -> u64 {
    u64::from(AddressSpace::by_number(space).unwrap_or(AddressSpace::Generic).pointer_bits()) / 8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_alignments() {
        let mut types = Types::default();
        let mut of = |kind| {
            let ty = types.intern(kind);
            layout(&types, ty).map(|layout| (layout.size, layout.align, layout.stride()))
        };
        assert_eq!(of(TypeKind::Int(1)), Some((1, 1, 1)));
        assert_eq!(of(TypeKind::Int(24)), Some((3, 4, 4)));
        assert_eq!(of(TypeKind::Int(128)), Some((16, 8, 16)));
        assert_eq!(of(TypeKind::Pointer(3)), Some((4, 4, 4)));
        assert_eq!(of(TypeKind::Pointer(7)), Some((20, 32, 32)));
        let (i8, i32, i64) = (
            types.intern(TypeKind::Int(8)),
            types.intern(TypeKind::Int(32)),
            types.intern(TypeKind::Int(64)),
        );
        let mut of = |kind| {
            let ty = types.intern(kind);
            (layout(&types, ty).map(|layout| (layout.size, layout.align)), field_offset(&types, ty, 1))
        };
        let vector = TypeKind::Vector { element: i32, count: 3, scalable: false };
        assert_eq!(of(vector).0, Some((12, 16)));
        let fields = vec![i8, i64, i8];
        assert_eq!(of(TypeKind::Struct { fields: fields.clone(), packed: false }), (Some((24, 8)), Some(8)));
        assert_eq!(of(TypeKind::Struct { fields, packed: true }), (Some((10, 1)), Some(1)));
        assert_eq!(of(TypeKind::Array { element: i64, count: u64::MAX }).0, None);
    }
}
