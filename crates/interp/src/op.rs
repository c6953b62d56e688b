//! The compiled form of a function: what `run` executes.
//!
//! Operands are registers or constants ([`Src`]), results are registers numbered above their operands. What only
//! renames or recuts values has no operation, but for [`Op::Recut`].

use std::sync::Arc;

use wavemark_ir::float::Format;
use wavemark_ir::function::Inst;
use wavemark_ir::module::Global;
use wavemark_ir::opcode::{BinaryOp, Flags, FloatPredicate, IntPredicate, RmwOp};
use wavemark_sim::transpose::Transpose;

use crate::lanes::{Pool, Src};
use crate::meaning::{Cross, Id, Sync};
use crate::race::{Level, Spaces};
use crate::shape::{Image, Piece};

/// A memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// Any of the three, by the address.
    Flat,
    /// Global memory, constant or not.
    Global,
    /// LDS.
    Local,
    /// Scratch of the lane.
    Private,
}

/// A conversion of a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Convert {
    /// Fewer bits; what is cut off may have been promised to be nothing.
    Trunc(u32, u32, Flags),
    /// More bits, by the sign.
    SExt(u32, u32),
    /// The same value, which was promised not to be negative.
    NonNegative(u32),
    /// Between floating-point formats.
    Float(Format, Format, Flags),
    /// To an integer, signed or not.
    ToInt(Format, u32, bool),
    /// To an integer that saturates.
    ToIntSaturating(Format, u32, bool),
    /// From an integer, signed or not; it may have been promised not to be negative.
    OfInt(u32, bool, Format, bool),
    /// Between address spaces.
    Space(u32, u32),
}

/// A function of words: the result, and whether it is poison.
pub type Words = Arc<dyn Fn(&[u64]) -> (u64, bool)>;

/// What is added to an address.
#[derive(Clone, Copy, Debug)]
pub struct Term {
    /// The index.
    pub index: Src,
    /// Its bits.
    pub bits: u32,
    /// Bytes of an element.
    pub scale: u64,
}

/// Access to memory through a pointer.
#[derive(Clone, Debug)]
pub struct Access {
    /// Which memory.
    pub space: Space,
    /// The pointer.
    pub pointer: Src,
    /// How the value lies there.
    pub image: Arc<Image>,
    /// The alignment that is promised.
    pub align: u64,
    /// How it is atomic, if it is.
    pub atomic: Option<Atomic>,
}

/// How an access is atomic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Atomic {
    /// How far.
    pub level: Level,
    /// It acquires.
    pub acquires: bool,
    /// It releases.
    pub releases: bool,
}

/// A buffer and a place in it.
#[derive(Clone, Debug)]
pub struct BufferPlace {
    /// The resource: two limbs.
    pub resource: [Src; 2],
    /// An index.
    pub index: Option<Src>,
    /// The lane's offset.
    pub voffset: Src,
    /// The wave's offset.
    pub soffset: Src,
    /// The instruction's offset.
    pub offset: i64,
}

/// An element of a typed buffer, in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Typed {
    /// The number of its format; `None`: the resource says it.
    pub format: Option<u8>,
    /// Registers.
    pub components: u32,
    /// Of 16 bits instead of 32.
    pub d16: bool,
}

/// An operation.
#[derive(Clone)]
pub enum Op {
    /// On integers of at most 64 bits.
    Int { op: BinaryOp, flags: Flags, bits: u32, to: u32, a: Src, b: Src },
    /// On integers of at most 128.
    Wide { op: BinaryOp, flags: Flags, bits: u32, to: u32, a: [Src; 2], b: [Src; 2] },
    /// On floating-point numbers.
    Float { op: BinaryOp, flags: Flags, format: Format, to: u32, a: Src, b: Src },
    /// The sign of a number turned around.
    Negate { bits: u32, to: u32, a: Src },
    /// A comparison of integers.
    Compare { predicate: IntPredicate, bits: u32, same_sign: bool, to: u32, a: Src, b: Src },
    /// Of integers of at most 128 bits.
    CompareWide { predicate: IntPredicate, bits: u32, to: u32, a: [Src; 2], b: [Src; 2] },
    /// Of floating-point numbers.
    CompareFloats { predicate: FloatPredicate, flags: Flags, format: Format, to: u32, a: Src, b: Src },
    /// One of two.
    Select { to: u32, condition: Src, a: Src, b: Src },
    /// A conversion.
    Convert { convert: Convert, to: u32, a: Src },
    /// Bits cut anew: what each register from `to` on is of `from`.
    Recut { to: u32, from: Box<[Src]>, pieces: Box<[Vec<Piece>]> },
    /// Some value, if there is none.
    Freeze { to: u32, a: Src },
    /// An element that is known when it runs: `elements` of so many limbs each.
    Extract { to: u32, elements: Box<[Src]>, limbs: u32, index: Src },
    /// A vector with an element replaced that is known when it runs.
    Insert { to: u32, elements: Box<[Src]>, limbs: u32, value: Box<[Src]>, index: Src },
    /// An address in an array.
    Address { to: u32, base: Src, offset: u64, terms: Box<[Term]>, bits: u32, flags: Flags },
    /// A function lane by lane.
    Words { to: u32, from: Box<[Src]>, f: Words },
    /// a × b + c.
    Fma { format: Format, to: u32, a: Src, b: Src, c: Src },
    /// A wave's product, or another machine instruction: the function of that number, its operands as dwords from the
    /// vector register given, what its result holds before, and its result.
    Machine(Box<Machine>),
    /// A value of other lanes.
    Cross { cross: Cross, to: u32, from: Box<[Src]>, bits: u32, immediates: [u64; 4] },
    /// A number of the launch.
    Id { id: Id, to: u32, from: Box<[Src]> },
    /// A load.
    Load { to: u32, access: Access, promise: Option<Box<Promise>> },
    /// A store.
    Store { access: Access, value: Box<[Src]> },
    /// Read, modify, write.
    Rmw { to: u32, op: RmwOp, format: Option<Format>, access: Access, value: Src, elements: u32 },
    /// Compare, exchange; the second result says whether it did.
    CompareExchange { to: u32, access: Access, expected: Src, replacement: Src },
    /// A fence.
    Fence { atomic: Atomic, spaces: Spaces },
    /// A load from a buffer.
    BufferLoad { to: u32, place: BufferPlace, image: Arc<Image>, atomic: Option<Atomic> },
    /// A store to a buffer.
    BufferStore { place: BufferPlace, value: Box<[Src]>, image: Arc<Image>, atomic: Option<Atomic> },
    /// A load of an element that a format converts.
    TypedLoad { to: u32, place: BufferPlace, typed: Typed },
    /// A store of one.
    TypedStore { place: BufferPlace, value: Box<[Src]>, typed: Typed },
    /// A load or store, in the lanes whose bit is set.
    Masked { mask: Src, op: Box<Op> },
    /// Read, modify, write in a buffer; with a value to be compared, an exchange.
    BufferRmw {
        to: u32,
        op: RmwOp,
        format: Option<Format>,
        place: BufferPlace,
        value: Src,
        expected: Option<Src>,
        image: Arc<Image>,
    },
    /// A load that transposes within 16 lanes.
    Transposed { to: u32, transpose: Transpose, space: Space, pointer: Src, image: Arc<Image> },
    /// Memory to LDS, the lanes side by side.
    ToLds { from: DmaFrom, lds: Src, bytes: u32, offset: i64, asynchronous: bool },
    /// Between memory and LDS, each lane at its own addresses.
    Async { global: Src, lds: Src, offset: i64, bytes: u32, store: bool, workgroups: Option<Src> },
    /// Tensor DMA: its descriptor's dwords.
    Tensor { store: bool, groups: Box<[Src]> },
    /// A barrier in LDS counts an arrival.
    Arrive { to: Option<u32>, pointer: Src, count: Option<Src> },
    /// Bytes to bytes.
    Copy { to: [Space; 2], pointers: [Src; 2], bytes: Src, bits: u32 },
    /// A byte to many.
    Fill { space: Space, pointer: Src, value: Src, bytes: Src },
    /// Room on the stack.
    Alloca { to: u32, bytes: u64, align: u64, count: Option<Src> },
    /// The top of the stack.
    StackSave { to: u32 },
    /// The stack as it was.
    StackRestore { from: Src },
    /// What concerns other waves: operands and immediate.
    Sync { sync: Sync, to: u32, from: Box<[Src]>, immediate: u64 },
    /// A bit of MODE, or another hardware register.
    SetReg { field: u16, value: Src },
    /// Read.
    GetReg { to: u32, field: u16 },
    /// What must be true.
    Assume { condition: Src },
    /// A function is called, with its arguments and where so many limbs of its result go.
    Call { callee: Callee, arguments: Box<[Src]>, to: u32, results: u32 },
    /// The program gives up.
    Trap,
    /// The wave ends.
    End,
    /// What is not executed is reached.
    Refused(Arc<str>),
}

/// A machine instruction as a function.
#[derive(Clone, Debug)]
pub struct Machine {
    /// Which.
    pub function: usize,
    /// The first register of the result.
    pub to: u32,
    /// The limbs that are operands, one behind the other.
    pub from: Box<[Src]>,
    /// Vector registers, and what each is of `from`.
    pub inputs: Box<[(u32, Vec<Piece>)]>,
    /// The first vector register of the result.
    pub output: u32,
    /// What each limb of the result is of it.
    pub results: Box<[Vec<Piece>]>,
    /// A lane's result depends on other lanes.
    pub across: bool,
}

/// Where a copy to LDS reads.
#[derive(Clone, Debug)]
pub enum DmaFrom {
    /// In a buffer.
    Buffer(BufferPlace),
    /// At an address in global memory.
    Pointer(Src),
}

/// What a value was promised to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Promise {
    /// In one of these ranges, each from the first number to before the second.
    Range(Vec<(u64, u64)>, u32),
    /// Not null.
    NonNull,
    /// A value at all.
    NoUndef,
}

/// Who is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Callee {
    /// A function of the program.
    Known(usize),
    /// The one at an address.
    At(Src),
}

/// The way to a block.
#[derive(Clone, Debug, Default)]
pub struct Edge {
    /// Its number.
    pub target: u32,
    /// What its `phi`s become.
    pub moves: Box<[(u32, Src)]>,
}

/// How a block ends.
#[derive(Clone, Debug)]
pub enum End {
    /// With one way to go.
    Go(Edge),
    /// With two.
    Branch {
        /// Odd: the first.
        condition: Src,
        /// The first.
        then: Edge,
        /// The other.
        otherwise: Edge,
    },
    /// With many; the first of them is the default.
    Switch {
        /// The value.
        value: Src,
        /// Cases, by the number of their way.
        cases: Box<[(u64, u32)]>,
        /// The ways.
        ways: Box<[Edge]>,
    },
    /// With the function.
    Return(Box<[Src]>),
    /// Nowhere.
    Unreachable,
}

/// A block.
#[derive(Clone)]
pub struct Block {
    /// Its operations, each with its instruction.
    pub ops: Vec<(Op, Inst)>,
    /// How it ends.
    pub end: End,
    /// The instruction that says so.
    pub end_at: Inst,
    /// Where lanes that part here meet again; `None`: behind the function.
    pub meets: Option<u32>,
    /// Whether each lane goes alone from here.
    pub apart: Apart,
}

/// How far lanes go alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Apart {
    /// They do not.
    #[default]
    No,
    /// To a block that all of them reach; `None`: to the function's end.
    Until(Option<u32>),
}

/// A function.
pub struct Function {
    /// Which it is in its module.
    pub global: Global,
    /// Its registers.
    pub registers: u32,
    /// Its constants.
    pub pool: Pool,
    /// The registers of its parameters, limb by limb.
    pub parameters: u32,
    /// Its blocks; it begins with the first.
    pub blocks: Vec<Block>,
}
