//! The types of random functions: first-class scalars and vectors of them.

use wavemark_filetests::random::Random;

/// A type that is no vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// An integer of so many bits.
    Int(u32),
    /// `half`.
    Half,
    /// `bfloat`.
    BFloat,
    /// `float`.
    Float,
    /// `double`.
    Double,
}

/// A scalar, or a vector of `lanes` of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ty {
    /// The element.
    pub scalar: Scalar,
    /// 1: no vector.
    pub lanes: u32,
}

/// `i1`.
pub const I1: Ty = Ty::int(1);
/// `i32`.
pub const I32: Ty = Ty::int(32);
/// `i64`.
pub const I64: Ty = Ty::int(64);

/// Widths of integers; those that machines have more often.
const WIDTHS: [u32; 20] = [32, 32, 32, 32, 64, 64, 64, 16, 16, 8, 8, 3, 7, 13, 24, 33, 48, 63, 96, 128];
/// Widths of integers in vectors.
const NARROW: [u32; 6] = [8, 16, 16, 32, 32, 64];
const FLOATS: [Scalar; 6] =
    [Scalar::Float, Scalar::Float, Scalar::Half, Scalar::Half, Scalar::Double, Scalar::BFloat];

impl Scalar {
    /// Its bits.
    pub fn bits(self) -> u32 {
        match self {
            Scalar::Int(bits) => bits,
            Scalar::Half | Scalar::BFloat => 16,
            Scalar::Float => 32,
            Scalar::Double => 64,
        }
    }

    fn text(self) -> String {
        match self {
            Scalar::Int(bits) => format!("i{bits}"),
            Scalar::Half => "half".to_owned(),
            Scalar::BFloat => "bfloat".to_owned(),
            Scalar::Float => "float".to_owned(),
            Scalar::Double => "double".to_owned(),
        }
    }

    fn mangled(self) -> String {
        match self {
            Scalar::Int(bits) => format!("i{bits}"),
            Scalar::BFloat => "bf16".to_owned(),
            float => format!("f{}", float.bits()),
        }
    }
}

impl Ty {
    /// An integer.
    pub const fn int(bits: u32) -> Ty {
        Ty { scalar: Scalar::Int(bits), lanes: 1 }
    }

    /// As many of another element.
    pub fn of(self, scalar: Scalar) -> Ty {
        Ty { scalar, ..self }
    }

    /// Its element.
    pub fn element(self) -> Ty {
        Ty { lanes: 1, ..self }
    }

    /// Whether it is of floating-point numbers.
    pub fn is_float(self) -> bool {
        !matches!(self.scalar, Scalar::Int(_))
    }

    /// All its bits.
    pub fn bits(self) -> u32 {
        self.scalar.bits() * self.lanes
    }

    /// Whether its elements are whole bytes of the usual numbers, so that all bits of it in memory are its own.
    pub fn is_packed(self) -> bool {
        matches!(self.scalar.bits(), 8 | 16 | 32 | 64)
    }

    /// As it is written.
    pub fn text(self) -> String {
        match self.lanes {
            1 => self.scalar.text(),
            lanes => format!("<{lanes} x {}>", self.scalar.text()),
        }
    }

    /// As it stands in an intrinsic's name.
    pub fn mangled(self) -> String {
        match self.lanes {
            1 => self.scalar.mangled(),
            lanes => format!("v{lanes}{}", self.scalar.mangled()),
        }
    }

    /// Some integer, or a vector of some.
    pub fn any_int(random: &mut Random) -> Ty {
        if random.one_in(4) {
            let scalar = Scalar::Int(NARROW[random.below(NARROW.len())]);
            return Ty { scalar, lanes: lanes(random) };
        }
        Ty::int(WIDTHS[random.below(WIDTHS.len())])
    }

    /// Some floating-point number, or a vector of some.
    pub fn any_float(random: &mut Random) -> Ty {
        let scalar = FLOATS[random.below(FLOATS.len())];
        Ty { scalar, lanes: if random.one_in(3) { lanes(random) } else { 1 } }
    }

    /// Any.
    pub fn any(random: &mut Random) -> Ty {
        match random.below(8) {
            0 => I1,
            1..=4 => Ty::any_int(random),
            _ => Ty::any_float(random),
        }
    }

    /// Any that memory holds without a bit to spare.
    pub fn any_packed(random: &mut Random) -> Ty {
        loop {
            let ty = Ty::any(random);
            if ty.is_packed() {
                return ty;
            }
        }
    }
}

fn lanes(random: &mut Random) -> u32 {
    [2, 2, 2, 3, 4, 4, 8][random.below(7)]
}
