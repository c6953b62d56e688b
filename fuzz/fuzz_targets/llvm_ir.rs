//! See `wavemark_filetests::fuzz::llvm_ir`.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| wavemark_filetests::fuzz::llvm_ir(text));
