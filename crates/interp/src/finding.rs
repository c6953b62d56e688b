//! What a run finds.

use smallvec::SmallVec;
use wavemark_ir::entity::Id as _;
use wavemark_ir::function::Inst;
use wavemark_ir::module::Global;

use crate::race::{Lack, Level, Race, Side, Why};

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A branch depends on a value that there is not.
    UndefinedBranch,
    /// An address does.
    UndefinedAddress,
    /// Poison is stored to global memory.
    PoisonStored,
    /// An undefined value is stored to global memory.
    UndefStored,
    /// An operand that must be the same in all lanes, or be known, is not a value.
    UndefinedOperand,
    /// A division by zero, or one whose quotient does not fit.
    Division,
    /// What was assumed does not hold.
    Assume,
    /// A value that was promised to be there is none.
    Promise,
    /// `unreachable` is reached.
    Unreachable,
    /// An access outside of memory.
    OutOfBounds,
    /// An access that is less aligned than it says.
    Misaligned,
    /// LDS is read where asynchronous data are in flight to.
    ReadInFlight,
    /// LDS is written where asynchronous data are in flight to or from.
    WriteInFlight,
    /// A wave ends while asynchronous data are in flight to or from LDS.
    EndsInFlight,
    /// A trap.
    Trap,
    /// No wave can move.
    Deadlock,
    /// A limit was hit.
    Limit,
    /// A barrier that is used as it must not be.
    Barrier,
    /// An operand that must be the same in all lanes is not.
    NotUniform,
    /// Two waves access LDS, and nothing orders them.
    RaceOnLds,
    /// The same of other memory.
    RaceOnGlobal,
    /// They are atomic, with a scope that does not include both.
    ScopeTooNarrow,
}

/// Where it was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The function.
    pub function: Global,
    /// The instruction.
    pub inst: Inst,
    /// The workgroup.
    pub workgroup: [u32; 3],
    /// The wave in it.
    pub wave: u32,
    /// The lanes.
    pub lanes: u64,
}

/// What would mend a race.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Missing {
    /// A release, an acquire or a scope at an instruction.
    At(Lack<Place>),
    /// A barrier with its fences, behind the first place and before the second one.
    Barrier(Place, Place),
}

/// A finding.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// What.
    pub kind: Kind,
    /// Where, the cause first; none for what has no place. Of a race the earlier access and the later one, and behind them
    /// those of other races that come of the same mistake.
    pub places: Vec<Place>,
    /// More of it, in words.
    pub note: String,
    /// How often.
    pub instances: u64,
    /// What would mend it, where that is certain.
    pub missing: Vec<Missing>,
    /// What it is one with others by.
    mistakes: SmallVec<[Mistake; 2]>,
}

/// Findings as they are made: one for each kind and place, and of races one for each mistake.
#[derive(Clone, Debug, Default)]
pub(crate) struct Findings {
    found: Vec<Finding>,
}

/// An instruction.
type At = (Global, Inst);

/// What races are one by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mistake {
    /// Something is missing at an instruction.
    Lack(Side, At),
    /// Nothing orders what comes behind two barriers, or before any.
    Apart(Kind, Level, [Option<At>; 2]),
}

/// Findings at most: what comes after is much the same.
const MOST: usize = 256;
/// Places of a finding at most.
const MOST_PLACES: usize = 64;

impl Findings {
    /// One more, or one more instance.
    pub fn add(&mut self, kind: Kind, places: &[Place], note: impl FnOnce() -> String) {
        let known = |finding: &&mut Finding| finding.kind == kind && same_ends(&finding.places, places);
        if let Some(finding) = self.found.iter_mut().find(known) {
            finding.instances += 1;
        } else if self.found.len() < MOST {
            self.found.push(Finding {
                kind,
                places: places.to_vec(),
                note: note(),
                instances: 1,
                missing: Vec::new(),
                mistakes: SmallVec::new(),
            });
        }
    }

    /// A race with an access: one more, or one more instance of the same mistake.
    pub fn add_race(&mut self, kind: Kind, race: &Race, later: Place, note: impl FnOnce() -> String) {
        let mistakes: SmallVec<[Mistake; 2]> = match &race.why {
            Why::Lacks(lacks) => lacks.iter().map(|lack| Mistake::Lack(lack.side, at(&lack.at))).collect(),
            Why::Apart { passed, near, .. } => {
                let mut passed = passed.map(|place| place.as_ref().map(at));
                passed.sort_by_key(|place| place.map(|(function, inst)| (function.index(), inst.index())));
                SmallVec::from_iter([Mistake::Apart(kind, *near, passed)])
            }
        };
        let places = vec![race.earlier.0, later];
        let again = |finding: &&mut Finding| {
            finding.kind == kind
                && mistakes.iter().all(|mistake| finding.mistakes.contains(mistake))
                && finding.places.chunks(2).any(|ends| same_ends(ends, &places))
        };
        if let Some(finding) = self.found.iter_mut().find(again) {
            finding.instances += 1;
            return;
        }
        let missing = missing(race, later);
        merge(&mut self.found, [Finding { kind, places, note: note(), instances: 1, missing, mistakes }]);
    }

    /// The newest, and how many there are.
    pub fn newest(&self) -> (usize, Option<&Finding>) {
        (self.found.len(), self.found.last())
    }

    pub fn into_found(self) -> Vec<Finding> {
        self.found
    }
}

/// Adds findings, of the same run or of another one of the same kernel: what is one with another, or makes two of them one,
/// is told with that.
pub fn merge(found: &mut Vec<Finding>, more: impl IntoIterator<Item = Finding>) {
    for new in more {
        let mut known =
            (0..found.len()).filter(|&at| found[at].is_one_with(&new)).collect::<Vec<_>>().into_iter();
        let Some(first) = known.next() else {
            if found.len() < MOST {
                found.push(new);
            }
            continue;
        };
        found[first].take_up(new);
        for at in known.rev() {
            let other = found.remove(at);
            found[first].take_up(other);
        }
    }
}

impl Finding {
    fn is_one_with(&self, other: &Finding) -> bool {
        self.kind == other.kind && same_ends(&self.places, &other.places)
            || self.mistakes.iter().any(|mistake| other.mistakes.contains(mistake))
    }

    fn take_up(&mut self, mut other: Finding) {
        // Where a scope is too narrow, what it guards races as well.
        if other.kind == Kind::ScopeTooNarrow && self.kind != Kind::ScopeTooNarrow {
            let follows = std::mem::replace(self, other);
            return self.take_up(follows);
        }
        self.instances += other.instances;
        for ends in other.places.chunks(2) {
            let known = self.places.chunks(2).any(|known| same_ends(known, ends));
            if !known && self.places.len() < MOST_PLACES {
                self.places.extend(ends);
            }
        }
        // What is missing is said only where it would mend all of it.
        let is_apart =
            |finding: &Finding| finding.mistakes.iter().any(|one| matches!(one, Mistake::Apart(..)));
        let has_none = self.missing.is_empty() || other.missing.is_empty();
        if (is_apart(self) || is_apart(&other)) && (has_none || is_apart(self) != is_apart(&other)) {
            self.missing.clear();
            other.missing.clear();
        }
        for missing in other.missing {
            let is_again = |known: &Missing| match (known, &missing) {
                (Missing::At(known), Missing::At(new)) => {
                    known.side == new.side && at(&known.at) == at(&new.at) && known.reach >= new.reach
                }
                (Missing::Barrier(from, to), Missing::Barrier(new_from, new_to)) => {
                    [at(from), at(to)] == [at(new_from), at(new_to)]
                }
                _ => false,
            };
            if !self.missing.iter().any(is_again) {
                self.missing.push(missing);
            }
        }
        for mistake in other.mistakes {
            if !self.mistakes.contains(&mistake) {
                self.mistakes.push(mistake);
            }
        }
    }
}

/// Whether two are about the same instructions: of two accesses that nothing orders, either may come first.
fn same_ends(ends: &[Place], others: &[Place]) -> bool {
    match (ends, others) {
        ([a, b, ..], [c, d, ..]) => [at(a), at(b)] == [at(c), at(d)] || [at(a), at(b)] == [at(d), at(c)],
        _ => ends.len() == others.len() && ends.iter().map(at).eq(others.iter().map(at)),
    }
}

fn at(place: &Place) -> At {
    (place.function, place.inst)
}

/// What would mend a race, where that is certain.
fn missing(race: &Race, later: Place) -> Vec<Missing> {
    match &race.why {
        Why::Lacks(lacks) => {
            let is_first = |index: usize| {
                let own = &lacks[index];
                !lacks[..index].iter().any(|lack| (lack.side, at(&lack.at)) == (own.side, at(&own.at)))
            };
            (0..lacks.len()).filter(|&index| is_first(index)).map(|index| Missing::At(lacks[index])).collect()
        }
        Why::Apart { near: Level::Workgroup, unordered, .. } if at(&race.earlier.0) != at(&later) => {
            let [first, second] = *unordered;
            let ways = [(first, race.earlier.0, later), (second, later, race.earlier.0)];
            ways.into_iter().filter(|way| way.0).map(|(_, from, to)| Missing::Barrier(from, to)).collect()
        }
        Why::Apart { .. } => Vec::new(),
    }
}
