//! Which machines are executed: the one place that names them. What they differ in is asked of their facts.

use wavemark_target::{Features, InstFeature, InstructionSet, InstructionSets, Machine, Processor};

/// The instruction sets whose rows have a meaning here, but for those that `fidelity/refused.txt` lists.
const MODELLED: InstructionSets = InstructionSets::range(InstructionSet::Gfx900, InstructionSet::Gfx950)
    .union(InstructionSets::range(InstructionSet::Gfx1010, InstructionSet::Gfx1251));

/// A processor without a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the simulator does not model {0}")]
pub struct NotModelled(pub Processor);

/// The machine that executes code for `machine`. It knows which half of a register a 16-bit operand is, however the
/// code's text was written, and its waves are of a size that the processor has, whatever a descriptor says.
///
/// # Errors
/// [`NotModelled`] for a processor, or a generic one, whose instructions have no meaning here.
pub fn modelled(machine: Machine) -> Result<Machine, NotModelled> {
    let Machine { processor, mut wave_size, mut features, .. } = machine;
    if !MODELLED.contains(processor.instruction_sets()) {
        return Err(NotModelled(processor));
    }
    if !processor.allows(wave_size) {
        wave_size = processor.default_wave_size();
    }
    if processor.has_inst(InstFeature::True16) {
        features |= Features::REAL_TRUE16;
    }
    Ok(Machine { wave_size, features, ..machine })
}

/// The machines that tests execute.
#[cfg(test)]
#[path = "../tests/all/machines/mod.rs"]
pub(crate) mod machines;

#[cfg(test)]
mod tests {
    use super::machines::ALL;
    use super::*;

    #[test]
    fn a_machine_is_executed_in_one_form() {
        for machine in ALL {
            let written = Machine { wave_size: machine.wave_size, ..Machine::new(machine.processor) };
            assert_eq!(modelled(written), Ok(machine));
            assert_eq!(modelled(machine), Ok(machine));
        }
    }

    #[test]
    fn others_are_named() {
        let refused =
            |name| Machine::parse(name, "").map(|machine| modelled(machine).map_err(|e| e.to_string()));
        for name in ["gfx600", "gfx803"] {
            assert_eq!(refused(name), Ok(Err(format!("the simulator does not model {name}"))));
        }
    }
}
