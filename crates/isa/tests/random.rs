//! Random bytes and random text: nothing panics, and what is decoded is stable.
//!
//! * bytes that decode print as something, have effects, and, if they encode, encode to bytes that decode to the
//!   same instruction;
//! * text made of the assembler's own vocabulary parses or is refused with a column inside it.
//!
//! proptest prints the failing case and its seed.

use proptest::prelude::*;
use wavemark_isa::{Machine, NoSymbols, Table, decode, effects, encode, parse, print};
use wavemark_target::Processor;

fn machine() -> impl Strategy<Value = Machine> {
    let machines: Vec<Machine> = Processor::ALL
        .iter()
        .flat_map(|processor| {
            ["", "+real-true16", "+wavefrontsize64"]
                .map(|features| Machine::parse(processor.name(), features))
        })
        .filter_map(Result::ok)
        .collect();
    prop::sample::select(machines)
}

/// Leading dwords of real formats, so that most cases get past the format.
fn head(machine: Machine) -> impl Strategy<Value = u32> {
    let rows = Table::of(machine).ids().len();
    (0..rows, any::<prop::sample::Index>(), any::<u32>(), 0u32..4).prop_map(
        move |(row, index, noise, keep)| {
            let encodings = &Table::of(machine).row(Table::of(machine).ids()[row]).encodings;
            let fixed = encodings[index.index(encodings.len())].constant as u32;
            // Half the cases keep the upper bits, which hold format and opcode.
            if keep == 0 { noise } else { fixed | noise & (0x0000_01ff << (8 * (keep - 1))) }
        },
    )
}

fn bytes() -> impl Strategy<Value = (Machine, Vec<u8>)> {
    machine().prop_flat_map(|machine| {
        (Just(machine), head(machine), prop::collection::vec(any::<u8>(), 0..24)).prop_map(
            |(machine, head, tail)| {
                let mut bytes = head.to_le_bytes().to_vec();
                bytes.extend(tail);
                (machine, bytes)
            },
        )
    })
}

fn word() -> impl Strategy<Value = String> {
    let fixed = [
        "v0",
        "v255",
        "v256",
        "s0",
        "s[0:1]",
        "s[1:2]",
        "s[0:3]",
        "v[0:1]",
        "v[3:4]",
        "v[0:15]",
        "a0",
        "a[0:3]",
        "vcc",
        "vcc_lo",
        "exec",
        "m0",
        "null",
        "off",
        "scc",
        "ttmp3",
        "v1.l",
        "v2.h",
        "1.0",
        "-4.0",
        "0.1",
        "64",
        "65",
        "-17",
        "0x3c00",
        "0xffffffff",
        "0x123456789abc",
        "lit(1)",
        "lit64(1.0)",
        "foo",
        "foo@rel32@lo+4",
        "(1+2)*3",
        "|v3|",
        "-v3",
        "neg(v1)",
        "abs(s2)",
        "sext(v1)",
        "[s0,s1]",
        "[[[",
        "s[",
        "v[-1:9223372036854775807]",
        "((((((((((1",
        "offset:4",
        "offset:-4",
        "offset0:1",
        "offen",
        "idxen",
        "glc",
        "sc0",
        "nt",
        "sc1",
        "lds",
        "gds",
        "th:TH_LOAD_NT",
        "scope:SCOPE_SYS",
        "nv",
        "scale_offset",
        "clamp",
        "mul:2",
        "quad_perm:[0,1,2,3]",
        "row_shl:1",
        "row_mask:0xf",
        "bank_mask:0x3",
        "bound_ctrl:1",
        "fi:1",
        "dpp8:[7,6,5,4,3,2,1,0]",
        "dst_sel:BYTE_0",
        "op_sel:[0,1]",
        "op_sel_hi:[1,1]",
        "neg_lo:[1,0,0]",
        "neg_hi:[0,1]",
        "cbsz:3",
        "blgp:1",
        "abid:2",
        "byte_sel:1",
        "bitop3:0xca",
        "matrix_a_fmt:MATRIX_FMT_FP4",
        "hwreg(HW_REG_MODE, 0, 4)",
        "sendmsg(MSG_GS, GS_OP_CUT, 1)",
        "vmcnt(0)",
        "depctr_va_vdst(0)",
        "instid0(VALU_DEP_1)",
        "::",
        "format:[BUF_NUM_FORMAT_FLOAT]",
        "swizzle(SWAP,16)",
        "gpr_idx(SRC0)",
        "((UC_VERSION_GFX12",
        "é",
        "\"",
        "{",
        "}",
    ];
    prop::sample::select(fixed.to_vec()).prop_map(str::to_owned)
}

fn statement() -> impl Strategy<Value = (Machine, String)> {
    machine().prop_flat_map(|machine| {
        let rows = Table::of(machine).ids().len();
        let parts = prop::collection::vec(
            (word(), prop_oneof![3 => Just(", "), 1 => Just(" "), 1 => Just("")]),
            0..8,
        );
        let suffix = prop::sample::select(vec!["", "", "", "_e32", "_e64", "_dpp", "_sdwa", "_e64_dpp"]);
        (Just(machine), 0..rows, suffix, parts).prop_map(|(machine, row, suffix, parts)| {
            let mut text =
                format!("{}{suffix} ", Table::of(machine).row(Table::of(machine).ids()[row]).mnemonic);
            for (part, separator) in parts {
                text.push_str(&part);
                text.push_str(separator);
            }
            (machine, text)
        })
    })
}

/// 4000 cases, or as many as PROPTEST_CASES says.
fn config() -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    ProptestConfig { cases: asked.unwrap_or(4000), failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn bytes_decode_stably((machine, bytes) in bytes()) {
        let Ok(inst) = decode(machine, &bytes) else { return Ok(()) };
        prop_assert!(usize::from(inst.size) <= bytes.len());
        let text = print(machine, &inst);
        prop_assert!(!text.is_empty());
        let _ = effects(machine, &inst);
        let Ok(again) = encode(machine, &inst) else { return Ok(()) };
        let second = decode(machine, &again);
        prop_assert_eq!(second.as_ref(), Ok(&inst), "{} became {:02x?}", text, &again[..]);
    }

    #[test]
    fn any_prefix_is_refused_or_decoded((machine, bytes) in bytes()) {
        for length in 0..bytes.len() {
            let _ = decode(machine, &bytes[..length]);
        }
    }

    #[test]
    fn text_parses_or_is_refused_inside((machine, text) in statement()) {
        match parse(machine, &text, &NoSymbols) {
            Ok(parsed) => {
                let _ = encode(machine, &parsed.inst);
            }
            Err(error) => prop_assert!(error.column >= 1 && error.column as usize <= text.len() + 1, "{error}"),
        }
    }
}
