//! Every row of the instruction table is bound or refused by name: `unsupported.txt` lists what is refused.
//! `WAVEMARK_BLESS=1` writes the list anew.
//!
//! Of each encoding of a row samples are decoded, with random bits where the row leaves them open; a row is
//! supported if a sample binds.

use std::collections::BTreeMap;
use std::path::Path;

use wavemark_isa::{Encoding, Isa, Row, Table, decode};
use wavemark_sim::Segment;
use wavemark_sim::bind::Layout;
use wavemark_sim::machine::Random;
use wavemark_sim::op::{Detail, OpKind};
use wavemark_sim::program::Program;

/// How many bit patterns are tried per encoding, and how many samples that decode are bound.
const TRIES: usize = 4000;
const SAMPLES: usize = 40;

/// Binds the instruction that `bytes` starts with.
fn bind(isa: Isa, bytes: &[u8]) -> Result<(), String> {
    let layout = match isa {
        Isa::Gfx950 => Layout { chunks: 4, vgprs: 256, agprs: 256 },
        Isa::Gfx1250 => Layout { chunks: 2, vgprs: 1024, agprs: 0 },
    };
    let program = Program::new(isa, layout, Segment { base: 0, bytes: bytes.to_vec() }, 0);
    let op = &program.ops(0).ops[0];
    match (op.kind, op.detail.as_deref()) {
        (OpKind::Unsupported, Some(Detail::Unsupported(why))) => Err(why.clone()),
        (OpKind::Unsupported | OpKind::Unbound, _) => Err("not bound".to_owned()),
        _ => Ok(()),
    }
}

/// Whether a sample of the encoding binds; `None` if no bit pattern decodes to it.
fn sample(isa: Isa, row: &Row, encoding: &Encoding, random: &mut Random) -> Option<Result<(), String>> {
    let mut first = None;
    let mut samples = 0;
    for attempt in 0..TRIES {
        let wide = u128::from(random.draw()) | u128::from(random.draw()) << 64;
        // Few bits at first: zeros mean s0 and v0, and few modifiers.
        let noise = match attempt {
            0 => 0,
            1..100 => wide & u128::from(random.draw()) & (u128::from(random.draw()) | u128::MAX << 64),
            _ => wide,
        };
        let open = !(encoding.constant | encoding.required.0);
        let mut bits = encoding.constant | noise & open;
        if attempt % 2 == 1 {
            // VGPRs wherever a 9-bit source can be one.
            for (_, field) in &encoding.operands {
                if let Some(field) = field
                    && field.pieces.iter().map(|(_, width)| width).sum::<u8>() >= 9
                {
                    bits |= (field.put(0x100) ^ field.put(0)) & open;
                }
            }
        }
        let mut bytes = bits.to_le_bytes().to_vec();
        bytes.extend_from_slice(&[0; 16]);
        let Ok(inst) = decode(isa, &bytes) else { continue };
        if inst.row != row.id || inst.form != encoding.form {
            continue;
        }
        match bind(isa, &bytes[..usize::from(inst.size)]) {
            Ok(()) => return Some(Ok(())),
            Err(why) => {
                first.get_or_insert(why);
            }
        }
        samples += 1;
        if samples == SAMPLES {
            break;
        }
    }
    first.map(Err)
}

#[test]
fn every_row_is_bound_or_refused_by_name() {
    let mut refused: BTreeMap<String, String> = BTreeMap::new();
    let mut never = Vec::new();
    let mut random = Random::new(1);
    for isa in [Isa::Gfx950, Isa::Gfx1250] {
        for row in Table::of(isa).rows() {
            for encoding in &row.encodings {
                let name = format!("{} {} {:?}", isa.name(), row.mnemonic, encoding.form);
                match sample(isa, row, encoding, &mut random) {
                    // Y halves of pairs are sampled with their X halves; 16-byte encodings have two rows.
                    None => never.push(name),
                    Some(Ok(())) => {}
                    Some(Err(why)) => {
                        refused.insert(name, why);
                    }
                }
            }
        }
    }
    let mut text = String::new();
    for (name, why) in &refused {
        text += &format!("{name} | {why}\n");
    }
    for name in &never {
        text += &format!("{name} | no sample decodes\n");
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/unsupported.txt");
    if std::env::var_os("WAVEMARK_BLESS").is_some() {
        std::fs::write(&path, &text).unwrap();
        return;
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    let differences: Vec<String> = text
        .lines()
        .filter(|line| !expected.lines().any(|e| e == *line))
        .map(|line| format!("+ {line}"))
        .chain(
            expected.lines().filter(|line| !text.lines().any(|t| t == *line)).map(|line| format!("- {line}")),
        )
        .collect();
    assert!(
        differences.is_empty(),
        "{}\nbless with WAVEMARK_BLESS=1 cargo test -p wavemark-sim --test every_row",
        differences.join("\n")
    );
}
