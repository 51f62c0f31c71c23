//! The index ranges that a search reads.

use daybook_domain::id::AccountId;

use crate::conn::sql::Sql;

/// A range of an index that a search reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum IndexRange {
    /// The transactions of one account: two disjoint ranges, one for each side (behaviour 3.2.8).
    Account(AccountId),
    /// The transactions that credit an account.
    Credit(AccountId),
    /// The transactions that debit an account.
    Debit(AccountId),
    /// The transactions with an index term.
    Term(String),
    /// Blocks of transactions whose texts may match.
    Blocks(Vec<i64>),
    /// The transactions after this id, whose texts are not indexed yet.
    Unindexed(i64),
    /// The transactions with an event that has an error response.
    Errors,
}

impl IndexRange {
    /// Returns the account, if the range is a whole account.
    pub(crate) const fn account(&self) -> Option<AccountId> {
        if let Self::Account(account) = self { Some(*account) } else { None }
    }
}

/// The access path of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AccessPath {
    /// The whole book, by day.
    Book,
    /// Ranges that together contain every match. Without a range nothing can match.
    Ranges(Vec<IndexRange>),
}

/// The source of the rows of a range: tables with joins, and the columns with the day and the id.
#[derive(Clone)]
pub(super) struct Source<'a> {
    pub(super) from: Sql<'a>,
    pub(super) day: &'static str,
    pub(super) id: &'static str,
}
