//! The key that signs checkpoints of event logs (behaviour 6.26).
//!
//! It is an Ed25519 key pair (RFC 8032) derived from `token.key`. The signing keys in the database
//! are not suitable: rotations remove them, and an attacker with write access to the database could
//! replace them.

use aws_lc_rs::error::KeyRejected;
use aws_lc_rs::hmac;
use aws_lc_rs::signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;

/// Separates the derived key from other uses of the secret.
const PURPOSE: &[u8] = b"daybook: checkpoints, Ed25519";

/// The key that signs and verifies checkpoints.
pub struct CheckpointKey(Ed25519KeyPair);

impl CheckpointKey {
    /// Derives the key from a secret.
    ///
    /// # Errors
    /// [`KeyRejected`] is an error of the library that does not occur with derived seeds.
    pub(super) fn derive(secret: &hmac::Key) -> Result<Self, KeyRejected> {
        let seed = hmac::sign(secret, PURPOSE);
        Ed25519KeyPair::from_seed_unchecked(seed.as_ref()).map(Self)
    }

    /// Returns the public key in Base64.
    #[must_use]
    pub fn public(&self) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(self.0.public_key())
    }

    /// Signs a digest and returns the signature in Base64.
    #[must_use]
    pub fn sign(&self, digest: &[u8]) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(self.0.sign(digest))
    }

    /// Whether a signature of a digest was made with this key.
    #[must_use]
    pub fn has_signed(&self, digest: &[u8], signature: &str) -> bool {
        let public = UnparsedPublicKey::new(&ED25519, self.0.public_key());
        BASE64_URL_SAFE_NO_PAD
            .decode(signature)
            .is_ok_and(|signature| public.verify(digest, &signature).is_ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signature_is_verified_only_by_the_key_of_the_same_secret() {
        let secret = |byte: u8| hmac::Key::new(hmac::HMAC_SHA256, &[byte; 32]);
        let key = |byte: u8| CheckpointKey::derive(&secret(byte)).unwrap();
        let (one, other) = (key(1), key(2));
        assert_eq!(key(1).public(), one.public());
        assert_ne!(other.public(), one.public());
        let signature = one.sign(b"digest");
        assert!(key(1).has_signed(b"digest", &signature));
        assert!(!one.has_signed(b"other", &signature));
        assert!(!other.has_signed(b"digest", &signature));
        assert!(!one.has_signed(b"digest", &signature[1..]));
        assert!(!one.has_signed(b"digest", ""));
    }
}
