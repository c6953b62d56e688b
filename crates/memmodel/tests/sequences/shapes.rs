//! The litmus shapes that sequences are tried on, at every scope, in global memory and LDS.

/// A shape.
pub struct Shape {
    pub name: String,
    pub text: String,
}

/// An access or fence by scope.
fn atomic(what: &str, scope: &str, ordering: &str) -> String {
    match scope {
        "" => format!("{what} {ordering}"),
        _ => format!("{what} syncscope(\"{scope}\") {ordering}"),
    }
}

fn shape(name: &str, columns: &[Vec<String>], scopes: &str) -> Shape {
    let rows = columns.iter().map(Vec::len).max().unwrap_or(0);
    let heads: Vec<String> = (0..columns.len()).map(|number| format!("P{number}")).collect();
    let mut text = format!("AMDGPU {name}\n {} ;\n", heads.join(" | "));
    for row in 0..rows {
        let cells: Vec<&str> = columns.iter().map(|own| own.get(row).map_or("", String::as_str)).collect();
        text.push_str(&format!(" {} ;\n", cells.join(" | ")));
    }
    text.push_str(&format!("scopes: {scopes}\n"));
    Shape { name: name.into(), text }
}

/// All of them.
pub fn shapes() -> Vec<Shape> {
    let mut all = Vec::new();
    // The scope, and threads as far apart as it reaches.
    let places = [
        ("wavefront", "(agent (workgroup (wave P0 P1)))", true),
        ("workgroup", "(agent (workgroup P0 P1))", true),
        ("agent", "(agent (workgroup P0) (workgroup P1))", false),
        ("agent", "(agent (workgroup P0 P1))", true),
        ("", "(system (agent P0) (agent P1))", false),
        ("", "(system (agent (workgroup P0) (workgroup P1)))", false),
    ];
    for (scope, scopes, together) in places {
        // A wave executes one instruction after the other: its lanes are no threads of this machine.
        if scope == "wavefront" {
            continue;
        }
        let word = if scope.is_empty() { "system" } else { scope };
        let near = if together { " together" } else { "" };
        let spaces: &[(&str, &str)] =
            if together { &[("X", "F"), ("L0", "F"), ("X", "L1"), ("L0", "L1")] } else { &[("X", "F")] };
        for (payload, flag) in spaces {
            let name = |shape: &str| format!("{shape} {word}{near} {payload} {flag}");
            let end = || vec!["bne a, 1, END".to_string(), format!("b = load {payload}"), "END:".to_string()];
            let send = |flag: Vec<String>| [vec![format!("store {payload}, 1")], flag].concat();
            // The wider scopes of LDS are those of a workgroup.
            let at = |ordering: &str, what: &str| atomic(what, scope, ordering);
            let load = format!("a = load atomic {flag}");
            let store = format!("store atomic {flag}, 1");
            let update = |register: &str| format!("{register} = atomicrmw add {flag}, 1");
            for (sends, receives) in [("release", "acquire"), ("seq_cst", "seq_cst")] {
                let first = send(vec![at(sends, &store)]);
                let second = [vec![at(receives, &load)], end()].concat();
                all.push(shape(&name(&format!("MP {sends} {receives}")), &[first, second], scopes));
                let first = send(vec![at("acq_rel", "fence"), at("monotonic", &store)]);
                let second = [vec![at("monotonic", &load), at("acq_rel", "fence")], end()].concat();
                let fences = |text: Vec<String>, ordering: &str| {
                    text.iter().map(|line| line.replace("acq_rel", ordering)).collect::<Vec<_>>()
                };
                all.push(shape(
                    &name(&format!("MP fences {sends} {receives}")),
                    &[fences(first, sends), fences(second, receives)],
                    scopes,
                ));
            }
            let fences = [
                send(vec![at("acq_rel", "fence"), at("monotonic", &store)]),
                [vec![at("monotonic", &load), at("acq_rel", "fence")], end()].concat(),
            ];
            all.push(shape(&name("MP fences acq_rel"), &fences, scopes));
            for (sends, receives) in [("release", "acquire"), ("acq_rel", "acq_rel"), ("seq_cst", "seq_cst")]
            {
                let first = send(vec![at(sends, &update("z"))]);
                let second = [vec![at(receives, &update("a"))], end()].concat();
                all.push(shape(&name(&format!("MP atomicrmw {sends} {receives}")), &[first, second], scopes));
            }
            let both = [vec![at("monotonic", &update("a"))], vec![at("monotonic", &update("b"))]];
            all.push(shape(&name("atomicrmw monotonic"), &both, scopes));
            let coherent = [
                vec![at("monotonic", &store)],
                vec![at("monotonic", &load), at("monotonic", &format!("b = load atomic {flag}"))],
            ];
            all.push(shape(&name("CoRR"), &coherent, scopes));
            let other = if flag.starts_with('L') { "L2" } else { "Y" };
            let buffering = |stores: &str, loads: &str, one: &str, two: &str, register: &str| {
                vec![
                    at(stores, &format!("store atomic {one}, 1")),
                    at(loads, &format!("{register} = load atomic {two}")),
                ]
            };
            let sequential = [
                buffering("seq_cst", "seq_cst", flag, other, "a"),
                buffering("seq_cst", "seq_cst", other, flag, "b"),
            ];
            all.push(shape(&name("SB seq_cst"), &sequential, scopes));
            let loads = |one: &str, two: &str, register: &str| {
                vec![
                    at("acquire", &format!("{register} = load atomic {one}")),
                    at("release", &format!("store atomic {two}, 1")),
                ]
            };
            all.push(shape(
                &name("LB acquire release"),
                &[loads(flag, other, "a"), loads(other, flag, "b")],
                scopes,
            ));
        }
    }
    let three = [
        ("agent", "(agent (workgroup P0) (workgroup P1) (workgroup P2))"),
        ("workgroup", "(agent (workgroup P0 P1 P2))"),
        ("", "(system (agent P0) (agent P1) (agent P2))"),
    ];
    for (scope, scopes) in three {
        let word = if scope.is_empty() { "system" } else { scope };
        let at = |ordering: &str, what: &str| atomic(what, scope, ordering);
        let chain = [
            vec!["store X, 1".to_string(), at("release", "store atomic F, 1")],
            vec![
                at("acquire", "a = load atomic F"),
                "bne a, 1, END".into(),
                at("release", "store atomic G, 1"),
                "END:".into(),
            ],
            vec![
                at("acquire", "b = load atomic G"),
                "bne b, 1, END".into(),
                "c = load X".into(),
                "END:".into(),
            ],
        ];
        all.push(shape(&format!("WRC {word}"), &chain, scopes));
        let sequence = [
            vec!["store X, 1".to_string(), at("release", "store atomic F, 1")],
            vec![at("monotonic", "z = atomicrmw add F, 1")],
            vec![
                at("acquire", "a = load atomic F"),
                "bne a, 2, END".into(),
                "b = load X".into(),
                "END:".into(),
            ],
        ];
        all.push(shape(&format!("release sequence {word}"), &sequence, scopes));
    }
    let four = [
        ("agent", "(agent (workgroup P0) (workgroup P1) (workgroup P2) (workgroup P3))"),
        ("agent", "(agent (workgroup P0 P2) (workgroup P1 P3))"),
        ("workgroup", "(agent (workgroup P0 P1 P2 P3))"),
        ("", "(system (agent P0) (agent P1) (agent P2) (agent P3))"),
    ];
    for (number, (scope, scopes)) in four.into_iter().enumerate() {
        let word = if scope.is_empty() { "system" } else { scope };
        let name = |shape: &str| format!("{shape} {word}{}", if number == 1 { " in pairs" } else { "" });
        let at = |ordering: &str, what: &str| atomic(what, scope, ordering);
        let reads = |one: &str, two: &str, ordering: &str| {
            vec![
                at(ordering, &format!("a = load atomic {one}")),
                at(ordering, &format!("b = load atomic {two}")),
            ]
        };
        for (stores, loads) in [("release", "acquire"), ("seq_cst", "seq_cst")] {
            let independent = [
                vec![at(stores, "store atomic X, 1")],
                vec![at(stores, "store atomic Y, 1")],
                reads("X", "Y", loads),
                reads("Y", "X", loads),
            ];
            all.push(shape(&name(&format!("IRIW {stores} {loads}")), &independent, scopes));
            // What the last write was shows in the order in which two readers see both.
            let writes = |one: &str, two: &str| {
                vec![
                    at(stores, &format!("store atomic {one}, 1")),
                    at(stores, &format!("store atomic {two}, 2")),
                ]
            };
            let twice = [writes("X", "Y"), writes("Y", "X"), reads("X", "X", loads), reads("Y", "Y", loads)];
            all.push(shape(&name(&format!("2+2W {stores} {loads}")), &twice, scopes));
        }
    }
    let indirect = [
        vec!["store X, 1".to_string(), atomic("store atomic F, 1", "workgroup", "release")],
        vec![
            atomic("a = load atomic F", "workgroup", "acquire"),
            "bne a, 1, END".into(),
            atomic("store atomic G, 1", "agent", "release"),
            "END:".into(),
        ],
        vec![
            atomic("b = load atomic G", "agent", "acquire"),
            "bne b, 1, END".into(),
            "c = load X".into(),
            "END:".into(),
        ],
    ];
    all.push(shape("ISA2 indirect", &indirect, "(agent (workgroup P0 P1) (workgroup P2))"));
    all
}
