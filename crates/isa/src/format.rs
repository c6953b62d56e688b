//! Instruction formats: which bits of an encoding are what. Data only; [`mod@crate::decode`] and
//! [`mod@crate::encode`] read it.
//!
//! A format is named as in the ISA manual ("Microcode Formats"); the same name may mean different bits on different
//! instruction sets. Dword n of the encoding is bits 32n+31:32n. The formats are written in `table/formats/*.txt`
//! (the header of `src/format/read.rs` says how), a generation as the difference to its predecessor.

use crate::Form;

#[cfg(test)]
#[path = "format/read.rs"]
pub(crate) mod read;

/// A named part of an encoding; pieces are (lowest bit, width), least significant piece first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// An operand role, a modifier name (module `modifier`), or a name that rows may fix.
    pub name: &'static str,
    /// Where its bits are.
    pub pieces: &'static [(u8, u8)],
    /// What the encoder writes when the row has no operand for it; decode ignores it then.
    pub default: u32,
    /// The field holds its value without this many low bits, which are 0 (`sbase`, `srsrc`).
    pub shift: u8,
    /// The field reads as its bits xor this (a VGPR field as the 9-bit source code, an implied register).
    pub flip: u32,
    /// The field holds a number in two's complement.
    pub signed: bool,
    /// The field must be 0 in instructions that do not use it; otherwise decode ignores it there.
    pub zero: bool,
    /// The field means nothing but in rows that fix it.
    pub ignored: bool,
}

impl Field {
    /// The field's value in `bits`.
    #[inline]
    pub fn get(&self, bits: u128) -> u32 {
        if let [(lo, width)] = *self.pieces {
            let value = (bits >> lo) as u64 & ((1u64 << width) - 1);
            return ((value as u32) << self.shift) ^ self.flip;
        }
        let mut value = 0u32;
        let mut shift = 0;
        for &(lo, width) in self.pieces {
            let mask = (1u64 << width) - 1;
            value |= ((((bits >> lo) as u64) & mask) << shift) as u32;
            shift += width;
        }
        (value << self.shift) ^ self.flip
    }

    /// `value` at the field's place; bits of it beyond the field are dropped.
    #[inline]
    pub fn put(&self, value: u32) -> u128 {
        let mut bits = 0u128;
        let mut rest = u64::from(value ^ self.flip) >> self.shift;
        for &(lo, width) in self.pieces {
            bits |= u128::from(rest & ((1u64 << width) - 1)) << lo;
            rest >>= width;
        }
        bits
    }

    /// The field's bits, all set.
    pub fn mask(&self) -> u128 {
        self.pieces.iter().fold(0, |mask, &(lo, width)| mask | (((1u128 << width) - 1) << lo))
    }

    /// Whether the field can hold `value`.
    pub fn fits(&self, value: u32) -> bool {
        let value = u64::from(value ^ self.flip);
        value & ((1 << self.shift) - 1) == 0 && (value >> self.shift) >> self.width() == 0
    }

    /// Width in bits, all pieces.
    pub fn width(&self) -> u32 {
        self.pieces.iter().map(|&(_, width)| u32::from(width)).sum()
    }

    /// The numbers that the field holds: two's complement if it is signed.
    pub fn range(&self) -> std::ops::RangeInclusive<i64> {
        let width = self.width() + u32::from(self.shift);
        if self.signed { -(1 << (width - 1))..=(1 << (width - 1)) - 1 } else { 0..=(1 << width) - 1 }
    }
}

/// How the instructions of a memory format form their addresses, which decides the order and the kind of their operands
/// and modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Addressing {
    /// Scalar memory: a base and an offset in SGPRs.
    ScalarBase,
    /// LDS: an address and an offset.
    Lds,
    /// LDS: an address and two offsets.
    Lds2,
    /// An address in VGPRs, on gfx12.5 also an offset to one in SGPRs.
    Flat,
    /// An address in VGPRs, or an offset to one in SGPRs.
    Global,
    /// Offsets in a VGPR, an SGPR, or both.
    Scratch,
    /// A buffer resource, an index, and offsets.
    Buffer,
    /// The same, and the format of the buffer's elements.
    TypedBuffer,
    /// Descriptors in SGPRs (tensors).
    Descriptor,
}

/// Which module decodes details, prints and parses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// SOP1, SOP2, SOPC, SOPK, SOPP.
    Scalar,
    /// SMRD, SMEM, DS, FLAT, GLOBAL, SCRATCH, MUBUF, MTBUF, VBUFFER.
    Memory,
    /// VOP1, VOP2, VOPC, VOP3 and their DPP and SDWA forms, VINTRP, VINTERP.
    Vector,
    /// VOP3P with MFMA, WMMA and the scale forms; VOPD.
    Matrix,
    /// MIMG, VIMAGE and VSAMPLE but the tensor transfers.
    Image,
    /// EXP, VEXPORT, LDSDIR, VDSDIR.
    Export,
}

/// An instruction format of some instruction sets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Format {
    /// The manual's name.
    pub name: &'static str,
    /// Whose it is.
    pub family: Family,
    /// Form of the instructions in it; for formats that carry both, rows say which.
    pub form: Form,
    /// Dwords without a literal constant.
    pub dwords: u8,
    /// (lowest bit, width, value) of the bits that make it this format. At least the top 2 of dword 0.
    pub fixed: &'static [(u8, u8, u32)],
    /// The opcode.
    pub opcode: Field,
    /// Everything else.
    pub fields: &'static [Field],
    /// Whether a literal constant may follow.
    pub literal: bool,
    /// Whether it holds two instructions: its form is that of the first half, and each half has a format.
    pub pair: bool,
    /// Of memory formats: how addresses are formed.
    pub addressing: Option<Addressing>,
    /// Of scalar memory: text says a number of 0 beside an offset register.
    pub zero_offset: bool,
}

impl Format {
    /// Mask and value of the fixed bits.
    pub fn pattern(&self) -> (u128, u128) {
        self.fixed.iter().fold((0, 0), |(mask, value), &(lo, width, v)| {
            (mask | (((1u128 << width) - 1) << lo), value | (u128::from(v) << lo))
        })
    }

    /// The field called `name`.
    pub fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// The opcode in `bits`.
    pub fn opcode_of(&self, bits: u128) -> u32 {
        self.opcode.get(bits)
    }

    /// `opcode` at its place.
    pub fn put_opcode(&self, opcode: u32) -> u128 {
        self.opcode.put(opcode)
    }
}
