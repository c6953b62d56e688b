//! The machine with caches: a reduced exploration has the same final registers as a full one, on random programs.

use wavemark_memmodel::caches::{self, Exploration, Hierarchy, Op, Program, Waits, Wave, run};
use wavemark_memmodel::litmus::{Update, Value};

/// Numbers from a seed (xorshift).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % end
    }

    fn one<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u64) as usize]
    }
}

/// The locations: two in memory, one in LDS.
const LOCATIONS: usize = 3;

fn op(numbers: &mut Numbers, register: u8, stored: i64) -> Op {
    let location = numbers.below(2) as u8;
    let level = numbers.below(4) as u8;
    // A load's register may be what a later store writes.
    let value = match register {
        1.. if numbers.below(4) == 0 => Value::Register(register - 1),
        _ => Value::Number(stored),
    };
    match numbers.below(10) {
        0..3 => Op::Load(register, location, level),
        3..5 => Op::Store(location, value, level.max(2)),
        5 => {
            let register = (numbers.below(2) == 0).then_some(register);
            Op::Update(register, location, numbers.one(&[Update::Add, Update::Exchange]), value, level.max(2))
        }
        6 => Op::Wait(Waits {
            loads: numbers.below(2) == 0,
            stores: numbers.below(2) == 0,
            lds: numbers.below(2) == 0,
            asynchronous: numbers.below(2) == 0,
            tensor: numbers.below(2) == 0,
        }),
        7 => match numbers.below(5) {
            4 => Op::InvalidateDevice,
            0 => Op::InvalidateSecond,
            level => Op::Invalidate(level as u8),
        },
        8 => Op::WriteBack,
        _ => match numbers.below(5) {
            0 => Op::LdsLoad(register, 2),
            1 => Op::LdsStore(2, value),
            2..4 => {
                let to_lds = numbers.below(2) == 0;
                let level = if to_lds { level } else { level.max(2) };
                let tensor = numbers.below(2) == 0;
                Op::Copy(caches::Copy { to_lds, lds: 2, global: location, level, tensor })
            }
            _ => Op::LdsUpdate((numbers.below(2) == 0).then_some(register), 2, Update::Add, value),
        },
    }
}

#[test]
fn reduced_and_full() {
    let cases: u64 = std::env::var("WAVEMARK_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(300);
    let seed =
        std::env::var("WAVEMARK_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0x5eed_cace_u64);
    println!("seed {seed}");
    let (mut compared, mut several) = (0, 0);
    for case in 0..cases {
        let mut numbers = Numbers(seed.wrapping_add(case).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let flag = |numbers: &mut Numbers| numbers.below(2) == 0;
        let hierarchy = Hierarchy {
            shared_first: flag(&mut numbers),
            ports: flag(&mut numbers),
            write_back_in_order: flag(&mut numbers),
            second: flag(&mut numbers),
            incoherent_device: flag(&mut numbers),
        };
        let count = 2 + numbers.below(2);
        let waves: Vec<Wave> = (0..count)
            .map(|wave| {
                // A workgroup is in one agent.
                let workgroup = numbers.below(2) as u8;
                let length = 1 + numbers.below(6 - count) as u8;
                let ops = (0..length).map(|at| op(&mut numbers, at, (10 * wave + u64::from(at) + 1) as i64));
                Wave { device: workgroup, workgroup, registers: length.into(), ops: ops.collect() }
            })
            .collect();
        let explore = |exploration| {
            let found = run(&Program::new(hierarchy, &[0; LOCATIONS], &waves), exploration, 200_000)?;
            Some(found.ends.into_keys().collect::<Vec<_>>())
        };
        let (Some(full), Some(reduced)) = (explore(Exploration::Full), explore(Exploration::Reduced)) else {
            continue;
        };
        assert_eq!(full, reduced, "case {case}: {hierarchy:?} {waves:#?}");
        compared += 1;
        several += usize::from(full.len() > 1);
    }
    println!("{compared} compared, {several} of them with several results");
    assert!(compared * 10 >= cases * 9, "{compared} of {cases} within the bound");
    assert!(several * 4 > compared as usize, "{several} of {compared} have several results");
}

/// A load that a wave's own store follows is performed, whatever level it reads.
#[test]
fn a_load_before_a_store_of_its_wave() {
    let ops = vec![Op::Load(0, 0, 2), Op::Store(0, Value::Number(1), 2)];
    let hierarchy = Hierarchy {
        shared_first: true,
        ports: false,
        write_back_in_order: true,
        second: false,
        incoherent_device: false,
    };
    let waves = [Wave { device: 0, workgroup: 0, registers: 1, ops }];
    for exploration in [Exploration::Full, Exploration::Reduced] {
        let found = run(&Program::new(hierarchy, &[7], &waves), exploration, 1_000).unwrap();
        assert_eq!(found.ends.into_keys().collect::<Vec<_>>(), [[[Some(7)]]]);
    }
}
