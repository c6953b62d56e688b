//! The kernel-argument segment of a dispatch: the launch's arguments and the hidden ones, each at its offset.
//!
//! Follows LLVM's "User Guide for AMDGPU Backend", the kernel argument metadata of code object V3 and its V5
//! additions. With metadata, arguments go to its offsets and must agree with it in number and size. Without, they
//! follow one another at natural alignment, and there are no hidden ones.
//!
//! A hidden argument is filled from the dispatch; those that point to services of a runtime that we do not have
//! (printf buffer, heap, device queues, multi-grid) are null, as where a program does not use them; the simulator puts in
//! the hostcall buffer.
//! A `dynamic_shared_pointer` takes a 4-byte scalar: the offset in LDS at which its memory begins.
//!
//! Does not: allocate buffers; read metadata.

use wavemark_diag::{Diagnostic, Span};

/// Largest segment we lay out: far above any compiler's limit.
const MAX_SEGMENT: u64 = 1 << 20;

/// An argument as the kernel's metadata describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name, where the metadata has one.
    pub name: Option<String>,
    /// Bytes from the start of the segment.
    pub offset: u64,
    /// Bytes.
    pub size: u64,
    /// `by_value`, `global_buffer`, `hidden_block_count_x`, …
    pub value_kind: String,
}

/// What a launch argument puts into the segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passed<'a> {
    /// A scalar's bytes.
    Value(&'a [u8]),
    /// A buffer's address.
    Address(u64),
}

/// A launch argument.
#[derive(Clone, Copy, Debug)]
pub struct Argument<'a> {
    /// Its name in the launch file.
    pub name: &'a str,
    /// Where it stands in the launch file.
    pub span: Option<Span>,
    /// What is passed.
    pub passed: Passed<'a>,
}

/// The dispatch, as hidden arguments tell it to the kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dispatch {
    /// Workgroups per dimension.
    pub grid: [u32; 3],
    /// Work-items per workgroup and dimension.
    pub block: [u32; 3],
    /// Dimensions of the grid, 1 to 3.
    pub dimensions: u32,
    /// Bytes of LDS beyond the kernel's own.
    pub dynamic_lds: u32,
    /// High half of the private aperture's base.
    pub private_base: u32,
    /// High half of the shared aperture's base.
    pub shared_base: u32,
    /// Address of the queue's descriptor; 0 where there is none.
    pub queue: u64,
}

/// Lays the segment out: `parameters` from the metadata (`None`: the code object has none for this kernel),
/// `segment_size` from the kernel descriptor or the metadata (0: unknown).
pub fn lay_out(
    kernel: &str,
    arguments: &[Argument<'_>],
    parameters: Option<&[Parameter]>,
    segment_size: u64,
    dispatch: &Dispatch,
) -> Result<Vec<u8>, Vec<Diagnostic>> {
    let placed = match parameters {
        Some(parameters) => by_metadata(kernel, arguments, parameters, dispatch),
        None => by_alignment(kernel, arguments, segment_size),
    }?;
    let end =
        placed.iter().map(|(offset, bytes)| offset.saturating_add(bytes.len() as u64)).max().unwrap_or(0);
    let size = end.max(segment_size);
    if size > MAX_SEGMENT {
        return Err(vec![Diagnostic::error(format!(
            "the argument segment of {kernel} takes {size} bytes: our limit is {MAX_SEGMENT}"
        ))]);
    }
    let mut segment = vec![0; size as usize];
    for (offset, bytes) in placed {
        let start = offset as usize;
        segment[start..start + bytes.len()].copy_from_slice(&bytes);
    }
    Ok(segment)
}

type Placed = Vec<(u64, Vec<u8>)>;

fn by_alignment(
    kernel: &str,
    arguments: &[Argument<'_>],
    segment_size: u64,
) -> Result<Placed, Vec<Diagnostic>> {
    let mut placed = Vec::new();
    let mut end = 0u64;
    for argument in arguments {
        let bytes = argument.bytes();
        let offset = end.next_multiple_of(bytes.len().max(1) as u64);
        end = offset + bytes.len() as u64;
        placed.push((offset, bytes));
        if segment_size != 0 && end > segment_size {
            let message = format!(
                "argument `{}` ends at byte {end}, but {kernel} declares {segment_size} bytes of arguments",
                argument.name
            );
            return Err(vec![argument.diagnostic(message)]);
        }
    }
    Ok(placed)
}

fn by_metadata(
    kernel: &str,
    arguments: &[Argument<'_>],
    parameters: &[Parameter],
    dispatch: &Dispatch,
) -> Result<Placed, Vec<Diagnostic>> {
    let (hidden, explicit): (Vec<&Parameter>, Vec<&Parameter>) =
        parameters.iter().partition(|parameter| parameter.is_hidden());
    let mut diagnostics = Vec::new();
    let mut placed = Vec::new();

    if arguments.len() != explicit.len() {
        let list = explicit.iter().map(|parameter| parameter.describe()).collect::<Vec<_>>().join(", ");
        let message =
            format!("{kernel} takes {} arguments, the launch has {}", explicit.len(), arguments.len());
        let diagnostic = match arguments.get(explicit.len()) {
            Some(first_too_many) => first_too_many.diagnostic(message),
            None => Diagnostic::error(message),
        };
        let list = if list.is_empty() { "none".to_owned() } else { list };
        return Err(vec![diagnostic.note(format!("its arguments by the code object: {list}"))]);
    }
    for (argument, parameter) in arguments.iter().zip(explicit) {
        let bytes = argument.bytes();
        if bytes.len() as u64 != parameter.size {
            let message = format!(
                "argument `{}` is {} bytes, {kernel} takes {}",
                argument.name,
                bytes.len(),
                parameter.describe()
            );
            diagnostics.push(argument.diagnostic(message));
            continue;
        }
        let good = match parameter.value_kind.as_str() {
            "by_value" | "global_buffer" => true,
            "dynamic_shared_pointer" => matches!(argument.passed, Passed::Value(_)),
            _ => false,
        };
        if !good {
            let message = format!(
                "argument `{}`: a launch file cannot pass this kind ({})",
                argument.name, parameter.value_kind
            );
            diagnostics.push(argument.diagnostic(message));
        }
        placed.push((parameter.offset, bytes));
    }
    for parameter in hidden {
        match hidden_value(&parameter.value_kind, dispatch) {
            Some(value) if parameter.size <= 8 => {
                placed.push((parameter.offset, value.to_le_bytes()[..parameter.size as usize].to_vec()));
            }
            Some(_) => diagnostics.push(Diagnostic::error(format!(
                "the code object's metadata of {kernel} gives {} {} bytes: the most is 8",
                parameter.value_kind, parameter.size
            ))),
            None => diagnostics.push(Diagnostic::error(format!(
                "the code object's metadata of {kernel} has an argument of unknown kind {}",
                parameter.value_kind
            ))),
        }
    }
    if diagnostics.is_empty() { Ok(placed) } else { Err(diagnostics) }
}

/// The value of a hidden argument; `None` for a kind that is none.
fn hidden_value(kind: &str, dispatch: &Dispatch) -> Option<u64> {
    let (name, axis) = match kind.strip_prefix("hidden_")?.rsplit_once('_') {
        Some((name, "x")) => (name, 0),
        Some((name, "y")) => (name, 1),
        Some((name, "z")) => (name, 2),
        _ => {
            return match kind {
                "hidden_grid_dims" => Some(dispatch.dimensions.into()),
                "hidden_dynamic_lds_size" => Some(dispatch.dynamic_lds.into()),
                "hidden_private_base" => Some(dispatch.private_base.into()),
                "hidden_shared_base" => Some(dispatch.shared_base.into()),
                "hidden_queue_ptr" => Some(dispatch.queue),
                "hidden_none"
                | "hidden_printf_buffer"
                | "hidden_hostcall_buffer"
                | "hidden_default_queue"
                | "hidden_completion_action"
                | "hidden_multigrid_sync_arg"
                | "hidden_heap_v1" => Some(0),
                _ => None,
            };
        }
    };
    match name {
        "block_count" => Some(dispatch.grid[axis].into()),
        "group_size" => Some(dispatch.block[axis].into()),
        // A launch counts whole workgroups, and starts at the origin.
        "remainder" | "global_offset" => Some(0),
        _ => None,
    }
}

impl Argument<'_> {
    fn bytes(&self) -> Vec<u8> {
        match self.passed {
            Passed::Value(bytes) => bytes.to_vec(),
            Passed::Address(address) => address.to_le_bytes().to_vec(),
        }
    }

    fn diagnostic(&self, message: String) -> Diagnostic {
        match self.span {
            Some(span) => Diagnostic::error(message).at(span),
            None => Diagnostic::error(message),
        }
    }
}

impl Parameter {
    /// Filled in by whoever dispatches, not passed.
    pub fn is_hidden(&self) -> bool {
        self.value_kind.starts_with("hidden_")
    }

    fn describe(&self) -> String {
        let name = self.name.as_deref().map(|name| format!("`{name}` ")).unwrap_or_default();
        format!("{name}({}, {} bytes at {})", self.value_kind, self.size, self.offset)
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn parameter(offset: u64, size: u64, value_kind: &str) -> Parameter {
        Parameter { name: None, offset, size, value_kind: value_kind.to_owned() }
    }

    fn argument<'a>(name: &'a str, passed: Passed<'a>) -> Argument<'a> {
        Argument { name, span: None, passed }
    }

    fn dispatch() -> Dispatch {
        Dispatch {
            grid: [7, 5, 1],
            block: [64, 2, 1],
            dimensions: 2,
            dynamic_lds: 512,
            ..Dispatch::default()
        }
    }

    fn check(
        arguments: &[Argument<'_>],
        parameters: Option<&[Parameter]>,
        segment_size: u64,
        expect: Expect,
    ) {
        let text = match lay_out("k", arguments, parameters, segment_size, &dispatch()) {
            Ok(segment) => segment.chunks(8).map(|row| format!("{row:02x?}\n")).collect::<String>(),
            Err(diagnostics) => diagnostics
                .iter()
                .flat_map(|diagnostic| [&diagnostic.message].into_iter().chain(&diagnostic.notes))
                .map(|line| format!("{line}\n"))
                .collect(),
        };
        expect.assert_eq(&text);
    }

    #[test]
    fn natural_alignment_without_metadata() {
        let arguments = [
            argument("a", Passed::Value(&[0xf9])),
            argument("b", Passed::Value(&[0x40, 0x9c])),
            argument("c", Passed::Value(&[1, 2, 3, 4, 5, 6, 7, 8])),
            argument("d", Passed::Value(&[9])),
            argument("out", Passed::Address(0x1234_5678_9abc)),
        ];
        check(
            &arguments,
            None,
            0,
            expect![[r#"
            [f9, 00, 40, 9c, 00, 00, 00, 00]
            [01, 02, 03, 04, 05, 06, 07, 08]
            [09, 00, 00, 00, 00, 00, 00, 00]
            [bc, 9a, 78, 56, 34, 12, 00, 00]
        "#]],
        );
        check(
            &arguments,
            None,
            40,
            expect![[r#"
            [f9, 00, 40, 9c, 00, 00, 00, 00]
            [01, 02, 03, 04, 05, 06, 07, 08]
            [09, 00, 00, 00, 00, 00, 00, 00]
            [bc, 9a, 78, 56, 34, 12, 00, 00]
            [00, 00, 00, 00, 00, 00, 00, 00]
        "#]],
        );
        check(
            &arguments,
            None,
            24,
            expect![[r#"
            argument `out` ends at byte 32, but k declares 24 bytes of arguments
        "#]],
        );
    }

    #[test]
    fn hidden_arguments_follow_the_dispatch() {
        let parameters = [
            parameter(0, 8, "global_buffer"),
            parameter(8, 4, "hidden_block_count_x"),
            parameter(12, 4, "hidden_block_count_y"),
            parameter(16, 4, "hidden_block_count_z"),
            parameter(20, 2, "hidden_group_size_x"),
            parameter(22, 2, "hidden_group_size_y"),
            parameter(24, 2, "hidden_remainder_x"),
            parameter(26, 2, "hidden_grid_dims"),
            parameter(28, 4, "hidden_dynamic_lds_size"),
            parameter(32, 8, "hidden_global_offset_x"),
            parameter(40, 8, "hidden_hostcall_buffer"),
        ];
        check(
            &[argument("a", Passed::Address(0x1000))],
            Some(&parameters),
            64,
            expect![[r#"
            [00, 10, 00, 00, 00, 00, 00, 00]
            [07, 00, 00, 00, 05, 00, 00, 00]
            [01, 00, 00, 00, 40, 00, 02, 00]
            [00, 00, 02, 00, 00, 02, 00, 00]
            [00, 00, 00, 00, 00, 00, 00, 00]
            [00, 00, 00, 00, 00, 00, 00, 00]
            [00, 00, 00, 00, 00, 00, 00, 00]
            [00, 00, 00, 00, 00, 00, 00, 00]
        "#]],
        );
    }

    #[test]
    fn disagreements() {
        let parameters = [parameter(0, 8, "global_buffer"), parameter(8, 4, "by_value")];
        let pointer = argument("p", Passed::Address(0));
        let byte = argument("n", Passed::Value(&[1]));
        check(
            &[pointer],
            Some(&parameters),
            16,
            expect![[r#"
            k takes 2 arguments, the launch has 1
            its arguments by the code object: (global_buffer, 8 bytes at 0), (by_value, 4 bytes at 8)
        "#]],
        );
        check(
            &[pointer, byte, byte],
            Some(&parameters),
            16,
            expect![[r#"
            k takes 2 arguments, the launch has 3
            its arguments by the code object: (global_buffer, 8 bytes at 0), (by_value, 4 bytes at 8)
        "#]],
        );
        check(
            &[pointer, byte],
            Some(&parameters),
            16,
            expect![[r#"
            argument `n` is 1 bytes, k takes (by_value, 4 bytes at 8)
        "#]],
        );
        check(
            &[pointer],
            Some(&[]),
            16,
            expect![[r#"
            k takes 0 arguments, the launch has 1
            its arguments by the code object: none
        "#]],
        );
        check(
            &[pointer],
            Some(&[parameter(0, 8, "image")]),
            16,
            expect![[r#"
            argument `p`: a launch file cannot pass this kind (image)
        "#]],
        );
        check(
            &[],
            Some(&[parameter(0, 8, "hidden_nonsense")]),
            16,
            expect![[r#"
            the code object's metadata of k has an argument of unknown kind hidden_nonsense
        "#]],
        );
        check(
            &[],
            Some(&[parameter(0, 16, "hidden_none")]),
            16,
            expect![[r#"
            the code object's metadata of k gives hidden_none 16 bytes: the most is 8
        "#]],
        );
        check(
            &[pointer],
            Some(&[parameter(u64::MAX - 3, 8, "global_buffer")]),
            16,
            expect![[r#"
            the argument segment of k takes 18446744073709551615 bytes: our limit is 1048576
        "#]],
        );
    }
}
