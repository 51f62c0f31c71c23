//! Identities of entries.

use std::collections::HashMap;

use daybook_domain::import::digest;

use crate::read::journal::Entry;

/// The most characters of the source in a remote id, which has 256.
pub(crate) const MAX_SOURCE: usize = 150;

/// The longest identifier that stands in a remote id as it is.
const MAX_ID: usize = 40;

/// Numbers the entries of equal text.
#[derive(Debug, Default)]
pub(crate) struct Identities {
    /// How many entries have each key, by the hash of the key.
    counts: HashMap<[u8; 16], u32>,
}

impl Identities {
    /// Returns the identity of the next entry: `<hash>-<number among equal ones>`.
    pub(crate) fn next(&mut self, entry: &Entry) -> String {
        let is_plain = |id: &&String| {
            id.len() <= MAX_ID && id.bytes().all(|byte| byte.is_ascii_alphanumeric())
        };
        let key = match entry.source_id.as_ref() {
            Some(id) => Some(id).filter(is_plain).cloned().unwrap_or_else(|| hash(id)),
            None => hash(&entry.written),
        };
        let count = self.counts.entry(digest(&key)).or_default();
        *count = count.saturating_add(1);
        format!("{key}-{count}")
    }
}

fn hash(text: &str) -> String {
    digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}
