//! See `wavemark_filetests::fuzz::assembly`.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| wavemark_filetests::fuzz::assembly(text));
