//! Single instructions: hex bytes to text, for `dis --lines`.

use wavemark_isa::{Isa, decode, print};
use wavemark_target::{FeatureSet, Processor, TargetId, WaveSize};

/// Disassembles single instructions of one target.
#[derive(Clone, Copy, Debug)]
pub struct LineDisassembler {
    isa: Isa,
    features: wavemark_isa::Features,
}

/// The instruction set of a processor; `None`: the instruction table does not have it.
pub fn instruction_set(processor: Processor) -> Option<Isa> {
    match processor {
        Processor::Gfx950 => Some(Isa::Gfx950),
        Processor::Gfx1250 => Some(Isa::Gfx1250),
        _ => None,
    }
}

impl LineDisassembler {
    /// For a target, with features in LLVM's spelling. `Ok(None)`: its instructions are not in the table.
    pub fn new(target: &TargetId, features: &str) -> Result<Option<LineDisassembler>, String> {
        let set = FeatureSet::parse(features, target).map_err(|error| error.to_string())?;
        let features = wavemark_isa::Features {
            real_true16: set.real_true16(),
            wave64: set.wave_size == WaveSize::Wave64,
        };
        Ok(instruction_set(target.processor).map(|isa| LineDisassembler { isa, features }))
    }

    /// The text of the one instruction whose bytes, in memory order, `line` spells in hexadecimal.
    pub fn disassemble(&self, line: &str) -> Result<String, String> {
        let bytes = parse_hex(line)?;
        let inst = decode(self.isa, &bytes).map_err(|error| error.to_string())?;
        let size = usize::from(inst.size);
        if size < bytes.len() {
            return Err(format!("the instruction has {size} bytes, the line {}", bytes.len()));
        }
        Ok(print(self.isa, &inst, self.features))
    }
}

/// Bytes spelled as pairs of digits, white space between pairs allowed, `0x` before them too.
fn parse_hex(line: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    for word in line.split([' ', '\t', ',']).filter(|word| !word.is_empty()) {
        let digits = word.strip_prefix("0x").unwrap_or(word).as_bytes();
        if digits.len() % 2 != 0 {
            return Err(format!("`{word}` has half a byte"));
        }
        for pair in digits.chunks_exact(2) {
            let digit = |digit: u8| (digit as char).to_digit(16);
            match (digit(pair[0]), digit(pair[1])) {
                (Some(high), Some(low)) => bytes.push((high << 4 | low) as u8),
                _ => return Err(format!("`{word}` is not hexadecimal")),
            }
        }
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hexadecimal() {
        assert_eq!(parse_hex("0000 80bf"), Ok(vec![0, 0, 0x80, 0xbf]));
        assert_eq!(parse_hex("0x00,0x80"), Ok(vec![0, 0x80]));
        assert!(parse_hex("0").is_err());
        assert!(parse_hex("zz").is_err());
        assert!(parse_hex("ññ").is_err());
    }
}
