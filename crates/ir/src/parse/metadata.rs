//! Metadata: nodes, attachments, debug records.

use super::function::Scope;
use super::lexer::{Lexer, NameToken, Token, end_of_name, may_go_on, short_number, unescape};
use super::{Mention, Parser, Place, Result};
use crate::function::DebugRecord;
use crate::inst::Operand;
use crate::metadata::{
    Attachments, Field, Metadata, MetadataKind, Node, NodeBody, NodeData, RecordName, Word, record_name,
};
use crate::types::TypeKind;

impl<'t> Parser<'t> {
    /// `!4 = …`.
    pub(super) fn node_definition(&mut self, number: u32) -> Result<()> {
        let place = self.place();
        let id = self.node(number, place);
        match short_number(self.text, self.at + 1) {
            Some((_, end)) => self.go_to(end),
            None => self.advance(),
        }
        if self.nodes.get(number).is_some_and(|mention| mention.defined) {
            return self.error_at(place, format!("the metadata !{number} is defined twice"));
        }
        self.expect(b'=')?;
        let distinct = self.take_word("distinct");
        let name_end = end_of_name(self.text, self.at + 1);
        let body = match self.byte() {
            b'!' if self.byte_at(name_end) == b'(' && self.byte_at(self.at + 1).is_ascii_alphabetic() => {
                let name = &self.text[self.at + 1..name_end];
                self.go_to(name_end);
                self.record(name, None)?
            }
            _ => self.node_body()?,
        };
        self.module.metadata.nodes[id] = NodeData { distinct, number: Some(number), body };
        if let Some(mention) = self.nodes.get_mut(number) {
            mention.defined = true;
        }
        Ok(())
    }

    /// What a node is made of, behind its number.
    fn node_body(&mut self) -> Result<NodeBody> {
        match self.token() {
            Token::Bang => {
                self.advance();
                if !self.at(b'{') {
                    return self.expected("`{`");
                }
                self.tuple()
            }
            Token::Meta(name) => {
                self.advance();
                self.record(name, None)
            }
            _ => self.expected("`!{` or `!Name(`"),
        }
    }

    #[inline]
    fn node(&mut self, number: u32, first: Place) -> Node {
        if let Some(mention) = self.nodes.get(number) {
            return mention.id;
        }
        let empty = NodeData { distinct: false, number: Some(number), body: NodeBody::Tuple(Vec::new()) };
        let id = self.module.metadata.nodes.push(empty);
        self.nodes.insert(number, Mention { id, first, defined: false });
        id
    }

    /// `!name = !{!0, !1}`.
    pub(super) fn named_metadata(&mut self, name: &str) -> Result<()> {
        self.advance();
        self.expect(b'=')?;
        if self.token() != Token::Bang {
            return self.expected("`!{`");
        }
        self.advance();
        self.expect(b'{')?;
        let mut nodes = Vec::new();
        self.list(b'}', |parser| {
            nodes.push(parser.node_use(None)?);
            Ok(())
        })?;
        let name = unescape(name);
        match std::str::from_utf8(&name) {
            Ok(name) => self.module.metadata.named.push((name.into(), nodes)),
            Err(_) => return self.error("expected a name of UTF-8"),
        }
        Ok(())
    }

    /// A node: `!4`, or one that stands here.
    pub(super) fn node_use(&mut self, scope: Option<&mut Scope<'t>>) -> Result<Node> {
        match self.token() {
            Token::Node(number) => {
                let id = self.node(number, self.place());
                self.advance();
                Ok(id)
            }
            Token::Bang => {
                self.advance();
                if !self.at(b'{') {
                    return self.expected("`{`");
                }
                let body = self.nested(|parser| parser.tuple())?;
                Ok(self.inline_node(body))
            }
            Token::Meta(name) => {
                self.advance();
                let body = self.nested(|parser| parser.record(name, scope))?;
                Ok(self.inline_node(body))
            }
            _ => self.expected("metadata"),
        }
    }

    fn inline_node(&mut self, body: NodeBody) -> Node {
        self.module.metadata.nodes.push(NodeData { distinct: false, number: None, body })
    }

    fn tuple(&mut self) -> Result<NodeBody> {
        self.expect(b'{')?;
        let mut operands = Vec::new();
        self.list(b'}', |parser| {
            operands.push(if parser.take_word("null") { Metadata::Null } else { parser.metadata(None)? });
            Ok(())
        })?;
        Ok(NodeBody::Tuple(operands))
    }

    /// Metadata of any sort: a node, a string, a value with its type.
    pub(super) fn metadata(&mut self, scope: Option<&mut Scope<'t>>) -> Result<Metadata> {
        match self.token() {
            Token::Bang if self.lexer_is_at_quote() => {
                self.advance();
                Ok(Metadata::Text(self.text()?.into()))
            }
            Token::Bang | Token::Node(_) | Token::Meta(_) => Ok(Metadata::Node(self.node_use(scope)?)),
            _ => {
                let place = self.place();
                let ty = self.ty()?;
                if *self.module.types.kind(ty) == TypeKind::Metadata {
                    return self.error_at(place, "metadata of metadata");
                }
                Ok(match self.operand(ty, scope)? {
                    Operand::Value(value) => Metadata::Value(value),
                    Operand::Const(constant) => Metadata::Const(constant),
                    Operand::Metadata(_) => return self.error_at(place, "expected a value"),
                })
            }
        }
    }

    /// Whether a string follows the token that stands here.
    fn lexer_is_at_quote(&self) -> bool {
        matches!(self.second(), Token::Text(_))
    }

    /// What is in the parentheses of a specialised node.
    fn record(&mut self, name: &str, mut scope: Option<&mut Scope<'t>>) -> Result<NodeBody> {
        self.expect(b'(')?;
        match name {
            "DIExpression" => {
                let mut words = Vec::new();
                self.list(b')', |parser| {
                    words.push(match parser.token() {
                        Token::Word(word) => Word::Name(word.into()),
                        Token::Int(text) => Word::Number(parser.number(text)?),
                        _ => return parser.expected("an operation of a DIExpression, or a number"),
                    });
                    parser.advance();
                    Ok(())
                })?;
                Ok(NodeBody::Expression(words))
            }
            "DIArgList" => {
                let mut operands = Vec::new();
                self.list(b')', |parser| {
                    operands.push(parser.metadata(scope.as_deref_mut())?);
                    Ok(())
                })?;
                Ok(NodeBody::Arguments(operands))
            }
            _ => {
                let mut fields: Vec<(RecordName, Field)> = Vec::with_capacity(4);
                self.list(b')', |parser| {
                    let end = end_of_name(parser.text, parser.at);
                    let field = if parser.byte().is_ascii_lowercase() && parser.byte_at(end) == b':' {
                        &parser.text[parser.at..end]
                    } else if let Token::Label(NameToken::Plain(field)) = parser.token() {
                        field
                    } else {
                        return parser.expected("a field: a name and a colon");
                    };
                    let name = record_name(field);
                    if fields.iter().any(|(known, _)| *known == name) {
                        return parser.error(format!("the field `{field}` is there twice"));
                    }
                    parser.go_to(parser.at + field.len() + 1);
                    let value = parser.field()?;
                    fields.push((name, value));
                    Ok(())
                })?;
                Ok(NodeBody::Record { name: record_name(name), fields })
            }
        }
    }

    fn number(&self, text: &str) -> Result<i128> {
        match text.parse() {
            Ok(value) if (-(1i128 << 64)..1 << 64).contains(&value) => Ok(value),
            _ => self.error("expected a number of 64 bits"),
        }
    }

    fn field(&mut self) -> Result<Field> {
        let from = self.at + usize::from(self.at(b'!'));
        if let Some((number, end)) = short_number(self.text, from)
            && !may_go_on(self.byte_at(end))
            && self.byte_at(end) != b'x'
        {
            let value = match from == self.at {
                true => Field::Number(number.into()),
                false => Field::Metadata(Metadata::Node(self.node(number, self.place()))),
            };
            self.go_to(end);
            return Ok(value);
        }
        match self.token() {
            Token::Int(text) => {
                let value = self.number(text)?;
                self.advance();
                Ok(Field::Number(value))
            }
            Token::Text(text) => {
                self.advance();
                Ok(Field::Text(unescape(text).into()))
            }
            Token::Word("null") => {
                self.advance();
                Ok(Field::Metadata(Metadata::Null))
            }
            Token::Word(word) if !self.is_type_ahead(word) => {
                self.advance();
                let mut names = vec![Box::from(word)];
                while self.take(b'|') {
                    let (Token::Word(word) | Token::Int(word)) = self.token() else {
                        return self.expected("a flag");
                    };
                    names.push(word.into());
                    self.advance();
                }
                Ok(Field::Names(names))
            }
            _ => Ok(Field::Metadata(self.nested(|parser| parser.metadata(None))?)),
        }
    }

    /// Whether `word` begins a type, so that a value follows.
    fn is_type_ahead(&self, word: &str) -> bool {
        matches!(word, "ptr" | "half" | "bfloat" | "float" | "double" | "fp128" | "target")
            || word
                .strip_prefix('i')
                .is_some_and(|bits| !bits.is_empty() && bits.bytes().all(|b| b.is_ascii_digit()))
    }

    /// The attachment that follows a comma, where no other one follows it. Nearly all are `, !dbg !4`: of a kind that was met,
    /// and a node by its number.
    #[inline]
    pub(super) fn only_attachment(&mut self) -> Option<(MetadataKind, Node)> {
        let (kind, number, place, end) = self.frequent_attachment()?;
        let behind = Lexer::begin_from(self.text, end);
        if self.byte_at(behind) == b',' {
            return None;
        }
        let node = self.node(number, place);
        (self.last_end, self.at) = (end as u32, behind);
        Some((kind, node))
    }

    /// The attachments that follow: `, !dbg !4`; `comma`: each behind a comma.
    pub(super) fn attachments(&mut self, comma: bool) -> Result<Attachments> {
        let mut attachments = Attachments::new();
        loop {
            if comma
                && self.at(b',')
                && let Some((kind, number, place, end)) = self.frequent_attachment()
            {
                let node = self.node(number, place);
                self.go_to(end);
                attachments.push((kind, node));
                continue;
            }
            if comma {
                if !self.at(b',') {
                    break;
                }
                self.advance();
            }
            let Token::Meta(kind) = self.token() else {
                if comma {
                    return self.expected("an attachment of metadata");
                }
                break;
            };
            self.advance();
            let name = kind;
            let kind = self.kind(name)?;
            self.recent_kinds[name.len() % 32] = Some((name, kind));
            attachments.push((kind, self.node_use(None)?));
        }
        Ok(attachments)
    }

    /// A kind that is known and the number of a node, behind a comma, where the node begins and where it ends.
    #[inline(always)]
    fn frequent_attachment(&self) -> Option<(MetadataKind, u32, Place, usize)> {
        let at = self.second_at();
        let bytes = self.text.as_bytes();
        if self.byte_at(at) != b'!' {
            return None;
        }
        let end = end_of_name(self.text, at + 1);
        let (known, kind) = self.recent_kinds[(end - at - 1) % 32]?;
        // Byte by byte: it is mostly `dbg`.
        let same = bytes.get(at + 1..end)?.iter().eq(known.as_bytes());
        if !same || bytes.get(end..end + 2)? != b" !" {
            return None;
        }
        let (number, behind) = short_number(self.text, end + 2)?;
        Some((kind, number, end as Place + 1, behind))
    }

    pub(super) fn kind(&mut self, name: &str) -> Result<MetadataKind> {
        let name = unescape(name);
        match std::str::from_utf8(&name) {
            Ok(name) => Ok(self.module.metadata.kind(name)),
            Err(_) => self.error("expected a name of UTF-8"),
        }
    }

    /// `#dbg_value(…)`.
    pub(super) fn debug_record(&mut self, kind: &str, scope: &mut Scope<'t>) -> Result<DebugRecord> {
        if !matches!(kind, "value" | "declare" | "declare_value" | "assign" | "label") {
            return self.expected("#dbg_value, #dbg_declare, #dbg_assign or #dbg_label");
        }
        self.advance();
        self.expect(b'(')?;
        let mut operands = Vec::new();
        self.list(b')', |parser| {
            operands.push(parser.metadata(Some(scope))?);
            Ok(())
        })?;
        Ok(DebugRecord { kind: kind.into(), operands })
    }
}
