//! Binding: from a decoded instruction to a pre-decoded operation.
//!
//! A binder resolves operands to places in the register slabs once, so that running an operation needs no
//! decision about operand kinds. On gfx1250 the VGPR number of an operand also depends on the state that
//! `s_set_vgpr_msb` set: a program is bound once per value of that state that it meets ([`VgprMsb`]).

use rustc_hash::FxHashMap;
use wavemark_isa::effects::{Bank, Effects, VgprMsb, effects};
use wavemark_isa::{Inst, Meaning, Operand, RegFile, Special, inline_float_bits};
use wavemark_target::{Facts, Machine};

use crate::op::Place;
use crate::regs::{SCRATCH_CHUNKS, sindex};

/// Sizes of a wave's register slab: the same for all waves of a kernel.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// 2 for wave32, 4 for wave64.
    pub chunks: usize,
    /// VGPRs allocated.
    pub vgprs: u32,
    /// AGPRs allocated.
    pub agprs: u32,
}

impl Layout {
    /// Chunk index of the first scratch chunk.
    pub fn scratch_at(&self) -> usize {
        (self.vgprs + self.agprs) as usize * self.chunks
    }
    /// Chunk index of the first vector constant.
    pub fn constants_at(&self) -> usize {
        self.scratch_at() + SCRATCH_CHUNKS
    }
    /// Chunks of a slab with `constants` vector constants.
    pub fn slab_len(&self, constants: usize) -> usize {
        self.constants_at() + constants * self.chunks
    }
}

/// The constants of a program, shared by all its operations.
#[derive(Clone, Debug, Default)]
pub struct Constants {
    /// Vector constants: a row each, the same value in all lanes.
    pub vector: Vec<u32>,
    /// Scalar constants, from [`sindex::CONSTANTS`] on.
    pub scalar: Vec<u32>,
    /// Where they are: of the vector and of the scalar ones, by value and length in dwords.
    places: [FxHashMap<(u64, usize), usize>; 2],
}

impl Constants {
    /// How many there are. None is taken away again.
    pub fn counts(&self) -> [usize; 2] {
        [self.vector.len(), self.scalar.len()]
    }

    /// Position of the low `dwords` dwords of `bits` among the vector constants, appended if they are not there.
    fn vector_at(&mut self, bits: u64, dwords: usize) -> usize {
        intern(&mut self.vector, &mut self.places[0], bits, dwords)
    }

    /// The same for scalar constants.
    fn scalar_at(&mut self, bits: u64, dwords: usize) -> usize {
        intern(&mut self.scalar, &mut self.places[1], bits, dwords)
    }
}

fn intern(
    pool: &mut Vec<u32>,
    places: &mut FxHashMap<(u64, usize), usize>,
    bits: u64,
    dwords: usize,
) -> usize {
    let bits = if dwords == 1 { bits & 0xffff_ffff } else { bits };
    *places.entry((bits, dwords)).or_insert_with(|| {
        pool.extend_from_slice(&[bits as u32, (bits >> 32) as u32][..dwords]);
        pool.len() - dwords
    })
}

/// Why an instruction cannot be bound.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BindError {
    /// The instruction, an operand form or a modifier has no model.
    #[error("unsupported: {0}")]
    Unsupported(String),
    /// A register number beyond what the kernel allocated.
    #[error("register {0} is beyond the registers that the kernel allocates")]
    RegisterRange(String),
}

/// The position of a constant, if an operation can name it and the register behind it.
fn nameable(at: usize) -> Result<u32, BindError> {
    // The register behind it is up to four chunks further.
    if at > Place::LAST - 4 {
        Err(BindError::Unsupported("so many different constants in one program".to_owned()))
    } else {
        Ok(at as u32)
    }
}

/// How a constant's bits follow from an operand: width in bits and, for 16 bits, which float format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConstType {
    /// 16, 32 or 64.
    pub bits: u32,
    /// Inline floats of width 16 are bfloat16.
    pub bf16: bool,
    /// The type is a floating one: a 32-bit literal of a 64-bit operand is its high half.
    pub float: bool,
}

/// The binder of one instruction.
pub struct Binder<'a> {
    /// The machine.
    pub machine: Machine,
    /// Its facts.
    pub facts: &'static Facts,
    /// Register slab sizes.
    pub layout: Layout,
    /// Upper VGPR number bits in force.
    pub msb: VgprMsb,
    /// The instruction.
    pub inst: &'a Inst,
    /// What it reads, writes and moves.
    pub effects: Effects,
    /// Its address.
    pub pc: u64,
    /// Where constants go.
    pub constants: &'a mut Constants,
    /// The program reads its floating-point exceptions: they are recorded.
    pub records: bool,
}

impl<'a> Binder<'a> {
    /// The binder of `inst`, which stands at `pc`.
    pub fn new(
        machine: Machine,
        layout: Layout,
        msb: VgprMsb,
        inst: &'a Inst,
        pc: u64,
        constants: &'a mut Constants,
    ) -> Self {
        let effects = effects(machine, inst);
        Binder { machine, facts: machine.facts(), layout, msb, inst, effects, pc, constants, records: false }
    }
}

impl Binder<'_> {
    /// The key of what the instruction computes.
    pub fn meaning(&self) -> Meaning {
        self.inst.row(self.machine).meaning
    }

    /// The bank of operand number `operand`.
    pub fn bank(&self, operand: usize) -> Bank {
        let found = self.effects.regs.iter().find(|entry| entry.operand.map(usize::from) == Some(operand));
        found.map_or(Bank::Fixed, |entry| entry.bank)
    }

    /// The bits of a constant operand of type `ty`, or `None` for a register.
    pub fn constant_bits(&self, operand: &Operand, ty: ConstType) -> Option<u64> {
        Some(match *operand {
            Operand::Int(x) => i64::from(x) as u64,
            Operand::Float(code) => inline_float_bits(code, ty.bits, ty.bf16)?,
            Operand::Literal(x) if ty.bits == 64 && x <= u64::from(u32::MAX) => {
                if ty.float {
                    x << 32
                } else {
                    x as u32 as i32 as i64 as u64
                }
            }
            Operand::Literal(x) | Operand::Literal64(x) => x,
            Operand::Imm(x) => x as u64,
            _ => return None,
        })
    }

    /// Chunk index of a VGPR or AGPR operand of `dwords` registers.
    pub fn vector_at(&self, reg: wavemark_isa::Reg, bank: Bank) -> Result<u32, BindError> {
        let out_of_range = |name: char, n: u32| BindError::RegisterRange(format!("{name}{n}"));
        let dwords = u32::from(reg.dwords.max(1));
        let row = match reg.file {
            RegFile::Vgpr => {
                let n = u32::from(reg.index) + self.msb.offset(bank);
                if n + dwords > self.layout.vgprs {
                    return Err(out_of_range('v', n + dwords - 1));
                }
                n
            }
            RegFile::Agpr => {
                let n = u32::from(reg.index);
                if n + dwords > self.layout.agprs {
                    return Err(out_of_range('a', n + dwords - 1));
                }
                self.layout.vgprs + n
            }
            RegFile::Sgpr | RegFile::Ttmp => {
                return Err(BindError::Unsupported("scalar register in a vector place".to_owned()));
            }
        };
        Ok(row * self.layout.chunks as u32)
    }

    /// Canonical scalar index of a scalar operand, or `None` if it is a vector register or a constant.
    pub fn scalar_at(&self, operand: &Operand) -> Option<u32> {
        Some(match *operand {
            Operand::Reg(r) => match r.file {
                RegFile::Sgpr => sindex::S0 + u32::from(r.index),
                RegFile::Ttmp => sindex::TTMP0 + u32::from(r.index),
                RegFile::Vgpr | RegFile::Agpr => return None,
            },
            Operand::Special(s) => match s {
                Special::Vcc | Special::VccLo => sindex::VCC,
                Special::VccHi => sindex::VCC + 1,
                Special::Exec | Special::ExecLo => sindex::EXEC,
                Special::ExecHi => sindex::EXEC + 1,
                Special::M0 => sindex::M0,
                Special::Null => sindex::NULL,
                Special::FlatScratch | Special::FlatScratchLo | Special::FlatScratchBaseLo => {
                    sindex::FLAT_SCRATCH
                }
                Special::FlatScratchHi | Special::FlatScratchBaseHi => sindex::FLAT_SCRATCH + 1,
                Special::XnackMask | Special::XnackMaskLo => sindex::XNACK_MASK,
                Special::XnackMaskHi => sindex::XNACK_MASK + 1,
                Special::SharedBase => sindex::SHARED_BASE,
                Special::SharedLimit => sindex::SHARED_LIMIT,
                Special::PrivateBase => sindex::PRIVATE_BASE,
                Special::PrivateLimit => sindex::PRIVATE_LIMIT,
                // Trap handlers' registers of old processors are not modelled.
                Special::Tba | Special::TbaLo | Special::TbaHi => return None,
                Special::Tma | Special::TmaLo | Special::TmaHi => return None,
                Special::Scc
                | Special::Vccz
                | Special::Execz
                | Special::PopsExitingWaveId
                | Special::LdsDirect => return None,
            },
            _ => return None,
        })
    }

    /// A scalar source: register or constant of `ty`.
    pub fn scalar_source(&mut self, operand: &Operand, ty: ConstType) -> Result<Place, BindError> {
        if let Some(at) = self.scalar_at(operand) {
            return Ok(Place::scalar(at));
        }
        let bits = self
            .constant_bits(operand, ty)
            .ok_or_else(|| BindError::Unsupported(format!("{operand:?} as a scalar source")))?;
        let at = self.constants.scalar_at(bits, if ty.bits == 64 { 2 } else { 1 });
        Ok(Place::scalar(nameable(sindex::CONSTANTS as usize + at)?))
    }

    /// A vector source: vector register, scalar register to broadcast, or constant of `ty`.
    pub fn vector_source(
        &mut self,
        operand: &Operand,
        ty: ConstType,
        bank: Bank,
    ) -> Result<Place, BindError> {
        if let Operand::Reg(reg) = *operand
            && matches!(reg.file, RegFile::Vgpr | RegFile::Agpr)
        {
            return Ok(Place::vector(self.vector_at(reg, bank)?));
        }
        if let Some(at) = self.scalar_at(operand) {
            return Ok(Place::scalar(at));
        }
        let bits = self
            .constant_bits(operand, ty)
            .ok_or_else(|| BindError::Unsupported(format!("{operand:?} as a vector source")))?;
        let at = self.constants.vector_at(bits, if ty.bits == 64 { 2 } else { 1 });
        let at = self.layout.constants_at() + at * self.layout.chunks;
        Ok(Place::vector_constant(nameable(at)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constant_that_no_operation_can_name_is_refused() {
        assert_eq!(nameable(Place::LAST - 4), Ok(Place::LAST as u32 - 4));
        assert!(matches!(nameable(Place::LAST - 3), Err(BindError::Unsupported(_))));
    }
}
