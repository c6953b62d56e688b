//! The hash by which names are found; the build script and the table use the same.

/// Where a name's search begins in a table of `size` slots, which goes on to the next slot (Fowler, Noll and Vo's
/// hash 1a).
pub(crate) fn slot(name: &str, size: usize) -> usize {
    let hash =
        name.bytes().fold(0x811c_9dc5u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    (hash ^ hash >> 15) as usize % size
}
