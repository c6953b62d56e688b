//! How many versions a private buffer gets, and the buffers with that many.
//!
//! TVM's rule, which users size their memory by: last reading stage less first writing stage, plus one; two are one
//! where no writer comes before a reader of a later stage in the body, or never meets it; one is two where
//! `double_buffer_scope` asks for it. More than the rule where the accesses need more ([`super::dependence`]).

use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use wavemark_diag::Diagnostic;
use wavemark_tile::arith::Analyzer;
use wavemark_tile::{Buffer, BufferId, Expr, For, Function, Param, Range, Region, fold};

use super::annotations::{Request, at};
use super::dependence::{self, Access, Loop, OfBuffer};
use super::pointers::Fragments;
use super::rewrite::Versioned;
use super::uses::Outside;

/// The number of versions of each private buffer.
pub fn versions(
    pipeline: &Loop,
    node: &For,
    allocs: &[BufferId],
    least: &FxHashMap<BufferId, i64>,
    doubled: &FxHashSet<BufferId>,
) -> Result<FxHashMap<BufferId, i64>, Diagnostic> {
    let mut versions = FxHashMap::with_capacity_and_hasher(allocs.len(), FxBuildHasher);
    for &buffer in allocs {
        let (Some(&least), Some(accesses)) = (least.get(&buffer), pipeline.accesses(buffer)) else {
            let declared = pipeline.function.buffer(buffer);
            return Err(at(
                declared.span.or(node.span),
                format!(
                    "`{}` is allocated in the pipelined loop, but no statement of it uses it",
                    declared.name
                ),
            )
            .help("remove the allocation"));
        };
        let mut count = customary(pipeline.request, accesses).max(least);
        if count == 1 && doubled.contains(&buffer) {
            count = 2;
        }
        versions.insert(buffer, count);
    }
    Ok(versions)
}

fn customary(request: &Request, accesses: OfBuffer) -> i64 {
    let stage = |access: &Access| request.stages[access.statement];
    let readers = || accesses.all.iter().filter(|access| !access.writes);
    let Some(defined) = accesses.writes.iter().map(stage).min() else { return 1 };
    let used = readers().map(stage).max().unwrap_or(-1);
    let count = used - defined + 1;
    let meets = |writer: &Access, reader: &Access| {
        request.positions[writer.statement] < request.positions[reader.statement]
            && stage(writer) < stage(reader)
            && may_overlap(writer.region, reader.region)
    };
    if count == 2 && !accesses.writes.iter().any(|writer| readers().any(|reader| meets(writer, reader))) {
        return 1;
    }
    count.max(1)
}

/// The boxes may share an element, in every iteration.
fn may_overlap(a: &Region, b: &Region) -> bool {
    if let Some(overlap) = dependence::overlap_of_constants(a, b) {
        return overlap;
    }
    let mut analyzer = Analyzer::new();
    a.ranges.iter().zip(&b.ranges).all(|(a, b)| {
        let (a_end, b_end) =
            (fold::add(a.min.clone(), a.extent.clone()), fold::add(b.min.clone(), b.extent.clone()));
        !analyzer.can_prove(&fold::le(a_end, b.min.clone()))
            && !analyzer.can_prove(&fold::le(b_end, a.min.clone()))
    })
}

/// Buffers allocated outside of the loop that hold nothing from one iteration to the next: the first statement that
/// touches one writes, without condition, all that later ones read, and nothing outside of the loop uses it. Of a
/// shared buffer inside loops over threads each thread may write a part: there the first write is believed to be
/// of the whole. Without those that are `private` anyway; in the order of their first accesses.
pub fn written_first(
    pipeline: &Loop,
    private: &FxHashSet<BufferId>,
    outside: Outside,
    in_threads: bool,
    analyzer: &mut Analyzer,
) -> Vec<BufferId> {
    let function = pipeline.function;
    let mut is_parameter = vec![false; function.buffers.len()];
    for param in &function.params {
        if let Param::Buffer { buffer, .. } = param {
            is_parameter[buffer.0 as usize] = true;
        }
    }
    let mut is_candidate = |&OfBuffer { buffer, all, .. }: &OfBuffer| {
        let [first, ..] = all else { return false };
        if !first.writes || pipeline.statements[first.statement].inside.conditional {
            return false;
        }
        if private.contains(&buffer) || outside.contains(buffer) || is_parameter[buffer.0 as usize] {
            return false;
        }
        let by_all_threads = in_threads && function.buffer(buffer).scope.starts_with("shared");
        let mut reads = all.iter().filter(|access| !access.writes);
        by_all_threads || reads.all(|read| covers(first.region, read.region, analyzer))
    };
    let candidates = pipeline.accesses_by_buffer().filter(|accesses| is_candidate(accesses));
    candidates.map(|accesses| accesses.buffer).collect()
}

fn covers(outer: &Region, inner: &Region, analyzer: &mut Analyzer) -> bool {
    outer.ranges.len() == inner.ranges.len()
        && outer.ranges.iter().zip(&inner.ranges).all(|(outer, inner)| {
            if let (Some(outer), Some(inner)) = (outer.constants(), inner.constants()) {
                return outer.0 <= inner.0 && inner.1 <= outer.1;
            }
            let end = |range: &Range| fold::add(range.min.clone(), range.extent.clone());
            analyzer.can_prove(&fold::le(outer.min.clone(), inner.min.clone()))
                && analyzer.can_prove(&fold::le(end(inner), end(outer)))
        })
}

/// The private buffers in order, those of several versions replaced by one with a leading dimension, and what
/// replaced them.
pub fn add_dimension(
    function: &mut Function,
    allocs: &[BufferId],
    versions: &FxHashMap<BufferId, i64>,
    fragments: &Fragments,
) -> (Vec<BufferId>, FxHashMap<BufferId, Versioned>) {
    let mut replaced = FxHashMap::default();
    let new = allocs
        .iter()
        .map(|&buffer| {
            let count = versions.get(&buffer).copied().unwrap_or(1);
            if count <= 1 {
                return buffer;
            }
            let mut ring = function.buffer(buffer).clone();
            let stride = match (ring.strides.first(), ring.shape.first()) {
                (Some(stride), Some(length)) => fold::mul(stride.clone(), length.clone()),
                _ => ring.shape.iter().cloned().reduce(fold::mul).unwrap_or(Expr::int(1)),
            };
            ring.shape.insert(0, Expr::int(count));
            if !ring.strides.is_empty() {
                ring.strides.insert(0, stride.clone());
            }
            let new = function.add_buffer(ring);
            let fragment = fragments.elements(buffer);
            replaced.insert(buffer, Versioned { buffer: new, versions: count, stride, fragment });
            new
        })
        .collect();
    (new, replaced)
}

/// The LDS that a workgroup of any target has.
const LDS_BYTES: i64 = 64 << 10;

/// How much of the LDS a pipeline's buffers take.
pub struct Room {
    bytes: i64,
    versions: FxHashMap<BufferId, i64>,
}

impl Room {
    /// What `allocs` take with these versions.
    pub fn new(function: &Function, allocs: &[BufferId], versions: &FxHashMap<BufferId, i64>) -> Room {
        let count = |buffer: &BufferId| versions.get(buffer).copied().unwrap_or(1);
        let bytes = allocs
            .iter()
            .map(|buffer| lds_bytes(function.buffer(*buffer)).saturating_mul(count(buffer)))
            .fold(0, i64::saturating_add);
        Room { bytes, versions: versions.clone() }
    }

    /// `buffer` may have `count` versions: what it takes beyond its present ones fits into the LDS of every target.
    pub fn has_room_for(&self, function: &Function, buffer: BufferId, count: i64) -> bool {
        let more = count - self.versions.get(&buffer).copied().unwrap_or(1);
        self.bytes.saturating_add(lds_bytes(function.buffer(buffer)).saturating_mul(more)) <= LDS_BYTES
    }
}

/// Bytes of LDS that one version takes: none for other scopes; beyond any limit where the shape is not constant.
fn lds_bytes(buffer: &Buffer) -> i64 {
    if !buffer.scope.starts_with("shared") {
        return 0;
    }
    let element = buffer.dtype.element().map_or(64, |element| i64::from(element.bits()));
    let elements =
        buffer.shape.iter().try_fold(1_i64, |product, length| product.checked_mul(length.as_int()?));
    elements.and_then(|elements| elements.checked_mul(element)).map_or(LDS_BYTES + 1, |bits| (bits + 7) / 8)
}
