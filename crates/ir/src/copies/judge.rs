//! What is wrong with a kernel's copies, and which of its waits could leave more.

use rustc_hash::{FxHashMap, FxHashSet};
use wavemark_memmodel::asyncmark::{Analysis, Bound, Function, Lacking, Stage, Stages, Step};
use wavemark_target::Processor;

use crate::entity::Id as _;
use crate::function::{Inst, Value};
use crate::inst::{InstKind, Operand};
use crate::intrinsic;
use crate::lds;
use crate::module::{Global, Module};
use crate::opcode::CastOp;

use super::cases;
use super::cells;
use super::counted;
use super::flat::flat;
use super::lanes::{Group, Known, Values};
use super::paths::{self, Node};
use super::steps::{Barrier, COPIES, NotFollowed, Site, Steps, TENSORS, steps};
use super::touch::Conflict;

/// Older instances of an operation are not told apart: all of them must be done.
const AGES: u32 = 1;

/// So many cases may be open, before the others are left.
const MOST_OPEN: usize = 4;

/// A wait is not tried with more than this.
const MOST_LEFT: u32 = 63;

/// A mistake: accesses of LDS that are in each other's way for one reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hazard {
    /// What it is.
    pub kind: HazardKind,
    /// Each the copy, or the access that nothing orders before the other, and who comes too early. Never empty.
    pub pairs: Vec<(Inst, Inst)>,
    /// The last wait for copies before it.
    pub wait: Option<Inst>,
    /// The barrier at which the copy had to be done.
    pub barrier: Option<Inst>,
    /// How many the wait may leave; `None`: no wait covers the copy, or none is needed.
    pub enough: Option<u32>,
}

/// How two accesses are in each other's way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HazardKind {
    /// A wave's own copy may not be done.
    InFlight,
    /// Another wave's copy may not be done when that wave arrives at the barrier between.
    PublishedEarly,
    /// There is no barrier between accesses of two waves.
    Unordered,
    /// The wave may end before its copy is done; the second instruction is the end.
    AtEnd,
}

/// A wait that could leave more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weaker {
    /// The wait.
    pub wait: Inst,
    /// How many it leaves now.
    pub now: u32,
    /// How many it may leave; `None`: no access needs it.
    pub enough: Option<u32>,
}

/// What is known of a kernel's copies.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// What is wrong, each pair of instructions once. What one wait, or one barrier, would mend is one mistake.
    pub hazards: Vec<Hazard>,
    /// Waits that could leave more; none where some address is not known.
    pub weaker: Vec<Weaker>,
    /// Accesses of LDS, copies included, that were followed.
    pub followed: usize,
    /// Accesses whose addresses are not known.
    pub unknown: Vec<Inst>,
    /// Pairs that would be in each other's way if two conditions were what they may not be together.
    pub unproven: usize,
    /// Pairs that nothing orders but, perhaps, the barrier of the cluster, at which some waves arrive for all.
    pub told_by_cluster: usize,
    /// Waits for copies.
    pub waits: usize,
    /// The size of the workgroup that this is about.
    pub items: usize,
    /// Where instructions come from, if functions were put in the place of calls: all others are instructions of a body
    /// that nobody else has.
    pub origins: Vec<(Global, Inst)>,
}

impl Verdict {
    /// Whether each pair of accesses was decided: what is not said to be wrong is proven then.
    pub fn is_decided(&self) -> bool {
        self.unknown.is_empty() && self.unproven == 0 && self.told_by_cluster == 0
    }

    /// Where an instruction stands.
    pub fn origin(&self, kernel: Global, inst: Inst) -> (Global, Inst) {
        self.origins.get(inst.index()).copied().unwrap_or((kernel, inst))
    }
}

/// Follows a kernel. `None`: it has nothing to do with LDS.
pub fn judge(
    module: &Module,
    kernel: Global,
    processor: Option<Processor>,
) -> Option<Result<Verdict, NotFollowed>> {
    let (placed, _) = lds::offsets(module, kernel)?;
    (!placed.is_empty()).then(|| follow(module, kernel, processor))
}

fn follow(module: &Module, kernel: Global, processor: Option<Processor>) -> Result<Verdict, NotFollowed> {
    let (Some(function), Some((placed, _))) = (module.function(kernel), lds::offsets(module, kernel)) else {
        return Err(NotFollowed::TooLarge);
    };
    if function.body.is_none() {
        return Ok(Verdict::default());
    }
    let flat = flat(module, kernel)?;
    let Some(body) = flat.as_ref().map(|flat| &flat.body).or(function.body.as_ref()) else {
        return Ok(Verdict::default());
    };
    let group = Group::of(module, function, processor);
    let lds = placed.into_iter().chain(lds::named_barriers(module)).collect();
    let mut values =
        Values { module, body, lds, group, assumed: Default::default(), counted: Default::default() };
    values.counted = counted::counted(&values);
    if values.uses_other_dimensions() {
        return Err(NotFollowed::Dimensions);
    }
    if makes_generic_pointers(&values) {
        return Err(NotFollowed::GenericPointers);
    }
    let has_cells = cells::has_some(&values);
    let judged = |values: &Values<'_>, branches: &FxHashSet<Value>, needed: &[Inst]| {
        let nodes = paths::nodes(values, |node, known| {
            ask(values, has_cells, node, known);
            let branch = cases::condition(values, node.block).filter(|branch| branches.contains(branch));
            branch.into_iter().for_each(|branch| {
                values.of(&node.fixed, known, Operand::Value(branch));
            });
        });
        let nodes = nodes.ok_or(NotFollowed::TooLarge)?;
        let steps = steps(values, &nodes)?;
        let decided = nodes.iter().all(|node| cases::is_decided(values, node, branches));
        Ok((Judge::new(&steps).judged(needed), decided))
    };
    let (mut all, _) = judged(&values, &FxHashSet::default(), &[])?;
    for selections in [false, true] {
        if !all.is_decided()
            && let Some(told_apart) = in_cases(&values, selections, judged)
            && (told_apart.is_decided() || all.found.is_empty() && !told_apart.found.is_empty())
        {
            all = told_apart;
        }
    }
    let mut verdict = all.verdict(group.items);
    if let Some(flat) = flat {
        // A wait of a function is that of every call of it: what one of them needs says nothing.
        verdict.weaker.retain(|weaker| flat.origins[weaker.wait.index()].0 == kernel);
        verdict.origins = flat.origins;
    }
    Ok(verdict)
}

/// Asks for all that is to be known at a node of the paths.
fn ask(values: &Values<'_>, has_cells: bool, node: &Node, known: &mut Known) {
    let body = values.body;
    for &inst in &body.blocks[node.block].insts {
        values.touch(node, 0, known, &body.insts[inst]);
        if let InstKind::Call(call) = &body.insts[inst].kind
            && intrinsic::called(values.module, call).is_some_and(intrinsic::Intrinsic::is_barrier)
        {
            call.args.iter().for_each(|arg| drop(values.of(&node.fixed, known, arg.value)));
        }
        // What a wait for a cell looks at.
        if let InstKind::CondBr { condition, then, otherwise } = &body.insts[inst].kind
            && has_cells
            && (*then == node.block || *otherwise == node.block)
        {
            values.of(&node.fixed, known, *condition);
        }
    }
}

/// What is known of all cases together; `None` where there is but one, or one is not followed. `judged`: with which branches
/// to follow, and which waits are known not to be too strong.
fn in_cases(
    values: &Values<'_>,
    selections: bool,
    judged: impl Fn(&Values<'_>, &FxHashSet<Value>, &[Inst]) -> Result<(Judged, bool), NotFollowed>,
) -> Option<Judged> {
    let cases = cases::cases(values, selections);
    if cases.len() < 2 {
        return None;
    }
    let branches = cases::branches(values, &cases);
    let (mut all, mut open): (Option<Judged>, usize) = (None, 0);
    for case in cases {
        let needed = all.as_ref().map(Judged::needed).unwrap_or_default();
        let assumed = case.clone();
        let (mut of_case, _) = judged(&Values { assumed, ..values.clone() }, &branches, &needed).ok()?;
        if !of_case.found.is_empty() {
            // How often loops are gone through has to do with the case, too. So it is wrong what is found with numbers that
            // decide both.
            let with_numbers = cases::numbers(values, &case).find_map(|assumed| {
                let of_numbers = judged(&Values { assumed, ..values.clone() }, &branches, &of_case.waits);
                let (of_numbers, decided) = of_numbers.ok()?;
                (decided && !of_numbers.found.is_empty()).then_some(of_numbers.found)
            });
            of_case.unproven += with_numbers.as_ref().map_or(of_case.found.len(), |_| 0);
            of_case.found = with_numbers.unwrap_or_default();
        }
        // Where addresses stay unknown, or much is open, the others do not help.
        open += usize::from(!of_case.is_decided());
        let stops = !of_case.unknown.is_empty() || open > MOST_OPEN;
        all = Some(match all {
            Some(all) => all.and(of_case),
            None => of_case,
        });
        if stops {
            break;
        }
    }
    all
}

fn makes_generic_pointers(values: &Values<'_>) -> bool {
    values.body.insts.iter().any(|(_, data)| match &data.kind {
        InstKind::Cast { op: CastOp::AddrSpaceCast, value, .. } => values.is_lds(*value),
        _ => false,
    })
}

/// What is wrong with a pair of instructions; what comes first says it best.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Found {
    kind: HazardKind,
    enough: Option<u32>,
    wait: Option<Inst>,
    barrier: Option<Inst>,
}

/// Pairs with the same wait belong together, and so do unordered ones that share an instruction.
fn grouped(found: FxHashMap<(Inst, Inst), Found>) -> Vec<Hazard> {
    let mut found: Vec<((Inst, Inst), Found)> = found.into_iter().collect();
    found.sort_unstable();
    let mut hazards: Vec<Hazard> = Vec::new();
    for (pair, Found { kind, enough, wait, barrier }) in found {
        let same = |hazard: &&mut Hazard| {
            let shared = |other: &(Inst, Inst)| other.0 == pair.0 || other.1 == pair.1;
            hazard.kind == kind
                && hazard.wait == wait
                && (kind != HazardKind::Unordered || hazard.pairs.iter().any(shared))
        };
        match hazards.iter_mut().find(same) {
            Some(hazard) => {
                hazard.pairs.push(pair);
                hazard.enough = hazard.enough.min(enough);
            }
            None => hazards.push(Hazard { kind, pairs: vec![pair], wait, barrier, enough }),
        }
    }
    // The end of a kernel is said only where nothing else is.
    let others = hazards.iter().any(|hazard| hazard.kind != HazardKind::AtEnd);
    hazards.retain(|hazard| !others || hazard.kind != HazardKind::AtEnd);
    hazards
}

/// What is known of the accesses along some paths.
#[derive(Default)]
struct Judged {
    found: FxHashMap<(Inst, Inst), Found>,
    followed: FxHashSet<Inst>,
    unknown: Vec<Inst>,
    unproven: usize,
    told_by_cluster: usize,
    /// The waits that are come to, in the order of the text, and those that could leave more.
    waits: Vec<Inst>,
    weaker: Vec<Weaker>,
}

impl Judged {
    /// Whether each pair of accesses was decided.
    fn is_decided(&self) -> bool {
        self.unknown.is_empty() && self.unproven == 0 && self.told_by_cluster == 0
    }

    /// The waits that could not leave more.
    fn needed(&self) -> Vec<Inst> {
        let is_needed = |wait: &Inst| self.weaker.iter().all(|weaker| weaker.wait != *wait);
        self.waits.iter().copied().filter(is_needed).collect()
    }

    fn note(&mut self, first: Option<Inst>, second: Option<Inst>, new: Found) {
        let Some(pair) = first.zip(second) else { return };
        let known = self.found.entry(pair).or_insert(new);
        *known = new.min(*known);
    }

    /// Whether accesses are certainly in each other's way; they are counted if not.
    fn is_certain(&mut self, certain: Certain) -> bool {
        match certain {
            Certain::Yes => {}
            Certain::Conditions => self.unproven += 1,
            Certain::Cluster => self.told_by_cluster += 1,
        }
        certain == Certain::Yes
    }

    /// Of both paths together.
    fn and(mut self, other: Judged) -> Judged {
        let weaker = |waits: &Judged, wait: Inst| match waits.weaker.iter().find(|weaker| weaker.wait == wait)
        {
            None if waits.waits.contains(&wait) => Err(()),
            found => Ok(found.copied()),
        };
        let mut waits: Vec<Inst> = self.waits.iter().chain(&other.waits).copied().collect();
        waits.sort_unstable();
        waits.dedup();
        // Where a wait is not come to, it may leave what it likes.
        let of_both = |&wait: &Inst| match (weaker(&self, wait).ok()?, weaker(&other, wait).ok()?) {
            (Some(a), Some(b)) => {
                let fewer = if a.enough.is_some_and(|a| b.enough.is_none_or(|b| a <= b)) { a } else { b };
                Some(fewer)
            }
            (a, b) => a.or(b),
        };
        self.weaker = waits.iter().filter_map(of_both).collect();
        self.waits = waits;
        for ((first, second), found) in other.found {
            self.note(Some(first), Some(second), found);
        }
        self.followed.extend(other.followed);
        let more: Vec<Inst> = other.unknown.into_iter().filter(|inst| !self.unknown.contains(inst)).collect();
        self.unknown.extend(more);
        self.unproven += other.unproven;
        self.told_by_cluster += other.told_by_cluster;
        self
    }

    fn verdict(self, items: usize) -> Verdict {
        let proven = self.found.is_empty() && self.is_decided();
        Verdict {
            hazards: grouped(self.found),
            weaker: if proven { self.weaker } else { Vec::new() },
            followed: self.followed.len(),
            unknown: self.unknown,
            unproven: self.unproven,
            told_by_cluster: self.told_by_cluster,
            waits: self.waits.len(),
            items,
            origins: Vec::new(),
        }
    }
}

/// A copy that must be done somewhere.
#[derive(Clone, Copy)]
struct Need {
    copy: usize,
    /// For whom; the end of the kernel, too.
    access: usize,
    /// Where it must be done: the access, or a barrier before it.
    at: usize,
    /// It is in the way of the access, not only perhaps.
    certain: Certain,
}

/// Whether accesses are in each other's way if nothing orders them that is known to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Certain {
    Yes,
    /// If two conditions are what they need not be together.
    Conditions,
    /// If the barrier of the cluster does not order them.
    Cluster,
}

struct Judge<'s> {
    steps: &'s Steps,
    touching: Vec<usize>,
    /// Something arrives when copies are done.
    later: bool,
    /// A barrier is split in arrival and wait: waves that have arrived need not have waited where another wave has.
    splits: bool,
}

impl<'s> Judge<'s> {
    fn new(steps: &'s Steps) -> Judge<'s> {
        let touching = (0..steps.sites.len()).filter(|&node| steps.sites[node].touch.is_some()).collect();
        let later = steps.sites.iter().any(|site| matches!(site.barrier, Some(Barrier::SignalLater(..))));
        let splits = steps.sites.iter().any(|site| !matches!(site.barrier, None | Some(Barrier::Meet)));
        Judge { steps, touching, later, splits }
    }

    fn site(&self, node: usize) -> &'s Site {
        &self.steps.sites[node]
    }

    /// What is known along the paths. `needed`: waits of which it is not asked whether they could leave more.
    fn judged(&self, needed: &[Inst]) -> Judged {
        let mut judged = Judged { waits: self.waits(), ..Judged::default() };
        for &node in &self.touching {
            let (Some(touch), Some(inst)) = (&self.site(node).touch, self.site(node).inst) else { continue };
            match touch.places {
                Some(_) => drop(judged.followed.insert(inst)),
                None if judged.unknown.contains(&inst) => {}
                None => judged.unknown.push(inst),
            }
        }
        let analysis = Analysis::of(std::slice::from_ref(&self.steps.function), AGES);
        let (needs, unordered) = self.needs();
        for need in &needs {
            let Some(lacking) = self.lacking(&analysis, need) else { continue };
            if !judged.is_certain(need.certain) {
                continue;
            }
            let own = need.at == need.access;
            let kind = match () {
                () if self.is_end(need.access) => HazardKind::AtEnd,
                () if own => HazardKind::InFlight,
                () => HazardKind::PublishedEarly,
            };
            let enough = match lacking {
                Lacking::Mark => None,
                Lacking::Wait { n } => Some(n),
            };
            let barrier = self.site(need.at).inst.filter(|_| !own);
            let found = Found { kind, wait: self.last_wait(need.at), barrier, enough };
            judged.note(self.site(need.copy).inst, self.site(need.access).inst, found);
        }
        for (first, second, certain) in unordered {
            if judged.is_certain(certain) {
                let found = Found { kind: HazardKind::Unordered, wait: None, barrier: None, enough: None };
                judged.note(self.site(first).inst, self.site(second).inst, found);
            }
        }
        if judged.found.is_empty() && judged.is_decided() {
            let asked = judged.waits.iter().filter(|wait| !needed.contains(wait));
            judged.weaker = asked.filter_map(|&wait| self.weaker(wait, &needs)).collect();
        }
        judged
    }

    fn lacking(&self, analysis: &Analysis, need: &Need) -> Option<Lacking> {
        analysis.lacking(0, need.at, need.copy as u32, |_| true)
    }

    /// What must be done where, and pairs of accesses that no barrier is between, each with whether that is certain.
    fn needs(&self) -> (Vec<Need>, Vec<(usize, usize, Certain)>) {
        let (mut needs, mut unordered) = (Vec::new(), Vec::new());
        let copies: Vec<usize> = self.touching.iter().copied().filter(|&node| self.is_copy(node)).collect();
        for &access in &self.touching {
            let (barriers, since) = self.barriers_before(access);
            for &copy in &copies {
                let own = self.conflict(copy, access, |mine, theirs| mine == theirs);
                if own > Conflict::No {
                    let certain = if own == Conflict::Certain { Certain::Yes } else { Certain::Conditions };
                    needs.push(Need { copy, access, at: access, certain });
                }
                if let Some(certain) = self.conflict_of_waves(copy, access) {
                    let needed = barriers.iter().filter(|&&(at, waited)| !self.is_told(at, waited, copy));
                    needs.extend(needed.map(|&(at, _)| Need { copy, access, at, certain }));
                }
            }
            for &first in since.iter().filter(|&&first| !self.both_atomic(first, access)) {
                if let Some(certain) = self.conflict_of_waves(first, access) {
                    unordered.push((first, access, certain));
                }
            }
        }
        let ends = (0..self.steps.sites.len()).filter(|&node| self.is_end(node));
        needs.extend(ends.flat_map(|end| {
            copies.iter().map(move |&copy| Need { copy, access: end, at: end, certain: Certain::Yes })
        }));
        (needs, unordered)
    }

    /// Whether the kernel ends there.
    fn is_end(&self, node: usize) -> bool {
        self.site(node).ends
    }

    fn is_copy(&self, node: usize) -> bool {
        self.site(node).touch.as_ref().is_some_and(|touch| touch.copy)
    }

    /// Of which class a copy is that is begun at a node; of those that arrivals tell of.
    fn begun(&self, node: usize) -> Option<Stage> {
        match self.steps.function.steps[node] {
            Step::Issue { stage: stage @ (COPIES | TENSORS), .. } => Some(stage),
            _ => None,
        }
    }

    /// Whether an arrival that waits for copies tells that a copy begun before it is done: the one at a node, or one before it
    /// on every path from the copy, at a barrier that is waited for behind the node or between the two.
    fn is_told(&self, arrival: usize, waited: u64, copy: usize) -> bool {
        let Some(class) = self.begun(copy).filter(|_| self.later) else { return false };
        if matches!(self.site(arrival).barrier, Some(Barrier::SignalLater(_, stage)) if stage == class) {
            return true;
        }
        let mut seen = FxHashSet::default();
        let mut work = vec![(arrival, waited)];
        while let Some((at, mut waited)) = work.pop() {
            match self.site(at).barrier {
                Some(Barrier::SignalLater(number, stage)) if stage == class && waited >> number & 1 != 0 => {
                    continue;
                }
                Some(Barrier::Wait(number)) => waited |= 1 << number,
                _ => {}
            }
            if at == copy {
                return false;
            }
            let before = self.steps.predecessors[at].iter().map(|&before| (before, waited));
            work.extend(before.filter(|state| seen.insert(*state)));
        }
        true
    }

    fn both_atomic(&self, a: usize, b: usize) -> bool {
        let atomic = |node: usize| self.site(node).touch.as_ref().is_some_and(|touch| touch.atomic);
        atomic(a) && atomic(b)
    }

    fn conflict(&self, first: usize, second: usize, which: impl Fn(usize, usize) -> bool) -> Conflict {
        match (&self.site(first).touch, &self.site(second).touch) {
            (Some(first), Some(second)) => first.conflict(second, which),
            _ => Conflict::No,
        }
    }

    /// Whether what one wave does at a node is in the way of what another does at a second one behind it.
    fn conflict_of_waves(&self, first: usize, second: usize) -> Option<Certain> {
        match self.conflict(first, second, |mine, theirs| mine != theirs) {
            Conflict::No => None,
            Conflict::Possible => Some(Certain::Conditions),
            Conflict::Certain => {
                let is_told = |wave: usize| {
                    let tellers = self.steps.tellers.as_ref();
                    tellers.is_some_and(|tellers| self.splits || tellers[wave])
                };
                let untold = self.conflict(first, second, |mine, theirs| mine != theirs && !is_told(mine));
                Some(if untold == Conflict::Certain { Certain::Yes } else { Certain::Cluster })
            }
        }
    }

    /// Where waves arrive at the last barriers before a node, each with the barriers that were waited for since, and the
    /// accesses that lie behind these barriers.
    fn barriers_before(&self, node: usize) -> (Vec<(usize, u64)>, Vec<usize>) {
        let (mut arrivals, mut since) = (Vec::new(), Vec::new());
        let mut seen = FxHashSet::default();
        // Behind the wait of a split barrier, what was before its signal is ordered; what is between them is not. The set of
        // barriers that were waited for on the way, and of which classes an arrival tells that tells of nothing else.
        let mut work: Vec<(usize, u64, Stages)> =
            self.steps.predecessors[node].iter().map(|&before| (before, 0, Stages(0))).collect();
        while let Some((at, mut waited, mut told)) = work.pop() {
            if !seen.insert((at, waited, told)) {
                continue;
            }
            match self.site(at).barrier {
                Some(Barrier::Meet) if told != Stages(0) => continue,
                Some(Barrier::Signal(number)) if told != Stages(0) && waited >> number & 1 != 0 => continue,
                Some(Barrier::SignalLater(number, stage)) if waited >> number & 1 != 0 => {
                    if told == Stages(0) {
                        arrivals.push((at, waited));
                    }
                    told.0 |= 1 << stage;
                }
                Some(Barrier::Meet) => {
                    arrivals.push((at, waited));
                    continue;
                }
                Some(Barrier::Signal(number)) if waited >> number & 1 != 0 => {
                    arrivals.push((at, waited));
                    continue;
                }
                Some(Barrier::Wait(number)) => waited |= 1 << number,
                _ => {}
            }
            if self.site(at).touch.is_some() && !self.begun(at).is_some_and(|stage| told.has(stage)) {
                since.push(at);
            }
            work.extend(self.steps.predecessors[at].iter().map(|&before| (before, waited, told)));
        }
        (arrivals, since)
    }

    /// The last wait for copies before a node, on some path.
    fn last_wait(&self, node: usize) -> Option<Inst> {
        let mut seen = FxHashSet::default();
        let mut work = std::collections::VecDeque::from([node]);
        while let Some(at) = work.pop_front() {
            if self.site(at).waits {
                return self.site(at).inst;
            }
            work.extend(self.steps.predecessors[at].iter().filter(|&&before| seen.insert(before)));
        }
        None
    }

    fn waits(&self) -> Vec<Inst> {
        let mut waits: Vec<Inst> =
            self.steps.sites.iter().filter(|site| site.waits).filter_map(|site| site.inst).collect();
        waits.sort_unstable();
        waits.dedup();
        waits
    }

    /// How many a wait may leave, if that is more than it leaves.
    fn weaker(&self, wait: Inst, needs: &[Need]) -> Option<Weaker> {
        let nodes: Vec<usize> =
            (0..self.steps.sites.len()).filter(|&node| self.site(node).inst == Some(wait)).collect();
        let &Step::Wait { n: Bound { least: now, most: Some(_) }, .. } =
            self.steps.function.steps.get(*nodes.first()?)?
        else {
            return None;
        };
        if self
            .touching
            .iter()
            .any(|&node| self.site(node).touch.as_ref().is_some_and(|touch| touch.elsewhere))
        {
            return None;
        }
        let holds = |n: Bound| {
            let function = self.with(&nodes, n);
            let analysis = Analysis::of(std::slice::from_ref(&function), AGES);
            needs.iter().all(|need| self.lacking(&analysis, need).is_none())
        };
        if holds(Bound::ANY) {
            return Some(Weaker { wait, now, enough: None });
        }
        let more = (now + 1..=MOST_LEFT).take_while(|&n| holds(Bound::exactly(n))).last();
        more.map(|enough| Weaker { wait, now, enough: Some(enough) })
    }

    fn with(&self, nodes: &[usize], left: Bound) -> Function {
        let mut function = self.steps.function.clone();
        for &node in nodes {
            if let Step::Wait { n, .. } = &mut function.steps[node] {
                *n = left;
            }
        }
        function
    }
}
