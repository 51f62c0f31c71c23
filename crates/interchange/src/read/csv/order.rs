//! The order of records within a day, and the balances that it leads to.

use time::Date;

use crate::read::amount::SignedAmount;
use crate::read::output::Output;
use crate::read::problem::{Kind, Problem};
use crate::read::record::{Balance, Record, Statement};
use crate::read::rules::Rules;

/// Evidence of the order of records, from neighbouring ones.
#[derive(Debug, Default)]
pub(crate) struct Chain {
    first: Option<Date>,
    last: Option<(Date, SignedAmount, Option<SignedAmount>)>,
    /// Pairs of one day with balances.
    pairs: usize,
    /// Pairs whose balances fit if the first one is older.
    forward: usize,
    /// Pairs whose balances fit if the second one is older.
    backward: usize,
}

impl Chain {
    /// Adds the next record of the file.
    pub(crate) fn add(&mut self, record: &Record) {
        let Some(date) = record.date else { return };
        self.first.get_or_insert(date);
        if let (Some((day, amount, Some(before))), Some(after)) = (self.last, record.balance)
            && day == date
        {
            self.pairs += 1;
            self.forward += usize::from(before.checked_add(record.amount) == Some(after));
            self.backward += usize::from(after.checked_add(amount) == Some(before));
        }
        self.last = Some((date, record.amount, record.balance));
    }

    /// Returns whether the later records of a day come first in the file.
    pub(crate) fn same_day_reversed(&self, rules: &Rules, out: &mut Output<'_>) -> bool {
        let is_newest_first =
            matches!((self.first, self.last), (Some(first), Some((last, ..))) if first > last);
        if rules.newest_first || rules.intra_day_reversed {
            return (rules.newest_first || is_newest_first) != rules.intra_day_reversed;
        }
        match (self.forward == self.pairs, self.backward == self.pairs) {
            (true, false) => false,
            (false, true) => true,
            (true, true) => is_newest_first,
            (false, false) => {
                out.warn(Problem::of_file(Kind::UnknownOrder));
                is_newest_first
            }
        }
    }
}

/// The balances of the first and the last record.
#[derive(Debug, Default)]
pub(crate) struct Balances {
    first: Option<Option<Balance>>,
    last: Option<Balance>,
    account: Option<Option<String>>,
    currency: Option<Option<String>>,
    is_mixed: bool,
}

impl Balances {
    pub(crate) fn add(&mut self, record: &Record) {
        let account = self.account.get_or_insert_with(|| record.account.clone());
        let currency = self.currency.get_or_insert_with(|| record.currency.clone());
        self.is_mixed |= *account != record.account || *currency != record.currency;
        let before = record.balance.and_then(|balance| balance.checked_sub(record.amount));
        self.first.get_or_insert(before.map(|amount| Balance { amount, date: None }));
        let after = record.balance.map(|amount| Balance { amount, date: record.date });
        // A pending record often has no balance.
        self.last = after.or(self.last);
    }

    /// Completes a statement that states no balances itself.
    pub(crate) fn complete(self, statement: &mut Statement) {
        if self.is_mixed {
            return;
        }
        statement.currency = statement.currency.take().or(self.currency.flatten());
        if statement.opening.is_none() {
            statement.opening = self.first.flatten();
        }
        if statement.closing.is_none() {
            statement.closing = self.last;
        }
    }
}
