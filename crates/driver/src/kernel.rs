//! The kernel that a launch means, and whether the launch suits it.
//!
//! Follows the kernel metadata and kernel descriptor of LLVM's "User Guide for AMDGPU Backend".

use wavemark_codeobj::KernelMetadata;
use wavemark_codeobj::read::{CodeObject, Kernel};
use wavemark_diag::{Diagnostic, Span};
use wavemark_target::Property;

use crate::kernarg::Parameter;
use crate::launch::Launch;

/// The kernel of `object` named `name`, or the only one. `span` is where it is named.
pub fn select<'o>(
    object: &'o CodeObject,
    input: &str,
    name: Option<&str>,
    span: Option<Span>,
) -> Result<&'o Kernel, Diagnostic> {
    let names = || object.kernels.iter().map(|kernel| kernel.name.as_str());
    let list = || names().collect::<Vec<_>>().join(", ");
    let at = |message: String| match span {
        Some(span) => Diagnostic::error(message).at(span),
        None => Diagnostic::error(message),
    };
    match (name, object.kernels.as_slice()) {
        (_, []) => Err(at(format!("{input} has no kernel: no symbol names a kernel descriptor"))),
        (None, [kernel]) => Ok(kernel),
        (None, _) => Err(at(format!("{input} has several kernels: say which"))
            .help(format!("--kernel, or `kernel` in the launch file: {}", list()))),
        (Some(name), kernels) => kernels.iter().find(|kernel| kernel.name == name).ok_or_else(|| {
            let diagnostic = at(format!("{input} has no kernel `{name}`"));
            match wavemark_diag::nearest(name, names()) {
                Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
                None => diagnostic.help(format!("its kernels: {}", list())),
            }
        }),
    }
}

/// The kernel's arguments by its metadata. `None` where there is no telling: no metadata, or metadata that has
/// room for arguments without listing them.
pub fn parameters(kernel: &Kernel, metadata: Option<&KernelMetadata>) -> Option<Vec<Parameter>> {
    let metadata = metadata?;
    if metadata.args.is_empty() && (metadata.kernarg_segment_size > 0 || kernel.descriptor.kernarg_size > 0) {
        return None;
    }
    let parameter = |arg: &wavemark_codeobj::KernelArg| Parameter {
        name: arg.name.clone(),
        offset: arg.offset.into(),
        size: arg.size.into(),
        value_kind: arg.value_kind.name().to_owned(),
    };
    Some(metadata.args.iter().map(parameter).collect())
}

/// Where in the kernel-argument segment the address of the hostcall buffer goes, if the kernel takes one.
pub fn hostcall(metadata: Option<&KernelMetadata>) -> Option<u64> {
    let arguments = &metadata?.args;
    let buffer = arguments.iter().find(|one| one.value_kind.name() == "hidden_hostcall_buffer");
    buffer.map(|one| one.offset.into())
}

/// Bytes of the kernel-argument segment; 0: not said.
pub fn segment_size(kernel: &Kernel, metadata: Option<&KernelMetadata>) -> u64 {
    let from_metadata = metadata.map_or(0, |metadata| metadata.kernarg_segment_size.into());
    from_metadata.max(kernel.descriptor.kernarg_size.into())
}

/// The launch of a kernel that takes no arguments, where none is given: one workgroup, of the size that the kernel is
/// compiled for, or of one wave. An error for a kernel that takes arguments.
pub fn default_launch(kernel: &Kernel, metadata: Option<&KernelMetadata>) -> Result<Launch, Diagnostic> {
    let parameters = parameters(kernel, metadata);
    let takes_none = match &parameters {
        Some(parameters) => parameters.iter().all(Parameter::is_hidden),
        None => segment_size(kernel, metadata) == 0,
    };
    if !takes_none {
        let name = &kernel.name;
        return Err(Diagnostic::error(format!(
            "{name} takes arguments, and there is no launch to give them"
        ))
        .help("give a launch file: --launch L.toml"));
    }
    let required = metadata.and_then(|metadata| metadata.reqd_workgroup_size);
    let block = required.filter(|sizes| sizes.iter().all(|&size| size > 0));
    Ok(Launch {
        kernel: Some(kernel.name.clone()),
        kernel_span: None,
        grid_span: None,
        grid: [1; 3],
        dimensions: 3,
        block: block.unwrap_or([kernel.descriptor.wave_size().lanes(), 1, 1]),
        block_span: None,
        cluster: None,
        cluster_span: None,
        dynamic_lds_span: None,
        dynamic_lds: 0,
        args: Vec::new(),
    })
}

/// What of the launch the kernel cannot be run with.
pub fn check_launch(launch: &Launch, kernel: &Kernel, metadata: Option<&KernelMetadata>) -> Vec<Diagnostic> {
    let name = &kernel.name;
    let mut diagnostics = Vec::new();
    let mut fail = |span: Option<Span>, message: String| {
        let diagnostic = Diagnostic::error(message);
        diagnostics.push(match span {
            Some(span) => diagnostic.at(span),
            None => diagnostic,
        });
    };

    let processor = kernel.descriptor.processor;
    let limits = kernel.descriptor.limits();
    let size = launch.workgroup_size();
    if size > limits.max_workgroup_size.into() {
        let most = limits.max_workgroup_size;
        fail(launch.block_span, format!("a workgroup of {size} work-items: {processor} has at most {most}"));
    }
    if let Some(cluster) = launch.cluster {
        let workgroups = cluster.iter().map(|&size| u64::from(size)).product::<u64>();
        if !processor.has(Property::CLUSTERS) && workgroups > 1 {
            fail(launch.cluster_span, format!("{processor} has no clusters of workgroups"));
        }
    }
    let lds = u64::from(kernel.descriptor.group_segment_fixed_size) + u64::from(launch.dynamic_lds);
    if lds > limits.lds_bytes.into() {
        let (fixed, most) = (kernel.descriptor.group_segment_fixed_size, limits.lds_bytes);
        let dynamic = launch.dynamic_lds;
        fail(None, format!("{name} needs {fixed} + {dynamic} bytes of LDS: {processor} has {most}"));
    }

    let Some(metadata) = metadata else { return diagnostics };
    if let Some(required) = metadata.reqd_workgroup_size
        && required.iter().all(|&size| size > 0)
        && required != launch.block
    {
        let [x, y, z] = required;
        fail(launch.block_span, format!("{name} is compiled for workgroups of {x} × {y} × {z} work-items"));
    }
    let most = metadata.max_flat_workgroup_size;
    if most > 0 && size > most.into() {
        fail(
            launch.block_span,
            format!("a workgroup of {size} work-items: {name} is compiled for at most {most}"),
        );
    }
    if let Some(required) = metadata.cluster_dims
        && required.iter().all(|&size| size > 0)
        && required != launch.cluster.unwrap_or([1; 3])
    {
        let [x, y, z] = required;
        fail(launch.cluster_span, format!("{name} is compiled for clusters of {x} × {y} × {z} workgroups"));
    }
    diagnostics
}
