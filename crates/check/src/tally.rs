//! What clusters add to a report, each its part, whichever comes first: what is known of waits, and what follows from the
//! events of a cluster alone and is no error.
//!
//! Nothing of it depends on the order of clusters: the first instance is that of the first cluster, and what is said of the
//! same pair of instructions stands in the order of their addresses.

use rustc_hash::FxHashMap;
use wavemark_sim::events::{Counter, WaveId};

use crate::Checker;
use crate::finding::{Class, Finding, FindingKey, Severity};
use crate::mistakes::Place;
use crate::site_info::SiteId;
use crate::waits::{self, WaitTable};

/// What some clusters have added.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    pub waits: WaitTable,
    remarks: FxHashMap<FindingKey, Finding>,
}

impl Tally {
    /// Others have added something, whose waves are these here.
    pub fn add(&mut self, other: &Tally, wave: impl Fn(WaveId) -> WaveId) {
        for (&wait, &stats) in &other.waits {
            waits::add(&mut self.waits, (wait, stats.of(wave(stats.wave))));
        }
        for (key, finding) in &other.remarks {
            self.remark(key, finding, &wave);
        }
    }

    /// Something was seen again, or for the first time.
    fn remark(&mut self, key: &FindingKey, finding: &Finding, wave: impl Fn(WaveId) -> WaveId) {
        let of_waves = || finding.clone().with_waves(&wave);
        let Some(known) = self.remarks.get_mut(key) else {
            self.remarks.insert(key.clone(), of_waves());
            return;
        };
        let of_earlier_cluster = cluster(finding).map(|first| wave(first).cluster_flat)
            < cluster(known).map(|first| first.cluster_flat);
        let (instances, needed) = if of_earlier_cluster {
            let later = std::mem::replace(known, of_waves());
            (later.instances, later.needed)
        } else {
            (finding.instances, finding.needed)
        };
        count(known, instances, needed);
    }

    /// Whether it is known that a wait is missing between instructions at these addresses; if so it is counted.
    pub fn count_known(
        &mut self,
        (rule, class): (&'static str, Class),
        pcs: &[u64],
        wave: WaveId,
        needed: (Counter, u32),
    ) -> bool {
        let Some(known) = self.remarks.get_mut(&(rule, class, pcs.to_vec())) else { return false };
        if cluster(known).is_some_and(|first| wave.cluster_flat < first.cluster_flat) {
            return false;
        }
        count(known, 1, Some(needed));
        true
    }

    /// The same as it is said with other numbers of instructions.
    fn with_sites(&self, mut site: impl FnMut(SiteId) -> SiteId) -> Tally {
        Tally {
            waits: self
                .waits
                .iter()
                .map(|(&wait, &stats)| waits::with_sites((wait, stats), &mut site))
                .collect(),
            remarks: self
                .remarks
                .iter()
                .map(|(key, finding)| {
                    let missing = finding.missing.map(|(counter, before)| (counter, before.map(&mut site)));
                    (key.clone(), Finding { missing, ..finding.clone() })
                })
                .collect(),
        }
    }
}

/// It was seen so often besides, and as much is needed there.
fn count(known: &mut Finding, instances: u64, needed: Option<(Counter, u32)>) {
    known.instances += instances;
    known.needed = known.needed.into_iter().chain(needed).min_by_key(|&(_, allowed)| allowed);
}

/// A wave of the cluster that it was seen in.
fn cluster(finding: &Finding) -> Option<WaveId> {
    finding.sites.iter().find_map(|end| end.wave)
}

impl Checker {
    /// Something is found that follows from the events of a cluster alone.
    pub(crate) fn find_by_events(&mut self, finding: Finding) {
        if finding.severity == Severity::Error {
            self.findings.add(finding);
        } else {
            self.tally.remark(&finding.key(), &finding, |wave| wave);
        }
    }

    /// Take over what a part of the checker has found out.
    pub(crate) fn take_tally(&mut self, part: Checker) {
        let mut sites = |site: SiteId| self.sites.id(&part.sites.get(site).site);
        self.tally.add(&part.tally.with_sites(&mut sites), |wave| wave);
        self.readers_forgotten |= part.readers_forgotten;
        self.drains.extend(part.drains.iter().map(|&site| sites(site)));
    }

    /// Report what was seen, but for waits.
    pub(crate) fn report_remarks(&mut self) {
        let mut remarks: Vec<(FindingKey, Finding)> = self.tally.remarks.drain().collect();
        remarks.sort_by(|(a, _), (b, _)| (&a.2, a.0).cmp(&(&b.2, b.0)));
        for (_, finding) in remarks {
            let mistake = finding.missing.zip(finding.needed).map(|((_, before), (_, allowed))| {
                let before = before.map(|site| (site, self.sites.get(site).site.pc));
                self.missing_translation_wait(Place { before, step: 0, issued: allowed, hands_on: false })
            });
            self.findings.add(finding.of(mistake));
        }
    }
}
