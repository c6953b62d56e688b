//! Loads and stores of typed buffers: elements are converted by a format that the instruction or the buffer resource
//! says (CDNA4 ISA 9.1.4, RDNA4 ISA 9.3). An element is in range as a whole or not at all.

use smallvec::{SmallVec, smallvec};
use wavemark_isa::buffer_format::{self, Element};

use super::address::Addressing;
use super::buffer::BufferResource;
use super::memory::{access_of, lds_dma_target};
use super::ops::{FormatOp, MemoryOp};
use super::{Cx, Stop};
use crate::element::{self, Select};
use crate::events::{Channel, Direction, Observer, Site};
use crate::pending::{Action, lanes};
use crate::wave::Wave;

/// What is loaded or stored.
#[derive(Clone, Debug)]
pub struct Typed {
    /// The format of an element.
    pub element: Element,
    /// What the registers are.
    pub select: [Select; 4],
    /// How they lie.
    pub op: FormatOp,
}

impl Typed {
    /// The registers of a lane that held `old` after a load of `raw`.
    pub fn load(&self, raw: &[u8; 16], old: impl Fn(u32) -> u32) -> SmallVec<[u32; 4]> {
        let values = element::load(&self.element, &self.select, self.op.d16, raw);
        let values = &values[..usize::from(self.op.components)];
        match (self.op.d16, values) {
            (false, values) => SmallVec::from_slice(values),
            (true, [x]) if self.op.high => smallvec![old(0) & 0xffff | x << 16],
            (true, [x]) => smallvec![old(0) & 0xffff_0000 | x],
            (true, values) => {
                values.chunks(2).map(|pair| pair[0] | pair.get(1).map_or(0, |high| high << 16)).collect()
            }
        }
    }

    /// What a lane whose registers are `registers` stores.
    fn store(&self, registers: impl Fn(u32) -> u32, replicates: bool) -> [u8; 16] {
        let one = |n: u32| match (self.op.d16, self.op.high) {
            (false, _) => registers(n),
            (true, true) => registers(0) >> 16,
            (true, false) => registers(n / 2) >> (16 * (n & 1)) & 0xffff,
        };
        let missing = if replicates { one(0) } else { 0 };
        let components = u32::from(self.op.components);
        let values = [0, 1, 2, 3].map(|n| if n < components { one(n) } else { missing });
        element::store(&self.element, &self.select, self.op.d16, values)
    }
}

impl<O: Observer> Cx<'_, O> {
    /// Issue a load or store of elements, of which `format` is the instruction's part.
    pub(super) fn typed(
        &mut self,
        wave: &mut Wave,
        op: &MemoryOp,
        format: FormatOp,
        site: &Site,
        seq: &SmallVec<[(Channel, u32); 2]>,
    ) -> Result<(), Stop> {
        let Addressing::Buffer { layout, rsrc, .. } = op.addressing else { return Ok(()) };
        let (number, select) = BufferResource::format(&wave.regs, layout, rsrc);
        let formats = self.facts.buffer_formats;
        let element =
            format.element.or_else(|| buffer_format::element(formats, number)).ok_or_else(|| {
                let what = format!("an element of buffer format {number}, which is reserved");
                Stop::Unsupported { pc: site.pc, what }
            })?;
        let select = if format.element.is_some() { Select::identity(&element) } else { select };
        let typed = Typed { element, select, op: format };
        let (exec, size) = (wave.regs.exec(), element.bytes());
        let direction = super::memory::direction(&op.transfer);
        let Some(mut part) = self.resolve(wave, op, 0, exec, size).into_iter().next() else { return Ok(()) };
        let lost = self.check_bounds(wave, site, &mut part, direction, size, op);
        part.mask &= !lost;
        let zero = part.zero | lost;
        if format.to_lds {
            let mut target = lds_dma_target(wave, op, exec, 4);
            let lost = self.check_bounds(wave, site, &mut target, Direction::Write, 4, op);
            target.mask &= !lost;
            let accesses =
                smallvec![access_of(part, Direction::Read, size), access_of(target, Direction::Write, 4)];
            self.launch(wave, site, op, seq, accesses, Action::CopyFormat { typed: Box::new(typed), zero });
            return Ok(());
        }
        let action = if direction == Direction::Write {
            let count = wave.regs.lanes() as usize;
            let mut data = vec![0; size.div_ceil(4) as usize * count];
            for lane in lanes(part.mask) {
                let chunks = wave.regs.chunks as u32;
                let register = |n: u32| wave.regs.lane((op.data[0] + n * chunks) as usize, lane);
                let raw = typed.store(register, self.facts.format_stores_replicate);
                for (d, word) in raw.chunks_exact(4).enumerate().take(size.div_ceil(4) as usize) {
                    data[d * count + lane as usize] =
                        u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
                }
            }
            Action::Store { data }
        } else {
            Action::LoadFormat { typed: Box::new(typed), row: op.dst[0], zero }
        };
        self.launch(wave, site, op, seq, smallvec![access_of(part, direction, size)], action);
        Ok(())
    }
}
