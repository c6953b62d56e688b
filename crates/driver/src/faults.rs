//! What a program does that the machine cannot carry out, as findings: accesses out of bounds, traps, deadlocks,
//! runs without end.
//!
//! Promises: each fault that the simulator reports is a finding; the same kind at the same instruction is one
//! finding with a count. Does not: judge synchronisation.

use rustc_hash::FxHashMap;
use wavemark_sim::events::{
    BarrierId, Blocked, Direction, Fault, Observer, Site as Instruction, Space, WaveId,
};

use wavemark_sim::RunEnd;

use crate::places::Places;
use crate::report::{Class, Finding, Severity, Site};

/// Waves of a deadlock that are named, at most.
const MAX_WAITERS: usize = 8;

/// Collects the faults of a run.
#[derive(Debug)]
pub struct Faults<'p> {
    places: &'p Places,
    findings: Vec<Finding>,
    seen: FxHashMap<(u64, &'static str), usize>,
}

impl<'p> Faults<'p> {
    /// No fault yet.
    pub fn new(places: &'p Places) -> Faults<'p> {
        Faults { places, findings: Vec::new(), seen: FxHashMap::default() }
    }

    /// The findings, in the order of their first instance.
    pub fn into_findings(self) -> Vec<Finding> {
        self.findings
    }

    /// Adds a finding at one instruction, or counts one more.
    fn add(&mut self, kind: &'static str, pc: u64, finding: impl FnOnce(&Places) -> Finding) {
        match self.seen.get(&(pc, kind)) {
            Some(&known) => self.findings[known].instances += 1,
            None => {
                self.seen.insert((pc, kind), self.findings.len());
                self.findings.push(finding(self.places));
            }
        }
    }
}

/// What the end of a run alone says, where nobody observed it.
pub fn ended(end: &RunEnd) -> Option<Finding> {
    match end {
        RunEnd::Finished | RunEnd::Unsupported { .. } => None,
        RunEnd::Deadlock => Some(error(Class::Deadlock, "no wave can move".to_owned(), Vec::new())),
        RunEnd::StepLimit => Some(error(Class::StepLimit, STEP_LIMIT.to_owned(), Vec::new())),
        RunEnd::Trap => Some(error(Class::Trap, "the program traps".to_owned(), Vec::new())),
    }
}

const STEP_LIMIT: &str = "a wave executed more instructions than --max-steps permits";

fn error(class: Class, title: String, sites: Vec<Site>) -> Finding {
    Finding { rule: String::new(), title, severity: Severity::Error, class, instances: 1, sites, hint: None }
}

fn space_name(space: Space) -> &'static str {
    match space {
        Space::Global => "global memory",
        Space::Lds => "LDS",
        Space::Scratch => "scratch",
    }
}

fn barrier_name(id: BarrierId) -> String {
    match id {
        BarrierId::Workgroup => "the workgroup barrier".to_owned(),
        BarrierId::WorkgroupTrap => "the workgroup trap barrier".to_owned(),
        BarrierId::Cluster => "the cluster barrier".to_owned(),
        BarrierId::ClusterTrap => "the cluster trap barrier".to_owned(),
        BarrierId::Null => "the null barrier".to_owned(),
        BarrierId::Named(number) => format!("named barrier {number}"),
    }
}

impl Observer for Faults<'_> {
    fn fault(&mut self, wave: WaveId, at: &Instruction, fault: &Fault) {
        match fault {
            Fault::OutOfBounds { space, direction, addr, bytes, lanes, nearest } => {
                let done = match direction {
                    Direction::Read => "read",
                    Direction::Write => "written",
                    Direction::Atomic => "updated",
                };
                self.add("bounds", at.pc, |places| {
                    let place = space_name(*space);
                    let title =
                        format!("{place} {done} out of bounds: {bytes} bytes at {addr:#x}, {nearest}");
                    let site = places.site("access", at.pc, &at.inst, Some(wave), Some(*lanes));
                    error(Class::OutOfBounds, title, vec![site])
                });
            }
            Fault::Misaligned { space, addr, align } => self.add("alignment", at.pc, |places| {
                let place = space_name(*space);
                let title = format!("{place} accessed at {addr:#x}, which is no multiple of {align}");
                let site = places.site("access", at.pc, &at.inst, Some(wave), None);
                error(Class::Trap, title, vec![site])
            }),
            Fault::Trap { id } => self.add("trap", at.pc, |places| {
                let site = places.site("trap", at.pc, &at.inst, Some(wave), None);
                error(Class::Trap, format!("the program traps (s_trap {id})"), vec![site])
            }),
        }
    }

    fn deadlock(&mut self, waiting: &[(WaveId, Instruction, Blocked)]) {
        let mut sites: Vec<Site> = Vec::new();
        let mut reasons: Vec<String> = Vec::new();
        for (wave, at, blocked) in waiting {
            let reason = match blocked {
                Blocked::Barrier { id, arrived, expected: Some(expected) } => {
                    format!("{arrived} of {expected} have arrived at {}", barrier_name(*id))
                }
                Blocked::Barrier { id, arrived, expected: None } => {
                    format!("{arrived} have arrived at {}", barrier_name(*id))
                }
                Blocked::Halted => "a wave has halted".to_owned(),
            };
            if !reasons.contains(&reason) {
                reasons.push(reason);
            }
            let site = self.places.site("waiter", at.pc, &at.inst, Some(*wave), None);
            if sites.len() < MAX_WAITERS && !sites.iter().any(|other| other.pc == site.pc) {
                sites.push(site);
            }
        }
        reasons.truncate(4);
        let title = format!("no wave can move, {} wait: {}", waiting.len(), reasons.join("; "));
        self.findings.push(error(Class::Deadlock, title, sites));
    }

    fn step_limit(&mut self, wave: WaveId, at: &Instruction) {
        self.add("steps", at.pc, |places| {
            let site = places.site("last instruction", at.pc, &at.inst, Some(wave), None);
            error(
                Class::StepLimit,
                "a wave executed more instructions than --max-steps permits".to_owned(),
                vec![site],
            )
        });
    }
}
