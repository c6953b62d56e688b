//! What the checker knows of one cluster, to be taken up again for another one that has done the same so far.
//!
//! Both must have been told of under the same numbers of waves and workgroups. What is remembered of global memory, and what is
//! known of the code, is not a part of it. What stores have left in LDS may be something else in the other cluster: where that
//! is not known, it excuses nothing any more.

use rustc_hash::FxHashMap;
use wavemark_sim::events::BarrierId;

use crate::barriers::{Object, ObjectKey};
use crate::lds::Lds;
use crate::published::Publications;
use crate::shadow::Shadow;
use crate::waits::{Recent, WaitTable};
use crate::waves::Waves;
use crate::Checker;

/// What is known of the only cluster that there is.
#[derive(Debug)]
pub(crate) struct Snapshot {
    waves: Waves,
    lds: FxHashMap<u32, Lds>,
    barriers: FxHashMap<ObjectKey, Object>,
    member_of: FxHashMap<u32, BarrierId>,
    published: FxHashMap<u32, Publications>,
    wait_table: WaitTable,
    cluster_size: FxHashMap<u32, u32>,
    cluster_live: FxHashMap<u32, u32>,
    group_cluster: FxHashMap<u32, u32>,
}

impl Checker {
    /// What it knows of the only cluster that it has been told of, unless some of it depends on values.
    pub(crate) fn snapshot(&self) -> Option<Snapshot> {
        (!self.depends_on_values && !self.has_found()).then(|| Snapshot {
            waves: self.waves.living(),
            lds: self.lds.clone(),
            barriers: self.barriers.clone(),
            member_of: self.member_of.clone(),
            published: self.published.clone(),
            wait_table: self.wait_table.clone(),
            cluster_size: self.cluster_size.clone(),
            cluster_live: self.cluster_live.clone(),
            group_cluster: self.group_cluster.clone(),
        })
    }

    /// Another cluster has come to the same; `stored` says what its stores have left in the LDS of a workgroup, if that is known.
    pub(crate) fn restore<'s>(&mut self, snapshot: &Snapshot, stored: impl Fn(u32) -> Option<&'s [u32]>) {
        self.waves.take_up(&snapshot.waves);
        self.lds.clone_from(&snapshot.lds);
        for (&workgroup, lds) in &mut self.lds {
            match stored(workgroup) {
                Some(dwords) => lds.shadow.set_values(dwords),
                None => lds.shadow.forget_values(),
            }
        }
        self.barriers.clone_from(&snapshot.barriers);
        self.member_of.clone_from(&snapshot.member_of);
        self.published.clone_from(&snapshot.published);
        self.wait_table.clone_from(&snapshot.wait_table);
        self.cluster_size.clone_from(&snapshot.cluster_size);
        self.cluster_live.clone_from(&snapshot.cluster_live);
        self.group_cluster.clone_from(&snapshot.group_cluster);
    }

    /// Forget the clusters that it has been told of, but for what concerns the code.
    pub(crate) fn forget_clusters(&mut self) {
        self.waves.forget_all();
        self.lds.clear();
        self.barriers.clear();
        self.member_of.clear();
        self.published.clear();
        self.requests.clear();
        self.cluster_size.clear();
        self.cluster_live.clear();
        self.group_cluster.clear();
        self.copies_used = Recent::default();
        self.global = Shadow::default();
    }
}
