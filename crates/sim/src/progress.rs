//! How far runs are, for somebody who watches from another thread.

use std::sync::atomic::{AtomicU64, Ordering};

/// Workgroups of all runs that share it. It says nothing to the runs, and they make nothing depend on it.
#[derive(Debug, Default)]
pub struct Progress {
    expected: AtomicU64,
    ended: AtomicU64,
}

impl Progress {
    /// A run of `workgroups` begins.
    pub fn expect(&self, workgroups: u64) {
        self.expected.fetch_add(workgroups, Ordering::Relaxed);
    }

    /// A workgroup has ended.
    pub fn end(&self) {
        self.ended.fetch_add(1, Ordering::Relaxed);
    }

    /// Workgroups of the runs that have begun.
    pub fn expected(&self) -> u64 {
        self.expected.load(Ordering::Relaxed)
    }

    /// Those that have ended. What is run a second time, because a trial on several threads was withdrawn, counts
    /// again, up to what is expected.
    pub fn ended(&self) -> u64 {
        self.ended.load(Ordering::Relaxed).min(self.expected())
    }
}
