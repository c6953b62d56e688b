//! An output buffer against what is expected of it.
//!
//! An element matches when the numbers are equal, when both are NaN, or when both are finite and
//! `|got - expected| <= atol + rtol * |expected|`. Without tolerances this is exact; zero equals negative zero.
//! Integers are compared in full width, so 64-bit ones too are exact.

use serde::Serialize;

use wavemark_numerics::dtype::{Dtype, Kind};

/// The result of a comparison.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// Elements compared.
    pub elements: u64,
    /// Elements that do not match.
    pub mismatches: u64,
    /// Largest `|got - expected|`; infinite when some element is NaN or infinite on one side only.
    pub max_abs_error: f64,
    /// Largest `|got - expected| / |expected|`, over the elements whose expectation is not zero.
    pub max_rel_error: f64,
    /// The first mismatch in row-major order.
    pub first: Option<Mismatch>,
}

/// An element that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Mismatch {
    /// Its index in each dimension.
    pub index: Vec<u64>,
    /// The number found.
    pub found: String,
    /// The number expected.
    pub expected: String,
}

impl Comparison {
    /// Every element matches.
    pub fn matches(&self) -> bool {
        self.mismatches == 0
    }
}

/// Compares the elements of `shape` in `found` and `expected`, both packed as buffers are.
pub fn compare(
    dtype: Dtype,
    shape: &[u64],
    found: &[u8],
    expected: &[u8],
    rtol: f64,
    atol: f64,
) -> Comparison {
    let elements = shape.iter().copied().fold(1, u64::saturating_mul);
    let mut result =
        Comparison { elements, mismatches: 0, max_abs_error: 0.0, max_rel_error: 0.0, first: None };
    // Equal bytes are equal elements.
    let differing = if found == expected { 0 } else { elements };
    for position in 0..differing {
        let codes = (dtype.load(found, position as usize), dtype.load(expected, position as usize));
        if codes.0 == codes.1 {
            continue;
        }
        let error = absolute_error(dtype, codes.0, codes.1);
        let magnitude = dtype.decode(codes.1).abs();
        result.max_abs_error = result.max_abs_error.max(error);
        if magnitude > 0.0 && error > 0.0 {
            result.max_rel_error = result.max_rel_error.max(error / magnitude);
        }
        if error > 0.0 && !(error.is_finite() && error <= atol + rtol * magnitude) {
            result.mismatches += 1;
            result.first.get_or_insert_with(|| Mismatch {
                index: index_of(position, shape),
                found: dtype.display(codes.0),
                expected: dtype.display(codes.1),
            });
        }
    }
    result
}

/// 0 for equal numbers, infinity where there is no difference to speak of.
fn absolute_error(dtype: Dtype, found: u64, expected: u64) -> f64 {
    if dtype.kind() != Kind::Float {
        let difference = dtype.integer(found) - dtype.integer(expected);
        return difference.unsigned_abs() as f64;
    }
    let (found, expected) = (dtype.decode(found), dtype.decode(expected));
    if found == expected || found.is_nan() && expected.is_nan() {
        0.0
    } else if found.is_finite() && expected.is_finite() {
        (found - expected).abs()
    } else {
        f64::INFINITY
    }
}

fn index_of(position: u64, shape: &[u64]) -> Vec<u64> {
    let mut rest = position;
    let mut index: Vec<u64> = shape
        .iter()
        .rev()
        .map(|&size| {
            let here = rest % size.max(1);
            rest /= size.max(1);
            here
        })
        .collect();
    index.reverse();
    index
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floats(numbers: &[f32]) -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
    }

    fn check(found: &[f32], expected: &[f32], rtol: f64, atol: f64) -> Comparison {
        compare(Dtype::F32, &[found.len() as u64], &floats(found), &floats(expected), rtol, atol)
    }

    #[test]
    fn exact_without_tolerance() {
        let nan = f32::from_bits(0x7fc0_1234);
        assert!(
            check(&[1.0, f32::NAN, 0.0, f32::INFINITY], &[1.0, nan, -0.0, f32::INFINITY], 0.0, 0.0).matches()
        );
        let off = check(&[1.0, 2.0000002, 3.5], &[1.0, 2.0, 3.0], 0.0, 0.0);
        assert_eq!(off.mismatches, 2);
        assert_eq!(off.max_abs_error, 0.5);
        assert_eq!(off.first.unwrap().index, [1]);
    }

    #[test]
    fn tolerances_never_admit_the_infinite() {
        assert!(check(&[1.001], &[1.0], 2e-3, 0.0).matches());
        assert!(!check(&[1.003], &[1.0], 2e-3, 0.0).matches());
        assert!(check(&[1e-4], &[0.0], 0.0, 1e-3).matches());
        for (found, expected) in
            [(f32::NAN, 1.0), (1.0, f32::NAN), (f32::INFINITY, 1.0), (1.0, f32::INFINITY)]
        {
            let result = check(&[found], &[expected], 1e9, 1e9);
            assert!(!result.matches());
            assert_eq!(result.max_abs_error, f64::INFINITY);
        }
    }

    #[test]
    fn integers_in_full_width() {
        let found = (i64::MAX).to_le_bytes();
        let expected = (i64::MAX - 1).to_le_bytes();
        let result = compare(Dtype::I64, &[1], &found, &expected, 0.0, 0.0);
        assert_eq!((result.mismatches, result.max_abs_error), (1, 1.0));
        let result = compare(Dtype::U64, &[], &u64::MAX.to_le_bytes(), &0u64.to_le_bytes(), 0.0, 0.0);
        assert_eq!(result.max_abs_error, u64::MAX as f64);
        assert_eq!(compare(Dtype::I8, &[2, 2], &[1, 2, 3, 4], &[1, 2, 3, 250], 0.0, 10.0).mismatches, 0);
        let first = compare(Dtype::I8, &[2, 2], &[1, 2, 3, 4], &[1, 2, 0, 250], 0.0, 0.0).first.unwrap();
        assert_eq!((first.index, first.found.as_str(), first.expected.as_str()), (vec![1, 0], "3", "0"));
    }
}
