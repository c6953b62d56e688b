//! One wave: its registers, what it has in flight, and where it stands.

use wavemark_target::Facts;

use crate::binder::Layout;
use crate::events::{BarrierId, WaveId};
use crate::machine::address;
use crate::queue::Queue;
use crate::regs::{Chunk, Mode, Regs, sindex};

/// What a wave is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaveState {
    /// It can execute its next instruction.
    Running,
    /// It waits at a barrier.
    AtBarrier(BarrierId),
    /// It has halted itself.
    Halted,
    /// It has ended.
    Ended,
}

/// A wave.
pub struct Wave {
    /// Who it is.
    pub id: WaveId,
    /// Its registers.
    pub regs: Regs,
    /// Its memory operations in flight.
    pub queue: Queue,
    /// What it is doing.
    pub state: WaveState,
    /// Upper VGPR number bits in force (gfx1250).
    pub msb: u8,
    /// Named barrier joined last; 0 is the null barrier.
    pub joined: u8,
    /// Instructions executed.
    pub steps: u64,
    /// Number of the program's operation table for `msb`.
    pub table: usize,
    /// `msb` was changed by another way than `s_set_vgpr_msb`.
    pub msb_changed: bool,
    /// How many of the program's late constants it has.
    pub late_constants: u32,
    /// Scratch: lane after lane, `scratch_per_lane` bytes each.
    pub scratch: Vec<u8>,
    /// Bytes of scratch of one lane.
    pub scratch_per_lane: u32,
    /// Hardware registers that only `s_getreg`/`s_setreg` see, by number.
    pub hwregs: [u32; 64],
}

/// The MODE register, unpacked. Bits: 3:0 round, 7:4 denormals, 8 `DX10_CLAMP`, 9 `IEEE` (gfx9), 23
/// `FP16_OVFL`.
pub fn unpack_mode(facts: &Facts, raw: u32) -> Mode {
    let bit = |n: u32| raw >> n & 1 != 0;
    Mode {
        raw,
        round_f32: (raw & 3) as u8,
        round_f16_f64: (raw >> 2 & 3) as u8,
        denorm_in_f32: bit(4),
        denorm_out_f32: bit(5),
        denorm_in_f16_f64: bit(6),
        denorm_out_f16_f64: bit(7),
        dx10_clamp: !facts.dx10_clamp_and_ieee || bit(8),
        ieee: facts.dx10_clamp_and_ieee && bit(9),
        fp16_ovfl: bit(23),
    }
}

impl Wave {
    /// A wave with cleared registers.
    pub fn new(
        facts: &Facts,
        id: WaveId,
        layout: Layout,
        constant_room: usize,
        entry: u64,
        mode: u32,
    ) -> Wave {
        let mut regs = Regs {
            v: vec![Chunk::ZERO; layout.slab_len(constant_room)].into_boxed_slice(),
            s: vec![0; sindex::CONSTANTS as usize + constant_room].into_boxed_slice(),
            chunks: layout.chunks,
            scratch: layout.scratch_at(),
            vgprs: layout.vgprs,
            agprs: layout.agprs,
            scc: false,
            full: false,
            mode: unpack_mode(facts, mode),
            pc: entry,
        };
        address::set_apertures(&mut regs, facts);
        Wave {
            id,
            regs,
            queue: Queue::default(),
            state: WaveState::Running,
            msb: 0,
            joined: 0,
            steps: 0,
            table: 0,
            msb_changed: false,
            late_constants: 0,
            scratch: Vec::new(),
            scratch_per_lane: 0,
            hwregs: [0; 64],
        }
    }

    /// The wave's constants: those of the program, from index `from` on.
    pub fn set_constants(&mut self, layout: Layout, vector: &[u32], scalar: &[u32]) {
        let at = layout.constants_at();
        for (row, &x) in self.regs.v[at..].chunks_exact_mut(layout.chunks).zip(vector) {
            row.fill(Chunk::splat(x));
        }
        let at = sindex::CONSTANTS as usize;
        self.regs.s[at..at + scalar.len()].copy_from_slice(scalar);
    }
}
