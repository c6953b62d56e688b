//! What views claim, and how they are united.

use super::*;
use crate::lanewise::places;

/// Two views in which `write` and `read` touch bytes of one allocation; whether they can be united, and what it holds.
fn unite(accesses: [&dyn Fn(&mut Global, u64); 2]) -> (bool, Vec<u8>) {
    let mut global = Global::new();
    let base = global.allocate("a", vec![7; 10_000], true);
    global.allocations[0].claims_reads = true;
    let shared = global.share();
    let mut views = vec![global.view(&shared), global.view(&shared)];
    for (n, (view, access)) in views.iter_mut().zip(accesses).enumerate() {
        view.claim_for(n as u64);
        access(view, base);
    }
    let united = global.unite(shared, views, true);
    (united, global.contents(base).unwrap_or_default().to_vec())
}

/// A view of so many bytes that claims what is read.
fn view_of(len: usize) -> View {
    let contents = Contents::Own(vec![0; len]);
    let (read, written) = (AtomicBool::new(false), AtomicBool::new(false));
    View::new(Arc::new(Common { contents, read, written }), true)
}

fn write(from: u64, len: u64, value: u8) -> impl Fn(&mut Global, u64) {
    move |view, base| view.slice_mut(base + from, len).unwrap_or_else(|| panic!("{from}")).fill(value)
}

fn read(from: u64, len: u64) -> impl Fn(&mut Global, u64) {
    move |view, base| assert_eq!(view.slice(base + from, len).map(<[u8]>::len), Some(len as usize))
}

#[test]
fn what_two_write_side_by_side_is_united() {
    let (united, bytes) = unite([&write(0, 5000, 1), &write(5000, 5000, 2)]);
    assert!(united);
    assert!(bytes[..5000].iter().all(|&b| b == 1) && bytes[5000..].iter().all(|&b| b == 2));
    // Pages that both have copied, and parts of one dword.
    let (united, bytes) = unite([&write(4, 5, 1), &write(9, 2, 2)]);
    assert!(united);
    assert_eq!(bytes[..12], [7, 7, 7, 7, 1, 1, 1, 1, 1, 2, 2, 7]);
}

/// The lanes of a row, each eighth byte of two granules.
fn read_rows(from: u64) -> impl Fn(&mut Global, u64) {
    let at = Chunk(std::array::from_fn(|l| 8 * l as u32));
    move |view, base| assert!(view.rows((base + from, 128), 4, &[at], 0xffff).is_some())
}

#[test]
fn what_is_read_by_rows_collides_with_what_is_written_before_and_after() {
    let both = |view: &mut Global, base| {
        read_rows(640)(view, base);
        write(0, 4, 1)(view, base);
    };
    assert!(!unite([&read_rows(640), &write(700, 1, 1)]).0);
    assert!(!unite([&write(700, 1, 1), &read_rows(640)]).0);
    assert!(!unite([&both, &write(700, 1, 1)]).0);
    assert!(unite([&both, &write(768, 1, 1)]).0);
    assert!(unite([&read_rows(640), &read_rows(640)]).0);
}

/// Whoever sees a read that is not claimed beside a write, there are claims the next time.
#[test]
fn reads_are_claimed_once_it_matters() {
    for reads_first in [true, false] {
        let mut global = Global::new();
        let bases = ["a", "b"].map(|name| global.allocate(name, vec![7; 1000], true));
        for (round, united) in [false, true].into_iter().enumerate() {
            let shared = global.share();
            let mut views = [global.view(&shared), global.view(&shared)];
            for (n, view) in views.iter_mut().enumerate() {
                view.claim_for(n as u64);
                read(0, 10)(view, bases[1]);
                let first = (n == 0) == reads_first;
                if first { read(0, 64)(view, bases[0]) } else { write(64, 8, 1)(view, bases[0]) }
            }
            assert_eq!(views.iter().any(Global::is_unclear), round == 0);
            assert_eq!(global.unite(shared, views.into(), true), united);
            let claimed: Vec<bool> = global.allocations().iter().map(|a| a.claims_reads).collect();
            assert_eq!(claimed, [true, false]);
        }
    }
}

#[test]
fn collisions_leave_what_was_there() {
    for (a, b) in [
        (&write(0, 8, 1) as &dyn Fn(&mut Global, u64), &write(7, 8, 2) as &dyn Fn(&mut Global, u64)),
        (&write(100, 4, 1), &read(100, 1)),
        (&read(9000, 1000), &write(9996, 4, 1)),
    ] {
        let (united, bytes) = unite([a, b]);
        assert!(!united);
        assert_eq!(bytes, [7; 10_000]);
    }
    assert!(unite([&read(0, 100), &read(0, 100)]).0);
    assert!(unite([&write(0, 64, 1), &read(64, 64)]).0);
}

/// What one claimant touches twice is noted where that matters.
#[test]
fn what_is_touched_again_is_noted() {
    let again = |accesses: &[&dyn Fn(&mut Global, u64)]| {
        let mut global = Global::new();
        let base = global.allocate("a", vec![7; 10_000], true);
        global.allocations[0].claims_reads = true;
        let shared = global.share();
        let mut view = global.view(&shared);
        view.claim_for(0);
        accesses.iter().for_each(|access| access(&mut view, base));
        let again = view.take_again();
        assert!(!view.take_again());
        again
    };
    assert!(again(&[&write(0, 4, 1), &read(0, 1)]));
    assert!(again(&[&write(8, 2, 1), &write(9, 2, 1)]));
    assert!(!again(&[&write(8, 2, 1), &write(10, 2, 1), &write(13, 1, 1)]));
    assert!(again(&[&read(0, 4), &write(60, 4, 1)]));
    assert!(!again(&[&read(0, 64), &read(0, 64), &write(64, 8, 1), &write(72, 8, 1)]));
    // The lanes of one access.
    let at = [0, 1].map(|c| Chunk(std::array::from_fn(|l| (16 * c + l as u32) * 2)));
    let halves = |view: &mut Global, base| {
        assert!(view.rows_to_claim(Claim::Store, (base, 64), 2, &at, 0xffff_ffff).is_some());
    };
    assert!(!again(&[&halves]));
    assert!(again(&[&halves, &halves]));
}

/// Claims say of collisions, and of what is touched again, what a list of each byte's writer says; but that two writers may
/// be taken to collide who share a pair of bytes.
#[test]
fn writers_are_those_of_each_byte() {
    let mut state = 7u64;
    let mut draw = |below: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    };
    for round in 0..300 {
        let mut view = view_of(8200);
        let (mut writers, mut readers) = ([0; 8200], [0; 129]);
        let most = 1 + round % 3;
        for step in 0..40 {
            let claimant = 1 + draw(most) as u32;
            let (start, size) = ([0, 4000, 8130][draw(3)] + draw(200) / 4, [1, 2, 4, 16, 30][draw(5)]);
            let size = size.min(8200 - start);
            let last = start + size - 1;
            let (mut collides, mut again) = (false, false);
            let pairs = &writers[start & !1..=last | 1];
            let shares_a_pair = pairs.iter().any(|&w| w != 0 && w != claimant);
            let who = &mut writers[start..=last];
            collides |= who.iter().any(|&w| w != 0 && w != claimant);
            again |= who.contains(&claimant);
            let granules = &mut readers[start / GRANULE..=last / GRANULE];
            if draw(2) == 0 {
                granules
                    .iter_mut()
                    .for_each(|r| *r = if *r == 0 || *r == claimant { claimant } else { MANY });
                view.claim(Claim::Read, claimant, start, size);
            } else {
                collides |= granules.iter().any(|&r| r != 0 && r != claimant);
                again |= granules.contains(&claimant);
                who.fill(claimant);
                view.claim(Claim::Store, claimant, start, size);
            }
            let found = std::mem::take(&mut view.claimed);
            let found = (found.collides, found.again);
            if shares_a_pair && found.0 {
                // Whose the bytes of a pair are is not known any more.
                break;
            }
            assert_eq!(found, (collides, again), "round {round}, step {step}");
        }
    }
}

/// What lanes access is claimed alike by rows and one by one.
#[test]
fn rows_are_claimed_as_their_lanes_are() {
    let mut state = 1u64;
    let mut draw = |below: u32| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as u32 % below
    };
    for round in 0..600 {
        let size = [1, 2, 4, 8, 12, 16][round % 6];
        let (from, step) = ([draw(300) as usize, draw(300) as usize, 64], draw(40));
        let at: Vec<Chunk> = (0..2)
            .map(|c| Chunk(std::array::from_fn(|l| (c * 16 + l as u32) * step % 3000 + draw(3))))
            .collect();
        let mask = u64::from(draw(u32::MAX)) | (u64::from(draw(2)) * 0xffff);
        let accesses = [(1, from[0]), (1, from[0]), (2, from[0]), (3, from[1]), (3, from[2])];
        let accesses = accesses
            .map(|(claimant, from)| (if draw(3) == 0 { Claim::Store } else { Claim::Read }, claimant, from));
        let mut views = [view_of(4000), view_of(4000)];
        for (claim, claimant, from) in accesses {
            views[0].claim_rows(claim, claimant, (from, size), &at, mask);
            for place in places(&at, mask) {
                views[1].claim(claim, claimant, from + place, size);
            }
            let (rows, lanes) = (&views[0], &views[1]);
            assert_eq!(rows.readers, lanes.readers, "{size} bytes from {from:?}, {mask:#x} of {at:?}");
            let of = |view: &View, page: usize| {
                let writers = view.writers.get(page)?.as_deref()?;
                Some(writers.granules.map(|granule| (granule.writer, granule.written)))
            };
            assert_eq!(of(rows, 0), of(lanes, 0), "{size} bytes from {from:?}, {mask:#x} of {at:?}");
            assert_eq!(rows.claimed.collides, lanes.claimed.collides);
        }
    }
}

/// In one view, the claimants are told apart as well.
#[test]
fn claimants_of_one_view_collide() {
    let mut global = Global::new();
    let base = global.allocate("a", vec![7; 100], true);
    global.allocations[0].claims_reads = true;
    let shared = global.share();
    let mut view = global.view(&shared);
    view.claim_for(0);
    assert!(view.slice_mut(base, 4).is_some());
    assert!(view.slice(base, 4).is_some());
    assert!(!view.collides());
    view.claim_for(1);
    assert!(view.slice(base, 4).is_some());
    assert!(view.collides());
    assert!(!global.unite(shared, vec![view], true));
    assert_eq!(global.contents(base), Some(&[7; 100][..]));
}

/// What a view has not written of a page is read as it is shared, whichever comes first: a read, or a change of some bytes.
#[test]
fn what_a_view_has_not_written_is_what_is_shared() {
    let mut global = Global::new();
    let base = global.allocate("a", (0..10_000u32).map(|at| at as u8).collect(), true);
    global.allocations[0].claims_reads = true;
    let shared = global.share();
    let mut view = global.view(&shared);
    view.claim_for(0);
    let mut store = |from: u64, len: u64| {
        if let Some(bytes) = view.slice_to_store(base + from, len) {
            bytes.fill(0xff);
        }
    };
    store(100, 3);
    store(4090, 12);
    store(9990, 10);
    let expected = |at: usize| match at {
        100..103 | 4090..4102 | 9990.. => 0xff,
        _ => at as u8,
    };
    let changed = view.slice_mut(base + 4200, 4).map(|bytes| (bytes.to_vec(), bytes[1] = 1));
    assert_eq!(changed.map(|(was, ())| was), Some((4200..4204).map(expected).collect()));
    let expected = |at: usize| if at == 4201 { 1 } else { expected(at) };
    let read = view.slice(base + 64, 9_936).map(<[u8]>::to_vec);
    assert_eq!(read, Some((64..10_000).map(expected).collect()));
    assert!(global.unite(shared, vec![view], true));
    assert_eq!(global.contents(base).map(<[u8]>::to_vec), Some((0..10_000).map(expected).collect()));
}
