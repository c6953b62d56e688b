//! What is too large or too deep to parse. Trees are walked and dropped by recursion, so their depth is bounded
//! before they are made: the parser itself takes any.
//!
//! The bound is taken from the tokens: on the way from the top of an expression to any of its leaves there are at
//! most as many nodes as there are operators, dots, calls and brackets since the last comma of each open bracket.

use ruff_python_ast::token::TokenKind;
use ruff_python_parser::{Mode, lexer};

/// How deep a tree of Python may be.
const DEPTH: usize = 1000;

/// How deep statements may nest, blocks, loops and flat scopes (`T.attr({…})` on a line of its own) alike.
pub const STATEMENT_DEPTH: usize = 200;

/// How deep expressions may nest.
pub const EXPRESSION_DEPTH: usize = 200;

/// How large a text may be.
pub const TEXT_BYTES: usize = 64 << 20;

/// The byte where the text gets too deep, when it does.
pub fn too_deep(text: &str) -> Option<usize> {
    let mut lexer = lexer::lex(text, Mode::Module);
    // Per open bracket: the nodes that an expression here may have on one path; the sum over all open ones.
    let mut open: Vec<usize> = vec![0];
    let (mut total, mut indent, mut lines) = (0, 0usize, 0);
    loop {
        match lexer.next_token() {
            TokenKind::EndOfFile => return None,
            TokenKind::Indent => indent += 1,
            TokenKind::Dedent => indent = indent.saturating_sub(1),
            TokenKind::Newline | TokenKind::Semi => {
                open.truncate(1);
                open[0] = 0;
                total = 0;
                lines += 1;
            }
            TokenKind::NonLogicalNewline => lines += 1,
            TokenKind::Lpar | TokenKind::Lsqb | TokenKind::Lbrace | TokenKind::FStringStart => {
                open.push(1);
                total += 1;
            }
            TokenKind::Rpar | TokenKind::Rsqb | TokenKind::Rbrace | TokenKind::FStringEnd => {
                if open.len() > 1 {
                    total -= open.pop().unwrap_or(0);
                }
                // What follows may apply to the bracket as a whole: `f()()()`.
                if let Some(top) = open.last_mut() {
                    *top += 1;
                    total += 1;
                }
            }
            TokenKind::Comma => {
                if let Some(top) = open.last_mut() {
                    total -= *top;
                    *top = usize::from(total > 0);
                    total += *top;
                }
            }
            TokenKind::Name | TokenKind::Int | TokenKind::Float | TokenKind::String | TokenKind::Comment => {}
            _ => {
                if let Some(top) = open.last_mut() {
                    *top += 1;
                    total += 1;
                }
            }
        }
        if total > DEPTH || indent > STATEMENT_DEPTH {
            return Some(line_start(text, lines));
        }
    }
}

fn line_start(text: &str, line: usize) -> usize {
    match line.checked_sub(1) {
        None => 0,
        Some(before) => text.match_indices('\n').nth(before).map_or(0, |(at, _)| at + 1),
    }
}
