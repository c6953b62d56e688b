//! Instructions that synchronise otherwise: a wait with another number for one counter, a memory operation of another
//! scope. What reads them stands in `control` and `policy`; this is the way back.

use wavemark_target::facts::CachePolicy;

use super::control::{Wait, wait_text};
use super::counter::Counter;
use super::effects;
use super::policy::Scope;
use crate::role::{Class, ImmKind};
use crate::{Inst, Machine, Operand, Table, named, print};

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NoSymbols, parse};
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
