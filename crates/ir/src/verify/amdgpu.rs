//! What AMDGPU asks of modules, variables and heads of functions.

use wavemark_target::{AddressSpace, Processor};

use super::{Check, Rule, Site, Violation};
use crate::intrinsic;
use crate::layout;
use crate::module::{Global, GlobalKind, Linkage, Module};
use crate::target;
use crate::types::TypeKind;

pub(super) fn module(module: &Module, violations: &mut Vec<Violation>) {
    let mut report = |rule, message: String| violations.push(Violation { rule, site: Site::Module, message });
    if let Some(triple) = module.triple.as_deref()
        && !target::is_amdgpu(triple)
    {
        report(Rule::Triple, format!("`{triple}` is no triple of an AMD GPU"));
    }
    // Everything that depends on a layout depends on these.
    if let Some(text) = module.data_layout.as_deref() {
        let parts: Vec<&str> = text.split('-').collect();
        for wanted in ["e", "p3:32:32", "p5:32:32", "A5"] {
            if !parts.contains(&wanted) {
                report(
                    Rule::DataLayout,
                    format!("the data layout is not that of an AMD GPU: `{wanted}` is missing"),
                );
            }
        }
    }
}

pub(super) fn variable(module: &Module, id: Global, violations: &mut Vec<Violation>) {
    let data = &module.globals[id];
    let GlobalKind::Variable(variable) = &data.kind else { return };
    let mut report =
        |rule, message: String| violations.push(Violation { rule, site: Site::Global(id), message });
    let named_barrier = matches!(module.types.kind(variable.ty), TypeKind::Target { .. });
    match AddressSpace::by_number(data.address_space) {
        None => report(Rule::AddressSpace, format!("there is no address space {}", data.address_space)),
        Some(AddressSpace::Local) => {
            let initialised = variable.initializer.is_some_and(|constant| {
                use crate::constant::ConstKind;
                !matches!(module.constants.kind(constant), ConstKind::Undef | ConstKind::Poison)
            });
            if initialised {
                report(
                    Rule::AddressSpace,
                    "LDS is not initialised: its variables begin as poison".to_owned(),
                );
            }
        }
        Some(_) if named_barrier => {
            report(Rule::AddressSpace, "a named barrier is in addrspace(3)".to_owned())
        }
        Some(AddressSpace::Private) => {
            report(Rule::AddressSpace, "no variable is in scratch: it is each work-item's own".to_owned());
        }
        Some(_) => {}
    }
    if !module.types.is_sized(variable.ty) && data.linkage != Some(Linkage::External) {
        report(Rule::Size, "a variable is of a type with a size".to_owned());
    }
}

impl Check<'_> {
    pub(super) fn head(&mut self) {
        if self.function.body.is_none() {
            let name = self.module.name_text(self.id);
            if intrinsic::is_intrinsic(&name) {
                self.declared_intrinsic(&name);
            }
        }
        if self.function.is_kernel() {
            self.kernel();
        }
        let size = self.module.text_attribute(&self.function.attributes, "amdgpu-flat-work-group-size");
        if let Some(text) = size {
            let bounds = text.split_once(',').and_then(|(low, high)| {
                Some((low.trim().parse::<u32>().ok()?, high.trim().parse::<u32>().ok()?))
            });
            match bounds {
                Some((low, high)) if (1..=high).contains(&low) && high <= 1024 => {}
                _ => self.at_head(
                    Rule::WorkGroupSize,
                    format!("amdgpu-flat-work-group-size is `{text}`, not two sizes from 1 to 1024"),
                ),
            }
        }
    }

    fn declared_intrinsic(&mut self, name: &str) {
        match intrinsic::find(name) {
            None => {
                let names = intrinsic::all().iter().map(|row| row.name);
                let near = wavemark_diag::nearest(name, names).map(|near| format!(", did you mean {near}?"));
                let message =
                    format!("unsupported: there is no intrinsic {name}{}", near.unwrap_or_default());
                self.at_head(Rule::IntrinsicName, message);
            }
            Some((rows, suffix)) => {
                let (types, ty) = (self.types(), self.function.ty);
                let mut wrong = rows.iter().map(|row| row.overloaded_on(types, ty, suffix).err());
                if let Some(Some(first)) = wrong.next()
                    && wrong.all(|wrong| wrong.is_some())
                {
                    self.at_head(Rule::IntrinsicType, format!("{name} is declared wrongly: {first}"));
                }
            }
        }
    }

    fn kernel(&mut self) {
        if *self.types().kind(self.function.result) != TypeKind::Void {
            self.at_head(Rule::Kernel, "a kernel returns nothing");
        }
        if self.function.variadic {
            self.at_head(Rule::Kernel, "a kernel has a fixed number of arguments");
        }
        let unsized_param =
            self.function.params.iter().position(|param| layout::layout(self.types(), param.ty).is_none());
        if let Some(index) = unsized_param {
            self.at_head(Rule::Kernel, format!("parameter {} of a kernel has no size", index + 1));
        }
        for param in &self.function.params {
            if self.module.has_attribute(&param.attributes, "sret") {
                self.at_head(Rule::Kernel, "a kernel has no sret parameter");
            }
        }
        if let Some(processor) = self.processor {
            self.lds(processor);
        }
    }

    /// What a kernel and all that it calls have in LDS fits into it.
    fn lds(&mut self, processor: Processor) {
        let most = u64::from(processor.limits(processor.default_wave_size()).lds_bytes);
        if self.most_lds.is_some_and(|bytes| bytes <= most) {
            return;
        }
        let used = crate::lds::bytes(self.module, self.id);
        match used {
            Some(bytes) if bytes <= most => {}
            Some(bytes) => {
                self.at_head(
                    Rule::LdsSize,
                    format!("it has {bytes} bytes in LDS: {} has {most}", processor.name()),
                );
            }
            None => self.at_head(Rule::LdsSize, "it has more in LDS than can be counted"),
        }
    }
}
