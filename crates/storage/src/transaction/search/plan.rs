//! The types of a search.

use std::borrow::Cow;
use std::collections::HashMap;

use daybook_domain::id::{AccountId, GroupId, UserId};
use daybook_domain::instant::Instant;
use daybook_domain::query::{DateBasis, Filter, Status, Term};
use time::Date;

use super::range::AccessPath;
use crate::conn::engine::Contains;
use crate::conn::planner::Lookup;

/// The names and days of a query, resolved in the book. A missing name matches nothing (behaviour
/// 1.2.6).
#[derive(Debug, Clone)]
pub struct ResolvedNames {
    /// Accounts by the text in the query.
    pub accounts: HashMap<String, AccountId>,
    /// Groups, with all their descendants, by the text in the query.
    pub groups: HashMap<String, Vec<GroupId>>,
    /// Users by username or e-mail address.
    pub users: HashMap<String, UserId>,
    /// Whether the user may see the chart and app responses. If not, no account type and no error
    /// matches.
    pub chart_visible: bool,
    /// Whether the user may see comments. If not, no transaction has any.
    pub comments_visible: bool,
    /// The starts of days in the book zone, for posting dates.
    pub midnights: HashMap<Date, Instant>,
}

impl Default for ResolvedNames {
    /// Returns no names, with a visible chart and visible comments.
    fn default() -> Self {
        Self {
            accounts: HashMap::new(),
            groups: HashMap::new(),
            users: HashMap::new(),
            chart_visible: true,
            comments_visible: true,
            midnights: HashMap::new(),
        }
    }
}

/// A search in one book.
#[derive(Debug, Clone, Copy)]
pub struct Search<'a> {
    /// The tree of terms.
    pub filter: &'a Filter,
    /// The resolved names.
    pub names: &'a ResolvedNames,
    /// Only drafts of this user, the transactions that a recorder may see (behaviour 7.3).
    pub drafts_of: Option<UserId>,
    /// Only transactions from which a quick entry may copy its missing accounts (behaviour 3.8.3).
    pub similar: Option<SimilarTransactionFilter<'a>>,
}

/// Maximum number of transactions, newest first, that a search for a similar transaction scans
/// without a text index. It runs in a unit of work (behaviour 3.8.3).
pub(super) const MAX_SIMILAR_ROWS: i64 = 1_000;
/// Maximum number of blocks of the text index, newest first, that it scans: about as many rows.
pub(super) const MAX_SIMILAR_BLOCKS: usize = 16;

/// Selects transactions from which a quick entry may copy its missing accounts: neither account is
/// archived (behaviour 3.8.3).
#[derive(Debug, Clone, Copy)]
pub struct SimilarTransactionFilter<'a> {
    /// The whole folded description, if it must be equal.
    pub description: Option<&'a str>,
}

/// A search with its access path and the properties of the engine.
pub(crate) struct SearchPlan<'s, 'a> {
    pub(super) search: &'s Search<'a>,
    pub(super) path: AccessPath,
    pub(super) lookup: Lookup,
    pub(super) contains: Contains,
    pub(super) folded_description: &'static str,
    /// The first part of the condition
    /// ([`Engine::stop_check`](crate::conn::engine::Engine::stop_check)).
    pub(super) stop_check: Cow<'static, str>,
}

impl Search<'_> {
    /// Returns whether its statements have one of a few shapes, so that they stay prepared: at most
    /// one term, an account or days, beside the exclusion of trashed transactions.
    pub(crate) fn is_common(&self) -> bool {
        let Filter::All(filters) = self.filter else { return false };
        let is_live = |filter: &Filter| {
            let Filter::Not(inner) = filter else { return false };
            **inner == Filter::Term(Term::Status(Status::Trashed))
        };
        let is_bounded =
            |filter: &Filter| matches!(filter, Filter::Term(Term::Account(_) | Term::Dated { .. }));
        let mut others = filters.iter().filter(|filter| !is_live(filter));
        self.similar.is_none()
            && filters.len() <= 2
            && others.next().is_none_or(is_bounded)
            && others.next().is_none()
    }

    /// Returns the ranges of transaction days that contain every match.
    pub(super) fn days(&self) -> impl Iterator<Item = (Option<Date>, Option<Date>)> {
        let terms: &[Filter] = match self.filter {
            Filter::All(filters) => filters,
            one @ (Filter::Any(_) | Filter::Not(_) | Filter::Term(_)) => std::slice::from_ref(one),
        };
        terms.iter().filter_map(|filter| {
            if let Filter::Term(Term::Dated { basis: DateBasis::Transaction, from, until }) = filter
            {
                Some((*from, *until))
            } else {
                None
            }
        })
    }
}
