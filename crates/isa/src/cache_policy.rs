//! Words of the cache policy: which an instruction can say, and which bits of [`crate::Mods::cpol`] they are.
//! Sources: CDNA4 manual 9.1.11, CDNA5 manual 4.10, the manuals' chapters on memory; spellings LLVM 22's.

use wavemark_target::facts::CachePolicy;

/// The words and their bits of [`crate::Mods::cpol`], in the order in which they are printed; none where the policy is
/// a temporal hint and a scope. Scalar memory says `glc` on every processor that has words.
pub fn words(policy: CachePolicy, scalar: bool) -> &'static [(&'static str, u8)] {
    match policy {
        CachePolicy::GlcSlc => &[("glc", 0), ("slc", 1)],
        CachePolicy::Sc0Sc1Nt if scalar => &[("glc", 0)],
        CachePolicy::GlcSlcScc => &[("glc", 0), ("slc", 1), ("scc", 4)],
        CachePolicy::Sc0Sc1Nt => &[("sc0", 0), ("nt", 1), ("sc1", 4)],
        CachePolicy::GlcSlcDlc => &[("glc", 0), ("slc", 1), ("dlc", 2)],
        CachePolicy::ThScope | CachePolicy::ThScopeNv => &[],
    }
}

/// Memory scopes by number (gfx12).
pub static SCOPES: &[&str] = &["SCOPE_CU", "SCOPE_SE", "SCOPE_DEV", "SCOPE_SYS"];

/// Which temporal hints an instruction takes (gfx12).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Hints {
    /// Loads, prefetches, cache controls.
    #[default]
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
