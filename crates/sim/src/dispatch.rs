//! Dispatch: from a kernel, a grid and arguments to workgroups of waves in their initial state.
//!
//! The initial registers are those of "Initial Kernel Execution State" (AMDGPU usage) with, on gfx1250, the
//! workgroup identity in trap temporaries (CDNA5 ISA 3.5.3.1 and 2.3.1).

use std::sync::Arc;

use wavemark_codeobj::descriptor::{Field, KernelDescriptor};
use wavemark_isa::effects::HwReg;
use wavemark_target::facts::WorkgroupIds;
use wavemark_target::{FlatScratch, Machine, Property};

use wavemark_budget::{NoRoom, room_for};

use crate::binder::Layout;
use crate::events::{Observer, WaveId};
use crate::global::Global;
use crate::hostcall::{self, Hostcall};
use crate::machine::buffer::scratch_resource;
use crate::machine::{self, Ended, Launch, NewGroup, RunConfig, RunEnd, RunStats};
use crate::program::{Program, Segment};
use crate::regs::{Chunk, sindex};
use crate::wave::Wave;

/// A loaded kernel.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// What executes it: what [`crate::modelled`] gives.
    pub machine: Machine,
    /// The executable segment that holds its code, at its loaded address.
    pub code: Segment,
    /// Address of its code.
    pub entry: u64,
    /// Address of its descriptor.
    pub descriptor_address: u64,
    /// Its descriptor.
    pub descriptor: KernelDescriptor,
}

impl Kernel {
    /// Bytes at the beginning of code that preloads kernel arguments. They load what older firmware does not preload;
    /// the firmware that does starts behind them (guide, "Preloaded Kernel Arguments").
    const PRELOAD_PROLOGUE: u64 = 256;

    /// Address of the first instruction that waves execute.
    pub fn first_instruction(&self) -> u64 {
        let preloads = self.descriptor.kernarg_preload().0 > 0;
        let skipped = preloads && self.machine.facts().kernarg_preload_prologue;
        self.entry.saturating_add(if skipped { Self::PRELOAD_PROLOGUE } else { 0 })
    }
}

/// A kernel dispatch packet, as far as the program can see it.
#[derive(Clone, Debug)]
pub struct Dispatch {
    /// Workgroups per dimension.
    pub grid: [u32; 3],
    /// Work-items per workgroup and dimension.
    pub block: [u32; 3],
    /// Workgroups per cluster and dimension.
    pub cluster: Option<[u32; 3]>,
    /// LDS bytes beyond what the descriptor asks for.
    pub dynamic_lds: u32,
    /// The kernel arguments, explicit and hidden.
    pub kernarg: Vec<u8>,
    /// Stack bytes of a work-item for a kernel with a dynamic stack, beyond the descriptor's.
    pub dynamic_stack: u32,
    /// Where in `kernarg` the address of the hostcall buffer goes, if the kernel takes one.
    pub hostcall: Option<u64>,
}

impl Dispatch {
    /// The same with `address` at byte `at` of its arguments.
    fn with_address(&self, at: u64, address: u64) -> Dispatch {
        let mut dispatch = self.clone();
        let place = usize::try_from(at).ok().and_then(|at| dispatch.kernarg.get_mut(at..)?.first_chunk_mut());
        if let Some(place) = place {
            *place = address.to_le_bytes();
        }
        dispatch
    }
}

/// Why a dispatch is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DispatchError {
    /// A dimension is zero.
    #[error("{0} has a dimension of 0")]
    Empty(&'static str),
    /// Too many work-items in a workgroup.
    #[error("a workgroup of {0} work-items is over the limit of {1}")]
    WorkgroupSize(u64, u32),
    /// Too much LDS.
    #[error("{0} bytes of LDS are over the limit of {1}")]
    Lds(u64, u32),
    /// More scratch than a wave can have.
    #[error("{0} bytes of scratch for a wave are over the limit of {1}")]
    Scratch(u64, u32),
    /// A workgroup or cluster does not fit into memory.
    #[error("a {0} {1}")]
    Memory(&'static str, NoRoom),
    /// The grid is larger than the hardware can count.
    #[error("the grid has {0} workgroups, over the limit of 2^32 - 1")]
    Grid(u128),
    /// Clusters where there are none, too large ones, or a grid that is no multiple.
    #[error("{0}")]
    Cluster(String),
    /// A descriptor asks for something that there is no model of.
    #[error("unsupported: {0}")]
    Unsupported(String),
}

/// Run a kernel.
pub fn dispatch<O: Observer + Send>(
    global: &mut Global,
    kernel: &Kernel,
    dispatch: &Dispatch,
    config: RunConfig,
    observer: &mut O,
) -> Result<(RunEnd, RunStats), DispatchError> {
    let plan = Plan::new(kernel, dispatch)?;
    let host = dispatch.hostcall.map(|at| (at, plan.packets(dispatch)));
    let host = host.map(|(at, packets)| {
        let area = hostcall::area(global.next_address(), packets);
        let bytes = area.len() as u64;
        let base = global.allocate("hostcall buffer", area, true);
        observer.shared_with_host(base, base + bytes);
        (at, base, packets)
    });
    let patched = host.map(|(at, base, _)| dispatch.with_address(at, base));
    let dispatch = patched.as_ref().unwrap_or(dispatch);
    let launcher = Launcher::new(&plan, kernel, dispatch, global);
    let launcher = Launcher { host: host.map(|(_, base, packets)| (base, packets)), ..launcher };
    let new_program = || Program::new(kernel.machine, plan.layout, kernel.code.clone());
    config.progress.expect(dispatch.grid.iter().map(|&n| u64::from(n)).product());
    let result = machine::run(&new_program, global, &config, &launcher, observer);
    // The last first, as they are taken back.
    let Addresses { kernarg, packet, queue } = launcher.addresses;
    for base in [queue, packet, kernarg].into_iter().chain(host.map(|(_, base, _)| base)) {
        global.take_back(base);
    }
    Ok(result)
}

/// The waves of a dispatch's first workgroup in their initial state, so many copies of each.
pub(crate) fn first_waves(
    global: &mut Global,
    kernel: &Kernel,
    dispatch: &Dispatch,
    copies: usize,
) -> Result<Vec<Vec<Wave>>, DispatchError> {
    let plan = Plan::new(kernel, dispatch)?;
    let launcher = Launcher::new(&plan, kernel, dispatch, global);
    let mut of_wave: Vec<Vec<Wave>> = (0..plan.waves).map(|_| Vec::new()).collect();
    for _ in 0..copies {
        let group = launcher.group([0; 3], 0, 0, &mut Ended::default());
        for mut wave in group.waves {
            wave.begin(plan.layout, None);
            let number = wave.id.wave as usize;
            let ids = &launcher.ids[number];
            wave.regs.v[..ids.len()].copy_from_slice(ids);
            of_wave[number].push(wave);
        }
    }
    Ok(of_wave)
}

/// The registers of a kernel's waves.
pub(crate) fn layout(kernel: &Kernel) -> Layout {
    let descriptor = &kernel.descriptor;
    let (vgprs, agprs) = match descriptor.accum_offset() {
        Some(offset) => (offset, descriptor.vgprs().saturating_sub(offset)),
        // A file of their own, as large (gfx908).
        None if kernel.machine.limits().addressable_agprs > 0 => (descriptor.vgprs(), descriptor.vgprs()),
        None => (descriptor.vgprs(), 0),
    };
    Layout { chunks: kernel.machine.lanes() as usize / 16, vgprs, agprs }
}

/// Room behind the arguments, because loads of several dwords may reach beyond the last one.
fn pad(kernarg: &[u8]) -> Vec<u8> {
    let mut bytes = kernarg.to_vec();
    bytes.resize(bytes.len().next_multiple_of(64) + 64, 0);
    bytes
}

struct Addresses {
    kernarg: u64,
    packet: u64,
    queue: u64,
}

/// What all workgroups of a dispatch have in common.
struct Plan {
    layout: Layout,
    lds: u32,
    waves: u32,
    cluster: [u32; 3],
    clusters: [u32; 3],
    scratch: u32,
    named_barriers: u32,
    mode: u32,
    /// The waves of a workgroup may be on several CUs.
    split: bool,
}

impl Plan {
    fn new(kernel: &Kernel, dispatch: &Dispatch) -> Result<Plan, DispatchError> {
        let descriptor = &kernel.descriptor;
        let limits = descriptor.limits();
        let wide = |x: [u32; 3]| x.iter().map(|&n| u128::from(n)).product::<u128>();
        if wide(dispatch.grid) == 0 {
            return Err(DispatchError::Empty("grid"));
        }
        if wide(dispatch.block) == 0 {
            return Err(DispatchError::Empty("block"));
        }
        let size = wide(dispatch.block);
        if size > u128::from(limits.max_workgroup_size) {
            let size = u64::try_from(size).unwrap_or(u64::MAX);
            return Err(DispatchError::WorkgroupSize(size, limits.max_workgroup_size));
        }
        if wide(dispatch.grid) > u128::from(u32::MAX) {
            return Err(DispatchError::Grid(wide(dispatch.grid)));
        }
        let lds = u64::from(descriptor.group_segment_fixed_size) + u64::from(dispatch.dynamic_lds);
        if lds > u64::from(limits.lds_bytes) {
            return Err(DispatchError::Lds(lds, limits.lds_bytes));
        }
        let cluster = dispatch.cluster.unwrap_or([1; 3]);
        if wide(cluster) == 0 {
            return Err(DispatchError::Empty("cluster"));
        }
        if wide(cluster) > 1 && limits.max_cluster_size == 0 {
            return Err(DispatchError::Cluster("this processor has no clusters".to_owned()));
        }
        if wide(cluster) > u128::from(limits.max_cluster_size.max(1)) {
            return Err(DispatchError::Cluster(format!(
                "a cluster of {} workgroups is over the limit of {}",
                wide(cluster),
                limits.max_cluster_size
            )));
        }
        let mut clusters = [0; 3];
        for d in 0..3 {
            if !dispatch.grid[d].is_multiple_of(cluster[d]) {
                return Err(DispatchError::Cluster(format!(
                    "grid {:?} is no multiple of cluster {:?}",
                    dispatch.grid, cluster
                )));
            }
            clusters[d] = dispatch.grid[d] / cluster[d];
        }
        let lanes = kernel.machine.lanes();
        let layout = layout(kernel);
        let waves = (size as u32).div_ceil(lanes);
        let scratch = u64::from(descriptor.private_segment_fixed_size) + u64::from(dispatch.dynamic_stack);
        let scratch = scratch.next_multiple_of(16);
        let most = kernel.machine.facts().wave_scratch_bytes;
        let of_wave = scratch * u64::from(lanes);
        if of_wave > u64::from(most) {
            return Err(DispatchError::Scratch(of_wave, most));
        }
        let registers = u64::from(layout.vgprs + layout.agprs) * u64::from(lanes) * 4;
        let groups = wide(cluster) as u64;
        let bytes = groups * (u64::from(waves) * (of_wave + registers) + lds);
        let what = if groups > 1 { "cluster" } else { "workgroup" };
        room_for(bytes).map_err(|no_room| DispatchError::Memory(what, no_room))?;
        let rsrc1 = descriptor.compute_pgm_rsrc1;
        let mut mode = rsrc1 >> 12 & 0xff;
        if kernel.machine.facts().dx10_clamp_and_ieee {
            mode |= (rsrc1 >> 21 & 1) << 8 | (rsrc1 >> 23 & 1) << 9;
        }
        mode |= (rsrc1 >> 26 & 1) << 23;
        Ok(Plan {
            layout,
            lds: lds as u32,
            waves,
            cluster,
            clusters,
            scratch: scratch as u32,
            named_barriers: descriptor.named_barriers(),
            mode,
            split: [Field::WgpMode, Field::TgSplit].iter().any(|&field| descriptor.get(field) == Some(1)),
        })
    }

    /// Packets of hostcall, one for each wave that may be resident: who takes one does not ask whether there is one.
    fn packets(&self, dispatch: &Dispatch) -> u64 {
        let groups = |size: [u32; 3]| size.iter().map(|&n| u64::from(n)).product::<u64>();
        let waves = u64::from(self.waves);
        (groups(dispatch.grid) * waves).min(machine::RESIDENT_WAVES as u64 + groups(self.cluster) * waves)
    }

    /// The AQL kernel dispatch packet.
    fn packet(&self, kernel: &Kernel, dispatch: &Dispatch, kernarg: u64) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(64);
        let dimensions = (0..3).rev().find(|&d| dispatch.grid[d] > 1 || dispatch.block[d] > 1).unwrap_or(0);
        bytes.extend_from_slice(&2u16.to_le_bytes());
        bytes.extend_from_slice(&(dimensions as u16 + 1).to_le_bytes());
        for n in dispatch.block {
            bytes.extend_from_slice(&(n as u16).to_le_bytes());
        }
        bytes.extend_from_slice(&[0; 2]);
        for d in 0..3 {
            bytes.extend_from_slice(&dispatch.grid[d].wrapping_mul(dispatch.block[d]).to_le_bytes());
        }
        bytes.extend_from_slice(&self.scratch.to_le_bytes());
        bytes.extend_from_slice(&self.lds.to_le_bytes());
        bytes.extend_from_slice(&kernel.descriptor_address.to_le_bytes());
        bytes.extend_from_slice(&kernarg.to_le_bytes());
        bytes.resize(64, 0);
        bytes
    }
}

/// The scalar registers that differ between waves, in their order: the workgroup's place in the grid, what it is made of,
/// and where the wave's scratch begins.
const SYSTEM_SGPRS: [Field; 5] = [
    Field::EnableSgprWorkgroupIdX,
    Field::EnableSgprWorkgroupIdY,
    Field::EnableSgprWorkgroupIdZ,
    Field::EnableSgprWorkgroupInfo,
    Field::EnablePrivateSegment,
];

struct Launcher<'a> {
    plan: &'a Plan,
    kernel: &'a Kernel,
    dispatch: &'a Dispatch,
    addresses: Addresses,
    /// The first vector registers of each wave of a workgroup.
    ids: Arc<[Vec<Chunk>]>,
    /// The first scalar registers, which all waves have the same.
    user_sgprs: Vec<u32>,
    /// Which come behind them, of [`SYSTEM_SGPRS`].
    system_sgprs: [bool; SYSTEM_SGPRS.len()],
    /// Where waves begin.
    entry: u64,
    /// The hostcall buffer, and how many packets it has.
    host: Option<(u64, u64)>,
}

fn unflatten(flat: u64, size: [u32; 3]) -> [u32; 3] {
    let (x, y) = (u64::from(size[0]), u64::from(size[1]));
    [(flat % x) as u32, (flat / x % y) as u32, (flat / x / y) as u32]
}

impl Launch for Launcher<'_> {
    fn clusters(&self) -> u64 {
        self.plan.clusters.iter().map(|&n| u64::from(n)).product()
    }

    fn host(&self) -> Option<Hostcall> {
        self.host.map(|(base, packets)| Hostcall::new(base, packets))
    }

    fn cluster(&self, number: u64, ended: &mut Ended) -> Vec<NewGroup> {
        let cluster_id = unflatten(number, self.plan.clusters);
        let size: u32 = self.plan.cluster.iter().product();
        (0..size).map(|rank| self.group(cluster_id, rank, number as u32, ended)).collect()
    }
}

impl<'a> Launcher<'a> {
    /// A launcher, with what its waves find in memory put there; it has no hostcall buffer.
    fn new(plan: &'a Plan, kernel: &'a Kernel, dispatch: &'a Dispatch, global: &mut Global) -> Launcher<'a> {
        let kernarg = global.allocate("kernel arguments", pad(&dispatch.kernarg), false);
        let packet = global.allocate("dispatch packet", plan.packet(kernel, dispatch, kernarg), false);
        let queue = global.allocate("queue", vec![0; 256], false);
        let ids = (0..plan.waves).map(|wave| work_item_ids(kernel, dispatch, wave)).collect();
        let addresses = Addresses { kernarg, packet, queue };
        let user_sgprs = user_sgprs(plan, kernel, dispatch, &addresses);
        let system_sgprs = SYSTEM_SGPRS.map(|field| kernel.descriptor.is_set(field));
        let entry = kernel.first_instruction();
        Launcher { plan, kernel, dispatch, addresses, ids, user_sgprs, system_sgprs, entry, host: None }
    }

    fn group(&self, cluster_id: [u32; 3], rank: u32, cluster_flat: u32, ended: &mut Ended) -> NewGroup {
        let plan = self.plan;
        let in_cluster = unflatten(u64::from(rank), plan.cluster);
        let workgroup: [u32; 3] = std::array::from_fn(|d| cluster_id[d] * plan.cluster[d] + in_cluster[d]);
        let grid = self.dispatch.grid;
        let flat = workgroup[0] + grid[0] * (workgroup[1] + grid[1] * workgroup[2]);
        let mut sgprs = 0;
        let groups: u32 = plan.cluster.iter().product();
        let first_wave = (cluster_flat.wrapping_mul(groups).wrapping_add(rank)).wrapping_mul(plan.waves);
        let waves = (0..plan.waves)
            .map(|w| {
                let id = WaveId {
                    index: first_wave.wrapping_add(w),
                    workgroup,
                    workgroup_flat: flat,
                    cluster_flat,
                    rank_in_cluster: rank,
                    wave: w,
                    split: plan.split,
                };
                let facts = self.kernel.machine.facts();
                let mut wave = match ended.waves.pop() {
                    Some(ended) => Wave::again(ended, facts, id, self.entry, plan.mode),
                    None => Wave::new(facts, id, plan.layout, self.entry, plan.mode),
                };
                wave.scratch_per_lane = plan.scratch;
                wave.scratch.resize(plan.scratch as usize * wave.regs.lanes() as usize, 0);
                sgprs = self.scalars(&mut wave, cluster_id, in_cluster);
                wave
            })
            .collect();
        NewGroup {
            waves,
            lds: plan.lds,
            named_barriers: plan.named_barriers,
            flat,
            initial_sgprs: sgprs,
            initial_vgprs: self.ids.first().map_or(0, |ids| (ids.len() / plan.layout.chunks) as u32),
            ids: self.ids.clone(),
        }
    }

    /// Set the initial SGPRs and trap temporaries; how many SGPRs were set.
    fn scalars(&self, wave: &mut Wave, cluster_id: [u32; 3], in_cluster: [u32; 3]) -> u32 {
        let mut count = self.user_sgprs.len();
        wave.regs.s[..count].copy_from_slice(&self.user_sgprs);
        if self.kernel.machine.facts().workgroup_ids == WorkgroupIds::Ttmps {
            self.trap_temporaries(wave, cluster_id, in_cluster);
        } else {
            let architected = self.kernel.machine.processor.flat_scratch() == FlatScratch::Architected;
            let [x, y, z] = wave.id.workgroup;
            let info = self.plan.waves & 63 | u32::from(wave.id.wave == 0) << 31;
            // Each wave has scratch memory of its own, at offset 0.
            let [id_x, id_y, id_z, has_info, has_scratch] = self.system_sgprs;
            let on = [id_x, id_y, id_z, has_info, has_scratch && !architected];
            for (_, value) in on.into_iter().zip([x, y, z, info, 0]).filter(|&(on, _)| on) {
                wave.regs.s[count] = value;
                count += 1;
            }
        }
        wave.regs.set_s64(sindex::EXEC, self.lane_mask(wave));
        wave.regs.exec_changed();
        count as u32
    }

    fn trap_temporaries(&self, wave: &mut Wave, cluster_id: [u32; 3], in_cluster: [u32; 3]) {
        let size = self.plan.cluster;
        let count: u32 = size.iter().product();
        let ttmp = |n: u32| (sindex::TTMP0 + n) as usize;
        let s = &mut wave.regs.s;
        s[ttmp(7)] = cluster_id[1] & 0xffff | cluster_id[2] << 16;
        s[ttmp(8)] = wave.id.wave << 25 | 1 << 30;
        s[ttmp(9)] = cluster_id[0];
        if count > 1 {
            s[ttmp(6)] = in_cluster[0]
                | in_cluster[1] << 4
                | in_cluster[2] << 8
                | (size[0] - 1) << 12
                | (size[1] - 1) << 16
                | (size[2] - 1) << 20
                | (count - 1) << 24;
            // Cluster id (not 0 in a cluster) and the flat number in the cluster.
            let status = HwReg::IbSts2.id(self.kernel.machine).unwrap_or_default();
            wave.hwregs[usize::from(status)] = 1 << 6 | wave.id.rank_in_cluster << 21;
        }
    }

    fn lane_mask(&self, wave: &Wave) -> u64 {
        let items: u32 = self.dispatch.block.iter().product();
        let left = items - wave.id.wave * wave.regs.lanes();
        let on = if left >= 64 { u64::MAX } else { (1u64 << left) - 1 };
        on & wave.regs.full_mask()
    }
}

/// The user SGPRs: what the descriptor asks for, in the order of the guide ("Initial Kernel Execution State").
fn user_sgprs(plan: &Plan, kernel: &Kernel, dispatch: &Dispatch, addresses: &Addresses) -> Vec<u32> {
    let descriptor = &kernel.descriptor;
    let on = |field: Field| descriptor.is_set(field);
    let mut values: Vec<u32> = Vec::new();
    let mut push64 = |on: bool, x: u64| {
        if on {
            values.extend([x as u32, (x >> 32) as u32]);
        }
    };
    let machine = kernel.machine;
    let architected = machine.processor.flat_scratch() == FlatScratch::Architected;
    let buffer = match scratch_resource(machine) {
        Some(words) if !architected => words,
        _ => [0; 4],
    };
    for pair in buffer.chunks_exact(2) {
        let words = u64::from(pair[0]) | u64::from(pair[1]) << 32;
        push64(on(Field::EnableSgprPrivateSegmentBuffer), words);
    }
    push64(on(Field::EnableSgprDispatchPtr), addresses.packet);
    push64(on(Field::EnableSgprQueuePtr), addresses.queue);
    push64(on(Field::EnableSgprKernargSegmentPtr), addresses.kernarg);
    push64(on(Field::EnableSgprDispatchId), 1);
    push64(on(Field::EnableSgprFlatScratchInit), 0);
    if on(Field::EnableSgprPrivateSegmentSize) {
        values.push(plan.scratch);
    }
    let (length, offset) = descriptor.kernarg_preload();
    for i in 0..length as usize {
        let at = (offset as usize + i) * 4;
        let mut word = [0; 4];
        for (k, byte) in word.iter_mut().enumerate() {
            *byte = dispatch.kernarg.get(at + k).copied().unwrap_or(0);
        }
        values.push(u32::from_le_bytes(word));
    }
    // The hardware loads as many user SGPRs as the count says, whatever was asked for.
    values.resize(descriptor.user_sgprs() as usize, 0);
    values
}

/// The work-item ids of wave number `wave`, as many as the descriptor asks for: 10 bits each in `v0`, or a register each
/// (guide, "Initial Kernel Execution State").
fn work_item_ids(kernel: &Kernel, dispatch: &Dispatch, wave: u32) -> Vec<Chunk> {
    let machine = kernel.machine;
    let (lanes, chunks) = (machine.lanes(), machine.lanes() as usize / 16);
    let wanted = kernel.descriptor.get(Field::EnableVgprWorkitemId).unwrap_or(0).min(2) as usize + 1;
    let packed = machine.has(Property::PACKED_WORK_ITEM_IDS);
    let [x, y, _] = dispatch.block;
    let mut ids = vec![Chunk::ZERO; if packed { chunks } else { wanted * chunks }];
    for lane in 0..lanes {
        let flat = wave * lanes + lane;
        for (d, id) in [flat % x, flat / x % y, flat / x / y].into_iter().enumerate().take(wanted) {
            let (register, shift) = if packed { (0, 10 * d) } else { (d, 0) };
            ids[register * chunks + lane as usize / 16].0[lane as usize % 16] |= id << shift;
        }
    }
    ids
}
