//! Barriers, marks, waits.

use super::barrier::Name;
use super::effect::{Here, signed, uniform};
use super::flight::Class;
use super::step::Flow;
use super::wave::{State, Wave};
use super::{Cluster, Executor, Stop};
use wavemark_ir::intrinsic::Barrier as Role;
use wavemark_isa::effects::Counter;
use wavemark_target::Machine;

use crate::Refused;
use crate::finding::Kind;
use crate::lanes::Src;
use crate::meaning::Sync;
use crate::record::What;
use crate::shape::sign_extend;

impl<'r> Executor<'r> {
    pub(super) fn sync(
        &mut self,
        cluster: &mut Cluster,
        group: usize,
        wave: &mut Wave,
        here: &Here<'_>,
        sync: Sync,
        to: u32,
        from: &[Src],
        immediate: u64,
    ) -> Result<Flow, Stop> {
        let index = wave.index;
        let asked = match sync {
            Sync::AwaitMarks => Some(format!("until {immediate} marks are left")),
            Sync::AwaitAsync => Some(format!("until ASYNCcnt is at most {immediate}")),
            Sync::AwaitTensor => Some(format!("until TENSORcnt is at most {immediate}")),
            Sync::AwaitCounters => Some(format!("for the counters in {immediate:#x}")),
            _ => None,
        };
        let site = (here.place.function, here.place.inst);
        if let (Some(record), Some(asked)) = (&mut self.record, asked) {
            record.now(index, site, What::Wait(asked));
        }
        match sync {
            Sync::Barrier(role) => {
                return self.with_barrier(cluster, group, wave, here, role, to, from, immediate);
            }
            Sync::Mark => wave.marks.mark(wavemark_memmodel::asyncmark::Stages::ALL),
            Sync::AwaitMarks => {
                let own = &mut cluster.groups[group];
                self.await_marks(own, wave, immediate);
            }
            Sync::AwaitAsync => {
                let own = &mut cluster.groups[group];
                self.await_counter(own, wave, &[Class::AsyncLoad, Class::AsyncStore], immediate);
            }
            Sync::AwaitTensor => {
                let own = &mut cluster.groups[group];
                self.await_counter(own, wave, &[Class::Tensor], immediate);
            }
            Sync::AwaitCounters => {
                // Other loads count, too, which IR does not order: only a wait for all of them says something.
                if waits_for_all_loads(self.program.target, immediate) {
                    let own = &mut cluster.groups[group];
                    self.await_counter(own, wave, &[Class::LdsDma], 0);
                }
            }
            Sync::Sleep => return Ok(Flow::Yields),
        }
        Ok(Flow::Next)
    }

    fn with_barrier(
        &mut self,
        cluster: &mut Cluster,
        group: usize,
        wave: &mut Wave,
        here: &Here<'_>,
        role: Role,
        to: u32,
        from: &[Src],
        immediate: u64,
    ) -> Result<Flow, Stop> {
        let index = wave.index;
        let mut operand = |wave: &Wave, at: usize, what: &str| match (wave.activations.last(), from.get(at)) {
            (Some(activation), Some(&src)) => uniform(&mut self.findings, &activation.frame, here, src, what),
            _ => 0,
        };
        match role {
            Role::Meet => {
                let barrier = &mut cluster.groups[group].barriers.workgroup;
                barrier.arrive(index, None);
                let completes = barrier.arrived == 0;
                self.tells(wave, here, Name::Workgroup, completes);
                return Ok(self.waits(cluster, group, wave, here, Name::Workgroup));
            }
            Role::Signal | Role::SignalFirst => {
                let number = operand(wave, 0, "the number of the barrier");
                let name = self.numbered(signed(number), here)?;
                let barrier = self.barrier(cluster, group, name);
                let first = barrier.arrived == 0;
                barrier.arrive(index, None);
                let completes = barrier.arrived == 0;
                self.tells(wave, here, name, completes);
                if role == Role::SignalFirst
                    && let Some(activation) = wave.activations.last_mut()
                {
                    activation.frame.fill(to, u64::from(first), here.active);
                }
            }
            Role::SignalCounted => {
                let address = operand(wave, 0, "the named barrier");
                let count = operand(wave, 1, "the number of members");
                let count = Some(count as u32).filter(|&count| count != 0);
                let barrier = self.barrier(cluster, group, Name::Named(address));
                barrier.arrive(index, count);
                let completes = barrier.arrived == 0;
                self.tells(wave, here, Name::Named(address), completes);
            }
            Role::Wait => {
                let name = self.waited_for(sign_extend(immediate, 16), wave, here)?;
                return Ok(self.waits(cluster, group, wave, here, name));
            }
            Role::Join => {
                let address = operand(wave, 0, "the named barrier");
                wave.joined = Some(address);
                self.barrier(cluster, group, Name::Named(address)).join(index);
            }
            Role::Init => {
                let address = operand(wave, 0, "the named barrier");
                let count = operand(wave, 1, "the number of members");
                self.barrier(cluster, group, Name::Named(address)).init(count as u32);
            }
            Role::Leave => {
                if let Some(address) = wave.joined.take() {
                    self.barrier(cluster, group, Name::Named(address)).drop_one();
                }
            }
            Role::State | Role::NamedState => {
                let name = match role {
                    Role::State => {
                        let number = operand(wave, 0, "the number of the barrier");
                        self.numbered(signed(number), here)?
                    }
                    _ => Name::Named(operand(wave, 0, "the named barrier")),
                };
                let barrier = self.barrier(cluster, group, name);
                // CDNA5 manual, S_GET_BARRIER_STATE: valid, member count, signal count.
                let members = barrier.expected.unwrap_or(0);
                let state = u32::from(barrier.expected.is_some())
                    | (members & 0x7f) << 4
                    | (barrier.arrived & 0x7f) << 16;
                if let Some(activation) = wave.activations.last_mut() {
                    activation.frame.fill(to, state.into(), here.active);
                }
            }
            // Not barriers of waves, or refused where they are compiled.
            Role::MeetCluster | Role::ArriveAtCell | Role::ArriveAtCellLater => {}
        }
        Ok(Flow::Next)
    }

    /// Who looks for races, and who records, hears of an arrival.
    fn tells(&mut self, wave: &Wave, here: &Here<'_>, name: Name, completes: bool) {
        if let Some(record) = &mut self.record {
            record.now(wave.index, (here.place.function, here.place.inst), What::Arrival(name));
        }
        let agent = self.agent(wave);
        let Some(races) = &mut self.races else { return };
        races.arrives(agent, name, &here.place);
        if completes {
            races.completes(agent, name);
        }
    }

    /// The barrier that a number is.
    fn numbered(&self, number: i64, here: &Here<'_>) -> Result<Name, Stop> {
        let refused = || Stop::Refused(Refused::new(format!("barrier number {number}")), Some(here.place));
        Name::of_number(number).ok_or_else(refused)
    }

    /// The barrier that a wait for a number is for.
    fn waited_for(&mut self, number: i64, wave: &Wave, here: &Here<'_>) -> Result<Name, Stop> {
        match self.numbered(number, here)? {
            Name::Named(_) => match wave.joined {
                Some(address) => Ok(Name::Named(address)),
                None => {
                    self.findings.add(Kind::Barrier, &[here.place], || {
                        "a named barrier is waited for, and none is joined".to_owned()
                    });
                    Err(Stop::Found)
                }
            },
            name => Ok(name),
        }
    }

    fn barrier<'c>(
        &self,
        cluster: &'c mut Cluster,
        group: usize,
        name: Name,
    ) -> &'c mut wavemark_sim::barrier::Barrier {
        match name {
            Name::Workgroup => &mut cluster.groups[group].barriers.workgroup,
            Name::Cluster => &mut cluster.barrier,
            Name::Named(address) => cluster.groups[group].barriers.named.entry(address).or_default(),
        }
    }

    /// Waits for a barrier, unless its phase has completed.
    fn waits(
        &mut self,
        cluster: &mut Cluster,
        group: usize,
        wave: &mut Wave,
        here: &Here<'_>,
        name: Name,
    ) -> Flow {
        if let Some(record) = &mut self.record {
            record.waits(wave.index, (here.place.function, here.place.inst));
        }
        let agent = self.agent(wave);
        if let Some(races) = &mut self.races {
            races.waits(agent, &here.place);
        }
        if self.passes(cluster, group, wave, name) {
            if let Some(record) = &mut self.record {
                record.passes(wave.index, name);
            }
            return Flow::Next;
        }
        wave.state = State::Waits(name);
        Flow::Yields
    }
}

/// Whether `s_waitcnt` with that operand waits until no vector load is left.
fn waits_for_all_loads(target: Machine, operand: u64) -> bool {
    let parsed = wavemark_isa::parse(target, &format!("s_waitcnt {operand:#x}"), &wavemark_isa::NoSymbols);
    parsed.is_ok_and(|parsed| {
        let waits = wavemark_isa::effects(target, &parsed.inst).waits;
        waits.iter().any(|&(counter, n)| counter == Counter::Vm && n == 0)
    })
}
