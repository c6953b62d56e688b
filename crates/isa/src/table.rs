//! The instruction table: reads and validates `table/*.txt` and finds rows by name and by bits.
//!
//! A mistake in the files is our own: [`Table::of`] panics with file and line, and a test builds every table.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::effects::RowEffects;
use crate::format::{self, Field, Format};
use crate::role::{self, Class, ImmKind};
use crate::row::{Access, Encoding, Isa, OperandSpec, Row, RowId};
use crate::ty::{Kind, Type};
use crate::{Form, modifier};

static FILES: &[(&str, &str)] = &[
    ("table/scalar.txt", include_str!("../table/scalar.txt")),
    ("table/memory.txt", include_str!("../table/memory.txt")),
    ("table/vop1.txt", include_str!("../table/vop1.txt")),
    ("table/vop2.txt", include_str!("../table/vop2.txt")),
    ("table/vopc.txt", include_str!("../table/vopc.txt")),
    ("table/vop3.txt", include_str!("../table/vop3.txt")),
    ("table/vop3p.txt", include_str!("../table/vop3p.txt")),
    ("table/mfma.txt", include_str!("../table/mfma.txt")),
    ("table/wmma.txt", include_str!("../table/wmma.txt")),
    ("table/vopd.txt", include_str!("../table/vopd.txt")),
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
    "wait",
    "barrier",
    "control",
    "copy",
    "relative",
    // Key of what it computes, where that is not its name.
    "meaning",
    // Families' own flags.
    "scalar",
    "memory",
    "vector",
    "matrix",
];

/// The rows of one instruction set.
#[derive(Debug)]
pub struct Table {
    isa: Isa,
    rows: Vec<Row>,
    names: FxHashMap<&'static str, SmallVec<[RowId; 2]>>,
    formats: Vec<FormatIndex>,
    /// By the top 9 bits of dword 0: which of `formats` to try, in order.
    prefixes: Vec<SmallVec<[u8; 4]>>,
}

#[derive(Debug)]
struct FormatIndex {
    format: &'static Format,
    mask: u128,
    value: u128,
    /// By opcode: the candidates, the most specific first.
    opcodes: Vec<SmallVec<[(RowId, u8); 1]>>,
}

impl Table {
    /// The table of `isa`; built at the first call.
    pub fn of(isa: Isa) -> &'static Table {
        static GFX950: OnceLock<Table> = OnceLock::new();
        static GFX1250: OnceLock<Table> = OnceLock::new();
        let cell = match isa {
            Isa::Gfx950 => &GFX950,
            Isa::Gfx1250 => &GFX1250,
        };
        cell.get_or_init(|| match Table::build(isa, FILES) {
            Ok(table) => table,
            Err(message) => panic!("instruction table: {message}"),
        })
    }

    /// Which instruction set this is.
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// The row with this number, which must come from the same table.
    pub fn row(&self, id: RowId) -> &Row {
        &self.rows[usize::from(id.0)]
    }

    /// All rows.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The rows called `name` (a mnemonic without encoding suffix, or an alias).
    pub fn by_mnemonic(&self, name: &str) -> impl Iterator<Item = &Row> + '_ {
        self.names.get(name).into_iter().flatten().map(|&id| self.row(id))
    }

    /// The formats that match the beginning of `bits`, the more specific first.
    pub(crate) fn formats_of(&self, bits: u128) -> impl Iterator<Item = (u8, &'static Format)> + '_ {
        let prefix = (bits as u32) >> 23;
        self.prefixes[prefix as usize].iter().filter_map(move |&index| {
            let entry = &self.formats[usize::from(index)];
            (bits & entry.mask == entry.value).then_some((index, entry.format))
        })
    }

    /// The row and encoding with this opcode of the format (an index from `formats_of`) whose required fields
    /// match.
    pub(crate) fn find(&self, format: u8, bits: u128) -> Option<(&Row, &Encoding)> {
        let entry = &self.formats[usize::from(format)];
        let opcode = entry.format.opcode_of(bits) as usize;
        entry.opcodes.get(opcode)?.iter().find_map(|&(id, encoding)| {
            let row = self.row(id);
            let encoding = &row.encodings[usize::from(encoding)];
            let (mask, value) = encoding.required;
            (bits & mask == value).then_some((row, encoding))
        })
    }

    fn build(isa: Isa, files: &[(&str, &'static str)]) -> Result<Table, String> {
        let mut table = Table {
            isa,
            rows: Vec::new(),
            names: FxHashMap::default(),
            formats: Vec::new(),
            prefixes: vec![SmallVec::new(); 512],
        };
        for format in format::all().filter(|format| format.isa == isa) {
            let (mask, value) = format.pattern();
            let top = |bits: u128| (bits as u32) >> 23;
            for prefix in 0..512u32 {
                if prefix & top(mask) == top(value) {
                    table.prefixes[prefix as usize].push(table.formats.len() as u8);
                }
            }
            table.formats.push(FormatIndex { format, mask, value, opcodes: Vec::new() });
        }
        for (file, text) in files {
            for (number, line) in text.lines().enumerate() {
                let line = line.split('#').next().unwrap_or_default();
                if !line.trim().is_empty() {
                    table.add(line).map_err(|message| format!("{file}:{}: {message}", number + 1))?;
                }
            }
        }
        table.index_opcodes()?;
        Ok(table)
    }

    /// Reads one line and adds its row if it is of this instruction set.
    fn add(&mut self, line: &'static str) -> Result<(), String> {
        let columns: Vec<&'static str> = line.split('|').map(str::trim).collect();
        let [mnemonic, encodings, operands, attributes] = columns[..] else {
            return Err(format!("{} columns instead of 4", columns.len()));
        };
        let attributes = read_attributes(attributes)?;
        let operands = read_operands(self.isa, operands)?;
        let mut group = None;
        for candidate in encodings.split(';') {
            let (isa, rest) =
                candidate.trim().split_once(' ').ok_or("an encoding group is `isa FORMAT=opcode…`")?;
            if !matches!(isa, "gfx950" | "gfx1250") {
                return Err(format!("unknown instruction set {isa}"));
            }
            if isa == self.isa.name() {
                group = Some(rest);
            }
        }
        let Some(group) = group else { return Ok(()) };
        let id = RowId(u16::try_from(self.rows.len()).map_err(|_| "too many rows")?);
        let encodings = self.read_encodings(group, &operands)?;
        let family = encodings.first().ok_or("no encoding")?.format.family;
        let mut operands: Vec<OperandSpec> = operands.into_iter().map(|operand| operand.spec).collect();
        // A VGPR field of 9 bits has the bit that makes it an accumulation VGPR.
        for &(index, field) in encodings.iter().flat_map(|encoding| &encoding.operands) {
            if operands[index].class == Class::Vgpr && field.is_some_and(|field| field.width() == 9) {
                operands[index].class = Class::VgprOrAgpr;
            }
        }
        let mut row =
            Row { id, mnemonic, family, operands, encodings, attributes, effects: RowEffects::default() };
        row.effects = RowEffects::read(self.isa, &row)?;
        let aliases = row.attribute("alias").unwrap_or_default();
        for name in std::iter::once(mnemonic).chain(aliases.split(',').filter(|alias| !alias.is_empty())) {
            self.names.entry(name).or_default().push(id);
        }
        self.rows.push(row);
        Ok(())
    }

    fn read_encodings(&self, group: &'static str, operands: &[ReadOperand]) -> Result<Vec<Encoding>, String> {
        let mut encodings: Vec<Encoding> = Vec::new();
        let mut last: Option<(&str, u32, Vec<Fix>)> = None;
        let mut wide_only = true;
        for token in group.split_whitespace() {
            let (name, opcode, fixes) = if let Some((name, rest)) = token.split_once('=') {
                let mut parts = rest.split(',');
                let opcode = number(parts.next().unwrap_or_default())?;
                let fixes = parts.map(read_fix).collect::<Result<Vec<_>, String>>()?;
                last = Some((name, opcode, fixes.clone()));
                (name.to_owned(), opcode, fixes)
            } else {
                let (base, opcode, fixes) =
                    last.as_ref().ok_or("a form without a FORMAT=opcode before it")?;
                if !matches!(token, "dpp16" | "dpp8" | "sdwa") {
                    return Err(format!("unknown form {token}"));
                }
                (format!("{base}_{}", token.to_ascii_uppercase()), *opcode, fixes.clone())
            };
            let format = self
                .formats
                .iter()
                .map(|entry| entry.format)
                .find(|format| format.name == name)
                .ok_or_else(|| format!("unknown format {name}"))?;
            wide_only &= !matches!(format.form, Form::E32);
            let encoding = encoding(format, opcode, &fixes, operands)?;
            if encodings.iter().any(|other| other.form == encoding.form) {
                return Err(format!("two encodings in form {:?}", encoding.form));
            }
            encodings.push(encoding);
        }
        // An instruction that has the 64-bit form only is not called `_e64`.
        if wide_only {
            for encoding in &mut encodings {
                if encoding.form == Form::E64 {
                    encoding.form = Form::Native;
                }
            }
        }
        Ok(encodings)
    }

    fn index_opcodes(&mut self) -> Result<(), String> {
        for entry in &mut self.formats {
            for row in &self.rows {
                for (number, encoding) in row.encodings.iter().enumerate() {
                    if encoding.format.name != entry.format.name {
                        continue;
                    }
                    let opcode = encoding.opcode as usize;
                    if entry.opcodes.len() <= opcode {
                        entry.opcodes.resize_with(opcode + 1, SmallVec::new);
                    }
                    let candidates = &mut entry.opcodes[opcode];
                    for &(other, n) in candidates.iter() {
                        let other = &self.rows[usize::from(other.0)];
                        if other.encodings[usize::from(n)].required == encoding.required {
                            return Err(format!(
                                "{} and {} share opcode {opcode:#x} of {}",
                                other.mnemonic, row.mnemonic, entry.format.name
                            ));
                        }
                    }
                    candidates.push((row.id, number as u8));
                }
            }
            for candidates in &mut entry.opcodes {
                let rows = &self.rows;
                candidates.sort_by_key(|&(id, n)| {
                    let (mask, _) = rows[usize::from(id.0)].encodings[usize::from(n)].required;
                    std::cmp::Reverse(mask.count_ones())
                });
            }
        }
        Ok(())
    }
}

/// A constant that a row gives to a field.
#[derive(Clone)]
struct Fix {
    field: &'static str,
    value: u32,
    required: bool,
}

fn read_fix(text: &'static str) -> Result<Fix, String> {
    let (at, required) = match (text.find('='), text.find('~')) {
        (Some(at), _) => (at, true),
        (None, Some(at)) => (at, false),
        (None, None) => return Err(format!("`{text}` is not field=value")),
    };
    Ok(Fix { field: &text[..at], value: number(&text[at + 1..])?, required })
}

struct ReadOperand {
    spec: OperandSpec,
    only: Option<Form>,
}

fn read_operands(isa: Isa, column: &'static str) -> Result<Vec<ReadOperand>, String> {
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
            Some((role, form)) => (role, Some(read_form(form)?)),
            None => (role, None),
        };
        let access = match (both, written) {
            (true, _) => Access::ReadWrite,
            (false, true) => Access::Write,
            (false, false) => Access::Read,
        };
        let (ty, class) = match ImmKind::parse(ty) {
            Some(kind) => (Type { name: ty, kind: Kind::Uint, elem_bits: 32, lanes: 1 }, Class::Imm(kind)),
            None => {
                // A lane mask is as wide as the wave.
                let ty = match (ty, isa) {
                    ("lanes", Isa::Gfx950) => "b64",
                    ("lanes", Isa::Gfx1250) => "b32",
                    _ => ty,
                };
                let ty = Type::parse(ty).ok_or_else(|| format!("unknown type {ty}"))?;
                (ty, role::class_of(role).ok_or_else(|| format!("unknown role {role}"))?)
            }
        };
        operands.push(ReadOperand { spec: OperandSpec { role, ty, class, access }, only });
    }
    Ok(operands)
}

fn read_form(name: &str) -> Result<Form, String> {
    Ok(match name {
        "e32" => Form::E32,
        "e64" => Form::E64,
        "dpp16" => Form::Dpp16,
        "dpp8" => Form::Dpp8,
        "e64_dpp16" => Form::E64Dpp16,
        "e64_dpp8" => Form::E64Dpp8,
        "sdwa" => Form::Sdwa,
        _ => return Err(format!("unknown form {name}")),
    })
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

fn number(text: &str) -> Result<u32, String> {
    let parsed = match text.strip_prefix("0x") {
        Some(hex) => u32::from_str_radix(hex, 16),
        None => text.parse(),
    };
    parsed.map_err(|_| format!("`{text}` is not a number"))
}

fn encoding(
    format: &'static Format,
    opcode: u32,
    fixes: &[Fix],
    operands: &[ReadOperand],
) -> Result<Encoding, String> {
    let name = format.name;
    let opcode_width: u32 = format.opcode.iter().map(|&(_, width)| u32::from(width)).sum();
    if opcode >> opcode_width != 0 {
        return Err(format!("opcode {opcode:#x} does not fit {name}"));
    }
    let (mask, value) = format.pattern();
    let mut constant = value | format.put_opcode(opcode);
    let mut required = (0u128, 0u128);
    let mut used: SmallVec<[&Field; 16]> = SmallVec::new();
    for fix in fixes {
        let field = format.field(fix.field).ok_or_else(|| format!("{name} has no field {}", fix.field))?;
        if !field.fits(fix.value) {
            return Err(format!("{} does not fit field {}", fix.value, fix.field));
        }
        constant |= field.put(fix.value);
        if fix.required {
            required.0 |= field.put(u32::MAX);
            required.1 |= field.put(fix.value);
        }
        used.push(field);
    }
    let mut form_operands = Vec::new();
    for (index, ReadOperand { spec, only }) in operands.iter().enumerate() {
        if only.is_some_and(|form| form != format.form) {
            continue;
        }
        let field = format.field(spec.role);
        match field {
            Some(field) => used.push(field),
            None if matches!(
                spec.class,
                Class::Literal32 | Class::Literal64 | Class::Vcc | Class::Custom
            ) => {}
            None => return Err(format!("{name} has no field for operand {}", spec.role)),
        }
        form_operands.push((index, field));
    }
    let mut modifiers = Vec::new();
    for field in format.fields {
        if used.iter().any(|other| std::ptr::eq(*other, field)) {
            continue;
        }
        match modifier::by_name(field.name) {
            Some(modifier) => modifiers.push((field, modifier)),
            None => constant |= field.put(field.default),
        }
    }
    if constant & mask != value {
        return Err(format!("a fixed field of the row contradicts format {name}"));
    }
    let idle = idle_sources(format, &used);
    Ok(Encoding {
        form: format.form,
        format,
        opcode,
        operands: form_operands,
        modifiers,
        required,
        constant,
        idle,
    })
}

/// The source fields of a VOP3, VOP3P or scaled WMMA format that are not used: their bits, and their bits when they hold the
/// inline constant 0.
fn idle_sources(format: &'static Format, used: &[&Field]) -> (u128, u128) {
    if !format.name.starts_with("VOP3") && !format.name.starts_with("WMMA") {
        return (0, 0);
    }
    let taken = used.iter().fold(0, |mask, field| mask | field.mask());
    format
        .fields
        .iter()
        .filter(|field| {
            matches!(field.name, "src1" | "src2" | "src2_unused" | "ld_src2")
                && field.width() == 9
                && field.mask() & taken == 0
        })
        .fold((0, 0), |(mask, value), field| (mask | field.mask(), value | field.put(0x80)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_valid() {
        for isa in [Isa::Gfx950, Isa::Gfx1250] {
            if let Err(message) = Table::build(isa, FILES) {
                panic!("{message}");
            }
        }
    }

    fn refused(line: &'static str) -> String {
        match Table::build(Isa::Gfx950, &[("t.txt", line)]) {
            Ok(_) => panic!("accepted: {line}"),
            Err(message) => message,
        }
    }

    #[test]
    fn mistakes_are_named() {
        assert_eq!(refused("s_mov_b32 | gfx950 SOP1=0"), "t.txt:1: 2 columns instead of 4");
        assert_eq!(refused("s_x | gfx950 SOP9=0 | sdst:b32 = ssrc0:b32 |"), "t.txt:1: unknown format SOP9");
        assert_eq!(
            refused("s_x | gfx950 SOP1=0x100 | sdst:b32 = |"),
            "t.txt:1: opcode 0x100 does not fit SOP1"
        );
        assert_eq!(refused("s_x | gfx950 SOP1=0 | sdst:x32 = |"), "t.txt:1: unknown type x32");
        assert_eq!(refused("s_x | gfx950 SOP1=0 | nose:b32 = |"), "t.txt:1: unknown role nose");
        assert_eq!(refused("s_x | gfx950 SOP1=0 | sdst:b32 = | color"), "t.txt:1: unknown attribute color");
        assert_eq!(
            refused("s_x | gfx950 SOP1=0 | sdst:b32 = ssrc1:b32 |"),
            "t.txt:1: SOP1 has no field for operand ssrc1"
        );
        assert_eq!(
            refused("s_x | gfx950 SOP1=0 | sdst:b32 = |\ns_y | gfx950 SOP1=0 | sdst:b32 = |"),
            "s_x and s_y share opcode 0x0 of SOP1"
        );
    }
}
