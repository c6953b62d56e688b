//! Folders of cases: a launch file, a kernel, and perhaps a verdict file; run one by one and scored.
//!
//! A case is a folder that has `launch.toml` and `kernel.s` or `kernel.hsaco`. Which of the two is run: the one that
//! the verdict names, else the one the caller prefers, else the one there is.

use std::path::{Path, PathBuf};

use wavemark_diag::{SourceMap, render_short};

use crate::files::folders_with;
use crate::verdict::{self, Score, Verdict};

/// Which kernel file to run where a case has both and its verdict does not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prefer {
    /// `kernel.hsaco`.
    Object,
    /// `kernel.s`.
    Assembly,
}

/// A folder with a kernel to run.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The folder.
    pub folder: PathBuf,
    /// The kernel file.
    pub input: PathBuf,
    /// The launch file.
    pub launch: PathBuf,
    /// What must come out; `None`: a right kernel with right outputs.
    pub verdict: Option<Verdict>,
}

/// The scores of many cases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// As they must be.
    pub passed: usize,
    /// Not so.
    pub failed: usize,
    /// Not scored.
    pub ambiguous: usize,
}

impl Tally {
    /// Counts one more.
    pub fn add(&mut self, score: &Score) {
        match score {
            Score::Pass => self.passed += 1,
            Score::Fail(_) => self.failed += 1,
            Score::Ambiguous(_) => self.ambiguous += 1,
        }
    }
}

/// All cases in and below `folder`, by path. An error names the folder or verdict file that cannot be read.
pub fn find(folder: &Path, prefer: Prefer) -> Result<Vec<Case>, String> {
    let folders = folders_with(folder, "launch.toml")?;
    folders.iter().filter_map(|folder| case(folder, prefer).transpose()).collect()
}

fn case(folder: &Path, prefer: Prefer) -> Result<Option<Case>, String> {
    let verdict = read_verdict(&folder.join("expect.toml"))?;
    let named = verdict.as_ref().and_then(|verdict| verdict.input.clone());
    let order = match prefer {
        Prefer::Object => ["kernel.hsaco", "kernel.s"],
        Prefer::Assembly => ["kernel.s", "kernel.hsaco"],
    };
    let candidates = named.iter().map(String::as_str).chain(order);
    let input = candidates.map(|name| folder.join(name)).find(|path| path.is_file());
    Ok(input.map(|input| Case {
        folder: folder.to_owned(),
        input,
        launch: folder.join("launch.toml"),
        verdict,
    }))
}

fn read_verdict(path: &Path) -> Result<Option<Verdict>, String> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(format!("cannot read {}: {error}", path.display())),
    };
    let mut sources = SourceMap::new();
    let file = sources.add_text(path.display().to_string(), text.as_str());
    verdict::parse(file, &text).map(Some).map_err(|diagnostics| {
        diagnostics.iter().map(|diagnostic| render_short(&sources, diagnostic)).collect::<Vec<_>>().join("\n")
    })
}
