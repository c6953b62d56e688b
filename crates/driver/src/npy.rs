//! `.npy` files as the bytes of a buffer, and back.
//!
//! For: `init = "file:…"`, `expect`, `--out`. The header is read and written by `npyz`; the elements are moved as
//! bytes. Formats that numpy lacks hold their bits: `bf16` as `uint16`, 8-bit floats and `e8m0` as `uint8`, 4- and
//! 6-bit floats packed into `uint8` as the hardware reads them (their file shape is free as long as the bytes
//! agree, since the launch file's shape counts elements). The `V1`/`V2` that Python's `ml_dtypes` writes is taken
//! too. Big-endian and Fortran-order files are brought into order.

use npyz::{DType, Endianness, NpyHeader, Order, TypeChar, TypeStr, WriterBuilder};
use thiserror::Error;

use wavemark_numerics::dtype::Dtype;

/// Longest header we read; numpy's own reader stops at 10,000 characters by default.
const MAX_HEADER: usize = 10_000;

/// Why a file does not give the buffer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NpyError {
    /// No `.npy` file, or a damaged one.
    #[error("not a usable .npy file: {0}")]
    Format(String),
    /// Other elements than the launch file says.
    #[error("it holds {found}, but {dtype} is stored as {expected}")]
    Dtype {
        /// The element type in the launch file.
        dtype: Dtype,
        /// numpy's type that holds it.
        expected: &'static str,
        /// What the file says.
        found: String,
    },
    /// Another shape than the launch file says.
    #[error("its shape is {found:?}, the launch file's is {expected:?}")]
    Shape {
        /// In the launch file.
        expected: Vec<u64>,
        /// In the file.
        found: Vec<u64>,
    },
    /// A packed type with another number of bytes.
    #[error("it holds {found} bytes, but {expected} bytes hold the launch file's shape, packed")]
    PackedBytes {
        /// By the launch file.
        expected: u64,
        /// In the file.
        found: u64,
    },
    /// Fewer or more bytes of data than the header says.
    #[error("{found} bytes of data follow its header, which says {expected}")]
    Length {
        /// By the header.
        expected: u64,
        /// In the file.
        found: u64,
    },
}

/// numpy's type string of a type's file (little-endian).
pub fn descr(dtype: Dtype) -> &'static str {
    match dtype {
        Dtype::I8 => "|i1",
        Dtype::U8 => "|u1",
        Dtype::I16 => "<i2",
        Dtype::U16 | Dtype::Bf16 => "<u2",
        Dtype::I32 => "<i4",
        Dtype::U32 => "<u4",
        Dtype::I64 => "<i8",
        Dtype::U64 => "<u8",
        Dtype::F16 => "<f2",
        Dtype::F32 => "<f4",
        Dtype::F64 => "<f8",
        Dtype::Bool => "|b1",
        _ => "|u1",
    }
}

fn type_str(dtype: Dtype) -> Result<TypeStr, NpyError> {
    descr(dtype).parse().map_err(|error| NpyError::Format(format!("{error}")))
}

/// The bytes of a buffer of `shape`, little-endian, row-major, packed; from the whole file `file`.
pub fn read(dtype: Dtype, shape: &[u64], file: &[u8]) -> Result<Vec<u8>, NpyError> {
    check_header_text(file)?;
    let mut rest = file;
    let header = NpyHeader::from_reader(&mut rest).map_err(|error| NpyError::Format(error.to_string()))?;

    let wanted = type_str(dtype)?;
    let DType::Plain(found) = header.dtype() else {
        return Err(NpyError::Dtype { dtype, expected: descr(dtype), found: header.dtype().descr() });
    };
    let holds_bits = wanted.type_char() == TypeChar::Uint
        && !matches!(dtype, Dtype::U8 | Dtype::U16 | Dtype::U32 | Dtype::U64);
    let same_kind =
        found.type_char() == wanted.type_char() || holds_bits && found.type_char() == TypeChar::RawData;
    if !same_kind || found.size_field() != wanted.size_field() {
        return Err(NpyError::Dtype { dtype, expected: descr(dtype), found: found.to_string() });
    }
    let item = found.size_field() as usize;
    let expected = shape.iter().try_fold(1u64, |product, &size| product.checked_mul(size));
    let expected = expected.and_then(|elements| dtype.buffer_bytes(elements));
    let expected = expected.ok_or_else(|| NpyError::Format("the shape is too large".to_owned()))?;
    let stored = header.len().saturating_mul(item as u64);
    if dtype.is_packed() {
        if stored != expected {
            return Err(NpyError::PackedBytes { expected, found: stored });
        }
    } else if header.shape() != shape {
        return Err(NpyError::Shape { expected: shape.to_vec(), found: header.shape().to_vec() });
    }
    if rest.len() as u64 != stored {
        return Err(NpyError::Length { expected: stored, found: rest.len() as u64 });
    }

    let mut data = match header.order() {
        Order::C => rest.to_vec(),
        Order::Fortran => to_row_major(rest, header.shape(), item),
    };
    if found.endianness() == Endianness::Big {
        data.chunks_exact_mut(item).for_each(<[u8]>::reverse);
    }
    Ok(data)
}

/// What `npyz` must not be given: headers without end, deep nesting, shapes whose products overflow.
fn check_header_text(file: &[u8]) -> Result<(), NpyError> {
    let problem = |text: &str| Err(NpyError::Format(text.to_owned()));
    if !file.starts_with(b"\x93NUMPY") {
        return problem("it does not begin with the magic bytes");
    }
    let (start, length) = match (file.get(6), file.get(8..12)) {
        (Some(1), Some(bytes)) => (10, u32::from(u16::from_le_bytes([bytes[0], bytes[1]]))),
        (Some(2 | 3), Some(bytes)) => (12, u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])),
        (Some(_), Some(_)) => return problem("unknown version"),
        _ => return problem("it ends in its header"),
    };
    if length as usize > MAX_HEADER {
        return problem("its header is too long");
    }
    let Some(header) = file.get(start..start + length as usize) else {
        return problem("it ends in its header");
    };
    if header.iter().filter(|byte| b"([{".contains(byte)).count() > 4 {
        return problem("its header is nested too deeply");
    }
    let mut product = Some(1u64);
    for digits in header.split(|byte| !byte.is_ascii_digit()).filter(|digits| !digits.is_empty()) {
        let size = digits
            .iter()
            .try_fold(0u64, |value, digit| value.checked_mul(10)?.checked_add(u64::from(digit - b'0')));
        product = product.zip(size).and_then(|(product, size)| product.checked_mul(size.max(1)));
    }
    if product.is_none_or(|product| product > 1 << 60) { problem("its shape is too large") } else { Ok(()) }
}

/// First index fastest to last index fastest.
fn to_row_major(data: &[u8], shape: &[u64], item: usize) -> Vec<u8> {
    let mut ordered = Vec::with_capacity(data.len());
    let mut index = vec![0u64; shape.len()];
    for _ in 0..data.len() / item {
        let position =
            index.iter().zip(shape).rev().fold(0, |position, (&index, &size)| position * size + index);
        let start = position as usize * item;
        ordered.extend_from_slice(&data[start..start + item]);
        for (index, &size) in index.iter_mut().zip(shape).rev() {
            *index += 1;
            if *index < size {
                break;
            }
            *index = 0;
        }
    }
    ordered
}

/// The `.npy` file of a buffer. Packed types are written as bytes: the last dimension counts bytes where it fills
/// whole ones, and the array is flat where it does not.
pub fn write(dtype: Dtype, shape: &[u64], data: &[u8]) -> Result<Vec<u8>, NpyError> {
    let shape = if dtype.is_packed() { packed_shape(dtype, shape, data.len()) } else { shape.to_vec() };
    let mut file = Vec::new();
    npyz::WriteOptions::new_header_only()
        .dtype(DType::new_scalar(type_str(dtype)?))
        .shape(&shape)
        .writer(&mut file)
        .write_header_only()
        .map_err(|error| NpyError::Format(error.to_string()))?;
    file.extend_from_slice(data);
    Ok(file)
}

fn packed_shape(dtype: Dtype, shape: &[u64], bytes: usize) -> Vec<u64> {
    if let Some((&last, outer)) = shape.split_last() {
        let bits = last.saturating_mul(u64::from(dtype.bits()));
        if bits % 8 == 0 {
            return outer.iter().copied().chain([bits / 8]).collect();
        }
    }
    vec![bytes as u64]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(header: &str, data: &[u8]) -> Vec<u8> {
        let mut file = b"\x93NUMPY\x01\x00".to_vec();
        file.extend((header.len() as u16).to_le_bytes());
        file.extend(header.as_bytes());
        file.extend(data);
        file
    }

    #[test]
    fn every_type_survives_a_round_trip() {
        for dtype in Dtype::ALL {
            let shape = [3, 4];
            let data: Vec<u8> = (0..dtype.buffer_bytes(12).unwrap()).map(|byte| byte as u8).collect();
            let file = write(dtype, &shape, &data).unwrap();
            assert_eq!(read(dtype, &shape, &file), Ok(data), "{dtype}");
        }
        let odd = write(Dtype::F4E2M1, &[3, 3], &[1, 2, 3, 4, 5]).unwrap();
        assert_eq!(read(Dtype::F4E2M1, &[3, 3], &odd), Ok(vec![1, 2, 3, 4, 5]));
        assert_eq!(
            read(Dtype::F32, &[], &write(Dtype::F32, &[], &[1, 2, 3, 4]).unwrap()),
            Ok(vec![1, 2, 3, 4])
        );
        assert_eq!(read(Dtype::F32, &[0, 5], &write(Dtype::F32, &[0, 5], &[]).unwrap()), Ok(vec![]));
    }

    #[test]
    fn other_byte_and_index_orders() {
        let big = file("{'descr': '>u2', 'fortran_order': False, 'shape': (2,), }", &[1, 2, 3, 4]);
        assert_eq!(read(Dtype::U16, &[2], &big), Ok(vec![2, 1, 4, 3]));
        let columns =
            file("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }", &[0, 10, 1, 11, 2, 12]);
        assert_eq!(read(Dtype::U8, &[2, 3], &columns), Ok(vec![0, 1, 2, 10, 11, 12]));
        let raw = file("{'descr': '<V2', 'fortran_order': False, 'shape': (1,), }", &[1, 2]);
        assert_eq!(read(Dtype::Bf16, &[1], &raw), Ok(vec![1, 2]));
        assert!(matches!(read(Dtype::U16, &[1], &raw), Err(NpyError::Dtype { .. })));
    }

    #[test]
    fn damaged_files_are_errors() {
        let good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
        let cases: &[Vec<u8>] = &[
            vec![],
            b"\x93NUMPY".to_vec(),
            b"\x93NUMPY\x01\x00\xff\xff{".to_vec(),
            b"\x93NUMPY\x02\x00\xff\xff\xff\xff{".to_vec(),
            b"\x93NUMPY\x09\x00\x01\x00{}".to_vec(),
            file("{", b""),
            file(&"[".repeat(9000), b""),
            file("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", b""),
            file("{'descr': '<f4', 'fortran_order': False, 'shape': (0, 4294967296, 4294967296), }", b""),
            file("{'descr': '<f4', 'fortran_order': False, 'shape': (-2,), }", b""),
            file("{'descr': '|O', 'fortran_order': False, 'shape': (2,), }", b""),
            file("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }", &[0; 8]),
            file(good, &[0; 7]),
            file(good, &[0; 9]),
            file(&good.replace("f4", "f8"), &[0; 16]),
            file(&good.replace("(2,)", "(2, 1)"), &[0; 8]),
        ];
        for case in cases {
            assert!(read(Dtype::F32, &[2], case).is_err(), "{}", String::from_utf8_lossy(case));
        }
        assert!(read(Dtype::F32, &[2], &file(good, &[0; 8])).is_ok());
    }
}
