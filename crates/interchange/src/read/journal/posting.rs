//! The line of a posting.

use super::comment;
use super::model::{Assertion, Cost, Mark, Posting, PostingKind};
use super::quantity::{self, Marks};
use crate::read::problem::{Kind, Position, Problem, excerpt};
use crate::read::text::column_after;

/// The settings for a posting, from the lines before it.
pub(crate) struct Context<'a> {
    pub(crate) marks: &'a Marks,
    /// The year of dates without one.
    pub(crate) year: i32,
    /// Completes the name of an account.
    pub(crate) resolve: &'a dyn Fn(&str) -> String,
}

/// Parses the line of a posting.
pub(crate) fn parse(line: &str, number: u32, context: &Context<'_>) -> Result<Posting, Problem> {
    let rest = line.trim_start();
    let position = at(line, rest, number);
    let (mark, rest) = split_mark(rest);
    // The account ends at two blanks or a tab.
    let end = ["  ", "\t"].iter().filter_map(|blanks| rest.find(blanks)).min();
    let (name, rest) = rest.split_at(end.unwrap_or(rest.len()));
    let name = name.trim();
    let bracketed = |open, close| name.strip_prefix(open)?.strip_suffix(close).map(str::trim);
    let (kind, name) = if let Some(name) = bracketed('(', ')') {
        (PostingKind::Virtual, name)
    } else if let Some(name) = bracketed('[', ']') {
        (PostingKind::BalancedVirtual, name)
    } else {
        (PostingKind::Real, name)
    };
    if name.is_empty() {
        return Err(Problem::at(position, Kind::UnexpectedLine(excerpt(line.trim()))));
    }
    let mut posting =
        Posting { kind, mark, ..Posting::new(position, (context.resolve)(name).into()) };
    let mut rest = rest.trim_start();
    while !rest.is_empty() {
        let place = at(line, rest, number);
        rest = value(&mut posting, rest, place, context)?.trim_start();
    }
    Ok(posting)
}

fn at(line: &str, rest: &str, number: u32) -> Position {
    let before = line.strip_suffix(rest).unwrap_or_default();
    Position { line: number, column: column_after(before) }
}

/// Splits `*` or `!` off.
pub(crate) fn split_mark(text: &str) -> (Mark, &str) {
    if let Some(rest) = text.strip_prefix('*') {
        return (Mark::Cleared, rest.trim_start());
    }
    match text.strip_prefix('!') {
        Some(rest) => (Mark::Pending, rest.trim_start()),
        None => (Mark::Unmarked, text),
    }
}

/// Parses the next part behind the account, and returns what follows.
fn value<'a>(
    posting: &mut Posting,
    rest: &'a str,
    place: Position,
    context: &Context<'_>,
) -> Result<&'a str, Problem> {
    let invalid = || Problem::at(place, Kind::InvalidAmount(excerpt(rest)));
    let parse = |text: &'a str| quantity::parse(text, context.marks).ok_or_else(invalid);
    if let Some(text) = rest.strip_prefix(';') {
        add_comment(posting, text.trim(), context.year);
        return Ok("");
    }
    if let Some(text) = rest.strip_prefix("@@").or_else(|| rest.strip_prefix('@')) {
        let is_total = rest.starts_with("@@");
        let (mut quantity, after) = parse(text)?;
        quantity.amount = quantity.amount.absolute();
        posting.cost = Some(Cost { quantity, is_total, lot: None });
        return Ok(after);
    }
    if let Some(text) = rest.strip_prefix('=') {
        let (is_total, text) = text.strip_prefix('=').map_or((false, text), |text| (true, text));
        let inclusive = text.strip_prefix('*');
        let (quantity, after) = parse(inclusive.unwrap_or(text))?;
        let is_inclusive = inclusive.is_some();
        posting.assertion = Some(Assertion { quantity, is_total, is_inclusive });
        return Ok(after);
    }
    // Prices, dates and notes of lots, as ledger has them.
    if posting.quantity.is_some() {
        let lot = [('{', '}'), ('[', ']'), ('(', ')')].into_iter().find_map(|(open, close)| {
            let (_, after) = rest.strip_prefix(open)?.split_once(close)?;
            Some(after.trim_start_matches(close))
        });
        return lot.ok_or_else(invalid);
    }
    if rest.starts_with('(') {
        return Err(Problem::at(place, Kind::Expression));
    }
    let (quantity, after) = parse(rest)?;
    posting.quantity = Some(quantity);
    Ok(after)
}

pub(crate) fn add_comment(posting: &mut Posting, text: &str, year: i32) {
    if !posting.comment.is_empty() {
        posting.comment.push('\n');
    }
    posting.comment.push_str(text);
    let (date, date2) = comment::bracketed(text, year);
    posting.date = date.or(posting.date);
    posting.date2 = date2.or(posting.date2);
    for (name, value) in comment::tags(text) {
        match name {
            "date" => posting.date = comment::date(value, year).or(posting.date),
            "date2" => posting.date2 = comment::date(value, year).or(posting.date2),
            _ => posting.tags.push((name.to_owned(), value.to_owned())),
        }
    }
}
