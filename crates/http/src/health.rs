//! The operations outside of `/v5`: health, readiness, the OpenAPI documents and their page.

use std::time::Duration;

use actix_web::http::header::{CACHE_CONTROL, ContentType};
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse, web};
use daybook_auth::identity::Providers;
use daybook_edge::error::ApiError;
use daybook_edge::request_head::host;
use daybook_edge::run;
use daybook_storage::Error;
use serde_json::json;
use tokio::time::timeout;

use crate::pieces::with_parts;
use crate::reply::{self, ApiResult, Reply};
use crate::state::AppState;

/// The OpenAPI document of the API.
const CONTRACT: &str = include_str!("../../../openapi/openapi.json");
/// The same document in OpenAPI 3.1.
const CONTRACT_3_1: &str = include_str!("../../../openapi/openapi-3.1.json");
/// The OpenAPI document of sign-in and OAuth.
const AUTH_CONTRACT: &str = include_str!("../../../openapi/auth.json");
const PAGE: &str = include_str!("../../../openapi/docs.html");

/// How long the database may take before this process counts as not ready.
const READY_TIMEOUT: Duration = Duration::from_secs(5);

/// GET /health: the process is alive.
pub(crate) async fn health() -> Reply {
    reply::ok(&json!({ "status": "ok" }))
}

/// GET /ready: the database can be read, and each writer accepts a unit of work.
///
/// The server has migrated the schema before it accepts requests.
pub(crate) async fn ready(state: web::Data<AppState>) -> ApiResult {
    match timeout(READY_TIMEOUT, ping_database(&state)).await {
        Ok(outcome) => outcome?,
        Err(_) => {
            let seconds = READY_TIMEOUT.as_secs();
            let why = format!("the database did not respond within {seconds} s");
            return Err(Error::Unavailable(why).into());
        }
    }
    Ok(reply::ok(&json!({ "status": "ready" })))
}

/// Pings the database through a reader and through each writer.
async fn ping_database(state: &AppState) -> Result<(), ApiError> {
    run::read(&state.edge, |tx| Ok(tx.ping()?)).await?;
    for shard_key in state.edge.store.shard_keys() {
        run::write(&state.edge, shard_key, |tx| tx.ping()).await.map_err(ApiError::repeatable)?;
    }
    Ok(())
}

/// The authorization URL in the OpenAPI document (behaviour 11.3).
const AUTHORIZATION: &str = "\"authorizationUrl\": \"http://127.0.0.1:8080/auth/authorize\"";

/// The OpenAPI document of this installation, split at its authorization URL.
pub(crate) struct Contract {
    before: Bytes,
    after: Bytes,
}

impl Contract {
    /// Sets the base path, to which generated clients append the paths of operations.
    pub(crate) fn under(path: &str) -> Self {
        let (before, after) = CONTRACT.split_once(AUTHORIZATION).unwrap_or((CONTRACT, ""));
        let path = if path.is_empty() { "/" } else { path };
        let line = format!("\"basePath\": {}", json!(path));
        let before = before.replacen("\"basePath\": \"/\"", &line, 1);
        Self { before: before.into(), after: Bytes::from_static(after.as_bytes()) }
    }

    /// Returns the document with this authorization URL. All responses share the other parts.
    fn with_authorization_url(&self, url: &str) -> [Bytes; 3] {
        let line = format!("\"authorizationUrl\": {}", json!(url));
        [self.before.clone(), line.into(), self.after.clone()]
    }
}

/// GET /openapi.json.
pub(crate) async fn contract(
    request: HttpRequest,
    state: web::Data<AppState>,
    contract: web::Data<Contract>,
) -> HttpResponse {
    let parts = contract.with_authorization_url(&authorization_url(&request, &state));
    document(parts, state.edge.site.base_cache_control())
}

/// Returns the URL at which clients of the API ask for tokens (behaviour 0.25).
fn authorization_url(request: &HttpRequest, state: &AppState) -> String {
    match state.auth.identity.providers().and_then(Providers::authorization_url) {
        Some(url) => url.to_owned(),
        None => format!("{}/auth/authorize", state.edge.site.base(host(request))),
    }
}

/// GET /openapi-3.1.json.
pub(crate) async fn contract_3_1(request: HttpRequest, state: web::Data<AppState>) -> HttpResponse {
    let authorization_url =
        format!("\"authorizationUrl\": {}", json!(authorization_url(&request, &state)));
    let server = format!("\"url\": {}", json!(state.edge.site.base(host(&request))));
    let (before, rest) = CONTRACT_3_1.split_once(AUTHORIZATION).unwrap_or((CONTRACT_3_1, ""));
    let (between, after) = rest.split_once(SERVER).unwrap_or((rest, ""));
    let [before, between, after] =
        [before, between, after].map(|part| Bytes::from_static(part.as_bytes()));
    let parts = [before, authorization_url.into(), between, server.into(), after];
    document(parts, state.edge.site.base_cache_control())
}

/// Returns the response with an OpenAPI document.
fn document(parts: impl IntoIterator<Item = Bytes>, cache_control: &'static str) -> HttpResponse {
    let mut response = HttpResponse::Ok();
    response.content_type(ContentType::json()).insert_header((CACHE_CONTROL, cache_control));
    with_parts(response, parts)
}

/// The server URL in the documents in OpenAPI 3 (behaviour 0.25, 11.22).
const SERVER: &str = "\"url\": \"http://127.0.0.1:8080\"";

/// GET /auth/openapi.json.
pub(crate) async fn auth_contract(
    request: HttpRequest,
    state: web::Data<AppState>,
) -> HttpResponse {
    let url = format!("\"url\": {}", json!(state.edge.site.base(host(&request))));
    let (before, after) = AUTH_CONTRACT.split_once(SERVER).unwrap_or((AUTH_CONTRACT, ""));
    let [before, after] = [before, after].map(|part| Bytes::from_static(part.as_bytes()));
    document([before, url.into(), after], state.edge.site.base_cache_control())
}

/// GET /docs: a page that renders the OpenAPI document. It loads nothing from other origins.
pub(crate) async fn page() -> HttpResponse {
    HttpResponse::Ok().content_type(ContentType::html()).body(PAGE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pieces::size_and_pieces;

    #[test]
    fn responses_share_the_bytes_of_the_document() {
        let contract = Contract::under("/books");
        let urls = ["http://a.example/auth/authorize", "http://b.example/auth/authorize"];
        let responses = urls.map(|url| {
            size_and_pieces(document(contract.with_authorization_url(url), "no-store")).1
        });
        for (url, pieces) in urls.iter().zip(&responses) {
            let text = String::from_utf8(pieces.concat()).unwrap();
            let expected = CONTRACT
                .replacen("\"basePath\": \"/\"", "\"basePath\": \"/books\"", 1)
                .replacen("http://127.0.0.1:8080/auth/authorize", url, 1);
            assert!(text == expected, "{url}");
        }
        let addresses = responses.map(|pieces| {
            let long = pieces.iter().filter(|piece| piece.len() > 1024);
            long.map(|piece| piece.as_ptr()).collect::<Vec<_>>()
        });
        assert!(addresses[0].len() > 1, "sent in pieces");
        assert_eq!(addresses[0], addresses[1], "no piece is a copy");
    }
}
