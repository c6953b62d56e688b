//! What steers a wave: control flow, waits, barriers and the instructions that touch neither registers of data
//! nor memory.

use smallvec::SmallVec;

use super::counter::Counter;
use crate::role::{Class, ImmKind};
use crate::row::{OperandSpec, Row};
use crate::{Inst, Machine, Operand, Table, named};

/// How an instruction steers the wave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Flow {
    /// On to the next instruction.
    #[default]
    Next,
    /// To the label, always.
    Branch,
    /// To the label or on.
    ConditionalBranch,
    /// To an address in registers (`s_setpc`, `s_rfe`).
    Indirect,
    /// To the label (`s_call`) or an address in registers (`s_swappc`), the return address in registers.
    Call,
    /// The wave ends.
    End,
    /// To the trap handler.
    Trap,
    /// The wave may stop until something from outside resumes it.
    Halt,
    /// A barrier's arrival, wait, or both: [`Barrier`].
    Barrier,
    /// Waits for counters: [`Wait`].
    Wait,
}

impl Flow {
    pub(super) fn parse(value: &str) -> Option<Flow> {
        Some(match value {
            "branch" => Flow::Branch,
            "cbranch" => Flow::ConditionalBranch,
            "indirect" => Flow::Indirect,
            "call" => Flow::Call,
            "end" => Flow::End,
            "trap" => Flow::Trap,
            "halt" => Flow::Halt,
            _ => return None,
        })
    }

    /// Whether the last operand, if it is a number, is a label that may be executed next.
    pub const fn has_target(self) -> bool {
        matches!(self, Flow::Branch | Flow::ConditionalBranch | Flow::Call)
    }

    /// Where a wave may go on behind `inst` at `address`, whose flow this is: the next instruction (a call comes back),
    /// the label. Addresses in registers are not among them.
    pub fn next(self, machine: Machine, inst: &Inst, address: u64) -> SmallVec<[u64; 2]> {
        // By the trap handler's ABI `s_trap 2` does not come back (guide, "Trap Handler ABI").
        let ends = match self {
            Flow::Branch | Flow::Indirect | Flow::End => true,
            Flow::Trap => inst.operands.first() == Some(&Operand::Imm(2)),
            _ => false,
        };
        let behind = (!ends).then(|| address.wrapping_add(u64::from(inst.size)));
        let target = inst.branch_target(machine, address).filter(|_| self.has_target());
        behind.into_iter().chain(target).collect()
    }
}

/// A barrier instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Barrier {
    /// Arrive and wait.
    ArriveAndWait,
    /// Arrive.
    Signal,
    /// Arrive, and say in SCC whether it was the first arrival.
    SignalIsFirst,
    /// Wait.
    Wait,
    /// Give a named barrier its count.
    Init,
    /// Become a member of a named barrier.
    Join,
    /// End the membership.
    Leave,
    /// Read the object's counts.
    GetState,
    /// Wake sleeping waves of the barrier.
    Wakeup,
}

impl Barrier {
    /// Whether it arrives.
    pub fn arrives(self) -> bool {
        matches!(self, Barrier::Signal | Barrier::SignalIsFirst | Barrier::ArriveAndWait)
    }

    /// Whether it waits.
    pub fn waits(self) -> bool {
        matches!(self, Barrier::Wait | Barrier::ArriveAndWait)
    }

    pub(super) fn parse(value: &str) -> Option<Barrier> {
        Some(match value {
            "arrive_wait" => Barrier::ArriveAndWait,
            "signal" => Barrier::Signal,
            "signal_first" => Barrier::SignalIsFirst,
            "wait" => Barrier::Wait,
            "init" => Barrier::Init,
            "join" => Barrier::Join,
            "leave" => Barrier::Leave,
            "state" => Barrier::GetState,
            "wakeup" => Barrier::Wakeup,
            _ => return None,
        })
    }
}

/// An instruction of program control that is none of the others here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Control {
    /// Changes nothing that a program can see but time: priorities, clauses, prefetches of code.
    Hint,
    /// So many wait states and one: `s_nop`.
    Nop,
    /// The wave pauses.
    Sleep,
    /// A message.
    SendMessage,
    /// A message that is answered in registers.
    SendMessageReturn,
    /// The upper bits of VGPR numbers.
    VgprMsb,
    /// Reads a hardware register.
    GetReg,
    /// Writes one.
    SetReg,
    /// The rounding bits of MODE.
    RoundMode,
    /// Its denormal bits.
    DenormMode,
    /// A clock.
    Clock,
}

impl Control {
    pub(super) fn parse(value: &str) -> Option<Control> {
        Some(match value {
            "hint" => Control::Hint,
            "nop" => Control::Nop,
            "sleep" => Control::Sleep,
            "sendmsg" => Control::SendMessage,
            "sendmsg_rtn" => Control::SendMessageReturn,
            "vgpr_msb" => Control::VgprMsb,
            "getreg" => Control::GetReg,
            "setreg" => Control::SetReg,
            "round_mode" => Control::RoundMode,
            "denorm_mode" => Control::DenormMode,
            "clock" => Control::Clock,
            _ => return None,
        })
    }
}

/// What a wait instruction waits for, as its row says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wait {
    /// The counters that its operand has a field for, the lowest field last.
    Counters(SmallVec<[Counter; 3]>),
    /// All counters at 0.
    Idle,
    /// Results of arithmetic: dependencies that the hardware tracks otherwise.
    Alu,
    /// An event outside the wave's own operations (`s_wait_event`: export ready).
    Event,
}

impl Wait {
    pub(super) fn parse(value: &str) -> Option<Wait> {
        Some(match value {
            "idle" => Wait::Idle,
            "alu" => Wait::Alu,
            "event" => Wait::Event,
            _ => Wait::Counters(value.split(',').map(Counter::called).collect::<Option<_>>()?),
        })
    }

    /// Each counter that `inst` waits for and the number that it must have come down to. What an operand names
    /// with its largest value is left out where that means not to wait.
    pub(super) fn operand(&self, machine: Machine, row: &Row, inst: &Inst) -> SmallVec<[(Counter, u32); 3]> {
        let Wait::Counters(counters) = self else { return SmallVec::new() };
        let Some(field) = immediate(inst) else { return SmallVec::new() };
        if row.operands.first().is_some_and(|operand| operand.class == Class::Imm(ImmKind::WaitCnt)) {
            let fields = counters.iter().zip(named::waitcnt(machine));
            return fields
                .map(|(&counter, bits)| (counter, bits.get(field), bits.max()))
                .filter(|&(_, value, max)| value != max)
                .map(|(counter, value, _)| (counter, u32::from(value)))
                .collect();
        }
        // 6 bits each, a byte apart; where there are two, the largest number waits for nothing.
        let count = counters.len();
        let value = |at: usize| u32::from(field >> (8 * (count - 1 - at))) & NO_WAIT;
        let waits = counters.iter().enumerate().map(|(at, &counter)| (counter, value(at)));
        waits.filter(|&(_, value)| count == 1 || value != NO_WAIT).collect()
    }

    /// Whether a wait for arithmetic waits until a counter of its own ([`named::depctr`]) is 0.
    pub(super) fn waits_for_zero(&self, machine: Machine, inst: &Inst, counter: &str) -> bool {
        let bits = named::depctr(machine).iter().find(|bits| *self == Wait::Alu && bits.name == counter);
        bits.zip(immediate(inst)).is_some_and(|(bits, field)| bits.get(field) == 0)
    }
}

/// The number that does not wait, in waits for two counters.
const NO_WAIT: u32 = 0x3f;

/// The field of a wait's immediate operand.
fn immediate(inst: &Inst) -> Option<u16> {
    inst.operands
        .iter()
        .find_map(|operand| if let Operand::Imm(value) = operand { Some(*value as u16) } else { None })
}

/// The wait instruction of a machine for `counter` to come down to `n`, as the assembly has it: without a register to add, if
/// there is one, and for as few counters as can be.
pub fn wait_text(machine: Machine, counter: Counter, n: u32) -> String {
    let waits = Table::of(machine).synchronisation().filter_map(|row| match &row.effects.wait {
        Some(Wait::Counters(counters)) if counters.contains(&counter) => {
            let adds = row.operands.iter().any(|operand| !matches!(operand.class, Class::Imm(_)));
            Some((adds, counters.len(), row.mnemonic))
        }
        _ => None,
    });
    match waits.min_by_key(|&(adds, counters, _)| (adds, counters)) {
        Some((true, _, mnemonic)) => format!("{mnemonic} null, {n:#x}"),
        Some((false, 1, mnemonic)) => format!("{mnemonic} {n}"),
        Some((false, _, mnemonic)) => format!("{mnemonic} {}({n})", counter.name()),
        None => format!("a wait for {} {n}", counter.name()),
    }
}

/// The same for several counters: one instruction if there is one that waits for all of them and can say the numbers.
pub fn waits_text(machine: Machine, wanted: &[(Counter, u32)]) -> String {
    let apart = || {
        wanted.iter().map(|&(counter, n)| wait_text(machine, counter, n)).collect::<Vec<_>>().join(" and ")
    };
    if wanted.len() < 2 {
        return apart();
    }
    let waits = Table::of(machine).synchronisation().filter_map(|row| match &row.effects.wait {
        Some(Wait::Counters(counters)) => {
            let all = wanted.iter().all(|(counter, _)| counters.contains(counter));
            all.then_some((counters, row))
        }
        _ => None,
    });
    let Some((counters, row)) = waits.min_by_key(|(counters, _)| counters.len()) else { return apart() };
    let is_field = |operand: &OperandSpec| operand.class == Class::Imm(ImmKind::WaitCnt);
    if row.operands.first().is_some_and(is_field) {
        let fields: Vec<String> =
            wanted.iter().map(|(counter, n)| format!("{}({n})", counter.name())).collect();
        return format!("{} {}", row.mnemonic, fields.join(" "));
    }
    let number =
        |counter: &Counter| wanted.iter().find(|(other, _)| other == counter).map_or(NO_WAIT, |&(_, n)| n);
    let field = counters.iter().fold(0, |field, counter| field << 8 | number(counter).min(NO_WAIT));
    format!("{} {field:#x}", row.mnemonic)
}

/// What gives `states` wait states before an instruction.
pub fn wait_states_text(machine: Machine, states: u8) -> String {
    match (machine.facts().manual_waits.count_vector_alone(), states) {
        (false, _) => format!("s_nop {}", states.saturating_sub(1)),
        (true, 1) => "v_nop".to_owned(),
        (true, _) => format!("{states} v_nop"),
    }
}
