//! The bytes of a launch's buffers, before the run and as expected after it.
//!
//! `random` is a pure function of the seed, the argument's position and the element's index: SplitMix64 (Steele,
//! Lea, Flood, "Fast splittable pseudorandom number generators", 2014) over a counter, one stream an argument.
//! The ranges suit arithmetic rather than cover the type:
//!
//! | type | drawn from |
//! |---|---|
//! | f16 bf16 f32 f64, 8-bit floats | [-1, 1) in steps of 2^-23, rounded to the type |
//! | 4- and 6-bit floats | all codes |
//! | e8m0 | 2^-4 … 2^3 |
//! | i8 u8 i16 u16 | all codes |
//! | i32 i64 / u32 u64 | -1024 … 1023 / 0 … 1023 |
//! | bool | 0, 1 |
//!
//! `iota` counts modulo the type's range in integers, and stops at the largest finite number in floats.

use std::path::Path;

use wavemark_budget::room_for;
use wavemark_diag::{Diagnostic, Span};

use super::{Arg, ArgValue, Buffer, Init, Launch};
use crate::files::read_regular;
use crate::npy;
use wavemark_numerics::dtype::{Dtype, Kind};

/// An argument with its contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filled {
    /// The scalar's bytes, or the buffer's at the start.
    pub bytes: Vec<u8>,
    /// The buffer's at the end, where the launch expects any.
    pub expected: Option<Vec<u8>>,
}

/// Contents of all arguments, in order. `folder` is the launch file's, to which its paths are relative.
pub fn fill(launch: &Launch, folder: &Path, seed: u64) -> Result<Vec<Filled>, Vec<Diagnostic>> {
    let mut diagnostics = Vec::new();
    let mut filled = Vec::new();
    for (position, arg) in launch.args.iter().enumerate() {
        match fill_arg(arg, folder, stream(seed, position as u64)) {
            Ok(contents) => filled.push(contents),
            Err(diagnostic) => diagnostics.push(diagnostic),
        }
    }
    if diagnostics.is_empty() { Ok(filled) } else { Err(diagnostics) }
}

fn fill_arg(arg: &Arg, folder: &Path, stream: u64) -> Result<Filled, Diagnostic> {
    match &arg.value {
        ArgValue::Scalar(code) => {
            let bytes = code.to_le_bytes()[..arg.dtype.scalar_bytes()].to_vec();
            Ok(Filled { bytes, expected: None })
        }
        ArgValue::Buffer(buffer) => {
            let bytes =
                contents(&buffer.init, arg.dtype, buffer, buffer.init_span.or(arg.span), folder, stream)?;
            let expected = match &buffer.expect {
                Some(expect) => {
                    let span = expect.span.or(arg.span);
                    Some(contents(&expect.contents, arg.dtype, buffer, span, folder, stream)?)
                }
                None => None,
            };
            Ok(Filled { bytes, expected })
        }
    }
}

fn contents(
    init: &Init,
    dtype: Dtype,
    buffer: &Buffer,
    span: Option<Span>,
    folder: &Path,
    stream: u64,
) -> Result<Vec<u8>, Diagnostic> {
    let fail = |message: String| match span {
        Some(span) => Diagnostic::error(message).at(span),
        None => Diagnostic::error(message),
    };
    room_for(buffer.bytes).map_err(|no_room| fail(format!("the buffer {no_room}")))?;
    if let Init::File(path) = init {
        let path = folder.join(path);
        // What a launch file may name is bounded by what it says of the buffer, not by where it is.
        let file = read_regular(&path, buffer.bytes.saturating_add(NPY_HEADER_BYTES))
            .map_err(|error| fail(format!("cannot read {}: {error}", path.display())))?;
        return npy::read(dtype, &buffer.shape, &file)
            .map_err(|error| fail(format!("{}: {error}", path.display())));
    }

    let mut bytes = Vec::new();
    let size = usize::try_from(buffer.bytes).unwrap_or(usize::MAX);
    bytes.try_reserve_exact(size).map_err(|_| fail(format!("no memory for a buffer of {size} bytes")))?;
    match init {
        Init::Pattern(pattern) => repeat(&mut bytes, pattern, size),
        _ => bytes.resize(size, 0),
    }
    let code = |index: u64| match init {
        Init::Ones => dtype.encode_saturating(1.0),
        Init::Iota => iota(dtype, index),
        Init::Random => random(dtype, split_mix(stream, index)),
        Init::Values(codes) => codes.get(index as usize).copied().unwrap_or(0),
        Init::Zeros | Init::Pattern(_) | Init::File(_) => 0,
    };
    if !matches!(init, Init::Zeros | Init::Pattern(_)) {
        for index in 0..buffer.elements {
            dtype.store(&mut bytes, index as usize, code(index));
        }
    }
    Ok(bytes)
}

/// Fill `bytes`, which is empty, up to `size` with `pattern`.
fn repeat(bytes: &mut Vec<u8>, pattern: &[u8], size: usize) {
    bytes.extend_from_slice(&pattern[..pattern.len().min(size)]);
    while !bytes.is_empty() && bytes.len() < size {
        bytes.extend_from_within(..bytes.len().min(size - bytes.len()));
    }
}

/// More than the header of a `.npy` file takes.
const NPY_HEADER_BYTES: u64 = 64 << 10;

fn iota(dtype: Dtype, index: u64) -> u64 {
    match dtype.kind() {
        Kind::Float => dtype.encode_saturating(index as f64),
        Kind::Bool => index & 1,
        Kind::Signed | Kind::Unsigned => index,
    }
}

fn random(dtype: Dtype, bits: u64) -> u64 {
    let high = bits >> 40;
    match (dtype, dtype.kind()) {
        (Dtype::E8M0, _) => 123 + high % 8,
        (_, Kind::Bool) => high & 1,
        (_, Kind::Float) if dtype.is_packed() => high,
        (_, Kind::Float) => dtype.encode_saturating(high as f64 / f64::from(1 << 23) - 1.0),
        (_, _) if dtype.bits() <= 16 => high,
        (_, Kind::Signed) => (high % 2048).wrapping_sub(1024),
        (_, _) => high % 1024,
    }
}

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The state that argument `position` counts from.
fn stream(seed: u64, position: u64) -> u64 {
    split_mix(split_mix(0, seed), position)
}

/// Number `index` of the SplitMix64 sequence of `state`.
pub(crate) fn split_mix(state: u64, index: u64) -> u64 {
    let mut z = state.wrapping_add(index.wrapping_add(1).wrapping_mul(GOLDEN));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn split_mix_is_the_published_sequence() {
        // The first outputs of the reference implementation for seed 1234567.
        let expected = [6457827717110365317u64, 3203168211198807973, 9817491932198370423];
        assert_eq!([0, 1, 2].map(|index| split_mix(1234567, index)), expected);
    }

    #[test]
    fn random_stays_in_its_range() {
        for dtype in Dtype::ALL {
            for index in 0..2000 {
                let code = random(dtype, split_mix(7, index));
                let mut bytes = [0; 8];
                dtype.store(&mut bytes, 0, code);
                let number = dtype.decode(dtype.load(&bytes, 0));
                assert!(number.is_finite(), "{dtype}");
                match dtype {
                    Dtype::F32 | Dtype::F16 | Dtype::F8E4M3 => assert!((-1.0..=1.0).contains(&number)),
                    Dtype::I32 | Dtype::I64 => assert!((-1024.0..1024.0).contains(&number)),
                    Dtype::E8M0 => assert!((1.0 / 16.0..=8.0).contains(&number)),
                    _ => {}
                }
            }
        }
    }
}
