//! The types of tile expressions, in TVM's names (`float16`, `int32`, `handle`).

use std::fmt;

pub use wavemark_numerics::dtype::Dtype as Element;

/// The type of an expression or of a buffer's elements. One lane: vector types are not part of the tile level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dtype {
    /// A number (or `bool`).
    Element(Element),
    /// An address, such as `B.data`.
    Handle,
    /// The "type" of a string argument or of a call made for its effect alone.
    Void,
}

const NAMES: [(&str, Element); 19] = [
    ("int8", Element::I8),
    ("uint8", Element::U8),
    ("int16", Element::I16),
    ("uint16", Element::U16),
    ("int32", Element::I32),
    ("uint32", Element::U32),
    ("int64", Element::I64),
    ("uint64", Element::U64),
    ("float16", Element::F16),
    ("bfloat16", Element::Bf16),
    ("float32", Element::F32),
    ("float64", Element::F64),
    ("float8_e4m3fn", Element::F8E4M3),
    ("float8_e5m2", Element::F8E5M2),
    ("float8_e4m3fnuz", Element::F8E4M3Fnuz),
    ("float8_e5m2fnuz", Element::F8E5M2Fnuz),
    ("float4_e2m1fn", Element::F4E2M1),
    ("float8_e8m0fnu", Element::E8M0),
    ("bool", Element::Bool),
];

impl Dtype {
    /// `bool`.
    pub const BOOL: Dtype = Dtype::Element(Element::Bool);
    /// `int32`, the type of loop variables and indices where nothing else is said.
    pub const INT32: Dtype = Dtype::Element(Element::I32);
    /// `int64`.
    pub const INT64: Dtype = Dtype::Element(Element::I64);
    /// `float32`.
    pub const FLOAT32: Dtype = Dtype::Element(Element::F32);

    /// The name in TVMScript.
    pub fn name(self) -> &'static str {
        match self {
            Dtype::Handle => "handle",
            Dtype::Void => "void",
            Dtype::Element(element) => match NAMES.iter().find(|row| row.1 == element) {
                Some(row) => row.0,
                None => element.name(),
            },
        }
    }

    /// The type of that name; `None` for unknown names and for vector types (`float16x8`).
    pub fn from_name(name: &str) -> Option<Dtype> {
        match name {
            "handle" => Some(Dtype::Handle),
            "void" | "" => Some(Dtype::Void),
            _ => NAMES.iter().find(|row| row.0 == name).map(|row| Dtype::Element(row.1)),
        }
    }

    /// The number format, when it is one.
    pub fn element(self) -> Option<Element> {
        match self {
            Dtype::Element(element) => Some(element),
            _ => None,
        }
    }

    /// A signed or unsigned integer (not `bool`).
    pub fn is_integer(self) -> bool {
        use wavemark_numerics::dtype::Kind;
        matches!(self, Dtype::Element(element) if matches!(element.kind(), Kind::Signed | Kind::Unsigned))
    }

    /// A floating-point format.
    pub fn is_float(self) -> bool {
        matches!(self, Dtype::Element(element) if element.kind() == wavemark_numerics::dtype::Kind::Float)
    }
}

impl fmt::Display for Dtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
