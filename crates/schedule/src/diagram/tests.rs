//! Pictures of programs that are built here, as the pass would leave them.

use wavemark_tile::{
    Annotations, BinaryOp, Block, Buffer, BufferId, Dtype, Expr, For, ForKind, Function, Stmt, Store, VarId,
};

use super::diagram;
use super::walk::{Section, walk};

fn block(name: &str, alloc_buffers: Vec<BufferId>, body: Stmt) -> Stmt {
    Stmt::Block(Box::new(Block {
        name: name.into(),
        axes: vec![],
        predicate: Expr::bool(true),
        reads: vec![],
        writes: vec![],
        alloc_buffers,
        match_buffers: vec![],
        annotations: Annotations::new(),
        init: None,
        body,
        span: None,
    }))
}

struct Program {
    function: Function,
    a: BufferId,
    b: BufferId,
    c: BufferId,
}

impl Program {
    fn new(name: &str) -> Program {
        let mut function = Function {
            name: name.into(),
            private: false,
            params: vec![],
            vars: vec![],
            buffers: vec![],
            attributes: Annotations::new(),
            body: Stmt::nop(),
            span: None,
        };
        let mut buffer = |name: &str, scope: &str| {
            function.add_buffer(Buffer {
                name: name.into(),
                dtype: Dtype::FLOAT32,
                shape: vec![Expr::int(64)],
                strides: vec![],
                elem_offset: None,
                offset_factor: 0,
                align: None,
                scope: scope.into(),
                span: None,
            })
        };
        let (a, b, c) = (buffer("A_shared", "shared"), buffer("B_shared", "shared"), buffer("C", "global"));
        Program { function, a, b, c }
    }

    fn statement(&self, name: &str, buffer: BufferId) -> Stmt {
        let store = Store {
            buffer,
            indices: [Expr::int(0)].into_iter().collect(),
            value: Expr::Float(0.0, Dtype::FLOAT32),
            span: None,
        };
        block(name, vec![], Stmt::Store(Box::new(store)))
    }

    fn section(
        &mut self,
        kind: ForKind,
        extent: Expr,
        body: impl FnOnce(&Program, VarId) -> Vec<Stmt>,
    ) -> Stmt {
        let var = self.function.add_var("i", Dtype::INT32);
        let body = Stmt::seq(body(self, var));
        let node = For {
            var,
            min: Expr::int(0),
            extent,
            step: None,
            kind,
            annotations: Annotations::new(),
            body,
            span: None,
        };
        block("", vec![], Stmt::For(Box::new(node)))
    }

    fn copies(&self) -> Stmt {
        let each = [("A_shared", self.a), ("B_shared", self.b)];
        let scope = |(name, buffer)| Stmt::attr("async_scope", Expr::int(1), self.statement(name, buffer));
        let both = Stmt::Seq(each.into_iter().map(scope).collect());
        block("", vec![], Stmt::attr("async_commit_queue_scope", Expr::int(0), both))
    }

    fn product(&self, count: Expr) -> Stmt {
        let body = self.statement("mma", self.c);
        let counted = Stmt::attr("async_wait_inflight_count", count, body);
        block("", vec![], Stmt::attr("async_wait_queue_scope", Expr::int(0), counted))
    }

    /// Two copies three iterations ahead of their consumer.
    fn pipeline(name: &str, body: Expr) -> Function {
        let mut program = Program::new(name);
        let prologue = program.section(ForKind::Unrolled, Expr::int(3), |program, _| vec![program.copies()]);
        let body = program.section(ForKind::Serial, body, |program, _| {
            vec![program.copies(), program.product(Expr::int(3))]
        });
        let epilogue = program.section(ForKind::Unrolled, Expr::int(3), |program, var| {
            let count = Expr::binary(BinaryOp::Sub, Expr::int(2), Expr::Var(var, Dtype::INT32));
            vec![program.product(count)]
        });
        let (a, b) = (program.a, program.b);
        program.function.body =
            block("root", vec![], block("", vec![a, b], Stmt::Seq(vec![prologue, body, epilogue])));
        program.function
    }
}

#[test]
fn groups_and_the_waits_that_force_them() {
    let timeline = walk(&Program::pipeline("gemm", Expr::int(5))).unwrap();
    let rows: Vec<_> = timeline.rows.iter().map(|row| (row.name.as_str(), row.stage, row.is_async)).collect();
    assert_eq!(rows, [("A_shared", 0, true), ("B_shared", 0, true), ("mma", 3, false)]);
    assert_eq!(timeline.columns.len(), 11);
    assert_eq!(timeline.columns.iter().filter(|column| column.section == Section::Body).count(), 5);
    let forced: Vec<_> = timeline.waits.iter().map(|wait| (wait.count.unwrap(), wait.forces)).collect();
    let expected = [3, 3, 3, 3, 3, 2, 1, 0].into_iter().zip((0..8).map(Some));
    assert_eq!(forced, expected.collect::<Vec<_>>());
    let sources: Vec<_> = timeline.instances.iter().filter(|i| i.row == 2).map(|i| i.source).collect();
    assert_eq!(sources, [0, 1, 2, 3, 4, 5, 6, 7]);
}

#[test]
fn absurd_extents_cost_nothing() {
    let timeline = walk(&Program::pipeline("long", Expr::Int(1 << 40, Dtype::INT64))).unwrap();
    assert!(timeline.columns.len() < 200);
    assert_eq!(timeline.instances.last().unwrap().source, (1 << 40) + 2);
    assert!(diagram(&Program::pipeline("long", Expr::Int(1 << 40, Dtype::INT64))).unwrap().len() < 40_000);
}

#[test]
fn names_are_escaped() {
    let picture = diagram(&Program::pipeline("<a> & \"b\"", Expr::int(2))).unwrap();
    assert!(picture.contains("&lt;a&gt; &amp; &quot;b&quot;"));
    assert!(!picture.contains("<a>"));
}

#[test]
fn what_has_no_pipeline_says_so() {
    let mut function = Program::pipeline("f", Expr::int(2));
    function.body = Stmt::nop();
    assert!(diagram(&function).unwrap_err().contains("no pipeline"));
}

#[test]
#[ignore = "writes a picture to look at"]
fn picture() {
    let picture = diagram(&Program::pipeline("gemm", Expr::int(40))).unwrap();
    std::fs::write(std::env::temp_dir().join("wavemark_pipeline.svg"), picture).unwrap();
}
