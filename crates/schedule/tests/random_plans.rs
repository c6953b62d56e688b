//! Property: a loop with `num_stages`, planned and pipelined, computes what it computes as written, whatever order
//! its copies complete in, with nothing read or overwritten while it is in flight, or it is refused.
//!
//! Programs are random texts; a failure prints the seed and the program. `WAVEMARK_SEED=N` runs that seed alone,
//! `WAVEMARK_CASES=N` so many.

use oorandom::Rand32;
use wavemark_diag::SourceMap;
use wavemark_schedule::pipeline::pipeline;
use wavemark_schedule::plan::plan;
use wavemark_tile::interp::{self, Argument, Completion, MemberOrder, Options};
use wavemark_tile::{Element, Function, print, verify};

/// A buffer of the loop.
struct Tile {
    name: String,
    shared: bool,
    inside: bool,
}

struct Generator {
    random: Rand32,
    tiles: Vec<Tile>,
    written: Vec<usize>,
    lines: Vec<String>,
}

impl Generator {
    fn below(&mut self, bound: usize) -> usize {
        self.random.rand_range(0..bound as u32) as usize
    }

    fn tile(&mut self) -> usize {
        let index = self.tiles.len();
        let (shared, inside) = (self.below(3) > 0, self.below(3) > 0);
        self.tiles.push(Tile { name: format!("t{index}"), shared, inside });
        index
    }

    /// A tile that has a value, if any.
    fn source(&mut self) -> Option<String> {
        if self.written.is_empty() {
            return None;
        }
        let index = self.below(self.written.len());
        Some(self.tiles[self.written[index]].name.clone())
    }

    fn statement(&mut self, index: usize, last: bool) {
        // Mostly a new tile, at times one that others have read.
        let target = if self.below(6) == 0 && !self.written.is_empty() {
            let index = self.below(self.written.len());
            self.written[index]
        } else {
            self.tile()
        };
        let name = self.tiles[target].name.clone();
        let shift = self.below(3);
        let row = match (self.below(8), self.source()) {
            (2, _) => "acc[1] % 64".to_owned(),
            (0, Some(other)) => format!("{other}[{}] % 64", self.below(4)),
            (1, _) => format!("I[k + {shift}]"),
            _ => format!("k + {shift}"),
        };
        let copy = match self.below(12) {
            0 => format!("C[k + {shift}, {index}, j]"),
            _ => format!("A[{row}, j]"),
        };
        let value = match (if last { 9 } else { self.below(10) }, self.source()) {
            (0, _) => format!("T.if_then_else(k < {}, {copy}, 0)", self.below(12)),
            (1, _) => format!("T.Select(k % 2 == 0, {copy}, 7)"),
            (2, Some(other)) => format!("{other}[j] * 3 + {index}"),
            (3, Some(other)) => format!("{other}[3 - j]"),
            (4, Some(other)) => format!("acc[j] + {other}[j]"),
            (5, _) => format!("I[k + {shift}]"),
            (9, Some(other)) => {
                let more = self.source().unwrap_or_default();
                let out = if self.below(3) == 0 { "acc[j]".to_owned() } else { format!("C[k, {index}, j]") };
                let more = if out.starts_with("acc") { "acc".to_owned() } else { more };
                self.store(index, &out, &format!("{other}[j] + {more}[j]"));
                self.lines.push(String::new());
                return;
            }
            _ => copy,
        };
        self.store(index, &format!("{name}[j]"), &value);
        if !self.written.contains(&target) {
            self.written.push(target);
        }
    }

    fn store(&mut self, index: usize, place: &str, value: &str) {
        self.lines.push("for j in range(4):".into());
        match self.below(3) {
            0 => self.lines.push(format!("    {place} = {value}")),
            _ => {
                self.lines.push(format!("    with T.sblock(\"s{index}\"):"));
                self.lines.push(format!("        {place} = {value}"));
            }
        }
    }
}

fn program(seed: u64) -> String {
    let mut g =
        Generator { random: Rand32::new(seed), tiles: Vec::new(), written: Vec::new(), lines: Vec::new() };
    let count = 2 + g.below(5);
    for index in 0..count {
        g.statement(index, index + 1 == count);
    }
    let (min, extent, stages) = (g.below(3) * g.below(4), g.below(11), 2 + g.below(4));
    let alloc = |tile: &Tile| {
        let scope = if tile.shared { "shared" } else { "local" };
        format!("{} = T.sblock_alloc_buffer((4,), \"int32\", scope=\"{scope}\")", tile.name)
    };
    let used = || g.written.iter().map(|&index| &g.tiles[index]);
    let outside = used().filter(|tile| !tile.inside).map(alloc);
    let inside = used().filter(|tile| tile.inside).map(alloc);
    let end = min + extent;
    let mut text = String::from(
        "# from tvm.script import ir as I\n# from tvm.script import tirx as T\n\n@I.ir_module\nclass Module:\n    \
         @T.prim_func(s_tir=True)\n    def main(A: T.Buffer((64, 4), \"int32\"), I: T.Buffer((64,), \"int32\"), \
         C: T.Buffer((64, 8, 4), \"int32\")):\n        with T.sblock(\"kernel\"):\n            \
         acc = T.sblock_alloc_buffer((4,), \"int32\", scope=\"local\")\n",
    );
    outside.for_each(|line| text += &format!("            {line}\n"));
    text += "            for j in range(4):\n                acc[j] = 0\n";
    text +=
        &format!("            for k in T.serial({min}, {end}, annotations={{\"num_stages\": {stages}}}):\n");
    text += "                with T.sblock(\"step\"):\n";
    inside.for_each(|line| text += &format!("                    {line}\n"));
    for line in g.lines.iter().filter(|line| !line.is_empty()) {
        text += &format!("                    {line}\n");
    }
    text += "            for j in range(4):\n                C[63, 7, j] = acc[j]\n";
    text
}

fn run(function: &Function, options: &Options, text: &dyn Fn() -> String) -> (Vec<Argument>, usize) {
    let program = interp::compile(function).unwrap_or_else(|errors| panic!("{errors:?}\n{}", text()));
    let numbers = |count: u32, modulus: u32| -> Vec<u8> {
        (0..count)
            .flat_map(|index| (index.wrapping_mul(2_654_435_761) >> 9).rem_euclid(modulus).to_le_bytes())
            .collect()
    };
    let buffer =
        |shape: &[u64], data| Argument::Buffer { element: Element::I32, shape: shape.to_vec(), data };
    let mut arguments = vec![
        buffer(&[64, 4], numbers(256, 1 << 20)),
        buffer(&[64], numbers(64, 64)),
        buffer(&[64, 8, 4], vec![0; 64 * 8 * 4 * 4]),
    ];
    let outcome = program.run(&mut arguments, options).unwrap_or_else(|error| panic!("{error}\n{}", text()));
    (arguments, outcome.findings.len())
}

/// `None`: not a program to pipeline.
fn check(seed: u64) -> Option<usize> {
    let text = program(seed);
    let mut sources = SourceMap::new();
    let file = sources.add_text("random.py", text.as_str());
    let source =
        wavemark_frontend::parse(file, &text).unwrap_or_else(|problems| panic!("{problems:?}\n{text}"));
    let mut planned = source.clone();
    let plans = plan(&mut planned.functions[0]).ok()?;
    let annotated = print(&planned, planned.dialect);
    verify(&planned).unwrap_or_else(|problems| panic!("{problems:?}\n{text}\n{annotated}"));
    // What was planned must be accepted.
    if let Err(problems) = pipeline(&mut planned.functions[0]) {
        panic!("planned, then refused: {problems:?}\n{text}\n{annotated}");
    }
    let texts = || format!("{text}\n{annotated}\n{}", print(&planned, planned.dialect));
    let (expected, before) = run(&source.functions[0], &Options::default(), &texts);
    if before > 0 {
        return None;
    }
    for completion in [Completion::Late, Completion::Early, Completion::Random, Completion::Random] {
        for members in [MemberOrder::Program, MemberOrder::Reversed] {
            let options = Options { completion, members, seed, ..Options::default() };
            let (found, findings) = run(&planned.functions[0], &options, &texts);
            assert!(findings == 0, "{completion:?}: findings\n{}", texts());
            assert!(found == expected, "{completion:?}: other results\n{}", texts());
        }
    }
    Some(plans.iter().filter(|plan| !plan.async_stages.is_empty()).count())
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{variable}: {text}")))
}

#[test]
fn planned_loops_compute_what_they_did() {
    let cases = number("WAVEMARK_CASES").unwrap_or(if cfg!(debug_assertions) { 200 } else { 20_000 });
    let seeds = match number("WAVEMARK_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..cases,
    };
    let (mut right, mut asynchronous) = (0, 0);
    for seed in seeds.clone() {
        let result = std::panic::catch_unwind(|| check(seed))
            .unwrap_or_else(|_| panic!("seed {seed} failed; run it alone with WAVEMARK_SEED={seed}"));
        right += usize::from(result.is_some());
        asynchronous += usize::from(result.is_some_and(|count| count > 0));
    }
    println!("{right} planned, {asynchronous} of them asynchronous, of {seeds:?}");
    assert!(seeds.end - seeds.start < 100 || asynchronous * 3 > cases as usize, "{asynchronous} of {cases}");
}
