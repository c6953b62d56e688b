//! Random instructions, made from the rows of the instruction table.
//!
//! First bytes: a row, one of its encodings, a code in each operand field that suits its class most of the time,
//! modifier bits most of them 0, and a literal where one is asked for. Then text: an instruction's own text with some
//! operands replaced by others of the same width (registers, constants, literals, symbols' places excepted), by
//! operands that may not fit, and with modifiers that its encoding has added.

use wavemark_filetests::random::Random;
use wavemark_isa::role::Class;
use wavemark_isa::{Encoding, Form, Machine, Row, Table};

/// Which lines and words are wanted.
#[derive(Clone, Copy)]
pub struct Wanted<'a> {
    /// Those that contain this.
    pub only: Option<&'a str>,
}

impl Wanted<'_> {
    /// Whether the text is wanted.
    pub fn has(self, text: &str) -> bool {
        self.only.is_none_or(|only| text.contains(only))
    }

    /// How often to try for one that is.
    pub fn tries(self) -> usize {
        if self.only.is_some() { 400 } else { 4 }
    }
}

/// The bytes of an instruction of a random row; not always valid.
pub fn bytes(random: &mut Random, machine: Machine) -> Vec<u8> {
    let table = Table::of(machine);
    let row = table.row(table.ids()[random.below(table.ids().len())]);
    if row.encodings.is_empty() {
        return vec![0; 4];
    }
    let encoding = &row.encodings[random.below(row.encodings.len())];
    let mut bits = encoding.constant;
    for &(index, field) in &encoding.operands {
        let Some(field) = field else { continue };
        let code = code(random, row, encoding, index, field.width() + u32::from(field.shift));
        bits = bits & !field.mask() | field.put(code);
    }
    for (field, _) in &encoding.modifiers {
        // Most modifiers stay as they are; a wide one (offset) more often than not has a value.
        if random.one_in(if field.width() > 6 { 2 } else { 6 }) {
            bits = bits & !field.mask()
                | field.put(random.bits() as u32 & ((1u64 << field.width().min(32)) - 1) as u32);
        }
    }
    // Fields that no operand and no modifier names: addresses of images, enabled sources of exports.
    for name in ["nsa", "vaddr1", "vaddr2", "vaddr3", "vaddr4", "en"] {
        if let Some(field) = encoding.format.field(name).filter(|_| !random.one_in(3)) {
            bits = bits & !field.mask() | field.put(random.bits() as u32 & ((1 << field.width()) - 1));
        }
    }
    if matches!(encoding.form, Form::VopdX | Form::VopdY | Form::Vopd3X | Form::Vopd3Y) {
        other_half(random, table, encoding.form, &mut bits);
    }
    let (mask, value) = encoding.required;
    bits = bits & !mask | value;
    let mut bytes = bits.to_le_bytes()[..usize::from(encoding.format.dwords) * 4].to_vec();
    // A literal where a source code asks for one; a second dword for those of 64 bits.
    // Addresses of images stand there as well.
    let image = encoding.format.field("nsa").is_some();
    for _ in 0..3 {
        let word = if image { random.bits() as u32 } else { literal(random) };
        bytes.extend(word.to_le_bytes());
    }
    bytes
}

/// The other half of a pair: a random row that has that form.
fn other_half(random: &mut Random, table: &Table, form: Form, bits: &mut u128) {
    let wanted = match form {
        Form::VopdX => Form::VopdY,
        Form::VopdY => Form::VopdX,
        Form::Vopd3X => Form::Vopd3Y,
        _ => Form::Vopd3X,
    };
    for _ in 0..64 {
        let row = table.row(table.ids()[random.below(table.ids().len())]);
        let Some(encoding) = row.encoding(wanted) else { continue };
        *bits |= encoding.constant;
        for &(index, field) in &encoding.operands {
            let Some(field) = field else { continue };
            let code = code(random, row, encoding, index, field.width() + u32::from(field.shift));
            *bits = *bits & !field.mask() | field.put(code);
        }
        return;
    }
}

fn code(random: &mut Random, row: &Row, encoding: &Encoding, index: usize, width: u32) -> u32 {
    let any = random.bits() as u32 & ((1u64 << width.min(32)) - 1) as u32;
    if random.one_in(24) {
        return any;
    }
    let spec = &row.operands[index];
    let align = |code: u32| match spec.ty.dwords() {
        1 => code,
        2 => code & !1,
        _ => code & !3,
    };
    match spec.class {
        Class::ScalarReg => align(random.below(104) as u32),
        Class::ScalarSrc | Class::VectorSrc if random.one_in(2) => scalar_code(random, encoding, align),
        Class::ScalarSrc => align(random.below(104) as u32),
        Class::VectorSrc | Class::VgprSrc => 256 + vgpr(random),
        Class::Vgpr | Class::VgprOrAgpr => vgpr(random),
        _ => any,
    }
}

fn vgpr(random: &mut Random) -> u32 {
    let number = if random.one_in(3) { random.below(256) } else { random.below(24) };
    if random.one_in(2) { number as u32 } else { number as u32 & !1 }
}

fn scalar_code(random: &mut Random, encoding: &Encoding, align: impl Fn(u32) -> u32) -> u32 {
    match random.below(6) {
        0 => 128 + random.below(81) as u32,
        1 => 240 + random.below(9) as u32,
        2 if encoding.format.literal => 255,
        3 => 106 + random.below(22) as u32,
        4 => 208 + random.below(48) as u32,
        _ => align(random.below(106) as u32),
    }
}

fn literal(random: &mut Random) -> u32 {
    match random.below(4) {
        0 => random.below(200) as u32,
        1 => (random.below(200) as f32).to_bits(),
        2 => random.bits() as u32 & 0xffff,
        _ => random.bits() as u32,
    }
}

/// `text`, an instruction, with some operands and modifiers changed.
pub fn vary(random: &mut Random, text: &str) -> String {
    let (mnemonic, rest) = text.split_once(' ').unwrap_or((text, ""));
    if rest.is_empty() {
        return text.to_owned();
    }
    let (mut operands, mut modifiers) = split(rest);
    let changes = 1 + random.below(2);
    for _ in 0..changes {
        let at = random.below(operands.len());
        operands[at] = replace(random, &operands[at]);
    }
    if random.one_in(8) {
        modifiers.retain(|_| !random.one_in(2));
    }
    if random.one_in(6) {
        modifiers.push(modifier(random, mnemonic));
    }
    let mut line = format!("{mnemonic} {}", operands.join(", "));
    for modifier in modifiers {
        line.push(' ');
        line += &modifier;
    }
    line
}

/// Operands at the commas outside of brackets, and what follows the last operand word by word.
fn split(rest: &str) -> (Vec<String>, Vec<String>) {
    let mut operands = Vec::new();
    let (mut depth, mut start) = (0i32, 0);
    for (at, letter) in rest.char_indices() {
        match letter {
            '[' | '(' => depth += 1,
            ']' | ')' => depth -= 1,
            ',' if depth == 0 => {
                operands.push(rest[start..at].trim().to_owned());
                start = at + 1;
            }
            _ => {}
        }
    }
    let last = rest[start..].trim();
    let (last, tail) = last.split_once(' ').unwrap_or((last, ""));
    operands.push(last.to_owned());
    (operands, tail.split_whitespace().map(str::to_owned).collect())
}

/// Another operand in the place of this one.
fn replace(random: &mut Random, old: &str) -> String {
    // A modifier between operands, as in `vcc :: v_dual_mov_b32 v0`: leave it.
    if old.contains("::") || old.contains(' ') || old.contains('(') && !old.contains("ext") {
        return old.to_owned();
    }
    let bare = old.trim_start_matches('-').trim_matches('|');
    let half = [".l", ".h"].into_iter().find(|half| bare.ends_with(half)).unwrap_or_default();
    let bare = bare.strip_suffix(half).unwrap_or(bare);
    let width = width(bare);
    let vector = bare.starts_with('v') && !bare.starts_with("vcc") || bare.starts_with("a[") || is_agpr(bare);
    let scalar = !vector && width.is_some();
    let new = match (width, random.below(10)) {
        // The same kind and width.
        (Some(width), 0..=5) => {
            let half = if half.is_empty() { "" } else { random.pick(&[".l", ".h"]) };
            let file = match bare.chars().next() {
                Some('a') => "a",
                Some('v') if vector => "v",
                Some('t') if random.one_in(2) => "ttmp",
                _ => "s",
            };
            let most = match file {
                "s" => 106,
                "ttmp" => 16,
                _ => 256,
            };
            let limit = most - width.min(most - 1);
            let mut first =
                if random.one_in(2) { random.below(limit.min(32)) } else { random.below(limit + 1) };
            if scalar && width > 1 {
                first &= if width == 2 { !1 } else { !3 };
            }
            format!("{}{half}", register(file, first, width))
        }
        (Some(_), 6) if scalar => {
            random.pick(&["vcc", "exec", "null", "m0", "vcc_lo", "exec_lo", "vcc_hi", "exec_hi"]).to_owned()
        }
        (Some(1), 6) => register("s", random.below(106), 1),
        // A constant.
        (Some(_), 7) => constant(random),
        (Some(_), _) => old.to_owned(),
        (None, 0..=4) => constant(random),
        (None, 5) if bare.starts_with(|c: char| c.is_ascii_digit()) => register("s", random.below(106), 1),
        (None, _) => old.to_owned(),
    };
    // Keep a sign or an absolute value where there was one.
    match (old.starts_with('-'), old.contains('|')) {
        (true, true) => format!("-|{new}|"),
        (false, true) => format!("|{new}|"),
        (true, false) if width.is_some() && !new.starts_with('-') => format!("-{new}"),
        _ => new,
    }
}

fn is_agpr(bare: &str) -> bool {
    bare.strip_prefix('a').is_some_and(|rest| !rest.is_empty() && rest.chars().all(|c| c.is_ascii_digit()))
}

/// `v7` or `v[7:9]`.
pub fn register(file: &str, first: usize, width: usize) -> String {
    if width == 1 { format!("{file}{first}") } else { format!("{file}[{first}:{}]", first + width - 1) }
}

/// Dwords of a register operand; `None`: something else.
fn width(bare: &str) -> Option<usize> {
    match bare {
        "vcc" | "exec" => return Some(2),
        "vcc_lo" | "vcc_hi" | "exec_lo" | "exec_hi" | "m0" | "null" => return Some(1),
        _ => {}
    }
    let rest = ["ttmp", "v", "s", "a"].into_iter().find_map(|file| bare.strip_prefix(file))?;
    if let Some(range) = rest.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        let (first, last) = range.split_once(':')?;
        return (last.parse::<usize>().ok()? + 1).checked_sub(first.parse().ok()?);
    }
    rest.parse::<usize>().ok().map(|_| 1)
}

fn constant(random: &mut Random) -> String {
    const FIXED: &[&str] =
        &["0", "1", "-1", "-16", "-17", "64", "65", "0.5", "-0.5", "1.0", "-2.0", "4.0", "0.15915494"];
    match random.below(40) {
        0 => format!("lit({})", constant(random)),
        1 => format!("lit64({:#x})", random.bits() >> random.below(64)),
        2 => format!("{:#x}", random.bits() >> random.below(64)),
        3 => float(f64::from_bits(random.bits())),
        4..=7 => float(f32::from_bits(random.bits() as u32 & 0xffff_0000).into()),
        8..=20 => random.pick(FIXED).to_owned(),
        21..=28 => format!("{:#x}", random.bits() as u32 >> random.below(32)),
        29..=34 => format!("{}", random.below(1000) as i64 - 500),
        _ => format!("{:.2}", random.below(20_000) as f64 / 100.0 - 100.0),
    }
}

/// A finite number with its exponent; none that begins with 0, which LLVM takes for the end of an octal number.
fn float(value: f64) -> String {
    format!("{:e}", if value.is_finite() && value != 0.0 { value } else { 1.5 })
}

/// A modifier that instructions like this one may have.
fn modifier(random: &mut Random, mnemonic: &str) -> String {
    let two = |random: &mut Random| random.below(2);
    let memory = [
        "global_", "flat_", "scratch_", "buffer_", "ds_", "s_load", "s_buffer", "cluster_", "image_",
        "tbuffer_",
    ];
    if memory.iter().any(|prefix| mnemonic.starts_with(prefix)) {
        let offset = match random.below(3) {
            0 => format!("offset:{}", random.below(1 << 12)),
            1 => format!("offset:{:#x}", random.below(1 << 16)),
            _ => format!("offset:{}", random.below(1 << 13) as i64 - (1 << 12)),
        };
        if mnemonic.starts_with("ds_") {
            return random.pick(&[offset.as_str(), "gds", "offset0:3", "offset1:255"]).to_owned();
        }
        let vocabulary: &[&str] = &[
            "glc",
            "slc",
            "dlc",
            "scc",
            "sc0",
            "sc1",
            "nt",
            "offen",
            "idxen",
            "addr64",
            "lds",
            "tfe",
            "lwe",
            "gds",
            "d16",
            "unorm",
            "da",
            "r128",
            "a16",
            "g16",
            "dmask:0x3",
            "dim:SQ_RSRC_IMG_2D",
            "dmask:0xf",
            "th:TH_LOAD_NT",
            "th:TH_STORE_HT",
            "th:TH_ATOMIC_RETURN",
            "scope:SCOPE_SE",
            "scope:SCOPE_DEV",
            "scope:SCOPE_SYS",
            "nv",
            "scale_offset",
        ];
        if random.one_in(2) {
            return offset;
        }
        return vocabulary[random.below(vocabulary.len())].to_owned();
    }
    match random.below(10) {
        0 => "clamp".to_owned(),
        1 => random.pick(&["mul:2", "mul:4", "div:2"]).to_owned(),
        2 => format!("op_sel:[{},{}]", two(random), two(random)),
        3 => format!("op_sel:[{},{},{}]", two(random), two(random), two(random)),
        4 => format!("op_sel_hi:[{},{}]", two(random), two(random)),
        5 => format!("neg_lo:[{},{}]", two(random), two(random)),
        6 => format!("neg_hi:[{},{},{}]", two(random), two(random), two(random)),
        7 => random
            .pick(&["quad_perm:[3,1,0,2]", "row_shl:1", "row_ror:15", "row_mirror", "row_half_mirror"])
            .to_owned(),
        8 => random.pick(&["row_mask:0x3", "bank_mask:0xe", "bound_ctrl:1", "fi:1"]).to_owned(),
        _ => random.pick(&["cbsz:1", "abid:1", "blgp:2", "byte_sel:2", "bitop3:0x5a"]).to_owned(),
    }
}
