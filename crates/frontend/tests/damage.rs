//! Damaged, deep and huge texts: read or refused with a reason, never a panic.
//!
//! The seed is printed; `WAVEMARK_SEED=N` runs the same damage again.

use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use wavemark_diag::{Diagnostic, SourceMap, render_short};
use wavemark_frontend::parse;

/// Reads the text; what is refused has reasons, and their places are in the text.
fn check(text: &str) -> Result<(), Vec<Diagnostic>> {
    let mut sources = SourceMap::new();
    let file = sources.add_text("k.py", text);
    let diagnostics = match parse(file, text) {
        Ok(_) => return Ok(()),
        Err(diagnostics) => diagnostics,
    };
    assert!(diagnostics.iter().any(Diagnostic::is_error), "refused without a reason:\n{text}");
    for diagnostic in &diagnostics {
        let span = diagnostic.span().expect("a place");
        assert!(sources.snippet(span).is_some(), "{}:\n{text}", render_short(&sources, diagnostic));
    }
    Err(diagnostics)
}

/// The texts to damage: the goldens where they are at hand, else what the repository has.
fn texts() -> Vec<String> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut texts = Vec::new();
    let goldens = wavemark_corpus::shared_or_skip("goldens/tvm");
    for directory in goldens.into_iter().chain([here.join("tests/printed")]) {
        let entries = std::fs::read_dir(&directory).expect("texts");
        let paths = entries.map(|entry| entry.expect("an entry").path());
        let scripts = paths.filter(|path| {
            let name = path.to_string_lossy();
            name.ends_with(".before.py.txt") || name.ends_with(".after.py.txt") || name.ends_with(".py")
        });
        texts.extend(scripts.map(|path| std::fs::read_to_string(path).expect("a text")));
    }
    texts.sort();
    assert!(!texts.is_empty());
    texts
}

/// Marsaglia's xorshift: enough to choose places.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound.max(1) as u64) as usize
    }
}

/// What a damaged place may become.
const PIECES: [&str; 40] = [
    "0",
    "-1",
    "99999999999999999999",
    "2147483648",
    "1.5",
    "\"n\"",
    "None",
    "True",
    "[]",
    "()",
    "{}",
    "(",
    ")",
    "[",
    "]",
    ":",
    ",",
    ".",
    "=",
    "**",
    "//",
    "%",
    "<",
    " and ",
    " not ",
    " if 1 else ",
    "T.",
    "T.int32",
    "T.float16(1)",
    "T.grid(",
    "T.axis.remap(\"SR\", [i, j])",
    "A",
    "i",
    "\n",
    "    ",
    "*",
    "lambda: ",
    "A[0:4]",
    "T.int64()",
    "é",
];

fn damage(random: &mut Random, text: &str, other: &str) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for _ in 0..1 + random.below(3) {
        let at = random.below(lines.len());
        match random.below(6) {
            0 => drop(lines.remove(at)),
            1 => {
                let line = lines[at].clone();
                lines.insert(random.below(lines.len()), line);
            }
            2 => {
                let others: Vec<&str> = other.lines().collect();
                lines[at] = others[random.below(others.len())].to_owned();
            }
            _ => {
                let starts: Vec<usize> = lines[at].char_indices().map(|(start, _)| start).collect();
                let Some(&from) = starts.get(random.below(starts.len())) else { continue };
                let to = starts.iter().copied().find(|start| *start > from + random.below(6));
                let piece = if random.below(4) == 0 { "" } else { PIECES[random.below(PIECES.len())] };
                let end = to.unwrap_or(lines[at].len());
                lines[at].replace_range(from..end, piece);
            }
        }
        if lines.is_empty() {
            break;
        }
    }
    lines.join("\n")
}

#[test]
fn damaged_texts() {
    let clock = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64);
    let seed = std::env::var("WAVEMARK_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or_else(clock);
    println!("WAVEMARK_SEED={seed}");
    let seconds =
        std::env::var("WAVEMARK_SECONDS").ok().and_then(|seconds| seconds.parse().ok()).unwrap_or(1);
    let mut random = Random(seed | 1);
    let texts = texts();
    let start = Instant::now();
    let (mut read, mut refused) = (0, 0);
    while start.elapsed() < Duration::from_secs(seconds) {
        let text = &texts[random.below(texts.len())];
        let other = &texts[random.below(texts.len())];
        match check(&damage(&mut random, text, other)) {
            Ok(()) => read += 1,
            Err(_) => refused += 1,
        }
    }
    println!("{read} read, {refused} refused");
    assert!(read > 0 && refused > 0);
}

/// A module with the lines in its function.
fn module(lines: &str) -> String {
    let mut text = String::from(
        "@I.ir_module\nclass M:\n    @T.prim_func(s_tir=True)\n    def main(A: T.Buffer((16,), \"int32\"), n: T.int32):\n",
    );
    for line in lines.lines() {
        text += &format!("        {line}\n");
    }
    text
}

fn refuses_depth(text: &str) {
    let diagnostics = check(text).expect_err("too deep");
    let messages: Vec<_> = diagnostics.iter().map(|diagnostic| diagnostic.message.as_str()).collect();
    assert!(messages.iter().any(|message| message.contains("nested too deeply")), "{messages:?}");
}

#[test]
fn deep_expressions_are_refused() {
    for depth in [300, 2_000, 100_000] {
        let around =
            |before: &str, after: &str| format!("A[0] = {}n{}", before.repeat(depth), after.repeat(depth));
        refuses_depth(&module(&around("(1 + ", ")")));
        refuses_depth(&module(&around("T.max(n, ", ")")));
        refuses_depth(&module(&around("A[", "]")));
        refuses_depth(&module(&around("- ", "")));
        refuses_depth(&module(&around("not ", "")));
        refuses_depth(&module(&around("", " + n")));
        refuses_depth(&module(&around("", " + n * n")));
        refuses_depth(&module(&around("2 if n < 1 else ", "")));
        refuses_depth(&module(&around("[", "]")));
        refuses_depth(&module(&around("{\"a\": ", "}")));
        refuses_depth(&module(&around("n < ", "")));
        check(&module(&format!("A[0] = {}", "n // (".repeat(depth)))).expect_err("not Python, or too deep");
    }
    for depth in [2_000, 100_000] {
        refuses_depth(&module(&format!("A[0] = n{}", ".a".repeat(depth))));
        refuses_depth(&module(&format!("A[0] = n{}", "()".repeat(depth))));
        refuses_depth(&module(&format!("A[0] = n{}", "[0]".repeat(depth))));
        refuses_depth(&module(&format!("A[0] = {}n", "lambda: ".repeat(depth))));
        refuses_depth(&format!("x = {}{}", "f'{".repeat(depth), "}'".repeat(depth)));
    }
    let dimension = format!("n{}", " + n".repeat(5_000));
    let text = format!("@T.prim_func\ndef main(A: T.Buffer((\"{dimension}\",), \"int32\")):\n    pass\n");
    refuses_depth(&text);
}

#[test]
fn deep_statements_are_refused() {
    for depth in [210, 2_000] {
        let mut text = String::new();
        for level in 0..depth {
            text += &format!("{}for i in range(2):\n", " ".repeat(level));
        }
        text += &format!("{}A[0] = 1\n", " ".repeat(depth));
        refuses_depth(&module(&text));
    }
    for depth in [210, 20_000] {
        refuses_depth(&module(&"T.attr({\"k\": 1})\n".repeat(depth)));
        refuses_depth(&module(&format!(
            "T.attr({{{}}})",
            (0..depth).map(|key| format!("\"{key}\": 1,")).collect::<String>()
        )));
        let names: String = (0..depth).map(|name| format!("x{name}: T.let = n\n")).collect();
        refuses_depth(&module(&names));
        let arms: String =
            (0..depth).map(|value| format!("elif n < {value}:\n    A[0] = {value}\n")).collect();
        refuses_depth(&module(&format!("if n < 0:\n    A[0] = 0\n{arms}")));
        let names: String = (0..depth).map(|name| format!("i{name}, ")).collect();
        let extents = "2, ".repeat(depth);
        refuses_depth(&module(&format!("for {names} in T.grid({extents}):\n    A[0] = 1")));
        let items = vec!["T.attr(0, \"k\", 1)"; depth].join(", ");
        refuses_depth(&module(&format!("with {items}:\n    A[0] = 1")));
    }
}

/// As deep as is read: the program can be walked, printed and dropped on the stack of a test's thread.
#[test]
fn the_deepest_program_is_usable() {
    let mut text = String::new();
    for level in 0..190 {
        text += &format!("{}for i in range(2):\n", " ".repeat(level));
    }
    text += &format!("{}A[0] = n{}\n", " ".repeat(190), " + n * (n - 1)".repeat(190));
    check(&module(&text)).expect("not too deep");
    let nested = format!("A[0] = {}n{}", "T.max(n, ".repeat(190), ")".repeat(190));
    check(&module(&nested)).expect("not too deep");
}

#[test]
fn wide_programs_are_read() {
    let stores: String = (0..20_000).map(|value| format!("A[{}] = {value}\n", value % 16)).collect();
    check(&module(&stores)).expect("many statements");
    let arguments = vec!["n + 1"; 5_000].join(", ");
    check(&module(&format!("T.call_extern(\"int32\", \"f\", {arguments})"))).expect("many arguments");
    let blocks: String = (0..2_000)
        .map(|shift| {
            format!(
                "    with T.sblock(\"b\"):\n        A[(n + {shift}) % 16] = A[(n * {shift} + 1) // 3 % 16]\n"
            )
        })
        .collect();
    check(&module(&format!("for i in range(2):\n  with T.sblock(\"all\"):\n{blocks}"))).expect("many boxes");
}
