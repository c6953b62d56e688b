//! Values that mean nothing, followed to where they are used: what a racing load returns, LDS that nobody wrote, and
//! registers that were never written.
//!
//! A load that races returns any value (LLVM's memory model: undefined), and that alone is no defect: compilers copy
//! small blocks of work to all waves and drop what the copies load. It is one when the value reaches an address, a
//! store, an atomic, or a branch. A load that polls is meant to race: its value decides a branch before anything else.
//! Of a word that atomics touch any branch will do; of a plain word only one that goes back over the load, on whose way no
//! barrier stands and the value does not get into an access to memory: a persistent loop that leaves when there is no work left uses
//! it as data. Where such a word is a sum that other waves may still add to, a branch that does not go back over the load tells what there is so far: as
//! data, of a store or an atomic, the value stays in doubt behind it (`if (count[i]) total += count[i]`).
//!
//! How it works: a load in doubt marks its destination registers, lane by lane (a scalar register: bit by bit);
//! [`Checker::follow`] carries marks along with what instructions compute, and a sink settles the [`Suspicion`]. Nothing
//! is done for a wave without marks.
//!
//! A register that is read while a load is still writing it is an error already. What is computed from it means nothing
//! either, and what goes wrong at such an address is no mistake of its own ([`Checker::mark_meaningless`]).
//!
//! Scratch memory is followed as registers are, a dword like a VGPR ([`Checker::follow_scratch`]).
//!
//! What it misses: which lanes a permutation takes. Scalar arithmetic spreads
//! marks within their bits only; where a bitwise operation masks them away ([`crate::logic`]) they stop. A mark that
//! exclusive-or or multiplication by 0 would drop stays.

use std::collections::hash_map::Entry;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use wavemark_isa::effects::{AtomicOp, Flow, Lanes, Path, Verb};
use wavemark_order::Epoch;
use wavemark_sim::events::{Direction, Extent, Issue, Scope, Site, Space};
use wavemark_sim::regs::{Regs, sindex};
use wavemark_target::Machine;

use crate::Checker;
use crate::finding::Finding;
use crate::knowledge::{Knowledge, common_scope};
use crate::logic::{heeded_bits, low_bits, result};
use crate::mistakes::MistakeId;
use crate::shadow::Record;
use crate::site_info::{RegRange, SCC, SiteId, SiteInfo, Sites, Used, VGPR0};
use crate::statics::blocks::instruction_at;

/// Which branch makes a poll of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Poll {
    /// None: the load is no synchronisation.
    Never,
    /// One that goes back over the load.
    Loop,
    /// Any.
    Any,
    /// Any, but what is loaded is a sum that others may still add to. Whether it was `decided` that it polls; then its use as
    /// data is what is left in doubt.
    Sum { decided: bool },
}

/// A load whose value may mean nothing.
#[derive(Clone, Debug)]
pub(crate) struct Suspicion {
    /// What is reported if the value is used; nothing if the instruction is known to poll.
    pub finding: Option<Finding>,
    /// The load.
    pub load: SiteId,
    /// What makes a poll of it.
    pub poll: Poll,
    /// What the wave learns if it is one, and which store has written the flag.
    pub learns: Option<(Knowledge, Record)>,
    /// The mistake by which the value is known to mean nothing: no use of it settles that.
    pub mistake: Option<MistakeId>,
    /// The value may turn out to mean nothing: whether it is used is noted of this load ([`crate::followed`]).
    pub instance: Option<Epoch>,
}

impl Suspicion {
    /// Nothing is known but which load it is.
    pub fn of(load: SiteId) -> Suspicion {
        Suspicion { finding: None, load, poll: Poll::Never, learns: None, mistake: None, instance: None }
    }
}

/// All bits that a mark of a register may have.
pub(crate) fn all_bits(register: u32) -> u64 {
    if register < VGPR0 { u64::from(u32::MAX) } else { u64::MAX }
}

/// A dword of scratch memory, in the place of a register.
fn scratch_dword(addr: u64) -> u32 {
    1 << 31 | (addr / 4) as u32
}

/// Bits of a register that a suspicion is about: lanes of a VGPR, bits of a scalar register.
#[derive(Clone, Copy, Debug)]
struct Mark {
    bits: u64,
    of: usize,
}

/// The marks of one register, mostly of one suspicion, oldest first.
type Marks = SmallVec<[Mark; 1]>;

/// The marks of a wave.
#[derive(Clone, Debug, Default)]
pub(crate) struct Taint {
    /// Of the registers, and dwords of scratch memory, that have any: an instruction asks for those of the few that it names.
    marks: FxHashMap<u32, Marks>,
    /// Marks of what the current instruction alone reads so.
    in_flight: Vec<(u32, Mark)>,
    suspicions: Vec<Option<Suspicion>>,
    /// How many marks each suspicion has.
    counts: Vec<u32>,
    /// Suspicions that may have no marks left.
    perhaps_dead: Vec<usize>,
    /// What reaches the current instruction, in these lanes, which uses it where its addresses are in the buffer's range, and
    /// are not in scratch memory.
    ranged: Vec<(usize, u64)>,
    /// The mistake by which the address that the current instruction uses means nothing.
    meaningless_address: Option<MistakeId>,
}

impl Taint {
    /// A suspicion, for [`Taint::mark`]; one of the same load and the same other end is taken up again.
    pub fn suspect(&mut self, suspicion: Suspicion) -> usize {
        let key = |suspicion: &Suspicion| {
            let finding = suspicion.finding.as_ref().map(Finding::key);
            (suspicion.load, finding, suspicion.mistake, suspicion.instance)
        };
        let same = |old: &Option<Suspicion>| old.as_ref().is_some_and(|old| key(old) == key(&suspicion));
        if let Some(at) = self.suspicions.iter().position(same) {
            // What would be learnt is what is written last.
            if let Some(old) = &mut self.suspicions[at] {
                old.learns = suspicion.learns.or_else(|| old.learns.take());
            }
            return at;
        }
        let at = self.suspicions.iter().position(Option::is_none).unwrap_or(self.suspicions.len());
        if at == self.suspicions.len() {
            self.suspicions.push(None);
            self.counts.push(0);
        }
        self.suspicions[at] = Some(suspicion);
        self.perhaps_dead.push(at);
        at
    }

    /// Nothing is in doubt.
    pub fn is_empty(&self) -> bool {
        self.marks.is_empty() && self.in_flight.is_empty() && self.meaningless_address.is_none()
    }

    /// The mistake by which the address that the current instruction uses means nothing.
    pub fn meaningless_address(&self) -> Option<MistakeId> {
        self.meaningless_address
    }

    fn mistake(&self, of: usize) -> Option<MistakeId> {
        self.suspicions[of].as_ref()?.mistake
    }

    /// It is known to poll, and in doubt as data alone.
    fn is_sum(&self, of: usize) -> bool {
        self.suspicions[of].as_ref().is_some_and(|suspicion| suspicion.poll == Poll::Sum { decided: true })
    }

    /// Mark bits of a register.
    pub fn mark(&mut self, register: u32, bits: u64, of: usize) {
        if bits == 0 {
            return;
        }
        let marks = self.marks.entry(register).or_default();
        match marks.iter_mut().find(|mark| mark.of == of) {
            Some(mark) => mark.bits |= bits,
            None => {
                marks.push(Mark { bits, of });
                self.counts[of] += 1;
            }
        }
    }

    /// The marks of a register.
    fn of(&self, register: u32) -> &[Mark] {
        self.marks.get(&register).map_or(&[], |marks| marks)
    }

    /// Those that the current instruction reads: with what is still being written there.
    fn of_read(&self, register: u32) -> impl Iterator<Item = &Mark> {
        let in_flight = self.in_flight.iter().filter(move |(of, _)| *of == register).map(|(_, mark)| mark);
        self.of(register).iter().chain(in_flight)
    }

    /// The suspicions of loads that a register's bits have marks of.
    fn of_loads(&self, sites: &Sites, register: u32, bits: u64) -> SmallVec<[usize; 1]> {
        let is_load = |of: usize| {
            let load = self.suspicions[of].as_ref().map(|suspicion| sites.get(suspicion.load));
            load.and_then(|load| load.effects.memory).is_some_and(|memory| memory.verb == Verb::Load)
        };
        let marks = self.of(register).iter().filter(|mark| mark.bits & bits != 0);
        marks.map(|mark| mark.of).filter(|&of| is_load(of)).collect()
    }

    /// Whether some register of a range has a mark.
    fn marks_any(&self, range: RegRange) -> bool {
        range.numbers().any(|register| self.marks.contains_key(&register))
    }

    /// The bits of a scalar operand (`None`: EXEC) that have marks.
    fn doubt(&self, info: &SiteInfo, operand: Option<u8>) -> u64 {
        let named = |used: &&Used| match operand {
            None => used.range.from == sindex::EXEC,
            Some(_) => used.operand == operand,
        };
        let Some(used) = info.uses.iter().filter(|used| used.read).find(named) else { return 0 };
        let of = |(n, register): (usize, u32)| {
            self.of(register).iter().map(move |mark| mark.bits << (32 * (n & 1)))
        };
        used.range.numbers().enumerate().flat_map(of).fold(0, |all, bits| all | bits)
    }

    fn clear(&mut self, register: u32, bits: u64) {
        let Entry::Occupied(mut entry) = self.marks.entry(register) else { return };
        let (counts, perhaps_dead) = (&mut self.counts, &mut self.perhaps_dead);
        entry.get_mut().retain(|mark| {
            mark.bits &= !bits;
            if mark.bits == 0 {
                counts[mark.of] -= 1;
                perhaps_dead.push(mark.of);
            }
            mark.bits != 0
        });
        if entry.get().is_empty() {
            entry.remove();
        }
    }

    /// Take a suspicion out, and its marks.
    pub fn settle(&mut self, of: usize) -> Option<Suspicion> {
        self.counts[of] = 0;
        self.marks.retain(|_, marks| {
            marks.retain(|mark| mark.of != of);
            !marks.is_empty()
        });
        self.suspicions[of].take()
    }

    /// Drops suspicions that have no marks left: their values are dead.
    fn drop_dead(&mut self) {
        for of in self.perhaps_dead.drain(..) {
            if self.counts[of] == 0 {
                self.suspicions[of] = None;
            }
        }
    }
}

/// What reaches an instruction of one suspicion.
#[derive(Clone, Copy, Debug, Default)]
struct Reaching {
    of: usize,
    /// Lanes, from VGPRs and lane masks.
    lanes: u64,
    /// Bits of scalar registers: of a pair, of both.
    bits: u64,
}

impl Reaching {
    fn any(&self) -> bool {
        self.lanes != 0 || self.bits != 0
    }
}

/// What becomes of a value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Sink {
    /// Another value.
    None,
    /// It decides where the wave goes on: to the address, or on.
    Branch(Option<u64>),
    /// The comparison of an atomic: a wrong value only makes it fail.
    Comparison,
    /// It is used.
    Use,
}

pub(crate) fn sink(machine: Machine, info: &SiteInfo) -> Sink {
    let effects = &info.effects;
    match effects.flow {
        Flow::ConditionalBranch => {
            return Sink::Branch(info.site.inst.branch_target(machine, info.site.pc));
        }
        Flow::Next => {}
        _ => return Sink::Use,
    }
    let Some(memory) = &effects.memory else { return Sink::None };
    let compares = [AtomicOp::CmpSwap, AtomicOp::CmpStore, AtomicOp::CmpStoreFloat, AtomicOp::CmpSwapFloat];
    match memory.verb {
        Verb::Crossbar(_) | Verb::Prefetch | Verb::Cache { .. } => Sink::None,
        _ if memory.path == Path::Scratch => Sink::None,
        _ if memory.atomic.is_some_and(|op| compares.contains(&op)) => Sink::Comparison,
        _ => Sink::Use,
    }
}

/// The registers that a compare-and-swap in memory compares, where they follow those that it swaps in.
fn comparand(info: &SiteInfo) -> Option<RegRange> {
    let memory = info.effects.memory.filter(|memory| memory.path != Path::Lds)?;
    let count = 2 * u32::from(memory.bytes).div_ceil(4);
    let data = |used: &&Used| used.read && !used.address && used.range.count == count;
    let range = info.uses.iter().find(data)?.range;
    Some(RegRange { from: range.from + count / 2, count: count / 2 })
}

impl Checker {
    /// A wave is about to execute an instruction: marks go where its values go.
    pub(crate) fn follow(&mut self, wave: u32, site: SiteId, exec: u64, regs: &Regs) {
        let Some(state) = self.waves.get_mut(wave) else { return };
        let info = self.sites.get(site);
        let taint = &mut state.taint;
        let machine = self.machine;
        let mut reaching = reaching(taint, info, exec, regs, |_| true);
        let address = |used: &Used| used.address;
        taint.meaningless_address = match &info.effects.memory {
            Some(_) => {
                let mut of = reaching_of(taint, info, exec, regs, address);
                of.find_map(|of| taint.mistake(of))
            }
            None => None,
        };
        taint.in_flight.clear();
        taint.ranged.clear();
        let sink = sink(machine, info);
        let of_mistake = |value: &Reaching| value.any() && taint.mistake(value.of).is_some();
        let means_nothing = taint.meaningless_address.is_some()
            || matches!(sink, Sink::Branch(_)) && reaching.iter().any(of_mistake);
        if means_nothing {
            self.findings.mean_nothing_from_here(state.id.cluster_flat);
        }
        // Where a sum goes to is no use of it.
        let no_data: Vec<usize> =
            if matches!(sink, Sink::Use) && reaching.iter().any(|value| taint.is_sum(value.of)) {
                let data: Vec<usize> = reaching_of(taint, info, exec, regs, |used| !used.address).collect();
                let sums = reaching.iter().map(|value| value.of).filter(|&of| taint.is_sum(of));
                sums.filter(|of| !data.contains(of)).collect()
            } else {
                Vec::new()
            };
        let path = info.effects.memory.map(|memory| memory.path);
        if matches!(sink, Sink::Use) && matches!(path, Some(Path::Buffer | Path::Flat)) {
            let addresses: Vec<usize> = match path {
                Some(Path::Flat) => reaching_of(taint, info, exec, regs, address).collect(),
                _ => Vec::new(),
            };
            let ranged = |value: &&Reaching| {
                value.lanes != 0
                    && value.bits == 0
                    && !addresses.contains(&value.of)
                    && taint.mistake(value.of).is_none()
                    && !no_data.contains(&value.of)
            };
            taint.ranged = reaching.iter().filter(ranged).map(|value| (value.of, value.lanes)).collect();
        }
        if !matches!(sink, Sink::None) {
            let settled = |value: &&Reaching| {
                let ranged = taint.ranged.iter().any(|&(of, _)| of == value.of);
                value.any() && !ranged && taint.mistake(value.of).is_none() && !no_data.contains(&value.of)
            };
            let settled: Vec<usize> = reaching.iter().filter(settled).map(|value| value.of).collect();
            reaching.retain(|value| taint.mistake(value.of).is_some());
            // What is swapped in is used, whatever it is compared with.
            let swapped = comparand(info).filter(|_| matches!(sink, Sink::Comparison));
            let compared = |of: usize| {
                let within = |register| swapped.is_none_or(|range| range.numbers().contains(&register));
                let is_of = |mark: &Mark| mark.of == of && mark.bits & exec != 0;
                taint.marks.iter().any(|(&register, marks)| within(register) && marks.iter().any(is_of))
            };
            let (compared, used): (Vec<usize>, Vec<usize>) =
                settled.into_iter().partition(|&of| !matches!(sink, Sink::Comparison) || compared(of));
            for of in compared {
                self.settle(wave, site, of, &sink);
            }
            for of in used {
                self.settle(wave, site, of, &Sink::Use);
            }
            let Some(state) = self.waves.get(wave) else { return };
            for of in deciding(&state.taint, self.sites.get(site), exec, regs.full_mask()) {
                self.settle(wave, site, of, &Sink::Branch(None));
            }
        }
        let Some(state) = self.waves.get_mut(wave) else { return };
        let info = self.sites.get(site);
        match addend(info) {
            Some(addend) => write_product(&mut state.taint, info, addend, exec, regs),
            None => write(&mut state.taint, info, exec, regs, &reaching),
        }
        state.taint.drop_dead();
    }

    /// The addresses of an operation are known: lanes out of a buffer's range use nothing (so compilers mask what a wave stores),
    /// nor do those whose address is in scratch memory.
    pub(crate) fn settle_ranged(&mut self, wave: u32, site: SiteId, op: &Issue) {
        let Some(state) = self.waves.get_mut(wave) else { return };
        if state.taint.ranged.is_empty() {
            return;
        }
        let used = op.accesses.iter().filter(|access| access.space != Space::Scratch);
        let touched = used.fold(0, |all, access| all | access.extent.lanes());
        for (of, lanes) in std::mem::take(&mut state.taint.ranged) {
            if lanes & touched != 0 {
                self.settle(wave, site, of, &Sink::Use);
            }
        }
    }

    /// The addresses of an operation are known: what it stores in scratch memory keeps the marks of loads, and what it loads from
    /// there has them again. (Registers that were never written are saved there often, and only to be restored.)
    pub(crate) fn follow_scratch(&mut self, wave: u32, site: SiteId, op: &Issue) {
        let Some(state) = self.waves.get_mut(wave).filter(|state| !state.taint.is_empty()) else { return };
        let (taint, info, sites) = (&mut state.taint, self.sites.get(site), &self.sites);
        for access in op.accesses.iter().filter(|access| access.space == Space::Scratch) {
            let Extent::Lanes { mask, bytes, addr } = &access.extent else { continue };
            let stores = access.direction == Direction::Write;
            let is_data = |used: &&Used| {
                let moved = if stores { used.read && !used.address } else { used.write };
                moved && used.range.from >= VGPR0
            };
            let Some(data) = info.uses.iter().find(is_data) else { continue };
            for lane in (0..addr.len()).filter(|lane| mask >> lane & 1 != 0) {
                let bit = 1 << lane;
                for (n, register) in data.range.numbers().enumerate() {
                    let at = addr[lane] + 4 * n as u64;
                    let whole = *bytes >= 4 && at.is_multiple_of(4);
                    for dword in scratch_dword(at)..=scratch_dword(at + u64::from(*bytes).min(4) - 1) {
                        let (from, to) = if stores { (register, dword) } else { (dword, register) };
                        if stores && whole {
                            taint.clear(dword, bit);
                        }
                        for of in taint.of_loads(sites, from, bit) {
                            taint.mark(to, bit, of);
                        }
                    }
                }
            }
        }
    }

    /// The instruction that a wave is about to execute reads `register`, which `load` is still writing, by `mistake`.
    pub(crate) fn mark_meaningless(&mut self, wave: u32, load: SiteId, register: u32, mistake: MistakeId) {
        let Some(state) = self.waves.get_mut(wave) else { return };
        let of = state.taint.suspect(Suspicion { mistake: Some(mistake), ..Suspicion::of(load) });
        state.taint.in_flight.push((register, Mark { bits: all_bits(register), of }));
    }

    /// The registers that a suspicion of a wave is about.
    fn marked(&self, wave: u32, of: usize) -> FxHashSet<u32> {
        let marks = self.waves.get(wave).into_iter().flat_map(|state| &state.taint.marks);
        marks
            .filter(|(_, marks)| marks.iter().any(|mark| mark.of == of))
            .map(|(&register, _)| register)
            .collect()
    }

    /// Follows the code `from` behind a branch back to `load`: whether what `marked` registers hold gets into an access to memory
    /// on the way, or others are waited for at a barrier there, so that whoever loads again does not just look again. `None` if it
    /// does not come there, or past `exit` first.
    fn way_back(
        &self,
        branch: &Site,
        from: u64,
        (load, exit): (u64, Option<u64>),
        mut marked: Option<FxHashSet<u32>>,
    ) -> Option<bool> {
        let code = self.code.as_ref()?;
        let (mut pc, mut back, mut is_data) = (from, from <= load, false);
        let mut passed = FxHashSet::default();
        while pc != load {
            if Some(pc) == exit || !passed.insert(pc) {
                return None;
            }
            let inst = instruction_at(self.machine, code, pc)?;
            let info = SiteInfo::new(self.machine, &Site { pc, inst, msb: branch.msb });
            let inst = &info.site.inst;
            let target = || inst.branch_target(self.machine, pc);
            let next = match info.effects.flow {
                Flow::Branch => target()?,
                Flow::ConditionalBranch if !back && target()? <= load => target()?,
                Flow::End | Flow::Trap | Flow::Indirect | Flow::Call => return None,
                _ => pc + u64::from(inst.size),
            };
            back |= next <= load;
            if let Some(marked) = &mut marked {
                let reads = carry(marked, &info);
                let memory = info.effects.memory.is_some_and(|memory| memory.path != Path::Scratch);
                is_data |= reads && memory || info.effects.barrier.is_some();
            }
            pc = next;
        }
        Some(is_data)
    }

    /// Whether a branch that is decided by what a suspicion is about goes back over its load, only to look again: the load polls.
    fn polls_by(&self, wave: u32, of: usize, site: SiteId, target: u64) -> bool {
        let suspicion = self.waves.get(wave).and_then(|state| state.taint.suspicions[of].as_ref());
        let Some(suspicion) = suspicion else { return false };
        let load = self.sites.get(suspicion.load).site.pc;
        let marked = (suspicion.poll == Poll::Loop).then(|| self.marked(wave, of));
        self.looks_again(self.sites.get(site), target, load, marked)
    }

    /// The same by the code alone: the first branch that what `load` has loaded decides goes back to it, only to look again. So a poll
    /// is known that was over before anybody wrote there.
    pub(crate) fn polls_by_code(&self, load: SiteId) -> bool {
        if let Some(&known) = self.polls_by_code.borrow().get(&load) {
            return known;
        }
        let polls = self.first_branch_looks_again(load);
        self.polls_by_code.borrow_mut().insert(load, polls);
        polls
    }

    fn first_branch_looks_again(&self, load: SiteId) -> bool {
        let Some(code) = &self.code else { return false };
        let load = self.sites.get(load);
        let mut marked: FxHashSet<u32> = load.writes().flat_map(RegRange::numbers).collect();
        let mut pc = load.site.pc + u64::from(load.site.inst.size);
        while let Some(inst) = instruction_at(self.machine, code, pc) {
            let info = SiteInfo::new(self.machine, &Site { pc, inst, msb: load.site.msb });
            let next = pc + u64::from(info.site.inst.size);
            match (carry(&mut marked, &info), info.effects.flow) {
                (true, Flow::ConditionalBranch) => {
                    let target = info.site.inst.branch_target(self.machine, pc);
                    return target.is_some_and(|to| self.looks_again(&info, to, load.site.pc, Some(marked)));
                }
                (reads, Flow::Next | Flow::Wait) if !(reads && info.effects.memory.is_some()) => pc = next,
                _ => return false,
            }
        }
        false
    }

    /// Whether a branch to `target` goes back over `load`, and what `marked` registers hold is of no other use on the way.
    fn looks_again(&self, branch: &SiteInfo, target: u64, load: u64, marked: Option<FxHashSet<u32>>) -> bool {
        let (info, branch) = (branch, &branch.site);
        let behind = branch.pc + u64::from(branch.inst.size);
        if load >= branch.pc || (load + 1..branch.pc).contains(&target) {
            return false;
        }
        if target > branch.pc {
            return self.way_back(branch, behind, (load, Some(target)), marked) == Some(false);
        }
        // Where no lane is left to go on, what is behind the branch is skipped, and may come back to the load as well: with what the
        // lanes hold, as which lanes go on is all that a poll decides.
        let on_exec = info.uses.iter().any(|used| used.read && used.range.from == sindex::EXEC);
        let held =
            || marked.as_ref().map(|marked| marked.iter().copied().filter(|&of| of >= VGPR0).collect());
        let skipped = on_exec && self.way_back(branch, behind, (load, None), held()) == Some(true);
        !skipped && self.way_back(branch, target, (load, None), marked) != Some(true)
    }

    fn settle(&mut self, wave: u32, site: SiteId, of: usize, sink: &Sink) {
        let Some(suspicion) = self.waves.get(wave).and_then(|state| state.taint.suspicions[of].as_ref())
        else {
            return;
        };
        if let Some(instance) = suspicion.instance {
            if !matches!(sink, Sink::Comparison) {
                self.settle_followed(wave, site, of, instance);
            }
            return;
        }
        let branch = &self.sites.get(site).site;
        let again = match sink {
            Sink::Branch(Some(target)) => self.polls_by(wave, of, site, *target),
            _ => false,
        };
        let polls = match (sink, suspicion.poll) {
            (Sink::Comparison, _) | (Sink::Branch(_), Poll::Any | Poll::Sum { .. }) => true,
            _ => again && suspicion.poll == Poll::Loop,
        };
        let (load, sum) = (suspicion.load, matches!(suspicion.poll, Poll::Sum { .. }));
        let Some(state) = self.waves.get_mut(wave) else { return };
        let id = state.id;
        if sum && polls && !again && !matches!(sink, Sink::Comparison) {
            if let Some(suspicion) = &mut state.taint.suspicions[of] {
                suspicion.poll = Poll::Sum { decided: true };
            }
            self.polls.insert(load);
            return;
        }
        let Some(suspicion) = state.taint.settle(of) else { return };
        if again {
            self.polls_again.insert(load);
        }
        if polls {
            self.polls.insert(suspicion.load);
            let Some((known, flag)) = &suspicion.learns else { return };
            let writer = self.waves.id(flag.epoch.agent);
            if let Some(state) = self.waves.get_mut(wave) {
                let apart = writer.map_or(Scope::Device, |writer| common_scope(writer, id));
                // What it has invalidated behind the load, before it looks at the value, is as new as that.
                let common = if state.has_invalidated_since(load) { Scope::Cu } else { apart };
                state.known.learn(known, common);
                state.seen.note_flag(flag.epoch);
                state.note_learnt();
            }
            if let Some(writer) = self.waves.get_mut(flag.epoch.agent) {
                writer.note_flag(flag.site, flag.epoch);
            }
        } else if let Some(finding) = suspicion.finding {
            self.findings.add(finding.at("use", branch, id));
        }
    }
}

/// What an instruction writes holds something of what `marked` registers hold if it reads some of them, and nothing else; whether
/// it does.
fn carry(marked: &mut FxHashSet<u32>, info: &SiteInfo) -> bool {
    let mut read = info.reads().chain(info.merges()).flat_map(RegRange::numbers);
    let reads = read.any(|register| marked.contains(&register));
    for register in info.writes().flat_map(RegRange::numbers) {
        if reads {
            marked.insert(register);
        } else {
            marked.remove(&register);
        }
    }
    reads
}

/// The suspicions of which something reaches the operands that `which` accepts.
fn reaching_of(
    taint: &Taint,
    info: &SiteInfo,
    exec: u64,
    regs: &Regs,
    which: impl Fn(&Used) -> bool,
) -> impl Iterator<Item = usize> {
    reaching(taint, info, exec, regs, which).into_iter().filter(Reaching::any).map(|value| value.of)
}

/// The suspicions about what decides which lanes access memory, as a branch would: of a load those that do, for what it does not
/// load is not used; of what writes memory those that do not, too.
fn deciding(taint: &Taint, info: &SiteInfo, exec: u64, full: u64) -> SmallVec<[usize; 1]> {
    let Some(memory) = info.effects.memory.filter(|memory| memory.path != Path::Scratch) else {
        return SmallVec::new();
    };
    let lanes = match memory.verb {
        _ if !info.heeds_exec => 0,
        Verb::Load => exec,
        Verb::Store | Verb::Atomic | Verb::AtomicReturn | Verb::ToLds | Verb::FromLds => full,
        Verb::Crossbar(_) | Verb::Prefetch | Verb::Cache { .. } => 0,
    };
    let marks = [0, 1]
        .into_iter()
        .flat_map(|n| taint.of(sindex::EXEC + n).iter().map(move |mark| (mark.of, mark.bits << (32 * n))));
    let decides = |&(of, bits): &(usize, u64)| bits & lanes != 0 && taint.mistake(of).is_none();
    marks.filter(decides).map(|(of, _)| of).collect()
}

/// What of each suspicion reaches the operands that `which` accepts.
fn reaching(
    taint: &Taint,
    info: &SiteInfo,
    exec: u64,
    regs: &Regs,
    which: impl Fn(&Used) -> bool,
) -> Vec<Reaching> {
    let active = if info.heeds_exec { exec } else { u64::MAX };
    // A branch on EXEC is decided by the lanes that are off as well. One lane that is on for certain decides it.
    let is_branch = info.effects.flow == Flow::ConditionalBranch;
    let is_certain = |used: &Used| {
        let range = used.range;
        if !is_branch || !matches!(range.from, sindex::EXEC | sindex::VCC) {
            return false;
        }
        let marks = range
            .numbers()
            .zip([0, 32])
            .flat_map(|(register, half)| taint.of_read(register).map(move |mark| mark.bits << half));
        let doubt = marks.fold(0, |all, bits| all | bits);
        regs.s64(range.from) & low_bits(range.count) & !doubt != 0
    };
    let halves_stay = info.effects.logic.is_some() || info.copies;
    let mut all: Vec<Reaching> = Vec::new();
    // A conditional move takes each lane from one of two sources.
    let chosen = info.selection().map(|mask| regs.s64(mask.from) & regs.full_mask());
    for used in info.uses.iter().filter(|used| used.read && which(used)) {
        let is_exec = used.range.from == sindex::EXEC && used.operand.is_none();
        // As a mask it decides what is written, not what becomes of the value ([`deciding`]); a branch on it is decided by it.
        if is_exec && info.heeds_exec && info.effects.flow == Flow::Next || is_certain(used) {
            continue;
        }
        let heeded = if used.range.from < VGPR0 && taint.marks_any(used.range) {
            heeded_bits(info, regs, used, |other| taint.doubt(info, other))
        } else {
            u64::MAX
        };
        for (n, register) in used.range.numbers().enumerate() {
            for mark in taint.of_read(register) {
                let mut value = Reaching { of: mark.of, ..Reaching::default() };
                if register >= VGPR0 {
                    value.lanes = mark.bits & active;
                    match (chosen, used.operand) {
                        (Some(mask), Some(1)) => value.lanes &= !mask,
                        (Some(mask), Some(2)) => value.lanes &= mask,
                        _ => {}
                    }
                } else if used.lanes && info.heeds_exec && !is_branch {
                    value.lanes = mark.bits << (32 * (n & 1)) & active;
                } else {
                    let half = 32 * (n & 1);
                    let bits = mark.bits & heeded >> half;
                    value.bits = if halves_stay { bits << half } else { bits | bits << 32 };
                }
                match all.iter_mut().find(|other| other.of == value.of) {
                    Some(other) => {
                        other.lanes |= value.lanes;
                        other.bits |= value.bits;
                    }
                    None => all.push(value),
                }
            }
        }
    }
    all
}

/// What a matrix multiplication adds to the products: a register of it to each of the result.
fn addend(info: &SiteInfo) -> Option<&Used> {
    if !info.effects.unit.is_matrix() {
        return None;
    }
    // The operands are D, A, B and C, but where D is C.
    let read = |used: &&Used| used.read;
    let tied = info.uses.iter().filter(read).find(|used| used.write);
    let third = || info.uses.iter().filter(read).find(|used| used.operand == Some(3));
    tied.or_else(third)
}

/// [`write`] of a matrix multiplication.
fn write_product(taint: &mut Taint, info: &SiteInfo, addend: &Used, exec: u64, regs: &Regs) {
    let factors = reaching(taint, info, exec, regs, |used| !std::ptr::eq(used, addend));
    let added: Vec<Marks> =
        addend.range.numbers().map(|register| taint.of_read(register).copied().collect()).collect();
    write(taint, info, exec, regs, &factors);
    let written = info.writes().flat_map(RegRange::numbers);
    for (register, marks) in written.zip(added) {
        marks.iter().for_each(|mark| taint.mark(register, mark.bits, mark.of));
    }
}

/// Whether a lane of the result may be made of what other lanes hold.
fn crosses_lanes(info: &SiteInfo) -> bool {
    let through_lds = info.effects.memory.is_some_and(|memory| matches!(memory.verb, Verb::Crossbar(_)));
    let permutes = matches!(info.effects.lanes, Lanes::Permuted | Lanes::Exchanged);
    !info.heeds_exec || info.site.inst.mods.dpp.is_some() || permutes || through_lds
}

/// The destinations hold what has reached the instruction, and nothing of what they held.
fn write(taint: &mut Taint, info: &SiteInfo, exec: u64, regs: &Regs, reaching: &[Reaching]) {
    let active = if info.heeds_exec { exec } else { regs.full_mask() };
    let doubt = reaching.iter().fold(0, |all, value| all | value.bits);
    let crosses_lanes = crosses_lanes(info);
    let saved: SmallVec<[Marks; 2]> = match info.effects.saves_exec {
        true => [0, 1].map(|n| taint.of(sindex::EXEC + n).iter().copied().collect()).into(),
        false => SmallVec::new(),
    };
    for used in info.uses.iter().filter(|used| used.write) {
        for (n, register) in used.range.numbers().enumerate() {
            let vector = register >= VGPR0;
            taint.clear(register, if vector { active } else { u64::MAX });
            if let Some(marks) = saved.get(n).filter(|_| used.operand == Some(0)) {
                marks.iter().for_each(|mark| taint.mark(register, mark.bits, mark.of));
                continue;
            }
            // It tells whether the result has any bit.
            if register == SCC && result(info, regs).is_some_and(|result| result & !doubt != 0) {
                continue;
            }
            for value in reaching.iter().filter(|value| value.any()) {
                let bits = match vector {
                    true if crosses_lanes || value.bits != 0 => active,
                    true => value.lanes,
                    false if used.lanes && value.bits == 0 => value.lanes >> (32 * (n & 1)) & 0xffff_ffff,
                    false if value.lanes != 0 => 0xffff_ffff,
                    false if used.range.count == 1 => (value.bits | value.bits >> 32) & 0xffff_ffff,
                    false => value.bits >> (32 * (n & 1)) & 0xffff_ffff,
                };
                taint.mark(register, bits, value.of);
            }
        }
    }
}
