//! What happens where a wave issues an instruction.

use super::Op;
use super::state::{Machine, Pending, State};
use crate::barrier;
use crate::litmus::{LocationId, Register};

impl State {
    /// The states behind the issue of a wave's next instruction.
    pub(super) fn issue(&self, machine: &Machine, wave: usize, steps: &mut Vec<State>) {
        let at = self.waves[wave].at;
        let op = machine.op(wave, at);
        let mut next = self.clone();
        next.waves[wave].at += 1;
        let first = machine.first(wave);
        let pending = |near: bool| Pending { op: at, near, held: None };
        match op {
            Op::Wait(waits) => {
                let waited = |one: &Pending| match machine.op(wave, one.op) {
                    Op::Load(..) | Op::Update(Some(_), ..) => waits.loads,
                    Op::Store(..) | Op::Update(None, ..) | Op::WriteBack => waits.stores,
                    Op::Copy(copy) => copy.is_waited_for(waits),
                    _ => waits.lds,
                };
                if !self.waves[wave].pending.iter().any(waited) {
                    steps.push(next);
                }
            }
            Op::Unless(register, value) => match self.waves[wave].registers[usize::from(register)] {
                None => {}
                Some(held) if held == value => steps.push(next),
                Some(_) => {
                    next.waves[wave].at = machine.waves[wave].ops.len() as u8;
                    steps.push(next);
                }
            },
            Op::Invalidate(level) => {
                let workgroup = usize::from(machine.waves[wave].workgroup);
                if level > 0 {
                    next.first[first].fill(None);
                }
                if level > 1 {
                    next.second[workgroup].fill(None);
                }
                if level > 2 {
                    next.drop_clean_lines(machine, wave);
                }
                steps.push(next);
            }
            Op::InvalidateSecond => {
                next.second[usize::from(machine.waves[wave].workgroup)].fill(None);
                steps.push(next);
            }
            Op::InvalidateDevice => {
                next.drop_clean_lines(machine, wave);
                steps.push(next);
            }
            Op::Load(register, location, 0) if !machine.hierarchy.ports => {
                // What the first level may answer is answered in the order of issue.
                let line = self.first[first][usize::from(location)];
                if let Some(value) = line {
                    let mut hit = next.clone();
                    hit.waves[wave].registers[usize::from(register)] = Some(value);
                    steps.push(hit);
                }
                let on_its_way = |&(of, index): &(u8, u8)| matches!(machine.op(usize::from(of), index), Op::Store(to, ..) if to == location);
                if !self.stores[first].iter().any(on_its_way) {
                    for (mut filled, value) in next.fetch(machine, wave, location, 1) {
                        filled.first[first][usize::from(location)] = Some(value);
                        filled.waves[wave].registers[usize::from(register)] = Some(value);
                        steps.push(filled);
                    }
                }
            }
            Op::Store(location, value, _) => {
                let Some(value) = self.value(wave, value) else { return };
                let near = !machine.hierarchy.ports;
                if near {
                    next.reach_first(machine, wave, at, (location, value));
                }
                next.waves[wave].pending.push(pending(near));
                steps.push(next);
            }
            Op::Load(register, ..)
            | Op::LdsLoad(register, _)
            | Op::Update(Some(register), ..)
            | Op::LdsUpdate(Some(register), ..) => {
                next.waves[wave].registers[usize::from(register)] = None;
                next.waves[wave].pending.push(pending(true));
                steps.push(next);
            }
            Op::LdsStore(..)
            | Op::Update(None, ..)
            | Op::LdsUpdate(None, ..)
            | Op::WriteBack
            | Op::Copy(_) => {
                next.waves[wave].pending.push(pending(true));
                steps.push(next);
            }
            Op::Barrier(operation, register) => self.barrier(next, wave, operation, register, steps),
            Op::LeaveBarrier => {
                if let Some(object) = self.barriers.joined(wave as u8) {
                    self.barrier(next, wave, barrier::Operation::Drop(object), None, steps);
                }
            }
        }
    }

    /// The states behind a barrier operation, each `next` but for what it does.
    fn barrier(
        &self,
        next: State,
        wave: usize,
        operation: barrier::Operation,
        register: Option<Register>,
        steps: &mut Vec<State>,
    ) {
        for step in self.barriers.step(wave as u8, operation) {
            let barrier::machine::Step::Goes(machine, seen) = step else { continue };
            let mut next = next.clone();
            next.barriers = *machine;
            if let Some(register) = register {
                next.waves[wave].registers[usize::from(register)] = Some(seen.first.into());
            }
            steps.push(next);
        }
    }

    /// A store reaches the first-level cache of its wave, and is on its way further out.
    pub(super) fn reach_first(
        &mut self,
        machine: &Machine,
        wave: usize,
        op: u8,
        (location, value): (LocationId, i64),
    ) {
        let first = machine.first(wave);
        self.first[first][usize::from(location)] = Some(value);
        self.second[usize::from(machine.waves[wave].workgroup)][usize::from(location)] = None;
        self.stores[first].push((wave as u8, op));
    }

    fn drop_clean_lines(&mut self, machine: &Machine, wave: usize) {
        let lines = &mut self.device[usize::from(machine.waves[wave].device)];
        lines.iter_mut().filter(|line| line.is_some_and(|(_, dirty)| !dirty)).for_each(|line| *line = None);
    }
}
