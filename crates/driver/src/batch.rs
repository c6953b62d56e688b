//! Several inputs in one command: files, and folders that hold a launch file beside an input, or captured launches.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use wavemark_diag::Diagnostic;

use crate::files::folders;
use crate::input::CAPTURED;

/// One thing to run or check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// The input; `-` for standard input.
    pub input: PathBuf,
    /// Its launch file.
    pub launch: Option<PathBuf>,
}

/// What the user has named, folders replaced by what is in and below them, by path. `launch` is for every file that is
/// named itself; in a folder it is `launch.toml`, and captured launches need none.
///
/// # Errors
/// A folder that cannot be read, or that has nothing to run.
pub fn expand(inputs: &[PathBuf], launch: Option<&Path>) -> Result<Vec<Item>, Diagnostic> {
    let mut items = Vec::new();
    for input in inputs {
        if !input.is_dir() {
            items.push(Item { input: input.clone(), launch: launch.map(Path::to_owned) });
            continue;
        }
        if launch.is_some() {
            let problem = format!(
                "--launch is for files: {} is a folder, with launch files of its own",
                input.display()
            );
            return Err(Diagnostic::error(problem));
        }
        let before = items.len();
        for folder in folders(input).map_err(Diagnostic::error)? {
            let unreadable = |error: std::io::Error| {
                Diagnostic::error(format!("cannot read {}: {error}", folder.display()))
            };
            let entries = std::fs::read_dir(&folder).map_err(unreadable)?;
            let paths = entries.map(|entry| entry.map(|entry| entry.path()));
            let mut paths = paths.collect::<Result<Vec<_>, _>>().map_err(unreadable)?;
            paths.sort();
            let launch = folder.join("launch.toml");
            let launched = if launch.is_file() { inputs_among(&paths) } else { Vec::new() };
            items.extend(
                launched.into_iter().map(|input| Item { input: input.clone(), launch: Some(launch.clone()) }),
            );
            let captured = with_extension(&paths, &[CAPTURED]).into_iter();
            items.extend(captured.map(|input| Item { input: input.clone(), launch: None }));
        }
        if items.len() == before {
            let problem =
                format!("{} holds no launch.toml beside an input, and no captured launch", input.display());
            return Err(Diagnostic::error(problem)
                .note("an input is a code object, an assembly text, or else a TVMScript module or LLVM IR"));
        }
    }
    Ok(items)
}

/// The inputs among the files of a folder: its code objects and the assembly texts that are no listings of one; where
/// there are none, its programs.
fn inputs_among(paths: &[PathBuf]) -> Vec<&PathBuf> {
    let mut found = with_extension(paths, &["hsaco", "co", "o"]);
    let listed: Vec<_> = found.iter().map(|path| path.file_stem()).collect();
    let texts = with_extension(paths, &["s", "asm", "amdgcn"]);
    let own: Vec<_> = texts.into_iter().filter(|text| !listed.contains(&text.file_stem())).collect();
    found.extend(own);
    if found.is_empty() { with_extension(paths, &["py", "ll"]) } else { found }
}

fn with_extension<'p>(paths: &'p [PathBuf], extensions: &[&str]) -> Vec<&'p PathBuf> {
    let has = |path: &Path| path.extension().is_some_and(|have| extensions.iter().any(|want| have == *want));
    paths.iter().filter(|path| path.is_file() && has(path)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_searched() {
        let root = tempfile::tempdir().unwrap();
        let touch = |name: &str| {
            let path = root.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        };
        for name in ["b/launch.toml", "b/kernel.s", "b/kernel.hsaco", "b/other.s", "b/make.py"] {
            touch(name);
        }
        for name in ["a/launch.toml", "a/tile.py", "c/kernel.s", "d/launch.toml", "e/notes.txt"] {
            touch(name);
        }
        let named = |items: Vec<Item>| -> Vec<String> {
            items
                .iter()
                .map(|item| item.input.strip_prefix(root.path()).unwrap().display().to_string())
                .collect()
        };
        let found = expand(&[root.path().to_owned()], None).unwrap();
        assert!(
            found
                .iter()
                .all(|item| item.launch.as_ref().is_some_and(|launch| launch.ends_with("launch.toml")))
        );
        assert_eq!(named(found), ["a/tile.py", "b/kernel.hsaco", "b/other.s"]);
        assert!(expand(&[root.path().join("d")], None).is_err());
        assert!(expand(&[root.path().to_owned()], Some(Path::new("l.toml"))).is_err());
        let file = expand(&[root.path().join("c/kernel.s")], Some(Path::new("l.toml"))).unwrap();
        assert_eq!(file[0].launch.as_deref(), Some(Path::new("l.toml")));
    }
}
