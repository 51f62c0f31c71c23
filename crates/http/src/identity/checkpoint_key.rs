//! The key that signs checkpoints of logs (behaviour 6.26): an Ed25519 key pair (RFC 8032) derived
//! from the secret of this installation. It is the same for as long as `token.key` is, whatever
//! becomes of the signing keys in the database; those are removed some time after a rotation, and
//! whoever can write to the database can replace them.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use ring::error::KeyRejected;
use ring::hmac;
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey};

/// What the derived key is for, so that no other use of the secret has the same.
const PURPOSE: &[u8] = b"daybook: checkpoints, Ed25519";

/// Signs checkpoints, and verifies them.
pub struct CheckpointKey(Ed25519KeyPair);

impl CheckpointKey {
    /// The key that follows from a secret.
    ///
    /// # Errors
    /// [`KeyRejected`], which the library allows for.
    pub(super) fn derived(secret: &hmac::Key) -> Result<Self, KeyRejected> {
        let seed = hmac::sign(secret, PURPOSE);
        Ed25519KeyPair::from_seed_unchecked(seed.as_ref()).map(Self)
    }

    /// The public key in Base64, by which anybody can verify.
    #[must_use]
    pub fn public(&self) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(self.0.public_key())
    }

    /// The signature over a digest, in Base64.
    #[must_use]
    pub fn sign(&self, digest: &[u8]) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(self.0.sign(digest))
    }

    /// Whether this key made that signature over a digest.
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
    fn signatures_are_those_of_one_installation() {
        let secret = |byte: u8| hmac::Key::new(hmac::HMAC_SHA256, &[byte; 32]);
        let key = |byte: u8| CheckpointKey::derived(&secret(byte)).unwrap();
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
