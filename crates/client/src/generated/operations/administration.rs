//! Operations of the contract: administration.

use reqwest::Method;

use crate::client::Client;
use crate::parameters::ListUsers;
use crate::request::Request;
use crate::types::{
    InstallationStatus, InstallationUser, InstallationUserList, Invitation, InvitationRequest,
};

impl Client {
    /// Invites a new user.
    ///
    /// Returns a link by which an address that belongs to no user becomes one, once, within 24
    /// hours. Only this response contains the link. A server that mails sign-in links makes no
    /// invitations (9.22). Requires an administrator.
    ///
    /// `POST /v5/administration/invitations` is `createInvitation`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     client: &daybook_client::Client,
    /// #     body: daybook_client::types::InvitationRequest,
    /// # ) -> Result<(), daybook_client::Error> {
    /// let response = client.create_invitation(&body).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn create_invitation(&self, body: &InvitationRequest) -> Request<Invitation> {
        Request::json(self, Method::POST, &["v5", "administration", "invitations"])
            .body(body)
            .keyed()
    }

    /// Gets the state of the installation.
    ///
    /// Returns the version, the last backup, and what needs attention: mails that were not sent,
    /// paused apps and audits with findings, at most 100 of each (9.22). Requires an administrator.
    ///
    /// `GET /v5/administration/status` is `getInstallationStatus`.
    ///
    /// ```no_run
    /// # async fn example(client: &daybook_client::Client) -> Result<(), daybook_client::Error> {
    /// let response = client.get_installation_status().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn get_installation_status(&self) -> Request<InstallationStatus> {
        Request::json(self, Method::GET, &["v5", "administration", "status"])
    }

    /// Lists the users of the installation.
    ///
    /// Returns a page of the users, by e-mail address, without deleted users (9.22). Requires an
    /// administrator.
    ///
    /// `GET /v5/administration/users` is `listUsers`.
    ///
    /// ```no_run
    /// # async fn example(client: &daybook_client::Client) -> Result<(), daybook_client::Error> {
    /// let response = client.list_users(&Default::default()).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn list_users(&self, parameters: &ListUsers) -> Request<InstallationUserList> {
        Request::json(self, Method::GET, &["v5", "administration", "users"])
            .parameter("email", parameters.email.as_ref())
            .parameter("limit", parameters.limit.as_ref())
            .maybe_header("cursor", parameters.cursor.as_deref())
    }

    /// Disables a user.
    ///
    /// Every request of the user returns 403 `disabled` from then on, in every process within 5
    /// seconds (9.22, 11.10). Requires an administrator, who cannot disable themselves.
    ///
    /// `POST /v5/administration/users/{id}/disable` is `disableUser`.
    ///
    /// ```no_run
    /// # async fn example(client: &daybook_client::Client) -> Result<(), daybook_client::Error> {
    /// let response = client.disable_user("id").await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn disable_user(&self, id: &str) -> Request<InstallationUser> {
        Request::json(self, Method::POST, &["v5", "administration", "users", id, "disable"]).keyed()
    }

    /// Enables a user.
    ///
    /// Accepts the requests of a disabled user again (9.22, 11.10). Requires an administrator.
    ///
    /// `POST /v5/administration/users/{id}/enable` is `enableUser`.
    ///
    /// ```no_run
    /// # async fn example(client: &daybook_client::Client) -> Result<(), daybook_client::Error> {
    /// let response = client.enable_user("id").await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn enable_user(&self, id: &str) -> Request<InstallationUser> {
        Request::json(self, Method::POST, &["v5", "administration", "users", id, "enable"]).keyed()
    }
}
