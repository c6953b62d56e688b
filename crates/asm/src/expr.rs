//! Integer expressions: the tree and its parser.
//!
//! The grammar is LLVM's (`AsmParser`, GNU precedences, loosest first): `||`; `&&`; comparisons (true is -1);
//! `+ -`; `| ^ & !` (or-not); `* / % << >>` (`>>` is logical); then unary `- + ~ !`, parentheses, numbers, `.`
//! (this place), names with an optional relocation specifier (`sym@rel32@lo`), and the AMDGPU functions
//! `max or extrasgprs totalnumvgprs alignto occupancy instprefsize`.
//!
//! A name that stands for a number already is replaced by it at once, so that a later `.set` does not change
//! it. Constants are folded; everything else is left to [`crate::value`].

use std::ops::Range;

use crate::lex::{Kind, Lexer};
use crate::section::SectionId;
use crate::symbol::{SymbolId, Symbols};

/// How a relocatable reference is meant; the name follows `@`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the variants are LLVM's spellings
pub enum Specifier {
    GotPcRel,
    GotPcRel32Lo,
    GotPcRel32Hi,
    Rel32Lo,
    Rel32Hi,
    Rel64,
    Abs32Lo,
    Abs32Hi,
    Abs64,
}

impl Specifier {
    const NAMES: [(&'static str, Specifier); 9] = [
        ("gotpcrel", Specifier::GotPcRel),
        ("gotpcrel32@lo", Specifier::GotPcRel32Lo),
        ("gotpcrel32@hi", Specifier::GotPcRel32Hi),
        ("rel32@lo", Specifier::Rel32Lo),
        ("rel32@hi", Specifier::Rel32Hi),
        ("rel64", Specifier::Rel64),
        ("abs32@lo", Specifier::Abs32Lo),
        ("abs32@hi", Specifier::Abs32Hi),
        ("abs64", Specifier::Abs64),
    ];

    /// The specifier that is spelt `name`.
    pub fn from_name(name: &str) -> Option<Specifier> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, specifier)| *specifier)
    }

    /// Its spelling, without the `@` before it.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, known)| *known == self).map_or("", |(name, _)| name)
    }
}

/// An operator with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unary {
    Minus,
    Not,
    LogicalNot,
}

/// An operator with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    LogicalOr,
    LogicalAnd,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Add,
    Sub,
    Or,
    Xor,
    And,
    OrNot,
    Mul,
    Div,
    Mod,
    Shl,
    Shr,
}

/// A function of AMDGPU expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    Max,
    Or,
    ExtraSgprs,
    TotalNumVgprs,
    AlignTo,
    Occupancy,
    InstPrefSize,
}

impl Function {
    const NAMES: [(&'static str, Function, Option<usize>); 7] = [
        ("max", Function::Max, None),
        ("or", Function::Or, None),
        ("extrasgprs", Function::ExtraSgprs, Some(3)),
        ("totalnumvgprs", Function::TotalNumVgprs, Some(2)),
        ("alignto", Function::AlignTo, Some(2)),
        ("occupancy", Function::Occupancy, Some(7)),
        ("instprefsize", Function::InstPrefSize, Some(1)),
    ];

    /// The function of this name.
    pub fn from_name(name: &str) -> Option<Function> {
        Self::NAMES.iter().find(|(known, ..)| *known == name).map(|&(_, function, _)| function)
    }

    /// How many arguments it takes, if not any number from 1 on.
    pub fn arity(self) -> Option<usize> {
        Self::NAMES.iter().find(|(_, known, _)| *known == self).and_then(|&(.., arity)| arity)
    }
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expr {
    Int(i64),
    Symbol(SymbolId, Option<Specifier>),
    /// A place in a section: `.` where it was read.
    Place(SectionId, u64),
    Unary(Unary, Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
    Call(Function, Vec<Expr>),
}

/// What is wrong with a text that should be an expression, and where (bytes of the statement).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ExprError {
    pub range: Range<usize>,
    pub message: String,
}

/// How deep parentheses and operators may nest; a guard for the stack.
const MAX_DEPTH: u32 = 200;

/// What an expression may refer to while it is read.
pub(crate) struct Scope<'a> {
    pub symbols: &'a mut Symbols,
    /// The value of `.`.
    pub here: (SectionId, u64),
}

/// Reads the longest expression at the lexer's position.
pub(crate) fn parse(lexer: &mut Lexer<'_>, scope: &mut Scope<'_>) -> Result<Expr, ExprError> {
    Parser { lexer, scope }.binary(1, 0).map(|(expr, _)| expr)
}

struct Parser<'l, 't, 's, 'a> {
    lexer: &'l mut Lexer<'t>,
    scope: &'s mut Scope<'a>,
}

fn operator(text: &str) -> Option<(Binary, u8)> {
    Some(match text {
        "||" => (Binary::LogicalOr, 1),
        "&&" => (Binary::LogicalAnd, 2),
        "==" => (Binary::Equal, 3),
        "!=" | "<>" => (Binary::NotEqual, 3),
        "<" => (Binary::Less, 3),
        "<=" => (Binary::LessEqual, 3),
        ">" => (Binary::Greater, 3),
        ">=" => (Binary::GreaterEqual, 3),
        "+" => (Binary::Add, 4),
        "-" => (Binary::Sub, 4),
        "|" => (Binary::Or, 5),
        "^" => (Binary::Xor, 5),
        "&" => (Binary::And, 5),
        "!" => (Binary::OrNot, 5),
        "*" => (Binary::Mul, 6),
        "/" => (Binary::Div, 6),
        "%" => (Binary::Mod, 6),
        "<<" => (Binary::Shl, 6),
        ">>" => (Binary::Shr, 6),
        _ => return None,
    })
}

/// The value of `left op right` on numbers; `None` for a division by zero.
pub(crate) fn fold(op: Binary, left: i64, right: i64) -> Option<i64> {
    let truth = |holds: bool| if holds { -1 } else { 0 };
    let shift = |amount: i64| u32::try_from(amount).ok().filter(|&amount| amount < 64);
    Some(match op {
        Binary::LogicalOr => i64::from(left != 0 || right != 0),
        Binary::LogicalAnd => i64::from(left != 0 && right != 0),
        Binary::Equal => truth(left == right),
        Binary::NotEqual => truth(left != right),
        Binary::Less => truth(left < right),
        Binary::LessEqual => truth(left <= right),
        Binary::Greater => truth(left > right),
        Binary::GreaterEqual => truth(left >= right),
        Binary::Add => left.wrapping_add(right),
        Binary::Sub => left.wrapping_sub(right),
        Binary::Or => left | right,
        Binary::Xor => left ^ right,
        Binary::And => left & right,
        Binary::OrNot => left | !right,
        Binary::Mul => left.wrapping_mul(right),
        Binary::Div if right == 0 => return None,
        Binary::Div => left.wrapping_div(right),
        Binary::Mod if right == 0 => return None,
        Binary::Mod => left.wrapping_rem(right),
        Binary::Shl => shift(right).map_or(0, |amount| left << amount),
        Binary::Shr => shift(right).map_or(0, |amount| ((left as u64) >> amount) as i64),
    })
}

/// The value of `op value`.
pub(crate) fn fold_unary(op: Unary, value: i64) -> i64 {
    match op {
        Unary::Minus => value.wrapping_neg(),
        Unary::Not => !value,
        Unary::LogicalNot => i64::from(value == 0),
    }
}

impl Parser<'_, '_, '_, '_> {
    /// Operators of at least `precedence`; also how deep the tree is.
    fn binary(&mut self, precedence: u8, depth: u32) -> Result<(Expr, u32), ExprError> {
        let (mut left, mut height) = self.unary(depth)?;
        loop {
            let start = self.lexer.next_start();
            let text = self.lexer.operator();
            let Some((op, level)) = operator(text).filter(|&(_, level)| level >= precedence) else {
                return Ok((left, height));
            };
            self.lexer.skip(text.len());
            let (right, right_height) = self.binary(level + 1, depth + 1)?;
            height = height.max(right_height) + 1;
            self.limit(depth + height, start)?;
            left = match (&left, &right) {
                (&Expr::Int(l), &Expr::Int(r)) => {
                    height = 0;
                    Expr::Int(fold(op, l, r).ok_or_else(|| ExprError {
                        range: start..start + text.len(),
                        message: "division by zero".to_owned(),
                    })?)
                }
                _ => Expr::Binary(op, Box::new(left), Box::new(right)),
            };
        }
    }

    fn limit(&self, depth: u32, at: usize) -> Result<(), ExprError> {
        if depth > MAX_DEPTH {
            return Err(ExprError {
                range: at..at + 1,
                message: "the expression nests too deeply".to_owned(),
            });
        }
        Ok(())
    }

    fn unary(&mut self, depth: u32) -> Result<(Expr, u32), ExprError> {
        let at = self.lexer.next_start();
        self.limit(depth, at)?;
        let op = match self.lexer.peek_byte() {
            Some(b'-') => Unary::Minus,
            Some(b'~') => Unary::Not,
            Some(b'!') => Unary::LogicalNot,
            Some(b'+') => {
                self.lexer.skip(1);
                return self.unary(depth + 1);
            }
            _ => return self.primary(depth),
        };
        self.lexer.skip(1);
        let (operand, height) = self.unary(depth + 1)?;
        self.limit(depth + height, at)?;
        Ok(match operand {
            Expr::Int(value) => (Expr::Int(fold_unary(op, value)), 0),
            operand => (Expr::Unary(op, Box::new(operand)), height + 1),
        })
    }

    fn primary(&mut self, depth: u32) -> Result<(Expr, u32), ExprError> {
        let token = self.lexer.next();
        let error =
            |message: &str| Err(ExprError { range: token.range.clone(), message: message.to_owned() });
        match token.kind {
            Kind::Integer(value) => Ok((Expr::Int(value as i64), 0)),
            Kind::NumericLabel { number, forward } => match self.scope.symbols.numeric(number, forward) {
                Some(symbol) => Ok((Expr::Symbol(symbol, None), 0)),
                None => error("no numeric label of this number before"),
            },
            Kind::Name => self.name(token.range, depth),
            Kind::String => {
                let name = self.lexer.slice(token.range.start + 1..token.range.end - 1);
                let symbol = self.scope.symbols.intern(name);
                Ok((self.reference(symbol, None), 0))
            }
            Kind::Punctuation(open @ (b'(' | b'[')) => {
                let (inner, height) = self.binary(1, depth + 1)?;
                let (close, message) =
                    if open == b'(' { (b')', "expected ')'") } else { (b']', "expected ']'") };
                if !self.lexer.eat(close) {
                    return self.expected(message);
                }
                Ok((inner, height))
            }
            Kind::Real => error("expected an integer expression, found a real number"),
            Kind::Bad(message) => error(message),
            Kind::End => error("expected an expression"),
            Kind::Punctuation(_) => error("expected an expression"),
        }
    }

    fn expected<T>(&mut self, message: &str) -> Result<T, ExprError> {
        let token = self.lexer.peek();
        Err(ExprError { range: token.range, message: message.to_owned() })
    }

    fn name(&mut self, range: Range<usize>, depth: u32) -> Result<(Expr, u32), ExprError> {
        let text = self.lexer.slice(range.clone());
        if text == "." {
            let (section, offset) = self.scope.here;
            return Ok((Expr::Place(section, offset), 0));
        }
        if self.lexer.peek_byte() == Some(b'(') {
            return self.call(text, range, depth);
        }
        let (name, specifier) = match text.split_once('@') {
            None => (text, None),
            Some((name, specifier)) => match Specifier::from_name(specifier) {
                Some(specifier) => (name, Some(specifier)),
                None => {
                    let message = format!("unknown relocation specifier @{specifier}");
                    return Err(ExprError { range, message });
                }
            },
        };
        let symbol = self.scope.symbols.intern(name);
        Ok((self.reference(symbol, specifier), 0))
    }

    fn reference(&self, symbol: SymbolId, specifier: Option<Specifier>) -> Expr {
        match self.scope.symbols.constant(symbol) {
            Some(value) if specifier.is_none() => Expr::Int(value),
            _ => Expr::Symbol(symbol, specifier),
        }
    }

    fn call(&mut self, name: &str, range: Range<usize>, depth: u32) -> Result<(Expr, u32), ExprError> {
        let Some(function) = Function::from_name(name) else {
            return Err(ExprError { message: format!("unknown function {name}"), range });
        };
        let count = function.arity();
        self.lexer.skip(1);
        let mut arguments = Vec::new();
        let mut height = 0;
        loop {
            let (argument, argument_height) = self.binary(1, depth + 1)?;
            arguments.push(argument);
            height = height.max(argument_height);
            if self.lexer.eat(b')') {
                break;
            }
            if !self.lexer.eat(b',') {
                return self.expected("expected ',' or ')'");
            }
        }
        if count.is_some_and(|count| count != arguments.len()) {
            let message = format!("{name} takes {} arguments, not {}", count.unwrap_or(0), arguments.len());
            return Err(ExprError { range, message });
        }
        self.limit(depth + height, range.start)?;
        Ok((Expr::Call(function, arguments), height + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Result<Expr, String> {
        let mut symbols = Symbols::default();
        let mut scope = Scope { symbols: &mut symbols, here: (SectionId(0), 0) };
        parse(&mut Lexer::new(text), &mut scope).map_err(|error| error.message)
    }

    #[test]
    fn precedences_are_llvms() {
        for (text, expected) in [
            ("1+2<<3", 17),
            ("1|2+4", 7),
            ("3==3", -1),
            ("3<4", -1),
            ("3&&4", 1),
            ("!4", 0),
            ("1!2", -3),
            ("-8>>1", 0x7fff_ffff_ffff_fffc),
            ("10%3", 1),
            ("2*(3+4)-1", 13),
            ("1<<63>>63", 1),
            ("~0", -1),
            ("- -5", 5),
            ("5 <> 5", 0),
        ] {
            assert_eq!(value(text), Ok(Expr::Int(expected)), "{text}");
        }
    }

    #[test]
    fn nesting_has_an_end() {
        let deep = "(".repeat(100_000);
        assert_eq!(value(&deep), Err("the expression nests too deeply".to_owned()));
        let long = "a+".repeat(100_000) + "a";
        assert_eq!(value(&long), Err("the expression nests too deeply".to_owned()));
        assert_eq!(value("1/0"), Err("division by zero".to_owned()));
    }
}
