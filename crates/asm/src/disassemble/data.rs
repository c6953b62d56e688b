//! Data of a disassembly: bytes, relocations in them, storage without bytes.

use std::fmt::Write as _;

use wavemark_codeobj::RelocationKind;
use wavemark_codeobj::elf::{Rela, Section};

use super::Printer;
use super::code::specifier_of;

/// The relocations at the offsets from `start` to before `end`; they are in order.
pub(super) fn between(relocations: &[Rela], start: u64, end: u64) -> &[Rela] {
    let first = relocations.partition_point(|rela| rela.offset < start);
    let last = relocations.partition_point(|rela| rela.offset < end);
    relocations.get(first..last).unwrap_or(&[])
}

impl Printer<'_> {
    /// The relocations that apply to a section, offsets in the section, in order.
    pub(super) fn relocations_of(&self, index: usize, section: &Section) -> Vec<Rela> {
        let mut found = Vec::new();
        for table in &self.object.relocations {
            if table.target == Some(index) {
                found.extend_from_slice(&table.entries);
            } else if table.target.is_none() && !self.object.is_relocatable() {
                let inside = table.entries.iter().filter_map(|rela| {
                    let offset = rela.offset.checked_sub(section.address)?;
                    (offset < section.size).then_some(Rela { offset, ..*rela })
                });
                found.extend(inside);
            }
        }
        found.sort_by_key(|rela| rela.offset);
        found
    }

    /// Prints a section of data.
    pub(super) fn data(&mut self, index: usize, section: &Section) {
        let bytes = self.object.section_data(index);
        let relocations = self.relocations_of(index, section);
        let mut offset = 0;
        while offset < bytes.len() as u64 {
            self.labels_at(index, offset);
            let limit = self.labels.next_after(index, offset).unwrap_or(u64::MAX).min(bytes.len() as u64);
            offset = match self.block_at(index, offset, limit) {
                Some(next) => next,
                None => {
                    self.words(bytes, offset, limit, &relocations);
                    limit
                }
            };
        }
        self.labels_at(index, bytes.len() as u64);
    }

    /// Prints the bytes from `offset` to `end` as they are, with their relocations.
    pub(super) fn words(&mut self, bytes: &[u8], mut offset: u64, end: u64, relocations: &[Rela]) {
        while offset < end {
            let coming = between(relocations, offset, end);
            let here = coming.iter().take_while(|rela| rela.offset == offset).count();
            if let [rela] = &coming[..here]
                && let Some((text, size)) = self.relocated_data(rela, end - offset)
                && bytes
                    .get(offset as usize..(offset + size) as usize)
                    .is_some_and(|old| old.iter().all(|&b| b == 0))
            {
                self.line(text);
                offset += size;
                continue;
            }
            // What no value would leave behind: the bytes as they are, and the relocation by itself.
            for rela in &coming[..here] {
                if let Some(text) = self.explicit_relocation(rela) {
                    self.line(text);
                }
            }
            let limit = coming.iter().map(|rela| rela.offset).find(|&at| at > offset).unwrap_or(end);
            self.raw(bytes.get(offset as usize..limit as usize).unwrap_or(&[]));
            offset = limit;
        }
    }

    /// The directive whose value becomes the relocation, and how many bytes it has.
    fn relocated_data(&self, rela: &Rela, room: u64) -> Option<(String, u64)> {
        let kind = RelocationKind::by_number(rela.kind)?;
        let size = kind.size() as u64;
        let directive = match size {
            4 => ".long",
            8 => ".quad",
            _ => return None,
        };
        if size > room {
            return None;
        }
        if kind == RelocationKind::Relative64 {
            let (section, offset) = self.find_address(rela.addend as u64)?;
            return Some((format!("{directive} {}+{offset}", super::symbols::section_label(section)), size));
        }
        let symbols =
            if self.object.is_relocatable() { &self.object.symbols } else { &self.object.dynamic_symbols };
        let symbol = symbols.get(rela.symbol as usize)?;
        let value = match kind {
            RelocationKind::Abs32 | RelocationKind::Abs64 => self.reference(symbol, rela.addend)?,
            RelocationKind::Rel32 => format!("{}-.", self.reference(symbol, rela.addend)?),
            kind => self.with_specifier(symbol, specifier_of(kind)?, rela.addend)?,
        };
        Some((format!("{directive} {value}"), size))
    }

    /// The `.reloc` that makes a relocation of a relocatable file.
    fn explicit_relocation(&self, rela: &Rela) -> Option<String> {
        let kind = RelocationKind::by_number(rela.kind).filter(|_| self.object.is_relocatable())?;
        let value = match rela.symbol {
            0 => rela.addend.to_string(),
            symbol => self.reference(self.object.symbols.get(symbol as usize)?, rela.addend)?,
        };
        Some(format!(".reloc ., {}, {value}", kind.name()))
    }

    /// The printed section that an address of a linked file is in.
    fn find_address(&self, address: u64) -> Option<(usize, u64)> {
        self.object.sections.iter().enumerate().find_map(|(index, section)| {
            let offset = address.checked_sub(section.address)?;
            (super::is_printed(section) && offset < section.size).then_some((index, offset))
        })
    }

    /// Prints bytes: runs of zeros as `.zero`, the rest as words and bytes.
    fn raw(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let zeros = bytes.iter().take_while(|&&byte| byte == 0).count();
            if zeros >= 16 || zeros == bytes.len() {
                self.line(format!(".zero {zeros}"));
                bytes = &bytes[zeros..];
                continue;
            }
            let zero_run = bytes.windows(16).position(|window| window.iter().all(|&byte| byte == 0));
            let (now, later) = bytes.split_at(zero_run.unwrap_or(bytes.len()).clamp(1, 16));
            let mut text = String::new();
            if now.len() % 4 == 0 {
                for word in now.chunks_exact(4) {
                    let value = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
                    let separator = if text.is_empty() { "" } else { ", " };
                    let _ = write!(text, "{separator}{value:#010x}");
                }
                self.line(format!(".long {text}"));
            } else {
                for byte in now {
                    let separator = if text.is_empty() { "" } else { ", " };
                    let _ = write!(text, "{separator}{byte:#04x}");
                }
                self.line(format!(".byte {text}"));
            }
            bytes = later;
        }
    }

    /// Prints a section that has a size and no bytes.
    pub(super) fn nobits(&mut self, index: usize, section: &Section) {
        let mut offset = 0;
        loop {
            self.labels_at(index, offset);
            if offset >= section.size {
                return;
            }
            let next = self.labels.next_after(index, offset).unwrap_or(section.size).min(section.size);
            self.line(format!(".zero {}", next - offset));
            offset = next;
        }
    }
}
