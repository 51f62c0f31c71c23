//! The query language (behaviour 1): reads text as a filter of transactions or as a query of
//! balances.
//!
//! Reading never fails (behaviour 1.1.10): a term that cannot be read matches nothing, and what
//! was read as less than it says becomes a [`Warning`] (behaviour 1.1.13). Two readers share a
//! lexer and the forms of dates:
//!
//! - [`Query`] for listTransactions and countTransactions: a tree of [`Term`]s, which the storage
//!   translates into a search.
//! - [`BalanceQuery`] for getBalances: accounts, groups, tags, a range of days and its neighbours.
//!
//! Names of accounts and groups stay text here; the caller resolves them (behaviour 1.2.9).

mod balance;
mod context;
mod copied;
mod count_plan;
mod date_format;
mod days;
mod filter;
mod lexer;
mod literal;
mod number;
mod operator;
mod parser;
mod quotes;
mod range;
mod refusal;
mod slash_dates;
mod term;
mod unit;
mod variable;
mod warning;

#[cfg(test)]
mod tests;

pub use balance::BalanceQuery;
pub use context::ParseContext;
pub use copied::for_copy;
pub use count_plan::CountPlan;
pub use filter::{Comparison, DateBasis, Filter, Status, Term};
pub use refusal::{MAX_TERMS, MAX_TEXT, Refusal};
pub use unit::Periodicity;
use warning::NamedTerm;
pub use warning::{Problem, Warning};

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
    /// How many terms the text has that count.
    terms: usize,
    warnings: Vec<Warning>,
    names: Vec<NamedTerm>,
}

impl Query {
    /// Reads a query. Every text is one; blank text matches everything that is not trashed.
    #[must_use]
    pub fn parse(text: &str, reading: &ParseContext) -> Self {
        let parser::Parsed { filter, terms, warnings, names } = parser::parse(text, reading);
        Self { filter, terms, warnings, names }
    }

    /// The filter that transactions must match; always a [`Filter::All`], including the exclusion
    /// of trashed transactions (behaviour 1.2.2).
    #[must_use]
    pub const fn filter(&self) -> &Filter {
        &self.filter
    }

    /// What was read as less than it says (behaviour 1.1.13).
    #[must_use]
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Warns of the accounts and groups that the query names and that are unknown (behaviour
    /// 1.1.13).
    pub fn warn_of_unknown(
        &mut self,
        knows_account: impl Fn(&str) -> bool,
        knows_group: impl Fn(&str) -> bool,
    ) {
        warning::add_unknown(&mut self.warnings, &self.names, knows_account, knows_group);
    }

    /// Refuses a query of which a part would be ignored (behaviour 1.1.14).
    ///
    /// # Errors
    /// [`Refusal::NotUnderstood`].
    pub fn check_understood(&self) -> Result<(), Refusal> {
        Refusal::check_understood(&self.warnings)
    }

    /// Refuses a query of more terms than are evaluated (behaviour 1.7.1), and one that searches
    /// for a longer text (behaviour 1.7.4).
    ///
    /// # Errors
    /// [`Refusal::TooLarge`].
    pub fn check_size(&self) -> Result<(), Refusal> {
        Refusal::check("terms", self.terms, MAX_TERMS)?;
        let mut longest = 0;
        self.filter.each_term(&mut |term| {
            if let Term::Text(text) = term {
                longest = longest.max(text.chars().count());
            }
        });
        Refusal::check("characters in one text", longest, MAX_TEXT)
    }

    /// The id or name of the one account the query filters by (behaviour 2.8): the query has
    /// exactly one `account:`, `acc:`, `from:` or `to:` term, and that is not inside a NOT or OR.
    /// It may have a group as well.
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
