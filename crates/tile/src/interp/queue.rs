//! Queues of groups: commit, wait, and completion by chance.

use std::collections::VecDeque;

use super::machine::{Machine, Run};
use super::member::Member;
use super::{Completion, MemberOrder, Options};

/// Members that were committed together.
#[derive(Debug)]
pub(super) struct Group<'p> {
    /// Its queue; `None` for a statement outside any commit.
    pub queue: Option<i64>,
    /// Groups in the order of their commit scopes' beginning.
    pub serial: u64,
    pub members: Vec<Member<'p>>,
}

#[derive(Debug)]
struct Queue<'p> {
    id: Option<i64>,
    completion: Completion,
    /// For random completion: how many of 8 occasions it takes.
    eagerness: u64,
    groups: VecDeque<Group<'p>>,
}

/// The queues of a workgroup.
#[derive(Debug)]
pub(super) struct Queues<'p> {
    queues: Vec<Queue<'p>>,
    completion: Completion,
    special: Vec<(i64, Completion)>,
    members: MemberOrder,
    state: u64,
    /// Statements until the next occasion.
    countdown: u64,
    /// About how many statements lie between occasions.
    tempo: u64,
    pub spare: Vec<Member<'p>>,
}

impl<'p> Queues<'p> {
    pub fn new(options: &Options) -> Queues<'p> {
        let mut queues = Queues {
            queues: Vec::new(),
            completion: options.completion,
            special: options.queues.clone(),
            members: options.members,
            state: options.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5bf0_3635,
            countdown: 1,
            tempo: 1,
            spare: Vec::new(),
        };
        queues.tempo = [1, 3, 10, 40][queues.random(4) as usize];
        queues
    }

    /// A number below `bound` (SplitMix64).
    fn random(&mut self, bound: u64) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        ((u128::from(mixed) * u128::from(bound)) >> 64) as u64
    }

    pub fn any_random(&self) -> bool {
        self.completion == Completion::Random
            || self.special.iter().any(|(_, completion)| *completion == Completion::Random)
    }

    pub fn groups(&self) -> impl Iterator<Item = &Group<'p>> {
        self.queues.iter().flat_map(|queue| &queue.groups)
    }

    fn index(&mut self, id: Option<i64>) -> usize {
        if let Some(index) = self.queues.iter().position(|queue| queue.id == id) {
            return index;
        }
        let special = self.special.iter().find(|(special, _)| Some(*special) == id);
        let completion = special.map_or(self.completion, |special| special.1);
        let eagerness = [0, 1, 4, 8][self.random(4) as usize];
        self.queues.push(Queue { id, completion, eagerness, groups: VecDeque::new() });
        self.queues.len() - 1
    }
}

impl<'p> Machine<'p> {
    pub fn new_group(&mut self, queue: Option<i64>) -> Group<'p> {
        let serial = self.next_group;
        self.next_group += 1;
        Group { queue, serial, members: Vec::new() }
    }

    /// Puts a group into its queue.
    pub fn commit(&mut self, mut group: Group<'p>) -> Run<()> {
        self.groups += 1;
        let index = self.queues.index(group.queue);
        let queue = &mut self.queues.queues[index];
        if queue.completion == Completion::Random {
            for member in &mut group.members {
                if member.divisible {
                    member.parts = [1, 1, 2, 3][self.queues.random(4) as usize];
                    member.left = (1 << member.parts) - 1;
                }
            }
        }
        let queue = &mut self.queues.queues[index];
        queue.groups.push_back(group);
        match queue.completion {
            Completion::Early => self.complete_oldest(index),
            Completion::Late => Ok(()),
            Completion::Random if queue.eagerness == 8 => self.complete_oldest(index),
            Completion::Random => Ok(()),
        }
    }

    /// Completes the oldest groups of a queue until at most `most` are in flight.
    pub fn wait(&mut self, queue: i64, most: u64) -> Run<()> {
        let index = self.queues.index(Some(queue));
        while self.queues.queues[index].groups.len() as u64 > most {
            self.complete_oldest(index)?;
        }
        Ok(())
    }

    /// The group of a queue that completes next: the oldest. Statements outside any commit are in no order.
    fn next_to_complete(&mut self, index: usize) -> Option<Group<'p>> {
        let queue = &self.queues.queues[index];
        if queue.id.is_some() || queue.completion != Completion::Random || queue.groups.is_empty() {
            return self.queues.queues[index].groups.pop_front();
        }
        let choice = self.queues.random(queue.groups.len() as u64) as usize;
        self.queues.queues[index].groups.swap_remove_front(choice)
    }

    fn complete_oldest(&mut self, index: usize) -> Run<()> {
        let Some(mut group) = self.next_to_complete(index) else { return Ok(()) };
        let random = self.queues.queues[index].completion == Completion::Random;
        let mut result = Ok(());
        while !group.members.is_empty() && result.is_ok() {
            if random {
                result = self.land_some(&mut group);
                continue;
            }
            let last = match self.queues.members {
                MemberOrder::Program => group.members.remove(0),
                MemberOrder::Reversed => group.members.swap_remove(group.members.len() - 1),
            };
            result = self.land_all(last);
        }
        result
    }

    fn land_all(&mut self, mut member: Member<'p>) -> Run<()> {
        for part in 0..member.parts {
            if member.left & 1 << part != 0 {
                self.land(&mut member, part)?;
            }
        }
        self.retire(member);
        Ok(())
    }

    /// Lets a part of any member of the group land.
    fn land_some(&mut self, group: &mut Group<'p>) -> Run<()> {
        let choice = self.queues.random(group.members.len() as u64) as usize;
        let mut member = group.members.swap_remove(choice);
        let left: Vec<u8> = (0..member.parts).filter(|part| member.left & 1 << part != 0).collect();
        let part = left[self.queues.random(left.len() as u64) as usize];
        self.land(&mut member, part)?;
        if member.left == 0 {
            self.retire(member);
        } else {
            group.members.push(member);
        }
        Ok(())
    }

    /// A statement has run: something in flight may complete.
    #[inline]
    pub fn occasion(&mut self) -> Run<()> {
        if self.pending == 0 || !self.queues.any_random() {
            return Ok(());
        }
        self.queues.countdown -= 1;
        if self.queues.countdown > 0 {
            return Ok(());
        }
        self.queues.countdown = 1 + self.queues.random(2 * self.queues.tempo);
        let index = self.queues.random(self.queues.queues.len() as u64) as usize;
        let Some(queue) = self.queues.queues.get(index) else { return Ok(()) };
        let (completion, eagerness) = (queue.completion, queue.eagerness);
        if completion != Completion::Random || self.queues.random(8) >= eagerness {
            return Ok(());
        }
        let Some(mut group) = self.next_to_complete(index) else { return Ok(()) };
        if !group.members.is_empty() {
            self.land_some(&mut group)?;
        }
        if !group.members.is_empty() {
            self.queues.queues[index].groups.push_front(group);
        }
        Ok(())
    }

    /// Completes everything.
    pub fn drain(&mut self) -> Run<()> {
        loop {
            let busy: Vec<usize> = (0..self.queues.queues.len())
                .filter(|&index| !self.queues.queues[index].groups.is_empty())
                .collect();
            let Some(&first) = busy.first() else { return Ok(()) };
            let index = match self.queues.completion {
                Completion::Random => busy[self.queues.random(busy.len() as u64) as usize],
                _ => first,
            };
            self.complete_oldest(index)?;
        }
    }
}
