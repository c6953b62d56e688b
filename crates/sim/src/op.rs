//! The pre-decoded form of one instruction: what the interpreter loop touches.

use std::hint::cold_path;
use std::sync::Arc;

use crate::regs::{Chunk, Regs};

/// The body of an arithmetic operation: the whole wave at once.
///
/// # Safety
/// A body compiled for a wider instruction set of the host may only be called where the host has it; decode
/// chooses the table accordingly (`alu::level`).
pub type Body = unsafe fn(&mut Regs, &Op);

/// A vector or scalar source or destination, resolved to the register slabs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    at: u32,
    /// Which of them.
    pub kind: PlaceKind,
}

impl Place {
    /// The last chunk or scalar that an operation can name ([`Operands`]).
    pub const LAST: usize = (1 << FIELD) - 1;

    /// Vector registers from chunk `at` of [`Regs::v`] on.
    pub const fn vector(at: u32) -> Place {
        Place { at, kind: PlaceKind::Vector }
    }

    /// A constant in the rows from chunk `at` of [`Regs::v`] on.
    pub const fn vector_constant(at: u32) -> Place {
        Place { at, kind: PlaceKind::VectorConst }
    }

    /// The scalar at canonical index `at` of [`Regs::s`].
    pub const fn scalar(at: u32) -> Place {
        Place { at, kind: PlaceKind::Scalar }
    }

    /// The chunk in [`Regs::v`] where it begins, its canonical index in [`Regs::s`], or 0 where there is no operand.
    pub const fn at(self) -> u32 {
        self.at
    }

    /// So many chunks, or scalars, further.
    pub const fn further(self, by: u32) -> Place {
        Place { at: self.at + by, kind: self.kind }
    }

    /// Is it in [`Regs::v`]?
    pub const fn is_row(self) -> bool {
        matches!(self.kind, PlaceKind::Vector | PlaceKind::VectorConst)
    }
}

/// What an operation has to do with other workgroups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Talk {
    /// Nothing.
    #[default]
    Silent,
    /// It asks what they may have done, or waits for them: a scoped load or a returning atomic on global memory, a sleep.
    Asks,
    /// It tells them what its wave has done: a scoped store, or an atomic that returns nothing.
    Tells,
}

/// Where a [`Place`] points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
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

/// The places of an operation's operands and what is [`Behind`] it, in two words: a core of the host that moves vectors makes
/// two accesses to memory a cycle, however narrow, so that what a body looks up counts as much as what it computes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Operands {
    /// From bit 0 what is behind it; from [`FIRST_FIELD`] the destination, source 0 and source 1.
    first: u64,
    /// From [`FIRST_FIELD`] source 2, the second destination and the kinds of all five.
    second: u64,
}

/// Bits of a place.
const FIELD: u32 = 19;

/// Where the first of them begins: there a chunk's number is its offset in bytes, without a shift.
const FIRST_FIELD: u32 = size_of::<Chunk>().trailing_zeros();

/// The first field.
const FIELD_BYTES: u64 = (Place::LAST as u64) << FIRST_FIELD;

const _: () = assert!(FIRST_FIELD + 3 * FIELD <= u64::BITS);

/// The operands: three sources, two destinations.
const ROLES: [Role; 5] = [Role::Src0, Role::Src1, Role::Src2, Role::Dst, Role::Dst2];

/// What an operand is to its operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The manual's src0.
    Src0,
    /// src1.
    Src1,
    /// src2.
    Src2,
    /// The destination.
    Dst,
    /// The second destination (`sdst` of carries, compares).
    Dst2,
}

impl Role {
    /// Which word, and how far from the first field there.
    const fn word(self) -> (bool, u32) {
        match self {
            Role::Dst => (false, 0),
            Role::Src0 => (false, FIELD),
            Role::Src1 => (false, 2 * FIELD),
            Role::Src2 => (true, 0),
            Role::Dst2 => (true, FIELD),
        }
    }

    /// Where its kind begins in the second word.
    const fn kind_at(self) -> u32 {
        FIRST_FIELD + 2 * FIELD + 2 * self as u32
    }
}

impl Operands {
    /// Offset in bytes of an operand that is a row of [`Regs::v`].
    #[inline(always)]
    pub const fn row_byte(self, role: Role) -> usize {
        let (second, by) = role.word();
        let word = if second { self.second } else { self.first };
        (word >> by & FIELD_BYTES) as usize
    }

    /// The canonical index of an operand that is a scalar, or 0 where there is none.
    #[inline(always)]
    pub const fn scalar_index(self, role: Role) -> u32 {
        (self.row_byte(role) >> FIRST_FIELD) as u32
    }

    /// Where an operand is.
    pub const fn place(self, role: Role) -> Place {
        let kind = match self.second >> role.kind_at() & 3 {
            0 => PlaceKind::None,
            1 => PlaceKind::Vector,
            2 => PlaceKind::VectorConst,
            _ => PlaceKind::Scalar,
        };
        Place { at: self.scalar_index(role), kind }
    }

    /// Put an operand there.
    fn put(&mut self, role: Role, place: Place) {
        assert!(place.at as usize <= Place::LAST, "the binder names no place further on");
        let (second, by) = role.word();
        let word = if second { &mut self.second } else { &mut self.first };
        *word = *word & !(FIELD_BYTES << by) | u64::from(place.at) << FIRST_FIELD << by;
        let kind_at = role.kind_at();
        self.second = self.second & !(3 << kind_at) | (place.kind as u64) << kind_at;
    }

    /// What is behind the operation in its line.
    #[inline(always)]
    const fn behind(self) -> Behind {
        match self.first & 3 {
            0 => Behind::Nothing,
            1 => Behind::SameBody,
            _ => Behind::OtherBody,
        }
    }
}

/// One pre-decoded instruction: one cache line of the host, for a loop of a few hundred fills the first cache together with the
/// registers that it touches.
#[derive(Clone)]
#[repr(align(64))]
pub struct Op {
    /// The body, for arithmetic; control, waits, memory and barriers are told apart by `kind`.
    pub body: Body,
    /// Its operands.
    pub operands: Operands,
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
    /// Dwords of the [branch](OpKind::Branch) that it is, or that its line ends with; 0 if there is none.
    pub branch: u8,
    /// The body ends with what is behind it in the line: with [`Op::onward`] or [`go_on`].
    pub goes_on: bool,
    /// It may write EXEC.
    pub writes_exec: bool,
    /// What it has to do with other workgroups.
    pub talk: Talk,
    /// What only slow paths need: modifiers of vector operations, descriptions of memory operations.
    pub detail: Option<Arc<Detail>>,
}

const _: () = assert!(size_of::<Op>() == 64);

impl Op {
    /// An operation without operands or detail yet, `dwords` long.
    pub fn new(body: Body, kind: OpKind, dwords: u8) -> Op {
        Op {
            body,
            operands: Operands::default(),
            imm: 0,
            kind,
            dwords,
            nothing: false,
            way: dwords,
            steps: 1,
            branch: 0,
            goes_on: false,
            writes_exec: false,
            talk: Talk::Silent,
            detail: None,
        }
    }

    /// The destination.
    pub const fn dst(&self) -> Place {
        self.operands.place(Role::Dst)
    }

    /// The second destination, or none.
    pub const fn dst2(&self) -> Place {
        self.operands.place(Role::Dst2)
    }

    /// The sources in the manual's order (src0, src1, src2).
    pub fn sources(&self) -> [Place; 3] {
        std::array::from_fn(|i| self.src(i))
    }

    /// Source number `i`, below 3.
    pub const fn src(&self, i: usize) -> Place {
        self.operands.place(ROLES[i])
    }

    /// Put the destination there.
    pub fn set_dst(&mut self, place: Place) {
        self.operands.put(Role::Dst, place);
    }

    /// Put the second destination there.
    pub fn set_dst2(&mut self, place: Place) {
        self.operands.put(Role::Dst2, place);
    }

    /// Put source number `i`, below 3, there.
    pub fn set_src(&mut self, i: usize, place: Place) {
        self.operands.put(ROLES[i], place);
    }

    /// The same operation with its sources there.
    pub fn with_sources(mut self, sources: [Place; 3]) -> Op {
        for (i, place) in sources.into_iter().enumerate() {
            self.set_src(i, place);
        }
        self
    }

    /// Say what is behind it in its line.
    pub fn set_behind(&mut self, behind: Behind) {
        self.operands.first = self.operands.first & !3 | behind as u64;
    }

    /// The same operation, in no line.
    pub fn alone(&self) -> Op {
        let mut alone = self.clone();
        alone.set_behind(Behind::Nothing);
        alone
    }

    /// What is behind this operation, whose `operands` the body has looked up, in its line ([`crate::program`]).
    ///
    /// # Safety
    /// An operation that has something behind it must stand in a slice with that, and be borrowed from it.
    #[inline(always)]
    pub unsafe fn onward(&self, operands: Operands) -> Onward<'_> {
        // The address does not depend on what is read of the operation: the host need not wait for that.
        let next = std::ptr::from_ref(self).wrapping_add(1);
        // SAFETY: the caller's promise.
        unsafe {
            match operands.behind() {
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
    Nothing = 0,
    /// An operation with the same body, which does that one, too.
    SameBody = 1,
    /// An operation with another body.
    OtherBody = 2,
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
    unsafe { go_on_from(regs, op, op.operands) }
}

/// As [`go_on`], for a body that has looked up the `operands`.
///
/// # Safety
/// As of [`go_on`].
#[inline(always)]
pub unsafe fn go_on_from(regs: &mut Regs, op: &Op, operands: Operands) {
    // SAFETY: the caller's promise.
    unsafe {
        match op.onward(operands) {
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
