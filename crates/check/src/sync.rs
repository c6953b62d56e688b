//! Synchronisation through memory: releases, acquires and LDS barrier cells.
//!
//! At machine level there is no release instruction: every atomic, and every store with a scope beyond the
//! CU, publishes what its wave knows; a load or atomic that reads the location learns it when it
//! retires ("synchronisation", 5.4), provided that both scopes reach as far as the two waves are apart. Between
//! workgroups a cache invalidate must follow before it counts for plain loads ([`crate::knowledge`]). An LDS location
//! that an atomic has touched synchronises likewise, without caches in between.

use wavemark_sim::events::{Access, CacheOp, Channel, Direction, Issue, Scope, Space, WaveId};

use crate::Checker;
use crate::knowledge::{Knowledge, WaveClock, common_scope};
use crate::shadow::for_each_dword;
use crate::site_info::SiteId;

/// What a synchronisation location carries.
#[derive(Clone, Debug)]
pub(crate) struct Published {
    by: WaveId,
    scope: Scope,
    known: Knowledge,
}

/// What a load has read and its wave may rely on once the load is retired.
#[derive(Clone, Debug)]
pub(crate) struct Acquire {
    seq: (Channel, u32),
    /// From waves of the same workgroup.
    near: Knowledge,
    /// From others.
    far: Knowledge,
}

/// A write-back in flight.
#[derive(Clone, Debug)]
pub(crate) struct WriteBack {
    pub seq: (Channel, u32),
    /// The stores that it writes back.
    pub covers: WaveClock,
}

fn key(space: Space, workgroup: u32, dword: u64) -> (u32, u64) {
    match space {
        Space::Lds => (workgroup, dword),
        _ => (u32::MAX, dword),
    }
}

fn publishes(op: &Issue, access: &Access) -> bool {
    match access.space {
        Space::Lds => access.direction == Direction::Atomic,
        _ => {
            access.direction == Direction::Atomic
                || (access.direction == Direction::Write && op.scope > Scope::Cu && op.accesses.len() == 1)
        }
    }
}

impl Checker {
    /// Take the clocks that a releasing operation will publish.
    pub(crate) fn note_release(&mut self, wave: WaveId, site: SiteId, op: &Issue) {
        if !op.accesses.iter().any(|a| publishes(op, a)) {
            return;
        }
        let Some(state) = self.waves.get_mut(&wave.index) else { return };
        if op.accesses.iter().any(|a| a.space == Space::Global && publishes(op, a)) {
            state.last_release = Some(site);
        }
        let mut known = state.known.clone();
        for &(channel, seq) in &op.seq {
            // An LDS atomic performs in order with the wave's LDS operations; the arrive of an asynchronous
            // copy or of a tensor transfer follows the earlier ones of its class.
            if matches!(channel, Channel::Ds | Channel::Al | Channel::Td)
                && op.accesses.iter().any(|a| a.space == Space::Lds && a.direction == Direction::Atomic)
            {
                known.relied.raise(wave.index, channel as u8, seq);
            }
        }
        self.releases.insert(op.id, known);
    }

    /// The data of an operation have moved: publish, or read what was published.
    pub(crate) fn note_completion(&mut self, wave: WaveId, op: &Issue) {
        let release = self.releases.remove(&op.id);
        for access in &op.accesses {
            if access.space == Space::Scratch {
                continue;
            }
            let reads = access.direction != Direction::Write
                && (access.space == Space::Lds
                    || access.direction == Direction::Atomic
                    || op.scope > Scope::Cu);
            let writes = release.is_some() && publishes(op, access);
            if !writes && (!reads || self.published.is_empty()) {
                continue;
            }
            let mut found: Option<Acquire> = None;
            let mut keys = Vec::new();
            for_each_dword(&access.extent, |dword| {
                keys.push(key(access.space, wave.workgroup_flat, dword.number));
            });
            keys.dedup();
            for key in keys {
                if reads && let Some(list) = self.published.get(&key) {
                    for entry in list {
                        let needed = common_scope(entry.by, wave);
                        let inclusive =
                            access.space == Space::Lds || (entry.scope >= needed && op.scope >= needed);
                        let Some(&seq) = op.seq.first() else { continue };
                        // A wave may learn of its own copy's end from the barrier cell that the copy signals.
                        if !inclusive || (entry.by.index == wave.index && access.space != Space::Lds) {
                            continue;
                        }
                        let acquire = found.get_or_insert_with(|| Acquire {
                            seq,
                            near: Knowledge::default(),
                            far: Knowledge::default(),
                        });
                        let learnt = if needed == Scope::Cu { &mut acquire.near } else { &mut acquire.far };
                        learnt.join(&entry.known);
                    }
                }
                if writes && let Some(release) = &release {
                    let list = self.published.entry(key).or_default();
                    if access.direction == Direction::Write {
                        list.clear();
                    }
                    match list.iter_mut().find(|entry| entry.by.index == wave.index) {
                        Some(entry) => {
                            entry.known.join(release);
                            entry.scope = entry.scope.max(op.scope);
                        }
                        None => list.push(Published { by: wave, scope: op.scope, known: release.clone() }),
                    }
                }
            }
            if let Some(acquire) = found
                && let Some(state) = self.waves.get_mut(&wave.index)
            {
                state.acquires.push(acquire);
            }
        }
        self.take_retired(wave.index);
    }

    /// Acquires whose loads are retired, and write-backs that are, count now.
    pub(crate) fn take_retired(&mut self, wave: u32) {
        let Some(state) = self.waves.get_mut(&wave) else { return };
        let pending = state.acquires.len() + state.write_backs.len();
        if pending == 0 {
            return;
        }
        let (retired, known) = (state.retired, &mut state.known);
        let is_retired = |seq: (Channel, u32)| retired[seq.0 as usize] >= seq.1;
        state.acquires.retain(|acquire| {
            if is_retired(acquire.seq) {
                known.join(&acquire.near);
                known.join_from_elsewhere(&acquire.far);
            }
            !is_retired(acquire.seq)
        });
        state.write_backs.retain(|write_back| {
            if is_retired(write_back.seq) {
                known.written_back.join(&write_back.covers);
            }
            !is_retired(write_back.seq)
        });
        if state.acquires.len() + state.write_backs.len() != pending {
            state.note_learnt();
        }
    }

    /// An invalidate makes what was acquired count for plain loads, up to its scope. A write-back lifts, once it is
    /// retired, the stores of its wave before it and those of its cluster that are known to be over.
    pub(crate) fn note_cache(&mut self, wave: WaveId, cache: CacheOp, op: &Issue) {
        let ids = &self.ids;
        let apart = |agent: u32| ids.get(&agent).map_or(Scope::System, |&other| common_scope(wave, other));
        let Some(state) = self.waves.get_mut(&wave.index) else { return };
        if cache.write_back && cache.scope >= Scope::Device {
            let mut covers = state.known.ordered(|agent| apart(agent) < Scope::Device);
            for (channel, &seq) in state.seq.iter().enumerate() {
                covers.raise(wave.index, channel as u8, seq);
            }
            state.write_backs.extend(op.seq.first().map(|&seq| WriteBack { seq, covers }));
        }
        if cache.invalidate {
            state.known.invalidate(|agent| apart(agent) <= cache.scope);
            state.scalar_fresh = state.known.ordered(|_| true);
            state.note_learnt();
        }
    }
}
