//! Types, and named structures.

use rustc_hash::FxHashMap;

use super::lexer::{Lexer, NameToken, Token, may_go_on, short_number};
use super::{Mention, Parser, Result};
use crate::entity::Id as _;
use crate::types::{
    MAX_INTEGER_BITS, MAX_NESTING, MAX_VECTOR_ELEMENTS, Struct, StructBody, StructDef, Type, TypeKind, Types,
};

/// Address spaces that LLVM has room for.
const MAX_ADDRESS_SPACE: u32 = 1 << 24;

/// Vectors that were met, each in the slot of its length and element, where another may take its place.
pub(super) struct Vectors([Option<(Type, u32, Type)>; 64]);

impl Default for Vectors {
    fn default() -> Vectors {
        Vectors([None; 64])
    }
}

impl Vectors {
    #[inline(always)]
    fn of(&mut self, types: &mut Types, element: Type, count: u32) -> Type {
        let slot = &mut self.0[(element.index() * 11 + count as usize) % 64];
        match *slot {
            Some((of, as_long, ty)) if of == element && as_long == count => ty,
            _ => {
                let ty = types.intern(TypeKind::Vector { element, count, scalable: false });
                *slot = Some((element, count, ty));
                ty
            }
        }
    }
}

impl<'t> Parser<'t> {
    /// A type of values.
    pub(super) fn ty(&mut self) -> Result<Type> {
        let (at, last_end) = (self.at, self.last_end);
        match self.frequent_type() {
            Some(ty) if self.module.types.is_first_class(ty) => return Ok(ty),
            // To be said where it stands.
            _ => (self.at, self.last_end) = (at, last_end),
        }
        let place = self.place();
        let ty = self.any_type()?;
        if self.module.types.is_first_class(ty) {
            Ok(ty)
        } else {
            self.error_at(place, "expected the type of a value: nothing is `void` or a function")
        }
    }

    /// Any type, `void` and function types among them.
    pub(super) fn any_type(&mut self) -> Result<Type> {
        self.nested(|parser| {
            let mut ty = parser.base_type()?;
            while parser.at(b'(') {
                ty = parser.function_type(ty)?;
            }
            if parser.at(b'*') {
                return parser.error("pointers have no type of what they point to: write `ptr`");
            }
            Ok(ty)
        })
    }

    /// A type that most values are of, if one stands here and nothing that makes another of it: narrow integers, pointers,
    /// `float`, `half` and their like, vectors of them.
    #[inline]
    pub(super) fn frequent_type(&mut self) -> Option<Type> {
        if self.byte() == b'<' {
            let (count, end) = short_number(self.text, self.at + 1)?;
            let rest = self.text.as_bytes().get(end..end + 3)?;
            if rest != b" x " || count == 0 || count > MAX_VECTOR_ELEMENTS {
                return None;
            }
            let (element, end) = self.frequent_scalar(end + 3)?;
            if self.byte_at(end) != b'>' {
                return None;
            }
            let ty = self.vectors.of(&mut self.module.types, element, count);
            return self.take_type(ty, end + 1);
        }
        let (ty, end) = self.frequent_scalar(self.at)?;
        self.take_type(ty, end)
    }

    /// Goes past a type, unless more of it follows.
    #[inline(always)]
    fn take_type(&mut self, ty: Type, end: usize) -> Option<Type> {
        let next = Lexer::begin_from(self.text, end);
        if matches!(self.byte_at(next), b'(' | b'*') {
            return None;
        }
        self.last_end = end as u32;
        self.at = next;
        Some(ty)
    }

    #[inline(always)]
    fn frequent_scalar(&mut self, at: usize) -> Option<(Type, usize)> {
        let (kind, end) = match self.byte_at(at) {
            b'i' => {
                let (bits, end) = short_number(self.text, at + 1)?;
                if self.byte_at(at + 1) == b'0' || bits > 64 {
                    return None;
                }
                (TypeKind::Int(bits), end)
            }
            b'p' => {
                let rest = self.text.as_bytes().get(at..at + 16)?;
                if rest.starts_with(b"ptr addrspace(") {
                    let (space, end) = short_number(self.text, at + 14)?;
                    if self.byte_at(end) != b')' || space >= MAX_ADDRESS_SPACE {
                        return None;
                    }
                    // What stands behind is no part of a word.
                    return Some((self.module.types.intern(TypeKind::Pointer(space)), end + 1));
                }
                return None;
            }
            b'f' if self.text.as_bytes()[at..].starts_with(b"float") => (TypeKind::Float, at + 5),
            b'v' if self.text.as_bytes()[at..].starts_with(b"void") => (TypeKind::Void, at + 4),
            b'h' if self.text.as_bytes()[at..].starts_with(b"half") => (TypeKind::Half, at + 4),
            b'b' if self.text.as_bytes()[at..].starts_with(b"bfloat") => (TypeKind::BFloat, at + 6),
            _ => return None,
        };
        if may_go_on(self.byte_at(end)) {
            return None;
        }
        Some((self.module.types.intern(kind), end))
    }

    fn base_type(&mut self) -> Result<Type> {
        let kind = match self.token() {
            // Most types are integers of two digits at most.
            Token::Word(word) if let Some(bits) = narrow_integer(word.as_bytes()) => {
                self.advance();
                TypeKind::Int(bits)
            }
            Token::Word(word) => match self.word_type(word)? {
                Some(kind) => kind,
                None => return self.expected("a type"),
            },
            Token::Local(name) => {
                let place = self.place();
                self.advance();
                TypeKind::Named(self.struct_named(name, place))
            }
            Token::Punct(b'{') => {
                self.advance();
                TypeKind::Struct { fields: self.field_types()?, packed: false }
            }
            Token::Punct(b'[') => {
                self.advance();
                let count = self.u64("the number of elements")?;
                self.expect_word("x")?;
                let element = self.ty()?;
                self.expect(b']')?;
                TypeKind::Array { element, count }
            }
            Token::Punct(b'<') => {
                self.advance();
                if self.take(b'{') {
                    let fields = self.field_types()?;
                    self.expect(b'>')?;
                    TypeKind::Struct { fields, packed: true }
                } else {
                    return self.vector_type();
                }
            }
            _ => return self.expected("a type"),
        };
        Ok(self.module.types.intern(kind))
    }

    fn word_type(&mut self, word: &str) -> Result<Option<TypeKind>> {
        let kind = match word {
            "void" => TypeKind::Void,
            "half" => TypeKind::Half,
            "bfloat" => TypeKind::BFloat,
            "float" => TypeKind::Float,
            "double" => TypeKind::Double,
            "fp128" => TypeKind::Fp128,
            "label" => TypeKind::Label,
            "token" => TypeKind::Token,
            "metadata" => TypeKind::Metadata,
            "ptr" => {
                self.advance();
                return Ok(Some(TypeKind::Pointer(self.address_space()?)));
            }
            "target" => {
                self.advance();
                return self.target_type().map(Some);
            }
            "x86_fp80" | "ppc_fp128" | "x86_amx" => return self.unsupported(format!("the type {word}")),
            _ => {
                let Some(bits) = word.strip_prefix('i').filter(|bits| is_number(bits)) else {
                    return Ok(None);
                };
                match bits.parse() {
                    Ok(bits) if (1..=MAX_INTEGER_BITS).contains(&bits) => TypeKind::Int(bits),
                    _ => {
                        return self
                            .error(format!("expected an integer type of 1 to {MAX_INTEGER_BITS} bits"));
                    }
                }
            }
        };
        self.advance();
        Ok(Some(kind))
    }

    /// `addrspace(n)`, or nothing.
    pub(super) fn address_space(&mut self) -> Result<u32> {
        if !self.take_word("addrspace") {
            return Ok(0);
        }
        self.expect(b'(')?;
        let place = self.place();
        let space = match self.token() {
            // `"A"`, `"G"`, `"P"`: those of the data layout.
            Token::Text(_) => return self.unsupported("an address space by its letter"),
            _ => self.u32("an address space")?,
        };
        self.expect(b')')?;
        if space < MAX_ADDRESS_SPACE {
            Ok(space)
        } else {
            self.error_at(place, "expected an address space below 2^24")
        }
    }

    fn target_type(&mut self) -> Result<TypeKind> {
        self.expect(b'(')?;
        let name = self.utf8()?;
        let (mut types, mut integers) = (Vec::new(), Vec::new());
        while self.take(b',') {
            if matches!(self.token(), Token::Int(_)) {
                integers.push(self.u32("a number")?);
            } else if integers.is_empty() {
                types.push(self.any_type()?);
            } else {
                return self.expected("a number");
            }
        }
        self.expect(b')')?;
        Ok(TypeKind::Target { name, types, integers })
    }

    fn field_types(&mut self) -> Result<Vec<Type>> {
        let mut fields = Vec::new();
        self.list(b'}', |parser| {
            fields.push(parser.ty()?);
            Ok(())
        })?;
        Ok(fields)
    }

    /// Behind the `<`.
    fn vector_type(&mut self) -> Result<Type> {
        let scalable = self.take_word("vscale");
        if scalable {
            self.expect_word("x")?;
        }
        let place = self.place();
        let count = self.u32("the number of elements")?;
        if count == 0 || count > MAX_VECTOR_ELEMENTS {
            return self.error_at(place, format!("expected 1 to {MAX_VECTOR_ELEMENTS} elements"));
        }
        self.expect_word("x")?;
        let place = self.place();
        let element = self.ty()?;
        let fits = matches!(self.module.types.kind(element), TypeKind::Int(_) | TypeKind::Pointer(_))
            || self.module.types.is_float(element) && self.module.types.lanes(element).is_none();
        if !fits {
            return self
                .error_at(place, "expected an element: an integer, a floating-point number or a pointer");
        }
        self.expect(b'>')?;
        Ok(self.module.types.intern(TypeKind::Vector { element, count, scalable }))
    }

    fn function_type(&mut self, result: Type) -> Result<Type> {
        self.expect(b'(')?;
        let (mut params, mut variadic) = (Vec::new(), false);
        self.list(b')', |parser| {
            if variadic {
                return parser.expected("`)`");
            }
            if parser.token() == Token::Dots {
                parser.advance();
                variadic = true;
            } else {
                params.push(parser.ty()?);
            }
            Ok(())
        })?;
        Ok(self.module.types.intern(TypeKind::Function { result, params, variadic }))
    }

    fn struct_named(&mut self, name: NameToken<'t>, place: super::Place) -> Struct {
        let name = name.to_name();
        if let Some(mention) = self.structs.get(&name) {
            return mention.id;
        }
        let id = self.module.types.structs.push(StructDef { name: name.clone(), body: None });
        self.structs.insert(name, Mention { id, first: place, defined: false });
        id
    }

    /// `%name = type …`; the name is read.
    pub(super) fn struct_definition(&mut self, name: NameToken<'t>, place: super::Place) -> Result<()> {
        self.expect(b'=')?;
        self.expect_word("type")?;
        let id = self.struct_named(name, place);
        let name = name.to_name();
        if self.structs[&name].defined {
            return self.error_at(place, format!("the type %{} is defined twice", super::show(&name)));
        }
        if let Some(mention) = self.structs.get_mut(&name) {
            mention.defined = true;
        }
        self.module.types.struct_order.push(id);
        if self.take_word("opaque") {
            return Ok(());
        }
        let packed = self.take(b'<');
        if !self.take(b'{') {
            return if packed { self.expected("`{`") } else { self.expected("`{`, `<{` or `opaque`") };
        }
        let fields = self.field_types()?;
        if packed {
            self.expect(b'>')?;
        }
        self.module.types.structs[id].body = Some(StructBody { fields, packed });
        Ok(())
    }

    /// Everything that looks into a type may count on its end: none contains itself.
    pub(super) fn types_end(&self) -> Result<()> {
        let mut known = FxHashMap::default();
        for &id in &self.module.types.struct_order {
            let Some(ty) = self.module.types.find(&TypeKind::Named(id)) else { continue };
            if self.nesting(ty, 0, &mut known).is_none() {
                let place = self.structs[&self.module.types.structs[id].name].first;
                let message = format!("the type contains itself, or is nested deeper than {MAX_NESTING}");
                return self.error_at(place, message);
            }
        }
        Ok(())
    }

    /// How deep what is in a type is nested, `above` being what it is nested in; `None`: deeper than may be, perhaps
    /// without end.
    fn nesting(&self, ty: Type, above: u32, known: &mut FxHashMap<Type, u32>) -> Option<u32> {
        if above > MAX_NESTING {
            return None;
        }
        if let Some(&depth) = known.get(&ty) {
            return (above + depth <= MAX_NESTING).then_some(depth);
        }
        let types = &self.module.types;
        let mut depth = 0;
        if let TypeKind::Array { element, .. } = types.kind(ty) {
            depth = self.nesting(*element, above + 1, known)? + 1;
        }
        for &field in types.fields(ty).map_or(&[][..], |(fields, _)| fields) {
            depth = depth.max(self.nesting(field, above + 1, known)? + 1);
        }
        known.insert(ty, depth);
        Some(depth)
    }
}

/// The bits of `i1` to `i99`.
#[inline(always)]
fn narrow_integer(word: &[u8]) -> Option<u32> {
    match *word {
        [b'i', ones @ b'1'..=b'9'] => Some((ones - b'0').into()),
        [b'i', tens @ b'1'..=b'9', ones @ b'0'..=b'9'] => {
            Some(u32::from(tens - b'0') * 10 + u32::from(ones - b'0'))
        }
        _ => None,
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
