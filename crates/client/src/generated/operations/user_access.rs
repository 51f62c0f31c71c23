//! Operations of the contract: user access.

use reqwest::Method;

use crate::client::Client;
use crate::request::Request;
use crate::types::{
    ApiKey, ApiKeyList, ApiKeyRequest, BookTransferList, Consent, ConsentList, CreatedApiKey,
    IssuedToken, Session, SessionList, Token, TokenList, TokenRequest,
};

impl Client {
    /// Lists the apps that may use the caller's books.
    ///
    /// Returns the consents that the caller has given to OAuth clients (11.29). Clients and apps
    /// may not call it.
    ///
    /// `GET /v5/user/consents` is `listConsents`.
    ///
    /// ```no_run
    /// # async fn example(client: &daybook_client::Client) -> Result<(), daybook_client::Error> {
    /// let response = client.list_consents().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn list_consents(&self) -> Request<ConsentList> {
        Request::json(self, Method::GET, &["v5", "user", "consents"])
    }

    /// Withdraws a consent.
    ///
    /// Ends all tokens of the client. They return 401 from then on, in every process within 5
    /// seconds (11.29).
    ///
    /// `DELETE /v5/user/consents/{id}` is `withdrawConsent`.
    ///
    /// ```no_run
    /// # async fn example(client: &daybook_client::Client) -> Result<(), daybook_client::Error> {
    /// let response = client.withdraw_consent("id").await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn withdraw_consent(&self, id: &str) -> Request<Consent> {
        Request::json(self, Method::DELETE, &["v5", "user", "consents", id]).keyed()
    }

    /// Lists the caller's API keys.
    ///
    /// Returns the valid keys, and those revoked in the last 30 days, with their calls (10.13).
    ///
    /// `GET /v5/user/keys` is `listApiKeys`.
    ///
    /// ```no_run
    /// # async fn example(client: &daybook_client::Client) -> Result<(), daybook_client::Error> {
    /// let response = client.list_api_keys().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn list_api_keys(&self) -> Request<ApiKeyList> {
        Request::json(self, Method::GET, &["v5", "user", "keys"])
    }

    /// Creates an API key.
    ///
    /// Only this response contains the key itself (10.13).
    ///
    /// `POST /v5/user/keys` is `createApiKey`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     client: &daybook_client::Client,
    /// #     body: daybook_client::types::ApiKeyRequest,
    /// # ) -> Result<(), daybook_client::Error> {
    /// let response = client.create_api_key(&body).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn create_api_key(&self, body: &ApiKeyRequest) -> Request<CreatedApiKey> {
        Request::json(self, Method::POST, &["v5", "user", "keys"]).body(body).keyed()
    }

    /// Revokes an API key.
    ///
    /// The key is ignored from then on, in every process within 5 seconds (10.13).
    ///
    /// `DELETE /v5/user/keys/{id}` is `revokeApiKey`.
    ///
    /// ```no_run
    /// # async fn example(client: &daybook_client::Client) -> Result<(), daybook_client::Error> {
    /// let response = client.revoke_api_key("id").await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn revoke_api_key(&self, id: &str) -> Request<ApiKey> {
        Request::json(self, Method::DELETE, &["v5", "user", "keys", id]).keyed()
    }

    /// Gets an API key.
    ///
    /// Returns one of listApiKeys (10.13).
    ///
    /// `GET /v5/user/keys/{id}` is `getApiKey`.
    ///
    /// ```no_run
    /// # async fn example(client: &daybook_client::Client) -> Result<(), daybook_client::Error> {
    /// let response = client.get_api_key("id").await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn get_api_key(&self, id: &str) -> Request<ApiKey> {
        Request::json(self, Method::GET, &["v5", "user", "keys", id])
    }

    /// Lists the caller's browser sessions.
    ///
    /// Returns the sessions that have neither ended nor expired, at most 1,000 (11.28). Clients and
    /// apps may not call it.
    ///
    /// `GET /v5/user/sessions` is `listSessions`.
    ///
    /// ```no_run
    /// # async fn example(client: &daybook_client::Client) -> Result<(), daybook_client::Error> {
    /// let response = client.list_sessions().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn list_sessions(&self) -> Request<SessionList> {
        Request::json(self, Method::GET, &["v5", "user", "sessions"])
    }

    /// Ends a browser session.
    ///
    /// Signs the browser out. Its access tokens return 401 from then on, in every process within 5
    /// seconds (11.28).
    ///
    /// `DELETE /v5/user/sessions/{id}` is `endSession`.
    ///
    /// ```no_run
    /// # async fn example(client: &daybook_client::Client) -> Result<(), daybook_client::Error> {
    /// let response = client.end_session("id").await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn end_session(&self, id: &str) -> Request<Session> {
        Request::json(self, Method::DELETE, &["v5", "user", "sessions", id]).keyed()
    }

    /// Lists the caller's access tokens.
    ///
    /// Returns the valid tokens, and those that ended in the last 30 days (11.8).
    ///
    /// `GET /v5/user/tokens` is `listTokens`.
    ///
    /// ```no_run
    /// # async fn example(client: &daybook_client::Client) -> Result<(), daybook_client::Error> {
    /// let response = client.list_tokens().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn list_tokens(&self) -> Request<TokenList> {
        Request::json(self, Method::GET, &["v5", "user", "tokens"])
    }

    /// Issues an access token.
    ///
    /// Only this response contains the token itself (11.8).
    ///
    /// `POST /v5/user/tokens` is `createToken`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     client: &daybook_client::Client,
    /// #     body: daybook_client::types::TokenRequest,
    /// # ) -> Result<(), daybook_client::Error> {
    /// let response = client.create_token(&body).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn create_token(&self, body: &TokenRequest) -> Request<IssuedToken> {
        Request::json(self, Method::POST, &["v5", "user", "tokens"]).body(body).keyed()
    }

    /// Revokes an access token.
    ///
    /// The token returns 401 from then on, in every process within 5 seconds (11.8).
    ///
    /// `DELETE /v5/user/tokens/{id}` is `revokeToken`.
    ///
    /// ```no_run
    /// # async fn example(client: &daybook_client::Client) -> Result<(), daybook_client::Error> {
    /// let response = client.revoke_token("id").await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn revoke_token(&self, id: &str) -> Request<Token> {
        Request::json(self, Method::DELETE, &["v5", "user", "tokens", id]).keyed()
    }

    /// Gets an access token.
    ///
    /// Returns one of listTokens (11.8).
    ///
    /// `GET /v5/user/tokens/{id}` is `getToken`.
    ///
    /// ```no_run
    /// # async fn example(client: &daybook_client::Client) -> Result<(), daybook_client::Error> {
    /// let response = client.get_token("id").await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn get_token(&self, id: &str) -> Request<Token> {
        Request::json(self, Method::GET, &["v5", "user", "tokens", id])
    }

    /// Lists the books offered to the caller.
    ///
    /// Extension of v5. The newest offer first, at most 1,000 (6.28).
    ///
    /// `GET /v5/user/transfers` is `listBookTransfers`.
    ///
    /// ```no_run
    /// # async fn example(client: &daybook_client::Client) -> Result<(), daybook_client::Error> {
    /// let response = client.list_book_transfers().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn list_book_transfers(&self) -> Request<BookTransferList> {
        Request::json(self, Method::GET, &["v5", "user", "transfers"])
    }
}
