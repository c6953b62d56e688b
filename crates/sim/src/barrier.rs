//! Barrier objects: the arrive and expected counts, phases, and who may leave a wait.
//!
//! The state machine is that of AMDGPU Execution Synchronization ("spec/amdgpu-execution-synchronization"),
//! with these readings: a wait binds to the phase of the wave's own last arrival, and without one to the
//! oldest completed phase that the wave has not waited for; joining a named barrier forgets its completed
//! phases. Undefined uses are not judged here: the machine does what hardware would and the events tell.

use rustc_hash::FxHashMap;

use crate::events::WaveIndex;

/// One wave's view of a barrier object.
#[derive(Clone, Copy, Debug, Default)]
struct View {
    /// Phases below this number can no longer be waited for.
    consumed: u32,
    /// The phase that the wave's last arrival belongs to.
    arrived_in: Option<u32>,
}

/// A barrier object.
#[derive(Clone, Debug, Default)]
pub struct Barrier {
    /// How many arrivals complete a phase; `None` before `s_barrier_init`.
    pub expected: Option<u32>,
    /// Arrivals in the open phase.
    pub arrived: u32,
    /// Number of the open phase, which is also how many have completed.
    pub phase: u32,
    views: FxHashMap<WaveIndex, View>,
}

impl Barrier {
    /// A barrier whose expected count is known from the launch.
    pub fn with_expected(expected: u32) -> Self {
        Barrier { expected: Some(expected), ..Barrier::default() }
    }

    /// `s_barrier_init`: set the expected count, forget arrivals.
    pub fn init(&mut self, expected: u32) {
        self.expected = Some(expected);
        self.arrived = 0;
    }

    /// `s_barrier_join`: `wave` will wait for phases from the open one on.
    pub fn join(&mut self, wave: WaveIndex) {
        self.views.insert(wave, View { consumed: self.phase, arrived_in: None });
    }

    /// Arrive. The number of the phase if it is complete with this.
    pub fn arrive(&mut self, wave: WaveIndex, count: Option<u32>) -> Option<u32> {
        if let Some(count) = count {
            self.expected = Some(count);
        }
        self.arrived += 1;
        self.views.entry(wave).or_default().arrived_in = Some(self.phase);
        self.complete_if_full()
    }

    /// Drop: one arrival less is expected. The number of the phase if it is complete with this.
    pub fn drop_one(&mut self) -> Option<u32> {
        self.expected = self.expected.map(|e| e.saturating_sub(1));
        if self.arrived == 0 { None } else { self.complete_if_full() }
    }

    fn complete_if_full(&mut self) -> Option<u32> {
        if Some(self.arrived) != self.expected {
            return None;
        }
        self.arrived = 0;
        self.phase += 1;
        Some(self.phase - 1)
    }

    /// Whether a wait of `wave` would end now.
    pub fn can_pass(&self, wave: WaveIndex) -> bool {
        let view = self.views.get(&wave).copied().unwrap_or_default();
        view.arrived_in.unwrap_or(view.consumed).max(view.consumed) < self.phase
    }

    /// The phase that a wait of `wave` would bind to now, or `None` if it must wait.
    pub fn wait(&mut self, wave: WaveIndex) -> Option<u32> {
        let phase = self.phase;
        let view = self.views.entry(wave).or_default();
        let bound = view.arrived_in.unwrap_or(view.consumed).max(view.consumed);
        if bound >= phase {
            return None;
        }
        *view = View { consumed: bound + 1, arrived_in: None };
        Some(bound)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_binds_to_the_phase_of_its_own_arrival() {
        let mut b = Barrier::with_expected(2);
        assert_eq!(b.arrive(0, None), None);
        assert_eq!(b.wait(0), None);
        assert_eq!(b.arrive(1, None), Some(0));
        assert_eq!(b.wait(0), Some(0));
        assert_eq!(b.arrive(0, None), None);
        assert_eq!(b.wait(0), None, "the second phase is open");
        assert_eq!(b.wait(1), Some(0));
    }

    #[test]
    fn a_wait_without_arrival_takes_the_oldest_phase() {
        let mut b = Barrier::with_expected(1);
        b.arrive(0, None);
        b.arrive(0, None);
        assert_eq!(b.wait(1), Some(0));
        assert_eq!(b.wait(1), Some(1));
        assert_eq!(b.wait(1), None);
    }

    #[test]
    fn join_forgets_and_drop_completes() {
        let mut b = Barrier::with_expected(2);
        b.arrive(0, None);
        assert_eq!(b.drop_one(), Some(0));
        b.join(5);
        assert_eq!(b.wait(5), None);
        let mut c = Barrier::with_expected(1);
        assert_eq!(c.drop_one(), None, "nobody arrived");
    }
}
