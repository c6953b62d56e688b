//! Packing of 4-, 6- and 8-bit elements into dwords as the hardware reads them: one little-endian bit stream, the
//! first element in the lowest bits (CDNA4 `V_CVT_SCALEF32_PK32_*`: `tmp[pass * 6 + 5 : pass * 6]`; CDNA5 7.6.3
//! "the lowest M is in the lowest bit position").

/// The eight 4-bit elements of a dword.
#[inline(always)]
pub const fn unpack4(word: u32) -> [u8; 8] {
    let mut elements = [0; 8];
    let mut i = 0;
    while i < 8 {
        elements[i] = (word >> (4 * i) & 0xf) as u8;
        i += 1;
    }
    elements
}

/// A dword of eight 4-bit elements; higher bits of each are ignored.
#[inline(always)]
pub const fn pack4(elements: [u8; 8]) -> u32 {
    let mut word = 0;
    let mut i = 0;
    while i < 8 {
        word |= (elements[i] as u32 & 0xf) << (4 * i);
        i += 1;
    }
    word
}

/// The four bytes of a dword.
#[inline(always)]
pub const fn unpack8(word: u32) -> [u8; 4] {
    word.to_le_bytes()
}

/// A dword of four bytes.
#[inline(always)]
pub const fn pack8(elements: [u8; 4]) -> u32 {
    u32::from_le_bytes(elements)
}

/// The sixteen 6-bit elements of three dwords.
#[inline(always)]
pub const fn unpack6x16(words: [u32; 3]) -> [u8; 16] {
    let stream = words[0] as u128 | (words[1] as u128) << 32 | (words[2] as u128) << 64;
    let mut elements = [0; 16];
    let mut i = 0;
    while i < 16 {
        elements[i] = (stream >> (6 * i)) as u8 & 0x3f;
        i += 1;
    }
    elements
}

/// Three dwords of sixteen 6-bit elements; higher bits of each are ignored.
#[inline(always)]
pub const fn pack6x16(elements: [u8; 16]) -> [u32; 3] {
    let mut stream = 0u128;
    let mut i = 0;
    while i < 16 {
        stream |= ((elements[i] & 0x3f) as u128) << (6 * i);
        i += 1;
    }
    [stream as u32, (stream >> 32) as u32, (stream >> 64) as u32]
}

/// The thirty-two 6-bit elements of six dwords.
#[inline(always)]
pub fn unpack6x32(words: [u32; 6]) -> [u8; 32] {
    let [a, b, c, d, e, f] = words;
    let mut elements = [0; 32];
    elements[..16].copy_from_slice(&unpack6x16([a, b, c]));
    elements[16..].copy_from_slice(&unpack6x16([d, e, f]));
    elements
}

/// Six dwords of thirty-two 6-bit elements; higher bits of each are ignored.
#[inline(always)]
pub fn pack6x32(elements: [u8; 32]) -> [u32; 6] {
    let mut halves = [[0u8; 16]; 2];
    halves[0].copy_from_slice(&elements[..16]);
    halves[1].copy_from_slice(&elements[16..]);
    let [a, b, c] = pack6x16(halves[0]);
    let [d, e, f] = pack6x16(halves[1]);
    [a, b, c, d, e, f]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn six_bit_stream_crosses_dwords() {
        let elements: [u8; 32] = std::array::from_fn(|i| ((i * 37 + 5) & 0x3f) as u8);
        let words = pack6x32(elements);
        assert_eq!(unpack6x32(words), elements);
        // Element 5 occupies bits 30..36: two bits in dword 0, four in dword 1.
        assert_eq!((words[0] >> 30 | words[1] << 2) & 0x3f, elements[5] as u32);
        // Element 16 starts dword 3.
        assert_eq!(words[3] & 0x3f, elements[16] as u32);
    }

    #[test]
    fn nibbles_and_bytes() {
        assert_eq!(unpack4(0x8765_4321), [1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(pack4([1, 2, 3, 4, 5, 6, 7, 0xf8]), 0x8765_4321);
        assert_eq!(unpack8(pack8([1, 2, 3, 4])), [1, 2, 3, 4]);
        assert_eq!(pack8([1, 2, 3, 4]), 0x0403_0201);
    }
}
