//! Instructions that move data between lanes, or between lanes and scalars, and those that depend on the lane's
//! number or on a relative register index.

use wavemark_isa::Meaning;
use wavemark_isa::effects::{Offsets, Relative};
use wavemark_numerics::{Denorm, arith, div};

use super::def::{Line, OwnMods, whole};
use super::lane::read_mask;
use super::scalar::own;
use super::vop_int::sad_u8;
use super::word::Kind;
use crate::op::{Op, Place, PlaceKind};
use crate::regs::{Regs, sindex};

/// All lanes of a source row.
pub(super) fn row(regs: &Regs, place: Place) -> [u32; 64] {
    let mut out = [0; 64];
    for lane in 0..regs.lanes() {
        out[lane as usize] = lane_of(regs, place, lane);
    }
    out
}

/// One lane of a source.
fn lane_of(regs: &Regs, place: Place, lane: u32) -> u32 {
    match place.kind {
        PlaceKind::Vector => regs.lane(place.at() as usize, lane),
        PlaceKind::VectorConst => regs.v[place.at() as usize].0[0],
        PlaceKind::Scalar | PlaceKind::None => regs.s[place.at() as usize],
    }
}

/// Write the active lanes of a destination row.
pub(super) fn write_active(regs: &mut Regs, at: u32, f: impl Fn(u32) -> u32) {
    let exec = regs.exec();
    for lane in (0..regs.lanes()).filter(|lane| exec >> lane & 1 != 0) {
        let x = f(lane);
        regs.set_lane(at as usize, lane, x);
    }
}

unsafe fn readlane(regs: &mut Regs, op: &Op) {
    let lane = lane_of(regs, op.src(1), 0) & (regs.lanes() - 1);
    let x = lane_of(regs, op.src(0), lane);
    write_scalar(regs, op.dst(), x);
}

unsafe fn readfirstlane(regs: &mut Regs, op: &Op) {
    // With EXEC zero it is lane 0.
    let lane = regs.exec().trailing_zeros() & 63;
    let x = lane_of(regs, op.src(0), if regs.exec() == 0 { 0 } else { lane });
    write_scalar(regs, op.dst(), x);
}

fn write_scalar(regs: &mut Regs, dst: Place, x: u32) {
    regs.s[dst.at() as usize] = x;
    if dst.at() & !1 == sindex::EXEC {
        regs.exec_changed();
    }
}

unsafe fn writelane(regs: &mut Regs, op: &Op) {
    let lane = lane_of(regs, op.src(1), 0) & (regs.lanes() - 1);
    let x = lane_of(regs, op.src(0), 0);
    regs.set_lane(op.dst().at() as usize, lane, x);
}

/// Bits below the lane in the low or the high half of the wave, counted and added.
fn mbcnt(regs: &mut Regs, op: &Op, high: bool) {
    let exec = regs.exec();
    for lane in (0..regs.lanes()).filter(|lane| exec >> lane & 1 != 0) {
        let below = (1u64 << lane) - 1;
        let mask = if high { (below >> 32) as u32 } else { below as u32 };
        let count = (lane_of(regs, op.src(0), lane) & mask).count_ones();
        let x = lane_of(regs, op.src(1), lane).wrapping_add(count);
        regs.set_lane(op.dst().at() as usize, lane, x);
    }
}

unsafe fn mbcnt_lo(regs: &mut Regs, op: &Op) {
    mbcnt(regs, op, false);
}

unsafe fn mbcnt_hi(regs: &mut Regs, op: &Op) {
    mbcnt(regs, op, true);
}

/// `v_permlane16_b32` and `v_permlanex16_b32`; OP_SEL bit 0 is fetch-inactive, bit 1 bound-control.
fn permlane16(regs: &mut Regs, op: &Op, cross: bool) {
    let data = row(regs, op.src(0));
    let select = u64::from(lane_of(regs, op.src(1), 0)) | u64::from(lane_of(regs, op.src(2), 0)) << 32;
    let from = |lane: u32| {
        let base = if cross { lane & !15 ^ 16 } else { lane & !15 };
        base + (select >> (4 * (lane & 15)) & 15) as u32
    };
    gather_row(regs, op, &data, from);
}

/// A gather that heeds fetch-inactive and bound-control.
fn gather_row(regs: &mut Regs, op: &Op, data: &[u32; 64], from: impl Fn(u32) -> u32) {
    let mods = OwnMods(op.imm);
    let (fetch_inactive, bound_ctrl) = (mods.op_sel() & 1 != 0, mods.op_sel() & 2 != 0);
    let exec = regs.exec();
    for lane in (0..regs.lanes()).filter(|lane| exec >> lane & 1 != 0) {
        let source = from(lane);
        let x = if fetch_inactive || exec >> source & 1 != 0 {
            data[source as usize & 63]
        } else if bound_ctrl {
            0
        } else {
            continue;
        };
        regs.set_lane(op.dst().at() as usize, lane, x);
    }
}

unsafe fn permlane16_same(regs: &mut Regs, op: &Op) {
    permlane16(regs, op, false);
}

unsafe fn permlane16_cross(regs: &mut Regs, op: &Op) {
    permlane16(regs, op, true);
}

fn permlane16_var(regs: &mut Regs, op: &Op, cross: bool) {
    let data = row(regs, op.src(0));
    let select = row(regs, op.src(1));
    let from = |lane: u32| {
        let base = if cross { lane & !15 ^ 16 } else { lane & !15 };
        base + (select[lane as usize] & 15)
    };
    gather_row(regs, op, &data, from);
}

unsafe fn permlane16_var_same(regs: &mut Regs, op: &Op) {
    permlane16_var(regs, op, false);
}

unsafe fn permlane16_var_cross(regs: &mut Regs, op: &Op) {
    permlane16_var(regs, op, true);
}

/// Swap the halves of the wave: nothing to swap in wave32, where it is a move of 0 (lanes 32 to 63 do not exist).
unsafe fn permlane64(regs: &mut Regs, op: &Op) {
    if regs.lanes() < 64 {
        return;
    }
    let data = row(regs, op.src(0));
    write_active(regs, op.dst().at(), |lane| data[(lane ^ 32) as usize]);
}

/// Swap lanes of `vdst` with lanes of `src0`: `span` lanes of each upper half of the one with the lower half of
/// the other.
fn swap_rows(regs: &mut Regs, op: &Op, span: u32) {
    let (d, s) = (row(regs, op.dst()), row(regs, op.dst2()));
    let exec = regs.exec();
    for lane in (0..regs.lanes()).filter(|lane| exec >> lane & 1 != 0) {
        if lane & span == 0 {
            regs.set_lane(op.dst2().at() as usize, lane, d[(lane + span) as usize]);
        } else {
            regs.set_lane(op.dst().at() as usize, lane, s[(lane - span) as usize]);
        }
    }
}

unsafe fn permlane16_swap(regs: &mut Regs, op: &Op) {
    swap_rows(regs, op, 16);
}

unsafe fn permlane32_swap(regs: &mut Regs, op: &Op) {
    swap_rows(regs, op, 32);
}

/// The lane-group permutes of gfx1250: `from(lane, base, width, operand)` is the lane to read.
fn group(regs: &mut Regs, op: &Op, from: impl Fn(u32, u32, u32, u32) -> u32) {
    let data = row(regs, op.src(0));
    let operand = lane_of(regs, op.src(1), 0);
    let width = lane_of(regs, op.src(2), 0).clamp(1, regs.lanes());
    let lanes = regs.lanes();
    write_active(regs, op.dst().at(), |lane| {
        let base = lane / width * width;
        data[(from(lane, base, width, operand) & (lanes - 1)) as usize]
    });
}

unsafe fn permlane_bcast(regs: &mut Regs, op: &Op) {
    group(regs, op, |_, base, width, x| base + (x & 63 & (width - 1)));
}

unsafe fn permlane_down(regs: &mut Regs, op: &Op) {
    group(regs, op, |lane, base, width, x| {
        let delta = x.min(width);
        if lane - base + delta < width { lane + delta } else { lane }
    });
}

unsafe fn permlane_up(regs: &mut Regs, op: &Op) {
    group(regs, op, |lane, base, width, x| {
        let delta = x.min(width);
        if lane - base >= delta { lane - delta } else { lane }
    });
}

unsafe fn permlane_xor(regs: &mut Regs, op: &Op) {
    let lanes = regs.lanes();
    group(regs, op, |lane, base, width, x| {
        let target = lane ^ (x & 63);
        if x >= lanes || target >= base + width { lane } else { target }
    });
}

unsafe fn permlane_idx_gen(regs: &mut Regs, op: &Op) {
    let data = row(regs, op.src(0));
    let width = lane_of(regs, op.src(1), 0);
    write_active(regs, op.dst().at(), |lane| {
        let mask = width.wrapping_sub(1);
        ((data[lane as usize] & 63 & mask).wrapping_add(lane & !mask)) << 2
    });
}

unsafe fn swap(regs: &mut Regs, op: &Op) {
    swap_registers(regs, op.dst().at(), op.dst2().at());
}

fn swap_registers(regs: &mut Regs, a: u32, b: u32) {
    let exec = regs.exec();
    for lane in (0..regs.lanes()).filter(|lane| exec >> lane & 1 != 0) {
        let (x, y) = (regs.lane(a as usize, lane), regs.lane(b as usize, lane));
        regs.set_lane(a as usize, lane, y);
        regs.set_lane(b as usize, lane, x);
    }
}

unsafe fn swap16(regs: &mut Regs, op: &Op) {
    let exec = regs.exec();
    let mods = OwnMods(op.imm);
    let (ha, hb) = (mods.op_sel() >> 3 & 1 != 0, mods.op_sel() & 1 != 0);
    let half = |x: u32, high: bool| if high { x >> 16 } else { x & 0xffff };
    let put = |x: u32, high: bool, y: u32| if high { x & 0xffff | y << 16 } else { x & 0xffff_0000 | y };
    for lane in (0..regs.lanes()).filter(|lane| exec >> lane & 1 != 0) {
        let (a, b) = (op.dst().at() as usize, op.dst2().at() as usize);
        let (x, y) = (half(regs.lane(a, lane), ha), half(regs.lane(b, lane), hb));
        let new = put(regs.lane(a, lane), ha, y);
        regs.set_lane(a, lane, new);
        let new = put(regs.lane(b, lane), hb, x);
        regs.set_lane(b, lane, new);
    }
}

/// The chunk of the register `offset` beyond the one at chunk `at`; beyond the allocation it is register 0.
fn relative(regs: &Regs, at: u32, offset: u32) -> u32 {
    let register = u64::from(at) / regs.chunks as u64 + u64::from(offset);
    if register < u64::from(regs.vgprs) { register as u32 * regs.chunks as u32 } else { 0 }
}

fn in_range(regs: &Regs, at: u32, offset: u32) -> bool {
    u64::from(at) / (regs.chunks as u64) + u64::from(offset) < u64::from(regs.vgprs)
}

/// How far M0 moves source and destination.
fn offsets(regs: &Regs, relative: Relative) -> (u32, u32) {
    let Offsets { sources: [source, ..], destination } = relative.offsets(regs.s[sindex::M0 as usize]);
    (source, destination)
}

/// A move with relative source or destination.
fn move_relative(regs: &mut Regs, op: &Op, relative_to_m0: Relative) {
    let (source, destination) = offsets(regs, relative_to_m0);
    let from = match op.src(0).kind {
        PlaceKind::Vector => Place::vector(relative(regs, op.src(0).at(), source)),
        _ => op.src(0),
    };
    // A destination out of range is not written.
    if !in_range(regs, op.dst().at(), destination) {
        return;
    }
    let to = relative(regs, op.dst().at(), destination);
    let data = row(regs, from);
    write_active(regs, to, |lane| data[lane as usize]);
}

unsafe fn movrels(regs: &mut Regs, op: &Op) {
    move_relative(regs, op, Relative::Source);
}

unsafe fn movreld(regs: &mut Regs, op: &Op) {
    move_relative(regs, op, Relative::Destination);
}

unsafe fn movrelsd(regs: &mut Regs, op: &Op) {
    move_relative(regs, op, Relative::Both);
}

unsafe fn movrelsd2(regs: &mut Regs, op: &Op) {
    move_relative(regs, op, Relative::Halves);
}

unsafe fn swaprel(regs: &mut Regs, op: &Op) {
    let (s, d) = offsets(regs, Relative::Halves);
    if in_range(regs, op.dst().at(), d) && in_range(regs, op.dst2().at(), s) {
        let (a, b) = (relative(regs, op.dst().at(), d), relative(regs, op.dst2().at(), s));
        swap_registers(regs, a, b);
    }
}

/// What `offset` makes of `width` SGPRs; none of them is VCC.
fn scalar_relative(at: u32, offset: u32, width: u32) -> Option<usize> {
    let index = at.checked_add(offset)?;
    (index.checked_add(width)? <= sindex::VCC).then_some(index as usize)
}

/// Scalar moves of `rows` dwords with relative source.
fn scalar_move(regs: &mut Regs, op: &Op, rows: usize, relative: Relative) {
    let (s, d) = offsets(regs, relative);
    let from = scalar_relative(op.src(0).at(), s, rows as u32);
    let Some(to) = scalar_relative(op.dst().at(), d, rows as u32) else { return };
    // A source out of range reads s0.
    let from = from.unwrap_or(0);
    for i in 0..rows {
        regs.s[to + i] = regs.s[from + i];
    }
}

unsafe fn s_movrels(regs: &mut Regs, op: &Op) {
    scalar_move(regs, op, 1, Relative::Source);
}

unsafe fn s_movrels64(regs: &mut Regs, op: &Op) {
    scalar_move(regs, op, 2, Relative::Source);
}

/// `s_movreld`: the source need not be an SGPR.
fn s_movreld_rows(regs: &mut Regs, op: &Op, rows: usize) {
    let (_, d) = offsets(regs, Relative::Destination);
    let Some(to) = scalar_relative(op.dst().at(), d, rows as u32) else { return };
    for i in 0..rows {
        regs.s[to + i] = regs.s[op.src(0).at() as usize + i];
    }
}

unsafe fn s_movreld(regs: &mut Regs, op: &Op) {
    s_movreld_rows(regs, op, 1);
}

unsafe fn s_movreld64(regs: &mut Regs, op: &Op) {
    s_movreld_rows(regs, op, 2);
}

unsafe fn s_movrelsd2(regs: &mut Regs, op: &Op) {
    scalar_move(regs, op, 1, Relative::Halves);
}

unsafe fn nothing(_regs: &mut Regs, _op: &Op) {}

/// `v_div_fmas_*`: three sources and VCC.
fn div_fmas(regs: &mut Regs, op: &Op, double: bool) {
    let exec = regs.exec();
    let vcc = read_mask(regs, sindex::VCC);
    let chunks = regs.chunks;
    let cx = super::lane::Cx::new(regs, 0);
    for lane in (0..regs.lanes()).filter(|lane| exec >> lane & 1 != 0) {
        let scaled = vcc >> lane & 1 != 0;
        let low = |i: usize| lane_of(regs, op.src(i), lane);
        if double {
            let wide = |i: usize| {
                let step = if op.src(i).kind == PlaceKind::Scalar { 1 } else { chunks as u32 };
                let high = lane_of(regs, op.src(i).further(step), lane);
                f64::from_bits(u64::from(low(i)) | u64::from(high) << 32)
            };
            let d = div::div_fmas_f64(wide(0), wide(1), wide(2), scaled);
            let d = arith::flush_f64_unless(d, cx.mode.denorm_16_64.output).to_bits();
            regs.set_lane(op.dst().at() as usize, lane, d as u32);
            regs.set_lane(op.dst().at() as usize + chunks, lane, (d >> 32) as u32);
        } else {
            let [a, b, c] = [low(0), low(1), low(2)].map(f32::from_bits);
            let d = if scaled {
                div::div_fmas_f32(a, b, c, true)
            } else {
                arith::fma_f32_rounded(a, b, c, cx.mode.round_32, Denorm::KEEP)
            };
            let d = arith::flush_f32_unless(d, cx.mode.denorm_32.output);
            let d = if d.is_nan() { quiet(d, [a, b, c]) } else { d };
            regs.set_lane(op.dst().at() as usize, lane, d.to_bits());
        }
    }
}

/// The NaN of a result: the first NaN source's, quieted.
fn quiet(_d: f32, sources: [f32; 3]) -> f32 {
    let nan = sources.into_iter().find(|x| x.is_nan()).map_or(0x7fc0_0000, f32::to_bits);
    f32::from_bits(nan | 0x40_0000)
}

unsafe fn div_fmas_f32(regs: &mut Regs, op: &Op) {
    div_fmas(regs, op, false);
}

unsafe fn div_fmas_f64(regs: &mut Regs, op: &Op) {
    div_fmas(regs, op, true);
}

/// Four sums of absolute differences over a sliding window of 8 bytes.
fn windows(a: &[u32; 32], b: u32, c: [u32; 4], masked: bool) -> [u32; 4] {
    let data = u64::from(a[0]) | u64::from(a[1]) << 32;
    std::array::from_fn(|i| sad_u8((data >> (8 * i)) as u32, b, c[i], masked))
}

macro_rules! sad16 {
    ($masked:literal) => {
        wide!([B64, B32, B64] -> 2; |cx, m, a, b, c, d| {
            let sums = windows(a, b[0], [c[0] & 0xffff, c[0] >> 16, c[1] & 0xffff, c[1] >> 16], $masked);
            // With clamp a 16-bit sum saturates.
            let word = |x: u32| if m.clamp() { x.min(0xffff) } else { x & 0xffff };
            d[0] = word(sums[0]) | word(sums[1]) << 16;
            d[1] = word(sums[2]) | word(sums[3]) << 16;
        })
        .def()
    };
}

/// Element `index` of `width` bits of a table.
fn table_element(table: u128, index: u32, width: u32) -> u128 {
    table >> (index * width) & ((1 << width) - 1)
}

/// `v_perm_pk16_*`: 16 elements of `width` bits chosen by 4-bit indices.
fn perm_pk16(table: u128, indices: &[u32; 32], width: u32, d: &mut [u32; 32]) {
    let list = u64::from(indices[0]) | u64::from(indices[1]) << 32;
    let mut out = 0u128;
    for i in 0..16 {
        out |= table_element(table, (list >> (4 * i)) as u32 & 15, width) << (i * width);
    }
    for (i, word) in d.iter_mut().enumerate().take(4) {
        *word = (out >> (32 * i)) as u32;
    }
}

fn concat(low: &[u32; 32], low_words: u32, high: &[u32; 32], high_words: u32) -> u128 {
    let mut table = 0;
    for i in 0..low_words {
        table |= u128::from(low[i as usize]) << (32 * i);
    }
    for i in 0..high_words {
        table |= u128::from(high[i as usize]) << (32 * (low_words + i));
    }
    table
}

use Kind::{B32, F32, F64, None as Nil, Scalar, Tuple};

/// The table of this family.
pub const TABLE: &[Line] = &[
    (Meaning::V_NOP, whole([Nil; 3], [Nil; 2], nothing).def()),
    (Meaning::V_READLANE_B32, whole([B32, Scalar, Nil], [Scalar, Nil], readlane).def()),
    (Meaning::V_READFIRSTLANE_B32, whole([B32, Nil, Nil], [Scalar, Nil], readfirstlane).def()),
    (Meaning::V_WRITELANE_B32, whole([Scalar, Scalar, Nil], [B32, Nil], writelane).def()),
    (Meaning::V_MBCNT_LO_U32_B32, whole([B32, B32, Nil], [B32, Nil], mbcnt_lo).def()),
    (Meaning::V_MBCNT_HI_U32_B32, whole([B32, B32, Nil], [B32, Nil], mbcnt_hi).def()),
    (
        Meaning::V_PERMLANE16_B32,
        whole([B32, Scalar, Scalar], [B32, Nil], permlane16_same).owning_mods().def(),
    ),
    (
        Meaning::V_PERMLANEX16_B32,
        whole([B32, Scalar, Scalar], [B32, Nil], permlane16_cross).owning_mods().def(),
    ),
    (
        Meaning::V_PERMLANE16_VAR_B32,
        whole([B32, B32, Nil], [B32, Nil], permlane16_var_same).owning_mods().def(),
    ),
    (
        Meaning::V_PERMLANEX16_VAR_B32,
        whole([B32, B32, Nil], [B32, Nil], permlane16_var_cross).owning_mods().def(),
    ),
    (Meaning::V_PERMLANE64_B32, whole([B32, Nil, Nil], [B32, Nil], permlane64).def()),
    (Meaning::V_PERMLANE_BCAST_B32, whole([B32, Scalar, Scalar], [B32, Nil], permlane_bcast).def()),
    (Meaning::V_PERMLANE_DOWN_B32, whole([B32, Scalar, Scalar], [B32, Nil], permlane_down).def()),
    (Meaning::V_PERMLANE_UP_B32, whole([B32, Scalar, Scalar], [B32, Nil], permlane_up).def()),
    (Meaning::V_PERMLANE_XOR_B32, whole([B32, Scalar, Scalar], [B32, Nil], permlane_xor).def()),
    (Meaning::V_PERMLANE_IDX_GEN_B32, whole([B32, Scalar, Nil], [B32, Nil], permlane_idx_gen).def()),
    // Both operands are written: the second stands as a second destination.
    (Meaning::V_PERMLANE16_SWAP_B32, whole([Nil; 3], [B32, Tuple(1)], permlane16_swap).owning_mods().def()),
    (Meaning::V_PERMLANE32_SWAP_B32, whole([Nil; 3], [B32, Tuple(1)], permlane32_swap).owning_mods().def()),
    (Meaning::V_SWAP_B32, whole([Nil; 3], [B32, Tuple(1)], swap).def()),
    (Meaning::V_SWAP_B16, whole([Nil; 3], [B32, Tuple(1)], swap16).owning_mods().def()),
    (Meaning::V_SWAPREL_B32, whole([Nil; 3], [B32, Tuple(1)], swaprel).def()),
    (Meaning::V_MOVRELS_B32, whole([B32, Nil, Nil], [B32, Nil], movrels).def()),
    (Meaning::V_MOVRELD_B32, whole([B32, Nil, Nil], [B32, Nil], movreld).def()),
    (Meaning::V_MOVRELSD_B32, whole([B32, Nil, Nil], [B32, Nil], movrelsd).def()),
    (Meaning::V_MOVRELSD_2_B32, whole([B32, Nil, Nil], [B32, Nil], movrelsd2).def()),
    (Meaning::S_MOVRELS_B32, own([B32, Nil, Nil], B32, s_movrels).def()),
    (Meaning::S_MOVRELS_B64, own([Kind::B64, Nil, Nil], Kind::B64, s_movrels64).def()),
    (Meaning::S_MOVRELD_B32, own([B32, Nil, Nil], B32, s_movreld).def()),
    (Meaning::S_MOVRELD_B64, own([Kind::B64, Nil, Nil], Kind::B64, s_movreld64).def()),
    (Meaning::S_MOVRELSD_2_B32, own([B32, Nil, Nil], B32, s_movrelsd2).def()),
    (Meaning::V_DIV_FMAS_F32, whole([F32, F32, F32], [F32, Nil], div_fmas_f32).def()),
    (Meaning::V_DIV_FMAS_F64, whole([F64, F64, F64], [F64, Nil], div_fmas_f64).def()),
    (Meaning::V_QSAD_PK_U16_U8, sad16!(false)),
    (Meaning::V_MQSAD_PK_U16_U8, sad16!(true)),
    (
        Meaning::V_MQSAD_U32_U8,
        wide!([B64, B32, Tuple(4)] -> 4; |cx, m, a, b, c, d| {
            d[..4].copy_from_slice(&windows(a, b[0], [c[0], c[1], c[2], c[3]], true));
        })
        .def(),
    ),
    (
        Meaning::V_PERM_PK16_B4_U4,
        wide!([B32, B32, B64] -> 2; |cx, m, a, b, c, d| { perm_pk16(concat(b, 1, a, 1), c, 4, d); }).def(),
    ),
    (
        Meaning::V_PERM_PK16_B6_U4,
        wide!([B32, B64, B64] -> 3; |cx, m, a, b, c, d| { perm_pk16(concat(b, 2, a, 1), c, 6, d); }).def(),
    ),
    (
        Meaning::V_PERM_PK16_B8_U4,
        wide!([B64, B64, B64] -> 4; |cx, m, a, b, c, d| { perm_pk16(concat(b, 2, a, 2), c, 8, d); }).def(),
    ),
];
