//! How an earlier access stands to a later one.
//!
//! An earlier access is ordered before a new one if the new one's wave knows that it is over: the earlier operation
//! was retired by a wait before it was published ("synchronisation", 5.2), or its pipe keeps the order. A store that is
//! over may still be hidden by caches, on its own side or on the new one's ([`crate::knowledge`]).
//!
//! Waves of one compute unit share a cache that keeps, on most processors, the order in which their vector accesses to
//! global memory were issued: there it is enough that the new one's wave knows the earlier one to be issued (LLVM guide,
//! "Memory Model GFX90A": a release at workgroup scope omits vmcnt without tgsplit, and likewise in CU mode of GFX10 to
//! GFX12). A copy from LDS reads it at a time of its own, so that its store is no such access.

use wavemark_order::Epoch;
use wavemark_sim::events::{CHANNELS, Channel, Direction, Scope, Space, WaveId};
use wavemark_sim::queue::ordered as pipe_ordered;
use wavemark_target::Facts;

use crate::knowledge::{BARRIERS, Knowledge, WaveClock, common_scope};
use crate::shadow::Record;
use crate::wave_state::WaveState;
use crate::waves::Waves;

/// The channel by number.
pub(crate) fn channel(number: u8) -> Channel {
    Channel::ALL[usize::from(number)]
}

/// How an earlier access stands to a new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    /// It is over, and the new one finds its effect.
    Ordered,
    /// Nothing but the order in which a wave's tensor transfers, or its copies to LDS that vmcnt counts, land orders the two.
    InOrder,
    /// Nothing orders the two.
    Unordered,
    /// The same in LDS, and the later one's wave knows of nothing that the earlier one's has done.
    Unknown,
    /// Nothing orders the two, and they are atomics that are no such to each other: a scope is too narrow.
    Apart,
    /// A store that is over, but not written back as far as the two waves are apart.
    NotWrittenBack,
    /// A store that is over, while the new one's caches may hold what was there before.
    Stale,
}

/// An access that is being checked.
#[derive(Clone, Copy)]
pub(crate) struct Later {
    /// Whose.
    pub wave: WaveId,
    /// As it will be remembered, but for bytes and value.
    pub record: Record,
    /// The queue that orders it.
    pub channel: Channel,
    /// Where.
    pub space: Space,
    /// What.
    pub direction: Direction,
    /// Dwords of a lane's data.
    pub dwords: u32,
}

impl Later {
    /// It only reads, so that what caches hold matters.
    fn reads(&self) -> bool {
        self.direction == Direction::Read
    }

    /// It is a load into registers, or an atomic that is no more than one.
    pub fn loads_registers(&self) -> bool {
        (self.reads() || self.record.keeps) && !self.record.dma
    }
}

/// What the wave of the later one of two accesses knows.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    /// Of all operations.
    pub known: &'a Knowledge,
    /// Its own that are retired, by channel.
    pub retired: &'a [u32; CHANNELS],
    /// What was over when the scalar cache was last emptied.
    pub scalar_fresh: &'a WaveClock,
    /// By how much the numbers of waves are higher than those that it is known under.
    pub by: u32,
}

impl<'a> View<'a> {
    /// What a wave knows.
    pub fn of(state: &'a WaveState) -> View<'a> {
        let WaveState { known, retired, scalar_fresh, .. } = state;
        View { known, retired, scalar_fresh, by: 0 }
    }
}

/// What tells how accesses stand to each other.
#[derive(Clone, Copy)]
pub(crate) struct Order<'a> {
    /// What the wave of the later one knows.
    pub view: View<'a>,
    /// All waves.
    pub waves: &'a Waves,
    /// The machine's facts.
    pub facts: &'static Facts,
}

impl Order<'_> {
    /// How `earlier`, a write or (`!write_first`) a read, stands to `later`.
    pub fn relation(&self, earlier: &Record, later: &Later, write_first: bool) -> Relation {
        let View { known, retired, scalar_fresh, by } = self.view;
        let scope = later.record.scope;
        let own = earlier.epoch.agent == later.wave.index;
        let common = match self.waves.id(earlier.epoch.agent) {
            _ if later.space == Space::Lds => Scope::Cu,
            Some(other) => common_scope(later.wave, other),
            None => Scope::System,
        };
        // As it is known; nothing is of waves before the first one.
        let old = Epoch { agent: earlier.epoch.agent.wrapping_sub(by), ..earlier.epoch };
        let is_same = earlier.epoch == later.record.epoch;
        let kept_in_order = || {
            is_same
                || retired[usize::from(old.channel)] >= old.seq
                || pipe_ordered(channel(old.channel), later.channel, later.space)
        };
        let lands_in_order = matches!(later.channel, Channel::Td | Channel::Vm);
        if own
            && !is_same
            && later.space == Space::Lds
            && lands_in_order
            && channel(old.channel) == later.channel
            && retired[usize::from(old.channel)] < old.seq
        {
            return Relation::InOrder;
        }
        let in_order = own && kept_in_order();
        let cache_in_order = || {
            let vector = |channel| matches!(channel, Channel::Ld | Channel::St | Channel::Vm);
            self.facts.cu_keeps_order
                && (later.space, common) == (Space::Global, Scope::Cu)
                && vector(channel(old.channel))
                && vector(later.channel)
                && !(write_first && earlier.dma)
                && known.issued.knows(old)
        };
        if !(known.is_ordered(old) || in_order || cache_in_order()) {
            let too_narrow = earlier.atomic && earlier.scope.min(scope) < common;
            let knows_of_wave = || (0..=BARRIERS).any(|channel| known.issued.get(old.agent, channel) > 0);
            return match () {
                _ if too_narrow && (later.record.atomic || later.reads()) => Relation::Apart,
                _ if own || later.space != Space::Lds || knows_of_wave() => Relation::Unordered,
                _ => Relation::Unknown,
            };
        }
        if !write_first || later.space == Space::Lds {
            return Relation::Ordered;
        }
        // The scalar cache is no way of vector stores, the wave's own included (CDNA5 ISA 4.1.1).
        if later.channel == Channel::Sm && scope == Scope::Cu && !scalar_fresh.knows(old) {
            return Relation::Stale;
        }
        if own {
            return Relation::Ordered;
        }
        let written_back = earlier.scope >= common || known.written_back.knows(old);
        if common >= Scope::Device && self.facts.several_l2 && !written_back {
            return Relation::NotWrittenBack;
        }
        if later.reads() && scope < common && !known.relied.knows(old) {
            return Relation::Stale;
        }
        Relation::Ordered
    }
}
