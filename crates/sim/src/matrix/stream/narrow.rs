//! Elements of 8, 6 and 4 bits where A and B have different types, or scales: both are decoded in the order of K, those of 6 and
//! 4 bits by tables that the host permutes.

use std::arch::x86_64::*;

use wavemark_numerics::mx;

use super::super::element::Element;
use super::super::host::{Lanes, x86};
use super::each;
use crate::regs::{Chunk, avx512};

/// Elements of a unit, the fewest that whole registers hold; `None` if the type is not decoded here.
pub fn unit_of(element: Element) -> Option<usize> {
    match element {
        Element::E4m3 | Element::E5m2 => Some(4),
        Element::E2m3 | Element::E3m2 => Some(16),
        Element::E2m1 => Some(8),
        _ => None,
    }
}

/// What makes decoded elements of a type what they stand for: A is multiplied by that of both matrices, B is left as it is.
pub fn factor(element: Element) -> f32 {
    x86::bytes_factor(element != Element::E4m3)
}

/// Where the units of A or B are.
#[derive(Clone, Copy)]
pub struct Units<'a> {
    /// From where on.
    pub slab: *const u8,
    /// So far, each.
    pub offsets: &'a [u32],
    /// From a register to the next one.
    pub register: usize,
}

impl<'a> Units<'a> {
    /// Their first registers.
    ///
    /// # Safety
    /// There must be registers.
    unsafe fn registers(self) -> impl Iterator<Item = *const u8> + 'a {
        // SAFETY: the caller's promise.
        self.offsets.iter().map(move |at| unsafe { self.slab.add(*at as usize) })
    }
}

/// Decodes units, each times `times`.
///
/// # Safety
/// The host must have AVX-512 F, BW, DQ and VL; there must be registers, and `to` is to as many vectors as there are elements.
pub unsafe fn decode(element: Element, times: f32, units: Units<'_>, to: *mut Lanes) {
    // SAFETY: the caller's promise.
    unsafe {
        match (element, times != 1.0) {
            (Element::E4m3, false) => bytes::<false, false>(times, units, to),
            (Element::E4m3, true) => bytes::<false, true>(times, units, to),
            (Element::E5m2, false) => bytes::<true, false>(times, units, to),
            (Element::E5m2, true) => bytes::<true, true>(times, units, to),
            (Element::E2m3, false) => sixes::<false>(&E2M3, times, units, to),
            (Element::E2m3, true) => sixes::<true>(&E2M3, times, units, to),
            (Element::E3m2, false) => sixes::<false>(&E3M2, times, units, to),
            (Element::E3m2, true) => sixes::<true>(&E3M2, times, units, to),
            (Element::E2m1, _) => nibbles(times, units, to),
            _ => {}
        }
    }
}

/// What a register holds.
///
/// # Safety
/// The host must have AVX-512 F; there must be a register.
#[inline(always)]
unsafe fn words(register: *const u8) -> __m512i {
    // SAFETY: the caller's promise; registers are chunks.
    unsafe { avx512::row(&*register.cast::<Chunk>()) }
}

/// FP8 and BF8.
///
/// # Safety
/// As [`decode`].
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
unsafe fn bytes<const E5M2: bool, const MULTIPLIED: bool>(times: f32, units: Units<'_>, mut to: *mut Lanes) {
    let factor = _mm512_set1_ps(times);
    // SAFETY: the caller's promise.
    unsafe {
        for register in units.registers() {
            let numbers = x86::bytes::<E5M2>(words(register));
            each!(4, n => {
                let number = if MULTIPLIED { _mm512_mul_ps(numbers[n], factor) } else { numbers[n] };
                _mm512_storeu_ps(to.add(n).cast(), number);
            });
            to = to.add(4);
        }
    }
}

/// FP4: the table has a number for each code.
///
/// # Safety
/// As [`decode`].
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
unsafe fn nibbles(times: f32, units: Units<'_>, mut to: *mut Lanes) {
    // SAFETY: the caller's promise; there are 16 values.
    unsafe {
        let values = _mm512_loadu_ps(mx::E2M1_VALUES.as_ptr());
        let table = _mm512_mul_ps(values, _mm512_set1_ps(times));
        for register in units.registers() {
            let codes = words(register);
            each!(8, n => {
                let code = _mm512_srlv_epi32(codes, _mm512_set1_epi32(4 * n as i32));
                _mm512_storeu_ps(to.add(n).cast(), _mm512_permutexvar_ps(code, table));
            });
            to = to.add(8);
        }
    }
}

/// The high halves of the numbers of 64 codes, whose low ones are 0.
#[repr(align(64))]
struct Halves([u16; 64]);

static E2M3: Halves = halves(false);
static E3M2: Halves = halves(true);

const fn halves(e3m2: bool) -> Halves {
    let mut table = [0; 64];
    let mut code = 0;
    while code < 64 {
        let number = if e3m2 { mx::e3m2_to_f32(code as u8) } else { mx::e2m3_to_f32(code as u8) };
        assert!(number.to_bits() & 0xffff == 0);
        table[code] = (number.to_bits() >> 16) as u16;
        code += 1;
    }
    Halves(table)
}

/// FP6 and BF6: three registers hold 16 of each lane, four in every 24 bits.
///
/// # Safety
/// As [`decode`].
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
unsafe fn sixes<const MULTIPLIED: bool>(table: &Halves, times: f32, units: Units<'_>, mut to: *mut Lanes) {
    const HIGH_HALVES: __mmask32 = 0xaaaa_aaaa;
    let factor = _mm512_set1_ps(times);
    // SAFETY: the caller's promise; a table has twice 64 bytes.
    unsafe {
        let table = [0, 32].map(|from| _mm512_loadu_si512(table.0.as_ptr().add(from).cast()));
        for register in units.registers() {
            let [first, second, third] = [0, 1, 2].map(|n| words(register.add(n * units.register)));
            let fours = [
                first,
                _mm512_or_si512(_mm512_srli_epi32::<24>(first), _mm512_slli_epi32::<8>(second)),
                _mm512_or_si512(_mm512_srli_epi32::<16>(second), _mm512_slli_epi32::<16>(third)),
                _mm512_srli_epi32::<8>(third),
            ];
            each!(4, n => {
                let four = fours[n];
                // A code in the low bits of each half: the table's index is no more of them.
                let codes = [
                    _mm512_mask_mov_epi16(four, HIGH_HALVES, _mm512_slli_epi32::<10>(four)),
                    _mm512_mask_mov_epi16(_mm512_srli_epi32::<12>(four), HIGH_HALVES, _mm512_srli_epi32::<2>(four)),
                ];
                each!(2, pair => {
                    let numbers = _mm512_permutex2var_epi16(table[0], codes[pair], table[1]);
                    let numbers = x86::both::<true>(numbers);
                    each!(2, half => {
                        let number = if MULTIPLIED { _mm512_mul_ps(numbers[half], factor) } else { numbers[half] };
                        _mm512_storeu_ps(to.add(4 * n + 2 * pair + half).cast(), number);
                    });
                });
            });
            to = to.add(16);
        }
    }
}
