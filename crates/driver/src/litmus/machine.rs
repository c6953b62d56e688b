//! Litmus tests of machine code: columns of assembly, brought to the words of the model by what the instruction table says
//! of each instruction.
//!
//! The head's first word is a processor. Initial values say what registers hold: `0:v1 = L0` is the address of a location,
//! `0:v4 = 1` a number. Labels and branches are the model's. What the model has no word for is refused by name: computing,
//! scalar and tensor memory. Tests with atomics or cache operations are for the machine with caches: module `cached`.

use std::collections::HashMap;

use wavemark_isa::effects::{Barrier, Channel, Control, Counter, CounterSet, Effects, Path, Verb, effects};
use wavemark_isa::{NoSymbols, Parsed, parse as parse_instruction};
use wavemark_memmodel::caches::Hierarchy;
use wavemark_memmodel::litmus::parse::{Error, without_comments};
use wavemark_target::{Machine, Processor};

use super::cached::{self, Columns, Item};

/// A test in the words of the model.
pub struct Rewritten {
    /// The text.
    pub text: String,
    /// What else the machine with caches needs, if the test is one of it.
    pub columns: Option<Columns>,
    /// Where pieces of it begin, and where in the source that was.
    places: Vec<(usize, usize)>,
}

impl Rewritten {
    /// The place in the source of one in the text.
    pub fn source(&self, at: usize) -> usize {
        let next = self.places.partition_point(|&(begin, _)| begin <= at);
        next.checked_sub(1).map_or(0, |last| self.places[last].1)
    }

    fn push(&mut self, text: &str, source: usize) {
        self.places.push((self.text.len(), source));
        self.text.push_str(text);
    }
}

fn fail<T>(at: usize, message: impl Into<String>) -> Result<T, Error> {
    Err(Error { at, message: message.into() })
}

/// What a register holds at the beginning.
type Bindings<'t> = HashMap<(usize, &'t str), &'t str>;

/// The test in the model's words; `None` if its head names no processor.
pub fn rewrite(source: &str) -> Result<Option<Rewritten>, Error> {
    let clean = without_comments(source)?;
    let mut lines = Vec::new();
    let mut at = 0;
    for line in clean.split_inclusive('\n') {
        lines.push((at, line.trim_end()));
        at += line.len();
    }
    let Some(head) = lines.iter().position(|(_, line)| !line.trim().is_empty()) else { return Ok(None) };
    let (first, name) =
        lines[head].1.trim().split_once(char::is_whitespace).unwrap_or((lines[head].1.trim(), ""));
    // `GFX1100+cumode`: a processor, and features in LLVM's spelling.
    let (processor, features) = first.split_at(first.find('+').unwrap_or(first.len()));
    let processor = processor.to_lowercase();
    if Processor::by_name(&processor).is_none() {
        return Ok(None);
    }
    let machine = match Machine::parse(&processor, features) {
        Ok(machine) => machine,
        Err(error) => return fail(lines[head].0, error.to_string()),
    };
    let mut bindings = Bindings::new();
    let mut rewritten = Rewritten { text: String::new(), columns: None, places: Vec::new() };
    rewritten.push(&format!("AMDGPU-MACHINE {name}\n"), lines[head].0);
    let mut rows: Vec<Vec<(usize, &str)>> = Vec::new();
    let mut rest = Vec::new();
    for &(at, line) in &lines[head + 1..] {
        let trimmed = line.trim();
        if let Some(entries) = trimmed.strip_prefix('{') {
            let Some(entries) = entries.strip_suffix('}') else {
                return fail(at, "initial values of machine code are on one line, in `{` and `}`");
            };
            let (of_registers, others): (Vec<&str>, Vec<&str>) =
                entries.split(';').map(str::trim).partition(|entry| entry.contains(':'));
            for entry in of_registers {
                bind(entry, at, &mut bindings)?;
            }
            rewritten.push(&format!("{{ {} }}\n", others.join("; ")), at);
        } else if let Some(row) = trimmed.strip_suffix(';') {
            let begin = at + line.len() - line.trim_start().len();
            let mut column = begin;
            rows.push(
                row.split('|')
                    .map(|cell| {
                        let place = column + cell.len() - cell.trim_start().len();
                        column += cell.len() + 1;
                        (place, cell.trim())
                    })
                    .collect(),
            );
        } else {
            rest.push((at, line));
        }
    }
    let threads = rows.first().map_or(0, Vec::len);
    let hierarchy = match rows.iter().flatten().find(|(_, cell)| is_for_caches(machine, cell)) {
        Some(&(at, _)) => match cached::hierarchy(machine) {
            Ok(hierarchy) => Some(hierarchy),
            Err(message) => return fail(at, message),
        },
        None => None,
    };
    let mut items: Vec<Vec<Item>> = vec![Vec::new(); threads];
    let mut columns: Vec<Vec<(usize, String)>> = vec![Vec::new(); threads];
    for (number, row) in rows.iter().enumerate() {
        for (thread, &(at, cell)) in row.iter().enumerate().filter(|(_, (_, cell))| !cell.is_empty()) {
            let Some(column) = columns.get_mut(thread) else {
                return fail(at, format!("expected {threads} columns"));
            };
            let lines = match hierarchy {
                _ if number == 0 => vec![cell.to_owned()],
                None => words(machine, thread, at, cell, &bindings)?,
                Some(hierarchy) => {
                    let operands = Operands { thread, at, bindings: &bindings, all: operands(cell) };
                    cached_words(machine, hierarchy, cell, operands, &mut items[thread])?
                }
            };
            column.extend(lines.into_iter().map(|line| (at, line)));
        }
    }
    rewritten.columns = hierarchy.map(|hierarchy| Columns { hierarchy, items });
    for row in 0..columns.iter().map(Vec::len).max().unwrap_or(0) {
        for (thread, column) in columns.iter().enumerate() {
            let separator = if thread == 0 { " " } else { " | " };
            rewritten.text.push_str(separator);
            if let Some((at, cell)) = column.get(row) {
                rewritten.push(cell, *at);
            }
        }
        rewritten.text.push_str(" ;\n");
    }
    for (at, line) in rest {
        rewritten.push(line, at);
        rewritten.text.push('\n');
    }
    Ok(Some(rewritten))
}

/// `0:v[2:3] = G0`
fn bind<'t>(entry: &'t str, at: usize, bindings: &mut Bindings<'t>) -> Result<(), Error> {
    let parts = entry.split_once('=').and_then(|(left, value)| {
        let (thread, register) = left.split_once(':')?;
        Some((thread.trim().parse().ok()?, register.trim(), value.trim()))
    });
    match parts {
        Some((thread, register, value)) => {
            bindings.insert((thread, register), value);
            Ok(())
        }
        None => fail(at, format!("expected `THREAD:REGISTER = NAME or NUMBER`, found `{entry}`")),
    }
}

/// The model's words for a cell.
fn words(
    machine: Machine,
    thread: usize,
    at: usize,
    cell: &str,
    bindings: &Bindings,
) -> Result<Vec<String>, Error> {
    if is_control(cell) {
        return Ok(vec![cell.to_owned()]);
    }
    let parsed = parsed(machine, at, cell)?;
    let known = effects(machine, &parsed.inst);
    let modifiers = cell.split(',').next_back().unwrap_or("").split_whitespace().count();
    let last = if cell.contains(',') { 1 } else { 2 };
    if known.memory.as_ref().is_some_and(|memory| memory.multicast)
        || known.memory.is_some() && modifiers > last
    {
        return fail(
            at,
            "bind each address to its location: offsets, scopes, hints and multicast are not part of these tests",
        );
    }
    let operands = Operands { thread, at, bindings, all: operands(cell) };
    let mnemonic = parsed.inst.mnemonic(machine);
    instruction(machine, &known, &operands).transpose().unwrap_or_else(|| {
        fail(at, format!("litmus tests have loads, stores, copies to and from LDS, waits and barriers; `{mnemonic}` is none"))
    })
}

/// Whether a cell is a label or a jump, which are the model's words.
fn is_control(cell: &str) -> bool {
    const CONTROL: [&str; 4] = ["bne ", "beq ", "goto ", "maybe "];
    cell.ends_with(':') || CONTROL.iter().any(|word| cell.starts_with(word))
}

fn parsed(machine: Machine, at: usize, cell: &str) -> Result<Parsed, Error> {
    match parse_instruction(machine, cell, &NoSymbols) {
        Ok(parsed) => Ok(parsed),
        Err(error) => fail(at + (error.column as usize).saturating_sub(1), error.message.to_string()),
    }
}

/// Whether a cell is an instruction of the machine with caches alone; one that cannot be read is told later.
fn is_for_caches(machine: Machine, cell: &str) -> bool {
    let parsed = parse_instruction(machine, cell, &NoSymbols);
    parsed.is_ok_and(|parsed| cached::is_for_caches(&effects(machine, &parsed.inst)))
}

/// A cell of a test for the machine with caches: the words of accesses and jumps, and the items of the column.
fn cached_words(
    machine: Machine,
    hierarchy: Hierarchy,
    cell: &str,
    mut operands: Operands,
    items: &mut Vec<Item>,
) -> Result<Vec<String>, Error> {
    if is_control(cell) {
        if !cell.ends_with(':') {
            items.push(Item::Word { level: 0, returns: false });
        }
        return Ok(vec![cell.to_owned()]);
    }
    let at = operands.at;
    let parsed = parsed(machine, at, cell)?;
    let known = effects(machine, &parsed.inst);
    if cell.contains("offset") {
        return fail(at, "bind each address to its location: offsets are not part of these tests");
    }
    let is_location =
        |operand: &str| operands.bound(operand).is_some_and(|name| name.starts_with(char::is_uppercase));
    let mut addresses = known.regs.iter().filter(|used| used.address).filter_map(|used| used.operand);
    if let Some(at_fault) = addresses
        .find(|&number| operands.all.get(usize::from(number)).is_some_and(|operand| !is_location(operand)))
    {
        let operand = operands.all[usize::from(at_fault)];
        return fail(at, format!("`{operand}` is a part of the address: bind an address to its location"));
    }
    if let Some(memory) = known.memory.filter(|memory| !memory.multicast) {
        let lds = memory.path == Path::Lds;
        let has_space = lds || matches!(memory.path, Path::Global | Path::Buffer);
        let word = match memory.verb {
            _ if !has_space => None,
            Verb::Load => {
                let data = operands.all.first().map_or_else(String::new, |data| operands.register(data));
                Some(format!("{data} = load {}", operands.location(lds)?))
            }
            Verb::Store => Some(format!("store {}, {}", operands.location(lds)?, operands.value())),
            Verb::Atomic | Verb::AtomicReturn => {
                // Nothing is returned to a register that no instruction can name.
                let mut register = "_".to_owned();
                if memory.verb == Verb::AtomicReturn && !operands.all.is_empty() {
                    let returned = operands.all.remove(0);
                    register = operands.register(returned);
                }
                let location = operands.location(lds)?;
                cached::update_word(memory.atomic).map(|word| {
                    format!("{register} = atomicrmw {word} {location}, {} monotonic", operands.value())
                })
            }
            _ => None,
        };
        if let Some(word) = word {
            let level = if lds { 0 } else { cached::level(machine, hierarchy, known.policy.scope) };
            items.push(Item::Word { level, returns: memory.verb != Verb::Atomic });
            return Ok(vec![word]);
        }
    }
    let ops = cached::cache_operation(machine, hierarchy, &known)
        .or_else(|| cached::wait(machine, &known).map(|wait| vec![wait]))
        .or_else(|| (known.control == Some(Control::Hint)).then(Vec::new));
    match ops {
        Some(ops) => items.extend(ops.into_iter().map(Item::Op)),
        None => {
            let mnemonic = parsed.inst.mnemonic(machine);
            return fail(
                at,
                format!(
                    "litmus tests with atomics or cache operations have loads, stores, additions, exchanges, write-backs, \
                     invalidates, and waits for 0; `{mnemonic}` is none"
                ),
            );
        }
    }
    Ok(Vec::new())
}

/// The operands as written, without what stands behind the last.
fn operands(cell: &str) -> Vec<&str> {
    let rest = cell.split_once(char::is_whitespace).map_or("", |(_, rest)| rest);
    rest.split(',').filter_map(|operand| operand.split_whitespace().next()).collect()
}

/// The operands of an instruction.
struct Operands<'c> {
    thread: usize,
    at: usize,
    bindings: &'c Bindings<'c>,
    all: Vec<&'c str>,
}

impl Operands<'_> {
    fn bound(&self, operand: &str) -> Option<&str> {
        self.bindings.get(&(self.thread, operand)).copied()
    }

    /// The locations that operands are the addresses of, those in LDS or not.
    fn location(&self, lds: bool) -> Result<&str, Error> {
        // Copies to LDS of gfx9 have their LDS address in M0.
        let m0 = self.bound("m0").filter(|name| name.starts_with(char::is_uppercase));
        let named = self.all.iter().filter_map(|operand| self.bound(operand)).chain(m0);
        let mut named =
            named.filter(|name| name.starts_with(char::is_uppercase) && name.starts_with('L') == lds);
        let what = if lds { "in LDS (named L…)" } else { "in global memory" };
        match named.next() {
            Some(name) => Ok(name),
            None => fail(
                self.at,
                format!("no operand is bound to a location {what}: `0:v1 = NAME` says what it holds"),
            ),
        }
    }

    /// The model's name of a register that is loaded: its first dword.
    fn register(&self, operand: &str) -> String {
        operand.replace('[', "").split([':', ']']).next().unwrap_or("").to_owned()
    }

    /// What is stored: a number that the register holds, or what was loaded to it.
    fn value(&self) -> String {
        let address =
            |operand: &&&str| self.bound(operand).is_some_and(|name| name.starts_with(char::is_uppercase));
        let data = self.all.iter().find(|operand| !address(operand) && operand.starts_with(['v', 's', 'a']));
        data.map_or_else(String::new, |&operand| {
            self.bound(operand).map_or_else(|| self.register(operand), str::to_owned)
        })
    }

    fn immediate(&self) -> Result<&str, Error> {
        match self.all.first() {
            Some(id) if id.parse::<i32>().is_ok() => Ok(id),
            _ => fail(self.at, "the id of a barrier is written as a number here"),
        }
    }
}

/// The model's words for an instruction with these effects; `None` if it has none.
fn instruction(machine: Machine, known: &Effects, operands: &Operands) -> Result<Option<Vec<String>>, Error> {
    if let Some(memory) = &known.memory {
        return access(known, memory.path, memory.verb, operands).map(|line| line.map(|line| vec![line]));
    }
    if let Some(barrier) = known.barrier {
        return barrier_words(barrier, operands).map(Some);
    }
    if known.waits_idle {
        return Ok(Some(vec!["wait.idle".to_owned()]));
    }
    if !known.waits.is_empty() {
        let mut lines = Vec::new();
        for &(counter, n) in &known.waits {
            // Where stores have a counter, that of the others counts loads alone.
            let one_queue = CounterSet::of(machine).counter_of(Channel::St) == Counter::Vm;
            let name = match counter {
                Counter::Vm if one_queue => "vmcnt",
                Counter::Load | Counter::Vm => "loadcnt",
                Counter::Store | Counter::Vs => "storecnt",
                // There are no scalar loads here.
                Counter::Ds | Counter::Lgkm => "dscnt",
                Counter::Async => "asynccnt",
                Counter::Tensor => "tensorcnt",
                _ => return Ok(None),
            };
            lines.push(format!("wait.{name} {n}"));
        }
        return Ok(Some(lines));
    }
    Ok((known.control == Some(Control::Hint)).then(Vec::new))
}

fn access(known: &Effects, path: Path, verb: Verb, operands: &Operands) -> Result<Option<String>, Error> {
    let is = |channel: Channel| known.channels.contains(&channel);
    let lds = path == Path::Lds;
    if !lds && !matches!(path, Path::Global | Path::Buffer) {
        return Ok(None);
    }
    let kind = if lds { "lds" } else { "vmem" };
    Ok(match verb {
        Verb::Load => {
            let data = operands.all.first().map_or_else(String::new, |data| operands.register(data));
            Some(format!("{data} = {kind}.load {}", operands.location(lds)?))
        }
        Verb::Store => Some(format!("{kind}.store {}, {}", operands.location(lds)?, operands.value())),
        Verb::ToLds if is(Channel::Al) || is(Channel::Vm) => {
            Some(format!("load.async {}, {}", operands.location(true)?, operands.location(false)?))
        }
        Verb::FromLds if is(Channel::As) => {
            Some(format!("store.async {}, {}", operands.location(false)?, operands.location(true)?))
        }
        _ => None,
    })
}

fn barrier_words(barrier: Barrier, operands: &Operands) -> Result<Vec<String>, Error> {
    let with = |word: &str| operands.immediate().map(|id| vec![format!("barrier.{word} {id}")]);
    match barrier {
        Barrier::ArriveAndWait => Ok(vec!["barrier.signal -1".to_owned(), "barrier.wait -1".to_owned()]),
        Barrier::Signal => with("signal"),
        Barrier::SignalIsFirst => {
            operands.immediate().map(|id| vec![format!("scc = barrier.signal.isfirst {id}")])
        }
        Barrier::Wait => with("wait"),
        Barrier::Join => with("join"),
        Barrier::Leave => Ok(vec!["barrier.leave".to_owned()]),
        Barrier::Init => {
            // The count is in bits 22:16 of M0.
            let m0 = operands.bound("m0").and_then(|value| value.parse::<u32>().ok());
            let Some(m0) = m0 else {
                return fail(operands.at, "init takes its count from M0: bind it, `0:m0 = 131072`");
            };
            operands.immediate().map(|id| vec![format!("barrier.init {id}, {}", m0 >> 16 & 0x7f)])
        }
        Barrier::GetState | Barrier::Wakeup => {
            fail(operands.at, "litmus tests do not ask for the state of a barrier, and do not sleep")
        }
    }
}
