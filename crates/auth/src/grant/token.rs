//! The token endpoint: redeems authorization codes, refresh tokens and device codes.

use actix_web::{HttpRequest, HttpResponse, web};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use daybook_domain::grant::{Grant, Refusal};
use daybook_domain::id::GrantId;
use daybook_domain::instant::Instant;
use daybook_edge::client_address::client_address;
use daybook_edge::error::{ApiError, RequestError};
use daybook_edge::form::Form;
use daybook_edge::request_head::host;
use daybook_edge::run;
use daybook_service::grant;
use daybook_storage::user::User;

use super::client_auth::authenticate_client;
use super::fields::Fields;
use super::oauth_error::{into_oauth_response, refuse, refuse_with_code};
use super::signed_tokens::{AuthorizationCode, RefreshToken};
use super::tokens;
use crate::security;
use crate::session::secret::digest;
use crate::signing_key;
use crate::state::Auth;

/// The grant type of devices (RFC 8628, 3.4).
const DEVICE_CODE: &str = "urn:ietf:params:oauth:grant-type:device_code";
/// The redeemed grant and its user, or the refusal for the client.
type Redeemed = Result<(Grant, User), Refusal>;

/// POST /auth/token: issues tokens.
pub async fn token(
    request: HttpRequest,
    state: web::Data<Auth>,
    form: Result<Form, ApiError>,
) -> HttpResponse {
    into_oauth_response(issue_tokens(&request, &state, form).await)
}

async fn issue_tokens(
    request: &HttpRequest,
    state: &Auth,
    form: Result<Form, ApiError>,
) -> Result<HttpResponse, ApiError> {
    let (fields, now) = (&Fields(form?.0), (state.edge.clock)());
    let client = match authenticate_client(request, fields, state)? {
        Ok(registered) => registered.client.id.clone(),
        Err(invalid) => return Ok(invalid.response()),
    };
    let mut nonce = None;
    let redeemed = match fields.get("grant_type") {
        Some("authorization_code") => match verify_code(fields, state, now) {
            Ok((grant_id, code_nonce)) => {
                nonce = code_nonce;
                redeem(state, grant_id, 0, client, now).await?
            }
            Err(refusal) => Err(refusal),
        },
        Some("refresh_token") => match fields.required("refresh_token") {
            Ok(text) => refresh(state, text, client, now).await?,
            Err(refusal) => Err(refusal),
        },
        Some(DEVICE_CODE) => match fields.required("device_code") {
            Ok(code) => {
                let address = client_address(request, &state.edge);
                state.grant_limits.polls.take(address).map_err(RequestError::from)?;
                poll(state, code, client, now).await?
            }
            Err(refusal) => Err(refusal),
        },
        Some(_) => {
            let text = "grant_type must be authorization_code, refresh_token or \
                urn:ietf:params:oauth:grant-type:device_code";
            return Ok(refuse_with_code("unsupported_grant_type", text));
        }
        None => Err(Refusal::InvalidRequest("grant_type is missing".to_owned())),
    };
    match redeemed {
        Ok((grant, user)) => {
            security::note_caller(request, user.id);
            security::note_change(request, "tokensGiven");
            let issuer = state.edge.site.base(host(request));
            tokens::respond(state, &grant, &user, &issuer, nonce.as_deref(), now).await
        }
        Err(refusal) => {
            if refusal == Refusal::Reused {
                // Access tokens of the ended grant must not be accepted from the cache.
                state.identity.clear_bearers();
            }
            Ok(refuse(&refusal))
        }
    }
}

/// Verifies a code against its code verifier and redirect URI, and returns its grant and nonce.
fn verify_code(
    fields: &Fields,
    state: &Auth,
    now: Instant,
) -> Result<(GrantId, Option<String>), Refusal> {
    let text = fields.required("code")?;
    let verifier = fields.required("code_verifier")?;
    let uri = fields.required("redirect_uri")?;
    let code = AuthorizationCode::read(text, state, now).ok_or(Refusal::InvalidGrant)?;
    if code.redirect_uri != uri || BASE64_URL_SAFE_NO_PAD.encode(digest(verifier)) != code.challenge
    {
        return Err(Refusal::InvalidGrant);
    }
    let grant = code.grant().ok_or(Refusal::InvalidGrant)?;
    Ok((grant, code.nonce))
}

async fn refresh(
    state: &Auth,
    text: &str,
    client: String,
    now: Instant,
) -> Result<Redeemed, ApiError> {
    let token = RefreshToken::read(text, state, now);
    match token.and_then(|token| Some((token.grant()?, token.rotation))) {
        Some((grant_id, rotation)) => redeem(state, grant_id, rotation, client, now).await,
        None => Ok(Err(Refusal::InvalidGrant)),
    }
}

/// Redeems a rotation of a grant: 0 is its code, the others are its refresh tokens.
async fn redeem(
    state: &Auth,
    grant_id: GrantId,
    rotation: i64,
    client: String,
    now: Instant,
) -> Result<Redeemed, ApiError> {
    let found = run::read(&state.edge, move |tx| grant::find(tx, grant_id, now)).await?;
    let Some((found, _)) = found else { return Ok(Err(Refusal::InvalidGrant)) };
    let shard_key = grant::shard_key(found.user);
    if found.scope.has("openid") {
        signing_key::load_signing_keys(state).await?;
    }
    run::write(&state.edge, shard_key, move |tx| {
        grant::redeem(tx, grant_id, rotation, &client, now)
    })
    .await
}

async fn poll(
    state: &Auth,
    code: &str,
    client: String,
    now: Instant,
) -> Result<Redeemed, ApiError> {
    let digest = digest(code);
    // Read first, so that an unknown code costs no write.
    let is_pending = run::read(&state.edge, move |tx| grant::has_device(tx, &digest)).await?;
    if !is_pending {
        return Ok(Err(Refusal::InvalidGrant));
    }
    run::write(&state.edge, grant::poll_shard_key(&digest), move |tx| {
        grant::poll(tx, &digest, &client, now)
    })
    .await
}
