//! The tests of the crate as one program: they share the objects that [`objects`] builds.

mod bombs;
mod bundle;
mod core_file;
mod corpus;
mod descriptor;
mod dwarf;
mod link;
mod objects;
mod robust;
mod text;
mod v2;
mod validate;
