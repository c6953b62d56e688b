//! A case as the subject of mutation: how a variant of its code object runs, unchecked and checked.

use std::panic::{AssertUnwindSafe, catch_unwind};

use anyhow::{Context, Result, anyhow, bail};
use wavemark_codeobj::CodeObject;
use wavemark_driver::SourceMap;
use wavemark_driver::build::{Failure, loadable};
use wavemark_driver::cases::Case;
use wavemark_driver::input::{self, Form, Input};
use wavemark_driver::options::{Completion, RunOptions};
use wavemark_driver::report::{Checked, Finding, Outcome, Report, Severity};
use wavemark_driver::run::{check, run};

/// A mutant may take so many times the instructions of the clean run.
const STEPS: u64 = 4;
/// And so many more.
const STEPS_MORE: u64 = 100_000;

/// A case.
pub struct Subject<'a> {
    case: &'a Case,
    object: CodeObject,
    seeds: u64,
    max_total_steps: Option<u64>,
}

impl<'a> Subject<'a> {
    /// Reads and links the code object of a case.
    pub fn read(case: &'a Case, seeds: u64) -> Result<Subject<'a>> {
        let mut sources = SourceMap::new();
        let input = input::read(&case.input, None).map_err(|error| anyhow!(error.message))?;
        let loadable = loadable(&mut sources, &input, &RunOptions::default()).map_err(words)?;
        Ok(Subject { case, object: loadable.object, seeds, max_total_steps: None })
    }

    /// The code object.
    pub fn object(&self) -> &CodeObject {
        &self.object
    }

    /// Its file.
    pub fn file(&self) -> &[u8] {
        self.object.bytes()
    }

    /// How long variants may run, by what the clean one takes.
    pub fn limit(&mut self, wave_instructions: u64) {
        self.max_total_steps = Some(wave_instructions.saturating_mul(STEPS).saturating_add(STEPS_MORE));
    }

    /// The report of the variant `file` as users get it.
    pub fn checked(&self, file: &[u8]) -> Result<Report> {
        self.report(file, RunOptions::default())
    }

    /// Whether the variant `file` ends in another way than it should, under some completion mode and seed.
    pub fn misbehaves(&self, file: &[u8]) -> Result<bool> {
        let fixed = [(Completion::Late, 0), (Completion::Early, 0)];
        let random = (1..=self.seeds).map(|seed| (Completion::Random, seed));
        for (completion, seed) in fixed.into_iter().chain(random) {
            let options = RunOptions { check: Checked::default(), completion, seed, ..RunOptions::default() };
            match self.report(file, options)?.outcome {
                Outcome::Clean | Outcome::NothingToCheck | Outcome::NotChecked => {}
                Outcome::Findings | Outcome::Mismatch => return Ok(true),
                outcome @ (Outcome::Unsupported | Outcome::Error) => {
                    bail!("a mutant cannot run: {outcome:?}")
                }
            }
        }
        Ok(false)
    }

    /// The report of the variant `file` without a launch; of several kernels, that of one with errors.
    pub fn checked_without_launch(&self, file: &[u8]) -> Result<Report> {
        careful(|| {
            let reports = check(&mut SourceMap::new(), &self.input(file), None, &RunOptions::default())?;
            let worst = reports.into_iter().max_by_key(Report::has_errors);
            worst.ok_or_else(|| Failure::Unsupported("there is no kernel".to_owned()))
        })
    }

    fn report(&self, file: &[u8], options: RunOptions) -> Result<Report> {
        let options = RunOptions { max_total_steps: self.max_total_steps, ..options };
        let work = || run(&mut SourceMap::new(), &self.input(file), Some(&self.case.launch), &options);
        careful(work)
    }

    fn input(&self, file: &[u8]) -> Input {
        let name = self.case.input.display().to_string();
        Input { name, path: None, form: Form::CodeObject, bytes: file.to_vec() }
    }
}

/// What `work` comes to; a panic is an error.
fn careful(work: impl FnOnce() -> Result<Report, Failure>) -> Result<Report> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| anyhow!("a panic, see above"))?.map_err(words)
}

fn words(failure: Failure) -> anyhow::Error {
    match failure {
        Failure::Unusable(diagnostics) => {
            anyhow!(diagnostics.into_iter().map(|one| one.message).collect::<Vec<_>>().join("; "))
        }
        Failure::Unsupported(what) => anyhow!("unsupported: {what}"),
    }
}

/// The errors that a run was found to have.
pub fn errors(report: &Report) -> impl Iterator<Item = &Finding> {
    report.findings.iter().filter(|finding| finding.severity == Severity::Error)
}

/// The number that advice says the wait could have: "… could be N: …"; none if the wait can go.
pub fn advised_number(title: &str) -> Result<Option<u32>> {
    let Some((_, rest)) = title.split_once(" could be ") else { return Ok(None) };
    let digits = rest.split(':').next().unwrap_or_default();
    digits.parse().map(Some).with_context(|| format!("advice without a number: {title}"))
}
