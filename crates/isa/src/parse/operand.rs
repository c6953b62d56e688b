//! Operands of the classes that all families share: registers, constants, and where each may stand.

use super::expected::INVALID;
use super::{FixupKind, ParseError, Parser};
use crate::expr::Expr;
use crate::format::Family;
use crate::parse::literal;
use crate::print::{scalar_alignment, special_name};
use crate::role::Class;
use crate::row::{Encoding, OperandSpec};
use crate::{Half, Operand, Reg, RegFile, Special, code};
use wavemark_target::Property;

/// A register as written, before it is known what may stand there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum RegisterText {
    /// A numbered register or tuple.
    Numbered(Reg),
    /// A special register or value.
    Named(Special),
}

/// A constant as written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Constant {
    /// An integer expression with a value.
    Int(i64),
    /// A floating number.
    Float(f64),
    /// An expression that a fixup will evaluate.
    Unknown(Expr),
}

/// What forces a constant to be a literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Force {
    /// Nothing: inline if there is an inline constant.
    None,
    /// `lit(x)`.
    Lit,
    /// `lit64(x)`.
    Lit64,
}

impl Parser<'_> {
    /// An operand of one of the shared classes.
    pub(crate) fn operand(&mut self, encoding: &Encoding, spec: &OperandSpec) -> Result<Operand, ParseError> {
        self.skip_space();
        let start = self.pos;
        if let Class::Imm(kind) = spec.class {
            return super::scalar::immediate(self, kind);
        }
        if let Some(register) = self.register()? {
            return self.place_register(spec, register).ok_or_else(|| self.error_at(start, INVALID));
        }
        if !matches!(spec.class, Class::ScalarSrc | Class::VectorSrc | Class::Literal32 | Class::Literal64) {
            return Err(self.error_at(start, INVALID));
        }
        let (constant, force) = self.constant()?;
        self.place_constant(encoding, spec, constant, force, start)
    }

    /// The operand for a constant that was read at `start`.
    pub(crate) fn place_constant(
        &mut self,
        encoding: &Encoding,
        spec: &OperandSpec,
        constant: Constant,
        force: Force,
        start: usize,
    ) -> Result<Operand, ParseError> {
        let short = encoding.format.dwords == 1;
        let operand = match constant {
            Constant::Unknown(expr) => {
                // A symbol of 64 bits needs a literal of 64 bits, which only SALU instructions take.
                let double = spec.ty.elem_bits == 64;
                if force != Force::None
                    || spec.ty.elem_bits == 16
                    || matches!(spec.class, Class::Literal32 | Class::Literal64)
                    || (double
                        && !(self.machine.facts().literals_64 && encoding.format.family == Family::Scalar))
                {
                    return Err(self.error_at(start, INVALID));
                }
                if !encoding.format.literal {
                    return Err(self.error_at(start, "literal operands are not supported"));
                }
                let wide = double;
                let kind = if wide { FixupKind::Literal64 } else { FixupKind::Literal32 };
                self.fixup(encoding.format.dwords * 4, kind, expr);
                return Ok(if wide { Operand::Literal64(0) } else { Operand::Literal(0) });
            }
            Constant::Int(value) => literal::integer_in(self.machine, spec, value, force, short),
            Constant::Float(value) => literal::float_in(self.machine, spec, value, force, short),
        };
        match operand {
            Ok(Operand::Literal(_) | Operand::Literal64(_)) if !encoding.format.literal => {
                Err(self.error_at(start, "literal operands are not supported"))
            }
            Ok(operand) => Ok(operand),
            Err(message) => Err(self.error_at(start, message)),
        }
    }

    /// Whether a register is next.
    pub(crate) fn at_register(&mut self) -> bool {
        let mark = self.mark();
        let found = matches!(self.register(), Ok(Some(_)) | Err(_));
        self.reset(mark);
        found
    }

    /// A constant, inside `|…|` if so.
    pub(crate) fn constant_within(&mut self, bars: bool) -> Result<(Constant, Force), ParseError> {
        if !bars {
            return self.constant();
        }
        // The closing bar is no operator.
        let full = self.text;
        let end = self.rest().find('|').map_or(full.len(), |length| self.pos + length);
        self.text = full.get(..end).unwrap_or(full);
        let result = self.constant();
        self.text = full;
        // LLVM 22 forgets between bars that a literal was asked for.
        result.map(|(constant, _)| (constant, Force::None))
    }

    /// A constant: `-1`, `0x10`, `2.5`, `lit(7)`, `lit64(x)`, an expression with symbols.
    pub(crate) fn constant(&mut self) -> Result<(Constant, Force), ParseError> {
        let mark = self.mark();
        let word = self.peek_word();
        let force = match word {
            "lit" => Force::Lit,
            "lit64" => Force::Lit64,
            _ => Force::None,
        };
        if force != Force::None {
            self.pos += word.len();
            if self.eat("(") {
                let constant = self.bare_constant()?;
                self.expect(")")?;
                return Ok((constant, force));
            }
            self.reset(mark);
        }
        Ok((self.bare_constant()?, Force::None))
    }

    fn bare_constant(&mut self) -> Result<Constant, ParseError> {
        if let Some(value) = self.float() {
            return Ok(Constant::Float(value));
        }
        self.skip_space();
        let start = self.pos;
        let expr = self.expression()?;
        match expr.evaluate(self.resolve) {
            Some(value) => Ok(Constant::Int(value)),
            None if names_register(&expr) => Err(self.error_at(start, INVALID)),
            None => Ok(Constant::Unknown(expr)),
        }
    }

    /// A floating number with optional sign, if one is next: digits with a point or an exponent.
    fn float(&mut self) -> Option<f64> {
        self.skip_space();
        let rest = self.rest();
        let unsigned = rest.strip_prefix('-').map_or(rest, |tail| tail.trim_start_matches([' ', '\t']));
        let negative = unsigned.len() != rest.len();
        if unsigned.starts_with("0x") || unsigned.starts_with("0X") {
            let (value, length) = hexadecimal_float(unsigned)?;
            self.pos += rest.len() - unsigned.len() + length;
            return Some(if negative { -value } else { value });
        }
        let bytes = unsigned.as_bytes();
        let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
        let mut end = digits(0);
        let mut real = false;
        if bytes.get(end) == Some(&b'.') && (end > 0 || digits(end + 1) > 0) {
            end += 1;
            end += digits(end);
            real = true;
        }
        if end > 0 && matches!(bytes.get(end), Some(b'e' | b'E')) {
            let mut tail = end + 1;
            if matches!(bytes.get(tail), Some(b'+' | b'-')) {
                tail += 1;
            }
            let count = digits(tail.min(bytes.len()));
            if count > 0 {
                end = tail + count;
                real = true;
            }
        }
        if !real {
            return None;
        }
        let value: f64 = unsigned[..end].parse().ok()?;
        self.pos += rest.len() - unsigned.len() + end;
        Some(if negative { -value } else { value })
    }

    /// A register if one is next: `v3`, `s[2:3]`, `[s4,s5]`, `vcc`, `v7.h`.
    ///
    /// # Errors
    /// Text that begins as a register and is none.
    pub(crate) fn register(&mut self) -> Result<Option<RegisterText>, ParseError> {
        self.skip_space();
        if let Some((file, low, count, length)) = plain_register(self.rest()) {
            let start = self.pos;
            let reg = self.numbered(file, low, count, start)?;
            self.pos += length;
            return Ok(Some(RegisterText::Numbered(reg)));
        }
        if self.rest().starts_with('[') {
            return self.register_list().map(Some);
        }
        let start = self.pos;
        let word = self.peek_word();
        if let Some(special) = special_by_name(word) {
            if !code::is_available(self.machine.facts(), special) {
                let name = special_name(special);
                return Err(self.error_at(start, format!("{name} register not available on this GPU")));
            }
            self.pos += word.len();
            return Ok(Some(RegisterText::Named(special)));
        }
        let (stem, half) = match word.rsplit_once('.') {
            Some((stem, "l")) => (stem, Half::Lo),
            Some((stem, "h")) => (stem, Half::Hi),
            _ => (word, Half::Whole),
        };
        let Some((file, digits)) = split_register(stem) else { return Ok(None) };
        if digits.is_empty() {
            let after = &self.rest()[word.len()..];
            if half != Half::Whole || !after.trim_start_matches([' ', '\t']).starts_with('[') {
                return Ok(None);
            }
            self.pos += word.len();
            return self.register_range(file, start).map(Some);
        }
        if !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Ok(None);
        }
        self.pos += word.len();
        let index: u32 = digits.parse().map_err(|_| self.error_at(start, "invalid register index"))?;
        let mut reg = self.numbered(file, index.into(), 1, start)?;
        reg.half = half;
        Ok(Some(RegisterText::Numbered(reg)))
    }

    /// `[lo:hi]` or `[n]` behind a register file's name.
    fn register_range(&mut self, file: RegFile, start: usize) -> Result<RegisterText, ParseError> {
        self.expect("[")?;
        let low = self.absolute()?;
        let high = if self.eat(":") { self.absolute()? } else { low };
        self.expect("]")?;
        if !(0..=0xffff).contains(&low) || !(0..=0xffff).contains(&high) {
            return Err(self.error_at(start, "register index is out of range"));
        }
        if high < low {
            return Err(self.error_at(start, "first register index should not exceed second index"));
        }
        Ok(RegisterText::Numbered(self.numbered(file, low, high - low + 1, start)?))
    }

    /// `[s0,s1,s2,s3]`: consecutive single registers.
    fn register_list(&mut self) -> Result<RegisterText, ParseError> {
        let start = self.pos;
        self.expect("[")?;
        let mut whole: Option<RegisterText> = None;
        loop {
            let at = self.pos;
            self.skip_space();
            if self.rest().starts_with('[') {
                return Err(self.error("expected a register"));
            }
            let Some(next) = self.register()? else { return Err(self.error("expected a register")) };
            whole = Some(match (whole, next) {
                (None, RegisterText::Numbered(first)) if first.dwords > 1 => {
                    return Err(self.error_at(at, "expected a single 32-bit register"));
                }
                (None, first) => first,
                (Some(RegisterText::Numbered(all)), RegisterText::Numbered(one))
                    if one.file == all.file
                        && one.dwords == 1
                        && one.index == all.index + u16::from(all.dwords) =>
                {
                    RegisterText::Numbered(self.numbered(
                        all.file,
                        all.index.into(),
                        i64::from(all.dwords) + 1,
                        start,
                    )?)
                }
                (Some(RegisterText::Named(low)), RegisterText::Named(high)) => match (low, high) {
                    (Special::VccLo, Special::VccHi) => RegisterText::Named(Special::Vcc),
                    (Special::ExecLo, Special::ExecHi) => RegisterText::Named(Special::Exec),
                    (Special::FlatScratchLo, Special::FlatScratchHi) => {
                        RegisterText::Named(Special::FlatScratch)
                    }
                    (Special::XnackMaskLo, Special::XnackMaskHi) => RegisterText::Named(Special::XnackMask),
                    (Special::TbaLo, Special::TbaHi) => RegisterText::Named(Special::Tba),
                    (Special::TmaLo, Special::TmaHi) => RegisterText::Named(Special::Tma),
                    _ => return Err(self.error_at(at, "registers in a list must have consecutive indices")),
                },
                _ => return Err(self.error_at(at, "registers in a list must have consecutive indices")),
            });
            if !self.eat(",") {
                break;
            }
        }
        self.expect("]")?;
        whole.ok_or_else(|| self.error_at(start, "expected a register"))
    }

    fn numbered(&self, file: RegFile, index: i64, count: i64, start: usize) -> Result<Reg, ParseError> {
        if !(0..=0xffff).contains(&index) {
            return Err(self.error_at(start, "register index is out of range"));
        }
        let facts = self.machine.facts();
        let limit = match file {
            RegFile::Sgpr => i64::from(facts.sgprs),
            // A tuple may begin at any number that a field holds; the rest is in the next bank.
            RegFile::Vgpr if facts.vgpr_banks > 1 => 255i64.saturating_add(count),
            RegFile::Vgpr => 256,
            RegFile::Agpr if self.machine.has(Property::AGPRS) => 256,
            RegFile::Agpr => return Err(self.error_at(start, "register not available on this GPU")),
            RegFile::Ttmp => i64::from(facts.ttmps),
        };
        if !matches!(count, 1..=12 | 16 | 32) {
            return Err(self.error_at(start, "invalid or unsupported register size"));
        }
        if index < 0 || index + count > limit {
            let last = limit - 1;
            return Err(self.error_at(start, format!("register index is out of range: the last is {last}")));
        }
        if matches!(file, RegFile::Sgpr | RegFile::Ttmp)
            && index % i64::from(scalar_alignment(count as u8)) != 0
        {
            return Err(self.error_at(start, "invalid register alignment"));
        }
        Ok(Reg::new(file, index as u16, count as u8))
    }

    /// The register as this operand, if its class and width allow it.
    pub(crate) fn place_register(&self, spec: &OperandSpec, register: RegisterText) -> Option<Operand> {
        let dwords = spec.ty.dwords();
        match register {
            RegisterText::Numbered(reg) => {
                if reg.dwords != dwords {
                    return None;
                }
                if reg.half != Half::Whole && spec.ty.bits() != 16 {
                    return None;
                }
                let vector = matches!(reg.file, RegFile::Vgpr | RegFile::Agpr);
                let alignment = u16::from(self.machine.facts().vgpr_tuple_alignment);
                if vector && reg.dwords > 1 && reg.index % alignment != 0 {
                    return None;
                }
                let allowed = match spec.class {
                    Class::ScalarSrc | Class::ScalarReg => !vector,
                    Class::VectorSrc => reg.file != RegFile::Agpr,
                    Class::Vgpr | Class::VgprSrc => reg.file == RegFile::Vgpr,
                    Class::VgprOrAgpr => vector,
                    _ => false,
                };
                allowed.then_some(Operand::Reg(reg))
            }
            RegisterText::Named(special) => {
                let operand = Operand::Special(special);
                let code = code::code_of(self.machine, spec.class, &operand);
                if spec.class == Class::Vcc {
                    return (code::operand_of(self.machine, spec.class, &spec.ty, 0) == Some(operand))
                        .then_some(operand);
                }
                // The name must be the one for an operand of this width.
                let same = code::operand_of(self.machine, spec.class, &spec.ty, code?)? == operand;
                same.then_some(operand)
            }
        }
    }
}

/// What the most common operands are: `v7` or `s[4:7]` in plain decimal numbers at the start of `text`; its file, first
/// index and number of registers, and how long it is.
pub(super) fn plain_register(text: &str) -> Option<(RegFile, i64, i64, usize)> {
    let bytes = text.as_bytes();
    let file = match bytes.first()? {
        b's' => RegFile::Sgpr,
        b'v' => RegFile::Vgpr,
        b'a' => RegFile::Agpr,
        _ => return None,
    };
    // Without a leading 0, which would make an octal number.
    let number = |at: usize| {
        let mut value = 0;
        let mut end = at;
        while let Some(digit @ b'0'..=b'9') = bytes.get(end)
            && end < at + 4
        {
            value = value * 10 + i64::from(digit - b'0');
            end += 1;
        }
        let plain = end > at && (bytes[at] != b'0' || end == at + 1);
        plain.then_some((value, end))
    };
    if bytes.get(1) == Some(&b'[') {
        let (low, end) = number(2)?;
        let (high, end) = number(end + 1).filter(|_| bytes.get(end) == Some(&b':'))?;
        return (bytes.get(end) == Some(&b']') && high >= low).then_some((
            file,
            low,
            high - low + 1,
            end + 1,
        ));
    }
    let (index, end) = number(1)?;
    (!bytes.get(end).copied().is_some_and(super::continues_word)).then_some((file, index, 1, end))
}

fn split_register(word: &str) -> Option<(RegFile, &str)> {
    if let Some(digits) = word.strip_prefix("ttmp") {
        return Some((RegFile::Ttmp, digits));
    }
    if let Some(digits) = word.strip_prefix("acc") {
        return Some((RegFile::Agpr, digits));
    }
    let file = match word.as_bytes().first()? {
        b's' => RegFile::Sgpr,
        b'v' => RegFile::Vgpr,
        b'a' => RegFile::Agpr,
        _ => return None,
    };
    Some((file, &word[1..]))
}

/// Whether a register stands in the expression, as in `-s4`.
fn names_register(expr: &Expr) -> bool {
    match expr {
        Expr::Symbol { name, .. } => {
            let stem = name.strip_suffix(".l").or_else(|| name.strip_suffix(".h")).unwrap_or(name);
            special_by_name(stem).is_some()
                || split_register(stem).is_some_and(|(_, digits)| {
                    !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
                })
        }
        Expr::Unary(_, operand) => names_register(operand),
        Expr::Binary(_, left, right) => names_register(left) || names_register(right),
        Expr::Int(_) | Expr::Call(..) => false,
    }
}

/// A number like `0x1.8p3` at the beginning of `text`, and its length.
fn hexadecimal_float(text: &str) -> Option<(f64, usize)> {
    let digits = |from: usize| {
        text.as_bytes()
            .get(from..)
            .map_or(0, |tail| tail.iter().take_while(|b| b.is_ascii_hexdigit()).count())
    };
    let whole = digits(2);
    let mut end = 2 + whole;
    let mut value = 0f64;
    for digit in text[2..end].chars() {
        value = value * 16.0 + f64::from(digit.to_digit(16)?);
    }
    if text[end..].starts_with('.') {
        let count = digits(end + 1);
        let mut scale = 1.0 / 16.0;
        for digit in text[end + 1..end + 1 + count].chars() {
            value += f64::from(digit.to_digit(16)?) * scale;
            scale /= 16.0;
        }
        end += 1 + count;
    }
    let exponent = text[end..].strip_prefix(['p', 'P'])?;
    let sign = usize::from(exponent.starts_with(['-', '+']));
    let length = sign + exponent[sign..].bytes().take_while(u8::is_ascii_digit).count();
    let power: i32 = exponent[..length].parse().ok()?;
    Some((value * 2f64.powi(power), end + 1 + length))
}

/// The special register called `name`, also by the names without `src_`, whether the machine has it or not.
pub(crate) fn special_by_name(name: &str) -> Option<Special> {
    use Special as S;
    Some(match name {
        "vcc" => S::Vcc,
        "vcc_lo" => S::VccLo,
        "vcc_hi" => S::VccHi,
        "exec" => S::Exec,
        "exec_lo" => S::ExecLo,
        "exec_hi" => S::ExecHi,
        "m0" => S::M0,
        "null" => S::Null,
        "flat_scratch" => S::FlatScratch,
        "flat_scratch_lo" => S::FlatScratchLo,
        "flat_scratch_hi" => S::FlatScratchHi,
        "xnack_mask" => S::XnackMask,
        "xnack_mask_lo" => S::XnackMaskLo,
        "xnack_mask_hi" => S::XnackMaskHi,
        "tba" => S::Tba,
        "tba_lo" => S::TbaLo,
        "tba_hi" => S::TbaHi,
        "tma" => S::Tma,
        "tma_lo" => S::TmaLo,
        "tma_hi" => S::TmaHi,
        "src_scc" | "scc" => S::Scc,
        "src_vccz" | "vccz" => S::Vccz,
        "src_execz" | "execz" => S::Execz,
        "src_shared_base" | "shared_base" => S::SharedBase,
        "src_shared_limit" | "shared_limit" => S::SharedLimit,
        "src_private_base" | "private_base" => S::PrivateBase,
        "src_private_limit" | "private_limit" => S::PrivateLimit,
        "src_pops_exiting_wave_id" | "pops_exiting_wave_id" => S::PopsExitingWaveId,
        "src_lds_direct" | "lds_direct" => S::LdsDirect,
        "src_flat_scratch_base_lo" => S::FlatScratchBaseLo,
        "src_flat_scratch_base_hi" => S::FlatScratchBaseHi,
        _ => return None,
    })
}
