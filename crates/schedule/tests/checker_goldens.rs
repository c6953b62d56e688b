//! The checker on what TVM makes of pipelines: right ones are proven, wrong ones get the finding that says why.

use std::fmt::Write as _;
use std::path::PathBuf;

use wavemark_diag::SourceMap;
use wavemark_schedule::checker::{Report, check};

fn shared() -> Option<PathBuf> {
    let root = std::env::var_os("WAVEMARK_SHARED")
        .map(PathBuf::from)
        .unwrap_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared")));
    let goldens = root.join("goldens");
    if !goldens.is_dir() {
        println!("skipped: no goldens in {} (WAVEMARK_SHARED)", goldens.display());
        return None;
    }
    Some(goldens)
}

fn reports(path: &PathBuf) -> (SourceMap, Vec<Report>) {
    let text = std::fs::read_to_string(path).unwrap();
    let mut sources = SourceMap::new();
    let file = sources.add_text("k.py", text.clone());
    let module = wavemark_frontend::parse(file, &text).unwrap_or_else(|problems| {
        panic!("{}: {:?}", path.display(), problems.iter().map(|one| &one.message).collect::<Vec<_>>())
    });
    let reports = module.functions.iter().map(check).collect();
    (sources, reports)
}

fn summary(sources: &SourceMap, report: &Report) -> String {
    let mut text = String::new();
    let line = |span: Option<wavemark_diag::Span>| {
        span.and_then(|span| sources.line_column(span)).map_or(0, |place| place.line)
    };
    for finding in &report.findings {
        _ = write!(
            text,
            "{} {}@{} [{}]",
            finding.rule.id(),
            finding.producer.place.describe(),
            line(finding.producer.place.span),
            finding.producer.place.iteration(&finding.producer.iteration),
        );
        if let Some(consumer) = &finding.consumer {
            _ = write!(
                text,
                " -> {}@{} [{}]",
                consumer.place.describe(),
                line(consumer.place.span),
                consumer.place.iteration(&consumer.iteration),
            );
        }
        if let Some(blame) = &finding.blame {
            _ = write!(text, " wait {} of {} should be {}", blame.wait, blame.count, blame.sufficient);
        }
        _ = writeln!(text, " ({} times, here {:?})", finding.instances, finding.sufficient_here);
    }
    for wait in &report.waits {
        _ = writeln!(
            text,
            "wait q{:?} {:?} best {:?} {:?} ({} times)",
            wait.queue, wait.counts, wait.best, wait.verdict, wait.executions
        );
    }
    for one in &report.not_proven {
        _ = writeln!(text, "not proven: {}", one.reason);
    }
    for one in &report.steady {
        _ = writeln!(
            text,
            "steady {} from {} period {} skipped {}",
            one.variable, one.from, one.period, one.skipped
        );
    }
    if let Some(symbols) = &report.symbols {
        _ = writeln!(text, "{symbols:?}");
    }
    text
}

#[test]
fn dump() {
    let Some(goldens) = shared() else { return };
    for folder in ["tvm", "tvm-fuzz"] {
        let mut paths: Vec<PathBuf> =
            std::fs::read_dir(goldens.join(folder)).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        for path in paths.iter().filter(|path| path.to_string_lossy().contains(".after")) {
            let (sources, reports) = reports(path);
            println!("== {}", path.file_name().unwrap().to_string_lossy());
            for report in &reports {
                println!("{}", summary(&sources, report));
            }
        }
    }
}
