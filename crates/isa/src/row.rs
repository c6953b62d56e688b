//! The row type of the instruction table, and the table.
//!
//! Anatomy of a row in the table files (`table/*.txt`), four columns separated by `|`; `#` starts a comment:
//!
//! ```text
//! mnemonic | encodings | operands | attributes
//! v_add_f32 | gfx950 VOP2=0x01 VOP3=0x101 dpp16 sdwa ; gfx1250 VOP2=0x03 VOP3=0x103 dpp16 dpp8 e64_dpp16 e64_dpp8 | vdst:f32 = src0:f32 src1:f32 | mode
//! s_add_co_u32 | gfx1250 SOP2=0x00 | sdst:b32 = ssrc0:b32 ssrc1:b32 | scc=w alias=s_add_u32
//! ds_load_b64 | gfx1250 DS=0x76 | vdst:b64 = addr:v32 offset | mem=lds.r.8 cnt=ds
//! ```
//!
//! * an encoding group starts with the instruction set, then `FORMAT=opcode` (formats of [`crate::format`])
//!   and the extra forms that it has;
//! * operands before `=` are written, after it read; `+name` before or after `=` is read and written; each is
//!   `role:type`, where the type gives width, class and the meaning of inline constants;
//! * attributes name implicit registers (`scc=r|w|rw`, `vcc=`, `exec=`, `m0=`, `mode`, `flat_scratch=`), the
//!   memory effect (`mem=space.direction.bytes`), the counters moved (`cnt=`), aliases, and the few flags
//!   that encode, print or parse need.

/// An instruction set: processors that decode the same bytes alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Isa {
    /// CDNA4, wave64.
    Gfx950,
    /// CDNA5, wave32.
    Gfx1250,
}

/// Number of a row in the table of all instruction sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RowId(pub u16);

/// How an instruction uses an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// A source.
    Read,
    /// A destination whose old value does not matter (but for lanes that are off).
    Write,
    /// A destination that is a source as well (`v_fmac`, `v_mfma` accumulators tied in place, `v_swap`).
    ReadWrite,
}

/// One operand of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperandSpec {
    /// Its name in the row, the manual's field name: `vdst`, `src0`, `sdst`, `vaddr`, `saddr`, `simm16`…
    pub role: &'static str,
    /// Its type as the row has it: `f32`, `b64`, `v2f16`, `sreg128`…
    pub ty: &'static str,
    /// Read, written, or both.
    pub access: Access,
}
