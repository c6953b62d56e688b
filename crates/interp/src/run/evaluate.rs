//! Operations that are machine instructions: operands into the simulator's registers, and results back.

use crate::lanes::{Active, Frame, Pool, Shadow, each};
use crate::op::Machine;
use crate::shape::mask;

/// Evaluates a machine instruction.
pub(super) fn evaluate(
    functions: &mut wavemark_sim::function::Functions,
    machine: &Machine,
    frame: &mut Frame,
    pool: &Pool,
    active: Active,
) {
    // Of what packs values, some are often left open: the result is open where all are.
    let mut shadow = Shadow { poison: 0, undef: if machine.across { 0 } else { u64::MAX } };
    for (register, pieces) in &machine.inputs {
        let to = functions.register(*register as usize);
        if let [piece] = &pieces[..]
            && (piece.to, piece.bits, piece.shift) == (0, 32, 0)
        {
            let words = frame.get(pool, machine.from[piece.from as usize]);
            to.iter_mut().zip(words).for_each(|(to, &word)| *to = word as u32);
        } else {
            to.fill(0);
            for piece in pieces {
                let words = frame.get(pool, machine.from[piece.from as usize]);
                let (shift, bits, at) = (piece.shift, mask(piece.bits), piece.to);
                to.iter_mut().zip(words).for_each(|(to, &word)| *to |= ((word >> shift & bits) as u32) << at);
            }
        }
        for piece in pieces {
            let own = frame.shadow(pool, machine.from[piece.from as usize]);
            shadow.poison |= own.poison;
            shadow.undef = if machine.across { shadow.undef | own.undef } else { shadow.undef & own.undef };
        }
    }
    functions.evaluate(machine.function, if machine.across { u64::MAX } else { active.mask });
    if machine.across {
        let spread = |lanes: u64| if lanes & active.mask == 0 { 0 } else { u64::MAX };
        shadow = Shadow { poison: spread(shadow.poison), undef: spread(shadow.undef) };
    }
    for (register, pieces) in (machine.to..).zip(&machine.results) {
        let mut words = [0u64; 64];
        for piece in pieces {
            let from = functions.register((machine.output + piece.from) as usize);
            let (shift, bits, at) = (piece.shift, mask(piece.bits), piece.to);
            words
                .iter_mut()
                .zip(&*from)
                .for_each(|(to, &word)| *to |= (u64::from(word) >> shift & bits) << at);
        }
        let to = frame.words_mut(register);
        if active.full {
            to.copy_from_slice(&words[..to.len()]);
        } else {
            each(active.mask).for_each(|lane| to[lane] = words[lane]);
        }
        frame.set_shadow(register, shadow, active);
    }
}
