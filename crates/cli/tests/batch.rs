//! Several inputs in one command, what counts as an error, what is accepted, and the forms of the report.

use std::path::Path;
use std::process::Command;

/// Runs `wavemark` in the folder of examples: exit status and standard output.
fn run(arguments: &[&str]) -> (i32, String) {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    let output =
        Command::new(env!("CARGO_BIN_EXE_wavemark")).args(arguments).current_dir(folder).output().unwrap();
    (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
}

const WEAK: &str = "pipelined_copy_too_weak";
const STRONG: &str = "pipelined_copy_too_strong";
const RIGHT: &str = "pipelined_copy";

#[test]
fn folders_and_files_give_one_report_and_the_worst_status() {
    let (status, text) = run(&["run", RIGHT, STRONG, WEAK]);
    assert_eq!(status, 1, "{text}");
    assert!(text.ends_with("\n3 inputs: 2 clean, 1 findings\n"), "{text}");
    let (status, text) = run(&["run", RIGHT, STRONG]);
    assert_eq!(status, 0, "{text}");
    let (status, text) = run(&["check", RIGHT, "absent.s"]);
    assert_eq!(status, 2, "{text}");
    assert!(text.contains("error: cannot read absent.s") && text.contains("1 clean, 1 error"), "{text}");
    assert_eq!(run(&["run", "../docs"]).0, 2);
    assert_eq!(run(&["run", RIGHT, WEAK, "--out", "nowhere"]).0, 2);
}

#[test]
fn json_has_a_line_for_each_input() {
    let (status, text) = run(&["run", RIGHT, WEAK, "--format", "json"]);
    assert_eq!(status, 1);
    let reports: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(reports.len(), 2);
    assert_eq!((&reports[0]["outcome"], &reports[1]["outcome"]), (&"clean".into(), &"findings".into()));
    let instructions = &reports[0]["coverage"]["instructions"];
    assert!(instructions["executed"].as_u64() > Some(10), "{instructions}");
    assert_eq!(instructions["executed"], instructions["total"]);
}

/// A program that reads the report gets one of a command that cannot be used, too.
#[test]
fn json_of_what_cannot_be_used() {
    for arguments in [&["run", RIGHT, "--check", "nonsense"][..], &["run", "../docs"], &["run", "absent.s"]] {
        let (status, text) = run(&[arguments, &["--format", "json"]].concat());
        let report: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!((status, &report["outcome"]), (2, &"error".into()), "{arguments:?}: {text}");
    }
}

/// What a kernel reaches outside of its symbol counts as well.
#[test]
fn nothing_to_check_is_said_of_all_that_ran() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kernel.s");
    for (far, outcome) in [("\tds_write_b32 v1, v0\n", "clean"), ("", "nothing-to-check")] {
        let text = format!(
            "\t.amdgcn_target \"amdgcn-amd-amdhsa--gfx950\"\n\t.globl k\n\t.p2align 8\n\t.type k,@function\nk:\n\
             \tv_lshlrev_b32 v1, 2, v0\n\ts_branch .Lfar\n.Lend:\n\t.size k, .Lend-k\n.Lfar:\n{far}\
             \ts_waitcnt lgkmcnt(0)\n\ts_endpgm\n\t.rodata\n\t.p2align 6\n\t.amdhsa_kernel k\n\
             \t.amdhsa_next_free_vgpr 8\n\t.amdhsa_accum_offset 8\n\t.amdhsa_next_free_sgpr 8\n\
             \t.amdhsa_group_segment_fixed_size 256\n\t.end_amdhsa_kernel\n"
        );
        std::fs::write(&path, text).unwrap();
        let (status, text) = run(&["run", &path.display().to_string(), "--format", "json"]);
        let report: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!((status, &report["outcome"]), (0, &outcome.into()), "{text}");
    }
}

#[test]
fn denied_advice_is_an_error() {
    assert_eq!(run(&["run", STRONG]).0, 0);
    assert_eq!(run(&["run", STRONG, "--deny", "warnings"]).0, 0);
    let (status, text) = run(&["run", STRONG, "--deny", "advice", "--quiet"]);
    assert_eq!(status, 1);
    assert!(text.starts_with("advice[W2]") && !text.contains("checked:"), "{text}");
    assert_eq!(run(&["run", RIGHT, "--quiet"]), (0, String::new()));
}

#[test]
fn a_baseline_accepts_with_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let baseline = folder.path().join("baseline.toml");
    let with = |entry: &str| {
        std::fs::write(&baseline, entry).unwrap();
        run(&["run", WEAK, "--baseline", &Path::new(&baseline).display().to_string()])
    };
    let (status, text) = with("[[accept]]\nrule = \"R4\"\nreason = \"shown in the guide\"\n");
    assert_eq!(status, 0, "{text}");
    assert!(text.contains("accepted[R4]") && text.contains("(shown in the guide)"), "{text}");
    let (status, text) = with("[[accept]]\nrule = \"R1\"\nreason = \"no such thing\"\n");
    assert_eq!(status, 1);
    assert!(text.contains("no finding is R1 of the baseline"), "{text}");
    assert_eq!(with("[[accept]]\nrule = \"R4\"\n").0, 2);
}

#[test]
fn build_servers_read_the_reports() {
    let (status, text) = run(&["run", RIGHT, WEAK, "--format", "junit"]);
    assert_eq!(status, 1);
    assert!(text.contains("tests=\"2\"") && text.contains("failures=\"1\""), "{text}");
    let (_, text) = run(&["run", WEAK, "--format", "sarif"]);
    let page = tempfile::tempdir().unwrap();
    let page = page.path().join("report.html");
    assert_eq!(run(&["run", RIGHT, WEAK, "--quiet", "--report", &page.display().to_string()]).0, 1);
    let html = std::fs::read_to_string(&page).unwrap();
    assert!(html.contains("error[R4]") && html.contains("s_wait_asynccnt 0x2"), "{html}");
    let sarif: serde_json::Value = serde_json::from_str(&text).unwrap();
    let rule = &sarif["runs"][0]["tool"]["driver"]["rules"][0];
    assert_eq!(rule["id"], "R4");
    assert!(rule["help"]["markdown"].as_str().unwrap().starts_with("# R4: "));
    assert_eq!(sarif["runs"][0]["results"][0]["ruleIndex"], 0);
    assert_eq!(rule["helpUri"], serde_json::Value::Null);
    let guided = ["run", WEAK, "--format", "sarif", "--guide-url", "https://example.org/guide"];
    let (_, text) = run(&guided);
    let page = format!("https://example.org/guide/rules/{}.html", rule["id"].as_str().unwrap());
    assert!(text.contains(&format!("\"helpUri\": \"{page}\"")), "{text}");
    assert_eq!(run(&["run", WEAK, "--guide-url", "somewhere"]).0, 2);
}
