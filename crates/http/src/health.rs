//! The operations outside of `/v5`: health, readiness, the contracts and their page.

use std::time::Duration;

use actix_web::http::header::{CACHE_CONTROL, ContentType};
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse, web};
use daybook_storage::Error;
use serde_json::json;
use tokio::time::timeout;

use crate::error::ApiError;
use crate::identity::provider::Providers;
use crate::pieces::with_parts;
use crate::reply::{self, ApiResult, Reply};
use crate::request_head::host;
use crate::run;
use crate::state::AppState;

/// The contract, compiled in so that it cannot drift from the program it describes.
const CONTRACT: &str = include_str!("../../../openapi/openapi.json");
/// What is served beside it: signing in, and tokens for apps.
const AUTH_CONTRACT: &str = include_str!("../../../openapi/auth.json");
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
        run::write(state, lane, |tx| tx.ping()).await.map_err(ApiError::repeatable)?;
    }
    Ok(())
}

/// Where the contract says that tokens are asked for (behaviour 11.3).
const AUTHORIZATION: &str = "\"authorizationUrl\": \"http://127.0.0.1:8080/auth/authorize\"";

/// The contract of one installation, in the parts around its authorization address.
pub(crate) struct Contract {
    before: Bytes,
    after: Bytes,
}

impl Contract {
    /// The contract with the path under which clients find the API: generated clients append its
    /// paths to that.
    pub(crate) fn under(path: &str) -> Self {
        let (before, after) = CONTRACT.split_once(AUTHORIZATION).unwrap_or((CONTRACT, ""));
        let path = if path.is_empty() { "/" } else { path };
        let named = format!("\"basePath\": {}", json!(path));
        let before = before.replacen("\"basePath\": \"/\"", &named, 1);
        Self { before: before.into(), after: Bytes::from_static(after.as_bytes()) }
    }

    /// The text, for clients that ask for tokens at this address. All answers share what is the
    /// same in them.
    fn authorized_at(&self, address: &str) -> [Bytes; 3] {
        let named = format!("\"authorizationUrl\": {}", json!(address));
        [self.before.clone(), named.into(), self.after.clone()]
    }
}

/// GET /openapi.json.
pub(crate) async fn contract(
    request: HttpRequest,
    state: web::Data<AppState>,
    contract: web::Data<Contract>,
) -> HttpResponse {
    let elsewhere = state.identity.providers().and_then(Providers::authorization_url);
    let own = || format!("{}/auth/authorize", state.base(host(&request)));
    let parts = contract.authorized_at(&elsewhere.map_or_else(own, str::to_owned));
    document(parts, state.kept_with_address())
}

/// The answer that is a contract.
fn document(parts: [Bytes; 3], kept: &'static str) -> HttpResponse {
    let mut response = HttpResponse::Ok();
    response.content_type(ContentType::json()).insert_header((CACHE_CONTROL, kept));
    with_parts(response, parts)
}

/// Where the contract of `/auth` names its server (behaviour 11.22).
const SERVER: &str = "\"url\": \"http://127.0.0.1:8080\"";

/// GET /auth/openapi.json.
pub(crate) async fn auth_contract(
    request: HttpRequest,
    state: web::Data<AppState>,
) -> HttpResponse {
    let own = format!("\"url\": {}", json!(state.base(host(&request))));
    let (before, after) = AUTH_CONTRACT.split_once(SERVER).unwrap_or((AUTH_CONTRACT, ""));
    let [before, after] = [before, after].map(|part| Bytes::from_static(part.as_bytes()));
    document([before, own.into(), after], state.kept_with_address())
}

/// GET /docs: the contract for people; the page loads nothing from elsewhere.
pub(crate) async fn page() -> HttpResponse {
    HttpResponse::Ok().content_type(ContentType::html()).body(PAGE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pieces::given;

    #[test]
    fn all_answers_share_one_contract() {
        let contract = Contract::under("/books");
        let asked = ["http://a.example/auth/authorize", "http://b.example/auth/authorize"];
        let answers =
            asked.map(|address| given(document(contract.authorized_at(address), "no-store")).1);
        for (address, pieces) in asked.iter().zip(&answers) {
            let text = String::from_utf8(pieces.concat()).unwrap();
            let expected = CONTRACT
                .replacen("\"basePath\": \"/\"", "\"basePath\": \"/books\"", 1)
                .replacen("http://127.0.0.1:8080/auth/authorize", address, 1);
            assert!(text == expected, "{address}");
        }
        let places = answers.map(|pieces| {
            let long = pieces.iter().filter(|piece| piece.len() > 1024);
            long.map(|piece| piece.as_ptr()).collect::<Vec<_>>()
        });
        assert!(places[0].len() > 1, "it is given bit by bit");
        assert_eq!(places[0], places[1], "none of them is a copy");
    }
}
