//! Accesses that nothing orders: R4 and R5 within a wave, races between waves on LDS and on global memory.
//!
//! Every access meets what shadow memory remembers of its bytes ([`crate::meeting`]). What conflicts is reported
//! ([`crate::race_report`]), or, where a load may poll or be of no use, put off until it is known what becomes of its
//! value ([`crate::taint`]).

use smallvec::SmallVec;
use wavemark_isa::effects::{AtomicOp, Verb};
use wavemark_order::Epoch;
use wavemark_sim::events::{Access, Channel, Direction, Extent, Issue, Scope, Site, Space, WaveId};
use wavemark_sim::queue::channel_in;

use crate::Checker;
use crate::finding::{Class, Finding, Severity};
use crate::knowledge::{Knowledge, common_scope};
use crate::lds::Over;
use crate::meeting::{Conflict, Meeting, Stored, Undefined};
use crate::polls::Load;
use crate::relation::{Later, Order, Relation, View};
use crate::shadow::{Place, Record, Writers};
use crate::site_info::{SiteId, SiteInfo, VGPR0};
use crate::taint::{Poll, Suspicion, all_bits};
use crate::uses::Uses;

/// What an operation writes by one of its accesses, if that is known: what it writes by those before comes first.
pub(crate) fn stored<'a>(op: &'a Issue, access: &Access, lanes: usize) -> Option<Stored<'a>> {
    stored_of(op, &op.stored, access, lanes)
}

/// The same where the operation as a whole writes `all`.
pub(crate) fn stored_of<'a>(op: &Issue, all: &'a [u32], access: &Access, lanes: usize) -> Option<Stored<'a>> {
    let words = |access: &Access| match &access.extent {
        _ if access.direction != Direction::Write => 0,
        Extent::Lanes { bytes, .. } => bytes.div_ceil(4) as usize * lanes,
        Extent::Runs(runs) => runs.iter().map(|run| run.1.div_ceil(4) as usize).sum(),
    };
    let before = op.accesses.iter().take_while(|other| !std::ptr::eq(*other, access));
    let from: usize = before.map(words).sum();
    let words = all.get(from..from + words(access)).filter(|words| !words.is_empty())?;
    Some(Stored { words, lanes })
}

/// Whether an atomic leaves memory as it is: to others it is no more than a load. Polls add 0, or swap in what they compare
/// with.
pub(crate) fn keeps(op: &Issue, access: &Access, info: &SiteInfo, lanes: usize) -> bool {
    let Some(atomic) = info.effects.memory.and_then(|memory| memory.atomic) else { return false };
    let (Direction::Atomic, Extent::Lanes { mask, .. }) = (access.direction, &access.extent) else {
        return false;
    };
    if op.accesses.len() != 1 || op.stored.is_empty() {
        return false;
    }
    let active = |at: &usize| mask >> (at % lanes) & 1 != 0;
    if let Some(neutral) = atomic.neutral() {
        return (0..op.stored.len()).filter(active).all(|at| op.stored[at] == neutral);
    }
    let (first, second) = op.stored.split_at(op.stored.len() / 2);
    matches!(atomic, AtomicOp::CmpSwap | AtomicOp::CmpStore)
        && (0..first.len()).filter(active).all(|at| first[at] == second[at])
}

/// What comes of an access's meeting others.
pub(crate) struct Met {
    later: Later,
    conflicts: SmallVec<[Conflict; 2]>,
    undefined: Option<Undefined>,
    copies: SmallVec<[Epoch; 8]>,
    /// It was a load of LDS that has nothing to say, nor will when it comes again, unless something has changed.
    settled: bool,
}

impl Met {
    /// Whether it conflicts with others.
    pub fn conflicts(&self) -> bool {
        !self.conflicts.is_empty()
    }
}

/// A race of a load with a later write of another wave, of a wave that has stored nothing yet that may come of it.
#[derive(Clone, Debug)]
pub(crate) struct UnusedLoad {
    pub load: Record,
    finding: Finding,
    /// The load may poll: it is not known yet whether it does.
    may_poll: bool,
}

impl Checker {
    /// Check and remember one access of an operation that was just issued.
    pub(crate) fn check_access(&mut self, wave: WaveId, site: SiteId, op: &Issue, access: &Access) {
        if !self.followed.is_empty()
            && let Some((channel, seq)) = channel_in(&op.seq, access.space)
        {
            let epoch = Epoch { agent: wave.index, channel: channel as u8, seq };
            self.follow_load(wave.index, site, epoch, access);
        }
        if let Some(met) = self.meet(wave, site, op, access, None) {
            let (settled, record) = (met.settled, met.later.record);
            self.judge_met(op, access, met);
            if settled {
                self.note_poll(wave, record, access);
            }
        }
    }

    /// Let an access meet what is remembered, and be remembered; what there is to say of it. Of a wave of which nothing is known
    /// but that it was announced, `view` says what it knows.
    pub(crate) fn meet(
        &mut self,
        wave: WaveId,
        site: SiteId,
        op: &Issue,
        access: &Access,
        view: Option<View<'_>>,
    ) -> Option<Met> {
        if access.space == Space::Scratch {
            return None;
        }
        let (own_channel, seq) = channel_in(&op.seq, access.space)?;
        let epoch = Epoch { agent: wave.index, channel: own_channel as u8, seq };
        let dma = op.accesses.len() > 1 && op.accesses.iter().any(|a| a.space != access.space);
        let gives_lock_back = self.gives_lock_back(wave, access);
        let atomic = access.direction == Direction::Atomic
            || (access.space == Space::Global && op.scope > Scope::Cu && !dma)
            || gives_lock_back;
        let view = match view {
            Some(view) => view,
            None => View::of(self.waves.get(wave.index)?),
        };
        let mut lds = (access.space == Space::Lds).then(|| self.lds.entry(wave.workgroup_flat).or_default());
        let place = lds.as_mut().map_or(0, |lds| lds.next());
        let (space, direction) = (access.space, access.direction);
        let lanes = self.machine.lanes();
        let stored = stored(op, access, lanes as usize);
        let dwords = match &access.extent {
            Extent::Lanes { bytes, .. } => bytes.div_ceil(4),
            Extent::Runs(_) => 0,
        };
        let valued = stored.is_some();
        let maybe_plain = direction == Direction::Write && !self.facts.stores_say_scope();
        let keeps = keeps(op, access, self.sites.get(site), lanes as usize);
        let record = Record {
            epoch,
            site,
            atomic,
            maybe_plain,
            scope: op.scope,
            dma,
            valued,
            keeps,
            overwritten: false,
            order: place,
        };
        let later = Later { wave, record, channel: own_channel, space, direction, dwords };
        let order = Order { view, waves: &self.waves, facts: self.facts };
        let relation = |old: &Record, write_first: bool| order.relation(old, &later, write_first);
        let near = |old: &Record| {
            let id = order.waves.id(old.epoch.agent);
            id.is_some_and(|id| id.workgroup_flat == wave.workgroup_flat)
        };
        let simple = (space, direction, own_channel) == (Space::Lds, Direction::Read, Channel::Ds)
            && later.loads_registers();
        if let Some(lds) = &mut lds {
            if simple
                && let Some(state) = order.waves.get(wave.index)
                && let Some(of) = Place::of(&access.extent)
                && lds.polls.come_again(&Load { epoch, site, scope: op.scope, place: of }, place, state)
            {
                return None;
            }
            let ordered = |old: &Record, write_first| relation(old, write_first) == Relation::Ordered;
            lds.prune(|agent, channel| order.waves.over_for_all(wave.workgroup_flat, agent, channel));
            if simple && lds.puts_off(record, access, wave.wave, |old| ordered(old, true)) {
                return None;
            }
            if direction != Direction::Read {
                lds.prepare(access, &order, |old| ordered(old, false));
            }
            lds.polls.tell(&mut lds.shadow, &access.extent, &order);
            if direction != Direction::Read {
                lds.polls.forget(&access.extent);
            }
        }
        let shadow = match &mut lds {
            Some(lds) => &mut lds.shadow,
            None => &mut self.global,
        };
        let mut meeting = Meeting::new(access, record, stored, relation, near);
        shadow.sweep();
        meeting.touch_all(shadow);
        let Meeting { conflicts, undefined, copies, noted, readers_forgotten, .. } = meeting;
        self.readers_forgotten |= readers_forgotten;
        // Nothing to say, but for what stores have left there.
        let repeats = noted
            && access.space == Space::Lds
            && stored.is_some()
            && conflicts.is_empty()
            && undefined.is_none();
        self.repeats |= repeats;
        if let Some(lds) = lds {
            let copies_to = dma && direction == Direction::Write;
            let over = if copies_to { lds.over(access, &copies) } else { Over::Else };
            lds.note_used(wave.index, access, &copies);
            if direction != Direction::Read {
                lds.note_written(record, access, over);
            }
        }
        let expected = stored.is_none()
            && undefined.is_none()
            && conflicts.iter().all(|conflict| self.is_expected(&later, conflict));
        self.depends_on_values |= noted && !repeats && !expected || keeps || gives_lock_back;
        let settled = simple && expected && copies.is_empty();
        Some(Met { later, conflicts, undefined, copies, settled })
    }

    /// A load of LDS was settled.
    fn note_poll(&mut self, wave: WaveId, record: Record, access: &Access) {
        if let (Some(place), Some(lds), Some(state)) =
            (Place::of(&access.extent), self.lds.get_mut(&wave.workgroup_flat), self.waves.get(wave.index))
        {
            let order = Order { view: View::of(state), waves: &self.waves, facts: self.facts };
            lds.polls.note(record, place, &mut lds.shadow, &order);
        }
    }

    /// Say what there is to say of an access.
    pub(crate) fn judge_met(&mut self, op: &Issue, access: &Access, met: Met) {
        let Met { later, conflicts, undefined, mut copies, .. } = met;
        let (wave, site) = (later.wave, later.record.site);
        if let Some(stored) = &stored(op, access, self.machine.lanes() as usize) {
            self.check_lanes(wave, site, access, stored);
        }
        if later.direction == Direction::Write && !self.polls_in_flight.is_empty() {
            self.tell_polls_in_flight(&later, access);
        }
        // One other wave whose load matters stands for all that have executed it.
        let mut said: SmallVec<[(SiteId, bool); 2]> = SmallVec::new();
        for conflict in conflicts {
            let reader = (conflict.earlier.site, conflict.earlier.epoch.agent == wave.index);
            if conflict.write_first {
                self.judge(&later, &conflict);
            } else if !said.contains(&reader) && self.judge(&later, &conflict) {
                said.push(reader);
            }
        }
        if later.record.atomic && later.loads_registers() && !self.polls.contains(&site) {
            // Whether it polls matters to what overwrites it later, when its value is gone.
            let suspicion = Suspicion { poll: Poll::Any, ..Suspicion::of(site) };
            self.suspect(&later, suspicion, [u64::MAX; Undefined::DWORDS]);
        }
        if let Some(undefined) = undefined {
            self.judge_undefined(&later, &undefined);
        }
        copies.sort_unstable();
        copies.dedup();
        for copy in copies {
            self.consume_copy(wave, copy);
        }
    }

    /// Check the lanes of what an operation stores, and nothing else.
    pub(crate) fn check_stored_lanes(&mut self, wave: WaveId, site: &Site, op: &Issue) {
        let site = self.sites.id(site);
        for access in &op.accesses {
            if let Some(stored) = stored(op, access, self.machine.lanes() as usize) {
                self.check_lanes(wave, site, access, &stored);
            }
        }
    }

    /// What to do about a conflict: report it; or, where a load may poll or be of no use, wait for what becomes of it. Whether
    /// it is reported.
    fn judge(&mut self, later: &Later, conflict: &Conflict) -> bool {
        let own = conflict.earlier.epoch.agent == later.wave.index;
        if self.waves.id(conflict.earlier.epoch.agent).is_none() {
            return false;
        }
        // Nothing orders the two: what comes of them depends on which was first.
        self.depends_on_order |= !own;
        if self.is_expected(later, conflict) {
            let stores = later.direction == Direction::Write && !later.record.atomic;
            if !own && !conflict.write_first && stores {
                self.suspect_poll(later, conflict);
            }
            return false;
        }
        if self.follows_what_it_saw(later, conflict) {
            return false;
        }
        if !own && conflict.write_first && later.loads_registers() {
            // What it reads may mean nothing.
            let polls = self.polls.contains(&later.record.site);
            let poll = match conflict.relation {
                _ if Self::may_be_uninitialised(later, conflict) => Poll::Never,
                _ if self.may_be_polled(later, conflict) => Poll::Any,
                Relation::NotWrittenBack | Relation::Stale | Relation::Apart => Poll::Never,
                _ if conflict.both_atomic => Poll::Sum { decided: polls },
                _ if self.is_near(later, conflict) => Poll::Loop,
                _ => Poll::Never,
            };
            let finding =
                if polls && poll == Poll::Loop { None } else { self.conflict_finding(later, conflict) };
            let learns = if poll == Poll::Loop { self.told_by(&conflict.earlier) } else { None };
            let suspicion = Suspicion { finding, poll, learns, ..Suspicion::of(later.record.site) };
            self.suspect(later, suspicion, [conflict.lanes; Undefined::DWORDS]);
            return false;
        }
        if !own && !conflict.write_first && conflict.both_atomic && self.is_announced(later, conflict) {
            return false;
        }
        let may_poll = self.may_have_been_polled(later, conflict);
        if !own && !conflict.write_first && may_poll && !conflict.earlier.dma {
            let Some(finding) = self.conflict_finding(later, conflict) else { return true };
            let load = conflict.earlier;
            let reported = self.report_or_keep(UnusedLoad { load, finding, may_poll: true });
            if conflict.both_atomic || later.direction == Direction::Atomic {
                self.suspect_earlier(load, Poll::Any, None);
            } else {
                self.suspect_poll(later, conflict);
            }
            return reported;
        }
        let Some(finding) = self.conflict_finding(later, conflict) else { return true };
        if !own && !conflict.write_first {
            return self.report_or_keep(UnusedLoad { load: conflict.earlier, finding, may_poll: false });
        }
        self.findings.add(finding);
        true
    }

    /// Whether an access writes over what its wave has seen there, or loads it again with a scope: the last of the workgroups
    /// resets their counter, a baton is passed on.
    fn follows_what_it_saw(&self, later: &Later, conflict: &Conflict) -> bool {
        let Conflict { earlier, lanes, dword, .. } = conflict;
        let loads = conflict.both_atomic && later.loads_registers();
        let again = loads || later.direction != Direction::Read && !later.record.dma;
        conflict.write_first
            && again
            && !matches!(conflict.relation, Relation::Apart | Relation::NotWrittenBack)
            && lanes.count_ones() == 1
            && self.has_seen(later.wave.index, later.space, *dword, earlier.epoch)
    }

    /// Whether LDS that a load meets may not have been written at all, were the load done earlier: who polls it must come behind
    /// what first gives it a value.
    fn may_be_uninitialised(later: &Later, conflict: &Conflict) -> bool {
        later.space == Space::Lds
            && conflict.write_first
            && match conflict.writers {
                Writers::OneOnce => true,
                Writers::OneAgain => conflict.relation == Relation::Unknown,
                Writers::Several => false,
            }
    }

    /// Whether the wave of a store has told of it before, where the wave of an earlier load will look: a sequence lock's reader
    /// looks again what it has seen there before, and drops what it has loaded if that is another number now.
    fn is_announced(&self, later: &Later, conflict: &Conflict) -> bool {
        later.direction == Direction::Write
            && later.space == Space::Global
            && self.has_news(conflict.earlier.epoch, later.wave.index)
    }

    /// Whether a load that may mean nothing is meant to, if any branch depends on it.
    fn may_be_polled(&self, later: &Later, conflict: &Conflict) -> bool {
        let told = !matches!(conflict.relation, Relation::NotWrittenBack | Relation::Stale | Relation::Apart);
        told && conflict.both_atomic && !self.reads_sum(later, &conflict.earlier)
    }

    /// Whether nothing comes of a conflict: it is known that what one wave writes is polled for by the load of another, or the
    /// order of transfers is there for it.
    fn is_expected(&self, later: &Later, conflict: &Conflict) -> bool {
        let earlier = &conflict.earlier;
        // That a transfer waits for the data of one before it is what the order is for; that one before it has read is not.
        if conflict.relation == Relation::InOrder && conflict.write_first && !self.land_in_any_order(later) {
            return true;
        }
        let polled = if conflict.write_first {
            later.loads_registers()
                && !Self::may_be_uninitialised(later, conflict)
                && self.polls.contains(&later.record.site)
                && self.may_be_polled(later, conflict)
        } else {
            !earlier.dma && self.polls.contains(&earlier.site) && self.may_have_been_polled(later, conflict)
        };
        polled && earlier.epoch.agent != later.wave.index
    }

    /// Whether copies like this one may land in any order.
    pub(crate) fn land_in_any_order(&self, copy: &Later) -> bool {
        match copy.channel {
            Channel::Td => self.model.tensor_any_order,
            _ => self.model.lds_dma_any_order,
        }
    }

    /// Whether what another wave has read before this access may mean nothing.
    fn may_have_been_polled(&self, later: &Later, conflict: &Conflict) -> bool {
        conflict.both_atomic || later.direction == Direction::Atomic || self.is_near(later, conflict)
    }

    /// Whether the waves of two accesses go one way to the memory: LDS is one, wherever the waves of its workgroup are.
    fn is_near(&self, later: &Later, conflict: &Conflict) -> bool {
        let other = self.waves.id(conflict.earlier.epoch.agent);
        later.space == Space::Lds || other.is_some_and(|other| common_scope(other, later.wave) == Scope::Cu)
    }

    /// Whether it is a plain load of what another operation adds to, which does not ask what was there, and not known to be
    /// what a loop waits for.
    fn reads_sum(&self, later: &Later, earlier: &Record) -> bool {
        let memory = self.sites.get(earlier.site).effects.memory;
        let adds = memory.is_some_and(|memory| {
            memory.verb == Verb::Atomic && memory.atomic.is_some_and(AtomicOp::accumulates)
        });
        let again = self.polls_again.contains(&later.record.site);
        adds && !again && !later.record.atomic && !earlier.keeps && !earlier.dma
    }

    /// Report a race of a load with a later write, unless its wave has stored nothing since that may come of what it has
    /// loaded (small blocks are loaded by all waves of a workgroup, and stored by one). Whether it is reported.
    fn report_or_keep(&mut self, unused: UnusedLoad) -> bool {
        let load = unused.load;
        let followed = self.is_followed(&load);
        if followed && let Some(place) = self.use_of(&load) {
            self.report_used(unused, Some(place));
            return true;
        }
        let used = match self.waves.get(load.epoch.agent) {
            _ if followed => false,
            Some(state) => {
                let (stores, ended): (Vec<SiteId>, bool) =
                    (state.stored_since(load.epoch).collect(), state.ended);
                !load.is_plain()
                    || stores.into_iter().any(|store| self.is_used(load.site, store))
                    || ended && self.may_decide(load.site)
            }
            // What it has stored is forgotten.
            None => true,
        };
        if !used {
            let again = |old: &UnusedLoad| {
                let same = if followed { old.load == load } else { old.load.site == load.site };
                same && old.finding.key() == unused.finding.key()
            };
            let reader = self.waves.get_mut(load.epoch.agent).filter(|state| !state.ended);
            if let Some(state) = reader.filter(|state| !state.unused_loads.iter().any(again)) {
                state.unused_loads.push(unused);
            }
            return false;
        }
        self.report_used(unused, None);
        true
    }

    /// Report a race of a load whose value is of use, as far as is known; where, if it was followed.
    pub(crate) fn report_used(&mut self, unused: UnusedLoad, place: Option<SiteId>) {
        let UnusedLoad { load, mut finding, may_poll } = unused;
        match place {
            Some(place) => {
                let wave = self.waves.id(load.epoch.agent);
                finding = finding.at("use", &self.sites.get(place).site, wave);
            }
            None => self.note_unfollowed(&load),
        }
        if may_poll {
            self.defer(load.site, finding);
        } else {
            self.findings.add(finding);
        }
    }

    /// Whether what one instruction stores may come of what another has loaded.
    fn is_used(&mut self, load: SiteId, store: SiteId) -> bool {
        let store = self.sites.get(store).site.pc;
        self.uses(load).has(store)
    }

    /// Whether what a load has loaded may decide what its wave does at all.
    fn may_decide(&mut self, load: SiteId) -> bool {
        *self.uses(load) == Uses::Anything
    }

    fn uses(&mut self, load: SiteId) -> &Uses {
        let (machine, code, sites) = (self.machine, &self.code, &self.sites);
        self.uses.entry(load).or_insert_with(|| match code {
            Some(code) => Uses::of(machine, code, &sites.get(load).site),
            None => Uses::Anything,
        })
    }

    /// A wave ends. If it has stored nothing it has done nothing with what it loaded, unless that is why.
    pub(crate) fn end_loads(&mut self, wave: u32) {
        let Some(state) = self.waves.get_mut(wave) else { return };
        for unused in std::mem::take(&mut state.unused_loads) {
            if !self.is_followed(&unused.load) && self.may_decide(unused.load.site) {
                self.report_used(unused, None);
            }
        }
    }

    /// A wave issues an operation: if it stores, what the wave has loaded may have been of use.
    pub(crate) fn note_effect(&mut self, wave: u32, site: SiteId, op: &Issue) {
        let stores = |access: &Access| {
            access.extent.lanes() != 0
                && access.direction != Direction::Read
                && access.space != Space::Scratch
        };
        let Some(state) = self.waves.get_mut(wave) else { return };
        if !op.accesses.iter().any(stores) {
            return;
        }
        state.note_store(site);
        if state.unused_loads.is_empty() {
            return;
        }
        let (used, unused): (Vec<_>, Vec<_>) = std::mem::take(&mut state.unused_loads)
            .into_iter()
            .partition(|unused| !self.is_followed(&unused.load) && self.is_used(unused.load.site, site));
        for used in used {
            self.report_used(used, None);
        }
        if let Some(state) = self.waves.get_mut(wave) {
            state.unused_loads = unused;
        }
    }

    /// Waves that have not ended: what they have loaded may be why.
    pub(crate) fn report_unfinished(&mut self) {
        let waves: Vec<u32> = self.waves.iter().map(|state| state.id.index).collect();
        for wave in waves {
            let unused = self.waves.get_mut(wave).map(|state| std::mem::take(&mut state.unused_loads));
            for unused in unused.unwrap_or_default() {
                self.report_used(unused, None);
            }
        }
    }

    /// The registers that a load writes hold a value in doubt, in these lanes of each dword.
    fn suspect(&mut self, later: &Later, suspicion: Suspicion, lanes: [u64; Undefined::DWORDS]) {
        let Some(state) = self.waves.get_mut(later.wave.index) else { return };
        let info = self.sites.get(later.record.site);
        let of = state.taint.suspect(suspicion);
        for range in info.writes() {
            let whole = range.count % later.dwords.max(1) != 0;
            for (n, register) in range.numbers().enumerate() {
                let bits = match () {
                    _ if register < VGPR0 => all_bits(register),
                    _ if whole => lanes.iter().fold(0, |all, lanes| all | lanes),
                    _ => lanes[(n as u32 % later.dwords.max(1)) as usize & (Undefined::DWORDS - 1)],
                };
                state.taint.mark(register, bits, of);
            }
        }
    }

    /// What a load learns that polls what a store has written.
    pub(crate) fn told_by(&self, store: &Record) -> Option<(Knowledge, Record)> {
        Some((self.known_by(store.epoch)?, *store))
    }

    /// Another wave's load turns out to race with a write after it. Whether its instruction polls decides; its registers,
    /// if they still hold the value, may tell, and the wave may read what is written now while the load is in flight.
    pub(crate) fn suspect_earlier(&mut self, load: Record, poll: Poll, learns: Option<(Knowledge, Record)>) {
        let Some(state) = self.waves.get_mut(load.epoch.agent).filter(|state| !state.ended) else { return };
        let in_flight = !state.has_retired(load.epoch);
        let learns = learns.filter(|_| in_flight);
        let number = state.operation_at(load.epoch.channel, load.epoch.seq).map(|(number, _)| number);
        let holds = |register: &u32| {
            state.loaded.has(*register) && Some(state.loaded_by[*register as usize]) == number
        };
        let written = self.sites.get(load.site).writes().flat_map(|range| range.numbers());
        let held: Vec<u32> = written.filter(holds).collect();
        if held.is_empty() {
            return;
        }
        let of = state.taint.suspect(Suspicion { poll, learns, ..Suspicion::of(load.site) });
        for register in held {
            state.taint.mark(register, all_bits(register), of);
        }
    }

    fn defer(&mut self, load: SiteId, finding: Finding) {
        if self.deferred.add(finding) == self.deferred_loads.len() {
            self.deferred_loads.push(load);
        }
    }

    /// What was put off until it is known which loads poll.
    pub(crate) fn report_deferred(&mut self) {
        let deferred = std::mem::take(&mut self.deferred).into_list();
        for (finding, load) in deferred.into_iter().zip(std::mem::take(&mut self.deferred_loads)) {
            if !(self.polls.contains(&load) || self.polls_by_code(load)) {
                self.findings.add(finding);
            }
        }
    }

    /// What was put off is no more to be reported, if it is known by now that all of these loads poll.
    pub(crate) fn settle_deferred(&mut self) {
        if self.deferred_loads.iter().all(|load| self.polls.contains(load)) {
            (self.deferred, self.deferred_loads) = Default::default();
        }
    }

    fn judge_undefined(&mut self, later: &Later, undefined: &Undefined) {
        let info = self.sites.get(later.record.site);
        let lanes = undefined.lanes.iter().fold(0, |all, lanes| all | lanes);
        let title = format!("LDS byte {:#x} is read but was never written", undefined.addr);
        let severity = if later.record.dma { Severity::Warning } else { Severity::Error };
        let finding = Finding::new("U2", Class::Uninitialized, severity, title)
            .at_lanes("consumer", &info.site, later.wave, lanes);
        if later.loads_registers() {
            let suspicion = Suspicion { finding: Some(finding), ..Suspicion::of(later.record.site) };
            self.suspect(later, suspicion, undefined.lanes);
        } else {
            self.findings.add(finding);
        }
    }
}
