//! What an instruction reads, writes and moves: registers, memory, counters, control.
//!
//! Read off the row: the operands with their access, the implicit registers and memory effect of its
//! attributes. It does not say what is computed, nor which lanes are on: a VGPR that EXEC, DPP masks or
//! `op_sel` write in part counts as written.
//!
//! Attributes that this module reads (sources: CDNA4 manual chapters 4 to 12, CDNA5 manual chapters 4 to 15):
//!
//! | attribute | meaning |
//! |---|---|
//! | `scc=` `vcc=` `exec=` `m0=` `mode=` | `r`, `w`, `rw`: implicit use; `mode` alone is `mode=r`; `exec=none`: a vector instruction that ignores EXEC |
//! | `mem=SPACE.DIRECTION.BYTES` | memory effect |
//! | `cnt=NAME,…` | counters that it increments |
//! | `flow=` | what it does to the program counter |

use smallvec::SmallVec;
use wavemark_target::WaveSize;
use wavemark_target::facts::WaitCounter;

use crate::format::{Addressing, Family};
use crate::named;
use crate::role::{Class, ImmKind};
use crate::row::{Access, Row};
use crate::{Inst, Machine, Operand, Reg, SdwaUnused, Special, Table};

/// A register that an instruction touches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RegUse {
    /// Which register or tuple.
    pub reg: Touched,
    /// Whether the instruction reads it.
    pub read: bool,
    /// Whether the instruction writes it.
    pub write: bool,
    /// Index of the operand that names it; `None` for implicit uses. In a VOPD pair the Y half's operands
    /// count on from the X half's.
    pub operand: Option<u8>,
}

/// A numbered or named register.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Touched {
    /// A numbered register or tuple.
    Reg(Reg),
    /// A named one.
    Special(Special),
    /// The MODE register (rounding, denormals).
    Mode,
}

/// An address space of the memory pipelines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the variants are the manual's names
pub enum Space {
    Global,
    Lds,
    Scratch,
    Flat,
    /// Scalar data cache.
    Scalar,
    Gds,
}

/// What is done to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the variants are the manual's names
pub enum Direction {
    Load,
    Store,
    /// Read-modify-write without the old value.
    Atomic,
    /// Read-modify-write that returns the old value.
    AtomicReturn,
    /// Memory to LDS.
    ToLds,
    /// LDS to memory.
    FromLds,
    Prefetch,
    /// Write-back, invalidate.
    CacheOp,
    /// Uses the LDS crossbar only (`ds_bpermute_b32`, `ds_swizzle_b32`).
    Crossbar,
}

/// The memory effect of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Where.
    pub space: Space,
    /// What.
    pub direction: Direction,
    /// Bytes per lane; per wave for scalar memory. 0 where operands decide (tensor transfers, block loads).
    pub bytes: u16,
}

/// A counter that an instruction increments at issue and its completion decrements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the variants are the manual's names
pub enum Counter {
    /// gfx9 VM_CNT.
    Vm,
    /// gfx9 LGKM_CNT.
    Lgkm,
    /// EXP_CNT.
    Exp,
    Load,
    Sample,
    Bvh,
    Store,
    Ds,
    Km,
    Async,
    Tensor,
    X,
}

/// How an instruction steers the wave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Flow {
    /// On to the next instruction.
    #[default]
    Next,
    /// To the label, always.
    Branch,
    /// To the label or on.
    ConditionalBranch,
    /// To an address in registers (`s_setpc`, `s_swappc`, `s_rfe`).
    Indirect,
    /// To the label, the return address in registers (`s_call`).
    Call,
    /// The wave ends.
    End,
    /// The wave stops until something happens (`s_trap`, `s_sethalt`).
    Trap,
    /// A barrier's arrival, wait, or both.
    Barrier,
    /// Waits for counters: [`Effects::waits`].
    Wait,
}

/// All effects of one instruction.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Effects {
    /// Registers, operands first. A literal or constant operand has no entry.
    pub regs: SmallVec<[RegUse; 8]>,
    /// Memory, if it touches any.
    pub memory: Option<Memory>,
    /// Counters that it increments.
    pub counters: SmallVec<[Counter; 2]>,
    /// Control flow.
    pub flow: Flow,
    /// For [`Flow::Wait`]: each counter waited for, and the value that it must have come down to. Counters that
    /// an `s_waitcnt` names with its largest value are left out: they do not wait.
    pub waits: SmallVec<[(Counter, u16); 3]>,
}

/// The part of the effects that the row alone decides.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RowEffects {
    /// Implicit registers: which, read, written.
    pub implicit: SmallVec<[(Touched, bool, bool); 2]>,
    /// Memory effect.
    pub memory: Option<Memory>,
    /// Counters that it increments.
    pub counters: SmallVec<[Counter; 2]>,
    /// Control flow.
    pub flow: Flow,
}

impl RowEffects {
    /// Reads the attributes of a row.
    ///
    /// # Errors
    /// A message for an attribute value that has no meaning.
    pub fn read(machine: Machine, row: &Row) -> Result<RowEffects, String> {
        let mut effects = RowEffects::default();
        let mut exec_named = false;
        for &(key, value) in &row.attributes {
            let touched = match (key, machine.wave_size) {
                ("scc", _) => Touched::Special(Special::Scc),
                ("vcc", WaveSize::Wave64) => Touched::Special(Special::Vcc),
                ("vcc", WaveSize::Wave32) => Touched::Special(Special::VccLo),
                ("exec", _) if value == "none" => {
                    exec_named = true;
                    continue;
                }
                ("exec", _) => exec(machine),
                ("m0", _) => Touched::Special(Special::M0),
                ("flat_scratch", _) => Touched::Special(Special::FlatScratch),
                ("mode", _) => Touched::Mode,
                ("mem", _) => {
                    effects.memory =
                        Some(memory(value).ok_or_else(|| format!("mem={value} is no memory effect"))?);
                    continue;
                }
                ("cnt", _) => {
                    for name in value.split(',') {
                        effects.counters.push(counter(name).ok_or_else(|| format!("{name} is no counter"))?);
                    }
                    continue;
                }
                ("flow", _) => {
                    effects.flow = flow(value).ok_or_else(|| format!("flow={value} is no control flow"))?;
                    continue;
                }
                _ => continue,
            };
            let (read, write) = match value {
                "r" => (true, false),
                "w" => (false, true),
                "rw" => (true, true),
                "" if key == "mode" => (true, false),
                _ => return Err(format!("{key}={value}: expected r, w or rw")),
            };
            effects.implicit.push((touched, read, write));
        }
        let scalar = match row.family {
            Family::Scalar => true,
            Family::Memory => row.memory.addressing == Some(Addressing::ScalarBase),
            Family::Vector | Family::Matrix | Family::Image | Family::Export => false,
        };
        if effects.counters.is_empty()
            && let Some(memory) = effects.memory
        {
            effects.counters = counters(machine, &memory, value_of(row, "mem"));
        }
        if !scalar && !exec_named {
            match effects.implicit.iter_mut().find(|entry| entry.0 == exec(machine)) {
                Some(entry) => entry.1 = true,
                None => effects.implicit.push((exec(machine), true, false)),
            }
        }
        Ok(effects)
    }
}

fn exec(machine: Machine) -> Touched {
    Touched::Special(match machine.wave_size {
        WaveSize::Wave64 => Special::Exec,
        WaveSize::Wave32 => Special::ExecLo,
    })
}

fn memory(value: &str) -> Option<Memory> {
    let mut parts = value.split('.');
    let space = match parts.next()? {
        "global" | "buffer" | "tensor" => Space::Global,
        "lds" => Space::Lds,
        "scratch" => Space::Scratch,
        "flat" => Space::Flat,
        "scalar" => Space::Scalar,
        "gds" => Space::Gds,
        _ => return None,
    };
    let direction = match parts.next()? {
        "load" => Direction::Load,
        "store" => Direction::Store,
        "atomic" => Direction::Atomic,
        "atomic_return" => Direction::AtomicReturn,
        "to_lds" => Direction::ToLds,
        "from_lds" => Direction::FromLds,
        "prefetch" => Direction::Prefetch,
        "cache" => Direction::CacheOp,
        "crossbar" => Direction::Crossbar,
        _ => return None,
    };
    // Behind the bytes of one access stand how many there are and what distinguishes it further.
    let shape = parts.next()?;
    let (bytes, count) = shape.split_once('x').unwrap_or((shape, "1"));
    let count = count.split('s').next()?.parse::<u16>().ok()?;
    Some(Memory { space, direction, bytes: bytes.parse::<u16>().ok()? * count })
}

fn value_of(row: &Row, key: &str) -> &'static str {
    row.attribute(key).unwrap_or_default()
}

/// The counters that an access to memory moves.
fn counters(machine: Machine, memory: &Memory, effect: &str) -> SmallVec<[Counter; 2]> {
    let has = |counter: WaitCounter| machine.facts().counters.iter().any(|(known, _)| *known == counter);
    let mut counters = SmallVec::new();
    let split = has(WaitCounter::Load);
    let vector = match memory.direction {
        Direction::Prefetch => None,
        _ if !split => Some(Counter::Vm),
        _ if effect.starts_with("tensor") => Some(Counter::Tensor),
        Direction::ToLds | Direction::FromLds => Some(Counter::Async),
        Direction::Store | Direction::Atomic => Some(Counter::Store),
        _ => Some(Counter::Load),
    };
    let lds = if split { Counter::Ds } else { Counter::Lgkm };
    match memory.space {
        Space::Scalar if memory.direction == Direction::Prefetch => {}
        Space::Scalar => counters.push(if split { Counter::Km } else { Counter::Lgkm }),
        Space::Lds | Space::Gds => counters.push(lds),
        Space::Flat => {
            counters.extend(vector);
            counters.push(lds);
        }
        Space::Global | Space::Scratch => counters.extend(vector),
    }
    if has(WaitCounter::X)
        && !matches!(memory.space, Space::Lds | Space::Gds)
        && vector != Some(Counter::Tensor)
    {
        counters.push(Counter::X);
    }
    counters
}

fn counter(name: &str) -> Option<Counter> {
    Some(match name {
        "vm" => Counter::Vm,
        "lgkm" => Counter::Lgkm,
        "exp" => Counter::Exp,
        "load" => Counter::Load,
        "sample" => Counter::Sample,
        "bvh" => Counter::Bvh,
        "store" => Counter::Store,
        "ds" => Counter::Ds,
        "km" | "sm" => Counter::Km,
        "async" | "al" => Counter::Async,
        "tensor" | "td" => Counter::Tensor,
        "x" => Counter::X,
        _ => return None,
    })
}

fn flow(value: &str) -> Option<Flow> {
    Some(match value {
        "branch" => Flow::Branch,
        "cbranch" => Flow::ConditionalBranch,
        "indirect" => Flow::Indirect,
        "call" => Flow::Call,
        "end" => Flow::End,
        "trap" => Flow::Trap,
        "barrier" => Flow::Barrier,
        "wait" => Flow::Wait,
        _ => return None,
    })
}

/// The effects of an instruction of `machine`.
pub fn effects(machine: impl Into<Machine>, inst: &Inst) -> Effects {
    let machine = machine.into();
    let mut effects = Effects::default();
    add(machine, inst, 0, &mut effects);
    if let Some(second) = &inst.second {
        add(machine, second, inst.operands.len(), &mut effects);
    }
    effects
}

/// Adds the effects of one instruction, whose operands are numbered from `base`.
fn add(machine: Machine, inst: &Inst, base: usize, effects: &mut Effects) {
    let row = Table::of(machine).row(inst.row);
    let Some(encoding) = row.encoding(inst.form) else { return };
    for (n, (spec, operand)) in encoding.specs(row).zip(&inst.operands).enumerate() {
        let (read, write) = match spec.access {
            Access::Read => (true, false),
            Access::Write => (false, true),
            Access::ReadWrite => (true, true),
        };
        // What SDWA preserves of the destination is read.
        let preserves = inst.mods.sdwa.is_some_and(|sdwa| sdwa.dst_unused == SdwaUnused::Preserve);
        let read = read || (write && preserves);
        let number = u8::try_from(base + n).ok();
        match operand {
            Operand::Reg(reg) => {
                effects.regs.push(RegUse { reg: Touched::Reg(*reg), read, write, operand: number });
            }
            Operand::List(list) => effects.regs.extend(list.regs().map(|reg| RegUse {
                reg: Touched::Reg(reg),
                read,
                write,
                operand: number,
            })),
            // NULL reads as 0 and drops what is written.
            Operand::Special(Special::Null) => {}
            Operand::Special(special) => {
                effects.regs.push(RegUse { reg: Touched::Special(*special), read, write, operand: number });
            }
            // Hardware register 1 is MODE; `s_setreg` names the register first, `s_getreg` last.
            Operand::Imm(value) if spec.class == Class::Imm(ImmKind::Hwreg) && value & 0x3f == 1 => {
                let write = n == 0;
                effects.regs.push(RegUse { reg: Touched::Mode, read: true, write, operand: number });
            }
            _ => {}
        }
    }
    for &(reg, read, write) in &row.effects.implicit {
        effects.regs.push(RegUse { reg, read, write, operand: None });
    }
    effects.memory = effects.memory.or(row.effects.memory);
    effects.counters.extend(row.effects.counters.iter().copied());
    if row.effects.flow != Flow::Next {
        effects.flow = row.effects.flow;
    }
    if row.effects.flow == Flow::Wait {
        waits(machine, row, inst, effects);
    }
}

/// What a wait instruction waits for.
fn waits(machine: Machine, row: &Row, inst: &Inst, effects: &mut Effects) {
    let field = match inst.operands.first() {
        Some(Operand::Imm(value)) => *value as u16,
        _ => 0,
    };
    let single: &[Counter] = match row.mnemonic {
        "s_waitcnt" => {
            for (counter, field_of) in
                [Counter::Vm, Counter::Exp, Counter::Lgkm].into_iter().zip(named::waitcnt(machine))
            {
                let value = field_of.get(field);
                if value != field_of.max() {
                    effects.waits.push((counter, value));
                }
            }
            return;
        }
        // The two fields are 6 bits each: LOADcnt or STOREcnt from bit 8, DScnt from bit 0.
        "s_wait_loadcnt_dscnt" | "s_wait_storecnt_dscnt" => {
            let upper = if row.mnemonic.contains("load") { Counter::Load } else { Counter::Store };
            for (counter, value) in [(upper, field >> 8 & 0x3f), (Counter::Ds, field & 0x3f)] {
                if value != 0x3f {
                    effects.waits.push((counter, value));
                }
            }
            return;
        }
        "s_wait_loadcnt" => &[Counter::Load],
        "s_wait_storecnt" => &[Counter::Store],
        "s_wait_dscnt" => &[Counter::Ds],
        "s_wait_kmcnt" => &[Counter::Km],
        "s_wait_asynccnt" => &[Counter::Async],
        "s_wait_tensorcnt" => &[Counter::Tensor],
        "s_wait_xcnt" => &[Counter::X],
        _ => &[],
    };
    effects.waits.extend(single.iter().map(|&counter| (counter, field & 0x3f)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NoSymbols, parse};
    use wavemark_target::Processor;

    fn of(machine: Machine, text: &str) -> Effects {
        let parsed = parse(machine, text, &NoSymbols);
        match parsed {
            Ok(parsed) => effects(machine, &parsed.inst),
            Err(error) => panic!("{text}: {error}"),
        }
    }

    fn uses(effects: &Effects) -> String {
        let mut text = String::new();
        for entry in &effects.regs {
            let name = match entry.reg {
                Touched::Reg(reg) => format!("{:?}{}+{}", reg.file, reg.index, reg.dwords),
                Touched::Special(special) => format!("{special:?}"),
                Touched::Mode => "Mode".to_owned(),
            };
            let how = match (entry.read, entry.write) {
                (true, true) => "rw",
                (true, false) => "r",
                _ => "w",
            };
            text.push_str(&format!("{name}:{how} "));
        }
        text.trim_end().to_owned()
    }

    #[test]
    fn registers() {
        assert_eq!(
            uses(&of(Machine::new(Processor::Gfx950), "s_addc_u32 s0, s1, 5")),
            "Sgpr0+1:w Sgpr1+1:r Scc:rw"
        );
        assert_eq!(
            uses(&of(Machine::new(Processor::Gfx950), "s_and_saveexec_b64 s[0:1], vcc")),
            "Sgpr0+2:w Vcc:r Scc:w Exec:rw"
        );
        assert_eq!(
            uses(&of(Machine::new(Processor::Gfx1250), "ds_load_b64 v[2:3], v1")),
            "Vgpr2+2:w Vgpr1+1:r ExecLo:r"
        );
        assert_eq!(
            uses(&of(Machine::new(Processor::Gfx950), "global_atomic_add v0, v2, v4, s[6:7] sc0")),
            "Vgpr0+1:w Vgpr2+1:r Vgpr4+1:r Sgpr6+2:r Exec:r"
        );
        assert_eq!(
            uses(&of(Machine::new(Processor::Gfx1250), "s_load_b128 s[4:7], s[0:1], null")),
            "Sgpr4+4:w Sgpr0+2:r"
        );
        assert_eq!(
            uses(&of(Machine::new(Processor::Gfx1250), "s_setreg_imm32_b32 hwreg(HW_REG_MODE), 3")),
            "Mode:rw"
        );
    }

    #[test]
    fn vector_registers() {
        assert_eq!(
            uses(&of(Machine::new(Processor::Gfx950), "v_cmp_eq_f32_e32 vcc, v0, v1")),
            "Vcc:w Vgpr0+1:r Vgpr1+1:r Mode:r Exec:r"
        );
        assert_eq!(
            uses(&of(Machine::new(Processor::Gfx1250), "v_cmpx_eq_u32_e32 v0, v1")),
            "Vgpr0+1:r Vgpr1+1:r ExecLo:rw"
        );
        assert_eq!(
            uses(&of(Machine::new(Processor::Gfx1250), "v_fmac_f32_e32 v0, s1, v2")),
            "Vgpr0+1:rw Sgpr1+1:r Vgpr2+1:r Mode:r ExecLo:r"
        );
        assert_eq!(
            uses(&of(Machine::new(Processor::Gfx1250), "v_dual_mov_b32 v0, v2 :: v_dual_mul_f32 v1, s4, v3")),
            "Vgpr0+1:w Vgpr2+1:r ExecLo:r Vgpr1+1:w Sgpr4+1:r Vgpr3+1:r Mode:r ExecLo:r"
        );
        assert_eq!(
            uses(&of(
                Machine::new(Processor::Gfx950),
                "v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15]"
            )),
            "Agpr0+16:w Vgpr0+2:r Vgpr2+2:r Agpr0+16:r"
        );
        assert_eq!(
            uses(&of(Machine::new(Processor::Gfx950), "v_readlane_b32 s0, v1, s2")),
            "Sgpr0+1:w Vgpr1+1:r Sgpr2+1:r"
        );
    }

    #[test]
    fn memory_and_counters() {
        let load = of(Machine::new(Processor::Gfx950), "flat_load_dwordx4 v[0:3], v[4:5]");
        assert_eq!(load.memory, Some(Memory { space: Space::Flat, direction: Direction::Load, bytes: 16 }));
        assert_eq!(load.counters[..], [Counter::Vm, Counter::Lgkm]);
        let copy = of(Machine::new(Processor::Gfx1250), "global_load_async_to_lds_b128 v1, v[2:3], off");
        assert_eq!(
            copy.memory,
            Some(Memory { space: Space::Global, direction: Direction::ToLds, bytes: 16 })
        );
        assert_eq!(copy.counters[..], [Counter::Async, Counter::X]);
        let tensor = of(Machine::new(Processor::Gfx1250), "tensor_load_to_lds s[0:3], s[4:11]");
        assert_eq!(tensor.counters[..], [Counter::Tensor]);
        assert!(tensor.regs.iter().all(|entry| entry.read && !entry.write));
    }

    #[test]
    fn waits_and_flow() {
        let wait = of(Machine::new(Processor::Gfx950), "s_waitcnt vmcnt(3) lgkmcnt(0)");
        assert_eq!(wait.waits[..], [(Counter::Vm, 3), (Counter::Lgkm, 0)]);
        let both = of(Machine::new(Processor::Gfx1250), "s_wait_loadcnt_dscnt 0x103");
        assert_eq!(both.waits[..], [(Counter::Load, 1), (Counter::Ds, 3)]);
        assert_eq!(
            of(Machine::new(Processor::Gfx1250), "s_wait_asynccnt 0").waits[..],
            [(Counter::Async, 0)]
        );
        assert_eq!(of(Machine::new(Processor::Gfx1250), "s_cbranch_scc0 4").flow, Flow::ConditionalBranch);
        assert_eq!(of(Machine::new(Processor::Gfx1250), "s_barrier_wait -1").flow, Flow::Barrier);
    }
}
