//! The text of an API key.

use daybook_domain::api_key::KeyDigest;
use sha2::{Digest, Sha256};

/// The text of a key. It has no `Debug`, so that it does not get into logs.
pub struct ApiKeyText(String);

impl ApiKeyText {
    pub(crate) const fn new(text: String) -> Self {
        Self(text)
    }

    /// Returns the text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the digest that the database stores.
    #[must_use]
    pub fn digest(&self) -> KeyDigest {
        digest(&self.0)
    }
}

pub(super) fn digest(text: &str) -> KeyDigest {
    Sha256::digest(text.as_bytes()).into()
}
