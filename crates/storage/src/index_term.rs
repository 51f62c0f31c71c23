//! Index terms, by which transactions are found exactly.
//!
//! One inverted index serves remote ids, hashtags, files, properties and states, so a transaction
//! costs one statement for all of them:
//!
//! | Term | Transaction |
//! |---|---|
//! | `r` + id | has that remote id, exact (behaviour 1.2) |
//! | `t` + tag | has that hashtag, as it is compared (1.2.5) |
//! | `k` + key | has that property (1.2, `key:*`) |
//! | `f` + file id | refers to that file |
//! | `p` + key + space + value | has that property with that value, case folded |
//! | `sdraft`, `strashed` | is a draft, is trashed (1.2). Posted transactions have no such term, because they are many |
//! | `scommented` | has comments (1.2, `has:comment`) |

use std::collections::BTreeSet;

use daybook_domain::id::FileId;
use daybook_domain::property::Properties;
use daybook_domain::transaction::{LifecycleState, Transaction, tags};
use sha2::{Digest, Sha256};

/// Maximum length of a plain value. Longer values are hashed, because PostgreSQL limits an index
/// entry to 2,700 bytes.
const MAX_PLAIN: usize = 200;

/// The term of a draft.
pub(crate) const DRAFT: &str = "sdraft";
/// The term of a trashed transaction.
pub(crate) const TRASHED: &str = "strashed";

/// The term of a transaction with comments.
pub(crate) const COMMENTED: &str = "scommented";

/// Returns the term of a remote id.
pub(crate) fn remote_id(id: &str) -> String {
    format!("r{}", bounded(id))
}

/// Returns the term of a hashtag.
pub(crate) fn tag(tag: &str) -> String {
    format!("t{}", bounded(&tags::key(tag)))
}

/// Returns the term of a property with any value.
pub(crate) fn key(key: &str) -> String {
    format!("k{key}")
}

/// Returns the term of a property with its value.
pub(crate) fn property(key: &str, value: &str) -> String {
    // A key has no spaces, so the term is unambiguous.
    format!("p{key} {}", bounded(&value.to_lowercase()))
}

/// Returns the term of an attached file.
pub(crate) fn file(id: FileId) -> String {
    format!("f{id}")
}

/// Returns all terms of a transaction.
pub(crate) fn of(transaction: &Transaction) -> BTreeSet<String> {
    IndexedFields {
        remote_ids: &transaction.remote_ids,
        description: &transaction.description,
        properties: &transaction.properties,
        files: &transaction.files,
        state: transaction.state(),
        has_comments: transaction.comment_count > 0,
    }
    .terms()
}

/// The fields of a transaction that have index terms.
pub(crate) struct IndexedFields<'a> {
    pub(crate) remote_ids: &'a [String],
    pub(crate) description: &'a str,
    pub(crate) properties: &'a Properties,
    pub(crate) files: &'a [FileId],
    pub(crate) state: LifecycleState,
    pub(crate) has_comments: bool,
}

impl IndexedFields<'_> {
    /// Returns the terms of a transaction with these fields.
    pub(crate) fn terms(&self) -> BTreeSet<String> {
        let mut terms: BTreeSet<String> = self.remote_ids.iter().map(|id| remote_id(id)).collect();
        terms.extend(tags::of(self.description).iter().map(|text| tag(text)));
        terms.extend(self.files.iter().map(|id| file(*id)));
        for (name, value) in self.properties.iter() {
            terms.insert(key(name));
            terms.insert(property(name, value));
        }
        terms.extend(self.has_comments.then(|| COMMENTED.to_owned()));
        terms.extend(match self.state {
            LifecycleState::Draft => Some(DRAFT.to_owned()),
            LifecycleState::Trashed => Some(TRASHED.to_owned()),
            LifecycleState::Unchecked | LifecycleState::Checked => None,
        });
        terms
    }
}

fn bounded(text: &str) -> String {
    if text.len() <= MAX_PLAIN {
        return text.to_owned();
    }
    format!("sha256:{:x}", Sha256::digest(text))
}
