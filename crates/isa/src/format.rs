//! Instruction formats: which bits of an encoding are what. Data only; [`mod@crate::decode`] and
//! [`mod@crate::encode`] read it.
//!
//! A format is named as in the ISA manual ("Microcode Formats"); where the same name means different bits on
//! the two instruction sets the table key is the pair (name, instruction set). Dword n of the encoding is bits
//! 32n+31:32n.

use crate::{Form, Isa};

mod matrix;
mod memory;
mod scalar;
pub(crate) mod vector;

/// A named part of an encoding; pieces are (lowest bit, width), least significant piece first.
#[derive(Debug, PartialEq, Eq)]
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
}

impl Field {
    /// The field's value in `bits`.
    #[inline]
    pub fn get(&self, bits: u128) -> u32 {
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
}

/// Which module decodes details, prints and parses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// SOP1, SOP2, SOPC, SOPK, SOPP.
    Scalar,
    /// SMEM, DS, FLAT, GLOBAL, SCRATCH, MUBUF, MTBUF, VBUFFER, VIMAGE.
    Memory,
    /// VOP1, VOP2, VOPC, VOP3 and their DPP and SDWA forms.
    Vector,
    /// VOP3P with MFMA, WMMA and the scale forms; VOPD.
    Matrix,
}

/// An instruction format of one instruction set.
#[derive(Debug)]
pub struct Format {
    /// The manual's name.
    pub name: &'static str,
    /// Which instruction set.
    pub isa: Isa,
    /// Whose it is.
    pub family: Family,
    /// Form of the instructions in it; for formats that carry both, rows say which.
    pub form: Form,
    /// Dwords without a literal constant.
    pub dwords: u8,
    /// (lowest bit, width, value) of the bits that make it this format. At least the top 2 of dword 0.
    pub fixed: &'static [(u8, u8, u32)],
    /// The opcode.
    pub opcode: &'static [(u8, u8)],
    /// Everything else.
    pub fields: &'static [Field],
    /// Whether a literal constant may follow.
    pub literal: bool,
}

impl Format {
    /// Mask and value of the fixed bits.
    pub fn pattern(&self) -> (u128, u128) {
        self.fixed.iter().fold((0, 0), |(mask, value), &(lo, width, v)| {
            (mask | (((1u128 << width) - 1) << lo), value | (u128::from(v) << lo))
        })
    }

    /// The field called `name`.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// The opcode in `bits`.
    pub fn opcode_of(&self, bits: u128) -> u32 {
        opcode_field(self.opcode).get(bits)
    }

    /// `opcode` at its place.
    pub fn put_opcode(&self, opcode: u32) -> u128 {
        opcode_field(self.opcode).put(opcode)
    }
}

const fn opcode_field(pieces: &'static [(u8, u8)]) -> Field {
    Field { name: "op", pieces, default: 0, shift: 0, flip: 0 }
}

/// A field of one piece.
const fn field(name: &'static str, piece: &'static [(u8, u8)]) -> Field {
    Field { name, pieces: piece, default: 0, shift: 0, flip: 0 }
}

/// A field that is `default` when the row does not use it.
const fn field_or(name: &'static str, pieces: &'static [(u8, u8)], default: u32) -> Field {
    Field { name, pieces, default, shift: 0, flip: 0 }
}

/// All formats; for equal leading bits the more specific format (DPP, SDWA, scale prefix) comes first.
pub fn all() -> impl Iterator<Item = &'static Format> {
    [scalar::FORMATS, memory::FORMATS, vector::FORMATS, matrix::FORMATS].into_iter().flatten()
}
