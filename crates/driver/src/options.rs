//! How to run a kernel: the options common to all that do.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub use wavemark_interp::Converge;
pub use wavemark_sim::Completion;
pub use wavemark_sim::brake::{Brake, Halt};
pub use wavemark_sim::progress::Progress;
use wavemark_sim::schedule::{Policy, Recorder};
use wavemark_target::TargetId;

use crate::assembly::AssemblyOptions;
use crate::report::Checked;

/// Everything that decides what a run does, but for input and launch.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// The target that the user names; must agree with the input's.
    pub target: Option<TargetId>,
    /// Features in LLVM's spelling, for inputs that are assembled first.
    pub features: String,
    /// Files and symbols for inputs that are assembled first.
    pub assembly: AssemblyOptions,
    /// The kernel to run; the launch file's, or the only one, when `None`.
    pub kernel: Option<String>,
    /// Which checks.
    pub check: Checked,
    /// When asynchronous operations land.
    pub completion: Completion,
    /// When lanes converge, where LLVM IR leaves that open.
    pub converge: Converge,
    /// Seed of scheduling, random completion and random data.
    pub seed: u64,
    /// Schedules to run; the first is round-robin, the others are random or by changing priorities.
    pub schedules: u32,
    /// The number of the first one.
    pub first_schedule: u32,
    /// A schedule that was written down, instead.
    pub policy: Policy,
    /// Notes what runs do.
    pub recorder: Option<Arc<Recorder>>,
    /// All schedules, as far as that goes, instead.
    pub exhaustive: bool,
    /// File for the first schedule that fails.
    pub save_schedule: Option<PathBuf>,
    /// Threads; changes speed only. `None`: one.
    pub threads: Option<u32>,
    /// Instructions a wave may execute.
    pub max_steps: Option<u64>,
    /// Instructions that all waves of a launch may execute.
    pub max_total_steps: Option<u64>,
    /// What ends runs from outside, at a time or on request.
    pub brake: Arc<Brake>,
    /// Who watches how far runs are.
    pub progress: Arc<Progress>,
    /// End the run at an error after which values mean nothing.
    pub stop_on_error: bool,
    /// Readings of open questions, `NAME=READING`.
    pub model: Vec<String>,
    /// Folder for the output buffers.
    pub out: Option<PathBuf>,
    /// File for the trace.
    pub trace: Option<PathBuf>,
    /// Keep what happens in the first schedule with the report, for its page.
    pub record: bool,
}

impl Default for RunOptions {
    fn default() -> RunOptions {
        RunOptions {
            target: None,
            features: String::new(),
            assembly: AssemblyOptions::default(),
            kernel: None,
            check: Checked::FULL,
            completion: Completion::Late,
            converge: Converge::Maximal,
            seed: 0,
            schedules: 1,
            first_schedule: 0,
            policy: Policy::Seeded,
            recorder: None,
            exhaustive: false,
            save_schedule: None,
            threads: None,
            max_steps: None,
            max_total_steps: None,
            brake: Arc::default(),
            progress: Arc::default(),
            stop_on_error: false,
            model: Vec::new(),
            out: None,
            trace: None,
            record: false,
        }
    }
}

impl RunOptions {
    /// Sets what the command line calls `--NAME`, for doors that take options as text: `check`, `completion`, `converge`,
    /// `seed`, `threads`, `max-steps`, `timeout` (seconds from now) and `model`, which adds up; and `record`, `true` or `false`.
    ///
    /// # Errors
    ///
    /// What is wrong with the name or the value, in words.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        fn number<N: std::str::FromStr>(name: &str, value: &str) -> Result<N, String> {
            value.parse().map_err(|_| format!("{name} is a number, not `{value}`"))
        }
        match name {
            "check" => self.check = Checked::parse(value)?,
            "completion" => {
                self.completion = Completion::named(value)
                    .ok_or_else(|| format!("completion is late, early or random, not `{value}`"))?;
            }
            "converge" => {
                self.converge = Converge::named(value)
                    .ok_or_else(|| format!("converge is maximal or adversarial, not `{value}`"))?;
            }
            "seed" => self.seed = number(name, value)?,
            "threads" => self.threads = Some(number(name, value)?),
            "max-steps" => self.max_steps = Some(number(name, value)?),
            "timeout" => {
                let time = Duration::try_from_secs_f64(number(name, value)?);
                let time = time.map_err(|error| format!("timeout: {error}"))?;
                self.brake = Arc::new(Brake::new(Instant::now().checked_add(time)));
            }
            "record" => {
                self.record = value.parse().map_err(|_| format!("record is true or false, not `{value}`"))?
            }
            "model" => {
                let readings = [value.to_owned()];
                crate::findings::parse_model(&readings)?;
                self.model.extend(readings);
            }
            _ => {
                let known = "check, completion, converge, seed, threads, max-steps, timeout, model, record";
                return Err(format!("`{name}` is no option of a launch: {known}"));
            }
        }
        Ok(())
    }
}

impl Checked {
    /// Every check.
    pub const FULL: Checked =
        Checked { registers: true, lds: true, global: true, barriers: true, waits: true };

    /// Reads `full`, `off`, or a comma-separated list of checks. The error names the part that is none.
    pub fn parse(text: &str) -> Result<Checked, String> {
        let mut checked = Checked::default();
        match text {
            "full" => return Ok(Checked::FULL),
            "off" => return Ok(checked),
            _ => {}
        }
        for part in text.split(',') {
            let flag = match part.trim() {
                "registers" => &mut checked.registers,
                "lds" => &mut checked.lds,
                "global" => &mut checked.global,
                "barriers" => &mut checked.barriers,
                "waits" => &mut checked.waits,
                other => {
                    return Err(format!(
                        "`{other}` is no check: full, off, or a list of registers, lds, global, barriers, waits"
                    ));
                }
            };
            *flag = true;
        }
        Ok(checked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_by_name() {
        let mut options = RunOptions::default();
        for (name, value) in [("check", "lds"), ("completion", "random"), ("seed", "7"), ("timeout", "1.5")] {
            options.set(name, value).unwrap();
        }
        assert_eq!((options.seed, options.completion), (7, Completion::Random));
        for (name, value) in
            [("seed", "-1"), ("completion", "soon"), ("timeout", "-1"), ("model", "x=y"), ("seeds", "1")]
        {
            assert!(options.set(name, value).is_err(), "{name}={value}");
        }
    }

    #[test]
    fn check_lists() {
        assert_eq!(Checked::parse("full"), Ok(Checked::FULL));
        assert_eq!(Checked::parse("off"), Ok(Checked::default()));
        let some = Checked::parse("lds,waits").unwrap();
        assert_eq!(some, Checked { lds: true, waits: true, ..Checked::default() });
        assert!(Checked::parse("").is_err());
        assert!(Checked::parse("lds,full").is_err());
    }
}
