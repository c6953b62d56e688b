//! Names of the values that control-instruction fields hold: hardware registers, messages, wait counters,
//! delays. Names and numbers: CDNA4 manual 4.4, 5.4, CDNA5 manual chapters 3 to 5; spellings LLVM 22's.

use crate::Machine;
use crate::row::{Line, line};

/// Which instruction sets a name is of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum On {
    Gfx950,
    Gfx1250,
    Both,
}

impl On {
    fn has(self, machine: Machine) -> bool {
        match self {
            On::Both => true,
            On::Gfx950 => line(machine) == Line::Early,
            On::Gfx1250 => line(machine) == Line::Late,
        }
    }
}

type Names = &'static [(On, u16, &'static str)];

fn name_of(names: Names, machine: Machine, value: u16) -> Option<&'static str> {
    names.iter().find(|(on, v, _)| *v == value && on.has(machine)).map(|(_, _, name)| *name)
}

fn value_of(names: Names, machine: Machine, name: &str) -> Option<u16> {
    names.iter().find(|(on, _, n)| *n == name && on.has(machine)).map(|(_, v, _)| *v)
}

/// Hardware registers of `s_getreg`/`s_setreg`; the first name of a number is the one that is printed.
static HWREG: Names = &[
    (On::Gfx950, 1, "HW_REG_MODE"),
    (On::Gfx950, 2, "HW_REG_STATUS"),
    (On::Gfx950, 3, "HW_REG_TRAPSTS"),
    (On::Gfx950, 4, "HW_REG_HW_ID"),
    (On::Gfx950, 5, "HW_REG_GPR_ALLOC"),
    (On::Gfx950, 6, "HW_REG_LDS_ALLOC"),
    (On::Both, 7, "HW_REG_IB_STS"),
    (On::Gfx950, 15, "HW_REG_SH_MEM_BASES"),
    (On::Gfx950, 16, "HW_REG_TBA_LO"),
    (On::Gfx950, 17, "HW_REG_TBA_HI"),
    (On::Gfx950, 18, "HW_REG_TMA_LO"),
    (On::Gfx950, 19, "HW_REG_TMA_HI"),
    (On::Gfx950, 20, "HW_REG_XCC_ID"),
    (On::Gfx950, 21, "HW_REG_SQ_PERF_SNAPSHOT_DATA"),
    (On::Gfx950, 22, "HW_REG_SQ_PERF_SNAPSHOT_DATA1"),
    (On::Gfx950, 23, "HW_REG_SQ_PERF_SNAPSHOT_PC_LO"),
    (On::Gfx950, 24, "HW_REG_SQ_PERF_SNAPSHOT_PC_HI"),
    (On::Gfx1250, 1, "HW_REG_WAVE_MODE"),
    (On::Gfx1250, 2, "HW_REG_WAVE_STATUS"),
    (On::Gfx1250, 4, "HW_REG_WAVE_STATE_PRIV"),
    (On::Gfx1250, 5, "HW_REG_WAVE_GPR_ALLOC"),
    (On::Gfx1250, 6, "HW_REG_WAVE_LDS_ALLOC"),
    (On::Gfx1250, 10, "HW_REG_PERF_SNAPSHOT_DATA"),
    (On::Gfx1250, 11, "HW_REG_PERF_SNAPSHOT_PC_LO"),
    (On::Gfx1250, 12, "HW_REG_PERF_SNAPSHOT_PC_HI"),
    (On::Gfx1250, 15, "HW_REG_PERF_SNAPSHOT_DATA1"),
    (On::Gfx1250, 16, "HW_REG_PERF_SNAPSHOT_DATA2"),
    (On::Gfx1250, 17, "HW_REG_WAVE_EXCP_FLAG_PRIV"),
    (On::Gfx1250, 18, "HW_REG_WAVE_EXCP_FLAG_USER"),
    (On::Gfx1250, 19, "HW_REG_WAVE_TRAP_CTRL"),
    (On::Gfx1250, 20, "HW_REG_WAVE_SCRATCH_BASE_LO"),
    (On::Gfx1250, 21, "HW_REG_WAVE_SCRATCH_BASE_HI"),
    (On::Gfx1250, 23, "HW_REG_WAVE_HW_ID1"),
    (On::Gfx1250, 24, "HW_REG_WAVE_HW_ID2"),
    (On::Gfx1250, 26, "HW_REG_WAVE_SCHED_MODE"),
    (On::Gfx1250, 28, "HW_REG_IB_STS2"),
    (On::Gfx1250, 29, "HW_REG_SHADER_CYCLES_LO"),
    (On::Gfx1250, 30, "HW_REG_SHADER_CYCLES_HI"),
    (On::Gfx1250, 31, "HW_REG_WAVE_DVGPR_ALLOC_LO"),
    (On::Gfx1250, 32, "HW_REG_WAVE_DVGPR_ALLOC_HI"),
    (On::Gfx1250, 33, "HW_REG_XNACK_STATE_PRIV"),
    (On::Gfx1250, 34, "HW_REG_XNACK_MASK"),
    // Names without `WAVE_` are taken as well.
    (On::Gfx1250, 1, "HW_REG_MODE"),
    (On::Gfx1250, 2, "HW_REG_STATUS"),
    (On::Gfx1250, 4, "HW_REG_STATE_PRIV"),
    (On::Gfx1250, 5, "HW_REG_GPR_ALLOC"),
    (On::Gfx1250, 6, "HW_REG_LDS_ALLOC"),
    (On::Gfx1250, 17, "HW_REG_EXCP_FLAG_PRIV"),
    (On::Gfx1250, 18, "HW_REG_EXCP_FLAG_USER"),
    (On::Gfx1250, 19, "HW_REG_TRAP_CTRL"),
    (On::Gfx1250, 20, "HW_REG_SCRATCH_BASE_LO"),
    (On::Gfx1250, 21, "HW_REG_SCRATCH_BASE_HI"),
    (On::Gfx1250, 23, "HW_REG_HW_ID1"),
    (On::Gfx1250, 24, "HW_REG_HW_ID2"),
    (On::Gfx1250, 26, "HW_REG_SCHED_MODE"),
    (On::Gfx1250, 31, "HW_REG_DVGPR_ALLOC_LO"),
    (On::Gfx1250, 32, "HW_REG_DVGPR_ALLOC_HI"),
];

/// The name of hardware register `id`.
pub fn hwreg_name(machine: Machine, id: u16) -> Option<&'static str> {
    name_of(HWREG, machine, id)
}

/// The number of a hardware register.
pub fn hwreg_id(machine: Machine, name: &str) -> Option<u16> {
    value_of(HWREG, machine, name)
}

static MESSAGES: Names = &[
    (On::Both, 1, "MSG_INTERRUPT"),
    (On::Gfx950, 2, "MSG_GS"),
    (On::Gfx950, 3, "MSG_GS_DONE"),
    (On::Gfx950, 4, "MSG_SAVEWAVE"),
    (On::Gfx950, 5, "MSG_STALL_WAVE_GEN"),
    (On::Gfx950, 6, "MSG_HALT_WAVES"),
    (On::Gfx950, 7, "MSG_ORDERED_PS_DONE"),
    (On::Gfx950, 8, "MSG_EARLY_PRIM_DEALLOC"),
    (On::Both, 9, "MSG_GS_ALLOC_REQ"),
    (On::Gfx950, 10, "MSG_GET_DOORBELL"),
    (On::Gfx950, 15, "MSG_SYSMSG"),
    (On::Gfx1250, 2, "MSG_HS_TESSFACTOR"),
    (On::Gfx1250, 3, "MSG_DEALLOC_VGPRS"),
    (On::Gfx1250, 10, "MSG_SAVEWAVE_HAS_TDM"),
    (On::Gfx1250, 128, "MSG_RTN_GET_DOORBELL"),
    (On::Gfx1250, 129, "MSG_RTN_GET_DDID"),
    (On::Gfx1250, 130, "MSG_RTN_GET_TMA"),
    (On::Gfx1250, 131, "MSG_RTN_GET_REALTIME"),
    (On::Gfx1250, 132, "MSG_RTN_SAVE_WAVE"),
    (On::Gfx1250, 133, "MSG_RTN_GET_TBA"),
    (On::Gfx1250, 134, "MSG_RTN_GET_TBA_TO_PC"),
    (On::Gfx1250, 135, "MSG_RTN_GET_SE_AID_ID"),
    (On::Gfx1250, 136, "MSG_RTN_GET_CLUSTER_BARRIER_STATE"),
];

static GS_OPS: Names = &[
    (On::Gfx950, 0, "GS_OP_NOP"),
    (On::Gfx950, 1, "GS_OP_CUT"),
    (On::Gfx950, 2, "GS_OP_EMIT"),
    (On::Gfx950, 3, "GS_OP_EMIT_CUT"),
];

static SYSMSG_OPS: Names = &[
    (On::Gfx950, 1, "SYSMSG_OP_ECC_ERR_INTERRUPT"),
    (On::Gfx950, 2, "SYSMSG_OP_REG_RD"),
    (On::Gfx950, 4, "SYSMSG_OP_TTRACE_PC"),
];

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
        match line(machine) {
            Line::Early => Message { id: value & 0xf, op: (value >> 4) & 7, stream: (value >> 8) & 3 },
            Line::Late => Message { id: value & 0xff, op: 0, stream: 0 },
        }
    }

    /// The field value.
    pub fn encode(self) -> u16 {
        self.id | self.op << 4 | self.stream << 8
    }

    /// The message's name.
    pub fn name(self, machine: Machine) -> Option<&'static str> {
        name_of(MESSAGES, machine, self.id)
    }

    /// The names of the operations that the message must have; `None` if it takes none.
    fn ops(self, machine: Machine) -> Option<Names> {
        match (line(machine), self.id) {
            (Line::Early, 2 | 3) => Some(GS_OPS),
            (Line::Early, 15) => Some(SYSMSG_OPS),
            _ => None,
        }
    }

    /// Whether the message must have an operation.
    pub fn takes_op(self, machine: Machine) -> bool {
        self.ops(machine).is_some()
    }

    /// Whether the message with this operation has a stream.
    pub fn takes_stream(self, machine: Machine) -> bool {
        line(machine) == Line::Early && matches!(self.id, 2 | 3) && self.op != 0
    }

    /// The operation's name, if it is one that the message takes.
    pub fn op_name(self, machine: Machine) -> Option<&'static str> {
        // MSG_GS has no no-operation.
        if self.id == 2 && self.op == 0 {
            return None;
        }
        name_of(self.ops(machine)?, machine, self.op)
    }

    /// The number of an operation of this message.
    pub fn op_id(self, machine: Machine, name: &str) -> Option<u16> {
        value_of(self.ops(machine)?, machine, name).filter(|&op| !(self.id == 2 && op == 0))
    }

    /// Whether name, operation and stream go together.
    pub fn is_symbolic(self, machine: Machine) -> bool {
        let op = if self.takes_op(machine) { self.op_name(machine).is_some() } else { self.op == 0 };
        self.name(machine).is_some() && op && (self.stream == 0 || self.takes_stream(machine))
    }
}

/// The number of a message.
pub fn message_id(machine: Machine, name: &str) -> Option<u16> {
    value_of(MESSAGES, machine, name)
}

/// A counter in a field: its name, and where its bits are, least significant piece first.
#[derive(Debug)]
pub struct CounterField {
    /// As written.
    pub name: &'static str,
    /// (lowest bit, width).
    pub pieces: &'static [(u8, u8)],
}

impl CounterField {
    /// Its value in `field`.
    pub fn get(&self, field: u16) -> u16 {
        let mut value = 0;
        let mut shift = 0;
        for &(lo, width) in self.pieces {
            value |= ((field >> lo) & ((1 << width) - 1)) << shift;
            shift += width;
        }
        value
    }

    /// `value` at its place.
    pub fn put(&self, mut value: u16) -> u16 {
        let mut field = 0;
        for &(lo, width) in self.pieces {
            field |= (value & ((1 << width) - 1)) << lo;
            value >>= width;
        }
        field
    }

    /// The largest value, which waits for nothing.
    pub fn max(&self) -> u16 {
        let width: u8 = self.pieces.iter().map(|piece| piece.1).sum();
        (1 << width) - 1
    }
}

/// Counters of `s_waitcnt` (gfx9), in printing order.
pub static WAITCNT: &[CounterField] = &[
    CounterField { name: "vmcnt", pieces: &[(0, 4), (14, 2)] },
    CounterField { name: "expcnt", pieces: &[(4, 3)] },
    CounterField { name: "lgkmcnt", pieces: &[(8, 4)] },
];

/// Counters of `s_wait_alu` (gfx12), in printing order.
pub static DEPCTR: &[CounterField] = &[
    CounterField { name: "depctr_hold_cnt", pieces: &[(7, 1)] },
    CounterField { name: "depctr_sa_sdst", pieces: &[(0, 1)] },
    CounterField { name: "depctr_va_vdst", pieces: &[(12, 4)] },
    CounterField { name: "depctr_va_sdst", pieces: &[(9, 3)] },
    CounterField { name: "depctr_va_ssrc", pieces: &[(8, 1)] },
    CounterField { name: "depctr_va_vcc", pieces: &[(1, 1)] },
    CounterField { name: "depctr_vm_vsrc", pieces: &[(2, 3)] },
];

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
