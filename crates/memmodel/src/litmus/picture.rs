//! A witness as text, and as a graph of its events: program order, reads-from (rf), the order of writes (co), from-read
//! (fr), and the events that the verdict is about.

use std::fmt::Write as _;

use super::Test;
use super::event::{Does, EventId};
use super::explore::Witness;
use super::state::{Context, Pick, State};

/// A node of a picture.
#[derive(Clone, Debug)]
struct Node {
    event: EventId,
    column: usize,
    text: String,
}

/// An edge: its ends, as indices of nodes, and what it says.
struct Edge(usize, usize, &'static str);

struct Picture {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
}

/// What an event is, for a reader.
fn describe(cx: &Context, state: &State, event: EventId) -> String {
    let of = cx.events.get(event);
    let name = |location: u8| &cx.test.locations[usize::from(location)].name;
    let Some(thread) = of.thread else {
        return of.location.map_or_else(String::new, |location| format!("initially {}", name(location)));
    };
    let text = &cx.test.threads[usize::from(thread)].text[of.instruction];
    let what = match (of.in_flight, of.does, of.location) {
        (Some(_), Does::Read, Some(location)) => format!("{text}: reads {}", name(location)),
        (Some(_), _, Some(location)) => format!("{text}: writes {}", name(location)),
        _ => text.clone(),
    };
    match state.executed.has(event) && of.location.is_some() {
        true => format!("{what}  [{}]", state.value_of(event)),
        false => what,
    }
}

/// The steps of a witness, one a line, in the order in which they happened.
pub fn trace(test: &Test, witness: &Witness) -> Vec<String> {
    let Ok(cx) = Context::of(test) else { return Vec::new() };
    let steps = witness.trace.steps();
    let line = |choice: &super::state::Choice| {
        let mut line = format!("P{}: {}", choice.thread, describe(&cx, &witness.state, choice.event));
        let other = |event: EventId| {
            let thread = cx.events.get(event).thread;
            let whose = thread.map_or(String::new(), |thread| format!("P{thread}: "));
            format!("{whose}{}", describe(&cx, &witness.state, event))
        };
        let _ = match choice.pick {
            Pick::Only => Ok(()),
            Pick::From(write) => write!(line, "  <- {}", other(write)),
            Pick::After(write) => write!(line, "  over {}", other(write)),
            Pick::Phase(phase) => write!(line, "  phase {phase}"),
            Pick::Taken(taken) => write!(line, "  {}", if taken { "taken" } else { "not taken" }),
        };
        line
    };
    steps.iter().map(line).collect()
}

/// The names of two events, for a message.
pub fn pair(test: &Test, witness: &Witness, events: &[EventId]) -> Vec<String> {
    let Ok(cx) = Context::of(test) else { return Vec::new() };
    let name = |&event: &EventId| {
        let thread = cx.events.get(event).thread.map_or(String::new(), |thread| format!("P{thread}: "));
        format!("{thread}{}", describe(&cx, &witness.state, event))
    };
    events.iter().map(name).collect()
}

fn picture(cx: &Context, state: &State) -> Picture {
    let mut nodes = Vec::new();
    let shown = |event: &EventId| {
        let of = cx.events.get(*event);
        let read = |read: EventId| state.from[usize::from(read)] == Some(*event);
        of.thread.is_some() || state.executed.members().any(read)
    };
    for event in state.executed.members().filter(shown) {
        let column = cx.events.get(event).thread.map_or(0, |thread| usize::from(thread) + 1);
        nodes.push(Node { event, column, text: describe(cx, state, event) });
    }
    let at = |event: EventId| nodes.iter().position(|node| node.event == event);
    let mut edges = Vec::new();
    let mut edge = |from: EventId, to: EventId, what| {
        edges.extend(at(from).zip(at(to)).map(|(from, to)| Edge(from, to, what)));
    };
    for column in 1..=cx.test.threads.len() {
        let own: Vec<&Node> = nodes.iter().filter(|node| node.column == column).collect();
        own.windows(2).for_each(|pair| edge(pair[0].event, pair[1].event, "po"));
    }
    for order in &state.order {
        order.windows(2).for_each(|pair| edge(pair[0], pair[1], "co"));
    }
    for read in state.executed.members() {
        let Some(from) = state.from[usize::from(read)] else { continue };
        edge(from, read, "rf");
        let order = state.order.iter().find(|order| order.contains(&from));
        let place = order.and_then(|order| order.iter().position(|&write| write == from));
        let next = order.zip(place).and_then(|(order, place)| order.get(place + 1));
        if let Some(&next) = next.filter(|next| **next != read) {
            edge(read, next, "fr");
        }
    }
    Picture { nodes, edges }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The graph in Graphviz's language.
pub fn dot(test: &Test, witness: &Witness, marked: &[EventId]) -> String {
    let Ok(cx) = Context::of(test) else { return String::new() };
    let Picture { nodes, edges } = picture(&cx, &witness.state);
    let mut out = format!("digraph \"{}\" {{\n  node [shape=box fontname=monospace];\n", escaped(&test.name));
    for column in 0..=test.threads.len() {
        let own: Vec<(usize, &Node)> =
            nodes.iter().enumerate().filter(|(_, node)| node.column == column).collect();
        if own.is_empty() {
            continue;
        }
        if column > 0 {
            let _ = writeln!(out, "  subgraph cluster_{column} {{\n    label=\"P{}\";", column - 1);
        }
        for (at, node) in own {
            let colour = if marked.contains(&node.event) { " color=red" } else { "" };
            let text = node.text.replace('\\', "\\\\").replace('"', "\\\"");
            let _ = writeln!(out, "    e{at} [label=\"{text}\"{colour}];");
        }
        if column > 0 {
            out.push_str("  }\n");
        }
    }
    for Edge(from, to, what) in edges {
        let style = if what == "po" { "" } else { " constraint=false" };
        let _ = writeln!(out, "  e{from} -> e{to} [label=\"{what}\"{style}];");
    }
    out.push_str("}\n");
    out
}

/// The graph as SVG: a column for each thread, downwards in its order.
pub fn svg(test: &Test, witness: &Witness, marked: &[EventId]) -> String {
    const WIDTH: usize = 330;
    const HEIGHT: usize = 54;
    let Ok(cx) = Context::of(test) else { return String::new() };
    let Picture { nodes, edges } = picture(&cx, &witness.state);
    let has_initial = nodes.iter().any(|node| node.column == 0);
    let mut rows = vec![0; test.threads.len() + 1];
    let places: Vec<(usize, usize)> = nodes
        .iter()
        .map(|node| {
            let row = rows[node.column];
            rows[node.column] += 1;
            let column = node.column - usize::from(!has_initial);
            (20 + column * WIDTH, 50 + row * HEIGHT)
        })
        .collect();
    let columns = test.threads.len() + usize::from(has_initial);
    let (width, height) = (20 + columns * WIDTH, 70 + rows.iter().max().unwrap_or(&0) * HEIGHT);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"monospace\" \
         font-size=\"12\">\n<title>{}</title>\n<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" \
         markerWidth=\"8\" markerHeight=\"8\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\"/></marker></defs>\n",
        escaped(&test.name)
    );
    for thread in 0..test.threads.len() {
        let x = 20 + (thread + usize::from(has_initial)) * WIDTH;
        let _ = writeln!(out, "<text x=\"{x}\" y=\"30\" font-weight=\"bold\">P{thread}</text>");
    }
    for (node, (x, y)) in nodes.iter().zip(&places) {
        let colour = if marked.contains(&node.event) { "#c00" } else { "#888" };
        let _ = writeln!(
            out,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"28\" rx=\"4\" fill=\"none\" stroke=\"{colour}\"/>\
             <text x=\"{}\" y=\"{}\">{}</text>",
            WIDTH - 60,
            x + 8,
            y + 18,
            escaped(&node.text)
        );
    }
    for Edge(from, to, what) in edges {
        let ((x, y), (to_x, to_y)) = (places[from], places[to]);
        let colour = match what {
            "rf" => "#070",
            "co" => "#04a",
            "fr" => "#a50",
            _ => "#888",
        };
        let (x1, y1, x2, y2) = match to_x.cmp(&x) {
            std::cmp::Ordering::Equal if what == "po" => (x + 20, y + 28, to_x + 20, to_y),
            std::cmp::Ordering::Equal => (x + WIDTH - 60, y + 20, to_x + WIDTH - 60, to_y + 8),
            std::cmp::Ordering::Greater => (x + WIDTH - 60, y + 14, to_x, to_y + 14),
            std::cmp::Ordering::Less => (x, y + 14, to_x + WIDTH - 60, to_y + 14),
        };
        let _ = writeln!(
            out,
            "<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" stroke=\"{colour}\" marker-end=\"url(#tip)\"/>\
             <text x=\"{}\" y=\"{}\" fill=\"{colour}\">{what}</text>",
            (x1 + x2) / 2 + 4,
            (y1 + y2) / 2 - 3
        );
    }
    out.push_str("</svg>\n");
    out
}
