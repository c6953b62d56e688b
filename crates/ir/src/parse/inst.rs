//! Instructions: the word that begins one decides what follows.

use smallvec::SmallVec;

use super::function::Scope;
use super::lexer::Token;
use super::{Parser, Place, Result};
use crate::constant::ConstKind;
use crate::inst::{InstKind, Operand};
use crate::names::{Words, spelled};
use crate::opcode::{BinaryOp, CastOp, Flags, FloatPredicate, IntPredicate};
use crate::types::{Type, TypeKind};

spelled! {
    /// The words that begin an instruction, but those of [`BinaryOp`] and [`CastOp`].
    Mnemonic {
        FNeg = "fneg", ICmp = "icmp", FCmp = "fcmp", Select = "select", Phi = "phi", Freeze = "freeze",
        ExtractElement = "extractelement", InsertElement = "insertelement", ShuffleVector = "shufflevector",
        ExtractValue = "extractvalue", InsertValue = "insertvalue",
        Alloca = "alloca", Load = "load", Store = "store", Fence = "fence", AtomicRmw = "atomicrmw",
        CmpXchg = "cmpxchg", GetElementPtr = "getelementptr",
        Call = "call", Tail = "tail", MustTail = "musttail", NoTail = "notail",
        Ret = "ret", Br = "br", Switch = "switch", Unreachable = "unreachable",
    }
}

/// What begins an instruction.
#[derive(Clone, Copy)]
enum First {
    Binary(BinaryOp),
    Cast(CastOp),
    Other(Mnemonic),
}

impl First {
    /// What is spelled so: looked up once, in a table of all three.
    #[inline]
    fn named(text: &str) -> Option<First> {
        const CASTS: usize = BinaryOp::ALL.len();
        const OTHERS: usize = CASTS + CastOp::ALL.len();
        const COUNT: usize = OTHERS + Mnemonic::ALL.len();
        const ALL: [First; COUNT] = {
            let mut all = [First::Binary(BinaryOp::Add); COUNT];
            let mut at = 0;
            while at < COUNT {
                all[at] = if at < CASTS {
                    First::Binary(BinaryOp::ALL[at])
                } else if at < OTHERS {
                    First::Cast(CastOp::ALL[at - CASTS])
                } else {
                    First::Other(Mnemonic::ALL[at - OTHERS])
                };
                at += 1;
            }
            all
        };
        static WORDS: Words<COUNT, 512> = Words::new({
            let mut words = [""; COUNT];
            let mut at = 0;
            while at < COUNT {
                words[at] = match ALL[at] {
                    First::Binary(op) => op.name(),
                    First::Cast(op) => op.name(),
                    First::Other(mnemonic) => mnemonic.name(),
                };
                at += 1;
            }
            words
        });
        WORDS.find(text).map(|at| ALL[at])
    }
}

impl<'t> Parser<'t> {
    /// An instruction behind its `%name =`, with the type of what it gives.
    pub(super) fn operation(&mut self, scope: &mut Scope<'t>) -> Result<(InstKind, Type)> {
        let Some(word) = self.word() else { return self.expected("an instruction") };
        let place = self.place();
        let Some(first) = First::named(word) else { return self.no_instruction(word, place) };
        self.go_past(word);
        let mnemonic = match first {
            First::Binary(op) => return self.binary(scope, op),
            First::Cast(op) => return self.cast(scope, op),
            First::Other(mnemonic) => mnemonic,
        };
        match mnemonic {
            Mnemonic::FNeg => {
                let flags = self.flags(Flags::FAST_MATH)?;
                let (ty, value) = self.typed(scope)?;
                Ok((InstKind::FNeg { flags, value }, ty))
            }
            Mnemonic::ICmp => {
                let flags = self.flags(Flags::SAMESIGN)?;
                let Some(predicate) = self.take_named(IntPredicate::named) else {
                    return self.expected("eq, ne, ugt, uge, ult, ule, sgt, sge, slt or sle");
                };
                let (ty, lhs, rhs) = self.pair(scope)?;
                let ty = self.module.types.bool_like(ty);
                Ok((InstKind::ICmp { flags, predicate, lhs, rhs }, ty))
            }
            Mnemonic::FCmp => {
                let flags = self.flags(Flags::FAST_MATH)?;
                let Some(predicate) = self.take_named(FloatPredicate::named) else {
                    return self.expected("how numbers are compared, such as oeq, ult or uno");
                };
                let (ty, lhs, rhs) = self.pair(scope)?;
                let ty = self.module.types.bool_like(ty);
                Ok((InstKind::FCmp { flags, predicate, lhs, rhs }, ty))
            }
            Mnemonic::Select => self.select(scope),
            Mnemonic::Phi => self.phi(scope),
            Mnemonic::Freeze => {
                let (ty, value) = self.typed(scope)?;
                Ok((InstKind::Freeze { value }, ty))
            }
            Mnemonic::ExtractElement | Mnemonic::InsertElement | Mnemonic::ShuffleVector => {
                self.of_vector(scope, mnemonic, place)
            }
            Mnemonic::ExtractValue => {
                let (ty, aggregate) = self.typed(scope)?;
                let (indices, part) = self.indices(ty)?;
                Ok((InstKind::ExtractValue { aggregate, indices }, part))
            }
            Mnemonic::InsertValue => {
                let (ty, aggregate) = self.typed(scope)?;
                self.expect(b',')?;
                let place = self.place();
                let (value_type, value) = self.typed(scope)?;
                let (indices, part) = self.indices(ty)?;
                if part != value_type {
                    return self.error_at(place, "expected a value of the type of that part");
                }
                Ok((InstKind::InsertValue { aggregate, value, indices }, ty))
            }
            Mnemonic::Alloca => self.alloca(scope),
            Mnemonic::Load => self.load(scope),
            Mnemonic::Store => self.store(scope),
            Mnemonic::Fence => self.fence(),
            Mnemonic::AtomicRmw => self.rmw(scope),
            Mnemonic::CmpXchg => self.cmpxchg(scope),
            Mnemonic::GetElementPtr => self.gep(scope),
            Mnemonic::Call | Mnemonic::Tail | Mnemonic::MustTail | Mnemonic::NoTail => {
                self.call(scope, mnemonic)
            }
            Mnemonic::Ret | Mnemonic::Br | Mnemonic::Switch | Mnemonic::Unreachable => {
                let kind = self.terminator(scope, mnemonic)?;
                Ok((kind, self.module.types.intern(TypeKind::Void)))
            }
        }
    }

    /// What stands where an instruction should be is none of those that are known.
    #[cold]
    fn no_instruction<T>(&self, word: &str, place: Place) -> Result<T> {
        match word {
            // What is in LLVM's language, and never in AMDGPU code.
            "indirectbr" | "invoke" | "callbr" | "resume" | "catchswitch" | "catchpad" | "catchret"
            | "cleanuppad" | "cleanupret" | "landingpad" | "va_arg" => {
                self.error_at(place, format!("unsupported: the instruction `{word}`"))
            }
            _ => {
                let names =
                    BinaryOp::ALL.iter().map(|op| op.name()).chain(CastOp::ALL.iter().map(|op| op.name()));
                let others =
                    ["getelementptr", "extractelement", "insertelement", "shufflevector", "load", "store"];
                let near = wavemark_diag::nearest(word, names.chain(others));
                self.error_at(place, format!("expected an instruction, found `{word}`")).map_err(
                    |mut diagnostic: Box<wavemark_diag::Diagnostic>| {
                        diagnostic.help.extend(near.map(|near| format!("did you mean `{near}`?")));
                        diagnostic
                    },
                )
            }
        }
    }

    /// A type and a value of it.
    pub(super) fn typed(&mut self, scope: &mut Scope<'t>) -> Result<(Type, Operand)> {
        let ty = self.ty()?;
        Ok((ty, self.operand(ty, Some(scope))?))
    }

    /// `, ty value` of a type that is expected.
    pub(super) fn comma_typed(&mut self, scope: &mut Scope<'t>) -> Result<(Type, Operand)> {
        self.expect(b',')?;
        self.typed(scope)
    }

    /// `ty a, b`.
    fn pair(&mut self, scope: &mut Scope<'t>) -> Result<(Type, Operand, Operand)> {
        let (ty, lhs) = self.typed(scope)?;
        self.expect(b',')?;
        let rhs = self.operand(ty, Some(scope))?;
        Ok((ty, lhs, rhs))
    }

    fn binary(&mut self, scope: &mut Scope<'t>, op: BinaryOp) -> Result<(InstKind, Type)> {
        let flags = self.flags(op.flags())?;
        let (ty, lhs, rhs) = self.pair(scope)?;
        Ok((InstKind::Binary { op, flags, lhs, rhs }, ty))
    }

    fn cast(&mut self, scope: &mut Scope<'t>, op: CastOp) -> Result<(InstKind, Type)> {
        let flags = self.flags(op.flags())?;
        let (_, value) = self.typed(scope)?;
        self.expect_word("to")?;
        let to = self.ty()?;
        Ok((InstKind::Cast { op, flags, value }, to))
    }

    fn select(&mut self, scope: &mut Scope<'t>) -> Result<(InstKind, Type)> {
        let flags = self.flags(Flags::FAST_MATH)?;
        let (_, condition) = self.typed(scope)?;
        let (ty, then) = self.comma_typed(scope)?;
        self.expect(b',')?;
        let place = self.place();
        let (other, otherwise) = self.typed(scope)?;
        if other != ty {
            return self.error_at(place, "both values of a select must be of one type");
        }
        Ok((InstKind::Select { flags, condition, then, otherwise }, ty))
    }

    fn phi(&mut self, scope: &mut Scope<'t>) -> Result<(InstKind, Type)> {
        let flags = self.flags(Flags::FAST_MATH)?;
        let ty = self.ty()?;
        let mut incoming = SmallVec::new();
        loop {
            self.expect(b'[')?;
            let value = self.operand(ty, Some(scope))?;
            self.expect(b',')?;
            let block = self.block_name(scope)?;
            self.expect(b']')?;
            incoming.push((value, block));
            // A comma may also begin an attachment.
            if !self.at(b',') || self.byte_at(self.second_at()) != b'[' {
                break;
            }
            self.advance();
        }
        Ok((InstKind::Phi { flags, incoming }, ty))
    }

    fn of_vector(
        &mut self,
        scope: &mut Scope<'t>,
        mnemonic: Mnemonic,
        place: Place,
    ) -> Result<(InstKind, Type)> {
        let (ty, first) = self.typed(scope)?;
        if self.module.types.lanes(ty).is_none() {
            return self.error_at(place, "expected a vector");
        }
        let element = self.module.types.scalar(ty);
        match mnemonic {
            Mnemonic::ExtractElement => {
                let (_, index) = self.comma_typed(scope)?;
                Ok((InstKind::ExtractElement { vector: first, index }, element))
            }
            Mnemonic::InsertElement => {
                self.expect(b',')?;
                let place = self.place();
                let (value_type, value) = self.typed(scope)?;
                if value_type != element {
                    return self.error_at(place, "expected an element of the vector's type");
                }
                let (_, index) = self.comma_typed(scope)?;
                Ok((InstKind::InsertElement { vector: first, value, index }, ty))
            }
            _ => {
                self.expect(b',')?;
                let place = self.place();
                let (second_type, rhs) = self.typed(scope)?;
                if second_type != ty {
                    return self.error_at(place, "both vectors must be of one type");
                }
                self.expect(b',')?;
                let place = self.place();
                let mask = self.typed_const()?;
                let mask_type = self.module.constants.ty(mask);
                let i32s = self.module.types.int_bits(mask_type) == Some(32);
                if !i32s || self.module.types.lanes(mask_type).is_none() {
                    return self.error_at(place, "expected a mask: a constant vector of i32");
                }
                if let ConstKind::Expr(_) = self.module.constants.kind(mask) {
                    return self.error_at(place, "expected a mask of numbers");
                }
                let ty = self.module.types.with_shape(mask_type, element);
                Ok((InstKind::ShuffleVector { lhs: first, rhs, mask }, ty))
            }
        }
    }

    /// The indices of a part, and its type.
    fn indices(&mut self, mut ty: Type) -> Result<(SmallVec<[u32; 2]>, Type)> {
        let mut indices = SmallVec::new();
        while self.at(b',') && matches!(self.second(), Token::Int(_)) {
            self.advance();
            let place = self.place();
            let index = self.u32("an index")?;
            match self.module.types.part(ty, index.into()) {
                Some(part) => ty = part,
                None => return self.error_at(place, "there is no such part"),
            }
            indices.push(index);
        }
        if indices.is_empty() { self.expected("`,` and an index") } else { Ok((indices, ty)) }
    }

    fn terminator(&mut self, scope: &mut Scope<'t>, mnemonic: Mnemonic) -> Result<InstKind> {
        match mnemonic {
            Mnemonic::Ret => {
                let place = self.place();
                if self.take_word("void") {
                    return Ok(InstKind::Ret { value: None });
                }
                let (ty, value) = self.typed(scope)?;
                if ty != scope.result() {
                    let wanted = crate::print::type_text(&self.module, scope.result());
                    return self.error_at(place, format!("the function returns {wanted}"));
                }
                Ok(InstKind::Ret { value: Some(value) })
            }
            Mnemonic::Br if self.at_word("label") => Ok(InstKind::Br { target: self.label(scope)? }),
            Mnemonic::Br => {
                let (_, condition) = self.typed(scope)?;
                self.expect(b',')?;
                let then = self.label(scope)?;
                self.expect(b',')?;
                let otherwise = self.label(scope)?;
                Ok(InstKind::CondBr { condition, then, otherwise })
            }
            Mnemonic::Switch => self.switch(scope),
            _ => Ok(InstKind::Unreachable),
        }
    }

    fn switch(&mut self, scope: &mut Scope<'t>) -> Result<InstKind> {
        let (ty, value) = self.typed(scope)?;
        self.expect(b',')?;
        let default = self.label(scope)?;
        self.expect(b'[')?;
        let mut cases = Vec::new();
        while !self.take(b']') {
            let place = self.place();
            let case = self.typed_const()?;
            if self.module.constants.ty(case) != ty || self.module.constants.int(case).is_none() {
                return self.error_at(place, "expected a number of the type that is switched on");
            }
            self.expect(b',')?;
            cases.push((case, self.label(scope)?));
        }
        Ok(InstKind::Switch { value, default, cases })
    }
}
