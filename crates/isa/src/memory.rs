//! Names in the text of memory instructions: cache policies, typed-buffer formats, `ds_swizzle` patterns.
//! Sources: CDNA4 manual 9.1.11, 11.4, CDNA5 manual 4.10; spellings LLVM 22's.

/// Data formats of typed buffers by number (gfx9).
pub static DATA_FORMATS: &[&str] = &[
    "BUF_DATA_FORMAT_INVALID",
    "BUF_DATA_FORMAT_8",
    "BUF_DATA_FORMAT_16",
    "BUF_DATA_FORMAT_8_8",
    "BUF_DATA_FORMAT_32",
    "BUF_DATA_FORMAT_16_16",
    "BUF_DATA_FORMAT_10_11_11",
    "BUF_DATA_FORMAT_11_11_10",
    "BUF_DATA_FORMAT_10_10_10_2",
    "BUF_DATA_FORMAT_2_10_10_10",
    "BUF_DATA_FORMAT_8_8_8_8",
    "BUF_DATA_FORMAT_32_32",
    "BUF_DATA_FORMAT_16_16_16_16",
    "BUF_DATA_FORMAT_32_32_32",
    "BUF_DATA_FORMAT_32_32_32_32",
    "BUF_DATA_FORMAT_RESERVED_15",
];

/// Number formats of typed buffers by number (gfx9).
pub static NUMBER_FORMATS: &[&str] = &[
    "BUF_NUM_FORMAT_UNORM",
    "BUF_NUM_FORMAT_SNORM",
    "BUF_NUM_FORMAT_USCALED",
    "BUF_NUM_FORMAT_SSCALED",
    "BUF_NUM_FORMAT_UINT",
    "BUF_NUM_FORMAT_SINT",
    "BUF_NUM_FORMAT_RESERVED_6",
    "BUF_NUM_FORMAT_FLOAT",
];

/// Memory scopes by number (gfx12).
pub static SCOPES: &[&str] = &["SCOPE_CU", "SCOPE_SE", "SCOPE_DEV", "SCOPE_SYS"];

/// Which temporal hints an instruction takes (gfx12).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hints {
    /// Loads, prefetches, cache controls.
    Load,
    /// Stores.
    Store,
    /// Atomics.
    Atomic,
}

/// What the text says for temporal hint `th` at `scope`: the part behind `th:`; empty if nothing.
pub fn hint_text(hints: Hints, th: u8, scope: u8) -> String {
    if th == 0 {
        return String::new();
    }
    let name = match hints {
        Hints::Atomic if th & 4 != 0 && scope >= 2 => {
            if th & 2 != 0 {
                "TH_ATOMIC_CASCADE_NT"
            } else {
                "TH_ATOMIC_CASCADE_RT"
            }
        }
        Hints::Atomic if th & 4 != 0 => return format!("TH_ATOMIC_{th:#x}"),
        Hints::Atomic => ["", "TH_ATOMIC_RETURN", "TH_ATOMIC_NT", "TH_ATOMIC_NT_RETURN"][usize::from(th & 3)],
        Hints::Load => match th {
            1 => "TH_LOAD_NT",
            2 => "TH_LOAD_HT",
            3 if scope == 3 => "TH_LOAD_BYPASS",
            3 => "TH_LOAD_LU",
            4 => "TH_LOAD_NT_RT",
            5 => "TH_LOAD_RT_NT",
            6 => "TH_LOAD_NT_HT",
            _ => return format!("{th:#x}"),
        },
        Hints::Store => match th {
            1 => "TH_STORE_NT",
            2 => "TH_STORE_HT",
            3 if scope == 3 => "TH_STORE_BYPASS",
            3 => "TH_STORE_WB",
            4 => "TH_STORE_NT_RT",
            5 => "TH_STORE_RT_NT",
            6 => "TH_STORE_NT_HT",
            _ => "TH_STORE_NT_WB",
        },
    };
    name.to_owned()
}

/// A temporal hint as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hint {
    /// The field.
    pub th: u8,
    /// Which instructions it is for; `None` for `TH_DEFAULT`.
    pub hints: Option<Hints>,
    /// `BYPASS`, which needs system scope, where the equal number otherwise forbids it.
    pub bypass: bool,
}

/// The hint called `name` (`TH_LOAD_NT`…).
pub fn hint_by_name(name: &str) -> Option<Hint> {
    if name == "TH_DEFAULT" {
        return Some(Hint { th: 0, hints: None, bypass: false });
    }
    let (hints, rest) = if let Some(rest) = name.strip_prefix("TH_LOAD_") {
        (Hints::Load, rest)
    } else if let Some(rest) = name.strip_prefix("TH_STORE_") {
        (Hints::Store, rest)
    } else {
        (Hints::Atomic, name.strip_prefix("TH_ATOMIC_")?)
    };
    let th = match (hints, rest) {
        (_, "RT") => 0,
        (Hints::Atomic, "RETURN" | "RT_RETURN") => 1,
        (Hints::Atomic, "NT") => 2,
        (Hints::Atomic, "NT_RETURN") => 3,
        (Hints::Atomic, "CASCADE_RT") => 4,
        (Hints::Atomic, "CASCADE_NT") => 6,
        (Hints::Atomic, _) => return None,
        (_, "NT") => 1,
        (_, "HT") => 2,
        (Hints::Load, "LU") | (Hints::Store, "WB") | (_, "BYPASS") => 3,
        (_, "NT_RT") => 4,
        (_, "RT_NT") => 5,
        (_, "NT_HT") => 6,
        (Hints::Store, "NT_WB") => 7,
        _ => return None,
    };
    Some(Hint { th, hints: Some(hints), bypass: rest == "BYPASS" })
}

/// The text of a `ds_swizzle_b32` offset.
pub fn swizzle_text(offset: u16) -> String {
    let (and, or, xor) = (offset & 31, offset >> 5 & 31, offset >> 10 & 31);
    if offset >= 0xe000 {
        return format!("swizzle(FFT,{})", offset & 31);
    }
    if offset >= 0xc000 {
        return format!("swizzle(ROTATE,{},{})", offset >> 10 & 1, offset >> 5 & 31);
    }
    if offset & 0xff00 == 0x8000 {
        let lane = |n: u16| offset >> (2 * n) & 3;
        return format!("swizzle(QUAD_PERM,{},{},{},{})", lane(0), lane(1), lane(2), lane(3));
    }
    if offset & 0x8000 != 0 {
        return offset.to_string();
    }
    if and == 31 && or == 0 && xor.count_ones() == 1 {
        return format!("swizzle(SWAP,{xor})");
    }
    if and == 31 && or == 0 && xor > 0 && (xor + 1).is_power_of_two() {
        return format!("swizzle(REVERSE,{})", xor + 1);
    }
    let group = 32 - and;
    if group > 1 && group.is_power_of_two() && or < group && xor == 0 {
        return format!("swizzle(BROADCAST,{group},{or})");
    }
    let pattern: String = (0..5)
        .rev()
        .map(|bit| {
            let zero = or ^ xor;
            let one = (and | or) ^ xor;
            match (zero >> bit & 1, one >> bit & 1) {
                (0, 0) => '0',
                (1, 1) => '1',
                (0, _) => 'p',
                _ => 'i',
            }
        })
        .collect();
    format!("swizzle(BITMASK_PERM,\"{pattern}\")")
}
