//! The extractor of forms, which pages of this server and OAuth clients send.
//!
//! Forms need no authentication, so their size limit is low. They are too small to count in the
//! memory budget.

use std::future::Future;
use std::pin::Pin;

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};

use crate::error::{ApiError, RequestError};
use crate::receive::{collect, note_received, with_limit};
use crate::request_head::is_of_type;

/// The maximum size of a form in bytes.
const MAX_FORM: usize = 16 * 1024;

/// The names and values of a form in their order.
pub struct Form(pub Vec<(String, String)>);

impl FromRequest for Form {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (payload, request) = (payload.take(), request.clone());
        Box::pin(async move {
            let is_form = |essence: &str| essence == "application/x-www-form-urlencoded";
            if !is_of_type(&request, is_form) {
                return Err(RequestError::NotAForm.into());
            }
            let received = collect(payload, None, MAX_FORM, async || Ok(())).await;
            let bytes = received.map_err(|error| with_limit(error, RequestError::FormTooLarge))?;
            note_received(&request);
            Ok(Self(pairs(&bytes).ok_or(RequestError::UnreadableForm)?))
        })
    }
}

/// Parses the pairs; `None` if they are not UTF-8 or contain NUL, which PostgreSQL cannot store.
fn pairs(bytes: &[u8]) -> Option<Vec<(String, String)>> {
    let pairs = form_urlencoded::parse(bytes)
        .map(|(name, value)| (name.into_owned(), value.into_owned()))
        .collect::<Vec<_>>();
    // The parser has replaced invalid UTF-8 by this character.
    let is_invalid = |text: &str| text.contains(['\0', char::REPLACEMENT_CHARACTER]);
    if pairs.iter().any(|(name, value)| is_invalid(name) || is_invalid(value)) {
        return None;
    }
    Some(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn form_must_be_utf8_without_nul() {
        for (form, expected) in [
            (&b"a=1&b=%C3%A9+&a="[..], Some(&[("a", "1"), ("b", "\u{e9} "), ("a", "")][..])),
            ("a=\u{e9}".as_bytes(), Some(&[("a", "\u{e9}")])),
            (b"", Some(&[])),
            (b"&&=", Some(&[("", "")])),
            (b"a=%&b=%zz", Some(&[("a", "%"), ("b", "%zz")])),
            (b"{\"a\": 1}", Some(&[("{\"a\": 1}", "")])),
            (b"a=%ff", None),
            (b"%ff=a", None),
            (b"a=\xff", None),
            (b"a=%00", None),
            (b"a=\0", None),
        ] {
            let read = pairs(form);
            let read: Option<Vec<(&str, &str)>> = read
                .as_ref()
                .map(|pairs| pairs.iter().map(|(name, value)| (&**name, &**value)).collect());
            assert_eq!(read.as_deref(), expected, "{}", form.escape_ascii());
        }
    }
}
