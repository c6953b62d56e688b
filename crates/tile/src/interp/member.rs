//! The life of an asynchronous statement: issue, completion, and the search for one of its accesses.

use super::code::{Async, SiteId};
use super::finding::FindingKind;
use super::machine::{BufferRef, Env, Frame, Lanes, Machine, Mode, Run, Stop};

/// An asynchronous statement that is issued and not complete.
#[derive(Debug)]
pub(super) struct Member<'p> {
    pub id: u32,
    node: &'p Async,
    threads: u32,
    /// The captured entries, row by row.
    values: Vec<i64>,
    buffers: Vec<BufferRef>,
    /// Elements by instance.
    pub reads: Vec<(u32, u64)>,
    pub writes: Vec<(u32, u64)>,
    /// Its stores may land in any order.
    pub divisible: bool,
    /// The parts of it that have yet to land, as bits, of `parts`.
    pub left: u8,
    pub parts: u8,
}

/// What is noted while a member is issued.
#[derive(Debug, Default)]
pub(super) struct Issue {
    pub member: u32,
    /// Its queue; `None` outside any commit.
    pub queue: Option<i64>,
    /// The group it joins.
    pub group: u64,
    pub reads: Vec<(u32, u64)>,
    pub writes: Vec<(u32, u64)>,
    /// It writes an element twice.
    pub twice: bool,
}

/// Which of a member's stores land: those whose number hashes to `part` of `parts`.
#[derive(Debug, Default)]
pub(super) struct Landing {
    pub part: u8,
    pub parts: u8,
    pub salt: u64,
    pub number: u64,
}

impl Landing {
    /// Whether the next store lands.
    #[inline]
    pub fn next(&mut self) -> bool {
        if self.parts <= 1 {
            return true;
        }
        self.number += 1;
        let mixed = (self.number ^ self.salt).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        mixed % u64::from(self.parts) == u64::from(self.part)
    }
}

/// The access that is looked for, and where it was found.
#[derive(Debug, Default)]
pub(super) struct Probe {
    target: Option<(u32, u64, bool)>,
    found: Option<(SiteId, Vec<(String, i64)>)>,
}

impl<'p> Machine<'p> {
    /// Issues an asynchronous statement.
    pub fn issue(&mut self, node: &'p Async, frame: &mut Frame, lanes: &[u32]) -> Run<()> {
        self.step(node.site, frame.env(lanes[0]))?;
        let outside = self.building.is_empty();
        if outside {
            self.issue.queue = None;
            self.report(FindingKind::OutsideCommit, node.site, frame.env(lanes[0]), None, false, None);
            let group = self.new_group(None);
            self.building.push(group);
        }
        let id = self.next_member;
        self.next_member = self.next_member.checked_add(1).unwrap_or(1);
        if let Some(group) = self.building.last() {
            self.issue.queue = group.queue;
            self.issue.group = group.serial;
        }
        self.issue.member = id;
        self.issue.twice = false;
        if self.check || (node.independent && self.queues.any_random()) {
            self.mode = Mode::Issue;
            let result = self.exec(&node.body, frame, lanes);
            self.mode = Mode::Now;
            result?;
        }
        if !self.check {
            self.issue.writes.sort_unstable();
            self.issue.twice = self.issue.writes.windows(2).any(|pair| pair[0] == pair[1]);
        }
        let mut member = self.spare_member(node);
        member.id = id;
        member.divisible = node.independent && !self.issue.twice;
        member.threads = lanes.len() as u32;
        for &lane in lanes {
            let row = frame.env(lane).row;
            member.values.extend(node.places.iter().map(|&place| row[place as usize]));
        }
        member.buffers.extend(node.slots.iter().map(|&slot| frame.buffers[slot as usize]));
        std::mem::swap(&mut member.reads, &mut self.issue.reads);
        std::mem::swap(&mut member.writes, &mut self.issue.writes);
        if self.check {
            for &(instance, element) in &member.reads {
                let cell = &mut self.memory.instances[instance as usize].cells[element as usize];
                cell.reader = id;
                cell.readers += 1;
            }
        }
        self.pending += 1;
        if let Some(group) = self.building.last_mut() {
            group.members.push(member);
        }
        if outside && let Some(group) = self.building.pop() {
            self.commit(group)?;
        }
        Ok(())
    }

    fn spare_member(&mut self, node: &'p Async) -> Member<'p> {
        let mut member = self.queues.spare.pop().unwrap_or(Member {
            id: 0,
            node,
            threads: 0,
            values: Vec::new(),
            buffers: Vec::new(),
            reads: Vec::new(),
            writes: Vec::new(),
            divisible: false,
            left: 1,
            parts: 1,
        });
        member.node = node;
        member.values.clear();
        member.buffers.clear();
        member.reads.clear();
        member.writes.clear();
        (member.left, member.parts) = (1, 1);
        member
    }

    /// A write of the member that is being issued.
    pub fn issue_write(&mut self, id: u32, element: u64, site: SiteId, env: Env<'_>) {
        let me = self.issue.member;
        if !self.check {
            // Only whether it writes an element twice is asked for.
            self.issue.writes.push((id, element));
            return;
        }
        let cell = self.memory.instances[id as usize].cells[element as usize];
        if cell.writer == me {
            self.issue.twice = true;
            return;
        }
        let at = (id, element);
        if cell.writer != 0 {
            self.meet(FindingKind::WriteInFlight, site, env, at, true, (cell.writer, true));
        }
        if cell.readers != 0 {
            let others: Vec<u32> = self.readers(id, element).filter(|&reader| reader != me).collect();
            for reader in others {
                self.meet(FindingKind::SourceOverwritten, site, env, at, true, (reader, false));
            }
        }
        self.memory.instances[id as usize].cells[element as usize].writer = me;
        self.issue.writes.push((id, element));
    }

    /// A write that runs at once, of an element with something in flight.
    #[cold]
    pub fn check_write(&mut self, id: u32, element: u64, site: SiteId, env: Env<'_>) {
        let at = Some((id, element));
        let cell = self.memory.instances[id as usize].cells[element as usize];
        if cell.writer != 0 {
            self.report(FindingKind::WriteInFlight, site, env, at, true, Some((cell.writer, true)));
        }
        if cell.readers != 0 {
            let reader = self.readers(id, element).next().unwrap_or(cell.reader);
            self.report(FindingKind::SourceOverwritten, site, env, at, true, Some((reader, false)));
        }
    }

    /// The member being issued accesses an element that one in flight accesses: a finding, unless their queue
    /// orders them.
    #[cold]
    pub fn meet(
        &mut self,
        kind: FindingKind,
        site: SiteId,
        env: Env<'_>,
        at: (u32, u64),
        writes: bool,
        other: (u32, bool),
    ) {
        let found = self.members().find(|(member, ..)| member.id == other.0);
        let place = found.map(|(_, queue, group)| (queue, group));
        let kind = match place {
            Some((_, group)) if group == self.issue.group => FindingKind::UnorderedMembers,
            // Groups of one queue complete one after the other.
            Some((Some(queue), _)) if Some(queue) == self.issue.queue => return,
            _ => kind,
        };
        self.report(kind, site, env, Some(at), writes, Some(other));
    }

    /// Members in flight with queue and group.
    fn members(&self) -> impl Iterator<Item = (&Member<'p>, Option<i64>, u64)> {
        let groups = self.queues.groups().chain(&self.building);
        groups.flat_map(|group| group.members.iter().map(move |member| (member, group.queue, group.serial)))
    }

    /// Members in flight that read the element.
    fn readers(&self, id: u32, element: u64) -> impl Iterator<Item = u32> {
        let members = self.members().map(|(member, ..)| member);
        members.filter(move |member| member.reads.contains(&(id, element))).map(|member| member.id)
    }

    /// How many groups of its queue were committed after a member's; `None` when it is in no queue (yet).
    pub fn younger_groups(&self, id: u32) -> Option<u64> {
        let (_, queue, serial) = self.members().find(|(member, ..)| member.id == id)?;
        let queued = || self.queues.groups().filter(|group| group.queue == queue);
        let older = queued().position(|group| group.serial == serial).filter(|_| queue.is_some())?;
        Some((queued().count() - 1 - older) as u64)
    }

    pub fn member_site(&self, id: u32) -> Option<SiteId> {
        self.members().find(|(member, ..)| member.id == id).map(|(member, ..)| member.node.site)
    }

    /// A member in flight may touch the instance.
    pub fn in_use(&self, instance: u32) -> bool {
        self.pending > 0
            && self
                .members()
                .any(|(member, ..)| member.buffers.iter().any(|buffer| buffer.instance == instance))
    }

    fn restore(&mut self, member: &Member<'p>) -> (Frame, Lanes) {
        let mut frame = self.frame(member.threads as usize);
        let width = member.node.places.len();
        for lane in 0..member.threads {
            for (index, &place) in member.node.places.iter().enumerate() {
                frame.set(lane, place, member.values[lane as usize * width + index]);
            }
        }
        for (&slot, &buffer) in member.node.slots.iter().zip(&member.buffers) {
            frame.buffers[slot as usize] = buffer;
        }
        (frame, (0..member.threads).collect())
    }

    /// Lets a part of a member land; all of it when it is not divided.
    pub fn land(&mut self, member: &mut Member<'p>, part: u8) -> Run<()> {
        let (mut frame, lanes) = self.restore(member);
        let mode = std::mem::replace(&mut self.mode, Mode::Land);
        self.landing = Landing { part, parts: member.parts, salt: u64::from(member.id) << 20, number: 0 };
        let node = member.node;
        let result = self.exec(&node.body, &mut frame, &lanes);
        self.mode = mode;
        self.spare_frames.push(frame);
        member.left &= !(1 << part);
        result
    }

    /// Takes the marks of a member that is complete away.
    pub fn retire(&mut self, member: Member<'p>) {
        if self.check {
            for &(instance, element) in &member.writes {
                let cell = &mut self.memory.instances[instance as usize].cells[element as usize];
                if cell.writer == member.id {
                    cell.writer = 0;
                }
            }
            for &(instance, element) in &member.reads {
                let cell = &mut self.memory.instances[instance as usize].cells[element as usize];
                cell.readers = cell.readers.saturating_sub(1);
            }
        }
        self.pending -= 1;
        if self.pending == 0 {
            self.memory.quiet();
        }
        self.queues.spare.push(member);
    }

    /// Queue, statement and iteration of a member's first access of the kind to the element.
    pub fn locate_in_member(
        &mut self,
        id: u32,
        instance: u32,
        element: u64,
        writes: bool,
    ) -> Option<(Option<i64>, SiteId, Vec<(String, i64)>)> {
        let (member, queue, _) = self.members().find(|(member, ..)| member.id == id)?;
        // A copy of what `restore` needs, because the member stays where it is.
        let copy = Member {
            id,
            node: member.node,
            threads: member.threads,
            values: member.values.clone(),
            buffers: member.buffers.clone(),
            reads: Vec::new(),
            writes: Vec::new(),
            divisible: false,
            left: 1,
            parts: 1,
        };
        let (mut frame, lanes) = self.restore(&copy);
        let mode = std::mem::replace(&mut self.mode, Mode::Probe);
        let steps = std::mem::replace(&mut self.steps, 0);
        self.probe = Probe { target: Some((instance, element, writes)), found: None };
        let result = self.exec(&copy.node.body, &mut frame, &lanes);
        if result.is_err() {
            self.forget_fault();
        }
        (self.mode, self.steps) = (mode, steps);
        self.spare_frames.push(frame);
        let (site, iteration) = self.probe.found.take().unwrap_or((copy.node.site, Vec::new()));
        Some((queue, site, iteration))
    }

    /// An access of the member that is looked through.
    pub fn probe_access(
        &mut self,
        id: u32,
        element: u64,
        writes: bool,
        site: SiteId,
        env: Env<'_>,
    ) -> Run<()> {
        if self.probe.target != Some((id, element, writes)) {
            return Ok(());
        }
        self.probe.found = Some((site, self.iteration(site, env)));
        Err(Stop)
    }
}
