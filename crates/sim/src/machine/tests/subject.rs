//! One instruction, a wave to execute it, and the memory that its addresses point into.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use wavemark_isa::effects::{Effects, Path, Touched, VgprMsb, effects};
use wavemark_isa::{Inst, Operand, RegFile, Special, encode};
use wavemark_target::Machine;

use super::all_registers;
use super::recorder::Recorder;
use crate::barrier::Barrier;
use crate::binder::Layout;
use crate::events::WaveId;
use crate::global::Global;
use crate::machine::device::{Cluster, Device, Group, Resident};
use crate::machine::{Completion, Random, RunConfig};
use crate::op::OpKind;
use crate::program::{Program, Segment};
use crate::regs::sindex;
use crate::wave::{Wave, WaveState, unpack_mode};
use wavemark_target::facts::BufferResource;

/// Address of the only instruction.
const CODE: u64 = 0x10_0000;
/// Bytes of LDS: what two-address instructions with a stride can reach, which is more than hardware has.
const LDS: usize = 0x3_0000;
const GLOBAL: usize = 0x1_0000;
const SCRATCH: u32 = 0x400;

/// What is in global memory, and in LDS again and again.
static CONTENTS: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut random = Random::new(0x5555);
    (0..GLOBAL / 8).flat_map(|_| random.draw().to_le_bytes()).collect()
});

/// What tells the lanes of a register apart: some of these, in order.
static NOISE: LazyLock<Vec<u32>> = LazyLock::new(|| {
    let mut random = Random::new(0xaaaa);
    (0..256 + 64).map(|_| random.draw() as u32).collect()
});

/// Where a register is in a wave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// A canonical scalar index.
    Scalar(u32),
    /// A register of the vector slab, counted in rows.
    Vector(u32),
    Scc,
    Mode,
}

/// An instruction to execute, and what it may touch.
pub struct Subject {
    machine: Machine,
    inst: Inst,
    bytes: Vec<u8>,
    msb: u8,
    seed: u64,
    layout: Layout,
    pub effects: Effects,
    reads: BTreeSet<Place>,
    writes: BTreeSet<Place>,
}

/// How a run of it went.
pub struct Outcome {
    pub events: Recorder,
    pub jumped: bool,
    before: State,
    after: State,
}

/// The registers of a wave.
struct State {
    v: Vec<u32>,
    s: Vec<u32>,
    scc: bool,
    mode: u32,
    pc: u64,
}

impl State {
    fn of(wave: &Wave, layout: Layout) -> State {
        let rows = (layout.vgprs + layout.agprs) as usize * layout.chunks;
        State {
            v: wave.regs.v[..rows].iter().map(|chunk| chunk.0).collect::<Vec<_>>().into_flattened(),
            s: wave.regs.s[..SCALARS as usize].to_vec(),
            scc: wave.regs.scc,
            mode: wave.regs.mode.raw,
            pc: wave.regs.pc,
        }
    }
}

/// Scalar registers that programs name: the apertures behind them are constants.
const SCALARS: u32 = sindex::SHARED_BASE;

impl Subject {
    /// `None` if the instruction is not executed.
    pub fn new(machine: Machine, inst: &Inst, seed: u64) -> Option<Subject> {
        let bytes = encode(machine, inst).ok()?.to_vec();
        let facts = machine.facts();
        let layout = all_registers(machine);
        let mut random = Random::new(seed);
        let msb = if facts.vgpr_msb_in_mode() && random.below(3) > 0 { random.draw() as u8 } else { 0 };
        let effects = effects(machine, inst);
        let mut subject = Subject {
            machine,
            inst: inst.clone(),
            bytes,
            msb,
            seed,
            layout,
            effects,
            reads: BTreeSet::new(),
            writes: BTreeSet::new(),
        };
        subject.collect();
        let (mut program, table) = subject.program();
        program.bind_slot(table, 0);
        let op = program.op(table, 0)?;
        (op.kind != OpKind::Unsupported).then_some(subject)
    }

    fn program(&self) -> (Program, usize) {
        let segment = Segment { base: CODE, bytes: self.bytes.clone().into() };
        let mut program = Program::new(self.machine, self.layout, segment);
        let table = program.table(self.msb);
        (program, table)
    }

    /// The registers that the effects name.
    fn collect(&mut self) {
        for used in self.effects.regs.clone() {
            let mut places = Vec::new();
            match used.reg {
                Touched::Reg(reg) => {
                    let count = u32::from(reg.dwords.max(1));
                    let index = u32::from(reg.index);
                    for n in index..index + count {
                        places.push(match reg.file {
                            RegFile::Sgpr => Place::Scalar(n),
                            RegFile::Ttmp => Place::Scalar(sindex::TTMP0 + n),
                            RegFile::Vgpr => Place::Vector(n + VgprMsb(self.msb).offset(used.bank)),
                            RegFile::Agpr => Place::Vector(self.layout.vgprs + n),
                        });
                    }
                }
                Touched::Special(special) => places.extend(special_places(special)),
                Touched::Mode => places.push(Place::Mode),
            }
            if used.read {
                self.reads.extend(&places);
            }
            if used.write {
                self.writes.extend(&places);
            }
        }
    }

    /// Execute the instruction; with `other`, from registers that differ wherever it does not read. `None` if the
    /// run stops with something that is not modelled.
    pub fn run(&self, other: bool) -> Option<Outcome> {
        let facts = self.machine.facts();
        let (mut program, table) = self.program();
        program.bind_slot(table, 0);
        let mut global = Global::new();
        let base = global.allocate("memory", CONTENTS.clone(), true);
        let lds = CONTENTS.repeat(LDS / GLOBAL);
        let waves = (0..2).map(|index| {
            let mut wave = Wave::new(
                facts,
                WaveId { index, wave: index, ..WaveId::default() },
                self.layout,
                CODE,
                0x3f0,
            );
            wave.scratch_per_lane = SCRATCH;
            wave.scratch = vec![7; (SCRATCH * self.machine.lanes()) as usize];
            wave.begin(self.layout, None);
            wave.refresh_constants(self.layout, &program.constants);
            wave
        });
        let mut waves: Vec<Wave> = waves.collect();
        self.fill(&mut waves[0], base, other);
        (waves[0].msb, waves[0].table) = (self.msb, table);
        // The other one is there for the barriers and executes nothing.
        waves[1].state = WaveState::Halted;
        let before = State::of(&waves[0], self.layout);
        let mut recorder = Recorder::default();
        let config = RunConfig { completion: Completion::Early, ..RunConfig::default() };
        let mut machine = Device::new(&mut program, &mut global, &config, &mut recorder);
        let mut named = vec![Barrier::default(); 9];
        named.iter_mut().for_each(|barrier| barrier.init(2));
        let group = Group {
            waves,
            lds,
            lds_bytes: LDS as u32,
            ids: [].into(),
            workgroup: Barrier::with_expected(2),
            named,
            live: 2,
            flat: 0,
            turn: 0,
        };
        let shared = Cluster::new(0, 1, config.seed);
        machine.clusters.push(Box::new(Resident::new(shared, vec![group], 0)));
        // Behind the instruction there is no code: the turn ends there if not before.
        let stopped = machine.turn(0);
        let wave = &machine.clusters[0].groups[0].waves[0];
        let after = State::of(wave, self.layout);
        let next = CODE + self.bytes.len() as u64;
        let stays = after.pc == CODE || after.pc == next;
        if let Err((_, crate::machine::Stop::Unsupported { what, .. })) = &stopped
            && !what.starts_with("execution left the code")
        {
            return None;
        }
        Some(Outcome { events: recorder, jumped: !stays, before, after })
    }

    /// Random registers, and addresses where the operands say so.
    fn fill(&self, wave: &mut Wave, base: u64, other: bool) {
        let mut values = Random::new(self.seed);
        let mut others = Random::new(!self.seed);
        let regs = &mut wave.regs;
        let mut draw = |place: Place| {
            let (value, different) = (values.draw() as u32, others.draw() as u32);
            if other && !self.reads.contains(&place) { different } else { value }
        };
        for n in 0..SCALARS {
            // Scratch bases stay what they are: they are constants to a program.
            if n < sindex::FLAT_SCRATCH && n != sindex::NULL {
                regs.s[n as usize] = draw(Place::Scalar(n));
            }
        }
        if regs.lanes() == 32 {
            regs.s[sindex::EXEC as usize + 1] = 0;
            regs.s[sindex::VCC as usize + 1] &= 0xffff;
        }
        regs.exec_changed();
        let chunks = self.layout.chunks;
        for row in 0..self.layout.vgprs + self.layout.agprs {
            let different = other && !self.reads.contains(&Place::Vector(row));
            let start = self.seed ^ u64::from(row) << 8 ^ if different { 0xff } else { 0 };
            let mut lanes = Random::new(start);
            let (of_row, from) = (lanes.draw() as u32, lanes.below(256));
            let noise = &NOISE[from..from + 16 * chunks];
            for (chunk, noise) in
                regs.v[row as usize * chunks..][..chunks].iter_mut().zip(noise.chunks_exact(16))
            {
                chunk.0.iter_mut().zip(noise).for_each(|(lane, noise)| *lane = of_row ^ noise);
            }
        }
        regs.scc = draw(Place::Scc) & 1 != 0;
        let mode = draw(Place::Mode);
        // Rounding, denormals, FP16_OVFL; the bank fields and exception enables stay 0.
        wave.regs.set_mode(unpack_mode(self.machine.facts(), mode & 0x0080_00ff | 0x300));
        self.addresses(wave, base);
    }

    /// Point what the operands use as addresses into memory.
    fn addresses(&self, wave: &mut Wave, base: u64) {
        let Some(memory) = self.effects.memory else { return };
        let row = self.inst.row(self.machine);
        let Some(encoding) = row.encoding(self.inst.form) else { return };
        let lanes = wave.regs.lanes();
        let has = |role: &str| {
            encoding.specs(row).zip(&self.inst.operands).any(|(spec, operand)| {
                spec.role == role && !matches!(operand, Operand::Off | Operand::Special(Special::Null))
            })
        };
        if memory.block {
            wave.regs.s[sindex::M0 as usize] = 0x8005;
        } else if self.reads.contains(&Place::Scalar(sindex::M0)) {
            wave.regs.s[sindex::M0 as usize] = 64;
        }
        let based = has("saddr");
        for (n, (spec, operand)) in encoding.specs(row).zip(&self.inst.operands).enumerate() {
            let own = self.effects.regs.iter().find(|entry| entry.operand == Some(n as u8));
            let scalar = |wave: &mut Wave, words: &[u32]| {
                let at = match operand {
                    Operand::Reg(reg) if reg.file == RegFile::Sgpr => u32::from(reg.index),
                    Operand::Reg(reg) if reg.file == RegFile::Ttmp => sindex::TTMP0 + u32::from(reg.index),
                    Operand::Special(Special::Vcc | Special::VccLo) => sindex::VCC,
                    Operand::Special(Special::M0) => sindex::M0,
                    _ => return,
                };
                for (i, word) in words.iter().enumerate() {
                    wave.regs.s[at as usize + i] = *word;
                }
            };
            let vector = |wave: &mut Wave, dword: u32, f: &dyn Fn(u32) -> u32| {
                if let (Some(entry), Operand::Reg(reg)) = (own, operand)
                    && reg.file == RegFile::Vgpr
                {
                    let at = u32::from(reg.index) + VgprMsb(self.msb).offset(entry.bank) + dword;
                    let at = at as usize * self.layout.chunks;
                    (0..lanes).for_each(|lane| wave.regs.set_lane(at, lane, f(lane)));
                }
            };
            let pair = [base as u32, (base >> 32) as u32];
            let descriptor = match self.machine.facts().buffer_resource {
                BufferResource::Gfx6 => [pair[0], pair[1], GLOBAL as u32, 0x27fac],
                // Of elements of 32 bits, as they are, for instructions that take the format from here.
                BufferResource::Gfx10 | BufferResource::Gfx11 | BufferResource::Gfx12 => {
                    [pair[0], pair[1], GLOBAL as u32, 0x3001_4fac]
                }
                BufferResource::Gfx1250 => {
                    let low = base | (GLOBAL as u64) << 57;
                    [low as u32, (low >> 32) as u32, (GLOBAL >> 7) as u32, 0]
                }
            };
            match (spec.role, memory.path) {
                ("addr", _) => vector(wave, 0, &|lane| 64 + lane * 16),
                ("vaddr", Path::Global | Path::Flat) if !based => {
                    vector(wave, 0, &|lane| pair[0] + lane * 16);
                    vector(wave, 1, &|_| pair[1]);
                }
                ("vaddr", Path::Buffer) if self.inst.mods.idxen => {
                    vector(wave, 0, &|_| 0);
                    vector(wave, 1, &|lane| lane * 16);
                }
                ("vaddr", Path::Scratch) => vector(wave, 0, &|_| 64),
                ("vaddr", _) => vector(wave, 0, &|lane| lane * 16),
                ("vdst", _) if spec.access == wavemark_isa::Access::Read => {
                    vector(wave, 0, &|lane| lane * 16)
                }
                ("vdata", _) if memory.verb == wavemark_isa::effects::Verb::FromLds => {
                    vector(wave, 0, &|lane| lane * 16);
                }
                ("saddr", Path::Scratch) => scalar(wave, &[32]),
                ("saddr", _) => scalar(wave, &pair),
                ("srsrc" | "rsrc", _) => scalar(wave, &descriptor),
                ("sbase", _) if spec.ty.dwords() == 4 => scalar(wave, &descriptor),
                ("sbase", _) => scalar(wave, &pair),
                ("soffset", _) => scalar(wave, &[32]),
                ("d0", _) => scalar(wave, &[1, 0, pair[0], pair[1] | 2 << 30]),
                ("d1", _) => scalar(wave, &[2 << 16, 8 << 16, 1 << 16, 8 << 16, 1, 8, 0, 0]),
                ("d2" | "d3", _) => scalar(wave, &[0; 4]),
                _ => {}
            }
        }
    }

    /// Names of registers that changed without being written by the effects.
    pub fn written_beyond(&self, outcome: &Outcome) -> Vec<String> {
        let (before, after) = (&outcome.before, &outcome.after);
        let mut names = Vec::new();
        let mut look = |place: Place, changed: bool| {
            if changed && !self.writes.contains(&place) && names.len() < 4 {
                names.push(format!("{place:?}"));
            }
        };
        for n in 0..SCALARS {
            if n != sindex::NULL {
                look(Place::Scalar(n), before.s[n as usize] != after.s[n as usize]);
            }
        }
        let lanes = self.machine.lanes() as usize;
        for row in 0..self.layout.vgprs + self.layout.agprs {
            let range = row as usize * lanes..(row as usize + 1) * lanes;
            look(Place::Vector(row), before.v[range.clone()] != after.v[range]);
        }
        look(Place::Scc, before.scc != after.scc);
        look(Place::Mode, before.mode != after.mode);
        names
    }

    /// A register whose new value is not the same in both runs. Bytes that neither run wrote do not count.
    pub fn difference(&self, first: &Outcome, second: &Outcome) -> Option<String> {
        let same = |a0: u32, a1: u32, b0: u32, b1: u32| {
            (0..4).all(|byte| {
                let part = |x: u32| x >> (8 * byte) & 0xff;
                part(a1) == part(b1) || (part(a0) == part(a1) && part(b0) == part(b1))
            })
        };
        let lanes = self.machine.lanes() as usize;
        for place in &self.writes {
            let equal = match *place {
                Place::Scalar(n) => {
                    let n = n as usize;
                    same(first.before.s[n], first.after.s[n], second.before.s[n], second.after.s[n])
                }
                Place::Vector(row) => (row as usize * lanes..(row as usize + 1) * lanes).all(|n| {
                    same(first.before.v[n], first.after.v[n], second.before.v[n], second.after.v[n])
                }),
                Place::Scc => {
                    first.after.scc == second.after.scc
                        || (first.before.scc == first.after.scc && second.before.scc == second.after.scc)
                }
                Place::Mode => {
                    same(first.before.mode, first.after.mode, second.before.mode, second.after.mode)
                }
            };
            if !equal {
                return Some(format!("{place:?}"));
            }
        }
        (first.jumped != second.jumped || (first.jumped && first.after.pc != second.after.pc))
            .then(|| "the program counter".to_owned())
    }
}

fn special_places(special: Special) -> Vec<Place> {
    let run = |from: u32, count: u32| (from..from + count).map(Place::Scalar).collect();
    match special {
        Special::Vcc => run(sindex::VCC, 2),
        Special::VccLo => run(sindex::VCC, 1),
        Special::VccHi => run(sindex::VCC + 1, 1),
        // EXEC = 0 is a status of EXEC, as VCC = 0 is one of VCC.
        Special::Exec | Special::Execz => run(sindex::EXEC, 2),
        Special::Vccz => run(sindex::VCC, 2),
        Special::ExecLo => run(sindex::EXEC, 1),
        Special::ExecHi => run(sindex::EXEC + 1, 1),
        Special::M0 => run(sindex::M0, 1),
        Special::Scc => vec![Place::Scc],
        Special::FlatScratch => run(sindex::FLAT_SCRATCH, 2),
        Special::FlatScratchLo => run(sindex::FLAT_SCRATCH, 1),
        Special::FlatScratchHi => run(sindex::FLAT_SCRATCH + 1, 1),
        Special::XnackMask => run(sindex::XNACK_MASK, 2),
        Special::XnackMaskLo => run(sindex::XNACK_MASK, 1),
        Special::XnackMaskHi => run(sindex::XNACK_MASK + 1, 1),
        _ => Vec::new(),
    }
}
