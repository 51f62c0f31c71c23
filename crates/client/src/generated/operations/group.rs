//! Operations of the contract: group.

use reqwest::Method;

use crate::book::Book;
use crate::request::{Request, Row, Versioned};
use crate::types::{AccountList, Group, GroupList};

impl Book {
    /// Lists groups.
    ///
    /// Returns all groups, parents before children, then by name (4.19). Requires VIEWER; returns
    /// 403 for a RECORDER of a PRIVATE book.
    ///
    /// `GET /v5/books/{bookId}/groups` is `listGroups`.
    ///
    /// ```no_run
    /// # async fn example(book: &daybook_client::Book) -> Result<(), daybook_client::Error> {
    /// let response = book.list_groups().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn list_groups(&self) -> Request<GroupList> {
        Request::json(self.client(), Method::GET, &["v5", "books", self.id(), "groups"])
    }

    /// Creates a group.
    ///
    /// A name that exists among groups returns 400 with `already exists` in the message (4.5). Only
    /// the OWNER may set `locked`. Requires EDITOR.
    ///
    /// `POST /v5/books/{bookId}/groups` is `createGroup`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     book: &daybook_client::Book,
    /// #     body: daybook_client::types::Group,
    /// # ) -> Result<(), daybook_client::Error> {
    /// let response = book.create_group(&body).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn create_group(&self, body: &Group) -> Request<Versioned<Group>> {
        Request::versioned(self.client(), Method::POST, &["v5", "books", self.id(), "groups"])
            .body(body)
            .keyed()
    }

    /// Updates a group.
    ///
    /// Writable: name, parent, hidden, locked, properties (4.12). A cycle returns 400 (4.13). Only
    /// the OWNER may change a locked group (4.15). Requires EDITOR.
    ///
    /// `PUT /v5/books/{bookId}/groups` is `updateGroup`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     book: &daybook_client::Book,
    /// #     body: daybook_client::types::Group,
    /// # ) -> Result<(), daybook_client::Error> {
    /// let response = book.update_group(&body).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn update_group<'a>(&self, body: impl Into<Row<'a, Group>>) -> Request<Versioned<Group>> {
        Request::versioned(self.client(), Method::PUT, &["v5", "books", self.id(), "groups"])
            .row(body.into())
            .keyed()
    }

    /// Creates groups.
    ///
    /// All or nothing, at most 10000 items. A parent may be an earlier item, by name (4.16).
    /// Requires EDITOR.
    ///
    /// `POST /v5/books/{bookId}/groups/batch` is `createGroupsBatch`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     book: &daybook_client::Book,
    /// #     body: daybook_client::types::GroupList,
    /// # ) -> Result<(), daybook_client::Error> {
    /// let response = book.create_groups_batch(&body).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn create_groups_batch(&self, body: &GroupList) -> Request<GroupList> {
        Request::json(self.client(), Method::POST, &["v5", "books", self.id(), "groups", "batch"])
            .body(body)
            .keyed()
    }

    /// Updates groups.
    ///
    /// All or nothing, at most 10000 items (3.6.5); each item as in updateGroup (12.9). Requires
    /// EDITOR.
    ///
    /// `PUT /v5/books/{bookId}/groups/batch` is `updateGroupsBatch`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     book: &daybook_client::Book,
    /// #     body: daybook_client::types::GroupList,
    /// # ) -> Result<(), daybook_client::Error> {
    /// let response = book.update_groups_batch(&body).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn update_groups_batch(&self, body: &GroupList) -> Request<GroupList> {
        Request::json(self.client(), Method::PUT, &["v5", "books", self.id(), "groups", "batch"])
            .body(body)
            .keyed()
    }

    /// Deletes groups.
    ///
    /// All or nothing, at most 10000 items (3.6.5); each item as in deleteGroup (12.9). Requires
    /// EDITOR.
    ///
    /// `POST /v5/books/{bookId}/groups/delete/batch` is `deleteGroupsBatch`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     book: &daybook_client::Book,
    /// #     body: daybook_client::types::GroupList,
    /// # ) -> Result<(), daybook_client::Error> {
    /// let response = book.delete_groups_batch(&body).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn delete_groups_batch(&self, body: &GroupList) -> Request<GroupList> {
        Request::json(
            self.client(),
            Method::POST,
            &["v5", "books", self.id(), "groups", "delete", "batch"],
        )
        .body(body)
        .keyed()
    }

    /// Deletes a group.
    ///
    /// Its accounts stay and lose the membership; its child groups move to its parent (4.14). Only
    /// the OWNER may delete a locked group. Requires EDITOR.
    ///
    /// `DELETE /v5/books/{bookId}/groups/{id}` is `deleteGroup`.
    ///
    /// ```no_run
    /// # async fn example(book: &daybook_client::Book) -> Result<(), daybook_client::Error> {
    /// let response = book.delete_group("id").await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn delete_group(&self, id: &str) -> Request<Versioned<Group>> {
        Request::versioned(self.client(), Method::DELETE, &["v5", "books", self.id(), "groups", id])
            .keyed()
    }

    /// Gets a group.
    ///
    /// Requires VIEWER; returns 403 for a RECORDER of a PRIVATE book.
    ///
    /// `GET /v5/books/{bookId}/groups/{id}` is `getGroup`.
    ///
    /// ```no_run
    /// # async fn example(book: &daybook_client::Book) -> Result<(), daybook_client::Error> {
    /// let response = book.get_group("id").await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn get_group(&self, id: &str) -> Request<Versioned<Group>> {
        Request::versioned(self.client(), Method::GET, &["v5", "books", self.id(), "groups", id])
    }

    /// Lists the accounts of a group.
    ///
    /// Returns the accounts of child groups too (4.17). Requires VIEWER; returns 403 for a RECORDER
    /// of a PRIVATE book.
    ///
    /// `GET /v5/books/{bookId}/groups/{id}/accounts` is `listGroupAccounts`.
    ///
    /// ```no_run
    /// # async fn example(book: &daybook_client::Book) -> Result<(), daybook_client::Error> {
    /// let response = book.list_group_accounts("id").await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn list_group_accounts(&self, id: &str) -> Request<AccountList> {
        Request::json(
            self.client(),
            Method::GET,
            &["v5", "books", self.id(), "groups", id, "accounts"],
        )
    }
}
