//! Asynchronous operations: issued, landed, done ([`super::flight`] says what that is).

use wavemark_memmodel::asyncmark::Instance;
use wavemark_sim::Completion;
use wavemark_target::{LDS_OFF, TensorDescriptor, TensorPiece, lds_dma_lane};

use super::access::{addressed, buffer_places, report_outside};
use super::effect::{Here, race_found, uniform};
use super::flight::{Action, Class, Flight, count_arrival, retired};
use super::memory::{Memories, Outside};
use super::step::Flow;
use super::wave::Wave;
use super::{Cluster, Executor, Group, Stop, known};
use crate::Refused;
use crate::finding::Kind;
use crate::lanes::{Shadow, each};
use crate::op::{DmaFrom, Op, Space};
use crate::race::How;
use crate::shape::mask;

/// Operations of all waves after which data land even when they land late: a wave may poll memory for them.
const PATIENCE: u64 = 1 << 15;

impl<'r> Executor<'r> {
    /// An operation that moves data on its own.
    pub(super) fn transfer(
        &mut self,
        group: &mut Group,
        wave: &mut Wave,
        here: &Here<'_>,
        op: &'r Op,
    ) -> Result<Flow, Stop> {
        match op {
            Op::ToLds { from, lds, bytes, offset, asynchronous } => {
                let pieces = self.side_by_side(group, wave, here, from, *lds, *bytes, *offset)?;
                let action = Action::Move { pieces, store: false, arrive: None };
                self.issue(group, wave, here, Class::LdsDma, action, *asynchronous);
            }
            Op::Async { global, lds, offset, bytes, store, workgroups } => {
                let own = group.rank;
                let Some(activation) = wave.activations.last() else { return Ok(Flow::Next) };
                let frame = &activation.frame;
                // A multicast brings nothing to a workgroup that it leaves out.
                if let Some(workgroups) = workgroups {
                    let mask =
                        uniform(&mut self.findings, frame, here, *workgroups, "the mask of workgroups");
                    if mask != 0 && mask >> own & 1 == 0 {
                        return Ok(Flow::Next);
                    }
                }
                let mut pieces = Vec::new();
                for lane in each(addressed(&mut self.findings, frame, here, &[*global, *lds])) {
                    let global = frame.get(here.pool, *global)[lane].wrapping_add(*offset as u64);
                    let at = frame.get(here.pool, *lds)[lane].wrapping_add(*offset as u64) & mask(32);
                    self.piece(group, here, lane, Some(global), at, *bytes, *store, &mut pieces);
                }
                let class = if *store { Class::AsyncStore } else { Class::AsyncLoad };
                self.issue(
                    group,
                    wave,
                    here,
                    class,
                    Action::Move { pieces, store: *store, arrive: None },
                    true,
                );
            }
            Op::Tensor { store, groups } => {
                let Some(activation) = wave.activations.last() else { return Ok(Flow::Next) };
                let mut dwords = [0u32; 28];
                for (to, &src) in dwords.iter_mut().zip(groups) {
                    let frame = &activation.frame;
                    // Dwords that the operation does not look at may be anything.
                    let undefined = known(frame.shadow(here.pool, src), here.active.mask).any();
                    let words = frame.get(here.pool, src);
                    *to = if undefined != 0 {
                        0
                    } else {
                        words[here.active.mask.trailing_zeros() as usize] as u32
                    };
                }
                let part = |from: usize| -> [u32; 4] { std::array::from_fn(|at| dwords[from + at]) };
                let more = groups.len() > 12;
                let (g2, g3) = if more { (part(12), part(16)) } else { ([0; 4], [0; 4]) };
                let g1 = std::array::from_fn(|at| dwords[4 + at]);
                let mut descriptor = TensorDescriptor::unpack(part(0), g1, g2, g3);
                if *store {
                    // Padding is for loads only: there is no de-padding (CDNA5 manual 10.11.2).
                    descriptor.pad = None;
                }
                let moved = if descriptor.count == 0 { Vec::new() } else { descriptor.pieces() };
                let mut pieces = Vec::new();
                for piece in moved {
                    if *store && piece.global.is_none() {
                        continue;
                    }
                    let TensorPiece { global, lds, bytes } = piece;
                    self.piece(group, here, 0, global, lds.into(), bytes, *store, &mut pieces);
                }
                let arrive = descriptor.barrier.filter(|&at| at as usize + 8 <= group.lds.len());
                let action = Action::Move { pieces, store: *store, arrive };
                self.issue(group, wave, here, Class::Tensor, action, true);
            }
            Op::Arrive { to, pointer, count } => {
                let Some(activation) = wave.activations.last_mut() else { return Ok(Flow::Next) };
                let frame = &mut activation.frame;
                let mut cells = Vec::new();
                for lane in each(addressed(&mut self.findings, frame, here, &[*pointer])) {
                    let at = frame.get(here.pool, *pointer)[lane];
                    let mut word = [0; 8];
                    if group.lds.read(at, &mut word).is_none() {
                        let outside = Outside { space: Space::Local, address: at, bytes: 8 };
                        let memories = Memories {
                            global: self.global,
                            lds: &mut group.lds,
                            scratch: &mut wave.scratch,
                            stride: wave.scratch_stride,
                            watch: None,
                        };
                        report_outside(&mut self.findings, &memories, here, 1 << lane, &outside);
                        continue;
                    }
                    match (to, count) {
                        (Some(to), Some(count)) => {
                            let by = frame.get(here.pool, *count)[lane];
                            count_arrival(&mut group.lds, at, by);
                            frame.words_mut(*to)[lane] = u64::from_le_bytes(word);
                        }
                        _ => cells.push(at as u32),
                    }
                }
                match to {
                    Some(to) => frame.set_shadow(*to, Shadow::default(), here.active),
                    None => self.issue(group, wave, here, Class::AsyncLoad, Action::Arrive(cells), true),
                }
                // Others may wait for it.
                return Ok(Flow::Yields);
            }
            _ => {
                return Err(Stop::Refused(Refused::new("a transfer without an execution"), Some(here.place)));
            }
        }
        Ok(Flow::Next)
    }

    /// One piece of a transfer, if it is in bounds.
    fn piece(
        &mut self,
        group: &mut Group,
        here: &Here<'_>,
        lane: usize,
        global: Option<u64>,
        lds: u64,
        bytes: u32,
        store: bool,
        pieces: &mut Vec<TensorPiece>,
    ) {
        // So compilers switch a lane off.
        if lds >= LDS_OFF {
            return;
        }
        let in_lds = lds.checked_add(bytes.into()).is_some_and(|end| end <= group.lds.len() as u64);
        let in_global = global.is_none_or(|at| self.global.in_bounds(at, bytes.into(), store));
        if !in_lds || !in_global {
            let space = if in_lds { Space::Global } else { Space::Local };
            let address = if in_lds { global.unwrap_or(0) } else { lds };
            let outside = Outside { space, address, bytes: bytes as usize };
            let memories = Memories {
                global: self.global,
                lds: &mut group.lds,
                scratch: &mut super::bytes::Memory::default(),
                stride: 0,
                watch: None,
            };
            report_outside(&mut self.findings, &memories, here, 1 << lane, &outside);
        }
        if in_lds {
            pieces.push(TensorPiece { global: global.filter(|_| in_global), lds: lds as u32, bytes });
        }
    }

    /// The pieces of a copy that puts the lanes side by side into LDS. Less than a dword is written as one.
    fn side_by_side(
        &mut self,
        group: &mut Group,
        wave: &Wave,
        here: &Here<'_>,
        from: &DmaFrom,
        lds: crate::lanes::Src,
        bytes: u32,
        offset: i64,
    ) -> Result<Vec<TensorPiece>, Stop> {
        let Some(activation) = wave.activations.last() else { return Ok(Vec::new()) };
        let frame = &activation.frame;
        if bytes < 4 {
            return Err(Stop::Refused(
                Refused::new(format!("a copy of {bytes} bytes a lane into LDS")),
                Some(here.place),
            ));
        }
        let base =
            uniform(&mut self.findings, frame, here, lds, "the address in LDS").wrapping_add(offset as u64);
        let (_, stride) = lds_dma_lane(bytes);
        let mut pieces = Vec::new();
        let places = match from {
            DmaFrom::Buffer(place) => {
                let layout = self.program.target.facts().buffer_resource;
                buffer_places(&mut self.findings, layout, frame, here, place, bytes)
            }
            DmaFrom::Pointer(pointer) => {
                let mut places = [None; 64];
                for lane in each(addressed(&mut self.findings, frame, here, &[*pointer])) {
                    let at = frame.get(here.pool, *pointer)[lane].wrapping_add(offset as u64);
                    places[lane] = Some((at, bytes));
                }
                places
            }
        };
        for lane in each(here.active.mask) {
            let Some((address, in_range)) = places[lane] else { continue };
            let at = base.wrapping_add(lane as u64 * u64::from(stride)) & mask(32);
            if in_range > 0 {
                self.piece(group, here, lane, Some(address), at, in_range, false, &mut pieces);
            }
            if in_range < bytes {
                // What is out of range reads zeros.
                self.piece(
                    group,
                    here,
                    lane,
                    None,
                    at + u64::from(in_range),
                    bytes - in_range,
                    false,
                    &mut pieces,
                );
            }
        }
        Ok(pieces)
    }

    /// Issues an operation; one that is not asynchronous is done at once.
    fn issue(
        &mut self,
        group: &mut Group,
        wave: &mut Wave,
        here: &Here<'_>,
        class: Class,
        action: Action,
        asynchronous: bool,
    ) {
        if !asynchronous {
            action.land(self.global, &mut group.lds);
            return;
        }
        let instance: Instance = wave.marks.issue(0, 0);
        let (span, issued, place) = (action.span(), self.clock, here.place);
        self.serial += 1;
        let serial = self.serial;
        if let Some(record) = &mut self.record {
            let written = (action.writes_lds() && span.0 < span.1).then_some(span);
            record.issued(wave.index, serial, &place, class, written);
        }
        wave.flights.push_back(Flight {
            serial,
            class,
            instance,
            action,
            landed: false,
            told: false,
            issued,
            place,
            span,
        });
        self.lands_by_mode(group, wave);
    }

    /// Lets land what the completion mode lets land now.
    pub(super) fn lands_by_mode(&mut self, group: &mut Group, wave: &mut Wave) {
        match self.config.completion {
            Completion::Early => self.lands_until(group, wave, usize::MAX, None),
            Completion::Random => {
                while wave.flights.iter().any(|flight| !flight.landed) && self.random.draw() & 1 == 0 {
                    let at = self.random.below(wave.flights.len());
                    let class = wave.flights[at].class;
                    self.lands_until(group, wave, at, Some(class));
                }
            }
            Completion::Late => {}
        }
    }

    /// Lets land what has been in flight for long: somebody may poll memory for it.
    pub(super) fn lands_late(&mut self, group: &mut Group, wave: &mut Wave) {
        let clock = self.clock;
        let old = |flight: &Flight| !flight.landed && clock - flight.issued > PATIENCE;
        if let Some(at) = wave.flights.iter().rposition(old) {
            self.lands_until(group, wave, at, None);
        }
    }

    /// Lets land what was issued up to `last`, of one class or of all.
    fn lands_until(&mut self, group: &mut Group, wave: &mut Wave, last: usize, class: Option<Class>) {
        for flight in wave.flights.iter_mut().take(last.saturating_add(1)) {
            if !flight.landed && class.is_none_or(|class| class == flight.class) {
                flight.action.land(self.global, &mut group.lds);
                flight.landed = true;
                if let Some(record) = &mut self.record {
                    record.landed(flight.serial);
                }
            }
        }
        // An arrival tells of the loads that its wave has issued before it.
        let arrived = |flight: &Flight| flight.landed && matches!(flight.action, Action::Arrive(_));
        let told = wave.flights.iter().rposition(arrived).unwrap_or(0);
        for flight in wave.flights.iter_mut().take(told) {
            flight.told |= flight.class == Class::AsyncLoad;
        }
    }

    /// The operations at these positions of the queue are done.
    pub(super) fn done(&mut self, group: &mut Group, wave: &mut Wave, positions: &[usize]) {
        for &at in positions {
            let class = wave.flights[at].class;
            self.lands_until(group, wave, at, Some(class));
            self.transferred(wave, at);
        }
        let mut at = 0;
        wave.flights.retain(|_| {
            at += 1;
            positions.binary_search(&(at - 1)).is_err()
        });
    }

    /// Looks for races of an operation that is done. Where a barrier in LDS tells others so, nothing is known of when.
    fn transferred(&mut self, wave: &Wave, at: usize) {
        let (agent, flight) = (self.agent(wave), &wave.flights[at]);
        let Action::Move { pieces, store, arrive: None } = &flight.action else { return };
        let arrives = |later: &Flight| matches!(later.action, Action::Arrive(_));
        if flight.class == Class::AsyncLoad && wave.flights.iter().skip(at + 1).any(arrives) {
            return;
        }
        let Some(races) = &mut self.races else { return };
        let (access, lane) =
            (races.begin_copy(agent, &flight.place), flight.place.lanes.trailing_zeros().min(63));
        for piece in pieces {
            let sides =
                [(Space::Local, Some(piece.lds.into()), !store), (Space::Global, piece.global, *store)];
            for (space, address, writes) in sides {
                let Some(address) = address else { continue };
                let how = How { writes, silent: false, atomic: None };
                if let Some(race) =
                    races.access(access, lane as usize, space, (address, piece.bytes.into()), how)
                {
                    race_found(&mut self.findings, &race, flight.place);
                }
            }
        }
    }

    /// A wait until a counter is at most `n`.
    pub(super) fn await_counter(&mut self, group: &mut Group, wave: &mut Wave, classes: &[Class], n: u64) {
        let positions = retired(&wave.flights, classes, n);
        self.done(group, wave, &positions);
    }

    /// A wait until `n` marks are left.
    pub(super) fn await_marks(&mut self, group: &mut Group, wave: &mut Wave, n: u64) {
        let n = u32::try_from(n).unwrap_or(u32::MAX);
        let completed = wave.marks.wait(n, wavemark_memmodel::asyncmark::Stages::ALL);
        let of = |flight: &Flight| completed.contains(&flight.instance);
        let positions: Vec<usize> =
            wave.flights.iter().enumerate().filter(|(_, flight)| of(flight)).map(|(at, _)| at).collect();
        self.done(group, wave, &positions);
    }

    /// Reports an access to LDS where data are in flight, of any wave of the workgroup.
    pub(super) fn looks_at_flights(
        &mut self,
        cluster: &Cluster,
        group: usize,
        wave: &Wave,
        here: &Here<'_>,
        op: &Op,
    ) -> Result<(), Stop> {
        let others = cluster.groups[group].waves.iter().flatten();
        if wave.flights.is_empty() && others.clone().all(|other| other.flights.is_empty()) {
            return Ok(());
        }
        let (access, writes) = match op {
            Op::Load { access, .. } => (access, false),
            Op::Store { access, .. } | Op::Rmw { access, .. } | Op::CompareExchange { access, .. } => {
                (access, true)
            }
            _ => return Ok(()),
        };
        if access.space != Space::Local {
            return Ok(());
        }
        let Some(activation) = wave.activations.last() else { return Ok(()) };
        let (pointer, bytes) = (access.pointer, u64::from(access.image.bytes));
        self.looks_at(others.chain([wave]), &activation.frame, here, pointer, bytes, writes);
        Ok(())
    }

    /// The same for lanes that access `bytes` bytes each.
    pub(super) fn looks_at<'w>(
        &mut self,
        waves: impl Iterator<Item = &'w Wave>,
        frame: &crate::lanes::Frame,
        here: &Here<'_>,
        pointer: crate::lanes::Src,
        bytes: u64,
        writes: bool,
    ) {
        let words = frame.get(here.pool, pointer);
        for flight in waves.flat_map(|wave| &wave.flights) {
            if flight.is_told() || !writes && !flight.action.writes_lds() {
                continue;
            }
            let (low, high) = flight.span;
            let near = each(here.active.mask).filter(|&lane| words[lane] < high && words[lane] + bytes > low);
            let hits = near.filter(|&lane| {
                let overlap = |(from, to): (u64, u64)| words[lane] < to && words[lane] + bytes > from;
                flight.action.ranges().any(overlap)
            });
            let lanes = hits.fold(0, |lanes, lane| lanes | 1 << lane);
            if lanes != 0 {
                let (kind, verb) =
                    if writes { (Kind::WriteInFlight, "written") } else { (Kind::ReadInFlight, "read") };
                self.findings.add(kind, &[flight.place, here.at(lanes)], || {
                    format!("LDS is {verb} while an asynchronous operation is in flight there")
                });
            }
        }
    }
}
