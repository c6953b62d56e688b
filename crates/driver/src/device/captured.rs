//! The file of a captured launch: a tar archive of the module, the argument segment and the memory that the launch found.
//!
//! `launch.json` comes first and says what the others are: `module` (as it was loaded), `arguments`, `memory/0` and so on.
//! Addresses are those of the device that it was captured on, so that pointers in memory stay what they are.

use std::io::Read as _;

use serde::{Deserialize, Serialize};
use wavemark_budget::room_for;
use wavemark_diag::Diagnostic;

use super::Extent;
use crate::input::{self, Form, Input, Lang};

/// The name of the archive's first file, by which it is recognised.
pub(crate) const HEAD: &str = "launch.json";

/// The version of the form.
const VERSION: u32 = 1;

/// Where an archive says that it is one.
const TAR_MAGIC: (usize, &[u8]) = (257, b"ustar");

/// A captured launch.
#[derive(Debug)]
pub(super) struct Captured {
    pub head: Head,
    pub module: Input,
    pub arguments: Vec<u8>,
    /// The contents of [`Head::memory`].
    pub memory: Vec<Vec<u8>>,
}

/// `launch.json`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Head {
    /// The version of the form.
    pub version: u32,
    /// What the module is called in reports.
    pub module: String,
    /// It is assembly.
    pub assembly: bool,
    /// What it is loaded for.
    pub target: String,
    /// Where it is loaded.
    pub base: u64,
    /// The kernel.
    pub kernel: String,
    /// Workgroups, work-items, and what they share.
    pub extent: Extent,
    /// The allocations, ascending by address.
    pub memory: Vec<Area>,
}

/// An allocation.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Area {
    pub name: String,
    pub base: u64,
    pub size: u64,
    pub writable: bool,
}

/// Whether a file is a captured launch, by its first bytes.
pub(crate) fn is_captured(bytes: &[u8]) -> bool {
    let (at, magic) = TAR_MAGIC;
    let name_ends = bytes.get(HEAD.len()) == Some(&0);
    bytes.starts_with(HEAD.as_bytes())
        && name_ends
        && bytes.get(at..).is_some_and(|rest| rest.starts_with(magic))
}

impl Head {
    /// With the version that this program writes.
    pub fn of(
        module: &Input,
        target: String,
        base: u64,
        kernel: String,
        extent: Extent,
        memory: Vec<Area>,
    ) -> Head {
        let (name, assembly) = (module.name.clone(), module.form == Form::Assembly);
        Head { version: VERSION, module: name, assembly, target, base, kernel, extent, memory }
    }
}

/// The bytes of the file; `memory` are the contents of the head's.
pub(super) fn write<'a>(
    head: &Head,
    module: &[u8],
    arguments: &[u8],
    memory: impl IntoIterator<Item = &'a [u8]>,
) -> Result<Vec<u8>, Diagnostic> {
    let sum = head.memory.iter().map(|area| area.size).sum::<u64>() + module.len() as u64;
    room_for(sum).map_err(|no_room| Diagnostic::error(format!("the captured launch {no_room}")))?;
    let failed = |error: std::io::Error| Diagnostic::error(format!("the launch cannot be captured: {error}"));
    let text = serde_json::to_vec(head).map_err(|error| failed(error.into()))?;
    let mut archive = tar::Builder::new(Vec::new());
    let mut add = |name: &str, bytes: &[u8]| {
        let mut entry = tar::Header::new_ustar();
        entry.set_size(bytes.len() as u64);
        entry.set_mode(0o644);
        archive.append_data(&mut entry, name, bytes).map_err(failed)
    };
    add(HEAD, &text)?;
    add("module", module)?;
    add("arguments", arguments)?;
    for (number, bytes) in memory.into_iter().enumerate() {
        add(&format!("memory/{number}"), bytes)?;
    }
    archive.into_inner().map_err(failed)
}

/// Reads the file that `input` is.
pub(super) fn read(input: &Input) -> Result<Captured, Diagnostic> {
    let broken =
        |what: String| Diagnostic::error(format!("{}: this captured launch is broken: {what}", input.name));
    let wrong = |error: std::io::Error| broken(error.to_string());
    let mut archive = tar::Archive::new(input.bytes.as_slice());
    let mut entries = archive.entries().map_err(wrong)?;
    let mut next = |name: &str| {
        let mut entry = entries.next().ok_or_else(|| broken(format!("{name} is missing")))?.map_err(wrong)?;
        let found = entry.path_bytes().into_owned();
        if found != name.as_bytes() {
            let found = String::from_utf8_lossy(&found).into_owned();
            return Err(broken(format!("{name} should be where {found:?} is")));
        }
        // No entry is longer than the archive, whatever it says.
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).map_err(wrong)?;
        Ok(bytes)
    };
    let head: Head =
        serde_json::from_slice(&next(HEAD)?).map_err(|error| broken(format!("{HEAD}: {error}")))?;
    if head.version != VERSION {
        return Err(broken(format!("it has version {}, this program reads {VERSION}", head.version)));
    }
    let lang = if head.assembly { Lang::Asm } else { Lang::Obj };
    let module = input::from_bytes(head.module.clone(), None, next("module")?, Some(lang))?;
    let arguments = next("arguments")?;
    let mut memory = Vec::new();
    for (number, area) in head.memory.iter().enumerate() {
        let bytes = next(&format!("memory/{number}"))?;
        if bytes.len() as u64 != area.size {
            let (size, found) = (area.size, bytes.len());
            return Err(broken(format!("memory/{number} has {found} bytes, {HEAD} says {size}")));
        }
        memory.push(bytes);
    }
    Ok(Captured { head, module, arguments, memory })
}
