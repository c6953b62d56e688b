//! Code of a disassembly.

use std::fmt::Write as _;

use wavemark_codeobj::RelocationKind;
use wavemark_codeobj::elf::{Rela, Section};
use wavemark_isa::{self as isa, Inst, NoSymbols, Operand};

use wavemark_target::Machine;

use super::Printer;
use super::data::between;
use super::symbols::{Label, branch_label};

/// Numbers that stand in for an address while an instruction is printed; their text is replaced.
const STAND_IN_32: u64 = 0x7ead_beef;
const STAND_IN_64: u64 = 0x7ead_beef_7ead_beef;

impl Printer<'_> {
    /// Notes the targets of the branches in a section.
    pub(super) fn find_branches(&mut self, index: usize) {
        let machine = self.subtarget.machine;
        let bytes = self.object.section_data(index);
        let (starts, targets) = self.starts_and_targets(machine, index, bytes);
        for target in targets {
            if starts.binary_search(&target).is_ok() || target == bytes.len() as u64 {
                let here = self.labels.places.get(index).and_then(|places| places.get(&target));
                if !here.is_some_and(|labels| labels.iter().any(|label| matches!(label, Label::Branch))) {
                    self.labels.add(index, target, Label::Branch);
                }
            }
        }
    }

    /// Where instructions start, reading on from each label, and where branches go.
    fn starts_and_targets(&self, machine: Machine, index: usize, bytes: &[u8]) -> (Vec<u64>, Vec<u64>) {
        let mut starts = Vec::with_capacity(bytes.len() / 6);
        let mut targets = Vec::new();
        let mut offset = 0;
        while offset < bytes.len() as u64 {
            let limit = self.labels.next_after(index, offset).unwrap_or(u64::MAX).min(bytes.len() as u64);
            let window = bytes.get(offset as usize..limit as usize).unwrap_or(&[]);
            let size = match isa::decode(machine, window) {
                Ok(inst) => {
                    targets.extend(branch_target(machine, &inst, offset));
                    u64::from(inst.size)
                }
                Err(_) => 4,
            };
            starts.push(offset);
            offset = (offset + size.max(1)).min(limit.max(offset + 1));
        }
        (starts, targets)
    }

    /// Prints a section of code.
    pub(super) fn code(&mut self, index: usize, section: &Section) {
        let bytes = self.object.section_data(index);
        let relocations = self.relocations_of(index, section);
        let mut offset = 0u64;
        while offset < bytes.len() as u64 {
            self.labels_at(index, offset);
            let limit = self.labels.next_after(index, offset).unwrap_or(u64::MAX).min(bytes.len() as u64);
            offset = match self.block_at(index, offset, limit) {
                Some(next) => next,
                None => self.instruction(index, bytes, offset, limit, &relocations),
            };
        }
        self.labels_at(index, bytes.len() as u64);
    }

    /// Prints what is at `offset`, which ends before `limit`, and says where the next starts.
    fn instruction(
        &mut self,
        index: usize,
        bytes: &[u8],
        offset: u64,
        limit: u64,
        relocations: &[Rela],
    ) -> u64 {
        let window = bytes.get(offset as usize..limit as usize).unwrap_or(&[]);
        let machine = self.subtarget.machine;
        if let Ok(inst) = isa::decode(machine, window) {
            let size = u64::from(inst.size);
            let end = offset + size;
            let inside = between(relocations, offset, end);
            let raw = &window[..window.len().min(size as usize)];
            let text = match inside {
                [] => self.plain(machine, &inst, raw, index, offset),
                [rela] => self.relocated(machine, &inst, raw, offset, rela),
                _ => None,
            };
            if let Some(text) = text {
                self.line(text);
                return end;
            }
            if inside.is_empty() {
                let mut comment = String::from(" // ");
                isa::print_into(&mut comment, machine, &inst);
                let words: Vec<String> = raw
                    .chunks(4)
                    .map(|word| {
                        format!(
                            "{:#010x}",
                            word.iter().rev().fold(0u32, |all, &byte| all << 8 | u32::from(byte))
                        )
                    })
                    .collect();
                self.line(format!(".long {}{comment}", words.join(", ")));
                return end;
            }
            return self.words(index, bytes, offset, end, relocations);
        }
        self.words(index, bytes, offset, limit.min(offset + 4), relocations)
    }

    /// An instruction without relocation, if its text comes back to its bytes.
    fn plain(&self, machine: Machine, inst: &Inst, raw: &[u8], index: usize, offset: u64) -> Option<String> {
        let text = isa::print(machine, inst);
        let parsed = isa::parse(machine, &text, &NoSymbols).ok()?;
        let same = isa::encode(machine, &parsed.inst).is_ok_and(|bytes| bytes[..] == *raw);
        if !same || !parsed.fixups.is_empty() {
            return None;
        }
        let Some(target) = branch_target(machine, inst, offset) else { return Some(text) };
        let labelled = self.labels.places.get(index).and_then(|places| places.get(&target));
        if !labelled.is_some_and(|labels| labels.iter().any(|label| matches!(label, Label::Branch))) {
            return Some(text);
        }
        // The distance is the last operand.
        let stem = text.rfind([' ', ',']).map_or(text.as_str(), |at| &text[..=at]).trim_end();
        Some(format!("{stem} {}", branch_label(index, target)))
    }

    /// An instruction with a relocation, if the assembler would make the same of the text.
    fn relocated(
        &self,
        machine: Machine,
        inst: &Inst,
        raw: &[u8],
        offset: u64,
        rela: &Rela,
    ) -> Option<String> {
        let symbol = self.object.symbols.get(rela.symbol as usize)?;
        let kind = RelocationKind::by_number(rela.kind)?;
        if kind == RelocationKind::Rel16 {
            let text = isa::print(machine, inst);
            let name =
                self.reference(symbol, rela.addend).filter(|_| rela.addend == 0 && rela.offset == offset)?;
            let stem = text.rfind([' ', ',']).map_or(text.as_str(), |at| &text[..=at]).trim_end();
            return (raw.get(..2) == Some(&[0xff, 0xff])).then(|| format!("{stem} {name}"));
        }
        // The literal ends the instruction; it must be 0 as the assembler leaves it.
        let mut stood_in = inst.clone();
        let mut wide = None;
        for operand in &mut stood_in.operands {
            match operand {
                Operand::Literal(value) => {
                    *value = STAND_IN_32;
                    wide = Some(false);
                }
                Operand::Literal64(value) => {
                    *value = STAND_IN_64;
                    wide = Some(true);
                }
                _ => {}
            }
        }
        let size = if wide? { 8 } else { 4 };
        let literal = (raw.len() as u64).checked_sub(size).filter(|at| offset + at == rela.offset)?;
        if raw.get(literal as usize..)?.iter().any(|&byte| byte != 0) {
            return None;
        }
        let specifier = specifier_of(kind);
        let expr = match (kind, specifier) {
            (RelocationKind::Rel32, _) if size == 4 => self.reference(symbol, rela.addend)?,
            (RelocationKind::Abs32, _) if size == 4 => format!("{}-0", self.reference(symbol, 0)?),
            (_, Some(specifier)) => self.with_specifier(symbol, specifier, rela.addend)?,
            _ => return None,
        };
        if kind == RelocationKind::Abs32 && rela.addend != 0 {
            return None;
        }
        let text = isa::print(machine, &stood_in);
        let number = if size == 8 { format!("{STAND_IN_64:#x}") } else { format!("{STAND_IN_32:#x}") };
        let wrapped = [format!("lit64({number})"), format!("lit({number})"), number];
        let found = wrapped.iter().find(|form| text.contains(form.as_str()))?;
        let text = text.replacen(found.as_str(), &expr, 1);
        let parsed = isa::parse(machine, &text, &NoSymbols).ok()?;
        let [fixup] = parsed.fixups.as_slice() else { return None };
        let same = u64::from(fixup.offset) == literal
            && isa::encode(machine, &parsed.inst).is_ok_and(|bytes| bytes[..] == *raw);
        same.then_some(text)
    }

    /// `symbol@specifier` plus a number.
    pub(super) fn with_specifier(
        &self,
        symbol: &wavemark_codeobj::elf::Symbol,
        specifier: &str,
        addend: i64,
    ) -> Option<String> {
        let plain = self.reference(symbol, 0)?;
        // The start of a section may be a label and a number already.
        let (name, offset) = plain
            .split_at(plain.rfind(['+', '-']).filter(|_| !plain.starts_with('"')).unwrap_or(plain.len()));
        let mut text = format!("{name}@{specifier}{offset}");
        let _ = match addend {
            0 => Ok(()),
            1.. => write!(text, "+{addend}"),
            _ => write!(text, "-{}", addend.unsigned_abs()),
        };
        Some(text)
    }
}

/// The specifier that makes a relocation, where one does.
pub(super) fn specifier_of(kind: RelocationKind) -> Option<&'static str> {
    Some(match kind {
        RelocationKind::Abs32Lo => "abs32@lo",
        RelocationKind::Abs32Hi => "abs32@hi",
        RelocationKind::Abs64 => "abs64",
        RelocationKind::Rel64 => "rel64",
        RelocationKind::GotPcRel => "gotpcrel",
        RelocationKind::GotPcRel32Lo => "gotpcrel32@lo",
        RelocationKind::GotPcRel32Hi => "gotpcrel32@hi",
        RelocationKind::Rel32Lo => "rel32@lo",
        RelocationKind::Rel32Hi => "rel32@hi",
        _ => return None,
    })
}

/// Where the instruction at `offset` branches to, if it does.
fn branch_target(machine: Machine, inst: &Inst, offset: u64) -> Option<u64> {
    let row = inst.row(machine);
    let index = row
        .operands
        .iter()
        .position(|operand| operand.class == isa::role::Class::Imm(isa::role::ImmKind::Label))?;
    let Some(Operand::Imm(dwords)) = inst.operands.get(index) else { return None };
    let after = offset as i64 + i64::from(inst.size);
    Some(after.wrapping_add(dwords.wrapping_mul(4)) as u64)
}
