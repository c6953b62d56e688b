//! Decoding of the image family beyond what its rows say: how many registers data and address have, and addresses
//! that stand in dwords behind the instruction or in fields of their own.
//!
//! An encoding can ask for data or an address of a size that its instruction does not have (a dmask of four
//! components for an atomic, registers beyond the last). Such an instruction is shown with the sizes that LLVM 22's disassembler
//! shows then ([`Image::shown_data`]); the assembler refuses that text.

use smallvec::SmallVec;

use super::{DecodeError, Input};
use crate::image::{A16, D16, DIMENSIONS, Image, Layout};
use crate::role::Class;
use crate::row::Row;
use crate::{Inst, Operand, Reg, RegFile, RegList, code};

/// Registers, and numbers of registers, of an address.
type Numbers = SmallVec<[u8; 16]>;

/// Corrects an instruction whose fields have been read.
pub(super) fn finish(input: &Input, row: &Row, inst: &mut Inst) -> Result<(), DecodeError> {
    let Some(image) = row.image.as_deref() else { return Ok(()) };
    let invalid = |reason| DecodeError::Invalid { mnemonic: row.mnemonic, reason };
    if inst.mods.flags & D16 != 0 && !image.d16 {
        return Err(invalid("the instruction has no 16-bit data, but d16 is set"));
    }
    // The 9-bit fields of gfx12 show NULL, which the assembler refuses; nowhere can it be meant.
    let slots = matches!(image.layout, Layout::Slots(_));
    if !slots && inst.operands[2..].iter().any(|operand| matches!(operand, Operand::Special(_))) {
        return Err(invalid("resource and sampler must be numbered registers"));
    }
    let a16 = inst.mods.flags & A16 != 0;
    let (numbers, extra) = addresses(input, image, inst)?;
    let list = extra > 0 || slots;
    let address = if image.ray.is_empty() {
        let shown = image.shown_address(extra).ok_or_else(|| invalid("no address has so many registers"))?;
        let dim = &DIMENSIONS[usize::from(inst.mods.dim & 7)];
        let words = if image.dim { image.address_words(dim, a16) } else { shown };
        let words = fit(input, image, inst, (shown, words), list, &numbers);
        if list {
            rest_as_tuple(&numbers, words, shown)
        } else {
            SmallVec::from_slice(&[(numbers[0], words)])
        }
    } else {
        ray(image, &numbers, a16, extra)
            .ok_or_else(|| invalid("no address of a ray has so many registers"))?
    };
    // Slots that the address does not use are reserved.
    let used =
        if image.ray.is_empty() { image.shown_address(0).map_or(0, usize::from) } else { address.len() };
    if slots && numbers.iter().skip(used).any(|&number| number != 0) {
        return Err(invalid("an address that the instruction does not have is not 0"));
    }
    let regs: SmallVec<[Reg; 12]> =
        address.iter().map(|&(index, dwords)| Reg::new(RegFile::Vgpr, index.into(), dwords)).collect();
    inst.operands[1] = match regs[..] {
        // A single register needs no list.
        [reg] if !list || reg.dwords == 1 => Operand::Reg(reg),
        _ => Operand::List(RegList::new(&regs).ok_or_else(|| invalid("the address has too many registers"))?),
    };
    Ok(())
}

/// The registers that the encoding names, the first one first, and the dwords of them behind the instruction.
fn addresses(input: &Input, image: &Image, inst: &mut Inst) -> Result<(Numbers, u8), DecodeError> {
    let mut numbers = Numbers::new();
    if let Some(Operand::Reg(first)) = inst.operands.get(1) {
        numbers.push(first.index as u8);
    }
    let mut extra = 0;
    match &image.layout {
        Layout::Tuple => {}
        Layout::Slots(slots) => numbers.extend(slots.iter().map(|slot| slot.get(input.bits) as u8)),
        Layout::Nsa(field) => {
            extra = field.get(input.bits) as u8;
            for _ in 0..extra {
                numbers.extend(input.dword(usize::from(inst.size))?.to_le_bytes());
                inst.size += 4;
            }
        }
    }
    inst.mods.control = extra.into();
    Ok((numbers, extra))
}

/// Gives the data the size that its modifiers ask for, and returns how many registers the address has: `shown` and what
/// the dimension asks for are in `words`. Where either size does not exist, both are as shown.
fn fit(input: &Input, image: &Image, inst: &mut Inst, words: (u8, u8), list: bool, numbers: &Numbers) -> u8 {
    let (shown, words) = words;
    let Some(&mut Operand::Reg(mut data)) = inst.operands.first_mut() else { return shown };
    data.dwords = image.shown_data();
    let wanted = image.data_words(input.machine, &inst.mods).unwrap_or(data.dwords);
    let alignment = u16::from(input.machine.facts().vgpr_tuple_alignment);
    let exists = |index: u16, dwords: u8| {
        index + u16::from(dwords) <= 256 && (dwords == 1 || index.is_multiple_of(alignment))
    };
    let more = words > shown;
    let address_exists = if !list {
        image.has_tuple(words) && (words == shown || exists(numbers[0].into(), words))
    } else if more {
        let tuple = numbers[usize::from(shown) - 1];
        image.partial && image.has_width(words) && exists(tuple.into(), words - shown + 1)
    } else {
        image.has_width(words) && (words > 1 || matches!(image.layout, Layout::Slots(_)))
    };
    let data_exists = image.has_data(wanted) && (wanted == data.dwords || exists(data.index, wanted));
    let exist = address_exists && data_exists;
    if exist {
        data.dwords = wanted;
    }
    inst.operands[0] = Operand::Reg(data);
    if exist { words } else { shown }
}

/// A list of `words` registers of which at most `most` are named: the last is a tuple of the rest.
fn rest_as_tuple(numbers: &Numbers, words: u8, most: u8) -> SmallVec<[(u8, u8); 12]> {
    let elements = words.min(most);
    let mut list: SmallVec<[(u8, u8); 12]> =
        numbers.iter().take(elements.into()).map(|&number| (number, 1)).collect();
    if let Some((_, dwords)) = list.last_mut() {
        *dwords = words - elements + 1;
    }
    list
}

/// The address of a ray.
fn ray(image: &Image, numbers: &Numbers, a16: bool, extra: u8) -> Option<SmallVec<[(u8, u8); 12]>> {
    let parts = image.ray_parts(a16)?;
    let words: u8 = parts.iter().sum();
    match (&image.layout, image.partial) {
        (Layout::Nsa(_), _) if extra == 0 => Some(SmallVec::from_slice(&[(numbers[0], words)])),
        (Layout::Nsa(_), false) => {
            (extra == (words - 1).div_ceil(4)).then(|| rest_as_tuple(numbers, words, words))
        }
        _ => Some(numbers.iter().copied().zip(parts.iter().copied()).collect()),
    }
}

/// An operand that its class does not decide: the first register of the address. Resource and sampler have fields of 9
/// bits on gfx12; what cannot stand there is shown as LLVM shows it, and refused by the assembler.
pub(super) fn custom_operand(input: &Input, row: &Row, index: usize, code: u32) -> Option<Operand> {
    let spec = &row.operands[index];
    match spec.class {
        Class::ScalarReg if code > 127 => code::operand_of(input.machine, Class::VectorSrc, &spec.ty, code)
            .filter(|operand| matches!(operand, Operand::Reg(_) | Operand::Int(_) | Operand::Float(_))),
        Class::ScalarReg => None,
        _ => Some(Operand::Reg(Reg::new(RegFile::Vgpr, code as u16, 1))),
    }
}
