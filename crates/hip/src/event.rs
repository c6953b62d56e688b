//! Streams and events. A call is done when it returns, so that streams are handles, and an event happens when it is
//! recorded. Its time is the device's clock: one instruction of one wave takes a nanosecond. That is no hardware's
//! time, but the same in every run, and more work takes longer.

use std::ffi::{c_int, c_void};

use crate::answer::{Answer, answer, out};
use crate::error::{Code, INVALID_VALUE, NOT_READY};
use crate::handle::Handle;
use crate::runtime::{Runtime, runtime};

/// The stream handles that HIP gives a meaning: the default stream, the legacy and the thread's own.
const GIVEN_STREAMS: std::ops::RangeInclusive<u64> = 0..=2;
/// `hipEventDisableTiming`.
const DISABLE_TIMING: u32 = 2;

/// An event.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    timed: bool,
    /// The clock when it was recorded.
    at: Option<u64>,
}

impl Runtime {
    /// The stream is one.
    pub fn must_be_stream(&self, stream: Handle) -> Answer {
        if GIVEN_STREAMS.contains(&(stream as u64)) {
            return Ok(());
        }
        self.streams.get(stream).map(|_| ())
    }
}

/// A new stream.
///
/// # Safety
///
/// `stream` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipStreamCreate(stream: *mut Handle) -> Code {
    // SAFETY: as the caller promises.
    unsafe { hipStreamCreateWithPriority(stream, 0, 0) }
}

/// A new stream with flags.
///
/// # Safety
///
/// `stream` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipStreamCreateWithFlags(stream: *mut Handle, flags: u32) -> Code {
    // SAFETY: as the caller promises.
    unsafe { hipStreamCreateWithPriority(stream, flags, 0) }
}

/// A new stream with flags and a priority, both of which it only remembers.
///
/// # Safety
///
/// `stream` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipStreamCreateWithPriority(
    stream: *mut Handle,
    flags: u32,
    priority: c_int,
) -> Code {
    answer("hipStreamCreate", |runtime| {
        // SAFETY: as the caller promises.
        *unsafe { out(stream) }? = runtime.streams.add((flags, priority));
        Ok(())
    })
}

/// Ends a stream.
#[unsafe(no_mangle)]
pub extern "C" fn hipStreamDestroy(stream: Handle) -> Code {
    answer("hipStreamDestroy", |runtime| runtime.streams.remove(stream).map(|_| ()))
}

/// The flags of a stream.
///
/// # Safety
///
/// `flags` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipStreamGetFlags(stream: Handle, flags: *mut u32) -> Code {
    answer("hipStreamGetFlags", |runtime| {
        runtime.must_be_stream(stream)?;
        // SAFETY: as the caller promises.
        *unsafe { out(flags) }? = runtime.streams.get(stream).map_or(0, |&(flags, _)| flags);
        Ok(())
    })
}

/// The priority of a stream.
///
/// # Safety
///
/// `priority` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipStreamGetPriority(stream: Handle, priority: *mut c_int) -> Code {
    answer("hipStreamGetPriority", |runtime| {
        runtime.must_be_stream(stream)?;
        // SAFETY: as the caller promises.
        *unsafe { out(priority) }? = runtime.streams.get(stream).map_or(0, |&(_, priority)| priority);
        Ok(())
    })
}

/// Waits until all is done that a stream was asked for.
#[unsafe(no_mangle)]
pub extern "C" fn hipStreamSynchronize(stream: Handle) -> Code {
    answer("hipStreamSynchronize", |runtime| {
        runtime.must_be_stream(stream)?;
        runtime.synchronise()
    })
}

/// Whether all is done that a stream was asked for: it is.
#[unsafe(no_mangle)]
pub extern "C" fn hipStreamQuery(stream: Handle) -> Code {
    hipStreamSynchronize(stream)
}

/// A stream goes on after an event: it has happened, or was never recorded.
#[unsafe(no_mangle)]
pub extern "C" fn hipStreamWaitEvent(stream: Handle, event: Handle, _flags: u32) -> Code {
    answer("hipStreamWaitEvent", |runtime| {
        runtime.must_be_stream(stream)?;
        runtime.events.get(event).map(|_| ())
    })
}

/// Whether calls are recorded into a graph: never.
///
/// # Safety
///
/// `status` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipStreamIsCapturing(stream: Handle, status: *mut c_int) -> Code {
    answer("hipStreamIsCapturing", |runtime| {
        runtime.must_be_stream(stream)?;
        // SAFETY: as the caller promises.
        *unsafe { out(status) }? = 0;
        Ok(())
    })
}

/// Calls `work` when all is done that came before: now.
///
/// # Safety
///
/// `work` can be called with `data`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipLaunchHostFunc(
    stream: Handle,
    work: Option<unsafe extern "C" fn(*mut c_void)>,
    data: *mut c_void,
) -> Code {
    let may = answer("hipLaunchHostFunc", |runtime| runtime.must_be_stream(stream));
    match work {
        _ if may != 0 => may,
        // Not under the lock: it may call us.
        Some(work) => {
            // SAFETY: as the caller promises.
            unsafe { work(data) };
            may
        }
        None => answer("hipLaunchHostFunc", |_| Err(INVALID_VALUE.into())),
    }
}

/// The same with the stream and its status.
///
/// # Safety
///
/// `work` can be called with `data`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipStreamAddCallback(
    stream: Handle,
    work: Option<unsafe extern "C" fn(Handle, Code, *mut c_void)>,
    data: *mut c_void,
    _flags: u32,
) -> Code {
    let may = answer("hipStreamAddCallback", |runtime| runtime.must_be_stream(stream));
    let failed = runtime().failed.unwrap_or(0);
    match work {
        _ if may != 0 => may,
        Some(work) => {
            // SAFETY: as the caller promises.
            unsafe { work(stream, failed, data) };
            may
        }
        None => answer("hipStreamAddCallback", |_| Err(INVALID_VALUE.into())),
    }
}

/// A new event.
///
/// # Safety
///
/// `event` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipEventCreate(event: *mut Handle) -> Code {
    // SAFETY: as the caller promises.
    unsafe { hipEventCreateWithFlags(event, 0) }
}

/// A new event with flags.
///
/// # Safety
///
/// `event` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipEventCreateWithFlags(event: *mut Handle, flags: u32) -> Code {
    answer("hipEventCreate", |runtime| {
        // SAFETY: as the caller promises.
        *unsafe { out(event) }? = runtime.events.add(Event { timed: flags & DISABLE_TIMING == 0, at: None });
        Ok(())
    })
}

/// Ends an event.
#[unsafe(no_mangle)]
pub extern "C" fn hipEventDestroy(event: Handle) -> Code {
    answer("hipEventDestroy", |runtime| runtime.events.remove(event).map(|_| ()))
}

/// The event happens when a stream has come so far: now.
#[unsafe(no_mangle)]
pub extern "C" fn hipEventRecord(event: Handle, stream: Handle) -> Code {
    answer("hipEventRecord", |runtime| {
        runtime.must_be_stream(stream)?;
        let now = runtime.clock;
        runtime.events.get_mut(event)?.at = Some(now);
        Ok(())
    })
}

/// The same with flags, none of which change when it happens.
#[unsafe(no_mangle)]
pub extern "C" fn hipEventRecordWithFlags(event: Handle, stream: Handle, _flags: u32) -> Code {
    hipEventRecord(event, stream)
}

/// Waits until an event has happened.
#[unsafe(no_mangle)]
pub extern "C" fn hipEventSynchronize(event: Handle) -> Code {
    answer("hipEventSynchronize", |runtime| {
        runtime.events.get(event)?;
        runtime.synchronise()
    })
}

/// Whether an event has happened: it has, also one that was never recorded.
#[unsafe(no_mangle)]
pub extern "C" fn hipEventQuery(event: Handle) -> Code {
    hipEventSynchronize(event)
}

/// Milliseconds from one event to another: a millionth for each instruction of a wave.
///
/// # Safety
///
/// `milliseconds` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipEventElapsedTime(milliseconds: *mut f32, start: Handle, stop: Handle) -> Code {
    answer("hipEventElapsedTime", |runtime| {
        // SAFETY: as the caller promises.
        let milliseconds = unsafe { out(milliseconds) }?;
        let (start, stop) = (runtime.events.get(start)?, runtime.events.get(stop)?);
        if !start.timed || !stop.timed {
            return Err(crate::error::INVALID_HANDLE.into());
        }
        let (Some(from), Some(to)) = (start.at, stop.at) else { return Err(NOT_READY.into()) };
        *milliseconds = (to as f64 - from as f64) as f32 / 1e6;
        Ok(())
    })
}
