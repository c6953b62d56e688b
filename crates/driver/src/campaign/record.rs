//! What a unit came to: a line of JSON.

use serde::{Deserialize, Serialize};

use crate::report::{Finding, Report, Severity, Site};

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
        let ends = |found: &'_ Found| found.sites[..found.sites.len().min(2)].to_vec();
        let place = |site: &'_ str| site.split_once(": ").map_or(site, |(_role, place)| place).to_owned();
        let names = |found: &Found, others: &Found| {
            let places: Vec<String> = found.sites.iter().map(|site| place(site)).collect();
            others.sites.len() >= 2 && ends(others).iter().all(|end| places.contains(&place(end)))
        };
        let same_place = || {
            let hint = self.hint.as_ref().filter(|hint| other.hint.as_ref() == Some(hint));
            hint.is_some_and(|hint| hint.contains(" at ") || names(self, other) || names(other, self))
        };
        (&self.kernel, &self.rule) == (&other.kernel, &other.rule)
            && (ends(self) == ends(other) || same_place())
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
