//! Quick entry, from behaviour 3.8: the fields that a description gives when the body does not. The
//! model does not parse: a text is composed of pieces with a known meaning. The domain and the
//! tests of quick entry test ambiguous texts.

use daybook_domain::field::Field;
use jiff::ToSpan as _;
use jiff::civil::Date;

use super::chart::is_blank;
use super::history::History;
use super::text::normalized;
use super::transaction::RecordOptions;
use super::{Book, Tx, amount, dates};
use crate::sim::body::{Named, TransactionBody};
use crate::sim::label;

/// The most months that a text may request (3.8.2.8).
pub const MAX_MONTHS: u32 = 36;

/// A number in a text, and its meaning in books with a decimal point and a decimal comma.
#[derive(Clone, Copy, Debug)]
pub struct Number {
    pub text: &'static str,
    pub point: &'static str,
    pub comma: &'static str,
    /// The part that stays in the description.
    pub rest: &'static str,
}

#[derive(Clone, Debug)]
pub enum Piece {
    /// Stays in the description.
    Word(String),
    /// The name of an account, as it is written.
    Account(label::Account, String),
    Number(Number),
    Day {
        text: String,
        day: Date,
        /// Whether the text leaves the year out.
        short: bool,
        /// The date pattern of the book, unless the text is `yyyy-MM-dd`.
        pattern: Option<String>,
    },
    Url(String),
    /// A hashtag that is removed, such as `-#food`.
    Hidden(String),
    /// Drafts of the following months.
    Months(u32),
}

/// Pieces, each with the white space behind it.
#[derive(Clone, Debug)]
pub struct TypedText(pub Vec<(Piece, &'static str)>);

/// The parts that are taken from a text; the others are its description.
struct Taken<'t> {
    sides: &'t [label::Account],
    /// Whether only account names are taken.
    names_only: bool,
    months: bool,
}

impl Piece {
    fn text(&self) -> String {
        match self {
            Piece::Word(text)
            | Piece::Account(_, text)
            | Piece::Day { text, .. }
            | Piece::Url(text)
            | Piece::Hidden(text) => text.clone(),
            Piece::Number(number) => number.text.to_owned(),
            Piece::Months(count) => format!("{count}x"),
        }
    }
}

impl TypedText {
    pub fn text(&self) -> String {
        self.0.iter().map(|(piece, space)| format!("{}{space}", piece.text())).collect()
    }

    /// Whether the pieces have their meaning in a book. In a shortened trace they may not.
    pub fn fits(&self, book: &Book) -> bool {
        self.0.iter().all(|(piece, _)| match piece {
            Piece::Account(label, text) => book.accounts.get(label).is_some_and(|account| {
                !account.archived && normalized(&account.name) == normalized(text)
            }),
            Piece::Day { pattern: Some(pattern), .. } => *pattern == book.settings.pattern,
            _ => true,
        })
    }

    /// The credit account and the next different one, the debit account (3.8.2.2).
    fn sides(&self) -> Vec<label::Account> {
        let mut sides = Vec::new();
        for (piece, _) in &self.0 {
            match piece {
                Piece::Account(label, _) if !sides.contains(label) => sides.push(*label),
                _ => {}
            }
        }
        sides.truncate(2);
        sides
    }

    /// The description that remains, with white space collapsed.
    fn rest(&self, taken: &Taken<'_>) -> String {
        let mut open = taken.sides.to_vec();
        let (mut rest, mut gap) = (String::new(), ' ');
        for (piece, space) in &self.0 {
            let stays = match piece {
                Piece::Account(label, _) if open.contains(label) => {
                    open.retain(|one| one != label);
                    String::new()
                }
                Piece::Number(number) if !taken.names_only => number.rest.to_owned(),
                Piece::Day { .. } | Piece::Url(_) | Piece::Hidden(_) if !taken.names_only => {
                    String::new()
                }
                Piece::Months(_) if taken.months => String::new(),
                _ => piece.text().split_whitespace().collect::<Vec<_>>().join(" "),
            };
            if !stays.is_empty() {
                rest.extend((!rest.is_empty()).then_some(gap));
                rest.push_str(&stays);
                gap = ' ';
            }
            gap = if space.contains('\n') { '\n' } else { gap };
        }
        rest
    }
}

impl Tx {
    /// Returns the body with the fields of its text, and the requested months.
    pub fn typed(
        &self,
        body: &TransactionBody,
        recording: &RecordOptions,
        history: &History,
    ) -> (TransactionBody, u32) {
        let as_given = (body.clone(), 0);
        let Field::Set(description) = &body.description else { return as_given };
        let no_side =
            |side: &Field<Named<label::Account>>| side.as_ref().value().is_none_or(is_blank);
        if description.trim().is_empty() || !no_side(&body.credit) || !no_side(&body.debit) {
            return as_given;
        }
        // The other descriptions of the simulation have nothing to find.
        let word = || TypedText(vec![(Piece::Word(description.clone()), "")]);
        let text = body.text.clone().unwrap_or_else(word);
        let sides = text.sides();
        let separator = &self.book.settings.separator;
        let no_date = body.date.as_ref().value().is_none_or(|date| date.trim().is_empty());
        let no_amount = body
            .amount
            .as_ref()
            .value()
            .is_none_or(|text| matches!(amount::read(text, separator), Ok(None)));
        if !no_amount || !no_date {
            // Beside other fields a text gives two accounts or nothing (3.8.1).
            let [credit, debit] = sides[..] else { return as_given };
            let taken = Taken { sides: &sides, names_only: true, months: false };
            let typed = TransactionBody {
                credit: Field::Set(Named::id(credit)),
                debit: Field::Set(Named::id(debit)),
                description: Field::Set(text.rest(&taken)),
                ..body.clone()
            };
            return (typed, 0);
        }
        let zone = recording.zone.as_ref().unwrap_or(&self.book.settings.zone);
        let today = dates::day(self.caller.now, zone);
        self.with_fields(body, &text, recording.single, today, history)
    }

    fn with_fields(
        &self,
        body: &TransactionBody,
        text: &TypedText,
        single: bool,
        today: Date,
        history: &History,
    ) -> (TransactionBody, u32) {
        let sides = text.sides();
        let mut urls = body.urls.clone().unwrap_or_default();
        let (mut date, mut amount, mut months) = (None, None, None);
        for (piece, _) in &text.0 {
            match piece {
                Piece::Word(_) | Piece::Account(..) | Piece::Hidden(_) => {}
                Piece::Number(number) if self.book.settings.separator == "COMMA" => {
                    amount = Some(number.comma);
                }
                Piece::Number(number) => amount = Some(number.point),
                Piece::Day { day, short: true, .. } => {
                    date = day.with().year(today.year()).build().ok();
                }
                Piece::Day { day, .. } => date = Some(*day),
                Piece::Url(url) => urls.extend((!urls.contains(url)).then(|| url.clone())),
                Piece::Months(count) => months = Some(*count),
            }
        }
        // Only a single line with a date is repeated.
        let is_line = !text.text().trim().contains('\n');
        let months = months.filter(|_| date.is_some() && single && is_line);
        let taken = Taken { sides: &sides, names_only: false, months: months.is_some() };
        let description = text.rest(&taken);
        let side = |index: usize| sides.get(index).copied();
        let [credit, debit] = history.complete([side(0), side(1)], &description, today);
        let typed = TransactionBody {
            date: field(date.map(|date| date.to_string())),
            amount: field(amount.map(str::to_owned)),
            description: Field::Set(description),
            credit: field(credit.map(Named::id)),
            debit: field(debit.map(Named::id)),
            // Without an address in the text the body keeps its own, or those of a known draft
            // (3.3.2).
            urls: (body.urls.is_some() || !urls.is_empty()).then_some(urls),
            ..body.clone()
        };
        (typed, months.unwrap_or_default())
    }
}

fn field<T>(value: Option<T>) -> Field<T> {
    value.map_or(Field::Keep, Field::Set)
}

/// The same day a number of months later, or the last day of a shorter month.
pub fn later(day: Date, months: u32) -> Date {
    day + i64::from(months).months()
}
