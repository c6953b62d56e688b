//! Executes a compiled kernel: workgroups of waves that take turns, and the memories that they share.
//!
//! Waves take turns at what others could notice; which goes next is round-robin, or drawn from the seed. Without a seed
//! clusters (or workgroups) are run one after the other; with one, a few are resident side by side ([`resident`]).

mod access;
pub mod barrier;
pub mod buffer;
pub mod bytes;
pub mod compute;
pub mod cross;
mod effect;
mod evaluate;
pub mod flight;
pub mod memory;
mod resident;
mod step;
mod sync;
mod transfer;
mod typed;
pub mod wave;

use std::collections::VecDeque;

use wavemark_budget::room_for;
use wavemark_ir::Module;
use wavemark_ir::entity::Id as _;
use wavemark_ir::module::{Global as GlobalId, GlobalKind};
use wavemark_memmodel::asyncmark::Thread;
use wavemark_sim::barrier::Barrier;
use wavemark_sim::function::Functions;
use wavemark_sim::machine::Random;
use wavemark_sim::{Global, Limit, RunConfig};
use wavemark_target::{AddressSpace, Machine};

use crate::Refused;
use crate::compile::constant::{Addresses, bytes as initial_bytes};
use crate::compile::{Compiled, compile};
use crate::finding::{Finding, Findings, Kind, Place};
use crate::lanes::{Active, Frame, Shadow, each};
use crate::parameter::{Parameter, parameters};
use crate::race::{Agent, Races};
use crate::record::{Life, Record};
use crate::shape::{Image, image};
use barrier::{Barriers, Name};
use bytes::Memory;
use wave::{Activation, FIRST_SCRATCH, Level, State, Wave};

/// A kernel that is ready to run, its module's variables in memory.
pub struct Program {
    compiled: Compiled,
    kernel: GlobalId,
    target: Machine,
    /// LDS that its variables take.
    static_lds: u64,
    parameters: Vec<(Parameter, Image)>,
    implicit_at: u64,
}

/// How a kernel is launched.
#[derive(Clone, Debug)]
pub struct Launch {
    /// Workgroups per dimension.
    pub grid: [u32; 3],
    /// Work-items per workgroup and dimension.
    pub block: [u32; 3],
    /// Workgroups per cluster and dimension.
    pub cluster: Option<[u32; 3]>,
    /// Bytes of LDS beyond the kernel's own.
    pub dynamic_lds: u32,
    /// The kernel's arguments, explicit and implicit.
    pub kernarg: Vec<u8>,
    /// Bytes of global memory, from one address to before another: who changes them last is told.
    pub watch: Option<(u64, u64)>,
    /// Races between waves are looked for.
    pub races: bool,
    /// What happens is kept.
    pub record: bool,
}

/// Why a launch is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LaunchError {
    /// It cannot be.
    Unusable(String),
    /// It needs what is not executed.
    Refused(Refused),
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// All waves have ended.
    Finished,
    /// No wave can move, or one has trapped: a finding says so.
    Stopped,
    /// A limit was hit.
    Limit(Limit),
    /// What is not executed was reached.
    Refused(Refused, Option<Place>),
}

/// How much was executed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Workgroups.
    pub workgroups: u64,
    /// Waves.
    pub waves: u64,
    /// Operations of waves.
    pub operations: u64,
    /// The same times the lanes of a wave.
    pub lane_operations: u64,
}

/// What a run gave.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// How it ended.
    pub end: RunEnd,
    /// What it found.
    pub findings: Vec<Finding>,
    /// How much it did.
    pub stats: Stats,
    /// Who changed the bytes that are watched last.
    pub watched: Option<Place>,
    /// There was no memory to remember all accesses: races may have been missed.
    pub races_incomplete: bool,
    /// What happened, if that was asked for.
    pub record: Option<Box<Record>>,
}

/// Bytes of a variable at most.
const MOST_BYTES: u64 = 1 << 32;

/// When the lanes of a wave that have parted are together again, where LLVM's rules leave that open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Converge {
    /// As soon as they can be, in lockstep, as the hardware does it.
    #[default]
    Maximal,
    /// Where something concerns the whole wave, and no sooner: elsewhere each lane goes alone, in any order.
    Adversarial,
}

impl Converge {
    /// By its name on a command line.
    pub fn named(name: &str) -> Option<Converge> {
        match name {
            "maximal" => Some(Converge::Maximal),
            "adversarial" => Some(Converge::Adversarial),
            _ => None,
        }
    }
}

/// Puts a module's variables into memory and compiles `kernel`.
///
/// # Errors
/// What of the module, as a whole, is not executed.
pub fn prepare(
    module: &Module,
    kernel: GlobalId,
    target: Machine,
    converge: Converge,
    global: &mut Global,
) -> Result<Program, Refused> {
    let mut addresses = Addresses { of: vec![None; module.globals.len()] };
    let lds = wavemark_ir::lds::offsets(module, kernel).ok_or_else(|| Refused::new("so much LDS"))?;
    for &(variable, offset) in lds.0.iter().chain(&wavemark_ir::lds::named_barriers(module)) {
        addresses.of[variable.index()] = Some(offset);
    }
    let mut initialised = Vec::new();
    for (id, data) in module.globals.iter() {
        let GlobalKind::Variable(variable) = &data.kind else { continue };
        let spaces = [AddressSpace::Global, AddressSpace::Constant, AddressSpace::Generic];
        if !spaces.iter().any(|&space| space as u32 == data.address_space) {
            continue;
        }
        // What is only read by debuggers and loaders has no place here.
        let appending = data.linkage == Some(wavemark_ir::module::Linkage::Appending);
        let Some(whole) = wavemark_ir::layout::layout(&module.types, variable.ty).filter(|_| !appending)
        else {
            continue;
        };
        let Some(initializer) = variable.initializer else { continue };
        let too_large = |why: &dyn std::fmt::Display| Refused::new(format!("@{} {why}", module.name(id)));
        room_for(whole.size).map_err(|no_room| too_large(&no_room))?;
        if whole.size > MOST_BYTES {
            return Err(too_large(&format_args!("of {} bytes", whole.size)));
        }
        let writable = !variable.constant;
        let name = format!("@{}", module.name(id));
        let base = global.allocate(name, vec![0; whole.size.max(1) as usize], writable);
        addresses.of[id.index()] = Some(base);
        initialised.push((base, initializer));
    }
    for (base, initializer) in initialised {
        let contents = initial_bytes(module, &addresses, initializer)?;
        global.initialise(base, &contents);
    }
    let (parameters, implicit_at) = parameters(module, kernel)?;
    let parameters = parameters.into_iter().map(|parameter| {
        let image = image(&module.types, parameter.ty).or_else(|refused| match parameter.by_reference {
            true => Ok(Image::default()),
            false => Err(refused),
        })?;
        Ok((parameter, image))
    });
    let parameters = parameters.collect::<Result<_, Refused>>()?;
    let compiled = compile(module, target, &addresses, kernel, converge);
    Ok(Program { compiled, kernel, target, static_lds: lds.1, parameters, implicit_at })
}

/// Runs a kernel once.
///
/// # Errors
/// [`LaunchError`] for a launch that cannot be.
pub fn run(
    program: &Program,
    launch: &Launch,
    config: &RunConfig,
    global: &mut Global,
) -> Result<Outcome, LaunchError> {
    let plan = Plan::new(program, launch)?;
    let functions = Functions::new(program.target, &program.compiled.texts).map_err(|(index, why)| {
        LaunchError::Refused(Refused::new(format!("`{}`: {why}", program.compiled.texts[index])))
    })?;
    let mut kernarg = launch.kernarg.clone();
    kernarg.resize(kernarg.len().next_multiple_of(64) + 64, 0);
    let kernarg = global.allocate("kernel arguments", kernarg, false);
    let packet = global.allocate("dispatch packet", plan.packet(launch, kernarg), false);
    let queue = global.allocate("queue", vec![0; 256], false);
    config.progress.expect(plan.clusters.iter().chain(&plan.cluster).map(|&n| u64::from(n)).product());
    let mut executor = Executor {
        program,
        plan: &plan,
        launch,
        config,
        functions,
        global,
        addresses: [kernarg, packet, queue],
        findings: Findings::default(),
        random: Random::new(config.seed),
        moves: Vec::new(),
        clock: 0,
        stats: Stats::default(),
        watched: None,
        races: launch.races.then(Races::default),
        record: launch.record.then(|| Box::new(Record::new(plan.lds))),
        serial: 0,
    };
    let end = executor.all();
    let Executor { findings, stats, global, watched, races, record, .. } = executor;
    for base in [queue, packet, kernarg] {
        global.take_back(base);
    }
    let races_incomplete = races.is_some_and(|races| races.is_incomplete());
    Ok(Outcome { end, findings: findings.into_found(), stats, watched, races_incomplete, record })
}

/// What all workgroups have in common.
struct Plan {
    lanes: usize,
    waves: u32,
    lds: u64,
    cluster: [u32; 3],
    clusters: [u32; 3],
    /// Memory that a resident cluster takes, about.
    bytes: u64,
}

impl Plan {
    fn new(program: &Program, launch: &Launch) -> Result<Plan, LaunchError> {
        let unusable = |what: String| Err(LaunchError::Unusable(what));
        let limits = program.target.limits();
        let product = |sizes: [u32; 3]| sizes.iter().map(|&n| u128::from(n)).product::<u128>();
        let cluster = launch.cluster.unwrap_or([1; 3]);
        for (name, sizes) in [("grid", launch.grid), ("block", launch.block), ("cluster", cluster)] {
            if product(sizes) == 0 {
                return unusable(format!("{name} has a dimension of 0"));
            }
        }
        let size = product(launch.block);
        if size > u128::from(limits.max_workgroup_size) {
            let most = limits.max_workgroup_size;
            return unusable(format!("a workgroup of {size} work-items is over the limit of {most}"));
        }
        if product(launch.grid) > u128::from(u32::MAX) {
            return unusable(format!("the grid has {} workgroups", product(launch.grid)));
        }
        if product(cluster) > u128::from(limits.max_cluster_size.max(1)) {
            return unusable(format!("a cluster of {} workgroups is too large", product(cluster)));
        }
        let mut clusters = [0; 3];
        for d in 0..3 {
            if !launch.grid[d].is_multiple_of(cluster[d]) {
                return unusable(format!("grid {:?} is no multiple of cluster {cluster:?}", launch.grid));
            }
            clusters[d] = launch.grid[d] / cluster[d];
        }
        let lds = program.static_lds + u64::from(launch.dynamic_lds);
        if lds > u64::from(limits.lds_bytes) {
            return unusable(format!("{lds} bytes of LDS are over the limit of {}", limits.lds_bytes));
        }
        let lanes = program.target.lanes() as usize;
        let waves = (size as u32).div_ceil(lanes as u32);
        let kernel = program.compiled.functions[program.kernel.index()].as_ref();
        let registers = kernel.map_or(0, |function| u64::from(function.registers));
        let bytes = product(cluster) as u64 * (u64::from(waves) * registers * lanes as u64 * 8 + 2 * lds);
        if let Err(no_room) = room_for(bytes) {
            return unusable(format!("a workgroup {no_room}"));
        }
        Ok(Plan { lanes, waves, lds, cluster, clusters, bytes })
    }

    /// The AQL kernel dispatch packet.
    fn packet(&self, launch: &Launch, kernarg: u64) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(64);
        let dimensions = (0..3).rev().find(|&d| launch.grid[d] > 1 || launch.block[d] > 1).unwrap_or(0);
        bytes.extend_from_slice(&2u16.to_le_bytes());
        bytes.extend_from_slice(&(dimensions as u16 + 1).to_le_bytes());
        launch.block.iter().for_each(|&n| bytes.extend_from_slice(&(n as u16).to_le_bytes()));
        bytes.extend_from_slice(&[0; 2]);
        for d in 0..3 {
            bytes.extend_from_slice(&launch.grid[d].wrapping_mul(launch.block[d]).to_le_bytes());
        }
        bytes.extend_from_slice(&0u32.to_le_bytes());
        bytes.extend_from_slice(&(self.lds as u32).to_le_bytes());
        bytes.extend_from_slice(&0u64.to_le_bytes());
        bytes.extend_from_slice(&kernarg.to_le_bytes());
        bytes.resize(64, 0);
        bytes
    }
}

/// A workgroup.
struct Group {
    id: [u32; 3],
    cluster_id: [u32; 3],
    in_cluster: [u32; 3],
    rank: u32,
    lds: Memory,
    barriers: Barriers,
    /// `None` for the one whose turn it is.
    waves: Vec<Option<Wave>>,
}

/// A cluster, or a workgroup that is none's.
struct Cluster {
    groups: Vec<Group>,
    /// One wave of each workgroup arrives at it.
    barrier: Barrier,
}

/// Why a run ends.
enum Stop {
    Refused(Refused, Option<Place>),
    Limit(Limit),
    /// A finding says why.
    Found,
}

/// Operations of a wave's turn, where it is not drawn.
const TURN: u64 = 1 << 14;
/// Where it is drawn, the powers of 2 that it may be.
const SEEDED_TURNS: usize = 7;

struct Executor<'r> {
    program: &'r Program,
    plan: &'r Plan,
    launch: &'r Launch,
    config: &'r RunConfig,
    functions: Functions,
    global: &'r mut Global,
    /// Of arguments, dispatch packet and queue.
    addresses: [u64; 3],
    findings: Findings,
    random: Random,
    /// Room for moves.
    moves: Vec<u64>,
    /// Operations of all waves.
    clock: u64,
    stats: Stats,
    watched: Option<Place>,
    races: Option<Races>,
    record: Option<Box<Record>>,
    /// How many asynchronous operations were issued.
    serial: u64,
}

fn unflatten(flat: u64, size: [u32; 3]) -> [u32; 3] {
    let (x, y) = (u64::from(size[0]), u64::from(size[1]));
    [(flat % x) as u32, (flat / x % y) as u32, (flat / x / y) as u32]
}

impl Executor<'_> {
    fn all(&mut self) -> RunEnd {
        match self.clusters() {
            Ok(()) => RunEnd::Finished,
            Err(Stop::Refused(refused, place)) => RunEnd::Refused(refused, place),
            Err(Stop::Limit(limit)) => RunEnd::Limit(limit),
            Err(Stop::Found) => RunEnd::Stopped,
        }
    }

    /// A turn for each wave of a cluster that can go on; whether any could.
    fn round(&mut self, cluster: &mut Cluster) -> Result<bool, Stop> {
        let mut moved = false;
        let waves = self.plan.waves as usize;
        let count = cluster.groups.len() * waves;
        let first = if self.config.seed == 0 { 0 } else { self.random.below(count) };
        for turn in 0..count {
            let at = (first + turn) % count;
            let (group, number) = (at / waves, at % waves);
            let Some(mut wave) = cluster.groups[group].waves[number].take() else { continue };
            self.lands_late(&mut cluster.groups[group], &mut wave);
            if let State::Waits(name) = wave.state
                && self.passes(cluster, group, &wave, name)
            {
                wave.state = State::Running;
                if let Some(record) = &mut self.record {
                    record.passes(wave.index, name);
                }
            }
            let mut result = Ok(());
            if wave.state == State::Running {
                moved = true;
                let budget = if self.config.seed == 0 { TURN } else { self.drawn_turn() };
                let before = wave.steps;
                result = self.turn(cluster, group, &mut wave, budget);
                let steps = wave.steps - before;
                self.clock += steps;
                self.stats.operations += steps;
                self.stats.lane_operations += steps * self.plan.lanes as u64;
            }
            cluster.groups[group].waves[number] = Some(wave);
            result?;
        }
        self.look_at_limits()?;
        Ok(moved)
    }

    /// The operations of a turn with a seed: mostly so few that another wave may come between any two of them, and sometimes
    /// many, so that waves get apart.
    fn drawn_turn(&mut self) -> u64 {
        let powers = 1 + self.random.below(SEEDED_TURNS);
        1 << self.random.below(powers)
    }

    fn look_at_limits(&mut self) -> Result<(), Stop> {
        if self.clock > self.config.max_total_steps {
            return Err(self.limit(Limit::TotalSteps));
        }
        match self.config.brake.pulled() {
            Some(halt) => Err(self.limit(Limit::Brake(halt))),
            None => Ok(()),
        }
    }

    fn limit(&mut self, limit: Limit) -> Stop {
        if !matches!(limit, Limit::Brake(wavemark_sim::brake::Halt::Interrupt)) {
            self.findings.add(Kind::Limit, &[], || limit.title().to_owned());
        }
        Stop::Limit(limit)
    }

    fn deadlock(&mut self, resident: &[Cluster]) -> Stop {
        let mut waiting = Vec::new();
        for group in resident.iter().flat_map(|cluster| &cluster.groups) {
            for wave in group.waves.iter().flatten() {
                let (State::Waits(name), Some(activation)) = (wave.state, wave.activations.last()) else {
                    continue;
                };
                let Some(level) = activation.levels.last() else { continue };
                let place = self.place_of(group, wave, activation.function, level);
                waiting.extend(place.map(|place| (place, name)));
            }
        }
        waiting.truncate(2);
        let places: Vec<Place> = waiting.iter().map(|one| one.0).collect();
        self.findings.add(Kind::Deadlock, &places, || {
            let names: Vec<String> = waiting.iter().map(|(_, name)| name.to_string()).collect();
            format!("no wave can move: waiting for {}", names.join(" and "))
        });
        Stop::Found
    }

    /// Where a wave stands that has stopped behind an operation.
    fn place_of(&self, group: &Group, wave: &Wave, function: usize, level: &Level) -> Option<Place> {
        let code = self.program.compiled.functions[function].as_ref()?;
        let block = &code.blocks[level.block as usize];
        let (_, inst) = block.ops.get(level.op.checked_sub(1)?)?;
        let (workgroup, wave) = (group.id, wave.number);
        Some(Place { function: code.global, inst: *inst, workgroup, wave, lanes: level.mask })
    }

    fn cluster(&mut self, number: u64) -> Result<Cluster, Stop> {
        let plan = self.plan;
        let cluster_id = unflatten(number, plan.clusters);
        let size: u32 = plan.cluster.iter().product();
        let mut groups = Vec::new();
        for rank in 0..size {
            let in_cluster = unflatten(rank.into(), plan.cluster);
            let id = std::array::from_fn(|d| cluster_id[d] * plan.cluster[d] + in_cluster[d]);
            let barriers = Barriers { workgroup: Barrier::with_expected(plan.waves), ..Barriers::default() };
            let mut group = Group {
                id,
                cluster_id,
                in_cluster,
                rank,
                lds: Memory::new(plan.lds as usize),
                barriers,
                waves: Vec::new(),
            };
            for wave in 0..plan.waves {
                let index =
                    (number as u32).wrapping_mul(size).wrapping_add(rank).wrapping_mul(plan.waves) + wave;
                if let Some(record) = &mut self.record {
                    let (start, group) = (record.end, index / plan.waves);
                    record.begins(index, Life { workgroup: id, group, wave, start, end: None });
                }
                let wave = self.wave(wave, index)?;
                group.waves.push(Some(wave));
            }
            groups.push(group);
        }
        Ok(Cluster { groups, barrier: Barrier::with_expected(size) })
    }

    /// A wave at the beginning of the kernel, its parameters in their registers.
    fn wave(&mut self, number: u32, index: u32) -> Result<Wave, Stop> {
        let program = self.program;
        let items: u32 = self.launch.block.iter().product();
        let lanes = (items - number * self.plan.lanes as u32).min(self.plan.lanes as u32);
        let mask = crate::shape::mask(lanes);
        let Some(code) = &program.compiled.functions[program.kernel.index()] else {
            return Err(Stop::Refused(Refused::new("a kernel without a body"), None));
        };
        let mut frame = Frame::new(code.registers, self.plan.lanes);
        let active = Active { mask, full: lanes as usize == self.plan.lanes };
        let mut register = 0;
        for (parameter, image) in &program.parameters {
            let address = self.addresses[0] + parameter.offset;
            if parameter.by_reference {
                frame.fill(register, address, active);
                register += 1;
                continue;
            }
            let bytes = self.global.slice(address, u64::from(image.bytes)).map(<[u8]>::to_vec);
            let Some(bytes) = bytes else {
                let what = format!("an argument at byte {} that was not passed", parameter.offset);
                return Err(Stop::Refused(Refused::new(what), None));
            };
            for limb in 0..image.fields.len() {
                frame.fill(register, memory::limb_of(image, limb, &bytes), active);
                register += 1;
            }
        }
        Ok(Wave {
            number,
            index,
            lanes: mask,
            state: State::Running,
            activations: vec![Activation {
                function: program.kernel.index(),
                frame,
                levels: vec![Level { block: 0, op: 0, mask, meets: None }],
                caller: 0,
                returns_to: 0,
                results: 0,
                stack: FIRST_SCRATCH,
            }],
            marks: Thread::default(),
            flights: VecDeque::new(),
            scratch: Memory::default(),
            scratch_stride: 0,
            stack: FIRST_SCRATCH,
            // Nearest even, denormals kept; what `amdgpu-ieee` and `amdgpu-dx10-clamp` ask for where they are left out.
            mode: 0x3f0,
            joined: None,
            steps: 0,
        })
    }

    /// A wave, as who looks for races knows it.
    fn agent(&self, wave: &Wave) -> Agent {
        let group = wave.index / self.plan.waves;
        let cluster = group / self.plan.cluster.iter().product::<u32>();
        Agent { wave: wave.index, group: group.into(), cluster: cluster.into() }
    }

    /// Whether a wave's wait for a barrier is over; it has passed then.
    fn passes(&mut self, cluster: &mut Cluster, group: usize, wave: &Wave, name: Name) -> bool {
        let barrier = match name {
            Name::Workgroup => &mut cluster.groups[group].barriers.workgroup,
            Name::Cluster => &mut cluster.barrier,
            Name::Named(address) => cluster.groups[group].barriers.named.entry(address).or_default(),
        };
        let passed = barrier.wait(wave.index).is_some();
        let agent = self.agent(wave);
        if let Some(races) = self.races.as_mut().filter(|_| passed) {
            races.passes(agent, name);
        }
        passed
    }
}

/// What is known of operands in the lanes of a mask.
fn known(shadow: Shadow, mask: u64) -> Shadow {
    shadow.in_lanes(mask)
}

/// The lanes of a mask whose words differ from that of the first.
fn not_uniform(words: &[u64], mask: u64) -> u64 {
    let first = words[mask.trailing_zeros() as usize % words.len()];
    each(mask).filter(|&lane| words[lane] != first).fold(0, |lanes, lane| lanes | 1 << lane)
}
