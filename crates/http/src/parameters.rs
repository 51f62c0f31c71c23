//! The parameters of a query string.

use actix_web::{HttpRequest, web};
use form_urlencoded::Serializer;

/// The parameters in the order they were sent; none of a query string that cannot be read.
pub(crate) fn pairs(request: &HttpRequest) -> Vec<(String, String)> {
    web::Query::from_query(request.query_string()).map(web::Query::into_inner).unwrap_or_default()
}

/// The first parameter of that name.
pub(crate) fn first(request: &HttpRequest, name: &str) -> Option<String> {
    pairs(request).into_iter().find(|(known, _)| known == name).map(|(_, value)| value)
}

/// The name of a parameter that stands twice.
pub(crate) fn repeated(pairs: &[(String, String)]) -> Option<&str> {
    let mut names: Vec<&str> = pairs.iter().map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    names.iter().zip(names.iter().skip(1)).find(|(a, b)| a == b).map(|(name, _)| *name)
}

/// A query string with these parameters.
pub(crate) fn encoded<'p>(pairs: impl Iterator<Item = (&'p str, &'p str)>) -> String {
    Serializer::new(String::new()).extend_pairs(pairs).finish()
}

/// A text as forms encode it; `None` when it is more than one.
pub(crate) fn decoded(text: &str) -> Option<String> {
    if text.contains(['&', '=']) {
        return None;
    }
    Some(
        form_urlencoded::parse(text.as_bytes())
            .next()
            .map_or_else(String::new, |(text, _)| text.into_owned()),
    )
}
