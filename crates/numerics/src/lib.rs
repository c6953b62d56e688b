//! Number formats and floating-point operations as AMD GPUs compute them.
//!
//! The instruction semantics of the simulator stand on this crate. It knows number formats, the MODE register's
//! rounding, denormal and overflow fields, and single-lane operations; it knows no instruction, register or wave.
//!
//! Promises: every function is pure and total (any bit pattern in, a defined result out, no panic). Functions marked
//! `#[inline(always)]` are the fast paths: branch-light straight-line code on plain integers and floats, meant to be
//! called from lane loops that the compiler vectorises. Everything that honours a rounding mode other than nearest
//! even goes through [`soft`], which is exact and slow.
//!
//! Not promised: bit-for-bit equality with the hardware where its manual states only an error bound (transcendental
//! operations, [`transcendental`]): there the result is the correctly rounded one, or within 2⁻⁴⁰ of a rounding
//! boundary of it. The host must run with its default floating-point environment
//! (nearest even, denormals on), as Rust requires.
//!
//! Binary16 and bfloat16 values are `u16` bits, narrower ones `u8` bits in the low end, binary32 and binary64 are
//! `f32` and `f64` except where NaN bits matter ([`minmax`], [`class`]), which take raw bits.
//!
//! Sources: "AMD Instinct CDNA4 ISA" (gfx950) and "CDNA5 ISA" (gfx1250), cited as CDNA4 and CDNA5 with the section
//! or the instruction; OCP "Microscaling Formats (MX) v1.0" and "OFP8 v1.0" for the narrow formats.

#![forbid(unsafe_code)]

pub mod arith;
pub mod bf16;
pub mod class;
pub mod div;
pub mod dot;
pub mod dtype;
pub mod exceptions;
pub mod f16;
pub mod fp8;
pub mod int_convert;
pub mod integral;
pub mod minmax;
pub mod mode;
pub mod modifiers;
pub mod mx;
pub mod narrow;
pub mod pack;
pub mod scale;
pub mod soft;
pub mod stochastic;
pub mod transcendental;

pub use mode::{Denorm, Mode, Round};
