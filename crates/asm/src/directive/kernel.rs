//! `.amdhsa_kernel` … `.end_amdhsa_kernel`: a kernel descriptor.
//!
//! Follows "AMDHSA Kernel Assembler Directives" of LLVM's *User Guide for AMDGPU Backend*; ranges, required
//! directives and what is computed from what are LLVM 22's. The block reserves the 64 bytes; the values are
//! evaluated when every symbol is known, which is later than LLVM does it and accepts more.

use std::ops::Range;

use wavemark_codeobj::descriptor::{Field, KernelDescriptor, SIZE};
use wavemark_codeobj::elf::{Binding, SymbolType, Visibility};
use wavemark_diag::Span;
use wavemark_target::{Generation, Property, Setting, WaveSize};

use crate::assembler::{Assembler, Fault};
use crate::directive::{Directive, Operands, row};
use crate::expr::{Expr, Specifier};
use crate::lex::Lexer;
use crate::machine::Machine;
use crate::section::{FixupKind, SectionId};
use crate::statement::Lines;
use crate::symbol::{Definition, SymbolId};
use crate::value::Evaluator;

pub(super) const DIRECTIVES: &[Directive] =
    &[row(".amdhsa_kernel", kernel), row(".end_amdhsa_kernel", stray)];

/// What a key of the block sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sets {
    /// The field that the processor has, and how many user SGPRs it takes when it is not 0.
    Field(&'static [Field], u32),
    GroupSegmentFixedSize,
    PrivateSegmentFixedSize,
    KernargSize,
    UserSgprCount,
    PreloadLength,
    PreloadOffset,
    WavefrontSize32,
    NextFreeVgpr,
    NextFreeSgpr,
    AccumOffset,
    SharedVgprCount,
    ReserveVcc,
    ReserveFlatScratch,
    ReserveXnackMask,
}

const KEYS: &[(&str, Sets)] = &[
    (".amdhsa_group_segment_fixed_size", Sets::GroupSegmentFixedSize),
    (".amdhsa_private_segment_fixed_size", Sets::PrivateSegmentFixedSize),
    (".amdhsa_kernarg_size", Sets::KernargSize),
    (".amdhsa_user_sgpr_count", Sets::UserSgprCount),
    (".amdhsa_user_sgpr_private_segment_buffer", Sets::Field(&[Field::EnableSgprPrivateSegmentBuffer], 4)),
    (".amdhsa_user_sgpr_dispatch_ptr", Sets::Field(&[Field::EnableSgprDispatchPtr], 2)),
    (".amdhsa_user_sgpr_queue_ptr", Sets::Field(&[Field::EnableSgprQueuePtr], 2)),
    (".amdhsa_user_sgpr_kernarg_segment_ptr", Sets::Field(&[Field::EnableSgprKernargSegmentPtr], 2)),
    (".amdhsa_user_sgpr_dispatch_id", Sets::Field(&[Field::EnableSgprDispatchId], 2)),
    (".amdhsa_user_sgpr_flat_scratch_init", Sets::Field(&[Field::EnableSgprFlatScratchInit], 2)),
    (".amdhsa_user_sgpr_private_segment_size", Sets::Field(&[Field::EnableSgprPrivateSegmentSize], 1)),
    (".amdhsa_user_sgpr_kernarg_preload_length", Sets::PreloadLength),
    (".amdhsa_user_sgpr_kernarg_preload_offset", Sets::PreloadOffset),
    (".amdhsa_wavefront_size32", Sets::WavefrontSize32),
    (".amdhsa_uses_dynamic_stack", Sets::Field(&[Field::UsesDynamicStack], 0)),
    (".amdhsa_system_sgpr_private_segment_wavefront_offset", Sets::Field(&[Field::EnablePrivateSegment], 0)),
    (".amdhsa_enable_private_segment", Sets::Field(&[Field::EnablePrivateSegment], 0)),
    (".amdhsa_system_sgpr_workgroup_id_x", Sets::Field(&[Field::EnableSgprWorkgroupIdX], 0)),
    (".amdhsa_system_sgpr_workgroup_id_y", Sets::Field(&[Field::EnableSgprWorkgroupIdY], 0)),
    (".amdhsa_system_sgpr_workgroup_id_z", Sets::Field(&[Field::EnableSgprWorkgroupIdZ], 0)),
    (".amdhsa_system_sgpr_workgroup_info", Sets::Field(&[Field::EnableSgprWorkgroupInfo], 0)),
    (".amdhsa_system_vgpr_workitem_id", Sets::Field(&[Field::EnableVgprWorkitemId], 0)),
    (".amdhsa_next_free_vgpr", Sets::NextFreeVgpr),
    (".amdhsa_next_free_sgpr", Sets::NextFreeSgpr),
    (".amdhsa_accum_offset", Sets::AccumOffset),
    (".amdhsa_reserve_vcc", Sets::ReserveVcc),
    (".amdhsa_reserve_flat_scratch", Sets::ReserveFlatScratch),
    (".amdhsa_reserve_xnack_mask", Sets::ReserveXnackMask),
    (".amdhsa_float_round_mode_32", Sets::Field(&[Field::FloatRoundMode32], 0)),
    (".amdhsa_float_round_mode_16_64", Sets::Field(&[Field::FloatRoundMode16_64], 0)),
    (".amdhsa_float_denorm_mode_32", Sets::Field(&[Field::FloatDenormMode32], 0)),
    (".amdhsa_float_denorm_mode_16_64", Sets::Field(&[Field::FloatDenormMode16_64], 0)),
    (".amdhsa_dx10_clamp", Sets::Field(&[Field::EnableDx10Clamp], 0)),
    (".amdhsa_ieee_mode", Sets::Field(&[Field::EnableIeeeMode], 0)),
    (".amdhsa_fp16_overflow", Sets::Field(&[Field::Fp16Ovfl], 0)),
    (".amdhsa_tg_split", Sets::Field(&[Field::TgSplit], 0)),
    (".amdhsa_workgroup_processor_mode", Sets::Field(&[Field::WgpMode], 0)),
    (".amdhsa_memory_ordered", Sets::Field(&[Field::MemOrdered], 0)),
    (".amdhsa_forward_progress", Sets::Field(&[Field::FwdProgress], 0)),
    (".amdhsa_shared_vgpr_count", Sets::SharedVgprCount),
    (".amdhsa_inst_pref_size", Sets::Field(&[Field::InstPrefSizeGfx11, Field::InstPrefSize], 0)),
    (".amdhsa_round_robin_scheduling", Sets::Field(&[Field::EnableWgRrEn], 0)),
    (".amdhsa_named_barrier_count", Sets::Field(&[Field::NamedBarCnt], 0)),
    (".amdhsa_exception_fp_ieee_invalid_op", Sets::Field(&[Field::EnableExceptionInvalidOperation], 0)),
    (".amdhsa_exception_fp_denorm_src", Sets::Field(&[Field::EnableExceptionDenormalSource], 0)),
    (".amdhsa_exception_fp_ieee_div_zero", Sets::Field(&[Field::EnableExceptionDivisionByZero], 0)),
    (".amdhsa_exception_fp_ieee_overflow", Sets::Field(&[Field::EnableExceptionOverflow], 0)),
    (".amdhsa_exception_fp_ieee_underflow", Sets::Field(&[Field::EnableExceptionUnderflow], 0)),
    (".amdhsa_exception_fp_ieee_inexact", Sets::Field(&[Field::EnableExceptionInexact], 0)),
    (".amdhsa_exception_int_div_zero", Sets::Field(&[Field::EnableExceptionIntDivideByZero], 0)),
];

/// The key that sets `field` in text, if one does.
pub(crate) fn key_of(field: Field, machine: &Machine) -> Option<&'static str> {
    let scratch = machine.processor().has(Property::ARCHITECTED_FLAT_SCRATCH);
    let mut keys =
        KEYS.iter().filter(|(_, sets)| matches!(sets, Sets::Field(fields, _) if fields.contains(&field)));
    match field {
        Field::EnablePrivateSegment if scratch => Some(".amdhsa_enable_private_segment"),
        Field::EnableWavefrontSize32 => Some(".amdhsa_wavefront_size32"),
        Field::SharedVgprCount => Some(".amdhsa_shared_vgpr_count"),
        Field::KernargPreloadSpecLength => Some(".amdhsa_user_sgpr_kernarg_preload_length"),
        Field::KernargPreloadSpecOffset => Some(".amdhsa_user_sgpr_kernarg_preload_offset"),
        _ => keys.next().map(|(key, _)| *key),
    }
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
    let mut seen: Vec<&'static str> = Vec::new();
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
    let fixed_sgprs = assembler.machine.limits().fixed_sgprs.is_some()
        || assembler.machine.processor().generation() >= Generation::Gfx10;
    let turn = |sets: Sets| match sets {
        Sets::GroupSegmentFixedSize => 0,
        Sets::PrivateSegmentFixedSize => 1,
        Sets::KernargSize => 2,
        Sets::AccumOffset | Sets::SharedVgprCount => 3,
        Sets::Field(fields, _)
            if [Field::TgSplit, Field::InstPrefSize, Field::NamedBarCnt]
                .iter()
                .any(|f| fields.contains(f)) =>
        {
            3
        }
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
    seen: &mut Vec<&'static str>,
) -> Result<(), Fault> {
    let Some(&(key, sets)) = KEYS.iter().find(|(key, _)| *key == name) else {
        let what = if name.starts_with(".amdhsa_") {
            "unknown .amdhsa_kernel directive"
        } else {
            "expected .amdhsa_ directive or .end_amdhsa_kernel"
        };
        return operands.fault_here(what);
    };
    if seen.contains(&key) {
        return operands.fault_here(".amdhsa_ directives cannot be repeated");
    }
    seen.push(key);
    check_supported(key, sets, assembler.machine)
        .map_err(|message| Fault::new(operands.name.clone(), message))?;
    let start = operands.lexer.next_start();
    let value = operands.expr(assembler)?;
    let range: Range<usize> = start..operands.lexer.position();
    operands.end()?;
    let key_span = assembler.span(operands.offset, operands.name.clone());
    let value_span = assembler.span(operands.offset, range);
    entries.push(Entry { sets, value, key_span, value_span });
    Ok(())
}

/// Whether the processor has what the key sets.
fn check_supported(key: &str, sets: Sets, machine: &Machine) -> Result<(), String> {
    let processor = machine.processor();
    let scratch = processor.has(Property::ARCHITECTED_FLAT_SCRATCH);
    let needs_no_scratch = matches!(
        key,
        ".amdhsa_user_sgpr_private_segment_buffer"
            | ".amdhsa_user_sgpr_flat_scratch_init"
            | ".amdhsa_system_sgpr_private_segment_wavefront_offset"
            | ".amdhsa_reserve_flat_scratch"
    );
    if scratch && needs_no_scratch {
        return Err("directive is not supported with architected flat scratch".to_owned());
    }
    if !scratch && key == ".amdhsa_enable_private_segment" {
        return Err("directive is not supported without architected flat scratch".to_owned());
    }
    let generation = processor.generation();
    let supported = match sets {
        Sets::Field(fields, _) => fields.iter().any(|field| field.exists_on(processor)),
        Sets::PreloadLength | Sets::PreloadOffset => processor.has(Property::KERNARG_PRELOAD),
        Sets::WavefrontSize32 => generation >= Generation::Gfx10,
        Sets::AccumOffset => processor.is_gfx90a_plus(),
        Sets::SharedVgprCount => Field::SharedVgprCount.exists_on(processor),
        Sets::ReserveFlatScratch => generation >= Generation::Gfx7,
        Sets::ReserveXnackMask => generation >= Generation::Gfx8,
        _ => true,
    };
    if supported { Ok(()) } else { Err(format!("{key} is not supported on {processor}")) }
}

/// What is wrong with a block, and where.
pub(crate) type BlockError = (Span, String);

impl Kernel {
    /// The descriptor that the block says.
    pub fn evaluate(
        &self,
        evaluator: &mut Evaluator<'_>,
        machine: &Machine,
    ) -> Result<KernelDescriptor, BlockError> {
        let processor = machine.processor();
        let mut descriptor = KernelDescriptor::defaults(processor, &machine.features);
        let mut block = Block { wave_size: machine.features.wave_size, ..Block::default() };
        for entry in &self.entries {
            let value = evaluator.absolute(&entry.value).map_err(|message| (entry.value_span, message))?;
            let value =
                u64::try_from(value).map_err(|_| (entry.value_span, "value out of range".to_owned()))?;
            block.set(entry, value, &mut descriptor, machine)?;
        }
        block.finish(&mut descriptor, machine, self.end)?;
        Ok(descriptor)
    }
}

/// What a block says beyond fields.
#[derive(Debug)]
struct Block {
    wave_size: WaveSize,
    next_free_vgpr: Option<(u64, Span)>,
    next_free_sgpr: Option<(u64, Span)>,
    accum_offset: Option<(u64, Span)>,
    shared_vgprs: Option<(u64, Span)>,
    explicit_user_sgprs: Option<(u64, Span)>,
    implied_user_sgprs: u64,
    preload: (u64, u64),
    reserve_vcc: bool,
    reserve_flat_scratch: bool,
}

impl Default for Block {
    fn default() -> Block {
        Block {
            wave_size: WaveSize::Wave64,
            next_free_vgpr: None,
            next_free_sgpr: None,
            accum_offset: None,
            shared_vgprs: None,
            explicit_user_sgprs: None,
            implied_user_sgprs: 0,
            preload: (0, 0),
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
        machine: &Machine,
    ) -> Result<(), BlockError> {
        let range = || (entry.value_span, "value out of range".to_owned());
        let word = || u32::try_from(value).map_err(|_| range());
        let bit = || if value > 1 { Err(range()) } else { Ok(value == 1) };
        let mut field = |field: Field| descriptor.set(field, value).map_err(|_| range());
        match entry.sets {
            Sets::Field(fields, sgprs) => {
                for &candidate in fields.iter().filter(|field| field.exists_on(machine.processor())) {
                    field(candidate)?;
                }
                self.implied_user_sgprs += if value != 0 { u64::from(sgprs) } else { 0 };
            }
            Sets::GroupSegmentFixedSize => descriptor.group_segment_fixed_size = word()?,
            Sets::PrivateSegmentFixedSize => descriptor.private_segment_fixed_size = word()?,
            Sets::KernargSize => descriptor.kernarg_size = word()?,
            Sets::UserSgprCount => self.explicit_user_sgprs = Some((value, entry.value_span)),
            Sets::PreloadLength => {
                if value > u64::from(machine.limits().max_user_sgprs) {
                    return Err(range());
                }
                field(Field::KernargPreloadSpecLength)?;
                self.implied_user_sgprs += value;
                self.preload.0 = value;
            }
            Sets::PreloadOffset => {
                field(Field::KernargPreloadSpecOffset)?;
                self.preload.1 = value;
            }
            Sets::WavefrontSize32 => {
                field(Field::EnableWavefrontSize32)?;
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
                if bit()? != xnack_on_or_any(machine) {
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
        machine: &Machine,
        end: Span,
    ) -> Result<(), BlockError> {
        let required = |key: &str| (end, format!("{key} directive is required"));
        let (vgprs, vgpr_span) = self.next_free_vgpr.ok_or_else(|| required(".amdhsa_next_free_vgpr"))?;
        let (sgprs, sgpr_span) = self.next_free_sgpr.ok_or_else(|| required(".amdhsa_next_free_sgpr"))?;
        let range = |span: Span| (span, "value out of range".to_owned());
        let limits = machine.processor().limits(self.wave_size);

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
        if Field::GranulatedWavefrontSgprCount.exists_on(machine.processor()) {
            // Preloaded arguments count as used.
            let sgprs = if self.preload.0 != 0 { sgprs.max(user_sgprs) } else { sgprs };
            let blocks = self.sgpr_blocks(sgprs, machine).ok_or_else(|| range(sgpr_span))?;
            descriptor.set(Field::GranulatedWavefrontSgprCount, blocks).map_err(|_| range(sgpr_span))?;
        }
        let count_field = [Field::UserSgprCount, Field::UserSgprCountGfx1250]
            .into_iter()
            .find(|field| field.exists_on(machine.processor()));
        if let Some(field) = count_field {
            let span = self.explicit_user_sgprs.map_or(end, |(_, span)| span);
            descriptor
                .set(field, user_sgprs)
                .map_err(|_| (span, "too many user SGPRs enabled".to_owned()))?;
        }

        let (length, offset) = self.preload;
        let kernarg_size = u64::from(descriptor.kernarg_size);
        if length != 0 && kernarg_size != 0 && (length + offset) * 4 > kernarg_size {
            let message = "Kernarg preload length + offset is larger than the kernarg segment size";
            return Err((end, message.to_owned()));
        }
        if machine.processor().is_gfx90a_plus() {
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
            if self.wave_size == WaveSize::Wave32 {
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

    /// `GRANULATED_WAVEFRONT_SGPR_COUNT`; nothing when there are too many.
    fn sgpr_blocks(&self, sgprs: u64, machine: &Machine) -> Option<u64> {
        let limits = machine.limits();
        let addressable = u64::from(limits.addressable_sgprs);
        let generation = machine.processor().generation();
        let extra =
            machine.extra_sgprs(self.reserve_vcc, self.reserve_flat_scratch, xnack_on_or_any(machine));
        let early = generation >= Generation::Gfx8 && limits.fixed_sgprs.is_none();
        if early && sgprs > addressable {
            return None;
        }
        let mut total = sgprs.checked_add(u64::from(extra))?;
        if !early && total > addressable {
            return None;
        }
        if let Some(fixed) = limits.fixed_sgprs {
            total = u64::from(fixed);
        }
        Some(total.max(1).div_ceil(u64::from(limits.sgpr_encoding_granule.max(1))) - 1)
    }
}

fn xnack_on_or_any(machine: &Machine) -> bool {
    matches!(machine.target.id.xnack, Setting::On | Setting::Any)
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
}
