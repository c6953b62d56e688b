//! Modifier fields: how a field of a format and a member of [`Mods`] correspond. A format field that has one
//! of these names is decoded into, and encoded from, the modifiers of every row of the format, unless the row
//! fixes it.

use crate::Mods;

/// Reads and writes one modifier as the number that its field holds.
#[derive(Debug)]
pub struct Modifier {
    /// The field name.
    pub name: &'static str,
    /// The field's value for these modifiers.
    pub get: fn(&Mods) -> u32,
    /// Sets the modifier from the field's value.
    pub set: fn(&mut Mods, u32),
}

macro_rules! modifiers {
    ($($name:literal $member:ident $ty:ident;)*) => { &[$(modifiers!(@one $name $member $ty)),*] };
    (@one $name:literal $member:ident bool) => {
        Modifier { name: $name, get: |m| u32::from(m.$member), set: |m, v| m.$member = v != 0 }
    };
    (@one $name:literal $member:ident $ty:ident) => {
        Modifier { name: $name, get: |m| m.$member as u32, set: |m, v| m.$member = v as $ty }
    };
}

static MODIFIERS: &[Modifier] = modifiers! {
    "neg" neg u8;
    "abs" abs u8;
    "neg_hi" neg_hi u8;
    "op_sel" op_sel u8;
    "op_sel_hi" op_sel_hi u8;
    "clamp" clamp bool;
    "offset" offset i32;
    "offset1" offset1 u8;
    "offen" offen bool;
    "idxen" idxen bool;
    "addr64" addr64 bool;
    "lds" lds bool;
    "gds" gds bool;
    "tfe" tfe bool;
    "format" format u8;
    "dmask" dmask u8;
    "dim" dim u8;
    "cbsz" cbsz u8;
    "abid" abid u8;
    "blgp" blgp u8;
    "matrix" matrix u16;
    "control" control u16;
};

/// A part of `cpol`: name, lowest bit, mask.
macro_rules! cpol {
    ($($name:literal $lo:literal $mask:literal;)*) => { &[$(Modifier {
        name: $name,
        get: |m| u32::from(m.cpol >> $lo) & $mask,
        set: |m, v| m.cpol = m.cpol & !($mask << $lo) | ((v as u8 & $mask) << $lo),
    }),*] };
}

static CPOL: &[Modifier] = cpol! {
    "glc" 0 1;
    "slc" 1 1;
    "dlc" 2 1;
    "sc0" 0 1;
    "nt" 1 1;
    "sc1" 4 1;
    "scc" 4 1;
    "th" 0 7;
    "scope" 3 3;
    "nv" 5 1;
    "scale_offset" 6 1;
};

/// `omod` is an enumeration, so it is spelled out.
static OMOD: Modifier = Modifier {
    name: "omod",
    get: |m| m.omod as u32,
    set: |m, v| {
        m.omod = match v & 3 {
            0 => crate::OutMod::None,
            1 => crate::OutMod::Mul2,
            2 => crate::OutMod::Mul4,
            _ => crate::OutMod::Div2,
        }
    },
};

/// A modifier in some bits of a member: fields that hold a part of what text writes as one list, and the small
/// controls that share [`Mods::matrix`].
macro_rules! parts {
    ($($name:literal $member:ident $ty:ident $lo:literal $width:literal;)*) => { &[$(Modifier {
        name: $name,
        get: |m| (u32::from(m.$member) >> $lo) & ((1 << $width) - 1),
        set: |m, v| m.$member |= (v << $lo) as $ty,
    }),*] };
}

static PARTS: &[Modifier] = parts! {
    // NEG and NEG_HI of WMMA's A and B, and of its C.
    "neg_ab" neg u8 0 2;
    "neg_c" neg u8 2 1;
    "neg_hi_ab" neg_hi u8 0 2;
    "neg_hi_c" neg_hi u8 2 1;
    // NEG of one source of a VOPD3 half.
    "neg0" neg u8 0 1;
    "neg1" neg u8 1 1;
    "neg2" neg u8 2 1;
    "bitop3" control u16 0 8;
    // Image instructions.
    "unorm" flags u8 0 1;
    "r128" flags u8 1 1;
    "a16" flags u8 2 1;
    "lwe" flags u8 3 1;
    "da" flags u8 4 1;
    "d16" flags u8 5 1;
    // Exports.
    "done" flags u8 0 1;
    "compr" flags u8 1 1;
    "vm" flags u8 2 1;
    "row_en" flags u8 3 1;
    "wait_vdst" control u16 0 4;
    "wait_va_vdst" control u16 0 4;
    "wait_vm_vsrc" control u16 4 1;
    // WMMA; the data types are where MFMA has CBSZ and BLGP.
    "matrix_a_fmt" cbsz u8 0 3;
    "matrix_b_fmt" blgp u8 0 3;
    "matrix_a_reuse" matrix u16 0 1;
    "matrix_b_reuse" matrix u16 1 1;
    "matrix_a_scale" matrix u16 2 1;
    "matrix_b_scale" matrix u16 4 1;
    "matrix_a_scale_fmt" matrix u16 6 2;
    "matrix_b_scale_fmt" matrix u16 8 2;
    "index_key" matrix u16 10 2;
};

/// The modifier whose fields are called `name`.
pub fn by_name(name: &str) -> Option<&'static Modifier> {
    if name == OMOD.name {
        return Some(&OMOD);
    }
    MODIFIERS.iter().chain(CPOL).chain(PARTS).find(|modifier| modifier.name == name)
}
