//! Constants and constant expressions.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::function::Scope;
use super::lexer::{NameToken, Token, end_of_name, may_go_on, short_number, unescape};
use super::numbered::Key;
use super::{Mention, Parser, Place, Result};
use crate::constant::{Const, ConstKind, Expr};
use crate::entity::Id as _;
use crate::float::{self, Format, Malformed};
use crate::inst::Operand;
use crate::integer::Integer;
use crate::module::{Global, Module};
use crate::names::spelled;
use crate::opcode::{BinaryOp, CastOp, Flags};
use crate::types::{Type, TypeKind};

spelled! {
    /// Constants that are one word.
    Simple {
        True = "true", False = "false", Null = "null", None = "none", Undef = "undef", Poison = "poison",
        Zero = "zeroinitializer",
    }
}

/// Constants that were met before. Each is in the slot that its type and value have, where another may take its place;
/// globals are by their names.
pub(super) struct Recent<'t> {
    ints: [Option<(Type, u32, Const)>; 128],
    simple: [Option<(Type, Simple, Const)>; 64],
    /// Literals that are no short numbers, as they were spelled.
    literals: [Option<(Type, &'t str, Const)>; 64],
    globals: FxHashMap<&'t str, (Type, Const)>,
}

impl Default for Recent<'_> {
    fn default() -> Self {
        Recent { ints: [None; 128], simple: [None; 64], literals: [None; 64], globals: FxHashMap::default() }
    }
}

impl<'t> Recent<'t> {
    fn slot(ty: Type, value: u32) -> usize {
        (ty.index() * 37 + value as usize) % 128
    }

    #[inline(always)]
    fn known_int(&self, ty: Type, value: u32) -> Option<Const> {
        let (of, same, known) = self.ints[Self::slot(ty, value)]?;
        (of == ty && same == value).then_some(known)
    }

    #[inline(never)]
    fn int(&mut self, module: &mut Module, ty: Type, bits: u32, value: u32) -> Const {
        let constant = module.constants.narrow(ty, bits, value.into());
        self.ints[Self::slot(ty, value)] = Some((ty, value, constant));
        constant
    }

    #[inline(always)]
    fn simple(&self, ty: Type, simple: Simple) -> Option<Const> {
        let (of, same, known) = self.simple[(ty.index() * 7 + simple as usize) % 64]?;
        (of == ty && same == simple).then_some(known)
    }

    fn keep_simple(&mut self, ty: Type, simple: Simple, constant: Const) {
        self.simple[(ty.index() * 7 + simple as usize) % 64] = Some((ty, simple, constant));
    }

    /// Where a literal is kept: those of a length mostly differ in their first digits.
    fn slot_of(ty: Type, text: &str) -> usize {
        let first = text.as_bytes().iter().take(4).fold(0, |all, &byte| all * 5 + usize::from(byte));
        (ty.index() * 7 + text.len() * 3 + first) % 64
    }

    fn literal(&self, ty: Type, text: &str) -> Option<Const> {
        let (of, same, known) = self.literals[Self::slot_of(ty, text)]?;
        (of == ty && same == text).then_some(known)
    }

    fn keep_literal(&mut self, ty: Type, text: &'t str, constant: Const) {
        self.literals[Self::slot_of(ty, text)] = Some((ty, text, constant));
    }
}

impl<'t> Parser<'t> {
    /// A type and a constant of it.
    pub(super) fn typed_const(&mut self) -> Result<Const> {
        let ty = self.ty()?;
        self.constant(ty)
    }

    /// A constant of type `ty`.
    pub(super) fn constant(&mut self, ty: Type) -> Result<Const> {
        match self.operand(ty, None)? {
            Operand::Const(constant) => Ok(constant),
            _ => self.expected("a constant"),
        }
    }

    /// A value of type `ty`: of the function `scope`, or a constant.
    pub(super) fn operand(&mut self, ty: Type, scope: Option<&mut Scope<'t>>) -> Result<Operand> {
        match self.byte() {
            b'%' => {
                if let Some(scope) = &scope {
                    let known = match short_number(self.text, self.at + 1) {
                        Some((number, end)) => scope.numbered_value(number).zip(Some(end)),
                        None => {
                            self.plain_local().and_then(|(name, end)| scope.named_value(name).zip(Some(end)))
                        }
                    };
                    if let Some((value, end)) = known
                        && scope.body.values[value].ty == ty
                    {
                        self.go_to(end);
                        return Ok(Operand::Value(value));
                    }
                }
            }
            b'0'..=b'9' => {
                if let Some((value, end)) = short_number(self.text, self.at)
                    && !may_go_on(self.byte_at(end))
                    && let Some(constant) = self.short_integer(ty, value)
                {
                    self.go_to(end);
                    return Ok(Operand::Const(constant));
                }
            }
            b'@' => {
                if let Some(known) = self.recent_global(ty) {
                    return Ok(Operand::Const(known));
                }
            }
            b'a'..=b'z' => {
                if let Some(word) = self.word()
                    && let Some(simple) = Simple::named(word)
                {
                    return self.simple(ty, simple, word).map(Operand::Const);
                }
            }
            _ => {}
        }
        self.other_operand(ty, scope)
    }

    /// A value that is none of those that stand everywhere: apart, so that they need no room for what it needs.
    #[inline(never)]
    fn other_operand(&mut self, ty: Type, scope: Option<&mut Scope<'t>>) -> Result<Operand> {
        if let Token::Local(name) = self.token() {
            let Some(scope) = scope else { return self.expected("a constant") };
            let place = self.place();
            self.advance();
            return self.local(scope, name, ty, place).map(Operand::Value);
        }
        let kind = match self.token() {
            Token::Int(text) | Token::Float(text) => {
                let known = match self.recent.literal(ty, text) {
                    Some(known) => known,
                    None => {
                        let constant = self.literal(ty, text)?;
                        self.recent.keep_literal(ty, text, constant);
                        constant
                    }
                };
                self.go_to(self.at + text.len());
                return Ok(Operand::Const(known));
            }
            Token::HexInt(text) => {
                let Some(bits) = self.scalar_int(ty) else { return self.not_of(ty, "an integer") };
                let digits = &text[3..];
                let value = match text.as_bytes()[0] {
                    b'u' => Integer::parse(bits, digits, 16),
                    _ => Integer::parse_signed_hex(bits, digits),
                };
                let Some(value) = value.filter(|_| !digits.is_empty()) else {
                    return self.error(format!("expected a number of {bits} bits"));
                };
                self.advance();
                ConstKind::Int(value)
            }
            Token::Bytes(text) => {
                let bytes = unescape(text);
                let element = match *self.module.types.kind(ty) {
                    TypeKind::Array { element, count } if count == bytes.len() as u64 => Some(element),
                    _ => None,
                };
                if element.and_then(|element| self.scalar_int(element)) != Some(8) {
                    return self.not_of(ty, &format!("[{} x i8]", bytes.len()));
                }
                self.advance();
                ConstKind::Bytes(bytes.into_owned())
            }
            Token::Global(name) => {
                let place = self.place();
                self.advance();
                let global = self.global_use(name, ty, place)?;
                let constant = self.module.constants.intern(ty, ConstKind::Global(global));
                if let NameToken::Plain(name) = name {
                    self.recent.globals.insert(name, (ty, constant));
                }
                return Ok(Operand::Const(constant));
            }
            Token::Word(word) => return self.word_constant(ty, word).map(Operand::Const),
            Token::Punct(b'<' | b'{' | b'[') => return self.aggregate(ty).map(Operand::Const),
            _ => return self.expected("a value"),
        };
        Ok(Operand::Const(self.module.constants.intern(ty, kind)))
    }

    /// A number as an integer of a type, if it is one that has room for it.
    #[inline(always)]
    fn short_integer(&mut self, ty: Type, value: u32) -> Option<Const> {
        if let Some(known) = self.recent.known_int(ty, value) {
            return Some(known);
        }
        let bits = self.scalar_int(ty)?;
        let fits = bits <= u64::BITS && (bits >= u32::BITS || value >> bits == 0);
        fits.then(|| self.recent.int(&mut self.module, ty, bits, value))
    }

    fn not_of<T>(&self, ty: Type, what: &str) -> Result<T> {
        let ty = crate::print::type_text(&self.module, ty);
        self.error(format!("expected a value of type {ty}, found {what}"))
    }

    /// Bits of an integer type that is no vector.
    pub(super) fn scalar_int(&self, ty: Type) -> Option<u32> {
        match *self.module.types.kind(ty) {
            TypeKind::Int(bits) => Some(bits),
            _ => None,
        }
    }

    fn format(&self, ty: Type) -> Option<Format> {
        crate::float_format(&self.module.types, ty)
    }

    /// A literal of a few digits without a sign, of a type of up to 64 bits that it fits into.
    #[inline(always)]
    fn narrow_literal(&self, ty: Type, text: &str) -> Option<(u32, u64)> {
        let bits = self.scalar_int(ty).filter(|&bits| bits <= u64::BITS)?;
        let digits = text.as_bytes();
        if digits.len() > 18 || !digits[0].is_ascii_digit() {
            return None;
        }
        let value = digits.iter().fold(0, |value, &digit| value * 10 + u64::from(digit - b'0'));
        (bits == u64::BITS || value >> bits == 0).then_some((bits, value))
    }

    /// A literal in decimal digits, or a floating-point one, that is next.
    fn literal(&mut self, ty: Type, text: &str) -> Result<Const> {
        let kind = match self.token() {
            Token::Int(_) => {
                if let Some((bits, value)) = self.narrow_literal(ty, text) {
                    return Ok(self.module.constants.narrow(ty, bits, value));
                }
                ConstKind::Int(self.int_literal(ty, text)?)
            }
            _ => ConstKind::Float(self.float_literal(ty, text)?),
        };
        Ok(self.module.constants.intern(ty, kind))
    }

    fn int_literal(&self, ty: Type, text: &str) -> Result<Integer> {
        let Some(bits) = self.scalar_int(ty) else { return self.not_of(ty, "an integer") };
        match Integer::parse(bits, text, 10) {
            Some(value) => Ok(value),
            None => self.error(format!("expected a number of {bits} bits")),
        }
    }

    fn float_literal(&self, ty: Type, text: &str) -> Result<u128> {
        let Some(format) = self.format(ty) else { return self.not_of(ty, "a floating-point number") };
        match float::parse(format, text) {
            Ok(bits) => Ok(bits),
            Err(Malformed::NotANumber) => self.error("expected a floating-point literal of the type"),
            Err(Malformed::Inexact) => {
                self.error("the type has no number that is exactly this one: write its bits")
            }
            Err(Malformed::TooGreat) => self.error("the type has no number so great"),
        }
    }

    /// A global that was named just before, by the same name and as a pointer of the same type.
    #[inline(always)]
    fn recent_global(&mut self, ty: Type) -> Option<Const> {
        let end = end_of_name(self.text, self.at + 1);
        let name = &self.text[self.at + 1..end];
        let known = *self.recent.globals.get(name)?;
        if known.0 != ty {
            return None;
        }
        self.go_to(end);
        Some(known.1)
    }

    /// A constant that is one word.
    #[inline]
    fn simple(&mut self, ty: Type, simple: Simple, word: &'t str) -> Result<Const> {
        if let Some(known) = self.recent.simple(ty, simple) {
            self.go_past(word);
            return Ok(known);
        }
        let kind = self.module.types.kind(ty);
        let fits = match simple {
            Simple::True | Simple::False => *kind == TypeKind::Int(1),
            Simple::Null => matches!(kind, TypeKind::Pointer(_)),
            Simple::None => *kind == TypeKind::Token,
            Simple::Zero | Simple::Undef | Simple::Poison => {
                !matches!(kind, TypeKind::Label | TypeKind::Token | TypeKind::Metadata)
            }
        };
        if !fits {
            return self.not_of(ty, &format!("`{word}`"));
        }
        let kind = match simple {
            Simple::True => ConstKind::Int(Integer::new(1, 1)),
            Simple::False => ConstKind::Int(Integer::new(1, 0)),
            Simple::Null => ConstKind::Null,
            Simple::None => ConstKind::None,
            Simple::Undef => ConstKind::Undef,
            Simple::Poison => ConstKind::Poison,
            Simple::Zero => self.zero(ty),
        };
        self.go_past(word);
        let constant = self.module.constants.intern(ty, kind);
        self.recent.keep_simple(ty, simple, constant);
        Ok(constant)
    }

    fn word_constant(&mut self, ty: Type, word: &'t str) -> Result<Const> {
        match word {
            "splat" => {
                self.advance();
                self.nested(|parser| parser.splat(ty))
            }
            "blockaddress" | "dso_local_equivalent" | "no_cfi" | "ptrauth" | "asm" => {
                self.unsupported(format!("the constant `{word}`"))
            }
            _ => {
                let place = self.place();
                let Some((expr, found)) = self.nested(|parser| parser.expression(word))? else {
                    return self.expected("a value");
                };
                if found != ty {
                    let found = crate::print::type_text(&self.module, found);
                    let ty = crate::print::type_text(&self.module, ty);
                    return self
                        .error_at(place, format!("expected a value of type {ty}, found one of {found}"));
                }
                Ok(self.module.constants.intern(ty, ConstKind::Expr(expr)))
            }
        }
    }

    /// A zero of a scalar is the same constant however it is spelled.
    fn zero(&self, ty: Type) -> ConstKind {
        match *self.module.types.kind(ty) {
            TypeKind::Int(bits) => ConstKind::Int(Integer::new(bits, 0)),
            TypeKind::Pointer(_) => ConstKind::Null,
            _ if self.format(ty).is_some() => ConstKind::Float(0),
            _ => ConstKind::Zero,
        }
    }

    fn splat(&mut self, ty: Type) -> Result<Const> {
        let TypeKind::Vector { element, .. } = *self.module.types.kind(ty) else {
            return self.not_of(ty, "a vector");
        };
        self.expect(b'(')?;
        let place = self.place();
        let value = self.typed_const()?;
        if self.module.constants.ty(value) != element {
            return self.error_at(place, "expected an element of the vector's type");
        }
        self.expect(b')')?;
        Ok(self.module.constants.intern(ty, ConstKind::Splat(value)))
    }

    fn aggregate(&mut self, ty: Type) -> Result<Const> {
        self.nested(|parser| {
            let place = parser.place();
            // `<{` opens a packed structure: no vector has structures in it.
            let angle = parser.take(b'<');
            let packed = angle && parser.at(b'{');
            let close = if parser.take(b'{') {
                b'}'
            } else if angle {
                b'>'
            } else {
                parser.expect(b'[')?;
                b']'
            };
            let mut parts = SmallVec::<[Const; 16]>::new();
            parser.list(close, |parser| {
                let start = parser.at;
                let ty = parser.ty()?;
                let spelled = &parser.text[start..parser.at];
                parts.push(parser.constant(ty)?);
                parser.more_integers(ty, spelled, &mut parts);
                Ok(())
            })?;
            if packed {
                parser.expect(b'>')?;
            }
            parser.aggregate_of(ty, &parts, close, packed, place)
        })
    }

    /// The parts behind one of type `ty`, whose type was spelled so, as far as they are spelled likewise and are short numbers:
    /// all of a mask, mostly.
    #[inline]
    fn more_integers(&mut self, ty: Type, spelled: &str, parts: &mut SmallVec<[Const; 16]>) {
        let (bytes, start) = (self.text.as_bytes(), self.at);
        let mut at = start;
        while bytes.get(at..at + 2) == Some(b", ")
            && bytes
                .get(at + 2..at + 2 + spelled.len())
                .is_some_and(|here| here.iter().eq(spelled.as_bytes()))
            && let Some((value, end)) = short_number(self.text, at + 2 + spelled.len())
            && matches!(self.byte_at(end), b',' | b'>' | b']' | b'}')
            && let Some(constant) = self.short_integer(ty, value)
        {
            parts.push(constant);
            at = end;
        }
        if at > start {
            self.go_to(at);
        }
    }

    fn aggregate_of(
        &mut self,
        ty: Type,
        parts: &[Const],
        close: u8,
        packed: bool,
        place: Place,
    ) -> Result<Const> {
        let (types, constants) = (&self.module.types, &self.module.constants);
        let part_types = || parts.iter().map(|&part| constants.ty(part));
        let fits = match *types.kind(ty) {
            TypeKind::Vector { element, count, scalable: false } => {
                close == b'>' && parts.len() == count as usize && part_types().all(|part| part == element)
            }
            TypeKind::Array { element, count } => {
                close == b']' && parts.len() as u64 == count && part_types().all(|part| part == element)
            }
            _ => match types.fields(ty) {
                Some((fields, is_packed)) => {
                    close == b'}' && packed == is_packed && part_types().eq(fields.iter().copied())
                }
                None => false,
            },
        };
        if !fits {
            let ty = crate::print::type_text(&self.module, ty);
            return self
                .error_at(place, format!("expected a constant of type {ty}, found one with other parts"));
        }
        let kind = match parts.first() {
            Some(&first) if close == b'>' && parts.iter().all(|&part| part == first) => {
                match constants.kind(first) {
                    ConstKind::Undef => ConstKind::Undef,
                    ConstKind::Poison => ConstKind::Poison,
                    _ => ConstKind::Splat(first),
                }
            }
            _ => ConstKind::Aggregate(parts.to_vec()),
        };
        Ok(self.module.constants.intern(ty, kind))
    }

    /// A constant expression with its type, if `word` begins one.
    fn expression(&mut self, word: &str) -> Result<Option<(Expr, Type)>> {
        if let Some(op) = CastOp::named(word) {
            return self.cast_expression(op).map(Some);
        }
        if let Some(op) = BinaryOp::named(word) {
            return self.binary_expression(op).map(Some);
        }
        match word {
            "getelementptr" => self.gep_expression().map(Some),
            "extractelement" | "insertelement" | "shufflevector" => self.vector_expression(word).map(Some),
            _ => Ok(None),
        }
    }

    fn cast_expression(&mut self, op: CastOp) -> Result<(Expr, Type)> {
        match op {
            CastOp::Trunc
            | CastOp::PtrToInt
            | CastOp::PtrToAddr
            | CastOp::IntToPtr
            | CastOp::BitCast
            | CastOp::AddrSpaceCast => {}
            _ => return self.unsupported(format!("the constant expression `{op}`")),
        }
        self.advance();
        self.expect(b'(')?;
        let value = self.typed_const()?;
        self.expect_word("to")?;
        let to = self.ty()?;
        self.expect(b')')?;
        Ok((Expr::Cast { op, value }, to))
    }

    fn binary_expression(&mut self, op: BinaryOp) -> Result<(Expr, Type)> {
        if !matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Xor) {
            return self.unsupported(format!("the constant expression `{op}`"));
        }
        self.advance();
        let flags = self.flags(op.flags())?;
        self.expect(b'(')?;
        let lhs = self.typed_const()?;
        self.expect(b',')?;
        let place = self.place();
        let rhs = self.typed_const()?;
        let ty = self.module.constants.ty(lhs);
        if self.module.constants.ty(rhs) != ty {
            return self.error_at(place, "both operands must be of one type");
        }
        self.expect(b')')?;
        Ok((Expr::Binary { op, flags, lhs, rhs }, ty))
    }

    fn vector_expression(&mut self, word: &str) -> Result<(Expr, Type)> {
        let place = self.place();
        self.advance();
        self.expect(b'(')?;
        let mut operands = Vec::new();
        self.list(b')', |parser| {
            operands.push(parser.typed_const()?);
            Ok(())
        })?;
        let types = &mut self.module.types;
        let of = |operand| self.module.constants.ty(operand);
        let vector = operands.first().map(|&first| of(first)).filter(|&ty| types.lanes(ty).is_some());
        let Some(vector) = vector else { return self.error_at(place, "expected a vector") };
        let element = types.scalar(vector);
        match (word, operands.as_slice()) {
            ("extractelement", &[vector, index]) => Ok((Expr::ExtractElement { vector, index }, element)),
            ("insertelement", &[operand, value, index]) => {
                Ok((Expr::InsertElement { vector: operand, value, index }, vector))
            }
            ("shufflevector", &[lhs, rhs, mask]) if types.lanes(of(mask)).is_some() => {
                let ty = types.with_shape(of(mask), element);
                Ok((Expr::ShuffleVector { lhs, rhs, mask }, ty))
            }
            _ => self.error_at(place, format!("`{word}` has other operands")),
        }
    }

    fn gep_expression(&mut self) -> Result<(Expr, Type)> {
        self.advance();
        let (flags, range) = self.gep_flags()?;
        self.expect(b'(')?;
        let source = self.ty()?;
        self.expect(b',')?;
        let place = self.place();
        let base = self.typed_const()?;
        let mut indices = Vec::new();
        while self.take(b',') {
            indices.push(self.typed_const()?);
        }
        self.expect(b')')?;
        let of = |operand| self.module.constants.ty(operand);
        let types: Vec<Type> = indices.iter().map(|&index| of(index)).collect();
        let ty = self.gep_type(of(base), &types, place)?;
        let range = range.map(|range| *range);
        Ok((Expr::Gep { flags, range, source, base, indices }, ty))
    }

    /// The type that a `getelementptr` gives: a vector where the base or an index is one.
    pub(super) fn gep_type(&mut self, base: Type, indices: &[Type], place: Place) -> Result<Type> {
        let types = &mut self.module.types;
        if types.address_space(base).is_none() {
            return self.error_at(place, "expected a pointer, or a vector of pointers");
        }
        let vector = std::iter::once(&base).chain(indices).find(|&&ty| types.lanes(ty).is_some());
        let scalar = types.scalar(base);
        Ok(vector.map_or(base, |&vector| types.with_shape(vector, scalar)))
    }

    /// The flags of `allowed` that stand here.
    pub(super) fn flags(&mut self, allowed: Flags) -> Result<Flags> {
        let mut flags = Flags::empty();
        // None is as short as `i8`.
        if !Flags::may_begin(self.byte()) || self.byte_at(self.at + 1).is_ascii_digit() {
            return Ok(flags);
        }
        while let Some(word) = self.word() {
            let Some(flag) = Flags::named(word).filter(|&flag| allowed.contains(flag)) else { break };
            flags |= flag;
            self.go_past(word);
        }
        Ok(flags)
    }

    /// The flags of a `getelementptr`, and its `inrange(low, high)`.
    #[allow(clippy::type_complexity, reason = "a pair of bounds, boxed as it is kept")]
    pub(super) fn gep_flags(&mut self) -> Result<(Flags, Option<Box<(Integer, Integer)>>)> {
        let mut flags = self.flags(Flags::GEP)?;
        let mut range = None;
        if self.take_word("inrange") {
            self.expect(b'(')?;
            let bound = |parser: &mut Self| match parser.token() {
                Token::Int(text) => match Integer::parse(64, text, 10) {
                    Some(value) => {
                        parser.advance();
                        Ok(value)
                    }
                    None => parser.error("expected a number of 64 bits"),
                },
                _ => parser.expected("a bound"),
            };
            let low = bound(self)?;
            self.expect(b',')?;
            let high = bound(self)?;
            self.expect(b')')?;
            range = Some(Box::new((low, high)));
            flags |= self.flags(Flags::GEP)?;
        }
        // What is in bounds does not wrap.
        if flags.contains(Flags::INBOUNDS) {
            flags |= Flags::NUSW;
        }
        Ok((flags, range))
    }

    /// A global that is mentioned as a constant of type `ty`.
    fn global_use(&mut self, name: NameToken<'t>, ty: Type, place: Place) -> Result<Global> {
        if !matches!(self.module.types.kind(ty), TypeKind::Pointer(_)) {
            return self.error_at(place, "a global is a pointer: expected a value of another type");
        }
        let id = self.global_named(name.key(), place);
        self.address_uses.push((id, ty, place));
        Ok(id)
    }

    /// The id of a global, defined or not yet.
    fn global_named(&mut self, key: Key<'t>, place: Place) -> Global {
        if let Some(mention) = self.globals.get(&key) {
            return mention.id;
        }
        let id = self.declare_later(key.to_name());
        self.globals.insert(key, Mention { id, first: place, defined: false });
        id
    }
}
