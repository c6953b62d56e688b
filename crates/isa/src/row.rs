//! The row type of the instruction table.
//!
//! The table files are read by module [`crate::table`], whose header has the grammar.

use crate::Form;
use crate::effects::RowEffects;
use crate::format::{Family, Field, Format};
use crate::image::Image;
use crate::matrix::Trait;
use crate::meaning::Meaning;
use crate::memory;
use crate::modifier::{self, Modifier};
pub use crate::role::Access;
use crate::role::Class;
use crate::scalar::Sources;
use crate::ty::Type;
use crate::vector::Traits;

/// Number of a row in the table of its instruction set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RowId(pub u16);

/// One operand of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperandSpec {
    /// Its name in the row, the manual's field name: `vdst`, `src0`, `sdst`, `vaddr`, `saddr`, `simm16`…
    pub role: &'static str,
    /// Its type; for numbers the name is that of the kind.
    pub ty: Type,
    /// What can stand there.
    pub class: Class,
    /// Read, written, or both.
    pub access: Access,
}

impl OperandSpec {
    /// Whether it is a part of the address of a memory operation.
    pub fn is_address(&self) -> bool {
        matches!(self.role, "vaddr" | "saddr" | "soffset" | "sbase" | "offset" | "srsrc" | "ssamp" | "addr")
    }
}

/// One encoding of a row.
#[derive(Debug)]
pub struct Encoding {
    /// Which form it is.
    pub form: Form,
    /// Its format.
    pub format: &'static Format,
    /// Its opcode in the format.
    pub opcode: u32,
    /// Index of the form's operands in [`Row::operands`]; `None` field for operands that the format has no
    /// field for (literals, implied VCC, custom).
    pub operands: Vec<(usize, Option<&'static Field>)>,
    /// Modifier fields that are decoded into and encoded from [`crate::Mods`].
    pub modifiers: Vec<(&'static Field, &'static Modifier)>,
    /// The bits of those fields, and how they stand where every modifier is at its default: mask, value.
    pub at_rest: (u128, u128),
    /// Bits that decode requires beyond format and opcode: mask, value.
    pub required: (u128, u128),
    /// All constant bits that encode writes: format, opcode, required, defaults of unused fields.
    pub constant: u128,
    /// Source fields that the row does not use, and those fields holding the inline constant 0: mask, value
    /// (see [`crate::Mods::idle_zero`]).
    pub idle: (u128, u128),
}

impl Encoding {
    /// The bits of operand fields that must be 0 because the instruction does not use them.
    pub(crate) fn unused_operands(&self) -> u128 {
        let used =
            self.operands.iter().filter_map(|(_, field)| *field).fold(0, |mask, field| mask | field.mask());
        let is_operand = |field: &&Field| field.zero && modifier::by_name(field.name).is_none();
        let optional = self.format.fields.iter().filter(is_operand);
        optional.fold(0, |mask, field| mask | field.mask()) & !used
    }
}

/// One instruction of one instruction set.
#[derive(Debug)]
pub struct Row {
    /// Where it is in the table.
    pub id: RowId,
    /// LLVM's name without encoding suffix.
    pub mnemonic: &'static str,
    /// The family of its encodings.
    pub family: Family,
    /// Its operands in assembly order, those of all forms.
    pub operands: Vec<OperandSpec>,
    /// Its encodings, at most one of each form.
    pub encodings: Vec<Encoding>,
    /// The attributes as written: key and value (empty for flags).
    pub attributes: Vec<(&'static str, &'static str)>,
    /// The key of what it computes; rows that share it compute the same.
    pub meaning: Meaning,
    /// Implicit registers, memory, counters, control flow: read off the attributes.
    pub effects: RowEffects,
    /// What the vector family reads off operands and attributes.
    pub(crate) traits: Traits,
    /// What the memory family reads off formats, operands and attributes.
    pub(crate) memory: memory::Traits,
    /// What the scalar family reads off the attributes.
    pub(crate) sources: Sources,
    /// What a row of the image family reads off operands and attributes.
    pub(crate) image: Option<Box<Image>>,
    /// What the matrix family reads off the attributes.
    pub(crate) matrix: Trait,
}

impl Row {
    /// The encoding in `form`.
    pub fn encoding(&self, form: Form) -> Option<&Encoding> {
        self.encodings.iter().find(|encoding| encoding.form == form)
    }

    /// Value of an attribute; the empty string for a flag.
    pub fn attribute(&self, key: &str) -> Option<&'static str> {
        self.attributes.iter().find(|(k, _)| *k == key).map(|(_, value)| *value)
    }

    /// Whether the row has the flag.
    pub fn has(&self, key: &str) -> bool {
        self.attribute(key).is_some()
    }

    /// Index in the row's operands of the operand with this role.
    pub fn operand_index(&self, role: &str) -> Option<usize> {
        self.operands.iter().position(|operand| operand.role == role)
    }
}

impl Encoding {
    /// The specs of this form's operands, in the order of [`crate::Inst::operands`].
    pub fn specs<'a>(&'a self, row: &'a Row) -> impl Iterator<Item = &'a OperandSpec> {
        self.operands.iter().map(|&(index, _)| &row.operands[index])
    }

    /// Whether a modifier is in the field that the format calls `name`.
    pub fn has_modifier(&self, name: &str) -> bool {
        self.modifiers.iter().any(|(field, _)| field.name == name)
    }

    /// The bits of the modifier in the field called `name` that the row does not fix.
    pub fn free(&self, name: &str) -> u32 {
        let field = self.modifiers.iter().find(|(field, _)| field.name == name);
        field.map_or(0, |(field, _)| field.get(!self.required.0))
    }
}
