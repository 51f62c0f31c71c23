//! Access tokens, and their renewal.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tokio::sync::RwLock;

/// The tokens of a sign-in (RFC 6749, 5.1).
///
/// The access token is valid for an hour; the refresh token for 90 days and one use (11.18).
///
/// ```
/// let tokens: daybook_client::Tokens = serde_json::from_str(
///     r#"{"access_token": "a", "token_type": "Bearer", "expires_in": 3600,
///         "refresh_token": "r", "scope": "email"}"#,
/// )?;
/// assert_eq!(tokens.refresh_token, "r");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tokens {
    /// The token of requests.
    pub access_token: String,
    /// The token that renews it, once.
    pub refresh_token: String,
    /// Seconds for which the access token is valid.
    #[serde(default)]
    pub expires_in: u64,
    /// The granted scope.
    #[serde(default)]
    pub scope: String,
}

/// Without the secrets.
impl fmt::Debug for Tokens {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Tokens")
            .field("expires_in", &self.expires_in)
            .field("scope", &self.scope)
            .finish_non_exhaustive()
    }
}

/// Called with each new pair of tokens, to store them.
pub(crate) type OnRenewal = Arc<dyn Fn(&Tokens) + Send + Sync>;

/// Reads the stored tokens.
pub(crate) type ReadStored = Arc<dyn Fn() -> Option<Tokens> + Send + Sync>;

/// How a client authenticates.
#[derive(Default)]
pub(crate) enum Credentials {
    /// Without a token.
    #[default]
    Anonymous,
    /// With a token of the operator or the user.
    Token(String),
    /// With the tokens of a sign-in.
    Renewed(Renewed),
}

/// Tokens that the client renews.
pub(crate) struct Renewed {
    pub(crate) client_id: String,
    pub(crate) tokens: RwLock<Tokens>,
    pub(crate) on_renewal: Option<OnRenewal>,
    pub(crate) read_stored: Option<ReadStored>,
}

impl Credentials {
    /// Returns the access token of the next request.
    pub(crate) async fn access_token(&self) -> Option<String> {
        match self {
            Self::Anonymous => None,
            Self::Token(token) => Some(token.clone()),
            Self::Renewed(renewed) => Some(renewed.tokens.read().await.access_token.clone()),
        }
    }
}
