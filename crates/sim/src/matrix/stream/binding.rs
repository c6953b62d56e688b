//! What a product goes along, known once its plan is.

use super::super::host::Step;
use super::super::plan::{AddendFrom, Factor, Plan, Stream};
use super::{decoding_body, direct_body, in_order_body, narrow, scaled_body};
use crate::alu::Level;
use crate::op::Body;

/// How a product takes A and B.
#[derive(Clone, Copy)]
enum Taken {
    /// Decoded.
    Decoded,
    /// As they are in the registers, so many elements a dword.
    Dwords(usize),
    /// Decoded in the order of K, units of so many elements of each.
    InOrder([usize; 2]),
}

/// What a product goes along at a level, and its body; `None` if it has another there.
pub fn bind(plan: &Plan, level: Level) -> Option<(Stream, Body)> {
    let at_once = plan.steps.len().min(16);
    let elements = [plan.a.element, plan.b.element];
    let in_order = || {
        let units = [narrow::unit_of(elements[0])?, narrow::unit_of(elements[1])?];
        along(plan, Taken::InOrder(units))
    };
    if let Some(scales) = &plan.scales {
        return Some((in_order()?, scaled_body(scales.block, level)?));
    }
    // A tile's D must not be a later one's A or B.
    let written = |at: usize| plan.d_rows.iter().any(|place| plan.d + place.chunk as usize == at);
    let overwritten = |factor: &Factor| {
        let registers = (factor.items * factor.element.bits()).div_ceil(32);
        plan.direct && (factor.at..factor.at + registers * plan.chunks).any(written)
    };
    if !overwritten(&plan.a)
        && !overwritten(&plan.b)
        && let Some(body) = direct_body(elements, at_once, level)
        && let Some(stream) = along(plan, Taken::Dwords(32 / elements[0].bits()))
    {
        return Some((stream, body));
    }
    if at_once == 16
        && let Some(body) = in_order_body(level)
        && let Some(stream) = in_order()
    {
        return Some((stream, body));
    }
    Some((along(plan, Taken::Decoded)?, decoding_body(at_once, level)?))
}

/// What a product goes along that takes A and B so; `None` if their elements do not follow each other along K there, or the rows
/// of C or D in no way that a stream has.
fn along(plan: &Plan, taken: Taken) -> Option<Stream> {
    let [blocks, rows, columns] = plan.tiles;
    let k = plan.steps.len();
    let at_once = k.min(16);
    let passes = if plan.scales.is_some() { 1 } else { k / at_once };
    let in_place = match taken {
        Taken::Decoded => true,
        Taken::Dwords(elements) => elements == 1 && plan.a.element == super::Element::F32,
        Taken::InOrder(_) => false,
    };
    let negates = |item: usize| plan.a.negate[item] != plan.b.negate[item];
    let mut stream = Stream {
        passes,
        in_registers: plan.direct && matches!(plan.c.from, AddendFrom::Registers(_)),
        flip: match taken {
            Taken::Decoded | Taken::InOrder(_) => 0,
            Taken::Dwords(2) => u32::from(negates(0)) << 15 | u32::from(negates(1)) << 31,
            Taken::Dwords(_) => u32::from(negates(0)) << 31,
        },
        ..Stream::default()
    };
    let of_a = |block, row| units(plan, &plan.a, taken, 0, [block, row]);
    let of_b = |block, column| units(plan, &plan.b, taken, 1, [block, column]);
    let [mut convert, mut convert_b, mut a, mut b] = [const { Vec::new() }; 4];
    match taken {
        // Where they are from A's first chunk on.
        Taken::Dwords(_) if in_place => {
            let chunks = plan.a.items * plan.chunks;
            convert.extend((0..chunks).map(|chunk| 64 * (plan.a.at + chunk) as u32));
        }
        Taken::Decoded => {}
        Taken::Dwords(_) | Taken::InOrder(_) => {
            for tile in 0..blocks * rows {
                convert.extend(of_a(tile / rows, tile % rows)?);
            }
        }
    }
    let [mut c, mut d] = [RowOffsets::default(), RowOffsets::default()];
    for tile in 0..blocks * columns {
        let (block, column) = (tile / columns, tile % columns);
        let units_of_b = of_b(block, column)?;
        for pass in 0..passes {
            if plan.scales.is_none() {
                let taken_at = pass * at_once;
                match taken {
                    Taken::InOrder(_) => {
                        b.extend((0..at_once).map(|n| 64 * (tile * k + taken_at + n) as u32))
                    }
                    Taken::Decoded => b.extend(&units_of_b[taken_at..][..at_once]),
                    Taken::Dwords(elements) => {
                        b.extend(&units_of_b[taken_at / elements..][..at_once / elements]);
                    }
                }
            }
            for row in block * rows..(block + 1) * rows {
                if in_place {
                    a.extend(&of_a(block, row % rows)?[pass * at_once..][..at_once]);
                } else {
                    a.push(64 * (row * k + pass * at_once) as u32);
                }
                let first = 16 * (row * columns + column);
                let of_d = |r: usize| match plan.direct {
                    true => plan.d + usize::from(plan.d_rows[first + r].chunk),
                    false => first + r,
                };
                c.push(|r| match plan.c.from {
                    _ if !plan.direct => of_d(r),
                    AddendFrom::Registers(at) => at + usize::from(plan.c_rows[first + r].chunk),
                    AddendFrom::Constant(_) => 0,
                })?;
                d.push(of_d)?;
            }
        }
        if matches!(taken, Taken::InOrder(_)) {
            convert_b.extend(units_of_b);
        }
    }
    stream.apart = [c.apart, d.apart];
    [stream.c, stream.d] = [c.offsets, d.offsets].map(Vec::into_boxed_slice);
    [stream.convert, stream.convert_b, stream.a, stream.b] =
        [convert, convert_b, a, b].map(Vec::into_boxed_slice);
    Some(stream)
}

/// Offsets of every fourth row of C or D.
#[derive(Default)]
struct RowOffsets {
    offsets: Vec<u32>,
    /// From a row to the next one.
    apart: usize,
}

impl RowOffsets {
    /// Adds 16 rows, which are in these chunks.
    fn push(&mut self, chunk: impl Fn(usize) -> usize) -> Option<()> {
        if self.offsets.is_empty() {
            self.apart = 64 * chunk(1).checked_sub(chunk(0))?;
        }
        for four in [0, 4, 8, 12] {
            let first = 64 * chunk(four);
            if (1..4).any(|r| 64 * chunk(four + r) != first + r * self.apart) {
                return None;
            }
            self.offsets.push(first as u32);
        }
        Some(())
    }
}

/// The offsets of the units along K of 16 rows of A or (`which` is 1) 16 columns of B.
fn units(
    plan: &Plan,
    factor: &Factor,
    taken: Taken,
    which: usize,
    [block, tile]: [usize; 2],
) -> Option<Vec<u32>> {
    let from = block * factor.block_stride + tile * factor.tile_stride;
    let vector = |step: &Step| from + usize::from([step.a, step.b][which]);
    let elements = match taken {
        Taken::Decoded => return Some(plan.steps.iter().map(|step| 64 * vector(step) as u32).collect()),
        Taken::Dwords(elements) => elements,
        Taken::InOrder(elements) => elements[which],
    };
    let chunks = plan.chunks;
    let unit = |steps: &[Step]| {
        let first = vector(&steps[0]);
        let (item, chunk) = (first / chunks, first % chunks);
        let follow = steps.iter().enumerate().all(|(n, step)| vector(step) == first + n * chunks);
        if item % elements != 0 || steps.len() != elements || !follow {
            return None;
        }
        let register = item * factor.element.bits() / 32;
        Some(64 * (factor.at + register * chunks + usize::from(factor.from[chunk])) as u32)
    };
    plan.steps.chunks(elements).map(unit).collect()
}
