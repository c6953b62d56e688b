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

/// Types of values that were met, by what they are.
pub(super) struct Recent {
    /// Integers by their bits.
    ints: [Option<Type>; 65],
    /// Pointers by their address spaces.
    pointers: [Option<Type>; 16],
    /// `float`, `half`, `bfloat` and `double`.
    words: [Option<Type>; 4],
    /// Vectors by element and length, each in a slot where another may take its place.
    vectors: [Option<(Type, u32, Type)>; 64],
}

impl Default for Recent {
    fn default() -> Recent {
        Recent { ints: [None; 65], pointers: [None; 16], words: [None; 4], vectors: [None; 64] }
    }
}

/// The type in a slot; one that is `kind` if there is none yet.
#[inline(always)]
fn kept(slot: &mut Option<Type>, types: &mut Types, kind: impl FnOnce() -> TypeKind) -> Type {
    #[cold]
    #[inline(never)]
    fn keep(slot: &mut Option<Type>, types: &mut Types, kind: TypeKind) -> Type {
        *slot.insert(types.intern(kind))
    }
    match *slot {
        Some(ty) => ty,
        None => keep(slot, types, kind()),
    }
}

impl Recent {
    #[inline(always)]
    fn vector(&mut self, types: &mut Types, element: Type, count: u32) -> Type {
        let slot = &mut self.vectors[(element.index() * 11 + count as usize) % 64];
        match *slot {
            Some((of, as_long, ty)) if of == element && as_long == count => ty,
            _ => {
                let ty = types.intern(TypeKind::Vector { element, count, scalable: false });
                *slot = Some((element, count, ty));
                ty
            }
        }
    }

    /// An integer, a floating-point number or a pointer that begins at a byte, and where it ends.
    #[inline(always)]
    fn scalar(&mut self, types: &mut Types, text: &[u8], at: usize) -> Option<(Type, usize)> {
        let rest = text.get(at..)?;
        let (ty, length) = match rest {
            [b'i', ..] => {
                let (bits, length) = narrow_integer(rest)?;
                (kept(self.ints.get_mut(bits)?, types, || TypeKind::Int(bits as u32)), length)
            }
            // What is behind the parenthesis is another token.
            [b'p', ..] => {
                // Words are compared as a whole: a pattern of bytes is a branch for each.
                let behind = rest.strip_prefix(b"ptr addrspace(")?;
                let &[digit @ b'0'..=b'9', b')', ..] = behind else { return None };
                let space = usize::from(digit - b'0');
                let pointer = kept(&mut self.pointers[space], types, || TypeKind::Pointer(space as u32));
                return Some((pointer, at + 16));
            }
            [b'f', ..] if rest.starts_with(b"float") => {
                (kept(&mut self.words[0], types, || TypeKind::Float), 5)
            }
            [b'h', ..] if rest.starts_with(b"half") => {
                (kept(&mut self.words[1], types, || TypeKind::Half), 4)
            }
            [b'b', ..] if rest.starts_with(b"bfloat") => {
                (kept(&mut self.words[2], types, || TypeKind::BFloat), 6)
            }
            [b'd', ..] if rest.starts_with(b"double") => {
                (kept(&mut self.words[3], types, || TypeKind::Double), 6)
            }
            _ => return None,
        };
        (!rest.get(length).is_some_and(|&byte| may_go_on(byte))).then_some((ty, at + length))
    }
}

/// The bits of `i1` to `i99`, which begins a text, and how long that is.
#[inline(always)]
fn narrow_integer(text: &[u8]) -> Option<(usize, usize)> {
    let digit = |at: usize| text.get(at).map(|byte| usize::from(byte.wrapping_sub(b'0'))).filter(|&d| d < 10);
    let tens = digit(1).filter(|&first| first != 0)?;
    Some(match digit(2) {
        Some(ones) => (tens * 10 + ones, 3),
        None => (tens, 2),
    })
}

impl<'t> Parser<'t> {
    /// A type of values.
    #[inline(always)]
    pub(super) fn ty(&mut self) -> Result<Type> {
        match self.recent_type() {
            Some(ty) => Ok(ty),
            None => self.other_type(),
        }
    }

    #[inline(never)]
    fn other_type(&mut self) -> Result<Type> {
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

    /// The type of values that stands here, if it was met before and nothing follows that makes another of it: one of a
    /// single word, a pointer, a vector of either.
    #[inline]
    pub(super) fn recent_type(&mut self) -> Option<Type> {
        let (ty, end) = if self.byte() == b'<' {
            let (count, end) = short_number(self.text, self.at + 1)?;
            let rest = self.text.as_bytes().get(end..end + 3)?;
            if rest != b" x " || count == 0 || count > MAX_VECTOR_ELEMENTS {
                return None;
            }
            let (element, end) =
                self.recent_types.scalar(&mut self.module.types, self.text.as_bytes(), end + 3)?;
            if self.byte_at(end) != b'>' {
                return None;
            }
            (self.recent_types.vector(&mut self.module.types, element, count), end + 1)
        } else {
            self.recent_types.scalar(&mut self.module.types, self.text.as_bytes(), self.at)?
        };
        let next = Lexer::begin_from(self.text, end);
        if matches!(self.byte_at(next), b'(' | b'*') {
            return None;
        }
        self.last_end = end as u32;
        self.at = next;
        Some(ty)
    }

    fn base_type(&mut self) -> Result<Type> {
        let kind = match self.token() {
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

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
