//! What happens in a run, to those who follow it by what they know.

use wavemark_sim::Limit;
use wavemark_sim::events::{
    BarrierEvent, BarrierId, Blocked, CacheOp, Counter, Fault, Issue, LoadIssue, Observer, OpId, Site, Space,
    WaveId,
};
use wavemark_sim::regs::Regs;

use super::prefix::Prefix;
use super::story::{Event, Exec, GroupStart, Key, Kind, WaveStart};
use super::{Alike, Mode, Stories};
use crate::number;

impl Observer for Alike {
    fn split(&self) -> Option<Alike> {
        if !self.checker.followed.is_empty() {
            return None;
        }
        let checker = self.checker.part();
        let base = self.checker.code.as_ref()?.base;
        let stories = Some(Box::new(Stories::new(base, checker.machine.lanes(), checker.checks.global)));
        Some(Alike { checker, stories, prefix: None })
    }

    fn gives_up(&self) -> bool {
        // What a running cluster has put off may yet be settled.
        let ended = self.stories.as_ref().is_none_or(|stories| stories.live == 0);
        self.checker.has_found()
            || ended && self.checker.has_deferred()
            || self.stories.as_ref().is_some_and(|stories| matches!(stories.mode, Mode::Lost))
    }

    fn depends_on_order(&self) -> bool {
        self.checker.depends_on_order
    }

    fn learn_code(&mut self, part: Alike) {
        if self.checker.sites.len() == 0 {
            self.checker.sites = part.checker.sites;
            self.prefix = part.stories.and_then(|stories| {
                let lanes = self.checker.machine.lanes() as usize;
                Some(Box::new(Prefix::new(stories.base, stories.all_lanes, lanes, stories.begun?)?))
            });
        }
    }

    fn unite(&mut self, parts: Vec<Alike>) {
        for part in parts {
            self.checker.take_tally(part.checker);
        }
    }

    fn shared_with_host(&mut self, from: u64, to: u64) {
        self.checker.shared_with_host(from, to);
    }

    fn workgroup_started(&mut self, flat: u32, lds: u32, waves: u32) {
        if self.stories.as_ref().is_some_and(|stories| stories.live == 0) {
            self.start(flat);
        }
        if self.prefix.is_some() {
            self.leave_prefix();
        }
        if let Some(prefix) = &mut self.prefix {
            prefix.start(flat);
        }
        let behind = self.stories.as_mut().map_or(0, |stories| {
            stories.live += 1;
            flat.wrapping_sub(stories.first_group)
        });
        let key = Key::new(Kind::GroupStarts, 0, None);
        let about = GroupStart { behind, lds, waves };
        if !self.known(key, |event| matches!(event, Event::GroupStarts(other) if *other == about)) {
            self.note(key, || Event::GroupStarts(about));
            let own = self.own_group(flat);
            self.checker.workgroup_started(own, lds, waves);
        }
    }

    fn workgroup_ended(&mut self, flat: u32) {
        if self.prefix.as_ref().is_some_and(|prefix| prefix.group != flat) {
            self.leave_prefix();
        }
        let behind = self.stories.as_ref().map_or(0, |stories| flat.wrapping_sub(stories.first_group));
        let key = Key::new(Kind::GroupEnds, 0, None);
        if !self.known(key, |event| matches!(event, Event::GroupEnds(other) if *other == behind)) {
            self.note(key, || Event::GroupEnds(behind));
            let own = self.own_group(flat);
            self.checker.workgroup_ended(own);
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
        let waves = match (&mut self.stories, &mut self.prefix) {
            (Some(stories), _) => Some(&mut stories.waves),
            (None, Some(prefix)) if prefix.at.is_some() => {
                self.checker.waves.announce(wave);
                Some(&mut prefix.waves)
            }
            _ => None,
        };
        let first = waves.map_or(wave, |waves| {
            waves.push(wave);
            waves[0]
        });
        let key = self.key(Kind::WaveStarts, wave, None);
        let about = WaveStart::new(wave, first, sgprs, vgprs);
        if !self.known(key, |event| matches!(event, Event::WaveStarts(other) if *other == about)) {
            self.note(key, || Event::WaveStarts(about));
            let own = self.own(wave);
            self.checker.wave_started(own, sgprs, vgprs);
        }
    }

    #[inline]
    fn instruction(&mut self, wave: WaveId, site: &Site, exec: u64, regs: &Regs) {
        let passes = match (&mut self.stories, &mut self.prefix) {
            (Some(stories), _) => stories.passes(wave, site, exec),
            (None, Some(prefix)) => prefix.passes(wave, site, exec),
            (None, None) => false,
        };
        if !passes {
            self.told_instruction(wave, site, exec, regs);
        }
    }

    #[inline]
    fn follows(&mut self, wave: WaveId, site: &Site, exec: u64) -> bool {
        let is_all = match &self.stories {
            Some(stories) => exec == stories.all_lanes,
            None => self.prefix.as_ref().is_some_and(|prefix| exec == prefix.all_lanes),
        };
        let key = self.key(Kind::Instruction, wave, Some(site)).with_exec(Exec::of(exec));
        // What is executed from there on, as far as it only computes and EXEC stays what it is, is what the story says, too: it
        // was the same code. The place in the story goes on when that is done.
        self.goes_on(|story, at| story.meets_instruction(&mut at.clone(), key, is_all))
    }

    fn follows_issue(&mut self, wave: WaveId, site: &Site, load: &LoadIssue<'_>) -> bool {
        // What the beginning of a cluster loads from global memory is looked at.
        if self.prefix.is_some() && load.accesses.iter().any(|access| access.space == Space::Global) {
            return false;
        }
        let key = self.key(Kind::Issued, wave, Some(site));
        let same = |event: &Event| matches!(event, Event::Issued(issued) if issued.is_load(load));
        self.goes_on(|story, at| story.meets(at, key, same))
            || self.is_exact() && {
                let own = self.own(wave);
                self.checker.polls_again(own, site, load)
            }
    }

    fn follows_completion(&mut self, wave: WaveId, id: OpId) -> bool {
        let key = self.key(Kind::Completed, wave, None);
        let same = |event: &Event| matches!(event, Event::Completed(about) if *about == (number(id), false));
        self.goes_on(|story, at| story.meets(at, key, same))
            || self.is_exact() && {
                let own = self.own(wave);
                self.checker.poll_lands(own, id)
            }
    }

    fn followed(&mut self, instructions: usize) {
        let Some(stories) = &mut self.stories else {
            if let Some(prefix) = &mut self.prefix
                && let Some(at) = &mut prefix.at
            {
                // It was told that it follows.
                prefix.story.pass_instructions(at, instructions);
            }
            return;
        };
        if let Mode::Following(story, at) = &mut stories.mode
            && !stories.kept[*story].pass_instructions(at, instructions)
        {
            stories.mode = Mode::Lost;
        }
    }

    fn issued(&mut self, wave: WaveId, site: &Site, op: &Issue) {
        let key = self.key(Kind::Issued, wave, Some(site));
        if self.known(key, |event| matches!(event, Event::Issued(issued) if issued.is(op))) {
            if self.prefix.is_some() {
                self.follow_prefix(wave, site, op);
            } else if !op.stored.is_empty() {
                self.follow_store(wave, site, op);
            }
            return;
        }
        self.begin_to_talk(op);
        self.note_issue(key, op, Event::Issued);
        let own = self.own(wave);
        self.checker.issued(own, site, op);
        // The participants of a multicast load are told apart by where they load from.
        if (op.multicast.is_some() || self.checker.depends_on_values)
            && let Some(stories) = &mut self.stories
        {
            stories.spoil();
        }
        self.note_read(own, op);
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
            let own = self.own(wave);
            self.checker.performed(own, op);
        }
    }

    fn completed(&mut self, wave: WaveId, op: &Issue) {
        let key = self.key(Kind::Completed, wave, None);
        let about = (number(op.id), op.failed);
        if !self.known(key, |event| matches!(event, Event::Completed(other) if *other == about)) {
            self.note(key, || Event::Completed(about));
            let own = self.own(wave);
            self.checker.completed(own, op);
        }
    }

    #[inline]
    fn waited(&mut self, wave: WaveId, site: &Site, waits: &[(Counter, u32)]) {
        let key = self.key(Kind::Waited, wave, Some(site));
        let same = |event: &Event| matches!(event, Event::Waited(other) if other[..] == *waits);
        if !self.goes_on(|story, at| story.meets(at, key, same)) {
            self.told_wait(key, wave, site, waits);
        }
    }

    #[inline]
    fn barrier(&mut self, wave: WaveId, site: &Site, id: BarrierId, event: BarrierEvent) {
        let key = self.key(Kind::Barrier, wave, Some(site));
        let same = |other: &Event| matches!(other, Event::Barrier(of, other) if (*of, *other) == (id, event));
        if !self.goes_on(|story, at| story.meets(at, key, same)) {
            self.told_barrier(key, wave, site, (id, event));
        }
    }

    fn cache(&mut self, wave: WaveId, site: &Site, op: CacheOp, issue: &Issue) {
        let key = self.key(Kind::Cache, wave, Some(site));
        let same =
            |event: &Event| matches!(event, Event::Cache(other, issued) if *other == op && issued.is(issue));
        if !self.known(key, same) {
            self.note_issue(key, issue, |issued| Event::Cache(op, issued));
            let own = self.own(wave);
            self.checker.cache(own, site, op, issue);
        }
    }

    fn fault(&mut self, wave: WaveId, site: &Site, fault: &Fault) {
        if !self.loses() {
            let own = self.own(wave);
            self.checker.fault(own, site, fault);
        }
    }

    fn wave_ended(&mut self, wave: WaveId, site: &Site) {
        let key = self.key(Kind::WaveEnds, wave, Some(site));
        if !self.known(key, |event| matches!(event, Event::WaveEnds)) {
            self.note(key, || Event::WaveEnds);
            let own = self.own(wave);
            self.checker.wave_ended(own, site);
        }
    }

    fn deadlock(&mut self, waiting: &[(WaveId, Site, Blocked)]) {
        if !self.loses() {
            self.checker.deadlock(waiting);
        }
    }

    fn limit(&mut self, wave: WaveId, site: &Site, limit: Limit) {
        if !self.loses() {
            let own = self.own(wave);
            self.checker.limit(own, site, limit);
        }
    }
}

/// What does not follow from the story that is followed.
impl Alike {
    #[inline(never)]
    fn told_instruction(&mut self, wave: WaveId, site: &Site, exec: u64, regs: &Regs) {
        if (self.stories.is_some() || self.prefix.is_some()) && self.known_instruction(wave, site, exec) {
            return;
        }
        let own = self.own(wave);
        self.checker.instruction(own, site, exec, regs);
        if self.checker.depends_on_values
            && let Some(stories) = &mut self.stories
        {
            stories.spoil();
        }
        if std::mem::take(&mut self.checker.depends_on_exec)
            && let Some(stories) = &mut self.stories
            && let Mode::Noting(story) = &mut stories.mode
        {
            story.last_needs_exec(exec == stories.all_lanes);
        }
    }

    #[inline(never)]
    fn told_wait(&mut self, key: Key, wave: WaveId, site: &Site, waits: &[(Counter, u32)]) {
        if !self.known(key, |event| matches!(event, Event::Waited(other) if other[..] == *waits)) {
            self.note(key, || Event::Waited(waits.into()));
            let own = self.own(wave);
            self.checker.waited(own, site, waits);
        }
    }

    #[inline(never)]
    fn told_barrier(&mut self, key: Key, wave: WaveId, site: &Site, (id, event): (BarrierId, BarrierEvent)) {
        if !self
            .known(key, |other| matches!(other, Event::Barrier(of, other) if (*of, *other) == (id, event)))
        {
            self.note(key, || Event::Barrier(id, event));
            let own = self.own(wave);
            self.checker.barrier(own, site, id, event);
        }
    }
}
