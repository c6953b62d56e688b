//! Which bytes of LDS an instruction touches, by wave.

use rustc_hash::FxHashSet;
use wavemark_target::{LDS_OFF, Property, TensorDescriptor, lds_dma_lane};

use crate::function::{Value, ValueDef};
use crate::inst::{Call, InstData, InstKind, Operand};
use crate::intrinsic::{self, Barrier, Intrinsic, Need, Shape, Spaces};
use crate::layout;
use crate::opcode::BinaryOp;
use crate::types::Type;

use super::bits::{Bits, mask};
use super::divergence;
use super::lanes::{Fixed, Group, Known, Lanes, Values};
use super::paths::Node;

/// Ranges of bytes of each wave, ascending and apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bytes {
    waves: Vec<Vec<(u64, u64)>>,
    /// From the first byte of all to behind the last.
    hull: (u64, u64),
}

impl Bytes {
    /// `size` bytes at the address of each work-item in `active`; `None`: an address is not known. What is beyond LDS is
    /// not accessed.
    fn at(group: Group, active: &[bool], address: impl Fn(usize) -> Option<u64>, size: u64) -> Option<Bytes> {
        let mut waves = vec![Vec::new(); group.waves()];
        for item in (0..group.items).filter(|&item| active[item]) {
            let start = address(item)?;
            if start < LDS_OFF {
                waves[item / group.wave].push((start, start.saturating_add(size)));
            }
        }
        Some(Bytes::new(waves))
    }

    /// `size` bytes at one place, of every wave.
    pub fn of_all(group: Group, start: u64, size: u64) -> Bytes {
        Bytes::new(vec![vec![(start, start.saturating_add(size))]; group.waves()])
    }

    fn new(mut waves: Vec<Vec<(u64, u64)>>) -> Bytes {
        waves.iter_mut().for_each(merge);
        let start = waves.iter().filter_map(|ranges| ranges.first()).map(|range| range.0).min();
        let end = waves.iter().filter_map(|ranges| ranges.last()).map(|range| range.1).max();
        Bytes { waves, hull: (start.unwrap_or(0), end.unwrap_or(0)) }
    }

    /// Whether two waves that `which` picks, in this order, share a byte.
    pub fn meet(&self, other: &Bytes, which: impl Fn(usize, usize) -> bool) -> bool {
        if self.hull.1 <= other.hull.0 || other.hull.1 <= self.hull.0 {
            return false;
        }
        let theirs = || other.waves.iter().enumerate();
        let meets =
            |(mine, a): (usize, &Vec<_>)| theirs().any(|(their, b)| which(mine, their) && overlap(a, b));
        self.waves.iter().enumerate().any(meets)
    }
}

fn merge(ranges: &mut Vec<(u64, u64)>) {
    ranges.sort_unstable();
    ranges.dedup_by(|next, last| {
        let joined = next.0 <= last.1;
        if joined {
            last.1 = last.1.max(next.1);
        }
        joined
    });
}

fn overlap(a: &[(u64, u64)], b: &[(u64, u64)]) -> bool {
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    while let (Some(&&(start, end)), Some(&&(from, to))) = (a.peek(), b.peek()) {
        if start < to && from < end {
            return true;
        }
        if end <= to {
            a.next()
        } else {
            b.next()
        };
    }
    false
}

/// When bytes are touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum When {
    Always,
    /// Where a condition has this value.
    If(Operand, bool),
    /// Where a remainder that nothing is known of has one of its values: of the places of an access that are so, one is
    /// touched. `any`: the places are all of those that are not negative, and this is one of them.
    Remainder {
        any: bool,
    },
}

/// Bytes that are touched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    when: When,
    bytes: Bytes,
}

/// What an instruction does to LDS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Touch {
    pub writes: bool,
    pub atomic: bool,
    /// It is an asynchronous operation.
    pub copy: bool,
    /// It is a tensor operation that arrives at a barrier cell in LDS, once a wave: where, if all waves are known to do so at
    /// the same.
    pub cell: Option<Option<u64>>,
    /// It writes global memory, or may write the LDS of other workgroups.
    pub elsewhere: bool,
    /// Where, one of these; `None`: that is not known.
    pub places: Option<Vec<Place>>,
    /// The node of the paths that it is in: conditions have one value there.
    pub node: usize,
}

/// Whether two accesses are in each other's way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Conflict {
    No,
    /// If two conditions are what they need not be together.
    Possible,
    Certain,
}

impl Touch {
    /// Whether it may be of one of these bytes.
    pub fn meets(&self, bytes: &Bytes) -> bool {
        self.places.iter().flatten().any(|place| place.bytes.meet(bytes, |_, _| true))
    }

    /// Whether accesses of waves that `which` picks are in each other's way.
    pub fn conflict(&self, other: &Touch, which: impl Fn(usize, usize) -> bool) -> Conflict {
        let (Some(mine), Some(theirs)) = (&self.places, &other.places) else { return Conflict::No };
        if !self.writes && !other.writes {
            return Conflict::No;
        }
        let pairs = mine.iter().flat_map(|mine| theirs.iter().map(move |theirs| (mine, theirs)));
        let meeting = pairs.filter(|(mine, theirs)| mine.bytes.meet(&theirs.bytes, &which));
        let conflicts =
            meeting.map(|(mine, theirs)| match (mine.when, theirs.when) {
                (When::Remainder { .. }, _) | (_, When::Remainder { .. }) => Conflict::Possible,
                (When::Always, _) | (_, When::Always) => Conflict::Certain,
                (When::If(a, x), When::If(b, y)) if a == b && (x == y || self.node == other.node) => {
                    if x == y { Conflict::Certain } else { Conflict::No }
                }
                (When::If(..), When::If(..)) => Conflict::Possible,
            });
        let most = conflicts.max().unwrap_or(Conflict::No);
        let whatever = || {
            let reversed = |a, b| which(b, a);
            always_meet(mine, theirs, &which) || always_meet(theirs, mine, &reversed)
        };
        if most == Conflict::Possible && whatever() { Conflict::Certain } else { most }
    }
}

/// Whether accesses meet whatever the remainder is that the first one's places depend on. That it is not negative may be
/// promised by what nobody looks at.
fn always_meet(places: &[Place], others: &[Place], which: &impl Fn(usize, usize) -> bool) -> bool {
    let mut some = places.iter().filter(|place| place.when == When::Remainder { any: true }).peekable();
    let always = || others.iter().filter(|other| other.when == When::Always);
    some.peek().is_some() && some.all(|place| always().any(|other| place.bytes.meet(&other.bytes, which)))
}

impl Values<'_> {
    /// What an instruction does to LDS where `here` is; `None`: nothing. Generic pointers are taken to lead elsewhere.
    pub(super) fn touch(
        &self,
        here: &Node,
        number: usize,
        known: &mut Known,
        inst: &InstData,
    ) -> Option<Touch> {
        let mut at = At { values: self, here, known };
        let touch = |writes, atomic, places| Touch {
            writes,
            atomic,
            copy: false,
            cell: None,
            elsewhere: false,
            places,
            node: number,
        };
        let of = |operand: Operand| operand.ty(self.body, &self.module.constants);
        let (pointer, ty, writes, atomic) = match &inst.kind {
            InstKind::Call(call) => return at.call(number, call, inst.ty),
            InstKind::Load { pointer, access } => (*pointer, inst.ty, false, access.ordering.is_some()),
            InstKind::Store { pointer, value, access } => {
                (*pointer, of(*value)?, true, access.ordering.is_some())
            }
            InstKind::Rmw { pointer, value, .. } => (*pointer, of(*value)?, true, true),
            InstKind::CmpXchg(exchange) => (exchange.pointer, of(exchange.expected)?, true, true),
            _ => return None,
        };
        if !self.is_lds(pointer) {
            return None;
        }
        let size = layout::layout(&self.module.types, ty).map(|layout| layout.size);
        Some(touch(writes, atomic, size.and_then(|size| at.places(pointer, size, 0))))
    }

    /// Whether a tensor operation may arrive at a cell, as far as its descriptor is the same on all paths.
    pub fn may_arrive(&self, row: &Intrinsic, call: &Call) -> bool {
        let flags = call.args.get(1).filter(|_| row.asynchronous == Some("tensor")).map(|arg| arg.value);
        flags.is_some_and(|flags| {
            let word = self.part_of(&Fixed::default(), &mut Known::default(), flags, 0, 32);
            word.is_none_or(|word| {
                (0..self.group.items).any(|item| word.of(item).within(HAS_CELL) != Some(0))
            })
        })
    }

    /// Whether an operand is a pointer into LDS.
    pub fn is_lds(&self, pointer: Operand) -> bool {
        let ty = pointer.ty(self.body, &self.module.constants);
        ty.and_then(|ty| self.module.types.address_space(ty)) == Some(LOCAL)
    }

    fn in_lds(&self, call: &Call, spaces: &Spaces) -> bool {
        match spaces {
            Spaces::None | Spaces::Listed(_) => spaces.has(LOCAL),
            Spaces::OfOperands => call.args.iter().any(|arg| self.is_lds(arg.value)),
        }
    }

    /// The number that a constant is.
    pub fn immediate(&self, operand: Operand) -> Option<i64> {
        let Operand::Const(constant) = operand else { return None };
        let bits = self.bits(self.module.constants.ty(constant))?;
        self.module.constants.int(constant)?.to_i64(bits)
    }
}

/// A point of a path.
struct At<'v, 'm> {
    values: &'v Values<'m>,
    here: &'v Node,
    known: &'v mut Known,
}

impl At<'_, '_> {
    fn lanes(&mut self, operand: Operand) -> Option<Lanes> {
        self.values.of(&self.here.fixed, self.known, operand)
    }

    fn always(&self, address: impl Fn(usize) -> Option<u64>, size: u64) -> Option<Vec<Place>> {
        let bytes = Bytes::at(self.values.group, &self.here.active, address, size)?;
        Some(vec![Place { when: When::Always, bytes }])
    }

    /// `size` bytes behind `offset` at a pointer, which may be one of two that a selection gives, or depend on a remainder.
    fn places(&mut self, pointer: Operand, size: u64, offset: i64) -> Option<Vec<Place>> {
        let lanes = self.lanes(pointer)?;
        let moved = |lanes: &Lanes, item| Some(lanes.of(item).exact()?.wrapping_add_signed(offset));
        if let Some(places) = self.always(|item| moved(&lanes, item), size) {
            return Some(places);
        }
        let Some((condition, then, otherwise)) = self.selected(pointer) else {
            return self.by_remainder(pointer, |lanes, item| moved(lanes, item), size);
        };
        let (then, otherwise) = (self.lanes(then)?, self.lanes(otherwise)?);
        let place = |lanes: &Lanes, is| {
            let bytes = Bytes::at(self.values.group, &self.here.active, |item| moved(lanes, item), size)?;
            Some(Place { when: When::If(condition, is), bytes })
        };
        Some(vec![place(&then, true)?, place(&otherwise, false)?])
    }

    /// The places for each value of the remainder by a small number that alone makes a pointer unknown: the buffer of the last
    /// round of a loop that went on for as long as an argument says.
    fn by_remainder(
        &mut self,
        pointer: Operand,
        address: impl Fn(&Lanes, usize) -> Option<u64>,
        size: u64,
    ) -> Option<Vec<Place>> {
        let (value, least, most) = self.remainder(pointer)?;
        let bits = self.values.bits(self.values.body.values[value].ty)?;
        let number = self.lanes(Operand::Value(value)).and_then(|lanes| lanes.number());
        let may_be = |of: &i64| number.is_none_or(|number| number.may_be(*of, bits));
        let all = (0..=most).all(|of| may_be(&of));
        let place = |number: i64| {
            let mut known = Known::default();
            known.assume(value, Lanes::same(Bits::exactly(number as u64 & mask(bits))));
            let lanes = self.values.of(&self.here.fixed, &mut known, pointer)?;
            let bytes = Bytes::at(self.values.group, &self.here.active, |item| address(&lanes, item), size)?;
            Some(Place { when: When::Remainder { any: all && number >= 0 }, bytes })
        };
        (least..=most).filter(may_be).map(place).collect()
    }

    /// The one remainder by a small number, of what is not known and the same in all work-items, that an operand is made of; its
    /// least and its greatest value.
    fn remainder(&mut self, operand: Operand) -> Option<(Value, i64, i64)> {
        let values = self.values;
        let (mut seen, mut work) = (FxHashSet::default(), vec![operand]);
        let mut found = None;
        while let Some(operand) = work.pop() {
            let Operand::Value(value) = operand else { continue };
            let ValueDef::Inst(inst) = values.body.values[value].def else { continue };
            if !seen.insert(value) || seen.len() > MOST_LOOKED_AT {
                continue;
            }
            let kind = &values.body.insts[inst].kind;
            if let InstKind::Binary { op: op @ (BinaryOp::SRem | BinaryOp::URem), rhs, .. } = kind
                && let Some(by @ 2..=MOST_REMAINDERS) = values.immediate(*rhs)
                && self.lanes(operand).is_none_or(|lanes| lanes.of(0).exact().is_none())
                && !divergence::depends_on_item(values, operand)
            {
                let least = if *op == BinaryOp::SRem { 1 - by } else { 0 };
                if found.replace((value, least, by - 1)).is_some() {
                    return None;
                }
                continue;
            }
            if matches!(kind, InstKind::Binary { .. } | InstKind::Cast { .. } | InstKind::Gep { .. }) {
                kind.each_operand(|operand| work.push(operand));
            }
        }
        found
    }

    fn selected(&self, pointer: Operand) -> Option<(Operand, Operand, Operand)> {
        let Operand::Value(value) = pointer else { return None };
        let ValueDef::Inst(inst) = self.values.body.values[value].def else { return None };
        match self.values.body.insts[inst].kind {
            InstKind::Select { condition, then, otherwise, .. } => Some((condition, then, otherwise)),
            _ => None,
        }
    }

    fn call(&mut self, node: usize, call: &Call, result: Type) -> Option<Touch> {
        let values = self.values;
        // What is no intrinsic is not followed at all.
        let row = intrinsic::called(values.module, call)?;
        let (reads, writes) =
            (values.in_lds(call, &row.memory.reads), values.in_lds(call, &row.memory.writes));
        if !reads && !writes {
            return None;
        }
        let copy = row.asynchronous.is_some();
        let arrives = matches!(row.barrier, Some(Barrier::ArriveAtCell | Barrier::ArriveAtCellLater));
        let elsewhere = copy && (!writes || row.needs.contains(&Need::Property(Property::CLUSTERS)));
        let mut touch =
            Touch { writes, atomic: reads && writes, copy, cell: None, elsewhere, places: None, node };
        if row.asynchronous == Some("tensor") {
            if let Some((places, cell, multicast)) = self.places_of_tensor(call) {
                (touch.places, touch.cell) = (Some(places), cell);
                touch.elsewhere |= multicast;
            }
            return Some(touch);
        }
        let mut pointers = call.args.iter().map(|arg| arg.value).filter(|&arg| values.is_lds(arg));
        let (Some(pointer), None) = (pointers.next(), pointers.next()) else { return Some(touch) };
        touch.places = match row.asynchronous {
            Some("lds-dma") => self.places_of_dma(call, pointer),
            Some(_) => self.places_of_copy(row, call, pointer),
            None if arrives => self.places(pointer, 8, 0),
            None => {
                // Of a masked access it is not followed which elements are accessed.
                let masked = row.params.iter().any(|param| matches!(param.shape, Shape::Bool(_)));
                let whole = reads && !writes && !masked;
                let loaded = layout::layout(&values.module.types, result).filter(|_| whole);
                loaded.and_then(|layout| self.places(pointer, layout.size, 0))
            }
        };
        Some(touch)
    }

    /// Copies of `b32` and the like: each work-item names its place, to which the offset is added.
    fn places_of_copy(&mut self, row: &Intrinsic, call: &Call, pointer: Operand) -> Option<Vec<Place>> {
        let bits: u64 = row.name.rsplit_once(".b")?.1.parse().ok()?;
        let immediates = row.params.iter().zip(&call.args).filter(|(param, _)| param.immediate.is_some());
        let offset = self.values.immediate(immediates.map(|(_, arg)| arg.value).next()?)?;
        self.places(pointer, bits / 8, offset)
    }

    /// Copies whose lanes lie one behind the other, from the place that the first lane names.
    fn places_of_dma(&mut self, call: &Call, pointer: Operand) -> Option<Vec<Place>> {
        // The size stands behind the place, the offset before the cache policy.
        let at = call.args.iter().position(|arg| arg.value == pointer)?;
        let size = u32::try_from(self.values.immediate(call.args.get(at + 1)?.value)?).ok()?;
        let offset = self.values.immediate(call.args.get(call.args.len().checked_sub(2)?)?.value)?;
        let lanes = self.lanes(pointer)?;
        let wave = self.values.group.wave;
        let (written, stride) = lds_dma_lane(size);
        let address = |item: usize| {
            let first = lanes.of(item / wave * wave).exact()?;
            Some(first.wrapping_add_signed(offset).wrapping_add((item % wave) as u64 * u64::from(stride)))
        };
        self.always(address, written.into())
    }

    /// What a descriptor says of LDS, from the first byte of the tile to the last (each wave moves one), the cell that it
    /// has, and whether other workgroups may get the tile.
    #[allow(clippy::type_complexity, reason = "three parts of one descriptor")]
    fn places_of_tensor(&mut self, call: &Call) -> Option<(Vec<Place>, Option<Option<u64>>, bool)> {
        let group = self.values.group;
        let groups: Vec<Vec<Lanes>> = TensorDescriptor::of_lds(false)
            .iter()
            .enumerate()
            .map(|(number, of)| self.words(call.args.get(number).map(|arg| arg.value), of.len()))
            .collect();
        let (mut waves, mut cells, mut multicast) = (vec![Vec::new(); group.waves()], Vec::new(), false);
        for (wave, ranges) in waves.iter_mut().enumerate() {
            let first = wave * group.wave;
            if !(first..group.items.min(first + group.wave)).any(|item| self.here.active[item]) {
                continue;
            }
            let gathers = TensorDescriptor::GATHERS.into();
            let gathers = groups[0][0].of(first).within(gathers) == Some(gathers);
            let of_lds = TensorDescriptor::of_lds(gathers);
            let word = |number: usize, at: usize| {
                let of = of_lds[number][at];
                groups[number][at].of(first).within(of.into()).map(|word| word as u32)
            };
            let four =
                |number| Some([word(number, 0)?, word(number, 1)?, word(number, 2)?, word(number, 3)?]);
            let mut eight = [0; 8];
            for (at, known) in eight.iter_mut().enumerate() {
                *known = word(1, at)?;
            }
            let descriptor = TensorDescriptor::unpack(four(0)?, eight, four(2)?, four(3)?);
            let (tile, off) = (descriptor.lds_range(), groups[0][0].of(first).within(COUNT) == Some(0));
            let shared = groups[1][0].of(first).within(MULTICAST) != Some(0);
            multicast |= shared;
            let done = groups[0][0].of(first).within(COUNT).is_some() && !off && !shared;
            let at = groups[1][1].of(first).within(CELL).filter(|_| done);
            cells.push(descriptor.barrier.map(|_| at.map(|at| at * UNITS_OF_CELLS)));
            ranges.extend(Some((tile.start, tile.end)).filter(|(start, end)| start < end && !off));
        }
        let same =
            cells.first().copied().flatten().filter(|cell| cells.iter().all(|other| *other == Some(*cell)));
        let cell = cells.iter().any(Option::is_some).then(|| same.flatten());
        Some((vec![Place { when: When::Always, bytes: Bytes::new(waves) }], cell, multicast))
    }

    /// The dwords of a group of a descriptor; zeros where the instruction has none.
    fn words(&mut self, group: Option<Operand>, count: usize) -> Vec<Lanes> {
        let types = &self.values.module.types;
        let of = |operand: Operand| operand.ty(self.values.body, &self.values.module.constants);
        let vector = group.filter(|&operand| of(operand).and_then(|ty| types.lanes(ty)).is_some());
        let Some(vector) = vector else { return vec![Lanes::same(Bits::exactly(0)); count] };
        let word = |word| self.values.part_of(&self.here.fixed, self.known, vector, 32 * word, 32);
        (0..count as u64).map(word).map(|word| word.unwrap_or(Lanes::same(Bits::unknown(32)))).collect()
    }
}

/// Remainders by up to so much are told apart.
const MOST_REMAINDERS: i64 = 8;

/// In how many values a remainder is looked for.
const MOST_LOOKED_AT: usize = 400;

/// The bits of a descriptor's first dword that are 0 where it does nothing.
const COUNT: u64 = 3;

/// The bits of the second group's first dword that name workgroups.
const MULTICAST: u64 = 0xffff;

/// The bit of the second group's first dword that says that there is a cell.
const HAS_CELL: u64 = 1 << 18;

/// The bits of the second group's second dword that say where the cell is, in units of so many bytes.
const CELL: u64 = 0xffff;
const UNITS_OF_CELLS: u64 = 8;

const LOCAL: u32 = wavemark_target::AddressSpace::Local as u32;
