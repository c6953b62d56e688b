//! One thing to tell the user about an input.

use crate::Span;

/// How bad it is. A diagnostic of severity [`Severity::Error`] makes the input unusable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Could be better.
    Advice,
    /// Works, perhaps by luck.
    Warning,
    /// Unusable or undefined.
    Error,
}

impl Severity {
    /// `error`, `warning` or `advice`.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Advice => "advice",
        }
    }
}

/// A marked range with a remark (may be empty).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// What is marked.
    pub span: Span,
    /// The remark.
    pub message: String,
}

/// A message with the places it speaks of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// One sentence, lower case, without a full stop.
    pub message: String,
    /// Where; `None` when it concerns no place in particular (a missing file).
    pub primary: Option<Box<Label>>,
    /// Other places that explain it.
    pub labels: Vec<Label>,
    /// Remarks below it.
    pub notes: Vec<String>,
    /// What the user could do.
    pub help: Vec<String>,
}

impl Diagnostic {
    /// A diagnostic without a place.
    pub fn new(severity: Severity, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity,
            message: message.into(),
            primary: None,
            labels: Vec::new(),
            notes: Vec::new(),
            help: Vec::new(),
        }
    }

    /// An error without a place.
    pub fn error(message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Error, message)
    }

    /// A warning without a place.
    pub fn warning(message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Warning, message)
    }

    /// Puts it at `span`.
    pub fn at(self, span: Span) -> Diagnostic {
        self.at_with(span, "")
    }

    /// Puts it at `span`, with a remark there.
    pub fn at_with(mut self, span: Span, remark: impl Into<String>) -> Diagnostic {
        self.primary = Some(Box::new(Label { span, message: remark.into() }));
        self
    }

    /// Marks another place.
    pub fn label(mut self, span: Span, remark: impl Into<String>) -> Diagnostic {
        self.labels.push(Label { span, message: remark.into() });
        self
    }

    /// Adds a remark below.
    pub fn note(mut self, note: impl Into<String>) -> Diagnostic {
        self.notes.push(note.into());
        self
    }

    /// Adds advice below.
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help.push(help.into());
        self
    }

    /// Where it is, if anywhere.
    pub fn span(&self) -> Option<Span> {
        self.primary.as_ref().map(|label| label.span)
    }

    /// Whether it makes the input unusable.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}
