//! What stands at the top of a module.

use super::Printer;
use crate::module::{GlobalData, GlobalKind, Variable};
use crate::types::Name;

impl Printer<'_> {
    pub(super) fn module(&mut self) {
        let module = self.module;
        if let Some(name) = &module.source_filename {
            self.push("source_filename = ");
            self.quoted(name);
            self.push("\n");
        }
        for (what, text) in [("datalayout", &module.data_layout), ("triple", &module.triple)] {
            if let Some(text) = text {
                self.put(format_args!("target {what} = "));
                self.quoted(text.as_bytes());
                self.push("\n");
            }
        }
        for line in &module.inline_asm {
            self.push("module asm ");
            self.quoted(line);
            self.push("\n");
        }
        for &id in &module.types.struct_order {
            let data = &module.types.structs[id];
            self.name('%', &data.name);
            self.push(" = type ");
            match &data.body {
                Some(body) => self.fields(&body.fields, body.packed),
                None => self.push("opaque"),
            }
            self.push("\n");
        }
        for (name, kind) in &module.comdats {
            self.push("$");
            self.name_text(name);
            self.put(format_args!(" = comdat {kind}\n"));
        }
        let mut functions = Vec::new();
        for &id in &module.order {
            let data = &module.globals[id];
            match &data.kind {
                GlobalKind::Variable(variable) => self.variable(data, variable),
                GlobalKind::Alias { .. } => {}
                GlobalKind::Function(function) => functions.push((data, &**function)),
            }
        }
        for &id in &module.order {
            let data = &module.globals[id];
            if let GlobalKind::Alias { ty, aliasee } = data.kind {
                self.global_head(data);
                self.push("alias ");
                self.ty(ty);
                self.push(", ");
                self.typed_const(aliasee);
                if let Some(partition) = &data.partition {
                    self.push(", partition ");
                    self.quoted(partition);
                }
                self.push("\n");
            }
        }
        for (data, function) in functions {
            self.push("\n");
            self.function(data, function);
        }
        self.attribute_groups();
        self.all_metadata();
    }

    /// `@name = linkage … `, up to what it is.
    fn global_head(&mut self, data: &GlobalData) {
        self.name('@', &data.name);
        self.push(" = ");
        self.head_words(data);
        if let GlobalKind::Variable(Variable { thread_local: Some(model), .. }) = &data.kind {
            self.push("thread_local");
            if !model.is_empty() {
                self.put(format_args!("({model})"));
            }
            self.push(" ");
        }
        if let Some(unnamed) = data.unnamed_addr {
            self.put(format_args!("{unnamed} "));
        }
    }

    /// Linkage, preemption, visibility, each with a blank behind it.
    pub(super) fn head_words(&mut self, data: &GlobalData) {
        if let Some(linkage) = data.linkage {
            self.put(format_args!("{linkage} "));
        }
        if let Some(preemption) = data.preemption {
            self.put(format_args!("{preemption} "));
        }
        if let Some(visibility) = data.visibility {
            self.put(format_args!("{visibility} "));
        }
    }

    fn variable(&mut self, data: &GlobalData, variable: &Variable) {
        self.global_head(data);
        if data.address_space != 0 {
            self.put(format_args!("addrspace({}) ", data.address_space));
        }
        if variable.externally_initialized {
            self.push("externally_initialized ");
        }
        self.push(if variable.constant { "constant " } else { "global " });
        self.ty(variable.ty);
        if let Some(initializer) = variable.initializer {
            self.push(" ");
            self.constant(initializer);
        }
        self.placement(data, ", ");
        if let Some(model) = &variable.code_model {
            self.push(", code_model ");
            self.quoted(model);
        }
        for word in &variable.sanitizer {
            self.put(format_args!(", {word}"));
        }
        self.attachments(&data.attachments, ", ");
        self.attributes(&variable.attributes);
        self.push("\n");
    }

    /// Section, partition, comdat and alignment, each behind `separator`.
    pub(super) fn placement(&mut self, data: &GlobalData, separator: &str) {
        for (word, text) in [("section", &data.section), ("partition", &data.partition)] {
            if let Some(text) = text {
                self.put(format_args!("{separator}{word} "));
                self.quoted(text);
            }
        }
        if let Some(comdat) = &data.comdat {
            self.put(format_args!("{separator}comdat"));
            if !matches!(&data.name, Name::Text(name) if name == comdat) {
                self.push("($");
                self.name_text(comdat);
                self.push(")");
            }
        }
        if let Some(align) = data.align {
            self.put(format_args!("{separator}align {align}"));
        }
    }
}
