//! Places of a running program as reports name them: address, text, source line.

use wavemark_codeobj::lines::{LineTable, SourceLine};
use wavemark_isa::{Inst, Machine, decode, encode, print};
use wavemark_sim::events::WaveId;
use wavemark_sim::modelled;

use crate::report::{Lanes, Site};

/// The text of an instruction. Halves of registers are written where `machine` has the code written so, and where it
/// is an instruction in no other form: code objects do not say how theirs was written.
pub fn instruction_text(machine: Machine, inst: &Inst) -> String {
    let executed_by = modelled(machine).unwrap_or(machine);
    let bytes = encode(executed_by, inst);
    let form = if bytes.is_ok_and(|bytes| decode(machine, &bytes).is_err()) { executed_by } else { machine };
    print(form, inst)
}

/// Names the instructions of a loaded code object.
#[derive(Debug)]
pub struct Places<'l> {
    /// How instructions are read and written.
    pub machine: Machine,
    /// Where the code object is loaded; reports count addresses from here, as disassemblers do.
    pub base: u64,
    /// Addresses, counted from there, to source lines.
    pub lines: &'l LineTable,
}

impl Places<'_> {
    /// The instruction's text.
    pub fn text(&self, inst: &Inst) -> String {
        instruction_text(self.machine, inst)
    }

    /// `file:line:column` of a loaded address; without column where the table has none.
    pub fn source(&self, pc: u64) -> Option<String> {
        self.lines.lookup(pc.wrapping_sub(self.base)).and_then(written)
    }

    /// Where the code at a loaded address was called, if it was inlined: the innermost call first.
    pub fn callers(&self, pc: u64) -> Vec<String> {
        self.lines.callers(pc.wrapping_sub(self.base)).filter_map(written).collect()
    }

    /// The site of an instruction, as `wave` came by.
    pub fn site(&self, role: &str, pc: u64, inst: &Inst, wave: Option<WaveId>, lanes: Option<u64>) -> Site {
        Site {
            role: role.to_owned(),
            pc: Some(pc.wrapping_sub(self.base)),
            text: self.text(inst),
            source: self.source(pc),
            callers: self.callers(pc),
            workgroup: wave.map(|wave| wave.workgroup),
            wave: wave.map(|wave| wave.wave),
            lanes: lanes.map(Lanes),
            iteration: None,
            note: None,
        }
    }
}

/// A place as `file:line:column`, if it belongs to a line.
fn written(place: SourceLine<'_>) -> Option<String> {
    let file = place.file.strip_prefix("./").unwrap_or(place.file);
    match (place.line, place.column) {
        (0, _) => None,
        (line, 0) => Some(format!("{file}:{line}")),
        (line, column) => Some(format!("{file}:{line}:{column}")),
    }
}
