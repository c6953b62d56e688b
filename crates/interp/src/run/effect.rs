//! Operations that do more than compute.

use smallvec::SmallVec;
use wavemark_ir::function::Inst;
use wavemark_isa::effects::{HwField, HwReg};
use wavemark_sim::machine::LDS_OFF;
use wavemark_sim::machine::buffer::{BufferAccess, BufferResource};
use wavemark_sim::transpose;
use wavemark_target::facts::BufferResource as Layout;

use super::bytes::State as Byte;
use super::memory::{Memories, Outside, limb_of, modified, to_bytes};
use super::step::Flow;
use super::wave::Wave;
use super::{Cluster, Executor, Stop, compute, cross, known, not_uniform};
use crate::Refused;
use crate::finding::{Kind, Place};
use crate::lanes::{Active, Frame, Pool, Shadow, Src, each};
use crate::meaning::Id;
use crate::op::{Access, BufferPlace, Function, Machine, Op, Promise, Space};
use crate::shape::{Image, mask, sign_extend};

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
        let flow = self.execute(cluster, group, wave, function, op, inst, active);
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
            Op::Call { callee, arguments, to, results } => {
                return self.enters(wave, function, *callee, arguments, [*to, *results], place);
            }
            Op::Sync { sync, to, from, immediate } => {
                return self.sync(cluster, group, wave, &here, *sync, *to, from, *immediate);
            }
            Op::ToLds { .. } | Op::Async { .. } | Op::Tensor { .. } | Op::Arrive { .. } => {
                return self.transfer(&mut cluster.groups[group], wave, &here, op);
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
        let own = &mut cluster.groups[group];
        let Wave { activations, scratch, scratch_stride, mode, .. } = wave;
        let Some(activation) = activations.last_mut() else { return Ok(Flow::Next) };
        let frame = &mut activation.frame;
        let mut memories =
            Memories { global: self.global, lds: &mut own.lds, scratch, stride: *scratch_stride };
        let findings = &mut self.findings;
        let layout = self.program.target.facts().buffer_resource;
        match op {
            Op::Int { .. } | Op::Wide { .. } => {
                let bad = compute::divide(op, frame, here.pool, active);
                if bad != 0 {
                    findings.add(Kind::Division, &[here.at(bad)], || {
                        "a division by zero, or one whose quotient does not fit".to_owned()
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
                let change = |old: u64, operand: u64| modified(*op, *format, bits, *elements, old, operand);
                exchange(findings, &mut memories, frame, &here, *to, access, *value, None, &change);
            }
            Op::CompareExchange { to, access, expected, replacement } => {
                let change = |_: u64, operand: u64| operand;
                exchange(
                    findings,
                    &mut memories,
                    frame,
                    &here,
                    *to,
                    access,
                    *replacement,
                    Some(*expected),
                    &change,
                );
            }
            Op::BufferLoad { to, place, image } => {
                let parts = buffer_places(findings, layout, frame, &here, place, image.bytes);
                buffer_load(findings, &mut memories, frame, &here, *to, image, &parts);
            }
            Op::BufferStore { place, value, image } => {
                let parts = buffer_places(findings, layout, frame, &here, place, image.bytes);
                buffer_store(findings, &mut memories, frame, &here, value, image, &parts);
            }
            Op::BufferRmw { to, op, format, place, value, expected, image } => {
                let parts = buffer_places(findings, layout, frame, &here, place, image.bytes);
                let bits = image.bytes * 8;
                let elements = image.fields.len() as u32;
                for lane in each(active.mask) {
                    let Some((address, in_range)) = parts[lane] else { continue };
                    if in_range < image.bytes {
                        frame.words_mut(*to)[lane] = 0;
                        continue;
                    }
                    let mut bytes = [0; 8];
                    let bytes = &mut bytes[..image.bytes as usize];
                    let operand = frame.get(here.pool, *value)[lane];
                    let result = memories.read(Space::Global, lane, address, bytes).and_then(|_| {
                        let old = super::bytes::get(bytes, 0, bits);
                        let exchanges =
                            expected.is_none_or(|expected| frame.get(here.pool, expected)[lane] == old);
                        if exchanges {
                            let new = modified(*op, *format, bits, elements, old, operand);
                            super::bytes::put(bytes, 0, bits, new);
                            memories.write(Space::Global, lane, address, bytes, Byte::Value)?;
                        }
                        frame.words_mut(*to)[lane] = old;
                        Ok(())
                    });
                    if let Err(outside) = result {
                        report_outside(findings, &memories, &here, 1 << lane, &outside);
                    }
                }
                let shadow = known(frame.shadow(here.pool, *value), active.mask);
                undefined_store(findings, &here, shadow);
                frame.set_shadow(*to, Shadow::default(), active);
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
                for lane in each(active.mask) {
                    let count = frame.get(here.pool, *bytes)[lane] & mask(*bits);
                    let [target, source] = pointers.map(|pointer| frame.get(here.pool, pointer)[lane]);
                    if let Err(outside) = copy(&mut memories, lane, *to, target, source, count) {
                        report_outside(findings, &memories, &here, 1 << lane, &outside);
                    }
                }
            }
            Op::Fill { space, pointer, value, bytes } => {
                let state = state_of(known(frame.shadow(here.pool, *value), active.mask));
                for lane in each(active.mask) {
                    let [at, value, count] =
                        [*pointer, *value, *bytes].map(|src| frame.get(here.pool, src)[lane]);
                    let result = pieces(at, count).try_for_each(|(at, len)| {
                        memories.write(*space, lane, at, &[value as u8; PIECE][..len], state)
                    });
                    if let Err(outside) = result {
                        report_outside(findings, &memories, &here, 1 << lane, &outside);
                    }
                }
            }
            Op::SetReg { field, value } => {
                let first = active.mask.trailing_zeros() as usize;
                let value = frame.get(here.pool, *value)[first];
                return self.set_register(mode, *field, value, place).map(|()| Flow::Next);
            }
            Op::GetReg { to, field } => {
                let (register, field) = self.hardware_register(*field);
                if register != HwReg::Mode {
                    let what = format!("a read of the hardware register {register:?}");
                    return Err(Stop::Refused(Refused::new(what), Some(place)));
                }
                frame.fill(*to, u64::from((*mode & field.mask()) >> field.offset), active);
            }
            _ => return Err(Stop::Refused(Refused::new("an operation without an execution"), Some(place))),
        }
        Ok(Flow::Next)
    }

    /// A field of a hardware register, as `s_setreg` names it.
    fn hardware_register(&self, field: u16) -> (HwReg, HwField) {
        let field = HwField::from_simm16(field);
        (HwReg::of(self.program.target, field.id), field)
    }

    /// Only MODE is kept: what `s_setreg` does to other registers nobody here asks for.
    fn set_register(&self, mode: &mut u32, field: u16, value: u64, place: Place) -> Result<(), Stop> {
        let (register, field) = self.hardware_register(field);
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
}

fn frame_of(wave: &mut Wave) -> Result<&mut Frame, Stop> {
    match wave.activations.last_mut() {
        Some(activation) => Ok(&mut activation.frame),
        None => Err(Stop::Found),
    }
}

/// Where the lanes access a buffer, and how many bytes of each are in range; `None`: the place is undefined.
pub(super) fn buffer_places(
    findings: &mut crate::finding::Findings,
    layout: Layout,
    frame: &Frame,
    here: &Here<'_>,
    place: &BufferPlace,
    bytes: u32,
) -> [Option<(u64, u32)>; 64] {
    let mask = here.active.mask;
    let own = [place.resource[0], place.resource[1], place.voffset, place.soffset];
    let all = own.iter().chain(&place.index);
    let undefined = all.fold(Shadow::default(), |shadow, &src| shadow.or(frame.shadow(here.pool, src)));
    let undefined = known(undefined, mask).any();
    if undefined != 0 {
        findings.add(Kind::UndefinedAddress, &[here.at(undefined)], || {
            "a place in a buffer depends on a value that there is not".to_owned()
        });
    }
    let mut unpacked: Option<([u64; 2], BufferResource)> = None;
    let mut places = [None; 64];
    for lane in each(mask & !undefined) {
        let words = place.resource.map(|src| frame.get(here.pool, src)[lane]);
        let resource = match unpacked {
            Some((known, resource)) if known == words => resource,
            _ => {
                let dwords = [words[0], words[0] >> 32, words[1], words[1] >> 32].map(|word| word as u32);
                let resource = BufferResource::unpack(layout, dwords);
                unpacked = Some((words, resource));
                resource
            }
        };
        let part = resource.place(&BufferAccess {
            index: place.index.map(|index| frame.get(here.pool, index)[lane] as u32),
            voffset: frame.get(here.pool, place.voffset)[lane] as u32,
            soffset: frame.get(here.pool, place.soffset)[lane] as u32,
            offset: place.offset,
            lane: lane as u32,
            bytes,
            whole: false,
        });
        places[lane] = Some((part.addr, part.in_range));
    }
    places
}

/// What is known of bytes that hold values with this shadow.
fn state_of(shadow: Shadow) -> Byte {
    match shadow {
        Shadow { poison: 0, undef: 0 } => Byte::Value,
        Shadow { poison: 0, .. } => Byte::Undef,
        _ => Byte::Poison,
    }
}

pub(super) fn report_outside(
    findings: &mut crate::finding::Findings,
    memories: &Memories<'_>,
    here: &Here<'_>,
    lanes: u64,
    outside: &Outside,
) {
    // So compilers switch a lane off.
    if outside.space != Space::Local || outside.address < LDS_OFF {
        findings.add(Kind::OutOfBounds, &[here.at(lanes)], || memories.nearest(outside));
    }
}

/// Poison and undefined values that go to memory which outlives the workgroup.
fn undefined_store(findings: &mut crate::finding::Findings, here: &Here<'_>, shadow: Shadow) {
    if shadow.poison != 0 {
        findings.add(Kind::PoisonStored, &[here.at(shadow.poison)], || {
            "poison is stored to global memory".to_owned()
        });
    } else if shadow.undef != 0 {
        findings.add(Kind::UndefStored, &[here.at(shadow.undef)], || {
            "an undefined value is stored to global memory".to_owned()
        });
    }
}

/// The lanes whose address is a value; those without are reported.
fn addressed(findings: &mut crate::finding::Findings, frame: &Frame, here: &Here<'_>, pointer: Src) -> u64 {
    let undefined = known(frame.shadow(here.pool, pointer), here.active.mask).any();
    if undefined != 0 {
        findings.add(Kind::UndefinedAddress, &[here.at(undefined)], || {
            "an address depends on a value that there is not".to_owned()
        });
    }
    here.active.mask & !undefined
}

fn aligned(
    findings: &mut crate::finding::Findings,
    here: &Here<'_>,
    lane: usize,
    address: u64,
    access: &Access,
) {
    let (align, off) = (access.align, access.space == Space::Local && address >= LDS_OFF);
    if !address.is_multiple_of(align) && !off {
        findings.add(Kind::Misaligned, &[here.at(1 << lane)], || {
            format!("the address {address:#x} is not aligned to {align} bytes, as the instruction says")
        });
    }
}

fn load(
    findings: &mut crate::finding::Findings,
    memories: &mut Memories<'_>,
    frame: &mut Frame,
    here: &Here<'_>,
    to: u32,
    access: &Access,
) {
    let lanes = addressed(findings, frame, here, access.pointer);
    let image = &*access.image;
    let mut bytes: SmallVec<[u8; 128]> = smallvec::smallvec![0; image.bytes as usize];
    // What was not read is nothing.
    let mut shadow = Shadow { poison: here.active.mask & !lanes, undef: 0 };
    let mut states: Option<Vec<Shadow>> = None;
    for lane in each(lanes) {
        let address = frame.get(here.pool, access.pointer)[lane];
        aligned(findings, here, lane, address, access);
        match memories.read(access.space, lane, address, &mut bytes) {
            Ok(Byte::Value) => {}
            Ok(worst) => {
                // Field by field: a structure may be written in part.
                let states = states.get_or_insert_with(|| vec![Shadow::default(); image.fields.len()]);
                note_states(memories, access, image, lane, address, worst, states);
            }
            Err(outside) => {
                report_outside(findings, memories, here, 1 << lane, &outside);
                bytes.fill(0);
                shadow.undef |= 1 << lane;
            }
        }
        for limb in 0..image.fields.len() {
            frame.words_mut(to + limb as u32)[lane] = limb_of(image, limb, &bytes);
        }
    }
    for limb in 0..image.fields.len() {
        let own = states.as_ref().map_or(shadow, |states| states[limb].or(shadow));
        frame.set_shadow(to + limb as u32, own, here.active);
    }
}

/// Notes which fields of a value that a lane read are none.
fn note_states(
    memories: &Memories<'_>,
    access: &Access,
    image: &Image,
    lane: usize,
    address: u64,
    worst: Byte,
    states: &mut [Shadow],
) {
    let (space, address) = memories.resolve(access.space, address);
    let known = match space {
        Space::Local => memories.lds.states(address, image.bytes as usize),
        Space::Private => {
            memories.scratch.states(lane as u64 * memories.stride + address, image.bytes as usize)
        }
        _ => None,
    };
    for (field, shadow) in image.fields.iter().zip(states) {
        let (first, last) = ((field.bit / 8) as usize, (field.bit + field.bits).div_ceil(8) as usize);
        let own = known.and_then(|known| known.get(first..last));
        match own.map_or(worst, |own| own.iter().copied().max().unwrap_or_default()) {
            Byte::Value => {}
            Byte::Undef => shadow.undef |= 1 << lane,
            Byte::Poison => shadow.poison |= 1 << lane,
        }
    }
}

fn store(
    findings: &mut crate::finding::Findings,
    memories: &mut Memories<'_>,
    frame: &mut Frame,
    here: &Here<'_>,
    access: &Access,
    value: &[Src],
) {
    let lanes = addressed(findings, frame, here, access.pointer);
    let image = &*access.image;
    let mut bytes: SmallVec<[u8; 128]> = smallvec::smallvec![0; image.bytes as usize];
    let shadows: SmallVec<[Shadow; 16]> =
        value.iter().map(|&src| known(frame.shadow(here.pool, src), lanes)).collect();
    let worst = shadows.iter().fold(Shadow::default(), |all, &one| all.or(one));
    let mut to_global = 0;
    for lane in each(lanes) {
        let address = frame.get(here.pool, access.pointer)[lane];
        aligned(findings, here, lane, address, access);
        to_bytes(image, value.iter().map(|&src| frame.get(here.pool, src)[lane]), &mut bytes);
        if let Err(outside) = memories.write(access.space, lane, address, &bytes, Byte::Value) {
            report_outside(findings, memories, here, 1 << lane, &outside);
            continue;
        }
        if worst.any() >> lane & 1 == 0 {
            continue;
        }
        let (space, address) = memories.resolve(access.space, address);
        for (field, shadow) in image.fields.iter().zip(&shadows) {
            let state = state_of(shadow.in_lanes(1 << lane));
            if state == Byte::Value {
                continue;
            }
            let (first, last) = (u64::from(field.bit / 8), (field.bit + field.bits).div_ceil(8) as usize);
            let len = last - first as usize;
            match space {
                Space::Local => memories.lds.mark(address + first, len, state),
                Space::Private => {
                    memories.scratch.mark(lane as u64 * memories.stride + address + first, len, state)
                }
                _ => to_global |= 1 << lane,
            }
        }
    }
    undefined_store(findings, here, worst.in_lanes(to_global));
}

/// An atomic operation, lane after lane: `change` makes the new value of the old one and the operand.
fn exchange(
    findings: &mut crate::finding::Findings,
    memories: &mut Memories<'_>,
    frame: &mut Frame,
    here: &Here<'_>,
    to: u32,
    access: &Access,
    operand: Src,
    expected: Option<Src>,
    change: &dyn Fn(u64, u64) -> u64,
) {
    let lanes = addressed(findings, frame, here, access.pointer);
    let bits = access.image.bytes * 8;
    let mut shadow = Shadow::default();
    let mut swapped = 0;
    for lane in each(lanes) {
        let address = frame.get(here.pool, access.pointer)[lane];
        aligned(findings, here, lane, address, access);
        let mut bytes = [0; 8];
        let bytes = &mut bytes[..access.image.bytes as usize];
        let result = memories.read(access.space, lane, address, bytes).and_then(|state| {
            let old = super::bytes::get(bytes, 0, bits);
            match state {
                Byte::Value => {}
                Byte::Undef => shadow.undef |= 1 << lane,
                Byte::Poison => shadow.poison |= 1 << lane,
            }
            if expected.is_none_or(|expected| frame.get(here.pool, expected)[lane] == old) {
                let new = change(old, frame.get(here.pool, operand)[lane]);
                super::bytes::put(bytes, 0, bits, new & mask(bits));
                memories.write(access.space, lane, address, bytes, state)?;
                swapped |= 1 << lane;
            }
            frame.words_mut(to)[lane] = old;
            Ok(())
        });
        if let Err(outside) = result {
            report_outside(findings, memories, here, 1 << lane, &outside);
            shadow.undef |= 1 << lane;
        }
    }
    let given = known(frame.shadow(here.pool, operand), lanes);
    if matches!(access.space, Space::Global) {
        undefined_store(findings, here, given);
    }
    shadow = shadow.or(given);
    frame.set_shadow(to, shadow, here.active);
    if expected.is_some() {
        let words = frame.words_mut(to + 1);
        each(here.active.mask).for_each(|lane| words[lane] = swapped >> lane & 1);
        frame.set_shadow(to + 1, shadow, here.active);
    }
}

fn buffer_load(
    findings: &mut crate::finding::Findings,
    memories: &mut Memories<'_>,
    frame: &mut Frame,
    here: &Here<'_>,
    to: u32,
    image: &Image,
    places: &[Option<(u64, u32)>; 64],
) {
    let mut bytes: SmallVec<[u8; 64]> = smallvec::smallvec![0; image.bytes as usize];
    let mut shadow = Shadow::default();
    for lane in each(here.active.mask) {
        bytes.fill(0);
        match places[lane] {
            None => shadow.poison |= 1 << lane,
            // What is out of range reads zeros.
            Some((_, 0)) => {}
            Some((address, in_range)) => {
                let part = &mut bytes[..in_range as usize];
                if let Err(outside) = memories.read(Space::Global, lane, address, part) {
                    report_outside(findings, memories, here, 1 << lane, &outside);
                    shadow.undef |= 1 << lane;
                }
            }
        }
        for limb in 0..image.fields.len() {
            frame.words_mut(to + limb as u32)[lane] = limb_of(image, limb, &bytes);
        }
    }
    for limb in 0..image.fields.len() {
        frame.set_shadow(to + limb as u32, shadow, here.active);
    }
}

fn buffer_store(
    findings: &mut crate::finding::Findings,
    memories: &mut Memories<'_>,
    frame: &mut Frame,
    here: &Here<'_>,
    value: &[Src],
    image: &Image,
    places: &[Option<(u64, u32)>; 64],
) {
    let mut bytes: SmallVec<[u8; 64]> = smallvec::smallvec![0; image.bytes as usize];
    let shadow = value.iter().fold(Shadow::default(), |all, &src| all.or(frame.shadow(here.pool, src)));
    let mut stored = 0;
    for lane in each(here.active.mask) {
        let Some((address, in_range)) = places[lane].filter(|place| place.1 > 0) else { continue };
        to_bytes(image, value.iter().map(|&src| frame.get(here.pool, src)[lane]), &mut bytes);
        stored |= 1 << lane;
        let part = &bytes[..in_range as usize];
        if let Err(outside) = memories.write(Space::Global, lane, address, part, Byte::Value) {
            report_outside(findings, memories, here, 1 << lane, &outside);
        }
    }
    undefined_store(findings, here, shadow.in_lanes(stored));
}

fn transposed(
    findings: &mut crate::finding::Findings,
    memories: &mut Memories<'_>,
    frame: &mut Frame,
    here: &Here<'_>,
    to: u32,
    how: transpose::Transpose,
    space: Space,
    pointer: Src,
    image: &Image,
    lanes: usize,
) {
    let own = transpose::lane_bytes(how);
    let mut read = vec![0; lanes * own];
    let mut shadow = Shadow::default();
    for lane in each(addressed(findings, frame, here, pointer)) {
        let address = frame.get(here.pool, pointer)[lane];
        match memories.read(space, lane, address, &mut read[lane * own..][..own]) {
            // What a lane reads goes to all 16 of its row.
            Ok(Byte::Value) => {}
            Ok(Byte::Undef) => shadow.undef |= 0xffff << (lane & !15),
            Ok(Byte::Poison) => shadow.poison |= 0xffff << (lane & !15),
            Err(outside) => {
                report_outside(findings, memories, here, 1 << lane, &outside);
                shadow.undef |= 0xffff << (lane & !15);
            }
        }
    }
    let chunks = lanes / 16;
    let mut out = vec![wavemark_sim::regs::Chunk::ZERO; own / 4 * chunks];
    transpose::apply(how, &read, chunks, &mut out);
    let mut bytes: SmallVec<[u8; 16]> = smallvec::smallvec![0; own];
    for lane in each(here.active.mask) {
        for dword in 0..own / 4 {
            let word = out[dword * chunks + lane / 16].0[lane % 16];
            bytes[dword * 4..][..4].copy_from_slice(&word.to_le_bytes());
        }
        for limb in 0..image.fields.len() {
            frame.words_mut(to + limb as u32)[lane] = limb_of(image, limb, &bytes);
        }
    }
    for limb in 0..image.fields.len() {
        frame.set_shadow(to + limb as u32, shadow, here.active);
    }
}

/// Bytes that are moved at once.
const PIECE: usize = 64;

fn pieces(at: u64, count: u64) -> impl Iterator<Item = (u64, usize)> {
    (0..count.div_ceil(PIECE as u64)).map(move |piece| {
        let from = piece * PIECE as u64;
        (at.wrapping_add(from), (count - from).min(PIECE as u64) as usize)
    })
}

/// Copies bytes, which may overlap, with what is known of them.
fn copy(
    memories: &mut Memories<'_>,
    lane: usize,
    [to, from]: [Space; 2],
    target: u64,
    source: u64,
    count: u64,
) -> Result<(), Outside> {
    let mut whole: Vec<([u8; PIECE], usize, Byte)> = Vec::new();
    for (at, len) in pieces(source, count) {
        let mut bytes = [0; PIECE];
        let state = memories.read(from, lane, at, &mut bytes[..len])?;
        whole.push((bytes, len, state));
    }
    for ((at, len), (bytes, _, state)) in pieces(target, count).zip(whole) {
        memories.write(to, lane, at, &bytes[..len], state)?;
    }
    Ok(())
}

fn promised(
    findings: &mut crate::finding::Findings,
    frame: &mut Frame,
    here: &Here<'_>,
    to: u32,
    limbs: usize,
    promise: &Promise,
) {
    match promise {
        Promise::NoUndef => {
            let registers = (to..).take(limbs).map(Src::register);
            let lanes = registers
                .fold(0, |lanes, src| lanes | known(frame.shadow(here.pool, src), here.active.mask).any());
            if lanes != 0 {
                findings.add(Kind::Promise, &[here.at(lanes)], || {
                    "a value that is promised to be defined (noundef) is not".to_owned()
                });
            }
        }
        Promise::NonNull | Promise::Range(..) => {
            let words = frame.words_mut(to);
            let breaks = |word: u64| match promise {
                Promise::Range(ranges, bits) => !ranges.iter().any(|&(low, high)| {
                    // A range may go around the end.
                    word.wrapping_sub(low) & mask(*bits) < high.wrapping_sub(low) & mask(*bits) || low == high
                }),
                _ => word == 0,
            };
            let lanes = each(here.active.mask).filter(|&lane| breaks(words[lane]));
            let lanes = lanes.fold(0, |lanes, lane| lanes | 1 << lane);
            if lanes != 0 {
                let shadow = frame.shadow(here.pool, Src::register(to));
                frame.set_shadow(to, shadow.or(Shadow { poison: lanes, undef: 0 }), here.active);
            }
        }
    }
}

/// Evaluates a machine instruction.
fn evaluate(
    functions: &mut wavemark_sim::function::Functions,
    machine: &Machine,
    frame: &mut Frame,
    pool: &Pool,
    active: Active,
) {
    // Of what packs values, some are often left open: the result is open where all are.
    let mut shadow = Shadow { poison: 0, undef: if machine.across { 0 } else { u64::MAX } };
    for (register, pieces) in &machine.inputs {
        let to = functions.register(*register as usize);
        if let [piece] = &pieces[..]
            && (piece.to, piece.bits, piece.shift) == (0, 32, 0)
        {
            let words = frame.get(pool, machine.from[piece.from as usize]);
            to.iter_mut().zip(words).for_each(|(to, &word)| *to = word as u32);
        } else {
            to.fill(0);
            for piece in pieces {
                let words = frame.get(pool, machine.from[piece.from as usize]);
                let (shift, bits, at) = (piece.shift, mask(piece.bits), piece.to);
                to.iter_mut().zip(words).for_each(|(to, &word)| *to |= ((word >> shift & bits) as u32) << at);
            }
        }
        for piece in pieces {
            let own = frame.shadow(pool, machine.from[piece.from as usize]);
            shadow.poison |= own.poison;
            shadow.undef = if machine.across { shadow.undef | own.undef } else { shadow.undef & own.undef };
        }
    }
    functions.evaluate(machine.function, if machine.across { u64::MAX } else { active.mask });
    if machine.across {
        let spread = |lanes: u64| if lanes & active.mask == 0 { 0 } else { u64::MAX };
        shadow = Shadow { poison: spread(shadow.poison), undef: spread(shadow.undef) };
    }
    for (register, pieces) in (machine.to..).zip(&machine.results) {
        let mut words = [0u64; 64];
        for piece in pieces {
            let from = functions.register((machine.output + piece.from) as usize);
            let (shift, bits, at) = (piece.shift, mask(piece.bits), piece.to);
            words
                .iter_mut()
                .zip(&*from)
                .for_each(|(to, &word)| *to |= (u64::from(word) >> shift & bits) << at);
        }
        let to = frame.words_mut(register);
        if active.full {
            to.copy_from_slice(&words[..to.len()]);
        } else {
            each(active.mask).for_each(|lane| to[lane] = words[lane]);
        }
        frame.set_shadow(register, shadow, active);
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
