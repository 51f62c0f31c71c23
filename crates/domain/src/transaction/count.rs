//! Counts of transactions by day, month or year (behaviour 9.8).

use std::collections::BTreeMap;

use time::Date;

use super::Refusal;
use crate::balance::{fuzzy_date, slice_date, step};
use crate::calendar::{parse_iso, whole_months};
use crate::query::Periodicity;

/// Up to this number of slices, the empty ones are listed too: the days of a century (behaviour
/// 9.8).
const MAX_FILLED: i32 = 36_600;

/// The parameters of countTransactionsPosted: a range of days and the length of its slices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The first day.
    pub from: Date,
    /// The day after the last.
    pub until: Date,
    /// The length of a slice.
    pub periodicity: Periodicity,
}

/// The number of transactions in one slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TransactionCount {
    /// The year.
    pub year: i32,
    /// The month, 1 to 12; 0 in yearly slices.
    pub month: u8,
    /// The day of the month; 0 in monthly and yearly slices.
    pub day: u8,
    /// The number of transactions.
    pub total: i64,
}

impl TransactionCount {
    /// Returns the slice as one number, year * 10000 + month * 100 + day (behaviour 5.6).
    pub fn fuzzy_date(&self) -> i32 {
        fuzzy_date((self.year, self.month, self.day))
    }
}

impl Span {
    /// Reads the three parameters; all are required. `after` is the first day inside the range,
    /// `before` the first day after it.
    ///
    /// # Errors
    /// [`Refusal::Parameter`] for the first that is missing or cannot be read.
    pub fn read(
        after: Option<&str>,
        before: Option<&str>,
        periodicity: Option<&str>,
    ) -> Result<Self, Refusal> {
        let day = |name, text: Option<&str>| {
            text.and_then(|text| parse_iso(text.trim()))
                .ok_or(Refusal::Parameter(name, "a date of the form yyyy-MM-dd"))
        };
        let (from, until) = (day("after", after)?, day("before", before)?);
        let periodicity = periodicity
            .and_then(|text| Periodicity::from_name(text.trim()))
            .ok_or(Refusal::Parameter("periodicity", "DAILY, MONTHLY or YEARLY"))?;
        Ok(Self { from, until, periodicity })
    }

    /// Returns the slices of the range in order. Slices without transactions are left out only if
    /// there are more slices than [`MAX_FILLED`] (behaviour 9.8). `counted` is the number of
    /// transactions by day; days outside the range are ignored. A range that ends before it starts
    /// has no slices.
    pub fn counts(&self, counted: impl IntoIterator<Item = (Date, i64)>) -> Vec<TransactionCount> {
        let Some((first, last)) = self.steps() else { return Vec::new() };
        let mut totals: BTreeMap<i32, i64> = BTreeMap::new();
        let counts =
            |(day, total): &(Date, i64)| *total != 0 && (self.from..self.until).contains(day);
        for (day, total) in counted.into_iter().filter(counts) {
            let sum = totals.entry(step(self.periodicity, day)).or_default();
            *sum = sum.saturating_add(total);
        }
        if last.saturating_sub(first) < MAX_FILLED {
            for step in first..=last {
                totals.entry(step).or_default();
            }
        }
        let count = |(step, total)| {
            let (year, month, day) = slice_date(self.periodicity, step)?;
            Some(TransactionCount { year, month, day, total })
        };
        totals.into_iter().filter_map(count).collect()
    }

    /// Returns the part of the range that consists of whole months; `None` if it is empty, or if
    /// the slices are days.
    pub fn whole_months(&self) -> Option<Self> {
        if self.periodicity == Periodicity::Daily {
            return None;
        }
        let (from, until) = whole_months(Some(self.from), Some(self.until))?;
        Some(Self { from: from?, until: until?, periodicity: self.periodicity })
    }

    /// Returns whether these counts leave out slices of the range.
    pub fn truncates(&self, counts: &[TransactionCount]) -> bool {
        self.steps().is_some_and(|(first, last)| {
            let slices = last.saturating_sub(first).saturating_add(1);
            usize::try_from(slices).is_ok_and(|slices| counts.len() < slices)
        })
    }

    /// Returns the numbers of the first and the last slice; `None` for a range that ends before it
    /// starts.
    fn steps(&self) -> Option<(i32, i32)> {
        let last = self.until.previous_day().filter(|last| *last >= self.from)?;
        Some((step(self.periodicity, self.from), step(self.periodicity, last)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> Date {
        parse_iso(text).unwrap()
    }

    fn counts(
        after: &str,
        before: &str,
        periodicity: &str,
        counted: &[(&str, i64)],
    ) -> Vec<(i32, i64)> {
        let span = Span::read(Some(after), Some(before), Some(periodicity)).unwrap();
        let counts = span.counts(counted.iter().map(|(text, total)| (day(text), *total)));
        let steps = span.steps().map_or(0, |(first, last)| last - first + 1);
        assert_eq!(span.truncates(&counts), steps > MAX_FILLED, "{after} {before}");
        counts.iter().map(|count| (count.fuzzy_date(), count.total)).collect()
    }

    #[test]
    fn counts_include_empty_slices() {
        let counted = [("2025-01-31", 1), ("2025-02-01", 2), ("2025-02-28", 3), ("2025-04-01", 4)];
        assert_eq!(
            counts("2025-01-31", "2025-04-02", "MONTHLY", &counted),
            [(20250100, 1), (20250200, 5), (20250300, 0), (20250400, 4)]
        );
        assert_eq!(
            counts("2025-02-01", "2025-02-03", "DAILY", &counted),
            [(20250201, 2), (20250202, 0)]
        );
        assert_eq!(
            counts("2024-12-31", "2026-01-02", "YEARLY", &counted),
            [(20240000, 0), (20250000, 10), (20260000, 0)]
        );
    }

    #[test]
    fn range_includes_after_and_excludes_before() {
        let counted = [("2024-12-31", 1), ("2025-01-01", 2), ("2025-01-31", 4), ("2025-02-01", 8)];
        assert_eq!(counts("2025-01-01", "2025-02-01", "MONTHLY", &counted), [(20250100, 6)]);
        assert_eq!(counts("2025-01-01", "2025-02-01", "YEARLY", &counted), [(20250000, 6)]);
        assert_eq!(counts("2025-01-31", "2025-02-01", "DAILY", &counted), [(20250131, 4)]);
        assert_eq!(counts("2025-01-31", "2025-01-31", "DAILY", &counted), []);
        assert_eq!(counts("2025-02-02", "2025-01-02", "YEARLY", &counted), []);
    }

    #[test]
    fn whole_months_exclude_partial_months() {
        for (after, before, months) in [
            ("2025-01-01", "2025-02-01", Some(("2025-01-01", "2025-02-01"))),
            ("2025-01-02", "2025-02-28", None),
            ("2025-01-02", "2025-03-01", Some(("2025-02-01", "2025-03-01"))),
            ("2024-12-31", "2026-01-02", Some(("2025-01-01", "2026-01-01"))),
            ("2025-01-01", "2025-01-31", None),
            ("2025-03-01", "2025-01-01", None),
            ("0001-01-01", "9999-12-31", Some(("0001-01-01", "9999-12-01"))),
            ("9999-12-02", "9999-12-31", None),
        ] {
            let of = |periodicity| {
                Span::read(Some(after), Some(before), Some(periodicity)).unwrap().whole_months()
            };
            let expected = months.map(|(from, until)| (day(from), day(until)));
            for longer in ["MONTHLY", "YEARLY"] {
                assert_eq!(of(longer).map(|span| (span.from, span.until)), expected, "{after}");
            }
            assert_eq!(of("DAILY"), None);
        }
    }

    #[test]
    fn long_ranges_leave_out_empty_slices() {
        assert_eq!(
            counts("0001-01-01", "9999-12-31", "DAILY", &[("2025-01-02", 1)]),
            [(20250102, 1)]
        );
        assert_eq!(counts("1925-01-01", "2025-01-01", "DAILY", &[]).len(), 36_525);
        assert_eq!(counts("1900-01-01", "2000-03-17", "DAILY", &[]).len(), 36_600);
        assert_eq!(counts("1900-01-01", "2000-03-18", "DAILY", &[]), []);
        assert_eq!(counts("1900-01-01", "2000-03-18", "DAILY", &[("2000-01-01", 0)]), []);
    }

    #[test]
    fn missing_or_invalid_parameters_are_refused() {
        let good = (Some("2025-01-01"), Some("2025-02-01"), Some("DAILY"));
        for (name, (after, before, periodicity)) in [
            ("after", (None, good.1, good.2)),
            ("after", (Some("01/01/2025"), good.1, good.2)),
            ("before", (good.0, Some("2025-02-30"), good.2)),
            ("before", (good.0, Some(""), good.2)),
            ("periodicity", (good.0, good.1, None)),
            ("periodicity", (good.0, good.1, Some("WEEKLY"))),
            ("periodicity", (good.0, good.1, Some("d"))),
        ] {
            let refusal = Span::read(after, before, periodicity).unwrap_err();
            assert!(matches!(refusal, Refusal::Parameter(named, _) if named == name), "{refusal}");
        }
    }
}
