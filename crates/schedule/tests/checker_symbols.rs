//! What the checker says of all values of a symbol, against walks of single values: on random programs that are made to
//! trap an induction. Loops as long as the symbol, one after the other, with loops inside and inside of statements; indices that stand still,
//! go forwards and backwards, count from the end, turn round; conditions that flip somewhere; queues that are never
//! waited for; conflicts that only large values have.
//!
//! `WAVEMARK_SEED=N` changes the seed, `WAVEMARK_CASES=N` how many programs there are.

use std::collections::BTreeSet;

use oorandom::Rand64;
use rayon::prelude::*;
use wavemark_schedule::checker::{Report, Rule, Verdict, check, check_exhaustively};
use wavemark_tile::{
    Block, Buffer, BufferId, Dialect, Dtype, Expr, For, ForKind, Function, Module, Param, Stmt, Store, VarId,
    fold, print,
};

/// The symbol is the first variable.
const N: VarId = VarId(0);

struct Generator {
    random: Rand64,
    function: Function,
    statements: usize,
    /// The largest constant in an index: small ones are behind soon, with large ones conflicts come late.
    reach: i64,
}

impl Generator {
    fn below(&mut self, bound: i64) -> i64 {
        self.random.rand_range(0..bound as u64) as i64
    }

    fn n(&self) -> Expr {
        Expr::Var(N, Dtype::INT32)
    }

    /// An index in a loop over `var`, or outside of loops.
    fn index(&mut self, var: Option<VarId>) -> Expr {
        let reach = self.reach;
        let constant = Expr::int(self.below(reach));
        let Some(var) = var else {
            return match self.below(3) {
                0 => fold::sub(self.n(), Expr::int(self.below(reach) - 2)),
                _ => constant,
            };
        };
        let i = Expr::Var(var, Dtype::INT32);
        match self.below(12) {
            0 => constant,
            1 => fold::add(fold::mul(i, Expr::int(2)), constant),
            2 => fold::sub(self.n(), fold::add(i, Expr::int(self.below(4)))),
            3 => fold::add(fold::floor_div(i, Expr::int(2)), constant),
            4..=7 => fold::floor_mod(fold::add(i, Expr::int(self.below(4))), Expr::int(2 + self.below(2))),
            _ => fold::add(i, Expr::int(self.below(reach.min(5)))),
        }
    }

    /// A store of a load, in a block whose name says which it is. Buffers 0 to 2 are written and read, 3 is the input,
    /// 4 the output.
    fn action(&mut self, var: Option<VarId>, asynchronous: bool) -> Stmt {
        let mut to = self.below(3) as u32;
        let mut from = self.below(3) as u32;
        match asynchronous {
            true if self.below(3) != 0 => from = 3,
            false if self.below(3) != 0 => to = 4,
            _ => {}
        }
        // Sometimes a loop of its own inside the statement.
        let inner = (self.below(8) == 0).then(|| self.function.add_var("k", Dtype::INT32));
        let var = inner.or(var);
        let load = Expr::load(BufferId(from), Dtype::FLOAT32, vec![self.index(var)]);
        let store = Stmt::Store(Box::new(Store {
            buffer: BufferId(to),
            indices: [self.index(var)].into_iter().collect(),
            value: fold::add(load, Expr::Float(1.0, Dtype::FLOAT32)),
            span: None,
        }));
        let store = match inner {
            Some(var) => {
                let extent = fold::sub(self.n(), Expr::int(self.below(4)));
                Stmt::For(Box::new(serial(var, extent, store)))
            }
            None => store,
        };
        self.statements += 1;
        Stmt::Block(Box::new(Block::opaque(&format!("s{}", self.statements - 1), store)))
    }

    fn statement(&mut self, var: Option<VarId>, depth: usize) -> Stmt {
        match self.below(16) {
            0..=4 => {
                let members = (0..1 + self.below(3) / 2)
                    .map(|_| Stmt::attr("async_scope", Expr::int(1), self.action(var, true)))
                    .collect();
                Stmt::attr("async_commit_queue_scope", Expr::int(self.below(2)), Stmt::seq(members))
            }
            5..=9 => {
                let count = Stmt::attr(
                    "async_wait_inflight_count",
                    Expr::int(self.below(4)),
                    self.action(var, false),
                );
                Stmt::attr("async_wait_queue_scope", Expr::int(self.below(2)), count)
            }
            10 if depth == 1 => {
                let condition = match var.map(|var| Expr::Var(var, Dtype::INT32)) {
                    Some(i) if self.below(2) == 0 => {
                        fold::lt(fold::add(i, Expr::int(self.below(3))), self.n())
                    }
                    Some(i) => fold::lt(i, Expr::int(self.below(9))),
                    None => fold::lt(Expr::int(self.below(9)), self.n()),
                };
                Stmt::If { condition, then: Box::new(self.statement(var, 2)), otherwise: None }
            }
            11 if depth == 1 => {
                let extent = 1 + self.below(3);
                self.looped(Expr::int(extent), 2)
            }
            _ => self.action(var, false),
        }
    }

    fn looped(&mut self, extent: Expr, depth: usize) -> Stmt {
        let var = self.function.add_var("i", Dtype::INT32);
        let count = 2 + self.below(4);
        let body = Stmt::seq((0..count).map(|_| self.statement(Some(var), depth)).collect());
        Stmt::For(Box::new(serial(var, extent, body)))
    }

    fn program(&mut self) {
        let mut parts = Vec::new();
        for _ in 0..1 + self.below(2) {
            for _ in 0..self.below(3) {
                parts.push(self.statement(None, 1));
            }
            let extent = fold::sub(self.n(), Expr::int(self.below(3)));
            parts.push(self.looped(extent, 1));
        }
        for _ in 0..self.below(3) {
            parts.push(self.statement(None, 1));
        }
        self.function.body = Stmt::seq(parts);
    }
}

fn serial(var: VarId, extent: Expr, body: Stmt) -> For {
    For {
        var,
        min: Expr::int(0),
        extent,
        step: None,
        kind: ForKind::Serial,
        annotations: Default::default(),
        body,
        span: None,
    }
}

fn generate(seed: u64) -> Function {
    let buffer = |name: &str| Buffer {
        name: name.into(),
        dtype: Dtype::FLOAT32,
        shape: vec![Expr::int(256)],
        strides: Vec::new(),
        elem_offset: None,
        offset_factor: 0,
        align: None,
        scope: "shared".into(),
        span: None,
    };
    let mut function = Function {
        name: "main".into(),
        private: false,
        params: vec![Param::Buffer { buffer: BufferId(3), handle: None }, Param::Scalar(N)],
        vars: Vec::new(),
        buffers: ["X", "Y", "Z", "A", "C"].map(buffer).to_vec(),
        attributes: Default::default(),
        body: Stmt::nop(),
        span: None,
    };
    function.add_var("n", Dtype::INT32);
    let mut random = Rand64::new(u128::from(seed));
    let reach = [3, 6, 60][random.rand_range(0..3) as usize];
    let mut generator = Generator { random, function, statements: 0, reach };
    generator.program();
    generator.function
}

fn with_value(function: &Function, value: i64) -> Function {
    let mut one = function.clone();
    one.body.substitute(N, &Expr::Int(value, Dtype::INT32));
    one
}

/// The statements that findings name.
fn pairs(report: &Report) -> BTreeSet<(Rule, String, String)> {
    report
        .findings
        .iter()
        .map(|finding| {
            let consumer = finding.consumer.as_ref().map(|one| one.place.block.clone()).unwrap_or_default();
            (finding.rule, finding.producer.place.block.clone(), consumer)
        })
        .collect()
}

/// Sets the counts of all waits, in the order of the text.
fn set_counts(stmt: &mut Stmt, counts: &mut impl Iterator<Item = i64>) {
    if let Stmt::Attr { key, value, .. } = stmt
        && key == "async_wait_inflight_count"
    {
        *value = Expr::int(counts.next().expect("a count for each wait"));
    }
    for child in stmt.children_mut() {
        set_counts(child, counts);
    }
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable)
        .ok()
        .map(|text| text.parse().unwrap_or_else(|_| panic!("{variable}: not a number: {text}")))
}

const ANY: i64 = 1000;

#[test]
fn what_is_said_of_all_values_holds_for_single_ones() {
    let first = number("WAVEMARK_SEED").unwrap_or(1);
    let cases = number("WAVEMARK_CASES").unwrap_or(if cfg!(debug_assertions) { 500 } else { 50_000 });
    println!("seeds {first}..{}", first + cases);
    let of_seed = |seed: u64| {
        let function = generate(seed);
        let report = check(&function);
        let Some(symbols) = &report.symbols else { return [0; 4] };
        let (mut late, mut clean, mut loosened) = (0, 0, 0);
        let text = || {
            let module = Module {
                name: "Module".into(),
                dialect: Dialect::New,
                attributes: Default::default(),
                functions: vec![function.clone()],
            };
            format!("seed {seed}\n{}\n{:#?}", print(&module, Dialect::New), report.symbols)
        };
        let found = pairs(&report);
        let most = symbols.walked[0].1;
        let values = (-2..6).chain(most - 1..most + 9).chain([61, 62, 63, 2 * most + 20]);
        for value in values {
            let single = check_exhaustively(&with_value(&function, value));
            // Of several that access an element one after the other only one is named, and which may differ.
            let named =
                |one: &(Rule, String, String)| found.iter().any(|other| other.1 == one.1 || other.2 == one.2);
            let more: Vec<_> = pairs(&single).into_iter().filter(|one| !named(one)).collect();
            if value <= most || symbols.all {
                assert!(more.is_empty(), "at {value}: {more:?}\n{}", text());
            } else if !more.is_empty() {
                // Only there, and it was not claimed that there is nothing.
                late += 1;
                break;
            }
        }
        if !symbols.all || !found.is_empty() {
            return [u64::from(symbols.all), clean, late, loosened];
        }
        clean += 1;
        let best: Vec<i64> = report
            .waits
            .iter()
            .map(|wait| match wait.verdict {
                Verdict::Redundant | Verdict::Unreached => ANY,
                _ => wait.best.unwrap_or(ANY),
            })
            .collect();
        let mut loose = function.clone();
        set_counts(&mut loose.body, &mut best.iter().copied());
        loosened += 1;
        for value in [3, most, most + 1, most + 2, most + 7, 62, 2 * most + 20] {
            let single = check_exhaustively(&with_value(&loose, value));
            assert!(pairs(&single).is_empty(), "best {best:?}, at {value}: {:?}\n{}", pairs(&single), text());
        }
        [1, clean, late, loosened]
    };
    let sum = |a: [u64; 4], b: [u64; 4]| std::array::from_fn(|i| a[i] + b[i]);
    let [proven, clean, late, loosened] =
        (first..first + cases).into_par_iter().map(of_seed).reduce(Default::default, sum);
    println!(
        "{proven} of {cases} proven, {clean} clean; {late} with conflicts of large values only; {loosened} loosened"
    );
    assert!(cases < 500 || (proven > cases / 4 && clean > cases / 20 && late > cases / 100));
}
