//! The operations outside of `/v5`: health, readiness, the contract and its page.

use std::time::Duration;

use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, ContentType};
use actix_web::web::{self, Bytes};
use daybook_storage::Error;
use serde_json::json;
use tokio::time::timeout;

use crate::error::ApiError;
use crate::reply::{self, ApiResult, Reply};
use crate::run;
use crate::state::AppState;

/// The contract, compiled in so that it cannot drift from the program it describes.
const CONTRACT: &str = include_str!("../../../openapi/openapi.json");
const PAGE: &str = include_str!("../../../openapi/docs.html");

/// How long the database may take to answer before this process counts as not ready.
const READY_TIMEOUT: Duration = Duration::from_secs(5);

/// GET /health: the process is alive.
pub(crate) async fn health() -> Reply {
    reply::ok(&json!({ "status": "ok" }))
}

/// GET /ready: the database answers readers, and each writer takes a unit of work. The schema was
/// brought up to date before the first request.
pub(crate) async fn ready(state: web::Data<AppState>) -> ApiResult {
    let late = |_| {
        Err(Error::Unavailable(format!("no answer within {} s", READY_TIMEOUT.as_secs())).into())
    };
    timeout(READY_TIMEOUT, reach(&state)).await.unwrap_or_else(late)?;
    Ok(reply::ok(&json!({ "status": "ready" })))
}

/// Asks the database over a connection for reading, then each writer through its queue.
async fn reach(state: &AppState) -> Result<(), ApiError> {
    run::read(state, |tx| Ok(tx.ping()?)).await?;
    for lane in state.store.lanes() {
        run::write(state, lane, |tx| tx.ping()).await?;
    }
    Ok(())
}

/// The contract of one installation.
pub(crate) struct Contract(Bytes);

impl Contract {
    /// The contract with the path under which clients find the API: generated clients append its
    /// paths to that.
    pub(crate) fn under(path: &str) -> Self {
        if path.is_empty() {
            return Self(Bytes::from_static(CONTRACT.as_bytes()));
        }
        Self(
            CONTRACT
                .replacen("\"basePath\": \"/\"", &format!("\"basePath\": {}", json!(path)), 1)
                .into(),
        )
    }
}

/// GET /openapi.json.
pub(crate) async fn contract(contract: web::Data<Contract>) -> HttpResponse {
    HttpResponse::Ok()
        .content_type(ContentType::json())
        .insert_header((CACHE_CONTROL, "max-age=300"))
        .body(contract.0.clone())
}

/// GET /docs: the contract for people; the page loads nothing from elsewhere.
pub(crate) async fn page() -> HttpResponse {
    HttpResponse::Ok().content_type(ContentType::html()).body(PAGE)
}
