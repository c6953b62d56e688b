//! Instructions that synchronise otherwise: a wait with another number for one counter, a memory operation of another
//! scope, a cache operation of some scope. What reads them stands in `control` and `policy`; this is the way back.

use wavemark_target::facts::CachePolicy;

use super::control::{Wait, wait_text};
use super::counter::Counter;
use super::effects;
use super::memory::{Caches, Memory, Path, Verb};
use super::policy::Scope;
use crate::role::{Class, ImmKind};
use crate::{Inst, Machine, NoSymbols, Operand, Table, named, parse, print};

/// The wait `inst` with the number `n` for `counter`, `None`: not waiting for it. `None` if `inst` does not wait for
/// `counter`, or its field cannot say the number: the largest value of some fields means not to wait.
pub fn with_wait(machine: Machine, inst: &Inst, counter: Counter, n: Option<u32>) -> Option<Inst> {
    let row = Table::of(machine).row(inst.row);
    let Some(Wait::Counters(counters)) = &row.effects.wait else { return None };
    let at = counters.iter().position(|&other| other == counter)?;
    let operand = inst.operands.iter().position(|operand| matches!(operand, Operand::Imm(_)))?;
    let Operand::Imm(field) = inst.operands[operand] else { return None };
    let field = field as u16;
    let bits = match row.operands.first()?.class {
        Class::Imm(ImmKind::WaitCnt) => {
            let bits = named::waitcnt(machine).into_iter().nth(at)?;
            let all = bits.put(bits.max());
            (field & !all) | bits.put(n.map_or(Some(bits.max()), |n| u16::try_from(n).ok())? & bits.max())
        }
        _ => {
            let shift = 8 * (counters.len() - 1 - at);
            let value = n.map_or(Some(0x3f), |n| u16::try_from(n).ok())?;
            (field & !(0x3f << shift)) | (value & 0x3f) << shift
        }
    };
    let mut changed = inst.clone();
    changed.operands[operand] = Operand::Imm(bits.into());
    let waits = effects(machine, &changed).waits;
    let found = waits.iter().find(|(other, _)| *other == counter).map(|(_, n)| *n);
    (found == n && waits.len() + usize::from(n.is_none()) == effects(machine, inst).waits.len())
        .then_some(changed)
}

/// The wait `inst` with the number `n` for `counter`, `None`: not waiting for it, as assembly has it: what else it waits for stays.
/// `None` if it waits for nothing then, or as [`with_wait`].
pub fn weaker_wait_text(machine: Machine, inst: &Inst, counter: Counter, n: Option<u32>) -> Option<String> {
    let weaker = with_wait(machine, inst, counter, n)?;
    match effects(machine, &weaker).waits[..] {
        [] => None,
        [(counter, n)] => Some(wait_text(machine, counter, n)),
        _ => Some(print(machine, &weaker)),
    }
}

/// The memory or cache operation `inst` of another scope; `None` if there is none or it has that scope.
pub fn with_scope(machine: Machine, inst: &Inst, scope: Scope) -> Option<Inst> {
    let before = effects(machine, inst);
    let memory = before.memory?;
    let scope_bits: u8 = match machine.facts().cache_policy {
        CachePolicy::ThScope | CachePolicy::ThScopeNv => 0b1_1000,
        // The lowest bit of an atomic says that the old value is returned.
        CachePolicy::Sc0Sc1Nt | CachePolicy::GlcSlc | CachePolicy::GlcSlcScc | CachePolicy::GlcSlcDlc => {
            if memory.is_atomic() {
                0b1_0000
            } else {
                0b1_0001
            }
        }
    };
    if before.policy.scope == scope {
        return None;
    }
    (0..32).find_map(|bits: u8| {
        let mut changed = inst.clone();
        changed.mods.cpol = (inst.mods.cpol & !scope_bits) | (bits & scope_bits);
        (effects(machine, &changed).policy.scope == scope).then_some(changed)
    })
}

/// The instructions by which loads of vector memory see what waves have stored that share no more than `scope` with the one
/// that loads, as assembly has them: they empty the caches in between.
pub fn invalidate_text(machine: Machine, scope: Scope) -> String {
    let invalidates = || cache_operations(machine).filter(|operation| operation.invalidates);
    let shared = invalidates().find(|operation| operation.caches == Caches::Shared && scope >= Scope::Device);
    let near = invalidates().filter(|operation| matches!(operation.caches, Caches::All | Caches::Near));
    let near = near.max_by_key(|operation| !operation.writes_back);
    let texts = shared.into_iter().chain(near).map(|operation| scoped(machine, operation.mnemonic, scope));
    texts.collect::<Vec<_>>().join(" and ")
}

/// The instruction that empties the scalar cache.
pub fn scalar_invalidate_text(machine: Machine) -> &'static str {
    let empties = |memory: Memory| {
        memory.caches == Caches::Scalar && matches!(memory.verb, Verb::Cache { invalidate: true, .. })
    };
    let mut rows = Table::of(machine).synchronisation();
    rows.find(|row| row.effects.memory.is_some_and(empties)).map_or("", |row| row.mnemonic)
}

/// The instruction that writes back what vector memory has in caches, as far as waves share no more than `scope`; empty if
/// there is none.
pub fn write_back_text(machine: Machine, scope: Scope) -> String {
    let mut writes_back =
        cache_operations(machine).filter(|operation| operation.writes_back && !operation.invalidates);
    writes_back.next().map_or_else(String::new, |operation| scoped(machine, operation.mnemonic, scope))
}

/// What an instruction does to the caches of vector memory.
struct CacheOperation {
    mnemonic: &'static str,
    invalidates: bool,
    writes_back: bool,
    caches: Caches,
}

fn cache_operations(machine: Machine) -> impl Iterator<Item = CacheOperation> {
    Table::of(machine).synchronisation().filter_map(|row| {
        let memory = row.effects.memory.as_ref().filter(|memory| memory.path != Path::Scalar)?;
        let Verb::Cache { invalidate: invalidates, write_back: writes_back } = memory.verb else {
            return None;
        };
        Some(CacheOperation { mnemonic: row.mnemonic, invalidates, writes_back, caches: memory.caches })
    })
}

/// An instruction of which nothing is said but its scope.
fn scoped(machine: Machine, mnemonic: &str, scope: Scope) -> String {
    let plain = parse(machine, mnemonic, &NoSymbols).map(|parsed| parsed.inst);
    let scoped = plain.map(|inst| with_scope(machine, &inst, scope).unwrap_or(inst));
    scoped.map_or_else(|_| mnemonic.to_owned(), |inst| print(machine, &inst))
}

#[cfg(test)]
mod tests {
    use super::*;
    use wavemark_target::Processor;

    fn inst(machine: Machine, text: &str) -> Inst {
        parse(machine, text, &NoSymbols).map(|parsed| parsed.inst).unwrap_or_else(|e| panic!("{text}: {e}"))
    }

    #[test]
    fn waits() {
        let gfx950 = Machine::new(Processor::Gfx950);
        let wait = inst(gfx950, "s_waitcnt vmcnt(3) lgkmcnt(0)");
        let text = |counter, n| with_wait(gfx950, &wait, counter, n).map(|inst| print(gfx950, &inst));
        assert_eq!(text(Counter::Vm, Some(4)).as_deref(), Some("s_waitcnt vmcnt(4) lgkmcnt(0)"));
        assert_eq!(text(Counter::Vm, Some(17)).as_deref(), Some("s_waitcnt vmcnt(17) lgkmcnt(0)"));
        assert_eq!(text(Counter::Lgkm, None).as_deref(), Some("s_waitcnt vmcnt(3)"));
        assert_eq!(text(Counter::Lgkm, Some(15)), None);
        assert_eq!(text(Counter::Exp, Some(0)), None);
        let gfx1250 = Machine::new(Processor::Gfx1250);
        let both = inst(gfx1250, "s_wait_loadcnt_dscnt 0x103");
        let text = |counter, n| with_wait(gfx1250, &both, counter, n).map(|inst| print(gfx1250, &inst));
        assert_eq!(text(Counter::Load, Some(2)).as_deref(), Some("s_wait_loadcnt_dscnt 0x203"));
        assert_eq!(text(Counter::Ds, None).as_deref(), Some("s_wait_loadcnt_dscnt 0x13f"));
    }

    #[test]
    fn cache_operations_of_a_scope() {
        use Processor::*;
        for (processor, scope, invalidate, write_back) in [
            (Gfx908, Scope::Device, "buffer_wbinvl1_vol", ""),
            (Gfx90a, Scope::Device, "buffer_wbinvl1_vol", "buffer_wbl2"),
            (Gfx950, Scope::Se, "buffer_inv sc0", "buffer_wbl2 sc0"),
            (Gfx950, Scope::Device, "buffer_inv sc1", "buffer_wbl2 sc1"),
            (Gfx1100, Scope::Se, "buffer_gl0_inv", ""),
            (Gfx1100, Scope::Device, "buffer_gl1_inv and buffer_gl0_inv", ""),
            (Gfx1250, Scope::Se, "global_inv scope:SCOPE_SE", "global_wb scope:SCOPE_SE"),
            (Gfx1250, Scope::Device, "global_inv scope:SCOPE_DEV", "global_wb scope:SCOPE_DEV"),
        ] {
            let machine = Machine::new(processor);
            let texts = (invalidate_text(machine, scope), write_back_text(machine, scope));
            assert_eq!((texts.0.as_str(), texts.1.as_str()), (invalidate, write_back), "{processor:?}");
        }
    }

    #[test]
    fn weaker_waits_keep_what_else_they_wait_for() {
        let text = |processor, wait, counter, n| {
            let machine = Machine::new(processor);
            weaker_wait_text(machine, &inst(machine, wait), counter, n)
        };
        use Processor::{Gfx950, Gfx1250};
        let both = "s_waitcnt vmcnt(0) lgkmcnt(0)";
        assert_eq!(text(Gfx950, both, Counter::Lgkm, None).as_deref(), Some("s_waitcnt vmcnt(0)"));
        assert_eq!(
            text(Gfx950, both, Counter::Vm, Some(1)).as_deref(),
            Some("s_waitcnt vmcnt(1) lgkmcnt(0)")
        );
        assert_eq!(text(Gfx950, "s_waitcnt vmcnt(0)", Counter::Vm, None), None);
        let both = "s_wait_loadcnt_dscnt 0x0";
        assert_eq!(text(Gfx1250, both, Counter::Ds, None).as_deref(), Some("s_wait_loadcnt 0"));
        assert_eq!(
            text(Gfx1250, both, Counter::Load, Some(1)).as_deref(),
            Some("s_wait_loadcnt_dscnt 0x100")
        );
    }

    #[test]
    fn scopes() {
        let narrowed = |processor, text, scope| {
            let machine = Machine::new(processor);
            with_scope(machine, &inst(machine, text), scope).map(|inst| print(machine, &inst))
        };
        use Processor::{Gfx950, Gfx1250};
        assert_eq!(
            narrowed(Gfx1250, "global_wb scope:SCOPE_SYS", Scope::Device).as_deref(),
            Some("global_wb scope:SCOPE_DEV")
        );
        assert_eq!(narrowed(Gfx950, "buffer_inv sc0 sc1", Scope::Device).as_deref(), Some("buffer_inv sc1"));
        assert_eq!(
            narrowed(Gfx950, "global_atomic_add v0, v[2:3], v4, off sc0 sc1", Scope::Device).as_deref(),
            Some("global_atomic_add v0, v[2:3], v4, off sc0")
        );
        assert_eq!(narrowed(Gfx950, "ds_add_u32 v0, v1", Scope::Device), None);
    }
}
