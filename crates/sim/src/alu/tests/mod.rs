//! Tests of the arithmetic: a small wave, instructions built by hand, values from the manual or from an
//! independent formula.

use smallvec::SmallVec;
use wavemark_isa::effects::VgprMsb;
use wavemark_isa::{Form, Half, Inst, Mods, Operand, Reg, RegFile, Row, RowId, Special, Table};
use wavemark_target::Machine;

use crate::binder::{BindError, Binder, Constants, Layout};
use crate::meaning::{self, Definition};
use crate::modelled::machines::{GFX950, GFX1250};
use crate::op::Op;
use crate::regs::{Chunk, Mode, Regs, Usual, sindex};

mod lanes;
mod levels;
mod scalar;
mod speed;
mod values;

/// The form of `row` that takes so many operands, best the widest.
fn form(row: &Row, operands: usize) -> Form {
    let fits = |form: &Form| row.encoding(*form).is_some_and(|e| e.operands.len() == operands);
    [Form::E64, Form::Native, Form::E32].into_iter().find(fits).unwrap_or(row.encodings[0].form)
}

/// A wave of its own with 64 VGPRs and 8 AGPRs, and the constants of what was bound for it.
pub struct Wave {
    pub machine: Machine,
    pub layout: Layout,
    pub constants: Constants,
    pub regs: Regs,
}

/// `v[n:n+dwords-1]`.
pub fn vreg(n: u16, dwords: u8) -> Operand {
    Operand::Reg(Reg::new(RegFile::Vgpr, n, dwords))
}
/// `vN`.
pub fn v(n: u16) -> Operand {
    vreg(n, 1)
}
/// `vN.l` or `vN.h`.
pub fn vh(n: u16, half: Half) -> Operand {
    Operand::Reg(Reg { half, ..Reg::new(RegFile::Vgpr, n, 1) })
}
/// `sN`.
pub fn s(n: u16) -> Operand {
    Operand::Reg(Reg::new(RegFile::Sgpr, n, 1))
}
/// `s[n:n+1]`.
pub fn s2(n: u16) -> Operand {
    Operand::Reg(Reg::new(RegFile::Sgpr, n, 2))
}
/// A literal.
pub fn lit(x: u32) -> Operand {
    Operand::Literal(u64::from(x))
}
/// `vcc`.
pub const VCC: Operand = Operand::Special(Special::Vcc);

/// MODE with everything nearest even and denormals kept.
pub fn mode(machine: Machine, raw: u32) -> Mode {
    let gfx9 = machine == GFX950;
    Mode {
        raw,
        round_f32: (raw & 3) as u8,
        round_f16_f64: (raw >> 2 & 3) as u8,
        denorm_in_f32: raw & 0x10 != 0,
        denorm_out_f32: raw & 0x20 != 0,
        denorm_in_f16_f64: raw & 0x40 != 0,
        denorm_out_f16_f64: raw & 0x80 != 0,
        dx10_clamp: !gfx9 || raw & 0x100 != 0,
        ieee: !gfx9 || raw & 0x200 != 0,
        fp16_ovfl: raw & 0x80_0000 != 0,
    }
}

impl Wave {
    pub fn new(machine: Machine) -> Self {
        Self::sized(machine, machine.lanes() as usize / 16)
    }

    pub fn sized(machine: Machine, chunks: usize) -> Self {
        let layout = Layout { chunks, vgprs: 64, agprs: 8 };
        let mut wave = Wave {
            machine,
            layout,
            constants: Constants::default(),
            regs: Regs {
                exceptions: crate::regs::Exceptions::default(),
                v: Box::new([]),
                s: vec![0; sindex::CONSTANTS as usize].into(),
                chunks,
                scratch: 0,
                vgprs: layout.vgprs,
                agprs: layout.agprs,
                scc: false,
                full: true,
                usual: Usual::No,
                mode: mode(machine, 0x3f0),
                pc: 0,
            },
        };
        wave.settle();
        wave.set_exec(u64::MAX);
        wave
    }

    /// Make room for the constants and put them in.
    fn settle(&mut self) {
        let at = self.layout.constants_at();
        let mut v = std::mem::take(&mut self.regs.v).into_vec();
        v.resize(self.layout.slab_len(self.constants.vector.len()), Chunk::ZERO);
        for (i, &x) in self.constants.vector.iter().enumerate() {
            v[at + i * self.layout.chunks..][..self.layout.chunks].fill(Chunk::splat(x));
        }
        self.regs.v = v.into();
        self.regs.scratch = self.layout.scratch_at();
        let mut s = std::mem::take(&mut self.regs.s).into_vec();
        s.resize(sindex::CONSTANTS as usize, 0);
        s.extend_from_slice(&self.constants.scalar);
        self.regs.s = s.into();
    }

    pub fn set_exec(&mut self, exec: u64) {
        let exec = exec & self.regs.full_mask();
        super::modifiers::set_exec(&mut self.regs, exec);
    }

    /// Set lane `l` of `vN` for all lanes.
    pub fn set_v(&mut self, n: u16, f: impl Fn(u32) -> u32) {
        for l in 0..self.regs.lanes() {
            let row = n as usize * self.layout.chunks;
            self.regs.set_lane(row, l, f(l));
        }
    }

    pub fn v(&self, n: u16, lane: u32) -> u32 {
        self.regs.lane(n as usize * self.layout.chunks, lane)
    }

    pub fn v64(&self, n: u16, lane: u32) -> u64 {
        u64::from(self.v(n, lane)) | u64::from(self.v(n + 1, lane)) << 32
    }

    pub fn bind_with(
        &mut self,
        mnemonic: &str,
        operands: &[Operand],
        mods: Mods,
        level: usize,
    ) -> Result<Op, BindError> {
        let row = Table::of(self.machine).by_mnemonic(mnemonic).next();
        let inst = Inst {
            row: row.map_or(RowId(0), |row| row.id),
            form: row.map_or(Form::E64, |row| form(row, operands.len())),
            operands: SmallVec::from_slice(operands),
            mods,
            second: None,
            size: 8,
        };
        super::def::force_level(level);
        // A name of the other instruction set stands for what it computes.
        let named = [GFX950, GFX1250].map(|machine| Table::of(machine).by_mnemonic(mnemonic).next());
        let key = named.into_iter().flatten().next().map(|row| row.meaning);
        let Some(Definition::Alu(def)) = key.and_then(meaning::definition) else {
            return Err(BindError::Unsupported(format!("{mnemonic} has no definition")));
        };
        let mut binder =
            Binder::new(self.machine, self.layout, VgprMsb(0), &inst, 0x1000, &mut self.constants);
        let op = super::bind_single(&mut binder, def)?;
        self.settle();
        Ok(op)
    }

    pub fn bind(&mut self, mnemonic: &str, operands: &[Operand], mods: Mods) -> Result<Op, BindError> {
        self.bind_with(mnemonic, operands, mods, super::level() as usize)
    }

    /// Bind and run one instruction.
    pub fn run_with(&mut self, mnemonic: &str, operands: &[Operand], mods: Mods) {
        let op = self.bind(mnemonic, operands, mods).unwrap();
        self.regs.pc = 0x1008;
        // SAFETY: the level is this host's, and the operation was bound for this wave's layout.
        unsafe { (op.body)(&mut self.regs, &op) };
    }

    pub fn run(&mut self, mnemonic: &str, operands: &[Operand]) {
        self.run_with(mnemonic, operands, Mods { op_sel_hi: 7, ..Mods::default() });
    }
}
