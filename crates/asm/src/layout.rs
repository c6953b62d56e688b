//! Layout: how many bytes each [`Gap`] has, and where subsections go.
//!
//! Sizes depend on places and places on sizes, so they are computed again until nothing changes; LEB128 numbers only
//! grow, as in LLVM, and what then still changes is an error. The result is in the sections: whole ones with all their
//! bytes, and for places read before, [`Sections::place`].

use wavemark_codeobj::elf::shf;

use crate::assembler::{Assembler, MAX_SECTION, section_room};
use crate::directive::{write_sleb128, write_uleb128};
use crate::section::{AlignFill, Gap, GapKind, SectionId, Sections};
use crate::value::Evaluator;

/// `s_nop 0`, which fills gaps in code.
const S_NOP_0: [u8; 4] = [0, 0, 0x80, 0xbf];

/// Rounds after which sizes that still change are given up.
const MAX_ROUNDS: usize = 64;

/// The bytes of `gap` zeros, values or instructions before an alignment.
pub(crate) fn align_bytes(out: &mut Vec<u8>, gap: u64, fill: AlignFill) {
    let (pattern, width) = match fill {
        AlignFill::Code => (S_NOP_0, 4),
        AlignFill::Value { value, width } => {
            let mut pattern = [0; 4];
            let bytes = value.to_le_bytes();
            pattern.copy_from_slice(&bytes[..4]);
            (pattern, u64::from(width))
        }
    };
    out.resize(out.len() + (gap % width) as usize, 0);
    for _ in 0..gap / width {
        out.extend_from_slice(&pattern[..width as usize]);
    }
}

impl Assembler<'_> {
    /// Adds a gap where the next byte goes.
    pub fn gap(&mut self, kind: GapKind, span: wavemark_diag::Span) {
        self.sections.unsettled = true;
        let section = self.sections.get_mut(self.current);
        let offset = section.bytes.len() as u64;
        section.gaps.push(Gap { offset, kind, span, size: 0, shift: 0 });
        section.bytes.push(0);
    }

    /// Gives every gap its size and joins subsections.
    pub fn settle(&mut self) {
        if !self.sections.unsettled {
            return;
        }
        self.sections.settled = true;
        for round in 0.. {
            place_parts(&mut self.sections);
            let (changed, errors) = self.measure();
            if round > 0 && !errors.is_empty() {
                errors.into_iter().for_each(|(span, message)| self.report(span, message));
                break;
            }
            if !changed {
                break;
            }
            if round == MAX_ROUNDS {
                let span = changed_span(&self.sections);
                if let Some(span) = span {
                    self.report(
                        span,
                        "the layout does not come to rest: sizes depend on each other".to_owned(),
                    );
                }
                break;
            }
        }
        if self.diagnostics.iter().any(wavemark_diag::Diagnostic::is_error) {
            return;
        }
        self.fill_gaps();
        self.join_parts();
    }

    /// One round: the sizes by the places of the last round. Whether one changed, and what is wrong.
    fn measure(&mut self) -> (bool, Vec<(wavemark_diag::Span, String)>) {
        let mut sizes = Vec::new();
        let mut errors = Vec::new();
        for (id, section) in self.sections.iter() {
            for gap in &section.gaps {
                let mut evaluator = Evaluator::new(&self.symbols, &self.sections, self.subtarget);
                let at = self.sections.place(id, gap.offset).1;
                let size = measure_gap(gap, at, self.sections.whole(id), &mut evaluator);
                match size {
                    Ok(size) if size <= MAX_SECTION => sizes.push(size),
                    Ok(_) => {
                        sizes.push(gap.size);
                        errors.push((
                            gap.span,
                            format!("section {} would be larger than 256 MiB", section.name),
                        ));
                    }
                    Err(message) => {
                        sizes.push(gap.size);
                        errors.push((gap.span, message));
                    }
                }
            }
        }
        let ids: Vec<SectionId> = self.sections.iter().map(|(id, _)| id).collect();
        let mut sizes = sizes.into_iter();
        let mut changed = !errors.is_empty();
        for id in ids {
            let mut shift = 0i64;
            for gap in &mut self.sections.get_mut(id).gaps {
                let size = sizes.next().unwrap_or(0);
                changed |= size != gap.size;
                gap.size = size;
                shift = shift.wrapping_add(size as i64 - 1);
                changed |= shift != gap.shift;
                gap.shift = shift;
            }
        }
        (changed, errors)
    }

    /// Replaces the byte that holds a gap's place by its bytes.
    fn fill_gaps(&mut self) {
        let ids: Vec<SectionId> = self.sections.iter().map(|(id, _)| id).collect();
        for id in ids {
            let section = self.sections.get(id);
            if section.gaps.is_empty() {
                continue;
            }
            let total =
                section.gaps.iter().fold(section.bytes.len() as u64, |sum, gap| sum.saturating_add(gap.size));
            if let Err(message) = section_room(&section.name, 0, total) {
                let span = section.gaps[0].span;
                return self.report(span, message);
            }
            let mut out = Vec::with_capacity(total as usize);
            let mut done = 0;
            for gap in &section.gaps {
                let at = gap.offset as usize;
                out.extend_from_slice(section.bytes.get(done..at).unwrap_or(&[]));
                done = at + 1;
                let mut evaluator = Evaluator::new(&self.symbols, &self.sections, self.subtarget);
                write_gap(&mut out, gap, &mut evaluator);
            }
            out.extend_from_slice(section.bytes.get(done..).unwrap_or(&[]));
            // Fixups are moved with their section's other places; those of a subsection also when it is joined.
            let moved: Vec<u64> = section
                .fixups
                .iter()
                .map(|fixup| self.sections.place(id, fixup.offset).1 - section.base)
                .collect();
            let section = self.sections.get_mut(id);
            section.bytes = out;
            for (fixup, offset) in section.fixups.iter_mut().zip(moved) {
                fixup.offset = offset;
            }
        }
    }

    /// Appends subsections to what they belong to.
    fn join_parts(&mut self) {
        for id in parts(&self.sections) {
            let part = self.sections.get_mut(id);
            let (bytes, mut fixups) = (std::mem::take(&mut part.bytes), std::mem::take(&mut part.fixups));
            let (base, align) = (part.base, part.align);
            let whole = self.sections.whole(id);
            let whole = self.sections.get_mut(whole);
            whole.bytes.extend(bytes);
            whole.align = whole.align.max(align);
            fixups.iter_mut().for_each(|fixup| fixup.offset += base);
            whole.fixups.extend(fixups);
        }
    }
}

/// The subsections, by the order of their bytes.
fn parts(sections: &Sections) -> Vec<SectionId> {
    let mut parts: Vec<((SectionId, u32), SectionId)> =
        sections.iter().filter_map(|(id, section)| Some((section.part_of?, id))).collect();
    parts.sort_unstable();
    parts.into_iter().map(|(_, id)| id).collect()
}

/// Bytes of one section, alone.
fn length(sections: &Sections, id: SectionId) -> u64 {
    let section = sections.get(id);
    let shift = section.gaps.last().map_or(0, |gap| gap.shift);
    (section.bytes.len() as u64).wrapping_add_signed(shift)
}

/// Puts each subsection after the one before.
fn place_parts(sections: &mut Sections) {
    let mut last: Option<(SectionId, u64)> = None;
    for id in parts(sections) {
        let whole = sections.whole(id);
        let base = match last {
            Some((section, end)) if section == whole => end,
            _ => length(sections, whole),
        };
        last = Some((whole, base.saturating_add(length(sections, id))));
        sections.get_mut(id).base = base;
    }
}

fn changed_span(sections: &Sections) -> Option<wavemark_diag::Span> {
    sections.iter().find_map(|(_, section)| section.gaps.first().map(|gap| gap.span))
}

/// How many bytes a gap at the final offset `at` of `section` has.
fn measure_gap(gap: &Gap, at: u64, section: SectionId, evaluator: &mut Evaluator<'_>) -> Result<u64, String> {
    match &gap.kind {
        &GapKind::Align { to, most, .. } => {
            let size = at.checked_next_multiple_of(to).unwrap_or(at) - at;
            Ok(if most.is_some_and(|most| size > most) { 0 } else { size })
        }
        GapKind::Org { target, .. } => {
            let value = evaluator.value(target)?;
            let target = match (value.add, value.sub) {
                (None, None) => value.constant,
                (Some(add), None) => match evaluator.location(add) {
                    Some((found, offset)) if found == section => (offset as i64).wrapping_add(value.constant),
                    _ => return Err("expected a number or a place in this section".to_owned()),
                },
                _ => return Err("expected a number or a place in this section".to_owned()),
            };
            let size = target.checked_sub(at as i64).and_then(|size| u64::try_from(size).ok());
            size.ok_or_else(|| format!("cannot move back from {at} to {target}"))
        }
        GapKind::Fill { count, size, .. } => {
            let number = evaluator.absolute(count)?;
            let number =
                u64::try_from(number).map_err(|_| format!("expected a number from 0 on, not {number}"))?;
            Ok(number.saturating_mul(u64::from(*size)))
        }
        GapKind::Leb { value, signed } => {
            let mut bytes = Vec::new();
            write_leb(&mut bytes, evaluator.absolute(value)?, *signed);
            Ok((bytes.len() as u64).max(gap.size))
        }
    }
}

fn write_leb(out: &mut Vec<u8>, value: i64, signed: bool) {
    if signed { write_sleb128(out, value) } else { write_uleb128(out, value as u64) }
}

fn write_gap(out: &mut Vec<u8>, gap: &Gap, evaluator: &mut Evaluator<'_>) {
    match &gap.kind {
        GapKind::Align { fill, .. } => align_bytes(out, gap.size, *fill),
        GapKind::Org { value, .. } => out.resize(out.len() + gap.size as usize, *value),
        GapKind::Fill { pattern, size, .. } => {
            let size = usize::from(*size);
            for _ in 0..gap.size / (size as u64).max(1) {
                out.extend_from_slice(&pattern[..size]);
            }
        }
        GapKind::Leb { value, signed } => {
            let start = out.len();
            write_leb(out, evaluator.absolute(value).unwrap_or(0), *signed);
            // A number that was once larger keeps its length.
            let negative = *signed && out.last().is_some_and(|byte| byte & 0x40 != 0);
            while ((out.len() - start) as u64) < gap.size {
                if let Some(last) = out.last_mut() {
                    *last |= 0x80;
                }
                out.push(if negative { 0x7f } else { 0 });
            }
        }
    }
}

/// What fills space in a section of these flags when the text does not say.
pub(crate) fn default_fill(flags: u64) -> AlignFill {
    if flags & shf::EXECINSTR != 0 { AlignFill::Code } else { AlignFill::Value { value: 0, width: 1 } }
}
