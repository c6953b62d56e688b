//! Modifiers of vector operations, apart from the fast path: sources are prepared in scratch rows, the
//! unmodified body runs over them, and its result is finished into the destination.
//!
//! Order, as the manuals have it: select (SDWA bytes and words, 16-bit halves) and permute (DPP, source 0 only),
//! absolute value, negate; then after the operation the output multiplier, the clamp, the destination select.

use std::sync::Arc;

use wavemark_isa::{Dpp, OutMod, SdwaSel, SdwaUnused, Special};
use wavemark_numerics::modifiers as num;
use wavemark_target::facts::DppControls;

use super::AluDetail;
use super::def::unsupported;
use super::lane::Cx;
use super::scalar::materialise_status;
use super::spread;
use super::word::Kind;
use crate::binder::BindError;
use crate::op::{Detail, Op, Place, PlaceKind};
use crate::regs::{Chunk, Regs, sindex};

/// What happens to one source.
#[derive(Clone, Copy, Debug)]
pub struct SourceMods {
    /// Its kind.
    pub kind: Kind,
    /// Negated (for packed kinds: the low part).
    pub neg: bool,
    /// The high part of a packed kind is negated.
    pub neg_hi: bool,
    /// Absolute value.
    pub abs: bool,
    /// A 16-bit source is in the high half.
    pub high: bool,
    /// The low part of a packed kind takes the high part; the high part takes the low part.
    pub swizzle: (bool, bool),
    /// SDWA selection.
    pub sel: SdwaSel,
    /// SDWA sign extension.
    pub sext: bool,
}

impl Default for SourceMods {
    fn default() -> Self {
        SourceMods {
            kind: Kind::None,
            neg: false,
            neg_hi: false,
            abs: false,
            high: false,
            swizzle: (false, false),
            sel: SdwaSel::Dword,
            sext: false,
        }
    }
}

impl SourceMods {
    fn is_needed(&self) -> bool {
        self.neg
            || self.neg_hi
            || self.abs
            || self.high
            || self.swizzle != (false, false)
            || self.sel != SdwaSel::Dword
    }

    /// The modified words.
    fn apply(&self, lo: u32, hi: u32) -> (u32, u32) {
        let mut lo = match self.sel {
            SdwaSel::Dword => lo,
            sel => extract(lo, sel, self.sext),
        };
        let mut hi = hi;
        if self.high {
            lo >>= 16;
        }
        match self.kind {
            Kind::F16 | Kind::Bf16 | Kind::B16 => {
                lo &= if self.sel == SdwaSel::Dword { 0xffff } else { u32::MAX };
                if self.abs {
                    lo &= 0x7fff;
                }
                if self.neg {
                    lo ^= 0x8000;
                }
            }
            Kind::F64 | Kind::B64 | Kind::I64 => {
                if self.abs {
                    hi &= 0x7fff_ffff;
                }
                if self.neg {
                    hi ^= 0x8000_0000;
                }
            }
            Kind::PkB16 | Kind::PkF16 | Kind::PkBf16 => {
                let low = if self.swizzle.0 { lo >> 16 } else { lo & 0xffff };
                let high = if self.swizzle.1 { lo & 0xffff } else { lo >> 16 };
                lo = low | high << 16;
                lo ^= u32::from(self.neg) << 15 | u32::from(self.neg_hi) << 31;
            }
            Kind::PkF32 => {
                let low = if self.swizzle.0 { hi } else { lo };
                let high = if self.swizzle.1 { lo } else { hi };
                lo = low ^ u32::from(self.neg) << 31;
                hi = high ^ u32::from(self.neg_hi) << 31;
            }
            _ => {
                if self.abs {
                    lo &= 0x7fff_ffff;
                }
                if self.neg {
                    lo ^= 0x8000_0000;
                }
            }
        }
        (lo, hi)
    }
}

/// The selected bytes of a dword, extended.
fn extract(x: u32, sel: SdwaSel, sext: bool) -> u32 {
    let (shift, bits) = place_of(sel);
    let x = x >> shift;
    match (bits, sext) {
        (8, false) => x & 0xff,
        (8, true) => x as u8 as i8 as u32,
        (16, false) => x & 0xffff,
        (16, true) => x as u16 as i16 as u32,
        _ => x,
    }
}

/// Lowest bit and width of a selection.
fn place_of(sel: SdwaSel) -> (u32, u32) {
    match sel {
        SdwaSel::Byte0 => (0, 8),
        SdwaSel::Byte1 => (8, 8),
        SdwaSel::Byte2 => (16, 8),
        SdwaSel::Byte3 => (24, 8),
        SdwaSel::Word0 => (0, 16),
        SdwaSel::Word1 => (16, 16),
        SdwaSel::Dword => (0, 32),
    }
}

/// A DPP control, worked out per lane.
#[derive(Clone, Debug)]
pub struct Permutation {
    /// The lane that each lane reads; 255 if it is out of range.
    from: [u8; 64],
    /// Lanes that the row and bank masks leave on.
    on: u64,
    /// Out-of-range and inactive sources read 0 instead of turning the lane off.
    zero: bool,
    /// Inactive sources are read.
    fetch_inactive: bool,
}

const OUT: u8 = 255;

impl Permutation {
    fn new(mnemonic: &str, controls: DppControls, dpp: Dpp, chunks: usize) -> Result<Self, BindError> {
        let lanes = chunks as u8 * 16;
        let mut from = [OUT; 64];
        match dpp {
            Dpp::Lanes8 { sel, fi } => {
                for lane in 0..lanes {
                    from[lane as usize] = (lane & !7) + (sel >> (3 * (lane & 7)) & 7) as u8;
                }
                Ok(Permutation { from, on: u64::MAX, zero: true, fetch_inactive: fi })
            }
            Dpp::Row { ctrl, row_mask, bank_mask, bound_ctrl, fi } => {
                let n = (ctrl & 15) as u8;
                let shifts = controls != DppControls::ShareXmask;
                let source: &dyn Fn(u8) -> u8 = match ctrl {
                    0x000..=0x0ff => &|l| (l & !3) + (ctrl >> (2 * (l & 3)) & 3) as u8,
                    0x101..=0x10f => &|l| if (l & 15) + n < 16 { l + n } else { OUT },
                    0x111..=0x11f => &|l| if (l & 15) >= n { l - n } else { OUT },
                    0x121..=0x12f => &|l| (l & !15) + ((l & 15) + 16 - n) % 16,
                    0x130 if shifts => &|l| if l + 1 < lanes { l + 1 } else { OUT },
                    0x134 if shifts => &|l| (l + 1) % lanes,
                    0x138 if shifts => &|l| if l > 0 { l - 1 } else { OUT },
                    0x13c if shifts => &|l| (l + lanes - 1) % lanes,
                    0x140 => &|l| (l & !15) + 15 - (l & 15),
                    0x141 => &|l| (l & !7) + 7 - (l & 7),
                    0x142 if shifts => &|l| if l > 15 { (l & 0x30) - 1 } else { OUT },
                    0x143 if shifts => &|l| if l > 31 { (l & 0x20) - 1 } else { OUT },
                    0x150..=0x15f if controls != DppControls::Wave => &|l| (l & !15) + n,
                    0x160..=0x16f if !shifts => &|l| l ^ n,
                    _ => return Err(unsupported(mnemonic, &format!("dpp_ctrl {ctrl:#x}"))),
                };
                let mut on = 0u64;
                for lane in 0..lanes {
                    from[lane as usize] = source(lane);
                    let wanted = row_mask >> (lane >> 4) & 1 != 0 && bank_mask >> (lane >> 2 & 3) & 1 != 0;
                    on |= u64::from(wanted) << lane;
                }
                Ok(Permutation { from, on, zero: bound_ctrl, fetch_inactive: fi && !shifts })
            }
        }
    }

    /// Lanes that write, given EXEC.
    fn enabled(&self, lanes: u32, exec: u64) -> u64 {
        let mut on = self.on;
        if !self.zero {
            for lane in 0..lanes {
                // CDNA5 table 41: with fetch-inactive an out-of-range source reads 0.
                let from = self.from[lane as usize];
                let valid = if from == OUT { self.fetch_inactive } else { self.readable(from, exec) };
                on &= !(u64::from(!valid) << lane);
            }
        }
        on & exec
    }

    fn readable(&self, from: u8, exec: u64) -> bool {
        self.fetch_inactive || exec >> from & 1 != 0
    }

    fn apply(&self, row: &[u32; 64], lanes: u32, exec: u64) -> [u32; 64] {
        let mut out = [0; 64];
        for (word, from) in out.iter_mut().zip(self.from).take(lanes as usize) {
            if from != OUT && self.readable(from, exec) {
                *word = row[from as usize & 63];
            }
        }
        out
    }
}

/// All modifiers of one operation.
#[derive(Clone, Debug)]
pub struct Modified {
    /// Per source.
    pub sources: [SourceMods; 3],
    /// DPP of source 0.
    pub dpp: Option<Permutation>,
    /// The kind of the destination.
    pub dst: Kind,
    /// Clamp of a floating result to 0…1.
    pub clamp: bool,
    /// Output multiplier.
    pub omod: OutMod,
    /// The output multiplier works only while output denormals are flushed and IEEE is off (before gfx12).
    pub omod_needs_flush: bool,
    /// A 16-bit result goes to the high half.
    pub dst_high: bool,
    /// A 16-bit result leaves the other half alone (otherwise it becomes 0).
    pub dst_keep: bool,
    /// SDWA destination selection.
    pub dst_sel: SdwaSel,
    /// What happens to the other bytes.
    pub dst_unused: SdwaUnused,
    /// A source is `src_scc`, `src_vccz` or `src_execz`: to be put into its place first.
    pub status: Option<Special>,
    /// The body takes no sources but rows ([`spread`]).
    pub rows_only: bool,
}

impl Modified {
    /// No modifiers, for a destination of `dst`.
    pub fn new(dst: Kind) -> Self {
        Modified {
            sources: [SourceMods::default(); 3],
            dpp: None,
            dst,
            clamp: false,
            omod: OutMod::None,
            omod_needs_flush: false,
            dst_high: false,
            dst_keep: false,
            dst_sel: SdwaSel::Dword,
            dst_unused: SdwaUnused::Pad,
            status: None,
            rows_only: false,
        }
    }

    /// Add a DPP control.
    pub fn set_dpp(
        &mut self,
        mnemonic: &str,
        controls: Option<DppControls>,
        dpp: Dpp,
        chunks: usize,
    ) -> Result<(), BindError> {
        let controls = controls.ok_or_else(|| unsupported(mnemonic, "dpp"))?;
        self.dpp = Some(Permutation::new(mnemonic, controls, dpp, chunks)?);
        Ok(())
    }

    fn finishes(&self) -> bool {
        self.clamp
            || self.omod != OutMod::None
            || self.dst_high
            || self.dst_keep
            || self.dst_sel != SdwaSel::Dword
    }

    /// Does anything here matter?
    pub fn is_needed(&self) -> bool {
        self.finishes()
            || self.dpp.is_some()
            || self.status.is_some()
            || self.sources.iter().any(SourceMods::is_needed)
    }

    /// The operation that applies these modifiers around `inner`.
    pub fn wrap(self, inner: Op) -> Op {
        let outer = inner.clone();
        Op {
            body: run,
            detail: Some(Arc::new(Detail::Alu(AluDetail::Modified { inner, modified: self }))),
            ..outer
        }
    }

    /// The finished value of one lane: omod, clamp, destination select.
    fn finish(&self, cx: &Cx, lo: u32, hi: u32, old: u32) -> (u32, u32) {
        let (mut lo, mut hi) = (lo, hi);
        if self.omod != OutMod::None || self.clamp {
            (lo, hi) = self.scale_and_clamp(cx, lo, hi);
        }
        if self.dst_sel != SdwaSel::Dword {
            let (shift, bits) = place_of(self.dst_sel);
            let field = ((1u64 << bits) - 1) as u32;
            let value = (lo & field) << shift;
            lo = match self.dst_unused {
                SdwaUnused::Pad => value,
                SdwaUnused::Preserve => old & !(field << shift) | value,
                SdwaUnused::Sext => {
                    let sign = lo >> (bits - 1) & 1;
                    let above = !(field << shift) & (u32::MAX.checked_shl(shift + bits).unwrap_or(0));
                    value | if sign != 0 { above } else { 0 }
                }
            };
        } else if self.dst.is_half() {
            lo &= 0xffff;
            lo = match (self.dst_high, self.dst_keep) {
                (true, _) => old & 0xffff | lo << 16,
                (false, true) => old & 0xffff_0000 | lo,
                (false, false) => lo,
            };
        }
        (lo, hi)
    }

    fn scale_and_clamp(&self, cx: &Cx, lo: u32, hi: u32) -> (u32, u32) {
        let keeps_denormals = match self.dst {
            Kind::F32 => cx.mode.denorm_32.output,
            _ => cx.mode.denorm_16_64.output,
        };
        let omod = match self.omod {
            _ if self.omod_needs_flush && (keeps_denormals || cx.mode.ieee) => 0,
            OutMod::None => 0,
            OutMod::Mul2 => 1,
            OutMod::Mul4 => 2,
            OutMod::Div2 => 3,
        };
        let dx10 = cx.mode.dx10_clamp;
        let f32_bits = |bits: u32| {
            let x = num::omod_f32(f32::from_bits(bits), omod);
            if self.clamp { num::clamp_f32(x, dx10) } else { x }.to_bits()
        };
        let f16_bits = |bits: u32| {
            let x = num::omod_f16(bits as u16, omod, cx.mode.fp16_ovfl);
            u32::from(if self.clamp { num::clamp_f16(x, dx10) } else { x })
        };
        let bf16_bits =
            |bits: u32| u32::from(if self.clamp { num::clamp_bf16(bits as u16, dx10) } else { bits as u16 });
        match self.dst {
            Kind::F32 => (f32_bits(lo), hi),
            Kind::PkF32 => (f32_bits(lo), f32_bits(hi)),
            Kind::F16 => (f16_bits(lo), hi),
            Kind::Bf16 => (bf16_bits(lo), hi),
            Kind::PkF16 => (f16_bits(lo) | f16_bits(lo >> 16) << 16, hi),
            Kind::PkBf16 => (bf16_bits(lo) | bf16_bits(lo >> 16) << 16, hi),
            Kind::F64 => {
                let x = num::omod_f64(f64::from_bits(u64::from(lo) | u64::from(hi) << 32), omod);
                let bits = if self.clamp { num::clamp_f64(x, dx10) } else { x }.to_bits();
                (bits as u32, (bits >> 32) as u32)
            }
            _ => (lo, hi),
        }
    }
}

/// Scratch rows of source `i`, from the first scratch chunk.
fn scratch_row(regs: &Regs, i: usize) -> usize {
    regs.scratch + i * spread::SOURCE_ROOM
}

/// A source row spread over the lanes.
fn read_row(regs: &Regs, place: Place, row: usize) -> [u32; 64] {
    let mut out = [0; 64];
    let lanes = regs.lanes() as usize;
    match place.kind {
        PlaceKind::Vector | PlaceKind::VectorConst => {
            let first = place.at as usize + row * regs.chunks;
            for (c, chunk) in regs.v[first..first + regs.chunks].iter().enumerate() {
                out[c * 16..c * 16 + 16].copy_from_slice(&chunk.0);
            }
        }
        PlaceKind::Scalar => out[..lanes].fill(regs.s[place.at as usize + row]),
        PlaceKind::None => {}
    }
    out
}

fn write_row(regs: &mut Regs, at: usize, row: &[u32; 64]) {
    for c in 0..regs.chunks {
        let mut chunk = Chunk::ZERO;
        chunk.0.copy_from_slice(&row[c * 16..c * 16 + 16]);
        regs.v[at + c] = chunk;
    }
}

/// The body of a modified operation.
///
/// # Safety
/// As [`crate::op::Body`].
unsafe fn run(regs: &mut Regs, op: &Op) {
    let Some(Detail::Alu(AluDetail::Modified { inner, modified })) = op.detail.as_deref() else {
        return;
    };
    let exec = regs.exec();
    let lanes = regs.lanes();
    if let Some(which) = modified.status {
        materialise_status(regs, which);
    }
    let mut step = Op { detail: inner.detail.clone(), ..*inner };
    for (i, m) in modified.sources.iter().enumerate() {
        let permuted = i == 0 && modified.dpp.is_some();
        let spread = modified.rows_only && m.kind.rows() > 0 && !spread::is_row(inner.src[i]);
        if !(m.is_needed() || permuted || spread) {
            continue;
        }
        let rows = m.kind.rows().clamp(1, 2);
        let mut lo = read_row(regs, inner.src[i], 0);
        let mut hi = if rows > 1 { read_row(regs, inner.src[i], 1) } else { [0; 64] };
        if permuted && let Some(dpp) = &modified.dpp {
            lo = dpp.apply(&lo, lanes, exec);
            if rows > 1 {
                hi = dpp.apply(&hi, lanes, exec);
            }
        }
        if m.is_needed() {
            for l in 0..lanes as usize {
                (lo[l], hi[l]) = m.apply(lo[l], hi[l]);
            }
        }
        let at = scratch_row(regs, i);
        write_row(regs, at, &lo);
        if rows > 1 {
            let chunks = regs.chunks;
            write_row(regs, at + chunks, &hi);
        }
        step.src[i] = Place { at: at as u32, kind: PlaceKind::Vector };
    }
    let enabled = modified.dpp.as_ref().map_or(exec, |dpp| dpp.enabled(lanes, exec));
    if enabled != exec {
        set_exec(regs, enabled);
    }
    let finishes = modified.finishes();
    if finishes {
        step.dst = Place { at: scratch_row(regs, 3) as u32, kind: PlaceKind::Vector };
    }
    // SAFETY: the caller's promise holds for the inner operation, too: the binder made its places, and scratch
    // rows are inside the slab.
    unsafe { (step.body)(regs, &step) };
    if finishes {
        let cx = Cx::new(regs, 0);
        let chunks = regs.chunks;
        let two = modified.dst.rows() > 1;
        let (from, to) = (step.dst.at as usize, inner.dst.at as usize);
        for lane in (0..lanes).filter(|lane| enabled >> lane & 1 != 0) {
            let lo = regs.lane(from, lane);
            let hi = if two { regs.lane(from + chunks, lane) } else { 0 };
            let old = regs.lane(to, lane);
            let (lo, hi) = modified.finish(&cx, lo, hi, old);
            regs.set_lane(to, lane, lo);
            if two {
                regs.set_lane(to + chunks, lane, hi);
            }
        }
    }
    let writes_exec = inner.dst.kind == PlaceKind::Scalar && inner.dst.at == sindex::EXEC
        || inner.dst2.kind == PlaceKind::Scalar && inner.dst2.at == sindex::EXEC;
    if enabled != exec && !writes_exec {
        set_exec(regs, exec);
    }
}

/// Set EXEC in the width of the wave.
pub fn set_exec(regs: &mut Regs, exec: u64) {
    if regs.chunks == 4 {
        regs.set_s64(sindex::EXEC, exec);
    } else {
        regs.s[sindex::EXEC as usize] = exec as u32;
    }
    regs.exec_changed();
}
