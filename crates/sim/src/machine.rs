//! What the interpreter loop does itself: memory, waits, barriers, messages, the end of a wave.

/// An operation of the machine.
pub struct MachineOp {}
