//! Files that are not named by the user: which of them are read, and how results are written.
//!
//! An input may name files: an assembly text those that it includes, a code object the sources that it was compiled
//! from. They are looked for below the folders that the user has named, and only there: links are followed first and
//! must not lead out. They are regular files of bounded size. A result is written whole or not at all, never through a
//! link, and never in the place of an input.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use wavemark_diag::Diagnostic;

/// Largest file that an input may name.
pub const MAX_FILE_BYTES: u64 = 256 << 20;

/// The folders below which an input may name files, as they are to be searched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Roots {
    folders: Vec<PathBuf>,
}

/// Why a file that an input names is not read.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// No folder has such a file.
    #[error("there is no such file")]
    Missing,
    /// There is one, but not below the folders.
    #[error("it is outside of the folders that may be read")]
    Outside,
    /// It cannot be read, is no regular file, or is too large.
    #[error("{0}")]
    Unreadable(String),
}

impl Roots {
    /// Those folders.
    pub fn new(folders: impl IntoIterator<Item = PathBuf>) -> Roots {
        Roots { folders: folders.into_iter().collect() }
    }

    /// The folder of the input at `input`, then `more`.
    pub fn of_input(input: Option<&Path>, more: impl IntoIterator<Item = PathBuf>) -> Roots {
        let own = input.map(|path| match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
            _ => PathBuf::from("."),
        });
        Roots::new(own.into_iter().chain(more))
    }

    /// The folders.
    pub fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// Where the first file of this name is, and its contents, which are at most `limit` bytes.
    pub fn read(&self, name: &str, limit: u64) -> Result<(PathBuf, Vec<u8>), Refused> {
        let mut refused = Refused::Missing;
        for folder in &self.folders {
            let candidate = folder.join(name);
            let Ok(real) = candidate.canonicalize() else { continue };
            let below = |root: &PathBuf| root.canonicalize().is_ok_and(|root| real.starts_with(root));
            if !self.folders.iter().any(below) {
                refused = Refused::Outside;
                continue;
            }
            let bytes = read_regular(&real, limit).map_err(Refused::Unreadable)?;
            return Ok((candidate, bytes));
        }
        Err(refused)
    }
}

/// Deeper folders are not looked into: there may be a loop of links.
const MAX_DEPTH: usize = 16;

/// The folders in and below `folder` that hold a file called `name`, by path. An error names the folder that cannot be
/// read.
pub fn folders_with(folder: &Path, name: &str) -> Result<Vec<PathBuf>, String> {
    let mut folders = folders(folder)?;
    folders.retain(|folder| folder.join(name).is_file());
    Ok(folders)
}

/// The folders in and below `folder`, itself too, by path. An error names the folder that cannot be read.
pub fn folders(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    let mut left = vec![(folder.to_owned(), 0)];
    while let Some((folder, depth)) = left.pop() {
        let unreadable = |error| format!("cannot read {}: {error}", folder.display());
        for entry in std::fs::read_dir(&folder).map_err(unreadable)? {
            let path = entry.map_err(unreadable)?.path();
            if path.is_dir() && depth < MAX_DEPTH {
                left.push((path, depth + 1));
            }
        }
        found.push(folder);
    }
    found.sort();
    Ok(found)
}

/// The contents of a regular file of at most `limit` bytes.
pub fn read_regular(path: &Path, limit: u64) -> Result<Vec<u8>, String> {
    let text = |error: std::io::Error| error.to_string();
    // Looked at before it is opened: opening a pipe waits for a writer.
    if !std::fs::metadata(path).map_err(text)?.is_file() {
        return Err("not a regular file".to_owned());
    }
    let file = std::fs::File::open(path).map_err(text)?;
    let length = file.metadata().map_err(text)?.len();
    if length > limit {
        return Err(format!("larger than {}", wavemark_budget::Size(limit)));
    }
    wavemark_budget::room_for(length).map_err(|no_room| no_room.to_string())?;
    let mut bytes = Vec::new();
    file.take(limit).read_to_end(&mut bytes).map_err(text)?;
    Ok(bytes)
}

/// Whether a result is written into what `path` names, and takes the place of nothing: a device, a pipe, or what a process
/// has open (`/dev/fd/3`), which may be anything. What is behind a link of those has no name, so it is asked for itself.
fn is_written_into(path: &Path) -> bool {
    let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
    let open = folder.is_some_and(|folder| folder == Path::new("/dev") || folder.starts_with("/proc"));
    std::fs::metadata(path).is_ok_and(|about| !about.is_dir() && (open || !about.is_file()))
}

/// Writes a result to `path`: to a new file that takes its name when it is whole, or into what is no regular file, such
/// as a device. `inputs` are the files that the command reads, which it does not replace.
pub fn write<'a>(
    path: &Path,
    bytes: &[u8],
    inputs: impl IntoIterator<Item = &'a Path>,
) -> Result<(), Diagnostic> {
    let unwritable =
        |error: std::io::Error| Diagnostic::error(format!("cannot write {}: {error}", path.display()));
    if let Ok(real) = path.canonicalize()
        && inputs.into_iter().any(|input| input.canonicalize().is_ok_and(|input| input == real))
    {
        let what = format!("{} is an input, it is not replaced by a result", path.display());
        return Err(Diagnostic::error(what));
    }
    if is_written_into(path) {
        let mut device = std::fs::OpenOptions::new().write(true).open(path).map_err(unwritable)?;
        return device.write_all(bytes).map_err(unwritable);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".wavemark-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(folder).map_err(unwritable)?;
    file.write_all(bytes).map_err(unwritable)?;
    file.persist(path).map_err(|error| unwritable(error.error))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_below_their_folders_only() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        std::fs::create_dir_all(root.join("in/deep")).unwrap();
        std::fs::write(root.join("secret.s"), "secret").unwrap();
        std::fs::write(root.join("in/a.s"), "a").unwrap();
        std::fs::write(root.join("in/deep/b.s"), "b").unwrap();
        let roots = Roots::of_input(Some(&root.join("in/k.s")), []);
        let read =
            |name: &str| roots.read(name, 100).map(|(_, bytes)| bytes).map_err(|refused| refused.to_string());
        assert_eq!(read("a.s"), Ok(b"a".to_vec()));
        assert_eq!(read("deep/../deep/b.s"), Ok(b"b".to_vec()));
        assert!(read("../secret.s").is_err_and(|why| why.contains("outside")));
        assert!(read(&root.join("secret.s").display().to_string()).is_err_and(|why| why.contains("outside")));
        assert!(read("/etc/passwd").is_err());
        assert!(read("deep").is_err_and(|why| why.contains("regular")));
        assert!(read("none.s").is_err_and(|why| why.contains("no such file")));
        assert!(roots.read("a.s", 0).is_err_and(|refused| refused.to_string().contains("larger")));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(root.join("secret.s"), root.join("in/link.s")).unwrap();
            assert!(read("link.s").is_err_and(|why| why.contains("outside")));
        }
        let roots = Roots::new([root.join("in"), root.to_owned()]);
        assert_eq!(roots.read("secret.s", 100).unwrap().1, b"secret");
    }

    #[test]
    fn results_replace_no_input_and_follow_no_link() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("input.npy"), "input").unwrap();
        write(&at("new.npy"), b"new", []).unwrap();
        assert_eq!(std::fs::read(at("new.npy")).unwrap(), b"new");
        write(&at("new.npy"), b"newer", [at("input.npy").as_path()]).unwrap();
        assert_eq!(std::fs::read(at("new.npy")).unwrap(), b"newer");
        let refused = write(&at("input.npy"), b"out", [at("input.npy").as_path()]).unwrap_err();
        assert!(refused.message.contains("is an input"), "{}", refused.message);
        #[cfg(unix)]
        {
            let outside = tempfile::tempdir().unwrap();
            let victim = outside.path().join("victim");
            std::fs::write(&victim, "untouched").unwrap();
            std::os::unix::fs::symlink(&victim, at("link.npy")).unwrap();
            write(&at("link.npy"), b"out", []).unwrap();
            assert_eq!(std::fs::read(victim).unwrap(), b"untouched");
            assert_eq!(std::fs::read(at("link.npy")).unwrap(), b"out");
            write(Path::new("/dev/null"), b"out", []).unwrap();
            assert!(!std::fs::metadata("/dev/null").unwrap().is_file());
        }
        #[cfg(target_os = "linux")]
        {
            let (mut reader, writer) = std::io::pipe().unwrap();
            let open = std::os::fd::AsRawFd::as_raw_fd(&writer);
            write(Path::new(&format!("/proc/self/fd/{open}")), b"piped", []).unwrap();
            drop(writer);
            let mut piped = String::new();
            reader.read_to_string(&mut piped).unwrap();
            assert_eq!(piped, "piped");
        }
        assert!(write(&at("none/out.npy"), b"", []).is_err());
        // Nothing is left behind.
        let names = std::fs::read_dir(folder.path()).unwrap();
        assert!(
            !names
                .map(|entry| entry.unwrap().file_name())
                .any(|name| name.to_string_lossy().contains("wavemark"))
        );
    }
}
