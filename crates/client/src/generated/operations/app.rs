//! Operations of the contract: app.

use reqwest::Method;

use crate::client::Client;
use crate::request::Request;
use crate::types::{App, AppList};

impl Client {
    /// Lists apps.
    ///
    /// Returns published apps and those of the caller as owner, developer or user, by name, without
    /// deprecated apps and without `readme` and `readmeMd`; at most 1000 apps and 8 MB (9.3).
    ///
    /// `GET /v5/apps` is `listApps`.
    ///
    /// ```no_run
    /// # async fn example(client: &daybook_client::Client) -> Result<(), daybook_client::Error> {
    /// let response = client.list_apps().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn list_apps(&self) -> Request<AppList> {
        Request::json(self, Method::GET, &["v5", "apps"])
    }

    /// Updates an app.
    ///
    /// The same as PUT, for clients that send PATCH (9.3).
    ///
    /// `PATCH /v5/apps` is `patchApp`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     client: &daybook_client::Client,
    /// #     body: daybook_client::types::App,
    /// # ) -> Result<(), daybook_client::Error> {
    /// let response = client.patch_app(&body).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn patch_app(&self, body: &App) -> Request<App> {
        Request::json(self, Method::PATCH, &["v5", "apps"]).body(body).keyed()
    }

    /// Creates an app.
    ///
    /// The caller becomes its owner. Unknown keys are ignored, so a manifest can be sent unchanged.
    /// A user owns at most 100 apps (9.3).
    ///
    /// `POST /v5/apps` is `createApp`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     client: &daybook_client::Client,
    /// #     body: daybook_client::types::App,
    /// # ) -> Result<(), daybook_client::Error> {
    /// let response = client.create_app(&body).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn create_app(&self, body: &App) -> Request<App> {
        Request::json(self, Method::POST, &["v5", "apps"]).body(body).keyed()
    }

    /// Updates an app.
    ///
    /// An absent field stays; null, blank text and `[]` clear; `clientSecret` stays unless it is
    /// sent. Requires the owner, a developer of the app, or an administrator (9.3).
    ///
    /// `PUT /v5/apps` is `updateApp`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     client: &daybook_client::Client,
    /// #     body: daybook_client::types::App,
    /// # ) -> Result<(), daybook_client::Error> {
    /// let response = client.update_app(&body).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn update_app(&self, body: &App) -> Request<App> {
        Request::json(self, Method::PUT, &["v5", "apps"]).body(body).keyed()
    }

    /// Gets an app.
    ///
    /// An app that is invisible to the caller returns 404, like an unknown one (9.3).
    ///
    /// `GET /v5/apps/{agentId}` is `getApp`.
    ///
    /// ```no_run
    /// # async fn example(client: &daybook_client::Client) -> Result<(), daybook_client::Error> {
    /// let response = client.get_app("agent_id").await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn get_app(&self, agent_id: &str) -> Request<App> {
        Request::json(self, Method::GET, &["v5", "apps", agent_id])
    }
}
