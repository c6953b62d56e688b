//! Lines of `tests/lines/*.txt`: text and bytes that LLVM 22 says belong together.
//!
//! A file's first line names the processor and features in LLVM's spelling (`gfx1250 +real-true16`); every other line is
//! `text | hex` and is held four ways: parse → encode gives the bytes, decode → print gives the text, and both
//! round trips close. `<` after the bytes (`text | hex | <`) says that only parse → bytes holds (the text is
//! another spelling); `>` that only bytes → text holds (LLVM does not take its own text back).

use wavemark_isa::{Machine, NoSymbols, decode, encode, parse, print};

fn hex(text: &str) -> Vec<u8> {
    (0..text.len() / 2).map(|n| u8::from_str_radix(&text[2 * n..2 * n + 2], 16).expect("hex")).collect()
}

fn target(line: &str) -> Machine {
    let (processor, features) = line.split_once(' ').unwrap_or((line, ""));
    Machine::parse(processor, features).expect("processor and features")
}

fn check(machine: Machine, line: &str) -> Result<(), String> {
    // From the right: statements may have ` | ` in them.
    let (rest, direction) = match line.rsplit_once(" | ") {
        Some((rest, direction @ ("<" | ">"))) => (rest, direction),
        _ => (line, ""),
    };
    let (text, bytes) = rest.rsplit_once(" | ").ok_or("no bytes")?;
    let (text, bytes) = (text.trim_end(), hex(bytes.trim()));
    if direction != "<" {
        let inst = decode(machine, &bytes).map_err(|e| format!("decode: {e}"))?;
        let printed = print(machine, &inst);
        if printed != text {
            return Err(format!("prints as `{printed}`"));
        }
        let again = encode(machine, &inst).map_err(|e| format!("encode: {e}"))?;
        if again[..] != bytes[..] {
            return Err(format!("encodes again as {again:02x?}"));
        }
        if usize::from(inst.size) != bytes.len() {
            return Err(format!("size {}", inst.size));
        }
    }
    if direction != ">" {
        let parsed = parse(machine, text, &NoSymbols).map_err(|e| format!("parse: {e}"))?;
        if !parsed.fixups.is_empty() {
            return Err(format!("fixups {:?}", parsed.fixups));
        }
        let got = encode(machine, &parsed.inst).map_err(|e| format!("encode: {e}"))?;
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
        let machine = target(lines.next().unwrap_or_default());
        for (number, line) in lines.enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            count += 1;
            if let Err(why) = check(machine, line) {
                failures.push(format!("{}:{}: {line}: {why}", path.display(), number + 2));
            }
        }
    }
    assert!(count > 0, "no lines");
    assert!(failures.is_empty(), "{} of {count} lines fail:\n{}", failures.len(), failures.join("\n"));
}
