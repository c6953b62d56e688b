//! Counts of agreement and samples of the rest.

use super::Ours;
use super::worker::Answer;

/// One-sided acceptance stays below 1 in this many.
const ONE_SIDED_LIMIT: usize = 1000;

/// How the two sides compare over many lines.
#[derive(Default)]
pub struct Tally {
    lines: usize,
    /// Both accept, with the same answer; or both refuse.
    agree: usize,
    refused: usize,
    crashes: usize,
    /// LLVM's mistakes: see [`misread_literal`] and [`refused_scale_load`].
    understood: usize,
    differ: Vec<String>,
    only_ours: Vec<String>,
    only_llvm: Vec<String>,
}

impl Tally {
    /// Counts one line. LLVM ends some texts with a space: that is no difference.
    pub fn add(&mut self, line: &str, ours: &Ours, theirs: &Answer) {
        self.lines += 1;
        let trimmed = match ours {
            Ours::Ok(text) if marked(text) => Ours::Err("marked as invalid".to_owned()),
            Ours::Ok(text) => Ours::Ok(text.trim_end().to_owned()),
            other => other.clone(),
        };
        let theirs = match theirs {
            Answer::Ok(text) if marked(text) => &Answer::Err(text.clone()),
            other => other,
        };
        match (&trimmed, theirs) {
            // What kills LLVM has no answer to agree with; ours only must survive it.
            (_, Answer::Crash) => self.crashes += 1,
            (Ours::Ok(ours), Answer::Ok(theirs)) if ours == theirs => self.agree += 1,
            (Ours::Ok(ours), Answer::Ok(theirs)) if misread_literal(ours, theirs) => self.understood += 1,
            (Ours::Ok(ours), Answer::Ok(theirs)) => {
                self.differ.push(format!("{line}\n        ours {ours}\n        LLVM {theirs}"));
            }
            (Ours::Ok(ours), Answer::Err(_)) if refused_scale_load(line, ours) => self.understood += 1,
            (Ours::Ok(ours), Answer::Err(theirs)) => {
                self.only_ours.push(format!("{line}\n        ours {ours}\n        LLVM {theirs}"));
            }
            (Ours::Err(ours), Answer::Ok(theirs)) => {
                self.only_llvm.push(format!("{line}\n        ours {ours}\n        LLVM {theirs}"));
            }
            (Ours::Empty, Answer::Ok(theirs)) => {
                self.only_llvm.push(format!("{line}\n        ours nothing\n        LLVM {theirs}"));
            }
            (_, Answer::Err(_)) => {
                self.agree += 1;
                self.refused += 1;
            }
        }
    }

    /// Prints the counts and samples; whether they are within the limits.
    pub fn report(&self, what: &str, samples: usize) -> bool {
        let one_sided = self.only_ours.len() + self.only_llvm.len();
        println!(
            "  {what}: {} lines, {} agree ({} refused by both), {} differ, {} only we accept, {} only LLVM accepts{}{}",
            self.lines,
            self.agree,
            self.refused,
            self.differ.len(),
            self.only_ours.len(),
            self.only_llvm.len(),
            if self.understood == 0 { String::new() } else { format!(", {} LLVM misreads", self.understood) },
            if self.crashes == 0 { String::new() } else { format!(", {} LLVM dies of", self.crashes) },
        );
        for (kind, list) in
            [("differ", &self.differ), ("only ours", &self.only_ours), ("only LLVM", &self.only_llvm)]
        {
            // Spread over the list: neighbours resemble each other.
            let step = (list.len() / samples.max(1)).max(1);
            for sample in list.iter().step_by(step).take(samples) {
                println!("      {kind}: {sample}");
            }
        }
        self.differ.is_empty() && one_sided * ONE_SIDED_LIMIT < self.lines.max(1)
            || self.differ.is_empty() && one_sided == 0
    }
}

/// The text says in a comment that it is no valid instruction, or that it is doubtful.
fn marked(text: &str) -> bool {
    text.contains("/*Invalid") || text.contains("; Warning")
}

/// LLVM 22 prints the mandatory literal of FMAAK and FMAMK, where its value is the code of an inline constant, as that
/// constant: 0xbd as 0x3d, since code 0xbd means 61.
fn misread_literal(ours: &str, theirs: &str) -> bool {
    (ours.contains("fmaak") || ours.contains("fmamk"))
        && ours
            .split([' ', ','])
            .filter(|word| !word.is_empty())
            .zip(theirs.split([' ', ',']).filter(|word| !word.is_empty()))
            .filter(|(ours, theirs)| ours != theirs)
            .all(|(ours, _)| {
                let value = ours.strip_prefix("0x").and_then(|digits| u32::from_str_radix(digits, 16).ok());
                value.is_some_and(|value| (128..=248).contains(&value))
            })
}

/// LLVM 22 refuses scaled WMMA whose scale load has the inline constant 0 as its third source, which newer compilers
/// write; `line` is hexadecimal.
fn refused_scale_load(line: &str, ours: &str) -> bool {
    let dword = super::unhex(line).and_then(|bytes| bytes.get(4..8)?.try_into().ok()).map(u32::from_le_bytes);
    ours.starts_with("v_wmma_")
        && ours.contains("scale")
        && dword.is_some_and(|dword| dword >> 18 & 0x1ff == 0x80)
}
