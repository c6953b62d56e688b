//! Reads `table/*.txt`: lines to definitions of rows, of all instruction sets at once.
//!
//! Anatomy of a line, four columns separated by `|`; `#` starts a comment, `{a,b}` makes a family (module `family`):
//!
//! ```text
//! mnemonic    | encodings                                          | operands                        | attributes
//! v_add_f32   | VOP2 gfx6..gfx7=0x03 gfx8..gfx9=0x01 gfx10+=0x03    | vdst:f32 = src0:f32 src1:f32    | vector=clamp,omod mode
//! s_andn2_b32 | SOP2 gfx6..gfx7=0x14 gfx8..gfx9=0x12 gfx10=0x14 ;
//!               SOP2 gfx11+=0x22 as s_and_not1_b32,s_andn2_b32     | sdst:b32 = ssrc0:b32 ssrc1:b32  | scc=w
//! ds_load_b64 | DS gfx12+=0x76                                     | vdst:b64 = addr:b32             | mem=lds.load.8
//! ```
//!
//! (A line is one line: the second is broken here only.)
//!
//! * Encodings are groups separated by `;`. A group is a format's name and for sets of processors
//!   ([`wavemark_target::InstructionSets::parse`]) `SETS=opcode`; more formats may follow in the group.
//!   `,field=value` behind an opcode fixes a field (decode requires it), `,field~value` says what encode writes and
//!   decode ignores.
//! * Forms that follow by rule (module `forms`) are not written; `!e64 !dpp16 !dpp8 !sdwa !e64_dpp16 !e64_dpp8` say
//!   that they are missing (`!dpp` all four DPP forms, `@SETS` behind it: on these only), `e64=opcode` that the VOP3 form
//!   has another opcode.
//! * `as name,other` gives the group another mnemonic and other spellings that the assembler takes, `*` being the
//!   line's own; `[key=value …]` adds attributes to, or replaces them in, the group.
//! * Operands before `=` are written, after it read; `+role` is read and written; each is `role:type`: the role
//!   (module [`crate::role`]) is the field and says what can stand there, the type gives width and the meaning
//!   of constants, or the kind of a number (`simm16:hwreg`); `role@form:type` is an operand of that form only,
//!   `role?:type` one of those formats only that have the field.
//! * Attributes name implicit registers (`scc=r|w|rw`, `vcc=`, `exec=`, `m0=`, `mode`, `flat_scratch=`), the
//!   memory effect (`mem=space.direction.bytes`), the counters moved (`cnt=`), aliases (`alias=name,name`),
//!   and the few flags that encode, print or parse need: [`crate::table::ATTRIBUTES`].
//!
//! A mnemonic may have several lines with different operands; where they share an opcode, fixed fields tell them
//! apart. The line of an atomic (`mem=….atomic.…`) whose format has a bit `ret` and which does not fix it is two rows:
//! with `ret=1` as it is written, returning the old value (`atomic_return`), and with `ret=0` without what it writes
//! (module `atomic`).

use wavemark_target::{InstructionSet, InstructionSets};

use super::{atomic, family, forms, number};
use crate::Form;
use crate::role::{self, Class, ImmKind};
use crate::row::Access;
use crate::ty::Type;

/// A table file: its name for messages, its text.
pub(crate) type File = (&'static str, &'static str);

pub(crate) static FILES: &[File] = &[
    ("table/scalar.txt", include_str!("../../table/scalar.txt")),
    ("table/smem.txt", include_str!("../../table/smem.txt")),
    ("table/ds.txt", include_str!("../../table/ds.txt")),
    ("table/flat.txt", include_str!("../../table/flat.txt")),
    ("table/buffer.txt", include_str!("../../table/buffer.txt")),
    ("table/tensor.txt", include_str!("../../table/tensor.txt")),
    ("table/vop1.txt", include_str!("../../table/vop1.txt")),
    ("table/vop2.txt", include_str!("../../table/vop2.txt")),
    ("table/vopc.txt", include_str!("../../table/vopc.txt")),
    ("table/vop3.txt", include_str!("../../table/vop3.txt")),
    ("table/vop3p.txt", include_str!("../../table/vop3p.txt")),
    ("table/mfma.txt", include_str!("../../table/mfma.txt")),
    ("table/wmma.txt", include_str!("../../table/wmma.txt")),
    ("table/vopd.txt", include_str!("../../table/vopd.txt")),
];

/// A row of some instruction sets.
#[derive(Clone, Debug)]
pub(super) struct RowDef {
    /// File and line, for messages.
    pub(super) place: (&'static str, usize),
    pub(super) sets: InstructionSets,
    pub(super) mnemonic: &'static str,
    /// Other spellings that the assembler takes.
    pub(super) aliases: Vec<&'static str>,
    pub(super) encodings: Vec<EncodingDef>,
    pub(super) operands: Vec<OperandDef>,
    pub(super) attributes: Vec<(&'static str, &'static str)>,
}

/// An encoding of a row, with the instruction sets that have it.
#[derive(Clone, Debug)]
pub(super) struct EncodingDef {
    pub(super) sets: InstructionSets,
    pub(super) format: &'static str,
    pub(super) opcode: u32,
    pub(super) fixes: Vec<Fix>,
}

/// An operand before the machine is known.
#[derive(Clone, Debug)]
pub(super) struct OperandDef {
    pub(super) role: &'static str,
    pub(super) ty: &'static str,
    pub(super) class: Class,
    pub(super) access: Access,
    /// The only form that has it.
    pub(super) only: Option<Form>,
    /// Whether it is left out where the format has no field for it.
    pub(super) optional: bool,
    /// Width; none for lane masks, which are as wide as the wave, and numbers.
    pub(super) bits: Option<u32>,
}

/// A constant that a row gives to a field.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fix {
    pub(super) field: &'static str,
    pub(super) value: u32,
    pub(super) required: bool,
}

/// All rows of the files, in their order.
///
/// # Errors
/// A message with file and line, and the member where the line is a family.
pub(super) fn rows(files: &[File]) -> Result<Vec<RowDef>, String> {
    let mut rows = Vec::new();
    for &(file, text) in files {
        for (index, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default();
            if line.trim().is_empty() {
                continue;
            }
            let place = (file, index + 1);
            let at = |message: String| format!("{file}:{}: {message}", index + 1);
            if !line.contains('{') {
                read_line(line, place, &mut rows).map_err(at)?;
                continue;
            }
            for member in family::expand(line).map_err(at)? {
                // The members live as long as the table.
                let member: &'static str = Box::leak(member.into_boxed_str());
                let name = member.split('|').next().unwrap_or_default().trim();
                read_line(member, place, &mut rows).map_err(|message| at(format!("{name}: {message}")))?;
            }
        }
    }
    Ok(rows)
}

fn read_line(line: &'static str, place: (&'static str, usize), rows: &mut Vec<RowDef>) -> Result<(), String> {
    let columns: Vec<&'static str> = line.split('|').map(str::trim).collect();
    let [mnemonic, encodings, operands, attributes] = columns[..] else {
        return Err(format!("{} columns instead of 4", columns.len()));
    };
    let attributes = read_attributes(attributes)?;
    let operands = read_operands(operands)?;
    for group in encodings.split(';') {
        rows.extend(atomic::expand(read_group(group, mnemonic, place, &operands, &attributes)?));
    }
    Ok(())
}

fn read_group(
    group: &'static str,
    mnemonic: &'static str,
    place: (&'static str, usize),
    operands: &[OperandDef],
    attributes: &[(&'static str, &'static str)],
) -> Result<RowDef, String> {
    let (group, more) = match group.split_once('[') {
        Some((group, more)) => {
            let more = more.trim().strip_suffix(']').ok_or("attributes of a group are not closed")?;
            (group, read_attributes(more)?)
        }
        None => (group, Vec::new()),
    };
    let mut attributes = attributes.to_vec();
    for (key, value) in more {
        attributes.retain(|(other, _)| *other != key);
        attributes.push((key, value));
    }
    let mut row = RowDef {
        place,
        sets: InstructionSets::NONE,
        mnemonic,
        aliases: Vec::new(),
        encodings: Vec::new(),
        operands: operands.to_vec(),
        attributes,
    };
    let mut tokens = group.split_whitespace().peekable();
    while let Some(format) = tokens.next() {
        if format == "as" {
            let mut names = tokens.next().ok_or("`as` without a name")?.split(',');
            row.mnemonic = names.next().unwrap_or_default();
            row.aliases.extend(names.map(|name| if name == "*" { mnemonic } else { name }));
            continue;
        }
        if !format.starts_with(|c: char| c.is_ascii_uppercase()) {
            return Err(format!("{format} is no format"));
        }
        let mut written: Vec<EncodingDef> = Vec::new();
        let mut missing: Vec<(&str, InstructionSets)> = Vec::new();
        let mut e64 = None;
        while let Some(&token) = tokens.peek() {
            if let Some(name) = token.strip_prefix('!') {
                let (name, sets) = match name.split_once('@') {
                    Some((name, sets)) => (name, InstructionSets::parse(sets)?),
                    None => (name, InstructionSets::from_bits(u32::MAX)),
                };
                match name {
                    "dpp" => {
                        missing.extend(["dpp16", "dpp8", "e64_dpp16", "e64_dpp8"].map(|name| (name, sets)))
                    }
                    "e64" | "dpp16" | "dpp8" | "sdwa" | "e64_dpp16" | "e64_dpp8" => {
                        missing.push((name, sets))
                    }
                    _ => return Err(format!("unknown form {name}")),
                }
            } else if let Some(opcode) = token.strip_prefix("e64=") {
                e64 = Some(number(opcode)?);
            } else if let Some((sets, rest)) = token.split_once('=').filter(|_| token.starts_with("gfx")) {
                written.push(read_encoding(format, InstructionSets::parse(sets)?, rest)?);
            } else {
                break;
            }
            tokens.next();
        }
        if written.is_empty() {
            return Err(format!("{format} without SETS=opcode"));
        }
        for encoding in written {
            row.sets = row.sets.union(encoding.sets);
            row.encodings.push(encoding.clone());
            derive(&mut row.encodings, &encoding, e64, &missing, operands)?;
        }
    }
    if row.encodings.is_empty() {
        return Err("no encoding".to_owned());
    }
    let aliases = row.attributes.iter().find(|(key, _)| *key == "alias").map_or("", |&(_, value)| value);
    row.aliases.extend(aliases.split(',').filter(|alias| !alias.is_empty()));
    Ok(row)
}

/// Adds the encodings that follow from one that is written.
fn derive(
    encodings: &mut Vec<EncodingDef>,
    written: &EncodingDef,
    e64: Option<u32>,
    missing: &[(&str, InstructionSets)],
    operands: &[OperandDef],
) -> Result<(), String> {
    let first = encodings.len();
    for set in written.sets.iter() {
        let one = InstructionSets::of(set);
        for form in forms::derived(set, written.format, written.opcode, e64, operands) {
            if missing.iter().any(|&(name, sets)| name == form.name && sets.contains(one)) {
                continue;
            }
            let same = |other: &&mut EncodingDef| other.format == form.format && other.opcode == form.opcode;
            if let Some(other) = encodings[first..].iter_mut().find(same) {
                other.sets = other.sets.union(one);
                continue;
            }
            let mut fixes = written.fixes.clone();
            // A compare that writes EXEC only names it as VOP3 destination, and no register as SDWA destination.
            if written.format == "VOPC" && !operands.iter().any(|operand| operand.role == "sdst") {
                if form.format.starts_with("VOP3") {
                    fixes.push(Fix { field: "vdst", value: 0x7e, required: true });
                } else if form.format.ends_with("SDWA") {
                    fixes.push(Fix { field: "sdst_marked", value: 0, required: true });
                }
            }
            let format: &'static str = format_name(&form.format)?;
            encodings.push(EncodingDef { sets: one, format, opcode: form.opcode, fixes });
        }
    }
    Ok(())
}

/// The static spelling of a derived format's name.
fn format_name(name: &str) -> Result<&'static str, String> {
    const NAMES: &[&str] = &[
        "VOP1_DPP16",
        "VOP1_DPP8",
        "VOP1_SDWA",
        "VOP2_DPP16",
        "VOP2_DPP8",
        "VOP2_SDWA",
        "VOPC_DPP16",
        "VOPC_DPP8",
        "VOPC_SDWA",
        "VOP3",
        "VOP3_DPP16",
        "VOP3_DPP8",
        "VOP3SD",
        "VOP3SD_DPP16",
        "VOP3SD_DPP8",
        "VOP3P_DPP16",
        "VOP3P_DPP8",
    ];
    NAMES.iter().copied().find(|known| *known == name).ok_or_else(|| format!("no form is called {name}"))
}

fn read_encoding(
    format: &'static str,
    sets: InstructionSets,
    text: &'static str,
) -> Result<EncodingDef, String> {
    let mut parts = text.split(',');
    let opcode = number(parts.next().unwrap_or_default())?;
    let fixes = parts.map(read_fix).collect::<Result<Vec<_>, String>>()?;
    Ok(EncodingDef { sets, format, opcode, fixes })
}

fn read_fix(text: &'static str) -> Result<Fix, String> {
    let (at, required) = match (text.find('='), text.find('~')) {
        (Some(at), _) => (at, true),
        (None, Some(at)) => (at, false),
        (None, None) => return Err(format!("`{text}` is not field=value")),
    };
    Ok(Fix { field: &text[..at], value: number(&text[at + 1..])?, required })
}

fn read_operands(column: &'static str) -> Result<Vec<OperandDef>, String> {
    let mut operands = Vec::new();
    let mut written = column.split_whitespace().any(|token| token == "=");
    for token in column.split_whitespace() {
        if token == "=" {
            written = false;
            continue;
        }
        let (token, both) = match token.strip_prefix('+') {
            Some(rest) => (rest, true),
            None => (token, false),
        };
        let (role, ty) = token.split_once(':').ok_or_else(|| format!("operand {token} has no type"))?;
        let (role, only) = match role.split_once('@') {
            Some((role, form)) => {
                (role, Some(Form::by_name(form).ok_or_else(|| format!("unknown form {form}"))?))
            }
            None => (role, None),
        };
        let (role, optional) = match role.strip_suffix('?') {
            Some(role) => (role, true),
            None => (role, false),
        };
        let access = match (both, written) {
            (true, _) => Access::ReadWrite,
            (false, true) => Access::Write,
            (false, false) => Access::Read,
        };
        let (class, bits) = match ImmKind::parse(ty) {
            Some(kind) => (Class::Imm(kind), None),
            None => {
                let bits = match ty {
                    "lanes" => None,
                    _ => Some(Type::parse(ty).ok_or_else(|| format!("unknown type {ty}"))?.bits()),
                };
                (role::class_of(role).ok_or_else(|| format!("unknown role {role}"))?, bits)
            }
        };
        operands.push(OperandDef { role, ty, class, access, only, optional, bits });
    }
    Ok(operands)
}

fn read_attributes(column: &'static str) -> Result<Vec<(&'static str, &'static str)>, String> {
    column
        .split_whitespace()
        .map(|token| {
            let (key, value) = token.split_once('=').unwrap_or((token, ""));
            let base = key.split('.').next().unwrap_or_default();
            if super::ATTRIBUTES.contains(&base) {
                Ok((key, value))
            } else {
                Err(format!("unknown attribute {key}"))
            }
        })
        .collect()
}

/// The members of `sets`, for messages.
pub(super) fn names(sets: InstructionSets) -> String {
    sets.iter().map(InstructionSet::name).collect::<Vec<_>>().join(" ")
}
