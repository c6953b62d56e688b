//! What the runs of a kernel depend on, as one number: the files that are read, the options, this program.
//!
//! Records of a kernel that was changed since are not those of the kernel that there is. Files that assembly includes
//! are not looked at.

use md5::{Digest, Md5};
use wavemark_diag::SourceMap;

use super::Plan;
use crate::batch::Item;
use crate::launch::{self, Purpose};

/// The digest of `item` in `plan`.
pub(super) fn of(item: &Item, plan: &Plan) -> String {
    let mut digest = Md5::new();
    let Plan { schedules, check, model, max_steps, .. } = plan;
    let version = env!("CARGO_PKG_VERSION");
    digest.update(format!("{version} {schedules} {check} {model:?} {max_steps:?} {item:?}"));
    let mut add = |contents: std::io::Result<Vec<u8>>| match contents {
        Ok(bytes) => {
            digest.update((bytes.len() as u64).to_le_bytes());
            digest.update(bytes);
        }
        // Its runs say so.
        Err(error) => digest.update(error.to_string()),
    };
    add(std::fs::read(&item.input));
    if let Some(path) = &item.launch {
        let text = std::fs::read(path);
        let parsed = text.as_ref().ok().and_then(|text| std::str::from_utf8(text).ok()).and_then(|text| {
            let file = SourceMap::new().add_text(path.display().to_string(), text);
            launch::parse(file, text, Purpose::Tile).ok()
        });
        add(text);
        let folder = path.parent().unwrap_or_else(|| "".as_ref());
        for named in parsed.iter().flat_map(launch::Launch::files) {
            add(std::fs::read(folder.join(named)));
        }
    }
    digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
