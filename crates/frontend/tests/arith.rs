//! The analyzer of index arithmetic, case by case: `arith.txt` says what each expression becomes.

use std::collections::HashMap;
use std::path::Path;

use wavemark_diag::SourceMap;
use wavemark_frontend::parse;
use wavemark_tile::arith::Analyzer;
use wavemark_tile::{Dialect, Expr, Function, Range, Stmt, VarId, print_expr};

/// The expressions, read as `T.evaluate` statements of a function with these variables.
fn read(vars: &[&str], exprs: &[String]) -> (Function, Vec<Expr>) {
    let params: Vec<String> = vars.iter().map(|var| format!("{var}: T.int32")).collect();
    let mut text = format!("@T.prim_func\ndef main({}):\n", params.join(", "));
    for expr in exprs {
        text += &format!("    T.evaluate({expr})\n");
    }
    let mut sources = SourceMap::new();
    let file = sources.add_text("arith.txt", text.as_str());
    let module = parse(file, &text).unwrap_or_else(|errors| panic!("{text}\n{errors:?}"));
    let function = module.functions.into_iter().next().expect("a function");
    let mut found = Vec::new();
    function.body.visit(&mut |stmt| {
        if let Stmt::Evaluate(expr, _) = stmt {
            found.push(expr.clone());
        }
    });
    assert_eq!(found.len(), exprs.len(), "{text}");
    (function, found)
}

fn simplified(ranges: &str, assumption: &str, expr: &str) -> String {
    let ranges: Vec<Vec<&str>> = ranges.split(',').map(|range| range.split_whitespace().collect()).collect();
    let vars: Vec<&str> = ranges.iter().map(|range| range[0]).collect();
    let bounds = ranges.iter().flat_map(|range| range[1..].iter()).map(|bound| bound.to_string());
    let mut exprs = vec![expr.to_string()];
    exprs.extend((assumption != "-").then(|| assumption.to_string()));
    exprs.extend(bounds);
    let (function, mut exprs) = read(&vars, &exprs);
    let expr = exprs.remove(0);
    let assumption = (assumption != "-").then(|| exprs.remove(0));
    let ids: HashMap<&str, VarId> =
        (0u32..).map(VarId).zip(&function.vars).map(|(id, var)| (&*var.name, id)).collect();
    let mut analyzer = Analyzer::new();
    for range in ranges.iter().filter(|range| range.len() == 3) {
        analyzer.bind(ids[range[0]], &Range { min: exprs.remove(0), extent: exprs.remove(0) });
    }
    let simple = match assumption {
        Some(assumption) => analyzer.with_constraint(&assumption, |analyzer| analyzer.simplify(&expr)),
        None => analyzer.simplify(&expr),
    };
    match simple {
        Expr::Int(value, wavemark_tile::Dtype::BOOL) => if value == 0 { "False" } else { "True" }.to_string(),
        simple => print_expr(&function, &simple, Dialect::New),
    }
}

#[test]
fn expressions_become_what_tvm_makes_of_them() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/arith.txt");
    let text = std::fs::read_to_string(&path).expect("arith.txt");
    let mut blessed = String::new();
    let mut failures = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if line.is_empty() || line.starts_with('#') {
            blessed += &format!("{line}\n");
            continue;
        }
        let (case, expected) =
            line.rsplit_once(" => ").unwrap_or_else(|| panic!("line {}: no =>", number + 1));
        let parts: Vec<&str> = case.split(" | ").collect();
        let [ranges, assumption, expr] = parts[..] else { panic!("line {}: three parts", number + 1) };
        let found = simplified(ranges, assumption, expr);
        blessed += &format!("{case} => {found}\n");
        if found != expected {
            failures
                .push(format!("line {}: {case}\n    expected {expected}\n    found    {found}", number + 1));
        }
    }
    if std::env::var_os("WAVEMARK_BLESS").is_some() {
        std::fs::write(&path, blessed).expect("arith.txt can be written");
        return;
    }
    assert!(failures.is_empty(), "{}\n(WAVEMARK_BLESS=1 accepts these)", failures.join("\n"));
}
