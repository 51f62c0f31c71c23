//! Placeholders for deleted users (behaviour 7.11).

use crate::email::Email;
use crate::id::UserId;

/// Returns the username that events and transactions show for a deleted user.
pub fn deleted_username(user: UserId) -> String {
    format!("deleted-{user}")
}

/// Returns the address of a deleted user. The domain `invalid` does not exist (RFC 2606).
pub fn deleted_email(user: UserId) -> Email {
    Email::stored(format!("{}@users.invalid", deleted_username(user)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_is_normalized() {
        let email = deleted_email(UserId::new(i64::MAX));
        assert_eq!(Email::parse(email.as_str()), Ok(email));
        assert_eq!(deleted_username(UserId::new(12)), "deleted-12");
    }
}
