//! Words: lists of them, in which one is found without comparing it with the others.
//!
//! [`spelled!`] declares a kind that has a spelling for each of its members: reader and printer go by the same table.

/// A list of words. Which of them a text is, is looked up in a table where each has a slot of its own; a reader that guesses
/// by comparing is mostly wrong, and the processor with it.
pub(crate) struct Words<const N: usize, const SLOTS: usize> {
    words: [&'static str; N],
    keys: [u64; N],
    /// What spreads the keys so that no two come into one slot.
    multiplier: u64,
    /// Which word is in a slot; `N` or more: none.
    slots: [u8; SLOTS],
}

impl<const N: usize, const SLOTS: usize> Words<N, SLOTS> {
    /// Of words that all differ. Does not end, and so does not compile, where two have one key.
    pub const fn new(words: [&'static str; N]) -> Words<N, SLOTS> {
        assert!(N < 255 && SLOTS.is_power_of_two());
        let mut keys = [0; N];
        let mut at = 0;
        while at < N {
            keys[at] = key(words[at].as_bytes());
            at += 1;
        }
        let mut multiplier = 0x9e37_79b9_7f4a_7c15u64;
        loop {
            let mut slots = [u8::MAX; SLOTS];
            let mut at = 0;
            while at < N {
                let slot = (keys[at].wrapping_mul(multiplier) >> (64 - SLOTS.trailing_zeros())) as usize;
                if slots[slot] != u8::MAX {
                    break;
                }
                slots[slot] = at as u8;
                at += 1;
            }
            if at == N {
                return Words { words, keys, multiplier, slots };
            }
            multiplier = multiplier.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(2);
        }
    }

    /// Which of the words a text is.
    #[inline(always)]
    pub fn find(&self, text: &str) -> Option<usize> {
        let key = key(text.as_bytes());
        let slot = (key.wrapping_mul(self.multiplier) >> (64 - SLOTS.trailing_zeros())) as usize;
        let at = usize::from(self.slots[slot]);
        let word = self.words.get(at)?;
        // Up to eight bytes the key is all that there is.
        let same = self.keys[at] == key && word.len() == text.len() && (text.len() <= 8 || *word == text);
        same.then_some(at)
    }
}

/// A number that texts of one length up to eight bytes differ in, and others mostly.
#[inline(always)]
const fn key(text: &[u8]) -> u64 {
    let length = text.len();
    if length > 8 {
        word(text, 0) ^ word(text, length - 8).rotate_left(29) ^ length as u64
    } else if length == 8 {
        word(text, 0)
    } else if length >= 4 {
        half(text, 0) as u64 | (half(text, length - 4) as u64) << 32
    } else if length > 0 {
        text[0] as u64 | (text[length / 2] as u64) << 8 | (text[length - 1] as u64) << 16
    } else {
        0
    }
}

#[inline(always)]
const fn word(text: &[u8], at: usize) -> u64 {
    half(text, at) as u64 | (half(text, at + 4) as u64) << 32
}

#[inline(always)]
const fn half(text: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([text[at], text[at + 1], text[at + 2], text[at + 3]])
}

macro_rules! spelled {
    ($(#[$meta:meta])* $name:ident { $($(#[$inner:meta])* $variant:ident = $text:literal),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "the names are the language reference's")]
        pub enum $name { $($(#[$inner])* $variant,)* }

        impl $name {
            /// All of them.
            pub const ALL: &'static [$name] = &[$($name::$variant),*];

            /// As it is spelled.
            pub const fn name(self) -> &'static str {
                match self { $($name::$variant => $text,)* }
            }

            /// What is spelled so.
            #[inline]
            #[allow(dead_code, reason = "some lists are looked up together with others")]
            pub fn named(text: &str) -> Option<$name> {
                const COUNT: usize = $name::ALL.len();
                static WORDS: $crate::names::Words<COUNT, 256> = $crate::names::Words::new([$($text),*]);
                WORDS.find(text).map(|at| $name::ALL[at])
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}
pub(crate) use spelled;

#[cfg(test)]
mod tests {
    use crate::function::NamedConvention;
    use crate::opcode::{BinaryOp, CastOp, Flags, FloatPredicate, IntPredicate, Ordering, RmwOp};

    /// No two words of a list have one key: each would hide the other.
    #[test]
    fn every_word_is_found() {
        macro_rules! all {
            ($($list:ident)*) => {
                $($list::ALL.iter().for_each(|&one| assert_eq!($list::named(one.name()), Some(one)));)*
            };
        }
        all!(BinaryOp CastOp FloatPredicate IntPredicate NamedConvention Ordering RmwOp);
        Flags::NAMES.iter().for_each(|&(flag, name)| assert_eq!(Flags::named(name), Some(flag)));
    }
}
