//! The cryptography provider of the crate `jsonwebtoken`, implemented with `ring`.
//!
//! TLS already links `ring`. The providers of `jsonwebtoken` would each compile a second
//! implementation of RSA and the curves.

use jsonwebtoken::crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{ErrorKind, Result};
use jsonwebtoken::jwk::ThumbprintHash;
use jsonwebtoken::signature::{self, Signer, Verifier};
use jsonwebtoken::{Algorithm, AlgorithmFamily, DecodingKey, DecodingKeyKind, EncodingKey};
use ring::digest::{SHA256, digest};
use ring::hmac::{HMAC_SHA256, Key, sign, verify};
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ED25519, Ed25519KeyPair, RSA_PKCS1_2048_8192_SHA256, RSA_PKCS1_SHA256,
    RSA_PSS_2048_8192_SHA256, RsaKeyPair, RsaParameters, RsaPublicKeyComponents, UnparsedPublicKey,
    VerificationAlgorithm,
};

static PROVIDER: CryptoProvider = CryptoProvider {
    signer_factory: signer,
    verifier_factory: verifier,
    key_utils: KeyUtils { compute_digest: sha256, ..KeyUtils::new_unimplemented() },
};

/// Installs the provider for this process. Further calls have no effect.
pub(crate) fn install() {
    // An error means that a provider is installed, which can only be this one.
    let _ = PROVIDER.install_default();
}

/// Returns the signer of an algorithm. The key must be of the same family.
fn signer(algorithm: &Algorithm, key: &EncodingKey) -> Result<Box<dyn JwtSigner>> {
    if key.family() != algorithm.family() {
        return Err(ErrorKind::InvalidKeyFormat.into());
    }
    let invalid = |_| ErrorKind::InvalidKeyFormat;
    match algorithm {
        Algorithm::HS256 => Ok(Box::new(Hs256::new(*algorithm, key.family(), key.as_bytes())?)),
        Algorithm::RS256 => {
            Ok(Box::new(RsaSigner(RsaKeyPair::from_der(key.as_bytes()).map_err(invalid)?)))
        }
        Algorithm::EdDSA => {
            Ok(Box::new(EdSigner(Ed25519KeyPair::from_pkcs8(key.as_bytes()).map_err(invalid)?)))
        }
        Algorithm::HS384
        | Algorithm::HS512
        | Algorithm::ES256
        | Algorithm::ES384
        | Algorithm::RS384
        | Algorithm::RS512
        | Algorithm::PS256
        | Algorithm::PS384
        | Algorithm::PS512
        | _ => Err(ErrorKind::InvalidAlgorithm.into()),
    }
}

/// Returns the digest for thumbprints; only SHA-256 is supported.
fn sha256(data: &[u8], function: ThumbprintHash) -> Result<Vec<u8>> {
    if function == ThumbprintHash::SHA256 {
        Ok(digest(&SHA256, data).as_ref().to_vec())
    } else {
        Err(ErrorKind::InvalidAlgorithm.into())
    }
}

/// Returns the verifier of an algorithm.
///
/// The key must be of the same family, so that a public key is never used as an HMAC secret.
fn verifier(algorithm: &Algorithm, key: &DecodingKey) -> Result<Box<dyn JwtVerifier>> {
    if key.family() != algorithm.family() {
        return Err(ErrorKind::InvalidKeyFormat.into());
    }
    let public = |ring| -> Result<Box<dyn JwtVerifier>> {
        let key = key.try_get_as_bytes()?.to_vec();
        Ok(Box::new(CurveKey { algorithm: *algorithm, ring, key }))
    };
    match algorithm {
        Algorithm::HS256 => {
            Ok(Box::new(Hs256::new(*algorithm, key.family(), key.try_get_as_bytes()?)?))
        }
        Algorithm::RS256 => RsaKey::boxed(*algorithm, &RSA_PKCS1_2048_8192_SHA256, key),
        Algorithm::PS256 => RsaKey::boxed(*algorithm, &RSA_PSS_2048_8192_SHA256, key),
        Algorithm::ES256 => public(&ECDSA_P256_SHA256_FIXED),
        Algorithm::EdDSA => public(&ED25519),
        Algorithm::HS384
        | Algorithm::HS512
        | Algorithm::ES384
        | Algorithm::RS384
        | Algorithm::RS512
        | Algorithm::PS384
        | Algorithm::PS512
        | _ => Err(ErrorKind::InvalidAlgorithm.into()),
    }
}

/// HMAC with SHA-256.
struct Hs256(Key);

impl Hs256 {
    /// Checks the algorithm and the family of the key.
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

/// An RSA key pair that signs with PKCS #1 v1.5 and SHA-256.
struct RsaSigner(RsaKeyPair);

impl Signer<Vec<u8>> for RsaSigner {
    fn try_sign(&self, message: &[u8]) -> std::result::Result<Vec<u8>, signature::Error> {
        let mut signature = vec![0; self.0.public().modulus_len()];
        self.0
            .sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), message, &mut signature)
            .map_err(|_| signature::Error::new())?;
        Ok(signature)
    }
}

impl JwtSigner for RsaSigner {
    fn algorithm(&self) -> Algorithm {
        Algorithm::RS256
    }
}

/// An Ed25519 key pair.
struct EdSigner(Ed25519KeyPair);

impl Signer<Vec<u8>> for EdSigner {
    fn try_sign(&self, message: &[u8]) -> std::result::Result<Vec<u8>, signature::Error> {
        Ok(self.0.sign(message).as_ref().to_vec())
    }
}

impl JwtSigner for EdSigner {
    fn algorithm(&self) -> Algorithm {
        Algorithm::EdDSA
    }
}

/// A public key for ECDSA on P-256 or Ed25519.
struct CurveKey {
    algorithm: Algorithm,
    ring: &'static dyn VerificationAlgorithm,
    key: Vec<u8>,
}

impl Verifier<Vec<u8>> for CurveKey {
    fn verify(
        &self,
        message: &[u8],
        signature: &Vec<u8>,
    ) -> std::result::Result<(), signature::Error> {
        UnparsedPublicKey::new(self.ring, &self.key)
            .verify(message, signature)
            .map_err(|_| signature::Error::new())
    }
}

impl JwtVerifier for CurveKey {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}

/// An RSA public key of 2,048 to 8,192 bits.
struct RsaKey {
    algorithm: Algorithm,
    ring: &'static RsaParameters,
    key: RsaPublicKeyComponents<Vec<u8>>,
}

impl RsaKey {
    fn boxed(
        algorithm: Algorithm,
        ring: &'static RsaParameters,
        key: &DecodingKey,
    ) -> Result<Box<dyn JwtVerifier>> {
        match key.kind() {
            DecodingKeyKind::RsaModulusExponent { n, e } => {
                let key = RsaPublicKeyComponents { n: n.clone(), e: e.clone() };
                Ok(Box::new(Self { algorithm, ring, key }))
            }
            DecodingKeyKind::SecretOrDer(_) => Err(ErrorKind::InvalidKeyFormat.into()),
        }
    }
}

impl Verifier<Vec<u8>> for RsaKey {
    fn verify(
        &self,
        message: &[u8],
        signature: &Vec<u8>,
    ) -> std::result::Result<(), signature::Error> {
        self.key.verify(self.ring, message, signature).map_err(|_| signature::Error::new())
    }
}

impl JwtVerifier for RsaKey {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
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
    fn rfc_7515_hmac_example_is_signed_and_verified() {
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

    /// RFC 7515, appendices A.2 and A.3; RFC 8037, appendix A.5.
    const RSA: (&str, &str) = (
        "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2\
         mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7\
         OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMT\
         BQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkM\
         Ls91kzk2PAcDTW9gb54h4FRWyuXpoQ",
        "AQAB",
    );
    const RSA_SIGNATURE: &str = "\
        cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_\
        lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO7\
        5vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOk\
        HWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWy\
        wlVmtVrBp0igcN_IoypGlUPQGe77Rw";
    const EC: (&str, &str) = (
        "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
        "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
    );
    const EC_SIGNATURE: &str =
        "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q";
    const ED: &str = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";
    const ED_MESSAGE: &str = "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc";
    const ED_SIGNATURE: &str =
        "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg";

    #[test]
    fn rfc_public_keys_verify_their_signatures() {
        install();
        let claims = MESSAGE.split_once('.').unwrap().1;
        let rsa = DecodingKey::from_rsa_components(RSA.0, RSA.1).unwrap();
        let ec = DecodingKey::from_ec_components(EC.0, EC.1).unwrap();
        let ed = DecodingKey::from_ed_components(ED).unwrap();
        for (key, algorithm, message, signature) in [
            (rsa, Algorithm::RS256, format!("eyJhbGciOiJSUzI1NiJ9.{claims}"), RSA_SIGNATURE),
            (ec, Algorithm::ES256, format!("eyJhbGciOiJFUzI1NiJ9.{claims}"), EC_SIGNATURE),
            (ed, Algorithm::EdDSA, ED_MESSAGE.to_owned(), ED_SIGNATURE),
        ] {
            let check = |message: &str| {
                jsonwebtoken::crypto::verify(signature, message.as_bytes(), &key, algorithm)
            };
            assert_eq!(check(&message), Ok(true), "{algorithm:?}");
            assert_eq!(check(&message.replace('J', "K")), Ok(false), "{algorithm:?}");
        }
    }

    #[test]
    fn unsupported_algorithms_and_mismatched_keys_are_refused() {
        let secret = EncodingKey::from_secret(b"secret");
        assert!(signer(&Algorithm::HS384, &secret).is_err());
        let public = DecodingKey::from_rsa_components(RSA.0, RSA.1).unwrap();
        for other in [Algorithm::HS256, Algorithm::ES256, Algorithm::EdDSA, Algorithm::RS512] {
            assert!(verifier(&other, &public).is_err(), "{other:?}");
        }
        assert!(verifier(&Algorithm::HS256, &DecodingKey::from_rsa_der(b"no secret")).is_err());
    }
}
