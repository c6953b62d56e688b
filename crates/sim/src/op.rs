//! The pre-decoded form of one instruction: what the interpreter loop touches.

use std::hint::cold_path;
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
    /// Byte offset of a chunk in [`Regs::v`], which the host adds to its address as it is, or canonical index in
    /// [`Regs::s`].
    raw: u32,
    /// Which of them.
    pub kind: PlaceKind,
}

impl Place {
    /// Vector registers from chunk `at` of [`Regs::v`] on.
    pub const fn vector(at: u32) -> Place {
        Place { raw: at * CHUNK_BYTES, kind: PlaceKind::Vector }
    }

    /// A constant in the rows from chunk `at` of [`Regs::v`] on.
    pub const fn vector_constant(at: u32) -> Place {
        Place { raw: at * CHUNK_BYTES, kind: PlaceKind::VectorConst }
    }

    /// The scalar at canonical index `at` of [`Regs::s`].
    pub const fn scalar(at: u32) -> Place {
        Place { raw: at, kind: PlaceKind::Scalar }
    }

    /// The chunk in [`Regs::v`] where it begins, or its canonical index in [`Regs::s`].
    pub const fn at(self) -> u32 {
        if self.is_row() { self.raw / CHUNK_BYTES } else { self.raw }
    }

    /// So many chunks, or scalars, further.
    pub const fn further(self, by: u32) -> Place {
        let unit = if self.is_row() { CHUNK_BYTES } else { 1 };
        Place { raw: self.raw + by * unit, kind: self.kind }
    }

    /// Is it in [`Regs::v`]?
    pub const fn is_row(self) -> bool {
        matches!(self.kind, PlaceKind::Vector | PlaceKind::VectorConst)
    }

    /// The byte of [`Regs::v`] where a row begins.
    #[inline(always)]
    pub const fn row_byte(&self) -> usize {
        self.raw as usize
    }

    /// The canonical index of a scalar, or 0 where there is no operand.
    #[inline(always)]
    pub const fn scalar_index(&self) -> u32 {
        self.raw
    }
}

/// Bytes of a [`crate::regs::Chunk`].
const CHUNK_BYTES: u32 = size_of::<crate::regs::Chunk>() as u32;

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
    /// Dwords to what is behind it and the rest of its line.
    pub way: u8,
    /// Instructions in there.
    pub steps: u8,
    /// The body ends with what is behind it in the line: with [`Op::onward`] or [`go_on`].
    pub goes_on: bool,
    /// What is behind it in its line.
    pub behind: Behind,
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
            behind: Behind::Nothing,
            writes_exec: false,
            asks: false,
            detail: None,
        }
    }

    /// The same operation, in no line.
    pub fn alone(&self) -> Op {
        Op { behind: Behind::Nothing, ..self.clone() }
    }

    /// What is behind this operation in its line ([`crate::program`]).
    ///
    /// # Safety
    /// An operation that has something behind it must stand in a slice with that, and be borrowed from it.
    #[inline(always)]
    pub unsafe fn onward(&self) -> Onward<'_> {
        // The address does not depend on what is read of the operation: the host need not wait for that.
        let next = std::ptr::from_ref(self).wrapping_add(1);
        // SAFETY: the caller's promise.
        unsafe {
            match self.behind {
                Behind::Nothing => {
                    cold_path();
                    Onward::End
                }
                Behind::SameBody => Onward::SameBody(&*next),
                Behind::OtherBody => Onward::OtherBody(&*next),
            }
        }
    }
}

/// What there is behind an operation in its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behind {
    /// Nothing.
    Nothing,
    /// An operation with the same body, which does that one, too.
    SameBody,
    /// An operation with another body.
    OtherBody,
}

/// The operation behind one in its line.
pub enum Onward<'a> {
    /// There is none.
    End,
    /// It has the same body, which does that one, too.
    SameBody(&'a Op),
    /// It has another body. To call that is the last that the body does: the compiler makes a jump of it.
    OtherBody(&'a Op),
}

/// The end of a body that goes on: what is behind its operation in the line.
///
/// # Safety
/// As of [`Body`], and of [`Op::onward`].
#[inline(always)]
pub unsafe fn go_on(regs: &mut Regs, op: &Op) {
    // SAFETY: the caller's promise.
    unsafe {
        match op.onward() {
            Onward::End => {}
            Onward::SameBody(next) | Onward::OtherBody(next) => (next.body)(regs, next),
        }
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
