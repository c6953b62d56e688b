//! What memory the host has for us.

/// Bytes that the host would give: what is available, within the limits of the control group and of the process.
/// `u64::MAX` where the host does not say.
pub fn host_leaves() -> u64 {
    [available(), control_group(), address_space()].into_iter().flatten().min().unwrap_or(u64::MAX)
}

/// `MemAvailable` of `/proc/meminfo` (proc_meminfo(5)).
fn available() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes << 10)
}

/// What the control group has left: version 2, or the memory controller of version 1.
fn control_group() -> Option<u64> {
    let number = |path: &str| -> Option<u64> { std::fs::read_to_string(path).ok()?.trim().parse().ok() };
    let pairs = [
        ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
        ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
    ];
    // What is in use includes caches that go when memory is wanted, so that it counts at most by half.
    let left = |(max, used): (&str, &str)| {
        let max = number(max)?;
        Some(max.saturating_sub(number(used).unwrap_or(0).min(max / 2)))
    };
    pairs.into_iter().find_map(left)
}

/// The soft limit of the process's address space, less what stacks and code take.
#[cfg(unix)]
fn address_space() -> Option<u64> {
    const OURS: u64 = 400 << 20;
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `limit` is what the call fills in.
    let done = unsafe { libc::getrlimit(libc::RLIMIT_AS, &mut limit) } == 0;
    let soft = limit.rlim_cur;
    (done && soft != libc::RLIM_INFINITY).then(|| soft.saturating_sub(OURS).max(soft / 4))
}

#[cfg(not(unix))]
fn address_space() -> Option<u64> {
    None
}
