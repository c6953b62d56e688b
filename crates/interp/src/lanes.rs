//! Registers: a word in every lane, and which lanes have no value there.
//!
//! A register is written in the lanes that are active, and keeps what it has in the others: those may be behind, in
//! another turn of a loop. Values of narrow integers have no bit set beyond their width.
//!
//! Beside the words stands what is known of them ([`Shadow`]): lanes whose value is poison, and lanes of whose value some
//! bits are undefined (`undef`, memory that nobody has written). Both pass from operands to results; what reads both and
//! does not need one (`select`, a shuffle) passes what it needs. Which bits are undefined is kept apart, for the few
//! registers that have any ([`Frame::undefined`]); what an operation makes of them is [`mod@crate::undef`].

use rustc_hash::FxHashMap;

/// Lanes without a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shadow {
    /// Lanes that hold poison.
    pub poison: u64,
    /// Lanes that hold anything in some of their bits.
    pub undef: u64,
}

impl Shadow {
    /// What a result has that depends on both.
    #[inline(always)]
    pub fn or(self, other: Shadow) -> Shadow {
        Shadow { poison: self.poison | other.poison, undef: self.undef | other.undef }
    }

    /// In these lanes alone.
    #[inline(always)]
    pub fn in_lanes(self, lanes: u64) -> Shadow {
        Shadow { poison: self.poison & lanes, undef: self.undef & lanes }
    }

    /// `other` in these lanes, and this in all others.
    #[inline(always)]
    pub fn with(self, other: Shadow, lanes: u64) -> Shadow {
        self.in_lanes(!lanes).or(other.in_lanes(lanes))
    }

    /// Lanes without a value.
    #[inline(always)]
    pub fn any(self) -> u64 {
        self.poison | self.undef
    }
}

/// A register, or a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Src(u32);

impl Src {
    const CONSTANT: u32 = 1 << 31;

    /// The register `number`.
    pub fn register(number: u32) -> Src {
        Src(number)
    }

    /// The constant `number`.
    pub fn constant(number: u32) -> Src {
        Src(number | Src::CONSTANT)
    }

    /// The number of a register.
    pub fn as_register(self) -> Option<u32> {
        (self.0 & Src::CONSTANT == 0).then_some(self.0)
    }

    /// The number of a constant.
    #[inline(always)]
    pub fn as_constant(self) -> Option<usize> {
        (self.0 & Src::CONSTANT != 0).then_some((self.0 & !Src::CONSTANT) as usize)
    }

    #[inline(always)]
    fn number(self) -> usize {
        self.0 as usize
    }
}

/// What is known of a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Known {
    /// It is a value.
    Value,
    /// It is undefined in these bits.
    Undef(u64),
    /// `poison`.
    Poison,
}

/// Constants: the same word in every lane.
#[derive(Clone, Debug, Default)]
pub struct Pool {
    values: Vec<[u64; 64]>,
    shadows: Vec<Shadow>,
    undefined: Vec<u64>,
}

impl Pool {
    /// One more constant.
    pub fn push(&mut self, value: u64, known: Known) -> Src {
        self.values.push([value; 64]);
        self.shadows.push(match known {
            Known::Value | Known::Undef(0) => Shadow::default(),
            Known::Undef(_) => Shadow { undef: u64::MAX, poison: 0 },
            Known::Poison => Shadow { poison: u64::MAX, undef: 0 },
        });
        self.undefined.push(match known {
            Known::Undef(bits) => bits,
            _ => 0,
        });
        Src::constant(self.values.len() as u32 - 1)
    }

    /// The value of a constant.
    pub fn value(&self, number: usize) -> u64 {
        self.values[number][0]
    }
}

/// Which lanes are active.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Active {
    /// A bit for each.
    pub mask: u64,
    /// All that a wave has.
    pub full: bool,
}

/// The lanes of a mask, ascending.
#[inline(always)]
pub fn each(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (mask != 0).then(|| {
            let lane = mask.trailing_zeros() as usize;
            mask &= mask - 1;
            lane
        })
    })
}

/// What is known of a word: lanes without a value, and which bits of them are undefined, if any are.
pub type Taken = (Shadow, Option<Box<[u64; 64]>>);

/// The registers of an activation of a function.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    lanes: usize,
    words: Vec<u64>,
    shadows: Vec<Shadow>,
    /// Of registers that are undefined in some lanes, which bits there.
    undefined: FxHashMap<u32, Box<[u64; 64]>>,
    /// A result depends on undefined bits, and nobody has looked which of its own are.
    unsettled: bool,
}

impl Frame {
    /// `registers` of so many lanes, all zero.
    pub fn new(registers: u32, lanes: usize) -> Frame {
        let count = registers as usize;
        Frame {
            lanes,
            words: vec![0; count * lanes],
            shadows: vec![Shadow::default(); count],
            ..Frame::default()
        }
    }

    /// The words of a source.
    #[inline(always)]
    pub fn get<'a>(&'a self, pool: &'a Pool, src: Src) -> &'a [u64] {
        pick(&self.words, pool, src, self.lanes)
    }

    /// What is known of a source.
    #[inline(always)]
    pub fn shadow(&self, pool: &Pool, src: Src) -> Shadow {
        match src.as_constant() {
            Some(number) => pool.shadows[number],
            None => self.shadows[src.number()],
        }
    }

    /// The words of a register, to be written in active lanes alone.
    #[inline(always)]
    pub fn words_mut(&mut self, register: u32) -> &mut [u64] {
        let at = register as usize * self.lanes;
        &mut self.words[at..at + self.lanes]
    }

    /// Says what is known of a register in the active lanes: those that are undefined are so in all bits.
    #[inline(always)]
    pub fn set_shadow(&mut self, register: u32, shadow: Shadow, active: Active) {
        let known = &mut self.shadows[register as usize];
        let before = *known;
        *known = before.with(shadow, active.mask);
        if (before.undef | known.undef) != 0 {
            self.in_all_bits(register, active.mask);
        }
    }

    /// What was known of single bits of a register does not hold any more in some lanes.
    #[cold]
    fn in_all_bits(&mut self, register: u32, lanes: u64) {
        let undef = self.shadows[register as usize].undef;
        if undef == 0 {
            self.undefined.remove(&register);
            return;
        }
        if let Some(bits) = self.undefined.get_mut(&register) {
            each(lanes).for_each(|lane| bits[lane] = u64::MAX);
        }
        self.unsettled = true;
    }

    /// Whether a result depends on undefined bits and nobody has settled which of its own are; it is settled from here on.
    #[inline(always)]
    pub fn take_unsettled(&mut self) -> bool {
        std::mem::take(&mut self.unsettled)
    }

    /// The bits of a source that are undefined in a lane.
    #[inline]
    pub fn undefined(&self, pool: &Pool, src: Src, lane: usize) -> u64 {
        if let Some(number) = src.as_constant() {
            return pool.undefined[number];
        }
        let number = src.number();
        if self.shadows[number].undef >> lane & 1 == 0 {
            return 0;
        }
        self.undefined.get(&(number as u32)).map_or(u64::MAX, |bits| bits[lane])
    }

    /// Says which bits of a register are undefined in the active lanes.
    pub fn set_undefined(&mut self, register: u32, bits: &[u64; 64], active: Active) {
        let lanes = each(active.mask).filter(|&lane| bits[lane] != 0).fold(0, |all, lane| all | 1 << lane);
        let known = &mut self.shadows[register as usize];
        let before = known.undef;
        known.undef = before & !active.mask | lanes;
        if known.undef == 0 {
            self.undefined.remove(&register);
            return;
        }
        let kept = self.undefined.entry(register).or_insert_with(|| Box::new([u64::MAX; 64]));
        each(active.mask).for_each(|lane| kept[lane] = bits[lane]);
    }

    /// The undefined bits of a source in all lanes, if any are.
    pub fn undefined_lanes(&self, pool: &Pool, src: Src) -> Option<Box<[u64; 64]>> {
        (self.shadow(pool, src).undef != 0)
            .then(|| Box::new(std::array::from_fn(|lane| self.undefined(pool, src, lane))))
    }

    /// Takes a word, and what is known of it, from another frame, or from this one, in the active lanes.
    pub fn take(&mut self, register: u32, words: &[u64], (shadow, undefined): Taken, active: Active) {
        let to = self.words_mut(register);
        each(active.mask).for_each(|lane| to[lane] = words[lane]);
        self.know(register, (shadow, undefined), active);
    }

    /// Knows of a register what was known of another.
    pub fn know(&mut self, register: u32, (shadow, undefined): Taken, active: Active) {
        self.set_shadow(register, shadow, active);
        if let Some(bits) = undefined {
            self.set_undefined(register, &bits, active);
        }
    }

    /// What is known of a source, to be taken elsewhere.
    pub fn taken(&self, pool: &Pool, src: Src) -> Taken {
        (self.shadow(pool, src), self.undefined_lanes(pool, src))
    }

    /// One word in all active lanes, and a value.
    pub fn fill(&mut self, register: u32, word: u64, active: Active) {
        let words = self.words_mut(register);
        each(active.mask).for_each(|lane| words[lane] = word);
        self.set_shadow(register, Shadow::default(), active);
    }

    /// `register` = f(a), lane by lane.
    #[inline(always)]
    pub fn map1(&mut self, pool: &Pool, active: Active, register: u32, a: Src, f: impl Fn(u64) -> u64) {
        let shadow = self.shadow(pool, a);
        let (before, to) = self.split(register);
        let a = pick(before, pool, a, to.len());
        if active.full {
            to.iter_mut().zip(a).for_each(|(to, &a)| *to = f(a));
        } else {
            each(active.mask).for_each(|lane| to[lane] = f(a[lane]));
        }
        self.set_shadow(register, shadow, active);
    }

    /// `register` = f(a, b), lane by lane.
    #[inline(always)]
    pub fn map2(
        &mut self,
        pool: &Pool,
        active: Active,
        register: u32,
        [a, b]: [Src; 2],
        f: impl Fn(u64, u64) -> u64,
    ) {
        let shadow = self.shadow(pool, a).or(self.shadow(pool, b));
        let (before, to) = self.split(register);
        let [a, b] = [a, b].map(|src| pick(before, pool, src, to.len()));
        if active.full {
            to.iter_mut().zip(a).zip(b).for_each(|((to, &a), &b)| *to = f(a, b));
        } else {
            each(active.mask).for_each(|lane| to[lane] = f(a[lane], b[lane]));
        }
        self.set_shadow(register, shadow, active);
    }

    /// `register` = f(a, b), lane by lane; where f says so, the result is poison.
    #[inline(always)]
    pub fn map2_or_poison(
        &mut self,
        pool: &Pool,
        active: Active,
        register: u32,
        [a, b]: [Src; 2],
        f: impl Fn(u64, u64) -> (u64, bool),
    ) {
        let mut shadow = self.shadow(pool, a).or(self.shadow(pool, b));
        let (before, to) = self.split(register);
        let [a, b] = [a, b].map(|src| pick(before, pool, src, to.len()));
        let mut poison = [false; 64];
        let flags = &mut poison[..to.len()];
        if active.full {
            for (((to, flag), &a), &b) in to.iter_mut().zip(flags.iter_mut()).zip(a).zip(b) {
                (*to, *flag) = f(a, b);
            }
        } else {
            each(active.mask).for_each(|lane| (to[lane], flags[lane]) = f(a[lane], b[lane]));
        }
        if flags.iter().fold(false, |any, &flag| any | flag) {
            shadow.poison |= flags.iter().rev().fold(0, |mask, &flag| mask << 1 | u64::from(flag));
        }
        self.set_shadow(register, shadow, active);
    }

    /// `register` = f(a, b, c), lane by lane.
    #[inline(always)]
    pub fn map3(
        &mut self,
        pool: &Pool,
        active: Active,
        register: u32,
        [a, b, c]: [Src; 3],
        f: impl Fn(u64, u64, u64) -> u64,
    ) {
        let shadow = self.shadow(pool, a).or(self.shadow(pool, b)).or(self.shadow(pool, c));
        let (before, to) = self.split(register);
        let [a, b, c] = [a, b, c].map(|src| pick(before, pool, src, to.len()));
        if active.full {
            to.iter_mut().zip(a).zip(b).zip(c).for_each(|(((to, &a), &b), &c)| *to = f(a, b, c));
        } else {
            each(active.mask).for_each(|lane| to[lane] = f(a[lane], b[lane], c[lane]));
        }
        self.set_shadow(register, shadow, active);
    }

    /// `register` = a where the condition is odd, else b: what is not chosen does not matter.
    pub fn select(&mut self, pool: &Pool, active: Active, register: u32, condition: Src, [a, b]: [Src; 2]) {
        let [known, then, otherwise] = [condition, a, b].map(|src| self.shadow(pool, src));
        let (before, to) = self.split(register);
        let [c, a, b] = [condition, a, b].map(|src| pick(before, pool, src, to.len()));
        if active.full {
            for (((to, &c), &a), &b) in to.iter_mut().zip(c).zip(a).zip(b) {
                *to = if c & 1 != 0 { a } else { b };
            }
        } else {
            each(active.mask).for_each(|lane| to[lane] = if c[lane] & 1 != 0 { a[lane] } else { b[lane] });
        }
        let mut shadow = known;
        if then.any() | otherwise.any() != 0 {
            let chosen = each(active.mask).fold(0, |mask, lane| mask | (c[lane] & 1) << lane);
            shadow = shadow.or(otherwise.with(then, chosen));
        }
        self.set_shadow(register, shadow, active);
    }

    /// `register` |= f(a), lane by lane; what is known of it is the caller's.
    #[inline(always)]
    pub fn merge(&mut self, pool: &Pool, active: Active, register: u32, a: Src, f: impl Fn(u64) -> u64) {
        let (before, to) = self.split(register);
        let a = pick(before, pool, a, to.len());
        if active.full {
            to.iter_mut().zip(a).for_each(|(to, &a)| *to |= f(a));
        } else {
            each(active.mask).for_each(|lane| to[lane] |= f(a[lane]));
        }
    }

    /// Moves sources to registers at once, whatever they are: an edge to a block with `phi`s.
    pub fn move_all(&mut self, pool: &Pool, mask: u64, moves: &[(u32, Src)], scratch: &mut Vec<u64>) {
        // Most do not depend on each other; a source that is another's target is read first.
        let lanes = self.lanes;
        scratch.clear();
        let mut shadows: smallvec::SmallVec<[Taken; 8]> = smallvec::SmallVec::new();
        for &(_, src) in moves {
            scratch.extend_from_slice(pick(&self.words, pool, src, lanes));
            shadows.push(self.taken(pool, src));
        }
        let active = Active { mask, full: false };
        for (index, (&(register, _), shadow)) in moves.iter().zip(shadows).enumerate() {
            let from = &scratch[index * lanes..][..lanes];
            let to = &mut self.words[register as usize * lanes..][..lanes];
            if mask.count_ones() as usize == lanes {
                to.copy_from_slice(from);
            } else {
                each(mask).for_each(|lane| to[lane] = from[lane]);
            }
            self.know(register, shadow, active);
        }
    }

    /// What stands before a register, and its words: sources of an instruction are numbered below its result.
    #[inline(always)]
    fn split(&mut self, register: u32) -> (&[u64], &mut [u64]) {
        let (before, rest) = self.words.split_at_mut(register as usize * self.lanes);
        (before, &mut rest[..self.lanes])
    }
}

#[inline(always)]
fn pick<'a>(words: &'a [u64], pool: &'a Pool, src: Src, lanes: usize) -> &'a [u64] {
    match src.as_constant() {
        Some(number) => &pool.values[number][..lanes],
        None => &words[src.number() * lanes..][..lanes],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inactive_lanes_keep_what_they_have() {
        let mut pool = Pool::default();
        let (seven, poison) = (pool.push(7, Known::Value), pool.push(0, Known::Poison));
        let mut frame = Frame::new(2, 32);
        let full = Active { mask: 0xffff_ffff, full: true };
        let one = Active { mask: 1 << 3, full: false };
        frame.map1(&pool, full, 0, seven, |a| a + 1);
        frame.map2(&pool, one, 1, [Src::register(0), seven], |a, b| a * b);
        assert_eq!((frame.words_mut(1)[3], frame.words_mut(1)[4]), (56, 0));
        frame.map1(&pool, one, 1, poison, |a| a);
        assert_eq!(frame.shadow(&pool, Src::register(1)).poison, 1 << 3);
        frame.select(&pool, full, 1, seven, [seven, poison]);
        assert_eq!(frame.shadow(&pool, Src::register(1)), Shadow::default());
    }

    #[test]
    fn moves_happen_at_once() {
        let pool = Pool::default();
        let mut frame = Frame::new(2, 32);
        frame.words_mut(0).fill(1);
        frame.words_mut(1).fill(2);
        let swap = [(0, Src::register(1)), (1, Src::register(0))];
        frame.move_all(&pool, 1, &swap, &mut Vec::new());
        assert_eq!((frame.words_mut(0)[0], frame.words_mut(1)[0], frame.words_mut(1)[1]), (2, 1, 2));
    }
}
