//! Synchronisation through memory: releases, acquires and LDS barrier cells.
//!
//! At machine level there is no release instruction: every atomic, and every store with a scope beyond the
//! CU, publishes what its wave knows; a load, or an atomic that returns what it reads, learns it when it
//! retires ("synchronisation", 5.4), provided that both scopes reach as far as the two waves are apart. Between
//! workgroups a cache invalidate must follow before it counts for plain loads ([`crate::knowledge`]). An LDS location
//! that an atomic has touched synchronises likewise, without caches in between; a plain store there, or in
//! global memory between waves that share their cache, publishes if it gives a lock back ([`Checker::gives_lock_back`]).
//!
//! All accesses to one place have one order: what a wave writes there comes behind what it has read there, whoever wrote
//! that, and whether or not that is over elsewhere ([`Checker::has_seen`]).

use std::sync::Arc;

use smallvec::SmallVec;
use wavemark_isa::effects::{AtomicOp, Caches, Verb};
use wavemark_order::Epoch;
use wavemark_sim::events::{Access, CHANNELS, CacheOp, Channel, Direction, Issue, Scope, Space, WaveId};

use crate::Checker;
use crate::knowledge::{Knowledge, WaveClock, common_scope};
use crate::polls::Load;
use crate::published::{Publications, Published};
use crate::races::keeps;
use crate::relation::channel;
use crate::shadow::{Place, bounds, for_each_dword};
use crate::site_info::SiteId;
use crate::snapshot::Moved;
use crate::wave_state::{Release, WroteBack};

/// What a load has read and its wave may rely on once the load is retired.
#[derive(Clone, Debug)]
pub(crate) struct Acquire {
    seq: (Channel, u32),
    /// What was published, and the scope that its wave shares with this one.
    learnt: SmallVec<[(Scope, Arc<Knowledge>); 2]>,
}

/// A write-back in flight.
#[derive(Clone, Debug)]
pub(crate) struct WriteBack {
    pub seq: (Channel, u32),
    /// The stores that it writes back.
    pub covers: WaveClock,
}

/// An invalidate in flight, where it counts only once it is over (`--model inv-wait=strict`).
#[derive(Clone, Debug)]
pub(crate) struct Invalidate {
    pub seq: (Channel, u32),
    /// What its wave may rely on then.
    pub known: Knowledge,
}

/// What a wave has learnt of late: what it knows only grows.
#[derive(Clone, Debug, Default)]
pub(crate) struct LearntOfLate {
    known: SmallVec<[(Scope, Arc<Knowledge>); 4]>,
    /// The one that is forgotten next.
    next: usize,
}

impl LearntOfLate {
    /// So many are remembered.
    const MOST: usize = 8;

    /// Whether it has learnt this so; it has now.
    fn knows(&mut self, (common, known): (Scope, &Arc<Knowledge>)) -> bool {
        let knows = self.known.iter().any(|(so, other)| *so == common && Arc::ptr_eq(other, known));
        if !knows {
            let new = (common, Arc::clone(known));
            let full = self.known.len() == Self::MOST;
            match self.known.get_mut(self.next).filter(|_| full) {
                Some(old) => *old = new,
                None => self.known.push(new),
            }
            self.next = (self.next + 1) % Self::MOST;
        }
        knows
    }
}

impl Acquire {
    /// The same of waves whose numbers are higher by so much.
    pub fn moved(&self, by: &mut Moved) -> Acquire {
        let learnt = self.learnt.iter().map(|(common, known)| (*common, by.shared(known))).collect();
        Acquire { seq: self.seq, learnt }
    }
}

impl WriteBack {
    /// The same of waves whose numbers are higher by so much.
    pub fn moved(&self, by: u32) -> WriteBack {
        WriteBack { seq: self.seq, covers: self.covers.moved(by) }
    }
}

impl Invalidate {
    /// The same of waves whose numbers are higher by so much.
    pub fn moved(&self, by: u32) -> Invalidate {
        Invalidate { seq: self.seq, known: self.known.moved(by) }
    }
}

/// Where what was published in global memory stands, beside the LDS of workgroups.
const GLOBAL: u32 = u32::MAX;

/// The number of the memory that a wave sees in a space.
pub(crate) fn memory(space: Space, wave: WaveId) -> u32 {
    if space == Space::Lds { wave.workgroup_flat } else { GLOBAL }
}

/// What a wave has seen of late in dwords where others publish.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    looks: SmallVec<[SeenDword; 2]>,
    /// Stores whose values it has waited for in a loop, that publish by that alone.
    flags: SmallVec<[Epoch; 2]>,
}

#[derive(Clone, Copy, Debug)]
struct SeenDword {
    /// Which memory, and where there.
    at: (u32, u64),
    /// The load.
    seq: (Channel, u32),
    /// How many operations had published in that memory then.
    count: u32,
}

impl Seen {
    /// So many looks are remembered.
    const MOST: usize = 16;
    /// So many of them at one dword.
    const LOOKS: usize = 4;
    /// So many flags.
    const FLAGS: usize = 4;

    /// Whether it has seen nothing of late.
    pub fn is_empty(&self) -> bool {
        self.looks.is_empty() && self.flags.is_empty()
    }

    /// It has looked there; whoever looks again before others have published anything has seen the same.
    fn note(&mut self, new: SeenDword) {
        let same = |old: &&SeenDword| old.at == new.at;
        if self.looks.iter().rev().find(same).is_some_and(|last| last.count == new.count) {
            return;
        }
        if self.looks.len() == Self::MOST {
            self.looks.remove(0);
        }
        if self.looks.iter().filter(same).count() == Self::LOOKS
            && let Some(oldest) = self.looks.iter().position(|old| old.at == new.at)
        {
            self.looks.remove(oldest);
        }
        self.looks.push(new);
    }

    /// The dwords of a memory that were seen by loads before this operation, and how many operations had published there then.
    fn before(&self, memory: u32, operation: Epoch) -> impl Iterator<Item = (u64, u32)> + '_ {
        let is_before = move |seen: &&SeenDword| {
            let (channel, seq) = seen.seq;
            seen.at.0 == memory && channel as u8 == operation.channel && seq < operation.seq
        };
        let looks = move || self.looks.iter().filter(is_before);
        let is_last =
            move |seen: &&SeenDword| looks().all(|other| other.at != seen.at || other.count <= seen.count);
        looks().filter(is_last).map(|seen| (seen.at.1, seen.count))
    }

    /// It has waited for what a store has written.
    pub fn note_flag(&mut self, store: Epoch) {
        if self.flags.contains(&store) {
            return;
        }
        if self.flags.len() == Self::FLAGS {
            self.flags.remove(0);
        }
        self.flags.push(store);
    }

    /// The same of a wave of another workgroup, all of whose waves have numbers that are higher by so much.
    pub fn move_to(&mut self, workgroup: u32, by: u32) {
        self.flags.iter_mut().for_each(|store| store.agent += by);
        for SeenDword { at, .. } in self.looks.iter_mut().filter(|seen| seen.at.0 != GLOBAL) {
            at.0 = workgroup;
        }
    }

    /// How many operations had published in a memory when a dword there was last seen by a load that is retired.
    fn count(&self, at: (u32, u64), retired: &[u32; CHANNELS]) -> u32 {
        let is_over = |seen: &&SeenDword| seen.at == at && retired[seen.seq.0 as usize] >= seen.seq.1;
        self.looks.iter().filter(is_over).map(|seen| seen.count).max().unwrap_or_default()
    }
}

/// What a wave learns by reading dwords with a scope: what was published there by others, with a scope that reaches as
/// far as the two are apart; and whether any of that tells it of accesses of another wave that it did not know.
fn learnt(
    published: &mut Publications,
    dwords: &[u64],
    wave: WaveId,
    known: &Knowledge,
    space: Space,
    scope: Scope,
) -> (SmallVec<[(Scope, Arc<Knowledge>); 2]>, bool) {
    let mut learnt: SmallVec<[(Scope, Arc<Knowledge>); 2]> = SmallVec::new();
    let mut any_new = false;
    published.visit(dwords, |published| {
        for entry in published {
            let needed = common_scope(entry.by, wave);
            let inclusive = space == Space::Lds || (entry.scope >= needed && scope >= needed);
            // A wave may learn of its own copy's end from the barrier cell that the copy signals.
            let own = entry.by.index == wave.index && space != Space::Lds;
            let again =
                needed > Scope::Cu && !entry.of_copy && known.includes_of(&entry.known, entry.by.index);
            let is_new = !again && !learnt.iter().any(|(_, known)| Arc::ptr_eq(known, &entry.known));
            if inclusive && !own && is_new {
                any_new |= entry.by.index != wave.index && !known.includes_of(&entry.known, entry.by.index);
                learnt.push((needed, entry.known.clone()));
            }
        }
    });
    (learnt, any_new)
}

/// An atomic publishes beside what its dword carries, but for what it hands on itself of waves that are over: whoever reads
/// it is of another workgroup.
fn add(list: &mut SmallVec<[Published; 1]>, new: &Published, is_over: impl Fn(u32) -> bool) {
    list.retain(|old| {
        let again = old.scope <= new.scope && !old.of_copy && new.known.includes_of(&old.known, old.by.index);
        !(again && old.by.index != new.by.index && is_over(old.by.index))
    });
    match list.iter_mut().find(|entry| entry.by.index == new.by.index) {
        // Copies end in any order with what their wave does meanwhile.
        Some(entry) if new.of_copy || entry.of_copy => {
            Arc::make_mut(&mut entry.known).learn(&new.known, Scope::Cu);
            (entry.op, entry.of_copy, entry.lock) = (entry.op.max(new.op), true, false);
            entry.scope = entry.scope.max(new.scope);
        }
        // What a wave knows only grows.
        Some(entry) => {
            if entry.op < new.op {
                (entry.op, entry.known) = (new.op, new.known.clone());
                (entry.seq, entry.order) = (new.seq, new.order);
            }
            entry.lock &= new.lock;
            entry.scope = entry.scope.max(new.scope);
        }
        None => list.push(new.clone()),
    }
}

/// The channels of what goes through the vector cache of a compute unit.
const VECTOR: &[u8] = &[Channel::Vm as u8, Channel::Ld as u8, Channel::St as u8];

impl Checker {
    /// An operation that may publish is issued: what the wave has waited for was to be published.
    pub(crate) fn note_release(&mut self, wave: WaveId, site: SiteId, op: &Issue) {
        if !op.accesses.iter().any(|access| self.publishes(wave, op, access)) {
            return;
        }
        let releases = op.accesses.iter().any(|access| access.space == Space::Global);
        self.waves.releases |= releases;
        let (info, lanes) = (self.sites.get(site), self.machine.lanes() as usize);
        let keeps = op.accesses.iter().all(|access| keeps(op, access, info, lanes));
        if let Some(state) = self.waves.get_mut(wave.index) {
            let mut before = state.arrive(site);
            for &(channel, own) in &op.seq {
                before.seq[channel as usize] = own - 1;
            }
            if let Some(&own) = op.seq.first() {
                let is_over = |(channel, seq): (Channel, u32)| state.retired[channel as usize] >= seq;
                let last = state.last_write_back;
                let write_back = last.map(|last| WroteBack { is_over: is_over(last.own), ..last });
                state.note_release(Release { at: before, own, write_back, keeps, scope: op.scope }, releases);
            }
        }
        self.consume_published(wave.index);
    }

    /// What an operation publishes, if it does: what its wave knew when it was issued.
    fn published_by(&self, wave: WaveId, op: &Issue) -> Option<Knowledge> {
        // A compare-and-swap that fails is a load.
        if op.failed || !op.accesses.iter().any(|access| self.publishes(wave, op, access)) {
            return None;
        }
        let &(channel, seq) = op.seq.first()?;
        let mut known = self.known_by(Epoch { agent: wave.index, channel: channel as u8, seq })?;
        if op.accesses.iter().any(|access| access.space == Space::Global) {
            let mut performed = WaveClock::new();
            self.join_performed(&mut performed, wave, &known.issued);
            known.performed = performed;
        }
        for &(channel, seq) in &op.seq {
            // What publishes in LDS performs in order with the wave's LDS operations; the arrive of an asynchronous
            // copy or of a tensor transfer follows the earlier ones of its class.
            if matches!(channel, Channel::Ds | Channel::Al | Channel::Td)
                && op.accesses.iter().any(|a| a.space == Space::Lds && a.direction != Direction::Read)
            {
                known.relied.raise(wave.index, channel as u8, seq);
            }
        }
        Some(known)
    }

    /// What other waves of its workgroup have issued to global memory, as far as a wave knows: where the cache of their compute
    /// unit keeps the order of accesses, that is done before what the wave issues now, and seen by whom the wave hands it on
    /// to. So compiled code relies on it: a barrier of a workgroup waits for no store, and a release after it for those of its
    /// own wave (LLVM's `SIMemoryLegalizer`).
    fn join_performed(&self, performed: &mut WaveClock, wave: WaveId, issued: &WaveClock) {
        if self.facts.cu_keeps_order && !self.model.cu_order_in_workgroup {
            let near = |agent: u32| {
                let other = self.waves.id(agent).filter(|other| other.index != wave.index);
                other.is_some_and(|other| common_scope(wave, other) == Scope::Cu)
            };
            performed.join_channels(issued, VECTOR, near);
        }
    }

    /// Whether an access publishes what its wave knows.
    fn publishes(&self, wave: WaveId, op: &Issue, access: &Access) -> bool {
        match (access.space, access.direction) {
            (_, Direction::Atomic) => true,
            (Space::Global, Direction::Write) if op.scope > Scope::Cu => op.accesses.len() == 1,
            (_, Direction::Write) => self.gives_lock_back(wave, access),
            (_, Direction::Read) => false,
        }
    }

    /// Whether an access stores in a dword that nothing but exchanges and comparisons has touched, and such stores, all
    /// of which the wave knows: so a lock is given back that the wave has taken. One in global memory is a lock between
    /// the waves of a compute unit, who need no scope for that.
    pub(crate) fn gives_lock_back(&self, wave: WaveId, access: &Access) -> bool {
        if access.direction != Direction::Write || access.space == Space::Scratch {
            return false;
        }
        let place = Place::of(&access.extent).filter(|place| place.bytes == 4 && place.at % 4 == 0);
        let published = self.published.get(&memory(access.space, wave));
        let (Some(place), Some(published), Some(state)) = (place, published, self.waves.get(wave.index))
        else {
            return false;
        };
        let carried = published.of(place.at / 4);
        let is_known = |entry: &Published| state.known.includes_of(&entry.known, entry.by.index);
        let in_lds = access.space == Space::Lds;
        let is_near = |entry: &Published| in_lds || common_scope(entry.by, wave) == Scope::Cu;
        !carried.is_empty() && carried.iter().all(|entry| entry.lock && is_near(entry) && is_known(entry))
    }

    /// Whether an operation can take a lock: it sees what was there, and may leave it.
    fn takes_lock(&self, wave: WaveId, (channel, seq): (Channel, u32)) -> bool {
        let operation = self.waves.get(wave.index).and_then(|state| state.operation_at(channel as u8, seq));
        let memory = operation.and_then(|(_, operation)| self.sites.get(operation.site).effects.memory);
        memory.is_some_and(|memory| {
            let atomic = memory.atomic.filter(|_| memory.verb == Verb::AtomicReturn);
            matches!(atomic, Some(AtomicOp::Swap | AtomicOp::CmpSwap | AtomicOp::CmpStore))
        })
    }

    /// Whether a wave has seen, by a load that is retired, what an operation has left in a dword, or what came later: whatever the
    /// wave writes there comes behind it, as all accesses to one place have one order. Of how far that operation is elsewhere
    /// this says nothing.
    pub(crate) fn has_seen(&self, wave: u32, space: Space, dword: u64, operation: Epoch) -> bool {
        let (Some(state), Some(id)) = (self.waves.get(wave), self.waves.id(operation.agent)) else {
            return false;
        };
        if state.seen.flags.contains(&operation) {
            return true;
        }
        let memory = memory(space, id);
        let count = state.seen.count((memory, dword), &state.retired);
        let carried = self.published.get(&memory).map_or(&[][..], |published| published.of(dword));
        carried.iter().any(|entry| {
            entry.by.index == operation.agent
                && entry.order < count
                && entry.seq.0 as u8 == operation.channel
                && entry.seq.1 >= operation.seq
        })
    }

    /// Whether another wave has published something in global memory where the wave of a load has looked before the load, and has
    /// not seen it.
    pub(crate) fn has_news(&self, load: Epoch, other: u32) -> bool {
        let (Some(seen), Some(published)) = (self.waves.seen(load.agent), self.published.get(&GLOBAL)) else {
            return false;
        };
        seen.before(GLOBAL, load).any(|(dword, count)| {
            published.of(dword).iter().any(|entry| entry.by.index == other && entry.order >= count)
        })
    }

    /// Whether an operation tells its wave what it has read. An atomic that does not return the old value may have come
    /// before or after any other: its wave learns of none.
    fn returns(&self, wave: WaveId, (channel, seq): (Channel, u32)) -> bool {
        let state = self.waves.get(wave.index);
        let operation = state.and_then(|state| state.operation_at(channel as u8, seq));
        let memory = operation.and_then(|(_, operation)| self.sites.get(operation.site).effects.memory);
        memory.is_some_and(|memory| matches!(memory.verb, Verb::Load | Verb::AtomicReturn))
    }

    /// What the wave of an operation knew when it was issued, if that is still remembered. Who has seen what it did in LDS knows
    /// that the wave's LDS operations before it are over: they are performed in order.
    pub(crate) fn known_by(&self, operation: Epoch) -> Option<Knowledge> {
        let state = self.waves.get(operation.agent)?;
        let mut known = state.before(operation.channel, operation.seq)?.knowledge(state.id.index);
        if channel(operation.channel) == Channel::Ds {
            known.relied.raise(operation.agent, operation.channel, operation.seq);
        }
        Some(known)
    }

    /// The data of an operation have moved: publish, or read what was published.
    pub(crate) fn note_completion(&mut self, wave: WaveId, op: &Issue) {
        let release = self.published_by(wave, op).map(Arc::new);
        for access in &op.accesses {
            if access.space == Space::Scratch {
                continue;
            }
            let memory = memory(access.space, wave);
            // What is the workgroup's alone may be read without a scope; it is one flag, for all lanes.
            let may_learn = || {
                access.direction == Direction::Atomic
                    || access.direction == Direction::Read
                        && (access.space == Space::Lds
                            || op.scope > Scope::Cu
                            || Place::of(&access.extent).is_some())
            };
            let may_find = |published: &Publications| published.may_have(bounds(&access.extent));
            let published = self.published.get(&memory);
            let may_learn = published.filter(|_| may_learn()).is_some_and(may_find);
            self.note_seen(wave, op, access);
            let reads = op.seq.first().copied().filter(|&seq| may_learn && self.returns(wave, seq));
            let release = release.as_ref().filter(|_| self.publishes(wave, op, access));
            if reads.is_none() && release.is_none() {
                continue;
            }
            let mut dwords: SmallVec<[u64; 64]> = SmallVec::new();
            for_each_dword(&access.extent, |dword| {
                if dwords.last() != Some(&dword) {
                    dwords.push(dword);
                }
            });
            if let Some(seq) = reads {
                self.acquire(wave, seq, &dwords, (access.space, op.scope));
            }
            if let (Some(release), Some(&seq)) = (release, op.seq.first()) {
                let gives_back = access.direction == Direction::Write
                    && (access.space == Space::Lds || op.scope <= Scope::Cu);
                let lock = gives_back || self.takes_lock(wave, seq);
                let published = self.published.entry(memory).or_default();
                let of_copy = op.seq.iter().any(|(channel, _)| matches!(channel, Channel::Al | Channel::Td));
                let (scope, known) = (op.scope, release.clone());
                let order = published.count;
                published.count += 1;
                let entry = Published { by: wave, scope, op: op.id, seq, order, known, lock, of_copy };
                if access.direction == Direction::Write {
                    published.replace(&dwords, entry);
                } else {
                    let is_over = |wave: u32| self.waves.get(wave).is_none();
                    published.add(&dwords, |list| add(list, &entry, is_over));
                }
            }
        }
        self.take_retired(wave.index);
    }

    /// A load of one dword of global memory with a scope has seen what is there, whether or not others have published there.
    fn note_seen(&mut self, wave: WaveId, op: &Issue, access: &Access) {
        if (access.space, access.direction) != (Space::Global, Direction::Read) || op.scope == Scope::Cu {
            return;
        }
        let place = Place::of(&access.extent).filter(|place| place.bytes == 4);
        if let (Some(place), Some(state), Some(&seq)) =
            (place, self.waves.get_mut(wave.index), op.seq.first())
        {
            let count = self.published.get(&GLOBAL).map_or(0, |published| published.count);
            state.seen.note(SeenDword { at: (GLOBAL, place.at / 4), seq, count });
        }
    }

    /// The same for a load of one place of LDS into registers.
    pub(crate) fn note_load_completion(&mut self, wave: WaveId, load: &Load) {
        let Load { epoch, scope, place, .. } = *load;
        let seq = (channel(epoch.channel), epoch.seq);
        let may_find = |published: &Publications| published.may_have(Some(place.bounds()));
        if self.published.get(&wave.workgroup_flat).is_some_and(may_find) && self.returns(wave, seq) {
            let dwords: SmallVec<[u64; 4]> = place.dwords().collect();
            self.acquire(wave, seq, &dwords, (Space::Lds, scope));
        }
        self.take_retired(wave.index);
    }

    /// A wave has read dwords by the operation at a place in a channel: once that is retired, it learns what was published there.
    fn acquire(&mut self, wave: WaveId, seq: (Channel, u32), dwords: &[u64], (space, scope): (Space, Scope)) {
        let memory = memory(space, wave);
        let (Some(published), Some(state)) =
            (self.published.get_mut(&memory), self.waves.get_mut(wave.index))
        else {
            return;
        };
        if let &[dword] = dwords
            && !published.of(dword).is_empty()
        {
            state.seen.note(SeenDword { at: (memory, dword), seq, count: published.count });
        }
        let (learnt, any_new) = learnt(published, dwords, wave, &state.known, space, scope);
        self.depends_on_order |= any_new;
        if !learnt.is_empty() {
            state.acquires.push(Acquire { seq, learnt });
        }
    }

    /// Forget, if it may be much, what was published of waves that are over and of whose accesses nothing is remembered:
    /// nobody can race with them any more.
    pub(crate) fn forget_dead(&mut self) {
        let Some(published) = self.published.get_mut(&GLOBAL).filter(|published| published.may_have_dead())
        else {
            return;
        };
        let mut alive = self.global.agents();
        alive.extend(self.waves.iter().map(|state| state.id.index));
        let is_alive = |agent: u32| alive.contains(&agent);
        published.forget(is_alive, self.global.dwords() / 8);
        self.waves.forget(is_alive);
    }

    /// Acquires whose loads are retired, and write-backs that are, count now. Whether there are any.
    pub(crate) fn take_retired(&mut self, wave: u32) -> bool {
        let Some(state) = self.waves.get_mut(wave) else { return false };
        let pending = state.acquires.len() + state.write_backs.len() + state.invalidates.len();
        if pending == 0 {
            return false;
        }
        let (retired, known) = (state.retired, &mut state.known);
        let is_retired = |seq: (Channel, u32)| retired[seq.0 as usize] >= seq.1;
        let (mut new, of_late) = (false, &mut state.learnt_of_late);
        state.acquires.retain(|acquire| {
            if is_retired(acquire.seq) {
                for (common, learnt) in &acquire.learnt {
                    // What polls reads the same again and again.
                    if of_late.knows((*common, learnt)) {
                        continue;
                    }
                    new |= known.learn(learnt, *common);
                }
            }
            !is_retired(acquire.seq)
        });
        state.write_backs.retain(|write_back| {
            if is_retired(write_back.seq) {
                new |= known.written_back.join(&write_back.covers);
            }
            !is_retired(write_back.seq)
        });
        state.invalidates.retain(|invalidate| {
            if is_retired(invalidate.seq) {
                new |= known.learn(&invalidate.known, Scope::Cu);
            }
            !is_retired(invalidate.seq)
        });
        let any = state.acquires.len() + state.write_backs.len() + state.invalidates.len() != pending;
        if any {
            state.note_learnt_again(new);
        }
        any
    }

    /// An invalidate makes what was acquired count for plain loads, up to its scope. A write-back lifts, once it is
    /// retired, the stores of its wave before it and those of its cluster that are known to be over.
    pub(crate) fn note_cache(&mut self, wave: WaveId, site: SiteId, cache: CacheOp, op: &Issue) {
        if cache.invalidate {
            // A flag that was read before must have been, for what is read after it to be as new.
            self.consume_published(wave.index);
        }
        let waves = &self.waves;
        let apart = |agent: u32| waves.id(agent).map_or(Scope::System, |other| common_scope(wave, other));
        let Some(state) = waves.get(wave.index) else { return };
        let write_back = (cache.write_back && cache.scope >= Scope::Device).then(|| {
            let mut covers = state.known.ordered(|agent| apart(agent) < Scope::Device);
            for (channel, &seq) in state.seq.iter().enumerate() {
                covers.raise(wave.index, channel as u8, seq);
            }
            self.join_performed(&mut covers, wave, &state.known.issued);
            op.seq.first().map(|&seq| WriteBack { seq, covers })
        });
        if cache.caches == Caches::Scalar {
            if cache.invalidate
                && let Some(state) = self.waves.get_mut(wave.index)
            {
                state.empty_scalar_cache();
            }
            return;
        }
        if cache.caches == Caches::Shared {
            // What the CU's own cache is filled with from now on is as new as this; it may still hold older data.
            let fresh = state.known.ordered(|agent| apart(agent) <= cache.scope);
            if let Some(state) = self.waves.get_mut(wave.index) {
                state.known.shared.join(&fresh);
                state.note_invalidated();
            }
            return;
        }
        // Those of compute units hold what they held.
        let near = cache.invalidate && cache.caches != Caches::Device;
        let invalidated = near.then(|| {
            let mut known = state.known.clone();
            known.invalidate(cache.scope, |agent| apart(agent) <= cache.scope);
            known
        });
        let Some(state) = self.waves.get_mut(wave.index) else { return };
        if let Some(write_back) = write_back.flatten() {
            let (at, own) = (state.arrive(site), write_back.seq);
            state.last_write_back = Some(WroteBack { at, own, is_over: false });
            state.write_backs.push(write_back);
        }
        let counted = op.seq.first().filter(|&&(channel, _)| channel == Channel::Ld);
        if let (Some(known), Some(&seq), true) = (&invalidated, counted, self.model.invalidate_is_waited) {
            state.invalidates.push(Invalidate { seq, known: known.clone() });
        } else if let Some(known) = invalidated {
            state.known = known;
            state.note_invalidated();
        }
    }
}
