//! Buffers: declarations, regions, and the symbolic sizes that a declaration brings with it.

use rustc_hash::FxHashSet;

use super::Printer;
use super::names::Entity;
use super::number::quote;
use crate::dtype::Dtype;
use crate::expr::{BufferId, Expr, VarId};
use crate::fold;
use crate::function::{Buffer, Function};
use crate::stmt::Region;

/// TVM's default alignment of an allocation in bytes, which its printer leaves out.
const DEFAULT_ALIGNMENT: i64 = 64;

/// The variables of an expression.
pub(super) fn variables(expr: &Expr) -> Vec<VarId> {
    let mut found = Vec::new();
    expr.visit(&mut |part| {
        if let Expr::Var(id, _) = part {
            found.push(*id);
        }
    });
    found
}

/// The shape's variables that have no other definition and so are the argument's to bind, in order.
pub(super) fn declared_here(buffer: &Buffer) -> impl Iterator<Item = VarId> {
    buffer.shape.iter().chain(&buffer.strides).chain(&buffer.elem_offset).flat_map(variables)
}

/// What decides which sizes of a parameter stand in quotes: Python evaluates annotations before the body says
/// what `n` is, so the first mention of each is a string.
pub(super) struct Quoting<'a> {
    /// Sizes that an earlier parameter already bound.
    pub bound: &'a FxHashSet<VarId>,
    /// `int64` sizes, which are type variables of the module: quoted only inside a larger expression.
    pub type_vars: &'a [VarId],
}

impl Printer<'_> {
    /// `T.method(source, shape, dtype, ...)` with everything that is not a default. Variables that are new here
    /// are declared before it, except those that can be read off the buffer (`B.strides[0]`).
    pub(super) fn buffer_call(
        &mut self,
        method: &str,
        source: Option<&str>,
        buffer: &Buffer,
        id: BufferId,
        dtype_always: bool,
    ) {
        self.declare_sizes(buffer);
        self.push_all(&["T.", method, "("]);
        if let Some(source) = source {
            self.push_all(&[source, ", "]);
        }
        self.tuple(&buffer.shape);
        self.buffer_rest(buffer, id, dtype_always);
    }

    /// The annotation of a parameter: as [`Printer::buffer_call`], with sizes quoted where Python needs it.
    pub(super) fn buffer_annotation(&mut self, buffer: &Buffer, id: BufferId, quoting: &Quoting<'_>) {
        let mut unbound: FxHashSet<VarId> = buffer
            .shape
            .iter()
            .flat_map(variables)
            .filter(|var| !quoting.bound.contains(var) && !quoting.type_vars.contains(var))
            .collect();
        self.declare_sizes(buffer);
        self.out.push_str("T.Buffer((");
        for (position, size) in buffer.shape.iter().enumerate() {
            if position > 0 {
                self.out.push_str(", ");
            }
            let vars = variables(size);
            let bare = matches!(size, Expr::Var(..));
            let quoted = vars.iter().any(|var| unbound.contains(var))
                || !bare && vars.iter().any(|var| quoting.type_vars.contains(var));
            let text = self.capture(|printer| printer.expr(size));
            self.out.push_str(&if quoted { quote(&text) } else { text });
            vars.iter().for_each(|var| {
                unbound.remove(var);
            });
        }
        self.out.push_str(if buffer.shape.len() == 1 { ",)" } else { ")" });
        self.buffer_rest(buffer, id, true);
    }

    /// Declares the bare sizes that are new: `n = T.int32()`, or `n, m = T.int32(), T.int32()`.
    fn declare_sizes(&mut self, buffer: &Buffer) {
        let (mut names, mut types) = (Vec::new(), Vec::new());
        let strides = buffer.strides.iter().filter(|stride| !inlined(buffer, stride));
        for size in buffer.shape.iter().chain(strides) {
            if let Expr::Var(var, dtype) = size
                && self.names.get(Entity::Var(*var)).is_none()
            {
                let hint = self.function.vars.get(var.0 as usize).map_or("v", |var| &var.name);
                names.push(self.names.define(Entity::Var(*var), hint));
                types.push(format!("T.{}()", dtype.name()));
            }
        }
        if !names.is_empty() {
            self.sizes.push(format!("{} = {}", names.join(", "), types.join(", ")));
        }
    }

    fn buffer_rest(&mut self, buffer: &Buffer, id: BufferId, dtype_always: bool) {
        if dtype_always || buffer.dtype != Dtype::FLOAT32 {
            self.push_all(&[", \"", buffer.dtype.name(), "\""]);
        }
        if !buffer.strides.is_empty() {
            self.out.push_str(", strides=(");
            for (position, stride) in buffer.strides.iter().enumerate() {
                if position > 0 {
                    self.out.push_str(", ");
                }
                self.stride(buffer, id, position, stride);
            }
            self.out.push_str(if buffer.strides.len() == 1 { ",)" } else { ")" });
        }
        let mut factor_always = buffer.elem_offset.is_none() && buffer.offset_factor != 0;
        match &buffer.elem_offset {
            None => {}
            Some(offset) if offset.as_int() == Some(0) => {}
            Some(offset) if self.is_new(offset) => {
                factor_always = true;
                self.inline(offset, id, ".elem_offset");
            }
            Some(offset) => {
                self.out.push_str(", elem_offset=");
                self.expr(offset);
            }
        }
        if buffer.scope != "global" {
            let scope = quote(&buffer.scope);
            self.push_all(&[", scope=", &scope]);
        }
        if let Some(align) = buffer.align.filter(|align| *align != DEFAULT_ALIGNMENT) {
            self.push_all(&[", align=", &align.to_string()]);
        }
        let factor = buffer.offset_factor.max(1);
        if factor_always || factor != 1 {
            self.push_all(&[", offset_factor=", &factor.to_string()]);
        }
        self.out.push(')');
    }

    fn stride(&mut self, buffer: &Buffer, id: BufferId, position: usize, stride: &Expr) {
        if self.is_new(stride) && inlined(buffer, stride) {
            let hint = match stride {
                Expr::Var(var, _) => self.function.vars.get(var.0 as usize).map_or("v", |var| &var.name),
                _ => "v",
            };
            self.out.push_str(&quote(hint));
            self.inline(stride, id, &format!(".strides[{position}]"));
        } else {
            self.expr(stride);
        }
    }

    fn is_new(&self, expr: &Expr) -> bool {
        matches!(expr, Expr::Var(var, _) if self.names.get(Entity::Var(*var)).is_none())
    }

    fn inline(&mut self, expr: &Expr, id: BufferId, member: &str) {
        if let Expr::Var(var, _) = expr {
            let owner = self.names.get(Entity::Buffer(id)).unwrap_or("buffer");
            let text = format!("{owner}{member}");
            self.names.define_as(Entity::Var(*var), text);
        }
    }

    /// `B[i, a:b]`: an index where the extent is one.
    pub(super) fn region(&mut self, region: &Region) {
        self.buffer(region.buffer);
        self.out.push('[');
        if region.ranges.is_empty() {
            self.out.push_str("()");
        }
        for (position, range) in region.ranges.iter().enumerate() {
            if position > 0 {
                self.out.push_str(", ");
            }
            self.expr(&range.min);
            if range.extent.as_int() != Some(1) {
                self.out.push(':');
                self.expr(&fold::add(range.min.clone(), range.extent.clone()));
            }
        }
        self.out.push(']');
    }

    /// `B[i, a:b], C[...]`.
    pub(super) fn regions(&mut self, regions: &[Region]) {
        for (position, region) in regions.iter().enumerate() {
            if position > 0 {
                self.out.push_str(", ");
            }
            self.region(region);
        }
    }
}

/// A stride that only this buffer mentions, once: it reads as `B.strides[i]`.
fn inlined(buffer: &Buffer, stride: &Expr) -> bool {
    let Expr::Var(stride, _) = stride else { return false };
    declared_here(buffer).filter(|var| var == stride).count() == 1
}

/// The old printer shows a parameter as a buffer only when nothing about it is special.
pub(super) fn is_simple(buffer: &Buffer) -> bool {
    let offset = buffer.elem_offset.as_ref().is_none_or(|offset| offset.as_int() == Some(0));
    buffer.strides.is_empty()
        && offset
        && buffer.offset_factor == 0
        && buffer.scope == "global"
        && buffer.align.is_none_or(|align| align == DEFAULT_ALIGNMENT)
        && buffer.shape.iter().all(|size| variables(size).is_empty())
}

/// The buffer, unless the id is nobody's.
pub(super) fn lookup(function: &Function, id: BufferId) -> Option<&Buffer> {
    function.buffers.get(id.0 as usize)
}
