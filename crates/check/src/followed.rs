//! Loads whose values are followed from the beginning.
//!
//! That a load races is often found when a later write meets it: its value is gone by then, and only what the code may do with
//! it is known ([`crate::uses`]). So the outcome of a run in which such a race was reported says of which instructions the loads are
//! ([`Unfollowed`]), and the same run once more, told of them, marks what each of them loads ([`crate::taint`]): a race is
//! reported if its own load's value has been of use, or as soon as it is.
//!
//! It is exact in lanes that drop a value and in EXEC. It is not told which lanes of a load race: the use of any is one.

use rustc_hash::{FxHashMap, FxHashSet};
use wavemark_order::Epoch;
use wavemark_sim::events::{Access, Direction};

use crate::Checker;
use crate::shadow::Record;
use crate::site_info::{RegRange, SiteId, VGPR0};
use crate::taint::{Suspicion, all_bits};

/// Instructions, by their addresses, that have raced as loads with a later write while nobody followed what became of the
/// values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unfollowed(FxHashSet<u64>);

impl Unfollowed {
    /// There are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The loads that are followed, and those that should have been.
#[derive(Debug, Default)]
pub(crate) struct Followed {
    loads: Unfollowed,
    /// Where the values of loads were of use first.
    used: FxHashMap<Epoch, SiteId>,
    /// Those that should have been.
    pub unfollowed: Unfollowed,
}

impl Followed {
    /// No load is.
    pub fn is_empty(&self) -> bool {
        self.loads.is_empty()
    }
}

impl Checker {
    /// With a part of the run's loads followed.
    #[must_use]
    pub fn following(mut self, loads: Unfollowed) -> Checker {
        self.followed.loads = loads;
        self
    }

    /// Whether it is known of a load if its value is of use: its registers are all that it writes.
    pub(crate) fn is_followed(&self, load: &Record) -> bool {
        load.is_plain() && self.follows_loads_at(self.sites.get(load.site).site.pc)
    }

    /// Whether the loads of the instruction at an address are followed.
    pub(crate) fn follows_loads_at(&self, pc: u64) -> bool {
        self.followed.loads.0.contains(&pc)
    }

    /// A race of a load was reported by what the code may do with its value.
    pub(crate) fn note_unfollowed(&mut self, load: &Record) {
        if load.is_plain() {
            self.followed.unfollowed.0.insert(self.sites.get(load.site).site.pc);
        }
    }

    /// Where the value of a load was of use.
    pub(crate) fn use_of(&self, load: &Record) -> Option<SiteId> {
        self.followed.used.get(&load.epoch).copied()
    }

    /// A wave accesses memory: what it loads is followed if that is wanted.
    pub(crate) fn follow_load(&mut self, wave: u32, site: SiteId, epoch: Epoch, access: &Access) {
        let info = self.sites.get(site);
        if access.direction != Direction::Read || !self.follows_loads_at(info.site.pc) {
            return;
        }
        let Some(state) = self.waves.get_mut(wave) else { return };
        let of = state.taint.suspect(Suspicion { instance: Some(epoch), ..Suspicion::of(site) });
        for register in info.writes().flat_map(RegRange::numbers) {
            let bits = if register < VGPR0 { all_bits(register) } else { access.extent.lanes() };
            state.taint.mark(register, bits, of);
        }
    }

    /// What a load has loaded comes to a place where it may be of use.
    pub(crate) fn settle_followed(&mut self, wave: u32, site: SiteId, of: usize, load: Epoch) {
        self.followed.used.insert(load, site);
        let Some(state) = self.waves.get_mut(wave) else { return };
        state.taint.settle(of);
        let races = std::mem::take(&mut state.unused_loads);
        let (used, unused): (Vec<_>, Vec<_>) = races.into_iter().partition(|race| race.load.epoch == load);
        state.unused_loads = unused;
        for race in used {
            self.report_used(race, Some(site));
        }
    }
}
