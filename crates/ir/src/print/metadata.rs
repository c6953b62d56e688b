//! Metadata.

use super::{Context, Printer};
use crate::metadata::{Field, Metadata, MetadataKind, Node, NodeBody, Word};

impl Printer<'_> {
    /// A node where it is used: its number, or itself.
    pub(super) fn node_use(&mut self, node: Node, context: Option<&Context<'_>>) {
        let data = &self.module.metadata.nodes[node];
        match data.number {
            Some(number) => self.put(format_args!("!{number}")),
            None => self.node_body(&data.body, context),
        }
    }

    fn node_body(&mut self, body: &NodeBody, context: Option<&Context<'_>>) {
        match body {
            NodeBody::Tuple(operands) => {
                self.push("!{");
                self.separated(operands, |printer, operand| printer.metadata(operand, context));
                self.push("}");
            }
            NodeBody::Record { name, fields } => {
                self.meta_name(name);
                self.push("(");
                self.separated(fields, |printer, (name, field)| {
                    printer.put(format_args!("{name}: "));
                    printer.field(field, context);
                });
                self.push(")");
            }
            NodeBody::Expression(words) => {
                self.push("!DIExpression(");
                self.separated(words, |printer, word| match word {
                    Word::Name(name) => printer.push(name),
                    Word::Number(number) => printer.put(format_args!("{number}")),
                });
                self.push(")");
            }
            NodeBody::Arguments(operands) => {
                self.push("!DIArgList(");
                self.separated(operands, |printer, operand| printer.metadata(operand, context));
                self.push(")");
            }
        }
    }

    fn field(&mut self, field: &Field, context: Option<&Context<'_>>) {
        match field {
            Field::Number(number) => self.put(format_args!("{number}")),
            Field::Names(names) => self.push(&names.join(" | ")),
            Field::Text(text) => self.quoted(text),
            Field::Metadata(metadata) => self.metadata(metadata, context),
        }
    }

    pub(super) fn metadata(&mut self, metadata: &Metadata, context: Option<&Context<'_>>) {
        match metadata {
            Metadata::Null => self.push("null"),
            Metadata::Node(node) => self.node_use(*node, context),
            Metadata::Text(text) => {
                self.push("!");
                self.quoted(text);
            }
            Metadata::Const(constant) => self.typed_const(*constant),
            Metadata::Value(value) => {
                if let Some(context) = context {
                    self.ty(context.body.values[*value].ty);
                    self.push(" ");
                    self.value(context, *value);
                }
            }
        }
    }

    /// Attachments, each behind `separator`.
    pub(super) fn attachments(&mut self, attachments: &[(MetadataKind, Node)], separator: &str) {
        for &(kind, node) in attachments {
            self.push(separator);
            self.meta_name(&self.module.metadata.kinds[kind]);
            self.push(" ");
            self.node_use(node, None);
        }
    }

    pub(super) fn all_metadata(&mut self) {
        let store = &self.module.metadata;
        if !store.named.is_empty() {
            self.push("\n");
        }
        for (name, nodes) in &store.named {
            self.meta_name(name);
            self.push(" = !{");
            self.separated(nodes, |printer, &node| printer.node_use(node, None));
            self.push("}\n");
        }
        let mut nodes: Vec<_> =
            store.nodes.iter().filter_map(|(_, data)| Some((data.number?, data))).collect();
        nodes.sort_by_key(|(number, _)| *number);
        if !nodes.is_empty() {
            self.push("\n");
        }
        for (number, data) in nodes {
            self.put(format_args!("!{number} = {}", if data.distinct { "distinct " } else { "" }));
            self.node_body(&data.body, None);
            self.push("\n");
        }
    }
}
