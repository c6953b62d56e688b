//! Random pipelines: loops whose body is a few statements over private and shared buffers, with stages, orders,
//! asynchronous stages, predicates, steps, known and unknown extents, and inner pipelines.
//!
//! Every private element is written before it is read in its iteration, so that the source has one meaning. Nothing
//! else is promised: many schedules are wrong and must be refused.

use std::collections::BTreeMap;

use oorandom::Rand64;
use wavemark_tile::{
    Annotation, Block, Buffer, BufferId, Dialect, Dtype, Expr, For, ForKind, Function, Module, Param, Range,
    Region, Stmt, Store, VarId, fold,
};

/// Elements of every parameter buffer: beyond the largest index that a pipeline uses.
pub const ELEMENTS: i64 = 160;

/// A pipeline and how it is called.
pub struct Case {
    /// The program.
    pub module: Module,
    /// The extent of the loop, also where the program has it as a parameter.
    pub extent: i64,
    /// The last parameter is the extent.
    pub dynamic: bool,
}

/// Iterations of an inner pipeline.
const INNER: i64 = 3;

struct Generator {
    random: Rand64,
    function: Function,
}

/// What a statement may read: private buffers written before it, with their width.
#[derive(Clone)]
struct Readable {
    buffer: BufferId,
    width: i64,
    stage: i64,
    position: usize,
}

/// The pipeline of this seed.
pub fn generate(seed: u64) -> Case {
    let function = Function {
        name: "main".into(),
        private: false,
        params: Vec::new(),
        vars: Vec::new(),
        buffers: Vec::new(),
        attributes: BTreeMap::new(),
        body: Stmt::nop(),
        span: None,
    };
    let mut generator = Generator { random: Rand64::new(u128::from(seed)), function };
    let (extent, dynamic) = generator.program();
    let module = Module {
        name: "Module".into(),
        dialect: Dialect::New,
        attributes: BTreeMap::new(),
        functions: vec![generator.function],
    };
    Case { module, extent, dynamic }
}

impl Generator {
    fn below(&mut self, bound: i64) -> i64 {
        self.random.rand_range(0..bound.max(1) as u64) as i64
    }

    /// True in `percent` of all cases.
    fn chance(&mut self, percent: i64) -> bool {
        self.below(100) < percent
    }

    fn buffer(&mut self, name: &str, length: i64, scope: &str) -> BufferId {
        self.function.add_buffer(Buffer {
            name: name.into(),
            dtype: Dtype::INT32,
            shape: vec![Expr::int(length)],
            strides: Vec::new(),
            elem_offset: None,
            offset_factor: 0,
            align: None,
            scope: scope.into(),
            span: None,
        })
    }

    fn param(&mut self, name: &str) -> BufferId {
        let buffer = self.buffer(name, ELEMENTS, "global");
        self.function.params.push(Param::Buffer { buffer, handle: None });
        buffer
    }

    fn program(&mut self) -> (i64, bool) {
        let inputs = [self.param("A"), self.param("B")];
        let outputs = [self.param("C"), self.param("D"), self.param("E")];
        let dynamic = self.chance(15);
        let extent = self.below(41);
        let bound = if dynamic {
            let var = self.function.add_var("n", Dtype::INT32);
            self.function.params.push(Param::Scalar(var));
            Expr::Var(var, Dtype::INT32)
        } else {
            Expr::int(extent)
        };
        let step = if !dynamic && self.chance(10) { Some(2 + self.below(2)) } else { None };
        let min = if self.chance(70) { 0 } else { self.below(25) };
        let mut body = vec![self.pipeline(min, bound, step, &inputs, &outputs, 0)];
        if self.chance(25) {
            // Somebody uses a result after the loop.
            body.push(self.copy_all(outputs[0], outputs[2]));
        }
        let root = self.block("root", Vec::new(), Stmt::seq(body));
        self.function.body = Stmt::Block(Box::new(root));
        (extent, dynamic)
    }

    fn pipeline(
        &mut self,
        min: i64,
        extent: Expr,
        step: Option<i64>,
        inputs: &[BufferId],
        outputs: &[BufferId],
        depth: usize,
    ) -> Stmt {
        let var = self.function.add_var("i", Dtype::INT32);
        let i = Expr::Var(var, Dtype::INT32);
        let count = 2 + self.below(4) as usize;
        let stages_used = 1 + self.below(4);
        let orders = self.permutation(count);
        // An inner pipeline is three statements of the outer one: its sections.
        let nested: Vec<bool> =
            (0..count).map(|index| depth == 0 && index + 1 < count && self.chance(12)).collect();
        let mut allocs = Vec::new();
        let mut readable: Vec<Readable> = Vec::new();
        let mut statements = Vec::new();
        let mut stages = Vec::new();
        for index in 0..count {
            let sources: Vec<Readable> =
                readable.iter().filter(|_| self.random.rand_u64() % 5 < 2).cloned().collect();
            let lawful = sources
                .iter()
                .map(|source| source.stage + i64::from(orders[index] < source.position))
                .max()
                .unwrap_or(0);
            // Mostly a stage that the rules allow.
            let stage =
                if self.chance(93) { lawful + self.below(stages_used) } else { self.below(stages_used + 1) };
            let stage = stage.min(5);
            stages.extend(vec![stage; if nested[index] { 3 } else { 1 }]);
            if nested[index] {
                let (buffer, statement) = self.inner_pipeline(index, &i, &sources, inputs);
                allocs.push(buffer);
                statements.push(statement);
                readable.push(Readable { buffer, width: INNER, stage, position: orders[index] });
                continue;
            }
            let last = index + 1 == count;
            let target = if last || self.chance(25) {
                None
            } else if self.chance(12) && !readable.is_empty() {
                let again = self.below(readable.len() as i64) as usize;
                Some((readable[again].buffer, readable[again].width))
            } else {
                let width = 1 + self.below(3);
                let scope = ["shared", "local", "global"][self.below(3) as usize];
                let buffer = self.buffer(&format!("X{index}"), width, scope);
                allocs.push(buffer);
                Some((buffer, width))
            };
            let input = inputs[self.below(inputs.len() as i64) as usize];
            let output = outputs[self.below(2) as usize];
            statements.push(self.statement(index, &i, target, &sources, input, output));
            if let Some((buffer, width)) = target {
                readable.push(Readable { buffer, width, stage, position: orders[index] });
            }
        }
        let mut asynchronous: Vec<i64> = Vec::new();
        for stage in 0..6 {
            if stages.contains(&stage) && self.chance(45) {
                asynchronous.push(stage);
            }
        }
        let mut places = vec![0; count];
        let mut next = 0;
        for unit in (0..count).map(|order| orders.iter().position(|&of| of == order).unwrap_or(0)) {
            places[unit] = next;
            next += if nested[unit] { 3 } else { 1 };
        }
        let orders = (0..count).flat_map(|unit| {
            let entries = if nested[unit] { 3 } else { 1 };
            (0..entries).map(move |entry| (unit, entry))
        });
        let orders: Vec<i64> = orders.map(|(unit, entry)| places[unit] + entry).collect();
        let mut annotations = BTreeMap::from([
            ("software_pipeline_stage".to_owned(), ints(stages)),
            ("software_pipeline_order".to_owned(), ints(orders)),
        ]);
        if !asynchronous.is_empty() {
            annotations.insert("software_pipeline_async_stages".to_owned(), ints(asynchronous));
        }
        let mut block = self.block("body", allocs, Stmt::Seq(statements));
        if self.chance(8) {
            block.predicate = fold::lt(i, Expr::int(min + self.below(30)));
        }
        Stmt::For(Box::new(For {
            var,
            min: Expr::int(min),
            extent,
            step: step.map(Expr::int),
            kind: ForKind::Serial,
            annotations,
            body: Stmt::Block(Box::new(block)),
            span: None,
        }))
    }

    /// A pipelined loop that fills a new buffer by way of another.
    fn inner_pipeline(
        &mut self,
        index: usize,
        i: &Expr,
        sources: &[Readable],
        inputs: &[BufferId],
    ) -> (BufferId, Stmt) {
        let filled = self.buffer(&format!("X{index}"), INNER, "shared");
        let passing = self.buffer(&format!("Y{index}"), 1, "local");
        let var = self.function.add_var("k", Dtype::INT32);
        let k = Expr::Var(var, Dtype::INT32);
        let mix = fold::add(fold::mul(i.clone(), Expr::int(2)), k.clone());
        let produce = self.statement(index, &mix, Some((passing, 1)), sources, inputs[0], inputs[0]);
        let element = Expr::load(passing, Dtype::INT32, vec![Expr::int(0)]);
        let value = fold::add(element, k.clone());
        let (reads, writes) = (vec![region(passing, Expr::int(0), 1)], vec![region(filled, k.clone(), 1)]);
        let consume = self.statement_block(index, reads, writes, store(filled, k, value));
        let last = self.below(3);
        let mut annotations = BTreeMap::from([
            ("software_pipeline_stage".to_owned(), ints(vec![0, last])),
            (
                "software_pipeline_order".to_owned(),
                ints(if last > 0 && self.chance(40) { vec![1, 0] } else { vec![0, 1] }),
            ),
        ]);
        if self.chance(40) {
            annotations.insert("software_pipeline_async_stages".to_owned(), ints(vec![0]));
        }
        let block = self.block("inner", vec![passing], Stmt::Seq(vec![produce, consume]));
        let node = For {
            var,
            min: Expr::int(0),
            extent: Expr::int(INNER),
            step: None,
            kind: ForKind::Serial,
            annotations,
            body: Stmt::Block(Box::new(block)),
            span: None,
        };
        (filled, Stmt::For(Box::new(node)))
    }

    fn permutation(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        if self.chance(50) {
            for index in (1..count).rev() {
                order.swap(index, self.below(index as i64 + 1) as usize);
            }
        }
        order
    }

    /// Writes all of `target`, or element `i` of `output`, from `sources` and element `i` of `input`.
    fn statement(
        &mut self,
        index: usize,
        i: &Expr,
        target: Option<(BufferId, i64)>,
        sources: &[Readable],
        input: BufferId,
        output: BufferId,
    ) -> Stmt {
        let j = self.function.add_var("j", Dtype::INT32);
        let lane = Expr::Var(j, Dtype::INT32);
        let factor = Expr::int(3 + 2 * index as i64);
        let mut value = fold::add(fold::mul(i.clone(), factor), Expr::int(index as i64 + 1));
        let mut reads = Vec::new();
        for source in sources {
            let at = fold::floor_mod(lane.clone(), Expr::int(source.width));
            let element = Expr::load(source.buffer, Dtype::INT32, vec![at]);
            value = fold::add(fold::mul(value, Expr::int(5)), element);
            reads.push(region(source.buffer, Expr::int(0), source.width));
        }
        if sources.is_empty() || self.chance(40) {
            let element = Expr::load(input, Dtype::INT32, vec![fold::add(i.clone(), lane.clone())]);
            value = fold::add(value, element);
            reads.push(region(input, i.clone(), target.map_or(1, |target| target.1)));
        }
        let (buffer, mut at, width) = match target {
            Some((buffer, width)) => (buffer, lane.clone(), width),
            None => (output, fold::add(i.clone(), lane.clone()), 1),
        };
        let mut writes = vec![region(buffer, if target.is_some() { Expr::int(0) } else { i.clone() }, width)];
        if target.is_none() && self.chance(25) {
            // From one iteration to the next, or to one further on.
            let back = self.below(3);
            let from = fold::add(fold::sub(i.clone(), Expr::int(back)), Expr::int(2));
            value = fold::add(value, Expr::load(output, Dtype::INT32, vec![from.clone()]));
            reads.push(region(output, from, 1));
        }
        if target.is_none() && self.chance(10) {
            // Always the same element: iterations must stay in order.
            at = Expr::int(7);
            writes = vec![region(buffer, at.clone(), 1)];
        }
        let store = store(buffer, at, value);
        let store = match self.below(10) {
            0 => {
                let condition = fold::lt(i.clone(), Expr::int(self.below(30)));
                let other = target.map(|(buffer, _)| Box::new(self::store(buffer, lane, Expr::int(-1))));
                Stmt::If { condition, then: Box::new(store), otherwise: other }
            }
            _ => store,
        };
        let looped = Stmt::For(Box::new(For {
            var: j,
            min: Expr::int(0),
            extent: Expr::int(width),
            step: None,
            kind: ForKind::Serial,
            annotations: BTreeMap::new(),
            body: store,
            span: None,
        }));
        self.statement_block(index, reads, writes, looped)
    }

    fn statement_block(&mut self, index: usize, reads: Vec<Region>, writes: Vec<Region>, body: Stmt) -> Stmt {
        let mut block = self.block(&format!("s{index}"), Vec::new(), body);
        (block.reads, block.writes) = (reads, writes);
        Stmt::Block(Box::new(block))
    }

    fn block(&mut self, name: &str, alloc_buffers: Vec<BufferId>, body: Stmt) -> Block {
        Block { alloc_buffers, ..Block::opaque(name, body) }
    }

    fn copy_all(&mut self, from: BufferId, to: BufferId) -> Stmt {
        let var: VarId = self.function.add_var("k", Dtype::INT32);
        let k = Expr::Var(var, Dtype::INT32);
        let value = fold::add(Expr::load(from, Dtype::INT32, vec![k.clone()]), Expr::int(1));
        Stmt::For(Box::new(For {
            var,
            min: Expr::int(0),
            extent: Expr::int(ELEMENTS),
            step: None,
            kind: ForKind::Serial,
            annotations: BTreeMap::new(),
            body: store(to, k, value),
            span: None,
        }))
    }
}

fn ints(values: Vec<i64>) -> Annotation {
    Annotation::List(values.into_iter().map(Annotation::Int).collect())
}

fn region(buffer: BufferId, min: Expr, extent: i64) -> Region {
    Region { buffer, ranges: [Range { min, extent: Expr::int(extent) }].into_iter().collect() }
}

fn store(buffer: BufferId, index: Expr, value: Expr) -> Stmt {
    Stmt::Store(Box::new(Store { buffer, indices: [index].into_iter().collect(), value, span: None }))
}
