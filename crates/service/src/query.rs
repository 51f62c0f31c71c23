//! The query of a request, as a client sends it (behaviour 1).

use daybook_domain::query::{BalanceQuery, ParseContext, Query, Refusal};

/// A query text and how strictly it is read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QueryText {
    /// The text.
    pub text: String,
    /// Whether a query is refused if a part of it would be ignored (behaviour 1.1.14).
    pub strict: bool,
}

impl From<String> for QueryText {
    fn from(text: String) -> Self {
        Self { text, strict: false }
    }
}

impl From<&str> for QueryText {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl QueryText {
    /// Parses a query of transactions.
    ///
    /// Strictness is not checked here, because the names in the query are not resolved yet.
    ///
    /// # Errors
    /// [`Refusal::TooLarge`].
    pub(crate) fn parse_transactions(&self, context: &ParseContext) -> Result<Query, Refusal> {
        let query = Query::parse(&self.text, context);
        query.check_size()?;
        Ok(query)
    }

    /// Parses a query of balances.
    ///
    /// # Errors
    /// Those of [`QueryText::parse_transactions`]; [`Refusal::Required`] for blank text (behaviour
    /// 5.1).
    pub(crate) fn parse_balances(&self, context: &ParseContext) -> Result<BalanceQuery, Refusal> {
        let query = BalanceQuery::parse(&self.text, context).ok_or(Refusal::Required)?;
        query.check_size()?;
        Ok(query)
    }
}
