//! Every code object of the shared corpus: its launch names a kernel of it, suits it, and fills its arguments.

use wavemark_codeobj::CodeObject;
use wavemark_diag::{Diagnostic, SourceMap, render_short};
use wavemark_driver::cases::{self, Case, Prefer};
use wavemark_driver::kernarg::{Argument, Dispatch, Passed, lay_out};
use wavemark_driver::kernel;
use wavemark_driver::launch::{self, ArgValue};

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
