//! The instruction table: the rows of one machine, found by name and by bits.
//!
//! The rows of all instruction sets are written in `table/*.txt` (module [`read`]); [`Table::of`] makes those of one
//! machine of them. A mistake in the files is our own: it panics with file and line, and a test builds every table.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use wavemark_target::{InstructionSet, Machine, Processor, WaveSize};

use crate::effects::RowEffects;
use crate::format::{self, Field, Format};
use crate::matrix::Trait;
use crate::role::Class;
use crate::row::{Encoding, OperandSpec, Row, RowId};
use crate::scalar::Sources;
use crate::ty::{Kind, Type};
use crate::vector::{self, Traits};
use crate::{Form, modifier};

mod family;
mod forms;
mod read;

use read::{EncodingDef, OperandDef, RowDef};

/// The attributes that rows may have. Implicit registers take `r`, `w` or `rw`.
pub static ATTRIBUTES: &[&str] = &[
    // Implicit registers.
    "scc",
    "vcc",
    "exec",
    "m0",
    "flat_scratch",
    "pc",
    // Reads the MODE register (rounding, denormals, exceptions).
    "mode",
    // Names: other spellings that the assembler takes.
    "alias",
    // Memory effect and counters.
    "mem",
    "cnt",
    // Branch, barrier, end, wait kinds: see `effects`.
    "flow",
    // Families' own flags.
    "scalar",
    "memory",
    "vector",
    "matrix",
];

/// The rows of one machine.
#[derive(Debug)]
pub struct Table {
    machine: Machine,
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

/// The rows of all instruction sets.
fn definitions() -> &'static [RowDef] {
    static ROWS: OnceLock<Vec<RowDef>> = OnceLock::new();
    ROWS.get_or_init(|| match read::rows(read::FILES) {
        Ok(rows) => rows,
        Err(message) => panic!("instruction table: {message}"),
    })
}

/// The formats of an instruction set.
fn formats(set: InstructionSet) -> &'static [Format] {
    static FORMATS: [OnceLock<Vec<Format>>; InstructionSet::ALL.len()] =
        [const { OnceLock::new() }; InstructionSet::ALL.len()];
    FORMATS[set as usize].get_or_init(|| match format::read::formats(format::read::FILES, set) {
        Ok(formats) => formats,
        Err(message) => panic!("instruction table: {message}"),
    })
}

impl Table {
    /// The table of a machine; built at the first call.
    pub fn of(machine: impl Into<Machine>) -> &'static Table {
        let machine = machine.into();
        static TABLES: [[OnceLock<Table>; 2]; Processor::ALL.len()] =
            [const { [const { OnceLock::new() }; 2] }; Processor::ALL.len()];
        let wave = usize::from(machine.wave_size == WaveSize::Wave64);
        TABLES[machine.processor as usize][wave].get_or_init(|| match Table::build(machine, definitions()) {
            Ok(table) => table,
            Err(message) => panic!("instruction table: {message}"),
        })
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

    fn build(machine: Machine, definitions: &[RowDef]) -> Result<Table, String> {
        let mut table = Table {
            machine,
            rows: Vec::new(),
            names: FxHashMap::default(),
            formats: Vec::new(),
            prefixes: vec![SmallVec::new(); 512],
        };
        let sets = machine.instruction_sets();
        // Those of a generic processor have the same formats.
        let set = sets.iter().next().ok_or("a machine without instruction set")?;
        for format in formats(set) {
            let (mask, value) = format.pattern();
            let top = |bits: u128| (bits as u32) >> 23;
            for prefix in 0..512u32 {
                if prefix & top(mask) == top(value) {
                    table.prefixes[prefix as usize].push(table.formats.len() as u8);
                }
            }
            table.formats.push(FormatIndex { format, mask, value, opcodes: Vec::new() });
        }
        for definition in definitions.iter().filter(|definition| definition.sets.contains(sets)) {
            let (file, line) = definition.place;
            table.add(definition).map_err(|message| {
                format!("{file}:{line}: {} on {}: {message}", definition.mnemonic, read::names(sets))
            })?;
        }
        table.index_opcodes()?;
        Ok(table)
    }

    fn add(&mut self, definition: &RowDef) -> Result<(), String> {
        let id = RowId(u16::try_from(self.rows.len()).map_err(|_| "too many rows")?);
        let encodings = self.encodings(definition)?;
        let family = encodings.first().ok_or("no encoding")?.format.family;
        let mut operands: Vec<OperandSpec> =
            definition.operands.iter().map(|operand| self.operand(operand)).collect::<Result<_, _>>()?;
        // A VGPR field of 9 bits has the bit that makes it an accumulation VGPR.
        for &(index, field) in encodings.iter().flat_map(|encoding| &encoding.operands) {
            if operands[index].class == Class::Vgpr && field.is_some_and(|field| field.width() == 9) {
                operands[index].class = Class::VgprOrAgpr;
            }
        }
        let mut row = Row {
            id,
            mnemonic: definition.mnemonic,
            family,
            operands,
            encodings,
            attributes: definition.attributes.clone(),
            effects: RowEffects::default(),
            traits: Traits::default(),
            sources: Sources::default(),
            matrix: Trait::default(),
        };
        row.traits = vector::read(self.machine, &row);
        if let Some(value) = row.attribute("matrix") {
            row.matrix = Trait::parse(value).ok_or_else(|| format!("matrix={value} says nothing"))?;
        }
        if let Some(value) = row.attribute("scalar") {
            row.sources =
                Sources::parse(value).ok_or_else(|| format!("scalar={value} says nothing of sources"))?;
        }
        row.effects = RowEffects::read(self.machine, &row)?;
        for &name in std::iter::once(&definition.mnemonic).chain(&definition.aliases) {
            self.names.entry(name).or_default().push(id);
        }
        self.rows.push(row);
        Ok(())
    }

    fn operand(&self, definition: &OperandDef) -> Result<OperandSpec, String> {
        let ty = match (definition.class, definition.ty) {
            (Class::Imm(_), name) => Type { name, kind: Kind::Uint, elem_bits: 32, lanes: 1 },
            // A lane mask is as wide as the wave.
            (_, "lanes") => Type::lanes(self.machine.wave_size),
            (_, name) => Type::parse(name)
                .or_else(|| Type::parse_spread(name, self.machine.lanes()))
                .ok_or_else(|| format!("unknown type {name}"))?,
        };
        Ok(OperandSpec { role: definition.role, ty, class: definition.class, access: definition.access })
    }

    fn encodings(&self, definition: &RowDef) -> Result<Vec<Encoding>, String> {
        let sets = self.machine.instruction_sets();
        let mut encodings: Vec<Encoding> = Vec::new();
        let mut wide_only = true;
        for written in definition.encodings.iter().filter(|encoding| encoding.sets.contains(sets)) {
            let format = self
                .formats
                .iter()
                .map(|entry| entry.format)
                .find(|format| format.name == written.format)
                .ok_or_else(|| format!("unknown format {}", written.format))?;
            wide_only &= !matches!(format.form, Form::E32);
            let encoding = encoding(format, written, &definition.operands)?;
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

pub(crate) fn number(text: &str) -> Result<u32, String> {
    let parsed = match text.strip_prefix("0x") {
        Some(hex) => u32::from_str_radix(hex, 16),
        None => text.parse(),
    };
    parsed.map_err(|_| format!("`{text}` is not a number"))
}

fn encoding(
    format: &'static Format,
    written: &EncodingDef,
    operands: &[OperandDef],
) -> Result<Encoding, String> {
    let name = format.name;
    let opcode = written.opcode;
    if !format.opcode.fits(opcode) {
        return Err(format!("opcode {opcode:#x} does not fit {name}"));
    }
    let (mask, value) = format.pattern();
    let mut constant = value | format.put_opcode(opcode);
    let mut required = (0u128, 0u128);
    let mut used: SmallVec<[&Field; 16]> = SmallVec::new();
    for fix in &written.fixes {
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
    for (index, spec) in operands.iter().enumerate() {
        if spec.only.is_some_and(|form| form != format.form) {
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
    for field in &format.fields {
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
        for &processor in Processor::ALL {
            for wave_size in [WaveSize::Wave32, WaveSize::Wave64] {
                if processor.allows(wave_size)
                    && let Err(message) =
                        Table::build(Machine { wave_size, ..Machine::new(processor) }, definitions())
                {
                    panic!("{processor}: {message}");
                }
            }
        }
    }

    fn refused(line: &'static str) -> String {
        let rows = match read::rows(&[("t.txt", line)]) {
            Ok(rows) => rows,
            Err(message) => return message,
        };
        match Table::build(Machine::new(Processor::Gfx950), &rows) {
            Ok(_) => panic!("accepted: {line}"),
            Err(message) => message,
        }
    }

    #[test]
    fn mistakes_are_named() {
        assert_eq!(refused("s_mov_b32 | SOP1 gfx9=0"), "t.txt:1: 2 columns instead of 4");
        assert_eq!(
            refused("s_x | SOP9 gfx9=0 | sdst:b32 = ssrc0:b32 |"),
            "t.txt:1: s_x on gfx950: unknown format SOP9"
        );
        assert_eq!(
            refused("s_x | SOP1 gfx9=0x100 | sdst:b32 = |"),
            "t.txt:1: s_x on gfx950: opcode 0x100 does not fit SOP1"
        );
        assert_eq!(refused("s_x | SOP1 gfx5=0 | sdst:b32 = |"), "t.txt:1: unknown instruction set gfx5");
        assert_eq!(refused("s_x | SOP1 gfx9=0 | sdst:x32 = |"), "t.txt:1: unknown type x32");
        assert_eq!(refused("s_x | SOP1 gfx9=0 | nose:b32 = |"), "t.txt:1: unknown role nose");
        assert_eq!(refused("s_x | SOP1 gfx9=0 | sdst:b32 = | color"), "t.txt:1: unknown attribute color");
        assert_eq!(
            refused("s_{x,y} | SOP1 gfx9=0x{1,0g} | sdst:b32 = |"),
            "t.txt:1: s_y: `0x0g` is not a number"
        );
        assert_eq!(
            refused("s_x | SOP1 gfx9=0 | sdst:b32 = ssrc1:b32 |"),
            "t.txt:1: s_x on gfx950: SOP1 has no field for operand ssrc1"
        );
        assert_eq!(
            refused("s_x | SOP1 gfx9=0 | sdst:b32 = |\ns_y | SOP1 gfx8+=0 | sdst:b32 = |"),
            "s_x and s_y share opcode 0x0 of SOP1"
        );
    }
}
