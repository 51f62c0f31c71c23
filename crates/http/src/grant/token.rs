//! POST /auth/token: programs redeem codes and refresh tokens.

use actix_web::{HttpRequest, HttpResponse, web};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use daybook_domain::grant::{Grant, Refusal};
use daybook_domain::id::GrantId;
use daybook_domain::instant::Instant;
use daybook_service::grant;
use daybook_storage::ShardKey;
use daybook_storage::user::User;

use super::client_auth::client;
use super::fields::Fields;
use super::refused::{answered, refused, refused_with};
use super::signed::{AuthorizationCode, RefreshToken};
use super::tokens;
use crate::client_address::client_address;
use crate::error::{ApiError, RequestError};
use crate::form::Form;
use crate::request_head::host;
use crate::run;
use crate::security::{note_caller, note_change};
use crate::session::secret::digest;
use crate::signing_key;
use crate::state::AppState;

/// The grant type of devices (RFC 8628, 3.4).
const DEVICE_CODE: &str = "urn:ietf:params:oauth:grant-type:device_code";
/// The grant whose tokens a program gets, and its user; or why it gets none.
type Redeemed = Result<(Grant, User), Refusal>;

/// POST /auth/token.
pub(crate) async fn token(
    request: HttpRequest,
    state: web::Data<AppState>,
    form: Result<Form, ApiError>,
) -> HttpResponse {
    answered(redeemed(&request, &state, form).await)
}

async fn redeemed(
    request: &HttpRequest,
    state: &AppState,
    form: Result<Form, ApiError>,
) -> Result<HttpResponse, ApiError> {
    let (fields, now) = (&Fields(form?.0), (state.clock)());
    let client = match client(request, fields, state)? {
        Ok(known) => known.client.id.clone(),
        Err(unproven) => return Ok(unproven.answer()),
    };
    let mut nonce = None;
    let redeemed = match fields.get("grant_type") {
        Some("authorization_code") => match proven_code(fields, state, now) {
            Ok((id, asked)) => {
                nonce = asked;
                redeem(state, (id, 0), client, now).await?
            }
            Err(refusal) => Err(refusal),
        },
        Some("refresh_token") => match fields.required("refresh_token") {
            Ok(text) => refresh(state, text, client, now).await?,
            Err(refusal) => Err(refusal),
        },
        Some(DEVICE_CODE) => match fields.required("device_code") {
            Ok(code) => {
                let address = client_address(request, state);
                state.grant_limits.polls.take(address).map_err(RequestError::from)?;
                poll(state, code, client, now).await?
            }
            Err(refusal) => Err(refusal),
        },
        Some(_) => {
            let text = "grant_type is authorization_code, refresh_token or that of device codes";
            return Ok(refused_with("unsupported_grant_type", text));
        }
        None => Err(Refusal::InvalidRequest("grant_type is missing".to_owned())),
    };
    match redeemed {
        Ok((grant, user)) => {
            note_caller(request, user.id);
            note_change(request, "tokensGiven");
            let asked = (state.base(host(request)), nonce);
            let asked = (asked.0.as_str(), asked.1.as_deref());
            tokens::answer(state, (&grant, &user), asked, now).await
        }
        Err(refusal) => {
            if refusal == Refusal::Reused {
                state.identity.forget();
            }
            Ok(refused(&refusal))
        }
    }
}

/// The grant and the nonce of a code, when the client proves that it has asked for it: by the
/// verifier of the challenge, and by the address to which the code was sent.
fn proven_code(
    fields: &Fields,
    state: &AppState,
    now: Instant,
) -> Result<(GrantId, Option<String>), Refusal> {
    let text = fields.required("code")?;
    let verifier = fields.required("code_verifier")?;
    let uri = fields.required("redirect_uri")?;
    let code = AuthorizationCode::read(text, state, now).ok_or(Refusal::InvalidGrant)?;
    let proven = code.redirect_uri == uri
        && BASE64_URL_SAFE_NO_PAD.encode(digest(verifier)) == code.challenge;
    let grant = code.grant().filter(|_| proven).ok_or(Refusal::InvalidGrant)?;
    Ok((grant, code.nonce))
}

async fn refresh(
    state: &AppState,
    text: &str,
    client: String,
    now: Instant,
) -> Result<Redeemed, ApiError> {
    let token = RefreshToken::read(text, state, now);
    let named = token.and_then(|token| Some((token.grant()?, token.rotation)));
    match named {
        Some(named) => redeem(state, named, client, now).await,
        None => Ok(Err(Refusal::InvalidGrant)),
    }
}

/// Redeems a code or a refresh token, in the lane of its user.
async fn redeem(
    state: &AppState,
    named: (GrantId, i64),
    client: String,
    now: Instant,
) -> Result<Redeemed, ApiError> {
    let found = run::read(state, move |tx| grant::find(tx, named.0, now)).await?;
    let Some((found, _)) = found else { return Ok(Err(Refusal::InvalidGrant)) };
    let lane = ShardKey::of_user(found.user);
    if found.scope.has("openid") {
        signing_key::prepare(state).await?;
    }
    run::write(state, lane, move |tx| grant::redeem(tx, named, &client, now)).await
}

async fn poll(
    state: &AppState,
    code: &str,
    client: String,
    now: Instant,
) -> Result<Redeemed, ApiError> {
    let digest = digest(code);
    // A code that is unknown costs a look, and no write.
    let known = run::read(state, move |tx| grant::is_waiting(tx, &digest)).await?;
    if !known {
        return Ok(Err(Refusal::InvalidGrant));
    }
    run::write(state, ShardKey::of_device(&digest), move |tx| {
        grant::poll(tx, &digest, &client, now)
    })
    .await
}
