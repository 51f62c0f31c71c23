//! Operations of the contract: template.

use reqwest::Method;

use crate::client::Client;
use crate::request::Request;
use crate::types::TemplateList;

impl Client {
    /// Lists starter books.
    ///
    /// Returns the starter books that the operator configured, in the order of the file, and then
    /// those of the program (9.7).
    ///
    /// `GET /v5/templates` is `listTemplates`.
    ///
    /// ```no_run
    /// # async fn example(client: &daybook_client::Client) -> Result<(), daybook_client::Error> {
    /// let response = client.list_templates().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn list_templates(&self) -> Request<TemplateList> {
        Request::json(self, Method::GET, &["v5", "templates"])
    }
}
