//! The query language for transactions and balances (behaviour 1).
//!
//! Parsing never fails (behaviour 1.1.10). A term with an invalid value matches nothing, and each
//! term that is ignored or only partly understood becomes a [`Warning`] (behaviour 1.1.13). Two
//! parsers share a lexer and the date literals:
//!
//! - [`Query`] for listTransactions and countTransactions: a tree of [`Term`]s, which the storage
//!   translates into a search.
//! - [`BalanceQuery`] for getBalances: accounts, groups, tags, a range of days, and the previous
//!   and next range.
//!
//! Names of accounts and groups stay text. The caller resolves them (behaviour 1.2.9).

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
pub use copied::translate_ids;
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
/// let context =
///     ParseContext { today, pattern: DatePattern::DayFirst, separator: DecimalSeparator::Dot };
/// let query = Query::parse("account:'Credit Card' lunch", &context);
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
    /// The number of terms that are evaluated.
    terms: usize,
    warnings: Vec<Warning>,
    names: Vec<NamedTerm>,
}

impl Query {
    /// Parses a query. Every text is valid; blank text matches everything that is not trashed.
    pub fn parse(text: &str, context: &ParseContext) -> Self {
        let parser::Parsed { filter, terms, warnings, names } = parser::parse(text, context);
        Self { filter, terms, warnings, names }
    }

    /// Returns the filter, always a [`Filter::All`] with the exclusion of trashed transactions
    /// (behaviour 1.2.2).
    pub const fn filter(&self) -> &Filter {
        &self.filter
    }

    /// Returns the warnings (behaviour 1.1.13).
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Adds warnings of unknown accounts and groups (behaviour 1.1.13).
    pub fn warn_of_unknown(
        &mut self,
        knows_account: impl Fn(&str) -> bool,
        knows_group: impl Fn(&str) -> bool,
    ) {
        warning::add_unknown(&mut self.warnings, &self.names, knows_account, knows_group);
    }

    /// Refuses a query with warnings (behaviour 1.1.14).
    ///
    /// # Errors
    /// [`Refusal::NotUnderstood`].
    pub fn check_understood(&self) -> Result<(), Refusal> {
        Refusal::check_understood(&self.warnings)
    }

    /// Checks the number of terms (behaviour 1.7.1) and the length of searched texts (behaviour
    /// 1.7.4).
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

    /// Returns the id or name of the only account of the query (behaviour 2.8).
    ///
    /// The query must have exactly one `account:`, `acc:`, `from:` or `to:` term, outside of NOT
    /// and OR. It may also have a group.
    pub fn single_account(&self) -> Option<&str> {
        let Filter::All(conjunction) = &self.filter else { return None };
        let mut count = 0_usize;
        self.filter.each_term(&mut |term| count += usize::from(term.account().is_some()));
        if count != 1 {
            return None;
        }
        conjunction.iter().find_map(|filter| match filter {
            Filter::Term(term) => term.account(),
            Filter::All(_) | Filter::Any(_) | Filter::Not(_) => None,
        })
    }
}
