//! Attributes of functions, parameters, results and globals.
//!
//! Follows "Parameter Attributes" and "Function Attributes" of the LLVM Language Reference, LLVM 22 to 24. [`KNOWN`] is
//! every name that LLVM reads, with the form of its argument; target-dependent attributes are strings.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::constant::Const;
use crate::entity::id;
use crate::names::Words;
use crate::types::Type;

id! {
    /// A group of attributes, `#0`.
    AttributeGroup, "#"
}

/// What follows an attribute's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Nothing.
    Flag,
    /// A number: `align 16` at a parameter, `align=16` in a group, `align(16)` in both.
    Number,
    /// A number in parentheses.
    Parenthesised,
    /// A type in parentheses.
    Type,
    /// `(i32 0, 1024)`.
    Range,
    /// Words in parentheses; their meaning is the attribute's own.
    Words,
    /// Words in parentheses, or nothing.
    MaybeWords,
}

/// One attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum Attribute {
    /// A name alone.
    Flag(&'static str),
    /// A number, such as an alignment.
    Number(&'static str, u64),
    /// A type, such as that of an argument passed in memory.
    Type(&'static str, Type),
    /// `range(ty low, high)`.
    Range(Type, Const, Const),
    /// What stands between the parentheses, with single blanks.
    Words(&'static str, Box<str>),
    /// `"key"` or `"key"="value"`.
    Text(Box<[u8]>, Option<Box<[u8]>>),
}

impl Attribute {
    /// The name of one that is no string.
    pub fn name(&self) -> Option<&'static str> {
        match self {
            Attribute::Flag(name)
            | Attribute::Number(name, _)
            | Attribute::Type(name, _)
            | Attribute::Words(name, _) => Some(name),
            Attribute::Range(..) => Some("range"),
            Attribute::Text(..) => None,
        }
    }
}

/// Attributes at one place: groups, and what is spelled out there. Most places have none, and many the same.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attributes(Option<Arc<Listed>>);

#[derive(Debug, PartialEq)]
struct Listed {
    own: SmallVec<[Attribute; 1]>,
    groups: SmallVec<[AttributeGroup; 2]>,
}

impl Attributes {
    /// What is spelled out at a place, and the groups that it refers to.
    pub fn new(
        own: impl IntoIterator<Item = Attribute>,
        groups: impl IntoIterator<Item = AttributeGroup>,
    ) -> Attributes {
        let listed = Listed { own: own.into_iter().collect(), groups: groups.into_iter().collect() };
        if listed.own.is_empty() && listed.groups.is_empty() {
            return Attributes(None);
        }
        Attributes(Some(Arc::new(listed)))
    }

    /// None at all.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// What is spelled out.
    pub fn own(&self) -> &[Attribute] {
        self.0.as_ref().map_or(&[], |listed| &listed.own)
    }

    /// The groups referred to.
    pub fn groups(&self) -> &[AttributeGroup] {
        self.0.as_ref().map_or(&[], |listed| &listed.groups)
    }
}

/// The form of the attribute `name`, and its name for as long as the program runs.
pub fn known(name: &str) -> Option<(&'static str, Form)> {
    static WORDS: Words<{ KNOWN.len() }, 1024> = Words::new({
        let mut names = [""; KNOWN.len()];
        let mut at = 0;
        while at < KNOWN.len() {
            names[at] = KNOWN[at].0;
            at += 1;
        }
        names
    });
    WORDS.find(name).map(|at| KNOWN[at])
}

/// Every attribute with a name, in the order of the names.
pub const KNOWN: &[(&str, Form)] = &[
    ("align", Form::Number),
    ("alignstack", Form::Number),
    ("allocalign", Form::Flag),
    ("allockind", Form::Words),
    ("allocptr", Form::Flag),
    ("allocsize", Form::Words),
    ("alwaysinline", Form::Flag),
    ("builtin", Form::Flag),
    ("byref", Form::Type),
    ("byval", Form::Type),
    ("captures", Form::Words),
    ("cold", Form::Flag),
    ("convergent", Form::Flag),
    ("coro_elide_safe", Form::Flag),
    ("coro_only_destroy_when_complete", Form::Flag),
    ("dead_on_return", Form::MaybeWords),
    ("dead_on_unwind", Form::Flag),
    ("denormal_fpenv", Form::Words),
    ("dereferenceable", Form::Parenthesised),
    ("dereferenceable_or_null", Form::Parenthesised),
    ("disable_sanitizer_instrumentation", Form::Flag),
    ("elementtype", Form::Type),
    ("fn_ret_thunk_extern", Form::Flag),
    ("hot", Form::Flag),
    ("hybrid_patchable", Form::Flag),
    ("immarg", Form::Flag),
    ("inalloca", Form::Type),
    ("initializes", Form::Words),
    ("inlinehint", Form::Flag),
    ("inreg", Form::Flag),
    ("jumptable", Form::Flag),
    ("memory", Form::Words),
    ("minsize", Form::Flag),
    ("mustprogress", Form::Flag),
    ("naked", Form::Flag),
    ("nest", Form::Flag),
    ("noalias", Form::Flag),
    ("nobuiltin", Form::Flag),
    ("nocallback", Form::Flag),
    ("nocf_check", Form::Flag),
    ("nocreateundeforpoison", Form::Flag),
    ("nodivergencesource", Form::Flag),
    ("noduplicate", Form::Flag),
    ("noext", Form::Flag),
    ("nofpclass", Form::Words),
    ("nofree", Form::Flag),
    ("noimplicitfloat", Form::Flag),
    ("noinline", Form::Flag),
    ("nomerge", Form::Flag),
    ("nonlazybind", Form::Flag),
    ("nonnull", Form::Flag),
    ("nooutline", Form::Flag),
    ("noprofile", Form::Flag),
    ("norecurse", Form::Flag),
    ("noredzone", Form::Flag),
    ("noreturn", Form::Flag),
    ("nosanitize_bounds", Form::Flag),
    ("nosanitize_coverage", Form::Flag),
    ("nosync", Form::Flag),
    ("noundef", Form::Flag),
    ("nounwind", Form::Flag),
    ("null_pointer_is_valid", Form::Flag),
    ("optdebug", Form::Flag),
    ("optforfuzzing", Form::Flag),
    ("optnone", Form::Flag),
    ("optsize", Form::Flag),
    ("preallocated", Form::Type),
    ("presplitcoroutine", Form::Flag),
    ("range", Form::Range),
    ("readnone", Form::Flag),
    ("readonly", Form::Flag),
    ("returned", Form::Flag),
    ("returns_twice", Form::Flag),
    ("safestack", Form::Flag),
    ("sanitize_address", Form::Flag),
    ("sanitize_alloc_token", Form::Flag),
    ("sanitize_hwaddress", Form::Flag),
    ("sanitize_memory", Form::Flag),
    ("sanitize_memtag", Form::Flag),
    ("sanitize_numerical_stability", Form::Flag),
    ("sanitize_realtime", Form::Flag),
    ("sanitize_realtime_blocking", Form::Flag),
    ("sanitize_thread", Form::Flag),
    ("sanitize_type", Form::Flag),
    ("shadowcallstack", Form::Flag),
    ("signext", Form::Flag),
    ("skipprofile", Form::Flag),
    ("speculatable", Form::Flag),
    ("speculative_load_hardening", Form::Flag),
    ("sret", Form::Type),
    ("ssp", Form::Flag),
    ("sspreq", Form::Flag),
    ("sspstrong", Form::Flag),
    ("strictfp", Form::Flag),
    ("swiftasync", Form::Flag),
    ("swifterror", Form::Flag),
    ("swiftself", Form::Flag),
    ("uwtable", Form::MaybeWords),
    ("vscale_range", Form::Words),
    ("willreturn", Form::Flag),
    ("writable", Form::Flag),
    ("writeonly", Form::Flag),
    ("zeroext", Form::Flag),
];

#[cfg(test)]
mod tests {
    #[test]
    fn the_table_is_sorted() {
        assert!(super::KNOWN.is_sorted_by(|a, b| a.0 < b.0));
    }
}
