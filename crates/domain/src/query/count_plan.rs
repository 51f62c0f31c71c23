//! Counting of matches by precomputed monthly counts.

use time::Date;

use super::{DateBasis, Filter, Status, Term};
use crate::calendar::whole_months;

/// A plan to count the matches of a filter (behaviour 1.7.2).
///
/// Posted transactions are already counted by month, so the plan consists of whole months and of
/// filters for the other matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountPlan {
    /// The first day of the first whole month; open when absent.
    pub from: Option<Date>,
    /// The first day after the last whole month; open when absent.
    pub until: Option<Date>,
    /// Whether all drafts match that are not trashed.
    pub all_drafts: bool,
    /// Disjoint filters for the other matches.
    pub rest: Vec<Filter>,
}

impl CountPlan {
    /// Creates the plan of a filter that only has ranges of days, `is:posted` and the exclusion of
    /// trashed transactions.
    ///
    /// Returns `None` for all other filters, and for ranges without a whole month.
    ///
    /// ```
    /// use daybook_domain::amount::DecimalSeparator;
    /// use daybook_domain::calendar::{DatePattern, parse_iso};
    /// use daybook_domain::query::{CountPlan, ParseContext, Query};
    ///
    /// let today = parse_iso("2025-05-20").unwrap();
    /// let (pattern, separator) = (DatePattern::DayFirst, DecimalSeparator::Dot);
    /// let context = ParseContext { today, pattern, separator };
    /// let plan = |text: &str| CountPlan::new(Query::parse(text, &context).filter());
    /// let year = plan("on:2024 is:posted").unwrap();
    /// assert_eq!((year.from, year.until), (parse_iso("2024-01-01"), parse_iso("2025-01-01")));
    /// assert!(year.rest.is_empty());
    /// assert!(plan("").unwrap().all_drafts);
    /// assert_eq!(plan("lunch"), None);
    /// ```
    #[must_use]
    pub fn new(filter: &Filter) -> Option<Self> {
        let Filter::All(filters) = filter else { return None };
        let (mut from, mut until) = (None, None);
        let (mut posted, mut untrashed) = (false, false);
        for filter in filters {
            match filter {
                Filter::Term(Term::Status(Status::Posted)) => posted = true,
                Filter::Not(term) if **term == Filter::Term(Term::Status(Status::Trashed)) => {
                    untrashed = true;
                }
                Filter::Term(Term::Dated {
                    basis: DateBasis::Transaction,
                    from: one,
                    until: end,
                }) => {
                    from = from.max(*one);
                    until = [until, *end].into_iter().flatten().min();
                }
                Filter::All(_) | Filter::Any(_) | Filter::Not(_) | Filter::Term(_) => return None,
            }
        }
        if !posted && !untrashed {
            return None;
        }
        let (first, last) = whole_months(from, until)?;
        let with_terms = |terms: Vec<Term>| {
            let terms = terms.into_iter().map(Filter::Term);
            Filter::All(filters.iter().cloned().chain(terms).collect())
        };
        let posted_in = |from, until| {
            let dated = Term::Dated { basis: DateBasis::Transaction, from, until };
            with_terms(vec![Term::Status(Status::Posted), dated])
        };
        let is_dated = from.is_some() || until.is_some();
        let drafts = (!posted && is_dated).then(|| with_terms(vec![Term::Status(Status::Draft)]));
        let head = (from != first).then(|| posted_in(from, first));
        let tail = (until != last).then(|| posted_in(last, until));
        let rest = [drafts, head, tail].into_iter().flatten().collect();
        Some(Self { from: first, until: last, all_drafts: !posted && !is_dated, rest })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::amount::DecimalSeparator;
    use crate::calendar::{DatePattern, parse_iso};
    use crate::query::{ParseContext, Query};

    fn query(text: &str) -> Filter {
        let context = ParseContext {
            today: parse_iso("2025-05-20").unwrap(),
            pattern: DatePattern::DayFirst,
            separator: DecimalSeparator::Dot,
        };
        Query::parse(text, &context).filter().clone()
    }

    fn day(text: &str) -> Option<Date> {
        Some(parse_iso(text).unwrap())
    }

    /// Evaluates a filter of a plan on a transaction with this status and day.
    fn matches(filter: &Filter, status: Status, on: Option<Date>) -> bool {
        match filter {
            Filter::All(filters) => filters.iter().all(|filter| matches(filter, status, on)),
            Filter::Not(filter) => !matches(filter, status, on),
            Filter::Term(Term::Status(Status::Posted)) => {
                matches!(status, Status::Checked | Status::Unchecked)
            }
            Filter::Term(Term::Status(wanted)) => status == *wanted,
            Filter::Term(Term::Dated { from, until, .. }) => on.is_some_and(|day| {
                from.is_none_or(|from| from <= day) && until.is_none_or(|until| day < until)
            }),
            Filter::Any(_) | Filter::Term(_) => panic!("no plan has {filter:?}"),
        }
    }

    #[test]
    fn each_match_is_counted_once() {
        let days = [
            "0001-01-01",
            "0001-01-31",
            "2023-12-31",
            "2024-01-01",
            "2024-01-14",
            "2024-01-15",
            "2024-01-31",
            "2024-02-01",
            "2024-02-29",
            "2024-03-01",
            "2024-03-02",
            "2024-12-31",
            "2025-01-01",
            "9999-11-30",
            "9999-12-01",
            "9999-12-15",
            "9999-12-31",
        ];
        let states = [Status::Draft, Status::Unchecked, Status::Checked, Status::Trashed];
        for text in [
            "",
            "is:posted",
            "on:2024",
            "on:2024-02 is:posted",
            "after:2024-01-15",
            "before:2024-01-15 is:posted",
            "after:2024-01-31 before:2024-03-02",
            "after:2024-01 after:2024-03",
            "on:9999-12",
            "after:9999-11-30",
            "before:0001-02-15",
        ] {
            let filter = query(text);
            let plan = CountPlan::new(&filter).unwrap_or_else(|| panic!("{text}: a plan"));
            let CountPlan { from, until, all_drafts, rest } = &plan;
            for (status, on) in states.into_iter().flat_map(|status| {
                let undated = matches!(status, Status::Draft | Status::Trashed).then_some(None);
                undated.into_iter().chain(days.map(day)).map(move |on| (status, on))
            }) {
                let months =
                    Term::Dated { basis: DateBasis::Transaction, from: *from, until: *until };
                let posted = vec![Filter::Term(Term::Status(Status::Posted)), Filter::Term(months)];
                let counted = usize::from(matches(&Filter::All(posted), status, on))
                    + usize::from(*all_drafts && status == Status::Draft)
                    + rest.iter().filter(|filter| matches(filter, status, on)).count();
                let wanted = usize::from(matches(&filter, status, on));
                assert_eq!(counted, wanted, "`{text}`, {status:?} on {on:?}: {plan:?}");
            }
        }
    }

    #[test]
    fn plan_has_the_whole_months_of_the_range() {
        for (text, from, until) in [
            ("", None, None),
            ("on:2024", day("2024-01-01"), day("2025-01-01")),
            ("after:2024-01-15", day("2024-02-01"), None),
            ("after:2024-01-31 before:2024-03-02", day("2024-02-01"), day("2024-03-01")),
            ("after:2024-01 after:2024-03", day("2024-03-01"), None),
        ] {
            let plan = CountPlan::new(&query(text)).unwrap_or_else(|| panic!("{text}: a plan"));
            assert_eq!((plan.from, plan.until), (from, until), "{text}");
        }
    }

    #[test]
    fn other_filters_have_no_plan() {
        for text in [
            "lunch",
            "account:Cash",
            "is:draft",
            "is:checked",
            "is:unchecked",
            "is:trashed",
            "-is:posted",
            "on:2024-02-03",
            "after:2024-01-02 before:2024-02-28",
            "after:2025 before:2024",
            "after:9999-12-15",
            "on:2024 OR on:2025",
            "on:2024 using:postDate",
            "amount>5",
        ] {
            assert_eq!(CountPlan::new(&query(text)), None, "{text}");
        }
    }
}
