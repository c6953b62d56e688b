//! Rules of the catalogue that nobody looks for, or not in a run: a report that is clean says so of the others.

use wavemark_target::Machine;
use wavemark_target::facts::Barriers;

/// A rule of the catalogue that nobody looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WithoutFinder {
    /// Its id.
    pub id: &'static str,
    /// The group of checks that it belongs to.
    pub group: &'static str,
    /// What goes unnoticed, and what of it does not.
    pub what: &'static str,
}

const fn without(id: &'static str, group: &'static str, what: &'static str) -> WithoutFinder {
    WithoutFinder { id, group, what }
}

const WITHOUT_FINDER: [WithoutFinder; 1] =
    [without("B15", "barriers", "barriers in divergent control flow are seen by their consequences alone")];

/// A rule that is looked for over all paths alone.
pub const IN_NO_RUN: WithoutFinder =
    without("N1", "registers", "wait states are counted over all paths, by `check`, not in a run");

const WITHOUT_FINDER_NAMED: [WithoutFinder; 7] = [
    without("L1", "barriers", "a wait that names another barrier than the joined one"),
    without(
        "L3",
        "barriers",
        "a wave that ends as a member is seen by the waits that it leaves behind alone",
    ),
    without("L4", "barriers", "a barrier that is initialised while arrivals are pending"),
    without("L5", "barriers", "a barrier that is used without being ordered behind its initialisation"),
    without("H2", "barriers", "a phase that completes while the wave's completion bit is set"),
    without("H3", "barriers", "a join of barrier 0"),
    without("H6", "barriers", "a wait that passes because all members have dropped"),
];

/// The rules that nobody looks for in a run on `machine`.
pub fn without_finder(machine: Machine) -> impl Iterator<Item = WithoutFinder> {
    let named = machine.facts().barriers == Barriers::NamedAndCluster;
    let more = if named { &WITHOUT_FINDER_NAMED[..] } else { &[] };
    WITHOUT_FINDER.iter().chain(more).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_found_is_not_listed() {
        for rule in WITHOUT_FINDER.iter().chain(&WITHOUT_FINDER_NAMED) {
            assert_eq!(crate::rules::page(rule.id), None, "{} has a page, and so a finder", rule.id);
        }
    }
}
