//! The state of a run, and how it reports.

use std::time::Instant;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use wavemark_budget::nearly_used_up;

use super::code::{Code, Int, Place as RowPlace, SiteId};
use super::finding::{Fault, FaultKind, Finding, FindingKind, Place, Role};
use super::member::{Issue, Landing, Probe};
use super::memory::Memory;
use super::queue::{Group, Queues};
use super::{NegativeWait, Options};

/// The run is over; [`Machine::fault`] says why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stop;

pub(super) type Run<T> = Result<T, Stop>;

/// The instance and layout that a buffer slot stands for.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BufferRef {
    pub instance: u32,
    pub layout: u32,
}

/// What is in scope: a row for each thread, and the buffers.
#[derive(Debug, Default)]
pub(super) struct Frame {
    /// Entries of a row.
    pub width: usize,
    pub rows: Vec<i64>,
    pub buffers: Vec<BufferRef>,
}

impl Frame {
    pub fn threads(&self) -> usize {
        self.rows.len().checked_div(self.width).unwrap_or(1)
    }

    #[inline]
    pub fn env(&self, lane: u32) -> Env<'_> {
        let start = lane as usize * self.width;
        Env { row: &self.rows[start..start + self.width], buffers: &self.buffers }
    }

    #[inline]
    pub fn set(&mut self, lane: u32, place: RowPlace, value: i64) {
        self.rows[lane as usize * self.width + place as usize] = value;
    }
}

/// What one thread has in scope.
#[derive(Clone, Copy)]
pub(super) struct Env<'a> {
    pub row: &'a [i64],
    pub buffers: &'a [BufferRef],
}

/// What executing a statement means at the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// It runs.
    Now,
    /// It is issued: accesses are noted, nothing is written.
    Issue,
    /// It was issued and completes.
    Land,
    /// It was issued; one of its accesses is looked for.
    Probe,
}

pub(super) type Lanes = SmallVec<[u32; 64]>;

/// A run.
pub(super) struct Machine<'p> {
    pub code: &'p Code,
    pub memory: Memory,
    pub mode: Mode,
    pub check: bool,
    pub queues: Queues<'p>,
    /// The commit scopes entered and not left, outer first.
    pub building: Vec<Group<'p>>,
    pub issue: Issue,
    pub landing: Landing,
    pub probe: Probe,
    pub negative_wait: NegativeWait,
    pub steps: u64,
    pub max_steps: u64,
    deadline: Option<Instant>,
    pub groups: u64,
    /// Members in flight.
    pub pending: u32,
    pub next_member: u32,
    pub next_group: u64,
    pub spare_frames: Vec<Frame>,
    fault: Option<Fault>,
    findings: Vec<Finding>,
    known: FxHashMap<(FindingKind, SiteId, SiteId, u32), usize>,
}

impl<'p> Machine<'p> {
    pub fn new(code: &'p Code, options: &Options) -> Machine<'p> {
        Machine {
            code,
            memory: Memory::default(),
            mode: Mode::Now,
            check: options.check,
            queues: Queues::new(options),
            building: Vec::new(),
            issue: Issue::default(),
            landing: Landing::default(),
            probe: Probe::default(),
            negative_wait: options.negative_wait,
            steps: 0,
            max_steps: options.max_steps,
            deadline: options.deadline,
            groups: 0,
            pending: 0,
            next_member: 1,
            next_group: 1,
            spare_frames: Vec::new(),
            fault: None,
            findings: Vec::new(),
            known: FxHashMap::default(),
        }
    }

    /// A frame with everything 0.
    pub fn frame(&mut self, threads: usize) -> Frame {
        let mut frame = self.spare_frames.pop().unwrap_or_default();
        frame.width = self.code.row.max(1);
        frame.rows.clear();
        frame.rows.resize(frame.width * threads, 0);
        frame.buffers.clear();
        frame.buffers.resize(self.code.slots, BufferRef::default());
        frame
    }

    /// Executes the function.
    pub fn run(&mut self, frame: &mut Frame) -> Run<()> {
        let code = self.code;
        self.exec(&code.body, frame, &[0])?;
        self.drain()
    }

    pub fn into_findings(self) -> Vec<Finding> {
        self.findings
    }

    pub fn into_fault(self) -> Fault {
        let mut fault = self.fault.unwrap_or(Fault {
            kind: FaultKind::Unsupported("a stop without a reason".into()),
            span: None,
            iteration: Vec::new(),
            findings: Vec::new(),
            steps: 0,
        });
        fault.findings = self.findings;
        fault.steps = self.steps;
        fault
    }

    /// One more step.
    #[inline]
    pub fn step(&mut self, site: SiteId, env: Env<'_>) -> Run<()> {
        self.steps += 1;
        if self.steps > self.max_steps {
            return self.stop(FaultKind::StepLimit(self.max_steps), site, env);
        }
        if self.steps.is_multiple_of(1 << 16) {
            if self.deadline.is_some_and(|at| Instant::now() >= at) {
                return self.stop(FaultKind::TimeLimit, site, env);
            }
            if nearly_used_up() {
                return self.stop(FaultKind::MemoryLimit, site, env);
            }
        }
        Ok(())
    }

    /// Ends the run.
    #[cold]
    pub fn stop<T>(&mut self, kind: FaultKind, site: SiteId, env: Env<'_>) -> Run<T> {
        let span = self.code.sites.get(site as usize).and_then(|site| site.span);
        let iteration = self.iteration(site, env);
        self.fault = Some(Fault { kind, span, iteration, findings: Vec::new(), steps: 0 });
        Err(Stop)
    }

    /// Takes back a fault that does not count.
    pub fn forget_fault(&mut self) {
        self.fault = None;
    }

    pub fn iteration(&self, site: SiteId, env: Env<'_>) -> Vec<(String, i64)> {
        let Some(site) = self.code.sites.get(site as usize) else { return Vec::new() };
        let value = |place: &RowPlace| env.row.get(*place as usize).copied().unwrap_or_default();
        site.loops.iter().map(|(name, place)| (name.to_string(), value(place))).collect()
    }

    fn span(&self, site: SiteId) -> Option<wavemark_diag::Span> {
        self.code.sites.get(site as usize).and_then(|site| site.span)
    }

    /// The buffer and indices of an element of an instance.
    fn element(&self, instance: u32, element: u64) -> (u32, String, Vec<i64>) {
        let instance = &self.memory.instances[instance as usize];
        let offset = element.checked_rem(instance.span).unwrap_or(0);
        let indices = self.memory.layouts[instance.layout as usize].indices(offset);
        let name = self.code.buffers.get(instance.buffer as usize).map_or("?", |info| &*info.name);
        (instance.buffer, name.to_owned(), indices)
    }

    /// Notes a finding at an element, which the statement is about to write or read; `other` is the member that is
    /// in the way, and whether it writes there.
    #[cold]
    pub fn report(
        &mut self,
        kind: FindingKind,
        site: SiteId,
        env: Env<'_>,
        at: Option<(u32, u64)>,
        writes: bool,
        other: Option<(u32, bool)>,
    ) {
        let other_site = other.and_then(|(member, _)| self.member_site(member)).unwrap_or(u32::MAX);
        let buffer = at.map_or(u32::MAX, |(instance, _)| self.memory.instances[instance as usize].buffer);
        let key = (kind, site, other_site, buffer);
        let sufficient = other.and_then(|(member, _)| self.younger_groups(member));
        if let Some(&index) = self.known.get(&key) {
            let finding = &mut self.findings[index];
            finding.count += 1;
            finding.sufficient = finding.sufficient.zip(sufficient).map(|(one, two)| one.min(two));
            return;
        }
        let mut places = Vec::new();
        let (name, indices) = match at {
            Some((instance, element)) => {
                let (_, name, indices) = self.element(instance, element);
                (name, indices)
            }
            None => (String::new(), Vec::new()),
        };
        if let (Some((member, writes)), Some((instance, element))) = (other, at)
            && let Some((queue, site, iteration)) = self.locate_in_member(member, instance, element, writes)
        {
            places.push(Place {
                role: Role::InFlight,
                writes,
                buffer: name.clone(),
                indices: indices.clone(),
                iteration,
                span: self.span(site),
                queue: Some(queue),
            });
        }
        places.push(Place {
            role: Role::Accessing,
            writes,
            buffer: name,
            indices,
            iteration: self.iteration(site, env),
            span: self.span(site),
            queue: match self.mode {
                Mode::Issue => Some(self.issue.queue),
                _ => None,
            },
        });
        self.known.insert(key, self.findings.len());
        self.findings.push(Finding { kind, count: 1, places, sufficient });
    }

    /// An expression that must be one number for all the threads that run.
    pub fn uniform(
        &mut self,
        value: &'p Int,
        frame: &Frame,
        lanes: &[u32],
        site: SiteId,
        what: &str,
    ) -> Run<i64> {
        let first = self.int(value, frame.env(lanes[0]))?;
        for &lane in &lanes[1..] {
            if self.int(value, frame.env(lane))? != first {
                let what = format!("{what} that differs between threads");
                return self.stop(FaultKind::Unsupported(what), site, frame.env(lane));
            }
        }
        Ok(first)
    }
}
