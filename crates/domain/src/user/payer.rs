//! Whom limits count for.

use crate::email::Email;
use crate::event::Hash;
use crate::id::UserId;

/// The number for which limits count what a user asks for: rates, shares of connections, of writers
/// and of memory. The users of all addresses of one mailbox have the same (behaviour 10.18). It is
/// that of no user.
///
/// ```
/// use daybook_domain::email::Email;
/// use daybook_domain::user::payer;
/// let payer = |text: &str| payer(&Email::parse(text).unwrap());
/// assert_eq!(payer("alice+bank@example.com"), payer("alice@example.com"));
/// assert_ne!(payer("alice@example.org"), payer("alice@example.com"));
/// ```
#[must_use]
pub fn payer(email: &Email) -> UserId {
    let hash = Hash::of(email.mailbox().as_str().as_bytes());
    let start = hash.as_bytes().iter().take(8);
    UserId::new(start.fold(0, |number: i64, byte| number.wrapping_shl(8) | i64::from(*byte)))
}
