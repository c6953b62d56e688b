//! Whether a module is valid: LLVM's rules and AMDGPU's, each with a name.
//!
//! Follows the LLVM Language Reference (well-formedness of each instruction) and LLVM's *User Guide for AMDGPU Backend*
//! (address spaces, scopes, calling conventions, function attributes, intrinsics). The reader has seen to types that
//! agree; what is here holds for modules that were built or changed as well.
//!
//! Promises: never panics on a module that the reader gave. Every violation is reported, in the order of the text, with its
//! rule and its place. Not checked: metadata that nobody executes (debug information, profiles).

mod amdgpu;
mod call;
mod convergence;
mod flow;
mod inst;
mod memory;

use wavemark_diag::Diagnostic;
use wavemark_target::Processor;

use crate::entity::Table;
use crate::function::{Body, Function, Inst};
use crate::inst::Operand;
use crate::intrinsic::Intrinsic;
use crate::module::{Global, Module};
use crate::names::spelled;
use crate::places::Places;
use crate::target;
use crate::types::{Type, Types};

spelled! {
    /// A rule that a module can break.
    Rule {
        Aggregate = "aggregate",
        AddressSpace = "address-space",
        Atomic = "atomic",
        Call = "call",
        Cast = "cast",
        Convergence = "convergence",
        DataLayout = "data-layout",
        Dominance = "dominance",
        Entry = "entry",
        Gep = "getelementptr",
        Immediate = "immarg",
        IntrinsicName = "intrinsic-name",
        IntrinsicProcessor = "intrinsic-processor",
        IntrinsicType = "intrinsic-type",
        Kernel = "kernel",
        LdsSize = "lds-size",
        Operand = "operand-type",
        Phi = "phi",
        Return = "return",
        Scope = "syncscope",
        Size = "sized-type",
        Switch = "switch",
        Terminator = "terminator",
        Triple = "triple",
        WorkGroupSize = "work-group-size",
    }
}

/// A violation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The rule.
    pub rule: Rule,
    /// Where, if anywhere in particular.
    pub site: Site,
    /// What is wrong, in a sentence.
    pub message: String,
}

/// Where something is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Site {
    /// The module as a whole.
    Module,
    /// A variable or function.
    Global(Global),
    /// An instruction of a function.
    Inst(Global, Inst),
}

impl Violation {
    /// With the place in the text, for whoever reads it.
    pub fn diagnostic(&self, places: &Places) -> Diagnostic {
        let diagnostic = Diagnostic::error(self.message.clone()).note(format!("rule: {}", self.rule));
        match self.site {
            Site::Module => diagnostic,
            Site::Global(global) => diagnostic.at(places.global(global)),
            Site::Inst(function, inst) => diagnostic.at(places.inst(function, inst)),
        }
    }
}

/// What is wrong with a module; nothing, if it is valid. `processor`: what it is for, where it does not say so itself.
pub fn verify(module: &Module, processor: Option<Processor>) -> Vec<Violation> {
    let (mut violations, mut rows) = (Vec::new(), Rows::default());
    amdgpu::module(module, &mut violations);
    let most_lds = crate::lds::most_bytes(module);
    let of_module = target::of_module(module);
    for &id in &module.order {
        match module.function(id) {
            Some(function) => {
                let processor = target::own(module, function).unwrap_or(of_module).or(processor);
                let mut check = Check {
                    module,
                    id,
                    function,
                    processor,
                    most_lds,
                    rows: &mut rows,
                    controlled: false,
                    violations: &mut violations,
                };
                check.function();
            }
            None => amdgpu::variable(module, id, &mut violations),
        }
    }
    violations
}

/// A function that is looked at.
struct Check<'m> {
    module: &'m Module,
    id: Global,
    function: &'m Function,
    processor: Option<Processor>,
    /// Bytes of LDS that no kernel needs more than.
    most_lds: Option<u64>,
    /// The rows of the intrinsics that were called so far.
    rows: &'m mut Rows,
    /// A call makes or has a convergence token.
    controlled: bool,
    violations: &'m mut Vec<Violation>,
}

/// The rows of each intrinsic, looked up once; `None`: not yet.
type Rows = Table<Global, Option<&'static [Intrinsic]>>;

impl<'m> Check<'m> {
    fn function(&mut self) {
        self.head();
        let Some(body) = &self.function.body else { return };
        self.flow(body);
        for &block in &body.order {
            for &inst in &body.blocks[block].insts {
                self.inst(body, inst);
            }
        }
        if self.controlled {
            self.convergence(body);
        }
    }

    fn types(&self) -> &'m Types {
        &self.module.types
    }

    fn ty(&self, body: &Body, operand: Operand) -> Option<Type> {
        operand.ty(body, &self.module.constants)
    }

    fn report(&mut self, rule: Rule, site: Site, message: impl Into<String>) {
        self.violations.push(Violation { rule, site, message: message.into() });
    }

    fn at_inst(&mut self, inst: Inst, rule: Rule, message: impl Into<String>) {
        self.report(rule, Site::Inst(self.id, inst), message);
    }

    fn at_head(&mut self, rule: Rule, message: impl Into<String>) {
        self.report(rule, Site::Global(self.id), message);
    }

    /// Reports unless `holds`; what is to be said is put together then.
    #[inline(always)]
    fn require(&mut self, holds: bool, inst: Inst, rule: Rule, message: impl std::fmt::Display) {
        if !holds {
            self.at_inst(inst, rule, message.to_string());
        }
    }

    fn text(&self, ty: Type) -> String {
        crate::print::type_text(self.module, ty)
    }
}
