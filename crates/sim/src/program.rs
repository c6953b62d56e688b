//! The code of a kernel, pre-decoded.
//!
//! Every dword of an executable segment has a slot; an instruction's slot holds its [`Op`] and its [`Site`].
//! Slots are filled from the kernel's entry by following fall-through and direct branches; what is reached
//! otherwise (indirect calls) is bound when a wave first gets there. On gfx1250 there is one table per value
//! of the upper VGPR bits met.

use rustc_hash::FxHashMap;
use wavemark_isa::effects::{CounterSet, VgprMsb};
use wavemark_isa::{Inst, decode};
use wavemark_target::{Facts, Machine};

use crate::alu;
use crate::binder::{BindError, Binder, Constants, Layout};
use crate::events::Site;
use crate::machine::ops::MachineOp;
use crate::machine::select::select;
use crate::matrix;
use crate::meaning::{self, Meaning};
use crate::op::{Detail, Op, OpKind};
use crate::regs::Regs;

/// How many constants a program can need beyond those found up front.
const LATE_CONSTANTS: usize = 64;

/// One executable segment.
#[derive(Clone, Debug)]
pub struct Segment {
    /// Its address.
    pub base: u64,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// The operations for one value of the upper VGPR bits.
pub struct OpTable {
    /// The value.
    pub msb: u8,
    /// One slot per dword of the segment.
    pub ops: Vec<Op>,
    /// The instruction of each filled slot.
    pub sites: Vec<Option<Site>>,
}

/// A kernel's code.
pub struct Program {
    /// The machine.
    pub machine: Machine,
    /// Its facts.
    pub facts: &'static Facts,
    /// Its counters.
    pub counters: CounterSet,
    /// Register slab sizes.
    pub layout: Layout,
    /// The code.
    pub segment: Segment,
    /// Constants of all operations.
    pub constants: Constants,
    /// Room for constants in a wave's slabs.
    pub constant_room: usize,
    /// How often constants were added after waves had started.
    pub late_constants: u32,
    tables: Vec<OpTable>,
    by_msb: FxHashMap<u8, usize>,
}

/// A body that must not be reached.
unsafe fn no_body(_: &mut Regs, _: &Op) {}

fn empty_op() -> Op {
    Op::new(no_body, OpKind::Unbound, 1)
}

impl Program {
    /// Pre-decode the code reachable from `entry`.
    pub fn new(machine: Machine, layout: Layout, segment: Segment, entry: u64) -> Program {
        let mut program = Program {
            machine,
            facts: machine.facts(),
            counters: CounterSet::of(machine),
            layout,
            segment,
            constants: Constants::default(),
            constant_room: usize::MAX,
            late_constants: 0,
            tables: Vec::new(),
            by_msb: FxHashMap::default(),
        };
        let table = program.table(0);
        program.bind_reachable(table, entry);
        program.constant_room =
            program.constants.vector.len().max(program.constants.scalar.len()) + LATE_CONSTANTS;
        program
    }

    /// Number of the table for `msb`, made if there is none.
    pub fn table(&mut self, msb: u8) -> usize {
        if let Some(&at) = self.by_msb.get(&msb) {
            return at;
        }
        let slots = self.segment.bytes.len() / 4;
        self.tables.push(OpTable { msb, ops: vec![empty_op(); slots], sites: vec![None; slots] });
        self.by_msb.insert(msb, self.tables.len() - 1);
        self.tables.len() - 1
    }

    /// The operations of table `table`.
    #[inline]
    pub fn ops(&self, table: usize) -> &OpTable {
        &self.tables[table]
    }

    /// Slot number of an address, if it is code.
    #[inline(always)]
    pub fn slot(&self, pc: u64) -> Option<usize> {
        let offset = pc.wrapping_sub(self.segment.base);
        (offset & 3 == 0 && offset < self.segment.bytes.len() as u64).then_some((offset / 4) as usize)
    }

    fn decode_at(&self, slot: usize) -> Result<Inst, String> {
        decode(self.machine, &self.segment.bytes[slot * 4..]).map_err(|e| e.to_string())
    }

    /// Bind what fall-through and direct branches reach from `entry`, following `s_set_vgpr_msb` along
    /// straight lines.
    fn bind_reachable(&mut self, table: usize, entry: u64) {
        let mut work = vec![(table, entry)];
        while let Some((table, pc)) = work.pop() {
            let Some(slot) = self.slot(pc) else { continue };
            if self.tables[table].ops[slot].kind != OpKind::Unbound {
                continue;
            }
            let inst = self.bind_slot(table, slot);
            let Some(inst) = inst else { continue };
            let op = &self.tables[table].ops[slot];
            let next = pc + u64::from(op.dwords) * 4;
            let mut next_table = table;
            if let Some(detail) = &op.detail
                && let Detail::Machine(MachineOp::SetVgprMsb(msb)) = **detail
            {
                next_table = self.table(msb);
            }
            let flow = inst.row(self.machine).effects.flow;
            // What comes behind an indirect jump is bound when it is reached.
            if flow.falls_through() {
                work.push((next_table, next));
            }
            if let Some(target) = direct_target(&inst, next).filter(|_| flow.has_target()) {
                work.push((next_table, target));
            }
        }
    }

    /// Fill one slot; the instruction, if it decodes.
    pub fn bind_slot(&mut self, table: usize, slot: usize) -> Option<Inst> {
        let pc = self.segment.base + slot as u64 * 4;
        let msb = self.tables[table].msb;
        let inst = match self.decode_at(slot) {
            Ok(inst) => inst,
            Err(why) => {
                self.tables[table].ops[slot] = unsupported(format!("not an instruction: {why}"), 1);
                return None;
            }
        };
        let dwords = inst.size / 4;
        let before = (self.constants.vector.len(), self.constants.scalar.len());
        let mut binder = Binder::new(self.machine, self.layout, VgprMsb(msb), &inst, pc, &mut self.constants);
        let op = match bind(&mut binder) {
            Ok(op) => Op { dwords, ..op },
            Err(why) => unsupported(why.to_string(), dwords),
        };
        let full = self.constants.vector.len().max(self.constants.scalar.len()) > self.constant_room;
        let op = if full {
            self.constants.vector.truncate(before.0);
            self.constants.scalar.truncate(before.1);
            unsupported("more constants in indirectly reached code than there is room for".to_owned(), dwords)
        } else {
            op
        };
        self.tables[table].ops[slot] = op;
        self.tables[table].sites[slot] = Some(Site { pc, inst: inst.clone(), msb });
        Some(inst)
    }
}

fn bind(binder: &mut Binder<'_>) -> Result<Op, BindError> {
    if let Some(op) = select(binder)? {
        return Ok(Op {
            kind: OpKind::Machine,
            detail: Some(std::sync::Arc::new(Detail::Machine(op))),
            ..empty_op()
        });
    }
    match meaning::of(binder.meaning()) {
        Some(Meaning::Alu(def)) => alu::bind(binder, def),
        Some(Meaning::Matrix(row)) => matrix::bind(binder, row),
        None => Err(BindError::Unsupported(binder.inst.row(binder.machine).mnemonic.to_owned())),
    }
}

fn unsupported(why: String, dwords: u8) -> Op {
    Op {
        kind: OpKind::Unsupported,
        detail: Some(std::sync::Arc::new(Detail::Unsupported(why))),
        dwords,
        ..empty_op()
    }
}

/// The target of a branch whose displacement is an immediate, in dwords from `next`.
fn direct_target(inst: &Inst, next: u64) -> Option<u64> {
    let wavemark_isa::Operand::Imm(dwords) = inst.operands.last()? else { return None };
    Some(next.wrapping_add_signed(i64::from(*dwords as i16) * 4))
}
