//! How many marks a wait may leave, held against all paths of random functions with loops and calls.
//!
//! The paths are taken here on the instructions themselves, by the definition ([`Thread`]): a block's instructions one after
//! the other, both ways at a branch, into callees and back. The seed is printed; `WAVEMARK_SEED=N` makes the same functions,
//! `WAVEMARK_CASES=N` so many.

use std::collections::HashSet;
use std::time::{SystemTime, UNIX_EPOCH};

use wavemark_diag::SourceMap;
use wavemark_ir::Module;
use wavemark_ir::analysis::direct_callee;
use wavemark_ir::function::{Block, Body, Inst};
use wavemark_ir::inst::{InstKind, Operand};
use wavemark_ir::intrinsic::{self, Marks};
use wavemark_ir::marks::{MarkedModule, Sufficient};
use wavemark_ir::module::Global;
use wavemark_memmodel::asyncmark::{Position, Stages, Thread};

/// Numbers that a wait is tried with; more are as good as no wait where no path has more marks.
const MOST: u32 = 5;
/// A program with more states than this is left.
const MANY: usize = 2_000;

/// Random numbers after Marsaglia's xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit
    }
}

const ISSUE: &str = "call void @llvm.amdgcn.global.load.async.to.lds.b32(ptr addrspace(1) null, ptr addrspace(3) null, i32 0, i32 0)";
const READER: &str = "call void @llvm.amdgcn.global.store.async.from.lds.b32(ptr addrspace(1) null, ptr addrspace(3) null, i32 0, i32 0)";

/// A random instruction; `callees` are the numbers of functions that may be called.
fn instruction(random: &mut Random, callees: std::ops::Range<usize>) -> String {
    match random.below(10) {
        0..=2 => ISSUE.to_owned(),
        3..=5 => "call void @llvm.amdgcn.asyncmark()".to_owned(),
        6 | 7 => format!("call void @llvm.amdgcn.wait.asyncmark(i16 {})", random.below(3)),
        8 if !callees.is_empty() => {
            format!("call void @f{}(i1 %c)", callees.start + random.below(callees.len()))
        }
        _ => "call void @llvm.donothing()".to_owned(),
    }
}

/// A function of a few blocks with branches anywhere. The kernel has one wait and, behind it in the order of the text, one
/// reader that are looked at; the first operation before is what must be done.
fn function(random: &mut Random, name: &str, callees: std::ops::Range<usize>, kernel: bool) -> String {
    let blocks = 1 + random.below(if kernel { 4 } else { 3 });
    let kind = if kernel { "amdgpu_kernel " } else { "" };
    let mut text = format!("define {kind}void @{name}(i1 %c) {{\nentry:\n");
    if kernel {
        text += &format!("  {ISSUE}\n");
    }
    text += "  br label %b0\n";
    let wait_in = random.below(blocks);
    let reader_in = wait_in + random.below(blocks - wait_in);
    for block in 0..blocks {
        text += &format!("b{block}:\n");
        let mut lines: Vec<String> =
            (0..random.below(4)).map(|_| instruction(random, callees.clone())).collect();
        if kernel && block == wait_in {
            lines.push(format!("call void @llvm.amdgcn.wait.asyncmark(i16 {})", 7));
            lines.extend((0..random.below(3)).map(|_| instruction(random, callees.clone())));
        }
        if kernel && block == reader_in {
            lines.push(READER.to_owned());
        }
        lines.iter().for_each(|line| text += &format!("  {line}\n"));
        let next = if block + 1 < blocks { format!("b{}", block + 1) } else { "exit".to_owned() };
        let back = random.below(blocks);
        text += &match random.below(2) {
            0 => format!("  br i1 %c, label %b{back}, label %{next}\n"),
            _ => format!("  br label %{next}\n"),
        };
    }
    text + "exit:\n  ret void\n}\n"
}

fn program(random: &mut Random) -> String {
    function(random, "k", 1..3, true)
        + &function(random, "f1", 2..3, false)
        + &function(random, "f2", 0..0, false)
        + "declare void @llvm.donothing()
declare void @llvm.amdgcn.asyncmark()
declare void @llvm.amdgcn.wait.asyncmark(i16 immarg)
declare void @llvm.amdgcn.global.load.async.to.lds.b32(ptr addrspace(1), ptr addrspace(3), i32 immarg, i32 immarg)
declare void @llvm.amdgcn.global.store.async.from.lds.b32(ptr addrspace(1), ptr addrspace(3), i32 immarg, i32 immarg)
"
}

/// What an instruction is to marks.
#[derive(Clone, Copy, PartialEq)]
enum Does {
    Nothing,
    Issue,
    Mark,
    Wait(u32),
    Call(Global),
}

fn does(module: &Module, body: &Body, inst: Inst) -> Does {
    let InstKind::Call(call) = &body.insts[inst].kind else { return Does::Nothing };
    match intrinsic::called(module, call) {
        None => direct_callee(module, &call.callee).map_or(Does::Nothing, Does::Call),
        Some(row) if row.asynchronous.is_some() => Does::Issue,
        Some(row) => match (row.marks, call.args.first().map(|arg| arg.value)) {
            (Some(Marks::Put), _) => Does::Mark,
            (Some(Marks::Await), Some(Operand::Const(n))) => {
                Does::Wait(module.constants.int(n).map_or(0, |n| n.low() as u32))
            }
            _ => Does::Nothing,
        },
    }
}

/// A place: function, block, the next instruction in it.
type Place = (Global, Block, usize);

/// What is looked at in the kernel.
struct Question {
    kernel: Global,
    wait: Inst,
    reader: Inst,
    operation: Inst,
}

/// Marks beyond this are not told apart: no wait of these programs leaves as many.
const FAR: u32 = 12;

fn cut(position: Position) -> Position {
    match position {
        Position::Behind(younger) => Position::Behind(younger.min(FAR)),
        other => other,
    }
}

/// Whether what the operation began last is done at the reader on every path, if the wait leaves `n` (`None`: it is no wait);
/// `None` if there are too many states.
fn holds(module: &Module, question: &Question, n: Option<u32>) -> Option<bool> {
    let body = |function: Global| module.function(function).and_then(|function| function.body.as_ref());
    // Which operation an instance is of: its instruction's number.
    let number = |inst: Inst| wavemark_ir::entity::Id::index(inst) as u32;
    let first = (question.kernel, body(question.kernel)?.order[0], 0);
    let mut known = HashSet::new();
    let mut open: Vec<(Vec<Place>, Place, Thread)> = vec![(Vec::new(), first, Thread::default())];
    while let Some((mut calls, (function, block, at), mut thread)) = open.pop() {
        // Of each operation what it began last, and how many marks there are, both no further than waits reach.
        let mut last: Vec<(u32, Vec<Position>)> = Vec::new();
        for (operation, instance) in thread.instances(0) {
            if last.iter().all(|(known, _)| *known != operation) {
                last.push((operation, thread.positions(instance).map(cut).collect()));
            }
        }
        last.sort_by_key(|(operation, _)| *operation);
        let lengths: Vec<u32> = thread.lengths(0).map(|length| length.min(FAR)).collect();
        if !known.insert((calls.clone(), (function, block, at), last, lengths)) {
            continue;
        }
        if known.len() > MANY {
            return None;
        }
        let own = body(function)?;
        let inst = own.blocks[block].insts[at];
        let next = (function, block, at + 1);
        let in_kernel = function == question.kernel;
        if in_kernel && inst == question.reader {
            let wanted = number(question.operation);
            let last = thread.instances(0).find(|(operation, _)| *operation == wanted);
            if last.is_some_and(|(_, instance)| !thread.is_done(instance)) {
                return Some(false);
            }
        }
        match &own.insts[inst].kind {
            InstKind::Ret { .. } => {
                if let Some(back) = calls.pop() {
                    thread.ret();
                    open.push((calls, back, thread));
                }
                continue;
            }
            kind if kind.is_terminator() => {
                for target in kind.successors() {
                    open.push((calls.clone(), (function, target, 0), thread.clone()));
                }
                continue;
            }
            _ => {}
        }
        match does(module, own, inst) {
            Does::Nothing => {}
            Does::Issue => drop(thread.issue(if in_kernel { number(inst) } else { u32::MAX }, 0)),
            Does::Mark => thread.mark(Stages::ALL),
            Does::Wait(own_n) => {
                let own_n = if in_kernel && inst == question.wait { n } else { Some(own_n) };
                if let Some(n) = own_n {
                    drop(thread.wait(n, Stages::ALL));
                }
            }
            Does::Call(callee) => {
                thread.call();
                calls.push(next);
                open.push((calls, (callee, body(callee)?.order[0], 0), thread));
                continue;
            }
        }
        open.push((calls, next, thread));
    }
    Some(true)
}

#[test]
fn a_wait_may_leave_what_all_paths_allow() {
    let clock = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() as u64;
    let setting = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let seed = setting("WAVEMARK_SEED").unwrap_or(clock);
    println!("WAVEMARK_SEED={seed}");
    let cases = setting("WAVEMARK_CASES").unwrap_or(300);
    let mut random = Random(seed | 1);
    let (mut compared, mut kinds) = (0, [0; 3]);
    while compared < cases {
        let text = program(&mut random);
        let mut sources = SourceMap::new();
        let file = sources.add_text("k.ll", text.as_str());
        let module = match wavemark_ir::parse(file, &text) {
            Ok(parsed) => parsed.module,
            Err(diagnostic) => panic!("{}\n{text}", wavemark_diag::render_short(&sources, &diagnostic)),
        };
        assert_eq!(wavemark_ir::verify(&module, None), [], "{text}");
        let kernel = module.named("k").unwrap();
        let body = module.function(kernel).unwrap().body.as_ref().unwrap();
        let insts: Vec<Inst> =
            body.order.iter().flat_map(|&block| body.blocks[block].insts.iter().copied()).collect();
        let wait = insts.iter().copied().find(|&inst| does(&module, body, inst) == Does::Wait(7)).unwrap();
        let issues: Vec<Inst> =
            insts.iter().copied().filter(|&inst| does(&module, body, inst) == Does::Issue).collect();
        let is_reader = |inst: &Inst| match &body.insts[*inst].kind {
            InstKind::Call(call) => direct_callee(&module, &call.callee)
                .is_some_and(|callee| module.name(callee).contains("store")),
            _ => false,
        };
        let reader = issues.iter().copied().find(is_reader).unwrap();
        let operation = issues[random.below(issues.len())];
        let question = Question { kernel, wait, reader, operation };
        let found = MarkedModule::of(&module).enough(kernel, wait, reader, operation).unwrap();
        let largest = (0..=MOST)
            .rev()
            .map(|n| (n, holds(&module, &question, Some(n))))
            .find(|(_, holds)| *holds != Some(false));
        let by_paths = match (holds(&module, &question, None), largest) {
            (None, _) | (_, Some((_, None))) => continue,
            (Some(true), _) => Sufficient::All,
            (_, None) => Sufficient::None,
            (_, Some((n, _))) => Sufficient::UpTo(n),
        };
        let cut = match found {
            Sufficient::UpTo(n) => Sufficient::UpTo(n.min(MOST)),
            other => other,
        };
        assert_eq!(cut, by_paths, "{text}");
        compared += 1;
        kinds[match cut {
            Sufficient::All => 0,
            Sufficient::None => 1,
            Sufficient::UpTo(_) => 2,
        }] += 1;
    }
    println!(
        "{compared} programs: any number {}, no number {}, a largest one {}",
        kinds[0], kinds[1], kinds[2]
    );
    assert!(kinds.iter().all(|&kind| kind > cases / 100), "{kinds:?}");
}
