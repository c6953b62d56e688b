//! See `wavemark_filetests::fuzz::llvm_ir_verify`.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| wavemark_filetests::fuzz::llvm_ir_verify(text));
