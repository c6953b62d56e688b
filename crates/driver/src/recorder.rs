//! The observer that makes a [`Recording`].

use rustc_hash::FxHashMap;
use wavemark_isa::{Machine, decode_as_executed};
use wavemark_sim::Limit;
use wavemark_sim::events::{
    Access, BarrierEvent, BarrierId, Blocked, CacheOp, Channel, Counter, Direction, Extent, Fault, Issue,
    Observer, OpId, Site, Space, WaveId, WaveIndex,
};
use wavemark_sim::regs::Regs;

use crate::places::{Places, instruction_text};
use crate::recording::{
    At, LDS_CELL, MAX_EVENTS, MAX_STEPS, Moment, Operation, Recording, Seen, Wave, What, barrier_name,
};

/// Records a run.
#[derive(Debug)]
pub struct Recorder {
    machine: Machine,
    recording: Recording,
    /// Numbers of sites by their addresses in memory.
    sites: FxHashMap<u64, u32>,
    /// Operations in flight: index among the recorded ones, if it is, and time of issue.
    in_flight: FxHashMap<OpId, (Option<usize>, u64)>,
    /// How many operations of a wave's channel are in flight.
    depth: FxHashMap<(WaveIndex, Channel), usize>,
    /// Since when waves are in a barrier's wait.
    waiting: FxHashMap<WaveIndex, u64>,
}

impl Recorder {
    /// Nothing recorded yet; `machine` decides how instructions are written.
    pub fn new(machine: Machine) -> Recorder {
        Recorder {
            machine,
            recording: Recording::default(),
            sites: FxHashMap::default(),
            in_flight: FxHashMap::default(),
            depth: FxHashMap::default(),
            waiting: FxHashMap::default(),
        }
    }

    /// The recording, with the places of its instructions named, and with those of the kernel that were not executed:
    /// its code is `bytes` from the address `first` on, as `executed_by` reads it.
    pub fn finish(self, places: &Places<'_>, executed_by: Machine, first: u64, bytes: &[u8]) -> Recording {
        let Recorder { mut recording, sites, .. } = self;
        let mut at = 0;
        while at < bytes.len() {
            let pc = first + at as u64;
            let decoded = decode_as_executed(executed_by, &bytes[at..]).ok();
            if !sites.contains_key(&pc)
                && let Some(inst) = &decoded
            {
                recording.sites.push(Seen {
                    at: At::Address(pc),
                    text: places.text(inst),
                    source: None,
                    count: 0,
                });
            }
            at += decoded.map_or(4, |inst| usize::from(inst.size));
        }
        for site in &mut recording.sites {
            if let At::Address(pc) = site.at {
                site.source = places.source(pc);
                site.at = At::Address(pc.wrapping_sub(places.base));
            }
        }
        recording
    }

    fn site(&mut self, site: &Site) -> u32 {
        let sites = &mut self.recording.sites;
        *self.sites.entry(site.pc).or_insert_with(|| {
            let text = instruction_text(self.machine, &site.inst);
            sites.push(Seen { at: At::Address(site.pc), text, source: None, count: 0 });
            sites.len() as u32 - 1
        })
    }

    fn has_room(&mut self) -> bool {
        let recording = &mut self.recording;
        let room = recording.operations.len() + recording.moments.len() < MAX_EVENTS;
        recording.left_out += u64::from(!room);
        room
    }

    fn moment(&mut self, wave: WaveId, site: &Site, start: u64, what: What) {
        let site = self.site(site);
        if self.has_room() {
            let end = self.recording.end;
            self.recording.moments.push(Moment { wave: wave.index, site, start, end, what });
        }
    }

    fn now(&mut self, wave: WaveId, site: &Site, what: What) {
        self.moment(wave, site, self.recording.end, what);
    }

    /// Accounts for what an operation does to LDS; the bytes that it writes.
    fn lds(&mut self, site: u32, op: &Issue) -> Option<(u64, u64)> {
        let mut written: Option<(u64, u64)> = None;
        for access in op.accesses.iter().filter(|access| access.space == Space::Lds) {
            let lds = self.recording.lds.entry(site).or_default();
            each_run(access, |start, end| {
                if access.direction != Direction::Write {
                    touch(&mut lds.read, start, end);
                }
                if access.direction != Direction::Read {
                    touch(&mut lds.written, start, end);
                    let (first, last) = written.unwrap_or((start, end));
                    written = Some((first.min(start), last.max(end)));
                }
            });
        }
        written
    }
}

/// Largest LDS that is accounted for; what is beyond is out of bounds.
const MAX_LDS: u64 = 1 << 20;

/// The runs of bytes of an access.
fn each_run(access: &Access, mut work: impl FnMut(u64, u64)) {
    match &access.extent {
        Extent::Lanes { mask, bytes, addr } => {
            let lanes = (0..64).filter(|lane| mask >> lane & 1 == 1);
            lanes.for_each(|lane| work(addr[lane], addr[lane].saturating_add(u64::from(*bytes))));
        }
        Extent::Runs(runs) => {
            runs.iter().for_each(|&(start, len)| work(start, start.saturating_add(u64::from(len))));
        }
    }
}

/// Counts the cells of the bytes from `start` to `end`.
pub(crate) fn touch(cells: &mut Vec<u32>, start: u64, end: u64) {
    if start >= end || end > MAX_LDS {
        return;
    }
    let last = ((end - 1) / LDS_CELL) as usize;
    if cells.len() <= last {
        cells.resize(last + 1, 0);
    }
    for cell in &mut cells[(start / LDS_CELL) as usize..=last] {
        *cell = cell.saturating_add(1);
    }
}

impl Observer for Recorder {
    fn workgroup_started(&mut self, _workgroup_flat: u32, lds: u32, _waves: u32) {
        self.recording.lds_bytes = self.recording.lds_bytes.max(lds);
    }

    fn wave_started(&mut self, wave: WaveId, _sgprs: u32, _vgprs: u32) {
        let started = Wave {
            workgroup: wave.workgroup,
            workgroup_flat: wave.workgroup_flat,
            wave: wave.wave,
            start: self.recording.end,
            end: None,
        };
        let waves = &mut self.recording.waves;
        // Waves are numbered in the order of their creation, which need not be that of their start.
        let index = wave.index as usize;
        if waves.len() <= index {
            waves.resize(index + 1, started);
        }
        waves[index] = started;
    }

    fn instruction(&mut self, wave: WaveId, site: &Site, _exec: u64, _regs: &Regs) {
        let site = self.site(site);
        let recording = &mut self.recording;
        recording.sites[site as usize].count += 1;
        recording.end += 1;
        if recording.steps.len() < MAX_STEPS {
            recording.steps.push((wave.index, site));
        }
    }

    fn issued(&mut self, wave: WaveId, site: &Site, op: &Issue) {
        let site = self.site(site);
        let lds_written = self.lds(site, op);
        let Some(&(channel, number)) = op.seq.first() else { return };
        let issued = self.recording.end;
        for &(channel, _) in &op.seq {
            let depth = self.depth.entry((wave.index, channel)).or_default();
            *depth += 1;
            let load = self.recording.channels.entry(channel).or_default();
            load.operations += 1;
            if load.in_flight.len() <= *depth {
                load.in_flight.resize(*depth + 1, 0);
            }
            load.in_flight[*depth] += 1;
        }
        let kept = self.has_room().then(|| {
            let operation =
                Operation { wave: wave.index, site, channel, number, issued, completed: None, lds_written };
            self.recording.operations.push(operation);
            self.recording.operations.len() - 1
        });
        self.in_flight.insert(op.id, (kept, issued));
    }

    fn completed(&mut self, wave: WaveId, op: &Issue) {
        let Some((kept, issued)) = self.in_flight.remove(&op.id) else { return };
        let now = self.recording.end;
        if let Some(kept) = kept {
            self.recording.operations[kept].completed = Some(now);
        }
        for &(channel, _) in &op.seq {
            if let Some(depth) = self.depth.get_mut(&(wave.index, channel)) {
                *depth = depth.saturating_sub(1);
            }
            let load = self.recording.channels.entry(channel).or_default();
            load.completed += 1;
            load.time += now - issued;
        }
    }

    fn waited(&mut self, wave: WaveId, site: &Site, waits: &[(Counter, u32)]) {
        self.now(wave, site, What::Wait(waits.to_vec()));
    }

    fn barrier(&mut self, wave: WaveId, site: &Site, id: BarrierId, event: BarrierEvent) {
        let words = match event {
            BarrierEvent::WaitStart => {
                self.waiting.insert(wave.index, self.recording.end);
                return;
            }
            BarrierEvent::WaitEnd { phase } => {
                let start = self.waiting.remove(&wave.index).unwrap_or(self.recording.end);
                return self.moment(wave, site, start, What::BarrierWait(id, phase));
            }
            BarrierEvent::Init { count } => format!("initialised for {count} waves"),
            BarrierEvent::Join => "joined".to_owned(),
            BarrierEvent::Arrive { before: (arrived, Some(expected)), .. } => {
                format!("signalled, {} of {expected} have", arrived + 1)
            }
            BarrierEvent::Arrive { before: (arrived, None), .. } => {
                format!("signalled, {} have", arrived + 1)
            }
            BarrierEvent::Drop { implicit: true } => "left at the wave's end".to_owned(),
            BarrierEvent::Drop { implicit: false } => "left".to_owned(),
            BarrierEvent::Complete { phase } => format!("phase {phase} complete"),
            BarrierEvent::GetState => "state read".to_owned(),
            BarrierEvent::Ignored => "without effect".to_owned(),
        };
        self.now(wave, site, What::Barrier(id, words));
    }

    fn cache(&mut self, wave: WaveId, site: &Site, _op: CacheOp, issue: &Issue) {
        self.now(wave, site, What::Cache);
        self.issued(wave, site, issue);
    }

    fn fault(&mut self, wave: WaveId, site: &Site, fault: &Fault) {
        let words = match fault {
            Fault::OutOfBounds { addr, bytes, nearest, .. } => {
                format!("{bytes} bytes at {addr:#x} are out of bounds: {nearest}")
            }
            Fault::Misaligned { addr, align, .. } => format!("{addr:#x} is not a multiple of {align}"),
            Fault::Trap { id } => format!("trap {id}"),
        };
        self.now(wave, site, What::Fault(words));
    }

    fn wave_ended(&mut self, wave: WaveId, _site: &Site) {
        let end = self.recording.end;
        if let Some(wave) = self.recording.waves.get_mut(wave.index as usize) {
            wave.end = Some(end);
        }
    }

    fn deadlock(&mut self, waiting: &[(WaveId, Site, Blocked)]) {
        for (wave, site, blocked) in waiting {
            let words = match blocked {
                Blocked::Barrier { id, arrived, expected: Some(expected) } => {
                    format!("deadlock: {arrived} of {expected} have signalled the {}", barrier_name(*id))
                }
                Blocked::Barrier { id, arrived, expected: None } => {
                    format!("deadlock: {arrived} have signalled the {}", barrier_name(*id))
                }
                Blocked::Halted => "halted".to_owned(),
            };
            self.now(*wave, site, What::Stopped(words));
        }
    }

    fn limit(&mut self, wave: WaveId, site: &Site, limit: Limit) {
        self.now(wave, site, What::Stopped(limit.name().to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::LdsUse;

    #[test]
    fn cells() {
        let mut lds = LdsUse::default();
        touch(&mut lds.written, 60, 68);
        touch(&mut lds.written, 64, 64);
        touch(&mut lds.written, 0, u64::MAX);
        assert_eq!(lds.written, [1, 1]);
    }
}
