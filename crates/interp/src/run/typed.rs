//! Loads and stores of typed buffers: an element is converted by a format, which the intrinsic or the resource says. It is in
//! range as a whole or not at all. Conversion and range are the simulator's ([`wavemark_sim::element`],
//! [`wavemark_sim::machine::buffer`]).

use wavemark_isa::buffer_format::{self, Element};
use wavemark_sim::element::{self, Select};
use wavemark_sim::machine::buffer::{BufferAccess, BufferResource};
use wavemark_target::Machine;

use super::access::{placeless, report_outside, undefined_store};
use super::bytes::State;
use super::effect::Here;
use super::memory::Memories;
use crate::Refused;
use crate::finding::Findings;
use crate::lanes::{Frame, Shadow, Src, each};
use crate::op::{BufferPlace, Space, Typed};

/// Where a lane's element is, if it is in range, and how it is converted.
struct Placed {
    element: Element,
    select: [Select; 4],
    address: Option<u64>,
}

/// A lane's element.
fn placed(
    frame: &Frame,
    here: &Here<'_>,
    place: &BufferPlace,
    typed: Typed,
    target: Machine,
    lane: usize,
) -> Result<Placed, Refused> {
    let facts = target.facts();
    let word = |src: Src| frame.get(here.pool, src)[lane];
    let [low, high] = place.resource.map(word);
    let dwords = [low, low >> 32, high, high >> 32].map(|word| word as u32);
    let (of_resource, select) = BufferResource::format_in(facts.buffer_resource, dwords[3]);
    let number = typed.format.unwrap_or(of_resource);
    let element = buffer_format::element(facts.buffer_formats, number)
        .ok_or_else(|| Refused::new(format!("an element of buffer format {number}, which is reserved")))?;
    let select = if typed.format.is_some() { Select::identity(&element) } else { select };
    let part = BufferResource::unpack(facts.buffer_resource, dwords).formatted().place(&BufferAccess {
        index: place.index.map(|index| word(index) as u32),
        voffset: word(place.voffset) as u32,
        soffset: word(place.soffset) as u32,
        offset: place.offset,
        lane: lane as u32,
        bytes: element.bytes(),
        whole: true,
    });
    let address = (part.in_range == element.bytes() && part.in_range > 0).then_some(part.addr);
    Ok(Placed { element, select, address })
}

/// Loads the lanes' elements: what is out of range is zeros in memory.
pub(super) fn load(
    findings: &mut Findings,
    memories: &mut Memories<'_>,
    frame: &mut Frame,
    here: &Here<'_>,
    to: u32,
    place: &BufferPlace,
    typed: Typed,
    target: Machine,
) -> Result<(), Refused> {
    let undefined = placeless(findings, frame, here, place);
    let mut shadow = Shadow { poison: undefined, undef: 0 };
    for lane in each(here.active.mask & !undefined) {
        let Placed { element, select, address } = placed(frame, here, place, typed, target, lane)?;
        let mut raw = [0; 16];
        if let Some(address) = address {
            let part = &mut raw[..element.bytes() as usize];
            if let Err(outside) = memories.read(Space::Global, lane, address, part) {
                report_outside(findings, memories, here, 1 << lane, &outside);
                shadow.undef |= 1 << lane;
            }
        }
        // Of a resource, which says what each register is, nothing is there where it says nothing.
        let words = element::load(&element, &select, typed.d16, &raw);
        for (limb, word) in (0..typed.components).zip(words) {
            frame.words_mut(to + limb)[lane] = word.into();
        }
    }
    for limb in 0..typed.components {
        frame.set_shadow(to + limb, shadow, here.active);
    }
    Ok(())
}

/// Stores the lanes' elements that are in range.
pub(super) fn store(
    findings: &mut Findings,
    memories: &mut Memories<'_>,
    frame: &Frame,
    here: &Here<'_>,
    place: &BufferPlace,
    value: &[Src],
    typed: Typed,
    target: Machine,
) -> Result<(), Refused> {
    let undefined = placeless(findings, frame, here, place);
    let shadow = value.iter().fold(Shadow::default(), |all, &src| all.or(frame.shadow(here.pool, src)));
    let mut stored = 0;
    for lane in each(here.active.mask & !undefined) {
        let Placed { element, select, address } = placed(frame, here, place, typed, target, lane)?;
        let Some(address) = address else { continue };
        stored |= 1 << lane;
        let one = |at: usize| value.get(at).map(|&src| frame.get(here.pool, src)[lane] as u32);
        let missing = if target.facts().format_stores_replicate { one(0).unwrap_or(0) } else { 0 };
        let registers = std::array::from_fn(|at| one(at).unwrap_or(missing));
        let raw = element::store(&element, &select, typed.d16, registers);
        let part = &raw[..element.bytes() as usize];
        if let Err(outside) = memories.write(Space::Global, lane, address, part, State::VALUE) {
            report_outside(findings, memories, here, 1 << lane, &outside);
        }
    }
    undefined_store(findings, here, shadow.in_lanes(stored));
    Ok(())
}
