//! Access tokens. Daybook signs its own, with a key from the data directory, and trusts only those
//! (behaviour 11.2). Other issuers will become variants of [`Tokens`].

use daybook_domain::instant::Instant;
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation, decode, encode};
use serde::{Deserialize, Serialize};

use crate::token_crypto;

/// The issuer that tokens of this kind name, so that something else signed with the same key is no
/// token.
const ISSUER: &str = "daybook";
/// The scope every token must carry.
const SCOPE: &str = "email";

/// Why a token could not be made.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The e-mail address is malformed.
    #[error(transparent)]
    Email(#[from] daybook_domain::collaborator::Refusal),
    /// Signing failed.
    #[error("the token could not be signed: {0}")]
    Signing(String),
}

/// Issues and verifies access tokens.
pub enum Tokens {
    /// Signed by Daybook, with the key of this installation.
    Local(LocalKey),
}

/// The key that signs the tokens of an installation.
pub struct LocalKey {
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

impl LocalKey {
    /// The key with this secret, of at least 32 random bytes.
    #[must_use]
    pub fn new(secret: &[u8]) -> Self {
        token_crypto::install();
        Self {
            encoding: EncodingKey::from_secret(secret),
            decoding: DecodingKey::from_secret(secret),
        }
    }

    /// A token for a user, valid for so many days from `now`.
    ///
    /// # Errors
    /// [`Error::Email`] for a malformed address.
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
    /// The e-mail address that a token stands for, in lower case; `None` for a token that is not
    /// trusted.
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
        let (ours, theirs) = (LocalKey::new(&[1; 32]), LocalKey::new(&[2; 32]));
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
