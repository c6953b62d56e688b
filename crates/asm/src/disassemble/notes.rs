//! Notes as the directives that make them: the metadata of `amdhsa` and of `amdpal`, the name of the target.

use std::fmt::Write as _;

use wavemark_codeobj::metadata::pal;
use wavemark_codeobj::note::{AMD, NT_AMD_HSA_ISA_NAME, NT_AMD_PAL_METADATA};

use super::Printer;

impl Printer<'_> {
    /// The note with the name of the target, which objects for other systems than `amdhsa` may have.
    pub(super) fn isa_note(&mut self) {
        let target = &self.subtarget.target;
        let wanted = format!("{}-{}", target.triple(), target.id.processor);
        let is_name = |kind: u32, name: &str| name == AMD && kind == NT_AMD_HSA_ISA_NAME;
        let mut notes = self.object.notes.iter().filter(|note| is_name(note.kind, &note.name));
        if notes.any(|note| note.description == wanted.as_bytes()) {
            self.line(format!(".amd_amdgpu_isa \"{wanted}\""));
        }
    }

    /// The metadata, whose note comes back behind everything else.
    pub(super) fn metadata(&mut self) {
        if let Some(metadata) = &self.object.metadata {
            return self.yaml(".amdgpu_metadata", ".end_amdgpu_metadata", &metadata.to_yaml());
        }
        if let Some(tree) = self.object.metadata_tree.as_ref().filter(|tree| pal::is_pal(tree)) {
            return self.yaml(".amdgpu_pal_metadata", ".end_amdgpu_pal_metadata", &tree.to_yaml());
        }
        let registers = |kind: u32, name: &str| name == AMD && kind == NT_AMD_PAL_METADATA;
        if let Some(note) = self.object.notes.iter().find(|note| registers(note.kind, &note.name)) {
            let words: Vec<String> = note
                .description
                .as_chunks()
                .0
                .iter()
                .map(|&word| format!("{:#x}", u32::from_le_bytes(word)))
                .collect();
            for pair in words.chunks_exact(2) {
                self.line(format!(".amd_amdgpu_pal_metadata {}", pair.join(", ")));
            }
        }
    }

    fn yaml(&mut self, begin: &str, end: &str, yaml: &str) {
        let _ = write!(self.out, "\t{begin}\n---\n{}\n...\n\t{end}\n", yaml.trim_end());
    }
}
