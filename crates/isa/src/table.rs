//! The instruction table: the rows of one machine, found by name and by bits.
//!
//! The rows of all instruction sets are written in `table/*.txt` (the header of `src/table/read.rs` has the grammar).
//! The build script checks them and makes an index (module `index`); a row itself is read from its line when it is
//! first asked for, so that a program pays for the instructions that it meets only.

use std::sync::OnceLock;

use smallvec::SmallVec;
use wavemark_target::{InstructionSets, Machine, Processor, WaveSize};

use crate::decode::Unused;
use crate::effects::RowEffects;
use crate::format::{Family, Field, Format};
use crate::image::Image;
use crate::matrix::Trait;
use crate::role::Class;
use crate::row::{Encoding, OperandSpec, Row, RowId};
use crate::scalar::Sources;
use crate::ty::{Kind, Type};
use crate::vector::{self, Traits};
use crate::{Form, Mods, memory, modifier};

mod atomic;
mod family;
#[cfg(test)]
mod files;
mod forms;
mod index;
#[cfg(test)]
mod link;
mod read;

use index::MachineIndex;
use read::{EncodingDef, OperandDef, RowDef};

/// Rows whose places are made together: a program meets few of them, and makes few places.
const LEAF: usize = 32;
type Leaf = [OnceLock<Box<Row>>; LEAF];

/// The rows of one machine.
#[derive(Debug)]
pub struct Table {
    machine: Machine,
    index: &'static MachineIndex,
    /// By row number, [`LEAF`] together; those of other machines stay empty.
    rows: Box<[OnceLock<Box<Leaf>>]>,
}

impl Table {
    /// The table of a machine.
    pub fn of(machine: Machine) -> &'static Table {
        static TABLES: [[OnceLock<Table>; 4]; Processor::ALL.len()] =
            [const { [const { OnceLock::new() }; 4] }; Processor::ALL.len()];
        let wave = usize::from(machine.wave_size == WaveSize::Wave64);
        let kind = 2 * usize::from(machine.one_async_queue) + wave;
        TABLES[machine.processor as usize][kind].get_or_init(|| Table {
            machine,
            index: match index::machine(machine.instruction_sets()) {
                Some(index) => index,
                None => unreachable!("the build script makes an index for every processor"),
            },
            rows: index::ROWS.chunks(LEAF).map(|_| OnceLock::new()).collect(),
        })
    }

    /// The row with this number, which must come from the same table.
    #[inline]
    pub fn row(&self, id: RowId) -> &Row {
        let number = usize::from(id.0);
        let leaf = self.rows[number / LEAF].get_or_init(|| Box::new([const { OnceLock::new() }; LEAF]));
        leaf[number % LEAF].get_or_init(|| self.read(id))
    }

    /// Reads a row. The build script has read it before, but for the values of its attributes; a mistake in them is
    /// our own, and a test reads every row.
    #[cold]
    fn read(&self, id: RowId) -> Box<Row> {
        let place = index::ROWS[usize::from(id.0)].place();
        let row = read::row_at(place, self.machine.instruction_sets())
            .and_then(|definition| self.row_of(id, &definition));
        match row {
            Ok(row) => Box::new(row),
            Err(message) => panic!("{}:{}: {message}", read::FILES[place.file].0, place.line),
        }
    }

    /// All rows.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &Row> + '_ {
        self.ids().iter().map(|&id| self.row(id))
    }

    /// The numbers of all rows.
    pub fn ids(&self) -> &'static [RowId] {
        self.index.rows
    }

    /// The rows called `name` (a mnemonic without encoding suffix, or an alias).
    pub fn by_mnemonic(&self, name: &str) -> impl Iterator<Item = &Row> + '_ {
        self.own(index::rows_called(name))
    }

    /// The rows that wait for counters, and those that write caches back or invalidate them.
    pub fn synchronisation(&self) -> impl Iterator<Item = &Row> + '_ {
        self.own(index::SYNCHRONISATION)
    }

    /// Those of the rows with these numbers that the machine has.
    fn own(&self, numbers: &'static [u16]) -> impl Iterator<Item = &Row> + '_ {
        let sets = self.machine.instruction_sets();
        let own = move |number: &&u16| index::ROWS[usize::from(**number)].sets().contains(sets);
        numbers.iter().filter(own).map(|&number| self.row(RowId(number)))
    }

    /// The instruction sets that have an instruction called `name`, whatever the machine.
    pub fn sets_with(name: &str) -> InstructionSets {
        let rows = index::rows_called(name).iter().map(|&number| index::ROWS[usize::from(number)].sets());
        rows.fold(InstructionSets::NONE, InstructionSets::union)
    }

    /// The name of an instruction of this machine that is likely meant by `name`, which is none.
    pub fn nearest(&self, name: &str) -> Option<&'static str> {
        let sets = self.machine.instruction_sets();
        let mine = |number: &u16| index::ROWS[usize::from(*number)].sets().contains(sets);
        wavemark_diag::nearest(name, index::names().filter(|name| index::rows_called(name).iter().any(mine)))
    }

    /// The formats that match the beginning of `bits`, the more specific first.
    #[inline]
    pub(crate) fn formats_of(&self, bits: u128) -> impl Iterator<Item = (u8, &'static Format)> + '_ {
        let prefix = (bits as u32) >> 23;
        self.index.formats_with(prefix).iter().filter_map(move |&number| {
            let entry = &self.index.formats[usize::from(number)];
            (bits & entry.mask == entry.value).then_some((number, entry.format))
        })
    }

    /// The row and encoding with this opcode of the format (an index from `formats_of`) whose required fields
    /// match.
    #[inline]
    pub(crate) fn find(&self, format: u8, bits: u128, unused: Unused) -> Option<(&Row, &Encoding)> {
        let entry = &self.index.formats[usize::from(format)];
        entry.candidates(entry.format.opcode_of(bits)).iter().find_map(|&(number, encoding)| {
            let row = self.row(RowId(number));
            let encoding = &row.encodings[usize::from(encoding)];
            let (mut mask, value) = encoding.required;
            if unused == Unused::Any {
                mask &= !encoding.unused_operands();
            }
            (bits & mask == value).then_some((row, encoding))
        })
    }

    fn row_of(&self, id: RowId, definition: &RowDef) -> Result<Row, String> {
        let encodings = self.encodings(definition)?;
        let first = encodings.first().ok_or("no encoding")?;
        let written = definition.operands_in(first.format);
        let family = encodings.first().ok_or("no encoding")?.format.family;
        let mut operands: Vec<OperandSpec> =
            written.iter().map(|operand| self.operand(operand)).collect::<Result<_, _>>()?;
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
            meaning: index::ROWS[usize::from(id.0)].meaning(),
            effects: RowEffects::default(),
            traits: Traits::default(),
            memory: memory::Traits::default(),
            sources: Sources::default(),
            image: None,
            matrix: Trait::default(),
        };
        row.traits = vector::read(self.machine, &row);
        row.memory = memory::read(self.machine, &row);
        if family == Family::Image {
            row.image = Some(Box::new(Image::read(self.machine, &row)?));
        }
        if let Some(value) = row.attribute("matrix") {
            row.matrix = Trait::parse(value).ok_or_else(|| format!("matrix={value} says nothing"))?;
        }
        if let Some(value) = row.attribute("scalar") {
            row.sources =
                Sources::parse(value).ok_or_else(|| format!("scalar={value} says nothing of sources"))?;
        }
        row.effects = RowEffects::read(self.machine, &row)?;
        Ok(row)
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
                .index
                .formats
                .iter()
                .map(|entry| entry.format)
                .find(|format| format.name == written.format)
                .ok_or_else(|| format!("unknown format {}", written.format))?;
            wide_only &= !matches!(format.form, Form::E32);
            let encoding = encoding(format, &written.in_waves(self.machine.wave_size), definition)?;
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
}

fn encoding(format: &'static Format, written: &EncodingDef, definition: &RowDef) -> Result<Encoding, String> {
    let name = format.name;
    let opcode = written.opcode;
    if !format.opcode.fits(opcode) {
        return Err(format!("opcode {opcode:#x} does not fit {name}"));
    }
    let (mask, value) = format.pattern();
    let mut constant = value | format.put_opcode(opcode);
    let mut used: SmallVec<[&Field; 16]> = SmallVec::new();
    for fix in &written.fixes {
        let field = format.field(fix.field).ok_or_else(|| format!("{name} has no field {}", fix.field))?;
        if !field.fits(fix.value) {
            return Err(format!("{} does not fit field {}", fix.value, fix.field));
        }
        constant |= field.put(fix.value);
        used.push(field);
    }
    let mut form_operands = Vec::new();
    for (index, spec) in definition.operands_in(format).iter().enumerate() {
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
    let taken = used.iter().fold(0, |bits, field| bits | field.mask());
    let mut modifiers = Vec::new();
    for field in format.fields {
        if used.iter().any(|other| std::ptr::eq(*other, field)) {
            continue;
        }
        if definition.must_be_zero(format, field) || field.ignored {
            continue;
        }
        match modifier::by_name(field.name) {
            Some(modifier) => modifiers.push((field, modifier)),
            // A field that shares bits with one that is used says what they mean in some cases.
            None if field.mask() & taken != 0 => {}
            None => constant |= field.put(field.default),
        }
    }
    if constant & mask != value {
        return Err(format!("a fixed field of the row contradicts format {name}"));
    }
    let idle = idle_sources(format, &used);
    let at_rest = modifiers.iter().fold((0, 0), |(mask, value), (field, modifier)| {
        (mask | field.mask(), value | field.put((modifier.get)(&Mods::default())))
    });
    Ok(Encoding {
        form: format.form,
        format,
        opcode,
        operands: form_operands,
        modifiers,
        at_rest,
        required: written.required(format, definition),
        constant,
        idle,
    })
}

/// The source fields of a VOP3, VOP3P or scaled WMMA format that are not used: their bits, and their bits when they hold the
/// inline constant 0.
fn idle_sources(format: &'static Format, used: &[&Field]) -> (u128, u128) {
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
    use crate::format::read::{FILES, formats};
    use crate::modifier::Modifier;

    #[test]
    fn every_row_can_be_read() {
        for &processor in Processor::ALL {
            for wave_size in [WaveSize::Wave32, WaveSize::Wave64] {
                if processor.allows(wave_size) {
                    let table = Table::of(Machine { wave_size, ..Machine::new(processor) });
                    assert!(table.rows().len() > 500, "{processor}");
                    assert!(table.rows().all(|row| !row.encodings.is_empty()), "{processor}");
                    for encoding in table.rows().flat_map(|row| &row.encodings) {
                        let at_rest = |&(field, modifier): &(&Field, &Modifier)| {
                            field.get(encoding.at_rest.1) == (modifier.get)(&Mods::default())
                        };
                        assert!(encoding.modifiers.iter().all(at_rest), "{processor} {encoding:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_index_is_that_of_the_files() {
        let rows = files::rows(read::FILES).expect("rows");
        let sets = Processor::Gfx1100.instruction_sets();
        let formats = sets.iter().next().map(|set| formats(FILES, set)).expect("a set").expect("formats");
        let linked = link::link(&rows, formats, sets, |file| read::FILES[file].0).expect("links");
        let index = index::machine(sets).expect("a machine");
        let numbers: Vec<usize> = index.rows.iter().map(|id| usize::from(id.0)).collect();
        assert_eq!(numbers, linked.rows);
        assert_eq!(index.formats.len(), linked.formats.len());
        for ((indexed, format), opcodes) in index.formats.iter().zip(&linked.formats).zip(&linked.opcodes) {
            assert_eq!(indexed.format, format);
            for (opcode, candidates) in opcodes.iter().enumerate() {
                let found = indexed.candidates(opcode as u32).iter();
                let found: Vec<_> =
                    found.map(|&(row, which)| (usize::from(row), usize::from(which))).collect();
                assert_eq!(&found, candidates, "{} {opcode:#x}", format.name);
            }
        }
    }

    #[test]
    fn every_name_is_found() {
        for name in index::names() {
            assert!(!index::rows_called(name).is_empty(), "{name}");
        }
        assert!(index::rows_called("s_mov").is_empty());
    }

    fn refused(line: &'static str) -> String {
        let rows = match files::rows(&[("t.txt", line)]) {
            Ok(rows) => rows,
            Err(message) => return message,
        };
        let sets = Processor::Gfx950.instruction_sets();
        let formats = sets.iter().next().map(|set| formats(FILES, set)).expect("a set").expect("formats");
        match link::link(&rows, formats, InstructionSets::from_bits(sets.bits()), |_| "t.txt") {
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
            "t.txt:2: s_y on gfx950: shares opcode 0x0 of SOP1 with s_x"
        );
    }
}
