//! The tree that metadata is before and after it is typed: what YAML and MessagePack both can say.
//!
//! Map keys are strings, or numbers in the register maps of `amdpal` code, and keep their order; both writers sort
//! them, as LLVM does. YAML has no binary values: they are shown as text and do not come back.

use std::fmt;

use indexmap::IndexMap;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

/// How deep a tree may be; metadata needs five levels.
const MAX_DEPTH: usize = 64;

/// A tree of scalars, sequences and maps.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Nothing.
    Nil,
    /// A truth value.
    Bool(bool),
    /// A number that is not negative.
    Uint(u64),
    /// A negative number.
    Int(i64),
    /// A floating-point number.
    Float(f64),
    /// Text.
    String(String),
    /// Bytes.
    Binary(Vec<u8>),
    /// A sequence.
    Seq(Vec<Value>),
    /// A map with its entries in order.
    Map(IndexMap<String, Value>),
    /// A map whose keys are numbers, and which is not empty.
    IntMap(IndexMap<u64, Value>),
}

impl Value {
    /// What kind of value it is, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Nil => "nothing",
            Value::Bool(_) => "a boolean",
            Value::Uint(_) | Value::Int(_) => "an integer",
            Value::Float(_) => "a float",
            Value::String(_) => "a string",
            Value::Binary(_) => "bytes",
            Value::Seq(_) => "a sequence",
            Value::Map(_) => "a map",
            Value::IntMap(_) => "a map of numbers",
        }
    }

    /// Reads MessagePack. The error says at which byte of the input, and what is wrong.
    pub fn from_message_pack(bytes: &[u8]) -> Result<Value, (usize, String)> {
        let mut rest = bytes;
        let read = rmpv::decode::read_value_with_max_depth(&mut rest, MAX_DEPTH);
        let at = bytes.len() - rest.len();
        let value = read.map_err(|e| (at, format!("not MessagePack: {e}")))?;
        if let Some(extra) = rest.iter().position(|&b| b != 0) {
            return Err((at + extra, "bytes after the end of the MessagePack document".to_owned()));
        }
        from_rmpv(value).map_err(|message| (at, message))
    }

    /// MessagePack, with the keys of maps sorted and numbers in the shortest form.
    pub fn to_message_pack(&self) -> Vec<u8> {
        let mut out = Vec::new();
        rmpv::encode::write_value(&mut out, &to_rmpv(self)).expect("a Vec takes every byte");
        out
    }

    /// Reads one YAML document. The error has line and column, both from 1.
    pub fn from_yaml(text: &str) -> Result<Value, YamlError> {
        serde_saphyr::from_str(text).map_err(|e| {
            let (line, column) = e.location().map_or((1, 1), |l| (l.line() as u32, l.column() as u32));
            YamlError { line, column, message: e.without_snippet().to_string() }
        })
    }

    /// YAML in block style with every string on one line, as LLVM's parser takes it; the keys of maps sorted.
    pub fn to_yaml(&self) -> String {
        let options = serde_saphyr::ser_options! { prefer_block_scalars: false, compact_list_indent: false };
        serde_saphyr::to_string_with_options(self, options)
            .unwrap_or_else(|e| unreachable!("a tree of plain values serialises: {e}"))
    }
}

/// Text that is not YAML.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {message}")]
pub struct YamlError {
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// What is wrong.
    pub message: String,
}

fn from_rmpv(value: rmpv::Value) -> Result<Value, String> {
    Ok(match value {
        rmpv::Value::Nil => Value::Nil,
        rmpv::Value::Boolean(b) => Value::Bool(b),
        rmpv::Value::Integer(i) => match (i.as_u64(), i.as_i64()) {
            (Some(u), _) => Value::Uint(u),
            (None, Some(i)) => Value::Int(i),
            (None, None) => return Err("an integer beyond 64 bits".to_owned()),
        },
        rmpv::Value::F32(f) => Value::Float(f.into()),
        rmpv::Value::F64(f) => Value::Float(f),
        rmpv::Value::String(s) => match s.into_str() {
            Some(s) => Value::String(s),
            None => return Err("a string that is not UTF-8".to_owned()),
        },
        rmpv::Value::Binary(bytes) => Value::Binary(bytes),
        rmpv::Value::Ext(..) => return Err("an extension value, which metadata cannot have".to_owned()),
        rmpv::Value::Array(items) => Value::Seq(items.into_iter().map(from_rmpv).collect::<Result<_, _>>()?),
        rmpv::Value::Map(entries) => {
            let mut map = IndexMap::new();
            let mut int_map = IndexMap::new();
            for (key, value) in entries {
                let value = from_rmpv(value)?;
                let (twice, key) = match from_rmpv(key)? {
                    Value::String(key) => (map.insert(key.clone(), value).is_some(), key),
                    Value::Uint(key) => (int_map.insert(key, value).is_some(), key.to_string()),
                    _ => return Err("a map key that is neither a string nor a number".to_owned()),
                };
                if twice {
                    return Err(format!("the map key `{key}` twice"));
                }
            }
            match (map.is_empty(), int_map.is_empty()) {
                (_, true) => Value::Map(map),
                (true, false) => Value::IntMap(int_map),
                (false, false) => return Err("a map with strings and numbers as keys".to_owned()),
            }
        }
    })
}

fn to_rmpv(value: &Value) -> rmpv::Value {
    match value {
        Value::Nil => rmpv::Value::Nil,
        Value::Bool(b) => rmpv::Value::Boolean(*b),
        Value::Uint(u) => rmpv::Value::from(*u),
        Value::Int(i) => rmpv::Value::from(*i),
        Value::Float(f) => rmpv::Value::F64(*f),
        Value::String(s) => rmpv::Value::from(s.as_str()),
        Value::Binary(bytes) => rmpv::Value::Binary(bytes.clone()),
        Value::Seq(items) => rmpv::Value::Array(items.iter().map(to_rmpv).collect()),
        Value::Map(map) => rmpv::Value::Map(
            sorted(map).into_iter().map(|(k, v)| (rmpv::Value::from(k.as_str()), to_rmpv(v))).collect(),
        ),
        Value::IntMap(map) => rmpv::Value::Map(
            sorted(map).into_iter().map(|(&k, v)| (rmpv::Value::from(k), to_rmpv(v))).collect(),
        ),
    }
}

fn sorted<K: Ord>(map: &IndexMap<K, Value>) -> Vec<(&K, &Value)> {
    let mut entries: Vec<_> = map.iter().collect();
    entries.sort_by_key(|(key, _)| *key);
    entries
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Nil => serializer.serialize_unit(),
            Value::Bool(b) => serializer.serialize_bool(*b),
            Value::Uint(u) => serializer.serialize_u64(*u),
            Value::Int(i) => serializer.serialize_i64(*i),
            Value::Float(f) => serializer.serialize_f64(*f),
            Value::String(s) => serializer.serialize_str(s),
            Value::Seq(items) => {
                let mut seq = serializer.serialize_seq(Some(items.len()))?;
                for item in items {
                    seq.serialize_element(item)?;
                }
                seq.end()
            }
            Value::Map(map) => {
                let mut out = serializer.serialize_map(Some(map.len()))?;
                for (key, value) in sorted(map) {
                    out.serialize_entry(key, value)?;
                }
                out.end()
            }
            Value::Binary(bytes) => {
                let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                serializer.serialize_str(&format!("hex:{digits}"))
            }
            Value::IntMap(map) => {
                let mut out = serializer.serialize_map(Some(map.len()))?;
                for (key, value) in sorted(map) {
                    out.serialize_entry(key, value)?;
                }
                out.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a scalar, a sequence or a map")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Nil)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Nil)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_bool<E>(self, b: bool) -> Result<Value, E> {
        Ok(Value::Bool(b))
    }

    fn visit_u64<E>(self, u: u64) -> Result<Value, E> {
        Ok(Value::Uint(u))
    }

    fn visit_i64<E>(self, i: i64) -> Result<Value, E> {
        Ok(u64::try_from(i).map_or(Value::Int(i), Value::Uint))
    }

    fn visit_f64<E>(self, f: f64) -> Result<Value, E> {
        Ok(Value::Float(f))
    }

    fn visit_str<E>(self, s: &str) -> Result<Value, E> {
        Ok(Value::String(s.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element()? {
            items.push(item);
        }
        Ok(Value::Seq(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut map = IndexMap::new();
        while let Some((key, value)) = access.next_entry::<String, Value>()? {
            map.insert(key, value);
        }
        Ok(Value::Map(map))
    }
}
