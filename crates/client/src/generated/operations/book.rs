//! Operations of the contract: book.

use crate::types;
use reqwest::Method;

use crate::book::Book;
use crate::client::Client;
use crate::parameters::{CopyBook, CreateNewBook, GetBook, ListBooks};
use crate::request::{Request, Row, Versioned};
use crate::types::{BookClosing, BookList, BookTransfer, NewOwner};

impl Book {
    /// Deletes a book.
    ///
    /// From then on the book returns 404. Its owner can restore it for 30 days, or for the
    /// configured time. Then the server removes its contents, the event log included. Requires
    /// OWNER (6.5, 6.22).
    ///
    /// `DELETE /v5/books/{bookId}` is `deleteBook`.
    ///
    /// ```no_run
    /// # async fn example(book: &daybook_client::Book) -> Result<(), daybook_client::Error> {
    /// let response = book.delete_book().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn delete_book(&self) -> Request<Versioned<types::Book>> {
        Request::versioned(self.client(), Method::DELETE, &["v5", "books", self.id()]).keyed()
    }

    /// Gets a book.
    ///
    /// Requires any permission; every user may read a PUBLIC book. A RECORDER of a PRIVATE book
    /// gets neither accounts nor groups (6.2).
    ///
    /// `GET /v5/books/{bookId}` is `getBook`.
    ///
    /// ```no_run
    /// # async fn example(book: &daybook_client::Book) -> Result<(), daybook_client::Error> {
    /// let response = book.get_book(&Default::default()).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn get_book(&self, parameters: &GetBook) -> Request<Versioned<types::Book>> {
        Request::versioned(self.client(), Method::GET, &["v5", "books", self.id()])
            .parameter("loadAccounts", parameters.load_accounts.as_ref())
            .parameter("loadGroups", parameters.load_groups.as_ref())
    }

    /// Updates a book.
    ///
    /// Use updateBook. The id of the path wins. Absent fields stay, properties merge; accounts,
    /// groups, permission and totals in the body are ignored. Requires EDITOR, also for an update
    /// that changes nothing. Only the OWNER may change `visibility`, or move back or clear the lock
    /// and closing dates; a value equal to the stored one needs no further permission (6.4, 3.5.4).
    ///
    /// `PUT /v5/books/{bookId}` is `updateBookDeprecated`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     book: &daybook_client::Book,
    /// #     body: daybook_client::types::Book,
    /// # ) -> Result<(), daybook_client::Error> {
    /// let response = book.update_book_deprecated(&body).await?;
    /// # Ok(())
    /// # }
    /// ```
    #[deprecated = "the contract keeps it for existing clients"]
    pub fn update_book_deprecated<'a>(
        &self,
        body: impl Into<Row<'a, types::Book>>,
    ) -> Request<Versioned<types::Book>> {
        Request::versioned(self.client(), Method::PUT, &["v5", "books", self.id()])
            .row(body.into())
            .keyed()
    }

    /// Audits a book.
    ///
    /// Returns at once. Later the audit recomputes every balance from the transactions, checks that
    /// they sum to zero and that the event chain is intact, sets `balanceVerified` of the accounts,
    /// and records BOOK_AUDITED with the findings in `data.audit`. It repairs nothing. Requires
    /// EDITOR (6.7).
    ///
    /// `PATCH /v5/books/{bookId}/audit` is `auditBook`.
    ///
    /// ```no_run
    /// # async fn example(book: &daybook_client::Book) -> Result<(), daybook_client::Error> {
    /// book.audit_book().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn audit_book(&self) -> Request<()> {
        Request::empty(self.client(), Method::PATCH, &["v5", "books", self.id(), "audit"]).keyed()
    }

    /// Closes a period.
    ///
    /// Extension of v5. Sets `closingDate`, and stores the trial balance, the balance sheet and the
    /// income statement of that day as XLSX files of the book (13.13). The report `changes` then
    /// begins after the event that these reports include. A repetition adds files and keeps the
    /// earlier ones. Requires the permission to set `closingDate` to that day (3.5.4).
    ///
    /// `POST /v5/books/{bookId}/close` is `closeBook`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     book: &daybook_client::Book,
    /// #     body: daybook_client::types::BookClosing,
    /// # ) -> Result<(), daybook_client::Error> {
    /// let response = book.close_book(&body).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn close_book(&self, body: &BookClosing) -> Request<BookClosing> {
        Request::json(self.client(), Method::POST, &["v5", "books", self.id(), "close"])
            .body(body)
            .keyed()
    }

    /// Copies a book.
    ///
    /// Copies settings, properties, groups, accounts and saved queries under new ids; not
    /// collaborators, events, integrations or files. The caller owns the copy; it is PRIVATE,
    /// without lock and closing date. Trashed transactions are not copied. Balances before
    /// `fromDate` are copied only with `openingBalances`. There is no size limit: the response
    /// follows when the copy is complete, and the copy is invisible until then (6.14). Requires
    /// VIEWER, and OWNER with `copyTransactions`; returns 403 for a RECORDER of a PRIVATE book
    /// (6.6).
    ///
    /// `POST /v5/books/{bookId}/copy` is `copyBook`.
    ///
    /// ```no_run
    /// # async fn example(book: &daybook_client::Book) -> Result<(), daybook_client::Error> {
    /// let response = book.copy_book("name", &Default::default()).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn copy_book(&self, name: &str, parameters: &CopyBook) -> Request<Versioned<types::Book>> {
        Request::versioned(self.client(), Method::POST, &["v5", "books", self.id(), "copy"])
            .parameter("name", Some(name))
            .parameter("copyTransactions", parameters.copy_transactions.as_ref())
            .parameter("fromDate", parameters.from_date.as_ref())
            .parameter("openingBalances", parameters.opening_balances.as_ref())
            .parameter("fractionDigits", parameters.fraction_digits.as_ref())
            .keyed()
    }

    /// Restores a deleted book.
    ///
    /// Extension of v5. The book is as it was before its deletion, except that it is in no
    /// collection. Returns 404 to all but its owner, for a book that is not deleted, and once its
    /// removal has begun (6.22, 12.12).
    ///
    /// `POST /v5/books/{bookId}/restore` is `restoreBook`.
    ///
    /// ```no_run
    /// # async fn example(book: &daybook_client::Book) -> Result<(), daybook_client::Error> {
    /// let response = book.restore_book().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn restore_book(&self) -> Request<Versioned<types::Book>> {
        Request::versioned(self.client(), Method::POST, &["v5", "books", self.id(), "restore"])
            .keyed()
    }

    /// Withdraws or decline the offer of a book.
    ///
    /// Extension of v5. Withdraws the offer as OWNER, or declines it as recipient; 404 without an
    /// open offer (6.28).
    ///
    /// `DELETE /v5/books/{bookId}/transfer` is `declineBookTransfer`.
    ///
    /// ```no_run
    /// # async fn example(book: &daybook_client::Book) -> Result<(), daybook_client::Error> {
    /// let response = book.decline_book_transfer().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn decline_book_transfer(&self) -> Request<BookTransfer> {
        Request::json(self.client(), Method::DELETE, &["v5", "books", self.id(), "transfer"])
            .keyed()
    }

    /// Gets the open offer of a book.
    ///
    /// Extension of v5. For the OWNER and the recipient; 404 without an open offer (6.28).
    ///
    /// `GET /v5/books/{bookId}/transfer` is `getBookTransfer`.
    ///
    /// ```no_run
    /// # async fn example(book: &daybook_client::Book) -> Result<(), daybook_client::Error> {
    /// let response = book.get_book_transfer().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn get_book_transfer(&self) -> Request<BookTransfer> {
        Request::json(self.client(), Method::GET, &["v5", "books", self.id(), "transfer"])
    }

    /// Transfers a book to another owner.
    ///
    /// Extension of v5. A collaborator with the address and an open access request for OWNER
    /// becomes the OWNER, and the caller an EDITOR (6.21). Any other address gets an offer, also by
    /// mail, for 30 days; the response does not reveal whether the address has a user (6.28). A
    /// transfer to oneself changes nothing. Requires OWNER.
    ///
    /// `POST /v5/books/{bookId}/transfer` is `transferBook`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     book: &daybook_client::Book,
    /// #     body: daybook_client::types::NewOwner,
    /// # ) -> Result<(), daybook_client::Error> {
    /// let response = book.transfer_book(&body).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn transfer_book<'a>(
        &self,
        body: impl Into<Row<'a, NewOwner>>,
    ) -> Request<Versioned<types::Book>> {
        Request::versioned(self.client(), Method::POST, &["v5", "books", self.id(), "transfer"])
            .row(body.into())
            .keyed()
    }

    /// Accepts an offered book.
    ///
    /// Extension of v5. The caller becomes the OWNER, and the offering user an EDITOR; 404 without
    /// an offer to the caller (6.28). It takes no body.
    ///
    /// `POST /v5/books/{bookId}/transfer/accept` is `acceptBookTransfer`.
    ///
    /// ```no_run
    /// # async fn example(book: &daybook_client::Book) -> Result<(), daybook_client::Error> {
    /// let response = book.accept_book_transfer().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn accept_book_transfer(&self) -> Request<Versioned<types::Book>> {
        Request::versioned(
            self.client(),
            Method::POST,
            &["v5", "books", self.id(), "transfer", "accept"],
        )
        .keyed()
    }
}

impl Client {
    /// Lists books.
    ///
    /// Returns the books that the caller owns or collaborates in, by name, without accounts and
    /// groups. PUBLIC books of others are not listed (6.8).
    ///
    /// `GET /v5/books` is `listBooks`.
    ///
    /// ```no_run
    /// # async fn example(client: &daybook_client::Client) -> Result<(), daybook_client::Error> {
    /// let response = client.list_books(&Default::default()).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn list_books(&self, parameters: &ListBooks) -> Request<BookList> {
        Request::json(self, Method::GET, &["v5", "books"])
            .parameter("query", parameters.query.as_ref())
            .parameter("deleted", parameters.deleted.as_ref())
    }

    /// Creates a book.
    ///
    /// The caller becomes the OWNER. The defaults are those of 6.1. Embedded groups and accounts
    /// are created, groups first.
    ///
    /// `POST /v5/books` is `createNewBook`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     client: &daybook_client::Client,
    /// #     body: daybook_client::types::Book,
    /// # ) -> Result<(), daybook_client::Error> {
    /// let response = client.create_new_book(&body, &Default::default()).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn create_new_book(
        &self,
        body: &types::Book,
        parameters: &CreateNewBook,
    ) -> Request<Versioned<types::Book>> {
        Request::versioned(self, Method::POST, &["v5", "books"])
            .body(body)
            .parameter("name", parameters.name.as_ref())
            .keyed()
    }

    /// Updates a book.
    ///
    /// Absent fields stay, properties merge; accounts, groups, permission and totals in the body
    /// are ignored. Requires EDITOR, also for an update that changes nothing. Only the OWNER may
    /// change `visibility`, or move back or clear the lock and closing dates; a value equal to the
    /// stored one needs no further permission (6.4, 3.5.4).
    ///
    /// `PUT /v5/books` is `updateBook`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     client: &daybook_client::Client,
    /// #     body: daybook_client::types::Book,
    /// # ) -> Result<(), daybook_client::Error> {
    /// let response = client.update_book(&body).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn update_book<'a>(
        &self,
        body: impl Into<Row<'a, types::Book>>,
    ) -> Request<Versioned<types::Book>> {
        Request::versioned(self, Method::PUT, &["v5", "books"]).row(body.into()).keyed()
    }
}
