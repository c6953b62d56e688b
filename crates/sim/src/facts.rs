//! In what the processors that run here differ, as far as a functional model shows it: one record each, asked for by
//! name. Nothing else in this crate compares instruction sets.
//!
//! This is a stand-in for the facts of a `target::Machine`, which is to replace it.

use wavemark_isa::Isa;
use wavemark_isa::effects::CounterSet;

/// What the model of a processor depends on.
#[derive(Debug, PartialEq, Eq)]
pub struct Facts {
    /// The counters, and what they count.
    pub counters: CounterSet,
    /// MODE has `DX10_CLAMP` and `IEEE`; elsewhere the first is always on and the second off.
    pub ieee_mode: bool,
    /// The upper VGPR number bits are fields of MODE.
    pub msb_in_mode: bool,
    /// STATUS holds SCC; elsewhere it says whether the workgroup has more than one wave.
    pub scc_in_status: bool,
    /// The scratch aperture of flat addresses.
    pub scratch_aperture: ScratchAperture,
    /// The VGPR offset to a scalar base is signed.
    pub signed_offset: bool,
    /// Buffer resource descriptors.
    pub buffers: BufferResources,
    /// Workgroup ids come in trap temporaries, not in SGPRs behind the user's.
    pub ids_in_trap_temporaries: bool,
    /// The data-parallel primitives.
    pub dpp: DppControls,
    /// Atomics are carried out in the device's L2 cache, whatever their scope bits say.
    pub atomics_in_l2: bool,
    /// The output multiplier works only where MODE flushes denormals.
    pub omod_needs_flush: bool,
    /// A 16-bit result keeps the other half of its register.
    pub keeps_other_half: bool,
    /// A packed 32-bit operation reads one dword of a scalar and gives it to both halves.
    pub packed_f32_broadcasts: bool,
}

/// Whose scratch a flat address in the scratch aperture means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScratchAperture {
    /// 2^32 bytes: the lane's own (CDNA4 ISA 3.3).
    Own,
    /// 2^58 bytes: that of the lane in bits 56:52 (CDNA5 ISA 10.2); addresses that are no sign extension of 57
    /// bits and in no aperture are in a hole.
    AnyLane,
}

/// The layout of buffer resource descriptors, and what is in range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferResources {
    /// 48-bit base, 32-bit number of records (CDNA4 ISA 9.1.6).
    Base48,
    /// 57-bit base, 45-bit number of records (CDNA5 ISA table 57).
    Base57,
}

/// Which DPP controls there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DppControls {
    /// Shifts and broadcasts across rows (gfx8, gfx9).
    WaveShifts,
    /// `row_xmask`, and fetching inactive lanes (gfx10 on).
    RowMasks,
}

static CDNA4: Facts = Facts {
    counters: CounterSet::Vm,
    ieee_mode: true,
    msb_in_mode: false,
    scc_in_status: true,
    scratch_aperture: ScratchAperture::Own,
    signed_offset: false,
    buffers: BufferResources::Base48,
    ids_in_trap_temporaries: false,
    dpp: DppControls::WaveShifts,
    atomics_in_l2: true,
    omod_needs_flush: true,
    keeps_other_half: false,
    packed_f32_broadcasts: false,
};

static CDNA5: Facts = Facts {
    counters: CounterSet::Split,
    ieee_mode: false,
    msb_in_mode: true,
    scc_in_status: false,
    scratch_aperture: ScratchAperture::AnyLane,
    signed_offset: true,
    buffers: BufferResources::Base57,
    ids_in_trap_temporaries: true,
    dpp: DppControls::RowMasks,
    atomics_in_l2: false,
    omod_needs_flush: false,
    keeps_other_half: true,
    packed_f32_broadcasts: true,
};

impl Facts {
    /// Those of the processors of `isa`.
    pub fn of(isa: Isa) -> &'static Facts {
        match isa {
            Isa::Gfx950 => &CDNA4,
            Isa::Gfx1250 => &CDNA5,
        }
    }
}
