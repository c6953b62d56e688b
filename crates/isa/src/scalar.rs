//! What the scalar family reads off a row's `scalar=` attribute: where LLVM's rules for sources differ from those
//! of the operand's class and type.

use crate::parse::expected::INVALID;
use crate::row::OperandSpec;
use crate::{Operand, Special};

/// Which sources a scalar instruction takes, and how their constants are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Sources {
    /// As class and type say.
    #[default]
    Plain,
    /// `wide`: 16-bit sources whose constants are read and written as 32-bit ones.
    Wide,
    /// `wide_hex`: the same, but written as hexadecimal numbers of 16 bits.
    WideHex,
    /// `reg`: registers only.
    Reg,
    /// `inline`: no literal.
    Inline,
    /// `barrier`: M0 or an inline constant.
    Barrier,
    /// `null`: the register must be `null`.
    Null,
}

impl Sources {
    /// Reads the attribute's value; none for an unknown one.
    pub(crate) fn parse(value: &str) -> Option<Sources> {
        Some(match value {
            "wide" => Sources::Wide,
            "wide_hex" => Sources::WideHex,
            "reg" => Sources::Reg,
            "inline" => Sources::Inline,
            "barrier" => Sources::Barrier,
            "null" => Sources::Null,
            _ => return None,
        })
    }

    /// Whether constants of this source have 32 bits in place of 16.
    pub(crate) fn widens(self, spec: &OperandSpec) -> bool {
        matches!(self, Sources::Wide | Sources::WideHex) && spec.ty.is_float()
    }

    /// Why the assembler refuses this operand, if it does.
    pub(crate) fn refuses(self, spec: &OperandSpec, operand: &Operand) -> Option<&'static str> {
        let literal = matches!(operand, Operand::Literal(_) | Operand::Literal64(_));
        let source = spec.role.starts_with("ssrc");
        let allowed = match self {
            Sources::Plain | Sources::Wide | Sources::WideHex => true,
            Sources::Reg if source => match operand {
                Operand::Reg(_) => true,
                Operand::Special(special) => match special {
                    Special::Scc
                    | Special::Vccz
                    | Special::Execz
                    | Special::PopsExitingWaveId
                    | Special::FlatScratchBaseLo
                    | Special::FlatScratchBaseHi => spec.ty.dwords() == 1,
                    Special::SharedBase
                    | Special::SharedLimit
                    | Special::PrivateBase
                    | Special::PrivateLimit => false,
                    _ => true,
                },
                _ => false,
            },
            Sources::Inline => !literal,
            Sources::Barrier if source => {
                matches!(operand, Operand::Int(_) | Operand::Float(_) | Operand::Special(Special::M0))
            }
            Sources::Null if spec.role == "sdst" => {
                return (*operand != Operand::Special(Special::Null)).then_some("src0 must be null");
            }
            Sources::Reg | Sources::Barrier | Sources::Null => true,
        };
        (!allowed).then_some(INVALID)
    }
}
