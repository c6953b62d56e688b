//! Standard input and output, colours, and diagnostics on standard error.

use std::io::{IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use wavemark_diag::{Diagnostic, SourceMap, Span, Style, render};
use wavemark_driver::build;
use wavemark_driver::files;
use wavemark_driver::input::{self, Input, Lang};
use wavemark_driver::options::Progress;
use wavemark_driver::report::ExitStatus;

/// Why a command ends without its result.
pub enum Failure {
    /// The input or usage: exit status 2.
    Unusable(Vec<Diagnostic>),
    /// We cannot do that yet: exit status 3.
    Unsupported(String),
    /// Whoever reads our output has gone: nothing to say.
    Closed,
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Failure {
        Failure::Unusable(vec![diagnostic])
    }
}

impl From<Vec<Diagnostic>> for Failure {
    fn from(diagnostics: Vec<Diagnostic>) -> Failure {
        Failure::Unusable(diagnostics)
    }
}

impl From<build::Failure> for Failure {
    fn from(failure: build::Failure) -> Failure {
        match failure {
            build::Failure::Unusable(diagnostics) => Failure::Unusable(diagnostics),
            build::Failure::Unsupported(what) => Failure::Unsupported(what),
        }
    }
}

/// Where a command's texts go.
pub struct Door {
    /// The inputs that diagnostics point into.
    pub sources: SourceMap,
    /// The files that the command has read.
    inputs: Vec<PathBuf>,
}

impl Door {
    /// A door with no inputs yet.
    pub fn new() -> Door {
        Door { sources: SourceMap::new(), inputs: Vec::new() }
    }

    /// Colours of standard output.
    pub fn output_style(&self) -> Style {
        style(std::io::stdout().is_terminal())
    }

    /// Prints `bytes` to standard output.
    pub fn print(&self, bytes: impl AsRef<[u8]>) -> Result<(), Failure> {
        let mut output = std::io::stdout().lock();
        output.write_all(bytes.as_ref()).and_then(|()| output.flush()).map_err(output_failure)
    }

    /// A line on standard error that says how far `runs` are, until it is finished; on a terminal only.
    pub fn progress(&self, runs: &Arc<Progress>) -> ProgressBar {
        if !std::io::stderr().is_terminal() {
            return ProgressBar::hidden();
        }
        let bar = ProgressBar::new(0);
        let template = "{spinner} {pos} of {len} workgroups, {per_sec}, {elapsed}, {eta} left: {wide_msg}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        let (line, runs) = (bar.clone(), Arc::clone(runs));
        let follow = move || {
            while !line.is_finished() {
                line.set_length(runs.expected());
                line.set_position(runs.ended());
                line.tick();
                std::thread::sleep(Duration::from_millis(200));
            }
        };
        // Where there is no thread for it nothing is shown.
        let _ = std::thread::Builder::new().stack_size(256 << 10).spawn(follow);
        bar
    }

    /// Prints a diagnostic to standard error.
    pub fn diagnose(&self, diagnostic: &Diagnostic) {
        let text = render(&self.sources, diagnostic, style(std::io::stderr().is_terminal()));
        _ = writeln!(std::io::stderr(), "{text}");
    }

    /// Prints a remark to standard error, with its place.
    pub fn note(&self, span: Option<Span>, message: &str) {
        let place = span.map(|span| self.sources.location(span) + ": ").unwrap_or_default();
        _ = writeln!(std::io::stderr(), "{place}note: {message}");
    }

    /// Tells why a command failed, and its exit status.
    pub fn fail(&self, failure: Failure) -> ExitStatus {
        match failure {
            Failure::Unusable(diagnostics) => {
                diagnostics.iter().for_each(|diagnostic| self.diagnose(diagnostic));
                ExitStatus::Unusable
            }
            Failure::Unsupported(what) => {
                self.diagnose(&Diagnostic::error(format!("unsupported: {what}")));
                ExitStatus::Unsupported
            }
            Failure::Closed => ExitStatus::Clean,
        }
    }

    /// Reads an input; `-` is standard input.
    pub fn read_input(&mut self, path: &Path, lang: Option<Lang>) -> Result<Input, Failure> {
        if path != Path::new("-") {
            self.inputs.push(path.to_owned());
            return Ok(input::read(path, lang)?);
        }
        let mut bytes = Vec::new();
        let read = std::io::stdin().lock().take(input::MAX_INPUT_BYTES + 1).read_to_end(&mut bytes);
        read.map_err(|error| Diagnostic::error(format!("cannot read standard input: {error}")))?;
        Ok(input::from_bytes("<stdin>".to_owned(), None, bytes, lang)?)
    }

    /// Writes a file, or standard output where `path` is `None` or a name of that.
    pub fn write(&self, path: Option<&Path>, bytes: &[u8]) -> Result<(), Failure> {
        match path {
            Some(path) if ![Path::new("-"), Path::new("/dev/stdout")].contains(&path) => {
                let read =
                    self.inputs.iter().map(PathBuf::as_path).chain(self.sources.names().map(Path::new));
                Ok(files::write(path, bytes, read)?)
            }
            _ => self.print(bytes),
        }
    }
}

/// A failure of standard output.
pub fn output_failure(error: std::io::Error) -> Failure {
    match error.kind() {
        std::io::ErrorKind::BrokenPipe => Failure::Closed,
        _ => Diagnostic::error(format!("cannot write to standard output: {error}")).into(),
    }
}

/// Follows the terminal and `NO_COLOR` (set and not empty: no colours).
fn style(terminal: bool) -> Style {
    let no_colour = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    if terminal && !no_colour { Style::Colour } else { Style::Plain }
}
