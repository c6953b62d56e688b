//! What scalar registers and single lanes of vector registers hold because the code says so, whatever the launch:
//! constants, addresses that follow from the program counter, entries of the table of global addresses, return addresses,
//! also where they are saved in a lane. So it is known where a call goes, and where it comes back to.
//!
//! An instruction is executed by the simulator on a few copies of a wave that differ in everything that is not known;
//! what they agree on behind it is known ([`super`]). No copy may hold the one number that a comparison asks for: SCC is known
//! where it follows from what is known, all sources or the other results.

use std::ops::Range;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use wavemark_isa::RegFile;
use wavemark_isa::effects::{Effects, Flow, Lanes, Path, RegUse, Touched, Unit, VgprMsb};

use super::{COPIES, Place, anything, places, scalar_address};
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
    /// Ascending. Most instructions leave it as it is: places share it.
    cells: Rc<Vec<(Cell, u32)>>,
}

impl Known {
    /// Only what holds by another path, too; whether anything else was known.
    pub fn meet(&mut self, other: &Known) -> bool {
        let also = |one: &(Cell, u32)| other.cells.binary_search(one).is_ok();
        if Rc::ptr_eq(&self.cells, &other.cells) || self.cells.iter().all(also) {
            return false;
        }
        Rc::make_mut(&mut self.cells).retain(also);
        true
    }

    /// What is known behind a call, where `before` was known before it and `self` where the function goes back: what
    /// the function has fetched back from memory is what it was.
    #[must_use]
    pub fn behind_call(&self, before: &Known) -> Known {
        let mut known = self.clone();
        for &(cell, value) in before.cells.iter().filter(|(cell, _)| cell.is_preserved()) {
            if let Err(at) = known.place(cell) {
                Rc::make_mut(&mut known.cells).insert(at, (cell, value));
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
        for &(cell, value) in &*self.cells {
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

    /// The same with EXEC.
    fn with_exec(mut self, mask: SmallVec<[u32; 2]>) -> Known {
        for (word, at) in mask.into_iter().zip(sindex::EXEC as u16..) {
            self.set(Cell::Scalar(at), Some(word));
        }
        self
    }

    /// Whether all of these are known. Of vectors it is not asked.
    fn has<'p>(&self, places: impl IntoIterator<Item = &'p Place>) -> bool {
        places.into_iter().all(|place| match *place {
            Place::Scalar(at) => self.place(Cell::Scalar(at as u16)).is_ok(),
            Place::Scc => self.place(Cell::Scc).is_ok(),
            Place::Chunks(..) => false,
        })
    }

    /// What so many scalar registers hold.
    fn scalars(&self, first: u16, count: usize) -> impl Iterator<Item = Option<u32>> {
        (first..).take(count).map(|at| Some(self.cells[self.place(Cell::Scalar(at)).ok()?].1))
    }

    fn place(&self, cell: Cell) -> Result<usize, usize> {
        self.cells.binary_search_by_key(&cell, |&(cell, _)| cell)
    }

    /// The cells of a vector register, by place.
    fn row(&self, row: u16) -> Range<usize> {
        let from = self.cells.partition_point(|&(cell, _)| cell < Cell::Lane(row, 0));
        let count = self.cells[from..]
            .iter()
            .take_while(|(cell, _)| matches!(cell, Cell::Lane(other, _) if *other == row));
        from..from + count.count()
    }

    fn forget_row(&mut self, row: u16) {
        let cells = self.row(row);
        if !cells.is_empty() {
            Rc::make_mut(&mut self.cells).drain(cells);
        }
    }

    fn set(&mut self, cell: Cell, value: Option<u32>) {
        match (self.place(cell), value) {
            (Ok(at), Some(value)) if self.cells[at].1 != value => Rc::make_mut(&mut self.cells)[at].1 = value,
            (Ok(at), None) => {
                Rc::make_mut(&mut self.cells).remove(at);
            }
            (Err(at), Some(value)) => Rc::make_mut(&mut self.cells).insert(at, (cell, value)),
            (Ok(_), Some(_)) | (Err(_), None) => {}
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
    /// What instructions do, by address and upper VGPR bits.
    parts: FxHashMap<(u64, u8), Part>,
}

/// What an instruction does, as far as it matters.
struct Part {
    /// The slot of what is executed, if anything is.
    slot: Option<(usize, usize)>,
    /// The vector registers that it needs, by row.
    rows: SmallVec<[u16; 2]>,
    one_lane: bool,
    reads: SmallVec<[Place; 4]>,
    results: SmallVec<[Place; 4]>,
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
            parts: FxHashMap::default(),
        })
    }

    /// Whether all lanes are on behind an instruction if they are before it: it puts none out.
    pub fn puts_no_lane_out(&mut self, place: (u64, u8), effects: &Effects) -> bool {
        let all = [u32::MAX; 2];
        let before = Known::default().with_exec(self.exec(all));
        let behind = self.step(place, effects, &before).0;
        behind
            .scalars(sindex::EXEC as u16, self.exec(all).len())
            .eq(self.exec(all).iter().map(|&mask| Some(mask)))
    }

    /// [`step`](Knower::step), where a lane is on: a mask of lanes that comes to EXEC is not 0.
    pub fn step_with_a_lane_on(
        &mut self,
        place: (u64, u8),
        effects: &Effects,
        before: &Known,
    ) -> (Known, Option<u64>) {
        let (mut behind, goes) = self.step(place, effects, before);
        let results = self.parts.get(&place).map(|part| part.results.clone()).unwrap_or_default();
        let tests = results.iter().any(|result| matches!(result, Place::Scc));
        let first = results.iter().find_map(|result| match result {
            Place::Scalar(at) => Some(*at as u16),
            _ => None,
        });
        let Some(first) = first.filter(|_| tests && behind.place(Cell::Scc).is_err()) else {
            return (behind, goes);
        };
        let lanes = (0..u64::BITS).map(|lane| 1u64 << lane).chain([u64::MAX]);
        let is_exec = lanes.map(|mask| [mask as u32, (mask >> 32) as u32]).all(|mask| {
            let known = self.step(place, effects, &before.clone().with_exec(self.exec(mask))).0;
            known.scalars(first, self.exec(mask).len()).eq(self.exec(mask).iter().map(|&mask| Some(mask)))
        });
        if is_exec {
            behind.set(Cell::Scc, Some(1));
        }
        (behind, goes)
    }

    /// As much of a mask as EXEC has.
    fn exec(&self, mask: [u32; 2]) -> SmallVec<[u32; 2]> {
        mask.into_iter().take(self.layout.chunks.div_ceil(2)).collect()
    }

    /// What is known behind the instruction at an address, with these upper VGPR bits and `effects`, and where it goes if it
    /// is a branch and that is known.
    pub fn step(&mut self, (pc, msb): (u64, u8), effects: &Effects, before: &Known) -> (Known, Option<u64>) {
        let Knower { program, layout, copies, .. } = self;
        let layout = *layout;
        let part =
            self.parts.entry((pc, msb)).or_insert_with(|| Part::of(program, layout, (pc, msb), effects));
        let op = part.slot.and_then(|(table, slot)| program.op(table, slot));
        let load = match op.and_then(|op| op.detail.as_deref()) {
            Some(Detail::Machine(MachineOp::Scalar(load))) => Some(load),
            _ => None,
        };
        let executed = op.filter(|_| load.is_none());
        if let Some(op) = op {
            for ((number, copy), scalars) in copies.iter_mut().enumerate().zip(&self.nothing) {
                copy.refresh_constants(layout, &program.constants);
                before.put(&mut copy.regs, layout, (number, scalars), &part.rows);
                copy.regs.pc = pc + u64::from(op.dwords) * 4;
                if executed.is_some() {
                    // SAFETY: decode chose the body for the host's instruction set (`alu::level`).
                    unsafe { (op.body)(&mut copy.regs, op) };
                }
            }
        }
        let loaded = load.and_then(|load| {
            let whole = load.buffer.is_none() && load.shape.bytes.is_multiple_of(4);
            let address = agreed(copies, |copy| scalar_address(&copy.regs, load)).filter(|_| whole)?;
            Some((load.to, (self.constants)(address, load.shape.bytes as usize)?))
        });
        let agreed = |of: &dyn Fn(&Regs) -> u32| executed.and_then(|_| agreed(copies, |copy| of(&copy.regs)));
        let mut known = before.clone();
        for result in &part.results {
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
                        if !part.one_lane {
                            known.forget_row(row as u16);
                            continue;
                        }
                        for lane in 0..chunks * 16 {
                            let value = agreed(&|regs| regs.lane((row * chunks) as usize, lane));
                            known.set(Cell::Lane(row as u16, lane as u8), value);
                        }
                    }
                }
            }
        }
        let is_scc = |result: &&Place| matches!(result, Place::Scc);
        if part.results.iter().any(|result| is_scc(&result)) {
            let mut others = part.results.iter().filter(|result| !is_scc(result)).peekable();
            let follows = others.peek().is_some() && known.has(others) || before.has(&part.reads);
            if !follows {
                known.set(Cell::Scc, None);
            }
        }
        let branch = executed.filter(|op| op.kind == OpKind::Branch);
        let goes = branch.and_then(|_| super::agreed(copies, |copy| Some(copy.regs.pc)));
        (known, goes)
    }
}

impl Part {
    /// That of the instruction at a place. What whole vectors take part in is not executed.
    fn of(program: &mut Program, layout: Layout, (pc, msb): (u64, u8), effects: &Effects) -> Part {
        let one_lane = effects.lanes == Lanes::One;
        let scalars = effects.memory.map_or(!effects.unit.is_vector(), |memory| memory.path == Path::Scalar);
        let whole_vectors = !scalars && !one_lane && effects.flow == Flow::Next;
        let slot = program.slot(pc).filter(|_| !whole_vectors).and_then(|slot| {
            let table = program.table(msb);
            if program.op(table, slot).is_none() {
                program.bind_slot(table, slot);
            }
            let op = program.op(table, slot)?;
            let counts = match op.kind {
                OpKind::Branch => true,
                OpKind::Alu => effects.unit == Unit::Scalar || one_lane,
                _ => matches!(op.detail.as_deref(), Some(Detail::Machine(MachineOp::Scalar(_)))),
            };
            counts.then_some((table, slot))
        });
        let rows = if one_lane { vector_rows(effects, msb, layout) } else { SmallVec::new() };
        let places = |asked: fn(&RegUse) -> bool| places(effects, layout, msb, asked);
        Part { slot, rows, one_lane, reads: places(|used| used.read), results: places(|used| used.write) }
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
