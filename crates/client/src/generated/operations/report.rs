//! Operations of the contract: report.

use reqwest::Method;

use crate::book::Book;
use crate::parameters::{GetReport, GetReportLink};
use crate::request::Request;
use crate::types::{Link, Report, ReportKind};

impl Book {
    /// Gets a report.
    ///
    /// Returns a report of the posted transactions that are not trashed, with the signs that people
    /// expect (13.4). General ledger, journal and changes are sent while they are read; at most two
    /// of a user are in transfer, else 503 (13.11). `changes` lists what was recorded or changed
    /// after an event (13.12). Requires VIEWER; returns 403 for a RECORDER of a PRIVATE book.
    ///
    /// `GET /v5/books/{bookId}/reports/{id}` is `getReport`.
    ///
    /// ```no_run
    /// # async fn example(book: &daybook_client::Book) -> Result<(), daybook_client::Error> {
    /// let response = book.get_report(&"trial-balance".into(), &Default::default()).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn get_report(&self, id: &ReportKind, parameters: &GetReport) -> Request<Report> {
        Request::json(
            self.client(),
            Method::GET,
            &["v5", "books", self.id(), "reports", id.as_str()],
        )
        .parameter("period", parameters.period.as_ref())
        .parameter("after", parameters.after.as_ref())
        .parameter("compare", parameters.compare.as_ref())
        .parameter("columns", parameters.columns.as_ref())
        .parameter("depth", parameters.depth.as_ref())
        .parameter("query", parameters.query.as_ref())
        .parameter("zeros", parameters.zeros.as_ref())
        .parameter("format", parameters.format.as_ref())
        .parameter("excel", parameters.excel.as_ref())
    }

    /// Gets a link to a report.
    ///
    /// Returns an address that shows the report without an Authorization header for five minutes:
    /// for links, print windows and downloads of browsers. Takes the parameters of getReport. Each
    /// opening checks the token and the permission of the caller again (13.14). Requires VIEWER;
    /// returns 403 for a RECORDER of a PRIVATE book.
    ///
    /// `GET /v5/books/{bookId}/reports/{id}/link` is `getReportLink`.
    ///
    /// ```no_run
    /// # async fn example(book: &daybook_client::Book) -> Result<(), daybook_client::Error> {
    /// let response = book.get_report_link(&"trial-balance".into(), &Default::default()).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn get_report_link(&self, id: &ReportKind, parameters: &GetReportLink) -> Request<Link> {
        Request::json(
            self.client(),
            Method::GET,
            &["v5", "books", self.id(), "reports", id.as_str(), "link"],
        )
        .parameter("period", parameters.period.as_ref())
        .parameter("after", parameters.after.as_ref())
        .parameter("compare", parameters.compare.as_ref())
        .parameter("columns", parameters.columns.as_ref())
        .parameter("depth", parameters.depth.as_ref())
        .parameter("query", parameters.query.as_ref())
        .parameter("zeros", parameters.zeros.as_ref())
        .parameter("format", parameters.format.as_ref())
        .parameter("excel", parameters.excel.as_ref())
    }
}
