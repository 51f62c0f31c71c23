//! Running balances of an account after each row of its ledger (behaviour 2.9).
//!
//! The opening of a page comes from month and day totals, the days of the page from day totals, and
//! the rows of a day from its entries.

use std::collections::{BTreeMap, HashMap};

use time::Date;

use super::PeriodTotal;
use crate::id::TransactionId;

/// An entry of an account with the sum of its day so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunningRow {
    /// The transaction of the entry.
    pub transaction: TransactionId,
    /// The day of the entry.
    pub day: Date,
    /// Credits minus debits of the day up to and including this entry.
    pub day_sum: i128,
}

/// Computes the raw balance after each row.
///
/// `totals` are those of one account for [`super::segments`] by day: the opening as one sum, then
/// every day up to that of the last row. The cost depends on the number of days, not on the age of
/// the account.
///
/// ```
/// use daybook_domain::balance::{PeriodTotal, RunningRow, running_balances};
/// use daybook_domain::calendar::parse_iso;
/// use daybook_domain::id::{AccountId, TransactionId};
///
/// let total = |day, debit, credit| PeriodTotal {
///     account: AccountId::new(1),
///     period: parse_iso(day),
///     debit,
///     credit,
/// };
/// let row = |id, day_sum| RunningRow {
///     transaction: TransactionId::new(id),
///     day: parse_iso("2025-03-02").unwrap(),
///     day_sum,
/// };
/// // The opening is 100. The day before has a debit of 30, the day itself a credit of 5 and a
/// // debit of 10.
/// let totals = [total("", 0, 100), total("2025-03-01", 30, 0), total("2025-03-02", 10, 5)];
/// let after = running_balances(&totals, &[row(7, 5), row(8, -5)]);
/// assert_eq!((after[&TransactionId::new(7)], after[&TransactionId::new(8)]), (75, 65));
/// ```
pub fn running_balances(
    totals: &[PeriodTotal],
    rows: &[RunningRow],
) -> HashMap<TransactionId, i128> {
    let mut days: BTreeMap<Date, i128> = BTreeMap::new();
    let mut opening: i128 = 0;
    for total in totals {
        match total.period {
            Some(day) => *days.entry(day).or_default() += total.credit - total.debit,
            None => opening += total.credit - total.debit,
        }
    }
    // The balance at the start of each day with rows.
    let mut starts: BTreeMap<Date, i128> = rows.iter().map(|row| (row.day, 0)).collect();
    let mut balance = opening;
    let mut days = days.into_iter().peekable();
    for (day, start) in &mut starts {
        while let Some((_, sum)) = days.next_if(|(earlier, _)| earlier < day) {
            balance += sum;
        }
        *start = balance;
    }
    rows.iter()
        .map(|row| {
            (row.transaction, starts.get(&row.day).copied().unwrap_or_default() + row.day_sum)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;
    use crate::balance::{Level, segments};
    use crate::id::AccountId;
    use crate::query::Periodicity;

    /// Generates the ledger of an account: day and credit (positive) or debit. The index is the id.
    fn ledgers() -> impl Strategy<Value = Vec<(Date, i128)>> {
        let day =
            (0_i32..800).prop_map(|offset| Date::from_julian_day(2_460_000 + offset).unwrap());
        prop::collection::vec((day, -1000_i128..1000), 1..60).prop_map(|mut entries| {
            entries.sort_by_key(|(day, _)| *day);
            entries
        })
    }

    /// Returns what storage reads for these rows: totals by segment, and sums within the days.
    fn read(
        entries: &[(Date, i128)],
        wanted: &HashSet<usize>,
    ) -> (Vec<PeriodTotal>, Vec<RunningRow>) {
        let days = || wanted.iter().map(|index| entries[*index].0);
        let (first, last) = (days().min(), days().max());
        let mut totals = Vec::new();
        for segment in segments(first, last.and_then(Date::next_day), Periodicity::Daily) {
            let is_by_day = segment.fold || segment.level == Level::Day;
            assert!(is_by_day, "only the opening is read by month");
            for (day, amount) in entries.iter().filter(|(day, _)| segment.contains(*day)) {
                let period = (!segment.fold).then_some(*day);
                let (debit, credit) = ((-*amount).max(0), (*amount).max(0));
                totals.push(PeriodTotal { account: AccountId::new(1), period, debit, credit });
            }
        }
        let row = |index: &usize| {
            let day = entries[*index].0;
            let same_day = entries[..=*index].iter().filter(|(other, _)| *other == day);
            let day_sum = same_day.map(|(_, amount)| amount).sum();
            RunningRow { transaction: id(*index), day, day_sum }
        };
        (totals, wanted.iter().map(row).collect())
    }

    fn id(index: usize) -> TransactionId {
        TransactionId::new(i64::try_from(index).unwrap())
    }

    proptest! {
        #[test]
        fn running_balance_is_the_sum_of_all_entries_so_far(
            entries in ledgers(),
            picks in prop::collection::hash_set(0_usize..60, 1..20),
        ) {
            let wanted: HashSet<usize> =
                picks.into_iter().map(|pick| pick % entries.len()).collect();
            let (totals, rows) = read(&entries, &wanted);
            let found = running_balances(&totals, &rows);
            prop_assert_eq!(found.len(), wanted.len());
            for index in wanted {
                let expected: i128 = entries[..=index].iter().map(|(_, amount)| amount).sum();
                prop_assert_eq!(found[&id(index)], expected);
            }
        }
    }
}
