//! Instructions as functions of vector registers: for whoever executes something else than machine code, and whose
//! operations are defined as instructions.
//!
//! Promises: what an instruction computes here is what it computes in a wave, bit for bit; an instruction that does
//! more than compute (memory, control, waits) is refused.
//!
//! Does not: know counters, addresses, or events.

use wavemark_isa::{NoSymbols, encode, parse};
use wavemark_target::Machine;

use crate::binder::Layout;
use crate::events::WaveId;
use crate::op::OpKind;
use crate::program::{Program, Segment};
use crate::regs::{Chunk, sindex};
use crate::wave::{Wave, unpack_mode};

/// Vector registers that an instruction can name here.
pub const VGPRS: u32 = 256;

/// Instructions, and the registers that they are evaluated in.
pub struct Functions {
    program: Program,
    /// Where each begins, in dwords.
    slots: Vec<usize>,
    wave: Wave,
}

impl Functions {
    /// The functions that instructions in assembly text are, by their index.
    ///
    /// # Errors
    /// The index of the first text that is no instruction of the machine, or none that only computes, and why.
    pub fn new(machine: Machine, texts: &[String]) -> Result<Functions, (usize, String)> {
        let (mut bytes, mut slots) = (Vec::new(), Vec::new());
        for (index, text) in texts.iter().enumerate() {
            let parsed = parse(machine, text, &NoSymbols).map_err(|error| (index, error.message))?;
            let code = encode(machine, &parsed.inst).map_err(|error| (index, error.to_string()))?;
            slots.push(bytes.len() / 4);
            bytes.extend_from_slice(&code);
        }
        let layout = Layout { chunks: machine.lanes() as usize / 16, vgprs: VGPRS, agprs: 0 };
        let segment = Segment { base: 0, bytes: bytes.into() };
        let mut program = Program::new(machine, layout, segment);
        for (index, &slot) in slots.iter().enumerate() {
            program.bind_slot(0, slot);
            if program.op(0, slot).is_none_or(|op| op.kind != OpKind::Alu) {
                return Err((index, "it does more than compute, or is not modelled".to_owned()));
            }
        }
        let mut wave = Wave::new(machine.facts(), WaveId::default(), layout, 0, 0);
        wave.begin(layout, None);
        wave.refresh_constants(layout, &program.constants);
        wave.regs.set_s64(sindex::EXEC, wave.regs.full_mask());
        wave.regs.exec_changed();
        Ok(Functions { program, slots, wave })
    }

    /// The lanes of a vector register.
    pub fn register(&mut self, number: usize) -> &mut [u32] {
        let chunks = self.wave.regs.chunks;
        Chunk::words_mut(&mut self.wave.regs.v[number * chunks..][..chunks])
    }

    /// The scalar register pair VCC.
    pub fn vcc(&self) -> u64 {
        self.wave.regs.vcc()
    }

    /// Sets it.
    pub fn set_vcc(&mut self, lanes: u64) {
        self.wave.regs.set_s64(sindex::VCC, lanes);
    }

    /// The MODE register as the wave has it that evaluates.
    pub fn set_mode(&mut self, raw: u32) {
        if self.wave.regs.mode.raw != raw {
            self.wave.regs.set_mode(unpack_mode(self.program.facts, raw));
        }
    }

    /// Evaluates the function `index` in the lanes of `exec`.
    pub fn evaluate(&mut self, index: usize, exec: u64) {
        let exec = exec & self.wave.regs.full_mask();
        if self.wave.regs.exec() != exec {
            self.wave.regs.set_s64(sindex::EXEC, exec);
            self.wave.regs.exec_changed();
        }
        let Some(op) = self.slots.get(index).and_then(|&slot| self.program.op(0, slot)) else { return };
        // SAFETY: binding chose the body for the host's instruction set (`alu::level`), and only operations of the kind
        // `Alu` are kept, whose bodies touch the registers alone.
        unsafe { (op.body)(&mut self.wave.regs, op) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instruction_is_evaluated_lane_by_lane() {
        let machine = Machine::parse("gfx950", "").unwrap();
        let texts = ["v_add_u32 v2, v0, v1", "v_exp_f32 v2, v0"].map(str::to_owned);
        let mut functions = Functions::new(machine, &texts).unwrap();
        functions.set_mode(0xf0);
        for lane in 0..64 {
            functions.register(0)[lane] = lane as u32;
            functions.register(1)[lane] = 1000;
        }
        functions.register(2).fill(7);
        functions.evaluate(0, 1 << 3 | 1 << 40);
        let sums = functions.register(2).to_vec();
        assert_eq!((sums[3], sums[40], sums[4]), (1003, 1040, 7));
        functions.register(0).fill(3f32.to_bits());
        functions.evaluate(1, u64::MAX);
        assert_eq!(f32::from_bits(functions.register(2)[63]), 8.0);
    }

    #[test]
    fn what_does_more_is_refused() {
        let machine = Machine::parse("gfx950", "").unwrap();
        let refused = |text: &str| Functions::new(machine, &[text.to_owned()]).err().map(|error| error.0);
        assert_eq!(refused("s_barrier"), Some(0));
        assert_eq!(refused("global_load_dword v0, v[0:1], off"), Some(0));
        assert_eq!(refused("no_such_instruction"), Some(0));
    }
}
