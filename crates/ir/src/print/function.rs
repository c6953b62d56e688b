//! Functions: heads, blocks, debug records.

use super::{Context, Numbers, Printer};
use crate::function::{CallingConvention, Function};
use crate::module::GlobalData;

impl Printer<'_> {
    pub(super) fn function(&mut self, data: &GlobalData, function: &Function) {
        let numbers = function.body.as_ref().map(Numbers::of);
        let context =
            function.body.as_ref().zip(numbers.as_ref()).map(|(body, numbers)| Context { body, numbers });
        if context.is_some() {
            self.push("define ");
        } else {
            self.push("declare");
            self.attachments(&data.attachments, " ");
            self.push(" ");
        }
        self.head_words(data);
        self.convention(function.convention, " ");
        for attribute in function.result_attributes.own() {
            self.attribute(attribute, false);
            self.push(" ");
        }
        self.ty(function.result);
        self.push(" ");
        self.name('@', &data.name);
        self.push("(");
        self.separated(function.params.iter().enumerate(), |printer, (index, param)| {
            printer.ty(param.ty);
            printer.attributes(&param.attributes);
            match (&context, &param.name) {
                (Some(context), _) => {
                    printer.push(" ");
                    printer.value(context, context.body.params[index]);
                }
                (None, Some(name)) => {
                    printer.push(" %");
                    printer.name_text(name);
                }
                _ => {}
            }
        });
        if function.variadic {
            self.push(if function.params.is_empty() { "..." } else { ", ..." });
        }
        self.push(")");
        if let Some(unnamed) = data.unnamed_addr {
            self.put(format_args!(" {unnamed}"));
        }
        self.space(data.address_space);
        self.attributes(&function.attributes);
        self.placement(data, " ");
        if let Some(collector) = &function.collector {
            self.push(" gc ");
            self.quoted(collector);
        }
        let constants = [
            ("prefix", function.prefix),
            ("prologue", function.prologue),
            ("personality", function.personality),
        ];
        for (word, constant) in constants {
            if let Some(constant) = constant {
                self.put(format_args!(" {word} "));
                self.typed_const(constant);
            }
        }
        match &context {
            Some(context) => {
                self.attachments(&data.attachments, " ");
                self.push(" {\n");
                self.body(context);
                self.push("}\n");
            }
            None => self.push("\n"),
        }
    }

    /// A calling convention, if one is spelled, and what follows it.
    pub(super) fn convention(&mut self, convention: Option<CallingConvention>, after: &str) {
        match convention {
            Some(CallingConvention::Named(named)) => self.put(format_args!("{named}{after}")),
            Some(CallingConvention::Number(number)) => self.put(format_args!("cc {number}{after}")),
            None => {}
        }
    }

    fn body(&mut self, context: &Context<'_>) {
        for (index, &block) in context.body.order.iter().enumerate() {
            let data = &context.body.blocks[block];
            if index > 0 {
                self.push("\n");
            }
            match &data.name {
                Some(name) => {
                    self.name_text(name);
                    self.push(":\n");
                }
                // The entry has its number without saying it.
                None if index > 0 => self.put(format_args!("{}:\n", context.numbers.blocks[block])),
                None => {}
            }
            for &inst in &data.insts {
                for record in &context.body.records[inst] {
                    self.put(format_args!("    #dbg_{}(", record.kind));
                    self.separated(&record.operands, |printer, operand| {
                        printer.metadata(operand, Some(context))
                    });
                    self.push(")\n");
                }
                self.push("  ");
                self.inst(context, inst);
                self.attachments(&context.body.attachments[inst], ", ");
                self.push("\n");
            }
        }
    }
}
