//! Names in the text of exports: their targets, from the facts of the machine.
//!
//! Attributes (`attr3.y`) are a number with the channel in its two low bits.

use crate::Machine;

/// Bits of [`crate::Mods::flags`] of exports.
pub(crate) const COMPR: u8 = 1 << 1;

/// Whether a modifier is written with a number: the wait counts.
pub(crate) fn is_number(modifier: &str) -> bool {
    modifier.starts_with("wait_")
}

/// Channels of an attribute.
pub(crate) static CHANNELS: [&str; 4] = ["x", "y", "z", "w"];

/// The name of the target with this number, and its index where there are several of the name; `None` if it is reserved.
pub(crate) fn target_name(machine: Machine, number: u8) -> Option<(&'static str, Option<u8>)> {
    let of = |first: u8, count: u8| (first..first + count).contains(&number);
    let target = machine.facts().export_targets.iter().find(|target| of(target.first, target.count))?;
    Some((target.name, (target.count > 1).then(|| number - target.first)))
}

/// The number of the target called `name`.
pub(crate) fn target_by_name(machine: Machine, name: &str) -> Option<u8> {
    machine.facts().export_targets.iter().find_map(|target| {
        let index = name.strip_prefix(target.name)?;
        match (target.count, index.parse::<u8>()) {
            (1, Err(_)) if index.is_empty() => Some(target.first),
            // One spelling only: no sign, no leading zeros.
            (count, Ok(n)) if count > 1 && n < count && n.to_string() == index => Some(target.first + n),
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use wavemark_target::Processor;

    use super::*;

    #[test]
    fn targets() {
        let (gfx9, gfx11) = (Machine::new(Processor::Gfx900), Machine::new(Processor::Gfx1100));
        assert_eq!(target_by_name(gfx9, "param31"), Some(63));
        assert_eq!(target_by_name(gfx9, "pos4"), None);
        assert_eq!(target_by_name(gfx11, "pos4"), Some(16));
        assert_eq!(target_by_name(gfx11, "mrt00"), None);
        assert_eq!(target_name(gfx11, 22), Some(("dual_src_blend", Some(1))));
        assert_eq!(target_name(gfx11, 9), None);
    }
}
