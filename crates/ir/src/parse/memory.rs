//! Instructions that access memory, and addresses.

use smallvec::SmallVec;

use super::function::Scope;
use super::lexer::Token;
use super::{Parser, Result};
use crate::inst::{Access, Alloca, CmpXchg, InstKind, Operand};
use crate::module;
use crate::opcode::RmwOp;
use crate::types::{Type, TypeKind};

impl<'t> Parser<'t> {
    /// `, align n`, if it stands here. A comma before metadata is left.
    fn comma_align(&mut self) -> Result<Option<u64>> {
        if !self.at(b',') || self.byte_at(self.second_at()) != b'a' || self.second() != Token::Word("align") {
            return Ok(None);
        }
        self.advance();
        self.expect_word("align")?;
        Ok(Some(self.alignment()?))
    }

    /// `syncscope("x") ordering` of an access that is atomic.
    fn atomic_part(&mut self, access: &mut Access) -> Result<()> {
        access.scope = self.sync_scope()?;
        access.ordering = Some(self.ordering()?);
        Ok(())
    }

    fn pointer(&mut self, scope: &mut Scope<'t>) -> Result<Operand> {
        let place = self.place();
        let (ty, pointer) = self.typed(scope)?;
        match self.module.types.kind(ty) {
            TypeKind::Pointer(_) => Ok(pointer),
            _ => self.error_at(place, "expected a pointer"),
        }
    }

    pub(super) fn alloca(&mut self, scope: &mut Scope<'t>) -> Result<(InstKind, Type)> {
        for word in ["inalloca", "swifterror"] {
            if self.at_word(word) {
                return self.unsupported(format!("`alloca {word}`"));
            }
        }
        let ty = self.ty()?;
        let mut alloca = Alloca { ty, count: None, align: None, address_space: 0 };
        while self.at(b',') {
            match self.second() {
                Token::Meta(_) => break,
                Token::Word("align") => {
                    self.advance();
                    self.advance();
                    alloca.align = Some(self.alignment()?);
                }
                Token::Word("addrspace") => {
                    self.advance();
                    alloca.address_space = self.address_space()?;
                }
                _ if alloca.count.is_none() => {
                    let (_, count) = self.comma_typed(scope)?;
                    alloca.count = Some(count);
                }
                _ => return self.expected("`, align` or `, addrspace`"),
            }
        }
        let pointer = self.module.types.intern(TypeKind::Pointer(alloca.address_space));
        Ok((InstKind::Alloca(alloca), pointer))
    }

    pub(super) fn load(&mut self, scope: &mut Scope<'t>) -> Result<(InstKind, Type)> {
        let atomic = self.take_word("atomic");
        let mut access = Access { volatile: self.take_word("volatile"), ..Access::default() };
        let ty = self.ty()?;
        self.expect(b',')?;
        let pointer = self.pointer(scope)?;
        if atomic {
            self.atomic_part(&mut access)?;
        }
        access.align = self.comma_align()?;
        Ok((InstKind::Load { access, pointer }, ty))
    }

    pub(super) fn store(&mut self, scope: &mut Scope<'t>) -> Result<(InstKind, Type)> {
        let atomic = self.take_word("atomic");
        let mut access = Access { volatile: self.take_word("volatile"), ..Access::default() };
        let (_, value) = self.typed(scope)?;
        self.expect(b',')?;
        let pointer = self.pointer(scope)?;
        if atomic {
            self.atomic_part(&mut access)?;
        }
        access.align = self.comma_align()?;
        Ok((InstKind::Store { access, value, pointer }, self.module.types.intern(TypeKind::Void)))
    }

    pub(super) fn fence(&mut self) -> Result<(InstKind, Type)> {
        let scope: module::Scope = self.sync_scope()?;
        let ordering = self.ordering()?;
        Ok((InstKind::Fence { ordering, scope }, self.module.types.intern(TypeKind::Void)))
    }

    pub(super) fn rmw(&mut self, scope: &mut Scope<'t>) -> Result<(InstKind, Type)> {
        let mut access = Access { volatile: self.take_word("volatile"), ..Access::default() };
        let Some(op) = self.take_named(RmwOp::named) else {
            return self.expected("what an atomicrmw does, such as add, xchg or umax");
        };
        let pointer = self.pointer(scope)?;
        let (ty, value) = self.comma_typed(scope)?;
        self.atomic_part(&mut access)?;
        access.align = self.comma_align()?;
        Ok((InstKind::Rmw { access, op, pointer, value }, ty))
    }

    pub(super) fn cmpxchg(&mut self, scope: &mut Scope<'t>) -> Result<(InstKind, Type)> {
        let weak = self.take_word("weak");
        let mut access = Access { volatile: self.take_word("volatile"), ..Access::default() };
        let pointer = self.pointer(scope)?;
        let (ty, expected) = self.comma_typed(scope)?;
        self.expect(b',')?;
        let place = self.place();
        let (other, replacement) = self.typed(scope)?;
        if other != ty {
            return self.error_at(place, "both values of a cmpxchg must be of one type");
        }
        self.atomic_part(&mut access)?;
        let failure = self.ordering()?;
        access.align = self.comma_align()?;
        let types = &mut self.module.types;
        let bool = types.intern(TypeKind::Int(1));
        let pair = types.intern(TypeKind::Struct { fields: vec![ty, bool], packed: false });
        let exchange = CmpXchg { weak, access, failure, pointer, expected, replacement };
        Ok((InstKind::CmpXchg(Box::new(exchange)), pair))
    }

    pub(super) fn gep(&mut self, scope: &mut Scope<'t>) -> Result<(InstKind, Type)> {
        let (flags, range) = self.gep_flags()?;
        let source = self.ty()?;
        self.expect(b',')?;
        let place = self.place();
        let (base_type, base) = self.typed(scope)?;
        let (mut indices, mut types) = (SmallVec::new(), SmallVec::<[Type; 4]>::new());
        while self.at(b',')
            && !(matches!(self.byte_at(self.second_at()), b'!') && matches!(self.second(), Token::Meta(_)))
        {
            let (ty, index) = self.comma_typed(scope)?;
            indices.push(index);
            types.push(ty);
        }
        let ty = self.gep_type(base_type, &types, place)?;
        Ok((InstKind::Gep { flags, range, source, base, indices }, ty))
    }
}
