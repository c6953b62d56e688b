//! Types, interned: two types are the same type if and only if their ids are equal.
//!
//! Follows "Type System" of the LLVM Language Reference. Pointers are opaque. A named structure is itself, whatever is in
//! it; all others are what they are made of. What a type needs in memory is the data layout's matter ([`crate::layout`]).

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use crate::entity::{Arena, Id as _, id};

id! {
    /// A type of a module.
    Type, "type"
}
id! {
    /// A named structure of a module.
    Struct, "struct"
}

/// Bits of the widest integer: narrower than LLVM's 2²³, so that a number in decimal is read and printed in no time.
pub const MAX_INTEGER_BITS: u32 = 1 << 16;
/// Elements of the longest vector.
pub const MAX_VECTOR_ELEMENTS: u32 = 1 << 16;
/// How deep types, constants and metadata may be nested.
pub const MAX_NESTING: u32 = 200;

/// What a type is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are the language reference's")]
pub enum TypeKind {
    Void,
    Half,
    BFloat,
    Float,
    Double,
    Fp128,
    Label,
    Token,
    Metadata,
    Int(u32),
    /// A pointer into an address space.
    Pointer(u32),
    /// A vector of a number of elements, or (scalable) of a multiple of it.
    Vector {
        element: Type,
        count: u32,
        scalable: bool,
    },
    Array {
        element: Type,
        count: u64,
    },
    /// A structure that is what is in it.
    Struct {
        fields: Vec<Type>,
        packed: bool,
    },
    /// A structure with a name.
    Named(Struct),
    /// A type of the target: `target("amdgcn.named.barrier", 0)`.
    Target {
        name: Box<str>,
        types: Vec<Type>,
        integers: Vec<u32>,
    },
    Function {
        result: Type,
        params: Vec<Type>,
        variadic: bool,
    },
}

/// A named structure: `%name = type …`, or `%0 = type …`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StructDef {
    /// Its name.
    pub name: Name,
    /// What is in it; `None` for an opaque one.
    pub body: Option<StructBody>,
}

/// A name, or the number that stands for one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Name {
    /// A name; any bytes but 0.
    Text(Box<[u8]>),
    /// A number.
    Number(u32),
}

/// What is in a named structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StructBody {
    /// The fields.
    pub fields: Vec<Type>,
    /// Without padding.
    pub packed: bool,
}

/// The types of a module.
#[derive(Clone, Debug, Default)]
pub struct Types {
    kinds: IndexSet<TypeKind, FxBuildHasher>,
    /// Those that stand everywhere, by their slots.
    frequent: Vec<Option<Type>>,
    /// The named structures.
    pub structs: Arena<Struct, StructDef>,
    /// The named structures in the order of their definitions.
    pub struct_order: Vec<Struct>,
}

/// Slots for frequent types.
const SLOTS: usize = 88;

/// The slot of a frequent type.
fn slot(kind: &TypeKind) -> Option<usize> {
    match *kind {
        TypeKind::Int(bits) if bits <= 64 => Some(bits as usize),
        TypeKind::Pointer(space) if space < 16 => Some(65 + space as usize),
        TypeKind::Void => Some(81),
        TypeKind::Half => Some(82),
        TypeKind::BFloat => Some(83),
        TypeKind::Float => Some(84),
        TypeKind::Double => Some(85),
        TypeKind::Label => Some(86),
        TypeKind::Metadata => Some(87),
        _ => None,
    }
}

impl PartialEq for Types {
    fn eq(&self, other: &Types) -> bool {
        self.kinds == other.kinds && self.structs == other.structs && self.struct_order == other.struct_order
    }
}

impl Types {
    /// The type that is `kind`.
    pub fn intern(&mut self, kind: TypeKind) -> Type {
        let Some(slot) = slot(&kind) else { return self.intern_any(kind) };
        match self.frequent.get(slot).copied().flatten() {
            Some(known) => known,
            None => {
                let ty = self.intern_any(kind);
                self.frequent.resize(self.frequent.len().max(SLOTS), None);
                self.frequent[slot] = Some(ty);
                ty
            }
        }
    }

    /// Makes room for as many more.
    pub(crate) fn reserve(&mut self, more: usize) {
        self.kinds.reserve(more);
    }

    fn intern_any(&mut self, kind: TypeKind) -> Type {
        Type::new(self.kinds.insert_full(kind).0)
    }

    /// The type that is `kind`, if there is one.
    pub fn find(&self, kind: &TypeKind) -> Option<Type> {
        self.kinds.get_index_of(kind).map(Type::new)
    }

    /// What a type is.
    pub fn kind(&self, ty: Type) -> &TypeKind {
        &self.kinds[ty.index()]
    }

    /// `i1`, or a vector of it as long as `shape` is.
    pub fn bool_like(&mut self, shape: Type) -> Type {
        let bool = self.intern(TypeKind::Int(1));
        self.with_shape(shape, bool)
    }

    /// `scalar`, or a vector of it as long as `shape` is.
    pub fn with_shape(&mut self, shape: Type, scalar: Type) -> Type {
        match *self.kind(shape) {
            TypeKind::Vector { count, scalable, .. } => {
                self.intern(TypeKind::Vector { element: scalar, count, scalable })
            }
            _ => scalar,
        }
    }

    /// The element of a vector, else the type itself.
    pub fn scalar(&self, ty: Type) -> Type {
        match *self.kind(ty) {
            TypeKind::Vector { element, .. } => element,
            _ => ty,
        }
    }

    /// Elements of a vector; `None` for anything else.
    pub fn lanes(&self, ty: Type) -> Option<u32> {
        match *self.kind(ty) {
            TypeKind::Vector { count, .. } => Some(count),
            _ => None,
        }
    }

    /// Bits of an integer (of a vector: of its elements).
    pub fn int_bits(&self, ty: Type) -> Option<u32> {
        match *self.kind(self.scalar(ty)) {
            TypeKind::Int(bits) => Some(bits),
            _ => None,
        }
    }

    /// The address space of a pointer (of a vector: of its elements).
    pub fn address_space(&self, ty: Type) -> Option<u32> {
        match *self.kind(self.scalar(ty)) {
            TypeKind::Pointer(space) => Some(space),
            _ => None,
        }
    }

    /// Whether it is a floating-point number, or a vector of such.
    pub fn is_float(&self, ty: Type) -> bool {
        self.float_bits(ty).is_some()
    }

    /// Bits of a floating-point number (of a vector: of its elements).
    pub fn float_bits(&self, ty: Type) -> Option<u32> {
        match self.kind(self.scalar(ty)) {
            TypeKind::Half | TypeKind::BFloat => Some(16),
            TypeKind::Float => Some(32),
            TypeKind::Double => Some(64),
            TypeKind::Fp128 => Some(128),
            _ => None,
        }
    }

    /// The fields of a structure with a body.
    pub fn fields(&self, ty: Type) -> Option<(&[Type], bool)> {
        match self.kind(ty) {
            TypeKind::Struct { fields, packed } => Some((fields, *packed)),
            TypeKind::Named(id) => {
                let body = self.structs[*id].body.as_ref()?;
                Some((&body.fields, body.packed))
            }
            _ => None,
        }
    }

    /// The type of the part `index` of an array or structure; `None` where there is none.
    pub fn part(&self, ty: Type, index: u64) -> Option<Type> {
        match *self.kind(ty) {
            TypeKind::Array { element, count } => (index < count).then_some(element),
            _ => self.fields(ty)?.0.get(usize::try_from(index).ok()?).copied(),
        }
    }

    /// A value can be of it, and an instruction give it.
    pub fn is_first_class(&self, ty: Type) -> bool {
        !matches!(self.kind(ty), TypeKind::Void | TypeKind::Function { .. })
    }

    /// It has a size, so that it can be loaded and stored.
    pub fn is_sized(&self, ty: Type) -> bool {
        match self.kind(ty) {
            TypeKind::Void
            | TypeKind::Label
            | TypeKind::Token
            | TypeKind::Metadata
            | TypeKind::Function { .. } => false,
            TypeKind::Array { element, .. } | TypeKind::Vector { element, .. } => self.is_sized(*element),
            TypeKind::Struct { .. } | TypeKind::Named(_) => {
                self.fields(ty).is_some_and(|(fields, _)| fields.iter().all(|&field| self.is_sized(field)))
            }
            TypeKind::Target { name, .. } => &**name == "amdgcn.named.barrier",
            _ => true,
        }
    }
}
