//! Statements of image instructions.
//!
//! Operands come first, then the modifiers in LLVM's order; cache policy bits stand in any order among themselves. Commas
//! may be missing. The sizes of data and address must be those that the modifiers ask for.

use smallvec::SmallVec;

use super::operand::RegisterText;
use super::{ParseError, Parser, Suffix, empty};
use crate::cache_policy;
use crate::image::{A16, DIMENSIONS, Image, Layout, Word};
use crate::modifier::{self, Modifier};
use crate::role::Class;
use crate::row::{Encoding, OperandSpec, Row};
use crate::{Half, Inst, Operand, Reg, RegFile, RegList};

/// Parses the operands and modifiers of one of `rows`, up to the end of the statement.
pub(super) fn parse(p: &mut Parser, rows: &[&Row], suffix: Option<Suffix>) -> Result<Inst, ParseError> {
    if suffix.is_some() {
        return Err(p.error_at(0, "invalid instruction"));
    }
    p.first_of(rows, statement)
}

fn statement(p: &mut Parser, row: &Row) -> Result<Inst, ParseError> {
    let (Some(encoding), Some(image)) = (row.encodings.first(), row.image.as_deref()) else {
        return Err(p.error("invalid instruction"));
    };
    let mut inst = empty(row.id, encoding.form);
    let mut places: SmallVec<[usize; 4]> = SmallVec::new();
    for spec in encoding.specs(row) {
        p.skip_space();
        places.push(p.pos);
        let operand = match spec.role {
            "vdata" if image.off && image.dim && p.eat_word("off") => Operand::Off,
            "vdata" => Operand::Reg(vector(p, spec)?),
            "vaddr" => address(p, image, spec)?,
            _ => scalar(p, encoding, spec)?,
        };
        inst.operands.push(operand);
        p.eat(",");
    }
    modifiers(p, row, image, &mut inst)?;
    if !p.at_end() {
        return Err(unexpected(p, row, image));
    }
    check_data(p, row, image, encoding, &inst, places[0])?;
    check_address(p, image, &mut inst, places[1])?;
    Ok(inst)
}

/// A vector register or tuple.
fn vector(p: &mut Parser, spec: &OperandSpec) -> Result<Reg, ParseError> {
    p.skip_space();
    let start = p.pos;
    let accumulation = spec.class == Class::VgprOrAgpr;
    let Some(RegisterText::Numbered(reg)) = p.register()? else {
        return Err(p.error_at(start, format!("{} must be a vector register", spec.role)));
    };
    if reg.half != Half::Whole || !(reg.file == RegFile::Vgpr || accumulation && reg.file == RegFile::Agpr) {
        return Err(p.error_at(start, format!("{} must be a vector register", spec.role)));
    }
    if reg.index + u16::from(reg.dwords) > 256 {
        return Err(p.error_at(start, "register index is out of range"));
    }
    let alignment = p.machine.facts().vgpr_tuple_alignment;
    if reg.dwords > 1 && reg.index % u16::from(alignment) != 0 {
        return Err(p.error_at(start, "a tuple of vector registers must begin at an even number"));
    }
    Ok(reg)
}

/// The address: a tuple, or a list in brackets.
fn address(p: &mut Parser, image: &Image, spec: &OperandSpec) -> Result<Operand, ParseError> {
    p.skip_space();
    let start = p.pos;
    if matches!(image.layout, Layout::Tuple) || !p.eat("[") {
        return vector(p, spec).map(Operand::Reg);
    }
    let mut regs: SmallVec<[Reg; 12]> = SmallVec::new();
    loop {
        regs.push(vector(p, spec)?);
        if !p.eat(",") {
            break;
        }
    }
    if !p.eat("]") {
        return Err(p.error("expected a comma or a closing square bracket"));
    }
    let most = image.longest_list();
    match regs[..] {
        [reg] => Ok(Operand::Reg(reg)),
        _ if regs.len() > usize::from(most) => {
            Err(p.error_at(start, format!("a list of addresses has at most {most} elements")))
        }
        _ => RegList::new(&regs)
            .map(Operand::List)
            .ok_or_else(|| p.error_at(start, "a list of addresses has at most 12 registers or 6 tuples")),
    }
}

/// The resource or the sampler.
fn scalar(p: &mut Parser, encoding: &Encoding, spec: &OperandSpec) -> Result<Operand, ParseError> {
    p.skip_space();
    let start = p.pos;
    match p.operand(encoding, spec) {
        Ok(operand @ Operand::Reg(_)) => Ok(operand),
        Err(error) if error.message != "invalid operand for instruction" => Err(error),
        _ => {
            let (role, dwords) = (spec.role, spec.ty.dwords());
            Err(p.error_at(
                start,
                format!("{role} must be {dwords} scalar registers, as in s[0:{}]", dwords - 1),
            ))
        }
    }
}

/// The modifiers that the row has, in their order.
fn modifiers(p: &mut Parser, row: &Row, image: &Image, inst: &mut Inst) -> Result<(), ParseError> {
    for word in &image.words {
        match word {
            Word::Dmask => {
                if p.eat_key("dmask") {
                    // As LLVM has it, only the low bits count.
                    inst.mods.dmask = (p.absolute()? & 15) as u8;
                    p.eat(",");
                }
            }
            Word::Dim => {
                inst.mods.dim = dim(p, image)?;
                p.eat(",");
            }
            Word::Switch(modifier) => {
                if switch(p, inst, modifier) {
                    p.eat(",");
                }
            }
            Word::Policy => super::memory::cache_policy(p, row, inst)?,
        }
    }
    Ok(())
}

/// The switch, or the same with `no` before it, if it is next; says whether it was.
fn switch(p: &mut Parser, inst: &mut Inst, modifier: &Modifier) -> bool {
    let word = p.peek_word();
    let value = match word.strip_suffix(modifier.name) {
        Some("") => 1,
        Some("no") => 0,
        _ => return false,
    };
    p.pos += word.len();
    (modifier.set)(&mut inst.mods, value);
    true
}

/// `dim:SQ_RSRC_IMG_2D` or `dim:2D`.
fn dim(p: &mut Parser, image: &Image) -> Result<u8, ParseError> {
    if !p.eat_key("dim") {
        return Err(p.error("missing dim operand: dim:SQ_RSRC_IMG_1D and the like"));
    }
    p.skip_space();
    let start = p.pos;
    let rest = p.rest();
    let length = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
    let word = &rest[..length];
    let name = word.strip_prefix("SQ_RSRC_IMG_").unwrap_or(word);
    let Some(number) = DIMENSIONS.iter().position(|dimension| dimension.name == name) else {
        let names: Vec<&str> = DIMENSIONS.iter().map(|dimension| dimension.name).collect();
        let names = names.join(", ");
        return Err(p.error_at(start, format!("invalid dim value: SQ_RSRC_IMG_ and one of {names}")));
    };
    if image.msaa && !DIMENSIONS[number].msaa {
        return Err(p.error_at(start, "invalid dim; must be MSAA type: 2D_MSAA or 2D_MSAA_ARRAY"));
    }
    p.pos += length;
    Ok(number as u8)
}

/// What does not belong there, and what could.
fn unexpected(p: &mut Parser, row: &Row, image: &Image) -> ParseError {
    let mut names: Vec<&str> = Vec::new();
    for word in &image.words {
        match word {
            Word::Dmask => names.push("dmask"),
            Word::Dim => names.push("dim"),
            Word::Switch(modifier) => names.push(modifier.name),
            Word::Policy => {
                let words = cache_policy::words(p.machine.facts().cache_policy, false);
                names.extend(words.iter().map(|(name, _)| *name));
                names.extend(if words.is_empty() { &["th", "scope"][..] } else { &[] });
            }
        }
    }
    let (mnemonic, order, word) = (row.mnemonic, names.join(" "), p.peek_word());
    p.error(if names.contains(&word) {
        format!("{word} stands in the wrong place; the order of modifiers is {order}")
    } else if modifier::by_name(word).is_some() || matches!(word, "dim" | "th" | "scope") {
        format!("{mnemonic} has no modifier {word} on this processor; it has {order}")
    } else {
        format!("expected the end of the statement or a modifier; {mnemonic} has {order}")
    })
}

/// A number of registers, in words.
fn registers(count: u8) -> String {
    format!("{count} register{}", if count == 1 { "" } else { "s" })
}

/// The data must have as many registers as the modifiers ask for.
fn check_data(
    p: &Parser,
    row: &Row,
    image: &Image,
    encoding: &Encoding,
    inst: &Inst,
    start: usize,
) -> Result<(), ParseError> {
    let off = inst.operands.first() == Some(&Operand::Off);
    let Some(needed) = image.data_words(p.machine, &inst.mods) else {
        // The operand says it.
        let needed = encoding.specs(row).next().map_or(0, |spec| spec.ty.dwords());
        return match inst.operands.first() {
            Some(Operand::Reg(reg)) if reg.dwords == needed => Ok(()),
            _ => Err(p.error_at(start, format!("vdata must have {}", registers(needed)))),
        };
    };
    image.check_dmask(inst.mods.dmask, off).map_err(|message| p.error_at(start, message))?;
    let Some(Operand::Reg(data)) = inst.operands.first() else { return Ok(()) };
    if data.dwords != needed {
        let of = match (encoding.format.field("tfe").is_some(), image.packs_d16(p.machine)) {
            (true, true) => "dmask, d16 and tfe",
            (true, false) => "dmask and tfe",
            (false, true) => "dmask and d16",
            (false, false) => "dmask",
        };
        let got = registers(data.dwords);
        return Err(p.error_at(
            start,
            format!("image data size does not match {of}: vdata has {got} instead of {needed}"),
        ));
    }
    if !image.has_data(needed) {
        let (mnemonic, needed) = (row.mnemonic, registers(needed));
        return Err(p.error_at(start, format!("{mnemonic} has no data of {needed}")));
    }
    Ok(())
}

/// The address must have as many registers as the dimension asks for.
fn check_address(p: &Parser, image: &Image, inst: &mut Inst, start: usize) -> Result<(), ParseError> {
    let a16 = inst.mods.flags & A16 != 0;
    let list: SmallVec<[u8; 12]> = match inst.operands.get(1) {
        Some(Operand::List(list)) => list.regs().map(|reg| reg.dwords).collect(),
        Some(Operand::Reg(reg)) => SmallVec::from_slice(&[reg.dwords]),
        _ => return Err(p.error_at(start, "expected an address")),
    };
    let is_list = list.len() > 1;
    if let (Layout::Nsa(_), true) = (&image.layout, is_list) {
        inst.mods.control = (list.len() as u16 - 1).div_ceil(4);
    }
    let got: u8 = list.iter().fold(0, |sum, dwords| sum.saturating_add(*dwords));
    let wrong = |needed: u8, asked: &str, form: &str| {
        Err(p.error_at(
            start,
            if got == needed {
                format!("vaddr must be {form}")
            } else {
                let got = registers(got);
                format!("image address size: vaddr has {got} instead of {needed}{asked}: {form}")
            },
        ))
    };
    if !image.ray.is_empty() {
        let parts = image.ray_parts(a16).ok_or_else(|| p.error_at(start, "the instruction has no a16"))?;
        let words: u8 = parts.iter().sum();
        let sizes: Vec<String> = parts.iter().map(u8::to_string).collect();
        let tuples = format!("a list of tuples of {} registers", sizes.join(", "));
        let asked = if a16 { " with a16" } else { "" };
        let (nsa, singles) = (matches!(image.layout, Layout::Nsa(_)), !image.partial);
        return match is_list {
            false if nsa && got == words => Ok(()),
            true if nsa && singles && list.len() == usize::from(words) => Ok(()),
            true if !(nsa && singles) && list[..] == *parts => Ok(()),
            _ if nsa && singles => wrong(words, asked, "one tuple, or a list of single registers"),
            _ if nsa => wrong(words, asked, &format!("one tuple, or {tuples}")),
            _ => wrong(words, asked, &tuples),
        };
    }
    if !image.dim {
        // The encoding does not know the dimension: any size that the instruction has for one.
        let sizes: Vec<String> =
            (1..=16).filter(|&words| image.has_tuple(words)).map(|n| n.to_string()).collect();
        let message = || format!("vaddr has {}; the instruction takes {}", registers(got), sizes.join(", "));
        return if image.has_tuple(got) { Ok(()) } else { Err(p.error_at(start, message())) };
    }
    let dimension = &DIMENSIONS[usize::from(inst.mods.dim & 7)];
    let needed = image.address_words(dimension, a16);
    let slots = matches!(image.layout, Layout::Slots(_));
    // Elements of a list: single registers, but the last of a full one may be a tuple of the rest.
    let most = image.shown_address(1).filter(|_| image.partial).unwrap_or(RegList::MOST as u8);
    let right = if !is_list && !slots {
        // LLVM took eight registers before it knew tuples of five to seven.
        let oversized = got == 8 && (5..=7).contains(&needed);
        (got == needed || oversized) && image.has_tuple(got)
    } else {
        let singles = list[..list.len() - 1].iter().all(|&dwords| dwords == 1);
        let elements = usize::from(needed.min(most));
        got == needed && image.has_width(needed) && list.len() == elements && singles
    };
    if right {
        return Ok(());
    }
    let asked =
        format!(", which dim:SQ_RSRC_IMG_{}{} asks for", dimension.name, if a16 { " with a16" } else { "" });
    let mut form = match needed {
        1 => "a register".to_owned(),
        _ if needed > most => format!("a list of {most}, the last a tuple of {}", needed - most + 1),
        _ => format!("a list of {needed} single registers"),
    };
    if !slots && needed > 1 {
        form.insert_str(0, "one tuple, or ");
    }
    wrong(needed, &asked, &form)
}
