//! Operations of the contract: saved query.

use reqwest::Method;

use crate::book::Book;
use crate::request::Request;
use crate::types::{Query, QueryList};

impl Book {
    /// Lists saved queries.
    ///
    /// Returns the saved queries of the book, by title, ignoring case (9.9). Requires VIEWER;
    /// returns 403 for a RECORDER of a PRIVATE book.
    ///
    /// `GET /v5/books/{bookId}/queries` is `listQueries`.
    ///
    /// ```no_run
    /// # async fn example(book: &daybook_client::Book) -> Result<(), daybook_client::Error> {
    /// let response = book.list_queries().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn list_queries(&self) -> Request<QueryList> {
        Request::json(self.client(), Method::GET, &["v5", "books", self.id(), "queries"])
    }

    /// Saves a query.
    ///
    /// The query belongs to the book and is visible to all its readers (9.9). The text is stored as
    /// given and not checked. Requires EDITOR.
    ///
    /// `POST /v5/books/{bookId}/queries` is `saveQuery`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     book: &daybook_client::Book,
    /// #     body: daybook_client::types::Query,
    /// # ) -> Result<(), daybook_client::Error> {
    /// let response = book.save_query(&body).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn save_query(&self, body: &Query) -> Request<Query> {
        Request::json(self.client(), Method::POST, &["v5", "books", self.id(), "queries"])
            .body(body)
            .keyed()
    }

    /// Updates a saved query.
    ///
    /// Writable: title, query; an absent field stays (9.9). Requires EDITOR.
    ///
    /// `PUT /v5/books/{bookId}/queries` is `updateQuery`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     book: &daybook_client::Book,
    /// #     body: daybook_client::types::Query,
    /// # ) -> Result<(), daybook_client::Error> {
    /// let response = book.update_query(&body).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn update_query(&self, body: &Query) -> Request<Query> {
        Request::json(self.client(), Method::PUT, &["v5", "books", self.id(), "queries"])
            .body(body)
            .keyed()
    }

    /// Deletes a saved query.
    ///
    /// Requires EDITOR.
    ///
    /// `DELETE /v5/books/{bookId}/queries/{id}` is `deleteQuery`.
    ///
    /// ```no_run
    /// # async fn example(book: &daybook_client::Book) -> Result<(), daybook_client::Error> {
    /// let response = book.delete_query("id").await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn delete_query(&self, id: &str) -> Request<Query> {
        Request::json(self.client(), Method::DELETE, &["v5", "books", self.id(), "queries", id])
            .keyed()
    }

    /// Gets a saved query.
    ///
    /// Returns one of listQueries (12.9). Requires VIEWER; returns 403 for a RECORDER of a PRIVATE
    /// book.
    ///
    /// `GET /v5/books/{bookId}/queries/{id}` is `getQuery`.
    ///
    /// ```no_run
    /// # async fn example(book: &daybook_client::Book) -> Result<(), daybook_client::Error> {
    /// let response = book.get_query("id").await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn get_query(&self, id: &str) -> Request<Query> {
        Request::json(self.client(), Method::GET, &["v5", "books", self.id(), "queries", id])
    }
}
