//! Operations of the contract: reconciliation.

use reqwest::Method;

use crate::book::Book;
use crate::parameters::ListReconciliations;
use crate::request::Request;
use crate::types::{Reconciliation, ReconciliationList, ReconciliationRequest};

impl Book {
    /// Lists reconciliations.
    ///
    /// By date and creation, newest first, in pages, without transactionIds and changes (14.2).
    /// Requires VIEWER; returns 403 for a RECORDER of a PRIVATE book.
    ///
    /// `GET /v5/books/{bookId}/reconciliations` is `listReconciliations`.
    ///
    /// ```no_run
    /// # async fn example(book: &daybook_client::Book) -> Result<(), daybook_client::Error> {
    /// let response = book.list_reconciliations(&Default::default()).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn list_reconciliations(
        &self,
        parameters: &ListReconciliations,
    ) -> Request<ReconciliationList> {
        Request::json(self.client(), Method::GET, &["v5", "books", self.id(), "reconciliations"])
            .parameter("account", parameters.account.as_ref())
            .parameter("limit", parameters.limit.as_ref())
            .maybe_header("cursor", parameters.cursor.as_deref())
    }

    /// Creates a reconciliation.
    ///
    /// Begins a reconciliation of a permanent account and puts the transactions of `add` on it, as
    /// updateReconciliation does (14.3). Requires EDITOR.
    ///
    /// `POST /v5/books/{bookId}/reconciliations` is `createReconciliation`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     book: &daybook_client::Book,
    /// #     body: daybook_client::types::ReconciliationRequest,
    /// # ) -> Result<(), daybook_client::Error> {
    /// let response = book.create_reconciliation(&body).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn create_reconciliation(&self, body: &ReconciliationRequest) -> Request<Reconciliation> {
        Request::json(self.client(), Method::POST, &["v5", "books", self.id(), "reconciliations"])
            .body(body)
            .keyed()
    }

    /// Deletes a reconciliation.
    ///
    /// Takes its transactions off, as updateReconciliation does (14.6). The next reconciliation
    /// opens with the closing balance before it. Requires EDITOR.
    ///
    /// `DELETE /v5/books/{bookId}/reconciliations/{id}` is `deleteReconciliation`.
    ///
    /// ```no_run
    /// # async fn example(book: &daybook_client::Book) -> Result<(), daybook_client::Error> {
    /// let response = book.delete_reconciliation("id").await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn delete_reconciliation(&self, id: &str) -> Request<Reconciliation> {
        Request::json(
            self.client(),
            Method::DELETE,
            &["v5", "books", self.id(), "reconciliations", id],
        )
        .keyed()
    }

    /// Gets a reconciliation.
    ///
    /// Returns the ids of its transactions and their later changes too (14.2, 14.8). Requires
    /// VIEWER; returns 403 for a RECORDER of a PRIVATE book.
    ///
    /// `GET /v5/books/{bookId}/reconciliations/{id}` is `getReconciliation`.
    ///
    /// ```no_run
    /// # async fn example(book: &daybook_client::Book) -> Result<(), daybook_client::Error> {
    /// let response = book.get_reconciliation("id").await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn get_reconciliation(&self, id: &str) -> Request<Reconciliation> {
        Request::json(
            self.client(),
            Method::GET,
            &["v5", "books", self.id(), "reconciliations", id],
        )
    }

    /// Updates a reconciliation.
    ///
    /// Puts transactions on the reconciliation and takes others off. A transaction becomes checked
    /// when each of its permanent accounts has it on a reconciliation (14.5). Absent fields stay;
    /// the account cannot change. Requires EDITOR.
    ///
    /// `PUT /v5/books/{bookId}/reconciliations/{id}` is `updateReconciliation`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     book: &daybook_client::Book,
    /// #     body: daybook_client::types::ReconciliationRequest,
    /// # ) -> Result<(), daybook_client::Error> {
    /// let response = book.update_reconciliation("id", &body).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn update_reconciliation(
        &self,
        id: &str,
        body: &ReconciliationRequest,
    ) -> Request<Reconciliation> {
        Request::json(
            self.client(),
            Method::PUT,
            &["v5", "books", self.id(), "reconciliations", id],
        )
        .body(body)
        .keyed()
    }
}
