//! Where inlined code was called: the `DW_TAG_inlined_subroutine` entries of `.debug_info` (DWARF 5, 3.3.8.2).
//!
//! This only adds to what the line table says. What is damaged, or shares so much that it would grow out of all
//! proportion, leaves the callers out; it is no error of the code object.

use std::collections::HashMap;

use gimli::{
    AttributeValue, DW_AT_call_column, DW_AT_call_file, DW_AT_call_line, DW_AT_high_pc, DW_AT_low_pc,
};

use crate::dwarf::sections::Slice;

/// Files of a line program: the index of the first one, and the number that it has in the program.
pub(super) type FirstFile = (usize, u64);

/// A range of addresses into which a function was inlined, and where it was called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// First address.
    pub start: u64,
    /// The address after the last.
    pub end: u64,
    /// How deep it is among other entries: the innermost call is the deepest.
    pub depth: isize,
    /// Index into [`super::LineTable::files`].
    pub file: usize,
    /// Line from 1; 0 if unknown.
    pub line: u32,
    /// Column from 1; 0 if unknown.
    pub column: u32,
}

/// All calls, the deepest first; at most `limit`.
pub(super) fn calls(
    dwarf: &gimli::Dwarf<Slice<'_>>,
    files: &HashMap<usize, FirstFile>,
    limit: usize,
) -> Vec<Call> {
    let mut calls = Vec::new();
    // What was read before the damage is right.
    _ = read(dwarf, files, limit, &mut calls);
    calls.sort_by_key(|call| (std::cmp::Reverse(call.depth), call.start));
    calls
}

fn read(
    dwarf: &gimli::Dwarf<Slice<'_>>,
    files: &HashMap<usize, FirstFile>,
    limit: usize,
    calls: &mut Vec<Call>,
) -> gimli::Result<()> {
    let mut headers = dwarf.units();
    let mut units = 0;
    while let Some(header) = headers.next()? {
        units += 1;
        if units > limit {
            return Ok(());
        }
        let unit = dwarf.unit(header)?;
        let program = unit.line_program.as_ref().map(|program| program.header().offset());
        let Some(&(first, number)) = program.and_then(|offset| files.get(&offset.0)) else { continue };
        let mut entries = unit.entries();
        while let Some(entry) = entries.next_dfs()? {
            if entry.tag() != gimli::DW_TAG_inlined_subroutine {
                continue;
            }
            let value = |name| entry.attr_value(name).as_ref().and_then(AttributeValue::udata_value);
            let file = match entry.attr_value(DW_AT_call_file) {
                Some(AttributeValue::FileIndex(index)) => Some(index),
                other => other.as_ref().and_then(AttributeValue::udata_value),
            };
            let Some(file) = file.and_then(|file| file.checked_sub(number)) else { continue };
            let small = |value: Option<u64>| value.map_or(0, |value| u32::try_from(value).unwrap_or(0));
            let depth = entry.depth();
            let (line, column) = (small(value(DW_AT_call_line)), small(value(DW_AT_call_column)));
            if !ends(dwarf, &unit, entry)? {
                return Err(gimli::Error::AddressOverflow);
            }
            let mut ranges = dwarf.die_ranges(&unit, entry)?;
            while let Some(range) = ranges.next()? {
                if calls.len() == limit {
                    return Ok(());
                }
                let file = first.saturating_add(usize::try_from(file).unwrap_or(usize::MAX));
                calls.push(Call { start: range.begin, end: range.end, depth, file, line, column });
            }
        }
    }
    Ok(())
}

/// Whether the code of an entry that says its size ends at an address; gimli adds without looking.
fn ends<'o>(
    dwarf: &gimli::Dwarf<Slice<'o>>,
    unit: &gimli::Unit<Slice<'o>>,
    entry: &gimli::DebuggingInformationEntry<Slice<'o>>,
) -> gimli::Result<bool> {
    let Some(AttributeValue::Udata(size)) = entry.attr_value(DW_AT_high_pc) else { return Ok(true) };
    let Some(low) = entry.attr_value(DW_AT_low_pc) else { return Ok(true) };
    let begin = dwarf.attr_address(unit, low)?;
    Ok(begin.is_none_or(|begin| begin.checked_add(size).is_some()))
}
