//! The cryptography of tokens: HMAC by ring, which TLS brings anyway. The crate of tokens leaves
//! the choice open; its own offers would each compile a second RSA and second curves.

use jsonwebtoken::crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{ErrorKind, Result};
use jsonwebtoken::signature::{self, Signer, Verifier};
use jsonwebtoken::{Algorithm, AlgorithmFamily, DecodingKey, EncodingKey};
use ring::hmac::{HMAC_SHA256, Key, sign, verify};

static PROVIDER: CryptoProvider = CryptoProvider {
    signer_factory: signer,
    verifier_factory: verifier,
    key_utils: KeyUtils::new_unimplemented(),
};

/// Makes ring the cryptography of all tokens of this process. To do so again changes nothing.
pub(crate) fn install() {
    // It fails when a provider is installed, and the only one there is is this.
    let _ = PROVIDER.install_default();
}

/// HMAC with SHA-256 under one key.
struct Hs256(Key);

impl Hs256 {
    /// Refuses every other algorithm, and keys of other kinds: a public key must not become the
    /// secret of an HMAC.
    fn new(algorithm: Algorithm, family: AlgorithmFamily, secret: &[u8]) -> Result<Self> {
        if algorithm != Algorithm::HS256 {
            return Err(ErrorKind::InvalidAlgorithm.into());
        }
        if family != AlgorithmFamily::Hmac {
            return Err(ErrorKind::InvalidKeyFormat.into());
        }
        Ok(Self(Key::new(HMAC_SHA256, secret)))
    }
}

fn signer(algorithm: &Algorithm, key: &EncodingKey) -> Result<Box<dyn JwtSigner>> {
    Ok(Box::new(Hs256::new(*algorithm, key.family(), key.as_bytes())?))
}

fn verifier(algorithm: &Algorithm, key: &DecodingKey) -> Result<Box<dyn JwtVerifier>> {
    Ok(Box::new(Hs256::new(*algorithm, key.family(), key.try_get_as_bytes()?)?))
}

impl Signer<Vec<u8>> for Hs256 {
    fn try_sign(&self, message: &[u8]) -> std::result::Result<Vec<u8>, signature::Error> {
        Ok(sign(&self.0, message).as_ref().to_vec())
    }
}

impl JwtSigner for Hs256 {
    fn algorithm(&self) -> Algorithm {
        Algorithm::HS256
    }
}

impl Verifier<Vec<u8>> for Hs256 {
    fn verify(
        &self,
        message: &[u8],
        signature: &Vec<u8>,
    ) -> std::result::Result<(), signature::Error> {
        verify(&self.0, message, signature).map_err(|_| signature::Error::new())
    }
}

impl JwtVerifier for Hs256 {
    fn algorithm(&self) -> Algorithm {
        Algorithm::HS256
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of RFC 7515, appendix A.1.
    const SECRET: &str =
        "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow==";
    const MESSAGE: &str = "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOj\
        EzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ";
    const SIGNATURE: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";

    #[test]
    fn the_example_of_the_standard_is_signed_and_verified() {
        install();
        let key = EncodingKey::from_urlsafe_base64_secret(SECRET).unwrap();
        let algorithm = Algorithm::HS256;
        let signed = jsonwebtoken::crypto::sign(MESSAGE.as_bytes(), &key, algorithm).unwrap();
        assert_eq!(signed, SIGNATURE);
        let check = |signature: &str, secret: &[u8]| {
            let key = DecodingKey::from_secret(secret);
            jsonwebtoken::crypto::verify(signature, MESSAGE.as_bytes(), &key, algorithm).unwrap()
        };
        assert!(check(SIGNATURE, key.as_bytes()));
        assert!(!check(SIGNATURE, b"another secret"));
        assert!(!check(&SIGNATURE.replace("dBjf", "dBjg"), key.as_bytes()));
    }

    #[test]
    fn other_algorithms_and_keys_are_refused() {
        let secret = EncodingKey::from_secret(b"secret");
        assert!(signer(&Algorithm::HS384, &secret).is_err());
        let public = DecodingKey::from_rsa_der(b"not a secret");
        assert!(verifier(&Algorithm::HS256, &public).is_err());
    }
}
