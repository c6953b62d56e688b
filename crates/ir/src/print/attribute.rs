//! Attributes.

use super::Printer;
use crate::attribute::{Attribute, Attributes};

impl Printer<'_> {
    /// Attributes at a place, each behind a blank.
    pub(super) fn attributes(&mut self, attributes: &Attributes) {
        for attribute in attributes.own() {
            self.push(" ");
            self.attribute(attribute, false);
        }
        for &group in attributes.groups() {
            let number = self.module.attribute_groups[group].0;
            self.put(format_args!(" #{number}"));
        }
    }

    /// One attribute, as it is spelled in a group or elsewhere.
    pub(super) fn attribute(&mut self, attribute: &Attribute, in_group: bool) {
        match attribute {
            Attribute::Flag(name) => self.push(name),
            Attribute::Number("align", value) if !in_group => self.put(format_args!("align {value}")),
            Attribute::Number(name @ ("align" | "alignstack"), value) if in_group => {
                self.put(format_args!("{name}={value}"));
            }
            Attribute::Number(name, value) => self.put(format_args!("{name}({value})")),
            Attribute::Type(name, ty) => {
                self.put(format_args!("{name}("));
                self.ty(*ty);
                self.push(")");
            }
            Attribute::Range(_, low, high) => {
                self.push("range(");
                self.typed_const(*low);
                self.push(", ");
                self.constant(*high);
                self.push(")");
            }
            Attribute::Words(name, words) => self.put(format_args!("{name}({words})")),
            Attribute::Text(key, value) => {
                self.quoted(key);
                if let Some(value) = value {
                    self.push("=");
                    self.quoted(value);
                }
            }
        }
    }

    pub(super) fn attribute_groups(&mut self) {
        let mut groups: Vec<_> = self.module.attribute_groups.iter().map(|(_, group)| group).collect();
        groups.sort_by_key(|group| group.0);
        if !groups.is_empty() {
            self.push("\n");
        }
        for (number, attributes) in groups {
            self.put(format_args!("attributes #{number} = {{"));
            for attribute in attributes {
                self.push(" ");
                self.attribute(attribute, true);
            }
            self.push(" }\n");
        }
    }
}
