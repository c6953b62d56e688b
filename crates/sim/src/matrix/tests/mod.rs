//! Matrix operations against a plain product over [`place`]'s element places, at every level of the host.

mod levels;
mod modifiers;
mod numbers;
mod place;
mod refused;
mod shapes;

use wavemark_isa::{Inst, NoSymbols, parse};

use super::element::Element;
use super::host::levels;
use super::select::bind_at;
use crate::binder::{BindError, Binder, Constants, Layout};
use crate::meaning::{self, Definition};
use crate::op::{Detail, Op};
use crate::regs::{Chunk, Mode, Regs, Usual};
use wavemark_isa::effects::VgprMsb;
use wavemark_target::Machine;

/// First registers of the operands in the tests' instructions.
const A: usize = 0;
const B: usize = 32;
const C: usize = 64;
const D: usize = 96;
const INDEX: usize = 128;
const SCALE_A: usize = 130;
const SCALE_B: usize = 132;

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }
}

fn inst(machine: Machine, text: &str) -> Inst {
    let parsed = parse(machine, text, &NoSymbols);
    parsed.unwrap_or_else(|error| panic!("{text}: {error:?}")).inst
}

/// A wave's registers, all zero, with the MODE that compilers set.
fn registers(machine: Machine) -> Regs {
    let chunks = machine.lanes() as usize / 16;
    let keep = true;
    Regs {
        exceptions: crate::regs::Exceptions::default(),
        v: vec![Chunk::ZERO; (1024 + 256) * chunks].into(),
        s: vec![0; 256].into(),
        chunks,
        scratch: 0,
        vgprs: 1024,
        agprs: 256,
        scc: false,
        full: true,
        usual: Usual::No,
        mode: Mode {
            raw: 0,
            round_f32: 0,
            round_f16_f64: 0,
            denorm_in_f32: keep,
            denorm_out_f32: keep,
            denorm_in_f16_f64: keep,
            denorm_out_f16_f64: keep,
            dx10_clamp: true,
            ieee: false,
            fp16_ovfl: false,
        },
        pc: 0,
    }
}

/// Binds for each level.
fn bind_all(machine: Machine, inst: &Inst, msb: u8) -> Result<Vec<Op>, BindError> {
    let chunks = machine.lanes() as usize / 16;
    let mut constants = Constants::default();
    let layout = Layout { chunks, vgprs: 1024, agprs: 256 };
    let mut binder = Binder::new(machine, layout, VgprMsb(msb), inst, 0, &mut constants);
    let Some(Definition::Matrix(row)) = meaning::definition(binder.meaning()) else {
        return Err(BindError::Unsupported(inst.mnemonic(machine).to_owned()));
    };
    levels().into_iter().map(|level| bind_at(&mut binder, row, level)).collect()
}

/// Runs an instruction at every level from the same registers; the levels must agree. The registers afterwards.
fn run_inst(machine: Machine, inst: &Inst, text: &str, before: &Regs, msb: u8) -> Regs {
    let ops = bind_all(machine, inst, msb).unwrap_or_else(|error| panic!("{text}: {error}"));
    let mut result: Option<Regs> = None;
    assert!(!ops.is_empty(), "{text}: not a matrix instruction");
    for op in ops {
        assert!(matches!(op.detail.as_deref(), Some(Detail::Matrix(_))));
        let mut regs = Regs { v: before.v.clone(), s: before.s.clone(), ..*before };
        // SAFETY: the level is one of the host's.
        unsafe { (op.body)(&mut regs, &op) };
        if let Some(first) = &result {
            assert!(first.v == regs.v, "{text}: levels differ");
        } else {
            result = Some(regs);
        }
    }
    result.unwrap_or_else(|| panic!("{text}: no level"))
}

fn run_with(machine: Machine, text: &str, before: &Regs, msb: u8) -> Regs {
    run_inst(machine, &inst(machine, text), text, before, msb)
}

fn run(machine: Machine, text: &str, before: &Regs) -> Regs {
    run_with(machine, text, before, 0)
}

/// Reads `bits` of a lane's items as one number.
fn read(regs: &Regs, register: usize, lane: usize, item: usize, bits: usize) -> u64 {
    let word = |n: usize| u64::from(regs.lane((register + n) * regs.chunks, lane as u32));
    let (first, shift) = (item * bits / 32, item * bits % 32);
    let both = word(first) | if shift + bits > 32 { word(first + 1) << 32 } else { 0 };
    both >> shift & (u64::MAX >> (64 - bits))
}

/// Writes `bits` of a lane's items.
fn write(regs: &mut Regs, register: usize, lane: usize, item: usize, bits: usize, value: u64) {
    for n in 0..bits {
        let bit = item * bits + n;
        let row = (register + bit / 32) * regs.chunks;
        let old = regs.lane(row, lane as u32);
        let mask = 1 << (bit % 32);
        let new = if value >> n & 1 != 0 { old | mask } else { old & !mask };
        regs.set_lane(row, lane as u32, new);
    }
}

/// The number that an element's bits stand for.
fn value(element: Element, bits: u64) -> f64 {
    use wavemark_numerics::{bf16, f16, fp8, mx};
    match element {
        Element::F64 => f64::from_bits(bits),
        Element::F32 => f64::from(f32::from_bits(bits as u32)),
        Element::Xf32 => {
            let number = f64::from(f32::from_bits(bits as u32));
            if number == 0.0 || !number.is_finite() {
                return number;
            }
            let unit = 2f64.powi(number.abs().log2().floor() as i32 - 10);
            (number / unit).round_ties_even() * unit
        }
        Element::F16 => f64::from(f16::to_f32(bits as u16)),
        Element::Bf16 => f64::from(bf16::to_f32(bits as u16)),
        Element::E4m3 => f64::from(fp8::e4m3_to_f32(bits as u8)),
        Element::E5m2 => f64::from(fp8::e5m2_to_f32(bits as u8)),
        Element::E4m3Fnuz => f64::from(fp8::e4m3fnuz_to_f32(bits as u8)),
        Element::E5m2Fnuz => f64::from(fp8::e5m2fnuz_to_f32(bits as u8)),
        Element::E2m3 => f64::from(mx::e2m3_to_f32(bits as u8)),
        Element::E3m2 => f64::from(mx::e3m2_to_f32(bits as u8)),
        Element::E2m1 => f64::from(mx::e2m1_to_f32(bits as u8)),
        Element::I8 => f64::from(bits as u8 as i8),
        Element::U8 => bits as f64,
        Element::I4 => f64::from((bits as i8) << 4 >> 4),
        Element::U4 => bits as f64,
    }
}

/// `v7` or `v[4:7]`.
fn vector(file: char, first: usize, count: usize) -> String {
    if count == 1 { format!("{file}{first}") } else { format!("{file}[{first}:{}]", first + count - 1) }
}
