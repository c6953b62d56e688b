//! VOPD: two instructions that read all their sources before either writes.

use std::sync::Arc;

use wavemark_isa::Inst;

use super::AluDetail;
use super::bind_mnemonic;
use super::def::unsupported;
use crate::bind::{BindError, Binder};
use crate::op::{Detail, Op, OpKind, Place, PlaceKind};
use crate::regs::{Chunk, Regs};

/// How the two halves are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// X, then Y: Y reads nothing that X writes.
    XThenY,
    /// Y, then X: X reads nothing that Y writes.
    YThenX,
    /// Each reads what the other writes: X's result is held back while Y runs.
    Hold,
}

/// Bind a VOPD instruction.
pub fn bind(binder: &mut Binder<'_>, x: &str, second: &Inst, y: &str) -> Result<Option<Op>, BindError> {
    let missing = |name: &str| unsupported(name, "no definition");
    let x_op = bind_mnemonic(binder, x)?.ok_or_else(|| missing(x))?;
    let mut other = Binder {
        isa: binder.isa,
        layout: binder.layout,
        msb: binder.msb,
        inst: second,
        pc: binder.pc,
        constants: &mut *binder.constants,
    };
    let y_op = bind_mnemonic(&mut other, y)?.ok_or_else(|| missing(y))?;
    let chunks = binder.layout.chunks as u32;
    let order = match (reads(&y_op, &x_op, chunks), reads(&x_op, &y_op, chunks)) {
        (false, _) => Order::XThenY,
        (true, false) => Order::YThenX,
        (true, true) => Order::Hold,
    };
    Ok(Some(Op {
        body: run,
        dst: Place::default(),
        dst2: Place::default(),
        src: [Place::default(); 3],
        imm: 0,
        kind: OpKind::Alu,
        dwords: binder.inst.size / 4,
        detail: Some(Arc::new(Detail::Alu(AluDetail::Pair { x: x_op, y: y_op, order }))),
    }))
}

/// May a source of `reader` be what `writer` writes? Sources and results are taken to be two registers.
fn reads(reader: &Op, writer: &Op, chunks: u32) -> bool {
    let near = |a: Place, b: Place| {
        a.kind == PlaceKind::Vector && b.kind == PlaceKind::Vector && a.at.abs_diff(b.at) < 2 * chunks
    };
    reader.src.iter().any(|source| near(*source, writer.dst))
}

/// The body.
///
/// # Safety
/// As [`crate::op::Body`].
unsafe fn run(regs: &mut Regs, op: &Op) {
    let Some(Detail::Alu(AluDetail::Pair { x, y, order })) = op.detail.as_deref() else {
        return;
    };
    // SAFETY: the caller's promise holds for both halves, which the binder made alike.
    unsafe {
        match order {
            Order::XThenY => {
                (x.body)(regs, x);
                (y.body)(regs, y);
            }
            Order::YThenX => {
                (y.body)(regs, y);
                (x.body)(regs, x);
            }
            Order::Hold => {
                let old = rows(regs, x.dst);
                (x.body)(regs, x);
                let new = rows(regs, x.dst);
                put(regs, x.dst, &old);
                (y.body)(regs, y);
                put(regs, x.dst, &new);
            }
        }
    }
}

/// The destination register and, where the slab goes on, the next one.
fn rows(regs: &Regs, place: Place) -> Vec<Chunk> {
    let end = (place.at as usize + 2 * regs.chunks).min(regs.v.len());
    regs.v[place.at as usize..end].to_vec()
}

fn put(regs: &mut Regs, place: Place, rows: &[Chunk]) {
    regs.v[place.at as usize..][..rows.len()].copy_from_slice(rows);
}
