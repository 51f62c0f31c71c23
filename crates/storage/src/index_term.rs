//! Index terms: what a transaction can be found by exactly. One inverted index serves remote ids,
//! hashtags, files, properties and states, so a transaction costs one statement for all of them:
//!
//! | term | meaning |
//! |---|---|
//! | `r` + id | has that remote id, exact (behaviour 1.2) |
//! | `t` + tag | has that hashtag, as it is compared (1.2.5) |
//! | `k` + key | has that property (1.2, `key:*`) |
//! | `f` + file id | holds that file |
//! | `p` + key + space + value | has that property with that value, case folded |
//! | `sdraft`, `strashed` | is a draft, is in the trash (1.2): a book has few of them; the posted ones have no term |

use std::collections::BTreeSet;

use daybook_domain::id::FileId;
use daybook_domain::property::Properties;
use daybook_domain::transaction::{LifecycleState, Transaction, tags};
use sha2::{Digest, Sha256};

/// Values longer than this are indexed by their hash: an index entry must stay small (PostgreSQL
/// takes 2,700 bytes).
const LONGEST_PLAIN: usize = 200;

/// The term of a draft.
pub(crate) const DRAFT: &str = "sdraft";
/// The term of a trashed transaction.
pub(crate) const TRASHED: &str = "strashed";

/// The term of a remote id.
pub(crate) fn remote_id(id: &str) -> String {
    format!("r{}", bounded(id))
}

/// The term of a hashtag.
pub(crate) fn tag(tag: &str) -> String {
    format!("t{}", bounded(&tags::key(tag)))
}

/// The term of a property that is present.
pub(crate) fn key(key: &str) -> String {
    format!("k{key}")
}

/// The term of a property with its value.
pub(crate) fn property(key: &str, value: &str) -> String {
    // A key holds no space, so no two keys and values make the same term.
    format!("p{key} {}", bounded(&value.to_lowercase()))
}

/// The term of an attached file.
pub(crate) fn file(id: FileId) -> String {
    format!("f{id}")
}

/// All terms of a transaction.
pub(crate) fn of(transaction: &Transaction) -> BTreeSet<String> {
    IndexedFields {
        remote_ids: &transaction.remote_ids,
        description: &transaction.description,
        properties: &transaction.properties,
        files: &transaction.files,
        state: transaction.state(),
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
}

impl IndexedFields<'_> {
    /// The terms of a transaction with these fields.
    pub(crate) fn terms(&self) -> BTreeSet<String> {
        let mut terms: BTreeSet<String> = self.remote_ids.iter().map(|id| remote_id(id)).collect();
        terms.extend(tags::of(self.description).iter().map(|text| tag(text)));
        terms.extend(self.files.iter().map(|id| file(*id)));
        for (name, value) in self.properties.iter() {
            terms.insert(key(name));
            terms.insert(property(name, value));
        }
        terms.extend(match self.state {
            LifecycleState::Draft => Some(DRAFT.to_owned()),
            LifecycleState::Trashed => Some(TRASHED.to_owned()),
            LifecycleState::Unchecked | LifecycleState::Checked => None,
        });
        terms
    }
}

fn bounded(text: &str) -> String {
    if text.len() <= LONGEST_PLAIN {
        return text.to_owned();
    }
    let digest: String =
        Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{digest}")
}
