//! Operations of the contract: integration.

use reqwest::Method;

use crate::book::Book;
use crate::request::Request;
use crate::types::{AppList, Integration, IntegrationList};

impl Book {
    /// Lists the apps of a book.
    ///
    /// Returns the installed apps by name, deprecated ones included, without `readme` and
    /// `readmeMd` (9.4). Requires VIEWER; returns 403 for a RECORDER of a PRIVATE book.
    ///
    /// `GET /v5/books/{bookId}/apps` is `listBookApps`.
    ///
    /// ```no_run
    /// # async fn example(book: &daybook_client::Book) -> Result<(), daybook_client::Error> {
    /// let response = book.list_book_apps().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn list_book_apps(&self) -> Request<AppList> {
        Request::json(self.client(), Method::GET, &["v5", "books", self.id(), "apps"])
    }

    /// Lists integrations.
    ///
    /// Returns the installed apps, by name, ignoring case (9.4). Requires VIEWER; returns 403 for a
    /// RECORDER of a PRIVATE book.
    ///
    /// `GET /v5/books/{bookId}/integrations` is `listIntegrations`.
    ///
    /// ```no_run
    /// # async fn example(book: &daybook_client::Book) -> Result<(), daybook_client::Error> {
    /// let response = book.list_integrations().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn list_integrations(&self) -> Request<IntegrationList> {
        Request::json(self.client(), Method::GET, &["v5", "books", self.id(), "integrations"])
    }

    /// Installs an app.
    ///
    /// If the app is installed already, returns the existing integration unchanged. A book has at
    /// most 100 (9.4). Requires EDITOR.
    ///
    /// `POST /v5/books/{bookId}/integrations` is `createIntegration`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     book: &daybook_client::Book,
    /// #     body: daybook_client::types::Integration,
    /// # ) -> Result<(), daybook_client::Error> {
    /// let response = book.create_integration(&body).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn create_integration(&self, body: &Integration) -> Request<Integration> {
        Request::json(self.client(), Method::POST, &["v5", "books", self.id(), "integrations"])
            .body(body)
            .keyed()
    }

    /// Updates an integration.
    ///
    /// Writable: name, properties; an absent field stays (9.4). Requires EDITOR.
    ///
    /// `PUT /v5/books/{bookId}/integrations` is `updateIntegration`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     book: &daybook_client::Book,
    /// #     body: daybook_client::types::Integration,
    /// # ) -> Result<(), daybook_client::Error> {
    /// let response = book.update_integration(&body).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn update_integration(&self, body: &Integration) -> Request<Integration> {
        Request::json(self.client(), Method::PUT, &["v5", "books", self.id(), "integrations"])
            .body(body)
            .keyed()
    }

    /// Uninstalls an app.
    ///
    /// Requires EDITOR.
    ///
    /// `DELETE /v5/books/{bookId}/integrations/{id}` is `deleteIntegration`.
    ///
    /// ```no_run
    /// # async fn example(book: &daybook_client::Book) -> Result<(), daybook_client::Error> {
    /// let response = book.delete_integration("id").await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn delete_integration(&self, id: &str) -> Request<Integration> {
        Request::json(
            self.client(),
            Method::DELETE,
            &["v5", "books", self.id(), "integrations", id],
        )
        .keyed()
    }
}
