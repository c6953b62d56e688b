//! Marks: what must be found of a kernel, in its own source, in comments behind `<<<` on the lines that the finding must
//! name. The museum's README (`examples/museum`) says what they are.

use std::collections::{BTreeMap, BTreeSet};

use wavemark_driver::report::{Finding, Severity};

/// What one mistake must be reported as.
#[derive(Debug, Default)]
pub struct Mistake {
    /// How bad it is.
    pub severity: Option<Severity>,
    /// Its rule.
    pub rule: String,
    /// Its class.
    pub class: String,
    /// Where it hurts: one of these lines.
    lines: BTreeSet<u32>,
    /// Where it begins: one of these lines.
    other_ends: BTreeSet<u32>,
    /// The wait that is too weak; held against reports that have a site for it.
    waits: BTreeSet<u32>,
    /// What the hint begins with, and the line that it names.
    hint: Option<(String, u32)>,
}

/// The mistakes that the marks of a source describe, by number.
///
/// # Panics
/// At a mark that is none.
pub fn mistakes(source: &str) -> BTreeMap<String, Mistake> {
    let mut mistakes = BTreeMap::<String, Mistake>::new();
    for (line, text) in (1..).zip(source.lines()) {
        for mark in text.split("<<<").skip(1) {
            let mark = mark.trim();
            let (number, mark) = match mark.split_once(' ') {
                Some((number, rest)) if number.bytes().all(|byte| byte.is_ascii_digit()) => (number, rest),
                _ => ("1", mark),
            };
            let mistake = mistakes.entry(number.to_owned()).or_default();
            if let Some(hint) = mark.strip_prefix("hint: ") {
                mistake.hint = Some((hint.to_owned(), line));
            } else if mark == "other end" {
                mistake.other_ends.insert(line);
            } else if mark == "wait" {
                mistake.waits.insert(line);
            } else if let Some((severity, rest)) = mark.split_once('[')
                && let Some((rule, class)) = rest.split_once("] ")
            {
                mistake.lines.insert(line);
                mistake.severity = Some(match severity {
                    "error" => Severity::Error,
                    "warning" => Severity::Warning,
                    "advice" => Severity::Advice,
                    _ => panic!("line {line}: what is `{severity}`?"),
                });
                (mistake.rule, mistake.class) = (rule.to_owned(), class.to_owned());
            } else {
                panic!("line {line}: what is `{mark}`?");
            }
        }
    }
    mistakes
}

impl Mistake {
    /// Whether a finding is what the marks say.
    pub fn is_met_by(&self, finding: &Finding) -> bool {
        let named = |lines: &BTreeSet<u32>| {
            finding.sites.iter().filter_map(|site| site.line()).any(|line| lines.contains(&line))
        };
        let mut waits =
            finding.sites.iter().filter(|site| site.role == "wait").filter_map(|site| site.line());
        let hint = finding.hint.as_deref().unwrap_or_default();
        Some(finding.severity) == self.severity
            && finding.rule == self.rule
            && finding.class.name() == self.class
            && named(&self.lines)
            && (self.other_ends.is_empty() || named(&self.other_ends))
            && (self.waits.is_empty() || waits.all(|line| self.waits.contains(&line)))
            && self.hint.as_ref().is_none_or(|(text, line)| {
                hint.starts_with(text.as_str())
                    && [".s", ".ll"].iter().any(|file| hint.contains(&format!("{file}:{line}:")))
            })
    }
}
