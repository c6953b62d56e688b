//! `ds_swizzle_b32` offsets: a number or a pattern.

use crate::parse::{ParseError, Parser};
use crate::swizzle::has_wide_modes;

/// A `ds_swizzle_b32` offset: a number or `swizzle(MODE, …)`.
pub(super) fn parse(p: &mut Parser) -> Result<i32, ParseError> {
    p.skip_space();
    let start = p.pos;
    if p.peek_word() != "swizzle" {
        let value = p.absolute()?;
        return u16::try_from(value)
            .map(i32::from)
            .map_err(|_| p.error_at(start, "expected a 16-bit offset"));
    }
    p.word();
    p.expect("(")?;
    p.skip_space();
    let at = p.pos;
    let mode = p.word();
    if matches!(mode, "FFT" | "ROTATE") && !has_wide_modes(p.machine) {
        return Err(p.error_at(at, format!("{mode} mode swizzle not supported on this GPU")));
    }
    let offset = match mode {
        "QUAD_PERM" => {
            let mut bits = 0x8000;
            for lane in 0..4 {
                bits |= swizzle_number(p, 0, 3, "expected a 2-bit lane id")? << (2 * lane);
            }
            bits
        }
        "BROADCAST" => {
            let group = swizzle_number(p, 2, 32, "group size must be in the interval [2,32]")?;
            power_of_two(p, group)?;
            let lane = swizzle_number(p, 0, group - 1, "lane id must be in the interval [0,group size - 1]")?;
            (32 - group) | lane << 5
        }
        "SWAP" => {
            let group = swizzle_number(p, 1, 16, "group size must be in the interval [1,16]")?;
            power_of_two(p, group)?;
            31 | group << 10
        }
        "REVERSE" => {
            let group = swizzle_number(p, 2, 32, "group size must be in the interval [2,32]")?;
            power_of_two(p, group)?;
            31 | (group - 1) << 10
        }
        "BITMASK_PERM" => {
            p.expect(",")?;
            bitmask(p)?
        }
        "FFT" => 0xe000 | swizzle_number(p, 0, 31, "FFT swizzle must be in the interval [0,31]")?,
        "ROTATE" => {
            let direction = swizzle_number(p, 0, 1, "direction must be 0 (left) or 1 (right)")?;
            let size =
                swizzle_number(p, 0, 31, "number of threads to rotate must be in the interval [0,31]")?;
            0xc000 | direction << 10 | size << 5
        }
        _ => return Err(p.error_at(at, "expected a swizzle mode")),
    };
    p.expect(")")?;
    Ok(offset)
}

fn swizzle_number(p: &mut Parser, low: i32, high: i32, message: &str) -> Result<i32, ParseError> {
    p.expect(",")?;
    p.skip_space();
    let start = p.pos;
    let value = p.absolute()?;
    if (i64::from(low)..=i64::from(high)).contains(&value) {
        Ok(value as i32)
    } else {
        Err(p.error_at(start, message))
    }
}

fn power_of_two(p: &Parser, value: i32) -> Result<(), ParseError> {
    if value.count_ones() == 1 { Ok(()) } else { Err(p.error("group size must be a power of two")) }
}

/// A quoted pattern of five `0`, `1`, `p` (preserve), `i` (invert), most significant bit first.
fn bitmask(p: &mut Parser) -> Result<i32, ParseError> {
    p.skip_space();
    let start = p.pos;
    let wrong = |p: &Parser| p.error_at(start, "expected a 5-character mask");
    let text = p.rest().strip_prefix('"').and_then(|rest| rest.split_once('"')).map(|(text, _)| text);
    let text = text.filter(|text| text.len() == 5).ok_or_else(|| wrong(p))?;
    let (mut and, mut or, mut xor) = (0, 0, 0);
    for (n, letter) in text.bytes().enumerate() {
        let bit = 1 << (4 - n);
        match letter {
            b'0' => {}
            b'1' => or |= bit,
            b'p' => and |= bit,
            b'i' => {
                and |= bit;
                xor |= bit;
            }
            _ => return Err(p.error_at(start, "invalid mask")),
        }
    }
    p.pos = start + 7;
    Ok(and | or << 5 | xor << 10)
}
