//! Registers that a replay needs: R3.
//!
//! Where the machine counts address translations (XCNT), an access whose translation is not there is replayed later, and
//! reads its operands again. A register that holds a part of its address must keep its value until then: until
//! `s_wait_xcnt`, or a wait for the access itself, which implies it (CDNA5 ISA 5.7.1; LLVM 22 `SIInsertWaitcnts`).
//!
//! Elsewhere there is no such rule to break: from gfx8 on hardware keeps what a store has not read yet (LLVM
//! `vmemWriteNeedsExpWaitcnt` is of gfx6; expcnt counts exports and GDS, which are not executed).
//!
//! What hardware covers is no hazard: the translations of global, buffer and scratch accesses are made in order, and so
//! is what such a load writes; scalar accesses start when the vector ones before them are translated, and the other way
//! round. A FLAT access is not covered within its group, nor a scalar one. An access may overwrite its own operands.
//! Tensor transfers replay from a copy of their own; data of stores are read once (CDNA5 ISA 5.7.1.2). A wait for
//! `vm_vsrc` 0 is taken to free VGPRs, as compilers take it.
//!
//! That a register of a vector load must be kept is undisputed, but compilers before LLVM 22 do not heed it: it is advice.
//! LLVM 22 itself does not always wait for the translations of stores, atomics, scalar loads and asynchronous copies, and
//! the manual sees no hazard in overwriting what a store reads. It waits for those of vector accesses before a scalar load writes
//! what they read. Under `xcnt=strict` all of these must be kept, and it is an error not to.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use wavemark_isa::effects::{Path, Verb};
use wavemark_sim::events::{Channel, Counter, Issue};
use wavemark_sim::regs::sindex;

use crate::Checker;
use crate::finding::{Class, Finding, Severity};
use crate::mistakes::Place;
use crate::register_set::RegisterSet;
use crate::site_info::{SiteId, Used, VGPR0, register_name};

/// Accesses of which one group is translated before the other starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Group {
    Vector,
    Scalar,
}

/// The translations of a wave.
#[derive(Clone, Debug, Default)]
pub(crate) struct Translations {
    group: Option<Group>,
    issued: u32,
    /// So many are done.
    done: u32,
    /// So many are, whatever accesses have been waited for.
    done_anyway: u32,
    /// Those in flight with the place of their accesses in a channel.
    pending: VecDeque<(u32, Channel, u32)>,
    /// The last access that needs a register, where it is not done anyway.
    needed: FxHashMap<u32, Needed>,
    /// The registers that it has, and maybe others.
    registers: RegisterSet,
}

/// An access that needs a register.
#[derive(Clone, Copy, Debug)]
struct Needed {
    /// Its translation.
    number: u32,
    site: SiteId,
    /// The number of the operation.
    operation: u32,
}

impl Translations {
    fn finish(&mut self, upto: u32) {
        self.done = self.done.max(upto);
        let done = self.done;
        while self.pending.front().is_some_and(|&(number, ..)| number <= done) {
            self.pending.pop_front();
        }
    }

    /// No access need be waited for, for those up to this one to be done.
    fn finish_anyway(&mut self, upto: u32) {
        self.finish(upto);
        self.done_anyway = self.done_anyway.max(upto);
        if self.done_anyway >= self.issued && !self.needed.is_empty() {
            self.needed.clear();
            self.registers.clear();
        }
    }

    /// XCNT has come down to `n`. Scalar translations come back out of order.
    pub fn wait(&mut self, n: u32) {
        if self.group == Some(Group::Vector) || n == 0 {
            self.finish_anyway(self.issued.saturating_sub(n));
        }
    }

    /// The accesses of a channel are over, up to `seq`.
    pub fn retire(&mut self, channel: Channel, seq: u32) {
        let over = |&&(_, other, number): &&(u32, Channel, u32)| other == channel && number <= seq;
        if let Some(&(number, ..)) = self.pending.iter().rev().find(over) {
            match self.group {
                Some(Group::Vector) => self.finish(number),
                _ => self.pending.retain(|&(_, other, number)| other != channel || number > seq),
            }
        }
        if self.pending.is_empty() {
            self.finish(self.issued);
        }
    }

    /// A register is overwritten: the access that would have needed it, had it not been waited for.
    fn overwritten(&mut self, register: u32) -> Option<Needed> {
        let done = self.done;
        let needed = self.needed.get(&register).filter(|needed| needed.number <= done)?;
        let waited_for = (needed.number > self.done_anyway).then_some(*needed);
        self.needed.remove(&register);
        waited_for
    }
}

fn group(path: Path) -> Option<Group> {
    match path {
        Path::Scalar => Some(Group::Scalar),
        Path::Flat | Path::Global | Path::Scratch | Path::Buffer => Some(Group::Vector),
        Path::Lds | Path::Gds | Path::Tensor => None,
    }
}

impl Checker {
    /// An access starts: its translation is in flight.
    pub(crate) fn note_translation(&mut self, wave: u32, site: SiteId, op: &Issue) {
        let Some(state) = self.waves.get_mut(wave) else { return };
        let operation = state.newest_operation();
        let Some(translations) = &mut state.translations else { return };
        let info = self.sites.get(site);
        let Some(memory) = &info.effects.memory else { return };
        let Some(group) = group(memory.path) else { return };
        if translations.group.replace(group) != Some(group) {
            translations.finish_anyway(translations.issued);
        }
        translations.issued += 1;
        let number = translations.issued;
        translations.finish_anyway(number.saturating_sub(self.counters.capacity(Counter::X)));
        for &(channel, seq) in &op.seq {
            translations.pending.push_back((number, channel, seq));
        }
        let undisputed = group == Group::Vector && memory.verb == Verb::Load;
        if !(undisputed || self.model.xcnt_strict) {
            return;
        }
        // A multicast load is sent again to whom M0 says.
        let needs =
            |used: &&Used| used.read && (used.address || memory.multicast && used.range.from == sindex::M0);
        for used in info.uses.iter().filter(needs) {
            for register in used.range.numbers() {
                translations.needed.insert(register, Needed { number, site, operation });
                translations.registers.insert_one(register);
            }
        }
    }

    /// Check what an instruction that is about to be executed overwrites.
    pub(crate) fn check_replay(&mut self, wave: u32, site: SiteId, exec: u64) {
        let Some(state) = self.waves.get_mut(wave) else { return };
        let Some(translations) = &mut state.translations else { return };
        if translations.needed.is_empty() {
            return;
        }
        let info = self.sites.get(site);
        if !info.effects.waits_vector_sources && !translations.registers.meets(&info.written) {
            return;
        }
        if info.effects.waits_vector_sources {
            translations.needed.retain(|&register, _| register < VGPR0);
            return;
        }
        let own = info.effects.memory.as_ref().map(|memory| (memory.path, group(memory.path)));
        let covered = match own {
            Some((Path::Flat, _)) | None => false,
            Some((_, Some(Group::Vector))) => true,
            Some((_, other)) => other.is_some() && other != translations.group && !self.model.xcnt_strict,
        };
        if covered {
            return;
        }
        let vector_off = exec == 0 && info.heeds_exec;
        let written = info.writes().flat_map(|range| range.numbers());
        let written = written.filter(|&register| register < VGPR0 || !vector_off);
        let mut hazard = None;
        let mut waited_for: SmallVec<[u32; 2]> = SmallVec::new();
        for register in written {
            waited_for.extend(translations.overwritten(register).map(|needed| needed.operation));
            hazard = hazard.or_else(|| Some((register, *translations.needed.get(&register)?)));
        }
        for operation in waited_for {
            self.consume(wave, operation);
        }
        let Some((register, Needed { number, site: access, .. })) = hazard else { return };
        let Some(state) = self.waves.get(wave) else { return };
        let Some(translations) = &state.translations else { return };
        let allowed = match translations.group {
            Some(Group::Vector) => translations.issued - number,
            _ => 0,
        };
        let (id, step) = (state.id, state.steps);
        let (access, writer) = (self.sites.shared(access), self.sites.get(site).site.clone());
        let place = Place { before: Some((site, writer.pc)), step, issued: allowed, hands_on: false };
        let strict = self.model.xcnt_strict;
        let mistake = strict.then(|| self.missing_translation_wait(place));
        let (rule, pcs, needed) =
            (("R3", Class::MissingWait), [access.site.pc, writer.pc], (Counter::X, allowed));
        let known = match mistake {
            Some(_) => self.findings.count_known(rule, &pcs, mistake, || None),
            None => self.tally.count_known(rule, &pcs, id, needed),
        };
        if known {
            return;
        }
        let name = register_name(register);
        let title = format!(
            "{name} is overwritten while {}, whose address it is, may have to be replayed",
            access.mnemonic
        );
        let severity = if strict { Severity::Error } else { Severity::Advice };
        let finding = Finding::new("R3", Class::MissingWait, severity, title)
            .at("reader", &access.site, id)
            .at("writer", &writer, id)
            .missing(needed, Some(site))
            .of(mistake)
            .model("xcnt");
        self.find_by_events(finding);
    }
}
