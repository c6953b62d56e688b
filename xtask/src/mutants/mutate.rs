//! What can be taken from the synchronisation of a code object, one instruction at a time. Instructions keep their sizes
//! and addresses: what goes becomes `s_nop`.

use std::collections::HashMap;
use std::ops::Range;

use anyhow::{Context, Result, anyhow};
use wavemark_codeobj::CodeObject;
use wavemark_codeobj::elf::shf;
use wavemark_driver::report::Class;
use wavemark_isa::effects::{Barrier, Counter, Effects, Flow, Scope, Verb, effects, with_scope, with_wait};
use wavemark_isa::{Inst, Machine, NoSymbols, decode, encode, parse, print};
use wavemark_sim::modelled;

/// What is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A wait lets one more be in flight.
    WeakerWait,
    /// Nothing is waited for of one counter.
    NoWait,
    /// An instruction of a barrier is gone.
    NoBarrier,
    /// An arrival and the wait behind it are gone.
    NoBarrierPair,
    /// A write-back is gone.
    NoWriteBack,
    /// An invalidate is gone.
    NoInvalidate,
    /// A cache or memory operation reaches one scope less far.
    NarrowerScope,
}

impl Kind {
    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Kind::WeakerWait => "weaker wait",
            Kind::NoWait => "no wait",
            Kind::NoBarrier => "no barrier half",
            Kind::NoBarrierPair => "no barrier",
            Kind::NoWriteBack => "no write-back",
            Kind::NoInvalidate => "no invalidate",
            Kind::NarrowerScope => "narrower scope",
        }
    }

    /// Whether a finding of this class says what was done.
    pub fn is_right(self, class: Class) -> bool {
        use Class::*;
        match self {
            Kind::WeakerWait | Kind::NoWait => matches!(class, MissingWait | MissingSync),
            Kind::NoBarrier | Kind::NoBarrierPair => {
                matches!(class, MissingSync | Barrier | Deadlock | Collective)
            }
            Kind::NoWriteBack => matches!(class, MissingWriteback | MissingScope),
            Kind::NoInvalidate => matches!(class, MissingInvalidate | MissingScope),
            Kind::NarrowerScope => {
                matches!(class, WrongScope | MissingScope | MissingWriteback | MissingInvalidate)
            }
        }
    }
}

/// One change.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// What is taken.
    pub kind: Kind,
    /// Where: the addresses of the instructions.
    pub at: Vec<u64>,
    /// What was done, in words.
    pub text: String,
    /// Bytes of the file, and what becomes of them.
    patches: Vec<(usize, Vec<u8>)>,
}

impl Mutant {
    /// Several changes at once, if there are several: of those to one instruction, the first.
    pub fn together(mutants: &[Mutant]) -> Option<Mutant> {
        let (first, others) = mutants.split_first()?;
        let mut all = first.clone();
        for one in others {
            if !one.at.iter().any(|at| all.at.contains(at)) {
                all.at.extend(&one.at);
                all.patches.extend(one.patches.iter().cloned());
                all.text += "; ";
                all.text += &one.text;
            }
        }
        (all.at.len() > first.at.len()).then_some(all)
    }

    /// The file with the change.
    pub fn apply(&self, file: &[u8]) -> Vec<u8> {
        let mut bytes = file.to_vec();
        for (at, patch) in &self.patches {
            bytes[*at..at + patch.len()].copy_from_slice(patch);
        }
        bytes
    }
}

/// An instruction of a code object.
struct Placed {
    address: u64,
    /// Its bytes in the file.
    bytes: Range<usize>,
    inst: Inst,
    effects: Effects,
}

/// The code of an object.
pub struct Code {
    machine: Machine,
    nop: Vec<u8>,
    placed: Vec<Placed>,
    by_address: HashMap<u64, usize>,
}

impl Code {
    /// Decodes the executable sections; data between the instructions are passed over.
    pub fn read(object: &CodeObject) -> Result<Code> {
        let machine = modelled(Machine::new(object.target().processor))?;
        let nop = parse(machine, "s_nop 0", &NoSymbols).map_err(|error| anyhow!("s_nop 0: {error}"))?;
        let nop = encode(machine, &nop.inst).context("s_nop 0")?.to_vec();
        let mut placed = Vec::new();
        for (index, section) in object.sections.iter().enumerate() {
            if section.flags & shf::EXECINSTR == 0 {
                continue;
            }
            let data = object.section_data(index);
            let start = usize::try_from(section.offset)?;
            let mut at = 0;
            while at < data.len() {
                let Ok(inst) = decode(machine, &data[at..]) else {
                    at += 4;
                    continue;
                };
                let size = usize::from(inst.size);
                placed.push(Placed {
                    address: section.address + at as u64,
                    bytes: start + at..start + at + size,
                    effects: effects(machine, &inst),
                    inst,
                });
                at += size;
            }
        }
        let by_address = placed.iter().enumerate().map(|(index, one)| (one.address, index)).collect();
        Ok(Code { machine, nop, placed, by_address })
    }

    /// Everything that can be taken.
    pub fn mutants(&self) -> Vec<Mutant> {
        let mut mutants = Vec::new();
        for (index, one) in self.placed.iter().enumerate() {
            self.waits(one, &mut mutants);
            self.barriers(index, &mut mutants);
            self.caches(one, &mut mutants);
        }
        mutants
    }

    /// The wait at `address` with the number `n` for `counter`, or with none.
    pub fn changed_wait(&self, address: u64, counter: Counter, n: Option<u32>) -> Option<Mutant> {
        let one = &self.placed[*self.by_address.get(&address)?];
        let kind = if n.is_some() { Kind::WeakerWait } else { Kind::NoWait };
        match with_wait(self.machine, &one.inst, counter, n) {
            Some(inst) => self.replaced(kind, one, &inst),
            // A field that has no number for not waiting: the instruction goes.
            None if n.is_none() && one.effects.waits.len() == 1 => Some(self.removed(kind, &[one])),
            None => None,
        }
    }

    /// The counters that the instruction at `address` waits for.
    pub fn counters_at(&self, address: u64) -> impl Iterator<Item = Counter> + '_ {
        let waits = self.by_address.get(&address).map_or(&[][..], |&index| &self.placed[index].effects.waits);
        waits.iter().map(|&(counter, _)| counter)
    }

    fn waits(&self, one: &Placed, mutants: &mut Vec<Mutant>) {
        for &(counter, n) in &one.effects.waits {
            mutants.extend(self.changed_wait(one.address, counter, Some(n + 1)));
            mutants.extend(self.changed_wait(one.address, counter, None));
        }
        if one.effects.waits_idle {
            mutants.push(self.removed(Kind::NoWait, &[one]));
        }
    }

    fn barriers(&self, index: usize, mutants: &mut Vec<Mutant>) {
        let one = &self.placed[index];
        match one.effects.barrier {
            Some(Barrier::ArriveAndWait) => mutants.push(self.removed(Kind::NoBarrierPair, &[one])),
            Some(Barrier::Signal | Barrier::SignalIsFirst) => {
                mutants.push(self.removed(Kind::NoBarrier, &[one]));
                let behind = self.placed[index..].iter().find(|other| {
                    other.effects.barrier == Some(Barrier::Wait)
                        || !matches!(other.effects.flow, Flow::Next | Flow::Wait | Flow::Barrier)
                });
                if let Some(wait) = behind.filter(|other| other.effects.barrier.is_some()) {
                    mutants.push(self.removed(Kind::NoBarrierPair, &[one, wait]));
                }
            }
            Some(Barrier::Wait) => mutants.push(self.removed(Kind::NoBarrier, &[one])),
            _ => {}
        }
    }

    fn caches(&self, one: &Placed, mutants: &mut Vec<Mutant>) {
        let Some(memory) = &one.effects.memory else { return };
        if let Verb::Cache { invalidate, write_back } = memory.verb {
            if write_back {
                mutants.push(self.removed(Kind::NoWriteBack, &[one]));
            }
            if invalidate {
                mutants.push(self.removed(Kind::NoInvalidate, &[one]));
            }
        }
        if memory.verb == Verb::Prefetch {
            return;
        }
        let narrower = [Scope::Device, Scope::Se, Scope::Cu].into_iter();
        let mut narrower = narrower.filter(|&scope| scope < one.effects.policy.scope);
        let inst = narrower.find_map(|scope| with_scope(self.machine, &one.inst, scope));
        mutants.extend(inst.and_then(|inst| self.replaced(Kind::NarrowerScope, one, &inst)));
    }

    fn removed(&self, kind: Kind, gone: &[&Placed]) -> Mutant {
        let words = |one: &Placed| self.nop.repeat(one.bytes.len() / self.nop.len());
        let text = gone.iter().map(|one| print(self.machine, &one.inst)).collect::<Vec<_>>().join(" and ");
        Mutant {
            kind,
            at: gone.iter().map(|one| one.address).collect(),
            text: format!("{text}: gone"),
            patches: gone.iter().map(|one| (one.bytes.start, words(one))).collect(),
        }
    }

    fn replaced(&self, kind: Kind, one: &Placed, inst: &Inst) -> Option<Mutant> {
        let bytes = encode(self.machine, inst).ok()?;
        let (before, after) = (print(self.machine, &one.inst), print(self.machine, inst));
        (bytes.len() == one.bytes.len()).then(|| Mutant {
            kind,
            at: vec![one.address],
            text: format!("{before}: {after}"),
            patches: vec![(one.bytes.start, bytes.to_vec())],
        })
    }

    /// The addresses of instructions that can be executed after the one at `from`, before one at `from` is again.
    pub fn reachable(&self, from: u64) -> Vec<u64> {
        let mut seen = vec![false; self.placed.len()];
        let mut open: Vec<usize> = self.by_address.get(&from).into_iter().copied().collect();
        let mut found = Vec::new();
        while let Some(index) = open.pop() {
            for next in self.successors(index) {
                if !std::mem::replace(&mut seen[next], true) {
                    found.push(self.placed[next].address);
                    if self.placed[next].address != from {
                        open.push(next);
                    }
                }
            }
        }
        found
    }

    fn successors(&self, index: usize) -> impl Iterator<Item = usize> + '_ {
        let one = &self.placed[index];
        let next = one.effects.flow.next(self.machine, &one.inst, one.address);
        next.into_iter().filter_map(|address| self.by_address.get(&address).copied())
    }
}
