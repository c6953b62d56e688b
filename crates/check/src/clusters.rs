//! The clusters that have workgroups which live. Nothing is kept of the others.

use rustc_hash::FxHashMap;

/// All of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clusters {
    of_workgroup: FxHashMap<u32, u32>,
    members: FxHashMap<u32, Members>,
}

/// Workgroups of a cluster: those that have started, and of them those that live.
#[derive(Clone, Copy, Debug, Default)]
struct Members {
    started: u32,
    live: u32,
}

impl Clusters {
    /// A wave of a workgroup starts, maybe the first one.
    pub fn start(&mut self, workgroup: u32, cluster: u32) {
        if self.of_workgroup.insert(workgroup, cluster).is_none() {
            let members = self.members.entry(cluster).or_default();
            members.started += 1;
            members.live += 1;
        }
    }

    /// How many workgroups a cluster has.
    pub fn size(&self, cluster: u32) -> Option<u32> {
        self.members.get(&cluster).map(|members| members.started)
    }

    /// A workgroup has ended. Its cluster, if it was the last one there.
    pub fn end(&mut self, workgroup: u32) -> Option<u32> {
        let cluster = self.of_workgroup.remove(&workgroup)?;
        let members = self.members.get_mut(&cluster)?;
        members.live -= 1;
        if members.live > 0 {
            return None;
        }
        self.members.remove(&cluster);
        Some(cluster)
    }

    /// Forget all.
    pub fn clear(&mut self) {
        self.of_workgroup.clear();
        self.members.clear();
    }
}
