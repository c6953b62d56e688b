//! What a program prints: the messages of hostcall as text.
//!
//! A message is a control word (bit 0: standard error), a format string of C in words of 8 bytes up to and with the one
//! that holds its NUL, and the arguments: a word for each number, a string like the format (device libraries, `ockl`,
//! `__ockl_printf_append_args` and `__ockl_printf_append_string_n`). A format that is none is printed as it is, and so is a
//! conversion that has no argument left, or that writes (`%n`) or prints hexadecimal floats (`%a`).

use crate::report::{Printed, Stream};

/// What a message prints.
pub(crate) fn printed(message: &[u64]) -> Printed {
    let (&control, words) = message.split_first().unwrap_or((&0, &[]));
    let stream = if control & 1 == 0 { Stream::Stdout } else { Stream::Stderr };
    let mut words = Words(words);
    let format = words.string();
    let mut text = String::new();
    let mut rest = format.as_str();
    while let Some(at) = rest.find('%') {
        text += &rest[..at];
        let Some(conversion) = Conversion::first_of(&rest[at..]) else {
            text.push('%');
            rest = &rest[at + 1..];
            continue;
        };
        text += &conversion.convert(&mut words).unwrap_or_else(|| conversion.text.to_owned());
        rest = &rest[at + conversion.text.len()..];
    }
    Printed { stream, text: text + rest }
}

/// The words of a message that are not read yet.
struct Words<'m>(&'m [u64]);

impl Words<'_> {
    fn word(&mut self) -> Option<u64> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    /// A string: up to and with the word that holds a NUL.
    fn string(&mut self) -> String {
        let mut bytes = Vec::new();
        while let Some(word) = self.word() {
            let word = word.to_le_bytes();
            match word.iter().position(|&byte| byte == 0) {
                Some(end) => {
                    bytes.extend_from_slice(&word[..end]);
                    break;
                }
                None => bytes.extend_from_slice(&word),
            }
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

/// A conversion specification (C23 7.23.6.1).
struct Conversion<'f> {
    /// All of it.
    text: &'f str,
    /// `%`, flags, width and precision.
    head: &'f str,
    /// The length modifier.
    length: &'f str,
    /// The conversion specifier.
    specifier: char,
}

impl<'f> Conversion<'f> {
    /// The one that `format` begins with.
    fn first_of(format: &'f str) -> Option<Conversion<'f>> {
        let behind = |from: usize, set: &str| {
            format[from..].find(|c: char| !set.contains(c)).map_or(format.len(), |at| from + at)
        };
        let head = behind(1, "-+ #0123456789.*");
        let length = behind(head, "hlqjzt");
        let specifier = format[length..].chars().next()?;
        let text = &format[..length + specifier.len_utf8()];
        let known = "diouxXcspfFeEgGaAn%".contains(specifier);
        known.then_some(Conversion { text, head: &format[..head], length: &format[head..length], specifier })
    }

    fn convert(&self, words: &mut Words<'_>) -> Option<String> {
        // Width and precision that are arguments, in their order.
        let mut head = String::new();
        for c in self.head.chars() {
            match c {
                '*' => head += &(words.word()? as i32).to_string(),
                c => head.push(c),
            }
        }
        let with = |specifier: char, value: &dyn sprintf::Printf| {
            sprintf::vsprintf(&format!("{head}{specifier}"), &[value]).ok()
        };
        // Smaller integers are passed as `int`; what is above its bits is not the argument's.
        match self.specifier {
            '%' => Some("%".to_owned()),
            'd' | 'i' => {
                let value = words.word()?;
                match self.length {
                    "" => with('d', &i64::from(value as i32)),
                    "h" => with('d', &i64::from(value as i16)),
                    "hh" => with('d', &i64::from(value as i8)),
                    _ => with('d', &(value as i64)),
                }
            }
            'o' | 'u' | 'x' | 'X' => {
                let value = words.word()?;
                match self.length {
                    "" => with(self.specifier, &u64::from(value as u32)),
                    "h" => with(self.specifier, &u64::from(value as u16)),
                    "hh" => with(self.specifier, &u64::from(value as u8)),
                    _ => with(self.specifier, &value),
                }
            }
            'c' => with('c', &char::from(words.word()? as u8)),
            'p' => with('s', &format!("{:#x}", words.word()?)),
            's' => with('s', &words.string()),
            'f' | 'F' | 'e' | 'E' | 'g' | 'G' => with(self.specifier, &f64::from_bits(words.word()?)),
            _ => {
                words.word()?;
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(text: &str) -> Vec<u64> {
        let mut bytes = text.as_bytes().to_vec();
        bytes.push(0);
        bytes.resize(bytes.len().next_multiple_of(8), 0);
        bytes.chunks_exact(8).filter_map(|word| word.try_into().ok()).map(u64::from_le_bytes).collect()
    }

    #[track_caller]
    fn check(format: &str, arguments: &[u64], expected: &str) {
        let message = [vec![0], packed(format), arguments.to_vec()].concat();
        assert_eq!(printed(&message), Printed { stream: Stream::Stdout, text: expected.to_owned() });
    }

    #[test]
    fn numbers_have_their_length() {
        check(
            "%d %i %u|%5d|%-5d|%05d",
            &[u64::MAX, 0xffff_fffe, u64::MAX, 7, 7, 7],
            "-1 -2 4294967295|    7|7    |00007",
        );
        check("%lld %llu %hhd %hu", &[u64::MAX, u64::MAX, 0x180, 0x1_0003], "-1 18446744073709551615 -128 3");
        check("%x %#X %p %*d", &[255, 255, 4096, 4, 9], "ff 0XFF 0x1000    9");
    }

    #[test]
    fn floats_and_strings() {
        check(
            "%f %.2f %e %g",
            &[1.5f64, 2.25, 1000.0, 0.5].map(f64::to_bits),
            "1.500000 2.25 1.000000e+03 0.5",
        );
        let mut arguments = packed("eight by8");
        arguments.push(3);
        check("%s, %d %%\n", &arguments, "eight by8, 3 %\n");
    }

    #[test]
    fn what_is_no_conversion_stays() {
        check("100%", &[], "100%");
        check("%d and %y", &[], "%d and %y");
        assert_eq!(printed(&[]).text, "");
        let message = [vec![1], packed("oh")].concat();
        assert_eq!(printed(&message).stream, Stream::Stderr);
    }
}
