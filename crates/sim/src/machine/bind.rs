//! From a decoded instruction to what the machine does: waits, barriers, messages, memory.
//!
//! Memory mnemonics are read as prefix, verb and suffix (`global_load_b32`): the suffix tables are in
//! [`crate::shape`] and [`crate::atomic`].

use smallvec::SmallVec;
use wavemark_isa::{Isa, Operand};

use crate::atomic::{self, AtomicShape};
use crate::bind::{Bank, BindError, Binder, ConstType};
use crate::events::{Channel, Counter, Scope};
use crate::machine::address::Addressing;
use crate::op::Place;
use crate::shape::{self, LoadShape, StoreShape};
use crate::transpose::Transpose;

/// What the machine does.
#[derive(Clone, Debug)]
pub enum MachineOp {
    /// Nothing that a functional model shows: hints, priorities, prefetches, `s_nop`.
    Nothing,
    /// Wait until each counter is at most its number.
    Wait(Waits),
    /// Wait until everything is done (`s_wait_idle`).
    WaitIdle,
    /// Sleep: let others run.
    Sleep,
    /// The wave ends.
    End,
    /// `s_trap` with its number.
    Trap(u32),
    /// `s_sethalt` with a number that halts.
    Halt,
    /// `s_set_vgpr_msb`: the new low byte.
    SetVgprMsb(u8),
    /// `s_getreg_b32`: destination, register id, offset, size.
    GetReg(u32, HwField),
    /// `s_setreg_b32`, `s_setreg_imm32_b32`: the value's place.
    SetReg(HwField, Place),
    /// `s_round_mode`/`s_denorm_mode`: bits of MODE from `shift`, 4 of them.
    SetModeBits(u32, u32),
    /// A clock: destination, 64 bits.
    Clock(u32),
    /// `s_sendmsg_rtn`: destination, message, number of registers.
    SendMsgRtn(u32, u32, u8),
    /// A barrier instruction.
    Barrier(BarrierOp),
    /// A vector memory or LDS instruction.
    Memory(Box<MemoryOp>),
    /// A scalar load.
    Scalar(ScalarLoad),
    /// Tensor DMA.
    Tensor(TensorOp),
    /// A cache operation.
    Cache {
        /// Invalidates.
        invalidate: bool,
        /// Writes back.
        write_back: bool,
        /// Up to which scope.
        scope: Scope,
    },
    /// A cross-lane operation through the LDS hardware.
    LanePermute(LanePermute),
}

/// What a wait instruction waits for.
#[derive(Clone, Debug)]
pub struct Waits {
    /// Each counter, to be at most its number.
    pub counters: SmallVec<[(Counter, u32); 3]>,
    /// The same by channel: how many of its youngest operations may be incomplete. A counter above 0 says nothing
    /// about the channel that is out of order.
    pub channels: SmallVec<[(Channel, u32); 4]>,
}

impl Waits {
    /// From the counters that an instruction names.
    pub fn new(counters: SmallVec<[(Counter, u32); 3]>) -> Self {
        let channels = counters
            .iter()
            .flat_map(|&(counter, n)| counter.channels().iter().map(move |&channel| (channel, n)))
            .filter(|&(channel, n)| channel != Channel::Sm || n == 0)
            .collect();
        Waits { counters, channels }
    }
}

/// A field of a hardware register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HwField {
    /// Register number.
    pub id: u32,
    /// First bit.
    pub offset: u32,
    /// Bits.
    pub size: u32,
}

impl HwField {
    /// From the simm16 of `s_getreg`/`s_setreg`.
    pub fn from_simm16(simm: u32) -> Self {
        HwField { id: simm & 63, offset: simm >> 6 & 31, size: (simm >> 11 & 31) + 1 }
    }
    /// The field's bits in place.
    pub fn mask(self) -> u32 {
        (((1u64 << self.size) - 1) << self.offset) as u32
    }
}

/// How a barrier instruction names its object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BarrierName {
    /// By number.
    Number(i32),
    /// By `m0`.
    M0,
}

/// A barrier instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BarrierOp {
    /// `s_barrier` of gfx9: arrive and wait.
    ArriveAndWait,
    /// `s_barrier_signal`, and whether SCC is set for the first (`_isfirst`).
    Signal(BarrierName, bool),
    /// `s_barrier_wait`.
    Wait(i32),
    /// `s_barrier_init`.
    Init(BarrierName),
    /// `s_barrier_join`.
    Join(BarrierName),
    /// `s_barrier_leave`.
    Leave,
    /// `s_get_barrier_state` into a scalar.
    GetState(u32, BarrierName),
}

/// What a vector memory instruction does with its addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verb {
    /// Load into registers, one row per access.
    Load(LoadShape),
    /// Load and transpose.
    LoadTranspose(Transpose, u32),
    /// Store registers.
    Store(StoreShape),
    /// Read-modify-write, and whether the old value is returned.
    Atomic(AtomicShape, bool),
    /// gfx9 LDS-DMA: memory to LDS at M0 + offset + lane number times `stride`.
    LdsDma(LoadShape),
    /// gfx1250: memory to LDS at a per-lane address.
    AsyncLoad(u32),
    /// gfx1250: LDS to memory.
    AsyncStore(u32),
    /// `ds_atomic_async_barrier_arrive_b64`.
    AsyncArrive,
    /// `ds_atomic_barrier_arrive_rtn_b64`.
    Arrive,
    /// gfx1250 `*_load_block`: the dwords whose bit in M0 is set go to consecutive registers.
    LoadBlock,
    /// gfx1250 `*_store_block`.
    StoreBlock,
    /// `ds_append`, `ds_consume`.
    Append {
        /// Subtract instead of add.
        consume: bool,
    },
}

/// A vector memory or LDS instruction.
#[derive(Clone, Debug)]
pub struct MemoryOp {
    /// What it does.
    pub verb: Verb,
    /// Where.
    pub addressing: Addressing,
    /// FLAT: addresses go through the aperture check and count in two counters.
    pub flat: bool,
    /// Number of accesses: 2 for the two-address LDS forms.
    pub accesses: u32,
    /// Rows of destination registers per access.
    pub dst: [u32; 2],
    /// Rows of data registers per access.
    pub data: [u32; 2],
    /// Row of the second datum of compare-and-swap and the like (first access).
    pub second: u32,
    /// Row of LDS addresses of asynchronous copies.
    pub lds_addr: u32,
    /// Immediate offset on the LDS side of a copy.
    pub lds_offset: i64,
    /// Coherence scope.
    pub scope: Scope,
    /// Multicast (`cluster_*`).
    pub cluster: bool,
    /// A load or store of whole dwords with one address a lane in one space that is known.
    pub plain: bool,
    /// How a plain one is issued if its lanes lie one behind the other.
    pub run: Option<RunOp>,
}

/// A plain load or store, as it is issued if its lanes lie one behind the other ([`Run`](crate::run::Run)).
#[derive(Clone, Copy, Debug)]
pub struct RunOp {
    /// Registers to memory.
    pub store: bool,
    /// Dwords per lane.
    pub dwords: u8,
    /// What counts it.
    pub channel: Channel,
    /// First row of the registers.
    pub row: u32,
    /// Row of the addresses' low or only dword.
    pub addr: u32,
    /// How far apart neighbouring lanes' values in `addr` are.
    pub step: u32,
    /// What multiplies those values.
    pub scale: u32,
    /// What they are added to.
    pub base: RunBase,
}

/// The part of a [`RunOp`]'s address that all lanes share.
#[derive(Clone, Copy, Debug)]
pub enum RunBase {
    /// LDS, from this byte on.
    Lds(u32),
    /// Global memory: a pair of SGPRs and an immediate.
    Scalar(u32, i64),
    /// Global memory: a second address row, the high dword, and an immediate.
    Vector(i64),
}

impl MemoryOp {
    /// Dword `n` of a block load or store, as an operation of its own.
    pub(super) fn block_dword(&self, n: u32, chunks: u32) -> MemoryOp {
        let mut op = self.clone();
        match &mut op.addressing {
            Addressing::Flat { offset, .. } | Addressing::Scratch { offset, .. } => {
                *offset += i64::from(n) * 4
            }
            Addressing::Buffer { .. } | Addressing::Lds { .. } => {}
        }
        op.dst[0] += n * chunks;
        op.data[0] += n * chunks;
        op.verb = match self.verb {
            Verb::LoadBlock => Verb::Load(LoadShape { bytes: 4, extend: shape::Extend::Dwords }),
            _ => Verb::Store(StoreShape { bytes: 4, high: false }),
        };
        op
    }

    fn with_plain(mut self, isa: Isa) -> Self {
        let addressed = match self.addressing {
            Addressing::Lds { addr: Some(_), add_tid: false, .. } => true,
            Addressing::Flat { vaddr: Some(_), add_tid: false, .. } => !self.flat,
            _ => false,
        };
        let verb = match &self.verb {
            Verb::Load(shape) => shape.extend == shape::Extend::Dwords,
            Verb::Store(shape) => !shape.high && shape.bytes % 4 == 0,
            _ => false,
        };
        self.plain = addressed && verb && self.accesses == 1;
        self.run = if self.plain && !self.cluster { self.as_run(isa) } else { None };
        self
    }

    /// A plain operation as a run.
    fn as_run(&self, isa: Isa) -> Option<RunOp> {
        let (store, bytes, row) = match &self.verb {
            Verb::Load(shape) => (false, shape.bytes, self.dst[0]),
            Verb::Store(shape) => (true, shape.bytes, self.data[0]),
            _ => return None,
        };
        let (addr, scale, base) = match self.addressing {
            Addressing::Lds { addr, offsets, .. } => (addr?, 1, RunBase::Lds(offsets[0])),
            Addressing::Flat { vaddr, saddr: Some(saddr), scale, offset, .. } => {
                (vaddr?, scale, RunBase::Scalar(saddr, offset))
            }
            Addressing::Flat { vaddr, saddr: None, offset, .. } => (vaddr?, 1, RunBase::Vector(offset)),
            _ => return None,
        };
        if scale == 0 || bytes % scale != 0 || !matches!(bytes, 4 | 8 | 12 | 16) {
            return None;
        }
        let channel = match (&base, isa) {
            (RunBase::Lds(_), _) => Channel::Ds,
            (_, Isa::Gfx950) => Channel::Vm,
            _ if store => Channel::St,
            _ => Channel::Ld,
        };
        let (dwords, step) = ((bytes / 4) as u8, bytes / scale);
        Some(RunOp { store, dwords, channel, row, addr, step, scale, base })
    }
}

/// A scalar load.
#[derive(Clone, Debug)]
pub struct ScalarLoad {
    /// Destination.
    pub to: u32,
    /// Bytes and extension.
    pub shape: LoadShape,
    /// 64-bit base pair, or four SGPRs of a buffer descriptor.
    pub base: u32,
    /// The base is a buffer descriptor.
    pub buffer: bool,
    /// Scalar offset register, if any.
    pub soffset: Option<Place>,
    /// What multiplies the scalar offset.
    pub scale: u32,
    /// Immediate offset.
    pub offset: i64,
}

/// A tensor DMA instruction: scalar indices of the descriptor groups.
#[derive(Clone, Copy, Debug)]
pub struct TensorOp {
    /// LDS to memory.
    pub store: bool,
    /// Group 0, 1.
    pub groups: [u32; 2],
    /// Groups 2 and 3, if given.
    pub more: Option<[u32; 2]>,
    /// Coherence scope.
    pub scope: Scope,
}

/// A cross-lane operation through the LDS hardware: no memory is touched, the result is counted by DScnt.
#[derive(Clone, Copy, Debug)]
pub struct LanePermute {
    /// What.
    pub kind: PermuteKind,
    /// Destination row.
    pub dst: u32,
    /// Row of lane addresses (byte units); the data row for swizzle.
    pub addr: u32,
    /// Data row.
    pub data: u32,
    /// Immediate offset.
    pub offset: u32,
}

/// Which cross-lane operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the manual's names
pub enum PermuteKind {
    Permute,
    Bpermute,
    /// Reads inactive lanes as well.
    BpermuteFi,
    Swizzle,
}

/// Reads operands of the instruction by role.
pub struct Operands<'b, 'a> {
    binder: &'b mut Binder<'a>,
    mnemonic: &'static str,
}

const B32: ConstType = ConstType { bits: 32, bf16: false, float: false };

impl<'b, 'a> Operands<'b, 'a> {
    fn unsupported(&self, what: &str) -> BindError {
        BindError::Unsupported(format!("{} ({what})", self.mnemonic))
    }

    /// The first operand whose role is one of `roles`.
    fn find(&self, roles: &[&str]) -> Option<Operand> {
        let row = self.binder.inst.row(self.binder.isa);
        let encoding = row.encoding(self.binder.inst.form)?;
        let at = encoding.specs(row).position(|spec| roles.contains(&spec.role))?;
        self.binder.inst.operands.get(at).copied()
    }

    fn row(&self, roles: &[&str], bank: Bank) -> Result<Option<u32>, BindError> {
        match self.find(roles) {
            None | Some(Operand::Off) => Ok(None),
            Some(Operand::Special(wavemark_isa::Special::Null)) => Ok(None),
            Some(Operand::Reg(reg)) => self.binder.vector_at(reg, bank).map(Some),
            Some(other) => Err(self.unsupported(&format!("{} is {other:?}", roles[0]))),
        }
    }

    fn need_row(&self, roles: &[&str], bank: Bank) -> Result<u32, BindError> {
        self.row(roles, bank)?.ok_or_else(|| self.unsupported(&format!("no {} operand", roles[0])))
    }

    fn scalar(&self, roles: &[&str]) -> Result<Option<u32>, BindError> {
        match self.find(roles) {
            None | Some(Operand::Off) => Ok(None),
            Some(Operand::Special(wavemark_isa::Special::Null)) => Ok(None),
            Some(other) => match self.binder.scalar_at(&other) {
                Some(at) => Ok(Some(at)),
                None => Err(self.unsupported(&format!("{} is {other:?}", roles[0]))),
            },
        }
    }

    fn need_scalar(&self, roles: &[&str]) -> Result<u32, BindError> {
        self.scalar(roles)?.ok_or_else(|| self.unsupported(&format!("no {} operand", roles[0])))
    }

    /// A scalar source that may be a constant; absent or `off` reads as constant 0.
    fn source(&mut self, roles: &[&str]) -> Result<Place, BindError> {
        let operand = match self.find(roles) {
            None | Some(Operand::Off) => Operand::Int(0),
            Some(other) => other,
        };
        self.binder.scalar_source(&operand, B32)
    }

    fn imm(&self) -> i64 {
        self.binder
            .inst
            .operands
            .iter()
            .find_map(|operand| match operand {
                Operand::Imm(x) => Some(*x),
                _ => None,
            })
            .unwrap_or(0)
    }
}

/// `s_waitcnt`'s operand on gfx9; an all-ones field waits for nothing.
fn waitcnt_gfx9(simm: u32) -> SmallVec<[(Counter, u32); 3]> {
    let vm = simm & 15 | (simm >> 14 & 3) << 4;
    let exp = simm >> 4 & 7;
    let lgkm = simm >> 8 & 15;
    let mut waits = SmallVec::new();
    for (counter, n, none) in [(Counter::Vm, vm, 63), (Counter::Exp, exp, 7), (Counter::Lgkm, lgkm, 15)] {
        if n != none {
            waits.push((counter, n));
        }
    }
    waits
}

/// The `scale_offset` bit of [`wavemark_isa::Mods::cpol`].
const SCALE_OFFSET: u8 = 1 << 6;

fn scope_of(isa: Isa, cpol: u32) -> Scope {
    let scopes = [Scope::Cu, Scope::Se, Scope::Device, Scope::System];
    match isa {
        Isa::Gfx1250 => scopes[(cpol >> 3 & 3) as usize],
        // sc0 is bit 0, sc1 bit 4.
        Isa::Gfx950 => scopes[(cpol & 1 | (cpol >> 4 & 1) << 1) as usize],
    }
}

/// Mnemonics that change nothing a functional model shows.
const NOTHING: &[&str] = &[
    "s_nop",
    "s_delay_alu",
    "s_clause",
    "s_wait_alu",
    "s_setprio",
    "s_setprio_inc_wg",
    "s_wakeup",
    "s_icache_inv",
    "s_dcache_inv",
    "s_dcache_inv_vol",
    "s_dcache_wb",
    "s_dcache_wb_vol",
    "s_incperflevel",
    "s_decperflevel",
    "s_ttracedata",
    "s_ttracedata_imm",
    "s_prefetch_inst",
    "s_prefetch_inst_pc_rel",
    "s_prefetch_data",
    "s_prefetch_data_pc_rel",
    "s_buffer_prefetch_data",
    "s_version",
    "global_prefetch_b8",
    "flat_prefetch_b8",
    "ds_nop",
];

/// The operation of an instruction that is not arithmetic; `Ok(None)` if it is arithmetic.
pub fn bind(binder: &mut Binder<'_>) -> Result<Option<MachineOp>, BindError> {
    let mnemonic = binder.inst.row(binder.isa).mnemonic;
    let isa = binder.isa;
    let mut operands = Operands { binder, mnemonic };
    if NOTHING.contains(&mnemonic) {
        return Ok(Some(MachineOp::Nothing));
    }
    if let Some(op) = control(&mut operands, isa)? {
        return Ok(Some(op));
    }
    let (space, verb) = match mnemonic.split_once('_') {
        Some(pair) => pair,
        None => return Ok(None),
    };
    match space {
        "s" if verb.starts_with("load_") || verb.starts_with("buffer_load_") => {
            scalar_load(&mut operands, verb).map(Some)
        }
        "tensor" => tensor(&operands, verb, isa).map(Some),
        "ds" => lds(&mut operands, verb).map(Some),
        "global" | "flat" | "scratch" | "buffer" | "cluster" => {
            vector_memory(&mut operands, space, verb, isa).map(Some)
        }
        "tbuffer" => Err(operands.unsupported("typed buffer formats")),
        _ => Ok(None),
    }
}

fn wait_counters(mnemonic: &str) -> Option<&'static [Counter]> {
    Some(match mnemonic {
        "s_wait_loadcnt" => &[Counter::Load],
        "s_wait_storecnt" => &[Counter::Store],
        "s_wait_dscnt" => &[Counter::Ds],
        "s_wait_kmcnt" => &[Counter::Km],
        "s_wait_asynccnt" => &[Counter::Async],
        "s_wait_tensorcnt" => &[Counter::Tensor],
        "s_wait_xcnt" => &[Counter::X],
        "s_wait_loadcnt_dscnt" => &[Counter::Load, Counter::Ds],
        "s_wait_storecnt_dscnt" => &[Counter::Store, Counter::Ds],
        _ => return None,
    })
}

fn control(operands: &mut Operands<'_, '_>, isa: Isa) -> Result<Option<MachineOp>, BindError> {
    let simm = operands.imm() as u32 & 0xffff;
    if let Some(counters) = wait_counters(operands.mnemonic) {
        let waits = match counters {
            [one] => SmallVec::from_slice(&[(*one, simm & 63)]),
            [first, second, ..] => SmallVec::from_slice(&[(*first, simm >> 8 & 63), (*second, simm & 63)]),
            [] => SmallVec::new(),
        };
        return Ok(Some(MachineOp::Wait(Waits::new(waits))));
    }
    Ok(Some(match operands.mnemonic {
        "s_waitcnt" => MachineOp::Wait(Waits::new(waitcnt_gfx9(simm))),
        "s_wait_idle" => MachineOp::WaitIdle,
        "s_endpgm" | "s_endpgm_saved" | "s_endpgm_ordered_ps_done" => MachineOp::End,
        "s_sleep" | "s_sleep_var" | "s_monitor_sleep" => MachineOp::Sleep,
        "s_sethalt" => {
            if simm & 1 != 0 {
                MachineOp::Halt
            } else {
                MachineOp::Nothing
            }
        }
        "s_trap" => MachineOp::Trap(simm & 0xff),
        "s_sendmsg" => match simm & 0xff {
            // MSG_DEALLOC_VGPRS: registers are gone, the wave is about to end.
            3 if isa == Isa::Gfx1250 => MachineOp::Nothing,
            // MSG_INTERRUPT tells the host.
            1 => MachineOp::Nothing,
            other => return Err(operands.unsupported(&format!("message {other}"))),
        },
        "s_sendmsg_rtn_b32" => {
            MachineOp::SendMsgRtn(operands.need_scalar(&["sdst"])?, operands.imm() as u32, 1)
        }
        "s_sendmsg_rtn_b64" => {
            MachineOp::SendMsgRtn(operands.need_scalar(&["sdst"])?, operands.imm() as u32, 2)
        }
        "s_set_vgpr_msb" => MachineOp::SetVgprMsb(simm as u8),
        "s_getreg_b32" => MachineOp::GetReg(operands.need_scalar(&["sdst"])?, HwField::from_simm16(simm)),
        "s_setreg_b32" => {
            let value = operands.source(&["sdst", "ssrc0", "sdata", "ssrc"])?;
            MachineOp::SetReg(HwField::from_simm16(simm), value)
        }
        "s_setreg_imm32_b32" => {
            let value = operands.source(&["simm32"])?;
            MachineOp::SetReg(HwField::from_simm16(simm), value)
        }
        "s_round_mode" => MachineOp::SetModeBits(0, simm & 15),
        "s_denorm_mode" => MachineOp::SetModeBits(4, simm & 15),
        "s_memtime" | "s_memrealtime" | "s_get_shader_cycles_u64" => {
            MachineOp::Clock(operands.need_scalar(&["sdst", "sdata"])?)
        }
        "s_barrier" => MachineOp::Barrier(BarrierOp::ArriveAndWait),
        "s_barrier_signal" | "s_barrier_signal_isfirst" | "s_barrier_init" | "s_barrier_join" => {
            let name = barrier_name(operands)?;
            MachineOp::Barrier(match operands.mnemonic {
                "s_barrier_signal" => BarrierOp::Signal(name, false),
                "s_barrier_signal_isfirst" => BarrierOp::Signal(name, true),
                "s_barrier_init" => BarrierOp::Init(name),
                _ => BarrierOp::Join(name),
            })
        }
        "s_barrier_wait" => MachineOp::Barrier(BarrierOp::Wait(i32::from(simm as u16 as i16))),
        "s_barrier_leave" => MachineOp::Barrier(BarrierOp::Leave),
        "s_wakeup_barrier" => MachineOp::Nothing,
        "s_get_barrier_state" => {
            let name = barrier_name(operands)?;
            MachineOp::Barrier(BarrierOp::GetState(operands.need_scalar(&["sdst"])?, name))
        }
        "global_inv" | "global_wb" | "global_wbinv" | "buffer_inv" | "buffer_wbl2" | "buffer_wbinvl1"
        | "buffer_wbinvl1_vol" => {
            let name = operands.mnemonic;
            let cpol = u32::from(operands.binder.inst.mods.cpol);
            MachineOp::Cache {
                invalidate: name.contains("inv"),
                write_back: name.contains("wb"),
                scope: scope_of(isa, cpol),
            }
        }
        _ => return Ok(None),
    }))
}

fn barrier_name(operands: &Operands<'_, '_>) -> Result<BarrierName, BindError> {
    match operands.find(&["ssrc0", "ssrc", "barrier"]) {
        Some(Operand::Int(x)) => Ok(BarrierName::Number(i32::from(x))),
        Some(Operand::Imm(x)) => Ok(BarrierName::Number(x as i32)),
        Some(Operand::Special(wavemark_isa::Special::M0)) => Ok(BarrierName::M0),
        other => Err(operands.unsupported(&format!("barrier {other:?}"))),
    }
}

fn scalar_load(operands: &mut Operands<'_, '_>, verb: &str) -> Result<MachineOp, BindError> {
    let buffer = verb.starts_with("buffer_");
    let suffix = verb.trim_start_matches("buffer_").trim_start_matches("load_");
    let shape = match suffix {
        "dwordx8" | "b256" => LoadShape { bytes: 32, extend: shape::Extend::Dwords },
        "dwordx16" | "b512" => LoadShape { bytes: 64, extend: shape::Extend::Dwords },
        _ => shape::load_shape(suffix).ok_or_else(|| operands.unsupported("scalar load"))?,
    };
    let soffset = match operands.find(&["soffset", "soff"]) {
        None | Some(Operand::Off | Operand::Special(wavemark_isa::Special::Null)) => None,
        Some(Operand::Imm(_)) => None,
        Some(_) => Some(operands.source(&["soffset", "soff"])?),
    };
    let mods = operands.binder.inst.mods;
    Ok(MachineOp::Scalar(ScalarLoad {
        to: operands.need_scalar(&["sdata", "sdst"])?,
        shape,
        base: operands.need_scalar(&["sbase"])?,
        buffer,
        soffset,
        scale: if mods.cpol & SCALE_OFFSET != 0 { shape.bytes } else { 1 },
        offset: i64::from(mods.offset),
    }))
}

fn tensor(operands: &Operands<'_, '_>, verb: &str, isa: Isa) -> Result<MachineOp, BindError> {
    let store = match verb {
        "load_to_lds" => false,
        "store_from_lds" => true,
        _ => return Err(operands.unsupported("tensor instruction")),
    };
    let groups = [operands.need_scalar(&["d0"])?, operands.need_scalar(&["d1"])?];
    let more = match (operands.scalar(&["d2"])?, operands.scalar(&["d3"])?) {
        (Some(a), Some(b)) => Some([a, b]),
        (None, None) => None,
        (Some(a), None) | (None, Some(a)) => Some([a, a]),
    };
    let cpol = u32::from(operands.binder.inst.mods.cpol);
    Ok(MachineOp::Tensor(TensorOp { store, groups, more, scope: scope_of(isa, cpol) }))
}

const ADDR: &[&str] = &["addr", "vaddr"];
const DST: &[&str] = &["vdst", "avdst"];
const DATA: &[&str] = &["data0", "vdata", "avdata", "avdata0", "data", "vsrc"];
const DATA1: &[&str] = &["data1", "avdata1"];

fn lds(operands: &mut Operands<'_, '_>, verb: &'static str) -> Result<MachineOp, BindError> {
    let mods = operands.binder.inst.mods;
    if mods.gds {
        return Err(operands.unsupported("GDS"));
    }
    let offset = mods.offset as u32 & 0xffff;
    let permute = match verb {
        "permute_b32" => Some(PermuteKind::Permute),
        "bpermute_b32" => Some(PermuteKind::Bpermute),
        "bpermute_fi_b32" => Some(PermuteKind::BpermuteFi),
        "swizzle_b32" => Some(PermuteKind::Swizzle),
        _ => None,
    };
    if let Some(kind) = permute {
        let addr = operands.need_row(ADDR, Bank::Src0)?;
        let data = if kind == PermuteKind::Swizzle { addr } else { operands.need_row(DATA, Bank::Src1)? };
        let offset =
            if kind == PermuteKind::Swizzle && offset == 0 { operands.imm() as u32 & 0xffff } else { offset };
        let dst = operands.need_row(DST, Bank::Dst)?;
        return Ok(MachineOp::LanePermute(LanePermute { kind, dst, addr, data, offset }));
    }
    let dst = operands.row(DST, Bank::Dst)?.unwrap_or(0);
    let data = operands.row(DATA, Bank::Src1)?.unwrap_or(0);
    let data1 = operands.row(DATA1, Bank::Src2)?.unwrap_or(0);
    let mut op = MemoryOp {
        verb: Verb::AsyncArrive,
        addressing: Addressing::Lds {
            addr: operands.row(ADDR, Bank::Src0)?,
            offsets: [offset, 0],
            add_tid: verb.contains("addtid"),
        },
        flat: false,
        accesses: 1,
        dst: [dst, 0],
        data: [data, data1],
        second: data1,
        lds_addr: 0,
        lds_offset: 0,
        scope: Scope::Cu,
        cluster: false,
        plain: false,
        run: None,
    };
    let chunks = operands.binder.layout.chunks as u32;
    let two_address = |op: &mut MemoryOp, bytes: u32, stride64: bool| {
        let unit = bytes * if stride64 { 64 } else { 1 };
        op.accesses = 2;
        op.dst[1] = op.dst[0] + bytes / 4 * chunks;
        let offsets = [offset & 0xff, u32::from(mods.offset1)];
        if let Addressing::Lds { offsets: own, .. } = &mut op.addressing {
            *own = offsets.map(|o| o * unit);
        }
    };
    let read = verb.strip_prefix("read_").or_else(|| verb.strip_prefix("load_"));
    let write = verb.strip_prefix("write_").or_else(|| verb.strip_prefix("store_"));
    let plain = |name: &'static str| -> &'static str { name.strip_prefix("addtid_").unwrap_or(name) };
    let (read, write) = (read.map(plain), write.map(plain));
    // `read2_b32`, `read2st64_b64`, `load_2addr_b32`, `load_2addr_stride64_b64`, and stores likewise.
    let wide = |verb: &str, gfx9: &str, gfx12: &str| -> Option<(u32, bool)> {
        let (rest, stride64) = if let Some(rest) = verb.strip_prefix(gfx9) {
            match rest.strip_prefix("st64_") {
                Some(rest) => (rest, true),
                None => (rest.strip_prefix('_')?, false),
            }
        } else {
            let rest = verb.strip_prefix(gfx12)?;
            match rest.strip_prefix("_stride64_") {
                Some(rest) => (rest, true),
                None => (rest.strip_prefix('_')?, false),
            }
        };
        match rest.trim_start_matches("rtn_") {
            "b32" => Some((4, stride64)),
            "b64" => Some((8, stride64)),
            _ => None,
        }
    };
    op.verb = if let Some((bytes, stride64)) = wide(verb, "read2", "load_2addr") {
        two_address(&mut op, bytes, stride64);
        Verb::Load(LoadShape { bytes, extend: shape::Extend::Dwords })
    } else if let Some((bytes, stride64)) = wide(verb, "write2", "store_2addr") {
        two_address(&mut op, bytes, stride64);
        Verb::Store(StoreShape { bytes, high: false })
    } else if let Some((bytes, stride64)) = wide(verb, "wrxchg2", "storexchg_2addr") {
        two_address(&mut op, bytes, stride64);
        Verb::Atomic(AtomicShape { op: atomic::AtomicOp::Swap, bytes }, true)
    } else if let Some((transpose, bytes)) = read.and_then(Transpose::of) {
        Verb::LoadTranspose(transpose, bytes)
    } else if let Some(shape) = read.and_then(shape::load_shape) {
        Verb::Load(shape)
    } else if let Some(shape) = write.and_then(shape::store_shape) {
        Verb::Store(shape)
    } else {
        match verb {
            "atomic_async_barrier_arrive_b64" => Verb::AsyncArrive,
            "atomic_barrier_arrive_rtn_b64" => Verb::Arrive,
            "append" => Verb::Append { consume: false },
            "consume" => Verb::Append { consume: true },
            _ => {
                let returns = verb.contains("_rtn_");
                let name = verb.replacen("_rtn_", "_", 1);
                let atomic = atomic::atomic_shape(&name)
                    .ok_or_else(|| BindError::Unsupported(operands.mnemonic.to_owned()))?;
                // gfx9 `ds_cmpst` has the comparand first, gfx11 on `ds_cmpstore` the new value.
                if name.starts_with("cmpst_") {
                    op.second = data;
                    op.data[0] = data1;
                } else if matches!(atomic.op, atomic::AtomicOp::MaskOr | atomic::AtomicOp::Wrap) {
                    op.second = data1;
                }
                Verb::Atomic(atomic, returns)
            }
        }
    };
    Ok(MachineOp::Memory(Box::new(op.with_plain(operands.binder.isa))))
}

fn vector_memory(
    operands: &mut Operands<'_, '_>,
    space: &str,
    verb: &str,
    isa: Isa,
) -> Result<MachineOp, BindError> {
    let mods = operands.binder.inst.mods;
    let cpol = u32::from(mods.cpol);
    let unsupported = BindError::Unsupported(operands.mnemonic.to_owned());
    if mods.tfe {
        return Err(operands.unsupported("tfe"));
    }
    let chunks = operands.binder.layout.chunks as u32;
    let effect = operands.binder.inst.row(isa).attribute("mem").unwrap_or_default();
    let lds_dma = isa == Isa::Gfx950 && effect.contains(".to_lds.");
    let verb_of = || -> Option<Verb> {
        if let Some(rest) = verb.strip_prefix("load_async_to_lds_") {
            return Some(Verb::AsyncLoad(if rest == "b8" { 1 } else { shape::load_shape(rest)?.bytes }));
        }
        match verb {
            "load_block" => return Some(Verb::LoadBlock),
            "store_block" => return Some(Verb::StoreBlock),
            _ => {}
        }
        if let Some(rest) = verb.strip_prefix("store_async_from_lds_") {
            return Some(Verb::AsyncStore(shape::store_shape(rest)?.bytes));
        }
        if let Some(rest) = verb.strip_prefix("load_lds_") {
            return Some(Verb::LdsDma(shape::load_shape(rest)?));
        }
        if let Some(rest) = verb.strip_prefix("load_") {
            let rest = rest.strip_prefix("monitor_").or_else(|| rest.strip_prefix("addtid_")).unwrap_or(rest);
            if let Some((transpose, bytes)) = Transpose::of(rest) {
                return Some(Verb::LoadTranspose(transpose, bytes));
            }
            let shape = shape::load_shape(rest)?;
            return Some(if lds_dma { Verb::LdsDma(shape) } else { Verb::Load(shape) });
        }
        if let Some(rest) = verb.strip_prefix("store_") {
            return shape::store_shape(rest.strip_prefix("addtid_").unwrap_or(rest)).map(Verb::Store);
        }
        let returns = effect.contains(".atomic_return.");
        atomic::atomic_shape(verb.strip_prefix("atomic_")?).map(|shape| Verb::Atomic(shape, returns))
    };
    let verb_kind = verb_of().ok_or(unsupported)?;
    let bytes = match &verb_kind {
        Verb::Load(s) | Verb::LdsDma(s) => s.bytes,
        Verb::Store(s) => s.bytes,
        Verb::LoadTranspose(_, bytes) | Verb::AsyncLoad(bytes) | Verb::AsyncStore(bytes) => *bytes,
        Verb::Atomic(s, _) => s.bytes,
        Verb::LoadBlock | Verb::StoreBlock => 4,
        Verb::AsyncArrive | Verb::Arrive | Verb::Append { .. } => 8,
    };
    if matches!(verb_kind, Verb::LoadBlock | Verb::StoreBlock) && mods.cpol & SCALE_OFFSET != 0 {
        // The manual does not say what a block's data size is.
        return Err(operands.unsupported("scale_offset"));
    }
    let offset = i64::from(mods.offset);
    let scale = if mods.cpol & SCALE_OFFSET != 0 { bytes } else { 1 };
    let addressing = match space {
        "buffer" => {
            let vaddr = operands.row(&["vaddr"], Bank::Src0)?;
            let (index, voffset) = match (mods.idxen, mods.offen) {
                (true, true) => (vaddr, vaddr.map(|row| row + chunks)),
                (true, false) => (vaddr, None),
                (false, true) => (None, vaddr),
                (false, false) => (None, None),
            };
            let soffset = operands.source(&["soffset"])?;
            Addressing::Buffer {
                rsrc: operands.need_scalar(&["srsrc", "rsrc"])?,
                index,
                voffset,
                soffset: soffset.at,
                offset,
            }
        }
        "scratch" => Addressing::Scratch {
            vaddr: operands.row(&["vaddr"], Bank::Src0)?,
            saddr: operands.scalar(&["saddr"])?,
            scale,
            offset,
        },
        _ => {
            let saddr = operands.scalar(&["saddr"])?;
            Addressing::Flat {
                vaddr: operands.row(&["vaddr", "addr"], Bank::Src0)?,
                saddr,
                scale: if saddr.is_some() { scale } else { 1 },
                add_tid: verb.contains("addtid"),
                offset,
            }
        }
    };
    let (mut dst, mut data, mut lds_addr) = (0, 0, 0);
    let mut second = 0;
    match &verb_kind {
        Verb::Load(_) | Verb::LoadTranspose(..) | Verb::LoadBlock => {
            dst = operands.need_row(&["vdst", "avdst", "vdata", "avdata"], Bank::Dst)?;
        }
        Verb::Store(_) | Verb::StoreBlock => data = operands.need_row(DATA, Bank::Src1)?,
        Verb::Atomic(shape, returns) => {
            data = operands.need_row(DATA, Bank::Src1)?;
            // CDNA ISA: src first, then the comparand.
            second = data + shape.bytes / 4 * chunks;
            if *returns {
                dst = match operands.row(DST, Bank::Dst)? {
                    Some(row) => row,
                    None => data,
                };
            }
        }
        Verb::AsyncLoad(_) => lds_addr = operands.need_row(&["vdst", "avdst", "ldsaddr"], Bank::Dst)?,
        Verb::AsyncStore(_) => {
            lds_addr = operands.need_row(&["vdata", "data", "vsrc", "data0", "ldsaddr"], Bank::Src1)?
        }
        Verb::LdsDma(_) | Verb::AsyncArrive | Verb::Arrive | Verb::Append { .. } => {}
    }
    Ok(MachineOp::Memory(Box::new(
        MemoryOp {
            addressing,
            flat: space == "flat",
            accesses: 1,
            dst: [dst, 0],
            data: [data, 0],
            second,
            lds_addr,
            lds_offset: offset,
            scope: match (&verb_kind, isa) {
                // sc0 of an atomic says that the old value is returned; it is carried out in the L2 cache.
                (Verb::Atomic(..), Isa::Gfx950) if cpol & 1 << 4 == 0 => Scope::Device,
                (Verb::Atomic(..), Isa::Gfx950) => Scope::System,
                _ => scope_of(isa, cpol),
            },
            cluster: space == "cluster",
            plain: false,
            run: None,
            verb: verb_kind,
        }
        .with_plain(isa),
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waitcnt_fields_of_gfx9() {
        // s_waitcnt vmcnt(0) lgkmcnt(0) is 0x0070.
        assert_eq!(waitcnt_gfx9(0x70).as_slice(), [(Counter::Vm, 0), (Counter::Lgkm, 0)]);
        // s_waitcnt vmcnt(63) expcnt(7) lgkmcnt(15): nothing.
        assert!(waitcnt_gfx9(0xcf7f).is_empty());
        assert_eq!(waitcnt_gfx9(0x4f71).as_slice(), [(Counter::Vm, 17)]);
    }

    #[test]
    fn hardware_register_fields() {
        // hwreg(HW_REG_WAVE_MODE, 25, 1)
        let field = HwField::from_simm16(25 << 6 | 1);
        assert_eq!(field, HwField { id: 1, offset: 25, size: 1 });
        assert_eq!(field.mask(), 1 << 25);
    }
}
