//! The finding that is made of two accesses that conflict ([`Verdict`]): of which mistake it is, and how bad.

use wavemark_isa::effects::wait_text;
use wavemark_order::Epoch;
use wavemark_sim::events::{Channel, Direction, Space};

use crate::Checker;
use crate::finding::{Class, Finding, Severity};
use crate::lds::Over;
use crate::meeting::Conflict;
use crate::mistakes::{Lack, MistakeId};
use crate::race_verdict::{Meets, Verdict};
use crate::relation::{Later, Relation, channel};

impl Checker {
    /// What is to be said of a conflict; nothing if it is said already.
    pub(crate) fn conflict_finding(&mut self, later: &Later, conflict: &Conflict) -> Option<Finding> {
        let meets = Meets::new(self, later, conflict)?;
        let verdict = meets.verdict();
        let (other, counter, own, narrower) =
            (meets.other_id, meets.counter, meets.own, meets.narrower().site.pc);
        let only_two_fifos = meets.is_over_in_one_queue();
        let unwaited_invalidate = meets.invalidate_in_flight();
        let only_out_of_order = conflict.relation == Relation::InOrder;
        let earlier = conflict.earlier;
        let [first, second] = [earlier.site, later.record.site].map(|site| self.sites.shared(site));
        let pcs = [first.site.pc, second.site.pc];
        // A copy that may land after younger ones is over when all are.
        let of = channel(earlier.epoch.channel);
        let any_order = self.model.lds_dma_any_order && earlier.dma && of == Channel::Vm;
        let last = verdict.missing.as_ref().filter(|_| any_order).map_or(0, |(place, _)| place.issued);
        let awaited = (of, last.max(earlier.epoch.seq));
        let (mut mistake, mut at_fault) = (None, None);
        match verdict.missing {
            // It is for another reason that this one shows.
            _ if only_two_fifos => {}
            Some((place, wrong)) => {
                at_fault = self.faulty_wait(other.index, awaited, place.step, wrong);
                let of = self.missing_wait(other.index, awaited, place);
                self.note_missing_wait(of, later, conflict, (awaited, own, at_fault.is_some()));
                mistake = Some(of);
            }
            None => mistake = self.mistake_without_place(&verdict, later, conflict, narrower),
        }
        if let (Some(with_barrier), Some(of)) = (verdict.with_barrier, mistake) {
            mistake = Some(self.missing_with_barrier(of, with_barrier));
        }
        if earlier.dma && conflict.write_first && later.direction == Direction::Read {
            let refills = self.refills_unawaited(later, earlier.epoch) && at_fault.is_none();
            let pair = self.mistakes.pair(pcs[0], pcs[1]);
            self.mistakes.note_refill(pair, refills);
        }
        let Verdict { rule, class, title, hint, hint_site, else_before, missing, .. } = verdict;
        let (awaited_by, with_barrier) = (verdict.awaited, verdict.with_barrier);
        if self.findings.count_known((rule, class), &pcs, mistake, || at_fault.clone()) {
            return None;
        }
        let severity = match (only_two_fifos || unwaited_invalidate, only_out_of_order) {
            (true, _) => Severity::Warning,
            (_, true) if !self.land_in_any_order(later) => Severity::Advice,
            _ => Severity::Error,
        };
        let roles = if conflict.write_first { ("producer", "consumer") } else { ("reader", "writer") };
        let mut finding = Finding::new(rule, class, severity, title)
            .at(roles.0, &first.site, other)
            .at_lanes(roles.1, &second.site, later.wave, 1 << conflict.lane)
            .faulty(at_fault);
        finding = match (missing, mistake) {
            (Some((place, _)), Some(mistake)) => {
                finding.missing_wait(counter, place.before.map(|(site, _)| site), mistake)
            }
            (Some((place, _)), None) => {
                let wait = wait_text(self.machine, counter, place.issued.saturating_sub(awaited.1));
                finding.hint(format!("{wait} before"), hint_site)
            }
            (None, Some(mistake)) if let Some((before, counter, _)) = with_barrier => {
                finding.missing_wait(counter, Some(before), mistake).and_a_barrier()
            }
            // Where it belongs shows when all instructions are known.
            (None, Some(mistake)) if (rule, class) == ("M5", Class::MissingWait) && hint_site.is_none() => {
                self.mistakes.allow(mistake, 0);
                finding.missing_wait(awaited_by, None, mistake)
            }
            (None, _) => finding.hint(hint, hint_site).of(mistake),
        };
        finding.else_before = else_before;
        finding.is_of_copy = if conflict.write_first { earlier.dma } else { later.record.dma };
        // What comes of a race may differ where it was the same before.
        finding.of_values = pcs[0] == pcs[1] && earlier.valued && later.record.valued;
        let flags = [
            (any_order, "lds-dma-order"),
            (only_two_fifos, "asynccnt"),
            (only_out_of_order && of == Channel::Td, "tensor-order"),
            (unwaited_invalidate, "inv-wait"),
        ];
        Some(flags.into_iter().filter(|flag| flag.0).fold(finding, |finding, (_, flag)| finding.model(flag)))
    }

    /// Whether a copy that a load of its workgroup meets is over what nobody has read of the one before, and in flight.
    fn refills_unawaited(&mut self, load: &Later, copy: Epoch) -> bool {
        let of_lds = self.lds.get_mut(&load.wave.workgroup_flat).filter(|_| load.space == Space::Lds);
        let refills = of_lds.is_some_and(|lds| {
            lds.note_raced(copy);
            lds.was_over(copy) == Over::Unread
        });
        refills && self.waves.get(copy.agent).is_some_and(|copies| !copies.has_retired(copy))
    }

    /// What follows from a wait for an operation being missing, of which it is known where.
    fn note_missing_wait(
        &mut self,
        mistake: MistakeId,
        later: &Later,
        conflict: &Conflict,
        (awaited, own, is_weak): ((Channel, u32), bool, bool),
    ) {
        let earlier = conflict.earlier;
        if own && let Some(state) = self.waves.get(later.wave.index) {
            self.mistakes.before_barriers(mistake, state.barriers_behind(awaited));
        }
        let [first, second] = [earlier.site, later.record.site].map(|site| self.sites.get(site).site.pc);
        let pair = self.mistakes.pair(first, second);
        self.mistakes.join(mistake, pair);
        if own && earlier.dma {
            self.missing_with_order(mistake, later.wave.index, Lack::Order(later.space));
            let counter = self.counters.counter_of(awaited.0);
            let copies = self.waves.get(later.wave.index);
            let waited = copies.and_then(|state| state.has_waited_between_copies(earlier.epoch, counter));
            if let Some(waited) = waited {
                self.mistakes.note_copy(pair, waited && !is_weak);
            }
        }
    }

    /// The mistake by which two accesses conflict for which no wait is missing at a place that is known; the scope of what is at
    /// `narrower` reaches less far.
    fn mistake_without_place(
        &mut self,
        verdict: &Verdict,
        later: &Later,
        conflict: &Conflict,
        narrower: u64,
    ) -> Option<MistakeId> {
        let (earlier, wave) = (conflict.earlier, later.wave.index);
        let [first, second] = [earlier.site, later.record.site].map(|site| self.sites.get(site).site.pc);
        match verdict.class {
            Class::MissingSync => {
                let other = self.waves.get(earlier.epoch.agent);
                let waited = other.is_none_or(|other| other.has_retired(earlier.epoch));
                let mistake = self.missing_order(wave, Lack::Order(later.space), first, second);
                if earlier.dma && conflict.write_first && !waited {
                    // Neither has the copy been waited for: nobody can have meant it to be there.
                    self.missing_too(mistake, Lack::Wait(verdict.awaited), second);
                }
                Some(mistake)
            }
            Class::MissingInvalidate => Some(self.missing_order(wave, Lack::Invalidate, first, second)),
            // One before a releasing store is missing for all that it publishes.
            class if verdict.rule == "M5" => {
                let lack = match class {
                    Class::MissingWriteback => Lack::WriteBack,
                    _ => Lack::Wait(verdict.awaited),
                };
                Some(
                    self.mistakes.place(lack, verdict.hint_site.as_ref().map_or(first, |release| release.pc)),
                )
            }
            Class::WrongScope => Some(self.mistakes.place(Lack::Scope, narrower)),
            _ => None,
        }
    }
}
