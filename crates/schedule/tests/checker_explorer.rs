//! The checker against an explorer of all completion orders, on small random programs.
//!
//! The explorer shares nothing with the checker: it runs a program to a trace for each outcome of its conditions, then
//! visits every state (position in the trace, operations that have taken effect) and notes each pair of conflicting
//! accesses that some order reverses. The checker must find a defect exactly where there is such a pair, name only
//! pairs that exist, and its best counts must be sufficient together and not one larger.

use std::collections::{BTreeSet, HashSet};

use wavemark_schedule::checker::{Report, Verdict, check};
use wavemark_tile::{
    BinaryOp, Buffer, BufferId, Dtype, Expr, For, ForKind, Function, Param, Stmt, Store, VarId,
};

/// An element of a buffer: `(coefficient * i + offset) % 3`, of the innermost loop's variable.
#[derive(Clone, Copy, Debug)]
struct Access {
    buffer: u32,
    coefficient: i64,
    offset: i64,
}

/// `store = load + 1`.
#[derive(Clone, Copy, Debug)]
struct Action {
    id: usize,
    store: Access,
    load: Access,
}

#[derive(Clone, Debug)]
enum Item {
    Loop(i64, Vec<Item>),
    Maybe(Vec<Item>),
    Commit(i64, Vec<Item>),
    Wait(usize, i64, i64, Vec<Item>),
    Async(Action),
    Sync(Action),
}

/// xorshift64*.
struct Random(u64);

impl Random {
    fn next(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % below
    }
}

#[derive(Default)]
struct Sizes {
    actions: usize,
    waits: usize,
    maybes: usize,
}

fn random_access(random: &mut Random) -> Access {
    Access {
        buffer: random.next(3) as u32,
        coefficient: random.next(2) as i64,
        offset: random.next(3) as i64,
    }
}

/// Often from the input, which nothing overwrites, or to the output, which nothing else touches.
fn random_action(random: &mut Random, sizes: &mut Sizes, asynchronous: bool) -> Action {
    sizes.actions += 1;
    let mut store = random_access(random);
    let mut load = random_access(random);
    match asynchronous {
        true if random.next(3) != 0 => load.buffer = 3,
        false if random.next(3) != 0 => store.buffer = 5,
        _ => {}
    }
    Action { id: sizes.actions - 1, store, load }
}

fn random_items(random: &mut Random, sizes: &mut Sizes, depth: usize, count: u64) -> Vec<Item> {
    let mut items = Vec::new();
    for _ in 0..1 + random.next(count) {
        let item = match random.next(12) {
            0..=2 if depth < 2 => {
                Item::Loop(1 + random.next(4) as i64, random_items(random, sizes, depth + 1, 4))
            }
            3 if sizes.maybes < 1 && depth < 2 => {
                sizes.maybes += 1;
                Item::Maybe(random_items(random, sizes, 2, 2))
            }
            4 | 5 => {
                sizes.waits += 1;
                let site = sizes.waits - 1;
                let (queue, count) = (random.next(2) as i64, random.next(4) as i64);
                Item::Wait(site, queue, count, vec![Item::Sync(random_action(random, sizes, false))])
            }
            6 => Item::Sync(random_action(random, sizes, false)),
            _ => {
                let members = 1 + random.next(4) / 3;
                let queue = random.next(2) as i64;
                let members = (0..members).map(|_| Item::Async(random_action(random, sizes, true))).collect();
                Item::Commit(queue, members)
            }
        };
        items.push(item);
    }
    items
}

/// A loop as the pass makes it: producers some iterations ahead of consumers, in rings of 3; most are right.
fn random_pipeline(random: &mut Random, sizes: &mut Sizes) -> Vec<Item> {
    let ahead = random.next(3) as i64;
    let producers = 1 + random.next(2) as u32;
    let mut action = |store: (u32, i64), load: (u32, i64), coefficient| {
        sizes.actions += 1;
        let access = |(buffer, offset)| Access { buffer, coefficient, offset };
        Action { id: sizes.actions - 1, store: access(store), load: access(load) }
    };
    let mut items = Vec::new();
    let together = random.next(2) == 0;
    for at in 0..ahead {
        let mut group = Vec::new();
        for buffer in 0..producers {
            let member = Item::Async(action((buffer, at), (3, at), 0));
            match together {
                true => group.push(member),
                false => items.push(Item::Commit(0, vec![member])),
            }
        }
        if together {
            items.push(Item::Commit(0, group));
        }
    }
    let mut body = Vec::new();
    for buffer in 0..producers {
        body.push(Item::Commit(0, vec![Item::Async(action((buffer, ahead), (3, ahead), 1))]));
    }
    for buffer in 0..producers {
        let consumer = match random.next(4) {
            0 => Item::Commit(1, vec![Item::Async(action((2, 0), (buffer, 0), 1))]),
            _ => Item::Sync(action((5, 0), (buffer, 0), 1)),
        };
        let count = random.next(1 + (ahead as u64 + 1) * u64::from(producers)) as i64;
        sizes.waits += 1;
        let wait = Item::Wait(sizes.waits - 1, 0, count, vec![consumer]);
        let at = random.next(body.len() as u64 + 1) as usize;
        body.insert(at, wait);
    }
    if random.next(3) == 0 {
        sizes.waits += 1;
        let wait = Item::Wait(sizes.waits - 1, 1, random.next(3) as i64, vec![]);
        body.insert(0, wait);
    }
    // The sites count in the order of the text.
    let mut site = 0;
    for item in &mut body {
        if let Item::Wait(number, ..) = item {
            *number = site;
            site += 1;
        }
    }
    items.push(Item::Loop(2 + random.next(3) as i64, body));
    items
}

// ---- as a tile function

struct Builder {
    function: Function,
}

fn build(items: &[Item]) -> Function {
    let buffer = |name: &str| Buffer {
        name: name.into(),
        dtype: Dtype::FLOAT32,
        shape: vec![Expr::int(3)],
        strides: Vec::new(),
        elem_offset: None,
        offset_factor: 0,
        align: None,
        scope: "shared".into(),
        span: None,
    };
    let mut builder = Builder {
        function: Function {
            name: "main".into(),
            private: false,
            params: vec![Param::Buffer { buffer: BufferId(3), handle: None }],
            vars: Vec::new(),
            buffers: ["X", "Y", "Z", "A", "P", "C"].map(buffer).to_vec(),
            attributes: Default::default(),
            body: Stmt::nop(),
            span: None,
        },
    };
    let body = builder.items(items, None);
    builder.function.body = body;
    builder.function
}

impl Builder {
    fn items(&mut self, items: &[Item], var: Option<VarId>) -> Stmt {
        Stmt::seq(items.iter().map(|item| self.item(item, var)).collect())
    }

    fn item(&mut self, item: &Item, var: Option<VarId>) -> Stmt {
        match item {
            Item::Loop(extent, body) => {
                let var = self.function.add_var("i", Dtype::INT32);
                Stmt::For(Box::new(For {
                    var,
                    min: Expr::int(0),
                    extent: Expr::int(*extent),
                    step: None,
                    kind: ForKind::Serial,
                    annotations: Default::default(),
                    body: self.items(body, Some(var)),
                    span: None,
                }))
            }
            Item::Maybe(body) => Stmt::If {
                condition: Expr::binary(
                    BinaryOp::Lt,
                    Expr::Float(0.0, Dtype::FLOAT32),
                    Expr::load(
                        BufferId(4),
                        Dtype::FLOAT32,
                        // Another element in each iteration.
                        vec![var.map_or(Expr::int(0), |var| Expr::Var(var, Dtype::INT32))],
                    ),
                ),
                then: Box::new(self.items(body, var)),
                otherwise: None,
            },
            Item::Commit(queue, members) => {
                Stmt::attr("async_commit_queue_scope", Expr::int(*queue), self.items(members, var))
            }
            Item::Wait(_, queue, count, body) => Stmt::attr(
                "async_wait_queue_scope",
                Expr::int(*queue),
                Stmt::attr("async_wait_inflight_count", Expr::int(*count), self.items(body, var)),
            ),
            Item::Async(action) => Stmt::attr("async_scope", Expr::int(1), self.action(action, var)),
            Item::Sync(action) => self.action(action, var),
        }
    }

    fn action(&mut self, action: &Action, var: Option<VarId>) -> Stmt {
        let index = |access: &Access| match var {
            None => Expr::int(access.offset),
            Some(var) => Expr::binary(
                BinaryOp::FloorMod,
                Expr::binary(
                    BinaryOp::Add,
                    Expr::binary(BinaryOp::Mul, Expr::Var(var, Dtype::INT32), Expr::int(access.coefficient)),
                    Expr::int(access.offset),
                ),
                Expr::int(3),
            ),
        };
        // The block's name says which action it is.
        Stmt::Block(Box::new(wavemark_tile::Block {
            name: format!("s{}", action.id).into(),
            axes: Vec::new(),
            predicate: Expr::bool(true),
            reads: Vec::new(),
            writes: Vec::new(),
            alloc_buffers: Vec::new(),
            match_buffers: Vec::new(),
            annotations: Default::default(),
            init: None,
            body: Stmt::Store(Box::new(Store {
                buffer: BufferId(action.store.buffer),
                indices: [index(&action.store)].into_iter().collect(),
                value: Expr::binary(
                    BinaryOp::Add,
                    Expr::load(BufferId(action.load.buffer), Dtype::FLOAT32, vec![index(&action.load)]),
                    Expr::Float(1.0, Dtype::FLOAT32),
                ),
                span: None,
            })),
            span: None,
        }))
    }
}

// ---- the explorer

#[derive(Clone, Copy, Debug)]
struct Touch {
    id: usize,
    store: (u32, i64),
    load: (u32, i64),
}

impl Touch {
    fn conflicts(&self, other: &Touch) -> bool {
        self.store == other.store || self.store == other.load || self.load == other.store
    }
}

#[derive(Clone, Debug)]
enum Event {
    /// Index into the operations.
    Issue(usize),
    Commit(i64),
    Wait(i64, i64),
    Sync(Touch),
}

#[derive(Default)]
struct Trace {
    events: Vec<Event>,
    operations: Vec<(Touch, usize)>,
    /// Queue and operations.
    groups: Vec<(i64, Vec<usize>)>,
    choices: Vec<bool>,
    taken: usize,
}

impl Trace {
    fn items(&mut self, items: &[Item], i: i64) {
        for item in items {
            match item {
                Item::Loop(extent, body) => (0..*extent).for_each(|i| self.items(body, i)),
                Item::Maybe(body) => {
                    let choice = self.choices.get(self.taken).copied().unwrap_or(false);
                    self.taken += 1;
                    if choice {
                        self.items(body, i);
                    }
                }
                Item::Commit(queue, members) => {
                    self.groups.push((*queue, Vec::new()));
                    self.items(members, i);
                    self.events.push(Event::Commit(*queue));
                }
                Item::Wait(_, queue, count, body) => {
                    self.events.push(Event::Wait(*queue, *count));
                    self.items(body, i);
                }
                Item::Async(action) => {
                    let group = self.groups.len() - 1;
                    self.groups[group].1.push(self.operations.len());
                    self.events.push(Event::Issue(self.operations.len()));
                    self.operations.push((touch(action, i), group));
                }
                Item::Sync(action) => self.events.push(Event::Sync(touch(action, i))),
            }
        }
    }

    /// Pairs (earlier, later) of statements that some order reverses.
    fn reversed(&self, in_order: bool) -> BTreeSet<(usize, usize)> {
        let mut found = BTreeSet::new();
        let mut seen: HashSet<(usize, u64)> = HashSet::new();
        let mut work = vec![(0usize, 0u64)];
        while let Some((at, done)) = work.pop() {
            if !seen.insert((at, done)) {
                continue;
            }
            let issued = |operation: usize| {
                self.events[..at]
                    .iter()
                    .any(|event| matches!(event, Event::Issue(other) if *other == operation))
            };
            let pending = |operation: usize| issued(operation) && done & (1 << operation) == 0;
            // Any operation that its queue lets through may take effect now.
            for (operation, (touch, group)) in self.operations.iter().enumerate() {
                let queue = self.groups[*group].0;
                let blocked = in_order
                    && self.groups[..*group].iter().any(|(other, members)| {
                        *other == queue && members.iter().any(|&member| pending(member))
                    });
                if !pending(operation) || blocked {
                    continue;
                }
                for earlier in (0..operation).filter(|&earlier| pending(earlier)) {
                    let (other, other_group) = &self.operations[earlier];
                    // Two groups of one queue complete in order: so nothing is overwritten too early.
                    let ordered = other_group != group && self.groups[*other_group].0 == queue;
                    let conflict = match ordered {
                        true => other.store == touch.load,
                        false => other.conflicts(touch),
                    };
                    if conflict {
                        found.insert((other.id, touch.id));
                    }
                }
                work.push((at, done | 1 << operation));
            }
            match self.events.get(at) {
                None => {}
                Some(Event::Issue(_) | Event::Commit(_)) => work.push((at + 1, done)),
                Some(Event::Sync(touch)) => {
                    for (operation, (other, _)) in self.operations.iter().enumerate() {
                        if pending(operation) && other.conflicts(touch) {
                            found.insert((other.id, touch.id));
                        }
                    }
                    work.push((at + 1, done));
                }
                Some(Event::Wait(queue, count)) => {
                    let committed = self.events[..at]
                        .iter()
                        .filter(|event| matches!(event, Event::Commit(other) if other == queue))
                        .count();
                    let old = committed.saturating_sub(*count as usize);
                    let mut groups = self.groups.iter().filter(|group| group.0 == *queue).take(old);
                    if groups.all(|(_, members)| members.iter().all(|&member| !pending(member))) {
                        work.push((at + 1, done));
                    }
                }
            }
        }
        found
    }
}

fn touch(action: &Action, i: i64) -> Touch {
    let element = |access: &Access| (access.buffer, (access.coefficient * i + access.offset) % 3);
    Touch { id: action.id, store: element(&action.store), load: element(&action.load) }
}

/// Pairs that some order on some path reverses; `None` when there are too many operations to try.
fn explore(items: &[Item], in_order: bool) -> Option<BTreeSet<(usize, usize)>> {
    let mut found = BTreeSet::new();
    let mut first = Trace::default();
    first.items(items, 0);
    let most = first.taken;
    if most > 4 {
        return None;
    }
    for bits in 0..1u32 << most {
        let choices = (0..most).map(|bit| bits & (1 << bit) != 0).collect();
        let mut trace = Trace { choices, ..Trace::default() };
        trace.items(items, 0);
        if trace.operations.len() > 11 {
            return None;
        }
        found.extend(trace.reversed(in_order));
    }
    Some(found)
}

fn with_counts(items: &[Item], counts: &[i64]) -> Vec<Item> {
    let inner = |items: &[Item]| with_counts(items, counts);
    items
        .iter()
        .map(|item| match item {
            Item::Loop(extent, body) => Item::Loop(*extent, inner(body)),
            Item::Maybe(body) => Item::Maybe(inner(body)),
            Item::Commit(queue, body) => Item::Commit(*queue, inner(body)),
            Item::Wait(site, queue, _, body) => Item::Wait(*site, *queue, counts[*site], inner(body)),
            other => other.clone(),
        })
        .collect()
}

fn counts_of(items: &[Item], counts: &mut Vec<i64>) {
    for item in items {
        match item {
            Item::Loop(_, body) | Item::Maybe(body) | Item::Commit(_, body) => counts_of(body, counts),
            Item::Wait(_, _, count, body) => {
                counts.push(*count);
                counts_of(body, counts);
            }
            _ => {}
        }
    }
}

fn pairs(report: &Report, errors: bool) -> BTreeSet<(usize, usize)> {
    let id = |name: &str| name[1..].parse::<usize>().unwrap();
    report
        .findings
        .iter()
        .filter(|finding| finding.is_error() || !errors && finding.rule.is_error())
        .map(|finding| {
            let consumer = finding.consumer.as_ref().unwrap();
            (id(&finding.producer.place.block), id(&consumer.place.block))
        })
        .collect()
}

const ANY: i64 = 1000;

#[test]
fn random_programs_agree_with_all_completion_orders() {
    let seed = std::env::var("WAVEMARK_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0x5eed_u64);
    let wanted = std::env::var("WAVEMARK_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(2000);
    println!("seed {seed}, {wanted} programs");
    let (mut tried, mut clean, mut tightened, mut case) = (0, 0, 0, 0u64);
    while tried < wanted {
        case += 1;
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(case) | 1);
        let mut sizes = Sizes::default();
        let items = match case % 2 {
            0 => random_items(&mut random, &mut sizes, 0, 5),
            _ => random_pipeline(&mut random, &mut sizes),
        };
        // Groups of one queue take effect in order, or merely complete in order.
        let (Some(expected), Some(strict)) = (explore(&items, true), explore(&items, false)) else {
            continue;
        };
        tried += 1;
        let report = check(&build(&items));
        let context = || {
            let waits: Vec<_> =
                report.waits.iter().map(|wait| (wait.counts, wait.best, wait.verdict)).collect();
            format!(
                "seed {seed}, case {case}: {items:?}\nfindings {:?}\nwaits {waits:?}",
                pairs(&report, false)
            )
        };
        assert!(report.not_proven.is_empty(), "not proven: {}", context());
        for (expected, errors) in [(&expected, true), (&strict, false)] {
            let found = pairs(&report, errors);
            assert_eq!(found.is_empty(), expected.is_empty(), "expected {expected:?}: {}", context());
            assert!(found.is_subset(expected), "found {found:?}, expected {expected:?}: {}", context());
        }
        if !strict.is_empty() {
            continue;
        }
        clean += 1;
        // The best counts together are sufficient …
        let mut counts = Vec::new();
        counts_of(&items, &mut counts);
        let best: Vec<i64> = report
            .waits
            .iter()
            .map(|wait| match wait.verdict {
                Verdict::Redundant | Verdict::Unreached => ANY,
                _ => wait.best.unwrap_or(ANY),
            })
            .collect();
        let loosened = explore(&with_counts(&items, &best), false).unwrap();
        assert!(loosened.is_empty(), "best {best:?} not sufficient, {loosened:?}: {}", context());
        // … and no one of them can be larger.
        if sizes.maybes == 0 {
            for (site, &count) in best.iter().enumerate().filter(|(_, count)| **count != ANY) {
                tightened += 1;
                let mut larger = best.clone();
                larger[site] = count + 1;
                let broken = explore(&with_counts(&items, &larger), false).unwrap();
                assert!(!broken.is_empty(), "wait {site} could be {}: {}", count + 1, context());
            }
        }
    }
    println!("{clean} of {tried} clean, {tightened} waits exact");
    assert!(
        clean > wanted / 20 && tightened > wanted / 20,
        "the generator makes too few clean programs: {clean}"
    );
}
