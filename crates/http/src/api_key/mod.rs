//! API keys on the wire (behaviour 9.1, 10.13).
//!
//! | Module | What it does |
//! |---|---|
//! | `text` | The text of a key, of which only the SHA-256 is kept |
//! | `known`, `cache` | Finds the key of a request, and remembers it |
//! | `calls` | Counts how often keys are used |

pub(crate) mod cache;
pub(crate) mod calls;
pub(crate) mod known;
pub(crate) mod text;

use daybook_domain::api_key::{ApiKey, KeyRequest, Usage};
use daybook_domain::calendar::format_iso;
use daybook_domain::instant::Instant;
use daybook_service::api_key::{self, View};
use serde::{Deserialize, Serialize};

use crate::body::MaybeBody;
use crate::error::{ApiError, RequestError};
use crate::reply::{self, ApiResult, Reply};
use crate::request::ApiRequest;
use crate::state::AppState;
use crate::wire::{ListOut, objects_only};

/// What is asked of a new key. A rate of its own is given by the operator only.
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

impl From<Usage> for UsageOut {
    fn from(usage: Usage) -> Self {
        let Usage { day, calls } = usage;
        Self { date: format_iso(day), calls }
    }
}

impl KeyOut {
    fn new(view: &View, state: &AppState) -> Self {
        let milliseconds = |instant: Instant| instant.milliseconds().to_string();
        let View { key, usage } = view;
        let ApiKey { id, user: _, name, digest: _, rate, created_at, revoked_at } = key;
        let usage = state.api_key_calls.complete(*id, usage);
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

/// A key that was just created: the only answer with its text.
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
    let all = move |views: &Vec<View>| views.iter().map(|view| KeyOut::new(view, &state)).collect();
    request.read(api_key::list, move |views, _| reply::ok(&ListOut::complete(all(views)))).await
}

/// GET user/keys/{id}.
pub(crate) async fn get_api_key(request: ApiRequest) -> ApiResult {
    let (id, state) = (request.id(), request.state.clone());
    request
        .read(move |tx, cx| api_key::get(tx, cx, &id), move |view, _| to_reply(view, &state))
        .await
}

/// POST user/keys. The text of the key is made again after the answer is recorded under an
/// idempotency key, so that it is stored nowhere; it is the same each time.
pub(crate) async fn create_api_key(request: ApiRequest, body: MaybeBody<KeyIn>) -> ApiResult {
    request.check_credentials()?;
    let KeyIn { name } = body.0.unwrap_or_default();
    let asked = KeyRequest { name, rate: None };
    let (state, signing, shown) =
        (request.state.clone(), request.state.clone(), request.state.clone());
    let recorded = request
        .write_own(
            move |tx, cx| {
                let digest = |id| signing.identity.key().api_key(id).digest();
                api_key::create(tx, cx, digest, asked)
            },
            move |view, _| to_reply(view, &shown),
        )
        .await?;
    recorded.amend(|key: KeyOut| {
        let unreadable = |_| ApiError::from(RequestError::Failed("a recorded key".to_owned()));
        let id = key.id.parse().map_err(unreadable)?;
        let text = state.identity.key().api_key(id).as_str().to_owned();
        Ok(CreatedOut { key, text })
    })
}

/// DELETE user/keys/{id}.
pub(crate) async fn revoke_api_key(request: ApiRequest) -> ApiResult {
    request.check_credentials()?;
    let (id, state, shown) = (request.id(), request.state.clone(), request.state.clone());
    let answer = request
        .write_own(
            move |tx, cx| api_key::revoke(tx, cx, &id),
            move |view, _| to_reply(view, &shown),
        )
        .await?;
    state.identity.forget();
    Ok(answer)
}

fn to_reply(view: &View, state: &AppState) -> Reply {
    reply::ok(&KeyOut::new(view, state))
}
