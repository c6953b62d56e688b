//! How values lie in registers and in memory.
//!
//! A value is its scalars, one after the other (a vector of four `i32` is four of them), and a scalar is *limbs* of 64
//! bits, nearly always one. Each limb is a register with a word in every lane. What takes values apart and puts them
//! together (`insertelement`, `extractvalue`, `bitcast` between equal widths …) is thus renaming, done once.
//!
//! In memory a limb stands where the data layout has it ([`Image`]); elements of vectors are packed bit by bit.

use wavemark_ir::float::Format;
use wavemark_ir::layout::{bits, field_offset, layout};
use wavemark_ir::types::{Type, TypeKind, Types};

use crate::Refused;

/// Scalars of a value at most.
const MOST_LEAVES: usize = 4096;

/// What a scalar is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// An integer.
    Int,
    /// A floating-point number.
    Float(Format),
    /// A pointer into an address space.
    Pointer(u32),
}

/// A scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// What it is.
    pub class: Class,
    /// Its bits.
    pub bits: u32,
}

impl Leaf {
    /// Registers that it takes.
    pub fn limbs(self) -> usize {
        (self.bits as usize).div_ceil(64).max(1)
    }

    /// The bits of each limb.
    pub fn limb_bits(self) -> impl Iterator<Item = u32> {
        let bits = self.bits;
        (0..self.limbs() as u32).map(move |limb| (bits - 64 * limb).min(64))
    }
}

/// The scalars of a type.
pub fn leaves(types: &Types, ty: Type) -> Result<Vec<Leaf>, Refused> {
    let mut found = Vec::new();
    collect(types, ty, &mut found)?;
    Ok(found)
}

/// Registers that a value of a type takes.
pub fn limbs(types: &Types, ty: Type) -> Result<usize, Refused> {
    Ok(leaves(types, ty)?.into_iter().map(Leaf::limbs).sum())
}

fn collect(types: &Types, ty: Type, found: &mut Vec<Leaf>) -> Result<(), Refused> {
    let float = |format: Format| Leaf { class: Class::Float(format), bits: format.bits() };
    let repeat = |found: &mut Vec<Leaf>, element, count: u64| {
        let from = found.len();
        if count > 0 {
            collect(types, element, found)?;
        }
        let one: Vec<Leaf> = found[from..].to_vec();
        if one.len() as u64 * count > MOST_LEAVES as u64 {
            return Err(Refused::new(format!("a value of more than {MOST_LEAVES} scalars")));
        }
        for _ in 1..count {
            found.extend_from_slice(&one);
        }
        Ok(())
    };
    match types.kind(ty) {
        TypeKind::Int(bits) if *bits <= 4096 => found.push(Leaf { class: Class::Int, bits: *bits }),
        TypeKind::Half => found.push(float(Format::Half)),
        TypeKind::BFloat => found.push(float(Format::BFloat)),
        TypeKind::Float => found.push(float(Format::Float)),
        TypeKind::Double => found.push(float(Format::Double)),
        TypeKind::Pointer(space) => {
            let bits = bits(types, ty).unwrap_or(64) as u32;
            found.push(Leaf { class: Class::Pointer(*space), bits });
        }
        TypeKind::Vector { element, count, scalable: false } => repeat(found, *element, u64::from(*count))?,
        TypeKind::Array { element, count } => repeat(found, *element, *count)?,
        TypeKind::Struct { .. } | TypeKind::Named(_) => {
            let Some((fields, _)) = types.fields(ty) else {
                return Err(Refused::new("a value of an opaque structure"));
            };
            for &field in fields {
                collect(types, field, found)?;
            }
        }
        TypeKind::Void | TypeKind::Token => {}
        TypeKind::Int(bits) => return Err(Refused::new(format!("an integer of {bits} bits"))),
        other => return Err(Refused::new(format!("a value of the type {other:?}"))),
    }
    Ok(())
}

/// Where a limb stands in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its first bit.
    pub bit: u32,
    /// Its bits, 64 at most.
    pub bits: u32,
}

/// A value in memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Image {
    /// Its limbs in order.
    pub fields: Vec<Field>,
    /// Bytes.
    pub bytes: u32,
    /// Its natural alignment.
    pub align: u64,
}

/// How a value of a type lies in memory.
pub fn image(types: &Types, ty: Type) -> Result<Image, Refused> {
    leaves(types, ty)?;
    let Some(whole) = layout(types, ty) else { return Err(Refused::new("a value without a size")) };
    let mut image = Image { fields: Vec::new(), bytes: whole.size as u32, align: whole.align };
    place(types, ty, 0, &mut image.fields);
    Ok(image)
}

fn place(types: &Types, ty: Type, bit: u64, fields: &mut Vec<Field>) {
    match *types.kind(ty) {
        TypeKind::Vector { element, count, .. } => {
            let each = bits(types, element).unwrap_or(0);
            for index in 0..u64::from(count) {
                place(types, element, bit + index * each, fields);
            }
        }
        TypeKind::Array { element, count } => {
            let each = layout(types, element).map_or(0, |layout| layout.stride());
            for index in 0..count {
                place(types, element, bit + index * each * 8, fields);
            }
        }
        TypeKind::Struct { .. } | TypeKind::Named(_) => {
            let parts = types.fields(ty).map_or(&[][..], |(parts, _)| parts);
            for (index, &part) in (0..).zip(parts) {
                place(types, part, bit + field_offset(types, ty, index).unwrap_or(0) * 8, fields);
            }
        }
        _ => {
            let mut left = bits(types, ty).unwrap_or(0) as u32;
            let mut at = bit as u32;
            while left > 0 {
                let now = left.min(64);
                fields.push(Field { bit: at, bits: now });
                (left, at) = (left - now, at + now);
            }
        }
    }
}

/// A number with its low `bits` bits set.
#[inline(always)]
pub const fn mask(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

/// The low `bits` bits of `value` with their sign.
#[inline(always)]
pub const fn sign_extend(value: u64, bits: u32) -> i64 {
    let unused = 64 - bits;
    ((value << unused) as i64) >> unused
}

/// Part of a limb that becomes part of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Which limb of the source.
    pub from: u32,
    /// Its first bit there.
    pub shift: u32,
    /// How many bits.
    pub bits: u32,
    /// Its first bit here.
    pub to: u32,
}

/// What each limb of `to` is of limbs of `from`, both given by their bits: one row of bits, cut in two ways.
pub fn recut(from: &[u32], to: &[u32]) -> Vec<Vec<Piece>> {
    let (mut source, mut used) = (0, 0);
    to.iter()
        .map(|&bits| {
            let (mut pieces, mut at) = (Vec::new(), 0);
            while at < bits && source < from.len() {
                let now = (bits - at).min(from[source] - used);
                if now > 0 {
                    pieces.push(Piece { from: source as u32, shift: used, bits: now, to: at });
                }
                (at, used) = (at + now, used + now);
                if used == from[source] {
                    (source, used) = (source + 1, 0);
                }
            }
            pieces
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_cut_anew() {
        let piece = |from, shift, bits, to| Piece { from, shift, bits, to };
        assert_eq!(recut(&[16, 16], &[32]), [vec![piece(0, 0, 16, 0), piece(1, 0, 16, 16)]]);
        assert_eq!(recut(&[64], &[32, 32]), [vec![piece(0, 0, 32, 0)], vec![piece(0, 32, 32, 0)]]);
        assert_eq!(
            recut(&[32, 32, 32], &[64, 32]),
            [vec![piece(0, 0, 32, 0), piece(1, 0, 32, 32)], vec![piece(2, 0, 32, 0)]]
        );
    }

    #[test]
    fn values_in_memory() {
        let mut types = Types::default();
        let i1 = types.intern(TypeKind::Int(1));
        let i64 = types.intern(TypeKind::Int(64));
        let eight = types.intern(TypeKind::Vector { element: i1, count: 8, scalable: false });
        let pair = types.intern(TypeKind::Struct { fields: vec![i1, i64], packed: false });
        let bits = |ty| image(&types, ty).unwrap().fields.iter().map(|field| field.bit).collect::<Vec<_>>();
        assert_eq!(bits(eight), [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(bits(pair), [0, 64]);
        assert_eq!(image(&types, eight).unwrap().bytes, 1);
    }
}
