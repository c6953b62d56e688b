//! The question: a proposition about final states.

use super::{Error, Piece, WORDS, fail, location};
use crate::litmus::{Proposition, Register, Test};
use crate::scope::Place;

pub(super) fn parse_question(test: &mut Test, line: Piece) -> Result<Proposition, Error> {
    let tokens = line.tokens();
    if let Some(token) = tokens.get(WORDS) {
        return fail(token.at, "a question this long is not read");
    }
    let mut at = if line.text.starts_with('~') { 2 } else { 1 };
    let proposition = disjunction(test, &tokens, &mut at, line)?;
    if let Some(left) = tokens.get(at) {
        return fail(left.at, format!("expected the end of the proposition, found `{}`", left.text));
    }
    Ok(match line.text.starts_with("forall") {
        true => Proposition::Not(Box::new(proposition)),
        false => proposition,
    })
}

fn disjunction(test: &mut Test, tokens: &[Piece], at: &mut usize, line: Piece) -> Result<Proposition, Error> {
    let mut left = conjunction(test, tokens, at, line)?;
    while tokens.get(*at).is_some_and(|token| token.text == "\\")
        && tokens.get(*at + 1).is_some_and(|token| token.text == "/")
    {
        *at += 2;
        left = Proposition::Or(Box::new(left), Box::new(conjunction(test, tokens, at, line)?));
    }
    Ok(left)
}

fn conjunction(test: &mut Test, tokens: &[Piece], at: &mut usize, line: Piece) -> Result<Proposition, Error> {
    let mut left = atom(test, tokens, at, line)?;
    while tokens.get(*at).is_some_and(|token| token.text == "/")
        && tokens.get(*at + 1).is_some_and(|token| token.text == "\\")
    {
        *at += 2;
        left = Proposition::And(Box::new(left), Box::new(atom(test, tokens, at, line)?));
    }
    Ok(left)
}

fn atom(test: &mut Test, tokens: &[Piece], at: &mut usize, line: Piece) -> Result<Proposition, Error> {
    let end = line.at + line.text.len();
    let take = |at: &mut usize, what: &str| {
        let token = tokens.get(*at).copied();
        *at += 1;
        token.map_or_else(|| fail(end, format!("expected {what}")), Ok)
    };
    let first = take(at, "a proposition")?;
    match first.text {
        "(" => {
            let inner = disjunction(test, tokens, at, line)?;
            let close = take(at, "`)`")?;
            if close.text != ")" {
                return fail(close.at, "expected `)`");
            }
            return Ok(inner);
        }
        "not" | "~" => return Ok(Proposition::Not(Box::new(atom(test, tokens, at, line)?))),
        "true" => return Ok(Proposition::True),
        _ => {}
    }
    let number =
        |token: Piece| token.text.parse::<i64>().map_or_else(|_| fail(token.at, "expected a number"), Ok);
    let sign = take(at, "`=` or `:`")?;
    if sign.text == "=" {
        let place = test.threads.first().map_or(Place::default(), |thread| thread.place);
        let location = location(test, first, place)?;
        return Ok(Proposition::Location(location, number(take(at, "a number")?)?));
    }
    let thread = first.text.parse::<usize>().ok().filter(|&thread| thread < test.threads.len());
    let Some(thread) = thread.filter(|_| sign.text == ":") else {
        return fail(first.at, format!("expected `THREAD:register = NUMBER`, found `{}`", first.text));
    };
    let name = take(at, "a register")?;
    let known = test.threads[thread].registers.iter().position(|known| known == name.text);
    let Some(register) = known else {
        return fail(name.at, format!("P{thread} has no register `{}`", name.text));
    };
    let equals = take(at, "`=`")?;
    if equals.text != "=" {
        return fail(equals.at, "expected `=`");
    }
    Ok(Proposition::Register(thread as u8, register as Register, number(take(at, "a number")?)?))
}
