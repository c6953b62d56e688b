//! LLVM's defects: `crates/isa/tests/llvm_defects.txt`, where its format is explained.
//!
//! A disagreement that is of one of its classes is understood; all others are ours to look into. So that no class
//! outlives its reason, LLVM is asked for every example of the file before anything else, and the example must be of
//! the class that it stands in.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, bail, ensure};
use wavemark_asm::lines::{Answer as Ours, assemble_line, disassemble_line};
use wavemark_target::{Subtarget, Target, TargetId};

use super::tally::{Difference, Kind};
use super::worker::{Answer, Direction, ask};

const FILE: &str = include_str!("../../../crates/isa/tests/llvm_defects.txt");

/// The classes of the file.
pub struct Defects {
    classes: Vec<Class>,
}

struct Class {
    name: String,
    /// One of these must hold.
    whens: Vec<When>,
    examples: Vec<Example>,
}

/// Direction, kind, and what must hold in addition.
struct When {
    direction: Direction,
    kind: Kind,
    conditions: Vec<Condition>,
}

enum Condition {
    Line(String),
    Ours(String),
    Llvm(String),
    /// LLVM's assembler refuses the text that LLVM's disassembler gives.
    OwnTextRefused,
    /// LLVM's assembler reads it as another instruction.
    OwnTextOther,
    /// The texts differ in numbers alone: one is the source code of an inline constant, the other is that constant.
    SourceCode,
}

struct Example {
    direction: Direction,
    processor: String,
    features: String,
    input: String,
    llvm: String,
}

impl Defects {
    /// Reads the file.
    pub fn read() -> Result<Defects> {
        let mut classes: Vec<Class> = Vec::new();
        for (number, line) in FILE.lines().enumerate() {
            let place = || format!("llvm_defects.txt:{}: {line}", number + 1);
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some(rest) = line.strip_prefix("class ") {
                let (name, _) = rest.split_once(": ").with_context(place)?;
                classes.push(Class { name: name.to_owned(), whens: Vec::new(), examples: Vec::new() });
                continue;
            }
            let class = classes.last_mut().with_context(place)?;
            match line.strip_prefix("when ") {
                Some(rest) => class.whens.push(when(rest).with_context(place)?),
                None => class.examples.push(example(line).with_context(place)?),
            }
        }
        for class in &classes {
            ensure!(!class.whens.is_empty(), "class {} says not when", class.name);
        }
        Ok(Defects { classes })
    }

    /// The classes of differences, each `None` or a name, in their order.
    pub fn classify(
        &self,
        direction: Direction,
        cpu: &str,
        features: &str,
        differences: &[Difference],
    ) -> Result<Vec<Option<&str>>> {
        let own = match direction {
            Direction::Asm => vec![None; differences.len()],
            _ => {
                // A refusal in LLVM's place is no statement, and is refused again.
                let texts: Vec<String> = differences.iter().map(|d| d.llvm_text().to_owned()).collect();
                ask(Direction::Asm, cpu, features, &texts)?.into_iter().map(Some).collect()
            }
        };
        let class = |difference: &Difference, own: &Option<Answer>| {
            let found = self.classes.iter().find(|class| {
                class
                    .whens
                    .iter()
                    .any(|when| when.direction == direction.spoken() && when.holds(difference, own))
            });
            found.map(|class| class.name.as_str())
        };
        Ok(differences.iter().zip(&own).map(|(difference, own)| class(difference, own)).collect())
    }

    /// Asks LLVM for all examples; what is not as the file says.
    pub fn check(&self) -> Result<Vec<String>> {
        let mut groups: BTreeMap<(bool, &str, &str), Vec<(&str, &Example)>> = BTreeMap::new();
        for class in &self.classes {
            for example in &class.examples {
                let key = (example.direction == Direction::Asm, &*example.processor, &*example.features);
                groups.entry(key).or_default().push((&class.name, example));
            }
        }
        let mut wrong = Vec::new();
        for ((_, processor, features), examples) in groups {
            let direction = examples[0].1.direction;
            let inputs: Vec<String> = examples.iter().map(|(_, example)| example.input.clone()).collect();
            let target = Target::amdhsa(processor.parse::<TargetId>().context(processor.to_owned())?);
            let subtarget = Subtarget::new(target, features).map_err(|error| anyhow::anyhow!("{error}"))?;
            let answers = ask(direction, processor, features, &inputs)?;
            for ((class, example), theirs) in examples.iter().zip(&answers) {
                let place = format!("{processor} {features}: {}", example.input);
                let said = match theirs {
                    Answer::Ok(text) | Answer::Err(text) => text.as_str(),
                    Answer::Crash => "LLVM dies of it",
                };
                if said != example.llvm {
                    wrong.push(format!("{place}: LLVM says {said}"));
                    continue;
                }
                let ours = match direction {
                    Direction::Asm => assemble_line(&example.input, &subtarget),
                    _ => disassemble_line(&example.input, &subtarget),
                };
                let Some(difference) = Difference::between(&example.input, &ours, theirs) else {
                    wrong.push(format!("{place}: no difference any more"));
                    continue;
                };
                let found = self.classify(direction, processor, features, &[difference])?[0];
                if found != Some(class) {
                    wrong.push(format!("{place}: of class {}, not {class}", found.unwrap_or("none")));
                }
            }
        }
        Ok(wrong)
    }
}

impl When {
    fn holds(&self, difference: &Difference, own: &Option<Answer>) -> bool {
        let ours = match &difference.ours {
            Ours::Ok(text) | Ours::Err(text) => text.as_str(),
            Ours::Empty => "",
        };
        // Of an answer with a length, the text.
        let ours = ours.split_once('\t').map_or(ours, |(_, text)| text);
        self.kind == difference.kind
            && self.conditions.iter().all(|condition| match condition {
                Condition::Line(pattern) => matches(pattern, &difference.line),
                Condition::Ours(pattern) => matches(pattern, ours),
                Condition::Llvm(pattern) => matches(pattern, difference.llvm_text()),
                Condition::OwnTextRefused => matches!(own, Some(Answer::Err(_))),
                Condition::OwnTextOther => {
                    matches!(own, Some(Answer::Ok(bytes)) if !difference.line.starts_with(bytes.as_str()))
                }
                Condition::SourceCode => differ_by_source_codes(ours, difference.llvm_text()),
            })
    }
}

fn when(text: &str) -> Result<When> {
    let mut parts = text.split("; ");
    let head = parts.next().unwrap_or_default();
    let (direction, kind) = head.split_once(' ').context("direction and kind")?;
    let conditions = parts.map(|part| {
        Ok(match part.split_once(' ') {
            Some(("line", pattern)) => Condition::Line(pattern.to_owned()),
            Some(("ours", pattern)) => Condition::Ours(pattern.to_owned()),
            Some(("llvm", pattern)) => Condition::Llvm(pattern.to_owned()),
            _ if part == "own-text-refused" => Condition::OwnTextRefused,
            _ if part == "own-text-other" => Condition::OwnTextOther,
            _ if part == "source-code" => Condition::SourceCode,
            _ => bail!("unknown condition {part}"),
        })
    });
    let kind = match kind {
        "differ" => Kind::Differ,
        "only-ours" => Kind::OnlyOurs,
        "only-llvm" => Kind::OnlyLlvm,
        _ => bail!("unknown kind {kind}"),
    };
    Ok(When { direction: spoken(direction)?, kind, conditions: conditions.collect::<Result<_>>()? })
}

fn example(line: &str) -> Result<Example> {
    let columns: Vec<&str> = line.split(" @ ").collect();
    let [head, input, llvm, _] = columns[..] else { bail!("{} columns instead of 4", columns.len()) };
    let mut words = head.splitn(3, ' ');
    Ok(Example {
        direction: spoken(words.next().unwrap_or_default())?,
        processor: words.next().unwrap_or_default().to_owned(),
        features: words.next().unwrap_or_default().to_owned(),
        input: input.to_owned(),
        llvm: llvm.to_owned(),
    })
}

fn spoken(direction: &str) -> Result<Direction> {
    match direction {
        "asm" => Ok(Direction::Asm),
        "dis" => Ok(Direction::Dis),
        _ => bail!("{direction} is neither asm nor dis"),
    }
}

/// Whether the text is as the pattern says, where `*` stands for anything.
fn matches(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((before, after)) => text.strip_prefix(before).is_some_and(|rest| {
            let starts = rest.char_indices().map(|(at, _)| at).chain([rest.len()]);
            starts.into_iter().any(|at| matches(after, &rest[at..]))
        }),
    }
}

/// Whether the texts, word by word, differ in this alone: a number that is the source code of an inline constant stands
/// for that constant, in one direction or the other. The selector of DPP8 is the number that its eight parts make.
fn differ_by_source_codes(ours: &str, theirs: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let parts = text.split_whitespace().map(|word| word.trim_end_matches(',').to_owned());
        parts.filter(|word| !word.is_empty()).collect()
    };
    let (ours, theirs) = (words(ours), words(theirs));
    let mut pairs = ours.iter().zip(&theirs).filter(|(ours, theirs)| ours != theirs).peekable();
    ours.len() == theirs.len()
        && pairs.peek().is_some()
        && pairs.all(|(ours, theirs)| {
            let (Some(ours), Some(theirs)) = (constant(ours), constant(theirs)) else { return false };
            let is = |code: f64, value: f64| source_code(code).any(|bits| bits == value);
            is(ours, theirs) || is(theirs, ours)
        })
}

/// The number that a word is, be it `neg(3)`, `-|-2.0|`, `-2.0`, `0xff` or `dpp8:[1,0,…]`.
fn constant(word: &str) -> Option<f64> {
    if let Some(parts) = word.strip_prefix("dpp8:[").and_then(|rest| rest.strip_suffix(']')) {
        let mut selector = 0u32;
        for (lane, part) in parts.split(',').enumerate() {
            selector |= part.parse::<u32>().ok()? << (3 * lane);
        }
        return Some(f64::from(selector));
    }
    // In bars the sign before them is one of the encoding, not of the number.
    let word = word.trim_start_matches("neg(").trim_start_matches("-|").trim_matches(['|', ')']);
    match word.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok().map(|bits| bits as f64),
        None => word.parse().ok(),
    }
}

/// What the inline constant of a source code is, as each of the widths that it may be shown in.
fn source_code(code: f64) -> impl Iterator<Item = f64> {
    const FLOATS: [f64; 9] = [0.5, -0.5, 1.0, -1.0, 2.0, -2.0, 4.0, -4.0, std::f64::consts::FRAC_1_PI / 2.0];
    let code = if (128.0..=248.0).contains(&code) { code as u32 } else { 0 };
    let integer = match code {
        128..=192 => Some(i64::from(code) - 128),
        193..=208 => Some(192 - i64::from(code)),
        _ => None,
    };
    let float = code.checked_sub(240).map(|at| FLOATS[at as usize]);
    let widths =
        [64, 32, 24, 16].map(|bits| integer.map(|value| (value as u64 & (u64::MAX >> (64 - bits))) as f64));
    let single = float.map(|value| f64::from((value as f32).to_bits()));
    // A half has the single's sign, the low bits of its exponent and the top of its fraction.
    let half = float.map(|value| {
        let bits = (value as f32).to_bits();
        f64::from(bits >> 16 & 0x8000 | ((bits >> 23 & 0xff) - 112) << 10 | bits >> 13 & 0x3ff)
    });
    // A selector has the low 24 bits.
    let selector = float.map(|value| f64::from((value as f32).to_bits() & 0xff_ffff));
    // 1/2π is shown with the digits of a single or of a double.
    let single_digits = (code == 248).then_some(0.159_154_94);
    let double_digits = (code == 248).then_some(0.159_154_943_091_895_32);
    widths
        .into_iter()
        .chain([
            integer.map(|value| value as f64),
            single,
            half,
            selector,
            float,
            single_digits,
            double_digits,
        ])
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_as_it_should() {
        Defects::read().expect("llvm_defects.txt");
    }

    #[test]
    fn patterns() {
        assert!(matches("a*c", "abc") && matches("*", "") && matches("a*b*", "aabbc"));
        assert!(!matches("a*c", "abd") && !matches("", "a"));
    }

    #[test]
    fn source_codes() {
        assert!(differ_by_source_codes("v_fmaak_f32 v2, 39, v5, 0xbe", "v_fmaak_f32 v2, 39, v5, 0x3e"));
        assert!(differ_by_source_codes("v_fmaak_f16 v2, 39, v5, 0xc5", "v_fmaak_f16 v2, 39, v5, 0xfffb"));
        assert!(differ_by_source_codes("v_fmaak_f32 v2, 39, v5, 0xf0", "v_fmaak_f32 v2, 39, v5, 0x3f000000"));
        assert!(differ_by_source_codes("v_fmaak_f16 v2, 39, v5, 0xf0", "v_fmaak_f16 v2, 39, v5, 0x3800"));
        assert!(differ_by_source_codes("v_fmac v9, neg(0.5)", "v_fmac v9, neg(0xf0)"));
        assert!(differ_by_source_codes("v_x v5 dpp8:[7,3,2,0,0,0,0,0]", "v_x v5 dpp8:[7,3,0,0,0,0,0,0]"));
        assert!(!differ_by_source_codes("v_fmaak_f32 v2, 39, v5, 0xbe", "v_fmaak_f32 v2, 38, v5, 0xbe"));
    }
}
