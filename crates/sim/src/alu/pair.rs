//! VOPD: two instructions that read all their sources before either writes.

use std::sync::Arc;

use wavemark_isa::Inst;

use super::def::{Def, VectorDef, unsupported};
use super::{AluDetail, bind_single};
use crate::binder::{BindError, Binder};
use crate::meaning::{self, Definition};
use crate::op::{Detail, Op, OpKind, Place, PlaceKind, go_on};
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

/// Bind a VOPD instruction: its first half computes `x`.
pub fn bind(binder: &mut Binder<'_>, x: &Def, second: &Inst) -> Result<Op, BindError> {
    let x_def = vector_def(binder, x)?;
    let x_op = bind_single(binder, x)?;
    let constants = &mut *binder.constants;
    let mut other = Binder::new(binder.machine, binder.layout, binder.msb, second, binder.pc, constants);
    other.records = binder.records;
    let missing = || unsupported(second.row(binder.machine).mnemonic, "no definition");
    let Some(Definition::Alu(y)) = meaning::definition(other.meaning()) else { return Err(missing()) };
    let y_def = vector_def(&other, y)?;
    let y_op = bind_single(&mut other, y)?;
    let chunks = binder.layout.chunks as u32;
    let y_reads_x = reads((&y_op, y_def), (&x_op, x_def), chunks);
    let x_reads_y = reads((&x_op, x_def), (&y_op, y_def), chunks);
    let order = match (y_reads_x, x_reads_y) {
        (false, _) => Order::XThenY,
        (true, false) => Order::YThenX,
        (true, true) => Order::Hold(x_def.dst[0].rows()),
    };
    Ok(Op {
        detail: Some(Arc::new(Detail::Alu(AluDetail::Pair { x: x_op, y: y_op, order }))),
        goes_on: true,
        ..Op::new(run, OpKind::Alu, binder.inst.size / 4)
    })
}

/// The definition of a half, which is a vector instruction.
fn vector_def<'d>(binder: &Binder<'_>, def: &'d Def) -> Result<&'d VectorDef, BindError> {
    match def {
        Def::Vector(def) => Ok(def),
        Def::Scalar(_) => Err(unsupported(binder.inst.row(binder.machine).mnemonic, "as half of a pair")),
    }
}

/// Is a source of `reader` what `writer` writes?
fn reads(reader: (&Op, &VectorDef), writer: (&Op, &VectorDef), chunks: u32) -> bool {
    let span = |place: Place, rows: usize| place.at()..place.at() + rows as u32 * chunks;
    let written = span(writer.0.dst(), writer.1.dst[0].rows());
    reader.0.sources().into_iter().zip(reader.1.src).any(|(source, kind)| {
        let read = span(source, kind.rows());
        source.kind == PlaceKind::Vector && read.start < written.end && written.start < read.end
    })
}

/// The halves of `op`, if it is a pair whose halves can be done one behind the other in a line ([`Op::goes_on`]).
pub fn halves(op: &Op) -> Option<[&Op; 2]> {
    let Some(Detail::Alu(AluDetail::Pair { x, y, order })) = op.detail.as_deref() else { return None };
    let [first, second] = match order {
        Order::XThenY => [x, y],
        Order::YThenX => [y, x],
        Order::Hold(_) => return None,
    };
    first.goes_on.then_some([first, second])
}

/// The body.
///
/// # Safety
/// As [`crate::op::Body`].
unsafe fn run(regs: &mut Regs, op: &Op) {
    let Some(Detail::Alu(AluDetail::Pair { x, y, order })) = op.detail.as_deref() else {
        return;
    };
    // SAFETY: the caller's promise, which holds for both halves, too: the binder made them alike.
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
                let old = rows(regs, x.dst(), *count);
                (x.body)(regs, x);
                let new = rows(regs, x.dst(), *count);
                put(regs, x.dst(), &old);
                (y.body)(regs, y);
                put(regs, x.dst(), &new);
            }
        }
        go_on(regs, op);
    }
}

/// `count` registers from `place` on.
fn rows(regs: &Regs, place: Place, count: usize) -> Vec<Chunk> {
    regs.v[place.at() as usize..][..count * regs.chunks].to_vec()
}

fn put(regs: &mut Regs, place: Place, rows: &[Chunk]) {
    regs.v[place.at() as usize..][..rows.len()].copy_from_slice(rows);
}
