//! Small files that ask for much: time and memory stay in proportion to the file.

use wavemark_codeobj::bundle::Bundle;
use wavemark_codeobj::dwarf::inspect_dwarf;
use wavemark_codeobj::value::Value;
use wavemark_codeobj::*;
use wavemark_target::Processor;

use crate::objects;

#[test]
fn yaml_that_repeats_itself() {
    let mut yaml = "a: &a [x,x,x,x,x,x,x,x,x]\n".to_owned();
    for pair in ["a", "b", "c", "d", "e", "f", "g", "h", "i"].windows(2) {
        let (old, new) = (pair[0], pair[1]);
        yaml += &format!("{new}: &{new} [{}]\n", vec![format!("*{old}"); 9].join(","));
    }
    assert!(Value::from_yaml(&yaml).is_err());
    assert!(Value::from_yaml(&"[".repeat(100_000)).is_err());
}

#[test]
fn message_pack_that_promises() {
    for bytes in [
        &[0xdd, 0xff, 0xff, 0xff, 0xff][..],
        &[0xdf, 0xff, 0xff, 0xff, 0xff],
        &[0xc6, 0xff, 0xff, 0xff, 0xff],
    ] {
        assert!(Value::from_message_pack(bytes).is_err());
    }
    assert!(Value::from_message_pack(&[0xdd, 0, 0xff, 0xff, 0xff].repeat(1000)).is_err());
}

#[test]
fn zstd_that_repeats_one_byte() {
    let blocks = 2000u32;
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58];
    for block in 0..blocks {
        let is_last = u32::from(block + 1 == blocks);
        frame.extend(&(131_072u32 << 3 | 1 << 1 | is_last).to_le_bytes()[..3]);
        frame.push(b'A');
    }
    let mut file = b"CCOB\x03\x00\x01\x00".to_vec();
    for word in [32 + frame.len() as u64, u64::from(blocks) * 131_072, 0] {
        file.extend(word.to_le_bytes());
    }
    file.extend(&frame);
    let error = Bundle::parse(&file).unwrap_err().to_string();
    assert!(error.contains("found 262144000 bytes"), "{error}");
    file[16..24].copy_from_slice(&8_000_000u64.to_le_bytes());
    let error = Bundle::parse(&file).unwrap_err().to_string();
    assert!(error.ends_with("unpack to 8000000 bytes, found more"), "{error}");
}

fn with_sections(sections: &[(&str, Vec<u8>)]) -> CodeObject {
    let mut object = objects::builder(Processor::Gfx1250);
    for (name, data) in sections {
        let id = object.section(name);
        object.append(id, data, 1);
    }
    CodeObject::parse(&object.finish().unwrap()).unwrap()
}

#[test]
fn abbreviations_without_end() {
    let abbreviations: Vec<u8> = (0..20_000u32).flat_map(|i| [(i % 127 + 1) as u8, 0x11, 0, 0, 0]).collect();
    let mut units = Vec::new();
    for unit in 0..5_000u32 {
        units.extend(9u32.to_le_bytes());
        units.extend([4, 0]);
        units.extend((unit * 5).to_le_bytes());
        units.extend([8, 1, 0]);
    }
    let text =
        inspect_dwarf(&with_sections(&[(".debug_abbrev", abbreviations), (".debug_info", units)])).unwrap();
    assert!(text.contains("error: tables of abbreviations that overlap"), "{text}");
}

#[test]
fn attributes_without_bytes() {
    let mut abbreviations = vec![1, 0x11, 1];
    abbreviations.extend([0x3a, 0x21, 5].repeat(2000));
    abbreviations.extend([0, 0, 0]);
    let entries = 20_000u32;
    let mut units = (8 + entries).to_le_bytes().to_vec();
    units.extend([5, 0, 1, 8, 0, 0, 0, 0]);
    units.extend(vec![1; entries as usize]);
    let object = with_sections(&[(".debug_abbrev", abbreviations), (".debug_info", units)]);
    let text = inspect_dwarf(&object).unwrap();
    assert!(text.len() < 70 * object.bytes().len() + (1 << 20));
    assert!(text.ends_with("… the rest is left out: it is much longer than the file\n"));
}

#[test]
fn sections_that_share_their_contents() {
    let mut object = objects::builder(Processor::Gfx1250);
    let id = object.section(".data");
    object.append(id, &[1; 4096], 1);
    let mut file = object.finish().unwrap();
    let (headers, size) = (u64::from_le_bytes(file[40..48].try_into().unwrap()) as usize, 64);
    let data = file[headers..].chunks(size).find(|header| header[32..40] == 4096u64.to_le_bytes());
    let data = data.unwrap().to_vec();
    let count = u16::from_le_bytes(file[60..62].try_into().unwrap());
    file.truncate(headers + usize::from(count) * size);
    file.extend(data.repeat(1000));
    file[60..62].copy_from_slice(&(count + 1000).to_le_bytes());
    let error = CodeObject::parse(&file).unwrap_err().to_string();
    assert!(error.contains("expected sections that do not overlap"), "{error}");
}

#[test]
fn bundled_files_that_are_the_same_bytes() {
    let name = "hipv4-amdgcn-amd-amdhsa--gfx950";
    let mut file = wavemark_codeobj::bundle::write(&[(name, &[7; 100_000])]);
    let entry = file[32..32 + 24 + name.len()].to_vec();
    let entries = 1000u64;
    // They are read until the first that is too much, before which there is room for them.
    file[24..32].copy_from_slice(&entries.to_le_bytes());
    for n in 1..9 {
        let at = 32 + n * entry.len();
        file[at..at + entry.len()].copy_from_slice(&entry);
    }
    let error = Bundle::parse(&file).unwrap_err().to_string();
    assert!(error.contains("expected bundled files that do not overlap"), "{error}");
}
