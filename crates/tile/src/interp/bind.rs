//! Arguments: what parameters make of them, and what comes back.

use std::sync::Arc;

use super::Argument;
use super::code::{BufferParameter, Match, Parameter};
use super::machine::{BufferRef, Frame, Machine};
use super::memory::Layout;
use super::number;
use crate::dtype::Element;

/// Arguments that do not fit the parameters.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum BindError {
    #[error("the function has {expected} parameters and is given {found} arguments")]
    Count { expected: usize, found: usize },
    #[error("parameter `{name}` is a buffer and is given a number")]
    NotABuffer { name: String },
    #[error("parameter `{name}` is a number and is given a buffer")]
    NotANumber { name: String },
    #[error("parameter `{name}` is of type {expected} and is given {found}")]
    Type { name: String, expected: Element, found: Element },
    #[error("parameter `{name}` has {expected} dimensions and is given {found}")]
    Rank { name: String, expected: usize, found: usize },
    #[error("parameter `{name}` has the extent {expected} in dimension {dimension} and is given {found}")]
    Extent { name: String, dimension: usize, expected: i64, found: u64 },
    #[error("parameter `{name}` needs {expected} bytes for its shape and is given {found}")]
    Size { name: String, expected: u64, found: usize },
    #[error("parameter `{name}` is too large, or its shape or strides cannot be computed")]
    Layout { name: String },
}

impl BindError {
    /// The parameter that it is about.
    pub fn parameter(&self) -> Option<&str> {
        match self {
            BindError::Count { .. } => None,
            BindError::NotABuffer { name }
            | BindError::NotANumber { name }
            | BindError::Type { name, .. }
            | BindError::Rank { name, .. }
            | BindError::Extent { name, .. }
            | BindError::Size { name, .. }
            | BindError::Layout { name } => Some(name),
        }
    }
}

impl<'p> Machine<'p> {
    /// Makes the arguments the parameters' values.
    pub fn bind(&mut self, args: &[Argument], frame: &mut Frame) -> Result<(), BindError> {
        let code = self.code;
        if args.len() != code.parameters.len() {
            return Err(BindError::Count { expected: code.parameters.len(), found: args.len() });
        }
        for (parameter, argument) in code.parameters.iter().zip(args) {
            if let Parameter::Scalar { name, element, place } = parameter {
                let Argument::Scalar(found, value) = argument else {
                    return Err(BindError::NotANumber { name: name.to_string() });
                };
                same_type(name, *element, *found)?;
                frame.set(0, *place, number::to_register(*element, *value) as i64);
            }
        }
        // First what shapes give names to, then what is computed from it.
        for names in [true, false] {
            for (parameter, argument) in code.parameters.iter().zip(args) {
                if let Parameter::Buffer(parameter) = parameter {
                    self.bind_buffer(parameter, argument, frame, names)?;
                }
            }
        }
        Ok(())
    }

    fn bind_buffer(
        &mut self,
        parameter: &'p BufferParameter,
        argument: &Argument,
        frame: &mut Frame,
        names: bool,
    ) -> Result<(), BindError> {
        let info = &self.code.buffers[parameter.buffer as usize];
        let name = || info.name.to_string();
        let Argument::Buffer { element, shape, data } = argument else {
            return Err(BindError::NotABuffer { name: name() });
        };
        let mut layout = Layout::compact(shape);
        if names {
            same_type(&info.name, info.element, *element)?;
            let (expected, found) = (parameter.shape.len(), shape.len());
            if expected != found {
                return Err(BindError::Rank { name: name(), expected, found });
            }
            let strides = layout.dims.iter().map(|dim| dim.1);
            let values = shape.iter().map(|&extent| extent as i64).chain(strides).chain([0]);
            let compact = parameter.strides.is_empty();
            let places = parameter.shape.iter().map(Some);
            let places =
                places.chain((0..expected).map(|dim| parameter.strides.get(dim).filter(|_| !compact)));
            for (matched, value) in places.chain([parameter.offset.as_ref()]).zip(values) {
                if let Some(Match::Bind(place)) = matched {
                    frame.set(0, *place, value);
                }
            }
            return Ok(());
        }
        let unknown = || BindError::Layout { name: name() };
        for (dimension, (matched, &found)) in parameter.shape.iter().zip(shape).enumerate() {
            if let Match::Equal(expected) = matched {
                let expected = self.int(expected, frame.env(0)).map_err(|_| unknown())?;
                if u64::try_from(expected) != Ok(found) {
                    return Err(BindError::Extent { name: name(), dimension, expected, found });
                }
            }
        }
        for (dim, matched) in parameter.strides.iter().enumerate() {
            if let Match::Equal(stride) = matched {
                layout.dims[dim].1 = self.int(stride, frame.env(0)).map_err(|_| unknown())?;
            }
        }
        let base = match &parameter.offset {
            Some(Match::Equal(offset)) => self.int(offset, frame.env(0)).map_err(|_| unknown())?,
            _ => 0,
        };
        let elements = shape.iter().try_fold(1u64, |all, &extent| all.checked_mul(extent));
        let expected = elements.and_then(|elements| element.buffer_bytes(elements)).ok_or_else(unknown)?;
        if data.len() as u64 != expected {
            return Err(BindError::Size { name: name(), expected, found: data.len() });
        }
        let span = layout.span().ok_or_else(unknown)?;
        let span = u64::try_from(base).ok().and_then(|base| span.checked_add(base)).ok_or_else(unknown)?;
        let places = logical(&layout, base as u64);
        let id = self.memory.layout(layout, u32::MAX);
        let instance = self.memory.create(parameter.buffer, info.element, id, span, 1).ok_or_else(unknown)?;
        let target = &mut self.memory.instances[instance as usize];
        for cell in &mut target.cells {
            cell.undefined = false;
        }
        for (index, place) in places.enumerate() {
            target.values[place as usize] = number::to_register(*element, element.load(data, index));
        }
        frame.set(0, parameter.slot.base, base);
        frame.buffers[parameter.slot.index as usize] = BufferRef { instance, layout: id };
        Ok(())
    }

    /// Gives the buffers back.
    pub fn write_back(&self, args: &mut [Argument], frame: &Frame) {
        for (parameter, argument) in self.code.parameters.iter().zip(args) {
            let (Parameter::Buffer(parameter), Argument::Buffer { element, data, .. }) =
                (parameter, argument)
            else {
                continue;
            };
            let buffer = frame.buffers[parameter.slot.index as usize];
            let instance = &self.memory.instances[buffer.instance as usize];
            let base = frame.env(0).row[parameter.slot.base as usize] as u64;
            let places = logical(&self.memory.layouts[buffer.layout as usize], base);
            for (index, place) in places.enumerate() {
                element.store(data, index, number::to_code(*element, instance.values[place as usize]));
            }
        }
    }
}

fn same_type(name: &Arc<str>, expected: Element, found: Element) -> Result<(), BindError> {
    if expected == found {
        return Ok(());
    }
    Err(BindError::Type { name: name.to_string(), expected, found })
}

/// Offsets of the elements in row-major order of their indices.
fn logical(layout: &Layout, base: u64) -> impl Iterator<Item = u64> + use<> {
    let dims = layout.dims.clone();
    let mut indices = vec![0u64; dims.len()];
    let mut done = dims.iter().any(|dim| dim.0 == 0);
    std::iter::from_fn(move || {
        if done {
            return None;
        }
        let offset = indices.iter().zip(&dims).map(|(index, dim)| index * dim.1 as u64).sum::<u64>() + base;
        done = true;
        for (index, dim) in indices.iter_mut().zip(&dims).rev() {
            *index += 1;
            if *index < dim.0 {
                done = false;
                break;
            }
            *index = 0;
        }
        Some(offset)
    })
}
