//! Counts of agreement, and the disagreements.

use std::collections::BTreeMap;

use super::Ours;
use super::worker::Answer;

/// One-sided acceptance stays below 1 in this many.
const ONE_SIDED_LIMIT: usize = 1000;

/// How two answers disagree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Both accept, with different answers.
    Differ,
    /// We accept what LLVM refuses.
    OnlyOurs,
    /// LLVM accepts what we refuse.
    OnlyLlvm,
}

/// A line that the two sides answer differently.
#[derive(Debug)]
pub struct Difference {
    pub kind: Kind,
    pub line: String,
    pub ours: Ours,
    pub theirs: Answer,
}

impl Difference {
    /// What the answers differ in, if they do. LLVM ends some texts with a space, and what kills it has no answer to
    /// agree with: these are no differences.
    pub fn between(line: &str, ours: &Ours, theirs: &Answer) -> Option<Difference> {
        let ours = match ours {
            Ours::Ok(text) if marked(text) => Ours::Err(format!("marked as invalid: {text}")),
            Ours::Ok(text) => Ours::Ok(text.trim_end().to_owned()),
            other => other.clone(),
        };
        let theirs = match theirs {
            Answer::Ok(text) if marked(text) => Answer::Err(text.clone()),
            other => other.clone(),
        };
        let kind = match (&ours, &theirs) {
            (Ours::Ok(ours), Answer::Ok(theirs)) if ours == theirs => return None,
            (Ours::Ok(_), Answer::Ok(_)) => Kind::Differ,
            (Ours::Ok(_), Answer::Err(_)) => Kind::OnlyOurs,
            (Ours::Err(_) | Ours::Empty, Answer::Ok(_)) => Kind::OnlyLlvm,
            (_, Answer::Crash) | (_, Answer::Err(_)) => return None,
        };
        Some(Difference { kind, line: line.to_owned(), ours, theirs })
    }

    /// LLVM's answer or message; of an answer with a length, what follows it.
    pub fn llvm_text(&self) -> &str {
        match &self.theirs {
            Answer::Ok(text) | Answer::Err(text) => text.split_once('\t').map_or(text, |(_, text)| text),
            Answer::Crash => "",
        }
    }
}

/// How the two sides compare over many lines.
#[derive(Default)]
pub struct Tally {
    lines: usize,
    refused: usize,
    crashes: usize,
    /// Those that are not LLVM's defects.
    differences: Vec<Difference>,
    /// LLVM's defects: lines of each class.
    defects: BTreeMap<String, usize>,
}

impl Tally {
    /// Counts one line; a difference is returned, for [`Self::add_difference`].
    pub fn add(&mut self, line: &str, ours: &Ours, theirs: &Answer) -> Option<Difference> {
        self.lines += 1;
        self.crashes += usize::from(*theirs == Answer::Crash);
        let difference = Difference::between(line, ours, theirs);
        let refused = match theirs {
            Answer::Err(_) => true,
            Answer::Ok(text) => marked(text),
            Answer::Crash => false,
        };
        self.refused += usize::from(difference.is_none() && refused);
        difference
    }

    /// Counts a difference, of a class of LLVM's defects or of none.
    pub fn add_difference(&mut self, difference: Difference, class: Option<&str>) {
        match class {
            Some(class) => *self.defects.entry(class.to_owned()).or_default() += 1,
            None => self.differences.push(difference),
        }
    }

    /// Adds what another one counted.
    pub fn absorb(&mut self, other: Tally) {
        self.lines += other.lines;
        self.refused += other.refused;
        self.crashes += other.crashes;
        self.differences.extend(other.differences);
        for (class, count) in other.defects {
            *self.defects.entry(class).or_default() += count;
        }
    }

    /// Counts lines that both refuse.
    pub fn add_refused(&mut self, lines: usize) {
        self.lines += lines;
        self.refused += lines;
    }

    fn count(&self, kind: Kind) -> usize {
        self.differences.iter().filter(|difference| difference.kind == kind).count()
    }

    fn one_sided(&self) -> usize {
        self.differences.len() - self.count(Kind::Differ)
    }

    /// Whether nothing differs, and one side alone accepts few lines.
    pub fn within_limits(&self) -> bool {
        self.count(Kind::Differ) == 0
            && (self.one_sided() == 0 || self.one_sided() * ONE_SIDED_LIMIT < self.lines)
    }

    /// Prints the counts and samples; whether they are within the limits.
    pub fn report(&self, what: &str, samples: usize) -> bool {
        let agree = self.lines - self.crashes - self.differences.len() - self.defects.values().sum::<usize>();
        println!(
            "  {what}: {} lines, {agree} agree ({} refused by both), {} differ, {} only we accept, {} only LLVM accepts{}",
            self.lines,
            self.refused,
            self.count(Kind::Differ),
            self.count(Kind::OnlyOurs),
            self.count(Kind::OnlyLlvm),
            if self.crashes == 0 { String::new() } else { format!(", {} LLVM dies of", self.crashes) },
        );
        if !self.defects.is_empty() {
            println!("    LLVM's defects: {}", self.defects_in_words());
        }
        for (name, kind) in
            [("differ", Kind::Differ), ("only ours", Kind::OnlyOurs), ("only LLVM", Kind::OnlyLlvm)]
        {
            let list: Vec<&Difference> = self.differences.iter().filter(|d| d.kind == kind).collect();
            // Spread over the list: neighbours resemble each other.
            let step = (list.len() / samples.max(1)).max(1);
            for Difference { line, ours, theirs, .. } in list.into_iter().step_by(step).take(samples) {
                let ours = match ours {
                    Ours::Ok(text) | Ours::Err(text) => text,
                    Ours::Empty => "nothing",
                };
                let theirs = match theirs {
                    Answer::Ok(text) | Answer::Err(text) => text,
                    Answer::Crash => "",
                };
                println!("      {name}: {line}\n        ours {ours}\n        LLVM {theirs}");
            }
        }
        self.within_limits()
    }

    /// `3 of class a, 5 of class b`.
    pub fn defects_in_words(&self) -> String {
        let classes = self.defects.iter().map(|(class, count)| format!("{count} {class}"));
        classes.collect::<Vec<_>>().join(", ")
    }

    /// Lines, those that differ, those that one side alone accepts.
    pub fn figures(&self) -> [usize; 3] {
        [self.lines, self.count(Kind::Differ), self.one_sided()]
    }
}

/// The text says in a comment that it is no valid instruction, or that it is doubtful.
fn marked(text: &str) -> bool {
    text.contains("/*Invalid") || text.contains("; Warning")
}
