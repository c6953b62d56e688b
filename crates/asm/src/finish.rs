//! The end of an assembly: kernel descriptors, values that waited for symbols, the object.

use wavemark_budget::room_for;
use wavemark_diag::{Diagnostic, Span};
use wavemark_target::Target;

use crate::assembler::{Assembler, ExplicitRelocation};
use crate::expr::Expr;
use crate::object::Object;
use crate::resolve::{Outcome, Resolver};
use crate::section::SectionId;
use crate::value::Evaluator;
use crate::write::{Build, Relocation};

impl Assembler<'_> {
    /// The object, or everything that is wrong.
    pub fn finish(mut self, name: &str) -> Result<Object, Vec<Diagnostic>> {
        self.check_open_ends();
        self.refresh_counts();
        self.settle();
        self.write_descriptors();
        self.write_pal();
        self.check_files();
        let profile = self.write_profile();
        let mut debug = self.write_lines(name);
        debug.extend(self.write_frames());
        let mut relocations = self.resolve_fixups();
        relocations.extend(profile);
        relocations.extend(debug);
        let errors = self.diagnostics.iter().any(Diagnostic::is_error);
        if errors {
            return Err(self.diagnostics);
        }
        let bytes: usize = self.sections.wholes().map(|(_, section)| section.bytes.len()).sum();
        if let Err(no_room) = room_for(2 * bytes as u64) {
            // The builder's copy and the file.
            return Err(vec![Diagnostic::error(format!("the code object {no_room}"))]);
        }
        let mut build = Build::new(&self);
        build.sections(&self);
        build.symbols(&mut self, &relocations);
        let built = if self.diagnostics.iter().any(Diagnostic::is_error) {
            None
        } else {
            build.relocations(&self, &relocations);
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
        self.settle();
        self.write_descriptors();
        self.resolve_fixups();
        if self.diagnostics.iter().any(Diagnostic::is_error) {
            return Err(self.diagnostics);
        }
        let current = self.sections.whole(self.current);
        Ok(std::mem::take(&mut self.sections.get_mut(current).bytes))
    }

    fn object(mut self, elf: Vec<u8>) -> Object {
        self.settle_lines();
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
            sections: self.sections.wholes().map(|(_, section)| section.name.clone()).collect(),
            kernels: kernels.collect(),
            lines: self.lines,
            remarks: self.diagnostics,
        }
    }

    /// Turns the places of the lines into those of the object, whose sections have no parts.
    fn settle_lines(&mut self) {
        if !self.sections.unsettled {
            return;
        }
        let mut numbers = vec![0; self.sections.iter().count()];
        for (number, (id, _)) in self.sections.wholes().enumerate() {
            numbers[id.0 as usize] = number as u32;
        }
        for line in &mut self.lines {
            let (section, offset) = self.sections.place(SectionId(line.section), line.offset);
            line.section = numbers.get(section.0 as usize).copied().unwrap_or(0);
            line.offset = offset;
        }
    }

    fn check_open_ends(&mut self) {
        for condition in std::mem::take(&mut self.conditions) {
            self.report(condition.span, "this condition has no .endif".to_owned());
        }
    }

    fn write_descriptors(&mut self) {
        for kernel in std::mem::take(&mut self.kernels) {
            let mut evaluator = Evaluator::new(&self.symbols, &self.sections, self.subtarget);
            match kernel.evaluate(&mut evaluator, self.subtarget) {
                Ok(descriptor) => {
                    let bytes = descriptor.encode();
                    let (section, start) = self.sections.place(kernel.section, kernel.offset);
                    let start = start as usize;
                    if let Some(slot) =
                        self.sections.get_mut(section).bytes.get_mut(start..start + bytes.len())
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
                let weak = self.uses_weakref(&fixup.expr);
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
                        let offset = fixup.offset;
                        relocations.push(Relocation {
                            section,
                            offset,
                            kind,
                            term: symbol,
                            addend,
                            weak,
                            keep: false,
                        });
                    }
                    (Ok(_), _) => self.report(fixup.span, "the value is outside its section".to_owned()),
                    (Err(message), _) => self.report(fixup.span, message),
                }
            }
        }
        relocations.extend(self.explicit_relocations());
        relocations
    }

    /// Whether `expr` names a symbol by the other name that `.weakref` gave it.
    fn uses_weakref(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Int(_) | Expr::Place(..) => false,
            Expr::Symbol(symbol, _) => self.symbols.get(*symbol).is_weakref,
            Expr::Unary(_, operand) => self.uses_weakref(operand),
            Expr::Binary(_, left, right) => self.uses_weakref(left) || self.uses_weakref(right),
            Expr::Call(_, arguments) => arguments.iter().any(|argument| self.uses_weakref(argument)),
        }
    }

    /// The relocations of `.reloc`.
    fn explicit_relocations(&mut self) -> Vec<Relocation> {
        let mut relocations = Vec::new();
        for explicit in std::mem::take(&mut self.links.relocations) {
            match self.explicit_relocation(&explicit) {
                Ok(relocation) => relocations.push(relocation),
                Err((span, message)) => self.report(span, message),
            }
        }
        relocations
    }

    fn explicit_relocation(&self, explicit: &ExplicitRelocation) -> Result<Relocation, (Span, String)> {
        let mut evaluator = Evaluator::new(&self.symbols, &self.sections, self.subtarget);
        let (expr, span) = &explicit.offset;
        let at = |message: String| (*span, message);
        let section = self.sections.whole(explicit.section);
        let value = evaluator.value(expr).map_err(at)?;
        let offset = match (value.add, value.sub) {
            (None, None) => Some(value.constant),
            (Some(add), None) => evaluator
                .location(add)
                .filter(|(found, _)| *found == section)
                .map(|(_, offset)| (offset as i64).wrapping_add(value.constant)),
            _ => None,
        };
        let offset = offset.ok_or_else(|| at("expected a number or a place in this section".to_owned()))?;
        let offset = u64::try_from(offset)
            .map_err(|_| at(format!("the offset {offset} of a relocation is negative")))?;
        let kind = explicit.kind;
        let Some((expr, span)) = &explicit.value else {
            return Ok(Relocation { section, offset, kind, term: None, addend: 0, weak: false, keep: true });
        };
        let value = evaluator.value(expr).map_err(|message| (*span, message))?;
        if value.sub.is_some() || value.specifier.is_some() {
            return Err((*span, "expected a symbol and a number".to_owned()));
        }
        let weak = self.uses_weakref(expr);
        Ok(Relocation { section, offset, kind, term: value.add, addend: value.constant, weak, keep: true })
    }
}
