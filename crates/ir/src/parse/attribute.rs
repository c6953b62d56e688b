//! Attributes, in groups and in their places.

use smallvec::SmallVec;

use super::lexer::{Token, short_number};
use super::{FEW, Mention, Parser, Result};
use crate::attribute::{Attribute, AttributeGroup, Attributes, Form, known};
use crate::constant::ConstKind;

impl Parser<'_> {
    /// The attributes that stand here, mostly none; `groups`: those may be `#n` too.
    #[inline(always)]
    pub(super) fn attributes(&mut self, groups: bool) -> Result<Attributes> {
        if self.attribute_may_begin() { self.some_attributes(groups) } else { Ok(Attributes::default()) }
    }

    /// What begins otherwise is none, nor is a word as short as `i8`.
    #[inline(always)]
    fn attribute_may_begin(&self) -> bool {
        match self.byte() {
            b'a'..=b'z' => !self.byte_at(self.at + 1).is_ascii_digit(),
            first => matches!(first, b'"' | b'#'),
        }
    }

    #[inline(never)]
    fn some_attributes(&mut self, groups: bool) -> Result<Attributes> {
        let (mut own, mut referred) =
            (SmallVec::<[Attribute; 4]>::new(), SmallVec::<[AttributeGroup; 4]>::new());
        while self.attribute_may_begin() {
            if let Some(word) = self.word() {
                match known(word) {
                    // What `align` means behind a function is not an attribute of the function.
                    Some((name, form)) if !(groups && name == "align") => {
                        self.go_past(word);
                        own.push(self.attribute(name, form)?);
                        continue;
                    }
                    _ => break,
                }
            }
            if groups
                && self.at(b'#')
                && let Some((number, end)) = short_number(self.text, self.at + 1)
            {
                referred.push(self.group(number));
                self.go_to(end);
                continue;
            }
            match self.token() {
                Token::Group(number) if groups => {
                    let id = self.group(number);
                    self.advance();
                    referred.push(id);
                }
                // A string belongs to a function's attributes as it does to a parameter's.
                Token::Text(_) => own.push(self.text_attribute()?),
                _ => break,
            }
        }
        match (own.as_slice(), referred.as_slice()) {
            ([], []) => return Ok(Attributes::default()),
            ([], &[group]) => return Ok(self.alone[group].clone()),
            _ => {}
        }
        Ok(Attributes::new(own, referred))
    }

    fn group(&mut self, number: u32) -> AttributeGroup {
        if let Some(mention) = self.groups.get(&number) {
            return mention.id;
        }
        let id = self.module.attribute_groups.push((number, Vec::new()));
        self.alone.set(id, Attributes::new([], [id]));
        self.groups.insert(number, Mention { id, first: self.place(), defined: false });
        id
    }

    /// `attributes #0 = { … }`; the first word is read.
    pub(super) fn attribute_group(&mut self) -> Result<()> {
        let Token::Group(number) = self.token() else {
            return self.expected("the number of an attribute group");
        };
        let place = self.place();
        let id = self.group(number);
        self.advance();
        if self.groups.get(&number).is_some_and(|mention| mention.defined) {
            return self.error_at(place, format!("the attribute group #{number} is defined twice"));
        }
        self.expect(b'=')?;
        self.expect(b'{')?;
        let mut attributes = Vec::with_capacity(FEW / 2);
        while !self.take(b'}') {
            if self.at(b'"') {
                attributes.push(self.text_attribute()?);
                continue;
            }
            match self.token() {
                Token::Word(word) => match known(word) {
                    Some((name, form)) => {
                        self.advance();
                        attributes.push(self.attribute(name, form)?);
                    }
                    None => return self.unknown(word),
                },
                _ => return self.expected("an attribute"),
            }
        }
        self.module.attribute_groups[id].1 = attributes;
        if let Some(mention) = self.groups.get_mut(&number) {
            mention.defined = true;
        }
        Ok(())
    }

    fn unknown<T>(&self, word: &str) -> Result<T> {
        let names = crate::attribute::KNOWN.iter().map(|row| row.0);
        self.expected("an attribute").map_err(|mut diagnostic: Box<wavemark_diag::Diagnostic>| {
            if let Some(near) = wavemark_diag::nearest(word, names) {
                diagnostic.help.push(format!("did you mean `{near}`?"));
            }
            diagnostic
        })
    }

    fn text_attribute(&mut self) -> Result<Attribute> {
        let key = self.text()?.into();
        let value = if self.take(b'=') { Some(self.text()?.into()) } else { None };
        Ok(Attribute::Text(key, value))
    }

    /// The argument of an attribute whose name is read.
    pub(super) fn attribute(&mut self, name: &'static str, form: Form) -> Result<Attribute> {
        match form {
            Form::Flag => Ok(Attribute::Flag(name)),
            Form::Number => {
                let parenthesised = self.take(b'(');
                if !parenthesised {
                    self.take(b'=');
                }
                let value = self.alignment()?;
                if parenthesised {
                    self.expect(b')')?;
                }
                Ok(Attribute::Number(name, value))
            }
            Form::Parenthesised => Ok(Attribute::Number(name, self.u64_in_parentheses("a number of bytes")?)),
            Form::Type => {
                self.expect(b'(')?;
                let ty = self.ty()?;
                self.expect(b')')?;
                Ok(Attribute::Type(name, ty))
            }
            Form::Range => {
                self.expect(b'(')?;
                let ty = self.ty()?;
                if self.scalar_int(ty).is_none() {
                    return self.expected("the range of an integer type");
                }
                let low = self.constant(ty)?;
                self.expect(b',')?;
                let high = self.constant(ty)?;
                let ints = [low, high]
                    .iter()
                    .all(|&bound| matches!(self.module.constants.kind(bound), ConstKind::Int(_)));
                if !ints {
                    return self.expected("the bounds of a range");
                }
                self.expect(b')')?;
                Ok(Attribute::Range(ty, low, high))
            }
            Form::MaybeWords if !self.at(b'(') => Ok(Attribute::Flag(name)),
            Form::Words | Form::MaybeWords => {
                self.expect(b'(')?;
                Ok(Attribute::Words(name, self.words()?))
            }
        }
    }

    /// What is up to the parenthesis that closes, with single blanks.
    fn words(&mut self) -> Result<Box<str>> {
        let mut text = String::new();
        let mut depth = 0;
        loop {
            let piece = match self.token() {
                Token::Punct(b')') if depth == 0 => {
                    self.advance();
                    return Ok(text.into());
                }
                Token::Punct(b'(') => {
                    depth += 1;
                    "("
                }
                Token::Punct(b')') => {
                    depth -= 1;
                    ")"
                }
                Token::Punct(b',') => ",",
                Token::Punct(b'|') => "|",
                Token::Punct(b'=') => "=",
                // `nan` and `inf` of `nofpclass` are literals elsewhere.
                Token::Word(word) | Token::Int(word) | Token::Float(word) => word,
                Token::Label(super::lexer::NameToken::Plain(word)) => {
                    if !text.is_empty() && !text.ends_with('(') {
                        text.push(' ');
                    }
                    text += word;
                    ":"
                }
                Token::Text(word) => {
                    text += &format!("\"{word}\"");
                    ""
                }
                _ => return self.expected("`)`"),
            };
            let glued = matches!(piece, "," | ")" | ":" | "")
                || text.is_empty()
                || text.ends_with('(')
                || piece == "(";
            if !glued {
                text.push(' ');
            }
            text += piece;
            self.advance();
        }
    }
}
