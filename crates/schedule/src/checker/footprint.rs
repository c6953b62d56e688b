//! What a leaf touches: boxes of intervals when it runs, and element by element when boxes cannot decide.

use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use wavemark_tile::{BufferId, Expr, Function};

use super::interval::{Env, Interval};
use super::program::{Access, Dims, Leaf, Op, SiteId};

/// One interval a dimension.
pub(super) type Bounds = SmallVec<[Interval; 3]>;

/// A box of a buffer that a leaf reads or writes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Footprint {
    /// The access ([`Access::number`]).
    pub access: u32,
    /// The store or call.
    pub place: SiteId,
    pub buffer: BufferId,
    pub write: bool,
    pub bounds: Bounds,
    /// Every element of the box is touched, in every execution.
    pub exact: bool,
    /// The elements are a fixed pattern at an offset, in every execution: of two boxes of one statement that are equal
    /// the elements are equal too.
    pub pattern: bool,
}

/// Shapes and strides of the buffers, where they are constant.
pub(super) struct Shapes(Vec<Option<Vec<(i64, i64)>>>);

impl Shapes {
    /// Of each buffer of `function`: extent and stride a dimension.
    pub fn new(function: &Function) -> Shapes {
        let one = |buffer: &wavemark_tile::Buffer| {
            let shape: Option<Vec<i64>> = buffer.shape.iter().map(Expr::as_int).collect();
            let shape = shape?;
            let mut strides: Vec<i64> = buffer.strides.iter().map(Expr::as_int).collect::<Option<_>>()?;
            if strides.len() != shape.len() {
                strides = vec![1; shape.len()];
                for dim in (1..shape.len()).rev() {
                    strides[dim - 1] = strides[dim].checked_mul(shape[dim])?;
                }
            }
            Some(shape.into_iter().zip(strides).collect())
        };
        Shapes(function.buffers.iter().map(one).collect())
    }

    /// How many dimensions the buffer has, when its shape is known.
    pub fn rank(&self, buffer: BufferId) -> Option<usize> {
        self.get(buffer).map(<[_]>::len)
    }

    fn get(&self, buffer: BufferId) -> Option<&[(i64, i64)]> {
        self.0.get(buffer.0 as usize)?.as_deref()
    }

    /// The box of elements `first ..= last` of the storage; exact when it is one.
    fn unflatten(&self, buffer: BufferId, first: i64, last: i64) -> Option<(Bounds, bool)> {
        let dims = self.get(buffer)?;
        let (mut low, mut high) = (first, last);
        let mut bounds = Bounds::new();
        let mut exact = true;
        // Once the two ends differ in a dimension, the inner ones are taken whole.
        let mut apart = false;
        for &(extent, stride) in dims {
            if stride <= 0 || extent <= 0 {
                return None;
            }
            let (a, b) = (low.div_euclid(stride), high.div_euclid(stride));
            (low, high) = (low.rem_euclid(stride), high.rem_euclid(stride));
            if apart {
                exact &= a == 0 && b == extent - 1;
                bounds.push(Interval::new(0, extent - 1));
            } else {
                bounds.push(Interval::new(a, b));
                apart = a != b;
            }
        }
        Some((bounds, exact))
    }
}

/// The boxes that `leaf` touches where walked variables have the values in `env`. Clobbers the leaf's own variables.
pub(super) fn boxes(leaf: &Leaf, env: &mut Env, shapes: &Shapes, out: &mut Vec<Footprint>) {
    out.clear();
    walk(&leaf.ops, env, shapes, true, out);
}

fn walk(ops: &[Op], env: &mut Env, shapes: &Shapes, certain: bool, out: &mut Vec<Footprint>) {
    for op in ops {
        match op {
            Op::Bind { var, value } => {
                let value = env.eval(value);
                env.set(*var, value);
            }
            Op::If { condition, then, otherwise } => {
                let truth = env.eval(condition).truth();
                if truth != Some(false) {
                    walk(then, env, shapes, certain && truth.is_some(), out);
                }
                if truth != Some(true) {
                    walk(otherwise, env, shapes, certain && truth.is_some(), out);
                }
            }
            Op::Loop { var, min, extent, step, body } => {
                let (min, extent) = (env.eval(min), env.eval(extent));
                if extent.hi <= 0 {
                    continue;
                }
                let last = min.add(extent).shift(-1);
                let value = Interval::new(min.lo, last.hi.max(min.lo));
                env.set(*var, value);
                let dense = step.as_ref().is_none_or(|step| env.eval(step).as_point() == Some(1));
                let known = min.as_point().is_some() && extent.as_point().is_some() && dense;
                walk(body, env, shapes, certain && known, out);
            }
            Op::Access(access) => {
                let (bounds, exact) = access_box(access, env, shapes);
                let exact = exact && certain && !access.inexact;
                let pattern = exact || certain && is_pattern(access, env);
                out.push(Footprint {
                    access: access.number,
                    place: access.place,
                    buffer: access.buffer,
                    write: access.write,
                    bounds,
                    exact,
                    pattern,
                });
            }
        }
    }
}

fn access_box(access: &Access, env: &Env, shapes: &Shapes) -> (Bounds, bool) {
    let whole = || {
        let dims = shapes.get(access.buffer).unwrap_or_default();
        (dims.iter().map(|&(extent, _)| Interval::new(0, extent.max(1) - 1)).collect(), false)
    };
    match &access.dims {
        Dims::Whole => whole(),
        Dims::Ranges(ranges) => {
            let mut exact = true;
            let bounds = ranges
                .iter()
                .map(|(min, extent)| {
                    let min_value = env.eval(min);
                    let Some(extent) = extent else {
                        exact &= covers_its_range(min, min_value, env);
                        return min_value;
                    };
                    let extent = env.eval(extent);
                    exact &= min_value.as_point().is_some() && extent.as_point().is_some();
                    Interval::new(min_value.lo, min_value.add(extent).hi.saturating_sub(1).max(min_value.lo))
                })
                .collect();
            // Two dimensions that move together do not fill their box.
            exact &= independent(ranges, env);
            (bounds, exact)
        }
        Dims::Flat(offset, extent) => {
            let (offset, extent) = (env.eval(offset), env.eval(extent));
            let exact = offset.as_point().is_some() && extent.as_point().is_some();
            if !offset.bounded() || !extent.bounded() || extent.hi <= 0 {
                return whole();
            }
            match shapes.unflatten(access.buffer, offset.lo, offset.hi + extent.hi - 1) {
                Some((bounds, one_box)) => (bounds, exact && one_box),
                None => whole(),
            }
        }
    }
}

fn is_pattern(access: &Access, env: &Env) -> bool {
    match &access.dims {
        Dims::Ranges(ranges) => ranges.iter().all(|(min, extent)| {
            offset_pattern(min, env)
                && extent.as_ref().is_none_or(|extent| env.eval(extent).as_point().is_some())
        }),
        Dims::Flat(offset, extent) => env.eval(extent).as_point().is_some() && offset_pattern(offset, env),
        Dims::Whole => true,
    }
}

/// A constant plus something that only variables with a range decide.
fn offset_pattern(expr: &Expr, env: &Env) -> bool {
    if env.eval(expr).as_point().is_some() {
        return true;
    }
    let mut fixed = true;
    super::program::expr_vars(expr, &mut |var| fixed &= env.get(var).as_point().is_none());
    fixed
        || matches!(expr, Expr::Binary(wavemark_tile::BinaryOp::Add | wavemark_tile::BinaryOp::Sub, sides)
            if offset_pattern(&sides[0], env) && offset_pattern(&sides[1], env))
}

/// The expression takes every value of its interval: a constant, or one variable with an offset, each used once.
fn covers_its_range(expr: &Expr, value: Interval, env: &Env) -> bool {
    if value.as_point().is_some() {
        return true;
    }
    match expr {
        Expr::Var(..) => value.bounded(),
        Expr::Binary(op, sides) => {
            use wavemark_tile::BinaryOp::{Add, Sub};
            let point = |side: &Expr| env.eval(side).as_point().is_some();
            match op {
                Add if point(&sides[0]) => covers_its_range(&sides[1], env.eval(&sides[1]), env),
                Add | Sub if point(&sides[1]) => covers_its_range(&sides[0], env.eval(&sides[0]), env),
                _ => false,
            }
        }
        _ => false,
    }
}

fn independent(ranges: &[(Expr, Option<Expr>)], env: &Env) -> bool {
    let mut seen: SmallVec<[wavemark_tile::VarId; 8]> = SmallVec::new();
    let mut shared = false;
    for (min, _) in ranges {
        super::program::expr_vars(min, &mut |var| {
            if env.get(var).as_point().is_none() {
                shared |= seen.contains(&var);
                seen.push(var);
            }
        });
    }
    !shared
}

pub(super) fn overlap(a: &Bounds, b: &Bounds) -> bool {
    // Boxes of different rank come from opaque accesses of buffers of unknown shape.
    a.len() != b.len() || a.iter().zip(b).all(|(a, b)| a.overlaps(*b))
}

pub(super) fn contains(outer: &Bounds, inner: &Bounds) -> bool {
    outer.len() == inner.len() && outer.iter().zip(inner).all(|(outer, inner)| outer.contains(*inner))
}

/// Coordinates of one element.
type Element = SmallVec<[i64; 4]>;

/// Elements that are listed one by one before the question is given up.
const MAX_ELEMENTS: usize = 1 << 16;

/// The elements of `buffer` that the statement `place` of `leaf` reads (or writes) where its free variables have the given values; `None`
/// when there are too many or something is unknown.
pub(super) fn elements(
    leaf: &Leaf,
    values: &[Interval],
    (place, buffer, write): (SiteId, BufferId, bool),
    vars: usize,
    shapes: &Shapes,
) -> Option<FxHashSet<Element>> {
    let mut listing = Listing { place, buffer, write, shapes, found: FxHashSet::default(), steps: 0 };
    let mut env = Env::new(vars);
    for (var, value) in leaf.free.iter().zip(values) {
        env.set(*var, *value);
    }
    listing.spread(leaf, 0, &mut env)?;
    Some(listing.found)
}

struct Listing<'a> {
    place: SiteId,
    buffer: BufferId,
    write: bool,
    shapes: &'a Shapes,
    found: FxHashSet<Element>,
    steps: usize,
}

impl Listing<'_> {
    /// Gives each free variable every value it has.
    fn spread(&mut self, leaf: &Leaf, index: usize, env: &mut Env) -> Option<()> {
        let Some(&var) = leaf.free.get(index) else { return self.run(&leaf.ops, env) };
        let range = env.get(var);
        if range == Interval::ALL {
            // Perhaps it decides nothing.
            return self.spread(leaf, index + 1, env);
        }
        for value in range.lo..=range.hi {
            self.tick()?;
            env.set(var, Interval::point(value));
            self.spread(leaf, index + 1, env)?;
        }
        env.set(var, range);
        Some(())
    }

    fn tick(&mut self) -> Option<()> {
        self.steps += 1;
        (self.steps <= MAX_ELEMENTS).then_some(())
    }

    fn run(&mut self, ops: &[Op], env: &mut Env) -> Option<()> {
        for op in ops {
            match op {
                Op::Bind { var, value } => {
                    let value = env.eval(value);
                    env.set(*var, value);
                }
                Op::If { condition, then, otherwise } => {
                    let truth = env.eval(condition).truth();
                    if truth != Some(false) {
                        self.run(then, env)?;
                    }
                    if truth != Some(true) {
                        self.run(otherwise, env)?;
                    }
                }
                Op::Loop { var, min, extent, step, body } => {
                    let (min, extent) = (env.eval(min).as_point()?, env.eval(extent).as_point()?);
                    let step = match step {
                        Some(step) => env.eval(step).as_point().filter(|&step| step > 0)?,
                        None => 1,
                    };
                    let mut value = min;
                    while value < min.saturating_add(extent) {
                        self.tick()?;
                        env.set(*var, Interval::point(value));
                        self.run(body, env)?;
                        value = value.saturating_add(step);
                    }
                }
                Op::Access(access)
                    if (access.place, access.buffer, access.write)
                        == (self.place, self.buffer, self.write) =>
                {
                    if access.inexact {
                        return None;
                    }
                    let (bounds, exact) = access_box(access, env, self.shapes);
                    if !exact {
                        return None;
                    }
                    self.list(&bounds, &mut Element::new())?;
                }
                Op::Access(_) => {}
            }
        }
        Some(())
    }

    fn list(&mut self, bounds: &[Interval], element: &mut Element) -> Option<()> {
        let Some((first, rest)) = bounds.split_first() else {
            self.found.insert(element.clone());
            return Some(());
        };
        for value in first.lo..=first.hi {
            self.tick()?;
            element.push(value);
            self.list(rest, element)?;
            element.pop();
        }
        Some(())
    }
}
