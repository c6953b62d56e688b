//! Verdict files (`expect.toml`): what a report must and must not say of a case, and whether it does.
//!
//! Follows the verdict-file section of the project's interfaces, with the keys that the corpus adds: `exit_also`,
//! `schedule_dependent`, `clean`, `allow_advice`, `also_rule`, `one_of_lines`.
//!
//! A case passes when the exit status is one of those allowed; each `[[finding]]` is met by a reported finding of its
//! class, rule and severity that names one of its lines in a site or the hint; no finding of severity error lies
//! on other lines, but for those of the rule that a planted one has met; and, where the case is `clean` or expects nothing with exit 0, nothing is reported at all but
//! warnings or advice of the rules allowed.

use toml::de::DeTable;
use wavemark_diag::{Diagnostic, FileId, Span};

use crate::document::{Document, Node};
use crate::report::{Class, ExitStatus, Finding, Report, Severity};

const KEYS: &[&str] = &[
    "input",
    "target",
    "exit",
    "exit_also",
    "ambiguous",
    "schedule_dependent",
    "clean",
    "allow_advice",
    "finding",
];
const FINDING_KEYS: &[&str] =
    &["class", "also_class", "rule", "also_rule", "severity", "lines", "one_of_lines"];

/// A verdict file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    /// The file whose lines are meant.
    pub input: Option<String>,
    /// The target ID.
    pub target: Option<String>,
    /// Exit statuses of `run` and `check` that are right; the preferred one first.
    pub exits: Vec<u8>,
    /// Two answers are defensible: recorded, not scored.
    pub ambiguous: bool,
    /// Only some schedules show the defect.
    pub schedule_dependent: bool,
    /// A right kernel: nothing may be reported but what `allow_advice` names.
    pub clean: bool,
    /// Rules that may be reported of a clean kernel, as warning or advice.
    pub allow_advice: Vec<String>,
    /// What must be reported.
    pub findings: Vec<ExpectedFinding>,
}

/// What must be reported.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpectedFinding {
    /// Classes that are right.
    pub classes: Vec<Class>,
    /// Rules that are right; empty: any.
    pub rules: Vec<String>,
    /// The severity; `None`: any.
    pub severity: Option<Severity>,
    /// Lines of which one must be named; empty: any.
    pub lines: Vec<u32>,
}

/// How a report stands to a verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Score {
    /// As it must be.
    Pass,
    /// Why not.
    Fail(Vec<String>),
    /// Not scored; what would have counted against it.
    Ambiguous(Vec<String>),
}

/// Reads `text`, which is `file` of a source map.
pub fn parse(file: FileId, text: &str) -> Result<Verdict, Vec<Diagnostic>> {
    let (mut document, root) = Document::parse(file, text);
    let verdict = read_verdict(&mut document, root.get_ref());
    match verdict {
        Some(verdict) if document.diagnostics.is_empty() => Ok(verdict),
        _ => Err(document.diagnostics),
    }
}

fn read_verdict(document: &mut Document, table: &DeTable<'_>) -> Option<Verdict> {
    document.unknown_keys(table, KEYS, "of a verdict file");
    let mut verdict = Verdict::default();
    if let Some(node) = table.get("input") {
        verdict.input = Some(document.string(node, "input")?.to_owned());
    }
    if let Some(node) = table.get("target") {
        verdict.target = Some(document.string(node, "target")?.to_owned());
    }
    let flag = |document: &mut Document, key| match table.get(key) {
        Some(node) => document.boolean(node, key),
        None => Some(false),
    };
    verdict.ambiguous = flag(document, "ambiguous")?;
    verdict.schedule_dependent = flag(document, "schedule_dependent")?;
    verdict.clean = flag(document, "clean")?;
    match table.get("exit") {
        Some(node) => verdict.exits.push(document.integer_within(node, "exit", 0, 4)? as u8),
        None => {
            let start = Span::new(document.file(), 0..0);
            document.error(start, "`exit` is missing");
        }
    }
    if let Some(node) = table.get("exit_also") {
        for item in document.array(node, "exit_also")? {
            verdict.exits.push(document.integer_within(item, "exit_also", 0, 4)? as u8);
        }
    }
    if let Some(node) = table.get("allow_advice") {
        verdict.allow_advice = document.strings(node, "allow_advice")?;
    }
    if let Some(node) = table.get("finding") {
        for (span, table) in document.tables(node, "finding") {
            verdict.findings.extend(read_finding(document, span, table));
        }
    }
    Some(verdict)
}

fn read_finding(document: &mut Document, span: Span, table: &DeTable<'_>) -> Option<ExpectedFinding> {
    document.unknown_keys(table, FINDING_KEYS, "of a finding");
    let Some(class) = table.get("class") else {
        document.error(span, "this finding has no `class`");
        return None;
    };
    let mut classes = vec![read_class(document, class, "class")?];
    if let Some(node) = table.get("also_class") {
        for item in document.array(node, "also_class")? {
            classes.push(read_class(document, item, "also_class")?);
        }
    }
    let mut rules = Vec::new();
    if let Some(node) = table.get("rule") {
        rules.push(document.string(node, "rule")?.to_owned());
    }
    if let Some(node) = table.get("also_rule") {
        rules.extend(document.strings(node, "also_rule")?);
    }
    if rules.iter().any(String::is_empty) {
        rules.clear();
    }
    let severity = match table.get("severity") {
        Some(node) => {
            let name = document.string(node, "severity")?;
            let severity = Severity::from_name(name);
            if severity.is_none() {
                let span = document.span(node);
                document.error(span, format!("unknown severity `{name}`: error, warning, or advice"));
            }
            severity
        }
        None => None,
    };
    let mut lines = Vec::new();
    for key in ["lines", "one_of_lines"] {
        if let Some(node) = table.get(key) {
            for item in document.array(node, key)? {
                lines.push(document.integer_within(item, key, 1, u32::MAX.into())? as u32);
            }
        }
    }
    Some(ExpectedFinding { classes, rules, severity, lines })
}

fn read_class(document: &mut Document, node: &Node<'_>, key: &str) -> Option<Class> {
    let name = document.string(node, key)?;
    let class = Class::from_name(name);
    if class.is_none() {
        let names = Class::ALL.map(Class::name);
        let diagnostic = Diagnostic::error(format!("unknown class `{name}`")).at(document.span(node));
        document.diagnostics.push(match wavemark_diag::nearest(name, names.iter().copied()) {
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
            None => diagnostic.help(format!("the classes are {}", names.join(", "))),
        });
    }
    class
}

/// Holds `report` against `verdict`; without a verdict the kernel must be right: exit 0, no error.
pub fn score(verdict: Option<&Verdict>, report: &Report) -> Score {
    let right_kernel = Verdict { exits: vec![ExitStatus::Clean as u8], ..Verdict::default() };
    let problems = match verdict {
        Some(verdict) => problems(verdict, report),
        None => exit_problems(&right_kernel, report),
    };
    match (problems.is_empty(), verdict.is_some_and(|verdict| verdict.ambiguous)) {
        (_, true) => Score::Ambiguous(problems),
        (true, false) => Score::Pass,
        (false, false) => Score::Fail(problems),
    }
}

fn exit_problems(verdict: &Verdict, report: &Report) -> Vec<String> {
    let exit = report.exit_status() as u8;
    if verdict.exits.contains(&exit) {
        return Vec::new();
    }
    let outcome = report.outcome.name();
    let mut problems = vec![format!("exit status {exit} ({outcome}) instead of {:?}", verdict.exits)];
    problems.extend(report.reasons().take(3));
    let errors = report.findings.iter().filter(|finding| finding.severity == Severity::Error);
    problems.extend(errors.take(3).map(describe));
    problems
}

fn problems(verdict: &Verdict, report: &Report) -> Vec<String> {
    let mut problems = exit_problems(verdict, report);
    for expected in &verdict.findings {
        if !report.findings.iter().any(|finding| expected.is_met_by(finding)) {
            problems.push(format!("not reported: {}", expected.describe()));
        }
    }
    let nothing_expected = verdict.findings.is_empty() && verdict.exits.first() == Some(&0);
    for finding in &report.findings {
        let allowed = if verdict.clean || nothing_expected {
            finding.severity < Severity::Error && verdict.allow_advice.contains(&finding.rule)
        } else {
            finding.severity < Severity::Error
                || verdict.findings.iter().any(|expected| expected.touches(finding))
                || follows(finding, verdict, report)
        };
        if !allowed {
            problems.push(format!("reported beyond what is planted: {}", describe(finding)));
        }
    }
    problems
}

/// The finding repeats, elsewhere, the very rule of a planted one that is reported: what is broken there is still broken
/// at the next instruction.
fn follows(finding: &Finding, verdict: &Verdict, report: &Report) -> bool {
    let same_rule = |other: &&Finding| other.class == finding.class && other.rule == finding.rule;
    verdict
        .findings
        .iter()
        .any(|expected| report.findings.iter().filter(same_rule).any(|other| expected.is_met_by(other)))
}

impl ExpectedFinding {
    fn is_met_by(&self, finding: &Finding) -> bool {
        self.classes.iter().any(|class| class.includes(finding.class))
            && (self.rules.is_empty() || self.rules.contains(&finding.rule))
            && self.severity.is_none_or(|severity| severity == finding.severity)
            && self.touches(finding)
    }

    /// The finding names one of the lines, in a site or the hint.
    fn touches(&self, finding: &Finding) -> bool {
        self.lines.is_empty() || named_lines(finding).iter().any(|line| self.lines.contains(line))
    }

    fn describe(&self) -> String {
        let classes = self.classes.iter().map(|class| class.name()).collect::<Vec<_>>().join(" or ");
        let rules = if self.rules.is_empty() { "any rule".to_owned() } else { self.rules.join(" or ") };
        let severity = self.severity.map_or("any severity", Severity::name);
        format!("{classes} ({rules}, {severity}) at one of the lines {:?}", self.lines)
    }
}

fn describe(finding: &Finding) -> String {
    let severity = finding.severity.name();
    let lines = named_lines(finding);
    format!("{severity} {} {} \"{}\" at lines {lines:?}", finding.rule, finding.class.name(), finding.title)
}

/// Lines of the sites, and those of `file:line` in the hint.
fn named_lines(finding: &Finding) -> Vec<u32> {
    let mut lines: Vec<u32> = finding.sites.iter().filter_map(|site| site.line()).collect();
    for word in finding.hint.iter().flat_map(|hint| hint.split_whitespace()) {
        let word = word.trim_matches(|letter: char| !letter.is_alphanumeric());
        lines.extend(crate::report::split_source(word).map(|(_, line, _)| line));
    }
    lines
}
