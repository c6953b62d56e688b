//! Copies that stand before the read of what they overwrite.
//!
//! A copy and another wave's read of its bytes, behind it, that nothing orders: either a barrier is missing and the read
//! is of what the copy brings, or the copy comes too early and the read is of what was copied there before. The second
//! is so where an earlier copy is done and ordered before the read, and nobody has read what it brought before the copy
//! comes.

use wavemark_sim::foresight::common;

use super::super::one_barrier::{Meeting, Moment};
use super::Wave;

/// A moment of a wave of the workgroup.
type Of = (usize, Moment);

fn is_before((wave, at): Of, (other, then): Of) -> bool {
    if wave == other { at.step < then.step } else { at.is_before(then) }
}

/// Whether the first of the two that meet is such a copy.
pub(super) fn refills(waves: &[Wave<'_>], meeting: &Meeting<'_>) -> bool {
    let [first, second] = meeting.waves;
    let (Some(one), Some(other)) = (waves.get(first), waves.get(second)) else { return false };
    let copy = one.copies.binary_search_by_key(&meeting.issued.step, |copy| copy.issued.step);
    let read = other.touches.binary_search_by_key(&meeting.to.1.step, |touch| touch.at.step);
    let (Ok(copy), Ok(read)) = (copy, read) else { return false };
    let (copy, read) = (&one.copies[copy], &other.touches[read]);
    if !copy.writes || read.writes {
        return false;
    }
    let (issued, reads) = ((first, copy.issued), (second, read.at));
    let meet =
        |bytes: &[(u32, u32)]| common(bytes, copy.bytes).is_some() && common(bytes, read.bytes).is_some();
    let all = || waves.iter().enumerate();
    let copied = all().flat_map(|(wave, of)| of.copies.iter().map(move |copy| (wave, copy)));
    let filled = copied.filter_map(|(wave, earlier)| {
        let (done, _) = earlier.done?;
        let over = is_before((wave, done), issued) && is_before((wave, done), reads);
        (over && earlier.writes && meet(earlier.bytes)).then_some((wave, earlier.issued))
    });
    let Some(filled) = filled.max_by_key(|(_, at)| (at.waits, at.step)) else { return false };
    let in_between = |at: Of| is_before(at, issued) && !is_before(at, filled);
    let is_read = all().any(|(wave, of)| {
        let touches = of.touches.iter().filter(|touch| !touch.writes).map(|touch| (touch.at, touch.bytes));
        let copies = of.copies.iter().filter(|copy| !copy.writes).map(|copy| (copy.issued, copy.bytes));
        touches.chain(copies).any(|(at, bytes)| in_between((wave, at)) && meet(bytes))
    });
    !is_read
}
