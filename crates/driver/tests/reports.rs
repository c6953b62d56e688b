//! Reports: their JSON to the letter of the interface, their text, their SARIF, their outcome and exit status.

use expect_test::{Expect, expect};
use wavemark_diag::Style;
use wavemark_driver::compare::compare;
use wavemark_driver::report::{
    Checked, Class, ExitStatus, Finding, Lanes, NotChecked, Output, Report, Severity, Site, Stats,
};
use wavemark_driver::{Parts, render_sarif, render_text};
use wavemark_numerics::dtype::Dtype;

fn site(role: &str, pc: u64, text: &str, source: Option<&str>) -> Site {
    Site {
        role: role.to_owned(),
        pc: Some(pc),
        text: text.to_owned(),
        source: source.map(str::to_owned),
        callers: Vec::new(),
        workgroup: Some([0, 0, 0]),
        wave: Some(0),
        lanes: Some(Lanes(0xffff_ffff)),
        iteration: None,
        note: None,
    }
}

fn finding(wave: u32) -> Finding {
    let mut consumer = site("consumer", 0x21c, "ds_load_b128 v[8:11], v2", Some("k.s:57:3"));
    consumer.wave = Some(wave);
    Finding {
        rule: "R4".to_owned(),
        title: "LDS read while its asynchronous load is in flight".to_owned(),
        severity: Severity::Error,
        class: Class::MissingWait,
        instances: 256,
        sites: vec![
            site("producer", 0x1a4, "global_load_async_to_lds_b128 v3, v[4:5], off", Some("k.s:41:3")),
            consumer,
        ],
        author_hint: None,
        hint: Some("s_wait_asynccnt 1 before s_barrier_signal at k.s:52".to_owned()),
        model: None,
        proven: None,
        unsettles: None,
    }
}

fn advice() -> Finding {
    Finding {
        rule: String::new(),
        title: "wait is redundant".to_owned(),
        severity: Severity::Advice,
        class: Class::Redundant,
        instances: 1,
        sites: vec![Site {
            workgroup: None,
            wave: None,
            lanes: None,
            ..site("wait", 8, "s_wait_loadcnt 0x0", None)
        }],
        author_hint: None,
        hint: None,
        model: None,
        proven: None,
        unsettles: None,
    }
}

fn report() -> Report {
    let mut report = Report::new("k.s");
    report.target = "gfx1250".to_owned();
    report.kernel = "gemm".to_owned();
    report.checked = Checked { registers: true, lds: true, global: true, barriers: true, waits: true };
    report.findings = vec![advice(), finding(1), finding(2)];
    report.outputs = vec![
        Output::new("c", compare(Dtype::F32, &[1], &[0; 4], &[0; 4], 0.0, 0.0)),
        Output::new("d", compare(Dtype::U8, &[2, 2], &[1, 2, 3, 4], &[1, 2, 0, 4], 0.0, 0.0)),
        Output::new("e", compare(Dtype::F32, &[1], &[0xff; 4], &[0; 4], 0.0, 0.0)),
    ];
    report.stats = Stats {
        workgroups: 32,
        waves: 256,
        wave_instructions: 90112,
        lane_instructions: 2883584,
        seconds: 0.041,
        ..Stats::default()
    };
    report.conclude();
    report
}

fn check(found: &str, expect: Expect) {
    expect.assert_eq(found);
}

#[test]
fn json() {
    check(
        &serde_json::to_string_pretty(&report()).unwrap(),
        expect![[r#"
        {
          "wavemark": "0.1.0",
          "input": "k.s",
          "target": "gfx1250",
          "kernel": "gemm",
          "outcome": "findings",
          "checked": {
            "registers": true,
            "lds": true,
            "global": true,
            "barriers": true,
            "waits": true
          },
          "findings": [
            {
              "rule": "R4",
              "title": "LDS read while its asynchronous load is in flight",
              "severity": "error",
              "class": "missing-wait",
              "instances": 512,
              "sites": [
                {
                  "role": "producer",
                  "pc": "0x1a4",
                  "text": "global_load_async_to_lds_b128 v3, v[4:5], off",
                  "source": "k.s:41:3",
                  "workgroup": [
                    0,
                    0,
                    0
                  ],
                  "wave": 0,
                  "lanes": "0-31"
                },
                {
                  "role": "consumer",
                  "pc": "0x21c",
                  "text": "ds_load_b128 v[8:11], v2",
                  "source": "k.s:57:3",
                  "workgroup": [
                    0,
                    0,
                    0
                  ],
                  "wave": 1,
                  "lanes": "0-31"
                }
              ],
              "hint": "s_wait_asynccnt 1 before s_barrier_signal at k.s:52"
            },
            {
              "rule": "",
              "title": "wait is redundant",
              "severity": "advice",
              "class": "redundant",
              "instances": 1,
              "sites": [
                {
                  "role": "wait",
                  "pc": "0x8",
                  "text": "s_wait_loadcnt 0x0"
                }
              ]
            }
          ],
          "outputs": [
            {
              "name": "c",
              "matches": true,
              "max_abs_error": 0.0,
              "max_rel_error": 0.0,
              "mismatches": 0,
              "elements": 1
            },
            {
              "name": "d",
              "matches": false,
              "max_abs_error": 3.0,
              "max_rel_error": 0.0,
              "mismatches": 1,
              "elements": 4,
              "first": {
                "index": [
                  1,
                  0
                ],
                "found": "3",
                "expected": "0"
              }
            },
            {
              "name": "e",
              "matches": false,
              "max_abs_error": null,
              "max_rel_error": 0.0,
              "mismatches": 1,
              "elements": 1,
              "first": {
                "index": [
                  0
                ],
                "found": "NaN",
                "expected": "0.0"
              }
            }
          ],
          "stats": {
            "workgroups": 32,
            "waves": 256,
            "wave_instructions": 90112,
            "lane_instructions": 2883584,
            "seconds": 0.041
          }
        }"#]],
    );
}

#[test]
fn text() {
    let line = |file: &str, line: u32| {
        (file == "k.s" && line == 57).then(|| "\tds_load_b128 v[8:11], v2 ; tile".to_owned())
    };
    check(
        &render_text(&report(), &line, Style::Plain, Parts::All),
        expect![[r#"
            error[R4]: LDS read while its asynchronous load is in flight (512 times)
              producer: k.s:41:3 (at 0x1a4), workgroup 0,0,0, wave 0, lanes 0-31
                      > global_load_async_to_lds_b128 v3, v[4:5], off
              consumer: k.s:57:3 (at 0x21c), workgroup 0,0,0, wave 1, lanes 0-31
                   57 | ds_load_b128 v[8:11], v2 ; tile
              hint: s_wait_asynccnt 1 before s_barrier_signal at k.s:52

            advice[redundant]: wait is redundant
              wait: at 0x8
                      > s_wait_loadcnt 0x0

            output c: as expected (max abs error 0, max rel error 0)
            output d: 1 of 4 elements differ (max abs error 3.00e0, max rel error 0); first at [1, 0]: 3 instead of 0
            output e: 1 of 1 elements differ (max abs error inf, max rel error 0); first at [0]: NaN instead of 0.0
            k.s: gemm on gfx1250: findings, 1 error, 1 advice
              32 workgroups, 256 waves, 90112 wave instructions, 2883584 lane instructions in 0.041 s
              checked: registers, lds, global, barriers, waits
        "#]],
    );
}

#[test]
fn sarif() {
    check(
        &serde_json::to_string_pretty(&render_sarif(&[report()], Some("https://example.org/guide/")))
            .unwrap(),
        expect![[r##"
            {
              "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
              "version": "2.1.0",
              "runs": [
                {
                  "tool": {
                    "driver": {
                      "name": "wavemark",
                      "version": "0.1.0",
                      "rules": [
                        {
                          "id": "R4",
                          "name": "LDS touched while a copy to or from it is in flight",
                          "shortDescription": {
                            "text": "LDS touched while a copy to or from it is in flight"
                          },
                          "fullDescription": {
                            "text": "A byte of LDS is read or written while an asynchronous copy (asynchronous load or store, tensor DMA, gfx9 LDS copy) that writes or reads it has not been waited for. The copy may be the wave's own or another wave's; in the second case a barrier lies between the two, but the wait does not stand before the arrival at that barrier. Where the waves have done other things since the last barrier and then waited, the barrier behind that wait is what is missing: the class is `missing-sync`, and the hint names the wait. A load between the two halves of a split barrier is one of those. A wave that stores to global memory what a load of its own by another way (a scalar load, a copy) may still be reading is told by this rule, too. Where a wave reads its own copy too early, and other waves are not in order with the copy either, the hint asks for the wait and a barrier. Where a copy comes before the wave has read what is there, no wait would help: an earlier copy is done, and nobody has read what it brought. The hint asks for the copy behind the read, or for one buffer more in the ring; where other waves read it as well, it is [S2](S2.md)."
                          },
                          "help": {
                            "text": "Wait on the copy's counter (ASYNCcnt, TENSORcnt, vmcnt) in the wave that issued it, before it arrives at the barrier. Where the wait stands behind other things, a barrier behind it. Of several barriers between the copy and the use the wait belongs before the last one; one that stands before another of them leaves more in flight than any use behind it needs, or it is not the one to strengthen.",
                            "markdown": "# R4: LDS touched while a copy to or from it is in flight\n\n*Class `missing-wait`, or `missing-sync` where the barrier is what is missing; severity error.*\n\n## What\n\nA byte of LDS is read or written while an asynchronous copy (asynchronous load or store, tensor DMA, gfx9 LDS copy) that writes or reads it has not been waited for. The copy may be the wave's own or another wave's; in the second case a barrier lies between the two, but the wait does not stand before the arrival at that barrier. Where the waves have done other things since the last barrier and then waited, the barrier behind that wait is what is missing: the class is `missing-sync`, and the hint names the wait. A load between the two halves of a split barrier is one of those. A wave that stores to global memory what a load of its own by another way (a scalar load, a copy) may still be reading is told by this rule, too. Where a wave reads its own copy too early, and other waves are not in order with the copy either, the hint asks for the wait and a barrier. Where a copy comes before the wave has read what is there, no wait would help: an earlier copy is done, and nobody has read what it brought. The hint asks for the copy behind the read, or for one buffer more in the ring; where other waves read it as well, it is [S2](S2.md).\n\n## Why\n\nAn asynchronous copy has two moments. Between issue and completion the bytes are in flight. A barrier orders execution only: it passes on what each wave has *waited for*, not what it has issued.\n\n## Example\n\n```asm\n\tglobal_load_async_to_lds_b32 v1, v0, s[4:5]\n\ts_barrier_signal -1             ; R4: s_wait_asynccnt 0 belongs before this\n\ts_barrier_wait -1\n\tds_load_b32 v2, v3              ; another wave's bytes: still in flight\n```\n\n## Without a launch\n\nFound where nothing but copies in flight can have put something into LDS: the wave has issued copies, completed none on any path, and stored nothing. And found by address, in rings of buffers: the waves of a workgroup are followed for a few supposed launches, and a byte that one touches while a copy has it in flight is reported ([how](../static.md#lds-by-address)). Where it takes other numbers than the first that are supposed, or where there is a launch, which has its own, it is a warning that names the number: the kernel may not be meant for it.\n\nIn LLVM IR addresses are computed where they follow from the work-item and the round of a loop ([LLVM IR](../ir.md)).\n\n## Fix\n\nWait on the copy's counter (ASYNCcnt, TENSORcnt, vmcnt) in the wave that issued it, before it arrives at the barrier. Where the wait stands behind other things, a barrier behind it. Of several barriers between the copy and the use the wait belongs before the last one; one that stands before another of them leaves more in flight than any use behind it needs, or it is not the one to strengthen.\n"
                          },
                          "helpUri": "https://example.org/guide/rules/R4.html"
                        },
                        {
                          "id": "redundant",
                          "shortDescription": {
                            "text": "wait is redundant"
                          },
                          "fullDescription": {
                            "text": "wait is redundant"
                          }
                        },
                        {
                          "id": "output-mismatch",
                          "shortDescription": {
                            "text": "output differs from what the launch file expects"
                          },
                          "fullDescription": {
                            "text": "output differs from what the launch file expects"
                          }
                        }
                      ]
                    }
                  },
                  "invocations": [
                    {
                      "executionSuccessful": true,
                      "toolExecutionNotifications": []
                    }
                  ],
                  "columnKind": "unicodeCodePoints",
                  "results": [
                    {
                      "ruleId": "R4",
                      "ruleIndex": 0,
                      "level": "error",
                      "message": {
                        "text": "LDS read while its asynchronous load is in flight\nproducer: global_load_async_to_lds_b128 v3, v[4:5], off at 0x1a4\nconsumer: ds_load_b128 v[8:11], v2 at 0x21c\nhint: s_wait_asynccnt 1 before s_barrier_signal at k.s:52"
                      },
                      "locations": [
                        {
                          "physicalLocation": {
                            "artifactLocation": {
                              "uri": "k.s"
                            },
                            "region": {
                              "startLine": 41,
                              "startColumn": 3
                            }
                          },
                          "message": {
                            "text": "producer: global_load_async_to_lds_b128 v3, v[4:5], off"
                          }
                        }
                      ],
                      "relatedLocations": [
                        {
                          "physicalLocation": {
                            "artifactLocation": {
                              "uri": "k.s"
                            },
                            "region": {
                              "startLine": 57,
                              "startColumn": 3
                            }
                          },
                          "message": {
                            "text": "consumer: ds_load_b128 v[8:11], v2"
                          }
                        }
                      ],
                      "occurrenceCount": 512,
                      "properties": {
                        "class": "missing-wait",
                        "kernel": "gemm",
                        "target": "gfx1250"
                      }
                    },
                    {
                      "ruleId": "redundant",
                      "ruleIndex": 1,
                      "level": "note",
                      "message": {
                        "text": "wait is redundant\nwait: s_wait_loadcnt 0x0 at 0x8"
                      },
                      "locations": [
                        {
                          "physicalLocation": {
                            "artifactLocation": {
                              "uri": "k.s"
                            }
                          }
                        }
                      ],
                      "relatedLocations": [],
                      "occurrenceCount": 1,
                      "properties": {
                        "class": "redundant",
                        "kernel": "gemm",
                        "target": "gfx1250"
                      }
                    },
                    {
                      "ruleId": "output-mismatch",
                      "ruleIndex": 2,
                      "level": "error",
                      "message": {
                        "text": "output d: 1 of 4 elements differ; first at [1, 0]: 3 instead of 0"
                      },
                      "locations": [
                        {
                          "physicalLocation": {
                            "artifactLocation": {
                              "uri": "k.s"
                            }
                          }
                        }
                      ],
                      "properties": {
                        "kernel": "gemm",
                        "target": "gfx1250"
                      }
                    },
                    {
                      "ruleId": "output-mismatch",
                      "ruleIndex": 2,
                      "level": "error",
                      "message": {
                        "text": "output e: 1 of 1 elements differ; first at [0]: NaN instead of 0.0"
                      },
                      "locations": [
                        {
                          "physicalLocation": {
                            "artifactLocation": {
                              "uri": "k.s"
                            }
                          }
                        }
                      ],
                      "properties": {
                        "kernel": "gemm",
                        "target": "gfx1250"
                      }
                    }
                  ]
                }
              ]
            }"##]],
    );
}

#[test]
fn lanes() {
    let all = [0, 1, 3, 0b1011_0001, u64::MAX, 1 << 63, 0xffff_ffff].map(|lanes| Lanes(lanes).to_string());
    assert_eq!(all, ["", "0", "0-1", "0,4-5,7", "0-63", "63", "0-31"]);
}

#[test]
fn outcome_and_status() {
    let status = |change: &dyn Fn(&mut Report)| {
        let mut report = report();
        report.findings.clear();
        report.outputs.clear();
        change(&mut report);
        report.conclude();
        (report.outcome.name(), report.exit_status())
    };
    assert_eq!(status(&|_| {}), ("clean", ExitStatus::Clean));
    assert_eq!(status(&|report| report.findings.push(advice())), ("clean", ExitStatus::Clean));
    assert_eq!(status(&|report| report.findings.push(finding(0))), ("findings", ExitStatus::Findings));
    let differs = || Output::new("d", compare(Dtype::U8, &[1], &[1], &[2], 0.0, 0.0));
    assert_eq!(status(&|report| report.outputs.push(differs())), ("mismatch", ExitStatus::Findings));
    assert_eq!(status(&|report| report.checked = Checked::default()), ("not-checked", ExitStatus::Clean));
    let not_checked = |report: &mut Report| report.not_checked.push(NotChecked::new("lds", "no reason"));
    assert_eq!(status(&not_checked), ("not-checked", ExitStatus::Unsupported));
    let unsupported = |report: &mut Report| report.unsupported.push("v_new_f32".to_owned());
    assert_eq!(status(&unsupported), ("unsupported", ExitStatus::Unsupported));
    let unusable = |report: &mut Report| report.diagnostics.push("k.s:1:1: error".to_owned());
    assert_eq!(status(&unusable), ("error", ExitStatus::Unusable));
}

/// The log is what the standard's schema describes, as the types generated from it read it.
#[test]
fn sarif_is_read_by_the_types_of_its_schema() {
    let log = render_sarif(&[report()], None);
    let read: serde_sarif::sarif::Sarif = serde_json::from_value(log).unwrap();
    let run = &read.runs[0];
    let results = run.results.as_ref().unwrap();
    let differ = report().outputs.iter().filter(|output| !output.matches).count();
    assert_eq!(results.len(), report().findings.len() + differ);
    let rules = run.tool.driver.rules.as_ref().unwrap();
    for result in results {
        let rule = &rules[usize::try_from(result.rule_index.unwrap()).unwrap()];
        assert_eq!(Some(&rule.id), result.rule_id.as_ref());
        assert!(rule.full_description.is_some(), "{}", rule.id);
    }
}
