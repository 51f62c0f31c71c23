//! Operations of the contract: transaction batch.

use reqwest::Method;

use crate::book::Book;
use crate::parameters::{
    CheckTransactionsBatch, CreateTransactionsBatch, PostTransactionsBatch, TrashTransactionsBatch,
    UncheckTransactionsBatch, UntrashTransactionsBatch, UpdateTransactionsBatch,
};
use crate::request::Request;
use crate::types::TransactionList;

impl Book {
    /// Creates transactions.
    ///
    /// All or nothing, at most 10000 items; each item as in createTransaction (3.6.2). Requires
    /// RECORDER or POSTER.
    ///
    /// `POST /v5/books/{bookId}/transactions/batch` is `createTransactionsBatch`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     book: &daybook_client::Book,
    /// #     body: daybook_client::types::TransactionList,
    /// # ) -> Result<(), daybook_client::Error> {
    /// let response = book.create_transactions_batch(&body, &Default::default()).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn create_transactions_batch(
        &self,
        body: &TransactionList,
        parameters: &CreateTransactionsBatch,
    ) -> Request<TransactionList> {
        Request::json(
            self.client(),
            Method::POST,
            &["v5", "books", self.id(), "transactions", "batch"],
        )
        .body(body)
        .parameter("timeZone", parameters.time_zone.as_ref())
        .keyed()
    }

    /// Updates transactions.
    ///
    /// All or nothing, at most 10000 items. Checked transactions (without `updateChecked`), trashed
    /// ones and those on a locked date stay unchanged (3.6.3). Requires POSTER; a RECORDER may
    /// update its own drafts.
    ///
    /// `PUT /v5/books/{bookId}/transactions/batch` is `updateTransactionsBatch`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     book: &daybook_client::Book,
    /// #     body: daybook_client::types::TransactionList,
    /// # ) -> Result<(), daybook_client::Error> {
    /// let response = book.update_transactions_batch(&body, &Default::default()).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn update_transactions_batch(
        &self,
        body: &TransactionList,
        parameters: &UpdateTransactionsBatch,
    ) -> Request<TransactionList> {
        Request::json(
            self.client(),
            Method::PUT,
            &["v5", "books", self.id(), "transactions", "batch"],
        )
        .body(body)
        .parameter("all", parameters.all.as_ref())
        .parameter("updateChecked", parameters.update_checked.as_ref())
        .keyed()
    }

    /// Checks transactions.
    ///
    /// Skips drafts, trashed transactions and those on a locked date (3.6.4). Requires EDITOR.
    ///
    /// `PATCH /v5/books/{bookId}/transactions/check/batch` is `checkTransactionsBatch`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     book: &daybook_client::Book,
    /// #     body: daybook_client::types::TransactionList,
    /// # ) -> Result<(), daybook_client::Error> {
    /// book.check_transactions_batch(&body, &Default::default()).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn check_transactions_batch(
        &self,
        body: &TransactionList,
        parameters: &CheckTransactionsBatch,
    ) -> Request<()> {
        Request::empty(
            self.client(),
            Method::PATCH,
            &["v5", "books", self.id(), "transactions", "check", "batch"],
        )
        .body(body)
        .parameter("all", parameters.all.as_ref())
        .keyed()
    }

    /// Loads transactions.
    ///
    /// Returns the transactions with these ids, at most 1000, trashed ones included (12.11). The
    /// operation only reads, so an idempotency key has no effect. Unknown ids return 404 with `Ids:
    /// [id1, id2]` in the message. In a PRIVATE book a RECORDER loads only its own drafts (7.3).
    ///
    /// `POST /v5/books/{bookId}/transactions/load/batch` is `loadTransactionsBatch`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     book: &daybook_client::Book,
    /// #     body: daybook_client::types::TransactionList,
    /// # ) -> Result<(), daybook_client::Error> {
    /// let response = book.load_transactions_batch(&body).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn load_transactions_batch(&self, body: &TransactionList) -> Request<TransactionList> {
        Request::json(
            self.client(),
            Method::POST,
            &["v5", "books", self.id(), "transactions", "load", "batch"],
        )
        .body(body)
        .read_only()
    }

    /// Posts transactions.
    ///
    /// Applies the changes of each item (3.3.1). Skips incomplete drafts, archived accounts, locked
    /// dates and trashed transactions (3.6.4). Requires POSTER.
    ///
    /// `PATCH /v5/books/{bookId}/transactions/post/batch` is `postTransactionsBatch`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     book: &daybook_client::Book,
    /// #     body: daybook_client::types::TransactionList,
    /// # ) -> Result<(), daybook_client::Error> {
    /// book.post_transactions_batch(&body, &Default::default()).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn post_transactions_batch(
        &self,
        body: &TransactionList,
        parameters: &PostTransactionsBatch,
    ) -> Request<()> {
        Request::empty(
            self.client(),
            Method::PATCH,
            &["v5", "books", self.id(), "transactions", "post", "batch"],
        )
        .body(body)
        .parameter("all", parameters.all.as_ref())
        .keyed()
    }

    /// Trashes transactions.
    ///
    /// Skips checked transactions (without `trashChecked`) and posted ones on a locked date
    /// (3.6.4). Requires POSTER; a RECORDER may trash its own drafts.
    ///
    /// `PATCH /v5/books/{bookId}/transactions/trash/batch` is `trashTransactionsBatch`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     book: &daybook_client::Book,
    /// #     body: daybook_client::types::TransactionList,
    /// # ) -> Result<(), daybook_client::Error> {
    /// book.trash_transactions_batch(&body, &Default::default()).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn trash_transactions_batch(
        &self,
        body: &TransactionList,
        parameters: &TrashTransactionsBatch,
    ) -> Request<()> {
        Request::empty(
            self.client(),
            Method::PATCH,
            &["v5", "books", self.id(), "transactions", "trash", "batch"],
        )
        .body(body)
        .parameter("all", parameters.all.as_ref())
        .parameter("trashChecked", parameters.trash_checked.as_ref())
        .keyed()
    }

    /// Unchecks transactions.
    ///
    /// Skips trashed transactions and those on a locked date (3.6.4). Requires EDITOR.
    ///
    /// `PATCH /v5/books/{bookId}/transactions/uncheck/batch` is `uncheckTransactionsBatch`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     book: &daybook_client::Book,
    /// #     body: daybook_client::types::TransactionList,
    /// # ) -> Result<(), daybook_client::Error> {
    /// book.uncheck_transactions_batch(&body, &Default::default()).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn uncheck_transactions_batch(
        &self,
        body: &TransactionList,
        parameters: &UncheckTransactionsBatch,
    ) -> Request<()> {
        Request::empty(
            self.client(),
            Method::PATCH,
            &["v5", "books", self.id(), "transactions", "uncheck", "batch"],
        )
        .body(body)
        .parameter("all", parameters.all.as_ref())
        .keyed()
    }

    /// Untrashes transactions.
    ///
    /// Skips posted transactions on a locked date (3.6.4). Requires POSTER, and EDITOR for checked
    /// ones; a RECORDER may untrash its own drafts.
    ///
    /// `PATCH /v5/books/{bookId}/transactions/untrash/batch` is `untrashTransactionsBatch`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     book: &daybook_client::Book,
    /// #     body: daybook_client::types::TransactionList,
    /// # ) -> Result<(), daybook_client::Error> {
    /// book.untrash_transactions_batch(&body, &Default::default()).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn untrash_transactions_batch(
        &self,
        body: &TransactionList,
        parameters: &UntrashTransactionsBatch,
    ) -> Request<()> {
        Request::empty(
            self.client(),
            Method::PATCH,
            &["v5", "books", self.id(), "transactions", "untrash", "batch"],
        )
        .body(body)
        .parameter("all", parameters.all.as_ref())
        .keyed()
    }
}
