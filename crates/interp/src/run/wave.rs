//! A wave: its activations of functions, and where in them its lanes are.
//!
//! An activation has a stack of *levels*: lanes that are together, where they are, and where they meet the lanes of the
//! level below. The top level executes. Lanes that part leave a level that waits where they meet, with all of them, and
//! become levels above it; a level that arrives there goes.

use std::collections::VecDeque;

use wavemark_memmodel::asyncmark::Thread;

use super::bytes::Memory;
use super::flight::Flight;
use crate::lanes::Frame;

/// Lanes that are together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level {
    /// The block that they are in.
    pub block: u32,
    /// The next operation in it.
    pub op: usize,
    /// Which lanes.
    pub mask: u64,
    /// The block where they go on with those below; `None`: behind the function.
    pub meets: Option<u32>,
}

/// An activation of a function.
pub struct Activation {
    /// Which function.
    pub function: usize,
    /// Its registers.
    pub frame: Frame,
    /// Its lanes.
    pub levels: Vec<Level>,
    /// The activation that it was called in. Between them are those that other lanes called at the same place.
    pub caller: usize,
    /// Where its result goes in the registers there.
    pub returns_to: u32,
    /// How many limbs of it are wanted there.
    pub results: u32,
    /// The top of the stack when it was entered.
    pub stack: u64,
}

/// What a wave is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It can go on.
    Running,
    /// It waits for a barrier.
    Waits(super::barrier::Name),
    /// It has ended.
    Ended,
}

/// A wave.
pub struct Wave {
    /// Which of its workgroup.
    pub number: u32,
    /// Which of the launch, for barriers.
    pub index: u32,
    /// The lanes that it has.
    pub lanes: u64,
    /// What it is doing.
    pub state: State,
    /// Its activations, the innermost last.
    pub activations: Vec<Activation>,
    /// Its asynchronous operations by their marks.
    pub marks: Thread,
    /// Those that are not known to be done, the oldest first.
    pub flights: VecDeque<Flight>,
    /// The stacks of its lanes, one behind the other.
    pub scratch: Memory,
    /// Bytes of one lane's.
    pub scratch_stride: u64,
    /// The top of the stack.
    pub stack: u64,
    /// The MODE register.
    pub mode: u32,
    /// The named barrier that it has joined.
    pub joined: Option<u64>,
    /// Operations executed.
    pub steps: u64,
}

/// Where stacks begin: address 0 of scratch is nobody's.
pub const FIRST_SCRATCH: u64 = 16;

impl Wave {
    /// Where the lanes of a level that branch meet, and the levels above it that they become. `ways` are the blocks that
    /// they go to, each with its lanes.
    pub fn part(levels: &mut Vec<Level>, meets: Option<u32>, ways: &[(u32, u64)]) {
        let Some(own) = levels.pop() else { return };
        if meets.is_some() && meets != own.meets {
            let (block, mask) = (meets.unwrap_or(own.block), ways.iter().fold(0, |all, way| all | way.1));
            levels.push(Level { block, op: 0, mask, meets: own.meets });
        }
        // Where nothing is between, they meet behind what the level below waits for.
        let meets = meets.or(own.meets);
        for &(block, mask) in ways.iter().rev() {
            if mask != 0 && Some(block) != meets {
                levels.push(Level { block, op: 0, mask, meets });
            }
        }
    }

    /// Room on the stack of every lane; its address. `None`: there is none left.
    pub fn room(&mut self, bytes: u64, align: u64) -> Option<u64> {
        let at = self.stack.checked_next_multiple_of(align.max(1))?;
        let end = at.checked_add(bytes)?;
        if end > self.scratch_stride {
            let lanes = 64 - self.lanes.leading_zeros() as u64;
            let stride = end.checked_next_power_of_two()?.max(1024);
            if stride > MOST_SCRATCH || wavemark_budget::room_for(stride * lanes).is_err() {
                return None;
            }
            let mut wider = Memory::new((stride * lanes) as usize);
            let mut bytes = vec![0; self.scratch_stride as usize];
            for lane in 0..lanes {
                let from = lane * self.scratch_stride;
                let states = self.scratch.states(from, bytes.len()).map(<[_]>::to_vec).unwrap_or_default();
                self.scratch.read(from, &mut bytes);
                wider.write(lane * stride, &bytes, super::bytes::State::VALUE);
                wider.mark(lane * stride, &states);
            }
            (self.scratch, self.scratch_stride) = (wider, stride);
        }
        self.stack = end;
        Some(at)
    }
}

/// Bytes of a lane's stack at most.
const MOST_SCRATCH: u64 = 1 << 18;

#[cfg(test)]
mod tests {
    use super::*;

    fn level(block: u32, mask: u64, meets: Option<u32>) -> Level {
        Level { block, op: 0, mask, meets }
    }

    #[test]
    fn lanes_part_and_meet() {
        let mut levels = vec![level(0, 0xf, None)];
        Wave::part(&mut levels, Some(3), &[(1, 3), (2, 12)]);
        assert_eq!(levels, [level(3, 0xf, None), level(2, 12, Some(3)), level(1, 3, Some(3))]);
        // A loop that lanes leave one after the other needs one level.
        let mut levels = vec![level(0, 0xf, None)];
        Wave::part(&mut levels, Some(2), &[(1, 7), (2, 8)]);
        Wave::part(&mut levels, Some(2), &[(1, 3), (2, 4)]);
        assert_eq!(levels, [level(2, 0xf, None), level(1, 3, Some(2))]);
        // Behind the function.
        let mut levels = vec![level(0, 0xf, None)];
        Wave::part(&mut levels, None, &[(1, 3), (2, 12)]);
        assert_eq!(levels, [level(2, 12, None), level(1, 3, None)]);
    }

    #[test]
    fn stacks_grow() {
        let mut wave = Wave {
            number: 0,
            index: 0,
            lanes: 3,
            state: State::Running,
            activations: Vec::new(),
            marks: Thread::default(),
            flights: VecDeque::new(),
            scratch: Memory::default(),
            scratch_stride: 0,
            stack: FIRST_SCRATCH,
            mode: 0,
            joined: None,
            steps: 0,
        };
        assert_eq!(wave.room(4, 4), Some(16));
        let stride = wave.scratch_stride;
        wave.scratch.write(stride + 16, &[1, 2, 3, 4], super::super::bytes::State::VALUE);
        assert_eq!(wave.room(4000, 8), Some(24));
        let mut word = [0; 4];
        wave.scratch.read(wave.scratch_stride + 16, &mut word);
        assert_eq!(word, [1, 2, 3, 4]);
        assert_eq!(wave.room(MOST_SCRATCH, 4), None);
    }
}
