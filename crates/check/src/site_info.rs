//! What the checker needs to know of an instruction, worked out once per instruction and VGPR bank state.
//!
//! Registers are numbered in one space: scalar registers by their canonical index in the simulator, then
//! [`SCC`], then VGPRs, then AGPRs.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use wavemark_isa::effects::{Channel, Effects, Half, Offsets, RegUse, Touched, Verb, VgprMsb, effects};
use wavemark_isa::row::{Access, OperandSpec};
use wavemark_isa::{RegFile, Special};
use wavemark_sim::events::Site;
use wavemark_sim::regs::{Regs, sindex};
use wavemark_target::Machine;

use crate::register_set::{self, Masks};

/// The number of SCC.
pub const SCC: u32 = 158;
/// The number of `v0`.
pub const VGPR0: u32 = 160;
/// The number of `a0`.
pub const AGPR0: u32 = VGPR0 + 1024;
/// How many numbers there are.
pub const REGISTERS: usize = AGPR0 as usize + 512;

/// A run of registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegRange {
    /// The first.
    pub from: u32,
    /// How many.
    pub count: u32,
}

impl RegRange {
    /// The registers.
    pub fn numbers(self) -> std::ops::Range<u32> {
        self.from..self.from + self.count
    }

    /// Whether some register is in both.
    pub fn meets(self, other: RegRange) -> bool {
        self.from < other.from + other.count && other.from < self.from + self.count
    }
}

/// The name of a register number, for messages.
pub fn register_name(number: u32) -> String {
    match number {
        SCC => "scc".to_owned(),
        n if n >= AGPR0 => format!("a{}", n - AGPR0),
        n if n >= VGPR0 => format!("v{}", n - VGPR0),
        sindex::VCC => "vcc_lo".to_owned(),
        n if n == sindex::VCC + 1 => "vcc_hi".to_owned(),
        sindex::M0 => "m0".to_owned(),
        sindex::EXEC => "exec_lo".to_owned(),
        n if n == sindex::EXEC + 1 => "exec_hi".to_owned(),
        n if (sindex::TTMP0..sindex::TTMP0 + 16).contains(&n) => format!("ttmp{}", n - sindex::TTMP0),
        n => format!("s{n}"),
    }
}

/// A run of registers that an instruction touches.
#[derive(Clone, Copy, Debug)]
pub struct Used {
    /// Which.
    pub range: RegRange,
    /// It is read.
    pub read: bool,
    /// It is written.
    pub write: bool,
    /// It is a lane mask.
    pub lanes: bool,
    /// It is a part of the address of a memory operation.
    pub address: bool,
    /// Which operand; `None` for implicit uses.
    pub operand: Option<u8>,
}

/// An instruction as the checker sees it.
#[derive(Clone, Debug)]
pub struct SiteInfo {
    /// The instruction.
    pub site: Site,
    /// Its LLVM name.
    pub mnemonic: &'static str,
    /// Registers that it touches, and how.
    pub uses: SmallVec<[Used; 6]>,
    /// All of them, those that it only reads, and those that it writes.
    pub(crate) touched: Masks,
    pub(crate) read_only: Masks,
    pub(crate) written: Masks,
    /// Vector operands count only if some lane is on.
    pub heeds_exec: bool,
    /// The half of its data register that it loads or stores, where the machine tells halves apart.
    half: Option<Half>,
    /// It only moves what it reads: saving a register that holds nothing yet is no use of it.
    pub copies: bool,
    /// All effects.
    pub effects: Effects,
}

fn special(special: Special) -> Option<RegRange> {
    let range = |from, count| Some(RegRange { from, count });
    match special {
        Special::Vcc => range(sindex::VCC, 2),
        Special::VccLo => range(sindex::VCC, 1),
        Special::VccHi => range(sindex::VCC + 1, 1),
        Special::Exec => range(sindex::EXEC, 2),
        Special::ExecLo => range(sindex::EXEC, 1),
        Special::ExecHi => range(sindex::EXEC + 1, 1),
        Special::M0 => range(sindex::M0, 1),
        Special::Scc => range(SCC, 1),
        _ => None,
    }
}

impl SiteInfo {
    /// What the checker sees of an instruction. Registers that M0 moves are not among them: see [`Sites::moved`].
    pub(crate) fn new(machine: Machine, site: &Site) -> SiteInfo {
        let effects = effects(machine, &site.inst);
        let named = effects.relative.is_none();
        let info = SiteInfo {
            site: site.clone(),
            mnemonic: site.inst.mnemonic(machine),
            uses: SmallVec::new(),
            touched: Masks::new(),
            read_only: Masks::new(),
            written: Masks::new(),
            heeds_exec: effects.heeds_exec(),
            half: effects
                .memory
                .and_then(|memory| memory.half())
                .filter(|_| machine.facts().keeps_other_half),
            copies: effects.copies,
            effects,
        };
        info.with_registers(machine, |_, range| named.then_some(range))
    }

    /// With these registers: `place` says where those are that an operand names, if anywhere.
    fn with_registers(
        mut self,
        machine: Machine,
        place: impl Fn(&OperandSpec, RegRange) -> Option<RegRange>,
    ) -> SiteInfo {
        let row = self.site.inst.row(machine);
        self.uses.clear();
        let masks = [&mut self.touched, &mut self.read_only, &mut self.written];
        masks.into_iter().for_each(Masks::clear);
        for used in &self.effects.regs {
            let range = match used.reg {
                Touched::Reg(reg) => {
                    let count = u32::from(reg.dwords.max(1));
                    match reg.file {
                        RegFile::Sgpr => RegRange { from: u32::from(reg.index), count },
                        RegFile::Ttmp => RegRange { from: sindex::TTMP0 + u32::from(reg.index), count },
                        RegFile::Agpr => RegRange { from: AGPR0 + u32::from(reg.index), count },
                        RegFile::Vgpr => {
                            let base = VgprMsb(self.site.msb).offset(used.bank);
                            RegRange { from: VGPR0 + base + u32::from(reg.index), count }
                        }
                    }
                }
                Touched::Special(s) => match special(s) {
                    Some(range) => range,
                    None => continue,
                },
                Touched::Mode => continue,
            };
            let &RegUse { read, write, lanes, address, operand, .. } = used;
            let spec = operand.and_then(|operand| row.operands.get(usize::from(operand)));
            let range = match spec {
                Some(spec) => match place(spec, range) {
                    Some(range) => range,
                    None => continue,
                },
                None => range,
            };
            if read || write {
                register_set::add(&mut self.touched, range.numbers());
            }
            if read && !write {
                register_set::add(&mut self.read_only, range.numbers());
            }
            if write {
                register_set::add(&mut self.written, range.numbers());
            }
            self.uses.push(Used { range, read, write, lanes, address, operand });
        }
        self
    }

    /// Registers that it reads and does not write.
    pub fn reads(&self) -> impl Iterator<Item = RegRange> + '_ {
        self.uses.iter().filter(|used| used.read && !used.write).map(|used| used.range)
    }

    /// Registers that it both reads and writes (accumulators, merges). A load into one half of a register reads nothing:
    /// its datum replaces that half when it arrives.
    pub fn merges(&self) -> impl Iterator<Item = RegRange> + '_ {
        let half = self.loads_half();
        self.uses.iter().filter(move |used| used.read && used.write && !half).map(|used| used.range)
    }

    /// Whether it loads one half of a register.
    fn loads_half(&self) -> bool {
        self.effects.memory.is_some_and(|memory| memory.verb == Verb::Load && memory.extend.is_half())
    }

    /// Registers that it writes.
    pub fn writes(&self) -> impl Iterator<Item = RegRange> + '_ {
        self.uses.iter().filter(|used| used.write).map(|used| used.range)
    }

    /// Whether it loads or stores one half of a register, where the machine tells halves apart.
    pub(crate) fn touches_half(&self) -> bool {
        self.half.is_some()
    }

    /// Whether `later` touches the other half of a register that this loads one half of, and neither reads nor writes that one:
    /// memory operations access each half for itself, where they are of one kind or the later one stores. (LLVM's
    /// `SIInsertWaitcnts`, "D16Write32BitVgpr"; what computes writes the whole register.)
    pub(crate) fn leaves_half_to(&self, later: &SiteInfo, register: u32) -> bool {
        let apart = matches!((self.half, later.half), (Some(own), Some(other)) if own != other);
        let is_address =
            || later.uses.iter().any(|used| used.address && used.range.numbers().contains(&register));
        let stores = || later.effects.memory.is_some_and(|memory| memory.verb == Verb::Store);
        apart && (stores() || self.effects.channels == later.effects.channels) && !is_address()
    }

    /// Whether `later` may write a register that this load writes before the load does: in-order classes return in order,
    /// but on gfx12 on, where the write-back of vector loads may be out of order (CDNA5 ISA 5.7.1).
    pub(crate) fn may_be_overtaken_by(&self, later: &SiteInfo) -> bool {
        match self.effects.channels[..] {
            [channel @ (Channel::Ds | Channel::Vm), ..] => later.effects.channels[..] != [channel],
            _ => true,
        }
    }

    /// The mask by which lanes take one of two sources, if that is what it does and nothing else.
    pub fn selection(&self) -> Option<RegRange> {
        let is_scalar = |used: &Used| used.range.from < SCC && used.range.from != sindex::EXEC;
        let mask = |used: &&Used| used.read && used.lanes && is_scalar(used);
        let selects = self.effects.selects && self.site.inst.second.is_none();
        self.uses.iter().find(mask).map(|used| used.range).filter(|_| selects)
    }
}

/// Number of an instruction in [`Sites`].
pub type SiteId = u32;

/// All instructions met so far.
#[derive(Debug)]
pub struct Sites {
    machine: Machine,
    list: Vec<Arc<SiteInfo>>,
    by_place: FxHashMap<(u64, u8), SiteId>,
    /// Some of them name registers relative to M0.
    any_relative: bool,
    /// Those of [`Sites::moved`].
    by_offsets: FxHashMap<(SiteId, Offsets), SiteId>,
    /// Look-ups of late, by the low bits of the dword address.
    recent: Box<[(u64, u8, SiteId); RECENT]>,
}

/// All offsets from here on lead beyond the last register.
const BEYOND: u32 = AGPR0 - VGPR0;
/// Entries of [`Sites::recent`].
const RECENT: usize = 1024;

impl Sites {
    /// None yet.
    pub fn new(machine: Machine) -> Sites {
        // No instruction stands at an odd address.
        let recent = Box::new([(1, 0, 0); RECENT]);
        Sites {
            machine,
            list: Vec::new(),
            by_place: FxHashMap::default(),
            any_relative: false,
            by_offsets: FxHashMap::default(),
            recent,
        }
    }

    /// Whose instructions they are.
    pub fn machine(&self) -> Machine {
        self.machine
    }

    /// The number of an instruction.
    #[inline]
    pub fn id(&mut self, site: &Site) -> SiteId {
        let (pc, msb, id) = self.recent[(site.pc / 4) as usize % RECENT];
        if (pc, msb) == (site.pc, site.msb) {
            return id;
        }
        let id = self.look_up(site);
        self.recent[(site.pc / 4) as usize % RECENT] = (site.pc, site.msb, id);
        id
    }

    fn look_up(&mut self, site: &Site) -> SiteId {
        if let Some(&id) = self.by_place.get(&(site.pc, site.msb)) {
            return id;
        }
        let id = self.list.len() as SiteId;
        let info = SiteInfo::new(self.machine, site);
        self.any_relative |= info.effects.relative.is_some();
        self.list.push(Arc::new(info));
        self.by_place.insert((site.pc, site.msb), id);
        id
    }

    /// Whether M0 may say which registers an instruction means.
    #[inline]
    pub fn may_move(&self, regs: &Regs) -> bool {
        self.any_relative || regs.vgpr_index().is_some()
    }

    /// The number of an instruction with the registers that it means now; `None` if those are the ones that it names.
    #[cold]
    pub fn moved(&mut self, id: SiteId, regs: &Regs) -> Option<SiteId> {
        let effects = &self.get(id).effects;
        let mut offsets = match effects.relative {
            Some(relative) => relative.offsets(regs.s[sindex::M0 as usize]),
            None => regs.vgpr_index().filter(|_| effects.unit.is_vector())?,
        };
        for offset in offsets.sources.iter_mut().chain([&mut offsets.destination]) {
            *offset = (*offset).min(BEYOND);
        }
        if let Some(&id) = self.by_offsets.get(&(id, offsets)) {
            return Some(id);
        }
        let info = self.get(id);
        let vector = info.effects.unit.is_vector();
        let moved = info.clone().with_registers(self.machine, |spec, range| {
            // What a vector instruction names relatively is a VGPR, and what a scalar one does an SGPR. Beyond the last one
            // a source is the first one, and a destination is not written.
            let (first, end) = if vector { (VGPR0, VGPR0 + regs.vgprs) } else { (0, sindex::VCC) };
            if !(first..end).contains(&range.from) {
                return Some(range);
            }
            match range.from.checked_add(offsets.of(spec)) {
                Some(from) if from.saturating_add(range.count) <= end => Some(RegRange { from, ..range }),
                _ => (spec.access != Access::Write).then_some(RegRange { from: first, ..range }),
            }
        });
        let new = self.list.len() as SiteId;
        self.list.push(Arc::new(moved));
        self.by_offsets.insert((id, offsets), new);
        Some(new)
    }

    /// The number of the instruction at an address with these upper VGPR bits, if it was met.
    pub fn find(&self, pc: u64, msb: u8) -> Option<SiteId> {
        self.by_place.get(&(pc, msb)).copied()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// All of them, by number.
    pub fn all(&self) -> impl Iterator<Item = (SiteId, &SiteInfo)> {
        (0..).zip(self.list.iter().map(Arc::as_ref))
    }

    /// What is known of it.
    pub fn get(&self, id: SiteId) -> &SiteInfo {
        &self.list[id as usize]
    }

    /// The same, to keep.
    pub fn shared(&self, id: SiteId) -> Arc<SiteInfo> {
        Arc::clone(&self.list[id as usize])
    }
}
