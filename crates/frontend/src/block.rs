//! Blocks: what they declare (axes, predicate, regions, attributes, buffers) and their body.

use ruff_python_ast as py;
use ruff_text_size::TextRange;
use wavemark_diag::{Diagnostic, Span};
use wavemark_tile::{
    Annotations, Axis, AxisKind, Block, BufferId, Dialect, Expr, MatchBuffer, Range, Region, Stmt, fold,
};

use crate::arguments::{self, Signature};
use crate::context::Parsed;
use crate::function::Builder;
use crate::operators;
use crate::suite::{Place, Suite};
use crate::value::Value;

/// What a block that is being read has declared so far.
#[derive(Default)]
pub struct OpenBlock {
    axes: Vec<Axis>,
    predicate: Option<Expr>,
    reads: Option<Vec<Region>>,
    writes: Option<Vec<Region>>,
    /// Buffers allocated in it.
    pub alloc_buffers: Vec<BufferId>,
    match_buffers: Vec<MatchBuffer>,
    annotations: Option<Annotations>,
    init: Option<Stmt>,
}

impl Builder<'_> {
    /// `with T.sblock("name"):`.
    pub fn block(
        &mut self,
        call: &py::ExprCall,
        rest: &[py::WithItem],
        with: &py::StmtWith,
        header: TextRange,
    ) -> Parsed<Stmt> {
        self.dialect_word(call, "T.block", "T.sblock")?;
        let signature =
            Signature { name: "T.sblock", positional: &["name", "no_realize"], keyword: &[], required: 0 };
        let bound = arguments::bind(self.cx, call, &signature)?;
        if let Some(no_realize) = bound[1] {
            let span = self.cx.span(no_realize);
            return Err(self.cx.error(span, "unsupported: `no_realize`"));
        }
        let name = match bound[0] {
            Some(name) => self.string(name, "a block's name")?,
            None => String::new(),
        };
        let span = self.cx.range(header);
        self.blocks.push(OpenBlock::default());
        let body = self.rest_of_with(rest, with, Place::Block);
        let open = self.blocks.pop().unwrap_or_default();
        let mut block = Block {
            name: name.into(),
            axes: open.axes,
            predicate: open.predicate.unwrap_or_else(|| Expr::bool(true)),
            reads: Vec::new(),
            writes: Vec::new(),
            alloc_buffers: open.alloc_buffers,
            match_buffers: open.match_buffers,
            annotations: open.annotations.unwrap_or_default(),
            init: open.init,
            body: body?,
            span: Some(span),
        };
        if let Some(unseen) = self.unseen.take() {
            self.cx.report(unseen);
        }
        self.last_block_given = (open.reads.is_some(), open.writes.is_some());
        (block.reads, block.writes) = match (open.reads, open.writes) {
            (Some(reads), Some(writes)) => (reads, writes),
            (reads, writes) => self.infer(&block, reads, writes),
        };
        Ok(Stmt::Block(Box::new(block)))
    }

    /// The regions of a block that does not give both. What is reached through an address cannot be seen; that is
    /// an error unless the block turns out to be the root block, whose regions stay empty.
    fn infer(
        &mut self,
        block: &Block,
        reads: Option<Vec<Region>>,
        writes: Option<Vec<Region>>,
    ) -> (Vec<Region>, Vec<Region>) {
        let (inferred_reads, inferred_writes, through_address) =
            wavemark_tile::regions::infer(&self.function, block);
        if let (Some(buffer), Some(span)) = (through_address.first(), block.span) {
            let name = &self.function.buffer(*buffer).name;
            let message = format!("what block `{}` accesses cannot be seen", block.name);
            self.unseen = Some(
                Diagnostic::error(message)
                    .at_with(span, format!("`{name}` is reached through its address"))
                    .help("give the block both `T.reads(…)` and `T.writes(…)`"),
            );
        }
        (reads.unwrap_or(inferred_reads), writes.unwrap_or(inferred_writes))
    }

    /// `with T.init():`.
    pub fn init(&mut self, call: &py::ExprCall, rest: &[py::WithItem], with: &py::StmtWith) -> Parsed<Stmt> {
        let span = self.cx.span(call);
        let signature = Signature { name: "T.init", positional: &[], keyword: &[], required: 0 };
        arguments::bind(self.cx, call, &signature)?;
        let Some(open) = self.blocks.last() else {
            return Err(self.cx.error(span, "`T.init` outside of a block"));
        };
        if open.init.is_some() {
            return Err(self.cx.error(span, "`T.init` is given twice in one block"));
        }
        let init = self.rest_of_with(rest, with, Place::Other)?;
        if let Some(open) = self.blocks.last_mut() {
            open.init = Some(init);
        }
        Ok(Stmt::Seq(Vec::new()))
    }

    /// The word of the other dialect: `old` and `new` name the same thing.
    pub fn dialect_word(&mut self, call: &py::ExprCall, old: &str, new: &str) -> Parsed<()> {
        let Some(path) = crate::expr::script_path(self.cx, &call.func) else { return Ok(()) };
        let (other, ours, theirs, dialect) = match self.cx.dialect {
            Dialect::New => (old, new, "old", "new"),
            Dialect::Old => (new, old, "new", "old"),
        };
        if path != other {
            return Ok(());
        }
        let span = self.cx.span(&*call.func);
        let reason = self.cx.dialect_reason.clone();
        let mut diagnostic = Diagnostic::error(format!("`{other}` is the {theirs} dialect's name"))
            .at_with(span, format!("expected `{ours}`"));
        if let Some(reason) = reason {
            diagnostic = diagnostic.note(format!("the file is in the {dialect} dialect: {reason}"));
        }
        Err(self.cx.report(diagnostic))
    }

    /// The block whose own suite this is.
    fn own_block(&mut self, suite: &Suite, name: &str, span: Span) -> Parsed<&mut OpenBlock> {
        if !suite.is_direct(Place::Block) || self.blocks.is_empty() {
            return Err(self.cx.error_with(
                span,
                format!("`{name}` is not among a block's own statements"),
                "expected directly under `with T.sblock(…):`, before any scope",
            ));
        }
        match self.blocks.last_mut() {
            Some(open) => Ok(open),
            None => Err(self.cx.error(span, "no block is open")),
        }
    }

    /// A statement that declares something of its block; false when it is another statement.
    pub fn block_declaration(&mut self, path: &str, call: &py::ExprCall, suite: &mut Suite) -> Parsed<bool> {
        let span = self.cx.span(call);
        match path {
            "T.reads" => {
                let regions = self.regions(call, "T.reads")?;
                let open = self.own_block(suite, path, span)?;
                if open.reads.replace(regions).is_some() {
                    return Err(self.cx.error(span, "`T.reads` is given twice in one block"));
                }
            }
            "T.writes" => {
                let regions = self.regions(call, "T.writes")?;
                let open = self.own_block(suite, path, span)?;
                if open.writes.replace(regions).is_some() {
                    return Err(self.cx.error(span, "`T.writes` is given twice in one block"));
                }
            }
            "T.where" => {
                let signature =
                    Signature { name: "T.where", positional: &["predicate"], keyword: &[], required: 1 };
                let bound = arguments::bind(self.cx, call, &signature)?;
                let Some(predicate) = bound[0] else { return Ok(true) };
                let predicate = self.predicate(predicate)?;
                let open = self.own_block(suite, path, span)?;
                if open.predicate.replace(predicate).is_some() {
                    return Err(self.cx.error(span, "`T.where` is given twice in one block"));
                }
            }
            "T.sblock_attr" | "T.block_attr" => {
                self.dialect_word(call, "T.block_attr", "T.sblock_attr")?;
                let annotations = self.annotations_argument(call, "T.sblock_attr")?;
                let open = self.own_block(suite, path, span)?;
                if open.annotations.replace(annotations).is_some() {
                    return Err(self.cx.error(span, "the attributes of the block are given twice"));
                }
            }
            _ => return self.block_definition(path, call, suite).map(|value| value.is_some()),
        }
        Ok(true)
    }

    fn predicate(&mut self, predicate: &py::Expr) -> Parsed<Expr> {
        let span = self.cx.span(predicate);
        let value = self.value(predicate)?;
        let predicate = match value {
            Value::Int(value) => Expr::bool(value != 0),
            value => self.expression_of(value, span)?,
        };
        if predicate.dtype() != wavemark_tile::Dtype::BOOL {
            let message = format!("the predicate has type {}", predicate.dtype());
            return Err(self.cx.error_with(span, message, "expected a bool"));
        }
        Ok(predicate)
    }

    /// A call that makes something of its block: axes, buffers; `None` when it is another call.
    pub fn block_definition(
        &mut self,
        path: &str,
        call: &py::ExprCall,
        suite: &mut Suite,
    ) -> Parsed<Option<Value>> {
        let span = self.cx.span(call);
        let kind = match path {
            "T.axis.spatial" | "T.axis.S" => AxisKind::Spatial,
            "T.axis.reduce" | "T.axis.R" => AxisKind::Reduce,
            "T.axis.opaque" => AxisKind::Opaque,
            "T.axis.scan" => AxisKind::Scan,
            "T.axis.remap" => return self.remap(call, suite).map(Some),
            "T.alloc_buffer" | "T.sblock_alloc_buffer" => {
                self.dialect_word(call, "T.alloc_buffer", "T.sblock_alloc_buffer")?;
                let buffer = self.allocation(call)?;
                // As in TVM: the block around, however far out; else the root block.
                match self.blocks.last_mut() {
                    Some(open) => open.alloc_buffers.push(buffer),
                    None => self.root_allocs.push(buffer),
                }
                return Ok(Some(Value::Buffer(buffer)));
            }
            "T.match_buffer" => return self.match_buffer(call, suite).map(Some),
            _ => return Ok(None),
        };
        let signature =
            Signature { name: "T.axis", positional: &["dom", "binding", "dtype"], keyword: &[], required: 2 };
        let bound = arguments::bind(self.cx, call, &signature)?;
        let (Some(dom), Some(binding)) = (bound[0], bound[1]) else { return Ok(None) };
        let value = self.integer(binding)?;
        let mut domain = self.domain(dom)?;
        let dtype = match bound[2] {
            Some(dtype) => self.dtype_argument(dtype)?,
            None => operators::wider(domain.extent.dtype(), value.dtype()),
        };
        domain.min = fold::cast(dtype, domain.min);
        domain.extent = fold::cast(dtype, domain.extent);
        let value = fold::cast(dtype, value);
        let var = self.function.add_var("", dtype);
        self.own_block(suite, path, span)?.axes.push(Axis { var, domain, kind, value });
        Ok(Some(Value::Expr(Expr::Var(var, dtype))))
    }

    /// `16`, `(2, 18)` or `T.Range(2, 18)`: a domain.
    fn domain(&mut self, dom: &py::Expr) -> Parsed<Range> {
        let span = self.cx.span(dom);
        if let py::Expr::Call(call) = dom
            && crate::expr::script_path(self.cx, &call.func).as_deref() == Some("T.Range")
        {
            let signature =
                Signature { name: "T.Range", positional: &["begin", "end"], keyword: &[], required: 2 };
            let bound = arguments::bind(self.cx, call, &signature)?;
            if let (Some(begin), Some(end)) = (bound[0], bound[1]) {
                let (begin, end) = (self.integer(begin)?, self.integer(end)?);
                return Ok(domain(begin, end));
            }
        }
        match self.value(dom)? {
            Value::List(items) => {
                let [(begin, begin_span), (end, end_span)] = &items[..] else {
                    return Err(self.cx.error(span, "a domain has two ends"));
                };
                let begin = self.integer_of(begin.clone(), *begin_span)?;
                let end = self.integer_of(end.clone(), *end_span)?;
                Ok(domain(begin, end))
            }
            value => {
                let extent = self.integer_of(value, span)?;
                Ok(Range { min: Expr::Int(0, extent.dtype()), extent })
            }
        }
    }

    /// `T.axis.remap("SR", [i, k])`: axes over the domains of the loops.
    fn remap(&mut self, call: &py::ExprCall, suite: &mut Suite) -> Parsed<Value> {
        let signature = Signature {
            name: "T.axis.remap",
            positional: &["kinds", "bindings", "dtype"],
            keyword: &[],
            required: 2,
        };
        let span = self.cx.span(call);
        let bound = arguments::bind(self.cx, call, &signature)?;
        let (Some(kinds), Some(bindings)) = (bound[0], bound[1]) else { return Ok(Value::None) };
        let kinds_span = self.cx.span(kinds);
        let kinds = self.string(kinds, "the kinds of the axes")?;
        let bindings_span = self.cx.span(bindings);
        let Value::List(bindings) = self.value(bindings)? else {
            return Err(self.cx.error(bindings_span, "expected a list of loop variables"));
        };
        if kinds.chars().count() != bindings.len() {
            let message = format!("{} kinds for {} bindings", kinds.chars().count(), bindings.len());
            return Err(self.cx.error(span, message));
        }
        let mut values = Vec::new();
        for (letter, (binding, place)) in kinds.chars().zip(bindings) {
            let kind = match letter {
                'S' => AxisKind::Spatial,
                'R' => AxisKind::Reduce,
                _ => {
                    let message = format!("unknown kind of axis `{letter}`");
                    return Err(self.cx.error_with(kinds_span, message, "expected `S` and `R`"));
                }
            };
            let Value::Expr(Expr::Var(loop_var, dtype)) = binding else {
                let found = binding.describe();
                return Err(self.cx.error_with(
                    place,
                    format!("`T.axis.remap` needs loop variables, found {found}"),
                    "write this axis with `T.axis.spatial` or `T.axis.reduce`",
                ));
            };
            let Some((min, extent)) = self.loops.get(&loop_var).cloned() else {
                let name = self.function.var(loop_var).name.clone();
                return Err(self.cx.error(place, format!("`{name}` is not the variable of a loop around")));
            };
            let var = self.function.add_var("", dtype);
            let axis = Axis { var, domain: Range { min, extent }, kind, value: Expr::Var(loop_var, dtype) };
            self.own_block(suite, "T.axis.remap", span)?.axes.push(axis);
            values.push((Value::Expr(Expr::Var(var, dtype)), place));
        }
        match &values[..] {
            [(value, _)] => Ok(value.clone()),
            _ => Ok(Value::List(values)),
        }
    }

    /// `T.match_buffer(a, (16, n), "float16")` of a parameter, or of a region in a block.
    fn match_buffer(&mut self, call: &py::ExprCall, suite: &mut Suite) -> Parsed<Value> {
        let span = self.cx.span(call);
        let (source, place, buffer) = self.matched_buffer(call)?;
        match source {
            Value::Expr(Expr::Var(var, _)) => {
                let Some(index) = self.handles.remove(&var) else {
                    let name = self.function.var(var).name.clone();
                    return Err(self.cx.error(
                        place,
                        format!("`{name}` is not a handle parameter that is still to be matched"),
                    ));
                };
                let handle = Some(self.function.var(var).name.to_string());
                self.function.params[index] = wavemark_tile::Param::Buffer { buffer, handle };
            }
            source => {
                let source = self.region_of(source, place)?;
                let found = source.buffer;
                let (ours, theirs) = (self.function.buffer(buffer).dtype, self.function.buffer(found).dtype);
                if ours != theirs {
                    return Err(self.cx.error(
                        span,
                        format!("the region has elements of type {theirs}, the new buffer of type {ours}"),
                    ));
                }
                self.own_block(suite, "T.match_buffer", span)?
                    .match_buffers
                    .push(MatchBuffer { buffer, source });
            }
        }
        Ok(Value::Buffer(buffer))
    }
}

/// `begin .. end`; its extent is folded and not simplified.
fn domain(begin: Expr, end: Expr) -> Range {
    let (min, end) = operators::same_type(begin, end);
    let extent = fold::binary(wavemark_tile::BinaryOp::Sub, end, min.clone());
    Range { min, extent }
}
