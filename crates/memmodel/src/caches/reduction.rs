//! Fewer states for the same final registers.
//!
//! Two ways, each of them sound by itself:
//!
//! * **Persistent sets.** Where a step of one wave can neither be disabled nor observed by anything that may happen before it,
//!   it is taken alone: what else is possible now is possible behind it, with the same result. States have no cycles (each
//!   step consumes an instruction, a pending access, or a dirty line), so nothing is put off for ever.
//! * **Forgetting.** A line that nobody can read any more is no part of a state.
//!
//! A test explores random programs with and without, and compares.

use super::state::{DeviceLine, Machine, Pending, State};
use super::{Op, Step};
use crate::litmus::{LocationId, Register, Value};

/// The location of an access to memory beyond LDS.
fn location(op: Op) -> Option<LocationId> {
    match op {
        Op::Load(_, location, _) | Op::Store(location, ..) | Op::Update(_, location, ..) => Some(location),
        Op::Copy(copy) => Some(copy.global),
        _ => None,
    }
}

fn in_lds(op: Op) -> Option<LocationId> {
    match op {
        Op::LdsLoad(_, location) | Op::LdsStore(location, _) | Op::LdsUpdate(_, location, ..) => {
            Some(location)
        }
        Op::Copy(copy) => Some(copy.lds),
        _ => None,
    }
}

fn is_copy(op: Op) -> bool {
    matches!(op, Op::Copy(_))
}

/// Whether two accesses have a location in common.
fn touches_the_same(one: Op, other: Op) -> bool {
    let both = |of: fn(Op) -> Option<LocationId>| of(one).is_some() && of(one) == of(other);
    both(location) || both(in_lds)
}

/// The registers that an instruction reads or writes.
fn registers(op: Op) -> [Option<Register>; 2] {
    let of = |value: Value| match value {
        Value::Register(register) => Some(register),
        Value::Number(_) => None,
    };
    match op {
        Op::Load(register, ..) | Op::LdsLoad(register, _) | Op::Unless(register, _) => [Some(register), None],
        Op::Store(_, value, _) | Op::LdsStore(_, value) => [of(value), None],
        Op::Update(register, _, _, value, _) | Op::LdsUpdate(register, _, _, value) => [register, of(value)],
        Op::Barrier(_, register) => [register, None],
        Op::Wait(_)
        | Op::Invalidate(_)
        | Op::InvalidateSecond
        | Op::InvalidateDevice
        | Op::WriteBack
        | Op::Copy(_)
        | Op::LeaveBarrier => [None, None],
    }
}

impl Machine<'_> {
    /// Whether no other wave has this one's first-level cache.
    fn has_first_alone(&self, wave: usize) -> bool {
        (0..self.waves.len()).all(|other| other == wave || self.first(other) != self.first(wave))
    }

    /// Whether no other wave has this one's second-level cache, or there is none.
    fn has_second_alone(&self, wave: usize) -> bool {
        let workgroup = self.waves[wave].workgroup;
        let same = self.waves.iter().filter(|other| other.workgroup == workgroup);
        !self.hierarchy.second || same.count() == 1
    }
}

impl State {
    /// What a wave has not done yet: its accesses in flight, and its instructions to come.
    fn left<'s>(&'s self, machine: &'s Machine, wave: usize) -> impl Iterator<Item = Op> + 's {
        let own = &self.waves[wave];
        let pending = own.pending.iter().map(move |one| machine.op(wave, one.op));
        pending.chain(machine.waves[wave].ops[usize::from(own.at)..].iter().copied())
    }

    /// Steps that are enough: those of one wave if they are a persistent set, else all.
    pub(super) fn enough(&self, machine: &Machine) -> Vec<(Step, State)> {
        let (mut steps, mut states) = (Vec::new(), Vec::new());
        for wave in 0..self.waves.len() {
            let at = usize::from(self.waves[wave].at);
            if machine.waves[wave].ops.get(at).is_some_and(|&op| self.is_issued_alone(machine, wave, op)) {
                self.issue(machine, wave, &mut states);
                steps.extend(states.drain(..).map(|next| (Step::Issue(wave, at), next)));
            }
            for number in 0..self.waves[wave].pending.len() {
                if steps.is_empty() && self.is_performed_alone(machine, wave, number) {
                    let Pending { op, .. } = self.waves[wave].pending[number];
                    self.perform(machine, wave, number, &mut states);
                    steps.extend(states.drain(..).map(|next| (Step::Perform(wave, op.into()), next)));
                }
            }
            if !steps.is_empty() {
                return steps;
            }
        }
        self.steps(machine)
    }

    /// Whether the issue of a wave's next instruction, where it is possible at all, depends on nothing that may come before.
    fn is_issued_alone(&self, machine: &Machine, wave: usize, op: Op) -> bool {
        let pending = || self.waves[wave].pending.iter().map(|one| machine.op(wave, one.op));
        let used = registers(op);
        if pending().flat_map(registers).flatten().any(|register| used.contains(&Some(register))) {
            return false;
        }
        match op {
            // They change the wave alone.
            Op::Wait(_) | Op::Unless(..) | Op::WriteBack | Op::Update(..) | Op::Copy(_) => true,
            Op::LdsLoad(..) | Op::LdsStore(..) | Op::LdsUpdate(..) => true,
            // Other waves wait for them.
            Op::Barrier(..) | Op::LeaveBarrier => false,
            Op::Load(_, _, level) if level > 0 || machine.hierarchy.ports => true,
            Op::Store(..) if machine.hierarchy.ports => true,
            Op::Load(_, to, _) => {
                let only_own = machine.has_first_alone(wave) && !pending().any(|op| location(op) == Some(to));
                only_own && self.is_quiet(machine, wave, to)
            }
            Op::Store(to, ..) => {
                let caches = machine.has_first_alone(wave) && machine.has_second_alone(wave);
                caches && !pending().any(|op| location(op) == Some(to))
            }
            Op::InvalidateDevice => !machine.hierarchy.incoherent_device,
            Op::InvalidateSecond => {
                let untouched = machine.has_second_alone(wave) && !pending().any(|op| location(op).is_some());
                !machine.hierarchy.second || untouched
            }
            Op::Invalidate(level) => {
                let second = level > 1 && machine.hierarchy.second;
                let device = level > 2 && machine.hierarchy.incoherent_device;
                // A load in flight may be answered by what it empties.
                let answers = |op: Op| is_copy(op) || machine.hierarchy.ports && location(op).is_some();
                let answered = pending().any(answers);
                machine.has_first_alone(wave)
                    && !device
                    && !answered
                    && (!second
                        || machine.has_second_alone(wave) && !pending().any(|op| location(op).is_some()))
            }
        }
    }

    /// Whether a load of a location finds the same whenever it is performed, and leaves nothing that others find.
    fn is_quiet(&self, machine: &Machine, wave: usize, to: LocationId) -> bool {
        let others = (0..self.waves.len()).filter(|&other| other != wave);
        let mut left = others.flat_map(|other| self.left(machine, other));
        // What another device's cache still holds may reach memory at any time.
        let own = usize::from(machine.waves[wave].device);
        let dirty = |lines: &Vec<DeviceLine>| lines[usize::from(to)].is_some_and(|(_, dirty)| dirty);
        let elsewhere = self.device.iter().enumerate().any(|(agent, lines)| agent != own && dirty(lines));
        machine.has_second_alone(wave)
            && !elsewhere
            && match machine.hierarchy.incoherent_device {
                // The load may fill a line of the device's cache.
                true => !left.any(|op| {
                    location(op) == Some(to)
                        || matches!(op, Op::Invalidate(3..) | Op::InvalidateDevice | Op::WriteBack)
                }),
                false => !left.any(|op| location(op) == Some(to) && !matches!(op, Op::Load(..))),
            }
    }

    /// Whether an access in flight, where it can be performed, depends on nothing that may come before.
    fn is_performed_alone(&self, machine: &Machine, wave: usize, number: usize) -> bool {
        let own = &self.waves[wave];
        let Pending { op: index, .. } = own.pending[number];
        let op = machine.op(wave, index);
        // What its own wave may issue before: nothing behind a wait for it.
        let waits_for = |waited: &Op| match (waited, op) {
            (Op::Wait(waits), Op::Load(..) | Op::Update(Some(_), ..)) => waits.loads,
            (Op::Wait(waits), Op::Store(..) | Op::Update(None, ..) | Op::WriteBack) => waits.stores,
            (Op::Wait(waits), Op::Copy(copy)) => copy.is_waited_for(*waits),
            (Op::Wait(waits), _) => waits.lds,
            _ => false,
        };
        let issued = || {
            machine.waves[wave].ops[usize::from(own.at)..].iter().take_while(|next| !waits_for(next)).copied()
        };
        let used = registers(op);
        if issued().flat_map(registers).flatten().any(|register| used.contains(&Some(register))) {
            return false;
        }
        // A wave's own copies are in order with nothing.
        if self.left(machine, wave).any(|other| is_copy(other) && touches_the_same(other, op)) {
            return false;
        }
        let others = || {
            (0..self.waves.len()).filter(|&other| other != wave).flat_map(|other| self.left(machine, other))
        };
        match op {
            Op::LdsLoad(_, to) => {
                !others().any(|op| in_lds(op) == Some(to) && !matches!(op, Op::LdsLoad(..)))
            }
            Op::LdsStore(to, _) | Op::LdsUpdate(_, to, ..) => !others().any(|op| in_lds(op) == Some(to)),
            // It may fill a line of a cache that others share.
            Op::Load(_, _, 0) => false,
            Op::Load(_, to, _) => {
                let beside = |op: Op| {
                    location(op) == Some(to)
                        || matches!(op, Op::Invalidate(2..) | Op::InvalidateSecond | Op::InvalidateDevice)
                };
                self.is_quiet(machine, wave, to) && !issued().any(beside)
            }
            _ => false,
        }
    }

    /// Forgets lines that no wave can read any more.
    pub(super) fn forget(&mut self, machine: &Machine) {
        let left: Vec<Vec<Op>> =
            (0..self.waves.len()).map(|wave| self.left(machine, wave).collect()).collect();
        let reads = |of: &dyn Fn(usize) -> bool, to: usize, level: u8| {
            let waves = left.iter().enumerate().filter(|&(wave, _)| of(wave));
            waves.flat_map(|(_, ops)| ops).any(|&op| match op {
                Op::Load(_, from, up_to) => usize::from(from) == to && up_to <= level,
                Op::Copy(copy) => copy.to_lds && usize::from(copy.global) == to && copy.level <= level,
                _ => false,
            })
        };
        for (cache, lines) in self.first.iter_mut().enumerate() {
            for (to, line) in lines.iter_mut().enumerate().filter(|(_, line)| line.is_some()) {
                if !reads(&|wave| machine.first(wave) == cache, to, 0) {
                    *line = None;
                }
            }
        }
        for (workgroup, lines) in self.second.iter_mut().enumerate() {
            for (to, line) in lines.iter_mut().enumerate().filter(|(_, line)| line.is_some()) {
                let of = |wave: usize| usize::from(machine.waves[wave].workgroup) == workgroup;
                if !machine.hierarchy.second || !reads(&of, to, 1) {
                    *line = None;
                }
            }
        }
        // Where the device's cache is coherent, memory is what it holds.
        for to in 0..self.memory.len() {
            let used =
                left.iter().flatten().any(|&op| [location(op), in_lds(op)].contains(&Some(to as LocationId)));
            if !used || !machine.hierarchy.incoherent_device {
                self.device.iter_mut().for_each(|lines| lines[to] = None);
            }
            if !used {
                self.memory[to] = 0;
            }
        }
    }
}
