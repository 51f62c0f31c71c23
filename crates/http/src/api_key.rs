//! API keys: handlers (behaviour 9.1, 10.13). [`daybook_auth::api_key`] resolves the key of a
//! request and counts its calls.

use daybook_domain::api_key::{ApiKey, ApiKeyUsage, KeyRequest};
use daybook_domain::calendar::format_iso;
use daybook_domain::instant::Instant;
use daybook_edge::error::{ApiError, RequestError};
use daybook_service::Context;
use daybook_service::api_key::{self, View};
use serde::{Deserialize, Serialize};

use crate::body::MaybeBody;
use crate::reply::{self, ApiResult, Reply};
use crate::request::ApiRequest;
use crate::state::AppState;
use crate::wire::{ListOut, objects_only};

/// The body of a new key. Only the operator can set an individual rate.
#[derive(Debug, Default, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase")]
pub(crate) struct KeyIn {
    #[serde(default)]
    name: Option<String>,
}

objects_only!(KeyIn);

/// A key, without its text.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct KeyOut {
    id: String,
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    calls_per_minute: Option<u32>,
    active: bool,
    created_at: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    revoked_at: Option<String>,
    usage: Vec<UsageOut>,
}

/// The calls of a day.
#[derive(Serialize, Deserialize)]
struct UsageOut {
    date: String,
    calls: u64,
}

impl From<ApiKeyUsage> for UsageOut {
    fn from(usage: ApiKeyUsage) -> Self {
        let ApiKeyUsage { day, calls } = usage;
        Self { date: format_iso(day), calls }
    }
}

impl KeyOut {
    fn new(view: &View, state: &AppState) -> Self {
        let milliseconds = |instant: Instant| instant.milliseconds().to_string();
        let View { key, usage } = view;
        let ApiKey { id, user: _, name, digest: _, rate, created_at, revoked_at } = key;
        let usage = state.auth.api_key_calls.add_pending(*id, usage);
        Self {
            id: id.to_string(),
            name: name.clone(),
            calls_per_minute: *rate,
            active: key.is_active(),
            created_at: milliseconds(*created_at),
            revoked_at: revoked_at.map(milliseconds),
            usage: usage.into_iter().map(UsageOut::from).collect(),
        }
    }
}

/// A new key, which is the only response with its text.
#[derive(Serialize)]
struct CreatedOut {
    #[serde(flatten)]
    key: KeyOut,
    #[serde(rename = "key")]
    text: String,
}

/// GET user/keys.
pub(crate) async fn list_api_keys(request: ApiRequest) -> ApiResult {
    let state = request.state.clone();
    let encode = move |views: &Vec<View>, _: &Context| {
        let keys = views.iter().map(|view| KeyOut::new(view, &state)).collect();
        reply::ok(&ListOut::complete(keys))
    };
    request.read(api_key::list, encode).await
}

/// GET user/keys/{id}.
pub(crate) async fn get_api_key(request: ApiRequest) -> ApiResult {
    let (id, state) = (request.id(), request.state.clone());
    request
        .read(move |tx, cx| api_key::get(tx, cx, &id), move |view, _| to_reply(view, &state))
        .await
}

/// POST user/keys.
///
/// The response that an idempotency key stores does not have the text of the key. The text is
/// derived again for each response.
pub(crate) async fn create_api_key(request: ApiRequest, body: MaybeBody<KeyIn>) -> ApiResult {
    request.check_credentials()?;
    let KeyIn { name } = body.0.unwrap_or_default();
    let key_request = KeyRequest { name, rate: None };
    let (state, state_of_write, state_of_encoder) =
        (request.state.clone(), request.state.clone(), request.state.clone());
    let stored = request
        .write(
            api_key::TARGET,
            move |tx, cx| {
                let digest = |id| state_of_write.auth.identity.key().api_key(id).digest();
                api_key::create(tx, cx, digest, key_request)
            },
            move |view, _| to_reply(view, &state_of_encoder),
        )
        .await?;
    stored.amend(|key: KeyOut| {
        let malformed =
            |_| ApiError::from(RequestError::Failed("malformed id of an API key".to_owned()));
        let id = key.id.parse().map_err(malformed)?;
        let text = state.auth.identity.key().api_key(id).as_str().to_owned();
        Ok(CreatedOut { key, text })
    })
}

/// DELETE user/keys/{id}.
pub(crate) async fn revoke_api_key(request: ApiRequest) -> ApiResult {
    request.check_credentials()?;
    let (id, state) = (request.id(), request.state.clone());
    let state_of_encoder = state.clone();
    let reply = request
        .write(
            api_key::TARGET,
            move |tx, cx| api_key::revoke(tx, cx, &id),
            move |view, _| to_reply(view, &state_of_encoder),
        )
        .await?;
    state.auth.identity.clear_bearers();
    Ok(reply)
}

fn to_reply(view: &View, state: &AppState) -> Reply {
    reply::ok(&KeyOut::new(view, state))
}
