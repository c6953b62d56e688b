//! What one instruction tells its observer.

use smallvec::SmallVec;

use crate::events::{
    Access, BarrierEvent, BarrierId, CacheOp, Channel, Counter, Fault, Issue, Observer, Scope, Site, WaveId,
};

/// The events of one instruction.
#[derive(Debug, Default)]
pub struct Recorder {
    pub channels: Vec<Channel>,
    pub accesses: Vec<Access>,
    pub waits: Option<SmallVec<[(Counter, u32); 8]>>,
    pub cache: Option<(bool, bool, Scope)>,
    pub barrier: bool,
    pub ended: bool,
    pub faults: u32,
}

impl Observer for Recorder {
    fn issued(&mut self, _: WaveId, _: &Site, op: &Issue) {
        self.channels.extend(op.seq.iter().map(|&(channel, _)| channel));
        self.accesses.extend(op.accesses.iter().cloned());
    }

    fn waited(&mut self, _: WaveId, _: &Site, waits: &[(Counter, u32)]) {
        self.waits = Some(waits.iter().copied().collect());
    }

    fn barrier(&mut self, _: WaveId, _: &Site, _: BarrierId, event: BarrierEvent) {
        // The end of a wave drops out of its barriers by itself.
        self.barrier |=
            !matches!(event, BarrierEvent::Drop { implicit: true } | BarrierEvent::Complete { .. });
    }

    fn cache(&mut self, _: WaveId, _: &Site, op: CacheOp, issue: &Issue) {
        self.cache = Some((op.invalidate, op.write_back, op.scope));
        self.channels.extend(issue.seq.iter().map(|&(channel, _)| channel));
    }

    fn fault(&mut self, _: WaveId, _: &Site, _: &Fault) {
        self.faults += 1;
    }

    fn wave_ended(&mut self, _: WaveId, _: &Site) {
        self.ended = true;
    }
}
