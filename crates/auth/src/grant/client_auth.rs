//! Client authentication by secret (RFC 6749, 2.3.1).

use actix_web::HttpRequest;
use actix_web::http::header::AUTHORIZATION;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use daybook_edge::client_address::client_address;
use daybook_edge::error::RequestError;
use daybook_edge::parameters;

use super::fields::Fields;
use super::oauth_error::InvalidClient;
use super::registry::{Clients, RegisteredClient};
use crate::session::secret::digest;
use crate::state::Auth;

/// Authenticates the client of a request.
///
/// Wrong secrets are rate limited by client address, together with wrong tokens (behaviour 10.12).
///
/// # Errors
/// 429 after too many failures. The inner [`InvalidClient`] is the response to the client.
pub(super) fn authenticate_client<'s>(
    request: &HttpRequest,
    fields: &Fields,
    state: &'s Auth,
) -> Result<Result<&'s RegisteredClient, InvalidClient>, RequestError> {
    let address = client_address(request, &state.edge);
    state.refused_tokens.check(address)?;
    let found = read(request, fields, &state.clients);
    if matches!(found, Err(InvalidClient::Client)) {
        state.refused_tokens.record(address);
    }
    Ok(found)
}

/// Finds the client by HTTP Basic, or by `client_id` and `client_secret` in the form.
///
/// The secret of a client that is registered without one is ignored; existing programs send one.
///
/// # Errors
/// [`InvalidClient`].
fn read<'c>(
    request: &HttpRequest,
    fields: &Fields,
    clients: &'c Clients,
) -> Result<&'c RegisteredClient, InvalidClient> {
    if let Some(name) = fields.repeated() {
        return Err(InvalidClient::Malformed(format!("{name} is repeated")));
    }
    let form_id = fields.get("client_id");
    let candidates: Vec<(String, Option<String>)> = match request.headers().get(AUTHORIZATION) {
        Some(header) => header.to_str().ok().map(basic_credentials).unwrap_or_default(),
        None => {
            let id = form_id
                .ok_or_else(|| InvalidClient::Malformed("client_id is missing".to_owned()))?;
            vec![(id.to_owned(), fields.get("client_secret").map(str::to_owned))]
        }
    };
    for (id, secret) in candidates {
        if form_id.is_some_and(|form_id| form_id != id) {
            continue;
        }
        if let Some(registered) = clients.find(&id)
            && (registered.secret.is_none()
                || registered.secret == secret.map(|secret| digest(&secret)))
        {
            return Ok(registered);
        }
    }
    Err(InvalidClient::Client)
}

/// Returns the ids and secrets that an HTTP Basic header may mean.
///
/// They are form-encoded by the standard, but many clients send them unencoded.
fn basic_credentials(header: &str) -> Vec<(String, Option<String>)> {
    let Some((id, secret)) = decode_basic(header) else { return Vec::new() };
    let encoded = parameters::decode(&id).zip(parameters::decode(&secret));
    let pairs = encoded.into_iter().chain([(id, secret)]);
    pairs.map(|(id, secret)| (id, Some(secret))).collect()
}

fn decode_basic(header: &str) -> Option<(String, String)> {
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
    fn basic_credentials_may_be_encoded_or_plain() {
        let read =
            |text: &str| basic_credentials(&format!("Basic {}", BASE64_STANDARD.encode(text)));
        let pair = |id: &str, secret: &str| (id.to_owned(), Some(secret.to_owned()));
        assert_eq!(read("app:s3cret"), [pair("app", "s3cret"), pair("app", "s3cret")]);
        let both = [pair("my app", "a:b+"), pair("my%20app", "a%3Ab%2B")];
        assert_eq!(read("my%20app:a%3Ab%2B"), both);
        assert_eq!(read("app:a&b"), [pair("app", "a&b")]);
        assert_eq!(read("app"), []);
        assert_eq!(basic_credentials("Bearer x"), []);
        assert_eq!(basic_credentials("Basic ?"), []);
    }
}
