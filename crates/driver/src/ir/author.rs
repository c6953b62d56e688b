//! Where an instruction was written, by its `!dbg`: the author's line, and the calls that were inlined on the way.

use wavemark_ir::Module;
use wavemark_ir::function::Inst;
use wavemark_ir::metadata::{Field, Metadata, Node};
use wavemark_ir::module::Global;

/// Locations at most: what is inlined is not deeper in code that people write.
const MOST: usize = 16;

/// The places of an instruction's author as `file:line:column`, the innermost first.
pub(super) fn places(module: &Module, function: Global, inst: Inst) -> Vec<String> {
    let body = module.function(function).and_then(|function| function.body.as_ref());
    let kind = module.metadata.find_kind("dbg");
    let mut next = body.and_then(|body| body.attachment(inst, kind));
    let mut places = Vec::new();
    while let Some(node) = next.filter(|_| places.len() < MOST) {
        let number = |field| match module.metadata.field(node, "DILocation", field) {
            Some(Field::Number(number)) => *number,
            _ => 0,
        };
        let Some(file) = file_of(module, node) else { break };
        places.push(format!("{file}:{}:{}", number("line"), number("column").max(1)));
        next = match module.metadata.field(node, "DILocation", "inlinedAt") {
            Some(Field::Metadata(Metadata::Node(outer))) => Some(*outer),
            _ => None,
        };
    }
    places
}

/// The file of a location: that of the innermost scope that says one.
fn file_of(module: &Module, location: Node) -> Option<String> {
    let node = |from: Node, record: &str, field: &str| match module.metadata.field(from, record, field) {
        Some(Field::Metadata(Metadata::Node(node))) => Some(*node),
        _ => None,
    };
    let mut scope = node(location, "DILocation", "scope")?;
    for _ in 0..64 {
        for record in ["DISubprogram", "DILexicalBlock", "DILexicalBlockFile"] {
            let Some(file) = node(scope, record, "file") else { continue };
            return match module.metadata.field(file, "DIFile", "filename") {
                Some(Field::Text(name)) => Some(String::from_utf8_lossy(name).into_owned()),
                _ => None,
            };
        }
        let outer = ["DISubprogram", "DILexicalBlock", "DILexicalBlockFile"];
        scope = outer.iter().find_map(|record| node(scope, record, "scope"))?;
    }
    None
}
