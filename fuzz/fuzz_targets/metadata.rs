//! See `wavemark_filetests::fuzz::metadata`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| wavemark_filetests::fuzz::metadata(bytes));
