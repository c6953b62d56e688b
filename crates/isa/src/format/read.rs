//! Reads `table/formats/*.txt`, when the crate is built: the build script writes the formats as static data.
//!
//! Anatomy of a line, four columns separated by `|`; `#` starts a comment:
//!
//! ```text
//! NAME SETS | form dwords [literal] [pair] [addressing] [zero_offset] | bits=value… op=bits | field=bits…
//! VOP2 gfx6+ | e32 1 literal | 31=0 op=30:25 | vdst=24:17 src0=8:0 src1=16:9^0x100
//! SMEM gfx9 : SMEM@gfx8 | | | soe=14 soffset=63:57 offset=52:32s
//! group dpp8 | src0=7:0^0x100 dpp8=31:8
//! ```
//!
//! * SETS are instruction sets ([`wavemark_target::InstructionSets::parse`]); `: NAME@SET` says which format the line
//!   changes, `: NAME@` that of the same instruction set. Empty columns are inherited. A line that changes a
//!   format of its own name replaces it.
//! * `op=-` is a format of one instruction, without opcode.
//! * `bits` are `31`, `31:26`, or pieces `7:0,55` with the least significant first; `-` is no bits, and removes what is
//!   inherited.
//! * addressing and `zero_offset` are those of memory formats ([`Addressing`], [`Format::zero_offset`]).
//! * behind a field's bits may stand `s` (a signed number), `<<N` (N low bits are left out), `^X` (reads as its bits
//!   xor X), `?X` (written X where the row does not use it), `!` (must be 0 where the row does not use it, but for the
//!   bits that it shares with fields that the row uses), `~` (means nothing but in rows that fix it). `-field` removes an inherited field, `group@N` inserts the
//!   fields of a group with N added to their bits.

use wavemark_target::{InstructionSet, InstructionSets};

use crate::Form;
use crate::format::{Addressing, Family, Field, Format};

/// A format file: its name for messages, the family of its formats, its text.
pub(crate) type File = (&'static str, Family, &'static str);

pub(crate) static FILES: &[File] = &[
    ("table/formats/scalar.txt", Family::Scalar, include_str!("../../table/formats/scalar.txt")),
    ("table/formats/memory.txt", Family::Memory, include_str!("../../table/formats/memory.txt")),
    ("table/formats/vector.txt", Family::Vector, include_str!("../../table/formats/vector.txt")),
    ("table/formats/matrix.txt", Family::Matrix, include_str!("../../table/formats/matrix.txt")),
    ("table/formats/image.txt", Family::Image, include_str!("../../table/formats/image.txt")),
    ("table/formats/export.txt", Family::Export, include_str!("../../table/formats/export.txt")),
];

/// The formats of an instruction set, the more specific first where leading bits are equal.
///
/// # Errors
/// A message with file and line.
pub(crate) fn formats(files: &[File], set: InstructionSet) -> Result<Vec<Format>, String> {
    let mut all: Vec<(InstructionSets, Draft)> = Vec::new();
    for &(file, family, text) in files {
        let mut groups: Vec<(&str, Vec<Field>)> = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default().trim();
            if !line.is_empty() {
                add(&mut all, &mut groups, family, line)
                    .map_err(|message| format!("{file}:{}: {message}", number + 1))?;
            }
        }
    }
    let wanted = InstructionSets::of(set);
    let mut formats: Vec<Format> =
        all.into_iter().filter(|(sets, _)| sets.contains(wanted)).map(|(_, draft)| draft.finish()).collect();
    formats.sort_by_key(|format| std::cmp::Reverse(format.pattern().0.count_ones()));
    Ok(formats)
}

/// A format in the making.
#[derive(Clone)]
struct Draft {
    format: Format,
    fixed: Vec<(u8, u8, u32)>,
    fields: Vec<Field>,
}

impl Draft {
    /// The format, which lives as long as the program.
    fn finish(self) -> Format {
        Format { fixed: self.fixed.leak(), fields: self.fields.leak(), ..self.format }
    }
}

fn add(
    all: &mut Vec<(InstructionSets, Draft)>,
    groups: &mut Vec<(&'static str, Vec<Field>)>,
    family: Family,
    line: &'static str,
) -> Result<(), String> {
    let columns: Vec<&'static str> = line.split('|').map(str::trim).collect();
    if let [head, fields] = columns[..]
        && let Some(name) = head.strip_prefix("group ")
    {
        let mut members = Vec::new();
        apply(&mut members, fields, groups)?;
        groups.push((name.trim(), members));
        return Ok(());
    }
    let [head, shape, bits, fields] = columns[..] else {
        return Err(format!("{} columns instead of 4", columns.len()));
    };
    let (head, parent) = match head.split_once(':') {
        Some((head, parent)) => (head.trim(), Some(parent.trim())),
        None => (head, None),
    };
    let (name, sets) = head.split_once(' ').ok_or("a line begins with NAME SETS")?;
    let sets = InstructionSets::parse(sets.trim())?;
    let Some(parent) = parent else {
        let format = Format {
            name,
            family,
            form: Form::Native,
            dwords: 0,
            fixed: &[],
            opcode: plain_field("op"),
            fields: &[],
            literal: false,
            pair: false,
            addressing: None,
            zero_offset: false,
        };
        let mut draft = Draft { format, fixed: Vec::new(), fields: Vec::new() };
        change(&mut draft, shape, bits, fields, groups)?;
        all.push((sets, draft));
        return Ok(());
    };
    let (base, of) = parent.split_once('@').ok_or("a parent is NAME@SETS or NAME@")?;
    let mut rest = sets;
    while let Some(set) = rest.iter().next() {
        // All sets with the same parent make one format.
        let wanted = match of {
            "" => InstructionSets::of(set),
            of => InstructionSets::parse(of)?,
        };
        let found = all.iter().rposition(|(sets, draft)| draft.format.name == base && sets.contains(wanted));
        let index = found.ok_or_else(|| format!("no format {base} of {}", set.name()))?;
        let together =
            if of.is_empty() { InstructionSets::from_bits(rest.bits() & all[index].0.bits()) } else { rest };
        let mut draft = all[index].1.clone();
        draft.format.name = name;
        draft.format.family = family;
        change(&mut draft, shape, bits, fields, groups)?;
        for (sets, _) in all.iter_mut().filter(|(_, other)| other.format.name == name && base == name) {
            *sets = InstructionSets::from_bits(sets.bits() & !together.bits());
        }
        all.push((together, draft));
        rest = InstructionSets::from_bits(rest.bits() & !together.bits());
    }
    Ok(())
}

/// Applies the columns of a line to a format.
fn change(
    draft: &mut Draft,
    shape: &str,
    bits: &'static str,
    fields: &'static str,
    groups: &[(&'static str, Vec<Field>)],
) -> Result<(), String> {
    let mut words = shape.split_whitespace();
    if let Some(form) = words.next() {
        draft.format.form = Form::by_name(form).ok_or_else(|| format!("unknown form {form}"))?;
        let dwords = words.next().and_then(|word| word.parse().ok());
        draft.format.dwords =
            dwords.ok_or("a shape is `form dwords [literal] [pair] [addressing] [zero_offset]`")?;
        (draft.format.literal, draft.format.pair, draft.format.zero_offset) = (false, false, false);
        for word in words {
            match (word, addressing(word)) {
                ("literal", _) => draft.format.literal = true,
                ("pair", _) => draft.format.pair = true,
                ("zero_offset", _) => draft.format.zero_offset = true,
                (_, Some(known)) => draft.format.addressing = Some(known),
                (_, None) => return Err(format!("unexpected {word}")),
            }
        }
    }
    let mut has_opcode = !draft.fixed.is_empty();
    for token in bits.split_whitespace() {
        let (place, value) = token.split_once('=').ok_or_else(|| format!("{token} is not bits=value"))?;
        if place == "op" {
            draft.format.opcode.pieces = if value == "-" { &[] } else { pieces(value)? };
            has_opcode = true;
            continue;
        }
        let &[(lo, width)] = pieces(place)? else {
            return Err(format!("{place} is not one range of bits"));
        };
        draft.fixed.retain(|fixed| (fixed.0, fixed.1) != (lo, width));
        if value != "-" {
            let value = crate::number::number(value)?;
            if u64::from(value) >> width != 0 {
                return Err(format!("{value:#x} does not fit bits {place}"));
            }
            draft.fixed.push((lo, width, value));
        }
    }
    apply(&mut draft.fields, fields, groups)?;
    if draft.format.dwords == 0 || !has_opcode {
        return Err("a format needs a shape and an opcode".to_owned());
    }
    Ok(())
}

/// The form of addresses of this name.
fn addressing(name: &str) -> Option<Addressing> {
    Some(match name {
        "scalar" => Addressing::ScalarBase,
        "lds" => Addressing::Lds,
        "lds2" => Addressing::Lds2,
        "flat" => Addressing::Flat,
        "global" => Addressing::Global,
        "scratch" => Addressing::Scratch,
        "buffer" => Addressing::Buffer,
        "tbuffer" => Addressing::TypedBuffer,
        "descriptor" => Addressing::Descriptor,
        _ => return None,
    })
}

/// Adds, replaces and removes fields.
fn apply(
    fields: &mut Vec<Field>,
    column: &'static str,
    groups: &[(&'static str, Vec<Field>)],
) -> Result<(), String> {
    for token in column.split_whitespace() {
        if let Some(name) = token.strip_prefix('-') {
            let at = fields.iter().position(|field| field.name == name);
            fields.remove(at.ok_or_else(|| format!("there is no field {name} to remove"))?);
            continue;
        }
        let Some((name, text)) = token.split_once('=') else {
            let (name, at) = token.split_once('@').unwrap_or((token, "0"));
            let (_, members) =
                groups.iter().find(|group| group.0 == name).ok_or_else(|| format!("unknown group {name}"))?;
            let at = u8::try_from(crate::number::number(at)?).map_err(|_| format!("{at} is no bit"))?;
            for member in members {
                let pieces: Vec<(u8, u8)> =
                    member.pieces.iter().map(|&(lo, width)| (lo + at, width)).collect();
                insert(fields, Field { pieces: pieces.leak(), ..*member });
            }
            continue;
        };
        insert(fields, field(name, text)?);
    }
    Ok(())
}

fn insert(fields: &mut Vec<Field>, field: Field) {
    match fields.iter_mut().find(|other| other.name == field.name) {
        Some(other) => *other = field,
        None => fields.push(field),
    }
}

fn plain_field(name: &'static str) -> Field {
    Field { name, pieces: &[], default: 0, shift: 0, flip: 0, signed: false, zero: false, ignored: false }
}

/// A field of this name from its `bits` and what stands behind them.
fn field(name: &'static str, text: &str) -> Result<Field, String> {
    let mut field = plain_field(name);
    let mut rest = text;
    if let Some(before) = rest.strip_suffix('~') {
        field.ignored = true;
        rest = before;
    }
    if let Some(before) = rest.strip_suffix('!') {
        field.zero = true;
        rest = before;
    }
    for (mark, slot) in [("?", &mut field.default), ("^", &mut field.flip)] {
        if let Some((before, value)) = rest.split_once(mark) {
            *slot = crate::number::number(value)?;
            rest = before;
        }
    }
    if let Some((before, value)) = rest.split_once("<<") {
        field.shift =
            u8::try_from(crate::number::number(value)?).map_err(|_| format!("{text} is no field"))?;
        rest = before;
    }
    if let Some(before) = rest.strip_suffix('s') {
        field.signed = true;
        rest = before;
    }
    field.pieces = if rest == "-" { &[] } else { pieces(rest)? };
    Ok(field)
}

/// `7:0,55`: (lowest bit, width) of each piece.
fn pieces(text: &str) -> Result<&'static [(u8, u8)], String> {
    let bit = |text: &str| text.parse::<u8>().ok().filter(|&bit| bit < 128);
    let piece = |part: &str| match part.split_once(':') {
        Some((high, low)) => bit(high).zip(bit(low)).filter(|(high, low)| low <= high && high - low < 32),
        None => bit(part).map(|bit| (bit, bit)),
    };
    text.split(',')
        .map(|part| {
            piece(part).map(|(high, low)| (low, high - low + 1)).ok_or_else(|| format!("{part} are no bits"))
        })
        .collect::<Result<Vec<_>, _>>()
        .map(|pieces| &*pieces.leak())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &'static str, set: InstructionSet) -> Result<String, String> {
        let formats = formats(&[("t.txt", Family::Vector, text)], set)?;
        Ok(formats
            .iter()
            .map(|format| {
                let fields: Vec<String> =
                    format.fields.iter().map(|field| format!("{}{:?}", field.name, field.pieces)).collect();
                format!(
                    "{} {:?} op{:?} {}",
                    format.name,
                    format.fixed,
                    format.opcode.pieces,
                    fields.join(" ")
                )
            })
            .collect::<Vec<_>>()
            .join("; "))
    }

    #[test]
    fn inheritance() {
        let text =
            "A gfx8 | native 2 | 31:26=0x30 op=25:18 | x=5:0 y=9\nA gfx9+ : A@gfx8 | | 31:26=0x31 | -y z=10";
        assert_eq!(
            read(text, InstructionSet::Gfx801).as_deref(),
            Ok("A [(26, 6, 48)] op[(18, 8)] x[(0, 6)] y[(9, 1)]")
        );
        assert_eq!(
            read(text, InstructionSet::Gfx1030).as_deref(),
            Ok("A [(26, 6, 49)] op[(18, 8)] x[(0, 6)] z[(10, 1)]")
        );
    }

    #[test]
    fn mistakes_are_named() {
        let message = |text| read(text, InstructionSet::Gfx900).expect_err("refused");
        assert_eq!(message("A gfx9 | native 1"), "t.txt:1: 2 columns instead of 4");
        assert_eq!(message("A gfx9 | native 1 | 31=2 op=3:0 |"), "t.txt:1: 0x2 does not fit bits 31");
        assert_eq!(message("A gfx9 : B@gfx8 | | |"), "t.txt:1: no format B of gfx900");
        assert_eq!(message("A gfx9 | native 1 | 31=1 op=3:0 | -x"), "t.txt:1: there is no field x to remove");
    }
}
