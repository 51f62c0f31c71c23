//! Marks: what a transaction can be found by exactly. One inverted index serves remote ids, hashtags and properties,
//! so a transaction costs one statement for all of them:
//!
//! | mark | meaning |
//! |---|---|
//! | `r` + id | has that remote id, exact (behaviour 1.2) |
//! | `t` + tag | has that hashtag, case folded (1.2.5) |
//! | `k` + key | has that property (1.2, `key:*`) |
//! | `p` + key + `=` + value | has that property with that value, case folded |

use std::collections::BTreeSet;

use daybook_domain::property::Properties;
use daybook_domain::transaction::{Transaction, tags};
use sha2::{Digest, Sha256};

/// Values longer than this are indexed by their hash: an index entry must stay small (PostgreSQL takes 2,700 bytes).
const LONGEST_PLAIN: usize = 200;

/// The mark of a remote id.
pub(crate) fn remote_id(id: &str) -> String {
    format!("r{}", bounded(id))
}

/// The mark of a hashtag.
pub(crate) fn tag(tag: &str) -> String {
    format!("t{}", bounded(&tag.to_lowercase()))
}

/// The mark of a property that is present.
pub(crate) fn key(key: &str) -> String {
    format!("k{key}")
}

/// The mark of a property with its value.
pub(crate) fn property(key: &str, value: &str) -> String {
    format!("p{key}={}", bounded(&value.to_lowercase()))
}

/// All marks of a transaction.
pub(crate) fn of(transaction: &Transaction) -> BTreeSet<String> {
    of_parts(&transaction.remote_ids, &transaction.description, &transaction.properties)
}

/// All marks of a transaction with these parts.
pub(crate) fn of_parts(remote_ids: &[String], description: &str, properties: &Properties) -> BTreeSet<String> {
    let mut marks: BTreeSet<String> = remote_ids.iter().map(|id| remote_id(id)).collect();
    marks.extend(tags::of(description).iter().map(|text| tag(text)));
    for (name, value) in properties.iter() {
        marks.insert(key(name));
        marks.insert(property(name, value));
    }
    marks
}

fn bounded(text: &str) -> String {
    if text.len() <= LONGEST_PLAIN {
        return text.to_owned();
    }
    let digest: String = Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{digest}")
}
