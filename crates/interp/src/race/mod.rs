//! Races between the waves of a run.
//!
//! Follows LLVM's "Memory Model" for AMDGPU by happens-before: two accesses of different waves to one byte, of which one
//! writes, must be ordered, or both be atomic with scopes that include both waves. A release hands on what its wave has
//! done and knows; an acquire whose scope, like the release's, includes both waves takes it. Fences release and acquire
//! with the help of atomics beside them, and of barriers, which alone order no memory. A fence with `!mmra
//! !{!"amdgpu-synchronize-as", !"local"}` is for LDS alone ([`clocks`]).
//!
//! What an access meets is in shadow memory ([`shadow`]): bytes of dwords, with the last accesses to them. An
//! asynchronous operation accesses LDS when it is done.
//!
//! Of two accesses that nothing orders it is told why ([`Why`]): what is missing where their waves have met ([`meetings`]), or
//! that they have not met.
//!
//! Cost: a run of a matrix product from Triton takes 2.3 to 2.9 times as long with it as without (512³ of f16 on gfx950
//! 0.46 s and 0.19 s, on gfx1250 0.52 s and 0.18 s; 256³ of f32 0.62 s and 0.27 s). Most of that is the touches of dwords.
//!
//! Promises: what is reported is ordered by nothing in this run. Does not: see races within a wave, whose lanes are in
//! lockstep; remember more than a few reads of a dword, so that a race with another one is missed.

mod clocks;
mod meetings;
mod shadow;

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use wavemark_order::Clock;

pub use clocks::{Agent, Level, Spaces};
use clocks::{Flag, Known, WaveClocks};
pub use meetings::{Lack, Side};
use meetings::{Told, join};
use shadow::{Shadow, Touch};

use crate::finding::Place;
use crate::op::Space;
use crate::run::barrier::Name;

/// How an access is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct How {
    /// It writes.
    pub writes: bool,
    /// It leaves in memory what is there.
    pub silent: bool,
    /// It is atomic, as far as that.
    pub atomic: Option<Level>,
}

/// Two accesses that nothing orders.
#[derive(Clone, Debug, PartialEq)]
pub struct Race {
    /// Which memory.
    pub space: Space,
    /// The earlier one in this run, and whether it writes.
    pub earlier: (Place, bool),
    /// Whether the later one writes.
    pub writes: bool,
    /// Both are atomic, and a scope is too narrow.
    pub too_narrow: bool,
    /// Why nothing orders them.
    pub why: Why,
}

/// Why nothing orders two accesses.
#[derive(Clone, Debug, PartialEq)]
pub enum Why {
    /// The waves have met in between, and there something is missing.
    Lacks(Vec<Lack<Place>>),
    /// They have not met: the barriers that they had passed last, how far they are apart, and whether a lane of one of
    /// them came by both accesses and by no barrier between: the earlier one first, or the later one.
    Apart { passed: [Option<Place>; 2], near: Level, unordered: [bool; 2] },
}

/// An instruction of a wave that accesses memory, noted once for all its lanes.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    agent: Agent,
    site: u32,
    seq: u32,
}

/// A memory with a shadow: global memory, or the LDS of a workgroup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Memory {
    Global,
    Lds(u64),
}

/// A barrier: of which workgroup or cluster, and which of its.
type BarrierKey = (u64, Name);

fn key(agent: Agent, name: Name) -> BarrierKey {
    (if name == Name::Cluster { agent.cluster } else { agent.group }, name)
}

fn level_of(name: Name) -> Level {
    if name == Name::Cluster { Level::Cluster } else { Level::Workgroup }
}

/// What a word or a barrier hands on.
#[derive(Debug, Default)]
struct HandedOn<By> {
    /// What was released.
    released: By,
    /// What would be known if nothing were missing, and what is.
    told: Rc<Vec<Told>>,
}

/// What is known of the accesses of a run.
#[derive(Debug, Default)]
pub struct Races {
    /// By the wave's number in the launch.
    waves: Vec<Option<Box<WaveClocks>>>,
    global: Shadow,
    /// Of the workgroups that are resident, that of the newest access first.
    lds: Vec<(u64, Shadow)>,
    /// What words hand on.
    words: FxHashMap<(Memory, u64), HandedOn<Vec<Flag>>>,
    /// What those that have arrived hand on; and what they did where all had.
    barriers: FxHashMap<BarrierKey, [HandedOn<Known>; 2]>,
    sites: Vec<Place>,
    /// Of each, the number of the last accesses there, and their lanes.
    last: Vec<(u32, u64)>,
    /// Those that are asynchronous: they access memory when they are done, which is elsewhere.
    copies: FxHashSet<u32>,
    known_sites: FxHashMap<(u32, u32, u32), u32>,
    /// There was no memory for more.
    full: bool,
}

impl Races {
    /// Whether some accesses were not remembered, for want of memory.
    pub fn is_incomplete(&self) -> bool {
        self.full
    }

    fn wave(&mut self, agent: Agent) -> &mut WaveClocks {
        clocks_of(&mut self.waves, agent)
    }

    fn memory(space: Space, agent: Agent) -> Memory {
        if space == Space::Local { Memory::Lds(agent.group) } else { Memory::Global }
    }

    /// The number of an instruction of a wave.
    fn site(&mut self, agent: Agent, place: &Place) -> u32 {
        let next = self.sites.len() as u32;
        let site = *self.known_sites.entry(site_key(place, agent.wave)).or_insert(next);
        if site == next {
            self.sites.push(*place);
            self.last.push((0, 0));
        }
        site
    }

    /// Notes that an instruction of a wave accesses memory.
    pub fn begin(&mut self, agent: Agent, place: &Place) -> Access {
        let site = self.site(agent, place);
        let seq = self.wave(agent).begin();
        self.last[site as usize] = (seq, place.lanes);
        Access { agent, site, seq }
    }

    /// The same of an asynchronous operation that is done.
    pub fn begin_copy(&mut self, agent: Agent, place: &Place) -> Access {
        let access = self.begin(agent, place);
        self.copies.insert(access.site);
        access
    }

    /// What a lane accesses; the first race that it makes.
    pub fn access(
        &mut self,
        access: Access,
        lane: usize,
        space: Space,
        (address, bytes): (u64, u64),
        how: How,
    ) -> Option<Race> {
        if self.full || bytes == 0 {
            return None;
        }
        let Access { agent, site, seq } = access;
        let Races { waves, global, lds, .. } = self;
        let own = waves.get(agent.wave as usize)?.as_ref()?;
        let known = own.known.of(space);
        let touch = Touch {
            wave: agent.wave,
            seq,
            site,
            lane: lane as u8,
            mask: 0,
            writes: how.writes,
            atomic: how.atomic,
        };
        let mut race = None;
        let mut judge = |old: &Touch| {
            if old.wave == agent.wave || known.get(old.wave, 0) >= old.seq || how.silent && old.writes {
                return;
            }
            let other = waves.get(old.wave as usize).and_then(Option::as_ref);
            let apart = other.map_or(Level::Device, |other| other.agent.apart(agent));
            let both = (old.atomic, how.atomic);
            if !matches!(both, (Some(one), Some(other)) if one.min(other) >= apart) {
                race.get_or_insert((*old, apart));
            }
        };
        let shadow = if space == Space::Local { shadow_of(lds, agent.group) } else { global };
        if shadow.touch(address, bytes, touch, &mut judge).is_err() {
            self.full = true;
        }
        race.map(|(old, apart)| {
            let place = |site: u32| self.sites[site as usize];
            let earlier = Place { lanes: 1 << old.lane, ..place(old.site) };
            let too_narrow = old.atomic.is_some() && how.atomic.is_some();
            let scope = |site: u32| Lack { side: Side::Scope, at: place(site), reach: apart };
            let why = if too_narrow {
                let sides = [(old.atomic, old.site), (how.atomic, site)];
                let narrow = sides.iter().filter(|(level, _)| level.is_some_and(|level| level < apart));
                Why::Lacks(narrow.map(|&(_, site)| scope(site)).collect())
            } else {
                self.why(access, space, &old, apart)
            };
            Race { space, earlier: (earlier, old.writes), writes: how.writes, too_narrow, why }
        })
    }

    /// Why nothing orders an access and one before it.
    fn why(&self, access: Access, space: Space, old: &Touch, apart: Level) -> Why {
        let place = |site: u32| self.sites[site as usize];
        let of = |wave: u32| self.waves.get(wave as usize).and_then(Option::as_ref);
        let own = of(access.agent.wave);
        let lacks = own.map(|own| own.lacks(old.wave, old.seq, space)).unwrap_or_default();
        if !lacks.is_empty() {
            let known = |lack: Lack| Lack { side: lack.side, at: place(lack.at), reach: lack.reach };
            return Why::Lacks(lacks.into_iter().map(known).collect());
        }
        let phase = |wave: u32, seq: u32| of(wave).map_or((0, None), |wave| wave.phase(seq));
        let (before, now) = (phase(old.wave, old.seq), phase(access.agent.wave, access.seq));
        // Whether a lane of a wave came by an instruction since the last barrier before its access at another one.
        let came_by = |wave: u32, seq: u32, at: u32, site: u32| {
            let last = |site: u32| {
                let there = self.known_sites.get(&site_key(&place(site), wave))?;
                Some(self.last[*there as usize])
            };
            let (Some((there, lanes)), Some((_, own))) = (last(site), last(at)) else { return false };
            lanes & own != 0 && phase(wave, there).0 == phase(wave, seq).0
        };
        let is_copy = self.copies.contains(&old.site) || self.copies.contains(&access.site);
        let (new, old) = ((access.agent.wave, access.seq, access.site), (old.wave, old.seq, old.site));
        let unordered = [(new, old.2), (old, new.2)]
            .map(|((wave, seq, at), site)| !is_copy && came_by(wave, seq, at, site));
        Why::Apart { passed: [before.1.map(place), now.1.map(place)], near: apart, unordered }
    }

    /// A fence, or the part of an atomic access that orders others.
    pub fn fence(&mut self, agent: Agent, level: Level, spaces: Spaces, [acquires, releases]: [bool; 2]) {
        let wave = self.wave(agent);
        if acquires {
            wave.acquire(level, spaces);
        }
        if releases {
            wave.release(level, spaces);
        }
    }

    /// An atomic access has read a word: what was released with it may be acquired.
    pub fn reads_flag(&mut self, access: Access, space: Space, address: u64, level: Level) {
        let Access { agent, site, .. } = access;
        let Some(word) = self.words.get(&(Self::memory(space, agent), address)) else { return };
        let wave = clocks_of(&mut self.waves, agent);
        wave.read(&word.released, level, site);
        wave.meets(&word.told, level, site);
    }

    /// An atomic access has written a word, which hands on what its wave has released; `keeps`: and what was handed on with
    /// the word before, as a read-modify-write does.
    pub fn writes_flag(&mut self, access: Access, space: Space, address: u64, level: Level, keeps: bool) {
        let Access { agent, site, .. } = access;
        let wave = clocks_of(&mut self.waves, agent);
        let word = self.words.entry((Self::memory(space, agent), address)).or_default();
        word.released.retain(|old| keeps && old.from.wave != agent.wave);
        word.released.extend(wave.flag(level));
        let told = wave.tells(site, level);
        if keeps && !word.told.is_empty() {
            join(Rc::make_mut(&mut word.told), &told);
        } else {
            word.told = told;
        }
    }

    /// A wave arrives at a barrier, by the instruction there.
    pub fn arrives(&mut self, agent: Agent, name: Name, place: &Place) {
        let site = self.site(agent, place);
        let wave = clocks_of(&mut self.waves, agent);
        let level = level_of(name);
        let [incoming, _] = self.barriers.entry(key(agent, name)).or_default();
        incoming.released.join(&wave.released_to(level), Spaces::ALL);
        join(Rc::make_mut(&mut incoming.told), &wave.arrives(site, level));
    }

    /// All have arrived at a barrier.
    pub fn completes(&mut self, agent: Agent, name: Name) {
        let [incoming, complete] = self.barriers.entry(key(agent, name)).or_default();
        *complete = std::mem::take(incoming);
    }

    /// A wave begins to wait for a barrier, by the instruction there.
    pub fn waits(&mut self, agent: Agent, place: &Place) {
        let site = self.site(agent, place);
        self.wave(agent).waits_at = site;
    }

    /// A wave has waited for a barrier.
    pub fn passes(&mut self, agent: Agent, name: Name) {
        let wave = clocks_of(&mut self.waves, agent);
        let at = wave.waits_at;
        if let Some([_, complete]) = self.barriers.get(&key(agent, name)) {
            wave.hears(level_of(name), &complete.released, at);
            wave.meets(&complete.told, level_of(name), at);
        }
    }

    /// A workgroup has ended, and its LDS is nobody's.
    pub fn ends(&mut self, group: u64, waves: impl Iterator<Item = Agent>) {
        self.lds.retain(|(of, _)| *of != group);
        self.words.retain(|(memory, _), _| *memory != Memory::Lds(group));
        self.barriers.retain(|(of, name), _| *name == Name::Cluster || *of != group);
        waves.for_each(|agent| self.wave(agent).ends());
    }
}

/// What an instruction of a wave is known by.
fn site_key(place: &Place, wave: u32) -> (u32, u32, u32) {
    use wavemark_ir::entity::Id as _;
    (place.function.index() as u32, place.inst.index() as u32, wave)
}

/// The clocks of a wave.
fn clocks_of(waves: &mut Vec<Option<Box<WaveClocks>>>, agent: Agent) -> &mut WaveClocks {
    let at = agent.wave as usize;
    if waves.len() <= at {
        waves.resize(at + 1, None);
    }
    waves[at].get_or_insert_with(|| Box::new(WaveClocks::new(agent)))
}

/// The shadow of a workgroup's LDS.
fn shadow_of(lds: &mut Vec<(u64, Shadow)>, group: u64) -> &mut Shadow {
    match lds.iter().position(|(of, _)| *of == group) {
        Some(at) => lds.swap(0, at),
        None => lds.insert(0, (group, Shadow::default())),
    }
    &mut lds[0].1
}

/// What waves know, by wave.
pub(crate) type WaveClock = Clock<1>;
