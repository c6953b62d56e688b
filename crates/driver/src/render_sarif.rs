//! Reports as SARIF 2.1.0 (OASIS), for tools that show findings beside the source.
//!
//! One `run` holds the results of all reports. Severity advice becomes the level `note`. The first site with a source
//! place is the location, the others are related locations; a site without source is named in the message.

use serde_json::{Value, json};

use crate::report::{Accepted, Finding, Output, Report, Severity, Site, split_source};
use crate::rules;

/// The SARIF log of all reports; rules link to their pages in the guide published at `guide_url`, where that is said.
pub fn render_sarif(reports: &[Report], guide_url: Option<&str>) -> Value {
    let mut rules: Vec<(&str, &str)> = Vec::new();
    let mut results = Vec::new();
    let mut failed = Vec::new();
    for report in reports {
        let mut index = |id, title| {
            let known = rules.iter().position(|&(known, _)| known == id);
            known.unwrap_or_else(|| {
                rules.push((id, title));
                rules.len() - 1
            })
        };
        for finding in &report.findings {
            results.push(finding_result(finding, report, index(finding.id(), &finding.title)));
        }
        for Accepted { finding, reason } in &report.accepted {
            let mut result = finding_result(finding, report, index(finding.id(), &finding.title));
            result["suppressions"] = json!([{"kind": "external", "justification": reason}]);
            results.push(result);
        }
        for output in report.outputs.iter().filter(|output| !output.matches) {
            results.push(output_result(output, report, index(MISMATCH, MISMATCH_TITLE)));
        }
        failed.extend(report.reasons().map(|reason| json!({"level": "error", "message": {"text": reason}})));
    }
    let rules: Vec<Value> = rules.iter().map(|(id, title)| rule(id, title, guide_url)).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": "wavemark", "version": env!("CARGO_PKG_VERSION"), "rules": rules}},
            "invocations": [{"executionSuccessful": failed.is_empty(), "toolExecutionNotifications": failed}],
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

const MISMATCH: &str = "output-mismatch";
const MISMATCH_TITLE: &str = "output differs from what the launch file expects";

/// What is known of a rule: where it has a page, that is its help.
fn rule(id: &str, title: &str, guide_url: Option<&str>) -> Value {
    let Some(page) = rules::page(id) else {
        return json!({"id": id, "shortDescription": {"text": title}, "fullDescription": {"text": title}});
    };
    let what = page.section("What").unwrap_or(title);
    let fix = page.section("Fix").unwrap_or(what);
    let mut rule = json!({
        "id": id,
        "name": page.title(),
        "shortDescription": {"text": page.title()},
        "fullDescription": {"text": what},
        "help": {"text": fix, "markdown": page.text},
    });
    if let Some(guide) = guide_url {
        rule["helpUri"] = json!(format!("{}/rules/{id}.html", guide.trim_end_matches('/')));
    }
    rule
}

fn finding_result(finding: &Finding, report: &Report, rule: usize) -> Value {
    let level = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Advice => "note",
    };
    let mut message = finding.title.clone();
    for site in &finding.sites {
        message += &format!("\n{}: {}", site.role, site.text);
        if let Some(pc) = site.pc {
            message += &format!(" at {pc:#x}");
        }
        if let Some(iteration) = &site.iteration {
            message += &format!(" at {iteration}");
        }
    }
    for hint in [&finding.hint, &finding.author_hint].into_iter().flatten() {
        message += &format!("\nhint: {hint}");
    }
    let mut places = finding.sites.iter().filter_map(location);
    let primary = places.next().unwrap_or_else(|| file_location(&report.input));
    let related: Vec<Value> = places.collect();
    json!({
        "ruleId": finding.id(),
        "ruleIndex": rule,
        "level": level,
        "message": {"text": message},
        "locations": [primary],
        "relatedLocations": related,
        "occurrenceCount": finding.instances,
        "properties": {"class": finding.class.name(), "kernel": report.kernel, "target": report.target},
    })
}

fn output_result(output: &Output, report: &Report, rule: usize) -> Value {
    let mut message =
        format!("output {}: {} of {} elements differ", output.name, output.mismatches, output.elements);
    if let Some(first) = &output.first {
        message += &format!("; first at {:?}: {} instead of {}", first.index, first.found, first.expected);
    }
    json!({
        "ruleId": MISMATCH,
        "ruleIndex": rule,
        "level": "error",
        "message": {"text": message},
        "locations": [file_location(&report.input)],
        "properties": {"kernel": report.kernel, "target": report.target},
    })
}

fn location(site: &Site) -> Option<Value> {
    let (file, line, column) = split_source(site.source.as_deref()?)?;
    let mut region = json!({"startLine": line.max(1)});
    if let Some(column) = column.filter(|&column| column > 0) {
        region["startColumn"] = json!(column);
    }
    Some(json!({
        "physicalLocation": {"artifactLocation": {"uri": uri(file)}, "region": region},
        "message": {"text": format!("{}: {}", site.role, site.text)},
    }))
}

fn file_location(file: &str) -> Value {
    json!({"physicalLocation": {"artifactLocation": {"uri": uri(file)}}})
}

/// A path as a relative reference of RFC 3986.
fn uri(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    path.bytes()
        .map(|byte| if plain(byte) { (byte as char).to_string() } else { format!("%{byte:02X}") })
        .collect()
}
