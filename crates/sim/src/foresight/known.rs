//! What scalar registers and single lanes of vector registers hold because the code says so, whatever the launch:
//! constants, addresses that follow from the program counter, entries of the table of global addresses, return addresses,
//! also where they are saved in a lane. So it is known where a call goes, and where it comes back to.
//!
//! An instruction is executed by the simulator on a few copies of a wave that differ in everything that is not known;
//! what they agree on behind it is known ([`super`]).

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use wavemark_isa::RegFile;
use wavemark_isa::effects::{Effects, Lanes, RegUse, Touched, Unit, VgprMsb, effects};

use super::{COPIES, Place, anything, results_at, scalar_address};
use crate::binder::Layout;
use crate::dispatch::{Dispatch, DispatchError, Kernel, first_waves, layout};
use crate::global::Global;
use crate::machine::ops::MachineOp;
use crate::op::{Detail, OpKind};
use crate::program::Program;
use crate::regs::{Regs, sindex};
use crate::wave::Wave;

/// Something that holds 32 bits, or one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Cell {
    /// A scalar register by its canonical index.
    Scalar(u16),
    Scc,
    /// A lane of a VGPR.
    Lane(u16, u8),
}

impl Cell {
    /// Whether a function leaves it as it was: guide, "Non-Kernel Functions", on exit from a function.
    fn is_preserved(self) -> bool {
        match self {
            Cell::Scalar(number) => number < FIRST_CLOBBERED || (RETURN_ADDRESS_END..SGPRS).contains(&number),
            Cell::Scc => false,
            Cell::Lane(vgpr, _) => vgpr >= FIRST_PRESERVED_VGPR && vgpr / 8 % 2 == 1,
        }
    }
}

const FIRST_CLOBBERED: u16 = 4;
const RETURN_ADDRESS_END: u16 = 32;
const SGPRS: u16 = 102;
const FIRST_PRESERVED_VGPR: u16 = 40;

/// What is known before an instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// Ascending.
    cells: Vec<(Cell, u32)>,
}

impl Known {
    /// Only what holds by another path, too; whether anything else was known.
    pub fn meet(&mut self, other: &Known) -> bool {
        let before = self.cells.len();
        self.cells.retain(|one| other.cells.binary_search(one).is_ok());
        self.cells.len() < before
    }

    /// What is known behind a call, where `before` was known before it and `self` where the function goes back: what
    /// the function has fetched back from memory is what it was.
    #[must_use]
    pub fn behind_call(&self, before: &Known) -> Known {
        let mut known = self.clone();
        for &(cell, value) in before.cells.iter().filter(|(cell, _)| cell.is_preserved()) {
            if let Err(at) = known.place(cell) {
                known.cells.insert(at, (cell, value));
            }
        }
        known
    }

    /// Puts it into the registers of a copy, whose scalar registers are `unknown` otherwise; of vector registers those in
    /// `rows` alone.
    fn put(&self, regs: &mut Regs, layout: Layout, (copy, unknown): (usize, &[u32]), rows: &[u16]) {
        regs.s[..unknown.len()].copy_from_slice(unknown);
        regs.scc = anything(0)[copy] & 1 != 0;
        for &row in rows {
            for lane in 0..regs.lanes() {
                regs.set_lane(usize::from(row) * layout.chunks, lane, anything(lane)[copy]);
            }
        }
        for &(cell, value) in &self.cells {
            match cell {
                Cell::Scalar(at) => regs.s[usize::from(at)] = value,
                Cell::Scc => regs.scc = value != 0,
                Cell::Lane(row, lane) if rows.contains(&row) => {
                    regs.set_lane(usize::from(row) * layout.chunks, lane.into(), value);
                }
                Cell::Lane(..) => {}
            }
        }
        regs.exec_changed();
    }

    fn place(&self, cell: Cell) -> Result<usize, usize> {
        self.cells.binary_search_by_key(&cell, |&(cell, _)| cell)
    }

    fn forget_row(&mut self, row: u16) {
        self.cells.retain(|(cell, _)| !matches!(cell, Cell::Lane(other, _) if *other == row));
    }

    fn set(&mut self, cell: Cell, value: Option<u32>) {
        match (self.place(cell), value) {
            (Ok(at), Some(value)) => self.cells[at].1 = value,
            (Ok(at), None) => {
                self.cells.remove(at);
            }
            (Err(at), Some(value)) => self.cells.insert(at, (cell, value)),
            (Err(_), None) => {}
        }
    }
}

/// Scalar registers below this index hold what the program puts there.
const UNKNOWN: u32 = sindex::SHARED_BASE;

/// Bytes of memory that no program changes, by address and length.
pub type Constants<'m> = &'m dyn Fn(u64, usize) -> Option<&'m [u8]>;

/// Executes instructions one at a time.
pub struct Knower<'m> {
    program: Program,
    layout: Layout,
    constants: Constants<'m>,
    copies: Vec<Wave>,
    /// Every scalar register of each copy, if nothing is known.
    nothing: Vec<Vec<u32>>,
    /// By address and upper VGPR bits.
    results: FxHashMap<(u64, u8), SmallVec<[Place; 4]>>,
}

impl<'m> Knower<'m> {
    /// One for the code of `kernel`.
    ///
    /// # Errors
    /// If no dispatch of it could begin.
    pub fn new(kernel: &Kernel, constants: Constants<'m>) -> Result<Knower<'m>, DispatchError> {
        let one_wave = Dispatch {
            grid: [1; 3],
            block: [1; 3],
            cluster: None,
            dynamic_lds: 0,
            kernarg: Vec::new(),
            dynamic_stack: 0,
            hostcall: None,
        };
        let mut copies = first_waves(&mut Global::new(), kernel, &one_wave, COPIES)?;
        let nothing = |copy: usize| (0..UNKNOWN).map(|number| anything(number)[copy]).collect();
        Ok(Knower {
            program: Program::new(kernel.machine, layout(kernel), kernel.code.clone()),
            layout: layout(kernel),
            constants,
            copies: copies.swap_remove(0),
            nothing: (0..COPIES).map(nothing).collect(),
            results: FxHashMap::default(),
        })
    }

    /// What is known behind the instruction at an address, with these upper VGPR bits, and where it goes if it is a branch
    /// and that is known.
    pub fn step(&mut self, (pc, msb): (u64, u8), before: &Known) -> (Known, Option<u64>) {
        let nothing = (Known::default(), None);
        let Some(slot) = self.program.slot(pc) else { return nothing };
        let table = self.program.table(msb);
        if self.program.op(table, slot).is_none() {
            self.program.bind_slot(table, slot);
        }
        for copy in &mut self.copies {
            copy.refresh_constants(self.layout, &self.program.constants);
        }
        let (program, layout) = (&self.program, self.layout);
        let (Some(op), Some(site)) = (program.op(table, slot), program.site(table, slot)) else {
            return nothing;
        };
        let results = self.results.entry((pc, msb)).or_insert_with(|| results_at(program, layout, pc, msb));
        let effects = effects(program.machine, &site.inst);
        let one_lane = effects.lanes == Lanes::One;
        let executes = match op.kind {
            OpKind::Branch => true,
            OpKind::Alu => effects.unit == Unit::Scalar || one_lane,
            _ => false,
        };
        let load = match op.detail.as_deref() {
            Some(Detail::Machine(MachineOp::Scalar(load))) => Some(load),
            _ => None,
        };
        if executes || load.is_some() {
            let rows = if one_lane { vector_rows(&effects, msb, layout) } else { SmallVec::new() };
            for ((number, copy), scalars) in self.copies.iter_mut().enumerate().zip(&self.nothing) {
                before.put(&mut copy.regs, layout, (number, scalars), &rows);
                copy.regs.pc = pc + u64::from(op.dwords) * 4;
                if executes {
                    // SAFETY: decode chose the body for the host's instruction set (`alu::level`).
                    unsafe { (op.body)(&mut copy.regs, op) };
                }
            }
        }
        let loaded = load.and_then(|load| {
            let whole = load.buffer.is_none() && load.shape.bytes.is_multiple_of(4);
            let address = agreed(&self.copies, |copy| scalar_address(&copy.regs, load)).filter(|_| whole)?;
            Some((load.to, (self.constants)(address, load.shape.bytes as usize)?))
        });
        let agreed =
            |of: &dyn Fn(&Regs) -> u32| agreed(&self.copies, |copy| of(&copy.regs)).filter(|_| executes);
        let mut known = before.clone();
        for result in results.iter() {
            match *result {
                Place::Scalar(at) => {
                    let value = match loaded {
                        Some((to, bytes)) => at.checked_sub(to).and_then(|word| dword(bytes, word as usize)),
                        None => agreed(&|regs| regs.s[at as usize]),
                    };
                    known.set(Cell::Scalar(at as u16), value);
                }
                Place::Scc => known.set(Cell::Scc, agreed(&|regs| regs.scc.into())),
                Place::Chunks(from, count) => {
                    let chunks = layout.chunks as u32;
                    for row in from / chunks..(from + count) / chunks {
                        known.forget_row(row as u16);
                        for lane in 0..if one_lane { chunks * 16 } else { 0 } {
                            let value = agreed(&|regs| regs.lane((row * chunks) as usize, lane));
                            known.set(Cell::Lane(row as u16, lane as u8), value);
                        }
                    }
                }
            }
        }
        let goes =
            (op.kind == OpKind::Branch).then(|| super::agreed(&self.copies, |copy| Some(copy.regs.pc)));
        (known, goes.flatten())
    }
}

/// What all copies have there.
fn agreed<T: PartialEq>(copies: &[Wave], of: impl Fn(&Wave) -> T) -> Option<T> {
    super::agreed(copies, |copy| Some(of(copy)))
}

/// The vector registers that an instruction touches, by row.
fn vector_rows(effects: &Effects, msb: u8, layout: Layout) -> SmallVec<[u16; 2]> {
    let row = |used: &RegUse| match used.reg {
        Touched::Reg(reg) if reg.file == RegFile::Vgpr => {
            Some(VgprMsb(msb).offset(used.bank) + u32::from(reg.index)).filter(|&row| row < layout.vgprs)
        }
        _ => None,
    };
    effects.regs.iter().filter_map(row).map(|row| row as u16).collect()
}

/// Dword `number` of some bytes.
fn dword(bytes: &[u8], number: usize) -> Option<u32> {
    let dword = bytes.get(number * 4..number * 4 + 4)?;
    Some(u32::from_le_bytes(dword.try_into().ok()?))
}
