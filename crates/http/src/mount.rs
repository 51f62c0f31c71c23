//! Adds the routes to an actix application. Each method is a resource of its own, so GET finds an
//! account called `batch` although POST has a route at that path.

use actix_web::guard::Guard;
use actix_web::http::Method;
use actix_web::{Resource, guard, web};

use crate::rate::quota::Cost;
use crate::routes::{BOOK, Operation, aliases, operations, outside};
use crate::state::AppState;
use crate::unmatched::unmatched;

/// Adds all routes, under the prefix if there is one. Health, contract, sign-in and served files
/// are also found without it.
pub(crate) fn mount(config: &mut web::ServiceConfig, state: &AppState) {
    let prefix = state.path_prefix.as_str();
    if prefix.is_empty() {
        return configure(config, state);
    }
    config.service(web::scope(prefix).configure(|config| configure(config, state)));
    for operation in outside() {
        config.service(resource(operation.path, operation));
    }
    config.default_service(web::to(unmatched));
}

/// Adds all routes. [`unmatched`] answers what no route takes.
///
/// Routes are tried one after another. Those inside of a book stand in a scope: its path is matched
/// once for all of them, and requests for anything else try none of them.
fn configure(config: &mut web::ServiceConfig, state: &AppState) {
    let aliases = if state.ledger_alias { aliases() } else { Vec::new() };
    let mut inside = web::scope(BOOK);
    let mut others = Vec::new();
    for operation in operations().into_iter().chain(aliases) {
        match operation.path.strip_prefix(BOOK) {
            Some(path) => inside = inside.service(resource(path, operation)),
            None => others.push(resource(operation.path, operation)),
        }
    }
    config.service(inside);
    for other in others {
        config.service(other);
    }
    config.default_service(web::to(unmatched));
}

/// An operation at a path. What it costs is left with the request, where it is more than 1, and
/// that its effect is lasting.
fn resource(path: &str, operation: Operation) -> Resource {
    let Operation { method, path: _, id: _, cost, lasting, route } = operation;
    let mut resource = web::resource(path).guard(takes(method)).route(route);
    if let Some(cost) = Cost::of(cost) {
        resource = resource.app_data(cost);
    }
    if let Some(lasting) = lasting {
        resource = resource.app_data(lasting);
    }
    resource
}

/// Whether a request has a method. What answers GET answers HEAD too: the server leaves out the
/// body (RFC 9110, 9.3.2).
fn takes(method: Method) -> impl Guard {
    guard::fn_guard(move |context| {
        let asked = &context.head().method;
        *asked == method || *asked == Method::HEAD && method == Method::GET
    })
}
