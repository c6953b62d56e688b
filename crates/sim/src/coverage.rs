//! What of a kernel's code a run has been at, how near to the hardware that was, and what lies in the rest.
//!
//! The code is taken as one straight line of instructions, as assemblers and compilers lay it out; data between
//! instructions would be taken for instructions too. A run says nothing of what it has not been at.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;
use wavemark_isa::{Inst, Row, RowId, Table, decode_as_executed};
use wavemark_target::Machine;

use crate::dispatch::{Kernel, layout};
use crate::fidelity::{Approximation, approximations};
use crate::op::OpKind;
use crate::program::Program;

/// How much of a kernel's code was executed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Instructions of the kernel.
    pub total: u64,
    /// Those that some wave has executed.
    pub executed: u64,
    /// What nobody has executed: address of the first instruction and that behind the last one.
    pub unexecuted: Vec<(u64, u64)>,
    /// Addresses in there that are no instructions, or instructions that are not modelled.
    pub unsupported: Vec<u64>,
    /// Some instruction that was executed, of the kernel or of what it calls, is asynchronous or touches what others may
    /// touch: it can be wrong by its timing.
    pub timed: bool,
    /// What was done nearly as the hardware does it, with the instructions that were executed of it.
    pub approximate: Vec<(Approximation, BTreeSet<&'static str>)>,
}

impl Coverage {
    /// That of the code of `kernel`, which has `code_size` bytes, after a run that has been at `executed` (ascending).
    pub fn of(kernel: &Kernel, code_size: u64, executed: &[u64]) -> Coverage {
        let mut program = Program::new(kernel.machine, layout(kernel), kernel.code.clone());
        let instruction = |slot: usize| decode_as_executed(kernel.machine, &kernel.code.bytes[slot * 4..]);
        let mut met = FxHashSet::default();
        let mut coverage = Coverage::default();
        let end = kernel.entry.saturating_add(code_size);
        let mut pc = kernel.first_instruction();
        let mut executed = executed.iter().copied().peekable();
        let mut called = Vec::new();
        while pc < end {
            let Some(slot) = program.slot(pc) else { break };
            let decoded = instruction(slot);
            let behind = pc + decoded.as_ref().map_or(4, |inst| u64::from(inst.size));
            coverage.total += u64::from(decoded.is_ok());
            called.extend(std::iter::from_fn(|| executed.next_if(|&at| at < pc)));
            if executed.next_if_eq(&pc).is_some() {
                coverage.executed += 1;
                met.extend(decoded.iter().flat_map(rows));
            } else {
                match coverage.unexecuted.last_mut() {
                    Some((_, last)) if *last == pc => *last = behind,
                    _ => coverage.unexecuted.push((pc, behind)),
                }
                program.bind_slot(0, slot);
                if program.op(0, slot).is_none_or(|op| op.kind == OpKind::Unsupported) {
                    coverage.unsupported.push(pc);
                }
            }
            pc = behind;
        }
        let called = called.into_iter().chain(executed);
        let called = called.filter_map(|pc| instruction(program.slot(pc)?).ok());
        called.for_each(|inst| met.extend(rows(&inst)));
        let met = || met.iter().map(|&id| Table::of(kernel.machine).row(id));
        coverage.timed = met().any(is_timed);
        coverage.approximate = approximate(kernel.machine, &met().map(|row| row.mnemonic).collect());
        coverage
    }
}

/// Which of the instructions called `names` are done nearly as the hardware does them.
fn approximate(
    machine: Machine,
    names: &BTreeSet<&'static str>,
) -> Vec<(Approximation, BTreeSet<&'static str>)> {
    let of = |one: Approximation| {
        (one, names.iter().copied().filter(|name| one.is_of(name)).collect::<BTreeSet<_>>())
    };
    approximations(machine).map(of).filter(|(_, names)| !names.is_empty()).collect()
}

/// Whether what an instruction of this row does depends on when others do something, or the other way round.
fn is_timed(row: &Row) -> bool {
    let effects = &row.effects;
    effects.memory.is_some() || !effects.channels.is_empty() || effects.barrier.is_some()
}

/// The rows of an instruction: two if it is a pair.
fn rows(inst: &Inst) -> impl Iterator<Item = RowId> + use<> {
    [Some(inst.row), inst.second.as_ref().map(|second| second.row)].into_iter().flatten()
}
