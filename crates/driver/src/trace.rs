//! A run as a Chrome trace (the JSON that Perfetto and `chrome://tracing` read).
//!
//! A workgroup is a process, a wave one of its threads. Time counts the instructions of all waves, one a
//! microsecond: it shows order, not duration. A wave is one slice, a barrier wait a slice in it; a memory
//! operation that a counter counts is an asynchronous slice from issue to completion; waits, barrier operations and
//! faults are instants. After [`LIMIT`] events the trace says that it is cut short.

use rustc_hash::FxHashMap;
use serde::Serialize;
use serde_json::{Value, json};
use wavemark_isa::Machine;
use wavemark_sim::Limit;
use wavemark_sim::events::{
    BarrierEvent, BarrierId, Blocked, CacheOp, Channel, Counter, Fault, Issue, Observer, OpId, Site, WaveId,
    WaveIndex,
};
use wavemark_sim::regs::Regs;

use crate::places::instruction_text;

/// Events kept.
const LIMIT: usize = 1_000_000;

#[derive(Serialize)]
struct Event {
    name: String,
    cat: &'static str,
    ph: &'static str,
    ts: u64,
    pid: u32,
    tid: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    dur: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    s: Option<&'static str>,
    args: Value,
}

/// Records a run.
pub struct Trace {
    machine: Machine,
    base: u64,
    clock: u64,
    events: Vec<Event>,
    cut: bool,
    started: FxHashMap<WaveIndex, (WaveId, u64)>,
    waiting: FxHashMap<WaveIndex, u64>,
    in_flight: FxHashMap<OpId, u64>,
}

impl Trace {
    /// Nothing recorded yet; `machine` decides how instructions are written, addresses count
    /// from `base`.
    pub fn new(machine: Machine, base: u64) -> Trace {
        Trace {
            machine,
            base,
            clock: 0,
            events: Vec::new(),
            cut: false,
            started: FxHashMap::default(),
            waiting: FxHashMap::default(),
            in_flight: FxHashMap::default(),
        }
    }

    /// The trace as JSON. Waves that have not ended end here.
    pub fn into_json(mut self) -> serde_json::Result<String> {
        let mut open: Vec<(WaveId, u64)> = self.started.drain().map(|(_, open)| open).collect();
        open.sort_by_key(|(wave, _)| wave.index);
        for (wave, start) in open {
            self.slice(wave, format!("wave {}", wave.wave), "wave", start, json!({"end": "none"}));
        }
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct File<'t> {
            trace_events: &'t [Event],
            other_data: Value,
        }
        let other_data =
            json!({"tool": "wavemark", "time": "instructions of all waves", "cut short": self.cut});
        serde_json::to_string(&File { trace_events: &self.events, other_data })
    }

    fn pc(&self, site: &Site) -> String {
        format!("{:#x}", site.pc.wrapping_sub(self.base))
    }

    fn text(&self, site: &Site) -> String {
        instruction_text(self.machine, &site.inst)
    }

    fn push(
        &mut self,
        wave: WaveId,
        name: String,
        cat: &'static str,
        ph: &'static str,
        args: Value,
    ) -> Option<&mut Event> {
        if self.events.len() >= LIMIT {
            self.cut = true;
            return None;
        }
        let (pid, tid) = (wave.workgroup_flat, wave.wave);
        let s = (ph == "i").then_some("t");
        self.events.push(Event { name, cat, ph, ts: self.clock, pid, tid, dur: None, id: None, s, args });
        self.events.last_mut()
    }

    /// A slice from `start` to now.
    fn slice(&mut self, wave: WaveId, name: String, cat: &'static str, start: u64, args: Value) {
        let now = self.clock;
        if let Some(event) = self.push(wave, name, cat, "X", args) {
            event.ts = start;
            event.dur = Some(now - start);
        }
    }
}

fn channel_name(channel: Channel) -> &'static str {
    match channel {
        Channel::Ld => "vector load",
        Channel::St => "vector store",
        Channel::Ds => "LDS",
        Channel::Sm => "scalar",
        Channel::Al => "asynchronous load",
        Channel::As => "asynchronous store",
        Channel::Td => "tensor DMA",
        Channel::Vm => "vector memory",
        Channel::Ex => "exports",
        Channel::Sa => "image sample",
        Channel::Bv => "ray tracing",
    }
}

fn barrier_name(id: BarrierId) -> String {
    match id {
        BarrierId::Workgroup => "workgroup barrier".to_owned(),
        BarrierId::WorkgroupTrap => "workgroup trap barrier".to_owned(),
        BarrierId::Cluster => "cluster barrier".to_owned(),
        BarrierId::ClusterTrap => "cluster trap barrier".to_owned(),
        BarrierId::Null => "null barrier".to_owned(),
        BarrierId::Named(number) => format!("named barrier {number}"),
    }
}

impl Observer for Trace {
    fn wave_started(&mut self, wave: WaveId, _sgprs: u32, _vgprs: u32) {
        self.started.insert(wave.index, (wave, self.clock));
        let [x, y, z] = wave.workgroup;
        if wave.wave == 0 {
            let name = format!("workgroup {x},{y},{z}");
            self.push(wave, "process_name".to_owned(), "", "M", json!({"name": name}));
        }
        self.push(wave, "thread_name".to_owned(), "", "M", json!({"name": format!("wave {}", wave.wave)}));
    }

    fn instruction(&mut self, _wave: WaveId, _site: &Site, _exec: u64, _regs: &Regs) {
        self.clock += 1;
    }

    fn issued(&mut self, wave: WaveId, site: &Site, op: &Issue) {
        let Some(&(channel, sequence)) = op.seq.first() else { return };
        let text = self.text(site);
        self.in_flight.insert(op.id, self.clock);
        let args = json!({"pc": self.pc(site), "channel": channel_name(channel), "number": sequence});
        if let Some(event) = self.push(wave, text, channel_name(channel), "b", args) {
            event.id = Some(op.id.0);
        }
    }

    fn completed(&mut self, wave: WaveId, op: &Issue) {
        let Some(&(channel, _)) = op.seq.first() else { return };
        if self.in_flight.remove(&op.id).is_none() {
            return;
        }
        if let Some(event) = self.push(wave, String::new(), channel_name(channel), "e", json!({})) {
            event.id = Some(op.id.0);
        }
    }

    fn waited(&mut self, wave: WaveId, site: &Site, waits: &[(Counter, u32)]) {
        let text = self.text(site);
        let waits: Vec<String> =
            waits.iter().map(|(counter, most)| format!("{} <= {most}", counter.name())).collect();
        let pc = self.pc(site);
        self.push(wave, text, "wait", "i", json!({"pc": pc, "waits": waits}));
    }

    fn barrier(&mut self, wave: WaveId, site: &Site, id: BarrierId, event: BarrierEvent) {
        match event {
            BarrierEvent::WaitStart => {
                self.waiting.insert(wave.index, self.clock);
            }
            BarrierEvent::WaitEnd { phase } => {
                let start = self.waiting.remove(&wave.index).unwrap_or(self.clock);
                let args = json!({"pc": self.pc(site), "phase": phase});
                self.slice(wave, format!("wait for {}", barrier_name(id)), "barrier", start, args);
            }
            _ => {
                let args = json!({"pc": self.pc(site), "event": format!("{event:?}")});
                self.push(wave, barrier_name(id), "barrier", "i", args);
            }
        }
    }

    fn cache(&mut self, wave: WaveId, site: &Site, _op: CacheOp, _issue: &Issue) {
        let text = self.text(site);
        let pc = self.pc(site);
        self.push(wave, text, "cache", "i", json!({"pc": pc}));
    }

    fn fault(&mut self, wave: WaveId, site: &Site, fault: &Fault) {
        let text = self.text(site);
        let pc = self.pc(site);
        self.push(wave, text, "fault", "i", json!({"pc": pc, "fault": format!("{fault:?}")}));
    }

    fn wave_ended(&mut self, wave: WaveId, site: &Site) {
        let start = self.started.remove(&wave.index).map_or(self.clock, |(_, start)| start);
        let end = self.pc(site);
        self.slice(wave, format!("wave {}", wave.wave), "wave", start, json!({"end": end}));
    }

    fn deadlock(&mut self, waiting: &[(WaveId, Site, Blocked)]) {
        for (wave, site, blocked) in waiting {
            self.push(
                *wave,
                "deadlock".to_owned(),
                "fault",
                "i",
                json!({"pc": self.pc(site), "blocked": format!("{blocked:?}")}),
            );
        }
    }

    fn limit(&mut self, wave: WaveId, site: &Site, limit: Limit) {
        self.push(wave, limit.name().to_owned(), "fault", "i", json!({"pc": self.pc(site)}));
    }
}
