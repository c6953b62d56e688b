//! Which boxes of which buffers a block may read and write.
//!
//! For: the pipelining pass, which puts blocks around statements ([`detect`]), and the front end, where a text leaves
//! `T.reads`/`T.writes` out ([`infer`]). Follows TVM 0.27's block access-region detector: buffers in the order of
//! their first access (a store's target before what its value reads), one box a buffer, the hull of all accesses;
//! loops inside the block run over their ranges, conditions inside narrow them; a block inside contributes the
//! regions it declares, its axes replaced by their bindings; views (`match_buffer`) count as what they show;
//! `tvm_access_ptr` touches the whole buffer as its mask says, `B.data` elsewhere reads and writes all of it.
//! Buffers the block allocates itself are left out, as nothing outside can touch them.
//!
//! Deviations: a condition narrows loops of constant ranges where each of its comparisons is on one loop variable
//! and constants. TVM solves systems of inequalities, which in a few cases narrows by conditions on several
//! variables too. A range that depends on what the block's own buffers
//! hold is the whole dimension; TVM writes such a range down as it is, where nothing defines those buffers.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::arith::Analyzer;
use crate::arith::interval::{Cover, Domains, SymbolicInterval};
use crate::dtype::Dtype;
use crate::expr::{BinaryOp, BufferId, Call, Expr, VarId};
use crate::fold;
use crate::function::Function;
use crate::stmt::{Block, For, MatchBuffer, Range, Ranges, Region, Stmt, Store};

/// What `block` reads and writes, in TVM's order and form. A buffer that is reached through its address
/// (`B.data`, or an access pointer for reading and writing) stands in both, last.
pub fn detect(function: &Function, block: &Block) -> (Vec<Region>, Vec<Region>) {
    let mut detector = Detector::of(function, block);
    let opaque = detector.collect(Access::Opaque, &[]);
    let through_address: Vec<BufferId> = opaque.iter().map(|region| region.buffer).collect();
    let mut writes = detector.collect(Access::Write, &through_address);
    let mut excluded = through_address;
    if block.init.is_some() {
        excluded.extend(writes.iter().map(|region| region.buffer));
    }
    let mut reads = detector.collect(Access::Read, &excluded);
    reads.extend(opaque.iter().cloned());
    writes.extend(opaque);
    (reads, writes)
}

/// The regions of a block whose text has no `T.reads` or no `T.writes`: the reads, the writes and the buffers that
/// are reached through their address, for which TVM wants the regions to be written down.
pub fn infer(function: &Function, block: &Block) -> (Vec<Region>, Vec<Region>, Vec<BufferId>) {
    let mut detector = Detector::of(function, block);
    let opaque = detector.collect(Access::Opaque, &[]);
    let writes = detector.collect(Access::Write, &[]);
    let excluded: Vec<BufferId> = match block.init {
        Some(_) => writes.iter().map(|region| region.buffer).collect(),
        None => Vec::new(),
    };
    let reads = detector.collect(Access::Read, &excluded);
    (reads, writes, opaque.iter().map(|region| region.buffer).collect())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    Read = 0,
    Write = 1,
    Opaque = 2,
}

struct Touched {
    buffer: BufferId,
    access: Access,
    /// Which sides of boxes are its own, one a dimension.
    sides: std::ops::Range<usize>,
}

/// What a box covers in one dimension.
enum Side {
    /// `first ..= last` of `int32`: as nearly all do.
    Constants(i64, i64),
    Interval(SymbolicInterval),
}

impl Side {
    fn interval(&self) -> SymbolicInterval {
        match self {
            &Side::Constants(first, last) => SymbolicInterval::of_constants((first, last)),
            Side::Interval(interval) => interval.clone(),
        }
    }

    /// Becomes the hull of both.
    fn extend(&mut self, other: &Side, analyzer: &mut Analyzer) {
        if let (Side::Constants(first, last), &Side::Constants(from, to)) = (&mut *self, other) {
            (*first, *last) = (from.min(*first), to.max(*last));
            return;
        }
        let mut hull = self.interval();
        hull.extend(&other.interval(), analyzer);
        *self = Side::Interval(hull);
    }
}

/// So many buffers are looked through; for more there is a table.
const FEW: usize = 12;

/// A list of buffers, to be asked for its members.
struct Members<'f> {
    list: &'f [BufferId],
    /// The same, where there are many.
    table: FxHashSet<BufferId>,
}

impl Members<'_> {
    fn of(list: &[BufferId]) -> Members<'_> {
        let many = if list.len() > FEW { list } else { &[] };
        Members { list, table: many.iter().copied().collect() }
    }

    fn contains(&self, buffer: BufferId) -> bool {
        if self.list.len() > FEW { self.table.contains(&buffer) } else { self.list.contains(&buffer) }
    }
}

struct Detector<'f> {
    function: &'f Function,
    block: &'f Block,
    /// Buffers that the block allocates.
    own: Members<'f>,
    /// Knows nothing: regions hold for all values of what is outside of the block.
    analyzer: Analyzer,
    domains: Domains,
    lets: FxHashMap<VarId, Expr>,
    touched: SmallVec<[Touched; FEW]>,
    /// The boxes of what is touched, one behind the other; at the end one that is being made.
    sides: SmallVec<[Side; 2 * FEW]>,
    /// Where a buffer stands in `touched`, from the one on that makes them many.
    places: FxHashMap<(BufferId, u8), usize>,
}

impl<'f> Detector<'f> {
    fn of(function: &'f Function, block: &'f Block) -> Detector<'f> {
        let mut detector = Detector {
            function,
            block,
            own: Members::of(&block.alloc_buffers),
            analyzer: Analyzer::new(),
            domains: Domains::default(),
            lets: FxHashMap::default(),
            touched: SmallVec::new(),
            sides: SmallVec::new(),
            places: FxHashMap::default(),
        };
        let sources = block.match_buffers.iter().map(|matched| &matched.source);
        for region in block.reads.iter().chain(&block.writes).chain(sources) {
            for range in &region.ranges {
                detector.expr(&range.min);
                detector.expr(&range.extent);
            }
        }
        if let Some(init) = &block.init {
            detector.stmt(init);
        }
        detector.stmt(&block.body);
        detector
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Seq(statements) => statements.iter().for_each(|stmt| self.stmt(stmt)),
            Stmt::For(node) => self.repeated(node),
            Stmt::Block(block) => self.block_inside(block),
            Stmt::Store(store) => self.store(store),
            Stmt::If { condition, then, otherwise } => {
                self.expr(condition);
                self.where_holds(condition, |detector| detector.stmt(then));
                if let Some(otherwise) = otherwise {
                    let refuted = fold::not(condition.clone());
                    self.where_holds(&refuted, |detector| detector.stmt(otherwise));
                }
            }
            Stmt::Attr { value, body, .. } => {
                self.expr(value);
                self.stmt(body);
            }
            Stmt::Let { var, value, body } => {
                self.expr(value);
                self.lets.insert(*var, self.unfolded(value));
                self.stmt(body);
            }
            Stmt::Evaluate(value, _) => self.expr(value),
        }
    }

    fn repeated(&mut self, node: &For) {
        let range = Range { min: node.min.clone(), extent: node.extent.clone() };
        self.domains.push(node.var, SymbolicInterval::of_range(&range));
        self.expr(&node.min);
        self.expr(&node.extent);
        self.stmt(&node.body);
        self.domains.pop();
    }

    /// A block inside says itself what it touches.
    fn block_inside(&mut self, block: &Block) {
        let own = Members::of(&block.alloc_buffers);
        let bindings: Vec<(VarId, &Expr)> = block.axes.iter().map(|axis| (axis.var, &axis.value)).collect();
        for (regions, access) in [(&block.reads, Access::Read), (&block.writes, Access::Write)] {
            for region in regions.iter().filter(|region| !own.contains(region.buffer)) {
                if bindings.is_empty() && self.block.match_buffers.is_empty() {
                    self.touch_region(access, region);
                    continue;
                }
                let start = self.sides.len();
                for range in &region.ranges {
                    let (min, extent) =
                        (self.bound(&range.min, &bindings), self.bound(&range.extent, &bindings));
                    self.push_plain(&Range { min, extent });
                }
                self.touch(access, region.buffer, start);
            }
        }
    }

    /// Of a region that a block inside declares as it is.
    fn touch_region(&mut self, access: Access, region: &Region) {
        if self.own.contains(region.buffer) {
            return;
        }
        let Some(place) = self.place(access, region.buffer) else {
            let start = self.sides.len();
            region.ranges.iter().for_each(|range| self.push_plain(range));
            return self.add(access, region.buffer, start);
        };
        for (side, range) in self.touched[place].sides.clone().zip(&region.ranges) {
            let new = self.plain(range);
            self.sides[side].extend(&new, &mut self.analyzer);
        }
    }

    fn bound(&self, expr: &Expr, bindings: &[(VarId, &Expr)]) -> Expr {
        replace(expr, &|var| {
            bindings.iter().find(|binding| binding.0 == var).map(|binding| binding.1.clone())
        })
    }

    fn store(&mut self, store: &Store) {
        let start = self.push_element(&store.indices);
        self.touch(Access::Write, store.buffer, start);
        self.expr(&store.value);
        store.indices.iter().for_each(|index| self.expr(index));
    }

    /// Begins a box with what the indices cover; returns where.
    fn push_element(&mut self, indices: &[Expr]) -> usize {
        let start = self.sides.len();
        for index in indices {
            let index = self.unfolded(index);
            let side = match self.domains.constants(&index) {
                Some((first, last)) => Side::Constants(first, last),
                None => Side::Interval(Cover::new(&self.domains, &mut self.analyzer).expr(&index)),
            };
            self.sides.push(side);
        }
        start
    }

    /// With the variables of `let` replaced by their values.
    fn unfolded(&self, expr: &Expr) -> Expr {
        if self.lets.is_empty() {
            return expr.clone();
        }
        replace(expr, &|var| self.lets.get(&var).cloned())
    }

    /// What a range that was written down covers.
    fn plain(&mut self, range: &Range) -> Side {
        match self.domains.constants_of(range) {
            Some((first, last)) => Side::Constants(first, last),
            None => Side::Interval(Cover::new(&self.domains, &mut self.analyzer).plain_range(range)),
        }
    }

    fn push_plain(&mut self, range: &Range) {
        let side = self.plain(range);
        self.sides.push(side);
    }

    fn push_range(&mut self, range: &Range) {
        let interval = Cover::new(&self.domains, &mut self.analyzer).range(range);
        self.sides.push(Side::Interval(interval));
    }

    fn expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Load(load) => {
                let start = self.push_element(&load.indices);
                self.touch(Access::Read, load.buffer, start);
                load.indices.iter().for_each(|index| self.expr(index));
            }
            Expr::Data(buffer) => self.touch_all(Access::Opaque, *buffer),
            Expr::Call(call) => self.call(call),
            _ => expr.children().iter().for_each(|child| self.expr(child)),
        }
    }

    fn call(&mut self, call: &Call) {
        match (&*call.op, &call.args[..]) {
            ("tvm_access_ptr", [_, Expr::Data(buffer), _, _, Expr::Int(mask, _)]) => match mask & 3 {
                3 => self.touch_all(Access::Opaque, *buffer),
                1 => self.touch_all(Access::Read, *buffer),
                2 => self.touch_all(Access::Write, *buffer),
                _ => {}
            },
            ("if_then_else", [condition, then, otherwise]) => {
                self.expr(condition);
                self.where_holds(condition, |detector| detector.expr(then));
                self.where_holds(&fold::not(condition.clone()), |detector| detector.expr(otherwise));
            }
            _ => call.args.iter().for_each(|arg| self.expr(arg)),
        }
    }

    /// Runs `inside` with the loop variables narrowed to where `condition` holds.
    fn where_holds(&mut self, condition: &Expr, inside: impl FnOnce(&mut Self)) {
        if self.domains.is_empty() {
            return inside(self);
        }
        let condition = self.analyzer.simplify(&self.unfolded(condition));
        let narrowed = self.narrow(&condition);
        inside(self);
        for _ in 0..narrowed {
            self.domains.pop();
        }
    }

    /// Begins a scope for each variable that the condition narrows; returns how many. As in TVM a comparison of
    /// linear terms that bounds no single variable leaves all as they are.
    fn narrow(&mut self, condition: &Expr) -> usize {
        let mut limits_found: Vec<(VarId, SymbolicInterval)> = Vec::new();
        if self.conjuncts(condition, &mut limits_found).is_none() {
            return 0;
        }
        let mut count = 0;
        for (var, limit) in limits_found {
            let Some(domain) = self.domains.get(var) else { continue };
            let narrowed = domain.intersection(&limit, &mut self.analyzer);
            if !domain.is_constant() || narrowed.is_empty() {
                // Where nothing happens, the box of all iterations covers it.
                (0..count).for_each(|_| self.domains.pop());
                return 0;
            }
            self.domains.push(var, narrowed);
            count += 1;
        }
        count
    }

    fn conjuncts(&self, condition: &Expr, into: &mut Vec<(VarId, SymbolicInterval)>) -> Option<()> {
        let Expr::Binary(op, sides) = condition else { return Some(()) };
        if *op == BinaryOp::And {
            self.conjuncts(&sides[0], into)?;
            return self.conjuncts(&sides[1], into);
        }
        if !op.is_comparison() || !sides.iter().all(is_plain) {
            return Some(());
        }
        let difference = fold::sub(sides[0].clone(), sides[1].clone());
        let (var, scale, rest) = self.one_variable(&difference)?;
        into.push((var, limits(*op, scale, rest)?));
        Some(())
    }

    /// `expr` as `scale * var + rest` for the one loop variable in it.
    fn one_variable(&self, expr: &Expr) -> Option<(VarId, i64, Expr)> {
        let (mut scale, mut rest) = (Some(0), Expr::Int(0, expr.dtype()));
        let mut found = None;
        let mut linear = true;
        self.terms(expr, 1, &mut |term, factor| match term {
            Expr::Var(var, _) if self.domains.contains(*var) => {
                linear &= found.is_none_or(|other| other == *var);
                found = Some(*var);
                scale = scale.and_then(|scale: i64| scale.checked_add(factor));
            }
            _ => {
                linear &= !self.runs(term);
                let term = fold::mul(term.clone(), Expr::Int(factor, term.dtype()));
                rest = fold::add(rest.clone(), term);
            }
        });
        let scale = scale.filter(|scale| *scale != 0)?;
        (linear && rest.as_int().is_some()).then_some((found?, scale, rest))
    }

    fn terms(&self, expr: &Expr, factor: i64, visit: &mut impl FnMut(&Expr, i64)) {
        match expr {
            Expr::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), sides) => {
                let sign = if *op == BinaryOp::Add { 1 } else { -1 };
                self.terms(&sides[0], factor, visit);
                self.terms(&sides[1], factor.saturating_mul(sign), visit);
            }
            Expr::Binary(BinaryOp::Mul, sides) => {
                match sides[1].as_int().and_then(|by| by.checked_mul(factor)) {
                    Some(factor) => self.terms(&sides[0], factor, visit),
                    None => visit(expr, factor),
                }
            }
            _ => visit(expr, factor),
        }
    }

    fn runs(&self, expr: &Expr) -> bool {
        matches!(expr, Expr::Var(var, _) if self.domains.contains(*var))
            || expr.children().iter().any(|child| self.runs(child))
    }

    fn touch_all(&mut self, access: Access, buffer: BufferId) {
        let shape = &self.function.buffer(buffer).shape;
        let start = self.sides.len();
        for extent in shape {
            self.push_range(&Range { min: Expr::int(0), extent: extent.clone() });
        }
        self.touch(access, buffer, start);
    }

    /// The box that was begun at `start` is touched.
    fn touch(&mut self, access: Access, mut buffer: BufferId, start: usize) {
        let views = &self.block.match_buffers;
        // A view of a view: as often as there are views.
        for _ in 0..views.len() {
            let Some(view) = views.iter().find(|view| view.buffer == buffer) else { break };
            let part: Vec<Side> = self.sides.drain(start..).collect();
            self.push_shown(view, &part);
            buffer = view.source.buffer;
        }
        if self.own.contains(buffer) {
            return self.sides.truncate(start);
        }
        let Some(place) = self.place(access, buffer) else { return self.add(access, buffer, start) };
        let (known, new) = self.sides.split_at_mut(start);
        for (old, new) in known[self.touched[place].sides.clone()].iter_mut().zip(&*new) {
            old.extend(new, &mut self.analyzer);
        }
        self.sides.truncate(start);
    }

    /// Where the buffer stands in `touched`.
    fn place(&self, access: Access, buffer: BufferId) -> Option<usize> {
        let few = self.touched.len().min(FEW);
        let place =
            self.touched[..few].iter().position(|known| known.buffer == buffer && known.access == access);
        match place {
            None if !self.places.is_empty() => self.places.get(&(buffer, access as u8)).copied(),
            place => place,
        }
    }

    /// The box that was begun at `start` is that of a buffer which was not touched before.
    fn add(&mut self, access: Access, buffer: BufferId, start: usize) {
        if self.touched.len() >= FEW {
            self.places.insert((buffer, access as u8), self.touched.len());
        }
        self.touched.push(Touched { buffer, access, sides: start..self.sides.len() });
    }

    /// The part of the source that a part of a view shows.
    fn push_shown(&mut self, view: &MatchBuffer, part: &[Side]) {
        let shape = &self.function.buffer(view.buffer).shape;
        let outer = view.source.ranges.len().saturating_sub(part.len());
        let mut ranges: Vec<Range> = view.source.ranges[..outer]
            .iter()
            .map(|range| Range { min: range.min.clone(), extent: Expr::int(1) })
            .collect();
        for ((part, source), extent) in part.iter().zip(&view.source.ranges[outer..]).zip(shape) {
            let part = part.interval().range(extent, &mut self.analyzer);
            ranges.push(Range { min: fold::add(source.min.clone(), part.min), extent: part.extent });
        }
        ranges.iter().for_each(|range| self.push_range(range));
    }

    /// The expression reads a buffer that the block allocates: outside of it that says nothing.
    fn reads_own(&self, expr: &Expr) -> bool {
        let mut found = false;
        if !self.own.list.is_empty() {
            expr.visit(&mut |expr| {
                found |= matches!(expr, Expr::Load(load) if self.own.contains(load.buffer))
            });
        }
        found
    }

    fn collect(&mut self, access: Access, excluded: &[BufferId]) -> Vec<Region> {
        let count = self.touched.iter().filter(|touched| touched.access == access).count();
        let mut regions = Vec::with_capacity(count);
        if count == 0 {
            return regions;
        }
        let (function, excluded) = (self.function, Members::of(excluded));
        for place in 0..self.touched.len() {
            let Touched { buffer, access: of, ref sides } = self.touched[place];
            if of == access && !excluded.contains(buffer) {
                let mut ranges = Ranges::new();
                for (side, extent) in sides.clone().zip(&function.buffer(buffer).shape) {
                    ranges.push(self.range(side, extent));
                }
                regions.push(Region { buffer, ranges });
            }
        }
        regions
    }

    /// A side as a range of a dimension of this extent.
    fn range(&mut self, side: usize, extent: &Expr) -> Range {
        let range = match self.sides[side] {
            Side::Constants(first, last) => {
                let length = last.checked_sub(first).and_then(|distance| distance.checked_add(1));
                return match length.and_then(|length| fold::constant(length, Dtype::INT32)) {
                    Some(extent) => Range { min: Expr::int(first), extent },
                    // The type does not have its extent.
                    None => Range { min: Expr::int(0), extent: extent.clone() },
                };
            }
            Side::Interval(ref interval) => interval.point_or_range(extent, &mut self.analyzer),
        };
        let own = [&range.min, &range.extent].into_iter().any(|expr| self.reads_own(expr));
        if own { Range { min: Expr::Int(0, extent.dtype()), extent: extent.clone() } } else { range }
    }
}

/// Made of variables, constants, sums, products and quotients.
fn is_plain(expr: &Expr) -> bool {
    use BinaryOp::*;
    match expr {
        Expr::Int(..) | Expr::Var(..) => true,
        Expr::Binary(Add | Sub | Mul | FloorDiv | FloorMod, sides) => sides.iter().all(is_plain),
        _ => false,
    }
}

/// Where `scale * v + rest op 0` lets `v` be.
fn limits(op: BinaryOp, scale: i64, rest: Expr) -> Option<SymbolicInterval> {
    let dtype = rest.dtype();
    let one = || Expr::Int(1, dtype);
    let negated = |expr: Expr| fold::sub(Expr::Int(0, dtype), expr);
    // As `scale * v <= above` and `scale * v >= below`.
    let at = negated(rest);
    let (below, above) = match op {
        BinaryOp::Lt => (None, Some(fold::sub(at, one()))),
        BinaryOp::Le => (None, Some(at)),
        BinaryOp::Gt => (Some(fold::add(at, one())), None),
        BinaryOp::Ge => (Some(at), None),
        BinaryOp::Eq => (Some(at.clone()), Some(at)),
        _ => return None,
    };
    let (below, above, scale) = match scale {
        0 | i64::MIN => return None,
        1.. => (below, above, scale),
        _ => (above.map(negated), below.map(negated), -scale),
    };
    let scale_expr = fold::constant(scale, dtype)?;
    let up = fold::constant(scale - 1, dtype)?;
    Some(SymbolicInterval {
        min: below.map(|below| fold::floor_div(fold::add(below, up), scale_expr.clone())),
        max: above.map(|above| fold::floor_div(above, scale_expr)),
    })
}

/// Replaces variables; what has none of them stays the same object.
fn replace(expr: &Expr, value: &impl Fn(VarId) -> Option<Expr>) -> Expr {
    fn uses(expr: &Expr, value: &impl Fn(VarId) -> Option<Expr>) -> bool {
        matches!(expr, Expr::Var(var, _) if value(*var).is_some())
            || expr.children().iter().any(|child| uses(child, value))
    }
    match expr {
        Expr::Var(var, _) => value(*var).unwrap_or_else(|| expr.clone()),
        _ if !uses(expr, value) => expr.clone(),
        _ => expr.map_children(&mut |child| replace(child, value)),
    }
}
