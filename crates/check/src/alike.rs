//! Clusters that are alike are checked once.
//!
//! What the checker says of registers, LDS, counters and barriers of a cluster depends on its events alone: which wave
//! executes which instruction, where in LDS it accesses, and in which order. (Of EXEC it matters whether there is any lane, and
//! rarely whether there are all.) Most clusters of a launch have the same events. So the events of one are noted as it is checked
//! (a [`Story`]), and others are compared with it as they run ([`observer`]): as long as they are the same, there is nothing to
//! find. Where a cluster leaves all stories that are known, the checker is told what it has missed ([`telling`]), and the
//! cluster's is a story of its own.
//!
//! This is done in a trial alone (`side_by_side` in the simulator): there each part of the observer sees one cluster after
//! the other, and no two of them touch the same bytes of global memory, unless to read. So what a cluster does there concerns
//! itself alone, and if it never touches again what it has written there is nothing to check about it, nor does anybody
//! learn anything from there. The story of a cluster is not kept where it does, or where its verdict depends on values (a load
//! in doubt is followed, loads name their data to each other); where waves store equal values in LDS that nothing orders,
//! clusters that follow must do so, too (`written`). Where something
//! of the kind is seen of a cluster that was not checked itself, the trial is given up, and the whole checker is told of the
//! run from its beginning, without any of this.
//!
//! What a cluster adds to the report without an error being found belongs to its story, and is added for each that follows
//! (`crate::tally`). An error gives the trial up.
//!
//! The part's checker is told of each cluster as if it were the first one, so that what it knows at some place of one story can
//! be taken up for another cluster that has come there (`crate::snapshot`): where clusters leave a story, others will, which do
//! something else as often as their number says.
//!
//! Where a trial is given up because clusters talk, the beginning of the first one is kept for the run that follows (`prefix`).

mod observer;
mod prefix;
mod story;
mod telling;
mod written;

use std::sync::Arc;

use rustc_hash::FxHashMap;
use wavemark_sim::events::{Issue, Site, Space, WaveId};

use crate::tally::Tally;
use crate::wave_state::Before;
use crate::{Checker, Outcome, number};
use prefix::Prefix;
use story::{Cursor, Event, Exec, Issued, Issues, Key, Kind, Story};
use telling::{About, Telling};
use written::Written;

/// Stories that are kept.
const STORIES: usize = 16;
/// Bytes that they take, at the most.
const MOST_BYTES: usize = 32 << 20;
/// Stories that are noted without a cluster having been like another.
const CREDIT: u32 = 4;
/// Snapshots that are taken, at the most, and events between two of them, at the least: instructions that only compute are soon
/// told again.
const SNAPSHOTS: u32 = 16;
const BETWEEN_SNAPSHOTS: usize = 256;
/// Clusters one behind the other that leave all stories, before none is compared with them any more.
const PATIENCE: u32 = 16;

/// What becomes of the events of the cluster that runs.
#[derive(Debug)]
enum Mode {
    /// The checker is told of them.
    Exact,
    /// So it is, and they are noted.
    Noting(Story),
    /// They are those of a story, as far as the cursor.
    Following(usize, Cursor),
    /// Nothing: the trial is given up.
    Lost,
}

/// The stories of a part of the run, and the cluster that runs.
#[derive(Debug)]
struct Stories {
    /// The address of the code.
    base: u64,
    /// EXEC with all lanes.
    all_lanes: u64,
    kept: Vec<Story>,
    /// The operations of all of them.
    issues: Issues,
    /// Bytes that those take.
    issues_bytes: usize,
    /// The one that was followed to its end last.
    last: usize,
    credit: u32,
    /// What came right before the place where a cluster has left all stories, of late: others are the same until they come
    /// there, maybe not for the first time.
    parting: Option<Key>,
    /// How many snapshots may be taken.
    snapshots_left: u32,
    /// The clusters that have left all stories since one has not.
    left: u32,
    mode: Mode,
    /// The cluster's waves, in the order of their start.
    waves: Vec<WaveId>,
    /// How many of its workgroups have not ended.
    live: u32,
    /// The flat number of its first workgroup.
    first_group: u32,
    /// What it has stored in LDS, if it follows a story and that matters to some story.
    written: Written,
    /// What clusters before it have added to the report.
    tally_before: Tally,
    /// The checker has not been told of all of its accesses to global memory.
    missed: bool,
    /// Whether accesses to global memory are checked at all.
    checks_global: bool,
    /// What waves of the first cluster knew when they loaded from global memory, until it may talk.
    reads: Option<Vec<(u32, u32, Before)>>,
    /// What it did until then, if it does.
    begun: Option<prefix::Begun>,
}

impl Stories {
    fn new(base: u64, lanes: u32, checks_global: bool) -> Stories {
        Stories {
            base,
            all_lanes: u64::MAX >> (u64::BITS - lanes),
            checks_global,
            kept: Vec::new(),
            issues: Issues::default(),
            issues_bytes: 0,
            last: 0,
            credit: CREDIT,
            parting: None,
            snapshots_left: SNAPSHOTS,
            left: 0,
            mode: Mode::Exact,
            waves: Vec::new(),
            live: 0,
            first_group: 0,
            written: Written::default(),
            tally_before: Tally::default(),
            missed: false,
            reads: Some(Vec::new()),
            begun: None,
        }
    }

    fn bytes(&self) -> usize {
        self.issues_bytes + self.kept.iter().map(Story::bytes).sum::<usize>()
    }

    /// A wave of the cluster that runs, as the checker is told of it: all clusters have the same numbers.
    #[inline]
    fn own(&self, wave: WaveId) -> WaveId {
        WaveId {
            index: wave.index - self.waves.first().map_or(wave.index, |first| first.index),
            workgroup_flat: self.own_group(wave.workgroup_flat),
            cluster_flat: 0,
            ..wave
        }
    }

    /// The same for a workgroup.
    #[inline]
    fn own_group(&self, flat: u32) -> u32 {
        flat.wrapping_sub(self.first_group)
    }

    #[inline(always)]
    fn key(&self, kind: Kind, wave: WaveId, site: Option<&Site>) -> Key {
        key(self.base, &self.waves, kind, wave, site)
    }

    /// Whether the cluster that runs follows its story and executes an instruction as that says; the place in the story is
    /// behind it then.
    #[inline(always)]
    fn passes(&mut self, wave: WaveId, site: &Site, exec: u64) -> bool {
        let key = self.key(Kind::Instruction, wave, Some(site)).with_exec(Exec::of(exec));
        let Mode::Following(story, at) = &mut self.mode else { return false };
        self.kept[*story].meets_instruction(at, key, exec == self.all_lanes)
    }

    /// Whether it is worth knowing all of what the checker knows now that it has been told of a story so far.
    fn wants_snapshot(&self, story: &Story) -> bool {
        let end = story.end();
        let last = story.known_before(end).map_or(0, |(of, _)| of.event);
        self.snapshots_left > 0 && end.event >= last + BETWEEN_SNAPSHOTS
    }

    /// Whether it matters to a story what is stored in LDS.
    fn any_repeats(&self) -> bool {
        self.kept.iter().any(|story| story.repeats)
    }

    /// The stories that are the same as another one up to a cursor, that one apart.
    fn branches(&self, story: usize, at: Cursor) -> impl Iterator<Item = usize> + '_ {
        (0..self.kept.len()).filter(move |&other| {
            let (first, second) = (other.min(story), other.max(story));
            first != second && self.kept[second].common[first] >= at
        })
    }

    /// A story that has become too long is not to be kept.
    #[inline]
    fn keep_small(&mut self) {
        if let Mode::Noting(story) = &self.mode
            && story.bytes() + self.issues_bytes > MOST_BYTES
        {
            self.mode = Mode::Exact;
        }
    }

    /// The cluster's story is not to be kept.
    fn spoil(&mut self) {
        if matches!(self.mode, Mode::Noting(_)) {
            (self.mode, self.reads) = (Mode::Exact, None);
        }
    }
}

/// Of an event of one of `waves`, those of a cluster, in code that starts at `base`.
#[inline(always)]
fn key(base: u64, waves: &[WaveId], kind: Kind, wave: WaveId, site: Option<&Site>) -> Key {
    let rank = waves.first().map_or(0, |first| wave.index - first.index);
    Key::new(kind, rank, site.map(|site| (site.pc - base, site.msb)))
}

/// The checker of a run, which is told of alike clusters once.
pub struct Alike {
    checker: Checker,
    /// Of a part.
    stories: Option<Box<Stories>>,
    /// Of the whole, if its trial was given up because clusters talk.
    prefix: Option<Box<Prefix>>,
}

impl Alike {
    /// One that tells `checker`.
    pub fn new(checker: Checker) -> Alike {
        Alike { checker, stories: None, prefix: None }
    }

    /// What there is to say of the run.
    pub fn finish(mut self) -> Outcome {
        self.leave_prefix();
        self.checker.finish()
    }

    #[inline]
    fn key(&mut self, kind: Kind, wave: WaveId, site: Option<&Site>) -> Key {
        match &self.stories {
            Some(stories) => stories.key(kind, wave, site),
            None => self.key_in_prefix(kind, wave, site),
        }
    }

    #[inline(never)]
    fn key_in_prefix(&mut self, kind: Kind, wave: WaveId, site: Option<&Site>) -> Key {
        let Some(prefix) = self.prefix.as_ref().filter(|prefix| prefix.at.is_some()) else {
            return Key::default();
        };
        if prefix.group != wave.workgroup_flat {
            self.leave_prefix();
            return Key::default();
        }
        key(prefix.base, &prefix.waves, kind, wave, site)
    }

    /// A wave as the checker is told of it.
    #[inline]
    fn own(&self, wave: WaveId) -> WaveId {
        self.stories.as_ref().map_or(wave, |stories| stories.own(wave))
    }

    /// The same for a workgroup.
    fn own_group(&self, flat: u32) -> u32 {
        self.stories.as_ref().map_or(flat, |stories| stories.own_group(flat))
    }

    /// An operation is to be noted. If it is the first one by which the first cluster may talk to others, what it did so far is
    /// worth knowing.
    fn begin_to_talk(&mut self, op: &Issue) {
        let Alike { checker, stories: Some(stories), .. } = self else { return };
        let Mode::Noting(story) = &stories.mode else { return };
        if stories.reads.is_none() || !prefix::talks(op) {
            return;
        }
        let reads = stories.reads.take();
        // A store, and no more, is of its own.
        if prefix::may_talk(op)
            && let Some(reads) = reads
            && let Some(snapshot) = checker.snapshot()
        {
            let story = story.up_to(story.end());
            stories.begun = Some(prefix::Begun { story, snapshot, reads });
        }
    }

    /// An operation was issued that the checker was told of; what its wave knew may matter where others do the same.
    fn note_read(&mut self, own: WaveId, op: &Issue) {
        let Some(stories) = &mut self.stories else { return };
        let Some(reads) = &mut stories.reads else { return };
        if op.accesses.iter().any(|access| access.space == Space::Global)
            && let Some(operation) = self.checker.waves.get(own.index).and_then(|wave| wave.operations.back())
        {
            reads.push((own.index, number(op.id), operation.before.clone()));
        }
    }

    /// Something is to be noted: take a snapshot before it, if clusters may part there.
    #[inline]
    fn part_here(&mut self) {
        let Some(stories) = &self.stories else { return };
        let Mode::Noting(story) = &stories.mode else { return };
        if stories.parting.is_some()
            && stories.parting == story.before(story.end())
            && stories.wants_snapshot(story)
        {
            self.take_snapshot();
        }
    }

    #[cold]
    #[inline(never)]
    fn take_snapshot(&mut self) {
        let Alike { checker, stories: Some(stories), .. } = self else { return };
        if let Mode::Noting(story) = &mut stories.mode
            && let Some(snapshot) = checker.snapshot()
        {
            stories.snapshots_left -= 1;
            story.snapshots.push((story.end(), Arc::new(snapshot)));
        }
    }

    /// Whether the checker need not be told of an event, because it is one of a story.
    #[inline]
    fn known(&mut self, key: Key, same: impl Fn(&Event) -> bool) -> bool {
        let Some(stories) = &mut self.stories else {
            return self.known_in_prefix(|story, at| story.meets(at, key, &same));
        };
        let Mode::Following(story, at) = &mut stories.mode else {
            return matches!(stories.mode, Mode::Lost);
        };
        stories.kept[*story].meets(at, key, &same) || self.branch_off(|story, at| story.meets(at, key, &same))
    }

    /// Whether the checker need not be told of an event of the cluster that follows its beginning, because it belongs to that.
    #[inline]
    fn known_in_prefix(&mut self, meets: impl FnOnce(&Story, &mut Cursor) -> bool) -> bool {
        let Some(prefix) = &mut self.prefix else { return false };
        let Some(at) = &mut prefix.at else { return false };
        let known = meets(&prefix.story, at);
        if !known {
            self.leave_prefix();
        }
        known
    }

    /// Whether the cluster that runs goes on as its story does, by what `meets` says of the story and a place in it; other stories
    /// are not looked at.
    #[inline]
    fn goes_on(&mut self, meets: impl FnOnce(&Story, &mut Cursor) -> bool) -> bool {
        let Some(stories) = &mut self.stories else {
            let Some(prefix) = &mut self.prefix else { return false };
            return prefix.at.as_mut().is_some_and(|at| meets(&prefix.story, at));
        };
        match &mut stories.mode {
            Mode::Following(story, at) => meets(&stories.kept[*story], at),
            Mode::Lost => true,
            Mode::Exact | Mode::Noting(_) => false,
        }
    }

    /// Whether the checker is told of what happens, and it is not noted.
    #[inline]
    fn is_exact(&self) -> bool {
        match (&self.stories, &self.prefix) {
            (Some(stories), _) => matches!(stories.mode, Mode::Exact),
            (None, Some(prefix)) => prefix.at.is_none(),
            (None, None) => true,
        }
    }

    /// Note an event that the checker is told of.
    #[inline]
    fn note(&mut self, key: Key, event: impl FnOnce() -> Event) {
        self.part_here();
        let Some(stories) = &mut self.stories else { return };
        if let Mode::Noting(story) = &mut stories.mode {
            story.note(key, event());
            stories.keep_small();
        }
    }

    /// The same for an operation that was issued.
    fn note_issue(&mut self, key: Key, op: &Issue, event: impl FnOnce(Issued) -> Event) {
        self.part_here();
        let Some(stories) = &mut self.stories else { return };
        if let Mode::Noting(story) = &mut stories.mode {
            let (issued, bytes) = stories.issues.issued(op);
            stories.issues_bytes += bytes;
            story.note(key, event(issued));
            stories.keep_small();
        }
    }

    /// The cluster leaves its story. Whether there is another one that it may be, of which it meets the next event; else the
    /// checker is told what it has missed.
    #[cold]
    #[inline(never)]
    fn branch_off(&mut self, meets: impl Fn(&Story, &mut Cursor) -> bool) -> bool {
        let Some(stories) = &mut self.stories else { return false };
        let Mode::Following(story, at) = stories.mode else { return false };
        for other in stories.branches(story, at).collect::<Vec<_>>() {
            let mut behind = at;
            if meets(&stories.kept[other], &mut behind) {
                stories.mode = Mode::Following(other, behind);
                return true;
            }
        }
        self.tell(story, at);
        false
    }

    /// Tell the checker what it has missed of the cluster, but for its accesses to global memory, and note what follows.
    fn tell(&mut self, story: usize, at: Cursor) {
        let Alike { checker, stories: Some(stories), .. } = self else { return };
        let beginning = stories.kept[story].up_to(at);
        stories.left += 1;
        stories.parting = beginning.before(at);
        (stories.missed, checker.checks.global) = (true, false);
        stories.tally_before = std::mem::take(&mut checker.tally);
        checker.forget_clusters();
        let group = |own: u32| stories.first_group.wrapping_add(own);
        let stored = |own| stories.any_repeats().then(|| stories.written.memory(group(own)));
        let from = beginning.known_before(at).map_or(Cursor::default(), |(from, snapshot)| {
            checker.restore(snapshot, stored);
            *from
        });
        let about = About {
            base: stories.base,
            all_lanes: stories.all_lanes,
            cluster: stories.waves.first().map_or(0, |first| first.cluster_flat),
            group: 0,
            waves: stories.waves.iter().map(|&wave| stories.own(wave)).collect(),
            written: &stories.written,
        };
        Telling { checker, about, story: &beginning, issues: FxHashMap::default() }.tell(from);
        stories.mode = if stories.credit > 0 && stories.kept.len() < STORIES {
            stories.credit -= 1;
            let common = (0..story).map(|other| stories.kept[story].common[other].min(at));
            let behind = stories.kept[story + 1..].iter().map(|later| later.common[story].min(at));
            let common = common.chain(std::iter::once(at)).chain(behind).collect();
            Mode::Noting(beginning.with_common(common))
        } else {
            Mode::Exact
        };
        self.part_here();
    }

    /// Something happens that ends a trial; whether the checker does not know all that has led to it.
    fn loses(&mut self) -> bool {
        let Some(stories) = &mut self.stories else {
            self.leave_prefix();
            return false;
        };
        if stories.missed || matches!(stories.mode, Mode::Following(..)) {
            stories.mode = Mode::Lost;
        }
        stories.spoil();
        matches!(stories.mode, Mode::Lost)
    }

    /// The same for the execution of an instruction, which is noted if it is not known.
    fn known_instruction(&mut self, wave: WaveId, site: &Site, exec: u64) -> bool {
        let Some(stories) = &mut self.stories else {
            // Of its beginning it is asked before.
            self.leave_prefix();
            return false;
        };
        let key = stories.key(Kind::Instruction, wave, Some(site)).with_exec(Exec::of(exec));
        match &mut stories.mode {
            Mode::Following(story, at) => {
                let is_all = exec == stories.all_lanes;
                if stories.kept[*story].meets_instruction(at, key, is_all)
                    || self.branch_off(|story, at| story.meets_instruction(at, key, is_all))
                {
                    return true;
                }
            }
            Mode::Exact | Mode::Noting(_) => {}
            Mode::Lost => return true,
        }
        self.part_here();
        if let Some(stories) = &mut self.stories
            && let Mode::Noting(story) = &mut stories.mode
        {
            story.note_instruction(key);
            stories.keep_small();
        }
        false
    }

    /// The cluster that runs has stored something as its story says. If that is what memory holds, so must it be now; else the
    /// trial is given up.
    fn follow_store(&mut self, wave: WaveId, site: &Site, op: &Issue) {
        let lanes = self.checker.machine.lanes() as usize;
        let Some(stories) = &mut self.stories else { return };
        let Mode::Following(story, at) = stories.mode else { return };
        let (lanes_apart, repeats) = stories.kept[story]
            .issued_before(at)
            .map_or((false, false), |issued| (issued.noted.lanes_apart, issued.repeats));
        if !lanes_apart {
            self.checker.check_stored_lanes(wave, site, op);
        }
        if stories.any_repeats() && !stories.written.note(wave.workgroup_flat, op, lanes) && repeats {
            stories.mode = Mode::Lost;
        }
    }

    /// A cluster starts.
    fn start(&mut self, first_group: u32) {
        let Some(stories) = &mut self.stories else { return };
        stories.waves.clear();
        stories.written.clear();
        stories.first_group = first_group;
        stories.missed = false;
        if matches!(stories.mode, Mode::Lost) {
            return;
        }
        stories.mode = match () {
            _ if !stories.kept.is_empty() && stories.left < PATIENCE => {
                Mode::Following(stories.last, Cursor::default())
            }
            _ if stories.credit == 0 || !stories.kept.is_empty() => Mode::Exact,
            _ => {
                stories.credit -= 1;
                Mode::Noting(Story::default())
            }
        };
        if !stories.kept.is_empty() || !matches!(stories.mode, Mode::Noting(_)) {
            stories.reads = None;
        }
        self.checker.depends_on_values = false;
        if !matches!(stories.mode, Mode::Following(..)) {
            stories.tally_before = std::mem::take(&mut self.checker.tally);
            self.checker.forget_clusters();
        }
    }

    /// A cluster has ended.
    fn end(&mut self) {
        let Alike { checker, stories: Some(stories), .. } = self else { return };
        checker.checks.global = stories.checks_global;
        checker.settle_deferred();
        let mode = std::mem::replace(&mut stories.mode, Mode::Exact);
        let told = match mode {
            Mode::Lost => {
                stories.mode = Mode::Lost;
                false
            }
            Mode::Following(story, _) => {
                (stories.last, stories.credit) = (story, (stories.credit + 1).min(CREDIT));
                stories.left = 0;
                checker.tally.add(&stories.kept[story].tally, |own| stories.waves[own.index as usize]);
                false
            }
            Mode::Noting(mut story) if !checker.depends_on_values => {
                story.tally = checker.tally.clone();
                if stories.bytes() + story.bytes() <= MOST_BYTES {
                    stories.kept.push(story);
                }
                true
            }
            Mode::Noting(_) | Mode::Exact => true,
        };
        if told {
            let own = std::mem::replace(&mut checker.tally, std::mem::take(&mut stories.tally_before));
            checker.tally.add(&own, |own| stories.waves[own.index as usize]);
        }
    }
}
