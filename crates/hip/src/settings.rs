//! What the environment says: this door has no command line.
//!
//! `WAVEMARK_ARCH` is the processor, and its features. `WAVEMARK_CHECK`, `WAVEMARK_COMPLETION`, `WAVEMARK_SEED`,
//! `WAVEMARK_THREADS`, `WAVEMARK_MAX_STEPS`, `WAVEMARK_TIMEOUT` (seconds of a launch) and `WAVEMARK_MODEL` (a
//! comma-separated list) are the options that the command line calls so. `WAVEMARK_FINDINGS` says what errors in a launch do
//! to the program: [`OnFindings`].

use wavemark_driver::options::RunOptions;
use wavemark_target::TargetId;

/// What errors that are found in a launch do to the program, besides being reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnFindings {
    /// `exit`: where it would end with status 0, it ends with 1.
    Exit,
    /// `error`: the launch fails with `hipErrorLaunchFailure`, too.
    Error,
    /// `report`: nothing.
    Report,
}

/// The settings.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The processor, if it is named.
    pub arch: Option<TargetId>,
    /// What errors do.
    pub on_findings: OnFindings,
    /// Names and values of the options of launches.
    options: Vec<(&'static str, String)>,
}

/// The options, as the command line and the environment call them.
const OPTIONS: [(&str, &str); 7] = [
    ("check", "WAVEMARK_CHECK"),
    ("completion", "WAVEMARK_COMPLETION"),
    ("seed", "WAVEMARK_SEED"),
    ("threads", "WAVEMARK_THREADS"),
    ("max-steps", "WAVEMARK_MAX_STEPS"),
    ("timeout", "WAVEMARK_TIMEOUT"),
    ("model", "WAVEMARK_MODEL"),
];

impl Settings {
    /// What `variable` finds in the environment; the error names the variable that cannot be used.
    pub fn read(variable: impl Fn(&str) -> Option<String>) -> Result<Settings, String> {
        let arch = match variable("WAVEMARK_ARCH") {
            Some(arch) => Some(arch.parse().map_err(|error| format!("WAVEMARK_ARCH: {arch}: {error}"))?),
            None => None,
        };
        let on_findings = match variable("WAVEMARK_FINDINGS").as_deref() {
            None | Some("exit") => OnFindings::Exit,
            Some("error") => OnFindings::Error,
            Some("report") => OnFindings::Report,
            Some(other) => {
                return Err(format!("WAVEMARK_FINDINGS: exit, error or report, not `{other}`"));
            }
        };
        let mut options = Vec::new();
        for (name, key) in OPTIONS {
            let Some(text) = variable(key) else { continue };
            let values = if name == "model" { text.split(',').collect() } else { vec![text.as_str()] };
            for value in values {
                RunOptions::default().set(name, value).map_err(|problem| format!("{key}: {problem}"))?;
                options.push((name, value.to_owned()));
            }
        }
        Ok(Settings { arch, on_findings, options })
    }

    /// The options of a launch that begins now.
    pub fn options(&self) -> RunOptions {
        let mut options = RunOptions::default();
        for (name, value) in &self.options {
            // They have been tried.
            _ = options.set(name, value);
        }
        options
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Result<Settings, String> {
        let find =
            |key: &str| variables.iter().find(|(name, _)| *name == key).map(|(_, text)| (*text).to_owned());
        Settings::read(find)
    }

    #[test]
    fn the_environment_is_read() {
        let settings = read(&[("WAVEMARK_ARCH", "gfx950"), ("WAVEMARK_SEED", "3")]).unwrap();
        assert_eq!(settings.arch.map(|arch| arch.to_string()).as_deref(), Some("gfx950"));
        assert_eq!((settings.options().seed, settings.on_findings), (3, OnFindings::Exit));
        let name = |variable| read(&[(variable, "?")]).unwrap_err().contains(variable);
        for variable in ["WAVEMARK_ARCH", "WAVEMARK_FINDINGS", "WAVEMARK_CHECK", "WAVEMARK_MODEL"] {
            assert!(name(variable), "{variable}");
        }
    }
}
