//! Instructions.

use super::{Context, Printer};
use crate::function::{Block, Inst, Value};
use crate::inst::{Access, Call, Callee, InstKind, Operand};
use crate::module::Scope;
use crate::opcode::TailKind;

impl Printer<'_> {
    pub(super) fn value(&mut self, context: &Context<'_>, value: Value) {
        self.push("%");
        match &context.body.names[value] {
            Some(name) => self.name_text(name),
            None => self.put(format_args!("{}", context.numbers.values[value])),
        }
    }

    fn block(&mut self, context: &Context<'_>, block: Block) {
        self.push("%");
        match &context.body.blocks[block].name {
            Some(name) => self.name_text(name),
            None => self.put(format_args!("{}", context.numbers.blocks[block])),
        }
    }

    fn label(&mut self, context: &Context<'_>, block: Block) {
        self.push("label ");
        self.block(context, block);
    }

    /// An operand without its type.
    fn operand(&mut self, context: &Context<'_>, operand: Operand) {
        match operand {
            Operand::Value(value) => self.value(context, value),
            Operand::Const(constant) => self.constant(constant),
            Operand::Metadata(metadata) => self.metadata(&context.body.metadata[metadata], Some(context)),
        }
    }

    /// An operand behind its type.
    fn typed(&mut self, context: &Context<'_>, operand: Operand) {
        if let Some(ty) = operand.ty(context.body, &self.module.constants) {
            self.ty(ty);
            self.push(" ");
        }
        self.operand(context, operand);
    }

    fn typed_list(&mut self, context: &Context<'_>, operands: &[Operand]) {
        self.separated(operands, |printer, &operand| printer.typed(context, operand));
    }

    /// ` ty a, b`.
    fn pair(&mut self, context: &Context<'_>, lhs: Operand, rhs: Operand) {
        self.push(" ");
        self.typed(context, lhs);
        self.push(", ");
        self.operand(context, rhs);
    }

    fn scope(&mut self, scope: Scope) {
        if scope.0 != 0 {
            self.push(" syncscope(");
            self.quoted(self.module.scope(scope).as_bytes());
            self.push(")");
        }
    }

    /// What follows the operands of an access: scope, ordering and alignment.
    fn access(&mut self, access: &Access) {
        if let Some(ordering) = access.ordering {
            self.scope(access.scope);
            self.put(format_args!(" {ordering}"));
        }
        self.align(access.align);
    }

    fn align(&mut self, align: Option<u64>) {
        if let Some(align) = align {
            self.put(format_args!(", align {align}"));
        }
    }

    fn access_words(&mut self, access: &Access) {
        if access.ordering.is_some() {
            self.push(" atomic");
        }
        if access.volatile {
            self.push(" volatile");
        }
    }

    pub(super) fn inst(&mut self, context: &Context<'_>, inst: Inst) {
        let data = &context.body.insts[inst];
        if let Some(result) = data.result {
            self.value(context, result);
            self.push(" = ");
        }
        if !matches!(data.kind, InstKind::Call(_)) {
            self.push(data.kind.mnemonic());
        }
        match &data.kind {
            InstKind::FNeg { flags, value } => {
                self.flags(*flags);
                self.push(" ");
                self.typed(context, *value);
            }
            InstKind::Binary { flags, lhs, rhs, .. } => {
                self.flags(*flags);
                self.pair(context, *lhs, *rhs);
            }
            InstKind::Cast { flags, value, .. } => {
                self.flags(*flags);
                self.push(" ");
                self.typed(context, *value);
                self.push(" to ");
                self.ty(data.ty);
            }
            InstKind::ICmp { flags, predicate, lhs, rhs } => {
                self.flags(*flags);
                self.put(format_args!(" {predicate}"));
                self.pair(context, *lhs, *rhs);
            }
            InstKind::FCmp { flags, predicate, lhs, rhs } => {
                self.flags(*flags);
                self.put(format_args!(" {predicate}"));
                self.pair(context, *lhs, *rhs);
            }
            InstKind::Select { flags, condition, then, otherwise } => {
                self.flags(*flags);
                self.push(" ");
                self.typed_list(context, &[*condition, *then, *otherwise]);
            }
            InstKind::Phi { flags, incoming } => {
                self.flags(*flags);
                self.push(" ");
                self.ty(data.ty);
                self.push(" ");
                self.separated(incoming, |printer, &(value, block)| {
                    printer.push("[ ");
                    printer.operand(context, value);
                    printer.push(", ");
                    printer.block(context, block);
                    printer.push(" ]");
                });
            }
            InstKind::Freeze { value } => {
                self.push(" ");
                self.typed(context, *value);
            }
            InstKind::ExtractElement { vector, index } => {
                self.push(" ");
                self.typed_list(context, &[*vector, *index]);
            }
            InstKind::InsertElement { vector, value, index } => {
                self.push(" ");
                self.typed_list(context, &[*vector, *value, *index]);
            }
            InstKind::ShuffleVector { lhs, rhs, mask } => {
                self.push(" ");
                self.typed_list(context, &[*lhs, *rhs, Operand::Const(*mask)]);
            }
            InstKind::ExtractValue { aggregate, indices } => {
                self.push(" ");
                self.typed(context, *aggregate);
                for index in indices {
                    self.put(format_args!(", {index}"));
                }
            }
            InstKind::InsertValue { aggregate, value, indices } => {
                self.push(" ");
                self.typed_list(context, &[*aggregate, *value]);
                for index in indices {
                    self.put(format_args!(", {index}"));
                }
            }
            InstKind::Alloca(alloca) => {
                self.push(" ");
                self.ty(alloca.ty);
                if let Some(count) = alloca.count {
                    self.push(", ");
                    self.typed(context, count);
                }
                self.align(alloca.align);
                if alloca.address_space != 0 {
                    self.put(format_args!(", addrspace({})", alloca.address_space));
                }
            }
            InstKind::Load { access, pointer } => {
                self.access_words(access);
                self.push(" ");
                self.ty(data.ty);
                self.push(", ");
                self.typed(context, *pointer);
                self.access(access);
            }
            InstKind::Store { access, value, pointer } => {
                self.access_words(access);
                self.push(" ");
                self.typed_list(context, &[*value, *pointer]);
                self.access(access);
            }
            InstKind::Fence { ordering, scope } => {
                self.scope(*scope);
                self.put(format_args!(" {ordering}"));
            }
            InstKind::Rmw { access, op, pointer, value } => {
                self.push(if access.volatile { " volatile " } else { " " });
                self.put(format_args!("{op} "));
                self.typed_list(context, &[*pointer, *value]);
                self.access(access);
            }
            InstKind::CmpXchg(exchange) => {
                self.push(if exchange.weak { " weak" } else { "" });
                self.push(if exchange.access.volatile { " volatile " } else { " " });
                self.typed_list(context, &[exchange.pointer, exchange.expected, exchange.replacement]);
                self.access(&Access { align: None, ..exchange.access });
                self.put(format_args!(" {}", exchange.failure));
                self.align(exchange.access.align);
            }
            InstKind::Gep { flags, range, source, base, indices } => {
                self.gep_flags(*flags, range.as_deref());
                self.push(" ");
                self.ty(*source);
                self.push(", ");
                self.typed(context, *base);
                for &index in indices {
                    self.push(", ");
                    self.typed(context, index);
                }
            }
            InstKind::Call(call) => self.call(context, call),
            InstKind::Ret { value } => match value {
                Some(value) => {
                    self.push(" ");
                    self.typed(context, *value);
                }
                None => self.push(" void"),
            },
            InstKind::Br { target } => {
                self.push(" ");
                self.label(context, *target);
            }
            InstKind::CondBr { condition, then, otherwise } => {
                self.push(" ");
                self.typed(context, *condition);
                self.push(", ");
                self.label(context, *then);
                self.push(", ");
                self.label(context, *otherwise);
            }
            InstKind::Switch { value, default, cases } => {
                self.push(" ");
                self.typed(context, *value);
                self.push(", ");
                self.label(context, *default);
                self.push(" [\n");
                for (case, target) in cases {
                    self.push("    ");
                    self.typed_const(*case);
                    self.push(", ");
                    self.label(context, *target);
                    self.push("\n");
                }
                self.push("  ]");
            }
            InstKind::Unreachable => {}
        }
    }

    fn call(&mut self, context: &Context<'_>, call: &Call) {
        if call.tail != TailKind::None {
            self.put(format_args!("{} ", call.tail));
        }
        self.push("call");
        self.flags(call.flags);
        self.push(" ");
        self.convention(call.convention, " ");
        for attribute in call.result_attributes.own() {
            self.attribute(attribute, false);
            self.push(" ");
        }
        // The pointer's address space, then the type of the result or, of a variadic function, all of it.
        if let Callee::Operand(callee) = call.callee
            && let Some(space) = callee
                .ty(context.body, &self.module.constants)
                .and_then(|ty| self.module.types.address_space(ty))
            && space != 0
        {
            self.put(format_args!("addrspace({space}) "));
        }
        match self.module.types.kind(call.function_type) {
            crate::types::TypeKind::Function { result, variadic: false, .. } => self.ty(*result),
            _ => self.ty(call.function_type),
        }
        self.push(" ");
        match &call.callee {
            Callee::Operand(callee) => self.operand(context, *callee),
            Callee::Asm(asm) => {
                self.push("asm ");
                if asm.side_effect {
                    self.push("sideeffect ");
                }
                for flag in &asm.flags {
                    self.put(format_args!("{flag} "));
                }
                self.quoted(&asm.text);
                self.push(", ");
                self.quoted(&asm.constraints);
            }
        }
        self.push("(");
        self.separated(&call.args, |printer, arg| {
            printer.ty(arg.ty);
            printer.attributes(&arg.attributes);
            printer.push(" ");
            printer.operand(context, arg.value);
        });
        self.push(")");
        self.attributes(&call.attributes);
        if !call.bundles.is_empty() {
            self.push(" [ ");
            self.separated(&call.bundles, |printer, bundle| {
                printer.quoted(&bundle.tag);
                printer.push("(");
                printer.separated(&bundle.operands, |printer, &(_, operand)| printer.typed(context, operand));
                printer.push(")");
            });
            self.push(" ]");
        }
    }
}
