//! Units of A and B, a dword of each of 16 lanes or a decoded vector, and how they become numbers.

use super::super::host::{Lanes, x86};
use super::vector::Sixteen;
use crate::regs::Chunk;

/// How the elements of a unit, which is a dword of each of 16 lanes or a decoded vector, become numbers in `V`.
pub trait Unit<V: Sixteen>: 'static {
    /// Elements of a unit.
    const ELEMENTS: usize;
    /// Units are decoded vectors.
    const DECODED: bool = false;
    /// A and B are both converted, in the order of K ([`super::narrow`]).
    const IN_ORDER: bool = false;
    /// A's units are numbers where they are.
    const IN_PLACE: bool = Self::DECODED;

    /// A unit of A, converted, with its denormals as zeros if it is to be flushed.
    ///
    /// # Safety
    /// The host must have the level of `V`; `to` is to as many vectors as the unit has elements.
    #[inline(always)]
    unsafe fn a(words: &Chunk, flush: bool, to: *mut Lanes) {
        // SAFETY: the caller's promise.
        unsafe {
            let numbers = Self::b(V::words(words), flush);
            put(&numbers[..Self::ELEMENTS], to);
        }
    }

    /// A unit of B; of the numbers, the first [`Unit::ELEMENTS`].
    ///
    /// # Safety
    /// The host must have the level of `V`.
    unsafe fn b(words: V::Words, flush: bool) -> [V; 4];
}

/// Puts `vectors` away.
///
/// # Safety
/// The host must have the level of `V`; `to` is to so many vectors.
#[inline(always)]
unsafe fn put<V: Sixteen>(vectors: &[V], to: *mut Lanes) {
    for (n, vector) in vectors.iter().enumerate() {
        // SAFETY: the caller's promise.
        unsafe { vector.store(to.add(n).cast()) }
    }
}

/// binary32.
pub struct Words;

impl<V: Sixteen> Unit<V> for Words {
    const ELEMENTS: usize = 1;
    const IN_PLACE: bool = true;

    #[inline(always)]
    unsafe fn b(words: V::Words, flush: bool) -> [V; 4] {
        // SAFETY: the caller's promise.
        unsafe { [if flush { V::flushed(words) } else { V::numbers(words) }; 4] }
    }
}

/// binary32, rounded to 10 bits of mantissa.
pub struct Xf32;

impl<V: Sixteen> Unit<V> for Xf32 {
    const ELEMENTS: usize = 1;

    #[inline(always)]
    unsafe fn b(words: V::Words, _flush: bool) -> [V; 4] {
        // SAFETY: the caller's promise.
        unsafe { [V::xf32(words); 4] }
    }
}

/// A decoded vector.
pub struct Decoded;

impl<V: Sixteen> Unit<V> for Decoded {
    const ELEMENTS: usize = 1;
    const DECODED: bool = true;

    #[inline(always)]
    unsafe fn b(words: V::Words, _flush: bool) -> [V; 4] {
        // SAFETY: the caller's promise.
        unsafe { [V::numbers(words); 4] }
    }
}

/// A decoded vector of an A and a B that are so in the order of K.
pub struct InOrder;

impl<V: Sixteen> Unit<V> for InOrder {
    const ELEMENTS: usize = 1;
    const IN_ORDER: bool = true;

    #[inline(always)]
    unsafe fn b(words: V::Words, _flush: bool) -> [V; 4] {
        // SAFETY: the caller's promise.
        unsafe { [V::numbers(words); 4] }
    }
}

/// binary16.
pub struct F16;

impl<V: Sixteen> Unit<V> for F16 {
    const ELEMENTS: usize = 2;

    #[inline(always)]
    unsafe fn b(words: V::Words, _flush: bool) -> [V; 4] {
        // SAFETY: the caller's promise.
        let [low, high] = unsafe { V::both::<false>(words) };
        [low, high, low, high]
    }
}

/// bfloat16.
pub struct Bf16;

impl<V: Sixteen> Unit<V> for Bf16 {
    const ELEMENTS: usize = 2;

    #[inline(always)]
    unsafe fn b(words: V::Words, _flush: bool) -> [V; 4] {
        // SAFETY: the caller's promise.
        let [low, high] = unsafe { V::both::<true>(words) };
        [low, high, low, high]
    }
}

/// FP8 and BF8, A of E5M2 or E4M3, and B. The factor that makes E4M3 of B what it stands for is in A.
pub struct Bytes<const A_E5M2: bool, const B_E5M2: bool>;

impl<V: Sixteen, const A_E5M2: bool, const B_E5M2: bool> Unit<V> for Bytes<A_E5M2, B_E5M2> {
    const ELEMENTS: usize = 4;

    #[inline(always)]
    unsafe fn a(words: &Chunk, _flush: bool, to: *mut Lanes) {
        // SAFETY: the caller's promise.
        unsafe {
            let mut numbers = V::bytes::<A_E5M2>(V::words(words));
            if !(A_E5M2 && B_E5M2) {
                let factor = x86::bytes_factor(A_E5M2) * x86::bytes_factor(B_E5M2);
                numbers = numbers.map(|x| x.times(factor));
            }
            put(&numbers, to);
        }
    }

    #[inline(always)]
    unsafe fn b(words: V::Words, _flush: bool) -> [V; 4] {
        // SAFETY: the caller's promise.
        unsafe { V::bytes::<B_E5M2>(words) }
    }
}
