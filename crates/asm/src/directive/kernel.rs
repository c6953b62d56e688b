//! `.amdhsa_kernel` … `.end_amdhsa_kernel`: a kernel descriptor.
//!
//! Follows "AMDHSA Kernel Assembler Directives" of LLVM's *User Guide for AMDGPU Backend*; ranges, required
//! directives and what is computed from what are LLVM 22's. The block reserves the 64 bytes; the values are
//! evaluated when every symbol is known, which is later than LLVM does it and accepts more.

use std::ops::Range;

use wavemark_codeobj::descriptor::{Field, KernelDescriptor, SIZE};
use wavemark_codeobj::elf::{Binding, SymbolType, Visibility};
use wavemark_diag::Span;
use wavemark_target::{FlatScratch, Processor, Property, Subtarget, WaveSize};

use crate::assembler::{Assembler, Fault};
use crate::directive::{Directive, Operands, row};
use crate::expr::{Expr, Specifier};
use crate::lex::Lexer;
use crate::section::{FixupKind, SectionId};
use crate::statement::Lines;
use crate::symbol::{Definition, SymbolId};
use crate::value::Evaluator;

pub(super) const DIRECTIVES: &[Directive] =
    &[row(".amdhsa_kernel", kernel), row(".end_amdhsa_kernel", stray)];

/// What a key of the block sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sets {
    /// A field, to the value as it is.
    Field(Field),
    GroupSegmentFixedSize,
    PrivateSegmentFixedSize,
    KernargSize,
    UserSgprCount,
    PreloadLength,
    WavefrontSize32,
    NextFreeVgpr,
    NextFreeSgpr,
    AccumOffset,
    SharedVgprCount,
    ReserveVcc,
    ReserveFlatScratch,
    ReserveXnackMask,
}

/// Keys that do more or other than set one field to their value; those that do are [`Field::directive`]s.
const KEYS: &[(&str, Sets)] = &[
    ("group_segment_fixed_size", Sets::GroupSegmentFixedSize),
    ("private_segment_fixed_size", Sets::PrivateSegmentFixedSize),
    ("kernarg_size", Sets::KernargSize),
    ("user_sgpr_count", Sets::UserSgprCount),
    ("user_sgpr_kernarg_preload_length", Sets::PreloadLength),
    ("wavefront_size32", Sets::WavefrontSize32),
    ("next_free_vgpr", Sets::NextFreeVgpr),
    ("next_free_sgpr", Sets::NextFreeSgpr),
    ("accum_offset", Sets::AccumOffset),
    ("shared_vgpr_count", Sets::SharedVgprCount),
    ("reserve_vcc", Sets::ReserveVcc),
    ("reserve_flat_scratch", Sets::ReserveFlatScratch),
    ("reserve_xnack_mask", Sets::ReserveXnackMask),
];

const PREFIX: &str = ".amdhsa_";

/// What a key, without the prefix, sets on a processor; or why it sets nothing.
fn sets(key: &str, processor: Processor) -> Result<Sets, String> {
    let architected = processor.has(Property::ARCHITECTED_FLAT_SCRATCH);
    match key {
        "user_sgpr_private_segment_buffer"
        | "user_sgpr_flat_scratch_init"
        | "system_sgpr_private_segment_wavefront_offset"
        | "reserve_flat_scratch"
            if architected =>
        {
            return Err("directive is not supported with architected flat scratch".to_owned());
        }
        "enable_private_segment" if !architected => {
            return Err("directive is not supported without architected flat scratch".to_owned());
        }
        _ => {}
    }
    let special = KEYS.iter().find(|(name, _)| *name == key).map(|(_, sets)| *sets);
    let facts = processor.facts();
    let supported = match special {
        Some(Sets::PreloadLength) => processor.has(Property::KERNARG_PRELOAD),
        Some(Sets::WavefrontSize32) => Field::EnableWavefrontSize32.exists_on(processor),
        Some(Sets::AccumOffset) => Field::AccumOffset.exists_on(processor),
        Some(Sets::SharedVgprCount) => Field::SharedVgprCount.exists_on(processor),
        Some(Sets::ReserveFlatScratch) => processor.flat_scratch() != FlatScratch::None,
        // gfx10 and later have no such SGPRs, but the key says nothing wrong there.
        Some(Sets::ReserveXnackMask) => {
            facts.special_sgprs.xnack_mask != 0 || facts.special_sgprs.flat_scratch == 0
        }
        _ => true,
    };
    match (special, Field::by_directive(key, processor)) {
        (Some(sets), _) if supported => Ok(sets),
        (None, Some(field)) => Ok(Sets::Field(field)),
        (None, None) if !Processor::ALL.iter().any(|&other| Field::by_directive(key, other).is_some()) => {
            Err("unknown .amdhsa_kernel directive".to_owned())
        }
        _ => Err(format!("{PREFIX}{key} is not supported on {processor}")),
    }
}

/// The key that sets `field` in text, if one does.
pub(crate) fn key_of(field: Field, processor: Processor) -> Option<String> {
    Some(format!("{PREFIX}{}", field.directive(processor)?))
}

/// One line of a block.
#[derive(Clone, Debug)]
struct Entry {
    sets: Sets,
    value: Expr,
    key_span: Span,
    value_span: Span,
}

/// A block, to be evaluated.
#[derive(Clone, Debug)]
pub(crate) struct Kernel {
    pub symbol: SymbolId,
    pub section: SectionId,
    pub offset: u64,
    entries: Vec<Entry>,
    end: Span,
}

fn stray(_: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    operands.fault_here(".end_amdhsa_kernel without .amdhsa_kernel")
}

fn kernel(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    lines: &mut Lines<'_>,
) -> Result<(), Fault> {
    let header = operands.name().and_then(|(name, range)| operands.end().map(|()| (name, range)));
    let mut entries: Vec<Entry> = Vec::new();
    let mut seen: Vec<String> = Vec::new();
    let end = loop {
        let Some(Ok(statement)) = lines.next() else {
            return operands.fault_here(".amdhsa_kernel without .end_amdhsa_kernel");
        };
        let mut lexer = Lexer::new(&statement.text);
        let key = lexer.next();
        let name = lexer.slice(key.range.clone());
        if name == ".end_amdhsa_kernel" {
            break assembler.span(statement.offset, key.range);
        }
        let mut line = Operands::new(lexer, key.range.clone(), statement.offset);
        if let Err(fault) = entry(assembler, &mut line, name, &mut entries, &mut seen) {
            let span = assembler.span(statement.offset, fault.range);
            assembler.report(span, fault.message);
        }
    };
    super::amdgpu::expect_hsa(assembler, operands)?;
    mention(assembler, &entries);
    let (name, range) = header?;
    let symbol = assembler.symbols.intern(name);
    let descriptor = assembler.symbols.intern(&format!("{name}.kd"));
    assembler.define_label(descriptor, operands.offset, range.clone())?;
    let visibility = assembler.symbols.get(symbol).visibility;
    let defined = assembler.symbols.get(symbol).definition != Definition::Undefined;
    let default = if defined { Binding::Local } else { Binding::Global };
    let binding = assembler.symbols.get(symbol).binding.unwrap_or(default);
    let entry = assembler.symbols.get_mut(descriptor);
    entry.kind = SymbolType::Object;
    entry.visibility = visibility;
    entry.binding = Some(binding);
    let span = assembler.span(operands.offset, range);
    assembler.symbols.get_mut(descriptor).size = Some((Expr::Int(SIZE as i64), span));
    if visibility == Visibility::Default {
        assembler.symbols.get_mut(symbol).visibility = Visibility::Protected;
    }
    let (section, offset) = assembler.here();
    let distance = Expr::Binary(
        crate::expr::Binary::Sub,
        Box::new(Expr::Symbol(symbol, Some(Specifier::Rel64))),
        Box::new(Expr::Symbol(descriptor, None)),
    );
    assembler.fixup(16, FixupKind::Data { bytes: 8 }, distance, span);
    assembler.emit(&[0; SIZE]);
    assembler.kernels.push(Kernel { symbol, section, offset, entries, end });
    Ok(())
}

/// Notes the symbols that the descriptor needs, in the order of its words, as LLVM meets them when it writes it.
fn mention(assembler: &mut Assembler<'_>, entries: &[Entry]) {
    // Where SGPRs are not counted, the descriptor does not say how many there are.
    let limits = assembler.subtarget.limits();
    let fixed_sgprs = limits.fixed_sgprs.is_some() || limits.sgpr_encoding_granule == 0;
    let turn = |sets: Sets| match sets {
        Sets::GroupSegmentFixedSize => 0,
        Sets::PrivateSegmentFixedSize => 1,
        Sets::KernargSize => 2,
        Sets::AccumOffset | Sets::SharedVgprCount => 3,
        Sets::Field(Field::TgSplit | Field::InstPrefSize | Field::NamedBarCnt) => 3,
        Sets::NextFreeVgpr => 4,
        Sets::NextFreeSgpr => 5,
        _ => 6,
    };
    let mut order: Vec<&Entry> =
        entries.iter().filter(|entry| !(fixed_sgprs && entry.sets == Sets::NextFreeSgpr)).collect();
    order.sort_by_key(|entry| turn(entry.sets));
    order.iter().for_each(|entry| assembler.mention(&entry.value));
}

fn entry(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    name: &str,
    entries: &mut Vec<Entry>,
    seen: &mut Vec<String>,
) -> Result<(), Fault> {
    let Some(key) = name.strip_prefix(PREFIX) else {
        return operands.fault_here("expected .amdhsa_ directive or .end_amdhsa_kernel");
    };
    let sets = sets(key, assembler.subtarget.processor())
        .map_err(|message| Fault::new(operands.name.clone(), message))?;
    if seen.iter().any(|seen| seen == key) {
        return operands.fault_here(".amdhsa_ directives cannot be repeated");
    }
    seen.push(key.to_owned());
    let start = operands.lexer.next_start();
    let value = operands.expr(assembler)?;
    let range: Range<usize> = start..operands.lexer.position();
    operands.end()?;
    let key_span = assembler.span(operands.offset, operands.name.clone());
    let value_span = assembler.span(operands.offset, range);
    entries.push(Entry { sets, value, key_span, value_span });
    Ok(())
}

/// What is wrong with a block, and where.
pub(crate) type BlockError = (Span, String);

impl Kernel {
    /// The descriptor that the block says.
    pub fn evaluate(
        &self,
        evaluator: &mut Evaluator<'_>,
        subtarget: &Subtarget,
    ) -> Result<KernelDescriptor, BlockError> {
        let mut descriptor = KernelDescriptor::defaults(subtarget.machine);
        let mut block = Block { wave_size: subtarget.machine.wave_size, ..Block::default() };
        for entry in &self.entries {
            let value = evaluator.absolute(&entry.value).map_err(|message| (entry.value_span, message))?;
            let value =
                u64::try_from(value).map_err(|_| (entry.value_span, "value out of range".to_owned()))?;
            block.set(entry, value, &mut descriptor, subtarget)?;
        }
        block.finish(&mut descriptor, subtarget, self.end)?;
        Ok(descriptor)
    }
}

/// What a block says beyond fields.
#[derive(Debug)]
struct Block {
    wave_size: WaveSize,
    says_wave32: bool,
    next_free_vgpr: Option<(u64, Span)>,
    next_free_sgpr: Option<(u64, Span)>,
    accum_offset: Option<(u64, Span)>,
    shared_vgprs: Option<(u64, Span)>,
    explicit_user_sgprs: Option<(u64, Span)>,
    implied_user_sgprs: u64,
    reserve_vcc: bool,
    reserve_flat_scratch: bool,
}

impl Default for Block {
    fn default() -> Block {
        Block {
            wave_size: WaveSize::Wave64,
            says_wave32: false,
            next_free_vgpr: None,
            next_free_sgpr: None,
            accum_offset: None,
            shared_vgprs: None,
            explicit_user_sgprs: None,
            implied_user_sgprs: 0,
            reserve_vcc: true,
            reserve_flat_scratch: true,
        }
    }
}

impl Block {
    fn set(
        &mut self,
        entry: &Entry,
        value: u64,
        descriptor: &mut KernelDescriptor,
        subtarget: &Subtarget,
    ) -> Result<(), BlockError> {
        let range = || (entry.value_span, "value out of range".to_owned());
        let word = || u32::try_from(value).map_err(|_| range());
        let bit = || if value > 1 { Err(range()) } else { Ok(value == 1) };
        let mut field = |field: Field| descriptor.set(field, value).map_err(|_| range());
        match entry.sets {
            Sets::Field(to_set) => {
                field(to_set)?;
                self.implied_user_sgprs += if value != 0 { u64::from(to_set.user_sgprs()) } else { 0 };
            }
            Sets::GroupSegmentFixedSize => descriptor.group_segment_fixed_size = word()?,
            Sets::PrivateSegmentFixedSize => descriptor.private_segment_fixed_size = word()?,
            Sets::KernargSize => descriptor.kernarg_size = word()?,
            Sets::UserSgprCount => self.explicit_user_sgprs = Some((value, entry.value_span)),
            Sets::PreloadLength => {
                if value > u64::from(subtarget.limits().max_user_sgprs) {
                    return Err(range());
                }
                field(Field::KernargPreloadSpecLength)?;
                self.implied_user_sgprs += value;
            }
            Sets::WavefrontSize32 => {
                field(Field::EnableWavefrontSize32)?;
                self.says_wave32 = value != 0;
                self.wave_size = if value != 0 { WaveSize::Wave32 } else { WaveSize::Wave64 };
            }
            Sets::NextFreeVgpr => self.next_free_vgpr = Some((value, entry.value_span)),
            Sets::NextFreeSgpr => self.next_free_sgpr = Some((value, entry.value_span)),
            Sets::AccumOffset => self.accum_offset = Some((value, entry.value_span)),
            Sets::SharedVgprCount => {
                field(Field::SharedVgprCount)?;
                self.shared_vgprs = Some((value, entry.value_span));
            }
            Sets::ReserveVcc => self.reserve_vcc = bit()?,
            Sets::ReserveFlatScratch => self.reserve_flat_scratch = bit()?,
            Sets::ReserveXnackMask => {
                if bit()? != subtarget.xnack_on_or_any() {
                    let message = ".amdhsa_reserve_xnack_mask does not match target id".to_owned();
                    return Err((entry.key_span, message));
                }
            }
        }
        Ok(())
    }

    fn finish(
        &self,
        descriptor: &mut KernelDescriptor,
        subtarget: &Subtarget,
        end: Span,
    ) -> Result<(), BlockError> {
        let required = |key: &str| (end, format!("{key} directive is required"));
        let (vgprs, vgpr_span) = self.next_free_vgpr.ok_or_else(|| required(".amdhsa_next_free_vgpr"))?;
        let (sgprs, sgpr_span) = self.next_free_sgpr.ok_or_else(|| required(".amdhsa_next_free_sgpr"))?;
        let range = |span: Span| (span, "value out of range".to_owned());
        let limits = subtarget.processor().limits(self.wave_size);

        let blocks = vgprs.max(1).div_ceil(u64::from(limits.vgpr_encoding_granule)) - 1;
        descriptor.set(Field::GranulatedWorkitemVgprCount, blocks).map_err(|_| range(vgpr_span))?;
        let user_sgprs = match self.explicit_user_sgprs {
            Some((count, span)) if self.implied_user_sgprs > count => {
                let message = format!(
                    "amdgpu_user_sgpr_count smaller than implied by enabled user SGPRs ({})",
                    self.implied_user_sgprs
                );
                return Err((span, message));
            }
            Some((count, _)) => count,
            None => self.implied_user_sgprs,
        };
        if Field::GranulatedWavefrontSgprCount.exists_on(subtarget.processor()) {
            // Preloaded arguments count as used.
            let preloads = descriptor.kernarg_preload().0 != 0;
            let sgprs = if preloads { sgprs.max(user_sgprs) } else { sgprs };
            let sgprs = Sgprs {
                free: sgprs,
                reserve_vcc: self.reserve_vcc,
                reserve_flat_scratch: self.reserve_flat_scratch,
            };
            let blocks = sgprs.granulated(subtarget).ok_or_else(|| range(sgpr_span))?;
            descriptor.set(Field::GranulatedWavefrontSgprCount, blocks).map_err(|_| range(sgpr_span))?;
        }
        let count_field = [Field::UserSgprCount, Field::UserSgprCountGfx1250]
            .into_iter()
            .find(|field| field.exists_on(subtarget.processor()));
        if let Some(field) = count_field {
            let span = self.explicit_user_sgprs.map_or(end, |(_, span)| span);
            descriptor
                .set(field, user_sgprs)
                .map_err(|_| (span, "too many user SGPRs enabled".to_owned()))?;
        }

        let (length, offset) = descriptor.kernarg_preload();
        let kernarg_size = descriptor.kernarg_size;
        if length != 0 && kernarg_size != 0 && (length + offset) * 4 > kernarg_size {
            let message = "Kernarg preload length + offset is larger than the kernarg segment size";
            return Err((end, message.to_owned()));
        }
        if Field::AccumOffset.exists_on(subtarget.processor()) {
            let (offset, span) = self.accum_offset.ok_or_else(|| required(".amdhsa_accum_offset"))?;
            if !(4..=256).contains(&offset) || offset % 4 != 0 {
                let message = "accum_offset should be in range [4..256] in increments of 4";
                return Err((span, message.to_owned()));
            }
            if offset > vgprs.max(1).next_multiple_of(4) {
                return Err((span, "accum_offset exceeds total VGPR allocation".to_owned()));
            }
            descriptor.set(Field::AccumOffset, offset / 4 - 1).map_err(|_| range(span))?;
        }
        if let Some((shared, span)) = self.shared_vgprs.filter(|(shared, _)| *shared != 0) {
            // LLVM lets a block pass that leaves waves of 32 lanes to the processor's default.
            if self.says_wave32 {
                let message = "shared_vgpr_count directive not valid on wavefront size 32";
                return Err((span, message.to_owned()));
            }
            if shared * 2 + blocks > 63 {
                let message =
                    "shared_vgpr_count*2 + compute_pgm_rsrc1.GRANULATED_WORKITEM_VGPR_COUNT cannot exceed 63";
                return Err((span, message.to_owned()));
            }
        }
        Ok(())
    }
}

/// SGPRs of a kernel as directives say them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sgprs {
    /// `.amdhsa_next_free_sgpr`, or the user SGPRs if those are more and arguments are preloaded.
    pub free: u64,
    pub reserve_vcc: bool,
    pub reserve_flat_scratch: bool,
}

impl Sgprs {
    /// `GRANULATED_WAVEFRONT_SGPR_COUNT`; nothing when there are too many.
    pub fn granulated(self, subtarget: &Subtarget) -> Option<u64> {
        let (processor, limits) = (subtarget.processor(), subtarget.limits());
        let addressable = u64::from(limits.addressable_sgprs);
        let xnack = subtarget.xnack_on_or_any();
        let extra = u64::from(processor.extra_sgprs(self.reserve_vcc, self.reserve_flat_scratch, xnack));
        // Where XNACK_MASK is an SGPR pair, special registers are beyond the addressable ones, but not where the
        // number is fixed.
        let beyond = processor.facts().special_sgprs.xnack_mask != 0 && limits.fixed_sgprs.is_none();
        let total = self.free.checked_add(extra)?;
        if (if beyond { self.free } else { total }) > addressable {
            return None;
        }
        Some(limits.granulated_sgprs(u32::try_from(total).ok()?).into())
    }

    /// What directives can say for a field's value, with as few reservations given up as can be. `least` is what
    /// the kernel's user SGPRs take in any case.
    pub fn of_granulated(blocks: u64, least: u64, subtarget: &Subtarget) -> Option<Sgprs> {
        let (processor, limits) = (subtarget.processor(), subtarget.limits());
        let all = (blocks + 1) * u64::from(limits.sgpr_encoding_granule);
        let can_free_scratch = sets("reserve_flat_scratch", processor).is_ok();
        let choices = [(true, true), (true, false), (false, true), (false, false)];
        choices.into_iter().filter(|(_, flat_scratch)| *flat_scratch || can_free_scratch).find_map(
            |(reserve_vcc, reserve_flat_scratch)| {
                let xnack = subtarget.xnack_on_or_any();
                let extra = u64::from(processor.extra_sgprs(reserve_vcc, reserve_flat_scratch, xnack));
                let free = all.saturating_sub(extra).min(limits.addressable_sgprs.into()).max(least);
                let sgprs = Sgprs { free, reserve_vcc, reserve_flat_scratch };
                (sgprs.granulated(subtarget) == Some(blocks)).then_some(sgprs)
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_unique() {
        for (index, (key, _)) in KEYS.iter().enumerate() {
            assert!(KEYS[index + 1..].iter().all(|(other, _)| other != key), "{key} twice");
        }
    }

    /// A field's directive sets that field, with what else it does.
    #[test]
    fn every_directive_has_a_meaning() {
        for &processor in Processor::ALL {
            for &field in Field::ALL.iter().filter(|field| field.exists_on(processor)) {
                if let Some(key) = key_of(field, processor) {
                    let key = key.strip_prefix(PREFIX).unwrap();
                    assert!(sets(key, processor).is_ok(), "{key} on {processor}");
                }
            }
        }
    }
}
