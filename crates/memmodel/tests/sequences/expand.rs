//! From a test at IR level to waves, by the rows of a table.

use std::collections::BTreeSet;

use wavemark_memmodel::caches::{Hierarchy, Op, Waits, Wave};
use wavemark_memmodel::litmus::{Condition, Instruction, LocationId, Semantics, Test};
use wavemark_memmodel::scope::{Scope, Space};

use crate::table::{Mode, Row, rows};

/// A generation in a mode.
pub struct Line {
    pub name: &'static str,
    pub begin: &'static str,
    pub end: &'static str,
    pub hierarchy: Hierarchy,
    /// Workgroups of an agent may have different device caches.
    pub several_l2: bool,
    pub mode: Mode,
}

/// Whether a row is for what shapes ask: atomics and fences on global memory and LDS.
pub fn is_asked(row: &Row) -> bool {
    let generic = row.spaces.iter().all(|space| space == "generic") && !row.spaces.is_empty();
    // A wave executes one instruction after the other, so that its lanes are no threads of this machine; rows of flat
    // accesses are those of both spaces together.
    let wider = |scope: &String| !["singlethread", "wavefront"].contains(&scope.as_str());
    row.ordering != "unordered" && row.scopes.iter().any(wider) && !generic
}

/// What is to be expanded: the access itself, and its place.
enum Access {
    Load(u8, LocationId),
    Store(LocationId, wavemark_memmodel::litmus::Value),
    Update(u8, LocationId, wavemark_memmodel::litmus::Update, wavemark_memmodel::litmus::Value),
    None,
}

/// The waves of a test, and the rows that were used; `None` if there is no row. Of the `without`-th step that is not an
/// access, nothing is left.
pub fn expand(
    line: &Line,
    text: &str,
    test: &Test,
    without: Option<usize>,
) -> Option<(Vec<Wave>, BTreeSet<usize>)> {
    let table = rows(text, line.begin, line.end);
    let mut used = BTreeSet::new();
    let mut waves = Vec::new();
    let mut steps = 0;
    let groups: BTreeSet<_> = test.threads.iter().map(|thread| thread.place.0[..3].to_vec()).collect();
    for thread in &test.threads {
        let mut ops = Vec::new();
        for instruction in &thread.instructions {
            let space = |location: LocationId| match test.locations[usize::from(location)].space {
                Space::Global => "global",
                Space::Local => "local",
            };
            let (name, semantics, access, space) = match *instruction {
                Instruction::Load(register, location, semantics) => {
                    let name = if is_plain(semantics) { "load" } else { "load atomic" };
                    (name, semantics, Access::Load(register, location), space(location))
                }
                Instruction::Store(location, value, semantics) => {
                    let name = if is_plain(semantics) { "store" } else { "store atomic" };
                    (name, semantics, Access::Store(location, value), space(location))
                }
                Instruction::Update(register, location, update, value, semantics) => (
                    "atomicrmw",
                    semantics,
                    Access::Update(register, location, update, value),
                    space(location),
                ),
                Instruction::Fence(semantics) => ("fence", semantics, Access::None, ""),
                Instruction::Jump(_, Condition::NotEqual(register, value)) => {
                    ops.push(Op::Unless(register, value));
                    continue;
                }
                ref other => panic!("shapes have no {other:?}"),
            };
            if is_plain(semantics) {
                ops.push(plain(&access, space));
                continue;
            }
            let scope = if semantics.scope == Scope::System { "system" } else { semantics.scope.name() };
            // "A memory synchronization scope wider than work-group is not meaningful for the group (LDS) address space".
            let scope = if space == "local" && scope != "wavefront" { "workgroup" } else { scope };
            let lines =
                sequence(&table, name, semantics.ordering.name(), scope, space, line.mode, &mut used)?;
            for instruction in lines {
                let op = op(line, &instruction, &access, space, scope);
                let left_out = !matches!(op, Some(Op::Load(..) | Op::Store(..) | Op::Update(..))) && {
                    steps += 1;
                    without == Some(steps - 1)
                };
                if !left_out {
                    ops.extend(op);
                }
            }
        }
        let workgroup = groups.iter().position(|own| own[..] == thread.place.0[..3]).expect("its own") as u8;
        let device = if line.several_l2 { workgroup } else { thread.place.0[0] };
        waves.push(Wave { device, workgroup, registers: thread.registers.len(), ops });
    }
    // Devices are numbered from 0, whatever the places of agents are.
    let devices: BTreeSet<u8> = waves.iter().map(|wave| wave.device).collect();
    for wave in &mut waves {
        wave.device = devices.iter().position(|&own| own == wave.device).expect("its own") as u8;
    }
    Some((waves, used))
}

fn is_plain(semantics: Semantics) -> bool {
    semantics == Semantics::PLAIN
}

fn plain(access: &Access, space: &str) -> Op {
    match *access {
        Access::Load(register, location) if space == "local" => Op::LdsLoad(register, location),
        Access::Store(location, value) if space == "local" => Op::LdsStore(location, value),
        Access::Load(register, location) => Op::Load(register, location, 0),
        Access::Store(location, value) => Op::Store(location, value, 2),
        _ => panic!("no plain access"),
    }
}

/// The instructions of the row for an operation, and of the row that it refers to.
fn sequence(
    table: &[Row],
    instruction: &str,
    ordering: &str,
    scope: &str,
    space: &str,
    mode: Mode,
    used: &mut BTreeSet<usize>,
) -> Option<Vec<String>> {
    let at = table.iter().position(|row| row.is_for(instruction, ordering, scope, space))?;
    used.insert(at);
    let row = &table[at];
    let mut lines = row.instructions(mode, scope);
    if let Some((other, ordering)) = &row.same_as {
        lines.extend(sequence(table, other, ordering, scope, space, mode, used)?);
    }
    Some(lines)
}

/// What an instruction of a row is to the machine; `None` if it does nothing there.
fn op(line: &Line, text: &str, access: &Access, space: &str, scope: &str) -> Option<Op> {
    let one_counter = !line.name.starts_with("gfx1");
    let lone = |waits: Waits| Some(Op::Wait(waits));
    let word = text.split([' ', '(']).next().unwrap_or("");
    match word {
        "vmcnt" => lone(Waits { loads: true, stores: one_counter, ..Waits::default() }),
        "vscnt" | "s_wait_storecnt" => lone(Waits { stores: true, ..Waits::default() }),
        "lgkmcnt" | "s_wait_dscnt" => lone(Waits { lds: true, ..Waits::default() }),
        "s_wait_loadcnt" => lone(Waits { loads: true, ..Waits::default() }),
        // There are no samples and no ray queries in these tests.
        "s_wait_samplecnt" | "s_wait_bvhcnt" => None,
        "buffer_wbinvl1_vol" | "buffer_gl0_inv" => Some(Op::Invalidate(1)),
        "buffer_gl1_inv" => Some(Op::Invalidate(2)),
        "buffer_invl2" => Some(Op::Invalidate(3)),
        "buffer_inv" => Some(Op::Invalidate(level(line, text, scope).max(1))),
        "global_inv" => Some(Op::Invalidate(level(line, text, scope))),
        "buffer_wbl2" if text.contains("sc1=1") && !text.contains("sc0=1") && !line.several_l2 => None,
        "buffer_wbl2" => Some(Op::WriteBack),
        "global_wb" => (scope == "system").then_some(Op::WriteBack),
        _ => {
            let names = ["load", "store", "atomic"];
            assert!(names.iter().any(|name| word.contains(name)), "{}: what is `{text}`?", line.name);
            Some(match *access {
                Access::Load(register, location) if space == "local" => Op::LdsLoad(register, location),
                Access::Store(location, value) if space == "local" => Op::LdsStore(location, value),
                Access::Update(register, location, update, value) if space == "local" => {
                    Op::LdsUpdate(Some(register), location, update, value)
                }
                Access::Load(register, location) => Op::Load(register, location, level(line, text, scope)),
                Access::Store(location, value) => Op::Store(location, value, level(line, text, scope).max(2)),
                // Memory that agents share is not cached by a device whose cache is not coherent.
                Access::Update(register, location, update, value) => {
                    let beyond = scope == "system" || scope == "agent" && line.several_l2;
                    Op::Update(Some(register), location, update, value, if beyond { 3 } else { 2 })
                }
                Access::None => panic!("{}: a fence with `{text}`", line.name),
            })
        }
    }
}

/// How far out an access goes, or which caches an invalidate empties (those below it), by the bits of the instruction.
fn level(line: &Line, text: &str, scope: &str) -> u8 {
    if line.name.starts_with("gfx12") {
        let named = text.split_once("scope:SCOPE_").map(|(_, name)| name);
        return match named.unwrap_or(scope) {
            "SYS" | "system" => 3,
            "DEV" | "agent" => 2,
            // In CU mode "all global memory access by the work-group access the same L0 which in turn ensures L1 accesses
            // are ordered".
            "SE" if line.mode.compute_unit => 0,
            "SE" => 1,
            "workgroup" if !line.mode.compute_unit => 1,
            _ => 0,
        };
    }
    // Memory that gfx90a's agents share has a type that the device's cache does not keep; no bit of the instruction says so.
    if line.name.starts_with("gfx90a") && scope == "system" {
        return 3;
    }
    let has = |bit: &str| text.contains(bit);
    match (has("sc0=1"), has("sc1=1")) {
        (true, true) => 3,
        (false, true) if line.several_l2 => 3,
        (false, true) => 2,
        (true, false) if line.mode.threadgroup_split || text.starts_with("buffer_inv") => 1,
        (true, false) => 0,
        (false, false) if has("dlc=1") => 2,
        (false, false) if has("glc=1") => {
            if line.name.starts_with("gfx10") {
                1
            } else {
                2
            }
        }
        _ => 0,
    }
}
