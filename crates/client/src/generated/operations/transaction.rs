//! Operations of the contract: transaction.

use reqwest::Method;

use crate::book::Book;
use crate::date::Date;
use crate::parameters::{
    CountTransactions, CreateTransaction, ListTransactions, PreviewTransaction,
};
use crate::request::{Request, Row, Versioned};
use crate::types::{
    Count, Counts, Periodicity, Transaction, TransactionList, TransactionOperation,
    TransactionPreview,
};

impl Book {
    /// Lists transactions.
    ///
    /// By date, creation time and id, newest first, in pages. Trashed transactions are listed only
    /// with `is:trashed` (1.2.2) or by `ids`. In a PRIVATE book a RECORDER sees only its own drafts
    /// (7.3).
    ///
    /// `GET /v5/books/{bookId}/transactions` is `listTransactions`.
    ///
    /// ```no_run
    /// # async fn example(book: &daybook_client::Book) -> Result<(), daybook_client::Error> {
    /// let response = book.list_transactions(&Default::default()).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn list_transactions(&self, parameters: &ListTransactions) -> Request<TransactionList> {
        Request::json(self.client(), Method::GET, &["v5", "books", self.id(), "transactions"])
            .parameter("query", parameters.query.as_ref())
            .parameter("strict", parameters.strict.as_ref())
            .parameter("limit", parameters.limit.as_ref())
            .parameter("ids", parameters.ids.as_ref().map(|list| list.join(",")))
            .maybe_header("cursor", parameters.cursor.as_deref())
    }

    /// Creates a transaction.
    ///
    /// The transaction is posted if it is complete, the book posts automatically, `draft` is not
    /// true, the caller may post and the date is not locked; else it is stored as a draft (3.2.2).
    /// A remote id that exists returns the existing transaction (3.7). With a description and
    /// neither amount nor account nor date, these are read from the description (3.8). With an
    /// amount or a date and no account, two account names are read from it (3.8.1). Requires
    /// RECORDER or POSTER.
    ///
    /// `POST /v5/books/{bookId}/transactions` is `createTransaction`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     book: &daybook_client::Book,
    /// #     body: daybook_client::types::Transaction,
    /// # ) -> Result<(), daybook_client::Error> {
    /// let response = book.create_transaction(&body, &Default::default()).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn create_transaction(
        &self,
        body: &Transaction,
        parameters: &CreateTransaction,
    ) -> Request<Versioned<TransactionOperation>> {
        Request::versioned(self.client(), Method::POST, &["v5", "books", self.id(), "transactions"])
            .body(body)
            .parameter("timeZone", parameters.time_zone.as_ref())
            .keyed()
    }

    /// Updates a transaction.
    ///
    /// Present fields are set, null or an empty string clears, absent fields stay (3.10). A checked
    /// transaction returns 400 `checkedTransaction` (3.4.1), a locked date 400 `lockedDate`
    /// (3.5.2). Requires POSTER; a RECORDER may update its own drafts.
    ///
    /// `PUT /v5/books/{bookId}/transactions` is `updateTransaction`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     book: &daybook_client::Book,
    /// #     body: daybook_client::types::Transaction,
    /// # ) -> Result<(), daybook_client::Error> {
    /// let response = book.update_transaction(&body).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn update_transaction<'a>(
        &self,
        body: impl Into<Row<'a, Transaction>>,
    ) -> Request<Versioned<TransactionOperation>> {
        Request::versioned(self.client(), Method::PUT, &["v5", "books", self.id(), "transactions"])
            .row(body.into())
            .keyed()
    }

    /// Checks a transaction.
    ///
    /// Makes a posted transaction read-only. A draft or a trashed transaction returns 400 (3.4).
    /// Requires EDITOR.
    ///
    /// `PATCH /v5/books/{bookId}/transactions/check` is `checkTransaction`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     book: &daybook_client::Book,
    /// #     body: daybook_client::types::Transaction,
    /// # ) -> Result<(), daybook_client::Error> {
    /// let response = book.check_transaction(&body).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn check_transaction<'a>(
        &self,
        body: impl Into<Row<'a, Transaction>>,
    ) -> Request<Versioned<TransactionOperation>> {
        Request::versioned(
            self.client(),
            Method::PATCH,
            &["v5", "books", self.id(), "transactions", "check"],
        )
        .row(body.into())
        .keyed()
    }

    /// Counts transactions.
    ///
    /// Returns the number of transactions that listTransactions finds with this query, on all pages
    /// (1.4.3). In a PRIVATE book a RECORDER counts only its own drafts (7.3).
    ///
    /// `GET /v5/books/{bookId}/transactions/count` is `countTransactions`.
    ///
    /// ```no_run
    /// # async fn example(book: &daybook_client::Book) -> Result<(), daybook_client::Error> {
    /// let response = book.count_transactions(&Default::default()).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn count_transactions(&self, parameters: &CountTransactions) -> Request<Count> {
        Request::json(
            self.client(),
            Method::GET,
            &["v5", "books", self.id(), "transactions", "count"],
        )
        .parameter("query", parameters.query.as_ref())
        .parameter("strict", parameters.strict.as_ref())
    }

    /// Counts posted and trashed transactions by date.
    ///
    /// Returns the numbers of posted and trashed transactions by date, for each day, month or year
    /// of a range, without gaps (9.8). Requires VIEWER; returns 403 for a RECORDER of a PRIVATE
    /// book.
    ///
    /// `GET /v5/books/{bookId}/transactions/count/posted` is `countTransactionsPosted`.
    ///
    /// ```no_run
    /// # async fn example(book: &daybook_client::Book) -> Result<(), daybook_client::Error> {
    /// let response = book
    ///     .count_transactions_posted(&Default::default(), &Default::default(), &"DAILY".into())
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn count_transactions_posted(
        &self,
        after: &Date,
        before: &Date,
        periodicity: &Periodicity,
    ) -> Request<Counts> {
        Request::json(
            self.client(),
            Method::GET,
            &["v5", "books", self.id(), "transactions", "count", "posted"],
        )
        .parameter("after", Some(after))
        .parameter("before", Some(before))
        .parameter("periodicity", Some(periodicity))
    }

    /// Merges two transactions.
    ///
    /// Creates a new transaction from two and trashes them, in one commit (3.11). The base is the
    /// posted one, else the later one; the other fills its gaps. The new `remoteIds` contain
    /// `merged_<id>` of both. Different amounts also create a draft of the difference. If an item
    /// has fields beside its id, the first item is the base, and submitted values precede stored
    /// ones (3.11.9). Checked, trashed, unknown and identical transactions, locked dates and one
    /// account on both sides return 400 (3.11.10). Requires POSTER.
    ///
    /// `PATCH /v5/books/{bookId}/transactions/merge` is `mergeTransactions`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     book: &daybook_client::Book,
    /// #     body: daybook_client::types::TransactionList,
    /// # ) -> Result<(), daybook_client::Error> {
    /// let response = book.merge_transactions(&body).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn merge_transactions(
        &self,
        body: &TransactionList,
    ) -> Request<Versioned<TransactionOperation>> {
        Request::versioned(
            self.client(),
            Method::PATCH,
            &["v5", "books", self.id(), "transactions", "merge"],
        )
        .body(body)
        .keyed()
    }

    /// Posts a transaction.
    ///
    /// Applies the changes of the body, then posts. Without `id` it creates and posts in one call
    /// (3.3.2). An incomplete transaction returns 400 with the missing fields. Requires POSTER.
    ///
    /// `PATCH /v5/books/{bookId}/transactions/post` is `postTransaction`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     book: &daybook_client::Book,
    /// #     body: daybook_client::types::Transaction,
    /// # ) -> Result<(), daybook_client::Error> {
    /// let response = book.post_transaction(&body).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn post_transaction<'a>(
        &self,
        body: impl Into<Row<'a, Transaction>>,
    ) -> Request<Versioned<TransactionOperation>> {
        Request::versioned(
            self.client(),
            Method::PATCH,
            &["v5", "books", self.id(), "transactions", "post"],
        )
        .row(body.into())
        .keyed()
    }

    /// Previews a typed line.
    ///
    /// Returns what createTransaction would do with the same body and `timeZone`, and writes
    /// nothing (3.15). It refuses what createTransaction refuses. `files` are ignored. The
    /// operation only reads, so an idempotency key has no effect. Requires RECORDER or POSTER.
    ///
    /// `POST /v5/books/{bookId}/transactions/preview` is `previewTransaction`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     book: &daybook_client::Book,
    /// #     body: daybook_client::types::Transaction,
    /// # ) -> Result<(), daybook_client::Error> {
    /// let response = book.preview_transaction(&body, &Default::default()).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn preview_transaction(
        &self,
        body: &Transaction,
        parameters: &PreviewTransaction,
    ) -> Request<TransactionPreview> {
        Request::json(
            self.client(),
            Method::POST,
            &["v5", "books", self.id(), "transactions", "preview"],
        )
        .body(body)
        .parameter("timeZone", parameters.time_zone.as_ref())
        .read_only()
    }

    /// Trashes a transaction.
    ///
    /// Use trashTransaction; this is its alias (3.4.6).
    ///
    /// `PATCH /v5/books/{bookId}/transactions/remove` is `removeTransaction`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     book: &daybook_client::Book,
    /// #     body: daybook_client::types::Transaction,
    /// # ) -> Result<(), daybook_client::Error> {
    /// let response = book.remove_transaction(&body).await?;
    /// # Ok(())
    /// # }
    /// ```
    #[deprecated = "the contract keeps it for existing clients"]
    pub fn remove_transaction<'a>(
        &self,
        body: impl Into<Row<'a, Transaction>>,
    ) -> Request<Versioned<TransactionOperation>> {
        Request::versioned(
            self.client(),
            Method::PATCH,
            &["v5", "books", self.id(), "transactions", "remove"],
        )
        .row(body.into())
        .keyed()
    }

    /// Untrashes a transaction.
    ///
    /// Use untrashTransaction; this is its alias (3.4.6).
    ///
    /// `PATCH /v5/books/{bookId}/transactions/restore` is `restoreTransaction`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     book: &daybook_client::Book,
    /// #     body: daybook_client::types::Transaction,
    /// # ) -> Result<(), daybook_client::Error> {
    /// let response = book.restore_transaction(&body).await?;
    /// # Ok(())
    /// # }
    /// ```
    #[deprecated = "the contract keeps it for existing clients"]
    pub fn restore_transaction<'a>(
        &self,
        body: impl Into<Row<'a, Transaction>>,
    ) -> Request<Versioned<TransactionOperation>> {
        Request::versioned(
            self.client(),
            Method::PATCH,
            &["v5", "books", self.id(), "transactions", "restore"],
        )
        .row(body.into())
        .keyed()
    }

    /// Trashes a transaction.
    ///
    /// Removes the transaction from balances and lists; it is kept forever. A checked one returns
    /// 400 (3.4). Requires POSTER; a RECORDER may trash its own drafts.
    ///
    /// `PATCH /v5/books/{bookId}/transactions/trash` is `trashTransaction`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     book: &daybook_client::Book,
    /// #     body: daybook_client::types::Transaction,
    /// # ) -> Result<(), daybook_client::Error> {
    /// let response = book.trash_transaction(&body).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn trash_transaction<'a>(
        &self,
        body: impl Into<Row<'a, Transaction>>,
    ) -> Request<Versioned<TransactionOperation>> {
        Request::versioned(
            self.client(),
            Method::PATCH,
            &["v5", "books", self.id(), "transactions", "trash"],
        )
        .row(body.into())
        .keyed()
    }

    /// Unchecks a transaction.
    ///
    /// Makes a checked transaction editable again (3.4). Requires EDITOR.
    ///
    /// `PATCH /v5/books/{bookId}/transactions/uncheck` is `uncheckTransaction`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     book: &daybook_client::Book,
    /// #     body: daybook_client::types::Transaction,
    /// # ) -> Result<(), daybook_client::Error> {
    /// let response = book.uncheck_transaction(&body).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn uncheck_transaction<'a>(
        &self,
        body: impl Into<Row<'a, Transaction>>,
    ) -> Request<Versioned<TransactionOperation>> {
        Request::versioned(
            self.client(),
            Method::PATCH,
            &["v5", "books", self.id(), "transactions", "uncheck"],
        )
        .row(body.into())
        .keyed()
    }

    /// Untrashes a transaction.
    ///
    /// Restores the previous state: draft, unchecked or checked (3.4). Requires POSTER, and EDITOR
    /// for a checked transaction; a RECORDER may untrash its own drafts.
    ///
    /// `PATCH /v5/books/{bookId}/transactions/untrash` is `untrashTransaction`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     book: &daybook_client::Book,
    /// #     body: daybook_client::types::Transaction,
    /// # ) -> Result<(), daybook_client::Error> {
    /// let response = book.untrash_transaction(&body).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn untrash_transaction<'a>(
        &self,
        body: impl Into<Row<'a, Transaction>>,
    ) -> Request<Versioned<TransactionOperation>> {
        Request::versioned(
            self.client(),
            Method::PATCH,
            &["v5", "books", self.id(), "transactions", "untrash"],
        )
        .row(body.into())
        .keyed()
    }

    /// Gets a transaction.
    ///
    /// Returns the transaction with both accounts in full (4.18). In a PRIVATE book a RECORDER sees
    /// only its own drafts (7.3).
    ///
    /// `GET /v5/books/{bookId}/transactions/{id}` is `getTransaction`.
    ///
    /// ```no_run
    /// # async fn example(book: &daybook_client::Book) -> Result<(), daybook_client::Error> {
    /// let response = book.get_transaction("id").await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn get_transaction(&self, id: &str) -> Request<Versioned<Transaction>> {
        Request::versioned(
            self.client(),
            Method::GET,
            &["v5", "books", self.id(), "transactions", id],
        )
    }
}
