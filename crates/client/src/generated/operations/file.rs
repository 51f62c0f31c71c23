//! Operations of the contract: file.

use reqwest::Method;

use crate::book::Book;
use crate::parameters::ListFiles;
use crate::request::{Request, Row, Versioned};
use crate::types::{File, FileList};

impl Book {
    /// Lists files.
    ///
    /// Newest first, in pages, without content (2.6, 12.1). In a PRIVATE book a RECORDER sees only
    /// its own (7.3).
    ///
    /// `GET /v5/books/{bookId}/files` is `listFiles`.
    ///
    /// ```no_run
    /// # async fn example(book: &daybook_client::Book) -> Result<(), daybook_client::Error> {
    /// let response = book.list_files(&Default::default()).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn list_files(&self, parameters: &ListFiles) -> Request<FileList> {
        Request::json(self.client(), Method::GET, &["v5", "books", self.id(), "files"])
            .parameter("limit", parameters.limit.as_ref())
            .maybe_header("cursor", parameters.cursor.as_deref())
    }

    /// Creates a file.
    ///
    /// Stores `content`, Base64 of at most 20 MB; without it the file is empty. `contentType`
    /// defaults by the extension of the name, `size` is computed, `properties` are kept (9.6).
    /// Requires RECORDER or POSTER.
    ///
    /// `POST /v5/books/{bookId}/files` is `createFile`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     book: &daybook_client::Book,
    /// #     body: daybook_client::types::File,
    /// # ) -> Result<(), daybook_client::Error> {
    /// let response = book.create_file(&body).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn create_file(&self, body: &File) -> Request<Versioned<File>> {
        Request::versioned(self.client(), Method::POST, &["v5", "books", self.id(), "files"])
            .body(body)
            .keyed()
    }

    /// Updates a file.
    ///
    /// Writable: name, contentType, properties, content; absent fields stay (9.6). New content
    /// returns 400 while a checked transaction, or one on a locked date, has the file. Requires
    /// POSTER; a RECORDER may update its own files.
    ///
    /// `PUT /v5/books/{bookId}/files` is `updateFile`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     book: &daybook_client::Book,
    /// #     body: daybook_client::types::File,
    /// # ) -> Result<(), daybook_client::Error> {
    /// let response = book.update_file(&body).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn update_file<'a>(&self, body: impl Into<Row<'a, File>>) -> Request<Versioned<File>> {
        Request::versioned(self.client(), Method::PUT, &["v5", "books", self.id(), "files"])
            .row(body.into())
            .keyed()
    }

    /// Deletes a file.
    ///
    /// The file is detached from its transactions. Returns 400 while a checked transaction, or one
    /// on a locked date, has the file (9.6, 12.1). Requires POSTER; a RECORDER may delete its own
    /// files.
    ///
    /// `DELETE /v5/books/{bookId}/files/{id}` is `deleteFile`.
    ///
    /// ```no_run
    /// # async fn example(book: &daybook_client::Book) -> Result<(), daybook_client::Error> {
    /// let response = book.delete_file("id").await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn delete_file(&self, id: &str) -> Request<Versioned<File>> {
        Request::versioned(self.client(), Method::DELETE, &["v5", "books", self.id(), "files", id])
            .keyed()
    }

    /// Gets a file.
    ///
    /// Returns the content too, byte for byte (9.6). In a PRIVATE book a RECORDER sees only its own
    /// (7.3).
    ///
    /// `GET /v5/books/{bookId}/files/{id}` is `getFile`.
    ///
    /// ```no_run
    /// # async fn example(book: &daybook_client::Book) -> Result<(), daybook_client::Error> {
    /// let response = book.get_file("id").await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn get_file(&self, id: &str) -> Request<Versioned<File>> {
        Request::versioned(self.client(), Method::GET, &["v5", "books", self.id(), "files", id])
    }
}
