//! Types.

use super::Printer;
use crate::types::{Type, TypeKind};

impl Printer<'_> {
    pub(super) fn ty(&mut self, ty: Type) {
        let types = &self.module.types;
        match types.kind(ty) {
            TypeKind::Void => self.push("void"),
            TypeKind::Half => self.push("half"),
            TypeKind::BFloat => self.push("bfloat"),
            TypeKind::Float => self.push("float"),
            TypeKind::Double => self.push("double"),
            TypeKind::Fp128 => self.push("fp128"),
            TypeKind::Label => self.push("label"),
            TypeKind::Token => self.push("token"),
            TypeKind::Metadata => self.push("metadata"),
            TypeKind::Int(bits) => self.put(format_args!("i{bits}")),
            TypeKind::Pointer(space) => {
                self.push("ptr");
                self.space(*space);
            }
            TypeKind::Vector { element, count, scalable } => {
                self.push(if *scalable { "<vscale x " } else { "<" });
                self.put(format_args!("{count} x "));
                self.ty(*element);
                self.push(">");
            }
            TypeKind::Array { element, count } => {
                self.put(format_args!("[{count} x "));
                self.ty(*element);
                self.push("]");
            }
            TypeKind::Struct { fields, packed } => self.fields(fields, *packed),
            TypeKind::Named(id) => {
                let name = &types.structs[*id].name;
                self.name('%', name);
            }
            TypeKind::Target { name, types, integers } => {
                self.push("target(");
                self.quoted(name.as_bytes());
                for &ty in types {
                    self.push(", ");
                    self.ty(ty);
                }
                for integer in integers {
                    self.put(format_args!(", {integer}"));
                }
                self.push(")");
            }
            TypeKind::Function { result, params, variadic } => {
                self.ty(*result);
                self.push(" (");
                self.separated(params, |printer, &param| printer.ty(param));
                match (variadic, params.is_empty()) {
                    (true, true) => self.push("..."),
                    (true, false) => self.push(", ..."),
                    _ => {}
                }
                self.push(")");
            }
        }
    }

    /// ` addrspace(n)`, if it is not 0.
    pub(super) fn space(&mut self, space: u32) {
        if space != 0 {
            self.put(format_args!(" addrspace({space})"));
        }
    }

    pub(super) fn fields(&mut self, fields: &[Type], packed: bool) {
        let (open, close) = if packed { ("<{", "}>") } else { ("{", "}") };
        self.push(open);
        if !fields.is_empty() {
            self.push(" ");
            self.separated(fields, |printer, &field| printer.ty(field));
            self.push(" ");
        }
        self.push(close);
    }
}
