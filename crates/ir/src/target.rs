//! The processor that a module or function is for.
//!
//! LLVM 22 says it in a function's `target-cpu`; its successors in the triple, `amdgpu9.50-amd-amdhsa`.

use wavemark_target::Processor;

use crate::function::Function;
use crate::module::Module;

/// The processor of a module, as far as the module says it.
pub fn of_module(module: &Module) -> Option<Processor> {
    let triple = module.triple.as_deref()?;
    let version = triple.strip_prefix("amdgpu")?.split('-').next()?;
    let (major, rest) = version.split_once('.')?;
    // The minor version and the stepping are one digit each, the stepping in hexadecimal.
    let mut digits = rest.chars().map(|digit| digit.to_digit(16));
    let (Some(Some(minor)), Some(Some(stepping)), None) = (digits.next(), digits.next(), digits.next())
    else {
        return None;
    };
    let version = (major.parse().ok()?, u8::try_from(minor).ok()?, u8::try_from(stepping).ok()?);
    Processor::ALL.iter().copied().find(|processor| processor.isa_version() == version)
}

/// The processor of a function: its own, or that of the module.
pub fn of_function(module: &Module, function: &Function) -> Option<Processor> {
    own(module, function).unwrap_or_else(|| of_module(module))
}

/// The processor that a function names, if it names any; `Some(None)`: one that nobody knows.
pub fn own(module: &Module, function: &Function) -> Option<Option<Processor>> {
    module.text_attribute(&function.attributes, "target-cpu").map(Processor::by_name)
}

/// Whether a triple is of an AMD GPU.
pub fn is_amdgpu(triple: &str) -> bool {
    let arch = triple.split('-').next().unwrap_or_default();
    arch == "amdgcn"
        || arch.strip_prefix("amdgpu").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triples() {
        let of = |triple: &str| {
            let module = Module { triple: Some(triple.into()), ..Module::default() };
            of_module(&module).map(Processor::name)
        };
        assert_eq!(of("amdgpu9.50-amd-amdhsa"), Some("gfx950"));
        assert_eq!(of("amdgpu12.50-amd-amdhsa"), Some("gfx1250"));
        assert_eq!(of("amdgpu9.0a-amd-amdhsa"), Some("gfx90a"));
        assert_eq!(of("amdgcn-amd-amdhsa"), None);
        assert!(
            is_amdgpu("amdgpu9.50-amd-amdhsa")
                && is_amdgpu("amdgcn-amd-amdhsa")
                && !is_amdgpu("x86_64-linux")
        );
    }
}
