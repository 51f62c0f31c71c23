//! Secrets of links, sessions and device codes: 32 random bytes, stored as their SHA-256. Those of
//! invitations are derived.

use aws_lc_rs::rand::{SecureRandom, SystemRandom};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use daybook_domain::id::InvitationId;
use daybook_domain::session::SecretDigest;
use sha2::{Digest, Sha256};

use crate::identity::own_token::LocalKey;

/// The random number generator of the system failed.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("the system random number generator failed")]
pub struct RandomnessError;

/// The text of a secret. It has no `Debug`, so that it does not get into logs.
pub struct LoginSecret(String);

impl LoginSecret {
    /// Generates a secret.
    ///
    /// # Errors
    /// [`RandomnessError`].
    pub fn random() -> Result<Self, RandomnessError> {
        let mut bytes = [0; 32];
        SystemRandom::new().fill(&mut bytes).map_err(|_| RandomnessError)?;
        Ok(Self(BASE64_URL_SAFE_NO_PAD.encode(bytes)))
    }

    /// Returns the secret of an invitation, which is derived from its id. So a repeated response
    /// has the same link, and no response is stored with one.
    #[must_use]
    pub fn of_invitation(key: &LocalKey, id: InvitationId) -> Self {
        Self(key.invitation_code(id))
    }

    /// Returns the text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the sign-in link with this secret; `server` is the address of this server.
    #[must_use]
    pub fn link(&self, server: &str) -> String {
        format!("{server}/auth/link?code={}", self.0)
    }

    /// Returns the link with this secret that creates the first user.
    #[must_use]
    pub fn first_user_link(&self, server: &str) -> String {
        format!("{server}/auth/first-user?code={}", self.0)
    }

    /// Returns the digest that the database stores.
    #[must_use]
    pub fn digest(&self) -> SecretDigest {
        digest(&self.0)
    }
}

pub(crate) fn digest(text: &str) -> SecretDigest {
    Sha256::digest(text.as_bytes()).into()
}
