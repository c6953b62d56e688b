//! Messages that `s_sendmsg` and its like send, by generation.
//!
//! Names are LLVM 22's. Before gfx11 a message has an operation and a stream in bits of their own; from gfx11 on the
//! number takes their place, and some messages (from 128 on) are answered (`s_sendmsg_rtn`).

/// A number and its name.
pub type Named = (u8, &'static str);

/// The messages of a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Messages {
    /// Bits of the message's number: 4, or 8 where there are no operations and streams.
    pub id_bits: u8,
    /// The messages.
    pub names: &'static [Named],
    /// The operations of `MSG_GS` and `MSG_GS_DONE`.
    pub gs_ops: &'static [Named],
    /// The operations of `MSG_SYSMSG`.
    pub sysmsg_ops: &'static [Named],
}

const GS_OPS: &[Named] = &[(0, "GS_OP_NOP"), (1, "GS_OP_CUT"), (2, "GS_OP_EMIT"), (3, "GS_OP_EMIT_CUT")];

const SYSMSG_OPS: &[Named] =
    &[(1, "SYSMSG_OP_ECC_ERR_INTERRUPT"), (2, "SYSMSG_OP_REG_RD"), (4, "SYSMSG_OP_TTRACE_PC")];

pub(crate) const GFX6: Messages = Messages {
    id_bits: 4,
    names: &[(1, "MSG_INTERRUPT"), (2, "MSG_GS"), (3, "MSG_GS_DONE"), (15, "MSG_SYSMSG")],
    gs_ops: GS_OPS,
    sysmsg_ops: &[
        (1, "SYSMSG_OP_ECC_ERR_INTERRUPT"),
        (2, "SYSMSG_OP_REG_RD"),
        (3, "SYSMSG_OP_HOST_TRAP_ACK"),
        (4, "SYSMSG_OP_TTRACE_PC"),
    ],
};

pub(crate) const GFX8: Messages = Messages {
    names: &[
        (1, "MSG_INTERRUPT"),
        (2, "MSG_GS"),
        (3, "MSG_GS_DONE"),
        (4, "MSG_SAVEWAVE"),
        (15, "MSG_SYSMSG"),
    ],
    ..GFX6
};

pub(crate) const GFX9: Messages = Messages {
    names: &[
        (1, "MSG_INTERRUPT"),
        (2, "MSG_GS"),
        (3, "MSG_GS_DONE"),
        (4, "MSG_SAVEWAVE"),
        (5, "MSG_STALL_WAVE_GEN"),
        (6, "MSG_HALT_WAVES"),
        (7, "MSG_ORDERED_PS_DONE"),
        (8, "MSG_EARLY_PRIM_DEALLOC"),
        (9, "MSG_GS_ALLOC_REQ"),
        (10, "MSG_GET_DOORBELL"),
        (15, "MSG_SYSMSG"),
    ],
    sysmsg_ops: SYSMSG_OPS,
    ..GFX8
};

pub(crate) const GFX10: Messages = Messages {
    names: &[
        (1, "MSG_INTERRUPT"),
        (2, "MSG_GS"),
        (3, "MSG_GS_DONE"),
        (4, "MSG_SAVEWAVE"),
        (5, "MSG_STALL_WAVE_GEN"),
        (6, "MSG_HALT_WAVES"),
        (7, "MSG_ORDERED_PS_DONE"),
        (8, "MSG_EARLY_PRIM_DEALLOC"),
        (9, "MSG_GS_ALLOC_REQ"),
        (10, "MSG_GET_DOORBELL"),
        (11, "MSG_GET_DDID"),
        (15, "MSG_SYSMSG"),
    ],
    ..GFX9
};

pub(crate) const GFX11: Messages = Messages {
    id_bits: 8,
    names: &[
        (1, "MSG_INTERRUPT"),
        (2, "MSG_HS_TESSFACTOR"),
        (3, "MSG_DEALLOC_VGPRS"),
        (5, "MSG_STALL_WAVE_GEN"),
        (6, "MSG_HALT_WAVES"),
        (9, "MSG_GS_ALLOC_REQ"),
        (15, "MSG_SYSMSG"),
        (128, "MSG_RTN_GET_DOORBELL"),
        (129, "MSG_RTN_GET_DDID"),
        (130, "MSG_RTN_GET_TMA"),
        (131, "MSG_RTN_GET_REALTIME"),
        (132, "MSG_RTN_SAVE_WAVE"),
        (133, "MSG_RTN_GET_TBA"),
        (134, "MSG_RTN_GET_TBA_TO_PC"),
    ],
    ..GFX10
};

pub(crate) const GFX12: Messages = Messages {
    names: &[
        (1, "MSG_INTERRUPT"),
        (2, "MSG_HS_TESSFACTOR"),
        (3, "MSG_DEALLOC_VGPRS"),
        (9, "MSG_GS_ALLOC_REQ"),
        (15, "MSG_SYSMSG"),
        (128, "MSG_RTN_GET_DOORBELL"),
        (129, "MSG_RTN_GET_DDID"),
        (130, "MSG_RTN_GET_TMA"),
        (131, "MSG_RTN_GET_REALTIME"),
        (132, "MSG_RTN_SAVE_WAVE"),
        (133, "MSG_RTN_GET_TBA"),
        (134, "MSG_RTN_GET_TBA_TO_PC"),
        (135, "MSG_RTN_GET_SE_AID_ID"),
    ],
    ..GFX11
};

pub(crate) const GFX1250: Messages = Messages {
    names: &[
        (1, "MSG_INTERRUPT"),
        (2, "MSG_HS_TESSFACTOR"),
        (3, "MSG_DEALLOC_VGPRS"),
        (9, "MSG_GS_ALLOC_REQ"),
        (10, "MSG_SAVEWAVE_HAS_TDM"),
        (15, "MSG_SYSMSG"),
        (128, "MSG_RTN_GET_DOORBELL"),
        (129, "MSG_RTN_GET_DDID"),
        (130, "MSG_RTN_GET_TMA"),
        (131, "MSG_RTN_GET_REALTIME"),
        (132, "MSG_RTN_SAVE_WAVE"),
        (133, "MSG_RTN_GET_TBA"),
        (134, "MSG_RTN_GET_TBA_TO_PC"),
        (135, "MSG_RTN_GET_SE_AID_ID"),
        (136, "MSG_RTN_GET_CLUSTER_BARRIER_STATE"),
    ],
    ..GFX12
};
