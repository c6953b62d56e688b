//! Reads the tables of code sequences in LLVM's *AMDGPU usage*: rows of an instruction, an ordering, scopes, address
//! spaces, and numbered steps with conditions.

/// A mode that conditions of steps name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mode {
    pub compute_unit: bool,
    pub threadgroup_split: bool,
    pub gfx11: bool,
}

/// A row.
#[derive(Clone, Debug)]
pub struct Row {
    pub instruction: String,
    pub ordering: String,
    pub scopes: Vec<String>,
    pub spaces: Vec<String>,
    pub steps: Vec<Step>,
    /// "Same as corresponding store atomic release", and the like.
    pub same_as: Option<(String, String)>,
}

/// A step: its lines, and the conditions below it.
#[derive(Clone, Debug, Default)]
pub struct Step {
    pub lines: Vec<String>,
    pub conditions: Vec<String>,
}

/// The rows of a table: between the two lines that begin with these.
pub fn rows(text: &str, begin: &str, end: &str) -> Vec<Row> {
    let lines = text.lines().skip_while(|line| !line.starts_with(begin)).skip(1);
    let lines: Vec<&str> =
        lines.take_while(|line| !line.starts_with(end)).filter(|line| !line.trim().is_empty()).collect();
    const INSTRUCTIONS: [&str; 6] = ["load atomic", "store atomic", "atomicrmw", "fence", "load", "store"];
    let starts: Vec<usize> = (0..lines.len())
        .filter(|&at| {
            INSTRUCTIONS.contains(&lines[at]) && lines.get(at + 1).is_some_and(|next| !next.starts_with(' '))
        })
        .collect();
    let ends = starts.iter().skip(1).copied().chain([lines.len()]);
    starts.iter().zip(ends).map(|(&begin, end)| row(&lines[begin..end])).collect()
}

fn row(lines: &[&str]) -> Row {
    const SCOPES: [&str; 5] = ["singlethread", "wavefront", "workgroup", "agent", "system"];
    const SPACES: [&str; 5] = ["global", "local", "generic", "private", "constant"];
    let mut row = Row {
        instruction: lines[0].into(),
        ordering: lines[1].into(),
        scopes: Vec::new(),
        spaces: Vec::new(),
        steps: Vec::new(),
        same_as: None,
    };
    for line in &lines[2..] {
        let text = line.trim();
        let bullet = text.strip_prefix("• ");
        // One row of GFX12 has lost the point behind its number, and its indentation.
        let numbered = text.split_once(". ").or_else(|| text.split_once(" | "));
        let numbered = numbered.filter(|(number, _)| number.parse::<u32>().is_ok());
        let indent = line.len() - line.trim_start().len();
        match (bullet, numbered) {
            (Some(word), _) if row.steps.is_empty() && SCOPES.contains(&word) => row.scopes.push(word.into()),
            (Some(word), _) if row.steps.is_empty() && SPACES.contains(&word) => row.spaces.push(word.into()),
            (_, Some((_, rest))) => {
                row.steps.push(Step { lines: vec![rest.trim().into()], conditions: Vec::new() });
            }
            (Some(word), _) => {
                if let Some(step) = row.steps.last_mut() {
                    step.conditions.push(word.into());
                }
            }
            (None, None)
                if text.starts_with("Same as corresponding")
                    || text.starts_with("Following instructions") => {}
            (None, None) if indent >= 4 || text.starts_with("s_wait") || text.ends_with("mode:") => {
                if let Some(step) = row.steps.last_mut() {
                    match step.conditions.is_empty() {
                        true => step.lines.push(text.into()),
                        false => step.conditions.push(text.into()),
                    }
                }
            }
            _ => {}
        }
        if let Some(rest) = text.split_once("ame as corresponding ").map(|(_, rest)| rest) {
            let words: Vec<&str> = rest.split([',', '.']).next().unwrap_or("").split_whitespace().collect();
            if let Some((ordering, instruction)) = words.split_last() {
                row.same_as = Some((instruction.join(" "), (*ordering).into()));
            }
        }
    }
    row.steps.retain(|step| !step.lines[0].starts_with("Following instructions"));
    row
}

impl Row {
    pub fn is_for(&self, instruction: &str, ordering: &str, scope: &str, space: &str) -> bool {
        let scopes = self.scopes.is_empty() || self.scopes.iter().any(|own| own == scope);
        let spaces = self.spaces.is_empty() || self.spaces.iter().any(|own| own == space);
        self.instruction == instruction && self.ordering == ordering && scopes && spaces
    }

    /// The instructions of the row in a mode, one after the other.
    pub fn instructions(&self, mode: Mode, scope: &str) -> Vec<String> {
        self.steps.iter().flat_map(|step| step.instructions(mode, scope)).collect()
    }
}

impl Step {
    fn instructions(&self, mode: Mode, scope: &str) -> Vec<String> {
        // What stands behind these lines is for that case.
        let mut lines: Vec<&str> = Vec::new();
        let mut chosen = true;
        for line in &self.lines {
            match line.as_str() {
                "CU wavefront execution mode:" => {
                    if mode.compute_unit {
                        lines.clear();
                    }
                    chosen = mode.compute_unit;
                }
                "Atomic with return:" | "GFX942" => chosen = true,
                "Atomic without return:" | "GFX940, GFX941" | "OpenCL:" => chosen = false,
                line if chosen => lines.push(line),
                _ => {}
            }
        }
        let mut parts: Vec<String> = lines.iter().flat_map(|line| split(line)).collect();
        for condition in &self.conditions {
            let Some((case, omitted)) = condition.split_once("omit") else { continue };
            let holds = match case.trim_end_matches([' ', ',']) {
                "If CU wavefront execution mode" | "If OpenCL or CU wavefront execution mode" => {
                    mode.compute_unit
                }
                "If TgSplit execution mode" => mode.threadgroup_split,
                "If not TgSplit execution mode" => !mode.threadgroup_split,
                "If agent scope" => scope == "agent",
                "If GFX10" => !mode.gfx11,
                "If GFX11" => mode.gfx11,
                case if case.starts_with("If OpenC") => false,
                _ => continue,
            };
            if !holds {
                continue;
            }
            match omitted.trim_matches([' ', '.']) {
                "" => return Vec::new(),
                "all for atomics without return, and only emit s_wait_dscnt 0x0 for atomics with return" => {
                    parts.retain(|part| part.contains("dscnt"));
                }
                what => {
                    let what = split(what);
                    for part in &mut parts {
                        for gone in &what {
                            *part = part.replace(gone.as_str(), "").trim().to_string();
                        }
                    }
                }
            }
        }
        parts.retain(|part| !part.is_empty());
        parts
    }
}

/// Instructions of a line, and waits as one for each counter.
fn split(line: &str) -> Vec<String> {
    let line = line.trim();
    let waits = line.strip_prefix("s_waitcnt ").unwrap_or(line);
    if waits.contains("cnt(0)") {
        let text = waits.replace(" & ", " ").replace(" and ", " ").replace('&', " ");
        let each = |word: &str| match word {
            "lgkm/vmcnt(0)" => vec!["lgkmcnt(0)".to_string(), "vmcnt(0)".to_string()],
            "vm/vscnt(0)" => vec!["vmcnt(0)".to_string(), "vscnt(0)".to_string()],
            word => vec![word.to_string()],
        };
        return text.split_whitespace().flat_map(each).collect();
    }
    line.split(';').map(|part| part.trim().to_string()).collect()
}
