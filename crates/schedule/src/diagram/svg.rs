//! Writing SVG: elements with escaped attributes and texts.

use std::fmt::{Display, Write};

/// A document that grows.
pub struct Svg {
    text: String,
}

/// The text as XML character data; characters that XML does not allow become U+FFFD.
fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' => out.push(c),
            '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
}

impl Svg {
    /// An empty picture of this size.
    pub fn new(width: f64, height: f64, title: &str, description: &str) -> Svg {
        let mut svg = Svg { text: String::new() };
        let (w, h) = (Number(width), Number(height));
        _ = writeln!(
            svg.text,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" role=\"img\" \
             font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\">"
        );
        svg.leaf("title", &[], title);
        svg.leaf("desc", &[], description);
        svg
    }

    fn leaf(&mut self, name: &str, attributes: &[(&str, &dyn Display)], content: &str) {
        _ = write!(self.text, "<{name}");
        for (key, value) in attributes {
            _ = write!(self.text, " {key}=\"");
            escape(&value.to_string(), &mut self.text);
            self.text.push('"');
        }
        if content.is_empty() {
            self.text.push_str("/>\n");
        } else {
            self.text.push('>');
            escape(content, &mut self.text);
            _ = writeln!(self.text, "</{name}>");
        }
    }

    /// A text at a place; `anchor` is `start`, `middle` or `end`.
    pub fn text(&mut self, x: f64, y: f64, anchor: &str, fill: &str, size: f64, content: &str) {
        self.styled_text(x, y, anchor, fill, size, "normal", content);
    }

    /// As [`Svg::text`], with a weight.
    pub fn styled_text(
        &mut self,
        x: f64,
        y: f64,
        anchor: &str,
        fill: &str,
        size: f64,
        weight: &str,
        content: &str,
    ) {
        let attributes: [(&str, &dyn Display); 6] = [
            ("x", &Number(x)),
            ("y", &Number(y)),
            ("text-anchor", &anchor),
            ("fill", &fill),
            ("font-size", &Number(size)),
            ("font-weight", &weight),
        ];
        let count = if weight == "normal" { 5 } else { 6 };
        self.leaf("text", &attributes[..count], if content.is_empty() { " " } else { content });
    }

    /// A rectangle with rounded corners.
    pub fn rect(
        &mut self,
        x: f64,
        y: f64,
        width: f64,
        height: f64,
        radius: f64,
        fill: &str,
        stroke: &str,
        dash: bool,
    ) {
        let attributes: [(&str, &dyn Display); 8] = [
            ("x", &Number(x)),
            ("y", &Number(y)),
            ("width", &Number(width.max(0.0))),
            ("height", &Number(height)),
            ("rx", &Number(radius)),
            ("fill", &fill),
            ("stroke", &stroke),
            ("stroke-dasharray", &"3 2"),
        ];
        self.leaf("rect", &attributes[..if dash { 8 } else { 7 }], "");
    }

    /// A path.
    pub fn path(&mut self, d: &str, stroke: &str, width: f64, dash: Option<&str>, fill: &str) {
        let dash = dash.unwrap_or("none");
        self.leaf(
            "path",
            &[
                ("d", &d),
                ("stroke", &stroke),
                ("stroke-width", &Number(width)),
                ("stroke-dasharray", &dash),
                ("fill", &fill),
            ],
            "",
        );
    }

    /// The document.
    pub fn finish(mut self) -> String {
        self.text.push_str("</svg>\n");
        self.text
    }
}

/// A coordinate with at most one decimal.
pub struct Number(pub f64);

impl Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let rounded = (self.0 * 10.0).round() / 10.0;
        if rounded.fract() == 0.0 { write!(f, "{rounded:.0}") } else { write!(f, "{rounded:.1}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped() {
        let mut svg = Svg::new(10.0, 5.5, "a<b & \"c\"\u{1}", "");
        svg.text(1.0, 2.25, "start", "#000", 12.0, "</text>");
        let text = svg.finish();
        assert!(text.contains("<title>a&lt;b &amp; &quot;c&quot;\u{fffd}</title>"), "{text}");
        assert!(text.contains(">&lt;/text&gt;</text>"), "{text}");
        assert!(text.contains("y=\"2.3\"") && text.contains("height=\"5.5\""), "{text}");
    }
}
