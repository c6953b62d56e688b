//! A recording as a Chrome trace (the JSON that Perfetto and `chrome://tracing` read).
//!
//! A workgroup is a process, a wave one of its threads: a slice for its life, within it slices for its waits at barriers and
//! instants for waits, barrier operations, cache operations and faults. An operation that a counter counts is an
//! asynchronous slice from issue to completion, of its channel's category; one that writes LDS is a slice of a track of
//! its own, too, which is called after the bytes. How many operations of a channel a wave has in flight is a
//! counter. Time counts the instructions of all waves, one a microsecond: it shows order, not duration.

use rustc_hash::FxHashMap;
use serde::Serialize;
use serde_json::{Value, json};
use wavemark_sim::events::Channel;

use crate::recording::{Moment, Operation, Recording, What, barrier_name, channel_name};

/// Threads of a process from this number on are LDS tracks, below are waves.
const LDS_TRACKS: u32 = 1 << 16;

#[derive(Serialize)]
struct Event {
    name: String,
    #[serde(skip_serializing_if = "str::is_empty")]
    cat: &'static str,
    ph: &'static str,
    ts: u64,
    pid: u32,
    tid: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    dur: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    s: Option<&'static str>,
    #[serde(skip_serializing_if = "Value::is_null")]
    args: Value,
}

impl Event {
    fn new(ph: &'static str, name: String, cat: &'static str, ts: u64, place: (u32, u32)) -> Event {
        let (pid, tid) = place;
        Event { name, cat, ph, ts, pid, tid, dur: None, id: None, s: None, args: Value::Null }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct File {
    trace_events: Vec<Event>,
    display_time_unit: &'static str,
    other_data: Value,
}

/// The trace.
///
/// # Errors
///
/// If it cannot be written as JSON.
pub fn trace_json(recording: &Recording) -> serde_json::Result<String> {
    let mut trace = Tracks { recording, events: Vec::new(), lds: FxHashMap::default() };
    trace.waves();
    trace.operations();
    trace.counters();
    recording.moments.iter().for_each(|moment| trace.moment(moment));
    let mut other_data = json!({
        "tool": concat!("wavemark ", env!("CARGO_PKG_VERSION")),
        "time": "instructions of all waves, one a microsecond",
    });
    if let Some(cut) = recording.cut() {
        other_data["left out"] = json!(cut);
    }
    serde_json::to_string(&File { trace_events: trace.events, display_time_unit: "ns", other_data })
}

struct Tracks<'r> {
    recording: &'r Recording,
    events: Vec<Event>,
    /// Tracks of a workgroup's bytes of LDS, with the time until which each is taken.
    lds: FxHashMap<(u32, u64, u64), Vec<(u32, u64)>>,
}

impl Tracks<'_> {
    /// Process and thread of a wave.
    fn place(&self, wave: u32) -> (u32, u32) {
        let wave = &self.recording.waves[wave as usize];
        (wave.workgroup_flat, wave.wave)
    }

    fn name(&mut self, what: &str, place: (u32, u32), name: String, order: u32) {
        let mut event = Event::new("M", format!("{what}_name"), "", 0, place);
        event.args = json!({"name": name});
        self.events.push(event);
        let mut event = Event::new("M", format!("{what}_sort_index"), "", 0, place);
        event.args = json!({"sort_index": order});
        self.events.push(event);
    }

    fn waves(&mut self) {
        let mut named = FxHashMap::default();
        for (number, wave) in self.recording.waves.iter().enumerate() {
            let place = self.place(number as u32);
            let [x, y, z] = wave.workgroup;
            if named.insert(place.0, ()).is_none() {
                self.name("process", place, format!("workgroup {x},{y},{z}"), place.0);
            }
            self.name("thread", place, format!("wave {}", wave.wave), wave.wave);
            let end = wave.end.unwrap_or(self.recording.end);
            let mut life = Event::new("X", format!("wave {}", wave.wave), "wave", wave.start, place);
            life.dur = Some(end - wave.start);
            if wave.end.is_none() {
                life.args = json!({"end": "the run ended before the wave"});
            }
            self.events.push(life);
        }
    }

    fn operations(&mut self) {
        for (id, operation) in self.recording.operations.iter().enumerate() {
            let site = self.recording.site(operation.site);
            let place = self.place(operation.wave);
            let end = operation.completed.unwrap_or(self.recording.end);
            let (cat, name) = (channel_name(operation.channel), site.text.clone());
            let mut args = json!({
                "address": site.at.to_string(),
                "number in its channel": operation.number,
            });
            if let Some(source) = &site.source {
                args["source"] = json!(source);
            }
            if operation.completed.is_none() {
                args["end"] = json!("never completed");
            }
            let issued =
                Event { id: Some(id), args, ..Event::new("b", name.clone(), cat, operation.issued, place) };
            self.events.push(issued);
            self.events.push(Event { id: Some(id), ..Event::new("e", name, cat, end, place) });
            if let Some(bytes) = operation.lds_written {
                self.lds_slice(operation, bytes, end);
            }
        }
    }

    /// A write of LDS in flight, on a track of its bytes that is free then.
    fn lds_slice(&mut self, operation: &Operation, (from, to): (u64, u64), end: u64) {
        let (pid, wave) = self.place(operation.wave);
        let next = LDS_TRACKS + self.lds.values().map(Vec::len).sum::<usize>() as u32;
        let tracks = self.lds.entry((pid, from, to)).or_default();
        let free = tracks.iter_mut().find(|(_, taken)| *taken <= operation.issued);
        let (tid, new) = match free {
            Some((tid, taken)) => {
                *taken = end;
                (*tid, false)
            }
            None => {
                tracks.push((next, end));
                (next, true)
            }
        };
        if new {
            self.name("thread", (pid, tid), format!("LDS {from:#x}-{to:#x}"), tid);
        }
        let name = format!("wave {wave}: {}", self.recording.site(operation.site).text);
        let slice = Event::new("X", name, "LDS in flight", operation.issued, (pid, tid));
        self.events.push(Event { dur: Some(end - operation.issued), ..slice });
    }

    /// How many operations of each channel a wave has in flight.
    fn counters(&mut self) {
        let mut changes: Vec<(u64, i32, u32, Channel)> = Vec::new();
        for operation in &self.recording.operations {
            changes.push((operation.issued, 1, operation.wave, operation.channel));
            changes.extend(operation.completed.map(|at| (at, -1, operation.wave, operation.channel)));
        }
        changes.sort_by_key(|&(at, change, ..)| (at, change));
        let mut levels: FxHashMap<(u32, Channel), i32> = FxHashMap::default();
        for (at, change, wave, channel) in changes {
            let level = levels.entry((wave, channel)).or_default();
            *level = (*level + change).max(0);
            let place = self.place(wave);
            let name = format!("in flight, wave {}: {}", place.1, channel_name(channel));
            let mut event = Event::new("C", name, "", at, place);
            event.args = json!({"operations": *level});
            self.events.push(event);
        }
    }

    fn moment(&mut self, moment: &Moment) {
        let site = self.recording.site(moment.site);
        let place = self.place(moment.wave);
        let mut args = json!({"address": site.at.to_string()});
        let instant = |name: String, cat| {
            let event = Event::new("i", name, cat, moment.start, place);
            Event { s: Some("t"), ..event }
        };
        let mut event = match &moment.what {
            What::Wait(waits) => {
                let waits: Vec<String> =
                    waits.iter().map(|(counter, most)| format!("{} <= {most}", counter.name())).collect();
                args["waits"] = json!(waits);
                instant(site.text.clone(), "wait")
            }
            What::Awaits(words) => {
                args["waits"] = json!(words);
                instant(site.text.clone(), "wait")
            }
            What::Stays(words) => {
                let event = Event::new("X", format!("wait for {words}"), "barrier", moment.start, place);
                Event { dur: Some(moment.end - moment.start), ..event }
            }
            What::BarrierWait(id, phase) => {
                if let Some(phase) = phase {
                    args["phase"] = json!(phase);
                }
                let name = format!("wait for {}", barrier_name(*id));
                let event = Event::new("X", name, "barrier", moment.start, place);
                Event { dur: Some(moment.end - moment.start), ..event }
            }
            What::Barrier(id, words) => {
                args["event"] = json!(words);
                instant(format!("{}: {words}", barrier_name(*id)), "barrier")
            }
            What::Cache => instant(site.text.clone(), "cache"),
            What::Fault(words) | What::Stopped(words) => {
                args["instruction"] = json!(site.text);
                instant(words.clone(), "fault")
            }
        };
        event.args = args;
        self.events.push(event);
    }
}
