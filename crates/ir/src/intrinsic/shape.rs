//! Types as an intrinsic's row spells them, and as its name does.

use super::{Class, Intrinsic};
use crate::types::{Type, TypeKind, Types};

/// A type of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Nothing.
    Void,
    /// A type that says itself.
    Exact(TypeKind),
    /// A vector of one that says itself.
    Vector(u32, TypeKind),
    /// A type that the intrinsic is overloaded on.
    Overload(usize),
    /// `i1`, or a vector of it as long as the overloaded type is.
    Bool(usize),
    /// The element of the overloaded type.
    Element(usize),
    /// A structure.
    Struct(Vec<Shape>),
}

impl Shape {
    /// Whether `ty` is of this shape. An overloaded type is bound where it is first met.
    pub fn fits(&self, types: &Types, ty: Type, bound: &mut [Option<Type>]) -> bool {
        match self {
            Shape::Void => *types.kind(ty) == TypeKind::Void,
            Shape::Exact(kind) => types.kind(ty) == kind,
            Shape::Vector(count, kind) => {
                types.lanes(ty) == Some(*count) && types.kind(types.scalar(ty)) == kind
            }
            Shape::Overload(index) => *bound[*index].get_or_insert(ty) == ty,
            Shape::Bool(index) => {
                // Where the overloaded type comes later in the signature, lanes are compared then.
                *types.kind(types.scalar(ty)) == TypeKind::Int(1)
                    && bound[*index].is_none_or(|bound| types.lanes(bound) == types.lanes(ty))
            }
            Shape::Element(index) => match bound[*index] {
                Some(bound) => types.scalar(bound) == ty,
                // The vector comes later in the signature, and is compared there.
                None => types.lanes(ty).is_none(),
            },
            Shape::Struct(shapes) => types.fields(ty).is_some_and(|(fields, packed)| {
                !packed
                    && fields.len() == shapes.len()
                    && shapes.iter().zip(fields).all(|(shape, &field)| shape.fits(types, field, bound))
            }),
        }
    }
}

impl Class {
    /// Whether `ty` may stand there.
    pub fn allows(self, types: &Types, ty: Type) -> bool {
        let (int, float) = (types.int_bits(ty).is_some(), types.is_float(ty));
        let pointer = types.address_space(ty).is_some();
        match self {
            Class::Any => types.is_sized(ty),
            Class::Int => int,
            Class::Float => float,
            Class::Num => int || float,
            Class::Data => int || float || pointer,
            Class::Ptr => pointer && types.lanes(ty).is_none(),
        }
    }
}

impl Intrinsic {
    /// The types that it is overloaded on in a function of type `function`, whose name ends in `suffix`; or what is wrong
    /// with that function.
    pub fn overloaded_on(&self, types: &Types, function: Type, suffix: &str) -> Result<Vec<Type>, String> {
        let TypeKind::Function { result, params, variadic } = types.kind(function) else {
            return Err("it is no function".to_owned());
        };
        let mut bound = vec![None; self.overloads.len()];
        if *variadic || params.len() != self.params.len() {
            return Err(format!("it takes {} arguments", self.params.len()));
        }
        if !self.result.fits(types, *result, &mut bound) {
            return Err("its result is of another type".to_owned());
        }
        // Twice, if anything is overloaded: an element may stand before the vector that it is of.
        for _ in 0..1 + usize::from(!self.overloads.is_empty()) {
            for (index, (param, &ty)) in self.params.iter().zip(params).enumerate() {
                if !param.shape.fits(types, ty, &mut bound) {
                    return Err(format!("its parameter {} is of another type", index + 1));
                }
            }
        }
        if self.overloads.is_empty() && suffix.is_empty() {
            return Ok(Vec::new());
        }
        if !self.result.fits(types, *result, &mut bound) {
            return Err("its result is of another type".to_owned());
        }
        let bound: Vec<Type> = bound.into_iter().flatten().collect();
        if bound.len() != self.overloads.len() {
            return Err("its types do not say what it is overloaded on".to_owned());
        }
        if let Some(index) =
            (0..bound.len()).find(|&index| !self.overloads[index].allows(types, bound[index]))
        {
            return Err(format!("it is not overloaded on `{}`", mangled(types, bound[index])));
        }
        let spelled: String = bound.iter().map(|&ty| format!(".{}", mangled(types, ty))).collect();
        if spelled != suffix {
            return Err(format!("its types are spelled `{}{spelled}`", self.name));
        }
        Ok(bound)
    }
}

/// A type as the names of overloaded intrinsics spell it.
pub fn mangled(types: &Types, ty: Type) -> String {
    match types.kind(ty) {
        TypeKind::Void => "isVoid".to_owned(),
        TypeKind::Half => "f16".to_owned(),
        TypeKind::BFloat => "bf16".to_owned(),
        TypeKind::Float => "f32".to_owned(),
        TypeKind::Double => "f64".to_owned(),
        TypeKind::Fp128 => "f128".to_owned(),
        TypeKind::Int(bits) => format!("i{bits}"),
        TypeKind::Pointer(space) => format!("p{space}"),
        TypeKind::Vector { element, count, scalable } => {
            format!("{}v{count}{}", if *scalable { "nx" } else { "" }, mangled(types, *element))
        }
        TypeKind::Array { element, count } => format!("a{count}{}", mangled(types, *element)),
        TypeKind::Metadata => "Metadata".to_owned(),
        TypeKind::Struct { fields, .. } => {
            format!("sl_{}s", fields.iter().map(|&field| mangled(types, field)).collect::<String>())
        }
        // No intrinsic of the table is overloaded on any of these.
        TypeKind::Named(_)
        | TypeKind::Target { .. }
        | TypeKind::Function { .. }
        | TypeKind::Label
        | TypeKind::Token => "?".to_owned(),
    }
}

/// Whether a part of a name can be a type: all that intrinsics are overloaded on have a number in them.
pub(super) fn may_be_mangled(part: &str) -> bool {
    part.bytes().any(|byte| byte.is_ascii_digit())
}
