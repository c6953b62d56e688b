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
//!   decode ignores; `@wave32` or `@wave64` behind it: in waves of so many lanes only.
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
//!   and the few flags that encode, print or parse need: [`ATTRIBUTES`].
//!
//! A mnemonic may have several lines with different operands; where they share an opcode, fixed fields tell them
//! apart. With `mem=….atomic?.…` a line is two rows, the one as it is written and the one that does not return the old
//! value (module `atomic`).

use std::borrow::Cow;

use wavemark_target::{InstructionSets, WaveSize};

use crate::Form;
use crate::format::{Field, Format};
use crate::number::number;
use crate::role::{self, Access, Class, ImmKind};
use crate::table::{atomic, family, forms};
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
    ("table/vintrp.txt", include_str!("../../table/vintrp.txt")),
    ("table/vinterp.txt", include_str!("../../table/vinterp.txt")),
    ("table/vop3p.txt", include_str!("../../table/vop3p.txt")),
    ("table/mfma.txt", include_str!("../../table/mfma.txt")),
    ("table/wmma.txt", include_str!("../../table/wmma.txt")),
    ("table/vopd.txt", include_str!("../../table/vopd.txt")),
    ("table/image.txt", include_str!("../../table/image.txt")),
    ("table/export.txt", include_str!("../../table/export.txt")),
];

/// The attributes that rows may have. Implicit registers take `r`, `w` or `rw`.
pub static ATTRIBUTES: &[&str] = &[
    // Implicit registers.
    "scc",
    "vcc",
    "exec",
    "m0",
    "flat_scratch",
    // Reads the MODE register (rounding, denormals, exceptions).
    "mode",
    // Names: other spellings that the assembler takes.
    "alias",
    // Memory, queues, branches, waits, barriers, other program control, and what effects need besides: see `effects`.
    "mem",
    "cnt",
    "flow",
    "if",
    "wait",
    "barrier",
    "control",
    "copy",
    "accumulates",
    "relative",
    "select",
    "logic",
    "asks",
    "unit",
    "passes",
    "unforwarded",
    // Key of what it computes, where that is not its name.
    "meaning",
    // Families' own flags.
    "scalar",
    "memory",
    "vector",
    "matrix",
    // Image instructions: flags, parts of the address (module `image`).
    "image",
    "address",
];

/// A row of some instruction sets.
#[derive(Clone, Debug)]
pub(crate) struct RowDef {
    pub(crate) sets: InstructionSets,
    pub(crate) mnemonic: &'static str,
    /// Other spellings that the assembler takes.
    pub(crate) aliases: Vec<&'static str>,
    pub(crate) encodings: Vec<EncodingDef>,
    pub(crate) operands: Vec<OperandDef>,
    pub(crate) attributes: Vec<(&'static str, &'static str)>,
}

/// Where a row stands in the table files.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// Index in [`FILES`].
    pub(crate) file: usize,
    /// Line, from 1.
    pub(crate) line: usize,
    /// Where the line begins, in bytes.
    pub(crate) offset: usize,
    /// Number of the member of a family.
    pub(crate) member: usize,
    /// Number of the group of encodings.
    pub(crate) group: usize,
    /// Which of the rows that the group stands for.
    pub(crate) part: Part,
}

/// The group's only row, or one of the two that an atomic is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Whole,
    Plain,
    Returning,
}

/// An encoding of a row, with the instruction sets that have it.
#[derive(Clone, Debug)]
pub(crate) struct EncodingDef {
    pub(crate) sets: InstructionSets,
    pub(crate) format: &'static str,
    pub(crate) opcode: u32,
    pub(crate) fixes: Vec<Fix>,
}

impl EncodingDef {
    /// The encoding in waves of this size.
    pub(crate) fn in_waves(&self, size: WaveSize) -> Cow<'_, EncodingDef> {
        let is_own = |fix: &Fix| fix.wave.is_none_or(|wave| wave == size);
        let mut own = Cow::Borrowed(self);
        if !self.fixes.iter().all(is_own) {
            own.to_mut().fixes.retain(is_own);
        }
        own
    }

    /// The bits of `format` that the row fixes, and their values; and as 0 those that it must not use.
    pub(crate) fn required(&self, format: &Format, row: &RowDef) -> (u128, u128) {
        let fixes = self.fixes.iter().filter(|fix| fix.required);
        let (mask, value) = fixes
            .filter_map(|fix| Some((format.field(fix.field)?, fix.value)))
            .fold((0, 0), |(mask, value), (field, fixed)| (mask | field.mask(), value | field.put(fixed)));
        let uses = |name: &str| {
            self.fixes.iter().any(|fix| fix.field == name)
                || row.operands.iter().any(|operand| {
                    operand.role == name && operand.only.is_none_or(|form| form == format.form)
                })
        };
        let (mut taken, mut zero) = (format.pattern().0, 0);
        for field in format.fields {
            if !uses(field.name) && row.must_be_zero(format, field) {
                zero |= field.mask();
            } else {
                taken |= field.mask();
            }
        }
        (mask | zero & !taken, value)
    }
}

impl RowDef {
    /// Whether a field that the row does not use must be 0.
    pub(crate) fn must_be_zero(&self, format: &Format, field: &Field) -> bool {
        let memory = format.addressing.is_some();
        field.zero || memory && field.name == "tfe" && !self.returns_status()
    }

    /// Whether there may be a status beside the data of a buffer instruction (`tfe`): loads to and stores from
    /// registers.
    fn returns_status(&self) -> bool {
        let verb = |value: &'static str| value.split('.').nth(1);
        self.attributes
            .iter()
            .any(|(key, value)| *key == "mem" && matches!(verb(value), Some("load" | "store")))
    }

    /// The operands that a format has.
    pub(crate) fn operands_in(&self, format: &Format) -> Vec<OperandDef> {
        let has = |operand: &&OperandDef| !operand.optional || format.field(operand.role).is_some();
        self.operands.iter().filter(has).cloned().collect()
    }
}

/// An operand before the machine is known.
#[derive(Clone, Debug)]
pub(crate) struct OperandDef {
    pub(crate) role: &'static str,
    pub(crate) ty: &'static str,
    pub(crate) class: Class,
    pub(crate) access: Access,
    /// The only form that has it.
    pub(crate) only: Option<Form>,
    /// Whether it is left out where the format has no field for it.
    pub(crate) optional: bool,
    /// Width; none for lane masks, which are as wide as the wave, and numbers.
    pub(crate) bits: Option<u32>,
}

/// A constant that a row gives to a field.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fix {
    pub(crate) field: &'static str,
    pub(crate) value: u32,
    pub(crate) required: bool,
    /// The only size of waves that has it.
    pub(crate) wave: Option<WaveSize>,
}

/// The row at `place` of the files, with the encodings of `only` these instruction sets.
///
/// # Errors
/// A message; none for a place that the index has.
pub(crate) fn row_at(place: Place, only: InstructionSets) -> Result<RowDef, String> {
    let rest = FILES.get(place.file).and_then(|(_, text)| text.get(place.offset..)).unwrap_or_default();
    let line = without_comment(rest.lines().next().unwrap_or_default());
    let row = if line.contains('{') {
        let member = family::expand(line)?.into_iter().nth(place.member).ok_or("no such member")?;
        // A row lives as long as the program; each is read once.
        read_row(member.leak(), place, only)?
    } else {
        read_row(line, place, only)?
    };
    Ok(atomic::part(row, place.part))
}

pub(crate) fn without_comment(line: &str) -> &str {
    line.split('#').next().unwrap_or_default().trim()
}

/// The row in a line without braces, of the group that `place` says.
pub(crate) fn read_row(line: &'static str, place: Place, only: InstructionSets) -> Result<RowDef, String> {
    let columns: Vec<&'static str> = line.split('|').map(str::trim).collect();
    let [mnemonic, encodings, operands, attributes] = columns[..] else {
        return Err(format!("{} columns instead of 4", columns.len()));
    };
    let attributes = read_attributes(attributes)?;
    let operands = read_operands(operands)?;
    let group = encodings.split(';').nth(place.group).ok_or("no such group")?;
    read_group(group, mnemonic, operands, attributes, only)
}

fn read_group(
    group: &'static str,
    mnemonic: &'static str,
    operands: Vec<OperandDef>,
    mut attributes: Vec<(&'static str, &'static str)>,
    only: InstructionSets,
) -> Result<RowDef, String> {
    let (group, more) = match group.split_once('[') {
        Some((group, more)) => {
            let more = more.trim().strip_suffix(']').ok_or("attributes of a group are not closed")?;
            (group, read_attributes(more)?)
        }
        None => (group, Vec::new()),
    };
    for (key, value) in more {
        attributes.retain(|(other, _)| *other != key);
        attributes.push((key, value));
    }
    let mut row = RowDef {
        sets: InstructionSets::NONE,
        mnemonic,
        aliases: Vec::new(),
        encodings: Vec::new(),
        operands,
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
            derive(&mut row.encodings, &encoding, e64, &missing, &row.operands, only)?;
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
    only: InstructionSets,
) -> Result<(), String> {
    let first = encodings.len();
    for set in InstructionSets::from_bits(written.sets.bits() & only.bits()).iter() {
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
                    fixes.push(Fix { field: "vdst", value: 0x7e, required: true, wave: None });
                } else if form.format.ends_with("SDWA") {
                    fixes.push(Fix { field: "sdst_marked", value: 0, required: true, wave: None });
                }
            }
            let format: &'static str = format_name(&form.format)?;
            encodings.push(EncodingDef { sets: one, format, opcode: form.opcode, fixes });
        }
    }
    // The order is the same for some of the sets as for all.
    encodings[first..].sort_by_key(|encoding| encoding.format);
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
    let (value, wave) = match text[at + 1..].split_once('@') {
        Some((value, "wave32")) => (value, Some(WaveSize::Wave32)),
        Some((value, "wave64")) => (value, Some(WaveSize::Wave64)),
        Some((_, wave)) => return Err(format!("`{wave}` is no size of waves")),
        None => (&text[at + 1..], None),
    };
    Ok(Fix { field: &text[..at], value: number(value)?, required, wave })
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
                    _ => {
                        let spread = || Type::parse_spread(ty, 32);
                        let parsed = Type::parse(ty).or_else(spread);
                        Some(parsed.ok_or_else(|| format!("unknown type {ty}"))?.bits())
                    }
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
            if ATTRIBUTES.contains(&base) {
                Ok((key, value))
            } else {
                Err(format!("unknown attribute {key}"))
            }
        })
        .collect()
}
