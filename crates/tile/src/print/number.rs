//! How TVMScript writes numbers and strings.
//!
//! Floats follow TVM's printers: both use C's `%.17g`, which is exact, but the new one writes whole numbers as
//! `%.1f` (`2.0`) where the old one leaves the point out (`2`). Infinities and NaN are strings: `"inf"`.

use std::fmt::Write;

use crate::function::Dialect;

/// The literal of a floating-point value, without the `T.float32(...)` around it.
pub(super) fn float(value: f64, dialect: Dialect) -> String {
    if value.is_nan() {
        "\"nan\"".into()
    } else if value.is_infinite() {
        if value > 0.0 { "\"inf\"".into() } else { "\"-inf\"".into() }
    } else if dialect == Dialect::New && value.trunc() == value {
        format!("{value:.1}")
    } else {
        general(value)
    }
}

/// C's `%.17g`: 17 significant digits without trailing zeros, scientific below 1e-4 and from 1e17.
fn general(value: f64) -> String {
    let scientific = format!("{value:.16e}");
    let Some((digits, exponent)) = scientific.split_once('e') else { return scientific };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..17).contains(&exponent) {
        let decimals = usize::try_from(16 - exponent).unwrap_or(0);
        let fixed = format!("{value:.decimals$}");
        return if decimals > 0 { strip_zeros(&fixed).to_string() } else { fixed };
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", strip_zeros(digits), exponent.unsigned_abs())
}

/// Without trailing zeros of the fraction, and without the point when nothing is left of it.
fn strip_zeros(text: &str) -> &str {
    text.trim_end_matches('0').trim_end_matches('.')
}

/// A string literal. Control characters are escaped as Python reads them back.
pub(super) fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if u32::from(c) < 0x20 || c == '\u{7f}' => {
                let _ = write!(out, "\\x{:02x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::{float, quote};
    use crate::function::Dialect::{New, Old};

    #[test]
    fn floats_as_tvm_writes_them() {
        for (value, new, old) in [
            (2.0, "2.0", "2"),
            (-0.0, "-0.0", "-0"),
            (0.1, "0.10000000000000001", "0.10000000000000001"),
            (1.5e-7, "1.4999999999999999e-07", "1.4999999999999999e-07"),
            (1e-30, "1.0000000000000001e-30", "1.0000000000000001e-30"),
            (0.0001, "0.0001", "0.0001"),
            (123456.789, "123456.789", "123456.789"),
            (16777216.5, "16777216.5", "16777216.5"),
            (1e30, "1000000000000000019884624838656.0", "1.0000000000000000e+30"),
            (100.0, "100.0", "100"),
            (f64::INFINITY, "\"inf\"", "\"inf\""),
            (f64::NEG_INFINITY, "\"-inf\"", "\"-inf\""),
            (f64::NAN, "\"nan\"", "\"nan\""),
        ] {
            assert_eq!(float(value, New), new);
            // `%g` strips the zeros that the table writes for clarity.
            assert_eq!(float(value, Old), old.replace("1.0000000000000000e", "1e"));
        }
    }

    #[test]
    fn strings() {
        assert_eq!(quote("a\"b\\\n\u{1}é"), "\"a\\\"b\\\\\\n\\x01é\"");
    }
}
