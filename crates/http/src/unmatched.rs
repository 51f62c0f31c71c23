//! The response to requests without a route: the web console, 405 if the path exists, else 404.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use actix_web::dev::ResourceDef;
use actix_web::http::Method;
use actix_web::{Either, HttpRequest, HttpResponse, web};
use daybook_edge::error::RequestError;

use crate::console::Console;
use crate::reply::{self, ApiResult};
use crate::routes::{Operation, aliases, operations, outside};
use crate::state::AppState;

type Paths = LazyLock<Vec<(ResourceDef, Method)>>;

static ALL_PATHS: Paths = LazyLock::new(|| paths(operations()));
/// The paths that also exist without the prefix.
static OUTSIDE_PATHS: Paths = LazyLock::new(|| paths(outside()));
/// The paths of older clients.
static ALIAS_PATHS: Paths = LazyLock::new(|| paths(aliases()));

fn paths(operations: Vec<Operation>) -> Vec<(ResourceDef, Method)> {
    operations
        .into_iter()
        .map(|operation| (ResourceDef::new(operation.path), operation.method))
        .collect()
}

/// Responds with the console, 405 for an existing path, else 404.
pub(crate) async fn unmatched(
    request: HttpRequest,
    state: web::Data<AppState>,
    console: web::Data<Option<Console>>,
) -> Either<HttpResponse, ApiResult> {
    let prefix = state.edge.site.path_prefix.as_str();
    let path = request.path().strip_prefix(prefix);
    let console = console.as_ref().as_ref();
    match console.zip(path).and_then(|(console, path)| console.respond(&request, path)) {
        Some(response) => Either::Left(response),
        None => Either::Right(refuse(&request, &state)),
    }
}

/// OPTIONS succeeds for every path (behaviour 0.13).
fn refuse(request: &HttpRequest, state: &AppState) -> ApiResult {
    if request.method() == Method::OPTIONS {
        return Ok(reply::no_content());
    }
    let methods = methods(request.path(), state);
    if methods.is_empty() {
        return Err(RequestError::UnknownRoute.into());
    }
    Err(RequestError::MethodNotAllowed(allow(&methods)).into())
}

fn methods(path: &str, state: &AppState) -> BTreeSet<&'static str> {
    let outside = OUTSIDE_PATHS.iter().filter(|(resource, _)| resource.is_match(path));
    let inside = path.strip_prefix(&state.edge.site.path_prefix).into_iter().flat_map(|path| {
        let aliases = ALIAS_PATHS.iter().filter(|_| state.ledger_alias);
        ALL_PATHS.iter().chain(aliases).filter(move |(resource, _)| resource.is_match(path))
    });
    outside.chain(inside).map(|(_, method)| method.as_str()).collect()
}

/// Returns the value of `Allow` (RFC 9110, 10.2.1).
fn allow(methods: &BTreeSet<&str>) -> String {
    let head = methods.contains("GET").then_some("HEAD");
    methods.iter().copied().chain(head).chain(["OPTIONS"]).collect::<Vec<_>>().join(", ")
}
