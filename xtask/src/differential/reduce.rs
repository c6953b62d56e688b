//! Takes lines from a kernel as long as it still differs.
//!
//! A line with a result goes with a constant in the place of the result, or with an operand of its own type that it had.
//! What is no module then, or is not right any more (the IR's run says so), is not taken. A comparison that finds a NaN goes
//! with the number that it is of, not before: which NaN that is differs rightly.

/// A kernel without what it does not need. `differs`: whether lines are still of interest.
pub fn reduce(mut lines: Vec<String>, mut differs: impl FnMut(&[String]) -> bool) -> Vec<String> {
    loop {
        let before = lines.len();
        // Stores first, all that are not needed; then what only they needed.
        for chunk in [16, 4, 1] {
            let mut end = lines.len();
            while end > 0 {
                let start = end.saturating_sub(chunk);
                for candidate in without(&lines, start..end) {
                    if differs(&candidate) {
                        lines = candidate;
                        break;
                    }
                }
                end = start;
            }
        }
        if lines.len() == before {
            return lines;
        }
    }
}

/// The lines without some of them.
fn without(lines: &[String], taken: std::ops::Range<usize>) -> Vec<Vec<String>> {
    let can_go = |line: &String| line.starts_with("  ") && !is_kept(line);
    if !lines[taken.clone()].iter().any(can_go) {
        return Vec::new();
    }
    let mut left: Vec<String> = lines.to_vec();
    let mut single = Vec::new();
    for at in taken.clone().rev() {
        if !can_go(&lines[at]) {
            continue;
        }
        let line = left.remove(at);
        let Some((name, text)) = line.trim().split_once(" = ") else { continue };
        let Some(ty) = result_type(text) else {
            // It goes if nobody reads it.
            match left.iter().any(|line| replaced(line, name, "") != *line) {
                true => return Vec::new(),
                false => continue,
            }
        };
        if taken.len() == 1 {
            // An operand of the same type, instead of it.
            for operand in operands(text) {
                single.push(left.iter().map(|line| replaced(line, name, &operand)).collect());
            }
        }
        left.iter_mut().for_each(|line| *line = replaced(line, name, zero(&ty)));
    }
    single.insert(0, left);
    single
}

/// Terminators, what orders memory, and what settles a NaN.
fn is_kept(line: &str) -> bool {
    ["br ", "ret ", "switch ", "fence ", "call void"].iter().any(|word| line.trim().starts_with(word))
        || line.contains(" = fcmp uno ") && line.contains("%raw")
}

/// The names that an instruction reads.
fn operands(text: &str) -> Vec<String> {
    let words = text.split([' ', ',', '(', ')']).filter(|word| word.starts_with("%v") || *word == "%lid");
    let mut all: Vec<String> = words.map(str::to_owned).collect();
    all.dedup();
    all
}

/// A line with another value in the place of `name`.
fn replaced(line: &str, name: &str, by: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find(name) {
        let end = at + name.len();
        let whole = !rest[end..].starts_with(|c: char| c.is_ascii_alphanumeric() || c == '.' || c == '_');
        out += &rest[..at];
        out += if whole { by } else { name };
        rest = &rest[end..];
    }
    out + rest
}

/// The type of an instruction's result, as far as the generator makes it; `None`: it cannot be told.
fn result_type(text: &str) -> Option<String> {
    let (op, rest) = text.split_once(' ')?;
    match op {
        "getelementptr" | "alloca" | "addrspacecast" | "cmpxchg" | "atomicrmw" => None,
        "icmp" | "fcmp" => Some(if rest.contains('<') { "<" } else { "i1" }.to_owned()),
        "trunc" | "zext" | "sext" | "fptrunc" | "fpext" | "sitofp" | "uitofp" | "bitcast" => {
            Some(rest.rsplit_once(" to ")?.1.to_owned())
        }
        "select" => Some(first_type(rest.split_once(", ")?.1)),
        "extractelement" => {
            let vector = first_type(rest);
            Some(vector.strip_prefix('<')?.strip_suffix('>')?.split_once(" x ")?.1.to_owned())
        }
        "extractvalue" => None,
        _ => {
            let flags = ["nuw ", "nsw ", "exact ", "disjoint ", "nneg "];
            let mut rest = rest;
            while let Some(flag) = flags.iter().find(|flag| rest.starts_with(**flag)) {
                rest = &rest[flag.len()..];
            }
            Some(first_type(rest))
        }
    }
}

fn first_type(text: &str) -> String {
    if text.starts_with('<') {
        return text.find('>').map_or(text, |end| &text[..=end]).to_owned();
    }
    text.split([' ', ',']).next().unwrap_or(text).to_owned()
}

fn zero(ty: &str) -> &'static str {
    match ty.chars().next() {
        Some('i') if ty == "i1" => "false",
        Some('i') => "0",
        Some('<' | '{') => "zeroinitializer",
        _ => "0.0",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_needed_goes() {
        let text = "define void @k() {\nentry:\n  %v1 = add i32 %lid, 1\n  %v2 = mul i32 %v1, 3\n  %v12 = sub i32 %v2, %v1\n  store i32 %v12\n  ret void\n}";
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let left = reduce(lines, |lines| lines.iter().any(|line| line.contains("mul i32")));
        assert_eq!(left, ["define void @k() {", "entry:", "  %v2 = mul i32 0, 3", "  ret void", "}"]);
    }
}
