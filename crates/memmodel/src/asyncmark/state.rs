//! The exact abstraction of [`Thread`](super::Thread) over all paths.
//!
//! Of an instance of an operation, two numbers decide what will be known of it in its function: its *position*, that is
//! whether it is done, has no mark yet, or how many marks are younger than the first mark that covers it; and its *age*,
//! how many younger instances of the same operation have been issued. The age is what a consumer names: a ring of three
//! buffers reads the instance of age 2 while those of age 0 and 1 are rightly in flight.
//!
//! The state before a node is, for each operation, the set of pairs (age, position) of its instances on all paths, and for
//! each stage the set of lengths of its sequence.
//!
//! ```text
//! issue o    (a, p) of o → (a+1, p), and (0, unmarked) is added
//! mark       unmarked → 0, k → k+1; lengths l → l+1
//! wait N     k ≥ N → done; lengths l → min(l, N)
//! call f     by f's summary: positions are kept, or become done
//! join       union
//! ```
//!
//! *Exactness.* Each rule replaces every element by itself, whatever the others are, so that it distributes over union, and
//! the least fixed point is the union over all paths (Kildall). Saturation keeps the sets finite and is the only widening:
//! positions and lengths saturate at [`DEEPEST`], ages at the number that the caller gives. A saturated position means
//! "that or more", and no wait for less tells the two apart; a wait for more than [`DEEPEST`] keeps both answers, which is
//! sound. The maps are monotone and commute with saturation, hence below that bound nothing is lost.

use super::{Bound, STAGES, Stage, Stages, Summary};
use crate::flow;

/// Positions and lengths saturate here: "so many or more".
pub const DEEPEST: u32 = 61;

/// Where an instance stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Position {
    /// No mark covers it.
    Unmarked,
    /// The first mark that covers it has so many younger ones.
    Behind(u32),
    /// Guaranteed to be done.
    Done,
}

impl Position {
    /// The position behind a mark.
    pub(crate) fn marked(self) -> Position {
        match self {
            Position::Unmarked => Position::Behind(0),
            Position::Behind(younger) => Position::Behind((younger + 1).min(DEEPEST)),
            Position::Done => Position::Done,
        }
    }

    /// Whether a wait for `n` makes it done, whatever the number is.
    pub(crate) fn is_taken_by(self, n: Bound) -> bool {
        matches!(self, Position::Behind(younger) if n.surely_takes(younger))
    }
}

/// A set of positions: bit 0 for unmarked, bit 1 + k for k younger marks, the highest for done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Positions(u64);

const UNMARKED: u64 = 1;
const DONE: u64 = 1 << 63;
const SATURATED: u64 = 1 << (1 + DEEPEST);

impl Positions {
    /// Only issued.
    const ISSUED: Positions = Positions(UNMARKED);

    /// Those behind a mark with at least `n` younger ones.
    fn at_least(n: u32) -> u64 {
        if n > DEEPEST { 0 } else { !0 << (1 + n) & !DONE }
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether some instance may not be done.
    pub fn may_be_pending(self) -> bool {
        self.0 & !DONE != 0
    }

    /// Whether some instance is done on some path.
    pub fn may_be_done(self) -> bool {
        self.0 & DONE != 0
    }

    /// Whether no mark may cover some instance.
    pub fn may_be_unmarked(self) -> bool {
        self.0 & UNMARKED != 0
    }

    /// The least number of marks younger than the one that covers a pending instance; `None` if there is none with a mark.
    pub fn least(self) -> Option<u32> {
        let behind = self.0 & !(UNMARKED | DONE);
        (behind != 0).then(|| behind.trailing_zeros() - 1)
    }

    /// The positions.
    pub fn iter(self) -> impl Iterator<Item = Position> {
        (0..64).filter(move |bit| self.0 >> bit & 1 != 0).map(|bit| match bit {
            0 => Position::Unmarked,
            63 => Position::Done,
            bit => Position::Behind(bit - 1),
        })
    }

    fn mark(self) -> Positions {
        let shifted = (self.0 & !DONE & !SATURATED) << 1;
        Positions(shifted | self.0 & (DONE | SATURATED))
    }

    fn wait(self, n: Bound) -> Positions {
        // The saturated position may be one that a wait for more takes.
        let may_be_taken = Self::at_least(n.least.min(DEEPEST)) & self.0;
        let taken = n.most.map_or(0, Self::at_least);
        let done = if may_be_taken != 0 { DONE } else { 0 };
        Positions(self.0 & !taken | done)
    }

    fn join(&mut self, other: Positions) -> bool {
        let joined = self.0 | other.0;
        std::mem::replace(&mut self.0, joined) != joined
    }

    /// The same for a caller: marks of the function that was left do not count.
    fn escaped(self) -> Positions {
        let pending = if self.may_be_pending() { UNMARKED } else { 0 };
        Positions(self.0 & DONE | pending)
    }
}

/// The positions of an operation's instances, by age; the last of them stands for all older ones too.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ages(Vec<Positions>);

impl Ages {
    /// The positions of the instances of this age.
    pub fn at(&self, age: u32) -> Positions {
        self.0.get(age as usize).copied().unwrap_or_default()
    }

    /// Ages that occur, with their positions.
    pub fn iter(&self) -> impl Iterator<Item = (u32, Positions)> {
        (0..).zip(self.0.iter().copied()).filter(|(_, positions)| !positions.is_empty())
    }

    fn add(&mut self, age: usize, limit: u32, positions: Positions) -> bool {
        let age = age.min(limit as usize);
        if self.0.len() <= age && !positions.is_empty() {
            self.0.resize(age + 1, Positions::default());
        }
        !positions.is_empty() && self.0[age].join(positions)
    }

    fn shift(&mut self, limit: u32) {
        self.0.insert(0, Positions::default());
        if self.0.len() > limit as usize + 1 {
            let oldest = self.0.pop().expect("longer than its limit");
            self.0.last_mut().expect("a limit of ages counts age 0").join(oldest);
        }
    }

    fn map(&mut self, positions: impl Fn(Positions) -> Positions) {
        self.0.iter_mut().for_each(|one| *one = positions(*one));
    }
}

/// An operation and where its instances may stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tracked {
    /// The operation. [`State::OTHERS`] stands for operations that the function does not issue.
    pub operation: u32,
    /// Whether this is about an instance that was issued, and not known to be done, before the function was entered.
    pub before: bool,
    /// Its stage.
    pub stage: Stage,
    /// Its instances.
    pub ages: Ages,
}

impl Tracked {
    fn key(&self) -> (u32, bool, Stage) {
        (self.operation, self.before, self.stage)
    }
}

/// What may hold of the asynchronous operations of a function at a point.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// By stage, the lengths that the sequence may have: bit l for length l. None: the point is not reached.
    lengths: [u64; STAGES],
    /// By operation, by whether it was before, by stage.
    tracked: Vec<Tracked>,
}

impl State {
    /// The operation that stands for those that a function does not issue itself.
    pub const OTHERS: u32 = u32::MAX;

    /// At the entry of a function: the sequences are empty. `before` are the operations, with their stages, that may have
    /// been issued by its callers.
    pub(super) fn entry(before: impl IntoIterator<Item = (u32, Stage)>) -> State {
        let issued = Ages(vec![Positions::ISSUED]);
        let tracked = |(operation, stage)| Tracked { operation, before: true, stage, ages: issued.clone() };
        let mut tracked: Vec<Tracked> = before.into_iter().map(tracked).collect();
        tracked.sort_by_key(Tracked::key);
        State { lengths: [1; STAGES], tracked }
    }

    /// Whether no path leads here.
    pub fn is_unreached(&self) -> bool {
        self.lengths[0] == 0
    }

    /// Operations of this activation and before it.
    pub fn tracked(&self) -> &[Tracked] {
        &self.tracked
    }

    /// The instances of `operation` that were issued in this activation, or by functions that it called.
    pub fn of(&self, operation: u32) -> Option<&Tracked> {
        self.tracked.iter().find(|one| one.operation == operation && !one.before)
    }

    /// The lengths that the sequence of `stage` may have, ascending; [`DEEPEST`] + 2 stands for that or more.
    pub fn lengths(&self, stage: Stage) -> impl Iterator<Item = u32> {
        let set = self.lengths[usize::from(stage)];
        (0..64).filter(move |length| set >> length & 1 != 0)
    }

    /// The greatest of them; 0 where the point is not reached.
    pub fn longest(&self, stage: Stage) -> u32 {
        self.lengths[usize::from(stage)].checked_ilog2().unwrap_or(0)
    }

    /// An instance is issued; ages count up to `limit`.
    pub fn issue(&mut self, operation: u32, stage: Stage, limit: u32) {
        if self.is_unreached() {
            return;
        }
        for one in self.tracked.iter_mut().filter(|one| one.operation == operation) {
            one.ages.shift(limit);
        }
        self.entry_of(operation, stage).add(0, limit, Positions::ISSUED);
    }

    /// A mark of these stages.
    pub fn mark(&mut self, stages: Stages) {
        const LONGEST: u64 = 1 << 63;
        for stage in stages.iter().map(usize::from) {
            self.lengths[stage] = self.lengths[stage] << 1 | self.lengths[stage] & LONGEST;
        }
        self.map(stages, Positions::mark);
    }

    /// A wait that leaves `n` marks of these stages.
    pub fn wait(&mut self, n: Bound, stages: Stages) {
        for stage in stages.iter().map(usize::from) {
            let before = self.lengths[stage];
            // The longest that may stand for more becomes n, whatever n is.
            let most = before.checked_ilog2().unwrap_or(0);
            let left = |length: u32| {
                let shortest = length.min(n.least);
                let longest = n.most.map_or(length, |most| length.min(most));
                (shortest..=longest).fold(0, |set, length| set | 1 << length)
            };
            let lengths = (0..=most).filter(|length| before >> length & 1 != 0);
            self.lengths[stage] = lengths.fold(0, |set, length| set | left(length));
        }
        self.map(stages, |positions| positions.wait(n));
    }

    /// A call of a function with this summary.
    pub(super) fn call(&mut self, callee: &Summary, limit: u32) {
        if !callee.returns {
            *self = State::default();
            return;
        }
        if self.is_unreached() {
            return;
        }
        for one in &mut self.tracked {
            let through = callee.through(one.operation, one.stage);
            let mut ages = Ages::default();
            for (age, positions) in one.ages.iter() {
                for (more, fate) in through.iter() {
                    let mut kept = Positions(0);
                    if fate.may_be_pending() {
                        kept.join(positions);
                    }
                    if fate.may_be_done() {
                        kept.join(Positions(DONE));
                    }
                    ages.add(age as usize + more as usize, limit, kept);
                }
            }
            one.ages = ages;
        }
        for new in &callee.issued {
            let ages = self.entry_of(new.operation, new.stage);
            for (age, positions) in new.ages.iter() {
                ages.add(age as usize, limit, positions);
            }
        }
    }

    /// What a caller sees of the operations when the function returns here.
    pub(super) fn escaped(&self) -> State {
        let mut escaped = self.clone();
        escaped.map(Stages::ALL, Positions::escaped);
        escaped
    }

    fn entry_of(&mut self, operation: u32, stage: Stage) -> &mut Ages {
        let key = (operation, false, stage);
        let at = match self.tracked.binary_search_by_key(&key, Tracked::key) {
            Ok(at) => at,
            Err(at) => {
                let new = Tracked { operation, before: false, stage, ages: Ages::default() };
                self.tracked.insert(at, new);
                at
            }
        };
        &mut self.tracked[at].ages
    }

    fn map(&mut self, stages: Stages, positions: impl Fn(Positions) -> Positions) {
        for one in self.tracked.iter_mut().filter(|one| stages.has(one.stage)) {
            one.ages.map(&positions);
        }
    }
}

impl flow::State for State {
    fn join(&mut self, other: &State) -> bool {
        let mut changed = false;
        for (own, theirs) in self.lengths.iter_mut().zip(other.lengths) {
            let joined = *own | theirs;
            changed |= std::mem::replace(own, joined) != joined;
        }
        for theirs in &other.tracked {
            match self.tracked.binary_search_by_key(&theirs.key(), Tracked::key) {
                Ok(at) => {
                    for (age, positions) in theirs.ages.iter() {
                        // Both were made with the same limit of ages.
                        changed |= self.tracked[at].ages.add(age as usize, u32::MAX, positions);
                    }
                }
                Err(at) => {
                    self.tracked.insert(at, theirs.clone());
                    changed = true;
                }
            }
        }
        changed
    }
}
