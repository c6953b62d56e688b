//! The machine's side of the memory model: caches between waves and memory, accesses in flight, write-backs and
//! invalidates, as LLVM's *AMDGPU usage* describes them for each generation ("Memory Model GFX6-GFX9" to "GFX12").
//!
//! A hierarchy has a first-level cache, shared by the waves of a workgroup or one for each (work-group processor mode,
//! threadgroup split), perhaps a second-level one for each workgroup (workgroups may be on different shader arrays), the
//! device's, and memory, with which the device's cache may not be coherent. The machine is as free as the text lets it be:
//!
//! Where a device has several caches of its own (gfx942 as few large agents, gfx1250), a wave uses one of them, and what
//! device scope asks of the others goes through memory: such accesses have the level of memory.
//!
//! * caches begin warm, and a load may hit or miss; a line may be gone at any time, dirty ones are written back at any time;
//! * accesses that go further than the first level are performed in any order, those of one location from one first-level
//!   cache in the order of issue; accesses that it may answer, in the order of issue;
//! * a store is seen behind its own first-level cache at once, and further out when it is performed there; a first-level
//!   cache with several ports keeps no order, neither of these stores nor of loads that it may answer;
//! * barriers are those of [`crate::barrier`], and order no memory;
//! * accesses to LDS of one wave are in order with each other, and with nothing else;
//! * a copy between LDS and global memory, asynchronous or by tensor DMA, is done by an agent of its own from its issue on:
//!   it reads at some moment and writes at some later one, in order with nothing. It finds what a load of its scope of the
//!   issuing wave may find, and writes at the device's cache or further out, past the first-level ones.
//!
//! [`run`] gives all final registers, each with a way to them. A code sequence is right for a test if these are among
//! those that the model allows.

mod issue;
mod perform;
mod reduction;
mod state;

use std::collections::{BTreeMap, HashSet, VecDeque};

use crate::barrier;
use crate::litmus::{LocationId, Register, Update, Value};
use state::{Machine, State};

/// The level of a cache: 0 the first, 1 the second, 2 the device's, 3 memory.
pub type Level = u8;

/// The caches of a generation and mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hierarchy {
    /// The waves of a workgroup share their first-level cache.
    pub shared_first: bool,
    /// The first-level cache has several ports, between which there is no order.
    pub ports: bool,
    /// A write-back comes behind the stores that its wave has issued before; elsewhere they must have been waited for.
    pub write_back_in_order: bool,
    /// There is a second level.
    pub second: bool,
    /// The device's cache is not coherent with memory.
    pub incoherent_device: bool,
}

/// Which accesses a wait is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waits {
    /// Loads and atomics that return.
    pub loads: bool,
    /// Stores, atomics that do not return, and write-backs.
    pub stores: bool,
    /// LDS.
    pub lds: bool,
    /// Asynchronous copies (ASYNCcnt).
    pub asynchronous: bool,
    /// Tensor DMA (TENSORcnt).
    pub tensor: bool,
}

/// A copy between LDS and global memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copy {
    /// To LDS, or from there.
    pub to_lds: bool,
    /// The location in LDS.
    pub lds: LocationId,
    /// The location in global memory, which is accessed as a load or store of this level does.
    pub global: LocationId,
    /// See [`Op::Load`] and [`Op::Store`].
    pub level: Level,
    /// TENSORcnt counts it, or else ASYNCcnt.
    pub tensor: bool,
}

impl Copy {
    fn is_waited_for(&self, waits: Waits) -> bool {
        if self.tensor { waits.tensor } else { waits.asynchronous }
    }
}

/// What a wave does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Loads from the first cache of this level or further out that has the line.
    Load(Register, LocationId, Level),
    /// Stores; done when it has reached this level, and the device's at least.
    Store(LocationId, Value, Level),
    /// An atomic, performed at this level, and the device's at least; without a register it returns nothing.
    Update(Option<Register>, LocationId, Update, Value, Level),
    /// LDS.
    LdsLoad(Register, LocationId),
    /// LDS.
    LdsStore(LocationId, Value),
    /// LDS; without a register it returns nothing.
    LdsUpdate(Option<Register>, LocationId, Update, Value),
    /// An asynchronous copy.
    Copy(Copy),
    /// Until nothing of these kinds is in flight.
    Wait(Waits),
    /// Empties the wave's caches below this level.
    Invalidate(Level),
    /// Empties the second level alone.
    InvalidateSecond,
    /// Takes the lines that memory has, too, from the device's cache alone.
    InvalidateDevice,
    /// Writes dirty lines back to memory; in flight like a store.
    WriteBack,
    /// Ends the wave unless the register has this value. Waits for it, as any use of a register has to.
    Unless(Register, i64),
    /// A barrier operation; of one that says whether it was the first, with the register that says so.
    Barrier(barrier::Operation, Option<Register>),
    /// Leaves the named barrier that the wave has joined.
    LeaveBarrier,
}

/// A wave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wave {
    /// The number of the device's cache that it uses: that of its agent, or one of several there.
    pub device: u8,
    /// The number of its workgroup, among those of all agents.
    pub workgroup: u8,
    /// How many registers it has.
    pub registers: usize,
    /// What it does.
    pub ops: Vec<Op>,
}

/// A step of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A wave issues an instruction, by its number.
    Issue(usize, usize),
    /// An access that a wave has issued is performed, or reaches its first-level cache.
    Perform(usize, usize),
    /// A device's cache writes a location back of its own accord.
    WriteBack(usize, LocationId),
}

/// The registers of each wave.
pub type Registers = Vec<Vec<Option<i64>>>;

/// All executions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The final registers.
    pub ends: BTreeMap<Registers, Reached>,
    /// A way to where waves wait for a barrier for ever.
    pub deadlock: Option<Vec<Step>>,
    /// Rules of barriers that are broken, each with a way there.
    pub undefined: BTreeMap<&'static str, Vec<Step>>,
    /// How many states there were.
    pub states: usize,
}

/// How final registers are reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reached {
    /// A way: the shortest one, if all steps are explored.
    pub steps: Vec<Step>,
    /// Final states of registers and caches that have these registers.
    pub count: u64,
}

/// Which steps of a state are explored. The final registers are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exploration {
    /// All of them.
    Full,
    /// Those that are enough, and states without what nobody can read any more.
    Reduced,
}

/// What is executed.
#[derive(Clone, Debug)]
pub struct Program<'p> {
    /// The caches.
    pub hierarchy: Hierarchy,
    /// What locations hold at the beginning.
    pub initial: &'p [i64],
    /// Locations that devices' caches do not keep, however they are accessed: fine-grained memory.
    pub uncached: Vec<LocationId>,
    /// The waves.
    pub waves: &'p [Wave],
    /// Their barriers, before any operation.
    pub barriers: barrier::machine::Machine,
}

impl<'p> Program<'p> {
    /// One without barriers, all of whose locations are cached.
    pub fn new(hierarchy: Hierarchy, initial: &'p [i64], waves: &'p [Wave]) -> Program<'p> {
        let workgroups: Vec<u8> = waves.iter().map(|wave| wave.workgroup).collect();
        let barriers = barrier::machine::Machine::new(&[], workgroups, barrier::Reading::default());
        Program { hierarchy, initial, uncached: Vec::new(), waves, barriers }
    }
}

/// All executions. `None` if there are more than `most` states.
pub fn run(program: &Program<'_>, exploration: Exploration, most: usize) -> Option<Found> {
    let Program { hierarchy, waves, ref uncached, .. } = *program;
    let machine = Machine { hierarchy, waves, uncached };
    let start = State::start(&machine, program);
    let mut found = Found { ends: BTreeMap::new(), deadlock: None, undefined: BTreeMap::new(), states: 0 };
    let mut seen = HashSet::from([start.clone()]);
    // By state, in the order of discovery: where it came from. The start has no entry.
    let mut ways: Vec<(usize, Step)> = Vec::new();
    let mut waiting = VecDeque::from([(start, 0)]);
    while let Some((state, at)) = waiting.pop_front() {
        if state.is_over(&machine) {
            let new = || Reached { steps: way(&ways, at), count: 0 };
            found.ends.entry(state.registers()).or_insert_with(new).count += 1;
            continue;
        }
        if let Some((rule, step)) = state.broken(&machine) {
            found.undefined.entry(rule).or_insert_with(|| {
                let mut steps = way(&ways, at);
                steps.push(step);
                steps
            });
            continue;
        }
        let steps = match exploration {
            Exploration::Full => state.steps(&machine),
            Exploration::Reduced => state.enough(&machine),
        };
        if steps.is_empty() {
            found.deadlock.get_or_insert_with(|| way(&ways, at));
        }
        for (step, mut next) in steps {
            if exploration == Exploration::Reduced {
                next.forget(&machine);
            }
            if seen.insert(next.clone()) {
                ways.push((at, step));
                waiting.push_back((next, ways.len()));
            }
        }
        if seen.len() > most {
            return None;
        }
    }
    found.states = seen.len();
    Some(found)
}

/// The steps to a state.
fn way(ways: &[(usize, Step)], mut at: usize) -> Vec<Step> {
    let mut steps = Vec::new();
    while let Some(&(from, step)) = at.checked_sub(1).and_then(|before| ways.get(before)) {
        steps.push(step);
        at = from;
    }
    steps.reverse();
    steps
}
