//! Hardware registers that `s_getreg` and `s_setreg` reach, by generation.
//!
//! Names are LLVM 22's. Where a register has several (gfx12 renamed most, gfx10 kept `HW_REG_HW_ID`), the first of
//! the list is printed and all are read. gfx6 and gfx7, which LLVM 22 cannot disassemble, have the names that its
//! assembler takes.

/// A hardware register and one of its names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HwReg {
    /// Its number in `hwreg()`.
    pub id: u8,
    /// The name, `HW_REG_` included.
    pub name: &'static str,
}

const fn r(id: u8, name: &'static str) -> HwReg {
    HwReg { id, name }
}

pub(crate) const GFX6: &[HwReg] = &[
    r(1, "HW_REG_MODE"),
    r(2, "HW_REG_STATUS"),
    r(3, "HW_REG_TRAPSTS"),
    r(4, "HW_REG_HW_ID"),
    r(5, "HW_REG_GPR_ALLOC"),
    r(6, "HW_REG_LDS_ALLOC"),
    r(7, "HW_REG_IB_STS"),
];

pub(crate) const GFX9: &[HwReg] = &[
    r(1, "HW_REG_MODE"),
    r(2, "HW_REG_STATUS"),
    r(3, "HW_REG_TRAPSTS"),
    r(4, "HW_REG_HW_ID"),
    r(5, "HW_REG_GPR_ALLOC"),
    r(6, "HW_REG_LDS_ALLOC"),
    r(7, "HW_REG_IB_STS"),
    r(15, "HW_REG_SH_MEM_BASES"),
    r(16, "HW_REG_TBA_LO"),
    r(17, "HW_REG_TBA_HI"),
    r(18, "HW_REG_TMA_LO"),
    r(19, "HW_REG_TMA_HI"),
];

pub(crate) const GFX940: &[HwReg] = &[
    r(1, "HW_REG_MODE"),
    r(2, "HW_REG_STATUS"),
    r(3, "HW_REG_TRAPSTS"),
    r(4, "HW_REG_HW_ID"),
    r(5, "HW_REG_GPR_ALLOC"),
    r(6, "HW_REG_LDS_ALLOC"),
    r(7, "HW_REG_IB_STS"),
    r(15, "HW_REG_SH_MEM_BASES"),
    r(16, "HW_REG_TBA_LO"),
    r(17, "HW_REG_TBA_HI"),
    r(18, "HW_REG_TMA_LO"),
    r(19, "HW_REG_TMA_HI"),
    r(20, "HW_REG_XCC_ID"),
    r(21, "HW_REG_SQ_PERF_SNAPSHOT_DATA"),
    r(22, "HW_REG_SQ_PERF_SNAPSHOT_DATA1"),
    r(23, "HW_REG_SQ_PERF_SNAPSHOT_PC_LO"),
    r(24, "HW_REG_SQ_PERF_SNAPSHOT_PC_HI"),
];

pub(crate) const GFX10_1: &[HwReg] = &[
    r(1, "HW_REG_MODE"),
    r(2, "HW_REG_STATUS"),
    r(3, "HW_REG_TRAPSTS"),
    r(5, "HW_REG_GPR_ALLOC"),
    r(6, "HW_REG_LDS_ALLOC"),
    r(7, "HW_REG_IB_STS"),
    r(15, "HW_REG_SH_MEM_BASES"),
    r(16, "HW_REG_TBA_LO"),
    r(17, "HW_REG_TBA_HI"),
    r(18, "HW_REG_TMA_LO"),
    r(19, "HW_REG_TMA_HI"),
    r(20, "HW_REG_FLAT_SCR_LO"),
    r(21, "HW_REG_FLAT_SCR_HI"),
    r(22, "HW_REG_XNACK_MASK"),
    r(23, "HW_REG_HW_ID1"),
    r(23, "HW_REG_HW_ID"),
    r(24, "HW_REG_HW_ID2"),
    r(25, "HW_REG_POPS_PACKER"),
];

pub(crate) const GFX10_3: &[HwReg] = &[
    r(1, "HW_REG_MODE"),
    r(2, "HW_REG_STATUS"),
    r(3, "HW_REG_TRAPSTS"),
    r(5, "HW_REG_GPR_ALLOC"),
    r(6, "HW_REG_LDS_ALLOC"),
    r(7, "HW_REG_IB_STS"),
    r(15, "HW_REG_SH_MEM_BASES"),
    r(16, "HW_REG_TBA_LO"),
    r(17, "HW_REG_TBA_HI"),
    r(18, "HW_REG_TMA_LO"),
    r(19, "HW_REG_TMA_HI"),
    r(20, "HW_REG_FLAT_SCR_LO"),
    r(21, "HW_REG_FLAT_SCR_HI"),
    r(23, "HW_REG_HW_ID1"),
    r(23, "HW_REG_HW_ID"),
    r(24, "HW_REG_HW_ID2"),
    r(25, "HW_REG_POPS_PACKER"),
    r(29, "HW_REG_SHADER_CYCLES"),
];

pub(crate) const GFX11: &[HwReg] = &[
    r(1, "HW_REG_MODE"),
    r(2, "HW_REG_STATUS"),
    r(3, "HW_REG_TRAPSTS"),
    r(5, "HW_REG_GPR_ALLOC"),
    r(6, "HW_REG_LDS_ALLOC"),
    r(7, "HW_REG_IB_STS"),
    r(15, "HW_REG_SH_MEM_BASES"),
    r(18, "HW_REG_PERF_SNAPSHOT_PC_LO"),
    r(19, "HW_REG_PERF_SNAPSHOT_PC_HI"),
    r(20, "HW_REG_FLAT_SCR_LO"),
    r(21, "HW_REG_FLAT_SCR_HI"),
    r(23, "HW_REG_HW_ID1"),
    r(24, "HW_REG_HW_ID2"),
    r(27, "HW_REG_PERF_SNAPSHOT_DATA"),
    r(29, "HW_REG_SHADER_CYCLES"),
];

macro_rules! gfx12 {
    ($($more:expr),*) => {
        &[
            r(1, "HW_REG_WAVE_MODE"),
            r(1, "HW_REG_MODE"),
            r(2, "HW_REG_WAVE_STATUS"),
            r(2, "HW_REG_STATUS"),
            r(4, "HW_REG_WAVE_STATE_PRIV"),
            r(4, "HW_REG_STATE_PRIV"),
            r(5, "HW_REG_WAVE_GPR_ALLOC"),
            r(5, "HW_REG_GPR_ALLOC"),
            r(6, "HW_REG_WAVE_LDS_ALLOC"),
            r(6, "HW_REG_LDS_ALLOC"),
            r(7, "HW_REG_IB_STS"),
            r(10, "HW_REG_PERF_SNAPSHOT_DATA"),
            r(11, "HW_REG_PERF_SNAPSHOT_PC_LO"),
            r(12, "HW_REG_PERF_SNAPSHOT_PC_HI"),
            r(15, "HW_REG_PERF_SNAPSHOT_DATA1"),
            r(16, "HW_REG_PERF_SNAPSHOT_DATA2"),
            r(17, "HW_REG_WAVE_EXCP_FLAG_PRIV"),
            r(17, "HW_REG_EXCP_FLAG_PRIV"),
            r(18, "HW_REG_WAVE_EXCP_FLAG_USER"),
            r(18, "HW_REG_EXCP_FLAG_USER"),
            r(19, "HW_REG_WAVE_TRAP_CTRL"),
            r(19, "HW_REG_TRAP_CTRL"),
            r(20, "HW_REG_WAVE_SCRATCH_BASE_LO"),
            r(20, "HW_REG_SCRATCH_BASE_LO"),
            r(21, "HW_REG_WAVE_SCRATCH_BASE_HI"),
            r(21, "HW_REG_SCRATCH_BASE_HI"),
            r(23, "HW_REG_WAVE_HW_ID1"),
            r(23, "HW_REG_HW_ID1"),
            r(24, "HW_REG_WAVE_HW_ID2"),
            r(24, "HW_REG_HW_ID2"),
            r(26, "HW_REG_WAVE_SCHED_MODE"),
            r(29, "HW_REG_SHADER_CYCLES_LO"),
            r(30, "HW_REG_SHADER_CYCLES_HI"),
            r(31, "HW_REG_WAVE_DVGPR_ALLOC_LO"),
            r(31, "HW_REG_DVGPR_ALLOC_LO"),
            r(32, "HW_REG_WAVE_DVGPR_ALLOC_HI"),
            r(32, "HW_REG_DVGPR_ALLOC_HI"),
            $($more),*
        ]
    };
}

pub(crate) const GFX12: &[HwReg] = gfx12!();
pub(crate) const GFX1250: &[HwReg] =
    gfx12!(r(28, "HW_REG_IB_STS2"), r(33, "HW_REG_XNACK_STATE_PRIV"), r(34, "HW_REG_XNACK_MASK"));
