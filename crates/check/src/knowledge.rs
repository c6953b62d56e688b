//! What a wave knows of operations: clocks of what was issued, of what is over, and of where its effect can be seen.
//!
//! That an operation is over and comes before another says nothing of caches. A store is seen by other workgroups once
//! it has reached the caches that both share: by its own scope, or by a write-back that the wave has waited for
//! ([`Knowledge::written_back`]). A plain load sees it if the caches on its way hold nothing older: those of a wave are
//! shared by its workgroup, unless that may be on several CUs, and an invalidate empties them ([`Knowledge::relied`] against
//! [`Knowledge::acquired`]). Those behind them are the same for a cluster: what one wave has emptied there is new for the
//! others ([`Knowledge::shared`]). Barriers and flags hand all of this on and lift nothing. (LLVM guide, "Memory Model GFX942"
//! and "GFX12"; "synchronisation", 5.4.)
//!
//! What it does not tell apart: the caches of a shader engine from those of a CU. Both are written through, so that a
//! store of any scope is seen in its cluster once it is retired.

use wavemark_order::{Clock, Epoch};
use wavemark_sim::events::{CHANNELS, Scope, WaveId};

/// A clock over waves and their channels, and one more for their barrier operations.
pub type WaveClock = Clock<{ CHANNELS + 1 }>;

/// The channel that barrier operations are numbered on.
pub const BARRIERS: u8 = CHANNELS as u8;

/// What a wave knows, or what one hands on.
#[derive(Clone, Debug, Default)]
pub struct Knowledge {
    /// Issued, or executed before: what barriers and atomics order.
    pub issued: WaveClock,
    /// Retired and ordered, and not hidden from plain loads by what their caches held before.
    pub relied: WaveClock,
    /// Retired and ordered, and not hidden by what the caches hold that the cluster shares; those of the compute unit may still
    /// hold what was there before.
    pub shared: WaveClock,
    /// Retired and ordered; plain loads may still find what was there before.
    pub acquired: WaveClock,
    /// Written back so far that all of the device sees it.
    pub written_back: WaveClock,
    /// Of what one hands on: done before it by other waves of its workgroup, though no wait of theirs has seen to it.
    pub performed: WaveClock,
}

impl Knowledge {
    /// Forget the waves that `which` does not accept; whether any is left.
    pub fn retain(&mut self, which: impl Fn(u32) -> bool + Copy) -> bool {
        let Knowledge { issued, relied, shared, acquired, written_back, performed } = self;
        let clocks = [issued, relied, shared, acquired, written_back, performed];
        clocks.into_iter().fold(false, |any, clock| {
            clock.retain(which);
            any || !clock.is_empty()
        })
    }

    /// Learn what a wave hands on that shares no more than `common` with this one: where its caches are others, they may be
    /// emptied, and one's own are not. Whether any of it is new.
    pub fn learn(&mut self, other: &Knowledge, common: Scope) -> bool {
        let new = self.issued.join(&other.issued)
            | self.acquired.join(&other.acquired)
            | self.written_back.join(&other.written_back);
        match common {
            Scope::Cu => new | self.relied.join(&other.relied) | self.shared.join(&other.shared),
            Scope::Se => {
                new | self.learn_hidden(other)
                    | self.shared.join(&other.relied)
                    | self.shared.join(&other.shared)
            }
            Scope::Device | Scope::System => new | self.learn_hidden(other),
        }
    }

    /// Learn what one's own caches may still hide.
    fn learn_hidden(&mut self, other: &Knowledge) -> bool {
        self.acquired.join(&other.relied) | self.acquired.join(&other.performed)
    }

    /// The same of waves whose numbers are higher by so much.
    #[must_use]
    pub fn moved(&self, by: u32) -> Knowledge {
        let Knowledge { issued, relied, shared, acquired, written_back, performed } = self;
        let [issued, relied, shared, acquired, written_back, performed] =
            [issued, relied, shared, acquired, written_back, performed].map(|clock| clock.moved(by));
        Knowledge { issued, relied, shared, acquired, written_back, performed }
    }

    /// Whether what `publisher` knew when it handed this on is known: what a wave hands on grows with each operation that it
    /// issues, and is handed on as a whole.
    pub fn includes_of(&self, other: &Knowledge, publisher: u32) -> bool {
        self.issued.includes_of(&other.issued, publisher)
    }

    /// Whether the operation is over and comes before what the wave does next.
    #[inline]
    pub fn is_ordered(&self, operation: Epoch) -> bool {
        self.relied.knows(operation) || self.acquired.knows(operation)
    }

    /// All that [`Knowledge::is_ordered`] says yes to, of the waves that `which` accepts.
    pub fn ordered(&self, which: impl Fn(u32) -> bool + Copy) -> WaveClock {
        let mut all = WaveClock::new();
        all.join_where(&self.relied, which);
        all.join_where(&self.acquired, which);
        all
    }

    /// The caches up to a scope are empty: plain loads see what the waves that `which` accepts have done, those within it; and
    /// what the caches behind are as new as, unless even the compute unit's own have kept what they held.
    pub fn invalidate(&mut self, scope: Scope, which: impl Fn(u32) -> bool) {
        self.relied.join_where(&self.acquired, which);
        if scope > Scope::Cu {
            self.relied.join(&self.shared);
        }
    }
}

/// The narrowest scope that two waves share. Where a workgroup may be spread over CUs (WGP mode, `tg_split`), none of its
/// waves can rely on being on another's: they share what a shader array does, which is what the workgroup scope of these
/// modes reaches (LLVM guide, "Memory Model GFX90A", "GFX10-GFX11", "GFX12").
pub fn common_scope(a: WaveId, b: WaveId) -> Scope {
    if a.index == b.index || a.workgroup_flat == b.workgroup_flat && !a.split {
        Scope::Cu
    } else if a.cluster_flat == b.cluster_flat {
        Scope::Se
    } else {
        Scope::Device
    }
}
