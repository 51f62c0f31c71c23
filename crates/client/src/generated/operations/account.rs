//! Operations of the contract: account.

use reqwest::Method;

use crate::book::Book;
use crate::request::{Request, Row, Versioned};
use crate::types::{Account, AccountList, GroupList};

impl Book {
    /// Lists accounts.
    ///
    /// Returns all accounts, archived ones included, by normalized name (4.19). Requires VIEWER;
    /// returns 403 for a RECORDER of a PRIVATE book.
    ///
    /// `GET /v5/books/{bookId}/accounts` is `listAccounts`.
    ///
    /// ```no_run
    /// # async fn example(book: &daybook_client::Book) -> Result<(), daybook_client::Error> {
    /// let response = book.list_accounts().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn list_accounts(&self) -> Request<AccountList> {
        Request::json(self.client(), Method::GET, &["v5", "books", self.id(), "accounts"])
    }

    /// Creates an account.
    ///
    /// Requires only a name (4.2). A name that exists returns 400 with `already exists` in the
    /// message (4.5). Requires EDITOR.
    ///
    /// `POST /v5/books/{bookId}/accounts` is `createAccount`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     book: &daybook_client::Book,
    /// #     body: daybook_client::types::Account,
    /// # ) -> Result<(), daybook_client::Error> {
    /// let response = book.create_account(&body).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn create_account(&self, body: &Account) -> Request<Versioned<Account>> {
        Request::versioned(self.client(), Method::POST, &["v5", "books", self.id(), "accounts"])
            .body(body)
            .keyed()
    }

    /// Updates an account.
    ///
    /// Writable: name, type, archived, groups, properties (4.9). Only the OWNER may change accounts
    /// of locked groups (4.15). Requires EDITOR.
    ///
    /// `PUT /v5/books/{bookId}/accounts` is `updateAccount`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     book: &daybook_client::Book,
    /// #     body: daybook_client::types::Account,
    /// # ) -> Result<(), daybook_client::Error> {
    /// let response = book.update_account(&body).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn update_account<'a>(
        &self,
        body: impl Into<Row<'a, Account>>,
    ) -> Request<Versioned<Account>> {
        Request::versioned(self.client(), Method::PUT, &["v5", "books", self.id(), "accounts"])
            .row(body.into())
            .keyed()
    }

    /// Creates accounts.
    ///
    /// All or nothing, at most 10000 items. The message names the index, from 0, of the first
    /// refused item (3.6.5, 4.5). Requires EDITOR.
    ///
    /// `POST /v5/books/{bookId}/accounts/batch` is `createAccountsBatch`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     book: &daybook_client::Book,
    /// #     body: daybook_client::types::AccountList,
    /// # ) -> Result<(), daybook_client::Error> {
    /// let response = book.create_accounts_batch(&body).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn create_accounts_batch(&self, body: &AccountList) -> Request<AccountList> {
        Request::json(self.client(), Method::POST, &["v5", "books", self.id(), "accounts", "batch"])
            .body(body)
            .keyed()
    }

    /// Updates accounts.
    ///
    /// All or nothing, at most 10000 items (3.6.5); each item as in updateAccount. Requires EDITOR.
    ///
    /// `PUT /v5/books/{bookId}/accounts/batch` is `updateAccountsBatch`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     book: &daybook_client::Book,
    /// #     body: daybook_client::types::AccountList,
    /// # ) -> Result<(), daybook_client::Error> {
    /// let response = book.update_accounts_batch(&body).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn update_accounts_batch(&self, body: &AccountList) -> Request<AccountList> {
        Request::json(self.client(), Method::PUT, &["v5", "books", self.id(), "accounts", "batch"])
            .body(body)
            .keyed()
    }

    /// Deletes accounts.
    ///
    /// All or nothing: one account with a posting refuses the batch (4.7). Requires EDITOR.
    ///
    /// `POST /v5/books/{bookId}/accounts/delete/batch` is `deleteAccountsBatch`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     book: &daybook_client::Book,
    /// #     body: daybook_client::types::AccountList,
    /// # ) -> Result<(), daybook_client::Error> {
    /// let response = book.delete_accounts_batch(&body).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn delete_accounts_batch(&self, body: &AccountList) -> Request<AccountList> {
        Request::json(
            self.client(),
            Method::POST,
            &["v5", "books", self.id(), "accounts", "delete", "batch"],
        )
        .body(body)
        .keyed()
    }

    /// Deletes an account.
    ///
    /// An account with a posting returns 400; archive it instead. Drafts that name the account lose
    /// that side (4.7). Requires EDITOR.
    ///
    /// `DELETE /v5/books/{bookId}/accounts/{id}` is `deleteAccount`.
    ///
    /// ```no_run
    /// # async fn example(book: &daybook_client::Book) -> Result<(), daybook_client::Error> {
    /// let response = book.delete_account("id").await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn delete_account(&self, id: &str) -> Request<Versioned<Account>> {
        Request::versioned(
            self.client(),
            Method::DELETE,
            &["v5", "books", self.id(), "accounts", id],
        )
        .keyed()
    }

    /// Gets an account.
    ///
    /// Requires VIEWER; returns 403 for a RECORDER of a PRIVATE book.
    ///
    /// `GET /v5/books/{bookId}/accounts/{id}` is `getAccount`.
    ///
    /// ```no_run
    /// # async fn example(book: &daybook_client::Book) -> Result<(), daybook_client::Error> {
    /// let response = book.get_account("id").await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn get_account(&self, id: &str) -> Request<Versioned<Account>> {
        Request::versioned(self.client(), Method::GET, &["v5", "books", self.id(), "accounts", id])
    }

    /// Lists the groups of an account.
    ///
    /// Returns direct groups only (4.17). Requires VIEWER; returns 403 for a RECORDER of a PRIVATE
    /// book.
    ///
    /// `GET /v5/books/{bookId}/accounts/{id}/groups` is `listAccountGroups`.
    ///
    /// ```no_run
    /// # async fn example(book: &daybook_client::Book) -> Result<(), daybook_client::Error> {
    /// let response = book.list_account_groups("id").await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn list_account_groups(&self, id: &str) -> Request<GroupList> {
        Request::json(
            self.client(),
            Method::GET,
            &["v5", "books", self.id(), "accounts", id, "groups"],
        )
    }
}
