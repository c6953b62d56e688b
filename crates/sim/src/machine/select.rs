//! From a decoded instruction to what the machine does, by the effects of its row.

use wavemark_isa::effects::{Barrier, Control, Extend, Flow, HwField, HwReg, Memory, Path, Verb};
use wavemark_isa::{Inst, Operand, Special, buffer_format};
use wavemark_target::WaveSize;

use super::address::Addressing;
use super::ops::{
    BarrierName, BarrierOp, FormatOp, LanePermute, MachineOp, MemoryOp, ScalarLoad, TensorOp, Transfer, Waits,
};
use crate::atomic::{AtomicOp, AtomicShape};
use crate::binder::{BindError, Binder, ConstType};
use crate::events::{CacheOp, Channel, is_executed};
use crate::op::Place;
use crate::shape::{LoadShape, StoreShape};

/// Reads operands of the instruction by role.
struct Operands<'b, 'a> {
    binder: &'b mut Binder<'a>,
    mnemonic: &'static str,
}

const B32: ConstType = ConstType { bits: 32, bf16: false, float: false };

/// The operation of an instruction that is not arithmetic; `Ok(None)` if it is arithmetic.
pub fn select(binder: &mut Binder<'_>) -> Result<Option<MachineOp>, BindError> {
    let mnemonic = binder.inst.row(binder.machine).mnemonic;
    let mut operands = Operands { binder, mnemonic };
    if !operands.binder.effects.channels.iter().all(|&channel| is_executed(channel)) {
        return Err(operands.unsupported("a counter that is not modelled"));
    }
    if let Some(memory) = operands.binder.effects.memory {
        return operands.memory(&memory).map(Some);
    }
    if let Some(barrier) = operands.binder.effects.barrier {
        return operands.barrier(barrier).map(Some);
    }
    if let Some(control) = operands.binder.effects.control {
        return operands.control(control).map(Some);
    }
    operands.flow()
}

impl Operands<'_, '_> {
    fn unsupported(&self, what: &str) -> BindError {
        BindError::Unsupported(format!("{} ({what})", self.mnemonic))
    }

    /// The operand of `role` and its number.
    fn find(&self, role: &str) -> Option<(usize, Operand)> {
        let row = self.binder.inst.row(self.binder.machine);
        let encoding = row.encoding(self.binder.inst.form)?;
        let at = encoding.specs(row).position(|spec| spec.role == role)?;
        Some((at, *self.binder.inst.operands.get(at)?))
    }

    /// The vector register of `role`, if there is one.
    fn row(&self, role: &str) -> Result<Option<u32>, BindError> {
        match self.find(role) {
            None | Some((_, Operand::Off | Operand::Special(Special::Null))) => Ok(None),
            Some((at, Operand::Reg(reg))) => self.binder.vector_at(reg, self.binder.bank(at)).map(Some),
            Some((_, other)) => Err(self.unsupported(&format!("{role} is {other:?}"))),
        }
    }

    fn need_row(&self, role: &str) -> Result<u32, BindError> {
        self.row(role)?.ok_or_else(|| self.unsupported(&format!("no {role} operand")))
    }

    /// The scalar register of `role`, if there is one.
    fn scalar(&self, role: &str) -> Result<Option<u32>, BindError> {
        match self.find(role) {
            None | Some((_, Operand::Off | Operand::Special(Special::Null))) => Ok(None),
            Some((_, other)) => match self.binder.scalar_at(&other) {
                Some(at) => Ok(Some(at)),
                None => Err(self.unsupported(&format!("{role} is {other:?}"))),
            },
        }
    }

    fn need_scalar(&self, role: &str) -> Result<u32, BindError> {
        self.scalar(role)?.ok_or_else(|| self.unsupported(&format!("no {role} operand")))
    }

    /// The scalar register of the first of two roles that the row has.
    fn scalar_of(&self, one: &str, other: &str) -> Result<u32, BindError> {
        match self.scalar(one)? {
            Some(at) => Ok(at),
            None => self.need_scalar(other),
        }
    }

    /// A scalar source that may be a constant; absent or `off` reads as constant 0.
    fn source(&mut self, role: &str) -> Result<Place, BindError> {
        let operand = match self.find(role) {
            None | Some((_, Operand::Off)) => Operand::Int(0),
            Some((_, other)) => other,
        };
        self.binder.scalar_source(&operand, B32)
    }

    /// The number among the operands; 0 without one.
    fn imm(&self) -> i64 {
        let numbers = self.binder.inst.operands.iter().find_map(|operand| match operand {
            Operand::Imm(x) => Some(*x),
            _ => None,
        });
        numbers.unwrap_or(0)
    }

    fn simm16(&self) -> u32 {
        self.imm() as u32 & 0xffff
    }

    /// Waits, ends, traps.
    fn flow(&mut self) -> Result<Option<MachineOp>, BindError> {
        let simm = self.simm16();
        Ok(Some(match self.binder.effects.flow {
            Flow::Wait if self.binder.effects.waits_idle => MachineOp::WaitIdle,
            Flow::Wait => MachineOp::Wait(Waits::new(self.binder.effects.waits.clone())),
            Flow::End => MachineOp::End,
            // The handler of `llvm.debugtrap` returns at once if no debugger is there (guide, "Trap Handler ABI").
            Flow::Trap if simm & 0xff == 3 => MachineOp::Nothing,
            Flow::Trap => MachineOp::Trap(simm & 0xff),
            Flow::Halt if simm & 1 != 0 => MachineOp::Halt,
            Flow::Halt => MachineOp::Nothing,
            // Branches are arithmetic on the program counter.
            Flow::Next
            | Flow::Branch
            | Flow::ConditionalBranch
            | Flow::Indirect
            | Flow::Call
            | Flow::Barrier => return Ok(None),
        }))
    }

    /// An operation that nobody notices but the counters.
    fn counted(&self) -> MachineOp {
        match &self.binder.effects.channels {
            none if none.is_empty() => MachineOp::Nothing,
            channels => MachineOp::Counted(channels.clone()),
        }
    }

    fn control(&mut self, control: Control) -> Result<MachineOp, BindError> {
        let simm = self.simm16();
        let field = HwField::from_simm16(simm as u16);
        let register = HwReg::of(self.binder.machine, field.id);
        Ok(match control {
            Control::Hint | Control::Nop => self.counted(),
            Control::Sleep => MachineOp::Sleep,
            Control::SendMessage => return self.message(),
            Control::SendMessageReturn => {
                let dwords = self.find("sdst").map_or(1, |(at, _)| self.dwords(at));
                MachineOp::SendMsgRtn(self.need_scalar("sdst")?, self.imm() as u32, dwords)
            }
            Control::VgprMsb => MachineOp::SetVgprMsb(simm as u8),
            Control::GetReg => MachineOp::GetReg(self.need_scalar("sdst")?, register, field),
            Control::SetReg => {
                let role = if self.find("simm32").is_some() { "simm32" } else { "sdst" };
                MachineOp::SetReg(register, field, self.source(role)?)
            }
            Control::RoundMode => MachineOp::SetModeBits(0, simm & 15),
            Control::DenormMode => MachineOp::SetModeBits(4, simm & 15),
            Control::Clock => {
                MachineOp::Clock(self.scalar_of("sdst", "sdata")?, self.binder.effects.channels.clone())
            }
        })
    }

    /// Registers of operand number `at`.
    fn dwords(&self, at: usize) -> u8 {
        let row = self.binder.inst.row(self.binder.machine);
        let spec = row.encoding(self.binder.inst.form).and_then(|encoding| encoding.specs(row).nth(at));
        spec.map_or(1, |spec| spec.ty.dwords())
    }

    /// A message without an answer: only those that tell the host something and those that give registers back just
    /// before the end change nothing here.
    fn message(&self) -> Result<MachineOp, BindError> {
        let machine = self.binder.machine;
        let message = wavemark_isa::named::Message::decode(machine, self.simm16() as u16);
        match message.name(machine) {
            Some("MSG_INTERRUPT") if self.binder.effects.flow == Flow::Next => {
                Ok(MachineOp::Interrupt(self.binder.effects.channels.clone()))
            }
            Some("MSG_DEALLOC_VGPRS") if self.binder.effects.flow == Flow::Next => Ok(self.counted()),
            name => Err(self.unsupported(&format!("message {}", name.unwrap_or("without a name")))),
        }
    }

    fn barrier(&mut self, barrier: Barrier) -> Result<MachineOp, BindError> {
        let op = match barrier {
            Barrier::ArriveAndWait => BarrierOp::ArriveAndWait,
            Barrier::Signal => BarrierOp::Signal(self.barrier_name()?, false),
            Barrier::SignalIsFirst => BarrierOp::Signal(self.barrier_name()?, true),
            Barrier::Wait => BarrierOp::Wait(i32::from(self.simm16() as u16 as i16)),
            Barrier::Init => BarrierOp::Init(self.barrier_name()?),
            Barrier::Join => BarrierOp::Join(self.barrier_name()?),
            Barrier::Leave => BarrierOp::Leave,
            Barrier::GetState => BarrierOp::GetState(self.need_scalar("sdst")?, self.barrier_name()?),
            // No wave sleeps for longer than its turn.
            Barrier::Wakeup => return Ok(MachineOp::Nothing),
        };
        Ok(MachineOp::Barrier(op))
    }

    fn barrier_name(&self) -> Result<BarrierName, BindError> {
        match self.find("ssrc0").map(|(_, operand)| operand) {
            Some(Operand::Int(x)) => Ok(BarrierName::Number(i32::from(x))),
            Some(Operand::Imm(x)) => Ok(BarrierName::Number(x as i32)),
            Some(Operand::Special(Special::M0)) => Ok(BarrierName::M0),
            other => Err(self.unsupported(&format!("barrier {other:?}"))),
        }
    }

    fn memory(&mut self, memory: &Memory) -> Result<MachineOp, BindError> {
        match (memory.verb, memory.path) {
            (Verb::Prefetch, _) if self.binder.effects.channels.is_empty() => Ok(MachineOp::Nothing),
            (Verb::Prefetch, _) => Err(self.unsupported("address translation probe")),
            // It loses what it should not.
            (Verb::Cache { .. }, Path::Scalar) if !self.binder.inst.operands.is_empty() => {
                Err(self.unsupported("discard of cached data"))
            }
            (Verb::Cache { invalidate, write_back }, _) => {
                let scope = self.binder.effects.policy.scope;
                let cache = CacheOp { invalidate, write_back, scope, caches: memory.caches };
                Ok(MachineOp::Cache(cache, self.binder.effects.channels.clone()))
            }
            (Verb::Crossbar(_), _) => self.crossbar(memory),
            (_, Path::Scalar) => self.scalar_memory(memory),
            (_, Path::Tensor) => self.tensor(memory),
            (_, Path::Gds) => Err(self.unsupported("global wave sync")),
            (_, Path::Lds) => self.lds(memory),
            (_, Path::Flat | Path::Global | Path::Scratch | Path::Buffer) => self.vector_memory(memory),
        }
    }

    fn scalar_memory(&mut self, memory: &Memory) -> Result<MachineOp, BindError> {
        if memory.verb != Verb::Load || memory.scratch {
            return Err(self.unsupported("scalar memory other than loads"));
        }
        let buffer = match self.find("sbase") {
            Some((at, _)) if self.dwords(at) == 4 => Some(self.binder.facts.buffer_resource),
            _ => None,
        };
        let soffset = match self.find("soffset") {
            None | Some((_, Operand::Off | Operand::Special(Special::Null) | Operand::Imm(_))) => None,
            Some(_) => Some(self.source("soffset")?),
        };
        let base = self.need_scalar("sbase")?;
        let shape = LoadShape { bytes: u32::from(memory.bytes), extend: memory.extend };
        Ok(MachineOp::Scalar(ScalarLoad {
            to: self.need_scalar("sdata")?,
            shape,
            base,
            buffer,
            soffset,
            scale: if self.binder.effects.policy.scale_offset { shape.bytes } else { 1 },
            offset: i64::from(self.binder.inst.mods.offset),
            scope: self.binder.effects.policy.scope,
        }))
    }

    fn tensor(&self, memory: &Memory) -> Result<MachineOp, BindError> {
        let groups = [self.need_scalar("d0")?, self.need_scalar("d1")?];
        let more = match (self.scalar("d2")?, self.scalar("d3")?) {
            (Some(a), Some(b)) => Some([a, b]),
            (None, None) => None,
            (Some(a), None) | (None, Some(a)) => Some([a, a]),
        };
        let scope = self.binder.effects.policy.scope;
        Ok(MachineOp::Tensor(TensorOp { store: memory.verb == Verb::FromLds, groups, more, scope }))
    }

    fn crossbar(&self, memory: &Memory) -> Result<MachineOp, BindError> {
        let Verb::Crossbar(kind) = memory.verb else { return Err(self.unsupported("no crossbar")) };
        let addr = self.need_row("addr")?;
        let data = self.row("data0")?.unwrap_or(addr);
        // The pattern of a swizzle is an operand of its own in the text, and the offset in the encoding.
        let offset = match self.binder.inst.mods.offset as u32 & 0xffff {
            0 => self.simm16(),
            offset => offset,
        };
        Ok(MachineOp::LanePermute(LanePermute { kind, dst: self.need_row("vdst")?, addr, data, offset }))
    }

    /// How the data move.
    fn transfer(&self, memory: &Memory) -> Result<Transfer, BindError> {
        if memory.is_typed() {
            return self.typed(memory);
        }
        let bytes = u32::from(memory.bytes);
        let shape = LoadShape { bytes, extend: memory.extend };
        let machine = self.binder.machine;
        let returns = memory.verb == Verb::AtomicReturn;
        Ok(match (memory.verb, memory.atomic) {
            (Verb::Load, _) if memory.block => Transfer::LoadBlock,
            (Verb::Store, _) if memory.block => Transfer::StoreBlock,
            (Verb::Load, _) => match memory.transpose {
                Some(transpose) => {
                    let spread = !machine.wave32() && machine.processor.allows(WaveSize::Wave32);
                    Transfer::LoadTranspose { transpose, bytes, spread }
                }
                None => Transfer::Load(shape),
            },
            (Verb::Store, _) => Transfer::Store(StoreShape { bytes, high: memory.extend.is_half() }),
            // The LDS address is in a register where the asynchronous queue has it, else in M0.
            (Verb::ToLds, _) if self.binder.effects.channels.contains(&Channel::Al) => {
                Transfer::AsyncLoad(bytes)
            }
            (Verb::ToLds, _) => Transfer::LdsDma(shape),
            (Verb::FromLds, _) if memory.path == Path::Buffer => Transfer::LdsDmaStore,
            (Verb::FromLds, _) => Transfer::AsyncStore(bytes),
            (_, Some(AtomicOp::Append)) => Transfer::Append { consume: false },
            (_, Some(AtomicOp::Consume)) => Transfer::Append { consume: true },
            (_, Some(AtomicOp::BarrierArrive)) => Transfer::Arrive,
            (_, Some(AtomicOp::BarrierArriveAsync)) => Transfer::AsyncArrive,
            (_, Some(AtomicOp::Gws | AtomicOp::OrderedAdd)) => {
                return Err(self.unsupported("an operation ordered between waves"));
            }
            (_, Some(op)) => Transfer::Atomic(AtomicShape { op, bytes }, returns),
            (Verb::Atomic | Verb::AtomicReturn | Verb::Prefetch, None)
            | (Verb::Cache { .. } | Verb::Crossbar(_), None) => {
                return Err(self.unsupported("memory operation"));
            }
        })
    }

    /// A load or store of elements of a typed buffer.
    fn typed(&self, memory: &Memory) -> Result<Transfer, BindError> {
        let Inst { mods, .. } = self.binder.inst;
        let row = self.binder.inst.row(self.binder.machine);
        let says =
            row.encoding(self.binder.inst.form).is_some_and(|encoding| encoding.has_modifier("format"));
        let element =
            match says.then(|| buffer_format::element(self.binder.facts.buffer_formats, mods.format)) {
                Some(None) => return Err(self.unsupported("a format that is reserved")),
                Some(element) => element,
                None => None,
            };
        let d16 = memory.extend.is_half();
        let op = FormatOp {
            element,
            components: memory.components,
            d16,
            high: memory.extend == Extend::HighZero,
            to_lds: memory.verb == Verb::ToLds,
        };
        Ok(if memory.verb == Verb::Store { Transfer::StoreFormat(op) } else { Transfer::LoadFormat(op) })
    }

    fn memory_op(&self, memory: &Memory, transfer: Transfer, addressing: Addressing) -> MemoryOp {
        MemoryOp {
            transfer,
            addressing,
            channels: self.binder.effects.channels.clone(),
            flat: memory.path == Path::Flat,
            accesses: u32::from(memory.count),
            dst: [0; 2],
            data: [0; 2],
            second: 0,
            lds_addr: 0,
            lds_load: None,
            lds_copy: None,
            lds_offset: 0,
            scope: self.binder.effects.policy.scope,
            multicast: memory.multicast,
            burst: None,
        }
    }

    fn lds(&mut self, memory: &Memory) -> Result<MachineOp, BindError> {
        let mods = self.binder.inst.mods;
        if mods.gds {
            return Err(self.unsupported("GDS"));
        }
        let transfer = self.transfer(memory)?;
        let unit = u32::from(memory.bytes) * u32::from(memory.stride);
        let offsets = match memory.count {
            2 => [(mods.offset as u32 & 0xff) * unit, u32::from(mods.offset1) * unit],
            _ => [mods.offset as u32 & 0xffff, 0],
        };
        let addressing = Addressing::Lds { addr: self.row("addr")?, offsets, add_tid: memory.add_tid };
        let mut op = self.memory_op(memory, transfer, addressing);
        let chunks = self.binder.layout.chunks as u32;
        let (data0, data1) = (self.row("data0")?.unwrap_or(0), self.row("data1")?.unwrap_or(0));
        op.dst[0] = self.row("vdst")?.unwrap_or(0);
        op.dst[1] = op.dst[0] + u32::from(memory.bytes).div_ceil(4) * chunks;
        (op.data, op.second) = match memory.atomic {
            // The comparand comes first.
            Some(AtomicOp::CmpStore | AtomicOp::CmpStoreFloat) => ([data1, 0], data0),
            _ => ([data0, data1], data1),
        };
        Ok(MachineOp::Memory(Box::new(op.with_short_forms(self.binder.layout.chunks))))
    }

    fn vector_memory(&mut self, memory: &Memory) -> Result<MachineOp, BindError> {
        let mods = self.binder.inst.mods;
        if mods.tfe {
            return Err(self.unsupported("tfe"));
        }
        let transfer = self.transfer(memory)?;
        let scaled = self.binder.effects.policy.scale_offset;
        if memory.block && scaled {
            // The manual does not say what a block's data size is.
            return Err(self.unsupported("scale_offset"));
        }
        let offset = i64::from(mods.offset);
        let scale = if scaled { transfer.bytes() } else { 1 };
        let addressing = self.addressing(memory, offset, scale)?;
        let mut op = self.memory_op(memory, transfer, addressing);
        op.lds_offset = offset;
        let dwords = u32::from(memory.bytes).div_ceil(4);
        match memory.verb {
            Verb::Load => {
                op.dst[0] = if memory.path == Path::Buffer {
                    self.need_row("vdata")?
                } else {
                    self.need_row("vdst")?
                };
            }
            Verb::Store => op.data[0] = self.need_row("vdata")?,
            Verb::Atomic | Verb::AtomicReturn => {
                let data = self.need_row("vdata")?;
                // CDNA ISA: src first, then the comparand.
                op.second = data + dwords * self.binder.layout.chunks as u32;
                op.data[0] = data;
                // Buffer atomics return into their data.
                op.dst[0] = self.row("vdst")?.unwrap_or(data);
            }
            Verb::ToLds if matches!(op.transfer, Transfer::AsyncLoad(_)) => {
                op.lds_addr = self.need_row("vdst")?;
            }
            Verb::FromLds if matches!(op.transfer, Transfer::AsyncStore(_)) => {
                op.lds_addr = self.need_row("vdata")?;
            }
            Verb::FromLds | Verb::ToLds | Verb::Prefetch | Verb::Cache { .. } | Verb::Crossbar(_) => {}
        }
        Ok(MachineOp::Memory(Box::new(op.with_short_forms(self.binder.layout.chunks))))
    }

    fn addressing(&mut self, memory: &Memory, offset: i64, scale: u32) -> Result<Addressing, BindError> {
        let mods = self.binder.inst.mods;
        let chunks = self.binder.layout.chunks as u32;
        let vaddr = self.row("vaddr")?;
        Ok(match memory.path {
            Path::Buffer => {
                let (index, voffset) = match (mods.idxen, mods.offen) {
                    (true, true) => (vaddr, vaddr.map(|row| row + chunks)),
                    (true, false) => (vaddr, None),
                    (false, true) => (None, vaddr),
                    (false, false) => (None, None),
                };
                let soffset = self.source("soffset")?.at();
                let rsrc = self.scalar_of("srsrc", "rsrc")?;
                Addressing::Buffer {
                    layout: self.binder.facts.buffer_resource,
                    rsrc,
                    index,
                    voffset,
                    soffset,
                    offset,
                }
            }
            Path::Scratch => Addressing::Scratch { vaddr, saddr: self.scalar("saddr")?, scale, offset },
            _ => {
                let saddr = self.scalar("saddr")?;
                let scale = if saddr.is_some() { scale } else { 1 };
                Addressing::Flat { vaddr, saddr, scale, add_tid: memory.add_tid, offset }
            }
        })
    }
}
