//! Waits, barriers, hardware registers, messages and the end of a wave.

use smallvec::{SmallVec, smallvec};
use wavemark_isa::effects::{HwField, HwReg};
use wavemark_numerics::exceptions::Flags;
use wavemark_target::Facts;

use super::address;
use super::ops::{BarrierName, BarrierOp, Channels, MachineOp, Waits};
use super::{Cx, Stop, Turn};
use crate::events::{
    BarrierEvent, BarrierId, CacheOp, Channel, Counter, Fault, Issue, Observer, OpId, Scope, Site,
};
use crate::op::Detail;
use crate::pending::{Action, Pending, set_scalar};
use crate::queue::Flight;
use crate::regs::{Exceptions, sindex};
use crate::wave::{Wave, WaveState, unpack_mode};

/// The VGPR-bank fields of MODE on gfx1250 (CDNA5 ISA 3.3.7): destination 13:12, sources 0, 1, 2 above it.
const MODE_MSB: u32 = 0xff << 12;

/// Those fields for a value of the operand of `s_set_vgpr_msb` (destination in its top bits).
fn mode_msb(msb: u8) -> u32 {
    (u32::from(msb) & 0x3f) << 14 | (u32::from(msb) >> 6) << 12
}

impl<O: Observer> Cx<'_, O> {
    /// Execute an operation of the machine.
    #[inline(never)]
    pub(super) fn execute(&mut self, wave: &mut Wave, op: &MachineOp, site: &Site) -> Result<Turn, Stop> {
        match op {
            MachineOp::Nothing | MachineOp::SetVgprMsb(_) => return Ok(Turn::Keeps),
            MachineOp::Counted(channels) if self.mark(wave, channels) => {}
            MachineOp::Counted(channels) => {
                let seq = self.sequence(wave, channels);
                self.issue(wave, site, seq, smallvec![], false, Scope::Cu, None, Action::Nothing);
            }
            MachineOp::Interrupt(channels) => {
                if let Some(host) = self.host {
                    host.answer(self.global).map_err(|what| Stop::Unsupported { pc: site.pc, what })?;
                }
                if !channels.is_empty() {
                    let seq = self.sequence(wave, channels);
                    self.issue(wave, site, seq, smallvec![], false, Scope::Cu, None, Action::Nothing);
                }
            }
            MachineOp::Wait(waits) => self.wait(wave, waits, Some(site)),
            MachineOp::WaitIdle => self.wait_for_all(wave, site),
            MachineOp::Sleep => self.cluster.clock += 64,
            MachineOp::End => {
                self.end(wave, site);
                return Ok(Turn::Yields);
            }
            MachineOp::Trap(id) => {
                self.observer.fault(wave.id, site, &Fault::Trap { id: *id });
                return Err(Stop::Trap);
            }
            MachineOp::Halt => wave.state = WaveState::Halted,
            MachineOp::GetReg(to, register, field) => {
                let value = self.get_reg(wave, *register, *field, site)?;
                set_scalar(&mut wave.regs, *to, value);
                return Ok(Turn::Keeps);
            }
            MachineOp::SetReg(register, field, place) => {
                let value = wave.regs.s[place.at() as usize];
                self.set_reg(wave, *register, *field, value);
                return Ok(Turn::Keeps);
            }
            MachineOp::SetModeBits(shift, bits) => {
                let raw = wave.regs.mode.raw & !(15 << shift) | bits << shift;
                wave.regs.set_mode(unpack_mode(self.facts, raw));
                return Ok(Turn::Keeps);
            }
            MachineOp::Clock(to, channels) => {
                let values = [self.cluster.clock as u32, (self.cluster.clock >> 32) as u32];
                if channels.is_empty() {
                    set_scalar(&mut wave.regs, *to, values[0]);
                    set_scalar(&mut wave.regs, *to + 1, values[1]);
                    return Ok(Turn::Keeps);
                }
                self.late_scalar(wave, site, Some(*to), values, 2);
            }
            MachineOp::SendMsgRtn(to, message, count) => {
                // 131: GET_REALTIME; the others describe the host's set-up, which there is none of.
                if *message & 0xff != 131 {
                    let what = format!("the answer to message {message}");
                    return Err(Stop::Unsupported { pc: site.pc, what });
                }
                let values = [self.cluster.clock as u32, (self.cluster.clock >> 32) as u32];
                self.late_scalar(wave, site, Some(*to), values, *count);
            }
            MachineOp::Barrier(op) => self.barrier(wave, *op, site),
            MachineOp::Memory(op) => self.memory(wave, op, site)?,
            MachineOp::Scalar(op) => self.scalar_load(wave, op, site),
            MachineOp::Tensor(op) => self.tensor(wave, op, site),
            MachineOp::Cache(_, channels) if self.mark(wave, channels) => {}
            MachineOp::Cache(cache, channels) => self.cache(wave, *cache, channels, site),
            MachineOp::LanePermute(op) if self.quick_permute(wave, op) => {}
            MachineOp::LanePermute(op) => self.lane_permute(wave, op, site),
        }
        self.settle(wave);
        Ok(Turn::Yields)
    }

    /// The visible operations that programs consist of: loads of LDS, copies to it, bursts, lane-wise operations and waits,
    /// without the detour through [`Cx::execute`]. `false` if it is none of them. If somebody watches, it is said to be of its
    /// `site`.
    #[inline(always)]
    pub(super) fn quick(&mut self, wave: &mut Wave, detail: &Detail, site: Option<&Site>) -> bool {
        match (detail, site) {
            (Detail::Machine(MachineOp::Memory(op)), Some(site))
                if O::ACTIVE
                    && O::LANEWISE
                    && (self.lds_load_that_follows(wave, op, site)
                        || self.lds_copy(wave, op, Some(site))
                        || self.lanewise(wave, op, Some(site))) => {}
            (Detail::Machine(MachineOp::Memory(op)), _)
                if !O::ACTIVE
                    && (self.lds_load(wave, op)
                        || self.lds_copy(wave, op, None)
                        || self.burst(wave, op)
                        || self.lanewise(wave, op, None)) => {}
            (Detail::Machine(MachineOp::Wait(waits)), _) => {
                self.wait(wave, waits, site);
                self.complete_by_mode(wave);
                return true;
            }
            _ => return false,
        }
        self.settle(wave);
        true
    }

    /// Wait until counters are at most their numbers.
    #[inline(always)]
    fn wait(&mut self, wave: &mut Wave, waits: &Waits, site: Option<&Site>) {
        for &(channel, n) in &waits.channels {
            if wave.queue.has_many() && !self.facts.flat_counts_in_order {
                wave.queue.retire_beside_unordered(channel, n);
            } else {
                wave.queue.retire(channel, n);
            }
        }
        if O::ACTIVE
            && let Some(site) = site
        {
            self.observer.waited(wave.id, site, &waits.counters);
        }
        self.complete_retired(wave, waits.mask);
    }

    /// Complete what has come due by what is retired in these channels, one bit each.
    #[inline(always)]
    fn complete_retired(&mut self, wave: &mut Wave, channels: u8) {
        if wave.queue.has_any_of(channels) {
            self.complete_due(wave);
        } else {
            self.complete_lds_loads(wave, wave.queue.retired(Channel::Ds), u64::MAX);
        }
    }

    /// What can complete after a visible operation without a wait.
    #[inline(always)]
    fn settle(&mut self, wave: &mut Wave) {
        if wave.queue.crowded(self.smallest_capacity) {
            self.back_pressure(wave);
        }
        self.complete_by_mode(wave);
    }

    #[inline(never)]
    fn back_pressure(&mut self, wave: &mut Wave) {
        let stalled = wave.queue.back_pressure(self.counters);
        if stalled != 0 {
            self.complete_retired(wave, stalled);
        }
    }

    /// All counters to zero (`s_wait_idle`).
    fn wait_for_all(&mut self, wave: &mut Wave, site: &Site) {
        wave.queue.retire_all();
        if O::ACTIVE {
            let counters = self.counters.counters();
            let waits: SmallVec<[(Counter, u32); 8]> = counters.map(|c| (c, 0)).collect();
            self.observer.waited(wave.id, site, &waits);
        }
        self.complete_due(wave);
    }

    fn end(&mut self, wave: &mut Wave, site: &Site) {
        if O::ACTIVE {
            self.observer.wave_ended(wave.id, site);
        }
        wave.queue.retire_all();
        self.complete_due(wave);
        wave.state = WaveState::Ended;
        *self.live -= 1;
        if self.group_waves > 1 {
            if O::ACTIVE {
                let event = BarrierEvent::Drop { implicit: true };
                self.observer.barrier(wave.id, site, BarrierId::Workgroup, event);
            }
            if let Some(phase) = self.workgroup.drop_one() {
                self.completed(wave, site, BarrierId::Workgroup, phase);
            }
        }
        if *self.live == 0 && self.cluster.size > 1 {
            if O::ACTIVE {
                let event = BarrierEvent::Drop { implicit: true };
                self.observer.barrier(wave.id, site, BarrierId::Cluster, event);
            }
            if let Some(phase) = self.cluster.barrier.drop_one() {
                self.completed(wave, site, BarrierId::Cluster, phase);
            }
        }
    }

    fn completed(&mut self, wave: &Wave, site: &Site, id: BarrierId, phase: u32) {
        if O::ACTIVE {
            self.observer.barrier(wave.id, site, id, BarrierEvent::Complete { phase });
        }
    }

    /// Issue an operation that is only counted; `false` if it is for the general path to do, because somebody watches.
    #[inline]
    fn mark(&mut self, wave: &mut Wave, channels: &Channels) -> bool {
        let clock = self.cluster.clock;
        let marked = !O::ACTIVE && (channels.is_empty() || wave.queue.push_mark(channels, clock));
        self.cluster.next_op += u64::from(marked);
        marked
    }

    fn cache(&mut self, wave: &mut Wave, cache: CacheOp, channels: &Channels, site: &Site) {
        let seq = self.sequence(wave, channels);
        self.cluster.next_op += 1;
        let issue = Issue {
            id: OpId(self.cluster.next_op),
            seq,
            accesses: SmallVec::new(),
            atomic: false,
            scope: cache.scope,
            multicast: None,
            stored: Vec::new(),
            failed: false,
        };
        if O::ACTIVE {
            self.observer.cache(wave.id, site, cache, &issue);
        }
        if !channels.is_empty() {
            wave.queue.push(Pending::new(issue, Action::Nothing, self.cluster.clock));
        }
    }

    /// A scalar result that KMcnt (lgkmcnt) counts.
    fn late_scalar(&mut self, wave: &mut Wave, site: &Site, to: Option<u32>, values: [u32; 2], count: u8) {
        let action = Action::SetScalar { to, values, count, barrier: None };
        self.issue_late_scalar(wave, site, action);
    }

    fn issue_late_scalar(&mut self, wave: &mut Wave, site: &Site, action: Action) {
        let seq = self.sequence(wave, &[Channel::Sm]);
        self.issue(wave, site, seq, smallvec![], false, Scope::Cu, None, action);
    }

    /// SCC tells a wave later whether it was the first to arrive at a barrier.
    fn tell_first(&mut self, wave: &mut Wave, site: &Site, id: BarrierId, is_first: bool) {
        let values = [u32::from(is_first), 0];
        let action = Action::SetScalar { to: None, values, count: 1, barrier: Some(id) };
        self.issue_late_scalar(wave, site, action);
    }

    fn name(&self, wave: &Wave, name: BarrierName) -> (i32, Option<u32>) {
        match name {
            BarrierName::Number(n) => (n, None),
            BarrierName::M0 => {
                let m0 = wave.regs.s[sindex::M0 as usize];
                let count = m0 >> 16 & 0x7f;
                ((m0 & 31) as i32, (count != 0).then_some(count))
            }
        }
    }

    /// The object of a number, and whether this wave can operate on it (CDNA5 ISA "S_BARRIER_SIGNAL": else
    /// the instruction is an S_NOP).
    fn object(&self, number: i32) -> (BarrierId, bool) {
        let in_workgroup = self.group_waves > 1;
        match number {
            -1 => (BarrierId::Workgroup, in_workgroup),
            -2 => (BarrierId::WorkgroupTrap, false),
            -3 => (BarrierId::Cluster, self.cluster.size > 1),
            -4 => (BarrierId::ClusterTrap, false),
            0 => (BarrierId::Null, false),
            n => {
                let id = BarrierId::Named(n.clamp(0, 255) as u8);
                (id, in_workgroup && n > 0 && (n as usize) < self.named.len())
            }
        }
    }

    fn barrier(&mut self, wave: &mut Wave, op: BarrierOp, site: &Site) {
        let number = match op {
            BarrierOp::ArriveAndWait => (-1, None),
            BarrierOp::Wait(n) if n > 0 => (i32::from(wave.joined), None),
            BarrierOp::Wait(n) => (n, None),
            BarrierOp::Leave => (i32::from(wave.joined), None),
            BarrierOp::Signal(name, _)
            | BarrierOp::Init(name)
            | BarrierOp::Join(name)
            | BarrierOp::GetState(_, name) => self.name(wave, name),
        };
        let (id, mut allowed) = self.object(number.0);
        let named = matches!(id, BarrierId::Named(_));
        if matches!(op, BarrierOp::Init(_) | BarrierOp::Join(_) | BarrierOp::Leave) && !named {
            allowed = false;
        }
        if !allowed {
            self.ignored(wave, op, id, number.0, site);
            return;
        }
        if matches!(op, BarrierOp::Signal(..) | BarrierOp::ArriveAndWait | BarrierOp::Leave) {
            self.perform(wave);
        }
        let index = wave.id.index;
        let object = match id {
            BarrierId::Cluster => &mut self.cluster.barrier,
            BarrierId::Named(n) => &mut self.named[usize::from(n)],
            _ => &mut *self.workgroup,
        };
        let before = (object.arrived, object.expected);
        let (event, completed) = match op {
            BarrierOp::Init(_) => {
                let count = wave.regs.s[sindex::M0 as usize] >> 16 & 0x7f;
                if count != 0 {
                    object.init(count);
                } else {
                    object.arrived = 0;
                }
                (BarrierEvent::Init { count }, None)
            }
            BarrierOp::Join(_) => {
                object.join(index);
                wave.joined = number.0 as u8;
                (BarrierEvent::Join, None)
            }
            BarrierOp::Leave => {
                wave.joined = 0;
                (BarrierEvent::Drop { implicit: false }, object.drop_one())
            }
            BarrierOp::Signal(..) | BarrierOp::ArriveAndWait => {
                let count = if named { number.1 } else { None };
                (BarrierEvent::Arrive { count, before }, object.arrive(index, count))
            }
            BarrierOp::Wait(_) => (BarrierEvent::WaitStart, None),
            BarrierOp::GetState(..) => (BarrierEvent::GetState, None),
        };
        let expected = object.expected;
        if O::ACTIVE {
            self.observer.barrier(wave.id, site, id, event);
        }
        if let Some(phase) = completed {
            self.completed(wave, site, id, phase);
        }
        match op {
            BarrierOp::Signal(_, true) => self.tell_first(wave, site, id, before.0 == 0),
            BarrierOp::Leave => {
                self.late_scalar(wave, site, None, [u32::from(expected == Some(0)), 0], 1);
            }
            BarrierOp::GetState(to, _) => {
                let allocated = (self.named.len() as u32 - 1) / 4;
                let state = allocated << 24 | before.0 << 16 | before.1.unwrap_or(0) << 4 | 1;
                self.late_scalar(wave, site, Some(to), [state, 0], 1);
            }
            BarrierOp::ArriveAndWait | BarrierOp::Wait(_) => {
                wave.state = WaveState::AtBarrier(id);
                if op == BarrierOp::ArriveAndWait && O::ACTIVE {
                    self.observer.barrier(wave.id, site, id, BarrierEvent::WaitStart);
                }
            }
            _ => {}
        }
    }

    /// A barrier instruction that the hardware treats as `s_nop`.
    fn ignored(&mut self, wave: &mut Wave, op: BarrierOp, id: BarrierId, number: i32, site: &Site) {
        if O::ACTIVE {
            match op {
                // JOIN 0 is allowed: the wave is a member of no barrier.
                BarrierOp::Join(_) if number == 0 => {
                    self.observer.barrier(wave.id, site, id, BarrierEvent::Join);
                }
                _ => self.observer.barrier(wave.id, site, id, BarrierEvent::Ignored),
            }
        }
        match op {
            BarrierOp::Join(_) if number == 0 => wave.joined = 0,
            // LEAVE without a barrier returns SCC=1.
            BarrierOp::Leave => self.late_scalar(wave, site, None, [1, 0], 1),
            // A workgroup of one wave: the only wave is the first.
            BarrierOp::Signal(_, true) if number == -1 => self.tell_first(wave, site, id, true),
            BarrierOp::Wait(_) => pass_barrier(wave, id),
            BarrierOp::GetState(to, _) => self.late_scalar(wave, site, Some(to), [0, 0], 1),
            _ => {}
        }
    }

    fn get_reg(&self, wave: &Wave, register: HwReg, field: HwField, site: &Site) -> Result<u32, Stop> {
        let mode = wave.regs.mode.raw;
        let value = match register {
            HwReg::Mode if self.facts.vgpr_msb_in_mode() => mode & !MODE_MSB | mode_msb(wave.msb),
            HwReg::Mode => mode,
            // PRIV, TRAP_EN, EXECZ, VCCZ, IN_WG, VALID (CDNA5 ISA table 5).
            HwReg::Status => {
                let own = match self.facts.scc_in_status {
                    true => u32::from(wave.regs.scc),
                    false => u32::from(self.group_waves > 1) << 11,
                };
                own | u32::from(wave.regs.exec() == 0) << 9 | u32::from(wave.regs.vcc() == 0) << 10 | 1 << 16
            }
            // SCRATCH_BASE[56:7] is bits 51:2 of the flat scratch base (CDNA5 ISA 10.2.1).
            HwReg::ScratchBaseLo => (address::WIDE_SCRATCH_BASE << 5) as u32,
            HwReg::ScratchBaseHi => (address::WIDE_SCRATCH_BASE << 5 >> 32) as u32,
            HwReg::HwId | HwReg::HwId1 | HwReg::HwId2 => wave.id.wave & 15,
            HwReg::ShaderCyclesLo => self.cluster.clock as u32,
            HwReg::ShaderCyclesHi => (self.cluster.clock >> 32) as u32,
            // Bits 63:48 of the private and the shared aperture.
            HwReg::ShMemBases => {
                let high = |base: u64| (base >> 48) as u32;
                high(address::PRIVATE_BASE) | high(address::SHARED_BASE) << 16
            }
            // Base 0; size in units of 128 dwords.
            HwReg::LdsAlloc => (self.lds.len() as u32).div_ceil(512) << 12,
            // What was written, at dispatch or by the program.
            HwReg::IbSts2 | HwReg::SchedMode | HwReg::Kept => wave.hwregs[usize::from(field.id)],
            HwReg::TrapSts | HwReg::ExcpFlagUser => {
                let exceptions = &wave.regs.exceptions;
                if let Some(what) = unsettled(exceptions, field.mask()) {
                    let what = format!("reading {}: {what}", register_name(self.facts, field.id));
                    return Err(Stop::Unsupported { pc: site.pc, what });
                }
                wave.hwregs[usize::from(field.id)] & !EXCEPTIONS | u32::from(exceptions.set.0)
            }
            HwReg::ShaderCycles => self.cluster.clock as u32 & 0xf_ffff,
            // Everything runs on the first.
            HwReg::XccId | HwReg::Unset => 0,
            HwReg::Other => {
                let what = format!("reading {}", register_name(self.facts, field.id));
                return Err(Stop::Unsupported { pc: site.pc, what });
            }
        };
        Ok((value & field.mask()) >> field.offset)
    }

    fn set_reg(&mut self, wave: &mut Wave, register: HwReg, field: HwField, value: u32) {
        let mask = field.mask();
        let bits = value << field.offset & mask;
        if register == HwReg::Mode {
            let raw = wave.regs.mode.raw & !mask | bits;
            wave.regs.set_mode(unpack_mode(self.facts, raw));
            if self.facts.vgpr_msb_in_mode() && mask & MODE_MSB != 0 {
                let all = mode_msb(wave.msb) & !mask | bits & MODE_MSB;
                wave.msb = (all >> 14 & 0x3f | (all >> 12 & 3) << 6) as u8;
                wave.msb_changed = true;
            }
        } else {
            if matches!(register, HwReg::TrapSts | HwReg::ExcpFlagUser) {
                let exceptions = &mut wave.regs.exceptions;
                exceptions.set = Flags(exceptions.set.0 & !mask as u8 | (bits & EXCEPTIONS) as u8);
                exceptions.open = exceptions.open.without(Flags(mask as u8));
            }
            let register = &mut wave.hwregs[usize::from(field.id)];
            *register = *register & !mask | bits;
        }
    }
}

/// A wave has waited at a barrier: what its arrival there has yet to tell is told.
pub(super) fn pass_barrier(wave: &mut Wave, id: BarrierId) {
    let Wave { queue, regs, .. } = wave;
    queue.for_each(|flight| {
        if let Flight::Other(pending) = flight {
            pending.action.pass_barrier(regs, id);
        }
    });
}

/// A hardware register by its number, in words.
pub(crate) fn register_name(facts: &Facts, id: u8) -> String {
    let named = facts.hwregs.iter().filter(|register| register.id == id).map(|register| register.name);
    match named.min_by_key(|name| name.len()) {
        Some(name) => format!("hardware register {name}"),
        None => format!("hardware register {id}"),
    }
}

/// The floating-point exceptions of TRAPSTS and EXCP_FLAG_USER.
const EXCEPTIONS: u32 = 0x7f;

/// Of which exception among those in `mask` it is not known whether it has occurred, in words.
fn unsettled(exceptions: &Exceptions, mask: u32) -> Option<String> {
    let open = exceptions.open.without(exceptions.set).0 & mask as u8;
    let bit = (0..Flags::NAMES.len()).find(|bit| open >> bit & 1 != 0)?;
    let (flag, by) = (Flags::NAMES[bit], exceptions.left_open_by[bit]);
    Some(format!("the manuals leave open whether {by} raised {flag} here"))
}
