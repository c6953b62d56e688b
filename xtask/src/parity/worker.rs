//! LLVM in a process of its own, which may die of what it is asked: it is started again for the rest.
//!
//! The child is this program with `llvm-worker`; it reads one question a line and answers one line each:
//! `OK<TAB>answer`, `ERR<TAB>message`. A question that kills it is answered `CRASH`. Of random words every few hundredth
//! kills LLVM's disassembler: each stretch between two of them is a fork's work, which costs less than a start.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context as _, Result};
use clap::{Args, ValueEnum};

use wavemark_target::Target;

use super::llvm::{AMDHSA, Llvm};

/// Lines that LLVM assembles at once.
const BATCH: usize = 2_000;

/// `llvm-worker`
#[derive(Args)]
pub struct WorkerArgs {
    direction: Direction,
    #[arg(long, default_value = AMDHSA)]
    os: String,
    #[arg(long)]
    cpu: String,
    #[arg(long, default_value = "", allow_hyphen_values = true)]
    features: String,
}

/// What is asked.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Direction {
    /// Text to bytes.
    Asm,
    /// Bytes to text.
    Dis,
    /// Bytes, of which an instruction may be the beginning, to its length, a tab and its text.
    Words,
    /// A whole file to an object.
    Whole,
}

impl Direction {
    /// Which of the two that LLVM has.
    pub fn spoken(self) -> Direction {
        if self == Direction::Asm { Direction::Asm } else { Direction::Dis }
    }

    fn argument(self) -> &'static str {
        match self {
            Direction::Asm => "asm",
            Direction::Dis => "dis",
            Direction::Words => "words",
            Direction::Whole => "whole",
        }
    }
}

/// What LLVM makes of a whole file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Whole {
    /// The object.
    Object(Vec<u8>),
    /// Its first error, with its line.
    Refused(String),
    /// LLVM died of it.
    Crash,
}

/// What LLVM says to a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Hexadecimal bytes, or text.
    Ok(String),
    /// It is not accepted.
    Err(String),
    /// LLVM died of it.
    Crash,
}

/// Answers all lines.
///
/// An error at the end of a line can make LLVM skip the label behind it, so that the next line's bytes have no name:
/// such lines are asked again, without those that were in their way.
pub fn ask(direction: Direction, cpu: &str, features: &str, lines: &[String]) -> Result<Vec<Answer>> {
    let mut answers = ask_all(direction, cpu, features, lines)?;
    loop {
        let lost: Vec<usize> = (0..lines.len()).filter(|&at| answers[at] == unnamed()).collect();
        let again: Vec<String> = lost.iter().map(|&at| lines[at].clone()).collect();
        if again.is_empty() {
            return Ok(answers);
        }
        let mut progress = false;
        for (at, answer) in lost.into_iter().zip(ask_all(direction, cpu, features, &again)?) {
            progress |= answer != unnamed();
            answers[at] = answer;
        }
        if !progress {
            return Ok(answers);
        }
    }
}

fn unnamed() -> Answer {
    Answer::Err(super::llvm::UNNAMED.to_owned())
}

fn ask_all(direction: Direction, cpu: &str, features: &str, lines: &[String]) -> Result<Vec<Answer>> {
    let mut answers = Vec::with_capacity(lines.len());
    let mut step = if direction == Direction::Asm { BATCH } else { usize::MAX };
    while answers.len() < lines.len() {
        let rest = &lines[answers.len()..];
        let batch = &rest[..rest.len().min(step)];
        let got = ask_once(direction, cpu, features, batch)?;
        let complete = got.len() == batch.len();
        answers.extend(got);
        if complete {
            step = if direction == Direction::Asm { BATCH } else { usize::MAX };
        } else if direction != Direction::Asm || step == 1 {
            answers.push(Answer::Crash);
        } else {
            // Halve until the line that kills it is alone.
            step = (batch.len() / 2).max(1);
        }
    }
    Ok(answers)
}

fn ask_once(direction: Direction, cpu: &str, features: &str, lines: &[String]) -> Result<Vec<Answer>> {
    let mut child = child(direction, cpu, features)?.spawn().context("cannot start this program again")?;
    let mut stdin = child.stdin.take().context("the child has no standard input")?;
    let stdout = child.stdout.take().context("the child has no standard output")?;
    let question = lines.join("\n") + "\n";
    // The child may die with questions unread.
    let writer = std::thread::spawn(move || stdin.write_all(question.as_bytes()).is_ok());
    let mut answers = Vec::new();
    for line in BufReader::new(stdout).lines() {
        let Ok(line) = line else { break };
        match line.split_once('\t') {
            Some(("OK", answer)) => answers.push(Answer::Ok(answer.to_owned())),
            Some(("ERR", message)) => answers.push(Answer::Err(message.to_owned())),
            _ if line == "CRASH" => answers.push(Answer::Crash),
            _ => break,
        }
    }
    child.wait()?;
    _ = writer.join();
    Ok(answers)
}

/// This program again, as a worker.
fn child(direction: Direction, cpu: &str, features: &str) -> Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command
        .args(["llvm-worker", direction.argument(), "--cpu", cpu])
        .arg(format!("--features={features}"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    Ok(command)
}

/// What LLVM makes of a file whose first `added` lines were not written by its author, with `.include` looking in
/// `folder`.
pub fn ask_whole(target: &Target, features: &str, text: &str, added: usize, folder: &Path) -> Result<Whole> {
    let mut command = child(Direction::Whole, target.id.processor.name(), features)?;
    command.arg(format!("--os={}", target.os));
    let mut child = command.current_dir(folder).spawn().context("cannot start this program again")?;
    let mut stdin = child.stdin.take().context("the child has no standard input")?;
    let question = text.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(question.as_bytes()).is_ok());
    let output = child.wait_with_output()?;
    _ = writer.join();
    let answer = String::from_utf8_lossy(&output.stdout);
    Ok(match answer.trim_end().split('\t').collect::<Vec<_>>()[..] {
        ["OK", hex] => Whole::Object(super::unhex(hex).context("the worker's object is no hexadecimal")?),
        ["ERR", line, message] => {
            let line = line.parse::<usize>().unwrap_or(0).saturating_sub(added);
            Whole::Refused(format!("line {line}: {message}"))
        }
        _ => Whole::Crash,
    })
}

/// The child's side.
pub fn serve(args: &WorkerArgs) -> ExitCode {
    match try_serve(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("llvm-worker: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn try_serve(args: &WorkerArgs) -> Result<()> {
    let llvm = Llvm::new(&args.os, &args.cpu, &args.features)?;
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    if args.direction == Direction::Whole {
        let (object, problems) = llvm.object_of(&std::io::read_to_string(std::io::stdin())?)?;
        match problems.first() {
            Some((line, message)) => writeln!(out, "ERR\t{line}\t{}", message.replace('\t', " "))?,
            None => writeln!(out, "OK\t{}", super::hex(&object))?,
        }
        return Ok(out.flush()?);
    }
    let lines: Vec<String> = std::io::stdin().lock().lines().collect::<std::io::Result<_>>()?;
    match args.direction {
        Direction::Whole => {}
        Direction::Asm => {
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            for answer in llvm.assemble(&lines)? {
                match answer {
                    Ok(bytes) => writeln!(out, "OK\t{}", super::hex(&bytes))?,
                    Err(message) => writeln!(out, "ERR\t{message}")?,
                }
            }
        }
        Direction::Dis | Direction::Words => {
            let mut at = 0;
            while at < lines.len() {
                at += in_a_fork(&mut out, |pipe| {
                    lines[at..]
                        .iter()
                        .try_for_each(|line| pipe.write_all(answer(&llvm, args.direction, line).as_bytes()))
                })?;
                if at < lines.len() {
                    writeln!(out, "CRASH")?;
                    at += 1;
                }
            }
        }
    }
    out.flush()?;
    Ok(())
}

/// The line that answers a question of the disassembler.
fn answer(llvm: &Llvm, direction: Direction, line: &str) -> String {
    let answer = super::unhex(line).and_then(|bytes| Some((llvm.disassemble(&bytes)?, bytes.len())));
    match answer {
        Some(((text, length), _)) if direction == Direction::Words => format!("OK\t{length}\t{text}\n"),
        Some(((text, length), all)) if length == all => format!("OK\t{text}\n"),
        Some(((text, length), _)) => format!("ERR\tonly {length} bytes: {text}\n"),
        None => "ERR\tno instruction\n".to_owned(),
    }
}

/// Runs `work` in a fork of this process, which may die of it, and passes on what it writes; how many lines that were.
fn in_a_fork(out: &mut impl Write, work: impl Fn(&mut dyn Write) -> std::io::Result<()>) -> Result<usize> {
    let (reader, mut writer) = std::io::pipe()?;
    // SAFETY: this process has one thread (the child's side of `llvm-worker` starts none), so that the fork is as whole
    // as it is.
    let child = unsafe { libc::fork() };
    match child {
        -1 => Err(std::io::Error::last_os_error().into()),
        0 => {
            let done = work(&mut writer).is_ok();
            // SAFETY: ends the fork at once, without what the other process would do at its end a second time.
            unsafe { libc::_exit(i32::from(!done)) }
        }
        child => {
            drop(writer);
            let mut count = 0;
            let mut reader = BufReader::new(reader);
            let mut line = String::new();
            while reader.read_line(&mut line)? > 0 && line.ends_with('\n') {
                out.write_all(line.as_bytes())?;
                line.clear();
                count += 1;
            }
            // SAFETY: waits for the fork made above; its status is not wanted.
            unsafe { libc::waitpid(child, std::ptr::null_mut(), 0) };
            Ok(count)
        }
    }
}
