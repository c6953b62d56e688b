//! `wavemark campaign`: kernels under many seeds, completion modes and schedules, on all cores or on a Ray cluster.

use std::sync::Arc;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use wavemark_diag::Diagnostic;
use wavemark_driver::batch;
use wavemark_driver::campaign::{Campaign, Ledger, Plan, Record, pool};
use wavemark_driver::options::Halt;
use wavemark_driver::report::ExitStatus;

use crate::args::{CampaignArgs, CampaignCompletionArg, CampaignFormatArg};
use crate::commands::execute::processors;
use crate::commands::ray;
use crate::door::{Door, Failure};
use crate::end::brake;

/// Runs what of the campaign is not in its journal, and reports on all of it.
pub fn campaign(door: &mut Door, args: &CampaignArgs) -> Result<ExitStatus, Failure> {
    let plan = Plan {
        items: batch::expand(&args.inputs, None)?,
        seeds: args.seeds,
        completions: args.completions.iter().flat_map(|one| modes(*one)).map(|&one| one.to_owned()).collect(),
        schedules: args.schedules,
        check: args.check.clone(),
        model: args.model.clone(),
        max_steps: args.max_steps,
    };
    let brake = brake(args.timeout);
    let campaign = Arc::new(Campaign::new(plan, Arc::clone(&brake))?);
    let mut ledger = Ledger::open(Arc::clone(&campaign), args.journal.as_deref())?;
    let left = ledger.left();
    let bar = progress(campaign.units(), left.len() as u64);
    let keep = |record: Record| {
        bar.inc(1);
        ledger.add(record).map(drop)
    };
    let ended = match &args.ray {
        Some(address) => ray::run(address, &campaign, &left, keep),
        None => pool::run(&campaign, left, args.jobs.or_else(processors).unwrap_or(1), keep),
    };
    bar.finish_and_clear();
    let merged = ledger.merge();
    match args.format {
        CampaignFormatArg::Text => door.print(merged.to_text())?,
        CampaignFormatArg::Json => {
            let json = serde_json::to_string(&merged);
            let json =
                json.map_err(|error| Diagnostic::error(format!("the report cannot be written: {error}")))?;
            door.print(json + "\n")?;
        }
    }
    ended?;
    if merged.left > 0 && brake.pulled() != Some(Halt::Interrupt) {
        door.note(None, "the time is over (--timeout); with --journal the rest can be run later");
    }
    Ok(ledger.exit_status())
}

fn modes(one: CampaignCompletionArg) -> &'static [&'static str] {
    match one {
        CampaignCompletionArg::All => &["late", "early", "random"],
        CampaignCompletionArg::Late => &["late"],
        CampaignCompletionArg::Early => &["early"],
        CampaignCompletionArg::Random => &["random"],
    }
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
