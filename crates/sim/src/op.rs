//! The pre-decoded form of one instruction: what the interpreter loop touches.

use std::sync::Arc;

use crate::regs::Regs;

/// The body of an arithmetic operation: the whole wave at once.
///
/// # Safety
/// A body compiled for a wider instruction set of the host may only be called where the host has it; decode
/// chooses the table accordingly (`alu::level`).
pub type Body = unsafe fn(&mut Regs, &Op);

/// A vector or scalar source or destination, resolved to the register slabs. Packed, so that an [`Op`] is a cache line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(Rust, packed(2))]
pub struct Place {
    /// Chunk index in [`Regs::v`] or canonical index in [`Regs::s`].
    pub at: u32,
    /// Whose index it is.
    pub kind: PlaceKind,
}

/// Where a [`Place`] points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlaceKind {
    /// No operand.
    #[default]
    None,
    /// A vector register row: consecutive chunks; register n+1 follows `Regs::chunks` further.
    Vector,
    /// A vector constant: a row like a register's, the same value in all lanes (the high dword of a 64-bit constant
    /// is the next row).
    VectorConst,
    /// A scalar register or scalar constant, to be broadcast by a vector operation.
    Scalar,
}

/// One pre-decoded instruction: one cache line of the host, for a loop of a few hundred fills the first cache together with the
/// registers that it touches.
#[derive(Clone)]
#[repr(align(64))]
pub struct Op {
    /// The body, for arithmetic; control, waits, memory and barriers are told apart by `kind`.
    pub body: Body,
    /// Destination.
    pub dst: Place,
    /// Second destination (`sdst` of carries, compares), or none.
    pub dst2: Place,
    /// Sources in the manual's order (src0, src1, src2).
    pub src: [Place; 3],
    /// An immediate: simm16 sign-extended, control bits…, as the body wants it.
    pub imm: u64,
    /// How the interpreter loop treats it.
    pub kind: OpKind,
    /// Length in dwords.
    pub dwords: u8,
    /// It does nothing.
    pub nothing: bool,
    /// Dwords to the operation that comes next where nobody watches: what does nothing is passed over, the rest of its line is
    /// done.
    pub way: u8,
    /// Instructions in there.
    pub steps: u8,
    /// The body ends with [`Op::next_in_line`], for as long as there is one.
    pub goes_on: bool,
    /// Dwords to the next operation of its line; 0 behind the last one.
    pub next: u8,
    /// It is in its line, which does not change any more.
    pub lined_up: bool,
    /// It may write EXEC.
    pub writes_exec: bool,
    /// It asks what other workgroups may have done, or waits for them: a scoped load or a returning atomic on global
    /// memory, a sleep.
    pub asks: bool,
    /// What only slow paths need: modifiers of vector operations, descriptions of memory operations.
    pub detail: Option<Arc<Detail>>,
}

const _: () = assert!(size_of::<Op>() == 64);

impl Op {
    /// An operation without operands or detail yet, `dwords` long.
    pub fn new(body: Body, kind: OpKind, dwords: u8) -> Op {
        Op {
            body,
            dst: Place::default(),
            dst2: Place::default(),
            src: [Place::default(); 3],
            imm: 0,
            kind,
            dwords,
            nothing: false,
            way: dwords,
            steps: 1,
            goes_on: false,
            next: 0,
            lined_up: false,
            writes_exec: false,
            asks: false,
            detail: None,
        }
    }

    /// The same operation, in no line.
    pub fn alone(&self) -> Op {
        Op { next: 0, ..self.clone() }
    }

    /// The operation behind this one in its line ([`crate::program`]): it has the same body.
    ///
    /// # Safety
    /// An operation with a `next` must stand in a slice with that operation so many places behind it, and be borrowed from
    /// it.
    #[inline(always)]
    pub unsafe fn next_in_line(&self) -> Option<&Op> {
        // SAFETY: the caller's promise.
        (self.next != 0).then(|| unsafe { &*std::ptr::from_ref(self).add(self.next.into()) })
    }
}

/// How the interpreter loop treats an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpKind {
    /// Touches only [`Regs`]: call the body, go on.
    Alu,
    /// Touches only [`Regs`], and may read or write `pc`, which is kept for these and the machine's.
    Branch,
    /// Handled by the machine: memory, waits, barriers, messages, end.
    Machine,
    /// Not an instruction, or one that is not modelled: stops the run when reached.
    Unsupported,
    /// Not yet bound.
    Unbound,
}

/// The slow part of an [`Op`].
pub enum Detail {
    /// Modifiers of a vector operation.
    Alu(crate::alu::AluDetail),
    /// What a matrix operation multiplies.
    Matrix(Box<crate::matrix::Plan>),
    /// What the machine does.
    Machine(crate::machine::ops::MachineOp),
    /// Why it cannot be executed.
    Unsupported(String),
}
