//! Verification of the JSON Web Tokens of other issuers (RFC 7519, RFC 9068).

use std::collections::HashSet;

use aws_lc_rs::signature::ED25519_PUBLIC_KEY_LEN;
use daybook_domain::instant::Instant;
use jsonwebtoken::dangerous::insecure_decode_claims;
use jsonwebtoken::jwk::{Jwk, PublicKeyUse};
use jsonwebtoken::{
    Algorithm, AlgorithmFamily, DecodingKey, Header, Validation, decode, decode_header,
};
use serde::Deserialize;
use serde_json::Value;

use super::claims::IdentityClaims;

/// The accepted algorithms. None uses a shared secret.
const ALGORITHMS: [Algorithm; 4] =
    [Algorithm::RS256, Algorithm::PS256, Algorithm::ES256, Algorithm::EdDSA];
/// The accepted values of `typ`, if it is present. It excludes logout tokens, which the same keys
/// sign.
const TYPES: [&str; 3] = ["jwt", "at+jwt", "application/at+jwt"];
/// The maximum number of keys of an issuer.
const MAX_KEYS: usize = 100;

/// Returns the unverified issuer of a JWT; `None` if the text is not a JWT.
pub(super) fn issuer(token: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct UnverifiedIssuer {
        iss: String,
    }
    if token.split('.').count() != 3 {
        return None;
    }
    Some(insecure_decode_claims::<UnverifiedIssuer>(token).ok()?.iss)
}

/// A public key of an issuer.
pub(super) struct PublicKey {
    id: Option<String>,
    algorithm: Option<Algorithm>,
    key: DecodingKey,
}

/// Parses a JWK set, and skips keys for encryption, unsupported keys and secret keys.
pub(super) fn public_keys(body: &[u8]) -> Option<Vec<PublicKey>> {
    #[derive(Deserialize)]
    struct KeySet {
        keys: Vec<Value>,
    }
    let set: KeySet = serde_json::from_slice(body).ok()?;
    Some(set.keys.into_iter().take(MAX_KEYS).filter_map(public_key).collect())
}

fn public_key(key: Value) -> Option<PublicKey> {
    let jwk: Jwk = serde_json::from_value(key).ok()?;
    if jwk.common.public_key_use.as_ref().is_some_and(|used| *used != PublicKeyUse::Signature) {
        return None;
    }
    let algorithm = match jwk.common.key_algorithm {
        None => None,
        Some(named) => {
            let algorithm = Algorithm::try_from(named).ok()?;
            Some(algorithm).filter(|algorithm| ALGORITHMS.contains(algorithm)).map(Some)?
        }
    };
    let key = DecodingKey::from_jwk(&jwk).ok()?;
    is_public(&key).then_some(PublicKey { id: jwk.common.key_id, algorithm, key })
}

/// Whether a key is public and its encoding is that of a JWK.
///
/// The library would also verify with an Ed25519 key in the encoding of X.509 (RFC 8037, 2).
fn is_public(key: &DecodingKey) -> bool {
    match key.family() {
        AlgorithmFamily::Hmac => false,
        AlgorithmFamily::Rsa | AlgorithmFamily::Ec => true,
        AlgorithmFamily::Ed => {
            key.try_get_as_bytes().is_ok_and(|bytes| bytes.len() == ED25519_PUBLIC_KEY_LEN)
        }
    }
}

impl PublicKey {
    /// Whether the key id and algorithm of a token match this key.
    fn matches(&self, header: &Header) -> bool {
        let has_id = header.kid.is_none() || header.kid == self.id;
        let has_algorithm = self.algorithm.is_none_or(|algorithm| algorithm == header.alg);
        has_id && has_algorithm && self.key.family() == header.alg.family()
    }
}

/// Returns the unverified header of a token of a supported form.
///
/// # Errors
/// `None` for an unsupported algorithm or type, and for `crit`, `zip` or `enc`.
pub(super) fn header(token: &str) -> Option<Header> {
    let header = decode_header(token).ok()?;
    let is_known_type = |kind: &String| TYPES.contains(&kind.to_ascii_lowercase().as_str());
    let is_supported = ALGORITHMS.contains(&header.alg)
        && header.typ.as_ref().is_none_or(is_known_type)
        && header.crit.is_none()
        && header.zip.is_none()
        && header.enc.is_none();
    is_supported.then_some(header)
}

/// Whether one of the keys matches the header of a token.
pub(super) fn has_matching_key(header: &Header, keys: &[PublicKey]) -> bool {
    keys.iter().any(|key| key.matches(header))
}

/// Returns the claims of a token if its signature, issuer, audience and validity period are valid.
pub(super) fn verify(
    token: &str,
    header: &Header,
    keys: &[PublicKey],
    issuer: &str,
    clients: &HashSet<String>,
    now: Instant,
) -> Option<IdentityClaims> {
    let mut validation = Validation::new(header.alg);
    validation.set_issuer(&[issuer]);
    validation.aud = Some(clients.clone());
    validation.set_required_spec_claims(&["exp", "iss", "aud"]);
    // The library would read the system clock; `is_current` below compares with `now`.
    validation.validate_exp = false;
    let claims = keys
        .iter()
        .filter(|key| key.matches(header))
        .find_map(|key| decode::<IdentityClaims>(token, &key.key, &validation).ok())?
        .claims;
    (claims.instant("exp").is_some() && claims.is_current(now)).then_some(claims)
}

#[cfg(test)]
mod tests {
    use aws_lc_rs::rand::SystemRandom;
    use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair};
    use base64::Engine;
    use base64::prelude::BASE64_URL_SAFE_NO_PAD;
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    const NOW: Instant = Instant::new(1_763_000_000_000);
    const ISSUER: &str = "https://id.example.com";

    /// A provider with one key.
    struct Signer {
        pair: Ed25519KeyPair,
        keys: Vec<PublicKey>,
    }

    fn base64(bytes: impl AsRef<[u8]>) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(bytes)
    }

    impl Signer {
        fn new() -> Self {
            let generated = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
            let pair = Ed25519KeyPair::from_pkcs8(generated.as_ref()).unwrap();
            let x = base64(pair.public_key());
            let set = json!({"keys": [{"kty": "OKP", "crv": "Ed25519", "x": x, "kid": "one"}]});
            Self { pair, keys: public_keys(set.to_string().as_bytes()).unwrap() }
        }

        fn sign(&self, header: &Value, claims: &Value) -> String {
            let message = format!("{}.{}", base64(header.to_string()), base64(claims.to_string()));
            let signature = base64(self.pair.sign(message.as_bytes()));
            format!("{message}.{signature}")
        }

        fn trusts(&self, token: &str) -> bool {
            let clients = HashSet::from(["daybook".to_owned()]);
            header(token).is_some_and(|header| {
                verify(token, &header, &self.keys, ISSUER, &clients, NOW).is_some()
            })
        }
    }

    fn header_with(field: &str, value: Value) -> Value {
        let mut header = json!({"alg": "EdDSA", "typ": "JWT", "kid": "one"});
        header[field] = value;
        header
    }

    fn claims_with(field: &str, value: Value) -> Value {
        let mut claims = json!({"iss": ISSUER, "aud": "daybook", "exp": 1_763_000_060});
        claims[field] = value;
        claims
    }

    #[test]
    fn claims_must_be_current_and_for_this_audience() {
        let signer = Signer::new();
        let plain = header_with("typ", json!("JWT"));
        let trusted = |claims: Value| signer.trusts(&signer.sign(&plain, &claims));
        for (field, value, expected) in [
            ("aud", json!(["another", "daybook"]), true),
            ("exp", json!(1_762_999_941), true),
            ("exp", json!(1_762_999_940), false),
            ("exp", json!(1_762_999_941.5), true),
            ("exp", json!("soon"), false),
            ("exp", Value::Null, false),
            ("nbf", json!(1_763_000_060), true),
            ("nbf", json!(1_763_000_061), false),
            ("nbf", json!(1_763_000_061.5), false),
            ("nbf", json!(1.5e20), false),
            ("nbf", json!("soon"), false),
            ("aud", json!("another"), false),
            ("aud", json!(["another", "Daybook"]), false),
            ("aud", json!("dayboo"), false),
            ("aud", json!("daybook "), false),
            ("aud", json!(""), false),
            ("aud", json!([]), false),
            ("aud", json!({"daybook": true}), false),
            ("aud", Value::Null, false),
            ("iss", json!("https://id.example.com/"), false),
            ("iss", Value::Null, false),
            ("iss", json!(5), false),
        ] {
            assert_eq!(trusted(claims_with(field, value.clone())), expected, "{field} {value}");
        }
    }

    #[test]
    fn header_must_be_supported_and_match_a_key() {
        let signer = Signer::new();
        let claims = claims_with("sub", json!("1"));
        let trusted = |header: &Value| signer.trusts(&signer.sign(header, &claims));
        for (field, value, expected) in [
            ("typ", json!("at+jwt"), true),
            ("typ", json!("logout+jwt"), false),
            ("kid", Value::Null, true),
            ("kid", json!("two"), false),
            ("alg", json!("none"), false),
            ("alg", json!("NONE"), false),
            ("alg", json!(""), false),
            ("alg", Value::Null, false),
            ("alg", json!("HS256"), false),
            ("alg", json!("RS256"), false),
            ("crit", json!(["exp"]), false),
            ("crit", json!([]), false),
            ("new", json!(true), true),
        ] {
            assert_eq!(trusted(&header_with(field, value.clone())), expected, "{field} {value}");
        }
        for algorithm in ["RS384", "RS512", "PS384", "PS512", "ES384", "HS384", "HS512"] {
            let token = signer.sign(&header_with("alg", json!(algorithm)), &claims);
            assert!(super::header(&token).is_none(), "{algorithm}");
        }
        let token = signer.sign(&header_with("typ", json!("JWT")), &claims);
        assert!(!Signer::new().trusts(&token), "another key");
        assert!(!signer.trusts(token.rsplit_once('.').unwrap().0));
    }

    #[test]
    fn unsupported_keys_are_skipped() {
        let set = json!({"keys": [
            {"kty": "oct", "k": "c2VjcmV0"},
            {"kty": "OKP", "crv": "Ed25519", "x": base64([7; 32]), "use": "enc"},
            {"kty": "OKP", "crv": "Ed25519", "x": base64([7; 32]), "alg": "ES384"},
            {"kty": "new", "x": "?"},
            "no key",
            {"kty": "OKP", "crv": "Ed25519", "x": base64([7; 44])},
            {"kty": "OKP", "crv": "Ed25519", "x": base64([7; 32]), "use": "sig", "alg": "EdDSA"},
        ]});
        let keys = public_keys(set.to_string().as_bytes()).unwrap();
        assert_eq!(keys.len(), 1);
        assert!(public_keys(b"[]").is_none());
    }

    /// The header and claims of the example in RFC 7515, appendix A.2.
    const MESSAGE: &str = "\
        eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6\
        Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ";
    const RSA_MODULUS: &str = "\
        ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2\
        mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7\
        OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMT\
        BQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkM\
        Ls91kzk2PAcDTW9gb54h4FRWyuXpoQ";
    const RSA_SIGNATURE: &str = "\
        cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_\
        lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO7\
        5vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOk\
        HWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWy\
        wlVmtVrBp0igcN_IoypGlUPQGe77Rw";

    /// Whether a JWK verifies a signature; `None` if the key cannot be used with the algorithm.
    fn verifies(jwk: &Value, algorithm: Algorithm, message: &str, signature: &str) -> Option<bool> {
        let set = json!({"keys": [jwk]});
        let [key] = &public_keys(set.to_string().as_bytes())?[..] else { return None };
        jsonwebtoken::crypto::verify(signature, message.as_bytes(), &key.key, algorithm).ok()
    }

    /// RFC 7515, appendices A.2 and A.3; RFC 8037, appendix A.5.
    #[test]
    fn key_verifies_only_signatures_of_its_own_algorithm() {
        let rsa = json!({"kty": "RSA", "n": RSA_MODULUS, "e": "AQAB"});
        let ec = json!({
            "kty": "EC", "crv": "P-256",
            "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
            "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
        });
        let ec_message = MESSAGE.replace("SUzI", "FUzI");
        let ec_signature = "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxf\
            KTUJqPP3-Kg6NU1Q";
        let ed = json!({
            "kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
        });
        let ed_message = "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc";
        let ed_signature = "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9\
            g7sVvpAr_MuM0KAg";
        for (jwk, algorithm, message, signature) in [
            (rsa, Algorithm::RS256, MESSAGE, RSA_SIGNATURE),
            (ec, Algorithm::ES256, &ec_message, ec_signature),
            (ed, Algorithm::EdDSA, ed_message, ed_signature),
        ] {
            assert_eq!(verifies(&jwk, algorithm, message, signature), Some(true), "{algorithm:?}");
            let changed = message.replace('J', "K");
            assert_eq!(verifies(&jwk, algorithm, &changed, signature), Some(false));
            for other in ALGORITHMS.into_iter().chain([Algorithm::HS256]) {
                let expected = (other.family() == algorithm.family()).then_some(other == algorithm);
                let found = verifies(&jwk, other, message, signature);
                assert_eq!(found, expected, "{other:?} with a key for {algorithm:?}");
            }
        }
    }

    /// The key and its valid signature were made with OpenSSL.
    #[test]
    fn rsa_key_of_1_024_bits_verifies_nothing() {
        let modulus = "\
            rQZIqBILoe9LJAEm_vrGpNL7ZKJ_UXfju9lTvKkclfelxp93D2-p_CeCWtgu6AVukjYsO53RY477z8vO\
            Cj8jQ4otPpAyx66kDgDpZH1FM70UPDaXuH8YM4IYJCzHJ0k-9PE_tyuZKmQov1qWsRyvK_s9RG4MxUXq\
            vZuBepYsJJU";
        let signature = "\
            jv_z8JspREc9ZUb-hiQREk91JniD58F_Mkr9kYT_LrsuP5q8v9F6tvaOkLRhwqCv96FG_mM4_UcB9oDa\
            2bVL_UQQjMYjm0K59NQpsaBoFsTA5OVNoZJbto21aszFMPWRJbWNaOKBP-t0rrA2u-PdmFw8h-ooJyk4\
            86WVqm6jl3w";
        let jwk = json!({"kty": "RSA", "n": modulus, "e": "AQAB"});
        assert_eq!(verifies(&jwk, Algorithm::RS256, "message", signature), Some(false));
    }

    #[test]
    fn issuer_is_read_from_a_jwt_only() {
        let signer = Signer::new();
        let token = signer.sign(&json!({}), &claims_with("sub", json!("1")));
        assert_eq!(issuer(&token).as_deref(), Some(ISSUER));
        for other in ["", "opaque", "a.b.c", &token[..20], &format!("{token}.x")] {
            assert_eq!(issuer(other), None, "{other}");
        }
    }

    /// A part of a token: valid or random JSON, encoded or plain.
    fn part() -> impl Strategy<Value = String> {
        prop_oneof![
            Just(base64(r#"{"alg":"EdDSA","typ":"JWT","kid":"one"}"#)),
            Just(base64(r#"{"iss":"https://id.example.com","aud":"daybook","exp":1763000060}"#)),
            Just(base64(r#"{"alg":"none"}"#)),
            "\\{\"(alg|iss|aud|exp|kid)\":(null|\\[\\]|-?[0-9]{1,30}|\"\\PC{0,9}\")\\}"
                .prop_map(base64),
            proptest::collection::vec(any::<u8>(), 0..90).prop_map(base64),
            "\\PC{0,30}",
        ]
    }

    proptest! {
        /// Random tokens are refused without a panic.
        #[test]
        fn random_token_is_refused(parts in proptest::collection::vec(part(), 0..5)) {
            static SIGNER: std::sync::LazyLock<Signer> = std::sync::LazyLock::new(Signer::new);
            let token = parts.join(".");
            prop_assert!(!SIGNER.trusts(&token), "{token}");
            let _ = issuer(&token);
        }

        /// A valid token is refused if any byte is changed.
        #[test]
        fn modified_token_is_refused(at in any::<prop::sample::Index>(), to: u8) {
            static SIGNER: std::sync::LazyLock<Signer> = std::sync::LazyLock::new(Signer::new);
            let good = SIGNER.sign(&header_with("typ", json!("JWT")), &claims_with("x", json!(1)));
            prop_assert!(SIGNER.trusts(&good));
            let mut bytes = good.clone().into_bytes();
            let at = at.index(bytes.len());
            bytes[at] = to;
            let changed = String::from_utf8_lossy(&bytes).into_owned();
            prop_assert!(changed == good || !SIGNER.trusts(&changed), "{changed}");
        }

        #[test]
        fn random_keys_are_skipped(body in "\\PC{0,60}", part in part()) {
            prop_assert!(public_keys(body.as_bytes()).is_none_or(|keys| keys.is_empty()));
            let set = json!({"keys": [{"kty": "OKP", "crv": "Ed25519", "x": part}, {"kty": part}]});
            prop_assert!(public_keys(set.to_string().as_bytes()).is_some());
        }
    }
}
