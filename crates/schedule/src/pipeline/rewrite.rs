//! A copy of a statement for one section: the loop variable replaced by the source iteration that the section
//! executes, private buffers by the version of that iteration, and everything that the statement declares renamed,
//! so that the copies share no variable.

use std::hash::Hash;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use wavemark_diag::{Diagnostic, Span};
use wavemark_tile::{
    BinaryOp, Block, BufferId, Call, Expr, Function, Indices, Range, Region, Stmt, VarId, fold,
};

use super::annotations::at;
use super::pointers::{self, Start};

/// A private buffer and its replacement.
#[derive(Clone, Debug)]
pub struct Versioned {
    /// The buffer with a leading dimension of versions.
    pub buffer: BufferId,
    /// How many.
    pub versions: i64,
    /// Elements from one version to the next.
    pub stride: Expr,
    /// Elements of one of its matrix fragments, where it is made of such and their size is known.
    pub fragment: Option<i64>,
}

/// What stands for what in a copy. Kept from copy to copy for its memory alone.
#[derive(Default)]
pub struct Renaming {
    vars: Names<VarId, Expr>,
    buffers: Names<BufferId, BufferId>,
    /// The versions that are meant, by how many there are: one expression for all accesses.
    versions: SmallVec<[(i64, Expr); 2]>,
}

impl Renaming {
    fn clear(&mut self) {
        self.vars.clear();
        self.buffers.clear();
        self.versions.clear();
    }
}

/// New names by old ones: the first of them are looked through, as most statements have no more; for the others there
/// is a table.
struct Names<K, V> {
    first: SmallVec<[(K, V); FIRST]>,
    others: FxHashMap<K, V>,
}

const FIRST: usize = 8;

impl<K, V> Default for Names<K, V> {
    fn default() -> Names<K, V> {
        Names { first: SmallVec::new(), others: FxHashMap::default() }
    }
}

impl<K: Copy + Eq + Hash, V> Names<K, V> {
    fn get(&self, name: K) -> Option<&V> {
        let first = self.first.iter().find(|known| known.0 == name).map(|known| &known.1);
        if first.is_some() || self.others.is_empty() { first } else { self.others.get(&name) }
    }

    /// `name` has none yet.
    fn insert(&mut self, name: K, new: V) {
        if self.first.len() < FIRST {
            self.first.push((name, new));
        } else {
            self.others.insert(name, new);
        }
    }

    fn clear(&mut self) {
        self.first.clear();
        // A table is cleared in the time of its capacity, which may be that of one much larger statement.
        if self.others.capacity() > 64 {
            self.others = FxHashMap::default();
        }
        self.others.clear();
    }
}

/// What a copy is made with.
pub struct Rewriter<'a> {
    /// The function, which gets the new variables and buffers.
    pub function: &'a mut Function,
    /// Private buffers of more than one version.
    pub versioned: &'a FxHashMap<BufferId, Versioned>,
    /// The version that is meant: the source iteration, counted from 0, modulo the number of versions.
    pub iteration: Expr,
    /// Regions name all versions, not the one.
    pub whole_ring: bool,
    /// What the statement declares keeps its name: the copy is the statement itself.
    pub last: bool,
    renaming: &'a mut Renaming,
    /// Where the statement was written.
    span: Option<Span>,
    refused: Option<Diagnostic>,
}

impl<'a> Rewriter<'a> {
    /// A copy in which `var` is `value`; `iteration` is `var` less the first iteration, with `var` replaced.
    pub fn new(
        function: &'a mut Function,
        versioned: &'a FxHashMap<BufferId, Versioned>,
        (var, value): (VarId, Expr),
        iteration: Expr,
        whole_ring: bool,
        last: bool,
        renaming: &'a mut Renaming,
    ) -> Rewriter<'a> {
        renaming.clear();
        renaming.vars.insert(var, value);
        Rewriter { function, versioned, iteration, whole_ring, last, renaming, span: None, refused: None }
    }

    /// Makes the copy of what is one so far in name only.
    pub fn rewrite(mut self, block: &mut Block) -> Result<(), Diagnostic> {
        self.span = block.span;
        self.block(block);
        self.refused.map_or(Ok(()), Err)
    }

    fn version(&mut self, versioned: &Versioned) -> Expr {
        let known = &mut self.renaming.versions;
        if let Some((_, version)) = known.iter().find(|known| known.0 == versioned.versions) {
            return version.clone();
        }
        let count = Expr::Int(versioned.versions, self.iteration.dtype());
        let version = Expr::binary(BinaryOp::FloorMod, self.iteration.clone(), count);
        known.push((versioned.versions, version.clone()));
        version
    }

    fn rename(&mut self, var: &mut VarId) {
        if !self.last {
            let new = self.function.copy_var(*var);
            self.renaming.vars.insert(*var, self.function.var_expr(new));
            *var = new;
        }
    }

    fn redeclare(&mut self, buffer: &mut BufferId) {
        let mut copy = self.function.buffer(*buffer).clone();
        for expr in copy.shape.iter_mut().chain(&mut copy.strides).chain(&mut copy.elem_offset) {
            self.set(expr);
        }
        if self.last {
            self.function.buffers[buffer.0 as usize] = copy;
        } else {
            let new = self.function.add_buffer(copy);
            self.renaming.buffers.insert(*buffer, new);
            *buffer = new;
        }
    }

    fn set(&mut self, place: &mut Expr) {
        if let Some(new) = self.expr(place) {
            *place = new;
        }
    }

    /// What stands for the expression; `None`: itself.
    #[inline]
    fn expr(&mut self, expr: &Expr) -> Option<Expr> {
        match expr {
            Expr::Int(..) | Expr::Float(..) | Expr::Str(_) => None,
            _ => self.node(expr),
        }
    }

    fn node(&mut self, expr: &Expr) -> Option<Expr> {
        match expr {
            Expr::Int(..) | Expr::Float(..) | Expr::Str(_) => None,
            Expr::Var(var, _) => self.renaming.vars.get(*var).cloned(),
            Expr::Load(load) => {
                let (version, buffer) = self.place(load.buffer);
                let indices = self.list(version, &load.indices);
                if indices.is_none() && buffer == load.buffer {
                    return None;
                }
                Some(Expr::load(buffer, load.dtype, indices.unwrap_or_else(|| load.indices.clone())))
            }
            Expr::Data(buffer) => match self.versioned.get(buffer) {
                Some(versioned) => Some(self.first_element(versioned)),
                None => self.renaming.buffers.get(*buffer).copied().map(Expr::Data),
            },
            Expr::Call(call) => self.call(call),
            Expr::Binary(op, sides) => match (self.expr(&sides[0]), self.expr(&sides[1])) {
                (None, None) => None,
                (left, right) => {
                    let or = |new: Option<Expr>, old: &Expr| new.unwrap_or_else(|| old.clone());
                    Some(Expr::binary(*op, or(left, &sides[0]), or(right, &sides[1])))
                }
            },
            Expr::Not(_) | Expr::Cast(..) | Expr::Select(_) => {
                let mut changed = false;
                let new = expr.map_children(&mut |child| {
                    let new = self.expr(child);
                    changed |= new.is_some();
                    new.unwrap_or_else(|| child.clone())
                });
                changed.then_some(new)
            }
        }
    }

    /// The version that is meant and the buffer with all of them, or the buffer that the copy declares.
    fn place(&mut self, buffer: BufferId) -> (Option<Expr>, BufferId) {
        match self.versioned.get(&buffer) {
            Some(versioned) => (Some(self.version(versioned)), versioned.buffer),
            None => (None, self.renaming.buffers.get(buffer).copied().unwrap_or(buffer)),
        }
    }

    /// What stands for the expressions, after `first`; `None`: themselves.
    fn list(&mut self, first: Option<Expr>, list: &[Expr]) -> Option<Indices> {
        let mut new = first.map(|first| Indices::from_iter([first]));
        for (index, old) in list.iter().enumerate() {
            match (self.expr(old), &mut new) {
                (None, None) => {}
                (changed, Some(new)) => new.push(changed.unwrap_or_else(|| old.clone())),
                (Some(changed), none) => {
                    let new = none.insert(Indices::new());
                    new.extend(list[..index].iter().cloned());
                    new.push(changed);
                }
            }
        }
        new
    }

    /// A call; pointers of versioned buffers become those of the version that is meant.
    fn call(&mut self, call: &Call) -> Option<Expr> {
        let pointer = |arg: &Expr| matches!(arg, Expr::Data(buffer) if self.versioned.contains_key(buffer));
        let args = match call.args.iter().any(pointer) {
            true => self.pointers(call),
            false => self.list(None, &call.args)?.into_vec(),
        };
        Some(Expr::Call(Arc::new(Call { op: call.op.clone(), dtype: call.dtype, args })))
    }

    /// The arguments of a call that is given the pointer of a versioned buffer.
    fn pointers(&mut self, call: &Call) -> Vec<Expr> {
        let mut args: Vec<Expr> = Vec::with_capacity(call.args.len());
        let mut starts: SmallVec<[(usize, Expr); 2]> = SmallVec::new();
        for (index, arg) in call.args.iter().enumerate() {
            let start = pointers::start(call, index);
            let versioned = match arg {
                Expr::Data(buffer) if start != Start::Pointer => {
                    self.versioned.get(buffer).map(|new| (*buffer, new))
                }
                _ => None,
            };
            let Some((buffer, versioned)) = versioned else {
                args.push(self.expr(arg).unwrap_or_else(|| arg.clone()));
                continue;
            };
            args.push(Expr::Data(versioned.buffer));
            match start {
                Start::Offset(place) => {
                    let stride = match versioned.stride.as_int() {
                        Some(stride) => {
                            let stride = pointers::per_thread(&self.function.buffer(buffer).scope, stride);
                            Expr::Int(stride, versioned.stride.dtype())
                        }
                        None => versioned.stride.clone(),
                    };
                    starts.push((place, Expr::binary(BinaryOp::Mul, self.version(versioned), stride)));
                }
                Start::Fragment(place) => match versioned.fragment.zip(versioned.stride.as_int()) {
                    Some((elements, stride)) => {
                        let fragments = Expr::Int(stride / elements, self.iteration.dtype());
                        starts.push((place, Expr::binary(BinaryOp::Mul, self.version(versioned), fragments)));
                    }
                    None => self.refuse_fragments(buffer, &call.op),
                },
                Start::Pointer => {}
            }
        }
        for (place, start) in starts {
            args[place] = fold::add(args[place].clone(), start);
        }
        args
    }

    fn refuse_fragments(&mut self, buffer: BufferId, op: &str) {
        let name = &self.function.buffer(buffer).name;
        self.refused.get_or_insert_with(|| {
            at(self.span, format!("unsupported: `T.{op}` of `{name}`, which has several versions, and whose fragments have no known size"))
                .help("a `T.tvm_load_matrix_sync` or `T.tvm_fill_fragment` of it in the loop says the size; or allocate it outside of the loop")
        });
    }

    /// The address of the first element of the version that is meant.
    fn first_element(&mut self, versioned: &Versioned) -> Expr {
        let buffer = self.function.buffer(versioned.buffer);
        let (dtype, rank) = (buffer.dtype, buffer.shape.len());
        let mut indices = Indices::from_iter([self.version(versioned)]);
        indices.resize(rank, Expr::Int(0, self.iteration.dtype()));
        pointers::address_of(Expr::load(versioned.buffer, dtype, indices))
    }

    fn region(&mut self, region: &mut Region) {
        region.ranges.iter_mut().for_each(|range| self.range(range));
        region.buffer = match self.versioned.get(&region.buffer) {
            Some(versioned) => {
                let version = match self.whole_ring {
                    true => Range { min: Expr::int(0), extent: Expr::int(versioned.versions) },
                    false => Range { min: self.version(versioned), extent: Expr::int(1) },
                };
                region.ranges.insert(0, version);
                versioned.buffer
            }
            None => self.renaming.buffers.get(region.buffer).copied().unwrap_or(region.buffer),
        };
    }

    fn range(&mut self, range: &mut Range) {
        self.set(&mut range.min);
        self.set(&mut range.extent);
    }

    fn block(&mut self, block: &mut Block) {
        // Bindings, domains and the predicate are outside of the axes' scope; the rest is inside.
        for axis in &mut block.axes {
            self.set(&mut axis.value);
            self.range(&mut axis.domain);
        }
        self.set(&mut block.predicate);
        block.axes.iter_mut().for_each(|axis| self.rename(&mut axis.var));
        for view in &mut block.match_buffers {
            self.region(&mut view.source);
            self.redeclare(&mut view.buffer);
        }
        block.alloc_buffers.iter_mut().for_each(|buffer| self.redeclare(buffer));
        block.reads.iter_mut().chain(&mut block.writes).for_each(|region| self.region(region));
        block.init.iter_mut().chain([&mut block.body]).for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &mut Stmt) {
        match stmt {
            Stmt::Seq(list) => list.iter_mut().for_each(|stmt| self.stmt(stmt)),
            Stmt::For(node) => {
                self.set(&mut node.min);
                self.set(&mut node.extent);
                node.step.iter_mut().for_each(|step| self.set(step));
                self.rename(&mut node.var);
                self.stmt(&mut node.body);
            }
            Stmt::Block(block) => self.block(block),
            Stmt::Store(store) => {
                store.indices.iter_mut().for_each(|index| self.set(index));
                let (version, buffer) = self.place(store.buffer);
                if let Some(version) = version {
                    store.indices.insert(0, version);
                }
                self.set(&mut store.value);
                store.buffer = buffer;
            }
            Stmt::If { condition, then, otherwise } => {
                self.set(condition);
                self.stmt(then);
                otherwise.iter_mut().for_each(|stmt| self.stmt(stmt));
            }
            Stmt::Attr { value, body, .. } => {
                self.set(value);
                self.stmt(body);
            }
            Stmt::Let { var, value, body } => {
                self.set(value);
                self.rename(var);
                self.stmt(body);
            }
            Stmt::Evaluate(expr, _) => self.set(expr),
        }
    }
}
