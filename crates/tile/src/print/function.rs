//! Modules and functions: headers, parameters and the root block.

use rustc_hash::FxHashSet;

use super::Printer;
use super::buffer::{Quoting, declared_here, is_simple, lookup, variables};
use super::names::{Entity, identifier};
use crate::dtype::Dtype;
use crate::expr::{BufferId, VarId};
use crate::function::{Dialect, Function, Module, Param, Var};
use crate::stmt::{Annotations, Block, Stmt};

/// The whole text of a module, without a newline at the end.
pub(super) fn module(module: &Module, dialect: Dialect) -> String {
    let mut functions: Vec<&Function> = module.functions.iter().collect();
    functions.sort_by(|a, b| (a.name == "main", &a.name).cmp(&(b.name == "main", &b.name)));
    let class = identifier(&module.name, "Module");

    let mut type_vars: Vec<String> = Vec::new();
    let mut bodies = String::new();
    for (position, function) in functions.iter().enumerate() {
        let mut printer = Printer::new(function, dialect, module.dialect != dialect, &class);
        for name in printer.whole(position > 0) {
            if !type_vars.contains(&name) {
                type_vars.push(name);
            }
        }
        bodies.push_str(&printer.out);
    }

    let mut out = String::new();
    if !type_vars.is_empty() {
        out.push_str("# from typing import TypeVar\n");
    }
    out.push_str("# from tvm.script import ir as I\n");
    if !functions.is_empty() {
        out.push_str(match dialect {
            Dialect::New => "# from tvm.script import tirx as T\n# from tvm.tirx.layout import Axis\n",
            Dialect::Old => "# from tvm.script import tir as T\n",
        });
    }
    out.push('\n');
    for name in &type_vars {
        out.push_str(&format!("{name} = TypeVar(\"{name}\")\n"));
    }
    out.push_str(&format!("@I.ir_module\nclass {class}:\n"));
    out.push_str(&module_attributes(module, dialect));
    out.push_str(&bodies);
    if functions.is_empty() && module.attributes.is_empty() {
        out.push_str("    pass\n");
    }
    out.truncate(out.trim_end().len());
    out
}

fn module_attributes(module: &Module, dialect: Dialect) -> String {
    if module.attributes.is_empty() {
        return String::new();
    }
    let empty = Function {
        name: String::new(),
        private: false,
        params: Vec::new(),
        vars: Vec::new(),
        buffers: Vec::new(),
        attributes: Annotations::new(),
        body: Stmt::nop(),
        span: None,
    };
    let mut printer = Printer::new(&empty, dialect, module.dialect != dialect, "");
    printer.line(|printer| {
        printer.out.push_str("I.module_attrs(");
        printer.annotations(&module.attributes);
        printer.out.push(')');
    });
    printer.out
}

impl<'m> Printer<'m> {
    /// The function with its decorator; gives the names of its type variables.
    fn whole(&mut self, separate: bool) -> Vec<String> {
        let function = self.function;
        if separate {
            self.out.push('\n');
        }
        let decorator = match (self.dialect, function.private) {
            (Dialect::New, false) => "@T.prim_func(s_tir=True)",
            (Dialect::New, true) => "@T.prim_func(private=True, s_tir=True)",
            (Dialect::Old, false) => "@T.prim_func",
            (Dialect::Old, true) => "@T.prim_func(private=True)",
        };
        self.line(|printer| printer.out.push_str(decorator));
        self.names.push();
        let type_vars = self.type_vars();
        let type_names: Vec<String> = type_vars.iter().map(|var| self.define_var(*var)).collect();
        let name = identifier(&function.name, "main");
        self.indent();
        self.push_all(&["def ", &name, "("]);
        let handles = match self.dialect {
            Dialect::New => self.parameters_new(&type_vars),
            Dialect::Old => self.parameters_old(),
        };
        self.out.push_str("):\n");
        self.indentation += 1;
        self.flush_sizes();
        self.flush_declarations(self.out.len());
        if !function.attributes.is_empty() {
            self.line(|printer| {
                printer.out.push_str("T.func_attr(");
                printer.annotations(&function.attributes);
                printer.out.push(')');
            });
        }
        for (id, handle) in handles {
            let Some(buffer) = lookup(function, id) else { continue };
            let start = self.out.len();
            self.line(|printer| {
                let name = printer.names.define(Entity::Buffer(id), &buffer.name);
                printer.push_all(&[&name, " = "]);
                printer.buffer_call("match_buffer", Some(&handle), buffer, id, false);
            });
            self.flush_declarations(start);
        }
        match &function.body {
            Stmt::Block(root) if is_implicit(root) => {
                let word = self.word("block");
                self.line(|printer| printer.push_all(&["# with T.", word, "(\"root\"):"]));
                let start = self.out.len();
                self.allocations(&root.alloc_buffers);
                self.flush_declarations(start);
                self.body(&root.body, true);
            }
            body => self.body(body, true),
        }
        self.indentation -= 1;
        self.names.pop();
        type_names
    }

    fn flush_sizes(&mut self) {
        for size in std::mem::take(&mut self.sizes) {
            self.indent();
            self.push_all(&[&size, "\n"]);
        }
    }

    /// `int64` sizes that only arguments bind are type variables of the new dialect.
    fn type_vars(&self) -> Vec<VarId> {
        if self.dialect == Dialect::Old {
            return Vec::new();
        }
        let mut found: Vec<(&str, VarId)> = Vec::new();
        for param in &self.function.params {
            let Param::Buffer { buffer, .. } = param else { continue };
            for var in lookup(self.function, *buffer).into_iter().flat_map(declared_here) {
                let Some(Var { name, dtype }) = self.function.vars.get(var.0 as usize) else { continue };
                let new = *dtype == Dtype::INT64
                    && !self.function.params.contains(&Param::Scalar(var))
                    && !found.contains(&(&**name, var));
                if new {
                    found.push((name, var));
                }
            }
        }
        found.sort();
        found.into_iter().map(|(_, var)| var).collect()
    }

    /// A size that only an argument binds is `int32` or a type variable in an annotation; buffers with others come as
    /// handles to match in the body.
    fn parameters_new(&mut self, type_vars: &[VarId]) -> Vec<(BufferId, String)> {
        let function = self.function;
        let mut handles = Vec::new();
        let mut bound: FxHashSet<VarId> = FxHashSet::default();
        for param in &self.function.params {
            if let Param::Scalar(var) = param {
                self.define_var(*var);
            }
        }
        for (position, param) in self.function.params.iter().enumerate() {
            if position > 0 {
                self.out.push_str(", ");
            }
            match param {
                Param::Scalar(var) => {
                    self.scalar(*var);
                    bound.insert(*var);
                }
                Param::Buffer { buffer: id, handle } => {
                    let Some(buffer) = lookup(self.function, *id) else { continue };
                    let dtype = |var: VarId| function.vars.get(var.0 as usize).map(|var| var.dtype);
                    let odd = |var: VarId| !matches!(dtype(var), Some(Dtype::INT32 | Dtype::INT64) | None);
                    if declared_here(buffer).any(|var| odd(var) && !bound.contains(&var)) {
                        handles.push((*id, self.handle(handle.as_deref(), &buffer.name)));
                        continue;
                    }
                    let name = self.names.define(Entity::Buffer(*id), &buffer.name);
                    self.push_all(&[&name, ": "]);
                    self.buffer_annotation(buffer, *id, &Quoting { bound: &bound, type_vars });
                    bound.extend(buffer.shape.iter().flat_map(variables));
                }
            }
        }
        handles
    }

    fn scalar(&mut self, var: VarId) {
        let dtype = self.function.vars.get(var.0 as usize).map_or(Dtype::INT32, |var| var.dtype);
        let name = self.define_var(var);
        self.push_all(&[&name, ": T.", dtype.name()]);
    }

    /// A parameter for a buffer that the body matches; gives its name.
    fn handle(&mut self, handle: Option<&str>, buffer: &str) -> String {
        let name = match handle {
            Some(handle) => self.names.reserve(handle),
            None => self.names.reserve(&format!("{buffer}_handle")),
        };
        self.push_all(&[&name, ": T.handle"]);
        name
    }

    /// Buffers whose sizes are symbolic, or that have anything special, come as handles to match in the body.
    fn parameters_old(&mut self) -> Vec<(BufferId, String)> {
        let mut handles = Vec::new();
        for (position, param) in self.function.params.iter().enumerate() {
            if position > 0 {
                self.out.push_str(", ");
            }
            match param {
                Param::Scalar(var) => self.scalar(*var),
                Param::Buffer { buffer: id, handle } => {
                    let Some(buffer) = lookup(self.function, *id) else { continue };
                    if is_simple(buffer) {
                        let name = self.names.define(Entity::Buffer(*id), &buffer.name);
                        self.push_all(&[&name, ": "]);
                        self.buffer_call("Buffer", None, buffer, *id, true);
                    } else {
                        handles.push((*id, self.handle(handle.as_deref(), &buffer.name)));
                    }
                }
            }
        }
        handles
    }
}

/// A root block that says nothing is left to the reader's imagination, where TVM puts it back.
fn is_implicit(root: &Block) -> bool {
    let silent = root.axes.is_empty()
        && root.predicate.as_int() == Some(1)
        && root.annotations.is_empty()
        && root.match_buffers.is_empty()
        && root.reads.is_empty()
        && root.writes.is_empty()
        && root.init.is_none();
    let inner = match &root.body {
        Stmt::Block(inner) => !inner.axes.is_empty(),
        body => contains_block(body),
    };
    silent && (!root.alloc_buffers.is_empty() || inner)
}

fn contains_block(stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::Block(_)) || stmt.children().any(contains_block)
}
