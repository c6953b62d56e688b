//! Integer expressions of assembly text: symbols, literals, C operators; evaluated in 64-bit two's complement
//! as LLVM's assembler does. Used by instruction operands and, in `asm`, by directives.

use std::fmt;

/// An expression that could not be evaluated at once, or has symbols in it.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// A number.
    Int(i64),
    /// A symbol, with the relocation variant behind `@` (`rel32@lo`, `gotpcrel32@hi`, `abs32@lo`…).
    Symbol {
        /// Its name; `.` is the current address.
        name: String,
        /// What follows `@`.
        variant: Option<String>,
    },
    /// `-x`, `~x`, `!x`, `+x`.
    Unary(UnaryOp, Box<Expr>),
    /// `a op b`.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// A function of LLVM's AMDGPU assembler: `max(a, b…)`, `or(…)`, `alignto(a, b)`, `extrasgprs(…)`….
    Call(String, Vec<Expr>),
}

/// Operators of one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // named after their signs
pub enum UnaryOp {
    Neg,
    Not,
    LogicalNot,
    Plus,
}

/// Operators of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // named after their signs
pub enum BinaryOp {
    Mul,
    Div,
    Mod,
    Add,
    Sub,
    Shl,
    Shr,
    And,
    Or,
    Xor,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    LogicalAnd,
    LogicalOr,
}

/// What a symbol stands for while a statement is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolved {
    /// An absolute value.
    Value(i64),
    /// Not known yet, or an address: a fixup must take it.
    Unknown,
}

/// Who knows the symbols.
pub trait SymbolResolver {
    /// What `name` stands for at this point of the source.
    fn resolve(&self, name: &str) -> Resolved;
}

/// A resolver that knows no symbol.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoSymbols;

impl SymbolResolver for NoSymbols {
    fn resolve(&self, _name: &str) -> Resolved {
        Resolved::Unknown
    }
}

impl Expr {
    /// The value, if every symbol in it has one. Division by zero and unknown functions have none.
    pub fn evaluate(&self, symbols: &dyn SymbolResolver) -> Option<i64> {
        match self {
            Expr::Int(value) => Some(*value),
            Expr::Symbol { name, variant: None } => match symbols.resolve(name) {
                Resolved::Value(value) => Some(value),
                Resolved::Unknown => None,
            },
            Expr::Symbol { .. } => None,
            Expr::Unary(op, operand) => {
                let value = operand.evaluate(symbols)?;
                Some(match op {
                    UnaryOp::Neg => value.wrapping_neg(),
                    UnaryOp::Not => !value,
                    UnaryOp::LogicalNot => i64::from(value == 0),
                    UnaryOp::Plus => value,
                })
            }
            Expr::Binary(op, left, right) => apply(*op, left.evaluate(symbols)?, right.evaluate(symbols)?),
            Expr::Call(name, arguments) => {
                let mut values = arguments.iter().map(|argument| argument.evaluate(symbols));
                let first = values.next()??;
                match name.as_str() {
                    "max" => values.try_fold(first, |a, b| Some(a.max(b?))),
                    "or" => values.try_fold(first, |a, b| Some(a | b?)),
                    "alignto" => {
                        let align = values.next()??;
                        (align > 0).then(|| first.checked_add(align - 1).map(|sum| sum / align * align))?
                    }
                    _ => None,
                }
            }
        }
    }
}

/// `left op right`; `None` for a division by zero. Comparisons that hold are −1, as in LLVM's ELF assembler.
fn apply(op: BinaryOp, left: i64, right: i64) -> Option<i64> {
    let truth = |value: bool| if value { -1 } else { 0 };
    Some(match op {
        BinaryOp::Mul => left.wrapping_mul(right),
        BinaryOp::Div => left.checked_div(right)?,
        BinaryOp::Mod => left.checked_rem(right)?,
        BinaryOp::Add => left.wrapping_add(right),
        BinaryOp::Sub => left.wrapping_sub(right),
        BinaryOp::Shl => u32::try_from(right).ok().and_then(|n| left.checked_shl(n)).unwrap_or(0),
        BinaryOp::Shr => {
            u32::try_from(right).ok().and_then(|n| (left as u64).checked_shr(n)).unwrap_or(0) as i64
        }
        BinaryOp::And => left & right,
        BinaryOp::Or => left | right,
        BinaryOp::Xor => left ^ right,
        BinaryOp::Eq => truth(left == right),
        BinaryOp::Ne => truth(left != right),
        BinaryOp::Lt => truth(left < right),
        BinaryOp::Le => truth(left <= right),
        BinaryOp::Gt => truth(left > right),
        BinaryOp::Ge => truth(left >= right),
        BinaryOp::LogicalAnd => i64::from(left != 0 && right != 0),
        BinaryOp::LogicalOr => i64::from(left != 0 || right != 0),
    })
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expr::Int(value) => write!(f, "{value}"),
            Expr::Symbol { name, variant: None } => f.write_str(name),
            Expr::Symbol { name, variant: Some(variant) } => write!(f, "{name}@{variant}"),
            Expr::Unary(op, operand) => {
                let sign = match op {
                    UnaryOp::Neg => "-",
                    UnaryOp::Not => "~",
                    UnaryOp::LogicalNot => "!",
                    UnaryOp::Plus => "+",
                };
                write!(f, "{sign}{operand}")
            }
            Expr::Binary(op, left, right) => write!(f, "({left} {} {right})", op.sign()),
            Expr::Call(name, arguments) => {
                write!(f, "{name}(")?;
                for (n, argument) in arguments.iter().enumerate() {
                    write!(f, "{}{argument}", if n == 0 { "" } else { ", " })?;
                }
                f.write_str(")")
            }
        }
    }
}

/// Sign, operator, precedence (higher binds more; LLVM's `getGNUBinOpPrecedence`), longest signs first.
static BINARY: &[(&str, BinaryOp, u8)] = &[
    ("&&", BinaryOp::LogicalAnd, 2),
    ("||", BinaryOp::LogicalOr, 1),
    ("==", BinaryOp::Eq, 3),
    ("!=", BinaryOp::Ne, 3),
    ("<>", BinaryOp::Ne, 3),
    ("<=", BinaryOp::Le, 3),
    (">=", BinaryOp::Ge, 3),
    ("<<", BinaryOp::Shl, 6),
    (">>", BinaryOp::Shr, 6),
    ("<", BinaryOp::Lt, 3),
    (">", BinaryOp::Gt, 3),
    ("+", BinaryOp::Add, 4),
    ("-", BinaryOp::Sub, 4),
    ("|", BinaryOp::Or, 5),
    ("^", BinaryOp::Xor, 5),
    ("&", BinaryOp::And, 5),
    ("*", BinaryOp::Mul, 6),
    ("/", BinaryOp::Div, 6),
    ("%", BinaryOp::Mod, 6),
];

impl BinaryOp {
    fn sign(self) -> &'static str {
        BINARY.iter().find(|(_, op, _)| *op == self).map_or("?", |(sign, _, _)| sign)
    }

    /// The operator at the beginning of `text` with its length and precedence.
    pub(crate) fn at(text: &str) -> Option<(BinaryOp, usize, u8)> {
        BINARY
            .iter()
            .find(|(sign, _, _)| text.starts_with(sign))
            .map(|&(sign, op, precedence)| (op, sign.len(), precedence))
    }
}
