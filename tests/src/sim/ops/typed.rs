//! Creates in text mode: descriptions composed of tokens that are parsed and of lookalikes.

use std::sync::Arc;

use daybook_domain::field::Field;

use super::DynOperation;
use super::book::ZONES;
use super::transaction::Create;
use crate::sim::body::{Named, TransactionBody};
use crate::sim::draw::Draw;
use crate::sim::model::transaction::RecordOptions;
use crate::sim::model::typed::MAX_MONTHS;

const WORDS: [&str; 8] = ["lunch", "for", "don't", "cashier", "(paid)", "rent,", "Ökologie", "-"];
/// Exact matches, worse ones, and invalid ones.
const NUMBERS: [&str; 45] = [
    "25",
    "7",
    "12.34",
    "12,34",
    "1.234",
    "1,234",
    "1.234,56",
    "1,234.56",
    "1234.5",
    "0,5",
    "1.234.567",
    "1,234,567",
    "99.995",
    "3,14159",
    "$12.50",
    "€8",
    "25,",
    "12.34.",
    "0.00",
    "0.001",
    "-5",
    "-12.34",
    "No.25",
    "25.pdf",
    "2024-2025",
    "10:30",
    "b12",
    "12e3",
    "123456789012345678901234567890",
    "92233720368547758.08",
    "300",
    "1 234,56",
    "12 345",
    "1\u{a0}234.56",
    "10\u{202f}000",
    "1'234.56",
    "1'23",
    ".99",
    ",50",
    "-.50",
    "12..50",
    "12.50-",
    "12.-",
    "20%",
    "-1 234,56",
];
const DAYS: [&str; 10] = [
    "15/03/2025",
    "3/4/2025",
    "28/02",
    "02/28",
    "2025/03/15",
    "2025-03-15",
    "31/02/2025",
    "29/2",
    "13/13/2025",
    "12/11/2025,",
];
const LITERALS: [&str; 10] = [
    "#food",
    "#Home_2",
    "-#hidden",
    "x#tag",
    "\"quoted 77 text\"",
    "'5/6'",
    "\"open",
    "https://example.com/2/30?x=1",
    "http://example.com/a.",
    "https://example.com/1",
];
const MONTHS: [&str; 7] = ["4x", "$2x", "1x", "36x", "37x", "0x", "12xx"];

pub fn draw(draw: &mut Draw<'_>) -> DynOperation {
    let (post, batch) = (draw.one_in(6), draw.one_in(5));
    let items =
        if batch { (0..1 + draw.below(3)).map(|_| body(draw)).collect() } else { vec![body(draw)] };
    let recording = RecordOptions {
        post: post && !batch,
        single: !post && !batch,
        zone: draw.one_in(4).then(|| draw.pick(&ZONES).to_owned()),
        // The following labels are reserved for the drafts.
        months: draw.labels(MAX_MONTHS),
    };
    Arc::new(Create { book: draw.book, items, recording, batch })
}

/// A body with few fields besides its text.
fn body(draw: &mut Draw<'_>) -> TransactionBody {
    let full = draw.new_transaction();
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
        description: Field::Set(text(draw)),
        credit: if draw.one_in(8) {
            draw.pick(&[Field::Clear, Field::Set(Named::blank())])
        } else {
            Field::Keep
        },
        debit: Field::Keep,
        ..full
    }
}

/// The description of a transaction, or one of its hashtags.
fn described(draw: &mut Draw<'_>) -> Option<String> {
    let label = draw.transaction(|one| one.counts())?;
    let one = &draw.state()?.transactions[&label];
    let tag = one.tags.first().map(|tag| format!("#{tag}"));
    let text = one.description.clone();
    Some(tag.filter(|_| draw.one_in(4)).unwrap_or(text))
}

fn text(draw: &mut Draw<'_>) -> String {
    // The parts of a complete transaction in any order, with other text between.
    let mut pieces: Vec<String> = Vec::new();
    // An earlier description, perhaps with the name of one account.
    if draw.one_in(3)
        && let Some(before) = described(draw)
    {
        pieces.push(before);
        pieces.extend(if draw.one_in(3) { account(draw) } else { None });
        pieces.extend((!draw.one_in(4)).then(|| draw.pick(&NUMBERS).to_owned()));
        pieces.extend((!draw.one_in(4)).then(|| draw.pick(&DAYS).to_owned()));
        return pieces.join(" ");
    }
    for _ in 0..2 {
        pieces.extend(if draw.one_in(8) { None } else { account(draw) });
    }
    pieces.extend((!draw.one_in(6)).then(|| draw.pick(&NUMBERS).to_owned()));
    pieces.extend((!draw.one_in(4)).then(|| draw.pick(&DAYS).to_owned()));
    for _ in 0..draw.below(4) {
        let piece = match draw.below(8) {
            0 | 1 => draw.pick(&NUMBERS).to_owned(),
            2 => draw.pick(&DAYS).to_owned(),
            3 | 4 => draw.pick(&LITERALS).to_owned(),
            5 => account(draw).unwrap_or_default(),
            _ => draw.pick(&WORDS).to_owned(),
        };
        pieces.push(piece);
    }
    pieces.extend(draw.one_in(4).then(|| draw.pick(&MONTHS).to_owned()));
    let mut text = String::new();
    while !pieces.is_empty() {
        let place = draw.below(pieces.len());
        text.push_str(&pieces.remove(place));
        text.push_str(draw.pick(&[" ", " ", " ", " ", " ", " ", "  ", "\n"]));
    }
    text
}

/// The name of an account, with variations of case and spacing.
fn account(draw: &mut Draw<'_>) -> Option<String> {
    let label = draw.account()?;
    let name = draw.state()?.accounts.get(&label)?.name.trim_end_matches('_').to_owned();
    Some(match draw.below(5) {
        0 => name.to_uppercase(),
        1 => name.to_lowercase(),
        2 => name.replace(' ', "-"),
        3 => name.replace(['-', ' '], "  "),
        _ => name,
    })
}
