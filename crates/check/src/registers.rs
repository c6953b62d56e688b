//! Registers whose value is in flight: R1, R2, R6, R8, and registers that were never written.
//!
//! A register is in flight from the issue of the load that writes it until a wait of its wave has retired the
//! load. Lanes are not told apart: hardware tracks whole instructions.

use smallvec::SmallVec;
use wavemark_isa::effects::{Control, Flow, Path, Verb, wait_text};
use wavemark_order::Epoch;
use wavemark_sim::events::{Channel, Counter, Issue, Space};
use wavemark_sim::pending::lanes;
use wavemark_sim::regs::sindex;
use wavemark_target::FlatScratch;

use crate::Checker;
use crate::finding::{Class, Finding, Severity};
use crate::mistakes::{MistakeId, Place};
use crate::register_set::tracked;
use crate::site_info::{RegRange, SiteId, SiteInfo, VGPR0, register_name};
use crate::taint::{Sink, Suspicion, all_bits, sink};
use crate::waits::WaitStats;
use crate::wave_state::{Operation, WaveState};

/// How an instruction meets a register in flight.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Read,
    Write,
}

/// A register that was written while a load was still to write it: when that comes, nobody knows what it holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Overwritten {
    /// The load: its place in a channel, and its instruction.
    seq: (Channel, u32),
    load: SiteId,
    register: u32,
    mistake: MistakeId,
}

impl Checker {
    /// Check the registers of an instruction that is about to be executed, and note those that it writes.
    pub(crate) fn check_registers(&mut self, wave: u32, site: SiteId, exec: u64) {
        let Some(state) = self.waves.get_mut(wave) else { return };
        let info = self.sites.get(site);
        if !state.pending.meets(&info.touched) && !state.undefined.meets(&info.touched) {
            state.loaded.remove(&info.written);
            return;
        }
        self.check_pending(wave, site, exec);
        self.check_undefined(wave, site, exec);
        self.note_writes(wave, site, exec);
    }

    fn check_pending(&mut self, wave: u32, site: SiteId, exec: u64) {
        let Some(state) = self.waves.get_mut(wave) else { return };
        let info = self.sites.get(site);
        if !state.pending.meets(&info.touched) {
            return;
        }
        let vector_off = exec == 0 && info.heeds_exec;
        let mut problems: SmallVec<[(Use, u32, u32); 4]> = SmallVec::new();
        let mut used: SmallVec<[(Use, u32); 4]> = SmallVec::new();
        let mut unwaited: SmallVec<[(u32, u32); 1]> = SmallVec::new();
        let reads = info.reads().chain(info.merges()).map(|range| (range, Use::Read));
        let ranges = reads.chain(info.writes().map(|range| (range, Use::Write)));
        let ranges = ranges.filter(|(range, _)| range.from < VGPR0 || !vector_off);
        // No operand has more than 64 registers.
        for (RegRange { from, count }, how) in ranges {
            for register in lanes(state.pending.window(from, count)).map(|n| from + n) {
                let number = state.loaded_by[register as usize];
                match state.operation(number) {
                    Some(operation) if !state.is_retired(operation) => {
                        let meets = |number: &u32| {
                            let load = state.operation(*number).filter(|load| !state.is_retired(load));
                            load.is_some_and(|load| !self.sites.get(load.site).leaves_half_to(info, register))
                        };
                        let of_register = state.half_loaded.iter().filter(|(of, _)| *of == register);
                        let mut all = std::iter::once(number).chain(of_register.map(|&(_, older)| older));
                        problems.extend(all.find(meets).map(|number| (how, register, number)));
                    }
                    operation => {
                        if operation.is_some_and(|operation| state.is_unwaited(operation)) {
                            unwaited.push((register, number));
                        }
                        state.pending.remove_one(register);
                        if used.last() != Some(&(how, number)) {
                            used.push((how, number));
                        }
                    }
                }
            }
        }
        let mut reported = None;
        for (how, register, number) in problems {
            if reported == Some(number) {
                continue;
            }
            if how == Use::Write && !self.write_after_load_matters(wave, site, number) {
                continue;
            }
            reported = Some(number);
            self.report_in_flight(wave, site, how, register, number);
        }
        for (register, number) in unwaited {
            self.report_unwaited(wave, site, register, number);
        }
        // Where a write would come too early without the wait, it needs the wait as a read does.
        for (how, number) in used {
            if how == Use::Read || self.write_after_load_matters(wave, site, number) {
                self.consume(wave, number);
                self.note_over(wave, number);
            }
        }
    }

    /// What an operation has written is used: if a wait has seen to it that it is over, nothing is left to say of its
    /// other registers.
    fn note_over(&mut self, wave: u32, number: u32) {
        let Some(state) = self.waves.get_mut(wave) else { return };
        let Some(operation) = state.operation(number) else { return };
        if !state.is_retired(operation) || state.is_unwaited(operation) {
            return;
        }
        let written = self.sites.get(operation.site).writes().flat_map(RegRange::numbers);
        for register in written.filter(|&register| state.loaded_by[register as usize] == number) {
            state.pending.remove_one(register);
        }
    }

    fn check_undefined(&mut self, wave: u32, site: SiteId, exec: u64) {
        if !self.may_spill(site) {
            self.check_undefined_reads(wave, site, exec);
        }
    }

    /// Whether it stores through a buffer that may be the wave's scratch, which only its addresses tell: registers are
    /// saved there whether they hold something or not.
    fn may_spill(&self, site: SiteId) -> bool {
        let memory = self.sites.get(site).effects.memory;
        let stores = memory.is_some_and(|memory| (memory.path, memory.verb) == (Path::Buffer, Verb::Store));
        stores && self.machine.processor.flat_scratch() != FlatScratch::Architected
    }

    /// The addresses of an operation are known: what it stores elsewhere than in scratch has to hold something.
    pub(crate) fn check_stored(&mut self, wave: u32, site: SiteId, op: &Issue) {
        if self.may_spill(site) && op.accesses.iter().all(|access| access.space != Space::Scratch) {
            self.check_undefined_reads(wave, site, u64::MAX);
        }
    }

    fn check_undefined_reads(&mut self, wave: u32, site: SiteId, exec: u64) {
        let Some(state) = self.waves.get(wave) else { return };
        let info = self.sites.get(site);
        let is_product = info.effects.unit.is_matrix();
        let read = if is_product || info.effects.accumulates { &info.touched } else { &info.read_only };
        // What is put into EXEC or VCC is there to decide, and followed there.
        let decides = |range: RegRange| matches!(range.from & !1, sindex::EXEC | sindex::VCC);
        let saves = info.copies && !info.writes().any(decides);
        if saves || exec == 0 && info.heeds_exec || !state.undefined.meets(read) {
            return;
        }
        // Few messages take what M0 holds.
        if info.effects.control == Some(Control::SendMessage) {
            return;
        }
        let nothing = |register: u32| tracked(register) && state.undefined.has(register);
        let mut ranges: SmallVec<[RegRange; 2]> = SmallVec::new();
        if is_product {
            // Something comes of each register, of accumulators that are not named twice as well.
            for range in info.reads().chain(info.merges()) {
                let registers: Vec<u32> = range.numbers().filter(|&register| nothing(register)).collect();
                let runs = registers.chunk_by(|first, second| first + 1 == *second);
                ranges.extend(runs.map(|run| RegRange { from: run[0], count: run.len() as u32 }));
            }
        } else {
            // Compilers leave halves of wide operands undefined when the result does not depend on them.
            ranges.extend(info.reads().filter(|range| range.numbers().all(nothing)));
            if info.effects.accumulates {
                ranges.extend(info.merges().filter(|range| range.numbers().all(nothing)));
            }
        }
        for range in ranges {
            self.judge_undefined_register(wave, site, range);
        }
    }

    /// Whether a write comes too early for the load `number`, which writes the same register.
    fn write_after_load_matters(&self, wave: u32, site: SiteId, number: u32) -> bool {
        let load = self.waves.get(wave).and_then(|state| state.operation(number)).map(|load| load.site);
        load.is_some_and(|load| self.sites.get(load).may_be_overtaken_by(self.sites.get(site)))
    }

    fn report_in_flight(&mut self, wave: u32, site: SiteId, how: Use, register: u32, number: u32) {
        let Some(state) = self.waves.get(wave) else { return };
        let Some(operation) = state.operation(number) else { return };
        let load = operation.site;
        let producer = self.sites.get(load);
        let consumer = self.sites.get(site);
        let special = producer.effects.barrier.is_some();
        let awaited = self.awaited(state, operation);
        let other = |&&(c, seq): &&(Channel, u32)| c != awaited.0 && state.retired[c as usize] < seq;
        let other = operation.seq.iter().find(other).copied();
        let wrong = self.waited_for_another(state, operation, u64::MAX);
        let rule = match (how, special, wrong) {
            (_, true, _) => "R8",
            (Use::Write, ..) => "R2",
            (Use::Read, _, true) => "R6",
            (Use::Read, ..) => "R1",
        };
        // What one lane holds becomes all lanes', mostly to decide or to address.
        let decides = consumer.effects.flow != Flow::Next
            || consumer.uses.iter().any(|used| {
                used.address && used.range.numbers().contains(&register)
                    || used.write && !used.lanes && used.range.from < VGPR0
            });
        let means_nothing = how == Use::Read && (register < VGPR0 || decides);
        if means_nothing {
            self.findings.mean_nothing_from_here(state.id.cluster_flat);
        }
        let name = register_name(register);
        let title = match how {
            Use::Read => format!("{name} is read while {} is still writing it", producer.mnemonic),
            Use::Write => format!("{name} is written while {} is still writing it", producer.mnemonic),
        };
        let (id, pcs, is_of_flag) = (state.id, [producer.site.pc, consumer.site.pc], operation.may_acquire);
        let (producer, consumer) = (producer.site.clone(), consumer.site.clone());
        // An invalidate since it has read what may be a flag is for what it has seen there, and must come behind the wait for it.
        let place_of = |(channel, seq): (Channel, u32)| {
            let read = Epoch { agent: wave, channel: channel as u8, seq };
            let before =
                operation.may_acquire.then(|| self.before_invalidate(state, read, |_| true)).flatten();
            before.unwrap_or_else(|| state.here(site, consumer.pc, channel))
        };
        let place = place_of(awaited);
        // FLAT operations are counted twice.
        let also = other.map(|also| (also, place_of(also)));
        // Which of its places goes first depends on its address.
        let of_all = operation.seq.len() > 1 && !self.facts.flat_counts_in_order;
        let mistake = self.missing_wait(wave, awaited, place);
        let also = also.map(|(also, place)| {
            let of = self.missing_wait(wave, also, place);
            self.mistakes.join(mistake, of);
            (self.counters.counter_of(also.0), of)
        });
        if of_all {
            let parts = also.map(|(_, of)| of).into_iter().chain([mistake]);
            parts.for_each(|part| self.mistakes.allow(part, 0));
        }
        if how == Use::Read {
            self.mark_meaningless(wave, load, register, mistake);
        }
        self.note_overwritten(wave, site, number, mistake);
        let at_fault = self.faulty_wait(wave, awaited, place.step, wrong);
        if self.findings.count_known((rule, Class::MissingWait), &pcs, Some(mistake), || at_fault.clone()) {
            return;
        }
        let mut finding = Finding::new(rule, Class::MissingWait, Severity::Error, title)
            .at("producer", &producer, id)
            .at("consumer", &consumer, id)
            .missing_wait(self.counters.counter_of(awaited.0), place.before.map(|(site, _)| site), mistake)
            .faulty(at_fault);
        (finding.also, finding.is_of_flag) = (also, is_of_flag);
        self.findings.add(finding);
    }

    /// An instruction writes registers that the load `number` is still to write.
    fn note_overwritten(&mut self, wave: u32, site: SiteId, number: u32, mistake: MistakeId) {
        let Some(state) = self.waves.get_mut(wave) else { return };
        let Some(operation) = state.operation(number) else { return };
        let (load, Some(&seq)) = (operation.site, operation.seq.first()) else { return };
        let WaveState { pending, loaded_by, overwritten, .. } = state;
        let written = self.sites.get(site).writes().flat_map(RegRange::numbers);
        let in_flight = |register: &u32| pending.has(*register) && loaded_by[*register as usize] == number;
        let both = written.filter(in_flight);
        overwritten.extend(both.map(|register| Overwritten { seq, load, register, mistake }));
    }

    /// An operation of a wave is over: what it has written over means nothing.
    pub(crate) fn mark_overwritten(&mut self, wave: u32, operation: &Issue) {
        let Some(state) = self.waves.get_mut(wave).filter(|state| !state.overwritten.is_empty()) else {
            return;
        };
        let taint = &mut state.taint;
        state.overwritten.retain(|&Overwritten { seq, load, register, mistake }| {
            let is_over = operation.seq.contains(&seq);
            if is_over {
                let of = taint.suspect(Suspicion { mistake: Some(mistake), ..Suspicion::of(load) });
                taint.mark(register, all_bits(register), of);
            }
            !is_over
        });
    }

    /// Before the invalidate, one of these, by which a wave has emptied caches since an operation of its own, if that is its last.
    pub(crate) fn before_invalidate(
        &self,
        state: &WaveState,
        operation: Epoch,
        which: impl Fn(&SiteInfo) -> bool,
    ) -> Option<Place> {
        let invalidate = state.last_invalidate.filter(|invalidate| invalidate.comes_behind(operation))?;
        let info = self.sites.get(invalidate.site);
        which(info).then(|| Place {
            before: Some((invalidate.site, info.site.pc)),
            step: invalidate.step,
            issued: invalidate.seq[usize::from(operation.channel)],
            hands_on: false,
        })
    }

    /// No wait covers what a register is read for; there are only too many younger operations for it to be in flight.
    fn report_unwaited(&mut self, wave: u32, site: SiteId, register: u32, number: u32) {
        let Some(state) = self.waves.get(wave) else { return };
        let Some(operation) = state.operation(number) else { return };
        let Some(&(channel, seq)) = operation.seq.iter().find(|&&(c, seq)| state.waited[c as usize] < seq)
        else {
            return;
        };
        let (producer, consumer) = (self.sites.get(operation.site), self.sites.get(site));
        let counter = self.counters.counter_of(channel);
        let name = register_name(register);
        let title = format!(
            "{name} is there only because more operations than {} can count have been issued since {}: no wait covers it",
            counter.name(),
            producer.mnemonic
        );
        let capacity = self.counters.capacity(counter);
        let wait = wait_text(self.machine, counter, (state.seq[channel as usize] - seq).min(capacity - 1));
        let finding = Finding::new("W4", Class::MissingWait, Severity::Advice, title)
            .at("producer", &producer.site, state.id)
            .at("consumer", &consumer.site, state.id)
            .hint(format!("{wait} before"), Some(consumer.site.clone()));
        self.findings.add(finding);
    }

    /// What a wait for an operation has to wait for: a channel that is not retired, and the number there.
    pub(crate) fn awaited(&self, state: &WaveState, operation: &Operation) -> (Channel, u32) {
        let pending =
            operation.seq.iter().find(|&&(c, seq)| state.retired[c as usize] < seq).or(operation.seq.first());
        pending.copied().unwrap_or((Channel::Sm, 0))
    }

    /// Whether the wave has waited between the operation's issue and its step `before`, but never for its counter, and for one
    /// of which nothing was in flight, nor any other time.
    pub(crate) fn waited_for_another(&self, state: &WaveState, operation: &Operation, before: u64) -> bool {
        let own: Vec<Counter> = operation.seq.iter().map(|&(c, _)| self.counters.counter_of(c)).collect();
        let mut other = false;
        let waits = state.waits.range(state.next_wait(operation)..);
        for wait in waits.take_while(|wait| wait.step <= before) {
            if own.iter().any(|&counter| wait.number(counter).is_some()) {
                return false;
            }
            let serves = |&(counter, _): &(Counter, u32)| {
                self.tally.waits.get(&(wait.site, counter)).is_some_and(WaitStats::has_served)
            };
            other |= wait.is_idle() && !wait.counters.iter().any(serves);
        }
        other
    }

    /// A register that was never written is read. That alone is no defect: compilers read what they mask away, or do not
    /// use. It is reported where the instruction is a use, or what comes of it reaches one ([`crate::taint`]).
    fn judge_undefined_register(&mut self, wave: u32, site: SiteId, range: RegRange) {
        let Some(state) = self.waves.get_mut(wave) else { return };
        // Once per register and wave: everything computed from it is undefined as well.
        range.numbers().for_each(|register| state.undefined.remove_one(register));
        let id = state.id;
        let info = self.sites.get(site);
        let title = format!("{} is read but was never written", register_name(range.from));
        let finding =
            Finding::new("U1", Class::Uninitialized, Severity::Error, title).at("consumer", &info.site, id);
        if !matches!(sink(self.machine, info), Sink::None) {
            self.findings.add(finding);
            return;
        }
        let of = state.taint.suspect(Suspicion { finding: Some(finding), ..Suspicion::of(site) });
        for register in range.numbers() {
            state.taint.mark(register, all_bits(register), of);
        }
    }

    /// The registers that an instruction writes are no load's any more, and written.
    fn note_writes(&mut self, wave: u32, site: SiteId, exec: u64) {
        let lanes = self.machine.lanes();
        let Some(state) = self.waves.get_mut(wave) else { return };
        let info = self.sites.get(site);
        if info.touches_half() {
            // What it does not write of a register may still be in flight.
            let mut older = std::mem::take(&mut state.half_loaded);
            let written = info.writes().flat_map(RegRange::numbers);
            let in_flight = written.filter(|&register| state.pending.has(register));
            older.extend(in_flight.map(|register| (register, state.loaded_by[register as usize])));
            older.retain(|(_, older)| state.operation(*older).is_some_and(|older| !state.is_retired(older)));
            state.half_loaded = older;
        }
        state.loaded.remove(&info.written);
        state.pending.remove(&info.written);
        // A copy of what was never written is still what was never written; EXEC and the like are not what is copied.
        let mut copied =
            info.reads().flat_map(RegRange::numbers).filter(|&register| tracked(register)).peekable();
        if !info.copies || copied.peek().is_none() || copied.any(|register| !state.undefined.has(register)) {
            state.undefined.remove(&info.written);
        } else if info.heeds_exec {
            // Scalar registers that calling conventions preserve are saved and restored whatever they hold.
            self.depends_on_exec = true;
            if exec.count_ones() == lanes {
                state.undefined.insert(&info.written);
            }
        }
    }

    /// The registers that a load's instruction writes are its from now on.
    pub(crate) fn note_load(&mut self, wave: u32, site: SiteId, number: u32) {
        let Some(state) = self.waves.get_mut(wave) else { return };
        let info = self.sites.get(site);
        state.loaded.insert(&info.written);
        state.pending.insert(&info.written);
        for register in info.writes().flat_map(RegRange::numbers) {
            state.loaded_by[register as usize] = number;
        }
    }
}
