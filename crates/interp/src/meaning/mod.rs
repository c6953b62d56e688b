//! What intrinsics do, by name: one line each.
//!
//! A name that has a row in the table of `ir` and no line here is refused where it is called, with its name
//! (`refused.txt` lists them with the reason, and a test holds that list and these tables to each other). What an
//! intrinsic computes across lanes, or does to memory, marks, counters and barriers, is a word here and code in `run`;
//! what is a machine instruction is a line of `instructions.txt`. What is done with barriers is a column of that table.

pub mod lowered;
pub mod scalar;

use std::sync::LazyLock;

use rustc_hash::FxHashMap;
use wavemark_ir::intrinsic::{self, Barrier};
use wavemark_ir::opcode::{BinaryOp, RmwOp};
use wavemark_sim::transpose::Transpose;

use scalar::{Float1, Float2, Float3, Int1, Int2, Int3};

/// What an intrinsic does.
#[derive(Clone, Copy, Debug)]
pub enum Meaning {
    /// Nothing that a value or another thread could tell.
    Nothing,
    /// A number of the launch.
    Id(Id),
    /// A function of floating-point numbers.
    Float1(Float1),
    /// The same, and what it is with `afn`.
    Approximated(Float1, Float1),
    /// Of two.
    Float2(Float2),
    /// Of three.
    Float3(Float3),
    /// A function of integers.
    Int1(Int1),
    /// Of two.
    Int2(Int2),
    /// Of three.
    Int3(Int3),
    /// The exponent of a number.
    FrexpExp,
    /// Significand and exponent.
    Frexp,
    /// A number times a power of two.
    Ldexp,
    /// A power with an integer.
    Powi,
    /// Whether a number is of some classes.
    IsClass,
    /// To an integer that saturates, signed or not.
    ToIntSaturating(bool),
    /// a × b + c.
    Fma,
    /// The result and whether it overflows, signed or not.
    Overflow(BinaryOp, bool),
    /// A comparison in three ways, signed or not.
    ThreeWay(bool),
    /// The elements of a vector, joined.
    Reduce(Reduce),
    /// A product of 24 bits, signed or not.
    Mul24(bool),
    /// Any function of three bits.
    BitOp3,
    /// Steps of a division: scale.
    DivScale,
    /// Steps of a division: multiply and add.
    DivFmas,
    /// A conversion of one code of eight bits, chosen by an immediate.
    OfFp8(fn(u8) -> f32),
    /// Of two.
    OfFp8Pair(fn(u8) -> f32),
    /// The first argument.
    First,
    /// False: nothing is known before it runs.
    IsConstant,
    /// A pointer with some of its bits.
    PtrMask,
    /// What must be true.
    Assume,
    /// A buffer resource.
    MakeResource,
    /// Whether a flat pointer is into an address space.
    IsSpace(u32),
    /// A machine instruction, in assembly text.
    Instruction,
    /// A value of other lanes.
    Cross(Cross),
    /// Access to a buffer through its resource; `true`: with an index.
    Buffer(Buffer, bool),
    /// Access to an element of a typed buffer.
    TypedBuffer {
        /// It is stored.
        store: bool,
        /// With an index.
        indexed: bool,
        /// The intrinsic says the format, not the resource.
        says: bool,
    },
    /// Memory to LDS, the lanes side by side.
    ToLds {
        /// Where from.
        from: DmaSource,
        /// It is done when a mark says so, not when the next instruction begins.
        asynchronous: bool,
    },
    /// Between memory and LDS, each lane at its own address: bytes, whether into LDS, whether for a cluster.
    Async {
        /// Bytes of a lane.
        bytes: u32,
        /// From LDS to memory.
        store: bool,
        /// Its last argument says for which workgroups of the cluster.
        cluster: bool,
    },
    /// Tensor DMA, out of LDS or into it; `true`: two groups of its descriptor alone.
    Tensor(bool, bool),
    /// A load that transposes.
    Transposed(TransposedLoad),
    /// Bytes of memory to other bytes.
    MemCopy,
    /// 0, 1, 2, … as a vector.
    StepVector,
    /// A vector in memory, of which the elements are accessed whose bit is set; `spread`: each at its own place.
    Masked {
        /// It writes.
        store: bool,
        /// Each element has a pointer.
        spread: bool,
    },
    /// One byte to many.
    MemSet,
    /// The top of the stack.
    StackSave,
    /// The stack as it was.
    StackRestore,
    /// What concerns other waves, or time.
    Sync(Sync),
    /// A barrier in LDS counts an arrival; `true`: when what is in flight is done.
    Arrive(bool),
    /// The program gives up.
    Trap,
    /// The wave ends.
    End,
    /// A hardware register is written.
    SetReg,
    /// It is read.
    GetReg,
}

/// A number of the launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the intrinsics'")]
pub enum Id {
    WorkItem(u8),
    Workgroup(u8),
    Cluster(u8),
    InCluster(u8),
    FlatInCluster,
    Wave,
    WaveSize,
    StaticLds,
    DispatchPtr,
    QueuePtr,
    ImplicitArgs,
    KernargSegment,
    DispatchId,
    Clock,
    /// How many lanes of a mask are below the own one, in the lower or upper half.
    MaskBits(bool),
}

/// How elements are joined.
#[derive(Clone, Copy, Debug)]
pub enum Reduce {
    /// By an operation of integers.
    Int(BinaryOp),
    /// By a function of integers.
    IntFn(Int2),
    /// By a function of numbers.
    FloatFn(Float2),
    /// By an operation of numbers, from the first argument on and from left to right.
    From(BinaryOp),
}

/// What lanes give each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the intrinsics'")]
pub enum Cross {
    ReadFirstLane,
    ReadLane,
    WriteLane,
    Ballot,
    InverseBallot,
    Bpermute,
    Permute,
    Swizzle,
    MovDpp,
    UpdateDpp,
    MovDpp8,
    /// Within a row, or from the other row.
    PermLane16(bool),
    PermLane64,
    PermLane16Swap,
    PermLane32Swap,
    WaveReduce {
        max: bool,
    },
    SetInactive,
    ICmp,
    FCmp,
}

/// What is done to a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Buffer {
    Load,
    Store,
    Atomic(RmwOp),
    CompareSwap,
}

/// Where a copy into LDS comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DmaSource {
    /// A buffer; `true`: with an index.
    Buffer(bool),
    /// A pointer.
    Pointer,
}

/// A load that transposes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransposedLoad(pub Transpose);

/// What concerns other waves, or time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the intrinsics'")]
pub enum Sync {
    /// What the table says that is done with a barrier.
    Barrier(Barrier),
    Mark,
    AwaitMarks,
    AwaitAsync,
    AwaitTensor,
    AwaitCounters,
    Sleep,
}

const INSTRUCTIONS: &str = include_str!("instructions.txt");

/// A row of `instructions.txt`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The intrinsic.
    pub name: &'static str,
    /// It is for calls with so many arguments.
    arguments: Option<usize>,
    /// It is for calls whose arguments of these numbers are 0.
    zeros: Vec<usize>,
    /// The instruction.
    pub text: &'static str,
}

/// The rows of `instructions.txt`.
pub fn instructions() -> impl Iterator<Item = Row> {
    let lines = INSTRUCTIONS.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.filter_map(|line| {
        let (name, text) = line.split_once(" | ")?;
        let (name, zeros) = name.split_once("=0(").unwrap_or((name, ")"));
        let (name, arguments) = name.split_once('/').unwrap_or((name, ""));
        let zeros = zeros.trim_end_matches(')').split(',').filter_map(|number| number.parse().ok());
        Some(Row { name, arguments: arguments.parse().ok(), zeros: zeros.collect(), text })
    })
}

/// The texts of an intrinsic that is a machine instruction, called with so many arguments; `zero` says which of them are
/// the constant 0.
pub fn texts(
    name: &str,
    arguments: usize,
    zero: impl Fn(usize) -> bool,
) -> impl Iterator<Item = &'static str> {
    let fits = move |row: &Row| {
        row.name == name
            && row.arguments.is_none_or(|count| count == arguments)
            && row.zeros.iter().all(|&argument| zero(argument))
    };
    instructions().filter(fits).map(|row| row.text)
}

static MEANINGS: LazyLock<FxHashMap<&'static str, Meaning>> = LazyLock::new(|| {
    let named = instructions().map(|row| (row.name, Meaning::Instruction));
    let barriers = intrinsic::all().iter().filter_map(|row| Some((row.name, of_barrier(row.barrier?)?)));
    TABLE.iter().copied().chain(named).chain(barriers).collect()
});

/// What an intrinsic does whose row says what it does with a barrier.
fn of_barrier(barrier: Barrier) -> Option<Meaning> {
    match barrier {
        Barrier::ArriveAtCell => Some(Meaning::Arrive(false)),
        Barrier::ArriveAtCellLater => Some(Meaning::Arrive(true)),
        // A sequence of others (`refused.txt`).
        Barrier::MeetCluster => None,
        other => Some(Meaning::Sync(Sync::Barrier(other))),
    }
}

/// What the intrinsic of that name (without the types that it is overloaded on) does; `None`: it is not executed.
pub fn of(name: &str) -> Option<Meaning> {
    MEANINGS.get(name).copied()
}

/// The names that have a meaning.
pub fn names() -> impl Iterator<Item = &'static str> {
    MEANINGS.keys().copied()
}

use Meaning::{Buffer as Access, *};

/// The table.
const TABLE: &[(&str, Meaning)] = &[
    // Where a work-item is.
    ("llvm.amdgcn.workitem.id.x", Id(self::Id::WorkItem(0))),
    ("llvm.amdgcn.workitem.id.y", Id(self::Id::WorkItem(1))),
    ("llvm.amdgcn.workitem.id.z", Id(self::Id::WorkItem(2))),
    ("llvm.amdgcn.workgroup.id.x", Id(self::Id::Workgroup(0))),
    ("llvm.amdgcn.workgroup.id.y", Id(self::Id::Workgroup(1))),
    ("llvm.amdgcn.workgroup.id.z", Id(self::Id::Workgroup(2))),
    ("llvm.amdgcn.cluster.id.x", Id(self::Id::Cluster(0))),
    ("llvm.amdgcn.cluster.id.y", Id(self::Id::Cluster(1))),
    ("llvm.amdgcn.cluster.id.z", Id(self::Id::Cluster(2))),
    ("llvm.amdgcn.cluster.workgroup.id.x", Id(self::Id::InCluster(0))),
    ("llvm.amdgcn.cluster.workgroup.id.y", Id(self::Id::InCluster(1))),
    ("llvm.amdgcn.cluster.workgroup.id.z", Id(self::Id::InCluster(2))),
    ("llvm.amdgcn.cluster.workgroup.flat.id", Id(self::Id::FlatInCluster)),
    ("llvm.amdgcn.wave.id", Id(self::Id::Wave)),
    ("llvm.amdgcn.wavefrontsize", Id(self::Id::WaveSize)),
    ("llvm.amdgcn.groupstaticsize", Id(self::Id::StaticLds)),
    ("llvm.amdgcn.dispatch.ptr", Id(self::Id::DispatchPtr)),
    ("llvm.amdgcn.queue.ptr", Id(self::Id::QueuePtr)),
    ("llvm.amdgcn.implicitarg.ptr", Id(self::Id::ImplicitArgs)),
    ("llvm.amdgcn.kernarg.segment.ptr", Id(self::Id::KernargSegment)),
    ("llvm.amdgcn.dispatch.id", Id(self::Id::DispatchId)),
    ("llvm.amdgcn.s.memtime", Id(self::Id::Clock)),
    ("llvm.amdgcn.s.memrealtime", Id(self::Id::Clock)),
    ("llvm.amdgcn.mbcnt.lo", Id(self::Id::MaskBits(false))),
    ("llvm.amdgcn.mbcnt.hi", Id(self::Id::MaskBits(true))),
    ("llvm.amdgcn.is.shared", IsSpace(3)),
    ("llvm.amdgcn.is.private", IsSpace(5)),
    // Between lanes.
    ("llvm.amdgcn.readfirstlane", Cross(self::Cross::ReadFirstLane)),
    ("llvm.amdgcn.readlane", Cross(self::Cross::ReadLane)),
    ("llvm.amdgcn.writelane", Cross(self::Cross::WriteLane)),
    ("llvm.amdgcn.ballot", Cross(self::Cross::Ballot)),
    ("llvm.amdgcn.inverse.ballot", Cross(self::Cross::InverseBallot)),
    ("llvm.amdgcn.ds.bpermute", Cross(self::Cross::Bpermute)),
    ("llvm.amdgcn.ds.permute", Cross(self::Cross::Permute)),
    ("llvm.amdgcn.ds.swizzle", Cross(self::Cross::Swizzle)),
    ("llvm.amdgcn.mov.dpp", Cross(self::Cross::MovDpp)),
    ("llvm.amdgcn.update.dpp", Cross(self::Cross::UpdateDpp)),
    ("llvm.amdgcn.mov.dpp8", Cross(self::Cross::MovDpp8)),
    ("llvm.amdgcn.permlane16", Cross(self::Cross::PermLane16(false))),
    ("llvm.amdgcn.permlanex16", Cross(self::Cross::PermLane16(true))),
    ("llvm.amdgcn.permlane64", Cross(self::Cross::PermLane64)),
    ("llvm.amdgcn.permlane16.swap", Cross(self::Cross::PermLane16Swap)),
    ("llvm.amdgcn.permlane32.swap", Cross(self::Cross::PermLane32Swap)),
    ("llvm.amdgcn.wave.reduce.umin", Cross(self::Cross::WaveReduce { max: false })),
    ("llvm.amdgcn.wave.reduce.umax", Cross(self::Cross::WaveReduce { max: true })),
    ("llvm.amdgcn.set.inactive", Cross(self::Cross::SetInactive)),
    ("llvm.amdgcn.icmp", Cross(self::Cross::ICmp)),
    ("llvm.amdgcn.fcmp", Cross(self::Cross::FCmp)),
    // Buffers.
    ("llvm.amdgcn.make.buffer.rsrc", MakeResource),
    ("llvm.amdgcn.raw.ptr.buffer.load", Access(self::Buffer::Load, false)),
    ("llvm.amdgcn.raw.ptr.buffer.store", Access(self::Buffer::Store, false)),
    ("llvm.amdgcn.struct.ptr.buffer.load", Access(self::Buffer::Load, true)),
    ("llvm.amdgcn.struct.ptr.buffer.store", Access(self::Buffer::Store, true)),
    ("llvm.amdgcn.raw.ptr.buffer.load.format", TypedBuffer { store: false, indexed: false, says: false }),
    ("llvm.amdgcn.raw.ptr.buffer.store.format", TypedBuffer { store: true, indexed: false, says: false }),
    ("llvm.amdgcn.struct.ptr.buffer.load.format", TypedBuffer { store: false, indexed: true, says: false }),
    ("llvm.amdgcn.struct.ptr.buffer.store.format", TypedBuffer { store: true, indexed: true, says: false }),
    ("llvm.amdgcn.raw.ptr.tbuffer.load", TypedBuffer { store: false, indexed: false, says: true }),
    ("llvm.amdgcn.raw.ptr.tbuffer.store", TypedBuffer { store: true, indexed: false, says: true }),
    ("llvm.amdgcn.struct.ptr.tbuffer.load", TypedBuffer { store: false, indexed: true, says: true }),
    ("llvm.amdgcn.struct.ptr.tbuffer.store", TypedBuffer { store: true, indexed: true, says: true }),
    ("llvm.amdgcn.raw.ptr.buffer.atomic.swap", Access(self::Buffer::Atomic(RmwOp::Xchg), false)),
    ("llvm.amdgcn.raw.ptr.buffer.atomic.add", Access(self::Buffer::Atomic(RmwOp::Add), false)),
    ("llvm.amdgcn.raw.ptr.buffer.atomic.sub", Access(self::Buffer::Atomic(RmwOp::Sub), false)),
    ("llvm.amdgcn.raw.ptr.buffer.atomic.smin", Access(self::Buffer::Atomic(RmwOp::Min), false)),
    ("llvm.amdgcn.raw.ptr.buffer.atomic.umin", Access(self::Buffer::Atomic(RmwOp::UMin), false)),
    ("llvm.amdgcn.raw.ptr.buffer.atomic.smax", Access(self::Buffer::Atomic(RmwOp::Max), false)),
    ("llvm.amdgcn.raw.ptr.buffer.atomic.umax", Access(self::Buffer::Atomic(RmwOp::UMax), false)),
    ("llvm.amdgcn.raw.ptr.buffer.atomic.and", Access(self::Buffer::Atomic(RmwOp::And), false)),
    ("llvm.amdgcn.raw.ptr.buffer.atomic.or", Access(self::Buffer::Atomic(RmwOp::Or), false)),
    ("llvm.amdgcn.raw.ptr.buffer.atomic.xor", Access(self::Buffer::Atomic(RmwOp::Xor), false)),
    ("llvm.amdgcn.raw.ptr.buffer.atomic.fadd", Access(self::Buffer::Atomic(RmwOp::FAdd), false)),
    ("llvm.amdgcn.raw.ptr.buffer.atomic.fmin", Access(self::Buffer::Atomic(RmwOp::FMin), false)),
    ("llvm.amdgcn.raw.ptr.buffer.atomic.fmax", Access(self::Buffer::Atomic(RmwOp::FMax), false)),
    ("llvm.amdgcn.raw.ptr.buffer.atomic.cmpswap", Access(self::Buffer::CompareSwap, false)),
    // Into LDS and out of it.
    ("llvm.amdgcn.raw.ptr.buffer.load.lds", ToLds { from: DmaSource::Buffer(false), asynchronous: false }),
    ("llvm.amdgcn.struct.ptr.buffer.load.lds", ToLds { from: DmaSource::Buffer(true), asynchronous: false }),
    ("llvm.amdgcn.global.load.lds", ToLds { from: DmaSource::Pointer, asynchronous: false }),
    ("llvm.amdgcn.load.to.lds", ToLds { from: DmaSource::Pointer, asynchronous: false }),
    (
        "llvm.amdgcn.raw.ptr.buffer.load.async.lds",
        ToLds { from: DmaSource::Buffer(false), asynchronous: true },
    ),
    (
        "llvm.amdgcn.struct.ptr.buffer.load.async.lds",
        ToLds { from: DmaSource::Buffer(true), asynchronous: true },
    ),
    ("llvm.amdgcn.global.load.async.lds", ToLds { from: DmaSource::Pointer, asynchronous: true }),
    ("llvm.amdgcn.load.async.to.lds", ToLds { from: DmaSource::Pointer, asynchronous: true }),
    ("llvm.amdgcn.global.load.async.to.lds.b8", Async { bytes: 1, store: false, cluster: false }),
    ("llvm.amdgcn.global.load.async.to.lds.b32", Async { bytes: 4, store: false, cluster: false }),
    ("llvm.amdgcn.global.load.async.to.lds.b64", Async { bytes: 8, store: false, cluster: false }),
    ("llvm.amdgcn.global.load.async.to.lds.b128", Async { bytes: 16, store: false, cluster: false }),
    ("llvm.amdgcn.global.store.async.from.lds.b8", Async { bytes: 1, store: true, cluster: false }),
    ("llvm.amdgcn.global.store.async.from.lds.b32", Async { bytes: 4, store: true, cluster: false }),
    ("llvm.amdgcn.global.store.async.from.lds.b64", Async { bytes: 8, store: true, cluster: false }),
    ("llvm.amdgcn.global.store.async.from.lds.b128", Async { bytes: 16, store: true, cluster: false }),
    ("llvm.amdgcn.cluster.load.async.to.lds.b8", Async { bytes: 1, store: false, cluster: true }),
    ("llvm.amdgcn.cluster.load.async.to.lds.b32", Async { bytes: 4, store: false, cluster: true }),
    ("llvm.amdgcn.cluster.load.async.to.lds.b64", Async { bytes: 8, store: false, cluster: true }),
    ("llvm.amdgcn.cluster.load.async.to.lds.b128", Async { bytes: 16, store: false, cluster: true }),
    ("llvm.amdgcn.tensor.load.to.lds", Tensor(false, false)),
    ("llvm.amdgcn.tensor.load.to.lds.d2", Tensor(false, true)),
    ("llvm.amdgcn.tensor.store.from.lds", Tensor(true, false)),
    ("llvm.amdgcn.tensor.store.from.lds.d2", Tensor(true, true)),
    ("llvm.amdgcn.asyncmark", Sync(self::Sync::Mark)),
    ("llvm.amdgcn.wait.asyncmark", Sync(self::Sync::AwaitMarks)),
    // Loads that transpose.
    ("llvm.amdgcn.ds.read.tr8.b64", Transposed(TransposedLoad(Transpose::B64TrB8))),
    ("llvm.amdgcn.ds.read.tr16.b64", Transposed(TransposedLoad(Transpose::B64TrB16))),
    ("llvm.amdgcn.ds.read.tr4.b64", Transposed(TransposedLoad(Transpose::B64TrB4))),
    ("llvm.amdgcn.ds.read.tr6.b96", Transposed(TransposedLoad(Transpose::B96TrB6))),
    ("llvm.amdgcn.ds.load.tr4.b64", Transposed(TransposedLoad(Transpose::Tr4B64))),
    ("llvm.amdgcn.ds.load.tr6.b96", Transposed(TransposedLoad(Transpose::Tr6B96))),
    ("llvm.amdgcn.ds.load.tr8.b64", Transposed(TransposedLoad(Transpose::Tr8B64))),
    ("llvm.amdgcn.ds.load.tr16.b128", Transposed(TransposedLoad(Transpose::Tr16B128))),
    ("llvm.amdgcn.global.load.tr.b64", Transposed(TransposedLoad(Transpose::Tr8B64))),
    ("llvm.amdgcn.global.load.tr.b128", Transposed(TransposedLoad(Transpose::Tr16B128))),
    // Barriers, waits, order.
    ("llvm.amdgcn.s.waitcnt", Sync(self::Sync::AwaitCounters)),
    ("llvm.amdgcn.s.wait.asynccnt", Sync(self::Sync::AwaitAsync)),
    ("llvm.amdgcn.s.wait.tensorcnt", Sync(self::Sync::AwaitTensor)),
    ("llvm.amdgcn.s.sleep", Sync(self::Sync::Sleep)),
    ("llvm.amdgcn.s.sleep.var", Sync(self::Sync::Sleep)),
    ("llvm.amdgcn.wave.barrier", Nothing),
    ("llvm.amdgcn.sched.barrier", Nothing),
    ("llvm.amdgcn.sched.group.barrier", Nothing),
    ("llvm.amdgcn.iglp.opt", Nothing),
    ("llvm.amdgcn.s.setprio", Nothing),
    ("llvm.amdgcn.s.wakeup.barrier", Nothing),
    ("llvm.amdgcn.s.wait.event.export.ready", Nothing),
    ("llvm.amdgcn.s.prefetch.data", Nothing),
    ("llvm.amdgcn.global.prefetch", Nothing),
    ("llvm.amdgcn.flat.prefetch", Nothing),
    ("llvm.amdgcn.s.setreg", SetReg),
    ("llvm.amdgcn.s.getreg", GetReg),
    ("llvm.amdgcn.endpgm", End),
    // Arithmetic of the hardware.
    ("llvm.amdgcn.rcp", Float1(scalar::rcp)),
    ("llvm.amdgcn.rsq", Float1(scalar::rsq)),
    ("llvm.amdgcn.sqrt", Float1(scalar::hw_sqrt)),
    ("llvm.amdgcn.exp2", Float1(scalar::hw_exp2)),
    ("llvm.amdgcn.log", Float1(scalar::hw_log2)),
    ("llvm.amdgcn.sin", Float1(scalar::hw_sin)),
    ("llvm.amdgcn.cos", Float1(scalar::hw_cos)),
    ("llvm.amdgcn.tanh", Float1(scalar::hw_tanh)),
    ("llvm.amdgcn.fract", Float1(scalar::fract)),
    ("llvm.amdgcn.frexp.mant", Float1(scalar::frexp_mant)),
    ("llvm.amdgcn.frexp.exp", FrexpExp),
    ("llvm.amdgcn.fmed3", Float3(scalar::med3)),
    ("llvm.amdgcn.class", IsClass),
    ("llvm.amdgcn.div.scale", DivScale),
    ("llvm.amdgcn.div.fmas", DivFmas),
    ("llvm.amdgcn.div.fixup", Float3(scalar::div_fixup)),
    ("llvm.amdgcn.fma.legacy", Float3(scalar::fma_legacy)),
    ("llvm.amdgcn.fmul.legacy", Float2(scalar::mul_legacy)),
    ("llvm.amdgcn.mul.i24", Mul24(true)),
    ("llvm.amdgcn.mul.u24", Mul24(false)),
    ("llvm.amdgcn.ubfe", Int3(scalar::ubfe)),
    ("llvm.amdgcn.sbfe", Int3(scalar::sbfe)),
    ("llvm.amdgcn.bitop3", BitOp3),
    ("llvm.amdgcn.cvt.f32.fp8", OfFp8(wavemark_numerics::fp8::e4m3_to_f32)),
    ("llvm.amdgcn.cvt.f32.bf8", OfFp8(wavemark_numerics::fp8::e5m2_to_f32)),
    ("llvm.amdgcn.cvt.pk.f32.fp8", OfFp8Pair(wavemark_numerics::fp8::e4m3_to_f32)),
    ("llvm.amdgcn.cvt.pk.f32.bf8", OfFp8Pair(wavemark_numerics::fp8::e5m2_to_f32)),
    // Of every target.
    ("llvm.fma", Fma),
    ("llvm.fmuladd", Fma),
    ("llvm.sqrt", Approximated(scalar::sqrt, lowered::fast_sqrt)),
    ("llvm.exp", Approximated(lowered::exp, lowered::fast_exp)),
    ("llvm.exp2", Float1(lowered::exp2)),
    ("llvm.exp10", Approximated(lowered::exp10, lowered::fast_exp10)),
    ("llvm.log", Approximated(lowered::log, lowered::fast_log)),
    ("llvm.log2", Float1(lowered::log2)),
    ("llvm.log10", Approximated(lowered::log10, lowered::fast_log10)),
    ("llvm.pow", Float2(scalar::pow)),
    ("llvm.powi", Powi),
    ("llvm.sin", Float1(lowered::sin)),
    ("llvm.cos", Float1(lowered::cos)),
    ("llvm.tanh", Float1(scalar::tanh)),
    ("llvm.fabs", Float1(scalar::fabs)),
    ("llvm.copysign", Float2(scalar::copysign)),
    ("llvm.floor", Float1(scalar::floor)),
    ("llvm.ceil", Float1(scalar::ceil)),
    ("llvm.trunc", Float1(scalar::trunc)),
    ("llvm.rint", Float1(scalar::round_even)),
    ("llvm.nearbyint", Float1(scalar::round_even)),
    ("llvm.round", Float1(scalar::round)),
    ("llvm.roundeven", Float1(scalar::round_even)),
    ("llvm.canonicalize", Float1(scalar::canonicalize)),
    ("llvm.minnum", Float2(scalar::min_num)),
    ("llvm.maxnum", Float2(scalar::max_num)),
    ("llvm.minimum", Float2(scalar::minimum)),
    ("llvm.maximum", Float2(scalar::maximum)),
    ("llvm.minimumnum", Float2(scalar::min_num)),
    ("llvm.maximumnum", Float2(scalar::max_num)),
    ("llvm.ldexp", Ldexp),
    ("llvm.frexp", Frexp),
    ("llvm.is.fpclass", IsClass),
    ("llvm.fptosi.sat", ToIntSaturating(true)),
    ("llvm.fptoui.sat", ToIntSaturating(false)),
    ("llvm.smax", Int2(scalar::smax)),
    ("llvm.smin", Int2(scalar::smin)),
    ("llvm.umax", Int2(scalar::umax)),
    ("llvm.umin", Int2(scalar::umin)),
    ("llvm.abs", Int1(scalar::abs)),
    ("llvm.ctpop", Int1(scalar::ctpop)),
    ("llvm.ctlz", Int1(scalar::ctlz)),
    ("llvm.cttz", Int1(scalar::cttz)),
    ("llvm.bitreverse", Int1(scalar::bitreverse)),
    ("llvm.bswap", Int1(scalar::bswap)),
    ("llvm.fshl", Int3(scalar::fshl)),
    ("llvm.fshr", Int3(scalar::fshr)),
    ("llvm.sadd.sat", Int2(scalar::sadd_sat)),
    ("llvm.uadd.sat", Int2(scalar::uadd_sat)),
    ("llvm.ssub.sat", Int2(scalar::ssub_sat)),
    ("llvm.usub.sat", Int2(scalar::usub_sat)),
    ("llvm.sadd.with.overflow", Overflow(BinaryOp::Add, true)),
    ("llvm.uadd.with.overflow", Overflow(BinaryOp::Add, false)),
    ("llvm.ssub.with.overflow", Overflow(BinaryOp::Sub, true)),
    ("llvm.usub.with.overflow", Overflow(BinaryOp::Sub, false)),
    ("llvm.smul.with.overflow", Overflow(BinaryOp::Mul, true)),
    ("llvm.umul.with.overflow", Overflow(BinaryOp::Mul, false)),
    ("llvm.scmp", ThreeWay(true)),
    ("llvm.ucmp", ThreeWay(false)),
    ("llvm.vector.reduce.add", Reduce(self::Reduce::Int(BinaryOp::Add))),
    ("llvm.vector.reduce.mul", Reduce(self::Reduce::Int(BinaryOp::Mul))),
    ("llvm.vector.reduce.and", Reduce(self::Reduce::Int(BinaryOp::And))),
    ("llvm.vector.reduce.or", Reduce(self::Reduce::Int(BinaryOp::Or))),
    ("llvm.vector.reduce.xor", Reduce(self::Reduce::Int(BinaryOp::Xor))),
    ("llvm.vector.reduce.smax", Reduce(self::Reduce::IntFn(scalar::smax))),
    ("llvm.vector.reduce.smin", Reduce(self::Reduce::IntFn(scalar::smin))),
    ("llvm.vector.reduce.umax", Reduce(self::Reduce::IntFn(scalar::umax))),
    ("llvm.vector.reduce.umin", Reduce(self::Reduce::IntFn(scalar::umin))),
    ("llvm.vector.reduce.fmax", Reduce(self::Reduce::FloatFn(scalar::max_num))),
    ("llvm.vector.reduce.fmin", Reduce(self::Reduce::FloatFn(scalar::min_num))),
    ("llvm.vector.reduce.fadd", Reduce(self::Reduce::From(BinaryOp::FAdd))),
    ("llvm.vector.reduce.fmul", Reduce(self::Reduce::From(BinaryOp::FMul))),
    ("llvm.stepvector", StepVector),
    ("llvm.masked.load", Masked { store: false, spread: false }),
    ("llvm.masked.store", Masked { store: true, spread: false }),
    ("llvm.masked.gather", Masked { store: false, spread: true }),
    ("llvm.masked.scatter", Masked { store: true, spread: true }),
    ("llvm.memcpy", MemCopy),
    ("llvm.memmove", MemCopy),
    ("llvm.memset", MemSet),
    ("llvm.stacksave", StackSave),
    ("llvm.stackrestore", StackRestore),
    ("llvm.lifetime.start", Nothing),
    ("llvm.lifetime.end", Nothing),
    ("llvm.assume", Assume),
    ("llvm.expect", First),
    ("llvm.is.constant", IsConstant),
    ("llvm.ptrmask", PtrMask),
    ("llvm.experimental.noalias.scope.decl", Nothing),
    ("llvm.readcyclecounter", Id(self::Id::Clock)),
    ("llvm.readsteadycounter", Id(self::Id::Clock)),
    ("llvm.trap", Trap),
    ("llvm.ubsantrap", Trap),
    ("llvm.debugtrap", Nothing),
    ("llvm.donothing", Nothing),
    ("llvm.sideeffect", Nothing),
    ("llvm.experimental.convergence.entry", Nothing),
    ("llvm.experimental.convergence.anchor", Nothing),
    ("llvm.experimental.convergence.loop", Nothing),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Every intrinsic that is known is executed, or refused with a reason; and nothing else is.
    #[test]
    fn every_intrinsic_has_a_meaning_or_a_reason() {
        let known: BTreeSet<&str> = intrinsic::all().iter().map(|row| row.name).collect();
        let meant: BTreeSet<&str> = names().collect();
        let lines = include_str!("refused.txt").lines().filter(|line| !line.starts_with('#'));
        let refused: BTreeSet<&str> =
            lines.filter_map(|line| line.split_once(": ")).map(|line| line.0).collect();
        let neither: Vec<_> =
            known.iter().filter(|name| !meant.contains(*name) && !refused.contains(*name)).collect();
        assert!(neither.is_empty(), "neither executed nor refused: {neither:?}");
        let both: Vec<_> = meant.intersection(&refused).collect();
        assert!(both.is_empty(), "executed and refused: {both:?}");
        let unknown: Vec<_> = meant.union(&refused).filter(|name| !known.contains(*name)).collect();
        assert!(unknown.is_empty(), "not in the table of intrinsics: {unknown:?}");
    }

    #[test]
    fn instructions_are_chosen_by_their_arguments() {
        let scaled = "llvm.amdgcn.mfma.scale.f32.32x32x64.f8f6f4";
        let text = |zero: bool| texts(scaled, 9, |_| zero).next().unwrap_or_default();
        assert!(text(true).starts_with("v_mfma_f32_") && text(false).starts_with("v_mfma_scale_f32_"));
        let wmma = |arguments| texts("llvm.amdgcn.wmma.f32.16x16x32.f16", arguments, |_| false).next();
        assert!(wmma(6) != wmma(8) && wmma(7).is_none());
    }
}
