//! What is said of the device. Numbers that are facts of the processor come from `target`; what depends on a board
//! (clocks, buses, compute units) is not known of a processor that nobody has: the compute units are one, so that what is
//! sized by them is small, and clocks and buses are 0.

use std::ffi::{c_char, c_int};

use wavemark_target::{Limits, Property, TargetId};

use crate::answer::{Answer, Refusal, answer, out};
use crate::error::{Code, INVALID_VALUE};
use crate::runtime::Runtime;

/// Compute units of the device.
const COMPUTE_UNITS: c_int = 1;
/// Workgroups of a grid, at most.
const MAX_GRID: c_int = i32::MAX;

/// `hipDeviceProp_t` as HIP 6 and 7 have it (`hipDeviceProp_tR0600`). What stands for textures, surfaces and PCI
/// is left at 0.
#[repr(C)]
pub struct Properties {
    name: [c_char; 256],
    uuid: [c_char; 16],
    luid: [c_char; 8],
    luid_device_node_mask: u32,
    total_global_mem: usize,
    shared_mem_per_block: usize,
    regs_per_block: c_int,
    warp_size: c_int,
    mem_pitch: usize,
    max_threads_per_block: c_int,
    max_threads_dim: [c_int; 3],
    max_grid_size: [c_int; 3],
    clock_rate: c_int,
    total_const_mem: usize,
    major: c_int,
    minor: c_int,
    texture_alignment: usize,
    texture_pitch_alignment: usize,
    device_overlap: c_int,
    multi_processor_count: c_int,
    kernel_exec_timeout_enabled: c_int,
    integrated: c_int,
    can_map_host_memory: c_int,
    compute_mode: c_int,
    /// From `maxTexture1D` to `maxSurfaceCubemapLayered`.
    textures_and_surfaces: [c_int; 40],
    surface_alignment: usize,
    concurrent_kernels: c_int,
    ecc_enabled: c_int,
    pci_bus_id: c_int,
    pci_device_id: c_int,
    pci_domain_id: c_int,
    tcc_driver: c_int,
    async_engine_count: c_int,
    unified_addressing: c_int,
    memory_clock_rate: c_int,
    memory_bus_width: c_int,
    l2_cache_size: c_int,
    persisting_l2_cache_max_size: c_int,
    max_threads_per_multi_processor: c_int,
    stream_priorities_supported: c_int,
    global_l1_cache_supported: c_int,
    local_l1_cache_supported: c_int,
    shared_mem_per_multiprocessor: usize,
    regs_per_multiprocessor: c_int,
    managed_memory: c_int,
    is_multi_gpu_board: c_int,
    multi_gpu_board_group_id: c_int,
    host_native_atomic_supported: c_int,
    single_to_double_precision_perf_ratio: c_int,
    pageable_memory_access: c_int,
    concurrent_managed_access: c_int,
    compute_preemption_supported: c_int,
    can_use_host_pointer_for_registered_mem: c_int,
    cooperative_launch: c_int,
    cooperative_multi_device_launch: c_int,
    shared_mem_per_block_optin: usize,
    pageable_memory_access_uses_host_page_tables: c_int,
    direct_managed_mem_access_from_host: c_int,
    max_blocks_per_multi_processor: c_int,
    access_policy_max_window_size: c_int,
    reserved_shared_mem_per_block: usize,
    host_register_supported: c_int,
    sparse_hip_array_supported: c_int,
    host_register_read_only_supported: c_int,
    timeline_semaphore_interop_supported: c_int,
    memory_pools_supported: c_int,
    gpu_direct_rdma_supported: c_int,
    gpu_direct_rdma_flush_writes_options: u32,
    gpu_direct_rdma_writes_ordering: c_int,
    memory_pool_supported_handle_types: u32,
    deferred_mapping_hip_array_supported: c_int,
    ipc_event_supported: c_int,
    cluster_launch: c_int,
    unified_function_pointers: c_int,
    reserved: [c_int; 63],
    hip_reserved: [c_int; 32],
    gcn_arch_name: [c_char; 256],
    max_shared_memory_per_multi_processor: usize,
    clock_instruction_rate: c_int,
    arch: u32,
    hdp_mem_flush_cntl: *mut u32,
    hdp_reg_flush_cntl: *mut u32,
    cooperative_multi_device_unmatched: [c_int; 4],
    is_large_bar: c_int,
    asic_revision: c_int,
}

// As a C compiler has it with AMD's header.
const _: () = assert!(std::mem::size_of::<Properties>() == 1472);
const _: () = assert!(std::mem::offset_of!(Properties, warp_size) == 308);
const _: () = assert!(std::mem::offset_of!(Properties, gcn_arch_name) == 1160);

/// `hipDeviceArch_t`: what the device can do, a bit each, in the order of the header: all but funnel shifts (bit 11),
/// surfaces (14) and dynamic parallelism (16).
const ARCH_BITS: u32 = 0x1_ffff & !(1 << 11 | 1 << 14 | 1 << 16);

/// The processor and what it allows.
struct Device {
    target: TargetId,
    limits: Limits,
    lanes: c_int,
    memory: usize,
}

impl Device {
    fn of(runtime: &mut Runtime, number: c_int) -> Answer<Device> {
        runtime.must_be_device(number)?;
        let target = runtime.arch()?;
        let wave = target.processor.default_wave_size();
        let limits = target.processor.limits(wave);
        Ok(Device { target, limits, lanes: wave.lanes() as c_int, memory: wavemark_budget::limit() })
    }

    fn name(&self) -> String {
        format!("Wavemark {}", self.target.processor)
    }

    fn properties(&self) -> Properties {
        // SAFETY: all fields are numbers, arrays of them and pointers, for which zero bits are values.
        let mut properties: Properties = unsafe { std::mem::zeroed() };
        let lds = self.limits.lds_bytes as usize;
        let workgroup = self.limits.max_workgroup_size as c_int;
        let registers = (self.limits.total_vgprs as c_int).saturating_mul(self.lanes);
        let (major, minor, _) = self.target.processor.isa_version();
        write_text(&mut properties.name, &self.name());
        write_text(&mut properties.gcn_arch_name, &self.target.to_string());
        properties.total_global_mem = self.memory;
        properties.shared_mem_per_block = lds;
        properties.regs_per_block = registers;
        properties.warp_size = self.lanes;
        properties.mem_pitch = i32::MAX as usize;
        properties.max_threads_per_block = workgroup;
        properties.max_threads_dim = [workgroup; 3];
        properties.max_grid_size = [MAX_GRID; 3];
        properties.total_const_mem = i32::MAX as usize;
        (properties.major, properties.minor) = (major.into(), minor.into());
        properties.multi_processor_count = COMPUTE_UNITS;
        properties.can_map_host_memory = 1;
        properties.concurrent_kernels = 1;
        properties.unified_addressing = 1;
        properties.max_threads_per_multi_processor = workgroup;
        properties.shared_mem_per_multiprocessor = lds;
        properties.regs_per_multiprocessor = registers;
        properties.managed_memory = 1;
        properties.cooperative_launch = 1;
        properties.shared_mem_per_block_optin = lds;
        properties.host_register_supported = 1;
        properties.cluster_launch = self.target.processor.has(Property::CLUSTERS).into();
        properties.max_shared_memory_per_multi_processor = lds;
        properties.arch = ARCH_BITS;
        properties
    }
}

/// The text, as much as there is room for, and a NUL.
fn write_text(into: &mut [c_char], text: &str) {
    let room = into.len().saturating_sub(1);
    for (to, from) in into.iter_mut().zip(text.bytes().take(room).chain([0])) {
        *to = from as c_char;
    }
}

/// What `hipDeviceGetAttribute` is asked for, by the numbers of `hipDeviceAttribute_t`.
fn attribute(properties: &Properties, attribute: c_int) -> Option<usize> {
    let number = |value: c_int| usize::try_from(value).ok();
    match attribute {
        3 => number(properties.can_map_host_memory),
        4 => number(properties.can_use_host_pointer_for_registered_mem),
        5 => number(properties.clock_rate),
        8 => number(properties.concurrent_kernels),
        9 => number(properties.concurrent_managed_access),
        10 => number(properties.cooperative_launch),
        11 => number(properties.cooperative_multi_device_launch),
        16 => number(properties.integrated),
        18 => number(properties.kernel_exec_timeout_enabled),
        19 => number(properties.l2_cache_size),
        23 => number(properties.major),
        24 => number(properties.managed_memory),
        26..=28 => number(properties.max_threads_dim[attribute as usize - 26]),
        29..=31 => number(properties.max_grid_size[attribute as usize - 29]),
        56 => number(properties.max_threads_per_block),
        57 => number(properties.max_threads_per_multi_processor),
        58 => Some(properties.mem_pitch),
        59 => number(properties.memory_bus_width),
        60 => number(properties.memory_clock_rate),
        61 => number(properties.minor),
        63 | 10015 => number(properties.multi_processor_count),
        65 => number(properties.pageable_memory_access),
        67 => number(properties.pci_bus_id),
        68 => number(properties.pci_device_id),
        69 => number(properties.pci_domain_id),
        71 => number(properties.regs_per_block),
        72 => number(properties.regs_per_multiprocessor),
        74 => Some(properties.shared_mem_per_block),
        75 => Some(properties.shared_mem_per_block_optin),
        76 => Some(properties.shared_mem_per_multiprocessor),
        78 => number(properties.stream_priorities_supported),
        83 => Some(properties.total_const_mem),
        84 => Some(properties.total_global_mem),
        85 => number(properties.unified_addressing),
        87 => number(properties.warp_size),
        88 => number(properties.memory_pools_supported),
        90 => number(properties.host_register_supported),
        10002 => Some(properties.max_shared_memory_per_multi_processor),
        _ => None,
    }
}

/// What the device is.
///
/// # Safety
///
/// `properties` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipGetDevicePropertiesR0600(properties: *mut Properties, device: c_int) -> Code {
    answer("hipGetDeviceProperties", |runtime| {
        // SAFETY: as the caller promises.
        *unsafe { out(properties) }? = Device::of(runtime, device)?.properties();
        Ok(())
    })
}

/// One number of the device.
///
/// # Safety
///
/// `value` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipDeviceGetAttribute(value: *mut c_int, wanted: c_int, device: c_int) -> Code {
    answer("hipDeviceGetAttribute", |runtime| {
        // SAFETY: as the caller promises.
        let value = unsafe { out(value) }?;
        let properties = Device::of(runtime, device)?.properties();
        let found = attribute(&properties, wanted)
            .ok_or_else(|| Refusal::because(INVALID_VALUE, format!("the attribute {wanted} is not known")))?;
        *value = c_int::try_from(found).unwrap_or(c_int::MAX);
        Ok(())
    })
}

/// The device's name.
///
/// # Safety
///
/// `name` is null or has room for `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipDeviceGetName(name: *mut c_char, len: c_int, device: c_int) -> Code {
    answer("hipDeviceGetName", |runtime| {
        let room =
            usize::try_from(len).ok().filter(|&len| len > 0 && !name.is_null()).ok_or(INVALID_VALUE)?;
        // SAFETY: there is so much room, as the caller promises.
        write_text(
            unsafe { std::slice::from_raw_parts_mut(name, room) },
            &Device::of(runtime, device)?.name(),
        );
        Ok(())
    })
}

/// Bytes of the device's memory.
///
/// # Safety
///
/// `bytes` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipDeviceTotalMem(bytes: *mut usize, device: c_int) -> Code {
    answer("hipDeviceTotalMem", |runtime| {
        runtime.must_be_device(device)?;
        // SAFETY: as the caller promises.
        *unsafe { out(bytes) }? = wavemark_budget::limit();
        Ok(())
    })
}
