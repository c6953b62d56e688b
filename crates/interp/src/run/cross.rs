//! Values of other lanes: DPP, permutations, ballots, reads of one lane.
//!
//! Follows the ISA manuals' descriptions of the instructions that LLVM makes of them: CDNA4 and CDNA5, "DPP", "DS_PERMUTE",
//! "V_PERMLANE16".

use wavemark_ir::opcode::{FloatPredicate, IntPredicate};
use wavemark_sim::machine::permute::swizzle_source;

use crate::arith;
use crate::lanes::{Active, Frame, Pool, Shadow, Src, each};
use crate::meaning::Cross;
use crate::shape::mask;

/// The lane that a lane reads by a DPP control; `None`: none.
pub fn dpp_source(control: u32, lane: usize, lanes: usize) -> Option<usize> {
    let (row, at) = (lane & !15, lane & 15);
    let n = (control & 15) as usize;
    match control {
        0..=0xff => Some((lane & !3) | (control >> (2 * (lane & 3)) & 3) as usize),
        0x101..=0x10f => (at + n < 16).then(|| lane + n),
        0x111..=0x11f => at.checked_sub(n).map(|at| row + at),
        0x121..=0x12f => Some(row + (at + 16 - n) % 16),
        0x130 => (lane + 1 < lanes).then(|| lane + 1),
        0x134 => Some((lane + 1) % lanes),
        0x138 => lane.checked_sub(1),
        0x13c => Some((lane + lanes - 1) % lanes),
        0x140 => Some(row + 15 - at),
        0x141 => Some((lane & !7) + 7 - (lane & 7)),
        0x142 => row.checked_sub(1),
        0x143 => (lane >= 32).then_some(31),
        0x150..=0x15f => Some(row + n),
        0x160..=0x16f => Some(lane ^ n),
        _ => None,
    }
}

/// What a lane receives.
enum Gets {
    /// The word of a lane of operand number so many.
    Lane(usize, usize),
    /// A word that all know.
    Word(u64),
}

/// Executes an operation across lanes. `exists` are the lanes that the wave has.
pub fn cross(
    frame: &mut Frame,
    pool: &Pool,
    active: Active,
    lanes: usize,
    cross: Cross,
    to: u32,
    from: &[Src],
    bits: u32,
    immediates: [u64; 4],
    within_32: bool,
) {
    let on = |lane: usize| active.mask >> lane & 1 != 0;
    let word = |frame: &Frame, operand: usize, lane: usize| frame.get(pool, from[operand])[lane];
    let first = active.mask.trailing_zeros() as usize % 64;
    let ballot = |frame: &Frame, holds: &dyn Fn(usize) -> bool| -> (u64, Shadow) {
        let known = from.iter().fold(Shadow::default(), |all, &src| all.or(frame.shadow(pool, src)));
        let known = known.in_lanes(active.mask);
        let spread = |lanes: u64| if lanes == 0 { 0 } else { u64::MAX };
        let set = each(active.mask).filter(|&lane| holds(lane)).fold(0, |all, lane| all | 1 << lane);
        (set, Shadow { poison: spread(known.poison), undef: spread(known.undef) })
    };
    let all_the_same = |frame: &mut Frame, value: u64, shadow: Shadow| {
        frame.fill(to, value, active);
        frame.set_shadow(to, shadow, active);
    };
    match cross {
        Cross::Ballot => {
            let (value, shadow) = ballot(frame, &|lane| word(frame, 0, lane) & 1 != 0);
            return all_the_same(frame, value, shadow);
        }
        Cross::ICmp | Cross::FCmp => {
            let (a, b) = (from[0], from[1]);
            let number = immediates[0];
            let (value, shadow) = ballot(frame, &|lane| {
                let (a, b) = (frame.get(pool, a)[lane], frame.get(pool, b)[lane]);
                match cross {
                    Cross::ICmp => int_predicate(number).is_some_and(|p| p.holds(bits, a, b)),
                    _ => float_predicate(number).is_some_and(|p| {
                        let format = match bits {
                            16 => wavemark_ir::float::Format::Half,
                            32 => wavemark_ir::float::Format::Float,
                            _ => wavemark_ir::float::Format::Double,
                        };
                        arith::compare_floats(p, arith::value(format, a), arith::value(format, b))
                    }),
                }
            });
            return all_the_same(frame, value, shadow);
        }
        Cross::WaveReduce { max } => {
            let values = each(active.mask).map(|lane| word(frame, 0, lane));
            let value = if max { values.max() } else { values.min() };
            let (_, shadow) = ballot(frame, &|_| false);
            return all_the_same(frame, value.unwrap_or(0), shadow);
        }
        Cross::PermLane16Swap | Cross::PermLane32Swap => {
            let half = if cross == Cross::PermLane32Swap { 32 } else { 16 };
            // Odd parts of the first change with even parts of the second.
            let odd = |lane: usize| lane & half != 0;
            let gets = |second: bool| {
                move |lane: usize| match (second, odd(lane)) {
                    (false, true) => Gets::Lane(1, lane - half),
                    (true, false) => Gets::Lane(0, lane + half),
                    (second, _) => Gets::Lane(usize::from(second), lane),
                }
            };
            receive(frame, pool, active, lanes, to, from, gets(false));
            return receive(frame, pool, active, lanes, to + 1, from, gets(true));
        }
        _ => {}
    }
    // Which lane each reads: decided before anything is written.
    let mut sources: [Option<(usize, usize)>; 64] = [None; 64];
    let mut constant = [0; 64];
    for lane in each(active.mask) {
        let reach = if within_32 { 32 } else { lanes };
        let own = lane & !(reach - 1);
        sources[lane] = match cross {
            Cross::ReadFirstLane => Some((0, first)),
            Cross::ReadLane => Some((0, word(frame, 1, first) as usize % lanes)),
            Cross::WriteLane => {
                let chosen = word(frame, 1, first) as usize % lanes;
                Some(if lane == chosen { (0, first) } else { (2, lane) })
            }
            Cross::InverseBallot => {
                constant[lane] = word(frame, 0, first) >> lane & 1;
                None
            }
            Cross::Bpermute => {
                let source = own + (word(frame, 0, lane) >> 2) as usize % reach;
                on(source).then_some((1, source))
            }
            Cross::Permute => {
                // The last of those that send to it.
                let to_me = |&from: &usize| {
                    from & !(reach - 1) == own && (word(frame, 0, from) >> 2) as usize % reach + own == lane
                };
                each(active.mask).filter(to_me).last().map(|source| (1, source))
            }
            Cross::Swizzle => {
                let source = swizzle_source(immediates[0] as u32, lane as u32) as usize;
                on(source).then_some((0, source))
            }
            Cross::MovDpp | Cross::UpdateDpp => {
                let value = from.len() - 1;
                let [control, rows, banks, zero] = immediates;
                let enabled = rows >> (lane / 16) & 1 != 0 && banks >> (lane / 4 % 4) & 1 != 0;
                let source = dpp_source(control as u32, lane, lanes).filter(|&source| on(source));
                match (enabled, source) {
                    (true, Some(source)) => Some((value, source)),
                    // Without an old value, what stays is nothing; 0 then.
                    (true, None) if zero != 0 => None,
                    _ if cross == Cross::UpdateDpp => Some((0, lane)),
                    _ => None,
                }
            }
            Cross::MovDpp8 => {
                let source = (lane & !7) + (immediates[0] >> (3 * (lane & 7)) & 7) as usize;
                on(source).then_some((0, source))
            }
            Cross::PermLane16(other) => {
                let nibble = |at: usize| {
                    let half = if at < 8 { 2 } else { 3 };
                    (word(frame, half, first) >> (4 * (at % 8)) & 15) as usize
                };
                let row = if other { lane & !15 ^ 16 } else { lane & !15 };
                let source = row + nibble(lane & 15);
                let [fetch_inactive, bound_control, ..] = immediates;
                if on(source) || fetch_inactive != 0 {
                    Some((1, source))
                } else if bound_control != 0 {
                    None
                } else {
                    Some((0, lane))
                }
            }
            Cross::PermLane64 => {
                let source = (lane + 32) % lanes;
                on(source).then_some((0, source))
            }
            // Whole-wave mode is not modelled: every lane is active.
            Cross::SetInactive => Some((0, lane)),
            Cross::Ballot
            | Cross::ICmp
            | Cross::FCmp
            | Cross::WaveReduce { .. }
            | Cross::PermLane16Swap
            | Cross::PermLane32Swap => None,
        };
    }
    // What chose the lanes must be known as well.
    let chosen_by = match cross {
        Cross::ReadLane | Cross::WriteLane => Some((from[1], true)),
        Cross::InverseBallot => Some((from[0], true)),
        Cross::Bpermute | Cross::Permute => Some((from[0], false)),
        _ => None,
    };
    let mut choice = Shadow::default();
    if let Some((src, uniform)) = chosen_by {
        choice = frame.shadow(pool, src).in_lanes(active.mask);
        if uniform {
            let spread = |lanes: u64| if lanes >> first & 1 == 0 { 0 } else { u64::MAX };
            choice = Shadow { poison: spread(choice.poison), undef: spread(choice.undef) };
        }
    }
    receive(frame, pool, active, lanes, to, from, |lane| match sources[lane] {
        Some((operand, source)) => Gets::Lane(operand, source),
        None => Gets::Word(constant[lane] & mask(bits.max(1))),
    });
    if choice.any() != 0 {
        let shadow = frame.shadow(pool, Src::register(to)).or(choice);
        frame.set_shadow(to, shadow, active);
    }
}

fn receive(
    frame: &mut Frame,
    pool: &Pool,
    active: Active,
    lanes: usize,
    to: u32,
    from: &[Src],
    gets: impl Fn(usize) -> Gets,
) {
    let (mut words, mut shadow, mut undefined) = ([0; 64], Shadow::default(), [0; 64]);
    for lane in each(active.mask) {
        match gets(lane) {
            Gets::Lane(operand, source) if source < lanes => {
                words[lane] = frame.get(pool, from[operand])[source];
                let known = frame.shadow(pool, from[operand]);
                shadow.poison |= (known.poison >> source & 1) << lane;
                shadow.undef |= (known.undef >> source & 1) << lane;
                undefined[lane] = frame.undefined(pool, from[operand], source);
            }
            Gets::Lane(..) => {}
            Gets::Word(word) => words[lane] = word,
        }
    }
    let place = frame.words_mut(to);
    each(active.mask).for_each(|lane| place[lane] = words[lane]);
    frame.set_shadow(to, shadow, active);
    if shadow.undef != 0 {
        frame.set_undefined(to, &undefined, active);
    }
}

/// The predicate of a number of `llvm.amdgcn.icmp`.
fn int_predicate(number: u64) -> Option<IntPredicate> {
    use IntPredicate::*;
    let at = usize::try_from(number.checked_sub(32)?).ok()?;
    [Eq, Ne, Ugt, Uge, Ult, Ule, Sgt, Sge, Slt, Sle].get(at).copied()
}

/// The predicate of a number of `llvm.amdgcn.fcmp`.
fn float_predicate(number: u64) -> Option<FloatPredicate> {
    use FloatPredicate::*;
    let all = [False, Oeq, Ogt, Oge, Olt, Ole, One, Ord, Uno, Ueq, Ugt, Uge, Ult, Ule, Une, True];
    all.get(usize::try_from(number).ok()?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dpp_controls() {
        assert_eq!(dpp_source(0b00_01_10_11, 4, 64), Some(7));
        assert_eq!((dpp_source(0x101, 15, 64), dpp_source(0x101, 3, 64)), (None, Some(4)));
        assert_eq!((dpp_source(0x111, 16, 64), dpp_source(0x112, 18, 64)), (None, Some(16)));
        assert_eq!(dpp_source(0x121, 16, 64), Some(31));
        assert_eq!((dpp_source(0x140, 17, 64), dpp_source(0x141, 9, 64)), (Some(30), Some(14)));
        assert_eq!((dpp_source(0x142, 5, 64), dpp_source(0x142, 40, 64)), (None, Some(31)));
        assert_eq!((dpp_source(0x143, 40, 64), dpp_source(0x160 | 5, 2, 32)), (Some(31), Some(7)));
    }
}
