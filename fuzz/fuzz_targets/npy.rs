//! See `wavemark_filetests::fuzz::npy`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| wavemark_filetests::fuzz::npy(bytes));
