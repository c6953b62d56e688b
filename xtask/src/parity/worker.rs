//! LLVM in a process of its own, which may die of what it is asked: it is started again for the rest.
//!
//! The child is this program with `llvm-worker`; it reads one question a line and answers one line each:
//! `OK<TAB>answer`, `ERR<TAB>message`. A question that kills it is answered `CRASH`.

use std::io::{BufRead, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context as _, Result};
use clap::{Args, ValueEnum};

use super::llvm::Llvm;

/// Lines that LLVM assembles at once.
const BATCH: usize = 2_000;

/// `llvm-worker`
#[derive(Args)]
pub struct WorkerArgs {
    direction: Direction,
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
    /// A whole file to an object.
    Whole,
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
        } else if direction == Direction::Dis || step == 1 {
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
    let name = match direction {
        Direction::Asm => "asm",
        Direction::Dis => "dis",
        Direction::Whole => "whole",
    };
    command
        .args(["llvm-worker", name, "--cpu", cpu])
        .arg(format!("--features={features}"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    Ok(command)
}

/// What LLVM makes of a file whose first `added` lines were not written by its author, with `.include` looking in
/// `folder`.
pub fn ask_whole(cpu: &str, features: &str, text: &str, added: usize, folder: &Path) -> Result<Whole> {
    let mut command = child(Direction::Whole, cpu, features)?;
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
    let llvm = Llvm::new(&args.cpu, &args.features)?;
    let mut out = std::io::stdout().lock();
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
        Direction::Dis => {
            for line in lines {
                // Flushed line by line (standard output is): what was answered before a crash is not lost.
                match super::unhex(&line).and_then(|bytes| Some((llvm.disassemble(&bytes)?, bytes.len()))) {
                    Some(((text, length), all)) if length == all => writeln!(out, "OK\t{text}")?,
                    Some(((text, length), _)) => writeln!(out, "ERR\tonly {length} bytes: {text}")?,
                    None => writeln!(out, "ERR\tno instruction")?,
                }
            }
        }
    }
    out.flush()?;
    Ok(())
}
