//! The words of instructions: operations, predicates, orderings, with their spelling.
//!
//! Follows "Instruction Reference" of the LLVM Language Reference.

use crate::names::spelled;

spelled! {
    /// An operation of two operands of one type.
    BinaryOp {
        Add = "add", Sub = "sub", Mul = "mul", UDiv = "udiv", SDiv = "sdiv", URem = "urem", SRem = "srem",
        Shl = "shl", LShr = "lshr", AShr = "ashr", And = "and", Or = "or", Xor = "xor",
        FAdd = "fadd", FSub = "fsub", FMul = "fmul", FDiv = "fdiv", FRem = "frem",
    }
}

impl BinaryOp {
    /// Of floating-point numbers.
    pub fn is_float(self) -> bool {
        matches!(self, BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul | BinaryOp::FDiv | BinaryOp::FRem)
    }

    /// The flags that it may have.
    pub fn flags(self) -> Flags {
        match self {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Shl => Flags::NUW | Flags::NSW,
            BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::LShr | BinaryOp::AShr => Flags::EXACT,
            BinaryOp::Or => Flags::DISJOINT,
            _ if self.is_float() => Flags::FAST_MATH,
            _ => Flags::empty(),
        }
    }
}

spelled! {
    /// A conversion.
    CastOp {
        Trunc = "trunc", ZExt = "zext", SExt = "sext", FpTrunc = "fptrunc", FpExt = "fpext",
        FpToUi = "fptoui", FpToSi = "fptosi", UiToFp = "uitofp", SiToFp = "sitofp",
        PtrToInt = "ptrtoint", PtrToAddr = "ptrtoaddr", IntToPtr = "inttoptr", BitCast = "bitcast",
        AddrSpaceCast = "addrspacecast",
    }
}

impl CastOp {
    /// The flags that it may have.
    pub fn flags(self) -> Flags {
        match self {
            CastOp::Trunc => Flags::NUW | Flags::NSW,
            CastOp::ZExt => Flags::NNEG,
            CastOp::UiToFp => Flags::NNEG | Flags::FAST_MATH,
            CastOp::FpTrunc | CastOp::FpExt | CastOp::SiToFp | CastOp::FpToUi | CastOp::FpToSi => {
                Flags::FAST_MATH
            }
            _ => Flags::empty(),
        }
    }
}

spelled! {
    /// How integers are compared.
    IntPredicate {
        Eq = "eq", Ne = "ne", Ugt = "ugt", Uge = "uge", Ult = "ult", Ule = "ule",
        Sgt = "sgt", Sge = "sge", Slt = "slt", Sle = "sle",
    }
}

impl IntPredicate {
    /// Whether it holds of two integers of up to 64 bits, none set beyond the width.
    #[inline(always)]
    pub fn holds(self, bits: u32, a: u64, b: u64) -> bool {
        let unused = 64 - bits.clamp(1, 64);
        let signed = |value: u64| (value << unused) as i64 >> unused;
        match self {
            IntPredicate::Eq => a == b,
            IntPredicate::Ne => a != b,
            IntPredicate::Ugt => a > b,
            IntPredicate::Uge => a >= b,
            IntPredicate::Ult => a < b,
            IntPredicate::Ule => a <= b,
            IntPredicate::Sgt => signed(a) > signed(b),
            IntPredicate::Sge => signed(a) >= signed(b),
            IntPredicate::Slt => signed(a) < signed(b),
            IntPredicate::Sle => signed(a) <= signed(b),
        }
    }
}

impl IntPredicate {
    /// What it says of two integers of which the first is known not to be above the second.
    pub fn of_equality(self) -> IntPredicate {
        match self {
            IntPredicate::Slt | IntPredicate::Ult => IntPredicate::Ne,
            IntPredicate::Sge | IntPredicate::Uge => IntPredicate::Eq,
            other => other,
        }
    }
}

spelled! {
    /// How floating-point numbers are compared.
    FloatPredicate {
        False = "false", Oeq = "oeq", Ogt = "ogt", Oge = "oge", Olt = "olt", Ole = "ole", One = "one", Ord = "ord",
        Uno = "uno", Ueq = "ueq", Ugt = "ugt", Uge = "uge", Ult = "ult", Ule = "ule", Une = "une", True = "true",
    }
}

spelled! {
    /// How strongly an atomic access is ordered.
    Ordering {
        Unordered = "unordered", Monotonic = "monotonic", Acquire = "acquire", Release = "release",
        AcqRel = "acq_rel", SeqCst = "seq_cst",
    }
}

impl Ordering {
    /// It orders what comes after it.
    pub fn acquires(self) -> bool {
        matches!(self, Ordering::Acquire | Ordering::AcqRel | Ordering::SeqCst)
    }

    /// It orders what was before it.
    pub fn releases(self) -> bool {
        matches!(self, Ordering::Release | Ordering::AcqRel | Ordering::SeqCst)
    }
}

spelled! {
    /// What an `atomicrmw` does.
    RmwOp {
        Xchg = "xchg", Add = "add", Sub = "sub", And = "and", Nand = "nand", Or = "or", Xor = "xor",
        Max = "max", Min = "min", UMax = "umax", UMin = "umin",
        FAdd = "fadd", FSub = "fsub", FMax = "fmax", FMin = "fmin", FMaximum = "fmaximum", FMinimum = "fminimum",
        UIncWrap = "uinc_wrap", UDecWrap = "udec_wrap", USubCond = "usub_cond", USubSat = "usub_sat",
    }
}

impl RmwOp {
    /// Of floating-point numbers.
    pub fn is_float(self) -> bool {
        use RmwOp::*;
        matches!(self, FAdd | FSub | FMax | FMin | FMaximum | FMinimum)
    }
}

spelled! {
    /// What a call says of being the last thing that a function does.
    TailKind { None = "", Tail = "tail", MustTail = "musttail", NoTail = "notail" }
}

/// Declares flags with their spelling, in the order in which they are printed.
macro_rules! flags {
    ($($constant:ident = $bit:literal, $text:literal;)*) => {
        bitflags::bitflags! {
            /// What an instruction promises of its operands or result.
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
            pub struct Flags: u32 {
                $(
                    #[doc = concat!("`", $text, "`.")]
                    const $constant = 1 << $bit;
                )*
            }
        }

        impl Flags {
            /// Each flag with its spelling.
            pub const NAMES: &'static [(Flags, &'static str)] = &[$((Flags::$constant, $text)),*];

            /// Whether a flag begins with a byte.
            #[inline(always)]
            pub fn may_begin(byte: u8) -> bool {
                /// The first letters of all, a bit each.
                const FIRST: u32 = $(1 << ($text.as_bytes()[0] - b'a') |)* 1 << (b'f' - b'a');
                byte.is_ascii_lowercase() && FIRST >> (byte - b'a') & 1 != 0
            }

            /// The flag that is spelled so; `fast` is several.
            pub fn named(text: &str) -> Option<Flags> {
                static WORDS: crate::names::Words<16, 64> = crate::names::Words::new([$($text,)* "fast"]);
                WORDS.find(text).map(|at| Flags::NAMES.get(at).map_or(Flags::FAST_MATH, |row| row.0))
            }
        }
    };
}

flags! {
    NUW = 0, "nuw";
    NSW = 1, "nsw";
    EXACT = 2, "exact";
    DISJOINT = 3, "disjoint";
    NNEG = 4, "nneg";
    SAMESIGN = 5, "samesign";
    INBOUNDS = 6, "inbounds";
    NUSW = 7, "nusw";
    REASSOC = 8, "reassoc";
    NNAN = 9, "nnan";
    NINF = 10, "ninf";
    NSZ = 11, "nsz";
    ARCP = 12, "arcp";
    CONTRACT = 13, "contract";
    AFN = 14, "afn";
}

impl Flags {
    /// `fast`: all that floating-point arithmetic may be allowed.
    pub const FAST_MATH: Flags = Flags::REASSOC
        .union(Flags::NNAN)
        .union(Flags::NINF)
        .union(Flags::NSZ)
        .union(Flags::ARCP)
        .union(Flags::CONTRACT)
        .union(Flags::AFN);
    /// What a `getelementptr` may promise.
    pub const GEP: Flags = Flags::INBOUNDS.union(Flags::NUSW).union(Flags::NUW);
}
