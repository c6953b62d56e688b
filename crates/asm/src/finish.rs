//! The end of an assembly: kernel descriptors, values that waited for symbols, the object.

use wavemark_diag::{Diagnostic, Span};
use wavemark_target::Target;

use crate::assembler::Assembler;
use crate::object::Object;
use crate::resolve::{Outcome, Resolver};
use crate::section::SectionId;
use crate::value::Evaluator;
use crate::write::{Build, Relocation};

impl Assembler<'_> {
    /// The object, or everything that is wrong.
    pub fn finish(mut self, name: &str) -> Result<Object, Vec<Diagnostic>> {
        self.check_open_ends();
        self.write_descriptors();
        let relocations = self.resolve_fixups();
        let errors = self.diagnostics.iter().any(Diagnostic::is_error);
        if errors {
            return Err(self.diagnostics);
        }
        let mut build = Build::new(&self);
        build.sections(&self);
        build.defined_symbols(&mut self);
        let built = if self.diagnostics.iter().any(Diagnostic::is_error) {
            None
        } else {
            build.relocations(&self, relocations);
            build.lines(&self, name);
            Some(build.builder.finish())
        };
        match built {
            Some(Ok(elf)) => Ok(self.object(elf)),
            Some(Err(error)) => {
                self.diagnostics.push(Diagnostic::error(error.to_string()));
                Err(self.diagnostics)
            }
            None => Err(self.diagnostics),
        }
    }

    /// The bytes of the section that is current at the end, with 0 where a linker would write.
    pub fn finish_bytes(mut self) -> Result<Vec<u8>, Vec<Diagnostic>> {
        self.check_open_ends();
        self.write_descriptors();
        self.resolve_fixups();
        if self.diagnostics.iter().any(Diagnostic::is_error) {
            return Err(self.diagnostics);
        }
        Ok(std::mem::take(&mut self.sections.get_mut(self.current).bytes))
    }

    fn object(mut self, elf: Vec<u8>) -> Object {
        self.lines.sort_unstable();
        let kernels = self.kernels.iter().map(|kernel| self.symbols.get(kernel.symbol).name.clone());
        let target = &self.subtarget.target;
        let target = match &self.file_target {
            Some(said) => Target { id: target.id, ..said.clone() },
            None => target.clone(),
        };
        Object {
            elf,
            target,
            abi: self.abi,
            sections: self.sections.iter().map(|(_, section)| section.name.clone()).collect(),
            kernels: kernels.collect(),
            lines: self.lines,
            remarks: self.diagnostics,
        }
    }

    fn check_open_ends(&mut self) {
        for condition in std::mem::take(&mut self.conditions) {
            self.report(condition.span, "this condition has no .endif".to_owned());
        }
        if !self.saved.is_empty() {
            let end = Span::new(self.file, usize::MAX..usize::MAX);
            self.report(end, ".pushsection without .popsection".to_owned());
        }
    }

    fn write_descriptors(&mut self) {
        for kernel in std::mem::take(&mut self.kernels) {
            let mut evaluator = Evaluator::new(&self.symbols, self.subtarget);
            match kernel.evaluate(&mut evaluator, self.subtarget) {
                Ok(descriptor) => {
                    let bytes = descriptor.encode();
                    let start = kernel.offset as usize;
                    if let Some(slot) =
                        self.sections.get_mut(kernel.section).bytes.get_mut(start..start + bytes.len())
                    {
                        slot.copy_from_slice(&bytes);
                    }
                }
                Err((span, message)) => self.report(span, message),
            }
            self.kernels.push(kernel);
        }
    }

    /// Fills in what is known and says what the linker must do.
    fn resolve_fixups(&mut self) -> Vec<Relocation> {
        let mut relocations = Vec::new();
        let sections: Vec<SectionId> = self.sections.iter().map(|(id, _)| id).collect();
        for section in sections {
            for fixup in std::mem::take(&mut self.sections.get_mut(section).fixups) {
                let outcome = Resolver { assembler: self, section }.resolve(&fixup);
                let start = fixup.offset as usize;
                let place = self.sections.get_mut(section).bytes.get_mut(start..);
                match (outcome, place) {
                    (Ok(Outcome::Bytes(bytes, count)), Some(place)) if place.len() >= count => {
                        place[..count].copy_from_slice(&bytes[..count]);
                    }
                    (Ok(Outcome::Relocation { kind, symbol, addend, bytes }), Some(place)) => {
                        if let (Some(bytes), Some(place)) = (bytes, place.get_mut(..2)) {
                            place.copy_from_slice(&bytes);
                        }
                        relocations.push((section, fixup.offset, kind, symbol, addend));
                    }
                    (Ok(_), _) => self.report(fixup.span, "the value is outside its section".to_owned()),
                    (Err(message), _) => self.report(fixup.span, message),
                }
            }
        }
        relocations
    }
}
