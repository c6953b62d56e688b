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
//! Cost: a run of a matrix product from Triton takes 2.3 to 2.9 times as long with it as without (512³ of f16 on gfx950
//! 0.46 s and 0.19 s, on gfx1250 0.52 s and 0.18 s; 256³ of f32 0.62 s and 0.27 s). Most of that is the touches of dwords.
//!
//! Promises: what is reported is ordered by nothing in this run. Does not: see races within a wave, whose lanes are in
//! lockstep; remember more than a few reads of a dword, so that a race with another one is missed.

mod clocks;
mod shadow;

use rustc_hash::FxHashMap;
use wavemark_order::Clock;

pub use clocks::{Agent, Level, Spaces};
use clocks::{Flag, Known, WaveClocks};
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Race {
    /// Which memory.
    pub space: Space,
    /// The earlier one in this run, and whether it writes.
    pub earlier: (Place, bool),
    /// Whether the later one writes.
    pub writes: bool,
    /// Both are atomic, and a scope is too narrow.
    pub too_narrow: bool,
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

/// What is known of the accesses of a run.
#[derive(Debug, Default)]
pub struct Races {
    /// By the wave's number in the launch.
    waves: Vec<Option<Box<WaveClocks>>>,
    global: Shadow,
    /// Of the workgroups that are resident, that of the newest access first.
    lds: Vec<(u64, Shadow)>,
    flags: FxHashMap<(Memory, u64), Vec<Flag>>,
    /// What those that have arrived hand on; and what they did where all had.
    barriers: FxHashMap<BarrierKey, [Known; 2]>,
    sites: Vec<Place>,
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

    /// Notes that an instruction of a wave accesses memory.
    pub fn begin(&mut self, agent: Agent, place: &Place) -> Access {
        use wavemark_ir::entity::Id as _;
        let key = (place.function.index() as u32, place.inst.index() as u32, agent.wave);
        let next = self.sites.len() as u32;
        let site = *self.known_sites.entry(key).or_insert(next);
        if site == next {
            self.sites.push(*place);
        }
        Access { agent, site, seq: self.wave(agent).seq }
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
        let Races { waves, global, lds, sites, .. } = self;
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
            let too_narrow = match (old.atomic, how.atomic) {
                (Some(one), Some(other)) if one.min(other) >= apart => return,
                (Some(_), Some(_)) => true,
                _ => false,
            };
            race.get_or_insert_with(|| {
                let earlier = Place { lanes: 1 << old.lane, ..sites[old.site as usize] };
                Race { space, earlier: (earlier, old.writes), writes: how.writes, too_narrow }
            });
        };
        let shadow = if space == Space::Local { shadow_of(lds, agent.group) } else { global };
        if shadow.touch(address, bytes, touch, &mut judge).is_err() {
            self.full = true;
        }
        race
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
    pub fn reads_flag(&mut self, agent: Agent, space: Space, address: u64, level: Level) {
        let Some(flags) = self.flags.get(&(Self::memory(space, agent), address)) else { return };
        clocks_of(&mut self.waves, agent).read(flags, level);
    }

    /// An atomic access has written a word, which hands on what its wave has released; `keeps`: and what was handed on with
    /// the word before, as a read-modify-write does.
    pub fn writes_flag(&mut self, agent: Agent, space: Space, address: u64, level: Level, keeps: bool) {
        let flag = clocks_of(&mut self.waves, agent).flag(level);
        let flags = self.flags.entry((Self::memory(space, agent), address)).or_default();
        flags.retain(|old| keeps && old.from.wave != agent.wave);
        flags.extend(flag);
    }

    /// A wave arrives at a barrier.
    pub fn arrives(&mut self, agent: Agent, name: Name) {
        let released = self.wave(agent).released_to(level_of(name));
        self.barriers.entry(key(agent, name)).or_default()[0].join(&released, Spaces::ALL);
    }

    /// All have arrived at a barrier.
    pub fn completes(&mut self, agent: Agent, name: Name) {
        let [incoming, complete] = self.barriers.entry(key(agent, name)).or_default();
        *complete = std::mem::take(incoming);
    }

    /// A wave has waited for a barrier.
    pub fn passes(&mut self, agent: Agent, name: Name) {
        if let Some([_, complete]) = self.barriers.get(&key(agent, name)) {
            clocks_of(&mut self.waves, agent).hears(level_of(name), complete);
        }
    }

    /// A workgroup has ended, and its LDS is nobody's.
    pub fn ends(&mut self, group: u64) {
        self.lds.retain(|(of, _)| *of != group);
        self.flags.retain(|(memory, _), _| *memory != Memory::Lds(group));
        self.barriers.retain(|(of, name), _| *name == Name::Cluster || *of != group);
    }
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
