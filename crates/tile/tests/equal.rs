//! Which programs are the same, and what is said where they are not.

mod build;

use build::{ints, sample};
use wavemark_tile::{
    Annotation, BinaryOp, Comparison, Dialect, Dtype, Expr, Function, Module, Stmt, Var, first_difference,
    print,
};

/// The sample with its ids turned around and its variables renamed.
fn renumbered() -> Module {
    // Unused entries in front move every id of what is built after them.
    let text = print(&sample(), Dialect::New);
    let mut module = sample();
    let function = &mut module.functions[0];
    let shift = 3;
    for _ in 0..shift {
        function.vars.insert(0, Var { name: "unused".into(), dtype: Dtype::INT32 });
    }
    for var in &mut function.vars {
        var.name = format!("{}_renamed", var.name).into();
    }
    shift_vars(function, shift);
    assert_ne!(print(&module, Dialect::New), text);
    module
}

fn shift_vars(function: &mut Function, by: u32) {
    fn shifted(expr: &Expr, by: u32) -> Expr {
        match expr {
            Expr::Var(id, dtype) => Expr::Var(wavemark_tile::VarId(id.0 + by), *dtype),
            _ => expr.map_children(&mut |child| shifted(child, by)),
        }
    }
    fn walk(stmt: &mut Stmt, by: u32) {
        stmt.map_own_exprs(&mut |expr| shifted(expr, by));
        match stmt {
            Stmt::For(node) => node.var.0 += by,
            Stmt::Block(block) => block.axes.iter_mut().for_each(|axis| axis.var.0 += by),
            Stmt::Let { var, .. } => var.0 += by,
            _ => {}
        }
        stmt.children_mut().for_each(|child| walk(child, by));
    }
    for param in &mut function.params {
        if let wavemark_tile::Param::Scalar(var) = param {
            var.0 += by;
        }
    }
    for buffer in &mut function.buffers {
        buffer.shape.iter_mut().for_each(|size| *size = shifted(size, by));
    }
    walk(&mut function.body, by);
}

/// The difference between the sample and what `change` makes of it.
fn after(change: impl FnOnce(&mut Function)) -> String {
    let mut changed = sample();
    change(&mut changed.functions[0]);
    let sample = sample();
    let difference = first_difference(&sample.functions[0], &changed.functions[0]);
    difference.map_or("same".into(), |difference| difference.to_string())
}

/// The difference when the first statement that `change` knows is changed by it.
fn after_stmt(change: &dyn Fn(&mut Stmt) -> bool) -> String {
    fn first(stmt: &mut Stmt, change: &dyn Fn(&mut Stmt) -> bool) -> bool {
        change(stmt) || stmt.children_mut().any(|child| first(child, change))
    }
    after(|function| assert!(first(&mut function.body, change), "nothing was changed"))
}

#[test]
fn names_and_ids_do_not_count() {
    let (left, right) = (sample(), renumbered());
    assert_eq!(first_difference(&left.functions[0], &right.functions[0]), None);
    assert_eq!(Comparison::default().first_module_difference(&left, &right), None);
}

#[test]
fn the_first_difference_is_named() {
    let predicate = after_stmt(&|stmt| match stmt {
        Stmt::Block(block) if !block.predicate.is_true() => {
            let Expr::Binary(_, sides) = &block.predicate else { return false };
            block.predicate = Expr::binary(BinaryOp::Le, sides[0].clone(), sides[1].clone());
            true
        }
        _ => false,
    });
    assert_eq!(predicate, "root/for ko/\"\"/T.where: ko < lo vs ko <= lo");

    let region = after_stmt(&|stmt| match stmt {
        Stmt::Block(block) if &*block.name == "c" => {
            block.reads[0].ranges[1].extent = Expr::int(2);
            true
        }
        _ => false,
    });
    assert_eq!(
        region,
        "root/for ko/for i/for k/c/T.reads: S[(vo - 1) % 4, vk] vs S[(vo - 1) % 4, vk:vk + 2]"
    );

    let annotation = after_stmt(&|stmt| match stmt {
        Stmt::For(node) => {
            node.annotations.insert("software_pipeline_order".into(), ints(&[0, 2, 1]));
            true
        }
        _ => false,
    });
    assert_eq!(annotation, "root/for ko/annotations/software_pipeline_order: [0, 1, 2] vs [0, 2, 1]");

    let missing = after_stmt(&|stmt| match stmt {
        Stmt::If { otherwise, .. } => otherwise.take().is_some(),
        _ => false,
    });
    assert_eq!(missing, "root/for ko/if: else: C[...] = vs no else");

    let shorter = after_stmt(&|stmt| match stmt {
        Stmt::Seq(statements) if statements.len() == 3 => statements.pop().is_some(),
        _ => false,
    });
    assert_eq!(shorter, "root/for ko: if vs nothing more");

    let shape = after(|function| function.buffers[2].shape[0] = Expr::int(5));
    assert_eq!(shape, "root/allocation/S/shape: (4, 8) vs (5, 8)");
}

#[test]
fn a_variable_is_the_one_that_the_same_loop_defines() {
    // The copy's inner index becomes the outer loop's variable.
    let other = after_stmt(&|stmt| match stmt {
        Stmt::Store(store) if store.indices.len() == 2 => {
            let Expr::Cast(_, inner) = &store.value else { return false };
            let load = inner.children()[0].children();
            store.indices[1] = load[1].clone();
            true
        }
        _ => false,
    });
    assert_eq!(
        other,
        "root/for ko/\"\"/async_commit_queue_scope/async_scope/for i/S[...] =/index: \
         ((ko - 1) % 4, i) vs ((ko - 1) % 4, ko)"
    );
}

#[test]
fn wait_counts_can_be_left_out() {
    let mut laxer = sample();
    let mut changed = false;
    fn walk(stmt: &mut Stmt, changed: &mut bool) {
        if let Stmt::Attr { key, value, .. } = stmt
            && key == "async_wait_inflight_count"
        {
            *value = Expr::int(7);
            *changed = true;
        }
        stmt.children_mut().for_each(|child| walk(child, changed));
    }
    walk(&mut laxer.functions[0].body, &mut changed);
    assert!(changed);
    let sample = sample();
    let (left, right) = (&sample.functions[0], &laxer.functions[0]);
    assert_eq!(
        first_difference(left, right).map(|difference| difference.to_string()).as_deref(),
        Some("root/for ko/for i/for k/c/async_wait_queue_scope/async_wait_inflight_count: 1 vs 7")
    );
    let comparison = Comparison { ignore_inflight_counts: true };
    assert_eq!(comparison.first_difference(left, right), None);
    assert_eq!(comparison.first_module_difference(&sample, &laxer), None);
}

#[test]
fn sequences_and_constants_have_one_meaning() {
    let nested = after_stmt(&|stmt| match stmt {
        Stmt::Seq(statements) if statements.len() == 3 => {
            let rest = statements.split_off(1);
            statements.extend([Stmt::Seq(Vec::new()), Stmt::Seq(rest)]);
            true
        }
        _ => false,
    });
    assert_eq!(nested, "same");
    let attribute = after(|function| {
        function.attributes.insert("tirx.noalias".into(), Annotation::Expr(Expr::bool(true)));
    });
    assert_eq!(attribute, "same");
}
