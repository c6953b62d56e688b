//! The body of a function: blocks, and what names mean in it.

use super::global::ParamNames;
use super::lexer::{NameToken, Token, short_number};
use super::numbered::{Key, Names};
use super::{FEW, Parser, Place, Result};
use crate::entity::{Id, Table};
use crate::function::{Block, BlockData, Body, Inst, Value, ValueData, ValueDef};
use crate::inst::InstData;
use crate::module::{Global, GlobalKind};
use crate::types::{Type, TypeKind};

/// A body that is being read.
pub(super) struct Scope<'t> {
    pub body: Body,
    /// Room for the instructions of a block.
    insts: Vec<Inst>,
    result: Type,
    /// Values and blocks: no two have one name.
    locals: Names<'t, Local>,
    /// Where a value is used that is not defined yet; `None` once it is.
    open_values: Table<Value, Option<Place>>,
    open_blocks: Table<Block, Option<Place>>,
    /// The least number that the next thing without a name may have.
    next_number: u32,
    places: Table<Inst, (u32, u32)>,
    block_places: Table<Block, (u32, u32)>,
}

/// What a name of a function means.
#[derive(Clone, Copy)]
enum Local {
    Value(Value),
    Block(Block),
}

/// Before a value is defined nobody looks at where it comes from.
const NOT_YET: ValueDef = ValueDef::Param(u32::MAX);

impl<'t> Scope<'t> {
    /// Makes room for as many instructions.
    fn reserve(&mut self, insts: usize) {
        self.body.insts.reserve(insts);
        self.body.values.reserve(insts);
        self.body.attachments.reserve(insts);
        self.places.reserve(insts);
        // Blocks are few beside them.
        self.insts.reserve(FEW.min(insts));
        self.body.blocks.reserve(FEW.min(insts));
        self.body.order.reserve(FEW.min(insts));
        self.block_places.reserve(FEW.min(insts));
        // What has no number leaves room for the blocks that have one.
        self.locals.reserve(self.body.params.len() + insts);
    }

    /// A value that was not mentioned before.
    fn new_value(&mut self, key: Key<'t>, ty: Type, def: ValueDef) -> Value {
        let value = self.body.values.push(ValueData { ty, def });
        if let Some(text) = key.text() {
            self.body.names.set(value, Some(text));
        }
        self.locals.insert(key, Local::Value(value));
        value
    }

    /// The value of a number, if it has been mentioned.
    #[inline(always)]
    pub(super) fn numbered_value(&self, number: u32) -> Option<Value> {
        match self.locals.numbered(number) {
            Some(&Local::Value(value)) => Some(value),
            _ => None,
        }
    }

    /// The value of a name, if it has been mentioned.
    #[inline]
    pub(super) fn named_value(&self, name: &str) -> Option<Value> {
        match self.locals.named(name.as_bytes()) {
            Some(&Local::Value(value)) => Some(value),
            _ => None,
        }
    }

    /// The type that the function gives.
    pub(super) fn result(&self) -> Type {
        self.result
    }
}

impl<'t> Parser<'t> {
    /// `{ … }` of the function `id`.
    pub(super) fn body(&mut self, id: Global, names: ParamNames<'t>) -> Result<()> {
        let Some(function) = self.module.function(id) else { return self.expected("a function") };
        let params: Vec<Type> = function.params.iter().map(|param| param.ty).collect();
        let mut scope = Scope {
            body: Body::default(),
            insts: Vec::new(),
            result: function.result,
            locals: Names::default(),
            open_values: Table::default(),
            open_blocks: Table::default(),
            next_number: 0,
            places: Table::default(),
            block_places: Table::default(),
        };
        for (index, (ty, (name, place))) in params.into_iter().zip(names).enumerate() {
            let value = self.define_value(&mut scope, name, ty, ValueDef::Param(index as u32), place)?;
            scope.body.params.push(value);
        }
        self.expect(b'{')?;
        let rest = &self.text.as_bytes()[self.at..];
        let body = &rest[..memchr::memmem::find(rest, b"\n}").unwrap_or(rest.len())];
        scope.reserve(memchr::memchr_iter(b'\n', body).count() + 1);
        loop {
            self.block(&mut scope)?;
            if self.take(b'}') {
                break;
            }
        }
        self.all_defined(&scope)?;
        self.places.insts.insert(id, scope.places);
        self.places.blocks.insert(id, scope.block_places);
        if let GlobalKind::Function(function) = &mut self.module.globals[id].kind {
            for param in &mut function.params {
                param.name = None;
            }
            function.body = Some(scope.body);
        }
        Ok(())
    }

    fn all_defined(&self, scope: &Scope<'t>) -> Result<()> {
        let missing = scope.locals.iter().filter_map(|(key, &local)| match local {
            Local::Value(value) => Some((scope.open_values[value]?, key, "")),
            Local::Block(block) => Some((scope.open_blocks[block]?, key, "label ")),
        });
        let Some((place, key, what)) = missing.min_by_key(|missing| missing.0) else {
            return Ok(());
        };
        self.error_at(place, format!("{what}%{key} is not defined"))
    }

    fn block(&mut self, scope: &mut Scope<'t>) -> Result<()> {
        let place = self.place();
        let block = match self.token() {
            Token::Label(name) => {
                self.advance();
                self.define_block(scope, Some(name), place)?
            }
            _ => self.define_block(scope, None, place)?,
        };
        scope.block_places.set(block, self.span(place));
        scope.body.order.push(block);
        let mut insts = std::mem::take(&mut scope.insts);
        let mut records = Vec::new();
        loop {
            if self.at(b'#')
                && let Token::Record(kind) = self.token()
            {
                records.push(self.debug_record(kind, scope)?);
                continue;
            }
            let inst = self.instruction(scope)?;
            insts.push(inst);
            if !records.is_empty() {
                scope.body.records.set(inst, std::mem::take(&mut records));
            }
            if scope.body.insts[inst].kind.is_terminator() {
                scope.body.blocks[block].insts = insts.as_slice().into();
                insts.clear();
                scope.insts = insts;
                return Ok(());
            }
        }
    }

    /// One instruction with what is attached to it.
    fn instruction(&mut self, scope: &mut Scope<'t>) -> Result<Inst> {
        let place = self.place();
        let mut name = None;
        if self.at(b'%') {
            if let Some((number, end)) = short_number(self.text, self.at + 1) {
                name = Some(NameToken::Number(number));
                self.go_to(end);
                self.expect(b'=')?;
            } else if let Some((plain, end)) = self.plain_local() {
                name = Some(NameToken::Plain(plain));
                self.go_to(end);
                self.expect(b'=')?;
            } else if let Token::Local(token) = self.token() {
                name = Some(token);
                self.advance();
                self.expect(b'=')?;
            }
        }
        let (kind, ty) = self.operation(scope)?;
        let end = self.last_end;
        let inst = scope.body.insts.push(InstData { ty, result: None, kind });
        scope.places.set(inst, (place, end));
        if matches!(self.module.types.kind(ty), TypeKind::Void) {
            if name.is_some() {
                return self.error_at(place, "the instruction gives nothing that could have a name");
            }
        } else {
            let value = self.define_value(scope, name, ty, ValueDef::Inst(inst), place)?;
            scope.body.insts[inst].result = Some(value);
        }
        if self.at(b',') {
            match self.only_attachment() {
                Some(attachment) => scope.body.attachments.set(inst, &[attachment]),
                None => scope.body.attachments.set(inst, &self.attachments(true)?),
            }
        }
        Ok(inst)
    }

    /// The number that something without a name gets: its own, if it has one, which no other may have.
    #[inline(always)]
    fn free_number(&self, scope: &mut Scope<'t>, name: Option<NameToken<'t>>, place: Place) -> Result<u32> {
        let number = match name {
            Some(NameToken::Number(number)) if number < scope.next_number => {
                return self
                    .error_at(place, format!("expected the number %{} or a greater one", scope.next_number));
            }
            Some(NameToken::Number(number)) => number,
            _ => scope.next_number,
        };
        match number.checked_add(1) {
            Some(next) => scope.next_number = next,
            None => return self.error_at(place, "expected a number below 2^32 - 1"),
        }
        Ok(number)
    }

    #[inline(always)]
    fn key(&self, scope: &mut Scope<'t>, name: Option<NameToken<'t>>, place: Place) -> Result<Key<'t>> {
        Ok(match name {
            Some(name @ (NameToken::Plain(_) | NameToken::Quoted(_))) => name.key(),
            _ => Key::Number(self.free_number(scope, name, place)?),
        })
    }

    #[inline]
    fn define_value(
        &mut self,
        scope: &mut Scope<'t>,
        name: Option<NameToken<'t>>,
        ty: Type,
        def: ValueDef,
        place: Place,
    ) -> Result<Value> {
        let key = self.key(scope, name, place)?;
        match scope.locals.get(&key).copied() {
            None => Ok(scope.new_value(key, ty, def)),
            Some(Local::Block(_)) => self.error_at(place, "the name is that of a block already"),
            Some(Local::Value(value)) => self.define_used(scope, value, ty, def, place),
        }
    }

    /// Defines a value that was used before.
    fn define_used(
        &self,
        scope: &mut Scope<'t>,
        value: Value,
        ty: Type,
        def: ValueDef,
        place: Place,
    ) -> Result<Value> {
        let Some(used) = scope.open_values[value] else {
            return self.error_at(place, "the value is defined twice");
        };
        if scope.body.values[value].ty != ty {
            let wanted = crate::print::type_text(&self.module, ty);
            return self.error_at(used, format!("the value is of type {wanted}, as its definition says"));
        }
        scope.open_values.set(value, None);
        scope.body.values[value].def = def;
        Ok(value)
    }

    /// The value of that name, defined or not yet.
    pub(super) fn local(
        &mut self,
        scope: &mut Scope<'t>,
        name: NameToken<'t>,
        ty: Type,
        place: Place,
    ) -> Result<Value> {
        let key = name.key();
        match scope.locals.get(&key).copied() {
            Some(Local::Value(value)) if scope.body.values[value].ty == ty => return Ok(value),
            Some(Local::Value(value)) => {
                let wanted = crate::print::type_text(&self.module, scope.body.values[value].ty);
                return self
                    .error_at(place, format!("the value is of type {wanted}, as its definition says"));
            }
            Some(Local::Block(_)) => return self.error_at(place, "the name is that of a block"),
            None => {}
        }
        if !self.module.types.is_first_class(ty) || *self.module.types.kind(ty) == TypeKind::Label {
            return self.error_at(place, "no value is of such a type");
        }
        let value = scope.new_value(key, ty, NOT_YET);
        scope.open_values.set(value, Some(place));
        Ok(value)
    }

    fn block_of(&mut self, scope: &mut Scope<'t>, key: Key<'t>, place: Place) -> Result<Block> {
        match scope.locals.get(&key) {
            Some(&Local::Block(block)) => return Ok(block),
            Some(Local::Value(_)) => return self.error_at(place, "the name is that of a value"),
            None => {}
        }
        let block = scope.body.blocks.push(BlockData { name: key.text(), insts: Vec::new() });
        scope.open_blocks.set(block, Some(place));
        scope.locals.insert(key, Local::Block(block));
        Ok(block)
    }

    fn define_block(
        &mut self,
        scope: &mut Scope<'t>,
        name: Option<NameToken<'t>>,
        place: Place,
    ) -> Result<Block> {
        let key = self.key(scope, name, place)?;
        let known = scope.body.blocks.len();
        let block = self.block_of(scope, key, place)?;
        if block.index() < known && scope.open_blocks[block].is_none() {
            return self.error_at(place, "the block is defined twice");
        }
        scope.open_blocks.set(block, None);
        Ok(block)
    }

    /// `label %name`.
    pub(super) fn label(&mut self, scope: &mut Scope<'t>) -> Result<Block> {
        self.expect_word("label")?;
        self.block_name(scope)
    }

    /// `%name` of a block.
    pub(super) fn block_name(&mut self, scope: &mut Scope<'t>) -> Result<Block> {
        let place = self.place();
        if self.at(b'%') {
            if let Some((number, end)) = short_number(self.text, self.at + 1) {
                self.go_to(end);
                return self.block_of(scope, Key::Number(number), place);
            }
            if let Some((name, end)) = self.plain_local() {
                self.go_to(end);
                return self.block_of(scope, NameToken::Plain(name).key(), place);
            }
        }
        let Token::Local(name) = self.token() else { return self.expected("the name of a block") };
        self.advance();
        self.block_of(scope, name.key(), place)
    }
}
