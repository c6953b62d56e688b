//! What an operand's place takes, in words: the part of an error message behind LLVM's "invalid operand for
//! instruction".

use wavemark_target::Property;

use super::ParseError;
use crate::Machine;
use crate::matrix::Trait;
use crate::role::{Class, ImmKind};
use crate::row::{Encoding, OperandSpec, Row};
use crate::scalar::Sources;

/// LLVM's words for most misplaced operands.
pub(crate) const INVALID: &str = "invalid operand for instruction";

/// The error with the operand's name and what it takes, where it says nothing but that the operand is invalid.
pub(crate) fn explain(
    machine: Machine,
    row: &Row,
    encoding: &Encoding,
    spec: &OperandSpec,
    mut error: ParseError,
) -> ParseError {
    if error.message == INVALID {
        error.message = format!("{INVALID}: {} takes {}", spec.role, takes(machine, row, encoding, spec));
    }
    error
}

/// `v0`, or `v[0:3]` for four.
fn sample(file: &str, dwords: u8) -> String {
    match dwords {
        0 | 1 => format!("{file}0"),
        _ => format!("{file}[0:{}]", dwords - 1),
    }
}

fn takes(machine: Machine, row: &Row, encoding: &Encoding, spec: &OperandSpec) -> String {
    let dwords = spec.ty.dwords();
    let agprs = machine.has(Property::AGPRS);
    let scalar = || format!("a scalar register like {}", sample("s", dwords));
    let even =
        if dwords > 1 && machine.facts().vgpr_tuple_alignment == 2 { " with an even number" } else { "" };
    let vector = || format!("a VGPR like {}{even}", sample("v", dwords));
    let either = || match agprs {
        true => format!("a VGPR or AGPR like {} or {}{even}", sample("v", dwords), sample("a", dwords)),
        false => vector(),
    };
    let literals = encoding.format.literal
        && (encoding.format.dwords == 1 || machine.facts().vop3_literals)
        && row.sources != Sources::Inline;
    let constant = if literals { "a constant" } else { "an inline constant" };
    match spec.class {
        Class::ScalarSrc if row.sources == Sources::Barrier => "m0 or an inline constant".to_owned(),
        Class::ScalarSrc if row.sources == Sources::Reg => scalar(),
        Class::ScalarSrc if spec.ty.bits() == 64 && literals && !machine.facts().literals_64 => {
            format!("{} or a constant that 32 bits hold", scalar())
        }
        Class::ScalarSrc => format!("{} or {constant} of {} bits", scalar(), spec.ty.bits()),
        Class::ScalarReg => scalar(),
        Class::VectorSrc => {
            let file = sample("v", dwords);
            format!("a register like {file} or {}{even}, or {constant}", sample("s", dwords))
        }
        Class::Vgpr | Class::VgprSrc => vector(),
        Class::VgprOrAgpr if agprs && !machine.facts().agpr_operands => {
            format!("an AGPR like {}", sample("a", dwords))
        }
        Class::VgprOrAgpr => either(),
        Class::Literal32 => "a constant of 32 bits".to_owned(),
        Class::Literal64 => "a constant of 64 bits".to_owned(),
        Class::Vcc => "vcc".to_owned(),
        Class::Custom => match spec.role {
            "srcc" if row.matrix == Trait::Plain => either(),
            "srcc" => format!("{} (of the destination's kind) or an inline constant", either()),
            "adst" | "asrc" => format!("an AGPR like {}", sample("a", dwords)),
            _ => either(),
        },
        Class::Imm(kind) => match kind {
            ImmKind::Uimm16 => "a number from 0 to 65535",
            ImmKind::Label => "a label or a distance in dwords of 16 bits",
            ImmKind::Hwreg => "hwreg(register, bit, width) or a number of 16 bits",
            ImmKind::SendMsg => "sendmsg(message, operation, stream) or a number of 16 bits",
            ImmKind::WaitCnt | ImmKind::DepCtr => "counters like vmcnt(0) or a number of 16 bits",
            ImmKind::GprIdx => "gpr_idx(…) or a number of 4 bits",
            _ => "a number from -32768 to 65535",
        }
        .to_owned(),
    }
}
