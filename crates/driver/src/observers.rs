//! Several observers of one run.

use wavemark_sim::Limit;
use wavemark_sim::events::{
    BarrierEvent, BarrierId, Blocked, CacheOp, Counter, Fault, Issue, LoadIssue, Observer, OpId, Site, WaveId,
};
use wavemark_sim::regs::Regs;

/// Tells both of everything, the first one first.
#[derive(Debug)]
pub struct Both<A, B>(pub A, pub B);

/// Tells the observer if there is one.
#[derive(Debug)]
pub struct Maybe<A>(pub Option<A>);

macro_rules! forward {
    ($($name:ident($($argument:ident: $type:ty),*);)*) => {
        impl<A: Observer, B: Observer> Observer for Both<A, B> {
            const ACTIVE: bool = A::ACTIVE || B::ACTIVE;
            $(fn $name(&mut self, $($argument: $type),*) {
                self.0.$name($($argument),*);
                self.1.$name($($argument),*);
            })*

            fn split(&self) -> Option<Self> {
                Some(Both(self.0.split()?, self.1.split()?))
            }

            fn gives_up(&self) -> bool {
                self.0.gives_up() || self.1.gives_up()
            }

            fn depends_on_order(&self) -> bool {
                self.0.depends_on_order() || self.1.depends_on_order()
            }

            fn follows(&mut self, wave: WaveId, site: &Site, exec: u64) -> bool {
                !self.1.wants_everything() && self.0.follows(wave, site, exec)
            }

            fn followed(&mut self, instructions: usize) {
                self.0.followed(instructions);
            }

            fn follows_issue(&mut self, wave: WaveId, site: &Site, load: &LoadIssue<'_>) -> bool {
                !self.1.wants_everything() && self.0.follows_issue(wave, site, load)
            }

            fn follows_completion(&mut self, wave: WaveId, id: OpId) -> bool {
                !self.1.wants_everything() && self.0.follows_completion(wave, id)
            }

            fn wants_everything(&self) -> bool {
                self.0.wants_everything() || self.1.wants_everything()
            }

            fn learn_code(&mut self, Both(first, second): Self) {
                self.0.learn_code(first);
                self.1.learn_code(second);
            }

            fn unite(&mut self, parts: Vec<Self>) {
                let (first, second) = parts.into_iter().map(|Both(first, second)| (first, second)).unzip();
                self.0.unite(first);
                self.1.unite(second);
            }
        }

        impl<A: Observer> Observer for Maybe<A> {
            const ACTIVE: bool = A::ACTIVE;
            $(fn $name(&mut self, $($argument: $type),*) {
                if let Some(observer) = &mut self.0 {
                    observer.$name($($argument),*);
                }
            })*

            fn split(&self) -> Option<Self> {
                match &self.0 {
                    Some(observer) => Some(Maybe(Some(observer.split()?))),
                    None => Some(Maybe(None)),
                }
            }

            fn gives_up(&self) -> bool {
                self.0.as_ref().is_some_and(A::gives_up)
            }

            fn depends_on_order(&self) -> bool {
                self.0.as_ref().is_some_and(A::depends_on_order)
            }

            fn follows(&mut self, wave: WaveId, site: &Site, exec: u64) -> bool {
                self.0.as_mut().is_some_and(|observer| observer.follows(wave, site, exec))
            }

            fn follows_issue(&mut self, wave: WaveId, site: &Site, load: &LoadIssue<'_>) -> bool {
                self.0.as_mut().is_some_and(|observer| observer.follows_issue(wave, site, load))
            }

            fn follows_completion(&mut self, wave: WaveId, id: OpId) -> bool {
                self.0.as_mut().is_some_and(|observer| observer.follows_completion(wave, id))
            }

            fn followed(&mut self, instructions: usize) {
                if let Some(observer) = &mut self.0 {
                    observer.followed(instructions);
                }
            }

            fn wants_everything(&self) -> bool {
                self.0.as_ref().is_some_and(A::wants_everything)
            }

            fn learn_code(&mut self, part: Self) {
                if let (Some(observer), Some(part)) = (&mut self.0, part.0) {
                    observer.learn_code(part);
                }
            }

            fn unite(&mut self, parts: Vec<Self>) {
                if let Some(observer) = &mut self.0 {
                    observer.unite(parts.into_iter().filter_map(|part| part.0).collect());
                }
            }
        }
    };
}

// Every method of the trait: one that is missing here would be swallowed.
forward! {
    shared_with_host(from: u64, to: u64);
    workgroup_started(workgroup_flat: u32, lds: u32, waves: u32);
    workgroup_ended(workgroup_flat: u32);
    touches_again();
    wave_started(wave: WaveId, sgprs: u32, vgprs: u32);
    instruction(wave: WaveId, site: &Site, exec: u64, regs: &Regs);
    issued(wave: WaveId, site: &Site, op: &Issue);
    performed(wave: WaveId, op: &Issue);
    completed(wave: WaveId, op: &Issue);
    waited(wave: WaveId, site: &Site, waits: &[(Counter, u32)]);
    barrier(wave: WaveId, site: &Site, id: BarrierId, event: BarrierEvent);
    cache(wave: WaveId, site: &Site, op: CacheOp, issue: &Issue);
    fault(wave: WaveId, site: &Site, fault: &Fault);
    wave_ended(wave: WaveId, site: &Site);
    deadlock(waiting: &[(WaveId, Site, Blocked)]);
    limit(wave: WaveId, site: &Site, limit: Limit);
}
