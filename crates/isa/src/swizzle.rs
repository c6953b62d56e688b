//! `ds_swizzle_b32` offsets as text. Sources: manuals, "DS_SWIZZLE_B32" (CDNA4 11.4); spellings LLVM 22's.

use wavemark_target::InstFeature;

use crate::Machine;

/// Whether there are the FFT and rotation modes.
pub fn has_wide_modes(machine: Machine) -> bool {
    machine.has_inst(InstFeature::Gfx9Insts)
}

/// The text of a `ds_swizzle_b32` offset.
pub fn text(machine: Machine, offset: u16) -> String {
    let (and, or, xor) = (offset & 31, offset >> 5 & 31, offset >> 10 & 31);
    if offset >= 0xc000 && !has_wide_modes(machine) {
        return offset.to_string();
    }
    if offset >= 0xe000 {
        return format!("swizzle(FFT,{})", offset & 31);
    }
    if offset >= 0xc000 {
        return format!("swizzle(ROTATE,{},{})", offset >> 10 & 1, offset >> 5 & 31);
    }
    if offset & 0xff00 == 0x8000 {
        let lane = |n: u16| offset >> (2 * n) & 3;
        return format!("swizzle(QUAD_PERM,{},{},{},{})", lane(0), lane(1), lane(2), lane(3));
    }
    if offset & 0x8000 != 0 {
        return offset.to_string();
    }
    if and == 31 && or == 0 && xor.count_ones() == 1 {
        return format!("swizzle(SWAP,{xor})");
    }
    if and == 31 && or == 0 && xor > 0 && (xor + 1).is_power_of_two() {
        return format!("swizzle(REVERSE,{})", xor + 1);
    }
    let group = 32 - and;
    if group > 1 && group.is_power_of_two() && or < group && xor == 0 {
        return format!("swizzle(BROADCAST,{group},{or})");
    }
    let pattern: String = (0..5)
        .rev()
        .map(|bit| {
            let zero = or ^ xor;
            let one = (and | or) ^ xor;
            match (zero >> bit & 1, one >> bit & 1) {
                (0, 0) => '0',
                (1, 1) => '1',
                (0, _) => 'p',
                _ => 'i',
            }
        })
        .collect();
    format!("swizzle(BITMASK_PERM,\"{pattern}\")")
}
