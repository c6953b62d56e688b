//! A kernel that was followed on all paths: where what is told of its instructions stands.

use wavemark_diag::SourceMap;
use wavemark_ir::entity::Id as _;
use wavemark_ir::function::Inst;
use wavemark_ir::module::Global;
use wavemark_ir::{Module, Parsed};

use crate::report::Site;

/// A kernel whose functions may stand in the place of their calls.
pub(super) struct Kernel<'p> {
    pub sources: &'p SourceMap,
    pub parsed: &'p Parsed,
    pub id: Global,
    /// Where instructions come from, if not from the kernel.
    pub origins: &'p [(Global, Inst)],
}

impl Kernel<'_> {
    /// Where an instruction stands.
    pub fn origin(&self, inst: Inst) -> (Global, Inst) {
        self.origins.get(inst.index()).copied().unwrap_or((self.id, inst))
    }

    /// Its place, as it is shown.
    pub fn place(&self, inst: Inst) -> String {
        let (function, inst) = self.origin(inst);
        self.sources.location(self.parsed.places.inst(function, inst))
    }

    /// Its text.
    pub fn text(&self, inst: Inst) -> String {
        let (function, inst) = self.origin(inst);
        self.sources.snippet(self.parsed.places.inst(function, inst)).unwrap_or_default().to_owned()
    }

    /// Its site in a finding.
    pub fn site(&self, role: &str, inst: Inst) -> Site {
        let (function, own) = self.origin(inst);
        Site {
            role: role.to_owned(),
            text: self.text(inst),
            source: Some(self.place(inst)),
            callers: super::execute::author_places(self.parsed, function, own),
            ..Site::default()
        }
    }
}

/// The kernels of a module, or the one that is asked for, with their names.
pub(super) fn kernels<'m>(
    module: &'m Module,
    only: Option<&'m str>,
) -> impl Iterator<Item = (Global, String)> {
    let kernels = module.functions().filter(|(_, function)| function.is_kernel() && function.body.is_some());
    let named = kernels.map(|(id, _)| (id, module.name(id)));
    named.filter(move |(_, name)| only.is_none_or(|only| *only == *name))
}
