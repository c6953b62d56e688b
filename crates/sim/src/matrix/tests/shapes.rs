//! Every row of the tables, with numbers whose sums are exact, in every combination of formats.

use wavemark_isa::Table;
use wavemark_target::Machine;

use super::{A, B, C, D, INDEX, Random, SCALE_A, SCALE_B, place, read, registers, run, value, vector, write};
use crate::matrix::element::Element;
use crate::matrix::table::{Accumulator, FAMILIES, Family, Kind, MatrixRow, Source};
use crate::modelled::machines::ALL;
use crate::regs::Regs;

/// A row with the element types chosen.
#[derive(Clone, Copy)]
pub struct Case {
    pub machine: Machine,
    /// The row's name on it.
    pub mnemonic: &'static str,
    pub row: &'static MatrixRow,
    pub a: Element,
    pub b: Element,
}

fn formats(source: Source) -> Vec<Element> {
    match source {
        Source::Is(element) => vec![element],
        Source::Iu(4) => vec![Element::U4, Element::I4],
        Source::Iu(_) => vec![Element::U8, Element::I8],
        Source::Chosen => (0..5).filter_map(Element::of_format).collect(),
    }
}

/// The machines that have a row, each with its name there: of those with MFMA the newest alone.
fn machines(row: &MatrixRow) -> Vec<(Machine, &'static str)> {
    let mut found = Vec::new();
    for machine in ALL.into_iter().rev() {
        let known = row.family == Family::Mfma && !found.is_empty();
        if let Some(named) = Table::of(machine).rows().find(|named| named.meaning == row.key)
            && !known
        {
            found.push((machine, named.mnemonic));
        }
    }
    found
}

pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for row in FAMILIES.iter().copied().flatten() {
        let machines = machines(row);
        assert!(!machines.is_empty(), "no machine has {:?}", row.key);
        for (machine, mnemonic) in machines {
            for a in formats(row.a) {
                for b in formats(row.b) {
                    cases.push(Case { machine, mnemonic, row, a, b });
                }
            }
        }
    }
    cases
}

pub fn accumulator_bits(element: Accumulator) -> usize {
    match element {
        Accumulator::F32 | Accumulator::I32 => 32,
        Accumulator::F16 | Accumulator::Bf16 => 16,
        Accumulator::F64 => 64,
    }
}

pub fn accumulator_value(element: Accumulator, bits: u64) -> f64 {
    match element {
        Accumulator::F32 => value(Element::F32, bits),
        Accumulator::F16 => value(Element::F16, bits),
        Accumulator::Bf16 => value(Element::Bf16, bits),
        Accumulator::F64 => value(Element::F64, bits),
        Accumulator::I32 => f64::from(bits as u32 as i32),
    }
}

impl Case {
    pub fn lanes(&self) -> usize {
        self.machine.lanes() as usize
    }

    pub fn sparse(&self) -> bool {
        self.row.kind == Kind::Sparse
    }

    /// Registers of A, B, C, D.
    pub fn counts(&self) -> [usize; 4] {
        let row = self.row;
        let [m, n, k, blocks] = [row.m, row.n, row.k, row.blocks].map(usize::from);
        let of = |elements: usize, bits: usize| (elements * blocks * bits / 32).div_ceil(self.lanes());
        let stored = if self.sparse() { k / 2 } else { k };
        if row.family == Family::WmmaTwice {
            let sums = m * n / self.lanes();
            return [k * self.a.bits() / 32, k * self.b.bits() / 32, sums, sums];
        }
        [
            of(m * stored, self.a.bits()),
            of(n * k, self.b.bits()),
            of(m * n, accumulator_bits(row.c)),
            of(m * n, accumulator_bits(row.d)),
        ]
    }

    /// Two bits for each stored element of A of a lane.
    pub fn index_bits(&self) -> usize {
        let bits = self.row.m as usize * self.row.k as usize;
        // An A that takes less than a register of 64 lanes is in the lower ones.
        let lower = bits * self.a.bits() / 2 < 32 * self.lanes();
        bits / if lower { 32 } else { self.lanes() }
    }

    /// The instruction with C in registers or as written.
    pub fn text(&self, c: Option<&str>) -> String {
        let [a, b, c_count, d] = self.counts();
        // The text has room for C where D takes less.
        let d = if self.sparse() { c_count } else { d };
        let mut text = format!(
            "{} {}, {}, {}, ",
            self.mnemonic,
            vector('v', D, d),
            vector('v', A, a),
            vector('v', B, b)
        );
        if self.sparse() {
            text += &vector('v', INDEX, self.index_bits().div_ceil(32));
        } else {
            text += c.map_or_else(|| vector('v', C, c_count), str::to_owned).as_str();
        }
        match self.row.kind {
            Kind::Scaled32 => text += &format!(", v{SCALE_A}, v{SCALE_B}"),
            Kind::Scaled16 => {
                text += &format!(", {}, {}", vector('v', SCALE_A, 2), vector('v', SCALE_B, 2));
            }
            Kind::Dense | Kind::Sparse => {}
        }
        let number = |element| (0..5).position(|n| Element::of_format(n) == Some(element));
        if self.row.a == Source::Chosen {
            let (a, b) = (number(self.a).unwrap_or(0), number(self.b).unwrap_or(0));
            let names = ["FP8", "BF8", "FP6", "BF6", "FP4"];
            text += &if self.row.family == Family::Mfma {
                format!(" cbsz:{a} blgp:{b}")
            } else {
                format!(" matrix_a_fmt:MATRIX_FMT_{} matrix_b_fmt:MATRIX_FMT_{}", names[a], names[b])
            };
        }
        let signed = |element| u8::from(matches!(element, Element::I8 | Element::I4));
        if matches!(self.row.a, Source::Iu(_)) {
            text += &format!(" neg_lo:[{},{},0]", signed(self.a), signed(self.b));
        }
        text
    }

    /// A\[block, i, k\]; `None` if it is not stored.
    pub fn a(&self, regs: &Regs, block: usize, i: usize, k: usize, first_bit: usize) -> Option<f64> {
        let (item, lane) = place::factor(self.machine, self.row, false, self.a.bits(), block, i, k);
        let stored = |item| value(self.a, read(regs, A, lane, item, self.a.bits()));
        if !self.sparse() {
            return Some(stored(item));
        }
        let index = |item| read(regs, INDEX, lane, first_bit / 2 + item, 2);
        match (k % 4) as u64 {
            n if n == index(item) => Some(stored(item)),
            n if n == index(item + 1) => Some(stored(item + 1)),
            _ => None,
        }
    }

    /// B\[block, k, j\].
    pub fn b(&self, regs: &Regs, block: usize, k: usize, j: usize) -> f64 {
        let (item, lane) = place::factor(self.machine, self.row, true, self.b.bits(), block, j, k);
        value(self.b, read(regs, B, lane, item, self.b.bits()))
    }

    /// C\[block, i, j\] where C is in registers.
    pub fn c(&self, regs: &Regs, block: usize, i: usize, j: usize) -> f64 {
        let bits = accumulator_bits(self.row.c);
        let (item, lane) = place::sum(self.machine, self.row, bits, block, i, j);
        let at = if self.sparse() { D } else { C };
        accumulator_value(self.row.c, read(regs, at, lane, item, bits))
    }

    /// D\[block, i, j\].
    pub fn d(&self, regs: &Regs, block: usize, i: usize, j: usize) -> f64 {
        let bits = accumulator_bits(self.row.d);
        let (item, lane) = place::sum(self.machine, self.row, bits, block, i, j);
        accumulator_value(self.row.d, read(regs, D, lane, item, bits))
    }

    /// The E8M0 scale of element k of row (column) i.
    pub fn scale(&self, regs: &Regs, is_b: bool, i: usize, k: usize) -> f64 {
        let size = match self.row.kind {
            Kind::Scaled32 => 32,
            Kind::Scaled16 => 16,
            Kind::Dense | Kind::Sparse => return 1.0,
        };
        let (at, rows) = if is_b { (SCALE_B, self.row.n) } else { (SCALE_A, self.row.m) };
        let (lane, item) =
            if self.row.family == Family::Mfma { (i + rows as usize * (k / size), 0) } else { (i, k / size) };
        2f64.powi(read(regs, at, lane, item, 8) as i32 - 127)
    }

    /// Fills all operands with elements that `draw` draws, legal indices, and scales around one.
    pub fn fill(&self, random: &mut Random, draw: Draw) -> Regs {
        let mut regs = registers(self.machine);
        let row = self.row;
        let counts = self.counts();
        for lane in 0..self.lanes() {
            let mut elements = |at, count: usize, bits: usize, decode: &dyn Fn(u64) -> f64| {
                for item in 0..count * 32 / bits {
                    let code = draw(random, bits, decode);
                    write(&mut regs, at, lane, item, bits, code);
                }
            };
            elements(A, counts[0], self.a.bits(), &|x| value(self.a, x));
            elements(B, counts[1], self.b.bits(), &|x| value(self.b, x));
            let at = if self.sparse() { D } else { C };
            elements(at, counts[2], accumulator_bits(row.c), &|x| accumulator_value(row.c, x));
            for pair in 0..self.index_bits().div_ceil(4).max(8) {
                let legal = [0x4, 0x8, 0xc, 0x9, 0xd, 0xe][random.next() as usize % 6];
                write(&mut regs, INDEX, lane, pair, 4, legal);
            }
            for item in 0..8 {
                for at in [SCALE_A, SCALE_B] {
                    write(&mut regs, at, lane, item, 8, 126 + random.next() % 3);
                }
            }
        }
        regs
    }
}

/// Draws an element of some bits; the function says what a code's value is.
pub type Draw = fn(&mut Random, usize, &dyn Fn(u64) -> f64) -> u64;

/// Small integers, whose sums of products are exact.
pub fn integers(random: &mut Random, bits: usize, decode: &dyn Fn(u64) -> f64) -> u64 {
    if bits >= 16 {
        let wanted = (random.next() % 9) as i32 - 4;
        return code_of(bits, decode, f64::from(wanted));
    }
    narrow(random, bits, decode, |x| x.fract() == 0.0 && x.abs() <= 4.0)
}

/// Zero and both ones.
pub fn ones(random: &mut Random, bits: usize, decode: &dyn Fn(u64) -> f64) -> u64 {
    loop {
        let code = integers(random, bits, decode);
        if decode(code).abs() <= 1.0 {
            return code;
        }
    }
}

/// Any integer; of a wide format a number below 2^30.
pub fn any_integer(random: &mut Random, bits: usize, _: &dyn Fn(u64) -> f64) -> u64 {
    random.next() >> (64 - bits.min(30))
}

/// Numbers below 8.
pub fn fractions(random: &mut Random, bits: usize, decode: &dyn Fn(u64) -> f64) -> u64 {
    if bits >= 16 {
        let wanted = (random.next() >> 40) as f64 / f64::from(1 << 21) - 4.0;
        return code_of(bits, decode, wanted);
    }
    narrow(random, bits, decode, |x| x.abs() <= 8.0)
}

/// The same with infinities, NaNs, zeros and denormals among them.
pub fn specials(random: &mut Random, bits: usize, decode: &dyn Fn(u64) -> f64) -> u64 {
    let special = random.next().is_multiple_of(64);
    if bits >= 16 {
        let special = match random.next() % 5 {
            _ if !special => return fractions(random, bits, decode),
            0 => return 1,
            1 => -0.0,
            2 => f64::INFINITY,
            3 => f64::NEG_INFINITY,
            _ => f64::NAN,
        };
        return code_of(bits, decode, special);
    }
    narrow(random, bits, decode, |x| x.abs() <= 8.0 || special)
}

/// A code whose value is accepted.
fn narrow(
    random: &mut Random,
    bits: usize,
    decode: &dyn Fn(u64) -> f64,
    accept: impl Fn(f64) -> bool,
) -> u64 {
    loop {
        let code = random.next() >> (64 - bits);
        if accept(decode(code)) {
            return code;
        }
    }
}

/// The code of a number in a wide format, found by trying the formats of that width.
fn code_of(bits: usize, decode: &dyn Fn(u64) -> f64, wanted: f64) -> u64 {
    let x = wanted as f32;
    let codes = match bits {
        16 => vec![
            u64::from(wavemark_numerics::f16::from_f32(x)),
            u64::from(wavemark_numerics::bf16::from_f32(x)),
        ],
        32 => vec![u64::from(x.to_bits()), u64::from(wanted as i32 as u32)],
        _ => vec![wanted.to_bits()],
    };
    let distance = |code: u64| {
        let value = decode(code);
        if value == wanted || value.is_nan() && wanted.is_nan() { 0.0 } else { (value - wanted).abs() }
    };
    codes.into_iter().min_by(|a, b| distance(*a).total_cmp(&distance(*b))).unwrap_or(0)
}

/// Compares all of D with the plain product.
pub fn compare(
    case: &Case,
    text: &str,
    before: &Regs,
    after: &Regs,
    c: &dyn Fn(usize, usize, usize) -> f64,
    first_bit: usize,
    same: &dyn Fn(f64, f64, f64) -> bool,
) {
    let [m, n, k, blocks] = [case.row.m, case.row.n, case.row.k, case.row.blocks].map(usize::from);
    for block in 0..blocks {
        let a: Vec<Option<f64>> = (0..m * k)
            .map(|at| {
                let a = case.a(before, block, at / k, at % k, first_bit)?;
                Some(a * case.scale(before, false, at / k, at % k))
            })
            .collect();
        let b: Vec<f64> = (0..k * n)
            .map(|at| case.b(before, block, at / n, at % n) * case.scale(before, true, at % n, at / n))
            .collect();
        for i in 0..m {
            for j in 0..n {
                let mut sum = c(block, i, j);
                let mut magnitude = sum.abs();
                for k_at in 0..k {
                    let Some(a) = a[i * k + k_at] else { continue };
                    let product = a * b[k_at * n + j];
                    sum += product;
                    magnitude += product.abs();
                }
                let got = case.d(after, block, i, j);
                assert!(same(got, sum, magnitude), "{text}: D[{block},{i},{j}] is {got}, wanted {sum}");
            }
        }
    }
}

fn exact(got: f64, wanted: f64, _magnitude: f64) -> bool {
    got == wanted
}

#[test]
fn every_shape_multiplies_exactly() {
    let mut random = Random(1);
    for case in cases() {
        let regs = case.fill(&mut random, integers);
        let text = case.text(None);
        let after = run(case.machine, &text, &regs);
        // Sums of 128 products of up to 16 times 4 pass binary16's and bfloat16's exact integers: round those.
        let same = |got: f64, wanted: f64, _: f64| match case.row.d {
            Accumulator::F16 => (got - wanted).abs() <= wanted.abs() / 2048.0,
            Accumulator::Bf16 => (got - wanted).abs() <= wanted.abs() / 256.0,
            _ => got == wanted,
        };
        compare(&case, &text, &regs, &after, &|b, i, j| case.c(&regs, b, i, j), 0, &same);
        // Nothing but D is written.
        let [.., d] = case.counts();
        let chunks = regs.chunks;
        for at in (0..D * chunks).chain((D + d) * chunks..regs.v.len()) {
            assert!(regs.v[at] == after.v[at], "{text}: chunk {at} changed");
        }
    }
}

#[test]
fn integers_of_all_sizes_are_exact() {
    let mut random = Random(2);
    for case in cases().iter().filter(|case| case.row.d == Accumulator::I32) {
        let regs = case.fill(&mut random, any_integer);
        let text = case.text(None);
        let after = run(case.machine, &text, &regs);
        compare(case, &text, &regs, &after, &|b, i, j| case.c(&regs, b, i, j), 0, &exact);
    }
}

#[test]
fn c_may_be_an_inline_constant() {
    let mut random = Random(3);
    for case in cases().iter().filter(|case| !case.sparse()) {
        let regs = case.fill(&mut random, ones);
        let texts: &[(&str, f64)] = match case.row.c {
            Accumulator::I32 => &[("0", 0.0), ("-7", -7.0), ("64", 64.0)],
            _ => &[("0", 0.0), ("1.0", 1.0), ("-4.0", -4.0)],
        };
        for &(constant, c) in texts {
            let text = case.text(Some(constant));
            let after = run(case.machine, &text, &regs);
            compare(case, &text, &regs, &after, &|_, _, _| c, 0, &exact);
        }
    }
}
