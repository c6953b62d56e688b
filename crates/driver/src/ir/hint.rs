//! What would mend a race in IR, in words: instructions of IR, and where they belong.
//!
//! Promises: what is said orders all the accesses that the finding names, where it is followed to the letter.

use wavemark_diag::SourceMap;
use wavemark_interp::{Lack, Missing, Place, Side};
use wavemark_ir::Parsed;

/// Places that are named; more are counted.
const NAMED: usize = 4;

/// The hint of a race in which that is missing; none where nothing is known to be.
pub(super) fn of(sources: &SourceMap, parsed: &Parsed, missing: &[Missing]) -> Option<String> {
    let at = |place: &Place| sources.location(parsed.places.inst(place.function, place.inst));
    let lacks = missing.iter().filter_map(|missing| match missing {
        Missing::At(lack) => Some(lack),
        Missing::Barrier(..) => None,
    });
    let mut words: Vec<String> = lacks
        .map(|Lack { side, at: place, reach }| {
            let (scope, place) = (reach.scope(), at(place));
            match side {
                Side::Release => {
                    format!("`fence syncscope(\"{scope}\") release` before the instruction at {place}")
                }
                Side::Acquire => {
                    format!("`fence syncscope(\"{scope}\") acquire` behind the instruction at {place}")
                }
                Side::Scope => format!("`syncscope(\"{scope}\")` on the atomic at {place}"),
            }
        })
        .collect();
    let ways = missing.iter().filter_map(|missing| match missing {
        Missing::Barrier(from, to) => Some((at(from), at(to))),
        Missing::At(_) => None,
    });
    let (mut firsts, mut seconds): (Vec<String>, Vec<String>) = ways.clone().unzip();
    for places in [&mut firsts, &mut seconds] {
        let mut seen = Vec::new();
        places.retain(|place| {
            !seen.contains(place) && {
                seen.push(place.clone());
                true
            }
        });
    }
    // One barrier is between all of them, unless what is behind it for one is before it for another.
    let is_one = !firsts.iter().any(|first| seconds.contains(first));
    let number = ways.clone().count();
    match is_one {
        true if number > 0 => words.push(barrier(&firsts, &seconds)),
        false if number <= NAMED => words.extend(ways.map(|(from, to)| barrier(&[from], &[to]))),
        _ => {}
    }
    (!words.is_empty()).then(|| words.join("; and "))
}

fn barrier(from: &[String], to: &[String]) -> String {
    format!(
        "a barrier that all waves of the workgroup come to, between `fence syncscope(\"workgroup\") release` and `fence \
         syncscope(\"workgroup\") acquire`, behind the access at {} and before that at {}",
        named(from),
        named(to)
    )
}

fn named(places: &[String]) -> String {
    let (named, more) = places.split_at(places.len().min(NAMED));
    let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
    named.join(", ") + &more
}
