//! VOPD: two instructions that read all their sources before either writes.

use std::sync::Arc;

use wavemark_isa::Inst;

use super::def::{Def, VectorDef, unsupported};
use super::{AluDetail, bind_mnemonic, lookup};
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
    /// Each reads what the other writes: X's result, of so many registers, is held back while Y runs.
    Hold(usize),
}

/// Bind a VOPD instruction.
pub fn bind(binder: &mut Binder<'_>, x: &str, second: &Inst, y: &str) -> Result<Option<Op>, BindError> {
    let (x_def, y_def) = (vector_def(x)?, vector_def(y)?);
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
    let y_reads_x = reads((&y_op, y_def), (&x_op, x_def), chunks);
    let x_reads_y = reads((&x_op, x_def), (&y_op, y_def), chunks);
    let order = match (y_reads_x, x_reads_y) {
        (false, _) => Order::XThenY,
        (true, false) => Order::YThenX,
        (true, true) => Order::Hold(x_def.dst[0].rows()),
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

/// The definition of a half, which is a vector instruction.
fn vector_def(mnemonic: &str) -> Result<&'static VectorDef, BindError> {
    match lookup(mnemonic) {
        Some(Def::Vector(def)) => Ok(def),
        _ => Err(unsupported(mnemonic, "as half of a pair")),
    }
}

/// Is a source of `reader` what `writer` writes?
fn reads(reader: (&Op, &VectorDef), writer: (&Op, &VectorDef), chunks: u32) -> bool {
    let span = |place: Place, rows: usize| place.at..place.at + rows as u32 * chunks;
    let written = span(writer.0.dst, writer.1.dst[0].rows());
    reader.0.src.iter().zip(reader.1.src).any(|(&source, kind)| {
        let read = span(source, kind.rows());
        source.kind == PlaceKind::Vector && read.start < written.end && written.start < read.end
    })
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
            Order::Hold(count) => {
                let old = rows(regs, x.dst, *count);
                (x.body)(regs, x);
                let new = rows(regs, x.dst, *count);
                put(regs, x.dst, &old);
                (y.body)(regs, y);
                put(regs, x.dst, &new);
            }
        }
    }
}

/// `count` registers from `place` on.
fn rows(regs: &Regs, place: Place, count: usize) -> Vec<Chunk> {
    regs.v[place.at as usize..][..count * regs.chunks].to_vec()
}

fn put(regs: &mut Regs, place: Place, rows: &[Chunk]) {
    regs.v[place.at as usize..][..rows.len()].copy_from_slice(rows);
}
