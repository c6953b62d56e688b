//! Commits, waits and versions of an asynchronous pipeline.
//!
//! Two plans are tried. The customary one is TVM's: in every section, neighbours of one stage are committed
//! together, and there is one wait a queue, in front of the first statement that reads what the queue brings. It is
//! kept where the timeline proves it right and its counts are not below those that TVM writes; its counts are then
//! the largest that this structure allows.
//!
//! Else the plan is uniform: the groups of the body are those of every section, so that the number of commits
//! between a producer and its consumer does not depend on the iteration; groups whose members depend on one another
//! are split; every statement that needs a wait has its own; and a buffer that an asynchronous statement reads gets
//! one more version where that makes the wait in front of its next overwrite weaker.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use wavemark_tile::BufferId;

use super::annotations::Request;
use super::counts::{Committed, Form};
use super::dependence::{self, Loop};
use super::timeline::{Counts, Need, Reason, Section, Source, Timeline, Unmet, Verdict, Wait, Waits};

/// A wait as it is written.
#[derive(Clone, Debug)]
pub struct WrittenWait {
    /// Which queue, as the stage that commits to it.
    pub stage: i64,
    /// The groups that may stay in flight.
    pub count: Form,
}

/// Everything that the asynchronous part of a pipeline adds.
#[derive(Clone, Debug)]
pub struct Plan {
    /// By section: positions that are committed together, `(first, last)`.
    pub groups: [Vec<(usize, usize)>; 3],
    /// By section and statement: what it waits for.
    pub waits: [Vec<Vec<WrittenWait>>; 3],
    /// Versions of the private buffers.
    pub versions: FxHashMap<BufferId, i64>,
    /// Differences from the customary plan, for the user.
    pub remarks: Vec<String>,
    /// Asynchronous statements whose last instances nothing in the loop waits for.
    pub left_in_flight: Vec<usize>,
}

/// A need that cannot be met: the statements are for the diagnostic.
pub struct Hopeless {
    /// The consumer.
    pub consumer: usize,
    /// The producer.
    pub producer: usize,
}

type NeedsByBuffer = Vec<Vec<(BufferId, Need)>>;

/// Plans commits, waits and versions. `needs` and `versions` are those of the synchronous pipeline; `may_grow` says whether
/// there is room for one more version of a buffer.
pub fn plan(
    pipeline: &Loop,
    private: &FxHashSet<BufferId>,
    needs: NeedsByBuffer,
    versions: FxHashMap<BufferId, i64>,
    extent: Option<i64>,
    may_grow: &dyn Fn(BufferId, i64) -> bool,
) -> Result<Plan, Hopeless> {
    if pipeline.request.async_stages.is_empty() {
        return Ok(synchronous(pipeline, versions));
    }
    if let Some(plan) = customary(pipeline, &needs, &versions, extent) {
        return Ok(plan);
    }
    uniform(pipeline, private, needs, versions, extent, may_grow)
}

/// No stage is asynchronous.
fn synchronous(pipeline: &Loop, versions: FxHashMap<BufferId, i64>) -> Plan {
    let none = || vec![Vec::new(); pipeline.statements.len()];
    Plan {
        groups: Default::default(),
        waits: [none(), none(), none()],
        versions,
        remarks: Vec::new(),
        left_in_flight: Vec::new(),
    }
}

fn timeline<'a>(
    pipeline: &Loop<'a>,
    needs: &NeedsByBuffer,
    groups: &[Vec<(usize, usize)>; 3],
    extent: Option<i64>,
) -> Timeline<'a> {
    let needs = needs.iter().map(|needs| needs.iter().map(|(_, need)| *need));
    Timeline::new(pipeline.request, needs, groups, extent)
}

fn committed(groups: &[(usize, usize)], pipeline: &Loop, section: Section, stage: i64) -> Committed {
    let any = groups.iter().any(|group| pipeline.request.stages[pipeline.request.order[group.0]] == stage);
    match (any, section) {
        (false, _) => Committed::No,
        (true, Section::Body) => Committed::Always,
        (true, Section::Prologue) if stage == 0 => Committed::Always,
        (true, _) => Committed::Sometimes,
    }
}

/// Runs of neighbouring asynchronous statements of one stage among those that occur in the section.
fn runs(pipeline: &Loop, section: Section) -> Vec<(usize, usize)> {
    let request = pipeline.request;
    let mut groups: Vec<(usize, usize)> = Vec::new();
    let mut open: Option<i64> = None;
    for (position, &statement) in request.order.iter().enumerate() {
        let stage = request.stages[statement];
        if !section.has_stage(stage, request.max_stage) {
            continue;
        }
        match (request.is_async(statement), open, groups.last_mut()) {
            (true, Some(of), Some(last)) if of == stage => last.1 = position,
            (true, ..) => groups.push((position, position)),
            _ => {}
        }
        open = request.is_async(statement).then_some(stage);
    }
    groups
}

fn customary(
    pipeline: &Loop,
    needs: &NeedsByBuffer,
    versions: &FxHashMap<BufferId, i64>,
    extent: Option<i64>,
) -> Option<Plan> {
    let groups = Section::ALL.map(|section| runs(pipeline, section));
    let timeline = timeline(pipeline, needs, &groups, extent);
    let consumers = Section::ALL.map(|section| consumers(pipeline, &timeline, section));
    let mut waits = timeline.no_waits();
    for section in Section::ALL {
        let mut placed: SmallVec<[i64; 4]> = SmallVec::new();
        for &consumer in &consumers[section as usize] {
            let stages = timeline.needs(consumer).iter().filter(|need| is_plain_flow(need));
            for need in stages {
                let stage = pipeline.request.stages[need.producer];
                if !placed.contains(&stage) {
                    placed.push(stage);
                    waits[section as usize][consumer].push(Wait { stage, counts: Counts::default() });
                }
            }
        }
    }
    timeline.run(&mut waits, &Source::Cover(&consumers), &mut |_, _| false);
    let steps = steps(pipeline);
    let written = write(&waits, |section, wait| {
        Form::customary(
            section,
            &wait.counts,
            committed(&groups[section as usize], pipeline, section, wait.stage),
        )
    });
    let verdict = timeline.judge(tables(&written, steps));
    if !verdict.right {
        return None;
    }
    let below = written[Section::Body as usize].iter().flatten().any(|wait| {
        let found = customary_count(pipeline, needs, &groups[Section::Body as usize], wait.stage);
        matches!(wait.count, Form::Constant(count) if found.is_some_and(|customary| count < customary))
    });
    if below {
        return None;
    }
    let left_in_flight = left_in_flight(pipeline, &verdict);
    Some(Plan { groups, waits: written, versions: versions.clone(), remarks: Vec::new(), left_in_flight })
}

fn is_plain_flow(need: &Need) -> bool {
    need.reason == Reason::Flow && need.distance == 0
}

/// The statements of a section that read what an asynchronous statement wrote in their iteration, by position.
fn consumers(pipeline: &Loop, timeline: &Timeline, section: Section) -> Vec<usize> {
    let request = pipeline.request;
    let reads = |statement: &usize| timeline.needs(*statement).iter().any(is_plain_flow);
    let occurs = |statement: &usize| section.has_stage(request.stages[*statement], request.max_stage);
    request.order.iter().copied().filter(|statement| occurs(statement) && reads(statement)).collect()
}

/// The count that TVM writes in front of the consumers of `stage` in the body: for each group that a consumer reads,
/// the distance of the two stages, less one where the producer comes later in the iteration; the least of all
/// consumers. Groups here are TVM's, which begin anew once a consumer was seen.
fn customary_count(
    pipeline: &Loop,
    needs: &NeedsByBuffer,
    groups: &[(usize, usize)],
    stage: i64,
) -> Option<i64> {
    let request = pipeline.request;
    let mut group_at = vec![None; request.order.len()];
    for (index, &(first, last)) in groups.iter().enumerate() {
        group_at[first..=last].fill(Some(index));
    }
    let mut least: Option<i64> = None;
    for &consumer in &request.order {
        let mut seen: SmallVec<[Option<usize>; 4]> = SmallVec::new();
        let mut count = None;
        for (_, need) in &needs[consumer] {
            let group = group_at[request.positions[need.producer]];
            if is_plain_flow(need) && request.stages[need.producer] == stage && !seen.contains(&group) {
                seen.push(group);
                let later = request.positions[need.producer] > request.positions[consumer];
                *count.get_or_insert(0) += request.stages[consumer] - stage - i64::from(later);
            }
        }
        least = match (least, count) {
            (Some(least), Some(count)) => Some(least.min(count)),
            (least, count) => least.or(count),
        };
    }
    least
}

fn steps(pipeline: &Loop) -> usize {
    usize::try_from(pipeline.request.max_stage).unwrap_or(0)
}

fn write(waits: &Waits, form: impl Fn(Section, &Wait) -> Form) -> [Vec<Vec<WrittenWait>>; 3] {
    Section::ALL.map(|section| {
        let by_statement = waits[section as usize].iter();
        by_statement
            .map(|list| {
                let known = list.iter().filter(|wait| wait.counts.0.iter().any(Option::is_some));
                known.map(|wait| WrittenWait { stage: wait.stage, count: form(section, wait) }).collect()
            })
            .collect()
    })
}

fn tables(written: &[Vec<Vec<WrittenWait>>; 3], steps: usize) -> Waits {
    Section::ALL.map(|section| {
        let by_statement = written[section as usize].iter();
        by_statement
            .map(|list| {
                let table = |wait: &WrittenWait| Wait { stage: wait.stage, counts: wait.count.table(steps) };
                list.iter().map(table).collect()
            })
            .collect()
    })
}

fn uniform(
    pipeline: &Loop,
    private: &FxHashSet<BufferId>,
    mut needs: NeedsByBuffer,
    mut versions: FxHashMap<BufferId, i64>,
    extent: Option<i64>,
    may_grow: &dyn Fn(BufferId, i64) -> bool,
) -> Result<Plan, Hopeless> {
    let groups = uniform_groups(pipeline, &needs);
    let mut remarks = Vec::new();
    if groups != Section::ALL.map(|section| runs(pipeline, section)) {
        remarks.push(
            "asynchronous statements are committed one group each, alike in all sections: merged, the number of groups \
             in flight would differ from iteration to iteration and no one wait count would be right"
                .to_owned(),
        );
    }
    let steps = steps(pipeline);
    let refine = |section: Section, counts: &Counts| Form::exact(section, counts).table(steps);
    let solve = |needs: &NeedsByBuffer| {
        let timeline = timeline(pipeline, needs, &groups, extent);
        match timeline.solve(&refine) {
            Ok(waits) => Ok((timeline, waits)),
            Err(unmet) => Err(Hopeless { consumer: unmet.consumer, producer: unmet.need.producer }),
        }
    };
    for (buffer, unmet) in reused_too_early(pipeline, &needs, &groups, extent, &refine)? {
        let old = versions.get(&buffer).copied().unwrap_or(1);
        if !private.contains(&buffer)
            || unmet.count.is_none_or(|count| count > 0)
            || !may_grow(buffer, old + 1)
        {
            continue;
        }
        versions.insert(buffer, old + 1);
        remarks.push(format!(
            "`{}` has {} versions, one more than without asynchronous readers: with {old}, {} would have to wait until \
             nothing that reads the buffer is in flight",
            pipeline.function.buffer(buffer).name,
            old + 1,
            pipeline.statements[unmet.consumer].describe(),
        ));
    }
    if !remarks.is_empty() {
        needs = dependence::needs(pipeline, private, &versions, &mut pipeline.analyzer());
    }
    let (timeline, waits) = solve(&needs)?;
    let written = write(&waits, |section, wait| Form::exact(section, &wait.counts));
    let left_in_flight = left_in_flight(pipeline, &timeline.judge(waits));
    Ok(Plan { groups, waits: written, versions, remarks, left_in_flight })
}

/// The buffers that are overwritten before the waits of the readers alone let them be, with the first such place.
fn reused_too_early(
    pipeline: &Loop,
    needs: &NeedsByBuffer,
    groups: &[Vec<(usize, usize)>; 3],
    extent: Option<i64>,
    refine: &impl Fn(Section, &Counts) -> Counts,
) -> Result<Vec<(BufferId, Unmet)>, Hopeless> {
    let flow_only = needs
        .iter()
        .map(|needs| needs.iter().filter(|(_, need)| need.reason == Reason::Flow).copied().collect())
        .collect();
    let flow = timeline(pipeline, &flow_only, groups, extent);
    let waits = flow
        .solve(refine)
        .map_err(|unmet| Hopeless { consumer: unmet.consumer, producer: unmet.need.producer })?;
    let all = timeline(pipeline, needs, groups, extent);
    let mut found: Vec<(BufferId, Unmet)> = Vec::new();
    let mut places: FxHashMap<BufferId, usize> = FxHashMap::default();
    all.run(&mut waits.clone(), &Source::Table, &mut |_, unmet| {
        let buffers = needs[unmet.consumer].iter().filter(|(_, need)| *need == unmet.need);
        for (buffer, _) in buffers {
            let place = *places.entry(*buffer).or_insert_with(|| {
                found.push((*buffer, unmet));
                found.len() - 1
            });
            if found[place].1.count > unmet.count {
                found[place].1 = unmet;
            }
        }
        false
    });
    Ok(found)
}

/// Runs of neighbours of one stage in the body, cut before a member that depends on one of its run; the same in all
/// sections.
fn uniform_groups(pipeline: &Loop, needs: &NeedsByBuffer) -> [Vec<(usize, usize)>; 3] {
    let Request { order, positions, .. } = pipeline.request;
    let mut groups = Vec::new();
    for (first, last) in runs(pipeline, Section::Body) {
        let mut start = first;
        for position in first + 1..=last {
            let members = start..position;
            let depends = |need: &Need| need.distance == 0 && members.contains(&positions[need.producer]);
            if needs[order[position]].iter().any(|(_, need)| depends(need)) {
                groups.push((start, position - 1));
                start = position;
            }
        }
        groups.push((start, last));
    }
    Section::ALL.map(|section| {
        let occurs = |group: &&(usize, usize)| {
            section.has_stage(pipeline.request.stages[order[group.0]], pipeline.request.max_stage)
        };
        groups.iter().filter(occurs).copied().collect()
    })
}

/// The asynchronous statements of which an instance may be in flight after the loop: found by asking, at its end, for
/// the last instance of each.
fn left_in_flight(pipeline: &Loop, verdict: &Verdict) -> Vec<usize> {
    let statements = 0..pipeline.statements.len();
    let left = |statement: usize| verdict.left_in_flight[statement];
    statements.filter(|&statement| left(statement) && pipeline.request.is_async(statement)).collect()
}
