//! The memory that a command may use, counted and bounded in one place.
//!
//! [`Counting`] is the allocator of a program that keeps a budget: it counts what is allocated and ends the program
//! with a message where an allocation does not fit into the budget ([`set_limit`]) or the host refuses it. That is the
//! last resort. Whoever allocates what an input has asked for looks first whether there is [`room_for`] it, and turns
//! the answer into a diagnostic with a place; what grows step by step, such as a run, asks whether memory is
//! [`nearly_used_up`] and ends in good order.
//!
//! A program with another allocator has a budget for each single request of [`room_for`], and nothing is counted.
//! The count is of bytes asked for, not of pages touched, and lags behind by at most 64 KiB a thread.

mod counting;
mod host;

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};

pub use counting::Counting;
pub use host::host_leaves;

/// Exit status of a program that [`Counting`] has ended: its input could not be used.
pub const EXHAUSTED: i32 = 2;

static ALLOCATED: AtomicUsize = AtomicUsize::new(0);
static LIMIT: AtomicUsize = AtomicUsize::new(usize::MAX);

/// Bytes that may be allocated; all that there are if nobody has set a limit.
pub fn limit() -> usize {
    LIMIT.load(Ordering::Relaxed)
}

/// Allow `bytes` to be allocated from the start of the program on.
pub fn set_limit(bytes: usize) {
    LIMIT.store(bytes, Ordering::Relaxed);
}

/// Bytes that are allocated. Where what one thread has freed is told before what another has allocated, the count is below
/// zero for a while: then none are.
pub fn allocated() -> usize {
    (ALLOCATED.load(Ordering::Relaxed) as isize).max(0) as usize
}

/// More memory than the budget has left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoRoom {
    /// Bytes asked for.
    pub asked: u64,
    /// Bytes left.
    pub left: u64,
    /// Bytes of the budget.
    pub limit: u64,
}

impl fmt::Display for NoRoom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NoRoom { asked, left, limit } = *self;
        write!(f, "needs {} of memory, where {} of {} are left", Size(asked), Size(left), Size(limit))
    }
}

impl std::error::Error for NoRoom {}

/// A number of bytes, printed in the greatest unit of which there are ten or so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size(pub u64);

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (shift, unit) in [(30, "GiB"), (20, "MiB"), (10, "KiB")] {
            if self.0 >> shift >= 10 || self.0 != 0 && self.0.trailing_zeros() >= shift {
                return write!(f, "{} {unit}", self.0 >> shift);
            }
        }
        write!(f, "{} bytes", self.0)
    }
}

/// Whether `bytes` more fit into the budget.
pub fn room_for(bytes: u64) -> Result<(), NoRoom> {
    let limit = limit() as u64;
    let left = limit.saturating_sub(allocated() as u64);
    if bytes <= left { Ok(()) } else { Err(NoRoom { asked: bytes, left, limit }) }
}

/// Whether less than an eighth of the budget is left.
pub fn nearly_used_up() -> bool {
    let limit = limit();
    allocated() > limit - limit / 8
}

/// Reads a size such as `512MiB`, `8GiB`, `64K` or a number of bytes.
pub fn parse_size(text: &str) -> Result<usize, String> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let shift = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kib" => 10,
        "m" | "mib" => 20,
        "g" | "gib" => 30,
        "t" | "tib" => 40,
        _ => return Err(format!("`{unit}` is no unit: KiB, MiB, GiB or TiB")),
    };
    let number: usize = number.parse().map_err(|_| "a size such as 512MiB or 8GiB is expected".to_owned())?;
    let bytes =
        number.checked_mul(1 << shift).ok_or_else(|| format!("{text} is more than can be addressed"))?;
    if bytes < LEAST { Err(format!("at least {} are needed", Size(LEAST as u64))) } else { Ok(bytes) }
}

/// The smallest budget with which anything can be done.
const LEAST: usize = 16 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    /// A thread may tell late what it has allocated.
    #[test]
    fn a_count_below_zero_is_none() {
        ALLOCATED.fetch_sub(1 << 20, Ordering::Relaxed);
        assert_eq!((allocated(), nearly_used_up()), (0, false));
        assert!(room_for(1).is_ok());
        ALLOCATED.fetch_add(1 << 20, Ordering::Relaxed);
    }

    #[test]
    fn sizes() {
        assert_eq!(parse_size("512MiB"), Ok(512 << 20));
        assert_eq!(parse_size("8GiB"), Ok(8 << 30));
        assert_eq!(parse_size("64 m"), Ok(64 << 20));
        assert_eq!(parse_size("16777216"), Ok(16 << 20));
        for text in ["", "GiB", "1.5GiB", "8GB", "1KiB", "-1", "99999999999TiB", "0"] {
            assert!(parse_size(text).is_err(), "{text}");
        }
        let printed = |bytes| Size(bytes).to_string();
        assert_eq!(printed(8 << 30), "8 GiB");
        assert_eq!(printed((1 << 30) + 1), "1024 MiB");
        assert_eq!(printed(0), "0 bytes");
        assert_eq!(printed(5000), "5000 bytes");
    }

    #[test]
    fn room() {
        // Without the counting allocator a request is compared with the limit alone.
        set_limit(1 << 30);
        assert_eq!(room_for(1 << 30), Ok(()));
        let refused = room_for(1 << 40).unwrap_err();
        assert_eq!(refused.to_string(), "needs 1024 GiB of memory, where 1 GiB of 1 GiB are left");
        assert!(!nearly_used_up());
        assert!(host_leaves() > LEAST as u64);
    }
}
