//! Expressions.

use super::Printer;
use super::names::Entity;
use super::number::{float, quote};
use super::operator::{folds, precedence, spelling};
use crate::dtype::Dtype;
use crate::expr::{BinaryOp, BufferId, Call, Expr, VarId};
use crate::function::Dialect;

/// Intrinsics whose result type is their first argument in the text.
const DTYPE_FIRST: [&str; 13] = [
    "call_extern",
    "call_pure_extern",
    "call_llvm_intrin",
    "call_llvm_pure_intrin",
    "type_annotation",
    "reinterpret",
    "vectorhigh",
    "vectorlow",
    "vectorcombine",
    "dp4a",
    "get_active_lane_mask",
    "s_tir.cp_async_raw",
    "ptx_cp_async",
];

/// Intrinsics whose result type is their first argument in the old dialect only.
const DTYPE_FIRST_OLD: [&str; 6] =
    ["ptx_ldmatrix", "ptx_mma", "ptx_mma_sp", "mma_store", "mma_fill", "ptx_cp_async_bulk"];

impl Printer<'_> {
    /// The expression, in parentheses when it binds more loosely than `at_least`.
    pub(super) fn expr_within(&mut self, expr: &Expr, at_least: u8) {
        if self.binding(expr) < at_least {
            self.out.push('(');
            self.expr(expr);
            self.out.push(')');
        } else {
            self.expr(expr);
        }
    }

    /// The expression.
    pub(super) fn expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Int(value, dtype) => self.int(*value, *dtype),
            Expr::Float(value, dtype) => {
                let text = float(*value, self.dialect);
                self.push_all(&["T.", dtype.name(), "(", &text, ")"]);
            }
            Expr::Str(text) => self.out.push_str(&quote(text)),
            Expr::Var(id, dtype) => self.var(*id, *dtype),
            Expr::Binary(op, sides) => self.binary(*op, &sides[0], &sides[1]),
            Expr::Not(inner) => {
                self.out.push_str("not ");
                self.expr_within(inner, precedence::NOT);
            }
            Expr::Select(parts) => {
                self.out.push_str("T.Select");
                self.arguments(&parts[..]);
            }
            Expr::Cast(dtype, inner) => {
                self.push_all(&["T.Cast(\"", dtype.name(), "\", "]);
                self.expr(inner);
                self.out.push(')');
            }
            Expr::Load(load) => {
                self.buffer(load.buffer);
                self.indices(&load.indices);
            }
            Expr::Call(call) => self.call(call),
            Expr::Data(buffer) => {
                self.buffer(*buffer);
                self.out.push_str(".data");
            }
        }
    }

    /// How tightly the text of the expression binds.
    fn binding(&self, expr: &Expr) -> u8 {
        match expr {
            Expr::Binary(op, sides) => {
                self.symbol(*op, &sides[0], &sides[1]).map_or(precedence::ATOM, |s| s.1)
            }
            Expr::Not(_) => precedence::NOT,
            Expr::Call(call) if self.is_inversion(call) && !is_literal(&call.args[0]) => precedence::UNARY,
            _ => precedence::ATOM,
        }
    }

    /// The symbol that writes this node, and its precedence; `None` where only the constructor gives it back.
    fn symbol(&self, op: BinaryOp, left: &Expr, right: &Expr) -> Option<(&'static str, u8)> {
        if folds(op, left, right) { None } else { spelling(op, self.dialect).symbol }
    }

    fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr) {
        let Some((symbol, binding)) = self.symbol(op, left, right) else {
            self.push_all(&["T.", spelling(op, self.dialect).constructor, "("]);
            self.expr(left);
            self.out.push_str(", ");
            self.expr(right);
            self.out.push(')');
            return;
        };
        // Python would read `a < b == c` as a chain: TVM's printer leaves the parentheses out and the text does
        // not parse.
        let left_binding = if binding == precedence::COMPARISON { binding + 1 } else { binding };
        self.expr_within(left, left_binding);
        self.push_all(&[" ", symbol, " "]);
        self.expr_within(right, binding + 1);
    }

    /// `~x`, which the new dialect has a node for.
    pub(super) fn is_inversion(&self, call: &Call) -> bool {
        self.dialect == Dialect::New && &*call.op == "bitwise_not" && call.args.len() == 1
    }

    fn call(&mut self, call: &Call) {
        if self.is_inversion(call) {
            if is_literal(&call.args[0]) {
                self.out.push_str("T.BitwiseNot");
                self.arguments(&call.args);
            } else {
                self.out.push('~');
                self.expr_within(&call.args[0], precedence::UNARY);
            }
            return;
        }
        self.push_all(&["T.", &call.op, "("]);
        let old = self.dialect == Dialect::Old;
        let mut separator = "";
        if DTYPE_FIRST.contains(&&*call.op) || old && DTYPE_FIRST_OLD.contains(&&*call.op) {
            self.call_dtype(call.dtype);
            separator = ", ";
        }
        for arg in self.shown_arguments(call) {
            self.out.push_str(separator);
            self.expr(arg);
            separator = ", ";
        }
        if &*call.op == "tvm_struct_get" {
            self.out.push_str(separator);
            self.call_dtype(call.dtype);
        }
        self.out.push(')');
    }

    /// The new dialect gives `tvm_storage_sync` two arguments that the old one does not have.
    fn shown_arguments<'c>(&self, call: &'c Call) -> &'c [Expr] {
        match &call.args[..] {
            [scope, leader, blocks]
                if self.dialect == Dialect::Old
                    && &*call.op == "tvm_storage_sync"
                    && leader.is_false()
                    && blocks.as_int() == Some(-1) =>
            {
                std::slice::from_ref(scope)
            }
            args => args,
        }
    }

    fn call_dtype(&mut self, dtype: Dtype) {
        match (dtype, self.dialect) {
            (Dtype::Handle, Dialect::New) => self.out.push_str("T.handle().ty"),
            _ => self.push_all(&["\"", dtype.name(), "\""]),
        }
    }

    fn int(&mut self, value: i64, dtype: Dtype) {
        match dtype {
            Dtype::BOOL => self.out.push_str(if value == 0 { "T.bool(False)" } else { "T.bool(True)" }),
            Dtype::INT32 => self.out.push_str(&value.to_string()),
            _ => self.push_all(&["T.", dtype.name(), "(", &value.to_string(), ")"]),
        }
    }

    /// A variable; one that nothing defines is declared at the top of the function, as TVM does.
    fn var(&mut self, id: VarId, dtype: Dtype) {
        if let Some(text) = self.names.get(Entity::Var(id)) {
            self.out.push_str(text);
            return;
        }
        let hint = self.function.vars.get(id.0 as usize).map_or("v", |var| &var.name);
        let name = self.names.define_outermost(Entity::Var(id), hint);
        self.declarations.push(format!("{name} = T.{}()", dtype.name()));
        self.out.push_str(&name);
    }

    /// A buffer; one that nothing defines is declared at the top of the function.
    pub(super) fn buffer(&mut self, id: BufferId) {
        if let Some(text) = self.names.get(Entity::Buffer(id)) {
            self.out.push_str(text);
            return;
        }
        let hint = self.function.buffers.get(id.0 as usize).map_or("buffer", |buffer| &buffer.name);
        let name = self.names.define_outermost(Entity::Buffer(id), hint);
        if let Some(buffer) = self.function.buffers.get(id.0 as usize) {
            let declaration = self.capture(|printer| printer.buffer_call("Buffer", None, buffer, id, false));
            self.declarations.push(format!("{name} = {declaration}"));
        }
        self.out.push_str(&name);
    }

    /// `[i, j]` after a buffer.
    pub(super) fn indices(&mut self, indices: &[Expr]) {
        self.out.push('[');
        if indices.is_empty() {
            self.out.push_str("()");
        }
        self.separated(indices);
        self.out.push(']');
    }

    /// `(a, b)` after a function.
    pub(super) fn arguments(&mut self, arguments: &[Expr]) {
        self.out.push('(');
        self.separated(arguments);
        self.out.push(')');
    }

    /// `(a, b)` as a tuple: `(a,)` when it is one.
    pub(super) fn tuple(&mut self, items: &[Expr]) {
        self.out.push('(');
        self.separated(items);
        self.out.push_str(if items.len() == 1 { ",)" } else { ")" });
    }

    fn separated(&mut self, items: &[Expr]) {
        for (position, item) in items.iter().enumerate() {
            if position > 0 {
                self.out.push_str(", ");
            }
            self.expr(item);
        }
    }
}

/// A constant that Python sees as one, and would fold.
fn is_literal(expr: &Expr) -> bool {
    matches!(expr, Expr::Int(_, Dtype::INT32))
}
