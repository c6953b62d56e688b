//! What a unit came to: a line of JSON.

use serde::{Deserialize, Serialize};

use crate::findings::names_place;
use crate::report::{Finding, Report, Severity, Site, names_ends};

/// What a unit came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The input as it is named.
    pub input: String,
    /// What its runs depend on.
    #[serde(default)]
    pub digest: String,
    /// The mode's name.
    pub completion: String,
    /// The seed.
    pub seed: u64,
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

impl Found {
    /// The findings of a report, without advice.
    pub(super) fn all_of(report: &Report) -> impl Iterator<Item = Found> {
        let told = report.findings.iter().filter(|finding| finding.severity > Severity::Advice);
        told.map(|finding| Found::of(&report.kernel, finding))
    }

    fn of(kernel: &str, finding: &Finding) -> Found {
        let site = |site: &Site| {
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

    /// Whether `other` is the same defect: what runs differ in (addresses in titles, further sites) is left out. So is which
    /// instructions showed it first, where the same is missing in the same place or between instructions that both name.
    pub(super) fn is_again(&self, other: &Found) -> bool {
        let ends = |found: &Found| found.sites.iter().take(2).cloned().collect::<Vec<_>>();
        let place =
            |site: &String| site.split_once(": ").map_or(site.clone(), |(_role, place)| place.to_owned());
        let places = |found: &Found| found.sites.iter().map(place).collect::<Vec<_>>();
        let same_place = |hint: &String| {
            let (own, others) = (places(self), places(other));
            names_place(hint) || names_ends(&own, &others) || names_ends(&others, &own)
        };
        (&self.kernel, &self.rule) == (&other.kernel, &other.rule)
            && (ends(self) == ends(other)
                || self.hint == other.hint && self.hint.as_ref().is_some_and(same_place))
    }
}

impl Record {
    /// The record as a line, with its end.
    ///
    /// # Errors
    ///
    /// If it cannot be written as JSON.
    pub fn to_line(&self) -> serde_json::Result<String> {
        Ok(serde_json::to_string(self)? + "\n")
    }

    /// The record that a line is.
    ///
    /// # Errors
    ///
    /// If it is none.
    pub fn from_line(line: &str) -> serde_json::Result<Record> {
        serde_json::from_str(line)
    }
}
