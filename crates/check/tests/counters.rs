//! What the static checks take for granted of counters.

use wavemark_isa::effects::{Channel, Counter, CounterSet};
use wavemark_target::{Machine, Processor};

/// A position in a queue is a bit of a word: whatever may be outstanding of a counter is told apart, and nothing is capped.
#[test]
fn every_position_has_its_bit() {
    let mut widest = 0;
    for processor in Processor::ALL.iter().copied() {
        let Ok(machine) = Machine::parse(processor.name(), "") else { continue };
        let counters = CounterSet::of(machine);
        let has = |counter: Counter| counters.counters().any(|own| own == counter);
        for channel in Channel::ALL.iter().copied().filter(|channel| channel.in_order()) {
            let counter = counters.counter_of(channel);
            if has(counter) {
                let capacity = counters.capacity(counter);
                assert!(
                    capacity <= u64::BITS,
                    "{}: {} counts to {capacity}",
                    processor.name(),
                    counter.name()
                );
                widest = widest.max(capacity);
            }
        }
    }
    assert_eq!(widest, 63);
}
