//! Answers requests that no route takes: 405 when the path is known, else 404.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use actix_web::dev::ResourceDef;
use actix_web::http::Method;
use actix_web::{HttpRequest, web};

use crate::error::RequestError;
use crate::reply::{self, ApiResult};
use crate::routes::{Operation, aliases, operations, outside};
use crate::state::AppState;

/// Paths, each with a method that it takes.
type Paths = LazyLock<Vec<(ResourceDef, Method)>>;

/// All operations of [`operations`], read once for the requests that no route takes.
static ALL_PATHS: Paths = LazyLock::new(|| paths(operations()));
/// Those that are also found without the prefix.
static OUTSIDE_PATHS: Paths = LazyLock::new(|| paths(outside()));
/// Those of older clients.
static ALIAS_PATHS: Paths = LazyLock::new(|| paths(aliases()));

fn paths(operations: Vec<Operation>) -> Vec<(ResourceDef, Method)> {
    operations
        .into_iter()
        .map(|operation| (ResourceDef::new(operation.path), operation.method))
        .collect()
}

/// 405 for a known path with another method, else 404. OPTIONS is answered everywhere (behaviour
/// 0.13).
pub(crate) async fn unmatched(request: HttpRequest, state: web::Data<AppState>) -> ApiResult {
    if request.method() == Method::OPTIONS {
        return Ok(reply::no_content());
    }
    let methods = methods(request.path(), &state);
    Err(if methods.is_empty() {
        RequestError::UnknownRoute
    } else {
        RequestError::MethodNotAllowed(allow(&methods))
    }
    .into())
}

/// The methods that a path takes.
fn methods(path: &str, state: &AppState) -> BTreeSet<&'static str> {
    let outside = OUTSIDE_PATHS.iter().filter(|(resource, _)| resource.is_match(path));
    let inside = path.strip_prefix(&state.path_prefix).into_iter().flat_map(|path| {
        let aliases = ALIAS_PATHS.iter().filter(|_| state.ledger_alias);
        ALL_PATHS.iter().chain(aliases).filter(move |(resource, _)| resource.is_match(path))
    });
    outside.chain(inside).map(|(_, method)| method.as_str()).collect()
}

/// `Allow` (RFC 9110, 10.2.1).
fn allow(methods: &BTreeSet<&str>) -> String {
    let head = methods.contains("GET").then_some("HEAD");
    methods.iter().copied().chain(head).chain(["OPTIONS"]).collect::<Vec<_>>().join(", ")
}
