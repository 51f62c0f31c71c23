//! The request that takes an event to an app (behaviour 8.6).

use std::sync::Arc;

use actix_web::web::Bytes;
use daybook_domain::app::App;
use daybook_domain::delivery::{JWT_MINUTES, TOKEN_MINUTES};
use daybook_domain::instant::Instant;
use daybook_domain::signing_key::SigningAlgorithm;
use daybook_service::Context;
use daybook_service::delivery::bearer::Installed;
use daybook_service::delivery::{Leased, Payload, WebhookRequest};
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderValue, Request};
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::signature::AppSecret;
use crate::blocking::block;
use crate::budget::{MemoryOwner, MemoryShare};
use crate::error::{ApiError, RequestError};
use crate::event;
use crate::identity::own_token::Acting;
use crate::response_budget::{self, EncodeError, ResponseBudget};
use crate::signing_key;
use crate::state::AppState;

/// Bytes of a body that are not counted on the memory of whoever installed the app.
const MAX_UNCOUNTED: usize = 256 * 1024;

/// The request, and what in it is nobody else's business.
pub(super) struct Written {
    pub(super) request: Request<Bytes>,
    pub(super) secrets: Vec<String>,
    /// The memory of a large body, until it has been sent.
    pub(super) memory: Option<MemoryShare>,
}

/// Why there is no request.
pub(super) enum BuildError {
    /// The address of the app cannot be asked.
    Address,
    /// The secret of the app does not open.
    Secret(String),
    /// The memory of who installed the app is in use.
    Crowded,
    /// The event would be longer than an answer may be.
    TooLarge,
    /// The server fails.
    Failed(ApiError),
}

impl<E: Into<ApiError>> From<E> for BuildError {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

impl BuildError {
    /// Why a body could not be written.
    fn of(fault: EncodeError) -> Self {
        match fault {
            EncodeError::Crowded => Self::Crowded,
            EncodeError::TooLarge => Self::TooLarge,
            EncodeError::Fault(_) => failed(fault).into(),
        }
    }
}

/// The claims of the JWT that says who sends what to whom.
#[derive(Serialize)]
struct ParcelClaims<'c> {
    iss: &'c str,
    aud: &'c str,
    sub: &'c str,
    iat: i64,
    exp: i64,
    jti: &'c str,
    /// The SHA-256 of the body, in hex.
    body_sha256: String,
}

fn failed(error: impl std::error::Error) -> RequestError {
    RequestError::Failed(error.to_string())
}

fn minutes(now: Instant, minutes: i64) -> Instant {
    Instant::new(now.milliseconds().saturating_add(minutes * 60_000))
}

/// Writes the body on a thread that may block, and answers the id of the event with it. A large
/// one takes its memory as it grows, and holds it.
///
/// # Errors
/// [`BuildError`].
async fn body(
    (cx, base): (Context, String),
    content: Payload,
    memory: MemoryShare,
) -> Result<(String, Bytes, Option<MemoryShare>), BuildError> {
    let write = move || match &content {
        Payload::Copy(copy) => {
            let text = response_budget::copied(|text| text.write_all(copy.body.as_bytes()))?;
            Ok((copy.id.clone(), text))
        }
        Payload::Event(view) => event::delivered(view, &cx, &base),
    };
    let (written, memory) =
        block(move || ResponseBudget::of_delivery(memory).around(write)).await?;
    let (id, body) = written.map_err(BuildError::of)?;
    let mut memory = memory.filter(|_| body.len() > MAX_UNCOUNTED);
    if let Some(memory) = &mut memory {
        memory.cover(body.len()).map_err(|_| BuildError::Crowded)?;
    }
    Ok((id, body, memory))
}

/// Writes the request.
///
/// # Errors
/// [`BuildError`].
pub(super) async fn request(
    state: &Arc<AppState>,
    leased: &Leased,
    parcel: WebhookRequest,
) -> Result<Written, BuildError> {
    let Leased { delivery, lease, .. } = leased;
    let now = (state.clock)();
    let WebhookRequest { content, app, url, integration, cx } = parcel;
    let memory = state.budget.grant(MemoryOwner::User(cx.payer()));
    let (id, body, memory) =
        body((cx.clone(), state.mail_address.clone()), content, memory).await?;
    let installed =
        integration.map(|integration| Installed { book: delivery.key.clone(), integration });
    let depth = delivery.depth.saturating_add(1);
    let acting = Acting { agent: app.id.clone(), depth, installed, lease: Some(*lease) };
    let token = state.identity.key().sign_for_app(
        cx.user.id,
        (&cx.user.email, acting),
        (now, minutes(now, TOKEN_MINUTES)),
    );
    let token = token.map_err(failed)?;
    let claims = ParcelClaims {
        iss: &state.mail_address,
        aud: &url,
        sub: app.id.as_str(),
        iat: now.seconds(),
        exp: minutes(now, JWT_MINUTES).seconds(),
        jti: &id,
        body_sha256: Sha256::digest(&body).iter().map(|byte| format!("{byte:02x}")).collect(),
    };
    let jwt = signing_key::sign(state, SigningAlgorithm::EdDsa, "JWT", &claims).await?;
    let mut request = Request::post(&url)
        .header(CONTENT_TYPE, "application/json")
        .header(AUTHORIZATION, format!("Bearer {jwt}"))
        .header("webhook-id", &id)
        .header("webhook-timestamp", now.seconds());
    let names = &state.headers;
    let mut secrets = vec![token.clone(), jwt];
    let mut own = vec![(&names.oauth_token, token), (&names.agent, app.id.to_string())];
    if let Some(secret) = secret(state, &app)? {
        request = request.header("webhook-signature", secret.standard(&id, now.seconds(), &body));
        own.push((&names.signature, secret.own(now.seconds(), &body)));
        secrets.extend(secret.into_texts());
    }
    for (names, value) in own {
        let value = HeaderValue::try_from(value);
        let value = value.map_err(failed)?;
        for name in names {
            request = request.header(name.as_str(), value.clone());
        }
    }
    // The address alone comes from outside.
    let request = request.body(body).map_err(|_| BuildError::Address)?;
    Ok(Written { request, secrets, memory })
}

/// Where the secret of an app is sealed for.
pub(crate) fn place_of_secret(app: &str) -> [&str; 3] {
    ["apps", "client_secret", app]
}

fn secret(state: &AppState, app: &App) -> Result<Option<AppSecret>, BuildError> {
    let Some(sealed) = &app.client_secret else { return Ok(None) };
    let opened = state.identity.key().sealer().open(&place_of_secret(app.id.as_str()), sealed);
    let opened = opened.map_err(|error| BuildError::Secret(error.to_string()))?;
    let text = String::from_utf8(opened).map_err(|error| BuildError::Secret(error.to_string()))?;
    Ok(Some(AppSecret::new(text)))
}
