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

use smallvec::SmallVec;

use super::annotations::Request;

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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts(pub SmallVec<[Option<i64>; 4]>);

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

/// The waits of a pipeline: by section, then by statement. Only statements that need something have any.
pub type Waits = [Vec<Vec<Wait>>; 3];

/// The shape of a pipelined loop.
#[derive(Debug)]
pub struct Timeline<'a> {
    request: &'a Request,
    /// Iterations of the loop, where known.
    extent: Option<i64>,
    /// The queues in use, as the stages that commit to them.
    queues: SmallVec<[i64; 2]>,
    /// In source order.
    statements: Vec<Statement>,
    /// The needs of all statements, in their order.
    needs: Vec<Need>,
    /// The statements that commit or need something, by position: nothing happens at the others.
    concerned: Vec<Concerned>,
    /// How many statements are committed.
    rows: usize,
}

/// What the timeline knows of a statement.
#[derive(Debug)]
struct Statement {
    stage: i64,
    asynchronous: bool,
    /// The queue of its stage, which may be that of other statements only.
    queue: Option<usize>,
    /// Which of the statements that are committed it is.
    row: Option<usize>,
    /// Which of all needs are its own.
    needs: std::ops::Range<usize>,
}

/// A statement at which something happens.
#[derive(Debug)]
struct Concerned {
    position: usize,
    statement: usize,
    /// By section: the first position of the group that ends here.
    ends: [Option<usize>; 3],
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

/// A queue while the pipeline runs.
#[derive(Clone, Default)]
struct Queue {
    /// How many groups have been committed to it.
    committed: i64,
    /// How many of them have surely completed.
    completed: i64,
}

/// How far the pipeline has run.
struct Progress {
    queues: SmallVec<[Queue; 2]>,
    /// By row and source iteration: the number in its queue of the group that a statement was committed in.
    commits: Vec<Option<i64>>,
    iterations: usize,
}

impl Progress {
    fn new(timeline: &Timeline, extent: i64) -> Progress {
        let iterations = usize::try_from(extent).unwrap_or(0);
        Progress {
            queues: SmallVec::from_elem(Queue::default(), timeline.queues.len()),
            commits: vec![None; timeline.rows * iterations],
            iterations,
        }
    }

    /// The group of an iteration of a statement; `None`: it was not committed so far.
    fn group(&self, statement: &Statement, iteration: usize) -> Option<i64> {
        if iteration < self.iterations {
            self.commits[statement.row? * self.iterations + iteration]
        } else {
            None
        }
    }

    /// The last group of a statement.
    fn last_group(&self, statement: &Statement) -> Option<i64> {
        let row = statement.row? * self.iterations;
        self.commits[row..row + self.iterations].iter().copied().flatten().max()
    }

    /// A wait leaves no more than `count` groups in flight.
    fn wait(&mut self, queue: usize, count: i64) {
        let Queue { committed, completed } = &mut self.queues[queue];
        *completed = (*completed).max(*committed - count);
    }
}

impl<'a> Timeline<'a> {
    /// Of the statements of `request`, each with its needs, in source order. `groups`: by section, positions that are
    /// committed together, `(first, last)`.
    pub fn new<N: Iterator<Item = Need>>(
        request: &'a Request,
        needs_of_each: impl Iterator<Item = N>,
        groups: &[Vec<(usize, usize)>; 3],
        extent: Option<i64>,
    ) -> Timeline<'a> {
        let group_stages = groups.iter().flatten().map(|group| request.stages[request.order[group.0]]);
        let mut queues: SmallVec<[i64; 2]> = SmallVec::new();
        for stage in group_stages {
            if !queues.contains(&stage) {
                queues.push(stage);
            }
        }
        let mut statements = Vec::with_capacity(request.stages.len());
        let mut needs = Vec::with_capacity(2 * request.stages.len());
        for (needs_of_one, (statement, &stage)) in needs_of_each.zip(request.stages.iter().enumerate()) {
            let start = needs.len();
            needs.extend(needs_of_one);
            statements.push(Statement {
                stage,
                asynchronous: request.is_async(statement),
                queue: queues.iter().position(|&known| known == stage),
                row: None,
                needs: start..needs.len(),
            });
        }
        let concerns = |&(_, &statement): &(usize, &usize)| {
            let Statement { asynchronous, needs, .. } = &statements[statement];
            *asynchronous || !needs.is_empty()
        };
        let concerned = request.order.iter().enumerate().filter(concerns);
        let mut concerned: Vec<Concerned> = concerned
            .map(|(position, &statement)| Concerned { position, statement, ends: [None; 3] })
            .collect();
        let mut rows = 0;
        for section in Section::ALL {
            for &(first, last) in &groups[section as usize] {
                for &member in &request.order[first..=last] {
                    statements[member].row.get_or_insert_with(|| {
                        rows += 1;
                        rows - 1
                    });
                }
                if let Ok(end) = concerned.binary_search_by_key(&last, |concerned| concerned.position) {
                    concerned[end].ends[section as usize] = Some(first);
                }
            }
        }
        Timeline { request, extent, queues, statements, needs, concerned, rows }
    }

    /// What must have completed before a statement.
    pub fn needs(&self, statement: usize) -> &[Need] {
        &self.needs[self.statements[statement].needs.clone()]
    }

    fn stage(&self, statement: usize) -> i64 {
        self.statements[statement].stage
    }

    fn queue(&self, stage: i64) -> Option<usize> {
        self.queues.iter().position(|&known| known == stage)
    }

    /// The section of a time step and the step's number in it.
    fn section(&self, time: i64, extent: i64) -> (Section, i64) {
        let max_stage = self.request.max_stage;
        if time < max_stage {
            (Section::Prologue, time)
        } else if time < extent {
            (Section::Body, time - max_stage)
        } else {
            (Section::Epilogue, time - extent.max(self.epilogue_floor()))
        }
    }

    /// The first value of the epilogue's variable for extents below the largest stage: it is clamped only where the
    /// extent is known.
    fn epilogue_floor(&self) -> i64 {
        if self.extent.is_some() { self.request.max_stage } else { 0 }
    }

    /// How far back in time a step can look.
    fn lookback(&self) -> i64 {
        let reach =
            |statement: &Statement, need: &Need| statement.stage - self.stage(need.producer) + need.distance;
        let of_one = |statement: &Statement| {
            self.needs[statement.needs.clone()].iter().map(|need| reach(statement, need)).max()
        };
        self.statements.iter().filter_map(of_one).max().unwrap_or(0)
    }

    /// The extents that stand for all.
    fn samples(&self) -> std::ops::RangeInclusive<i64> {
        let enough = self.request.max_stage + 2 * self.lookback() + 3;
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

    fn run_extent(
        &self,
        extent: i64,
        waits: &mut Waits,
        source: &Source,
        unmet: &mut impl FnMut(&mut Waits, Unmet) -> bool,
    ) -> Progress {
        let mut progress = Progress::new(self, extent);
        for time in 0..extent + self.request.max_stage {
            let (section, step) = self.section(time, extent);
            let place = section as usize;
            for &Concerned { position, statement: consumer, ends } in &self.concerned {
                let statement = &self.statements[consumer];
                let iteration = time - statement.stage;
                if !(0..extent).contains(&iteration) {
                    continue;
                }
                for wait in &mut waits[place][consumer] {
                    let Some(queue) = self.queue(wait.stage) else { continue };
                    if let Source::Cover(consumers) = source {
                        // The body has one count for all its steps.
                        let step = if section == Section::Body { 0 } else { step as usize };
                        self.cover(wait, queue, &consumers[place], time, step, &progress);
                    }
                    if let Some(count @ 0..) = wait.counts.at(step) {
                        progress.wait(queue, count);
                    }
                }
                for &need in &self.needs[statement.needs.clone()] {
                    let Some(source) = usize::try_from(iteration - need.distance).ok() else { continue };
                    let producer = &self.statements[need.producer];
                    let committed = producer.queue.zip(progress.group(producer, source));
                    let count = match committed {
                        Some((queue, group)) if progress.queues[queue].completed > group => continue,
                        Some(_) if self.in_queue_order(consumer, need) => continue,
                        Some((queue, group)) => Some(progress.queues[queue].committed - group - 1),
                        None => None,
                    };
                    let report = Unmet { section, step: step as usize, consumer, need, count };
                    if unmet(waits, report)
                        && let (Some((queue, _)), Some(count)) = (committed, count)
                    {
                        progress.wait(queue, count);
                    }
                }
                if let (Some(first), Some(queue)) = (ends[place], statement.queue) {
                    let committed = &mut progress.queues[queue].committed;
                    for row in
                        self.request.order[first..=position].iter().map(|&member| self.statements[member].row)
                    {
                        let place = row.map(|row| row * progress.iterations + iteration as usize);
                        if let Some(place) = place {
                            progress.commits[place] = Some(*committed);
                        }
                    }
                    *committed += 1;
                }
            }
        }
        progress
    }

    /// Groups of one queue complete in order: what a group overwrites, earlier groups of its queue are done with. (To
    /// read what they wrote is another matter: a group may begin before they have ended.)
    fn in_queue_order(&self, consumer: usize, need: Need) -> bool {
        need.reason == Reason::Reuse
            && self.statements[consumer].asynchronous
            && self.stage(consumer) == self.stage(need.producer)
    }

    fn cover(
        &self,
        wait: &mut Wait,
        queue: usize,
        consumers: &[usize],
        time: i64,
        step: usize,
        progress: &Progress,
    ) {
        for &consumer in consumers {
            let iteration = time - self.stage(consumer);
            if !(0..progress.iterations as i64).contains(&iteration) {
                continue;
            }
            for need in self.needs(consumer) {
                let producer = &self.statements[need.producer];
                if need.reason == Reason::Flow
                    && producer.stage == wait.stage
                    && let Ok(source) = usize::try_from(iteration - need.distance)
                    && let Some(group) = progress.group(producer, source)
                {
                    wait.counts.lower(step, progress.queues[queue].committed - group - 1);
                }
            }
        }
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
                let stage = self.stage(unmet.need.producer);
                let list = &mut waits[unmet.section as usize][unmet.consumer];
                let index = list.iter().position(|wait| wait.stage == stage).unwrap_or_else(|| {
                    list.push(Wait { stage, counts: Counts::default() });
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
        let mut found = vec![false; self.statements.len()];
        for extent in self.samples() {
            let progress = self.run_extent(extent, &mut waits, &Source::Table, &mut |_, _| {
                unmet = true;
                false
            });
            for (statement, found) in self.statements.iter().zip(&mut found) {
                *found |= statement.queue.is_some_and(|queue| {
                    let last = progress.last_group(statement);
                    last.is_some_and(|last| last >= progress.queues[queue].completed)
                });
            }
        }
        Verdict { right: !unmet, left_in_flight: found }
    }

    /// No waits at all.
    pub fn no_waits(&self) -> Waits {
        Section::ALL.map(|_| vec![Vec::new(); self.statements.len()])
    }
}
