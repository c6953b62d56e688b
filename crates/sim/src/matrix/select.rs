//! Binding of matrix instructions.
//!
//! Modifiers follow CDNA4 7.1.6 (CBSZ, ABID, BLGP), 7.2.1 (scales), 7.5 (sparse indices) and CDNA5 7.12 (NEG, OPSEL,
//! CM; scales). What a manual calls undefined or not legal is refused. The reuse hints of gfx1250 mean nothing here.

use std::sync::Arc;

use wavemark_isa::{Inst, Operand, Reg, RegFile};

use super::blocks::Blocks;
use super::double::{Double, DoubleBlocks};
use super::element::Element;
use super::host::{Level, body, level};
use super::layout::{Layout, RowPlace, Side};
use super::plan::{Addend, AddendFrom, Factor, Plan, Scale, ScaleFormat, ScaleFrom, Scales};
use super::run::{Dense, Scaled, Sparse};
#[cfg(target_arch = "x86_64")]
use super::stream;
use super::table::{Accumulator, Family, Kind, MatrixRow, Source};
use crate::binder::{BindError, Binder, ConstType};
use crate::op::{Body, Detail, Op, OpKind};

/// The operation of a matrix instruction, for the host's highest level.
pub fn bind(binder: &mut Binder<'_>, row: &'static MatrixRow) -> Result<Op, BindError> {
    bind_at(binder, row, level())
}

/// The same for a level that the host has.
pub fn bind_at(binder: &mut Binder<'_>, row: &'static MatrixRow, level: Level) -> Result<Op, BindError> {
    let (plan, body) = Binding { binder, row }.plan(level)?;
    Ok(Op {
        // The bodies of streams do.
        goes_on: plan.stream.is_some(),
        detail: Some(Arc::new(Detail::Matrix(Box::new(plan)))),
        ..Op::new(body, OpKind::Alu, binder.inst.size / 4)
    })
}

fn unsupported(mnemonic: &str, what: impl std::fmt::Display) -> BindError {
    BindError::Unsupported(format!("{mnemonic} {what}"))
}

/// An instruction that is being bound.
struct Binding<'a, 'b> {
    binder: &'a Binder<'b>,
    row: &'static MatrixRow,
}

/// What CBSZ, ABID and BLGP do to the lanes of A and B.
struct Lanes {
    a: [u8; 64],
    b: [u8; 64],
}

impl Binding<'_, '_> {
    fn inst(&self) -> &Inst {
        self.binder.inst
    }

    fn unsupported(&self, what: impl std::fmt::Display) -> BindError {
        unsupported(self.inst().row(self.binder.machine).mnemonic, what)
    }

    fn refuse_if(&self, refused: bool, what: impl std::fmt::Display) -> Result<(), BindError> {
        if refused { Err(self.unsupported(what)) } else { Ok(()) }
    }

    fn plan(&self, level: Level) -> Result<(Plan, Body), BindError> {
        let row = self.row;
        let mfma = row.family == Family::Mfma;
        self.modifiers()?;
        let [a_type, b_type] = self.elements()?;
        if (a_type == Element::F64) || row.m == 4 {
            return self.small(a_type, level);
        }
        let chunks = self.binder.layout.chunks;
        let layout = Layout::of(row, [a_type.bits(), b_type.bits()], chunks);
        let lanes = self.lanes()?;
        let negate = |which: u8| {
            let bit = |mask: u8| !mfma && is_float(a_type) && mask >> which & 1 != 0;
            let (lo, hi) = (bit(self.inst().mods.neg), bit(self.inst().mods.neg_hi));
            // A 32-bit element has no high half.
            [lo, if a_type == Element::F32 { lo } else { hi }]
        };
        let a = self.factor(1, a_type, &layout.a, chunk_map(&lanes.a), negate(0))?;
        let b = self.factor(2, b_type, &layout.b, chunk_map(&lanes.b), negate(1))?;
        let high = self.inst().mods.op_sel & 4 != 0;
        let c_rows = layout.rows(row, row.c, high);
        let d_rows = layout.rows(row, row.d, high);
        let sparse = row.kind == Kind::Sparse;
        let d = self.register(0, registers(&d_rows, layout.chunks))?;
        let c = if sparse {
            let at = self.register(0, registers(&c_rows, layout.chunks))?;
            self.addend(AddendFrom::Registers(at))
        } else {
            self.addend(self.addend_from(3, registers(&c_rows, layout.chunks))?)
        };
        let (pairs, index) = if sparse { self.pairs(&layout)? } else { (Vec::new(), 0) };
        let steps = if sparse { Vec::new() } else { layout.steps(row.k as usize) };
        let apart = |at: usize, chunks: usize| {
            at + chunks <= d || d + registers(&d_rows, layout.chunks) * layout.chunks <= at
        };
        let may_interleave = match c.from {
            AddendFrom::Registers(at) => {
                at == d && c_rows == d_rows || apart(at, registers(&c_rows, layout.chunks) * layout.chunks)
            }
            AddendFrom::Constant(_) => true,
        };
        let direct =
            may_interleave && !sparse && !c.abs && !c.neg && [c.element, row.d] == [Accumulator::F32; 2];
        let plan = Plan {
            chunks: layout.chunks,
            a,
            b,
            c,
            d,
            d_type: row.d,
            tiles: layout.tiles,
            steps: steps.into(),
            pairs: pairs.into(),
            index,
            c_rows: c_rows.into(),
            d_rows: d_rows.into(),
            direct,
            stream: None,
            scales: self.scales([a_type, b_type])?,
            flushes_inputs: mfma && a_type == Element::F32,
            clamps_f32: mfma || row.d == Accumulator::Bf16,
            saturates: self.inst().mods.clamp,
            a_lanes: [[0; 64]; 4],
        };
        #[cfg(target_arch = "x86_64")]
        if !sparse && let Some((stream, body)) = stream::bind(&plan, level) {
            return Ok((Plan { stream: Some(stream), ..plan }, body));
        }
        let body = match row.kind {
            Kind::Dense => body::<Dense>(level),
            Kind::Sparse => body::<Sparse>(level),
            Kind::Scaled32 | Kind::Scaled16 => body::<Scaled>(level),
        };
        Ok((plan, body))
    }

    /// Products of 4 rows, and of binary64.
    fn small(&self, element: Element, level: Level) -> Result<(Plan, Body), BindError> {
        let row = self.row;
        let double = element == Element::F64;
        let neg = if double { self.inst().mods.neg } else { 0 };
        let lanes = if double { Lanes { a: identity(), b: identity() } } else { self.lanes()? };
        let side = Side {
            items: if double { 1 } else { row.k as usize },
            groups: 1,
            run: 1,
            per_lane: 1,
            group_stride: 0,
            tile_stride: 0,
            block_stride: 0,
        };
        // Items of D (and C) of two registers or of one.
        let d_registers = match (double, row.m) {
            (true, 16) => 8,
            (true, _) => 2,
            (false, _) => 4,
        };
        let rows: Vec<RowPlace> = (0..16).map(|chunk| RowPlace { chunk, high: false }).collect();
        let plan = Plan {
            chunks: 4,
            a: self.factor(1, element, &side, [0, 1, 2, 3], [neg & 1 != 0; 2])?,
            b: self.factor(2, element, &side, chunk_map(&lanes.b), [neg & 2 != 0; 2])?,
            c: Addend { neg: neg & 4 != 0, ..self.addend(self.addend_from(3, d_registers)?) },
            d: self.register(0, d_registers)?,
            d_type: row.d,
            tiles: [row.blocks as usize, 1, 1],
            steps: Box::default(),
            pairs: Box::default(),
            index: 0,
            c_rows: rows.clone().into(),
            d_rows: rows.into(),
            direct: false,
            stream: None,
            scales: None,
            flushes_inputs: element == Element::F32,
            clamps_f32: true,
            saturates: false,
            a_lanes: [0, 1, 2, 3].map(|row| std::array::from_fn(|lane| lanes.a[lane & !3 | row])),
        };
        let body = match (double, row.m) {
            #[cfg(target_arch = "x86_64")]
            (true, 16) if level == Level::Avx512 => super::double::avx512::product,
            (true, 16) => body::<Double>(level),
            (true, _) => body::<DoubleBlocks>(level),
            (false, _) => body::<Blocks>(level),
        };
        Ok((plan, body))
    }

    /// Refuses what has no meaning for the instruction.
    fn modifiers(&self) -> Result<(), BindError> {
        let mods = &self.inst().mods;
        if self.row.family == Family::Mfma {
            let double = self.row.a == Source::Is(Element::F64);
            self.refuse_if(mods.neg != 0 && !double, "neg")?;
            self.refuse_if(mods.neg_hi != 0, "neg_hi")?;
            self.refuse_if(mods.clamp, "clamp")?;
            return Ok(());
        }
        let halves = matches!(self.row.a, Source::Is(Element::F16 | Element::Bf16));
        let single = matches!(self.row.a, Source::Is(Element::F32));
        let integer = matches!(self.row.a, Source::Iu(_));
        self.refuse_if(mods.neg & 3 != 0 && !(halves || single || integer), "neg_lo of A or B")?;
        self.refuse_if(mods.neg_hi & 3 != 0 && !halves, "neg_hi of A or B")?;
        let no_addend = integer || self.row.kind == Kind::Sparse;
        self.refuse_if((mods.neg | mods.neg_hi) & 4 != 0 && no_addend, "neg_lo or neg_hi of C")?;
        self.refuse_if(mods.clamp && !integer, "clamp")
    }

    /// The element types of A and B.
    fn elements(&self) -> Result<[Element; 2], BindError> {
        let mods = &self.inst().mods;
        let of = |source: Source, format: u8, signed: bool, name: &str| match source {
            Source::Is(element) => Ok(element),
            Source::Iu(4) => Ok(if signed { Element::I4 } else { Element::U4 }),
            Source::Iu(_) => Ok(if signed { Element::I8 } else { Element::U8 }),
            Source::Chosen => Element::of_format(format)
                .ok_or_else(|| self.unsupported(format_args!("{name} {format}, a reserved data format"))),
        };
        let names =
            if self.row.family == Family::Mfma { ["cbsz", "blgp"] } else { ["matrix_a_fmt", "matrix_b_fmt"] };
        Ok([
            of(self.row.a, mods.cbsz, mods.neg & 1 != 0, names[0])?,
            of(self.row.b, mods.blgp, mods.neg & 2 != 0, names[1])?,
        ])
    }

    /// CBSZ, ABID and BLGP where they permute lanes (CDNA4 7.1.6).
    fn lanes(&self) -> Result<Lanes, BindError> {
        let mods = &self.inst().mods;
        let dense = self.row.kind == Kind::Dense && self.row.a != Source::Chosen;
        if self.row.family != Family::Mfma || !dense {
            return Ok(Lanes { a: identity(), b: identity() });
        }
        let (cbsz, abid, blgp) = (mods.cbsz, mods.abid, mods.blgp);
        let sources = 1 << cbsz;
        self.refuse_if(sources > self.row.blocks, format_args!("cbsz:{cbsz}, more than it has blocks"))?;
        self.refuse_if(u16::from(abid) >= sources, format_args!("abid:{abid} with cbsz:{cbsz}"))?;
        self.refuse_if(blgp == 7, "blgp:7")?;
        let size = 64 / sources as u8;
        Ok(Lanes {
            a: identity().map(|lane| lane % size + size * abid),
            b: identity().map(|lane| match blgp {
                0 => lane,
                1 => lane % 32,
                2 => lane % 32 + 32,
                3 => (lane + 16) % 64,
                _ => lane % 16 + 16 * (blgp - 4),
            }),
        })
    }

    /// Chunk of the `registers` registers of operand `index`, whatever the row says that it has.
    fn register(&self, index: usize, registers: usize) -> Result<usize, BindError> {
        match self.inst().operands.get(index) {
            Some(Operand::Reg(reg)) if matches!(reg.file, RegFile::Vgpr | RegFile::Agpr) => {
                let reg = Reg { dwords: registers as u8, ..*reg };
                Ok(self.binder.vector_at(reg, self.binder.bank(index))? as usize)
            }
            other => Err(self.unsupported(format_args!("with {other:?} as operand {index}"))),
        }
    }

    fn factor(
        &self,
        index: usize,
        element: Element,
        side: &Side,
        from: [u8; 4],
        negate: [bool; 2],
    ) -> Result<Factor, BindError> {
        let registers = (side.items * element.bits()).div_ceil(32);
        Ok(Factor {
            at: self.register(index, registers)?,
            element,
            items: side.items,
            chunks: if self.row.family == Family::WmmaTwice { 1 } else { self.binder.layout.chunks },
            from,
            negate,
            tile_stride: side.tile_stride,
            block_stride: side.block_stride,
        })
    }

    fn addend_from(&self, index: usize, registers: usize) -> Result<AddendFrom, BindError> {
        let Some(operand) = self.inst().operands.get(index) else {
            return Err(self.unsupported("without C"));
        };
        let ty = match self.row.c {
            Accumulator::F16 => ConstType { bits: 16, bf16: false, float: true },
            Accumulator::Bf16 => ConstType { bits: 16, bf16: true, float: true },
            Accumulator::F32 => ConstType { bits: 32, bf16: false, float: true },
            Accumulator::I32 => ConstType { bits: 32, bf16: false, float: false },
            Accumulator::F64 => ConstType { bits: 64, bf16: false, float: true },
        };
        match operand {
            Operand::Int(_) | Operand::Float(_) => self
                .binder
                .constant_bits(operand, ty)
                .map(AddendFrom::Constant)
                .ok_or_else(|| self.unsupported(format_args!("with {operand:?} as C"))),
            _ => self.register(index, registers).map(AddendFrom::Registers),
        }
    }

    /// C with {NEG_HI[2], NEG[2]} as absolute value and negation (CDNA5 7.12).
    fn addend(&self, from: AddendFrom) -> Addend {
        let modified = self.row.family != Family::Mfma;
        let bit = |mask: u8| modified && mask & 4 != 0;
        let mods = &self.inst().mods;
        Addend { from, element: self.row.c, abs: bit(mods.neg_hi), neg: bit(mods.neg) }
    }

    /// The pairs of a sparse product and the chunk of the index registers. A lane's indices take two bits for each
    /// of its elements of A: where that is less than a register, ABID (if CBSZ is 0) or `index_key` chooses.
    fn pairs(&self, layout: &Layout) -> Result<(Vec<super::layout::Pair>, usize), BindError> {
        let mods = &self.inst().mods;
        let bits = 2 * layout.a.items;
        let sets = (32 / bits).max(1);
        let set = if self.row.family == Family::Mfma {
            if mods.cbsz & 3 == 0 { mods.abid as usize & (sets - 1) } else { 0 }
        } else {
            let key = (mods.matrix >> 10 & 3) as usize;
            self.refuse_if(key >= sets, format_args!("index_key:{key}"))?;
            key
        };
        // Not through ACC_CD, which chooses D alone: the indices are always in VGPRs.
        let index = self.register(3, bits.div_ceil(32))?;
        Ok((layout.pairs(self.row.k as usize, set * bits), index))
    }

    fn scales(&self, elements: [Element; 2]) -> Result<Option<Scales>, BindError> {
        let block = match self.row.kind {
            Kind::Scaled32 => 32,
            Kind::Scaled16 => 16,
            Kind::Dense | Kind::Sparse => return Ok(None),
        };
        let mods = &self.inst().mods;
        if self.row.family == Family::Mfma {
            let byte = |which: u8| (mods.op_sel >> which & 1) | (mods.op_sel_hi >> which & 1) << 1;
            let e8m0 = ScaleFormat::E8m0;
            return Ok(Some(Scales {
                block,
                a: Scale { from: self.mfma_scale(4, byte(0))?, format: e8m0 },
                b: Scale { from: self.mfma_scale(5, byte(1))?, format: e8m0 },
            }));
        }
        let formats = [6, 8].map(|shift| match mods.matrix >> shift & 3 {
            0 => Some(ScaleFormat::E8m0),
            1 => Some(ScaleFormat::E5m3),
            2 => Some(ScaleFormat::E4m3),
            _ => None,
        });
        let [Some(a), Some(b)] = formats else {
            return Err(self.unsupported("with a reserved scale format"));
        };
        self.refuse_if(
            !legal(elements, [a, b]),
            format_args!("with scales {a:?} of {:?} and {b:?} of {:?}", elements[0], elements[1]),
        )?;
        let high = [2, 4].map(|shift| mods.matrix >> shift & 1 != 0);
        self.refuse_if(high[0] && self.row.m == 32, "matrix_a_scale: all lanes hold scales")?;
        let registers = if block == 16 { 2 } else { 1 };
        Ok(Some(Scales {
            block,
            a: Scale { from: self.wmma_scale(4, registers, high[0])?, format: a },
            b: Scale { from: self.wmma_scale(5, registers, high[1])?, format: b },
        }))
    }

    /// A scale operand of gfx950: VGPR or inline constant. Of a floating constant the exponent counts (CDNA4 7.2.1);
    /// an integer one is taken like a register, as LLVM does.
    fn mfma_scale(&self, index: usize, byte: u8) -> Result<ScaleFrom, BindError> {
        let ty = ConstType { bits: 32, bf16: false, float: true };
        let operand = self.inst().operands.get(index);
        Ok(match operand {
            Some(Operand::Int(x)) => ScaleFrom::Constant((i32::from(*x) >> (8 * byte)) as u8),
            Some(operand @ Operand::Float(_)) => {
                let bits = self.binder.constant_bits(operand, ty);
                let bits = bits.ok_or_else(|| self.unsupported(format_args!("with scale {operand:?}")))?;
                ScaleFrom::Constant((bits >> 23) as u8)
            }
            _ => ScaleFrom::Lanes { at: self.register(index, 1)?, byte },
        })
    }

    /// A scale operand of gfx1250: VGPRs (whose upper number bits are taken as 0), or a scalar for all, of which
    /// the constant 0 means a scale of one (CDNA5 7.12.6.2).
    fn wmma_scale(&self, index: usize, registers: u8, high: bool) -> Result<ScaleFrom, BindError> {
        let operand = self.inst().operands.get(index);
        match operand {
            Some(Operand::Reg(reg)) if reg.file == RegFile::Vgpr => {
                let at = self.register(index, usize::from(registers))?;
                Ok(ScaleFrom::Bytes { at, half: usize::from(high) })
            }
            Some(Operand::Int(0)) => Ok(ScaleFrom::Constant(0x7f)),
            Some(Operand::Int(x)) => Ok(ScaleFrom::Constant(*x as u8)),
            Some(operand) => match self.binder.scalar_at(operand) {
                Some(at) => Ok(ScaleFrom::Scalar(at as usize)),
                None => Err(self.unsupported(format_args!("with scale {operand:?}"))),
            },
            None => Err(self.unsupported("without scales")),
        }
    }
}

/// Registers that rows take.
fn registers(rows: &[RowPlace], chunks: usize) -> usize {
    rows.iter().map(|place| place.chunk as usize / chunks + 1).max().unwrap_or(0)
}

fn identity() -> [u8; 64] {
    std::array::from_fn(|lane| lane as u8)
}

/// A permutation of lanes in terms of chunks; only meaningful where it moves whole chunks.
fn chunk_map(lanes: &[u8; 64]) -> [u8; 4] {
    [0, 16, 32, 48].map(|lane: usize| lanes[lane] / 16)
}

fn is_float(element: Element) -> bool {
    !matches!(element, Element::I8 | Element::U8 | Element::I4 | Element::U4)
}

/// CDNA5 7.12.6, the table of legal combinations of data and scale types.
fn legal([a, b]: [Element; 2], [a_scale, b_scale]: [ScaleFormat; 2]) -> bool {
    let four = |element| element == Element::E2m1;
    let e8m0 = |format| format == ScaleFormat::E8m0;
    match (e8m0(a_scale), e8m0(b_scale)) {
        (true, true) => true,
        (true, false) => !four(a) && four(b),
        (false, true) => four(a) && !four(b),
        (false, false) => four(a) && four(b) && a_scale == b_scale,
    }
}
