//! The balances of accounts at the ends of months, for assertions.

use std::collections::{BTreeSet, HashMap};

use daybook_domain::id::AccountId;
use daybook_domain::transaction::Transaction;
use time::{Date, Duration};

use super::model::{Balances, units};

/// Balances that hold at the end of a day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DayBalances {
    pub(super) day: Date,
    /// Debits minus credits.
    pub(super) balances: Vec<(AccountId, i128)>,
}

/// Sums the postings of accounts, which come in the order of their days.
#[derive(Debug, Default)]
pub(super) struct RunningBalances {
    sums: HashMap<AccountId, i128>,
    /// The accounts with a posting in the month of the last day.
    moved: BTreeSet<AccountId>,
    last_day: Option<Date>,
}

impl RunningBalances {
    /// Adds a transaction, unless it is a draft or in the trash. Returns the balances of the month
    /// before, if the transaction is in a later one, of the accounts that have moved in it.
    ///
    /// The account of amounts between two days, `transit`, is left out, because a journal joins the
    /// parts of its entries.
    pub(super) fn add_transaction(
        &mut self,
        transaction: &Transaction,
        scale: u32,
        transit: Option<AccountId>,
    ) -> Option<DayBalances> {
        if !transaction.counts() {
            return None;
        }
        let ended = self.begin_day(transaction.list_day);
        let units = units(transaction, scale);
        for (account, units) in
            [(transaction.debit, units), (transaction.credit, units.saturating_neg())]
        {
            if let Some(id) = account.filter(|id| Some(*id) != transit) {
                let sum = self.sums.entry(id).or_default();
                *sum = sum.saturating_add(units);
                self.moved.insert(id);
            }
        }
        ended
    }

    fn begin_day(&mut self, day: Date) -> Option<DayBalances> {
        let month = |day: Date| (day.year(), u8::from(day.month()));
        let last = self.last_day.replace(day)?;
        if month(last) == month(day) { None } else { self.end_of_month(last) }
    }

    /// Returns the balances after the last day: `stored`, if they are known, or those of the last
    /// month.
    pub(super) fn finish(mut self, stored: Option<&Balances>) -> Option<DayBalances> {
        let last = self.last_day?;
        let Some(stored) = stored else { return self.end_of_month(last) };
        let mut balances: Vec<(AccountId, i128)> =
            stored.iter().map(|(id, units)| (*id, *units)).collect();
        balances.sort_unstable();
        Some(DayBalances { day: end_of_month(last), balances })
    }

    fn end_of_month(&mut self, day: Date) -> Option<DayBalances> {
        let moved = std::mem::take(&mut self.moved).into_iter();
        let balances: Vec<(AccountId, i128)> =
            moved.map(|id| (id, self.sums.get(&id).copied().unwrap_or_default())).collect();
        (!balances.is_empty()).then(|| DayBalances { day: end_of_month(day), balances })
    }
}

fn end_of_month(day: Date) -> Date {
    let left = day.month().length(day.year()).saturating_sub(day.day());
    day.checked_add(Duration::days(i64::from(left))).unwrap_or(day)
}
