//! The operand types of lane functions: how a value is found in registers, what its constants mean and which
//! modifiers apply to it.

use wavemark_numerics::arith::flush_f32;

use crate::binder::ConstType;

/// The kind of an operand of a vector operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// No operand.
    None,
    /// 32 bits, integer or untyped.
    B32,
    /// binary32.
    F32,
    /// 64 bits, integer or untyped.
    B64,
    /// 64 bits, signed: literals are sign-extended.
    I64,
    /// binary64.
    F64,
    /// 16 bits, integer or untyped: the low half, or the high one by `op_sel` or `.h`.
    B16,
    /// binary16 in a half.
    F16,
    /// bfloat16 in a half.
    Bf16,
    /// Two 16-bit integers.
    PkB16,
    /// Two binary16.
    PkF16,
    /// Two bfloat16.
    PkBf16,
    /// Two binary32 in a register pair.
    PkF32,
    /// One bit per lane, in a scalar register (pair), VCC or EXEC.
    Mask,
    /// A scalar register or constant as such (lane selects, the result of `v_readlane_b32`), 32 bits.
    Scalar,
    /// This many registers, untyped: for operations that look at whole tuples.
    Tuple(u8),
}

impl Kind {
    /// Registers per lane.
    pub const fn rows(self) -> usize {
        match self {
            Kind::None | Kind::Mask | Kind::Scalar => 0,
            Kind::B64 | Kind::I64 | Kind::F64 | Kind::PkF32 => 2,
            Kind::Tuple(n) => n as usize,
            _ => 1,
        }
    }
    /// What constants of the kind mean.
    pub const fn const_type(self) -> ConstType {
        let (bits, bf16, float) = match self {
            Kind::B64 | Kind::I64 => (64, false, false),
            Kind::F64 => (64, false, true),
            Kind::F16 | Kind::PkF16 => (16, false, true),
            Kind::Bf16 | Kind::PkBf16 => (16, true, true),
            Kind::F32 | Kind::PkF32 => (32, false, true),
            _ => (32, false, false),
        };
        ConstType { bits, bf16, float }
    }
    /// One 16-bit value in half a register.
    pub const fn is_half(self) -> bool {
        matches!(self, Kind::B16 | Kind::F16 | Kind::Bf16)
    }
}

/// A lane value of some [`Kind`].
pub trait Word: Copy + 'static {
    /// Its kind.
    const KIND: Kind;
    /// All bits zero.
    const ZERO: Self;
    /// From its first and second register.
    fn from_words(lo: u32, hi: u32) -> Self;
    /// To its first and second register.
    fn to_words(self) -> (u32, u32);
    /// An f32 denormal becomes a zero of its sign; anything else stays.
    #[inline(always)]
    fn flush(self) -> Self {
        self
    }
    /// All ones if a floating value is a NaN (one of the two for packed types), else 0.
    #[inline(always)]
    fn nan_mask(self) -> u32 {
        0
    }
}

/// A lane bit: all ones or zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bit(pub u32);

impl Bit {
    /// From a condition.
    #[inline(always)]
    pub fn new(x: bool) -> Self {
        Bit(0u32.wrapping_sub(u32::from(x)))
    }
}

/// The bits of a binary16.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct F16(pub u16);
/// The bits of a bfloat16.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bf16(pub u16);
/// Two 16-bit integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pk(pub u32);
/// Two binary16.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PkF16(pub u32);
/// Two bfloat16.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PkBf16(pub u32);
/// Two binary32.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PkF32(pub f32, pub f32);

/// A half that is a NaN of the format whose infinity is `inf`.
#[inline(always)]
fn half_nan(bits: u32, inf: u32) -> bool {
    bits & 0x7fff > inf
}

macro_rules! word {
    ($t:ty, $kind:ident, $zero:expr, |$lo:ident, $hi:ident| $from:expr, |$x:ident| $to:expr, |$n:ident| $nan:expr
     $(, |$f:ident| $flush:expr)?) => {
        impl Word for $t {
            const KIND: Kind = Kind::$kind;
            const ZERO: Self = $zero;
            #[inline(always)]
            fn from_words($lo: u32, $hi: u32) -> Self {
                $from
            }
            #[inline(always)]
            fn to_words(self) -> (u32, u32) {
                let $x = self;
                $to
            }
            #[inline(always)]
            fn nan_mask(self) -> u32 {
                let $n = self;
                $nan
            }
            $(
                #[inline(always)]
                fn flush(self) -> Self {
                    let $f = self;
                    $flush
                }
            )?
        }
    };
}

word!((), None, (), |_lo, _hi| (), |_x| (0, 0), |_n| 0);
word!(u32, B32, 0, |lo, _hi| lo, |x| (x, 0), |_n| 0);
word!(i32, B32, 0, |lo, _hi| lo as i32, |x| (x as u32, 0), |_n| 0);
word!(f32, F32, 0.0, |lo, _hi| f32::from_bits(lo), |x| (x.to_bits(), 0), |n| Bit::new(n.is_nan()).0, |x| {
    flush_f32(x)
});
word!(u64, B64, 0, |lo, hi| u64::from(lo) | u64::from(hi) << 32, |x| (x as u32, (x >> 32) as u32), |_n| 0);
word!(
    i64,
    I64,
    0,
    |lo, hi| (u64::from(lo) | u64::from(hi) << 32) as i64,
    |x| (x as u32, (x >> 32) as u32),
    |_n| 0
);
word!(
    f64,
    F64,
    0.0,
    |lo, hi| f64::from_bits(u64::from(lo) | u64::from(hi) << 32),
    |x| (x.to_bits() as u32, (x.to_bits() >> 32) as u32),
    |n| Bit::new(n.is_nan()).0
);
word!(u16, B16, 0, |lo, _hi| lo as u16, |x| (u32::from(x), 0), |_n| 0);
word!(i16, B16, 0, |lo, _hi| lo as i16, |x| (u32::from(x as u16), 0), |_n| 0);
word!(F16, F16, F16(0), |lo, _hi| F16(lo as u16), |x| (u32::from(x.0), 0), |n| Bit::new(half_nan(
    u32::from(n.0),
    0x7c00
))
.0);
word!(Bf16, Bf16, Bf16(0), |lo, _hi| Bf16(lo as u16), |x| (u32::from(x.0), 0), |n| Bit::new(half_nan(
    u32::from(n.0),
    0x7f80
))
.0);
word!(Pk, PkB16, Pk(0), |lo, _hi| Pk(lo), |x| (x.0, 0), |_n| 0);
word!(PkF16, PkF16, PkF16(0), |lo, _hi| PkF16(lo), |x| (x.0, 0), |n| Bit::new(
    half_nan(n.0, 0x7c00) || half_nan(n.0 >> 16, 0x7c00)
)
.0);
word!(PkBf16, PkBf16, PkBf16(0), |lo, _hi| PkBf16(lo), |x| (x.0, 0), |n| Bit::new(
    half_nan(n.0, 0x7f80) || half_nan(n.0 >> 16, 0x7f80)
)
.0);
word!(
    PkF32,
    PkF32,
    PkF32(0.0, 0.0),
    |lo, hi| PkF32(f32::from_bits(lo), f32::from_bits(hi)),
    |x| (x.0.to_bits(), x.1.to_bits()),
    |n| Bit::new(n.0.is_nan() || n.1.is_nan()).0,
    |x| PkF32(flush_f32(x.0), flush_f32(x.1))
);
word!(Bit, Mask, Bit(0), |lo, _hi| Bit(lo), |x| (x.0, 0), |_n| 0);
