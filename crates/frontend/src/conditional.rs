//! `if`, `elif` and `else`.

use ruff_python_ast as py;
use wavemark_diag::Span;
use wavemark_tile::{BinaryOp, Dtype, Expr, Stmt};

use crate::context::Parsed;
use crate::function::Builder;
use crate::suite::{Place, Suite};
use crate::value::Value;

impl Builder<'_> {
    pub fn conditional(&mut self, node: &py::StmtIf, suite: &mut Suite) -> Parsed<()> {
        // Read from the first test to the last, built from the last to the first.
        let mut arms: Vec<(Option<&py::Expr>, &[py::Stmt])> = vec![(Some(&node.test), &node.body)];
        arms.extend(node.elif_else_clauses.iter().map(|clause| (clause.test.as_ref(), &clause.body[..])));
        let mut built: Vec<(Expr, Stmt)> = Vec::new();
        let mut otherwise = None;
        let mut failed = None;
        let depth = self.statement_depth;
        for (test, body) in arms {
            let condition = match test {
                None => Value::Bool(true),
                Some(test) => {
                    let span = self.cx.span(test);
                    self.deeper(span)?;
                    match self.value(test) {
                        Ok(Value::Int(value)) => {
                            let message = format!("the condition is the integer {value}");
                            failed = Some(self.cx.error_with(span, message, "expected a bool"));
                            Value::Expr(Expr::bool(true))
                        }
                        Ok(value) => value,
                        Err(reported) => {
                            failed = Some(reported);
                            Value::Expr(Expr::bool(true))
                        }
                    }
                }
            };
            let condition = match (condition, test) {
                (Value::Bool(false), _) => continue,
                // A Python bool decides now; its suite has no scope of its own.
                (Value::Bool(true), _) if built.is_empty() && test.is_some() && failed.is_none() => {
                    self.statement_depth = depth;
                    for statement in body {
                        if let Err(reported) = self.statement(statement, suite) {
                            failed = Some(reported);
                        }
                    }
                    return failed.map_or(Ok(()), Err);
                }
                (Value::Bool(true), _) => None,
                (value, Some(test)) => {
                    let span = self.cx.span(test);
                    match self.condition_of(value, span) {
                        Ok(condition) => Some(condition),
                        Err(reported) => {
                            failed = Some(reported);
                            Some(Expr::bool(true))
                        }
                    }
                }
                (_, None) => None,
            };
            let body = match self.scoped(body, Place::Other) {
                Ok(body) => body,
                Err(reported) => {
                    failed = Some(reported);
                    continue;
                }
            };
            match condition {
                Some(condition) => built.push((condition, body)),
                None => {
                    otherwise = Some(body);
                    break;
                }
            }
        }
        self.statement_depth = depth;
        if let Some(reported) = failed {
            return Err(reported);
        }
        for (condition, then) in built.into_iter().rev() {
            let branch = Stmt::If { condition, then: Box::new(then), otherwise: otherwise.map(Box::new) };
            otherwise = Some(branch);
        }
        if let Some(statement) = otherwise {
            suite.push(statement);
        }
        Ok(())
    }

    /// A value as a condition. TVM takes integers, too; here they are compared with 0.
    fn condition_of(&mut self, value: Value, span: Span) -> Parsed<Expr> {
        let condition = self.expression_of(value, span)?;
        match condition.dtype() {
            Dtype::BOOL => Ok(condition),
            dtype if dtype.is_integer() => Ok(Expr::binary(BinaryOp::Ne, condition, Expr::Int(0, dtype))),
            dtype => {
                Err(self.cx.error_with(span, format!("the condition has type {dtype}"), "expected a bool"))
            }
        }
    }
}
