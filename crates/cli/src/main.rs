//! The `wavemark` command.
//!
//! This crate is a door: it reads arguments, standard input and the environment, calls `wavemark-driver`, prints, and
//! exits. Everything else is in the library crates. Exit statuses are those of the project's interfaces:
//! 0 clean, 1 findings or mismatch, 2 unusable input or usage, 3 unsupported or not checked, 4 a bug of ours.

mod args;
mod commands;
mod door;
mod end;

use std::panic::AssertUnwindSafe;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, mpsc};

use clap::Parser;
use mimalloc::MiMalloc;
use wavemark_budget::Counting;
use wavemark_driver::report::ExitStatus;

/// Inputs may nest deeply; a thread of our own has the stack for it.
const STACK_BYTES: usize = 256 << 20;

/// Memory that a command may use if nobody says otherwise.
const DEFAULT_MEMORY: u64 = 8 << 30;

#[global_allocator]
static ALLOCATOR: Counting<MiMalloc> = Counting(MiMalloc);

fn main() -> ExitCode {
    let args = args::Args::parse();
    let memory = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX);
    wavemark_budget::set_limit(args.max_memory.unwrap_or(memory(DEFAULT_MEMORY)));
    let trace = Arc::new(Mutex::new(None));
    let keep = Arc::clone(&trace);
    std::panic::set_hook(Box::new(move |info| {
        if let Ok(mut trace) = keep.lock() {
            trace.get_or_insert_with(|| info.to_string());
        }
    }));
    let time = end::time(&args.command);
    let (send, done) = mpsc::sync_channel(1);
    let work = move || {
        let result = std::panic::catch_unwind(AssertUnwindSafe(|| commands::run(args.command)));
        // The main thread waits for it.
        let _ = send.send(result);
    };
    if let Err(error) = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(work) {
        eprintln!("error: cannot start a thread: {error}");
        return ExitCode::from(ExitStatus::Internal as u8);
    }
    if args.max_memory.is_none() {
        // What the host has takes as long to ask as a small input to read.
        wavemark_budget::set_limit(memory(wavemark_budget::host_leaves().min(DEFAULT_MEMORY)));
    }
    match end::wait(&done, time) {
        Ok(Ok(status)) => ExitCode::from(status as u8),
        Ok(Err(_)) | Err(_) => {
            let what = trace.lock().ok().and_then(|trace| trace.clone());
            report_bug(what.as_deref().unwrap_or("no message"));
            ExitCode::from(ExitStatus::Internal as u8)
        }
    }
}

fn report_bug(what: &str) {
    let version = env!("CARGO_PKG_VERSION");
    let command: Vec<String> = std::env::args().collect();
    eprintln!("error: internal error, a bug of wavemark: {what}");
    eprintln!("  = note: this is wavemark {version}; the command was: {}", command.join(" "));
    eprintln!(
        "  = help: please report it to the project's issue tracker with these lines and the input files"
    );
}
