//! The parameters of a query string.

use actix_web::{HttpRequest, web};

/// The parameters in the order they were sent; none of a query string that cannot be read.
pub(crate) fn pairs(request: &HttpRequest) -> Vec<(String, String)> {
    web::Query::from_query(request.query_string()).map(web::Query::into_inner).unwrap_or_default()
}

/// The first parameter of that name.
pub(crate) fn first(request: &HttpRequest, name: &str) -> Option<String> {
    pairs(request).into_iter().find(|(known, _)| known == name).map(|(_, value)| value)
}
