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
use crate::knowledge::common_scope;
use crate::meeting::{Conflict, Meeting, Relation};
use crate::shadow::{BLOCK, Record, WHOLE, for_each_piece};
use crate::site_info::SiteId;
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
                    meeting.touch(piece, cell, n, value, odd);
                }
                Some(_) if !writes || op.stored.is_empty() => {
                    meeting.touch(piece, cell, 0, None, |_| Some(0));
                }
                Some(values) => {
                    let new: [u32; BLOCK] = std::array::from_fn(|n| stored(n as u32).unwrap_or(0));
                    let odd = |old: &Record| match old.value {
                        None => Some(0),
                        Some(_) => (0..BLOCK).find(|&n| values[n] != new[n]).map(|n| n as u32),
                    };
                    meeting.touch(piece, cell, 0, Some(0), odd);
                    *values = new;
                }
            });
        });
        let Meeting { conflicts, undefined, mut copies, .. } = meeting;
        for conflict in conflicts {
            self.report_conflict(wave, site, own_channel, access, &conflict);
        }
        if let Some((addr, lane)) = undefined {
            self.report_undefined_lds(wave, site, addr, lane);
        }
        copies.sort_unstable();
        copies.dedup();
        for copy in copies {
            self.consume_copy(wave, copy);
        }
    }

    fn report_undefined_lds(&mut self, wave: WaveId, site: SiteId, addr: u64, lane: u32) {
        let info = self.sites.get(site);
        if self.findings.count_known("U2", Class::Uninitialized, &[info.site.pc]) {
            return;
        }
        let title = format!("LDS byte {addr:#x} is read but was never written");
        let finding = Finding::new("U2", Class::Uninitialized, Severity::Warning, title).at_lanes(
            "consumer",
            &info.site,
            wave,
            1 << lane,
        );
        self.findings.add(finding);
    }

    fn report_conflict(
        &mut self,
        wave: WaveId,
        site: SiteId,
        own_channel: Channel,
        access: &Access,
        conflict: &Conflict,
    ) {
        let earlier = conflict.earlier;
        let Some(other) = self.waves.get(&earlier.epoch.agent) else { return };
        let Some(state) = self.waves.get(&wave.index) else { return };
        let (first, second) = (self.sites.get(earlier.site).clone(), self.sites.get(site).clone());
        let what = match (conflict.write_first, access.direction) {
            (true, Direction::Read) => ("written", "read"),
            (true, _) => ("written", "overwritten"),
            (false, _) => ("read", "overwritten"),
        };
        let place = match access.space {
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
        } else if issued && access.space == Space::Global && other.id.workgroup_flat != wave.workgroup_flat {
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
            let arrive = other.last_arrive.map(|s| self.sites.get(s).site.clone());
            // How many were younger when it arrived: that is all this wave knows of the other's issues.
            let known = state.known.issued.get(earlier.epoch.agent, earlier.epoch.channel);
            let n = if old_channel == Channel::Sm { 0 } else { known.saturating_sub(earlier.epoch.seq) };
            let hint = format!("{} before", wait_text(self.machine, counter, n));
            let rule = if earlier.dma { "R4" } else { "S1" };
            (rule, Class::MissingWait, title, hint, arrive)
        } else {
            let title = format!(
                "{place} is {} by one wave and {} by another with nothing to order the two",
                what.0, what.1
            );
            let rule = if access.space == Space::Lds { "S2" } else { "M1" };
            let hint = match access.space {
                Space::Lds => "a barrier between the two accesses".to_owned(),
                _ => {
                    "release and acquire through an atomic, or a barrier, between the two accesses".to_owned()
                }
            };
            (rule, Class::MissingSync, title, hint, None)
        };
        let pcs = [first.site.pc, second.site.pc];
        if self.findings.count_known(rule, class, &pcs) {
            return;
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
            return;
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
        self.findings.add(finding);
    }

    fn release_site(&self, agent: u32) -> Option<wavemark_sim::events::Site> {
        let state = self.waves.get(&agent)?;
        state.last_release.map(|site| self.sites.get(site).site.clone())
    }
}
