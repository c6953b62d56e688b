//! The files that a text may bring in.

use wavemark_diag::FileId;

/// What finds and reads the files of `.include` and `.incbin`. Errors are messages for the user.
pub trait Files {
    /// The text of the file that `.include` names, known to the caller's [`wavemark_diag::SourceMap`] by the id.
    ///
    /// # Errors
    /// There is no such file, or it must not or cannot be read.
    fn text(&mut self, path: &str) -> Result<(FileId, String), String>;

    /// The bytes of the file that `.incbin` names.
    ///
    /// # Errors
    /// There is no such file, or it must not or cannot be read.
    fn bytes(&mut self, path: &str) -> Result<Vec<u8>, String>;
}

/// No files at all.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFiles;

impl Files for NoFiles {
    fn text(&mut self, path: &str) -> Result<(FileId, String), String> {
        Err(format!("{path} cannot be read: this text stands alone"))
    }

    fn bytes(&mut self, path: &str) -> Result<Vec<u8>, String> {
        self.text(path).map(|_| Vec::new())
    }
}

/// What an assembly finds around it.
pub struct Environment<'a> {
    /// The files that it may bring in.
    pub files: &'a mut dyn Files,
    /// Symbols that are numbers before the text begins.
    pub defines: &'a [(String, i64)],
}
