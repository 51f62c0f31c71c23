//! Operations of the contract: export.

use reqwest::Method;

use crate::book::Book;
use crate::parameters::{ExportBook, GetExportLink};
use crate::request::Request;
use crate::types::Link;

impl Book {
    /// Exports a book.
    ///
    /// Returns a book, or the transactions that a query finds, as a file for other programs (16).
    /// JSON lines and ZIP have everything but comments, reconciliations, queries, events and
    /// collaborators; ZIP has the bytes of the files, too. The export is sent while it is read; at
    /// most two reports and exports of a user are in transfer, else 503 (13.11). Requires VIEWER;
    /// returns 403 for a RECORDER of a PRIVATE book.
    ///
    /// `GET /v5/books/{bookId}/export` is `exportBook`.
    ///
    /// ```no_run
    /// # async fn example(book: &daybook_client::Book) -> Result<(), daybook_client::Error> {
    /// let response = book.export_book(&Default::default()).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn export_book(&self, parameters: &ExportBook) -> Request<Vec<u8>> {
        Request::bytes(self.client(), Method::GET, &["v5", "books", self.id(), "export"])
            .parameter("format", parameters.format.as_ref())
            .parameter("query", parameters.query.as_ref())
            .parameter("excel", parameters.excel.as_ref())
    }

    /// Gets a link to an export.
    ///
    /// Returns an address that downloads the export without an Authorization header for five
    /// minutes. Takes the parameters of exportBook. Each opening checks the token and the
    /// permission of the caller again (16.8). Requires VIEWER; returns 403 for a RECORDER of a
    /// PRIVATE book.
    ///
    /// `GET /v5/books/{bookId}/export/link` is `getExportLink`.
    ///
    /// ```no_run
    /// # async fn example(book: &daybook_client::Book) -> Result<(), daybook_client::Error> {
    /// let response = book.get_export_link(&Default::default()).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn get_export_link(&self, parameters: &GetExportLink) -> Request<Link> {
        Request::json(self.client(), Method::GET, &["v5", "books", self.id(), "export", "link"])
            .parameter("format", parameters.format.as_ref())
            .parameter("query", parameters.query.as_ref())
            .parameter("excel", parameters.excel.as_ref())
    }
}
