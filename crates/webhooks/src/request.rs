//! The request that carries an event to an app (behaviour 8.6).

use actix_web::web::Bytes;
use daybook_auth::identity::{ActingApp, app_secret_context};
use daybook_auth::signing_key;
use daybook_domain::app::App;
use daybook_domain::delivery::{JWT_MINUTES, TOKEN_MINUTES};
use daybook_domain::instant::Instant;
use daybook_domain::signing_key::SigningAlgorithm;
use daybook_edge::blocking::block;
use daybook_edge::budget::Reservation;
use daybook_edge::error::{ApiError, RequestError};
use daybook_edge::response_budget::{EncodeError, ResponseBudget, ResponseText};
use daybook_service::Context;
use daybook_service::delivery::bearer::Installed;
use daybook_service::delivery::{Leased, Payload, WebhookRequest};
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderValue, Request};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::signature::AppSecret;
use crate::state::{EncodeEvent, Webhooks};

/// A built request.
pub(crate) struct Built {
    pub(crate) request: Request<Bytes>,
    /// The secrets in it, to be removed from what readers of the book see.
    pub(crate) secrets: Vec<String>,
    /// The reserved memory of a large body, until it has been sent.
    pub(crate) memory: Option<Reservation>,
}

/// Why a request could not be built.
pub(crate) enum BuildError {
    /// The address of the app is not a valid URL.
    Address,
    /// The secret of the app cannot be opened.
    Secret(String),
    /// The memory share of the user who installed the app is used up.
    MemoryExhausted,
    /// The event exceeds the size limit of a response.
    TooLarge,
    /// This server failed.
    Failed(ApiError),
}

impl<E: Into<ApiError>> From<E> for BuildError {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

impl BuildError {
    /// Converts the failure to encode a body.
    fn from_encoding(fault: EncodeError) -> Self {
        match fault {
            EncodeError::MemoryExhausted => Self::MemoryExhausted,
            EncodeError::TooLarge => Self::TooLarge,
            EncodeError::Fault(_) => failed(fault).into(),
        }
    }
}

/// The claims of the JWT that authenticates the request to the app.
#[derive(Serialize)]
struct WebhookClaims<'c> {
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

fn after_minutes(now: Instant, minutes: i64) -> Instant {
    Instant::new(now.milliseconds().saturating_add(minutes * 60_000))
}

/// Encodes the body on the blocking pool, within the memory of the user who installed the app.
///
/// Returns the id of the event, the body and its memory.
///
/// # Errors
/// [`BuildError`].
async fn encode_body(
    encode_event: EncodeEvent,
    cx: Context,
    base: String,
    content: Payload,
    memory: Reservation,
) -> Result<(String, Bytes, Option<Reservation>), BuildError> {
    let encode = move || match &content {
        Payload::Copy(copy) => {
            let mut text = ResponseText::empty();
            text.push(copy.body.as_bytes())?;
            Ok((copy.id.clone(), text.finish()))
        }
        Payload::Event(view) => encode_event(view, &cx, &base),
    };
    let (encoded, memory) = block(move || ResponseBudget::new(memory).with(encode)).await?;
    let (id, body) = encoded.map_err(BuildError::from_encoding)?;
    Ok((id, body, memory))
}

/// Builds the request of a delivery.
///
/// # Errors
/// [`BuildError`].
pub(crate) async fn build(
    webhooks: &Webhooks,
    leased: &Leased,
    request: WebhookRequest,
) -> Result<Built, BuildError> {
    let Leased { delivery, lease, .. } = leased;
    let now = (webhooks.edge.clock)();
    let WebhookRequest { content, app, url, integration, cx } = request;
    let memory = webhooks.edge.budget.reservation(cx.quota_subject());
    let (id, body, memory) = encode_body(
        webhooks.encode,
        cx.clone(),
        webhooks.edge.site.canonical_url.clone(),
        content,
        memory,
    )
    .await?;
    let installed =
        integration.map(|integration| Installed { book: delivery.key.clone(), integration });
    let depth = delivery.depth.saturating_add(1);
    let acting = ActingApp { agent: app.id.clone(), depth, installed, lease: Some(*lease) };
    let token = webhooks.auth.identity.key().sign_for_app(
        cx.user.id,
        &cx.user.email,
        acting,
        (now, after_minutes(now, TOKEN_MINUTES)),
    );
    let token = token.map_err(failed)?;
    let claims = WebhookClaims {
        iss: &webhooks.edge.site.canonical_url,
        aud: &url,
        sub: app.id.as_str(),
        iat: now.seconds(),
        exp: after_minutes(now, JWT_MINUTES).seconds(),
        jti: &id,
        body_sha256: format!("{:x}", Sha256::digest(&body)),
    };
    let jwt = signing_key::sign(&webhooks.auth, SigningAlgorithm::EdDsa, "JWT", &claims).await?;
    let mut request = Request::post(&url)
        .header(CONTENT_TYPE, "application/json")
        .header(AUTHORIZATION, format!("Bearer {jwt}"))
        .header("webhook-id", &id)
        .header("webhook-timestamp", now.seconds());
    let names = &webhooks.edge.headers;
    let mut secrets = vec![token.clone(), jwt];
    let mut headers = vec![(&names.oauth_token, token), (&names.agent, app.id.to_string())];
    if let Some(secret) = open_secret(webhooks, &app)? {
        let standard = secret.sign_standard(&id, now.seconds(), &body);
        request = request.header("webhook-signature", standard);
        headers.push((&names.signature, secret.sign_own(now.seconds(), &body)));
        secrets.extend(secret.into_texts());
    }
    for (names, value) in headers {
        let value = HeaderValue::try_from(value).map_err(failed)?;
        for name in names {
            request = request.header(name.as_str(), value.clone());
        }
    }
    // All other parts are made by this server, so only the URL can be invalid.
    let request = request.body(body).map_err(|_| BuildError::Address)?;
    Ok(Built { request, secrets, memory })
}

fn open_secret(webhooks: &Webhooks, app: &App) -> Result<Option<AppSecret>, BuildError> {
    let Some(sealed) = &app.client_secret else { return Ok(None) };
    let opened =
        webhooks.auth.identity.key().sealer().open(&app_secret_context(app.id.as_str()), sealed);
    let opened = opened.map_err(|error| BuildError::Secret(error.to_string()))?;
    let text = String::from_utf8(opened).map_err(|error| BuildError::Secret(error.to_string()))?;
    Ok(Some(AppSecret::new(text)))
}
