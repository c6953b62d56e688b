//! Lanes of one store that write different values to the same bytes (INTRA): which of them stays is the hardware's
//! choice. Equal values are a habit of compilers and harmless. Only stores whose values are known are looked at, not
//! copies; atomics do not collide.

use wavemark_sim::events::{Access, Extent, Space, WaveId};
use wavemark_sim::pending::lanes;

use crate::Checker;
use crate::finding::{Class, Finding, Severity};
use crate::meeting::Stored;
use crate::site_info::SiteId;

/// Places that [`apart`] and [`agree`] tell from each other.
const PLACES: usize = 4096;

/// Whether lanes are seen at a glance to store in different places: close to each other, each at a multiple of their size from
/// the lowest one.
pub(crate) fn apart(mask: u64, size: u64, addr: &[u64; 64]) -> bool {
    let Some(low) = lanes(mask).map(|lane| addr[lane as usize]).min() else { return true };
    let mut taken = [0u64; PLACES / 64];
    size.is_power_of_two()
        && lanes(mask).all(|lane| {
            let from = addr[lane as usize] - low;
            let place = (from >> size.trailing_zeros()) as usize;
            let Some(taken) = taken.get_mut(place / 64).filter(|_| from & (size - 1) == 0) else {
                return false;
            };
            let before = *taken;
            *taken |= 1 << (place % 64);
            *taken != before
        })
}

/// Whether lanes are seen at a glance to agree: close to each other, each at a multiple of their size from the lowest one, and
/// with the same value as the first one at its place.
fn agree(mask: u64, size: u64, addr: &[u64; 64], stored: &Stored<'_>) -> bool {
    let Some(low) = lanes(mask).map(|lane| addr[lane as usize]).min() else { return true };
    const NOBODY: u8 = u8::MAX;
    let mut first = [NOBODY; PLACES];
    size.is_power_of_two()
        && lanes(mask).all(|lane| {
            let from = addr[lane as usize] - low;
            let place = (from >> size.trailing_zeros()) as usize;
            let Some(first) = first.get_mut(place).filter(|_| from & (size - 1) == 0) else { return false };
            if *first == NOBODY {
                *first = lane as u8;
                return true;
            }
            let other = u32::from(*first);
            (0..size as u32).all(|byte| stored.byte(lane, byte) == stored.byte(other, byte))
        })
}

/// Two lanes that write different values to the byte at an address.
fn colliding(mask: u64, bytes: u32, addr: &[u64; 64], stored: &Stored<'_>) -> Option<(u32, u32, u64)> {
    let size = u64::from(bytes);
    let mut ends = lanes(mask).map(|lane| addr[lane as usize]);
    let mut last = ends.next()?;
    // Mostly lanes stand one behind the other.
    if ends.all(|at| at >= std::mem::replace(&mut last, at).saturating_add(size)) {
        return None;
    }
    if apart(mask, size, addr) || agree(mask, size, addr, stored) {
        return None;
    }
    let mut sorted: Vec<(u64, u32)> = lanes(mask).map(|lane| (addr[lane as usize], lane)).collect();
    sorted.sort_unstable();
    for (n, &(at, lane)) in sorted.iter().enumerate() {
        for &(other_at, other) in sorted[n + 1..].iter().take_while(|&&(other, _)| other < at + size) {
            let differs = |byte: &u64| {
                stored.byte(lane, (byte - at) as u32) != stored.byte(other, (byte - other_at) as u32)
            };
            if let Some(byte) = (other_at..at + size).find(differs) {
                return Some((lane, other, byte));
            }
        }
    }
    None
}

impl Checker {
    /// Whether lanes of a store collide.
    pub(crate) fn check_lanes(&mut self, wave: WaveId, site: SiteId, access: &Access, stored: &Stored<'_>) {
        let Extent::Lanes { mask, bytes, addr } = &access.extent else { return };
        let Some((a, b, byte)) = colliding(*mask, *bytes, addr, stored) else { return };
        let place = match access.space {
            Space::Lds => format!("LDS byte {byte:#x}"),
            _ => format!("global memory at {byte:#x}"),
        };
        let title = format!("two lanes write different values to {place}: which of them stays is open");
        let finding = Finding::new("INTRA", Class::MissingSync, Severity::Warning, title).at_lanes(
            "store",
            &self.sites.get(site).site,
            wave,
            1 << a | 1 << b,
        );
        self.findings.add(finding);
    }
}
