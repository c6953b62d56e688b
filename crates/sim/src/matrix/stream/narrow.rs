//! Elements of 8, 6 and 4 bits where A and B have different types, or scales: both are decoded in the order of K, those of 6 and
//! 4 bits by tables that the host permutes, or by way of binary16.

use super::super::element::Element;
use super::super::host::{Lanes, x86};
use super::each;
use super::vector::Sixteen;
use crate::regs::Chunk;

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
pub fn factor<V: Sixteen>(element: Element) -> f32 {
    match element {
        Element::E4m3 | Element::E5m2 => x86::bytes_factor(element == Element::E5m2),
        Element::E3m2 => V::SIXES_FACTORS[0],
        Element::E2m3 => V::SIXES_FACTORS[1],
        _ => 1.0,
    }
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
/// The host must have the level of `V`; there must be registers, and `to` is to as many vectors as there are elements.
#[inline(always)]
pub unsafe fn decode<V: Sixteen>(element: Element, times: f32, units: Units<'_>, to: *mut Lanes) {
    // SAFETY: the caller's promise.
    unsafe {
        match (element, times != 1.0) {
            (Element::E4m3, false) => bytes::<V, false, false>(times, units, to),
            (Element::E4m3, true) => bytes::<V, false, true>(times, units, to),
            (Element::E5m2, false) => bytes::<V, true, false>(times, units, to),
            (Element::E5m2, true) => bytes::<V, true, true>(times, units, to),
            (Element::E2m3, false) => sixes::<V, false, false>(times, units, to),
            (Element::E2m3, true) => sixes::<V, false, true>(times, units, to),
            (Element::E3m2, false) => sixes::<V, true, false>(times, units, to),
            (Element::E3m2, true) => sixes::<V, true, true>(times, units, to),
            (Element::E2m1, _) => fours::<V>(times, units, to),
            _ => {}
        }
    }
}

/// What a register holds.
///
/// # Safety
/// The host must have the level of `V`; there must be a register.
#[inline(always)]
unsafe fn words<V: Sixteen>(register: *const u8) -> V::Words {
    // SAFETY: the caller's promise; registers are chunks.
    unsafe { V::words(&*register.cast::<Chunk>()) }
}

/// FP8 and BF8.
///
/// # Safety
/// As [`decode`].
#[inline(always)]
unsafe fn bytes<V: Sixteen, const E5M2: bool, const MULTIPLIED: bool>(
    times: f32,
    units: Units<'_>,
    mut to: *mut Lanes,
) {
    // SAFETY: the caller's promise.
    unsafe {
        for register in units.registers() {
            let numbers = V::bytes::<E5M2>(words::<V>(register));
            each!(4, n => {
                let number = if MULTIPLIED { numbers[n].times(times) } else { numbers[n] };
                number.store(to.add(n).cast());
            });
            to = to.add(4);
        }
    }
}

/// FP6 and BF6: three registers hold 16 of each lane.
///
/// # Safety
/// As [`decode`].
#[inline(always)]
unsafe fn sixes<V: Sixteen, const E3M2: bool, const MULTIPLIED: bool>(
    times: f32,
    units: Units<'_>,
    mut to: *mut Lanes,
) {
    // SAFETY: the caller's promise.
    unsafe {
        for register in units.registers() {
            let registers = [0, 1, 2].map(|n| words::<V>(register.add(n * units.register)));
            V::put_sixes::<E3M2, MULTIPLIED>(registers, times, to);
            to = to.add(16);
        }
    }
}

/// FP4.
///
/// # Safety
/// As [`decode`].
#[inline(always)]
unsafe fn fours<V: Sixteen>(times: f32, units: Units<'_>, mut to: *mut Lanes) {
    // SAFETY: the caller's promise.
    unsafe {
        for register in units.registers() {
            V::put_fours(words::<V>(register), times, to);
            to = to.add(8);
        }
    }
}
