//! Modifiers of vector operations, apart from the fast path: what they are. How they are applied is in
//! [`modified`](super::modified).
//!
//! Order, as the manuals have it: select (SDWA bytes and words, 16-bit halves) and permute (DPP, source 0 only),
//! absolute value, negate; then after the operation the output multiplier, the clamp, the destination select.

use wavemark_isa::{Dpp, OutMod, SdwaSel, SdwaUnused, Special};
use wavemark_numerics::modifiers as num;
use wavemark_target::facts::DppControls;

use super::def::unsupported;
use super::host::Host;
use super::lane::Cx;
use super::word::Kind;
use crate::binder::BindError;
use crate::pending::lanes;
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
    /// Does anything here matter?
    pub fn is_needed(&self) -> bool {
        self.neg
            || self.neg_hi
            || self.abs
            || self.high
            || self.swizzle != (false, false)
            || self.sel != SdwaSel::Dword
    }
}

/// Lowest bit and width of a selection.
pub struct Widths {
    /// The lowest bit.
    pub shift: u32,
    /// How many bits.
    pub bits: u32,
}

impl Widths {
    /// Those of `sel`.
    pub fn of(sel: SdwaSel) -> Widths {
        let (shift, bits) = match sel {
            SdwaSel::Byte0 => (0, 8),
            SdwaSel::Byte1 => (8, 8),
            SdwaSel::Byte2 => (16, 8),
            SdwaSel::Byte3 => (24, 8),
            SdwaSel::Word0 => (0, 16),
            SdwaSel::Word1 => (16, 16),
            SdwaSel::Dword => (0, 32),
        };
        Widths { shift, bits }
    }
}

/// A DPP control, worked out per lane.
#[derive(Clone, Debug)]
pub struct Permutation {
    /// The lane that each lane reads; of one whose source is out of range, any.
    from: [[u32; 16]; 4],
    /// Lanes whose source is not out of range.
    valid: u64,
    /// Every lane reads one of its own row of 16.
    within_rows: bool,
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
                Ok(Permutation::of(from, u64::MAX, true, fi))
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
                Ok(Permutation::of(from, on, bound_ctrl, fi && !shifts))
            }
        }
    }

    /// From the lane that each lane reads, which may be [`OUT`].
    fn of(lanes: [u8; 64], on: u64, zero: bool, fetch_inactive: bool) -> Permutation {
        let (mut from, mut valid, mut within_rows) = ([[0; 16]; 4], 0, true);
        for (lane, &source) in lanes.iter().enumerate().filter(|&(_, &source)| source != OUT) {
            from[lane / 16][lane % 16] = u32::from(source);
            valid |= 1 << lane;
            within_rows &= usize::from(source) / 16 == lane / 16;
        }
        Permutation { from, valid, within_rows, on, zero, fetch_inactive }
    }

    /// Lanes that get what their source holds, given EXEC, which has all lanes or not; the others read 0.
    #[inline(always)]
    pub fn readable(&self, exec: u64, full: bool) -> u64 {
        if full || self.fetch_inactive {
            return self.valid;
        }
        let from = self.from.as_flattened();
        lanes(self.valid)
            .filter(|&lane| exec >> from[lane as usize] & 1 != 0)
            .fold(0, |on, lane| on | 1 << lane)
    }

    /// Lanes that write, given EXEC and [`Permutation::readable`].
    #[inline(always)]
    pub fn enabled(&self, exec: u64, readable: u64) -> u64 {
        // CDNA5 table 41: with fetch-inactive an out-of-range source reads 0.
        let zeros = if self.fetch_inactive { !self.valid } else { 0 };
        let written = if self.zero { u64::MAX } else { readable | zeros };
        self.on & written & exec
    }

    /// What the lanes read of a row.
    #[inline(always)]
    pub fn apply<H: Host, const N: usize>(&self, row: &[Chunk; N], readable: u64) -> [Chunk; N] {
        let all = Chunk::words(row);
        std::array::from_fn(|c| {
            let from = &self.from[c];
            let read = if self.within_rows {
                H::permute(&row[c].0, from)
            } else {
                std::array::from_fn(|l| all[from[l] as usize & (16 * N - 1)])
            };
            Chunk(H::select((readable >> (16 * c)) as u32 & 0xffff, &read, &[0; 16]))
        })
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

    /// Is there something to be done with the result?
    pub fn finishes(&self) -> bool {
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

    /// The code of the output multiplier under this MODE.
    fn omod_code(&self, mode: &wavemark_numerics::Mode) -> u32 {
        let keeps_denormals = match self.dst {
            Kind::F32 => mode.denorm_32.output,
            _ => mode.denorm_16_64.output,
        };
        match self.omod {
            _ if self.omod_needs_flush && (keeps_denormals || mode.ieee) => 0,
            OutMod::None => 0,
            OutMod::Mul2 => 1,
            OutMod::Mul4 => 2,
            OutMod::Div2 => 3,
        }
    }

    /// What a binary32 word of the result becomes by output multiplier and clamp.
    #[inline(always)]
    pub fn scale_and_clamp_f32(&self, cx: &Cx) -> impl Fn(u32) -> u32 + use<> {
        let (omod, clamp, dx10) = (self.omod_code(&cx.mode), self.clamp, cx.mode.dx10_clamp);
        move |bits| {
            let x = num::omod_f32(f32::from_bits(bits), omod);
            if clamp { num::clamp_f32(x, dx10) } else { x }.to_bits()
        }
    }

    /// The result of one lane after output multiplier and clamp.
    pub fn scale_and_clamp(&self, cx: &Cx, lo: u32, hi: u32) -> (u32, u32) {
        let (omod, dx10) = (self.omod_code(&cx.mode), cx.mode.dx10_clamp);
        let f32_bits = self.scale_and_clamp_f32(cx);
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

/// Set EXEC in the width of the wave.
pub fn set_exec(regs: &mut Regs, exec: u64) {
    if regs.chunks == 4 {
        regs.set_s64(sindex::EXEC, exec);
    } else {
        regs.s[sindex::EXEC as usize] = exec as u32;
    }
    regs.exec_changed();
}
