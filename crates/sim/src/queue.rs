//! What a wave has in flight, and in which order it completes.
//!
//! An operation stays in one slot from [`Queue::push`] to [`Queue::release`]; only its number moves. (A value
//! that has just been written field by field must not be copied as a whole: the host would wait for the stores.) Loads of LDS
//! are kept apart where what is in flight lands late ([`LdsLoads`]): but for their channel they have an order with nothing else.
//!
//! [`Queue::retire`] says what a wait guarantees and nothing more; [`Queue::take_due`] hands out what has come due.
//! Two operations of one wave on the same bytes keep their order where the hardware keeps it ([`ordered`]).

use wavemark_isa::effects::CounterSet;

use crate::burst::Burst;
use crate::events::{CHANNELS, Channel, Counter, Direction, Space, executed_channels};
use crate::lanewise::{Lanewise, Move};
use crate::lds_copy::LdsCopy;
use crate::lds_load::LdsLoads;
use crate::pending::{Action, Pending};

/// An operation in flight.
#[derive(Debug)]
pub enum Flight {
    /// A plain load or store of consecutive lanes that nobody watches.
    Burst(Burst),
    /// One whose lanes have a place each, that nobody watches.
    Lanewise(Box<Lanewise>),
    /// A copy between memory and LDS by rows of addresses that are known.
    LdsCopy(LdsCopy),
    /// One that moves nothing and that nobody watches.
    Mark(Mark),
    /// Any other.
    Other(Box<Pending>),
    /// None: the slot is free. (A free slot may also hold a burst, a copy or a mark that is complete.)
    Free,
}

/// An operation that is only counted: its places in up to two channels.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    seq: [(Channel, u32); 2],
    channels: u8,
    issued_at: u64,
}

impl Flight {
    /// Where it stands in its wave's channels.
    #[inline]
    pub(crate) fn seq(&self) -> &[(Channel, u32)] {
        match self {
            Flight::Burst(burst) => std::slice::from_ref(&burst.seq),
            Flight::Lanewise(lanewise) => lanewise.seq(),
            Flight::LdsCopy(copy) => std::slice::from_ref(&copy.seq),
            Flight::Mark(mark) => &mark.seq[..usize::from(mark.channels)],
            Flight::Other(pending) => &pending.issue.seq,
            Flight::Free => &[],
        }
    }

    /// When it was issued, by its cluster's clock.
    #[inline]
    pub(crate) fn issued_at(&self) -> u64 {
        match self {
            Flight::Burst(burst) => burst.issued_at,
            Flight::Lanewise(lanewise) => lanewise.issued_at,
            Flight::LdsCopy(copy) => copy.issued_at,
            Flight::Mark(mark) => mark.issued_at,
            Flight::Other(pending) => pending.issued_at,
            Flight::Free => u64::MAX,
        }
    }

    /// Per access: its space, whether it only reads, its first byte and the byte behind its last.
    fn spans(&self) -> impl Iterator<Item = (Space, bool, u64, u64)> {
        let (mut burst, mut copy, mut reaches, mut other) = (None, None, &[][..], None);
        match self {
            Flight::Burst(it) => burst = Some((it.space, !it.stores(), it.low, it.high)),
            Flight::Lanewise(lanewise) => reaches = lanewise.reaches(),
            Flight::LdsCopy(it) => copy = Some(it.sides()),
            Flight::Other(pending) => other = Some(pending),
            Flight::Mark(_) | Flight::Free => {}
        }
        let reaches = reaches.iter().map(|reach| (reach.space, !reach.writes, reach.low, reach.high));
        burst.into_iter().chain(copy.into_iter().flatten()).chain(reaches).chain(other.into_iter().flat_map(
            |pending| {
                pending.issue.accesses.iter().zip(&pending.hulls).map(|(access, &(low, high))| {
                    (access.space, access.direction == Direction::Read, low, high)
                })
            },
        ))
    }

    /// Whether they may meet in memory, one of them writing, where the hardware keeps their order.
    #[inline]
    fn must_precede(&self, later: &Flight) -> bool {
        if let (Flight::Burst(a), Flight::Burst(b)) = (self, later) {
            return a.space == b.space
                && a.low < b.high
                && b.low < a.high
                && (a.stores() || b.stores())
                && ordered(a.seq.0, b.seq.0, a.space);
        }
        self.meets(later)
    }

    fn meets(&self, later: &Flight) -> bool {
        self.spans().any(|(space, reads, low, high)| {
            later.spans().any(|(other_space, other_reads, other_low, other_high)| {
                space == other_space
                    && low < other_high
                    && other_low < high
                    && !(reads && other_reads)
                    && self.seq().iter().any(|&(a, _)| later.seq().iter().any(|&(b, _)| ordered(a, b, space)))
            })
        })
    }

    /// Where it writes if it writes memory and nothing else.
    fn only_writes(&self) -> Option<Space> {
        match self {
            Flight::Lanewise(lanewise) => match lanewise.moves {
                Move::Store(_) | Move::Atomic(_, _, None) => {
                    lanewise.reaches().first().map(|reach| reach.space)
                }
                _ => None,
            },
            Flight::Other(pending) => match pending.action {
                Action::Store { .. } | Action::Atomic { rows: None, .. } => {
                    pending.issue.accesses.first().map(|access| access.space)
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Operations of one in-order class complete in order.
    fn same_in_order(&self, later: &Flight) -> bool {
        self.seq().iter().any(|&(a, _)| a != Channel::Sm && later.seq().iter().any(|&(b, _)| a == b))
    }
}

/// Of the places of an operation in its channels, the one that tells when its part in `space` is done. A FLAT operation is in two
/// channels, of which that of LDS is decremented once LDS has done its part (RDNA4 ISA 5.7.1, 5.7.1.3; and LLVM waits for no
/// other at a release of workgroup scope where the CU keeps the order of the rest).
pub fn channel_in(seq: &[(Channel, u32)], space: Space) -> Option<(Channel, u32)> {
    let of_lds = |&&(channel, _): &&(Channel, u32)| (channel == Channel::Ds) == (space == Space::Lds);
    seq.iter().find(of_lds).or(seq.first()).copied()
}

/// The channels, one bit each, in which an operation with accesses to these spaces may be over before older ones, where the
/// processor says that of FLAT operations ([`wavemark_target::Facts::flat_counts_in_order`]): what goes to LDS comes back by
/// another way than what goes to memory.
pub fn unordered(channels: impl Iterator<Item = Channel>, spaces: impl Iterator<Item = Space>) -> u8 {
    const FLAT: u16 = 1 << Channel::Vm as u8 | 1 << Channel::Ds as u8;
    if channels.fold(0, |mask, channel| mask | 1u16 << channel as u8) & FLAT != FLAT {
        return 0;
    }
    spaces
        .fold(0, |mask, space| mask | 1 << if space == Space::Lds { Channel::Vm } else { Channel::Ds } as u8)
}

/// How far operations of a channel are over for certain where all but the `n` youngest of its `issued` are, and those with the
/// numbers `unordered`, which are in flight, may be among them or not.
pub fn over_for_certain(issued: u32, n: u32, unordered: impl Iterator<Item = u32>) -> u32 {
    if n == 0 {
        return issued;
    }
    let (first, count) = unordered.fold((u32::MAX, 0), |(first, count), seq| (first.min(seq), count + 1));
    issued.saturating_sub(n + count).min(first - 1)
}

/// Whether the hardware keeps two accesses of one wave in order when they meet: vector memory among itself on
/// global memory and scratch (CDNA5 ISA 5.7.1.2), LDS instructions among themselves, asynchronous copies
/// among themselves on global memory.
pub const fn ordered(a: Channel, b: Channel, space: Space) -> bool {
    use Channel::{Al, As, Ds, Ld, St, Td, Vm};
    match space {
        Space::Lds => matches!((a, b), (Ds, Ds) | (Td, Td)),
        Space::Global | Space::Scratch => {
            matches!((a, b), (Ld | St | Vm, Ld | St | Vm) | (Al | As, Al | As) | (Td, Td))
        }
    }
}

/// The most operations that each counter of a set can count.
pub fn smallest_capacity(set: CounterSet) -> usize {
    let executed = |counter| executed_channels(counter).next().is_some();
    let capacities = set.capacities().filter(|&(counter, _)| executed(counter)).map(|(_, capacity)| capacity);
    capacities.min().unwrap_or(u32::MAX) as usize
}

/// The channels that [`ordered`] keeps in order with each one in any space, one bit each.
const PEERS: [u8; CHANNELS] = {
    let mut peers = [0; CHANNELS];
    let mut pair = 0;
    while pair < Channel::ALL.len() * Channel::ALL.len() {
        let (a, b) = (Channel::ALL[pair / Channel::ALL.len()], Channel::ALL[pair % Channel::ALL.len()]);
        if ordered(a, b, Space::Lds) || ordered(a, b, Space::Global) || ordered(a, b, Space::Scratch) {
            peers[a as usize] |= 1 << b as u8;
        }
        pair += 1;
    }
    peers
};

/// A slot in use, and what decides when its operation is due.
#[derive(Clone, Copy, Debug)]
struct Place {
    slot: u32,
    /// The only channel and sequence number; if there are none or more, [`Place::MANY`] and 0.
    channel: u8,
    seq: u32,
    /// When it was issued, by its cluster's clock.
    issued_at: u64,
}

impl Place {
    const MANY: u8 = u8::MAX;

    /// Whether its channel is one of the other's [`PEERS`], as far as that can be told.
    #[inline(always)]
    fn is_peer(self, other: Place) -> bool {
        self.channel == Place::MANY
            || other.channel == Place::MANY
            || PEERS[usize::from(self.channel) & (CHANNELS - 1)] >> other.channel & 1 != 0
    }
}

/// How far a wave has looked for operations that have come due.
#[derive(Debug, Default)]
pub struct Scan {
    at: usize,
    blocked: u8,
}

/// The operations of one wave that are in flight.
#[derive(Debug, Default)]
pub struct Queue {
    /// Loads of LDS that are in no slot.
    pub lds_loads: LdsLoads,
    slots: Vec<Flight>,
    free: Vec<u32>,
    /// The slots in use, in the order of issue, from number `head` on.
    order: Vec<Place>,
    head: usize,
    /// Sequence number of the youngest operation per channel; the first is 1.
    issued: [u32; CHANNELS],
    /// Operations up to this number are complete, per channel.
    retired: [u32; CHANNELS],
    /// How many of the operations in slots are of each channel.
    live: [u32; CHANNELS],
    /// The channels with operations in slots, one bit each.
    live_mask: u8,
    /// How many of the operations in slots are of no channel or of several.
    many: u32,
}

impl Queue {
    /// As if nothing had ever been in flight; what is, is dropped.
    pub fn restart(&mut self) {
        self.lds_loads.clear();
        self.slots.clear();
        self.free.clear();
        self.order.clear();
        *self = Queue {
            lds_loads: std::mem::take(&mut self.lds_loads),
            slots: std::mem::take(&mut self.slots),
            free: std::mem::take(&mut self.free),
            order: std::mem::take(&mut self.order),
            ..Queue::default()
        };
    }

    /// Nothing is in flight.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.order().is_empty() && self.lds_loads.is_empty()
    }

    /// Whether an operation in a slot may be in one of the channels.
    #[inline(always)]
    pub fn has_any_of(&self, channels: u8) -> bool {
        self.live_mask & channels != 0 || self.many != 0
    }

    /// Whether loads of LDS need no slots now: nothing is in flight that they might have to come behind without being
    /// behind it in their channel.
    #[inline(always)]
    pub fn takes_lds_loads(&self) -> bool {
        !self.has_many()
    }

    /// The number of the youngest operation of `channel`.
    pub fn issued(&self, channel: Channel) -> u32 {
        self.issued[channel as usize]
    }

    /// Operations of `channel` up to this number are complete.
    #[inline(always)]
    pub fn retired(&self, channel: Channel) -> u32 {
        self.retired[channel as usize]
    }

    /// The next sequence number of `channel`.
    #[inline]
    pub fn next(&mut self, channel: Channel) -> (Channel, u32) {
        self.issued[channel as usize] += 1;
        (channel, self.issued[channel as usize])
    }

    /// Put an operation into flight.
    pub fn push(&mut self, pending: Box<Pending>) {
        let slot = self.enter(&pending.issue.seq, pending.issued_at);
        self.slots[slot] = Flight::Other(pending);
    }

    /// Put a burst into flight.
    #[inline(always)]
    pub fn push_burst(&mut self, burst: Burst) {
        let slot = self.enter(&[burst.seq], burst.issued_at);
        match &mut self.slots[slot] {
            Flight::Burst(place) => *place = burst,
            other => *other = Flight::Burst(burst),
        }
    }

    /// Put a copy between memory and LDS into flight.
    #[inline]
    pub fn push_lds_copy(&mut self, copy: LdsCopy) {
        let slot = self.enter(&[copy.seq], copy.issued_at);
        match &mut self.slots[slot] {
            Flight::LdsCopy(place) => *place = copy,
            other => *other = Flight::LdsCopy(copy),
        }
    }

    /// Put a lane-wise operation into flight.
    #[inline]
    pub fn push_lanewise(&mut self, lanewise: Box<Lanewise>) {
        let slot = self.enter(lanewise.seq(), lanewise.issued_at);
        self.slots[slot] = Flight::Lanewise(lanewise);
    }

    /// Put an operation into flight, at machine time `issued_at`, that moves nothing; `false` if it is in too many
    /// channels.
    #[inline]
    pub fn push_mark(&mut self, channels: &[Channel], issued_at: u64) -> bool {
        if channels.len() > 2 {
            return false;
        }
        let mut seq = [(Channel::Ds, 0); 2];
        for (seq, &channel) in seq.iter_mut().zip(channels) {
            *seq = self.next(channel);
        }
        let slot = self.enter(&seq[..channels.len()], issued_at);
        self.slots[slot] = Flight::Mark(Mark { seq, channels: channels.len() as u8, issued_at });
        true
    }

    /// A slot for an operation with these places in its channels, issued at machine time `issued_at`: the last one in the
    /// order of issue.
    #[inline(always)]
    fn enter(&mut self, seq: &[(Channel, u32)], issued_at: u64) -> usize {
        for &(channel, _) in seq {
            self.live[channel as usize] += 1;
            self.live_mask |= 1 << channel as u8;
        }
        let (channel, seq) = match *seq {
            [(channel, seq)] => (channel as u8, seq),
            _ => {
                self.many += 1;
                (Place::MANY, 0)
            }
        };
        let slot = self.free_slot();
        self.append(Place { slot, channel, seq, issued_at });
        slot as usize
    }

    /// The slots in use, in the order of issue.
    #[inline(always)]
    fn order(&self) -> &[Place] {
        &self.order[self.head..]
    }

    #[inline(always)]
    fn append(&mut self, place: Place) {
        if self.order.len() == self.order.capacity() {
            self.order.drain(..self.head);
            self.head = 0;
        }
        self.order.push(place);
    }

    #[inline(always)]
    fn free_slot(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.slots.push(Flight::Free);
            self.slots.len() as u32 - 1
        })
    }

    /// Take number `at` in the order of issue out of it; its slot.
    #[inline(always)]
    fn remove(&mut self, at: usize) -> usize {
        let place = self.order[self.head + at];
        // What is in front of it, mostly little, moves up.
        match at {
            0 => {}
            1 => self.order[self.head + 1] = self.order[self.head],
            _ => self.order.copy_within(self.head..self.head + at, self.head + 1),
        }
        self.head += 1;
        if self.head == self.order.len() {
            self.order.clear();
            self.head = 0;
        }
        let slot = place.slot as usize;
        if place.channel != Place::MANY {
            self.dies(usize::from(place.channel) & (CHANNELS - 1));
        } else {
            self.many -= 1;
            for i in 0..self.slots[slot].seq().len() {
                self.dies(self.slots[slot].seq()[i].0 as usize);
            }
        }
        slot
    }

    #[inline(always)]
    fn dies(&mut self, channel: usize) {
        self.live[channel] -= 1;
        self.live_mask &= !(u8::from(self.live[channel] == 0) << channel);
    }

    /// The operation in `slot`.
    #[inline]
    pub fn flight(&self, slot: usize) -> &Flight {
        &self.slots[slot]
    }

    /// The same, to complete it.
    pub fn flight_mut(&mut self, slot: usize) -> &mut Flight {
        &mut self.slots[slot]
    }

    /// What is in flight, in the order of issue.
    pub fn for_each(&mut self, mut visit: impl FnMut(&mut Flight)) {
        for place in &self.order[self.head..] {
            visit(&mut self.slots[place.slot as usize]);
        }
    }

    /// Free `slot`, whose operation was taken and is complete; what it held apart from bursts, copies and marks.
    #[inline(always)]
    pub fn release(&mut self, slot: usize) -> Option<Flight> {
        self.free.push(slot as u32);
        match &mut self.slots[slot] {
            Flight::Burst(_) | Flight::LdsCopy(_) | Flight::Mark(_) => None,
            other => Some(std::mem::replace(other, Flight::Free)),
        }
    }

    /// Number `at` in the order of issue.
    #[inline]
    fn nth(&self, at: usize) -> &Flight {
        &self.slots[self.order[self.head + at].slot as usize]
    }

    /// Machine time at which the oldest operation in a slot was issued.
    #[inline]
    pub fn oldest(&self) -> Option<u64> {
        self.order().first().map(|place| place.issued_at)
    }

    /// The oldest operation in a slot that changes LDS and was issued before machine time `before`: where it is in the order of
    /// issue, and when it was issued.
    pub fn lds_store(&self, before: u64) -> Option<(usize, u64)> {
        let is_old = |&at: &usize| self.order()[at].issued_at < before;
        let changes = |&at: &usize| {
            let of_lds = self.order()[at].channel == Channel::Ds as u8;
            of_lds && self.nth(at).spans().any(|(space, reads, ..)| space == Space::Lds && !reads)
        };
        (0..self.len()).take_while(is_old).find(changes).map(|at| (at, self.order()[at].issued_at))
    }

    /// How many operations a counter counts now.
    pub fn outstanding(&self, counter: Counter) -> u32 {
        executed_channels(counter).map(|c| self.issued[c as usize] - self.retired[c as usize]).sum()
    }

    /// All but the `n` youngest operations of `channel` are retired. What a wait says about a counter is this for
    /// each of its in-order channels, and of an out-of-order one only if `n` is 0.
    #[inline]
    pub fn retire(&mut self, channel: Channel, n: u32) {
        let upto = self.issued[channel as usize].saturating_sub(n);
        let retired = &mut self.retired[channel as usize];
        *retired = (*retired).max(upto);
    }

    /// The same where operations that are in two channels may be over before older ones ([`unordered`]).
    #[cold]
    pub fn retire_beside_unordered(&mut self, channel: Channel, n: u32) {
        let c = channel as usize;
        let in_flight =
            self.order().iter().filter(|place| place.channel == Place::MANY).filter_map(|place| {
                let flight = &self.slots[place.slot as usize];
                let own = flight.seq().iter().find(|own| own.0 == channel && own.1 > self.retired[c])?.1;
                let channels = flight.seq().iter().map(|&(channel, _)| channel);
                (unordered(channels, flight.spans().map(|span| span.0)) >> c & 1 != 0).then_some(own)
            });
        let upto = over_for_certain(self.issued[c], n, in_flight);
        self.retired[c] = self.retired[c].max(upto);
    }

    /// Whether operations that are in two channels, or none, are in flight.
    #[inline(always)]
    pub fn has_many(&self) -> bool {
        self.many != 0
    }

    /// Everything is retired.
    pub fn retire_all(&mut self) {
        self.retired = self.issued;
    }

    /// Whether there are more operations in flight than the smallest counter can count ([`smallest_capacity`]).
    #[inline(always)]
    pub fn crowded(&self, smallest_capacity: usize) -> bool {
        self.order().len() + self.lds_loads.len() > smallest_capacity
    }

    /// Stall-on-issue: no counter counts more than its capacity. The channels that something is retired in, one bit each.
    #[inline(always)]
    pub fn back_pressure(&mut self, set: CounterSet) -> u8 {
        let mut stalled = 0;
        for (counter, capacity) in set.capacities() {
            if self.outstanding(counter) > capacity {
                for channel in executed_channels(counter) {
                    self.retire(channel, capacity);
                    stalled |= 1 << channel as u8;
                }
            }
        }
        stalled
    }

    /// Take the next operation whose time has come, or one that must go before it, out of the order; its slot.
    ///
    /// What `scan` has passed is not due and will not be while nothing more is retired. Channels retire in order of
    /// issue, so that nothing behind the first unretired operation of each channel need be looked at.
    #[inline(always)]
    pub fn take_due(&mut self, scan: &mut Scan) -> Option<usize> {
        while let Some(place) = self.order().get(scan.at) {
            let blocked = if place.channel == Place::MANY {
                self.unretired(place.slot)
            } else {
                u8::from(place.seq > self.retired[usize::from(place.channel) & (CHANNELS - 1)])
                    << place.channel
            };
            if blocked == 0 {
                return Some(self.take_in_order(scan.at, scan));
            }
            scan.blocked |= blocked;
            if scan.blocked == self.live_mask {
                return None;
            }
            scan.at += 1;
        }
        None
    }

    /// The channels in which the operation in `slot` is not retired.
    fn unretired(&self, slot: u32) -> u8 {
        let flight = &self.slots[slot as usize];
        let seq = flight.seq();
        // What returns to registers comes from either side; what is written is there once its side has done it.
        let place = flight.only_writes().and_then(|space| channel_in(seq, space));
        let places = place.as_ref().map_or(seq, std::slice::from_ref);
        places.iter().fold(0, |mask, &(c, n)| mask | u8::from(n > self.retired[c as usize]) << c as u8)
    }

    /// Whether one number in the order of issue must complete before a later one.
    #[inline(always)]
    fn must_precede(&self, earlier: usize, later: usize) -> bool {
        let order = self.order();
        order[earlier].is_peer(order[later]) && self.nth(earlier).must_precede(self.nth(later))
    }

    /// Take operation number `at`, which is due, or one that must go before it.
    #[inline(always)]
    fn take_in_order(&mut self, at: usize, scan: &mut Scan) -> usize {
        if at == 0 || self.is_first_of_peers(at) {
            return self.remove(at);
        }
        self.take_what_precedes(at, scan)
    }

    /// Whether no channel but its own has a peer in flight of operation number `at`, which is due: what is in front of it in
    /// its own is complete.
    #[inline(always)]
    fn is_first_of_peers(&self, at: usize) -> bool {
        let channel = self.order()[at].channel;
        let Some(peers) = PEERS.get(usize::from(channel)) else { return false };
        self.many == 0 && self.live_mask & peers & !(1 << channel) == 0
    }

    #[inline(never)]
    fn take_what_precedes(&mut self, mut at: usize, scan: &mut Scan) -> usize {
        while let Some(earlier) = (0..at).find(|&i| self.must_precede(i, at)) {
            at = earlier;
            *scan = Scan::default();
        }
        self.remove(at)
    }

    /// Take operation number `at` in the order of issue, or one that must go before it; its channel stays
    /// unretired. For completion earlier than any wait demands.
    pub fn take_early(&mut self, mut at: usize) -> Option<usize> {
        if at >= self.order().len() {
            return None;
        }
        while let Some(earlier) =
            (0..at).find(|&i| self.must_precede(i, at) || self.nth(i).same_in_order(self.nth(at)))
        {
            at = earlier;
        }
        Some(self.remove(at))
    }

    /// Take the first operation that `lands`, by its places, and that nothing in flight must go before.
    pub fn take_first(&mut self, lands: impl Fn(&[(Channel, u32)]) -> bool) -> Option<usize> {
        let free =
            |at: usize| !(0..at).any(|i| self.must_precede(i, at) || self.nth(i).same_in_order(self.nth(at)));
        let at = (0..self.len()).find(|&at| lands(self.nth(at).seq()) && free(at))?;
        Some(self.remove(at))
    }

    /// Operations in slots.
    pub fn len(&self) -> usize {
        self.order().len()
    }
}
