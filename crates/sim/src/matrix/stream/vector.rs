//! 16 numbers in the registers of a host level.

use std::arch::asm;
use std::arch::x86_64::*;

use wavemark_numerics::mx;

use super::super::element::Element;
use super::super::host::{Avx2, Avx512, Host, Lanes, Level, x86};
use super::super::plan::Plan;
use super::super::run::Scratch;
use super::each;
use super::narrow::{self, Units};
use crate::regs::{Chunk, Regs, avx512};

/// 16 numbers in registers, and what a level does with them.
///
/// # Safety
/// All that is unsafe here asks for a host that has [`Sixteen::LEVEL`], and that there is what is pointed to.
pub trait Sixteen: Copy + 'static {
    /// 16 dwords.
    type Words: Copy;
    /// The level's other operations.
    type Host: Host;
    /// The level.
    const LEVEL: Level;
    /// Whether there are registers for the sums of 16 rows, not of four.
    const SIXTEEN_ROWS: bool;

    /// The dwords of a chunk.
    unsafe fn words(chunk: &Chunk) -> Self::Words;
    /// With these bits of each dword turned.
    unsafe fn flipped(words: Self::Words, bits: u32) -> Self::Words;
    /// The numbers of these bits.
    unsafe fn numbers(words: Self::Words) -> Self;
    /// The numbers of these bits, denormals as zeros of the same sign.
    unsafe fn flushed(words: Self::Words) -> Self;
    /// The numbers of these bits, rounded to 10 bits of mantissa, as `element::xf32`.
    unsafe fn xf32(words: Self::Words) -> Self;
    /// Both halves of each dword, binary16 or bfloat16, the low ones first.
    unsafe fn both<const BF16: bool>(words: Self::Words) -> [Self; 2];
    /// The four bytes of each dword, the lowest first, as [`x86::bytes`].
    unsafe fn bytes<const E5M2: bool>(words: Self::Words) -> [Self; 4];
    /// What [`Sixteen::put_sixes`] are to be multiplied by, of E3M2 or E2M3.
    const SIXES_FACTORS: [f32; 2];
    /// Puts away the 16 elements of three registers that are E3M2 or E2M3, four in every 24 bits, each times `times` if so.
    unsafe fn put_sixes<const E3M2: bool, const MULTIPLIED: bool>(
        registers: [Self::Words; 3],
        times: f32,
        to: *mut Lanes,
    );
    /// Puts away the eight elements of a register that are E2M1, each times `times`.
    unsafe fn put_fours(words: Self::Words, times: f32, to: *mut Lanes);
    /// Zeros.
    unsafe fn zero() -> Self;
    /// 16 numbers in memory, aligned as chunks are, by an instruction that does nothing else.
    unsafe fn load(from: *const f32) -> Self;
    /// Puts them away.
    unsafe fn store(self, to: *mut f32);
    /// Each and that of `other`.
    unsafe fn plus(self, other: Self) -> Self;
    /// Each times `x`.
    unsafe fn times(self, x: f32) -> Self;
    /// Each and the product of the number at `x` and that of `b`, rounded once.
    unsafe fn plus_product(self, x: *const f32, b: Self) -> Self;
    /// Each and the product of those of `a` and `b`, rounded once.
    unsafe fn plus_products(self, a: Self, b: Self) -> Self;
    /// Adds the products along element `k` of K to the sums of `ROWS` rows, whose A is at `numbers`.
    #[inline(always)]
    unsafe fn add_products<const ROWS: usize>(
        sums: &mut [Self; ROWS],
        numbers: *const f32,
        _k: usize,
        b: Self,
    ) {
        // SAFETY: the caller's promise.
        unsafe { each!(16, r => if r < ROWS { sums[r] = sums[r].plus_product(numbers.add(r), b); }) }
    }
    /// The same, times `x`, which is exact for those of `b`, and rounded to binary64 before it is to binary32.
    unsafe fn plus_scaled(self, a: Self, b: Self, x: f32) -> Self;
    /// Whether one is a NaN.
    unsafe fn has_nans(self) -> bool;
    /// [`super::prepare`].
    unsafe fn prepare(regs: &Regs, plan: &Plan, scratch: &mut Scratch, decodes: bool);
    /// [`super::finish`].
    unsafe fn finish(regs: &mut Regs, plan: &Plan, scratch: &mut Scratch);
    /// [`narrow::decode`].
    unsafe fn decode(element: Element, times: f32, units: Units<'_>, to: *mut Lanes);
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

/// What is compiled for a level and done out of the way.
macro_rules! out_of_the_way {
    ($features:literal) => {
        #[inline(always)]
        unsafe fn prepare(regs: &Regs, plan: &Plan, scratch: &mut Scratch, decodes: bool) {
            #[target_feature(enable = $features)]
            #[inline(never)]
            fn body<V: Sixteen>(regs: &Regs, plan: &Plan, scratch: &mut Scratch, decodes: bool) {
                super::prepare::<V>(regs, plan, scratch, decodes);
            }
            // SAFETY: the caller's promise.
            unsafe { body::<Self>(regs, plan, scratch, decodes) }
        }

        #[inline(always)]
        unsafe fn finish(regs: &mut Regs, plan: &Plan, scratch: &mut Scratch) {
            #[target_feature(enable = $features)]
            #[inline(never)]
            fn body<V: Sixteen>(regs: &mut Regs, plan: &Plan, scratch: &mut Scratch) {
                super::finish::<V>(regs, plan, scratch);
            }
            // SAFETY: the caller's promise.
            unsafe { body::<Self>(regs, plan, scratch) }
        }

        #[inline(always)]
        unsafe fn decode(element: Element, times: f32, units: Units<'_>, to: *mut Lanes) {
            #[target_feature(enable = $features)]
            #[inline(never)]
            unsafe fn body<V: Sixteen>(element: Element, times: f32, units: Units<'_>, to: *mut Lanes) {
                // SAFETY: the caller's promise.
                unsafe { narrow::decode::<V>(element, times, units, to) }
            }
            // SAFETY: the caller's promise.
            unsafe { body::<Self>(element, times, units, to) }
        }
    };
}

/// Number `n` of each four.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn nth_of_four(fours: __m512, n: usize) -> __m512 {
    match n {
        0 => _mm512_permute_ps::<0b00_00_00_00>(fours),
        1 => _mm512_permute_ps::<0b01_01_01_01>(fours),
        2 => _mm512_permute_ps::<0b10_10_10_10>(fours),
        _ => _mm512_permute_ps::<0b11_11_11_11>(fours),
    }
}

/// The same four numbers, of which the compiler does not know where they are from: it would load each one instead.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn opaque(mut four: __m512) -> __m512 {
    // SAFETY: it has no instruction.
    unsafe { asm!("/* {0} */", inout(zmm_reg) four, options(pure, nomem, nostack, preserves_flags)) };
    four
}

#[expect(clippy::undocumented_unsafe_blocks, reason = "what the trait asks for is all that they need")]
impl Sixteen for __m512 {
    type Words = __m512i;
    type Host = Avx512;
    const LEVEL: Level = Level::Avx512;
    const SIXTEEN_ROWS: bool = true;

    #[inline(always)]
    unsafe fn words(chunk: &Chunk) -> __m512i {
        unsafe { avx512::row(chunk) }
    }

    #[inline(always)]
    unsafe fn flipped(words: __m512i, bits: u32) -> __m512i {
        unsafe { _mm512_xor_si512(words, _mm512_set1_epi32(bits as i32)) }
    }

    #[inline(always)]
    unsafe fn numbers(words: __m512i) -> __m512 {
        unsafe { _mm512_castsi512_ps(words) }
    }

    #[inline(always)]
    unsafe fn flushed(words: __m512i) -> __m512 {
        unsafe {
            let small = _mm512_testn_epi32_mask(words, _mm512_set1_epi32(0x7f80_0000));
            let sign = _mm512_set1_epi32(i32::MIN);
            _mm512_castsi512_ps(_mm512_mask_and_epi32(words, small, words, sign))
        }
    }

    #[inline(always)]
    unsafe fn xf32(words: __m512i) -> __m512 {
        unsafe {
            let odd = _mm512_and_si512(_mm512_srli_epi32::<13>(words), _mm512_set1_epi32(1));
            let up = _mm512_add_epi32(_mm512_add_epi32(words, _mm512_set1_epi32(0xfff)), odd);
            let number = _mm512_castsi512_ps(words);
            let is_number = _mm512_cmp_ps_mask::<_CMP_ORD_Q>(number, number);
            _mm512_castsi512_ps(_mm512_mask_and_epi32(words, is_number, up, _mm512_set1_epi32(!0x1fff)))
        }
    }

    #[inline(always)]
    unsafe fn both<const BF16: bool>(words: __m512i) -> [__m512; 2] {
        unsafe { x86::both::<BF16>(words) }
    }

    #[inline(always)]
    unsafe fn bytes<const E5M2: bool>(words: __m512i) -> [__m512; 4] {
        unsafe { x86::bytes::<E5M2>(words) }
    }

    // The table has what they stand for.
    const SIXES_FACTORS: [f32; 2] = [1.0; 2];

    #[inline(always)]
    unsafe fn put_sixes<const IS_E3M2: bool, const MULTIPLIED: bool>(
        [first, second, third]: [__m512i; 3],
        times: f32,
        to: *mut Lanes,
    ) {
        const HIGH_HALVES: __mmask32 = 0xaaaa_aaaa;
        let table = if IS_E3M2 { &E3M2 } else { &E2M3 };
        unsafe {
            let factor = _mm512_set1_ps(times);
            let table = [0, 32].map(|from| _mm512_loadu_si512(table.0.as_ptr().add(from).cast()));
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
        }
    }

    #[inline(always)]
    unsafe fn put_fours(codes: __m512i, times: f32, to: *mut Lanes) {
        unsafe {
            // A number for each code.
            let values = _mm512_loadu_ps(mx::E2M1_VALUES.as_ptr());
            let table = _mm512_mul_ps(values, _mm512_set1_ps(times));
            each!(8, n => {
                let code = _mm512_srlv_epi32(codes, _mm512_set1_epi32(4 * n as i32));
                _mm512_storeu_ps(to.add(n).cast(), _mm512_permutexvar_ps(code, table));
            });
        }
    }

    #[inline(always)]
    unsafe fn zero() -> __m512 {
        unsafe { _mm512_setzero_ps() }
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> __m512 {
        // Volatile, for the compiler would have an addition or a multiplication load it.
        unsafe { from.cast::<__m512>().read_volatile() }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        unsafe { _mm512_storeu_ps(to, self) }
    }

    #[inline(always)]
    unsafe fn plus(self, other: __m512) -> __m512 {
        unsafe { _mm512_add_ps(self, other) }
    }

    #[inline(always)]
    unsafe fn times(self, x: f32) -> __m512 {
        unsafe { _mm512_mul_ps(self, _mm512_set1_ps(x)) }
    }

    #[inline(always)]
    unsafe fn plus_product(self, x: *const f32, b: __m512) -> __m512 {
        unsafe { _mm512_fmadd_ps(_mm512_set1_ps(*x), b, self) }
    }

    #[inline(always)]
    unsafe fn plus_products(self, a: __m512, b: __m512) -> __m512 {
        unsafe { _mm512_fmadd_ps(a, b, self) }
    }

    // Half of the numbers are loaded as they are multiplied, the others by four and shuffled: the host has time for that.
    #[inline(always)]
    unsafe fn add_products<const ROWS: usize>(
        sums: &mut [__m512; ROWS],
        numbers: *const f32,
        k: usize,
        b: __m512,
    ) {
        unsafe {
            each!(16, r => if r < ROWS {
                sums[r] = match (r / 4 + k) % 2 == 1 {
                    true => {
                        let four = opaque(_mm512_broadcast_f32x4(_mm_loadu_ps(numbers.add(r / 4 * 4))));
                        _mm512_fmadd_ps(nth_of_four(four, r % 4), b, sums[r])
                    }
                    false => sums[r].plus_product(numbers.add(r), b),
                };
            });
        }
    }

    #[inline(always)]
    unsafe fn plus_scaled(self, a: __m512, b: __m512, x: f32) -> __m512 {
        unsafe {
            let wide = |numbers: __m512| {
                [
                    _mm512_cvtps_pd(_mm512_castps512_ps256(numbers)),
                    _mm512_cvtps_pd(_mm512_extractf32x8_ps::<1>(numbers)),
                ]
            };
            let x = _mm512_set1_pd(x.into());
            let [sums, a, b] = [wide(self), wide(a), wide(b)];
            let mut halves = [_mm256_setzero_ps(); 2];
            each!(2, half => {
                halves[half] = _mm512_cvtpd_ps(_mm512_fmadd_pd(a[half], _mm512_mul_pd(x, b[half]), sums[half]));
            });
            _mm512_insertf32x8::<1>(_mm512_castps256_ps512(halves[0]), halves[1])
        }
    }

    #[inline(always)]
    unsafe fn has_nans(self) -> bool {
        unsafe { _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(self, self) != 0 }
    }

    out_of_the_way!("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c");
}

/// 16 numbers in two registers of AVX2.
pub type Two = [__m256; 2];

/// Of both registers: what `$body` makes of `$x`.
macro_rules! of_both {
    ($x:ident => $body:expr) => {
        [
            {
                let [$x, _] = $x;
                $body
            },
            {
                let [_, $x] = $x;
                $body
            },
        ]
    };
}

#[expect(clippy::undocumented_unsafe_blocks, reason = "what the trait asks for is all that they need")]
impl Sixteen for Two {
    type Words = [__m256i; 2];
    type Host = Avx2;
    const LEVEL: Level = Level::Avx2;
    const SIXTEEN_ROWS: bool = false;

    #[inline(always)]
    unsafe fn words(chunk: &Chunk) -> [__m256i; 2] {
        let words: *const __m256i = chunk.0.as_ptr().cast();
        unsafe { [_mm256_loadu_si256(words), _mm256_loadu_si256(words.add(1))] }
    }

    #[inline(always)]
    unsafe fn flipped(words: [__m256i; 2], bits: u32) -> [__m256i; 2] {
        unsafe { of_both!(words => _mm256_xor_si256(words, _mm256_set1_epi32(bits as i32))) }
    }

    #[inline(always)]
    unsafe fn numbers(words: [__m256i; 2]) -> Two {
        unsafe { of_both!(words => _mm256_castsi256_ps(words)) }
    }

    #[inline(always)]
    unsafe fn flushed(words: [__m256i; 2]) -> Two {
        unsafe {
            let (exponent, sign) = (_mm256_set1_epi32(0x7f80_0000), _mm256_set1_epi32(i32::MIN));
            of_both!(words => {
                let small = _mm256_cmpeq_epi32(_mm256_and_si256(words, exponent), _mm256_setzero_si256());
                let kept = _mm256_or_si256(sign, _mm256_xor_si256(small, _mm256_set1_epi32(-1)));
                _mm256_castsi256_ps(_mm256_and_si256(words, kept))
            })
        }
    }

    #[inline(always)]
    unsafe fn xf32(words: [__m256i; 2]) -> Two {
        unsafe {
            of_both!(words => {
                let odd = _mm256_and_si256(_mm256_srli_epi32::<13>(words), _mm256_set1_epi32(1));
                let up = _mm256_add_epi32(_mm256_add_epi32(words, _mm256_set1_epi32(0xfff)), odd);
                let rounded = _mm256_castsi256_ps(_mm256_and_si256(up, _mm256_set1_epi32(!0x1fff)));
                let number = _mm256_castsi256_ps(words);
                _mm256_blendv_ps(number, rounded, _mm256_cmp_ps::<_CMP_ORD_Q>(number, number))
            })
        }
    }

    #[inline(always)]
    unsafe fn both<const BF16: bool>(words: [__m256i; 2]) -> [Two; 2] {
        let [first, second] = unsafe { of_both!(words => x86::both_of_eight::<BF16>(words)) };
        [[first[0], second[0]], [first[1], second[1]]]
    }

    #[inline(always)]
    unsafe fn bytes<const E5M2: bool>(words: [__m256i; 2]) -> [Two; 4] {
        let [first, second] = unsafe { of_both!(words => x86::bytes_of_eight::<E5M2>(words)) };
        [0, 1, 2, 3].map(|n| [first[n], second[n]])
    }

    // As binary16 of the same bits has them, whose bias is 15, not 3 or 1.
    const SIXES_FACTORS: [f32; 2] = [4096.0, 16384.0];

    #[inline(always)]
    unsafe fn put_sixes<const IS_E3M2: bool, const MULTIPLIED: bool>(
        [first, second, third]: [[__m256i; 2]; 3],
        times: f32,
        to: *mut Lanes,
    ) {
        unsafe {
            let factor = _mm256_set1_ps(times);
            each!(2, eight => {
                let [first, second, third] = [first[eight], second[eight], third[eight]];
                let fours = [
                    first,
                    _mm256_or_si256(_mm256_srli_epi32::<24>(first), _mm256_slli_epi32::<8>(second)),
                    _mm256_or_si256(_mm256_srli_epi32::<16>(second), _mm256_slli_epi32::<16>(third)),
                    _mm256_srli_epi32::<8>(third),
                ];
                each!(4, n => {
                    let four = fours[n];
                    // A code in the low bits of each half.
                    let codes = [
                        _mm256_blend_epi16::<0xaa>(four, _mm256_slli_epi32::<10>(four)),
                        _mm256_blend_epi16::<0xaa>(_mm256_srli_epi32::<12>(four), _mm256_srli_epi32::<2>(four)),
                    ];
                    each!(2, pair => {
                        // Its sign to the highest bit, and as many bits of exponent as it has to the lowest of binary16's.
                        let high = _mm256_slli_epi16::<10>(codes[pair]);
                        let numbers = if IS_E3M2 {
                            _mm256_and_si256(_mm256_srai_epi16::<2>(high), _mm256_set1_epi16(0x9f00_u16 as i16))
                        } else {
                            _mm256_and_si256(_mm256_srai_epi16::<3>(high), _mm256_set1_epi16(0x8f80_u16 as i16))
                        };
                        let numbers = x86::both_of_eight::<false>(numbers);
                        each!(2, half => {
                            let number = if MULTIPLIED { _mm256_mul_ps(numbers[half], factor) } else { numbers[half] };
                            let to = to.add(4 * n + 2 * pair + half).cast::<f32>();
                            _mm256_storeu_ps(to.add(8 * eight), number);
                        });
                    });
                });
            });
        }
    }

    #[inline(always)]
    unsafe fn put_fours(codes: [__m256i; 2], times: f32, to: *mut Lanes) {
        unsafe {
            // A number for each code without a sign.
            let values = _mm256_loadu_ps(mx::E2M1_VALUES.as_ptr());
            let table = _mm256_mul_ps(values, _mm256_set1_ps(times));
            each!(2, eight => each!(8, n => {
                let code = _mm256_srlv_epi32(codes[eight], _mm256_set1_epi32(4 * n as i32));
                let high = _mm256_sllv_epi32(codes[eight], _mm256_set1_epi32(28 - 4 * n as i32));
                let sign = _mm256_and_si256(high, _mm256_set1_epi32(i32::MIN));
                let number = _mm256_xor_ps(_mm256_permutevar8x32_ps(table, code), _mm256_castsi256_ps(sign));
                _mm256_storeu_ps(to.add(n).cast::<f32>().add(8 * eight), number);
            }));
        }
    }

    #[inline(always)]
    unsafe fn zero() -> Two {
        unsafe { [_mm256_setzero_ps(); 2] }
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Two {
        unsafe { [_mm256_loadu_ps(from), _mm256_loadu_ps(from.add(8))] }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        unsafe {
            _mm256_storeu_ps(to, self[0]);
            _mm256_storeu_ps(to.add(8), self[1]);
        }
    }

    #[inline(always)]
    unsafe fn plus(self, other: Two) -> Two {
        unsafe { [_mm256_add_ps(self[0], other[0]), _mm256_add_ps(self[1], other[1])] }
    }

    #[inline(always)]
    unsafe fn times(self, x: f32) -> Two {
        unsafe { [_mm256_mul_ps(self[0], _mm256_set1_ps(x)), _mm256_mul_ps(self[1], _mm256_set1_ps(x))] }
    }

    #[inline(always)]
    unsafe fn plus_product(self, x: *const f32, b: Two) -> Two {
        unsafe {
            let x = _mm256_set1_ps(*x);
            [_mm256_fmadd_ps(x, b[0], self[0]), _mm256_fmadd_ps(x, b[1], self[1])]
        }
    }

    #[inline(always)]
    unsafe fn plus_products(self, a: Two, b: Two) -> Two {
        unsafe { [_mm256_fmadd_ps(a[0], b[0], self[0]), _mm256_fmadd_ps(a[1], b[1], self[1])] }
    }

    #[inline(always)]
    unsafe fn plus_scaled(self, a: Two, b: Two, x: f32) -> Two {
        unsafe {
            let wide = |numbers: __m256| {
                [
                    _mm256_cvtps_pd(_mm256_castps256_ps128(numbers)),
                    _mm256_cvtps_pd(_mm256_extractf128_ps::<1>(numbers)),
                ]
            };
            let x = _mm256_set1_pd(x.into());
            let mut sums = self;
            each!(2, eight => {
                let [of_sums, a, b] = [wide(sums[eight]), wide(a[eight]), wide(b[eight])];
                let mut halves = [_mm_setzero_ps(); 2];
                each!(2, half => {
                    halves[half] = _mm256_cvtpd_ps(_mm256_fmadd_pd(a[half], _mm256_mul_pd(x, b[half]), of_sums[half]));
                });
                sums[eight] = _mm256_set_m128(halves[1], halves[0]);
            });
            sums
        }
    }

    #[inline(always)]
    unsafe fn has_nans(self) -> bool {
        unsafe {
            let nans = _mm256_or_ps(
                _mm256_cmp_ps::<_CMP_UNORD_Q>(self[0], self[0]),
                _mm256_cmp_ps::<_CMP_UNORD_Q>(self[1], self[1]),
            );
            _mm256_movemask_ps(nans) != 0
        }
    }

    out_of_the_way!("avx2,fma,f16c");
}
