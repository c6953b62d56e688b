//! Calls.

use smallvec::SmallVec;

use super::function::Scope;
use super::inst::Mnemonic;
use super::lexer::Token;
use super::{Parser, Result};
use crate::analysis::direct_callee;
use crate::inst::{Argument, Bundle, Call, Callee, InlineAsm, InstKind, Operand};
use crate::opcode::{Flags, TailKind};
use crate::types::{Type, TypeKind};

impl<'t> Parser<'t> {
    /// A call whose first word, `call` or what stands before it, is read.
    pub(super) fn call(&mut self, scope: &mut Scope<'t>, first: Mnemonic) -> Result<(InstKind, Type)> {
        let tail = match first {
            Mnemonic::Tail => TailKind::Tail,
            Mnemonic::MustTail => TailKind::MustTail,
            Mnemonic::NoTail => TailKind::NoTail,
            _ => TailKind::None,
        };
        if tail != TailKind::None {
            self.expect_word("call")?;
        }
        let flags = self.flags(Flags::FAST_MATH)?;
        let convention = self.convention()?;
        let result_attributes = self.attributes(false)?;
        let space = self.address_space()?;
        let place = self.place();
        let written = match self.recent_type() {
            Some(ty) => ty,
            None => self.any_type()?,
        };
        let pointer = self.module.types.intern(TypeKind::Pointer(space));
        let callee = if self.at_word("asm") {
            Callee::Asm(Box::new(self.inline_asm()?))
        } else {
            Callee::Operand(self.operand(pointer, Some(scope))?)
        };
        let args = self.arguments(scope)?;
        // Either the type of the function is written, or that of its result.
        let function_type = match self.module.types.kind(written) {
            TypeKind::Function { .. } => written,
            _ => match self.function_type_of(&callee, written, &args) {
                Some(known) => known,
                None => {
                    let params = args.iter().map(|arg| arg.ty).collect();
                    self.module.types.intern(TypeKind::Function { result: written, params, variadic: false })
                }
            },
        };
        let TypeKind::Function { result, ref params, variadic } = *self.module.types.kind(function_type)
        else {
            return self.error_at(place, "expected the type of a function");
        };
        let fits = args.len() >= params.len() && (variadic || args.len() == params.len());
        if !fits || args.iter().zip(params).any(|(arg, &param)| arg.ty != param) {
            return self.error_at(place, "the arguments are not those of the function's type");
        }
        if let Some(global) = direct_callee(&self.module, &callee)
            && self.called_as[global] != Some(function_type)
            && self.module.function(global).is_none()
        {
            self.called_as.set(global, Some(function_type));
            self.undeclared.push((global, function_type, place));
        }
        let attributes = self.attributes(true)?;
        let bundles = self.bundles(scope)?;
        let call = Call {
            tail,
            flags,
            convention,
            result_attributes,
            function_type,
            callee,
            args,
            attributes,
            bundles,
        };
        Ok((InstKind::Call(Box::new(call)), result))
    }

    /// The type of a function that is declared, or was called already, if it gives `result` and takes these arguments.
    fn function_type_of(&self, callee: &Callee, result: Type, args: &[Argument]) -> Option<Type> {
        let global = direct_callee(&self.module, callee)?;
        let ty = self.module.function(global).map(|function| function.ty).or(self.called_as[global])?;
        let TypeKind::Function { result: own, params, variadic: false } = self.module.types.kind(ty) else {
            return None;
        };
        let same = *own == result && params.len() == args.len();
        (same && params.iter().zip(args).all(|(&param, arg)| param == arg.ty)).then_some(ty)
    }

    fn arguments(&mut self, scope: &mut Scope<'t>) -> Result<SmallVec<[Argument; 6]>> {
        self.expect(b'(')?;
        let mut args = SmallVec::new();
        self.list(b')', |parser| {
            let ty = parser.ty()?;
            if matches!(parser.module.types.kind(ty), TypeKind::Metadata) {
                let metadata = parser.metadata(Some(scope))?;
                let value = Operand::Metadata(scope.body.metadata.push(metadata));
                args.push(Argument { ty, value, attributes: Default::default() });
                return Ok(());
            }
            let attributes = parser.attributes(false)?;
            let value = parser.operand(ty, Some(scope))?;
            args.push(Argument { ty, value, attributes });
            Ok(())
        })?;
        Ok(args)
    }

    fn inline_asm(&mut self) -> Result<InlineAsm> {
        self.advance();
        let (mut side_effect, mut flags) = (false, Vec::new());
        while let Token::Word(word) = self.token() {
            match word {
                "sideeffect" => side_effect = true,
                "alignstack" | "inteldialect" | "unwind" => flags.push(word.into()),
                _ => return self.expected("a string"),
            }
            self.advance();
        }
        let text = self.text()?.into();
        self.expect(b',')?;
        let constraints = self.text()?.into();
        Ok(InlineAsm { text, constraints, side_effect, flags })
    }

    fn bundles(&mut self, scope: &mut Scope<'t>) -> Result<Vec<Bundle>> {
        let mut bundles = Vec::new();
        if !self.take(b'[') {
            return Ok(bundles);
        }
        self.list(b']', |parser| {
            let tag = parser.text()?.into();
            parser.expect(b'(')?;
            let mut operands = Vec::new();
            parser.list(b')', |parser| {
                operands.push(parser.typed(scope)?);
                Ok(())
            })?;
            bundles.push(Bundle { tag, operands });
            Ok(())
        })?;
        Ok(bundles)
    }
}
