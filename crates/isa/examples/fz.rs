//! fuzz helper
use std::io::{BufRead, Write};
use wavemark_isa::*;
fn main() {
    let mode = std::env::args().nth(1).unwrap();
    let isa = if std::env::args().nth(2).unwrap() == "gfx950" { Isa::Gfx950 } else { Isa::Gfx1250 };
    let mut f = Features::default_of(isa);
    f.real_true16 = isa == Isa::Gfx1250;
    let out = std::io::stdout();
    let mut out = out.lock();
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        if mode == "dis" {
            let b: Vec<u8> = (0..line.len() / 2)
                .map(|n| u8::from_str_radix(&line[2 * n..2 * n + 2], 16).unwrap())
                .collect();
            match decode(isa, &b) {
                Ok(i) => {
                    let e = match encode(isa, &i) {
                        Ok(e) => e.iter().map(|b| format!("{b:02x}")).collect::<String>(),
                        Err(e) => format!("ENC {e}"),
                    };
                    writeln!(out, "OK{}\t{}\t{}", i.size, print(isa, &i, f), e).unwrap()
                }
                Err(e) => writeln!(out, "BAD\t{e}\t").unwrap(),
            }
        } else {
            match parse(isa, f, &line, &NoSymbols) {
                Ok(p) => match encode(isa, &p.inst) {
                    Ok(e) => {
                        writeln!(out, "OK\t{}", e.iter().map(|b| format!("{b:02x}")).collect::<String>())
                            .unwrap()
                    }
                    Err(e) => writeln!(out, "ERR\tencode {e}").unwrap(),
                },
                Err(e) => writeln!(out, "ERR\t{e}").unwrap(),
            }
        }
    }
}
