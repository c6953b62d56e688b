//! Reports as one HTML page that needs no other file: for people who were not there when the command ran.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::render_text::{SourceLine, approximate_text, coverage_text};
use crate::report::{Finding, Report, Site, split_source};
use crate::rules;

const STYLE: &str = "\
body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem;color:#222;background:#fff}\
pre{background:#f5f5f5;padding:.4rem .6rem;overflow-x:auto;margin:.2rem 0}\
table{border-collapse:collapse}td,th{padding:.2rem .8rem .2rem 0;text-align:left;vertical-align:top}\
.finding{border-left:4px solid;padding:.2rem 1rem;margin:1rem 0}\
.error{border-color:#c62828}.warning{border-color:#ef8f00}.advice{border-color:#1565c0}.accepted{border-color:#999}\
.role{color:#666}details{margin:.4rem 0}\
@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}pre{background:#242424}}";

/// The reports of a command, each with its source lines.
pub fn render_html(reports: &[(&Report, SourceLine<'_>)]) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width";
                title { "Wavemark" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                h1 { "Wavemark" }
                table {
                    tr { th { "input" } th { "kernel" } th { "target" } th { "outcome" } th { "findings" } }
                    @for (number, (report, _)) in reports.iter().enumerate() {
                        tr {
                            td { a href={ "#run" (number) } { (report.input) } }
                            td { (report.kernel) }
                            td { (report.target) }
                            td { (report.outcome.name()) }
                            td { (report.findings.len()) }
                        }
                    }
                }
                @for (number, (report, lines)) in reports.iter().enumerate() { (run(number, report, lines)) }
            }
        }
    };
    page.into_string()
}

fn run(number: usize, report: &Report, lines: SourceLine<'_>) -> Markup {
    html! {
        section id={ "run" (number) } {
            h2 { (report.input) @if !report.kernel.is_empty() { ": " (report.kernel) } }
            p {
                (report.outcome.name())
                @if !report.target.is_empty() { " on " (report.target) }
                @if report.stats.waves > 0 {
                    "; " (report.stats.workgroups) " workgroups, " (report.stats.waves) " waves, "
                    (report.stats.wave_instructions) " wave instructions"
                }
            }
            @for problem in report.reasons() { p { (problem) } }
            @for found in &report.findings { (finding(found, None, lines)) }
            @for accepted in &report.accepted { (finding(&accepted.finding, Some(&accepted.reason), lines)) }
            @for output in report.outputs.iter().filter(|output| !output.matches) {
                p { "output " (output.name) ": " (output.mismatches) " of " (output.elements) " elements differ" }
            }
            @if let Some(coverage) = &report.coverage { p { "executed: " (coverage_text(coverage)) } }
            @if let Some(text) = report.coverage.as_ref().and_then(approximate_text) { p { "approximate: " (text) } }
            @let unknown: Vec<_> = report.not_checked.iter().filter(|one| !one.asked).collect();
            @if !unknown.is_empty() {
                details {
                    summary { "rules without a finder" }
                    ul { @for one in unknown { li { (one.to_string()) } } }
                }
            }
        }
    }
}

fn finding(finding: &Finding, accepted: Option<&str>, lines: SourceLine<'_>) -> Markup {
    let severity = finding.severity.name();
    let class = if accepted.is_some() { "accepted" } else { severity };
    html! {
        div class={ "finding " (class) } {
            strong { (severity) "[" (finding.id()) "]: " (finding.title) }
            @if finding.instances > 1 { " (" (finding.instances) " times)" }
            @if let Some(reason) = accepted { p { "accepted: " (reason) } }
            @for one in &finding.sites { (site(one, lines)) }
            @if let Some(hint) = &finding.hint { p { "hint: " code { (hint) } } }
            @if let Some(hint) = &finding.author_hint { p { "hint: " (hint) } }
            @if let Some(page) = rules::page(&finding.rule) {
                details { summary { (page.title()) } pre { (page.text) } }
            }
        }
    }
}

fn site(site: &Site, lines: SourceLine<'_>) -> Markup {
    let source = site.source.as_deref().and_then(split_source);
    let text = source.and_then(|(file, line, _)| Some((line, lines(file, line)?)));
    html! {
        div {
            span .role { (site.role) } " "
            @if let Some(source) = &site.source { (source) " " }
            @if let Some(pc) = site.pc { "at " (format!("{pc:#x}")) " " }
            @if let Some([x, y, z]) = site.workgroup { "workgroup " (x) "," (y) "," (z) " " }
            @if let Some(wave) = site.wave { "wave " (wave) " " }
            @if let Some(lanes) = site.lanes { "lanes " (lanes.to_string()) " " }
            @if let Some(note) = &site.note { (note) }
            pre {
                @match text {
                    Some((line, text)) => (format!("{line:>5} | {}", text.trim())),
                    None => (site.text),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Class, Severity};

    #[test]
    fn what_an_input_says_is_text() {
        let mut report = Report::new("<script>alert(1)</script>.s");
        report.findings.push(Finding {
            rule: "R4".to_owned(),
            title: "a < b".to_owned(),
            severity: Severity::Error,
            class: Class::MissingWait,
            instances: 2,
            sites: vec![Site { source: Some("k.s:4:1".to_owned()), ..Site::default() }],
            author_hint: None,
            hint: None,
            model: None,
            proven: None,
        });
        let page = render_html(&[(&report, &|_, _| Some("<b>bold</b>".to_owned()))]);
        assert!(!page.contains("<script>") && !page.contains("<b>"), "{page}");
        assert!(page.contains("a &lt; b") && page.contains("&lt;b&gt;bold"), "{page}");
    }
}
