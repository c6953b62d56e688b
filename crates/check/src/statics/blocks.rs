//! The control flow graph of a kernel's machine code.
//!
//! Code is what paths reach from the entry. An instruction is met once for each state of the upper VGPR bits in which
//! paths come to it (gfx1250), so that its registers are known, and once for each chain of calls under which they do, so
//! that a function comes back to whom called it ([`calls`](super::calls)); and once for what paths know of the outcomes of
//! comparisons that are made at several places ([`conditions`](super::conditions)).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use wavemark_budget::room_for;
use wavemark_isa::effects::{Control, Flow, HwField, HwReg};
use wavemark_isa::{Inst, Operand, decode_as_executed};
use wavemark_sim::events::Site;
use wavemark_sim::foresight::known::{Constants, Knower, Known};
use wavemark_sim::{Kernel, Segment};
use wavemark_target::Machine;

use super::calls::{Chain, ChainId};
use super::conditions::{Conditions, Outcomes};
use crate::site_info::{SiteId, SiteInfo, Sites};

/// Where a path goes on in a way that is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// The address.
    pub pc: u64,
    /// Why.
    pub kind: GapKind,
}

/// Why it is not known how a path goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GapKind {
    /// The target is in registers.
    Indirect,
    /// What is called is not known: the target is in registers.
    Call,
    /// A function calls itself, perhaps by others: that call is not followed.
    Recursion,
    /// There are too many chains of calls to follow this one.
    Calls,
    /// The upper VGPR bits come from a register.
    VgprMsb,
    /// There is no instruction there.
    NotCode,
    /// The code is more than memory holds.
    TooMuch,
}

impl std::fmt::Display for GapKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            GapKind::Indirect => "where the jump goes is in registers",
            GapKind::Call => "what is called is in registers",
            GapKind::Recursion => "a function that calls itself is not followed into that call",
            GapKind::Calls => "there are too many chains of calls: this one is not followed",
            GapKind::VgprMsb => "the upper VGPR bits come from a register",
            GapKind::NotCode => "there is no instruction",
            GapKind::TooMuch => "the rest of the code is more than memory holds",
        })
    }
}

/// Instructions that are executed one after the other.
#[derive(Debug, Default)]
pub(super) struct Block {
    pub sites: Vec<SiteId>,
    /// Under which chain of calls each is executed.
    pub chains: Vec<ChainId>,
    pub successors: Vec<usize>,
}

/// The code on the paths of a kernel.
#[derive(Debug)]
pub(super) struct Code {
    pub sites: Sites,
    /// The first one is the entry's.
    pub blocks: Vec<Block>,
    pub gaps: Vec<Gap>,
    pub instructions: usize,
    /// Calls that are not followed; they come back behind the call.
    opaque: FxHashSet<SiteId>,
    /// What stands in functions that are called: other kernels may call them, too.
    called: FxHashSet<SiteId>,
}

/// Memory is asked for so many instructions at a time, and so much for each, with the states of paths.
const MEASURED: usize = 4096;
const BYTES: u64 = 4096;

/// So many instructions in functions that are called, each as often as there are chains of calls to it.
const CALLED: usize = 1 << 18;

/// Where a path is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Point {
    chain: ChainId,
    pc: u64,
    /// The upper VGPR bits there.
    msb: u8,
    outcomes: Outcomes,
}

/// Paths that are told apart by outcomes may be so many times as many instructions.
const TIMES: usize = 3;

type NodeId = u32;

/// An instruction on a path, and where paths go on.
struct Node {
    point: Point,
    /// `None`: there is no instruction, or it was not looked at.
    site: Option<SiteId>,
    /// What is known before it.
    known: Known,
    /// It is among those that are [`waiting`](Paths::waiting).
    waits: bool,
    next: SmallVec<[NodeId; 2]>,
}

/// All paths from an entry.
struct Paths<'k> {
    kernel: &'k Kernel,
    sites: Sites,
    nodes: Vec<Node>,
    by_point: FxHashMap<Point, NodeId>,
    conditions: Conditions,
    chain: Chain,
    /// Nodes from which paths are to be followed, by their rank: the last one, or where something may be `known` before them
    /// the one with the lowest address, so that most are come to when all paths to them have been.
    waiting: BinaryHeap<(Reverse<u64>, NodeId)>,
    knows: bool,
    gaps: Vec<Gap>,
    opaque: FxHashSet<SiteId>,
    called: usize,
    /// Some path goes where registers say.
    leaves: bool,
}

impl Code {
    /// The code of a kernel; `constants` is memory that nothing changes, in which addresses of functions may stand.
    pub fn of(kernel: &Kernel, constants: Constants<'_>) -> Code {
        // What registers hold costs time, and is asked for where paths depend on it alone.
        let mut paths = Paths::new(kernel, Sites::new(kernel.machine), Conditions::none(kernel));
        let mut knower = None;
        if !paths.walk_to_end_if(|paths| !paths.leaves, None) {
            knower = Knower::new(kernel, constants).ok();
            paths = paths.anew(Conditions::none(kernel));
            paths.walk_to_end_if(|_| true, knower.as_mut());
        }
        let conditions = Conditions::repeated(kernel, &paths.sites, &paths.blocks());
        if !conditions.is_empty() {
            let most = paths.nodes.len() * TIMES + MEASURED;
            let mut apart = paths.anew(conditions);
            if apart.walk_to_end_if(|apart| apart.nodes.len() <= most, knower.as_mut()) {
                paths = apart;
            } else {
                paths.sites = apart.sites;
            }
        }
        paths.gaps.sort_by_key(|gap| gap.pc);
        paths.gaps.dedup();
        let (instructions, blocks) = (paths.sites.len(), paths.blocks());
        let called = paths.nodes.iter().filter(|node| node.point.chain != ChainId::KERNEL);
        let called = called.filter_map(|node| node.site).collect();
        Code { sites: paths.sites, blocks, gaps: paths.gaps, instructions, opaque: paths.opaque, called }
    }

    /// The paths that are looked at, of which an instruction is on some, in words.
    pub fn any_path(&self, site: SiteId) -> &'static str {
        if self.called.contains(&site) { "any path of this kernel" } else { "any path" }
    }

    /// Whether an instruction is a call that is not followed.
    pub fn is_opaque(&self, site: SiteId) -> bool {
        self.opaque.contains(&site)
    }
}

impl<'k> Paths<'k> {
    fn new(kernel: &'k Kernel, sites: Sites, conditions: Conditions) -> Paths<'k> {
        let mut paths = Paths {
            kernel,
            sites,
            nodes: Vec::new(),
            by_point: FxHashMap::default(),
            conditions,
            chain: Chain::default(),
            waiting: BinaryHeap::new(),
            knows: false,
            gaps: Vec::new(),
            opaque: FxHashSet::default(),
            called: 0,
            leaves: false,
        };
        let (pc, outcomes) = (kernel.first_instruction(), Outcomes::default());
        let entry = Point { chain: ChainId::KERNEL, pc, msb: 0, outcomes };
        paths.reach(entry, &Known::default());
        paths
    }

    /// From the entry again; instructions keep their numbers.
    fn anew(&mut self, conditions: Conditions) -> Paths<'k> {
        let sites = std::mem::replace(&mut self.sites, Sites::new(self.kernel.machine));
        Paths::new(self.kernel, sites, conditions)
    }

    /// The node of a point that paths come to with this knowledge.
    fn reach(&mut self, point: Point, known: &Known) -> NodeId {
        if let Some(&id) = self.by_point.get(&point) {
            if self.nodes[id as usize].known.meet(known) {
                self.wait(id);
            }
            return id;
        }
        let id = self.nodes.len() as NodeId;
        self.called += usize::from(point.chain != ChainId::KERNEL);
        let known = known.clone();
        self.nodes.push(Node { point, site: None, known, waits: false, next: SmallVec::new() });
        self.by_point.insert(point, id);
        self.wait(id);
        id
    }

    /// Paths are to be followed from a node.
    fn wait(&mut self, id: NodeId) {
        let node = &mut self.nodes[id as usize];
        if !std::mem::replace(&mut node.waits, true) {
            let rank = if self.knows { node.point.pc } else { 0 };
            self.waiting.push((Reverse(rank), id));
        }
    }

    /// Walks all paths as long as it is `worth` it; whether it was to the end.
    fn walk_to_end_if(
        &mut self,
        worth: impl Fn(&Paths<'k>) -> bool,
        mut knower: Option<&mut Knower<'_>>,
    ) -> bool {
        let nothing = Known::default();
        self.knows = knower.is_some();
        while let Some((_, id)) = self.waiting.pop() {
            if !worth(self) {
                return false;
            }
            let node = &mut self.nodes[id as usize];
            node.waits = false;
            let Point { pc, msb, .. } = node.point;
            let new = node.site.is_none() && (id as usize).is_multiple_of(MEASURED);
            if new && room_for(MEASURED as u64 * BYTES).is_err() {
                self.gaps.push(Gap { pc, kind: GapKind::TooMuch });
                break;
            }
            let site = match node.site.or_else(|| self.sites.find(pc, msb)) {
                Some(site) => site,
                None => {
                    let Some(inst) = instruction_at(self.kernel.machine, &self.kernel.code, pc) else {
                        self.gaps.push(Gap { pc, kind: GapKind::NotCode });
                        continue;
                    };
                    self.sites.id(&Site { pc, inst, msb })
                }
            };
            node.site = Some(site);
            let (known, target) = match &mut knower {
                Some(knower) => knower.step((pc, msb), &self.sites.get(site).effects, &node.known),
                None => (nothing.clone(), None),
            };
            match self.successors(id, site, &known, target) {
                Ok(next) => {
                    for to in next {
                        let node = &mut self.nodes[id as usize];
                        if !node.next.contains(&to) {
                            node.next.push(to);
                        }
                    }
                }
                Err(kind) => self.gaps.push(Gap { pc, kind }),
            }
        }
        worth(self)
    }

    /// Where paths go on from a node, with what is `known` behind it, and where it goes if it is a branch and that is known.
    fn successors(
        &mut self,
        id: NodeId,
        site: SiteId,
        known: &Known,
        target: Option<u64>,
    ) -> Result<SmallVec<[NodeId; 2]>, GapKind> {
        let machine = self.kernel.machine;
        let Point { chain, pc, .. } = self.nodes[id as usize].point;
        let info = self.sites.get(site);
        let msb = upper_bits(machine, self.nodes[id as usize].point.msb, info)?;
        let (flow, inst) = (info.effects.flow, &info.site.inst);
        let label = if flow.has_target() { inst.branch_target(machine, pc) } else { None };
        let before = self.nodes[id as usize].point.outcomes;
        let outcomes = self.conditions.behind(before, site, info);
        let to = |pc: u64, chain: ChainId| Point { chain, pc, msb, outcomes };
        match flow {
            Flow::Next => {
                let behind = to(pc.wrapping_add(u64::from(inst.size)), chain);
                Ok(SmallVec::from_slice(&[self.reach(behind, known)]))
            }
            Flow::Call => {
                self.leaves = true;
                let behind = pc.wrapping_add(u64::from(inst.size));
                let known_target = label.or(target).ok_or(GapKind::Call);
                let called = known_target.and_then(|function| {
                    if self.called >= CALLED {
                        return Err(GapKind::Calls);
                    }
                    let called = self.chain.call(chain, id, function, behind).ok_or(GapKind::Recursion)?;
                    Ok(to(function, called))
                });
                match called {
                    Ok(function) => {
                        // What is fetched back from memory behind the call is what is known here.
                        for back in self.chain.returns(function.chain).to_vec() {
                            self.wait(back);
                        }
                        Ok(SmallVec::from_slice(&[self.reach(function, known)]))
                    }
                    Err(kind) => {
                        self.gaps.push(Gap { pc, kind });
                        self.opaque.insert(site);
                        let known = Known::default().behind_call(&self.nodes[id as usize].known);
                        let behind = Point { outcomes: Outcomes::default(), ..to(behind, chain) };
                        Ok(SmallVec::from_slice(&[self.reach(behind, &known)]))
                    }
                }
            }
            Flow::Indirect => {
                self.leaves = true;
                let target = target.ok_or(GapKind::Indirect)?;
                let Some((called, call)) = self.chain.returning(chain, target) else {
                    return Ok(SmallVec::from_slice(&[self.reach(to(target, chain), known)]));
                };
                self.chain.comes_back(called, id);
                let known = known.behind_call(&self.nodes[call as usize].known);
                let caller = self.nodes[call as usize].point.chain;
                Ok(SmallVec::from_slice(&[self.reach(to(target, caller), &known)]))
            }
            _ => {
                if flow.has_target() && label.is_none() {
                    self.gaps.push(Gap { pc, kind: GapKind::Indirect });
                }
                let next: SmallVec<[u64; 2]> = flow.next(machine, inst, pc);
                let decides = info.effects.branches_if.filter(|_| next.len() > 1 && next[0] != next[1]);
                let next = next.into_iter().filter(|&pc| self.conditions.may_go(site, pc));
                let next = next.filter_map(|pc| {
                    let outcomes = match decides {
                        None => outcomes,
                        Some(value) => {
                            self.conditions.decided(before, site, info, value == (label == Some(pc)))?
                        }
                    };
                    Some(Point { outcomes, ..to(pc, chain) })
                });
                let next: SmallVec<[Point; 2]> = next.collect();
                Ok(next.into_iter().map(|point| self.reach(point, known)).collect())
            }
        }
    }

    /// The nodes as blocks: runs that are entered at the top and left at the bottom alone.
    fn blocks(&self) -> Vec<Block> {
        const ENTRY: usize = 0;
        let mut entered = vec![0u32; self.nodes.len()];
        entered[ENTRY] = 2;
        for node in &self.nodes {
            for &next in &node.next {
                // Several ways on are several blocks.
                entered[next as usize] += if node.next.len() > 1 { 2 } else { 1 };
            }
        }
        let is_head = |id: &usize| entered[*id] > 1 && self.nodes[*id].site.is_some();
        let mut heads: Vec<usize> = (1..self.nodes.len()).filter(is_head).collect();
        heads.sort_unstable_by_key(|&id| self.nodes[id].point);
        heads.insert(0, ENTRY);
        let mut numbers = vec![usize::MAX; self.nodes.len()];
        heads.iter().enumerate().for_each(|(number, &id)| numbers[id] = number);
        let number = |id: NodeId| Some(numbers[id as usize]).filter(|&number| number != usize::MAX);
        let block = |&head: &usize| {
            let mut block = Block::default();
            let mut at = head;
            while let Some(site) = self.nodes[at].site {
                block.sites.push(site);
                block.chains.push(self.nodes[at].point.chain);
                match self.nodes[at].next[..] {
                    [next] if number(next).is_none() => at = next as usize,
                    ref next => {
                        block.successors = next.iter().filter_map(|&next| number(next)).collect();
                        break;
                    }
                }
            }
            block
        };
        heads.iter().map(block).collect()
    }
}

/// The instruction at an address, as it is executed.
pub(crate) fn instruction_at(machine: Machine, code: &Segment, pc: u64) -> Option<Inst> {
    let at = usize::try_from(pc.checked_sub(code.base)?).ok()?;
    decode_as_executed(machine, code.bytes.get(at..)?).ok()
}

/// The upper VGPR bits behind an instruction.
pub(crate) fn upper_bits(machine: Machine, msb: u8, info: &SiteInfo) -> Result<u8, GapKind> {
    let control = info.effects.control;
    if !matches!(control, Some(Control::VgprMsb | Control::SetReg)) {
        return Ok(msb);
    }
    let simm = info.site.inst.operands.iter().find_map(|operand| match operand {
        Operand::Imm(value) => Some(*value),
        _ => None,
    });
    match (control, simm) {
        (Some(Control::VgprMsb), Some(value)) => Ok(value as u8),
        (Some(Control::SetReg), Some(value)) if machine.facts().vgpr_msb_in_mode() => {
            let field = HwField::from_simm16(value as u16);
            let touches = HwReg::of(machine, field.id) == HwReg::Mode && field.mask() >> 12 & 0xff != 0;
            if touches { Err(GapKind::VgprMsb) } else { Ok(msb) }
        }
        _ => Ok(msb),
    }
}
