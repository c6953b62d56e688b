//! Barriers over all paths, without a launch: the workgroup's, the cluster's and named ones.
//!
//! A kernel is followed for a workgroup of the largest size that it allows. Its waves are told apart by the ways that they
//! take where these are known ([`waves`]): by the number of the work-item, or of the wave. What a barrier operation does is
//! said by [`wavemark_memmodel::barrier::machine`], whose threads the waves are ([`explore`]). Which named barrier an
//! operation is on follows from its pointer: a constant, a phi of constants, or a selection between two.
//!
//! A branch whose condition is not known is taken either way, by all waves the same way where the condition is the same
//! expression of the same things in the same round of its loop ([`conditions`]). Where it may be another in each wave, for
//! it is made of what each loads or of what its lanes get, so many waves as may be go each way. Lanes of a wave that part
//! are followed where all barriers stand on one of the ways: the wave goes that one too.
//!
//! Promises: a mistake is one on a path of the control flow graph, with these branches taken so. Not here
//! ([`NotFollowed`]): lanes of one wave that part to barriers on several ways. A loop
//! whose number of rounds is not known is gone through up to [`MOST_ROUNDS`](explore::MOST_ROUNDS) times. Waves that take
//! the same way are executed side by side, those of different ways in every order. Of a cluster there is one workgroup.

mod conditions;
mod explore;
mod waves;

use wavemark_memmodel::barrier::Rule;
use wavemark_target::Processor;

use crate::analysis::uniformity;
use crate::copies::NotFollowed;
use crate::copies::flat::flat;
use crate::copies::lanes::{Group, Values};
use crate::function::{Function, Inst};
use crate::lds;
use crate::module::{Global, Module};

/// A mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// What it is.
    pub kind: MistakeKind,
    /// The instruction; of a deadlock, each at which waves wait. Never empty.
    pub insts: Vec<Inst>,
}

/// What is wrong with barriers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MistakeKind {
    /// A rule is broken.
    Broken(Rule),
    /// A wave may end before a phase that it has arrived in is complete (B7).
    EndsEarly,
    /// A wave arrives a second time at a barrier that it has not waited for (B12).
    ArrivesTwice,
    /// A named barrier that nobody initialises gets its count with an arrival (B1).
    CountedByArrival,
    /// No wave can go on (B13).
    Deadlock,
}

/// What is known of a kernel's barriers.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// What is wrong, each once, in the order of the text.
    pub mistakes: Vec<Mistake>,
    /// Barrier operations that were followed.
    pub operations: usize,
    /// The size of the workgroup that this is about.
    pub items: usize,
    /// Where instructions come from, if functions were put in the place of calls.
    pub origins: Vec<(Global, Inst)>,
}

/// Follows a kernel. `None`: it has no barriers.
pub fn judge(
    module: &Module,
    kernel: Global,
    processor: Option<Processor>,
) -> Option<Result<Verdict, NotFollowed>> {
    let function = module.function(kernel)?;
    let flat = match flat(module, kernel) {
        Ok(flat) => flat,
        Err(why) => return Some(Err(why)),
    };
    let body = flat.as_ref().map(|flat| &flat.body).or(function.body.as_ref())?;
    let group = Group::of(module, function, processor);
    let mut places: rustc_hash::FxHashMap<Global, u64> =
        lds::offsets(module, kernel).map(|(placed, _)| placed.into_iter().collect()).unwrap_or_default();
    places.extend(lds::named_barriers(module));
    let values =
        Values { module, body, lds: places, group, assumed: Default::default(), counted: Default::default() };
    let operations = waves::operations(&values);
    if operations == 0 {
        return None;
    }
    // A phase of one wave is complete when it arrives, and waits at once.
    if group.waves() == 1 && waves::only_meet(&values) {
        let origins = flat.map(|flat| flat.origins).unwrap_or_default();
        return Some(Ok(Verdict { operations, items: group.items, origins, mistakes: Vec::new() }));
    }
    if values.uses_other_dimensions() {
        return Some(Err(NotFollowed::Dimensions));
    }
    let uniformity = uniformity(module, &Function { body: Some(body.clone()), ..function.clone() });
    // Either tells more paths apart than there are: what is clean by one of them is so.
    let followed = |conditions| {
        waves::Waves::of(&values, &uniformity, conditions).and_then(|waves| explore::explore(&waves))
    };
    let mistakes = match (followed(false), followed(true)) {
        (Ok(mistakes), _) if mistakes.is_empty() => Ok(mistakes),
        (other, Err(_)) => other,
        (_, better) => better,
    };
    Some(mistakes.map(|mistakes| Verdict {
        mistakes,
        operations,
        items: group.items,
        origins: flat.map(|flat| flat.origins).unwrap_or_default(),
    }))
}
