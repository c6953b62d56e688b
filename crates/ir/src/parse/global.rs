//! What stands at the top of a module: its properties, variables, aliases, heads of functions.

use smallvec::SmallVec;

use super::lexer::{NameToken, Token, short_number};
use super::numbered::Key;
use super::{Mention, Parsed, Parser, Place, Result, show};
use crate::function::{Function, Param};
use crate::intrinsic;
use crate::metadata::Attachments;
use crate::module::{Global, GlobalData, GlobalKind, Linkage, Preemption, UnnamedAddr, Variable, Visibility};
use crate::types::{Name, Type, TypeKind};

/// The words before the type of a global.
#[derive(Default)]
struct Head {
    linkage: Option<Linkage>,
    preemption: Option<Preemption>,
    visibility: Option<Visibility>,
}

/// The names of a function's parameters, and where they stand.
pub(super) type ParamNames<'t> = SmallVec<[(Option<NameToken<'t>>, Place); 8]>;

impl<'t> Parser<'t> {
    pub(super) fn module(mut self) -> Result<Parsed> {
        while self.token() != Token::End {
            self.top()?;
        }
        self.declare_intrinsics()?;
        self.everything_defined()?;
        self.types_end()?;
        self.addresses_agree()?;
        Ok(Parsed { module: self.module, places: self.places })
    }

    fn top(&mut self) -> Result<()> {
        let place = self.place();
        // Most that stands at the top are nodes.
        if self.at(b'!')
            && let Some((number, _)) = short_number(self.text, self.at + 1)
        {
            return self.node_definition(number);
        }
        match self.token() {
            Token::Word("source_filename") => {
                self.advance();
                self.expect(b'=')?;
                self.module.source_filename = Some(self.text()?.into());
            }
            Token::Word("target") => {
                self.advance();
                let Token::Word(what @ ("datalayout" | "triple")) = self.token() else {
                    return self.expected("`datalayout` or `triple`");
                };
                self.advance();
                self.expect(b'=')?;
                let text = Some(self.utf8()?);
                match what {
                    "triple" => self.module.triple = text,
                    _ => self.module.data_layout = text,
                }
            }
            Token::Word("module") => {
                self.advance();
                self.expect_word("asm")?;
                let text = self.text()?.into();
                self.module.inline_asm.push(text);
            }
            Token::Word("attributes") => {
                self.advance();
                self.attribute_group()?;
            }
            Token::Word("declare") => {
                self.advance();
                self.declaration()?;
            }
            Token::Word("define") => {
                self.advance();
                self.definition()?;
            }
            Token::Word(word @ ("uselistorder" | "uselistorder_bb")) => {
                return self.unsupported(format!("`{word}`: the order of uses"));
            }
            Token::Local(name) => {
                self.advance();
                self.struct_definition(name, place)?;
            }
            Token::Comdat(name) => {
                self.advance();
                self.comdat(name)?;
            }
            Token::Global(name) => {
                self.advance();
                self.expect(b'=')?;
                self.global(name, place)?;
            }
            Token::Meta(name) => self.named_metadata(name)?,
            Token::Node(number) => self.node_definition(number)?,
            _ => {
                return self.expected(
                    "a definition: define, declare, @global, %type, !metadata, attributes, target",
                );
            }
        }
        Ok(())
    }

    fn comdat(&mut self, name: NameToken<'t>) -> Result<()> {
        self.expect(b'=')?;
        self.expect_word("comdat")?;
        let Token::Word(kind @ ("any" | "exactmatch" | "largest" | "nodeduplicate" | "samesize")) =
            self.token()
        else {
            return self.expected("any, exactmatch, largest, nodeduplicate or samesize");
        };
        self.advance();
        let Some(name) = name.bytes() else { return self.expected("the name of a comdat") };
        self.module.comdats.push((name.into(), kind.into()));
        Ok(())
    }

    fn head(&mut self) -> Result<Head> {
        let head = Head {
            linkage: self.take_named(Linkage::named),
            preemption: self.take_named(Preemption::named),
            visibility: self.take_named(Visibility::named),
        };
        match self.token() {
            Token::Word(word @ ("dllimport" | "dllexport")) => self.unsupported(format!("`{word}`")),
            _ => Ok(head),
        }
    }

    /// The id of a global that is defined or declared here.
    fn define_global(&mut self, key: Key<'t>, place: Place, data: GlobalData) -> Result<Global> {
        if let Key::Number(number) = key {
            if number < self.next_global_number {
                let wanted = self.next_global_number;
                return self.error_at(place, format!("expected the number @{wanted} or a greater one"));
            }
            self.next_global_number = number + 1;
        }
        if self.globals.get(&key).is_some_and(|mention| mention.defined) {
            return self.error_at(place, format!("@{key} is defined twice"));
        }
        let id = match self.globals.get_mut(&key) {
            Some(mention) => {
                mention.defined = true;
                self.module.globals[mention.id] = data;
                mention.id
            }
            None => {
                let id = self.module.globals.push(data);
                self.globals.insert(key, Mention { id, first: place, defined: true });
                id
            }
        };
        self.places.globals.insert(id, self.span(place));
        self.module.order.push(id);
        Ok(id)
    }

    /// Stands for a global until its definition is read.
    pub(super) fn declare_later(&mut self, name: Name) -> Global {
        let void = self.module.types.intern(TypeKind::Void);
        let kind = GlobalKind::Variable(variable(void));
        self.module.globals.push(data(name, Head::default(), kind))
    }

    /// Intrinsics need no declaration, as LLVM has it from 19 on: the first call says of which type they are.
    fn declare_intrinsics(&mut self) -> Result<()> {
        for (id, ty, place) in std::mem::take(&mut self.undeclared) {
            if self.module.function(id).is_some() {
                continue;
            }
            let name = self.module.globals[id].name.clone();
            let known = match &name {
                Name::Text(text) => {
                    std::str::from_utf8(text).is_ok_and(|name| intrinsic::find(name).is_some())
                }
                Name::Number(_) => false,
            };
            if !known || self.globals.get(&Key::of_name(&name)).is_none_or(|mention| mention.defined) {
                continue;
            }
            let TypeKind::Function { result, ref params, variadic } = *self.module.types.kind(ty) else {
                continue;
            };
            let params =
                params.iter().map(|&ty| Param { ty, attributes: Default::default(), name: None }).collect();
            let function = Function { result, params, variadic, ..declared(ty, result) };
            let data = data(name.clone(), Head::default(), GlobalKind::Function(Box::new(function)));
            self.define_global(Key::of_name(&name), place, data)?;
        }
        Ok(())
    }

    /// A global's own address space is known only now: every use must have said the same.
    fn addresses_agree(&self) -> Result<()> {
        for &(global, ty, place) in &self.address_uses {
            let space = self.module.globals[global].address_space;
            if *self.module.types.kind(ty) != TypeKind::Pointer(space) {
                let name = show(&self.module.globals[global].name);
                return self.error_at(place, format!("@{name} is in address space {space}"));
            }
        }
        Ok(())
    }

    fn global(&mut self, name: NameToken<'t>, place: Place) -> Result<()> {
        let head = self.head()?;
        let thread_local = self.thread_local()?;
        let unnamed_addr = self.take_named(UnnamedAddr::named);
        if let Token::Word(word @ ("alias" | "ifunc")) = self.token() {
            if word == "ifunc" {
                return self.unsupported("`ifunc`");
            }
            self.advance();
            return self.alias(name, place, head, unnamed_addr);
        }
        let address_space = self.address_space()?;
        let externally_initialized = self.take_word("externally_initialized");
        let constant = match self.token() {
            Token::Word("global") => false,
            Token::Word("constant") => true,
            _ => return self.expected("`global` or `constant`"),
        };
        self.advance();
        let ty = self.ty()?;
        let elsewhere = matches!(head.linkage, Some(Linkage::External | Linkage::ExternWeak));
        let initializer = if elsewhere { None } else { Some(self.constant(ty)?) };
        let mut variable =
            Variable { constant, externally_initialized, initializer, thread_local, ..variable(ty) };
        let mut data = data(name.to_name(), head, GlobalKind::Variable(variable.clone()));
        data.unnamed_addr = unnamed_addr;
        data.address_space = address_space;
        while self.take(b',') {
            if let Token::Meta(_) = self.token() {
                data.attachments.extend(self.attachments(false)?);
            } else if self.take_word("code_model") {
                variable.code_model = Some(self.text()?.into());
            } else if let Token::Word(word) = self.token()
                && matches!(
                    word,
                    "no_sanitize_address"
                        | "no_sanitize_hwaddress"
                        | "sanitize_memtag"
                        | "sanitize_address_dyninit"
                )
            {
                self.advance();
                variable.sanitizer.push(word.into());
            } else if !self.placement(&mut data)? {
                return self.expected("section, partition, comdat, align, code_model or metadata");
            }
        }
        variable.attributes = self.attributes(true)?;
        data.kind = GlobalKind::Variable(variable);
        self.define_global(name.key(), place, data)?;
        Ok(())
    }

    fn thread_local(&mut self) -> Result<Option<Box<str>>> {
        if !self.take_word("thread_local") {
            return Ok(None);
        }
        if !self.take(b'(') {
            return Ok(Some("".into()));
        }
        let Token::Word(model @ ("localdynamic" | "initialexec" | "localexec")) = self.token() else {
            return self.expected("localdynamic, initialexec or localexec");
        };
        self.advance();
        self.expect(b')')?;
        Ok(Some(model.into()))
    }

    /// `section "x"`, `partition "x"`, `comdat`, `align n`, if one stands here.
    fn placement(&mut self, data: &mut GlobalData) -> Result<bool> {
        let Token::Word(word) = self.token() else { return Ok(false) };
        match word {
            "section" => {
                self.advance();
                data.section = Some(self.text()?.into());
            }
            "partition" => {
                self.advance();
                data.partition = Some(self.text()?.into());
            }
            "align" => {
                self.advance();
                data.align = Some(self.alignment()?);
            }
            "comdat" => {
                self.advance();
                data.comdat = Some(if self.take(b'(') {
                    let Token::Comdat(name) = self.token() else {
                        return self.expected("the name of a comdat");
                    };
                    self.advance();
                    self.expect(b')')?;
                    name.bytes().unwrap_or_default().into()
                } else {
                    match &data.name {
                        Name::Text(text) => text.clone(),
                        Name::Number(_) => return self.expected("the name of a comdat"),
                    }
                });
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn alias(
        &mut self,
        name: NameToken<'t>,
        place: Place,
        head: Head,
        unnamed: Option<UnnamedAddr>,
    ) -> Result<()> {
        let ty = self.any_type()?;
        self.expect(b',')?;
        let pointer = self.ty()?;
        let Some(space) = self.module.types.address_space(pointer) else { return self.expected("a pointer") };
        let aliasee = self.constant(pointer)?;
        let mut data = data(name.to_name(), head, GlobalKind::Alias { ty, aliasee });
        data.unnamed_addr = unnamed;
        data.address_space = space;
        while self.take(b',') {
            if !self.at_word("partition") || !self.placement(&mut data)? {
                return self.expected("partition");
            }
        }
        self.define_global(name.key(), place, data)?;
        Ok(())
    }

    fn declaration(&mut self) -> Result<()> {
        // Metadata stands before the head of a declaration, behind that of a definition.
        let attachments = self.attachments(false)?;
        let (mut data, name, place, _) = self.function_head()?;
        data.attachments = attachments;
        self.define_global(name.key(), place, data)?;
        Ok(())
    }

    fn definition(&mut self) -> Result<()> {
        let (mut data, name, place, params) = self.function_head()?;
        data.attachments = self.attachments(false)?;
        // The name is known inside of the function.
        let id = self.define_global(name.key(), place, data)?;
        if !self.at(b'{') {
            return self.expected("`{`");
        }
        self.body(id, params)
    }

    /// All of a function before its body, with its name, where that stands, and the names of its parameters.
    #[allow(clippy::type_complexity, reason = "four parts of one head")]
    fn function_head(&mut self) -> Result<(GlobalData, NameToken<'t>, Place, ParamNames<'t>)> {
        let head = self.head()?;
        let convention = self.convention()?;
        let result_attributes = self.attributes(false)?;
        let place = self.place();
        let result = self.any_type()?;
        let fits =
            *self.module.types.kind(result) == TypeKind::Void || self.module.types.is_first_class(result);
        if !fits {
            return self.error_at(place, "expected the type of a result");
        }
        let Token::Global(name) = self.token() else { return self.expected("the name of a function") };
        let place = self.place();
        self.advance();
        self.expect(b'(')?;
        let (mut params, mut names, mut variadic) = (Vec::new(), ParamNames::new(), false);
        self.list(b')', |parser| {
            if variadic {
                return parser.expected("`)`");
            }
            if parser.token() == Token::Dots {
                parser.advance();
                variadic = true;
                return Ok(());
            }
            let ty = parser.ty()?;
            let attributes = parser.attributes(false)?;
            let place = parser.place();
            let mut token = None;
            if parser.at(b'%') {
                if let Some((number, end)) = short_number(parser.text, parser.at + 1) {
                    token = Some(NameToken::Number(number));
                    parser.go_to(end);
                } else if let Token::Local(name) = parser.token() {
                    token = Some(name);
                    parser.advance();
                }
            }
            let name = token.and_then(NameToken::bytes).map(Into::into);
            params.push(Param { ty, attributes, name });
            names.push((token, place));
            Ok(())
        })?;
        let types: Vec<Type> = params.iter().map(|param| param.ty).collect();
        let ty = self.module.types.intern(TypeKind::Function { result, params: types, variadic });
        let mut function =
            Function { params, variadic, convention, result_attributes, ..declared(ty, result) };
        let unnamed_addr = self.take_named(UnnamedAddr::named);
        let address_space = self.address_space()?;
        function.attributes = self.attributes(true)?;
        let mut data = data(name.to_name(), head, GlobalKind::Variable(variable(ty)));
        data.unnamed_addr = unnamed_addr;
        data.address_space = address_space;
        while self.placement(&mut data)? {}
        if self.take_word("gc") {
            function.collector = Some(self.text()?.into());
        }
        if self.take_word("prefix") {
            function.prefix = Some(self.typed_const()?);
        }
        if self.take_word("prologue") {
            function.prologue = Some(self.typed_const()?);
        }
        if self.take_word("personality") {
            function.personality = Some(self.typed_const()?);
        }
        data.kind = GlobalKind::Function(Box::new(function));
        Ok((data, name, place, names))
    }
}

/// A function of which nothing is known but its type.
fn declared(ty: Type, result: Type) -> Function {
    Function {
        ty,
        result,
        params: Vec::new(),
        variadic: false,
        convention: None,
        result_attributes: Default::default(),
        attributes: Default::default(),
        collector: None,
        prefix: None,
        prologue: None,
        personality: None,
        body: None,
    }
}

fn variable(ty: Type) -> Variable {
    Variable {
        ty,
        constant: false,
        externally_initialized: false,
        initializer: None,
        thread_local: None,
        code_model: None,
        sanitizer: Vec::new(),
        attributes: Default::default(),
    }
}

fn data(name: Name, head: Head, kind: GlobalKind) -> GlobalData {
    GlobalData {
        name,
        linkage: head.linkage,
        preemption: head.preemption,
        visibility: head.visibility,
        unnamed_addr: None,
        address_space: 0,
        section: None,
        partition: None,
        comdat: None,
        align: None,
        attachments: Attachments::new(),
        kind,
    }
}
