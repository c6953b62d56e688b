//! Random input for about a second each: the assembler and the disassembler give an answer and never panic.
//!
//! A failure prints its seed; `WAVEMARK_SEED=n` runs that one again.

use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use wavemark_asm::{Source, assemble, disassemble, lines};
use wavemark_codeobj::CodeObject;
use wavemark_diag::SourceMap;
use wavemark_target::Subtarget;

/// Splitmix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

/// Runs `check` with new seeds for a second, or with the seed that is asked for.
fn for_a_second(name: &str, mut check: impl FnMut(&mut Random)) {
    if let Some(seed) = std::env::var("WAVEMARK_SEED").ok().and_then(|seed| seed.parse().ok()) {
        return check(&mut Random(seed));
    }
    let start = Instant::now();
    let first = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64);
    let mut count = 0;
    while start.elapsed() < Duration::from_secs(1) {
        let seed = first.wrapping_add(count);
        let run = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| check(&mut Random(seed))));
        assert!(run.is_ok(), "{name} fails: WAVEMARK_SEED={seed}");
        count += 1;
    }
    eprintln!("{name}: {count} inputs from seed {first}");
}

fn sources() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let mut texts: Vec<String> = std::fs::read_dir(folder)
        .expect("the folder of the test files")
        .map(|entry| std::fs::read_to_string(entry.expect("an entry").path()).expect("a readable file"))
        .map(|text| text.split(";> ").next().unwrap_or_default().to_owned())
        .collect();
    texts.sort();
    texts
}

/// Things that make trouble.
const SNIPPETS: &[&str] = &[
    "((((((((",
    "a+a+a+a+a",
    "x = x",
    ".set y, y+y",
    "\n.macro m\nm\n.endm\nm\n",
    ".rept 99999999\n",
    ".endr\n",
    ".endm\n",
    "\\",
    "\"",
    "'",
    "/*",
    "*/",
    "#",
    ";",
    "//",
    "0x",
    "1b",
    "1f",
    "1:",
    ".",
    "@",
    "@rel32@lo",
    "\0",
    "é",
    "\u{1f600}",
    "-9223372036854775808",
    "/ 0",
    "% 0",
    "<< 99",
    "alignto(1,0)",
    "occupancy(1,0,0,0,1,1,1)",
    ".p2align 31\n",
    ".org -1\n",
    ".space 1<<62\n",
    ".fill 1<<40, 8\n",
    ".amdhsa_kernel k\n",
    ".end_amdhsa_kernel\n",
    ".amdgpu_metadata\n",
    "---\n- [",
    ".if 1\n",
    ".else\n",
    ".endif\n",
    ".irp x,",
    ".section \"\"",
    ".popsection\n",
    ".comm c, -1, 99",
    ".type",
    ".size a, b",
    "s_branch ",
    "v_mov_b32 v0, ",
    "v_add_f32 v0, ",
    "lit64(",
    "v[0:",
    "s[",
    ".loc 1 1",
    ".file 1 \"a\"\n",
    ".octa -",
    ".float 1e999",
    ".2byte",
    ".subsection 1\n",
    ".text 2\n",
    ".fill a-b, 3\n",
    ".uleb128 a-b\n",
    ".org a\n",
    ".altmacro\n",
    ".macro m x\n\\x&x \\@ \\+\n.endm\nm %1+1\nm <a!>>\n",
    "LOCAL a, b\n",
    ".irpc c, abc\n",
    ".end\n",
    ".section .g,\"aG\",@progbits,a,comdat\n",
    ".section .o,\"ao\",@progbits,a\n",
    ".section .s,#alloc\n",
    ".symver a, a@@@V\n",
    ".weakref a, b\n",
    ".reloc a, R_AMDGPU_ABS32, b+4\n",
    ".addrsig\n.addrsig_sym a\n",
    ".cfi_startproc\n",
    ".cfi_offset 70, -9\n",
    ".cfi_personality 0x9b, a\n",
    ".cfi_label a\n",
    ".cfi_endproc\n",
    ".file 0 \"d\" \"a\"\n",
    ".float 0x1p-1074\n",
    ".dcb.l 3, a\n",
    ".include \"x\"\n",
    ".lcomm q, 9\n",
];

fn mutated(random: &mut Random, texts: &[String]) -> String {
    let mut text = random.pick(texts).clone();
    for _ in 0..1 + random.below(6) {
        let boundary = |random: &mut Random, text: &str| {
            let mut at = random.below(text.len() + 1);
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            at
        };
        let (from, to) = (boundary(random, &text), boundary(random, &text));
        let (from, to) = (from.min(to), from.max(to));
        match random.below(5) {
            0 => {
                let count = text[from..to].chars().take(20).map(char::len_utf8).sum::<usize>();
                text.replace_range(from..from + count, "");
            }
            1 => text.insert_str(from, SNIPPETS[random.below(SNIPPETS.len())]),
            2 => {
                let part = text[from..to].chars().take(80).collect::<String>();
                let at = boundary(random, &text);
                text.insert_str(at, &part);
            }
            3 => text.insert(from, char::from(random.next() as u8)),
            _ => {
                let lines: Vec<&str> = text.lines().collect();
                let line = (*random.pick(&lines)).to_owned() + "\n";
                text.insert_str(from, &line);
            }
        }
        while !text.is_char_boundary(text.len()) {
            text.pop();
        }
    }
    text
}

fn subtarget(random: &mut Random) -> Subtarget {
    let (name, features) = *random.pick(&[("gfx950", ""), ("gfx1250", "+real-true16"), ("gfx1100", "")]);
    Subtarget::new(name.parse().expect("a target"), features).expect("features")
}

fn run(text: &str, subtarget: &Subtarget) -> Option<CodeObject> {
    let mut sources = SourceMap::new();
    let file = sources.add_text("fuzz.s", text.to_owned());
    let object = assemble(Source { file, name: "fuzz.s", text }, subtarget).ok()?;
    // A text may hold notes and descriptors by hand that do not read.
    CodeObject::parse(&object.elf).ok()
}

#[test]
fn mutated_sources() {
    let texts = sources();
    for_a_second("assemble", |random| {
        let text = mutated(random, &texts);
        let subtarget = subtarget(random);
        if let Some(object) = run(&text, &subtarget) {
            disassemble(&object, "").expect("features");
        }
    });
}

#[test]
fn random_lines() {
    let texts = sources();
    for_a_second("lines", |random| {
        let subtarget = subtarget(random);
        let text = mutated(random, &texts);
        for line in text.lines() {
            lines::assemble_line(line, &subtarget);
        }
        let digits: String = (0..random.below(50)).map(|_| format!("{:02x}", random.next() as u8)).collect();
        lines::disassemble_line(&digits, &subtarget);
    });
}

/// Objects whose code and data are noise come back from their disassembly.
#[test]
fn random_code_comes_back() {
    for_a_second("disassemble", |random| {
        let subtarget = subtarget(random);
        let mut text = String::from(".text\nf:\n");
        for _ in 0..1 + random.below(60) {
            text += &format!(".long {:#x}\n", random.next() as u32 >> random.below(32));
            if random.below(20) == 0 {
                text += &format!("l{}:\n", random.next());
            }
            if random.below(20) == 0 {
                text += ".byte 7\n";
            }
        }
        text += ".data\n";
        for _ in 0..random.below(20) {
            text += *random.pick(&[
                ".byte 1\n",
                ".zero 40\n",
                ".quad f\n",
                ".long f-.\n",
                ".long e@abs32@lo+4\n",
            ]);
        }
        let object = run(&text, &subtarget).expect("plain data");
        let printed = disassemble(&object, if subtarget.machine.real_true16() { "+real-true16" } else { "" });
        let printed = printed.expect("features");
        let again = run(&printed, &subtarget).unwrap_or_else(|| panic!("does not assemble:\n{printed}"));
        for name in [".text", ".data"] {
            let data = |object: &CodeObject| {
                object
                    .section_by_name(name)
                    .map(|index| object.section_data(index).to_vec())
                    .unwrap_or_default()
            };
            assert_eq!(data(&again), data(&object), "{name}\n{text}\n{printed}");
        }
    });
}

/// Damaged object files that still parse are printed.
#[test]
fn damaged_objects() {
    let texts = sources();
    for_a_second("damaged objects", |random| {
        let subtarget = subtarget(random);
        let mut sources = SourceMap::new();
        let text = random.pick(&texts).clone();
        let file = sources.add_text("fuzz.s", text.clone());
        let Ok(object) = assemble(Source { file, name: "fuzz.s", text: &text }, &subtarget) else { return };
        let mut bytes = object.elf;
        for _ in 0..1 + random.below(8) {
            let at = random.below(bytes.len());
            bytes[at] = random.next() as u8;
        }
        if let Ok(object) = CodeObject::parse(&bytes) {
            disassemble(&object, "").expect("no features");
        }
    });
}
