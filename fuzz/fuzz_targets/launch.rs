//! See `wavemark_filetests::fuzz::launch`.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| wavemark_filetests::fuzz::launch(text));
