//! Runs of a campaign on a Ray cluster, asked of the Python package (`python/wavemark/ray.py`), as Ray is Python's.
//!
//! A process of it gets the plan and the numbers of the units, a line each, and answers with records as they come. It is the
//! Python that `WAVEMARK_PYTHON` names, or `python3`.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use wavemark_diag::Diagnostic;
use wavemark_driver::campaign::{Campaign, Record};

/// Time between two looks at whether the campaign is to end.
const LOOK: Duration = Duration::from_millis(100);

/// Runs the units of these numbers on the cluster at `address` and gives each record to `each`, as they come. Ends early where
/// `each` breaks off or the campaign's brake is pulled.
pub fn run(
    address: &str,
    campaign: &Campaign,
    numbers: &[u64],
    mut each: impl FnMut(Record) -> Result<(), Diagnostic>,
) -> Result<(), Diagnostic> {
    let python = std::env::var_os("WAVEMARK_PYTHON").unwrap_or_else(|| "python3".into());
    let failed = |what: &str, why: String| {
        let python = python.to_string_lossy();
        Diagnostic::error(format!("--ray: {what} {python} -m wavemark.ray: {why}"))
            .help("it is Python with wavemark[ray]; WAVEMARK_PYTHON names another one")
    };
    let unstarted = |error: std::io::Error| failed("cannot start", error.to_string());
    let mut command = Command::new(&python);
    command.args(["-m", "wavemark.ray", address]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = Ended(command.spawn().map_err(unstarted)?);
    let (input, output) = (child.0.stdin.take(), child.0.stdout.take());
    let (Some(mut input), Some(output)) = (input, output) else { return Ok(()) };
    let asked = serde_json::to_string(campaign.plan())
        .and_then(|plan| Ok(format!("{plan}\n{}\n", serde_json::to_string(numbers)?)))
        .map_err(|error| failed("cannot ask", error.to_string()))?;
    // One that does not want to hear says why on standard error, and its status tells.
    let _ = input.write_all(asked.as_bytes());
    drop(input);
    let (sender, receiver) = mpsc::channel();
    let read = move || {
        for line in BufReader::new(output).lines() {
            if sender.send(line).is_err() {
                break;
            }
        }
    };
    std::thread::Builder::new().spawn(read).map_err(unstarted)?;
    loop {
        let line = match receiver.recv_timeout(LOOK) {
            Ok(line) => line.map_err(|error| failed("cannot read from", error.to_string()))?,
            Err(RecvTimeoutError::Timeout) if campaign.brake().pulled().is_none() => continue,
            Err(RecvTimeoutError::Timeout) => return Ok(()),
            Err(RecvTimeoutError::Disconnected) => break,
        };
        let record = Record::from_line(&line);
        each(record.map_err(|error| failed("no record comes from", format!("{error}: {line}")))?)?;
    }
    let status = child.0.wait().map_err(unstarted)?;
    if status.success() { Ok(()) } else { Err(failed("a failure of", status.to_string())) }
}

/// A process that is over when this goes.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        // One that is over already is no error.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
