//! The text of an API key, as its holder sends it.

use daybook_domain::api_key::KeyDigest;
use sha2::{Digest, Sha256};

/// The text of a key. It is not printed by accident.
pub struct ApiKeyText(String);

impl ApiKeyText {
    pub(crate) const fn new(text: String) -> Self {
        Self(text)
    }

    /// The text to hand out.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What is kept of it.
    #[must_use]
    pub fn digest(&self) -> KeyDigest {
        digest(&self.0)
    }
}

/// What a key that somebody sends is found by.
pub(super) fn digest(text: &str) -> KeyDigest {
    Sha256::digest(text.as_bytes()).into()
}
