//! DWARF expressions as text, with AMD GPU's names for registers and address spaces.
//!
//! Reads what gimli reads, and the operations behind `DW_OP_LLVM_user` of the heterogeneous DWARF extensions.
//! Operations that neither knows are shown as bytes.

use gimli::{Encoding, Expression, Format, Operation, Reader};

use super::sections::Slice;
use super::{Numbering, register_name};

const DW_OP_SWAP: u8 = 0x16;
const DW_OP_XDEREF: u8 = 0x18;
const DW_OP_LLVM_USER: u8 = 0xe9;

/// What an operand of a user operation is.
#[derive(Clone, Copy)]
enum Operand {
    Unsigned,
    Signed,
    Register,
    /// An offset of the unit's format.
    Offset,
}

use Operand::*;

/// The user operations by number: name and operands.
const USER: &[(u64, &str, &[Operand])] = &[
    (1, "DW_OP_LLVM_nop", &[]),
    (2, "DW_OP_LLVM_form_aspace_address", &[]),
    (3, "DW_OP_LLVM_push_lane", &[]),
    (4, "DW_OP_LLVM_offset", &[]),
    (5, "DW_OP_LLVM_offset_uconst", &[Unsigned]),
    (6, "DW_OP_LLVM_bit_offset", &[]),
    (7, "DW_OP_LLVM_call_frame_entry_reg", &[Register]),
    (8, "DW_OP_LLVM_undefined", &[]),
    (9, "DW_OP_LLVM_aspace_bregx", &[Register, Unsigned]),
    (10, "DW_OP_LLVM_aspace_implicit_pointer", &[Offset, Signed]),
    (11, "DW_OP_LLVM_piece_end", &[]),
    (12, "DW_OP_LLVM_extend", &[Unsigned, Unsigned]),
    (13, "DW_OP_LLVM_select_bit_piece", &[Unsigned, Unsigned]),
];

/// The operations of an expression, separated by commas.
pub(super) fn text(expression: &Expression<Slice<'_>>, encoding: Encoding, numbering: Numbering) -> String {
    let mut input = expression.0;
    let mut out: Vec<String> = Vec::new();
    // The last literal, which a swap and a dereference after it make an address space.
    let mut literal = None;
    while !input.is_empty() {
        let before = input;
        let opcode = before.slice().first().copied().unwrap_or_default();
        let read = if opcode == DW_OP_LLVM_USER {
            user(&mut input, encoding)
        } else {
            operation(&mut input, encoding)
        };
        let Some((text, value)) = read else {
            let bytes: Vec<String> = before.slice().iter().map(|byte| format!("{byte:02x}")).collect();
            out.push(format!("unknown: {}", bytes.join(" ")));
            break;
        };
        let space =
            literal.filter(|_| opcode == DW_OP_XDEREF).and_then(|space| numbering.address_space(space));
        out.push(match space {
            Some(space) => format!("{text} ({space})"),
            None => text,
        });
        if opcode != DW_OP_SWAP {
            literal = value;
        }
    }
    out.join(", ")
}

/// One operation and, if it is a literal, its value.
fn operation(input: &mut Slice<'_>, encoding: Encoding) -> Option<(String, Option<u64>)> {
    let opcode = input.slice().first().copied()?;
    let operation = Operation::parse(input, encoding).ok()?;
    let name = gimli::DwOp(opcode).static_string()?;
    let operands = match &operation {
        Operation::UnsignedConstant { value } if name.starts_with("DW_OP_lit") => {
            return Some((name.to_owned(), Some(*value)));
        }
        Operation::UnsignedConstant { value } => return Some((format!("{name} {value}"), Some(*value))),
        Operation::SignedConstant { value } => value.to_string(),
        Operation::PlusConstant { value } => value.to_string(),
        Operation::Register { register } => register_name(register.0),
        Operation::RegisterOffset { register, offset, .. } => {
            format!("{}{offset:+}", register_name(register.0))
        }
        Operation::FrameOffset { offset } => format!("{offset:+}"),
        Operation::Address { address } => format!("{address:#x}"),
        Operation::AddressIndex { index } => format!("{:#x}", index.0),
        Operation::ConstantIndex { index } => format!("{:#x}", index.0),
        Operation::Deref { size, .. } if name.ends_with("_size") || name.ends_with("_type") => {
            size.to_string()
        }
        Operation::Pick { index } if name == "DW_OP_pick" => index.to_string(),
        Operation::Bra { target } | Operation::Skip { target } => format!("{target:+}"),
        Operation::Piece { size_in_bits, bit_offset: Some(offset) } => format!("{size_in_bits}, {offset}"),
        Operation::Piece { size_in_bits, bit_offset: None } => (size_in_bits / 8).to_string(),
        Operation::Convert { base_type } | Operation::Reinterpret { base_type } => {
            format!("{:#x}", base_type.0)
        }
        Operation::ParameterRef { offset } => format!("{:#x}", offset.0),
        Operation::ImplicitValue { data } => {
            data.slice().iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ")
        }
        Operation::EntryValue { expression } => {
            let nested = Expression(*expression);
            // One level is what compilers write; a deeper one would be a way to recurse.
            let mut inner = nested.0;
            match operation_of_entry_value(&mut inner, encoding) {
                Some(text) if inner.is_empty() => format!("({text})"),
                _ => format!("({} bytes)", nested.0.len()),
            }
        }
        _ => String::new(),
    };
    let space = if operands.is_empty() { "" } else { " " };
    Some((format!("{name}{space}{operands}"), None))
}

fn operation_of_entry_value(input: &mut Slice<'_>, encoding: Encoding) -> Option<String> {
    match Operation::parse(input, encoding).ok()? {
        Operation::Register { register } => Some(register_name(register.0)),
        _ => None,
    }
}

fn user(input: &mut Slice<'_>, encoding: Encoding) -> Option<(String, Option<u64>)> {
    input.read_u8().ok()?;
    let number = input.read_uleb128().ok()?;
    let (_, name, operands) = USER.iter().find(|(user, ..)| *user == number)?;
    let mut text = (*name).to_owned();
    for (index, operand) in operands.iter().enumerate() {
        let operand = match operand {
            Unsigned => input.read_uleb128().ok()?.to_string(),
            Signed => input.read_sleb128().ok()?.to_string(),
            Register => {
                let number = input.read_uleb128().ok()?;
                u16::try_from(number).map_or_else(|_| format!("register {number}"), register_name)
            }
            Offset => match encoding.format {
                Format::Dwarf64 => format!("{:#x}", input.read_u64().ok()?),
                Format::Dwarf32 => format!("{:#x}", input.read_u32().ok()?),
            },
        };
        text += if index == 0 { " " } else { ", " };
        text += &operand;
    }
    Some((text, None))
}

#[cfg(test)]
mod tests {
    use gimli::{EndianSlice, LittleEndian};

    use super::*;

    #[test]
    fn operations_with_the_guides_names() {
        let encoding = Encoding { format: Format::Dwarf32, version: 5, address_size: 8 };
        for (bytes, numbering, expected) in [
            (&[0x90, 0x80, 0x14][..], Numbering::Guide, "DW_OP_regx VGPR0/wave64"),
            (&[0x90, 0x83, 0x10], Numbering::Guide, "DW_OP_regx AGPR3/wave32"),
            (&[0x60, 0x02], Numbering::Guide, "DW_OP_reg16 PC_64, unknown: 02"),
            (&[0x92, 0x41, 0x04], Numbering::Guide, "DW_OP_bregx SGPR33+4"),
            (&[0x90, 0x02], Numbering::Guide, "DW_OP_regx reserved register 2"),
            (
                &[0x91, 4, 0x35, 0x16, 0x18],
                Numbering::Guide,
                "DW_OP_fbreg +4, DW_OP_lit5, DW_OP_swap, DW_OP_xderef (DW_ASPACE_AMDGPU_private_lane)",
            ),
            (
                &[0x91, 4, 0x32, 0x16, 0x18],
                Numbering::Clang,
                "DW_OP_fbreg +4, DW_OP_lit2, DW_OP_swap, DW_OP_xderef (local)",
            ),
            (&[0x35, 0xe9, 2], Numbering::Guide, "DW_OP_lit5, DW_OP_LLVM_form_aspace_address"),
            (&[0xe9, 9, 0x80, 0x0c, 8], Numbering::Guide, "DW_OP_LLVM_aspace_bregx VGPR0/wave32, 8"),
            (
                &[0xe9, 13, 64, 64, 0x9f],
                Numbering::Guide,
                "DW_OP_LLVM_select_bit_piece 64, 64, DW_OP_stack_value",
            ),
            (&[0xe9, 99, 1], Numbering::Guide, "unknown: e9 63 01"),
        ] {
            let expression = Expression(EndianSlice::new(bytes, LittleEndian));
            assert_eq!(text(&expression, encoding, numbering), expected, "{bytes:02x?}");
        }
    }
}
