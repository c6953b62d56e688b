//! How near to the hardware the simulator is, for people to read: what it does nearly so, and which instructions it
//! refuses. Whatever is in neither list is done as the manuals say.

use std::sync::LazyLock;

use wavemark_isa::Table;
use wavemark_target::{InstructionSets, Machine};

/// Sections of a reason (`# …`), each with lines of instruction sets and the rows that it is the reason of, in those sets
/// that have them. A test holds it against what can be bound.
const REFUSED: &str = include_str!("fidelity/refused.txt");

/// Lines of instruction sets, subject, manner, and the instructions that are concerned.
const APPROXIMATE: &str = include_str!("fidelity/approximate.txt");

/// Something that is done nearly as the hardware does it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Approximation {
    /// What.
    pub subject: &'static str,
    /// How it differs.
    pub manner: &'static str,
    /// Each a name, or the beginning of one and `*`; none: not of single instructions.
    instructions: &'static [&'static str],
}

impl Approximation {
    /// Whether the instruction called `mnemonic` is done nearly so.
    pub fn is_of(&self, mnemonic: &str) -> bool {
        self.instructions.iter().any(|pattern| means(pattern, mnemonic))
    }
}

fn means(pattern: &str, mnemonic: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(beginning) => mnemonic.starts_with(beginning),
        None => mnemonic == pattern,
    }
}

/// Instructions that stop a run, with the common reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// Why they do.
    pub reason: &'static str,
    /// Their names.
    pub instructions: Vec<&'static str>,
}

/// A line of the list of refused instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RefusedLine {
    /// Its number in the file.
    pub(crate) number: usize,
    pub(crate) reason: &'static str,
    pub(crate) sets: InstructionSets,
    /// Separated by spaces.
    pub(crate) instructions: &'static str,
}

/// The lines of the list of refused instructions; the error is the number of one that cannot be read.
pub(crate) fn refused_lines() -> impl Iterator<Item = Result<RefusedLine, usize>> {
    let mut reason = "";
    REFUSED.lines().zip(1..).filter(|(line, _)| !line.is_empty()).filter_map(move |(line, number)| {
        if let Some(text) = line.strip_prefix("# ") {
            reason = text;
            return None;
        }
        let parsed = line.split_once(' ').and_then(|(sets, instructions)| {
            let sets = InstructionSets::parse(sets).ok()?;
            Some(RefusedLine { number, reason, sets, instructions })
        });
        Some(parsed.filter(|line| !line.reason.is_empty()).ok_or(number))
    })
}

/// How near to the hardware the simulator is on a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fidelity {
    /// How many instructions the machine has.
    pub instructions: usize,
    /// What is done nearly so.
    pub approximations: Vec<Approximation>,
    /// What is refused, by reason.
    pub refused: Vec<Refused>,
}

/// How near to the hardware the simulator is on `machine`.
pub fn fidelity(machine: Machine) -> Fidelity {
    Fidelity {
        instructions: Table::of(machine).rows().len(),
        approximations: approximations(machine).collect(),
        refused: refused(machine),
    }
}

/// The instructions of `machine` that are refused.
fn refused(machine: Machine) -> Vec<Refused> {
    let table = Table::of(machine);
    let mut groups: Vec<Refused> = Vec::new();
    for line in refused_lines().flatten().filter(|line| line.sets.contains(machine.instruction_sets())) {
        let own = line.instructions.split(' ').filter(|name| table.by_mnemonic(name).next().is_some());
        match groups.last_mut().filter(|group| group.reason == line.reason) {
            Some(group) => group.instructions.extend(own),
            None => groups.push(Refused { reason: line.reason, instructions: own.collect() }),
        }
    }
    groups.retain(|group| !group.instructions.is_empty());
    groups
}

/// What is done nearly so on `machine`.
pub(crate) fn approximations(machine: Machine) -> impl Iterator<Item = Approximation> {
    // Every report asks.
    static LINES: LazyLock<Vec<(InstructionSets, Approximation)>> =
        LazyLock::new(|| approximate_lines().flatten().collect());
    let sets = machine.instruction_sets();
    LINES.iter().filter(move |(of, _)| of.contains(sets)).map(|&(_, approximation)| approximation)
}

/// The lines of the list of approximations, with their sets; the error is one that cannot be read.
fn approximate_lines() -> impl Iterator<Item = Result<(InstructionSets, Approximation), &'static str>> {
    APPROXIMATE.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let mut parts = line.split(" | ");
        let sets = parts.next().and_then(|sets| InstructionSets::parse(sets).ok()).ok_or(line)?;
        let (subject, manner) = parts.next().zip(parts.next()).ok_or(line)?;
        // Read once, and kept.
        let instructions: Vec<&str> = parts.next().unwrap_or_default().split_whitespace().collect();
        Ok((sets, Approximation { subject, manner, instructions: instructions.leak() }))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_can_be_read() {
        assert_eq!(refused_lines().find_map(Result::err), None);
        assert_eq!(approximate_lines().find_map(Result::err), None);
    }

    /// A name that no row has says nothing.
    #[test]
    fn every_approximate_instruction_is_one() {
        let tables = crate::modelled::machines::ALL.map(Table::of);
        for (_, approximation) in approximate_lines().flatten() {
            for pattern in approximation.instructions {
                assert!(
                    tables.iter().any(|table| table.rows().any(|row| means(pattern, row.mnemonic))),
                    "{pattern}"
                );
            }
        }
    }
}
