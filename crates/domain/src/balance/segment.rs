//! The totals that storage reads for a balance query (behaviour 5.5, 5.7).
//!
//! A query needs at most five disjoint segments. The opening consists of whole months and of the
//! days of a partial month, folded to one row per account. The range consists of days, or of whole
//! months and the days of partial months at both ends. The cost is accounts times periods.

use time::Date;

use crate::calendar::{first_of_month, is_void, whole_months};
use crate::id::AccountId;
use crate::query::Periodicity;

/// Whether a segment reads totals of days or of months.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Totals per account and day.
    Day,
    /// Totals per account and month.
    Month,
}

/// A range of days whose totals are read. A bound of `None` is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Segment {
    /// The totals to read. For months both bounds are first days of months.
    pub level: Level,
    /// The first day, inclusive.
    pub from: Option<Date>,
    /// The last day, exclusive.
    pub until: Option<Date>,
    /// Whether to read one sum per account over all days. Such segments are before the range of the
    /// query and form the opening.
    pub fold: bool,
}

/// A total of an account, read by storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PeriodTotal {
    /// The account.
    pub account: AccountId,
    /// The day, or the first day of the month; `None` in a folded segment.
    pub period: Option<Date>,
    /// The debits, never negative.
    pub debit: i128,
    /// The credits, never negative.
    pub credit: i128,
}

/// Returns the segments to read for a range from `from` (inclusive) to `until` (exclusive).
///
/// They are disjoint, in order of time, at most five, and cover everything before `until`. Daily
/// slices read the range by day, others by month with the days of partial months. An empty range
/// has no segments (behaviour 5.7).
///
/// ```
/// use daybook_domain::balance::{Level, segments};
/// use daybook_domain::calendar::parse_iso;
/// use daybook_domain::query::Periodicity;
///
/// let plan = segments(parse_iso("2025-01-10"), parse_iso("2025-04-01"), Periodicity::Monthly);
/// let shown: Vec<_> = plan
///     .iter()
///     .map(|segment| (segment.level, segment.from, segment.until, segment.fold))
///     .collect();
/// assert_eq!(
///     shown,
///     [
///         (Level::Month, None, parse_iso("2025-01-01"), true),
///         (Level::Day, parse_iso("2025-01-01"), parse_iso("2025-01-10"), true),
///         (Level::Day, parse_iso("2025-01-10"), parse_iso("2025-02-01"), false),
///         (Level::Month, parse_iso("2025-02-01"), parse_iso("2025-04-01"), false),
///     ]
/// );
/// ```
pub fn segments(from: Option<Date>, until: Option<Date>, periodicity: Periodicity) -> Vec<Segment> {
    if is_void(from, until) {
        return Vec::new();
    }
    let mut plan = Vec::with_capacity(5);
    if let Some(from) = from {
        let month = first_of_month(from);
        plan.push(Segment { level: Level::Month, from: None, until: Some(month), fold: true });
        plan.push(Segment { level: Level::Day, from: Some(month), until: Some(from), fold: true });
    }
    let range = |level, from, until| Segment { level, from, until, fold: false };
    match (periodicity, whole_months(from, until)) {
        (Periodicity::Monthly | Periodicity::Yearly, Some((first, last))) => {
            plan.extend(from.map(|_| range(Level::Day, from, first)));
            plan.push(range(Level::Month, first, last));
            plan.extend(until.map(|_| range(Level::Day, last, until)));
        }
        (Periodicity::Daily, _) | (_, None) => plan.push(range(Level::Day, from, until)),
    }
    plan.retain(|segment| !is_void(segment.from, segment.until));
    plan
}
