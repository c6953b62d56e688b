//! What is valid is found valid, and each rule finds what breaks it, at its line.

use std::path::Path;

use wavemark_corpus::{root, shared_or_skip};
use wavemark_diag::{Severity, SourceMap, render_short};
use wavemark_ir::function::Body;
use wavemark_ir::inst::InstKind;
use wavemark_ir::module::GlobalKind;
use wavemark_ir::verify::{Rule, Violation};

/// The violations of a text, each with its line (0: the module).
fn violations(name: &str, text: &str) -> Vec<(u32, Violation)> {
    let mut sources = SourceMap::new();
    let file = sources.add_text(name, text);
    let parsed = wavemark_ir::parse(file, text)
        .unwrap_or_else(|diagnostic| panic!("{}", render_short(&sources, &diagnostic)));
    let line = |violation: &Violation| {
        let diagnostic = violation.diagnostic(&parsed.places);
        assert_eq!(diagnostic.severity, Severity::Error);
        diagnostic.span().and_then(|span| sources.line_column(span)).map_or(0, |place| place.line)
    };
    let found = wavemark_ir::verify(&parsed.module, None);
    found.into_iter().map(|violation| (line(&violation), violation)).collect()
}

fn texts(folder: &Path) -> Vec<(String, String)> {
    let mut texts = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        let path = entry.unwrap().path();
        let file = if path.is_dir() { path.join("kernel.ll") } else { path };
        if file.extension().is_some_and(|extension| extension == "ll") {
            let text =
                std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
            texts.push((file.display().to_string(), text));
        }
    }
    texts.sort();
    texts
}

#[test]
fn kernels_of_the_corpus_are_valid() {
    let Some(folder) = shared_or_skip("corpus/triton") else { return };
    let mut wrong = Vec::new();
    for target in ["gfx950", "gfx1250"] {
        for (name, text) in texts(&folder.join(target)) {
            for (line, violation) in violations(&name, &text) {
                wrong.push(format!("{name}:{line}: {}: {}", violation.rule, violation.message));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// In a comment at the end of a line: the rules that the line breaks. In the first line of a file: those that the module
/// breaks.
const MARK: &str = "; <<< ";

#[test]
fn each_rule_finds_what_breaks_it() {
    let mut broken = Vec::new();
    for (name, text) in texts(&root().join("crates/ir/tests/invalid")) {
        let mut expected: Vec<(u32, &str)> = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            if let Some((code, rules)) = line.split_once(MARK) {
                let number = if code.is_empty() { 0 } else { number };
                expected.extend(rules.split_whitespace().map(|rule| (number, rule)));
            }
        }
        assert!(!expected.is_empty(), "{name} breaks nothing");
        let found = violations(&name, &text);
        let mut seen: Vec<(u32, &str)> =
            found.iter().map(|(line, violation)| (*line, violation.rule.name())).collect();
        expected.sort_unstable();
        seen.sort_unstable();
        assert_eq!(seen, expected, "{name}: {found:#?}");
        broken.extend(found.into_iter().map(|(_, violation)| violation.rule));
    }
    let untested: Vec<&Rule> =
        Rule::ALL.iter().filter(|rule| !broken.contains(rule) && !OF_BUILT_MODULES.contains(rule)).collect();
    assert!(untested.is_empty(), "no file breaks {untested:?}");
}

/// The rules that no text can break: the reader refuses it.
const OF_BUILT_MODULES: &[Rule] = &[Rule::Aggregate, Rule::Terminator];

#[test]
fn what_the_reader_refuses_is_found_in_built_modules() {
    let text = "define i32 @f({ i32 } %s) {\n  %x = extractvalue { i32 } %s, 0\n  ret i32 %x\n}\n";
    let mut sources = SourceMap::new();
    let file = sources.add_text("k.ll", text);
    let good = wavemark_ir::parse(file, text).unwrap().module;
    assert_eq!(wavemark_ir::verify(&good, None), []);
    let broken = |change: &dyn Fn(&mut Body)| {
        let mut module = good.clone();
        let id = module.named("f").unwrap();
        let GlobalKind::Function(function) = &mut module.globals[id].kind else { panic!("a function") };
        change(function.body.as_mut().unwrap());
        let rules = wavemark_ir::verify(&module, None).into_iter().map(|violation| violation.rule);
        rules.collect::<Vec<_>>()
    };
    let no_terminator = broken(&|body| {
        let entry = body.entry();
        body.blocks[entry].insts.pop();
    });
    assert_eq!(no_terminator, [Rule::Terminator]);
    let no_such_part = broken(&|body| {
        let first = body.blocks[body.entry()].insts[0];
        let InstKind::ExtractValue { indices, .. } = &mut body.insts[first].kind else {
            panic!("extractvalue")
        };
        indices[0] = 1;
    });
    assert_eq!(no_such_part, [Rule::Aggregate]);
}
