//! Relocation types and what each computes.
//!
//! Follows "Relocation Records" of LLVM's *User Guide for AMDGPU Backend*. In its notation: S is the symbol's
//! address, A the addend, P the place, G + GOT the address of the symbol's entry in the global offset table and
//! B the base address of the loaded file.

use std::fmt;

/// A relocation type of AMD GPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u32)]
pub enum RelocationKind {
    /// Nothing.
    None = 0,
    /// The low 32 bits of S + A.
    Abs32Lo = 1,
    /// The high 32 bits of S + A.
    Abs32Hi = 2,
    /// S + A, 64 bits.
    Abs64 = 3,
    /// S + A − P, 32 bits.
    Rel32 = 4,
    /// S + A − P, 64 bits.
    Rel64 = 5,
    /// S + A, 32 bits.
    Abs32 = 6,
    /// G + GOT + A − P, 32 bits.
    GotPcRel = 7,
    /// The low 32 bits of G + GOT + A − P.
    GotPcRel32Lo = 8,
    /// The high 32 bits of G + GOT + A − P.
    GotPcRel32Hi = 9,
    /// The low 32 bits of S + A − P.
    Rel32Lo = 10,
    /// The high 32 bits of S + A − P.
    Rel32Hi = 11,
    /// B + A, 64 bits; only dynamic.
    Relative64 = 13,
    /// (S + A − P − 4) / 4, 16 bits: a branch.
    Rel16 = 14,
}

impl RelocationKind {
    /// All types.
    pub const ALL: [RelocationKind; 14] = [
        RelocationKind::None,
        RelocationKind::Abs32Lo,
        RelocationKind::Abs32Hi,
        RelocationKind::Abs64,
        RelocationKind::Rel32,
        RelocationKind::Rel64,
        RelocationKind::Abs32,
        RelocationKind::GotPcRel,
        RelocationKind::GotPcRel32Lo,
        RelocationKind::GotPcRel32Hi,
        RelocationKind::Rel32Lo,
        RelocationKind::Rel32Hi,
        RelocationKind::Relative64,
        RelocationKind::Rel16,
    ];

    /// The type of an ELF number.
    pub fn by_number(number: u32) -> Option<RelocationKind> {
        RelocationKind::ALL.into_iter().find(|&k| k as u32 == number)
    }

    /// The name in LLVM and in the guide.
    pub fn name(self) -> &'static str {
        match self {
            RelocationKind::None => "R_AMDGPU_NONE",
            RelocationKind::Abs32Lo => "R_AMDGPU_ABS32_LO",
            RelocationKind::Abs32Hi => "R_AMDGPU_ABS32_HI",
            RelocationKind::Abs64 => "R_AMDGPU_ABS64",
            RelocationKind::Rel32 => "R_AMDGPU_REL32",
            RelocationKind::Rel64 => "R_AMDGPU_REL64",
            RelocationKind::Abs32 => "R_AMDGPU_ABS32",
            RelocationKind::GotPcRel => "R_AMDGPU_GOTPCREL",
            RelocationKind::GotPcRel32Lo => "R_AMDGPU_GOTPCREL32_LO",
            RelocationKind::GotPcRel32Hi => "R_AMDGPU_GOTPCREL32_HI",
            RelocationKind::Rel32Lo => "R_AMDGPU_REL32_LO",
            RelocationKind::Rel32Hi => "R_AMDGPU_REL32_HI",
            RelocationKind::Relative64 => "R_AMDGPU_RELATIVE64",
            RelocationKind::Rel16 => "R_AMDGPU_REL16",
        }
    }

    /// Bytes written.
    pub fn size(self) -> usize {
        match self {
            RelocationKind::None => 0,
            RelocationKind::Rel16 => 2,
            RelocationKind::Abs64 | RelocationKind::Rel64 | RelocationKind::Relative64 => 8,
            _ => 4,
        }
    }

    /// Whether the value is that of the symbol's entry in the global offset table.
    pub fn uses_got(self) -> bool {
        matches!(self, RelocationKind::GotPcRel | RelocationKind::GotPcRel32Lo | RelocationKind::GotPcRel32Hi)
    }

    /// Whether a loader knows the type ("Dynamic" in the guide).
    pub fn is_dynamic(self) -> bool {
        matches!(
            self,
            RelocationKind::Abs32Lo
                | RelocationKind::Abs32Hi
                | RelocationKind::Abs64
                | RelocationKind::Abs32
                | RelocationKind::Relative64
        )
    }

    /// Whether the value is relative to the place.
    pub fn is_pc_relative(self) -> bool {
        !matches!(
            self,
            RelocationKind::None
                | RelocationKind::Abs32Lo
                | RelocationKind::Abs32Hi
                | RelocationKind::Abs64
                | RelocationKind::Abs32
                | RelocationKind::Relative64
        )
    }

    /// Writes the relocation at `offset` of `bytes`.
    ///
    /// `target` is S (or G + GOT, or B), `place` is P. Fails if the field does not fit into the bytes, or the
    /// value not into the field.
    pub(crate) fn apply(
        self,
        bytes: &mut [u8],
        offset: u64,
        target: u64,
        addend: i64,
        place: u64,
    ) -> Result<(), ApplyError> {
        let field = usize::try_from(offset)
            .ok()
            .and_then(|start| bytes.get_mut(start..start.checked_add(self.size())?))
            .ok_or(ApplyError::Outside)?;
        let mut value = target.wrapping_add_signed(addend);
        if self.is_pc_relative() {
            value = value.wrapping_sub(place);
        }
        match self {
            RelocationKind::None => {}
            RelocationKind::Abs64 | RelocationKind::Rel64 | RelocationKind::Relative64 => {
                field.copy_from_slice(&value.to_le_bytes());
            }
            RelocationKind::Abs32Lo | RelocationKind::GotPcRel32Lo | RelocationKind::Rel32Lo => {
                field.copy_from_slice(&(value as u32).to_le_bytes());
            }
            RelocationKind::Abs32Hi | RelocationKind::GotPcRel32Hi | RelocationKind::Rel32Hi => {
                field.copy_from_slice(&((value >> 32) as u32).to_le_bytes());
            }
            RelocationKind::Abs32 => {
                let fits = u32::try_from(value).is_ok() || i32::try_from(value as i64).is_ok();
                if !fits {
                    return Err(ApplyError::TooFar(value as i64));
                }
                field.copy_from_slice(&(value as u32).to_le_bytes());
            }
            RelocationKind::Rel32 | RelocationKind::GotPcRel => {
                let value = i32::try_from(value as i64).map_err(|_| ApplyError::TooFar(value as i64))?;
                field.copy_from_slice(&value.to_le_bytes());
            }
            RelocationKind::Rel16 => {
                let distance = (value as i64).wrapping_sub(4);
                let words = i16::try_from(distance / 4)
                    .ok()
                    .filter(|_| distance % 4 == 0)
                    .ok_or(ApplyError::TooFar(distance))?;
                field.copy_from_slice(&words.to_le_bytes());
            }
        }
        Ok(())
    }
}

impl fmt::Display for RelocationKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Why a relocation cannot be applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ApplyError {
    /// The place is not within the section or segment.
    #[error("its place is outside the section")]
    Outside,
    /// The value does not fit into the field.
    #[error("the value {0:#x} does not fit")]
    TooFar(i64),
}
