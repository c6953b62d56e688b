//! What an instruction reads, writes and moves: registers, memory, counters, control.
//!
//! Read off the row: the operands with their access, the implicit registers and memory effect of its
//! attributes. It does not say what is computed.

use smallvec::SmallVec;

use crate::{Reg, Special};

/// A register that an instruction touches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RegUse {
    /// Which register or tuple.
    pub reg: Touched,
    /// Whether the instruction reads it.
    pub read: bool,
    /// Whether the instruction writes it.
    pub write: bool,
    /// Index of the operand that names it; `None` for implicit uses.
    pub operand: Option<u8>,
}

/// A numbered or named register.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Touched {
    /// A numbered register or tuple.
    Reg(Reg),
    /// A named one.
    Special(Special),
    /// The MODE register (rounding, denormals).
    Mode,
}

/// An address space of the memory pipelines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the variants are the manual's names
pub enum Space {
    Global,
    Lds,
    Scratch,
    Flat,
    /// Scalar data cache.
    Scalar,
    Gds,
}

/// What is done to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the variants are the manual's names
pub enum Direction {
    Load,
    Store,
    /// Read-modify-write without the old value.
    Atomic,
    /// Read-modify-write that returns the old value.
    AtomicReturn,
    /// Memory to LDS.
    ToLds,
    /// LDS to memory.
    FromLds,
    Prefetch,
    /// Write-back, invalidate.
    CacheOp,
    /// Uses the LDS crossbar only (`ds_bpermute_b32`, `ds_swizzle_b32`).
    Crossbar,
}

/// The memory effect of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Where.
    pub space: Space,
    /// What.
    pub direction: Direction,
    /// Bytes per lane (per wave for scalar and tensor operations, where 0 says that operands decide).
    pub bytes: u16,
}

/// A counter that an instruction increments at issue and its completion decrements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the variants are the manual's names
pub enum Counter {
    /// gfx9 VM_CNT.
    Vm,
    /// gfx9 LGKM_CNT.
    Lgkm,
    /// EXP_CNT.
    Exp,
    Load,
    Store,
    Ds,
    Km,
    Async,
    Tensor,
    X,
}

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
    /// To an address in registers (`s_setpc`, `s_swappc`, `s_rfe`).
    Indirect,
    /// To the label, the return address in registers (`s_call`).
    Call,
    /// The wave ends.
    End,
    /// The wave stops until something happens (`s_trap`, `s_sethalt`).
    Trap,
    /// A barrier's arrival, wait, or both.
    Barrier,
    /// Waits for counters.
    Wait,
}

/// All effects of one instruction.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Effects {
    /// Registers, operands first.
    pub regs: SmallVec<[RegUse; 8]>,
    /// Memory, if it touches any.
    pub memory: Option<Memory>,
    /// Counters that it increments.
    pub counters: SmallVec<[Counter; 2]>,
    /// Control flow.
    pub flow: Flow,
}
