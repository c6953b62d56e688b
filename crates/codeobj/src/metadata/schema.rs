//! What metadata may look like, as tables, and the walk that compares a tree with them.
//!
//! The walk does not stop at the first mistake: each is reported with the path of its key. What depends on more
//! than one key, or on the version, is in [`super::rules`].

use std::fmt;

use super::MetadataError;
use crate::value::Value;

/// A key of a record.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The key.
    pub key: &'static str,
    /// Whether it must be there.
    pub required: bool,
    /// What its value looks like.
    pub shape: Shape,
}

/// What a value looks like.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// A string.
    String,
    /// One of these strings.
    OneOf(&'static [&'static str]),
    /// `true` or `false`.
    Bool,
    /// `true`, `false`, 0 or 1.
    Flag,
    /// An integer from 0 to this one.
    Uint(u64),
    /// Bytes.
    Binary,
    /// So many integers.
    Ints(usize),
    /// A sequence.
    Seq(&'static Shape),
    /// A map with these keys, and others that are nobody's business here.
    Record(&'static [Row]),
    /// A map from names that the table does not know.
    Names(&'static Shape),
    /// A map from 32-bit numbers to 32-bit numbers.
    Registers,
}

/// Mistakes that are told of one tree; a tree that is nothing but mistakes must not take memory without end.
pub(super) const MAX_FOUND: usize = 200;

impl Shape {
    /// Adds what is wrong with a tree to `found`.
    pub(super) fn check(&self, value: &Value, found: &mut Vec<MetadataError>) {
        self.check_at(value, Path::Root, found);
    }

    fn check_at(&self, value: &Value, path: Path<'_>, found: &mut Vec<MetadataError>) {
        if found.len() >= MAX_FOUND {
            return;
        }
        let mut wrong = |what: String| found.push(MetadataError { path: path.to_string(), what });
        let mut mismatch = |expected: &str| wrong(format!("expected {expected}, found {}", value.kind()));
        match (self, value) {
            (Shape::String, Value::String(_))
            | (Shape::Bool, Value::Bool(_))
            | (Shape::Flag, Value::Bool(_) | Value::Uint(0 | 1))
            | (Shape::Binary, Value::Binary(_)) => {}
            (Shape::OneOf(names), Value::String(name)) => {
                if !names.contains(&name.as_str()) {
                    wrong(format!("`{name}` is none of {}", names.join(", ")));
                }
            }
            (Shape::Uint(max), Value::Uint(value)) => {
                if value > max {
                    wrong(format!("{value} is beyond {} bits", max.count_ones()));
                }
            }
            (Shape::Uint(_), Value::Int(i)) => {
                wrong(format!("expected an integer that is not negative, found {i}"))
            }
            (Shape::Ints(count), Value::Seq(items)) => {
                if items.len() != *count {
                    wrong(format!("expected {count} integers, found {}", items.len()));
                }
                for (index, item) in items.iter().enumerate() {
                    Shape::Uint(u64::MAX).check_at(item, Path::Item(&path, index), found);
                }
            }
            (Shape::Seq(shape), Value::Seq(items)) => {
                for (index, item) in items.iter().enumerate() {
                    shape.check_at(item, Path::Item(&path, index), found);
                }
            }
            (Shape::Record(rows), Value::Map(map)) => {
                for row in *rows {
                    let path = Path::Key(&path, row.key);
                    match map.get(row.key) {
                        Some(value) => row.shape.check_at(value, path, found),
                        None if row.required => found
                            .push(MetadataError { path: path.to_string(), what: "is missing".to_owned() }),
                        None => {}
                    }
                }
            }
            (Shape::Names(shape), Value::Map(map)) => {
                for (name, value) in map {
                    shape.check_at(value, Path::Key(&path, name), found);
                }
            }
            (Shape::Registers, Value::IntMap(map)) => {
                for (register, value) in map {
                    let path = Path::Register(&path, *register);
                    Shape::Uint(u32::MAX.into()).check_at(&Value::Uint(*register), path, found);
                    Shape::Uint(u32::MAX.into()).check_at(value, path, found);
                }
            }
            // A map without entries does not say what its keys would be.
            (Shape::Registers, Value::Map(map)) if map.is_empty() => {}
            (Shape::String | Shape::OneOf(_), _) => mismatch("a string"),
            (Shape::Bool, _) => mismatch("a boolean"),
            (Shape::Flag, _) => mismatch("a boolean, 0 or 1"),
            (Shape::Uint(_), _) => mismatch("an integer"),
            (Shape::Binary, _) => mismatch("bytes"),
            (Shape::Ints(_) | Shape::Seq(_), _) => mismatch("a sequence"),
            (Shape::Record(_) | Shape::Names(_), _) => mismatch("a map"),
            (Shape::Registers, _) => mismatch("a map of numbers"),
        }
    }
}

/// What leads to a value; written out only where there is something to say of it.
#[derive(Clone, Copy)]
enum Path<'a> {
    Root,
    Key(&'a Path<'a>, &'a str),
    Item(&'a Path<'a>, usize),
    Register(&'a Path<'a>, u64),
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Path::Root => Ok(()),
            Path::Key(path, key) => f.write_str(&join(&path.to_string(), key)),
            Path::Item(path, index) => write!(f, "{path}[{index}]"),
            Path::Register(path, register) => write!(f, "{path}[{register:#x}]"),
        }
    }
}

/// A path and a key under it; keys that begin with a dot need none between.
pub(super) fn join(path: &str, key: &str) -> String {
    let joint = if path.is_empty() || key.starts_with('.') { "" } else { "." };
    format!("{path}{joint}{key}")
}
