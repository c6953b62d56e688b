//! Schedule files: TOML, so that they can be read and cut by hand.
//!
//! ```toml
//! version = 1
//! kernel = "gemm"
//! seed = 0               # of data; and of the schedule, where nothing is written
//! completion = "late"
//! schedule = 3           # its number among those of `check --schedules`
//! written = true         # what follows decides, not the seed
//! [[switch]]             # another wave goes on
//! cluster = 0
//! step = 12              # among the visible steps of the cluster
//! workgroup = 0
//! wave = 1
//! [[late]]               # an operation does not land at once
//! wave = 1               # among all waves of the run
//! channel = "vm"
//! operation = 4          # among those of the wave in this channel, from 1
//! until = 210            # instructions of the wave; left out: the last moment
//! ```

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use wavemark_diag::Diagnostic;
use wavemark_isa::effects::Channel;
use wavemark_sim::Completion;
use wavemark_sim::schedule::{Moment, Operation, Policy, Schedule, WavePlace};

use crate::options::RunOptions;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    version: u32,
    kernel: String,
    seed: u64,
    completion: String,
    schedule: u32,
    written: bool,
    #[serde(default, rename = "switch", skip_serializing_if = "Vec::is_empty")]
    switches: Vec<Switch>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    late: Vec<Late>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Switch {
    cluster: u32,
    step: u64,
    workgroup: u32,
    wave: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Late {
    wave: u32,
    channel: String,
    operation: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<u64>,
}

/// The text of a file: schedule number `index`, as it is written or by its seed.
pub(crate) fn write(kernel: &str, options: &RunOptions, index: u32, written: Option<&Schedule>) -> String {
    let empty = Schedule::default();
    let schedule = written.unwrap_or(&empty);
    let switches = schedule.switches.iter().map(|(at, to)| Switch {
        cluster: at.cluster,
        step: at.step,
        workgroup: to.workgroup,
        wave: to.wave,
    });
    let late = schedule.late.iter().map(|(operation, &until)| Late {
        wave: operation.wave,
        channel: Channel::ALL[usize::from(operation.channel)].name().to_owned(),
        operation: operation.number,
        until,
    });
    let file = File {
        version: 1,
        kernel: kernel.to_owned(),
        seed: options.seed,
        completion: options.completion.name().to_owned(),
        schedule: index,
        written: written.is_some(),
        switches: switches.collect(),
        late: late.collect(),
    };
    toml::to_string(&file).unwrap_or_default()
}

/// `options` with what the file's `text` says in them: one schedule, that one.
///
/// # Errors
/// A diagnostic for a file that is none of ours.
pub fn read(text: &str, name: &str, options: &RunOptions) -> Result<RunOptions, Diagnostic> {
    let wrong = |what: String| Diagnostic::error(format!("{name}: {what}"));
    let file: File = toml::from_str(text).map_err(|error| wrong(error.to_string()))?;
    if file.version != 1 {
        return Err(wrong(format!("version {}: this is a file of version 1 that is read", file.version)));
    }
    let completion = Completion::named(&file.completion)
        .ok_or_else(|| wrong(format!("completion `{}`: expected late, early or random", file.completion)))?;
    let mut schedule = Schedule::default();
    for Switch { cluster, step, workgroup, wave } in file.switches {
        schedule.switches.insert(Moment { cluster, step }, WavePlace { workgroup, wave });
    }
    for Late { wave, channel, operation, until } in file.late {
        let known = Channel::named(&channel).ok_or_else(|| wrong(format!("`{channel}` is no channel")))?;
        schedule.late.insert(Operation { wave, channel: known as u8, number: operation }, until);
    }
    if !file.written && !schedule.is_empty() {
        return Err(wrong("switches and late operations stand in it, but `written` is false".to_owned()));
    }
    Ok(RunOptions {
        seed: file.seed,
        completion,
        schedules: 1,
        first_schedule: file.schedule,
        kernel: options.kernel.clone().or(Some(file.kernel)),
        policy: if file.written { Policy::Written(Arc::new(schedule)) } else { Policy::Seeded },
        ..options.clone()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut schedule = Schedule::default();
        schedule.switches.insert(Moment { cluster: 1, step: 7 }, WavePlace { workgroup: 2, wave: 3 });
        schedule.late.insert(Operation { wave: 4, channel: Channel::Vm as u8, number: 5 }, None);
        schedule.late.insert(Operation { wave: 4, channel: Channel::Ds as u8, number: 1 }, Some(90));
        let options = RunOptions { seed: 11, completion: Completion::Random, ..RunOptions::default() };
        let text = write("k", &options, 3, Some(&schedule));
        assert!(text.contains("channel = \"vm\"\n"), "{text}");
        let read_back = read(&text, "s.toml", &RunOptions::default()).unwrap();
        assert_eq!((read_back.seed, read_back.completion), (11, Completion::Random));
        match &read_back.policy {
            Policy::Written(written) => assert_eq!(**written, schedule),
            other => panic!("{other:?}"),
        }
        let text = write("k", &options, 3, None);
        let read_back = read(&text, "s.toml", &RunOptions::default()).unwrap();
        assert_eq!((read_back.first_schedule, read_back.schedules), (3, 1));
    }

    #[test]
    fn what_is_none_is_refused() {
        for text in ["", "version = 2", "version = 1\nkernel = 3", "version = 1\nfoo = 1"] {
            assert!(read(text, "s.toml", &RunOptions::default()).is_err(), "{text}");
        }
    }
}
