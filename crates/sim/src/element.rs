//! Elements of typed buffers: how their bits become registers, and registers their bits.
//!
//! RDNA3 and RDNA4 ISA 9.3: binary32 becomes binary16 by truncation, whatever else is rounded is so to the nearest, ties
//! to even; out of the range of a normalised or scaled format is clamped, a NaN is 0 there. Readings, where the manuals
//! are silent: integers of more bits than there is room for saturate, and floats of 10 and 11 bits are truncated, what is
//! below 0 being 0 (both as Direct3D 11.3 has it, 3.2.3.8 and 3.2.3.4).

use wavemark_isa::buffer_format::{Element, Number};
use wavemark_numerics::f16;

/// What one register of a typed load is, and which component of the memory a typed store's register goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Select {
    /// 0.
    Zero,
    /// 1, as an integer or a float.
    One,
    /// The component of this number.
    Component(u8),
}

impl Select {
    /// A field of a buffer resource: 0, 1, or 4 and the component.
    pub fn of_field(field: u32) -> Select {
        match field & 7 {
            1 => Select::One,
            field @ 4.. => Select::Component(field as u8 - 4),
            _ => Select::Zero,
        }
    }

    /// Each register its own component, as far as there are any.
    pub fn identity(element: &Element) -> [Select; 4] {
        let components = element.components();
        [0, 1, 2, 3].map(|n| if n < components { Select::Component(n as u8) } else { Select::Zero })
    }
}

/// The registers of the lane whose element is `raw`, each 32 bits or, with `d16`, 16.
pub fn load(element: &Element, select: &[Select; 4], d16: bool, raw: &[u8; 16]) -> [u32; 4] {
    let bits = u128::from_le_bytes(*raw);
    let mut at = 0;
    let components = element.widths.map(|width| {
        let field = (bits >> at) as u32 & mask(width);
        at += u32::from(width);
        if width == 0 { 0 } else { decode(element.number, width, field, d16) }
    });
    select.map(|select| match select {
        Select::Zero => 0,
        Select::One => match element.number {
            Number::Uint | Number::Sint => 1,
            _ => real(1.0, d16),
        },
        Select::Component(n) => components[usize::from(n & 3)],
    })
}

/// The element of a lane that stores `registers`; components of the memory that none is for are 0.
pub fn store(element: &Element, select: &[Select; 4], d16: bool, registers: [u32; 4]) -> [u8; 16] {
    let (mut bits, mut at) = (0u128, 0);
    for (n, &width) in element.widths.iter().enumerate().filter(|(_, width)| **width != 0) {
        let from = select.iter().position(|&select| select == Select::Component(n as u8));
        let field = from.map_or(0, |from| encode(element.number, width, registers[from], d16));
        bits |= u128::from(field) << at;
        at += u32::from(width);
    }
    bits.to_le_bytes()
}

fn mask(width: u8) -> u32 {
    u32::MAX.checked_shr(32 - u32::from(width)).unwrap_or(0)
}

/// The largest number of a signed field, as an integer.
fn top(width: u8) -> i64 {
    i64::from(mask(width - 1))
}

fn sign_extend(width: u8, field: u32) -> i64 {
    let shift = 64 - u32::from(width);
    (i64::from(field) << shift) >> shift
}

/// A number as a register holds it.
fn real(x: f64, d16: bool) -> u32 {
    if d16 { f16::from_f64(x).into() } else { (x as f32).to_bits() }
}

fn decode(number: Number, width: u8, field: u32, d16: bool) -> u32 {
    match number {
        Number::Float if width == 32 && d16 => f16::from_f32_toward_zero(f32::from_bits(field)).into(),
        Number::Float if width == 32 => field,
        Number::Float => {
            // One of fewer bits is a binary16 without sign and without its last bits.
            let half = if width == 16 { field } else { field << (15 - width) };
            if d16 { half } else { f16::to_f32(half as u16).to_bits() }
        }
        Number::Uint if d16 => field.min(0xffff),
        Number::Uint => field,
        Number::Sint if d16 => sign_extend(width, field).clamp(-0x8000, 0x7fff) as u32 & 0xffff,
        Number::Sint => sign_extend(width, field) as u32,
        Number::Unorm => real(f64::from(field) / f64::from(mask(width)), d16),
        Number::Snorm => real((sign_extend(width, field) as f64 / top(width) as f64).max(-1.0), d16),
        Number::Uscaled => real(f64::from(field), d16),
        Number::Sscaled => real(sign_extend(width, field) as f64, d16),
    }
}

fn encode(number: Number, width: u8, register: u32, d16: bool) -> u32 {
    let register = if d16 { register & 0xffff } else { register };
    let x = || if d16 { f16::to_f32(register as u16) } else { f32::from_bits(register) };
    let scaled = |low: f64, high: f64, by: f64| {
        let x = f64::from(x());
        let clamped = if x.is_nan() { 0.0 } else { x.clamp(low, high) };
        (clamped * by).round_ties_even() as i64 as u32 & mask(width)
    };
    let all = f64::from(mask(width));
    match number {
        Number::Float if width == 32 => x().to_bits(),
        Number::Float => {
            let half = if d16 { register } else { f16::from_f32_toward_zero(x()).into() };
            match width {
                16 => half,
                _ if half & 0x8000 != 0 && !f16::is_nan(half as u16) => 0,
                _ => (half & 0x7fff) >> (15 - width),
            }
        }
        Number::Uint => register.min(mask(width)),
        Number::Sint => {
            let signed = if d16 { i64::from(register as i16) } else { i64::from(register as i32) };
            signed.clamp(-top(width) - 1, top(width)) as u32 & mask(width)
        }
        Number::Unorm => scaled(0.0, 1.0, all),
        Number::Snorm => scaled(-1.0, 1.0, top(width) as f64),
        Number::Uscaled => scaled(0.0, all, 1.0),
        Number::Sscaled => scaled(-top(width) as f64 - 1.0, top(width) as f64, 1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NUMBERS: [Number; 7] = [
        Number::Unorm,
        Number::Snorm,
        Number::Uscaled,
        Number::Sscaled,
        Number::Uint,
        Number::Sint,
        Number::Float,
    ];

    /// What a load gives, a store takes back: for every field of up to 16 bits. -2^n of a signed normalised format is
    /// -1 as its neighbour is; a signalling NaN becomes a quiet one.
    #[test]
    fn stores_invert_loads() {
        for width in [2u8, 8, 10, 11, 16] {
            for number in NUMBERS {
                if number == Number::Float && width < 10 {
                    continue;
                }
                for field in 0..=mask(width) {
                    let twin = number == Number::Snorm && sign_extend(width, field) == -top(width) - 1;
                    let wanted = if twin { field + 1 } else { field };
                    let got = encode(number, width, decode(number, width, field, false), false);
                    let half = |x: u32| if width == 16 { x } else { x << (15 - width) } as u16;
                    let nan = number == Number::Float && f16::is_nan(half(field));
                    assert!(
                        got == wanted || nan && f16::is_nan(half(got)),
                        "{number:?} {width} {field:#x} {got:#x}"
                    );
                }
            }
        }
    }
}
