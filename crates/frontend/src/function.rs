//! A function: its decorator, its parameters with their symbolic dimensions, its body and its root block.

use ruff_python_ast as py;
use ruff_text_size::TextRange;
use rustc_hash::FxHashMap;
use wavemark_diag::Diagnostic;
use wavemark_tile::{Annotations, Block, BufferId, Dtype, Expr, Function, Param, Stmt, VarId};

use crate::arguments::{self, Signature};
use crate::block::OpenBlock;
use crate::context::{Context, Parsed};
use crate::expr;
use crate::module;
use crate::scalars::{self, Assignments};
use crate::scope::Scopes;
use crate::suite::Place;
use crate::value::Value;

/// A function under construction.
pub struct Builder<'c> {
    /// What is shared with the rest of the file.
    pub cx: &'c mut Context,
    /// What is there so far.
    pub function: Function,
    /// Names.
    pub scopes: Scopes,
    /// The blocks that are open, outermost first.
    pub blocks: Vec<OpenBlock>,
    /// Buffers of the root block.
    pub root_allocs: Vec<BufferId>,
    /// Minimum and extent of the loops, by variable: `T.axis.remap` takes its domains from them.
    pub loops: FxHashMap<VarId, (Expr, Expr)>,
    /// Variables that the shapes of the signature define.
    pub signature_vars: FxHashMap<String, VarId>,
    /// Parameters that are handles, by variable, until a `match_buffer` says what they are.
    pub handles: FxHashMap<VarId, usize>,
    /// How deep the statement is.
    pub statement_depth: usize,
    /// How deep the expression is.
    pub expression_depth: usize,
    /// The error of the block closed last that it accesses what cannot be seen: none for the root block.
    pub unseen: Option<Diagnostic>,
    /// Where names are assigned.
    pub assignments: Assignments,
    /// The parameters are being read: their shapes define variables.
    pub in_signature: bool,
    /// The block closed last said what it reads, and what it writes.
    pub last_block_given: (bool, bool),
}

/// A function under `@T.prim_func`.
pub fn read(cx: &mut Context, definition: &py::StmtFunctionDef) -> Parsed<Function> {
    let private = match module::decorator_call(cx, definition) {
        Some(call) => decorator(cx, call)?,
        None => false,
    };
    let mut builder = Builder::new(cx, definition.name.as_str(), private);
    let range = TextRange::new(definition.range.start(), definition.parameters.range.end());
    builder.function.span = Some(builder.cx.range(range));
    builder.assignments = scalars::assignments(&definition.body);
    builder.in_signature = true;
    builder.signature(&definition.parameters)?;
    builder.in_signature = false;
    if let Some(returns) = &definition.returns
        && !returns.is_none_literal_expr()
    {
        let span = builder.cx.span(&**returns);
        return Err(builder.cx.error(span, "unsupported: a function that returns a value"));
    }
    let body = builder.suite(&definition.body, Place::Function)?;
    Ok(builder.finish(body))
}

/// `private` of the decorator's arguments.
fn decorator(cx: &mut Context, call: &py::ExprCall) -> Parsed<bool> {
    let signature = Signature {
        name: "T.prim_func",
        positional: &[],
        keyword: &["private", "s_tir", "check_well_formed"],
        required: 0,
    };
    let bound = arguments::bind(cx, call, &signature)?;
    let mut flags = [false; 3];
    for (flag, argument) in flags.iter_mut().zip(bound) {
        let Some(argument) = argument else { continue };
        match argument {
            py::Expr::BooleanLiteral(literal) => *flag = literal.value,
            _ => {
                let span = cx.span(argument);
                return Err(cx.error(span, "arguments of `T.prim_func` are True or False"));
            }
        }
    }
    Ok(flags[0])
}

impl<'c> Builder<'c> {
    /// An empty function.
    pub fn new(cx: &'c mut Context, name: &str, private: bool) -> Builder<'c> {
        let function = Function {
            name: name.into(),
            private,
            params: Vec::new(),
            vars: Vec::new(),
            buffers: Vec::new(),
            attributes: Annotations::new(),
            body: Stmt::nop(),
            span: None,
        };
        let mut scopes = Scopes::default();
        scopes.push();
        Builder {
            cx,
            function,
            scopes,
            blocks: Vec::new(),
            root_allocs: Vec::new(),
            loops: FxHashMap::default(),
            signature_vars: FxHashMap::default(),
            handles: FxHashMap::default(),
            statement_depth: 0,
            expression_depth: 0,
            unseen: None,
            assignments: Assignments::default(),
            in_signature: false,
            last_block_given: (true, true),
        }
    }

    fn signature(&mut self, parameters: &py::Parameters) -> Parsed<()> {
        let span = self.cx.range(parameters.range);
        if parameters.vararg.is_some() || parameters.kwarg.is_some() {
            return Err(self.cx.error(span, "unsupported: `*` and `**` parameters"));
        }
        let parameters: Vec<&py::ParameterWithDefault> = parameters.iter_non_variadic_params().collect();
        // A shape may name a scalar parameter that comes later: its type counts.
        let mut scalars: FxHashMap<String, Dtype> = FxHashMap::default();
        for parameter in &parameters {
            let annotation = parameter.parameter.annotation.as_deref();
            let path = annotation.and_then(|annotation| expr::script_path(self.cx, annotation));
            if let Some(dtype) = path.and_then(|path| expr::dtype_of_path(&path)) {
                scalars.insert(parameter.parameter.name.to_string(), dtype);
            }
        }
        let mut failed = None;
        for parameter in parameters {
            if let Err(reported) = self.parameter(parameter, &scalars) {
                let name = &parameter.parameter.name;
                let span = self.cx.range(name.range);
                let poisoned = crate::scope::Binding { value: None, span, assignable: false };
                self.scopes.define(name, poisoned);
                failed = Some(reported);
            }
        }
        failed.map_or(Ok(()), Err)
    }

    fn parameter(
        &mut self,
        parameter: &py::ParameterWithDefault,
        scalars: &FxHashMap<String, Dtype>,
    ) -> Parsed<()> {
        let name = &parameter.parameter.name;
        let span = self.cx.range(name.range);
        if let Some(default) = &parameter.default {
            let span = self.cx.span(&**default);
            return Err(self.cx.error(span, format!("unsupported: parameter `{name}` has a default")));
        }
        let Some(annotation) = parameter.parameter.annotation.as_deref() else {
            return Err(self.cx.report(
                Diagnostic::error(format!("parameter `{name}` has no type"))
                    .at_with(span, "expected `T.Buffer(…)`, `T.handle` or a scalar type such as `T.int32`"),
            ));
        };
        if let py::Expr::Call(call) = annotation
            && expr::script_path(self.cx, &call.func).as_deref() == Some("T.Buffer")
        {
            let buffer = self.buffer_parameter(call, scalars)?;
            self.function.buffers[buffer.0 as usize].name = name.as_str().into();
            self.define(name, name.range, Value::Buffer(buffer))?;
            self.function.params.push(Param::Buffer { buffer, handle: None });
            return Ok(());
        }
        // `T.Buffer[(16,), "float32"]`, as TVM up to 0.10 has it.
        if let py::Expr::Subscript(subscript) = annotation
            && expr::script_path(self.cx, &subscript.value).as_deref() == Some("T.Buffer")
        {
            let buffer = self.buffer_subscript(subscript, scalars)?;
            self.function.buffers[buffer.0 as usize].name = name.as_str().into();
            self.define(name, name.range, Value::Buffer(buffer))?;
            self.function.params.push(Param::Buffer { buffer, handle: None });
            return Ok(());
        }
        let dtype = self.annotation_dtype(annotation)?;
        if let Some(&var) = self.signature_vars.get(name.as_str())
            && self.function.var(var).dtype == dtype
        {
            self.function.params.push(Param::Scalar(var));
            return Ok(());
        }
        let var = self.function.add_var(name, dtype);
        self.define(name, name.range, Value::Expr(Expr::Var(var, dtype)))?;
        if dtype == Dtype::Handle {
            self.handles.insert(var, self.function.params.len());
        }
        self.function.params.push(Param::Scalar(var));
        Ok(())
    }

    /// The type that an annotation names: `T.int32`, `T.int32()`, `T.handle("float32", "global")`.
    pub fn annotation_dtype(&mut self, annotation: &py::Expr) -> Parsed<Dtype> {
        let path = match annotation {
            py::Expr::Call(call) => expr::script_path(self.cx, &call.func),
            other => expr::script_path(self.cx, other),
        };
        if let Some(dtype) = path.as_deref().and_then(expr::dtype_of_path) {
            return Ok(dtype);
        }
        let span = self.cx.span(annotation);
        let message = match path.as_deref().and_then(|path| path.strip_prefix("T.")) {
            Some(name) if expr::is_vector_type(name) => format!("unsupported: vector type `T.{name}`"),
            _ => "not a type".to_owned(),
        };
        Err(self.cx.error_with(
            span,
            message,
            "expected `T.Buffer(…)`, `T.handle` or a scalar type such as `T.int32`",
        ))
    }

    /// The function with its root block: TVM puts the body into a block `root` when it allocates buffers outside
    /// of blocks, when it is a block with axes, or when it is no block but contains one. A body that is a block is
    /// the root then, and what it does not say that it accesses stays empty.
    fn finish(self, body: Stmt) -> Function {
        let Builder { cx, mut function, root_allocs, last_block_given, unseen, .. } = self;
        let needs_root = match &body {
            _ if !root_allocs.is_empty() => true,
            Stmt::Block(block) => !block.axes.is_empty(),
            _ => contains_block(&body),
        };
        if let Some(unseen) = unseen.filter(|_| needs_root) {
            cx.report(unseen);
        }
        function.body = match body {
            body if needs_root => Stmt::Block(Box::new(Block {
                name: "root".into(),
                axes: Vec::new(),
                predicate: Expr::bool(true),
                reads: Vec::new(),
                writes: Vec::new(),
                alloc_buffers: root_allocs,
                match_buffers: Vec::new(),
                annotations: Annotations::new(),
                init: None,
                body,
                span: function.span,
            })),
            Stmt::Block(mut root) => {
                if !last_block_given.0 {
                    root.reads.clear();
                }
                if !last_block_given.1 {
                    root.writes.clear();
                }
                Stmt::Block(root)
            }
            body => body,
        };
        function
    }
}

fn contains_block(statement: &Stmt) -> bool {
    let mut found = false;
    statement.visit(&mut |inner| found |= matches!(inner, Stmt::Block(_)));
    found
}
