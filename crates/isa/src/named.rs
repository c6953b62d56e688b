//! Names of the values that control-instruction fields hold: hardware registers, messages, wait counters,
//! delays. Names and numbers: ISA manuals, "Data dependency resolution",
//! "Hardware registers", "Messages"; spellings LLVM 22's. What differs between processors is asked of their facts.

use smallvec::SmallVec;
use wavemark_target::InstFeature;
use wavemark_target::facts::WaitCounter;
use wavemark_target::message::{Messages, Named};

use crate::Machine;

fn name_of(names: &'static [Named], value: u16) -> Option<&'static str> {
    names.iter().find(|(number, _)| u16::from(*number) == value).map(|(_, name)| *name)
}

fn value_of(names: &'static [Named], name: &str) -> Option<u16> {
    names.iter().find(|(_, other)| *other == name).map(|(number, _)| u16::from(*number))
}

/// The name of hardware register `id`: the first of those that it has.
pub fn hwreg_name(machine: Machine, id: u16) -> Option<&'static str> {
    machine.facts().hwregs.iter().find(|register| u16::from(register.id) == id).map(|register| register.name)
}

/// The number of a hardware register.
pub fn hwreg_id(machine: Machine, name: &str) -> Option<u16> {
    machine.facts().hwregs.iter().find(|register| register.name == name).map(|register| register.id.into())
}

fn messages(machine: Machine) -> &'static Messages {
    &machine.facts().messages
}

/// The parts of a message: what to send, which operation, which stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// Message number.
    pub id: u16,
    /// Operation, 0 for messages without.
    pub op: u16,
    /// Stream, 0 for messages without.
    pub stream: u16,
}

impl Message {
    /// Takes a message field apart.
    pub fn decode(machine: Machine, value: u16) -> Message {
        match messages(machine).id_bits {
            4 => Message { id: value & 0xf, op: (value >> 4) & 7, stream: (value >> 8) & 3 },
            _ => Message { id: value & 0xff, op: 0, stream: 0 },
        }
    }

    /// The field value.
    pub fn encode(self) -> u16 {
        self.id | self.op << 4 | self.stream << 8
    }

    /// The message's name.
    pub fn name(self, machine: Machine) -> Option<&'static str> {
        name_of(messages(machine).names, self.id)
    }

    fn is_gs(self, machine: Machine) -> bool {
        matches!(self.name(machine), Some("MSG_GS" | "MSG_GS_DONE"))
    }

    /// The names of the operations that the message must have; none if it takes none.
    fn ops(self, machine: Machine) -> &'static [Named] {
        match self.name(machine) {
            Some("MSG_GS" | "MSG_GS_DONE") => messages(machine).gs_ops,
            Some("MSG_SYSMSG") => messages(machine).sysmsg_ops,
            _ => &[],
        }
    }

    /// Whether the message must have an operation.
    pub fn takes_op(self, machine: Machine) -> bool {
        !self.ops(machine).is_empty()
    }

    /// Whether the message with this operation has a stream.
    pub fn takes_stream(self, machine: Machine) -> bool {
        self.is_gs(machine) && self.op != 0
    }

    /// Whether the operation is the no-operation of `MSG_GS`, which only `MSG_GS_DONE` has.
    fn lacks_no_op(self, machine: Machine, op: u16) -> bool {
        op == 0 && self.name(machine) == Some("MSG_GS")
    }

    /// The operation's name, if it is one that the message takes.
    pub fn op_name(self, machine: Machine) -> Option<&'static str> {
        if self.lacks_no_op(machine, self.op) {
            return None;
        }
        name_of(self.ops(machine), self.op)
    }

    /// The number of an operation; a message that is said by number may have any of them but `MSG_SYSMSG`'s own.
    pub fn op_id(self, machine: Machine, name: &str) -> Option<u16> {
        let messages = messages(machine);
        value_of(if self.id == 15 { messages.sysmsg_ops } else { messages.gs_ops }, name)
    }

    /// Whether name, operation and stream go together.
    pub fn is_symbolic(self, machine: Machine) -> bool {
        let op = if self.takes_op(machine) { self.op_name(machine).is_some() } else { self.op == 0 };
        self.name(machine).is_some() && op && (self.stream == 0 || self.takes_stream(machine))
    }
}

/// The number of a message.
pub fn message_id(machine: Machine, name: &str) -> Option<u16> {
    value_of(messages(machine).names, name)
}

/// A counter in a field: its name, and where its bits are, least significant piece first.
#[derive(Clone, Copy, Debug)]
pub struct CounterField {
    /// As written.
    pub name: &'static str,
    /// (lowest bit, width); the second may be empty.
    pub pieces: [(u8, u8); 2],
}

impl CounterField {
    const fn new(name: &'static str, lo: u8, width: u8) -> CounterField {
        CounterField { name, pieces: [(lo, width), (0, 0)] }
    }

    /// Its value in `field`.
    pub fn get(&self, field: u16) -> u16 {
        let [(lo, width), (high, more)] = self.pieces;
        (field >> lo & ((1 << width) - 1)) | (field >> high & ((1 << more) - 1)) << width
    }

    /// `value` at its place.
    pub fn put(&self, value: u16) -> u16 {
        let [(lo, width), (high, more)] = self.pieces;
        (value & ((1 << width) - 1)) << lo | (value >> width & ((1 << more) - 1)) << high
    }

    /// The largest value, which waits for nothing.
    pub fn max(&self) -> u16 {
        (1 << (self.pieces[0].1 + self.pieces[1].1)) - 1
    }
}

/// Counters of `s_waitcnt`, in printing order: vmcnt, expcnt, lgkmcnt; none where there is no `s_waitcnt`.
pub fn waitcnt(machine: Machine) -> SmallVec<[CounterField; 3]> {
    let parts = machine.facts().waitcnt;
    let mut fields = SmallVec::new();
    for counter in [WaitCounter::Vm, WaitCounter::Exp, WaitCounter::Lgkm] {
        let mut pieces = parts.iter().filter(|part| part.counter == counter).map(|part| (part.at, part.bits));
        if let Some(low) = pieces.next() {
            let pieces = [low, pieces.next().unwrap_or_default()];
            fields.push(CounterField { name: counter.name(), pieces });
        }
    }
    fields
}

/// Counters of `s_wait_alu` and `s_waitcnt_depctr`, in printing order. `depctr_hold_cnt` came with RDNA 2.
pub fn depctr(machine: Machine) -> &'static [CounterField] {
    static ALL: [CounterField; 7] = [
        CounterField::new("depctr_hold_cnt", 7, 1),
        CounterField::new("depctr_sa_sdst", 0, 1),
        CounterField::new("depctr_va_vdst", 12, 4),
        CounterField::new("depctr_va_sdst", 9, 3),
        CounterField::new("depctr_va_ssrc", 8, 1),
        CounterField::new("depctr_va_vcc", 1, 1),
        CounterField::new("depctr_vm_vsrc", 2, 3),
    ];
    if machine.has_inst(InstFeature::Gfx10BEncoding) { &ALL } else { &ALL[1..] }
}

/// The bits of all fields together.
pub fn counter_mask(fields: &[CounterField]) -> u16 {
    fields.iter().fold(0, |mask, field| mask | field.put(field.max()))
}

/// Instruction distances of `s_delay_alu`, by number.
pub static DELAY_IDS: &[&str] = &[
    "NO_DEP",
    "VALU_DEP_1",
    "VALU_DEP_2",
    "VALU_DEP_3",
    "VALU_DEP_4",
    "TRANS32_DEP_1",
    "TRANS32_DEP_2",
    "TRANS32_DEP_3",
    "FMA_ACCUM_CYCLE_1",
    "SALU_CYCLE_1",
    "SALU_CYCLE_2",
    "SALU_CYCLE_3",
];

/// Skips of `s_delay_alu`, by number.
pub static DELAY_SKIPS: &[&str] = &["SAME", "NEXT", "SKIP_1", "SKIP_2", "SKIP_3", "SKIP_4"];

/// Operands that VGPR indexing applies to (gfx9 `gpr_idx`), by bit.
pub static GPR_IDX: &[&str] = &["SRC0", "SRC1", "SRC2", "DST"];

/// Generations of `s_version` by number.
pub static VERSIONS: &[(u16, &str)] =
    &[(0, "UC_VERSION_GFX7"), (4, "UC_VERSION_GFX10"), (6, "UC_VERSION_GFX11"), (9, "UC_VERSION_GFX12")];

/// Flags of `s_version`.
pub static VERSION_FLAGS: &[(u16, &str)] =
    &[(0x2000, "UC_VERSION_W64_BIT"), (0x4000, "UC_VERSION_W32_BIT"), (0x8000, "UC_VERSION_MDP_BIT")];
