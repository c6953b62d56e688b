//! The control flow graph of a kernel's machine code.
//!
//! Code is what paths reach from the entry. An instruction is met once for each state of the upper VGPR bits in which
//! paths come to it (gfx1250), so that its registers are known.

use std::collections::BTreeMap;

use smallvec::SmallVec;
use wavemark_budget::room_for;
use wavemark_isa::effects::{Control, Flow, HwField, HwReg, effects};
use wavemark_isa::{Inst, Operand, decode_as_executed};
use wavemark_sim::Kernel;
use wavemark_sim::events::Site;
use wavemark_target::Machine;

use crate::site_info::{SiteId, Sites};

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
    /// What is called is not followed.
    Call,
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
            GapKind::Call => "what is called is not followed",
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
}

/// Memory is asked for so many instructions at a time, and so much for each, with the states of paths.
const MEASURED: usize = 4096;
const BYTES: u64 = 4096;

/// An address, and the upper VGPR bits there.
type Point = (u64, u8);

/// An instruction on a path, and where paths go on.
struct Node {
    site: SiteId,
    next: SmallVec<[Point; 2]>,
}

impl Code {
    pub fn of(kernel: &Kernel) -> Code {
        let entry = (kernel.first_instruction(), 0);
        let mut sites = Sites::new(kernel.machine);
        let mut nodes: BTreeMap<Point, Node> = BTreeMap::new();
        let mut gaps = Vec::new();
        let mut waiting = vec![entry];
        while let Some((pc, msb)) = waiting.pop() {
            if nodes.contains_key(&(pc, msb)) {
                continue;
            }
            if nodes.len().is_multiple_of(MEASURED) && room_for(MEASURED as u64 * BYTES).is_err() {
                gaps.push(Gap { pc, kind: GapKind::TooMuch });
                break;
            }
            let Some(inst) = instruction_at(kernel, pc) else {
                gaps.push(Gap { pc, kind: GapKind::NotCode });
                continue;
            };
            let (next, gap) = successors(kernel.machine, (pc, msb), &inst);
            gaps.extend(gap.map(|kind| Gap { pc, kind }));
            waiting.extend(&next);
            let site = sites.id(&Site { pc, inst, msb });
            nodes.insert((pc, msb), Node { site, next });
        }
        gaps.sort_by_key(|gap| gap.pc);
        gaps.dedup();
        let instructions = nodes.len();
        Code { sites, blocks: blocks(entry, &nodes), gaps, instructions }
    }
}

fn instruction_at(kernel: &Kernel, pc: u64) -> Option<Inst> {
    let at = usize::try_from(pc.checked_sub(kernel.code.base)?).ok()?;
    decode_as_executed(kernel.machine, kernel.code.bytes.get(at..)?).ok()
}

/// Where paths go on from an instruction, and what is not known of that.
fn successors(machine: Machine, (pc, msb): Point, inst: &Inst) -> (SmallVec<[Point; 2]>, Option<GapKind>) {
    let effects = effects(machine, inst);
    let msb = match upper_bits(machine, msb, effects.control, inst) {
        Ok(msb) => msb,
        Err(kind) => return (SmallVec::new(), Some(kind)),
    };
    let flow = effects.flow;
    let known = inst.branch_target(machine, pc).is_some();
    let gap = match flow {
        Flow::Call => Some(GapKind::Call),
        Flow::Indirect => Some(GapKind::Indirect),
        _ if flow.has_target() && !known => Some(GapKind::Indirect),
        _ => None,
    };
    let mut next: SmallVec<[Point; 2]> =
        flow.next(machine, inst, pc).into_iter().map(|address| (address, msb)).collect();
    // What is called is not followed; it comes back behind the call.
    if flow == Flow::Call {
        next.truncate(1);
    }
    (next, gap)
}

/// The upper VGPR bits behind an instruction.
fn upper_bits(machine: Machine, msb: u8, control: Option<Control>, inst: &Inst) -> Result<u8, GapKind> {
    let simm = inst.operands.iter().find_map(|operand| match operand {
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

/// The nodes as blocks: runs that are entered at the top and left at the bottom alone.
fn blocks(entry: Point, nodes: &BTreeMap<Point, Node>) -> Vec<Block> {
    let mut entered: BTreeMap<Point, u32> = BTreeMap::from([(entry, 2)]);
    for node in nodes.values() {
        for next in &node.next {
            // Several ways on are several blocks.
            *entered.entry(*next).or_default() += if node.next.len() > 1 { 2 } else { 1 };
        }
    }
    let mut heads = vec![entry];
    heads.extend(
        entered.iter().filter(|&(point, &ways)| ways > 1 && *point != entry).map(|(point, _)| *point),
    );
    heads.retain(|point| nodes.contains_key(point));
    let numbers: BTreeMap<Point, usize> = heads.iter().enumerate().map(|(at, &head)| (head, at)).collect();
    let mut blocks: Vec<Block> = Vec::new();
    for &head in &heads {
        let mut block = Block::default();
        let mut at = head;
        while let Some(node) = nodes.get(&at) {
            block.sites.push(node.site);
            match node.next[..] {
                [next] if !numbers.contains_key(&next) && nodes.contains_key(&next) => at = next,
                _ => {
                    block.successors =
                        node.next.iter().filter_map(|next| numbers.get(next).copied()).collect();
                    break;
                }
            }
        }
        blocks.push(block);
    }
    if blocks.is_empty() {
        blocks.push(Block::default());
    }
    blocks
}
