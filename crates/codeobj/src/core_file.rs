//! Core files of AMD GPUs: segments, notes, and the snapshot of runtime, agents and queues.
//!
//! Follows "Core file format" of LLVM's *User Guide for AMDGPU Backend*; the structures of the snapshot are those of
//! Linux's `kfd_ioctl.h` since version 1.13. Split core files (`EM_AMDGPU`) and unified ones (the host's header) are
//! read alike. The snapshot says the size of its own entries: fields beyond that size are not there.

use std::fmt::{self, Write};

use crate::bytes::Bytes;
use crate::elf::{self, Header, Segment, pt};
use crate::error::Error;
use crate::inspect::names;
use crate::note::{self, AMDGPU, NT_AMDGPU_KFD_CORE_STATE, Note};
use crate::read::tables;

/// A core file.
#[derive(Clone, Debug)]
pub struct CoreFile {
    /// The file header.
    pub header: Header,
    /// The segments.
    pub segments: Vec<Segment>,
    /// The notes of all `PT_NOTE` segments.
    pub notes: Vec<Note>,
    /// The snapshot, if there is one.
    pub snapshot: Option<Snapshot>,
    size: u64,
}

/// The note `NT_AMDGPU_KFD_CORE_STATE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// Major and minor version of the kernel driver's interface.
    pub version: [u32; 2],
    /// The runtime's state.
    pub runtime: Entry,
    /// The agents.
    pub agents: Vec<Entry>,
    /// The queues.
    pub queues: Vec<Entry>,
}

/// A structure of the kernel driver, by its fields. What lies beyond the fields known here is counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// The fields that are there.
    pub fields: Vec<(&'static str, u64)>,
    /// Bytes after them.
    pub rest: usize,
}

impl Entry {
    /// A field by name.
    pub fn get(&self, name: &str) -> Option<u64> {
        self.fields.iter().find(|(field, _)| *field == name).map(|&(_, value)| value)
    }
}

/// A field: its name and bytes. They follow each other without gaps.
type Field = (&'static str, usize);

/// `struct kfd_runtime_info`.
const RUNTIME: &[Field] = &[("r_debug", 8), ("runtime_state", 4), ("ttmp_setup", 4)];

/// `struct kfd_dbg_device_info_entry`.
const AGENT: &[Field] = &[
    ("exception_status", 8),
    ("lds_base", 8),
    ("lds_limit", 8),
    ("scratch_base", 8),
    ("scratch_limit", 8),
    ("gpuvm_base", 8),
    ("gpuvm_limit", 8),
    ("gpu_id", 4),
    ("location_id", 4),
    ("vendor_id", 4),
    ("device_id", 4),
    ("revision_id", 4),
    ("subsystem_vendor_id", 4),
    ("subsystem_device_id", 4),
    ("fw_version", 4),
    ("gfx_target_version", 4),
    ("simd_count", 4),
    ("max_waves_per_simd", 4),
    ("array_count", 4),
    ("simd_arrays_per_engine", 4),
    ("num_xcc", 4),
    ("capability", 4),
    ("debug_prop", 4),
];

/// `struct kfd_queue_snapshot_entry`.
const QUEUE: &[Field] = &[
    ("exception_status", 8),
    ("ring_base_address", 8),
    ("write_pointer_address", 8),
    ("read_pointer_address", 8),
    ("ctx_save_restore_address", 8),
    ("queue_id", 4),
    ("gpu_id", 4),
    ("ring_size", 4),
    ("queue_type", 4),
    ("ctx_save_restore_area_size", 4),
    ("reserved", 4),
];

/// Whether a file is an ELF core file.
pub fn is_core(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x7fELF") && bytes.get(16..18) == Some(&elf::ET_CORE.to_le_bytes())
}

impl CoreFile {
    /// Reads a core file.
    pub fn parse(bytes: &[u8]) -> Result<CoreFile, Error> {
        let file = Bytes::new(bytes);
        let header = Header::parse(file)?;
        if header.file_type != elf::ET_CORE {
            return Err(Error::expected(16, "4 (ET_CORE)", header.file_type.to_string()));
        }
        let segments = tables::parse_segments(file, &header)?;
        let mut notes = Vec::new();
        // Segments that share their bytes could otherwise multiply the memory taken.
        let mut budget = file.len();
        for segment in segments.iter().filter(|segment| segment.kind == pt::NOTE) {
            budget = budget.checked_sub(segment.file_size).ok_or_else(|| {
                Error::expected(segment.offset, "note segments that do not overlap", "larger ones")
            })?;
            let part = file.part(segment.offset, segment.file_size, "the notes")?;
            notes.extend(note::parse_all(part, segment.align)?);
        }
        let snapshots: Vec<&Note> = notes.iter().filter(|note| is_snapshot(note)).collect();
        let snapshot = match snapshots.as_slice() {
            [] => None,
            [only] => Some(Snapshot::parse(only)?),
            [_, second, ..] => {
                return Err(Error::expected(second.offset, "one note NT_AMDGPU_KFD_CORE_STATE", "a second"));
            }
        };
        if snapshot.is_none() && header.machine == elf::EM_AMDGPU {
            return Err(Error::expected(0, "a note NT_AMDGPU_KFD_CORE_STATE in an AMDGPU core file", "none"));
        }
        Ok(CoreFile { header, segments, notes, snapshot, size: file.len() })
    }

    /// Bytes of the file.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// `split`: the agents' part alone; `unified`: the host's core file has it too.
    pub fn layout(&self) -> &'static str {
        if self.header.machine == elf::EM_AMDGPU { "split" } else { "unified" }
    }
}

fn is_snapshot(note: &Note) -> bool {
    note.name == AMDGPU && note.kind == NT_AMDGPU_KFD_CORE_STATE
}

impl Snapshot {
    /// Reads the contents of the note.
    pub fn parse(note: &Note) -> Result<Snapshot, Error> {
        let what = "the note NT_AMDGPU_KFD_CORE_STATE";
        let bytes = Bytes::at_offset(&note.description, note.offset);
        let version = [bytes.u32(0, what)?, bytes.u32(4, what)?];
        let runtime_size = bytes.u64(8, what)?;
        let (agent_count, agent_size) = (bytes.u32(16, what)?, bytes.u32(20, what)?);
        let (queue_count, queue_size) = (bytes.u32(24, what)?, bytes.u32(28, what)?);
        for (at, size) in [(8, runtime_size), (20, agent_size.into()), (28, queue_size.into())] {
            if size % 8 != 0 {
                return Err(Error::expected(
                    bytes.at(at),
                    "a size that is a multiple of 8",
                    size.to_string(),
                ));
            }
        }
        let mut at = 32;
        let runtime = entries(bytes, &mut at, 1, runtime_size, RUNTIME)?.pop().unwrap_or_default();
        let agents = entries(bytes, &mut at, agent_count, agent_size.into(), AGENT)?;
        let queues = entries(bytes, &mut at, queue_count, queue_size.into(), QUEUE)?;
        if at != bytes.len() {
            return Err(Error::expected(
                bytes.at(at),
                "the end of the note",
                format!("{} bytes", bytes.len() - at),
            ));
        }
        Ok(Snapshot { version, runtime, agents, queues })
    }
}

fn entries(
    bytes: Bytes<'_>,
    at: &mut u64,
    count: u32,
    size: u64,
    fields: &[Field],
) -> Result<Vec<Entry>, Error> {
    if count > 0 && size == 0 {
        return Err(Error::expected(bytes.at(*at), format!("{count} entries of some size"), "0 bytes each"));
    }
    let what = "the entries of the note NT_AMDGPU_KFD_CORE_STATE";
    let all = bytes.part(*at, size.saturating_mul(count.into()), what)?;
    *at += all.len();
    let mut entries = Vec::new();
    for index in 0..u64::from(count) {
        let mut rest = all.part(index * size, size, what)?.data();
        let mut entry = Entry::default();
        for &(name, width) in fields {
            let Some((field, after)) = rest.split_at_checked(width) else { break };
            let value = field.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte));
            entry.fields.push((name, value));
            rest = after;
        }
        entry.rest = rest.len();
        entries.push(entry);
    }
    Ok(entries)
}

/// The text for a core file: header, segments, notes, snapshot.
pub fn inspect(core: &CoreFile) -> String {
    let mut out = String::new();
    // Writing to a String cannot fail.
    let _ = write_all(&mut out, core);
    out
}

fn write_all(out: &mut String, core: &CoreFile) -> fmt::Result {
    writeln!(
        out,
        "core file, {} layout, machine {}, {} bytes",
        core.layout(),
        core.header.machine,
        core.size
    )?;
    let abi = names::os_abi(core.header.os_abi);
    writeln!(out, "OS ABI {abi}, ABI version {}", core.header.abi_version)?;
    writeln!(out, "\nsegments:\n  type offset     address            file       memory     flags")?;
    for segment in &core.segments {
        let (kind, flags) = (names::segment_kind(segment.kind), names::segment_flags(segment));
        writeln!(
            out,
            "  {kind:<4} {:#010x} {:#018x} {:#010x} {:#010x} {flags}",
            segment.offset, segment.address, segment.file_size, segment.memory_size
        )?;
    }
    for note in &core.notes {
        let kind = names::note_kind(note);
        writeln!(out, "\nnote {} {kind}, {} bytes", note.name.escape_debug(), note.description.len())?;
        if is_snapshot(note)
            && let Some(snapshot) = &core.snapshot
        {
            snapshot_text(out, snapshot)?;
        }
    }
    Ok(())
}

fn snapshot_text(out: &mut String, snapshot: &Snapshot) -> fmt::Result {
    let [major, minor] = snapshot.version;
    writeln!(
        out,
        "  driver interface {major}.{minor}, {} agents, {} queues",
        snapshot.agents.len(),
        snapshot.queues.len()
    )?;
    entry_text(out, "runtime", &snapshot.runtime)?;
    for (index, agent) in snapshot.agents.iter().enumerate() {
        entry_text(out, &format!("agent {index}"), agent)?;
        if let Some(processor) = processor_of(agent) {
            writeln!(out, "    = {processor}")?;
        }
    }
    for (index, queue) in snapshot.queues.iter().enumerate() {
        entry_text(out, &format!("queue {index}"), queue)?;
    }
    Ok(())
}

/// The processor of an agent: `gfx_target_version` has decimal digits by twos, major, minor, stepping.
pub(crate) fn processor_of(agent: &Entry) -> Option<String> {
    let version = agent.get("gfx_target_version")?;
    let (major, minor, stepping) = (version / 10000, version / 100 % 100, version % 100);
    Some(format!("gfx{major}{minor:x}{stepping:x}"))
}

fn entry_text(out: &mut String, title: &str, entry: &Entry) -> fmt::Result {
    writeln!(out, "  {title}:")?;
    for (name, value) in &entry.fields {
        writeln!(out, "    {name:<26} {value:#x}")?;
    }
    match entry.rest {
        0 => Ok(()),
        rest => writeln!(out, "    {rest} bytes more"),
    }
}
