//! Kernel descriptors of a disassembly: `.amdhsa_kernel` blocks.
//!
//! A block is printed where it gives the descriptor's bytes again; a descriptor with bits that no directive sets
//! is data.

use std::fmt::Write as _;

use wavemark_codeobj::descriptor::{Field, KernelDescriptor, SIZE};
use wavemark_codeobj::elf::{Binding, Place, Symbol};
use wavemark_diag::SourceMap;

use super::Printer;
use super::symbols::{place, quoted};
use crate::directive::kernel::{Sgprs, key_of};
use crate::{Source, assemble};

impl Printer<'_> {
    /// Prints the descriptor at `offset`, if one is there and can be a block, and says where it ends.
    pub(super) fn block_at(&mut self, section: usize, offset: u64, limit: u64) -> Option<u64> {
        let text = self.block(section, offset, limit)?;
        self.out.push_str(&text);
        Some(offset + SIZE as u64)
    }

    /// Where the descriptor at `offset` ends, if one is there and can be a block.
    pub(super) fn block_end(&self, section: usize, offset: u64, limit: u64) -> Option<u64> {
        self.block(section, offset, limit).map(|_| offset + SIZE as u64)
    }

    /// Whether a symbol names a descriptor that a block makes.
    pub(super) fn is_in_block(&self, symbol: &Symbol) -> bool {
        let Some((section, offset)) = place(self.object, symbol) else { return false };
        let named = symbol.name.strip_suffix(".kd");
        named.is_some_and(|name| {
            self.kernel_name(section, offset) == Some(name) && self.block(section, offset, u64::MAX).is_some()
        })
    }

    fn kernel_name(&self, section: usize, offset: u64) -> Option<&str> {
        let mut kernels = self.object.kernels.iter();
        kernels
            .find(|kernel| (kernel.section, kernel.offset) == (section, offset))
            .map(|kernel| kernel.name.as_str())
    }

    fn block(&self, section: usize, offset: u64, limit: u64) -> Option<String> {
        let kernel =
            self.object.kernels.iter().find(|kernel| (kernel.section, kernel.offset) == (section, offset))?;
        let symbols = || self.object.symbols.iter();
        let descriptor_symbol =
            symbols().find(|symbol| symbol.name.strip_suffix(".kd") == Some(&kernel.name))?;
        let entry = symbols().find(|symbol| symbol.name == kernel.name)?;
        // The block gives the descriptor's symbol what the entry's has.
        let entry_binding = if entry.binding == Binding::Global { Binding::Global } else { Binding::Local };
        if limit < offset + SIZE as u64
            || !matches!(entry.place, Place::Section(_))
            || descriptor_symbol.binding != entry_binding
        {
            return None;
        }
        let text = self.block_text(&kernel.name, &kernel.descriptor)?;
        (self.comes_back(&kernel.name, &text, &kernel.descriptor)).then(|| {
            let mut out = String::new();
            if entry.binding == Binding::Global {
                let _ = writeln!(out, "\t.globl {}", quoted(&kernel.name));
            }
            out + &text
        })
    }

    /// Whether the block assembles to the descriptor, the distance to the code apart.
    fn comes_back(&self, name: &str, block: &str, descriptor: &KernelDescriptor) -> bool {
        let text = format!(".text\n{}:\n.data\n{block}", quoted(name));
        let mut sources = SourceMap::new();
        let file = sources.add_text("block", text.clone());
        let Ok(object) = assemble(Source { file, name: "block", text: &text }, self.subtarget) else {
            return false;
        };
        let Ok(object) = wavemark_codeobj::CodeObject::parse(&object.elf) else { return false };
        let again = object.kernels.first().map(|kernel| kernel.descriptor);
        let without_distance =
            |d: KernelDescriptor| KernelDescriptor { kernel_code_entry_byte_offset: 0, ..d };
        again.map(without_distance) == Some(without_distance(*descriptor))
    }

    fn block_text(&self, name: &str, descriptor: &KernelDescriptor) -> Option<String> {
        let mut out = String::new();
        let mut line = |key: &str, value: u64| {
            let _ = writeln!(out, "\t\t{key} {value}");
        };
        line(".amdhsa_group_segment_fixed_size", descriptor.group_segment_fixed_size.into());
        line(".amdhsa_private_segment_fixed_size", descriptor.private_segment_fixed_size.into());
        line(".amdhsa_kernarg_size", descriptor.kernarg_size.into());
        let processor = self.subtarget.processor();
        let limits = descriptor.limits();
        for (field, value) in descriptor.fields() {
            let value = u64::from(value);
            match field {
                Field::GranulatedWorkitemVgprCount => {
                    line(".amdhsa_next_free_vgpr", (value + 1) * u64::from(limits.vgpr_encoding_granule));
                }
                Field::GranulatedWavefrontSgprCount => {
                    let preloads = descriptor.kernarg_preload().0 != 0;
                    let least = if preloads { descriptor.user_sgprs() } else { 0 };
                    let sgprs = Sgprs::of_granulated(value, least.into(), self.subtarget)?;
                    line(".amdhsa_next_free_sgpr", sgprs.free);
                    if !sgprs.reserve_vcc {
                        line(".amdhsa_reserve_vcc", 0);
                    }
                    if !sgprs.reserve_flat_scratch {
                        line(".amdhsa_reserve_flat_scratch", 0);
                    }
                }
                // A block that says its wave size cannot have shared VGPRs in waves of 32 lanes, one that leaves it to
                // the processor's default can.
                Field::EnableWavefrontSize32
                    if (value != 0) == self.subtarget.wave32()
                        && descriptor.is_set(Field::SharedVgprCount) => {}
                Field::AccumOffset => line(".amdhsa_accum_offset", (value + 1) * 4),
                Field::UserSgprCount | Field::UserSgprCountGfx1250 => line(".amdhsa_user_sgpr_count", value),
                field => match key_of(field, processor) {
                    Some(key) => line(&key, value),
                    None if value == 0 => {}
                    None => return None,
                },
            }
        }
        if !Field::GranulatedWavefrontSgprCount.exists_on(processor) {
            line(".amdhsa_next_free_sgpr", 0);
        }
        Some(format!("\t.amdhsa_kernel {}\n{out}\t.end_amdhsa_kernel\n", quoted(name)))
    }
}
