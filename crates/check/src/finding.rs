//! What the checker found, deduplicated by rule and pair of sites.

use rustc_hash::FxHashMap;
use serde::Serialize;
use wavemark_sim::events::{Site, WaveId};

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Right, but stronger than need be.
    Advice,
    /// Works by luck or only on some models.
    Warning,
    /// Undefined or wrong.
    Error,
}

/// What kind of defect it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs)] // the names are those of the report format
pub enum Class {
    MissingWait,
    MissingSync,
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

/// One end of a finding.
#[derive(Clone, Debug)]
pub struct FindingSite {
    /// What this instruction has to do with it: `producer`, `consumer`, `wait`, `first`, `second`…
    pub role: &'static str,
    /// The instruction.
    pub site: Site,
    /// Which wave, in the first instance.
    pub wave: WaveId,
    /// Which lanes, in the first instance; 0: not a matter of lanes.
    pub lanes: u64,
}

/// A finding.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Rule id of the catalogue.
    pub rule: &'static str,
    /// One line.
    pub title: String,
    /// How bad.
    pub severity: Severity,
    /// What kind.
    pub class: Class,
    /// How often it happened.
    pub instances: u64,
    /// Its ends, the earlier one first.
    pub sites: Vec<FindingSite>,
    /// What would mend it, if that is known; `{pc}` of `hint_site` is replaced by its source place.
    pub hint: Option<String>,
    /// The instruction that the hint is about.
    pub hint_site: Option<Site>,
    /// The model flag that the finding depends on.
    pub model: Option<&'static str>,
}

impl Finding {
    /// A finding of `rule` without sites or hint.
    pub fn new(rule: &'static str, class: Class, severity: Severity, title: impl Into<String>) -> Finding {
        Finding {
            rule,
            title: title.into(),
            severity,
            class,
            instances: 1,
            sites: Vec::new(),
            hint: None,
            hint_site: None,
            model: None,
        }
    }

    /// Add an end.
    pub fn at(mut self, role: &'static str, site: &Site, wave: WaveId) -> Finding {
        self.sites.push(FindingSite { role, site: site.clone(), wave, lanes: 0 });
        self
    }

    /// Add an end with lanes.
    pub fn at_lanes(mut self, role: &'static str, site: &Site, wave: WaveId, lanes: u64) -> Finding {
        self.sites.push(FindingSite { role, site: site.clone(), wave, lanes });
        self
    }

    /// Add a hint about an instruction.
    pub fn hint(mut self, hint: impl Into<String>, site: Option<Site>) -> Finding {
        self.hint = Some(hint.into());
        self.hint_site = site;
        self
    }

    /// What makes two findings one: rule, class and ends. Where a value is used does not make another mistake of it.
    pub fn key(&self) -> (&'static str, Class, Vec<u64>) {
        let ends = self.sites.iter().filter(|s| s.role != "use").map(|s| s.site.pc);
        (self.rule, self.class, ends.collect())
    }

    /// Say which model flag it depends on.
    pub fn model(mut self, flag: &'static str) -> Finding {
        self.model = Some(flag);
        self
    }
}

/// All findings of a run.
#[derive(Debug, Default)]
pub struct Findings {
    list: Vec<Finding>,
    known: FxHashMap<(&'static str, Class, Vec<u64>), usize>,
}

impl Findings {
    /// Add a finding, or count it if there is one of its key; its number in the order in which they were first seen.
    pub fn add(&mut self, finding: Finding) -> usize {
        let at = *self.known.entry(finding.key()).or_insert(self.list.len());
        match self.list.get_mut(at) {
            Some(known) => {
                known.instances += finding.instances;
                known.severity = known.severity.max(finding.severity);
            }
            None => self.list.push(finding),
        }
        at
    }

    /// The findings, in the order in which they were first seen.
    pub fn into_list(self) -> Vec<Finding> {
        self.list
    }

    /// Whether a finding of `rule` at these addresses is known; if so it is counted.
    pub fn count_known(&mut self, rule: &'static str, class: Class, pcs: &[u64]) -> bool {
        match self.known.get(&(rule, class, pcs.to_vec())) {
            Some(&at) => {
                self.list[at].instances += 1;
                true
            }
            None => false,
        }
    }

    /// The findings, worst first, then in the order in which they were first seen. That LDS is read which nobody wrote
    /// is no mistake of its own where accesses to LDS race: what should have written it may have come too late, or gone
    /// elsewhere.
    pub fn into_sorted(mut self) -> Vec<Finding> {
        let races = |f: &Finding| {
            f.severity == Severity::Error && matches!(f.rule, "R4" | "R5" | "R6" | "R7" | "S1" | "S2")
        };
        if self.list.iter().any(races) {
            for finding in self.list.iter_mut().filter(|finding| finding.rule == "U2") {
                finding.severity = finding.severity.min(Severity::Warning);
            }
        }
        self.list.sort_by_key(|f| std::cmp::Reverse(f.severity));
        self.list
    }
}
