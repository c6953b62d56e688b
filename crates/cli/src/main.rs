//! The `wavemark` command.
fn main() {}
