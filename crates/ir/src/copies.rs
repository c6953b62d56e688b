//! Copies to and from LDS that a kernel begins and waits for: whether each access is behind those that it needs, on all
//! paths, and which waits could leave more.
//!
//! Addresses in LDS follow from the number of the work-item and from which buffer of a ring is next: both are computed
//! ([`lanes`], [`paths`]), so that it is known which wave touches which bytes in which round of a loop ([`touch`]). Where an
//! address follows from what the kernel is given, all that it may be is told apart ([`cases`]). What is
//! guaranteed of a copy is said by [`wavemark_memmodel::asyncmark`] ([`steps`]). Then ([`judge()`]):
//!
//! * a wave's own copies that share bytes with an access, one of them writing, must be done before it;
//! * those of other waves must be done where their waves arrive at the last barrier before it;
//! * where there is no such barrier, nothing orders the two.
//!
//! A wait may leave as many as keep all this true, found by trying: its number is raised as long as every access stays as
//! covered as it was. Nothing is said of a wait that other things than this LDS may depend on: stores to global memory,
//! copies into the LDS of other workgroups.
//!
//! Promises: what is called uncovered is so on a path of the control flow graph whose branches are taken as they can be,
//! for a workgroup of the largest size that the kernel allows. What is called proven holds on every path. Functions that
//! a kernel calls are looked at in the place of the call ([`flat`]). Not here: kernels
//! with other calls, named barriers for some waves ([`named`]), cells that not every wave arrives at ([`cells`]), barriers that not all waves reach together, workgroups of several dimensions, generic pointers
//! to LDS ([`NotFollowed`]); accesses whose addresses are not known, which are counted; LDS of other workgroups of a cluster;
//! whether what is copied is right. Of a barrier of the cluster at which one wave arrives for all it is not followed what it
//! orders: pairs that it alone may order are counted.

pub(crate) mod bits;
mod cases;
mod cells;
mod counted;
pub(crate) mod divergence;
pub(crate) mod flat;
mod judge;
pub(crate) mod lanes;
mod named;
pub(crate) mod numbers;
pub(crate) mod paths;
mod steps;
mod tighten;
mod touch;

pub use judge::{Hazard, HazardKind, Verdict, Weaker, judge};
pub use steps::NotFollowed;
pub use tighten::tighten;
