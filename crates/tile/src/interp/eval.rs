//! Expressions: evaluation, and what every read and write of an element goes through.

use smallvec::SmallVec;

use super::code::{Access, Class, Float, Int, SiteId, Value};
use super::finding::{FaultKind, FindingKind};
use super::machine::{Env, Machine, Mode, Run};
use super::number::{self, Function, Trap};

impl<'p> Machine<'p> {
    /// The register of a value.
    #[inline]
    pub fn value(&mut self, value: &'p Value, env: Env<'_>) -> Run<u64> {
        match value {
            Value::Int(value) => self.int(value, env).map(|value| value as u64),
            Value::Float(value) => self.float(value, env).map(f64::to_bits),
        }
    }

    #[cold]
    fn trap(&mut self, trap: Trap, site: SiteId, env: Env<'_>) -> Run<i64> {
        let kind = match trap {
            Trap::DivisionByZero => FaultKind::DivisionByZero,
            Trap::Shift(amount, bits) => FaultKind::Shift { amount, bits: bits.into() },
        };
        self.stop(kind, site, env)
    }

    pub fn int(&mut self, expr: &'p Int, env: Env<'_>) -> Run<i64> {
        Ok(match expr {
            Int::Const(value) => *value,
            Int::Var(place) => env.row[*place as usize],
            Int::Binary(op, width, site, sides) => {
                let left = self.int(&sides[0], env)?;
                let right = self.int(&sides[1], env)?;
                match number::integer(*op, *width, left, right) {
                    Ok(value) => value,
                    Err(trap) => return self.trap(trap, *site, env),
                }
            }
            Int::Compare(op, unsigned, sides) => {
                let left = self.int(&sides[0], env)?;
                let right = self.int(&sides[1], env)?;
                let order = if *unsigned { (left as u64).cmp(&(right as u64)) } else { left.cmp(&right) };
                number::compares(*op, Some(order)).into()
            }
            Int::CompareFloat(op, sides) => {
                let left = self.float(&sides[0], env)?;
                let right = self.float(&sides[1], env)?;
                number::compares(*op, left.partial_cmp(&right)).into()
            }
            Int::And(sides) => (self.int(&sides[0], env)? != 0 && self.int(&sides[1], env)? != 0).into(),
            Int::Or(sides) => (self.int(&sides[0], env)? != 0 || self.int(&sides[1], env)? != 0).into(),
            Int::Not(inner) => (self.int(inner, env)? == 0).into(),
            Int::Select(parts) => {
                let condition = self.int(&parts[0], env)? != 0;
                let then = self.int(&parts[1], env)?;
                let otherwise = self.int(&parts[2], env)?;
                if condition { then } else { otherwise }
            }
            Int::IfThenElse(parts) => {
                let taken = if self.int(&parts[0], env)? != 0 { 1 } else { 2 };
                self.int(&parts[taken], env)?
            }
            Int::Load(access) => self.load(access, env)? as i64,
            Int::Wrap(width, inner) => width.wrap(self.int(inner, env)?),
            Int::NonZero(inner) => (self.int(inner, env)? != 0).into(),
            Int::Truncate(width, inner) => width.truncate(self.float(inner, env)?),
            Int::FloatNonZero(inner) => (self.float(inner, env)? != 0.0).into(),
            Int::Classify(class, inner) => {
                let value = self.float(inner, env)?;
                match class {
                    Class::Nan => value.is_nan(),
                    Class::Infinite => value.is_infinite(),
                    Class::Finite => value.is_finite(),
                }
                .into()
            }
            Int::Abs(width, inner) => width.wrap(self.int(inner, env)?.wrapping_abs()),
            Int::BitNot(width, inner) => width.wrap(!self.int(inner, env)?),
            Int::PopCount(width, inner) => {
                let unsigned = number::Width { signed: false, ..*width };
                unsigned.wrap(self.int(inner, env)?).count_ones().into()
            }
            Int::LeadingZeros(width, inner) => {
                let unsigned = number::Width { signed: false, ..*width };
                let zeros = unsigned.wrap(self.int(inner, env)?).leading_zeros();
                i64::from(zeros) - (64 - i64::from(width.bits))
            }
            Int::Bits(element, width, inner) => {
                width.wrap(number::to_code(*element, self.float(inner, env)?.to_bits()) as i64)
            }
        })
    }

    pub fn float(&mut self, expr: &'p Float, env: Env<'_>) -> Run<f64> {
        Ok(match expr {
            Float::Const(value) => *value,
            Float::Var(place) => f64::from_bits(env.row[*place as usize] as u64),
            Float::Binary(op, format, sides) => {
                let left = self.float(&sides[0], env)?;
                let right = self.float(&sides[1], env)?;
                // The compiler lets only operators pass that floats have.
                number::round(*format, number::float(*op, left, right).unwrap_or(f64::NAN))
            }
            Float::Select(parts) => {
                let condition = self.int(&parts.0, env)? != 0;
                let then = self.float(&parts.1, env)?;
                let otherwise = self.float(&parts.2, env)?;
                if condition { then } else { otherwise }
            }
            Float::IfThenElse(parts) => {
                if self.int(&parts.0, env)? != 0 {
                    self.float(&parts.1, env)?
                } else {
                    self.float(&parts.2, env)?
                }
            }
            Float::Load(access) => f64::from_bits(self.load(access, env)?),
            Float::Round(format, inner) => number::round(*format, self.float(inner, env)?),
            Float::FromInt(format, width, inner) => {
                number::from_integer(*format, *width, self.int(inner, env)?)
            }
            Float::Call(function, format, args) => {
                let value = match function {
                    Function::One(function) => function(self.float(&args[0], env)?),
                    Function::Two(function) => {
                        let first = self.float(&args[0], env)?;
                        function(first, self.float(&args[1], env)?)
                    }
                    Function::Three(function) => {
                        let first = self.float(&args[0], env)?;
                        let second = self.float(&args[1], env)?;
                        function(first, second, self.float(&args[2], env)?)
                    }
                };
                number::round(*format, value)
            }
            Float::FromBits(element, inner) => {
                f64::from_bits(number::to_register(*element, element_code(*element, self.int(inner, env)?)))
            }
        })
    }

    /// The instance and element offset of an access.
    #[inline]
    pub fn locate(&mut self, access: &'p Access, env: Env<'_>, writes: bool) -> Run<(u32, u64)> {
        let buffer = env.buffers[access.slot.index as usize];
        let mut offset = env.row[access.slot.base as usize];
        let mut inside = true;
        for (dim, index) in access.indices.iter().enumerate() {
            let index = self.int(index, env)?;
            let (extent, stride) = self.memory.layouts[buffer.layout as usize].dims[dim];
            inside &= (index as u64) < extent;
            offset = offset.wrapping_add(index.wrapping_mul(stride));
        }
        if !inside {
            return self.out_of_bounds(access, env, writes);
        }
        Ok((buffer.instance, offset as u64))
    }

    #[cold]
    fn out_of_bounds(&mut self, access: &'p Access, env: Env<'_>, writes: bool) -> Run<(u32, u64)> {
        let mut indices = SmallVec::<[i64; 4]>::new();
        for index in &access.indices {
            indices.push(self.int(index, env)?);
        }
        let buffer = env.buffers[access.slot.index as usize];
        let layout = &self.memory.layouts[buffer.layout as usize];
        let shape = layout.dims.iter().map(|dim| dim.0).collect();
        let name = self.code.buffers.get(access.buffer as usize).map_or("?", |info| &*info.name).to_owned();
        let kind = FaultKind::OutOfBounds { buffer: name, indices: indices.into_vec(), shape, writes };
        self.stop(kind, access.site, env)
    }

    #[inline]
    fn load(&mut self, access: &'p Access, env: Env<'_>) -> Run<u64> {
        let (id, element) = self.locate(access, env, false)?;
        let instance = &self.memory.instances[id as usize];
        let Some(&value) = instance.values.get(element as usize) else {
            return self.out_of_bounds(access, env, false).map(|_| 0);
        };
        if self.check {
            let cell = instance.cells[element as usize];
            if self.mode != Mode::Now || cell.writer != 0 || cell.undefined {
                self.check_read(id, element, access.site, env)?;
            }
        }
        Ok(value)
    }

    fn check_read(&mut self, id: u32, element: u64, site: SiteId, env: Env<'_>) -> Run<()> {
        let instance = &self.memory.instances[id as usize];
        let cell = instance.cells[element as usize];
        let own = instance.own;
        let at = Some((id, element));
        match self.mode {
            Mode::Now if cell.writer != 0 => {
                self.report(FindingKind::ReadInFlight, site, env, at, false, Some((cell.writer, true)));
            }
            Mode::Now => self.report(FindingKind::Uninitialized, site, env, at, false, None),
            Mode::Issue if own => {}
            Mode::Issue => {
                if cell.writer == self.issue.member {
                    return Ok(());
                }
                if cell.writer != 0 {
                    self.meet(
                        FindingKind::ReadInFlight,
                        site,
                        env,
                        (id, element),
                        false,
                        (cell.writer, true),
                    );
                } else if cell.undefined {
                    self.report(FindingKind::Uninitialized, site, env, at, false, None);
                }
                self.issue.reads.push((id, element));
            }
            Mode::Land if own && cell.undefined => {
                self.report(FindingKind::Uninitialized, site, env, at, false, None);
            }
            Mode::Land => {}
            Mode::Probe => return self.probe_access(id, element, false, site, env),
        }
        Ok(())
    }

    /// Writes one element, as far as the mode writes.
    #[inline]
    pub fn store(&mut self, access: &'p Access, value: u64, env: Env<'_>) -> Run<()> {
        let (id, element) = self.locate(access, env, true)?;
        let instance = &mut self.memory.instances[id as usize];
        if element as usize >= instance.values.len() {
            return self.out_of_bounds(access, env, true).map(drop);
        }
        match self.mode {
            Mode::Now => {
                instance.values[element as usize] = value;
                let cell = &mut instance.cells[element as usize];
                cell.undefined = false;
                if self.check && (cell.writer != 0 || cell.readers != 0) {
                    self.check_write(id, element, access.site, env);
                }
            }
            Mode::Land => {
                instance.values[element as usize] = value;
                instance.cells[element as usize].undefined = false;
            }
            // What the statement made itself nobody else sees: it may as well be written.
            _ if instance.own => {
                instance.values[element as usize] = value;
                instance.cells[element as usize].undefined = false;
            }
            Mode::Issue => self.issue_write(id, element, access.site, env),
            Mode::Probe => return self.probe_access(id, element, true, access.site, env),
        }
        Ok(())
    }
}

fn element_code(element: crate::dtype::Element, register: i64) -> u64 {
    let unused = 64 - element.bits();
    ((register as u64) << unused) >> unused
}
