//! Litmus tests: from a file to a verdict, as text and as JSON.

mod cached;
mod configuration;
mod machine;
mod operands;
mod words;

use std::fmt::Write as _;

use serde_json::{Value, json};
use wavemark_diag::{Diagnostic, FileId, Span};
use wavemark_memmodel::litmus::advice::{Advice, advice};
use wavemark_memmodel::litmus::explore::{Explored, explore};
use wavemark_memmodel::litmus::parse::{Error, missing, parse};
use wavemark_memmodel::litmus::state::Fault;
use wavemark_memmodel::litmus::{Test, picture};

pub use wavemark_memmodel::litmus::explore::Bounds;
pub use wavemark_memmodel::litmus::generate::{STYLES, Style, cycles, test as generate};

use crate::report::ExitStatus;

/// A test with more states than this is not asked for weaker waits.
const STATES_FOR_ADVICE: usize = 20_000;

/// A test and what was found.
#[derive(Debug)]
pub struct Litmus {
    /// The file, as named.
    pub name: String,
    /// The test.
    pub test: Test,
    /// What was found.
    pub found: Explored,
    /// Waits that could be weaker.
    pub advice: Vec<Advice>,
    /// The steps to what is asked for, of a test on the machine with caches.
    steps: Option<Vec<String>>,
}

/// Reads and explores a test.
pub fn judge(name: &str, file: FileId, text: &str, bounds: Bounds) -> Result<Litmus, Diagnostic> {
    let rewritten = machine::rewrite(text);
    let test = rewritten.and_then(|rewritten| match rewritten {
        None => parse(text).map(|test| (test, None)),
        Some(rewritten) => match parse(&rewritten.text) {
            Ok(test) => Ok((test, rewritten.columns)),
            Err(error) => Err(Error { at: rewritten.source(error.at), message: error.message }),
        },
    });
    let (test, columns) = test.map_err(|error| {
        let end = text[error.at..].find(char::is_whitespace).map_or(text.len(), |length| error.at + length);
        Diagnostic::error(error.message).at(Span::new(file, error.at..end.max(error.at)))
    })?;
    if let Some(columns) = columns {
        let (found, steps) = cached::explore(&test, &columns, bounds.states).map_err(|message| {
            Diagnostic::error(message).at(Span::new(file, 0..text.lines().next().map_or(0, str::len)))
        })?;
        return Ok(Litmus { name: name.to_owned(), test, found, advice: Vec::new(), steps: Some(steps) });
    }
    let too_many = |_| {
        Diagnostic::error(
            "the test has more than 65,536 events: accesses, fences, barrier operations, waits, jumps",
        )
        .at(Span::new(file, 0..text.lines().next().map_or(0, str::len)))
    };
    let found = explore(&test, bounds).map_err(too_many)?;
    let advice = match found.states < STATES_FOR_ADVICE {
        true => advice(&test, &found, bounds).map_err(too_many)?,
        false => Vec::new(),
    };
    Ok(Litmus { name: name.to_owned(), test, found, advice, steps: None })
}

impl Litmus {
    /// Whether it is what the file expects; a file that expects nothing has no wrong verdict.
    pub fn is_as_expected(&self) -> bool {
        let verdict = self.test.expected.verdict;
        verdict.is_none_or(|verdict| self.found.verdict() == Some(verdict)) && self.lacking().is_empty()
    }

    /// The rules and classes that the file expects, and that were not found.
    fn lacking(&self) -> Vec<&str> {
        missing(&self.test.expected.found, &self.ids())
    }

    fn ids(&self) -> std::collections::BTreeSet<&'static str> {
        let mut ids = self.found.ids();
        ids.extend(self.advice.iter().map(Advice::rule));
        ids
    }

    /// 0: as expected; 1: not; 3: the bound was reached before a verdict.
    pub fn status(&self) -> ExitStatus {
        match (self.found.verdict(), self.is_as_expected()) {
            (None, _) => ExitStatus::Unsupported,
            (_, true) => ExitStatus::Clean,
            (_, false) => ExitStatus::Findings,
        }
    }

    /// The verdict's word.
    fn verdict(&self) -> &'static str {
        self.found.verdict().map_or("Unknown", |verdict| verdict.name())
    }

    /// The report as JSON.
    pub fn json(&self) -> Value {
        let outcomes = self.found.outcomes.iter().map(|(state, outcome)| {
            json!({"state": state, "count": outcome.count, "racy": outcome.racy, "asked": outcome.asked})
        });
        let advice = self.advice.iter().map(|one| {
            json!({
                "rule": one.rule(), "thread": one.thread, "text": self.text(one), "enough": one.n,
            })
        });
        json!({
            "file": self.name,
            "name": self.test.name,
            "verdict": self.verdict(),
            "expected": self.test.expected.verdict.map(|verdict| verdict.name()),
            "outcomes": outcomes.collect::<Vec<_>>(),
            "finished": self.found.finished,
            "states": self.found.states,
            "rules": self.ids(),
            "advice": advice.collect::<Vec<_>>(),
            "witness": self.trace(),
        })
    }

    fn text(&self, advice: &Advice) -> &str {
        &self.test.threads[advice.thread].text[advice.instruction]
    }

    /// The steps of the verdict's witness.
    fn trace(&self) -> Vec<String> {
        if let Some(steps) = &self.steps {
            return steps.clone();
        }
        self.found.witness().map(|(witness, _)| picture::trace(&self.test, witness)).unwrap_or_default()
    }

    /// The report as text: a line, and what it is about; with `whole`, outcomes and the witness of what is as expected, too.
    pub fn render(&self, whole: bool) -> String {
        let right = self.is_as_expected();
        let mut out = format!("{}: {}", self.name, self.verdict());
        match self.test.expected.verdict {
            Some(verdict) if Some(verdict) != self.found.verdict() => {
                let _ = write!(out, ", expected {}", verdict.name());
            }
            Some(_) => out.push_str(", as expected"),
            None => {}
        }
        out.push('\n');
        for word in self.lacking() {
            let _ = writeln!(out, "  expected {word}, which was not found");
        }
        if !self.found.finished {
            let _ =
                writeln!(out, "  not finished: stopped at the bound of states, after {}", self.found.states);
        }
        if right && !whole {
            return out;
        }
        for (state, outcome) in &self.found.outcomes {
            let sign = if outcome.asked { "*" } else { " " };
            let racy = if outcome.racy { "  (racy)" } else { "" };
            let state = if state.is_empty() { "(no registers)" } else { state };
            let _ = writeln!(out, "  {:>8} {sign}> {state}{racy}", outcome.count);
        }
        for (fault, witness) in &self.found.faults {
            let _ = match fault {
                Fault::Undefined(rule) => writeln!(out, "  undefined: {rule}"),
                Fault::Race(rule, class, first, second) => {
                    let pair = witness
                        .as_ref()
                        .map(|witness| picture::pair(&self.test, witness, &[*first, *second]));
                    let pair = pair.unwrap_or_default();
                    writeln!(out, "  race: {rule}, {class}: {}", pair.join(" and "))
                }
            };
        }
        for note in &self.found.notes {
            let _ = writeln!(out, "  note: {note}");
        }
        for one in &self.advice {
            let text = self.text(one);
            let _ = match one.n {
                None => writeln!(out, "  {}: P{}: {text} is not needed", one.rule(), one.thread),
                Some(n) => writeln!(out, "  {}: P{}: {text} could be {n}", one.rule(), one.thread),
            };
        }
        let trace = self.trace();
        if !trace.is_empty() {
            out.push_str("  witness:\n");
            trace.iter().for_each(|step| {
                let _ = writeln!(out, "    {step}");
            });
        }
        out
    }

    /// The verdict's witness as a graph in Graphviz's language, or as SVG; `None` if the verdict has none, or the
    /// test is one of the machine with caches, whose steps are text.
    pub fn picture(&self, svg: bool) -> Option<String> {
        let (witness, marked) = self.found.witness()?;
        Some(match svg {
            true => picture::svg(&self.test, witness, &marked),
            false => picture::dot(&self.test, witness, &marked),
        })
    }
}
