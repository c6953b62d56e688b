//! Python expressions to values.

use ruff_python_ast as py;
use wavemark_diag::Span;
use wavemark_tile::{BinaryOp, BufferId, Dtype, Expr};

use crate::context::{Context, Parsed};
use crate::function::Builder;
use crate::limits::EXPRESSION_DEPTH;
use crate::operators;
use crate::python;
use crate::value::{Index, Value};

/// Functions of Python itself that have a meaning here.
const BUILTINS: [&str; 9] = ["range", "min", "max", "abs", "int", "float", "bool", "len", "round"];

/// The name of something of the script modules whatever the file calls them: `T.axis.spatial`, `I.ir_module`; also
/// Python's own functions.
pub fn script_path(cx: &Context, node: &py::Expr) -> Option<String> {
    // A long chain of attributes is walked without recursion.
    let mut parts = Vec::new();
    let mut node = node;
    while let py::Expr::Attribute(attribute) = node {
        parts.push(attribute.attr.as_str());
        node = &attribute.value;
    }
    let py::Expr::Name(name) = node else { return None };
    parts.reverse();
    let base = match cx.aliases.get(name.id.as_str()) {
        Some(base) => base,
        None if parts.is_empty() => {
            return BUILTINS
                .iter()
                .find(|builtin| **builtin == name.id.as_str())
                .map(|name| (*name).to_owned());
        }
        None => match (name.id.as_str(), &parts[..]) {
            // Written out: `tvm.script.ir_module`, `tvm.script.tir.prim_func`.
            ("tvm", ["script", "ir_module", ..]) => {
                parts.drain(..1);
                "I"
            }
            ("tvm", ["script", "tir" | "tirx", ..]) => {
                parts.drain(..2);
                "T"
            }
            ("tvm", ["script", "ir", ..]) => {
                parts.drain(..2);
                "I"
            }
            _ => return None,
        },
    };
    let mut path = String::from(base);
    for part in parts {
        path.push('.');
        path.push_str(part);
    }
    Some(path)
}

/// The type that `T.float16` or `T.f16` is.
pub fn dtype_of_path(path: &str) -> Option<Dtype> {
    let name = match path.strip_prefix("T.")? {
        "boolean" => "bool",
        "i8" => "int8",
        "i16" => "int16",
        "i32" => "int32",
        "i64" => "int64",
        "u8" => "uint8",
        "u16" => "uint16",
        "u32" => "uint32",
        "u64" => "uint64",
        "f16" => "float16",
        "bf16" => "bfloat16",
        "f32" => "float32",
        "f64" => "float64",
        name => name,
    };
    Dtype::from_name(name).filter(|_| !name.is_empty())
}

/// `float32x4` and its like.
pub fn is_vector_type(name: &str) -> bool {
    name.rsplit_once('x').is_some_and(|(base, lanes)| {
        Dtype::from_name(base).is_some() && !base.is_empty() && lanes.parse::<u32>().is_ok()
    })
}

impl Builder<'_> {
    /// What an expression stands for.
    pub fn value(&mut self, node: &py::Expr) -> Parsed<Value> {
        self.expression_depth += 1;
        let result = if self.expression_depth > EXPRESSION_DEPTH {
            let span = self.cx.span(node);
            Err(self.cx.error(span, format!("nested too deeply: more than {EXPRESSION_DEPTH} expressions")))
        } else {
            self.value_inside(node)
        };
        self.expression_depth -= 1;
        result
    }

    fn value_inside(&mut self, node: &py::Expr) -> Parsed<Value> {
        match node {
            py::Expr::NumberLiteral(literal) => self.number(literal),
            py::Expr::BooleanLiteral(literal) => Ok(Value::Bool(literal.value)),
            py::Expr::StringLiteral(literal) => Ok(Value::Str(literal.value.to_str().to_owned())),
            py::Expr::NoneLiteral(_) => Ok(Value::None),
            py::Expr::Name(name) => self.name(name),
            py::Expr::Attribute(attribute) => self.attribute(node, attribute),
            py::Expr::Subscript(subscript) => self.subscript(subscript),
            py::Expr::Call(call) => self.call(call),
            py::Expr::BinOp(_) => self.operators(node),
            py::Expr::UnaryOp(unary) => self.unary(unary),
            py::Expr::BoolOp(bool_op) => self.logical(bool_op),
            py::Expr::Compare(compare) => self.compare(compare),
            py::Expr::If(choice) => self.choice(choice),
            py::Expr::List(list) => self.list(&list.elts),
            py::Expr::Tuple(tuple) => self.list(&tuple.elts),
            py::Expr::Dict(dict) => self.dict(dict),
            other => {
                let span = self.cx.span(other);
                let what = match other {
                    py::Expr::Lambda(_) => "`lambda`",
                    py::Expr::ListComp(_)
                    | py::Expr::SetComp(_)
                    | py::Expr::DictComp(_)
                    | py::Expr::Generator(_) => "comprehensions",
                    py::Expr::FString(_) | py::Expr::TString(_) => "formatted strings",
                    py::Expr::BytesLiteral(_) => "bytes",
                    py::Expr::Named(_) => "`:=`",
                    py::Expr::Starred(_) => "`*` here",
                    py::Expr::Slice(_) => "a slice outside of a subscript",
                    py::Expr::Set(_) => "sets",
                    py::Expr::Await(_) | py::Expr::Yield(_) | py::Expr::YieldFrom(_) => "`await` and `yield`",
                    _ => "this expression",
                };
                Err(self.cx.error(span, format!("unsupported: {what}")))
            }
        }
    }

    fn number(&mut self, literal: &py::ExprNumberLiteral) -> Parsed<Value> {
        match &literal.value {
            py::Number::Int(int) => match int.as_i64() {
                Some(value) => Ok(Value::Int(value)),
                None => {
                    let span = self.cx.span(literal);
                    Err(self.cx.error(span, "an integer that does not fit into 64 bits"))
                }
            },
            py::Number::Float(value) => Ok(Value::Float(*value)),
            py::Number::Complex { .. } => {
                let span = self.cx.span(literal);
                Err(self.cx.error(span, "unsupported: complex numbers"))
            }
        }
    }

    fn name(&mut self, name: &py::ExprName) -> Parsed<Value> {
        match self.scopes.get(&name.id) {
            Some(binding) => match &binding.value {
                Some(value) => Ok(value.clone()),
                None => Err(self.cx.already_reported()),
            },
            None => {
                if self.in_signature && self.cx.type_vars.contains(name.id.as_str()) {
                    return Ok(Value::Expr(self.signature_var(name, Dtype::INT64)?));
                }
                if let Some(value) = self.cx.constants.get(name.id.as_str()) {
                    return Ok(value.clone());
                }
                let alias = self.cx.aliases.get(name.id.as_str()).map(|alias| (*alias).to_owned());
                let builtin = BUILTINS.iter().find(|builtin| **builtin == name.id.as_str());
                match alias.or(builtin.map(|builtin| (*builtin).to_owned())) {
                    Some(path) => Ok(Value::Path(path)),
                    None => Err(self.unknown_name(&name.id, name.range)),
                }
            }
        }
    }

    fn attribute(&mut self, node: &py::Expr, attribute: &py::ExprAttribute) -> Parsed<Value> {
        if let Some(path) = script_path(self.cx, node) {
            return Ok(Value::Path(path));
        }
        let span = self.cx.span(attribute);
        match (self.value(&attribute.value)?, attribute.attr.as_str()) {
            (Value::Buffer(buffer), name) => self.buffer_attribute(buffer, name, span),
            (Value::Expr(expr), "dtype") => Ok(Value::Str(expr.dtype().name().into())),
            (other, name) => {
                let message = format!("unsupported: attribute `{name}` of {}", other.describe());
                Err(self.cx.error(span, message))
            }
        }
    }

    fn buffer_attribute(&mut self, buffer: BufferId, name: &str, span: Span) -> Parsed<Value> {
        let declared = self.function.buffer(buffer);
        let items = |items: &[Expr]| {
            let value = |item: &Expr| match item {
                Expr::Int(value, Dtype::INT32) => Value::Int(*value),
                item => Value::Expr(item.clone()),
            };
            Value::List(items.iter().map(|item| (value(item), span)).collect())
        };
        match name {
            "data" => Ok(Value::Expr(Expr::Data(buffer))),
            "dtype" => Ok(Value::Str(declared.dtype.name().into())),
            "shape" => Ok(items(&declared.shape)),
            "strides" if !declared.strides.is_empty() => Ok(items(&declared.strides)),
            "elem_offset" => Ok(Value::Expr(self.elem_offset(buffer))),
            _ => Err(self.cx.error_with(
                span,
                format!("unsupported: attribute `{name}` of a buffer"),
                "expected data, dtype or shape",
            )),
        }
    }

    /// The elements before a buffer's first: 0 where nothing is said, a variable where only a factor of it is.
    pub fn elem_offset(&mut self, buffer: BufferId) -> Expr {
        let declared = self.function.buffer(buffer);
        if let Some(offset) = &declared.elem_offset {
            return offset.clone();
        }
        let dtype = declared.shape.first().map_or(Dtype::INT32, Expr::dtype);
        if declared.offset_factor == 0 {
            return Expr::Int(0, dtype);
        }
        let name = format!("{}_elem_offset", declared.name);
        let offset = Expr::Var(self.function.add_var(&name, dtype), dtype);
        self.function.buffers[buffer.0 as usize].elem_offset = Some(offset.clone());
        offset
    }

    fn subscript(&mut self, subscript: &py::ExprSubscript) -> Parsed<Value> {
        let span = self.cx.span(subscript);
        match self.value(&subscript.value)? {
            Value::Buffer(buffer) => {
                let indices = self.indices(buffer, &subscript.slice, span)?;
                let points: Option<Vec<Expr>> = indices
                    .iter()
                    .map(|index| match index {
                        Index::Point(point) => Some(point.clone()),
                        Index::Slice(..) => None,
                    })
                    .collect();
                Ok(match points {
                    Some(points) => {
                        Value::Expr(Expr::load(buffer, self.function.buffer(buffer).dtype, points))
                    }
                    None => Value::Box(buffer, indices),
                })
            }
            Value::List(items) => match self.value(&subscript.slice)? {
                Value::Int(at) => {
                    let length = i64::try_from(items.len()).unwrap_or(i64::MAX);
                    let from_start = if at < 0 { at.checked_add(length) } else { Some(at) };
                    let item = from_start.and_then(|at| items.get(usize::try_from(at).ok()?));
                    match item {
                        Some((value, _)) => Ok(value.clone()),
                        None => Err(self.cx.error(span, format!("index {at} into {length} items"))),
                    }
                }
                other => {
                    let message = format!("unsupported: {} as an index of a list", other.describe());
                    Err(self.cx.error(span, message))
                }
            },
            other => {
                let message = format!("a subscript of {}, expected a buffer", other.describe());
                Err(self.cx.error(span, message))
            }
        }
    }

    fn indices(&mut self, buffer: BufferId, slice: &py::Expr, span: Span) -> Parsed<Vec<Index>> {
        let nodes: &[py::Expr] = match slice {
            py::Expr::Tuple(tuple) => &tuple.elts,
            one => std::slice::from_ref(one),
        };
        let declared = self.function.buffer(buffer);
        let dimensions = declared.shape.len();
        if nodes.len() != dimensions {
            let message = format!("`{}` takes {dimensions} indices, found {}", declared.name, nodes.len());
            return Err(self.cx.error(span, message));
        }
        nodes.iter().map(|node| self.index(node)).collect()
    }

    fn index(&mut self, node: &py::Expr) -> Parsed<Index> {
        let py::Expr::Slice(slice) = node else {
            let span = self.cx.span(node);
            let value = self.value(node)?;
            return Ok(Index::Point(self.integer_of(value, span)?));
        };
        if let Some(step) = &slice.step {
            let span = self.cx.span(&**step);
            if !matches!(self.value(step)?, Value::Int(1)) {
                return Err(self.cx.error(span, "unsupported: a slice with a step"));
            }
        }
        let from = slice.lower.as_deref().map(|node| self.integer(node)).transpose()?;
        let to = slice.upper.as_deref().map(|node| self.integer(node)).transpose()?;
        Ok(Index::Slice(from, to))
    }

    /// Buffer and indices of an element that is stored to.
    pub fn element(&mut self, node: &py::ExprSubscript) -> Parsed<(BufferId, Vec<Expr>)> {
        let span = self.cx.span(node);
        match self.subscript(node)? {
            Value::Expr(Expr::Load(load)) => Ok((load.buffer, load.indices.to_vec())),
            Value::Box(..) => Err(self.cx.error_with(
                span,
                "unsupported: a store to a slice",
                "expected one element; write a loop over them",
            )),
            other => {
                let message = format!("a store to {}, expected an element of a buffer", other.describe());
                Err(self.cx.error(span, message))
            }
        }
    }

    /// A chain of operators, its left spine without recursion.
    fn operators(&mut self, node: &py::Expr) -> Parsed<Value> {
        let mut spine = Vec::new();
        let mut node = node;
        while let py::Expr::BinOp(inner) = node {
            spine.push(inner);
            node = &inner.left;
        }
        let span = self.cx.span(node);
        if self.expression_depth + spine.len() > EXPRESSION_DEPTH {
            return Err(self
                .cx
                .error(span, format!("nested too deeply: more than {EXPRESSION_DEPTH} expressions")));
        }
        let mut value = self.value(node)?;
        for inner in spine.into_iter().rev() {
            let right = self.value(&inner.right)?;
            let span = self.cx.span(inner);
            value = self.operator(inner.op, value, right, span)?;
        }
        Ok(value)
    }

    /// `left op right`: Python's where both are Python's, TVM's where one is an expression.
    pub fn operator(&mut self, op: py::Operator, left: Value, right: Value, span: Span) -> Parsed<Value> {
        if let Some(result) = python::binary(op, &left, &right) {
            return result.map_err(|message| self.cx.error(span, message));
        }
        let (left, right) = (self.expression_of(left, span)?, self.expression_of(right, span)?);
        operators::python_operator(op, left, right)
            .map(Value::Expr)
            .map_err(|message| self.cx.error(span, message))
    }

    fn unary(&mut self, unary: &py::ExprUnaryOp) -> Parsed<Value> {
        let span = self.cx.span(unary);
        // The one integer whose digits do not fit without their sign.
        if let (py::UnaryOp::USub, py::Expr::NumberLiteral(literal)) = (unary.op, &*unary.operand)
            && let py::Number::Int(int) = &literal.value
            && int.as_i64().is_none()
            && int.to_string() == "9223372036854775808"
        {
            return Ok(Value::Int(i64::MIN));
        }
        let value = self.value(&unary.operand)?;
        match (unary.op, value) {
            (py::UnaryOp::Not, Value::Bool(value)) => Ok(Value::Bool(!value)),
            (py::UnaryOp::Not, Value::Int(value)) => Ok(Value::Bool(value == 0)),
            (py::UnaryOp::Not, value) => {
                let inner = self.expression_of(value, span)?;
                if inner.dtype() != Dtype::BOOL {
                    let message =
                        format!("`not` of an expression of type {}, expected a bool", inner.dtype());
                    return Err(self.cx.error(span, message));
                }
                Ok(Value::Expr(Expr::Not(inner.into())))
            }
            (py::UnaryOp::UAdd, value @ (Value::Int(_) | Value::Float(_))) => Ok(value),
            (py::UnaryOp::UAdd, _) => Err(self.cx.error(span, "unsupported: unary `+`")),
            (py::UnaryOp::USub, Value::Int(value)) => match value.checked_neg() {
                Some(value) => Ok(Value::Int(value)),
                None => Err(self.cx.error(span, "the result does not fit into 64 bits")),
            },
            (py::UnaryOp::USub, Value::Bool(value)) => Ok(Value::Int(-i64::from(value))),
            (py::UnaryOp::USub, Value::Float(value)) => Ok(Value::Float(-value)),
            (py::UnaryOp::USub, value) => {
                // As TVM: a multiplication by -1.
                let inner = self.expression_of(value, span)?;
                let result = operators::negate(inner);
                result.map(Value::Expr).map_err(|message| self.cx.error(span, message))
            }
            (py::UnaryOp::Invert, Value::Int(value)) => Ok(Value::Int(!value)),
            (py::UnaryOp::Invert, value) => {
                let inner = self.expression_of(value, span)?;
                let dtype = inner.dtype();
                if !dtype.is_integer() && dtype != Dtype::BOOL {
                    return Err(self.cx.error(span, format!("`~` of an expression of type {dtype}")));
                }
                Ok(Value::Expr(Expr::call("bitwise_not", dtype, vec![inner])))
            }
        }
    }

    /// `a and b and c`, from the left; a Python bool that decides ends it.
    fn logical(&mut self, node: &py::ExprBoolOp) -> Parsed<Value> {
        let op = match node.op {
            py::BoolOp::And => BinaryOp::And,
            py::BoolOp::Or => BinaryOp::Or,
        };
        let span = self.cx.span(node);
        let mut result: Option<Value> = None;
        for operand in &node.values {
            if let Some(Value::Bool(known)) = &result
                && *known == (op == BinaryOp::Or)
            {
                break;
            }
            let right = self.value(operand)?;
            result = Some(match result {
                None => right,
                Some(left) => self.both(op, left, right, span)?,
            });
        }
        Ok(result.unwrap_or(Value::None))
    }

    /// `left and right` or `left or right`.
    fn both(&mut self, op: BinaryOp, left: Value, right: Value, span: Span) -> Parsed<Value> {
        if let (Value::Bool(left), Value::Bool(right)) = (&left, &right) {
            return Ok(Value::Bool(if op == BinaryOp::And { *left && *right } else { *left || *right }));
        }
        let (left, right) = (self.expression_of(left, span)?, self.expression_of(right, span)?);
        if let Some(other) = [&left, &right].into_iter().find(|side| side.dtype() != Dtype::BOOL) {
            let name = if op == BinaryOp::And { "and" } else { "or" };
            let message = format!("`{name}` of an expression of type {}, expected bools", other.dtype());
            return Err(self.cx.error(span, message));
        }
        Ok(Value::Expr(Expr::binary(op, left, right)))
    }

    /// `a < b < c` is `a < b and b < c`.
    fn compare(&mut self, node: &py::ExprCompare) -> Parsed<Value> {
        let span = self.cx.span(node);
        let mut left = self.value(&node.left)?;
        let mut result = None;
        if self.expression_depth + node.ops.len() > EXPRESSION_DEPTH {
            return Err(self
                .cx
                .error(span, format!("nested too deeply: more than {EXPRESSION_DEPTH} expressions")));
        }
        for (op, right) in node.ops.iter().zip(&node.comparators) {
            let right = self.value(right)?;
            let one = self.comparison(*op, left, right.clone(), span)?;
            result = Some(match result {
                None => one,
                Some(before) => self.both(BinaryOp::And, before, one, span)?,
            });
            left = right;
        }
        Ok(result.unwrap_or(Value::None))
    }

    fn comparison(&mut self, op: py::CmpOp, left: Value, right: Value, span: Span) -> Parsed<Value> {
        if let Some(result) = python::compare(op, &left, &right) {
            return Ok(Value::Bool(result));
        }
        let op = match op {
            py::CmpOp::Eq => BinaryOp::Eq,
            py::CmpOp::NotEq => BinaryOp::Ne,
            py::CmpOp::Lt => BinaryOp::Lt,
            py::CmpOp::LtE => BinaryOp::Le,
            py::CmpOp::Gt => BinaryOp::Gt,
            py::CmpOp::GtE => BinaryOp::Ge,
            other => return Err(self.cx.error(span, format!("unsupported: `{}`", other.as_str()))),
        };
        let (left, right) = (self.expression_of(left, span)?, self.expression_of(right, span)?);
        operators::arithmetic(op, left, right)
            .map(Value::Expr)
            .map_err(|message| self.cx.error(span, message))
    }

    /// `a if c else b`: Python's where the condition is Python's.
    fn choice(&mut self, node: &py::ExprIf) -> Parsed<Value> {
        let span = self.cx.span(node);
        match self.value(&node.test)? {
            Value::Bool(true) => self.value(&node.body),
            Value::Bool(false) => self.value(&node.orelse),
            condition => {
                let condition = self.expression_of(condition, span)?;
                let then = self.expression(&node.body)?;
                let otherwise = self.expression(&node.orelse)?;
                self.if_then_else(condition, then, otherwise, span)
            }
        }
    }

    fn list(&mut self, items: &[py::Expr]) -> Parsed<Value> {
        let items = items.iter().map(|item| {
            let span = self.cx.span(item);
            Ok((self.value(item)?, span))
        });
        Ok(Value::List(items.collect::<Parsed<_>>()?))
    }

    fn dict(&mut self, dict: &py::ExprDict) -> Parsed<Value> {
        let mut items: Vec<(String, Value)> = Vec::new();
        for item in &dict.items {
            let span = self.cx.span(&item.value);
            let Some(key) = &item.key else {
                return Err(self.cx.error(span, "unsupported: `**` in a dictionary"));
            };
            let key_span = self.cx.span(key);
            let key = self.string(key, "a key")?;
            if items.iter().any(|(other, _)| *other == key) {
                return Err(self.cx.error(key_span, format!("key {key:?} is given twice")));
            }
            items.push((key, self.value(&item.value)?));
        }
        Ok(Value::Dict(items))
    }

    fn call(&mut self, call: &py::ExprCall) -> Parsed<Value> {
        if let Some(path) = script_path(self.cx, &call.func) {
            return self.script_call(&path, call);
        }
        let span = self.cx.span(call);
        if let py::Expr::Attribute(method) = &*call.func {
            let owner = self.value(&method.value)?;
            return self.method(owner, &method.attr, call);
        }
        let function = match &*call.func {
            py::Expr::Name(name) => self.name(name)?.describe(),
            _ => "this".to_owned(),
        };
        Err(self.cx.error(span, format!("unsupported: a call of {function}")))
    }
}
