//! Matrix instructions: MFMA and SMFMAC of gfx950, WMMA and SWMMAC of gfx1250.
//!
//! [`bind()`] turns an instruction into an operation with a plan: which registers hold which rows and columns, and in
//! which order they meet ([`layout`]). The bodies ([`run`], [`stream`], [`blocks`], [`double`]) only follow the plan. EXEC plays no
//! part: MFMA ignores it (CDNA4 7.1.2), WMMA sets it aside (CDNA5 15.10).
//!
//! Numbers: sums round as the bodies' headers say, to nearest even whatever MODE says, and keep denormals; only the
//! inputs of `V_MFMA_F32_*_F32` are flushed if MODE says so (CDNA4 7.4). MODE.FP16_OVFL makes what overflows the largest
//! finite number (gfx950: binary32; gfx1250: binary16 and bfloat16) and integers saturate (CDNA4 7.1.2, CDNA5 7.12), as
//! does `clamp` for integers. The manuals do not say in which order or precision the hardware adds: results of inexact
//! sums may differ from it in the last bits, exact ones do not.
//!
//! Follows CDNA4 chapter 7 and CDNA5 7.12; deviations are named where they are.

pub mod blocks;
pub mod double;
pub mod element;
pub mod host;
pub mod layout;
pub mod plan;
pub mod run;
pub mod select;
#[cfg(target_arch = "x86_64")]
pub mod stream;
pub mod table;

pub use plan::Plan;
pub use select::bind;

#[cfg(test)]
mod tests;
