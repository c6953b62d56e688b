//! The registers of one wave, laid out for whole-wave operations.
//!
//! Vector registers are stored register-major in chunks of 16 lanes ([`Chunk`], 64 bytes, one AVX-512
//! register): VGPR `r` of a wave with `chunks` chunks is `v[r * chunks..][..chunks]`. Behind the VGPRs and
//! AGPRs stand a few scratch chunks and the program's vector constants (a row each, the same value in all lanes), so
//! that every source of a vector operation is an index into one slab.
//!
//! Scalar registers live in one array at canonical indices ([`sindex`]), which do not depend on the
//! instruction set; behind them stand the program's scalar constants.

use wavemark_isa::effects::Offsets;
use wavemark_numerics::exceptions::Flags;

/// 16 lanes of one 32-bit register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Chunk(pub [u32; 16]);

impl Chunk {
    /// All lanes zero.
    pub const ZERO: Chunk = Chunk([0; 16]);
    /// The words of consecutive chunks.
    #[inline(always)]
    pub fn words(chunks: &[Chunk]) -> &[u32] {
        // SAFETY: a chunk is 16 words and nothing else (`repr(C)`, 64 bytes).
        unsafe { std::slice::from_raw_parts(chunks.as_ptr().cast(), chunks.len() * 16) }
    }
    /// The words of consecutive chunks, to change.
    #[inline(always)]
    pub fn words_mut(chunks: &mut [Chunk]) -> &mut [u32] {
        // SAFETY: as above, and the borrow is exclusive.
        unsafe { std::slice::from_raw_parts_mut(chunks.as_mut_ptr().cast(), chunks.len() * 16) }
    }
    /// The bytes of consecutive chunks.
    #[inline(always)]
    pub fn bytes(chunks: &[Chunk]) -> &[u8] {
        // SAFETY: a chunk is 64 bytes and nothing else.
        unsafe { std::slice::from_raw_parts(chunks.as_ptr().cast(), size_of_val(chunks)) }
    }
    /// The bytes of consecutive chunks, to change.
    #[inline(always)]
    pub fn bytes_mut(chunks: &mut [Chunk]) -> &mut [u8] {
        // SAFETY: as above, and the borrow is exclusive.
        unsafe { std::slice::from_raw_parts_mut(chunks.as_mut_ptr().cast(), size_of_val(chunks)) }
    }
    /// The same value in all lanes.
    pub const fn splat(x: u32) -> Chunk {
        Chunk([x; 16])
    }
}

/// `f` of all lanes, by halves.
#[inline(always)]
pub(crate) fn reduced(mut lanes: [u32; 16], f: impl Fn(u32, u32) -> u32) -> u32 {
    for half in [8, 4, 2, 1] {
        for l in 0..half {
            lanes[l] = f(lanes[l], lanes[l + half]);
        }
    }
    lanes[0]
}

/// Chunks as registers of a host with AVX-512.
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512 {
    use std::arch::x86_64::{__m512i, _mm512_loadu_si512, _mm512_storeu_si512};

    use super::Chunk;

    /// What a chunk holds.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub fn row(chunk: &Chunk) -> __m512i {
        // SAFETY: a chunk has 64 bytes.
        unsafe { _mm512_loadu_si512(chunk.0.as_ptr().cast()) }
    }

    /// `to` holds `x`.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub fn put(to: &mut Chunk, x: __m512i) {
        // SAFETY: a chunk has 64 bytes.
        unsafe { _mm512_storeu_si512(to.0.as_mut_ptr().cast(), x) }
    }
}

/// The lanes of so many chunks, not of none.
#[inline(always)]
pub const fn all_lanes(chunks: usize) -> u64 {
    u64::MAX >> (64 - 16 * chunks)
}

/// Canonical indices of the scalar registers in [`Regs::s`].
pub mod sindex {
    /// `s0`; SGPR n is `S0 + n`, up to `s105`.
    pub const S0: u32 = 0;
    /// `vcc_lo`; `vcc_hi` follows.
    pub const VCC: u32 = 106;
    /// `ttmp0`; 16 of them.
    pub const TTMP0: u32 = 108;
    /// `m0`.
    pub const M0: u32 = 124;
    /// `exec_lo`; `exec_hi` follows.
    pub const EXEC: u32 = 126;
    /// `flat_scratch_lo`; `_hi` follows.
    pub const FLAT_SCRATCH: u32 = 128;
    /// `xnack_mask_lo`; `_hi` follows.
    pub const XNACK_MASK: u32 = 130;
    /// `src_shared_base`, 64 bits.
    pub const SHARED_BASE: u32 = 132;
    /// `src_shared_limit`, 64 bits.
    pub const SHARED_LIMIT: u32 = 134;
    /// `src_private_base`, 64 bits.
    pub const PRIVATE_BASE: u32 = 136;
    /// `src_private_limit`, 64 bits.
    pub const PRIVATE_LIMIT: u32 = 138;
    /// `src_scc`, `src_vccz`, `src_execz` are materialised here before a read, 64 bits, high word 0.
    pub const STATUS_BIT: u32 = 140;
    /// Sink and source of `null`: reads 0; what is written here is cleared by the writer.
    pub const NULL: u32 = 142;
    /// A scratch pair for writes that must not land (64 bits wide results to `null` use this too).
    pub const SINK: u32 = 144;
    /// The first scalar constant of the program.
    pub const CONSTANTS: u32 = 160;
}

/// MODE.GPR_IDX_EN: VGPR operands are relative to M0.
pub(crate) const GPR_IDX_EN: u32 = 1 << 27;

/// Number of scratch chunks before the constants: three sources of up to 4 dwords of up to 4 chunks, and a
/// destination of the same size.
pub const SCRATCH_CHUNKS: usize = 64;

/// The floating-point part of the MODE register, unpacked, and what else the lane code asks of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mode {
    /// The register as the program sees it.
    pub raw: u32,
    /// MODE.round for f32: 0 nearest even, 1 +inf, 2 -inf, 3 zero.
    pub round_f32: u8,
    /// MODE.round for f16 and f64.
    pub round_f16_f64: u8,
    /// f32 input denormals are kept.
    pub denorm_in_f32: bool,
    /// f32 output denormals are kept.
    pub denorm_out_f32: bool,
    /// f16/f64 input denormals are kept.
    pub denorm_in_f16_f64: bool,
    /// f16/f64 output denormals are kept.
    pub denorm_out_f16_f64: bool,
    /// `DX10_CLAMP`: clamp NaN to 0 (always so from gfx12 on).
    pub dx10_clamp: bool,
    /// `IEEE`: quiet signalling NaNs (gfx9).
    pub ieee: bool,
    /// `FP16_OVFL`: overflow of f16 (and fp8 conversions) clamps to the maximum.
    pub fp16_ovfl: bool,
}

/// Whether a wave is as vector operations mostly find it, so that they ask one thing and not several: all lanes on, nearest
/// even, f16 and f64 denormals kept, no FP16_OVFL, no VGPR indexing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Usual {
    /// It is not.
    No,
    /// It is, and f32 denormals are kept: what compilers ask for.
    Kept,
    /// It is, and f32 denormals are flushed: the assembler's default.
    Flushed,
}

impl Usual {
    /// The bits of MODE that operations on f32 depend on, and what they are where f32 denormals are kept.
    pub const F32: (u32, u32) = (0x33, 0x30);
    /// Likewise of f16 and f64.
    pub const F16_F64: (u32, u32) = (0x80_00cc, 0xc0);

    const MASK: u32 = Usual::F32.0 | Usual::F16_F64.0 | GPR_IDX_EN;
    const KEPT: u32 = Usual::F32.1 | Usual::F16_F64.1;
    const FLUSHED: u32 = Usual::F16_F64.1;

    /// Of a wave that has all lanes on if it is `full`, with this MODE.
    #[inline(always)]
    pub const fn of(full: bool, mode: u32) -> Usual {
        match (full, mode & Usual::MASK) {
            (true, Usual::KEPT) => Usual::Kept,
            (true, Usual::FLUSHED) => Usual::Flushed,
            _ => Usual::No,
        }
    }
}

/// All registers of one wave that arithmetic touches.
pub struct Regs {
    /// VGPRs, AGPRs, scratch, vector constants: see the module header.
    pub v: Box<[Chunk]>,
    /// Scalar registers at canonical indices, then the program's scalar constants.
    pub s: Box<[u32]>,
    /// 2 for wave32, 4 for wave64.
    pub chunks: usize,
    /// Index of the first scratch chunk in `v`.
    pub scratch: usize,
    /// Number of VGPRs allocated to the wave.
    pub vgprs: u32,
    /// Number of AGPRs allocated; they follow the VGPRs.
    pub agprs: u32,
    /// SCC.
    pub scc: bool,
    /// EXEC has all lanes of the wave on; kept by whoever writes EXEC ([`Regs::exec_changed`]).
    pub full: bool,
    /// What EXEC and MODE say of the next vector operation; kept by whoever writes them.
    pub usual: Usual,
    /// The MODE register; written by [`Regs::set_mode`].
    pub mode: Mode,
    /// The floating-point exceptions that have occurred, in programs that read them.
    pub exceptions: Exceptions,
    /// Address of the next instruction; branches and `s_setpc` write it, `s_getpc` reads it.
    pub pc: u64,
}

/// The floating-point exceptions that a wave has raised since the program cleared them last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exceptions {
    /// Those that have occurred.
    pub set: Flags,
    /// Those of which no manual says whether they have; they may be in `set` for another reason.
    pub open: Flags,
    /// Which instruction has left each open.
    pub left_open_by: [&'static str; Flags::NAMES.len()],
}

impl Regs {
    /// Lanes of the wave, 32 or 64.
    pub fn lanes(&self) -> u32 {
        self.chunks as u32 * 16
    }
    /// All lanes on.
    pub fn full_mask(&self) -> u64 {
        all_lanes(self.chunks)
    }
    /// The 64-bit value at canonical index `i`.
    #[inline(always)]
    pub fn s64(&self, i: u32) -> u64 {
        u64::from(self.s[i as usize]) | u64::from(self.s[i as usize + 1]) << 32
    }
    /// Write the 64-bit value at canonical index `i`.
    #[inline(always)]
    pub fn set_s64(&mut self, i: u32, x: u64) {
        self.s[i as usize] = x as u32;
        self.s[i as usize + 1] = (x >> 32) as u32;
    }
    /// EXEC; for wave32 the high half is 0.
    #[inline(always)]
    pub fn exec(&self) -> u64 {
        if self.chunks == 4 { self.s64(sindex::EXEC) } else { u64::from(self.s[sindex::EXEC as usize]) }
    }
    /// VCC; for wave32 only the low half.
    #[inline(always)]
    pub fn vcc(&self) -> u64 {
        if self.chunks == 4 { self.s64(sindex::VCC) } else { u64::from(self.s[sindex::VCC as usize]) }
    }
    /// How far VGPR indexing moves the registers of vector instructions; `None` where it is off. (MODE.GPR_IDX_EN is gfx9's,
    /// which has waves of 64 lanes here.)
    #[inline(always)]
    pub fn vgpr_index(&self) -> Option<Offsets> {
        let on = self.mode.raw & GPR_IDX_EN != 0 && self.chunks == 4;
        on.then(|| Offsets::of_index(self.s[sindex::M0 as usize]))
    }
    /// Refresh what is derived from EXEC after a write to it.
    #[inline(always)]
    pub fn exec_changed(&mut self) {
        self.set_full(self.exec() == self.full_mask());
    }
    /// Keep what follows from whether EXEC has all lanes on.
    #[inline(always)]
    pub fn set_full(&mut self, full: bool) {
        (self.full, self.usual) = (full, Usual::of(full, self.mode.raw));
    }
    /// Write the MODE register.
    pub fn set_mode(&mut self, mode: Mode) {
        (self.mode, self.usual) = (mode, Usual::of(self.full, mode.raw));
    }
    /// Lane `lane` of the register row that starts at chunk `row`.
    #[inline(always)]
    pub fn lane(&self, row: usize, lane: u32) -> u32 {
        self.v[row + (lane as usize >> 4)].0[lane as usize & 15]
    }
    /// Write lane `lane` of the register row that starts at chunk `row`.
    #[inline(always)]
    pub fn set_lane(&mut self, row: usize, lane: u32, x: u32) {
        self.v[row + (lane as usize >> 4)].0[lane as usize & 15] = x;
    }
}
