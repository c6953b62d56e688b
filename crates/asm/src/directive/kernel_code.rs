//! What code for other operating systems than `amdhsa` has instead of kernel descriptors: `.amd_kernel_code_t` …
//! `.end_amd_kernel_code_t`, the 256 bytes that such a kernel begins with; `.amdgpu_hsa_kernel`, which makes a symbol
//! one; `.amd_amdgpu_isa`, the note with the target.
//!
//! Follows LLVM 22 (`AMDGPUAsmParser`, `AMDKernelCodeTUtils`): a line of the block is `field = value`, fields may come
//! again, and bit fields keep the low bits of their value. Some values may be symbols that are not known yet.

use std::ops::Range;

use wavemark_codeobj::descriptor::{Field, Word};
use wavemark_codeobj::elf::{OsAbi, SymbolType};
use wavemark_codeobj::note::{AMD, NT_AMD_HSA_ISA_NAME, Note};
use wavemark_codeobj::v2::{self, KERNEL_CODE_SIZE, Place};
use wavemark_diag::Span;
use wavemark_target::{Features, Property, Subtarget, WaveSize};

use crate::assembler::{Assembler, Fault};
use crate::directive::{Directive, Operands, amdgpu, fits, row};
use crate::expr::{Binary, Expr, fold};
use crate::lex::Lexer;
use crate::section::FixupKind;
use crate::statement::Lines;

pub(super) const DIRECTIVES: &[Directive] = &[
    row(".amd_kernel_code_t", kernel_code),
    row(".end_amd_kernel_code_t", stray),
    row(".amdgpu_hsa_kernel", hsa_kernel),
    row(".amd_amdgpu_isa", isa),
];

/// The last line of a block.
const END: &str = ".end_amd_kernel_code_t";

/// Bit fields of `compute_pgm_rsrc1` and `compute_pgm_rsrc2`: two names, and which fields of a kernel descriptor, from
/// the first to the last, are there.
const REGISTERS: &[(&str, &str, Field, Field)] = &[
    (
        "granulated_workitem_vgpr_count",
        "compute_pgm_rsrc1_vgprs",
        Field::GranulatedWorkitemVgprCount,
        Field::GranulatedWorkitemVgprCount,
    ),
    (
        "granulated_wavefront_sgpr_count",
        "compute_pgm_rsrc1_sgprs",
        Field::GranulatedWavefrontSgprCount,
        Field::GranulatedWavefrontSgprCount,
    ),
    ("priority", "compute_pgm_rsrc1_priority", Field::Priority, Field::Priority),
    ("float_mode", "compute_pgm_rsrc1_float_mode", Field::FloatRoundMode32, Field::FloatDenormMode16_64),
    ("priv", "compute_pgm_rsrc1_priv", Field::Priv, Field::Priv),
    ("enable_dx10_clamp", "compute_pgm_rsrc1_dx10_clamp", Field::EnableDx10Clamp, Field::EnableDx10Clamp),
    ("debug_mode", "compute_pgm_rsrc1_debug_mode", Field::DebugMode, Field::DebugMode),
    ("enable_ieee_mode", "compute_pgm_rsrc1_ieee_mode", Field::EnableIeeeMode, Field::EnableIeeeMode),
    ("enable_wgp_mode", "compute_pgm_rsrc1_wgp_mode", Field::WgpMode, Field::WgpMode),
    ("enable_mem_ordered", "compute_pgm_rsrc1_mem_ordered", Field::MemOrdered, Field::MemOrdered),
    ("enable_fwd_progress", "compute_pgm_rsrc1_fwd_progress", Field::FwdProgress, Field::FwdProgress),
    (
        "enable_sgpr_private_segment_wave_byte_offset",
        "compute_pgm_rsrc2_scratch_en",
        Field::EnablePrivateSegment,
        Field::EnablePrivateSegment,
    ),
    ("user_sgpr_count", "compute_pgm_rsrc2_user_sgpr", Field::UserSgprCount, Field::UserSgprCount),
    (
        "enable_trap_handler",
        "compute_pgm_rsrc2_trap_handler",
        Field::EnableTrapHandler,
        Field::EnableTrapHandler,
    ),
    (
        "enable_sgpr_workgroup_id_x",
        "compute_pgm_rsrc2_tgid_x_en",
        Field::EnableSgprWorkgroupIdX,
        Field::EnableSgprWorkgroupIdX,
    ),
    (
        "enable_sgpr_workgroup_id_y",
        "compute_pgm_rsrc2_tgid_y_en",
        Field::EnableSgprWorkgroupIdY,
        Field::EnableSgprWorkgroupIdY,
    ),
    (
        "enable_sgpr_workgroup_id_z",
        "compute_pgm_rsrc2_tgid_z_en",
        Field::EnableSgprWorkgroupIdZ,
        Field::EnableSgprWorkgroupIdZ,
    ),
    (
        "enable_sgpr_workgroup_info",
        "compute_pgm_rsrc2_tg_size_en",
        Field::EnableSgprWorkgroupInfo,
        Field::EnableSgprWorkgroupInfo,
    ),
    (
        "enable_vgpr_workitem_id",
        "compute_pgm_rsrc2_tidig_comp_cnt",
        Field::EnableVgprWorkitemId,
        Field::EnableVgprWorkitemId,
    ),
    (
        "enable_exception_msb",
        "compute_pgm_rsrc2_excp_en_msb",
        Field::EnableExceptionAddressWatch,
        Field::EnableExceptionMemory,
    ),
    ("granulated_lds_size", "compute_pgm_rsrc2_lds_size", Field::GranulatedLdsSize, Field::GranulatedLdsSize),
    (
        "enable_exception",
        "compute_pgm_rsrc2_excp_en",
        Field::EnableExceptionInvalidOperation,
        Field::EnableExceptionIntDivideByZero,
    ),
];

const RSRC1: &str = "compute_pgm_rsrc1";
const RSRC2: &str = "compute_pgm_rsrc2";

/// Other names of fields.
const ALIASES: &[(&str, &str)] = &[
    ("kernel_code_version_major", "amd_code_version_major"),
    ("kernel_code_version_minor", "amd_code_version_minor"),
    ("machine_kind", "amd_machine_kind"),
    ("machine_version_major", "amd_machine_version_major"),
    ("machine_version_minor", "amd_machine_version_minor"),
    ("machine_version_stepping", "amd_machine_version_stepping"),
];

/// Fields that the structure has and the block has not.
const UNNAMED: &[&str] = &["kernel_code_prefetch_byte_offset", RSRC1, RSRC2, "code_properties"];

/// Whole fields whose value may wait for symbols.
const WAITING: &[&str] =
    &["workitem_private_segment_byte_size", "wavefront_sgpr_count", "workitem_vgpr_count"];

/// Where what a line of the block names is, and whether its value may wait for symbols.
fn place(name: &str) -> Option<(Place, bool)> {
    if let Some((.., first, last)) = REGISTERS.iter().find(|(one, other, ..)| *one == name || *other == name)
    {
        let word = v2::place(if first.word() == Word::Rsrc1 { RSRC1 } else { RSRC2 })?;
        let width = last.shift() + last.width() - first.shift();
        return Some((Place { shift: first.shift(), width, ..word }, true));
    }
    let name = ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, name)| name);
    let place = v2::place(name).filter(|_| !UNNAMED.contains(&name))?;
    Some((place, WAITING.contains(&name) || name == "is_dynamic_callstack"))
}

/// A block in the making: what it begins with, and the value of each place of the structure that has been set.
struct Block {
    bytes: [u8; KERNEL_CODE_SIZE],
    values: Vec<(Place, Expr, Span)>,
}

impl Block {
    /// What LLVM begins with.
    fn new(subtarget: &Subtarget, span: Span) -> Block {
        let (major, minor, stepping) = subtarget.processor().isa_version();
        let wave32 = subtarget.machine.wave_size == WaveSize::Wave32;
        let wgp = Field::WgpMode.exists_on(subtarget.processor())
            && !subtarget.machine.features.contains(Features::CUMODE);
        let mut block = Block { bytes: [0; KERNEL_CODE_SIZE], values: Vec::new() };
        // From gfx10 on LLVM 22 begins with all bits of compute_pgm_rsrc2: the sign of enable_fwd_progress, the top
        // bit of compute_pgm_rsrc1, runs over into it. A text that means something sets its fields.
        if let Some(word) = v2::place(RSRC2).filter(|_| major >= 10) {
            put(&mut block.bytes, &word, -1);
        }
        let defaults = [
            ("amd_code_version_major", 1),
            ("amd_code_version_minor", 2),
            ("amd_machine_kind", 1),
            ("amd_machine_version_major", major.into()),
            ("amd_machine_version_minor", minor.into()),
            ("amd_machine_version_stepping", stepping.into()),
            ("kernel_code_entry_byte_offset", KERNEL_CODE_SIZE as i64),
            ("enable_wgp_mode", i64::from(wgp)),
            ("enable_mem_ordered", i64::from(major >= 10)),
            ("enable_fwd_progress", i64::from(major >= 10)),
            ("enable_wavefront_size32", i64::from(wave32)),
            ("wavefront_size", if wave32 { 5 } else { 6 }),
            ("call_convention", 0xffff_ffff),
            ("kernarg_segment_alignment", 4),
            ("group_segment_alignment", 4),
            ("private_segment_alignment", 4),
        ];
        for (name, value) in defaults {
            if let Some((place, _)) = place(name) {
                block.set(place, Expr::Int(value), span);
            }
        }
        block
    }

    fn set(&mut self, place: Place, value: Expr, span: Span) {
        self.values.retain(|(other, ..)| *other != place);
        self.values.push((place, value, span));
    }

    /// The number that a field has; `None` if it waits for symbols.
    fn get(&self, name: &str) -> Option<i64> {
        let (wanted, _) = place(name)?;
        match self.values.iter().find(|(place, ..)| *place == wanted) {
            Some((place, Expr::Int(value), _)) => Some(value & mask(place)),
            Some(_) => None,
            None => Some(0),
        }
    }

    /// What does not fit the processor, as LLVM says it.
    fn fault(&self, subtarget: &Subtarget) -> Option<&'static str> {
        let processor = subtarget.processor();
        let (major, ..) = processor.isa_version();
        let is = |name: &str, value: i64| self.get(name) == Some(value);
        let wave32 = subtarget.machine.wave_size == WaveSize::Wave32;
        if major >= 12 && is("enable_dx10_clamp", 1) {
            return Some("enable_dx10_clamp=1 is not allowed on GFX12+");
        }
        if major >= 12 && is("enable_ieee_mode", 1) {
            return Some("enable_ieee_mode=1 is not allowed on GFX12+");
        }
        if !processor.has(Property::WAVE32) {
            let newer = [
                ("enable_wgp_mode", 1, "enable_wgp_mode=1 is only allowed on GFX10+"),
                ("enable_mem_ordered", 1, "enable_mem_ordered=1 is only allowed on GFX10+"),
                ("enable_fwd_progress", 1, "enable_fwd_progress=1 is only allowed on GFX10+"),
                ("enable_wavefront_size32", 1, "enable_wavefront_size32=1 is only allowed on GFX10+"),
                ("wavefront_size", 5, "wavefront_size=5 is only allowed on GFX10+"),
            ];
            return newer.iter().find(|(name, value, _)| is(name, *value)).map(|(.., message)| *message);
        }
        match wave32 {
            true if is("enable_wavefront_size32", 0) => {
                Some("enable_wavefront_size32=0 requires +WavefrontSize64")
            }
            true if is("wavefront_size", 6) => Some("wavefront_size=6 requires +WavefrontSize64"),
            false if is("enable_wavefront_size32", 1) => {
                Some("enable_wavefront_size32=1 requires +WavefrontSize32")
            }
            false if is("wavefront_size", 5) => Some("wavefront_size=5 requires +WavefrontSize32"),
            _ => None,
        }
    }

    /// Appends the structure to the current section.
    fn emit(self, assembler: &mut Assembler<'_>) {
        let mut bytes = self.bytes;
        let mut waiting: Vec<(Place, Expr, Span)> = Vec::new();
        for (place, value, span) in self.values {
            put(&mut bytes, &place, if let Expr::Int(value) = value { value } else { 0 });
            if !matches!(value, Expr::Int(_)) {
                waiting.push((place, value, span));
            }
        }
        // The words in their order: all bit fields of one are one value.
        waiting.sort_by_key(|(place, ..)| place.at);
        for group in waiting.chunk_by(|(one, ..), (other, ..)| one.at == other.at) {
            let Some(&(first, _, span)) = group.first() else { continue };
            let range = first.at..first.at + first.bytes;
            let known = bytes[range.clone()].iter().rev().fold(0, |word, &byte| word << 8 | i64::from(byte));
            let mut word = Expr::Int(known);
            for (place, value, _) in group {
                word = join(word, place, value.clone());
            }
            bytes[range].fill(0);
            assembler.fixup(first.at as u64, FixupKind::Data { bytes: first.bytes as u8 }, word, span);
        }
        assembler.emit(&bytes);
    }
}

/// The bits of a place, at bit 0.
fn mask(place: &Place) -> i64 {
    if place.width >= 64 { -1 } else { (1 << place.width) - 1 }
}

fn put(bytes: &mut [u8; KERNEL_CODE_SIZE], place: &Place, value: i64) {
    let bits = |value: i64| (((value & mask(place)) as u64) << place.shift).to_le_bytes();
    let places = bytes[place.at..place.at + place.bytes].iter_mut();
    for (byte, (bits, own)) in places.zip(bits(value).into_iter().zip(bits(-1))) {
        *byte = *byte & !own | bits;
    }
}

/// `word` with `value` in the bits of the place.
fn join(word: Expr, place: &Place, value: Expr) -> Expr {
    let whole = place.width as usize == place.bytes * 8;
    let value = if whole { value } else { binary(Binary::And, value, Expr::Int(mask(place))) };
    binary(Binary::Or, word, binary(Binary::Shl, value, Expr::Int(place.shift.into())))
}

/// An operation that is done now where it can be.
fn binary(op: Binary, left: Expr, right: Expr) -> Expr {
    match (&left, op, &right) {
        (Expr::Int(one), _, Expr::Int(other)) => fold(op, *one, *other).map_or(Expr::Int(0), Expr::Int),
        (Expr::Int(0), Binary::Or, _) => right,
        (_, Binary::Shl, Expr::Int(0)) => left,
        _ => Expr::Binary(op, Box::new(left), Box::new(right)),
    }
}

fn stray(_: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    operands.fault_here(format!("{END} without .amd_kernel_code_t"))
}

fn kernel_code(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    lines: &mut Lines<'_>,
) -> Result<(), Fault> {
    if let Err(fault) = expect_other_than_hsa(assembler, operands, "use .amdhsa_kernel") {
        operands.ignore();
        // The block is passed over as a whole, so that there is one error.
        while lines.raw_line().is_some_and(|(_, line)| line.trim() != END) {}
        return Err(fault);
    }
    let header = operands.end();
    let span = assembler.span(operands.offset, operands.name.clone());
    let mut block = Block::new(assembler.subtarget, span);
    loop {
        let Some(Ok(statement)) = lines.next() else {
            return operands.fault_here(format!(".amd_kernel_code_t without {END}"));
        };
        let mut lexer = Lexer::new(&statement.text);
        let field = lexer.next();
        let name = lexer.slice(field.range.clone());
        if name == END {
            break;
        }
        let mut line = Operands::new(lexer, field.range.clone(), statement.offset);
        if let Err(fault) = entry(assembler, &mut line, name, &mut block) {
            let span = assembler.span(statement.offset, fault.range);
            assembler.report(span, fault.message);
        }
    }
    header?;
    block.emit(assembler);
    Ok(())
}

/// `field = value`.
fn entry(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    name: &str,
    block: &mut Block,
) -> Result<(), Fault> {
    // A field of old, which LLVM passes over.
    if name == "max_scratch_backing_memory_byte_size" {
        operands.ignore();
        return Ok(());
    }
    let Some((place, waits)) = place(name) else {
        return operands.fault_here(format!("amd_kernel_code_t has no field {name}"));
    };
    if operands.lexer.operator() != "=" {
        return operands.fault("expected '='");
    }
    operands.lexer.skip(1);
    let start = operands.lexer.next_start();
    let value = match waits {
        true => operands.expr(assembler)?,
        false => Expr::Int(operands.absolute(assembler)?.0),
    };
    let range: Range<usize> = start..operands.lexer.position();
    operands.end()?;
    if let (Expr::Int(number), true) = (&value, WAITING.contains(&name))
        && !fits(*number, place.bytes as u8)
    {
        return Err(Fault::new(range, format!("{number} does not fit in {} bytes", place.bytes)));
    }
    let span = assembler.span(operands.offset, range.clone());
    block.set(place, value, span);
    match block.fault(assembler.subtarget) {
        Some(message) => Err(Fault::new(range, message)),
        None => Ok(()),
    }
}

/// `.amdgpu_hsa_kernel name`.
fn hsa_kernel(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    _: &mut Lines<'_>,
) -> Result<(), Fault> {
    let (name, _) = operands.name()?;
    operands.end()?;
    expect_other_than_hsa(assembler, operands, ".amdhsa_kernel makes a kernel of a symbol")?;
    let symbol = assembler.symbols.intern(name);
    assembler.symbols.get_mut(symbol).kind = SymbolType::HsaKernel;
    Ok(())
}

/// `.amd_amdgpu_isa "triple-processor"`: must be what the file is assembled for.
fn isa(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    let start = operands.lexer.next_start();
    let text = operands.string()?;
    let range = start..operands.lexer.position();
    operands.end()?;
    expect_other_than_hsa(assembler, operands, ".amdgcn_target says the target")?;
    let target = &assembler.subtarget.target;
    // Only the target IDs of amdhsa have settings.
    let wanted = format!("{}-{}", target.triple(), target.id.processor);
    if text != wanted.as_bytes() {
        let said = String::from_utf8_lossy(&text);
        return Err(Fault::new(range, format!("the file is for {said}, but {wanted} was asked for")));
    }
    let note = Note { name: AMD.to_owned(), kind: NT_AMD_HSA_ISA_NAME, description: text, offset: 0 };
    amdgpu::add_note(assembler, note);
    Ok(())
}

/// An error if the object is for `amdhsa`, for which there is something `instead`.
fn expect_other_than_hsa(
    assembler: &Assembler<'_>,
    operands: &Operands<'_>,
    instead: &str,
) -> Result<(), Fault> {
    if assembler.os() != OsAbi::Hsa {
        return Ok(());
    }
    operands.fault_here(format!(
        "{}: on amdhsa it belongs to code object V2, which LLVM no longer writes; {instead}",
        operands.directive()
    ))
}
