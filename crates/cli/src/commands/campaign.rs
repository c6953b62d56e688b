//! `wavemark campaign`: kernels under many seeds, completion modes and schedules, on all cores.

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::sync::mpsc;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use wavemark_diag::Diagnostic;
use wavemark_driver::campaign::{Campaign, Record, Unit, read_journal};
use wavemark_driver::options::{Completion, Halt, RunOptions};
use wavemark_driver::report::{Checked, ExitStatus};
use wavemark_driver::{batch, files};

use crate::args::{CampaignArgs, CampaignCompletionArg, CampaignFormatArg};
use crate::commands::execute::{brake, processors};
use crate::door::{Door, Failure};

/// Runs what of the campaign is not in its journal, and reports on all of it.
pub fn campaign(door: &mut Door, args: &CampaignArgs) -> Result<ExitStatus, Failure> {
    let campaign = Campaign {
        items: batch::expand(&args.inputs, None)?,
        seeds: args.seeds,
        completions: args.completions.iter().flat_map(|one| modes(*one)).copied().collect(),
        schedules: args.schedules,
    };
    let options = RunOptions {
        check: Checked::parse(&args.check)
            .map_err(|problem| Diagnostic::error(format!("--check: {problem}")))?,
        max_steps: args.max_steps,
        model: args.model.clone(),
        brake: brake(args.timeout),
        ..RunOptions::default()
    };
    let (mut records, mut journal) = match &args.journal {
        Some(path) => open(path)?,
        None => (Vec::new(), None),
    };
    let left = campaign.left(&records);
    let bar = progress(campaign.units().len() as u64, left.len() as u64);
    let workers = args.jobs.or_else(processors).unwrap_or(1).max(1);
    let queue = Arc::new(Mutex::new(VecDeque::from(left)));
    let (sender, receiver) = mpsc::channel();
    let written = std::thread::scope(|scope| {
        for _ in 0..workers {
            let (queue, sender, campaign, options) =
                (Arc::clone(&queue), sender.clone(), &campaign, &options);
            let work = move || {
                while let Some(unit) = next(&queue) {
                    let record = campaign.run(unit, options);
                    // A run that the brake ended is no unit's: it is left.
                    if options.brake.pulled().is_some() || sender.send(record).is_err() {
                        break;
                    }
                }
            };
            if let Err(error) = std::thread::Builder::new().stack_size(64 << 20).spawn_scoped(scope, work) {
                return Err(Diagnostic::error(format!("cannot start a thread: {error}")));
            }
        }
        drop(sender);
        for record in receiver {
            bar.inc(1);
            if let Some(journal) = &mut journal {
                let written = record.to_line().map_err(std::io::Error::from);
                let written = written.and_then(|line| journal.write_all(line.as_bytes()));
                written.map_err(|error| Diagnostic::error(format!("cannot write the journal: {error}")))?;
            }
            records.push(record);
        }
        Ok(())
    });
    bar.finish_and_clear();
    let merged = campaign.merge(&records);
    match args.format {
        CampaignFormatArg::Text => door.print(merged.to_text())?,
        CampaignFormatArg::Json => {
            let json = serde_json::to_string(&merged);
            let json =
                json.map_err(|error| Diagnostic::error(format!("the report cannot be written: {error}")))?;
            door.print(json + "\n")?;
        }
    }
    written?;
    if merged.left > 0 && options.brake.pulled() != Some(Halt::Interrupt) {
        door.note(None, "the time is over (--timeout); with --journal the rest can be run later");
    }
    Ok(match campaign.exit_status(&records) {
        // What was not run has not been found clean.
        ExitStatus::Clean if merged.left > 0 => ExitStatus::Unsupported,
        status => status,
    })
}

fn modes(one: CampaignCompletionArg) -> &'static [Completion] {
    match one {
        CampaignCompletionArg::All => &[Completion::Late, Completion::Early, Completion::Random],
        CampaignCompletionArg::Late => &[Completion::Late],
        CampaignCompletionArg::Early => &[Completion::Early],
        CampaignCompletionArg::Random => &[Completion::Random],
    }
}

fn next(queue: &Mutex<VecDeque<Unit>>) -> Option<Unit> {
    queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
}

/// The journal's records, and the file behind its last whole line.
fn open(path: &Path) -> Result<(Vec<Record>, Option<File>), Diagnostic> {
    let name = path.display().to_string();
    let unusable =
        |error: std::io::Error| Diagnostic::error(format!("cannot use the journal {name}: {error}"));
    let text = match path.exists() {
        true => files::read_regular(path, u64::MAX)
            .map_err(|why| Diagnostic::error(format!("cannot read the journal {name}: {why}")))?,
        false => Vec::new(),
    };
    let text =
        String::from_utf8(text).map_err(|_| Diagnostic::error(format!("the journal {name} is not UTF-8")))?;
    let (records, whole) = read_journal(&name, &text)?;
    let file = OpenOptions::new().create(true).append(true).open(path).map_err(unusable)?;
    file.set_len(whole as u64).map_err(unusable)?;
    Ok((records, Some(file)))
}

/// How far it is, with rate and time left; on a terminal only.
fn progress(all: u64, left: u64) -> ProgressBar {
    use std::io::IsTerminal;
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(all).with_position(all - left);
    bar.reset_eta();
    if let Ok(style) =
        ProgressStyle::with_template("{spinner} {pos} of {len} runs, {per_sec}, {elapsed}, {eta} left")
    {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
