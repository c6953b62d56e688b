//! Conversions of scalars.

use wavemark_ir::float::Format;
use wavemark_ir::opcode::{CastOp, Flags};
use wavemark_target::AddressSpace;

use crate::Refused;
use crate::arith::{excluded, nearest, of_int, to_int, to_int_saturating, value};
use crate::op::Convert;
use crate::run::bytes::{PRIVATE_BASE, SHARED_BASE};
use crate::shape::{Class, Leaf, mask, sign_extend};

/// The conversion of one scalar of at most 64 bits to another; `None`: it keeps its bits, or those that there is room for.
pub fn conversion(op: CastOp, flags: Flags, from: Leaf, to: Leaf) -> Result<Option<Convert>, Refused> {
    let format = |leaf: Leaf| match leaf.class {
        Class::Float(format) => format,
        _ => Format::Double,
    };
    let space = |leaf: Leaf| match leaf.class {
        Class::Pointer(space) => space,
        _ => 0,
    };
    let narrower = to.bits < from.bits;
    Ok(match op {
        CastOp::Trunc => Some(Convert::Trunc(from.bits, to.bits, flags)),
        CastOp::ZExt if flags.contains(Flags::NNEG) => Some(Convert::NonNegative(from.bits)),
        CastOp::ZExt => None,
        CastOp::SExt => Some(Convert::SExt(from.bits, to.bits)),
        CastOp::FpTrunc | CastOp::FpExt => Some(Convert::Float(format(from), format(to), flags)),
        CastOp::FpToUi => Some(Convert::ToInt(format(from), to.bits, false)),
        CastOp::FpToSi => Some(Convert::ToInt(format(from), to.bits, true)),
        CastOp::UiToFp => Some(Convert::OfInt(from.bits, false, format(to), flags.contains(Flags::NNEG))),
        CastOp::SiToFp => Some(Convert::OfInt(from.bits, true, format(to), false)),
        CastOp::PtrToInt | CastOp::PtrToAddr | CastOp::IntToPtr if narrower => {
            Some(Convert::Trunc(from.bits, to.bits, Flags::empty()))
        }
        CastOp::PtrToInt | CastOp::PtrToAddr | CastOp::IntToPtr | CastOp::BitCast => None,
        CastOp::AddrSpaceCast => {
            let known = |space| matches!(space, 0 | 1 | 3 | 4 | 5);
            let (from, to) = (space(from), space(to));
            if !known(from) || !known(to) {
                return Err(Refused::new(format!("addrspacecast from {from} to {to}")));
            }
            Some(Convert::Space(from, to))
        }
    })
}

/// A converted word, and whether it is poison.
#[inline(always)]
pub fn convert_one(convert: Convert, word: u64) -> (u64, bool) {
    match convert {
        Convert::Trunc(from, to, flags) => {
            let kept = word & mask(to);
            let lost = flags.contains(Flags::NUW) && kept != word
                || flags.contains(Flags::NSW) && sign_extend(kept, to) != sign_extend(word, from);
            (kept, lost)
        }
        Convert::SExt(from, to) => (sign_extend(word, from) as u64 & mask(to), false),
        Convert::NonNegative(bits) => (word, word >> (bits - 1) & 1 != 0),
        Convert::Float(from, to, flags) => {
            let result = if from == to { word } else { nearest(to, value(from, word)) };
            let special = flags.intersects(Flags::NNAN | Flags::NINF)
                && (excluded(flags, from, word) || excluded(flags, to, result));
            (result, special)
        }
        Convert::ToInt(from, bits, signed) => {
            let result = to_int(value(from, word), bits, signed);
            (result.unwrap_or(0), result.is_none())
        }
        Convert::ToIntSaturating(from, bits, signed) => {
            (to_int_saturating(value(from, word), bits, signed), false)
        }
        Convert::OfInt(bits, signed, to, non_negative) => {
            let number = if signed { i128::from(sign_extend(word, bits)) } else { i128::from(word) };
            (of_int(to, number), non_negative && word >> (bits - 1) & 1 != 0)
        }
        Convert::Space(from, to) => (between_spaces(from, to, word), false),
    }
}

/// A pointer in another address space (guide, "Address Spaces"): null stays null, whose bits differ.
fn between_spaces(from: u32, to: u32, word: u64) -> u64 {
    let null = |space| AddressSpace::by_number(space).map_or(0, AddressSpace::null);
    if word == null(from) {
        return null(to);
    }
    let base = |space| match space {
        3 => SHARED_BASE,
        5 => PRIVATE_BASE,
        _ => 0,
    };
    match (from, to) {
        (3 | 5, 3 | 5) => word,
        (3 | 5, _) => base(from) | word,
        (_, 3 | 5) => word & mask(32),
        _ => word,
    }
}
