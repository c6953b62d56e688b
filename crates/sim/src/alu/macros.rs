//! How table lines are written.
//!
//! * `raw!(|a: u32, b: u32| -> u32 { … })`: a function of bits, compiled for every host level;
//! * `raw!(imm |…| …)`: the same with the operation's immediate;
//! * `raw2!(|…| -> (u32, Bit) { … })`: two results;
//! * `float!(F32; |a: f32, b: f32| -> f32 { … }; cx => …)`: a floating operation: what it is under the usual MODE
//!   when the result is no NaN, and what it is exactly, with `cx.mode` (sources already flushed, NaN and output
//!   denormal rules applied afterwards: see [`super::lane`]);
//! * `rare!(Nothing; cx |a: u32| -> u32 { … })`, `rare2!`: lane by lane only.

macro_rules! define_exact {
    ($dep:ident, $imm:ident, $cx:ident, $a:ident: $A:ty, $b:ident: $B:ty, $c:ident: $C:ty,
     $D:ty, $E:ty, $exact:expr) => {
        struct K;
        impl $crate::alu::lane::Exact for K {
            type A = $A;
            type B = $B;
            type C = $C;
            type D = $D;
            type E = $E;
            const DEPENDS: $crate::alu::lane::Depends = $crate::alu::lane::Depends::$dep;
            #[inline(always)]
            #[allow(unused_variables)]
            fn exact($cx: &$crate::alu::lane::Cx, $a: $A, $b: $B, $c: $C) -> ($D, $E) {
                let $imm = $cx.imm;
                $exact
            }
        }
    };
}

macro_rules! define_lane {
    ($dep:ident, $imm:ident, $cx:ident, $a:ident: $A:ty, $b:ident: $B:ty, $c:ident: $C:ty,
     $D:ty, $E:ty, $fast:expr, $exact:expr) => {{
        define_exact!($dep, $imm, $cx, $a: $A, $b: $B, $c: $C, $D, $E, $exact);
        impl $crate::alu::lane::Lane for K {
            #[inline(always)]
            #[allow(unused_variables)]
            fn one($imm: u64, $a: $A, $b: $B, $c: $C) -> ($D, $E) {
                $fast
            }
        }
        $crate::alu::def::fast::<K>()
    }};
}

macro_rules! define_rare {
    ($dep:ident, $cx:ident, $a:ident: $A:ty, $b:ident: $B:ty, $c:ident: $C:ty, $D:ty, $E:ty, $exact:expr) => {{
        define_exact!($dep, _imm, $cx, $a: $A, $b: $B, $c: $C, $D, $E, $exact);
        $crate::alu::def::slow::<K>()
    }};
}

macro_rules! raw {
    (|$a:ident: $A:ty| -> $D:ty $body:block) => {
        define_lane!(Nothing, _imm, _cx, $a: $A, _b: (), _c: (), $D, (), ($body, ()), ($body, ()))
    };
    (|$a:ident: $A:ty, $b:ident: $B:ty| -> $D:ty $body:block) => {
        define_lane!(Nothing, _imm, _cx, $a: $A, $b: $B, _c: (), $D, (), ($body, ()), ($body, ()))
    };
    (|$a:ident: $A:ty, $b:ident: $B:ty, $c:ident: $C:ty| -> $D:ty $body:block) => {
        define_lane!(Nothing, _imm, _cx, $a: $A, $b: $B, $c: $C, $D, (), ($body, ()), ($body, ()))
    };
    ($imm:ident |$a:ident: $A:ty, $b:ident: $B:ty, $c:ident: $C:ty| -> $D:ty $body:block) => {
        define_lane!(Nothing, $imm, _cx, $a: $A, $b: $B, $c: $C, $D, (), ($body, ()), ($body, ()))
    };
}

macro_rules! raw2 {
    (|$a:ident: $A:ty, $b:ident: $B:ty| -> ($D:ty, $E:ty) $body:block) => {
        define_lane!(Nothing, _imm, _cx, $a: $A, $b: $B, _c: (), $D, $E, $body, $body)
    };
    (|$a:ident: $A:ty, $b:ident: $B:ty, $c:ident: $C:ty| -> ($D:ty, $E:ty) $body:block) => {
        define_lane!(Nothing, _imm, _cx, $a: $A, $b: $B, $c: $C, $D, $E, $body, $body)
    };
}

macro_rules! float {
    ($dep:ident; |$a:ident: $A:ty| -> $D:ty $body:block; $cx:ident => $exact:expr) => {
        define_lane!($dep, _imm, $cx, $a: $A, _b: (), _c: (), $D, (), ($body, ()), ($exact, ()))
    };
    ($dep:ident; |$a:ident: $A:ty, $b:ident: $B:ty| -> $D:ty $body:block; $cx:ident => $exact:expr) => {
        define_lane!($dep, _imm, $cx, $a: $A, $b: $B, _c: (), $D, (), ($body, ()), ($exact, ()))
    };
    ($dep:ident; |$a:ident: $A:ty, $b:ident: $B:ty, $c:ident: $C:ty| -> $D:ty $body:block; $cx:ident => $exact:expr) => {
        define_lane!($dep, _imm, $cx, $a: $A, $b: $B, $c: $C, $D, (), ($body, ()), ($exact, ()))
    };
}

macro_rules! rare {
    ($dep:ident; $cx:ident |$a:ident: $A:ty| -> $D:ty $body:block) => {
        define_rare!($dep, $cx, $a: $A, _b: (), _c: (), $D, (), ($body, ()))
    };
    ($dep:ident; $cx:ident |$a:ident: $A:ty, $b:ident: $B:ty| -> $D:ty $body:block) => {
        define_rare!($dep, $cx, $a: $A, $b: $B, _c: (), $D, (), ($body, ()))
    };
    ($dep:ident; $cx:ident |$a:ident: $A:ty, $b:ident: $B:ty, $c:ident: $C:ty| -> $D:ty $body:block) => {
        define_rare!($dep, $cx, $a: $A, $b: $B, $c: $C, $D, (), ($body, ()))
    };
}

macro_rules! rare2 {
    ($dep:ident; $cx:ident |$a:ident: $A:ty, $b:ident: $B:ty, $c:ident: $C:ty| -> ($D:ty, $E:ty) $body:block) => {
        define_rare!($dep, $cx, $a: $A, $b: $B, $c: $C, $D, $E, $body)
    };
}

/// A scalar instruction without effect on SCC.
macro_rules! salu {
    (|$a:ident: $A:ty| -> $D:ty $body:block) => {
        define_scalar!(_r, $a: $A, _b: (), _c: (), $D, ($body, None))
    };
    (|$a:ident: $A:ty, $b:ident: $B:ty| -> $D:ty $body:block) => {
        define_scalar!(_r, $a: $A, $b: $B, _c: (), $D, ($body, None))
    };
    (|$a:ident: $A:ty, $b:ident: $B:ty, $c:ident: $C:ty| -> $D:ty $body:block) => {
        define_scalar!(_r, $a: $A, $b: $B, $c: $C, $D, ($body, None))
    };
}

/// A scalar instruction whose body gives `(result, SCC)`.
macro_rules! salu_scc {
    (|$a:ident: $A:ty| -> $D:ty $body:block) => {
        define_scalar!(_r, $a: $A, _b: (), _c: (), $D, { let (d, scc): ($D, bool) = $body; (d, Some(scc)) })
    };
    (|$a:ident: $A:ty, $b:ident: $B:ty| -> $D:ty $body:block) => {
        define_scalar!(_r, $a: $A, $b: $B, _c: (), $D, { let (d, scc): ($D, bool) = $body; (d, Some(scc)) })
    };
}

/// A scalar instruction that sees all registers: the body gives `(result, Option<SCC>)`.
macro_rules! salu_regs {
    ($r:ident || -> $D:ty $body:block) => {
        define_scalar!($r, _a: (), _b: (), _c: (), $D, $body)
    };
    ($r:ident |$a:ident: $A:ty| -> $D:ty $body:block) => {
        define_scalar!($r, $a: $A, _b: (), _c: (), $D, $body)
    };
    ($r:ident |$a:ident: $A:ty, $b:ident: $B:ty| -> $D:ty $body:block) => {
        define_scalar!($r, $a: $A, $b: $B, _c: (), $D, $body)
    };
    ($r:ident |$a:ident: $A:ty, $b:ident: $B:ty, $c:ident: $C:ty| -> $D:ty $body:block) => {
        define_scalar!($r, $a: $A, $b: $B, $c: $C, $D, $body)
    };
}

macro_rules! define_scalar {
    ($r:ident, $a:ident: $A:ty, $b:ident: $B:ty, $c:ident: $C:ty, $D:ty, $body:expr) => {{
        struct K;
        impl $crate::alu::scalar::Scalar for K {
            type A = $A;
            type B = $B;
            type C = $C;
            type D = $D;
            #[inline(always)]
            #[allow(unused_variables, clippy::unused_unit)]
            fn run($r: &mut $crate::regs::Regs, $a: $A, $b: $B, $c: $C) -> ($D, Option<bool>) {
                $body
            }
        }
        $crate::alu::scalar::define::<K>()
    }};
}

/// An operation on tuples: `wide!([kinds] -> registers; |cx, mods, a, b, c, d| { … })`.
macro_rules! wide {
    ([$a:expr, $b:expr, $c:expr] -> $dst:expr; |$cx:ident, $m:ident, $x:ident, $y:ident, $z:ident, $d:ident| $body:block) => {{
        use $crate::alu::wide::{Tuple, Wide, define};
        use $crate::alu::word::Kind::*;
        struct K;
        impl Wide for K {
            const SRC: [$crate::alu::word::Kind; 3] = [$a, $b, $c];
            const DST: usize = $dst;
            #[allow(unused_variables)]
            fn lane(
                $cx: &$crate::alu::lane::Cx,
                $m: $crate::alu::def::OwnMods,
                $x: &Tuple,
                $y: &Tuple,
                $z: &Tuple,
                $d: &mut Tuple,
            ) {
                $body
            }
        }
        define::<K>()
    }};
}
