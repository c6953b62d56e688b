//! Which findings follow from a mistake that would be mended elsewhere than where they say.
//!
//! [`crate::mistakes`] tells mistakes by what is missing at one place of one wave. Some leave other traces as well, which are
//! left to what has caused them once all findings are known:
//!
//! - Where no barrier stands between a copy and another wave's read in the first round, none does in those behind it: that a
//!   barrier of the round before lets others know of a copy which it does not wait for is not what is wrong. Nor is it that the
//!   wave ends before the copy is over.
//! - A copy that comes before its buffer is read is met in flight by its own wave as by others, and those that follow it at once
//!   come as early.
//! - Where a load and what it reads are ordered nowhere between some waves, caches between others that may hold what was there
//!   before matter no more: a scope mends both.
//! - Where what a wave stores is in no order with loads of others, it is not handed on to its other readers and writers too early.
//! - Where a scope is too narrow, or a flag is looked at before it is there, it orders nothing, and what it guards races as well.
//! - A wave that does not wait for a barrier, as it has joined none or nobody has initialised it, or for no reason, meets others in the
//!   wrong phase: it arrives again, there and elsewhere, joins another barrier, races, and at last is waited for in vain. So do
//!   workgroups of a cluster for which two waves arrive.
//! - A read that races may find what nobody has written. So may one that SCC decides about, which is not there yet.
//! - A read that races with several writes, all before it or all behind, lacks one barrier, and so does a write that races with
//!   several reads: with those of the next round and of those behind the loop, with some before it and some behind. So do races
//!   that one barrier would mend in the same place, and barriers that one wave initialises too late for others.
//!
//! This goes by what findings have in common: a reader, a workgroup, or how far their waves are apart. A second mistake that
//! has that in common with the first is found when that is mended.

use rustc_hash::FxHashSet;
use wavemark_sim::events::{Scope, WaveId};

use crate::finding::{Class, Finding, FindingSite, Severity};
use crate::knowledge::common_scope;
use crate::mistakes::{MistakeId, Mistakes};
use crate::one_wait::StraightLines;
use crate::site_info::SiteId;

/// Make each of these findings, which are in the order in which they were first seen, one mistake with what it follows from.
pub(crate) fn join(list: &mut [Finding], mistakes: &mut Mistakes, lines: &StraightLines<'_>) {
    join_unordered(list, mistakes);
    join_refills(list, mistakes, lines);
    let causes: Vec<Option<usize>> = (0..list.len()).map(|at| cause(list, at)).collect();
    // What waves that are nearer to each other do there is a mistake of its own.
    let of_nearer: FxHashSet<MistakeId> = (list.iter().zip(&causes))
        .filter(|(finding, cause)| finding.rule == "M1" && cause.is_none())
        .filter_map(|(finding, _)| root_of(finding, mistakes))
        .collect();
    // What is not waited for at the end, and before that neither, is one.
    let of_others: FxHashSet<MistakeId> = list
        .iter()
        .filter(|finding| finding.rule != "R7")
        .filter_map(|finding| root_of(finding, mistakes))
        .collect();
    let follows = |finding: &Finding| match finding.rule {
        "M1" => root_of(finding, mistakes).is_none_or(|root| !of_nearer.contains(&root)),
        "R7" => root_of(finding, mistakes).is_none_or(|root| !of_others.contains(&root)),
        _ => true,
    };
    let causes: Vec<(usize, usize)> = (causes.into_iter().enumerate())
        .filter_map(|(at, of)| Some((at, of?)))
        .filter(|&(at, _)| follows(&list[at]))
        .collect();
    for (at, of) in causes {
        let [cause, own] = [of, at].map(|at| *list[at].mistake.get_or_insert_with(|| mistakes.alone()));
        mistakes.join(own, cause);
        list[at].is_consequence = true;
    }
    // One wait is missing at the end of a wave.
    let at_end = |finding: &Finding| root_of(finding, mistakes).filter(|_| finding.rule == "R7");
    let follow: FxHashSet<MistakeId> =
        list.iter().filter(|finding| finding.is_consequence).filter_map(at_end).collect();
    for finding in list {
        finding.is_consequence |= at_end(finding).is_some_and(|root| follow.contains(&root));
    }
}

/// The mistake that it is a part of.
fn root_of(finding: &Finding, mistakes: &Mistakes) -> Option<MistakeId> {
    finding.mistake.map(|mistake| mistakes.root(mistake))
}

/// Make one mistake of those findings that come of copies, one behind the other, before their buffers are read.
fn join_refills(list: &[Finding], mistakes: &mut Mistakes, lines: &StraightLines<'_>) {
    let mut known: Vec<(SiteId, MistakeId)> = Vec::new();
    for finding in list {
        let (Some(copy), Some(own)) = (finding.refills(mistakes), finding.mistake) else { continue };
        let Some(copy) = lines.sites().find(copy.pc, copy.msb) else { continue };
        let is_one =
            |&&(of, _): &&(SiteId, MistakeId)| of == copy || lines.lead(of, copy) || lines.lead(copy, of);
        match known.iter().find(is_one) {
            Some(&(_, mistake)) => mistakes.join(own, mistake),
            None => known.push((copy, own)),
        }
    }
}

/// Make one mistake of those findings that lack the same barrier.
fn join_unordered(list: &[Finding], mistakes: &mut Mistakes) {
    let roots: Vec<_> = list.iter().map(|one| root_of(one, mistakes)).collect();
    // Where a wait is missing as well, there is a place for each.
    let lack_wait = list.iter().zip(&roots).filter(|(finding, _)| finding.class == Class::MissingWait);
    let lack_wait: FxHashSet<_> = lack_wait.map(|(_, root)| root).collect();
    for (at, finding) in list.iter().enumerate() {
        for (other, one) in list[..at].iter().enumerate() {
            let (Some(own), Some(its)) = (finding.mistake, one.mistake) else { continue };
            let waits = [at, other].iter().all(|&of| !lack_wait.contains(&roots[of]));
            let is_one_write = || waits && one.writer() == finding.writer();
            let is_one_place = || one.hint_site.is_some() && place(one) == place(finding);
            if are_unordered(one, finding) && (is_one_read(one, finding) || is_one_write() || is_one_place())
            {
                mistakes.join(own, its);
            }
        }
    }
}

/// Whether nothing orders what the two are about, which is of one kind.
fn are_unordered(one: &Finding, other: &Finding) -> bool {
    let is_order = |finding: &Finding| {
        finding.severity == Severity::Error
            && finding.class == Class::MissingSync
            && finding.reader().is_some()
    };
    [one, other].into_iter().all(is_order) && one.rule == other.rule
}

/// What mends it, and where.
fn place(finding: &Finding) -> (Option<&str>, Option<u64>) {
    (finding.hint.as_deref(), finding.hint_site.as_ref().map(|site| site.pc))
}

/// Whether they are of one read with several writes, all before it or all behind.
fn is_one_read(one: &Finding, other: &Finding) -> bool {
    let first = |finding: &Finding| finding.sites.first().map(|site| site.role);
    (first(one), one.reader()) == (first(other), other.reader())
}

/// Which finding the one at a place follows from.
fn cause(list: &[Finding], at: usize) -> Option<usize> {
    let finding = &list[at];
    let misused = || misused_barrier(list, workgroup(finding)?).filter(|&of| of != at);
    let errors = || list.iter().enumerate().filter(|(_, cause)| cause.severity == Severity::Error);
    let one =
        |follows: &dyn Fn(&Finding) -> bool| errors().find(|(_, cause)| follows(cause)).map(|(of, _)| of);
    let races_as_copy = |end| {
        let copy = finding.end(end);
        one(&|cause| cause.rule == "S2" && cause.is_of_copy && cause.writer() == copy)
    };
    match finding.rule {
        "R4" if finding.is_between_waves() => {
            let read = finding.end("consumer");
            one(&|cause| cause.rule == "S2" && cause.is_of_copy && cause.reader() == read)
        }
        // Whoever reads a buffer before it is filled again has waited for what is there.
        "R4" => races_as_copy("consumer"),
        // Whoever is to be in order behind a copy waits for it, or for what it tells a barrier in LDS.
        "R7" => races_as_copy("producer"),
        "M1" | "M6" => one(&|cause| {
            let arrives_twice = cause.rule == "B14" && is_in_cluster_of(cause, finding);
            let too_narrow = finding.rule == "M1"
                && cause.rule == "M2"
                && (apart(cause) == apart(finding) || has_narrow_end(cause, finding));
            let unordered = finding.rule == "M6" && cause.rule == "M1" && cause.pair() == finding.pair();
            arrives_twice || too_narrow || unordered || cause.is_of_flag
        }),
        // What reaches no further than its scope needs a write-back as well; and who writes back waits for that.
        "M5" => one(&|cause| {
            // Of a write-back that is missing nobody knows where, another instance may know that it is there.
            let classes =
                (cause.class, finding.class, cause.hint_site.is_some(), finding.hint_site.is_some());
            let written_back = match classes {
                (Class::MissingWriteback, Class::MissingWait, known, own_known) => known || !own_known,
                (Class::MissingWait, Class::MissingWriteback, known, own_known) => known && !own_known,
                _ => false,
            };
            // Of which it is not known who hands it on, nobody may do so.
            let nobody = finding.missing.is_some_and(|(_, before)| before.is_none());
            cause.rule == "M5" && written_back && cause.pair() == finding.pair()
                || cause.rule == "M1" && nobody && cause.writer() == finding.end("producer")
                || cause.rule == "M2" && has_narrow_end(cause, finding)
        }),
        "B1" => {
            let barrier = finding.end("barrier");
            let same = errors().filter(|(_, cause)| cause.rule == "B1" && cause.end("barrier") == barrier);
            // Who initialises it is what is to be known.
            let first = same.min_by_key(|(of, cause)| (cause.end("init").is_none(), *of));
            let by_one_wave = |cause: &Finding| {
                cause.rule == "B1"
                    && initialiser(finding).is_some()
                    && initialiser(cause) == initialiser(finding)
            };
            first.map(|(of, _)| of).filter(|&of| of != at).or_else(|| one(&by_one_wave).filter(|&of| of < at))
        }
        "B10" | "B12" | "B13" | "B14" | "H1" | "S2" => misused(),
        "U2" => {
            let read = finding.end("consumer");
            let races = ["R4", "R5", "R6", "R7", "S1", "S2"];
            // What a multicast that is not issued by all should have brought is not there either.
            one(&|cause| {
                races.contains(&cause.rule) && cause.reader() == read
                    || cause.rule == "C1" && is_in_cluster_of(cause, finding)
                    || cause.rule == "R8" && workgroup(cause) == workgroup(finding)
            })
        }
        _ => None,
    }
}

/// Where a wave of a workgroup does not wait for a barrier: as it has joined none, or nobody has initialised it; rather than where it
/// never does, where it joins another one without.
fn misused_barrier(list: &[Finding], of: u32) -> Option<usize> {
    let first = |rule: &str| {
        let is_cause = |cause: &Finding| cause.rule == rule && cause.severity == Severity::Error;
        list.iter().position(|cause| is_cause(cause) && workgroup(cause) == Some(of))
    };
    first("B10").or_else(|| first("B1")).or_else(|| unwaited_barrier(list, of))
}

fn unwaited_barrier(list: &[Finding], of: u32) -> Option<usize> {
    let own = |finding: &&Finding| workgroup(finding) == Some(of);
    let joins = || list.iter().filter(own).filter(|finding| finding.rule == "H1");
    let twice = || (0..list.len()).filter(|&at| list[at].rule == "B12" && own(&&list[at]));
    let leaves = |&at: &usize| joins().any(|join| join.end("arrive") == list[at].end("arrive"));
    twice().find(leaves).or_else(|| twice().next())
}

/// Whether what is written there has the scope that is too narrow.
fn has_narrow_end(cause: &Finding, finding: &Finding) -> bool {
    let narrow = cause.hint_site.as_ref().map(|site| site.pc);
    narrow.is_some() && narrow == finding.writer()
}

/// The scope that the waves of the two ends share.
fn apart(finding: &Finding) -> Option<Scope> {
    let [first, second, ..] = finding.sites.as_slice() else { return None };
    Some(common_scope(first.wave?, second.wave?))
}

/// Whether the waves of a finding's two ends are of the cluster of another one.
fn is_in_cluster_of(cause: &Finding, finding: &Finding) -> bool {
    let cluster = |end: &FindingSite| end.wave.map(|wave| wave.cluster_flat);
    let of = cause.sites.first().and_then(cluster);
    of.is_some() && finding.sites.iter().take(2).all(|end| cluster(end) == of)
}

/// The wave that initialises a barrier.
fn initialiser(finding: &Finding) -> Option<WaveId> {
    finding.sites.iter().find(|site| site.role == "init")?.wave
}

/// The workgroup of the first end.
fn workgroup(finding: &Finding) -> Option<u32> {
    finding.sites.first()?.wave.map(|wave| wave.workgroup_flat)
}
