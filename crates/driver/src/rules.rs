//! The rules' pages of the guide: what a rule is, why, and how it is mended.

/// A rule's page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// The rule's id.
    pub id: &'static str,
    /// The page, in Markdown.
    pub text: &'static str,
}

macro_rules! pages {
    ($($id:literal)*) => {
        &[$(Page { id: $id, text: include_str!(concat!("../../../docs/src/rules/", $id, ".md")) }),*]
    };
}

/// The pages of all rules.
pub const PAGES: &[Page] = pages! {
    "A1" "A2" "A3" "A4" "A5" "A6" "A7" "B1" "B2" "B3" "B4" "B7" "B8" "B9" "B10" "B11"
    "B12" "B13" "B14" "B16" "B19" "C1" "C2" "H1" "H5" "INTRA" "M1" "M2" "M5" "M6" "N1" "O1" "O2" "O3"
    "R1" "R2" "R3" "R4" "R5" "R6" "R7" "R8" "S1" "S2" "T1" "T2" "T3" "T4" "U1" "U2"
    "U3" "V1" "V2" "V3" "W1" "W2" "W3" "W4"
};

/// The page of a rule.
pub fn page(id: &str) -> Option<Page> {
    PAGES.iter().copied().find(|page| page.id == id)
}

impl Page {
    /// The rule in a few words: the heading without the id.
    pub fn title(self) -> &'static str {
        let heading = self.text.lines().next().unwrap_or_default();
        heading.split_once(": ").map_or(heading, |(_, title)| title)
    }

    /// The first paragraph of the section called `heading`.
    pub fn section(self, heading: &str) -> Option<&'static str> {
        let start = self.text.find(&format!("\n## {heading}\n"))?;
        self.text[start..].split("\n\n").nth(1).map(str::trim)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_say_what_and_how_to_mend() {
        for page in PAGES {
            assert!(page.text.starts_with(&format!("# {}: ", page.id)), "{}", page.id);
            for heading in ["What", "Why", "Fix"] {
                assert!(page.section(heading).is_some_and(|text| !text.is_empty()), "{}: {heading}", page.id);
            }
        }
    }

    #[test]
    fn every_page_of_the_guide_is_here() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/src/rules");
        for entry in std::fs::read_dir(folder).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let id = name.strip_suffix(".md").unwrap();
            assert!(page(id).is_some(), "{id} is missing in rules.rs");
        }
    }
}
