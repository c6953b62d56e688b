//! Intrinsics that are machine instructions: their text with registers, and what of operands and results is in which.

use wavemark_ir::inst::{Call, Operand};
use wavemark_ir::types::Type;

use super::Builder;
use crate::Refused;
use crate::lanes::Src;
use crate::meaning;
use crate::op::{Machine, Op};
use crate::shape::{Piece, recut};

impl Builder<'_, '_> {
    /// An intrinsic that is a line of `instructions.txt`.
    pub(super) fn machine(
        &mut self,
        name: &str,
        call: &Call,
        ty: Type,
        across: bool,
    ) -> Result<Vec<Src>, Refused> {
        let zero = |argument: usize| {
            call.args.get(argument).and_then(|argument| self.immediate(argument.value)) == Some(0)
        };
        let templates: Vec<&str> = meaning::texts(name, call.args.len(), zero).collect();
        let mut refused = Refused::new(format!("{name} with {} arguments", call.args.len()));
        for template in templates {
            match self.instruction_of(template, call, ty, across) {
                Ok(limbs) => return Ok(limbs),
                Err(why) => refused = why,
            }
        }
        Err(refused)
    }

    /// The same by a text, if that is an instruction of the processor.
    fn instruction_of(
        &mut self,
        template: &str,
        call: &Call,
        ty: Type,
        across: bool,
    ) -> Result<Vec<Src>, Refused> {
        let mut draft = Draft { next: 0, from: Vec::new(), inputs: Vec::new() };
        let result_bits = self.bits(ty)?;
        let dwords = result_bits.iter().sum::<u32>().div_ceil(32).max(1);
        let mut output = None;
        let mut words = Vec::new();
        for word in template.split(' ') {
            words.push(self.word_of(word, call, dwords, &mut draft, &mut output)?);
        }
        words.retain(|word| !word.is_empty());
        let text = words.join(" ");
        wavemark_isa::parse(self.unit.target, &text, &wavemark_isa::NoSymbols)
            .map_err(|error| Refused::new(format!("`{text}`: {}", error.message)))?;
        let function = self.unit.text(text);
        let output = output.ok_or_else(|| Refused::new("an instruction without result"))?;
        let results = recut(&vec![32; dwords as usize], &result_bits);
        let to = self.fresh(result_bits.len());
        self.push(Op::Machine(Box::new(Machine {
            function,
            to,
            from: draft.from.into(),
            inputs: draft.inputs.into(),
            output,
            results: results.into(),
            across,
        })));
        Ok((0..result_bits.len() as u32).map(|limb| Src::register(to + limb)).collect())
    }

    pub(super) fn bits(&self, ty: Type) -> Result<Vec<u32>, Refused> {
        Ok(self.leaves(ty)?.into_iter().flat_map(|leaf| leaf.limb_bits()).collect())
    }

    /// A word of the text.
    fn word_of(
        &mut self,
        word: &str,
        call: &Call,
        dwords: u32,
        draft: &mut Draft,
        output: &mut Option<u32>,
    ) -> Result<String, Refused> {
        let immediate = |this: &Self, number: &str| -> Result<u64, Refused> {
            let argument = number.parse().ok().and_then(|number: usize| call.args.get(number));
            argument
                .and_then(|argument| this.immediate(argument.value))
                .ok_or_else(|| Refused::new("an immediate that is no constant"))
        };
        if let Some(rest) = word.strip_prefix('$') {
            let comma = if rest.ends_with(',') { "," } else { "" };
            let rest = rest.trim_end_matches(',');
            if let Some(before) = rest.strip_prefix('d') {
                let at = draft.room(dwords);
                *output = Some(at);
                if let Some(number) = before.strip_prefix('=') {
                    let value = call.args[number.parse::<usize>().unwrap_or(0)].value;
                    self.bind(value, at, dwords, draft)?;
                }
                return Ok(registers(at, dwords) + comma);
            }
            let (number, format) = rest.split_once('@').map_or((rest, None), |(n, f)| (n, Some(f)));
            let value = call.args[number.parse::<usize>().unwrap_or(0)].value;
            let mut count = self.bits(self.ty(value))?.iter().sum::<u32>().div_ceil(32).max(1);
            if let Some((which, full)) = format.and_then(|format| format.split_once('*')) {
                let full: u32 = full.parse().unwrap_or(1);
                let needed = match immediate(self, which)? {
                    0 | 1 => full,
                    2 | 3 => full * 3 / 4,
                    _ => full / 2,
                };
                if needed > count {
                    return Err(Refused::new(format!("{count} registers of a format that takes {needed}")));
                }
                count = needed;
            }
            let at = draft.room(count);
            self.bind(value, at, count, draft)?;
            return Ok(registers(at, count) + comma);
        }
        let mut text = String::new();
        let mut rest = word;
        while let Some((before, behind)) = rest.split_once('{') {
            let (inside, after) = behind.split_once('}').unwrap_or((behind, ""));
            text += before;
            if let Some((number, word)) = inside.split_once('?') {
                if immediate(self, number)? != 0 {
                    text += word;
                }
            } else if let Some((number, words)) = inside.split_once(':') {
                let at = immediate(self, number)? as usize;
                text +=
                    words.split('/').nth(at).ok_or_else(|| Refused::new("an immediate without a word"))?;
            } else if let Some((number, bit)) = inside.split_once('.') {
                let bit: u32 = bit.parse().unwrap_or(0);
                text += &(immediate(self, number)? >> bit & 1).to_string();
            } else {
                text += &immediate(self, inside)?.to_string();
            }
            rest = after;
        }
        Ok(text + rest)
    }

    /// An operand in `count` vector registers from `at` on.
    fn bind(&mut self, value: Operand, at: u32, count: u32, draft: &mut Draft) -> Result<(), Refused> {
        let bits = self.bits(self.ty(value))?;
        let limbs = self.operand(value)?;
        let first = draft.from.len() as u32;
        draft.from.extend(limbs.iter());
        for (register, pieces) in (at..).zip(recut(&bits, &vec![32; count as usize])) {
            let moved = pieces.into_iter().map(|piece| Piece { from: piece.from + first, ..piece });
            draft.inputs.push((register, moved.collect()));
        }
        Ok(())
    }
}

/// Operands that have their registers.
struct Draft {
    next: u32,
    from: Vec<Src>,
    inputs: Vec<(u32, Vec<Piece>)>,
}

impl Draft {
    /// Registers that nobody has; an even one is the first, as some processors want it.
    fn room(&mut self, count: u32) -> u32 {
        let at = self.next;
        self.next = (at + count).next_multiple_of(2);
        at
    }
}

fn registers(at: u32, count: u32) -> String {
    match count {
        1 => format!("v{at}"),
        _ => format!("v[{at}:{}]", at + count - 1),
    }
}
