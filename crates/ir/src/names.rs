//! Declares a kind that has a spelling for each of its members: reader and printer go by the same table.

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
            pub fn name(self) -> &'static str {
                match self { $($name::$variant => $text,)* }
            }

            /// What is spelled so.
            pub fn named(text: &str) -> Option<$name> {
                match text { $($text => Some($name::$variant),)* _ => None }
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
