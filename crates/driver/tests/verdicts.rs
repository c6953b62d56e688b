//! Verdict files: reading them, and holding reports against them.

use expect_test::{Expect, expect};
use wavemark_diag::{SourceMap, render_short};
use wavemark_driver::cases::{self, Prefer};
use wavemark_driver::report::{Checked, Class, Finding, Report, Severity, Site};
use wavemark_driver::verdict::{self, Score, score};

fn finding(rule: &str, severity: Severity, class: Class, lines: &[u32], hint: Option<&str>) -> Finding {
    let site = |&line: &u32| Site {
        note: None,
        role: "site".to_owned(),
        pc: Some(u64::from(line) * 4),
        text: "s_nop 0".to_owned(),
        source: Some(format!("kernel.s:{line}:1")),
        callers: Vec::new(),
        workgroup: None,
        wave: None,
        lanes: None,
        iteration: None,
    };
    Finding {
        rule: rule.to_owned(),
        title: "t".to_owned(),
        severity,
        class,
        instances: 1,
        sites: lines.iter().map(site).collect(),
        author_hint: None,
        hint: hint.map(str::to_owned),
        model: None,
        proven: None,
        unsettles: None,
    }
}

fn check(verdict: &str, findings: Vec<Finding>, expect: Expect) {
    let mut sources = SourceMap::new();
    let file = sources.add_text("expect.toml", verdict);
    let text = match verdict::parse(file, verdict) {
        Ok(verdict) => {
            let mut report = Report::new("kernel.s");
            report.checked = Checked { registers: true, ..Checked::default() };
            report.findings = findings;
            report.conclude();
            match score(Some(&verdict), &report) {
                Score::Pass => "pass".to_owned(),
                Score::Fail(problems) => format!("fail\n{}", problems.join("\n")),
                Score::Ambiguous(problems) => format!("ambiguous\n{}", problems.join("\n")),
            }
        }
        Err(diagnostics) => diagnostics
            .iter()
            .map(|diagnostic| render_short(&sources, diagnostic))
            .collect::<Vec<_>>()
            .join("\n"),
    };
    expect.assert_eq(&text);
}

const PLANTED: &str = "exit = 1\n[[finding]]\nclass = \"missing-wait\"\nalso_class = [\"missing-sync\"]\nrule = \"R4\"\n\
                       also_rule = [\"R6\"]\nseverity = \"error\"\nlines = [14, 15]\n";

#[test]
fn planted_defects() {
    use Class::*;
    use Severity::*;
    check(PLANTED, vec![finding("R4", Error, MissingWait, &[14, 15], None)], expect!["pass"]);
    check(PLANTED, vec![finding("R6", Error, MissingSync, &[3, 15], None)], expect!["pass"]);
    check(
        PLANTED,
        vec![finding("R4", Error, MissingWait, &[3], Some("a wait before k.s:14."))],
        expect!["pass"],
    );
    check(
        PLANTED,
        vec![],
        expect![[r#"
        fail
        exit status 0 (clean) instead of [1]
        not reported: missing-wait or missing-sync (R4 or R6, error) at one of the lines [14, 15]"#]],
    );
    check(
        PLANTED,
        vec![finding("R4", Warning, MissingWait, &[14], None)],
        expect![[r#"
        fail
        exit status 0 (clean) instead of [1]
        not reported: missing-wait or missing-sync (R4 or R6, error) at one of the lines [14, 15]"#]],
    );
    check(
        PLANTED,
        vec![finding("R1", Error, MissingWait, &[14], None)],
        expect![[r#"
        fail
        not reported: missing-wait or missing-sync (R4 or R6, error) at one of the lines [14, 15]"#]],
    );
    check(
        PLANTED,
        vec![finding("R4", Error, Trap, &[14], None)],
        expect![[r#"
        fail
        not reported: missing-wait or missing-sync (R4 or R6, error) at one of the lines [14, 15]"#]],
    );
    let extra = vec![
        finding("R4", Error, MissingWait, &[14], None),
        finding("W1", Advice, Redundant, &[20], None),
        finding("R5", Error, MissingWait, &[20, 21], None),
    ];
    check(
        PLANTED,
        extra,
        expect![[r#"
        fail
        reported beyond what is planted: error R5 missing-wait "t" at lines [20, 21]"#]],
    );
    check(
        &format!("ambiguous = true\n{PLANTED}"),
        vec![],
        expect![[r#"
        ambiguous
        exit status 0 (clean) instead of [1]
        not reported: missing-wait or missing-sync (R4 or R6, error) at one of the lines [14, 15]"#]],
    );
    check(
        &format!("exit_also = [0]\n{}", PLANTED.replace("R4", "")),
        vec![],
        expect![[r#"
        fail
        not reported: missing-wait or missing-sync (any rule, error) at one of the lines [14, 15]"#]],
    );
}

#[test]
fn right_kernels() {
    use Class::*;
    use Severity::*;
    let clean = "exit = 0\nclean = true\nallow_advice = [\"L5\"]\n";
    check(clean, vec![], expect!["pass"]);
    check(clean, vec![finding("L5", Warning, Hazard, &[1], None)], expect!["pass"]);
    check(
        clean,
        vec![finding("L5", Error, Hazard, &[1], None)],
        expect![[r#"
        fail
        exit status 1 (findings) instead of [0]
        error L5 hazard "t" at lines [1]
        reported beyond what is planted: error L5 hazard "t" at lines [1]"#]],
    );
    check(
        clean,
        vec![finding("W1", Advice, Redundant, &[1], None)],
        expect![[r#"
        fail
        reported beyond what is planted: advice W1 redundant "t" at lines [1]"#]],
    );
    check(
        "exit = 0",
        vec![finding("W1", Advice, Redundant, &[1], None)],
        expect![[r#"
        fail
        reported beyond what is planted: advice W1 redundant "t" at lines [1]"#]],
    );
    let advice =
        "exit = 0\n[[finding]]\nclass = \"redundant\"\nrule = \"W1\"\nseverity = \"advice\"\nlines = [7]\n";
    check(advice, vec![finding("W1", Advice, Redundant, &[7], None)], expect!["pass"]);
    check(
        advice,
        vec![finding("R1", Error, MissingWait, &[7], None)],
        expect![[r#"
        fail
        exit status 1 (findings) instead of [0]
        error R1 missing-wait "t" at lines [7]
        not reported: redundant (W1, advice) at one of the lines [7]"#]],
    );
}

#[test]
fn mistakes() {
    check(
        "exti = 1\nclean = 3",
        vec![],
        expect![[r#"
        expect.toml:1:1: error: unknown key `exti` of a verdict file
        expect.toml:2:9: error: `clean` must be true or false, found an integer"#]],
    );
    check("exit = 9", vec![], expect!["expect.toml:1:8: error: `exit` must be at most 4, found 9"]);
    check(
        "exit = 1\n[[finding]]\nclass = \"missing-wiat\"\n[[finding]]\nrule = 1\n",
        vec![],
        expect![[r#"
        expect.toml:3:9: error: unknown class `missing-wiat`
        expect.toml:4:1: error: this finding has no `class`"#]],
    );
    check(
        "exit = 1\n[[finding]]\nclass = \"trap\"\nseverity = \"bad\"\nlines = [0]\n",
        vec![],
        expect![[r#"
            expect.toml:4:12: error: unknown severity `bad`: error, warning, or advice
            expect.toml:5:10: error: `lines` must be at least 1, found 0"#]],
    );
}

#[test]
fn corpus_verdicts_are_good() {
    let Some(corpus) = wavemark_corpus::shared_or_skip("corpus") else { return };
    let cases = cases::find(&corpus, Prefer::Object).unwrap();
    assert!(cases.iter().filter(|case| case.verdict.is_some()).count() > 40);
    let named = |case: &&cases::Case| case.verdict.as_ref().is_some_and(|verdict| verdict.input.is_some());
    for case in cases.iter().filter(named) {
        let name = case.verdict.as_ref().unwrap().input.as_deref().unwrap();
        assert_eq!(case.input, case.folder.join(name));
    }
}
