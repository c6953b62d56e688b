//! The waves of a run: all that is known of those whose workgroups live, and of the others what later findings may ask.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use wavemark_order::Epoch;
use wavemark_sim::events::{Channel, Scope, WaveId};

use crate::snapshot::Moved;
use crate::sync::Seen;
use crate::wave_state::{Arrive, Release, WaveState, WroteBack, handed_on, last_meant};

/// How an ended wave has published what it wrote to global memory, for messages, and where it has looked for what others publish.
#[derive(Clone, Debug, Default)]
pub(crate) struct Publication {
    /// The last accesses that published.
    pub releases: Vec<Release>,
    /// Its barrier arrives of late, in order.
    pub arrives: SmallVec<[Arrive; 1]>,
    /// There were more before them.
    pub arrived_before: bool,
    /// Its last write-back.
    last_write_back: Option<WroteBack>,
    /// What it has seen there.
    seen: Seen,
}

impl Publication {
    /// The access that has handed on an operation to who `knows` so much of the wave: see [`handed_on`].
    fn release_of(&self, operation: Epoch, knows: impl Fn(Channel) -> u32) -> Option<Release> {
        handed_on(self.releases.iter(), operation, knows)
    }

    /// What first handed on an operation to who `knows` so much of the wave, as far as it is known, and whether it is a barrier.
    pub fn handed_on(&self, operation: Epoch, knows: impl Fn(Channel) -> u32) -> Option<(Arrive, bool)> {
        let barrier = self.first_barrier_behind(operation).map(|arrive| (arrive, true));
        let release = self.release_of(operation, knows).map(|release| (release.at, false));
        barrier.into_iter().chain(release).min_by_key(|(at, _)| at.step)
    }

    /// Where the wave first arrived at a barrier behind an operation, as far as it is known.
    fn first_barrier_behind(&self, operation: Epoch) -> Option<Arrive> {
        // Of those before the first one that is known, one may have done so.
        let first = self.arrives.iter().position(|arrive| arrive.comes_behind(operation))?;
        (first > 0 || !self.arrived_before).then(|| self.arrives[first])
    }
}

/// What is missing where a store is handed on to another workgroup that does not see it there; what it is missing before may
/// be a barrier.
pub(crate) enum Unseen {
    /// A write-back, before what hands it on, as far as it is known.
    NotWrittenBack(Option<Arrive>),
    /// The wait for a write-back in this channel.
    WriteBackInFlight(Channel, (Arrive, bool)),
    /// The wait for the store itself, before the barrier by which the wave knew of it that has written it back.
    InFlight(Arrive),
}

/// A [`WaveId`] but for its index, as small as it goes: there may be millions.
#[derive(Clone, Copy, Debug)]
struct Who {
    workgroup: [u32; 3],
    workgroup_flat: u32,
    cluster_flat: u32,
    rank_in_cluster: u8,
    wave: u8,
    split: bool,
}

impl From<WaveId> for Who {
    fn from(id: WaveId) -> Who {
        let WaveId { workgroup, workgroup_flat, cluster_flat, split, .. } = id;
        // Clusters have 16 workgroups, and these 64 waves, at the most.
        let [rank_in_cluster, wave] = [id.rank_in_cluster as u8, id.wave as u8];
        Who { workgroup, workgroup_flat, cluster_flat, rank_in_cluster, wave, split }
    }
}

impl Who {
    /// All of it.
    fn id(self, index: u32) -> WaveId {
        let Who { workgroup, workgroup_flat, cluster_flat, split, .. } = self;
        let [rank_in_cluster, wave] = [self.rank_in_cluster, self.wave].map(u32::from);
        WaveId { index, workgroup, workgroup_flat, cluster_flat, rank_in_cluster, wave, split }
    }
}

/// States of waves by their index, from that of the first one on that has one.
#[derive(Clone, Debug, Default)]
struct Living {
    first: u32,
    states: VecDeque<Option<Box<WaveState>>>,
}

impl Living {
    #[inline]
    fn place(&self, wave: u32) -> usize {
        wave.wrapping_sub(self.first) as usize
    }

    fn insert(&mut self, wave: u32, state: Box<WaveState>) -> &mut WaveState {
        if self.states.is_empty() {
            self.first = wave;
        }
        while wave < self.first {
            self.states.push_front(None);
            self.first -= 1;
        }
        let place = self.place(wave);
        self.states.resize_with(self.states.len().max(place + 1), || None);
        self.states[place].insert(state)
    }

    fn remove(&mut self, wave: u32) -> Option<Box<WaveState>> {
        let place = self.place(wave);
        let state = self.states.get_mut(place)?.take();
        while let Some(None) = self.states.front() {
            self.states.pop_front();
            self.first += 1;
        }
        state
    }
}

/// All waves, by their index.
#[derive(Debug, Default)]
pub(crate) struct Waves {
    ids: Vec<Who>,
    live: Living,
    by_workgroup: FxHashMap<u32, SmallVec<[u32; 8]>>,
    /// Some wave has published something in global memory.
    pub releases: bool,
    /// Those of waves that have published or tried to, and whose workgroup has ended.
    publications: FxHashMap<u32, Publication>,
    /// What waves that are over leave to those that start.
    #[expect(clippy::vec_box, reason = "states move between the waves without being copied")]
    over: Vec<Box<WaveState>>,
}

/// So many of the last barrier arrives are kept of a wave that has ended, in a run where waves publish something.
const ARRIVES_OF_ENDED: usize = 4;
/// So many of the last releases are.
const RELEASES_OF_ENDED: usize = 4;
/// Of so many waves that have ended it is kept what they have seen, in a run where nobody publishes anything.
const LOOKED: usize = 1 << 10;
/// How many states are kept for waves that start.
const OVER: usize = 256;

impl Waves {
    /// A wave starts: the next one.
    pub fn start(&mut self, id: WaveId) -> &mut WaveState {
        // Another part of the checker has those between, and some may be announced.
        self.announce(id);
        self.by_workgroup.entry(id.workgroup_flat).or_default().push(id.index);
        let state = match self.over.pop() {
            Some(mut over) => {
                over.restart(id);
                over
            }
            None => Box::new(WaveState::new(id)),
        };
        self.live.insert(id.index, state)
    }

    /// A wave has started that may never be looked at.
    pub fn announce(&mut self, id: WaveId) {
        self.ids.resize(id.index as usize, id.into());
        self.ids.push(id.into());
    }

    /// Waves of one workgroup are what others were whose numbers are lower by so much; they were announced.
    pub fn begin_as(&mut self, others: &Waves, by: &mut Moved) {
        for state in others.iter() {
            let index = state.id.index + by.agents;
            let id = self.ids[index as usize].id(index);
            let moved = state.moved(id, by);
            let moved = self.boxed(moved);
            self.live.insert(index, moved);
            self.by_workgroup.entry(id.workgroup_flat).or_default().push(id.index);
        }
    }

    /// In memory that a wave has left that is over, if there is some.
    fn boxed(&mut self, state: WaveState) -> Box<WaveState> {
        match self.over.pop() {
            Some(mut over) => {
                *over = state;
                over
            }
            None => Box::new(state),
        }
    }

    /// Those whose workgroups live, and who the others were.
    pub fn living(&self) -> Waves {
        Waves {
            ids: self.ids.clone(),
            live: self.live.clone(),
            by_workgroup: self.by_workgroup.clone(),
            releases: self.releases,
            publications: self.publications.clone(),
            over: Vec::new(),
        }
    }

    /// Take up what is known of other waves, in place of all that there are.
    pub fn take_up(&mut self, others: &Waves) {
        self.forget_all();
        self.ids.clone_from(&others.ids);
        self.releases = others.releases;
        for state in others.iter() {
            let state = self.boxed(state.clone());
            self.live.insert(state.id.index, state);
        }
        self.by_workgroup.clone_from(&others.by_workgroup);
        self.publications.clone_from(&others.publications);
    }

    /// Forget all waves.
    pub fn forget_all(&mut self) {
        self.ids.clear();
        let room = OVER.saturating_sub(self.over.len());
        self.over.extend(self.live.states.drain(..).flatten().take(room));
        self.by_workgroup.clear();
        self.publications.clear();
    }

    /// Who it is.
    #[inline]
    pub fn id(&self, wave: u32) -> Option<WaveId> {
        self.ids.get(wave as usize).map(|who| who.id(wave))
    }

    /// A wave whose workgroup lives.
    #[inline]
    pub fn get(&self, wave: u32) -> Option<&WaveState> {
        self.live.states.get(self.live.place(wave))?.as_deref()
    }

    /// The same, to change it.
    #[inline]
    pub fn get_mut(&mut self, wave: u32) -> Option<&mut WaveState> {
        let place = self.live.place(wave);
        self.live.states.get_mut(place)?.as_deref_mut()
    }

    /// The waves whose workgroups live.
    pub fn iter(&self) -> impl Iterator<Item = &WaveState> {
        self.live.states.iter().flatten().map(Box::as_ref)
    }

    /// Those of a workgroup.
    pub fn of_workgroup(&self, workgroup_flat: u32) -> impl Iterator<Item = &WaveState> {
        let waves = self.by_workgroup.get(&workgroup_flat).into_iter().flatten();
        waves.filter_map(|&wave| self.get(wave))
    }

    /// Up to which of a wave's operations in a channel all are over and come before whatever the waves of a workgroup still do.
    pub fn over_for_all(&self, workgroup_flat: u32, agent: u32, channel: u8) -> u32 {
        let waves = self.of_workgroup(workgroup_flat);
        waves.map(|other| other.over_upto(agent, channel)).min().unwrap_or(0)
    }

    /// The waves of a wave's workgroup, itself first.
    pub fn beside(&self, wave: u32) -> impl Iterator<Item = u32> + '_ {
        let workgroup = self.id(wave).map(|id| id.workgroup_flat);
        let first = self.id(wave).map_or(wave, |id| wave - id.wave);
        let near = move |other: &u32| self.id(*other).map(|id| id.workgroup_flat) == workgroup;
        std::iter::once(wave).chain((first..).take_while(near).filter(move |&other| other != wave))
    }

    /// How a wave, which may be long over, has published what it wrote.
    pub fn publication(&self, wave: u32) -> Publication {
        match self.get(wave) {
            Some(state) => Publication {
                releases: state.releases.iter().copied().collect(),
                arrives: state.arrives().collect(),
                arrived_before: state.has_arrived_before(),
                last_write_back: state.last_write_back,
                seen: state.seen.clone(),
            },
            None => self.publications.get(&wave).cloned().unwrap_or_default(),
        }
    }

    /// Why a store is not seen by who knows so much of other waves and is so far from its own wave, which has handed it on, or another
    /// wave of the same workgroup has.
    pub fn why_unseen(&self, store: Epoch, common: Scope, knows: impl Fn(u32, Channel) -> u32) -> Unseen {
        let own = self.publication(store.agent);
        let reaches = |release: &Release| release.scope >= common;
        let written_back = own.last_write_back.filter(|write_back| write_back.at.comes_behind(store));
        // Waves of one workgroup write back alike: where a barrier comes before the release, others wait there as well.
        let first = |write_back: WroteBack, release: Arrive| {
            let barrier = own.first_barrier_behind(store);
            let between = barrier.filter(|at| (write_back.at.step..release.step).contains(&at.step));
            between.map_or((release, false), |barrier| (barrier, true))
        };
        let own_release = own.release_of(store, |channel| knows(store.agent, channel));
        if let Some(release) = own_release.filter(reaches) {
            return match release.write_back.filter(|write_back| write_back.at.comes_behind(store)) {
                Some(write_back) => {
                    Unseen::WriteBackInFlight(write_back.own.0, first(write_back, release.at))
                }
                None => Unseen::NotWrittenBack(Some(release.at)),
            };
        }
        let Some(barrier) = own.first_barrier_behind(store) else {
            // A flag tells a wave of the same workgroup, which hands on what it knows.
            let tells = |agent: u32, release: &Release| {
                let knows = |wave: &WaveState| wave.known.issued.knows(store);
                reaches(release) && self.get(agent).is_none_or(knows)
            };
            return match self.release_beside(store.agent, knows, tells) {
                Some(Release { at, write_back: Some(WroteBack { own, is_over: false, .. }), .. }) => {
                    Unseen::WriteBackInFlight(own.0, (at, false))
                }
                beside => Unseen::NotWrittenBack(beside.or(own_release).map(|release| release.at)),
            };
        };
        if let Some(write_back) = written_back.filter(|write_back| write_back.at.step < barrier.step) {
            return Unseen::WriteBackInFlight(write_back.own.0, (barrier, true));
        }
        let behind = |_, release: &Release| release.at.comes_behind_barrier(&barrier);
        let Some(release) = self.release_beside(store.agent, knows, behind) else {
            return Unseen::NotWrittenBack(None);
        };
        match release.write_back.filter(|write_back| write_back.at.comes_behind_barrier(&barrier)) {
            Some(WroteBack { own, is_over: false, .. }) => {
                Unseen::WriteBackInFlight(own.0, (release.at, false))
            }
            Some(_) => Unseen::InFlight(barrier),
            None => Unseen::NotWrittenBack(Some(release.at)),
        }
    }

    /// The last one that `which` accepts by which another wave of the workgroup of `wave` has published something to who knows so
    /// much of other waves.
    pub fn release_beside(
        &self,
        wave: u32,
        knows: impl Fn(u32, Channel) -> u32,
        which: impl Fn(u32, &Release) -> bool,
    ) -> Option<Release> {
        self.beside(wave).skip(1).find_map(|agent| {
            last_meant(self.publication(agent).releases.iter(), |release| {
                which(agent, release) && release.is_known(|channel| knows(agent, channel))
            })
        })
    }

    /// What a wave, which may be long over, has seen of what others publish.
    pub fn seen(&self, wave: u32) -> Option<&Seen> {
        let of_ended = || self.publications.get(&wave).map(|publication| &publication.seen);
        self.get(wave).map(|state| &state.seen).or_else(of_ended)
    }

    /// The last wave of a workgroup has ended.
    pub fn end_workgroup(&mut self, workgroup_flat: u32) {
        for wave in self.by_workgroup.remove(&workgroup_flat).unwrap_or_default() {
            let mut publication = self.publication(wave);
            let most = if self.releases { ARRIVES_OF_ENDED } else { 0 };
            let surplus = publication.arrives.len().saturating_sub(most);
            publication.arrived_before |= surplus > 0;
            publication.arrives.drain(..surplus);
            let surplus = publication.releases.len().saturating_sub(RELEASES_OF_ENDED);
            publication.releases.drain(..surplus);
            // As long as nobody publishes, so many may have looked whether somebody does.
            if !self.releases && self.publications.len() >= LOOKED {
                publication.seen = Seen::default();
            }
            let Publication { releases, arrives, seen, .. } = &publication;
            if !releases.is_empty() || !arrives.is_empty() || !seen.is_empty() {
                self.publications.insert(wave, publication);
            }
            let state = self.live.remove(wave);
            self.over.extend(state.filter(|_| self.over.len() < OVER));
        }
    }

    /// Forget how waves that are over, but for those that `which` accepts, have published.
    pub fn forget(&mut self, which: impl Fn(u32) -> bool) {
        self.publications.retain(|&wave, _| which(wave));
    }
}
