//! Assembles or disassembles line by line: `lines asm|dis|again PROCESSOR [FEATURES]`, one statement or
//! one hex string a line on standard input, `OK<TAB>result` or `ERR<TAB>message` a line on standard output.
//! `again` decodes and encodes again.

use std::io::{BufRead, Write};

use wavemark_isa::{Machine, NoSymbols, decode, encode, parse, print};

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let processor = arguments.get(1).map(String::as_str).unwrap_or_default();
    let features = arguments.get(2).map(String::as_str).unwrap_or_default();
    let machine = Machine::parse(processor, features).map_err(std::io::Error::other)?;
    let mode = arguments.first().map(String::as_str).unwrap_or_default();
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let result = match mode {
            "asm" => assemble_line(machine, &line),
            "again" => encode_again(machine, &line),
            _ => disassemble_line(machine, &line),
        };
        match result {
            Ok(text) => writeln!(out, "OK\t{text}")?,
            Err(message) => writeln!(out, "ERR\t{message}")?,
        }
    }
    out.flush()
}

fn assemble_line(machine: Machine, line: &str) -> Result<String, String> {
    let line = line.split(';').next().unwrap_or_default();
    let parsed = parse(machine, line, &NoSymbols).map_err(|e| e.to_string())?;
    let bytes = encode(machine, &parsed.inst).map_err(|e| e.to_string())?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn bytes_of(line: &str) -> Result<Vec<u8>, String> {
    (0..line.len() / 2)
        .map(|n| line.get(2 * n..2 * n + 2).and_then(|digits| u8::from_str_radix(digits, 16).ok()))
        .collect::<Option<_>>()
        .ok_or_else(|| "not hexadecimal".to_owned())
}

fn encode_again(machine: Machine, line: &str) -> Result<String, String> {
    let inst = decode(machine, &bytes_of(line)?).map_err(|e| e.to_string())?;
    let bytes = encode(machine, &inst).map_err(|e| e.to_string())?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn disassemble_line(machine: Machine, line: &str) -> Result<String, String> {
    let inst = decode(machine, &bytes_of(line)?).map_err(|e| e.to_string())?;
    Ok(print(machine, &inst))
}
