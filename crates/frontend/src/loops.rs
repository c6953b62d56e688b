//! Loops: their headers and nests.

use ruff_python_ast as py;
use wavemark_diag::Span;
use wavemark_tile::{Annotation, Annotations, Dtype, Expr, For, ForKind, Range, Stmt, fold};

use crate::arguments::{self, Signature};
use crate::context::{Parsed, Reported};
use crate::expr;
use crate::function::Builder;
use crate::module::header;
use crate::operators;
use crate::regions;
use crate::suite::Place;
use crate::value::Value;

/// A loop without its variable and body.
struct Header {
    range: Range,
    step: Option<Expr>,
    kind: ForKind,
    annotations: Annotations,
}

const EXPECTED: &str =
    "expected `range`, `T.serial`, `T.parallel`, `T.vectorized`, `T.unroll`, `T.thread_binding` or `T.grid`";

impl Builder<'_> {
    /// `for … in …:`, one loop or the nest of `T.grid`.
    pub fn for_loop(&mut self, node: &py::StmtFor) -> Parsed<Stmt> {
        let span = self.cx.range(header(node, &*node.iter));
        if !node.orelse.is_empty() || node.is_async {
            return Err(self.cx.error(span, "unsupported: `async for` and `for … else`"));
        }
        let headers = self.headers(&node.iter);
        self.scopes.push();
        let depth = self.statement_depth;
        let result = self.nest(node, headers, span);
        self.statement_depth = depth;
        self.scopes.pop();
        result
    }

    fn nest(&mut self, node: &py::StmtFor, headers: Parsed<Vec<Header>>, span: Span) -> Parsed<Stmt> {
        let headers = match headers {
            Ok(headers) => headers,
            Err(reported) => {
                // The body is read for its own faults.
                self.poison(&node.target);
                _ = self.suite(&node.body, Place::Other);
                return Err(reported);
            }
        };
        let names: Vec<&py::Expr> = match &*node.target {
            py::Expr::Tuple(tuple) => tuple.elts.iter().collect(),
            py::Expr::List(list) => list.elts.iter().collect(),
            name => vec![name],
        };
        if names.len() != headers.len() {
            let place = self.cx.span(&*node.target);
            let message = format!("{} variables for {} loops", names.len(), headers.len());
            return Err(self.cx.error(place, message));
        }
        let mut vars = Vec::new();
        for (name, header) in names.into_iter().zip(&headers) {
            let py::Expr::Name(name) = name else {
                let place = self.cx.span(name);
                return Err(self.cx.error(place, "expected a name for the loop variable"));
            };
            let dtype = header.range.extent.dtype();
            let var = self.function.add_var(&name.id, dtype);
            self.define(&name.id, name.range, Value::Expr(Expr::Var(var, dtype)))?;
            self.loops.insert(var, (header.range.min.clone(), header.range.extent.clone()));
            vars.push(var);
        }
        self.statement_depth += vars.len().saturating_sub(1);
        let mut body = self.suite(&node.body, Place::Other)?;
        for (var, header) in vars.into_iter().zip(headers).rev() {
            self.loops.remove(&var);
            let Header { range, step, kind, annotations } = header;
            let Range { min, extent } = range;
            body = Stmt::For(Box::new(For {
                var,
                min,
                extent,
                step,
                kind,
                annotations,
                body,
                span: Some(span),
            }));
        }
        Ok(body)
    }

    fn headers(&mut self, iter: &py::Expr) -> Parsed<Vec<Header>> {
        let span = self.cx.span(iter);
        let py::Expr::Call(call) = iter else {
            return Err(self.cx.error_with(span, "unsupported: a loop over this", EXPECTED));
        };
        let Some(path) = expr::script_path(self.cx, &call.func) else {
            return Err(self.cx.error_with(span, "unsupported: a loop over this", EXPECTED));
        };
        let header = match path.as_str() {
            "range" => self.range_loop(call)?,
            "T.serial" => self.plain_loop(call, "T.serial", ForKind::Serial)?,
            "T.parallel" => self.plain_loop(call, "T.parallel", ForKind::Parallel)?,
            "T.vectorized" => self.plain_loop(call, "T.vectorized", ForKind::Vectorized)?,
            "T.unroll" => self.plain_loop(call, "T.unroll", ForKind::Unrolled)?,
            "T.thread_binding" => self.thread_loop(call)?,
            "T.grid" => return self.grid(call),
            _ => return Err(self.unsupported_loop(&path, span)),
        };
        Ok(vec![header])
    }

    fn unsupported_loop(&mut self, path: &str, span: Span) -> Reported {
        let diagnostic = wavemark_diag::Diagnostic::error(format!("unsupported: a loop over `{path}`"))
            .at_with(span, EXPECTED);
        let diagnostic = match path {
            "T.Pipelined" | "T.Parallel" | "T.Serial" => {
                diagnostic.help("this is TileLang's; here: `T.serial(n, annotations={\"num_stages\": 3})`")
            }
            _ => diagnostic,
        };
        self.cx.report(diagnostic)
    }

    /// `range(stop)`, `range(start, stop)`, `range(start, stop, step)`; annotations as keywords, as TVM takes them.
    fn range_loop(&mut self, call: &py::ExprCall) -> Parsed<Header> {
        let signature = Signature {
            name: "range",
            positional: &["start", "stop", "step"],
            keyword: &["annotations"],
            required: 1,
        };
        let bound = arguments::bind(self.cx, call, &signature)?;
        self.header(bound[0], bound[1], bound[2], None, bound[3], ForKind::Serial, "range")
    }

    fn plain_loop(&mut self, call: &py::ExprCall, name: &'static str, kind: ForKind) -> Parsed<Header> {
        let signature = Signature {
            name,
            positional: &["start", "stop"],
            keyword: &["annotations", "step", "dtype", "unroll"],
            required: 1,
        };
        let bound = arguments::bind(self.cx, call, &signature)?;
        let mut header = self.header(bound[0], bound[1], bound[3], bound[4], bound[2], kind, name)?;
        if let Some(unroll) = bound[5].filter(|unroll| !unroll.is_none_literal_expr()) {
            // TVM's short form of two annotations.
            let span = self.cx.span(unroll);
            let (key, value) = match self.value(unroll)? {
                Value::Bool(false) => ("disable_unroll", Annotation::Bool(true)),
                Value::Bool(true) => ("pragma_unroll", Annotation::Bool(true)),
                Value::Int(factor) => ("pragma_unroll", Annotation::Int(factor)),
                other => {
                    let message = format!("`unroll` is a bool or an integer, found {}", other.describe());
                    return Err(self.cx.error(span, message));
                }
            };
            header.annotations.insert(key.into(), value);
        }
        Ok(header)
    }

    fn thread_loop(&mut self, call: &py::ExprCall) -> Parsed<Header> {
        let signature = Signature {
            name: "T.thread_binding",
            positional: &["start", "stop", "thread"],
            keyword: &["annotations", "dtype"],
            required: 1,
        };
        let bound = arguments::bind(self.cx, call, &signature)?;
        let (mut stop, mut thread) = (bound[1], bound[2]);
        // `T.thread_binding(16, "threadIdx.x")`.
        if thread.is_none() && stop.is_some_and(py::Expr::is_string_literal_expr) {
            (stop, thread) = (None, stop);
        }
        let Some(thread) = thread else {
            let span = self.cx.span(call);
            return Err(self.cx.error_with(
                span,
                "`T.thread_binding` needs an argument `thread`",
                "such as `thread=\"threadIdx.x\"`",
            ));
        };
        let place = self.cx.span(thread);
        let tag = self.string(thread, "a thread's name")?;
        if !is_thread_tag(&tag) {
            return Err(self.cx.error_with(
                place,
                format!("unknown thread `{tag}`"),
                "expected blockIdx.x, threadIdx.x (also .y, .z) or vthread",
            ));
        }
        self.header(bound[0], stop, None, bound[4], bound[3], ForKind::ThreadBinding(tag), "T.thread_binding")
    }

    fn grid(&mut self, call: &py::ExprCall) -> Parsed<Vec<Header>> {
        if let Some(keyword) = call.arguments.keywords.first() {
            let span = self.cx.span(keyword);
            return Err(self.cx.error(span, "`T.grid` takes only extents"));
        }
        let mut headers = Vec::new();
        for extent in &call.arguments.args {
            let span = self.cx.span(extent);
            let range = match self.value(extent)? {
                Value::List(items) => {
                    let [(start, start_span), (stop, stop_span)] = &items[..] else {
                        return Err(self.cx.error(span, "a range has two ends"));
                    };
                    let start = self.integer_of(start.clone(), *start_span)?;
                    let stop = self.integer_of(stop.clone(), *stop_span)?;
                    // TVM: the second is the extent.
                    let (min, extent) = operators::same_type(start, stop);
                    Range { min, extent }
                }
                value => {
                    let extent = self.integer_of(value, span)?;
                    Range { min: Expr::Int(0, extent.dtype()), extent }
                }
            };
            headers.push(Header {
                range,
                step: None,
                kind: ForKind::Serial,
                annotations: Annotations::new(),
            });
        }
        if headers.is_empty() {
            let span = self.cx.span(call);
            return Err(self.cx.error(span, "`T.grid` needs at least one extent"));
        }
        Ok(headers)
    }

    fn header(
        &mut self,
        start: Option<&py::Expr>,
        stop: Option<&py::Expr>,
        step: Option<&py::Expr>,
        dtype: Option<&py::Expr>,
        annotations: Option<&py::Expr>,
        kind: ForKind,
        name: &str,
    ) -> Parsed<Header> {
        let Some(start) = start else { return Ok(empty_header(kind)) };
        let range = match stop.filter(|stop| !stop.is_none_literal_expr()) {
            None => {
                let stop = self.integer(start)?;
                regions::range(Expr::Int(0, stop.dtype()), stop)
            }
            Some(stop) => {
                let (start, stop) = (self.integer(start)?, self.integer(stop)?);
                regions::range(start, stop)
            }
        };
        let range = match dtype {
            None => range,
            Some(dtype) => {
                let dtype = self.dtype_argument(dtype)?;
                Range { min: fold::cast(dtype, range.min), extent: fold::cast(dtype, range.extent) }
            }
        };
        let step = match step.filter(|step| !step.is_none_literal_expr()) {
            None => None,
            Some(step) => {
                let span = self.cx.span(step);
                let step = self.integer(step)?;
                match step.as_int() {
                    Some(1) => None,
                    Some(value) if value <= 0 => {
                        return Err(self.cx.error_with(
                            span,
                            format!("the step of a loop is {value}"),
                            "expected a positive number",
                        ));
                    }
                    _ => Some(fold::cast(range.extent.dtype(), step)),
                }
            }
        };
        let annotations = match annotations {
            None => Annotations::new(),
            Some(annotations) => self.annotations(annotations, name)?,
        };
        Ok(Header { range, step, kind, annotations })
    }
}

fn empty_header(kind: ForKind) -> Header {
    let zero = Expr::Int(0, Dtype::INT32);
    Header {
        range: Range { min: zero.clone(), extent: zero },
        step: None,
        kind,
        annotations: Annotations::new(),
    }
}

fn is_thread_tag(tag: &str) -> bool {
    let (base, dimension) = tag.split_once('.').unwrap_or((tag, "x"));
    match base {
        "threadIdx" | "blockIdx" | "clusterCtaIdx" => {
            matches!(dimension, "x" | "y" | "z") && tag.contains('.')
        }
        "vthread" | "cthread" => true,
        _ => false,
    }
}
