//! Declarations of buffers: parameters, allocations, matches.

use ruff_python_ast as py;
use ruff_python_ast::StringFlags;
use ruff_text_size::TextRange;
use rustc_hash::FxHashMap;
use wavemark_diag::Span;
use wavemark_tile::{Buffer, BufferId, Dtype, Expr};

use crate::arguments::{self, Signature};
use crate::context::Parsed;
use crate::function::Builder;
use crate::limits;
use crate::value::Value;

/// What follows the shape in every declaration.
const OPTIONS: [&str; 8] =
    ["dtype", "data", "strides", "elem_offset", "scope", "align", "offset_factor", "buffer_type"];

const BUFFER: Signature = Signature {
    name: "T.Buffer",
    positional: &[
        "shape",
        "dtype",
        "data",
        "strides",
        "elem_offset",
        "scope",
        "align",
        "offset_factor",
        "buffer_type",
    ],
    keyword: &["axis_separators", "layout", "byte_offset", "allocated_addr"],
    required: 1,
};

const ALLOCATION: Signature = Signature { name: "T.alloc_buffer", ..BUFFER };

const MATCH: Signature = Signature {
    name: "T.match_buffer",
    positional: &[
        "param",
        "shape",
        "dtype",
        "data",
        "strides",
        "elem_offset",
        "scope",
        "align",
        "offset_factor",
        "buffer_type",
    ],
    keyword: BUFFER.keyword,
    required: 1,
};

impl Builder<'_> {
    /// `T.Buffer((16, "n"), "float16")` of a parameter.
    pub fn buffer_parameter(
        &mut self,
        call: &py::ExprCall,
        scalars: &FxHashMap<String, Dtype>,
    ) -> Parsed<BufferId> {
        let bound = arguments::bind(self.cx, call, &BUFFER)?;
        let Some(shape) = bound[0] else { return Err(self.cx.already_reported()) };
        let shape = self.dimensions(shape, scalars)?;
        self.declare(self.cx.span(call), shape, &bound[1..])
    }

    /// `T.Buffer[(16, 16), "float16"]` of a parameter; without a type it is a shape of float32.
    pub fn buffer_subscript(
        &mut self,
        subscript: &py::ExprSubscript,
        scalars: &FxHashMap<String, Dtype>,
    ) -> Parsed<BufferId> {
        let span = self.cx.span(subscript);
        let (shape, dtype) = match &*subscript.slice {
            py::Expr::Tuple(tuple) => match &tuple.elts[..] {
                [shape, dtype @ py::Expr::StringLiteral(_)] => (shape, Some(dtype)),
                _ => (&*subscript.slice, None),
            },
            shape => (shape, None),
        };
        let shape = self.dimensions(shape, scalars)?;
        self.declare(span, shape, &[dtype])
    }

    /// `T.alloc_buffer((64, 64), "float16", scope="shared")`.
    pub fn allocation(&mut self, call: &py::ExprCall) -> Parsed<BufferId> {
        let bound = arguments::bind(self.cx, call, &ALLOCATION)?;
        let Some(shape) = bound[0] else { return Err(self.cx.already_reported()) };
        let none = FxHashMap::default();
        let shape = self.dimensions(shape, &none)?;
        self.declare(self.cx.span(call), shape, &bound[1..])
    }

    /// What `T.match_buffer` matches, where that is written, and the buffer it declares.
    pub fn matched_buffer(&mut self, call: &py::ExprCall) -> Parsed<(Value, Span, BufferId)> {
        let bound = arguments::bind(self.cx, call, &MATCH)?;
        let Some(param) = bound[0] else { return Err(self.cx.already_reported()) };
        let place = self.cx.span(param);
        let source = self.value(param)?;
        let none = FxHashMap::default();
        let shape = match (bound[1], &source) {
            (Some(shape), _) => self.dimensions(shape, &none)?,
            (None, Value::Box(..)) => {
                let region = self.region_of(source.clone(), place)?;
                region.ranges.into_iter().map(|range| range.extent).collect()
            }
            (None, _) => {
                let span = self.cx.span(call);
                return Err(self.cx.error(span, "`T.match_buffer` needs an argument `shape`"));
            }
        };
        let buffer = self.declare(self.cx.span(call), shape, &bound[2..])?;
        Ok((source, place, buffer))
    }

    /// A buffer of that shape, declared at that place, with the options that follow the shape; its name comes later.
    fn declare(&mut self, span: Span, shape: Vec<Expr>, options: &[Option<&py::Expr>]) -> Parsed<BufferId> {
        let option = |name: &str| {
            let position = OPTIONS.iter().chain(BUFFER.keyword).position(|option| *option == name);
            let given = position.and_then(|position| options.get(position).copied().flatten());
            given.filter(|given| !given.is_none_literal_expr())
        };
        for name in ["data", "byte_offset", "allocated_addr"] {
            if let Some(given) = option(name) {
                let span = self.cx.span(given);
                return Err(self.cx.error(span, format!("unsupported: `{name}` of a buffer")));
            }
        }
        for (name, harmless) in [("buffer_type", ["", "default"]), ("layout", ["default", "default"])] {
            if let Some(given) = option(name) {
                let span = self.cx.span(given);
                let fine =
                    matches!(self.value(given)?, Value::Str(text) if harmless.contains(&text.as_str()));
                if !fine {
                    return Err(self.cx.error(span, format!("unsupported: this `{name}` of a buffer")));
                }
            }
        }
        if let Some(given) = option("axis_separators") {
            let span = self.cx.span(given);
            if !matches!(self.value(given)?, Value::List(items) if items.is_empty()) {
                return Err(self.cx.error(span, "unsupported: `axis_separators` of a buffer"));
            }
        }
        let dtype = match option("dtype") {
            Some(dtype) => self.dtype_argument(dtype)?,
            None => Dtype::FLOAT32,
        };
        if dtype.element().is_none() {
            return Err(self.cx.error(span, format!("unsupported: a buffer of {dtype}")));
        }
        let strides = match option("strides") {
            Some(strides) => {
                let span = self.cx.span(strides);
                let dtype = shape.first().map_or(Dtype::INT32, Expr::dtype);
                let strides = self.strides(strides, dtype)?;
                if !strides.is_empty() && strides.len() != shape.len() {
                    let message = format!("{} strides for {} dimensions", strides.len(), shape.len());
                    return Err(self.cx.error(span, message));
                }
                strides
            }
            None => Vec::new(),
        };
        let elem_offset = option("elem_offset").map(|offset| self.integer(offset)).transpose()?;
        let scope = match option("scope") {
            Some(scope) => self.string(scope, "a scope")?,
            None => String::new(),
        };
        let scope = if scope.is_empty() { "global".to_owned() } else { scope };
        let align = option("align").map(|align| self.constant(align, "align")).transpose()?;
        let offset_factor =
            option("offset_factor").map(|factor| self.constant(factor, "offset_factor")).transpose()?;
        Ok(self.function.add_buffer(Buffer {
            name: "".into(),
            dtype,
            shape,
            strides,
            elem_offset,
            offset_factor: offset_factor.unwrap_or(0),
            align: align.filter(|align| *align > 0),
            scope,
            span: Some(span),
        }))
    }

    fn constant(&mut self, node: &py::Expr, name: &str) -> Parsed<i64> {
        let span = self.cx.span(node);
        match self.value(node)? {
            Value::Int(value) | Value::Expr(Expr::Int(value, _)) => Ok(value),
            other => {
                let message = format!("`{name}` needs an integer, found {}", other.describe());
                Err(self.cx.error(span, message))
            }
        }
    }

    /// A shape: a list or tuple, or one extent. A string is an expression whose unknown names it defines.
    fn dimensions(&mut self, shape: &py::Expr, scalars: &FxHashMap<String, Dtype>) -> Parsed<Vec<Expr>> {
        let nodes: &[py::Expr] = match shape {
            py::Expr::List(list) => &list.elts,
            py::Expr::Tuple(tuple) => &tuple.elts,
            one if self.is_list(one) => {
                let Value::List(items) = self.value(one)? else { return Ok(Vec::new()) };
                return items.into_iter().map(|(item, span)| self.dimension_of(item, span)).collect();
            }
            one => std::slice::from_ref(one),
        };
        nodes
            .iter()
            .map(|node| match node {
                py::Expr::StringLiteral(literal) => self.symbolic(literal, scalars),
                node => {
                    let span = self.cx.span(node);
                    let value = self.value(node)?;
                    self.dimension_of(value, span)
                }
            })
            .collect()
    }

    /// A name of a list (`A.shape`, a constant of the file).
    fn is_list(&mut self, node: &py::Expr) -> bool {
        match node {
            py::Expr::Name(name) => {
                let known = self.scopes.get(&name.id).and_then(|binding| binding.value.as_ref());
                matches!(known.or_else(|| self.cx.constants.get(name.id.as_str())), Some(Value::List(_)))
            }
            py::Expr::Attribute(attribute) => matches!(attribute.attr.as_str(), "shape" | "strides"),
            _ => false,
        }
    }

    fn dimension_of(&mut self, value: Value, span: Span) -> Parsed<Expr> {
        let extent = self.integer_of(value, span)?;
        match extent.as_int() {
            Some(value) if value < 0 => Err(self.cx.error(span, format!("a dimension of {value}"))),
            _ => Ok(extent),
        }
    }

    fn symbolic(
        &mut self,
        literal: &py::ExprStringLiteral,
        scalars: &FxHashMap<String, Dtype>,
    ) -> Parsed<Expr> {
        let span = self.cx.span(literal);
        let mut parts = literal.value.iter();
        let (Some(part), None) = (parts.next(), parts.next()) else {
            return Err(self.cx.error(span, "unsupported: a dimension in several strings"));
        };
        let inside = TextRange::new(
            part.range.start() + part.flags.opener_len(),
            part.range.end() - part.flags.closer_len(),
        );
        let text = self.cx.text.clone();
        let deep = text.get(inside.start().to_usize()..inside.end().to_usize()).and_then(limits::too_deep);
        if deep.is_some() {
            return Err(self.cx.error(span, "nested too deeply"));
        }
        // What the escapes stand for is parsed in their place, which nothing after it notices: it is never longer.
        let mut unescaped = String::new();
        let (text, inside) = match part.value.len() == inside.len().to_usize() {
            true => (text.as_ref(), inside),
            false => {
                let (before, after) = (&text[..inside.start().to_usize()], &text[inside.end().to_usize()..]);
                let padding = " ".repeat(inside.len().to_usize().saturating_sub(part.value.len()));
                unescaped += &[before, &part.value, &padding, after].concat();
                (unescaped.as_str(), inside)
            }
        };
        let parsed = match ruff_python_parser::parse_expression_range(text, inside) {
            Ok(parsed) => parsed,
            Err(error) => {
                let message = format!("not a Python expression: {}", error.error);
                return Err(self.cx.error(span, message));
            }
        };
        let mut names = Vec::new();
        names_of(parsed.expr(), &mut names);
        for name in names {
            if self.scopes.get(&name.id).is_none() && !self.cx.constants.contains_key(name.id.as_str()) {
                let default =
                    if self.cx.type_vars.contains(name.id.as_str()) { Dtype::INT64 } else { Dtype::INT32 };
                let dtype = scalars.get(name.id.as_str()).copied().unwrap_or(default);
                self.signature_var(name, dtype)?;
            }
        }
        let value = self.value(parsed.expr())?;
        self.dimension_of(value, span)
    }

    /// Defines a variable that the shape of a parameter binds.
    pub fn signature_var(&mut self, name: &py::ExprName, dtype: Dtype) -> Parsed<Expr> {
        let var = self.function.add_var(&name.id, dtype);
        let value = Expr::Var(var, dtype);
        self.define(&name.id, name.range, Value::Expr(value.clone()))?;
        self.signature_vars.insert(name.id.to_string(), var);
        Ok(value)
    }

    /// Strides: a string is a new variable of this buffer alone.
    fn strides(&mut self, strides: &py::Expr, dtype: Dtype) -> Parsed<Vec<Expr>> {
        let nodes: &[py::Expr] = match strides {
            py::Expr::List(list) => &list.elts,
            py::Expr::Tuple(tuple) => &tuple.elts,
            one => return self.dimensions(one, &FxHashMap::default()),
        };
        nodes
            .iter()
            .map(|node| match node {
                py::Expr::StringLiteral(name) => {
                    let name = name.value.to_str();
                    Ok(Expr::Var(self.function.add_var(name, dtype), dtype))
                }
                node => self.integer(node),
            })
            .collect()
    }
}

/// The names in the arithmetic of a dimension.
fn names_of<'a>(node: &'a py::Expr, names: &mut Vec<&'a py::ExprName>) {
    match node {
        py::Expr::Name(name) => names.push(name),
        py::Expr::BinOp(op) => {
            names_of(&op.left, names);
            names_of(&op.right, names);
        }
        py::Expr::UnaryOp(op) => names_of(&op.operand, names),
        py::Expr::Call(call) => call.arguments.args.iter().for_each(|argument| names_of(argument, names)),
        _ => {}
    }
}
