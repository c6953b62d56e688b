//! Waits of a test that are stronger than it needs: proven, since the weaker test is explored too.

use super::event::TooMany;
use super::explore::{Bounds, Explored, explore};
use super::{Condition, Instruction, Test};

/// A wait that could be weaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Advice {
    /// Whose.
    pub thread: usize,
    /// Which instruction.
    pub instruction: usize,
    /// The largest number that does; `None` if the wait is not needed.
    pub n: Option<u32>,
}

impl Advice {
    /// The rule: W1 for a wait that is not needed, W2 for one that is too strong.
    pub fn rule(&self) -> &'static str {
        if self.n.is_none() { "W1" } else { "W2" }
    }
}

/// For each wait of a test in which nothing is wrong, whether it can go, or its number grow, with the same final states
/// and still nothing wrong. Each is found with the others as they are.
pub fn advice(test: &Test, found: &Explored, bounds: Bounds) -> Result<Vec<Advice>, TooMany> {
    let mut advice = Vec::new();
    if !is_right(found) {
        return Ok(advice);
    }
    for (thread, own) in test.threads.iter().enumerate() {
        let issued = |instruction: &&Instruction| {
            matches!(
                instruction,
                Instruction::Copy(..)
                    | Instruction::LoadInFlight(..)
                    | Instruction::StoreInFlight(..)
                    | Instruction::Mark(_)
            )
        };
        let most = own.instructions.iter().filter(issued).count() as u32;
        for (at, instruction) in own.instructions.iter().enumerate() {
            let same = |instruction: Instruction| -> Result<bool, TooMany> {
                let mut weaker = test.clone();
                weaker.threads[thread].instructions[at] = instruction;
                let explored = explore(&weaker, bounds)?;
                Ok(is_right(&explored) && explored.outcomes.keys().eq(found.outcomes.keys()))
            };
            let (n, with): (u32, Box<dyn Fn(u32) -> Instruction>) = match *instruction {
                Instruction::WaitMark(n, stages) => (n, Box::new(move |n| Instruction::WaitMark(n, stages))),
                Instruction::WaitCounter(counter, n) => {
                    (n, Box::new(move |n| Instruction::WaitCounter(counter, n)))
                }
                _ => continue,
            };
            if same(Instruction::Jump(at + 1, Condition::Always))? {
                advice.push(Advice { thread, instruction: at, n: None });
                continue;
            }
            // What is enough for a number is enough for those below it.
            let mut largest = n;
            while largest < most && same(with(largest + 1))? {
                largest += 1;
            }
            if largest > n {
                advice.push(Advice { thread, instruction: at, n: Some(largest) });
            }
        }
    }
    Ok(advice)
}

fn is_right(found: &Explored) -> bool {
    found.finished && found.faults.is_empty() && !found.deadlocks
}
