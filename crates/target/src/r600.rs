//! Processors of the R600 architecture: recognised, to be refused with a reason.
//!
//! Names and the families they belong to are those of "AMDGPU Processors" in LLVM's *User Guide for AMDGPU Backend*
//! and LLVM's further aliases; the numbers are the values of `EF_AMDGPU_MACH` that it reserves for them (1 to 16).

/// A processor of the R600 architecture: its number in `e_flags`, its name, other names, its family.
struct Row(u8, &'static str, &'static [&'static str], &'static str);

const HD2000: &str = "Radeon HD 2000 and 3000";
const HD4000: &str = "Radeon HD 4000";
const HD5000: &str = "Radeon HD 5000";
const HD6000: &str = "Radeon HD 6000";

const ROWS: &[Row] = &[
    Row(0x01, "r600", &["rv630", "rv635"], HD2000),
    Row(0x02, "r630", &[], HD2000),
    Row(0x03, "rs880", &["rs780", "rv610", "rv620"], HD2000),
    Row(0x04, "rv670", &[], HD2000),
    Row(0x05, "rv710", &[], HD4000),
    Row(0x06, "rv730", &[], HD4000),
    Row(0x07, "rv770", &["rv740"], HD4000),
    Row(0x08, "cedar", &["palm"], HD5000),
    Row(0x09, "cypress", &["hemlock"], HD5000),
    Row(0x0a, "juniper", &[], HD5000),
    Row(0x0b, "redwood", &[], HD5000),
    Row(0x0c, "sumo", &["sumo2"], HD5000),
    Row(0x0d, "barts", &[], HD6000),
    Row(0x0e, "caicos", &[], HD6000),
    Row(0x0f, "cayman", &["aruba"], HD6000),
    Row(0x10, "turks", &[], HD6000),
];

/// A processor of the R600 architecture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct R600 {
    /// Its name.
    pub name: &'static str,
    /// The family it was sold in.
    pub family: &'static str,
}

impl R600 {
    /// The processor of a name.
    pub fn by_name(name: &str) -> Option<R600> {
        ROWS.iter().find(|row| row.1 == name || row.2.contains(&name)).map(R600::of)
    }

    /// The processor of an `EF_AMDGPU_MACH` value.
    pub fn by_mach(mach: u8) -> Option<R600> {
        ROWS.iter().find(|row| row.0 == mach).map(R600::of)
    }

    /// All names, the other names included.
    pub fn names() -> impl Iterator<Item = &'static str> {
        ROWS.iter().flat_map(|row| std::iter::once(row.1).chain(row.2.iter().copied()))
    }

    fn of(row: &Row) -> R600 {
        R600 { name: row.1, family: row.3 }
    }
}
