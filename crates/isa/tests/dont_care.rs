//! Bits that mean nothing: encodings that LLVM 22's disassembler reads though its assembler would not write them.
//! Compilers and other assemblers have left such bits in real objects.

use wavemark_isa::{DecodeError, Inst, Machine, decode, decode_as_executed, print};

/// Processor, bytes, text.
const WORDS: &[(&str, &str, &str)] = &[
    // The source of v_nop, and its SDWA dword where there is one.
    ("gfx801", "0800007e", "v_nop"),
    ("gfx900", "0800007e", "v_nop"),
    ("gfx1030", "0800007e", "v_nop"),
    ("gfx1100", "0800007e", "v_nop"),
    ("gfx1250", "0800007e", "v_nop"),
    ("gfx801", "f900007e00060000", "v_nop"),
    ("gfx1100", "f900007e", "v_nop"),
    // The sign and absolute-value bits of DPP for sources that take neither.
    (
        "gfx90a",
        "fa72dd70f901650e",
        "v_dot2c_i32_i16_dpp v110, v249, v185 row_shl:1 row_mask:0x0 bank_mask:0xe",
    ),
    (
        "gfx1030",
        "fa00811bb46055a6",
        "v_dot4c_i32_i8_dpp v192, v180, v128 row_xmask:0 row_mask:0xa bank_mask:0x6 fi:1",
    ),
    (
        "gfx801",
        "faaec86652405be5",
        "v_ldexp_f16_dpp v100, -v82, v87 row_mirror row_mask:0xe bank_mask:0x5 bound_ctrl:1",
    ),
    // op_sel of instructions without, the parameter of v_interp_mov beyond those that there are.
    ("gfx900", "040801d108210200", "v_add_f32_e64 v4, v8, v16"),
    ("gfx801", "560072d25c440e07", "v_interp_mov_f32_e64 v86, invalid_param_290, attr28.y"),
    // A reserved bit of SDWA.
    (
        "gfx1010",
        "f9b21e7ef4035140",
        "v_frexp_mant_f16_sdwa v15, -v244 dst_sel:BYTE_3 dst_unused:UNUSED_PAD src0_sel:BYTE_1",
    ),
];

/// As above, but read by the hardware alone: operand fields of operands that the instruction does not have.
const EXECUTED: &[(&str, &str, &str)] = &[
    // The destination of an atomic that returns nothing, the second data of a store of one.
    ("gfx90a", "000000d80a010002", "ds_add_u32 v10, v1"),
    ("gfx1100", "000020d80a010002", "ds_max_u32 v10, v1"),
    ("gfx1201", "000034d80a010300", "ds_store_b32 v10, v1"),
    // The second source of a move.
    ("gfx1100", "0a0520ca0c1b1414", "v_dual_mov_b32 v20, v10 :: v_dual_add_nc_u32 v21, v12, v13"),
    ("gfx1250", "0a0520ca0c1b1414", "v_dual_mov_b32 v20, v10 :: v_dual_add_nc_u32 v21, v12, v13"),
];

#[test]
fn bits_without_meaning_are_read_over() {
    for (processor, hex, text) in WORDS {
        let (machine, bytes) = (machine(processor), unhex(hex));
        check(machine, decode(machine, &bytes).as_ref(), hex, text);
    }
}

#[test]
fn operands_that_there_are_not_are_ignored_by_the_hardware() {
    for (processor, hex, text) in EXECUTED {
        let (machine, bytes) = (machine(processor), unhex(hex));
        assert!(decode(machine, &bytes).is_err(), "{processor} {hex}");
        check(machine, decode_as_executed(machine, &bytes).as_ref(), hex, text);
    }
}

fn machine(processor: &str) -> Machine {
    Machine::parse(processor, "").expect("processor")
}

fn unhex(hex: &str) -> Vec<u8> {
    (0..hex.len() / 2).map(|n| u8::from_str_radix(&hex[2 * n..2 * n + 2], 16).expect("hex")).collect()
}

fn check(machine: Machine, inst: Result<&Inst, &DecodeError>, hex: &str, text: &str) {
    let inst = inst.unwrap_or_else(|error| panic!("{machine:?} {hex}: {error}"));
    assert_eq!(print(machine, inst), *text, "{machine:?} {hex}");
    assert_eq!(usize::from(inst.size) * 2, hex.len(), "{machine:?} {hex}");
}
