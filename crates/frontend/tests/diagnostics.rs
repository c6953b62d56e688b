//! What is refused, and the whole report about it.

use expect_test::{Expect, expect};
use wavemark_diag::{SourceMap, Style, render};
use wavemark_frontend::parse;

fn check(text: &str, expect: Expect) {
    let mut sources = SourceMap::new();
    let file = sources.add_text("k.py", text);
    let report = match parse(file, text) {
        Ok(_) => "(read)".to_owned(),
        Err(diagnostics) => {
            let reports: Vec<_> =
                diagnostics.iter().map(|diagnostic| render(&sources, diagnostic, Style::Plain)).collect();
            reports.join("\n")
        }
    };
    expect.assert_eq(&report);
}

/// A function body, after five lines of module.
fn body(lines: &str, expect: Expect) {
    let mut text = String::from(HEADER);
    for line in lines.lines() {
        text += &format!("        {line}\n");
    }
    check(&text, expect);
}

const HEADER: &str = r#"# from tvm.script import tirx as T
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((16, 16), "float32"), C: T.Buffer((16,), "int32"), n: T.int32):
"#;

#[test]
fn unknown_name() {
    body(
        "A[0, 0] = A[m, 0]",
        expect![[r#"
        error: unknown name `m`
         --> k.py:6:21
          |
        6 |         A[0, 0] = A[m, 0]
          |                     ^"#]],
    );
}

#[test]
fn unknown_name_close_to_another() {
    body(
        "for row in range(4):
    A[rwo, 0] = T.float32(1)",
        expect![[r#"
            error: unknown name `rwo`
             --> k.py:7:15
              |
            7 |             A[rwo, 0] = T.float32(1)
              |               ^^^"#]],
    );
}

#[test]
fn wrong_number_of_indices() {
    body(
        "A[0] = A[0, 0, 0]",
        expect![[r#"
            error: `A` takes 2 indices, found 1
             --> k.py:6:9
              |
            6 |         A[0] = A[0, 0, 0]
              |         ^^^^
            error: `A` takes 2 indices, found 3
             --> k.py:6:16
              |
            6 |         A[0] = A[0, 0, 0]
              |                ^^^^^^^^^^"#]],
    );
}

#[test]
fn defined_twice_in_one_scope() {
    body(
        "x: T.let = n
x: T.let = n + 1",
        expect![[r#"
            error: `x` is defined twice in one scope
             --> k.py:7:9
              |
            6 |         x: T.let = n
              |         - the first definition
            7 |         x: T.let = n + 1
              |         ^"#]],
    );
}

#[test]
fn old_word_in_the_new_dialect() {
    body(
        r#"with T.block("b"):
    A[0, 0] = 1.0"#,
        expect![[r#"
            error: `T.block` is the old dialect's name
             --> k.py:6:14
              |
            6 |         with T.block("b"):
              |              ^^^^^^^ expected `T.sblock`
              |
              = note: the file is in the new dialect: `tirx` is imported"#]],
    );
}

#[test]
fn lowered_allocation() {
    body(
        r#"S = T.alloc_shared((16,), "float32")
A[0, 0] = S[0]"#,
        expect![[r#"
            error: unsupported: `T.alloc_shared`
             --> k.py:6:13
              |
            6 |         S = T.alloc_shared((16,), "float32")
              |             ^^^^^^^^^^^^^^
              |
              = help: this is a lowered form; a tile program has blocks, their buffers and `T.thread_binding` loops"#]],
    );
}

#[test]
fn lowered_launch() {
    body(
        r#"with T.launch_thread("blockIdx.x", 4) as bx:
    A[bx, 0] = 1.0"#,
        expect![[r#"
            error: unsupported: `T.launch_thread`
             --> k.py:6:14
              |
            6 |         with T.launch_thread("blockIdx.x", 4) as bx:
              |              ^^^^^^^^^^^^^^^
              |
              = help: this is a lowered form; a tile program has blocks, their buffers and `T.thread_binding` loops"#]],
    );
}

#[test]
fn lowered_view() {
    body(
        "V = A.view(256)
V[0] = 1.0",
        expect![[r#"
            error: unsupported: `A.view(…)`
             --> k.py:6:13
              |
            6 |         V = A.view(256)
              |             ^^^^^^^^^^^"#]],
    );
}

#[test]
fn flat_allocation_of_the_new_dialect() {
    body(
        "S = T.alloc_buffer((16,))
S[0] = 1.0",
        expect![[r#"
            error: `T.alloc_buffer` is the old dialect's name
             --> k.py:6:13
              |
            6 |         S = T.alloc_buffer((16,))
              |             ^^^^^^^^^^^^^^ expected `T.sblock_alloc_buffer`
              |
              = note: the file is in the new dialect: `tirx` is imported"#]],
    );
}

#[test]
fn vector_value() {
    body(
        "A[0, 0:4] = T.Broadcast(T.float32(0), 4)",
        expect![[r#"
            error: unsupported: a store to a slice
             --> k.py:6:9
              |
            6 |         A[0, 0:4] = T.Broadcast(T.float32(0), 4)
              |         ^^^^^^^^^ expected one element; write a loop over them
            error: unsupported: `T.Broadcast`
             --> k.py:6:21
              |
            6 |         A[0, 0:4] = T.Broadcast(T.float32(0), 4)
              |                     ^^^^^^^^^^^
              |
              = help: this is a vector; write a `T.vectorized` loop"#]],
    );
}

#[test]
fn store_to_a_slice() {
    body(
        "A[0, 0:4] = 1.0",
        expect![[r#"
        error: unsupported: a store to a slice
         --> k.py:6:9
          |
        6 |         A[0, 0:4] = 1.0
          |         ^^^^^^^^^ expected one element; write a loop over them"#]],
    );
}

#[test]
fn slice_as_a_value() {
    body(
        "C[0] = A[0, 0:4]",
        expect![[r#"
        error: unsupported: a slice of `A` as a value (vector access)
         --> k.py:6:16
          |
        6 |         C[0] = A[0, 0:4]
          |                ^^^^^^^^^ expected one element"#]],
    );
}

#[test]
fn vector_type() {
    body(
        "C[0] = T.float32x4(1)",
        expect![[r#"
        error: unsupported: vector type `T.float32x4`
         --> k.py:6:16
          |
        6 |         C[0] = T.float32x4(1)
          |                ^^^^^^^^^^^"#]],
    );
}

#[test]
fn while_loop() {
    body(
        "while n < 3:
    A[0, 0] = 1.0",
        expect![[r#"
            error: unsupported: `while` loops
             --> k.py:6:9
              |
            6 |         while n < 3:
              |         ^^^^^^^^^^^"#]],
    );
}

#[test]
fn assertion() {
    body(
        r#"assert n < 3, "n""#,
        expect![[r#"
        error: unsupported: `assert`
         --> k.py:6:9
          |
        6 |         assert n < 3, "n"
          |         ^^^^^^^^^^^^^^^^^"#]],
    );
}

#[test]
fn loop_over_a_list() {
    body(
        "for i in [1, 2, 3]:
    A[i, 0] = 1.0",
        expect![[r#"
            error: unsupported: a loop over this
             --> k.py:6:18
              |
            6 |         for i in [1, 2, 3]:
              |                  ^^^^^^^^^ expected `range`, `T.serial`, `T.parallel`, `T.vectorized`, `T.unroll`, `T.thread_binding` or `T.grid`"#]],
    );
}

#[test]
fn tilelang_loop() {
    body(
        "for i in T.Pipelined(16, num_stages=3):
    A[i, 0] = 1.0",
        expect![[r#"
            error: unsupported: a loop over `T.Pipelined`
             --> k.py:6:18
              |
            6 |         for i in T.Pipelined(16, num_stages=3):
              |                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ expected `range`, `T.serial`, `T.parallel`, `T.vectorized`, `T.unroll`, `T.thread_binding` or `T.grid`
              |
              = help: this is TileLang's; here: `T.serial(n, annotations={"num_stages": 3})`"#]],
    );
}

#[test]
fn grid_of_another_size() {
    body(
        "for i, j, k in T.grid(4, 4):
    A[i, j] = 1.0",
        expect![[r#"
            error: 3 variables for 2 loops
             --> k.py:6:13
              |
            6 |         for i, j, k in T.grid(4, 4):
              |             ^^^^^^^"#]],
    );
}

#[test]
fn argument_without_a_meaning() {
    body(
        r#"for i in T.serial(4, anotations={"num_stages": 3}):
    A[i, 0] = 1.0"#,
        expect![[r#"
            error: `T.serial` has no argument `anotations`
             --> k.py:6:30
              |
            6 |         for i in T.serial(4, anotations={"num_stages": 3}):
              |                              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ it takes start, stop, annotations, step, dtype, unroll"#]],
    );
}

#[test]
fn too_many_arguments() {
    body(
        "for i in range(0, 4, 1, 2):
    A[i, 0] = 1.0",
        expect![[r#"
            error: `range` takes at most 3 positional arguments, found 4
             --> k.py:6:33
              |
            6 |         for i in range(0, 4, 1, 2):
              |                                 ^ it takes start, stop, step, annotations"#]],
    );
}

#[test]
fn missing_argument() {
    body(
        "for i in T.thread_binding(4):
    A[i, 0] = 1.0",
        expect![[r#"
            error: `T.thread_binding` needs an argument `thread`
             --> k.py:6:18
              |
            6 |         for i in T.thread_binding(4):
              |                  ^^^^^^^^^^^^^^^^^^^ such as `thread="threadIdx.x"`"#]],
    );
}

#[test]
fn unknown_thread() {
    body(
        r#"for i in T.thread_binding(4, thread="threadIdx.w"):
    A[i, 0] = 1.0"#,
        expect![[r#"
            error: unknown thread `threadIdx.w`
             --> k.py:6:45
              |
            6 |         for i in T.thread_binding(4, thread="threadIdx.w"):
              |                                             ^^^^^^^^^^^^^ expected blockIdx.x, threadIdx.x (also .y, .z) or vthread"#]],
    );
}

#[test]
fn negative_step() {
    body(
        "for i in range(16, 0, -1):
    A[i, 0] = 1.0",
        expect![[r#"
            error: the step of a loop is -1
             --> k.py:6:31
              |
            6 |         for i in range(16, 0, -1):
              |                               ^^ expected a positive number"#]],
    );
}

#[test]
fn axes_of_another_number() {
    body(
        r#"for i, j in T.grid(4, 4):
    with T.sblock("b"):
        vi, vj = T.axis.remap("S", [i, j])
        A[vi, vj] = 1.0"#,
        expect![[r#"
            error: 1 kinds for 2 bindings
             --> k.py:8:26
              |
            8 |                 vi, vj = T.axis.remap("S", [i, j])
              |                          ^^^^^^^^^^^^^^^^^^^^^^^^^"#]],
    );
}

#[test]
fn axis_of_no_loop() {
    body(
        r#"with T.sblock("b"):
    vi = T.axis.remap("S", [n + 1])
    A[vi, 0] = 1.0"#,
        expect![[r#"
            error: `T.axis.remap` needs loop variables, found an expression of type int32
             --> k.py:7:37
              |
            7 |             vi = T.axis.remap("S", [n + 1])
              |                                     ^^^^^ write this axis with `T.axis.spatial` or `T.axis.reduce`"#]],
    );
}

#[test]
fn unknown_axis_kind() {
    body(
        r#"for i in range(4):
    with T.sblock("b"):
        vi = T.axis.remap("X", [i])
        A[vi, 0] = 1.0"#,
        expect![[r#"
            error: unknown kind of axis `X`
             --> k.py:8:35
              |
            8 |                 vi = T.axis.remap("X", [i])
              |                                   ^^^ expected `S` and `R`"#]],
    );
}

#[test]
fn declaration_outside_of_a_block() {
    body(
        "for i in range(4):
    T.where(i < 3)
    A[i, 0] = 1.0",
        expect![[r#"
            error: `T.where` is not among a block's own statements
             --> k.py:7:13
              |
            7 |             T.where(i < 3)
              |             ^^^^^^^^^^^^^^ expected directly under `with T.sblock(…):`, before any scope"#]],
    );
}

#[test]
fn declaration_under_an_attribute() {
    body(
        r#"with T.sblock("b"):
    T.attr({"async_scope": 1})
    T.reads()
    A[0, 0] = 1.0"#,
        expect![[r#"
            error: `T.reads` is not among a block's own statements
             --> k.py:8:13
              |
            8 |             T.reads()
              |             ^^^^^^^^^ expected directly under `with T.sblock(…):`, before any scope"#]],
    );
}

#[test]
fn regions_twice() {
    body(
        r#"with T.sblock("b"):
    T.reads()
    T.reads(A[0, 0])
    A[0, 0] = 1.0"#,
        expect![[r#"
            error: `T.reads` is given twice in one block
             --> k.py:8:13
              |
            8 |             T.reads(A[0, 0])
              |             ^^^^^^^^^^^^^^^^"#]],
    );
}

#[test]
fn region_without_ranges() {
    body(
        r#"with T.sblock("b"):
    T.reads(A)
    A[0, 0] = 1.0"#,
        expect![[r#"
            error: a region needs its ranges: `A[:, :]` for all of it
             --> k.py:7:21
              |
            7 |             T.reads(A)
              |                     ^"#]],
    );
}

#[test]
fn region_of_something_else() {
    body(
        r#"with T.sblock("b"):
    T.writes(n)
    A[0, 0] = 1.0"#,
        expect![[r#"
            error: expected a region of a buffer, found an expression of type int32
             --> k.py:7:22
              |
            7 |             T.writes(n)
              |                      ^"#]],
    );
}

#[test]
fn predicate_of_another_type() {
    body(
        r#"with T.sblock("b"):
    T.where(n)
    A[0, 0] = 1.0"#,
        expect![[r#"
            error: the predicate has type int32
             --> k.py:7:21
              |
            7 |             T.where(n)
              |                     ^ expected a bool"#]],
    );
}

#[test]
fn regions_that_cannot_be_seen() {
    body(
        r#"for i in range(2):
    with T.sblock("b"):
        T.call_extern("int32", "f", A.data)"#,
        expect![[r#"
            error: what block `b` accesses cannot be seen
             --> k.py:7:13
              |
            7 |             with T.sblock("b"):
              |             ^^^^^^^^^^^^^^^^^^ `A` is reached through its address
              |
              = help: give the block both `T.reads(…)` and `T.writes(…)`"#]],
    );
}

#[test]
fn attribute_of_a_node() {
    body(
        r#"with T.attr(A.data, "pragma", 1):
    A[0, 0] = 1.0"#,
        expect![[r#"
            error: unsupported: an attribute of a node that is not 0
             --> k.py:6:21
              |
            6 |         with T.attr(A.data, "pragma", 1):
              |                     ^^^^^^ expected 0, or a dictionary"#]],
    );
}

#[test]
fn attributes_that_are_no_dictionary() {
    body(
        "T.func_attr(3)
A[0, 0] = 1.0",
        expect![[r#"
            error: `T.func_attr` needs a dictionary, found the integer 3
             --> k.py:6:21
              |
            6 |         T.func_attr(3)
              |                     ^"#]],
    );
}

#[test]
fn integer_beyond_64_bits() {
    body(
        "A[0, 0] = A[99999999999999999999, 0]",
        expect![[r#"
        error: an integer that does not fit into 64 bits
         --> k.py:6:21
          |
        6 |         A[0, 0] = A[99999999999999999999, 0]
          |                     ^^^^^^^^^^^^^^^^^^^^"#]],
    );
}

#[test]
fn integer_beyond_its_type() {
    body(
        "C[0] = 4294967296",
        expect![[r#"
        error: 4294967296 does not fit into int32
         --> k.py:6:16
          |
        6 |         C[0] = 4294967296
          |                ^^^^^^^^^^"#]],
    );
}

#[test]
fn arithmetic_beyond_64_bits() {
    body(
        "C[2 ** 62 * 4] = 1",
        expect![[r#"
        error: the result does not fit into 64 bits
         --> k.py:6:11
          |
        6 |         C[2 ** 62 * 4] = 1
          |           ^^^^^^^^^^^"#]],
    );
}

#[test]
fn division_by_zero() {
    body(
        "C[0] = n // 0",
        expect![[r#"
        error: division by zero
         --> k.py:6:16
          |
        6 |         C[0] = n // 0
          |                ^^^^^^"#]],
    );
}

#[test]
fn ambiguous_division() {
    body(
        "C[0] = n / 2",
        expect![[r#"
        error: `/` of two integers is ambiguous; write `//` or `T.truncdiv`
         --> k.py:6:16
          |
        6 |         C[0] = n / 2
          |                ^^^^^"#]],
    );
}

#[test]
fn operands_of_two_types() {
    body(
        "A[0, 0] = T.Add(A[0, 0], n)",
        expect![[r#"
        error: operands of types float32 and int32, expected one type
         --> k.py:6:19
          |
        6 |         A[0, 0] = T.Add(A[0, 0], n)
          |                   ^^^^^^^^^^^^^^^^^"#]],
    );
}

#[test]
fn index_of_another_type() {
    body(
        "C[A[0, 0]] = 1",
        expect![[r#"
        error: an expression of type float32 where an integer is expected
         --> k.py:6:11
          |
        6 |         C[A[0, 0]] = 1
          |           ^^^^^^^"#]],
    );
}

#[test]
fn logic_on_numbers() {
    body(
        "C[0] = T.if_then_else(n and True, 1, 2)",
        expect![[r#"
        error: `and` of an expression of type int32, expected bools
         --> k.py:6:31
          |
        6 |         C[0] = T.if_then_else(n and True, 1, 2)
          |                               ^^^^^^^^^^"#]],
    );
}

#[test]
fn condition_of_another_type() {
    body(
        "C[0] = T.if_then_else(n, 1, 2)",
        expect![[r#"
        error: the condition has type int32
         --> k.py:6:16
          |
        6 |         C[0] = T.if_then_else(n, 1, 2)
          |                ^^^^^^^^^^^^^^^^^^^^^^^ expected a bool"#]],
    );
}

#[test]
fn buffer_without_indices() {
    body(
        "C[0] = C",
        expect![[r#"
        error: buffer `C` without indices where an expression is expected
         --> k.py:6:16
          |
        6 |         C[0] = C
          |                ^"#]],
    );
}

#[test]
fn call_of_a_local() {
    body(
        "n(3)",
        expect![[r#"
        error: unsupported: a call of an expression of type int32
         --> k.py:6:9
          |
        6 |         n(3)
          |         ^^^^"#]],
    );
}

#[test]
fn unsupported_function() {
    body(
        "C[0] = T.frobnicate(n)",
        expect![[r#"
        error: unsupported: `T.frobnicate`
         --> k.py:6:16
          |
        6 |         C[0] = T.frobnicate(n)
          |                ^^^^^^^^^^^^"#]],
    );
}

#[test]
fn statement_in_an_expression() {
    body(
        "C[0] = T.evaluate(n)",
        expect![[r#"
        error: unsupported: `T.evaluate`
         --> k.py:6:16
          |
        6 |         C[0] = T.evaluate(n)
          |                ^^^^^^^^^^
          |
          = help: this is a statement of its own"#]],
    );
}

#[test]
fn comprehension() {
    body(
        "C[0] = [i for i in range(3)][0]",
        expect![[r#"
        error: unsupported: comprehensions
         --> k.py:6:16
          |
        6 |         C[0] = [i for i in range(3)][0]
          |                ^^^^^^^^^^^^^^^^^^^^^"#]],
    );
}

#[test]
fn dimension_below_zero() {
    body(
        "S = T.sblock_alloc_buffer((-3,))
S[0] = 1.0",
        expect![[r#"
            error: a dimension of -3
             --> k.py:6:36
              |
            6 |         S = T.sblock_alloc_buffer((-3,))
              |                                    ^^"#]],
    );
}

#[test]
fn unknown_type() {
    body(
        r#"S = T.sblock_alloc_buffer((3,), "float13")
S[0] = 1.0"#,
        expect![[r#"
            error: unknown type `float13`
             --> k.py:6:41
              |
            6 |         S = T.sblock_alloc_buffer((3,), "float13")
              |                                         ^^^^^^^^^ expected such as "float16""#]],
    );
}

#[test]
fn strides_of_another_number() {
    body(
        "S = T.sblock_alloc_buffer((3, 4), strides=(4,))
S[0, 0] = 1.0",
        expect![[r#"
            error: 1 strides for 2 dimensions
             --> k.py:6:51
              |
            6 |         S = T.sblock_alloc_buffer((3, 4), strides=(4,))
              |                                                   ^^^^"#]],
    );
}

#[test]
fn return_of_a_value() {
    body(
        "return n",
        expect![[r#"
        error: unsupported: `return`
         --> k.py:6:9
          |
        6 |         return n
          |         ^^^^^^^^"#]],
    );
}

#[test]
fn nested_function() {
    body(
        "def f():
    pass",
        expect![[r#"
            error: unsupported: functions inside of functions
             --> k.py:6:13
              |
            6 |         def f():
              |             ^"#]],
    );
}

#[test]
fn several_errors() {
    body(
        "A[i, 0] = 1.0
C[0] = T.nothing()
for j in range(k):
    C[j, j] = 1",
        expect![[r#"
            error: unknown name `i`
             --> k.py:6:11
              |
            6 |         A[i, 0] = 1.0
              |           ^
            error: unsupported: `T.nothing`
             --> k.py:7:16
              |
            7 |         C[0] = T.nothing()
              |                ^^^^^^^^^
            error: unknown name `k`
             --> k.py:8:24
              |
            8 |         for j in range(k):
              |                        ^
            error: `C` takes 1 indices, found 2
             --> k.py:9:13
              |
            9 |             C[j, j] = 1
              |             ^^^^^^^"#]],
    );
}

#[test]
fn not_python() {
    check(
        "class Module:
    def main(:
",
        expect![[r#"
            error: not Python: expected a parameter or the end of the parameter list
             --> k.py:2:14
              |
            2 |     def main(:
              |              ^"#]],
    );
}

#[test]
fn no_module() {
    check(
        "x = 3
",
        expect![[r#"
            error: no module: expected a class under `@I.ir_module` or a function under `@T.prim_func`
             --> k.py:1:1
              |
            1 | x = 3
              | ^"#]],
    );
}

#[test]
fn two_modules() {
    check(
        "@I.ir_module
class A:
    pass
@I.ir_module
class B:
    pass
",
        expect![[r#"
            error: more than one module in the file
             --> k.py:5:7
              |
            2 | class A:
              |       - the first one
            ...
            5 | class B:
              |       ^
              |
              = help: put the functions into one `@I.ir_module` class, or the modules into files of their own"#]],
    );
}

#[test]
fn new_word_in_the_old_dialect() {
    check(
        r#"from tvm.script import tir as T
@T.prim_func
def main(A: T.Buffer((16,), "float32")):
    with T.block("a"):
        A[0] = 1.0
    with T.sblock("b"):
        A[0] = 1.0
"#,
        expect![[r#"
            error: `T.sblock` is the new dialect's name
             --> k.py:6:10
              |
            6 |     with T.sblock("b"):
              |          ^^^^^^^^ expected `T.block`
              |
              = note: the file is in the old dialect: `T.block` is used first"#]],
    );
}

#[test]
fn parameter_without_a_type() {
    check(
        "@T.prim_func
def main(A):
    pass
",
        expect![[r#"
            error: parameter `A` has no type
             --> k.py:2:10
              |
            2 | def main(A):
              |          ^ expected `T.Buffer(…)`, `T.handle` or a scalar type such as `T.int32`"#]],
    );
}

#[test]
fn parameter_of_a_python_type() {
    check(
        "@T.prim_func
def main(A: int):
    pass
",
        expect![[r#"
            error: not a type
             --> k.py:2:13
              |
            2 | def main(A: int):
              |             ^^^ expected `T.Buffer(…)`, `T.handle` or a scalar type such as `T.int32`"#]],
    );
}

#[test]
fn parameter_with_a_default() {
    check(
        "@T.prim_func
def main(n: T.int32 = 3):
    pass
",
        expect![[r#"
            error: unsupported: parameter `n` has a default
             --> k.py:2:23
              |
            2 | def main(n: T.int32 = 3):
              |                       ^"#]],
    );
}

#[test]
fn dimension_of_nothing() {
    check(
        r#"@T.prim_func
def main(A: T.Buffer((n,), "float32")):
    A[0] = 1.0
"#,
        expect![[r#"
            error: unknown name `n`
             --> k.py:2:23
              |
            2 | def main(A: T.Buffer((n,), "float32")):
              |                       ^
              |
              = help: a size that the argument brings is written "n""#]],
    );
}

#[test]
fn dimension_declared_otherwise() {
    check(
        r#"@T.prim_func
def main(A: T.Buffer(("n",), "float32")):
    n = T.int64()
    A[0] = 1.0
"#,
        expect![[r#"
            error: `n` is int32 in the signature and int64 here
             --> k.py:3:5
              |
            3 |     n = T.int64()
              |     ^"#]],
    );
}

#[test]
fn handle_matched_twice() {
    check(
        "@T.prim_func
def main(a: T.handle):
    A = T.match_buffer(a, (16,))
    B = T.match_buffer(a, (16,))
    A[0] = B[0]
",
        expect![[r#"
            error: `a` is not a handle parameter that is still to be matched
             --> k.py:4:24
              |
            4 |     B = T.match_buffer(a, (16,))
              |                        ^"#]],
    );
}

#[test]
fn function_twice() {
    check(
        "@I.ir_module
class M:
    @T.prim_func
    def f():
        pass
    @T.prim_func
    def f():
        pass
",
        expect![[r#"
            error: function `f` is defined twice
             --> k.py:7:9
              |
            4 |     def f():
              |         - the first definition
            ...
            7 |     def f():
              |         ^"#]],
    );
}

#[test]
fn relax_function() {
    check(
        "@I.ir_module
class M:
    @R.function
    def f(x):
        return x
",
        expect![[r#"
            error: unsupported: function `f` in a module without `@T.prim_func`
             --> k.py:4:9
              |
            4 |     def f(x):
              |         ^ expected a function under `@T.prim_func`"#]],
    );
}
