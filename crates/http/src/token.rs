//! Access tokens. In local mode Daybook signs its own with a key from the data directory and trusts
//! only those (behaviour 11.2); other issuers will join behind the same type.

use daybook_domain::instant::Instant;
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation, decode, encode};
use serde::{Deserialize, Serialize};

/// What local tokens say of their issuer, so that what else a key may have signed opens nothing
/// here.
const ISSUER: &str = "daybook";
/// The scope every token must carry.
const SCOPE: &str = "email";

/// Why a token could not be made.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The address is not one.
    #[error(transparent)]
    Email(#[from] daybook_domain::collaborator::Refusal),
    /// Signing failed.
    #[error("the token could not be signed: {0}")]
    Signing(String),
}

/// Issues and verifies access tokens.
pub enum Tokens {
    /// Signed here, with a key of this installation.
    Local(Local),
}

/// The key of a local installation.
pub struct Local {
    encoding: EncodingKey,
    decoding: DecodingKey,
}

#[derive(Serialize, Deserialize)]
struct Claims {
    iss: String,
    email: String,
    scope: String,
    iat: i64,
    exp: i64,
}

impl Local {
    /// Uses a secret of at least 32 random bytes.
    #[must_use]
    pub fn new(secret: &[u8]) -> Self {
        Self {
            encoding: EncodingKey::from_secret(secret),
            decoding: DecodingKey::from_secret(secret),
        }
    }

    /// A token for a user, valid for so many days from `now`.
    ///
    /// # Errors
    /// [`Error`] for a malformed address.
    pub fn issue(&self, email: &str, days: u32, now: Instant) -> Result<String, Error> {
        let email = daybook_domain::collaborator::email(email)?;
        let iat = now.milliseconds().div_euclid(1_000);
        let exp = iat.saturating_add(i64::from(days).saturating_mul(86_400));
        let claims = Claims { iss: ISSUER.to_owned(), email, scope: SCOPE.to_owned(), iat, exp };
        encode(&Header::new(Algorithm::HS256), &claims, &self.encoding)
            .map_err(|error| Error::Signing(error.to_string()))
    }

    fn verify(&self, token: &str) -> Option<String> {
        let mut validation = Validation::new(Algorithm::HS256);
        validation.set_issuer(&[ISSUER]);
        validation.set_required_spec_claims(&["exp", "iss"]);
        validation.leeway = 0;
        let claims = decode::<Claims>(token, &self.decoding, &validation).ok()?.claims;
        let scoped = claims.scope.split_whitespace().any(|scope| scope == SCOPE);
        if scoped { daybook_domain::collaborator::email(&claims.email).ok() } else { None }
    }
}

impl Tokens {
    /// The verified e-mail address, in lower case, a token stands for; `None` for a token that is
    /// not trusted.
    #[must_use]
    pub fn verify(&self, token: &str) -> Option<String> {
        match self {
            Self::Local(local) => local.verify(token),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Far in the future, because the library checks against the real clock.
    const NOW: Instant = Instant::new(4_000_000_000_000);

    #[test]
    fn only_own_unexpired_tokens_are_trusted() {
        let (ours, theirs) = (Local::new(&[1; 32]), Local::new(&[2; 32]));
        let token = ours.issue("Alice@Example.com", 1, NOW).unwrap();
        assert_eq!(ours.verify(&token).as_deref(), Some("alice@example.com"));
        assert_eq!(theirs.verify(&token), None);
        let expired = ours.issue("alice@example.com", 1, Instant::new(0)).unwrap();
        assert_eq!(ours.verify(&expired), None);
        let (head, _) = token.rsplit_once('.').unwrap();
        assert_eq!(ours.verify(&format!("{head}.")), None);
        assert_eq!(ours.verify("nonsense"), None);
        assert!(ours.issue("nobody", 1, NOW).is_err());
    }
}
