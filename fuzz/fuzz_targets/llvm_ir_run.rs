//! See `wavemark_filetests::fuzz::llvm_ir_run`.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| wavemark_filetests::fuzz::llvm_ir_run(text));
