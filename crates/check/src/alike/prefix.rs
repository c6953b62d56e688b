//! How clusters begin that talk to each other.
//!
//! Where clusters talk, a trial is given up, and the whole checker is told of all of them at once. But mostly each of them does
//! the same until then, and has not touched anything that others have written. So the story of the first one is kept that far,
//! with what the checker knew there. As long as a cluster follows it, only what it loads from global memory is checked; when it
//! begins to talk, the checker takes up what is known of the first one. Where it leaves the story before, the checker is told
//! what it has missed.
//!
//! One cluster follows at a time: as long as it does it is alone, or else it is told of.

use std::borrow::Cow;

use rustc_hash::FxHashMap;
use wavemark_sim::events::{Access, CHANNELS, Direction, Issue, Scope, Site, Space, WaveId};

use super::story::{Cursor, Exec, Issued, Kind, Story};
use super::telling::{About, Telling};
use super::written::Written;
use super::{Alike, key};
use crate::knowledge::{Knowledge, WaveClock};
use crate::relation::View;
use crate::snapshot::Snapshot;
use crate::wave_state::Before;
use crate::{Checker, number};

/// What was noted of the first cluster of a trial.
#[derive(Debug)]
pub(super) struct Begun {
    /// What it did before it began to talk.
    pub story: Story,
    /// What the checker knew then.
    pub snapshot: Snapshot,
    /// What its waves, by their numbers, knew when they loaded from global memory, and the numbers of the loads.
    pub reads: Vec<(u32, u32, Before)>,
}

/// What the checker knows at a place of a story.
#[derive(Debug)]
struct Known {
    at: Cursor,
    snapshot: Snapshot,
    /// How many bits of LDS have been stored.
    bits: u32,
}

/// So many places are known.
const PLACES: usize = 8;
/// So many clusters one behind the other may leave their beginning elsewhere.
const PATIENCE: u32 = 8;

/// The beginning of clusters of one workgroup, and the one that follows it.
#[derive(Debug)]
pub(super) struct Prefix {
    pub base: u64,
    pub all_lanes: u64,
    lanes: usize,
    pub story: Story,
    /// What the checker knows at some places of it.
    known: Vec<Known>,
    /// How many clusters one behind the other have left it elsewhere.
    misses: u32,
    /// What a wave knew when it loaded from global memory, and what was retired, by the number of the load.
    reads: FxHashMap<u32, (Knowledge, [u32; CHANNELS])>,
    /// Where the cluster is that follows.
    pub at: Option<Cursor>,
    /// Its waves.
    pub waves: Vec<WaveId>,
    /// Its workgroup.
    pub group: u32,
    written: Written,
}

/// Whether an operation does more to global memory than to load from it what needs no order: what a cluster does before is
/// its own concern.
pub(super) fn talks(op: &Issue) -> bool {
    op.accesses.iter().any(|access| access.space == Space::Global)
        && (op.scope > Scope::Cu
            || op
                .accesses
                .iter()
                .any(|access| access.space == Space::Global && access.direction != Direction::Read))
}

/// Whether it may wait for others, or be waited for.
pub(super) fn may_talk(op: &Issue) -> bool {
    op.scope > Scope::Cu || op.atomic
}

impl Prefix {
    /// What clusters begin with whose first one was noted, if it can be followed.
    pub fn new(base: u64, all_lanes: u64, lanes: usize, begun: Begun) -> Option<Prefix> {
        let Begun { story, snapshot, reads } = begun;
        let known =
            |(wave, number, before): (u32, u32, Before)| (number, (before.knowledge(wave), before.retired));
        let reads = reads.into_iter().map(known).collect();
        (story.groups() == 1).then(|| Prefix {
            base,
            all_lanes,
            lanes,
            known: vec![Known { at: story.end(), snapshot, bits: u32::MAX }],
            misses: 0,
            story,
            reads,
            at: None,
            waves: Vec::new(),
            group: 0,
            written: Written::default(),
        })
    }

    /// A cluster starts.
    pub fn start(&mut self, group: u32) {
        self.at = Some(Cursor::default());
        self.group = group;
        self.waves.clear();
        self.written.clear();
    }

    /// Whether the wave is of the cluster that follows, and executes an instruction as its story says; the place there is behind
    /// it then.
    #[inline(always)]
    pub fn passes(&mut self, wave: WaveId, site: &Site, exec: u64) -> bool {
        let Some(at) = self.at.as_mut().filter(|_| self.group == wave.workgroup_flat) else { return false };
        let key = key(self.base, &self.waves, Kind::Instruction, wave, Some(site)).with_exec(Exec::of(exec));
        self.story.meets_instruction(at, key, exec == self.all_lanes)
    }

    /// What the cluster that follows has stored in LDS so far, `at` a place of its story, if that is no more than so many bits,
    /// and how many.
    fn left_before(&self, at: Cursor, bits: u32) -> (Cow<'_, [u32]>, u32) {
        if self.story.repeats {
            return (Cow::Borrowed(self.written.memory(self.group)), bits);
        }
        let (left, bits) = self.written.left_by(self.story.operations(at), self.lanes, bits);
        (Cow::Owned(left), bits)
    }

    /// The cluster that follows, under its own numbers or as if it were the first one.
    fn about(&self, as_first: bool) -> About<'_> {
        let first = self.waves.first().copied().unwrap_or_default();
        let named = |&wave: &WaveId| match as_first {
            true => WaveId { index: wave.index - first.index, workgroup_flat: 0, cluster_flat: 0, ..wave },
            false => wave,
        };
        About {
            base: self.base,
            all_lanes: self.all_lanes,
            cluster: first.cluster_flat,
            group: if as_first { 0 } else { self.group },
            waves: self.waves.iter().map(named).collect(),
            written: &self.written,
        }
    }

    /// The operation that was met last.
    fn met(&self) -> Option<&Issued> {
        self.story.issued_before(self.at?)
    }
}

impl Alike {
    /// The cluster that follows its beginning has issued an operation as that says.
    pub(super) fn follow_prefix(&mut self, wave: WaveId, site: &Site, op: &Issue) {
        let Alike { checker, prefix: Some(prefix), .. } = self else { return };
        if !op.stored.is_empty() {
            let repeats = if prefix.story.repeats {
                prefix.written.note(wave.workgroup_flat, op, prefix.lanes)
            } else {
                prefix.written.keep(op);
                false
            };
            let met = prefix.met();
            let differs = !repeats && met.is_some_and(|met| met.repeats);
            if !met.is_some_and(|met| met.noted.lanes_apart) {
                checker.check_stored_lanes(wave, site, op);
            }
            if differs || prefix.written.is_nearly_full() {
                return self.leave_prefix();
            }
        }
        if checker.checks.global && op.accesses.iter().any(|access| is_global(checker, access)) {
            self.follow_reads(wave, site, op);
        }
    }

    /// It has loaded something from global memory.
    fn follow_reads(&mut self, wave: WaveId, site: &Site, op: &Issue) {
        let Alike { checker, prefix: Some(prefix), .. } = self else { return };
        let Some(first) = prefix.waves.first().map(|first| first.index) else { return };
        let Some((known, retired)) = prefix.reads.get(&number(op.id)) else { return };
        let nothing = WaveClock::new();
        let view = View { known, retired, scalar_fresh: &nothing, by: first };
        let id = checker.sites.id(site);
        let mut met = Vec::new();
        for access in &op.accesses {
            if is_global(checker, access) {
                met.extend(checker.meet(wave, id, op, access, Some(view)).map(|met| (access, met)));
            }
        }
        if met.iter().any(|(_, met)| met.conflicts()) {
            self.leave_prefix();
            for (access, met) in met {
                self.checker.judge_met(op, access, met);
            }
        }
    }

    /// The cluster that follows its beginning, if there is one, follows it no longer: it has come to its end, or does something
    /// else. The checker takes up what is known there.
    #[cold]
    #[inline(never)]
    pub(super) fn leave_prefix(&mut self) {
        let Alike { checker, prefix: Some(prefix), .. } = self else { return };
        let Some(at) = prefix.at.take() else { return };
        let Some(&first) = prefix.waves.first() else { return };
        if let Some(number) = prefix.known.iter().position(|known| known.at == at) {
            let known = &prefix.known[number];
            let (left, bits) = prefix.left_before(at, known.bits);
            checker.begin_as(&known.snapshot, first, &left);
            prefix.misses = 0;
            prefix.known[number].bits = bits;
            return;
        }
        prefix.misses += 1;
        let about = prefix.about(true);
        let story = prefix.story.up_to(at);
        // A checker of its own is told of the cluster: others may leave here, too.
        let mut part = checker.part();
        part.checks.global = false;
        std::mem::swap(&mut part.sites, &mut checker.sites);
        Telling { checker: &mut part, about, story: &story, issues: FxHashMap::default() }
            .tell(Cursor::default());
        std::mem::swap(&mut part.sites, &mut checker.sites);
        if let Some(snapshot) = part.snapshot() {
            let (left, bits) = prefix.left_before(at, u32::MAX);
            checker.begin_as(&snapshot, first, &left);
            if prefix.known.len() < PLACES {
                prefix.known.push(Known { at, snapshot, bits });
            }
        } else {
            let checks_global = std::mem::replace(&mut checker.checks.global, false);
            let about = prefix.about(false);
            Telling { checker, about, story: &story, issues: FxHashMap::default() }.tell(Cursor::default());
            checker.checks.global = checks_global;
        }
        if prefix.misses > PATIENCE {
            self.prefix = None;
        }
    }
}

/// Whether an access is one of global memory that is checked.
fn is_global(checker: &Checker, access: &Access) -> bool {
    access.space == Space::Global && !checker.is_hosts(access)
}
