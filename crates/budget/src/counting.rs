//! The allocator that counts.

use std::alloc::{GlobalAlloc, Layout};
use std::cell::Cell;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::{ALLOCATED, EXHAUSTED, LIMIT, Size};

/// An allocator within the budget.
///
/// An allocation beyond the budget, or one that the allocator refuses, ends the program with [`EXHAUSTED`] and a message:
/// few callers could do anything else, and those ask [`crate::room_for`] before.
pub struct Counting<A>(pub A);

/// What a thread has allocated and freed since it last told.
const TELL: isize = 64 << 10;

thread_local! {
    static UNTOLD: Cell<isize> = const { Cell::new(0) };
}

/// Count `bytes` more or fewer.
#[inline]
fn charge(bytes: isize) {
    let told = UNTOLD.try_with(|untold| {
        let sum = untold.get().saturating_add(bytes);
        if sum.abs() < TELL {
            untold.set(sum);
            return 0;
        }
        untold.set(0);
        sum
    });
    // A thread that ends has no cell any more.
    let sum = told.unwrap_or(bytes);
    if sum != 0 {
        tell(sum);
    }
}

#[cold]
fn tell(bytes: isize) {
    let before = ALLOCATED.fetch_add(bytes as usize, Ordering::Relaxed);
    // Threads tell late, so that the sum may be below zero for a while.
    let now = before.wrapping_add(bytes as usize) as isize;
    let limit = LIMIT.load(Ordering::Relaxed);
    if bytes > 0 && now > 0 && now as usize > limit {
        give_up(format_args!("the memory of --max-memory ({}) is used up", Size(limit as u64)));
    }
}

#[cold]
fn refused(bytes: usize) -> ! {
    give_up(format_args!("the host has no memory for {} more", Size(bytes as u64)))
}

/// Ends the program, without allocating.
fn give_up(what: std::fmt::Arguments<'_>) -> ! {
    static ONCE: AtomicBool = AtomicBool::new(false);
    if !ONCE.swap(true, Ordering::Relaxed) {
        let _ = writeln!(std::io::stderr(), "error: {what}");
        exit();
    }
    // Another thread is about to end the program.
    loop {
        std::thread::sleep(std::time::Duration::from_secs(1));
    }
}

#[cfg(unix)]
fn exit() -> ! {
    // SAFETY: ends the process at once; nothing that would run at exit has data to save.
    unsafe { libc::_exit(EXHAUSTED) }
}

#[cfg(not(unix))]
fn exit() -> ! {
    std::process::exit(EXHAUSTED)
}

// SAFETY: every call goes to an allocator with what it was given; counting allocates nothing.
unsafe impl<A: GlobalAlloc> GlobalAlloc for Counting<A> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        charge(layout.size() as isize);
        // SAFETY: the caller's promise.
        let memory = unsafe { self.0.alloc(layout) };
        if memory.is_null() {
            refused(layout.size());
        }
        memory
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        charge(layout.size() as isize);
        // SAFETY: the caller's promise.
        let memory = unsafe { self.0.alloc_zeroed(layout) };
        if memory.is_null() {
            refused(layout.size());
        }
        memory
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        charge(-(layout.size() as isize));
        // SAFETY: the caller's promise.
        unsafe { self.0.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        charge(size as isize - layout.size() as isize);
        // SAFETY: the caller's promise.
        let moved = unsafe { self.0.realloc(memory, layout, size) };
        if moved.is_null() {
            refused(size);
        }
        moved
    }
}
