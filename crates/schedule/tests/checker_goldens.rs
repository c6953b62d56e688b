//! The checker on what TVM makes of pipelines: right ones are proven, wrong ones get the finding that says why.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use expect_test::{Expect, expect};
use wavemark_diag::SourceMap;
use wavemark_schedule::checker::{Instance, Report, Verdict, check};

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

/// Reports on the functions of a module, and how long the checker took.
fn reports(path: &PathBuf) -> (SourceMap, Vec<Report>, Duration) {
    let text = std::fs::read_to_string(path).unwrap();
    let mut sources = SourceMap::new();
    let file = sources.add_text("k.py", text.clone());
    let module = wavemark_frontend::parse(file, &text).unwrap_or_else(|problems| {
        panic!("{}: {:?}", path.display(), problems.iter().map(|one| &one.message).collect::<Vec<_>>())
    });
    let start = Instant::now();
    let reports = module.functions.iter().map(check).collect();
    (sources, reports, start.elapsed())
}

/// One line a finding: rule, producer and consumer by block or buffer with their lines, the wait's count and what would do.
fn summary(sources: &SourceMap, report: &Report) -> String {
    let mut text = String::new();
    let name = |instance: &Instance| {
        let place = instance.place.span.and_then(|span| sources.line_column(span));
        let what = instance.place.stores.clone().unwrap_or_else(|| instance.place.block.clone());
        let at = instance.place.iteration(&instance.iteration);
        format!(
            "{what}:{}{}",
            place.map_or(0, |place| place.line),
            if at.is_empty() { at } else { format!(" ({at})") }
        )
    };
    for finding in &report.findings {
        _ = write!(text, "{} {}", finding.rule.id(), name(&finding.producer));
        if let Some(consumer) = &finding.consumer {
            _ = write!(text, " -> {}", name(consumer));
        }
        if let Some(blame) = &finding.blame {
            _ = write!(text, ", wait #{}: {} instead of {}", blame.wait, blame.count, blame.sufficient);
        }
        if finding.queue_order {
            text.push_str(", by the order of the queue");
        }
        text.push('\n');
    }
    text
}

/// What is wrong with TVM's output of `case`: after simplification, as TVM prints it. B1 … B7 are the defects of its
/// pass that it comes from.
fn defects(case: &str) -> Option<Expect> {
    Some(match case {
        // B1: the prologue commits two producers at once, the body each by itself.
        "rfc_interleaved_producers" => expect![[r#"
            A1 A_shared:26 (i = 0) -> C:42 (i = 0), wait #0: 5 instead of 3
            A1 B_shared:28 (i = 0) -> C:42 (i = 0), wait #0: 5 instead of 3
        "#]],
        // B2: producers after the consumer are counted as two groups and committed as one.
        "edge_grouped_interleave_4" => expect![[r#"
            A1 A0:28 (i = 0) -> C:51 (i = 0), wait #0: 4 instead of 2
            A1 A1:30 (i = 0) -> C:51 (i = 0), wait #0: 4 instead of 2
            A1 B0:32 (i = 0) -> C:51 (i = 0), wait #0: 4 instead of 2
            A1 B1:34 (i = 0) -> C:51 (i = 0), wait #0: 4 instead of 2
            A1 B0:57 (i = 0) -> C:51 (i = 2), wait #0: 4 instead of 3
            A1 B1:59 (i = 0) -> C:51 (i = 2), wait #0: 4 instead of 3
        "#]],
        // B3: the second consumer's wait was merged into one before a commit.
        "edge_coalesce_across_commit" => expect![[r#"
            A1 W:24 (i = 1) -> D:48 (i = 0), wait #1: 1 instead of 0
            A1 W:44 (i = 0) -> D:48 (i = 1), wait #1: 1 instead of 0
        "#]],
        // B4: the ring has no room for readers that are asynchronous themselves.
        "rfc_three_stage_two_async" => expect![[r#"
            A2 C:31 (i = 1) -> B:40 (i = 0)
            A2 C:45 (i = 0) -> B:40 (i = 1), wait #2: 1 instead of 0
        "#]],
        "edge_async_all" => expect![[r#"
            A2 C:34 (i = 0) -> B:29 (i = 1)
        "#]],
        "edge_three_stage_interleaved_two_async" => expect![[r#"
            A2 C:26 (i = 1) -> B:31 (i = 1)
            A2 C:45 (i = 0) -> B:50 (i = 0)
        "#]],
        // B5: counts that miss the loop's minimum.
        "edge_min3_async" => expect![[r#"
            A6 B:29 (i = 17) -> C:39, wait #1: -3 instead of 0
        "#]],
        "edge_min3_async_s3" => expect![[r#"
            A6 B:33 (i = 13) -> C:47 (i = 3), wait #1: -1 instead of 2
        "#]],
        "edge_min20_ext4_async" => expect![[r#"
            A6 B:33 (i = 20) -> C:47 (i = 20), wait #1: -19 instead of 1
        "#]],
        // B5: so do access pointers: the consumer reads the slot that is being written.
        "edge_access_ptr_min3" => expect![[r#"
            A1 B:37 (i = 3) -> c:42 (i = 3), wait #0: 1 instead of 0
        "#]],
        // B6: a group with a foreign member, and an operation outside any.
        "edge_unrelated_split_silent" => expect![[r#"
            A3 D:40
            A1 W:24 (i = 1) -> C:50 (i = 0), wait #1: 1 instead of 0
            A1 W:35 -> C:50 (i = 1), by the order of the queue
        "#]],
        // B7: copies and their asynchronous reader in one group. (The golden passes where members run in order.)
        "rfc_gemm_nested_bad_stage" => expect![[r#"
            A5 A_shared:32 (k0 = 0) -> A_local:47 (k0 = 0)
            A5 B_shared:38 (k0 = 0) -> B_local:55 (k0 = 0)
        "#]],
        _ => return None,
    })
}

#[test]
fn goldens_of_the_pass() {
    let Some(goldens) = shared() else { return };
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(goldens.join("tvm")).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut loose = String::new();
    let mut checked = 0;
    let mut slowest = Duration::ZERO;
    for path in paths {
        let file = path.file_name().unwrap().to_string_lossy().into_owned();
        let Some((case, _)) = file.split_once(".after") else { continue };
        checked += 1;
        let (sources, reports, took) = reports(&path);
        slowest = slowest.max(took);
        for report in &reports {
            assert_eq!(report.not_proven, [], "{file}");
            let found = summary(&sources, report);
            let simplified = file.contains("_simplified");
            match defects(case) {
                Some(expected) if simplified => expected.assert_eq(&found),
                Some(_) => assert!(report.has_errors(), "{file}"),
                None => assert_eq!(found, "", "{file}"),
            }
            for (index, wait) in report.waits.iter().enumerate().filter(|_| simplified) {
                if matches!(wait.verdict, Verdict::TooStrong | Verdict::Redundant) {
                    let bests: Vec<String> = wait
                        .instances
                        .iter()
                        .take(4)
                        .map(|one| one.best.map_or("any".to_owned(), |best| best.to_string()))
                        .collect();
                    let (least, most) = wait.counts.unwrap_or_default();
                    _ = writeln!(
                        loose,
                        "{case} #{index}: {:?}, {least}..={most}, best {}",
                        wait.verdict,
                        bests.join(" ")
                    );
                }
            }
        }
    }
    println!("{checked} goldens checked, the slowest in {slowest:?}");
    assert!(checked > 0);
    // Right, and slower than need be.
    expect![[r#"
        edge_access_ptr_min3 #1: Redundant, -3..=-3, best any
        edge_block_predicate_producer #1: Redundant, 0..=1, best any any
        edge_grouped_interleave_4 #1: TooStrong, 0..=1, best 2 0
        edge_min20_ext4_async #1: TooStrong, -20..=-19, best 1 0
        edge_min3_async_s3 #1: TooStrong, -3..=-1, best 2 1 0
        edge_partial_consume_groups #1: TooStrong, 0..=1, best 2 0
        rfc_gemm_nested_bad_stage #0: Redundant, 0..=0, best any any any
        rfc_interleaved_producers #1: TooStrong, 0..=2, best 4 2 0
    "#]]
    .assert_eq(&loose);
}

#[test]
fn random_pipelines_of_the_pass() {
    let Some(goldens) = shared() else { return };
    let folder = goldens.join("tvm-fuzz");
    let manifest = std::fs::read_to_string(folder.join("manifest.json")).unwrap();
    let cases: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    let mut checked = 0;
    for entry in cases.as_array().unwrap() {
        let case = entry["case"].as_str().unwrap();
        let path = folder.join(format!("{case}.after_simplified.py.txt"));
        if !path.is_file() {
            continue;
        }
        checked += 1;
        let (sources, reports, _) = reports(&path);
        for report in &reports {
            assert_eq!(report.not_proven, [], "{case}");
            let wrong = entry["result"] == "wrong";
            assert_eq!(report.has_errors(), wrong, "{case}: {entry}\n{}", summary(&sources, report));
        }
    }
    println!("{checked} random pipelines checked");
    assert!(checked > 0);
}
