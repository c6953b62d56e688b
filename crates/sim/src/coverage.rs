//! What of a kernel's code a run has been at, how near to the hardware that was, and what lies in the rest.
//!
//! The code is taken as one straight line of instructions, as assemblers and compilers lay it out; data between
//! instructions would be taken for instructions too. A run says nothing of what it has not been at.

use std::collections::BTreeSet;

use wavemark_isa::effects::effects;
use wavemark_isa::{Inst, decode_as_executed};
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
        let mut names = BTreeSet::new();
        let mut coverage = Coverage::default();
        for inst in executed.iter().filter_map(|&pc| instruction(program.slot(pc)?).ok()) {
            names.insert(inst.mnemonic(kernel.machine));
            coverage.timed |= is_timed(kernel.machine, &inst);
        }
        coverage.approximate = approximate(kernel.machine, &names);
        let end = kernel.entry.saturating_add(code_size);
        let mut pc = kernel.first_instruction();
        while pc < end {
            let Some(slot) = program.slot(pc) else { break };
            let decoded = instruction(slot);
            let behind = pc + decoded.as_ref().map_or(4, |inst| u64::from(inst.size));
            coverage.total += u64::from(decoded.is_ok());
            if executed.binary_search(&pc).is_ok() {
                coverage.executed += 1;
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

/// Whether what an instruction does depends on when others do something, or the other way round.
fn is_timed(machine: Machine, inst: &Inst) -> bool {
    let effects = effects(machine, inst);
    effects.memory.is_some() || !effects.channels.is_empty() || effects.barrier.is_some()
}
