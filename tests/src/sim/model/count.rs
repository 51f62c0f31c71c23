//! Counts of transactions, from behaviour 1.4.3 and 9.8.

use std::collections::BTreeMap;

use jiff::ToSpan as _;
use jiff::civil::Date;

use super::dates::{self, Unit};
use super::query::Query;
use super::{Caller, Model, may};
use crate::sim::facts::{Answer, Refusal, Transaction};
use crate::sim::label;

/// Above this number of slices, slices without transactions are left out.
const MAX_FILLED: usize = 36_600;

/// The parameters of countTransactionsPosted, unparsed.
#[derive(Clone, Debug)]
pub struct Span {
    pub after: Option<String>,
    pub before: Option<String>,
    pub periodicity: Option<&'static str>,
}

impl Model {
    /// Counts the transactions that a list has on all its pages.
    pub fn count(
        &self,
        book: label::Book,
        caller: &Caller,
        query: &Query,
    ) -> Result<Answer, Refusal> {
        let (pages, _) = self.list_transactions(book, caller, query, 1000)?;
        Ok(Answer::Count(pages.iter().map(Vec::len).sum(), query.warnings()))
    }

    pub fn counts(
        &self,
        book: label::Book,
        caller: &Caller,
        span: &Span,
    ) -> Result<Answer, Refusal> {
        let (book, _) = self.enter(book, caller, may::READ)?;
        let day =
            |text: &Option<String>| text.as_deref().and_then(dates::parse).ok_or_else(Refusal::bad);
        let (after, before) = (day(&span.after)?, day(&span.before)?);
        let unit = match span.periodicity {
            Some("DAILY") => Unit::Day,
            Some("MONTHLY") => Unit::Month,
            Some("YEARLY") => Unit::Year,
            _ => return Err(Refusal::bad()),
        };
        let of = |takes: fn(&Transaction) -> bool| {
            let days =
                book.transactions.values().filter(|one| takes(one)).filter_map(|one| one.date);
            slices(after, before, unit, days)
        };
        let (posted, trashed) = (of(Transaction::counts), of(|one| one.trashed));
        Ok(Answer::Counts {
            truncated: posted.1 || trashed.1,
            posted: posted.0,
            trashed: trashed.0,
        })
    }
}

/// Counts the days in each slice of a range, by fuzzy date. The flag tells whether slices were left
/// out.
fn slices(
    after: Date,
    before: Date,
    unit: Unit,
    days: impl Iterator<Item = Date>,
) -> (Vec<(i32, usize)>, bool) {
    let mut slices = BTreeMap::new();
    if after >= before {
        return (Vec::new(), false);
    }
    let (mut slice, last) = (unit.begin(after), unit.begin(before - 1.day()));
    while slice <= last {
        slices.insert(slice, 0);
        slice = unit.next(slice);
    }
    let filled = slices.len() <= MAX_FILLED;
    for day in days.filter(|day| (after..before).contains(day)) {
        *slices.get_mut(&unit.begin(day)).expect("every day of the range has its slice") += 1;
    }
    let all = slices.len();
    slices.retain(|_, count| filled || *count > 0);
    let truncated = slices.len() < all;
    (slices.into_iter().map(|(slice, count)| (unit.fuzzy(slice), count)).collect(), truncated)
}
