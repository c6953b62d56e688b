//! See `wavemark_filetests::fuzz::tvmscript`.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| wavemark_filetests::fuzz::tvmscript(text));
