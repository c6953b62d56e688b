//! The pipelined loop as a sequence of time steps, executed symbolically: which commits are behind which statement.
//!
//! At time `t` (from 0) the statement of stage `s` executes source iteration `t - s`, if the loop has it. The
//! prologue is `t < S` for the largest stage `S`, the body `S <= t < extent`, the epilogue the rest. A timeline
//! knows nothing of buffers: it is given, for each statement, the asynchronous instances that must have completed
//! before it ([`Need`]), and says where the waits given to it do not suffice and what count would.
//!
//! Why a sample of extents proves all of them: what happens at a time depends on the times at most `lookback`
//! before it and on whether iterations 0 and `extent` are within that distance. In a body longer than the lookback
//! all further time steps are copies of one another, so a longer extent adds copies and nothing new.

/// A section of a pipelined loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// Fills the pipeline; unrolled.
    Prologue,
    /// All stages run.
    Body,
    /// Drains the pipeline; unrolled.
    Epilogue,
}

impl Section {
    /// All, in the order of execution.
    pub const ALL: [Section; 3] = [Section::Prologue, Section::Body, Section::Epilogue];

    /// Statements of the stage run in the section: the last stage has not begun in the prologue, the first has ended
    /// in the epilogue.
    pub fn has_stage(self, stage: i64, max_stage: i64) -> bool {
        match self {
            Section::Prologue => stage < max_stage,
            Section::Body => true,
            Section::Epilogue => stage > 0,
        }
    }

    /// Statements of the stage run in the section, and in none after it.
    pub fn is_last_with(self, stage: i64) -> bool {
        self == if stage > 0 { Section::Epilogue } else { Section::Body }
    }
}

/// Before a statement executes source iteration `i`, what the asynchronous statement `producer` did for iteration
/// `i - distance` must have completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Need {
    /// The asynchronous statement, in source order.
    pub producer: usize,
    /// Iterations between the two, at least 0.
    pub distance: i64,
    /// Why.
    pub reason: Reason,
}

/// Why a statement must come after an asynchronous one has completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It reads what the other wrote.
    Flow,
    /// It overwrites what the other reads or wrote.
    Reuse,
}

/// How many of the newest groups may be in flight, by time step of the section (relative to its first).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts(pub Vec<Option<i64>>);

impl Counts {
    /// The count at a time step of the section; steps beyond the table are like its last.
    pub fn at(&self, step: i64) -> Option<i64> {
        let last = self.0.len().checked_sub(1)?;
        self.0[last.min(usize::try_from(step).unwrap_or(0))]
    }

    /// Lowers the count of a step to `count`.
    fn lower(&mut self, step: usize, count: i64) -> bool {
        if self.0.len() <= step {
            self.0.resize(step + 1, None);
        }
        let old = self.0[step];
        self.0[step] = Some(old.map_or(count, |old| old.min(count)));
        self.0[step] != old
    }
}

/// A wait in front of a statement of a section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    /// Which queue, as the stage that commits to it.
    pub stage: i64,
    /// How many groups may stay in flight.
    pub counts: Counts,
}

/// The waits of a pipeline: by section, then by statement.
pub type Waits = [Vec<Vec<Wait>>; 3];

/// The shape of a pipelined loop.
#[derive(Clone, Debug)]
pub struct Timeline {
    /// Stage of each statement.
    pub stages: Vec<i64>,
    /// The statements by position.
    pub order: Vec<usize>,
    /// Largest stage.
    pub max_stage: i64,
    /// Which statements run asynchronously.
    pub asynchronous: Vec<bool>,
    /// By section: groups of positions that are committed together, `(first, last)`.
    pub groups: [Vec<(usize, usize)>; 3],
    /// The needs of each statement.
    pub needs: Vec<Vec<Need>>,
    /// Iterations of the loop, where known.
    pub extent: Option<i64>,
}

/// A need that the waits so far do not meet.
#[derive(Clone, Copy, Debug)]
pub struct Unmet {
    /// Where.
    pub section: Section,
    /// The time step of the section.
    pub step: usize,
    /// The statement that needs it.
    pub consumer: usize,
    /// What it needs.
    pub need: Need,
    /// The largest count of a wait in front of the statement that suffices; `None`: the group is not committed, so
    /// that none does.
    pub count: Option<i64>,
}

/// What the waits of a timeline do.
pub struct Verdict {
    /// They meet every need.
    pub right: bool,
    /// For each statement: an asynchronous instance of it may be in flight after the last time step.
    pub left_in_flight: Vec<bool>,
}

/// Counts that a wait gets while the timeline runs.
pub enum Source<'a> {
    /// As given.
    Table,
    /// Computed at the wait: the largest count which covers the flow needs of these statements that run at the same
    /// time step. Lowered in the table as it is found.
    Cover(&'a [Vec<usize>; 3]),
}

struct Queues {
    stage: Vec<i64>,
    committed: Vec<i64>,
    completed: Vec<i64>,
}

impl Queues {
    fn index(&self, stage: i64) -> Option<usize> {
        self.stage.iter().position(|&known| known == stage)
    }
}

/// The number in its queue of the group that a statement was committed in, by source iteration.
struct Commits {
    /// Where those of a statement begin; statements that stand in no group have none.
    starts: Vec<usize>,
    groups: Vec<Option<i64>>,
}

impl Commits {
    fn new(timeline: &Timeline, iterations: usize) -> Commits {
        let mut starts = vec![0; timeline.stages.len() + 1];
        for &(first, last) in timeline.groups.iter().flatten() {
            for &member in &timeline.order[first..=last] {
                starts[member + 1] = iterations;
            }
        }
        let mut end = 0;
        for start in &mut starts {
            end += *start;
            *start = end;
        }
        Commits { starts, groups: vec![None; end] }
    }

    fn of(&self, statement: usize) -> &[Option<i64>] {
        &self.groups[self.starts[statement]..self.starts[statement + 1]]
    }

    fn of_mut(&mut self, statement: usize) -> &mut [Option<i64>] {
        &mut self.groups[self.starts[statement]..self.starts[statement + 1]]
    }

    fn get(&self, statement: usize, iteration: usize) -> Option<i64> {
        self.of(statement).get(iteration).copied().flatten()
    }
}

impl Timeline {
    /// The section of a time step and the step's number in it.
    fn section(&self, time: i64, extent: i64) -> (Section, i64) {
        if time < self.max_stage {
            (Section::Prologue, time)
        } else if time < extent {
            (Section::Body, time - self.max_stage)
        } else {
            (Section::Epilogue, time - extent.max(self.epilogue_floor()))
        }
    }

    /// The first value of the epilogue's variable for extents below the largest stage: it is clamped only where the
    /// extent is known.
    fn epilogue_floor(&self) -> i64 {
        if self.extent.is_some() { self.max_stage } else { 0 }
    }

    /// How far back in time a step can look.
    fn lookback(&self) -> i64 {
        let reach =
            |consumer: usize, need: &Need| self.stages[consumer] - self.stages[need.producer] + need.distance;
        let needs = self.needs.iter().enumerate();
        needs
            .flat_map(|(consumer, needs)| needs.iter().map(move |need| reach(consumer, need)))
            .max()
            .unwrap_or(0)
    }

    /// The extents that stand for all.
    fn samples(&self) -> std::ops::RangeInclusive<i64> {
        let enough = self.max_stage + 2 * self.lookback() + 3;
        match self.extent {
            Some(extent) => extent.clamp(0, enough)..=extent.clamp(0, enough),
            None => 0..=enough,
        }
    }

    /// Executes the pipeline with these waits for every extent that matters. `unmet` is told of each need that they
    /// do not meet; it may add waits, and says whether it put one in front of the very statement.
    pub fn run(&self, waits: &mut Waits, source: &Source, unmet: &mut impl FnMut(&mut Waits, Unmet) -> bool) {
        for extent in self.samples() {
            self.run_extent(extent, waits, source, unmet);
        }
    }

    /// The statements that commit, wait or need something, with their positions: nothing happens at the others. (A wait
    /// is only ever added in front of a statement that needs something.)
    fn concerned(&self, waits: &Waits) -> Vec<(usize, usize)> {
        let waiting = |statement: usize| waits.iter().any(|waits| !waits[statement].is_empty());
        let concerned = |&(_, statement): &(usize, usize)| {
            self.asynchronous[statement] || !self.needs[statement].is_empty() || waiting(statement)
        };
        self.order.iter().copied().enumerate().filter(concerned).collect()
    }

    fn run_extent(
        &self,
        extent: i64,
        waits: &mut Waits,
        source: &Source,
        unmet: &mut impl FnMut(&mut Waits, Unmet) -> bool,
    ) -> (Queues, Commits) {
        let mut queues = self.queues();
        let mut commits = Commits::new(self, usize::try_from(extent).unwrap_or(0));
        let group_ends = self.group_ends();
        let steps = self.concerned(waits);
        for time in 0..extent + self.max_stage {
            let (section, step) = self.section(time, extent);
            for &(position, statement) in &steps {
                let iteration = time - self.stages[statement];
                if !(0..extent).contains(&iteration) {
                    continue;
                }
                let place = section as usize;
                for wait in &mut waits[place][statement] {
                    if let Source::Cover(consumers) = source {
                        self.cover(wait, &consumers[place], time, extent, step as usize, &queues, &commits);
                    }
                    if let (Some(queue), Some(count)) = (queues.index(wait.stage), wait.counts.at(step))
                        && count >= 0
                    {
                        let floor = queues.committed[queue] - count;
                        queues.completed[queue] = queues.completed[queue].max(floor);
                    }
                }
                for &need in &self.needs[statement] {
                    let Some(source) = usize::try_from(iteration - need.distance).ok() else { continue };
                    let queue = queues.index(self.stages[need.producer]);
                    let committed = commits.get(need.producer, source);
                    let count = match (queue, committed) {
                        (Some(queue), Some(index)) if queues.completed[queue] > index => continue,
                        (Some(_), Some(_)) if self.in_queue_order(statement, need) => continue,
                        (Some(queue), Some(index)) => Some(queues.committed[queue] - index - 1),
                        _ => None,
                    };
                    let report = Unmet { section, step: step as usize, consumer: statement, need, count };
                    if unmet(waits, report)
                        && let (Some(queue), Some(count)) = (queue, count)
                    {
                        queues.completed[queue] =
                            queues.completed[queue].max(queues.committed[queue] - count);
                    }
                }
                if let Some(first) = group_ends[place][position]
                    && let Some(queue) = queues.index(self.stages[statement])
                {
                    for &member in &self.order[first..=position] {
                        commits.of_mut(member)[iteration as usize] = Some(queues.committed[queue]);
                    }
                    queues.committed[queue] += 1;
                }
            }
        }
        (queues, commits)
    }

    /// Groups of one queue complete in order: what a group overwrites, earlier groups of its queue are done with. (To
    /// read what they wrote is another matter: a group may begin before they have ended.)
    fn in_queue_order(&self, consumer: usize, need: Need) -> bool {
        need.reason == Reason::Reuse
            && self.asynchronous[consumer]
            && self.stages[consumer] == self.stages[need.producer]
    }

    fn cover(
        &self,
        wait: &mut Wait,
        consumers: &[usize],
        time: i64,
        extent: i64,
        step: usize,
        queues: &Queues,
        commits: &Commits,
    ) {
        let Some(queue) = queues.index(wait.stage) else { return };
        for &consumer in consumers {
            let iteration = time - self.stages[consumer];
            if !(0..extent).contains(&iteration) {
                continue;
            }
            for need in &self.needs[consumer] {
                if need.reason == Reason::Flow
                    && self.stages[need.producer] == wait.stage
                    && let Ok(source) = usize::try_from(iteration - need.distance)
                    && let Some(index) = commits.get(need.producer, source)
                {
                    wait.counts.lower(step, queues.committed[queue] - index - 1);
                }
            }
        }
    }

    fn queues(&self) -> Queues {
        let mut stage: Vec<i64> =
            self.groups.iter().flatten().map(|group| self.stages[self.order[group.0]]).collect();
        stage.sort_unstable();
        stage.dedup();
        let zeros = vec![0; stage.len()];
        Queues { committed: zeros.clone(), completed: zeros, stage }
    }

    /// By section and position: the first position of the group that ends there.
    fn group_ends(&self) -> [Vec<Option<usize>>; 3] {
        Section::ALL.map(|section| {
            let mut ends = vec![None; self.order.len()];
            for &(first, last) in &self.groups[section as usize] {
                ends[last] = Some(first);
            }
            ends
        })
    }

    /// Waits that meet every need, each in front of the first statement that is not served by those before it, with
    /// the largest count that serves. `refine` makes of the counts of a wait what can be written down: it may lower
    /// and add counts, never raise one. An error is a need that no wait can meet.
    pub fn solve(&self, refine: &impl Fn(Section, &Counts) -> Counts) -> Result<Waits, Unmet> {
        let mut waits = self.no_waits();
        loop {
            let before = waits.clone();
            let mut hopeless = None;
            self.run(&mut waits, &Source::Table, &mut |waits, unmet| {
                let Some(count) = unmet.count else {
                    hopeless = hopeless.or(Some(unmet));
                    return false;
                };
                let stage = self.stages[unmet.need.producer];
                let list = &mut waits[unmet.section as usize][unmet.consumer];
                let index = list.iter().position(|wait| wait.stage == stage).unwrap_or_else(|| {
                    list.push(Wait { stage, counts: Counts(Vec::new()) });
                    list.len() - 1
                });
                list[index].counts.lower(unmet.step, count);
                true
            });
            if let Some(unmet) = hopeless {
                return Err(unmet);
            }
            for section in Section::ALL {
                for wait in waits[section as usize].iter_mut().flatten() {
                    wait.counts = refine(section, &wait.counts);
                }
            }
            if waits == before {
                return Ok(waits);
            }
        }
    }

    /// What happens with these waits.
    pub fn judge(&self, mut waits: Waits) -> Verdict {
        let mut unmet = false;
        let mut found = vec![false; self.stages.len()];
        for extent in self.samples() {
            let (queues, commits) = self.run_extent(extent, &mut waits, &Source::Table, &mut |_, _| {
                unmet = true;
                false
            });
            for (statement, found) in found.iter_mut().enumerate() {
                *found |= queues.index(self.stages[statement]).is_some_and(|queue| {
                    commits
                        .of(statement)
                        .iter()
                        .flatten()
                        .max()
                        .is_some_and(|&last| last >= queues.completed[queue])
                });
            }
        }
        Verdict { right: !unmet, left_in_flight: found }
    }

    /// No waits at all.
    pub fn no_waits(&self) -> Waits {
        Section::ALL.map(|_| vec![Vec::new(); self.stages.len()])
    }
}
