//! The parameters of a kernel in its argument segment.
//!
//! Follows LLVM's "User Guide for AMDGPU Backend": each argument at the alignment of its type, an argument that is passed
//! `byref` in the segment itself; the implicit arguments behind them, aligned to 8 bytes, laid out as code object V5 has
//! them.

use wavemark_ir::Module;
use wavemark_ir::attribute::Attribute;
use wavemark_ir::layout::{layout, round_up};
use wavemark_ir::module::Global;
use wavemark_ir::types::{Type, TypeKind};

use crate::Refused;

/// A parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// Where it begins.
    pub offset: u64,
    /// Bytes.
    pub bytes: u64,
    /// It is a pointer to memory.
    pub pointer: bool,
    /// Its type in memory, and whether what the kernel gets is its address.
    pub(crate) ty: Type,
    pub(crate) by_reference: bool,
}

/// The parameters of a kernel in order, and where its implicit arguments begin.
pub fn parameters(module: &Module, kernel: Global) -> Result<(Vec<Parameter>, u64), Refused> {
    let function = module.function(kernel).ok_or_else(|| Refused::new("a kernel that is no function"))?;
    let (mut found, mut end) = (Vec::new(), 0u64);
    for (index, param) in function.params.iter().enumerate() {
        let by_reference = module.attributes(&param.attributes).find_map(|attribute| match attribute {
            Attribute::Type("byref", ty) => Some(*ty),
            _ => None,
        });
        let ty = by_reference.unwrap_or(param.ty);
        let whole =
            layout(&module.types, ty).ok_or_else(|| Refused::new("a kernel argument without a size"))?;
        let promised = module.attributes(&param.attributes).find_map(|attribute| match attribute {
            Attribute::Number("align", align) if by_reference.is_some() => Some(*align),
            _ => None,
        });
        let offset = round_up(end, promised.unwrap_or(whole.align));
        end = offset.saturating_add(whole.stride());
        let value = function.body.as_ref().and_then(|body| Some((body, *body.params.get(index)?)));
        let name = value.and_then(|(body, value)| body.names[value].as_ref());
        found.push(Parameter {
            name: name.map(|name| String::from_utf8_lossy(name).into_owned()),
            offset,
            bytes: whole.stride(),
            pointer: matches!(module.types.kind(ty), TypeKind::Pointer(_)),
            ty,
            by_reference: by_reference.is_some(),
        });
    }
    Ok((found, round_up(end, 8)))
}
