//! The query language (behaviour 1): text in, a filter of transactions or a question about balances
//! out.
//!
//! Reading never fails (behaviour 1.1.10): what cannot be understood is ignored as a term and the
//! rest goes on. Two readers share one lexer and one set of date forms:
//!
//! - [`Query`] for listTransactions and countTransactions: a tree of [`Term`]s, which a storage
//!   translates and which [`Filter::matches`] evaluates in memory.
//! - [`BalanceQuery`] for getBalances: accounts, groups, tags, a range of days and its neighbours.
//!
//! Names of accounts and groups stay text here; the caller resolves them (behaviour 1.2.9).

mod balance;
mod context;
mod days;
mod eval;
mod filter;
mod lexer;
mod literal;
mod number;
mod operator;
mod parser;
mod range;
mod slashes;
mod style;
mod term;
mod unit;
mod variable;

#[cfg(test)]
mod tests;

pub use balance::BalanceQuery;
pub use context::ParseContext;
pub use eval::Subject;
pub use filter::{Comparison, DateBasis, Filter, Status, Term};
pub use unit::Periodicity;

/// A query of listTransactions or countTransactions.
///
/// ```
/// use daybook_domain::amount::DecimalSeparator;
/// use daybook_domain::calendar::{DatePattern, parse_iso};
/// use daybook_domain::query::{Filter, ParseContext, Query, Status, Term};
///
/// let today = parse_iso("2025-05-20").unwrap();
/// let reading =
///     ParseContext { today, pattern: DatePattern::DayFirst, separator: DecimalSeparator::Dot };
/// let query = Query::parse("account:'Credit Card' lunch", &reading);
/// assert_eq!(query.single_account(), Some("Credit Card"));
/// assert_eq!(
///     *query.filter(),
///     Filter::All(vec![
///         Filter::Term(Term::Account("Credit Card".to_owned())),
///         Filter::Term(Term::Text("lunch".to_owned())),
///         Filter::Not(Box::new(Filter::Term(Term::Status(Status::Trashed)))),
///     ])
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    filter: Filter,
}

impl Query {
    /// Reads a query. Total: every text gives a query, blank text the one for everything that is
    /// not trashed.
    #[must_use]
    pub fn parse(text: &str, reading: &ParseContext) -> Self {
        Self { filter: parser::parse(text, reading) }
    }

    /// What a transaction must satisfy; always an [`Filter::All`], the exclusion of trashed
    /// transactions (behaviour 1.2.2) included.
    #[must_use]
    pub const fn filter(&self) -> &Filter {
        &self.filter
    }

    /// The id or name of the one account this query filters by (behaviour 2.8): the query has
    /// exactly one `account:`, `acc:`, `from:` or `to:` term, and it stands inside no NOT and no
    /// OR. A group beside it changes nothing.
    #[must_use]
    pub fn single_account(&self) -> Option<&str> {
        let Filter::All(conjunction) = &self.filter else { return None };
        let mut named = 0_usize;
        self.filter.each_term(&mut |term| named += usize::from(term.account().is_some()));
        if named != 1 {
            return None;
        }
        conjunction.iter().find_map(|filter| match filter {
            Filter::Term(term) => term.account(),
            Filter::All(_) | Filter::Any(_) | Filter::Not(_) => None,
        })
    }
}
