//! Accesses that nothing orders: R4 and R5 within a wave, races between waves on LDS and on global memory.
//!
//! An earlier access is ordered before a new one if the new one's wave knows that it is over: the earlier operation
//! was retired by a wait before it was published. If it is only known to have been *issued*, a wait is
//! missing before the publication; if not even that, synchronisation is missing ("synchronisation", 5.2). A store that
//! is over may still be hidden by caches, on its own side or on the new one's ([`crate::knowledge`]).

use rustc_hash::FxHashMap;
use wavemark_isa::effects::{invalidate_text, wait_text, write_back_text};
use wavemark_order::Epoch;
use wavemark_sim::events::{Access, Channel, Direction, Extent, Issue, Scope, Space, WaveId};
use wavemark_sim::queue::ordered as pipe_ordered;
use wavemark_target::Facts;

use crate::Checker;
use crate::finding::{Class, Finding, Severity};
use crate::knowledge::{Knowledge, common_scope};
use crate::meeting::{Conflict, Meeting, Relation, Undefined};
use crate::shadow::{BLOCK, Record, WHOLE, for_each_piece};
use crate::site_info::{SiteId, VGPR0};
use crate::taint::{Poll, Suspicion};
use crate::wave_state::WaveState;

/// The channel by number.
pub(crate) fn channel(number: u8) -> Channel {
    Channel::ALL[usize::from(number)]
}

/// The channel whose order governs an operation's accesses to `space`: a FLAT operation is in two.
fn channel_for(op: &Issue, space: Space) -> Option<(Channel, u32)> {
    let lds = op.seq.iter().find(|(c, _)| *c == Channel::Ds);
    let other = op.seq.iter().find(|(c, _)| *c != Channel::Ds);
    match space {
        Space::Lds => lds.filter(|_| op.seq.len() > 1).or(op.seq.first()).copied(),
        _ => other.or(op.seq.first()).copied(),
    }
}

/// What a store writes to the `bytes` of a dword, in place; `offset` is where they start in the lane's data,
/// which starts at `from` in the operation's.
fn stored_value(op: &Issue, from: usize, lanes: u32, lane: u32, offset: u32, bytes: u8) -> Option<u32> {
    if bytes == WHOLE && offset.is_multiple_of(4) {
        return op.stored.get(from + (offset / 4 * lanes + lane) as usize).copied();
    }
    let first = bytes.trailing_zeros();
    let mut value = 0;
    for i in 0..bytes.count_ones() {
        let at = offset + i;
        let word = op.stored.get(from + (at / 4 * lanes + lane) as usize)?;
        value |= (word >> (at % 4 * 8) & 0xff) << ((first + i) * 8);
    }
    Some(value)
}

/// An access that is being checked.
#[derive(Clone, Copy)]
struct Later<'a> {
    state: &'a WaveState,
    ids: &'a FxHashMap<u32, WaveId>,
    facts: &'static Facts,
    epoch: Epoch,
    channel: Channel,
    scope: Scope,
    space: Space,
    /// It only reads, so that what caches hold matters.
    reads: bool,
    /// See [`Record::atomic`].
    atomic: bool,
}

impl Later<'_> {
    /// How `earlier`, a write or (`!write_first`) a read, stands to it.
    fn relation(&self, earlier: &Record, write_first: bool) -> Relation {
        let old = earlier.epoch;
        let own = old.agent == self.state.id.index;
        let common = match self.ids.get(&old.agent) {
            _ if self.space == Space::Lds => Scope::Cu,
            Some(&other) => common_scope(self.state.id, other),
            None => Scope::System,
        };
        let ordered = if own {
            old == self.epoch
                || self.state.retired[usize::from(old.channel)] >= old.seq
                || self.state.known.is_ordered(old)
                || pipe_ordered(channel(old.channel), self.channel, self.space)
        } else {
            self.state.known.is_ordered(old)
        };
        if !ordered {
            let too_narrow = earlier.atomic && earlier.scope.min(self.scope) < common;
            return if too_narrow && (self.atomic || self.reads) {
                Relation::Apart
            } else {
                Relation::Unordered
            };
        }
        if !write_first || self.space == Space::Lds {
            return Relation::Ordered;
        }
        // The scalar cache is no way of vector stores, the wave's own included (CDNA5 ISA 4.1.1).
        if self.channel == Channel::Sm && self.scope == Scope::Cu && !self.state.scalar_fresh.knows(old) {
            return Relation::Stale;
        }
        let known = &self.state.known;
        let written_back = earlier.scope >= common || known.written_back.knows(old);
        if !own && common >= Scope::Device && self.facts.several_l2 && !written_back {
            return Relation::NotWrittenBack;
        }
        if !own && self.reads && self.scope < common && !known.relied.knows(old) {
            return Relation::Stale;
        }
        Relation::Ordered
    }
}

/// An access whose conflicts are judged.
struct Judged {
    wave: WaveId,
    site: SiteId,
    channel: Channel,
    space: Space,
    direction: Direction,
    epoch: Epoch,
    /// What it reads goes into registers.
    into_registers: bool,
    /// Dwords of a lane's data.
    dwords: u32,
}

impl Checker {
    /// Check and remember one access of an operation that was just issued.
    pub(crate) fn check_access(&mut self, wave: WaveId, site: SiteId, op: &Issue, access: &Access) {
        if access.space == Space::Scratch {
            return;
        }
        let Some((own_channel, seq)) = channel_for(op, access.space) else { return };
        let epoch = Epoch { agent: wave.index, channel: own_channel as u8, seq };
        let dma = op.accesses.len() > 1 && op.accesses.iter().any(|a| a.space != access.space);
        let atomic = access.direction == Direction::Atomic
            || (access.space == Space::Global && op.scope > Scope::Cu && !dma);
        let Some(state) = self.waves.get(&wave.index) else { return };
        let shadow = match access.space {
            Space::Lds => self.lds.entry(wave.workgroup_flat).or_default(),
            _ => &mut self.global,
        };
        let later = Later {
            state,
            ids: &self.ids,
            facts: self.facts,
            epoch,
            channel: own_channel,
            scope: op.scope,
            space: access.space,
            reads: access.direction == Direction::Read,
            atomic,
        };
        // Data of this access in `stored`: those of the accesses before it come first.
        let dwords = |a: &Access| match &a.extent {
            Extent::Lanes { bytes, .. } => bytes.div_ceil(4) as usize,
            Extent::Runs(_) => 0,
        };
        let lanes = self.machine.lanes();
        let data_from: usize = op
            .accesses
            .iter()
            .take_while(|a| !std::ptr::eq(*a, access))
            .map(|a| dwords(a) * lanes as usize)
            .sum();
        let common = Record { epoch, site, bytes: 0, atomic, scope: op.scope, dma, value: None };
        let mut meeting = Meeting::new(access, common, |old, write_first| later.relation(old, write_first));
        let writes = access.direction != Direction::Read;
        for_each_piece(&access.extent, |piece| {
            let stored = |n: u32| {
                let (lane, offset) = piece.place(n);
                stored_value(op, data_from, lanes, lane, offset, piece.bytes)
            };
            shadow.visit(piece, writes, |n, cell, values| match values {
                None => {
                    let value = stored(n);
                    let odd = |old: &Record| (value.is_none() || old.value != value).then_some(n);
                    meeting.touch(piece, cell, n, 1, value, odd);
                }
                Some(_) if !writes || op.stored.is_empty() => {
                    meeting.touch(piece, cell, 0, piece.count, None, |_| Some(0));
                }
                Some(values) => {
                    let new: [u32; BLOCK] = std::array::from_fn(|n| stored(n as u32).unwrap_or(0));
                    let odd = |old: &Record| match old.value {
                        None => Some(0),
                        Some(_) => (0..BLOCK).find(|&n| values[n] != new[n]).map(|n| n as u32),
                    };
                    meeting.touch(piece, cell, 0, piece.count, Some(0), odd);
                    *values = new;
                }
            });
        });
        let Meeting { conflicts, undefined, mut copies, .. } = meeting;
        let judged = Judged {
            wave,
            site,
            channel: own_channel,
            space: access.space,
            direction: access.direction,
            epoch,
            into_registers: !dma,
            dwords: dwords(access) as u32,
        };
        for conflict in conflicts {
            self.judge(&judged, &conflict);
        }
        if let Some(undefined) = undefined {
            self.judge_undefined(&judged, &undefined);
        }
        copies.sort_unstable();
        copies.dedup();
        for copy in copies {
            self.consume_copy(wave, copy);
        }
    }

    /// What to do about a conflict: report it; or, where a load may poll or be of no use, wait for what becomes of it.
    fn judge(&mut self, judged: &Judged, conflict: &Conflict) {
        let own = conflict.earlier.epoch.agent == judged.wave.index;
        let Some(&other) = self.ids.get(&conflict.earlier.epoch.agent) else { return };
        let near = common_scope(other, judged.wave) == Scope::Cu;
        let poll = match conflict.relation {
            Relation::NotWrittenBack | Relation::Stale | Relation::Apart => Poll::Never,
            _ if conflict.both_atomic => Poll::Any,
            _ if near => Poll::Loop,
            _ => Poll::Never,
        };
        if !own && conflict.write_first && judged.into_registers && judged.direction == Direction::Read {
            // What it reads may mean nothing.
            let polls = self.polls.contains(&judged.site);
            if polls && poll == Poll::Any {
                return;
            }
            let finding =
                if polls && poll == Poll::Loop { None } else { self.conflict_finding(judged, conflict) };
            let learns = if poll == Poll::Loop { self.known_by(conflict.earlier.epoch) } else { None };
            let suspicion = Suspicion { finding, load: judged.site, poll, learns };
            self.suspect(judged, suspicion, [conflict.lanes; Undefined::DWORDS]);
            return;
        }
        let may_poll = conflict.both_atomic || judged.direction == Direction::Atomic || near;
        if !own && !conflict.write_first && may_poll && !conflict.earlier.dma {
            // What another wave has read may mean nothing.
            if self.polls.contains(&conflict.earlier.site) {
                return;
            }
            let Some(finding) = self.conflict_finding(judged, conflict) else { return };
            let poll = if conflict.both_atomic || judged.direction == Direction::Atomic {
                Poll::Any
            } else {
                Poll::Loop
            };
            let learns = if poll == Poll::Loop { self.known_by(judged.epoch) } else { None };
            self.suspect_earlier(conflict.earlier, finding, poll, learns);
            return;
        }
        if let Some(finding) = self.conflict_finding(judged, conflict) {
            self.findings.add(finding);
        }
    }

    /// The knowledge that an operation would publish, if it is still remembered.
    fn known_by(&self, operation: Epoch) -> Option<Knowledge> {
        let state = self.waves.get(&operation.agent)?;
        let (_, operation) = state.operation_at(operation.channel, operation.seq)?;
        Some(operation.before.knowledge(state.id.index))
    }

    /// The registers that a load writes hold a value in doubt, in these lanes of each dword.
    fn suspect(&mut self, judged: &Judged, suspicion: Suspicion, lanes: [u64; Undefined::DWORDS]) {
        let Some(state) = self.waves.get_mut(&judged.wave.index) else { return };
        let info = self.sites.get(judged.site);
        let of = state.taint.suspect(suspicion);
        for range in &info.writes {
            let whole = range.count % judged.dwords.max(1) != 0;
            for (n, register) in range.numbers().enumerate() {
                let bits = match () {
                    _ if register < VGPR0 => u64::from(u32::MAX),
                    _ if whole => lanes.iter().fold(0, |all, lanes| all | lanes),
                    _ => lanes[(n as u32 % judged.dwords.max(1)) as usize & (Undefined::DWORDS - 1)],
                };
                state.taint.mark(register, bits, of);
            }
        }
    }

    /// Another wave's load turns out to race with a write after it. Whether its instruction polls decides; its registers,
    /// if they still hold the value, may tell, and the wave may have read what is written now.
    fn suspect_earlier(&mut self, load: Record, finding: Finding, poll: Poll, learns: Option<Knowledge>) {
        self.defer(load.site, finding);
        let Some(state) = self.waves.get_mut(&load.epoch.agent).filter(|state| !state.ended) else { return };
        let number = state.operation_at(load.epoch.channel, load.epoch.seq).map(|(number, _)| number);
        let ranges = &self.sites.get(load.site).writes;
        let holds = |register: u32| Some(state.loaded_by[register as usize]) == number;
        let held: Vec<u32> = ranges.iter().flat_map(|range| range.numbers()).filter(|&r| holds(r)).collect();
        if held.is_empty() {
            return;
        }
        let of = state.taint.suspect(Suspicion { finding: None, load: load.site, poll, learns });
        for register in held {
            state.taint.mark(register, if register < VGPR0 { u64::from(u32::MAX) } else { u64::MAX }, of);
        }
    }

    fn defer(&mut self, load: SiteId, finding: Finding) {
        let pcs = |f: &Finding| f.sites.iter().map(|site| site.site.pc).collect::<Vec<_>>();
        let same = |f: &Finding| f.rule == finding.rule && pcs(f) == pcs(&finding);
        match self.deferred.iter_mut().find(|(site, known)| *site == load && same(known)) {
            Some((_, known)) => known.instances += 1,
            None => self.deferred.push((load, finding)),
        }
    }

    fn judge_undefined(&mut self, judged: &Judged, undefined: &Undefined) {
        let info = self.sites.get(judged.site);
        let lanes = undefined.lanes.iter().fold(0, |all, lanes| all | lanes);
        let title = format!("LDS byte {:#x} is read but was never written", undefined.addr);
        let severity = if judged.into_registers { Severity::Error } else { Severity::Warning };
        let finding = Finding::new("U2", Class::Uninitialized, severity, title).at_lanes(
            "consumer",
            &info.site,
            judged.wave,
            lanes,
        );
        if judged.into_registers && judged.direction == Direction::Read {
            let suspicion =
                Suspicion { finding: Some(finding), load: judged.site, poll: Poll::Never, learns: None };
            self.suspect(judged, suspicion, undefined.lanes);
        } else {
            self.findings.add(finding);
        }
    }

    /// What is to be said of a conflict; nothing if it is said already.
    fn conflict_finding(&mut self, judged: &Judged, conflict: &Conflict) -> Option<Finding> {
        let Judged { wave, site, channel: own_channel, space, direction, .. } = *judged;
        let earlier = conflict.earlier;
        let other = self.waves.get(&earlier.epoch.agent)?;
        let state = self.waves.get(&wave.index)?;
        let (first, second) = (self.sites.get(earlier.site).clone(), self.sites.get(site).clone());
        let what = match (conflict.write_first, direction) {
            (true, Direction::Read) => ("written", "read"),
            (true, _) => ("written", "overwritten"),
            (false, _) => ("read", "overwritten"),
        };
        let place = match space {
            Space::Lds => format!("LDS byte {:#x}", conflict.dword * 4),
            _ => format!("global memory at {:#x}", conflict.dword * 4),
        };
        let old_channel = channel(earlier.epoch.channel);
        let own = earlier.epoch.agent == wave.index;
        let issued = own || state.known.issued.knows(earlier.epoch);
        let counter = wavemark_sim::events::Counter::of(old_channel, self.counters);
        let younger = other.seq[earlier.epoch.channel as usize].saturating_sub(earlier.epoch.seq);
        let n = if old_channel == Channel::Sm { 0 } else { younger };
        let (rule, class, title, hint, hint_site) = if conflict.relation == Relation::NotWrittenBack {
            let waiting = other.write_backs.iter().find(|op| op.covers.knows(earlier.epoch));
            let before = "before the releasing store";
            let (class, why, hint) = if let Some(op) = waiting {
                let counter = wavemark_sim::events::Counter::of(op.seq.0, self.counters);
                let wait = wait_text(self.machine, counter, 0);
                (Class::MissingWait, "is not over", format!("{wait} {before}"))
            } else {
                let op = write_back_text(self.machine);
                (Class::MissingWriteback, "is missing", format!("{op} and its wait {before}"))
            };
            let title = format!(
                "{place} is {} in another workgroup, whose caches need not see the store: a write-back {why}",
                what.1
            );
            ("M5", class, title, hint, self.release_site(earlier.epoch.agent))
        } else if conflict.relation == Relation::Stale {
            let title = format!(
                "{place} is {} through caches that may hold what was there before {} wrote it",
                what.1, first.mnemonic
            );
            let (hint, hint_site) = if own_channel == Channel::Sm {
                ("a scope beyond the CU on".to_owned(), Some(second.site.clone()))
            } else {
                let text = invalidate_text(self.machine);
                (format!("{text} with the scope that both waves share before"), Some(second.site.clone()))
            };
            ("M6", Class::MissingInvalidate, title, hint, hint_site)
        } else if conflict.relation == Relation::Apart && conflict.both_atomic {
            let title = format!(
                "atomics of two waves meet in {place}, and a scope does not reach as far as the waves are apart"
            );
            (
                "M2",
                Class::WrongScope,
                title,
                "the scope that both waves share on".to_owned(),
                Some(second.site.clone()),
            )
        } else if own {
            let wrong = other
                .operations
                .iter()
                .find(|o| o.seq.contains(&(old_channel, earlier.epoch.seq)))
                .is_some_and(|o| self.waited_for_another(other, o));
            let dma_second = matches!(own_channel, Channel::Al | Channel::As | Channel::Td | Channel::Vm);
            let rule = match (old_channel, wrong) {
                (_, true) => "R6",
                (Channel::Ds, _) if dma_second => "R5",
                _ => "R4",
            };
            let title =
                format!("{place} is {} by {} while {} is in flight", what.1, second.mnemonic, first.mnemonic);
            let hint = format!("{} before", wait_text(self.machine, counter, n));
            (rule, Class::MissingWait, title, hint, Some(second.site.clone()))
        } else if issued && space == Space::Global && other.id.workgroup_flat != wave.workgroup_flat {
            let title = format!(
                "{place} is {} without the earlier access having completed before it was published",
                what.1
            );
            let hint = format!("{} before the releasing store", wait_text(self.machine, counter, 0));
            ("M5", Class::MissingWait, title, hint, self.release_site(earlier.epoch.agent))
        } else if issued {
            let title = format!(
                "{place} is {} while {} of another wave may still be in flight: the barrier does not wait for it",
                what.1, first.mnemonic
            );
            // How many were younger when it arrived: that is all this wave knows of the other's issues.
            let known = state.known.issued.get(earlier.epoch.agent, earlier.epoch.channel);
            let arrive = other.arrive_at(earlier.epoch.channel, known);
            let arrive = arrive.map(|site| self.sites.get(site).site.clone());
            let n = if old_channel == Channel::Sm { 0 } else { known.saturating_sub(earlier.epoch.seq) };
            let hint = format!("{} before", wait_text(self.machine, counter, n));
            let rule = if earlier.dma { "R4" } else { "S1" };
            (rule, Class::MissingWait, title, hint, arrive)
        } else {
            let title = format!(
                "{place} is {} by one wave and {} by another with nothing to order the two",
                what.0, what.1
            );
            let rule = if space == Space::Lds { "S2" } else { "M1" };
            let hint = match space {
                Space::Lds => "a barrier between the two accesses".to_owned(),
                _ => {
                    "release and acquire through an atomic, or a barrier, between the two accesses".to_owned()
                }
            };
            (rule, Class::MissingSync, title, hint, None)
        };
        let pcs = [first.site.pc, second.site.pc];
        if self.findings.count_known(rule, class, &pcs) {
            return None;
        }
        // By the manual asynchronous loads and stores return each in order, but not one with the other
        // (CDNA5 ISA 10.8); compilers take ASYNCcnt for one queue.
        let only_two_fifos = own
            && other.operations.iter().any(|o| {
                o.seq.contains(&(old_channel, earlier.epoch.seq))
                    && o.async_index != 0
                    && o.async_index <= other.async_retired
            });
        if only_two_fifos && self.model.asynccnt_one {
            return None;
        }
        let severity = if only_two_fifos { Severity::Warning } else { Severity::Error };
        let roles = if conflict.write_first { ("producer", "consumer") } else { ("reader", "writer") };
        let mut finding = Finding::new(rule, class, severity, title)
            .at(roles.0, &first.site, other.id)
            .at_lanes(roles.1, &second.site, wave, 1 << conflict.lane)
            .hint(hint, hint_site);
        if only_two_fifos {
            finding = finding.model("asynccnt");
        }
        Some(finding)
    }

    fn release_site(&self, agent: u32) -> Option<wavemark_sim::events::Site> {
        let state = self.waves.get(&agent)?;
        state.last_release.map(|site| self.sites.get(site).site.clone())
    }
}
