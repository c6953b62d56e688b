//! Every row of the instruction table is bound, or listed with its reason in `without_meaning.txt`.
//!
//! Of each encoding of a row samples are decoded, with random bits where the row leaves them open; a row has a
//! meaning if a sample of each of its encodings binds. The Y half of a pair is sampled with its X half.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use wavemark_isa::{Encoding, Form, Inst, Isa, Row, RowId, Table, decode};
use wavemark_sim::Segment;
use wavemark_sim::binder::Layout;
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

/// An encoding of a row that was bound or refused.
type Key = (RowId, Form);

/// Binds samples of the encoding and notes which halves were seen.
fn sample(
    isa: Isa,
    row: &Row,
    encoding: &Encoding,
    random: &mut Random,
    seen: &mut BTreeMap<Key, Result<(), String>>,
) {
    let pair = matches!(encoding.form, Form::VopdX | Form::Vopd3X);
    let mut samples = 0;
    for attempt in 0..if pair { 10 * TRIES } else { TRIES } {
        let wide = u128::from(random.draw()) | u128::from(random.draw()) << 64;
        // Few bits at first: zeros mean s0 and v0, and few modifiers.
        let noise = match attempt {
            0 => 0,
            // Unused fields of a Y half must be 0.
            _ if pair => wide & (u128::from(random.draw()) | u128::from(random.draw()) << 64),
            1..100 => wide & u128::from(random.draw()) & (u128::from(random.draw()) | u128::MAX << 64),
            _ => wide,
        };
        let open = !(encoding.constant | encoding.required.0);
        let mut bits = encoding.constant | noise & open;
        if attempt % 2 == 1 {
            // VGPRs wherever a 9-bit source can be one.
            for (_, field) in &encoding.operands {
                if let Some(field) = field
                    && field.width() >= 9
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
        let result = bind(isa, &bytes[..usize::from(inst.size)]);
        let halves: Vec<&Inst> = std::iter::once(&inst).chain(inst.second.as_deref()).collect();
        for half in halves {
            let entry = seen.entry((half.row, half.form)).or_insert_with(|| result.clone());
            if result.is_ok() {
                *entry = Ok(());
            }
        }
        samples += 1;
        // All Y halves are met only by trying long.
        if !pair && (result.is_ok() || samples == SAMPLES) {
            return;
        }
    }
}

/// `isa name` of the rows that are refused, or have an encoding that is.
fn refused() -> BTreeSet<String> {
    let mut random = Random::new(1);
    let mut refused = BTreeSet::new();
    for isa in [Isa::Gfx950, Isa::Gfx1250] {
        let mut seen = BTreeMap::new();
        let rows: Vec<_> = Table::of(isa).rows().collect();
        for row in rows.iter().copied() {
            for encoding in &row.encodings {
                sample(isa, row, encoding, &mut random, &mut seen);
            }
        }
        for row in rows.iter().copied() {
            for encoding in &row.encodings {
                match seen.get(&(row.id, encoding.form)) {
                    Some(Ok(())) => {}
                    Some(Err(_)) => {
                        refused.insert(format!("{} {}", isa.name(), row.mnemonic));
                    }
                    None => panic!("{} {} {:?}: no sample decodes", isa.name(), row.mnemonic, encoding.form),
                }
            }
        }
    }
    refused
}

/// The list: sections of a reason (`# …`) and the rows that it is the reason of.
fn listed() -> BTreeMap<String, String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/without_meaning.txt");
    let text = std::fs::read_to_string(&path).expect("tests/without_meaning.txt");
    let mut reason = "";
    let mut rows = BTreeMap::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        match line.strip_prefix("# ") {
            Some(text) => reason = text,
            None => {
                assert!(!reason.is_empty(), "{line} has no reason");
                let (isa, names) = line.split_once(' ').expect("ISA NAME…");
                for name in names.split_whitespace() {
                    let twice = rows.insert(format!("{isa} {name}"), reason.to_owned());
                    assert!(twice.is_none(), "{isa} {name} is listed twice");
                }
            }
        }
    }
    rows
}

#[test]
fn every_row_has_a_meaning_or_a_reason() {
    let (refused, listed) = (refused(), listed());
    let missing: Vec<_> = refused.iter().filter(|name| !listed.contains_key(*name)).collect();
    let obsolete: Vec<_> = listed.keys().filter(|name| !refused.contains(*name)).collect();
    assert!(
        missing.is_empty() && obsolete.is_empty(),
        "without meaning and not in tests/without_meaning.txt: {missing:#?}\nlisted, but bound: {obsolete:#?}"
    );
    assert!(listed.len() <= 134, "{} rows without meaning", listed.len());
}
