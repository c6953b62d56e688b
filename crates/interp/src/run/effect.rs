//! Operations that do more than compute.

use wavemark_ir::function::Inst;
use wavemark_isa::effects::{HwField, HwReg};
use wavemark_target::Machine;

use super::access::{
    Change, buffer_exchange, buffer_load, buffer_places, buffer_store, copy, exchange, fill, load, promised,
    store, transposed,
};
use super::evaluate::evaluate;
use super::memory::{Memories, Watch, modified};
use super::step::Flow;
use super::wave::Wave;
use super::{Cluster, Executor, Stop, compute, cross, known, not_uniform, typed};
use crate::Refused;
use crate::finding::{Findings, Kind, Place};
use crate::lanes::{Active, Frame, Pool, Shadow, Src, each};
use crate::meaning::Id;
use crate::op::{Access, Atomic, Function, Op, Space};
use crate::race::{Level, Race, Spaces};
use crate::record::What;
use crate::shape::{mask, sign_extend};

/// An operation that executes: who, where, with which lanes.
pub(super) struct Here<'r> {
    pub pool: &'r Pool,
    pub active: Active,
    pub place: Place,
}

impl Here<'_> {
    /// The place in fewer lanes.
    pub fn at(&self, lanes: u64) -> Place {
        Place { lanes, ..self.place }
    }
}

impl<'r> Executor<'r> {
    /// Executes an operation; whether it changes what is watched is seen.
    pub(super) fn effect(
        &mut self,
        cluster: &mut Cluster,
        group: usize,
        wave: &mut Wave,
        function: &'r Function,
        op: &'r Op,
        inst: Inst,
        active: Active,
    ) -> Result<Flow, Stop> {
        let before = self.watched_bytes();
        let (found, _) = self.findings.newest();
        let flow = self.execute(cluster, group, wave, function, op, inst, active);
        if let Some(record) = &mut self.record
            && let (now, Some(newest)) = self.findings.newest()
            && now > found
        {
            record.now(wave.index, (function.global, inst), What::Found(newest.note.clone()));
        }
        if before.is_some() && self.watched_bytes() != before {
            let (workgroup, wave) = (cluster.groups[group].id, wave.number);
            let function = function.global;
            self.watched = Some(Place { function, inst, workgroup, wave, lanes: active.mask });
        }
        flow
    }

    fn watched_bytes(&mut self) -> Option<Vec<u8>> {
        let (from, to) = self.launch.watch?;
        self.global.slice(from, to - from).map(<[u8]>::to_vec)
    }

    /// Executes an operation.
    fn execute(
        &mut self,
        cluster: &mut Cluster,
        group: usize,
        wave: &mut Wave,
        function: &'r Function,
        op: &'r Op,
        inst: Inst,
        active: Active,
    ) -> Result<Flow, Stop> {
        let place = Place {
            function: function.global,
            inst,
            workgroup: cluster.groups[group].id,
            wave: wave.number,
            lanes: active.mask,
        };
        let here = Here { pool: &function.pool, active, place };
        if !wave.flights.is_empty() {
            self.lands_by_mode(&mut cluster.groups[group], wave);
        }
        match op {
            Op::Masked { mask, op } => {
                let frame = frame_of(wave)?;
                let undefined = known(frame.shadow(here.pool, *mask), active.mask).any();
                let words = frame.get(here.pool, *mask);
                let chosen = each(active.mask).filter(|&lane| words[lane] & 1 != 0);
                let chosen = chosen.fold(0, |lanes, lane| lanes | 1 << lane);
                if undefined != 0 {
                    self.findings.add(Kind::UndefinedOperand, &[here.at(undefined)], || {
                        "whether an element is accessed is not defined".to_owned()
                    });
                }
                if chosen == 0 {
                    return Ok(Flow::Next);
                }
                let active = Active { mask: chosen, full: active.full && chosen == active.mask };
                return self.execute(cluster, group, wave, function, op, inst, active);
            }
            Op::Call { callee, arguments, to, results } => {
                return self.enters(wave, function, *callee, arguments, [*to, *results], place);
            }
            Op::Sync { sync, to, from, immediate } => {
                return self.sync(cluster, group, wave, &here, *sync, *to, from, *immediate);
            }
            Op::ToLds { .. } | Op::Async { .. } | Op::Tensor { .. } | Op::Arrive { .. } => {
                return self.transfer(&mut cluster.groups[group], wave, &here, op);
            }
            Op::Fence { atomic, spaces } => {
                let agent = self.agent(wave);
                if let Some(races) = &mut self.races {
                    races.fence(agent, atomic.level, *spaces, [atomic.acquires, atomic.releases]);
                }
                return Ok(Flow::Next);
            }
            Op::Trap => {
                self.findings.add(Kind::Trap, &[place], || "the program traps".to_owned());
                return Err(Stop::Found);
            }
            Op::Refused(what) => return Err(Stop::Refused(Refused::new(&**what), Some(place))),
            Op::End => {
                // All activations end with it.
                wave.activations.clear();
                return Ok(Flow::Next);
            }
            Op::Alloca { to, bytes, align, count } => {
                let frame = frame_of(wave)?;
                let times = count.map_or(1, |count| {
                    each(active.mask).map(|lane| frame.get(here.pool, count)[lane]).max().unwrap_or(0)
                });
                let Some(at) = wave.room(bytes.saturating_mul(times), *align) else {
                    return Err(Stop::Refused(Refused::new("a stack so large"), Some(place)));
                };
                frame_of(wave)?.fill(*to, at, active);
                return Ok(Flow::Next);
            }
            Op::StackSave { to } => {
                let top = wave.stack;
                frame_of(wave)?.fill(*to, top, active);
                return Ok(Flow::Next);
            }
            Op::StackRestore { from } => {
                let first = active.mask.trailing_zeros() as usize;
                wave.stack = frame_of(wave)?.get(here.pool, *from)[first];
                return Ok(Flow::Next);
            }
            _ => {}
        }
        if let Op::Load { .. } | Op::Store { .. } | Op::Rmw { .. } | Op::CompareExchange { .. } = op {
            self.looks_at_flights(cluster, group, wave, &here, op)?;
        }
        let agent = self.agent(wave);
        let atomic = atomic_of(op);
        if let (Some(races), Some(Atomic { level, releases: true, .. })) = (&mut self.races, atomic) {
            races.fence(agent, level, Spaces::ALL, [false, true]);
        }
        let own = &mut cluster.groups[group];
        let Wave { activations, scratch, scratch_stride, mode, .. } = wave;
        let Some(activation) = activations.last_mut() else { return Ok(Flow::Next) };
        let frame = &mut activation.frame;
        let watch = self.races.as_mut().filter(|_| is_access(op)).map(|races| Watch {
            access: races.begin(agent, &place),
            races,
            atomic: atomic.map(|atomic| atomic.level),
            found: Vec::new(),
        });
        let mut memories =
            Memories { global: self.global, lds: &mut own.lds, scratch, stride: *scratch_stride, watch };
        let findings = &mut self.findings;
        let layout = self.program.target.facts().buffer_resource;
        match op {
            Op::Int { .. } | Op::Wide { .. } => {
                let bad = compute::divide(op, frame, here.pool, active);
                if bad != 0 {
                    findings.add(Kind::Division, &[here.at(bad)], || {
                        "a division by zero, or by what may be zero, or one whose quotient does not fit"
                            .to_owned()
                    });
                }
            }
            Op::Assume { condition } => {
                let undefined = known(frame.shadow(here.pool, *condition), active.mask).any();
                let words = frame.get(here.pool, *condition);
                let fails = each(active.mask).filter(|&lane| words[lane] & 1 == 0);
                let fails = fails.fold(undefined, |lanes, lane| lanes | 1 << lane);
                if fails != 0 {
                    findings
                        .add(Kind::Assume, &[here.at(fails)], || "what is assumed does not hold".to_owned());
                }
            }
            Op::Machine(machine) => {
                self.functions.set_mode(*mode);
                evaluate(&mut self.functions, machine, frame, here.pool, active);
            }
            Op::Cross { cross, to, from, bits, immediates } => {
                let within_32 = self.program.target.facts().ds_permutes_within_32;
                let lanes = self.plan.lanes;
                cross::cross(
                    frame,
                    here.pool,
                    active,
                    lanes,
                    *cross,
                    *to,
                    from,
                    *bits,
                    *immediates,
                    within_32,
                );
            }
            Op::Id { id, to, from } => {
                let words = frame.words_mut(*to);
                let of = |lane: usize| -> u64 {
                    let flat = wave.number * self.plan.lanes as u32 + lane as u32;
                    let [x, y, _] = self.launch.block;
                    match *id {
                        Id::WorkItem(0) => (flat % x).into(),
                        Id::WorkItem(1) => (flat / x % y).into(),
                        Id::WorkItem(_) => (flat / x / y).into(),
                        Id::Workgroup(d) => own.id[d as usize].into(),
                        Id::Cluster(d) => own.cluster_id[d as usize].into(),
                        Id::InCluster(d) => own.in_cluster[d as usize].into(),
                        Id::FlatInCluster => own.rank.into(),
                        Id::Wave => wave.number.into(),
                        Id::WaveSize => self.plan.lanes as u64,
                        Id::StaticLds => self.program.static_lds,
                        Id::DispatchPtr => self.addresses[1],
                        Id::QueuePtr => self.addresses[2],
                        Id::KernargSegment => self.addresses[0],
                        Id::ImplicitArgs => self.addresses[0] + self.program.implicit_at,
                        Id::DispatchId => 1,
                        Id::Clock => self.clock + wave.steps,
                        Id::MaskBits(_) => 0,
                    }
                };
                each(active.mask).for_each(|lane| words[lane] = of(lane));
                frame.set_shadow(*to, Shadow::default(), active);
                if let Id::MaskBits(high) = *id {
                    let (chosen, base) = (from[0], from[1]);
                    let shadow = frame.shadow(here.pool, chosen).or(frame.shadow(here.pool, base));
                    for lane in each(active.mask) {
                        let below = if high {
                            mask(lane.saturating_sub(32) as u32)
                        } else {
                            mask(lane.min(32) as u32)
                        };
                        let counted = (frame.get(here.pool, chosen)[lane] & below).count_ones();
                        let sum = frame.get(here.pool, base)[lane].wrapping_add(counted.into()) & mask(32);
                        frame.words_mut(*to)[lane] = sum;
                    }
                    frame.set_shadow(*to, shadow, active);
                }
            }
            Op::Load { to, access, promise } => {
                load(findings, &mut memories, frame, &here, *to, access);
                if let Some(promise) = promise {
                    promised(findings, frame, &here, *to, access.image.fields.len(), promise);
                }
            }
            Op::Store { access, value } => store(findings, &mut memories, frame, &here, access, value),
            Op::Rmw { to, op, format, access, value, elements } => {
                let bits = access.image.bytes * 8;
                let new = |old: u64, operand: u64| modified(*op, *format, bits, *elements, old, operand);
                let change = Change { operand: *value, expected: None, new: &new };
                exchange(findings, &mut memories, frame, &here, *to, access, &change);
            }
            Op::CompareExchange { to, access, expected, replacement } => {
                let new = |_: u64, operand: u64| operand;
                let change = Change { operand: *replacement, expected: Some(*expected), new: &new };
                exchange(findings, &mut memories, frame, &here, *to, access, &change);
            }
            Op::TypedLoad { to, place, typed } => {
                typed::load(findings, &mut memories, frame, &here, *to, place, *typed, self.program.target)
                    .map_err(|refused| Stop::Refused(refused, Some(here.place)))?;
            }
            Op::TypedStore { place, value, typed } => {
                typed::store(
                    findings,
                    &mut memories,
                    frame,
                    &here,
                    place,
                    value,
                    *typed,
                    self.program.target,
                )
                .map_err(|refused| Stop::Refused(refused, Some(here.place)))?;
            }
            Op::BufferLoad { to, place, image, .. } => {
                let parts = buffer_places(findings, layout, frame, &here, place, image.bytes);
                buffer_load(findings, &mut memories, frame, &here, *to, image, &parts);
            }
            Op::BufferStore { place, value, image, .. } => {
                let parts = buffer_places(findings, layout, frame, &here, place, image.bytes);
                buffer_store(findings, &mut memories, frame, &here, value, image, &parts);
            }
            Op::BufferRmw { to, op, format, place, value, expected, image } => {
                let parts = buffer_places(findings, layout, frame, &here, place, image.bytes);
                let (bits, elements) = (image.bytes * 8, image.fields.len() as u32);
                let new = |old: u64, operand: u64| modified(*op, *format, bits, elements, old, operand);
                let change = Change { operand: *value, expected: *expected, new: &new };
                buffer_exchange(findings, &mut memories, frame, &here, *to, image, &parts, &change);
            }
            Op::Transposed { to, transpose, space, pointer, image } => {
                transposed(
                    findings,
                    &mut memories,
                    frame,
                    &here,
                    *to,
                    *transpose,
                    *space,
                    *pointer,
                    image,
                    self.plan.lanes,
                );
            }
            Op::Copy { to, pointers, bytes, bits } => {
                copy(findings, &mut memories, frame, &here, *to, *pointers, (*bytes, *bits));
            }
            Op::Fill { space, pointer, value, bytes } => {
                fill(findings, &mut memories, frame, &here, *space, *pointer, *value, *bytes);
            }
            Op::SetReg { field, value } => {
                let first = active.mask.trailing_zeros() as usize;
                let value = frame.get(here.pool, *value)[first];
                return set_register(self.program.target, mode, *field, value, place).map(|()| Flow::Next);
            }
            Op::GetReg { to, field } => {
                let (register, field) = hardware_register(self.program.target, *field);
                if register != HwReg::Mode {
                    let what = format!("a read of the hardware register {register:?}");
                    return Err(Stop::Refused(Refused::new(what), Some(place)));
                }
                frame.fill(*to, u64::from((*mode & field.mask()) >> field.offset), active);
            }
            _ => return Err(Stop::Refused(Refused::new("an operation without an execution"), Some(place))),
        }
        if let (Some(record), Some((access, reads, writes))) = (&mut self.record, flags_of(op)) {
            let pointers = frame.get(here.pool, access.pointer);
            for lane in each(active.mask) {
                let (space, address) = memories.resolve(access.space, pointers[lane]);
                for (touches, write) in [(reads, false), (writes, true)] {
                    if touches && space == Space::Local {
                        record.touches((function.global, inst), write, address, access.image.bytes);
                    }
                }
            }
        }
        if let (Some(atomic), Some((access, reads, writes))) = (atomic, flags_of(op))
            && memories.watch.is_some()
        {
            let written = match op {
                Op::CompareExchange { to, .. } => {
                    let swapped = frame.get(here.pool, Src::register(to + 1));
                    each(active.mask)
                        .filter(|&lane| swapped[lane] & 1 != 0)
                        .fold(0, |all, lane| all | 1 << lane)
                }
                _ if writes => active.mask,
                _ => 0,
            };
            for lane in each(active.mask) {
                let (space, address) =
                    memories.resolve(access.space, frame.get(here.pool, access.pointer)[lane]);
                let Some(watch) = &mut memories.watch else { break };
                if reads {
                    watch.races.reads_flag(watch.access, space, address, atomic.level);
                }
                if written >> lane & 1 != 0 {
                    watch.races.writes_flag(watch.access, space, address, atomic.level, reads);
                }
            }
        }
        let found = memories.watch.map(|watch| watch.found).unwrap_or_default();
        found.into_iter().for_each(|(race, lane)| race_found(findings, &race, here.at(1 << lane)));
        if let (Some(races), Some(Atomic { level, acquires: true, .. })) = (&mut self.races, atomic) {
            races.fence(agent, level, Spaces::ALL, [true, false]);
        }
        Ok(Flow::Next)
    }
}

/// A field of a hardware register, as `s_setreg` names it.
fn hardware_register(target: Machine, field: u16) -> (HwReg, HwField) {
    let field = HwField::from_simm16(field);
    (HwReg::of(target, field.id), field)
}

/// Only MODE is kept: what `s_setreg` does to other registers nobody here asks for.
fn set_register(target: Machine, mode: &mut u32, field: u16, value: u64, place: Place) -> Result<(), Stop> {
    let (register, field) = hardware_register(target, field);
    match register {
        HwReg::Mode => {
            let bits = field.mask();
            *mode = *mode & !bits | (value as u32) << field.offset & bits;
            Ok(())
        }
        // Scheduling, which changes no value.
        HwReg::SchedMode => Ok(()),
        other => Err(Stop::Refused(
            Refused::new(format!("a write to the hardware register {other:?}")),
            Some(place),
        )),
    }
}

/// Whether an operation may access memory that other waves reach.
fn is_access(op: &Op) -> bool {
    !matches!(
        op,
        Op::Int { .. }
            | Op::Wide { .. }
            | Op::Assume { .. }
            | Op::Machine(_)
            | Op::Cross { .. }
            | Op::Id { .. }
            | Op::SetReg { .. }
            | Op::GetReg { .. }
    )
}

/// How an operation is atomic. Those on buffers say no scope here, and order nothing.
fn atomic_of(op: &Op) -> Option<Atomic> {
    match op {
        Op::Load { access, .. }
        | Op::Store { access, .. }
        | Op::Rmw { access, .. }
        | Op::CompareExchange { access, .. } => access.atomic,
        Op::BufferLoad { atomic, .. } | Op::BufferStore { atomic, .. } => *atomic,
        Op::BufferRmw { .. } => Some(Atomic { level: Level::Device, acquires: false, releases: false }),
        _ => None,
    }
}

/// The access of an operation that may synchronise, and whether it reads and writes.
fn flags_of(op: &Op) -> Option<(&Access, bool, bool)> {
    match op {
        Op::Load { access, .. } => Some((access, true, false)),
        Op::Store { access, .. } => Some((access, false, true)),
        Op::Rmw { access, .. } | Op::CompareExchange { access, .. } => Some((access, true, true)),
        _ => None,
    }
}

/// Reports a race of an access.
pub(super) fn race_found(findings: &mut Findings, race: &Race, later: Place) {
    let kind = match race.space {
        _ if race.too_narrow => Kind::ScopeTooNarrow,
        Space::Local => Kind::RaceOnLds,
        _ => Kind::RaceOnGlobal,
    };
    findings.add_race(kind, race, later, || {
        let verb = |writes: bool| if writes { "writes" } else { "reads" };
        let what = if race.space == Space::Local { "LDS" } else { "global memory" };
        let why = match race.too_narrow {
            true => "a scope that does not include both waves",
            false => "no release and acquire between them",
        };
        format!(
            "race on {what}: one wave {} what another {}, with {why}",
            verb(race.writes),
            verb(race.earlier.1)
        )
    });
}

fn frame_of(wave: &mut Wave) -> Result<&mut Frame, Stop> {
    match wave.activations.last_mut() {
        Some(activation) => Ok(&mut activation.frame),
        None => Err(Stop::Found),
    }
}

/// The one word of an operand that must be the same in all lanes; what differs, and what is none, is reported.
pub(super) fn uniform(
    findings: &mut crate::finding::Findings,
    frame: &Frame,
    here: &Here<'_>,
    src: Src,
    what: &str,
) -> u64 {
    let mask = here.active.mask;
    let undefined = known(frame.shadow(here.pool, src), mask).any();
    if undefined != 0 {
        findings.add(Kind::UndefinedOperand, &[here.at(undefined)], || format!("{what} is no value"));
    }
    let words = frame.get(here.pool, src);
    let differ = not_uniform(words, mask);
    if differ != 0 {
        findings.add(Kind::NotUniform, &[here.at(differ)], || format!("{what} is not the same in all lanes"));
    }
    words[mask.trailing_zeros() as usize % words.len()]
}

/// The signed number in a word of 32 bits.
pub(super) fn signed(word: u64) -> i64 {
    sign_extend(word, 32)
}
