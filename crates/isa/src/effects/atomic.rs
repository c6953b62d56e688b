//! What a read-modify-write computes. Names here are those of `mem=`; both generations' mnemonics map to them.

/// What an atomic computes. The width is that of the access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the manual's names
pub enum AtomicOp {
    Swap,
    /// Compare with the second datum, store the first.
    CmpSwap,
    /// The same with the comparand as the first datum (gfx9 `ds_cmpst`).
    CmpStore,
    /// Compare floats with the first datum, store the second (gfx9 `ds_cmpst_f32`).
    CmpStoreFloat,
    /// Compare floats with the second datum, store the first.
    CmpSwapFloat,
    /// Add in the order of the waves.
    OrderedAdd,
    Add,
    Sub,
    /// data - memory
    ReverseSub,
    /// Unsigned subtract if the result is not negative.
    CondSub,
    /// Unsigned subtract, clamped at 0.
    SubClamp,
    SMin,
    UMin,
    SMax,
    UMax,
    And,
    Or,
    Xor,
    Inc,
    Dec,
    /// (memory & !data) | second datum
    MaskOr,
    /// memory >= data ? memory - data : memory + second datum
    Wrap,
    AddFloat,
    MinFloat,
    MaxFloat,
    PkAddF16,
    PkAddBf16,
    /// Exchange each 32-bit half whose datum has its top bit set.
    CondXchg32,
    /// Add the number of active lanes to one dword.
    Append,
    /// Subtract it.
    Consume,
    /// Arrive at an LDS barrier with the count in the data.
    BarrierArrive,
    /// Arrive at an LDS barrier once the asynchronous copies before it are done.
    BarrierArriveAsync,
    /// An operation of global wave sync.
    Gws,
}

const NAMES: &[(&str, AtomicOp)] = &[
    ("swap", AtomicOp::Swap),
    ("cmpswap", AtomicOp::CmpSwap),
    ("cmpst", AtomicOp::CmpStore),
    ("cmpst_f", AtomicOp::CmpStoreFloat),
    ("cmpswap_f", AtomicOp::CmpSwapFloat),
    ("ordered_add", AtomicOp::OrderedAdd),
    ("add", AtomicOp::Add),
    ("sub", AtomicOp::Sub),
    ("rsub", AtomicOp::ReverseSub),
    ("cond_sub", AtomicOp::CondSub),
    ("sub_clamp", AtomicOp::SubClamp),
    ("smin", AtomicOp::SMin),
    ("umin", AtomicOp::UMin),
    ("smax", AtomicOp::SMax),
    ("umax", AtomicOp::UMax),
    ("and", AtomicOp::And),
    ("or", AtomicOp::Or),
    ("xor", AtomicOp::Xor),
    ("inc", AtomicOp::Inc),
    ("dec", AtomicOp::Dec),
    ("mskor", AtomicOp::MaskOr),
    ("wrap", AtomicOp::Wrap),
    ("add_f", AtomicOp::AddFloat),
    ("min_f", AtomicOp::MinFloat),
    ("max_f", AtomicOp::MaxFloat),
    ("pk_add_f16", AtomicOp::PkAddF16),
    ("pk_add_bf16", AtomicOp::PkAddBf16),
    ("condxchg32", AtomicOp::CondXchg32),
    ("append", AtomicOp::Append),
    ("consume", AtomicOp::Consume),
    ("barrier_arrive", AtomicOp::BarrierArrive),
    ("barrier_arrive_async", AtomicOp::BarrierArriveAsync),
    ("gws", AtomicOp::Gws),
];

impl AtomicOp {
    /// The operation that a row calls `name`.
    pub(super) fn parse(name: &str) -> Option<AtomicOp> {
        NAMES.iter().find(|(known, _)| *known == name).map(|&(_, op)| op)
    }

    /// The dword that leaves memory as it is, if the datum is made of it alone.
    pub const fn neutral(self) -> Option<u32> {
        match self {
            AtomicOp::Add
            | AtomicOp::Sub
            | AtomicOp::CondSub
            | AtomicOp::SubClamp
            | AtomicOp::UMax
            | AtomicOp::Or
            | AtomicOp::Xor => Some(0),
            AtomicOp::And | AtomicOp::UMin => Some(u32::MAX),
            _ => None,
        }
    }

    /// Whether memory comes to hold a sum, a minimum or a maximum of what all who execute it have brought.
    pub const fn accumulates(self) -> bool {
        use AtomicOp::{Add, AddFloat, MaxFloat, MinFloat, PkAddBf16, PkAddF16, SMax, SMin, Sub, UMax, UMin};
        matches!(
            self,
            Add | Sub | SMin | UMin | SMax | UMax | AddFloat | MinFloat | MaxFloat | PkAddF16 | PkAddBf16
        )
    }

    /// Whether it stores only where memory holds the second datum, bit for bit.
    pub const fn stores_if_equal(self) -> bool {
        matches!(self, AtomicOp::CmpSwap | AtomicOp::CmpStore)
    }

    /// Whether it has stored nothing, or what was there, where memory held `old`, and its data are these: a comparison that
    /// failed, or an exchange for the same. What its wave finds there is what another one has left.
    pub fn changed_nothing(self, old: u64, first: u64, second: u64) -> bool {
        if self.stores_if_equal() { old != second } else { matches!(self, AtomicOp::Swap) && old == first }
    }

    /// Whether there are two data operands, or a pair of data in one.
    pub const fn two_data(self) -> bool {
        matches!(
            self,
            AtomicOp::CmpSwap
                | AtomicOp::CmpStore
                | AtomicOp::CmpStoreFloat
                | AtomicOp::CmpSwapFloat
                | AtomicOp::MaskOr
                | AtomicOp::Wrap
        )
    }
}
