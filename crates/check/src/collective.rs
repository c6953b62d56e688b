//! Multicast loads whose participants disagree or are missing.
//!
//! Delivery is recipient-owned: every workgroup in the mask issues the load itself, with the same mask, for
//! the same data. Requests are matched per cluster by mask and address when the cluster has ended.

use rustc_hash::FxHashMap;
use wavemark_sim::events::{Extent, Issue, Space, WaveId};

use crate::Checker;
use crate::finding::{Class, Finding, Severity};
use crate::site_info::SiteId;

/// One workgroup's requests for the same data.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    rank: u32,
    count: u32,
    wave: WaveId,
    site: SiteId,
}

/// Requests of a cluster by mask and data.
pub(crate) type Requests = FxHashMap<(u32, u64), Vec<Request>>;

/// M0[16]: the requester does not wait for the others.
const EARLY_TIMEOUT: u32 = 1 << 16;

/// The data that a request names: its first address and how much.
fn data_key(op: &Issue) -> Option<u64> {
    let access = op.accesses.iter().find(|a| a.space == Space::Global)?;
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    let mut add = |x: u64| hash = (hash ^ x).wrapping_mul(0x100_0000_01b3);
    match &access.extent {
        Extent::Lanes { mask, bytes, addr } => {
            add(u64::from(*bytes));
            for lane in wavemark_sim::pending::lanes(*mask) {
                add(addr[lane as usize]);
            }
        }
        Extent::Runs(runs) => {
            for &(addr, bytes) in runs {
                add(addr);
                add(u64::from(bytes));
            }
        }
    }
    Some(hash)
}

impl Checker {
    /// Remember a multicast request.
    pub(crate) fn note_multicast(&mut self, wave: WaveId, site: SiteId, op: &Issue, m0: u32) {
        let Some(size) = self.clusters.size(wave.cluster_flat) else { return };
        let mask = m0 & 0xffff & ((1u32 << size.min(16)) - 1);
        if size < 2 || m0 & 0xffff == 0 || m0 & EARLY_TIMEOUT != 0 {
            return;
        }
        if mask >> wave.rank_in_cluster & 1 == 0 {
            let info = self.sites.get(site);
            let title = format!(
                "workgroup {} of the cluster issues a multicast load whose mask {mask:#x} leaves it out",
                wave.rank_in_cluster
            );
            let finding = Finding::new("C2", Class::Collective, Severity::Warning, title)
                .at("request", &info.site, wave);
            self.findings.add(finding);
            return;
        }
        let Some(data) = data_key(op) else { return };
        let requests = self.requests.entry(wave.cluster_flat).or_default().entry((mask, data)).or_default();
        match requests.iter_mut().find(|r| r.rank == wave.rank_in_cluster) {
            Some(request) => request.count += 1,
            None => requests.push(Request { rank: wave.rank_in_cluster, count: 1, wave, site }),
        }
    }

    /// Match the requests of a cluster that has ended.
    pub(crate) fn match_multicasts(&mut self, cluster: u32) {
        let Some(requests) = self.requests.remove(&cluster) else { return };
        let mut all: Vec<((u32, u64), Vec<Request>)> = requests.into_iter().collect();
        all.sort_by_key(|(_, list)| list.first().map(|r| (r.site, r.rank)));
        for ((mask, data), list) in &all {
            let most = list.iter().map(|r| r.count).max().unwrap_or(0);
            let complete = (0..16)
                .filter(|rank| mask >> rank & 1 != 0)
                .all(|rank| list.iter().any(|r| r.rank == rank && r.count == most));
            if complete {
                continue;
            }
            let Some(first) = list.first() else { continue };
            let missing: Vec<String> = (0..16)
                .filter(|rank| mask >> rank & 1 != 0)
                .filter(|rank| !list.iter().any(|r| r.rank == *rank && r.count == most))
                .map(|rank: u32| rank.to_string())
                .collect();
            let severity = if self.model.multicast_timeout { Severity::Warning } else { Severity::Error };
            let other = all
                .iter()
                .filter(|((m, d), _)| d == data && m != mask)
                .flat_map(|(_, l)| l)
                .find(|r| r.rank != first.rank);
            let title = match other {
                Some(_) => format!(
                    "workgroups of one cluster load the same data with different multicast masks (one is {mask:#x})"
                ),
                None => format!(
                    "a multicast load with mask {mask:#x} is not issued by workgroup {} of the cluster",
                    missing.join(", ")
                ),
            };
            let mut finding = Finding::new("C1", Class::Collective, severity, title).at(
                "request",
                &self.sites.get(first.site).site,
                first.wave,
            );
            if let Some(other) = other {
                finding = finding.at("request", &self.sites.get(other.site).site, other.wave);
            }
            if self.model.multicast_timeout {
                finding = finding.model("multicast");
            }
            self.findings.add(finding);
        }
    }
}
