//! Prints a module as text that LLVM 22 to 24 read.
//!
//! Promises: reading the text gives the same module, and printing that gives the same text. Numbers of values are new,
//! those of metadata, attribute groups and types are kept. Order: properties, types, comdats, variables, aliases,
//! functions, attribute groups, metadata; within each that of the module. Where LLVM 22 and 24 spell differently, this is
//! LLVM 22's spelling, which the later ones read.

mod attribute;
mod constant;
mod function;
mod global;
mod inst;
mod metadata;
mod names;
mod types;

use std::fmt::Write as _;

use crate::function::{Block, Body, Inst, Value};
use crate::module::Module;
use crate::types::Type;

/// The text of a module.
pub fn print(module: &Module) -> String {
    let mut printer = Printer::new(module);
    printer.module();
    printer.out
}

/// The text of an instruction of `body`, without what is attached to it.
pub fn print_inst(module: &Module, body: &Body, inst: Inst) -> String {
    let mut printer = Printer::new(module);
    let numbers = Numbers::of(body);
    printer.inst(&Context { body, numbers: &numbers }, inst);
    printer.out
}

/// The text of a type.
pub fn type_text(module: &Module, ty: Type) -> String {
    let mut printer = Printer::new(module);
    printer.ty(ty);
    printer.out
}

struct Printer<'m> {
    module: &'m Module,
    out: String,
}

/// A body with the numbers of what has no name in it.
struct Context<'b> {
    body: &'b Body,
    numbers: &'b Numbers,
}

/// The numbers of values and blocks without a name, in the order of the text.
struct Numbers {
    values: crate::entity::Table<Value, u32>,
    blocks: crate::entity::Table<Block, u32>,
}

impl Numbers {
    fn of(body: &Body) -> Numbers {
        let mut numbers = Numbers { values: Default::default(), blocks: Default::default() };
        let mut next = 0;
        let mut number = || {
            next += 1;
            next - 1
        };
        for &value in &body.params {
            if body.names[value].is_none() {
                numbers.values.set(value, number());
            }
        }
        for &block in &body.order {
            if body.blocks[block].name.is_none() {
                numbers.blocks.set(block, number());
            }
            for &inst in &body.blocks[block].insts {
                if let Some(value) = body.insts[inst].result
                    && body.names[value].is_none()
                {
                    numbers.values.set(value, number());
                }
            }
        }
        numbers
    }
}

impl<'m> Printer<'m> {
    fn new(module: &'m Module) -> Printer<'m> {
        Printer { module, out: String::new() }
    }

    fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// Prints what `format_args!` makes; writing to a string does not fail.
    fn put(&mut self, arguments: std::fmt::Arguments<'_>) {
        let _ = self.out.write_fmt(arguments);
    }

    /// Calls `item` for each, with `, ` between.
    fn separated<T>(&mut self, items: impl IntoIterator<Item = T>, mut item: impl FnMut(&mut Self, T)) {
        for (index, each) in items.into_iter().enumerate() {
            if index > 0 {
                self.push(", ");
            }
            item(self, each);
        }
    }
}
