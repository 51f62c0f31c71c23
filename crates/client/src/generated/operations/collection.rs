//! Operations of the contract: collection.

use reqwest::Method;

use crate::client::Client;
use crate::request::Request;
use crate::types::{BookList, Collection, CollectionList};

impl Client {
    /// Lists collections.
    ///
    /// Returns the caller's own collections by name, with the books that the caller may still read
    /// (9.10).
    ///
    /// `GET /v5/collections` is `listCollections`.
    ///
    /// ```no_run
    /// # async fn example(client: &daybook_client::Client) -> Result<(), daybook_client::Error> {
    /// let response = client.list_collections().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn list_collections(&self) -> Request<CollectionList> {
        Request::json(self, Method::GET, &["v5", "collections"])
    }

    /// Creates a collection.
    ///
    /// The caller owns the collection. `books` in the body is ignored (9.13).
    ///
    /// `POST /v5/collections` is `createCollection`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     client: &daybook_client::Client,
    /// #     body: daybook_client::types::Collection,
    /// # ) -> Result<(), daybook_client::Error> {
    /// let response = client.create_collection(&body).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn create_collection(&self, body: &Collection) -> Request<Collection> {
        Request::json(self, Method::POST, &["v5", "collections"]).body(body).keyed()
    }

    /// Renames a collection.
    ///
    /// Changes the name only (9.10).
    ///
    /// `PUT /v5/collections` is `updateCollection`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     client: &daybook_client::Client,
    /// #     body: daybook_client::types::Collection,
    /// # ) -> Result<(), daybook_client::Error> {
    /// let response = client.update_collection(&body).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn update_collection(&self, body: &Collection) -> Request<Collection> {
        Request::json(self, Method::PUT, &["v5", "collections"]).body(body).keyed()
    }

    /// Deletes a collection.
    ///
    /// Its books stay (9.10).
    ///
    /// `DELETE /v5/collections/{id}` is `deleteCollection`.
    ///
    /// ```no_run
    /// # async fn example(client: &daybook_client::Client) -> Result<(), daybook_client::Error> {
    /// let response = client.delete_collection("id").await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn delete_collection(&self, id: &str) -> Request<BookList> {
        Request::json(self, Method::DELETE, &["v5", "collections", id]).keyed()
    }

    /// Gets a collection.
    ///
    /// Returns one of listCollections (12.9).
    ///
    /// `GET /v5/collections/{id}` is `getCollection`.
    ///
    /// ```no_run
    /// # async fn example(client: &daybook_client::Client) -> Result<(), daybook_client::Error> {
    /// let response = client.get_collection("id").await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn get_collection(&self, id: &str) -> Request<Collection> {
        Request::json(self, Method::GET, &["v5", "collections", id])
    }

    /// Adds books to a collection.
    ///
    /// All or nothing. A book in another collection of the caller moves; a book that is in this one
    /// already is returned too. The caller needs access to each book, else 404 (9.10). A collection
    /// has at most 1000 books (9.18).
    ///
    /// `PATCH /v5/collections/{id}/books/add` is `addBooksToCollection`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     client: &daybook_client::Client,
    /// #     body: daybook_client::types::BookList,
    /// # ) -> Result<(), daybook_client::Error> {
    /// let response = client.add_books_to_collection("id", &body).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn add_books_to_collection(&self, id: &str, body: &BookList) -> Request<BookList> {
        Request::json(self, Method::PATCH, &["v5", "collections", id, "books", "add"])
            .body(body)
            .keyed()
    }

    /// Removes books from a collection.
    ///
    /// Books that are not in the collection are ignored (9.18).
    ///
    /// `PATCH /v5/collections/{id}/books/remove` is `removeBooksFromCollection`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     client: &daybook_client::Client,
    /// #     body: daybook_client::types::BookList,
    /// # ) -> Result<(), daybook_client::Error> {
    /// let response = client.remove_books_from_collection("id", &body).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn remove_books_from_collection(&self, id: &str, body: &BookList) -> Request<BookList> {
        Request::json(self, Method::PATCH, &["v5", "collections", id, "books", "remove"])
            .body(body)
            .keyed()
    }
}
