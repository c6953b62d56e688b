//! Calls, and the intrinsics among them.

use super::convergence::is_controlled;
use super::{Check, Rule};
use crate::analysis::direct_callee;
use crate::constant::ConstKind;
use crate::function::{Body, CallingConvention, Inst, NamedConvention};
use crate::inst::{Call, Callee, Operand};
use crate::intrinsic::{self, Intrinsic};
use crate::module::{Global, GlobalKind};

impl Check<'_> {
    pub(super) fn call(&mut self, body: &Body, inst: Inst, call: &Call) {
        let pointer = match call.callee {
            Callee::Operand(callee) => {
                self.ty(body, callee).is_some_and(|ty| self.types().address_space(ty).is_some())
            }
            Callee::Asm(_) => true,
        };
        self.require(pointer, inst, Rule::Call, "what is called is a function");
        let Some(callee) = direct_callee(self.module, &call.callee) else { return };
        let GlobalKind::Function(function) = &self.module.globals[callee].kind else {
            return;
        };
        let name = || self.module.name(callee);
        if call.function_type != function.ty {
            let (found, wanted) = (self.text(call.function_type), self.text(function.ty));
            let name = name();
            self.at_inst(inst, Rule::Call, format!("@{name} is {wanted}, and is called as {found}"));
        }
        let convention = |spelled: Option<CallingConvention>| {
            spelled.unwrap_or(CallingConvention::Named(NamedConvention::C))
        };
        let agree = convention(call.convention) == convention(function.convention);
        if !agree {
            let name = name();
            let message = format!("@{name} is called by another calling convention than its own");
            self.at_inst(inst, Rule::Call, message);
        }
        self.require(!function.is_kernel(), inst, Rule::Kernel, "a kernel is launched, not called");
        // What an intrinsic is, is said where it is declared.
        let rows = self.rows_of(callee);
        self.controlled |= is_controlled(call, rows.first().map_or("", |row| row.name));
        if let Some(row) = intrinsic::row_of(rows, call) {
            self.intrinsic(inst, call, row);
        }
    }

    /// The rows of an intrinsic; none for what is none.
    fn rows_of(&mut self, callee: Global) -> &'static [Intrinsic] {
        match self.rows[callee] {
            Some(rows) => rows,
            None => {
                let rows = intrinsic::find(&self.module.name(callee)).map_or(&[][..], |(rows, _)| rows);
                self.rows.set(callee, Some(rows));
                rows
            }
        }
    }

    fn intrinsic(&mut self, inst: Inst, call: &Call, row: &'static Intrinsic) {
        if let Some(processor) = self.processor
            && !row.exists_on(processor)
        {
            self.at_inst(inst, Rule::IntrinsicProcessor, format!("{} has no {}", processor.name(), row.name));
        }
        for (index, (param, arg)) in row.params.iter().zip(&call.args).enumerate() {
            let Some(values) = &param.immediate else { continue };
            let number = match arg.value {
                Operand::Const(constant) => match self.module.constants.kind(constant) {
                    ConstKind::Int(value) => value.to_u64(),
                    _ => None,
                },
                _ => None,
            };
            match number {
                None => {
                    let message =
                        format!("operand {} of {} must be a number that is known", index + 1, row.name);
                    self.at_inst(inst, Rule::Immediate, message);
                }
                Some(number) if !values.allow(number) => {
                    let message = format!("operand {} of {} cannot be {number}", index + 1, row.name);
                    self.at_inst(inst, Rule::Immediate, message);
                }
                Some(_) => {}
            }
        }
    }
}
