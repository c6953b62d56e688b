//! Units of `.debug_info` as text: every entry with every attribute.

use std::collections::HashMap;
use std::fmt::{self, Write};
use std::sync::Arc;

use gimli::{Abbreviations, Attribute, AttributeValue, Dwarf, Reader, Section, Unit, UnitHeader, UnitType};

use super::sections::Slice;
use super::text::Out;
use super::{Numbering, expression, memory_space};

/// Attributes of the heterogeneous DWARF extensions that gimli does not name.
const LLVM_ATTRIBUTES: &[(u16, &str)] = &[
    (0x3f08, "DW_AT_LLVM_active_lane"),
    (0x3f09, "DW_AT_LLVM_augmentation"),
    (0x3f0a, "DW_AT_LLVM_lanes"),
    (0x3f0b, "DW_AT_LLVM_lane_pc"),
    (0x3f0c, "DW_AT_LLVM_vector_size"),
    (0x3f0d, "DW_AT_LLVM_address_space"),
    (0x3f0e, "DW_AT_LLVM_memory_space"),
];
const DW_AT_LLVM_AUGMENTATION: gimli::DwAt = gimli::DwAt(0x3f09);

/// The calling convention of kernels in LLVM.
const DW_CC_LLVM_DEVICE_KERNEL: gimli::DwCc = gimli::DwCc(0xc7);

/// Reads units so that what they share is read once, and what overlaps ends it.
pub(super) struct Units<'a> {
    dwarf: &'a Dwarf<Slice<'a>>,
    abbreviations: HashMap<usize, Arc<Abbreviations>>,
    /// Bytes of abbreviations and line headers that may still be read: tables do not overlap, so a small multiple of
    /// the sections is enough for every file but those that are made to be read for hours.
    budget: usize,
}

type Failure = String;

impl<'a> Units<'a> {
    pub(super) fn new(dwarf: &'a Dwarf<Slice<'a>>) -> Units<'a> {
        let sizes = dwarf.debug_abbrev.reader().len() + 64 * dwarf.debug_line.reader().len();
        Units { dwarf, abbreviations: HashMap::new(), budget: 2 * sizes + 4096 }
    }

    fn spend(&mut self, bytes: usize, what: &str) -> Result<(), Failure> {
        self.budget = self.budget.checked_sub(bytes).ok_or_else(|| format!("{what} that overlap"))?;
        Ok(())
    }

    fn unit(&mut self, header: UnitHeader<Slice<'a>>) -> Result<Unit<Slice<'a>>, Failure> {
        let offset = header.debug_abbrev_offset().0;
        if !self.abbreviations.contains_key(&offset) {
            let table = self.dwarf.debug_abbrev.reader().slice().get(offset..).unwrap_or_default();
            self.spend(table_size(table, self.budget), "tables of abbreviations")?;
            let abbreviations = header.abbreviations(&self.dwarf.debug_abbrev).map_err(|e| e.to_string())?;
            self.abbreviations.insert(offset, Arc::new(abbreviations));
        }
        let abbreviations = self.abbreviations.get(&offset).cloned().unwrap_or_default();
        let unit =
            Unit::new_with_abbreviations(self.dwarf, header, abbreviations).map_err(|e| e.to_string())?;
        if let Some(program) = &unit.line_program {
            self.spend(program.header().header_length(), "headers of line tables")?;
        }
        Ok(unit)
    }

    /// Every unit, with its entries.
    pub(super) fn write(&mut self, out: &mut Out) -> fmt::Result {
        let mut headers = self.dwarf.units();
        let mut type_headers = self.dwarf.type_units();
        loop {
            let header = match headers.next() {
                Ok(Some(header)) => Ok(header),
                Ok(None) => match type_headers.next() {
                    Ok(Some(header)) => Ok(header),
                    Ok(None) => return Ok(()),
                    Err(error) => Err(error),
                },
                Err(error) => Err(error),
            };
            let header = match header {
                Ok(header) => header,
                Err(error) => return writeln!(out, "\nerror: the header of a unit: {error}"),
            };
            unit_header(out, &header)?;
            match self.unit(header) {
                Ok(unit) => entries(out, self.dwarf, &unit)?,
                Err(error) => writeln!(out, "  error: {error}")?,
            }
        }
    }
}

/// Bytes of a table of abbreviations up to the 0 that ends it; `limit` plus one if it is longer.
fn table_size(table: &[u8], limit: usize) -> usize {
    let mut rest = gimli::EndianSlice::new(table, gimli::LittleEndian);
    let mut read = || -> gimli::Result<()> {
        loop {
            if table.len() - rest.len() > limit || rest.read_uleb128()? == 0 {
                return Ok(());
            }
            rest.read_uleb128()?;
            rest.read_u8()?;
            loop {
                let (name, form) = (rest.read_uleb128()?, rest.read_uleb128()?);
                if form == u64::from(gimli::DW_FORM_implicit_const.0) {
                    rest.read_sleb128()?;
                }
                if (name, form) == (0, 0) || table.len() - rest.len() > limit {
                    break;
                }
            }
        }
    };
    // What cannot be read is told by whoever reads it in earnest.
    _ = read();
    table.len() - rest.len()
}

fn unit_header(out: &mut Out, header: &UnitHeader<Slice<'_>>) -> fmt::Result {
    let kind = match header.type_() {
        UnitType::Compilation => "compile",
        UnitType::Type { .. } => "type",
        UnitType::Partial => "partial",
        UnitType::Skeleton(_) => "skeleton",
        UnitType::SplitCompilation(_) => "split compile",
        UnitType::SplitType { .. } => "split type",
    };
    writeln!(
        out,
        "\n{kind} unit at {:#x} of {}: DWARF {}, {}-bit, addresses of {} bytes",
        unit_offset(header),
        header.section().name(),
        header.version(),
        8 * header.format().word_size(),
        header.address_size()
    )
}

fn unit_offset(header: &UnitHeader<Slice<'_>>) -> usize {
    header.offset().0
}

fn entries<'a>(out: &mut Out, dwarf: &Dwarf<Slice<'a>>, unit: &Unit<Slice<'a>>) -> fmt::Result {
    let base = unit_offset(&unit.header);
    let mut numbering = None;
    let mut cursor = unit.entries();
    loop {
        let entry = match cursor.next_dfs() {
            Ok(Some(entry)) => entry,
            Ok(None) => return Ok(()),
            Err(error) => return writeln!(out, "  error: {error}"),
        };
        let numbering = *numbering.get_or_insert_with(|| {
            let value = entry.attr_value(DW_AT_LLVM_AUGMENTATION);
            let text = value.and_then(|value| dwarf.attr_string(unit, value).ok());
            Numbering::by_augmentation(text.map(|text| text.to_string_lossy().into_owned()).as_deref())
        });
        let indent = usize::try_from(entry.depth()).unwrap_or(0).min(40) * 2;
        writeln!(out, "  {:#010x} {:indent$}{}", base + entry.offset().0, "", entry.tag())?;
        for attribute in entry.attrs() {
            let printer = Printer { dwarf, unit, numbering, base };
            let name = attribute.name();
            let named = LLVM_ATTRIBUTES.iter().find(|(number, _)| *number == name.0);
            let name = named.map_or_else(|| name.to_string(), |(_, name)| (*name).to_owned());
            write!(out, "             {:indent$}  {name:<22} ", "")?;
            printer.value(out, attribute)?;
            writeln!(out)?;
        }
    }
}

struct Printer<'d, 'a> {
    dwarf: &'d Dwarf<Slice<'a>>,
    unit: &'d Unit<Slice<'a>>,
    numbering: Numbering,
    base: usize,
}

impl<'a> Printer<'_, 'a> {
    fn value(&self, out: &mut Out, attribute: &Attribute<Slice<'a>>) -> fmt::Result {
        match attribute.value() {
            AttributeValue::Addr(address) => write!(out, "{address:#x}"),
            AttributeValue::DebugAddrIndex(index) => match self.dwarf.address(self.unit, index) {
                Ok(address) => write!(out, "{address:#x}"),
                Err(error) => write!(out, "error: address {}: {error}", index.0),
            },
            AttributeValue::Flag(flag) => write!(out, "{flag}"),
            AttributeValue::Sdata(value) => write!(out, "{value}"),
            AttributeValue::UnitRef(offset) => write!(out, "-> {:#x}", self.base.wrapping_add(offset.0)),
            AttributeValue::DebugInfoRef(offset) => write!(out, "-> {:#x}", offset.0),
            AttributeValue::Exprloc(expression) => {
                out.write_str(&expression::text(&expression, self.unit.encoding(), self.numbering))
            }
            AttributeValue::Encoding(value) => write!(out, "{value}"),
            AttributeValue::Language(value) => write!(out, "{value}"),
            AttributeValue::CallingConvention(DW_CC_LLVM_DEVICE_KERNEL) => {
                out.write_str("DW_CC_LLVM_DeviceKernel")
            }
            AttributeValue::CallingConvention(value) => write!(out, "{value}"),
            AttributeValue::DebugLineRef(offset) => write!(out, "{:#x}", offset.0),
            AttributeValue::DebugAddrBase(offset) => write!(out, "{:#x}", offset.0),
            AttributeValue::DebugStrOffsetsBase(offset) => write!(out, "{:#x}", offset.0),
            AttributeValue::DebugLocListsBase(offset) => write!(out, "{:#x}", offset.0),
            AttributeValue::DebugRngListsBase(offset) => write!(out, "{:#x}", offset.0),
            AttributeValue::Inline(value) => write!(out, "{value}"),
            AttributeValue::Accessibility(value) => write!(out, "{value}"),
            AttributeValue::Visibility(value) => write!(out, "{value}"),
            AttributeValue::AddressClass(value) => self.address_space(out, value.0),
            AttributeValue::FileIndex(index) => self.file(out, index),
            AttributeValue::Block(block) => write!(out, "{:02x?}", block.slice()),
            AttributeValue::LocationListsRef(offset) => self.locations(out, offset),
            AttributeValue::DebugLocListsIndex(index) => {
                match self.dwarf.locations_offset(self.unit, index) {
                    Ok(offset) => self.locations(out, offset),
                    Err(error) => write!(out, "error: {error}"),
                }
            }
            AttributeValue::RangeListsRef(offset) => {
                self.ranges(out, self.dwarf.ranges_offset_from_raw(self.unit, offset))
            }
            AttributeValue::DebugRngListsIndex(index) => match self.dwarf.ranges_offset(self.unit, index) {
                Ok(offset) => self.ranges(out, offset),
                Err(error) => write!(out, "error: {error}"),
            },
            value => match (value.udata_value(), self.dwarf.attr_string(self.unit, value)) {
                (Some(number), _) => match (attribute.name().0, memory_space(number)) {
                    (0x3f0d, _) => self.address_space(out, number),
                    (0x3f0e, Some(name)) => out.write_str(name),
                    _ => write!(out, "{number}"),
                },
                (None, Ok(text)) => write!(out, "{:?}", text.to_string_lossy()),
                (None, Err(_)) => match value.offset_value() {
                    Some(offset) => write!(out, "{offset:#x}"),
                    None => write!(out, "{}", attribute.form()),
                },
            },
        }
    }

    fn address_space(&self, out: &mut Out, number: u64) -> fmt::Result {
        match self.numbering.address_space(number) {
            Some(name) => write!(out, "{number} ({name})"),
            None => write!(out, "{number} (reserved)"),
        }
    }

    fn file(&self, out: &mut Out, index: u64) -> fmt::Result {
        let file = self.unit.line_program.as_ref().and_then(|program| program.header().file(index));
        match file.and_then(|file| self.dwarf.attr_string(self.unit, file.path_name()).ok()) {
            Some(name) => write!(out, "{:?}", name.to_string_lossy()),
            None => write!(out, "file {index}"),
        }
    }

    fn ranges(&self, out: &mut Out, offset: gimli::RangeListsOffset<usize>) -> fmt::Result {
        let mut ranges = match self.dwarf.ranges(self.unit, offset) {
            Ok(ranges) => ranges,
            Err(error) => return write!(out, "error: {error}"),
        };
        loop {
            match ranges.next() {
                Ok(Some(range)) => write!(out, "[{:#x}, {:#x}) ", range.begin, range.end)?,
                Ok(None) => return Ok(()),
                Err(error) => return write!(out, "error: {error}"),
            }
        }
    }

    fn locations(&self, out: &mut Out, offset: gimli::LocationListsOffset<usize>) -> fmt::Result {
        let mut locations = match self.dwarf.locations(self.unit, offset) {
            Ok(locations) => locations,
            Err(error) => return write!(out, "error: {error}"),
        };
        loop {
            match locations.next() {
                Ok(Some(entry)) => {
                    let text = expression::text(&entry.data, self.unit.encoding(), self.numbering);
                    write!(out, "\n{:17}[{:#x}, {:#x}): {text}", "", entry.range.begin, entry.range.end)?;
                }
                Ok(None) => return Ok(()),
                Err(error) => return write!(out, "error: {error}"),
            }
        }
    }
}
