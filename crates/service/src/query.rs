//! The query of a request, as a client sends it (behaviour 1).

use daybook_domain::query::{BalanceQuery, ParseContext, Query, Refusal};

/// A query text, and how it is taken.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QueryText {
    /// The text.
    pub text: String,
    /// Whether a query of which a part would be ignored is refused (behaviour 1.1.14).
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
    /// The query of transactions that it is. The names in it are not known yet, so whether it is
    /// understood is not checked.
    ///
    /// # Errors
    /// [`Refusal::TooLarge`].
    pub(crate) fn of_transactions(&self, reading: &ParseContext) -> Result<Query, Refusal> {
        let query = Query::parse(&self.text, reading);
        query.check_size()?;
        Ok(query)
    }

    /// The query of balances that it is.
    ///
    /// # Errors
    /// As [`QueryText::of_transactions`]; [`Refusal::Required`] for blank text (behaviour 5.1).
    pub(crate) fn of_balances(&self, reading: &ParseContext) -> Result<BalanceQuery, Refusal> {
        let query = BalanceQuery::parse(&self.text, reading).ok_or(Refusal::Required)?;
        query.check_size()?;
        Ok(query)
    }
}
