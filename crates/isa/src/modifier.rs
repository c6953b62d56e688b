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
    "cpol" cpol u8;
    "offen" offen bool;
    "idxen" idxen bool;
    "lds" lds bool;
    "gds" gds bool;
    "tfe" tfe bool;
    "format" format u8;
    "cbsz" cbsz u8;
    "abid" abid u8;
    "blgp" blgp u8;
    "matrix" matrix u16;
    "control" control u16;
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

/// The modifier whose fields are called `name`.
pub fn by_name(name: &str) -> Option<&'static Modifier> {
    if name == OMOD.name {
        return Some(&OMOD);
    }
    MODIFIERS.iter().find(|modifier| modifier.name == name)
}
