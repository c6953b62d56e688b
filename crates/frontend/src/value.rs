//! What a Python expression of the text stands for while it is read. Python's own numbers stay what they are until
//! an operator with an expression or a place in the program decides their type.

use wavemark_diag::Span;
use wavemark_tile::{BufferId, Dtype, Expr};

/// An index of a subscript.
#[derive(Clone, Debug)]
pub enum Index {
    /// One element.
    Point(Expr),
    /// `from:to`; an end that is absent is the dimension's.
    Slice(Option<Expr>, Option<Expr>),
}

/// What a Python expression stands for.
#[derive(Clone, Debug)]
pub enum Value {
    /// `None`.
    None,
    /// `True` or `False`.
    Bool(bool),
    /// A Python integer.
    Int(i64),
    /// A Python float.
    Float(f64),
    /// A Python string.
    Str(String),
    /// A list or tuple, each item with its place.
    List(Vec<(Value, Span)>),
    /// A dictionary with string keys, in order.
    Dict(Vec<(String, Value)>),
    /// An expression of the program.
    Expr(Expr),
    /// A buffer.
    Buffer(BufferId),
    /// A box of a buffer: a subscript with a slice in it.
    Box(BufferId, Vec<Index>),
    /// A variable just made by `T.int32()`: it gets its name from the assignment.
    NewVar(Dtype),
    /// `T.target(…)`.
    Target(Box<Value>),
    /// A name of the script modules that is not a value: `T.axis`, `T.float32`, `range`.
    Path(String),
}

impl Value {
    /// What it is, for messages.
    pub fn describe(&self) -> String {
        match self {
            Value::None => "None".into(),
            Value::Bool(_) => "a Python bool".into(),
            Value::Int(value) => format!("the integer {value}"),
            Value::Float(_) => "a Python float".into(),
            Value::Str(text) => format!("the string {text:?}"),
            Value::List(_) => "a list".into(),
            Value::Dict(_) => "a dictionary".into(),
            Value::Expr(expr) => format!("an expression of type {}", expr.dtype()),
            Value::Buffer(_) => "a buffer".into(),
            Value::Box(..) => "a region of a buffer".into(),
            Value::NewVar(dtype) => format!("a new variable of type {dtype}"),
            Value::Target(_) => "a target".into(),
            Value::Path(path) => format!("`{path}`"),
        }
    }

    /// It is Python's alone: nothing of a program is in it.
    pub fn is_constant(&self) -> bool {
        match self {
            Value::None | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Str(_) => true,
            Value::List(items) => items.iter().all(|(item, _)| item.is_constant()),
            Value::Dict(items) => items.iter().all(|(_, item)| item.is_constant()),
            Value::Expr(expr) => matches!(expr, Expr::Int(..) | Expr::Float(..)),
            Value::Path(path) => path.contains('.'),
            Value::Buffer(_) | Value::Box(..) | Value::NewVar(_) | Value::Target(_) => false,
        }
    }
}
