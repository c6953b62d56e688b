//! A decoded instruction: what text and bytes have in common.
//!
//! An [`Inst`] is canonical: two byte strings that LLVM prints alike decode to equal values but for bits that
//! the manual says are ignored. Modifiers that a form does not have stay at their defaults.

use smallvec::SmallVec;

use crate::role::{Class, ImmKind};
use crate::row::OperandSpec;
use crate::{Form, Machine, Operand, Row, RowId, Table};

/// Output modifier of a floating result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum OutMod {
    /// Unchanged.
    #[default]
    None,
    /// `mul:2`
    Mul2,
    /// `mul:4`
    Mul4,
    /// `div:2`
    Div2,
}

/// A data-parallel-primitive control.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dpp {
    /// DPP16: the 9-bit `dpp_ctrl`, bank and row masks, `bound_ctrl`, and fetch-inactive.
    Row {
        /// The 9-bit control code of the manual's DPP_CTRL table.
        ctrl: u16,
        /// Which rows of 16 lanes are written, 4 bits.
        row_mask: u8,
        /// Which banks of 4 lanes are written, 4 bits.
        bank_mask: u8,
        /// Out-of-bounds lanes read 0 (set) or keep the old destination (clear).
        bound_ctrl: bool,
        /// Read inactive lanes (gfx10 on).
        fi: bool,
    },
    /// DPP8: for each lane of a group of 8 the lane that it reads, 3 bits each, lane 0 in the low bits.
    Lanes8 {
        /// The 24-bit selector.
        sel: u32,
        /// Read inactive lanes.
        fi: bool,
    },
}

/// Which bytes of a dword an SDWA operand selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[allow(missing_docs)] // the variants are the manual's names
pub enum SdwaSel {
    Byte0,
    Byte1,
    Byte2,
    Byte3,
    Word0,
    Word1,
    #[default]
    Dword,
}

/// What an SDWA destination does with the bytes that are not selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[allow(missing_docs)] // the variants are the manual's names
pub enum SdwaUnused {
    #[default]
    Pad,
    Sext,
    Preserve,
}

/// A sub-dword addressing control (gfx9).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Sdwa {
    /// Destination bytes; not used by compares.
    pub dst_sel: SdwaSel,
    /// The rest of the destination.
    pub dst_unused: SdwaUnused,
    /// Bytes of source 0.
    pub src0_sel: SdwaSel,
    /// Bytes of source 1.
    pub src1_sel: SdwaSel,
    /// Bit n: source n is sign-extended after selection (`sext(...)`).
    pub sext: u8,
}

/// The modifiers of an instruction. Bit n of a per-source mask belongs to source n (src0, src1, src2); for
/// `op_sel` bit 3 is the destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Mods {
    /// Negated sources (`neg_lo` of packed instructions).
    pub neg: u8,
    /// Absolute-value sources.
    pub abs: u8,
    /// `neg_hi` of packed instructions.
    pub neg_hi: u8,
    /// `op_sel`: which half each source (and with bit 3 the destination) uses.
    pub op_sel: u8,
    /// `op_sel_hi` of packed instructions (default all ones for those).
    pub op_sel_hi: u8,
    /// `clamp`.
    pub clamp: bool,
    /// `mul:2`, `mul:4`, `div:2`.
    pub omod: OutMod,
    /// The DPP control of a DPP form.
    pub dpp: Option<Dpp>,
    /// The SDWA control of an SDWA form.
    pub sdwa: Option<Sdwa>,
    /// Immediate address offset (memory instructions, first of two for `ds_*_2addr`), in the units that the
    /// text has.
    pub offset: i32,
    /// Second offset of `ds_read2`/`ds_load_2addr` and `ds_write2`/`ds_store_2addr`.
    pub offset1: u8,
    /// Cache policy bits of the memory instruction: bit 0 glc or sc0, bit 1 slc or nt, bit 2 dlc, bit 4 scc or sc1;
    /// gfx12 `th` in bits 2:0, `scope` in bits 4:3; gfx1250 `nv` in bit 5 and `scale_offset` in bit 6.
    pub cpol: u8,
    /// MUBUF `offen`.
    pub offen: bool,
    /// MUBUF `idxen`.
    pub idxen: bool,
    /// MUBUF `addr64` (gfx6, gfx7).
    pub addr64: bool,
    /// `lds` (MUBUF LDS-DMA of gfx9), `gds` for DS.
    pub lds: bool,
    /// DS `gds`.
    pub gds: bool,
    /// `tfe`.
    pub tfe: bool,
    /// Image `dmask`, 4 bits.
    pub dmask: u8,
    /// Image `dim`, as encoded.
    pub dim: u8,
    /// Switches that one family has. Image instructions: bit 0 `unorm`, 1 `r128`, 2 `a16`, 3 `lwe`, 4 `da`, 5 `d16`.
    /// Exports: bit 0 `done`, 1 `compr`, 2 `vm`, 3 `row_en`.
    pub flags: u8,
    /// MTBUF data and number format, as encoded.
    pub format: u8,
    /// MFMA `cbsz`, 3 bits (also matrix A format of f8f6f4); WMMA `matrix_a_fmt`.
    pub cbsz: u8,
    /// MFMA `abid`, 4 bits.
    pub abid: u8,
    /// MFMA `blgp`, 3 bits (also matrix B format of f8f6f4); WMMA `matrix_b_fmt`.
    pub blgp: u8,
    /// WMMA scale selectors and formats, `matrix_a_reuse` in bit 0, `matrix_b_reuse` in bit 1,
    /// `matrix_a_scale` in bits 3:2, `matrix_b_scale` in bits 5:4, `matrix_a_scale_fmt` in bits 7:6,
    /// `matrix_b_scale_fmt` in bits 9:8, `index_key` in bits 11:10.
    pub matrix: u16,
    /// Dwords with addresses behind an image instruction; `wait_vdst` (bits 3:0) and `wait_vm_vsrc` (bit 4) of the
    /// loads from the parameter cache; 1 in a gfx9 scalar memory instruction whose only offset is an SGPR; `bitop3` truth table, `scale_sel`, `byte_sel`, `wait_va_vdst`/`wait_vm_vsrc`-like small controls that
    /// exactly one family has.
    pub control: u16,
    /// Source fields of VOP3 and VOP3P that the instruction does not use hold the inline constant 0, as newer
    /// compilers for gfx1250 write them, instead of zero bits. It means nothing.
    pub idle_zero: bool,
}

/// One instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct Inst {
    /// Its row in the table of the instruction set.
    pub row: RowId,
    /// Which of the row's encodings.
    pub form: Form,
    /// The operands in assembly order, one per operand of the row in this form.
    pub operands: SmallVec<[Operand; 6]>,
    /// The modifiers.
    pub mods: Mods,
    /// The Y half of a VOPD pair (`::`); its `row` is the Y instruction's.
    pub second: Option<Box<Inst>>,
    /// Length of the encoding in bytes, 4…20.
    pub size: u8,
}

impl Inst {
    /// Its row in the table of `machine`, the set that it was decoded or parsed for.
    pub fn row(&self, machine: Machine) -> &'static Row {
        Table::of(machine).row(self.row)
    }

    /// Its mnemonic without encoding suffix.
    pub fn mnemonic(&self, machine: Machine) -> &'static str {
        self.row(machine).mnemonic
    }

    /// How far a branch goes, in dwords from the instruction behind it; `None` if it has no label.
    pub fn branch_distance(&self, machine: Machine) -> Option<i16> {
        let label = |operand: &OperandSpec| operand.class == Class::Imm(ImmKind::Label);
        let index = self.row(machine).operands.iter().position(label)?;
        match self.operands.get(index) {
            Some(Operand::Imm(dwords)) => i16::try_from(*dwords).ok(),
            _ => None,
        }
    }

    /// Where a branch at `address` goes.
    pub fn branch_target(&self, machine: Machine, address: u64) -> Option<u64> {
        let behind = address.wrapping_add(self.size.into());
        self.branch_distance(machine).map(|dwords| behind.wrapping_add_signed(i64::from(dwords) * 4))
    }
}
