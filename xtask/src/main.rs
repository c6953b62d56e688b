//! Project chores: parity with LLVM, scores of case folders, blessing.
fn main() {}
