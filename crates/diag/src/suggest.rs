//! What a misspelt name may have been meant to be.

/// The entry of `known` that is likely meant by `name`: the fewest letters to add, leave out, change or swap with their
/// neighbour, at most a third of the entry's; the first where several are as near. Names of more than 64 letters are
/// near nothing.
pub fn nearest<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    if name.len() > 64 {
        return None;
    }
    let close = |entry: &&str| entry.len().abs_diff(name.len()) <= 1.max(entry.len() / 3);
    let candidates = known.into_iter().filter(close).map(|entry| (strsim::osa_distance(name, entry), entry));
    let (distance, entry) = candidates.min_by_key(|&(distance, _)| distance)?;
    (distance <= 1.max(entry.len() / 3)).then_some(entry)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_third_of_the_letters_may_be_wrong() {
        let known = ["s_nop", "s_sleep", "v_nop"];
        assert_eq!(nearest("s_nopp", known), Some("s_nop"));
        assert_eq!(nearest("s_slepe", known), Some("s_sleep"));
        assert_eq!(nearest("v_add_f32", known), None);
        assert_eq!(nearest(&"s".repeat(65), known), None);
    }
}
