//! Reading a TOML document strictly: every mistake has a place, and no key is ignored.
//!
//! For: launch files and verdict files. Mistakes are collected, so that one reading reports all of them.

use toml::Spanned;
use toml::de::{DeTable, DeValue};
use wavemark_diag::{Diagnostic, FileId, Span};

/// A value with its place.
pub(crate) type Node<'i> = Spanned<DeValue<'i>>;

/// Collects the mistakes of one document.
pub(crate) struct Document {
    file: FileId,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl Document {
    /// The root table of `text`; of its syntax errors the first is collected (the others mostly follow from it).
    pub(crate) fn parse(file: FileId, text: &str) -> (Document, Spanned<DeTable<'_>>) {
        let (root, errors) = DeTable::parse_recoverable(text);
        let mut document = Document { file, diagnostics: Vec::new() };
        for error in errors.into_iter().take(1) {
            let message = error.message().trim_end().replace('\n', ", ");
            let mut diagnostic = Diagnostic::error(format!("not TOML: {message}"));
            if let Some(range) = error.span() {
                diagnostic = diagnostic.at(Span::new(file, range));
            }
            document.diagnostics.push(diagnostic);
        }
        (document, root)
    }

    /// The document's file.
    pub(crate) fn file(&self) -> FileId {
        self.file
    }

    /// The place of a node.
    pub(crate) fn span<T>(&self, node: &Spanned<T>) -> Span {
        Span::new(self.file, node.span())
    }

    /// Collects an error at `span`.
    pub(crate) fn error(&mut self, span: Span, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(message).at(span));
    }

    /// Reports each key of `table` that is not in `known`, with the nearest that is. `whose` reads "of an argument".
    pub(crate) fn unknown_keys(&mut self, table: &DeTable<'_>, known: &[&str], whose: &str) {
        for key in table.keys() {
            let name: &str = key.get_ref();
            if known.contains(&name) {
                continue;
            }
            let diagnostic = Diagnostic::error(format!("unknown key `{name}` {whose}")).at(self.span(key));
            self.diagnostics.push(match wavemark_diag::nearest(name, known.iter().copied()) {
                Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
                None => diagnostic.help(format!("the keys are {}", known.join(", "))),
            });
        }
    }

    fn wrong_type<T>(&mut self, node: &Node<'_>, name: &str, expected: &str) -> Option<T> {
        let found = with_article(node.get_ref().type_str());
        let span = self.span(node);
        self.error(span, format!("`{name}` must be {expected}, found {found}"));
        None
    }

    /// A string.
    pub(crate) fn string<'a>(&mut self, node: &'a Node<'_>, name: &str) -> Option<&'a str> {
        match node.get_ref().as_str() {
            Some(text) => Some(text),
            None => self.wrong_type(node, name, "a string"),
        }
    }

    /// `true` or `false`.
    pub(crate) fn boolean(&mut self, node: &Node<'_>, name: &str) -> Option<bool> {
        match node.get_ref().as_bool() {
            Some(flag) => Some(flag),
            None => self.wrong_type(node, name, "true or false"),
        }
    }

    /// An array.
    pub(crate) fn array<'a, 'i>(&mut self, node: &'a Node<'i>, name: &str) -> Option<&'a [Node<'i>]> {
        match node.get_ref().as_array() {
            Some(items) => Some(items),
            None => self.wrong_type(node, name, "an array"),
        }
    }

    /// The tables of `[[name]]`.
    pub(crate) fn tables<'a, 'i>(&mut self, node: &'a Node<'i>, name: &str) -> Vec<(Span, &'a DeTable<'i>)> {
        let Some(items) = node.get_ref().as_array() else {
            self.wrong_type::<()>(node, name, &format!("a list of tables, written [[{name}]]"));
            return Vec::new();
        };
        let mut tables = Vec::new();
        for item in items.iter() {
            match item.get_ref().as_table() {
                Some(table) => tables.push((self.span(item), table)),
                None => {
                    self.wrong_type::<()>(item, name, &format!("a list of tables, written [[{name}]]"));
                }
            }
        }
        tables
    }

    /// An integer of any size that TOML can spell (beyond 127 bits: an error).
    pub(crate) fn integer(&mut self, node: &Node<'_>, name: &str) -> Option<i128> {
        match integer_of(node.get_ref()) {
            Some(Some(value)) => Some(value),
            Some(None) => {
                let span = self.span(node);
                self.error(span, format!("`{name}` is too large"));
                None
            }
            None => self.wrong_type(node, name, "an integer"),
        }
    }

    /// An integer of `low..=high`.
    pub(crate) fn integer_within(
        &mut self,
        node: &Node<'_>,
        name: &str,
        low: i128,
        high: i128,
    ) -> Option<i128> {
        let value = self.integer(node, name)?;
        if (low..=high).contains(&value) {
            return Some(value);
        }
        let span = self.span(node);
        let range = if value < low { format!("at least {low}") } else { format!("at most {high}") };
        self.error(span, format!("`{name}` must be {range}, found {value}"));
        None
    }

    /// An integer or a float, as a float.
    pub(crate) fn number(&mut self, node: &Node<'_>, name: &str) -> Option<f64> {
        match node.get_ref() {
            DeValue::Float(float) => match float.as_str().parse() {
                Ok(value) => Some(value),
                Err(_) => self.wrong_type(node, name, "a number"),
            },
            DeValue::Integer(_) => self.integer(node, name).map(|value| value as f64),
            _ => self.wrong_type(node, name, "a number"),
        }
    }

    /// An array of strings.
    pub(crate) fn strings(&mut self, node: &Node<'_>, name: &str) -> Option<Vec<String>> {
        let items = self.array(node, name)?;
        items.iter().map(|item| self.string(item, name).map(str::to_owned)).collect()
    }
}

/// `None`: no integer; `Some(None)`: one that does not fit.
fn integer_of(value: &DeValue<'_>) -> Option<Option<i128>> {
    let integer = value.as_integer()?;
    Some(i128::from_str_radix(integer.as_str(), integer.radix()).ok())
}

fn with_article(kind: &str) -> String {
    let article = if kind.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {kind}")
}
