//! The userinfo endpoint of a provider (OpenID Connect Core 5.3): asked for the address of somebody
//! whose token does not tell it.

use http::{Request, StatusCode};
use reqwest::Url;

use super::claims::IdentityClaims;
use super::outcome::Refusal;
use super::question::Questions;

/// What the provider says about the user of a token.
///
/// # Errors
/// [`Refusal::Untrusted`] when the provider does not take the token, or answers about somebody else
/// than `subject`; [`Refusal::Unavailable`].
pub(super) async fn ask(
    questions: &Questions,
    url: &Url,
    token: &str,
    subject: Option<&str>,
) -> Result<IdentityClaims, Refusal> {
    let _permit = questions.permit().await?;
    let request = Request::get(url.as_str())
        .header("authorization", format!("Bearer {token}"))
        .header("accept", "application/json")
        .body(Vec::new())
        .map_err(|_| Refusal::Untrusted)?;
    let answer = questions.outgoing.send(request).await?;
    match answer.status() {
        StatusCode::OK => {}
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => return Err(Refusal::Untrusted),
        other => return Err(Refusal::Unavailable(format!("userinfo answers {other}"))),
    }
    let claims = IdentityClaims::read(answer.body())
        .ok_or_else(|| Refusal::Unavailable("userinfo answers no JSON object".to_owned()))?;
    if subject.is_none() || claims.text("sub") != subject {
        return Err(Refusal::Untrusted);
    }
    Ok(claims)
}
