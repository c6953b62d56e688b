//! The text of a litmus test, in the form of herd7's: a head line, initial values, a column for each thread, scopes, and a
//! question.
//!
//! ```text
//! AMDGPU mem-mp-agent
//! "message passing through a flag"
//! { X = 0; F = 0; }
//!  P0                                     | P1                                      ;
//!  store X, 1                             | a = load atomic F syncscope("agent") acquire ;
//!  store atomic F, 1 syncscope("agent") release | bne a, 1, END                     ;
//!                                         | b = load X                              ;
//!                                         | END:                                    ;
//! scopes: (agent (workgroup P0) (workgroup P1))
//! exists (1:a=1 /\ 1:b=0)
//! expect: Forbidden
//! ```
//!
//! The head's first word is the level: `AMDGPU` for LLVM IR, `AMDGPU-MACHINE` for a wave's instructions. Names that begin
//! with `L` are in LDS, one in each workgroup; others are global. Scopes that are not written hold one of the next: threads
//! are waves of one workgroup by default. `(* … *)` is a comment, `readings:` a list of `count-may-equal`,
//! `copies-not-transitive`, `one-async-queue`.

use std::collections::BTreeSet;

use super::state::kind_of;
use super::{
    Class, Condition, Counter, Expected, Instruction, Level, Location, LocationId, Ordering, Proposition,
    Readings, Register, Semantics, Test, Thread, Update, Value, Verdict,
};
use crate::barrier::{self, Kind, Object, ObjectId};
use crate::scope::{Place, Scope, Space, Spaces};

/// What is wrong with a text, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The byte of the text.
    pub at: usize,
    /// What is wrong, or what was expected.
    pub message: String,
}

fn fail<T>(at: usize, message: impl Into<String>) -> Result<T, Error> {
    Err(Error { at, message: message.into() })
}

/// A piece of the text, with where it begins.
#[derive(Clone, Copy, Debug)]
struct Piece<'t> {
    at: usize,
    text: &'t str,
}

impl<'t> Piece<'t> {
    fn trim(self) -> Piece<'t> {
        let begin = self.text.len() - self.text.trim_start().len();
        Piece { at: self.at + begin, text: self.text.trim() }
    }

    fn split(self, separator: char) -> impl Iterator<Item = Piece<'t>> {
        let mut at = self.at;
        self.text.split(separator).map(move |text| {
            let piece = Piece { at, text };
            at += text.len() + separator.len_utf8();
            piece
        })
    }

    /// Words, numbers, and single signs; a string in quotes is one.
    fn tokens(self) -> Vec<Piece<'t>> {
        let mut tokens = Vec::new();
        let mut chars = self.text.char_indices().peekable();
        while let Some((begin, first)) = chars.next() {
            if first.is_whitespace() {
                continue;
            }
            let mut end = begin + first.len_utf8();
            let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '@');
            if first == '"' {
                for (at, c) in chars.by_ref() {
                    end = at + c.len_utf8();
                    if c == '"' {
                        break;
                    }
                }
            } else if is_word(first) || first == '-' {
                // A dash is a sign of a number, or joins words.
                while let Some(&(at, c)) = chars.peek() {
                    if !is_word(c) && c != '-' {
                        break;
                    }
                    end = at + c.len_utf8();
                    chars.next();
                }
            }
            tokens.push(Piece { at: self.at + begin, text: &self.text[begin..end] });
        }
        tokens
    }
}

/// A test has at most so many threads.
const THREADS: usize = 8;
/// A question has at most so many words and signs.
const WORDS: usize = 1_000;

/// Reads a test.
pub fn parse(text: &str) -> Result<Test, Error> {
    let text = without_comments(text)?;
    let whole = Piece { at: 0, text: &text };
    let mut lines = whole.split('\n').filter(|line| !line.trim().text.is_empty()).peekable();
    let Some(head) = lines.next().map(Piece::trim) else { return fail(0, "expected a litmus test") };
    let (level, name) = head.text.split_once(char::is_whitespace).unwrap_or((head.text, ""));
    let level = match level {
        "AMDGPU" => Level::Ir,
        "AMDGPU-MACHINE" => Level::Machine,
        other => {
            return fail(head.at, format!("expected AMDGPU or AMDGPU-MACHINE and a name, found `{other}`"));
        }
    };
    let mut initial = Vec::new();
    let mut rows: Vec<Vec<Piece>> = Vec::new();
    let mut scopes = None;
    let mut question = None;
    let mut expected = Expected::default();
    let mut readings = Readings::default();
    while let Some(line) = lines.next().map(Piece::trim) {
        if line.text.starts_with('"') {
            continue;
        } else if line.text.starts_with('{') {
            let begin = line.at + 1;
            let Some(end) = text[begin..].find('}') else { return fail(line.at, "a `{` without `}`") };
            initial =
                Piece { at: begin, text: &text[begin..begin + end] }.split(';').map(Piece::trim).collect();
            while lines.next_if(|next| next.at <= begin + end).is_some() {}
            let rest = text[begin + end + 1..].lines().next().unwrap_or("").trim();
            if !rest.is_empty() {
                return fail(begin + end + 1, "expected the end of the line behind `}`");
            }
        } else if let Some(rest) = line.text.strip_prefix("scopes:") {
            scopes = Some(Piece { at: line.at + 7, text: rest });
        } else if let Some(rest) = line.text.strip_prefix("expect:") {
            for word in rest.split_whitespace() {
                match Verdict::ALL.into_iter().find(|verdict| verdict.name() == word) {
                    Some(verdict) => expected.verdict = Some(verdict),
                    None => drop(expected.found.insert(word.to_string())),
                }
            }
            if expected.verdict.is_none() {
                return fail(line.at, "expected Allowed, Forbidden, Racy, Undefined or Deadlock");
            }
        } else if let Some(rest) = line.text.strip_prefix("readings:") {
            for word in rest.split_whitespace() {
                match word {
                    "count-may-equal" => readings.barrier.count_may_equal = true,
                    "copies-not-transitive" => readings.transitive_copies = false,
                    "one-async-queue" => readings.one_async_queue = true,
                    other => return fail(line.at, format!("no reading is called `{other}`")),
                }
            }
        } else if ["exists", "~exists", "forall"].iter().any(|word| line.text.starts_with(word)) {
            question = Some(line);
        } else if let Some(row) = line.text.strip_suffix(';') {
            rows.push(Piece { at: line.at, text: row }.split('|').map(Piece::trim).collect());
        } else {
            return fail(line.at, "expected a row that ends in `;`, `scopes:`, `exists`, or `expect:`");
        }
    }
    let Some(heads) = rows.first() else { return fail(text.len(), "expected a row of threads, `P0 | P1 ;`") };
    if let Some(head) = heads.get(THREADS) {
        return fail(head.at, format!("a test has at most {THREADS} threads"));
    }
    for (number, head) in heads.iter().enumerate() {
        if head.text.split_whitespace().next() != Some(&format!("P{number}")) {
            return fail(head.at, format!("expected P{number}"));
        }
    }
    let places = match scopes {
        Some(scopes) => parse_scopes(scopes, heads.len())?,
        None => (0..heads.len()).map(|wave| Place([0, 0, 0, wave as u8, 0])).collect(),
    };
    let mut test = Test {
        name: name.trim().to_string(),
        level,
        locations: Vec::new(),
        objects: Vec::new(),
        threads: Vec::new(),
        asked: Proposition::True,
        expected,
        readings,
    };
    let mut columns = vec![Vec::new(); heads.len()];
    for row in &rows[1..] {
        if row.len() > heads.len() {
            return fail(row[heads.len()].at, format!("expected {} columns", heads.len()));
        }
        for (column, cell) in columns.iter_mut().zip(row) {
            column.extend((!cell.text.is_empty()).then_some(*cell));
        }
    }
    for (place, column) in places.iter().zip(columns) {
        let thread = parse_thread(&mut test, *place, &column)?;
        test.threads.push(thread);
    }
    for entry in initial.into_iter().filter(|entry| !entry.text.is_empty()) {
        parse_initial(&mut test, entry, &places)?;
    }
    count_members(&mut test);
    if let Some(question) = question {
        test.asked = parse_question(&mut test, question)?;
    }
    Ok(test)
}

/// The text with comments made blank, so that places stay what they are.
fn without_comments(text: &str) -> Result<String, Error> {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(begin) = rest.find("(*") {
        clean.push_str(&rest[..begin]);
        let Some(end) = rest[begin..].find("*)") else {
            return fail(clean.len(), "a comment without end");
        };
        let comment = &rest[begin..begin + end + 2];
        clean.extend(comment.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
        rest = &rest[begin + end + 2..];
    }
    clean.push_str(rest);
    Ok(clean)
}

/// The places of the threads: nested lists, each with the name of its scope; left-out scopes hold one of the next.
fn parse_scopes(text: Piece, threads: usize) -> Result<Vec<Place>, Error> {
    const LEVELS: [&str; 5] = ["system", "agent", "cluster", "workgroup", "wave"];
    let mut places: Vec<Option<Place>> = vec![None; threads];
    // For each open list its level; and how many of each level there were.
    let mut open: Vec<usize> = Vec::new();
    let mut counts = [0u8; 5];
    let mut named = true;
    let tokens = text.tokens();
    // Each list and each thread adds at most one to a level, and levels are counted in bytes.
    if let Some(token) = tokens.get(usize::from(u8::MAX)) {
        return fail(token.at, "scopes this large are not read");
    }
    for token in tokens {
        match token.text {
            "(" => {
                if !named {
                    return fail(token.at, "expected the name of a scope");
                }
                named = false;
            }
            ")" => {
                if open.pop().is_none() {
                    return fail(token.at, "a `)` without `(`");
                }
            }
            word if !named => {
                let Some(level) = LEVELS.iter().position(|level| *level == word) else {
                    return fail(token.at, "expected system, agent, cluster, workgroup or wave");
                };
                if open.last().is_some_and(|outer| *outer >= level) {
                    return fail(token.at, format!("a {word} is not in a {}", LEVELS[open[open.len() - 1]]));
                }
                // Another instance of this level, and of those between it and the list that it is in.
                let outer = open.last().map_or(0, |outer| outer + 1);
                (outer.max(1)..=level).for_each(|level| counts[level] += 1);
                open.push(level);
                named = true;
            }
            word => {
                let number = word.strip_prefix('P').and_then(|number| number.parse::<usize>().ok());
                let Some(place) = number.and_then(|number| places.get_mut(number)) else {
                    return fail(token.at, format!("no thread is called `{word}`"));
                };
                let outer = open.last().map_or(1, |outer| outer + 1);
                (outer..5).for_each(|level| counts[level] += 1);
                *place = Some(Place([counts[1], counts[2], counts[3], counts[4], 0]));
            }
        }
    }
    let missing = places.iter().position(Option::is_none);
    match missing {
        Some(number) => fail(text.at, format!("P{number} is in no scope")),
        None => Ok(places.into_iter().flatten().collect()),
    }
}

fn workgroup(place: Place) -> Place {
    Place([place.0[0], place.0[1], place.0[2], 0, 0])
}

fn location(test: &mut Test, name: Piece, place: Place) -> Result<LocationId, Error> {
    let space = if name.text.starts_with('L') { Space::Local } else { Space::Global };
    let own = (space == Space::Local).then(|| workgroup(place));
    if !name.text.starts_with(char::is_uppercase) {
        return fail(name.at, format!("expected a location, found `{}`", name.text));
    }
    let known = test.locations.iter().position(|known| known.name == name.text && known.workgroup == own);
    let at = known.unwrap_or_else(|| {
        let new = Location { name: name.text.to_string(), space, workgroup: own, initial: 0 };
        test.locations.push(new);
        test.locations.len() - 1
    });
    Ok(at as LocationId)
}

fn parse_initial(test: &mut Test, entry: Piece, places: &[Place]) -> Result<(), Error> {
    let tokens = entry.tokens();
    let [name, equals, value] = tokens[..] else { return fail(entry.at, "expected `NAME = NUMBER`") };
    let Ok(value) = value.text.parse::<i64>() else { return fail(value.at, "expected a number") };
    if equals.text != "=" {
        return fail(equals.at, "expected `=`");
    }
    if let Some(id) = name.text.strip_prefix("barrier.") {
        let Ok(count) = u32::try_from(value) else { return fail(entry.at, "expected a count") };
        for &place in places {
            let object = object(test, Piece { at: name.at, text: id }, place)?;
            test.objects[usize::from(object)].1.expected = Some(count);
        }
        return Ok(());
    }
    for place in places {
        let at = location(test, name, *place)?;
        test.locations[usize::from(at)].initial = value;
    }
    Ok(())
}

/// The barrier object of an id in the instance that the place is in.
fn object(test: &mut Test, id: Piece, place: Place) -> Result<ObjectId, Error> {
    let number = id.text.parse::<i64>().ok();
    let Some((number, kind)) = number.and_then(|number| Some((number, kind_of(number)?))) else {
        return fail(id.at, format!("expected the id of a barrier, -4 to 16, found `{}`", id.text));
    };
    let scope = if number <= -3 { Scope::Cluster } else { Scope::Workgroup };
    let of = |place: Place| match scope {
        Scope::Cluster => Place([place.0[0], place.0[1], 0, 0, 0]),
        _ => workgroup(place),
    };
    let name = format!("{number} {:?}", of(place).0);
    if let Some(known) = test.object(&name) {
        return Ok(known);
    }
    let expected = (kind == Kind::Null).then_some(0);
    test.objects.push((name, Object { kind, expected }));
    Ok(test.objects.len() as ObjectId - 1)
}

/// The launch's counts: the barrier of a workgroup expects its waves, that of a cluster its workgroups.
fn count_members(test: &mut Test) {
    let workgroups: BTreeSet<Place> = test.threads.iter().map(|thread| workgroup(thread.place)).collect();
    for (name, object) in test.objects.iter_mut().filter(|(_, object)| object.expected.is_none()) {
        let of = |place: &Place| name.ends_with(&format!("{:?}", place.0));
        let own = |place: &Place| of(&workgroup(*place));
        let cluster = |place: &Place| of(&Place([place.0[0], place.0[1], 0, 0, 0]));
        object.expected = match object.kind {
            Kind::Workgroup => Some(test.threads.iter().filter(|thread| own(&thread.place)).count() as u32),
            Kind::Cluster => Some(workgroups.iter().filter(|place| cluster(place)).count() as u32),
            _ => None,
        };
    }
}

fn parse_thread(test: &mut Test, place: Place, cells: &[Piece]) -> Result<Thread, Error> {
    let mut labels = Vec::new();
    let mut lines = Vec::new();
    for &cell in cells {
        match cell.text.strip_suffix(':') {
            Some(label) => labels.push((label, lines.len())),
            None => lines.push(cell),
        }
    }
    let mut thread = Thread { place, registers: Vec::new(), instructions: Vec::new(), text: Vec::new() };
    for (at, &line) in lines.iter().enumerate() {
        let mut reader =
            Reader { test, thread: &mut thread, tokens: line.tokens(), next: 0, line, labels: &labels, at };
        let instruction = reader.instruction()?;
        if let Some(left) = reader.tokens.get(reader.next) {
            return fail(left.at, format!("expected the end of the instruction, found `{}`", left.text));
        }
        thread.instructions.push(instruction);
        thread.text.push(line.text.to_string());
    }
    Ok(thread)
}

/// Reads an instruction.
struct Reader<'r, 't> {
    test: &'r mut Test,
    thread: &'r mut Thread,
    tokens: Vec<Piece<'t>>,
    next: usize,
    line: Piece<'t>,
    labels: &'r [(&'t str, usize)],
    /// The instruction's number.
    at: usize,
}

impl<'t> Reader<'_, 't> {
    fn take(&mut self, what: &str) -> Result<Piece<'t>, Error> {
        let Some(&token) = self.tokens.get(self.next) else {
            return fail(self.line.at + self.line.text.len(), format!("expected {what}"));
        };
        self.next += 1;
        Ok(token)
    }

    fn sign(&mut self, sign: &str) -> Result<(), Error> {
        let token = self.take(&format!("`{sign}`"))?;
        match token.text == sign {
            true => Ok(()),
            false => fail(token.at, format!("expected `{sign}`, found `{}`", token.text)),
        }
    }

    fn eat(&mut self, word: &str) -> bool {
        let found = self.tokens.get(self.next).is_some_and(|token| token.text == word);
        self.next += usize::from(found);
        found
    }

    fn register(&mut self, name: Piece) -> Result<Register, Error> {
        if !name.text.starts_with(|c: char| c.is_lowercase() || c == '_') {
            return fail(name.at, format!("expected a register, found `{}`", name.text));
        }
        let known = self.thread.registers.iter().position(|known| known == name.text);
        Ok(known.unwrap_or_else(|| {
            self.thread.registers.push(name.text.to_string());
            self.thread.registers.len() - 1
        }) as Register)
    }

    fn number<N: TryFrom<i64>>(&mut self) -> Result<N, Error> {
        let token = self.take("a number")?;
        let number = token.text.parse::<i64>().ok().and_then(|number| N::try_from(number).ok());
        number.map_or_else(|| fail(token.at, format!("expected a number, found `{}`", token.text)), Ok)
    }

    fn value(&mut self) -> Result<Value, Error> {
        let token = self.take("a number or a register")?;
        match token.text.parse::<i64>() {
            Ok(number) => Ok(Value::Number(number)),
            Err(_) => self.register(token).map(Value::Register),
        }
    }

    fn location(&mut self) -> Result<LocationId, Error> {
        let name = self.take("a location")?;
        location(self.test, name, self.thread.place)
    }

    fn object(&mut self) -> Result<ObjectId, Error> {
        let id = self.take("the id of a barrier")?;
        object(self.test, id, self.thread.place)
    }

    /// `syncscope("agent") release`, in either order; nothing but an ordering is needed.
    fn semantics(&mut self, own: Option<Space>) -> Result<Semantics, Error> {
        let mut semantics = Semantics::PLAIN;
        while let Some(&token) = self.tokens.get(self.next) {
            self.next += 1;
            match token.text {
                "syncscope" => {
                    self.sign("(")?;
                    let quoted = self.take("the name of a scope")?;
                    let name = quoted.text.trim_matches('"');
                    let (name, one) = match name.strip_suffix("one-as") {
                        Some(name) => (name.trim_end_matches('-'), true),
                        None => (name, false),
                    };
                    let Some(scope) = Scope::ALL.into_iter().find(|scope| scope.name() == name) else {
                        return fail(quoted.at, format!("no scope is called {}", quoted.text));
                    };
                    semantics.scope = scope;
                    if let Some(own) = own.filter(|_| one) {
                        semantics.spaces = Spaces::of(own);
                    }
                    self.sign(")")?;
                }
                // LLVM's !mmra !{!"amdgpu-as", !"local"}.
                "local" | "global" if own.is_none() => {
                    let space = if token.text == "local" { Space::Local } else { Space::Global };
                    let known = if semantics.spaces == Spaces::ALL { Spaces::NONE } else { semantics.spaces };
                    semantics.spaces = known.union(Spaces::of(space));
                }
                word => {
                    const ORDERINGS: [Ordering; 5] = [
                        Ordering::Monotonic,
                        Ordering::Acquire,
                        Ordering::Release,
                        Ordering::AcquireRelease,
                        Ordering::SequentiallyConsistent,
                    ];
                    let found = ORDERINGS.into_iter().find(|ordering| ordering.name() == word);
                    let Some(ordering) = found else {
                        return fail(token.at, format!("expected an ordering or syncscope, found `{word}`"));
                    };
                    semantics.ordering = ordering;
                }
            }
        }
        match semantics.ordering {
            Ordering::Plain => {
                fail(self.line.at, "expected an ordering: monotonic, acquire, release, acq_rel, seq_cst")
            }
            _ => Ok(semantics),
        }
    }

    fn access(&mut self, atomic: bool, location: LocationId) -> Result<Semantics, Error> {
        let space = self.test.locations[usize::from(location)].space;
        if atomic { self.semantics(Some(space)) } else { Ok(Semantics::PLAIN) }
    }

    fn label(&mut self) -> Result<usize, Error> {
        let name = self.take("a label")?;
        match self.labels.iter().find(|(label, _)| *label == name.text) {
            Some((_, to)) if *to > self.at => Ok(*to),
            Some(_) => fail(name.at, "jumps go forward; write a loop out"),
            None => fail(name.at, format!("no label is called `{}`", name.text)),
        }
    }

    fn jump(&mut self, condition: Condition) -> Result<Instruction, Error> {
        Ok(Instruction::Jump(self.label()?, condition))
    }

    fn compared(&mut self) -> Result<(Register, i64), Error> {
        let name = self.take("a register")?;
        let register = self.register(name)?;
        self.sign(",")?;
        let number = self.number()?;
        self.sign(",")?;
        Ok((register, number))
    }

    fn copy(&mut self, class: Class) -> Result<Instruction, Error> {
        let to = self.location()?;
        self.sign(",")?;
        let from = self.location()?;
        Ok(Instruction::Copy(class, to, from))
    }

    fn instruction(&mut self) -> Result<Instruction, Error> {
        let first = self.take("an instruction")?;
        if self.eat("=") {
            let register = self.register(first)?;
            return self.assignment(register);
        }
        match first.text {
            "store" => {
                let atomic = self.eat("atomic");
                let location = self.location()?;
                self.sign(",")?;
                let value = self.value()?;
                Ok(Instruction::Store(location, value, self.access(atomic, location)?))
            }
            "fence" => Ok(Instruction::Fence(self.semantics(None)?)),
            "load.async" => self.copy(Class::AsyncLoad),
            "store.async" => self.copy(Class::AsyncStore),
            "tensor.load" | "tensor.store" => self.copy(Class::Tensor),
            "asyncmark" => Ok(Instruction::Mark),
            "wait.asyncmark" => Ok(Instruction::WaitMark(self.number()?)),
            "call" => Ok(Instruction::Call),
            "return" => {
                let depth = self.thread.instructions.iter().fold(0, |depth, instruction| match instruction {
                    Instruction::Call => depth + 1,
                    Instruction::Return => depth - 1,
                    _ => depth,
                });
                if depth < 1 { fail(first.at, "a return without call") } else { Ok(Instruction::Return) }
            }
            "maybe" => self.jump(Condition::Maybe),
            "goto" => self.jump(Condition::Always),
            "beq" => {
                let (register, value) = self.compared()?;
                self.jump(Condition::Equal(register, value))
            }
            "bne" => {
                let (register, value) = self.compared()?;
                self.jump(Condition::NotEqual(register, value))
            }
            word if word.starts_with("barrier.") => self.barrier(word),
            word => self.machine(word, first.at),
        }
    }

    fn barrier(&mut self, word: &str) -> Result<Instruction, Error> {
        if word == "barrier.leave" {
            return Ok(Instruction::Leave);
        }
        let object = self.object()?;
        let operation = match word {
            "barrier.signal" => {
                let count = if self.eat(",") { Some(self.number()?) } else { None };
                barrier::Operation::Arrive(object, count)
            }
            "barrier.wait" => barrier::Operation::Wait(object),
            "barrier.join" => barrier::Operation::Join(object),
            "barrier.drop" => barrier::Operation::Drop(object),
            "barrier.init" => {
                self.sign(",")?;
                barrier::Operation::Init(object, self.number()?)
            }
            _ => return fail(self.line.at, format!("no barrier operation is called `{word}`")),
        };
        Ok(Instruction::Barrier(operation, None))
    }

    /// Instructions of a wave: accesses in flight, and waits for counters.
    fn machine(&mut self, word: &str, at: usize) -> Result<Instruction, Error> {
        if self.test.level != Level::Machine {
            return fail(at, format!("no instruction is called `{word}` here"));
        }
        let counter = |name| match name {
            "wait.loadcnt" => Some(Counter::Load),
            "wait.storecnt" => Some(Counter::Store),
            "wait.dscnt" => Some(Counter::Ds),
            "wait.asynccnt" => Some(Counter::Async),
            "wait.tensorcnt" => Some(Counter::Tensor),
            _ => None,
        };
        match word {
            "wait.idle" => Ok(Instruction::WaitIdle),
            "lds.store" | "vmem.store" => {
                let class = if word == "lds.store" { Class::Lds } else { Class::Store };
                let location = self.location()?;
                self.sign(",")?;
                Ok(Instruction::StoreInFlight(class, location, self.value()?))
            }
            word => match counter(word) {
                Some(counter) => Ok(Instruction::WaitCounter(counter, self.number()?)),
                None => fail(at, format!("no instruction is called `{word}`")),
            },
        }
    }

    fn assignment(&mut self, register: Register) -> Result<Instruction, Error> {
        let word = self.take("load or atomicrmw")?;
        match word.text {
            "load" => {
                let atomic = self.eat("atomic");
                let location = self.location()?;
                Ok(Instruction::Load(register, location, self.access(atomic, location)?))
            }
            "atomicrmw" => {
                let update = match self.take("add or xchg")? {
                    Piece { text: "add", .. } => Update::Add,
                    Piece { text: "xchg", .. } => Update::Exchange,
                    other => return fail(other.at, "expected add or xchg"),
                };
                let location = self.location()?;
                self.sign(",")?;
                let value = self.value()?;
                Ok(Instruction::Update(register, location, update, value, self.access(true, location)?))
            }
            "barrier.signal.isfirst" => {
                let object = self.object()?;
                Ok(Instruction::Barrier(barrier::Operation::Arrive(object, None), Some(register)))
            }
            "lds.load" | "vmem.load" if self.test.level == Level::Machine => {
                let class = if word.text == "lds.load" { Class::Lds } else { Class::Load };
                Ok(Instruction::LoadInFlight(class, register, self.location()?))
            }
            other => fail(word.at, format!("expected load or atomicrmw, found `{other}`")),
        }
    }
}

fn parse_question(test: &mut Test, line: Piece) -> Result<Proposition, Error> {
    let tokens = line.tokens();
    if let Some(token) = tokens.get(WORDS) {
        return fail(token.at, "a question this long is not read");
    }
    let mut at = if line.text.starts_with('~') { 2 } else { 1 };
    let proposition = disjunction(test, &tokens, &mut at, line)?;
    if let Some(left) = tokens.get(at) {
        return fail(left.at, format!("expected the end of the proposition, found `{}`", left.text));
    }
    Ok(match line.text.starts_with("forall") {
        true => Proposition::Not(Box::new(proposition)),
        false => proposition,
    })
}

fn disjunction(test: &mut Test, tokens: &[Piece], at: &mut usize, line: Piece) -> Result<Proposition, Error> {
    let mut left = conjunction(test, tokens, at, line)?;
    while tokens.get(*at).is_some_and(|token| token.text == "\\")
        && tokens.get(*at + 1).is_some_and(|token| token.text == "/")
    {
        *at += 2;
        left = Proposition::Or(Box::new(left), Box::new(conjunction(test, tokens, at, line)?));
    }
    Ok(left)
}

fn conjunction(test: &mut Test, tokens: &[Piece], at: &mut usize, line: Piece) -> Result<Proposition, Error> {
    let mut left = atom(test, tokens, at, line)?;
    while tokens.get(*at).is_some_and(|token| token.text == "/")
        && tokens.get(*at + 1).is_some_and(|token| token.text == "\\")
    {
        *at += 2;
        left = Proposition::And(Box::new(left), Box::new(atom(test, tokens, at, line)?));
    }
    Ok(left)
}

fn atom(test: &mut Test, tokens: &[Piece], at: &mut usize, line: Piece) -> Result<Proposition, Error> {
    let end = line.at + line.text.len();
    let take = |at: &mut usize, what: &str| {
        let token = tokens.get(*at).copied();
        *at += 1;
        token.map_or_else(|| fail(end, format!("expected {what}")), Ok)
    };
    let first = take(at, "a proposition")?;
    match first.text {
        "(" => {
            let inner = disjunction(test, tokens, at, line)?;
            let close = take(at, "`)`")?;
            if close.text != ")" {
                return fail(close.at, "expected `)`");
            }
            return Ok(inner);
        }
        "not" | "~" => return Ok(Proposition::Not(Box::new(atom(test, tokens, at, line)?))),
        "true" => return Ok(Proposition::True),
        _ => {}
    }
    let number =
        |token: Piece| token.text.parse::<i64>().map_or_else(|_| fail(token.at, "expected a number"), Ok);
    let sign = take(at, "`=` or `:`")?;
    if sign.text == "=" {
        let place = test.threads.first().map_or(Place::default(), |thread| thread.place);
        let location = location(test, first, place)?;
        return Ok(Proposition::Location(location, number(take(at, "a number")?)?));
    }
    let thread = first.text.parse::<usize>().ok().filter(|&thread| thread < test.threads.len());
    let Some(thread) = thread.filter(|_| sign.text == ":") else {
        return fail(first.at, format!("expected `THREAD:register = NUMBER`, found `{}`", first.text));
    };
    let name = take(at, "a register")?;
    let known = test.threads[thread].registers.iter().position(|known| known == name.text);
    let Some(register) = known else {
        return fail(name.at, format!("P{thread} has no register `{}`", name.text));
    };
    let equals = take(at, "`=`")?;
    if equals.text != "=" {
        return fail(equals.at, "expected `=`");
    }
    Ok(Proposition::Register(thread as u8, register as Register, number(take(at, "a number")?)?))
}

/// The words of `expect:` that nothing found bears, of those that it wants.
pub fn missing<'t>(expected: &'t BTreeSet<String>, found: &BTreeSet<&'static str>) -> Vec<&'t str> {
    expected.iter().map(String::as_str).filter(|word| !found.contains(word)).collect()
}
