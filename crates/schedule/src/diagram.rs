//! A picture of a pipeline, as SVG: time across, statements down.
//!
//! Drawn from the program that came out of the pass (ours or TVM's), not from the plan: the first pipeline of the
//! function is walked with concrete iterations, its commits and waits act on queues, and what is drawn is what
//! happened. One box a statement instance, labelled with the iteration of the source loop that it does (the n-th
//! time that a statement runs is its n-th iteration); a bar a committed group, from the commit to the wait that
//! forces it; a mark a wait, with its count. Long loops show their first and last iterations.
//!
//! Promises: the text is well-formed XML whatever the names are; it is dark on a white panel of its own, so it can
//! be read in light and dark documents. Where the extents are not constant, unknown scalars are taken to be
//! [`ASSUMED`], and the picture says so.

mod draw;
mod svg;
#[cfg(test)]
mod tests;
mod walk;

use wavemark_tile::Function;

pub use walk::ASSUMED;

/// The picture of the first pipeline of `function`, or why there is none.
pub fn diagram(function: &Function) -> Result<String, String> {
    walk::walk(function).map(|timeline| draw::draw(&timeline))
}
