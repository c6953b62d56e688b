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
    assert!(count >= 120, "{count} files");
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
    assert!(
        of("ds_load_b32 v1, v7").contains("`v7` is a part of the address: bind an address to its location")
    );
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
        (of("GFX1100", &["global_atomic_max_u32 v[2:3], v7, off"], ""), "`global_atomic_max_u32` is none"),
        (of("GFX1100", &["global_atomic_add_u32 v7, v8, s[2:3]"], ""), "`v7` is a part of the address"),
        (
            of("GFX1250", &[add, "ds_atomic_async_barrier_arrive_b64 v0"], ""),
            "x.litmus:5:2: error: litmus tests with",
        ),
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

/// Several agents where the type of memory says what they share: gfx90a's is named, elsewhere there is nothing to name.
#[test]
fn types_of_memory() {
    let of = |head: &str, types: &str| {
        let bound = "0:v[2:3] = X; 1:v[2:3] = X; 0:v7 = 1; 1:v7 = 1";
        let add = "global_atomic_add_u32 v[2:3], v7, off"
            .replace("_u32", if head == "GFX90A" { "" } else { "_u32" });
        let text = format!(
            "{head} x\n{{ {types}{bound} }}\n P0 | P1 ;\n {add} | {add} ;\nscopes: (system (agent P0) (agent P1))\n"
        );
        verdict("x.litmus", &text)
    };
    assert!(of("GFX90A", "").unwrap_err().contains("`X = 0 coarse`, or `fine`"));
    assert!(of("GFX90A", "X = 0 fine; ").is_ok());
    assert!(of("GFX1100", "").unwrap_err().contains("which no instruction says"));
    assert!(
        of("GFX1250", "X = 0 fine; ")
            .unwrap_err()
            .contains("on gfx1250 the type of memory is no part of a test")
    );
    assert!(of("GFX1250", "").is_ok());
}

/// What stands in a register that is a part of an address is no datum.
#[test]
fn roles_of_operands() {
    let text = |operands: &str, bound: &str| {
        format!(
            "GFX1250 x\n{{ {bound} }}\n P0 ;\n global_store_b32 {operands} ;\n s_wait_storecnt 0x0 ;\nexists (G0=5)\n"
        )
    };
    let datum = verdict("x.litmus", &text("v[2:3], v7, off", "0:v[2:3] = G0; 0:v7 = 5"));
    assert!(datum.unwrap().1.contains("Allowed"));
    let offset = verdict("x.litmus", &text("v1, v7, s[2:3]", "0:s[2:3] = G0; 0:v7 = 5"));
    assert!(offset.unwrap_err().contains("`v1` is a part of the address"));
}
