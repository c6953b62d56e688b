//! A whole code object → text that [`crate::assemble`] takes back to the same bytes in all loaded sections.
//!
//! Sections come one after the other, each cut at its labels: symbols, branch targets and kernel descriptors.
//! An instruction is printed only if its text assembles to its own bytes; any other word is `.long`. A
//! relocation becomes a symbol expression, in the instruction where the assembler makes the same relocation of
//! it, else in data.
//!
//! In a linked file the tables of the dynamic linker (`.dynsym`, `.hash`, `.dynamic`…) are left out, since
//! linking makes them again; addresses that linking put into code are numbers. Debugging sections are left out.

mod code;
mod data;
mod kernel;
mod notes;
mod symbols;

use std::fmt::Write as _;

use wavemark_codeobj::CodeObject;
use wavemark_codeobj::elf::{OsAbi, Section, shf, sht};
use wavemark_target::{FeatureError, Setting, Subtarget, Target, TargetId};

use code::Lines;
use symbols::Labels;

/// What stands in a comment behind each instruction, as in `llvm-objdump`: `// 000000001300: BF8CC07F`. The text
/// assembles all the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Remarks {
    /// Its address; in a relocatable file the offset into its section.
    pub addresses: bool,
    /// Its dwords.
    pub encoding: bool,
}

/// The text of a code object; `features` as for [`Subtarget::new`].
///
/// # Errors
/// The features do not fit the code object's processor.
pub fn disassemble(object: &CodeObject, features: &str) -> Result<String, FeatureError> {
    disassemble_with(object, features, Remarks::default())
}

/// The same with remarks.
///
/// # Errors
/// The features do not fit the code object's processor.
pub fn disassemble_with(
    object: &CodeObject,
    features: &str,
    remarks: Remarks,
) -> Result<String, FeatureError> {
    let subtarget = Subtarget::new(target(object), features)?;
    let mut printer = Printer {
        object,
        subtarget: &subtarget,
        labels: Labels::collect(object),
        lines: Lines::new(&subtarget),
        remarks,
        out: String::with_capacity(object.bytes().len() * 4),
    };
    printer.file();
    Ok(printer.out)
}

/// The target of the object, spelled as its compiler does.
fn target(object: &CodeObject) -> Target {
    let target = Target::amdhsa(object.target());
    if object.os == OsAbi::Hsa {
        return spelled_target(object).filter(|spelled| spelled.same(&target)).unwrap_or(target);
    }
    let vendor = if object.os == OsAbi::Mesa3d { "mesa" } else { "amd" };
    let os = if object.os == OsAbi::None { "unknown" } else { object.os.name() };
    // Only the header of amdhsa tells what is on from what may be on, of which target IDs say nothing.
    let may_be = |setting| if setting == Setting::On { Setting::Any } else { setting };
    let id = TargetId { xnack: may_be(target.id.xnack), sramecc: may_be(target.id.sramecc), ..target.id };
    Target { vendor: vendor.to_owned(), os: os.to_owned(), id, ..target }
}

/// The target as the metadata has it, which tells how the compiler writes.
fn spelled_target(object: &CodeObject) -> Option<Target> {
    object.metadata.as_ref()?.target.as_ref()?.parse().ok()
}

/// The dwords of an instruction.
fn dwords(raw: &[u8]) -> impl Iterator<Item = u32> {
    raw.chunks(4).map(|dword| dword.iter().rev().fold(0, |all, &byte| all << 8 | u32::from(byte)))
}

/// Where remarks start, if the instruction leaves room.
const REMARK_COLUMN: usize = 60;

/// The text in the making.
struct Printer<'a> {
    object: &'a CodeObject,
    subtarget: &'a Subtarget,
    labels: Labels,
    lines: Lines,
    remarks: Remarks,
    out: String,
}

impl Printer<'_> {
    /// Ends the line of the instruction `raw` at `address` with what is wanted beside it.
    fn end_instruction(&mut self, address: u64, raw: &[u8]) {
        let Remarks { addresses, encoding } = self.remarks;
        if addresses || encoding {
            let line = self.out.rfind('\n').map_or(0, |end| end + 1);
            let width = self.out.len() - line;
            self.out.push_str(&" ".repeat(REMARK_COLUMN.saturating_sub(width)));
            self.out.push_str(" //");
        }
        if addresses {
            let colon = if encoding { ":" } else { "" };
            // Writing to a string does not fail.
            let _ = write!(self.out, " {address:012X}{colon}");
        }
        if encoding {
            for dword in dwords(raw) {
                let _ = write!(self.out, " {dword:08X}");
            }
        }
        self.out.push('\n');
    }

    fn line(&mut self, text: impl AsRef<str>) {
        self.out.push('\t');
        self.out.push_str(text.as_ref());
        self.out.push('\n');
    }

    fn file(&mut self) {
        self.line(format!(".amdgcn_target \"{}\"", self.subtarget.target));
        if self.object.os == OsAbi::Hsa {
            self.line(format!(".amdhsa_code_object_version {}", self.object.abi.code_object_version()));
        } else {
            self.isa_note();
        }
        self.symbols_without_place();
        for (index, section) in self.object.sections.iter().enumerate() {
            if is_printed(section) && !self.is_metadata(section) {
                self.section(index, section);
            }
        }
        self.metadata();
    }

    /// Whether the section has the metadata note, which comes back by its directive.
    fn is_metadata(&self, section: &Section) -> bool {
        let range = section.offset..section.offset.saturating_add(section.size);
        section.kind == sht::NOTE
            && self.object.notes.iter().any(|note| note.is_metadata() && range.contains(&note.offset))
    }

    fn section(&mut self, index: usize, section: &Section) {
        let _ = writeln!(self.out);
        let before = self.object.sections.get(..index).unwrap_or(&[]);
        let again = before.iter().any(|other| other.name == section.name && is_printed(other));
        self.line(header(section) + &if again { format!(",unique,{index}") } else { String::new() });
        if section.align > 1 && section.align.is_power_of_two() {
            self.line(format!(".p2align {}", section.align.trailing_zeros()));
        }
        if section.kind == sht::NOBITS {
            self.nobits(index, section);
        } else if section.flags & shf::EXECINSTR != 0 {
            self.code(index, section);
        } else {
            self.data(index, section);
        }
    }
}

/// Whether a section's bytes are to come back: it is loaded and linking does not make it.
fn is_printed(section: &Section) -> bool {
    let made_by_linking = matches!(
        section.kind,
        sht::NULL
            | sht::SYMTAB
            | sht::DYNSYM
            | sht::STRTAB
            | sht::RELA
            | sht::REL
            | sht::RELR
            | sht::HASH
            | sht::GNU_HASH
            | sht::DYNAMIC
    );
    section.is_alloc() && !made_by_linking && section.name != ".relro_padding"
}

/// `.section name,"flags",@type[,entry size]`.
fn header(section: &Section) -> String {
    let letters = [
        (shf::ALLOC, 'a'),
        (shf::WRITE, 'w'),
        (shf::EXECINSTR, 'x'),
        (shf::MERGE, 'M'),
        (shf::STRINGS, 'S'),
        (shf::TLS, 'T'),
    ];
    let flags: String =
        letters.iter().filter(|(bit, _)| section.flags & bit != 0).map(|(_, letter)| letter).collect();
    let kind = match section.kind {
        sht::PROGBITS => "@progbits".to_owned(),
        sht::NOBITS => "@nobits".to_owned(),
        sht::NOTE => "@note".to_owned(),
        sht::INIT_ARRAY => "@init_array".to_owned(),
        sht::FINI_ARRAY => "@fini_array".to_owned(),
        other => format!("@{other:#x}"),
    };
    let mut text = format!(".section {},\"{flags}\",{kind}", symbols::quoted(&section.name));
    if section.flags & shf::MERGE != 0 {
        let _ = write!(text, ",{}", section.entry_size);
    }
    text
}
