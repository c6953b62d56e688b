//! What waves would know of each other if every barrier and every atomic access ordered all that comes before it: where
//! that is more than they know, something is missing, and here it is known what and where.
//!
//! Of each wave that a wave has met so, directly or through others, it is remembered up to which access, and the first
//! thing on the way that kept it from being known ([`Lack`]): in steps, for what comes behind a release lacks another thing
//! than what comes before it. What is known, or has only not been acquired, the clocks say ([`super::clocks`]).

use std::rc::Rc;

use super::clocks::{Agent, Level};

/// What is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// A release before what hands on.
    Release,
    /// An acquire behind what has heard.
    Acquire,
    /// A scope that reaches so far, of an atomic access.
    Scope,
}

/// That something is missing at an instruction, for waves that are so far apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lack<Site = u32> {
    /// What.
    pub side: Side,
    /// At which instruction.
    pub at: Site,
    /// How far it must reach.
    pub reach: Level,
}

/// What is handed on of a wave.
#[derive(Clone, Copy, Debug)]
pub struct Told {
    /// Of which wave.
    pub wave: u32,
    /// Up to which of its accesses.
    pub seq: u32,
    /// What has kept it from being known so far; of what is missing where it is handed on, the reach is not known yet.
    pub lack: Option<Lack>,
    /// Who hands it on, with which instruction, how far.
    pub by: (Agent, u32, Level),
}

/// A wave that was met.
#[derive(Clone, Copy, Debug)]
struct Met {
    wave: u32,
    seq: u32,
    lack: Lack,
    /// The acquire that would take it: of which reach, behind which instruction; `None` if it is there.
    acquire: Option<(Level, u32)>,
}

/// The waves that a wave has met in vain.
#[derive(Clone, Debug, Default)]
pub struct Meetings {
    /// Ascending by wave and access, of each wave one for each thing that is missing.
    met: Vec<Met>,
    /// What was heard last: who polls hears it again and again.
    last: Option<Rc<Vec<Told>>>,
}

impl Meetings {
    /// The waves, each with up to which access and what is missing.
    pub fn all(&self) -> impl Iterator<Item = (u32, u32, Lack)> + '_ {
        self.met.iter().map(|met| (met.wave, met.seq, met.lack))
    }

    /// What keeps an access of another wave from being known, if that was met.
    pub fn lacks(&self, wave: u32, seq: u32) -> Vec<Lack> {
        let at = self.met.partition_point(|met| (met.wave, met.seq) < (wave, seq));
        let Some(Met { lack, acquire, .. }) = self.met.get(at).filter(|met| met.wave == wave) else {
            return Vec::new();
        };
        let acquire = acquire.filter(|_| lack.side == Side::Release);
        let acquire = acquire.map(|(reach, at)| Lack { side: Side::Acquire, at, reach });
        [Some(*lack), acquire].into_iter().flatten().collect()
    }

    /// It hears what was handed on, with an instruction that reaches so far; whether any of it is new. `knows` says what is
    /// known or waits to be acquired.
    pub fn hear(
        &mut self,
        own: Agent,
        told: &Rc<Vec<Told>>,
        (level, at): (Level, u32),
        knows: impl Fn(u32) -> u32,
    ) -> bool {
        if self.last.as_ref().is_some_and(|last| Rc::ptr_eq(last, told)) {
            return false;
        }
        self.last = Some(Rc::clone(told));
        let mut new = false;
        for &Told { wave, seq, lack, by: (from, with, reach) } in told.iter() {
            let apart = from.apart(own);
            // Where nothing is missing it is heard.
            let is_heard = lack.is_none() && reach.min(level) >= apart;
            if wave == own.wave || is_heard || knows(wave) >= seq {
                continue;
            }
            let lack = match lack {
                Some(lack) if lack.at == with => Lack { reach: apart, ..lack },
                Some(lack) => lack,
                None if reach < apart => Lack { side: Side::Scope, at: with, reach: apart },
                None => Lack { side: Side::Scope, at, reach: apart },
            };
            let met = Met { wave, seq, lack, acquire: Some((apart, at)) };
            new |= self.note(met, knows(wave));
        }
        new
    }

    /// One more, of a wave that is known up to `known`; whether it is new.
    fn note(&mut self, new: Met, known: u32) -> bool {
        let from = self.met.partition_point(|met| met.wave < new.wave);
        let to = from + self.met[from..].partition_point(|met| met.wave == new.wave);
        let of_wave = &self.met[from..to];
        let same = |met: &&Met| (met.lack.side, met.lack.at) == (new.lack.side, new.lack.at);
        if of_wave.iter().any(|met| met.seq == new.seq)
            || of_wave.iter().any(|met| same(&met) && met.seq > new.seq)
        {
            return false;
        }
        let mut steps: Vec<Met> =
            of_wave.iter().filter(|met| met.seq > known && !same(met)).copied().collect();
        let at = steps.partition_point(|met| met.seq < new.seq);
        steps.insert(at, new);
        self.met.splice(from..to, steps);
        true
    }

    /// It acquires, as far as `level` reaches.
    pub fn acquire(&mut self, level: Level) {
        for met in &mut self.met {
            met.acquire = met.acquire.filter(|(reach, _)| *reach > level);
        }
    }
}

/// What several have handed on: ascending by wave and access.
pub fn join(told: &mut Vec<Told>, more: &[Told]) {
    for &new in more {
        let from = told.partition_point(|one| one.wave < new.wave);
        let to = from + told[from..].partition_point(|one| one.wave == new.wave);
        let is_own = |one: &Told| one.wave == one.by.0.wave;
        // Where nothing is missing, or the wave itself says it, that is better.
        let is_met_by = |new: &Told, old: &Told| {
            let same = old.lack.zip(new.lack).is_some_and(|(a, b)| (a.side, a.at) == (b.side, b.at));
            old.seq >= new.seq && (old.lack.is_none() || same || old.seq == new.seq && !is_own(new))
        };
        if told[from..to].iter().any(|old| is_met_by(&new, old)) {
            continue;
        }
        let mut steps: Vec<Told> = told[from..to]
            .iter()
            .filter(|old| !is_met_by(old, &new) && old.seq != new.seq)
            .copied()
            .collect();
        let at = steps.partition_point(|one| one.seq < new.seq);
        steps.insert(at, new);
        told.splice(from..to, steps);
    }
}
