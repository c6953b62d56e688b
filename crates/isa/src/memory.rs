//! What the memory family reads off a row: the form of its addresses, whether it has a cache policy, which modifiers are
//! part of its name.

use wavemark_target::facts::CachePolicy;

use crate::Machine;
use crate::cache_policy::Hints;
use crate::format::{Addressing, Family, Field};
use crate::role::Class;
use crate::row::Row;

/// Fields of a row's format by what they are for; those that there are not on every processor.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Fields {
    /// The base or offset in SGPRs; its default is the code that says that there is none.
    pub(crate) saddr: Option<&'static Field>,
    /// The bit that says that scratch has an offset in a VGPR.
    pub(crate) sve: Option<&'static Field>,
    /// Where it has its default, scratch has an offset in neither a VGPR nor an SGPR.
    pub(crate) no_address: Option<&'static Field>,
    /// The offset.
    pub(crate) offset: Option<&'static Field>,
    /// Up to gfx9: the offset of scalar memory is a number. From gfx10 on number and register always have fields of
    /// their own.
    pub(crate) imm: Option<&'static Field>,
    /// On gfx9: there is a register beside the number.
    pub(crate) soe: Option<&'static Field>,
    /// The offset register.
    pub(crate) soffset: Option<&'static Field>,
}

/// What decode, encode, print and parse of the memory family ask of a row.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Traits {
    /// How its addresses are formed; `None` for rows of other families.
    pub(crate) addressing: Option<Addressing>,
    /// Fields of its format.
    pub(crate) fields: Fields,
    /// Text says a number of 0 beside an offset register.
    pub(crate) zero_offset: bool,
    /// Its offset register stands in a field that has no inline constants.
    pub(crate) soffset_class: Option<Class>,
    /// Which temporal hints it takes.
    pub(crate) hints: Hints,
    /// Of a vector memory atomic: whether it returns the old value.
    pub(crate) returns: Option<bool>,
    /// Whether it can say a cache policy.
    pub(crate) policy: bool,
    /// A scalar memory instruction with a buffer resource.
    pub(crate) scalar_buffer: bool,
    /// A scalar prefetch: offset, register and length stand side by side.
    pub(crate) prefetch: bool,
    /// It says `lds`: data go to LDS, or come from there.
    pub(crate) lds: bool,
    /// It says `gds`, always.
    pub(crate) gds: bool,
    /// Its base or offset in SGPRs may start at EXEC, as LLVM has it.
    pub(crate) any_saddr: bool,
    /// A scalar atomic, whose data are result and source.
    pub(crate) scalar_atomic: bool,
    /// Data leave LDS (where `lds` stands before the cache policy).
    pub(crate) from_lds: bool,
    /// Its offset is a swizzle pattern.
    pub(crate) swizzle: bool,
    /// Its result may start at an odd register, where others may not.
    pub(crate) unaligned: bool,
    /// LLVM prints a blank behind its name though nothing follows.
    pub(crate) blank: bool,
    /// Its offset register may count elements.
    pub(crate) scales_offset: bool,
}

/// Reads them off.
pub(crate) fn read(machine: Machine, row: &Row) -> Traits {
    // Image instructions have hints as others do.
    let Some(encoding) =
        row.encodings.first().filter(|_| matches!(row.family, Family::Memory | Family::Image))
    else {
        return Traits::default();
    };
    let format = encoding.format;
    let addressing = format.addressing;
    let effect = row.attribute("mem").unwrap_or_default();
    let verb = effect.split('.').nth(1).unwrap_or_default();
    let scalar = addressing == Some(Addressing::ScalarBase);
    let hinted = matches!(machine.facts().cache_policy, CachePolicy::ThScope | CachePolicy::ThScopeNv);
    let flag = |value| row.attribute("memory") == Some(value);
    let fixed = |name: &str| {
        format.field(name).is_some_and(|field| {
            let (mask, value) = encoding.required;
            mask & field.mask() != 0 && value & field.mask() != 0
        })
    };
    let scalar_buffer =
        scalar && row.operand_index("sbase").is_some_and(|index| row.operands[index].ty.dwords() == 4);
    let atomic = matches!(verb, "atomic" | "atomic_return");
    let prefetch = scalar && row.operand_index("length") > row.operand_index("soffset");
    let fields = Fields {
        saddr: format.field("saddr"),
        sve: format.field("sve"),
        no_address: format.field("no_address"),
        offset: format.field("offset"),
        imm: format.field("imm"),
        soe: format.field("soe"),
        soffset: format.field("soffset"),
    };
    Traits {
        addressing,
        fields,
        zero_offset: format.zero_offset,
        soffset_class: match (addressing, fields.soffset) {
            (Some(Addressing::Buffer | Addressing::TypedBuffer), Some(field)) => {
                Some(if field.width() < 8 { Class::ScalarReg } else { Class::ScalarSrc })
            }
            _ => None,
        },
        hints: match verb {
            "store" | "from_lds" => Hints::Store,
            "atomic" | "atomic_return" => Hints::Atomic,
            _ if flag("atomic") => Hints::Atomic,
            _ if flag("store") || row.has("memory.blank") => Hints::Store,
            _ => Hints::Load,
        },
        returns: (atomic && row.family == Family::Memory && format.field("ret").is_some())
            .then_some(verb == "atomic_return"),
        policy: match addressing {
            Some(Addressing::ScalarBase) => verb == "load" || !hinted && (verb == "store" || atomic),
            Some(Addressing::Lds | Addressing::Lds2) => false,
            _ => {
                let words = ["glc", "slc", "sc0", "sc1", "th", "scope"];
                words.iter().any(|word| encoding.has_modifier(word))
            }
        },
        scalar_buffer,
        prefetch,
        lds: fixed("lds"),
        gds: fixed("gds"),
        any_saddr: match addressing {
            Some(Addressing::Flat) => atomic || verb == "prefetch",
            Some(Addressing::Global) => {
                matches!(verb, "to_lds" | "from_lds" | "prefetch" | "")
                    || effect.split('.').any(|part| part == "addtid")
            }
            _ => false,
        },
        scalar_atomic: scalar && atomic,
        from_lds: verb == "from_lds",
        swizzle: flag("swizzle"),
        unaligned: row.has("memory.unaligned"),
        blank: row.has("memory.blank"),
        scales_offset: match addressing {
            Some(Addressing::ScalarBase) => {
                verb == "load" && !scalar_buffer && row.operand_index("soffset").is_some()
            }
            Some(Addressing::Flat | Addressing::Global | Addressing::Scratch) => {
                row.operand_index("vaddr").is_some()
            }
            _ => false,
        },
    }
}
