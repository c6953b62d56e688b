//! Campaigns: kernels under many seeds, completion modes and schedules, and one report on all that was found.
//!
//! A campaign is a list of units, each a `check` of one kernel with one seed and one mode. What a unit came to is a record, a
//! line of JSON; with a journal the records are kept in a file as they come, and a campaign that was interrupted goes on
//! from there: units whose record is in the journal are not run again. A line that the interruption tore is run again.
//!
//! A record is a function of its unit alone, so that it does not matter who runs which, or in what order.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use wavemark_diag::{Diagnostic, SourceMap, render_short};

use crate::batch::Item;
use crate::build::Failure;
use crate::input;
use crate::options::{Completion, RunOptions};
use crate::report::{ExitStatus, Finding, Report, Severity};
use crate::run;

/// What is to be run.
#[derive(Clone, Debug)]
pub struct Campaign {
    /// The kernels.
    pub items: Vec<Item>,
    /// Seeds, from 0 on.
    pub seeds: u64,
    /// The modes of completion.
    pub completions: Vec<Completion>,
    /// Schedules of each unit.
    pub schedules: u32,
}

/// One `check` of a campaign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    /// The kernel, by its number.
    pub item: usize,
    /// The mode.
    pub completion: Completion,
    /// The seed.
    pub seed: u64,
}

/// What a unit came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The input as it is named.
    pub input: String,
    /// The mode's name.
    pub completion: String,
    /// The seed.
    pub seed: u64,
    /// The schedules.
    pub schedules: u32,
    /// The exit status of such a command.
    pub status: u8,
    /// The outcome's name.
    pub outcome: String,
    /// The findings, advice left out: it is of one run.
    pub findings: Vec<Found>,
    /// Why there is no full answer.
    pub reasons: Vec<String>,
}

/// A finding of a record.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Found {
    /// The kernel.
    pub kernel: String,
    /// The severity's name.
    pub severity: String,
    /// The rule.
    pub rule: String,
    /// The rule in a sentence.
    pub title: String,
    /// The sites: role and place.
    pub sites: Vec<String>,
    /// What would mend it.
    pub hint: Option<String>,
}

/// What tells units apart, in a campaign and its journal: input, mode, seed, schedules.
type Key = (String, String, u64, u32);

/// The name of a mode, as the command line has it.
pub fn completion_name(completion: Completion) -> &'static str {
    match completion {
        Completion::Late => "late",
        Completion::Early => "early",
        Completion::Random => "random",
    }
}

impl Campaign {
    /// All units, the seeds of a kernel after one another.
    pub fn units(&self) -> Vec<Unit> {
        let mut units = Vec::new();
        for item in 0..self.items.len() {
            for &completion in &self.completions {
                units.extend((0..self.seeds).map(|seed| Unit { item, completion, seed }));
            }
        }
        units
    }

    /// The units that no record is of.
    pub fn left(&self, records: &[Record]) -> Vec<Unit> {
        let done: BTreeSet<Key> = records.iter().map(Record::key).collect();
        self.units().into_iter().filter(|&unit| !done.contains(&self.key(unit))).collect()
    }

    fn key(&self, unit: Unit) -> Key {
        (self.name(unit), completion_name(unit.completion).to_owned(), unit.seed, self.schedules)
    }

    fn name(&self, unit: Unit) -> String {
        self.items[unit.item].input.display().to_string()
    }

    /// Runs a unit. What is wrong with the input is in the record.
    pub fn run(&self, unit: Unit, options: &RunOptions) -> Record {
        let item = &self.items[unit.item];
        let options = RunOptions {
            completion: unit.completion,
            seed: unit.seed,
            schedules: self.schedules,
            threads: Some(1),
            ..options.clone()
        };
        let mut sources = SourceMap::new();
        let reports = input::read(&item.input, None)
            .map_err(Failure::from)
            .and_then(|input| run::check(&mut sources, &input, item.launch.as_deref(), &options));
        let reports = reports.unwrap_or_else(|failure| {
            let mut report = Report::new(self.name(unit));
            match failure {
                Failure::Unusable(diagnostics) => {
                    report.diagnostics = diagnostics.iter().map(|one| render_short(&sources, one)).collect();
                }
                Failure::Unsupported(what) => report.unsupported = vec![what],
            }
            report.conclude();
            vec![report]
        });
        self.record(unit, &reports)
    }

    fn record(&self, unit: Unit, reports: &[Report]) -> Record {
        let worst = reports.iter().max_by_key(|report| report.exit_status());
        let found = |report: &Report| -> Vec<Found> {
            let told = report.findings.iter().filter(|finding| finding.severity > Severity::Advice);
            told.map(|finding| Found::of(&report.kernel, finding)).collect()
        };
        let mut reasons: Vec<String> = reports.iter().flat_map(Report::reasons).collect();
        let differ = |report: &Report| report.outputs.iter().filter(|output| !output.matches).count();
        let differing: usize = reports.iter().map(differ).sum();
        if differing > 0 {
            reasons.push(format!("{differing} outputs are not as expected"));
        }
        Record {
            input: self.name(unit),
            completion: completion_name(unit.completion).to_owned(),
            seed: unit.seed,
            schedules: self.schedules,
            status: worst.map_or(0, |report| report.exit_status() as u8),
            outcome: worst.map_or("clean", |report| report.outcome.name()).to_owned(),
            findings: reports.iter().flat_map(found).collect(),
            reasons,
        }
    }

    /// The command that runs a record's unit alone.
    fn replay(&self, record: &Record) -> String {
        let item = self.items.iter().find(|item| item.input.display().to_string() == record.input);
        let launch = item.and_then(|item| item.launch.as_ref());
        let launch = launch.map(|path| format!(" --launch {}", path.display())).unwrap_or_default();
        let Record { input, completion, seed, schedules, .. } = record;
        format!(
            "wavemark check {input}{launch} --completion {completion} --seed {seed} --schedules {schedules}"
        )
    }
}

impl Found {
    fn of(kernel: &str, finding: &Finding) -> Found {
        let site = |site: &crate::report::Site| {
            let address = site.pc.map(|pc| format!("{pc:#x}")).unwrap_or_default();
            let place = site.source.clone().unwrap_or(address);
            format!("{}: {place}: {}", site.role, site.text)
        };
        Found {
            kernel: kernel.to_owned(),
            severity: finding.severity.name().to_owned(),
            rule: finding.id().to_owned(),
            title: finding.title.clone(),
            sites: finding.sites.iter().map(site).collect(),
            hint: finding.hint.clone(),
        }
    }

    /// Whether it is the same defect: what runs differ in (addresses in titles, further sites) is left out.
    fn key(&self) -> (&str, &str, &[String]) {
        (&self.kernel, &self.rule, &self.sites[..self.sites.len().min(2)])
    }
}

impl Record {
    /// The unit that it is of.
    fn key(&self) -> Key {
        (self.input.clone(), self.completion.clone(), self.seed, self.schedules)
    }

    /// The record as a line of a journal.
    ///
    /// # Errors
    ///
    /// If it cannot be written as JSON.
    pub fn to_line(&self) -> serde_json::Result<String> {
        Ok(serde_json::to_string(self)? + "\n")
    }
}

/// The records of a journal, and how many of its bytes are whole lines: a last line without its end was torn.
///
/// # Errors
///
/// If a whole line is no record.
pub fn read_journal(name: &str, text: &str) -> Result<(Vec<Record>, usize), Diagnostic> {
    let whole = text.rfind('\n').map_or(0, |end| end + 1);
    let record = |(number, line): (usize, &str)| {
        serde_json::from_str(line).map_err(|error| {
            Diagnostic::error(format!("{name}:{}: this is no record of a campaign: {error}", number + 1))
                .help("give --journal a file of its own")
        })
    };
    let records = text[..whole].lines().enumerate().map(record).collect::<Result<_, _>>()?;
    Ok((records, whole))
}

/// One report on all records of the campaign's kernels.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Merged {
    /// Units that were run.
    pub runs: u64,
    /// Units that are left.
    pub left: u64,
    /// What the kernels came to.
    pub kernels: Vec<MergedInput>,
}

/// What a kernel came to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MergedInput {
    /// The input.
    pub input: String,
    /// Outcomes with the number of units.
    pub outcomes: BTreeMap<String, u64>,
    /// Findings with the number of units that have them, and how to see them again.
    pub findings: Vec<MergedFinding>,
    /// Why there is no full answer, with the command that says so.
    pub reasons: BTreeMap<String, String>,
}

/// A finding of several units.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MergedFinding {
    /// As the first unit has it.
    #[serde(flatten)]
    pub found: Found,
    /// Units that have it.
    pub runs: u64,
    /// The command that shows it.
    pub replay: String,
}

impl Campaign {
    /// Merges the records of this campaign's units; what else is among them is left out, and nothing counts twice.
    pub fn merge(&self, records: &[Record]) -> Merged {
        let units: BTreeSet<Key> = self.units().into_iter().map(|unit| self.key(unit)).collect();
        let keyed = records.iter().map(|record| (record.key(), record));
        let mine: BTreeMap<Key, &Record> = keyed.filter(|(key, _)| units.contains(key)).collect();
        let mut kernels: Vec<MergedInput> = Vec::new();
        for item in &self.items {
            let input = item.input.display().to_string();
            let mut merged = MergedInput {
                input: input.clone(),
                outcomes: BTreeMap::new(),
                findings: Vec::new(),
                reasons: BTreeMap::new(),
            };
            for record in mine.values().filter(|record| record.input == input) {
                *merged.outcomes.entry(record.outcome.clone()).or_default() += 1;
                for found in &record.findings {
                    match merged.findings.iter_mut().find(|known| known.found.key() == found.key()) {
                        Some(known) => known.runs += 1,
                        None => {
                            let replay = self.replay(record);
                            merged.findings.push(MergedFinding { found: found.clone(), runs: 1, replay });
                        }
                    }
                }
                for reason in &record.reasons {
                    merged.reasons.entry(reason.clone()).or_insert_with(|| self.replay(record));
                }
            }
            kernels.push(merged);
        }
        let runs = mine.len() as u64;
        Merged { runs, left: units.len() as u64 - runs, kernels }
    }

    /// The exit status of the campaign: the greatest of its units'.
    pub fn exit_status(&self, records: &[Record]) -> ExitStatus {
        match records.iter().map(|record| record.status).max().unwrap_or(0) {
            0 => ExitStatus::Clean,
            1 => ExitStatus::Findings,
            2 => ExitStatus::Unusable,
            _ => ExitStatus::Unsupported,
        }
    }
}

impl Merged {
    /// The report for people.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for kernel in &self.kernels {
            let outcomes: Vec<String> =
                kernel.outcomes.iter().map(|(outcome, count)| format!("{count} {outcome}")).collect();
            _ = writeln!(text, "{}: {}", kernel.input, outcomes.join(", "));
            for MergedFinding { found, runs, replay } in &kernel.findings {
                let Found { kernel, severity, rule, title, sites, hint } = found;
                _ = writeln!(text, "  {severity}[{rule}]: {title} ({kernel}, in {runs} runs)");
                sites.iter().for_each(|site| _ = writeln!(text, "    {site}"));
                if let Some(hint) = hint {
                    _ = writeln!(text, "    hint: {hint}");
                }
                _ = writeln!(text, "    see: {replay}");
            }
            for (reason, replay) in &kernel.reasons {
                _ = writeln!(text, "  {reason}\n    see: {replay}");
            }
        }
        let left = if self.left > 0 { format!(", {} left", self.left) } else { String::new() };
        _ = writeln!(text, "{} kernels, {} runs{left}", self.kernels.len(), self.runs);
        text
    }
}
