//! Call frame information (`.debug_frame`, `.eh_frame`) as text.

use std::fmt::{self, Write};

use gimli::{
    BaseAddresses, CallFrameInstruction, CallFrameInstructionIter, CieOrFde, CommonInformationEntry,
    DebugFrame, EhFrame, Encoding, LittleEndian, UnwindSection,
};

use super::sections::{DebugSections, Slice};
use super::text::Out;
use super::{Numbering, expression, register_name};

pub(super) fn write(out: &mut Out, sections: &DebugSections) -> fmt::Result {
    let mut debug_frame = DebugFrame::new(sections.data(".debug_frame"), LittleEndian);
    debug_frame.set_address_size(8);
    section(out, ".debug_frame", sections, &debug_frame)?;
    let mut eh_frame = EhFrame::new(sections.data(".eh_frame"), LittleEndian);
    eh_frame.set_address_size(8);
    section(out, ".eh_frame", sections, &eh_frame)
}

fn section<'a, S: UnwindSection<Slice<'a>>>(
    out: &mut Out,
    name: &str,
    sections: &DebugSections,
    frames: &S,
) -> fmt::Result {
    if sections.data(name).is_empty() {
        return Ok(());
    }
    writeln!(out, "\nframes of {name}:")?;
    let bases = BaseAddresses::default();
    let mut entries = frames.entries(&bases);
    loop {
        match entries.next() {
            Ok(None) => return Ok(()),
            Err(error) => return writeln!(out, "  error: {error}"),
            Ok(Some(CieOrFde::Cie(cie))) => {
                common(out, &cie)?;
                instructions(out, frames, cie.encoding(), cie.instructions(frames, &bases))?;
            }
            Ok(Some(CieOrFde::Fde(partial))) => match partial.parse(UnwindSection::cie_from_offset) {
                Ok(fde) => {
                    let (start, end) = (fde.initial_address(), fde.end_address());
                    writeln!(out, "  {:#010x} FDE of {start:#x} to {end:#x}", fde.offset())?;
                    instructions(out, frames, fde.cie().encoding(), fde.instructions(frames, &bases))?;
                }
                Err(error) => writeln!(out, "  error: an FDE: {error}")?,
            },
        }
    }
}

fn common(out: &mut Out, cie: &CommonInformationEntry<Slice<'_>>) -> fmt::Result {
    writeln!(
        out,
        "  {:#010x} CIE version {}, addresses of {} bytes, code alignment {}, data alignment {}, return address in {}",
        cie.offset(),
        cie.version(),
        cie.address_size(),
        cie.code_alignment_factor(),
        cie.data_alignment_factor(),
        register_name(cie.return_address_register().0)
    )
}

fn instructions<'a, S: UnwindSection<Slice<'a>>>(
    out: &mut Out,
    frames: &S,
    encoding: Encoding,
    mut instructions: CallFrameInstructionIter<'_, Slice<'a>>,
) -> fmt::Result {
    let place = |expression: gimli::UnwindExpression<usize>| match expression.get(frames) {
        Ok(expression) => expression::text(&expression, encoding, Numbering::Guide),
        Err(error) => format!("error: {error}"),
    };
    loop {
        use CallFrameInstruction::*;
        let text = match instructions.next() {
            Ok(None) => return Ok(()),
            Err(error) => return writeln!(out, "             error: {error}"),
            Ok(Some(instruction)) => match instruction {
                SetLoc { address } => format!("DW_CFA_set_loc {address:#x}"),
                AdvanceLoc { delta } => format!("DW_CFA_advance_loc {delta}"),
                DefCfa { register, offset } => {
                    format!("DW_CFA_def_cfa {}+{offset}", register_name(register.0))
                }
                DefCfaSf { register, factored_offset } => {
                    format!("DW_CFA_def_cfa_sf {}, {factored_offset} factored", register_name(register.0))
                }
                DefCfaRegister { register } => {
                    format!("DW_CFA_def_cfa_register {}", register_name(register.0))
                }
                DefCfaOffset { offset } => format!("DW_CFA_def_cfa_offset {offset}"),
                DefCfaOffsetSf { factored_offset } => {
                    format!("DW_CFA_def_cfa_offset_sf {factored_offset} factored")
                }
                DefCfaExpression { expression } => format!("DW_CFA_def_cfa_expression {}", place(expression)),
                Undefined { register } => format!("DW_CFA_undefined {}", register_name(register.0)),
                SameValue { register } => format!("DW_CFA_same_value {}", register_name(register.0)),
                Offset { register, factored_offset } => {
                    format!("DW_CFA_offset {}, {factored_offset} factored", register_name(register.0))
                }
                OffsetExtendedSf { register, factored_offset } => {
                    format!(
                        "DW_CFA_offset_extended_sf {}, {factored_offset} factored",
                        register_name(register.0)
                    )
                }
                ValOffset { register, factored_offset } => {
                    format!("DW_CFA_val_offset {}, {factored_offset} factored", register_name(register.0))
                }
                ValOffsetSf { register, factored_offset } => {
                    format!("DW_CFA_val_offset_sf {}, {factored_offset} factored", register_name(register.0))
                }
                Register { dest_register, src_register } => {
                    let (to, from) = (register_name(dest_register.0), register_name(src_register.0));
                    format!("DW_CFA_register {to} in {from}")
                }
                Expression { register, expression } => {
                    format!("DW_CFA_expression {}, {}", register_name(register.0), place(expression))
                }
                ValExpression { register, expression } => {
                    format!("DW_CFA_val_expression {}, {}", register_name(register.0), place(expression))
                }
                Restore { register } => format!("DW_CFA_restore {}", register_name(register.0)),
                RememberState => "DW_CFA_remember_state".to_owned(),
                RestoreState => "DW_CFA_restore_state".to_owned(),
                Nop => continue,
                other => format!("{other:?}"),
            },
        };
        writeln!(out, "             {text}")?;
    }
}
