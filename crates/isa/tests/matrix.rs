//! The matrix family and VOPD: what the assembler refuses, what only the decoder takes, and that any bytes
//! decode to an error or to an instruction that survives a round trip.

use expect_test::{Expect, expect};
use wavemark_isa::{DecodeError, Machine, NoSymbols, decode, encode, parse, print};
use wavemark_target::Processor;

fn gfx950() -> Machine {
    Machine::new(Processor::Gfx950)
}

fn gfx1250() -> Machine {
    Machine::parse("gfx1250", "+real-true16").expect("a machine")
}

/// Assembles each line; what comes out is its bytes or the error with its column.
fn check(machine: Machine, lines: &[&str], expect: Expect) {
    let mut out = String::new();
    for line in lines {
        let result = match parse(machine, line, &NoSymbols) {
            Ok(parsed) => match encode(machine, &parsed.inst) {
                Ok(bytes) => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
                Err(error) => error.to_string(),
            },
            Err(error) => error.to_string(),
        };
        out += &format!("{result}\n");
    }
    expect.assert_eq(&out);
}

fn disassembled(machine: Machine, hex: &str) -> Result<String, DecodeError> {
    let bytes: Vec<u8> =
        (0..hex.len() / 2).map(|n| u8::from_str_radix(&hex[2 * n..2 * n + 2], 16).expect("hex")).collect();
    decode(machine, &bytes).map(|inst| print(machine, &inst))
}

#[test]
fn pairs_keep_the_rules_of_their_encoding() {
    check(
        gfx1250(),
        &[
            // 8 bytes; then destinations of the same parity, signs, X instructions of VOPD3: 12 bytes.
            "v_dual_add_f32 v0, v1, v2 :: v_dual_mul_f32 v3, v4, v5",
            "v_dual_add_f32 v0, v1, v2 :: v_dual_mul_f32 v2, v4, v5",
            "v_dual_add_f32 v0, -v1, v2 :: v_dual_add_f32 v5, v2, v3",
            "v_dual_add_nc_u32 v0, v1, v2 :: v_dual_add_nc_u32 v5, v2, v3",
            // The same register is no conflict.
            "v_dual_add_f32 v0, v1, v2 :: v_dual_mul_f32 v3, v1, v2",
            "v_dual_add_f32 v0, v1, v2 :: v_dual_mul_f32 v3, v5, v6",
            "v_dual_add_f32 v0, v1, v2 :: v_dual_mul_f32 v3, v4, v6",
            "v_dual_fmamk_f32 v0, v1, 1.0, v2 :: v_dual_fmamk_f32 v3, s2, 1.0, v6",
            "v_dual_fmac_f32 v0, v1, v2 :: v_dual_fma_f32 v3, v2, v3, v4",
            // Two moves read different ports.
            "v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v5, v5",
            "v_dual_fma_f32 v0, v1, v2, v3 :: v_dual_fma_f32 v0, v2, v3, v4",
            "v_dual_fma_f64 v[0:1], v[2:3], v[4:5], v[6:7] :: v_dual_fma_f32 v1, v5, v6, v9",
            // A literal needs the 8-byte encoding.
            "v_dual_add_f32 v0, 100, v2 :: v_dual_add_f32 v4, v2, v3",
            "v_dual_add_f32 v0, 0x12345678, v2 :: v_dual_fmaak_f32 v3, v4, v5, 0x12345677",
            "v_dual_cndmask_b32 v0, s3, v2 :: v_dual_cndmask_b32 v5, s1, v3",
            "v_dual_add_f32 v0, v1, v2 :: v_dual_add_f32 v5, |v2|, v3",
            "v_dual_mov_b32 v0, v1",
            "v_dual_mov_b32 v0, v1 :: v_mov_b32 v1, v2",
        ],
        expect![[r#"
            010506c9040b0200
            013110cf0401020000050002
            014110cf0203020000030005
            010141cf0201020000030005
            010506c901050200
            49: src0 operands must use different VGPR banks
            53: src1 operands must use different VGPR banks
            67: src2 operands must use different VGPR banks
            58: src2 operands must use different VGPR banks
            010110ca05010400
            49: dst registers must be distinct
            65: dst registers must be distinct
            46: one dst register must be even and the other odd
            67: only one unique literal operand is allowed
            57: invalid operand (violates constant bus restrictions)
            49: ABS not allowed in VOPD3 instructions
            1: too few operands for instruction
            26: invalid VOPDY instruction
        "#]],
    );
}

#[test]
fn matrix_operands_of_gfx950() {
    check(
        gfx950(),
        &[
            "v_mfma_f32_16x16x32_f16 v[0:3], v[4:7], a[8:11], 1.0",
            "v_mfma_f32_16x16x32_f16 v[0:3], v[4:7], v[8:11], a[0:3]",
            "v_mfma_f32_16x16x32_f16 a[1:4], a[0:3], a[8:11], 1.0",
            "v_mfma_f32_16x16x32_f16 v[0:3], v[4:7], v[8:11], 1.5",
            "v_mfma_f32_32x32x1_2b_f32 v[0:31], v70, v40, v[2:33]",
            "v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[4:7], v[12:15], v[20:23] blgp:4",
            "v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[4:9], v[12:15], v[20:23] cbsz:2 blgp:4",
            "v_mfma_f64_16x16x4_f64 v[0:7], v[8:9], v[10:11], v[0:7] blgp:1",
            "v_mfma_f32_16x16x32_f16 v[0:3], v[4:7], v[8:11], 0 cbsz:8",
            "v_mfma_scale_f32_16x16x128_f8f6f4 v[0:3], v[4:11], v[12:19], v[20:23], s24, v25",
            "v_dot2_f32_f16 v0, v1, v2, v3 op_sel:[0,1,0]",
            "v_pk_add_f16 v1, s2, s3",
            "v_pk_add_f16 v1, s2, 0x12345678",
            "v_pk_add_f16 v1, -v2, v3",
        ],
        expect![[r#"
            0000d4d30411ca13
            50: invalid operand for instruction: srcc takes a VGPR or AGPR like v[0:3] or a[0:3] with an even number (of the destination's kind) or an inline constant
            25: invalid operand for instruction: mdst takes a VGPR or AGPR like v[0:3] or a[0:3] with an even number
            50: invalid operand for instruction: srcc takes a VGPR or AGPR like v[0:3] or a[0:3] with an even number (of the destination's kind) or an inline constant
            46: source 2 operand must not partially overlap with dst
            37: wrong register tuple size: the data format takes 8 registers
            0002add304195284
            57: not a valid operand.
            52: invalid cbsz value.
            72: invalid operand for instruction: vscalea takes a VGPR like v0
            31: invalid op_sel operand
            22: invalid operand (violates constant bus restrictions)
            22: literal operands are not supported
            18: invalid operand for instruction: src0 takes a register like v0 or s0, or an inline constant
        "#]],
    );
}

#[test]
fn matrix_operands_of_gfx1250() {
    check(
        gfx1250(),
        &[
            "v_wmma_f32_16x16x32_f16 v[0:7] v[8:15] v[16:23] v[0:7]",
            "v_wmma_f32_16x16x32_f16 v[0:7], v[8:15], v[16:23], 64",
            "v_wmma_f32_16x16x32_f16 v[0:7], v[8:15], v[16:23], 100",
            "v_wmma_f32_16x16x32_f16 v[1:8], v[8:15], v[16:23], 1.0",
            "v_wmma_i32_16x16x64_iu8 v[0:7], v[8:15], v[16:23], v[0:7] neg_lo:[0,0,1]",
            "v_swmmac_f32_16x16x64_f16 v[0:7], v[8:15], v[16:31], v32 index_key:2",
            "v_wmma_f32_16x16x128_f8f6f4 v[0:7], v[8:23], v[24:39], v[0:7] matrix_a_fmt:MATRIX_FMT_FP6",
            "v_wmma_f32_16x16x128_f8f6f4 v[0:7], v[8:23], v[24:31], v[0:7] matrix_b_fmt:5",
            "v_wmma_f32_16x16x32_f16 v[0:7], v[8:15], v[16:23], v[0:7] matrix_b_reuse matrix_a_reuse",
            "v_pk_mul_f32 v[0:1], s[2:3], v[2:3]",
            "v_pk_mul_f32 v[0:1], s[2:3], v[2:3] op_sel_hi:[0,1]",
            "v_pk_mul_f32 v[0:1], 1.5, 2.5",
        ],
        expect![[r#"
            000060cc0821021c
            000060cc0821021b
            52: invalid operand for instruction: srcc takes a VGPR like v[0:7] with an even number (of the destination's kind) or an inline constant
            25: invalid operand for instruction: vdst takes a VGPR like v[0:7] with an even number
            59: invalid neg_lo operand
            58: invalid index_key value.
            37: wrong register tuple size: the data format takes 12 registers
            63: invalid matrix_b_fmt value
            74: not a valid operand.
            36: invalid op_sel operand: a scalar pair feeds its low half to both results
            004028cc02040210
            27: only one unique literal operand is allowed
        "#]],
    );
}

#[test]
fn other_names_assemble() {
    check(
        gfx950(),
        &[
            "v_mfma_f32_16x16x16bf16_1k v[0:3], v[32:33], v[64:65], v[0:3]",
            "v_mfma_f64_4x4x4f64 a[0:1], v[40:41], v[60:61], a[0:1]",
            "v_accvgpr_read v0, acc1",
        ],
        expect![[r#"
            0000e1d320810204
            0080efd328790204
            0040d8d301010018
        "#]],
    );
    check(
        gfx1250(),
        &["v_dot4_i32_i8 v0, v1, v2, v3", "v_pk_max_f16 v0, v1, v2"],
        expect![[r#"
            004016cc01050e1c
            00401ccc01050218
        "#]],
    );
}

#[test]
fn scale_loads_decode_whatever_their_third_source_is() {
    // LLVM 22 takes 0x100 alone; compilers have written 0x80, an inline 0.
    for source in [0x100u32, 0x80, 0] {
        let dwords = [0xcc35_0000u32, 0x0002_0501 | source << 18, 0xcc33_0000, 0x0402_8120];
        let bytes: Vec<u8> = dwords.iter().flat_map(|dword| dword.to_le_bytes()).collect();
        let inst = decode(gfx1250(), &bytes).expect("decodes");
        assert_eq!(inst.size, 16);
        assert_eq!(
            print(gfx1250(), &inst),
            "v_wmma_scale_f32_16x16x128_f8f6f4 v[0:7], v[32:47], v[64:79], v[0:7], v1, v2"
        );
        let kept = if source == 0x80 { 0x0202_0501u32 } else { 0x0402_0501 };
        assert_eq!(encode(gfx1250(), &inst).expect("encodes")[4..8], kept.to_le_bytes());
    }
}

#[test]
fn reserved_encodings_are_named() {
    let mut out = String::new();
    for (machine, hex) in [
        // An unknown opcode of X, a bit of an absent source, one dword too few.
        (gfx1250(), "010586cb040b0200"),
        (gfx1250(), "010b10ca02070000"),
        (gfx1250(), "ff0402c9"),
        (gfx1250(), "ff0402c9040b0200"),
        (gfx1250(), "002833cc0831020c"),
        (gfx950(), "0009add304195204"),
    ] {
        out += &match disassembled(machine, hex) {
            Ok(text) => format!("{text}\n"),
            Err(error) => format!("{error}\n"),
        };
    }
    expect![[r#"
        unknown opcode 0xe of VOPDX
        unknown opcode 0x8 of VOPDX
        instruction is truncated: 8 bytes needed, 4 left
        instruction is truncated: 12 bytes needed, 8 left
        v_wmma_f32_16x16x128_f8f6f4: reserved matrix data format
        unknown opcode 0x2d of MAI_F64
    "#]]
    .assert_eq(&out);
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

#[test]
fn any_bytes_decode_or_are_refused() {
    let seed = 0x5eed_0001;
    let mut random = Random(seed);
    let mut decoded = 0u32;
    for round in 0..60_000 {
        // Words of the family's formats, so that most rounds get past the opcode.
        let (machine, top) = match round % 4 {
            0 => (gfx950(), 0xd380_0000u32),
            1 => (gfx1250(), 0xcc00_0000),
            2 => (gfx1250(), 0xc800_0000),
            _ => (gfx1250(), 0xcf00_0000),
        };
        let keep = if top == 0xd380_0000 { 0x007f_ffff } else { 0x00ff_ffff };
        let mut bytes = Vec::new();
        for _ in 0..2 {
            let bits = random.next();
            bytes.extend_from_slice(&(top | (bits as u32 & keep)).to_le_bytes());
            bytes.extend_from_slice(&((bits >> 32) as u32).to_le_bytes());
        }
        bytes.truncate((random.next() % 17) as usize);
        let Ok(inst) = decode(machine, &bytes) else { continue };
        decoded += 1;
        let text = print(machine, &inst);
        let again = match encode(machine, &inst) {
            Ok(again) => again,
            Err(error) => panic!("seed {seed:#x} round {round}: {bytes:02x?} `{text}`: {error}"),
        };
        assert_eq!(
            again.len(),
            usize::from(inst.size),
            "seed {seed:#x} round {round}: {bytes:02x?} `{text}`"
        );
        assert_eq!(
            decode(machine, &again),
            Ok(inst),
            "seed {seed:#x} round {round}: {bytes:02x?} `{text}` {again:02x?}"
        );
    }
    assert!(decoded > 5_000, "only {decoded} decoded");
}

/// What scaled multiplications begin with is an instruction by itself, if they are none.
#[test]
fn a_scale_load_stands_alone_where_no_multiplication_follows() {
    let text = |machine, hex| disassembled(machine, hex).expect("an instruction");
    assert_eq!(
        text(gfx950(), "0000acd30e2d02001008aed317fdf91a"),
        "v_mfma_ld_scale_b32 v14, v22 op_sel_hi:[0,0]"
    );
    assert_eq!(
        text(gfx1250(), "004135cc03f50004164488cceb7ed61f"),
        "v_wmma_ld_scale_paired_b32 v3, ttmp14 matrix_b_scale_fmt:MATRIX_SCALE_FMT_E5M3 matrix_b_reuse"
    );
}
