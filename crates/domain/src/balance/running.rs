//! Running balances: what stands on an account after each row of its ledger (behaviour 2.9). The
//! opening before a page's first day comes from month and day totals, the days of the page from day
//! totals, and the rows of one day from its entries.

use std::collections::{BTreeMap, HashMap};

use time::Date;

use super::PeriodTotal;
use crate::id::TransactionId;

/// An entry of an account, with the movements of its day up to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunningRow {
    /// The transaction of the entry.
    pub transaction: TransactionId,
    /// The day of the entry.
    pub day: Date,
    /// Credits minus debits of that day, up to and including this entry.
    pub so_far: i128,
}

/// The raw balance after each of the rows: the balance before the day of the row plus what moved on
/// that day. `totals` are those of one account for [`super::segments`] by day: the opening as one
/// sum, then every day up to the last of the rows. The cost depends on the days read, not on the
/// length of the account before them.
///
/// ```
/// use daybook_domain::balance::{PeriodTotal, RunningRow, running};
/// use daybook_domain::calendar::parse_iso;
/// use daybook_domain::id::{AccountId, TransactionId};
///
/// let total = |day, debit, credit| PeriodTotal {
///     account: AccountId::new(1),
///     period: parse_iso(day),
///     debit,
///     credit,
/// };
/// let row = |id, so_far| RunningRow {
///     transaction: TransactionId::new(id),
///     day: parse_iso("2025-03-02").unwrap(),
///     so_far,
/// };
/// // 100 came in before, 30 went out on the day before; on the day itself 5 came in, 10 went out.
/// let totals = [total("", 0, 100), total("2025-03-01", 30, 0), total("2025-03-02", 10, 5)];
/// let after = running(&totals, &[row(7, 5), row(8, -5)]);
/// assert_eq!((after[&TransactionId::new(7)], after[&TransactionId::new(8)]), (75, 65));
/// ```
#[must_use]
pub fn running(totals: &[PeriodTotal], rows: &[RunningRow]) -> HashMap<TransactionId, i128> {
    let mut days: BTreeMap<Date, i128> = BTreeMap::new();
    let mut opening: i128 = 0;
    for total in totals {
        match total.period {
            Some(day) => *days.entry(day).or_default() += total.credit - total.debit,
            None => opening += total.credit - total.debit,
        }
    }
    // The balance at the beginning of each day that has rows.
    let mut starts: BTreeMap<Date, i128> = rows.iter().map(|row| (row.day, 0)).collect();
    let mut standing = opening;
    let mut moved = days.into_iter().peekable();
    for (day, start) in &mut starts {
        while let Some((_, sum)) = moved.next_if(|(earlier, _)| earlier < day) {
            standing += sum;
        }
        *start = standing;
    }
    rows.iter()
        .map(|row| {
            (row.transaction, starts.get(&row.day).copied().unwrap_or_default() + row.so_far)
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

    /// The ledger of one account: day, and credit (positive) or debit; the place in the list is the
    /// id.
    fn ledgers() -> impl Strategy<Value = Vec<(Date, i128)>> {
        let day =
            (0_i32..800).prop_map(|offset| Date::from_julian_day(2_460_000 + offset).unwrap());
        prop::collection::vec((day, -1000_i128..1000), 1..60).prop_map(|mut entries| {
            entries.sort_by_key(|(day, _)| *day);
            entries
        })
    }

    /// What a storage reads for the rows: totals by segment, and the window over their days.
    fn read(
        entries: &[(Date, i128)],
        wanted: &HashSet<usize>,
    ) -> (Vec<PeriodTotal>, Vec<RunningRow>) {
        let on_page = || wanted.iter().map(|place| entries[*place].0);
        let (first, last) = (on_page().min(), on_page().max());
        let mut totals = Vec::new();
        for segment in segments(first, last.and_then(Date::next_day), Periodicity::Daily) {
            let inside = |day: Date| {
                segment.from.is_none_or(|from| day >= from)
                    && segment.until.is_none_or(|until| day < until)
            };
            assert!(
                segment.fold || segment.level == Level::Day,
                "only the opening is read by month"
            );
            for (day, amount) in entries.iter().filter(|(day, _)| inside(*day)) {
                let period = (!segment.fold).then_some(*day);
                totals.push(PeriodTotal {
                    account: AccountId::new(1),
                    period,
                    debit: (-*amount).max(0),
                    credit: (*amount).max(0),
                });
            }
        }
        let row = |place: &usize| {
            let day = entries[*place].0;
            let so_far = entries[..=*place]
                .iter()
                .filter(|(other, _)| *other == day)
                .map(|(_, amount)| amount)
                .sum();
            RunningRow {
                transaction: TransactionId::new(i64::try_from(*place).unwrap()),
                day,
                so_far,
            }
        };
        (totals, wanted.iter().map(row).collect())
    }

    proptest! {
        #[test]
        fn running_balances_are_the_fold_of_the_whole_ledger(
            entries in ledgers(),
            picks in prop::collection::hash_set(0_usize..60, 1..20),
        ) {
            let wanted: HashSet<usize> =
                picks.into_iter().map(|pick| pick % entries.len()).collect();
            let (totals, rows) = read(&entries, &wanted);
            let found = running(&totals, &rows);
            prop_assert_eq!(found.len(), wanted.len());
            for place in wanted {
                let expected: i128 = entries[..=place].iter().map(|(_, amount)| amount).sum();
                prop_assert_eq!(
                    found[&TransactionId::new(i64::try_from(place).unwrap())],
                    expected
                );
            }
        }
    }
}
