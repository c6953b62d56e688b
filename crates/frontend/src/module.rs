//! The file as a whole: its dialect, its names for the script modules, its constants, the module class or the bare
//! function. What stands outside them (a `main`, other functions, calls) is not part of the module and is not read.

use ruff_python_ast::{self as py};
use ruff_text_size::{Ranged, TextRange};
use wavemark_diag::{Diagnostic, FileId, Span};
use wavemark_tile::{Annotations, Dialect, Module};

use crate::context::{Context, Parsed};
use crate::expr;
use crate::function::Builder;
use crate::limits;

/// See [`crate::parse`].
pub fn parse(file: FileId, text: &str) -> Result<Module, Vec<Diagnostic>> {
    let refuse = |span: Span, message: String| Err(vec![Diagnostic::error(message).at(span)]);
    if text.len() > limits::TEXT_BYTES {
        let message = format!("the text is too large: {} bytes, at most {}", text.len(), limits::TEXT_BYTES);
        return refuse(Span::new(file, 0..0), message);
    }
    if let Some(at) = limits::too_deep(text) {
        return refuse(Span::new(file, at..at), "nested too deeply".into());
    }
    let parsed = match ruff_python_parser::parse_module(text) {
        Ok(parsed) => parsed,
        Err(error) => {
            let range = error.location;
            let span = Span::new(file, range.start().to_usize()..range.end().to_usize());
            return refuse(span, format!("not Python: {}", lower(&error.error.to_string())));
        }
    };
    let body = parsed.suite();

    let comments = comment_imports(text);
    let mut imports = Vec::new();
    for statement in body {
        collect_imports(statement, &mut imports);
    }
    if imports.is_empty() {
        imports = comments;
    }
    let (dialect, reason) = dialect(text, &imports);
    let mut cx = Context::new(file, text, dialect, reason);
    for import in &imports {
        cx.aliases.insert(import.name.clone(), import.module);
    }
    for script in ["T", "I"] {
        if !imports.iter().any(|import| import.name == script || import.module == script) {
            cx.aliases.insert(script.into(), script);
        }
    }
    let module = read(&mut cx, body);
    // What no statement is responsible for does not happen: a refusal is always reported.
    match module {
        Ok(module) if !cx.diagnostics.iter().any(Diagnostic::is_error) => Ok(module),
        _ => {
            let mut diagnostics = cx.diagnostics;
            diagnostics.sort_by_key(|diagnostic| diagnostic.span().map(|span| span.start));
            Err(diagnostics)
        }
    }
}

fn lower(message: &str) -> String {
    let mut letters = message.chars();
    let second_is_lower = message.chars().nth(1).is_some_and(char::is_lowercase);
    match letters.next() {
        Some(first) if second_is_lower => first.to_lowercase().chain(letters).collect(),
        _ => message.to_owned(),
    }
}

/// A name for a script module.
struct Import {
    name: String,
    /// `T` or `I`.
    module: &'static str,
    /// What was imported: `tir`, `tirx`, `ir`.
    source: String,
}

fn script_module(source: &str) -> Option<&'static str> {
    match source.rsplit('.').next().unwrap_or(source) {
        "tir" | "tirx" => Some("T"),
        "ir" => Some("I"),
        _ => None,
    }
}

fn collect_imports(statement: &py::Stmt, imports: &mut Vec<Import>) {
    let names = match statement {
        py::Stmt::ImportFrom(import) => &import.names,
        py::Stmt::Import(import) => &import.names,
        _ => return,
    };
    for alias in names {
        if let (Some(module), Some(name)) =
            (script_module(&alias.name), alias.asname.as_ref().or(Some(&alias.name)))
        {
            imports.push(Import { name: name.to_string(), module, source: alias.name.to_string() });
        }
    }
}

/// The imports that the printer writes as comments: `# from tvm.script import tirx as T`.
fn comment_imports(text: &str) -> Vec<Import> {
    let mut imports = Vec::new();
    for line in text.lines() {
        let Some(comment) = line.trim_start().strip_prefix('#') else { continue };
        let words: Vec<&str> = comment.split_whitespace().collect();
        let ["from", from, "import", source, "as", name] = words[..] else { continue };
        if let (true, Some(module)) = (from.starts_with("tvm.script"), script_module(source)) {
            imports.push(Import { name: name.into(), module, source: source.into() });
        }
    }
    imports
}

/// Which spelling the text uses, and what says so: `tirx` is the new one; with `tir`, and where nothing is
/// imported, the first word that only one of them has.
fn dialect(text: &str, imports: &[Import]) -> (Dialect, Option<String>) {
    let imported =
        |source: &str| imports.iter().any(|import| import.source.rsplit('.').next() == Some(source));
    if imported("tirx") {
        return (Dialect::New, Some("`tirx` is imported".into()));
    }
    let alias = imports.iter().find(|import| import.module == "T").map_or("T", |import| &import.name);
    let first = |words: &[&str]| {
        let found = words.iter().filter_map(|word| text.find(&format!("{alias}.{word}")));
        found.min()
    };
    let new = first(&["sblock", "prim_func(s_tir"]);
    let old = first(&["block(", "block_attr(", "alloc_buffer("]);
    match (new, old) {
        (Some(new), old) if old.is_none_or(|old| new < old) => {
            (Dialect::New, Some(format!("`{alias}.sblock` is used first")))
        }
        (_, Some(_)) => (Dialect::Old, Some(format!("`{alias}.block` is used first"))),
        _ if imported("tir") => (Dialect::Old, Some("`tir` is imported".into())),
        _ => (Dialect::New, None),
    }
}

fn read(cx: &mut Context, body: &[py::Stmt]) -> Parsed<Module> {
    let mut module: Option<(Module, Span)> = None;
    for statement in body {
        match statement {
            py::Stmt::ClassDef(class) if decorated(cx, &class.decorator_list, "I.ir_module") => {
                let span = cx.range(class.name.range);
                let read = read_class(cx, class)?;
                only_one(cx, &module, span)?;
                module = Some((read, span));
            }
            py::Stmt::FunctionDef(function) if decorated(cx, &function.decorator_list, "T.prim_func") => {
                let span = cx.range(function.name.range);
                let read = crate::function::read(cx, function)?;
                only_one(cx, &module, span)?;
                let module_of_one = Module {
                    name: "Module".into(),
                    dialect: cx.dialect,
                    attributes: Annotations::new(),
                    functions: vec![read],
                };
                module = Some((module_of_one, span));
            }
            py::Stmt::Assign(assign) => constant(cx, assign),
            _ => {}
        }
    }
    match module {
        Some((module, _)) => Ok(module),
        None => {
            let place = cx.range(TextRange::default());
            Err(cx.report(
                Diagnostic::error(
                    "no module: expected a class under `@I.ir_module` or a function under `@T.prim_func`",
                )
                .at(place),
            ))
        }
    }
}

fn only_one(cx: &mut Context, module: &Option<(Module, Span)>, span: Span) -> Parsed<()> {
    match module {
        None => Ok(()),
        Some((_, first)) => Err(cx.report(
            Diagnostic::error("more than one module in the file")
                .at(span)
                .label(*first, "the first one")
                .help(
                    "put the functions into one `@I.ir_module` class, or the modules into files of their own",
                ),
        )),
    }
}

/// One of the decorators is `path`, called or not.
fn decorated(cx: &Context, decorators: &[py::Decorator], path: &str) -> bool {
    decorators.iter().any(|decorator| {
        let callee = match &decorator.expression {
            py::Expr::Call(call) => &*call.func,
            other => other,
        };
        expr::script_path(cx, callee).as_deref() == Some(path)
    })
}

/// `N = 1024` outside of the module: what is not a constant is nothing that the module can use.
fn constant(cx: &mut Context, assign: &py::StmtAssign) {
    let [py::Expr::Name(name)] = &assign.targets[..] else { return };
    if let py::Expr::Call(call) = &*assign.value
        && matches!(&*call.func, py::Expr::Name(callee) if callee.id.as_str() == "TypeVar")
    {
        cx.type_vars.insert(name.id.to_string());
        return;
    }
    let reported = cx.diagnostics.len();
    let value = Builder::new(cx, name.id.as_str(), false).value(&assign.value);
    cx.diagnostics.truncate(reported);
    if let Ok(value) = value
        && value.is_constant()
    {
        cx.constants.insert(name.id.to_string(), value);
    }
}

fn read_class(cx: &mut Context, class: &py::StmtClassDef) -> Parsed<Module> {
    let mut module = Module {
        name: class.name.to_string(),
        dialect: cx.dialect,
        attributes: Annotations::new(),
        functions: Vec::new(),
    };
    let mut failed = None;
    let mut places: Vec<Span> = Vec::new();
    for statement in &class.body {
        let span = cx.span(statement);
        let read = match statement {
            py::Stmt::FunctionDef(function) if decorated(cx, &function.decorator_list, "T.prim_func") => {
                let place = cx.range(function.name.range);
                let before = module.functions.iter().position(|other| other.name == function.name.as_str());
                match before {
                    Some(before) => Err(cx.report(
                        Diagnostic::error(format!("function `{}` is defined twice", function.name))
                            .at(place)
                            .label(places[before], "the first definition"),
                    )),
                    None => crate::function::read(cx, function).map(|function| {
                        module.functions.push(function);
                        places.push(place);
                    }),
                }
            }
            py::Stmt::FunctionDef(function) => {
                let place = cx.range(function.name.range);
                Err(cx.error_with(
                    place,
                    format!("unsupported: function `{}` in a module without `@T.prim_func`", function.name),
                    "expected a function under `@T.prim_func`",
                ))
            }
            py::Stmt::Pass(_) => Ok(()),
            py::Stmt::Expr(inner) if inner.value.is_string_literal_expr() => Ok(()),
            py::Stmt::Expr(inner) => module_statement(cx, &inner.value, &mut module),
            _ => Err(cx.error_with(
                span,
                "unsupported: this statement in a module class",
                "expected functions and `I.module_attrs({…})`",
            )),
        };
        failed = read.err().or(failed);
    }
    match failed {
        Some(failed) => Err(failed),
        None => Ok(module),
    }
}

fn module_statement(cx: &mut Context, inner: &py::Expr, module: &mut Module) -> Parsed<()> {
    if let py::Expr::Call(call) = inner
        && expr::script_path(cx, &call.func).as_deref() == Some("I.module_attrs")
    {
        let mut builder = Builder::new(cx, "", false);
        module.attributes = builder.annotations_argument(call, "I.module_attrs")?;
        return Ok(());
    }
    let span = cx.span(inner);
    Err(cx.error_with(
        span,
        "unsupported: this statement in a module class",
        "expected functions and `I.module_attrs({…})`",
    ))
}

/// The decorator call of a function, where it is one: `@T.prim_func(private=True)`.
pub fn decorator_call<'a>(cx: &Context, function: &'a py::StmtFunctionDef) -> Option<&'a py::ExprCall> {
    function.decorator_list.iter().find_map(|decorator| match &decorator.expression {
        py::Expr::Call(call) if expr::script_path(cx, &call.func).as_deref() == Some("T.prim_func") => {
            Some(call)
        }
        _ => None,
    })
}

/// The range of a header: from the start of a statement to the end of its last part before the colon.
pub fn header(statement: &impl Ranged, last: &impl Ranged) -> TextRange {
    TextRange::new(statement.range().start(), last.range().end())
}
