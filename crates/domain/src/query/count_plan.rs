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
