//! What would mend a finding, in the words of the language that the kernel was written in: Gluon or Triton.
//!
//! Machine code waits for numbers of instructions. A Gluon program waits for groups of copies (`wait_group`) or for tensor
//! operations (`tdm.async_wait`), and the compiler has counted the instructions of each. How many there are is read
//! from the code: what the innermost loop copies from one wait to the next is taken as one group, as where one group is
//! committed before each; a tensor operation has as many instructions as its copies and waits have in common. Both languages
//! are known by the names of the files that a line table has (`.py`).
//!
//! Does not: say where a kernel of Triton's proper lacks a wait, which its compiler places, not its author.

use std::collections::BTreeSet;

use wavemark_check::{Class, Finding};
use wavemark_isa::effects::{AtomicOp, Channel, Counter, CounterSet, Space, Verb, effects};
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
            // One partition's barrier does not join another's warps.
            Some(if meets_at_mbarriers(kernel) {
                format!("in Gluon: mbarrier.wait before the access {to}, for an arrival behind the one {from}")
            } else {
                format!("in Gluon: gl.barrier() between the access {from} and the one {to}, or a buffer more")
            })
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
    let steps = steps_around(kernel, counter, pc);
    let place = |at: u64| (places.source(at), places.callers(at));
    let copying: BTreeSet<_> = steps.iter().filter(|step| step.copies()).map(|step| place(step.pc)).collect();
    // The compiler's own waits for a copy are of its line.
    let authors = |step: &&Step| step.copies() || !copying.contains(&place(step.pc));
    let steps: Vec<&Step> = steps.iter().filter(authors).collect();
    if counter == Counter::Tensor {
        // Of an operation that is several instructions, they stand together, and a wait leaves all of them or none.
        let together = steps.chunk_by(|one, next| place(one.pc) == place(next.pc));
        let together = together.filter(|run| run[0].copies()).map(|run| run.len() as u32);
        let left = steps.iter().filter_map(|step| step.leaves).chain([allowed]);
        let sizes: Vec<u32> = together.chain(left).filter(|&size| size > 0).collect();
        let most = sizes.iter().copied().min().unwrap_or(1);
        let each = (1..=most).rev().find(|each| sizes.iter().all(|size| size % each == 0)).unwrap_or(1);
        return Some(format!("tdm.async_wait({})", allowed / each));
    }
    // Other loads count on the same counter: only copies into LDS have groups.
    if copying.is_empty() {
        return None;
    }
    // From the wait backwards, and around the loop.
    let turns = steps.iter().rposition(|step| !step.copies() && step.pc <= pc).map_or(0, |at| at + 1);
    let (behind, before) = (&steps[turns..], &steps[..turns]);
    let backwards = before.iter().rev().chain(behind.iter().rev());
    let groups = backwards.map(|step| step.copies()).collect::<Vec<_>>();
    let sizes = groups.split(|&copies| !copies).map(<[_]>::len).filter(|&copies| copies > 0);
    let left = sizes.cycle().scan(allowed as usize, |left, copies| {
        *left = left.checked_sub(copies)?;
        Some(())
    });
    Some(format!("async_copy.wait_group({})", left.count()))
}

/// An instruction that copies from or to LDS, or a wait for copies.
#[derive(Clone, Copy, Debug)]
struct Step {
    pc: u64,
    /// How many it leaves in flight, if it waits.
    leaves: Option<u32>,
}

impl Step {
    fn copies(&self) -> bool {
        self.leaves.is_none()
    }
}

/// Whether waves meet at barriers in LDS.
fn meets_at_mbarriers(kernel: &Kernel) -> bool {
    instructions(kernel).any(|(_, inst)| {
        let memory = effects(kernel.machine, &inst).memory;
        let operation = memory.and_then(|memory| memory.atomic);
        matches!(operation, Some(AtomicOp::BarrierArrive | AtomicOp::BarrierArriveAsync))
    })
}

/// The instructions of a kernel and of what is behind it, each with its address.
fn instructions(kernel: &Kernel) -> impl Iterator<Item = (u64, Inst)> + '_ {
    let (code, machine) = (&kernel.code, kernel.machine);
    let mut next = kernel.first_instruction();
    std::iter::from_fn(move || {
        loop {
            let at = next;
            let bytes = code.bytes.get(usize::try_from(at.checked_sub(code.base)?).ok()?..)?;
            if bytes.len() < 4 {
                return None;
            }
            let inst = decode_as_executed(machine, bytes).ok();
            next += inst.as_ref().map_or(4, |inst| u64::from(inst.size.max(4)));
            if let Some(inst) = inst {
                return Some((at, inst));
            }
        }
    })
}

/// Copies from or to LDS that `counter` counts, and the waits for it: those of the innermost loop around `pc` that has any copies,
/// else of the innermost loop that has any, else all.
fn steps_around(kernel: &Kernel, counter: Counter, pc: u64) -> Vec<Step> {
    let machine = kernel.machine;
    let counters = CounterSet::of(machine);
    let (mut steps, mut loops) = (Vec::new(), Vec::new());
    for (at, inst) in instructions(kernel) {
        if let Some(target) = inst.branch_target(machine, at).filter(|&target| target <= at) {
            loops.push(target..=at);
        }
        let effects = effects(machine, &inst);
        let counts = |channel: &Channel| counters.counter_of(*channel) == counter;
        let moves = effects.memory.is_some_and(|memory| matches!(memory.verb, Verb::ToLds | Verb::FromLds));
        let copies = moves && effects.channels.iter().any(counts);
        let leaves = effects.waits.iter().find(|&&(waited, _)| waited == counter).map(|&(_, n)| n);
        if copies || leaves.is_some() {
            steps.push(Step { pc: at, leaves });
        }
    }
    // Before a loop is waited for what its rounds are waited for.
    let copying = loops.iter().filter(|one| steps.iter().any(|step| step.copies() && one.contains(&step.pc)));
    let innermost = copying.min_by_key(|one| (!one.contains(&pc), one.end() - one.start())).cloned();
    if let Some(innermost) = innermost {
        steps.retain(|step| innermost.contains(&step.pc));
    }
    steps
}
