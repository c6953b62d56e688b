//! Clusters that are alike are checked once.
//!
//! What the checker says of registers, LDS, counters and barriers of a cluster depends on its events alone: which wave
//! executes which instruction, where in LDS it accesses, and in which order. (Of EXEC it matters whether there is any lane, and
//! rarely whether there are all.) Most clusters of a launch have the same events. So the events of one are noted as it is checked (a [`Story`]), and others are compared with it as they
//! run: as long as they are the same, there is nothing to find. Where a cluster leaves all stories that are known, the
//! checker is told what it has missed, and the cluster's is a story of its own.
//!
//! This is done in a trial alone (`side_by_side` in the simulator): there each part of the observer sees one cluster after
//! the other, and no two of them touch the same bytes of global memory, unless to read. So what a cluster does there concerns
//! itself alone, and if it never touches again what it has written there is nothing to check about it, nor does anybody
//! learn anything from there. The story of a cluster is not kept where it does, or where its verdict depends on values (a load
//! in doubt is followed, loads name their data to each other); where waves store equal values in LDS that nothing orders,
//! clusters that follow must do so, too (`written`). Where something
//! of the kind is seen of a cluster that was not checked itself, the trial is given up, and the whole checker is told of the
//! run from its beginning, without any of this.

mod story;
mod written;

use rustc_hash::FxHashMap;
use wavemark_sim::Limit;
use wavemark_sim::events::{
    BarrierEvent, BarrierId, Blocked, CacheOp, Counter, Direction, Fault, Issue, LoadIssue, Observer, OpId,
    Site, WaveId,
};
use wavemark_sim::regs::Regs;

use crate::waits::{self, WaitStats, WaitTable};
use crate::{Checker, Finding};
use story::{Cursor, Event, Exec, GroupStart, Issued, Issues, Key, Kind, Next, Story, WaveStart, number};
use written::Written;

/// Stories that are kept.
const STORIES: usize = 16;
/// Bytes that they take, at the most.
const MOST_BYTES: usize = 32 << 20;
/// Stories that are noted without a cluster having been like another.
const CREDIT: u32 = 4;
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
    /// What was known of waits before it.
    waits_before: WaitTable,
    /// The checker has not been told of all of its accesses to global memory.
    missed: bool,
    /// Whether accesses to global memory are checked at all.
    checks_global: bool,
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
            left: 0,
            mode: Mode::Exact,
            waves: Vec::new(),
            live: 0,
            first_group: 0,
            written: Written::default(),
            waits_before: WaitTable::default(),
            missed: false,
        }
    }

    fn bytes(&self) -> usize {
        self.issues_bytes + self.kept.iter().map(Story::bytes).sum::<usize>()
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
            self.mode = Mode::Exact;
        }
    }
}

/// The checker of a run, which is told of alike clusters once.
pub struct Alike {
    checker: Checker,
    /// Of a part.
    stories: Option<Box<Stories>>,
}

impl Alike {
    /// One that tells `checker`.
    pub fn new(checker: Checker) -> Alike {
        Alike { checker, stories: None }
    }

    /// What was found, worst first.
    pub fn finish(self) -> Vec<Finding> {
        self.checker.finish()
    }

    #[inline]
    fn key(&self, kind: Kind, wave: WaveId, site: Option<&Site>) -> Key {
        let Some(stories) = &self.stories else { return Key::default() };
        let rank = stories.waves.first().map_or(0, |first| wave.index - first.index);
        Key::new(kind, rank, site.map(|site| (site.pc - stories.base, site.msb)))
    }

    /// Whether the checker need not be told of an event, because it is one of a story.
    #[inline]
    fn known(&mut self, key: Key, same: impl Fn(&Event) -> bool) -> bool {
        let Some(stories) = &mut self.stories else { return false };
        let Mode::Following(story, at) = &mut stories.mode else {
            return matches!(stories.mode, Mode::Lost);
        };
        stories.kept[*story].meets(at, key, &same) || self.branch_off(|story, at| story.meets(at, key, &same))
    }

    /// Whether the cluster that runs goes on as its story does, by what `meets` says of the story and a place in it; other stories
    /// are not looked at.
    #[inline]
    fn goes_on(&mut self, meets: impl FnOnce(&Story, &mut Cursor) -> bool) -> bool {
        let Some(stories) = &mut self.stories else { return false };
        match &mut stories.mode {
            Mode::Following(story, at) => meets(&stories.kept[*story], at),
            Mode::Lost => true,
            Mode::Exact | Mode::Noting(_) => false,
        }
    }

    /// Note an event that the checker is told of.
    #[inline]
    fn note(&mut self, key: Key, event: impl FnOnce() -> Event) {
        let Some(stories) = &mut self.stories else { return };
        if let Mode::Noting(story) = &mut stories.mode {
            story.note(key, event());
            stories.keep_small();
        }
    }

    /// The same for an operation that was issued.
    fn note_issue(&mut self, key: Key, op: &Issue, event: impl FnOnce(Issued) -> Event) {
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
        let Alike { checker, stories: Some(stories) } = self else { return };
        let beginning = stories.kept[story].up_to(at);
        stories.left += 1;
        (stories.missed, checker.checks.global) = (true, false);
        stories.waits_before = std::mem::take(&mut checker.wait_table);
        let mut issues: FxHashMap<u32, Issue> = FxHashMap::default();
        let (first_group, operations) =
            (stories.first_group, stories.waves.first().map_or(0, |first| first.cluster_flat));
        let group = |behind: u32| first_group.wrapping_add(behind);
        let again = |Issued { number, seq, issue, .. }: &Issued| Issue {
            id: OpId(u64::from(operations) << 32 | u64::from(*number)),
            seq: seq.clone(),
            ..(**issue).clone()
        };
        for next in beginning.told(stories.all_lanes) {
            let key = match next {
                Next::Instruction(key, _) | Next::Event(key, _) => key,
            };
            let (offset, msb) = key.place();
            let pc = stories.base + offset;
            let site = checker.sites.find(pc, msb).map(|site| (site, checker.sites.get(site).site.clone()));
            let wave = stories.waves.get(key.rank()).copied().unwrap_or_default();
            let event = match (next, &site) {
                (Next::Instruction(_, exec), Some((site, _))) => {
                    checker.step(wave, *site, exec);
                    continue;
                }
                (Next::Instruction(..), None) => continue,
                (Next::Event(_, event), _) => event,
            };
            match (event, &site) {
                (Event::GroupStarts(about), _) => {
                    checker.workgroup_started(group(about.behind), about.lds, about.waves);
                }
                (Event::WaveStarts(about), _) => checker.wave_started(wave, about.sgprs, about.vgprs),
                (Event::Issued(issue), Some((_, site))) => {
                    let mut issue = again(issue);
                    // What it has stored was something else.
                    if issue.accesses.iter().any(|access| access.direction == Direction::Write) {
                        issue.stored = stories.written.of(number(issue.id)).unwrap_or_default().to_vec();
                    }
                    checker.issued(wave, site, &issue);
                    issues.insert(number(issue.id), issue);
                }
                (Event::Performed((number, failed)), _) => {
                    if let Some(issue) = issues.get_mut(number) {
                        issue.failed = *failed;
                        checker.performed(wave, issue);
                    }
                }
                (Event::Completed((number, failed)), _) => {
                    if let Some(mut issue) = issues.remove(number) {
                        issue.failed = *failed;
                        checker.completed(wave, &issue);
                    }
                }
                (Event::Waited(waits), Some((_, site))) => checker.waited(wave, site, waits),
                (Event::Barrier(id, event), Some((_, site))) => checker.barrier(wave, site, *id, *event),
                (Event::Cache(op, issue), Some((_, site))) => {
                    let issue = again(issue);
                    checker.cache(wave, site, *op, &issue);
                    issues.insert(number(issue.id), issue);
                }
                (Event::WaveEnds, Some((_, site))) => checker.wave_ended(wave, site),
                (Event::GroupEnds(behind), _) => checker.workgroup_ended(group(*behind)),
                (_, None) => {}
            }
        }
        checker.depends_on_exec = false;
        stories.mode = if stories.credit > 0 && stories.kept.len() < STORIES {
            stories.credit -= 1;
            let common = (0..story).map(|other| stories.kept[story].common[other].min(at));
            let behind = stories.kept[story + 1..].iter().map(|later| later.common[story].min(at));
            let common = common.chain(std::iter::once(at)).chain(behind).collect();
            Mode::Noting(beginning.with_common(common))
        } else {
            Mode::Exact
        };
    }

    /// Something happens that ends a trial; whether the checker does not know all that has led to it.
    fn loses(&mut self) -> bool {
        let Some(stories) = &mut self.stories else { return false };
        if stories.missed || matches!(stories.mode, Mode::Following(..)) {
            stories.mode = Mode::Lost;
        }
        stories.spoil();
        matches!(stories.mode, Mode::Lost)
    }

    /// The same for the execution of an instruction, which is noted if it is not known.
    #[inline]
    fn known_instruction(&mut self, wave: WaveId, site: &Site, exec: u64) -> bool {
        let key = self.key(Kind::Instruction, wave, Some(site)).with_exec(Exec::of(exec));
        let Some(stories) = &mut self.stories else { return false };
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
    fn follow_store(&mut self, wave: WaveId, op: &Issue) {
        let lanes = self.checker.machine.lanes() as usize;
        let Some(stories) = &mut self.stories else { return };
        let Mode::Following(story, at) = stories.mode else { return };
        if stories.kept.iter().any(|story| story.repeats)
            && !stories.written.note(wave.workgroup_flat, op, lanes)
            && stories.kept[story].repeats_before(at)
        {
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
        self.checker.depends_on_values = false;
        if matches!(stories.mode, Mode::Noting(_)) {
            stories.waits_before = std::mem::take(&mut self.checker.wait_table);
        }
    }

    /// A cluster has ended.
    fn end(&mut self) {
        let Alike { checker, stories: Some(stories) } = self else { return };
        checker.checks.global = stories.checks_global;
        let mode = std::mem::replace(&mut stories.mode, Mode::Exact);
        let first = stories.waves.first().map_or(0, |wave| wave.index);
        match mode {
            Mode::Lost => stories.mode = Mode::Lost,
            Mode::Following(story, _) => {
                (stories.last, stories.credit) = (story, (stories.credit + 1).min(CREDIT));
                stories.left = 0;
                for &(wait, stats) in &stories.kept[story].waits {
                    let wave = stories.waves[stats.wave.index as usize];
                    waits::add(&mut checker.wait_table, (wait, stats.of(wave)));
                }
            }
            Mode::Noting(mut story) if !checker.depends_on_values => {
                // By the number of the wave in the cluster.
                let ranked = |stats: &WaitStats| {
                    let index = stats.wave.index - first;
                    stats.of(WaveId { index, ..stats.wave })
                };
                story.waits = checker.wait_table.iter().map(|(&wait, stats)| (wait, ranked(stats))).collect();
                if stories.bytes() + story.bytes() <= MOST_BYTES {
                    stories.kept.push(story);
                }
            }
            Mode::Noting(_) | Mode::Exact => {}
        }
        for known in std::mem::take(&mut stories.waits_before) {
            waits::add(&mut checker.wait_table, known);
        }
    }
}

impl Observer for Alike {
    fn split(&self) -> Option<Alike> {
        let checker = self.checker.part();
        let base = self.checker.code.as_ref()?.base;
        let stories = Some(Box::new(Stories::new(base, checker.machine.lanes(), checker.checks.global)));
        Some(Alike { checker, stories })
    }

    fn gives_up(&self) -> bool {
        self.checker.has_found()
            || self.stories.as_ref().is_some_and(|stories| matches!(stories.mode, Mode::Lost))
    }

    fn learn_code(&mut self, part: Alike) {
        if self.checker.sites.len() == 0 {
            self.checker.sites = part.checker.sites;
        }
    }

    fn unite(&mut self, parts: Vec<Alike>) {
        for part in parts {
            self.checker.take_waits(part.checker);
        }
    }

    fn shared_with_host(&mut self, from: u64, to: u64) {
        self.checker.shared_with_host(from, to);
    }

    fn workgroup_started(&mut self, flat: u32, lds: u32, waves: u32) {
        if self.stories.as_ref().is_some_and(|stories| stories.live == 0) {
            self.start(flat);
        }
        let behind = self.stories.as_mut().map_or(0, |stories| {
            stories.live += 1;
            flat.wrapping_sub(stories.first_group)
        });
        let key = Key::new(Kind::GroupStarts, 0, None);
        let about = GroupStart { behind, lds, waves };
        if !self.known(key, |event| matches!(event, Event::GroupStarts(other) if *other == about)) {
            self.note(key, || Event::GroupStarts(about));
            self.checker.workgroup_started(flat, lds, waves);
        }
    }

    fn workgroup_ended(&mut self, flat: u32) {
        let behind = self.stories.as_ref().map_or(0, |stories| flat.wrapping_sub(stories.first_group));
        let key = Key::new(Kind::GroupEnds, 0, None);
        if !self.known(key, |event| matches!(event, Event::GroupEnds(other) if *other == behind)) {
            self.note(key, || Event::GroupEnds(behind));
            self.checker.workgroup_ended(flat);
        }
        let live = self.stories.as_mut().map(|stories| {
            stories.live -= 1;
            stories.live
        });
        if live == Some(0) {
            self.end();
        }
    }

    fn touches_again(&mut self) {
        let Some(stories) = &mut self.stories else { return };
        match stories.mode {
            Mode::Following(..) => stories.mode = Mode::Lost,
            _ if stories.missed => stories.mode = Mode::Lost,
            _ => stories.spoil(),
        }
    }

    fn wave_started(&mut self, wave: WaveId, sgprs: u32, vgprs: u32) {
        let first = self.stories.as_mut().map_or(wave, |stories| {
            stories.waves.push(wave);
            stories.waves[0]
        });
        let key = self.key(Kind::WaveStarts, wave, None);
        let about = WaveStart::new(wave, first, sgprs, vgprs);
        if !self.known(key, |event| matches!(event, Event::WaveStarts(other) if *other == about)) {
            self.note(key, || Event::WaveStarts(about));
            self.checker.wave_started(wave, sgprs, vgprs);
        }
    }

    #[inline]
    fn instruction(&mut self, wave: WaveId, site: &Site, exec: u64, regs: &Regs) {
        if self.stories.is_some() && self.known_instruction(wave, site, exec) {
            return;
        }
        self.checker.instruction(wave, site, exec, regs);
        if std::mem::take(&mut self.checker.depends_on_exec)
            && let Some(stories) = &mut self.stories
            && let Mode::Noting(story) = &mut stories.mode
        {
            story.last_needs_exec(exec == stories.all_lanes);
        }
    }

    fn follows(&mut self, wave: WaveId, site: &Site, exec: u64) -> bool {
        let key = self.key(Kind::Instruction, wave, Some(site)).with_exec(Exec::of(exec));
        let is_all = self.stories.as_ref().is_some_and(|stories| exec == stories.all_lanes);
        // What is executed from there on, as far as it only computes and EXEC stays what it is, is what the story says, too: it
        // was the same code. The place in the story goes on when that is done.
        self.goes_on(|story, at| story.meets_instruction(&mut at.clone(), key, is_all))
    }

    fn follows_issue(&mut self, wave: WaveId, site: &Site, load: &LoadIssue<'_>) -> bool {
        let key = self.key(Kind::Issued, wave, Some(site));
        let same = |event: &Event| matches!(event, Event::Issued(issued) if issued.is_load(load));
        self.goes_on(|story, at| story.meets(at, key, same))
    }

    fn follows_completion(&mut self, wave: WaveId, id: OpId) -> bool {
        let key = self.key(Kind::Completed, wave, None);
        let same = |event: &Event| matches!(event, Event::Completed(about) if *about == (number(id), false));
        self.goes_on(|story, at| story.meets(at, key, same))
    }

    fn followed(&mut self, instructions: usize) {
        let Some(stories) = &mut self.stories else { return };
        if let Mode::Following(story, at) = &mut stories.mode
            && !stories.kept[*story].pass_instructions(at, instructions)
        {
            stories.mode = Mode::Lost;
        }
    }

    fn issued(&mut self, wave: WaveId, site: &Site, op: &Issue) {
        let key = self.key(Kind::Issued, wave, Some(site));
        if self.known(key, |event| matches!(event, Event::Issued(issued) if issued.is(op))) {
            if !op.stored.is_empty() {
                self.checker.check_stored_lanes(wave, site, op);
                self.follow_store(wave, op);
            }
            return;
        }
        self.note_issue(key, op, Event::Issued);
        // Its participants are told apart by where they load from.
        if op.multicast.is_some()
            && let Some(stories) = &mut self.stories
        {
            stories.spoil();
        }
        self.checker.issued(wave, site, op);
        if std::mem::take(&mut self.checker.repeats)
            && let Some(stories) = &mut self.stories
            && let Mode::Noting(story) = &mut stories.mode
        {
            story.last_repeats();
        }
    }

    fn performed(&mut self, wave: WaveId, op: &Issue) {
        let key = self.key(Kind::Performed, wave, None);
        let about = (number(op.id), op.failed);
        if !self.known(key, |event| matches!(event, Event::Performed(other) if *other == about)) {
            self.note(key, || Event::Performed(about));
            self.checker.performed(wave, op);
        }
    }

    fn completed(&mut self, wave: WaveId, op: &Issue) {
        let key = self.key(Kind::Completed, wave, None);
        let about = (number(op.id), op.failed);
        if !self.known(key, |event| matches!(event, Event::Completed(other) if *other == about)) {
            self.note(key, || Event::Completed(about));
            self.checker.completed(wave, op);
        }
    }

    fn waited(&mut self, wave: WaveId, site: &Site, waits: &[(Counter, u32)]) {
        let key = self.key(Kind::Waited, wave, Some(site));
        if !self.known(key, |event| matches!(event, Event::Waited(other) if other[..] == *waits)) {
            self.note(key, || Event::Waited(waits.into()));
            self.checker.waited(wave, site, waits);
        }
    }

    fn barrier(&mut self, wave: WaveId, site: &Site, id: BarrierId, event: BarrierEvent) {
        let key = self.key(Kind::Barrier, wave, Some(site));
        if !self
            .known(key, |other| matches!(other, Event::Barrier(of, other) if (*of, *other) == (id, event)))
        {
            self.note(key, || Event::Barrier(id, event));
            self.checker.barrier(wave, site, id, event);
        }
    }

    fn cache(&mut self, wave: WaveId, site: &Site, op: CacheOp, issue: &Issue) {
        let key = self.key(Kind::Cache, wave, Some(site));
        let same =
            |event: &Event| matches!(event, Event::Cache(other, issued) if *other == op && issued.is(issue));
        if !self.known(key, same) {
            self.note_issue(key, issue, |issued| Event::Cache(op, issued));
            self.checker.cache(wave, site, op, issue);
        }
    }

    fn fault(&mut self, wave: WaveId, site: &Site, fault: &Fault) {
        if !self.loses() {
            self.checker.fault(wave, site, fault);
        }
    }

    fn wave_ended(&mut self, wave: WaveId, site: &Site) {
        let key = self.key(Kind::WaveEnds, wave, Some(site));
        if !self.known(key, |event| matches!(event, Event::WaveEnds)) {
            self.note(key, || Event::WaveEnds);
            self.checker.wave_ended(wave, site);
        }
    }

    fn deadlock(&mut self, waiting: &[(WaveId, Site, Blocked)]) {
        if !self.loses() {
            self.checker.deadlock(waiting);
        }
    }

    fn limit(&mut self, wave: WaveId, site: &Site, limit: Limit) {
        if !self.loses() {
            self.checker.limit(wave, site, limit);
        }
    }
}
