//! The compiled form: names resolved to places, types decided, integers and floats apart.
//!
//! A *row* holds what one thread has in scope: variables and the bases of buffers, each at an index that the
//! compiler gives out by nesting depth. A *buffer slot* names the instance that a buffer stands for at the moment.

use std::sync::Arc;

use wavemark_diag::Span;

use super::number::{Function, Width};
use crate::dtype::Element;
use crate::expr::BinaryOp;

/// Index into [`Code::sites`].
pub(super) type SiteId = u32;
/// Index into a row.
pub(super) type Place = u32;

/// A statement that accesses buffers, for reports.
#[derive(Clone, Debug)]
pub(super) struct Site {
    pub span: Option<Span>,
    /// The loop variables in scope, outer first.
    pub loops: Vec<(Arc<str>, Place)>,
}

/// Where a buffer's instance and first element are found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    /// Index into the frame's buffers.
    pub index: u32,
    /// The row's entry with the element offset of `[0, 0, …]`.
    pub base: Place,
}

/// One element of a buffer.
#[derive(Debug)]
pub(super) struct Access {
    /// Index into [`Code::buffers`]: as the program names it.
    pub buffer: u32,
    pub slot: Slot,
    pub indices: Box<[Int]>,
    pub site: SiteId,
}

/// An expression of integer or `bool` type.
#[derive(Debug)]
pub(super) enum Int {
    Const(i64),
    Var(Place),
    Binary(BinaryOp, Width, SiteId, Box<[Int; 2]>),
    /// A comparison; the flag: as unsigned 64-bit numbers.
    Compare(BinaryOp, bool, Box<[Int; 2]>),
    CompareFloat(BinaryOp, Box<[Float; 2]>),
    And(Box<[Int; 2]>),
    Or(Box<[Int; 2]>),
    Not(Box<Int>),
    /// Both sides are evaluated.
    Select(Box<[Int; 3]>),
    /// Only the side taken is evaluated.
    IfThenElse(Box<[Int; 3]>),
    Load(Box<Access>),
    Wrap(Width, Box<Int>),
    NonZero(Box<Int>),
    Truncate(Width, Box<Float>),
    FloatNonZero(Box<Float>),
    Classify(Class, Box<Float>),
    Abs(Width, Box<Int>),
    BitNot(Width, Box<Int>),
    PopCount(Width, Box<Int>),
    LeadingZeros(Width, Box<Int>),
    /// The bits of a float.
    Bits(Element, Width, Box<Float>),
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Class {
    Nan,
    Infinite,
    Finite,
}

/// An expression of floating-point type.
#[derive(Debug)]
pub(super) enum Float {
    Const(f64),
    Var(Place),
    Binary(BinaryOp, Element, Box<[Float; 2]>),
    Select(Box<(Int, Float, Float)>),
    IfThenElse(Box<(Int, Float, Float)>),
    Load(Box<Access>),
    Round(Element, Box<Float>),
    FromInt(Element, Width, Box<Int>),
    Call(Function, Element, Box<[Float]>),
    /// The float of these bits.
    FromBits(Element, Box<Int>),
}

/// An expression of either kind.
#[derive(Debug)]
pub(super) enum Value {
    Int(Int),
    Float(Float),
}

/// A statement.
#[derive(Debug)]
pub(super) enum Node {
    Nop,
    Seq(Box<[Node]>),
    For(Box<For>),
    Threads(Box<Threads>),
    Block(Box<Block>),
    Store(Box<Store>),
    If(Box<If>),
    Let(Box<(Place, Value, Node)>),
    Evaluate(Box<Value>),
    Commit(Box<Commit>),
    Wait(Box<Wait>),
    Async(Box<Async>),
}

#[derive(Debug)]
pub(super) struct For {
    pub var: Place,
    pub min: Int,
    pub extent: Int,
    pub step: Option<Int>,
    pub body: Node,
    pub site: SiteId,
}

/// A loop over threads.
#[derive(Debug)]
pub(super) struct Threads {
    pub var: Place,
    pub min: Int,
    pub extent: Int,
    /// `blockIdx`: one after the other, each with queues of its own.
    pub workgroups: bool,
    pub body: Node,
    pub site: SiteId,
}

#[derive(Debug)]
pub(super) struct Block {
    pub predicate: Option<Int>,
    pub axes: Box<[(Place, Int)]>,
    pub allocations: Box<[Allocation]>,
    pub views: Box<[View]>,
    pub init: Option<Init>,
    pub body: Node,
}

#[derive(Debug)]
pub(super) struct Init {
    /// Reduction axes with the first values of their domains.
    pub first: Box<[(Place, Int)]>,
    pub body: Node,
}

/// A buffer made when its block is entered.
#[derive(Debug)]
pub(super) struct Allocation {
    pub slot: Slot,
    /// Index into [`Code::buffers`].
    pub buffer: u32,
    pub shape: Box<[Int]>,
    /// Empty: compact.
    pub strides: Box<[Int]>,
    pub sharing: Sharing,
    pub site: SiteId,
}

/// Who sees a buffer that is allocated inside a loop over threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sharing {
    /// All threads of the workgroup.
    Workgroup,
    /// One thread.
    Thread,
    /// Several, in a way that is not modelled.
    Unmodelled,
}

/// What a dimension of a parameter or view must be, or gives a name to.
#[derive(Debug)]
pub(super) enum Match {
    Bind(Place),
    Equal(Int),
}

/// Another name for a region.
#[derive(Debug)]
pub(super) struct View {
    pub slot: Slot,
    pub buffer: u32,
    pub source: Slot,
    /// First index and extent a dimension of the source.
    pub ranges: Box<[(Int, Int)]>,
    pub shape: Box<[Match]>,
    pub strides: Box<[Match]>,
    pub offset: Option<Match>,
    pub site: SiteId,
}

#[derive(Debug)]
pub(super) struct Store {
    pub access: Access,
    pub value: Value,
}

#[derive(Debug)]
pub(super) struct If {
    pub condition: Int,
    pub then: Node,
    pub otherwise: Option<Node>,
}

#[derive(Debug)]
pub(super) struct Commit {
    pub queue: Int,
    pub body: Node,
    pub site: SiteId,
}

#[derive(Debug)]
pub(super) struct Wait {
    pub queue: Int,
    pub count: Int,
    pub body: Node,
    pub site: SiteId,
}

/// A statement that runs later.
#[derive(Debug)]
pub(super) struct Async {
    pub body: Node,
    /// What it needs of the row.
    pub places: Box<[Place]>,
    /// What it needs of the frame's buffers.
    pub slots: Box<[u32]>,
    /// No buffer is both read and written, none is allocated: its stores may land in any order.
    pub independent: bool,
    pub site: SiteId,
}

/// A buffer's name and type.
#[derive(Debug)]
pub(super) struct BufferInfo {
    pub name: Arc<str>,
    pub element: Element,
}

/// A parameter.
#[derive(Debug)]
pub(super) enum Parameter {
    Scalar { name: Arc<str>, element: Element, place: Place },
    Buffer(BufferParameter),
}

#[derive(Debug)]
pub(super) struct BufferParameter {
    pub slot: Slot,
    pub buffer: u32,
    pub shape: Box<[Match]>,
    pub strides: Box<[Match]>,
    pub offset: Option<Match>,
}

/// A compiled function.
#[derive(Debug)]
pub(super) struct Code {
    pub parameters: Box<[Parameter]>,
    pub body: Node,
    pub sites: Vec<Site>,
    pub buffers: Vec<BufferInfo>,
    /// Entries of a row.
    pub row: usize,
    /// Buffer slots of a frame.
    pub slots: usize,
}
