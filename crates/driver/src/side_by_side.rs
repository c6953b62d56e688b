//! Work on many things of one kind, on several threads, with the results in order.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// What `of` makes of each of `all`, in order, on up to `threads` threads.
pub fn map<T: Sync, R: Send>(all: &[T], threads: usize, of: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = threads.min(all.len());
    if threads < 2 {
        return all.iter().map(of).collect();
    }
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::with_capacity(all.len()));
    let work = || {
        while let Some((at, one)) = {
            let at = next.fetch_add(1, Ordering::Relaxed);
            all.get(at).map(|one| (at, one))
        } {
            let result = of(one);
            done.lock().unwrap_or_else(PoisonError::into_inner).push((at, result));
        }
    };
    std::thread::scope(|scope| {
        // Where there is no thread to be had, this one does the work.
        for _ in 1..threads {
            _ = std::thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|&(at, _)| at);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn in_order() {
        let all: Vec<usize> = (0..1000).collect();
        for threads in [0, 1, 3, 2000] {
            assert_eq!(super::map(&all, threads, |n| n * n), all.iter().map(|n| n * n).collect::<Vec<_>>());
        }
    }
}
