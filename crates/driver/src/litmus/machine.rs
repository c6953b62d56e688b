//! Litmus tests of machine code: columns of assembly, brought to the words of the model by what the instruction table says
//! of each instruction.
//!
//! The head's first word is a processor. Initial values say what registers hold: `0:v1 = L0` is the address of a location,
//! `0:v4 = 1` a number. Labels and branches are the model's. What the model has no word for is refused by name: computing,
//! scalar and tensor memory. Tests with atomics or cache operations are for the machine with caches: module `cached`.
//! Which operand is datum, which address, the instruction's effects say.

use std::collections::HashMap;

use wavemark_memmodel::litmus::parse::{Error, without_comments};
use wavemark_target::facts::L2Coherence;
use wavemark_target::{Machine, Processor};

use super::cached::{Columns, Item, MemoryType};
use super::operands::{Bindings, Place};
use super::words::{cached_words, is_for_caches, words};

/// A test in the words of the model.
pub struct Rewritten {
    /// The text.
    pub text: String,
    /// What else the machine with caches needs, if the test is one of it.
    pub columns: Option<Columns>,
    /// Where pieces of it begin, and where in the source that was.
    places: Vec<(usize, usize)>,
}

impl Rewritten {
    /// The place in the source of one in the text.
    pub fn source(&self, at: usize) -> usize {
        let next = self.places.partition_point(|&(begin, _)| begin <= at);
        next.checked_sub(1).map_or(0, |last| self.places[last].1)
    }

    fn push(&mut self, text: &str, source: usize) {
        self.places.push((self.text.len(), source));
        self.text.push_str(text);
    }
}

pub(super) fn fail<T>(at: usize, message: impl Into<String>) -> Result<T, Error> {
    Err(Error { at, message: message.into() })
}

/// The test in the model's words; `None` if its head names no processor.
pub fn rewrite(source: &str) -> Result<Option<Rewritten>, Error> {
    let clean = without_comments(source)?;
    let mut lines = Vec::new();
    let mut at = 0;
    for line in clean.split_inclusive('\n') {
        lines.push((at, line.trim_end()));
        at += line.len();
    }
    let Some(head) = lines.iter().position(|(_, line)| !line.trim().is_empty()) else { return Ok(None) };
    let (first, name) =
        lines[head].1.trim().split_once(char::is_whitespace).unwrap_or((lines[head].1.trim(), ""));
    // `GFX1100+cumode`: a processor, and features in LLVM's spelling.
    let (processor, features) = first.split_at(first.find('+').unwrap_or(first.len()));
    let processor = processor.to_lowercase();
    if Processor::by_name(&processor).is_none() {
        return Ok(None);
    }
    let machine = match Machine::parse(&processor, features) {
        Ok(machine) => machine,
        Err(error) => return fail(lines[head].0, error.to_string()),
    };
    let mut bindings = Bindings::new();
    let mut memory = HashMap::new();
    let mut rewritten = Rewritten { text: String::new(), columns: None, places: Vec::new() };
    rewritten.push(&format!("AMDGPU-MACHINE {name}\n"), lines[head].0);
    let mut rows: Vec<Vec<(usize, &str)>> = Vec::new();
    let mut rest = Vec::new();
    for &(at, line) in &lines[head + 1..] {
        let trimmed = line.trim();
        if let Some(entries) = trimmed.strip_prefix('{') {
            let Some(entries) = entries.strip_suffix('}') else {
                return fail(at, "initial values of machine code are on one line, in `{` and `}`");
            };
            let (of_registers, others): (Vec<&str>, Vec<&str>) =
                entries.split(';').map(str::trim).partition(|entry| entry.contains(':'));
            for entry in of_registers {
                bind(entry, at, &mut bindings)?;
            }
            let others: Vec<String> = others
                .into_iter()
                .map(|entry| typed(machine, entry, at, &mut memory))
                .collect::<Result<_, _>>()?;
            rewritten.push(&format!("{{ {} }}\n", others.join("; ")), at);
        } else if let Some(row) = trimmed.strip_suffix(';') {
            let begin = at + line.len() - line.trim_start().len();
            let mut column = begin;
            rows.push(
                row.split('|')
                    .map(|cell| {
                        let place = column + cell.len() - cell.trim_start().len();
                        column += cell.len() + 1;
                        (place, cell.trim())
                    })
                    .collect(),
            );
        } else {
            rest.push((at, line));
        }
    }
    let threads = rows.first().map_or(0, Vec::len);
    let cached = rows.iter().flatten().any(|(_, cell)| is_for_caches(machine, cell));
    let mut items: Vec<Vec<Item>> = vec![Vec::new(); threads];
    let mut columns: Vec<Vec<(usize, String)>> = vec![Vec::new(); threads];
    for (number, row) in rows.iter().enumerate() {
        for (thread, &(at, cell)) in row.iter().enumerate().filter(|(_, (_, cell))| !cell.is_empty()) {
            let Some(column) = columns.get_mut(thread) else {
                return fail(at, format!("expected {threads} columns"));
            };
            let place = Place { thread, at, bindings: &bindings };
            let lines = match cached {
                _ if number == 0 => vec![cell.to_owned()],
                false => words(machine, place, cell)?,
                true => cached_words(machine, place, cell, &mut items[thread])?,
            };
            column.extend(lines.into_iter().map(|line| (at, line)));
        }
    }
    rewritten.columns = cached.then_some(Columns { machine, memory, items });
    for row in 0..columns.iter().map(Vec::len).max().unwrap_or(0) {
        for (thread, column) in columns.iter().enumerate() {
            let separator = if thread == 0 { " " } else { " | " };
            rewritten.text.push_str(separator);
            if let Some((at, cell)) = column.get(row) {
                rewritten.push(cell, *at);
            }
        }
        rewritten.text.push_str(" ;\n");
    }
    for (at, line) in rest {
        rewritten.push(line, at);
        rewritten.text.push('\n');
    }
    Ok(Some(rewritten))
}

/// `0:v[2:3] = G0`
fn bind<'t>(entry: &'t str, at: usize, bindings: &mut Bindings<'t>) -> Result<(), Error> {
    let parts = entry.split_once('=').and_then(|(left, value)| {
        let (thread, register) = left.split_once(':')?;
        Some((thread.trim().parse().ok()?, register.trim(), value.trim()))
    });
    match parts {
        Some((thread, register, value)) => {
            bindings.insert((thread, register), value);
            Ok(())
        }
        None => fail(at, format!("expected `THREAD:REGISTER = NAME or NUMBER`, found `{entry}`")),
    }
}

/// `X = 0 fine`: without the type of its memory, which is noted.
fn typed(
    machine: Machine,
    entry: &str,
    at: usize,
    memory: &mut HashMap<String, MemoryType>,
) -> Result<String, Error> {
    let named = [("coarse", MemoryType::Coarse), ("fine", MemoryType::Fine)];
    let found = named.into_iter().find_map(|(word, kind)| Some((entry.strip_suffix(word)?, kind)));
    let Some((rest, kind)) = found.filter(|(rest, _)| rest.contains('=') && rest.ends_with(' ')) else {
        return Ok(entry.to_owned());
    };
    if machine.facts().l2_coherence != L2Coherence::MemoryAndInstructions {
        return fail(at, format!("on {} the type of memory is no part of a test", machine.processor.name()));
    }
    let name = rest.split('=').next().unwrap_or("").trim();
    memory.insert(name.to_owned(), kind);
    Ok(rest.trim_end().to_owned())
}
