//! What waves know of each other's accesses, and how they hand it on.
//!
//! Of each wave, accesses are numbered by the releases before them. What a wave knows of another is such a number, apart
//! for LDS and for other memory, since a fence may be for one of them.

use std::rc::Rc;

use super::WaveClock;
use super::meetings::{Lack, Meetings, Side, Told};
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
    /// The scope that reaches so far.
    pub fn scope(self) -> &'static str {
        match self {
            Level::Wave => "wavefront",
            Level::Workgroup => "workgroup",
            Level::Cluster => "cluster",
            Level::Device => "agent",
        }
    }

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

    /// How far a wave is known in all memory.
    fn of_all(&self, wave: u32) -> u32 {
        self.local.get(wave, 0).min(self.global.get(wave, 0))
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

    /// Know what another does, which is little beside what is known.
    fn join_few(&mut self, other: &Known) {
        for (own, other) in [(&mut self.local, &other.local), (&mut self.global, &other.global)] {
            other.agents().for_each(|wave| own.raise(wave, 0, other.get(wave, 0)));
        }
    }

    /// The waves of which anything is known.
    fn waves(&self) -> impl Iterator<Item = u32> + '_ {
        self.global.agents()
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
    /// What it has heard and not acquired.
    heard: Vec<Heard>,
    /// All that together, what of it was heard last, and how far the farthest of it reaches.
    waiting: Known,
    waiting_at: (u32, Level),
    /// Those of which it would know if nothing were missing.
    meetings: Meetings,
    /// What an instruction hands on, of those that are met, as long as nothing is heard or done: with which accesses.
    telling: Option<(u32, u32, Rc<Vec<Told>>)>,
    /// The accesses with the number `seq` are handed on, and later ones are others.
    told: bool,
    /// The number of the last accesses before those of the instruction that is executed, and of those.
    accessed: u32,
    accesses: u32,
    /// The barriers that it has passed, by the instruction that waited, and the number of the accesses from there on.
    passed: Vec<(u32, u32)>,
    /// The instruction that waits for a barrier.
    pub waits_at: u32,
}

/// What a wave has heard and not acquired.
#[derive(Clone, Debug)]
struct Heard {
    /// How far that reaches.
    level: Level,
    /// Who said it, if it was one.
    from: Option<Agent>,
    known: Known,
    /// The instruction that heard it last.
    at: u32,
}

impl Heard {
    /// The waves that it may be of, as far apart as that.
    fn apart(&self, own: Agent) -> Level {
        self.from.map_or(self.level, |from| from.apart(own)).max(Level::Workgroup)
    }
}

/// Of the levels that are more than a wave, the number.
fn index(level: Level) -> Option<usize> {
    [Level::Workgroup, Level::Cluster, Level::Device].iter().position(|&one| one == level)
}

impl WaveClocks {
    /// At its beginning.
    pub fn new(agent: Agent) -> WaveClocks {
        WaveClocks {
            agent,
            seq: 1,
            known: Known::default(),
            released: Default::default(),
            heard: Vec::new(),
            waiting: Known::default(),
            waiting_at: (0, Level::Wave),
            meetings: Meetings::default(),
            telling: None,
            told: false,
            accessed: 0,
            accesses: 0,
            passed: Vec::new(),
            waits_at: 0,
        }
    }

    /// It is about to access memory: the number of that.
    pub fn begin(&mut self) -> u32 {
        self.next();
        self.accessed = self.accesses;
        self.accesses = self.seq;
        self.seq
    }

    /// Accesses from here on are others than those before that were handed on.
    fn next(&mut self) {
        self.seq += u32::from(std::mem::take(&mut self.told));
    }

    /// Takes what it has heard as far as `level` reaches.
    pub fn acquire(&mut self, level: Level, spaces: Spaces) {
        let Some(reach) = index(level) else { return };
        for heard in &self.heard {
            let apart = heard.apart(self.agent);
            if index(apart).is_some_and(|apart| apart <= reach) && heard.level >= apart {
                self.known.join(&heard.known, spaces);
            }
        }
        self.meetings.acquire(level);
        self.telling = None;
        // What one kind of fence has taken another one may still want.
        if spaces == Spaces::ALL && level == Level::Device {
            self.heard.clear();
            (self.waiting, self.waiting_at.1) = (Known::default(), Level::Wave);
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

    /// It has read a word atomically, by the instruction `at`.
    pub fn read(&mut self, flags: &[Flag], level: Level, at: u32) {
        let own = self.agent;
        for flag in flags.iter().filter(|flag| flag.from.wave != own.wave) {
            if flag.from.apart(own) <= flag.level.min(level) {
                self.hear(flag.level, Some(flag.from), &flag.known, at);
            }
        }
    }

    /// It has passed a barrier, by the instruction `at`.
    pub fn hears(&mut self, level: Level, known: &Known, at: u32) {
        self.hear(level, None, known, at);
        self.next();
        self.passed.push((self.seq, at));
    }

    fn hear(&mut self, level: Level, from: Option<Agent>, known: &Known, at: u32) {
        match self.heard.iter_mut().find(|one| (one.level, one.from) == (level, from)) {
            Some(old) => {
                old.known.join(known, Spaces::ALL);
                old.at = at;
            }
            None => self.heard.push(Heard { level, from, known: known.clone(), at }),
        }
        let apart = from.map_or(level, |from| from.apart(self.agent));
        self.waiting.join_few(known);
        self.waiting_at = (at, self.waiting_at.1.max(apart));
        self.telling = None;
    }

    /// It arrives at a barrier by the instruction `at`: what it hands on, as [`WaveClocks::tells`] says.
    pub fn arrives(&mut self, at: u32, level: Level) -> Rc<Vec<Told>> {
        self.accessed = self.accesses;
        self.tells(at, level)
    }

    /// What it hands on by the instruction `at`, as far as `level` reaches, and what of that is missing.
    pub fn tells(&mut self, at: u32, level: Level) -> Rc<Vec<Told>> {
        self.told = true;
        if let Some((_, _, told)) = self.telling.as_ref().filter(|one| (one.0, one.1) == (at, self.seq)) {
            return Rc::clone(told);
        }
        let WaveClocks { agent: own, accessed, known, waiting, waiting_at, meetings, .. } = &*self;
        let none = Known::default();
        let released = index(level).map_or(&none, |at| &self.released[at]);
        let mut told: Vec<Told> = Vec::new();
        // What is better known comes first: others say what comes behind.
        let mut tell = |wave: u32, seq: u32, lack: Option<Lack>| {
            let behind = told.partition_point(|one| one.wave <= wave);
            let before = behind.checked_sub(1).map(|last| told[last]).filter(|last| last.wave == wave);
            if seq > before.map_or(0, |last| last.seq) {
                told.insert(behind, Told { wave, seq, lack, by: (*own, at, level) });
            }
        };
        released.waves().for_each(|wave| tell(wave, released.of_all(wave), None));
        let release = Lack { side: Side::Release, at, reach: level };
        tell(own.wave, *accessed, Some(release));
        known.waves().for_each(|wave| tell(wave, known.of_all(wave), Some(release)));
        let acquire = Lack { side: Side::Acquire, at: waiting_at.0, reach: waiting_at.1 };
        waiting.waves().for_each(|wave| tell(wave, waiting.of_all(wave), Some(acquire)));
        meetings.all().for_each(|(wave, seq, lack)| tell(wave, seq, Some(lack)));
        let told = Rc::new(told);
        self.telling = Some((at, self.seq, Rc::clone(&told)));
        told
    }

    /// It hears what others have handed on, right or not, by an instruction that reaches as far as `level`.
    pub fn meets(&mut self, told: &Rc<Vec<Told>>, level: Level, at: u32) {
        let WaveClocks { agent, known, waiting, meetings, .. } = self;
        let knows = |wave: u32| known.of_all(wave).max(waiting.of_all(wave));
        if meetings.hear(*agent, told, (level, at), knows) {
            self.telling = None;
        }
    }

    /// What is missing for it to know of an access of another wave; empty if the two have not met since.
    pub fn lacks(&self, wave: u32, seq: u32, space: Space) -> Vec<Lack> {
        let heard = self.heard.iter().find(|one| one.known.of(space).get(wave, 0) >= seq);
        match heard {
            Some(one) => vec![Lack { side: Side::Acquire, at: one.at, reach: one.apart(self.agent) }],
            None => self.meetings.lacks(wave, seq),
        }
    }

    /// How many barriers it had passed before an access, and the instruction that waited for the last one.
    pub fn phase(&self, seq: u32) -> (usize, Option<u32>) {
        let passed = self.passed.partition_point(|one| one.0 <= seq);
        (passed, passed.checked_sub(1).map(|at| self.passed[at].1))
    }

    /// It has ended, and its workgroup with it.
    pub fn ends(&mut self) {
        (self.meetings, self.telling, self.heard) = (Meetings::default(), None, Vec::new());
        self.waiting = Known::default();
    }
}
