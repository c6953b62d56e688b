//! Convergence tokens: where each may be made and used.
//!
//! Follows "Convergence Control Tokens" of LLVM's *Convergence Operation Semantics* (static rules), as LLVM's verifier has
//! them (`GenericConvergenceVerifier`). The rules about cycles are those about natural loops here.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Check, Rule};
use crate::analysis::{Dominators, Graph, Loop, direct_callee, loops};
use crate::attribute::{Attribute, Attributes};
use crate::function::{Body, Inst, ValueDef};
use crate::inst::{Call, InstKind, Operand};
use crate::intrinsic;
use crate::module::Module;

/// What makes a token.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Makes {
    Entry,
    Anchor,
    Loop,
}

/// The bundle that has a token.
const BUNDLE: &[u8] = b"convergencectrl";

/// Whether a call makes or has a token, so that the function has to keep the rules.
pub(super) fn is_controlled(call: &Call, name: &str) -> bool {
    makes(name).is_some() || call.bundles.iter().any(|bundle| *bundle.tag == *BUNDLE)
}

fn makes(name: &str) -> Option<Makes> {
    match name.strip_prefix("llvm.experimental.convergence.")? {
        "entry" => Some(Makes::Entry),
        "anchor" => Some(Makes::Anchor),
        "loop" => Some(Makes::Loop),
        _ => None,
    }
}

fn is_convergent(module: &Module, attributes: &Attributes) -> bool {
    let groups = attributes.groups().iter().flat_map(|&group| &module.attribute_groups[group].1);
    attributes.own().iter().chain(groups).any(|one| matches!(one, Attribute::Flag("convergent")))
}

/// A call as far as tokens are concerned.
struct Operation {
    makes: Option<Makes>,
    /// The call whose token it has.
    token: Option<Inst>,
    has_token: bool,
    convergent: bool,
}

impl Check<'_> {
    /// Looks at a function in which there is a token.
    pub(super) fn convergence(&mut self, body: &Body) {
        let graph = Graph::of(body);
        let dominators = Dominators::of(&graph);
        let loops = loops(&graph, &dominators);
        let mut places: FxHashMap<Inst, usize> = FxHashMap::default();
        for (at, &block) in body.order.iter().enumerate() {
            places.extend(body.blocks[block].insts.iter().map(|&inst| (inst, at)));
        }
        let mut live: FxHashMap<usize, Vec<Inst>> = FxHashMap::default();
        let mut hearts = FxHashSet::default();
        // Whether tokens have been seen, and convergent calls without.
        let (mut controlled, mut uncontrolled) = (false, false);
        for at in graph.reverse_postorder() {
            let mut tokens = live.get(&at).cloned().unwrap_or_default();
            let mut seen = false;
            for &inst in &body.blocks[body.order[at]].insts {
                let InstKind::Call(call) = &body.insts[inst].kind else { continue };
                let operation = self.operation(body, inst, call);
                self.where_tokens_are_made(inst, &operation, at == 0, seen);
                seen |= operation.convergent;
                let in_control = operation.makes.is_some() || operation.has_token;
                controlled |= in_control;
                uncontrolled |= operation.convergent && !in_control;
                if controlled && uncontrolled && operation.convergent {
                    let message = "convergent calls with tokens and without are in one function";
                    self.at_inst(inst, Rule::Convergence, message);
                    uncontrolled = false;
                }
                if let Some(token) = operation.token {
                    match tokens.iter().position(|&live| live == token) {
                        Some(position) => tokens.truncate(position + 1),
                        None => {
                            let message = "tokens are not used in nested regions";
                            self.at_inst(inst, Rule::Convergence, message);
                        }
                    }
                    if let Some(&made) = places.get(&token) {
                        self.heart(inst, &operation, (made, at), &loops, &mut hearts);
                    }
                }
                if operation.makes.is_some() {
                    tokens.push(inst);
                }
            }
            for &to in &graph.successors[at] {
                match live.get_mut(&to) {
                    Some(known) => known.retain(|token| tokens.contains(token)),
                    None => {
                        let dominates = |token: &&Inst| {
                            places.get(token).is_some_and(|&made| dominators.dominates(made, to))
                        };
                        live.insert(to, tokens.iter().take_while(dominates).copied().collect());
                    }
                }
            }
        }
    }

    fn operation(&mut self, body: &Body, inst: Inst, call: &Call) -> Operation {
        let callee = direct_callee(self.module, &call.callee);
        let name = callee.map(|callee| self.module.name(callee)).unwrap_or_default();
        let row = intrinsic::called(self.module, call);
        let declared = callee.and_then(|callee| self.module.function(callee));
        // A call that has a token is convergent, whatever is called.
        let has_token = call.bundles.iter().any(|bundle| *bundle.tag == *BUNDLE);
        let convergent = has_token
            || row.is_some_and(|row| row.convergent)
            || is_convergent(self.module, &call.attributes)
            || declared.is_some_and(|callee| is_convergent(self.module, &callee.attributes));
        let mut bundles = call.bundles.iter().filter(|bundle| *bundle.tag == *BUNDLE);
        let bundle = bundles.next();
        let token = bundle.and_then(|bundle| match bundle.operands.as_slice() {
            [(_, Operand::Value(value))] => match body.values[*value].def {
                ValueDef::Inst(made) => Some(made),
                ValueDef::Param(_) => None,
            },
            _ => None,
        });
        let token = token.filter(|&made| match &body.insts[made].kind {
            InstKind::Call(call) => direct_callee(self.module, &call.callee)
                .is_some_and(|callee| makes(&self.module.name(callee)).is_some()),
            _ => false,
        });
        let fits = bundle.is_none() || token.is_some() && bundles.next().is_none();
        self.require(
            fits,
            inst,
            Rule::Convergence,
            "a call has one convergence token, that of an entry, an anchor or a loop",
        );
        Operation { makes: makes(&name), token, has_token, convergent }
    }

    /// `seen`: a convergent call stands before it in its block.
    fn where_tokens_are_made(&mut self, inst: Inst, operation: &Operation, in_entry: bool, seen: bool) {
        let Some(makes) = operation.makes else { return };
        let of_function = is_convergent(self.module, &self.function.attributes);
        let mut rule = |holds, message| self.require(holds, inst, Rule::Convergence, message);
        match makes {
            Makes::Entry => {
                rule(of_function, "the token of an entry is for a convergent function");
                rule(in_entry, "the token of an entry is made in the first block");
                rule(!seen, "no convergent call stands before the token of an entry");
                rule(!operation.has_token, "the token of an entry has none itself");
            }
            Makes::Anchor => rule(!operation.has_token, "an anchor has no token itself"),
            Makes::Loop => {
                rule(operation.has_token, "the token of a loop has another one");
                rule(!seen, "no convergent call stands before the token of a loop in its block");
            }
        }
    }

    /// A token that is used in a loop that it is not made in: by the token of that loop alone, once, in its header.
    /// `place`: the node where the token is made, and that where it is used.
    fn heart(
        &mut self,
        inst: Inst,
        operation: &Operation,
        (made, used): (usize, usize),
        loops: &[Loop],
        hearts: &mut FxHashSet<usize>,
    ) {
        let has = |one: &&Loop, node| one.nodes.binary_search(&node).is_ok();
        let left = loops.iter().filter(|one| has(one, used) && !has(one, made));
        let Some(outermost) = left.max_by_key(|one| one.nodes.len()) else { return };
        let message = match () {
            () if operation.makes != Some(Makes::Loop) => {
                "a token of outside a loop is used there by llvm.experimental.convergence.loop alone"
            }
            () if outermost.header != used => "the token of a loop is made in its header",
            () if !hearts.insert(used) => "a loop uses one token of outside it, once",
            () => return,
        };
        self.at_inst(inst, Rule::Convergence, message);
    }
}
