//! What an instruction operand can be, once decoded or parsed.
//!
//! Anatomy of a register name: `v[4:7]` is a [`Reg`] in file VGPR, first index 4, 4 dwords; `v7.h` has the
//! half [`Half::Hi`]; `vcc`, `m0`, `src_shared_base` are [`Special`].

/// A register file that is addressed by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RegFile {
    /// Scalar general purpose registers, `s0`…
    Sgpr,
    /// Vector general purpose registers, `v0`…`v255` (`v0`…`v1023` on gfx1250).
    Vgpr,
    /// Accumulation vector registers, `a0`…`a255` (gfx908 to gfx950).
    Agpr,
    /// Trap temporaries, `ttmp0`…`ttmp15`.
    Ttmp,
}

/// Which 16 bits of a 32-bit register a true16 operand names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Half {
    /// The register as a whole (or its low half where the instruction has no true16 form).
    #[default]
    Whole,
    /// `.l`, bits 15:0.
    Lo,
    /// `.h`, bits 31:16.
    Hi,
}

/// A register or a tuple of consecutive registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Reg {
    /// The register file.
    pub file: RegFile,
    /// Number of the first register. On gfx1250 a VGPR number as the *encoding* has it (0…255): the two
    /// most significant bits come from `s_set_vgpr_msb` and are added by the reader.
    pub index: u16,
    /// How many registers, 1…32.
    pub dwords: u8,
    /// Which half, for true16 operands.
    pub half: Half,
}

impl Reg {
    /// `dwords` whole registers of `file` from `index`.
    pub const fn new(file: RegFile, index: u16, dwords: u8) -> Self {
        Reg { file, index, dwords, half: Half::Whole }
    }
}

/// A register or value that has a name instead of a number. 64-bit pairs (`vcc`, `exec`, `flat_scratch`,
/// `xnack_mask`, `tba`, `tma`) are one variant each; a 32-bit use names its half.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)] // the variants are the manual's names
pub enum Special {
    Vcc,
    VccLo,
    VccHi,
    Exec,
    ExecLo,
    ExecHi,
    FlatScratch,
    FlatScratchLo,
    FlatScratchHi,
    XnackMask,
    XnackMaskLo,
    XnackMaskHi,
    /// Trap handler's base address, where it is in SGPRs.
    Tba,
    TbaLo,
    TbaHi,
    /// Trap handler's memory address, where it is in SGPRs.
    Tma,
    TmaLo,
    TmaHi,
    M0,
    /// Reads 0, writes are dropped.
    Null,
    Scc,
    Vccz,
    Execz,
    SharedBase,
    SharedLimit,
    PrivateBase,
    PrivateLimit,
    /// gfx1250: `src_flat_scratch_base_lo`.
    FlatScratchBaseLo,
    /// gfx1250: `src_flat_scratch_base_hi`.
    FlatScratchBaseHi,
    PopsExitingWaveId,
    LdsDirect,
}

/// One operand in the assembly order of its row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Operand {
    /// A numbered register or tuple.
    Reg(Reg),
    /// A named register or value.
    Special(Special),
    /// An inline integer constant, -16…64.
    Int(i8),
    /// An inline floating constant by its source code, 240…248 (0.5, -0.5, 1, -1, 2, -2, 4, -4, 1/2π); its
    /// bits depend on the operand's type: see [`inline_float_bits`].
    Float(u8),
    /// A literal constant that follows the instruction word: the 32 bits as encoded.
    Literal(u64),
    /// gfx1250: a literal constant of 64 bits that follows the instruction word (source code 254).
    Literal64(u64),
    /// A field that is not a source operand: simm16, hwreg, sendmsg, wait counts, branch offset in dwords,
    /// ttmp/hwreg numbers; sign-extended where the row says so.
    Imm(i64),
    /// The address operand is absent: printed `off`.
    Off,
    /// Registers or tuples that need not follow each other: an image instruction's address.
    List(RegList),
}

/// VGPRs that an operand lists, `[v1, v7, v[20:22]]`: up to twelve single registers, or up to six tuples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RegList {
    /// First registers; if `tuples`, those of the first six and then their lengths.
    bytes: [u8; RegList::MOST],
    count: u8,
    tuples: bool,
}

impl RegList {
    /// The most registers of a list.
    pub const MOST: usize = 12;

    /// A list of whole VGPRs; `None` if there are too many, or one is something else.
    pub fn new(regs: &[Reg]) -> Option<RegList> {
        let whole = |reg: &Reg| reg.file == RegFile::Vgpr && reg.half == Half::Whole && reg.index < 256;
        let tuples = regs.iter().any(|reg| reg.dwords != 1);
        let most = if tuples { RegList::MOST / 2 } else { RegList::MOST };
        if regs.is_empty() || regs.len() > most || !regs.iter().all(whole) {
            return None;
        }
        let mut bytes = [0; RegList::MOST];
        for (n, reg) in regs.iter().enumerate() {
            bytes[n] = reg.index as u8;
            if tuples {
                bytes[RegList::MOST / 2 + n] = reg.dwords;
            }
        }
        Some(RegList { bytes, count: regs.len() as u8, tuples })
    }

    /// The registers and tuples in order.
    pub fn regs(&self) -> impl Iterator<Item = Reg> + '_ {
        (0..usize::from(self.count)).map(|n| {
            let dwords = if self.tuples { self.bytes[RegList::MOST / 2 + n] } else { 1 };
            Reg::new(RegFile::Vgpr, self.bytes[n].into(), dwords)
        })
    }
}

/// The bits that inline floating constant `code` (240…248) has as a value of `bits` width (16, 32 or 64);
/// `bf16` chooses the bfloat16 pattern for width 16. `None` for another code or width.
pub fn inline_float_bits(code: u8, bits: u32, bf16: bool) -> Option<u64> {
    let value: f64 = match code {
        240 => 0.5,
        241 => -0.5,
        242 => 1.0,
        243 => -1.0,
        244 => 2.0,
        245 => -2.0,
        246 => 4.0,
        247 => -4.0,
        248 => {
            return match (bits, bf16) {
                (16, false) => Some(0x3118),
                (16, true) => Some(0x3e22),
                (32, _) => Some(0x3e22_f983),
                (64, _) => Some(0x3fc4_5f30_6dc9_c882),
                _ => None,
            };
        }
        _ => return None,
    };
    let f32_bits = (value as f32).to_bits();
    Some(match bits {
        64 => value.to_bits(),
        32 => u64::from(f32_bits),
        16 if bf16 => u64::from(f32_bits >> 16),
        // Powers of two: rebias the exponent from 127 to 15.
        16 => u64::from((f32_bits >> 16) & 0x8000) | u64::from((((f32_bits >> 23) & 0xff) - 112) << 10),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_keep_their_registers() {
        let reg = |index, dwords| Reg::new(RegFile::Vgpr, index, dwords);
        for list in [vec![reg(7, 1); 12], vec![reg(255, 1)], vec![reg(1, 2), reg(9, 1), reg(250, 6)]] {
            assert_eq!(RegList::new(&list).map(|kept| kept.regs().collect()), Some(list));
        }
        assert_eq!(RegList::new(&[reg(7, 1); 13]), None);
        assert_eq!(RegList::new(&[reg(7, 2); 7]), None);
        assert!(size_of::<Operand>() <= 16);
    }

    #[test]
    fn inline_floats_have_the_manuals_bits() {
        assert_eq!(inline_float_bits(242, 16, false), Some(0x3c00));
        assert_eq!(inline_float_bits(247, 16, false), Some(0xc400));
        assert_eq!(inline_float_bits(240, 16, true), Some(0x3f00));
        assert_eq!(inline_float_bits(245, 32, false), Some(0xc000_0000));
        assert_eq!(inline_float_bits(246, 64, false), Some(0x4010_0000_0000_0000));
        assert_eq!(inline_float_bits(249, 32, false), None);
    }
}
