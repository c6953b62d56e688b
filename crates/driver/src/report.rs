//! What a run found, as data: the JSON report and its exit status.
//!
//! The serialised form is the project's JSON report, key by key; keys beyond it are additions (`model` of a
//! finding, `executed_on`, `iteration` of a site, `notes`, `diagnostics`, `unsupported`, `not_checked`, `mismatches`, `first`). Rendering for people is in
//! [`crate::render_text`], for code scanning in [`crate::render_sarif`].

use std::fmt;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use wavemark_isa::effects::Counter;

use crate::compare::{Comparison, Mismatch};
use crate::findings::names_place;
use crate::recording::Recording;

/// One kernel run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Our version.
    pub wavemark: &'static str,
    /// The input as the user named it.
    pub input: String,
    /// Target ID; empty where it did not come to that.
    pub target: String,
    /// The kernel's name; empty where it did not come to that.
    pub kernel: String,
    /// What executed it, where that is not the simulator of the target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub executed_on: Option<&'static str>,
    /// The result in one word.
    pub outcome: Outcome,
    /// Which checks were done.
    pub checked: Checked,
    /// What is wrong, or could be better; deduplicated by rule and pair of sites.
    pub findings: Vec<Finding>,
    /// Findings that a baseline accepts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub accepted: Vec<Accepted>,
    /// Findings of this severity and worse count as errors; `None`: errors alone.
    #[serde(skip)]
    pub deny: Option<Severity>,
    /// Buffers with an expectation.
    pub outputs: Vec<Output>,
    /// What the program has printed, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub printed: Vec<Printed>,
    /// How much was executed.
    pub stats: Stats,
    /// What the kernel needs and is not modelled.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unsupported: Vec<String>,
    /// Checks that did not happen, with the reason: what was asked for, and rules that nobody looks for yet.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_checked: Vec<NotChecked>,
    /// What static checks have looked at; `None` where there were none.
    #[serde(rename = "static", skip_serializing_if = "Option::is_none")]
    pub paths: Option<Paths>,
    /// How much of the kernel's code the run says something of; `None` where nothing was run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coverage: Option<Coverage>,
    /// Nothing in what was looked at is asynchronous or shared.
    #[serde(skip)]
    pub nothing_to_check: bool,
    /// What there is to know of how it was checked, one line each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Why the input could not be used, one line each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub diagnostics: Vec<String>,
    /// What happened, where it was recorded: for a page, not for JSON.
    #[serde(skip)]
    pub recording: Option<Box<Recording>>,
}

/// What a program has printed with one call of `printf`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Printed {
    /// Where it goes.
    pub stream: Stream,
    /// The text.
    pub text: String,
}

/// A stream of the program's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// A check that did not happen, or not to the end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NotChecked {
    /// A rule's id, or the name of a group of checks.
    pub rule: String,
    /// Why.
    pub reason: String,
    /// It was asked for, so that there is no full answer without it.
    #[serde(skip)]
    pub asked: bool,
}

impl NotChecked {
    /// What stands for a rule where a path is not followed.
    pub const PATHS: &str = "paths";

    /// `rule` was asked for and is not checked for `reason`.
    pub fn new(rule: impl Into<String>, reason: impl Into<String>) -> NotChecked {
        NotChecked { rule: rule.into(), reason: reason.into(), asked: true }
    }

    /// Nobody looks for `rule`.
    pub fn unknown(rule: impl Into<String>, reason: impl Into<String>) -> NotChecked {
        NotChecked { asked: false, ..NotChecked::new(rule, reason) }
    }
}

impl fmt::Display for NotChecked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.rule, self.reason)
    }
}

/// The paths through a kernel's code, all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Paths {
    /// Instructions on some path.
    pub instructions: u64,
}

/// What of a kernel's code was executed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Coverage {
    /// Instructions.
    pub instructions: Executed,
    /// Instructions that were not executed and are not modelled, and dwords that are none.
    pub unexecuted_unsupported: u64,
    /// What was not executed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unexecuted: Vec<Unexecuted>,
    /// What was executed nearly as the hardware does it; `wavemark targets --explain` says how nearly.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub approximate: Vec<Approximate>,
}

/// Instructions that are executed nearly as the hardware does it, for one reason.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Approximate {
    /// What is done nearly so.
    pub subject: String,
    /// The instructions of it that were executed.
    pub instructions: Vec<String>,
}

/// A number out of another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Executed {
    /// Executed by some wave, under some schedule.
    pub executed: u64,
    /// In all.
    pub total: u64,
}

/// Instructions one behind the other that were not executed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unexecuted {
    /// Address of the first one, in the linked code object.
    #[serde(serialize_with = "address")]
    pub from: u64,
    /// Address behind the last one.
    #[serde(serialize_with = "address")]
    pub to: u64,
    /// Where the first one is in the source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// The result of a run in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Nothing of severity error, outputs as expected.
    Clean,
    /// Findings of severity error.
    Findings,
    /// An output differs from what is expected.
    Mismatch,
    /// There is nothing asynchronous or shared in it that could be wrong.
    NothingToCheck,
    /// No finding, but a check did not happen.
    NotChecked,
    /// Something the kernel needs is not modelled.
    Unsupported,
    /// The input is unusable.
    Error,
}

/// The command's exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum ExitStatus {
    /// 0: clean and as expected.
    Clean = 0,
    /// 1: findings of severity error, or an output that differs.
    Findings = 1,
    /// 2: unusable input or usage.
    Unusable = 2,
    /// 3: something is not modelled, or a requested check did not happen.
    Unsupported = 3,
    /// 4: a bug of ours.
    Internal = 4,
}

/// Groups of checks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Checked {
    /// Registers whose data are in flight, reads of registers never written.
    pub registers: bool,
    /// Races and bounds in LDS.
    pub lds: bool,
    /// Races and bounds in global memory.
    pub global: bool,
    /// Barrier use.
    pub barriers: bool,
    /// Waits that are too strong or redundant.
    pub waits: bool,
}

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Too strong, redundant.
    Advice,
    /// Works by luck, or only on some models.
    Warning,
    /// Undefined or wrong.
    Error,
}

/// What sort of defect a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "the names are the interface's")]
pub enum Class {
    MissingWait,
    MissingSync,
    /// Any of the three that follow: what a verdict may ask for.
    MissingScope,
    MissingWriteback,
    MissingInvalidate,
    WrongScope,
    OutOfBounds,
    Barrier,
    Deadlock,
    Collective,
    OverStrong,
    Redundant,
    Hazard,
    StepLimit,
    Trap,
    Uninitialized,
}

/// A defect, once for each rule and pair of sites.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// Rule id; empty where no catalogue has one.
    pub rule: String,
    /// The rule in a sentence.
    pub title: String,
    /// How bad it is.
    pub severity: Severity,
    /// What sort it is.
    pub class: Class,
    /// How often it was seen.
    pub instances: u64,
    /// The instructions involved, in the order of cause and effect. JSON has that which is the wait at fault
    /// ([`Finding::wait`]) under a key of its own as well.
    #[serde(flatten, serialize_with = "sites_and_wait")]
    pub sites: Vec<Site>,
    /// What would mend it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The same in the words of the language that the kernel was written in, if that is known and says it otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author_hint: Option<String>,
    /// The reading of an open question that it depends on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Of advice: it holds for every run, not only for what this one has shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proven: Option<bool>,
    /// The counter of which waits may have more to wait for once it is mended.
    #[serde(skip)]
    pub unsettles: Option<Counter>,
}

/// A finding that is accepted.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Accepted {
    /// Why.
    pub reason: String,
    /// The finding.
    #[serde(flatten)]
    pub finding: Finding,
}

impl Finding {
    /// The rule's id, or the class's name where no catalogue has a rule.
    pub fn id(&self) -> &str {
        if self.rule.is_empty() { self.class.name() } else { &self.rule }
    }

    /// Whether `other` says the same of the same instructions: of two that nothing orders, either may come first.
    pub(crate) fn is_again(&self, other: &Finding) -> bool {
        // Of what has no address, the place in the source.
        let end = |site: &'_ Site| (site.pc, site.source.clone().filter(|_| site.pc.is_none()));
        let ends = |finding: &Finding| {
            let mut ends: Vec<_> = finding.sites.iter().take(2).map(end).collect();
            ends.sort();
            ends
        };
        (self.class, self.severity) == (other.class, other.severity)
            && (self.hint == other.hint
                && (self.rule == other.rule && ends(self) == ends(other) || self.is_same_mistake(other))
                || self.is_same_order(other))
    }

    /// Whether the same barrier is missing: how far waves are ahead of each other decides what they know of a copy that no barrier
    /// orders, and of which accesses of LDS they come to know first.
    fn is_same_order(&self, other: &Finding) -> bool {
        (self.class, self.severity) == (Class::MissingSync, Severity::Error)
            && (!(self.has_place() && other.has_place())
                || [self, other].iter().all(|finding| matches!(finding.rule.as_str(), "S2" | "R4")))
            && self.is_same_mistake(other)
    }

    /// Whether it follows from another finding, under this schedule or another one: where a scope is too narrow, what it guards races
    /// as well (M2); what a race may not have brought is not there (U2); and what another wave initialises without an order may not
    /// be initialised at all (B1).
    fn follows_from(&self, cause: &Finding) -> bool {
        match (self.rule.as_str(), cause.rule.as_str()) {
            ("M1" | "M5" | "M6", "M2") => cause.names_ends_of(self),
            ("U2", "R4" | "R5" | "R6" | "R7" | "S1" | "S2") => self
                .end("consumer")
                .is_some_and(|read| [cause.end("consumer"), cause.end("reader")].contains(&Some(read))),
            ("B1", "B1") => {
                self.end("init").is_none()
                    && cause.end("init").is_some()
                    && self.end("barrier") == cause.end("barrier")
            }
            _ => false,
        }
    }

    /// The first instruction with this role.
    fn end(&self, role: &str) -> Option<u64> {
        self.sites.iter().find(|site| site.role == role)?.pc
    }

    fn has_place(&self) -> bool {
        self.hint.as_deref().is_some_and(names_place)
    }

    /// Whether the two are one mistake: the same again, or one what follows from the other.
    pub(crate) fn is_one_with(&self, other: &Finding) -> bool {
        self.is_again(other) || self.follows_from(other) || other.follows_from(self)
    }

    /// Take up what is one with this, and what that says of where to mend it.
    pub(crate) fn take_up(&mut self, again: Finding) {
        let instances = self.instances + again.instances;
        if self.follows_from(&again) || again.has_place() && !self.has_place() {
            *self = again;
        }
        self.instances = instances;
    }

    /// Whether `other`, an error of the same kind with the same hint, shows the same mistake at other instructions: the same is
    /// missing in the same place, or nothing orders instructions that are among those of the other one.
    fn is_same_mistake(&self, other: &Finding) -> bool {
        self.severity > Severity::Advice
            && match self.class {
                Class::MissingWait
                | Class::MissingWriteback
                | Class::MissingInvalidate
                | Class::WrongScope => self.has_place(),
                Class::MissingSync => self.names_ends_of(other) || other.names_ends_of(self),
                Class::Barrier => {
                    self.rule == other.rule && (self.names_first_of(other) || other.names_first_of(self))
                }
                _ => false,
            }
    }

    /// Whether the instruction that another finding is about is among those of this one.
    fn names_first_of(&self, other: &Finding) -> bool {
        let first = other.sites.first().and_then(|site| site.pc);
        first.is_some() && self.sites.iter().any(|site| site.pc == first)
    }

    /// Whether the two instructions that another finding is about are among those of this one.
    pub(crate) fn names_ends_of(&self, other: &Finding) -> bool {
        let places = |finding: &Finding| finding.sites.iter().map(|site| site.pc).collect::<Vec<_>>();
        names_ends(&places(self), &places(other)) && other.sites.iter().take(2).all(|end| end.pc.is_some())
    }

    /// Whether it says of a wait that something was in flight which need not be waited for there.
    fn weakens_a_wait(&self) -> bool {
        self.class == Class::OverStrong || self.rule == "W3"
    }

    /// The wait that should have been enough and was not. What advice is about a wait is not at fault.
    pub fn wait(&self) -> Option<&Site> {
        wait_at_fault(&self.sites)
    }
}

/// Whether the two places that `others` begin with are among `all`.
pub(crate) fn names_ends<P: PartialEq>(all: &[P], others: &[P]) -> bool {
    others.len() >= 2 && others[..2].iter().all(|end| all.contains(end))
}

fn wait_at_fault(sites: &[Site]) -> Option<&Site> {
    sites.iter().find(|site| site.role == "wait" && sites.len() > 1)
}

/// An instruction, or a statement of a tile program, that takes part in a finding.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Site {
    /// `producer`, `consumer`, `waiter`, …
    pub role: String,
    /// Address in the linked code object, as disassemblers show it; `None` for a statement.
    #[serde(serialize_with = "hexadecimal", skip_serializing_if = "Option::is_none")]
    pub pc: Option<u64>,
    /// The instruction, or what the statement does.
    pub text: String,
    /// `file:line:column`, where a line table or the assembly source says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Where it was called, the innermost call first, if it is in code that was inlined.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub callers: Vec<String>,
    /// Workgroup id of the first instance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workgroup: Option<[u32; 3]>,
    /// Wave of the workgroup, first instance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wave: Option<u32>,
    /// Lanes, first instance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lanes: Option<Lanes>,
    /// Loop variables of a statement with their values, outer first, first instance: `i = 3, j = 0`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iteration: Option<String>,
    /// What is wrong with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A set of lanes, bit by bit; written `0-31` or `0,2,5-7`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lanes(pub u64);

/// A buffer with an expectation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Output {
    /// The argument's name.
    pub name: String,
    /// Every element is as expected.
    pub matches: bool,
    /// See [`Comparison::max_abs_error`]; JSON has `null` for infinity.
    pub max_abs_error: f64,
    /// See [`Comparison::max_rel_error`]; JSON has `null` for infinity.
    pub max_rel_error: f64,
    /// Elements that differ.
    pub mismatches: u64,
    /// Elements compared.
    pub elements: u64,
    /// The first that differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<Mismatch>,
}

/// How much was executed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Stats {
    /// Workgroups started.
    pub workgroups: u64,
    /// Waves started.
    pub waves: u64,
    /// Instructions executed, once a wave.
    pub wave_instructions: u64,
    /// Instructions executed, once for every active lane.
    pub lane_instructions: u64,
    /// Wall time of the simulation.
    pub seconds: f64,
    /// Loop iterations and statements of a tile program.
    #[serde(skip_serializing_if = "is_zero")]
    pub steps: u64,
    /// Groups of asynchronous statements that a tile program committed.
    #[serde(skip_serializing_if = "is_zero")]
    pub commit_groups: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Report {
    /// A report in which nothing has happened yet.
    pub fn new(input: impl Into<String>) -> Report {
        Report {
            wavemark: env!("CARGO_PKG_VERSION"),
            input: input.into(),
            target: String::new(),
            kernel: String::new(),
            executed_on: None,
            outcome: Outcome::Clean,
            checked: Checked::default(),
            findings: Vec::new(),
            accepted: Vec::new(),
            deny: None,
            outputs: Vec::new(),
            printed: Vec::new(),
            stats: Stats::default(),
            unsupported: Vec::new(),
            not_checked: Vec::new(),
            paths: None,
            coverage: None,
            nothing_to_check: false,
            notes: Vec::new(),
            diagnostics: Vec::new(),
            recording: None,
        }
    }

    /// Merges findings that agree in rule, class, severity and sites, leaves out advice that others contradict, puts the worst first,
    /// and sets the outcome.
    pub fn conclude(&mut self) {
        let mut merged: Vec<Finding> = Vec::new();
        for finding in self.findings.drain(..) {
            match merged.iter_mut().find(|other| other.same_defect(&finding)) {
                Some(other) => other.instances += finding.instances,
                None => merged.push(finding),
            }
        }
        // A barrier that is missing would rely on waits that nothing has relied on so far.
        if merged
            .iter()
            .any(|finding| (finding.class, finding.severity) == (Class::MissingSync, Severity::Error))
        {
            merged.retain(|finding| finding.severity > Severity::Advice || !finding.weakens_a_wait());
        }
        merged.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        self.findings = merged;
        self.outcome = if !self.diagnostics.is_empty() {
            Outcome::Error
        } else if !self.unsupported.is_empty() {
            Outcome::Unsupported
        } else if self.has_errors() {
            Outcome::Findings
        } else if self.outputs.iter().any(|output| !output.matches) {
            Outcome::Mismatch
        } else if self.lacks_an_answer() || self.checked == Checked::default() {
            Outcome::NotChecked
        } else if self.nothing_to_check {
            Outcome::NothingToCheck
        } else {
            Outcome::Clean
        };
    }

    /// Why there is no full answer.
    pub fn reasons(&self) -> impl Iterator<Item = String> {
        let texts = self.diagnostics.iter().chain(&self.unsupported).cloned();
        texts.chain(self.not_checked.iter().filter(|one| one.asked).map(NotChecked::to_string))
    }

    /// A check that was asked for did not happen.
    pub fn lacks_an_answer(&self) -> bool {
        self.not_checked.iter().any(|one| one.asked)
    }

    /// Some finding is of severity error, or of what is denied.
    pub fn has_errors(&self) -> bool {
        let least = self.deny.unwrap_or(Severity::Error);
        self.findings.iter().any(|finding| finding.severity >= least)
    }

    /// The exit status of this run. What was not asked to be checked (`--check off`) does not make it 3, though
    /// the outcome then is `not-checked`.
    pub fn exit_status(&self) -> ExitStatus {
        match self.outcome {
            Outcome::Clean | Outcome::NothingToCheck => ExitStatus::Clean,
            Outcome::Findings | Outcome::Mismatch => ExitStatus::Findings,
            Outcome::NotChecked if !self.lacks_an_answer() => ExitStatus::Clean,
            Outcome::NotChecked | Outcome::Unsupported => ExitStatus::Unsupported,
            Outcome::Error => ExitStatus::Unusable,
        }
    }
}

impl Finding {
    fn same_defect(&self, other: &Finding) -> bool {
        let same = |(one, two): (&Site, &Site)| one.pc == two.pc && one.source == two.source;
        self.rule == other.rule
            && self.class == other.class
            && self.severity == other.severity
            && self.sites.len() == other.sites.len()
            && self.sites.iter().zip(&other.sites).all(same)
            && (!self.sites.is_empty() || self.title == other.title)
    }
}

impl Site {
    /// The line of `source`.
    pub fn line(&self) -> Option<u32> {
        split_source(self.source.as_deref()?).map(|(_, line, _)| line)
    }
}

/// File, line and column of `file:line:column` or `file:line`.
pub fn split_source(source: &str) -> Option<(&str, u32, Option<u32>)> {
    let (rest, last) = source.rsplit_once(':')?;
    let last = last.parse().ok()?;
    match rest.rsplit_once(':').map(|(file, line)| (file, line.parse())) {
        Some((file, Ok(line))) => Some((file, line, Some(last))),
        _ => Some((rest, last, None)),
    }
}

impl Output {
    /// The result for the argument `name`.
    pub fn new(name: impl Into<String>, comparison: Comparison) -> Output {
        Output {
            name: name.into(),
            matches: comparison.matches(),
            max_abs_error: comparison.max_abs_error,
            max_rel_error: comparison.max_rel_error,
            mismatches: comparison.mismatches,
            elements: comparison.elements,
            first: comparison.first,
        }
    }
}

impl Class {
    /// All classes, in the order of the interface.
    pub const ALL: [Class; 16] = [
        Class::MissingWait,
        Class::MissingSync,
        Class::MissingScope,
        Class::MissingWriteback,
        Class::MissingInvalidate,
        Class::WrongScope,
        Class::OutOfBounds,
        Class::Barrier,
        Class::Deadlock,
        Class::Collective,
        Class::OverStrong,
        Class::Redundant,
        Class::Hazard,
        Class::StepLimit,
        Class::Trap,
        Class::Uninitialized,
    ];

    /// The name in reports and verdicts.
    pub fn name(self) -> &'static str {
        match self {
            Class::MissingWait => "missing-wait",
            Class::MissingSync => "missing-sync",
            Class::MissingScope => "missing-scope",
            Class::MissingWriteback => "missing-writeback",
            Class::MissingInvalidate => "missing-invalidate",
            Class::WrongScope => "wrong-scope",
            Class::OutOfBounds => "out-of-bounds",
            Class::Barrier => "barrier",
            Class::Deadlock => "deadlock",
            Class::Collective => "collective",
            Class::OverStrong => "over-strong",
            Class::Redundant => "redundant",
            Class::Hazard => "hazard",
            Class::StepLimit => "step-limit",
            Class::Trap => "trap",
            Class::Uninitialized => "uninitialized",
        }
    }

    /// Whether what a verdict calls `self` may be reported as `found`.
    pub fn includes(self, found: Class) -> bool {
        let scopes = [Class::MissingWriteback, Class::MissingInvalidate, Class::WrongScope];
        self == found || self == Class::MissingScope && scopes.contains(&found)
    }

    /// The class of that name.
    pub fn from_name(name: &str) -> Option<Class> {
        Class::ALL.into_iter().find(|class| class.name() == name)
    }
}

impl Severity {
    /// The name in reports and verdicts.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Advice => "advice",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }

    /// The severity of that name.
    pub fn from_name(name: &str) -> Option<Severity> {
        [Severity::Advice, Severity::Warning, Severity::Error]
            .into_iter()
            .find(|severity| severity.name() == name)
    }
}

impl Outcome {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Clean => "clean",
            Outcome::Findings => "findings",
            Outcome::Mismatch => "mismatch",
            Outcome::NothingToCheck => "nothing-to-check",
            Outcome::NotChecked => "not-checked",
            Outcome::Unsupported => "unsupported",
            Outcome::Error => "error",
        }
    }
}

impl Checked {
    /// Names and answers, in the order of the report.
    pub fn parts(&self) -> [(&'static str, bool); 5] {
        [
            ("registers", self.registers),
            ("lds", self.lds),
            ("global", self.global),
            ("barriers", self.barriers),
            ("waits", self.waits),
        ]
    }
}

impl fmt::Display for Lanes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lane = 0;
        let mut separator = "";
        while lane < 64 {
            let run = (self.0 >> lane).trailing_ones();
            match run {
                0 => lane += 1,
                1 => write!(f, "{separator}{lane}")?,
                _ => write!(f, "{separator}{lane}-{}", lane + run - 1)?,
            }
            if run > 0 {
                separator = ",";
            }
            lane += run;
        }
        Ok(())
    }
}

impl Serialize for Lanes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

fn hexadecimal<S: Serializer>(value: &Option<u64>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{:#x}", value.unwrap_or_default()))
}

fn address<S: Serializer>(value: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    hexadecimal(&Some(*value), serializer)
}

fn sites_and_wait<S: Serializer>(sites: &[Site], serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    map.serialize_entry("sites", sites)?;
    if let Some(wait) = wait_at_fault(sites) {
        map.serialize_entry("wait", wait)?;
    }
    map.end()
}
