//! Campaigns: kernels under many seeds, completion modes and schedules, and one report on all that was found.
//!
//! A campaign is a list of units, each a `check` of one kernel with one seed and one mode. What a unit came to is a
//! [`Record`], a function of the unit alone, so that it does not matter who runs which, or in what order: the threads of
//! [`pool`], or processes elsewhere that were given the [`Plan`] and the numbers of units. A [`Ledger`] takes what comes,
//! each unit once, and keeps it in a journal, from which a campaign that was interrupted goes on.

mod digest;
mod ledger;
mod merged;
pub mod pool;
mod record;

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use wavemark_diag::{Diagnostic, SourceMap, render_short};

use crate::batch::Item;
use crate::build::Failure;
use crate::input;
use crate::options::{Brake, Completion, RunOptions};
use crate::report::{Checked, Report};
use crate::run;

pub use ledger::Ledger;
pub use merged::{Merged, MergedFinding, MergedInput};
pub use record::{Found, Record};

/// What is to be run, as data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// The kernels.
    pub items: Vec<Item>,
    /// Seeds, from 0 on.
    pub seeds: u64,
    /// The modes of completion, by name.
    pub completions: Vec<String>,
    /// Schedules of each unit.
    pub schedules: u32,
    /// Which checks.
    pub check: String,
    /// Readings of open questions.
    pub model: Vec<String>,
    /// Instructions a wave may execute.
    pub max_steps: Option<u64>,
}

/// A plan whose units can be run.
#[derive(Debug)]
pub struct Campaign {
    plan: Plan,
    completions: Vec<Completion>,
    options: RunOptions,
    /// What each kernel's runs depend on.
    digests: Vec<String>,
    /// The place of each item, by its digest.
    places: FxHashMap<String, usize>,
}

/// One `check` of a campaign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Unit {
    item: usize,
    completion: usize,
    seed: u64,
}

impl Campaign {
    /// The campaign of a plan; `brake` ends its runs.
    ///
    /// # Errors
    ///
    /// What is wrong with the plan's options, in words.
    pub fn new(mut plan: Plan, brake: Arc<Brake>) -> Result<Campaign, Diagnostic> {
        let unusable = |problem: String| Diagnostic::error(problem);
        let mut options =
            RunOptions { schedules: plan.schedules, threads: Some(1), brake, ..RunOptions::default() };
        options.set("check", &plan.check).map_err(unusable)?;
        for reading in &plan.model {
            options.set("model", reading).map_err(unusable)?;
        }
        options.max_steps = plan.max_steps;
        let mode = |name: &String| {
            let mut options = RunOptions::default();
            options.set("completion", name).map(|()| options.completion)
        };
        // What is named twice is run once.
        let mut named = FxHashSet::default();
        plan.completions.retain(|name| named.insert(name.clone()));
        let completions = plan.completions.iter().map(mode).collect::<Result<_, _>>().map_err(unusable)?;
        let runs = [plan.items.len() as u64, plan.completions.len() as u64, plan.seeds];
        if runs.into_iter().try_fold(1u64, u64::checked_mul).is_none_or(|runs| runs == 0) {
            return Err(unusable("a campaign has kernels, modes of completion and seeds".to_owned()));
        }
        let (mut items, mut digests, mut places) = (Vec::new(), Vec::new(), FxHashMap::default());
        for item in std::mem::take(&mut plan.items) {
            let digest = digest::of(&item, &plan);
            places.entry(digest.clone()).or_insert_with(|| {
                items.push(item);
                digests.push(digest);
                items.len() - 1
            });
        }
        plan.items = items;
        Ok(Campaign { plan, completions, options, digests, places })
    }

    /// The plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// What ends its runs.
    pub fn brake(&self) -> &Brake {
        &self.options.brake
    }

    /// How many units there are; they are numbered, the seeds of a kernel after one another.
    pub fn units(&self) -> u64 {
        self.plan.items.len() as u64 * self.completions.len() as u64 * self.plan.seeds
    }

    fn unit(&self, number: u64) -> Unit {
        let (rest, seed) = (number / self.plan.seeds, number % self.plan.seeds);
        let completions = self.completions.len() as u64;
        Unit { item: (rest / completions) as usize, completion: (rest % completions) as usize, seed }
    }

    /// The number of the unit that a record is of; `None` if it is of another campaign, or its kernel has changed since.
    pub fn number_of(&self, record: &Record) -> Option<u64> {
        let item = *self.places.get(&record.digest)? as u64;
        let completion = self.plan.completions.iter().position(|name| *name == record.completion)? as u64;
        (record.seed < self.plan.seeds)
            .then(|| (item * self.completions.len() as u64 + completion) * self.plan.seeds + record.seed)
    }

    fn name(&self, item: usize) -> String {
        self.plan.items[item].input.display().to_string()
    }

    /// Runs the unit `number`, below [`Campaign::units`]. What is wrong with the input is in the record.
    pub fn run(&self, number: u64) -> Record {
        let unit = self.unit(number);
        let item = &self.plan.items[unit.item];
        let options = RunOptions {
            completion: self.completions[unit.completion],
            seed: unit.seed,
            ..self.options.clone()
        };
        let mut sources = SourceMap::new();
        let reports = input::read(&item.input, None)
            .map_err(Failure::from)
            .and_then(|input| run::check(&mut sources, &input, item.launch.as_deref(), &options));
        let reports = reports.unwrap_or_else(|failure| {
            let mut report = Report::new(self.name(unit.item));
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
        let mut reasons: Vec<String> = reports.iter().flat_map(Report::reasons).collect();
        let differ = |report: &Report| report.outputs.iter().filter(|output| !output.matches).count();
        let differing: usize = reports.iter().map(differ).sum();
        if differing > 0 {
            reasons.push(format!("{differing} outputs are not as expected"));
        }
        Record {
            input: self.name(unit.item),
            digest: self.digests[unit.item].clone(),
            completion: self.plan.completions[unit.completion].clone(),
            seed: unit.seed,
            status: worst.map_or(0, |report| report.exit_status() as u8),
            outcome: worst.map_or("clean", |report| report.outcome.name()).to_owned(),
            findings: reports.iter().flat_map(Found::all_of).collect(),
            reasons,
        }
    }

    /// The command that runs the unit `number` alone.
    fn replay(&self, number: u64) -> String {
        let Unit { item, completion, seed } = self.unit(number);
        let launch = self.plan.items[item].launch.as_ref();
        let launch = launch.map(|path| format!(" --launch {}", path.display())).unwrap_or_default();
        let Plan { completions, schedules, check, model, max_steps, .. } = &self.plan;
        let (input, completion) = (self.name(item), &completions[completion]);
        let mut command = format!(
            "wavemark check {input}{launch} --completion {completion} --seed {seed} --schedules {schedules}"
        );
        if self.options.check != Checked::FULL {
            command += &format!(" --check {check}");
        }
        model.iter().for_each(|reading| command += &format!(" --model {reading}"));
        max_steps.iter().for_each(|steps| command += &format!(" --max-steps {steps}"));
        command
    }
}
