//! Counts of transactions, from behaviour 1.4.3 and 9.8.

use std::collections::BTreeMap;

use jiff::ToSpan as _;
use jiff::civil::Date;

use super::dates::{self, Unit};
use super::query::Query;
use super::{Caller, Model, may};
use crate::sim::facts::{Refusal, Transaction};

/// Above this number of slices, slices without transactions are left out.
const MAX_FILLED: usize = 36_600;

/// The parameters of countTransactionsPosted, unparsed.
#[derive(Clone, Debug)]
pub struct Span {
    pub after: Option<String>,
    pub before: Option<String>,
    pub periodicity: Option<&'static str>,
}

/// Posted and trashed transactions by fuzzy date, and whether slices without transactions are left
/// out.
pub type Counts = (Vec<(i32, usize)>, Vec<(i32, usize)>, bool);

impl Model {
    /// Counts the transactions that a list has on all its pages.
    pub fn count(&self, caller: &Caller, query: &Query) -> Result<usize, Refusal> {
        Ok(self.list_transactions(caller, query)?.0.len())
    }

    pub fn counts(&self, caller: &Caller, span: &Span) -> Result<Counts, Refusal> {
        let (book, _) = self.enter(caller, may::READ)?;
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
        Ok((posted.0, trashed.0, posted.1 || trashed.1))
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
