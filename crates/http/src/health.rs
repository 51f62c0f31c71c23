//! What is answered outside `/v5`: health, readiness, the contract and its page.

use actix_web::http::header::{CACHE_CONTROL, ContentType};
use actix_web::{HttpResponse, web};
use serde_json::json;

use crate::error::ApiResult;
use crate::reply;
use crate::run;
use crate::state::State;

/// The contract, compiled in so that it cannot drift from the program it describes.
const CONTRACT: &str = include_str!("../../../openapi/openapi.json");
const PAGE: &str = include_str!("../../../openapi/docs.html");

/// GET /health: the process is alive.
pub(crate) async fn health() -> HttpResponse {
    reply::ok(&json!({ "status": "ok" }))
}

/// GET /ready: the database answers. It was migrated before the first request was accepted.
pub(crate) async fn ready(state: web::Data<State>) -> ApiResult {
    run::read(&state, |tx| Ok(tx.ping()?)).await?;
    Ok(reply::ok(&json!({ "status": "ready" })))
}

/// GET /openapi.json.
pub(crate) async fn contract() -> HttpResponse {
    HttpResponse::Ok().content_type(ContentType::json()).insert_header((CACHE_CONTROL, "max-age=300")).body(CONTRACT)
}

/// GET /docs: the contract for people, without internet.
pub(crate) async fn page() -> HttpResponse {
    HttpResponse::Ok().content_type(ContentType::html()).body(PAGE)
}
