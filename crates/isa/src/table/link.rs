//! Links rows to formats when the crate is built: which row an opcode of a format is, on every machine; and refuses
//! rows that cannot be.

use wavemark_target::{InstructionSet, InstructionSets};

use crate::format::Format;
use crate::role::Class;
use crate::table::read::{EncodingDef, OperandDef, Place, RowDef};

/// A candidate for an opcode: number of the row, number of its encoding on the machine.
pub(crate) type Candidate = (usize, usize);

/// What decoding on some machine needs.
#[derive(Debug)]
pub(crate) struct Linked {
    /// The formats, the more specific first where leading bits are equal.
    pub(crate) formats: Vec<Format>,
    /// For each format by opcode: the candidates, the most specific first.
    pub(crate) opcodes: Vec<Vec<Vec<Candidate>>>,
    /// Numbers of the machine's rows.
    pub(crate) rows: Vec<usize>,
}

/// Links the rows that a machine of these instruction sets has.
///
/// # Errors
/// A message with file and line of the row that is wrong. `file` names the files.
pub(crate) fn link(
    rows: &[(Place, RowDef)],
    formats: Vec<Format>,
    sets: InstructionSets,
    file: impl Fn(usize) -> &'static str,
) -> Result<Linked, String> {
    let mut opcodes: Vec<Vec<Vec<Candidate>>> = vec![Vec::new(); formats.len()];
    let mut numbers = Vec::new();
    for (number, (place, row)) in rows.iter().enumerate().filter(|(_, (_, row))| row.sets.contains(sets)) {
        let at = |message: String| {
            let names: Vec<&str> = sets.iter().map(InstructionSet::name).collect();
            format!("{}:{}: {} on {}: {message}", file(place.file), place.line, row.mnemonic, names.join(" "))
        };
        numbers.push(number);
        let encodings = row.encodings.iter().filter(|encoding| encoding.sets.contains(sets));
        for (which, encoding) in encodings.enumerate() {
            let mut known = false;
            for (format, opcodes) in formats.iter().zip(&mut opcodes) {
                if format.name == encoding.format {
                    known = true;
                    check(format, encoding, &row.operands).map_err(at)?;
                    add(opcodes, rows, format, sets, (number, which), encoding).map_err(at)?;
                }
            }
            if !known {
                return Err(at(format!("unknown format {}", encoding.format)));
            }
        }
    }
    for (format, opcodes) in formats.iter().zip(&mut opcodes) {
        for candidates in opcodes {
            candidates.sort_by_key(|&candidate| {
                std::cmp::Reverse(required(rows, sets, candidate, format).0.count_ones())
            });
        }
    }
    Ok(Linked { formats, opcodes, rows: numbers })
}

/// The encoding that a candidate is on a machine of these sets.
fn encoding_of(rows: &[(Place, RowDef)], sets: InstructionSets, (row, which): Candidate) -> &EncodingDef {
    let mut encodings = rows[row].1.encodings.iter().filter(|encoding| encoding.sets.contains(sets));
    encodings.nth(which).unwrap_or(&rows[row].1.encodings[0])
}

/// What decode requires of a candidate's bits.
fn required(
    rows: &[(Place, RowDef)],
    sets: InstructionSets,
    candidate: Candidate,
    format: &Format,
) -> (u128, u128) {
    encoding_of(rows, sets, candidate).required(format, &rows[candidate.0].1)
}

fn add(
    opcodes: &mut Vec<Vec<Candidate>>,
    rows: &[(Place, RowDef)],
    format: &Format,
    sets: InstructionSets,
    candidate: Candidate,
    encoding: &EncodingDef,
) -> Result<(), String> {
    let opcode = encoding.opcode as usize;
    if opcodes.len() <= opcode {
        opcodes.resize_with(opcode + 1, Vec::new);
    }
    let own = encoding.required(format, &rows[candidate.0].1);
    for &other in &opcodes[opcode] {
        if required(rows, sets, other, format) == own {
            let name = rows[other.0].1.mnemonic;
            return Err(format!("shares opcode {opcode:#x} of {} with {name}", format.name));
        }
    }
    opcodes[opcode].push(candidate);
    Ok(())
}

fn check(format: &Format, encoding: &EncodingDef, operands: &[OperandDef]) -> Result<(), String> {
    let name = format.name;
    if !format.opcode.fits(encoding.opcode) {
        return Err(format!("opcode {:#x} does not fit {name}", encoding.opcode));
    }
    let mut constant = 0;
    for fix in &encoding.fixes {
        let field = format.field(fix.field).ok_or_else(|| format!("{name} has no field {}", fix.field))?;
        if !field.fits(fix.value) {
            return Err(format!("{} does not fit field {}", fix.value, fix.field));
        }
        constant |= field.put(fix.value);
    }
    for operand in operands.iter().filter(|operand| operand.only.is_none_or(|form| form == format.form)) {
        let fieldless =
            matches!(operand.class, Class::Literal32 | Class::Literal64 | Class::Vcc | Class::Custom);
        if format.field(operand.role).is_none() && !fieldless && !operand.optional {
            return Err(format!("{name} has no field for operand {}", operand.role));
        }
    }
    let (mask, value) = format.pattern();
    if (constant | value) & mask != value {
        return Err(format!("a fixed field of the row contradicts format {name}"));
    }
    Ok(())
}
