//! What waves know of each other's accesses, and how they hand it on.
//!
//! Of each wave, accesses are numbered by the releases before them. What a wave knows of another is such a number, apart
//! for LDS and for other memory, since a fence may be for one of them.

use super::WaveClock;
use crate::op::Space;

/// How far a scope reaches, and how far two waves are apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// A wave.
    Wave,
    /// A workgroup.
    Workgroup,
    /// A cluster.
    Cluster,
    /// All there is.
    Device,
}

impl Level {
    /// Of a scope by its name (LLVM's "Memory Scopes"), which may be for one address space.
    pub fn of_scope(name: &str) -> Level {
        match name.strip_suffix("-one-as").unwrap_or(name) {
            "singlethread" | "wavefront" | "one-as" if name != "one-as" => Level::Wave,
            "workgroup" => Level::Workgroup,
            "cluster" => Level::Cluster,
            _ => Level::Device,
        }
    }
}

/// A wave: which of the launch, and of which workgroup and cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Agent {
    /// Which wave.
    pub wave: u32,
    /// Its workgroup.
    pub group: u64,
    /// Its cluster.
    pub cluster: u64,
}

impl Agent {
    /// What both are in.
    pub fn apart(self, other: Agent) -> Level {
        match () {
            () if self.wave == other.wave => Level::Wave,
            () if self.group == other.group => Level::Workgroup,
            () if self.cluster == other.cluster => Level::Cluster,
            () => Level::Device,
        }
    }
}

/// What a fence orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spaces {
    /// LDS.
    pub local: bool,
    /// Other memory.
    pub global: bool,
}

impl Spaces {
    /// All memory.
    pub const ALL: Spaces = Spaces { local: true, global: true };
}

/// What is known, of LDS and of other memory.
#[derive(Clone, Debug, Default)]
pub struct Known {
    local: WaveClock,
    global: WaveClock,
}

impl Known {
    /// What is known of a memory.
    pub fn of(&self, space: Space) -> &WaveClock {
        if space == Space::Local { &self.local } else { &self.global }
    }

    /// Know what another does of some memories.
    pub fn join(&mut self, other: &Known, spaces: Spaces) {
        if spaces.local {
            self.local.join(&other.local);
        }
        if spaces.global {
            self.global.join(&other.global);
        }
    }

    fn raise(&mut self, wave: u32, seq: u32, spaces: Spaces) {
        if spaces.local {
            self.local.raise(wave, 0, seq);
        }
        if spaces.global {
            self.global.raise(wave, 0, seq);
        }
    }
}

/// What a wave has handed on with a word of memory.
#[derive(Clone, Debug)]
pub struct Flag {
    /// Who.
    pub from: Agent,
    level: Level,
    known: Known,
}

/// A wave's side.
#[derive(Clone, Debug)]
pub struct WaveClocks {
    /// Which it is.
    pub agent: Agent,
    /// The number of its accesses from here on.
    pub seq: u32,
    /// What comes before what it does next.
    pub known: Known,
    /// What its releases so far hand on, by how far they reach.
    released: [Known; 3],
    /// What it has heard and not acquired: how far that reaches, and who said it, if it was one.
    heard: Vec<(Level, Option<Agent>, Known)>,
}

/// Of the levels that are more than a wave, the number.
fn index(level: Level) -> Option<usize> {
    [Level::Workgroup, Level::Cluster, Level::Device].iter().position(|&one| one == level)
}

impl WaveClocks {
    /// At its beginning.
    pub fn new(agent: Agent) -> WaveClocks {
        let (known, released) = (Known::default(), Default::default());
        WaveClocks { agent, seq: 1, known, released, heard: Vec::new() }
    }

    /// Takes what it has heard as far as `level` reaches.
    pub fn acquire(&mut self, level: Level, spaces: Spaces) {
        let Some(reach) = index(level) else { return };
        let own = self.agent;
        for (said, from, known) in &self.heard {
            let apart = from.map_or(*said, |from| from.apart(own));
            if index(apart.max(Level::Workgroup)).is_some_and(|apart| apart <= reach) && *said >= apart {
                self.known.join(known, spaces);
            }
        }
        // What one kind of fence has taken another one may still want.
        if spaces == Spaces::ALL && level == Level::Device {
            self.heard.clear();
        }
    }

    /// From here on, what it has done and knows is handed on as far as `level` reaches.
    pub fn release(&mut self, level: Level, spaces: Spaces) {
        let Some(reach) = index(level) else { return };
        let (wave, seq) = (self.agent.wave, self.seq);
        for released in &mut self.released[..=reach] {
            released.join(&self.known, spaces);
            released.raise(wave, seq, spaces);
        }
        self.seq += 1;
    }

    /// What its releases hand on to waves that are so far apart.
    pub fn released_to(&self, level: Level) -> Known {
        index(level).map(|at| self.released[at].clone()).unwrap_or_default()
    }

    /// What it hands on with a word that it writes atomically at `level`.
    pub fn flag(&self, level: Level) -> impl Iterator<Item = Flag> {
        let reach = index(level);
        let of = move |at: usize| {
            let level = [Level::Workgroup, Level::Cluster, Level::Device][at];
            Flag { from: self.agent, level, known: self.released[at].clone() }
        };
        // Those of narrower scope hand on more.
        (0..reach.map_or(0, |reach| reach + 1)).map(of)
    }

    /// It has read a word atomically.
    pub fn read(&mut self, flags: &[Flag], level: Level) {
        let own = self.agent;
        for flag in flags.iter().filter(|flag| flag.from.wave != own.wave) {
            if flag.from.apart(own) <= flag.level.min(level) {
                self.hear(flag.level, Some(flag.from), &flag.known);
            }
        }
    }

    /// It has passed a barrier.
    pub fn hears(&mut self, level: Level, known: &Known) {
        self.hear(level, None, known);
    }

    fn hear(&mut self, level: Level, from: Option<Agent>, known: &Known) {
        let same = |one: &&mut (Level, Option<Agent>, Known)| (one.0, one.1) == (level, from);
        match self.heard.iter_mut().find(same) {
            Some((_, _, old)) => old.join(known, Spaces::ALL),
            None => self.heard.push((level, from, known.clone())),
        }
    }
}
