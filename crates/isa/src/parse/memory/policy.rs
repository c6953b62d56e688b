//! Words of the cache policy, in any order.

use wavemark_target::facts::CachePolicy;

use crate::cache_policy::{self, Hints};
use crate::format::Addressing;
use crate::parse::{ParseError, Parser};
use crate::row::Row;
use crate::{Inst, Operand};

/// Reads the cache policy of an instruction of `row`, whose operands have been read.
pub(in crate::parse) fn parse(p: &mut Parser, row: &Row, inst: &mut Inst) -> Result<(), ParseError> {
    match p.machine.facts().cache_policy {
        CachePolicy::ThScope => hints_and_scope(p, row, inst, false)?,
        CachePolicy::ThScopeNv => hints_and_scope(p, row, inst, true)?,
        policy => words(p, row, inst, policy)?,
    }
    p.eat(",");
    Ok(())
}

fn words(p: &mut Parser, row: &Row, inst: &mut Inst, policy: CachePolicy) -> Result<(), ParseError> {
    let scalar = row.memory.addressing == Some(Addressing::ScalarBase);
    let start = p.pos;
    let mut seen = 0u8;
    loop {
        p.skip_space();
        let at = p.pos;
        let word = p.peek_word();
        // `noglc` and the like say what is the case without a word.
        let said = word.strip_prefix("no").unwrap_or(word);
        let known = cache_policy::words(policy, scalar).iter().find(|(name, _)| *name == said);
        let Some((name, bit)) = known else { break };
        // Of scalar memory only GLC and DLC can be said.
        if scalar && !matches!(*name, "glc" | "dlc") {
            return Err(p.error_at(at, format!("{name} is not a word of scalar memory")));
        }
        if seen >> bit & 1 != 0 {
            return Err(p.error_at(at, "duplicate cache policy modifier"));
        }
        seen |= 1 << bit;
        if said == word {
            inst.mods.cpol |= 1 << bit;
        }
        p.pos = at + word.len();
    }
    let (name, _) = cache_policy::words(policy, scalar)[0];
    if scalar && seen != 0 && !row.encodings[0].has_modifier("glc") {
        return Err(p.error_at(start, "cache policy is not supported for SMRD instructions"));
    }
    match (row.memory.returns, inst.mods.cpol & 1) {
        (Some(false), 1) => Err(p.error(format!("instruction must not use {name}"))),
        (Some(true), 0) => Err(p.error(format!("instruction must use {name}"))),
        _ => Ok(()),
    }
}

fn hints_and_scope(p: &mut Parser, row: &Row, inst: &mut Inst, nv: bool) -> Result<(), ParseError> {
    let mut seen = 0u8;
    let mut hint = None;
    let start = p.pos;
    loop {
        p.skip_space();
        let at = p.pos;
        let (bit, key) = match p.peek_word() {
            "th" => (1, "th"),
            "scope" => (2, "scope"),
            "nv" => (4, "nv"),
            "scale_offset" => (8, "scale_offset"),
            _ => break,
        };
        if seen & bit != 0 {
            return Err(p.error("duplicate cache policy modifier"));
        }
        seen |= bit;
        p.word();
        match key {
            "th" => {
                p.expect(":")?;
                p.skip_space();
                let at = p.pos;
                let name = p.word();
                let read = cache_policy::hint_by_name(name).ok_or_else(|| {
                    p.error_at(
                        at,
                        if name.is_empty() { "expected an identifier" } else { "invalid th value" },
                    )
                })?;
                inst.mods.cpol |= read.th;
                hint = Some((read, at));
            }
            "scope" => {
                p.expect(":")?;
                p.skip_space();
                let at = p.pos;
                let word = p.peek_word();
                let scope = match cache_policy::SCOPES.iter().position(|name| *name == word) {
                    Some(scope) => {
                        p.word();
                        scope as i64
                    }
                    None => p.absolute().map_err(|_| {
                        p.error_at(at, "expected SCOPE_CU, SCOPE_SE, SCOPE_DEV, SCOPE_SYS, or 0 to 3")
                    })?,
                };
                if !(0..4).contains(&scope) {
                    return Err(
                        p.error_at(at, "expected SCOPE_CU, SCOPE_SE, SCOPE_DEV, SCOPE_SYS, or 0 to 3")
                    );
                }
                inst.mods.cpol |= (scope as u8) << 3;
            }
            _ if !nv => return Err(p.error_at(at, format!("{key} is not supported on this GPU"))),
            "nv" => inst.mods.cpol |= 0x20,
            _ => {
                if !takes_scale_offset(row, inst) {
                    return Err(p.error_at(at, "scale_offset needs an offset register"));
                }
                inst.mods.cpol |= 0x40;
            }
        }
    }
    let th = inst.mods.cpol & 7;
    if row.memory.returns == Some(true) && th & 1 == 0 {
        return Err(p.error_at(start, "instruction must use th:TH_ATOMIC_RETURN"));
    }
    let Some((hint, at)) = hint.filter(|(hint, _)| hint.th != 0) else { return Ok(()) };
    let scalar = row.memory.addressing == Some(Addressing::ScalarBase);
    if scalar && th > 3 {
        return Err(p.error_at(at, "expected one of TH_LOAD_RT NT HT LU BYPASS"));
    }
    let wanted = row.memory.hints;
    if hint.hints != Some(wanted) {
        return Err(p.error_at(
            at,
            match wanted {
                Hints::Load => "expected one of TH_LOAD_RT NT HT LU BYPASS NT_RT RT_NT NT_HT",
                Hints::Store => "expected one of TH_STORE_RT NT HT WB BYPASS NT_RT RT_NT NT_HT NT_WB",
                Hints::Atomic => "expected one of TH_ATOMIC_RT NT RETURN NT_RETURN CASCADE_RT CASCADE_NT",
            },
        ));
    }
    let system = inst.mods.cpol >> 3 & 3 == 3;
    if th == 3 && hint.bypass != system {
        return Err(
            p.error_at(at, "TH_…_BYPASS needs SCOPE_SYS, where the hints of the same number are not valid")
        );
    }
    Ok(())
}

/// Whether the address has an offset register that can be scaled.
fn takes_scale_offset(row: &Row, inst: &Inst) -> bool {
    let operand = |role: &str| row.operand_index(role).and_then(|index| inst.operands.get(index));
    let given = |role: &str| matches!(operand(role), Some(Operand::Reg(_) | Operand::Special(_)));
    row.memory.scales_offset
        && match row.memory.addressing {
            Some(Addressing::Flat | Addressing::Global) => given("saddr"),
            Some(Addressing::Scratch) => given("vaddr"),
            _ => true,
        }
}
