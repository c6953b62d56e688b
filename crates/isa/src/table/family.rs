//! Families: one line that stands for several rows.
//!
//! Every `{a,b,c}` of a line has the same number of members; member n of the family takes the n-th of each, so that
//! names, opcodes and types go side by side:
//!
//! ```text
//! s_{and,or,xor}_b32 | SOP2 gfx6+=0x{0e,10,12} | sdst:b32 = ssrc0:b32 ssrc1:b32 | scc=nonzero
//! ```
//!
//! `{}` repeats the members of the line's first braces.

/// The members that `line` stands for; the line itself if it has no braces.
///
/// # Errors
/// A message for braces that do not close or do not have as many members as the others.
pub(crate) fn expand(line: &str) -> Result<Vec<String>, String> {
    let mut pieces: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('{') {
        let (members, after) = after.split_once('}').ok_or("a brace is not closed")?;
        let members = match pieces.first() {
            Some((_, first)) if members.is_empty() => first.clone(),
            _ => members.split(',').collect(),
        };
        pieces.push((before, members));
        rest = after;
    }
    let count = pieces.first().map_or(1, |(_, members)| members.len());
    if let Some((_, odd)) = pieces.iter().find(|(_, members)| members.len() != count) {
        return Err(format!("{{{}}} has {} members, the first braces {count}", odd.join(","), odd.len()));
    }
    Ok((0..count)
        .map(|n| pieces.iter().flat_map(|(before, members)| [*before, members[n]]).chain([rest]).collect())
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_go_side_by_side() {
        assert_eq!(expand("a | b"), Ok(vec!["a | b".to_owned()]));
        assert_eq!(expand("s_{x,y}=0x{1,2} z"), Ok(vec!["s_x=0x1 z".to_owned(), "s_y=0x2 z".to_owned()]));
        assert_eq!(expand("{x,y}_a | {}_b"), Ok(vec!["x_a | x_b".to_owned(), "y_a | y_b".to_owned()]));
        assert_eq!(expand("s_{,_x2}"), Ok(vec!["s_".to_owned(), "s__x2".to_owned()]));
        assert_eq!(expand("{a,b} {c}"), Err("{c} has 1 members, the first braces 2".to_owned()));
        assert_eq!(expand("{a"), Err("a brace is not closed".to_owned()));
    }
}
