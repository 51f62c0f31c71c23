//! Counts the transactions of each month again (behaviour 9.8).

use std::collections::{BTreeMap, BTreeSet};

use super::DatedCounts;
use super::finding::{Finding, FindingKind};

/// The number of transactions that are dated in each month (yyyymm).
#[derive(Debug, Default)]
pub(super) struct MonthCounts(BTreeMap<i32, DatedCounts>);

impl MonthCounts {
    /// Adds a transaction that is dated on a day.
    pub(super) fn add(&mut self, day: i32, posted: bool, trashed: bool) {
        let month = self.0.entry(day.div_euclid(100)).or_default();
        month.posted = month.posted.saturating_add(i64::from(posted));
        month.trashed = month.trashed.saturating_add(i64::from(trashed));
    }

    /// Findings about the months whose stored counts differ.
    pub(super) fn differences(
        &self,
        stored: &BTreeMap<i32, DatedCounts>,
        book: &str,
    ) -> Vec<Finding> {
        let months: BTreeSet<i32> = self.0.keys().chain(stored.keys()).copied().collect();
        let finding = |month: i32| {
            let [expected, actual] =
                [&self.0, stored].map(|side| side.get(&month).copied().unwrap_or_default());
            let text =
                |count: DatedCounts| format!("posted {}, trashed {}", count.posted, count.trashed);
            let finding = Finding::new(FindingKind::Count, book, text(expected), text(actual));
            (expected != actual).then(|| Finding { period: Some(format_period(month)), ..finding })
        };
        months.into_iter().filter_map(finding).collect()
    }
}

/// Returns a day or month number as text: 20250131 is `2025-01-31`, 202501 is `2025-01`. Other
/// numbers are not changed.
pub(super) fn format_period(period: i32) -> String {
    let digits = period.to_string();
    match (digits.get(..4), digits.get(4..6), digits.get(6..)) {
        (Some(year), Some(month), Some("")) => format!("{year}-{month}"),
        (Some(year), Some(month), Some(day)) if day.len() == 2 => format!("{year}-{month}-{day}"),
        _ => digits,
    }
}
