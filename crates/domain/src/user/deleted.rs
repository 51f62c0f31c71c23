//! What stays of a user who was deleted (behaviour 7.11).

use crate::email::Email;
use crate::id::UserId;

/// The username that events and transactions show from then on.
#[must_use]
pub fn deleted_username(user: UserId) -> String {
    format!("deleted-{user}")
}

/// The address from then on. Nobody has it: the domain `invalid` does not exist (RFC 2606).
#[must_use]
pub fn deleted_email(user: UserId) -> Email {
    Email::stored(format!("{}@users.invalid", deleted_username(user)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_a_normalized_one() {
        let email = deleted_email(UserId::new(i64::MAX));
        assert_eq!(Email::parse(email.as_str()), Ok(email));
        assert_eq!(deleted_username(UserId::new(12)), "deleted-12");
    }
}
