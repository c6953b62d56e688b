//! Random words: what both disassemblers make of bytes that nobody wrote.
//!
//! Three in four are made from the rows of the instruction table, the others are random altogether. A word is followed
//! by more bytes than any instruction has, so that either side says how long the instruction is. Of gfx6 and gfx7, which
//! LLVM has no disassembler of, our text is assembled by both sides: both must give the same bytes, and these a text
//! that gives them again.

use anyhow::Result;
use wavemark_asm::lines::{Answer as Ours, assemble_line};
use wavemark_filetests::random::Random;
use wavemark_isa::{decode, print};

use super::generate::{self, Wanted};
use super::tally::Tally;
use super::worker::{Direction, ask};
use super::{Side, hex, llvm};

/// Bytes of a question: more than the longest instruction.
const LENGTH: usize = 24;

/// Words that are asked at once.
const BATCH: usize = 100_000;

/// Asks for so many words.
pub fn compare(side: &Side, wanted: Wanted, words: usize, random: &mut Random) -> Result<Tally> {
    let mut tally = Tally::default();
    let mut left = words;
    while left > 0 {
        let batch = questions(side, wanted, left.min(BATCH), random);
        if batch.is_empty() {
            break;
        }
        left -= left.min(BATCH);
        tally.absorb(match llvm::disassembles(side.cpu) {
            true => disassembled(side, &batch)?,
            false => read_back(side, &batch)?,
        });
    }
    Ok(tally)
}

fn questions(side: &Side, wanted: Wanted, count: usize, random: &mut Random) -> Vec<Vec<u8>> {
    let machine = side.subtarget.machine;
    let mut words = Vec::with_capacity(count);
    for _ in 0..count.saturating_mul(wanted.tries()) {
        let mut bytes = match random.one_in(4) {
            true => Vec::new(),
            false => generate::bytes(random, machine),
        };
        while bytes.len() < LENGTH {
            bytes.extend((random.bits() as u32).to_le_bytes());
        }
        bytes.truncate(LENGTH);
        let holds =
            |only: &str| decode(machine, &bytes).is_ok_and(|inst| print(machine, &inst).contains(only));
        if wanted.only.is_none_or(holds) {
            words.push(bytes);
            if words.len() == count {
                break;
            }
        }
    }
    words
}

/// Ours: length, tab and text.
fn ours(side: &Side, bytes: &[u8]) -> Ours {
    let machine = side.subtarget.machine;
    match decode(machine, bytes) {
        Ok(inst) => Ours::Ok(format!("{}\t{}", inst.size, print(machine, &inst))),
        Err(error) => Ours::Err(error.to_string()),
    }
}

fn disassembled(side: &Side, words: &[Vec<u8>]) -> Result<Tally> {
    let lines: Vec<String> = words.iter().map(|bytes| hex(bytes)).collect();
    let theirs = ask(Direction::Words, side.cpu, side.features, &lines)?;
    let mut tally = Tally::default();
    let mut differences = Vec::new();
    for ((line, bytes), theirs) in lines.iter().zip(words).zip(&theirs) {
        differences.extend(tally.add(line, &ours(side, bytes), theirs));
    }
    super::classify(side, Direction::Words, differences, &mut tally)?;
    Ok(tally)
}

/// The text of every word that we read, as both sides assemble it. Where our own bytes do not come back, the
/// word counts as refused by us.
fn read_back(side: &Side, words: &[Vec<u8>]) -> Result<Tally> {
    let machine = side.subtarget.machine;
    let texts: Vec<String> = words
        .iter()
        .filter_map(|bytes| Some(print(machine, &decode(machine, bytes).ok()?)))
        .filter(|text| !text.contains("/*") && !text.contains(';'))
        .collect();
    let theirs = ask(Direction::Asm, side.cpu, side.features, &texts)?;
    let mut tally = Tally::default();
    let mut differences = Vec::new();
    for (text, theirs) in texts.iter().zip(&theirs) {
        let ours = match assemble_line(text, &side.subtarget) {
            Ours::Ok(digits) => {
                let again = super::unhex(&digits)
                    .and_then(|bytes| Some(print(machine, &decode(machine, &bytes).ok()?)));
                match again.map(|again| assemble_line(&again, &side.subtarget)) {
                    Some(Ours::Ok(back)) if back == digits => Ours::Ok(digits),
                    back => Ours::Err(format!("{digits} comes back as {back:?}")),
                }
            }
            other => other,
        };
        differences.extend(tally.add(text, &ours, theirs));
    }
    super::classify(side, Direction::Asm, differences, &mut tally)?;
    tally.add_refused(words.len() - texts.len());
    Ok(tally)
}
