//! What is wrong with a file, and at which byte.

use wavemark_target::EFlagsError;

/// A file cannot be used: what is wrong and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("at byte {offset:#x}: {kind}")]
pub struct Error {
    /// Byte offset into the file (or, for compressed bundles, into what it unpacks to).
    pub offset: u64,
    /// What is wrong there.
    pub kind: ErrorKind,
}

/// What is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ErrorKind {
    /// Something reaches beyond the end of the file.
    #[error("{what}: {need} bytes needed, {have} left")]
    Truncated {
        /// What should be there.
        what: String,
        /// Its size in bytes.
        need: u64,
        /// Bytes from the offset to the end.
        have: u64,
    },
    /// Something else than what the format asks for.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// What the format asks for.
        expected: String,
        /// What is there.
        found: String,
    },
    /// Valid, perhaps, but not supported; says what by name.
    #[error("{0} is not supported")]
    Unsupported(String),
    /// The header's `e_flags` names no known target.
    #[error(transparent)]
    EFlags(#[from] EFlagsError),
    /// The metadata is not what the guide asks for.
    #[error("metadata: {0}")]
    Metadata(String),
}

impl Error {
    /// An error of kind [`ErrorKind::Expected`].
    pub(crate) fn expected(offset: u64, expected: impl Into<String>, found: impl Into<String>) -> Error {
        Error { offset, kind: ErrorKind::Expected { expected: expected.into(), found: found.into() } }
    }

    /// An error of kind [`ErrorKind::Unsupported`].
    pub(crate) fn unsupported(offset: u64, what: impl Into<String>) -> Error {
        Error { offset, kind: ErrorKind::Unsupported(what.into()) }
    }
}
