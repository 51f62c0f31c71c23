//! Validation of ID tokens against the pending sign-in (OpenID Connect Core, 3.1.3.7).

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use daybook_domain::instant::Instant;
use jsonwebtoken::Algorithm;
use sha2::{Digest, Sha256, Sha512};

use super::claims::{IdentityClaims, LEEWAY};
use super::outcome::Refusal;
use super::sign_in::{PendingSignIn, SignInClient, SignInRefusal};

impl PendingSignIn {
    /// Checks the claims of an ID token, and returns its `auth_time`.
    ///
    /// # Errors
    /// [`Refusal::Untrusted`] if it is not for this sign-in, client and access token;
    /// [`SignInRefusal::Stale`].
    pub(super) fn check_id_token(
        &self,
        claims: &IdentityClaims,
        algorithm: Algorithm,
        client: &SignInClient,
        access_token: &str,
    ) -> Result<Option<Instant>, SignInRefusal> {
        let has_valid_hash = !claims.has("at_hash")
            || claims.text("at_hash") == Some(&access_token_hash(algorithm, access_token));
        if !has_valid_hash || !self.is_addressee(claims, client) {
            return Err(Refusal::Untrusted.into());
        }
        let auth_time = claims.instant("auth_time");
        let latest = auth_time.map(|at| at.milliseconds().saturating_add(LEEWAY));
        match self.signed_in_since {
            Some(since) if latest.is_none_or(|at| at < since) => Err(SignInRefusal::Stale),
            Some(_) | None => Ok(auth_time),
        }
    }

    /// Whether the claims have the nonce of this sign-in and were issued to this client only.
    fn is_addressee(&self, claims: &IdentityClaims, client: &SignInClient) -> bool {
        let authorized_party = claims.text("azp");
        claims.text("nonce") == Some(&self.nonce)
            && claims.text("sub").is_some()
            && authorized_party.map_or(claims.texts("aud").len() == 1, |azp| azp == client.id)
    }
}

/// Returns the left half of the hash of an access token (OpenID Connect Core, 3.1.3.6).
///
/// The hash function is that of the algorithm of the ID token; Ed25519 has SHA-512 (RFC 8032, 5.1).
fn access_token_hash(algorithm: Algorithm, token: &str) -> String {
    let digest = if algorithm == Algorithm::EdDSA {
        Sha512::digest(token).to_vec()
    } else {
        Sha256::digest(token).to_vec()
    };
    let (half, _) = digest.split_at(digest.len() / 2);
    BASE64_URL_SAFE_NO_PAD.encode(half)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn pending(signed_in_since: Option<i64>) -> PendingSignIn {
        let pending = json!({
            "provider": "Example", "state": "s", "nonce": "nonce", "verifier": "v",
            "signed_in_since": signed_in_since,
        });
        serde_json::from_value(pending).unwrap()
    }

    fn check(
        pending: &PendingSignIn,
        claims: &Value,
        algorithm: Algorithm,
    ) -> Result<Option<Instant>, SignInRefusal> {
        let client = SignInClient::new("Example", "daybook".to_owned(), None).unwrap();
        let claims = IdentityClaims::read(claims.to_string().as_bytes()).unwrap();
        pending.check_id_token(&claims, algorithm, &client, TOKEN)
    }

    /// The example of OpenID Connect Core, A.3, whose algorithm is RS256.
    const TOKEN: &str = "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y";
    const HASH: &str = "77QmUPtjPfzWtF2AnpK9RQ";

    #[test]
    fn id_token_is_valid_for_one_sign_in_of_one_client() {
        for (claims, expected) in [
            (json!({"sub": "1", "aud": "daybook", "nonce": "nonce"}), true),
            (json!({"sub": "1", "aud": ["daybook"], "nonce": "nonce"}), true),
            (json!({"sub": "1", "aud": "daybook", "nonce": "nonce", "azp": "daybook"}), true),
            (
                json!({"sub": "1", "aud": ["daybook", "a"], "nonce": "nonce", "azp": "daybook"}),
                true,
            ),
            (json!({"sub": "1", "aud": ["daybook", "a"], "nonce": "nonce"}), false),
            (json!({"sub": "1", "aud": "daybook", "nonce": "nonce", "azp": "another"}), false),
            (json!({"sub": "1", "aud": "daybook", "nonce": "another"}), false),
            (json!({"sub": "1", "aud": "daybook"}), false),
            (json!({"aud": "daybook", "nonce": "nonce"}), false),
        ] {
            let found = check(&pending(None), &claims, Algorithm::ES256);
            let untrusted = Err(Refusal::Untrusted.into());
            assert_eq!(found, if expected { Ok(None) } else { untrusted }, "{claims}");
        }
    }

    #[test]
    fn id_token_must_match_its_access_token() {
        // The SHA-512 of the same token, computed by another program.
        let of_ed25519 = "q7nS86GgvvFaZkzALLWqJYaJIKw2wCDAVfCAsm5CrBM";
        for (hash, algorithm, expected) in [
            (json!(HASH), Algorithm::RS256, true),
            (json!(HASH), Algorithm::PS256, true),
            (json!(HASH), Algorithm::ES256, true),
            (json!(HASH), Algorithm::EdDSA, false),
            (json!(of_ed25519), Algorithm::EdDSA, true),
            (json!(of_ed25519), Algorithm::ES256, false),
            (json!(&HASH[1..]), Algorithm::RS256, false),
            (json!(""), Algorithm::RS256, false),
            (json!(1), Algorithm::RS256, false),
            (json!(null), Algorithm::RS256, false),
        ] {
            let claims = json!({"sub": "1", "aud": "daybook", "nonce": "nonce", "at_hash": hash});
            let found = check(&pending(None), &claims, algorithm);
            assert_eq!(found.is_ok(), expected, "{hash} {algorithm:?}");
        }
    }

    #[test]
    fn auth_time_must_be_recent_enough() {
        let stale = Err(SignInRefusal::Stale);
        let at = |seconds: i64| Ok(Some(Instant::new(seconds * 1_000)));
        for (time, since, expected) in [
            (json!(100), None, at(100)),
            (json!("soon"), None, Ok(None)),
            (json!(100), Some(160_000), at(100)),
            (json!(100), Some(160_001), stale.clone()),
            (json!(200), Some(160_001), at(200)),
            (json!("soon"), Some(160_000), stale.clone()),
            (json!(null), Some(0), stale),
        ] {
            let mut claims = json!({"sub": "1", "aud": "daybook", "nonce": "nonce"});
            claims["auth_time"] = time;
            let found = check(&pending(since), &claims, Algorithm::ES256);
            assert_eq!(found, expected, "{claims} {since:?}");
        }
    }
}
