//! The userinfo endpoint of a provider (OpenID Connect Core 5.3).

use daybook_service::user::VerifiedUser;
use http::StatusCode;
use reqwest::Url;

use super::claims::IdentityClaims;
use super::http_client::HttpClient;
use super::outcome::Refusal;

/// Returns the user of a token by its claims, or by the userinfo endpoint if they have no address.
///
/// # Errors
/// [`Refusal`].
pub(super) async fn find_user(
    http_client: &HttpClient,
    url: Option<&Url>,
    token: &str,
    claims: &IdentityClaims,
) -> Result<VerifiedUser, Refusal> {
    match url {
        Some(url) if !claims.has_email() => {
            fetch_claims(http_client, url, token, claims.text("sub")).await?.user()
        }
        Some(_) | None => claims.user(),
    }
}

/// Fetches the claims about the user of a token.
///
/// # Errors
/// [`Refusal::Untrusted`] if the provider refuses the token, or the response has another subject;
/// [`Refusal::Unavailable`].
async fn fetch_claims(
    http_client: &HttpClient,
    url: &Url,
    token: &str,
    subject: Option<&str>,
) -> Result<IdentityClaims, Refusal> {
    let response = http_client.get(url.as_str(), Some(token)).await?;
    match response.status() {
        StatusCode::OK => {}
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => return Err(Refusal::Untrusted),
        other => return Err(Refusal::Unavailable(format!("userinfo responded with {other}"))),
    }
    let claims = IdentityClaims::read(response.body()).ok_or_else(|| {
        Refusal::Unavailable("the userinfo response is not a JSON object".to_owned())
    })?;
    if subject.is_none() || claims.text("sub") != subject {
        return Err(Refusal::Untrusted);
    }
    Ok(claims)
}
