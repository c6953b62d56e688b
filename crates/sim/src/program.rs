//! The code of a kernel, pre-decoded.
//!
//! Every dword of an executable segment has a slot; an instruction's slot holds its [`Op`] and its [`Site`]. A slot is
//! filled when a wave first gets there, and pages of slots are made when needed: what a kernel has beside its way (other
//! kernels, reports of failed assertions) costs nothing. On gfx1250 there is one table per value of the upper VGPR bits
//! met.
//!
//! Operations behind each other that only compute are a *line*: the body of each ends with a jump to
//! the next one's, from whichever of them a wave comes to, and does the next itself if that has the same body. The loop of
//! the interpreter costs as much as a multiplication. The branch behind them is the last of the line. Where somebody watches,
//! branches stand alone, and a line ends with what may write EXEC: it is for those who need not be told of what only computes.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use wavemark_isa::decode_as_executed;
use wavemark_isa::effects::{Control, CounterSet, Effects, HwField, HwReg, Path, Scope, Verb, VgprMsb};
use wavemark_target::{Facts, Machine};

use crate::alu;
use crate::asked::Asked;
use crate::binder::{BindError, Binder, Constants, Layout};
use crate::events::Site;
use crate::machine::control::register_name;
use crate::machine::ops::MachineOp;
use crate::machine::select::select;
use crate::matrix;
use crate::meaning::{self, Definition};
use crate::op::{Behind, Detail, Op, OpKind, Talk, go_on};
use crate::queue::smallest_capacity;
use crate::regs::Regs;

/// One executable segment.
#[derive(Clone, Debug)]
pub struct Segment {
    /// Its address.
    pub base: u64,
    /// Its bytes.
    pub bytes: Arc<[u8]>,
}

/// Slots of a page.
pub const PAGE: usize = 1024;

/// A page of slots.
pub struct Page {
    /// The operations.
    pub ops: Box<[Op]>,
    /// The instruction of each filled slot, for those who are told of it: observers, and what does more than compute.
    pub sites: Box<[Option<Box<Site>>]>,
    /// The lines, their operations one behind the other: a pointer that goes along one moves by the same distance each time.
    lines: Vec<Op>,
    /// Where in `lines` the operation of each slot stands, [`NOT_YET`] or [`ALONE`].
    in_lines: Box<[u16]>,
}

/// The operations for one value of the upper VGPR bits.
struct OpTable {
    msb: u8,
    pages: Vec<Option<Box<Page>>>,
}

/// A kernel's code.
pub struct Program {
    /// The machine.
    pub machine: Machine,
    /// Its facts.
    pub facts: &'static Facts,
    /// Its counters.
    pub counters: CounterSet,
    /// The most operations that each of them can count.
    pub smallest_capacity: usize,
    /// Register slab sizes.
    pub layout: Layout,
    /// The code.
    pub segment: Segment,
    /// Constants of all operations.
    pub constants: Constants,
    /// Observers are told of every instruction.
    pub watched: bool,
    /// Read-modify-writes that return nothing are put off ([`Global::put_off`](crate::Global)): they do not talk.
    pub puts_off: bool,
    talks: bool,
    puts_some_off: bool,
    asked: Asked,
    tables: Vec<OpTable>,
    by_msb: FxHashMap<u8, usize>,
}

/// The body of what does nothing.
///
/// # Safety
/// As of [`go_on`].
unsafe fn no_body(regs: &mut Regs, op: &Op) {
    // SAFETY: the caller's promise.
    unsafe { go_on(regs, op) }
}

fn empty_op() -> Op {
    Op::new(no_body, OpKind::Unbound, 1)
}

impl Program {
    /// The code in `segment`, nothing of it bound yet; table 0 is that of upper VGPR bits 0.
    pub fn new(machine: Machine, layout: Layout, segment: Segment) -> Program {
        let mut program = Program {
            machine,
            facts: machine.facts(),
            counters: CounterSet::of(machine),
            smallest_capacity: smallest_capacity(CounterSet::of(machine)),
            layout,
            asked: Asked::of(machine, &segment.bytes),
            segment,
            constants: Constants::default(),
            watched: true,
            puts_off: false,
            talks: false,
            puts_some_off: false,
            tables: Vec::new(),
            by_msb: FxHashMap::default(),
        };
        program.table(0);
        program
    }

    /// Number of the table for `msb`, made if there is none.
    pub fn table(&mut self, msb: u8) -> usize {
        if let Some(&at) = self.by_msb.get(&msb) {
            return at;
        }
        let pages = self.slots().div_ceil(PAGE);
        self.tables.push(OpTable { msb, pages: std::iter::repeat_with(|| None).take(pages).collect() });
        self.by_msb.insert(msb, self.tables.len() - 1);
        self.tables.len() - 1
    }

    /// Number of the table for `msb`, if there is one.
    pub fn known_table(&self, msb: u8) -> Option<usize> {
        self.by_msb.get(&msb).copied()
    }

    /// Dwords of the segment.
    #[inline]
    pub fn slots(&self) -> usize {
        self.segment.bytes.len() / 4
    }

    /// Page `number` of table `table`, if a wave has been there.
    #[inline(always)]
    pub fn page(&self, table: usize, number: usize) -> Option<&Page> {
        self.tables[table].pages.get(number)?.as_deref()
    }

    /// Makes page `number` of table `table`; `false` if the segment has no such page.
    pub fn open(&mut self, table: usize, number: usize) -> bool {
        let slots = self.slots().saturating_sub(number * PAGE).min(PAGE);
        if slots == 0 {
            return false;
        }
        self.tables[table].pages[number].get_or_insert_with(|| Box::new(Page::new(slots)));
        true
    }

    /// The operation in `slot` of table `table`, if a wave has been there.
    pub fn op(&self, table: usize, slot: usize) -> Option<&Op> {
        self.page(table, slot / PAGE)?.ops.get(slot % PAGE).filter(|op| op.kind != OpKind::Unbound)
    }

    /// The instruction in `slot` of table `table`, if a wave has been there; one that only computes is known where all are
    /// watched.
    pub fn site(&self, table: usize, slot: usize) -> Option<&Site> {
        self.page(table, slot / PAGE)?.sites.get(slot % PAGE)?.as_deref()
    }

    /// The addresses that waves have been at, ascending.
    pub fn executed(&self) -> Vec<u64> {
        let mut addresses = Vec::new();
        for table in &self.tables {
            for (number, page) in table.pages.iter().enumerate() {
                let ops = page.iter().flat_map(|page| page.ops.iter().enumerate());
                let bound = ops.filter(|(_, op)| !matches!(op.kind, OpKind::Unbound | OpKind::Unsupported));
                addresses.extend(bound.map(|(at, _)| self.segment.base + (number * PAGE + at) as u64 * 4));
            }
        }
        addresses.sort_unstable();
        addresses.dedup();
        addresses
    }

    /// Slot number of an address, if it is code.
    #[inline(always)]
    pub fn slot(&self, pc: u64) -> Option<usize> {
        let offset = pc.wrapping_sub(self.segment.base);
        (offset & 3 == 0 && offset < self.segment.bytes.len() as u64).then_some((offset / 4) as usize)
    }

    /// A wave comes to `slot` of table `table` and goes on in a straight line.
    #[inline]
    pub fn line_up(&mut self, table: usize, slot: usize) {
        let page = self.tables[table].pages.get_mut(slot / PAGE).and_then(Option::as_deref_mut);
        if let Some(page) = page.filter(|page| !page.is_lined_up(slot % PAGE)) {
            page.line_up(slot % PAGE, self.layout.chunks, self.watched);
        }
    }

    /// Whether an instruction that was reached talks to other workgroups: an atomic or scoped access to global memory.
    pub fn talks(&self) -> bool {
        self.talks
    }

    /// Whether an instruction that was reached is put off.
    pub fn puts_some_off(&self) -> bool {
        self.puts_some_off
    }

    /// Fill one slot.
    pub fn bind_slot(&mut self, table: usize, slot: usize) {
        let pc = self.segment.base + slot as u64 * 4;
        if !self.open(table, slot / PAGE) {
            return;
        }
        let OpTable { msb, pages } = &mut self.tables[table];
        let Some(Page { ops, sites, .. }) = pages[slot / PAGE].as_deref_mut() else { return };
        let at = slot % PAGE;
        let inst = match decode_as_executed(self.machine, &self.segment.bytes[slot * 4..]) {
            Ok(inst) => inst,
            Err(why) => {
                ops[at] = unsupported(format!("not an instruction: {why}"), 1);
                return;
            }
        };
        let dwords = inst.size / 4;
        let facts = self.facts;
        let mut binder =
            Binder::new(self.machine, self.layout, VgprMsb(*msb), &inst, pc, &mut self.constants);
        binder.records = self.asked.exceptions;
        let bound = bind(&mut binder, self.asked);
        let is_put_off = self.puts_off && is_put_off(&binder.effects);
        self.talks |= talks(facts, &binder.effects) && !is_put_off;
        self.puts_some_off |= is_put_off;
        let (talk, writes_exec) = (talk(facts, &binder.effects), binder.effects.writes_exec());
        ops[at] = match bound {
            Ok(op) => {
                let branch = if op.kind == OpKind::Branch { dwords } else { 0 };
                Op { dwords, way: dwords, branch, talk, writes_exec, ..op }
            }
            Err(why) => unsupported(why.to_string(), dwords),
        };
        if self.watched || ops[at].kind != OpKind::Alu {
            sites[at] = Some(Box::new(Site { pc, inst, msb: *msb }));
        }
    }
}

impl Page {
    fn new(slots: usize) -> Page {
        Page {
            ops: std::iter::repeat_with(empty_op).take(slots).collect(),
            sites: std::iter::repeat_with(|| None).take(slots).collect(),
            lines: Vec::new(),
            in_lines: std::iter::repeat_n(NOT_YET, slots).collect(),
        }
    }

    /// What to run for the operation in slot `at` where nobody is told of each: itself, or as it stands in its line.
    #[inline(always)]
    pub fn in_line<'p>(&'p self, at: usize, op: &'p Op) -> &'p Op {
        self.lines.get(usize::from(self.in_lines[at])).unwrap_or(op)
    }

    /// The slot so many bytes from its beginning, if it has that.
    #[inline(always)]
    pub fn slot(&self, offset: u64) -> Option<usize> {
        (offset & 3 == 0 && offset / 4 < self.ops.len() as u64).then_some((offset / 4) as usize)
    }

    /// Whether the operation in slot `at` need not be lined up any more.
    #[inline(always)]
    pub fn is_lined_up(&self, at: usize) -> bool {
        self.in_lines[at] != NOT_YET
    }

    /// Whether the operation in slot `at` is bound and not yet lined up.
    fn is_free(&self, at: usize) -> bool {
        self.ops.get(at).is_some_and(|op| op.kind != OpKind::Unbound) && !self.is_lined_up(at)
    }

    /// Lines up the operations from slot `from` on, up to one that is not bound or already is in a line.
    #[cold]
    fn line_up(&mut self, mut from: usize, chunks: usize, watched: bool) {
        while self.is_free(from) {
            from = self.line(from, chunks, watched);
        }
    }

    /// Makes the line that begins in slot `from`; the slot behind it. What does nothing is passed over. An operation of
    /// several parts is as many of the line.
    fn line(&mut self, from: usize, chunks: usize, watched: bool) -> usize {
        let first = self.lines.len();
        let mut at = from;
        while self.is_free(at) && self.ops[at].kind == OpKind::Alu {
            let op = &self.ops[at];
            let head = self.lines.len();
            self.in_lines[at] = head as u16;
            let (mut way, mut steps) = (op.dwords, 1);
            if let Some(nothing) = self.ops.get(at + usize::from(way)).filter(|op| op.nothing) {
                (way, steps) = (way + nothing.dwords, 2);
            }
            let parts = alu::parts(op, chunks).into_iter();
            self.lines.extend(parts.map(|part| Op { way: 0, steps: 0, writes_exec: op.writes_exec, ..part }));
            (self.lines[head].way, self.lines[head].steps) = (way, steps);
            at += usize::from(way);
            let last = self.lines.last();
            let ends = last.is_none_or(|op| !op.goes_on || watched && op.writes_exec);
            if self.lines.len() - first >= LINE || ends {
                break;
            }
        }
        if at == from {
            self.in_lines[from] = ALONE;
            return from + usize::from(self.ops[from].dwords);
        }
        if !watched
            && self.is_free(at)
            && self.ops[at].kind == OpKind::Branch
            && self.lines.last().is_some_and(|op| op.goes_on)
        {
            self.in_lines[at] = self.lines.len() as u16;
            self.lines.push(self.ops[at].clone());
            at += usize::from(self.ops[at].dwords);
        }
        self.close(from, first);
        at
    }

    /// The operations from `first` on are a line, which begins in slot `from`.
    fn close(&mut self, from: usize, first: usize) {
        if let [only] = &self.lines[first..]
            && only.steps == 1
        {
            self.lines.truncate(first);
            self.in_lines[from] = ALONE;
            return;
        }
        for last in (first + 1..self.lines.len()).rev() {
            let Op { body, way, steps, branch, writes_exec, .. } = self.lines[last];
            let op = &mut self.lines[last - 1];
            let is_same = std::ptr::fn_addr_eq(op.body, body);
            op.set_behind(if is_same { Behind::SameBody } else { Behind::OtherBody });
            (op.way, op.steps, op.branch) = (op.way + way, op.steps + steps, branch);
            op.writes_exec |= writes_exec;
        }
    }
}

/// In [`Page::in_lines`]: not lined up yet.
const NOT_YET: u16 = u16::MAX;

/// In [`Page::in_lines`]: in no line.
const ALONE: u16 = u16::MAX - 1;

// A line has so many operations for a slot, at the most.
const _: () = assert!(alu::MOST_PARTS * PAGE < ALONE as usize);

/// Dwords of an instruction, at the most.
const MAX_DWORDS: usize = 5;

/// Operations of a line, at the most, the further parts of its last instruction apart: their dwords, with those of what is passed over, are to be
/// counted in a byte.
const LINE: usize = 24;
const _: () = assert!(((LINE + 1) * 2 + 1) * MAX_DWORDS <= u8::MAX as usize);

/// What an instruction has to do with other workgroups.
fn talk(facts: &Facts, effects: &Effects) -> Talk {
    let returns = |verb| matches!(verb, Verb::Load | Verb::AtomicReturn);
    match effects.memory.as_ref().filter(|_| talks(facts, effects)) {
        _ if effects.control == Some(Control::Sleep) => Talk::Asks,
        Some(memory) if returns(memory.verb) => Talk::Asks,
        Some(_) => Talk::Tells,
        None => Talk::Silent,
    }
}

/// Whether an instruction talks to other workgroups. Where every store reaches the device, whatever it is for, that says
/// nothing: whom it is for asks.
fn talks(facts: &Facts, effects: &Effects) -> bool {
    effects.memory.as_ref().is_some_and(|memory| {
        let shared = !matches!(memory.path, Path::Lds | Path::Scratch);
        let moves = !matches!(memory.verb, Verb::Cache { .. } | Verb::Prefetch);
        let says_scope = memory.verb != Verb::Store || facts.stores_say_scope();
        shared && moves && (memory.is_atomic() || says_scope && effects.policy.scope >= Scope::Device)
    })
}

/// Whether a view may put off the instruction: a read-modify-write of global memory for the device that returns nothing,
/// with one datum.
fn is_put_off(effects: &Effects) -> bool {
    effects.memory.as_ref().is_some_and(|memory| {
        memory.verb == Verb::Atomic
            && matches!(memory.path, Path::Global | Path::Buffer)
            && memory.atomic.is_some_and(|op| !op.two_data())
            && effects.policy.scope >= Scope::Device
    })
}

fn bind(binder: &mut Binder<'_>, asked: Asked) -> Result<Op, BindError> {
    if let Some(op) = select(binder)? {
        if let MachineOp::GetReg(_, register, field) = op {
            exceptions_known(binder.facts, register, field, asked)?;
        }
        if matches!(op, MachineOp::Nothing) {
            return Ok(Op { kind: OpKind::Alu, nothing: true, goes_on: true, ..empty_op() });
        }
        return Ok(Op { kind: OpKind::Machine, detail: Some(Arc::new(Detail::Machine(op))), ..empty_op() });
    }
    match meaning::definition(binder.meaning()) {
        Some(Definition::Alu(def)) => alu::bind(binder, def),
        Some(Definition::Matrix(row)) => {
            let op = matrix::bind(binder, row)?;
            Ok(if binder.records { alu::exceptions::of_matrix(binder, row, op) } else { op })
        }
        None => Err(BindError::Unsupported(binder.inst.row(binder.machine).mnemonic.to_owned())),
    }
}

/// Whether all bits that an `s_getreg` of the exceptions reads are known.
fn exceptions_known(facts: &Facts, register: HwReg, field: HwField, asked: Asked) -> Result<(), BindError> {
    let bounds = |bit: u32| if asked.buffers { 1 << bit } else { 0u32 };
    let (unknown, what) = match register {
        // For trap handlers: in which cycle and for which lanes an exception occurred.
        HwReg::TrapSts if !facts.exceptions_defined => (0xffff_8000, "more than its exceptions"),
        HwReg::TrapSts => (bounds(15), "whether a buffer access was out of bounds"),
        HwReg::ExcpFlagUser => (bounds(30), "whether a buffer access was out of bounds"),
        _ => return Ok(()),
    };
    if field.mask() & unknown == 0 {
        return Ok(());
    }
    let name = register_name(facts, field.id);
    Err(BindError::Unsupported(format!("reading {name}: {what} is not recorded")))
}

fn unsupported(why: String, dwords: u8) -> Op {
    Op { kind: OpKind::Unsupported, detail: Some(Arc::new(Detail::Unsupported(why))), dwords, ..empty_op() }
}
