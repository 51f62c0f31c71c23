//! The subject that rate and resource limits apply to.

use crate::email::Email;
use crate::event::Hash;
use crate::id::UserId;

/// Computes the id to which the limits of a user apply: rates and shares of connections, writers
/// and memory.
///
/// All addresses of one mailbox have the same subject (behaviour 10.18). The id does not belong to
/// a user.
///
/// ```
/// use daybook_domain::email::Email;
/// use daybook_domain::user::quota_subject;
/// let subject = |text: &str| quota_subject(&Email::parse(text).unwrap());
/// assert_eq!(subject("alice+bank@example.com"), subject("alice@example.com"));
/// assert_ne!(subject("alice@example.org"), subject("alice@example.com"));
/// ```
pub fn quota_subject(email: &Email) -> UserId {
    let hash = Hash::of(email.mailbox().as_str().as_bytes());
    let first_bytes = hash.as_bytes().iter().take(8);
    UserId::new(first_bytes.fold(0, |id: i64, byte| id.wrapping_shl(8) | i64::from(*byte)))
}
