//! Debug sections as text, of what clang 22 made of `data/debug.c`.

use expect_test::expect_file;
use wavemark_codeobj::dwarf::inspect_dwarf;
use wavemark_codeobj::*;

use crate::objects;

fn text(name: &str) -> String {
    inspect_dwarf(&CodeObject::parse(&objects::data(name)).unwrap()).unwrap()
}

#[test]
fn dwarf_5_of_waves_of_64() {
    let text = text("dwarf5-wave64.o");
    expect_file!["data/dwarf5-wave64.txt"].assert_eq(&text);
    // Compressed sections say the same, at other places.
    let contents =
        |text: &str| text.lines().filter(|line| !line.starts_with("  0x")).collect::<Vec<_>>().join("\n");
    for name in ["dwarf5-zlib.o", "dwarf5-zstd.o"] {
        assert_eq!(contents(&self::text(name)), contents(&text), "{name}");
    }
}

#[test]
fn dwarf_4_of_waves_of_32() {
    expect_file!["data/dwarf4-wave32.txt"].assert_eq(&text("dwarf4-wave32.o"));
}

#[test]
fn a_linked_object_says_the_same_at_its_addresses() {
    let object = CodeObject::parse(&objects::data("dwarf5-wave64.o")).unwrap();
    let linked = CodeObject::parse(&link(&[object]).unwrap()).unwrap();
    let text = linked.sections[linked.section_by_name(".text").unwrap()].address;
    let dwarf = inspect_dwarf(&linked).unwrap();
    for line in [
        format!("DW_AT_low_pc           {text:#x}\n"),
        format!("DW_AT_low_pc           {:#x}\n", text + 0x100),
        format!("  {text:#018x} {:#018x} debug.c:3\n", text + 0x68),
        format!("FDE of {text:#x} to {:#x}\n", text + 208),
    ] {
        assert!(dwarf.contains(&line), "{line:?} is not in\n{dwarf}");
    }
}
