//! Programs as TVMScript, in either dialect.
//!
//! For: `--emit tile`, and everything that shows a program to its author. The text is the one that TVM's own
//! printer gives for the same program: the new dialect as TVM 0.27 prints it, the old one as TVM up to 0.22 does.
//!
//! Promises: never panics, whatever ids the module has; what it prints for a module that [`crate::verify`] accepts
//! parses back to the same program, here and in TVM. For that it departs from TVM's printer in five places, where
//! TVM's text does not parse or means something else: comparisons of comparisons get parentheses, a `T.attr` with a
//! key that comes twice (two waits) is written as two, strings keep their escapes instead of becoming
//! `metadata[...]`, `unroll=` is written only for `T.serial`, and Python's keywords are no names.
//!
//! Does not: say in the old dialect what it cannot say (a loop's `step`); that text is the new dialect's.

mod buffer;
mod expr;
mod function;
mod names;
mod number;
mod operator;
mod stmt;

use crate::expr::{Expr, VarId};
use crate::function::{Dialect, Function, Module};
use crate::stmt::{For, Region};
use names::{Entity, Names};

/// The module as TVMScript.
///
/// Functions come as TVM prints them: by name, `main` last. Function attributes of the other dialect's namespace
/// (`tir.noalias`, `tirx.noalias`) are renamed when the module was written in the other dialect.
pub fn print(module: &Module, dialect: Dialect) -> String {
    function::module(module, dialect)
}

/// One expression, with the names that its variables were given (made unique among each other).
pub fn print_expr(function: &Function, expr: &Expr, dialect: Dialect) -> String {
    let mut printer = Printer::new(function, dialect, false, "");
    printer.expr(expr);
    printer.out
}

/// One region, such as `B[i, 0:4]`.
pub fn print_region(function: &Function, region: &Region, dialect: Dialect) -> String {
    let mut printer = Printer::new(function, dialect, false, "");
    printer.region(region);
    printer.out
}

/// The text so far, and what is visible where it stands.
struct Printer<'m> {
    function: &'m Function,
    dialect: Dialect,
    /// The module was written in the other dialect.
    converts: bool,
    out: String,
    indentation: usize,
    names: Names,
    /// The enclosing loops.
    loops: Vec<&'m For>,
    /// Declarations of sizes that go before the current line.
    sizes: Vec<String>,
    /// Declarations of what nothing defines, which go before the current statement of the function.
    declarations: Vec<String>,
}

impl<'m> Printer<'m> {
    fn new(function: &'m Function, dialect: Dialect, converts: bool, class: &str) -> Printer<'m> {
        Printer {
            function,
            dialect,
            converts,
            out: String::new(),
            indentation: 1,
            names: Names::new(class),
            loops: Vec::new(),
            sizes: Vec::new(),
            declarations: Vec::new(),
        }
    }

    fn push_all(&mut self, texts: &[&str]) {
        texts.iter().for_each(|text| self.out.push_str(text));
    }

    fn indent(&mut self) {
        for _ in 0..self.indentation {
            self.out.push_str("    ");
        }
    }

    /// A line, after the sizes that it declares.
    fn line(&mut self, content: impl FnOnce(&mut Self)) {
        let text = self.capture(content);
        for size in std::mem::take(&mut self.sizes) {
            self.indent();
            self.push_all(&[&size, "\n"]);
        }
        self.indent();
        self.push_all(&[&text, "\n"]);
    }

    /// Lines that stand one level further in.
    fn suite(&mut self, content: impl FnOnce(&mut Self)) {
        self.indentation += 1;
        content(self);
        self.indentation -= 1;
    }

    /// What `content` writes, without writing it.
    fn capture(&mut self, content: impl FnOnce(&mut Self)) -> String {
        let before = std::mem::take(&mut self.out);
        content(self);
        std::mem::replace(&mut self.out, before)
    }

    /// Puts pending declarations before the statement that starts at `start`, when it is one of the function's.
    fn flush_declarations(&mut self, start: usize) {
        if self.declarations.is_empty() || self.indentation > self.function_level() {
            return;
        }
        let mut text = String::new();
        for declaration in std::mem::take(&mut self.declarations) {
            text.push_str(&"    ".repeat(self.indentation));
            text.push_str(&declaration);
            text.push('\n');
        }
        self.out.insert_str(start, &text);
    }

    /// The indentation of a function's statements.
    fn function_level(&self) -> usize {
        2
    }

    fn define_var(&mut self, id: VarId) -> String {
        let hint = self.function.vars.get(id.0 as usize).map_or("v", |var| &var.name);
        self.names.define(Entity::Var(id), hint)
    }

    /// The dialect's name of a block operation: `sblock_attr` for `block_attr`.
    fn word(&self, old: &'static str) -> &'static str {
        match (self.dialect, old) {
            (Dialect::New, "block") => "sblock",
            (Dialect::New, "block_attr") => "sblock_attr",
            (Dialect::New, "alloc_buffer") => "sblock_alloc_buffer",
            _ => old,
        }
    }

    /// The dialect's name of an attribute.
    fn key(&self, key: &str) -> String {
        let (from, to) = match self.dialect {
            Dialect::New => ("tir.", "tirx."),
            Dialect::Old => ("tirx.", "tir."),
        };
        match key.strip_prefix(from) {
            Some(rest) if self.converts => format!("{to}{rest}"),
            _ => key.into(),
        }
    }
}
