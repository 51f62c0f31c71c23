//! The access tokens that users issue themselves (behaviour 11.8).

use std::collections::BTreeSet;

use daybook_domain::id::BookKey;
use daybook_domain::instant::Instant;
use daybook_domain::token::{AccessToken, TokenRequest, TokenScope};
use daybook_edge::error::{ApiError, RequestError};
use daybook_service::{Context, token};
use serde::{Deserialize, Serialize};

use crate::body::MaybeBody;
use crate::reply::{self, ApiResult, Reply};
use crate::request::ApiRequest;
use crate::wire::{ListOut, objects_only};

/// The body of a new token.
#[derive(Debug, Default, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase")]
pub(crate) struct TokenIn {
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    days: Option<i64>,
    #[serde(default)]
    read_only: Option<bool>,
    #[serde(default)]
    books: Option<Vec<String>>,
}

objects_only!(TokenIn);

impl From<TokenIn> for TokenRequest {
    fn from(body: TokenIn) -> Self {
        let TokenIn { name, days, read_only, books } = body;
        let books: Option<BTreeSet<BookKey>> =
            books.map(|books| books.into_iter().map(BookKey::new).collect());
        let scope =
            TokenScope { read_only: read_only.unwrap_or(false), books, ..TokenScope::default() };
        Self { name, days, scope }
    }
}

/// A token without its text.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct TokenOut {
    id: String,
    name: String,
    read_only: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    books: Option<Vec<String>>,
    active: bool,
    created_at: String,
    expires_at: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    revoked_at: Option<String>,
}

impl TokenOut {
    fn new(token: &AccessToken, cx: &Context) -> Self {
        let milliseconds = |instant: Instant| instant.milliseconds().to_string();
        let AccessToken { id, user: _, name, scope, created_at, expires_at, revoked_at } = token;
        Self {
            id: id.to_string(),
            name: name.clone(),
            read_only: scope.read_only,
            books: scope.books.as_ref().map(|keys| keys.iter().map(BookKey::to_string).collect()),
            active: token.is_active(cx.now),
            created_at: milliseconds(*created_at),
            expires_at: milliseconds(*expires_at),
            revoked_at: revoked_at.map(milliseconds),
        }
    }
}

/// A new token, which is the only response with its text.
#[derive(Serialize)]
struct IssuedOut {
    #[serde(flatten)]
    token: TokenOut,
    #[serde(rename = "token")]
    text: String,
}

fn to_reply(token: &AccessToken, cx: &Context) -> Reply {
    reply::ok(&TokenOut::new(token, cx))
}

/// GET user/tokens.
pub(crate) async fn list_tokens(request: ApiRequest) -> ApiResult {
    let encode = |tokens: &Vec<AccessToken>, cx: &Context| {
        let tokens = tokens.iter().map(|token| TokenOut::new(token, cx)).collect();
        reply::ok(&ListOut::complete(tokens))
    };
    request.read(token::list, encode).await
}

/// GET user/tokens/{id}.
pub(crate) async fn get_token(request: ApiRequest) -> ApiResult {
    let id = request.id();
    request.read(move |tx, cx| token::get(tx, cx, &id), to_reply).await
}

/// POST user/tokens.
///
/// The response that an idempotency key stores does not have the text of the token. The text is
/// signed again for each response, and is always the same.
pub(crate) async fn create_token(request: ApiRequest, body: MaybeBody<TokenIn>) -> ApiResult {
    request.check_credentials()?;
    let token_request = TokenRequest::from(body.0.unwrap_or_default());
    let (state, user) = (request.state.clone(), request.cx.user.clone());
    let stored = request
        .write(token::TARGET, move |tx, cx| token::issue(tx, cx, token_request), to_reply)
        .await?;
    stored.amend(|token: TokenOut| {
        let malformed =
            || ApiError::from(RequestError::Failed("malformed response of a token".to_owned()));
        let instant = |text: &str| text.parse().map(Instant::new).map_err(|_| malformed());
        let id = token.id.parse().map_err(|_| malformed())?;
        let (created_at, expires_at) = (instant(&token.created_at)?, instant(&token.expires_at)?);
        let text = state
            .auth
            .identity
            .key()
            .sign(id, &user.email, created_at, expires_at)
            .map_err(|error| RequestError::Failed(error.to_string()))?;
        Ok(IssuedOut { token, text })
    })
}

/// DELETE user/tokens/{id}.
pub(crate) async fn revoke_token(request: ApiRequest) -> ApiResult {
    request.check_credentials()?;
    let (id, state) = (request.id(), request.state.clone());
    let reply =
        request.write(token::TARGET, move |tx, cx| token::revoke(tx, cx, &id), to_reply).await?;
    state.auth.identity.clear_bearers();
    Ok(reply)
}
