//! Expressions: every operand has the type that its operator needs.

use super::Verifier;
use crate::dtype::{Dtype, Element};
use crate::expr::{BinaryOp, BufferId, Call, Expr, VarId};

impl Verifier<'_> {
    /// Checks an expression that must be an integer.
    pub(super) fn integer(&mut self, expr: &Expr, role: &str) {
        self.expr(expr);
        if !expr.dtype().is_integer() {
            let text = self.text(expr);
            self.error(format!("{role} is an integer, not {} (`{text}`)", expr.dtype()));
        }
    }

    /// Checks an expression that must be `bool`.
    pub(super) fn boolean(&mut self, expr: &Expr, role: &str) {
        self.expr(expr);
        if expr.dtype() != Dtype::BOOL {
            let text = self.text(expr);
            self.error(format!("{role} is a bool, not {} (`{text}`)", expr.dtype()));
        }
    }

    /// Checks an expression and all inside it.
    pub(super) fn expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Int(value, dtype) => self.constant(*value, *dtype),
            Expr::Float(_, dtype) => {
                if !dtype.is_float() {
                    self.error(format!("a floating-point constant cannot be {dtype}"));
                }
            }
            Expr::Str(text) => self.error(format!("the string {text:?} stands where a value is needed")),
            Expr::Var(id, dtype) => self.var(*id, *dtype),
            Expr::Binary(op, sides) => {
                sides.iter().for_each(|side| self.expr(side));
                self.operands(*op, expr, &sides[0], &sides[1]);
            }
            Expr::Not(inner) => self.boolean(inner, "the operand of `not`"),
            Expr::Select(parts) => {
                let [condition, then, otherwise] = &**parts;
                self.choice("T.Select", condition, then, otherwise);
            }
            Expr::Cast(dtype, inner) => {
                self.expr(inner);
                if *dtype == Dtype::Void || inner.dtype() == Dtype::Void {
                    self.error(format!("{} cannot be converted to {dtype}", inner.dtype()));
                }
            }
            Expr::Load(load) => {
                self.indices(load.buffer, &load.indices, "load from");
                if let Some(buffer) = self.function.buffers.get(load.buffer.0 as usize)
                    && buffer.dtype != load.dtype
                {
                    let (name, dtype) = (&buffer.name, buffer.dtype);
                    self.error(format!("a load from `{name}` is {}, the buffer is {dtype}", load.dtype));
                }
            }
            Expr::Call(call) => self.call(call),
            Expr::Data(id) => self.uses_buffer(*id),
        }
    }

    fn constant(&mut self, value: i64, dtype: Dtype) {
        let (integer, boolean) = (dtype.is_integer(), dtype == Dtype::BOOL);
        // A 64-bit unsigned constant is kept by its bits.
        let wide = dtype == Dtype::Element(Element::U64);
        let fits = match dtype.element() {
            Some(element) if integer && !wide => element.encode_integer(i128::from(value)).is_ok(),
            _ => !boolean || (0..=1).contains(&value),
        };
        if !integer && !boolean {
            self.error(format!("an integer constant cannot be {dtype}"));
        } else if !fits {
            self.error(format!("the constant {value} does not fit {dtype}"));
        }
    }

    fn var(&mut self, id: VarId, dtype: Dtype) {
        let Some(var) = self.function.vars.get(id.0 as usize) else {
            self.error(format!("variable number {} does not exist", id.0));
            return;
        };
        let name = &var.name;
        if var.dtype != dtype {
            self.error(format!("variable `{name}` is {}, and is used as {dtype}", var.dtype));
        }
        if !self.scope.has_var(id) {
            let message = match self.scope.had_var(id) {
                true => format!("variable `{name}` is used outside the statement that defines it"),
                false => format!("variable `{name}` is not defined"),
            };
            self.error(message);
        }
    }

    /// The buffer exists and is visible here.
    pub(super) fn uses_buffer(&mut self, id: BufferId) {
        let Some(buffer) = self.function.buffers.get(id.0 as usize) else {
            self.error(format!("buffer number {} does not exist", id.0));
            return;
        };
        if !self.scope.has_buffer(id) {
            let name = &buffer.name;
            let message = match self.scope.had_buffer(id) {
                true => format!("buffer `{name}` is used outside the block that allocates it"),
                false => format!("buffer `{name}` is not defined"),
            };
            self.error(message);
        }
    }

    /// One index a dimension.
    pub(super) fn rank(&mut self, id: BufferId, indices: usize, role: &str) {
        if let Some(buffer) = self.function.buffers.get(id.0 as usize)
            && buffer.shape.len() != indices
        {
            let dimensions = buffer.shape.len();
            self.error(format!(
                "a {role} {} has {indices} indices, the buffer has {dimensions} dimensions",
                self.buffer_name(id)
            ));
        }
    }

    /// The buffer and the indices of an access.
    pub(super) fn indices(&mut self, id: BufferId, indices: &[Expr], role: &str) {
        self.uses_buffer(id);
        self.rank(id, indices.len(), role);
        for index in indices {
            self.integer(index, "an index");
        }
    }

    fn operands(&mut self, op: BinaryOp, expr: &Expr, left: &Expr, right: &Expr) {
        use BinaryOp::*;
        let (a, b) = (left.dtype(), right.dtype());
        let fits = match op {
            And | Or => a == Dtype::BOOL,
            FloorDiv | FloorMod | Mod | ShiftLeft | ShiftRight => a.is_integer(),
            BitAnd | BitOr | BitXor => a.is_integer() || a == Dtype::BOOL,
            Add | Sub | Mul | Div => a.is_integer() || a.is_float(),
            Min | Max | Lt | Le | Gt | Ge => a.element().is_some(),
            Eq | Ne => a != Dtype::Void,
        };
        if a != b {
            let text = self.text(expr);
            self.error(format!("the operands of `{text}` are {a} and {b}"));
        } else if !fits {
            let text = self.text(expr);
            self.error(format!("`{text}` cannot have operands of type {a}"));
        }
    }

    fn choice(&mut self, what: &str, condition: &Expr, then: &Expr, otherwise: &Expr) {
        self.boolean(condition, &format!("the condition of `{what}`"));
        self.expr(then);
        self.expr(otherwise);
        let (a, b) = (then.dtype(), otherwise.dtype());
        if a != b {
            self.error(format!("the two values of `{what}` are {a} and {b}"));
        }
    }

    fn call(&mut self, call: &Call) {
        match &call.args[..] {
            [condition, then, otherwise] if &*call.op == "if_then_else" => {
                self.choice("T.if_then_else", condition, then, otherwise);
                if then.dtype() != call.dtype {
                    self.error(format!(
                        "`T.if_then_else` is {} and its values are {}",
                        call.dtype,
                        then.dtype()
                    ));
                }
            }
            args if &*call.op == "if_then_else" => {
                self.error(format!("`T.if_then_else` has three arguments, not {}", args.len()));
                self.arguments(args);
            }
            args => self.arguments(args),
        }
    }

    fn arguments(&mut self, args: &[Expr]) {
        args.iter().filter(|arg| !matches!(arg, Expr::Str(_))).for_each(|arg| self.expr(arg));
    }
}
