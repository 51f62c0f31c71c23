//! The parameters of a query string.

use actix_web::{HttpRequest, web};

/// The parameters in the order they were sent; none of a query string that cannot be read.
pub(crate) fn pairs(request: &HttpRequest) -> Vec<(String, String)> {
    web::Query::from_query(request.query_string()).map(web::Query::into_inner).unwrap_or_default()
}
