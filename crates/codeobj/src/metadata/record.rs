//! The types that fields of metadata records have, and the macros that make records and vocabularies of tables.
//!
//! A field's key, type and presence are said once, in the row of its record: reading, writing and the rows that
//! [`super::schema`] validates by all come from there.

use wavemark_target::AddressSpace;

use super::MetadataError;
use super::schema::Shape;
use crate::value::Value;

/// A type that a field of a record can have.
pub(super) trait FieldType: Sized {
    /// What a value of the type looks like in metadata.
    const SHAPE: Shape;

    fn read(value: Value) -> Result<Self, MetadataError>;
    fn write(&self) -> Value;
}

pub(super) fn mismatch<T>(expected: &str, found: &Value) -> Result<T, MetadataError> {
    Err(MetadataError::new(format!("expected {expected}, found {}", found.kind())))
}

impl FieldType for String {
    const SHAPE: Shape = Shape::String;

    fn read(value: Value) -> Result<Self, MetadataError> {
        match value {
            Value::String(text) => Ok(text),
            // YAML text such as `.name: 1` or `.name: true` is meant as a string here.
            Value::Uint(u) => Ok(u.to_string()),
            Value::Bool(b) => Ok(b.to_string()),
            other => mismatch("a string", &other),
        }
    }

    fn write(&self) -> Value {
        Value::String(self.clone())
    }
}

impl FieldType for bool {
    const SHAPE: Shape = Shape::Bool;

    fn read(value: Value) -> Result<Self, MetadataError> {
        match value {
            Value::Bool(b) => Ok(b),
            Value::Uint(u @ (0 | 1)) => Ok(u == 1),
            other => mismatch("a boolean", &other),
        }
    }

    fn write(&self) -> Value {
        Value::Bool(*self)
    }
}

impl FieldType for u64 {
    const SHAPE: Shape = Shape::Uint(u64::MAX);

    fn read(value: Value) -> Result<Self, MetadataError> {
        match value {
            Value::Uint(u) => Ok(u),
            Value::Bool(b) => Ok(b.into()),
            Value::Int(i) => {
                Err(MetadataError::new(format!("expected an integer that is not negative, found {i}")))
            }
            other => mismatch("an integer", &other),
        }
    }

    fn write(&self) -> Value {
        Value::Uint(*self)
    }
}

impl FieldType for u32 {
    const SHAPE: Shape = Shape::Uint(u32::MAX as u64);

    fn read(value: Value) -> Result<Self, MetadataError> {
        let wide = u64::read(value)?;
        u32::try_from(wide).map_err(|_| MetadataError::new(format!("{wide} is beyond 32 bits")))
    }

    fn write(&self) -> Value {
        Value::Uint(u64::from(*self))
    }
}

impl<T: FieldType> FieldType for Vec<T> {
    const SHAPE: Shape = Shape::Seq(&T::SHAPE);

    fn read(value: Value) -> Result<Self, MetadataError> {
        let Value::Seq(items) = value else { return mismatch("a sequence", &value) };
        let item = |(i, item)| T::read(item).map_err(|e| e.under(&format!("[{i}]")));
        items.into_iter().enumerate().map(item).collect()
    }

    fn write(&self) -> Value {
        Value::Seq(self.iter().map(T::write).collect())
    }
}

impl<const N: usize> FieldType for [u32; N] {
    const SHAPE: Shape = Shape::Ints(N);

    fn read(value: Value) -> Result<Self, MetadataError> {
        let items = Vec::<u32>::read(value)?;
        let count = items.len();
        items.try_into().map_err(|_| MetadataError::new(format!("expected {N} integers, found {count}")))
    }

    fn write(&self) -> Value {
        Value::Seq(self.iter().map(u32::write).collect())
    }
}

impl FieldType for AddressSpace {
    const SHAPE: Shape = Shape::OneOf(&[
        AddressSpace::Private.name(),
        AddressSpace::Global.name(),
        AddressSpace::Constant.name(),
        AddressSpace::Local.name(),
        AddressSpace::Generic.name(),
        AddressSpace::Region.name(),
    ]);

    fn read(value: Value) -> Result<Self, MetadataError> {
        let name = String::read(value)?;
        let known = AddressSpace::ALL.into_iter().find(|space| space.name() == name);
        known.ok_or_else(|| MetadataError::new(format!("`{name}` is no address space")))
    }

    fn write(&self) -> Value {
        Value::String(self.name().to_owned())
    }
}

/// A vocabulary from a table of names.
macro_rules! names {
    ($(#[$doc:meta])* $type:ident { $($(#[$row_doc:meta])* $variant:ident $name:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub enum $type {
            $($(#[$row_doc])* #[doc = concat!("`", $name, "`.")] $variant,)*
            /// A name that the guide does not list.
            Other(String),
        }

        impl $type {
            /// The name in metadata.
            pub fn name(&self) -> &str {
                match self {
                    $($type::$variant => $name,)*
                    $type::Other(name) => name,
                }
            }

            /// What a name in metadata means.
            pub fn by_name(name: &str) -> $type {
                match name {
                    $($name => $type::$variant,)*
                    other => $type::Other(other.to_owned()),
                }
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }

        impl FieldType for $type {
            const SHAPE: Shape = Shape::OneOf(&[$($name),*]);

            fn read(value: Value) -> Result<Self, MetadataError> {
                Ok($type::by_name(&String::read(value)?))
            }

            fn write(&self) -> Value {
                Value::String(self.name().to_owned())
            }
        }
    };
}

/// One record type from a table of `key: field: type, presence`.
macro_rules! record {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $key:literal $field:ident: $presence:ident $type:ty,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name {
            $($(#[$field_doc])* pub $field: record!(@type $presence $type),)*
            /// Keys beyond those, as they were.
            pub other: IndexMap<String, Value>,
        }

        impl $name {
            /// The keys of the record.
            pub(crate) const ROWS: &'static [Row] = &[$(record!(@row $presence $type, $key)),*];
        }

        impl FieldType for $name {
            const SHAPE: Shape = Shape::Record($name::ROWS);

            fn read(value: Value) -> Result<Self, MetadataError> {
                let Value::Map(mut map) = value else { return mismatch("a map", &value) };
                Ok($name {
                    $($field: record!(@read $presence $type, map.shift_remove($key), $key),)*
                    other: map,
                })
            }

            fn write(&self) -> Value {
                let mut map = self.other.clone();
                $(record!(@write $presence map, $key, self.$field);)*
                Value::Map(map)
            }
        }
    };
    (@row list $type:ty, $key:literal) => {
        Row { key: $key, required: false, shape: <Vec<$type> as FieldType>::SHAPE }
    };
    (@row required_list $type:ty, $key:literal) => {
        Row { key: $key, required: true, shape: <Vec<$type> as FieldType>::SHAPE }
    };
    (@row required $type:ty, $key:literal) => {
        Row { key: $key, required: true, shape: <$type as FieldType>::SHAPE }
    };
    (@row optional $type:ty, $key:literal) => {
        Row { key: $key, required: false, shape: <$type as FieldType>::SHAPE }
    };
    (@row flag $type:ty, $key:literal) => { Row { key: $key, required: false, shape: Shape::Flag } };
    (@type flag $type:ty) => { Option<$type> };
    (@type required $type:ty) => { $type };
    (@type required_list $type:ty) => { Vec<$type> };
    (@type optional $type:ty) => { Option<$type> };
    (@type list $type:ty) => { Vec<$type> };
    (@read required $type:ty, $value:expr, $key:literal) => {
        match $value {
            Some(value) => <$type>::read(value).map_err(|e| e.under($key))?,
            None => return Err(MetadataError::new("is missing").under($key)),
        }
    };
    (@read optional $type:ty, $value:expr, $key:literal) => {
        $value.map(<$type>::read).transpose().map_err(|e| e.under($key))?
    };
    (@read list $type:ty, $value:expr, $key:literal) => {
        $value.map(Vec::<$type>::read).transpose().map_err(|e| e.under($key))?.unwrap_or_default()
    };
    (@read flag $type:ty, $value:expr, $key:literal) => { record!(@read optional $type, $value, $key) };
    (@write flag $map:ident, $key:literal, $value:expr) => { record!(@write optional $map, $key, $value) };
    // Assembly may leave an empty list out; a code object may not, see `schema`.
    (@read required_list $type:ty, $value:expr, $key:literal) => { record!(@read list $type, $value, $key) };
    (@write required_list $map:ident, $key:literal, $value:expr) => { $map.insert($key.to_owned(), $value.write()); };
    (@write required $map:ident, $key:literal, $value:expr) => { $map.insert($key.to_owned(), $value.write()); };
    (@write optional $map:ident, $key:literal, $value:expr) => {
        if let Some(value) = &$value { $map.insert($key.to_owned(), value.write()); }
    };
    (@write list $map:ident, $key:literal, $value:expr) => {
        if !$value.is_empty() { $map.insert($key.to_owned(), $value.write()); }
    };
}

pub(super) use {names, record};
