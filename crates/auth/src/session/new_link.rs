//! Sign-in links that signed-in users make for another device of theirs.
//!
//! A link is as good as a session, so only pages of this server may make one, with the session
//! cookie. No access token is enough.

use std::fmt::Write;

use actix_web::{HttpRequest, HttpResponse, web};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use daybook_domain::session::Refusal;
use daybook_edge::error::{ApiError, RequestError};
use daybook_edge::run;
use daybook_service::{Error, session};
use daybook_storage::Tx;
use maud::html;
use qrcodegen::{QrCode, QrCodeEcc};
use serde::Serialize;

use super::login::signed_in;
use super::origin::OriginKind;
use super::page::with_security_headers;
use super::secret::LoginSecret;
use crate::security;
use crate::state::Auth;

/// The margin of a QR code in modules (ISO/IEC 18004, 9.1).
const QUIET_ZONE: i32 = 4;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LinkOut {
    url: String,
    /// In milliseconds since the Unix epoch.
    expires_at: String,
    /// A `data:` URL of an image; absent if the link is too long.
    #[serde(skip_serializing_if = "Option::is_none")]
    qr_code: Option<String>,
}

/// POST /auth/links: makes a link for another device.
pub async fn create_link(
    request: HttpRequest,
    state: web::Data<Auth>,
) -> Result<HttpResponse, ApiError> {
    let origin = state.web_origins.find(request.headers());
    if !origin.is_some_and(|(_, kind)| kind == OriginKind::Own) {
        return Err(RequestError::ForeignOrigin.into());
    }
    let signed_in = signed_in(&request, &state).await?;
    let (_, user) = signed_in.ok_or(Error::from(Refusal::SignedOut))?;
    let secret = LoginSecret::random().map_err(|error| RequestError::Failed(error.to_string()))?;
    let (digest, now) = (secret.digest(), (state.edge.clock)());
    let shard_key = session::shard_key(user.id);
    let work = move |tx: &mut Tx<'_>| session::add_device(tx, &user, digest, now);
    let link = run::write(&state.edge, shard_key, work).await?;
    security::note_change(&request, "deviceAdded");
    let url = secret.link(&state.edge.site.canonical_url);
    let body = LinkOut {
        expires_at: link.expires_at().milliseconds().to_string(),
        qr_code: render_qr_code(&url),
        url,
    };
    Ok(with_security_headers(HttpResponse::Ok()).json(body))
}

/// Renders a QR code as the `data:` URL of an SVG image; `None` if the text is too long.
#[must_use]
pub fn render_qr_code(text: &str) -> Option<String> {
    let code = QrCode::encode_text(text, QrCodeEcc::Medium).ok()?;
    let mut modules = String::new();
    for y in 0..code.size() {
        for x in (0..code.size()).filter(|x| code.get_module(*x, y)) {
            // Writing to a string does not fail.
            let _ = write!(modules, "M{},{}h1v1h-1z", x + QUIET_ZONE, y + QUIET_ZONE);
        }
    }
    let side = code.size() + 2 * QUIET_ZONE;
    let image = html! {
        svg xmlns="http://www.w3.org/2000/svg" viewBox={ "0 0 " (side) " " (side) }
            shape-rendering="crispEdges" {
            rect width="100%" height="100%" fill="#fff" {}
            path d=(modules) {}
        }
    };
    Some(format!("data:image/svg+xml;base64,{}", BASE64_STANDARD.encode(image.into_string())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn qr_code_is_an_image_with_a_margin() {
        let url = render_qr_code(&format!("http://127.0.0.1:8080/{}", "a".repeat(60))).unwrap();
        let image = url.strip_prefix("data:image/svg+xml;base64,").unwrap();
        let image = String::from_utf8(BASE64_STANDARD.decode(image).unwrap()).unwrap();
        // Version 5 has 37 modules on a side, and finder patterns in three corners.
        assert!(image.contains("viewBox=\"0 0 45 45\""), "{image}");
        for corner in ["M4,4h", "M40,4h", "M4,40h"] {
            assert!(image.contains(corner), "{corner}: {image}");
        }
        assert!(!image.contains("M3,") && !image.contains("M41,"), "{image}");
        assert_eq!(render_qr_code(&"a".repeat(3_000)), None);
    }
}
