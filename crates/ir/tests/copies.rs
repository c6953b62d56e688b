//! Copies to LDS over all paths: what is found in which line, and that compilers' kernels are right.

use std::fmt::Write as _;
use std::path::PathBuf;

use expect_test::{Expect, expect};
use rayon::prelude::*;
use wavemark_corpus::shared_or_skip;
use wavemark_diag::SourceMap;
use wavemark_ir::copies::{Verdict, judge, tighten};

/// The verdict on the one kernel of a text, as lines that name lines of the text, less `head`.
fn told(text: &str, head: u32) -> Option<(Verdict, String)> {
    let mut sources = SourceMap::new();
    let file = sources.add_text("k.ll", text);
    let parsed = wavemark_ir::parse(file, text)
        .unwrap_or_else(|diagnostic| panic!("{}", wavemark_diag::render_short(&sources, &diagnostic)));
    let (kernel, _) = parsed.module.functions().find(|(_, function)| function.is_kernel()).unwrap();
    let verdict = match judge(&parsed.module, kernel, None)? {
        Ok(verdict) => verdict,
        Err(why) => return Some((Verdict::default(), format!("not followed: {}\n", why.reason()))),
    };
    let line = |inst| {
        let (function, inst) = verdict.origin(kernel, inst);
        sources.line_column(parsed.places.inst(function, inst)).unwrap().line - head
    };
    let mut out = String::new();
    for hazard in &verdict.hazards {
        let pairs: Vec<String> =
            hazard.pairs.iter().map(|&(first, second)| format!("{} {}", line(first), line(second))).collect();
        _ = write!(out, "{:?} {}", hazard.kind, pairs.join(", "));
        hazard.barrier.into_iter().for_each(|barrier| _ = write!(out, ", barrier {}", line(barrier)));
        hazard.wait.into_iter().for_each(|wait| _ = write!(out, ", wait {}", line(wait)));
        hazard.enough.into_iter().for_each(|n| _ = write!(out, ", {n} may be left"));
        out.push('\n');
    }
    for weaker in &verdict.weaker {
        let enough = weaker.enough.map_or("any number".to_owned(), |n| n.to_string());
        _ = writeln!(out, "wait {} leaves {}, may leave {enough}", line(weaker.wait), weaker.now);
    }
    for &unknown in &verdict.unknown {
        _ = writeln!(out, "unknown {}", line(unknown));
    }
    if verdict.unproven > 0 {
        _ = writeln!(out, "unproven {}", verdict.unproven);
    }
    Some((verdict, out))
}

const HEAD: &str = r#"target triple = "amdgpu12.50-amd-amdhsa"
@lds = external addrspace(3) global [0 x i8], align 16
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.asyncmark()
declare void @llvm.amdgcn.wait.asyncmark(i16 immarg)
declare void @llvm.amdgcn.s.wait.asynccnt(i16 immarg)
declare void @llvm.amdgcn.s.wait.tensorcnt(i16 immarg)
declare void @llvm.amdgcn.s.barrier()
declare void @llvm.amdgcn.s.barrier.signal(i32 immarg)
declare void @llvm.amdgcn.s.barrier.wait(i16 immarg)
declare void @llvm.amdgcn.global.load.async.to.lds.b128(ptr addrspace(1), ptr addrspace(3), i32 immarg, i32 immarg)
declare void @llvm.amdgcn.global.store.async.from.lds.b128(ptr addrspace(1), ptr addrspace(3), i32 immarg, i32 immarg)
declare void @llvm.amdgcn.tensor.load.to.lds.d2(<4 x i32>, <8 x i32>, i32 immarg)
"#;

/// `copy P`, `store P`, `mark`, `marked N`, `count N`, `barrier`, `read P` stand for instructions on LDS at the pointer P;
/// the rest is as it is. The workgroup has `items` work-items in waves of 32.
fn check(items: u32, body: &str, expected: Expect) {
    let mut number = 0;
    let line = |line: &str| {
        let (word, rest) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
        let call = |what: &str| format!("call void @llvm.amdgcn.{what}");
        let moved =
            |what| call(&format!("{what}(ptr addrspace(1) %g, ptr addrspace(3) {rest}, i32 0, i32 0)"));
        match word {
            "copy" => moved("global.load.async.to.lds.b128"),
            "store" if rest.starts_with(['%', '@']) => moved("global.store.async.from.lds.b128"),
            "mark" => call("asyncmark()"),
            "marked" => call(&format!("wait.asyncmark(i16 {rest})")),
            "count" => call(&format!("s.wait.asynccnt(i16 {rest})")),
            "barrier" => call("s.barrier()"),
            "read" => {
                number += 1;
                format!("%read{number} = load <4 x i32>, ptr addrspace(3) {rest}")
            }
            _ => line.to_owned(),
        }
    };
    let lines: Vec<String> = body.lines().map(line).collect();
    let text = format!(
        "{HEAD}define amdgpu_kernel void @k(ptr addrspace(1) %g, i32 %n, i1 %c) #0 {{\n{}\n}}\n\
         attributes #0 = {{ \"amdgpu-flat-work-group-size\"=\"1,{items}\" }}\n",
        lines.join("\n")
    );
    let (_, told) = told(&text, HEAD.lines().count() as u32 + 1).unwrap();
    expected.assert_eq(&told);
}

/// `%own` is the work-item's 16 bytes of the first buffer, `%next` those of its neighbour in the next wave.
const OWN: &str = "%x = call i32 @llvm.amdgcn.workitem.id.x()
%x16 = shl i32 %x, 4
%own = getelementptr i8, ptr addrspace(3) @lds, i32 %x16
%y = xor i32 %x, 32
%y16 = shl i32 %y, 4
%next = getelementptr i8, ptr addrspace(3) @lds, i32 %y16
";

fn straight(items: u32, steps: &str, expected: Expect) {
    check(items, &format!("{OWN}{steps}\nret void"), expected);
}

#[test]
fn own_copies() {
    straight(32, "copy %own\nmark\nmarked 0\nread %own", expect![""]);
    straight(
        32,
        "copy %own\nmark\nmarked 1\nread %own",
        expect![[r#"
        InFlight 7 10, wait 9, 0 may be left
    "#]],
    );
    straight(
        32,
        "copy %own\nmarked 0\nread %own",
        expect![[r#"
        InFlight 7 9, wait 8
    "#]],
    );
    straight(32, "copy %own\ncount 0\nread %own", expect![""]);
    straight(
        32,
        "copy %own\ncopy %own\ncount 1\nread %own\ncount 0",
        expect![[r#"
        InFlight 7 8, 0 may be left
        InFlight 8 10, wait 9, 0 may be left
    "#]],
    );
    // What is read is not what is copied last.
    straight(
        32,
        "%later = getelementptr i8, ptr addrspace(3) %own, i32 4096\ncopy %own\ncopy %later\ncount 1\nread %own\ncount 0",
        expect![""],
    );
    straight(
        32,
        "%later = getelementptr i8, ptr addrspace(3) %own, i32 4096\ncopy %own\ncopy %later\ncount 0\nread %own\ncount 0",
        expect![[r#"
            wait 10 leaves 0, may leave 1
            wait 12 leaves 0, may leave any number
        "#]],
    );
    straight(
        32,
        "copy %own\nstore <4 x i32> zeroinitializer, ptr addrspace(3) %own\ncount 0",
        expect![[r#"
        InFlight 7 8, 0 may be left
    "#]],
    );
    straight(
        32,
        "copy %own",
        expect![[r#"
        AtEnd 7 8, 0 may be left
    "#]],
    );
    // A store from LDS reads it, and loads do not wait for it.
    straight(32, "store %own\nread %own\ncount 0", expect![""]);
    straight(
        32,
        "store %own\ncopy %own\ncount 0",
        expect![[r#"
        InFlight 7 8, 0 may be left
    "#]],
    );
}

#[test]
fn copies_of_other_waves() {
    straight(64, "copy %own\ncount 0\nbarrier\nread %next", expect![""]);
    straight(
        64,
        "copy %own\nbarrier\ncount 0\nread %next",
        expect![[r#"
        PublishedEarly 7 10, barrier 8, 0 may be left
    "#]],
    );
    straight(
        64,
        "copy %own\ncount 0\nread %next",
        expect![[r#"
        Unordered 7 9
    "#]],
    );
    // One wave has no other.
    straight(32, "copy %own\ncount 0\nread %own", expect![""]);
    let split = |first: &str, second: &str| {
        format!(
            "copy %own\n{first}call void @llvm.amdgcn.s.barrier.signal(i32 -1)\n{second}\
             call void @llvm.amdgcn.s.barrier.wait(i16 -1)\nread %next"
        )
    };
    straight(64, &split("count 0\n", ""), expect![""]);
    straight(
        64,
        &split("", "count 0\n"),
        expect![[r#"
        PublishedEarly 7 11, barrier 8, 0 may be left
    "#]],
    );
    // What was read before may be overwritten behind a barrier only.
    straight(64, "read %next\nbarrier\ncopy %own\ncount 0", expect![""]);
    straight(
        64,
        "read %next\ncopy %own\ncount 0",
        expect![[r#"
        Unordered 7 8
    "#]],
    );
}

/// A ring of buffers of 4096 bytes: `slot` computes the next one, `%slot`, from the one before, `%last`.
fn ring(slot: &str, ahead: u32, left: u32, expected: Expect) {
    let prologue: String = (0..ahead)
        .map(|n| format!("%s{n} = getelementptr i8, ptr addrspace(3) %own, i32 {}\ncopy %s{n}\n", n * 4096))
        .collect();
    let body = format!(
        "{OWN}{prologue}br label %loop
loop:
%i = phi i32 [ 0, %0 ], [ %j, %loop ]
%last = phi i32 [ {before}, %0 ], [ %slot, %loop ]
%reading = phi i32 [ 0, %0 ], [ %read.next, %loop ]
{slot}
%o = shl i32 %slot, 12
%to = getelementptr i8, ptr addrspace(3) %own, i32 %o
copy %to
count {left}
%p = shl i32 %reading, 12
%from = getelementptr i8, ptr addrspace(3) %own, i32 %p
read %from
%read.up = add i32 %reading, 1
%read.over = icmp eq i32 %read.up, {size}
%read.next = select i1 %read.over, i32 0, i32 %read.up
%j = add i32 %i, 1
%more = icmp slt i32 %j, %n
br i1 %more, label %loop, label %end
end:
count 0
ret void",
        before = ahead - 1,
        size = ahead + 1,
    );
    check(32, &body, expected);
}

#[test]
fn rings() {
    let counted = |size: u32| {
        format!(
            "%up = add i32 %last, 1\n%over = icmp eq i32 %up, {size}\n%slot = select i1 %over, i32 0, i32 %up"
        )
    };
    ring(&counted(2), 1, 1, expect![""]);
    ring(
        &counted(2),
        1,
        2,
        expect![[r#"
        InFlight 8 19, 8 23, 19 19, 19 23, wait 20, 1 may be left
    "#]],
    );
    ring(&counted(3), 2, 2, expect![""]);
    ring(
        &counted(3),
        2,
        1,
        expect![[r#"
        wait 22 leaves 1, may leave 2
    "#]],
    );
    // A ring that is one buffer too small: what is read is overwritten.
    ring(
        &counted(2),
        2,
        2,
        expect![[r#"
        InFlight 8 21, 10 21, 21 21, 21 25, wait 22, 0 may be left
    "#]],
    );
    // The slot from the number of the round: odd and even ones are told apart.
    ring("%odd = and i32 %i, 1\n%slot = xor i32 %odd, 1", 1, 1, expect![""]);
    // The same buffer in every round, whichever it is: the second round reads what is being copied, or the third.
    ring(
        "%slot = and i32 %n, 1",
        1,
        1,
        expect![[r#"
        InFlight 8 17, 0 may be left
        InFlight 17 17, 17 21, wait 18, 0 may be left
    "#]],
    );
    // From what is not known nothing follows.
    ring(
        "%loaded = load i32, ptr addrspace(1) %g\n%slot = and i32 %loaded, 1",
        1,
        1,
        expect![[r#"
        unknown 18
    "#]],
    );
}

#[test]
fn conditions() {
    // Either the copy or the store writes.
    let select = "%a = select i1 %c, ptr addrspace(3) %own, ptr addrspace(3) inttoptr (i32 2147483647 to ptr addrspace(3))
%b = select i1 %c, ptr addrspace(3) inttoptr (i32 2147483647 to ptr addrspace(3)), ptr addrspace(3) %own
copy %a
store <4 x i32> zeroinitializer, ptr addrspace(3) %b
";
    straight(32, &format!("{select}count 0\nread %own"), expect![""]);
    straight(
        32,
        &format!("{select}count 1\nread %own\ncount 0"),
        expect![[r#"
        InFlight 9 12, wait 11, 0 may be left
    "#]],
    );
    // Only the second wave copies, only the first reads.
    let waves = "%second = icmp ugt i32 %x, 31\nbr i1 %second, label %w1, label %w0\nw1:\ncopy %own\ncount 0\nbr label %w0\nw0:\n";
    straight(64, &format!("{waves}read %own"), expect![""]);
    straight(
        64,
        &format!("{waves}read %next"),
        expect![[r#"
        Unordered 10 14
    "#]],
    );
}

#[test]
fn tensors() {
    let load = |tile: u32, at: u32| {
        format!(
            "call void @llvm.amdgcn.tensor.load.to.lds.d2(<4 x i32> <i32 1, i32 {at}, i32 0, i32 0>, \
         <8 x i32> <i32 131072, i32 0, i32 0, i32 {}, i32 4, i32 0, i32 0, i32 0>, i32 0)",
            tile << 16
        )
    };
    let wait = |n| format!("call void @llvm.amdgcn.s.wait.tensorcnt(i16 {n})");
    // 4 rows of 32 dwords.
    straight(32, &format!("{}\n{}\nread %own", load(32, 0), wait(0)), expect![""]);
    straight(
        32,
        &format!("{}\nread %own\n{}", load(32, 0), wait(0)),
        expect![[r#"
        InFlight 7 8, 0 may be left
    "#]],
    );
    straight(32, &format!("{}\nread %own\n{}", load(32, 512), wait(0)), expect![""]);
    straight(
        32,
        &format!("{}\n{}\n{}\nread %own\n{}", load(32, 0), load(32, 512), wait(1), wait(0)),
        expect![""],
    );
}

/// Functions are looked at in the place of their calls, with the addresses that they are given.
#[test]
fn called_functions() {
    let of = |kernel: &str, function: &str, expected: Expect| {
        straight(64, &format!("{kernel}\nret void\n}}\n{function}"), expected);
    };
    let reads = "define internal void @f(ptr addrspace(3) %p) {";
    let given = "copy %own\ncount 0\ncall void @f(ptr addrspace(3) %next)";
    of(
        given,
        &format!("{reads}\nread %p"),
        expect![[r#"
        Unordered 7 13
    "#]],
    );
    of(given, &format!("{reads}\nbarrier\nread %p"), expect![""]);
    // Copies of the function are those of the kernel; each call has its own addresses.
    let copies = "define internal void @f(ptr addrspace(1) %g, ptr addrspace(3) %p) {\ncopy %p";
    let twice = |between: &str| {
        format!(
            "call void @f(ptr addrspace(1) %g, ptr addrspace(3) %own)\n\
             %far = getelementptr i8, ptr addrspace(3) %own, i32 4096\n\
             call void @f(ptr addrspace(1) %g, ptr addrspace(3) %far)\n{between}\nbarrier\nread %next"
        )
    };
    of(&twice("count 0"), copies, expect![""]);
    of(
        &twice("count 1"),
        copies,
        expect![[r#"
        AtEnd 16 13, wait 10, 0 may be left
    "#]],
    );
    of(
        &twice("count 2"),
        copies,
        expect![[r#"
        PublishedEarly 16 12, barrier 11, wait 10, 1 may be left
    "#]],
    );
    // A wait within it is that of every call.
    of(&twice(""), &format!("{copies}\ncount 0"), expect![""]);
    // What it gives, by two ways.
    let chooses = "define internal ptr addrspace(3) @f(ptr addrspace(3) %a, ptr addrspace(3) %b, i1 %c) {\n\
                   br i1 %c, label %one, label %other\none:\nret ptr addrspace(3) %a\nother:\n\
                   %more = getelementptr i8, ptr addrspace(3) %b, i32 0\nret ptr addrspace(3) %more\n}\n\
                   define internal void @unused() {";
    let chosen = |other: &str| {
        format!(
            "copy %own\n%p = call ptr addrspace(3) @f(ptr addrspace(3) %{other}, ptr addrspace(3) %{other}, i1 %c)\n\
             read %p\ncount 0"
        )
    };
    of(
        &chosen("own"),
        chooses,
        expect![[r#"
        InFlight 7 9, 0 may be left
    "#]],
    );
    of(
        "%far = getelementptr i8, ptr addrspace(3) %own, i32 4096\ncopy %own\n\
         %p = call ptr addrspace(3) @f(ptr addrspace(3) %far, ptr addrspace(3) %far, i1 %c)\nread %p\ncount 0",
        chooses,
        expect![""],
    );
    of(&twice("mark\nmarked 0"), copies, expect![""]);
    of(
        &twice("mark\nmarked 1"),
        copies,
        expect![[r#"
        PublishedEarly 17 13, barrier 12, wait 11, 0 may be left
    "#]],
    );
    // Marks are those of the call that puts them.
    of(
        "copy %own\ncall void @f()\nread %own",
        "define internal void @f() {\nmark\nmarked 0",
        expect![[r#"
        not followed: it calls functions by address, without a body or with marks, or runs assembly text
    "#]],
    );
    of(
        "call void @f()\nread %own",
        "define internal void @f() {\ncall void @f()",
        expect![[r#"
        not followed: it calls functions by address, without a body or with marks, or runs assembly text
    "#]],
    );
}

#[test]
fn what_is_not_followed() {
    straight(
        32,
        "copy %own\ncall void @llvm.amdgcn.s.barrier.signal(i32 1)\ncount 0",
        expect![[r#"
            not followed: which named barrier is meant is not known
        "#]],
    );
    straight(
        32,
        "copy %own\nmark\nmarked 0\ncount 0",
        expect![[r#"
        not followed: it waits for marks and for counters of copies
    "#]],
    );
    straight(
        32,
        "%flat = addrspacecast ptr addrspace(3) %own to ptr",
        expect![[r#"
        not followed: it makes generic pointers to LDS
    "#]],
    );
}

/// What `tighten` makes of a text: the verdict on that, and what was changed.
fn tightened(text: &str) -> (Verdict, usize) {
    let mut sources = SourceMap::new();
    let file = sources.add_text("k.ll", text);
    let mut module = wavemark_ir::parse(file, text).unwrap().module;
    let (kernel, _) = module.functions().find(|(_, function)| function.is_kernel()).unwrap();
    let changes = tighten(&mut module, kernel, None).len();
    let (verdict, _) = told(&wavemark_ir::print(&module), 0).unwrap();
    (verdict, changes)
}

/// Each wave has a barrier of its own on its way: what one has done is not on the path of the other.
#[test]
fn waves_that_part() {
    let parting = |condition: &str| {
        format!(
            "{condition}\nbr i1 %which, label %w1, label %w0\nw1:\ncopy %own\ncount 0\nbarrier\nbr label %end\n\
         w0:\nbarrier\nread %next\nbr label %end\nend:"
        )
    };
    straight(
        64,
        &parting("%which = icmp ugt i32 %x, 31"),
        expect![[r#"
        not followed: its waves may take different ways to barriers
    "#]],
    );
    straight(
        64,
        &parting("%m = mul i32 %x, %n\n%which = icmp ugt i32 %m, 31"),
        expect![[r#"
        not followed: its waves may take different ways to barriers
    "#]],
    );
    straight(64, &parting("%which = icmp ugt i32 %n, 31"), expect![""]);
    // There is nothing to say of waits for what goes elsewhere.
    straight(32, "store %own\ncopy %next\ncount 0\ncount 0", expect![""]);
}

/// Triton's kernels: nothing is wrong with them, and each wait that is made weaker is found, unless it was said that it may
/// be.
#[test]
fn corpus() {
    let Some(triton) = shared_or_skip("corpus/triton") else { return };
    let mut files: Vec<_> = ["gfx950", "gfx1250"]
        .into_iter()
        .flat_map(|target| std::fs::read_dir(triton.join(target)).unwrap())
        .map(|entry| entry.unwrap().path().join("kernel.ll"))
        .filter(|path| path.exists())
        .collect();
    files.sort();
    // Of a kernel that is judged: what is said of it, its waits, and those of them that were made weaker.
    let of_kernel = |path: &PathBuf| {
        let text = std::fs::read_to_string(path).unwrap();
        let (verdict, told_of) = told(&text, 0)?;
        let mut out = String::new();
        let name = path.parent().unwrap().strip_prefix(&triton).unwrap().display().to_string();
        assert_eq!(verdict.hazards, [], "{name}: {told_of}");
        let said = told_of.lines().filter(|line| !line.starts_with("unknown"));
        said.for_each(|line| _ = writeln!(out, "{name}: {line}"));
        if !verdict.unknown.is_empty() {
            let (unknown, all) = (verdict.unknown.len(), verdict.followed + verdict.unknown.len());
            _ = writeln!(out, "{name}: {unknown} of {all} addresses are not known");
        }
        if !verdict.unknown.is_empty() || verdict.unproven > 0 || verdict.waits == 0 {
            return Some((out, verdict.waits, 0));
        }
        let (of_tightened, changes) = tightened(&text);
        assert_eq!((of_tightened.hazards, of_tightened.weaker), (vec![], vec![]), "{name}");
        assert_eq!(changes > 0, !verdict.weaker.is_empty(), "{name}");
        let waits: Vec<_> = text
            .lines()
            .enumerate()
            .filter_map(|(number, line)| {
                let names = ["wait.asyncmark(i16 ", "wait.asynccnt(i16 ", "wait.tensorcnt(i16 "];
                let at = names.iter().find_map(|name| Some(line.find(name)? + name.len()))?;
                let n = line[at..].split(')').next()?.parse::<u32>().ok()?;
                Some((number, line, at, n))
            })
            .collect();
        waits.par_iter().for_each(|&(number, line, at, n)| {
            let weaker = format!("{}{}{}", &line[..at], n + 1, &line[at + n.to_string().len()..]);
            let mutant: Vec<&str> = text
                .lines()
                .enumerate()
                .map(|(at, line)| if at == number { &weaker } else { line })
                .collect();
            let (mutated, told_of_it) = told(&mutant.join("\n"), 0).unwrap();
            let allowed = told_of.contains(&format!("wait {} leaves {n}, may leave", number + 1));
            assert_eq!(mutated.hazards.is_empty(), allowed, "{name}:{}: {told_of_it}", number + 1);
        });
        Some((out, verdict.waits, waits.len()))
    };
    let results: Vec<_> = files.par_iter().filter_map(of_kernel).collect();
    let mut out: String = results.iter().map(|(out, ..)| out.as_str()).collect();
    let kernels = results.len();
    let waits: usize = results.iter().map(|(_, waits, _)| waits).sum();
    let mutants: usize = results.iter().map(|(.., mutants)| mutants).sum();
    _ = writeln!(out, "{kernels} kernels, {waits} waits, {mutants} of them made weaker");
    expect![[r#"
        gfx1250/gluon_ws_stream_f32: not followed: its waves may take different ways to barriers
        gfx1250/matmul_f16_ragged16_s3: wait 402 leaves 0, may leave 4
        gfx1250/matmul_f16_ragged16_s3: wait 603 leaves 0, may leave any number
        gfx1250/matmul_f16_s3: wait 340 leaves 0, may leave 4
        gfx1250/matmul_f16_s3: wait 541 leaves 0, may leave any number
        gfx1250/matmul_f32_s3_async: wait 276 leaves 0, may leave 4
        gfx1250/matmul_f32_s3_async: wait 400 leaves 0, may leave any number
        79 kernels, 105 waits, 105 of them made weaker
    "#]]
    .assert_eq(&out);
}
