//! The analyses, held against brute force on random graphs and functions.
//!
//! The seed is printed; `WAVEMARK_SEED=N` runs the same graphs again.

use std::collections::BTreeSet;
use std::time::{SystemTime, UNIX_EPOCH};

use wavemark_diag::SourceMap;
use wavemark_ir::Module;
use wavemark_ir::analysis::{Dominators, Graph, call_graph, loops, uniformity};
use wavemark_ir::function::Value;

/// Random numbers after Marsaglia's xorshift.
struct Random(u64);

impl Random {
    fn seeded(name: &str) -> Random {
        let clock = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() as u64;
        let seed = std::env::var("WAVEMARK_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(clock);
        println!("{name}: WAVEMARK_SEED={seed}");
        Random(seed | 1)
    }

    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit
    }
}

fn random_graph(random: &mut Random) -> Graph {
    let nodes = 1 + random.below(10);
    let targets = |random: &mut Random| (0..random.below(3)).map(|_| random.below(nodes)).collect();
    Graph::new((0..nodes).map(|_| targets(random)).collect())
}

/// The nodes that can be reached from the entry without stepping on `avoided`.
fn reached(graph: &Graph, avoided: Option<usize>) -> BTreeSet<usize> {
    let (mut seen, mut stack) = (BTreeSet::new(), vec![0]);
    while let Some(node) = stack.pop() {
        if Some(node) != avoided && seen.insert(node) {
            stack.extend(&graph.successors[node]);
        }
    }
    seen
}

#[test]
fn a_dominator_is_on_every_way() {
    let mut random = Random::seeded("dominators");
    for _ in 0..5_000 {
        let graph = random_graph(&mut random);
        for graph in [graph.reversed(), graph] {
            let dominators = Dominators::of(&graph);
            let all = reached(&graph, None);
            for over in 0..graph.len() {
                let without = reached(&graph, Some(over));
                for node in 0..graph.len() {
                    assert_eq!(dominators.reaches(node), all.contains(&node), "{graph:?}");
                    let on_every_way = !without.contains(&node);
                    let expected = !all.contains(&node) || all.contains(&over) && on_every_way;
                    assert_eq!(dominators.dominates(over, node), expected, "{over} over {node} in {graph:?}");
                }
            }
        }
    }
}

#[test]
fn loops_are_what_leads_back_without_the_header() {
    let mut random = Random::seeded("loops");
    for _ in 0..5_000 {
        let graph = random_graph(&mut random);
        let dominators = Dominators::of(&graph);
        let all = reached(&graph, None);
        let mut expected = Vec::new();
        for &header in &all {
            let below = |node: usize| header == node || !reached(&graph, Some(header)).contains(&node);
            let latches: BTreeSet<usize> = all
                .iter()
                .copied()
                .filter(|&node| graph.successors[node].contains(&header) && below(node))
                .collect();
            if latches.is_empty() {
                continue;
            }
            // A node is in it if some way leads from it to a latch that does not step on the header before.
            let leads = |from: usize| {
                let (mut seen, mut stack) = (BTreeSet::new(), vec![from]);
                while let Some(node) = stack.pop() {
                    if node == header {
                        continue;
                    }
                    if latches.contains(&node) {
                        return true;
                    }
                    if seen.insert(node) {
                        stack.extend(&graph.successors[node]);
                    }
                }
                false
            };
            let nodes: Vec<usize> =
                all.iter().copied().filter(|&node| node == header || below(node) && leads(node)).collect();
            expected.push((header, nodes, latches.into_iter().collect::<Vec<_>>()));
        }
        let found: Vec<_> = loops(&graph, &dominators)
            .into_iter()
            .map(|natural| (natural.header, natural.nodes, natural.latches))
            .collect();
        assert_eq!(found, expected, "{graph:?}");
        // A cycle without a header is found by taking away, over and over, edges back to headers.
        let forward: Vec<Vec<usize>> = (0..graph.len())
            .map(|from| {
                let stays = |&&to: &&usize| all.contains(&from) && !(dominators.dominates(to, from));
                graph.successors[from].iter().filter(stays).copied().collect()
            })
            .collect();
        assert_eq!(graph.is_reducible(&dominators), is_acyclic(&Graph::new(forward)), "{graph:?}");
    }
}

fn is_acyclic(graph: &Graph) -> bool {
    let mut open: Vec<usize> = graph.predecessors.iter().map(Vec::len).collect();
    let mut stack: Vec<usize> = (0..graph.len()).filter(|&node| open[node] == 0).collect();
    let mut done = 0;
    while let Some(node) = stack.pop() {
        done += 1;
        for &to in &graph.successors[node] {
            open[to] -= 1;
            if open[to] == 0 {
                stack.push(to);
            }
        }
    }
    done == graph.len()
}

fn read(text: &str) -> Module {
    let mut sources = SourceMap::new();
    let file = sources.add_text("k.ll", text);
    match wavemark_ir::parse(file, text) {
        Ok(parsed) => parsed.module,
        Err(diagnostic) => panic!("{}\n{text}", wavemark_diag::render_short(&sources, &diagnostic)),
    }
}

/// The values of a kernel called `k` that are uniform, by name.
fn uniform_values(module: &Module) -> BTreeSet<String> {
    let function = module.function(module.named("k").unwrap()).unwrap();
    let body = function.body.as_ref().unwrap();
    let found = uniformity(module, function);
    let name = |value: Value| String::from_utf8(body.names[value].clone().unwrap().into()).unwrap();
    body.values.ids().filter(|&value| found.is_uniform(value)).map(name).collect()
}

#[test]
fn joins_and_loops_make_values_differ() {
    let module = read(
        "declare i32 @llvm.amdgcn.workitem.id.x()
         declare i32 @llvm.amdgcn.readfirstlane.i32(i32)
         define amdgpu_kernel void @k(i32 %n, ptr addrspace(1) %p) {
         entry:
           %id = call i32 @llvm.amdgcn.workitem.id.x()
           %first = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %id)
           %loaded = load i32, ptr addrspace(1) %p
           %address = getelementptr i32, ptr addrspace(1) %p, i32 %id
           %other = load i32, ptr addrspace(1) %address
           %c = icmp eq i32 %id, 3
           br i1 %c, label %a, label %b
         a:
           %x = add i32 %n, 1
           br label %b
         b:
           %joined = phi i32 [ 0, %entry ], [ %x, %a ]
           br label %loop
         loop:
           %i = phi i32 [ 0, %b ], [ %next, %loop ]
           %next = add i32 %i, 1
           %more = icmp slt i32 %next, %n
           br i1 %more, label %loop, label %ragged
         ragged:
           %j = phi i32 [ 0, %loop ], [ %after, %ragged ]
           %after = add i32 %j, 1
           %on = icmp slt i32 %after, %id
           br i1 %on, label %ragged, label %done
         done:
           %count = add i32 %next, 0
           %turns = add i32 %after, 0
           ret void
         }",
    );
    // What differs after a loop counts as different in it, too: %after, and with it %j.
    let expected = ["n", "p", "first", "loaded", "x", "i", "next", "more", "count"];
    assert_eq!(uniform_values(&module), expected.into_iter().map(String::from).collect());
}

/// A random kernel of a few blocks. Every block but the last adds a number, branches, and may be a join.
fn random_kernel(random: &mut Random) -> (Vec<Vec<usize>>, Vec<Option<usize>>, String) {
    let blocks = 3 + random.below(5);
    let mut targets: Vec<Vec<usize>> = Vec::new();
    // Which condition each block branches on: 0 differs from lane to lane, 1 does not.
    let mut conditions = Vec::new();
    for block in 0..blocks - 1 {
        let one = 1 + random.below(blocks - 1);
        let other = block + 1;
        targets.push(if random.below(3) == 0 || one == other { vec![other] } else { vec![one, other] });
        conditions.push((targets[block].len() == 2).then(|| random.below(2)));
    }
    targets.push(Vec::new());
    conditions.push(None);
    let graph = Graph::new(targets.clone());
    let mut text = String::from(
        "declare i32 @llvm.amdgcn.workitem.id.x()\ndefine amdgpu_kernel void @k(i32 %n) {\n\
         b0:\n  %id = call i32 @llvm.amdgcn.workitem.id.x()\n",
    );
    for block in 0..blocks {
        if block > 0 {
            text += &format!("b{block}:\n");
            let from: Vec<String> =
                graph.predecessors[block].iter().map(|from| format!("[ {from}, %b{from} ]")).collect();
            if !from.is_empty() {
                text += &format!("  %v{block} = phi i32 {}\n", from.join(", "));
            }
        }
        match (conditions[block], targets[block].as_slice()) {
            (Some(condition), [one, other]) => {
                let operand = if condition == 0 { "%id" } else { "%n" };
                text += &format!("  %c{block} = icmp eq i32 {operand}, {block}\n");
                text += &format!("  br i1 %c{block}, label %b{one}, label %b{other}\n");
            }
            (_, [only]) => text += &format!("  br label %b{only}\n"),
            _ => text += "  ret void\n",
        }
    }
    text += "}\n";
    (targets, conditions, text)
}

/// Runs two lanes with random outcomes of branches in lockstep, each block's phi remembered: they differ at a block if the
/// two lanes have come to it from different blocks while they were apart. Whatever is found to differ must not be uniform.
#[test]
fn lanes_that_run_find_nothing_uniform_that_differs() {
    let mut random = Random::seeded("uniformity");
    let mut differences = 0;
    for _ in 0..3_000 {
        let (targets, conditions, text) = random_kernel(&mut random);
        let module = read(&text);
        if !wavemark_ir::verify(&module, None).is_empty() {
            panic!("{text}");
        }
        let uniform = uniform_values(&module);
        let post = Dominators::post(&Graph::new(targets.clone()));
        // At every divergent branch that both lanes reach together, each takes its own way to the post-dominator.
        let differing = (0..targets.len()).filter(|&block| conditions[block] == Some(0));
        for branch in differing {
            let meeting = post.parent(branch + 1).and_then(|node| node.checked_sub(1));
            for _ in 0..20 {
                let ways: Vec<Vec<(usize, usize)>> = (0..2)
                    .map(|lane| walk(&targets, branch, targets[branch][lane], meeting, &mut random))
                    .collect();
                // The phi of the meeting point, which both execute together.
                let (Some(one), Some(other)) = (ways[0].last(), ways[1].last()) else { continue };
                if Some(one.1) == meeting && Some(other.1) == meeting && one.0 != other.0 {
                    differences += 1;
                    let name = format!("v{}", one.1);
                    assert!(!uniform.contains(&name), "%{name} differs after %b{branch}\n{text}");
                }
            }
        }
    }
    assert!(differences > 1_000, "{differences} differences");
}

/// A way from `branch` over `next`, edge by edge, until the meeting point or for long enough.
fn walk(
    targets: &[Vec<usize>],
    branch: usize,
    next: usize,
    meeting: Option<usize>,
    random: &mut Random,
) -> Vec<(usize, usize)> {
    let mut edges = vec![(branch, next)];
    while let Some(&(_, at)) = edges.last() {
        if Some(at) == meeting || targets[at].is_empty() || edges.len() > 50 {
            break;
        }
        edges.push((at, targets[at][random.below(targets[at].len())]));
    }
    edges
}

#[test]
fn calls_are_followed() {
    let module = read(
        "define void @a(ptr %f) { call void @b() call void %f() ret void }
         define void @b() { call void @c() ret void }
         define void @c() { call void @b() ret void }
         define void @d() { ret void }",
    );
    let graph = call_graph(&module);
    let id = |name| module.named(name).unwrap();
    let reachable = graph.reachable(id("a"));
    assert_eq!(reachable, ["a", "b", "c"].into_iter().map(id).collect());
    assert!(graph.is_recursive(id("b")) && !graph.is_recursive(id("a")) && !graph.is_recursive(id("d")));
    assert!(graph.calls_unknown(id("a")) && !graph.calls_unknown(id("b")));
}
