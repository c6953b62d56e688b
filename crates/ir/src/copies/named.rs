//! Which barrier an instruction is on, where all waves go the same way.
//!
//! A named barrier for as many as the workgroup has waves orders what the workgroup's own does, between its own signals
//! and waits. So does the barrier of the cluster, where all waves arrive at it; where some do for all, as they have to, it
//! is taken to order nothing ([`Steps::tellers`](super::steps::Steps)). A wait is for the one that was joined last, whatever its operand says. Named barriers for others, and those
//! that are left, are not followed here; whether their operations fit together is judged in [`crate::barriers`].

use crate::inst::{Call, InstKind, Operand};
use crate::intrinsic::{self, Barrier as Role, Intrinsic};
use crate::lds;

use super::lanes::{Known, Values};
use super::paths::Node;
use super::steps::{Barrier, NotFollowed};

/// A barrier of a kernel: 0 is the workgroup's.
pub(super) type BarrierNumber = u8;

const WORKGROUP: BarrierNumber = 0;

/// The number of the barrier that a wave has joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Joined {
    None,
    One(BarrierNumber),
    Several,
}

/// The named barriers of a kernel.
pub(super) struct Named {
    /// The address of number n + 1.
    addresses: Vec<u64>,
    /// What is joined before each node.
    pub joined: Vec<Joined>,
}

impl Named {
    /// Those that are named on the paths along `nodes`.
    pub fn of(values: &Values<'_>, nodes: &[Node]) -> Result<Named, NotFollowed> {
        let mut named = Named { addresses: Vec::new(), joined: vec![Joined::None; nodes.len()] };
        let mut joins = vec![None; nodes.len()];
        let mut counted: Vec<u64> = Vec::new();
        for (number, node) in nodes.iter().enumerate() {
            let mut known = Known::default();
            for &inst in &values.body.blocks[node.block].insts {
                let InstKind::Call(call) = &values.body.insts[inst].kind else { continue };
                let Some(row) = intrinsic::called(values.module, call) else { continue };
                let argument = |at: usize| call.args.get(at).map(|arg| arg.value);
                let mut number_of = |at| same(values, node, &mut known, argument(at));
                let role = match row.barrier {
                    Some(Role::Leave) => return Err(NotFollowed::NamedBarriers),
                    Some(role @ (Role::Join | Role::Init | Role::SignalCounted)) => role,
                    _ => continue,
                };
                let address = number_of(0).filter(|&address| lds::is_named_barrier(address));
                let address = address.ok_or(NotFollowed::BarrierAddress)?;
                if role == Role::Join {
                    joins[number] = Some(named.add(address)?);
                    continue;
                }
                named.add(address)?;
                match number_of(1).ok_or(NotFollowed::BarrierCount)? {
                    // It keeps the count that it has.
                    0 if role == Role::SignalCounted => {}
                    count if count == values.group.waves() as u64 => counted.push(address),
                    _ => return Err(NotFollowed::NamedBarriers),
                }
            }
        }
        if named.addresses.iter().any(|address| !counted.contains(address)) {
            return Err(NotFollowed::BarrierCount);
        }
        named.follow(nodes, &joins);
        Ok(named)
    }

    fn add(&mut self, address: u64) -> Result<BarrierNumber, NotFollowed> {
        let at = self.addresses.iter().position(|&known| known == address).unwrap_or_else(|| {
            self.addresses.push(address);
            self.addresses.len() - 1
        });
        number_below_64(at + 1)
    }

    fn follow(&mut self, nodes: &[Node], joins: &[Option<BarrierNumber>]) {
        let mut reached = vec![false; nodes.len()];
        let mut work = vec![0];
        while let Some(node) = work.pop() {
            let behind = joins[node].map_or(self.joined[node], Joined::One);
            for &next in &nodes[node].successors {
                let before = self.joined[next];
                let now = match reached[next] || next == 0 {
                    true if before != behind => Joined::Several,
                    _ => behind,
                };
                if !std::mem::replace(&mut reached[next], true) || now != before {
                    self.joined[next] = now;
                    work.push(next);
                }
            }
        }
    }

    /// The number of a cell of LDS, behind those of the named barriers.
    pub fn number_of_cell(&self, cell: usize) -> Result<BarrierNumber, NotFollowed> {
        number_below_64(self.addresses.len() + 1 + cell)
    }

    /// The part of a barrier that a call is; `None`: it orders nothing. A barrier of a cluster is one of its workgroups, too.
    pub fn barrier(
        &self,
        values: &Values<'_>,
        node: &Node,
        known: &mut Known,
        joined: &mut Joined,
        (row, call): (&Intrinsic, &Call),
    ) -> Result<Option<Barrier>, NotFollowed> {
        let mut first = || same(values, node, known, call.args.first().map(|arg| arg.value));
        let number =
            |first: Option<u64>| first.map(|first| first as u16 as i16).ok_or(NotFollowed::BarrierAddress);
        let at = |address: u64| {
            let at = self.addresses.iter().position(|&known| known == address);
            at.map(|at| at as BarrierNumber + 1).ok_or(NotFollowed::BarrierAddress)
        };
        Ok(match row.barrier {
            Some(Role::Meet | Role::MeetCluster) => Some(Barrier::Meet),
            Some(Role::Signal | Role::SignalFirst) => match number(first())? {
                // -1: the workgroup's.
                CLUSTER | -1 => Some(Barrier::Signal(WORKGROUP)),
                0 => None,
                named => Some(Barrier::Signal(at(lds::named_barrier(named.unsigned_abs().into()))?)),
            },
            Some(Role::SignalCounted) => {
                Some(Barrier::Signal(at(first().ok_or(NotFollowed::BarrierAddress)?)?))
            }
            Some(Role::Join) => {
                *joined = Joined::One(at(first().ok_or(NotFollowed::BarrierAddress)?)?);
                None
            }
            Some(Role::Wait) => match (number(first())?, *joined) {
                (CLUSTER | -1, _) => Some(Barrier::Wait(WORKGROUP)),
                (0, _) => None,
                (_, Joined::One(joined)) => Some(Barrier::Wait(joined)),
                _ => return Err(NotFollowed::BarrierAddress),
            },
            _ => None,
        })
    }
}

/// Whether an operation is on the barrier of the cluster, by its number.
pub(super) fn is_of_cluster(values: &Values<'_>, row: &Intrinsic, call: &Call) -> bool {
    let by_number = matches!(row.barrier, Some(Role::Signal | Role::SignalFirst | Role::Wait));
    let number = call.args.first().filter(|_| by_number).and_then(|arg| values.immediate(arg.value));
    number.is_some_and(|number| number as i16 == CLUSTER)
}

/// The number of the cluster's barrier.
const CLUSTER: i16 = -3;

/// A set of numbers is a word.
fn number_below_64(number: usize) -> Result<BarrierNumber, NotFollowed> {
    u8::try_from(number).ok().filter(|&number| number < 64).ok_or(NotFollowed::TooLarge)
}

/// What all work-items at a node know an operand to be.
pub(super) fn same(
    values: &Values<'_>,
    node: &Node,
    known: &mut Known,
    operand: Option<Operand>,
) -> Option<u64> {
    let lanes = values.of(&node.fixed, known, operand?)?;
    let mut items = (0..values.group.items).filter(|&item| node.active[item]);
    let first = lanes.of(items.next()?).exact()?;
    items.all(|item| lanes.of(item).exact() == Some(first)).then_some(first)
}
