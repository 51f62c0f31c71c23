//! Which client sends a request, and whether it is the one it says (RFC 6749, 2.3.1).

use actix_web::HttpRequest;
use actix_web::http::header::AUTHORIZATION;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use super::fields::Fields;
use super::refused::InvalidClient;
use super::registry::{Clients, Registered};
use crate::client_address::client_address;
use crate::error::RequestError;
use crate::parameters;
use crate::session::secret::digest;
use crate::state::AppState;

/// The client that sends a form, as [`read`] finds it. Wrong secrets are limited by the address of
/// the client, as wrong tokens are (behaviour 10.12).
///
/// # Errors
/// 429.
pub(super) fn client<'s>(
    request: &HttpRequest,
    fields: &Fields,
    state: &'s AppState,
) -> Result<Result<&'s Registered, InvalidClient>, RequestError> {
    let address = client_address(request, state);
    state.refused_tokens.check(address)?;
    let found = read(request, fields, &state.clients);
    if matches!(found, Err(InvalidClient::Client)) {
        state.refused_tokens.record(address);
    }
    Ok(found)
}

/// The client that sends a form: by HTTP Basic, or by `client_id` and `client_secret` in the form.
/// One that is registered without a secret proves nothing; existing programs send one all the same.
///
/// # Errors
/// [`InvalidClient`].
fn read<'c>(
    request: &HttpRequest,
    fields: &Fields,
    clients: &'c Clients,
) -> Result<&'c Registered, InvalidClient> {
    if let Some(name) = fields.repeated() {
        return Err(InvalidClient::Malformed(format!("{name} stands twice")));
    }
    let named = fields.get("client_id");
    let pairs: Vec<(String, Option<String>)> = match request.headers().get(AUTHORIZATION) {
        Some(header) => header.to_str().ok().map(basic).unwrap_or_default(),
        None => {
            let id =
                named.ok_or_else(|| InvalidClient::Malformed("client_id is missing".to_owned()))?;
            vec![(id.to_owned(), fields.get("client_secret").map(str::to_owned))]
        }
    };
    let proven = pairs.into_iter().find_map(|(id, secret)| {
        let known = clients.find(&id).filter(|_| named.is_none_or(|named| named == id))?;
        let digest = secret.map(|secret| digest(&secret));
        (known.secret.is_none() || known.secret == digest).then_some(known)
    });
    proven.ok_or(InvalidClient::Client)
}

/// The ids and secrets that a header of HTTP Basic may mean. They are encoded as in forms, but many
/// clients send them as they are.
fn basic(header: &str) -> Vec<(String, Option<String>)> {
    let Some((id, secret)) = decoded(header) else { return Vec::new() };
    let encoded = parameters::decoded(&id).zip(parameters::decoded(&secret));
    let pairs = encoded.into_iter().chain([(id, secret)]);
    pairs.map(|(id, secret)| (id, Some(secret))).collect()
}

fn decoded(header: &str) -> Option<(String, String)> {
    let (scheme, encoded) = header.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("Basic") {
        return None;
    }
    let text = String::from_utf8(BASE64_STANDARD.decode(encoded.trim()).ok()?).ok()?;
    let (id, secret) = text.split_once(':')?;
    Some((id.to_owned(), secret.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn basic_holds_what_a_form_would_or_the_text_itself() {
        let read = |text: &str| basic(&format!("Basic {}", BASE64_STANDARD.encode(text)));
        let pair = |id: &str, secret: &str| (id.to_owned(), Some(secret.to_owned()));
        assert_eq!(read("app:s3cret"), [pair("app", "s3cret"), pair("app", "s3cret")]);
        let both = [pair("my app", "a:b+"), pair("my%20app", "a%3Ab%2B")];
        assert_eq!(read("my%20app:a%3Ab%2B"), both);
        assert_eq!(read("app:a&b"), [pair("app", "a&b")]);
        assert_eq!(read("app"), []);
        assert_eq!(basic("Bearer x"), []);
        assert_eq!(basic("Basic ?"), []);
    }
}
