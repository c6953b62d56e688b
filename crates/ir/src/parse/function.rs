//! The body of a function: blocks, and what names mean in it.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use super::lexer::{NameToken, Token};
use super::numbered::Numbered;
use super::{Parser, Place, Result};
use crate::entity::{Id, Table};
use crate::function::{Block, BlockData, Body, Inst, Value, ValueData, ValueDef};
use crate::inst::InstData;
use crate::metadata::Attachments;
use crate::module::{Global, GlobalKind};
use crate::types::{Type, TypeKind};

/// What a name or number refers to, by which it is found again.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Key<'t> {
    Name(Cow<'t, [u8]>),
    Number(u32),
}

/// What names and numbers refer to.
struct Names<'t, T> {
    named: FxHashMap<Cow<'t, [u8]>, T>,
    numbered: Numbered<T>,
}

impl<T> Default for Names<'_, T> {
    fn default() -> Self {
        Names { named: FxHashMap::default(), numbered: Numbered::default() }
    }
}

impl<'t, T: Copy> Names<'t, T> {
    fn get(&self, key: &Key<'t>) -> Option<T> {
        match key {
            Key::Name(name) => self.named.get(name).copied(),
            Key::Number(number) => self.numbered.get(*number).copied(),
        }
    }

    fn insert(&mut self, key: Key<'t>, item: T) {
        match key {
            Key::Name(name) => drop(self.named.insert(name, item)),
            Key::Number(number) => self.numbered.insert(number, item),
        }
    }

    fn iter(&self) -> impl Iterator<Item = (Key<'t>, T)> {
        let named = self.named.iter().map(|(name, &item)| (Key::Name(name.clone()), item));
        named.chain(self.numbered.iter().map(|(number, &item)| (Key::Number(number), item)))
    }
}

/// A body that is being read.
pub(super) struct Scope<'t> {
    pub body: Body,
    result: Type,
    values: Names<'t, Value>,
    blocks: Names<'t, Block>,
    /// Where a value is used that is not defined yet; `None` once it is.
    open_values: Table<Value, Option<Place>>,
    open_blocks: Table<Block, Option<Place>>,
    /// The least number that the next thing without a name may have.
    next_number: u32,
    places: Table<Inst, Place>,
    block_places: Table<Block, Place>,
}

/// Before a value is defined nobody looks at where it comes from.
const NOT_YET: ValueDef = ValueDef::Param(u32::MAX);

impl<'t> Scope<'t> {
    /// The type that the function gives.
    pub(super) fn result(&self) -> Type {
        self.result
    }
}

fn key(name: NameToken<'_>) -> Key<'_> {
    match name {
        NameToken::Number(number) => Key::Number(number),
        _ => Key::Name(name.bytes().unwrap_or_default()),
    }
}

impl<'t> Parser<'t> {
    /// `{ … }` of the function `id`.
    pub(super) fn body(&mut self, id: Global, names: Vec<(Option<NameToken<'t>>, Place)>) -> Result<()> {
        let Some(function) = self.module.function(id) else { return self.expected("a function") };
        let params: Vec<Type> = function.params.iter().map(|param| param.ty).collect();
        let mut scope = Scope {
            body: Body::default(),
            result: function.result,
            values: Names::default(),
            blocks: Names::default(),
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
        let values =
            scope.values.iter().filter_map(|(key, value)| Some((scope.open_values[value]?, key, "")));
        let blocks =
            scope.blocks.iter().filter_map(|(key, block)| Some((scope.open_blocks[block]?, key, "label ")));
        let Some((place, key, what)) = values.chain(blocks).min_by_key(|missing| missing.0) else {
            return Ok(());
        };
        let name = match key {
            Key::Name(name) => String::from_utf8_lossy(&name).into_owned(),
            Key::Number(number) => number.to_string(),
        };
        self.error_at(place, format!("{what}%{name} is not defined"))
    }

    fn block(&mut self, scope: &mut Scope<'t>) -> Result<()> {
        let place = self.place;
        let block = match self.token {
            Token::Label(name) => {
                self.advance();
                self.define_block(scope, Some(name), place)?
            }
            _ => self.define_block(scope, None, place)?,
        };
        scope.block_places.set(block, place);
        scope.body.order.push(block);
        let mut records = Vec::new();
        loop {
            if let Token::Record(kind) = self.token {
                records.push(self.debug_record(kind, scope)?);
                continue;
            }
            let inst = self.instruction(scope)?;
            scope.body.blocks[block].insts.push(inst);
            if !records.is_empty() {
                scope.body.records.set(inst, std::mem::take(&mut records));
            }
            if scope.body.insts[inst].kind.is_terminator() {
                return Ok(());
            }
        }
    }

    /// One instruction with what is attached to it.
    fn instruction(&mut self, scope: &mut Scope<'t>) -> Result<Inst> {
        let place = self.place;
        let name = match self.token {
            Token::Local(name) => {
                self.advance();
                self.expect(b'=')?;
                Some(name)
            }
            _ => None,
        };
        let (kind, ty) = self.operation(scope)?;
        let end = self.last_end;
        let inst = scope.body.insts.push(InstData { ty, result: None, kind });
        scope.places.set(inst, (place.0, end));
        if *self.module.types.kind(ty) == TypeKind::Void {
            if name.is_some() {
                return self.error_at(place, "the instruction gives nothing that could have a name");
            }
        } else {
            let value = self.define_value(scope, name, ty, ValueDef::Inst(inst), place)?;
            scope.body.insts[inst].result = Some(value);
        }
        let attachments: Attachments = self.attachments(true)?;
        if !attachments.is_empty() {
            scope.body.attachments.set(inst, attachments);
        }
        Ok(inst)
    }

    /// The number that something without a name gets: its own, if it has one, which no other may have.
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

    fn key(&self, scope: &mut Scope<'t>, name: Option<NameToken<'t>>, place: Place) -> Result<Key<'t>> {
        Ok(match name {
            Some(name @ (NameToken::Plain(_) | NameToken::Quoted(_))) => key(name),
            _ => Key::Number(self.free_number(scope, name, place)?),
        })
    }

    fn define_value(
        &mut self,
        scope: &mut Scope<'t>,
        name: Option<NameToken<'t>>,
        ty: Type,
        def: ValueDef,
        place: Place,
    ) -> Result<Value> {
        let key = self.key(scope, name, place)?;
        let text = match &key {
            Key::Name(name) => Some(Box::from(&**name)),
            Key::Number(_) => None,
        };
        if scope.blocks.get(&key).is_some() {
            return self.error_at(place, "the name is that of a block already");
        }
        let Some(value) = scope.values.get(&key) else {
            let value = scope.body.values.push(ValueData { ty, def, name: text });
            scope.values.insert(key, value);
            return Ok(value);
        };
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
        let key = key(name);
        if let Some(value) = scope.values.get(&key) {
            if scope.body.values[value].ty != ty {
                let wanted = crate::print::type_text(&self.module, scope.body.values[value].ty);
                return self
                    .error_at(place, format!("the value is of type {wanted}, as its definition says"));
            }
            return Ok(value);
        }
        if !self.module.types.is_first_class(ty) || *self.module.types.kind(ty) == TypeKind::Label {
            return self.error_at(place, "no value is of such a type");
        }
        let text = match &key {
            Key::Name(name) => Some(Box::from(&**name)),
            Key::Number(_) => None,
        };
        let value = scope.body.values.push(ValueData { ty, def: NOT_YET, name: text });
        scope.open_values.set(value, Some(place));
        scope.values.insert(key, value);
        Ok(value)
    }

    fn block_of(&mut self, scope: &mut Scope<'t>, key: Key<'t>, place: Place) -> Block {
        if let Some(block) = scope.blocks.get(&key) {
            return block;
        }
        let name = match &key {
            Key::Name(name) => Some(Box::from(&**name)),
            Key::Number(_) => None,
        };
        let block = scope.body.blocks.push(BlockData { name, insts: Vec::new() });
        scope.open_blocks.set(block, Some(place));
        scope.blocks.insert(key, block);
        block
    }

    fn define_block(
        &mut self,
        scope: &mut Scope<'t>,
        name: Option<NameToken<'t>>,
        place: Place,
    ) -> Result<Block> {
        let key = self.key(scope, name, place)?;
        if scope.values.get(&key).is_some() {
            return self.error_at(place, "the name is that of a value already");
        }
        let known = scope.body.blocks.len();
        let block = self.block_of(scope, key, place);
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
        let Token::Local(name) = self.token else { return self.expected("the name of a block") };
        let place = self.place;
        self.advance();
        Ok(self.block_of(scope, key(name), place))
    }
}
