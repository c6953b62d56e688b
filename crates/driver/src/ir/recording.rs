//! What happened in a run of IR, as traces and pages have it: instructions are lines of the text.

use rustc_hash::FxHashMap;
use wavemark_diag::SourceMap;
use wavemark_interp::record::{Record, Site, What as Happened};
use wavemark_interp::{BarrierName, Class};
use wavemark_ir::Parsed;
use wavemark_ir::module::Global;
use wavemark_sim::events::{BarrierId, Channel};

use crate::recorder::touch;
use crate::recording::{At, Moment, Operation, Recording, Seen, Wave, What};

/// The channel that a class of operations is counted in.
fn channel(class: Class) -> Channel {
    match class {
        Class::LdsDma => Channel::Vm,
        Class::AsyncLoad => Channel::Al,
        Class::AsyncStore => Channel::As,
        Class::Tensor => Channel::Td,
    }
}

/// The recording of a run of a kernel, with its instructions that were not executed behind those that were.
pub(super) fn recording(sources: &SourceMap, parsed: &Parsed, kernel: Global, record: Record) -> Recording {
    let mut sites = Sites { sources, parsed, seen: Vec::new(), numbers: FxHashMap::default() };
    let mut recording = Recording {
        steps: record.steps.iter().map(|&(wave, site)| (wave, sites.number(site))).collect(),
        lds_bytes: u32::try_from(record.lds_bytes).unwrap_or(u32::MAX),
        end: record.end,
        left_out: record.left_out,
        ..Recording::default()
    };
    for (&site, &count) in &record.executed {
        let number = sites.number(site) as usize;
        sites.seen[number].count += count;
    }
    let waves = record.waves.into_iter().flatten();
    recording.waves = waves
        .map(|life| Wave {
            workgroup: life.workgroup,
            workgroup_flat: life.group,
            wave: life.wave,
            start: life.start,
            end: life.end,
        })
        .collect();
    for flown in &record.operations {
        recording.operations.push(Operation {
            wave: flown.wave,
            site: sites.number(flown.site),
            channel: channel(flown.class),
            number: flown.number,
            issued: flown.issued,
            completed: flown.landed,
            lds_written: flown.written,
        });
    }
    loads(&mut recording);
    for moment in record.moments {
        let what = match moment.what {
            Happened::Wait(words) => What::Awaits(words),
            Happened::Arrival(BarrierName::Workgroup) => {
                What::Barrier(BarrierId::Workgroup, "signalled".to_owned())
            }
            Happened::Arrival(BarrierName::Cluster) => {
                What::Barrier(BarrierId::Cluster, "signalled".to_owned())
            }
            Happened::Arrival(name) => What::Awaits(format!("signalled {name}")),
            Happened::BarrierWait(BarrierName::Workgroup) => What::BarrierWait(BarrierId::Workgroup, None),
            Happened::BarrierWait(BarrierName::Cluster) => What::BarrierWait(BarrierId::Cluster, None),
            Happened::BarrierWait(name) => What::Stays(name.to_string()),
            Happened::Found(words) => What::Fault(words),
        };
        let site = sites.number(moment.site);
        recording.moments.push(Moment {
            wave: moment.wave,
            site,
            start: moment.start,
            end: moment.end,
            what,
        });
    }
    for ((site, writes, address, bytes), times) in record.lds {
        let used = recording.lds.entry(sites.number(site)).or_default();
        let cells = if writes { &mut used.written } else { &mut used.read };
        for _ in 0..times {
            touch(cells, address, address.saturating_add(bytes.into()));
        }
    }
    if let Some(body) = parsed.module.function(kernel).and_then(|function| function.body.as_ref()) {
        for &block in &body.order {
            for &inst in &body.blocks[block].insts {
                sites.number((kernel, inst));
            }
        }
    }
    recording.sites = sites.seen;
    recording
}

/// What each channel had to do, by its operations.
fn loads(recording: &mut Recording) {
    let mut in_flight: FxHashMap<(u32, Channel), Vec<u64>> = FxHashMap::default();
    for operation in &recording.operations {
        let load = recording.channels.entry(operation.channel).or_default();
        load.operations += 1;
        let ends = in_flight.entry((operation.wave, operation.channel)).or_default();
        ends.retain(|&end| end > operation.issued);
        ends.push(operation.completed.unwrap_or(u64::MAX));
        if load.in_flight.len() <= ends.len() {
            load.in_flight.resize(ends.len() + 1, 0);
        }
        load.in_flight[ends.len()] += 1;
        if let Some(completed) = operation.completed {
            load.completed += 1;
            load.time += completed - operation.issued;
        }
    }
}

/// Instructions by their numbers.
struct Sites<'s> {
    sources: &'s SourceMap,
    parsed: &'s Parsed,
    seen: Vec<Seen>,
    numbers: FxHashMap<Site, u32>,
}

impl Sites<'_> {
    fn number(&mut self, site: Site) -> u32 {
        let Sites { sources, parsed, seen, numbers } = self;
        *numbers.entry(site).or_insert_with(|| {
            let span = parsed.places.inst(site.0, site.1);
            seen.push(Seen {
                at: At::Line(sources.line_column(span).map_or(0, |place| place.line)),
                text: sources.snippet(span).unwrap_or_default().to_owned(),
                source: Some(sources.location(span)),
                count: 0,
            });
            seen.len() as u32 - 1
        })
    }
}
