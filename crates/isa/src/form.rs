//! The forms that an instruction can be encoded in.

/// Which of its encodings an instruction is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Form {
    /// The row's only or native form (scalar, memory, VOP3P, VOP3-only…).
    Native,
    /// The 32-bit VOP1/VOP2/VOPC form (`_e32`).
    E32,
    /// The 64-bit VOP3 form of an instruction that also has a 32-bit one (`_e64`).
    E64,
    /// 32-bit form with a DPP16 control dword (`_dpp`).
    Dpp16,
    /// 32-bit form with a DPP8 control dword (`_dpp`).
    Dpp8,
    /// VOP3 form with a DPP16 control dword (`_e64_dpp`).
    E64Dpp16,
    /// VOP3 form with a DPP8 control dword (`_e64_dpp`).
    E64Dpp8,
    /// 32-bit form with a sub-dword addressing dword (`_sdwa`, gfx9).
    Sdwa,
    /// X half of an 8-byte pair (VOPD); the Y half is [`crate::Inst::second`].
    VopdX,
    /// Y half of an 8-byte pair.
    VopdY,
    /// X half of a 12-byte pair (VOPD3).
    Vopd3X,
    /// Y half of a 12-byte pair.
    Vopd3Y,
}

impl Form {
    /// The form of this name in the table and format files.
    pub(crate) fn by_name(name: &str) -> Option<Form> {
        Some(match name {
            "native" => Form::Native,
            "e32" => Form::E32,
            "e64" => Form::E64,
            "dpp16" => Form::Dpp16,
            "dpp8" => Form::Dpp8,
            "e64_dpp16" => Form::E64Dpp16,
            "e64_dpp8" => Form::E64Dpp8,
            "sdwa" => Form::Sdwa,
            "vopdx" => Form::VopdX,
            "vopdy" => Form::VopdY,
            "vopd3x" => Form::Vopd3X,
            "vopd3y" => Form::Vopd3Y,
            _ => return None,
        })
    }
}
