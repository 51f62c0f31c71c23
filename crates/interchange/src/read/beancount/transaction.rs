//! Entries of a beancount file and their postings.

use time::Date;

use super::cursor::{Cursor, Field};
use super::lexer::{Block, Line, TokenKind, unescape};
use super::raw::{RawCost, RawEntry, RawPosting, RawPrice};
use crate::read::journal::{Entry, Mark, Posting};
use crate::read::limits::MAX_POSTINGS;
use crate::read::problem::{Kind, Problem};

/// The settings for an entry, from the lines before it.
pub(crate) struct Context<'c> {
    pub(crate) tags: &'c [String],
    pub(crate) fields: &'c [Field],
}

/// Parses `* "payee" "narration" #tag ^link` and the lines below.
pub(crate) fn parse<'a>(
    date: Date,
    cursor: &mut Cursor<'a, '_>,
    block: &Block<'a, '_>,
    context: &Context<'_>,
) -> Result<RawEntry, Problem> {
    let mut entry = Entry::new(block.position, date, block.written.to_owned());
    let flag = cursor.next().map(|token| token.text).unwrap_or_default();
    match mark(flag) {
        Some(mark) => entry.mark = mark,
        None if is_flag(flag) => {
            entry.tags.push(("flag".to_owned(), flag.to_owned()));
        }
        None => return Err(Problem::at(block.position, Kind::UnexpectedLine(flag.to_owned()))),
    }
    let first = cursor.take(TokenKind::Text).map(unescape);
    cursor.take_mark("|");
    let second = cursor.take(TokenKind::Text).map(unescape);
    match (first, second) {
        (Some(payee), Some(note)) if !note.is_empty() && !payee.is_empty() => {
            entry.description = format!("{payee} | {note}");
            (entry.payee, entry.note) = (Some(payee), Some(note));
        }
        // An empty narration beside a payee, as many importers write it.
        (Some(payee), Some(_)) if !payee.is_empty() => {
            entry.description.clone_from(&payee);
            entry.payee = Some(payee);
        }
        (Some(_), Some(text)) | (Some(text), None) => entry.description = text,
        (None, _) => {}
    }
    marks(&mut entry, cursor)?;
    add_tags(&mut entry, context.tags.iter().map(String::as_str));
    let mut postings: Vec<RawPosting> = Vec::new();
    for line in block.body {
        body_line(&mut entry, &mut postings, line)?;
    }
    for (name, value) in context.fields {
        if !entry.tags.iter().any(|(known, _)| known == name) {
            entry.tags.push((name.clone(), value.clone()));
        }
    }
    Ok(RawEntry { entry, postings })
}

fn mark(flag: &str) -> Option<Mark> {
    match flag {
        "*" | "txn" => Some(Mark::Cleared),
        "!" => Some(Mark::Pending),
        _ => None,
    }
}

fn is_flag(flag: &str) -> bool {
    flag.len() == 1 && (flag.starts_with(|c: char| c.is_ascii_uppercase()) || "#&?%".contains(flag))
}

fn add_tags<'t>(entry: &mut Entry, tags: impl Iterator<Item = &'t str>) {
    for tag in tags {
        let tags = &entry.tags;
        if !tags.iter().any(|(known, value)| known == tag && value.is_empty()) {
            entry.tags.push((tag.to_owned(), String::new()));
        }
    }
}

/// Takes tags and links up to the end of the line.
fn marks(entry: &mut Entry, cursor: &mut Cursor<'_, '_>) -> Result<(), Problem> {
    while !cursor.is_at_end() {
        if let Some(tag) = cursor.take(TokenKind::Tag) {
            add_tags(entry, std::iter::once(tag));
        } else {
            let link = cursor.expect(TokenKind::Link)?.to_owned();
            entry.links.push(link);
        }
    }
    Ok(())
}

fn body_line(
    entry: &mut Entry,
    postings: &mut Vec<RawPosting>,
    line: &Line<'_>,
) -> Result<(), Problem> {
    let mut cursor = Cursor::new(&line.tokens, line.position);
    let first = cursor.peek().map(|token| token.kind);
    match first {
        Some(TokenKind::Tag | TokenKind::Link) => marks(entry, &mut cursor),
        Some(TokenKind::Key) => {
            let field = cursor.field()?;
            let tags = match postings.last_mut() {
                Some(posting) => &mut posting.posting.tags,
                None => &mut entry.tags,
            };
            tags.push(field);
            Ok(())
        }
        _ => {
            if postings.len() >= MAX_POSTINGS {
                return Err(Problem::at(line.position, Kind::TooManyPostings));
            }
            postings.push(posting(&mut cursor)?);
            Ok(())
        }
    }
}

/// Parses `! Account 5 AAPL {180.00 USD, 2024-01-02, "label"} @ 181.00 USD`.
fn posting(cursor: &mut Cursor<'_, '_>) -> Result<RawPosting, Problem> {
    let position = cursor.position();
    let mut tags = Vec::new();
    let flag = cursor.peek().filter(|token| token.kind != TokenKind::Account);
    let mut own_mark = Mark::Unmarked;
    if let Some(flag) = flag.map(|token| token.text) {
        match mark(flag) {
            Some(mark) => own_mark = mark,
            None if is_flag(flag) => tags.push(("flag".to_owned(), flag.to_owned())),
            None => return Err(cursor.unexpected()),
        }
        cursor.next();
    }
    let account = cursor.expect(TokenKind::Account)?.into();
    let number = cursor.number()?;
    let currency = cursor.take(TokenKind::Symbol).map(str::to_owned);
    let cost = cost(cursor)?.map(Box::new);
    let price = if cursor.take_mark("@@") {
        Some(Box::new(price(cursor, true)?))
    } else if cursor.take_mark("@") {
        Some(Box::new(price(cursor, false)?))
    } else {
        None
    };
    if !cursor.is_at_end() {
        return Err(cursor.unexpected());
    }
    let posting = Posting { mark: own_mark, tags, ..Posting::new(position, account) };
    Ok(RawPosting { posting, number, currency, cost, price })
}

fn price(cursor: &mut Cursor<'_, '_>, is_total: bool) -> Result<RawPrice, Problem> {
    let number = cursor.number()?.map(|number| number.value.absolute());
    let currency = cursor.expect(TokenKind::Symbol)?.to_owned();
    Ok(RawPrice { number, currency, is_total })
}

/// Parses `{10 # 5 USD, 2024-01-02, "label"}`, or a total in double braces.
fn cost(cursor: &mut Cursor<'_, '_>) -> Result<Option<RawCost>, Problem> {
    let is_total = cursor.take_mark("{{");
    if !is_total && !cursor.take_mark("{") {
        return Ok(None);
    }
    let close = if is_total { "}}" } else { "}" };
    let mut cost = RawCost::default();
    while !cursor.take_mark(close) {
        if let Some(date) = cursor.date()? {
            cost.lot.date = Some(date);
        } else if let Some(label) = cursor.take(TokenKind::Text) {
            cost.lot.label = Some(unescape(label));
        } else {
            let number = cursor.number()?.map(|number| number.value);
            let added = if cursor.take_mark("#") { cursor.number()? } else { None };
            (cost.per_unit, cost.total) = match (is_total, added) {
                (true, _) => (None, number),
                (false, added) => (number, added.map(|number| number.value)),
            };
            cost.currency = Some(cursor.expect(TokenKind::Symbol)?.to_owned());
        }
        if !cursor.take_mark(",") {
            if cursor.take_mark(close) {
                break;
            }
            return Err(cursor.unexpected());
        }
    }
    Ok(Some(cost))
}
