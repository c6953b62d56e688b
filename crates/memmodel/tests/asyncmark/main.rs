//! The abstraction and the edits against the definition: threads that run along every path.

mod enumerate;
mod paths;
mod words;

/// How many random programs a test takes: WAVEMARK_CASES, or this many.
fn cases(default: u32) -> proptest::prelude::ProptestConfig {
    let cases = std::env::var("WAVEMARK_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(default);
    proptest::prelude::ProptestConfig { cases, ..Default::default() }
}
