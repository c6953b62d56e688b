//! An instruction of a thread.

use super::{Error, Piece, fail, location, object};
use crate::asyncmark::{STAGES, Stage, Stages};
use crate::barrier::{self, ObjectId};
use crate::litmus::{
    CellId, CellOperation, Class, Condition, Counter, Instruction, Level, LocationId, Ordering, Register,
    Semantics, Test, Thread, Update, Value,
};
use crate::scope::{Scope, Space, Spaces};

/// Reads an instruction.
pub(super) struct Reader<'r, 't> {
    pub(super) test: &'r mut Test,
    pub(super) thread: &'r mut Thread,
    pub(super) tokens: Vec<Piece<'t>>,
    pub(super) next: usize,
    pub(super) line: Piece<'t>,
    pub(super) labels: &'r [(&'t str, usize)],
    /// The instruction's number.
    pub(super) at: usize,
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
        Ok(Instruction::Copy(class, to, from, self.stage()?.unwrap_or(0)))
    }

    /// `stage 1`, where stages are told apart.
    fn stage(&mut self) -> Result<Option<Stage>, Error> {
        if !self.eat("stage") {
            return Ok(None);
        }
        let at = self.next;
        match self.number::<Stage>()? {
            stage if usize::from(stage) < STAGES => Ok(Some(stage)),
            _ => fail(self.tokens[at].at, format!("a stage is below {STAGES}")),
        }
    }

    /// The stages of a mark or a wait: one, or all.
    fn stages(&mut self) -> Result<Stages, Error> {
        Ok(self.stage()?.map_or(Stages::ALL, |stage| Stages(1 << stage)))
    }

    pub(super) fn instruction(&mut self) -> Result<Instruction, Error> {
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
            "asyncmark" => Ok(Instruction::Mark(self.stages()?)),
            "wait.asyncmark" => Ok(Instruction::WaitMark(self.number()?, self.stages()?)),
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
            word if word.starts_with("cell.") => self.cell(word, first.at),
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

    /// An operation on a barrier cell in LDS, which waves have.
    fn cell(&mut self, word: &str, at: usize) -> Result<Instruction, Error> {
        let operation = match word {
            _ if self.test.level != Level::Machine => None,
            "cell.arrive" => Some(CellOperation::Arrive),
            "cell.arrive.async" => Some(CellOperation::ArriveBehindCopies),
            "cell.wait" => Some(CellOperation::Wait),
            _ => None,
        };
        let Some(operation) = operation else {
            return fail(at, format!("no instruction is called `{word}` here"));
        };
        let name = self.take("the name of a cell")?;
        let known = self.test.cells.iter().position(|(known, _)| known == name.text);
        let cell = known.unwrap_or_else(|| {
            self.test.cells.push((name.text.to_owned(), 0));
            self.test.cells.len() - 1
        });
        Ok(Instruction::Cell(cell as CellId, operation))
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
            "wait.vmcnt" => Some(Counter::Vector),
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
