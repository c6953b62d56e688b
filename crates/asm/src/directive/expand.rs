//! Bodies of macros and repetitions: finding their end, putting arguments into them, assembling them.
//!
//! In a body `\name` is an argument, `\()` is nothing (it ends a name), `\@` counts the macros that were called so far,
//! `\+` the expansions of this one. In `.altmacro` mode an argument's name alone is enough, `&` joins it to what is
//! beside it, and `LOCAL name, …` first in a macro makes names that each expansion has for itself; LLVM does not know
//! that last one, GNU's assembler does.

use crate::assembler::{Assembler, Expansion, Fault};
use crate::directive::Operands;
use crate::lex::{continues_name, starts_name};
use crate::statement::Lines;

/// How deep expansions nest; LLVM's limit.
pub(crate) const MAX_NESTING: u32 = 20;
/// Bytes that all expansions of a file may have together.
pub(super) const MAX_EXPANDED: usize = 64 << 20;

/// The text from here to the directive in `closers` that closes this one; `openers` nest.
pub(super) fn body<'t>(
    operands: &Operands<'_>,
    lines: &mut Lines<'t>,
    openers: &[&str],
    closers: &[&str],
) -> Result<&'t str, Fault> {
    let start = lines.position();
    let mut depth = 1;
    loop {
        let Some((offset, line)) = lines.raw_line() else {
            return operands.fault_here(format!("{} without {}", operands.directive(), closers[0]));
        };
        let text = line.trim_start();
        let first = &text[..text.bytes().take_while(|&byte| continues_name(byte)).count()];
        let is = |names: &[&str]| names.iter().any(|name| first.eq_ignore_ascii_case(name));
        if is(openers) {
            depth += 1;
        } else if is(closers) {
            depth -= 1;
        }
        if depth == 0 {
            return Ok(lines.text_between(start, offset));
        }
    }
}

/// What stands for what in a body.
pub(super) struct Bindings {
    all: Vec<(String, String)>,
    /// Whether names need no `\`.
    alternate: bool,
}

impl Bindings {
    pub fn new(alternate: bool) -> Bindings {
        Bindings { all: Vec::new(), alternate }
    }

    pub fn bind(&mut self, name: &str, value: String) {
        self.all.push((name.to_owned(), value));
    }

    fn find(&self, name: &str) -> Option<&str> {
        self.all.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// `text` with its arguments; `instance` is what `\@` stands for, if it stands for something.
    pub fn substitute(&self, text: &str, instance: Option<u64>, repetition: u64) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        loop {
            let next = match self.alternate {
                true => rest.find(|c: char| c == '\\' || in_name(c as u32)),
                false => rest.find('\\'),
            };
            let Some(at) = next else { break };
            out.push_str(&rest[..at]);
            rest = &rest[at..];
            if let Some(after) = rest.strip_prefix('\\') {
                rest = self.escape(after, instance, repetition, &mut out);
                continue;
            }
            let length = rest.bytes().take_while(|&byte| in_name(byte.into())).count();
            let (name, after) = rest.split_at(length);
            match self.find(name) {
                Some(value) => {
                    out.push_str(value);
                    rest = after.strip_prefix('&').unwrap_or(after);
                }
                None => {
                    out.push_str(name);
                    rest = after;
                }
            }
        }
        out.push_str(rest);
        out
    }

    /// Replaces what follows a `\`; what is left after it.
    fn escape<'t>(&self, rest: &'t str, instance: Option<u64>, repetition: u64, out: &mut String) -> &'t str {
        if let (Some(after), Some(instance)) = (rest.strip_prefix('@'), instance) {
            out.push_str(&instance.to_string());
            return after;
        }
        if let Some(after) = rest.strip_prefix('+') {
            out.push_str(&repetition.to_string());
            return after;
        }
        if let Some(after) = rest.strip_prefix("()") {
            return after;
        }
        let length = rest.bytes().take_while(|&byte| in_name(byte.into())).count();
        let (name, after) = rest.split_at(length);
        match self.find(name) {
            Some(value) => {
                out.push_str(value);
                if self.alternate { after.strip_prefix('&').unwrap_or(after) } else { after }
            }
            None => {
                out.push('\\');
                out.push_str(name);
                after
            }
        }
    }
}

/// Whether a name in a body goes on with this character.
fn in_name(character: u32) -> bool {
    u8::try_from(character)
        .is_ok_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.'))
}

impl Assembler<'_> {
    /// Takes the `LOCAL` lines off a macro's body in `.altmacro` mode; what is left.
    pub(super) fn bind_locals<'b>(&mut self, body: &'b str, bindings: &mut Bindings) -> &'b str {
        let mut rest = body;
        while bindings.alternate {
            let line = rest.split_inclusive('\n').next().unwrap_or("");
            let text = line.trim_start();
            let Some(word) = text.get(..5).filter(|word| word.eq_ignore_ascii_case("local")) else { break };
            let names = text[word.len()..].split(['/', ';']).next().unwrap_or("");
            if !names.starts_with([' ', '\t']) {
                break;
            }
            for name in names.split(',').map(str::trim).filter(|name| {
                name.bytes().next().is_some_and(starts_name) && name.bytes().all(|byte| in_name(byte.into()))
            }) {
                bindings.bind(name, format!(".LL{:04x}", self.locals));
                self.locals += 1;
            }
            rest = &rest[line.len()..];
        }
        rest
    }

    /// Assembles `text` in place of the statement of `operands`.
    pub(super) fn expand(&mut self, text: &str, what: String, operands: &Operands<'_>) -> Result<(), Fault> {
        let range = operands.name.clone();
        self.expanded = self.expanded.saturating_add(text.len());
        if self.depth >= MAX_NESTING {
            let message = format!("macros and repetitions nest more than {MAX_NESTING} deep");
            return Err(Fault::new(range, message));
        }
        if self.expanded > MAX_EXPANDED {
            return Err(Fault::new(range, "all macros and repetitions together become larger than 64 MiB"));
        }
        let call = self.span(operands.offset, range);
        let what = match &self.expansion {
            Some(outer) => format!("{what}, in {}", outer.what),
            None => what,
        };
        let saved = self.expansion.replace(Expansion { call, what });
        let open = self.conditions.len();
        self.depth += 1;
        self.run(text);
        self.depth -= 1;
        if self.leave {
            self.conditions.truncate(open);
        }
        self.expansion = saved;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bindings(alternate: bool) -> Bindings {
        let mut bindings = Bindings::new(alternate);
        bindings.bind("x", "v1".to_owned());
        bindings.bind("n", "7".to_owned());
        bindings
    }

    #[test]
    fn substitution() {
        let plain = bindings(false);
        assert_eq!(
            plain.substitute("\\x\\()l, \\n, \\@ \\y x\\+ \\x.l", Some(3), 4),
            "v1l, 7, 3 \\y x4 \\x.l"
        );
        assert_eq!(plain.substitute("\\@", None, 0), "\\@");
        let alternate = bindings(true);
        assert_eq!(alternate.substitute("x&l \\x&l n+nn &n \\é", Some(3), 4), "v1l v1l 7+nn &7 \\é");
    }
}
