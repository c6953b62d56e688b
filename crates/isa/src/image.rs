//! What a row of the image family says beyond operands and encodings: what its address is made of, and how many
//! registers data and address have.
//!
//! `address=` lists the parts of the address in the order of their registers (manuals: "Image Opcodes with a Sampler",
//! "VGPR Usage"), joined by `+`:
//!
//! | part | registers |
//! |---|---|
//! | `offset`, `bias`, `zcompare` | 1 |
//! | `gradients` | two for each axis that the image has |
//! | `gradients16` | the same in halves, u and v packed apart |
//! | `coords` | as many as the dimension has, in halves with a16 |
//! | `lod`, `clamp`, `mip` | 1, packed behind the coordinates with a16 |
//! | `node`, `node64`, `extent`, `extent_mask`, `origin`, `direction`, `offsets` | of a ray: 1, 2, 1, 2, 3, 3, 2 |
//! | `inverse` | of a ray: 3; with a16 it is packed with `direction` |
//!
//! `image=` lists, joined by `,`: `d16` (there is a D16 bit), `gather` (one component, which dmask chooses, of four texels),
//! `msaa` (only multisampled dimensions), `atomic` and `cmpswap` (data of one and two values), `off` (the data may be
//! `off`: nothing is returned).
//!
//! Before gfx10 an address is one tuple of any size that the instruction has for some dimension. From gfx10 to gfx11
//! it is one tuple of the size that follows from `dim`, or a list of registers ("NSA"): on gfx10 single ones, on gfx11 at most
//! five of which the fifth is a tuple of all the rest. On gfx12 it is always such a list: of VSAMPLE the fourth is the
//! tuple of the rest. The parts of a ray are each a tuple in the lists of gfx11 and gfx12.

use smallvec::SmallVec;
use wavemark_target::{InstFeature, Machine};

use crate::Mods;
use crate::format::Field;
use crate::modifier::Modifier;
use crate::row::{Encoding, Row};

mod dimension;

pub(crate) use dimension::{DIMENSIONS, Dimension};

/// Bits of [`Mods::flags`] of image instructions.
pub(crate) const A16: u8 = 1 << 2;
/// Data are 16-bit values.
pub(crate) const D16: u8 = 1 << 5;

/// How the address stands in the encoding.
#[derive(Clone, Debug)]
pub(crate) enum Layout {
    /// One tuple.
    Tuple,
    /// One tuple, or a list whose further registers are in dwords behind the instruction: as many as the field says.
    Nsa(&'static Field),
    /// A list, of which these fields have the registers behind the first.
    Slots(SmallVec<[&'static Field; 4]>),
}

/// A modifier of the text, in its order.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Word {
    /// `dmask:`
    Dmask,
    /// `dim:`
    Dim,
    /// A switch of one bit.
    Switch(&'static Modifier),
    /// Those of the cache policy.
    Policy,
}

/// The modifiers that an encoding has, in the order of the text.
fn words(encoding: &Encoding, d16: bool) -> SmallVec<[Word; 12]> {
    let modifier = |name: &&str| {
        let found = encoding.modifiers.iter().find(|(field, _)| field.name == *name);
        found.map(|&(_, modifier)| modifier)
    };
    let has = |name| modifier(&name).is_some();
    let mut words = SmallVec::new();
    words.extend(has("dmask").then_some(Word::Dmask));
    words.extend(has("dim").then_some(Word::Dim));
    words.extend(modifier(&"unorm").map(Word::Switch));
    words.extend((has("glc") || has("scope")).then_some(Word::Policy));
    let switches = ["r128", "a16", "tfe", "lwe", "da", "d16"];
    let switches = switches.iter().filter(|name| d16 || **name != "d16");
    words.extend(switches.filter_map(modifier).map(Word::Switch));
    words
}

/// The size of the data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Data {
    #[default]
    Components,
    Gather,
    GatherSamples,
    Atomic,
    CompareSwap,
    /// That of the operand.
    Fixed,
}

/// What a row of the image family says.
#[derive(Clone, Debug)]
pub(crate) struct Image {
    pub(crate) layout: Layout,
    /// The modifiers of the text.
    pub(crate) words: SmallVec<[Word; 12]>,
    /// The encoding has the dimension.
    pub(crate) dim: bool,
    /// There is a D16 bit.
    pub(crate) d16: bool,
    /// The dimension must be multisampled.
    pub(crate) msaa: bool,
    /// The data may be `off`.
    pub(crate) off: bool,
    /// There is a sampler.
    pub(crate) sampler: bool,
    /// The parts of a ray's address; empty for others.
    pub(crate) ray: SmallVec<[u8; 5]>,
    /// A list's last element may be a tuple of all that is left.
    pub(crate) partial: bool,
    inverse: bool,
    data: Data,
    /// Registers beside coordinates, gradients, and what is packed with coordinates.
    extra: u8,
    coords: bool,
    gradients: Gradients,
    packed: bool,
    /// Bit n: some dimension has an address of n registers.
    widths: u32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Gradients {
    #[default]
    None,
    Full,
    Halves,
}

/// A mask of the bits in a range.
const fn range(first: u8, last: u8) -> u32 {
    (2 << last) - (1 << first)
}

impl Image {
    /// Reads the attributes of a row of the image family.
    ///
    /// # Errors
    /// A message for a value that has no meaning.
    pub(crate) fn read(machine: Machine, row: &Row) -> Result<Image, String> {
        let encoding = row.encodings.first().ok_or("no encoding")?;
        let field = |name: &str| encoding.format.field(name);
        let slots: SmallVec<[&'static Field; 4]> =
            ["vaddr1", "vaddr2", "vaddr3", "vaddr4"].into_iter().filter_map(field).collect();
        let mut image = Image {
            layout: match field("nsa") {
                Some(nsa) => Layout::Nsa(nsa),
                None if slots.is_empty() => Layout::Tuple,
                None => Layout::Slots(slots),
            },
            words: SmallVec::new(),
            dim: field("dim").is_some(),
            d16: false,
            msaa: false,
            off: false,
            sampler: row.operand_index("ssamp").is_some(),
            ray: SmallVec::new(),
            partial: machine.has_inst(InstFeature::PartialNsaEncoding),
            inverse: false,
            data: Data::Components,
            extra: 0,
            coords: false,
            gradients: Gradients::None,
            packed: false,
            widths: 0,
        };
        for word in row.attribute("image").unwrap_or_default().split(',').filter(|word| !word.is_empty()) {
            match word {
                "d16" => image.d16 = true,
                "msaa" => image.msaa = true,
                "off" => image.off = true,
                "gather" => image.data = Data::Gather,
                "atomic" => image.data = Data::Atomic,
                "cmpswap" => image.data = Data::CompareSwap,
                _ => return Err(format!("image={word} has no meaning")),
            }
        }
        if image.msaa && image.data == Data::Gather {
            image.data = Data::GatherSamples;
        }
        for part in row.attribute("address").ok_or("an image instruction needs address=")?.split('+') {
            image.add_part(part)?;
        }
        image.d16 &= field("d16").is_some();
        image.words = words(encoding, image.d16);
        if image.ray.is_empty() {
            image.widths = image.possible_widths();
        } else {
            image.data = Data::Fixed;
            // BVH8's last part has the name of a plain one.
            image.ray.extend((image.extra > 0).then_some(image.extra));
        }
        Ok(image)
    }

    fn add_part(&mut self, part: &str) -> Result<(), String> {
        match part {
            "offset" | "bias" | "zcompare" => self.extra += 1,
            "gradients" => self.gradients = Gradients::Full,
            "gradients16" => self.gradients = Gradients::Halves,
            "coords" => self.coords = true,
            "lod" | "clamp" | "mip" => self.packed = true,
            "node" | "extent" => self.ray.push(1),
            "node64" | "extent_mask" | "offsets" => self.ray.push(2),
            "origin" | "direction" => self.ray.push(3),
            "inverse" => {
                self.ray.push(3);
                self.inverse = true;
            }
            _ => return Err(format!("{part} is no part of an address")),
        }
        Ok(())
    }

    /// Every number of registers that the address has for some dimension, a16 included.
    fn possible_widths(&self) -> u32 {
        let packed = u8::from(self.packed);
        let own = match self.gradients {
            _ if !self.sampler => range(1, 4),
            Gradients::None => range(1, 3 + packed),
            Gradients::Full => range(2, 9 + packed),
            Gradients::Halves => range(2, 7 + packed),
        };
        own << self.extra
    }

    /// Registers of the address for a dimension.
    pub(crate) fn address_words(&self, dim: &Dimension, a16: bool) -> u8 {
        let coords = u8::from(self.coords) * dim.coords + u8::from(self.packed);
        let gradients = match self.gradients {
            Gradients::None => 0,
            Gradients::Full => dim.gradients,
            // The halves of u and those of v are each padded to a register.
            Gradients::Halves => (dim.gradients / 2).next_multiple_of(2),
        };
        self.extra + gradients + if a16 { coords.div_ceil(2) } else { coords }
    }

    /// The parts of a ray's address; `None` if it has no form with a16.
    pub(crate) fn ray_parts(&self, a16: bool) -> Option<&[u8]> {
        match (a16, self.inverse) {
            (false, _) => Some(&self.ray),
            (true, true) => self.ray.get(..self.ray.len() - 1),
            (true, false) => None,
        }
    }

    /// Registers of the data; `None` where the operand says it.
    pub(crate) fn data_words(&self, machine: Machine, mods: &Mods) -> Option<u8> {
        let mut words = match self.data {
            Data::Fixed => return None,
            Data::Gather | Data::GatherSamples => 4,
            _ => (mods.dmask & 15).count_ones().max(1) as u8,
        };
        if mods.flags & D16 != 0 && self.packs_d16(machine) {
            words = words.div_ceil(2);
        }
        Some(words + u8::from(mods.tfe))
    }

    /// Whether `d16` halves the data.
    pub(crate) fn packs_d16(&self, machine: Machine) -> bool {
        self.d16 && !machine.has_inst(InstFeature::UnpackedD16Vmem)
    }

    /// Whether data of so many registers exist.
    pub(crate) fn has_data(&self, words: u8) -> bool {
        let sizes = match self.data {
            Data::Components => range(1, 5),
            Data::Gather => 1 << 2 | 1 << 4 | 1 << 5,
            Data::GatherSamples | Data::CompareSwap => range(2, 5),
            Data::Atomic => range(1, 3),
            Data::Fixed => u32::MAX,
        };
        sizes >> words & 1 != 0
    }

    /// Whether a dmask selects as many components as the instruction can have.
    pub(crate) fn check_dmask(&self, dmask: u8, off: bool) -> Result<(), &'static str> {
        match self.data {
            Data::Gather | Data::GatherSamples if dmask.count_ones() != 1 => {
                Err("dmask of a gather chooses one component: 0x1, 0x2, 0x4 or 0x8")
            }
            Data::Atomic | Data::CompareSwap if !matches!(dmask, 1 | 3 | 15) => {
                Err("dmask of an atomic must be 0x1, 0x3 or 0xf")
            }
            _ if off && !matches!(dmask, 1 | 3 | 15) => Err("dmask without data must be 0x1, 0x3 or 0xf"),
            _ => Ok(()),
        }
    }

    /// Whether a list may have so many registers in all.
    pub(crate) fn has_width(&self, words: u8) -> bool {
        self.widths >> words & 1 != 0
    }

    /// Whether an address can be one tuple of so many registers: 4 also hold 3, 8 hold 5 to 7, 16 more than 12.
    pub(crate) fn has_tuple(&self, words: u8) -> bool {
        let of = match words {
            4 => range(3, 4),
            8 => range(5, 8),
            16 => range(13, 16),
            0 | 13.. => 0,
            _ => 1 << words,
        };
        self.widths & of != 0
    }

    /// What LLVM's disassembler shows before it knows the dimension, and where data and address of the right size do
    /// not exist: registers of the data.
    pub(crate) fn shown_data(&self) -> u8 {
        match self.data {
            Data::Components | Data::Atomic | Data::Fixed => 1,
            Data::Gather | Data::CompareSwap => 2,
            Data::GatherSamples => 4,
        }
    }

    /// The same for the address: the smallest tuple, or the longest list of `extra` dwords or the slots; `None` if there
    /// is no list of so many dwords.
    pub(crate) fn shown_address(&self, extra: u8) -> Option<u8> {
        let within = match &self.layout {
            Layout::Slots(slots) => range(1, slots.len() as u8 + 1),
            _ if extra > 0 => range(4 * extra - 2, 4 * extra + 1),
            _ => return Some(self.widths.trailing_zeros() as u8),
        };
        (self.widths & within).checked_ilog2().map(|words| words as u8)
    }

    /// The longest list, in elements.
    pub(crate) fn longest_list(&self) -> u8 {
        match &self.layout {
            Layout::Tuple => 0,
            Layout::Nsa(field) => 1 + 4 * ((1 << field.width()) - 1),
            Layout::Slots(slots) => slots.len() as u8 + 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use wavemark_target::Processor;

    use super::*;
    use crate::Table;

    #[test]
    fn address_sizes() {
        let table = Table::of(Machine::new(Processor::Gfx1030));
        let words = |name: &str, dim: usize, a16| {
            let image = table.by_mnemonic(name).next().and_then(|row| row.image.as_deref());
            image.map(|image| image.address_words(&DIMENSIONS[dim], a16))
        };
        assert_eq!(words("image_load", 1, false), Some(2));
        assert_eq!(words("image_load_mip", 2, true), Some(2));
        assert_eq!(words("image_get_resinfo", 7, false), Some(1));
        assert_eq!(words("image_sample_c_d_cl_o", 2, false), Some(12));
        assert_eq!(words("image_sample_d_g16", 2, false), Some(7));
    }

    #[test]
    fn every_register_of_a_list_is_read() {
        let machine = Machine::new(Processor::Gfx1100);
        let text = "image_bvh_intersect_ray v[0:3], [v50, v46, v[20:22], v[40:42], v[47:49]], s[12:15]";
        let parsed = crate::parse(machine, text, &crate::NoSymbols).expect("a ray");
        let effects = crate::effects(machine, &parsed.inst);
        let vectors: Vec<(u16, u8, bool)> = effects
            .regs
            .iter()
            .filter_map(|used| match used.reg {
                crate::effects::Touched::Reg(reg) if reg.file == crate::RegFile::Vgpr => {
                    Some((reg.index, reg.dwords, used.write))
                }
                _ => None,
            })
            .collect();
        let read =
            [(50, 1), (46, 1), (20, 3), (40, 3), (47, 3)].map(|(index, dwords)| (index, dwords, false));
        assert_eq!(vectors[0], (0, 4, true));
        assert_eq!(vectors[1..], read);
    }
}
