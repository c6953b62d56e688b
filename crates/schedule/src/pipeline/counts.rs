//! How the count of a wait is written: as a function of the time step of its section.
//!
//! A count in the body is one constant. The prologue and the epilogue are unrolled later, so that a count there may
//! depend on the loop variable and still be a constant of each copy.

use smallvec::SmallVec;

use super::timeline::{Counts, Section};

/// A count as a function of the step `k` of its section, from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// The same in every step.
    Constant(i64),
    /// `first - k`. Below zero nothing is left to wait for, and whoever reads the count may drop the wait.
    Falling(i64),
    /// `max(first - by * k, 0)`.
    FallingToZero {
        /// The count in step 0.
        first: i64,
        /// Groups that a step awaits.
        by: i64,
    },
    /// The value of the first entry whose bound is above `k`; the last entry has the rest.
    Pieces(Vec<(i64, i64)>),
}

/// What is known of the groups that a wait waits for, in its own section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Committed {
    /// None is committed in the section.
    No,
    /// In every step.
    Always,
    /// In some steps.
    Sometimes,
}

impl Form {
    /// The count at step `k`.
    pub fn at(&self, step: i64) -> i64 {
        match self {
            Form::Constant(count) => *count,
            Form::Falling(first) => first - step,
            Form::FallingToZero { first, by } => (first - by * step).max(0),
            Form::Pieces(pieces) => {
                let piece = pieces.iter().find(|piece| step < piece.0).or(pieces.last());
                piece.map_or(0, |piece| piece.1)
            }
        }
    }

    /// The counts of `steps` steps.
    pub fn table(&self, steps: usize) -> Counts {
        Counts((0..steps.max(1)).map(|step| Some(self.at(step as i64))).collect())
    }

    /// The simplest form that is nowhere above `counts` and equal to them where a section allows it.
    pub fn exact(section: Section, counts: &Counts) -> Form {
        let known = known(counts);
        if let Some(constant) = constant(section, &known) {
            return constant;
        }
        let (step, count) = known[0];
        let by = known.get(1).map_or(1, |&(next, lower)| (count - lower) / (next - step)).max(1);
        let falling = Form::FallingToZero { first: count + by * step, by };
        if known.iter().all(|&(step, count)| falling.at(step) == count) { falling } else { pieces(&known) }
    }

    /// As TVM writes a count of that value: a count that falls with the step where nothing is committed any more, a
    /// conditional where something is only at first.
    pub fn customary(section: Section, counts: &Counts, committed: Committed) -> Form {
        let known = known(counts);
        let (step, count) = known.first().copied().unwrap_or((0, 0));
        let falling = Form::Falling(step + count);
        if section == Section::Epilogue
            && committed == Committed::No
            && known.iter().all(|&(step, count)| falling.at(step).max(0) == count)
        {
            return falling;
        }
        if let Some(constant) = constant(section, &known) {
            return constant;
        }
        let conditional = pieces(&known);
        match &conditional {
            Form::Pieces(pieces)
                if committed == Committed::Sometimes && pieces.len() == 2 && pieces[1].1 == 0 =>
            {
                conditional
            }
            _ => Form::exact(section, counts),
        }
    }
}

/// The steps that have a count, with it.
fn known(counts: &Counts) -> SmallVec<[(i64, i64); 16]> {
    counts.0.iter().enumerate().filter_map(|(step, count)| Some((step as i64, (*count)?))).collect()
}

fn constant(section: Section, known: &[(i64, i64)]) -> Option<Form> {
    let least = known.iter().map(|entry| entry.1).min().unwrap_or(0);
    let same = known.iter().all(|entry| entry.1 == least);
    (same || section == Section::Body).then_some(Form::Constant(least))
}

fn pieces(known: &[(i64, i64)]) -> Form {
    let mut pieces: Vec<(i64, i64)> = Vec::new();
    for &(step, count) in known {
        match pieces.last_mut() {
            Some(last) if last.1 == count => last.0 = step + 1,
            _ => pieces.push((step + 1, count)),
        }
    }
    Form::Pieces(pieces)
}
