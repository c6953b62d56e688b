//! Reads and checks the table files and writes their index (module `table::index`) as static data. A mistake in the
//! files stops the build with file and line.

// The library's own modules, of which the build needs a part.
#![allow(dead_code, missing_docs)]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use wavemark_target::names::slot;
use wavemark_target::{InstructionSets, Processor};

#[path = "src/form.rs"]
mod form;
#[path = "src/format.rs"]
mod format;
#[path = "src/format/read.rs"]
mod format_read;
#[path = "src/number.rs"]
mod number;
#[path = "src/role.rs"]
mod role;
mod table {
    #[path = "../src/table/atomic.rs"]
    pub(crate) mod atomic;
    #[path = "../src/table/family.rs"]
    pub(crate) mod family;
    #[path = "../src/table/files.rs"]
    pub(crate) mod files;
    #[path = "../src/table/forms.rs"]
    pub(crate) mod forms;
    #[path = "../src/table/link.rs"]
    pub(crate) mod link;
    #[path = "../src/table/read.rs"]
    pub(crate) mod read;
}
#[path = "src/ty.rs"]
mod ty;

use form::Form;
use table::files;
use table::link::{Linked, link};
use table::read::{self, Place, RowDef};

fn main() {
    println!("cargo::rerun-if-changed=table");
    println!("cargo::rerun-if-changed=src");
    println!("cargo::rerun-if-changed=build.rs");
    let files = files::rows(read::FILES).and_then(|rows| {
        let meanings: BTreeSet<&str> = rows.iter().map(|(_, row)| meaning(row)).collect();
        Ok([("index.rs", index(&rows, &meanings)?), ("meanings.rs", meaning_constants(&meanings)?)])
    });
    let files = match files {
        Ok(files) => files,
        Err(message) => {
            println!("cargo::error={message}");
            std::process::exit(1);
        }
    };
    let folder = std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    for (name, text) in files {
        std::fs::write(std::path::Path::new(&folder).join(name), text).expect("OUT_DIR can be written");
    }
}

/// The index of rows, names and opcodes.
fn index(rows: &[(Place, RowDef)], meanings: &BTreeSet<&str>) -> Result<String, String> {
    if u16::try_from(rows.len()).is_err() {
        return Err(format!("{} rows are too many for 16 bits", rows.len()));
    }
    let mut out = String::new();
    write_rows(&mut out, rows, meanings);
    write_names(&mut out, rows);
    write_synchronisation(&mut out, rows);
    let mut writer = Machines::default();
    let mut known: Vec<InstructionSets> = Vec::new();
    for processor in Processor::ALL {
        let sets = processor.instruction_sets();
        if known.contains(&sets) {
            continue;
        }
        known.push(sets);
        // The members of a generic processor have the same formats.
        let first = sets.iter().next().ok_or("a processor without instruction set")?;
        let formats = format_read::formats(format_read::FILES, first)?;
        let linked = link(rows, formats, sets, |file| read::FILES[file].0)?;
        writer.add(sets, &linked);
    }
    writer.finish(&mut out);
    Ok(out)
}

/// The key of what a row computes: its `meaning=`, or its name.
fn meaning(row: &RowDef) -> &'static str {
    let written = row.attributes.iter().find(|(key, _)| *key == "meaning");
    written.map_or(row.mnemonic, |(_, value)| value)
}

/// One constant a key of what rows compute.
fn meaning_constants(meanings: &BTreeSet<&str>) -> Result<String, String> {
    let (mut constants, mut places, mut text) = (String::new(), Vec::new(), String::new());
    for (number, name) in meanings.iter().enumerate() {
        if !name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_')) {
            return Err(format!("meaning {name}: expected lower-case letters, digits and _"));
        }
        let constant = name.to_ascii_uppercase();
        let _ = writeln!(
            constants,
            "/// What `{name}` computes.\npub const {constant}: Meaning = Meaning({number});"
        );
        places.push((text.len(), name.len()));
        text.push_str(name);
    }
    let count = meanings.len();
    let _ = writeln!(constants, "/// How many keys there are.\npub const COUNT: usize = {count};");
    Ok(format!(
        "impl Meaning {{\n{constants}}}\nstatic TEXT: &str = {text:?};\nstatic PLACES: [(u16, u8); {count}] = {places:?};\n"
    ))
}

fn write_rows(out: &mut String, rows: &[(Place, RowDef)], meanings: &BTreeSet<&str>) {
    let numbers: BTreeMap<&str, usize> =
        meanings.iter().enumerate().map(|(number, &name)| (name, number)).collect();
    out.push_str("pub(super) static ROWS: &[RowIndex] = &[\n");
    for (place, row) in rows {
        let _ = writeln!(
            out,
            "RowIndex {{ sets: {:#x}, meaning: {}, file: {}, line: {}, offset: {}, member: {}, group: {}, part: {:?} }},",
            row.sets.bits(),
            numbers[meaning(row)],
            place.file,
            place.line,
            place.offset,
            place.member,
            place.group,
            place.part
        );
    }
    out.push_str("];\n");
}

fn write_names(out: &mut String, rows: &[(Place, RowDef)]) {
    let mut names: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (number, (_, row)) in rows.iter().enumerate() {
        for name in std::iter::once(&row.mnemonic).chain(&row.aliases) {
            let rows = names.entry(name).or_default();
            if rows.last() != Some(&number) {
                rows.push(number);
            }
        }
    }
    let size = (names.len() * 2).next_power_of_two();
    let mut slots = vec![0usize; size];
    let (mut entries, mut text, mut members) = (String::new(), String::new(), Vec::<usize>::new());
    for (index, (name, rows)) in names.iter().enumerate() {
        let mut at = slot(name, size);
        while slots[at] != 0 {
            at = (at + 1) % size;
        }
        slots[at] = index + 1;
        let _ = writeln!(entries, "({}, {}, {}, {}),", text.len(), name.len(), members.len(), rows.len());
        text.push_str(name);
        members.extend(rows);
    }
    let _ = writeln!(out, "static NAME_SLOTS: [u16; {size}] = {slots:?};");
    let _ = writeln!(out, "static NAME_TEXT: &str = {text:?};");
    let _ = writeln!(out, "static NAMES: &[(u32, u8, u16, u8)] = &[\n{entries}];");
    let _ = writeln!(out, "static NAME_ROWS: &[u16] = &{members:?};");
}

fn write_synchronisation(out: &mut String, rows: &[(Place, RowDef)]) {
    let synchronises = |row: &RowDef| {
        let mut attributes = row.attributes.iter();
        attributes.any(|(key, value)| *key == "wait" || *key == "mem" && value.contains(".cache."))
    };
    let numbered = rows.iter().enumerate().filter(|(_, (_, row))| synchronises(row));
    let numbers: Vec<usize> = numbered.map(|(number, _)| number).collect();
    let _ = writeln!(out, "pub(super) static SYNCHRONISATION: &[u16] = &{numbers:?};");
}

/// Prints as the library's row number.
#[derive(Debug)]
struct RowId(usize);

/// The machines' part of the index; what is the same on several stands once.
#[derive(Default)]
struct Machines {
    formats: Vec<String>,
    candidates: Vec<(usize, usize)>,
    lists: BTreeMap<Vec<(usize, usize)>, usize>,
    opcodes: Vec<Vec<usize>>,
    prefixes: Vec<Vec<usize>>,
    machines: String,
}

impl Machines {
    fn add(&mut self, sets: InstructionSets, linked: &Linked) {
        let mut formats = String::new();
        for (format, opcodes) in linked.formats.iter().zip(&linked.opcodes) {
            // A derived `Debug` is Rust, but for slices.
            let text = format!("{format:?}").replace(": [", ": &[");
            let format_number = intern(&mut self.formats, text);
            let entries = opcodes.iter().map(|candidates| self.entry(candidates)).collect();
            let opcodes_number = intern(&mut self.opcodes, entries);
            let (mask, value) = format.pattern();
            let _ = write!(
                formats,
                "FormatIndex {{ format: &FORMATS[{format_number}], mask: {mask:#x}, value: {value:#x}, opcodes: \
                 OPCODES[{opcodes_number}] }}, "
            );
        }
        let prefixes: Vec<usize> = (0..512u32)
            .map(|prefix| {
                let top = |bits: u128| (bits as u32) >> 23;
                let fits = |(_, format): &(usize, &format::Format)| {
                    let (mask, value) = format.pattern();
                    prefix & top(mask) == top(value)
                };
                let fitting =
                    linked.formats.iter().enumerate().filter(fits).map(|(number, _)| number).collect();
                intern(&mut self.prefixes, fitting)
            })
            .collect();
        let _ = writeln!(
            self.machines,
            "MachineIndex {{ sets: {:#x}, formats: &[{formats}], prefixes: &{prefixes:?}, rows: &{:?} }},",
            sets.bits(),
            linked.rows.iter().map(|&number| RowId(number)).collect::<Vec<_>>()
        );
    }

    /// How an opcode's entry finds its candidates.
    fn entry(&mut self, candidates: &[(usize, usize)]) -> usize {
        if candidates.is_empty() {
            return 0;
        }
        let start = *self.lists.entry(candidates.to_vec()).or_insert_with(|| {
            self.candidates.extend(candidates);
            self.candidates.len() - candidates.len()
        });
        start << 8 | candidates.len()
    }

    fn finish(self, out: &mut String) {
        let formats = self.formats.join(",\n");
        let _ = writeln!(out, "static FORMATS: [Format; {}] = [{formats}];", self.formats.len());
        let _ = writeln!(out, "static CANDIDATES: &[(u16, u8)] = &{:?};", self.candidates);
        let lists = |name: &str, ty: &str, lists: &[Vec<usize>], out: &mut String| {
            let texts: Vec<String> = lists.iter().map(|list| format!("&{list:?}")).collect();
            let _ = writeln!(out, "static {name}: [&[{ty}]; {}] = [{}];", lists.len(), texts.join(",\n"));
        };
        lists("OPCODES", "u32", &self.opcodes, out);
        lists("PREFIXES", "u8", &self.prefixes, out);
        let _ = writeln!(out, "static MACHINES: &[MachineIndex] = &[\n{}];", self.machines);
    }
}

/// The place of `item` in `items`, where it is put if it is new.
fn intern<T: PartialEq>(items: &mut Vec<T>, item: T) -> usize {
    if let Some(at) = items.iter().position(|known| *known == item) {
        return at;
    }
    items.push(item);
    items.len() - 1
}
