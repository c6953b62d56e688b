//! All rows of the table files at once, for the build script and for tests.

use wavemark_target::InstructionSets;

use crate::table::read::{File, Part, Place, RowDef, read_row, without_comment};
use crate::table::{atomic, family};

/// All rows of the files, in their order.
///
/// # Errors
/// A message with file and line, and the member where the line is a family.
pub(crate) fn rows(files: &[File]) -> Result<Vec<(Place, RowDef)>, String> {
    let every = InstructionSets::from_bits(u32::MAX);
    let mut rows = Vec::new();
    for (file, (name, text)) in files.iter().enumerate() {
        let mut offset = 0;
        for (index, line) in text.lines().enumerate() {
            let at = |message: String| format!("{name}:{}: {message}", index + 1);
            let start = offset;
            offset += line.len() + 1;
            let line = without_comment(line);
            if line.is_empty() {
                continue;
            }
            let members = family::expand(line).map_err(at)?;
            let only = members.len() == 1;
            for (member, text) in members.into_iter().enumerate() {
                let text: &'static str = text.leak();
                let title = text.split('|').next().unwrap_or_default().trim();
                let groups = text.split('|').nth(1).unwrap_or_default().split(';').count();
                for group in 0..groups {
                    let place =
                        Place { file, line: index + 1, offset: start, member, group, part: Part::Whole };
                    let row = read_row(text, place, every).map_err(|message| match only {
                        true => at(message),
                        false => at(format!("{title}: {message}")),
                    })?;
                    for &part in parts(&row.attributes) {
                        rows.push((Place { part, ..place }, atomic::part(row.clone(), part)));
                    }
                }
            }
        }
    }
    Ok(rows)
}

/// The parts that a row has (module `atomic`).
fn parts(attributes: &[(&'static str, &'static str)]) -> &'static [Part] {
    let both = attributes.iter().any(|(key, value)| *key == "mem" && value.contains(".atomic?."));
    if both { &[Part::Plain, Part::Returning] } else { &[Part::Whole] }
}
