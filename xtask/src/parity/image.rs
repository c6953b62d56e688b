//! Random statements of image instructions: those whose operands' sizes follow from their modifiers, so that changing an
//! operand of a decoded instruction would mostly make nonsense of it.
//!
//! Sizes fit more often than not. They come from a table of dimensions and a reading of the row's `address=` of their
//! own: what the assembler believes about sizes is what is to be tested.

use wavemark_filetests::random::Random;
use wavemark_isa::{Row, Table};

use super::generate::register;

/// Name, coordinates, derivatives.
const DIMENSIONS: [(&str, usize, usize); 8] = [
    ("1D", 1, 2),
    ("2D", 2, 4),
    ("3D", 3, 6),
    ("CUBE", 3, 4),
    ("1D_ARRAY", 2, 2),
    ("2D_ARRAY", 3, 4),
    ("2D_MSAA", 3, 4),
    ("2D_MSAA_ARRAY", 4, 4),
];

const HINTS: &[&str] = &[
    "th:TH_LOAD_NT",
    "th:TH_LOAD_HT",
    "th:TH_LOAD_LU",
    "th:TH_LOAD_BYPASS",
    "th:TH_LOAD_NT_HT",
    "th:TH_STORE_NT",
    "th:TH_STORE_HT",
    "th:TH_STORE_RT_NT",
    "th:TH_ATOMIC_RETURN",
    "th:TH_ATOMIC_NT_RETURN",
    "th:TH_ATOMIC_CASCADE_NT",
    "th:TH_DEFAULT",
];

const SCOPES: &[&str] =
    &["scope:SCOPE_CU", "scope:SCOPE_SE", "scope:SCOPE_DEV", "scope:SCOPE_SYS", "scope:2"];

/// A statement of a random row of the table, if that is an image instruction.
pub fn statement(random: &mut Random, table: &Table) -> Option<String> {
    let row = table.row(table.ids()[random.below(table.ids().len())]);
    (row.attribute("address").is_some() && !row.encodings.is_empty()).then(|| of_row(random, row))
}

fn of_row(random: &mut Random, row: &Row) -> String {
    let has = |name: &str| row.encodings[0].format.field(name).is_some();
    let address = row.attribute("address").unwrap_or_default();
    let ray = address.starts_with("node");
    let multisampled = row.mnemonic.contains("msaa");
    let dimension = if multisampled { 6 + random.below(2) } else { random.below(8) };
    let on = |random: &mut Random, name: &str, n: usize| has(name) && random.one_in(n);
    let (a16, d16, tfe) = (on(random, "a16", 3), on(random, "d16", 5), on(random, "tfe", 5));

    let dmask = dmask(random, row);
    let mut data = match row.mnemonic {
        _ if ray => usize::from(row.operands[0].ty.dwords()),
        name if name.contains("gather4") || name.contains("msaa") => 4,
        _ => (dmask & 15).count_ones().max(1) as usize,
    };
    if !ray {
        data = if d16 { data.div_ceil(2) } else { data } + usize::from(tfe);
    }
    let (mut words, parts) = address_words(address, dimension, a16);
    if !has("dim") && !ray {
        // The encoding does not know the dimension.
        let own = if address.contains("gradients") { 2 + random.below(9) } else { 1 + random.below(4) };
        words = parts.len() + own;
    }
    if random.one_in(16) {
        words = 1 + random.below(13);
    }
    if random.one_in(16) {
        data = 1 + random.below(5);
    }

    let vdata = if random.one_in(20) { "off".to_owned() } else { tuple(random, data) };
    let vaddr = addresses(random, words, &parts, ray);
    let mut line = format!("{} {vdata}, {vaddr}", row.mnemonic);
    for operand in &row.operands[2..] {
        line += &format!(", {}", scalar(random, usize::from(operand.ty.dwords())));
    }
    let mut modifiers = Vec::new();
    if !ray || random.one_in(30) {
        modifiers.push(format!("dmask:{dmask:#x}"));
        if has("dim") && !random.one_in(60) {
            let prefix = if random.one_in(5) { "" } else { "SQ_RSRC_IMG_" };
            modifiers.push(format!("dim:{prefix}{}", DIMENSIONS[dimension].0));
        }
    }
    let first = modifiers.len();
    for name in ["unorm", "glc", "slc", "dlc", "scc", "th", "scope", "r128", "a16", "tfe", "lwe", "da", "d16"]
    {
        let said = match name {
            "a16" => a16,
            "tfe" => tfe,
            "d16" => d16,
            // One in a while that the instruction does not have.
            _ => on(random, name, 5) || random.one_in(200),
        };
        if said && (!ray || name == "a16") {
            modifiers.push(match name {
                "th" => random.pick(HINTS).to_owned(),
                "scope" => random.pick(SCOPES).to_owned(),
                name => name.to_owned(),
            });
        }
    }
    if modifiers.len() > first + 1 && random.one_in(40) {
        modifiers[first..].reverse();
    }
    for modifier in modifiers {
        line += if random.one_in(40) { ", " } else { " " };
        line += &modifier;
    }
    line
}

fn dmask(random: &mut Random, row: &Row) -> usize {
    match row.mnemonic {
        _ if random.one_in(8) => random.below(18),
        name if name.contains("cmpswap") => [3, 15][random.below(2)],
        name if name.contains("atomic") => [1, 3][random.below(2)],
        name if name.contains("gather4") || name.contains("msaa") => 1 << random.below(4),
        _ => 1 + random.below(15),
    }
}

/// Registers of the address, and the sizes of the parts that do not depend on the dimension.
fn address_words(address: &str, dimension: usize, a16: bool) -> (usize, Vec<usize>) {
    let (_, coords, gradients) = DIMENSIONS[dimension];
    let (mut words, mut packed, mut parts) = (0, 0, Vec::new());
    for part in address.split('+') {
        match part {
            "coords" => packed += coords,
            "lod" | "clamp" | "mip" => packed += 1,
            "gradients" => words += gradients,
            "gradients16" => words += (gradients / 2).next_multiple_of(2),
            "node64" | "extent_mask" | "offsets" => parts.push(2),
            "inverse" if a16 => {}
            "origin" | "direction" | "inverse" => parts.push(3),
            _ => parts.push(1),
        }
    }
    words += parts.iter().sum::<usize>() + if a16 { packed.div_ceil(2) } else { packed };
    (words, parts)
}

/// An address of so many registers: a tuple, a list, a list that ends in a tuple.
fn addresses(random: &mut Random, words: usize, parts: &[usize], ray: bool) -> String {
    let most = match random.below(10) {
        0..=3 if words != 13 => return tuple(random, words),
        4..=5 if ray => return list(random, parts),
        6 => 4,
        7 => 5,
        8 => 3,
        _ => words,
    };
    let singles = words.min(most) - usize::from(words > most);
    let mut sizes = vec![1; singles];
    sizes.extend((words > singles).then(|| words - singles));
    list(random, &sizes)
}

fn list(random: &mut Random, sizes: &[usize]) -> String {
    let tuples: Vec<String> = sizes.iter().map(|&size| tuple(random, size)).collect();
    format!("[{}]", tuples.join(", "))
}

fn tuple(random: &mut Random, size: usize) -> String {
    let first = match random.below(8) {
        0 => random.below(257 - size),
        _ => 2 * random.below(100) + usize::from(random.one_in(5)),
    };
    register("v", first, size)
}

/// A resource or sampler, mostly.
fn scalar(random: &mut Random, size: usize) -> String {
    const OTHERS: &[&str] = &["vcc", "exec", "null", "m0", "s0", "s[0:3]", "s[0:7]", "v[0:7]", "0", "off"];
    match random.below(16) {
        0 => register("ttmp", 4 * random.below(4), 4 << random.below(2)),
        1 => register("s", random.below(100), size),
        2 => random.pick(OTHERS).to_owned(),
        _ => register("s", 4 * random.below(25), size),
    }
}
