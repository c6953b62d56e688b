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

mod instruction;
mod question;

use std::collections::BTreeSet;

use instruction::Reader;
use question::parse_question;

use super::state::kind_of;
use super::{Expected, Level, Location, LocationId, Proposition, Readings, Test, Thread, Verdict};
use crate::barrier::cell::Cell;
use crate::barrier::{Kind, Object, ObjectId};
use crate::scope::{Place, Scope, Space};

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
        cells: Vec::new(),
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
    if let Some((name, _)) = test.cells.iter().find(|(_, count)| *count == 0) {
        return fail(
            0,
            format!("`{{ cell.{name} = COUNT; }}` says how many arrivals complete a phase of {name}"),
        );
    }
    count_members(&mut test);
    if let Some(question) = question {
        test.asked = parse_question(&mut test, question)?;
    }
    Ok(test)
}

/// The text with comments made blank, so that places stay what they are.
pub fn without_comments(text: &str) -> Result<String, Error> {
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
    if let Some(name) = name.text.strip_prefix("cell.") {
        let count = u32::try_from(value).ok().filter(|&count| Cell::new(count).is_some());
        let Some(count) = count else { return fail(entry.at, "expected a count of 1 to 65536") };
        let known = test.cells.iter_mut().find(|(known, _)| known == name);
        match known {
            Some((_, known)) => *known = count,
            None => test.cells.push((name.to_owned(), count)),
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

/// The words of `expect:` that nothing found bears, of those that it wants.
pub fn missing<'t>(expected: &'t BTreeSet<String>, found: &BTreeSet<&'static str>) -> Vec<&'t str> {
    expected.iter().map(String::as_str).filter(|word| !found.contains(word)).collect()
}
