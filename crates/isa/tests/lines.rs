//! Lines of `tests/lines/*.txt`: text and bytes that LLVM 22 says belong together.
//!
//! A file's first line names the instruction set and features (`gfx1250 real-true16`); every other line is
//! `text | hex` and is held four ways: parse → encode gives the bytes, decode → print gives the text, and both
//! round trips close. `<` after the bytes (`text | hex | <`) says that only parse → bytes holds (the text is
//! another spelling); `>` that only bytes → text holds (LLVM does not take its own text back).

use wavemark_isa::{Features, Isa, NoSymbols, decode, encode, parse, print};

fn hex(text: &str) -> Vec<u8> {
    (0..text.len() / 2).map(|n| u8::from_str_radix(&text[2 * n..2 * n + 2], 16).expect("hex")).collect()
}

fn target(line: &str) -> (Isa, Features) {
    let mut words = line.split_whitespace();
    let isa = match words.next() {
        Some("gfx950") => Isa::Gfx950,
        Some("gfx1250") => Isa::Gfx1250,
        other => panic!("unknown instruction set {other:?}"),
    };
    let mut features = Features::default_of(isa);
    for word in words {
        match word {
            "real-true16" => features.real_true16 = true,
            _ => panic!("unknown feature {word}"),
        }
    }
    (isa, features)
}

fn check(isa: Isa, features: Features, line: &str) -> Result<(), String> {
    // From the right: statements may have ` | ` in them.
    let (rest, direction) = match line.rsplit_once(" | ") {
        Some((rest, direction @ ("<" | ">"))) => (rest, direction),
        _ => (line, ""),
    };
    let (text, bytes) = rest.rsplit_once(" | ").ok_or("no bytes")?;
    let (text, bytes) = (text.trim_end(), hex(bytes.trim()));
    if direction != "<" {
        let inst = decode(isa, &bytes).map_err(|e| format!("decode: {e}"))?;
        let printed = print(isa, &inst, features);
        if printed != text {
            return Err(format!("prints as `{printed}`"));
        }
        let again = encode(isa, &inst).map_err(|e| format!("encode: {e}"))?;
        if again[..] != bytes[..] {
            return Err(format!("encodes again as {again:02x?}"));
        }
        if usize::from(inst.size) != bytes.len() {
            return Err(format!("size {}", inst.size));
        }
    }
    if direction != ">" {
        let parsed = parse(isa, features, text, &NoSymbols).map_err(|e| format!("parse: {e}"))?;
        if !parsed.fixups.is_empty() {
            return Err(format!("fixups {:?}", parsed.fixups));
        }
        let got = encode(isa, &parsed.inst).map_err(|e| format!("encode: {e}"))?;
        if got[..] != bytes[..] {
            return Err(format!("assembles to {got:02x?}"));
        }
    }
    Ok(())
}

#[test]
fn lines_agree_with_llvm() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/lines");
    let mut failures = Vec::new();
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("tests/lines") {
        let path = entry.expect("entry").path();
        let text = std::fs::read_to_string(&path).expect("readable");
        let mut lines = text.lines();
        let (isa, features) = target(lines.next().unwrap_or_default());
        for (number, line) in lines.enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            count += 1;
            if let Err(why) = check(isa, features, line) {
                failures.push(format!("{}:{}: {line}: {why}", path.display(), number + 2));
            }
        }
    }
    assert!(count > 0, "no lines");
    assert!(failures.is_empty(), "{} of {count} lines fail:\n{}", failures.len(), failures.join("\n"));
}
