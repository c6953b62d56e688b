//! Names and strings: quoted where they need it.

use super::Printer;
use crate::types::Name;

impl Printer<'_> {
    /// A name behind its sigil.
    pub(super) fn name(&mut self, sigil: char, name: &Name) {
        self.out.push(sigil);
        match name {
            Name::Text(text) => self.name_text(text),
            Name::Number(number) => self.put(format_args!("{number}")),
        }
    }

    /// A name without a sigil.
    pub(super) fn name_text(&mut self, text: &[u8]) {
        let plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'$' | b'.' | b'_');
        if text.first().is_some_and(|byte| !byte.is_ascii_digit()) && text.iter().all(plain) {
            self.out.extend(text.iter().map(|&byte| byte as char));
        } else {
            self.quoted(text);
        }
    }

    /// A string between quotes.
    pub(super) fn quoted(&mut self, text: &[u8]) {
        self.out.push('"');
        for &byte in text {
            match byte {
                b'\\' => self.push("\\\\"),
                b'"' | 0..b' ' | 0x7f.. => self.put(format_args!("\\{byte:02X}")),
                _ => self.out.push(byte as char),
            }
        }
        self.out.push('"');
    }

    /// The name of metadata behind its `!`: what is not plain is escaped, not quoted.
    pub(super) fn meta_name(&mut self, name: &str) {
        self.out.push('!');
        for (index, byte) in name.bytes().enumerate() {
            let plain = byte.is_ascii_alphabetic()
                || matches!(byte, b'-' | b'$' | b'.' | b'_')
                || index > 0 && byte.is_ascii_digit();
            if plain {
                self.out.push(byte as char);
            } else {
                self.put(format_args!("\\{byte:02X}"));
            }
        }
    }
}
