//! Diagnostics as text, for the doors: with the source lines (by `annotate-snippets`), or one line each.

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet, normalize_untrusted_str};

use crate::source::floor_char_boundary;
use crate::{Diagnostic, FileId, Label, Severity, SourceMap};

/// Whether the text carries terminal colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Text only.
    Plain,
    /// ANSI colours.
    Colour,
}

/// `name:line:column: severity: message`, one line, without notes.
pub fn render_short(sources: &SourceMap, diagnostic: &Diagnostic) -> String {
    let place = diagnostic.span().map(|span| sources.location(span) + ": ").unwrap_or_default();
    format!("{place}{}: {}", diagnostic.severity.name(), normalize_untrusted_str(&diagnostic.message))
}

/// The message, the source lines it points to, notes and help; ends without a line end.
pub fn render(sources: &SourceMap, diagnostic: &Diagnostic, style: Style) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Advice => Level::INFO.with_name("advice"),
    };
    let title = level.primary_title(normalize_untrusted_str(&diagnostic.message));
    let mut group = Group::with_title(title);

    let mut files: Vec<FileId> = Vec::new();
    for label in diagnostic.primary.as_deref().into_iter().chain(&diagnostic.labels) {
        if !files.contains(&label.span.file) {
            files.push(label.span.file);
        }
    }
    for file in files {
        let Some(source) = sources.get(file) else { continue };
        let primary = diagnostic.primary.as_deref().into_iter().map(|label| (AnnotationKind::Primary, label));
        let others = diagnostic.labels.iter().map(|label| (AnnotationKind::Context, label));
        let here = primary.chain(others).filter(|(_, label)| label.span.file == file);
        match source.text() {
            Some(text) => {
                // The lines between the labels are all that is looked at: texts are long, and may have many mistakes.
                let here: Vec<_> = here.map(|(kind, label)| (kind, text_range(text, label), label)).collect();
                let start = here.iter().map(|(_, range, _)| range.start).min().unwrap_or(0);
                let end = here.iter().map(|(_, range, _)| range.end).max().unwrap_or(start);
                let (line, lines) = source.lines_with(start..end);
                let shown = &text[lines.clone()];
                let mut snippet = Snippet::source(shown).path(source.name()).line_start(line);
                for (kind, range, label) in here {
                    let remark = Some(label.message.as_str()).filter(|remark| !remark.is_empty());
                    let range = range.start - lines.start..range.end - lines.start;
                    snippet = snippet.annotation(kind.span(range).label(remark));
                }
                group = group.element(snippet);
            }
            None => {
                for (_, label) in here {
                    group = group.element(Origin::path(sources.location(label.span)));
                    if !label.message.is_empty() {
                        group = group.element(Level::NOTE.message(label.message.as_str()));
                    }
                }
            }
        }
    }
    for note in &diagnostic.notes {
        group = group.element(Level::NOTE.message(note.as_str()));
    }
    for help in &diagnostic.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }

    let renderer = match style {
        Style::Plain => Renderer::plain(),
        Style::Colour => Renderer::styled(),
    };
    renderer.render(&[group])
}

/// The label's range, moved inside the text and onto character boundaries.
fn text_range(text: &str, label: &Label) -> std::ops::Range<usize> {
    let start = floor_char_boundary(text, label.span.start as usize);
    let end = floor_char_boundary(text, label.span.end as usize).max(start);
    start..end
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::Span;

    fn check(diagnostic: impl FnOnce(FileId, FileId) -> Diagnostic, expect: Expect) {
        let mut sources = SourceMap::new();
        let text = sources.add_text("k.s", "one\n\ts_nop 99999\r\nlast ñ");
        let binary = sources.add_binary("k.o");
        let diagnostic = diagnostic(text, binary);
        let short = render_short(&sources, &diagnostic);
        expect.assert_eq(&format!("{short}\n{}\n", render(&sources, &diagnostic, Style::Plain)));
    }

    #[test]
    fn text_with_labels() {
        check(
            |text, _| {
                Diagnostic::error("immediate out of range")
                    .at_with(Span::new(text, 11..16), "at most 65535")
                    .label(Span::new(text, 5..10), "of this instruction")
                    .note("simm16")
                    .help("use two")
            },
            expect![[r#"
                k.s:2:8: error: immediate out of range
                error: immediate out of range
                 --> k.s:2:8
                  |
                2 |     s_nop 99999
                  |     ----- ^^^^^ at most 65535
                  |     |
                  |     of this instruction
                  |
                  = note: simm16
                  = help: use two
            "#]],
        );
    }

    #[test]
    fn spans_outside_and_inside_characters() {
        check(
            |text, _| Diagnostic::warning("end").at(Span::new(text, 500..900)),
            expect![[r#"
            k.s:3:7: warning: end
            warning: end
             --> k.s:3:7
              |
            3 | last ñ
              |       ^
        "#]],
        );
        check(
            |text, _| Diagnostic::warning("inside").at(Span::new(text, 24..25)),
            expect![[r#"
            k.s:3:6: warning: inside
            warning: inside
             --> k.s:3:6
              |
            3 | last ñ
              |      ^
        "#]],
        );
    }

    #[test]
    fn binary_and_placeless() {
        check(
            |_, binary| {
                Diagnostic::error("section header is outside the file")
                    .at_with(Span::new(binary, 40..44), "e_shoff")
            },
            expect![[r#"
                k.o:0x28: error: section header is outside the file
                error: section header is outside the file
                --> k.o:0x28
                 = note: e_shoff
            "#]],
        );
        check(
            |_, _| Diagnostic::error("cannot read k.s: no such file"),
            expect![[r#"
            error: cannot read k.s: no such file
            error: cannot read k.s: no such file
        "#]],
        );
    }
}
