//! What is malformed is refused where it is malformed, and says what was expected there.

use expect_test::{Expect, expect};
use wavemark_diag::{SourceMap, render_short};

fn check(text: &str, expected: Expect) {
    let mut sources = SourceMap::new();
    let file = sources.add_text("k.ll", text);
    let said = match wavemark_ir::parse(file, text) {
        Ok(_) => "fine".to_owned(),
        Err(diagnostic) => render_short(&sources, &diagnostic),
    };
    expected.assert_eq(said.trim_end());
}

/// In a function of its own, from the second line on.
fn check_body(text: &str, expected: Expect) {
    check(&format!("define void @f(i32 %a, ptr %p) {{\n{text}\n}}\n"), expected);
}

#[test]
fn modules() {
    check("", expect!["fine"]);
    check(
        "hello",
        expect![[r#"
        k.ll:1:1: error: expected a definition: define, declare, @global, %type, !metadata, attributes, target, found `hello`"#]],
    );
    check("target triple = amdgcn", expect!["k.ll:1:17: error: expected a string, found `amdgcn`"]);
    check(
        "@x = global i32 @y",
        expect!["k.ll:1:17: error: a global is a pointer: expected a value of another type"],
    );
    check("@x = global ptr @y", expect!["k.ll:1:17: error: @y is not defined"]);
    check(
        "@x = addrspace(3) global i32 poison\n@y = global ptr @x",
        expect!["k.ll:2:17: error: @x is in address space 3"],
    );
    check("@x = global i32 0\n@x = global i32 0", expect!["k.ll:2:1: error: @x is defined twice"]);
    check(
        "%a = type { %b }\n%b = type { %a }",
        expect!["k.ll:1:1: error: the type contains itself, or is nested deeper than 200"],
    );
    check(
        "@x = global i32* null",
        expect!["k.ll:1:16: error: pointers have no type of what they point to: write `ptr`"],
    );
    check("!0 = !{!1}", expect!["k.ll:1:8: error: the metadata !1 is not defined"]);
    check(
        "define void @f() #0 { ret void }",
        expect!["k.ll:1:18: error: the attribute group #0 is not defined"],
    );
    check("attributes #0 = { nounwnd }", expect!["k.ll:1:19: error: expected an attribute, found `nounwnd`"]);
    check("@x = global i8 256", expect!["k.ll:1:16: error: expected a number of 8 bits"]);
    check(
        "@x = global float 0x3FB999999999999A",
        expect!["k.ll:1:19: error: the type has no number that is exactly this one: write its bits"],
    );
    check("@x = global float 1.0e39", expect!["k.ll:1:19: error: the type has no number so great"]);
    check(
        "@x = global [3 x i8] c\"ab\"",
        expect!["k.ll:1:22: error: expected a value of type [3 x i8], found [2 x i8]"],
    );
    check("@x = global \"", expect!["k.ll:1:13: error: expected a closing quote"]);
    check("@x = ifunc void (), ptr null", expect!["k.ll:1:6: error: unsupported: `ifunc`"]);
    check("@x = global x86_fp80 undef", expect!["k.ll:1:13: error: unsupported: the type x86_fp80"]);
    check("@x = global <0 x i8> undef", expect!["k.ll:1:14: error: expected 1 to 65536 elements"]);
}

#[test]
fn functions() {
    check_body("  ret void", expect!["fine"]);
    check_body("  ad i32 1, 2\n  ret void", expect!["k.ll:2:3: error: expected an instruction, found `ad`"]);
    check_body("  %x = add i32 1", expect!["k.ll:3:1: error: expected `,`, found `}`"]);
    check_body(
        "  %x = add i64 %a, 1\n  ret void",
        expect!["k.ll:2:16: error: the value is of type i32, as its definition says"],
    );
    check_body("  %x = add i32 %y, 1\n  ret void", expect!["k.ll:2:16: error: %y is not defined"]);
    check_body("  br label %nowhere", expect!["k.ll:2:12: error: label %nowhere is not defined"]);
    check_body("  %a = add i32 1, 2\n  ret void", expect!["k.ll:2:3: error: the value is defined twice"]);
    check_body(
        "  %0 = add i32 1, 2\n  ret void",
        expect!["k.ll:2:3: error: expected the number %1 or a greater one"],
    );
    check_body("  ret i32 0", expect!["k.ll:2:7: error: the function returns void"]);
    check_body(
        "  %x = store i32 0, ptr %p\n  ret void",
        expect!["k.ll:2:3: error: the instruction gives nothing that could have a name"],
    );
    check_body("  store i32 0, i32 %a\n  ret void", expect!["k.ll:2:16: error: expected a pointer"]);
    check_body(
        "  %x = load i32, ptr %p, align 3\n  ret void",
        expect!["k.ll:2:32: error: expected an alignment: a power of two up to 2^32"],
    );
    check_body(
        "  indirectbr ptr %p, []",
        expect!["k.ll:2:3: error: unsupported: the instruction `indirectbr`"],
    );
    check_body(
        "  %x = extractvalue { i32 } undef, 1\n  ret void",
        expect!["k.ll:2:36: error: there is no such part"],
    );
    check_body("  call void @g(i32 1)\n  ret void", expect!["k.ll:2:13: error: @g is not defined"]);
    // Intrinsics need no declaration, but only those that there are.
    check_body("  call void @llvm.trap()\n  ret void", expect!["fine"]);
    check_body(
        "  call void @llvm.traps()\n  ret void",
        expect!["k.ll:2:13: error: @llvm.traps is not defined"],
    );
    check_body(
        "  fence syncscope(\"agent\")\n  ret void",
        expect![
            "k.ll:3:3: error: expected an ordering: unordered, monotonic, acquire, release, acq_rel or seq_cst, found `ret`"
        ],
    );
}

#[test]
fn depth_is_bounded() {
    let deep = |open: &str, close: &str| {
        format!("@x = global {}i8{} undef", open.repeat(100_000), close.repeat(100_000))
    };
    check(&deep("{", "}"), expect!["k.ll:1:213: error: nested deeper than 200"]);
    check(&format!("!0 = !{{{}", "!{".repeat(100_000)), expect!["k.ll:1:409: error: nested deeper than 200"]);
    let chain: String = (0..5_000).map(|n| format!("%t{n} = type {{ %t{} }}\n", n + 1)).collect();
    check(
        &format!("{chain}%t5000 = type {{}}"),
        expect!["k.ll:1:14: error: the type contains itself, or is nested deeper than 200"],
    );
}
