//! Adds the routes to an actix application.
//!
//! Each method is a separate resource. So GET finds an account called `batch`, although POST has a
//! route with that path.

use actix_web::guard::Guard;
use actix_web::http::Method;
use actix_web::{Resource, guard, web};
use daybook_auth::rate::Cost;

use crate::route_metrics::RouteMetrics;
use crate::routes::{BOOK, Operation, aliases, operations, outside};
use crate::state::AppState;
use crate::unmatched::unmatched;

/// Adds all routes under the path prefix.
///
/// The routes for health, contract, sign-in, served files and links are also added without the
/// prefix.
pub(crate) fn mount(config: &mut web::ServiceConfig, state: &AppState) {
    let prefix = state.edge.site.path_prefix.as_str();
    if prefix.is_empty() {
        return configure(config, state);
    }
    config.service(web::scope(prefix).configure(|config| configure(config, state)));
    for operation in outside() {
        config.service(resource(operation.path, operation));
    }
    config.default_service(web::to(unmatched));
}

/// Adds all routes, with [`unmatched`] as the default.
///
/// Actix tries routes one after another. The routes of books are in a scope, so that its path is
/// matched once for all of them, and other requests skip them.
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

/// Creates the resource of an operation.
///
/// Its data has the counters of the operation, the cost, if it is more than 1, and whether its
/// effect is lasting.
fn resource(path: &str, operation: Operation) -> Resource {
    let metrics = RouteMetrics::of(&operation);
    let Operation { method, path: _, id: _, cost, lasting, handler: _, route } = operation;
    let mut resource = web::resource(path).guard(has_method(method)).route(route).app_data(metrics);
    if let Some(cost) = Cost::new(cost) {
        resource = resource.app_data(cost);
    }
    if let Some(lasting) = lasting {
        resource = resource.app_data(lasting);
    }
    resource
}

/// Matches requests by method.
///
/// Routes for GET also match HEAD; actix omits the body (RFC 9110, 9.3.2).
fn has_method(method: Method) -> impl Guard {
    guard::fn_guard(move |context| {
        let requested = &context.head().method;
        *requested == method || *requested == Method::HEAD && method == Method::GET
    })
}
