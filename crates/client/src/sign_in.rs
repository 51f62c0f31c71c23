//! Sign-in with a code on another device, and the endpoints of tokens.

use std::time::Duration;

use reqwest::Method;

use crate::client::Client;
use crate::credentials::Tokens;
use crate::error::{Error, Result};
use crate::request::Request;
use crate::types::{DeviceCodes, Metadata, TokenState, Userinfo};

/// The client id of command lines, which every server knows (11.16).
pub const CLI_CLIENT_ID: &str = "daybook-cli";

/// A sign-in that waits for its user (RFC 8628).
///
/// ```
/// # daybook_tests::run_example(async |example| {
/// use daybook_client::{CLI_CLIENT_ID, Client};
///
/// let client = Client::builder(&example.url).build()?;
/// let sign_in = client.start_device_sign_in(CLI_CLIENT_ID, "email").await?;
/// let codes = sign_in.codes();
/// println!("Open {} and enter {}.", codes.verification_uri, codes.user_code);
/// # if false {
/// let tokens = sign_in.wait().await?;
/// let client = Client::builder(&example.url)
///     .tokens(CLI_CLIENT_ID, tokens, |tokens| println!("store {tokens:?}"))
///     .build()?;
/// # }
/// # Ok(()) });
/// ```
#[derive(Debug)]
pub struct DeviceSignIn {
    client: Client,
    client_id: String,
    codes: DeviceCodes,
}

impl DeviceSignIn {
    /// Returns the codes and the addresses to show to the user.
    ///
    /// ```
    /// # daybook_tests::run_example(async |example| {
    /// # let client = daybook_client::Client::builder(&example.url).build()?;
    /// let sign_in = client.start_device_sign_in("daybook-cli", "email").await?;
    /// assert!(sign_in.codes().verification_uri_complete.contains(&sign_in.codes().user_code));
    /// # Ok(()) });
    /// ```
    #[must_use]
    pub const fn codes(&self) -> &DeviceCodes {
        &self.codes
    }

    /// Asks once whether the user has decided. Returns `None` while the user has not.
    ///
    /// Ask at most once in `codes().interval` seconds.
    ///
    /// # Errors
    /// [`Error::OAuth`] with `access_denied`, `expired_token` or `slow_down`.
    ///
    /// ```
    /// # daybook_tests::run_example(async |example| {
    /// # let client = daybook_client::Client::builder(&example.url).build()?;
    /// let sign_in = client.start_device_sign_in("daybook-cli", "email").await?;
    /// assert!(sign_in.poll().await?.is_none());
    /// # Ok(()) });
    /// ```
    pub async fn poll(&self) -> Result<Option<Tokens>> {
        let form = [
            ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"),
            ("client_id", self.client_id.as_str()),
            ("device_code", self.codes.device_code.as_str()),
        ];
        match self.client.post_form(&["auth", "token"], &form).await {
            Ok(tokens) => Ok(Some(tokens)),
            Err(Error::OAuth(error)) if error.code == "authorization_pending" => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Waits until the user has decided, at most until the codes expire.
    ///
    /// # Errors
    /// [`Error::OAuth`] with `access_denied` or `expired_token`.
    ///
    /// ```no_run
    /// # async fn example(client: daybook_client::Client) -> Result<(), daybook_client::Error> {
    /// let sign_in = client.start_device_sign_in("daybook-cli", "email").await?;
    /// println!("Open {}", sign_in.codes().verification_uri_complete);
    /// let tokens = sign_in.wait().await?;
    /// # Ok(()) }
    /// ```
    pub async fn wait(self) -> Result<Tokens> {
        let seconds = u64::try_from(self.codes.interval).unwrap_or(5).clamp(1, 60);
        let mut interval = Duration::from_secs(seconds);
        loop {
            tokio::time::sleep(interval).await;
            match self.poll().await {
                Ok(Some(tokens)) => return Ok(tokens),
                Ok(None) | Err(Error::Transport { .. }) => {}
                Err(Error::OAuth(error)) if error.code == "slow_down" => {
                    interval = interval.saturating_add(Duration::from_secs(5));
                }
                // The endpoint is busy.
                Err(Error::OAuth(error)) if error.code == "temporarily_unavailable" => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl Client {
    /// Starts a sign-in that the user confirms on another device (11.19).
    ///
    /// ```
    /// # daybook_tests::run_example(async |example| {
    /// let client = daybook_client::Client::builder(&example.url).build()?;
    /// let sign_in = client.start_device_sign_in("daybook-cli", "email").await?;
    /// assert_eq!(sign_in.codes().user_code.len(), "BCDF-GHJK".len());
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    /// [`Error::OAuth`] for an unknown client.
    pub async fn start_device_sign_in(&self, client_id: &str, scope: &str) -> Result<DeviceSignIn> {
        let form = [("client_id", client_id), ("scope", scope)];
        let codes = self.post_form(&["auth", "device", "code"], &form).await?;
        Ok(DeviceSignIn { client: self.clone(), client_id: client_id.to_owned(), codes })
    }

    /// Redeems a refresh token, once. Clients with [`tokens`](crate::ClientBuilder::tokens) do it
    /// themselves.
    ///
    /// ```
    /// # daybook_tests::run_example(async |example| {
    /// let client = daybook_client::Client::builder(&example.url).build()?;
    /// assert!(client.refresh_tokens("daybook-cli", "used").await.is_err());
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    /// [`Error::OAuth`] with `invalid_grant` for a token that was used, revoked or has expired.
    pub async fn refresh_tokens(&self, client_id: &str, refresh_token: &str) -> Result<Tokens> {
        self.refresh(client_id, refresh_token).await
    }

    /// Redeems a code of the authorization endpoint (11.17).
    ///
    /// ```
    /// # daybook_tests::run_example(async |example| {
    /// let client = daybook_client::Client::builder(&example.url).build()?;
    /// let address = "http://127.0.0.1:4000/callback";
    /// assert!(client.redeem_code("daybook-cli", "code", address, "verifier").await.is_err());
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    /// [`Error::OAuth`] with `invalid_grant` for a code that was used or has expired.
    pub async fn redeem_code(
        &self,
        client_id: &str,
        code: &str,
        redirect_uri: &str,
        code_verifier: &str,
    ) -> Result<Tokens> {
        let form = [
            ("grant_type", "authorization_code"),
            ("client_id", client_id),
            ("code", code),
            ("redirect_uri", redirect_uri),
            ("code_verifier", code_verifier),
        ];
        self.post_form(&["auth", "token"], &form).await
    }

    /// Ends the grant of an access or refresh token, with all its tokens (11.18).
    ///
    /// ```
    /// # daybook_tests::run_example(async |example| {
    /// let client = daybook_client::Client::builder(&example.url).build()?;
    /// client.revoke_grant("daybook-cli", "unknown").await?;
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    /// [`Error::OAuth`] with `invalid_grant` for a token of another client.
    pub async fn revoke_grant(&self, client_id: &str, token: &str) -> Result<()> {
        let form = [("client_id", client_id), ("token", token)];
        self.send_form(&["auth", "revoke"], &form).await.map(|_| ())
    }

    /// Returns the state of a token, for clients with a secret (11.18).
    ///
    /// ```
    /// # daybook_tests::run_example(async |example| {
    /// let client = daybook_client::Client::builder(&example.url).build()?;
    /// assert!(client.introspect_token("daybook-cli", "none", "token").await.is_err());
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    /// [`Error::OAuth`] with `invalid_client` for an unknown client or a wrong secret.
    pub async fn introspect_token(
        &self,
        client_id: &str,
        client_secret: &str,
        token: &str,
    ) -> Result<TokenState> {
        let form = [("client_id", client_id), ("client_secret", client_secret), ("token", token)];
        self.post_form(&["auth", "introspect"], &form).await
    }

    /// Returns the user of the access token (11.21).
    ///
    /// ```
    /// # daybook_tests::run_example(async |example| {
    /// # let client = daybook_client::Client::builder(&example.url).token(&example.token).build()?;
    /// let user = client.userinfo().await?;
    /// println!("{}: {} seconds left", user.email, user.expires_in);
    /// # Ok(()) });
    /// ```
    pub fn userinfo(&self) -> Request<Userinfo> {
        Request::json(self, Method::GET, &["auth", "userinfo"])
    }

    /// Returns the endpoints and capabilities of the issuer (11.21).
    ///
    /// ```
    /// # daybook_tests::run_example(async |example| {
    /// let client = daybook_client::Client::builder(&example.url).build()?;
    /// let metadata = client.openid_configuration().await?;
    /// assert_eq!(metadata.issuer, example.url);
    /// # Ok(()) });
    /// ```
    pub fn openid_configuration(&self) -> Request<Metadata> {
        Request::json(self, Method::GET, &[".well-known", "openid-configuration"])
    }

    /// Returns the public keys of the server, a JSON Web Key Set (11.15).
    ///
    /// ```
    /// # daybook_tests::run_example(async |example| {
    /// let client = daybook_client::Client::builder(&example.url).build()?;
    /// let keys = client.jwks().await?;
    /// assert!(keys["keys"].is_array());
    /// # Ok(()) });
    /// ```
    pub fn jwks(&self) -> Request<serde_json::Value> {
        Request::json(self, Method::GET, &[".well-known", "jwks.json"])
    }
}
