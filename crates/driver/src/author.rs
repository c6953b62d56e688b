//! What would mend a finding, in the words of the language that the kernel was written in: Gluon or Triton.
//!
//! Machine code waits for numbers of instructions. A Gluon program waits for groups of copies (`wait_group`) or for tensor
//! operations (`tdm.async_wait`), and the compiler has counted the instructions of each. How many there are is read
//! from the code: those of the innermost loop around the wait are taken as one group, as where one group is committed in
//! each round; tensor operations are told apart by their places in the source. Both languages are known by the names of the
//! files that a line table has (`.py`).
//!
//! Does not: say where a kernel of Triton's proper lacks a wait, which its compiler places, not its author.

use std::collections::BTreeSet;

use wavemark_check::{Class, Finding};
use wavemark_isa::effects::{Channel, Counter, CounterSet, Space, Verb, effects};
use wavemark_isa::{Inst, decode_as_executed};
use wavemark_sim::Kernel;
use wavemark_sim::events::Site;

use crate::places::Places;

/// The hint for the author, if there is one.
pub(crate) fn hint(finding: &Finding, kernel: &Kernel, places: &Places<'_>) -> Option<String> {
    let first = finding.sites.first()?;
    let in_python = |pc: u64| {
        places.lines.lookup(pc.wrapping_sub(places.base)).is_some_and(|place| is_python(place.file))
    };
    if !in_python(first.site.pc) {
        return None;
    }
    let touches_lds = |site: &Site| {
        let memory = effects(kernel.machine, &site.inst).memory;
        memory.is_some_and(|memory| {
            matches!(memory.verb, Verb::ToLds | Verb::FromLds) || memory.path.space() == Some(Space::Lds)
        })
    };
    let second = finding.sites.get(1);
    match finding.class {
        Class::MissingWait => {
            let (counter, allowed) = finding.needed?;
            let before = finding.hint_site.as_ref().map(|site| site.pc).or(second.map(|end| end.site.pc))?;
            let wait = wait(kernel, places, counter, allowed, finding.wait.as_ref().map_or(before, |wait| wait.site.pc))?;
            let refills = second.is_some_and(|end| copies_to_lds(kernel, &end.site));
            let or = if refills { ", before the buffer is filled again, or a buffer more" } else { "" };
            Some(format!("in Gluon: {wait} {}{or}", at(places, before)))
        }
        // Lanes of one store: no barrier keeps them apart.
        Class::MissingSync if second.is_none() => {
            Some("in Triton: loads and stores that give each element to one thread".to_owned())
        }
        Class::MissingSync if touches_lds(&first.site) => {
            let (from, to) = (at(places, first.site.pc), at(places, second?.site.pc));
            Some(format!("in Gluon: gl.barrier() between the access {from} and the one {to}, or a buffer more"))
        }
        Class::MissingSync => {
            let groups: BTreeSet<_> = finding.sites.iter().filter_map(|end| Some(end.wave?.workgroup_flat)).collect();
            Some(if groups.len() > 1 {
                "in Triton: several programs touch the same elements; give each its own (program_id in the offsets), or use \
                 tl.atomic_add and the like"
                    .to_owned()
            } else {
                "in Triton: tl.debug_barrier() between the two, or loads and stores that give each element to one thread".to_owned()
            })
        }
        Class::OutOfBounds => Some(
            "in Triton: a mask (mask=offsets < size), boundary_check for a block pointer, or offsets that fit".to_owned(),
        ),
        _ => None,
    }
}

fn copies_to_lds(kernel: &Kernel, site: &Site) -> bool {
    effects(kernel.machine, &site.inst).memory.is_some_and(|memory| memory.verb == Verb::ToLds)
}

fn is_python(file: &str) -> bool {
    file.ends_with(".py")
}

/// `at file:line`; where code was inlined, of the outermost call too.
fn at(places: &Places<'_>, pc: u64) -> String {
    let place = places.source(pc).unwrap_or_else(|| format!("{:#x}", pc.wrapping_sub(places.base)));
    match places.callers(pc).last() {
        Some(caller) => format!("at {place} (called at {caller})"),
        None => format!("at {place}"),
    }
}

/// The wait that leaves at most `allowed` operations of `counter` in flight, near `pc`.
fn wait(kernel: &Kernel, places: &Places<'_>, counter: Counter, allowed: u32, pc: u64) -> Option<String> {
    let copies = copies_around(kernel, counter, pc);
    if counter == Counter::Tensor {
        let operations: BTreeSet<_> =
            copies.iter().map(|&(at, _)| (places.source(at), places.callers(at))).collect();
        let each = (copies.len() / operations.len().max(1)).max(1) as u32;
        return Some(format!("tdm.async_wait({})", allowed / each));
    }
    // Other loads count on the same counter: only copies into LDS have groups.
    if copies.is_empty() {
        return None;
    }
    let in_group = copies.len() as u32;
    Some(format!("async_copy.wait_group({})", allowed / in_group))
}

/// Copies from or to LDS that `counter` counts: those of the innermost loop around `pc` that has any, else of the innermost
/// loop that has any, else all.
fn copies_around(kernel: &Kernel, counter: Counter, pc: u64) -> Vec<(u64, Inst)> {
    let (code, machine) = (&kernel.code, kernel.machine);
    let counters = CounterSet::of(machine);
    let (mut copies, mut loops) = (Vec::new(), Vec::new());
    let mut at = kernel.first_instruction();
    while let Some(bytes) = at.checked_sub(code.base).and_then(|at| code.bytes.get(at as usize..)) {
        let Ok(inst) = decode_as_executed(machine, bytes) else {
            if bytes.len() < 4 {
                break;
            }
            at += 4;
            continue;
        };
        if let Some(target) = inst.branch_target(machine, at).filter(|&target| target <= at) {
            loops.push(target..=at);
        }
        let effects = effects(machine, &inst);
        let counts = |channel: &Channel| counters.counter_of(*channel) == counter;
        let moves = effects.memory.is_some_and(|memory| matches!(memory.verb, Verb::ToLds | Verb::FromLds));
        let size = u64::from(inst.size.max(4));
        if moves && effects.channels.iter().any(counts) {
            copies.push((at, inst));
        }
        at += size;
    }
    // Before a loop is waited for what its rounds are waited for.
    let copying = loops.iter().filter(|one| copies.iter().any(|(at, _)| one.contains(at)));
    let innermost = copying.min_by_key(|one| (!one.contains(&pc), one.end() - one.start())).cloned();
    if let Some(innermost) = innermost {
        copies.retain(|(at, _)| innermost.contains(at));
    }
    copies
}
