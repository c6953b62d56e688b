//! One wave: its registers, what it has in flight, and where it stands.

use wavemark_target::Facts;

use crate::address_row::AddressRows;
use crate::binder::{Constants, Layout};
use crate::events::{BarrierId, WaveId};
use crate::machine::address;
use crate::queue::Queue;
use crate::regs::{Chunk, Exceptions, Mode, Regs, Usual, sindex};

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
    /// The rows of addresses of its memory operations.
    pub address_rows: AddressRows,
    /// What it is doing.
    pub state: WaveState,
    /// Upper VGPR number bits in force (gfx1250).
    pub msb: u8,
    /// Named barrier joined last; 0 is the null barrier.
    pub joined: u8,
    /// Instructions executed.
    pub steps: u64,
    /// Up to this machine time nothing in flight has been so for too long.
    pub patient_until: u64,
    /// Where it last asked what other workgroups have done.
    pub asked_at: u64,
    /// The same where it last told others something.
    pub told_at: u64,
    /// Number of the program's operation table for `msb`.
    pub table: usize,
    /// `msb` was changed by another way than `s_set_vgpr_msb`.
    pub msb_changed: bool,
    /// How many of the program's constants it has.
    constants: [usize; 2],
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

/// Constants that the slabs of a new wave have room for.
const FIRST_CONSTANTS: usize = 64;

/// The vector registers of a wave that has ended, and how many constants stand behind them.
pub struct VectorSlab {
    slab: Box<[Chunk]>,
    constants: usize,
}

impl Wave {
    /// A wave with cleared scalar registers, no vector registers ([`Wave::begin`]) and no constants.
    pub fn new(facts: &Facts, id: WaveId, layout: Layout, entry: u64, mode: u32) -> Wave {
        let mut regs = Regs {
            v: Box::default(),
            s: vec![0; sindex::CONSTANTS as usize + FIRST_CONSTANTS].into_boxed_slice(),
            chunks: layout.chunks,
            scratch: layout.scratch_at(),
            vgprs: layout.vgprs,
            agprs: layout.agprs,
            scc: false,
            full: false,
            usual: Usual::No,
            mode: unpack_mode(facts, mode),
            exceptions: Exceptions::default(),
            pc: entry,
        };
        address::set_apertures(&mut regs, facts);
        Wave {
            id,
            regs,
            queue: Queue::default(),
            address_rows: AddressRows::default(),
            state: WaveState::Running,
            msb: 0,
            joined: 0,
            steps: 0,
            patient_until: 0,
            asked_at: 0,
            told_at: 0,
            table: 0,
            msb_changed: false,
            constants: [0; 2],
            scratch: Vec::new(),
            scratch_per_lane: 0,
            hwregs: [0; 64],
        }
    }

    /// A wave as from [`Wave::new`], but with the scalar constants of `ended`, a wave of the same program.
    pub fn again(mut ended: Wave, facts: &Facts, id: WaveId, entry: u64, mode: u32) -> Wave {
        let regs = &mut ended.regs;
        regs.s[..sindex::CONSTANTS as usize].fill(0);
        (regs.scc, regs.pc) = (false, entry);
        regs.set_full(false);
        regs.set_mode(unpack_mode(facts, mode));
        regs.exceptions = Exceptions::default();
        address::set_apertures(regs, facts);
        ended.queue.restart();
        ended.address_rows.restart();
        ended.scratch.clear();
        Wave {
            id,
            state: WaveState::Running,
            msb: 0,
            joined: 0,
            steps: 0,
            patient_until: 0,
            asked_at: 0,
            told_at: 0,
            table: 0,
            msb_changed: false,
            scratch_per_lane: 0,
            hwregs: [0; 64],
            ..ended
        }
    }

    /// Give the wave its vector registers, cleared: those of an ended wave of the same program if there are any.
    pub fn begin(&mut self, layout: Layout, ended: Option<VectorSlab>) {
        (self.regs.v, self.constants[0]) = match ended {
            Some(VectorSlab { mut slab, constants }) => {
                Chunk::words_mut(&mut slab[..layout.constants_at()]).fill(0);
                (slab, constants)
            }
            None => (vec![Chunk::ZERO; layout.slab_len(FIRST_CONSTANTS)].into_boxed_slice(), 0),
        };
    }

    /// Whether [`Wave::begin`] is yet to come.
    #[inline]
    pub fn is_new(&self) -> bool {
        self.regs.v.is_empty()
    }

    /// Take the vector registers of a wave that has ended.
    pub fn end(&mut self) -> Option<VectorSlab> {
        let slab = std::mem::take(&mut self.regs.v);
        (!slab.is_empty()).then_some(VectorSlab { slab, constants: self.constants[0] })
    }

    /// Give the wave those of the program's constants that it lacks.
    #[inline]
    pub fn refresh_constants(&mut self, layout: Layout, constants: &Constants) {
        if self.constants != constants.counts() {
            self.add_constants(layout, constants);
        }
    }

    #[inline(never)]
    fn add_constants(&mut self, layout: Layout, constants: &Constants) {
        let [vectors, scalars] = std::mem::replace(&mut self.constants, constants.counts());
        let Constants { vector, scalar, .. } = constants;
        if self.regs.v.len() <= layout.slab_len(vector.len()) {
            grow(&mut self.regs.v, layout.slab_len(2 * vector.len() + 1), Chunk::ZERO);
        }
        let from = layout.slab_len(vectors);
        for (row, &x) in self.regs.v[from..].chunks_exact_mut(layout.chunks).zip(&vector[vectors..]) {
            row.fill(Chunk::splat(x));
        }
        let at = sindex::CONSTANTS as usize;
        if self.regs.s.len() <= at + scalar.len() {
            grow(&mut self.regs.s, at + 2 * scalar.len() + 1, 0);
        }
        self.regs.s[at + scalars..at + scalar.len()].copy_from_slice(&scalar[scalars..]);
    }
}

fn grow<T: Copy>(slab: &mut Box<[T]>, len: usize, fill: T) {
    let mut longer = std::mem::take(slab).into_vec();
    longer.resize(len, fill);
    *slab = longer.into_boxed_slice();
}
