//! Operations of the contract: import.

use reqwest::Method;

use crate::book::Book;
use crate::parameters::{CreateImport, ListImportRecords, ListImports};
use crate::request::Request;
use crate::types::{Import, ImportConfirmation, ImportList, ImportRecordList};

impl Book {
    /// Lists imports.
    ///
    /// Newest first, in pages (15.11). Requires VIEWER; a RECORDER of a PRIVATE book gets its own.
    ///
    /// `GET /v5/books/{bookId}/imports` is `listImports`.
    ///
    /// ```no_run
    /// # async fn example(book: &daybook_client::Book) -> Result<(), daybook_client::Error> {
    /// let response = book.list_imports(&Default::default()).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn list_imports(&self, parameters: &ListImports) -> Request<ImportList> {
        Request::json(self.client(), Method::GET, &["v5", "books", self.id(), "imports"])
            .parameter("limit", parameters.limit.as_ref())
            .maybe_header("cursor", parameters.cursor.as_deref())
    }

    /// Reads a file for an import.
    ///
    /// Reads the file of a bank, or a journal, and shows what an import would record; it records
    /// nothing (15.1, 15.12). The body is the file itself, with any Content-Type, up to 64 MB; an
    /// export of Daybook as ZIP may be larger (15.13). The format is recognized by the content.
    /// Waits up to 5 seconds for the preview; if the state is still READING, read the import again.
    /// Requires POSTER, or RECORDER for drafts.
    ///
    /// `POST /v5/books/{bookId}/imports` is `createImport`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     book: &daybook_client::Book,
    /// #     file: &[u8],
    /// # ) -> Result<(), daybook_client::Error> {
    /// let response = book.create_import(file, &Default::default()).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn create_import(&self, file: &[u8], parameters: &CreateImport) -> Request<Import> {
        Request::json(self.client(), Method::POST, &["v5", "books", self.id(), "imports"])
            .file(file)
            .parameter("name", parameters.name.as_ref())
            .parameter("account", parameters.account.as_ref())
            .parameter("rules", parameters.rules.as_ref())
            .parameter("dateOrder", parameters.date_order.as_ref())
            .parameter("decimalMark", parameters.decimal_mark.as_ref())
            .parameter("encoding", parameters.encoding.as_ref())
            .parameter("sheet", parameters.sheet.as_ref())
            .parameter("target", parameters.target.as_ref())
            .parameter("commodities", parameters.commodities.as_ref())
            .parameter("virtualPostings", parameters.virtual_postings.as_ref())
            .parameter("raiseFractionDigits", parameters.raise_fraction_digits.as_ref())
            .parameter("source", parameters.source.as_ref())
            .parameter("drafts", parameters.drafts.as_ref())
            .parameter("trashed", parameters.trashed.as_ref())
            .keyed()
    }

    /// Discards a preview.
    ///
    /// Forgets an import that has recorded nothing: in the state READING, PREVIEW or FAILED. Only
    /// its author may discard it. Other states return 400 (15.10).
    ///
    /// `DELETE /v5/books/{bookId}/imports/{id}` is `deleteImport`.
    ///
    /// ```no_run
    /// # async fn example(book: &daybook_client::Book) -> Result<(), daybook_client::Error> {
    /// let response = book.delete_import("id").await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn delete_import(&self, id: &str) -> Request<Import> {
        Request::json(self.client(), Method::DELETE, &["v5", "books", self.id(), "imports", id])
            .keyed()
    }

    /// Gets an import.
    ///
    /// Returns the import with its progress (15.7). Requires VIEWER; a RECORDER of a PRIVATE book
    /// gets its own.
    ///
    /// `GET /v5/books/{bookId}/imports/{id}` is `getImport`.
    ///
    /// ```no_run
    /// # async fn example(book: &daybook_client::Book) -> Result<(), daybook_client::Error> {
    /// let response = book.get_import("id").await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn get_import(&self, id: &str) -> Request<Import> {
        Request::json(self.client(), Method::GET, &["v5", "books", self.id(), "imports", id])
    }

    /// Records an import.
    ///
    /// Records the preview with the decisions of the caller (15.7). Only its author may confirm it,
    /// within an hour. Returns 409 `previewChanged` if the book has changed so that the outcome or
    /// match of a record differs; the import then has a new preview, and `changedRecords` names
    /// them. Waits up to 5 seconds; if the state is still RECORDING, read the import again. Needs
    /// the permission to write accounts if accounts are created, and to change the book if
    /// `fractionDigits` is raised.
    ///
    /// `POST /v5/books/{bookId}/imports/{id}/confirm` is `confirmImport`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     book: &daybook_client::Book,
    /// #     body: daybook_client::types::ImportConfirmation,
    /// # ) -> Result<(), daybook_client::Error> {
    /// let response = book.confirm_import("id", &body).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn confirm_import(&self, id: &str, body: &ImportConfirmation) -> Request<Import> {
        Request::json(
            self.client(),
            Method::POST,
            &["v5", "books", self.id(), "imports", id, "confirm"],
        )
        .body(body)
        .keyed()
    }

    /// Lists the records of an import.
    ///
    /// In the order of the file, in pages (15.6). An import in the state READING has none. Requires
    /// VIEWER; a RECORDER of a PRIVATE book gets those of its own imports.
    ///
    /// `GET /v5/books/{bookId}/imports/{id}/records` is `listImportRecords`.
    ///
    /// ```no_run
    /// # async fn example(book: &daybook_client::Book) -> Result<(), daybook_client::Error> {
    /// let response = book.list_import_records("id", &Default::default()).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn list_import_records(
        &self,
        id: &str,
        parameters: &ListImportRecords,
    ) -> Request<ImportRecordList> {
        Request::json(
            self.client(),
            Method::GET,
            &["v5", "books", self.id(), "imports", id, "records"],
        )
        .parameter("outcome", parameters.outcome.as_ref())
        .parameter("limit", parameters.limit.as_ref())
        .maybe_header("cursor", parameters.cursor.as_deref())
    }

    /// Undos an import.
    ///
    /// Moves the transactions that the import has recorded and no user has changed since to the
    /// trash, and archives the accounts that it created and nothing else uses (15.9). `undone` of
    /// the import lists what was left and why. Waits up to 5 seconds; if the state is still
    /// UNDOING, read the import again. Needs the permission to trash posted transactions, and to
    /// check if the import recorded checked ones.
    ///
    /// `POST /v5/books/{bookId}/imports/{id}/undo` is `undoImport`.
    ///
    /// ```no_run
    /// # async fn example(book: &daybook_client::Book) -> Result<(), daybook_client::Error> {
    /// let response = book.undo_import("id").await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn undo_import(&self, id: &str) -> Request<Import> {
        Request::json(
            self.client(),
            Method::POST,
            &["v5", "books", self.id(), "imports", id, "undo"],
        )
        .keyed()
    }
}
