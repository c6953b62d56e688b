//! Litmus tests of machine code under `tests/litmus/machine`: every file's verdict is the one that it expects; what cannot
//! be read has a place in the file.

use wavemark_diag::SourceMap;
use wavemark_driver::litmus::{Bounds, judge};

fn verdict(name: &str, text: &str) -> Result<(bool, String), String> {
    let mut sources = SourceMap::new();
    let file = sources.add_text(name, text.to_owned());
    match judge(name, file, text, Bounds::default()) {
        Ok(litmus) => Ok((litmus.is_as_expected(), litmus.render(true))),
        Err(diagnostic) => Err(wavemark_driver::render_short(&sources, &diagnostic)),
    }
}

#[test]
fn machine_code() {
    let folder = wavemark_corpus::root().join("tests/litmus/machine");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let (right, report) =
            verdict(&path.display().to_string(), &text).unwrap_or_else(|error| panic!("{error}"));
        assert!(right, "{report}");
        count += 1;
    }
    assert!(count >= 70, "{count} files");
}

#[test]
fn what_cannot_be_read() {
    let of = |cell: &str| {
        let text = format!("GFX1250 x\n{{ 0:v0 = L0; 0:v[2:3] = G0 }}\n P0 ;\n {cell} ;\n");
        verdict("x.litmus", &text).unwrap_err()
    };
    assert!(
        of("v_add_u32 v1, v2, v3").starts_with("x.litmus:4:2: error: litmus tests have loads"),
        "{}",
        of("v_add_u32 v1, v2, v3")
    );
    assert!(of("ds_load_b32 v1").contains("x.litmus:4:"));
    assert!(of("ds_load_b32 v1, v7").contains("no operand is bound to a location in LDS"));
    assert!(of("ds_load_b32 v1, v0 offset:4").contains("bind each address"));
    assert!(of("s_wait_kmcnt 0x0").contains("`s_wait_kmcnt` is none"));
}

/// What the machine with caches has no words for is an error with a name, and none of it is passed over.
#[test]
fn what_the_machine_with_caches_has_not() {
    let of = |head: &str, cells: &[&str], question: &str| {
        let cells: String = cells.iter().map(|cell| format!(" {cell} ;\n")).collect();
        let bound = "0:v0 = L0; 0:v[2:3] = X; 0:v7 = 1";
        verdict("x.litmus", &format!("{head} x\n{{ {bound} }}\n P0 ;\n{cells}{question}")).unwrap_err()
    };
    let add = "global_atomic_add_u32 v[2:3], v7, off";
    let cases = [
        (of("GFX1250", &[add], ""), "x.litmus:4:2: error: the first-level cache of gfx1250 keeps no order"),
        (of("GFX90A", &["ds_add_u32 v0, v7"], ""), "on gfx90a the type of memory says"),
        (of("GFX1100", &["global_atomic_max_u32 v[2:3], v7, off"], ""), "`global_atomic_max_u32` is none"),
        (of("GFX1100", &["global_atomic_add_u32 v7, v8, s[2:3]"], ""), "`v7` is a part of the address"),
        (of("GFX1100", &[add, "s_barrier"], ""), "x.litmus:5:2: error: litmus tests with atomics"),
        (of("GFX1100", &[add, "s_waitcnt vmcnt(1)"], ""), "`s_waitcnt` is none"),
        (of("GFX1100", &["global_atomic_add_u32 v[2:3], v7, off offset:4"], ""), "offsets are not part"),
        (of("GFX1100", &[add, "global_store_b32 v[2:3], v9, off"], ""), "P0 uses v9, which holds nothing"),
        (
            of(
                "GFX1100",
                &[
                    "global_atomic_add_u32 v6, v[2:3], v7, off glc",
                    "s_waitcnt_vscnt null, 0x0",
                    "global_store_b32 v[2:3], v6, off",
                ],
                "",
            ),
            "P0 uses v6 without a wait for its load (R1)",
        ),
        (of("GFX1100", &[add], "exists (X=1)\n"), "ask for registers"),
        (of("GFX942+cumode", &[add], ""), "gfx942 does not support `+cumode`"),
    ];
    for (error, part) in cases {
        assert!(error.contains(part), "{error}\nexpected {part}");
    }
}
