//! What the checker says, as data.

use wavemark_diag::Span;

/// A statement, wait or commit.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Place {
    /// Where it is written: of a scope that nobody wrote the first statement inside that has a place.
    pub span: Option<Span>,
    /// The name of the block that it is or is in; may be empty.
    pub block: String,
    /// The buffer that it stores to first.
    pub stores: Option<String>,
    /// The variables of the loops that the checker walks around it, outer first: what iteration vectors count.
    pub loops: Vec<String>,
}

impl Place {
    /// `the store to C in block "c"`, `the store to B`, `the statement`.
    pub fn describe(&self) -> String {
        match (&self.stores, self.block.as_str()) {
            (Some(buffer), "") => format!("the store to {buffer}"),
            (Some(buffer), "root") => format!("the store to {buffer}"),
            (Some(buffer), name) => format!("the store to {buffer} in block \"{name}\""),
            (None, "") => "the statement".to_owned(),
            (None, name) => format!("block \"{name}\""),
        }
    }

    /// `i = 3, j = 0` for an iteration vector of this place; empty outside loops.
    pub fn iteration(&self, vector: &[i64]) -> String {
        let pairs: Vec<String> =
            self.loops.iter().zip(vector).map(|(name, value)| format!("{name} = {value}")).collect();
        pairs.join(", ")
    }
}

/// What sort of defect a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rule {
    /// A1: data are read that an asynchronous operation may still have to write.
    ReadInFlight,
    /// A2: data are overwritten that an asynchronous operation may still have to read.
    SourceOverwritten,
    /// A3: an asynchronous operation is in no group, so that no wait covers it.
    OutsideCommit,
    /// A4: data are overwritten that an asynchronous operation may still have to write.
    WriteInFlight,
    /// A5: two members of a group depend on one another, and nothing orders them.
    UnorderedMembers,
    /// A6: a wait count is negative, and the program is right only where that means 0.
    NegativeCount,
    /// A7: a statement that is not asynchronous runs inside a commit scope.
    SyncInCommit,
}

impl Rule {
    /// The id in reports: `A1`.
    pub fn id(self) -> &'static str {
        match self {
            Rule::ReadInFlight => "A1",
            Rule::SourceOverwritten => "A2",
            Rule::OutsideCommit => "A3",
            Rule::WriteInFlight => "A4",
            Rule::UnorderedMembers => "A5",
            Rule::NegativeCount => "A6",
            Rule::SyncInCommit => "A7",
        }
    }

    /// The rule in a phrase.
    pub fn title(self) -> &'static str {
        match self {
            Rule::ReadInFlight => "read of data in flight",
            Rule::SourceOverwritten => "overwritten source of an asynchronous operation",
            Rule::OutsideCommit => "asynchronous scope outside a commit",
            Rule::WriteInFlight => "write over data in flight",
            Rule::UnorderedMembers => "members of a group depend on one another",
            Rule::NegativeCount => "wait count negative",
            Rule::SyncInCommit => "synchronous statement inside a commit",
        }
    }

    /// The program may compute something else than it says (and not merely look strange).
    pub fn is_error(self) -> bool {
        self != Rule::SyncInCommit
    }
}

/// One execution of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// The statement.
    pub place: Place,
    /// The values of [`Place::loops`].
    pub iteration: Vec<i64>,
}

/// The wait that a finding blames: the last one on the producer's queue before the consumer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blame {
    /// Index into [`Report::waits`].
    pub wait: usize,
    /// Its execution.
    pub iteration: Vec<i64>,
    /// How many groups it leaves in flight there.
    pub count: i64,
    /// The largest count that would do there.
    pub sufficient: i64,
}

/// A defect; one for each rule and pair of statements, with the first pair of executions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What is wrong.
    pub rule: Rule,
    /// The asynchronous operation (of A3 and A7 the statement itself).
    pub producer: Instance,
    /// The statement that comes too early.
    pub consumer: Option<Instance>,
    /// The buffer that both touch.
    pub buffer: Option<String>,
    /// The producer's queue.
    pub queue: Option<i64>,
    /// The wait that is too weak (of A6 the one that is negative); `None` when no wait stands between them.
    pub blame: Option<Blame>,
    /// A wait for this many groups, just before the consumer, would do; `None` when the group is not committed.
    pub sufficient_here: Option<i64>,
    /// In how many pairs of executions it was seen.
    pub instances: u64,
    /// It takes a path that a condition unknown to the checker decides.
    pub on_some_path: bool,
    /// Both operations are in one queue: the program is right where groups of a queue take effect one after the other,
    /// as they do on in-order hardware.
    pub queue_order: bool,
    /// The values of symbols (shapes, scalar parameters) at which it was seen first: `n = 3`.
    pub symbols: Vec<(String, i64)>,
}

impl Finding {
    /// The program may compute something else than it says, under every reading of the constructs.
    pub fn is_error(&self) -> bool {
        self.rule.is_error() && !self.queue_order
    }
}

/// What is known of a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is sufficient, and no larger count would be.
    Exact,
    /// Something that it should cover it does not.
    TooWeak,
    /// It is sufficient and so would be a larger count.
    TooStrong,
    /// It could go: others complete what it completes, or nothing needs it.
    Redundant,
    /// Its count is not known.
    Unknown,
    /// It never runs.
    Unreached,
}

/// One execution of a wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitInstance {
    /// The values of the place's loops.
    pub iteration: Vec<i64>,
    /// Its count there; `None` when the checker cannot tell.
    pub count: Option<i64>,
    /// The largest count that is sufficient there; `None`: any.
    pub best: Option<i64>,
    /// More groups can be in flight there than it leaves.
    pub blocks: bool,
}

/// A wait scope. The best counts of all waits of a report are sufficient *together*.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitReport {
    /// Where it is.
    pub place: Place,
    /// Its queue, when it is one.
    pub queue: Option<i64>,
    /// The least and the largest count with which it ran; `None` when unknown or never run.
    pub counts: Option<(i64, i64)>,
    /// The largest constant that would be sufficient, the same in all executions; `None`: any, so the wait could go.
    pub best: Option<i64>,
    /// The first executions (at most [`MAX_INSTANCES`]; none where symbols have many values), each with its own best:
    /// sufficient together with those of all other executions and waits.
    pub instances: Vec<WaitInstance>,
    /// How often it ran (the skipped part of a steady state counted).
    pub executions: u64,
    /// The result.
    pub verdict: Verdict,
}

/// Executions of a wait that are kept one by one.
pub const MAX_INSTANCES: usize = 64;

/// A loop that was not walked to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Steady {
    /// The loop.
    pub place: Place,
    /// Its variable.
    pub variable: String,
    /// The value of its variable from which on iterations repeat.
    pub from: i64,
    /// After how many iterations they repeat.
    pub period: i64,
    /// How many iterations were proven without being walked.
    pub skipped: i64,
}

/// What was concluded over symbols.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbols {
    /// The shapes and scalar parameters that the asynchronous constructs depend on.
    pub names: Vec<String>,
    /// Each was walked with all values in these bounds.
    pub walked: Vec<(i64, i64)>,
    /// The rest follows from the steady state.
    pub all: bool,
}

/// Something that the checker could not decide: the function is *not* clean by this report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotProven {
    /// Where.
    pub place: Option<Place>,
    /// Why, in a phrase.
    pub reason: String,
}

/// The result of a check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The function has asynchronous constructs; if not there was nothing to check.
    pub has_async: bool,
    /// Some loop still carries `software_pipeline_stage`: what was checked is not what will run.
    pub annotated: bool,
    /// The wait scopes in the order of the text.
    pub waits: Vec<WaitReport>,
    /// What is wrong.
    pub findings: Vec<Finding>,
    /// What could not be decided.
    pub not_proven: Vec<NotProven>,
    /// Loops whose end was reached by a proof.
    pub steady: Vec<Steady>,
    /// What was concluded over symbols, when there are any.
    pub symbols: Option<Symbols>,
    /// Conditions of asynchronous control that the checker cannot decide: both ways were followed, independently of
    /// each other.
    pub undecided: Vec<Place>,
    /// Buffers of the caller that an asynchronous write may still be on its way to when the function ends.
    pub pending: Vec<String>,
    /// Statement executions and loop iterations walked.
    pub steps: u64,
}

impl Report {
    /// No defect, and everything was decided.
    pub fn is_clean(&self) -> bool {
        self.not_proven.is_empty() && !self.has_errors()
    }

    /// There is a defect that can make the program compute something else than it says.
    pub fn has_errors(&self) -> bool {
        self.findings.iter().any(Finding::is_error)
    }
}
