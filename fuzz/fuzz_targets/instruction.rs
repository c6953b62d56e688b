//! See `wavemark_filetests::fuzz::instruction`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| wavemark_filetests::fuzz::instruction(bytes));
