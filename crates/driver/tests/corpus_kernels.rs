//! Every code object of the shared corpus: its launch names a kernel of it, suits it, and fills its arguments.

use wavemark_codeobj::CodeObject;
use wavemark_diag::{Diagnostic, SourceMap, render_short};
use wavemark_driver::cases::{self, Case, Prefer};
use wavemark_driver::kernarg::{Argument, Dispatch, Passed, lay_out};
use wavemark_driver::kernel;
use wavemark_driver::launch::{self, ArgValue};
use wavemark_driver::options::RunOptions;
use wavemark_driver::report::{Finding, Severity};
use wavemark_driver::{input, run, side_by_side};

fn lay_out_case(case: &Case, sources: &mut SourceMap) -> Result<Vec<u8>, Vec<Diagnostic>> {
    let bytes = std::fs::read(case.folder.join("kernel.hsaco")).unwrap();
    let object = CodeObject::parse(&bytes).unwrap();
    let (launch, filled) = launch::load(sources, &case.launch, "launch.toml", 0, launch::Purpose::Kernel)?;
    let kernel = kernel::select(&object, "kernel.hsaco", launch.kernel.as_deref(), launch.kernel_span)
        .map_err(|diagnostic| vec![diagnostic])?;
    let metadata = object.kernel_metadata(kernel);
    let diagnostics = kernel::check_launch(&launch, kernel, metadata);
    if !diagnostics.is_empty() {
        return Err(diagnostics);
    }
    let arguments: Vec<Argument<'_>> = launch
        .args
        .iter()
        .zip(&filled)
        .map(|(arg, contents)| Argument {
            name: &arg.name,
            span: arg.span,
            passed: match arg.value {
                ArgValue::Scalar(_) => Passed::Value(&contents.bytes),
                ArgValue::Buffer(_) => Passed::Address(0x1000),
            },
        })
        .collect();
    let parameters = kernel::parameters(kernel, metadata);
    let dispatch = Dispatch { grid: launch.grid, block: launch.block, dimensions: 3, ..Dispatch::default() };
    lay_out(
        &kernel.name,
        &arguments,
        parameters.as_deref(),
        kernel::segment_size(kernel, metadata),
        &dispatch,
    )
}

#[test]
fn launches_suit_their_kernels() {
    let Some(corpus) = wavemark_corpus::shared_or_skip("corpus") else { return };
    let cases = cases::find(&corpus, Prefer::Object).unwrap();
    assert!(!cases.is_empty());
    for case in cases.iter().filter(|case| case.folder.join("kernel.hsaco").is_file()) {
        let mut sources = SourceMap::new();
        if let Err(diagnostics) = lay_out_case(case, &mut sources) {
            panic!("{}: {}", case.folder.display(), render_short(&sources, &diagnostics[0]));
        }
    }
}

/// What compilers have made is checked on all paths, and nothing is wrong with it; cases with planted mistakes apart.
#[test]
fn no_error_without_a_launch() {
    let Some(corpus) = wavemark_corpus::shared_or_skip("corpus") else { return };
    let all = cases::find(&corpus, Prefer::Object).unwrap();
    let is_clean = |case: &Case| case.verdict.as_ref().is_none_or(|verdict| verdict.clean);
    let files = all.iter().filter(|case| is_clean(case)).map(|case| case.folder.join("kernel.hsaco"));
    let files: Vec<_> = files.filter(|file| file.is_file()).collect();
    assert!(files.len() > 500, "{} code objects", files.len());
    let wrong = side_by_side::map(&files, 2, |file| {
        let mut sources = SourceMap::new();
        let (name, bytes) = (file.display().to_string(), std::fs::read(file).unwrap());
        let input = input::from_bytes(name, Some(file), bytes, None).unwrap();
        let reports = run::check(&mut sources, &input, None, &RunOptions::default());
        let Ok(reports) = reports else { panic!("{} cannot be checked", file.display()) };
        let errors = |finding: &&Finding| finding.severity == Severity::Error;
        let findings = reports.iter().flat_map(|report| &report.findings);
        findings
            .filter(errors)
            .map(|one| format!("{}: {} {}", file.display(), one.rule, one.title))
            .collect::<Vec<_>>()
    });
    let wrong: Vec<String> = wrong.into_iter().flatten().collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
