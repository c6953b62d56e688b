//! Which entry of a bundle runs on a device, and which entries may stand beside each other.
//!
//! Follows "Target ID" and "Bundled Code Object's compatibility" of the Clang documentation. An entry fits if its
//! target ID runs on the device: the same processor, or a generic one that stands for it, and no setting that
//! contradicts. Of those that fit, the one for exactly this processor wins over a generic one, and more settings
//! win over fewer. If two are left, the device was not said precisely enough: that is an error, not a choice.

use wavemark_target::{Setting, TargetId};

use super::{Entry, parse_target};

/// Why there is no one entry for a device.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SelectError {
    /// No entry runs on the device.
    #[error("no entry runs on {device}")]
    None {
        /// The device.
        device: String,
    },
    /// Several entries run on it, and nothing says which is meant.
    #[error("several entries run on {device}: {}", .entries.join(", "))]
    Ambiguous {
        /// The device.
        device: String,
        /// Their IDs.
        entries: Vec<String>,
    },
}

/// Two entry IDs that cannot be in one bundle.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConflictError {
    /// The same ID twice.
    #[error("the entry `{0}` twice")]
    Twice(String),
    /// Of one processor, one entry says a setting that the other leaves open.
    #[error("`{0}` and `{1}` conflict: of one processor, either all entries say a setting or none does")]
    Features(String, String),
}

/// How well an entry fits: a larger one fits better.
fn rank(id: &TargetId, device: &TargetId) -> (bool, bool, usize) {
    let said = |setting| matches!(setting, Setting::On | Setting::Off);
    let settings = [id.xnack, id.sramecc].into_iter().filter(|&setting| said(setting)).count();
    (id == device, id.processor == device.processor, settings)
}

pub(super) fn select<'a>(entries: &'a [Entry], device: &TargetId) -> Result<&'a Entry, SelectError> {
    let fits = entries.iter().filter_map(|entry| {
        let id = entry.target()?.id;
        id.runs_on(device).then(|| (rank(&id, device), entry))
    });
    let fits: Vec<_> = fits.collect();
    let Some(best) = fits.iter().map(|(rank, _)| *rank).max() else {
        return Err(SelectError::None { device: device.to_string() });
    };
    let best: Vec<&Entry> = fits.iter().filter(|(rank, _)| *rank == best).map(|(_, entry)| *entry).collect();
    match best.as_slice() {
        [only] => Ok(only),
        _ => Err(SelectError::Ambiguous {
            device: device.to_string(),
            entries: best.iter().map(|entry| entry.id.clone()).collect(),
        }),
    }
}

/// Whether entries with these IDs may be in one bundle.
pub fn check_ids(ids: &[&str]) -> Result<(), ConflictError> {
    let said = |setting| matches!(setting, Setting::On | Setting::Off);
    for (index, a) in ids.iter().enumerate() {
        for b in &ids[..index] {
            if a == b {
                return Err(ConflictError::Twice((*a).to_owned()));
            }
            let (Some((a_kind, a_target)), Some((b_kind, b_target))) = (a.split_once('-'), b.split_once('-'))
            else {
                continue;
            };
            let (Ok(a_target), Ok(b_target)) = (parse_target(a_target), parse_target(b_target)) else {
                continue;
            };
            let (x, y) = (a_target.id, b_target.id);
            let same = a_kind == b_kind && x.processor == y.processor;
            if same && (said(x.xnack) != said(y.xnack) || said(x.sramecc) != said(y.sramecc)) {
                return Err(ConflictError::Features((*b).to_owned(), (*a).to_owned()));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(ids: &[&str], device: &str) -> String {
        let entries: Vec<Entry> = ids
            .iter()
            .map(|id| Entry { id: format!("hipv4-amdgcn-amd-amdhsa--{id}"), offset: 0, size: 1 })
            .collect();
        match select(&entries, &device.parse().unwrap()) {
            Ok(entry) => entry.id.rsplit("--").next().unwrap().to_owned(),
            Err(error) => error.to_string().replace("hipv4-amdgcn-amd-amdhsa--", ""),
        }
    }

    #[test]
    fn the_entry_that_runs() {
        let all = ["gfx9-4-generic", "gfx942:xnack-", "gfx942:xnack+", "gfx950", "gfx90a:sramecc+:xnack-"];
        for (device, expected) in [
            ("gfx942:xnack+", "gfx942:xnack+"),
            ("gfx942:sramecc+:xnack-", "gfx942:xnack-"),
            ("gfx942", "several entries run on gfx942: gfx942:xnack-, gfx942:xnack+"),
            ("gfx950:xnack+", "gfx950"),
            ("gfx940", "no entry runs on gfx940"),
            ("gfx90a:sramecc+:xnack-", "gfx90a:sramecc+:xnack-"),
            ("gfx90a:sramecc-:xnack-", "no entry runs on gfx90a:sramecc-:xnack-"),
            ("gfx1250", "no entry runs on gfx1250"),
        ] {
            let expected = match device {
                // Whether the generic processor stands for it is the target table's to say.
                "gfx940"
                    if "gfx9-4-generic".parse::<TargetId>().unwrap().runs_on(&"gfx940".parse().unwrap()) =>
                {
                    "gfx9-4-generic"
                }
                _ => expected,
            };
            assert_eq!(chosen(&all, device), expected, "{device}");
        }
        assert_eq!(chosen(&["gfx950", "gfx950"], "gfx950"), "several entries run on gfx950: gfx950, gfx950");
        assert_eq!(
            chosen(&["gfx942:xnack+", "gfx942:sramecc+"], "gfx942:sramecc+:xnack+"),
            "several entries run on gfx942:sramecc+:xnack+: gfx942:xnack+, gfx942:sramecc+"
        );
    }

    #[test]
    fn what_may_stand_together() {
        let check = |ids: &[&str]| {
            let ids: Vec<String> = ids.iter().map(|id| format!("hip-amdgcn-amd-amdhsa--{id}")).collect();
            check_ids(&ids.iter().map(String::as_str).collect::<Vec<_>>())
        };
        assert!(check(&["gfx942:xnack+", "gfx942:xnack-", "gfx950"]).is_ok());
        assert!(matches!(check(&["gfx942", "gfx942:xnack-"]), Err(ConflictError::Features(..))));
        assert!(matches!(check(&["gfx942", "gfx942"]), Err(ConflictError::Twice(_))));
        assert!(check_ids(&["host-x86_64-unknown-linux-gnu-", "hip-amdgcn-amd-amdhsa--gfx942"]).is_ok());
    }
}
