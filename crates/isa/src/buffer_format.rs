//! Formats of the elements of typed buffers: numbers and names.
//!
//! Up to gfx9 an instruction has a data format in 4 bits and a number format in 3 above them; from gfx10 on one number
//! stands for a pair, and not every pair has one. Sources: manuals, "Buffer image format" (CDNA4 9.1.11, RDNA "Buffer
//! formats"); spellings LLVM 22's. A name gives the components from the highest bits down: the manuals do not say so; Mesa's
//! tables (`ac_formats.c`) do, where red, in the lowest 11 bits, green and blue are 10_11_11.

use wavemark_target::facts::BufferFormats;

/// Data formats by number: what stands behind `BUF_DATA_FORMAT_`.
static DATA: &[&str] = &[
    "INVALID",
    "8",
    "16",
    "8_8",
    "32",
    "16_16",
    "10_11_11",
    "11_11_10",
    "10_10_10_2",
    "2_10_10_10",
    "8_8_8_8",
    "32_32",
    "16_16_16_16",
    "32_32_32",
    "32_32_32_32",
    "RESERVED_15",
];

/// Number formats by number: what stands behind `BUF_NUM_FORMAT_`. Number 6 is not the same everywhere.
static NUMBER: &[&str] = &["UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT", "", "FLOAT"];

/// Bits of the components by data format, from the lowest on.
static WIDTHS: &[[u8; 4]] = &[
    [0; 4],
    [8, 0, 0, 0],
    [16, 0, 0, 0],
    [8, 8, 0, 0],
    [32, 0, 0, 0],
    [16, 16, 0, 0],
    [11, 11, 10, 0],
    [10, 11, 11, 0],
    [2, 10, 10, 10],
    [10, 10, 10, 2],
    [8; 4],
    [32, 32, 0, 0],
    [16; 4],
    [32, 32, 32, 0],
    [32; 4],
];

/// What the bits of a component mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Number {
    /// From 0 to 1.
    Unorm,
    /// From -1 to 1.
    Snorm,
    /// An unsigned integer that registers hold as a float.
    Uscaled,
    /// A signed one.
    Sscaled,
    /// An unsigned integer.
    Uint,
    /// A signed integer.
    Sint,
    /// A float; those of fewer than 16 bits have five bits of exponent and no sign.
    Float,
}

/// An element of a typed buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Element {
    /// Bits of the components, from the lowest on; 0 behind the last. Without any: the format of an unbound buffer.
    pub widths: [u8; 4],
    /// What they are.
    pub number: Number,
}

impl Element {
    /// How many components it has.
    pub fn components(&self) -> usize {
        self.widths.iter().filter(|&&bits| bits != 0).count()
    }

    /// Its size.
    pub fn bytes(&self) -> u32 {
        self.widths.iter().map(|&bits| u32::from(bits)).sum::<u32>() / 8
    }
}

/// What a format says of an element; `None` if the number is reserved, or its parts do not go together.
pub fn element(formats: BufferFormats, format: u8) -> Option<Element> {
    let (data, number) = match format {
        _ if is_split(formats) => (format & 15, format >> 4 & 7),
        0 => (0, 0),
        format => pairs(formats).nth(usize::from(format) - 1)?,
    };
    let widths = *WIDTHS.get(usize::from(data))?;
    let number = match number {
        0 => Number::Unorm,
        1 => Number::Snorm,
        2 => Number::Uscaled,
        3 => Number::Sscaled,
        4 => Number::Uint,
        5 => Number::Sint,
        7 => Number::Float,
        _ => return None,
    };
    let fits = match number {
        Number::Uint | Number::Sint => true,
        Number::Float => widths.iter().all(|bits| matches!(bits, 0 | 10 | 11 | 16 | 32)),
        _ => widths.iter().all(|&bits| bits <= 16),
    };
    fits.then_some(Element { widths, number })
}

const INT: u8 = 0b0011_1111;
const ANY: u8 = 0b1011_1111;
const WIDE: u8 = 0b1011_0000;

/// Which number formats (bits) the data formats from 1 on go with, where one number stands for both.
static PAIRS_77: &[u8] = &[INT, ANY, INT, WIDE, ANY, ANY, ANY, INT, INT, INT, WIDE, ANY, WIDE, WIDE];
static PAIRS_63: &[u8] =
    &[INT, ANY, INT, WIDE, ANY, 0x80, 0x80, 0b0011_0011, INT, INT, WIDE, ANY, WIDE, WIDE];

/// The format that instructions have that do not say one: 8 bits, unsigned normalised.
pub const DEFAULT: u8 = 1;

/// The pairs that have a number, data and number format each; the first has number 1.
fn pairs(formats: BufferFormats) -> impl Iterator<Item = (u8, u8)> {
    let allowed: &[u8] = match formats {
        BufferFormats::Unified77 => PAIRS_77,
        BufferFormats::Unified63 => PAIRS_63,
        BufferFormats::Split | BufferFormats::SplitSnormOgl => &[],
    };
    (1u8..).zip(allowed).flat_map(|(data, &numbers)| {
        (0u8..8).filter(move |number| numbers >> number & 1 != 0).map(move |number| (data, number))
    })
}

fn is_split(formats: BufferFormats) -> bool {
    matches!(formats, BufferFormats::Split | BufferFormats::SplitSnormOgl)
}

fn number_name(formats: BufferFormats, number: u8) -> &'static str {
    match (number, formats) {
        (6, BufferFormats::Split) => "RESERVED_6",
        (6, BufferFormats::SplitSnormOgl) => "SNORM_OGL",
        _ => NUMBER[usize::from(number & 7)],
    }
}

/// What the text says for a format: the part behind `format:`; empty if nothing.
pub fn text(formats: BufferFormats, format: u8) -> String {
    if format == DEFAULT {
        return String::new();
    }
    if is_split(formats) {
        let (data, number) = (format & 15, format >> 4 & 7);
        let data_name = DATA[usize::from(data)];
        let number_name = number_name(formats, number);
        return match (data == DEFAULT, number == 0) {
            (true, _) => format!("[BUF_NUM_FORMAT_{number_name}]"),
            (false, true) => format!("[BUF_DATA_FORMAT_{data_name}]"),
            (false, false) => format!("[BUF_DATA_FORMAT_{data_name},BUF_NUM_FORMAT_{number_name}]"),
        };
    }
    if format == 0 {
        return "[BUF_FMT_INVALID]".to_owned();
    }
    match pairs(formats).nth(usize::from(format) - 1) {
        Some((data, number)) => {
            format!("[BUF_FMT_{}_{}]", DATA[usize::from(data)], NUMBER[usize::from(number)])
        }
        None => format.to_string(),
    }
}

/// The number of `BUF_FMT_…`.
pub fn by_name(formats: BufferFormats, name: &str) -> Option<u8> {
    let name = name.strip_prefix("BUF_FMT_")?;
    if is_split(formats) {
        return None;
    }
    if name == "INVALID" {
        return Some(0);
    }
    let (data, number) = name.rsplit_once('_')?;
    of_parts(formats, position(DATA, data)?, position(NUMBER, number)?)
}

/// The number of `BUF_DATA_FORMAT_…`.
pub fn data_by_name(name: &str) -> Option<u8> {
    position(DATA, name.strip_prefix("BUF_DATA_FORMAT_")?)
}

/// The number of `BUF_NUM_FORMAT_…`.
pub fn number_by_name(formats: BufferFormats, name: &str) -> Option<u8> {
    let name = name.strip_prefix("BUF_NUM_FORMAT_").filter(|name| !name.is_empty())?;
    (0..8).find(|&number| number_name(formats, number) == name)
}

/// The format of a data and a number format; `None` if the pair has none.
pub fn of_parts(formats: BufferFormats, data: u8, number: u8) -> Option<u8> {
    if is_split(formats) {
        return Some(data | number << 4);
    }
    if (data, number) == (0, 0) {
        return Some(0);
    }
    let index = pairs(formats).position(|pair| pair == (data, number))?;
    u8::try_from(index + 1).ok()
}

fn position(names: &[&str], name: &str) -> Option<u8> {
    let index = names.iter().position(|known| *known == name && !name.is_empty())?;
    u8::try_from(index).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_agree() {
        for formats in [BufferFormats::Unified77, BufferFormats::Unified63] {
            for format in 0..128 {
                let text = text(formats, format);
                if let Some(name) = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
                    assert_eq!(by_name(formats, name), Some(format), "{name}");
                }
            }
        }
        assert_eq!(pairs(BufferFormats::Unified77).count(), 77);
        assert_eq!(pairs(BufferFormats::Unified63).count(), 63);
        assert_eq!(text(BufferFormats::Unified77, 56), "[BUF_FMT_8_8_8_8_UNORM]");
        assert_eq!(text(BufferFormats::Unified63, 56), "[BUF_FMT_16_16_16_16_SINT]");
        let all = |formats| (0..64).filter_map(move |format| element(formats, format)).count();
        assert_eq!(all(BufferFormats::Unified63), 64);
        assert_eq!(all(BufferFormats::Unified77), 64);
        let packed = element(BufferFormats::Split, 0x76).map(|element| (element.widths, element.bytes()));
        assert_eq!(packed, Some(([11, 11, 10, 0], 4)));
        assert_eq!(element(BufferFormats::Split, 0x71), None, "8 bits are no float");
        assert_eq!(text(BufferFormats::Split, 0x72), "[BUF_DATA_FORMAT_16,BUF_NUM_FORMAT_FLOAT]");
    }
}
