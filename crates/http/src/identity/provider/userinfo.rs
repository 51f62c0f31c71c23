//! The userinfo endpoint of a provider (OpenID Connect Core 5.3): asked for the address of somebody
//! whose token does not tell it.

use daybook_service::user::VerifiedUser;
use http::StatusCode;
use reqwest::Url;

use super::claims::IdentityClaims;
use super::outcome::Refusal;
use super::single_flight::InFlightLookups;

/// Whom the claims of a token describe; where they tell no address, what the provider says at `url`
/// about its user.
///
/// # Errors
/// [`Refusal`].
pub(super) async fn user(
    questions: &InFlightLookups,
    url: Option<&Url>,
    token: &str,
    claims: &IdentityClaims,
) -> Result<VerifiedUser, Refusal> {
    match url.filter(|_| !claims.has_email()) {
        Some(url) => ask(questions, url, token, claims.text("sub")).await?.user(),
        None => claims.user(),
    }
}

/// What the provider says about the user of a token.
///
/// # Errors
/// [`Refusal::Untrusted`] when the provider does not take the token, or answers about somebody else
/// than `subject`; [`Refusal::Unavailable`].
async fn ask(
    questions: &InFlightLookups,
    url: &Url,
    token: &str,
    subject: Option<&str>,
) -> Result<IdentityClaims, Refusal> {
    let answer = questions.get(url.as_str(), Some(token)).await?;
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
