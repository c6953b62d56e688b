//! Operations that access memory, over the lanes of a wave: what is read and written, what is known of it, and what is wrong
//! with where it is.

use smallvec::SmallVec;
use wavemark_sim::machine::buffer::{BufferAccess, BufferResource};
use wavemark_sim::transpose;
use wavemark_target::LDS_OFF;
use wavemark_target::facts::BufferResource as Layout;

use super::bytes::{State as Byte, get, put};
use super::effect::Here;
use super::known;
use super::memory::{Exchanged, Memories, Outside, limb_of, to_bytes};
use crate::finding::{Findings, Kind};
use crate::lanes::{Active, Frame, Shadow, Src, Taken, each};
use crate::op::{Access, BufferPlace, Promise, Space};
use crate::shape::{Image, mask};

/// Where the lanes access a buffer, and how many bytes of each are in range; `None`: the place is undefined.
pub(super) fn buffer_places(
    findings: &mut Findings,
    layout: Layout,
    frame: &Frame,
    here: &Here<'_>,
    place: &BufferPlace,
    bytes: u32,
) -> [Option<(u64, u32)>; 64] {
    let mask = here.active.mask;
    let undefined = placeless(findings, frame, here, place);
    let mut unpacked: Option<([u64; 2], BufferResource)> = None;
    let mut places = [None; 64];
    for lane in each(mask & !undefined) {
        let words = place.resource.map(|src| frame.get(here.pool, src)[lane]);
        let resource = match unpacked {
            Some((known, resource)) if known == words => resource,
            _ => {
                let dwords = [words[0], words[0] >> 32, words[1], words[1] >> 32].map(|word| word as u32);
                let resource = BufferResource::unpack(layout, dwords);
                unpacked = Some((words, resource));
                resource
            }
        };
        let part = resource.place(&BufferAccess {
            index: place.index.map(|index| frame.get(here.pool, index)[lane] as u32),
            voffset: frame.get(here.pool, place.voffset)[lane] as u32,
            soffset: frame.get(here.pool, place.soffset)[lane] as u32,
            offset: place.offset,
            lane: lane as u32,
            bytes,
            whole: false,
        });
        places[lane] = Some((part.addr, part.in_range));
    }
    places
}

/// The lanes whose place in a buffer depends on no value; they are reported.
pub(super) fn placeless(findings: &mut Findings, frame: &Frame, here: &Here<'_>, place: &BufferPlace) -> u64 {
    let own = [place.resource[0], place.resource[1], place.voffset, place.soffset];
    let all = own.iter().chain(&place.index);
    let undefined = all.fold(Shadow::default(), |shadow, &src| shadow.or(frame.shadow(here.pool, src)));
    let undefined = known(undefined, here.active.mask).any();
    if undefined != 0 {
        findings.add(Kind::UndefinedAddress, &[here.at(undefined)], || {
            "a place in a buffer depends on a value that there is not".to_owned()
        });
    }
    undefined
}

/// Notes what is known of what lanes have read.
fn note(shadow: &mut Shadow, state: Byte, lanes: u64) {
    shadow.undef |= if state.undefined != 0 { lanes } else { 0 };
    shadow.poison |= if state.poison != 0 { lanes } else { 0 };
}

/// What a lane's limbs make known of the bytes that they are written to.
fn states_of<'l>(image: &Image, limbs: impl Iterator<Item = &'l Taken>, lane: usize) -> SmallVec<[Byte; 64]> {
    let bytes = image.bytes as usize;
    let mut undefined: SmallVec<[u8; 64]> = smallvec::smallvec![0; bytes];
    let mut poison = undefined.clone();
    for (field, (shadow, bits)) in image.fields.iter().zip(limbs) {
        if shadow.poison >> lane & 1 != 0 {
            put(&mut poison, field.bit, field.bits, mask(field.bits));
        } else if let Some(bits) = bits {
            put(&mut undefined, field.bit, field.bits, bits[lane]);
        }
    }
    undefined.into_iter().zip(poison).map(|(undefined, poison)| Byte { undefined, poison }).collect()
}

pub(super) fn report_outside(
    findings: &mut Findings,
    memories: &Memories<'_>,
    here: &Here<'_>,
    lanes: u64,
    outside: &Outside,
) {
    // So compilers switch a lane off.
    if outside.space != Space::Local || outside.address < LDS_OFF {
        findings.add(Kind::OutOfBounds, &[here.at(lanes)], || memories.nearest(outside));
    }
}

/// Poison and undefined values that go to memory which outlives the workgroup.
pub(super) fn undefined_store(findings: &mut Findings, here: &Here<'_>, shadow: Shadow) {
    if shadow.poison != 0 {
        findings.add(Kind::PoisonStored, &[here.at(shadow.poison)], || {
            "poison is stored to global memory".to_owned()
        });
    } else if shadow.undef != 0 {
        findings.add(Kind::UndefStored, &[here.at(shadow.undef)], || {
            "an undefined value is stored to global memory".to_owned()
        });
    }
}

/// The lanes whose addresses are values; those without are reported.
pub(super) fn addressed(findings: &mut Findings, frame: &Frame, here: &Here<'_>, pointers: &[Src]) -> u64 {
    let all = pointers.iter().fold(Shadow::default(), |all, &one| all.or(frame.shadow(here.pool, one)));
    let undefined = known(all, here.active.mask).any();
    if undefined != 0 {
        findings.add(Kind::UndefinedAddress, &[here.at(undefined)], || {
            "an address depends on a value that there is not".to_owned()
        });
    }
    here.active.mask & !undefined
}

fn aligned(findings: &mut Findings, here: &Here<'_>, lane: usize, address: u64, access: &Access) {
    let (align, off) = (access.align, access.space == Space::Local && address >= LDS_OFF);
    if !address.is_multiple_of(align) && !off {
        findings.add(Kind::Misaligned, &[here.at(1 << lane)], || {
            format!("the address {address:#x} is not aligned to {align} bytes, as the instruction says")
        });
    }
}

pub(super) fn load(
    findings: &mut Findings,
    memories: &mut Memories<'_>,
    frame: &mut Frame,
    here: &Here<'_>,
    to: u32,
    access: &Access,
) {
    let lanes = addressed(findings, frame, here, &[access.pointer]);
    let image = &*access.image;
    let mut bytes: SmallVec<[u8; 128]> = smallvec::smallvec![0; image.bytes as usize];
    // What was not read is nothing.
    let mut shadow = Shadow { poison: here.active.mask & !lanes, undef: 0 };
    let mut states: Option<Vec<Limb>> = None;
    for lane in each(lanes) {
        let address = frame.get(here.pool, access.pointer)[lane];
        aligned(findings, here, lane, address, access);
        match memories.read(access.space, lane, address, &mut bytes) {
            Ok(Byte::VALUE) => {}
            Ok(_) => {
                let states = states.get_or_insert_with(|| vec![Limb::default(); image.fields.len()]);
                note_states(memories, access, image, lane, address, states);
            }
            Err(outside) => {
                report_outside(findings, memories, here, 1 << lane, &outside);
                bytes.fill(0);
                shadow.undef |= 1 << lane;
            }
        }
        bring(frame, image, to, lane, &bytes);
    }
    for limb in 0..image.fields.len() {
        let register = to + limb as u32;
        match &states {
            None => frame.set_shadow(register, shadow, here.active),
            Some(states) => {
                let own = &states[limb];
                frame.set_shadow(register, shadow.or(own.shadow), here.active);
                let mut bits = own.undefined;
                each(shadow.undef).for_each(|lane| bits[lane] = u64::MAX);
                frame.set_undefined(register, &bits, here.active);
            }
        }
    }
}

/// What is known of a limb that lanes have read.
#[derive(Clone)]
struct Limb {
    shadow: Shadow,
    undefined: [u64; 64],
}

impl Default for Limb {
    fn default() -> Limb {
        Limb { shadow: Shadow::default(), undefined: [0; 64] }
    }
}

/// Notes which bits of a value that a lane read are none, field by field: a structure may be written in part. A field with
/// a bit of poison is poison.
fn note_states(
    memories: &Memories<'_>,
    access: &Access,
    image: &Image,
    lane: usize,
    address: u64,
    limbs: &mut [Limb],
) {
    let Some(states) = memories.states(access.space, lane, address, image.bytes as usize) else { return };
    let undefined: SmallVec<[u8; 64]> = states.iter().map(|state| state.undefined).collect();
    let poison: SmallVec<[u8; 64]> = states.iter().map(|state| state.poison).collect();
    for (field, limb) in image.fields.iter().zip(limbs) {
        let of = |bytes: &[u8]| get(bytes, field.bit, field.bits);
        limb.undefined[lane] = of(&undefined);
        let state = |bits: u64| u64::from(bits != 0) << lane;
        limb.shadow.undef |= state(limb.undefined[lane]);
        limb.shadow.poison |= state(of(&poison));
    }
}

pub(super) fn store(
    findings: &mut Findings,
    memories: &mut Memories<'_>,
    frame: &mut Frame,
    here: &Here<'_>,
    access: &Access,
    value: &[Src],
) {
    let lanes = addressed(findings, frame, here, &[access.pointer]);
    let image = &*access.image;
    let mut bytes: SmallVec<[u8; 128]> = smallvec::smallvec![0; image.bytes as usize];
    let worst = value
        .iter()
        .fold(Shadow::default(), |all, &src| all.or(frame.shadow(here.pool, src)))
        .in_lanes(lanes);
    let limbs: Vec<Taken> = match worst.any() {
        0 => Vec::new(),
        _ => value.iter().map(|&src| frame.taken(here.pool, src)).collect(),
    };
    let mut to_global = 0;
    for lane in each(lanes) {
        let address = frame.get(here.pool, access.pointer)[lane];
        aligned(findings, here, lane, address, access);
        to_bytes(image, value.iter().map(|&src| frame.get(here.pool, src)[lane]), &mut bytes);
        if let Err(outside) = memories.write(access.space, lane, address, &bytes, Byte::VALUE) {
            report_outside(findings, memories, here, 1 << lane, &outside);
            continue;
        }
        if worst.any() >> lane & 1 == 0 {
            continue;
        }
        let states = states_of(image, limbs.iter(), lane);
        if !memories.mark(access.space, lane, address, &states) {
            to_global |= 1 << lane;
        }
    }
    undefined_store(findings, here, worst.in_lanes(to_global));
}

/// What an atomic operation does to a value.
pub(super) struct Change<'c> {
    /// What it is given.
    pub operand: Src,
    /// What must be there, if it exchanges only that.
    pub expected: Option<Src>,
    /// The new value, of the old one and the operand.
    pub new: &'c dyn Fn(u64, u64) -> u64,
}

impl Change<'_> {
    /// What a lane writes where `old` is, if anything.
    fn of(&self, frame: &Frame, here: &Here<'_>, lane: usize, old: u64) -> Option<u64> {
        let exchanges = self.expected.is_none_or(|expected| frame.get(here.pool, expected)[lane] == old);
        exchanges.then(|| (self.new)(old, frame.get(here.pool, self.operand)[lane]))
    }
}

/// An atomic operation, lane after lane.
pub(super) fn exchange(
    findings: &mut Findings,
    memories: &mut Memories<'_>,
    frame: &mut Frame,
    here: &Here<'_>,
    to: u32,
    access: &Access,
    change: &Change<'_>,
) {
    let lanes = addressed(findings, frame, here, &[access.pointer]);
    let mut shadow = Shadow::default();
    let mut swapped = 0;
    for lane in each(lanes) {
        let address = frame.get(here.pool, access.pointer)[lane];
        aligned(findings, here, lane, address, access);
        let exchanged = memories.exchange(access.space, lane, address, access.image.bytes, |old| {
            change.of(frame, here, lane, old)
        });
        match exchanged {
            Ok(Exchanged { old, state, written }) => {
                note(&mut shadow, state, 1 << lane);
                swapped |= u64::from(written) << lane;
                frame.words_mut(to)[lane] = old;
            }
            Err(outside) => {
                report_outside(findings, memories, here, 1 << lane, &outside);
                shadow.undef |= 1 << lane;
            }
        }
    }
    let given = known(frame.shadow(here.pool, change.operand), lanes);
    if matches!(access.space, Space::Global) {
        undefined_store(findings, here, given);
    }
    shadow = shadow.or(given);
    frame.set_shadow(to, shadow, here.active);
    if change.expected.is_some() {
        let words = frame.words_mut(to + 1);
        each(here.active.mask).for_each(|lane| words[lane] = swapped >> lane & 1);
        frame.set_shadow(to + 1, shadow, here.active);
    }
}

pub(super) fn buffer_load(
    findings: &mut Findings,
    memories: &mut Memories<'_>,
    frame: &mut Frame,
    here: &Here<'_>,
    to: u32,
    image: &Image,
    places: &[Option<(u64, u32)>; 64],
) {
    let mut bytes: SmallVec<[u8; 64]> = smallvec::smallvec![0; image.bytes as usize];
    let mut shadow = Shadow::default();
    for lane in each(here.active.mask) {
        bytes.fill(0);
        match places[lane] {
            None => shadow.poison |= 1 << lane,
            // What is out of range reads zeros.
            Some((_, 0)) => {}
            Some((address, in_range)) => {
                let part = &mut bytes[..in_range as usize];
                if let Err(outside) = memories.read(Space::Global, lane, address, part) {
                    report_outside(findings, memories, here, 1 << lane, &outside);
                    shadow.undef |= 1 << lane;
                }
            }
        }
        bring(frame, image, to, lane, &bytes);
    }
    known_alike(frame, image, to, shadow, here.active);
}

pub(super) fn buffer_store(
    findings: &mut Findings,
    memories: &mut Memories<'_>,
    frame: &mut Frame,
    here: &Here<'_>,
    value: &[Src],
    image: &Image,
    places: &[Option<(u64, u32)>; 64],
) {
    let mut bytes: SmallVec<[u8; 64]> = smallvec::smallvec![0; image.bytes as usize];
    let shadow = value.iter().fold(Shadow::default(), |all, &src| all.or(frame.shadow(here.pool, src)));
    let mut stored = 0;
    for lane in each(here.active.mask) {
        let Some((address, in_range)) = places[lane].filter(|place| place.1 > 0) else { continue };
        to_bytes(image, value.iter().map(|&src| frame.get(here.pool, src)[lane]), &mut bytes);
        stored |= 1 << lane;
        let part = &bytes[..in_range as usize];
        if let Err(outside) = memories.write(Space::Global, lane, address, part, Byte::VALUE) {
            report_outside(findings, memories, here, 1 << lane, &outside);
        }
    }
    undefined_store(findings, here, shadow.in_lanes(stored));
}

/// The same through a buffer: what is out of range is not accessed, and gives zero.
pub(super) fn buffer_exchange(
    findings: &mut Findings,
    memories: &mut Memories<'_>,
    frame: &mut Frame,
    here: &Here<'_>,
    to: u32,
    image: &Image,
    places: &[Option<(u64, u32)>; 64],
    change: &Change<'_>,
) {
    for lane in each(here.active.mask) {
        let Some((address, in_range)) = places[lane] else { continue };
        if in_range < image.bytes {
            frame.words_mut(to)[lane] = 0;
            continue;
        }
        let exchanged = memories
            .exchange(Space::Global, lane, address, image.bytes, |old| change.of(frame, here, lane, old));
        match exchanged {
            Ok(Exchanged { old, .. }) => frame.words_mut(to)[lane] = old,
            Err(outside) => report_outside(findings, memories, here, 1 << lane, &outside),
        }
    }
    let shadow = known(frame.shadow(here.pool, change.operand), here.active.mask);
    undefined_store(findings, here, shadow);
    frame.set_shadow(to, Shadow::default(), here.active);
}

pub(super) fn transposed(
    findings: &mut Findings,
    memories: &mut Memories<'_>,
    frame: &mut Frame,
    here: &Here<'_>,
    to: u32,
    how: transpose::Transpose,
    space: Space,
    pointer: Src,
    image: &Image,
    lanes: usize,
) {
    let (own, group) = (transpose::lane_bytes(how), transpose::group_lanes(how));
    let receivers = |lane: usize| u64::MAX >> (64 - group) << (lane / group * group);
    let mut read = vec![0; lanes * own];
    let mut shadow = Shadow::default();
    for lane in each(addressed(findings, frame, here, &[pointer])) {
        let address = frame.get(here.pool, pointer)[lane];
        match memories.read(space, lane, address, &mut read[lane * own..][..own]) {
            // What a lane reads goes to all of its group.
            Ok(state) => note(&mut shadow, state, receivers(lane)),
            Err(outside) => {
                report_outside(findings, memories, here, 1 << lane, &outside);
                shadow.undef |= receivers(lane);
            }
        }
    }
    let chunks = lanes / 16;
    let mut out = vec![wavemark_sim::regs::Chunk::ZERO; own / 4 * chunks];
    transpose::apply(how, &read, chunks, &mut out);
    let mut bytes: SmallVec<[u8; 16]> = smallvec::smallvec![0; own];
    for lane in each(here.active.mask) {
        for dword in 0..own / 4 {
            let word = out[dword * chunks + lane / 16].0[lane % 16];
            bytes[dword * 4..][..4].copy_from_slice(&word.to_le_bytes());
        }
        bring(frame, image, to, lane, &bytes);
    }
    known_alike(frame, image, to, shadow, here.active);
}

/// Bytes that are moved at once.
const PIECE: usize = 64;

fn pieces(at: u64, count: u64) -> impl Iterator<Item = (u64, usize)> {
    (0..count.div_ceil(PIECE as u64)).map(move |piece| {
        let from = piece * PIECE as u64;
        (at.wrapping_add(from), (count - from).min(PIECE as u64) as usize)
    })
}

/// Copies bytes, which may overlap, with what is known of them.
fn copy_lane(
    memories: &mut Memories<'_>,
    lane: usize,
    [to, from]: [Space; 2],
    target: u64,
    source: u64,
    count: u64,
) -> Result<(), Outside> {
    let mut whole: Vec<([u8; PIECE], Option<Vec<Byte>>)> = Vec::new();
    for (at, len) in pieces(source, count) {
        let mut bytes = [0; PIECE];
        let open = memories.read(from, lane, at, &mut bytes[..len])? != Byte::VALUE;
        let states = if open { memories.states(from, lane, at, len).map(<[Byte]>::to_vec) } else { None };
        whole.push((bytes, states));
    }
    for ((at, len), (bytes, states)) in pieces(target, count).zip(whole) {
        memories.write(to, lane, at, &bytes[..len], Byte::VALUE)?;
        if let Some(states) = states {
            memories.mark(to, lane, at, &states);
        }
    }
    Ok(())
}

pub(super) fn copy(
    findings: &mut Findings,
    memories: &mut Memories<'_>,
    frame: &Frame,
    here: &Here<'_>,
    spaces: [Space; 2],
    pointers: [Src; 2],
    (bytes, bits): (Src, u32),
) {
    for lane in each(here.active.mask) {
        let count = frame.get(here.pool, bytes)[lane] & mask(bits);
        let [target, source] = pointers.map(|pointer| frame.get(here.pool, pointer)[lane]);
        if let Err(outside) = copy_lane(memories, lane, spaces, target, source, count) {
            report_outside(findings, memories, here, 1 << lane, &outside);
        }
    }
}

pub(super) fn fill(
    findings: &mut Findings,
    memories: &mut Memories<'_>,
    frame: &Frame,
    here: &Here<'_>,
    space: Space,
    pointer: Src,
    value: Src,
    bytes: Src,
) {
    let poison = frame.shadow(here.pool, value).poison;
    for lane in each(here.active.mask) {
        let poison = if poison >> lane & 1 != 0 { 0xff } else { 0 };
        let state = Byte { undefined: frame.undefined(here.pool, value, lane) as u8, poison };
        let [at, value, count] = [pointer, value, bytes].map(|src| frame.get(here.pool, src)[lane]);
        let result = pieces(at, count)
            .try_for_each(|(at, len)| memories.write(space, lane, at, &[value as u8; PIECE][..len], state));
        if let Err(outside) = result {
            report_outside(findings, memories, here, 1 << lane, &outside);
        }
    }
}

pub(super) fn promised(
    findings: &mut Findings,
    frame: &mut Frame,
    here: &Here<'_>,
    to: u32,
    limbs: usize,
    promise: &Promise,
) {
    match promise {
        Promise::NoUndef => {
            let registers = (to..).take(limbs).map(Src::register);
            let lanes = registers
                .fold(0, |lanes, src| lanes | known(frame.shadow(here.pool, src), here.active.mask).any());
            if lanes != 0 {
                findings.add(Kind::Promise, &[here.at(lanes)], || {
                    "a value that is promised to be defined (noundef) is not".to_owned()
                });
            }
        }
        Promise::NonNull | Promise::Range(..) => {
            let words = frame.words_mut(to);
            let breaks = |word: u64| match promise {
                Promise::Range(ranges, bits) => !ranges.iter().any(|&(low, high)| {
                    // A range may go around the end.
                    word.wrapping_sub(low) & mask(*bits) < high.wrapping_sub(low) & mask(*bits) || low == high
                }),
                _ => word == 0,
            };
            let lanes = each(here.active.mask).filter(|&lane| breaks(words[lane]));
            let lanes = lanes.fold(0, |lanes, lane| lanes | 1 << lane);
            if lanes != 0 {
                let shadow = frame.shadow(here.pool, Src::register(to));
                frame.set_shadow(to, shadow.or(Shadow { poison: lanes, undef: 0 }), here.active);
            }
        }
    }
}

/// Puts the limbs of a value that a lane has read into registers.
fn bring(frame: &mut Frame, image: &Image, to: u32, lane: usize, bytes: &[u8]) {
    for limb in 0..image.fields.len() {
        frame.words_mut(to + limb as u32)[lane] = limb_of(image, limb, bytes);
    }
}

/// The same is known of all limbs of a value.
fn known_alike(frame: &mut Frame, image: &Image, to: u32, shadow: Shadow, active: Active) {
    for limb in 0..image.fields.len() {
        frame.set_shadow(to + limb as u32, shadow, active);
    }
}
