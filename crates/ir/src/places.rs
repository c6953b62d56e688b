//! Where in the text everything of a module stands: a side table, so that two modules are equal wherever they stand.

use rustc_hash::FxHashMap;
use wavemark_diag::{FileId, Span};

use crate::entity::Table;
use crate::function::{Block, Inst};
use crate::module::Global;

/// Where things stand in the text of one file.
#[derive(Clone, Debug)]
pub struct Places {
    file: FileId,
    pub(crate) globals: FxHashMap<Global, (u32, u32)>,
    pub(crate) insts: FxHashMap<Global, Table<Inst, (u32, u32)>>,
    pub(crate) blocks: FxHashMap<Global, Table<Block, (u32, u32)>>,
}

impl Places {
    pub(crate) fn new(file: FileId) -> Places {
        Places {
            file,
            globals: FxHashMap::default(),
            insts: FxHashMap::default(),
            blocks: FxHashMap::default(),
        }
    }

    fn span(&self, (start, end): (u32, u32)) -> Span {
        Span { file: self.file, start, end }
    }

    /// The name of a global, where it is defined or declared.
    pub fn global(&self, global: Global) -> Span {
        self.span(self.globals.get(&global).copied().unwrap_or_default())
    }

    /// An instruction of a function, without what is attached to it.
    pub fn inst(&self, function: Global, inst: Inst) -> Span {
        self.span(self.insts.get(&function).map_or((0, 0), |insts| insts[inst]))
    }

    /// The label of a block, or its first instruction.
    pub fn block(&self, function: Global, block: Block) -> Span {
        self.span(self.blocks.get(&function).map_or((0, 0), |blocks| blocks[block]))
    }
}
