//! Arithmetic: every instruction that touches only the registers of its wave.
//!
//! [`bind`] turns a decoded instruction into an [`Op`](crate::op::Op) whose body does the whole wave at once.

use crate::bind::{BindError, Binder};
use crate::op::Op;

/// Modifiers of a vector operation that leaves the fast path.
pub struct AluDetail {}

/// The operation of an arithmetic or branch instruction; `Ok(None)` if the instruction is none (memory,
/// waits, barriers…: the machine's).
pub fn bind(_binder: &mut Binder<'_>) -> Result<Option<Op>, BindError> {
    Ok(None)
}
