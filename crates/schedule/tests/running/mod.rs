//! Programs as texts: pipelined, run in many orders of completion against their source, judged by the checker.

#![allow(dead_code, reason = "not every test needs all of it")]

use std::fmt::Write;

use rayon::prelude::*;
use wavemark_diag::{SourceMap, Style, render};
use wavemark_frontend::parse;
use wavemark_schedule::checker;
use wavemark_schedule::pipeline::{COMMIT, IN_FLIGHT, WAIT, pipeline};
use wavemark_tile::interp::{self, Argument, Completion, NegativeWait, Options};
use wavemark_tile::{Dialect, Function, Module, Param, Stmt, print, print_expr, simplify};

/// Orders of completion that are tried.
pub const SCHEDULES: u64 = 1_000;

/// The module of a text.
pub fn module(text: &str) -> Module {
    let mut sources = SourceMap::new();
    let file = sources.add_text("test.py", text);
    parse(file, text).unwrap_or_else(|errors| {
        let shown: Vec<String> = errors.iter().map(|error| render(&sources, error, Style::Plain)).collect();
        panic!("{}\n{text}", shown.join("\n"))
    })
}

/// Arguments for every buffer: small numbers, exact in every type.
pub fn arguments(function: &Function, extent: i64) -> Vec<Argument> {
    let mut code = 1_u32;
    let list = function.params.iter().map(|param| {
        let Param::Buffer { buffer, .. } = param else { panic!("a scalar parameter") };
        let buffer = function.buffer(*buffer);
        let shape: Vec<u64> =
            buffer.shape.iter().map(|length| length.as_int().unwrap_or(extent) as u64).collect();
        let element = buffer.dtype.element().expect("numbers");
        let elements = shape.iter().product::<u64>();
        let data = (0..elements).flat_map(|_| {
            code = code.wrapping_mul(1_103_515_245).wrapping_add(12_345);
            let code = element.encode_float(f64::from((code >> 16) & 0x3f)).expect("in range");
            code.to_le_bytes().into_iter().take(element.scalar_bytes()).collect::<Vec<u8>>()
        });
        Argument::Buffer { element, data: data.collect(), shape }
    });
    list.collect()
}

/// `result` computes what `source` does in `schedules` orders of completion, and nothing is found.
pub fn agree(source: &Function, result: &Function, schedules: u64) -> Result<(), String> {
    let compile = |function: &Function| interp::compile(function).map_err(|errors| format!("{errors:#?}"));
    let (before, after) = (compile(source)?, compile(result)?);
    let run = |program: &interp::Program, args: &mut Vec<Argument>, options: &Options| {
        program.run(args, options).map_err(|error| error.to_string())
    };
    let mut expected = arguments(source, 13);
    run(&before, &mut expected, &Options::default())?;
    (0..schedules).into_par_iter().try_for_each(|seed| {
        let completion = [Completion::Late, Completion::Early, Completion::Random][seed.min(2) as usize];
        let negative_wait = if seed % 2 == 0 { NegativeWait::Flush } else { NegativeWait::Nop };
        let options = Options { completion, negative_wait, seed, ..Options::default() };
        let mut found = arguments(result, 13);
        let outcome = run(&after, &mut found, &options)?;
        if !outcome.findings.is_empty() {
            return Err(format!("{:#?}", outcome.findings));
        }
        if found != expected {
            return Err(format!("other results under {completion:?}, seed {seed}"));
        }
        Ok(())
    })
}

/// Versions, commits and waits of the pipelined program, a line each, once it is found right.
pub fn waits(source: &Module) -> String {
    let mut module = source.clone();
    let function = &mut module.functions[0];
    pipeline(function).unwrap_or_else(|errors| panic!("refused: {errors:#?}"));
    let text = |function: &Function| {
        print(&Module { functions: vec![function.clone()], ..source.clone() }, source.dialect)
    };
    if let Err(failure) = agree(&source.functions[0], function, SCHEDULES) {
        panic!("{failure}\n{}", text(function));
    }
    let report = checker::check(function);
    assert!(!report.has_errors(), "{:#?}\n{}", report.findings, text(function));
    simplify(function);
    let mut lines = String::new();
    list(function, &function.body, &mut lines);
    lines
}

fn list(function: &Function, stmt: &Stmt, lines: &mut String) {
    match stmt {
        Stmt::Block(block) => {
            for &buffer in &block.alloc_buffers {
                let buffer = function.buffer(buffer);
                let shape: Vec<String> =
                    buffer.shape.iter().map(|length| print_expr(function, length, Dialect::New)).collect();
                writeln!(lines, "{}[{}]", buffer.name, shape.join(", ")).expect("a string");
            }
        }
        Stmt::For(node) => {
            let range = |expr| print_expr(function, expr, Dialect::New);
            writeln!(lines, "loop from {}, {} iterations", range(&node.min), range(&node.extent))
                .expect("a string");
        }
        Stmt::Attr { key, value, .. } if [COMMIT, WAIT, IN_FLIGHT].contains(&key.as_ref()) => {
            writeln!(lines, "  {key} {}", print_expr(function, value, Dialect::New)).expect("a string");
        }
        Stmt::Store(store) => writeln!(lines, "  {}", function.buffer(store.buffer).name).expect("a string"),
        _ => {}
    }
    for child in stmt.children() {
        list(function, child, lines);
    }
}

/// The diagnostics of a text that is refused, as the command line prints them.
pub fn refusal(text: &str) -> String {
    let mut sources = SourceMap::new();
    let file = sources.add_text("test.py", text);
    let mut module = parse(file, text).unwrap_or_else(|errors| panic!("{errors:#?}"));
    let errors = pipeline(&mut module.functions[0]).expect_err("a refusal");
    let shown: Vec<String> = errors.iter().map(|error| render(&sources, error, Style::Plain)).collect();
    shown.join("\n")
}
