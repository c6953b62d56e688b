//! What the waves of a workgroup will do to LDS, as far as it follows from the code, the dispatch and the kernel's
//! arguments alone: nothing is read from memory but the arguments.
//!
//! Each wave is followed on its own along one path. It has a few *copies* that differ in everything that is not known:
//! what a load brings, what a message or a clock returns. They take the same way, and what they agree on is known: that
//! is random interpretation (Gulwani and Necula, 2003), with values chosen so that the usual tests on them disagree. So
//! the saved half of `s_and_saveexec` is known where the new EXEC is not, and the low bits of a product of an unknown
//! number and 8 are. A branch on which the copies disagree goes the way that a hash of its place says, the same for all
//! waves.
//!
//! It promises nothing about completeness: a path ends where the steps are used up, where an instruction is not modelled
//! or the way ahead is not known. What it says of LDS is of that one path, which the program takes if memory holds what
//! the branches on it need.

pub mod known;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use wavemark_codeobj::descriptor::Field;
use wavemark_isa::effects::{Effects, HwReg, RegUse, Touched, VgprMsb, effects};
use wavemark_isa::{RegFile, Special};
use wavemark_target::{Property, TensorDescriptor};

use crate::binder::Layout;
use crate::dispatch::{Dispatch, DispatchError, Kernel, first_waves, layout};
use crate::events::Site;
use crate::global::Global;
use crate::machine::memory::lds_places;
use crate::machine::ops::{MachineOp, MemoryOp, ScalarLoad, TensorOp, Transfer};
use crate::machine::tensor::descriptor;
use crate::op::{Detail, OpKind};
use crate::pending::set_scalar;
use crate::program::Program;
use crate::regs::{Regs, sindex};
use crate::wave::Wave;

/// An instruction that a wave comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Its address.
    pub pc: u64,
    /// The upper VGPR bits in force there.
    pub msb: u8,
    /// What it touches of LDS.
    pub lds: Lds,
    /// How many instructions the wave has executed before it.
    pub number: u32,
}

/// What is known of an instruction's part in LDS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lds {
    /// It has none, or which is not known.
    Unknown,
    /// It touches these bytes: from, up to; ascending, apart from each other.
    Bytes(Vec<(u32, u32)>),
    /// A copy that arrives at a barrier in LDS when it is done.
    Signals,
}

/// The path of a wave.
#[derive(Clone, Debug, Default)]
pub struct Way {
    /// The instructions of the machine on it (memory, waits, barriers…), in order: arithmetic and branches are left out.
    pub steps: Vec<Step>,
    /// So many of them, the first ones, come before any branch whose way is not known.
    pub certain: usize,
}

impl Way {
    /// Its part in the first `most` instructions that the wave executes, and what of it is certain.
    pub fn within(&self, most: u32) -> (&[Step], usize) {
        let steps = &self.steps[..self.steps.partition_point(|step| step.number < most)];
        (steps, self.certain.min(steps.len()))
    }
}

/// A dispatch that might be.
#[derive(Clone, Debug)]
pub struct Supposed {
    /// The dispatch.
    pub dispatch: Dispatch,
    /// Of the workgroup only the size is meant, not the shape: a work-item's place in the second and third dimension is
    /// not known.
    pub flat: bool,
    /// Nor is the size of the workgroup known; the dispatch has some.
    pub any_size: bool,
    /// The arguments are not known, whatever the dispatch has for them.
    pub no_arguments: bool,
    /// It is made up that all numbers which the kernel takes are this one.
    pub number: Option<u64>,
}

impl Supposed {
    /// The same with no more waves in the workgroup than are known to be there.
    pub fn with_known_waves(&self, lanes: u32) -> Supposed {
        let mut known = self.clone();
        if self.any_size {
            known.dispatch.block = [lanes, 1, 1];
        }
        known
    }
}

/// Copies of a wave.
const COPIES: usize = 4;

/// What is not known, in each copy. Tests of one bit, of the sign, for zero and for all ones differ between the first two;
/// the others are each other's complement, so that comparisons come out both ways.
fn anything(number: u32) -> [u32; COPIES] {
    let mixed = number.wrapping_add(1).wrapping_mul(0x9e37_79b9);
    let mixed = mixed ^ mixed >> 15;
    [0, u32::MAX, mixed, !mixed]
}

/// Where a wave goes on from instructions that need not be executed: by address and upper VGPR bits.
pub type Hops = FxHashMap<(u64, u8), u64>;

/// Follows the waves of a kernel's dispatches.
pub struct Foresight<'k> {
    kernel: &'k Kernel,
    program: Program,
    hops: Hops,
    results: Results,
    /// Bytes of LDS of two copies.
    places: [Vec<(u64, u32)>; 2],
}

/// Of the dispatch, what its waves may see.
struct Seen {
    /// The arguments.
    global: Global,
    no_arguments: bool,
    /// The workgroup is one of several of a cluster.
    clustered: bool,
}

/// What an instruction touches.
#[derive(Clone, Copy)]
enum Place {
    /// So many chunks from here on.
    Chunks(u32, u32),
    Scalar(u32),
    Scc,
}

/// Where instructions put their results, by address and upper VGPR bits.
#[derive(Default)]
struct Results(FxHashMap<(u64, u8), SmallVec<[Place; 4]>>);

impl<'k> Foresight<'k> {
    /// Nothing was followed yet. Waves go on as `hops` say.
    pub fn new(kernel: &'k Kernel, hops: Hops) -> Foresight<'k> {
        let program = Program::new(kernel.machine, layout(kernel), kernel.code.clone());
        Foresight { kernel, program, hops, results: Results::default(), places: Default::default() }
    }

    /// The ways of the waves of a dispatch's first workgroup, `most` instructions each at the most, those that are passed
    /// over not counted.
    ///
    /// # Errors
    /// If the dispatch is refused.
    pub fn ways(&mut self, supposed: &Supposed, most: u32) -> Result<Vec<Way>, DispatchError> {
        let mut global = Global::new();
        let mut waves = first_waves(&mut global, self.kernel, &supposed.dispatch, COPIES)?;
        if supposed.flat {
            waves.iter_mut().for_each(|copies| forget_shape(self.kernel, copies));
        }
        let clustered = supposed.dispatch.cluster.is_some_and(|cluster| cluster.iter().any(|&size| size > 1));
        let mut seen = Seen { global, no_arguments: supposed.no_arguments, clustered };
        Ok(waves.into_iter().map(|copies| self.follow(&mut seen, copies, most)).collect())
    }

    fn follow(&mut self, seen: &mut Seen, mut copies: Vec<Wave>, most: u32) -> Way {
        let Foresight { program, hops, results, places, .. } = self;
        let mut way = Way::default();
        let Some(first) = copies.first() else { return way };
        let (mut pc, mut msb) = (first.regs.pc, 0);
        let mut table = program.table(msb);
        let mut visits: FxHashMap<u64, u32> = FxHashMap::default();
        let mut certain = None;
        refresh(program, &mut copies);
        for number in 0..most {
            pc = beyond(hops, pc, msb);
            let Some(slot) = program.slot(pc) else { break };
            if program.op(table, slot).is_none() {
                program.bind_slot(table, slot);
                refresh(program, &mut copies);
            }
            let Some(op) = program.op(table, slot) else { break };
            let next = pc + u64::from(op.dwords) * 4;
            match (op.kind, op.detail.as_deref()) {
                (OpKind::Alu, Some(Detail::Matrix(_))) => {
                    results.forget(program, &mut copies, (pc, msb), number);
                }
                (OpKind::Alu, _) => {
                    for copy in &mut copies {
                        // SAFETY: decode chose the body for the host's instruction set (`alu::level`).
                        unsafe { (op.body)(&mut copy.regs, op) };
                    }
                }
                (OpKind::Branch, _) => {
                    for copy in &mut copies {
                        copy.regs.pc = next;
                        // SAFETY: as above.
                        unsafe { (op.body)(&mut copy.regs, op) };
                    }
                    let Some(way_on) = chosen(pc, next, &copies, &mut visits) else { break };
                    if certain.is_none() && agreed(&copies, |copy| Some(copy.regs.pc)).is_none() {
                        certain = Some(way.steps.len());
                    }
                    pc = way_on;
                    continue;
                }
                (OpKind::Machine, Some(Detail::Machine(MachineOp::SetVgprMsb(bits)))) => {
                    msb = *bits;
                    table = program.table(msb);
                }
                (OpKind::Machine, Some(Detail::Machine(machine))) => {
                    let lds = match machine {
                        MachineOp::Memory(op) => lds(&copies, op, seen.clustered, places),
                        MachineOp::Tensor(op) => tensor(&copies, op),
                        _ => Lds::Unknown,
                    };
                    way.steps.push(Step { pc, msb, lds, number });
                    if ends(program, machine) {
                        break;
                    }
                    // Every result comes at once: of what is touched too early other checks speak.
                    results.forget(program, &mut copies, (pc, msb), number);
                    if let MachineOp::Scalar(load) = machine {
                        copies.iter_mut().for_each(|copy| seen.load_argument(&mut copy.regs, load));
                    }
                }
                _ => break,
            }
            pc = next;
        }
        way.certain = certain.unwrap_or(way.steps.len());
        way
    }
}

/// Where a wave at an address executes the next instruction.
fn beyond(hops: &mut Hops, pc: u64, msb: u8) -> u64 {
    let Some(&first) = hops.get(&(pc, msb)) else { return pc };
    let mut to = first;
    while let Some(&next) = hops.get(&(to, msb)) {
        to = next;
    }
    if to != first {
        hops.insert((pc, msb), to);
    }
    to
}

fn refresh(program: &Program, copies: &mut [Wave]) {
    copies.iter_mut().for_each(|copy| copy.refresh_constants(program.layout, &program.constants));
}

/// Whether the way goes no further behind an operation.
fn ends(program: &Program, op: &MachineOp) -> bool {
    match op {
        MachineOp::End | MachineOp::Trap(_) | MachineOp::Halt => true,
        // It may move the upper VGPR bits.
        MachineOp::SetReg(HwReg::Mode, field, _) => {
            program.facts.vgpr_msb_in_mode() && field.mask() >> 12 & 0xff != 0
        }
        _ => false,
    }
}

impl Seen {
    /// What a scalar load brings, if that is known: kernel arguments.
    fn load_argument(&mut self, regs: &mut Regs, load: &ScalarLoad) {
        if self.no_arguments || load.buffer.is_some() || !load.shape.bytes.is_multiple_of(4) {
            return;
        }
        let Some(bytes) = self.global.slice(scalar_address(regs, load), load.shape.bytes.into()) else {
            return;
        };
        for (register, word) in (load.to..).zip(bytes.chunks_exact(4)) {
            set_scalar(regs, register, u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
        }
    }
}

impl Results {
    /// Nothing is known of the results of the instruction at `place`.
    fn forget(&mut self, program: &Program, copies: &mut [Wave], place: (u64, u8), number: u32) {
        let (pc, msb) = place;
        let results = self.0.entry(place).or_insert_with(|| results_at(program, pc, msb));
        for (copy, mut value) in copies.iter_mut().zip(anything(number)) {
            for result in results.iter() {
                match *result {
                    Place::Chunks(from, count) => {
                        for chunk in &mut copy.regs.v[from as usize..][..count as usize] {
                            chunk.0 = [value; 16];
                        }
                    }
                    Place::Scalar(at) => copy.regs.s[at as usize] = value,
                    Place::Scc => copy.regs.scc = value & 1 != 0,
                }
                value = value.rotate_left(7);
            }
            copy.regs.exec_changed();
        }
    }
}

/// Where the instruction at an address, with these upper VGPR bits, puts its results.
fn results_at(program: &Program, pc: u64, msb: u8) -> SmallVec<[Place; 4]> {
    let table = program.known_table(msb);
    let site = program.slot(pc).zip(table).and_then(|(slot, table)| program.site(table, slot));
    let of =
        |site: &Site| places(&effects(program.machine, &site.inst), program.layout, msb, |used| used.write);
    site.map(of).unwrap_or_default()
}

/// Where that is which an instruction with `effects` touches, as far as it is `asked` for.
fn places(
    effects: &Effects,
    layout: Layout,
    msb: u8,
    asked: impl Fn(&RegUse) -> bool,
) -> SmallVec<[Place; 4]> {
    let mut places = SmallVec::new();
    let chunks = layout.chunks as u32;
    let rows = layout.vgprs + layout.agprs;
    for used in effects.regs.iter().filter(|&used| asked(used)) {
        match used.reg {
            Touched::Reg(reg) => {
                let count = u32::from(reg.dwords.max(1));
                let first = match reg.file {
                    RegFile::Vgpr => VgprMsb(msb).offset(used.bank) + u32::from(reg.index),
                    RegFile::Agpr => layout.vgprs + u32::from(reg.index),
                    RegFile::Sgpr | RegFile::Ttmp => {
                        let base = if reg.file == RegFile::Sgpr { sindex::S0 } else { sindex::TTMP0 };
                        let first = base + u32::from(reg.index);
                        places.extend((first..first + count).map(Place::Scalar));
                        continue;
                    }
                };
                let count = count.min(rows.saturating_sub(first));
                places.push(Place::Chunks(first * chunks, count * chunks));
            }
            Touched::Special(special) => places.extend(special_places(special)),
            Touched::Mode => {}
        }
    }
    places
}

/// Nothing is known of where work-items are in the second and third dimension of their workgroup.
fn forget_shape(kernel: &Kernel, copies: &mut [Wave]) {
    let further = kernel.descriptor.get(Field::EnableVgprWorkitemId).unwrap_or(0).min(2);
    let packed = kernel.machine.has(Property::PACKED_WORK_ITEM_IDS);
    for (copy, value) in copies.iter_mut().zip(anything(0)) {
        let chunks = copy.regs.chunks;
        let rows = if packed { 0..chunks } else { chunks..chunks * (further as usize + 1) };
        let mask = match (packed, further) {
            (false, _) => u32::MAX,
            (true, 0) => 0,
            (true, 1) => 0x3ff << 10,
            (true, _) => 0xf_ffff << 10,
        };
        for word in copy.regs.v[rows].iter_mut().flat_map(|chunk| &mut chunk.0) {
            *word = *word & !mask | value & mask;
        }
    }
}

/// The address of a scalar load that has no buffer.
fn scalar_address(regs: &Regs, load: &ScalarLoad) -> u64 {
    let offset = load.soffset.map_or(0, |place| i64::from(regs.s[place.at() as usize]));
    let offset = offset * i64::from(load.scale) + load.offset;
    regs.s64(load.base).wrapping_add_signed(offset) & !3
}

/// Where a named register stands.
fn special_places(special: Special) -> SmallVec<[Place; 2]> {
    let pair = |at: u32| SmallVec::from_slice(&[Place::Scalar(at), Place::Scalar(at + 1)]);
    let one = |at: u32| SmallVec::from_slice(&[Place::Scalar(at)]);
    match special {
        Special::Vcc => pair(sindex::VCC),
        Special::VccLo => one(sindex::VCC),
        Special::VccHi => one(sindex::VCC + 1),
        Special::Exec => pair(sindex::EXEC),
        Special::ExecLo => one(sindex::EXEC),
        Special::ExecHi => one(sindex::EXEC + 1),
        Special::M0 => one(sindex::M0),
        Special::Scc => SmallVec::from_slice(&[Place::Scc]),
        _ => SmallVec::new(),
    }
}

/// Where the way goes on behind a branch at `pc`, if the copies know or it is one of two: mostly straight on, to `next`.
fn chosen(pc: u64, next: u64, copies: &[Wave], visits: &mut FxHashMap<u64, u32>) -> Option<u64> {
    let mut ways = copies.iter().map(|copy| copy.regs.pc);
    let first = ways.next()?;
    let Some(other) = ways.clone().find(|&way| way != first) else { return Some(first) };
    let branch = if first == next { other } else { first };
    if !ways.all(|way| way == next || way == branch) {
        return None;
    }
    let visit = visits.entry(pc).or_default();
    *visit += 1;
    let mixed = (pc as u32 ^ visit.wrapping_mul(0x85eb_ca6b)).wrapping_mul(0x9e37_79b9);
    Some(if mixed >> 30 == 0 { branch } else { next })
}

/// What all copies agree on.
fn agreed<T: PartialEq>(copies: &[Wave], mut of: impl FnMut(&Wave) -> Option<T>) -> Option<T> {
    let (first, others) = copies.split_first()?;
    let known = of(first)?;
    others.iter().all(|copy| of(copy).as_ref() == Some(&known)).then_some(known)
}

fn lds(copies: &[Wave], op: &MemoryOp, clustered: bool, places: &mut [Vec<(u64, u32)>; 2]) -> Lds {
    if op.transfer == Transfer::AsyncArrive {
        return Lds::Signals;
    }
    // Which workgroups of the cluster a multicast load goes to stands in M0: this is the first.
    if op.multicast && clustered {
        match agreed(copies, |copy| Some(copy.regs.s[sindex::M0 as usize] & 0xffff)) {
            Some(mask) if mask == 0 || mask & 1 != 0 => {}
            Some(_) => return Lds::Bytes(Vec::new()),
            None => return Lds::Unknown,
        }
    }
    let [known, other] = places;
    let Some((first, others)) = copies.split_first() else { return Lds::Unknown };
    let all = lds_places(first, op, known)
        && others.iter().all(|copy| lds_places(copy, op, other) && other == known);
    if all { Lds::Bytes(joined(known)) } else { Lds::Unknown }
}

fn tensor(copies: &[Wave], op: &TensorOp) -> Lds {
    // The global address has no part in it; a store leaves out what is outside the tensor.
    let descriptor = agreed(copies, |copy| {
        Some(TensorDescriptor { global_addr: 0, stride: [0; 4], ..descriptor(&copy.regs, op) })
    });
    let Some(descriptor) = descriptor else { return Lds::Unknown };
    if descriptor.barrier.is_some() {
        return Lds::Signals;
    }
    if descriptor.count == 0 {
        return Lds::Bytes(Vec::new());
    }
    let pieces = descriptor.pieces();
    let touched = pieces.iter().filter(|piece| !op.store || piece.global.is_some());
    let mut places: Vec<_> = touched.map(|piece| (piece.lds.into(), piece.bytes)).collect();
    Lds::Bytes(joined(&mut places))
}

/// Bytes as runs that are apart from each other. Lanes that are switched off by an address beyond any LDS are left out.
fn joined(places: &mut [(u64, u32)]) -> Vec<(u32, u32)> {
    places.sort_unstable();
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for &mut (from, bytes) in places {
        let Ok(from) = u32::try_from(from) else { continue };
        let Some(to) = from.checked_add(bytes).filter(|_| from < LDS_MOST) else { continue };
        match runs.last_mut() {
            Some(last) if last.1 >= from => last.1 = last.1.max(to),
            _ => runs.push((from, to)),
        }
    }
    runs
}

/// No hardware has as much LDS.
const LDS_MOST: u32 = wavemark_target::LDS_OFF as u32;

/// Whether two lists of runs have a byte in common; the first such.
pub fn common(one: &[(u32, u32)], other: &[(u32, u32)]) -> Option<u32> {
    let (mut a, mut b) = (0, 0);
    while let (Some(x), Some(y)) = (one.get(a), other.get(b)) {
        if x.1 <= y.0 {
            a += 1;
        } else if y.1 <= x.0 {
            b += 1;
        } else {
            return Some(x.0.max(y.0));
        }
    }
    None
}
