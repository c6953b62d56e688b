//! Interpolation with parameters that are in registers: multiply-adds that read some sources from a fixed lane of each
//! quad, whether it is on or not (RDNA3 ISA 12.3, 16.13).

use wavemark_isa::Meaning;
use wavemark_numerics::Round;

use super::def::{Line, OwnMods, VectorDef, whole};
use super::dot::{finish_f32, finish_half, mixed_fma};
use super::lane::Cx;
use super::lanes::{row, write_active};
use super::word::Kind::{B32, None as Nil};
use crate::op::{Body, Op};
use crate::regs::Regs;

/// One of the instructions.
trait Interpolation {
    /// The lane of the quad that each source comes from, if it is not the lane's own.
    const LANES: [Option<u32>; 3];
    /// The sources that are 16 bits wide, as a mask.
    const HALVES: u64 = 0;
    /// Whether the result is 16 bits wide.
    const HALF_RESULT: bool = false;
    /// Whether the result is rounded toward zero, whatever MODE says.
    const TOWARD_ZERO: bool = false;

    /// The instruction on a wave.
    unsafe fn body(regs: &mut Regs, op: &Op) {
        let mut cx = Cx::new(regs, op.imm);
        if Self::TOWARD_ZERO {
            (cx.mode.round_32, cx.mode.round_16_64) = (Round::TowardZero, Round::TowardZero);
        }
        let OwnMods(written) = OwnMods(op.imm);
        let mods = OwnMods(written & !(0xf << 4) | Self::HALVES << 4);
        let sources = op.sources().map(|place| row(regs, place));
        let old = row(regs, op.dst());
        write_active(regs, op.dst().at(), |lane| {
            let of = |i: usize| sources[i][Self::LANES[i].map_or(lane, |of| lane & !3 | of) as usize];
            let sum = mixed_fma(&cx, mods, [of(0), of(1), of(2)], false);
            if !Self::HALF_RESULT {
                return finish_f32(&cx, mods, sum);
            }
            let shift = if mods.op_sel() & 8 != 0 { 16 } else { 0 };
            old[lane as usize] & !(0xffff << shift) | finish_half(&cx, mods, sum, false) << shift
        });
    }
}

/// P0 + I · P10.
const FIRST: [Option<u32>; 3] = [Some(1), None, Some(0)];
/// The sum so far, + J · P20.
const SECOND: [Option<u32>; 3] = [Some(2), None, None];

struct P10;
impl Interpolation for P10 {
    const LANES: [Option<u32>; 3] = FIRST;
}

struct P2;
impl Interpolation for P2 {
    const LANES: [Option<u32>; 3] = SECOND;
}

struct P10Halves<const RTZ: bool>;
impl<const RTZ: bool> Interpolation for P10Halves<RTZ> {
    const LANES: [Option<u32>; 3] = FIRST;
    const HALVES: u64 = 0b101;
    const TOWARD_ZERO: bool = RTZ;
}

struct P2Halves<const RTZ: bool>;
impl<const RTZ: bool> Interpolation for P2Halves<RTZ> {
    const LANES: [Option<u32>; 3] = SECOND;
    const HALVES: u64 = 0b001;
    const HALF_RESULT: bool = true;
    const TOWARD_ZERO: bool = RTZ;
}

const fn interpolation(body: Body) -> VectorDef {
    whole([B32; 3], [B32, Nil], body).owning_mods()
}

/// The table of this family.
pub const TABLE: &[Line] = &[
    (Meaning::V_INTERP_P10_F32, interpolation(P10::body).def()),
    (Meaning::V_INTERP_P2_OF_QUAD_F32, interpolation(P2::body).def()),
    (Meaning::V_INTERP_P10_F16_F32, interpolation(P10Halves::<false>::body).def()),
    (Meaning::V_INTERP_P2_F16_F32, interpolation(P2Halves::<false>::body).def()),
    (Meaning::V_INTERP_P10_RTZ_F16_F32, interpolation(P10Halves::<true>::body).def()),
    (Meaning::V_INTERP_P2_RTZ_F16_F32, interpolation(P2Halves::<true>::body).def()),
];
