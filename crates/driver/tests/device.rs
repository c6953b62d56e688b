//! Launches on a device: memory and modules stay, arguments are placed, what is wrong is told.

use wavemark_diag::SourceMap;
use wavemark_driver::build::Failure;
use wavemark_driver::device::{Arguments, Device, Extent, ModuleId};
use wavemark_driver::input::{self, Lang};
use wavemark_driver::kernarg::{Argument, Passed};
use wavemark_driver::options::RunOptions;
use wavemark_driver::report::{Class, Outcome, Report};

/// Adds `step` and the number of launches so far, which the module itself keeps, to the dwords of a buffer.
const COUNTING: &str = r#"
	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.text
	.globl counting
	.p2align 8
	.type counting,@function
counting:
	s_load_dwordx2 s[4:5], s[0:1], 0x0
	s_load_dword s6, s[0:1], 0x8
	s_getpc_b64 s[8:9]
	s_add_u32 s8, s8, launches@rel32@lo+4
	s_addc_u32 s9, s9, launches@rel32@hi+12
	s_load_dword s7, s[8:9], 0x0
	v_lshlrev_b32_e32 v0, 2, v0
	v_mov_b32_e32 v3, 0
	s_waitcnt lgkmcnt(0)
	global_load_dword v1, v0, s[4:5]
	s_add_u32 s6, s6, s7
	s_add_u32 s7, s7, 1
	v_mov_b32_e32 v2, s7
	s_waitcnt vmcnt(0)
	v_add_u32_e32 v1, s6, v1
	global_store_dword v0, v1, s[4:5]
	s_mov_b64 exec, 1
	global_store_dword v3, v2, s[8:9]
	s_endpgm
	.data
	.p2align 2
	.globl launches
	.type launches,@object
launches:
	.long 0
	.size launches, 4
	.section .rodata,"a"
	.amdhsa_kernel counting
		.amdhsa_kernarg_size 12
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_next_free_vgpr 4
		.amdhsa_next_free_sgpr 16
		.amdhsa_accum_offset 4
	.end_amdhsa_kernel
"#;

const EXTENT: Extent = Extent { grid: [1; 3], block: [64, 1, 1], cluster: None, dynamic_lds: 0 };

fn loaded(device: &mut Device) -> ModuleId {
    let input = input::from_bytes("counting.s".to_owned(), None, COUNTING.into(), Some(Lang::Asm)).unwrap();
    device.load(&mut SourceMap::new(), &input, &RunOptions::default()).unwrap()
}

fn launch(device: &mut Device, module: ModuleId, address: u64, step: u32) -> Report {
    let argument = |name, passed| Argument { name, span: None, passed };
    let step = step.to_le_bytes();
    let arguments = [argument("data", Passed::Address(address)), argument("step", Passed::Value(&step))];
    let arguments = Arguments::Values(&arguments);
    device.launch(module, None, &EXTENT, arguments, &RunOptions::default()).unwrap()
}

fn dwords(device: &mut Device, address: u64) -> Vec<u32> {
    let bytes = device.read(address, 256).unwrap();
    bytes.chunks_exact(4).map(|dword| u32::from_le_bytes(dword.try_into().unwrap())).collect()
}

fn message(failure: Failure) -> String {
    match failure {
        Failure::Unusable(diagnostics) => diagnostics[0].message.clone(),
        Failure::Unsupported(what) => what,
    }
}

#[test]
fn memory_and_variables_stay() {
    let mut device = Device::new();
    let module = loaded(&mut device);
    assert_eq!(device.kernels(module).collect::<Vec<_>>(), ["counting"]);
    let address = device.allocate("data", vec![0; 512]);
    // The second half of the same memory, by its address alone.
    let half = address + 256;
    assert_eq!(launch(&mut device, module, address, 10).outcome, Outcome::Clean);
    assert_eq!(launch(&mut device, module, address, 10).outcome, Outcome::Clean);
    let report = launch(&mut device, module, half, 100);
    assert_eq!((report.target.as_str(), report.kernel.as_str()), ("gfx950", "counting"));
    assert_eq!(report.stats.workgroups, 1);
    assert_eq!(dwords(&mut device, address), [21; 64]);
    assert_eq!(dwords(&mut device, half), [102; 64]);

    device.write(half, &[0; 256]).unwrap();
    let segment = [&half.to_le_bytes()[..], &7u32.to_le_bytes()].concat();
    let options = RunOptions::default();
    device.launch(module, Some("counting"), &EXTENT, Arguments::Segment(&segment), &options).unwrap();
    assert_eq!(dwords(&mut device, half), [10; 64]);
}

#[test]
fn what_is_wrong_is_told() {
    let mut device = Device::new();
    let module = loaded(&mut device);
    let address = device.allocate("data", vec![0; 128]);
    let report = launch(&mut device, module, address, 0);
    assert_eq!(report.outcome, Outcome::Findings);
    assert!(report.findings.iter().any(|finding| finding.class == Class::OutOfBounds), "{report:?}");
    device.free(address).unwrap();
    assert!(device.free(address).is_err());
    assert!(device.read(address, 1).unwrap_err().message.contains("data (freed)"));
    assert!(device.write(address, &[0]).is_err());

    let options = RunOptions::default();
    let short = device.launch(module, None, &EXTENT, Arguments::Segment(&[0; 4]), &options).unwrap_err();
    assert_eq!(message(short), "counting has 12 bytes of arguments, found 4");
    let segment = Arguments::Segment(&[0; 12]);
    let other = device.launch(module, Some("count"), &EXTENT, segment, &options).unwrap_err();
    assert_eq!(message(other), "counting.s has no kernel `count`");
    let large = Extent { block: [2048, 1, 1], ..EXTENT };
    let large = device.launch(module, None, &large, segment, &options).unwrap_err();
    assert!(message(large).contains("a workgroup of 2048 work-items"));
    let several = RunOptions { schedules: 2, ..options };
    assert!(device.launch(module, None, &EXTENT, segment, &several).is_err());
}

#[test]
fn launches_leave_nothing_behind() {
    let mut device = Device::new();
    let module = loaded(&mut device);
    let mut first = None;
    for _ in 0..100 {
        let address = device.allocate("data", vec![0; 256]);
        assert_eq!(*first.get_or_insert(address), address);
        launch(&mut device, module, address, 1);
        device.take_back(address);
        assert!(device.read(address, 1).is_err());
    }
}

#[test]
fn a_variable_has_a_place_until_its_module_is_unloaded() {
    let mut device = Device::new();
    let module = loaded(&mut device);
    let (address, size) = device.variable(module, "launches").unwrap();
    assert_eq!((size, device.read(address, 4).unwrap()), (4, &[0u8; 4][..]));
    assert!(device.variable(module, "counting").unwrap_err().message.contains("counting"));
    device.initialise(address, &7u32.to_le_bytes()).unwrap();
    let (base, len) = device.allocation(address).unwrap();
    assert!(base <= address && address + 4 <= base + len);
    let (kernel, metadata) = device.kernel(module, Some("counting")).unwrap();
    assert_eq!((kernel.name.as_str(), metadata.is_none()), ("counting", true));

    let other = loaded(&mut device);
    device.unload(module).unwrap();
    assert!(device.unload(module).is_err() && device.variable(module, "launches").is_err());
    assert!(device.read(address, 4).is_err() && device.allocation(address).is_none());
    assert!(device.initialise(address, &[0; 4]).is_err());
    assert_eq!(device.kernels(module).count(), 0);
    let (address, _) = device.variable(other, "launches").unwrap();
    assert_eq!(device.read(address, 4).unwrap(), [0; 4]);
}
