//! The parameters of a query string.

use actix_web::{HttpRequest, web};
use form_urlencoded::Serializer;

/// Returns the parameters in their order; none if the query string is malformed.
pub fn pairs(request: &HttpRequest) -> Vec<(String, String)> {
    web::Query::from_query(request.query_string()).map(web::Query::into_inner).unwrap_or_default()
}

/// Returns the first parameter of that name.
pub fn first(request: &HttpRequest, name: &str) -> Option<String> {
    pairs(request).into_iter().find(|(known, _)| known == name).map(|(_, value)| value)
}

/// Returns the name of a parameter that occurs more than once.
pub fn repeated(pairs: &[(String, String)]) -> Option<&str> {
    let mut names: Vec<&str> = pairs.iter().map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    names.iter().zip(names.iter().skip(1)).find(|(a, b)| a == b).map(|(name, _)| *name)
}

/// Encodes parameters as a query string.
pub fn encode<'p>(pairs: impl Iterator<Item = (&'p str, &'p str)>) -> String {
    Serializer::new(String::new()).extend_pairs(pairs).finish()
}

/// Decodes a form-encoded value; `None` if it contains a separator.
pub fn decode(text: &str) -> Option<String> {
    if text.contains(['&', '=']) {
        return None;
    }
    Some(
        form_urlencoded::parse(text.as_bytes())
            .next()
            .map_or_else(String::new, |(text, _)| text.into_owned()),
    )
}
