//! Assembles or disassembles line by line: `lines asm|dis|again gfx950|gfx1250 [real-true16]`, one statement or
//! one hex string a line on standard input, `OK<TAB>result` or `ERR<TAB>message` a line on standard output.
//! `again` decodes and encodes again.

use std::io::{BufRead, Write};

use wavemark_isa::{Features, Isa, NoSymbols, decode, encode, parse, print};

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let isa = match arguments.get(1).map(String::as_str) {
        Some("gfx950") => Isa::Gfx950,
        Some("gfx1250") => Isa::Gfx1250,
        other => return Err(std::io::Error::other(format!("unknown instruction set {other:?}"))),
    };
    let mut features = Features::default_of(isa);
    features.real_true16 = arguments.iter().any(|argument| argument == "real-true16");
    let mode = arguments.first().map(String::as_str).unwrap_or_default();
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let result = match mode {
            "asm" => assemble_line(isa, features, &line),
            "again" => encode_again(isa, &line),
            _ => disassemble_line(isa, features, &line),
        };
        match result {
            Ok(text) => writeln!(out, "OK\t{text}")?,
            Err(message) => writeln!(out, "ERR\t{message}")?,
        }
    }
    out.flush()
}

fn assemble_line(isa: Isa, features: Features, line: &str) -> Result<String, String> {
    let line = line.split(';').next().unwrap_or_default();
    let parsed = parse(isa, features, line, &NoSymbols).map_err(|e| e.to_string())?;
    let bytes = encode(isa, &parsed.inst).map_err(|e| e.to_string())?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn bytes_of(line: &str) -> Result<Vec<u8>, String> {
    (0..line.len() / 2)
        .map(|n| line.get(2 * n..2 * n + 2).and_then(|digits| u8::from_str_radix(digits, 16).ok()))
        .collect::<Option<_>>()
        .ok_or_else(|| "not hexadecimal".to_owned())
}

fn encode_again(isa: Isa, line: &str) -> Result<String, String> {
    let inst = decode(isa, &bytes_of(line)?).map_err(|e| e.to_string())?;
    let bytes = encode(isa, &inst).map_err(|e| e.to_string())?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn disassemble_line(isa: Isa, features: Features, line: &str) -> Result<String, String> {
    let inst = decode(isa, &bytes_of(line)?).map_err(|e| e.to_string())?;
    Ok(print(isa, &inst, features))
}
