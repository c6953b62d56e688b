//! `--trace` and `--report`: what they show of a run, as a reader of JSON and a browser see it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

#[path = "seeing/browser.rs"]
mod browser;

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)
}

/// Runs an example and gives what `option` wrote.
fn written(name: &str, option: &str, file: &Path) -> String {
    let folder = example(name);
    written_of(&folder.join("kernel.s"), &folder.join("launch.toml"), option, file)
}

/// Runs a kernel and gives what `option` wrote.
fn written_of(kernel: &Path, launch: &Path, option: &str, file: &Path) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_wavemark"))
        .arg("run")
        .arg(kernel)
        .arg("--launch")
        .arg(launch)
        .arg(option)
        .arg(file)
        .output()
        .expect("wavemark can be started");
    let status = output.status.code();
    assert!(status.is_some_and(|status| status < 2), "{}", String::from_utf8_lossy(&output.stderr));
    std::fs::read_to_string(file).expect("the file is written")
}

/// The events of an example's trace, after what must hold of every trace.
fn trace(name: &str) -> Vec<Value> {
    let folder = tempfile::tempdir().expect("a folder");
    events(name, &written(name, "--trace", &folder.path().join("trace.json")))
}

/// The events of a trace, after what must hold of every trace.
fn events(name: &str, text: &str) -> Vec<Value> {
    for of_rust in ["Some(", "None", "::", "{ ", "WaveId"] {
        assert!(!text.contains(of_rust), "{of_rust:?} is in the trace of {name}");
    }
    let mut trace: Value = serde_json::from_str(text).expect("JSON");
    let Value::Array(events) = trace["traceEvents"].take() else { panic!("no events") };
    let number = |event: &Value, key: &str| event[key].as_u64().unwrap_or_else(|| panic!("{key} of {event}"));
    let place = |event: &Value| (number(event, "pid"), number(event, "tid"));
    let mut named = BTreeMap::new();
    let mut open = BTreeMap::new();
    let mut slices: BTreeMap<_, Vec<(u64, u64)>> = BTreeMap::new();
    for event in &events {
        let kind = event["ph"].as_str().expect("a phase");
        assert!(!event["name"].as_str().expect("a name").is_empty(), "{event}");
        match kind {
            "M" => {
                if event["name"] == "thread_name" {
                    named.insert(place(event), event["args"]["name"].as_str().expect("a name").to_owned());
                }
            }
            "b" => {
                let begun = (event["name"].clone(), event["cat"].clone(), number(event, "ts"));
                assert!(open.insert(number(event, "id"), begun).is_none(), "begun twice: {event}");
            }
            "e" => {
                let (name, cat, start) = open.remove(&number(event, "id")).expect("it was begun");
                assert_eq!((&name, &cat), (&event["name"], &event["cat"]));
                assert!(start <= number(event, "ts"), "{event}");
            }
            "X" => {
                let start = number(event, "ts");
                slices.entry(place(event)).or_default().push((start, start + number(event, "dur")));
            }
            "C" => assert!(event["args"]["operations"].is_u64(), "{event}"),
            "i" => assert_eq!(event["s"], "t", "{event}"),
            other => panic!("the phase {other}"),
        }
    }
    assert!(open.is_empty(), "not ended: {open:?}");
    for (place, mut slices) in slices {
        assert!(named.contains_key(&place), "{place:?} has no name");
        // Of one track, one slice lies within another, or beside it.
        slices.sort_by_key(|&(start, end)| (start, std::cmp::Reverse(end)));
        let mut around: Vec<u64> = Vec::new();
        for (start, end) in slices {
            around.retain(|&until| until > start);
            assert!(around.iter().all(|&until| end <= until), "slices overlap on {}", named[&place]);
            around.push(end);
        }
    }
    events
}

fn count(events: &[Value], wanted: impl Fn(&Value) -> bool) -> usize {
    events.iter().filter(|event| wanted(event)).count()
}

#[test]
fn traces() {
    // 4 workgroups of 2 waves copy 8 tiles each.
    let events = trace("pipelined_copy");
    let name =
        |event: &Value, start: &str| event["name"].as_str().is_some_and(|name| name.starts_with(start));
    assert_eq!(count(&events, |event| event["name"] == "process_name"), 4);
    assert_eq!(count(&events, |event| event["cat"] == "wave"), 8);
    let copies = |event: &Value| event["ph"] == "b" && event["cat"] == "asynchronous load";
    assert_eq!(count(&events, copies), 4 * 2 * 8);
    assert_eq!(count(&events, |event| event["cat"] == "LDS in flight"), 4 * 2 * 8);
    assert!(count(&events, |event| event["ph"] == "X" && name(event, "wait for workgroup barrier")) >= 8);
    let waits = count(&events, |event| event["cat"] == "wait" && name(event, "s_wait_asynccnt"));
    assert!(waits >= 8 * 8, "{waits}");
    let lds = |event: &Value| event["args"]["name"].as_str().is_some_and(|name| name.starts_with("LDS 0x"));
    assert!(count(&events, |event| event["name"] == "thread_name" && lds(event)) >= 3 * 2);
    let counters = |event: &Value| event["ph"] == "C" && name(event, "in flight, wave 1: asynchronous load");
    assert!(count(&events, counters) >= 4 * 16);
    assert!(count(&events, |event| event["cat"] == "fault") == 0);

    for name in ["cluster_multicast", "named_barriers", "pipelined_copy_gfx950", "pipelined_copy_too_weak"] {
        trace(name);
    }
}

/// A kernel in IR: two waves copy to LDS, wait for a mark and meet at a barrier.
const IN_IR: &str = r#"
target triple = "amdgpu9.50-amd-amdhsa"
@lds = internal addrspace(3) global [128 x i32] poison, align 16
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.global.load.async.lds(ptr addrspace(1), ptr addrspace(3), i32 immarg, i32 immarg, i32 immarg)
declare void @llvm.amdgcn.asyncmark()
declare void @llvm.amdgcn.wait.asyncmark(i16 immarg)
declare void @llvm.amdgcn.s.barrier()
define amdgpu_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %from = getelementptr i32, ptr addrspace(1) %in, i32 %x
  %wave = and i32 %x, 64
  %base = getelementptr i32, ptr addrspace(3) @lds, i32 %wave
  call void @llvm.amdgcn.global.load.async.lds(ptr addrspace(1) %from, ptr addrspace(3) %base, i32 4, i32 0, i32 0)
  call void @llvm.amdgcn.asyncmark()
  call void @llvm.amdgcn.wait.asyncmark(i16 0)
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %other = xor i32 %x, 64
  %slot = getelementptr i32, ptr addrspace(3) @lds, i32 %other
  %value = load i32, ptr addrspace(3) %slot, align 4
  %to = getelementptr i32, ptr addrspace(1) %out, i32 %x
  store i32 %value, ptr addrspace(1) %to, align 4
  ret void
}
"#;

/// Its launch.
const IN_IR_LAUNCH: &str = r#"
grid = [2]
block = [128]
[[arg]]
name = "in"
dtype = "i32"
shape = [128]
init = "iota"
[[arg]]
name = "out"
dtype = "i32"
shape = [128]
init = "zeros"
"#;

#[test]
fn traces_and_pages_of_ir() {
    let folder = tempfile::tempdir().expect("a folder");
    let (kernel, launch) = (folder.path().join("k.ll"), folder.path().join("l.toml"));
    std::fs::write(&kernel, IN_IR).expect("a kernel");
    std::fs::write(&launch, IN_IR_LAUNCH).expect("a launch");
    let text = written_of(&kernel, &launch, "--trace", &folder.path().join("trace.json"));
    let events = events("IR", &text);
    let name =
        |event: &Value, start: &str| event["name"].as_str().is_some_and(|name| name.starts_with(start));
    assert_eq!(count(&events, |event| event["name"] == "process_name"), 2);
    assert_eq!(count(&events, |event| event["cat"] == "wave"), 4);
    assert_eq!(count(&events, |event| event["ph"] == "b" && event["cat"] == "vector memory"), 4);
    assert_eq!(count(&events, |event| event["cat"] == "LDS in flight"), 4);
    assert_eq!(count(&events, |event| event["ph"] == "X" && name(event, "wait for workgroup barrier")), 4);
    let waits = |event: &Value| event["cat"] == "wait" && event["args"]["address"] == "line 16";
    assert_eq!(count(&events, waits), 4);

    let page = written_of(&kernel, &launch, "--report", &folder.path().join("page.html"));
    for wanted in ["line 16", "call void @llvm.amdgcn.s.barrier()", "clean"] {
        assert!(page.contains(wanted), "{wanted:?} is not on the page");
    }
}

#[test]
fn pages() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("racy.html");
    let page = written("pipelined_copy_too_weak", "--report", &path);
    // One file, no network; what names the language of pictures is no address.
    let page = page.replace("xmlns=\"http://www.w3.org/2000/svg\"", "");
    for outside in ["http:", "https:", "src=", "<script", "<link", "@import", "url("] {
        assert!(!page.contains(outside), "{outside} is in the page");
    }
    for figure in ["timeline", "counters", "lds", "hot", "coverage"] {
        assert!(page.contains(&format!("<figure class=\"{figure}\"")), "no {figure}");
    }
    for part in ["flight culprit", "here it hurts", "s_wait_asynccnt", "id=\"run0-finding0\"", "listing"] {
        assert!(page.contains(part), "no {part}");
    }
    let right = written("pipelined_copy", "--report", &folder.path().join("right.html"));
    assert!(right.contains("The first waves") && !right.contains("flight culprit"));

    let Some(browser) = browser::Browser::start() else {
        println!("left out: there is no chromium with its driver");
        return;
    };
    browser.open(&path);
    for figure in ["timeline", "counters", "lds", "hot", "coverage"] {
        let (width, height) = browser.size(&format!("figure.{figure}"));
        assert!(width > 300.0 && height > 20.0, "{figure} is {width} x {height}");
    }
    // A click on a finding's line leads to it, and marks it.
    browser.click("ol.index a");
    assert_eq!(browser.script("return location.hash"), "#run0-finding0");
    let marked = "return getComputedStyle(document.querySelector('.finding:target')).boxShadow != 'none'";
    assert_eq!(browser.script(marked), true);
    // Nothing is wider than the page.
    assert_eq!(browser.script("return document.documentElement.scrollWidth <= innerWidth"), true);
    browser.click("details summary");
    let picture = browser.screenshot();
    assert!(picture.len() > 20_000, "a picture of {} bytes", picture.len());
    if let Some(keep) = std::env::var_os("WAVEMARK_SCREENSHOT") {
        std::fs::write(keep, picture).expect("the picture is kept");
    }
}
