//! What the checker knows of one cluster, to be taken up again for another one that has done the same so far.
//!
//! Both must have been told of under the same numbers of waves and workgroups. What is remembered of global memory, and what is
//! known of the code, is not a part of it. What stores have left in LDS may be something else in the other cluster: where that
//! is not known, it excuses nothing any more.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use wavemark_sim::events::{BarrierId, WaveId};

use crate::Checker;
use crate::barriers::{Object, ObjectKey};
use crate::clusters::Clusters;
use crate::knowledge::Knowledge;
use crate::lds::Lds;
use crate::published::Publications;
use crate::shadow::Shadow;
use crate::tally::Tally;
use crate::waits::Recent;
use crate::wave_state::WaveState;
use crate::waves::Waves;

/// What is known of the only cluster that there is.
#[derive(Debug)]
pub(crate) struct Snapshot {
    waves: Waves,
    lds: FxHashMap<u32, Lds>,
    barriers: FxHashMap<ObjectKey, Object>,
    member_of: FxHashMap<u32, BarrierId>,
    published: FxHashMap<u32, Publications>,
    tally: Tally,
    clusters: Clusters,
    copies_used: Recent,
}

/// How much higher the numbers of another cluster are.
#[derive(Debug)]
pub(crate) struct Moved {
    /// Those of its waves.
    pub agents: u32,
    /// Those of its workgroups.
    pub groups: u32,
    /// What waves share that was looked at before, and what it is in the other cluster.
    shared: FxHashMap<*const Knowledge, Arc<Knowledge>>,
    /// The last one of them: operations behind each other mostly have the same.
    last: Option<(*const Knowledge, Arc<Knowledge>)>,
}

impl Moved {
    /// What several waves, or operations, know at once.
    pub fn shared(&mut self, known: &Arc<Knowledge>) -> Arc<Knowledge> {
        let (by, place) = (self.agents, Arc::as_ptr(known));
        if let Some((_, moved)) = self.last.as_ref().filter(|(last, _)| *last == place) {
            return Arc::clone(moved);
        }
        let moved = Arc::clone(self.shared.entry(place).or_insert_with(|| Arc::new(known.moved(by))));
        self.last = Some((place, Arc::clone(&moved)));
        moved
    }
}

impl Checker {
    /// A cluster of one workgroup, whose waves were announced, the first one of them `first`, has come to what a snapshot says of
    /// another; `stored` is what its stores have left in LDS.
    pub(crate) fn begin_as(&mut self, snapshot: &Snapshot, first: WaveId, stored: &[u32]) {
        let group = first.workgroup_flat;
        let mut by = Moved { agents: first.index, groups: group, shared: FxHashMap::default(), last: None };
        self.waves.begin_as(&snapshot.waves, &mut by);
        let waves = &self.waves;
        let id = |wave: u32| waves.id(wave + first.index).unwrap_or(first);
        for lds in snapshot.lds.values() {
            let mut lds = lds.moved(&mut by);
            lds.shadow.set_values(stored);
            self.lds.insert(group, lds);
        }
        for (&(_, barrier), object) in &snapshot.barriers {
            self.barriers.insert((group, barrier), object.moved(&by, id));
        }
        self.member_of.extend(snapshot.member_of.iter().map(|(wave, &of)| (wave + by.agents, of)));
        for published in snapshot.published.values() {
            self.published.insert(group, published.moved(&mut by, id));
        }
        self.tally.add(&snapshot.tally, |wave| id(wave.index));
        self.copies_used.add(&snapshot.copies_used, by.agents);
        self.clusters.start(group, first.cluster_flat);
    }

    /// What it knows of the only cluster that it has been told of, unless it is in doubt of something.
    pub(crate) fn snapshot(&self) -> Option<Snapshot> {
        let in_doubt = |state: &WaveState| !state.taint.is_empty() || !state.unused_loads.is_empty();
        let found = self.has_found() || self.has_deferred();
        let sure = !self.depends_on_values && !found && !self.waves.iter().any(in_doubt);
        // What is over needs no copies.
        let pruned = |(&workgroup, lds): (&u32, &Lds)| {
            let mut lds = lds.clone();
            lds.prune_now(true, |agent, channel| self.waves.over_for_all(workgroup, agent, channel));
            (workgroup, lds)
        };
        sure.then(|| Snapshot {
            waves: self.waves.living(),
            lds: self.lds.iter().map(pruned).collect(),
            barriers: self.barriers.clone(),
            member_of: self.member_of.clone(),
            published: self.published.clone(),
            tally: self.tally.clone(),
            clusters: self.clusters.clone(),
            copies_used: self.copies_used.clone(),
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
        self.tally.clone_from(&snapshot.tally);
        self.clusters.clone_from(&snapshot.clusters);
        self.copies_used.clone_from(&snapshot.copies_used);
    }

    /// Forget the clusters that it has been told of, but for what concerns the code.
    pub(crate) fn forget_clusters(&mut self) {
        self.waves.forget_all();
        self.lds.clear();
        self.barriers.clear();
        self.member_of.clear();
        self.published.clear();
        self.requests.clear();
        self.clusters.clear();
        self.copies_used = Recent::default();
        self.global = Shadow::default();
    }
}
