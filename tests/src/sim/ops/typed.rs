//! Creates from quick entries: descriptions composed of tokens that are parsed and of lookalikes.

use std::sync::Arc;

use daybook_domain::field::Field;
use jiff::ToSpan as _;

use super::DynOperation;
use super::book::ZONES;
use super::transaction::Create;
use crate::sim::body::{Named, TransactionBody};
use crate::sim::draw::{Draw, TEXTS};
use crate::sim::label;
use crate::sim::model::text::normalized;
use crate::sim::model::transaction::RecordOptions;
use crate::sim::model::typed::{MAX_MONTHS, Number, Piece, TypedText};

/// No account has such a name.
const WORDS: [&str; 6] = ["lunch", "for", "don't", "cashier", "(paid)", "Ökologie"];
/// Text that is not taken: signed numbers, parts of words, days and times, hashtags, quotes.
const LOOKALIKES: [&str; 24] = [
    "0.00",
    "-5",
    "-12.34",
    "No.25",
    "25.pdf",
    "2024-2025",
    "10:30",
    "b12",
    "12e3",
    "123456789012345678901234567890",
    "1'23",
    "-.50",
    "12..50",
    "12.50-",
    "12.-",
    "20%",
    "-1 234,56",
    "31/02/2025",
    "13/13/2025",
    "0x",
    "12xx",
    "x#tag",
    "\"quoted 77 text\"",
    "'5/6'",
];
const NUMBERS: [Number; 17] = [
    number("25", "25", "25", ""),
    number("7", "7", "7", ""),
    number("12.34", "12.34", "12.34", ""),
    number("12,34", "12.34", "12.34", ""),
    number("1.234", "1.234", "1234", ""),
    number("1,234", "1234", "1.234", ""),
    number("1.234,56", "1234.56", "1234.56", ""),
    number("1,234.56", "1234.56", "1234.56", ""),
    number("1.234.567", "1234567", "1234567", ""),
    number("0,5", "0.5", "0.5", ""),
    number("99.995", "99.995", "99995", ""),
    number("$12.50", "12.50", "12.50", "$"),
    number("€8", "8", "8", "€"),
    number("12.34.", "12.34", "12.34", "."),
    number("1 234,56", "1234.56", "1234.56", ""),
    number("1'234.56", "1234.56", "1234.56", ""),
    number(".99", "0.99", "0.99", ""),
];

const fn number(
    text: &'static str,
    point: &'static str,
    comma: &'static str,
    rest: &'static str,
) -> Number {
    Number { text, point, comma, rest }
}

pub fn draw(draw: &mut Draw<'_>) -> DynOperation {
    let (post, batch) = (draw.one_in(6), draw.one_in(5));
    let count = if batch { 1 + draw.below(3) } else { 1 };
    let items = (0..count).map(|_| body(draw)).collect();
    let recording = RecordOptions {
        post: post && !batch,
        single: !post && !batch,
        zone: draw.one_in(4).then(|| draw.pick(&ZONES).to_owned()),
        // The following labels are reserved for the drafts.
        months: draw.labels(MAX_MONTHS),
    };
    Arc::new(Create { items, recording, batch })
}

/// A body with few fields besides its text.
fn body(draw: &mut Draw<'_>) -> TransactionBody {
    let full = draw.new_transaction();
    let text = text(draw);
    TransactionBody {
        date: match draw.below(8) {
            0 => draw.pick(&[Field::Clear, Field::Set(" ".to_owned())]),
            1 | 2 => full.date.clone(),
            _ => Field::Keep,
        },
        amount: match draw.below(8) {
            0 => draw.pick(&[Field::Clear, Field::Set("-0".to_owned())]),
            1 | 2 => full.amount.clone(),
            _ => Field::Keep,
        },
        description: Field::Set(text.text()),
        text: Some(text),
        credit: if draw.one_in(8) {
            draw.pick(&[Field::Clear, Field::Set(Named::blank())])
        } else {
            Field::Keep
        },
        debit: Field::Keep,
        ..full
    }
}

/// The parts of a complete transaction in any order, or an earlier description, perhaps with some
/// of them.
fn text(draw: &mut Draw<'_>) -> TypedText {
    let number = if draw.one_in(6) { None } else { Some(Piece::Number(draw.pick(&NUMBERS))) };
    let day = if draw.one_in(4) { None } else { Some(day(draw)) };
    if draw.one_in(3) {
        let mut pieces: Vec<Piece> = Vec::new();
        pieces.extend(if draw.one_in(3) { account(draw) } else { None });
        pieces.push(Piece::Word(draw.pick(&TEXTS[1..]).to_owned()));
        pieces.extend(number.into_iter().chain(day));
        return TypedText(pieces.into_iter().map(|piece| (piece, " ")).collect());
    }
    let mut pieces: Vec<Piece> = number.into_iter().chain(day).collect();
    for _ in 0..2 + usize::from(draw.one_in(6)) {
        pieces.extend(if draw.one_in(8) { None } else { account(draw) });
    }
    for _ in 0..draw.below(3) {
        pieces.push(Piece::Word(draw.pick(&LOOKALIKES).to_owned()));
    }
    if draw.one_in(4) {
        pieces.push(Piece::Url("https://example.com/2/30?x=1".to_owned()));
    }
    if draw.one_in(6) {
        let hashtag = draw.pick(&["#food", "#Home_2"]).to_owned();
        let hidden = Piece::Hidden("-#hidden".to_owned());
        pieces.push(if draw.one_in(2) { hidden } else { Piece::Word(hashtag) });
    }
    if draw.one_in(4) {
        pieces.push(Piece::Months(draw.pick(&[1, 2, 4, MAX_MONTHS])));
    }
    let mut text = Vec::new();
    while !pieces.is_empty() {
        let place = draw.below(pieces.len());
        text.push((pieces.remove(place), space(draw)));
        // A word between two pieces, so that they are not read as one.
        text.push((Piece::Word(draw.pick(&WORDS).to_owned()), space(draw)));
    }
    TypedText(text)
}

fn space(draw: &mut Draw<'_>) -> &'static str {
    draw.pick(&[" ", " ", " ", " ", " ", " ", "  ", "\n"])
}

/// A day near today, in the pattern of the book or in `yyyy-MM-dd`.
fn day(draw: &mut Draw<'_>) -> Piece {
    let back = i32::try_from(draw.below(70)).expect("small");
    let day = draw.today() - back.days();
    let pattern = draw.state().map(|book| book.settings.pattern.clone());
    let Some(pattern) = pattern.filter(|_| !draw.one_in(3)) else {
        return Piece::Day { text: day.to_string(), day, short: false, pattern: None };
    };
    // Not 29 February, which many years lack.
    let short = draw.one_in(3) && day.day() < 29;
    let (year, first, second) = (day.year(), day.month(), day.day());
    let text = match (pattern.as_str(), short) {
        ("dd/MM/yyyy", true) => format!("{second}/{first}"),
        (_, true) => format!("{first:02}/{second:02}"),
        ("dd/MM/yyyy", false) => format!("{second:02}/{first:02}/{year}"),
        ("MM/dd/yyyy", false) => format!("{first}/{second}/{year}"),
        (_, false) => format!("{year}/{first:02}/{second:02}"),
    };
    Piece::Day { text, day, short, pattern: Some(pattern) }
}

/// The name of an account, with variations of case and spacing.
fn account(draw: &mut Draw<'_>) -> Option<Piece> {
    let all = draw.state()?.accounts.values().filter(|one| !one.archived);
    let all: Vec<(label::Account, String)> =
        all.map(|one| (one.label, one.name.trim_end_matches('_').to_owned())).collect();
    let (label, name) = draw.one_of(&all)?;
    let varied = match draw.below(5) {
        0 => name.to_uppercase(),
        1 => name.to_lowercase(),
        2 => name.replace(' ', "-"),
        3 => name.replace(['-', ' '], "  "),
        _ => name.clone(),
    };
    // Not every letter keeps its meaning in upper case.
    let same = normalized(&varied) == normalized(&name);
    Some(Piece::Account(label, if same { varied } else { name }))
}
