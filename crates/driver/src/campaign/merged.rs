//! One report on all records of a campaign.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Serialize;

use super::{Found, Ledger};

/// One report on all records of a campaign.
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

impl Ledger {
    /// Merges the records, in the order of their units: in which order they came does not show.
    pub fn merge(&self) -> Merged {
        let campaign = self.campaign();
        let empty = |item: usize| MergedInput {
            input: campaign.name(item),
            outcomes: BTreeMap::new(),
            findings: Vec::new(),
            reasons: BTreeMap::new(),
        };
        let mut kernels: Vec<MergedInput> = (0..campaign.plan().items.len()).map(empty).collect();
        for (&number, record) in self.records() {
            let merged = &mut kernels[campaign.unit(number).item];
            *merged.outcomes.entry(record.outcome.clone()).or_default() += 1;
            for found in &record.findings {
                match merged.findings.iter_mut().find(|known| known.found.is_again(found)) {
                    Some(known) => known.runs += 1,
                    None => {
                        let replay = campaign.replay(number);
                        merged.findings.push(MergedFinding { found: found.clone(), runs: 1, replay });
                    }
                }
            }
            for reason in &record.reasons {
                merged.reasons.entry(reason.clone()).or_insert_with(|| campaign.replay(number));
            }
        }
        let runs = self.records().len() as u64;
        Merged { runs, left: campaign.units() - runs, kernels }
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
