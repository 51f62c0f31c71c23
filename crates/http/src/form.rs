//! Forms, which pages of this server send, and programs that ask for tokens. Anybody may send one,
//! so they are small.

use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};

use crate::body::is_of_type;
use crate::budget::MemoryOwner;
use crate::client_address::client_address;
use crate::client_address::network::counted;
use crate::error::{ApiError, RequestError};
use crate::receive::collect;
use crate::request;
use crate::socket::ConnectionState;

/// The most bytes of a form.
const MAX_FORM: usize = 16 * 1024;

/// A form, as pairs of names and values in the order in which they were sent.
pub(crate) struct Form(pub(crate) Vec<(String, String)>);

impl FromRequest for Form {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (payload, request) = (payload.take(), request.clone());
        Box::pin(async move {
            let known = |essence: &str| essence == "application/x-www-form-urlencoded";
            if !is_of_type(&request, known) {
                return Err(RequestError::NoForm.into());
            }
            let state = request::state(&request)?;
            let client = counted(client_address(&request, state));
            let mut grant = state.budget.grant(MemoryOwner::Client(client));
            let bytes =
                collect(payload, &mut grant, MAX_FORM, async || Ok(())).await.map_err(of_form)?;
            if let Some(connection) = request.conn_data::<Rc<ConnectionState>>() {
                connection.received();
            }
            Ok(Self(pairs(&bytes).ok_or(RequestError::UnreadableForm)?))
        })
    }
}

fn of_form(error: ApiError) -> ApiError {
    match error {
        ApiError::RequestError(RequestError::TooLarge) => RequestError::FormTooLarge.into(),
        ApiError::Service(_) | ApiError::RequestError(_) => error,
    }
}

/// The pairs; `None` for what is no text, or text that the databases do not keep.
fn pairs(bytes: &[u8]) -> Option<Vec<(String, String)>> {
    let pairs = form_urlencoded::parse(bytes)
        .map(|(name, value)| (name.into_owned(), value.into_owned()))
        .collect::<Vec<_>>();
    // Bytes that are no UTF-8 have become this character.
    let strange = |text: &str| text.contains(['\0', char::REPLACEMENT_CHARACTER]);
    let readable = !pairs.iter().any(|(name, value)| strange(name) || strange(value));
    readable.then_some(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_text() {
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
