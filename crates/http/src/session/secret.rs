//! Secrets that are handed out once: 32 random bytes, of which only the SHA-256 is kept.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use daybook_domain::session::SecretDigest;
use ring::rand::{SecureRandom, SystemRandom};
use sha2::{Digest, Sha256};

/// The system gave no randomness.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("the system gave no randomness")]
pub struct NoRandomness;

/// A secret, as its holder sends it. It is not printed by accident.
pub struct LoginSecret(String);

impl LoginSecret {
    /// A new secret.
    ///
    /// # Errors
    /// [`NoRandomness`].
    pub fn random() -> Result<Self, NoRandomness> {
        let mut bytes = [0; 32];
        SystemRandom::new().fill(&mut bytes).map_err(|_| NoRandomness)?;
        Ok(Self(BASE64_URL_SAFE_NO_PAD.encode(bytes)))
    }

    /// The text to hand out.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The link that signs in by it; `server` is the address of this server.
    #[must_use]
    pub fn link(&self, server: &str) -> String {
        format!("{server}/auth/link?code={}", self.0)
    }

    /// What is kept of it.
    #[must_use]
    pub fn digest(&self) -> SecretDigest {
        digest(&self.0)
    }
}

/// What is kept of a secret that somebody sends.
pub(crate) fn digest(text: &str) -> SecretDigest {
    Sha256::digest(text.as_bytes()).into()
}
