//! `.cg_profile`: how often functions call each other, for linkers that place callers beside what they call.

use wavemark_codeobj::RelocationKind;
use wavemark_codeobj::elf::{shf, sht};

use crate::assembler::{Assembler, CallEdge, Fault};
use crate::directive::{Directive, Operands, row};
use crate::lex::Kind;
use crate::statement::Lines;
use crate::symbol::{Definition, SymbolId};
use crate::value::Term;
use crate::write::Relocation;

pub(super) const DIRECTIVES: &[Directive] = &[row(".cg_profile", call)];

/// The section of the counts, each of 8 bytes; its relocations name caller and callee.
const SECTION: &str = ".llvm.call-graph-profile";
const COUNT_SIZE: u64 = 8;

/// `.cg_profile caller, callee, count`.
fn call(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    let (caller, range) = operands.name()?;
    operands.comma()?;
    let (callee, callee_range) = operands.name()?;
    operands.comma()?;
    let token = operands.lexer.next();
    let Kind::Integer(count) = token.kind else {
        return Err(Fault::new(token.range, "expected a number"));
    };
    operands.end()?;
    let mut symbol = |name: &str, range| {
        let id = assembler.symbols.intern(name);
        (id, assembler.span(operands.offset, range))
    };
    let edge = CallEdge { caller: symbol(caller, range), callee: symbol(callee, callee_range), count };
    assembler.links.calls.push(edge);
    Ok(())
}

impl Assembler<'_> {
    /// Writes the section of the counts; the relocations in it.
    pub fn write_profile(&mut self) -> Vec<Relocation> {
        let calls = std::mem::take(&mut self.links.calls);
        if calls.is_empty() {
            return Vec::new();
        }
        let section = self.open_section(SECTION, sht::LLVM_CALL_GRAPH_PROFILE, shf::EXCLUDE, COUNT_SIZE);
        let mut relocations = Vec::new();
        for call in calls {
            let offset = self.sections.get(section).bytes.len() as u64;
            for (symbol, span) in [call.caller, call.callee] {
                if self.is_nowhere(symbol) {
                    let message = format!("{} is not defined", self.symbols.get(symbol).name);
                    self.report(span, message);
                }
                self.symbols.register(symbol);
                relocations.push(Relocation {
                    section,
                    offset,
                    kind: RelocationKind::None,
                    term: Some(Term::Symbol(symbol)),
                    addend: 0,
                    weak: false,
                    keep: true,
                });
            }
            self.sections.get_mut(section).bytes.extend(call.count.to_le_bytes());
        }
        relocations
    }

    /// Whether only the linker could know a symbol, which will not see its name.
    fn is_nowhere(&self, symbol: SymbolId) -> bool {
        let symbol = self.symbols.get(symbol);
        symbol.is_temporary() && symbol.definition == Definition::Undefined
    }
}
