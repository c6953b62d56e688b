//! Marks and waits over all paths: what is remarked of which line.

use wavemark_corpus::shared_or_skip;
use wavemark_diag::SourceMap;
use wavemark_ir::marks::{MarkedModule, Remark};

const HEAD: &str = "declare void @llvm.amdgcn.asyncmark()
declare void @llvm.amdgcn.wait.asyncmark(i16 immarg)
declare void @llvm.amdgcn.global.load.async.to.lds.b32(ptr addrspace(1), ptr addrspace(3), i32 immarg, i32 immarg)
";

/// `issue`, `mark` and `wait N` stand for calls; the rest is as it is. The remarks by line of `body`.
fn remarks(body: &str) -> Vec<(u32, Remark)> {
    let line = |line: &str| {
        match line.trim() {
        "issue" => "call void @llvm.amdgcn.global.load.async.to.lds.b32(ptr addrspace(1) null, ptr addrspace(3) null, i32 0, i32 0)".to_owned(),
        "mark" => "call void @llvm.amdgcn.asyncmark()".to_owned(),
        other => match other.strip_prefix("wait ") {
            Some(n) => format!("call void @llvm.amdgcn.wait.asyncmark(i16 {n})"),
            None => other.to_owned(),
        },
    }
    };
    let lines: Vec<String> = body.lines().map(line).collect();
    let text = format!("{HEAD}{}\n", lines.join("\n"));
    let mut sources = SourceMap::new();
    let file = sources.add_text("k.ll", text.as_str());
    let parsed = wavemark_ir::parse(file, &text)
        .unwrap_or_else(|diagnostic| panic!("{}", wavemark_diag::render_short(&sources, &diagnostic)));
    assert_eq!(wavemark_ir::verify(&parsed.module, None), []);
    let found = MarkedModule::of(&parsed.module).remarks().into_iter().map(|remarked| {
        let place = sources.line_column(parsed.places.inst(remarked.function, remarked.inst)).unwrap();
        (place.line - HEAD.lines().count() as u32, remarked.remark)
    });
    found.collect()
}

#[test]
fn straight_lines() {
    let kernel = |steps: &str| remarks(&format!("define amdgpu_kernel void @k() {{\n{steps}\nret void\n}}"));
    assert_eq!(kernel("issue\nmark\nwait 0"), []);
    assert_eq!(kernel("issue\nmark\nwait 1"), [(2 + 1, Remark::RemovableMark), (4, Remark::RedundantWait)]);
    assert_eq!(kernel("issue\nmark\nwait 0\nwait 0"), [(5, Remark::RedundantWait)]);
    // The mark that stays in the sequence pushes the other one out.
    assert_eq!(kernel("issue\nmark\nmark\nwait 1"), []);
    // Nothing was issued between the two marks, and both go.
    assert_eq!(kernel("issue\nmark\nmark\nwait 0"), [(3, Remark::RemovableMark), (4, Remark::RemovableMark)]);
}

#[test]
fn loops_and_calls() {
    let pipelined = remarks(
        "define amdgpu_kernel void @k(i32 %n) {
         entry:
           issue
           mark
           br label %loop
         loop:
           %i = phi i32 [ 0, %entry ], [ %next, %loop ]
           issue
           mark
           wait 1
           %next = add i32 %i, 1
           %more = icmp slt i32 %next, %n
           br i1 %more, label %loop, label %done
         done:
           wait 0
           ret void
         }",
    );
    assert_eq!(pipelined, []);
    // A callee's wait is for its own marks.
    let called = remarks(
        "define void @f() {
           wait 0
           ret void
         }
         define amdgpu_kernel void @k() {
           issue
           mark
           call void @f()
           wait 0
           ret void
         }",
    );
    assert_eq!(called, [(2, Remark::RedundantWait)]);
}

#[test]
fn kernels_of_the_corpus() {
    let Some(folder) = shared_or_skip("corpus/triton") else { return };
    let (mut marked, mut removable) = (0, 0);
    for target in ["gfx950", "gfx1250"] {
        for case in std::fs::read_dir(folder.join(target)).unwrap() {
            let path = case.unwrap().path().join("kernel.ll");
            let text = std::fs::read_to_string(&path).unwrap();
            let mut sources = SourceMap::new();
            let file = sources.add_text("kernel.ll", text.as_str());
            let parsed = wavemark_ir::parse(file, &text).unwrap();
            let module = MarkedModule::of(&parsed.module);
            marked += usize::from(module.count() > 0);
            for found in module.remarks() {
                let place = sources.location(parsed.places.inst(found.function, found.inst));
                // The compiler's waits are all of use. Where it puts a mark behind each of two copies and waits for both,
                // the first mark is not.
                assert_eq!(found.remark, Remark::RemovableMark, "{}: {place}", path.display());
                removable += 1;
            }
        }
    }
    assert_eq!((marked, removable), (16, 29));
}
