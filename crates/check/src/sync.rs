//! Synchronisation through memory: releases, acquires and LDS barrier cells.
//!
//! At machine level there is no release instruction: every atomic, and every store with a scope beyond the
//! CU, publishes what its wave relies on; a load or atomic that reads the location acquires it when it
//! retires, and a cache invalidate makes it count for plain loads ("synchronisation", 5.4). An LDS location
//! that an atomic has touched synchronises likewise, without caches in between.

use wavemark_sim::events::{Access, CacheOp, Channel, Direction, Issue, Scope, Space, WaveId};

use crate::Checker;
use crate::races::common_scope;
use crate::shadow::for_each_dword;
use crate::site_info::SiteId;
use crate::wave_state::WaveClock;

/// What a synchronisation location carries.
#[derive(Clone, Debug)]
pub(crate) struct Published {
    by: WaveId,
    scope: Scope,
    issued: WaveClock,
    relied: WaveClock,
}

/// What a load has read and its wave may rely on once the load is retired.
#[derive(Clone, Debug)]
pub(crate) struct Acquire {
    seq: (Channel, u32),
    issued: WaveClock,
    relied: WaveClock,
    lds: bool,
}

/// An operation in flight that will publish.
#[derive(Clone, Debug)]
pub(crate) struct Release {
    issued: WaveClock,
    relied: WaveClock,
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
        let mut relied = state.relied.clone();
        for &(channel, seq) in &op.seq {
            // An LDS atomic performs in order with the wave's LDS operations; the arrive of an asynchronous
            // copy or of a tensor transfer follows the earlier ones of its class.
            if matches!(channel, Channel::Ds | Channel::Al | Channel::Td)
                && op.accesses.iter().any(|a| a.space == Space::Lds && a.direction == Direction::Atomic)
            {
                relied.raise(wave.index, channel as u8, seq);
            }
        }
        self.releases.insert(op.id, Release { issued: state.issued.clone(), relied });
    }

    /// The data of an operation have moved: publish, or read what was published.
    pub(crate) fn note_completion(&mut self, wave: WaveId, op: &Issue) {
        let release: Option<Release> = self.releases.remove(&op.id);
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
                        let inclusive = access.space == Space::Lds
                            || (entry.scope >= needed && op.scope >= needed)
                            || (op.atomic && self.facts.atomics_in_l2);
                        let Some(&seq) = op.seq.first() else { continue };
                        // A wave may learn of its own copy's end from the barrier cell that the copy signals.
                        if !inclusive || (entry.by.index == wave.index && access.space != Space::Lds) {
                            continue;
                        }
                        let acquire = found.get_or_insert_with(|| Acquire {
                            seq,
                            issued: WaveClock::new(),
                            relied: WaveClock::new(),
                            lds: access.space == Space::Lds,
                        });
                        acquire.issued.join(&entry.issued);
                        acquire.relied.join(&entry.relied);
                    }
                }
                if writes && let Some(release) = &release {
                    let list = self.published.entry(key).or_default();
                    if access.direction == Direction::Write {
                        list.clear();
                    }
                    match list.iter_mut().find(|entry| entry.by.index == wave.index) {
                        Some(entry) => {
                            entry.issued.join(&release.issued);
                            entry.relied.join(&release.relied);
                            entry.scope = entry.scope.max(op.scope);
                        }
                        None => list.push(Published {
                            by: wave,
                            scope: op.scope,
                            issued: release.issued.clone(),
                            relied: release.relied.clone(),
                        }),
                    }
                }
            }
            if let Some(acquire) = found
                && let Some(state) = self.waves.get_mut(&wave.index)
            {
                state.acquires.push(acquire);
            }
        }
        self.take_acquires(wave.index);
    }

    /// Acquires whose loads are retired count now.
    pub(crate) fn take_acquires(&mut self, wave: u32) {
        let Some(state) = self.waves.get_mut(&wave) else { return };
        let retired = state.retired;
        let ready: Vec<Acquire> = {
            let (ready, rest) = std::mem::take(&mut state.acquires)
                .into_iter()
                .partition(|a: &Acquire| retired[a.seq.0 as usize] >= a.seq.1);
            state.acquires = rest;
            ready
        };
        for acquire in ready {
            state.issued.join(&acquire.issued);
            if acquire.lds {
                state.relied.join(&acquire.relied);
            } else {
                state.acquired.join(&acquire.relied);
            }
        }
    }

    /// An invalidate makes what was acquired count for plain loads, up to its scope.
    pub(crate) fn note_cache(&mut self, wave: WaveId, cache: CacheOp) {
        if !cache.invalidate {
            return;
        }
        let ids = &self.ids;
        let Some(state) = self.waves.get_mut(&wave.index) else { return };
        let acquired = state.acquired.clone();
        state.relied.join_where(&acquired, |agent| {
            ids.get(&agent).is_none_or(|&other| common_scope(wave, other) <= cache.scope)
        });
    }
}
