//! What an instruction reads, writes and moves: registers, memory, counters, control. The one record that
//! simulator, checker and printers read.
//!
//! Read off the row: the operands with their access, and what its attributes say. It does not say what is
//! computed (that is bound to [`Row::meaning`] elsewhere), nor which lanes are on: a VGPR that EXEC, DPP masks
//! or `op_sel` write in part counts as written.
//!
//! Attributes that this module reads (sources: CDNA4 manual chapters 4 to 12, CDNA5 manual chapters 4 to 15):
//!
//! | attribute | meaning |
//! |---|---|
//! | `scc=` `vcc=` `exec=` `m0=` `mode=` | `r`, `w`, `rw`: implicit use; `mode` alone is `mode=r`; `exec=none`: a vector instruction that ignores EXEC |
//! | `mem=PATH.VERB.SHAPE.FLAG…` | memory effect: module `memory` |
//! | `cnt=CHANNEL,…` | the queues it stands in ([`Channel`]), where they do not follow from `mem=` and the generation: module `counter` |
//! | `flow=` | what it does to the program counter ([`Flow`]) |
//! | `if=` | whether it branches where the register that it reads (SCC, VCC, EXEC) is 0, `0`, or not, `1` |
//! | `wait=COUNTER,…` | a wait, its operand's fields from the highest to the lowest; `idle`, `alu` ([`Wait`]) |
//! | `barrier=` | which barrier operation ([`Barrier`]) |
//! | `control=` | other program control ([`Control`]) |
//! | `copy` | it only moves what it reads |
//! | `select` | each lane takes one of the two sources, by a lane mask |
//! | `logic=` | it combines two sources bit by bit ([`Logic`]); those with one source and `exec=rw` take EXEC for the second, give EXEC the result, and their destination EXEC as it was |
//! | `asks=` | it compares two scalars ([`Question`]) |
//! | `unit=` `passes=` | which unit executes it where that does not follow ([`Unit`]), and for how long ([`Passes`]) |
//! | `unforwarded` | it reads VCC before vector instructions give it on |
//! | `relative=` | M0 is added to the number of a register that it names ([`Relative`]) |

use smallvec::SmallVec;

use crate::format::Family;
use crate::role::{Class, ImmKind};
use crate::row::{Access, Row};
use crate::{Inst, Machine, Operand, Reg, RegFile, SdwaUnused, Special, Table};

mod atomic;
mod bank;
mod control;
mod counter;
mod hwreg;
mod logic;
mod machine;
mod memory;
mod policy;
mod question;
mod relative;
mod unit;
mod weaker;

pub use atomic::AtomicOp;
pub use bank::{Bank, VgprMsb};
pub use control::{Barrier, Control, Flow, Wait, wait_states_text, wait_text, waits_text};
pub use counter::{Channel, Counter, CounterSet, channels_of};
pub use hwreg::{HwField, HwReg};
pub use logic::Logic;
pub use memory::{Caches, Crossbar, Extend, Half, Memory, Path, Space, Transpose, Verb};
pub use policy::{Policy, Scope};
pub use question::{Comparison, Question};
pub use relative::{Offsets, Relative};
pub use unit::{Lanes, Passes, Unit};
pub use weaker::{
    invalidate_text, scalar_invalidate_text, weaker_wait_text, with_scope, with_wait, write_back_text,
};

/// A register that an instruction touches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RegUse {
    /// Which register or tuple.
    pub reg: Touched,
    /// Whether the instruction reads it.
    pub read: bool,
    /// Whether the instruction writes it.
    pub write: bool,
    /// Which upper bits extend the number of a VGPR.
    pub bank: Bank,
    /// Index of the operand that names it; `None` for implicit uses. In a VOPD pair the Y half's operands
    /// count on from the X half's.
    pub operand: Option<u8>,
    /// It is a lane mask: one bit for each lane.
    pub lanes: bool,
    /// It is a part of the address of a memory operation.
    pub address: bool,
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

/// All effects of one instruction.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Effects {
    /// Registers, operands first. A literal or constant operand has no entry.
    pub regs: SmallVec<[RegUse; 8]>,
    /// Memory, if it touches any.
    pub memory: Option<Memory>,
    /// Scope and the like of a memory or cache operation.
    pub policy: Policy,
    /// The queues that it stands in from issue to completion; their counters are moved ([`CounterSet::counter_of`]).
    pub channels: SmallVec<[Channel; 2]>,
    /// Control flow.
    pub flow: Flow,
    /// Whether it branches where the register that it reads (SCC, VCC, EXEC) is not 0, or is, if that decides.
    pub branches_if: Option<bool>,
    /// For [`Flow::Wait`]: each counter waited for, and the value that it must have come down to. Counters that
    /// the operand names with a value that does not wait are left out.
    pub waits: SmallVec<[(Counter, u32); 3]>,
    /// Waits for everything.
    pub waits_idle: bool,
    /// Waits until the vector memory operations before it have read their VGPRs (`depctr_vm_vsrc` 0).
    pub waits_vector_sources: bool,
    /// Waits until the vector arithmetic before it has written its VGPRs (`depctr_va_vdst` 0).
    pub waits_vector_results: bool,
    /// The barrier operation.
    pub barrier: Option<Barrier>,
    /// Other program control.
    pub control: Option<Control>,
    /// It only moves what it reads.
    pub copies: bool,
    /// What it reads of its destination is a source like others: it keeps no part of that as it is.
    pub accumulates: bool,
    /// M0 is added to the number of a register that it names.
    pub relative: Option<Relative>,
    /// Each lane takes one of its two sources, by a lane mask.
    pub selects: bool,
    /// How it combines two sources bit by bit, if it does.
    pub logic: Option<Logic>,
    /// What it asks of two scalars, if it does nothing else.
    pub question: Option<Question>,
    /// The second one of those is EXEC, which gets the result; the destination gets EXEC as it was.
    pub saves_exec: bool,
    /// What executes it; a pair counts as its X half.
    pub unit: Unit,
    /// How long a matrix multiplication takes ([`Passes`]).
    pub passes: u8,
    /// Whose lanes it reads.
    pub lanes: Lanes,
    /// It reads VCC before vector instructions give it on.
    pub unforwarded: bool,
}

impl Effects {
    /// Whether it writes back what caches hold.
    pub fn is_write_back(&self) -> bool {
        self.memory.is_some_and(|memory| matches!(memory.verb, Verb::Cache { write_back: true, .. }))
    }

    /// Whether it writes from registers to memory that other waves see.
    pub fn stores_for_others(&self) -> bool {
        let stores = |verb| matches!(verb, Verb::Store | Verb::Atomic | Verb::AtomicReturn);
        self.memory.is_some_and(|memory| stores(memory.verb) && memory.path != Path::Scratch)
    }

    /// Whether it reads memory that all waves see, by the way through the vector caches.
    pub fn loads_through_vector_caches(&self) -> bool {
        self.memory.is_some_and(|memory| {
            matches!(memory.verb, Verb::Load | Verb::ToLds)
                && matches!(memory.path, Path::Global | Path::Flat | Path::Buffer | Path::Tensor)
        })
    }

    /// Whether it writes EXEC, or a half of it.
    pub fn writes_exec(&self) -> bool {
        let is_exec =
            |reg| matches!(reg, Touched::Special(Special::Exec | Special::ExecLo | Special::ExecHi));
        self.regs.iter().any(|entry| entry.write && is_exec(entry.reg))
    }

    /// Whether vector registers are touched in active lanes only.
    pub fn heeds_exec(&self) -> bool {
        self.regs.iter().any(|entry| {
            entry.read
                && entry.operand.is_none()
                && matches!(entry.reg, Touched::Special(Special::Exec | Special::ExecLo))
        })
    }
}

/// The part of the effects that the row alone decides.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RowEffects {
    /// Implicit registers: which, read, written.
    pub implicit: SmallVec<[(Touched, bool, bool); 2]>,
    /// Memory effect.
    pub memory: Option<Memory>,
    /// The queues that it stands in.
    pub channels: SmallVec<[Channel; 2]>,
    /// Control flow.
    pub flow: Flow,
    /// Whether it branches where the register that it reads (SCC, VCC, EXEC) is not 0, or is, if that decides.
    pub branches_if: Option<bool>,
    /// What it waits for.
    pub wait: Option<Wait>,
    /// The barrier operation.
    pub barrier: Option<Barrier>,
    /// Other program control.
    pub control: Option<Control>,
    /// It only moves what it reads.
    pub copies: bool,
    /// What it reads of its destination is a source like others: it keeps no part of that as it is.
    pub accumulates: bool,
    /// M0 is added to the number of a register that it names.
    pub relative: Option<Relative>,
    /// Each lane takes one of its two sources, by a lane mask.
    pub selects: bool,
    /// How it combines two sources bit by bit, if it does.
    pub logic: Option<Logic>,
    /// What it asks of two scalars, if it does nothing else.
    pub question: Option<Question>,
    /// What executes it.
    pub unit: Unit,
    /// How long a matrix multiplication takes.
    pub passes: Passes,
    /// Whose lanes it reads.
    pub lanes: Lanes,
    /// It reads VCC before vector instructions give it on.
    pub unforwarded: bool,
    /// What the roles of the row's operands say, in the order of [`Row::operands`].
    operands: SmallVec<[OperandEffects; 6]>,
}

/// What an operand's role says of it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct OperandEffects {
    /// The bank of a VGPR there.
    bank: Bank,
    /// It is a part of the address of a memory operation.
    address: bool,
}

impl RowEffects {
    /// Reads the attributes of a row.
    ///
    /// # Errors
    /// A message for an attribute value that has no meaning.
    pub fn read(machine: Machine, row: &Row) -> Result<RowEffects, String> {
        let mut effects = RowEffects::default();
        let mut exec_named = false;
        let mut counted = false;
        for &(key, value) in &row.attributes {
            let unknown = |what: &str| format!("{key}={value} is no {what}");
            match key {
                "mem" => effects.memory = Some(Memory::parse(value).ok_or_else(|| unknown("memory effect"))?),
                "cnt" => {
                    counted = true;
                    for name in value.split(',') {
                        let channel = Channel::named(name).ok_or_else(|| format!("{name} is no channel"))?;
                        effects.channels.push(channel);
                    }
                }
                "flow" => effects.flow = Flow::parse(value).ok_or_else(|| unknown("control flow"))?,
                "if" => {
                    effects.branches_if = match value {
                        "0" => Some(false),
                        "1" => Some(true),
                        _ => return Err(unknown("condition")),
                    }
                }
                "wait" => {
                    effects.flow = Flow::Wait;
                    effects.wait = Some(Wait::parse(value).ok_or_else(|| unknown("list of counters"))?);
                }
                "barrier" => {
                    effects.flow = Flow::Barrier;
                    effects.barrier =
                        Some(Barrier::parse(value).ok_or_else(|| unknown("barrier operation"))?);
                }
                "control" => {
                    effects.control = Some(Control::parse(value).ok_or_else(|| unknown("program control"))?);
                }
                "copy" => effects.copies = true,
                "accumulates" => effects.accumulates = true,
                "relative" => {
                    effects.relative =
                        Some(Relative::parse(value).ok_or_else(|| unknown("relative register"))?);
                }
                "select" => effects.selects = true,
                "logic" => effects.logic = Some(Logic::parse(value).ok_or_else(|| unknown("operation"))?),
                "asks" => {
                    effects.question = Some(Question::parse(value).ok_or_else(|| unknown("question"))?);
                }
                "passes" => {
                    effects.passes = Passes::parse(value).ok_or_else(|| unknown("number of passes"))?
                }
                "unforwarded" => effects.unforwarded = true,
                "exec" if value == "none" => exec_named = true,
                _ => {
                    let Some(touched) = implicit(machine, key) else { continue };
                    let (read, write) = match value {
                        "r" => (true, false),
                        "w" => (false, true),
                        "rw" => (true, true),
                        "" if key == "mode" => (true, false),
                        _ => return Err(format!("{key}={value}: expected r, w or rw")),
                    };
                    effects.implicit.push((touched, read, write));
                }
            }
        }
        if let (Some(memory), false) = (&effects.memory, counted) {
            effects.channels = counter::channels(CounterSet::of(machine), memory);
        }
        effects.unit = Unit::of(row, &effects).ok_or("unit= names no unit")?;
        effects.lanes = Lanes::of(row);
        let scalar = match row.family {
            Family::Scalar => true,
            Family::Memory => scalar_memory(row, effects.memory.as_ref()),
            Family::Export => effects.memory.is_none() && row.operands.is_empty(),
            Family::Image | Family::Vector | Family::Matrix => false,
        };
        let exec = Touched::Special(machine::exec(machine));
        if !scalar && !exec_named {
            match effects.implicit.iter_mut().find(|entry| entry.0 == exec) {
                Some(entry) => entry.1 = true,
                None => effects.implicit.push((exec, true, false)),
            }
        }
        let memory = effects.memory;
        let of_operand = |spec| OperandEffects {
            bank: bank::bank_of(row, memory.as_ref(), spec),
            address: memory.is_some() && spec.is_address(),
        };
        effects.operands = row.operands.iter().map(of_operand).collect();
        Ok(effects)
    }
}

/// The implicit register that an attribute names.
fn implicit(machine: Machine, key: &str) -> Option<Touched> {
    Some(match key {
        "scc" => Touched::Special(Special::Scc),
        "vcc" => Touched::Special(machine::vcc(machine)),
        "exec" => Touched::Special(machine::exec(machine)),
        "m0" => Touched::Special(Special::M0),
        "flat_scratch" => Touched::Special(Special::FlatScratch),
        "mode" => Touched::Mode,
        _ => return None,
    })
}

/// Whether no lane takes part in an instruction of the memory family: scalar memory, and what has neither a memory
/// effect nor a vector register.
fn scalar_memory(row: &Row, memory: Option<&Memory>) -> bool {
    match memory {
        Some(memory) => memory.path == Path::Scalar,
        None => row.operands.iter().all(|operand| operand.class == Class::ScalarReg),
    }
}

/// The effects of an instruction.
pub fn effects(machine: Machine, inst: &Inst) -> Effects {
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
    let own = &row.effects;
    for (n, (&(index, _), operand)) in encoding.operands.iter().zip(&inst.operands).enumerate() {
        let (spec, OperandEffects { bank, address }) = (&row.operands[index], own.operands[index]);
        let (read, write) = match spec.access {
            Access::Read => (true, false),
            Access::Write => (false, true),
            Access::ReadWrite => (true, true),
        };
        // What SDWA preserves of the destination is read.
        let preserves = inst.mods.sdwa.is_some_and(|sdwa| sdwa.dst_unused == SdwaUnused::Preserve);
        let read = read || (write && preserves);
        let number = u8::try_from(base + n).ok();
        let lanes = spec.ty.is_lanes();
        let (reg, read, write) = match operand {
            Operand::List(list) => {
                let uses = list.regs().map(Touched::Reg);
                effects.regs.extend(uses.map(|reg| RegUse {
                    reg,
                    read,
                    write,
                    bank,
                    operand: number,
                    lanes,
                    address,
                }));
                continue;
            }
            Operand::Reg(reg) => (Touched::Reg(*reg), read, write),
            // NULL reads as 0 and drops what is written.
            Operand::Special(Special::Null) => continue,
            Operand::Special(special) => (Touched::Special(*special), read, write),
            // `s_setreg` names the register first, `s_getreg` last.
            Operand::Imm(value) if spec.class == Class::Imm(ImmKind::Hwreg) => {
                match HwReg::of(machine, HwField::from_simm16(*value as u16).id) {
                    HwReg::Mode => (Touched::Mode, true, n == 0),
                    // STATUS shows SCC, and whether EXEC and VCC are 0.
                    HwReg::Status if n != 0 => {
                        for special in [Special::Scc, machine::exec(machine), machine::vcc(machine)] {
                            let reg = Touched::Special(special);
                            let shown = RegUse {
                                reg,
                                read: true,
                                write: false,
                                bank: Bank::Fixed,
                                operand: number,
                                lanes: false,
                                address: false,
                            };
                            effects.regs.push(shown);
                        }
                        continue;
                    }
                    _ => continue,
                }
            }
            _ => continue,
        };
        let vector = matches!(operand, Operand::Reg(Reg { file: RegFile::Vgpr, .. }));
        let bank = if vector { bank } else { Bank::Fixed };
        effects.regs.push(RegUse { reg, read, write, bank, operand: number, lanes, address });
    }
    for &(reg, read, write) in &own.implicit {
        let lanes = [machine::exec(machine), machine::vcc(machine)].map(Touched::Special).contains(&reg);
        effects.regs.push(RegUse {
            reg,
            read,
            write,
            bank: Bank::Fixed,
            operand: None,
            lanes,
            address: false,
        });
    }
    if base == 0 {
        effects.unit = own.unit;
        effects.passes = own.passes.of(inst);
        effects.lanes = own.lanes;
        effects.unforwarded = own.unforwarded;
    }
    effects.memory = effects.memory.or(own.memory);
    if let Some(memory) = &own.memory {
        effects.policy = Policy::decode(machine, inst.mods.cpol, memory);
    }
    effects.channels.extend(own.channels.iter().copied());
    if own.flow != Flow::Next {
        effects.flow = own.flow;
        effects.branches_if = own.branches_if;
    }
    if let Some(wait) = &own.wait {
        effects.waits = wait.operand(machine, row, inst);
        effects.waits_idle = *wait == Wait::Idle;
        effects.waits_vector_sources = wait.waits_for_zero(machine, inst, "depctr_vm_vsrc");
        effects.waits_vector_results = wait.waits_for_zero(machine, inst, "depctr_va_vdst");
    }
    effects.barrier = effects.barrier.or(own.barrier);
    effects.control = effects.control.or(own.control);
    // Of a pair, where both halves do.
    effects.copies = own.copies && (base == 0 || effects.copies);
    effects.accumulates |= own.accumulates;
    effects.relative = effects.relative.or(own.relative);
    effects.selects |= own.selects;
    effects.logic = effects.logic.or(own.logic);
    effects.question = effects.question.or(own.question);
    let writes_exec = |&(touched, read, write): &(Touched, bool, bool)| {
        touched == Touched::Special(machine::exec(machine)) && read && write
    };
    effects.saves_exec |= own.logic.is_some() && own.implicit.iter().any(writes_exec);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NoSymbols, parse};
    use wavemark_target::{Features, Processor, WaveSize};

    const GFX950: Machine = Machine {
        processor: Processor::Gfx950,
        wave_size: WaveSize::Wave64,
        features: Features::empty(),
        one_async_queue: false,
    };
    const GFX1250: Machine = Machine {
        processor: Processor::Gfx1250,
        wave_size: WaveSize::Wave32,
        features: Features::REAL_TRUE16,
        one_async_queue: false,
    };

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
        assert_eq!(uses(&of(GFX950, "s_addc_u32 s0, s1, 5")), "Sgpr0+1:w Sgpr1+1:r Scc:rw");
        assert_eq!(uses(&of(GFX950, "s_and_saveexec_b64 s[0:1], vcc")), "Sgpr0+2:w Vcc:r Scc:w Exec:rw");
        assert_eq!(uses(&of(GFX1250, "ds_load_b64 v[2:3], v1")), "Vgpr2+2:w Vgpr1+1:r ExecLo:r");
        assert_eq!(
            uses(&of(GFX950, "global_atomic_add v0, v2, v4, s[6:7] sc0")),
            "Vgpr0+1:w Vgpr2+1:r Vgpr4+1:r Sgpr6+2:r Exec:r"
        );
        assert_eq!(uses(&of(GFX1250, "s_load_b128 s[4:7], s[0:1], null")), "Sgpr4+4:w Sgpr0+2:r");
        assert_eq!(uses(&of(GFX1250, "s_setreg_imm32_b32 hwreg(HW_REG_MODE), 3")), "Mode:rw");
    }

    #[test]
    fn vector_registers() {
        assert_eq!(
            uses(&of(GFX950, "v_cmp_eq_f32_e32 vcc, v0, v1")),
            "Vcc:w Vgpr0+1:r Vgpr1+1:r Mode:r Exec:r"
        );
        assert_eq!(uses(&of(GFX1250, "v_cmpx_eq_u32_e32 v0, v1")), "Vgpr0+1:r Vgpr1+1:r ExecLo:rw");
        assert_eq!(
            uses(&of(GFX1250, "v_fmac_f32_e32 v0, s1, v2")),
            "Vgpr0+1:rw Sgpr1+1:r Vgpr2+1:r Mode:r ExecLo:r"
        );
        assert_eq!(
            uses(&of(GFX1250, "v_dual_mov_b32 v0, v2 :: v_dual_mul_f32 v1, s4, v3")),
            "Vgpr0+1:w Vgpr2+1:r ExecLo:r Vgpr1+1:w Sgpr4+1:r Vgpr3+1:r Mode:r ExecLo:r"
        );
        assert_eq!(
            uses(&of(GFX950, "v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15]")),
            "Agpr0+16:w Vgpr0+2:r Vgpr2+2:r Agpr0+16:r Mode:r"
        );
        assert_eq!(uses(&of(GFX950, "v_readlane_b32 s0, v1, s2")), "Sgpr0+1:w Vgpr1+1:r Sgpr2+1:r");
    }

    #[test]
    fn units() {
        let gfx90a = Machine::new(Processor::Gfx90a);
        let unit = |machine, text: &str| {
            let effects = of(machine, text);
            (effects.unit, effects.passes)
        };
        assert_eq!(unit(GFX950, "s_nop 3"), (Unit::Scalar, 0));
        assert_eq!(unit(GFX950, "s_load_dword s0, s[2:3], 0x0"), (Unit::ScalarMemory, 0));
        assert_eq!(unit(GFX950, "global_load_dword v0, v1, s[2:3]"), (Unit::VectorMemory, 0));
        assert_eq!(unit(GFX950, "ds_read_b32 v0, v1"), (Unit::Lds, 0));
        assert_eq!(unit(GFX950, "v_add_f32_e32 v0, v1, v2"), (Unit::Vector, 0));
        assert_eq!(unit(GFX950, "v_exp_f32_e32 v0, v1"), (Unit::Transcendental, 0));
        assert_eq!(unit(GFX950, "v_dot2c_f32_f16_e32 v0, v1, v2"), (Unit::Dot, 0));
        let f32 = "v_mfma_f32_32x32x2f32 a[0:15], v0, v1, a[0:15]";
        assert_eq!(unit(GFX950, f32), (Unit::MatrixF32, 16));
        // The same product takes CDNA 2 twice as long as CDNA 3.
        let f16 = "v_mfma_f32_32x32x8f16 a[0:15], v[0:1], v[2:3], a[0:15]";
        assert_eq!(unit(GFX950, f16), (Unit::Matrix, 8));
        assert_eq!(unit(gfx90a, f16), (Unit::Matrix, 16));
        let f64 = "v_mfma_f64_16x16x4f64 a[0:7], v[0:1], v[2:3], a[0:7]";
        assert_eq!(unit(GFX950, f64), (Unit::MatrixF64, 0));
        // The widest of the two formats decides.
        let formats = |a, b, cbsz| {
            let text = format!("v_mfma_f32_16x16x128_f8f6f4 v[0:3], {a}, {b}, v[0:3] cbsz:{cbsz} blgp:2");
            unit(GFX950, &text)
        };
        assert_eq!(formats("v[8:15]", "v[16:21]", 0), (Unit::Matrix, 8));
        assert_eq!(formats("v[8:11]", "v[16:21]", 4), (Unit::Matrix, 4));
        let wmma = "v_wmma_f32_16x16x32_f16 v[0:7], v[8:15], v[16:23], v[0:7]";
        assert_eq!(unit(GFX1250, wmma), (Unit::Matrix, 4));
        let pair = "v_dual_mov_b32 v0, v2 :: v_dual_mul_f32 v1, s4, v3";
        assert_eq!(unit(GFX1250, pair), (Unit::Vector, 0));
        assert_eq!(of(GFX950, "v_readlane_b32 s0, v1, s2").lanes, Lanes::One);
        assert_eq!(of(GFX950, "v_readfirstlane_b32 s0, v1").lanes, Lanes::One);
        assert_eq!(of(GFX950, "v_permlane32_swap_b32_e32 v0, v1").lanes, Lanes::Exchanged);
        for permutes in ["v_permlane16_b32 v0, v1, s2, s3", "v_permlane64_b32 v0, v1"] {
            assert_eq!(of(GFX1250, permutes).lanes, Lanes::Permuted);
        }
        assert_eq!(of(GFX1250, "v_movrels_b32 v0, v1").lanes, Lanes::Own);
        assert!(of(GFX950, "v_div_fmas_f32 v0, v1, v2, v3").unforwarded);
    }

    #[test]
    fn memory_and_counters() {
        let memory = |machine, text| {
            let effects = of(machine, text);
            (effects.memory.expect(text), effects.channels)
        };
        let (load, channels) = memory(GFX950, "flat_load_dwordx4 v[0:3], v[4:5]");
        assert_eq!((load.path, load.verb, load.bytes, load.count), (Path::Flat, Verb::Load, 16, 1));
        assert_eq!(channels[..], [Channel::Vm, Channel::Ds]);
        let (copy, channels) = memory(GFX1250, "global_load_async_to_lds_b128 v1, v[2:3], off");
        assert_eq!((copy.path, copy.verb, copy.bytes), (Path::Global, Verb::ToLds, 16));
        assert_eq!(channels[..], [Channel::Al]);
        let (_, channels) = memory(GFX1250, "flat_atomic_add_u32 v[0:1], v2");
        assert_eq!(channels[..], [Channel::St, Channel::Ds]);
        let (two, _) = memory(GFX950, "ds_read2st64_b64 v[0:3], v4 offset1:1");
        assert_eq!((two.bytes, two.count, two.stride), (8, 2, 64));
        let (half, _) = memory(GFX1250, "global_load_d16_hi_i8 v0, v[2:3], off");
        assert_eq!((half.bytes, half.extend), (1, Extend::HighSign));
        let (atomic, _) = memory(GFX950, "ds_cmpst_rtn_f32 v0, v1, v2, v3");
        assert_eq!((atomic.atomic, atomic.verb), (Some(AtomicOp::CmpStoreFloat), Verb::AtomicReturn));
        let tensor = of(GFX1250, "tensor_load_to_lds s[0:3], s[4:11]");
        assert_eq!(tensor.channels[..], [Channel::Td]);
        assert!(tensor.regs.iter().all(|entry| entry.read && !entry.write));
    }

    /// What a load or store says of its bytes is as wide as its data operand.
    #[test]
    fn bytes_fit_the_data() {
        for machine in [GFX950, GFX1250] {
            for row in Table::of(machine).rows() {
                let Some(memory) = &row.effects.memory else { continue };
                let data = match memory.verb {
                    Verb::Load | Verb::AtomicReturn => row.operands.iter().find(|o| o.access != Access::Read),
                    Verb::Store => {
                        row.operands.iter().find(|o| matches!(o.role, "vdata" | "data0" | "sdata"))
                    }
                    _ => None,
                };
                let Some(data) = data.filter(|_| !memory.block && !memory.is_typed()) else { continue };
                let mut wanted = u32::from(memory.bytes.next_multiple_of(4));
                // The second datum of a load has its place behind the first; of a store it is an operand of its own.
                if memory.count == 2 && memory.verb != Verb::Store {
                    wanted *= 2;
                }
                let pair = memory.atomic.is_some_and(AtomicOp::two_data) && data.access == Access::ReadWrite;
                if pair {
                    wanted *= 2;
                }
                assert_eq!(u32::from(data.ty.dwords()) * 4, wanted, "{} {}", machine.processor, row.mnemonic);
            }
        }
    }

    #[test]
    fn scopes() {
        let scope = |machine, text| of(machine, text).policy.scope;
        assert_eq!(scope(GFX950, "global_load_dword v0, v[2:3], off sc0 sc1"), Scope::System);
        assert_eq!(scope(GFX950, "global_atomic_add v0, v[2:3], v4, off sc0"), Scope::Device);
        assert_eq!(scope(GFX1250, "global_load_b32 v0, v[2:3], off scope:SCOPE_DEV"), Scope::Device);
        assert_eq!(scope(GFX1250, "global_wb scope:SCOPE_SE"), Scope::Se);
    }

    #[test]
    fn banks() {
        let banks = |text| of(GFX1250, text).regs.iter().map(|entry| entry.bank).collect::<Vec<_>>();
        use Bank::{Dst, Fixed, Src0, Src1, Src2};
        assert_eq!(banks("v_fma_f32 v0, v1, v2, v3"), [Dst, Src0, Src1, Src2, Fixed, Fixed]);
        assert_eq!(banks("v_fmamk_f32 v0, v1, 0x41000000, v3"), [Dst, Src0, Src2, Fixed, Fixed]);
        assert_eq!(banks("global_store_b32 v[0:1], v2, off"), [Src0, Src1, Fixed]);
        assert_eq!(banks("buffer_store_b32 v0, v1, s[0:3], null offen"), [Dst, Src0, Fixed, Fixed]);
        assert_eq!(banks("ds_store_2addr_b32 v0, v1, v2"), [Src0, Src1, Src2, Fixed]);
    }

    #[test]
    fn waits_and_flow() {
        let wait = of(GFX950, "s_waitcnt vmcnt(3) lgkmcnt(0)");
        assert_eq!(wait.waits[..], [(Counter::Vm, 3), (Counter::Lgkm, 0)]);
        assert!(of(GFX950, "s_waitcnt 0xcf7f").waits.is_empty());
        let both = of(GFX1250, "s_wait_loadcnt_dscnt 0x103");
        assert_eq!(both.waits[..], [(Counter::Load, 1), (Counter::Ds, 3)]);
        assert_eq!(of(GFX1250, "s_wait_asynccnt 0").waits[..], [(Counter::Async, 0)]);
        assert!(of(GFX1250, "s_wait_idle").waits_idle);
        assert_eq!(of(GFX1250, "s_cbranch_scc0 4").flow, Flow::ConditionalBranch);
        let barrier = of(GFX1250, "s_barrier_wait -1");
        assert_eq!((barrier.flow, barrier.barrier), (Flow::Barrier, Some(Barrier::Wait)));
    }

    /// What a hint says is an instruction of the machine that waits for the counter.
    #[test]
    fn waits_in_words() {
        for (processor, counter, text) in [
            (Processor::Gfx90a, Counter::Lgkm, "s_waitcnt lgkmcnt(0)"),
            (Processor::Gfx1030, Counter::Vs, "s_waitcnt_vscnt null, 0x0"),
            (Processor::Gfx1100, Counter::Lgkm, "s_waitcnt lgkmcnt(0)"),
            (Processor::Gfx1100, Counter::Vs, "s_waitcnt_vscnt null, 0x0"),
            (Processor::Gfx1201, Counter::Ds, "s_wait_dscnt 0"),
        ] {
            let machine = Machine::new(processor);
            assert_eq!(wait_text(machine, counter, 0), text);
            assert!(of(machine, text).waits.contains(&(counter, 0)), "{text}");
        }
    }

    #[test]
    fn waits_for_two_in_words() {
        for (processor, counters, text) in [
            (Processor::Gfx90a, [Counter::Vm, Counter::Lgkm], "s_waitcnt vmcnt(2) lgkmcnt(0)"),
            (Processor::Gfx1201, [Counter::Load, Counter::Ds], "s_wait_loadcnt_dscnt 0x200"),
        ] {
            let machine = Machine::new(processor);
            let [first, second] =
                counters.map(|counter| (counter, if counter == counters[0] { 2 } else { 0 }));
            assert_eq!(waits_text(machine, &[first, second]), text);
            let waits = of(machine, text).waits;
            assert!(waits.len() == 2 && waits.contains(&first) && waits.contains(&second), "{text}");
        }
        let stores = waits_text(Machine::new(Processor::Gfx1030), &[(Counter::Vs, 0), (Counter::Lgkm, 0)]);
        assert_eq!(stores, "s_waitcnt_vscnt null, 0x0 and s_waitcnt lgkmcnt(0)");
    }

    #[test]
    fn hardware_register_fields() {
        // hwreg(HW_REG_WAVE_MODE, 25, 1)
        let field = HwField::from_simm16(25 << 6 | 1);
        assert_eq!(field, HwField { id: 1, offset: 25, size: 1 });
        assert_eq!(field.mask(), 1 << 25);
        assert_eq!(HwReg::of(GFX1250, 1), HwReg::Mode);
        assert_eq!(HwReg::of(GFX950, 1), HwReg::Mode);
    }
}
