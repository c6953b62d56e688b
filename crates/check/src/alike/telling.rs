//! Telling the checker of a cluster what its story says.

use rustc_hash::FxHashMap;
use wavemark_sim::events::{Direction, Issue, Observer, OpId, Site, WaveId};

use super::story::{Cursor, Event, Issued, Next, Story};
use super::written::Written;
use crate::Checker;

/// Tells the checker of a cluster what its story says.
pub(super) struct Telling<'t> {
    pub checker: &'t mut Checker,
    pub about: About<'t>,
    pub story: &'t Story,
    /// Operations in flight that it was told of.
    pub issues: FxHashMap<u32, Issue>,
}

/// Of which cluster the checker is told.
pub(super) struct About<'t> {
    /// The address of the code.
    pub base: u64,
    /// EXEC with all lanes.
    pub all_lanes: u64,
    /// Its number.
    pub cluster: u32,
    /// Its first workgroup, and its waves, as the checker is told of them.
    pub group: u32,
    pub waves: Vec<WaveId>,
    /// What it has stored.
    pub written: &'t Written,
}

impl About<'_> {
    /// An operation of it like one that was noted.
    fn again(&self, Issued { number, seq, noted, .. }: &Issued) -> Issue {
        Issue {
            id: OpId(u64::from(self.cluster) << 32 | u64::from(*number)),
            seq: seq.clone(),
            ..noted.issue.clone()
        }
    }
}

impl Telling<'_> {
    /// Tell it what comes behind a cursor.
    pub fn tell(mut self, from: Cursor) {
        for next in self.story.told(from, self.about.all_lanes) {
            let key = match next {
                Next::Instruction(key, _) | Next::Event(key, _) => key,
            };
            let (offset, msb) = key.place();
            let site = self.checker.sites.find(self.about.base + offset, msb);
            let wave = self.about.waves.get(key.rank()).copied().unwrap_or_default();
            match (next, site) {
                (Next::Instruction(_, exec), Some(site)) => self.checker.step(wave, site, exec),
                (Next::Instruction(..), None) => {}
                (Next::Event(_, event), site) => {
                    let site = site.map(|site| self.checker.sites.get(site).site.clone());
                    self.tell_event(from, wave, site.as_ref(), event);
                }
            }
        }
        // Whether EXEC matters is noted already.
        self.checker.depends_on_exec = false;
    }

    fn tell_event(&mut self, from: Cursor, wave: WaveId, site: Option<&Site>, event: &Event) {
        let checker = &mut *self.checker;
        match (event, site) {
            (Event::GroupStarts(about), _) => {
                checker.workgroup_started(
                    self.about.group.wrapping_add(about.behind),
                    about.lds,
                    about.waves,
                );
            }
            (Event::WaveStarts(about), _) => checker.wave_started(wave, about.sgprs, about.vgprs),
            (Event::Issued(issued), Some(site)) => {
                let mut issue = self.about.again(issued);
                // What it has stored was something else.
                if issue.accesses.iter().any(|access| access.direction == Direction::Write) {
                    issue.stored = self.about.written.of(issued.number).unwrap_or_default().to_vec();
                }
                checker.issued(wave, site, &issue);
                self.issues.insert(issued.number, issue);
            }
            (Event::Performed((number, failed)), _) => {
                if let Some(mut issue) = self.in_flight(*number, from) {
                    issue.failed = *failed;
                    self.checker.performed(wave, &issue);
                    self.issues.insert(*number, issue);
                }
            }
            (Event::Completed((number, failed)), _) => {
                if let Some(mut issue) = self.in_flight(*number, from) {
                    issue.failed = *failed;
                    self.checker.completed(wave, &issue);
                }
            }
            (Event::Waited(waits), Some(site)) => checker.waited(wave, site, waits),
            (Event::Barrier(id, event), Some(site)) => checker.barrier(wave, site, *id, *event),
            (Event::Cache(op, issued), Some(site)) => {
                let issue = self.about.again(issued);
                checker.cache(wave, site, *op, &issue);
                self.issues.insert(issued.number, issue);
            }
            (Event::WaveEnds, Some(site)) => checker.wave_ended(wave, site),
            (Event::GroupEnds(behind), _) => checker.workgroup_ended(self.about.group.wrapping_add(*behind)),
            (_, None) => {}
        }
    }

    /// An operation with this number that is in flight; it may have been issued before what is told.
    fn in_flight(&mut self, number: u32, from: Cursor) -> Option<Issue> {
        let told = self.issues.remove(&number);
        told.or_else(|| self.story.issued(number, from).map(|issued| self.about.again(issued)))
    }
}
