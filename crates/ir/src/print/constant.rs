//! Constants.

use super::Printer;
use crate::constant::{Const, ConstKind, Expr};
use crate::float;
use crate::opcode::Flags;
use crate::types::TypeKind;

impl Printer<'_> {
    pub(super) fn typed_const(&mut self, constant: Const) {
        self.ty(self.module.constants.ty(constant));
        self.push(" ");
        self.constant(constant);
    }

    pub(super) fn constant(&mut self, constant: Const) {
        let module = self.module;
        let ty = module.constants.ty(constant);
        match module.constants.kind(constant) {
            ConstKind::Int(value) => match module.types.int_bits(ty) {
                Some(1) => self.push(if value.low() != 0 { "true" } else { "false" }),
                bits => self.push(&value.to_decimal(bits.unwrap_or(64))),
            },
            ConstKind::Float(bits) => {
                if let Some(format) = crate::float_format(&module.types, ty) {
                    self.push(&float::print(format, *bits));
                }
            }
            ConstKind::Null => self.push("null"),
            ConstKind::None => self.push("none"),
            ConstKind::Undef => self.push("undef"),
            ConstKind::Poison => self.push("poison"),
            ConstKind::Zero => self.push("zeroinitializer"),
            ConstKind::Aggregate(parts) => {
                let (open, close) = match module.types.kind(ty) {
                    TypeKind::Vector { .. } => ("<", ">"),
                    TypeKind::Array { .. } => ("[", "]"),
                    _ => match module.types.fields(ty) {
                        Some((_, true)) => ("<{ ", " }>"),
                        Some((fields, false)) if fields.is_empty() => ("{", "}"),
                        _ => ("{ ", " }"),
                    },
                };
                self.push(open);
                self.separated(parts, |printer, &part| printer.typed_const(part));
                self.push(close);
            }
            ConstKind::Splat(element) => match module.constants.kind(*element) {
                ConstKind::Int(_) | ConstKind::Float(_) => {
                    self.push("splat (");
                    self.typed_const(*element);
                    self.push(")");
                }
                // LLVM before 23 reads no other splats.
                _ => {
                    let count = module.types.lanes(ty).unwrap_or(0);
                    self.push("<");
                    self.separated(0..count, |printer, _| printer.typed_const(*element));
                    self.push(">");
                }
            },
            ConstKind::Bytes(bytes) => {
                self.push("c");
                self.quoted(bytes);
            }
            ConstKind::Global(global) => self.name('@', &module.globals[*global].name),
            ConstKind::Expr(expr) => self.expr(expr, ty),
        }
    }

    fn expr(&mut self, expr: &Expr, ty: crate::types::Type) {
        let operands: &[Const] = match expr {
            Expr::Cast { op, value } => {
                self.put(format_args!("{op} ("));
                self.typed_const(*value);
                self.push(" to ");
                self.ty(ty);
                self.push(")");
                return;
            }
            Expr::Gep { flags, range, source, base, indices } => {
                self.push("getelementptr");
                self.gep_flags(*flags, range.as_ref());
                self.push(" (");
                self.ty(*source);
                self.push(", ");
                self.separated(std::iter::once(base).chain(indices), |printer, &each| {
                    printer.typed_const(each)
                });
                self.push(")");
                return;
            }
            Expr::Binary { op, flags, lhs, rhs } => {
                self.push(op.name());
                self.flags(*flags);
                &[*lhs, *rhs]
            }
            Expr::ExtractElement { vector, index } => {
                self.push("extractelement");
                &[*vector, *index]
            }
            Expr::InsertElement { vector, value, index } => {
                self.push("insertelement");
                &[*vector, *value, *index]
            }
            Expr::ShuffleVector { lhs, rhs, mask } => {
                self.push("shufflevector");
                &[*lhs, *rhs, *mask]
            }
        };
        self.push(" (");
        self.separated(operands, |printer, &each| printer.typed_const(each));
        self.push(")");
    }

    /// Flags, each behind a blank.
    pub(super) fn flags(&mut self, flags: Flags) {
        if flags.contains(Flags::FAST_MATH) {
            self.push(" fast");
            return self.flags(flags - Flags::FAST_MATH);
        }
        for (flag, name) in Flags::NAMES {
            if flags.contains(*flag) {
                self.put(format_args!(" {name}"));
            }
        }
    }

    pub(super) fn gep_flags(
        &mut self,
        flags: Flags,
        range: Option<&(crate::integer::Integer, crate::integer::Integer)>,
    ) {
        let implied = if flags.contains(Flags::INBOUNDS) { Flags::NUSW } else { Flags::empty() };
        for (flag, name) in [(Flags::INBOUNDS, " inbounds"), (Flags::NUSW, " nusw"), (Flags::NUW, " nuw")] {
            if (flags - implied).contains(flag) {
                self.push(name);
            }
        }
        if let Some((low, high)) = range {
            self.put(format_args!(" inrange({}, {})", low.to_decimal(64), high.to_decimal(64)));
        }
    }
}
