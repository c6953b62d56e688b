//! Reads the table of rules.

use super::{Bits, Condition, For, KINDS, NAMES, Pattern, Rule, Rules, Section, admits};
use crate::expr::BinaryOp;

/// Reads the table. It is part of the program: a mistake in it panics, in the test below at the latest.
pub(super) fn read(text: &str) -> Rules {
    let empty =
        || Section { rules: Vec::new(), left: [Bits::default(); KINDS], right: [Bits::default(); KINDS] };
    let mut sections: [[Section; 4]; 22] = std::array::from_fn(|_| std::array::from_fn(|_| empty()));
    let mut at = None;
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(header) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            let words: Vec<&str> = header.split(' ').collect();
            let op = operator(words[0]).unwrap_or_else(|| panic!("rules.txt:{}: operator", number + 1));
            let holds = match words[1..] {
                ["index", "first"] => For::First,
                ["index"] => For::Index,
                ["other"] => For::Other,
                ["any"] => For::Any,
                _ => panic!("rules.txt:{}: which types?", number + 1),
            };
            at = Some((op as usize, holds as usize));
            continue;
        }
        let (op, holds) = at.unwrap_or_else(|| panic!("rules.txt:{}: no section yet", number + 1));
        let section = &mut sections[op][holds];
        for rule in read_rule(line, number + 1) {
            let Pattern::Binary(_, sides) = &rule.pattern else {
                panic!("rules.txt:{}: no operator at the root", number + 1)
            };
            let index = section.rules.len();
            for kind in 0..KINDS {
                for (side, table) in [(&sides[0], &mut section.left), (&sides[1], &mut section.right)] {
                    if admits(side, kind) {
                        table[kind][index / 64] |= 1 << (index % 64);
                    }
                }
            }
            section.rules.push(rule);
        }
    }
    Rules { sections }
}

fn read_rule(line: &str, number: usize) -> Vec<Rule> {
    let (patterns, rest) = line.split_once(" =>").unwrap_or_else(|| panic!("rules.txt:{number}: no =>"));
    let (again, rest) = match rest.strip_prefix('*') {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    let (result, condition) = rest.split_once(" if ").unwrap_or((rest, ""));
    let mut rules = Vec::new();
    for pattern in patterns.split(" | ") {
        let pattern = Reader::new(pattern, number).whole();
        let result = Reader::new(result, number).whole();
        let (mut given, mut used) = (Vec::new(), Vec::new());
        names(&pattern, &mut given);
        names(&result, &mut used);
        assert!(
            used.iter().all(|name| given.contains(name)),
            "rules.txt:{number}: a name that does not match"
        );
        let condition = match condition {
            "" => Condition::Always,
            text => Reader::new(text, number).condition(),
        };
        rules.push(Rule { pattern, result, condition, again });
    }
    rules
}

fn names(pattern: &Pattern, into: &mut Vec<usize>) {
    match pattern {
        Pattern::Hole(name) => into.push(*name),
        Pattern::Literal(_) | Pattern::Truth(_) => {}
        Pattern::Binary(_, parts) => parts.iter().for_each(|part| names(part, into)),
        Pattern::Not(inner) => names(inner, into),
        Pattern::Select(parts) => parts.iter().for_each(|part| names(part, into)),
    }
}

fn operator(text: &str) -> Option<BinaryOp> {
    use BinaryOp::*;
    Some(match text {
        "+" => Add,
        "-" => Sub,
        "*" => Mul,
        "tdiv" => Div,
        "tmod" => Mod,
        "//" => FloorDiv,
        "%" => FloorMod,
        "min" => Min,
        "max" => Max,
        "==" => Eq,
        "!=" => Ne,
        "<" => Lt,
        "<=" => Le,
        ">" => Gt,
        ">=" => Ge,
        "&&" => And,
        "||" => Or,
        _ => return None,
    })
}

fn precedence(op: BinaryOp) -> u8 {
    use BinaryOp::*;
    match op {
        Or => 1,
        And => 2,
        Add | Sub => 4,
        Mul | FloorDiv | FloorMod => 5,
        _ => 3,
    }
}

struct Reader<'t> {
    tokens: Vec<&'t str>,
    at: usize,
    line: usize,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str, line: usize) -> Reader<'t> {
        let mut tokens = Vec::new();
        let mut rest = text.trim_start();
        while let Some(first) = rest.chars().next() {
            let word = |c: char| c.is_ascii_alphanumeric();
            let length = if word(first) {
                rest.find(|c| !word(c)).unwrap_or(rest.len())
            } else {
                let two = ["//", "==", "!=", "<=", ">=", "&&", "||"];
                if two.iter().any(|op| rest.starts_with(op)) { 2 } else { 1 }
            };
            tokens.push(&rest[..length]);
            rest = rest[length..].trim_start();
        }
        Reader { tokens, at: 0, line }
    }

    fn peek(&self) -> &'t str {
        self.tokens.get(self.at).copied().unwrap_or("")
    }

    fn expect(&mut self, token: &str) {
        assert!(self.peek() == token, "rules.txt:{}: {token} expected, not {:?}", self.line, self.peek());
        self.at += 1;
    }

    fn whole(mut self) -> Pattern {
        let pattern = self.operators(1);
        assert!(self.at == self.tokens.len(), "rules.txt:{}: {:?} left over", self.line, self.peek());
        pattern
    }

    fn operators(&mut self, least: u8) -> Pattern {
        let mut left = self.primary();
        while let Some(op) = operator(self.peek()).filter(|op| precedence(*op) >= least) {
            self.at += 1;
            let right = self.operators(precedence(op) + 1);
            left = Pattern::Binary(op, Box::new([left, right]));
        }
        left
    }

    fn primary(&mut self) -> Pattern {
        let token = self.peek();
        self.at += 1;
        if let Some(name) = NAMES.iter().position(|name| *name == token) {
            return Pattern::Hole(name);
        }
        if let Ok(value) = token.parse() {
            return Pattern::Literal(value);
        }
        match token {
            "true" | "false" => Pattern::Truth(token == "true"),
            "!" => Pattern::Not(Box::new(self.primary())),
            "(" => {
                let inner = self.operators(1);
                self.expect(")");
                inner
            }
            "min" | "max" | "tdiv" | "tmod" => {
                let [a, b] = self.arguments();
                let op = operator(token).unwrap_or_else(|| panic!("rules.txt:{}: {token}", self.line));
                Pattern::Binary(op, Box::new([a, b]))
            }
            "select" => Pattern::Select(Box::new(self.arguments())),
            _ => panic!("rules.txt:{}: {token:?}", self.line),
        }
    }

    fn arguments<const N: usize>(&mut self) -> [Pattern; N] {
        self.expect("(");
        let arguments = std::array::from_fn(|index| {
            if index > 0 {
                self.expect(",");
            }
            self.operators(1)
        });
        self.expect(")");
        arguments
    }

    fn condition(mut self) -> Condition {
        let condition = self.any_of();
        assert!(self.at == self.tokens.len(), "rules.txt:{}: {:?} left over", self.line, self.peek());
        condition
    }

    fn any_of(&mut self) -> Condition {
        let mut parts = vec![self.all_of()];
        while self.peek() == "||" {
            self.at += 1;
            parts.push(self.all_of());
        }
        if parts.len() == 1 { parts.remove(0) } else { Condition::Any(parts) }
    }

    fn all_of(&mut self) -> Condition {
        let mut parts = vec![self.atom()];
        while self.peek() == "&&" {
            self.at += 1;
            parts.push(self.atom());
        }
        if parts.len() == 1 { parts.remove(0) } else { Condition::All(parts) }
    }

    fn atom(&mut self) -> Condition {
        let token = self.peek();
        match token {
            "ge" | "lt" => {
                self.at += 1;
                let [expr, bound] = self.arguments();
                if token == "ge" { Condition::AtLeast(expr, bound) } else { Condition::Below(expr, bound) }
            }
            "zero" | "pure" => {
                self.at += 1;
                let [expr] = self.arguments();
                if token == "zero" { Condition::Zero(expr) } else { Condition::Pure(expr) }
            }
            "(" if self.disjunction() => {
                self.at += 1;
                let inner = self.any_of();
                self.expect(")");
                inner
            }
            _ => {
                let left = self.operators(4);
                let op = operator(self.peek())
                    .filter(|op| op.is_comparison())
                    .unwrap_or_else(|| panic!("rules.txt:{}: comparison expected", self.line));
                self.at += 1;
                Condition::Compare(op, left, self.operators(4))
            }
        }
    }

    /// The parenthesis that opens here holds a condition, not a number.
    fn disjunction(&self) -> bool {
        let mut depth = 0;
        for token in &self.tokens[self.at..] {
            match *token {
                "(" => depth += 1,
                ")" => depth -= 1,
                "||" if depth == 1 => return true,
                _ => {}
            }
            if depth == 0 {
                return false;
            }
        }
        false
    }
}
