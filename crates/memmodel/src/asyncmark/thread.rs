//! The definition: one thread on one path.
//!
//! A mark covers all operations of its stage issued before it, so it is the number of them; what is done is a prefix of
//! what was issued, since marks are taken oldest first and a younger mark covers no less. Of the document's words:
//! *current sequence* is [`Frame`]'s, *completed-at* is the wait that takes the mark.

use std::collections::VecDeque;

use super::{Position, STAGES, Stage, Stages};

/// An operation as issued: the n-th of its stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Instance {
    /// The stage.
    pub stage: Stage,
    /// How many of the stage were issued before it.
    pub number: u32,
}

/// The marks of an activation of a function: for each stage, how many operations each mark covers, the oldest first.
type Frame = [VecDeque<u32>; STAGES];

/// A thread: its activations, and the operations that it has issued.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Thread {
    /// The innermost last; never empty.
    frames: Vec<Frame>,
    /// By stage: what was issued, by the caller's numbers of operations.
    issued: [Vec<u32>; STAGES],
    /// By stage: the first so many are done.
    done: [u32; STAGES],
}

impl Default for Thread {
    fn default() -> Thread {
        Thread { frames: vec![Frame::default()], issued: Default::default(), done: [0; STAGES] }
    }
}

impl Thread {
    /// Issues an instance of `operation`.
    pub fn issue(&mut self, operation: u32, stage: Stage) -> Instance {
        let issued = &mut self.issued[usize::from(stage)];
        issued.push(operation);
        Instance { stage, number: issued.len() as u32 - 1 }
    }

    /// Appends a mark to the sequence of each of the stages.
    pub fn mark(&mut self, stages: Stages) {
        for stage in stages.iter().map(usize::from) {
            let covers = self.issued[stage].len() as u32;
            self.frame_mut()[stage].push_back(covers);
        }
    }

    /// Takes the oldest marks of each of the stages until `n` are left; the instances that are done by it.
    pub fn wait(&mut self, n: u32, stages: Stages) -> Vec<Instance> {
        let mut completed = Vec::new();
        for stage in stages.iter() {
            let at = usize::from(stage);
            while self.frames.last().is_some_and(|frame| frame[at].len() > n as usize) {
                let covers = self.frame_mut()[at].pop_front().expect("longer than n");
                completed.extend((self.done[at]..covers).map(|number| Instance { stage, number }));
                self.done[at] = self.done[at].max(covers);
            }
        }
        completed
    }

    /// Enters a function, with a sequence of its own.
    pub fn call(&mut self) {
        self.frames.push(Frame::default());
    }

    /// Leaves it; its marks are forgotten.
    ///
    /// # Panics
    /// Behind the outermost activation.
    pub fn ret(&mut self) {
        self.frames.pop();
        assert!(!self.frames.is_empty(), "nothing is left to return to");
    }

    /// How many marks of `stage` the current sequence has.
    pub fn length(&self, stage: Stage) -> u32 {
        self.frame()[usize::from(stage)].len() as u32
    }

    /// How many marks of `stage` the sequence of each activation has, the outermost first.
    pub fn lengths(&self, stage: Stage) -> impl Iterator<Item = u32> {
        self.frames.iter().map(move |frame| frame[usize::from(stage)].len() as u32)
    }

    /// Where an instance stands for the current function.
    pub fn position(&self, instance: Instance) -> Position {
        self.position_in(self.frame(), instance)
    }

    /// All instances of `stage` with their operation, the youngest first.
    pub fn instances(&self, stage: Stage) -> impl Iterator<Item = (u32, Instance)> {
        let issued = self.issued[usize::from(stage)].iter().enumerate().rev();
        issued.map(move |(number, &operation)| (operation, Instance { stage, number: number as u32 }))
    }

    /// Whether an instance is guaranteed to be done.
    pub fn is_done(&self, instance: Instance) -> bool {
        instance.number < self.done[usize::from(instance.stage)]
    }

    /// Where an instance stands in each activation, the outermost first.
    pub fn positions(&self, instance: Instance) -> impl Iterator<Item = Position> {
        self.frames.iter().map(move |frame| self.position_in(frame, instance))
    }

    fn position_in(&self, frame: &Frame, instance: Instance) -> Position {
        if self.is_done(instance) {
            return Position::Done;
        }
        let marks = &frame[usize::from(instance.stage)];
        match marks.iter().rev().take_while(|&&covers| covers > instance.number).count() {
            0 => Position::Unmarked,
            covering => Position::Behind(covering as u32 - 1),
        }
    }

    fn frame(&self) -> &Frame {
        self.frames.last().expect("a thread is in a function")
    }

    fn frame_mut(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a thread is in a function")
    }
}
