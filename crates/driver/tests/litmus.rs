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
    assert!(count >= 15, "{count} files");
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
    let error = verdict("x.litmus", "GFX950 x\n P0 ;\n buffer_wbl2 sc1 ;\n").unwrap_err();
    assert!(error.contains("`buffer_wbl2` is none"), "{error}");
}
