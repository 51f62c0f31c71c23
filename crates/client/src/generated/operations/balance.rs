//! Operations of the contract: balance.

use reqwest::Method;

use crate::book::Book;
use crate::parameters::GetBalances;
use crate::request::Request;
use crate::types::Balances;

impl Book {
    /// Gets balances.
    ///
    /// Returns totals and a series for each account or group, from posted transactions that are not
    /// trashed (5.12). Signs are raw: credits minus debits (5.4). Requires VIEWER; returns 403 for
    /// a RECORDER of a PRIVATE book.
    ///
    /// `GET /v5/books/{bookId}/balances` is `getBalances`.
    ///
    /// ```no_run
    /// # async fn example(book: &daybook_client::Book) -> Result<(), daybook_client::Error> {
    /// let response = book.get_balances("account:Cash", &Default::default()).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn get_balances(&self, query: &str, parameters: &GetBalances) -> Request<Balances> {
        Request::json(self.client(), Method::GET, &["v5", "books", self.id(), "balances"])
            .parameter("query", Some(query))
            .parameter("strict", parameters.strict.as_ref())
    }
}
