//! The text of a launch file to a [`Launch`], or to every mistake in it.

use std::path::PathBuf;

use toml::Spanned;
use toml::de::DeTable;
use wavemark_diag::{Diagnostic, FileId, Span};

use super::{
    Arg, ArgValue, Buffer, Expect, Init, Launch, MAX_BUFFER_BYTES, MAX_CLUSTER_SIZE, MAX_TOTAL_BYTES,
    MAX_WORKGROUP_SIZE, Purpose, product,
};
use crate::document::{Document, Node};
use wavemark_numerics::dtype::{Dtype, Kind};

const LAUNCH_KEYS: &[&str] = &["kernel", "grid", "block", "cluster", "dynamic_lds", "arg"];
const ARG_KEYS: &[&str] = &["name", "dtype", "shape", "init", "values", "value", "expect", "rtol", "atol"];
const INIT_FORMS: &str = "zeros, ones, iota, random, hex:PATTERN, file:PATH.npy, or an array of values";
/// The array dimensions we keep; numpy has no more.
const MAX_DIMENSIONS: usize = 32;

/// Reads `text`, which is `file` of a source map. The diagnostics are errors, in the order of the text.
pub fn parse(file: FileId, text: &str, purpose: Purpose) -> Result<Launch, Vec<Diagnostic>> {
    let (mut document, root) = Document::parse(file, text);
    let launch =
        if document.diagnostics.is_empty() { read_launch(&mut document, &root, purpose) } else { None };
    let mut diagnostics = document.diagnostics;
    match launch {
        Some(launch) if diagnostics.is_empty() => Ok(launch),
        _ => {
            diagnostics.sort_by_key(|diagnostic| diagnostic.span().map(|span| span.start));
            Err(diagnostics)
        }
    }
}

fn read_launch(document: &mut Document, root: &Spanned<DeTable<'_>>, purpose: Purpose) -> Option<Launch> {
    let table = root.get_ref();
    document.unknown_keys(table, LAUNCH_KEYS, "of a launch file");

    let kernel = table.get("kernel").and_then(|node| document.string(node, "kernel"));
    if let (Some(""), Some(node)) = (kernel, table.get("kernel")) {
        let span = document.span(node);
        document.error(span, "`kernel` is empty: leave it out when the module has one kernel");
    }
    let grid = sizes(document, table, "grid", u32::MAX, purpose);
    let block = sizes(document, table, "block", MAX_WORKGROUP_SIZE as u32, purpose);
    let cluster =
        table.get("cluster").map(|node| read_sizes(document, node, "cluster", MAX_CLUSTER_SIZE as u32));
    let dynamic_lds = match table.get("dynamic_lds") {
        Some(node) => document.integer_within(node, "dynamic_lds", 0, u32::MAX.into()),
        None => Some(0),
    };
    let args = match table.get("arg") {
        Some(node) => read_args(document, node),
        None => Some(Vec::new()),
    };

    let span_of = |key| table.get(key).map(|node| Span::new(document.file(), node.span()));
    let (grid_span, block_span, cluster_span) = (span_of("grid"), span_of("block"), span_of("cluster"));
    let (kernel_span, dynamic_lds_span) = (span_of("kernel"), span_of("dynamic_lds"));
    let (grid, dimensions) = grid?;
    let (block, _) = block?;
    let cluster = match cluster {
        Some(sizes) => Some(sizes?.0),
        None => None,
    };
    check_sizes(document, (grid, grid_span), (block, block_span), cluster.zip(cluster_span));
    Some(Launch {
        kernel: kernel.map(str::to_owned),
        kernel_span,
        grid,
        grid_span,
        dimensions,
        block,
        block_span,
        cluster,
        cluster_span,
        dynamic_lds: dynamic_lds? as u32,
        dynamic_lds_span,
        args: args?,
    })
}

fn sizes(
    document: &mut Document,
    table: &DeTable<'_>,
    key: &str,
    most: u32,
    purpose: Purpose,
) -> Option<([u32; 3], u32)> {
    match table.get(key) {
        Some(node) => read_sizes(document, node, key, most),
        None if purpose == Purpose::Tile => Some(([1; 3], 1)),
        None => {
            let what = if key == "grid" { "workgroups" } else { "work-items of a workgroup" };
            document.diagnostics.push(
                Diagnostic::error(format!("`{key}` is missing"))
                    .at(Span::new(document.file(), 0..0))
                    .help(format!("add `{key} = [X, Y, Z]`, the {what} per dimension")),
            );
            None
        }
    }
}

/// One to three sizes of `1..=most`, filled up with 1; and how many there were.
fn read_sizes(document: &mut Document, node: &Node<'_>, key: &str, most: u32) -> Option<([u32; 3], u32)> {
    let items = document.array(node, key)?;
    if items.is_empty() || items.len() > 3 {
        let span = document.span(node);
        document.error(span, format!("`{key}` must have 1 to 3 sizes, found {}", items.len()));
        return None;
    }
    let mut sizes = [1; 3];
    let mut good = true;
    for (size, item) in sizes.iter_mut().zip(items) {
        match document.integer_within(item, key, 1, most.into()) {
            Some(value) => *size = value as u32,
            None => good = false,
        }
    }
    good.then_some((sizes, items.len() as u32))
}

fn check_sizes(
    document: &mut Document,
    (grid, grid_span): ([u32; 3], Option<Span>),
    (block, block_span): ([u32; 3], Option<Span>),
    cluster: Option<([u32; 3], Span)>,
) {
    if let (true, Some(span)) = (product(&block) > MAX_WORKGROUP_SIZE, block_span) {
        let size = product(&block);
        let message = format!("a workgroup of {size} work-items: the most is {MAX_WORKGROUP_SIZE}");
        document.error(span, message);
    }
    let too_wide =
        grid.iter().zip(block).position(|(&groups, items)| (u64::from(groups) * u64::from(items)) >> 32 != 0);
    if let (Some(dimension), Some(span)) = (too_wide, grid_span) {
        let name = ["x", "y", "z"][dimension];
        document.error(
            span,
            format!("grid × block in {name} exceeds 2^32 - 1 work-items, the most a dispatch packet can say"),
        );
    }
    let Some((cluster, span)) = cluster else { return };
    if product(&cluster) > MAX_CLUSTER_SIZE {
        document.error(
            span,
            format!("a cluster of {} workgroups: the most is {MAX_CLUSTER_SIZE}", product(&cluster)),
        );
    }
    for (dimension, name) in ["x", "y", "z"].into_iter().enumerate() {
        let (groups, per) = (grid[dimension], cluster[dimension]);
        if groups % per != 0 {
            document.error(
                span,
                format!("the grid has {groups} workgroups in {name}, not a multiple of the cluster's {per}"),
            );
        }
    }
}

fn read_args(document: &mut Document, node: &Node<'_>) -> Option<Vec<Arg>> {
    let mut args: Vec<Arg> = Vec::new();
    let mut good = true;
    let mut total = 0u64;
    for (span, table) in document.tables(node, "arg") {
        let Some(arg) = read_arg(document, span, table) else {
            good = false;
            continue;
        };
        if let Some(first) = args.iter().find(|other| other.name == arg.name) {
            let span = table.get("name").map_or(span, |node| document.span(node));
            let diagnostic = Diagnostic::error(format!("a second argument named `{}`", arg.name)).at(span);
            let diagnostic = match first.span {
                Some(first) => diagnostic.label(first, "the first"),
                None => diagnostic,
            };
            document.diagnostics.push(diagnostic);
        }
        if let ArgValue::Buffer(buffer) = &arg.value {
            let before = total;
            total = total.saturating_add(buffer.bytes);
            if total > MAX_TOTAL_BYTES && before <= MAX_TOTAL_BYTES {
                let limit = MAX_TOTAL_BYTES >> 30;
                document.error(
                    span,
                    format!("with this argument the buffers exceed {limit} GiB in all, our limit"),
                );
            }
        }
        args.push(arg);
    }
    good.then_some(args)
}

fn read_arg(document: &mut Document, span: Span, table: &DeTable<'_>) -> Option<Arg> {
    document.unknown_keys(table, ARG_KEYS, "of an argument");
    let name = match table.get("name") {
        Some(node) => {
            let name = document.string(node, "name");
            if name == Some("") {
                let span = document.span(node);
                document.error(span, "`name` is empty");
            }
            name
        }
        None => missing(document, span, "name", "every argument has a name"),
    };
    let dtype = match table.get("dtype") {
        Some(node) => read_dtype(document, node),
        None => {
            missing(document, span, "dtype", "every argument has an element type, such as `dtype = \"f32\"`")
        }
    };

    let value = match (table.get("shape"), table.get("value")) {
        (Some(_), Some(value)) => {
            let span = document.span(value);
            document.error(span, "an argument has a `shape` (a buffer) or a `value` (a scalar), not both");
            return None;
        }
        (None, None) => {
            return missing(
                document,
                span,
                "shape` or `value",
                "a buffer has a `shape`, a scalar has a `value`",
            );
        }
        (Some(shape), None) => ArgValue::Buffer(read_buffer(document, table, shape, dtype?)?),
        (None, Some(value)) => {
            for key in ["init", "values", "expect", "rtol", "atol"] {
                if let Some(node) = table.get(key) {
                    let span = document.span(node);
                    document.error(
                        span,
                        format!("`{key}` is for buffers; this argument is a scalar, having a `value`"),
                    );
                }
            }
            ArgValue::Scalar(read_element(document, value, "value", dtype?)?)
        }
    };
    Some(Arg { name: name?.to_owned(), span: Some(span), dtype: dtype?, value })
}

fn missing<T>(document: &mut Document, span: Span, key: &str, help: &str) -> Option<T> {
    document.diagnostics.push(Diagnostic::error(format!("this argument has no `{key}`")).at(span).help(help));
    None
}

fn read_dtype(document: &mut Document, node: &Node<'_>) -> Option<Dtype> {
    let name = document.string(node, "dtype")?;
    let dtype = Dtype::from_name(name);
    if dtype.is_none() {
        let names = Dtype::ALL.map(Dtype::name);
        let diagnostic = Diagnostic::error(format!("unknown dtype `{name}`")).at(document.span(node));
        document.diagnostics.push(match wavemark_diag::nearest(name, names.iter().copied()) {
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
            None => diagnostic.help(format!("the types are {}", names.join(" "))),
        });
    }
    dtype
}

fn read_buffer(
    document: &mut Document,
    table: &DeTable<'_>,
    shape: &Node<'_>,
    dtype: Dtype,
) -> Option<Buffer> {
    let (shape, elements, bytes) = read_shape(document, shape, dtype)?;
    let mut contents = |key: &str| -> Option<Option<(Init, Span)>> {
        match table.get(key) {
            Some(node) => {
                let span = document.span(node);
                Some(Some((read_init(document, node, key, dtype, &shape)?, span)))
            }
            None => Some(None),
        }
    };
    let (init, values, expect) = (contents("init"), contents("values"), contents("expect"));
    let (init, values, expect) = (init?, values?, expect?);

    let (init, init_span) = match (init, values) {
        (Some(_), Some((_, span))) => {
            document.error(span, "a buffer has an `init` or `values`, not both");
            return None;
        }
        (_, Some((Init::Values(values), span))) => (Init::Values(values), Some(span)),
        (_, Some((_, span))) => {
            document.error(span, "`values` must be an array");
            return None;
        }
        (Some((init, span)), None) => (init, Some(span)),
        (None, None) => (Init::Zeros, None),
    };
    let rtol = read_tolerance(document, table, "rtol", expect.is_some());
    let atol = read_tolerance(document, table, "atol", expect.is_some());
    let expect = match expect {
        Some((Init::Random, span)) => {
            document.error(span, "`expect` cannot be random");
            return None;
        }
        Some((contents, span)) => Some(Expect { contents, span: Some(span), rtol: rtol?, atol: atol? }),
        None => None,
    };
    Some(Buffer { shape, elements, bytes, init, init_span, expect })
}

fn read_tolerance(document: &mut Document, table: &DeTable<'_>, key: &str, expected: bool) -> Option<f64> {
    let Some(node) = table.get(key) else { return Some(0.0) };
    let value = document.number(node, key)?;
    let span = document.span(node);
    if !expected {
        document.error(span, format!("`{key}` without `expect`"));
        return None;
    }
    if !(value >= 0.0 && value.is_finite()) {
        document.error(span, format!("`{key}` must be a finite number of at least 0"));
        return None;
    }
    Some(value)
}

/// Shape, elements, bytes.
fn read_shape(document: &mut Document, node: &Node<'_>, dtype: Dtype) -> Option<(Vec<u64>, u64, u64)> {
    let items = document.array(node, "shape")?;
    let span = document.span(node);
    if items.len() > MAX_DIMENSIONS {
        document.error(span, format!("`shape` has {} dimensions: the most is {MAX_DIMENSIONS}", items.len()));
        return None;
    }
    let mut shape = Vec::new();
    let mut good = true;
    for item in items {
        match document.integer_within(item, "shape", 0, i64::MAX.into()) {
            Some(size) => shape.push(size as u64),
            None => good = false,
        }
    }
    if !good {
        return None;
    }
    let elements = shape.iter().try_fold(1u64, |product, &size| product.checked_mul(size));
    let bytes = elements.and_then(|elements| dtype.buffer_bytes(elements));
    match elements.zip(bytes).filter(|&(_, bytes)| bytes <= MAX_BUFFER_BYTES) {
        Some((elements, bytes)) => Some((shape, elements, bytes)),
        None => {
            let size = match bytes {
                Some(bytes) => format!("{:.1} GiB", bytes as f64 / (1u64 << 30) as f64),
                None => "more than 2^64 bytes".to_owned(),
            };
            let limit = MAX_BUFFER_BYTES >> 30;
            document.error(
                span,
                format!("this shape of {dtype} takes {size}; our limit is {limit} GiB a buffer"),
            );
            None
        }
    }
}

fn read_init(
    document: &mut Document,
    node: &Node<'_>,
    key: &str,
    dtype: Dtype,
    shape: &[u64],
) -> Option<Init> {
    if node.get_ref().is_array() {
        return read_values(document, node, key, dtype, shape).map(Init::Values);
    }
    if key == "values" {
        return document.array(node, key).and(None);
    }
    let span = document.span(node);
    let Some(text) = node.get_ref().as_str() else {
        document.error(span, format!("`{key}` must be {INIT_FORMS}"));
        return None;
    };
    match text {
        "zeros" => return Some(Init::Zeros),
        "ones" => return Some(Init::Ones),
        "iota" => return Some(Init::Iota),
        "random" => return Some(Init::Random),
        _ => {}
    }
    if let Some(pattern) = text.strip_prefix("hex:") {
        return match parse_hex(pattern) {
            Ok(bytes) => Some(Init::Pattern(bytes)),
            Err(problem) => {
                document.error(span, format!("`{key}` = \"{text}\": {problem}"));
                None
            }
        };
    }
    if let Some(path) = text.strip_prefix("file:") {
        if path.is_empty() {
            document.error(span, format!("`{key}` = \"file:\" names no file"));
            return None;
        }
        return Some(Init::File(PathBuf::from(path)));
    }
    let diagnostic = Diagnostic::error(format!("unknown form \"{text}\" of `{key}`")).at(span);
    let near = wavemark_diag::nearest(text, ["zeros", "ones", "iota", "random"]);
    document.diagnostics.push(match near {
        Some(near) => diagnostic.help(format!("did you mean \"{near}\"?")),
        None => diagnostic.help(format!("the forms are {INIT_FORMS}")),
    });
    None
}

fn parse_hex(text: &str) -> Result<Vec<u8>, &'static str> {
    if text.is_empty() {
        return Err("the pattern is empty");
    }
    let digits: Option<Vec<u8>> =
        text.chars().map(|digit| digit.to_digit(16).map(|digit| digit as u8)).collect();
    let digits = digits.ok_or("the pattern is not hexadecimal")?;
    if digits.len() % 2 != 0 {
        return Err("the pattern has half a byte: two digits make a byte");
    }
    Ok(digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}

/// All elements, from a flat array or one nested as `shape` is.
fn read_values(
    document: &mut Document,
    node: &Node<'_>,
    key: &str,
    dtype: Dtype,
    shape: &[u64],
) -> Option<Vec<u64>> {
    let items = document.array(node, key)?;
    let nested = items.first().is_some_and(|item| item.get_ref().is_array());
    let elements = shape.iter().product::<u64>();
    let flat = [elements];
    let mut codes = Vec::new();
    read_nested(document, node, key, dtype, if nested { shape } else { &flat }, &mut codes)?;
    Some(codes)
}

fn read_nested(
    document: &mut Document,
    node: &Node<'_>,
    key: &str,
    dtype: Dtype,
    shape: &[u64],
    codes: &mut Vec<u64>,
) -> Option<()> {
    let Some((&size, inner)) = shape.split_first() else {
        codes.push(read_element(document, node, key, dtype)?);
        return Some(());
    };
    let items = document.array(node, key)?;
    if items.len() as u64 != size {
        let span = document.span(node);
        document.error(span, format!("`{key}` has {} values here, the shape asks for {size}", items.len()));
        return None;
    }
    for item in items {
        read_nested(document, item, key, dtype, inner, codes)?;
    }
    Some(())
}

/// The code of one number, of the kind that `dtype` takes.
fn read_element(document: &mut Document, node: &Node<'_>, key: &str, dtype: Dtype) -> Option<u64> {
    let span = document.span(node);
    let code = match dtype.kind() {
        Kind::Bool if node.get_ref().is_bool() => return document.boolean(node, key).map(u64::from),
        Kind::Float => dtype.encode_float(document.number(node, key)?),
        _ => dtype.encode_integer(document.integer(node, key)?),
    };
    if code.is_err() {
        document.error(span, format!("`{key}` does not fit {dtype}"));
    }
    code.ok()
}
