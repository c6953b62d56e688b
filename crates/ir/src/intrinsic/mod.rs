//! Intrinsics: a row of a table each, read once.
//!
//! The table is `table.txt` beside this file; its head says what a row is. Verifier, analyses and whoever executes or
//! generates code ask the rows; nobody else compares names. An intrinsic without a row is refused by name, for LLVM makes
//! of it a call of a function that does not exist, without a word.

mod read;
mod shape;

use std::sync::LazyLock;

use rustc_hash::FxHashMap;
use wavemark_target::{InstFeature, Processor, Property};

pub use shape::{Shape, mangled};

use crate::analysis::direct_callee;
use crate::inst::Call;
use crate::module::Module;
use crate::names::spelled;

/// An intrinsic function, or a family of them over types.
#[derive(Clone, Debug)]
pub struct Intrinsic {
    /// Its name, without the types that it is overloaded on.
    pub name: &'static str,
    /// What it is overloaded on.
    pub overloads: Vec<Class>,
    /// What it gives.
    pub result: Shape,
    /// What it takes.
    pub params: Vec<Param>,
    /// How it accesses memory.
    pub memory: Memory,
    /// What it does depends on which lanes execute it together.
    pub convergent: bool,
    /// Its result differs from lane to lane, or is the same in all.
    pub lanes: Lanes,
    /// The class of the asynchronous operation that it begins.
    pub asynchronous: Option<&'static str>,
    /// What it does with marks behind asynchronous operations.
    pub marks: Option<Marks>,
    /// What it does with a barrier.
    pub barrier: Option<Barrier>,
    /// What counts it, or what it waits for.
    pub counter: Option<&'static str>,
    /// One of these a processor must have; none: every processor has it.
    pub needs: Vec<Need>,
    /// Lanes of the waves that it is of; `None`: of any.
    pub wave: Option<u32>,
}

/// What a type may be that an intrinsic is overloaded on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Anything that can be loaded.
    Any,
    /// An integer, or a vector of them.
    Int,
    /// A floating-point number, or a vector of them.
    Float,
    /// Either.
    Num,
    /// What registers hold: numbers, pointers, vectors of them.
    Data,
    /// A pointer.
    Ptr,
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct Param {
    /// Its type.
    pub shape: Shape,
    /// It must be a constant, of these values if any are listed.
    pub immediate: Option<Values>,
}

/// Values of an immediate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Values {
    /// Any.
    Any,
    /// From one to another, inclusive.
    Range(u64, u64),
    /// One of several.
    Listed(Vec<u64>),
}

impl Values {
    /// Whether `value` is one of them.
    pub fn allow(&self, value: u64) -> bool {
        match self {
            Values::Any => true,
            Values::Range(low, high) => (*low..=*high).contains(&value),
            Values::Listed(values) => values.contains(&value),
        }
    }
}

/// How memory is accessed, by address space.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// Address spaces that are read.
    pub reads: Spaces,
    /// Address spaces that are written.
    pub writes: Spaces,
    /// It must stay where it is, though it accesses none of them.
    pub ordered: bool,
}

/// A set of address spaces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Spaces {
    /// None.
    #[default]
    None,
    /// These.
    Listed(Vec<u32>),
    /// Those that the operands point into.
    OfOperands,
}

impl Spaces {
    /// Whether an address space is listed.
    pub fn has(&self, space: u32) -> bool {
        matches!(self, Spaces::Listed(spaces) if spaces.contains(&space))
    }
}

/// How a result differs over the lanes of a wave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lanes {
    /// As the operands do.
    AsOperands,
    /// Always.
    Divergent,
    /// Never.
    Uniform,
}

/// What is done with marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marks {
    /// One is put.
    Put,
    /// As many are left as the first operand says.
    Await,
}

spelled! {
    /// What is done with a barrier. Follows LLVM's *AMDGPU Execution Synchronization*.
    Barrier {
        /// All waves of the workgroup meet.
        Meet = "meet",
        /// All waves of the cluster meet.
        MeetCluster = "meet-cluster",
        /// A wave arrives at the barrier of a number.
        Signal = "signal",
        /// The same, and whether it is the first.
        SignalFirst = "signal-first",
        /// A wave arrives at a named barrier, and says for how many that is.
        SignalCounted = "signal-counted",
        /// A wave waits at the barrier of a number, or the one that it has joined.
        Wait = "wait",
        /// A wave becomes a member of a named barrier.
        Join = "join",
        /// A named barrier is for so many from now on.
        Init = "init",
        /// A wave leaves the named barrier that it is a member of.
        Leave = "leave",
        /// The state of the barrier of a number.
        State = "state",
        /// The state of a named barrier.
        NamedState = "named-state",
        /// Arrivals at a barrier that is a cell of LDS.
        ArriveAtCell = "arrive-at-cell",
        /// An arrival there when the asynchronous operations before it are complete.
        ArriveAtCellLater = "arrive-at-cell-later",
    }
}

/// What a processor must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// An instruction feature.
    Feature(InstFeature),
    /// A property.
    Property(Property),
}

impl Intrinsic {
    /// Whether it is an operation of the barriers that the hardware counts waves for: it changes one, or waits for it.
    pub fn is_barrier(&self) -> bool {
        use Barrier as Role;
        let other = [Role::State, Role::NamedState, Role::ArriveAtCell, Role::ArriveAtCellLater];
        self.barrier.is_some_and(|role| !other.contains(&role))
    }

    /// Whether a processor has it.
    pub fn exists_on(&self, processor: Processor) -> bool {
        let has = |need: &Need| match *need {
            Need::Feature(feature) => processor.has_inst(feature),
            Need::Property(property) => processor.has(property),
        };
        self.needs.is_empty() || self.needs.iter().any(has)
    }
}

static TABLE: LazyLock<(Vec<Intrinsic>, FxHashMap<&'static str, usize>)> = LazyLock::new(|| {
    let rows = read::rows(include_str!("table.txt"));
    // Bad rows are left out here; a test reads every row and fails for the first that is bad.
    let rows: Vec<Intrinsic> = rows.filter_map(Result::ok).collect();
    // The first of those with one name.
    let by_name = rows.iter().enumerate().rev().map(|(index, row)| (row.name, index)).collect();
    (rows, by_name)
});

/// The row of what a call calls, if that is an intrinsic of the table: that with as many parameters, of several.
pub fn called(module: &Module, call: &Call) -> Option<&'static Intrinsic> {
    let name = module.name(direct_callee(module, &call.callee)?);
    row_of(find(&name)?.0, call)
}

/// The row of an intrinsic with as many parameters as a call has arguments, of several.
pub(crate) fn row_of(rows: &'static [Intrinsic], call: &Call) -> Option<&'static Intrinsic> {
    rows.iter().find(|row| row.params.len() == call.args.len()).or(rows.first())
}

/// All rows.
pub fn all() -> &'static [Intrinsic] {
    &TABLE.0
}

/// The rows of the function `name`, and the types that its name spells, behind a dot each.
pub fn find(name: &str) -> Option<(&'static [Intrinsic], &str)> {
    let (rows, by_name) = &*TABLE;
    let mut end = name.len();
    loop {
        let suffix = &name[end..];
        if let Some(&first) = by_name.get(&name[..end]) {
            let same = rows[first..].iter().take_while(|row| row.name == rows[first].name).count();
            let same = &rows[first..first + same];
            let types = suffix.split('.').skip(1).filter(|part| shape::may_be_mangled(part)).count();
            if types == suffix.matches('.').count() && same.iter().any(|row| row.overloads.len() == types) {
                return Some((same, suffix));
            }
        }
        end = name[..end].rfind('.')?;
    }
}

/// Whether a function of that name can be no other than an intrinsic.
pub fn is_intrinsic(name: &str) -> bool {
    name.starts_with("llvm.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_read() {
        let rows: Result<Vec<Intrinsic>, String> = read::rows(include_str!("table.txt")).collect();
        let rows = rows.unwrap_or_else(|error| panic!("{error}"));
        assert!(rows.len() > 200);
        let mut names: Vec<&str> = rows.iter().map(|row| row.name).collect();
        names.dedup();
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "rows of one name do not stand together");
    }

    #[test]
    fn the_longest_name_is_found() {
        let (rows, types) = find("llvm.amdgcn.raw.ptr.buffer.load.lds").unwrap();
        assert_eq!((rows[0].name, types), ("llvm.amdgcn.raw.ptr.buffer.load.lds", ""));
        let (rows, types) = find("llvm.amdgcn.raw.ptr.buffer.load.v4f32").unwrap();
        assert_eq!((rows[0].name, types), ("llvm.amdgcn.raw.ptr.buffer.load", ".v4f32"));
        for unknown in
            ["llvm.amdgcn.no.such.thing", "llvm.amdgcn.rsq.legacy", "llvm.amdgcn.ds.bpermute.fi.b32"]
        {
            assert!(find(unknown).is_none(), "{unknown}");
        }
    }

    #[test]
    fn processors() {
        let has = |name, processor| {
            let processor = Processor::by_name(processor).unwrap();
            find(name).unwrap().0[0].exists_on(processor)
        };
        assert!(has("llvm.amdgcn.tensor.load.to.lds", "gfx1250"));
        assert!(!has("llvm.amdgcn.tensor.load.to.lds", "gfx950"));
        assert!(has("llvm.amdgcn.ds.read.tr16.b64.v4f16", "gfx950"));
        assert!(!has("llvm.amdgcn.ds.read.tr16.b64.v4f16", "gfx942"));
        assert!(has("llvm.amdgcn.s.barrier", "gfx600"));
    }
}
