//! What is known of each AMD GPU processor before a single instruction is read.
//!
//! Processors and their properties ([`Processor`], one table row each), limits of their register files and
//! memories ([`Limits`]), target IDs and triples ([`TargetId`], [`Target`]), the `e_flags` word of code objects
//! ([`EFlags`]), assembler features in LLVM's spelling ([`FeatureSet`]), address spaces and synchronisation
//! scopes, descriptors of tensor DMA ([`TensorDescriptor`]).
//!
//! The facts are those of LLVM's *User Guide for AMDGPU Backend* (processor tables, ELF header tables, address
//! spaces, memory scopes) and of LLVM 22's defaults. The crate knows no instruction, no file and no compiler.

pub mod eflags;
pub mod facts;
pub mod features;
pub mod hwreg;
pub mod inst_features;
pub mod instruction_set;
pub mod lds;
pub mod legacy;
pub mod limits;
pub mod lines;
mod llvm_features;
pub mod machine;
pub mod memory;
pub mod message;
pub mod names;
pub mod processor;
pub mod r600;
pub mod subtarget;
pub mod target_id;
pub mod tensor;

pub use eflags::{AbiVersion, EFlags, EFlagsError};
pub use facts::{Facts, FlatScratch};
pub use features::{FeatureError, FeatureSet, Features};
pub use inst_features::{InstFeature, InstFeatures};
pub use instruction_set::{InstructionSet, InstructionSets};
pub use lds::{LDS_OFF, lds_dma_lane};
pub use legacy::{EFlagsV2, IsaName};
pub use limits::Limits;
pub use machine::Machine;
pub use memory::{AddressSpace, SyncScope};
pub use processor::{Generation, Processor, Property, WaveSize};
pub use r600::R600;
pub use subtarget::Subtarget;
pub use target_id::{Setting, Target, TargetError, TargetId};
pub use tensor::{TensorDescriptor, TensorPiece};
