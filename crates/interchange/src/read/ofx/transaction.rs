//! A transaction of OFX.

use daybook_domain::amount::DecimalSeparator;
use daybook_domain::calendar;
use time::Date;

use crate::read::amount::SignedAmount;
use crate::read::day::Day;
use crate::read::numeral::Number;
use crate::read::output::Output;
use crate::read::problem::{Kind, Position, Problem, excerpt};
use crate::read::record::{Record, Status};

/// A date of OFX.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Days {
    Day(Date),
    /// Zeros, which some banks write for pending transactions.
    Zeros,
    Invalid,
}

impl Days {
    /// Parses `20260110`, with any time and zone behind it.
    ///
    /// The day is taken as written, and not in UTC. Dates of six digits are day, month and year.
    pub(crate) fn read(text: &str) -> Self {
        let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let (digits, rest) = text.split_at(end);
        if !digits.is_empty() && digits.bytes().all(|digit| digit == b'0') {
            return Self::Zeros;
        }
        let number: Option<i32> =
            digits.get(..8.min(digits.len())).and_then(|digits| digits.parse().ok());
        let day = match (digits.len(), number) {
            (8.., Some(number)) => calendar::from_day_number(number),
            (6, Some(number)) if rest.is_empty() => {
                let (day, month, year) = (number / 10_000, number / 100 % 100, number % 100);
                calendar::from_day_number((2000 + year) * 10_000 + month * 100 + day)
            }
            _ => match Day::scan(text) {
                Some(Day::Certain(day)) => Some(day),
                Some(Day::Numeric(..)) | None => None,
            },
        };
        day.map_or(Self::Invalid, Self::Day)
    }
}

/// Returns the amount; `None` if the text is not one.
pub(crate) fn amount(text: &str, mark: Option<DecimalSeparator>) -> Option<SignedAmount> {
    let number = Number::scan(text)?;
    mark.and_then(|mark| number.value(mark)).or_else(|| number.value_alone())
}

/// A text with its place.
type Placed = (String, Position);

/// A transaction while its elements are read.
#[derive(Debug)]
pub(crate) struct Transaction {
    position: Position,
    is_pending: bool,
    amount: Option<Placed>,
    posted: Option<Placed>,
    available: Option<String>,
    id: Option<String>,
    name: Option<String>,
    memo: Option<String>,
    check: Option<String>,
    reference: Option<String>,
    counterparty: Option<String>,
    /// The currency of the amount, where it is not the statement's.
    currency: Option<String>,
    original_currency: Option<String>,
    rate: Option<String>,
}

impl Transaction {
    pub(crate) const fn new(position: Position, is_pending: bool) -> Self {
        Self {
            position,
            is_pending,
            amount: None,
            posted: None,
            available: None,
            id: None,
            name: None,
            memo: None,
            check: None,
            reference: None,
            counterparty: None,
            currency: None,
            original_currency: None,
            rate: None,
        }
    }

    /// Stores the text of an element within the element `parent`.
    pub(crate) fn set(&mut self, parent: &str, name: &str, value: String, position: Position) {
        let field = match (name, parent) {
            ("TRNAMT", _) => return self.amount = Some((value, position)),
            ("DTPOSTED" | "DTTRAN", _) => return self.posted = Some((value, position)),
            ("DTAVAIL", _) => &mut self.available,
            ("FITID", _) => &mut self.id,
            ("NAME", _) => &mut self.name,
            ("MEMO", _) => &mut self.memo,
            ("CHECKNUM", _) => &mut self.check,
            ("REFNUM", _) => &mut self.reference,
            ("ACCTID", "BANKACCTTO" | "CCACCTTO") => &mut self.counterparty,
            ("CURSYM", "CURRENCY") => &mut self.currency,
            ("CURSYM", "ORIGCURRENCY") => &mut self.original_currency,
            ("CURRATE", _) => &mut self.rate,
            _ => return,
        };
        *field = Some(value);
    }

    pub(crate) fn record(
        self,
        mark: Option<DecimalSeparator>,
        out: &mut Output<'_>,
    ) -> Result<Record, Problem> {
        let Some((text, place)) = &self.amount else {
            return Err(Problem::at(self.position, Kind::MissingAmount));
        };
        let amount = amount(text, mark)
            .ok_or_else(|| Problem::at(*place, Kind::InvalidAmount(excerpt(text))))?;
        let mut record = Record::new(self.position, amount);
        match &self.posted {
            None => out.warn(Problem::at(self.position, Kind::MissingDate)),
            Some((text, place)) => match Days::read(text) {
                Days::Day(day) => record.date = Some(day),
                Days::Zeros => out.warn(Problem::at(*place, Kind::ZeroDate)),
                Days::Invalid => {
                    return Err(Problem::at(*place, Kind::InvalidDate(excerpt(text))));
                }
            },
        }
        record.value_date = self.available.as_deref().and_then(|text| match Days::read(text) {
            Days::Day(day) => Some(day),
            Days::Zeros | Days::Invalid => None,
        });
        record.status = if self.is_pending { Status::Pending } else { Status::Booked };
        record.currency = self.currency;
        record.description = self.name.clone().or_else(|| self.memo.clone()).unwrap_or_default();
        record.payee = self.name;
        record.memo = self.memo;
        record.reference = self.check.or(self.reference);
        record.source_id = self.id;
        record.counterparty = self.counterparty;
        let named = [("original_currency", self.original_currency), ("rate", self.rate)];
        record
            .properties
            .extend(named.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
        Ok(record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_taken_as_written() {
        for (text, expected) in [
            ("20260110", "2026-01-10"),
            ("202601101530", "2026-01-10"),
            ("20260110120000.000 GMT", "2026-01-10"),
            ("20260110003000[-3:GMT]", "2026-01-10"),
            ("100126", "2026-01-10"),
            ("2026-01-10", "2026-01-10"),
            ("00000000000000", "zeros"),
            ("0", "zeros"),
            ("20260230", "invalid"),
            ("01/02/2026", "invalid"),
            ("soon", "invalid"),
        ] {
            let shown = match Days::read(text) {
                Days::Day(day) => calendar::format_iso(day),
                Days::Zeros => "zeros".to_owned(),
                Days::Invalid => "invalid".to_owned(),
            };
            assert_eq!(shown, expected, "{text}");
        }
    }
}
