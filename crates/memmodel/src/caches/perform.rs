//! What happens where an access in flight reaches the caches that it is for.

use super::state::{Machine, Pending, State};
use super::{Copy, Op};
use crate::litmus::{LocationId, Update};

impl State {
    /// The states behind the next moment of an access in flight.
    pub(super) fn perform(&self, machine: &Machine, wave: usize, number: usize, steps: &mut Vec<State>) {
        let own = &self.waves[wave];
        let Pending { op: index, near, held } = own.pending[number];
        let op = machine.op(wave, index);
        let earlier = || own.pending[..number].iter().map(|one| machine.op(wave, one.op));
        let mut next = self.clone();
        next.waves[wave].pending.remove(number);
        let first = machine.first(wave);
        let same = |location: LocationId| {
            move |op: Op| match op {
                Op::Load(_, other, _) | Op::Store(other, ..) | Op::Update(_, other, ..) => other == location,
                _ => false,
            }
        };
        let is_lds = |op: Op| matches!(op, Op::LdsLoad(..) | Op::LdsStore(..) | Op::LdsUpdate(..));
        // One wave's accesses to a location are in order; so are stores to it from one first-level cache. A store that the
        // wave itself issued behind this access waits for it, not the other way round.
        let store_before = |location: LocationId| {
            self.stores[first]
                .iter()
                .take_while(|&&(of, at)| usize::from(of) != wave || at < index)
                .any(|&(of, at)| same(location)(machine.op(usize::from(of), at)))
        };
        match op {
            Op::Load(register, location, 0) => {
                // The first-level cache has what a store has brought there.
                let there = |one: &Pending| matches!(machine.op(wave, one.op), Op::Store(..)) && one.near;
                let mut before = own.pending[..number].iter().filter(|one| !there(one));
                if before.any(|one| same(location)(machine.op(wave, one.op))) {
                    return;
                }
                if let Some(value) = self.first[first][usize::from(location)] {
                    let mut hit = next.clone();
                    hit.waves[wave].registers[usize::from(register)] = Some(value);
                    steps.push(hit);
                }
                if store_before(location) {
                    return;
                }
                for (mut filled, value) in next.fetch(machine, wave, location, 1) {
                    filled.first[first][usize::from(location)] = Some(value);
                    filled.waves[wave].registers[usize::from(register)] = Some(value);
                    steps.push(filled);
                }
            }
            Op::Load(register, location, level) => {
                if earlier().any(same(location)) || store_before(location) {
                    return;
                }
                for (mut filled, value) in next.fetch(machine, wave, location, level) {
                    filled.waves[wave].registers[usize::from(register)] = Some(value);
                    steps.push(filled);
                }
            }
            Op::Store(location, value, _) if !near => {
                let Some(value) = self.value(wave, value) else { return };
                if earlier().any(same(location)) {
                    return;
                }
                let mut near = self.clone();
                near.waves[wave].pending[number].near = true;
                near.reach_first(machine, wave, index, (location, value));
                steps.push(near);
            }
            Op::Store(location, value, level) => {
                let Some(value) = self.value(wave, value) else { return };
                if earlier().any(same(location)) || store_before(location) {
                    return;
                }
                next.stores[first].retain(|&(of, at)| (usize::from(of), at) != (wave, index));
                next.write(machine, wave, location, value, level);
                steps.push(next);
            }
            Op::Update(register, location, update, value, level) => {
                if earlier().any(same(location)) || store_before(location) {
                    return;
                }
                let Some(operand) = self.value(wave, value) else { return };
                for (mut filled, old) in next.fetch(machine, wave, location, level.max(2)) {
                    // An atomic is performed on what is current at its level.
                    let device = usize::from(machine.waves[wave].device);
                    let dirty = self.device[device][usize::from(location)].is_some_and(|(_, dirty)| dirty);
                    if level > 2
                        && machine.keeps(location)
                        && !dirty
                        && old != self.memory[usize::from(location)]
                    {
                        continue;
                    }
                    let new = match update {
                        Update::Add => old.wrapping_add(operand),
                        Update::Exchange => operand,
                    };
                    filled.first[first][usize::from(location)] = None;
                    filled.second[usize::from(machine.waves[wave].workgroup)][usize::from(location)] = None;
                    if let Some(register) = register {
                        filled.waves[wave].registers[usize::from(register)] = Some(old);
                    }
                    filled.write(machine, wave, location, new, level);
                    steps.push(filled);
                }
            }
            Op::LdsLoad(register, location) => {
                if !earlier().any(is_lds) {
                    next.waves[wave].registers[usize::from(register)] =
                        Some(self.memory[usize::from(location)]);
                    steps.push(next);
                }
            }
            Op::LdsStore(location, value) => {
                let Some(value) = self.value(wave, value).filter(|_| !earlier().any(is_lds)) else { return };
                next.memory[usize::from(location)] = value;
                steps.push(next);
            }
            Op::LdsUpdate(register, location, update, value) => {
                let Some(operand) = self.value(wave, value).filter(|_| !earlier().any(is_lds)) else {
                    return;
                };
                let old = self.memory[usize::from(location)];
                if let Some(register) = register {
                    next.waves[wave].registers[usize::from(register)] = Some(old);
                }
                next.memory[usize::from(location)] = match update {
                    Update::Add => old.wrapping_add(operand),
                    Update::Exchange => operand,
                };
                steps.push(next);
            }
            Op::Copy(copy) => match held {
                None => self.read_of_copy(machine, wave, number, copy, steps),
                Some(value) if copy.to_lds => {
                    next.memory[usize::from(copy.lds)] = value;
                    steps.push(next);
                }
                Some(value) => {
                    next.write(machine, wave, copy.global, value, copy.level);
                    steps.push(next);
                }
            },
            Op::WriteBack => {
                // What its wave stored before goes first.
                let in_order = machine.hierarchy.write_back_in_order;
                if in_order && earlier().any(|op| matches!(op, Op::Store(..))) {
                    return;
                }
                let device = usize::from(machine.waves[wave].device);
                for location in 0..next.memory.len() {
                    if let Some((value, true)) = next.device[device][location] {
                        next.memory[location] = value;
                        next.device[device][location] = Some((value, false));
                    }
                }
                steps.push(next);
            }
            Op::Wait(_)
            | Op::Invalidate(_)
            | Op::InvalidateSecond
            | Op::InvalidateDevice
            | Op::Unless(..)
            | Op::Barrier(..)
            | Op::LeaveBarrier => unreachable!("they are not in flight"),
        }
    }

    /// The states behind the first moment of a copy: it holds what it has read.
    fn read_of_copy(
        &self,
        machine: &Machine,
        wave: usize,
        number: usize,
        copy: Copy,
        steps: &mut Vec<State>,
    ) {
        let mut read = |mut state: State, value: i64| {
            state.waves[wave].pending[number].held = Some(value);
            steps.push(state);
        };
        if !copy.to_lds {
            read(self.clone(), self.memory[usize::from(copy.lds)]);
            return;
        }
        let at = usize::from(copy.global);
        let first = machine.first(wave);
        if copy.level == 0
            && let Some(value) = self.first[first][at]
        {
            read(self.clone(), value);
        }
        for (state, value) in self.fetch(machine, wave, copy.global, copy.level.max(1)) {
            if copy.level == 0 {
                let mut filled = state.clone();
                filled.first[first][at] = Some(value);
                read(filled, value);
            }
            read(state, value);
        }
    }
}
