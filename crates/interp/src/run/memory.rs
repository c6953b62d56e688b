//! Accesses to memory, lane by lane.

use wavemark_ir::float::Format;
use wavemark_ir::opcode::{BinaryOp, RmwOp};
use wavemark_sim::Global;

use super::bytes::{Memory, State, get, put, space_of};
use crate::arith;
use crate::meaning::scalar;
use crate::op::Space;
use crate::race::{Access, How, Level, Race, Races};
use crate::shape::{Image, mask, sign_extend};

/// The memories that a wave reaches.
pub struct Memories<'m> {
    /// Global memory.
    pub global: &'m mut Global,
    /// Its workgroup's.
    pub lds: &'m mut Memory,
    /// The stacks of its lanes.
    pub scratch: &'m mut Memory,
    /// Bytes of one lane's.
    pub stride: u64,
    /// Who looks for races.
    pub watch: Option<Watch<'m>>,
}

/// Looks for races of the accesses of an operation.
pub struct Watch<'m> {
    /// What is known of those before.
    pub races: &'m mut Races,
    /// The operation.
    pub access: Access,
    /// How far it is atomic, if it is.
    pub atomic: Option<Level>,
    /// What was found, each with its lane.
    pub found: Vec<(Race, usize)>,
}

/// What an exchange has read, what was known of it, and whether it has written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exchanged {
    /// The number before.
    pub old: u64,
    /// What was known of its bytes together.
    pub state: State,
    /// Another was written.
    pub written: bool,
}

/// An access outside of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outside {
    /// The memory that the address is in.
    pub space: Space,
    /// The address there.
    pub address: u64,
    /// Bytes.
    pub bytes: usize,
}

impl Memories<'_> {
    /// The memory that an address is in, and the address there.
    #[inline]
    pub fn resolve(&self, space: Space, address: u64) -> (Space, u64) {
        match space {
            Space::Flat => match space_of(address) {
                Some(Space::Local) => (Space::Local, address & mask(32)),
                Some(Space::Private) => (Space::Private, address & mask(32)),
                _ => (Space::Global, address),
            },
            _ => (space, address),
        }
    }

    /// The memory that a lane's bytes are in, and where there: in scratch, behind those of the lanes before.
    #[inline]
    fn place(&self, space: Space, lane: usize, address: u64, bytes: usize) -> Result<(Space, u64), Outside> {
        let (space, address) = self.resolve(space, address);
        if space != Space::Private {
            return Ok((space, address));
        }
        let inside = address.checked_add(bytes as u64).is_some_and(|end| end <= self.stride);
        let at = || lane as u64 * self.stride + address;
        if inside { Ok((space, at())) } else { Err(Outside { space, address, bytes }) }
    }

    /// Looks whether an access of a lane to memory that others reach races. It is within memory: what is outside touches
    /// nothing.
    #[inline]
    fn watch(
        &mut self,
        lane: usize,
        (space, address): (Space, u64),
        bytes: usize,
        [writes, silent]: [bool; 2],
    ) {
        let Some(watch) = self.watch.as_mut().filter(|_| space != Space::Private) else { return };
        let how = How { writes, silent, atomic: watch.atomic };
        if let Some(race) = watch.races.access(watch.access, lane, space, (address, bytes as u64), how) {
            watch.found.push((race, lane));
        }
    }

    /// Whether bytes of a lane are what is there already; `None`: they are outside of memory, or nobody asks.
    #[inline]
    fn is_there(&mut self, space: Space, address: u64, from: &[u8]) -> Option<bool> {
        self.watch.as_ref()?;
        let there = match space {
            Space::Private => None,
            Space::Local => self.lds.bytes(address, from.len()),
            _ => self.global.slice(address, from.len() as u64),
        };
        there.map(|there| there == from)
    }

    /// Reads bytes of a lane; what is known of all of them together.
    #[inline]
    pub fn read(&mut self, space: Space, lane: usize, address: u64, to: &mut [u8]) -> Result<State, Outside> {
        let bytes = to.len();
        let (space, address) = self.place(space, lane, address, bytes)?;
        let read = match space {
            Space::Local => self.lds.read(address, to),
            Space::Private => self.scratch.read(address, to),
            _ => self.global.slice(address, bytes as u64).map(|from| {
                to.copy_from_slice(from);
                State::VALUE
            }),
        };
        if read.is_some() {
            self.watch(lane, (space, address), bytes, [false; 2]);
        }
        read.ok_or(Outside { space, address, bytes })
    }

    /// Writes bytes of a lane.
    #[inline]
    pub fn write(
        &mut self,
        space: Space,
        lane: usize,
        address: u64,
        from: &[u8],
        state: State,
    ) -> Result<(), Outside> {
        let bytes = from.len();
        let (space, address) = self.place(space, lane, address, bytes)?;
        if let Some(silent) = self.is_there(space, address, from) {
            self.watch(lane, (space, address), bytes, [true, silent]);
        }
        let written = match space {
            Space::Local => self.lds.write(address, from, state),
            Space::Private => self.scratch.write(address, from, state),
            _ => self.global.slice_mut(address, bytes as u64).map(|to| to.copy_from_slice(from)),
        };
        written.ok_or(Outside { space, address, bytes })
    }

    /// Reads up to eight bytes of a lane as a number, and writes what `change` makes of it, if that is anything.
    pub fn exchange(
        &mut self,
        space: Space,
        lane: usize,
        address: u64,
        bytes: u32,
        change: impl FnOnce(u64) -> Option<u64>,
    ) -> Result<Exchanged, Outside> {
        let mut word = [0; 8];
        let word = &mut word[..bytes as usize];
        let state = self.read(space, lane, address, word)?;
        let old = get(word, 0, bytes * 8);
        let new = change(old);
        if let Some(new) = new {
            put(word, 0, bytes * 8, new);
            self.write(space, lane, address, word, state)?;
        }
        Ok(Exchanged { old, state, written: new.is_some() })
    }

    /// What is known of each of a lane's bytes; `None` of global memory, whose bytes are values.
    pub fn states(&self, space: Space, lane: usize, address: u64, bytes: usize) -> Option<&[State]> {
        match self.place(space, lane, address, bytes).ok()? {
            (Space::Local, at) => self.lds.states(at, bytes),
            (Space::Private, at) => self.scratch.states(at, bytes),
            _ => None,
        }
    }

    /// Says what is known of each of a lane's bytes; `false` of global memory, where nothing is kept.
    pub fn mark(&mut self, space: Space, lane: usize, address: u64, states: &[State]) -> bool {
        match self.place(space, lane, address, states.len()) {
            Ok((Space::Local, at)) => self.lds.mark(at, states),
            Ok((Space::Private, at)) => self.scratch.mark(at, states),
            Ok(_) => return false,
            // Nothing was written there.
            Err(_) => {}
        }
        true
    }

    /// What an access outside of memory is nearest to, in words.
    pub fn nearest(&self, outside: &Outside) -> String {
        let Outside { space, address, bytes } = *outside;
        match space {
            Space::Local => {
                format!("{bytes} bytes at {address:#x} of LDS: the workgroup has {} bytes", self.lds.len())
            }
            Space::Private => {
                format!("{bytes} bytes at {address:#x} of scratch: the stack has {} bytes", self.stride)
            }
            _ => format!("{bytes} bytes at {address:#x}: {}", self.global.nearest(address)),
        }
    }
}

/// A value as bytes: `words` are its limbs.
pub fn to_bytes(image: &Image, words: impl Iterator<Item = u64>, to: &mut [u8]) {
    to.fill(0);
    for (field, word) in image.fields.iter().zip(words) {
        put(to, field.bit, field.bits, word);
    }
}

/// Limb number `limb` of bytes.
#[inline]
pub fn limb_of(image: &Image, limb: usize, from: &[u8]) -> u64 {
    let field = image.fields[limb];
    get(from, field.bit, field.bits)
}

/// What memory holds after a read-modify-write of `bits` bits in `elements` equal parts.
pub fn modified(op: RmwOp, format: Option<Format>, bits: u32, elements: u32, old: u64, operand: u64) -> u64 {
    let each = bits / elements.max(1);
    (0..elements.max(1)).fold(0, |whole, element| {
        let part = |word: u64| word >> (each * element) & mask(each);
        whole | one(op, format, each, part(old), part(operand)) << (each * element)
    })
}

fn one(op: RmwOp, format: Option<Format>, bits: u32, old: u64, operand: u64) -> u64 {
    let format = format.unwrap_or(Format::Float);
    let all = mask(bits);
    let greater = sign_extend(old, bits) > sign_extend(operand, bits);
    match op {
        RmwOp::Xchg => operand,
        RmwOp::Add => old.wrapping_add(operand) & all,
        RmwOp::Sub => old.wrapping_sub(operand) & all,
        RmwOp::And => old & operand,
        RmwOp::Nand => !(old & operand) & all,
        RmwOp::Or => old | operand,
        RmwOp::Xor => old ^ operand,
        RmwOp::Max => {
            if greater {
                old
            } else {
                operand
            }
        }
        RmwOp::Min => {
            if greater {
                operand
            } else {
                old
            }
        }
        RmwOp::UMax => old.max(operand),
        RmwOp::UMin => old.min(operand),
        RmwOp::FAdd => arith::float(BinaryOp::FAdd, format, old, operand),
        RmwOp::FSub => arith::float(BinaryOp::FSub, format, old, operand),
        RmwOp::FMax => scalar::max_num(format, old, operand),
        RmwOp::FMin => scalar::min_num(format, old, operand),
        RmwOp::FMaximum => scalar::maximum(format, old, operand),
        RmwOp::FMinimum => scalar::minimum(format, old, operand),
        RmwOp::UIncWrap => {
            if old >= operand {
                0
            } else {
                old + 1
            }
        }
        RmwOp::UDecWrap => {
            if old == 0 || old > operand {
                operand
            } else {
                old - 1
            }
        }
        RmwOp::USubCond => {
            if old >= operand {
                old - operand
            } else {
                old
            }
        }
        RmwOp::USubSat => old.saturating_sub(operand),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn atomics_modify() {
        let modify = |op, old, operand| modified(op, None, 32, 1, old, operand);
        assert_eq!(modify(RmwOp::Max, 0xffff_ffff, 1), 1);
        assert_eq!(modify(RmwOp::UMax, 0xffff_ffff, 1), 0xffff_ffff);
        assert_eq!(modify(RmwOp::UIncWrap, 7, 7), 0);
        assert_eq!(modify(RmwOp::Nand, 6, 3), 0xffff_fffd);
        let halves = modified(RmwOp::FAdd, Some(Format::Half), 32, 2, 0x3c00_4000, 0x3c00_3c00);
        assert_eq!(halves, 0x4000_4200);
    }
}
