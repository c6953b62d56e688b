//! Random instructions that compute: integers, floating-point numbers, vectors, conversions, intrinsics.

use wavemark_ir::intrinsic;

use super::generate::{Generator, convertible};
use super::types::{I1, I32, Scalar, Ty};

/// Intrinsics on integers of any width and vectors of them: name and parameters, each the type that it is overloaded on
/// (`T`) or the constant false (`-`).
const OF_INTEGERS: [(&str, &str); 17] = [
    ("smax", "TT"),
    ("smin", "TT"),
    ("umax", "TT"),
    ("umin", "TT"),
    ("abs", "T-"),
    ("ctpop", "T"),
    ("ctlz", "T-"),
    ("cttz", "T-"),
    ("bitreverse", "T"),
    ("fshl", "TTT"),
    ("fshr", "TTT"),
    ("sadd.sat", "TT"),
    ("uadd.sat", "TT"),
    ("ssub.sat", "TT"),
    ("usub.sat", "TT"),
    ("scmp", "TT"),
    ("ucmp", "TT"),
];

/// Intrinsics on floating-point numbers, which round once or not at all.
const OF_FLOATS: [(&str, usize); 18] = [
    ("fabs", 1),
    ("floor", 1),
    ("ceil", 1),
    ("trunc", 1),
    ("rint", 1),
    ("nearbyint", 1),
    ("roundeven", 1),
    ("round", 1),
    ("canonicalize", 1),
    ("sqrt", 1),
    ("copysign", 2),
    ("minnum", 2),
    ("maxnum", 2),
    ("minimum", 2),
    ("maximum", 2),
    ("minimumnum", 2),
    ("maximumnum", 2),
    ("fma", 3),
];

/// Those that LLVM lowers to approximations of the hardware, of 32 and of 16 bits.
const APPROXIMATED: [&str; 9] = ["exp", "exp2", "exp10", "log", "log2", "log10", "sin", "cos", "sqrt"];

/// Intrinsics that are instructions: result, name, parameters; `=T:N` is an immediate below N, `~i32` no constant (LLVM 22
/// cuts a literal to 16 bits there: `llvm_defects/literal_of_conversion.ll`), `&i32` below 32 (`llvm_defects/wide_bit_field.ll`). Where the processor has them is said by the
/// table of `wavemark_ir`.
const INSTRUCTIONS: &str = "
i32 llvm.amdgcn.perm i32 i32 i32
i32 llvm.amdgcn.lerp i32 i32 i32
i32 llvm.amdgcn.alignbyte i32 i32 i32
i32 llvm.amdgcn.mul.i24.i32 i32 i32
i32 llvm.amdgcn.mul.u24.i32 i32 i32
i32 llvm.amdgcn.ubfe.i32 i32 &i32 &i32
i32 llvm.amdgcn.sbfe.i32 i32 &i32 &i32
i32 llvm.amdgcn.bitop3.i32 i32 i32 i32 =i32:256
i16 llvm.amdgcn.bitop3.i16 i16 i16 i16 =i32:256
i32 llvm.amdgcn.sdot4 i32 i32 i32 =i1:2
i32 llvm.amdgcn.udot4 i32 i32 i32 =i1:2
i32 llvm.amdgcn.sdot8 i32 i32 i32 =i1:2
i32 llvm.amdgcn.udot8 i32 i32 i32 =i1:2
i32 llvm.amdgcn.sudot4 =i1:2 i32 =i1:2 i32 i32 =i1:2
i32 llvm.amdgcn.sudot8 =i1:2 i32 =i1:2 i32 i32 =i1:2
i32 llvm.amdgcn.sdot2 2xi16 2xi16 i32 =i1:2
i32 llvm.amdgcn.udot2 2xi16 2xi16 i32 =i1:2
float llvm.amdgcn.rcp.f32 float
half llvm.amdgcn.rcp.f16 half
double llvm.amdgcn.rcp.f64 double
float llvm.amdgcn.rsq.f32 float
half llvm.amdgcn.rsq.f16 half
float llvm.amdgcn.sqrt.f32 float
float llvm.amdgcn.exp2.f32 float
float llvm.amdgcn.log.f32 float
float llvm.amdgcn.sin.f32 float
float llvm.amdgcn.cos.f32 float
float llvm.amdgcn.fract.f32 float
half llvm.amdgcn.fract.f16 half
double llvm.amdgcn.fract.f64 double
float llvm.amdgcn.frexp.mant.f32 float
double llvm.amdgcn.frexp.mant.f64 double
i32 llvm.amdgcn.frexp.exp.i32.f32 float
i16 llvm.amdgcn.frexp.exp.i16.f16 half
i32 llvm.amdgcn.frexp.exp.i32.f64 double
float llvm.amdgcn.fmed3.f32 float float float
half llvm.amdgcn.fmed3.f16 half half half
i1 llvm.amdgcn.class.f32 float i32
i1 llvm.amdgcn.class.f16 half i32
i1 llvm.amdgcn.class.f64 double i32
float llvm.amdgcn.fmul.legacy float float
2xhalf llvm.amdgcn.cvt.pkrtz float float
float llvm.amdgcn.cvt.f32.fp8 ~i32 =i32:4
float llvm.amdgcn.cvt.f32.bf8 ~i32 =i32:4
2xfloat llvm.amdgcn.cvt.pk.f32.fp8 ~i32 =i1:2
2xfloat llvm.amdgcn.cvt.pk.f32.bf8 ~i32 =i1:2
i32 llvm.amdgcn.cvt.pk.fp8.f32 float float i32 =i1:2
i32 llvm.amdgcn.cvt.pk.bf8.f32 float float i32 =i1:2
i32 llvm.amdgcn.mbcnt.lo i32 i32
i32 llvm.amdgcn.mbcnt.hi i32 i32
float llvm.ldexp.f32.i32 float i32
half llvm.ldexp.f16.i32 half i32
double llvm.ldexp.f64.i32 double i32
i16 llvm.bswap.i16 i16
i32 llvm.bswap.i32 i32
i64 llvm.bswap.i64 i64
2xi16 llvm.bswap.v2i16 2xi16
";

impl Generator<'_> {
    /// An instruction that computes.
    pub fn arithmetic(&mut self) {
        match self.random.below(24) {
            0..=3 => self.integer(),
            4 => self.shift(),
            5 => self.division(),
            6 => self.promised(),
            7 => self.compare(),
            8 => self.select(),
            9..=11 => self.floating(),
            12 => self.float_function(),
            13..=15 => self.convert(),
            16..=17 => self.vector(),
            18..=19 => self.integer_function(),
            20 => self.overflow(),
            21..=22 => self.instruction(),
            _ => self.classify(),
        }
    }

    fn integer(&mut self) {
        let ty = if self.random.one_in(8) { I1 } else { Ty::any_int(self.random) };
        let op = self.random.pick(&["add", "sub", "mul", "and", "or", "xor"]).to_owned();
        // LLVM 22 may lose a dword of a constant there (`llvm_defects/lost_constant.ll`).
        if op == "xor" && ty.scalar.bits() > 64 {
            return;
        }
        let (a, b) = (self.operand(ty), self.operand(ty));
        // LLVM 22 may lose a dword of ones there, of a constant or of what it makes one (`llvm_defects/or_with_ones.ll`).
        if op == "or" && (ty.scalar.bits() > 32 || ty.lanes > 1) {
            return;
        }
        self.define(ty, &format!("{op} {} {a}, {b}", ty.text()));
    }

    /// The same constant in every element.
    fn splat(&self, ty: Ty, value: u128) -> String {
        match ty.lanes {
            1 => value.to_string(),
            lanes => {
                let element = format!("{} {value}", ty.element().text());
                format!("<{}>", vec![element; lanes as usize].join(", "))
            }
        }
    }

    /// A shift by less than the width.
    fn shift(&mut self) {
        let ty = Ty::any_int(self.random);
        let (a, by) = (self.operand(ty), self.operand(ty));
        let bits = ty.scalar.bits();
        let text = ty.text();
        let below = match bits.is_power_of_two() {
            true => format!("and {text} {by}, {}", self.splat(ty, u128::from(bits - 1))),
            false => format!("urem {text} {by}, {}", self.splat(ty, u128::from(bits))),
        };
        let by = self.hidden(&below);
        let op = self.random.pick(&["shl", "lshr", "ashr"]).to_owned();
        self.define(ty, &format!("{op} {text} {a}, {by}"));
    }

    /// A division by what is positive as a signed number. Of 24 bits LLVM 22 divides wrongly
    /// (`llvm_defects/division_of_24_bits.ll`), and so it does a constant (`llvm_defects/masked_quotient.ll`).
    fn division(&mut self) {
        let ty = Ty::any_int(self.random);
        let bits = ty.scalar.bits();
        if bits == 24 {
            return;
        }
        let text = ty.text();
        let (a, b) = (self.operand(ty), self.operand(ty));
        if !a.starts_with('%') {
            return;
        }
        let most = (1u128 << (bits - 1)) - 1;
        let positive = self.hidden(&format!("and {text} {b}, {}", self.splat(ty, most)));
        let divisor = self.hidden(&format!("or {text} {positive}, {}", self.splat(ty, 1)));
        let op = self.random.pick(&["udiv", "sdiv", "urem", "srem"]).to_owned();
        self.define(ty, &format!("{op} {text} {a}, {divisor}"));
    }

    /// An operation with a promise that holds because its operands are small.
    fn promised(&mut self) {
        let ty = Ty::any_int(self.random);
        let bits = ty.scalar.bits();
        if bits < 7 {
            return;
        }
        let text = ty.text();
        let small = (1u128 << (bits / 2 - 1)) - 1;
        let (a, b) = (self.operand(ty), self.operand(ty));
        let a = self.hidden(&format!("and {text} {a}, {}", self.splat(ty, small)));
        let b = self.hidden(&format!("and {text} {b}, {}", self.splat(ty, small)));
        match self.random.below(5) {
            0 => {
                let b =
                    self.hidden(&format!("shl nuw nsw {text} {b}, {}", self.splat(ty, u128::from(bits / 2))));
                self.define(ty, &format!("or disjoint {text} {a}, {b}"));
            }
            1 => {
                let wide = self.hidden(&format!("shl nuw {text} {a}, {}", self.splat(ty, 2)));
                self.define(ty, &format!("lshr exact {text} {wide}, {}", self.splat(ty, 2)));
            }
            2 => {
                let wide = ty.of(Scalar::Int(bits * 2));
                if bits <= 64 && wide.lanes == 1 || bits <= 32 {
                    self.define(wide, &format!("zext nneg {text} {a} to {}", wide.text()));
                }
            }
            3 => {
                // A difference of two of them is small, too.
                let sum = self.hidden(&format!("sub nsw {text} {a}, {b}"));
                self.define(ty, &format!("mul nsw {text} {sum}, {}", self.splat(ty, 2)));
            }
            _ => {
                let op = self.random.pick(&["add nuw nsw", "mul nuw nsw", "add nsw", "mul nuw"]).to_owned();
                self.define(ty, &format!("{op} {text} {a}, {b}"));
            }
        }
    }

    fn compare(&mut self) {
        if self.random.one_in(2) {
            let ty = Ty::any_int(self.random);
            let all = ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"];
            let predicate = self.random.pick(&all).to_owned();
            let (a, b) = (self.operand(ty), self.operand(ty));
            self.define(ty.of(Scalar::Int(1)), &format!("icmp {predicate} {} {a}, {b}", ty.text()));
        } else {
            let ty = Ty::any_float(self.random);
            let all = [
                "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une",
                "uno",
            ];
            let predicate = self.random.pick(&all).to_owned();
            let (a, b) = (self.operand(ty), self.operand(ty));
            self.define(ty.of(Scalar::Int(1)), &format!("fcmp {predicate} {} {a}, {b}", ty.text()));
        }
    }

    fn select(&mut self) {
        let ty = Ty::any(self.random);
        let (a, b) = (self.operand(ty), self.operand(ty));
        let (text, each) = (ty.text(), ty.of(Scalar::Int(1)));
        let (condition, kind) = match ty.lanes > 1 && self.random.one_in(2) {
            true => (self.operand(each), each.text()),
            false => (self.condition(), "i1".to_owned()),
        };
        self.define(ty, &format!("select {kind} {condition}, {text} {a}, {text} {b}"));
    }

    fn floating(&mut self) {
        let ty = Ty::any_float(self.random);
        let (a, b) = (self.operand(ty), self.operand(ty));
        let text = ty.text();
        match self.random.below(12) {
            0 => {
                let negated = self.raw(&format!("fneg {text} {a}"));
                self.define_rounded(ty, &negated);
            }
            1 if ty.lanes == 1 && ty.scalar != Scalar::BFloat => {
                drop(self.define_float(ty, &format!("frem {text} {a}, {b}")))
            }
            2..=3 => {
                let visible = self.values.len();
                let (fast, a, b) = match self.random.one_in(4) && ty.scalar != Scalar::BFloat {
                    true => ("afn ", self.load_input(ty), self.load_input(ty)),
                    false => ("", a, b),
                };
                // The same quotient without `afn` would be one with it to LLVM: without.
                self.values.truncate(visible);
                let quotient = self.raw(&format!("fdiv {fast}{text} {a}, {b}"));
                self.define_quotient(ty, &quotient);
            }
            4..=6 => {
                let product = self.raw(&format!("fmul {text} {a}, {b}"));
                self.define_rounded(ty, &product);
            }
            _ => {
                let op = self.random.pick(&["fadd", "fsub"]).to_owned();
                let sum = self.raw(&format!("{op} {text} {a}, {b}"));
                self.define_rounded(ty, &sum);
            }
        }
    }

    /// A function that is approximated, with `afn` or without, of what comes from memory: of a number that LLVM knows it
    /// computes the function itself.
    fn approximated(&mut self) {
        let ty = Ty::any_float(self.random);
        if !matches!(ty.scalar, Scalar::Float | Scalar::Half) {
            return;
        }
        let name = self.random.pick(&APPROXIMATED).to_owned();
        let fast = if self.random.one_in(2) { "afn " } else { "" };
        let (text, x) = (ty.text(), self.load_input(ty));
        self.define_float(ty, &format!("call {fast}{text} @llvm.{name}.{}({text} {x})", ty.mangled()));
    }

    fn float_function(&mut self) {
        if self.random.one_in(4) {
            return self.approximated();
        }
        let ty = Ty::any_float(self.random);
        let (name, count) = OF_FLOATS[self.random.below(OF_FLOATS.len())];
        if ty.scalar == Scalar::BFloat && matches!(name, "sqrt" | "fma") {
            return;
        }
        let text = ty.text();
        let arguments: Vec<String> = (0..count).map(|_| format!("{text} {}", self.operand(ty))).collect();
        let call = format!("call {text} @llvm.{name}.{}({})", ty.mangled(), arguments.join(", "));
        if name.ends_with("num") {
            let raw = self.raw(&call);
            self.define_positive_zero(ty, &raw);
        } else {
            self.define_float(ty, &call);
        }
    }

    /// A product or sum, or what a conversion has rounded. In 16 bits it must not be -0: LLVM 22 makes one instruction of a
    /// product and what rounds it, to which it adds +0 (`llvm_defects/zero_of_products.ll`), and a sign of a difference from
    /// 0 (`llvm_defects/difference_from_zero.ll`); and it loses -0 in the upper half of a register
    /// (`llvm_defects/negated_zero.ll`).
    pub fn define_rounded(&mut self, ty: Ty, raw: &str) {
        match ty.scalar {
            Scalar::Half | Scalar::BFloat => self.define_positive_zero(ty, raw),
            _ => drop(self.settle(raw, ty)),
        }
    }

    /// A number whose zeros are +0. Not by an addition of +0: LLVM 22 takes that for nothing behind a `fneg`
    /// (`llvm_defects/sum_with_zero.ll`).
    pub fn define_positive_zero(&mut self, ty: Ty, raw: &str) {
        let (text, condition) = (ty.text(), ty.of(Scalar::Int(1)).text());
        let zero = if ty.lanes == 1 { "0.0" } else { "zeroinitializer" };
        let settled = self.settled(raw, ty);
        let is_zero = self.hidden(&format!("fcmp oeq {text} {settled}, {zero}"));
        self.define(ty, &format!("select {condition} {is_zero}, {text} {zero}, {text} {settled}"));
    }

    /// A quotient, with 0 in the place of a denormal one: that is rounded twice where the instructions do what the ISA
    /// manuals' expression says (`V_DIV_FMAS_F32` scales what the fused operation has rounded). In 16 bits it must not be -0:
    /// a division may become a product (`llvm_defects/zero_of_quotient.ll`). A NaN is replaced before, not behind: LLVM 22 takes
    /// a choice between 0 and a NaN for no NaN (`llvm_defects/chosen_nan.ll`).
    fn define_quotient(&mut self, ty: Ty, raw: &str) {
        const DENORMAL: u32 = 0x90;
        const DENORMAL_OR_ZERO: u32 = 0xf0;
        let classes = match ty.scalar {
            Scalar::Half | Scalar::BFloat => DENORMAL_OR_ZERO,
            _ => DENORMAL,
        };
        let (text, flags, mangled) = (ty.text(), ty.of(Scalar::Int(1)).text(), ty.mangled());
        let zero = if ty.lanes == 1 { "0.0" } else { "zeroinitializer" };
        let settled = self.settled(raw, ty);
        let small =
            self.hidden(&format!("call {flags} @llvm.is.fpclass.{mangled}({text} {settled}, i32 {classes})"));
        self.define(ty, &format!("select {flags} {small}, {text} {zero}, {text} {settled}"));
    }

    fn classify(&mut self) {
        let ty = Ty::any_float(self.random);
        let a = self.operand(ty);
        let result = ty.of(Scalar::Int(1));
        let classes = self.random.below(1024);
        let (text, mangled) = (ty.text(), ty.mangled());
        self.define(
            result,
            &format!("call {} @llvm.is.fpclass.{mangled}({text} {a}, i32 {classes})", result.text()),
        );
    }

    fn convert(&mut self) {
        match self.random.below(6) {
            0 => {
                let ty = Ty::any_int(self.random);
                let a = self.operand(ty);
                let others: Vec<u32> = match ty.lanes {
                    1 => vec![1, 8, 13, 16, 32, 33, 64, 96, 128],
                    _ => vec![1, 8, 16, 32, 64],
                };
                let bits = others[self.random.below(others.len())];
                let own = ty.scalar.bits();
                let to = ty.of(Scalar::Int(bits));
                if bits != own {
                    let widen = self.random.pick(&["zext", "sext"]).to_owned();
                    let op = if bits < own { "trunc".to_owned() } else { widen };
                    self.define(to, &format!("{op} {} {a} to {}", ty.text(), to.text()));
                }
            }
            1 => {
                let from = Ty::any_float(self.random);
                let to = from
                    .of([Scalar::Half, Scalar::BFloat, Scalar::Float, Scalar::Double][self.random.below(4)]);
                let op = match from.scalar.bits().cmp(&to.scalar.bits()) {
                    std::cmp::Ordering::Less => "fpext",
                    std::cmp::Ordering::Greater => "fptrunc",
                    std::cmp::Ordering::Equal => return,
                };
                let a = self.operand(from);
                let rounded = self.raw(&format!("{op} {} {a} to {}", from.text(), to.text()));
                self.define_rounded(to, &rounded);
            }
            2 => {
                let from = Ty::any_int(self.random);
                let floats = [Scalar::Half, Scalar::BFloat, Scalar::Float, Scalar::Double];
                let to = from.of(floats[self.random.below(4)]);
                if from.scalar.bits() > convertible(to.scalar) {
                    return;
                }
                let a = self.operand(from);
                let op = self.random.pick(&["sitofp", "uitofp"]).to_owned();
                self.define_float(to, &format!("{op} {} {a} to {}", from.text(), to.text()));
            }
            3 => {
                let from = Ty::any_float(self.random);
                let to = from.of(Scalar::Int([8, 16, 32, 64][self.random.below(4)]));
                let a = self.operand(from);
                let op = self.random.pick(&["fptosi", "fptoui"]).to_owned();
                self.define(
                    to,
                    &format!(
                        "call {} @llvm.{op}.sat.{}.{}({} {a})",
                        to.text(),
                        to.mangled(),
                        from.mangled(),
                        from.text()
                    ),
                );
            }
            _ => self.recast(),
        }
    }

    /// The same bits as another type.
    fn recast(&mut self) {
        let from = Ty::any_packed(self.random);
        let bits = from.bits();
        let scalars = [
            Scalar::Int(8),
            Scalar::Int(16),
            Scalar::Int(32),
            Scalar::Int(64),
            Scalar::Half,
            Scalar::BFloat,
            Scalar::Float,
            Scalar::Double,
        ];
        let mut fitting: Vec<Ty> = scalars
            .into_iter()
            .filter(|scalar| bits.is_multiple_of(scalar.bits()))
            .map(|scalar| Ty { scalar, lanes: bits / scalar.bits() })
            .filter(|ty| *ty != from && ty.lanes <= 16)
            .collect();
        if matches!(bits, 24 | 48 | 96 | 128) {
            fitting.push(Ty::int(bits));
        }
        let Some(&to) = fitting.get(self.random.below(fitting.len())) else { return };
        let a = self.operand(from);
        self.define_any(to, &format!("bitcast {} {a} to {}", from.text(), to.text()));
    }

    fn vector(&mut self) {
        let ty = loop {
            let ty = Ty::any(self.random);
            if ty.lanes > 1 {
                break ty;
            }
        };
        let (text, element) = (ty.text(), ty.element());
        let a = self.operand(ty);
        match self.random.below(6) {
            0 | 1 => {
                let index = self.index(ty.lanes);
                self.define(element, &format!("extractelement {text} {a}, i32 {index}"));
            }
            2 | 3 => {
                let (value, index) = (self.operand(element), self.index(ty.lanes));
                self.define(
                    ty,
                    &format!("insertelement {text} {a}, {} {value}, i32 {index}", element.text()),
                );
            }
            _ => {
                let b = self.operand(ty);
                let lanes = [2, 3, 4, 8][self.random.below(4)];
                let mask: Vec<String> =
                    (0..lanes).map(|_| format!("i32 {}", self.random.below(2 * ty.lanes as usize))).collect();
                let to = Ty { lanes, ..ty };
                let mask = mask.join(", ");
                self.define(to, &format!("shufflevector {text} {a}, {text} {b}, <{lanes} x i32> <{mask}>"));
            }
        }
    }

    /// An index below `lanes`: mostly a constant. Of two, always: LLVM 22 takes the comparisons of an index with 0 and 1 for
    /// the same (`llvm_defects/bit_comparison.ll`).
    fn index(&mut self, lanes: u32) -> String {
        if lanes == 2 || !self.random.one_in(4) {
            return self.random.below(lanes as usize).to_string();
        }
        let any = self.operand(I32);
        self.hidden(&format!("urem i32 {any}, {lanes}"))
    }

    fn integer_function(&mut self) {
        let ty = self.word();
        let text = ty.text();
        if ty.lanes > 1 && self.random.one_in(3) {
            let all = ["add", "mul", "and", "or", "xor", "smax", "smin", "umax", "umin"];
            let op = self.random.pick(&all).to_owned();
            let (element, a) = (ty.element(), self.operand(ty));
            let (result, mangled) = (element.text(), ty.mangled());
            self.define(element, &format!("call {result} @llvm.vector.reduce.{op}.{mangled}({text} {a})"));
            return;
        }
        let (name, params) = OF_INTEGERS[self.random.below(OF_INTEGERS.len())];
        let arguments: Vec<String> = params
            .chars()
            .map(|kind| match kind {
                'T' => format!("{text} {}", self.operand(ty)),
                _ => "i1 false".to_owned(),
            })
            .collect();
        let mut name = format!("llvm.{name}.{}", ty.mangled());
        // The comparisons in three ways are overloaded on their result as well.
        if let Some(of) = name.strip_prefix("llvm.scmp.").or(name.strip_prefix("llvm.ucmp.")) {
            name = format!("{}{}.{of}", &name[..10], ty.mangled());
        }
        self.define(ty, &format!("call {text} @{name}({})", arguments.join(", ")));
    }

    /// An integer, or a vector of some, that intrinsics are executed for: of at most 64 bits.
    fn word(&mut self) -> Ty {
        loop {
            let ty = Ty::any_int(self.random);
            if ty.scalar.bits() <= 64 {
                return ty;
            }
        }
    }

    fn overflow(&mut self) {
        let ty = self.word();
        let op = self.random.pick(&["sadd", "uadd", "ssub", "usub", "smul", "umul"]).to_owned();
        let (text, flags) = (ty.text(), ty.of(Scalar::Int(1)));
        let (a, b) = (self.operand(ty), self.operand(ty));
        let both = format!("{{ {text}, {} }}", flags.text());
        let mangled = ty.mangled();
        let pair =
            self.hidden(&format!("call {both} @llvm.{op}.with.overflow.{mangled}({text} {a}, {text} {b})"));
        self.define(ty, &format!("extractvalue {both} {pair}, 0"));
        self.define(flags, &format!("extractvalue {both} {pair}, 1"));
    }

    fn instruction(&mut self) {
        let rows: Vec<&str> = INSTRUCTIONS.lines().filter(|line| !line.is_empty()).collect();
        let mut words = rows[self.random.below(rows.len())].split(' ');
        let (Some(result), Some(name)) = (words.next().and_then(type_of), words.next()) else { return };
        if !self.has(name) {
            return;
        }
        let mut arguments = Vec::new();
        for word in words {
            if word == "~i32" {
                let value = self.operand(I32);
                // The lane's number is in it.
                let value = self.hidden(&format!("call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 {value})"));
                arguments.push(format!("i32 {value}"));
                continue;
            }
            if word == "&i32" {
                let value = self.operand(I32);
                let value = self.hidden(&format!("and i32 {value}, 31"));
                arguments.push(format!("i32 {value}"));
                continue;
            }
            arguments.push(match word.strip_prefix('=').and_then(|word| word.split_once(':')) {
                Some((ty, below)) => {
                    format!("{ty} {}", self.random.below(below.parse().unwrap_or(1)))
                }
                None => {
                    let Some(ty) = type_of(word) else { return };
                    format!("{} {}", ty.text(), self.operand(ty))
                }
            });
        }
        let call = format!("call {} @{name}({})", result.text(), arguments.join(", "));
        // What LLVM 22 computes itself, or makes a plain product, may be another zero (`llvm_defects/folded_zero.ll`).
        if name.contains(".sin.") || name.contains(".legacy") {
            let raw = self.raw(&call);
            self.define_positive_zero(result, &raw);
        } else {
            self.define_any(result, &call);
        }
    }

    /// Whether the processor has an intrinsic.
    pub fn has(&self, name: &str) -> bool {
        intrinsic::find(name).is_some_and(|(rows, _)| rows.iter().any(|row| row.exists_on(self.processor)))
    }
}

/// `i32`, `2xhalf`.
fn type_of(word: &str) -> Option<Ty> {
    let (lanes, scalar) = word.split_once('x').unwrap_or(("1", word));
    let scalar = match scalar {
        "half" => Scalar::Half,
        "float" => Scalar::Float,
        "double" => Scalar::Double,
        integer => Scalar::Int(integer.strip_prefix('i')?.parse().ok()?),
    };
    Some(Ty { scalar, lanes: lanes.parse().ok()? })
}
