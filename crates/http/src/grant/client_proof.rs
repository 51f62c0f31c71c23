//! Which client sends a request, and whether it is the one it says (RFC 6749, 2.3.1).

use actix_web::HttpRequest;
use actix_web::http::header::AUTHORIZATION;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use super::fields::Fields;
use super::refused::Unproven;
use super::registry::{Clients, Registered};
use crate::parameters;
use crate::session::secret::digest;

/// The client that sends a form: by HTTP Basic, or by `client_id` and `client_secret` in the form.
/// One that is registered without a secret proves nothing; existing programs send one all the same.
///
/// # Errors
/// [`Unproven`].
pub(super) fn client<'c>(
    request: &HttpRequest,
    fields: &Fields,
    clients: &'c Clients,
) -> Result<&'c Registered, Unproven> {
    if let Some(name) = fields.repeated() {
        return Err(Unproven::Malformed(format!("{name} stands twice")));
    }
    let named = fields.get("client_id").map(str::to_owned);
    let (id, secret) = match basic(request) {
        None => (named, fields.get("client_secret").map(str::to_owned)),
        Some(Some((id, secret))) if named.as_ref().is_none_or(|named| *named == id) => {
            (Some(id), Some(secret))
        }
        Some(_) => return Err(Unproven::Client),
    };
    let id = id.ok_or_else(|| Unproven::Malformed("client_id is missing".to_owned()))?;
    let known = clients.find(&id).ok_or(Unproven::Client)?;
    match known.secret {
        Some(expected) if secret.map(|secret| digest(&secret)) != Some(expected) => {
            Err(Unproven::Client)
        }
        _ => Ok(known),
    }
}

/// The id and the secret of HTTP Basic; `Some(None)` for a header that cannot be read.
fn basic(request: &HttpRequest) -> Option<Option<(String, String)>> {
    let header = request.headers().get(AUTHORIZATION)?;
    Some(header.to_str().ok().and_then(decoded))
}

fn decoded(header: &str) -> Option<(String, String)> {
    let (scheme, encoded) = header.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("Basic") {
        return None;
    }
    let text = String::from_utf8(BASE64_STANDARD.decode(encoded.trim()).ok()?).ok()?;
    let (id, secret) = text.split_once(':')?;
    Some((parameters::decoded(id)?, parameters::decoded(secret)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn basic_holds_what_a_form_would() {
        let header = |text: &str| format!("Basic {}", BASE64_STANDARD.encode(text));
        let pair = |id: &str, secret: &str| Some((id.to_owned(), secret.to_owned()));
        assert_eq!(decoded(&header("app:s3cret")), pair("app", "s3cret"));
        assert_eq!(decoded(&header("my%20app:a%3Ab:c")), pair("my app", "a:b:c"));
        assert_eq!(decoded(&header("app")), None);
        assert_eq!(decoded("Bearer x"), None);
        assert_eq!(decoded("Basic ?"), None);
    }
}
